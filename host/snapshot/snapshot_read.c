/* snapshot_read.c -- the reader in the child process: reads the description of a file. */
#include "host/snapshot/snapshot_checked.h"
#include "host/base/fail.h"
#include "host/snapshot/snapshot_pack.h"
#include "host/snapshot/snapshot_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ------------------------------------------------------------------------------------------- */

/* Returns whether the name has ".partial": a run that was killed just before it wrote the checksums leaves such a file.
 */
static bool is_partial(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strstr(slash ? slash : path, ".partial") != NULL;
}

/* Finds the integrity of the bytes; `summed`: the file has checksums when it is finished. */
static void find_integrity(pio_checked_file *f, bool summed)
{
    pio_snapshot_info *info = &f->info;
    if (f->digest)
        info->integrity = PIO_SNAPSHOT_VERIFIED;
    else if (!f->verify)
        info->integrity = PIO_SNAPSHOT_SKIPPED;
    else if (!summed)
        info->integrity = PIO_SNAPSHOT_EARLIER;
    else if (!info->complete || is_partial(f->path))
        info->integrity = PIO_SNAPSHOT_CUT_OFF;
    else
        (void)pio_checked_fail(f,
                               "damaged: it was finished, and the checksums at its end are missing: it was cut off or "
                               "changed since; take a copy that is whole, or run again");
}

/* Reads /piola and its attributes of the whole file. */
static void read_header(pio_checked_file *f)
{
    pio_snapshot_info *info = &f->info;
    int64_t complete = 0, dimension = 0;
    if (H5Lexists(f->file, "piola", H5P_DEFAULT) <= 0) {
        (void)pio_checked_fail(f, "HDF5, but not of the requested kind: there is no group 'piola' in it; the "
                                  "files that Piola writes for this are states.vtkhdf and history.vtkhdf");
        return;
    }
    hid_t root = pio_checked_open_member(f, f->file, "piola", H5I_GROUP);
    if (root < 0) return;
    char *layout = pio_checked_text(f, root, "layout");
    if (layout && strcmp(layout, PIO_SNAPSHOT_LAYOUT) != 0)
        (void)pio_checked_fail(f, "layout '%.40s' is unknown; this program reads " PIO_SNAPSHOT_LAYOUT, layout);
    free(layout);
    int kind = pio_checked_choice(f, root, "kind", pio_snapshot_kind_words, PIO_SNAPSHOT_KINDS),
        precision = pio_checked_choice(f, root, "precision", pio_snapshot_precision_words, PIO_SNAPSHOT_PRECISIONS);
    (void)pio_checked_int(f, root, "complete", 0, 1, &complete);
    (void)pio_checked_int(f, root, "dimension", 2, 3, &dimension);
    (void)pio_checked_int(f, root, "n_points", 1, f->bytes * PIO_CHECKED_RATIO, &info->n_points);
    if (f->status == PIOLA_OK && H5Aexists(root, "n_cells") > 0)
        (void)pio_checked_int(f, root, "n_cells", 1, f->bytes * PIO_CHECKED_RATIO, &info->n_cells);
    if (f->status == PIOLA_OK && info->n_cells && H5Aexists(root, "n_integration_points") > 0)
        (void)pio_checked_int(f, root, "n_integration_points", 1, f->bytes * PIO_CHECKED_RATIO, &info->n_integration);
    const bool summed = f->status == PIOLA_OK && H5Aexists(root, "checksums") > 0;
    pio_checked_close(root);
    if (f->status != PIOLA_OK) return;
    info->kind = (pio_snapshot_kind)kind;
    info->precision = (pio_snapshot_precision)precision;
    info->complete = complete == 1;
    info->dimension = (int)dimension;
    find_integrity(f, summed);
}

