/* snapshot_serve.c -- the reader in the child process: answers with arrays of a snapshot, as doubles. */
#include "host/snapshot/snapshot_checked.h"
#include "host/snapshot/snapshot_pack.h"

#include <stdlib.h>
#include <string.h>

/* ---- arrays --------------------------------------------------------------------------------------------- */

/* Returns the checksum of a frame or, if it has none, of the whole array. */
static int64_t sum_of(pio_checked_file *f, hid_t dataset, const char *column, int64_t frame)
{
    const int64_t sum = pio_checked_sum_of_frame(f, column, frame);
    return sum >= 0 ? sum : pio_checked_sum(f, dataset);
}

/* Returns the checksum of a row of a history, or of the whole array; `group` has the table, in which `column` is the
 * array's. */
static int64_t sum_of_result(pio_checked_file *f, hid_t dataset, hid_t group, int64_t row, int64_t column)
{
    return f->info.kind == PIO_SNAPSHOT_HISTORY ? pio_checked_sum_of_row(f, group, row, column)
                                                : pio_checked_sum(f, dataset);
}

static void read_points(pio_checked_file *f, int64_t frame, double *out)
{
    int64_t first = 0;
    pio_checked_array d = {.id = -1};
    hid_t steps = pio_checked_path(f, "VTKHDF", "Steps");
    hid_t vtk = steps >= 0 ? pio_checked_open_member(f, f->file, "VTKHDF", H5I_GROUP) : -1;
    if (vtk >= 0 && pio_checked_offset(f, steps, "PointOffsets", frame, &first) &&
        pio_checked_data(f, vtk, "Points", &d)) {
        if (d.rank != 2 || d.dims[1] != 3)
            (void)pio_checked_fail(f, "'Points' is not [rows, 3]");
        else
            (void)pio_checked_rows(f, &d, "Points",
                                   (pio_checked_block){first, f->info.n_points, sum_of(f, d.id, "Points", frame)},
                                   H5T_NATIVE_DOUBLE, out);
    }
    pio_checked_close(d.id);
    pio_checked_close(steps);
    pio_checked_close(vtk);
}

static void read_field(pio_checked_file *f, const pio_snapshot_field_info *v, int64_t frame, double *out)
{
    static const char *const offset_groups[] = {"PointDataOffsets", "CellDataOffsets", "FieldDataOffsets"};
    int64_t first = 0;
    pio_checked_array d = {.id = -1};
    hid_t data = pio_checked_path(f, "VTKHDF", pio_checked_data_group[v->location]), steps = -1, offsets = -1;
    if (v->when != PIO_SNAPSHOT_STATIC) {
        steps = pio_checked_path(f, "VTKHDF", "Steps");
        offsets = steps >= 0 ? pio_checked_open_member(f, steps, offset_groups[v->location], H5I_GROUP) : -1;
        if (offsets >= 0) (void)pio_checked_offset(f, offsets, v->name, frame, &first);
    }
    if (data >= 0 && pio_checked_data(f, data, v->name, &d)) {
        if ((int)(d.rank == 2 ? d.dims[1] : 1) != v->stored)
            (void)pio_checked_fail(f, "field '%s' has changed its shape", v->name);
        else
            (void)pio_checked_rows(
                f, &d, v->name,
                (pio_checked_block){first, v->rows,
                                    sum_of(f, d.id, v->when == PIO_SNAPSHOT_STATIC ? "" : v->name, frame)},
                H5T_NATIVE_DOUBLE, out);
    }
    pio_checked_close(d.id);
    pio_checked_close(data);
    pio_checked_close(offsets);
    pio_checked_close(steps);
}

static void read_gradient(pio_checked_file *f, const pio_snapshot_gradient_info *g, int64_t iteration, bool grad,
                          double *out)
{
    const char *name = grad ? "grad" : "value";
    pio_checked_array d = {.id = -1};
    hid_t all = pio_checked_path(f, "piola", "gradient");
    hid_t group = all >= 0 ? pio_checked_open_member(f, all, g->path, H5I_GROUP) : -1;
    if (group >= 0 && pio_checked_data(f, group, name, &d)) {
        const int64_t rows = f->info.kind == PIO_SNAPSHOT_HISTORY || !d.rank ? 1 : (int64_t)d.dims[0];
        double size = (double)rows;
        for (int a = 1; a < d.rank; a++) size *= (double)d.dims[a];
        if (size < (double)g->size || size > (double)g->size)
            (void)pio_checked_fail(f, "gradient '%.80s' has changed its shape", g->path);
        else
            (void)pio_checked_rows(f, &d, name,
                                   (pio_checked_block){iteration, rows, sum_of_result(f, d.id, group, iteration, grad)},
                                   H5T_NATIVE_DOUBLE, out);
    }
    pio_checked_close(d.id);
    pio_checked_close(group);
    pio_checked_close(all);
}

/* Reads the objective, or term number `which`. */
static void read_objective(pio_checked_file *f, int64_t which, int64_t iteration, double *out)
{
    const char *term = which < 0 ? NULL : f->info.terms[which], *name = term ? term : "value";
    const int64_t place = which + 1;
    const int rank = f->info.kind == PIO_SNAPSHOT_HISTORY;
    pio_checked_array d = {.id = -1};
    hid_t objective = pio_checked_path(f, "piola", "objective");
    hid_t group = objective >= 0 && term ? pio_checked_open_member(f, objective, "terms", H5I_GROUP) : objective;
    if (group >= 0 && pio_checked_data(f, group, name, &d)) {
        if (d.rank != rank)
            (void)pio_checked_fail(f, "'%.80s' has %d axes, not %d", name, d.rank, rank);
        else
            (void)pio_checked_rows(
                f, &d, name, (pio_checked_block){iteration, 1, sum_of_result(f, d.id, objective, iteration, place)},
                H5T_NATIVE_DOUBLE, out);
    }
    pio_checked_close(d.id);
    if (term) pio_checked_close(group);
    pio_checked_close(objective);
}

