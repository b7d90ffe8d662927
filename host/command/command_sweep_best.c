/* command_sweep_best.c -- optimisation from several starts: the best member's files become those of the folder. */
#include "host/base/fail.h"
#include "host/base/json.h"
#include "host/base/new_file.h"
#include "host/command/command_sweep.h"
#include "host/config/config.h"
#include "host/results/residual_file.h"
#include "host/results/result.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const files[] = {"states.vtkhdf", "history.vtkhdf", "picture.png", PIO_RESIDUAL_FILE};
enum { FILES = sizeof files / sizeof *files, MOST_SHOWN = 12 };

/* ---- files ----------------------------------------------------------------------------------------------- */

static piola_status copy_bytes(int from, pio_new_file *to, const char *name, piola_error *error)
{
    enum { CHUNK = 1 << 20 };
    char *chunk = malloc(CHUNK);
    piola_status rc = chunk ? PIOLA_OK : pio_fail_memory(error, CHUNK, "the copy of a file");
    for (ssize_t n = 1; !rc && n != 0;) {
        n = read(from, chunk, CHUNK);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) rc = pio_fail(error, PIOLA_IO, "cannot read %.1000s: %s", name, strerror(errno));
        if (n > 0) rc = pio_new_file_write(to, chunk, (size_t)n, error);
    }
    free(chunk);
    return rc;
}

/* Makes `to` a copy of the file `from`, or removes it where there is no such file. */
static piola_status copy(const char *from, const char *to, piola_error *error)
{
    pio_new_file file;
    const int fd = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        (void)unlink(to); /* it would be of another design */
        return PIOLA_OK;
    }
    if (fd < 0) return pio_fail(error, PIOLA_IO, "cannot read %.1000s: %s", from, strerror(errno));
    piola_status rc = pio_new_file_begin(&file, to, error);
    if (!rc) {
        rc = copy_bytes(fd, &file, from, error);
        if (!rc) rc = pio_new_file_place(&file, error);
        pio_new_file_drop(&file);
    }
    (void)close(fd);
    return rc;
}

/* ---- the result ------------------------------------------------------------------------------------------ */

static void write_node(pio_json *json, const char *key, const cfg_node *node);

static void write_scalar(pio_json *json, const char *key, const cfg_node *node)
{
    char *end;
    const double value = pio_cfg_number_of(node);
    errno = 0;
    const long long whole = strtoll(node->text, &end, 10);
    if (!node->plain)
        pio_json_string(json, key, node->text);
    else if (!strcmp(node->text, "true") || !strcmp(node->text, "false"))
        pio_json_bool(json, key, node->text[0] == 't');
    else if (!errno && end != node->text && !*end)
        pio_json_integer(json, key, whole);
    else
        pio_json_double(json, key, value); /* null is no number */
}

/* Writes a list; one of numbers alone in one line, as the result has it. */
static void write_list(pio_json *json, const char *key, const cfg_node *node)
{
    bool numbers = node->n > 0;
    for (size_t i = 0; i < node->n; i++) numbers &= node->items[i]->kind == CFG_SCALAR && node->items[i]->plain;
    double *values = numbers ? malloc(node->n * sizeof *values) : NULL;
    for (size_t i = 0; values && i < node->n; i++) values[i] = pio_cfg_number_of(node->items[i]);
    if (values) {
        pio_json_doubles(json, key, values, node->n);
    } else {
        pio_json_begin_array(json, key);
        for (size_t i = 0; i < node->n; i++) write_node(json, NULL, node->items[i]);
        pio_json_end_array(json);
    }
    free(values);
}

static void write_node(pio_json *json, const char *key, const cfg_node *node)
{
    if (node->kind == CFG_SCALAR) {
        write_scalar(json, key, node);
    } else if (node->kind == CFG_SEQUENCE) {
        write_list(json, key, node);
    } else {
        pio_json_begin_object(json, key);
        for (size_t i = 0; i < node->n; i++) write_node(json, node->keys[i]->text, node->items[i]);
        pio_json_end_object(json);
    }
}

/* Returns the objective of a member; NaN if it has none. */
static double objective_of(const pio_sweep_call *s, int64_t member)
{
    for (size_t c = 0; c < s->table.n_columns; c++)
        if (!strcmp(s->table.columns[c].name, "objective") && s->table.columns[c].cells[member].n == 1)
            return s->table.columns[c].cells[member].v[0];
    return (double)NAN;
}