static void read_times(pio_checked_file *f)
{
    pio_snapshot_info *info = &f->info;
    pio_checked_array d = {.id = -1};
    hid_t steps = pio_checked_path(f, "VTKHDF", "Steps");
    if (steps < 0) return;
    if (pio_checked_int(f, steps, "NSteps", 0, f->bytes / 8, &info->n_frames) && info->n_frames > 0 &&
        pio_checked_data(f, steps, "Values", &d)) {
        info->times = pio_checked_alloc(f, (size_t)info->n_frames, sizeof *info->times);
        bool ok = info->times && (d.rank == 1 || pio_checked_fail(f, "'Values' is no list")) &&
                  pio_checked_fits(f, &d, "Values", info->n_frames) &&
                  pio_checked_rows(f, &d, "Values", (pio_checked_block){0, info->n_frames, -1}, H5T_NATIVE_DOUBLE,
                                   info->times);
        for (int64_t k = 0; k < info->n_frames && ok; k++)
            if (!isfinite(info->times[k]) || (k > 0 && !(info->times[k] > info->times[k - 1])))
                ok = pio_checked_fail(f, "the time of frame %lld does not lie after the one before", (long long)k);
    }
    pio_checked_close(d.id);
    pio_checked_close(steps);
}

/* Reads one field of PointData, CellData or FieldData: attributes and shape. */
static bool read_field_info(pio_checked_file *f, hid_t group, const char *name, pio_snapshot_field_info *v)
{
    pio_checked_array d;
    int64_t components = 0;
    if (!pio_snapshot_is_name(name)) return pio_checked_fail(f, "a field with an impossible name");
    if (!pio_checked_data(f, group, name, &d)) return false;
    v->units = pio_checked_text(f, d.id, "units");
    v->meaning = pio_checked_text(f, d.id, "meaning");
    v->of = pio_checked_optional(f, d.id, "of");
    v->objective = pio_checked_optional(f, d.id, "objective");
    int when = pio_checked_choice(f, d.id, "when", pio_snapshot_when_words, PIO_SNAPSHOT_WHENS);
    (void)pio_checked_int(f, d.id, "components", 1, 9, &components);
    v->rows = pio_snapshot_info_rows(&f->info, v->location);
    int64_t rows = v->rows * (when == PIO_SNAPSHOT_STATIC ? 1 : f->info.n_frames);
    if (f->status == PIOLA_OK && (d.rank < 1 || d.rank > 2 || (d.rank == 2 && (d.dims[1] < 2 || d.dims[1] > 9)) ||
                                  d.dims[0] < (hsize_t)rows || (int64_t)(d.rank == 2 ? d.dims[1] : 1) < components))
        (void)pio_checked_fail(f, "field '%s' does not have %lld rows of its components", name, (long long)rows);
    if (f->status == PIOLA_OK) (void)pio_checked_fits(f, &d, name, rows);
    v->components = (int)components;
    v->stored = d.rank == 2 ? (int)d.dims[1] : 1;
    v->when = (pio_snapshot_when)when;
    v->integer = d.integer;
    pio_checked_close(d.id);
    return f->status == PIOLA_OK;
}

static void read_fields_at(pio_checked_file *f, pio_snapshot_location location)
{
    pio_snapshot_info *info = &f->info;
    hid_t group = pio_checked_path(f, "VTKHDF", pio_checked_data_group[location]);
    size_t n = 0, before = info->n_fields;
    char **names = group >= 0 ? pio_checked_members(f, group, &n) : NULL;
    pio_snapshot_field_info *all = NULL;
    if (names && f->status == PIOLA_OK) all = realloc(info->fields, (before + n + 1) * sizeof *all);
    if (names && f->status == PIOLA_OK && !all) (void)pio_checked_no_memory(f, (before + n + 1) * sizeof *all);
    if (all) info->fields = all;
    for (size_t i = 0; all && i < n && f->status == PIOLA_OK; i++) {
        for (size_t k = 0; k < before; k++)
            if (!strcmp(all[k].name, names[i])) (void)pio_checked_fail(f, "two fields are called '%.63s'", names[i]);
        all[info->n_fields] = (pio_snapshot_field_info){.name = names[i], .location = location};
        names[i] = NULL;
        info->n_fields++;
        if (f->status == PIOLA_OK) (void)read_field_info(f, group, all[before + i].name, &all[before + i]);
    }
    if (names) pio_checked_free_names(names, n);
    pio_checked_close(group);
}

