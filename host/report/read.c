/* read.c -- the files of a folder of results (report_parts.h). */
#include "host/report/report_parts.h"

#include "host/base/fail.h"
#include "host/base/sha256.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- JSON ------------------------------------------------------------------------------------------------ */

const cfg_node *pio_report_get(const cfg_node *of, const char *key)
{
    const cfg_node *node = of && of->kind == CFG_PAIRS ? pio_cfg_get(of, key, NULL) : NULL;
    return node && node->kind == CFG_SCALAR && node->plain && !strcmp(node->text, "null") ? NULL : node;
}

const char *pio_report_text(const cfg_node *of, const char *key, const char *fallback)
{
    const cfg_node *node = pio_report_get(of, key);
    return node && node->kind == CFG_SCALAR ? node->text : fallback;
}

double pio_report_number(const cfg_node *of, const char *key)
{
    return pio_cfg_number_of(pio_report_get(of, key));
}

double *pio_report_numbers(pio_pool *pool, const cfg_node *list, size_t *n)
{
    *n = 0;
    if (!list || list->kind != CFG_SEQUENCE) return NULL;
    double *v = pio_pool_take(pool, (list->n + 1) * sizeof *v);
    for (size_t i = 0; v && i < list->n; i++) v[i] = pio_cfg_number_of(list->items[i]);
    if (v) *n = list->n;
    return v;
}

/* ---- states ---------------------------------------------------------------------------------------------- */

/* Returns PIOLA_NO_MEMORY, with its message, if that is why something could not be read; else PIOLA_OK: a page without
 * what is damaged says so, but it is not for want of memory that a page may lack something. */
static piola_status for_memory(piola_status rc, const piola_error *why, piola_error *error)
{
    if (rc != PIOLA_NO_MEMORY) return PIOLA_OK;
    if (error) *error = *why;
    return rc;
}

piola_status pio_report_open_states(const char *folder, const char *name, pio_report_states *out, piola_error *error)
{
    char path[PIO_PATH];
    piola_error why = {0};
    *out = (pio_report_states){0};
    out->absent = !pio_path_join(path, sizeof path, folder, name) || access(path, F_OK);
    if (out->absent) {
        snprintf(out->why, sizeof out->why, "The folder has no %s.", name);
        return PIOLA_OK;
    }
    const piola_status rc = pio_snapshot_open(&out->file, path, true, &why);
    if (rc)
        snprintf(out->why, sizeof out->why, "%s cannot be read: %.500s", name, why.message);
    else
        out->info = pio_snapshot_describe(out->file);
    return for_memory(rc, &why, error);
}

piola_status pio_report_read_steps(pio_report *r, piola_error *error)
{
    const pio_snapshot_info *info = r->history.info;
    pio_report_steps *s = &r->steps;
    piola_status rc = PIOLA_OK;
    if (!info || info->n_objectives < 1) return PIOLA_OK;
    s->n = (size_t)info->n_objectives;
    s->number = pio_pool_take(&r->pool, s->n * sizeof *s->number);
    s->objective = pio_pool_take(&r->pool, s->n * sizeof *s->objective);
    s->terms = pio_pool_take(&r->pool, (info->n_terms + 1) * sizeof *s->terms);
    if (!s->number || !s->objective || !s->terms) return pio_fail_memory(error, s->n * sizeof(double), "the history");
    for (size_t t = 0; t < info->n_terms; t++)
        if (!(s->terms[t] = pio_pool_take(&r->pool, s->n * sizeof **s->terms)))
            return pio_fail_memory(error, s->n * sizeof(double), "the history");
    for (size_t k = 0; !rc && k < s->n; k++) {
        s->number[k] = (double)k;
        rc = pio_snapshot_read_objective(r->history.file, (int64_t)k, NULL, &s->objective[k], error);
        for (size_t t = 0; !rc && t < info->n_terms; t++)
            rc = pio_snapshot_read_objective(r->history.file, (int64_t)k, info->terms[t], &s->terms[t][k], error);
    }
    return rc;
}

const double *pio_report_step(const pio_report *r, const char *term)
{
    for (size_t t = 0; r->steps.n && t < r->history.info->n_terms; t++)
        if (!strcmp(r->history.info->terms[t], term)) return r->steps.terms[t];
    return NULL;
}

/* ---- the folder ------------------------------------------------------------------------------------------ */

/* Reads a document of a file of states; one that cannot be read is not there. */
static piola_status read_document(pio_snapshot_file *from, pio_snapshot_document which, char **out, piola_error *error)
{
    piola_error why = {0};
    const piola_status rc = pio_snapshot_read_document(from, which, out, &why);
    if (rc) *out = NULL;
    return for_memory(rc, &why, error);
}

/* Reads the scene that a file of states holds. */
static piola_status read_scene(pio_report *r, piola_error *error)
{
    pio_snapshot_file *from = r->states.file ? r->states.file : r->history.file;
    if (!from) return PIOLA_OK;
    piola_status rc = read_document(from, PIO_SNAPSHOT_SCENE_RESOLVED, &r->resolved, error);
    if (!rc) rc = read_document(from, PIO_SNAPSHOT_SCENE, &r->verbatim, error);
    if (rc || !r->resolved || !*r->resolved) return rc;
    const cfg_file *file = pio_cfg_file(&r->scene_doc, "scene", r->resolved, strlen(r->resolved));
    const cfg_node *root = file ? pio_cfg_parse(&r->scene_doc, file, file->text, file->size, 0) : NULL;
    if (root && root->kind == CFG_PAIRS) r->scene = root;
    return !file || r->scene_doc.no_memory ? pio_fail_memory(error, strlen(r->resolved), "the scene") : PIOLA_OK;
}

