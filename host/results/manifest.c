/* manifest.c -- see manifest.h. */
#include "host/results/manifest.h"

#include "host/base/fail.h"
#include "host/base/sha256.h"

#include <gnu/libc-version.h>
#include <hdf5.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The build defines its commit and its flags as string literals. */
#ifndef PIO_BUILD_COMMIT
#define PIO_BUILD_COMMIT "unknown"
#endif
#ifndef PIO_BUILD_FLAGS
#define PIO_BUILD_FLAGS "unknown"
#endif

enum { LONGEST = 50000 }; /* greatest bytes of a value; a longer one ends with a note that it was cut */

const char *pio_build_commit(void)
{
    return PIO_BUILD_COMMIT;
}

static piola_status add(pio_manifest *m, piola_error *error, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static piola_status add(pio_manifest *m, piola_error *error, const char *key, const char *format, ...)
{
    va_list list;
    char *value = NULL;
    pio_snapshot_pair *pair = realloc(m->pair, (m->n + 1) * sizeof *pair);
    if (!pair) return pio_fail_memory(error, (m->n + 1) * sizeof *pair, "the manifest");
    m->pair = pair;
    va_start(list, format);
    const int length = vasprintf(&value, format, list);
    va_end(list);
    char *own = strdup(key);
    if (length < 0 || !own) {
        if (length >= 0) free(value);
        free(own);
        return pio_fail_memory(error, strlen(key) + 1, "the manifest");
    }
    if (length > LONGEST) strcpy(value + LONGEST - 16, " ... (cut here)");
    m->pair[m->n++] = (pio_snapshot_pair){own, value};
    return PIOLA_OK;
}

static piola_status add_program(pio_manifest *m, const pio_session *s, piola_error *error)
{
    char when[32] = "";
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    piola_status rc = add(m, error, "program", "piola");
    if (!rc) rc = add(m, error, "version", PIOLA_VERSION);
    if (!rc) rc = add(m, error, "compiler", "gcc %s", __VERSION__);
    if (!rc) rc = add(m, error, "compiler_flags", "%s", PIO_BUILD_FLAGS);
    if (!rc) rc = add(m, error, "commit", "%s", PIO_BUILD_COMMIT);
    if (!rc) rc = add(m, error, "command", "%s", s->call.command);
    if (!rc)
        rc = add(m, error, "command_line", "%s", s->call.options->command_line ? s->call.options->command_line : "");
    return rc ? rc : add(m, error, "created", "%s", when);
}

/* Adds the engine. The hash of its module identifies the code that computed. */
static piola_status add_engine(pio_manifest *m, const pio_session *s, piola_error *error)
{
    const pio_engine *e = s->engine.table;
    unsigned major, minor, release;
    char sha256[PIO_SHA256_TEXT];
    H5get_libversion(&major, &minor, &release);
    piola_status rc = pio_sha256_of_file(s->engine.file, sha256, error);
    if (!rc) rc = add(m, error, "engine", "%s_%s_%dd", e->device, e->precision, e->dimension);
    if (!rc) rc = add(m, error, "engine_sha256", "%s", sha256);
    if (!rc) rc = add(m, error, "instruction_set", "%s", e->isa);
    if (!rc) rc = add(m, error, "precision", "%s", e->precision);
    if (!rc) rc = add(m, error, "device", "%s", s->engine.device);
    if (!rc) rc = add(m, error, "driver", "%s", s->engine.driver);
    if (!rc && s->memory.bytes.solver[0]) rc = add(m, error, "linear_solver", "%s", s->memory.bytes.solver);
    if (!rc && s->memory.bytes.product[0]) rc = add(m, error, "matrix_product", "%s", s->memory.bytes.product);
    if (!rc) rc = add(m, error, "hdf5", "%u.%u.%u", major, minor, release);
    return rc ? rc : add(m, error, "libm", "glibc %s", gnu_get_libc_version());
}

static piola_status add_inputs(pio_manifest *m, const pio_session *s, piola_error *error)
{
    const char *sha256 = NULL, *file;
    piola_status rc = add(m, error, "scene_file", "%s", s->call.options->scene);
    for (size_t i = 0; !rc && (file = pio_scene_input(s->scene, i, &sha256)); i++) {
        char *key = NULL;
        if (asprintf(&key, "sha256 %s", file) < 0) return pio_fail_memory(error, strlen(file) + 8, "the manifest");
        rc = add(m, error, key, "%s", sha256);
        free(key);
    }
    if (!rc) rc = add(m, error, "seed", "%lld", (long long)s->scene->common.seed);
    return rc ? rc : add(m, error, "schedule", "%s", s->memory.schedule.name);
}

static char *as_json(const pio_manifest *m)
{
    pio_json json;
    pio_json_to_memory(&json, 2);
    pio_json_begin_object(&json, NULL);
    for (size_t i = 0; i < m->n; i++) pio_json_string(&json, m->pair[i].key, m->pair[i].value);
    pio_json_end_object(&json);
    if (pio_json_finish(&json, NULL) == PIOLA_OK) return json.text;
    pio_json_free(&json);
    return NULL;
}

piola_status pio_manifest_create(pio_manifest *out, const pio_session *s, piola_error *error)
{
    *out = (pio_manifest){0};
    piola_status rc = add_program(out, s, error);
    if (!rc) rc = add_engine(out, s, error);
    if (!rc) rc = add_inputs(out, s, error);
    if (!rc) {
        out->json = as_json(out);
        out->resolved = pio_resolved_json(s->scene);
        if (!out->json || !out->resolved) rc = pio_fail_memory(error, 1 << 16, "the manifest");
    }
    if (rc) pio_manifest_free(out);
    return rc;
}

void pio_manifest_free(pio_manifest *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free((char *)m->pair[i].key);
        free((char *)m->pair[i].value);
    }
    free(m->pair);
    free(m->json);
    free(m->resolved);
    *m = (pio_manifest){0};
}

char *pio_resolved_json(const pio_scene *scene)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    pio_scene_resolved(scene, to);
    if (fclose(to)) {
        free(text);
        return NULL;
    }
    return text;
}