static void read_fields(pio_checked_file *f)
{
    const pio_snapshot_info *info = &f->info;
    int64_t most = info->n_cells > info->n_points ? info->n_cells : info->n_points;
    if (info->n_integration > most) most = info->n_integration;
    if (f->status == PIOLA_OK && info->n_frames > 0 && most > INT64_MAX / 128 / info->n_frames)
        (void)pio_checked_fail(f, "more rows than 64 bits count");
    read_fields_at(f, PIO_SNAPSHOT_POINT);
    if (info->n_cells) read_fields_at(f, PIO_SNAPSHOT_CELL);
    if (info->n_integration) read_fields_at(f, PIO_SNAPSHOT_INTEGRATION);
}

/* Reads /VTKHDF: an unstructured grid of n_points points and, in a mesh, n_cells cells, which must have room for the
 * frames. */
static void read_grid(pio_checked_file *f)
{
    const pio_snapshot_info *info = &f->info;
    int64_t points = 0;
    pio_checked_array d = {.id = -1};
    hid_t vtk = pio_checked_open_member(f, f->file, "VTKHDF", H5I_GROUP);
    char *type = vtk >= 0 ? pio_checked_text(f, vtk, "Type") : NULL;
    if (type && strcmp(type, "UnstructuredGrid") != 0) (void)pio_checked_fail(f, "the grid is a '%.40s'", type);
    free(type);
    if (vtk >= 0 && pio_checked_offset(f, vtk, "NumberOfPoints", 0, &points) && points != info->n_points)
        (void)pio_checked_fail(f, "%lld points here and %lld there", (long long)points, (long long)info->n_points);
    if (vtk >= 0 && info->n_frames > 0 && pio_checked_data(f, vtk, "Points", &d)) {
        if (d.rank != 2 || d.dims[1] != 3)
            (void)pio_checked_fail(f, "'Points' is not [rows, 3]");
        else
            (void)pio_checked_fits(f, &d, "Points", info->n_points);
    }
    if (vtk >= 0) pio_checked_mesh(f, vtk);
    pio_checked_close(d.id);
    pio_checked_close(vtk);
}

/* Reads one attribute of the manifest, as H5Aiterate2 requires: 0 continues, -1 stops. */
static herr_t read_pair(hid_t manifest, const char *key, const H5A_info_t *unused, void *data)
{
    (void)unused;
    pio_checked_file *f = data;
    pio_snapshot_info *info = &f->info;
    pio_snapshot_text *grown = realloc(info->pairs, (info->n_pairs + 1) * sizeof *grown);
    if (!grown) return pio_checked_no_memory(f, sizeof *grown) ? 0 : -1;
    info->pairs = grown;
    grown[info->n_pairs] = (pio_snapshot_text){strdup(key), pio_checked_text(f, manifest, key)};
    if (!grown[info->n_pairs++].key) (void)pio_checked_no_memory(f, strlen(key));
    return f->status == PIOLA_OK ? 0 : -1;
}

static void read_pairs(pio_checked_file *f)
{
    hid_t manifest = pio_checked_path(f, "piola", "manifest");
    hsize_t at = 0;
    if (manifest >= 0 && H5Aiterate2(manifest, H5_INDEX_NAME, H5_ITER_INC, &at, read_pair, f) < 0)
        (void)pio_checked_fail(f, "the manifest cannot be read");
    pio_checked_close(manifest);
}