/* Returns whether result.json at `path` is that of a command after the sweep, or of several starts: it is not the one
 * that the folder had when sweep.json was written. */
static bool is_later(const pio_report *r, const char *path)
{
    char list[PIO_PATH], sha256[PIO_SHA256_TEXT];
    cfg_doc doc;
    cfg_node *root = NULL;
    if (!pio_path_join(list, sizeof list, r->folder, "sweep.json")) return false;
    const bool sweep = !pio_cfg_json(&doc, list, "the list of a sweep", &root, NULL);
    const char *earlier = sweep ? pio_report_text(root, "earlier_result", "") : "";
    const bool later = !pio_sha256_of_file(path, sha256, NULL) && strcmp(earlier, sha256) != 0;
    pio_cfg_free(&doc);
    return later;
}

/* Reads the result in the folder of a sweep: that of an optimisation from several starts, or of a command after the
 * sweep. Returns whether there is one. */
static bool read_best(pio_report *r)
{
    char path[PIO_PATH];
    cfg_node *root = NULL;
    if (!pio_path_join(path, sizeof path, r->folder, "result.json") || access(path, F_OK)) return false;
    const bool best = is_later(r, path) && !pio_cfg_json(&r->result_doc, path, "the result of a command", &root, NULL);
    r->sweep = !best;
    if (best)
        r->result = root;
    else
        pio_cfg_free(&r->result_doc);
    return best;
}

static piola_status find_result(pio_report *r, piola_error *error)
{
    char path[PIO_PATH];
    struct stat about;
    cfg_node *root = NULL;
    const char *folder = r->folder;
    if (stat(folder, &about))
        return pio_fail(error, PIOLA_NO_INPUT, "cannot open the folder '%.1000s': %s", folder, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return pio_fail(error, PIOLA_NO_INPUT,
                        "'%.1000s' is no folder; the output folder of run, grad, check, optimize or sweep is right",
                        folder);
    r->sweep = pio_path_join(path, sizeof path, folder, "sweep.json") && !access(path, F_OK);
    if (r->sweep && read_best(r)) return PIOLA_OK;
    pio_path_join(path, sizeof path, folder, "sweep.json");
    if (!r->sweep && (!pio_path_join(path, sizeof path, folder, "result.json") || access(path, F_OK)))
        return pio_fail(error, PIOLA_NO_INPUT,
                        "'%.1000s' has neither result.json nor sweep.json: a run writes result.json when it ends; the "
                        "output folder of run, grad, check, optimize or sweep is right",
                        folder);
    const piola_status rc =
        pio_cfg_json(&r->result_doc, path, r->sweep ? "the list of a sweep" : "the result of a command", &root, error);
    r->result = root;
    return rc;
}

piola_status pio_report_open(pio_report **out, const char *folder, piola_error *error)
{
    pio_report *r = *out = calloc(1, sizeof *r);
    if (!r) return pio_fail_memory(error, sizeof *r, "a report");
    if (strlen(folder) > PIO_FOLDER_MOST)
        return pio_fail(error, PIOLA_NO_INPUT, "the name of the folder has more than %d bytes", PIO_FOLDER_MOST);
    strcpy(r->folder, folder);
    piola_status rc = find_result(r, error);
    if (rc || r->sweep) return rc;
    rc = pio_report_open_states(folder, "states.vtkhdf", &r->states, error);
    if (!rc) rc = pio_report_open_states(folder, "history.vtkhdf", &r->history, error);
    if (!rc) rc = read_scene(r, error);
    return rc ? rc : pio_report_read_steps(r, error);
}

void pio_report_free(pio_report *r)
{
    if (!r) return;
    for (size_t i = 0; i < r->n_pictures; i++) free(r->pictures[i].bytes);
    free(r->pictures);
    free(r->resolved);
    free(r->verbatim);
    pio_snapshot_close(r->states.file);
    pio_snapshot_close(r->history.file);
    pio_cfg_free(&r->result_doc);
    pio_cfg_free(&r->scene_doc);
    pio_pool_free(&r->pool);
    free(r);
}

const pio_snapshot_info *pio_report_snapshot(const pio_report *r, bool history)
{
    return history ? r->history.info : r->states.info;
}

const char *pio_report_command(const pio_report *r)
{
    return r->sweep ? "sweep" : pio_report_text(r->result, "command", "");
}

bool pio_report_linear(const pio_report *r)
{
    const cfg_node *materials = pio_report_get(r->scene, "materials");
    bool linear = materials && materials->kind == CFG_SEQUENCE && materials->n;
    for (size_t i = 0; linear && i < materials->n; i++)
        linear = !strcmp(pio_report_text(materials->items[i], "model", ""), "linear");
    return linear || !strcmp(pio_report_text(pio_report_get(r->scene, "time"), "integrator", ""), "modal");
}

bool pio_report_has_empty(const pio_report *r, bool alone)
{
    const cfg_node *bodies = pio_report_get(r->scene, "bodies"), *method = pio_report_get(r->scene, "method");
    bool empty = pio_report_number(method, "dimension") > 2 && bodies && bodies->kind == CFG_SEQUENCE;
    if (!empty || (alone && bodies->n > 1)) return false;
    for (size_t i = 0; i < bodies->n; i++)
        empty = empty && !pio_report_get(pio_report_get(bodies->items[i], "interpolation"), "other");
    return empty;
}

bool pio_report_add(pio_report *r, const pio_report_picture *picture)
{
    pio_report_picture *all = realloc(r->pictures, (r->n_pictures + 1) * sizeof *all);
    if (!all) return false;
    r->pictures = all;
    all[r->n_pictures++] = *picture;
    return true;
}