static char *read_document(pio_checked_file *f, pio_snapshot_document which)
{
    static const char *const places[][2] = {
        {"scene", "verbatim"}, {"scene", "resolved"}, {"manifest", "json"}, {"certificate", "json"}};
    const char *name = places[which][1];
    char *out = NULL;
    hid_t group = pio_checked_path(f, "piola", places[which][0]), id = -1, type = -1, space = -1;
    bool absent = which == PIO_SNAPSHOT_CERTIFICATE && group >= 0 && H5Lexists(group, "json", H5P_DEFAULT) == 0;
    if (absent)
        out = pio_checked_alloc(f, 1, 1);
    else if (group >= 0)
        id = pio_checked_open_member(f, group, name, H5I_DATASET);
    if (id >= 0) {
        type = H5Dget_type(id);
        space = H5Dget_space(id);
        bool text = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
        if (!pio_checked_is_local(f, id, name) || !text || space < 0 || H5Sget_simple_extent_npoints(space) != 1)
            (void)pio_checked_fail(f, "'%s' is no text", name);
        else
            out = pio_checked_fixed_text(f, id, type, true, f->bytes, name);
    }
    if (space >= 0) (void)H5Sclose(space);
    if (type >= 0) (void)H5Tclose(type);
    pio_checked_close(id);
    pio_checked_close(group);
    return out;
}

/* Reads one list of the mesh; types and offsets are read with it, as they must fit together. */
static void *read_mesh(pio_checked_file *f, int64_t list, size_t *bytes)
{
    const pio_snapshot_info *info = &f->info;
    const size_t cells = (size_t)info->n_cells, nodes = (size_t)info->n_connectivity;
    void *lists[3] = {pio_checked_alloc(f, cells, 1), pio_checked_alloc(f, cells + 1, 8), NULL};
    const size_t sizes[3] = {cells, 8 * (cells + 1), 8 * nodes};
    if (list == 2) lists[2] = pio_checked_alloc(f, nodes, 8);
    if (f->status == PIOLA_OK) (void)pio_checked_cells(f, lists[0], lists[1], lists[2]);
    for (int i = 0; i < 3; i++)
        if (i != list) free(lists[i]);
    *bytes = sizes[list];
    return lists[list];
}

/* ---- requests ------------------------------------------------------------------------------------------- */

/* Reads `rows` rows of `width` doubles with one of the functions above. */
static void *read_array(pio_checked_file *f, const pio_checked_request *r, int64_t rows, int width, size_t *bytes)
{
    const pio_snapshot_info *info = &f->info;
    double *out = pio_checked_alloc(f, (size_t)rows * (size_t)width, sizeof *out);
    *bytes = (size_t)rows * (size_t)width * sizeof *out;
    if (!out) return NULL;
    if (r->what == PIO_REQUEST_POINTS)
        read_points(f, r->frame, out);
    else if (r->what == PIO_REQUEST_FIELD)
        read_field(f, &info->fields[r->which], r->frame, out);
    else if (r->what == PIO_REQUEST_GRADIENT)
        read_gradient(f, &info->gradients[r->which], r->frame, r->part, out);
    else
        read_objective(f, r->which, r->frame, out);
    return out;
}

static void *answer_to(pio_checked_file *f, const pio_checked_request *r, size_t *bytes)
{
    const pio_snapshot_info *info = &f->info;
    switch (r->what) {
    case PIO_REQUEST_POINTS:
        return read_array(f, r, info->n_points, 3, bytes);
    case PIO_REQUEST_FIELD:
        return read_array(f, r, info->fields[r->which].rows, info->fields[r->which].stored, bytes);
    case PIO_REQUEST_GRADIENT:
        return read_array(f, r, info->gradients[r->which].size, 1, bytes);
    case PIO_REQUEST_OBJECTIVE:
        return read_array(f, r, 1, 1, bytes);
    case PIO_REQUEST_MESH:
        return read_mesh(f, r->which, bytes);
    case PIO_REQUEST_DOCUMENT:
        break;
    }
    char *text = read_document(f, (pio_snapshot_document)r->which);
    *bytes = text ? strlen(text) : 0;
    return text;
}

void pio_checked_serve(pio_guard *guard, void *context)
{
    pio_checked_file *f = context;
    piola_error error = {.status = PIOLA_OK};
    pio_checked_request request;
    char *packed = NULL;
    size_t bytes = 0;
    piola_status rc = pio_checked_read_all(f, &error);
    if (!rc && !pio_snapshot_pack(&f->info, &packed, &bytes))
        rc = pio_fail_memory(&error, bytes, "what a snapshot holds");
    if (!pio_guard_request(guard, &request, sizeof request)) return;
    pio_guard_answer(guard, rc, &error, packed, bytes);
    free(packed);
    while (!rc && pio_guard_request(guard, &request, sizeof request)) {
        pio_h5_handler handler = pio_checked_begin(f, &error);
        void *data = answer_to(f, &request, &bytes);
        const piola_status status = pio_checked_end(f, handler);
        pio_guard_answer(guard, status, &error, data, bytes);
        free(data);
    }
}
