/* manifest.c -- what a file must say so that its bits can be made again. */
#include "host/states.h"

#include <gnu/libc-version.h>
#include <hdf5.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void add(pio_manifest *m, const char *key, const char *format, ...)
{
    va_list list;
    if (m->n == PIO_MANIFEST_PAIRS) return;
    va_start(list, format);
    vsnprintf(m->text[m->n], sizeof m->text[m->n], format, list);
    va_end(list);
    m->pair[m->n] = (pio_snapshot_pair){key, m->text[m->n]};
    m->n++;
}

void pio_manifest_fill(pio_manifest *m, const pio_session *s)
{
    const pio_engine *e = s->engine.table;
    unsigned major, minor, release;
    char when[32] = "";
    const time_t now = time(NULL);
    struct tm utc;
    *m = (pio_manifest){0};
    if (gmtime_r(&now, &utc)) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    H5get_libversion(&major, &minor, &release);
    add(m, "program", "piola");
    add(m, "version", PIOLA_VERSION);
    add(m, "compiler", __VERSION__);
    add(m, "command", "%s", s->command);
    add(m, "command_line", "%s", s->options->command_line ? s->options->command_line : "");
    add(m, "scene_file", "%s", s->options->scene);
    add(m, "created", "%s", when);
    add(m, "engine", "%s_%s_%dd", e->device, e->precision, e->dimension);
    add(m, "instruction_set", "%s", e->isa);
    add(m, "precision", "%s", e->precision);
    add(m, "device", "%s", s->engine.device);
    add(m, "driver", "%s", s->engine.driver);
    add(m, "hdf5", "%u.%u.%u", major, minor, release);
    add(m, "libm", "glibc %s", gnu_get_libc_version());
    add(m, "seed", "%lld", (long long)s->scene->seed);
    add(m, "schedule", "%s", s->schedule.name);
}

char *pio_manifest_json(const pio_manifest *m)
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

char *pio_resolved_json(const pio_session *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    pio_scene_resolved(s->scene, to);
    if (fclose(to)) {
        free(text);
        return NULL;
    }
    return text;
}
