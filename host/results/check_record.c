/* check_record.c -- see check_record.h. */
#include "host/results/check_record.h"

#include "host/config/config.h"
#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/file.h"
#include "host/base/new_file.h"
#include "host/results/identity.h"
#include "host/run/output_folder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char file_name[] = "check.json";
enum { MOST_BYTES = 1 << 16 }; /* greatest size of the file that is read */

void pio_check_record_forget(const pio_session *s)
{
    char path[PIO_PATH];
    pio_session_path(s, file_name, path, sizeof path);
    unlink(path);
}

static bool identity_hash(const pio_session *s, char out[PIO_SHA256_TEXT])
{
    char *text = pio_identity_of_gradient(s);
    if (!text) return false;
    pio_sha256_of(text, strlen(text), out);
    free(text);
    return true;
}

piola_status pio_check_record_write(const pio_session *s, int64_t directions, int64_t passed, piola_error *error)
{
    char path[PIO_PATH], when[32] = "", identity[PIO_SHA256_TEXT], engine[80];
    const pio_engine *e = s->engine.table;
    const time_t now = time(NULL);
    struct tm utc;
    pio_json json;
    if (!identity_hash(s, identity)) return pio_fail_memory(error, 1 << 16, "the scene's identity");
    if (gmtime_r(&now, &utc)) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(engine, sizeof engine, "%s_%s_%dd", e->device, e->precision, e->dimension);
    pio_session_path(s, file_name, path, sizeof path);
    pio_json_to_memory(&json, 2);
    pio_json_begin_object(&json, NULL);
    pio_json_string(&json, "identity", identity);
    pio_json_string(&json, "when", when);
    pio_json_string(&json, "engine", engine);
    pio_json_string(&json, "device", s->engine.device);
    pio_json_double(&json, "tolerance", s->scene->gradient.check_tolerance);
    pio_json_integer(&json, "directions", directions);
    pio_json_integer(&json, "passed", passed);
    pio_json_end_object(&json);
    piola_status rc = pio_json_finish(&json, error);
    if (!rc) rc = pio_write_file_atomically(path, json.text, json.size, error);
    pio_json_free(&json);
    return rc;
}

/* Returns a member of the record, "" if it is absent. The YAML parser reads JSON, which is YAML too. */
static const char *member(cfg_node *root, const char *key)
{
    const cfg_node *node = root && root->kind == CFG_PAIRS ? pio_cfg_get(root, key, NULL) : NULL;
    return node && node->kind == CFG_SCALAR ? node->text : "";
}

static void record_json(const pio_session *s, cfg_node *record, pio_json *json, const char *key)
{
    char path[PIO_PATH];
    const long long directions = strtoll(member(record, "directions"), NULL, 10);
    const long long passed = strtoll(member(record, "passed"), NULL, 10);
    pio_session_path(s, file_name, path, sizeof path);
    pio_json_begin_object(json, key);
    pio_json_bool(json, "passed", directions > 0 && passed == directions);
    pio_json_integer(json, "directions", directions);
    pio_json_integer(json, "directions_passed", passed);
    pio_json_double(json, "tolerance", strtod(member(record, "tolerance"), NULL));
    pio_json_string(json, "where", "at the start of the design");
    pio_json_string(json, "when", member(record, "when"));
    pio_json_string(json, "engine", member(record, "engine"));
    pio_json_string(json, "device", member(record, "device"));
    pio_json_string(json, "file", path);
    pio_json_end_object(json);
}

bool pio_check_record_json(const pio_session *s, pio_json *json, const char *key)
{
    char path[PIO_PATH], identity[PIO_SHA256_TEXT], *text = NULL;
    size_t size;
    pio_session_path(s, file_name, path, sizeof path);
    if (pio_file_read(path, MOST_BYTES, &text, &size, NULL)) return false;
    cfg_doc doc = {.folder = "."};
    const pio_locale old = pio_locale_begin();
    const cfg_file *file = pio_cfg_file(&doc, path, text, size);
    cfg_node *root = file ? pio_cfg_parse(&doc, file, text, size, 0) : NULL;
    const bool same = identity_hash(s, identity) && !strcmp(member(root, "identity"), identity);
    if (same) record_json(s, root, json, key);
    pio_locale_end(old);
    pio_cfg_free(&doc);
    free(text);
    return same;
}