/* Reads shape and rows of value and grad, which must agree. */
static void read_gradient_info(pio_checked_file *f, hid_t all, pio_snapshot_gradient_info *g)
{
    const bool history = f->info.kind == PIO_SNAPSHOT_HISTORY;
    static const char *const names[] = {"value", "grad"};
    hid_t group = pio_checked_open_member(f, all, g->path, H5I_GROUP);
    g->iterations = 1;
    if (group >= 0 && history) (void)pio_checked_int(f, group, "iterations", 0, f->bytes, &g->iterations);
    for (int i = 0; i < 2 && group >= 0; i++) {
        pio_checked_array d;
        if (!pio_checked_data(f, group, names[i], &d)) break;
        *(i ? &g->grad_units : &g->units) = pio_checked_text(f, d.id, "units");
        int rank = d.rank - history;
        bool same = rank >= 0 && rank <= PIO_SNAPSHOT_MAX_RANK && (i == 0 || rank == g->rank);
        if (i == 0) g->rank = rank;
        for (int a = 0; a < rank && same; a++) {
            if (i == 0) g->shape[a] = (int64_t)d.dims[a + history];
            same = d.dims[a + history] > 0 && g->shape[a] == (int64_t)d.dims[a + history];
        }
        int64_t rows = history ? g->iterations : rank ? g->shape[0] : 1;
        if (!same || (d.rank && d.dims[0] < (hsize_t)rows))
            (void)pio_checked_fail(f, "gradient '%.80s' has no clear shape", g->path);
        else
            (void)pio_checked_fits(f, &d, names[i], rows);
        pio_checked_close(d.id);
    }
    g->size = 1;
    /* the file holds it, so it is small */
    for (int a = 0; a < g->rank && f->status == PIOLA_OK; a++) g->size *= g->shape[a];
    pio_checked_close(group);
}

/* Returns whether a result is kept. A file that was not finished may end within a result, which is then left out. */
static bool keep_result(pio_checked_file *f)
{
    if (f->status == PIOLA_OK) return true;
    if (!f->info.complete && f->status == PIOLA_BAD_DATA) {
        f->status = PIOLA_OK;
        f->log.cause[0] = 0;
    }
    return false;
}

static void free_gradient(pio_snapshot_gradient_info *g)
{
    free(g->path);
    free(g->units);
    free(g->grad_units);
    *g = (pio_snapshot_gradient_info){.path = NULL};
}

static void read_gradients(pio_checked_file *f)
{
    pio_snapshot_info *info = &f->info;
    hid_t all = pio_checked_path(f, "piola", "gradient");
    size_t n = 0;
    char **names = all >= 0 ? pio_checked_members(f, all, &n) : NULL;
    if (names && f->status == PIOLA_OK) info->gradients = pio_checked_alloc(f, n, sizeof *info->gradients);
    for (size_t i = 0; info->gradients && i < n && f->status == PIOLA_OK; i++) {
        pio_snapshot_gradient_info *g = &info->gradients[info->n_gradients];
        g->path = names[i];
        names[i] = NULL;
        read_gradient_info(f, all, g);
        if (keep_result(f))
            info->n_gradients++;
        else
            free_gradient(g);
    }
    if (names) pio_checked_free_names(names, n);
    pio_checked_close(all);
}

/* Reads the rows of the objective, and its terms. */
static void read_objective_info(pio_checked_file *f)
{
    pio_snapshot_info *info = &f->info;
    const bool history = info->kind == PIO_SNAPSHOT_HISTORY;
    hid_t group = pio_checked_path(f, "piola", "objective");
    if (group < 0) return;
    info->objective = pio_checked_text(f, group, "name");
    bool there = f->status == PIOLA_OK && H5Lexists(group, "value", H5P_DEFAULT) > 0;
    if (there && !history) info->n_objectives = 1;
    if (there && history) (void)pio_checked_int(f, group, "iterations", 0, f->bytes, &info->n_objectives);
    hid_t terms = there ? pio_checked_open_member(f, group, "terms", H5I_GROUP) : -1;
    if (terms >= 0) info->terms = pio_checked_members(f, terms, &info->n_terms);
    if (!keep_result(f)) info->n_objectives = 0;
    pio_checked_close(terms);
    pio_checked_close(group);
}

piola_status pio_checked_read_all(pio_checked_file *f, piola_error *error)
{
    pio_h5_handler handler = pio_checked_begin(f, error);
    if (!pio_checked_open(f)) return pio_checked_end(f, handler);
    read_header(f);
    read_times(f);
    pio_checked_frame_sums(f);
    read_grid(f);
    read_fields(f);
    read_pairs(f);
    read_gradients(f);
    read_objective_info(f);
    return pio_checked_end(f, handler);
}