/* Writes what all starts gave. */
static void write_starts(const pio_sweep_call *s, pio_json *json)
{
    pio_json_begin_object(json, "multi_start");
    pio_json_string(json, "sampling", pio_members_sampling(&s->members));
    if (s->best >= 0)
        pio_json_integer(json, "best", s->best);
    else
        pio_json_null(json, "best");
    pio_json_integer(json, "n_members", s->members.n);
    pio_json_integer(json, "finished", s->finished);
    pio_json_integer(json, "failed", s->failed);
    pio_json_integer(json, "left", s->left);
    pio_json_begin_array(json, "members");
    for (int64_t i = 0; i < s->members.n; i++) {
        pio_json_begin_object(json, NULL);
        pio_sweep_member_json(s, i, json);
        pio_json_double(json, "objective", objective_of(s, i));
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
    pio_json_end_object(json);
}

/* Writes the names of the files that the folder has now. */
static void write_files(const pio_sweep_call *s, pio_json *json)
{
    static const char *const others[] = {"sweep.csv", "sweep.h5", "sweep.json", "result.json"};
    char path[PIO_PATH];
    pio_json_begin_array(json, "files");
    for (size_t i = 0; i < FILES; i++)
        if (pio_path_join(path, sizeof path, s->folder, files[i]) && !access(path, F_OK))
            pio_json_string(json, NULL, path);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (pio_path_join(path, sizeof path, s->folder, others[i])) pio_json_string(json, NULL, path);
    pio_json_end_array(json);
}

static piola_status finish(const pio_sweep_call *s, pio_json *json, piola_status verdict, piola_error *error)
{
    char path[PIO_PATH];
    write_starts(s, json);
    write_files(s, json);
    pio_json_end_object(json);
    pio_path_join(path, sizeof path, s->folder, "result.json");
    return pio_result_write(json, path, verdict == PIOLA_OK || verdict == PIOLA_NO, s->options->json, error);
}

/* Returns the starts' range of a design entry, which is between its bounds; NULL if there is none of this name. */
static const pio_axis *bounds_of(const pio_sweep_call *s, const char *design)
{
    char key[CFG_PATH];
    snprintf(key, sizeof key, "design.%.300s.initial", design);
    for (size_t a = 0; a < s->members.n_axes; a++)
        if (!strcmp(s->members.axes[a].key, key)) return &s->members.axes[a];
    return NULL;
}

/* Returns the bound at which a value is, to a relative 1e-9 of their distance, as words; "" between them. */
static const char *at_bound(const pio_axis *bounds, double value)
{
    const double slack = bounds ? 1e-9 * (bounds->high - bounds->low) : 0;
    if (!bounds) return "";
    return value <= bounds->low + slack    ? ", at its lower bound"
           : value >= bounds->high - slack ? ", at its upper bound"
                                           : "";
}

/* Returns the text of an entry of a mapping; "" if it has none. */
static const char *text_of(const cfg_node *node, const char *key)
{
    const cfg_node *text = pio_cfg_get(node, key, NULL);
    return text && text->kind == CFG_SCALAR ? text->text : "";
}

/* Logs the values of a parameter, or of one with many the least, the greatest, and how many are at a bound. */
static void log_parameter(const pio_sweep_call *s, const char *path, const cfg_node *p)
{
    const cfg_node *of = pio_cfg_get(p, "value", NULL);
    const pio_axis *bounds = bounds_of(s, text_of(p, "design"));
    const char *unit = text_of(p, "unit"), *space = *unit ? " " : "";
    const double entries = pio_cfg_number_of(pio_cfg_get(p, "values", NULL));
    if (!of && entries > 0) /* a field, whose values are in another file */
        pio_log_message(s->log, PIO_INFO, "%s: %.0f values, in states.vtkhdf", path, entries);
    const size_t n = !of || of->kind == CFG_PAIRS ? 0 : of->kind == CFG_SEQUENCE ? of->n : 1;
    double least = HUGE_VAL, most = -HUGE_VAL;
    int low = 0, high = 0;
    for (size_t i = 0; i < n; i++) {
        char number[40] = "";
        const double value = pio_cfg_number_of(of->kind == CFG_SEQUENCE ? of->items[i] : of);
        const char *where = at_bound(bounds, value);
        least = fmin(least, value);
        most = fmax(most, value);
        low += strstr(where, "lower") != NULL;
        high += strstr(where, "upper") != NULL;
        if (n > 1) snprintf(number, sizeof number, "[%zu]", i);
        if (n <= MOST_SHOWN)
            pio_log_message(s->log, PIO_INFO, "%s%s = %.9g%s%s%s", path, number, value, space, unit, where);
    }
    if (n > MOST_SHOWN)
        pio_log_message(s->log, PIO_INFO,
                        "%s = %.9g to %.9g%s%s: %zu values, %d at their lower bound, %d at their upper", path, least,
                        most, space, unit, n, low, high);
}

/* Logs the values that were found. */
static void log_values(const pio_sweep_call *s, const cfg_node *result)
{
    const cfg_node *all = pio_cfg_get(result, "parameters", NULL);
    for (size_t k = 0; all && all->kind == CFG_PAIRS && k < all->n && k < MOST_SHOWN; k++)
        if (all->items[k]->kind == CFG_PAIRS) log_parameter(s, all->keys[k]->text, all->items[k]);
}

/* Writes the result of the best member as that of the folder: its files and exit code are those of all, and so is its
 * message where the exit code is not 0. */
static piola_status write_best(const pio_sweep_call *s, const char *path, piola_status verdict, const char *message,
                               piola_error *error)
{
    cfg_doc doc;
    cfg_node *root = NULL;
    pio_json json;
    piola_status rc = pio_cfg_json(&doc, path, "the result of a member", &root, error);
    if (!rc) {
        pio_json_to_memory(&json, 2);
        pio_json_begin_object(&json, NULL);
        for (size_t i = 0; i < root->n; i++) {
            const char *key = root->keys[i]->text;
            if (!strcmp(key, "exit"))
                pio_json_integer(&json, key, verdict);
            else if (verdict && !strcmp(key, "message"))
                pio_json_string(&json, key, message);
            else if (strcmp(key, "files") != 0)
                write_node(&json, key, root->items[i]);
        }
        rc = finish(s, &json, verdict, error);
    }
    if (!rc) log_values(s, root);
    pio_cfg_free(&doc);
    return rc;
}

/* Writes a result without a design. */
static piola_status write_none(const pio_sweep_call *s, piola_status verdict, const char *message, piola_error *error)
{
    pio_json json;
    pio_json_to_memory(&json, 2);
    pio_json_begin_object(&json, NULL);
    pio_json_string(&json, "command", "optimize");
    pio_json_string(&json, "program", "piola " PIOLA_VERSION);
    pio_json_string(&json, "scene", s->options->scene);
    pio_json_integer(&json, "exit", verdict);
    pio_json_string(&json, "message", message);
    pio_json_null(&json, "failure");
    return finish(s, &json, verdict, error);
}

piola_status pio_sweep_report_starts(const pio_sweep_call *s, piola_error *error)
{
    const long long all = (long long)s->members.n;
    const piola_status verdict = pio_sweep_verdict(s);
    if (verdict == PIOLA_NO)
        return pio_fail(error, verdict, "the optimiser did not converge from any of %lld starts", all);
    if (verdict && s->best < 0)
        return pio_fail(error, verdict,
                        "no optimisation from any of %lld starts came to an end; the causes are in %.1000s/"
                        "sweep.csv",
                        all, s->folder);
    if (verdict)
        return pio_fail(error, verdict,
                        "%lld of %lld starts failed, of which another run may compute some, so that the best may be "
                        "another one; their causes are in %.1000s/sweep.csv",
                        (long long)s->failed, all, s->folder);
    return PIOLA_OK;
}

piola_status pio_sweep_place_best(const pio_sweep_call *s, piola_status verdict, const char *message,
                                  piola_error *error)
{
    char member[PIO_PATH], from[PIO_PATH], to[PIO_PATH];
    piola_error all, unused;
    if (verdict) return write_none(s, verdict, message, error);
    verdict = pio_sweep_report_starts(s, &all);
    if (s->best < 0) return write_none(s, verdict, all.message, error);
    pio_sweep_member_folder(s, s->best, member);
    for (size_t i = 0; i < FILES; i++) {
        pio_path_join(from, sizeof from, member, files[i]);
        pio_path_join(to, sizeof to, s->folder, files[i]);
        if (!strcmp(files[i], PIO_RESIDUAL_FILE) && !s->fits) {
            if (!pio_residual_file_replaces(s->folder, &unused)) (void)unlink(to); /* it is of an earlier fit */
            continue;
        }
        const piola_status rc = copy(from, to, error);
        if (rc) return rc;
    }
    pio_path_join(from, sizeof from, member, "result.json");
    return write_best(s, from, verdict, all.message, error);
}
