/* snapshot_mesh.c -- the cells of a snapshot: types, rules, writing and reading. */
#include "host/snapshot/snapshot_checked.h"
#include "host/base/crc32c.h"
#include "host/base/fail.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 20 }; /* rows of the topology that are written or read at once */

/* ---- kinds of cells ------------------------------------------------------------------------------------ */

typedef struct {
    int type, nodes, dimension;
    const char *name;
} cell_kind;

static const cell_kind kinds[] = {{PIO_CELL_TRI3, 3, 2, "triangles"},
                                  {PIO_CELL_TRI6, 6, 2, "6-node triangles"},
                                  {PIO_CELL_QUAD4, 4, 2, "quadrangles"},
                                  {PIO_CELL_QUAD8, 8, 2, "8-node quadrangles"},
                                  {PIO_CELL_QUAD9, 9, 2, "9-node quadrangles"},
                                  {PIO_CELL_TET4, 4, 3, "tetrahedra"},
                                  {PIO_CELL_TET10, 10, 3, "10-node tetrahedra"},
                                  {PIO_CELL_HEX8, 8, 3, "hexahedra"},
                                  {PIO_CELL_HEX20, 20, 3, "20-node hexahedra"},
                                  {PIO_CELL_HEX27, 27, 3, "27-node hexahedra"}};

static const cell_kind *kind_of(int type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type) return &kinds[i];
    return NULL;
}

int pio_cell_nodes(int type)
{
    const cell_kind *k = kind_of(type);
    return k ? k->nodes : 0;
}

const char *pio_cell_name(int type)
{
    const cell_kind *k = kind_of(type);
    return k ? k->name : NULL;
}

/* ---- rules --------------------------------------------------------------------------------------------- */

/* Checks the cells [first, first + n) of a mesh; offsets are those of these cells, [n + 1]. Returns the number of the
 * first invalid cell, with the reason, or -1. */
static int64_t wrong_cell(const uint8_t *types, const int64_t *offsets, int64_t first, int64_t n, int dimension,
                          const char **reason)
{
    for (int64_t c = 0; c < n; c++) {
        const cell_kind *k = kind_of(types[c]);
        *reason = NULL;
        if (!k)
            *reason = "a cell of a type that does not exist";
        else if (k->dimension > dimension)
            *reason = "a cell of three dimensions in a plane mesh";
        else if (offsets[c + 1] != offsets[c] + k->nodes)
            *reason = "the offsets do not rise by its number of nodes";
        if (*reason) return first + c;
    }
    return -1;
}

/* Returns the first entry that is not a point, or -1. */
static int64_t wrong_node(const int64_t *connectivity, int64_t n, int64_t n_points)
{
    for (int64_t i = 0; i < n; i++)
        if (connectivity[i] < 0 || connectivity[i] >= n_points) return i;
    return -1;
}

static bool has_displacement(const pio_snapshot_def *def)
{
    for (size_t i = 0; i < def->n_fields; i++) {
        const pio_snapshot_field *f = &def->fields[i];
        if (!strcmp(f->name, "displacement"))
            return f->components == def->dimension && f->when == PIO_SNAPSHOT_FRAME && !f->integer &&
                   f->location == PIO_SNAPSHOT_POINT && f->units && !strcmp(f->units, "m");
    }
    return def->kind == PIO_SNAPSHOT_HISTORY;
}

piola_status pio_snapshot_check_mesh(const pio_snapshot_def *def, piola_error *error)
{
    const pio_snapshot_mesh *m = def->mesh;
    const char *wrong = NULL;
    if (m->n_cells < 1 || m->n_cells > INT64_MAX / (int64_t)(72 * (def->n_fields + 16)))
        wrong = "there must be at least one cell, and not too many for 64-bit sizes";
    else if (!m->types || !m->offsets || !m->connectivity)
        wrong = "a list of the mesh is NULL";
    else if (m->offsets[0] != 0)
        wrong = "the offsets must begin with 0";
    else if (!has_displacement(def))
        wrong = "a mesh needs the field 'displacement' in m, of points, of every frame, one component per dimension";
    if (wrong) return pio_fail(error, PIOLA_INTERNAL, "%s: %s", def->path, wrong);
    const int64_t cell = wrong_cell(m->types, m->offsets, 0, m->n_cells, def->dimension, &wrong);
    if (cell >= 0)
        return pio_fail(error, PIOLA_INTERNAL, "%s: cell %lld of type %d: %s", def->path, (long long)cell,
                        m->types[cell], wrong);
    const int64_t at = wrong_node(m->connectivity, m->offsets[m->n_cells], def->n_points);
    if (at >= 0)
        return pio_fail(error, PIOLA_INTERNAL, "%s: entry %lld of the connectivity is %lld: there are %lld points",
                        def->path, (long long)at, (long long)m->connectivity[at], (long long)def->n_points);
    return PIOLA_OK;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

/* Writes a list of `values` (int64, or uint8 if `types`); if they are NULL, of 0, 1, ..., or VTK_VERTEX = 1, made in
 * `buffer`. */
static bool write_list(pio_h5_log *log, hid_t vtk, const char *name, const void *values, int64_t n, bool types,
                       void *buffer)
{
    hsize_t rows = (hsize_t)n, block = n < BLOCK ? rows : BLOCK;
    pio_h5_shape shape = {.type = types ? H5T_STD_U8LE : H5T_STD_I64LE, .rank = 1, .dims = {rows}, .chunk = {block}};
    shape.deflate = true;
    hid_t id = pio_h5_dataset(log, vtk, name, &shape);
    const size_t size = types ? 1 : sizeof(int64_t);
    uint32_t sum = 0;
    bool ok = id >= 0;
    for (int64_t at = 0; at < n && ok; at += BLOCK) {
        int64_t count = n - at < BLOCK ? n - at : BLOCK;
        const char *from = values ? (const char *)values + at * (int64_t)size : buffer;
        if (!values && types) memset(buffer, 1, (size_t)count);
        for (int64_t i = 0; !values && !types && i < count; i++) ((int64_t *)buffer)[i] = at + i;
        ok = pio_h5_write_rows(log, id, at, count, types ? H5T_NATIVE_UINT8 : H5T_NATIVE_INT64, from);
        sum = pio_crc32c(sum, from, (size_t)count * size);
    }
    ok = ok && pio_h5_attr_int(log, id, PIO_SNAPSHOT_SUM, (int64_t)sum);
    return id >= 0 && pio_h5_ok(log, H5Dclose(id)) && ok;
}

bool pio_snapshot_write_cells(pio_h5_log *log, hid_t vtk, const pio_snapshot_mesh *mesh, int64_t n)
{
    static const char *const names[] = {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"};
    const int64_t cells = mesh ? mesh->n_cells : n, nodes = mesh ? mesh->offsets[cells] : n;
    const int64_t counts[] = {n, cells, nodes};
    bool ok = true;
    for (size_t i = 0; i < 3 && ok; i++) {
        pio_h5_shape shape = {.type = H5T_STD_I64LE, .rank = 1, .dims = {1}};
        hid_t id = pio_h5_dataset(log, vtk, names[i], &shape);
        ok = id >= 0 && pio_h5_write_rows(log, id, 0, 1, H5T_NATIVE_INT64, &counts[i]) && pio_h5_ok(log, H5Dclose(id));
    }
    int64_t *buffer = malloc(BLOCK * sizeof *buffer);
    ok = ok && buffer && write_list(log, vtk, "Connectivity", mesh ? mesh->connectivity : NULL, nodes, false, buffer) &&
         write_list(log, vtk, "Offsets", mesh ? mesh->offsets : NULL, cells + 1, false, buffer) &&
         write_list(log, vtk, "Types", mesh ? mesh->types : NULL, cells, true, buffer);
    free(buffer);
    return ok;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* Reads a list of `rows` integers that the file can hold; `out` is NULL for a list that is only checked. */
static bool read_list(pio_checked_file *f, hid_t vtk, const char *name, int64_t rows, hid_t memory, void *out)
{
    pio_checked_array d;
    if (!pio_checked_data(f, vtk, name, &d)) return false;
    bool ok = (d.integer && d.rank == 1 && d.dims[0] == (hsize_t)rows) ||
              pio_checked_fail(f, "'%s' is no list of %lld whole numbers", name, (long long)rows);
    ok = ok && pio_checked_fits(f, &d, name, rows);
    if (ok && out)
        ok = pio_checked_rows(f, &d, name, (pio_checked_block){0, rows, pio_checked_sum(f, d.id)}, memory, out);
    pio_checked_close(d.id);
    return ok;
}

void pio_checked_mesh(pio_checked_file *f, hid_t vtk)
{
    pio_snapshot_info *info = &f->info;
    int64_t cells = 0;
    if (!info->n_cells || !pio_checked_offset(f, vtk, "NumberOfCells", 0, &cells)) return;
    if (cells != info->n_cells)
        (void)pio_checked_fail(f, "NumberOfCells is %lld, and n_cells %lld", (long long)cells,
                               (long long)info->n_cells);
    if (pio_checked_offset(f, vtk, "NumberOfConnectivityIds", 0, &info->n_connectivity) &&
        (info->n_connectivity < 3 * cells || info->n_connectivity > 27 * cells))
        (void)pio_checked_fail(f, "NumberOfConnectivityIds is %lld for %lld cells", (long long)info->n_connectivity,
                               (long long)cells);
    if (f->status != PIOLA_OK) return;
    (void)(read_list(f, vtk, "Types", cells, H5T_NATIVE_UINT8, NULL) &&
           read_list(f, vtk, "Offsets", cells + 1, H5T_NATIVE_INT64, NULL) &&
           read_list(f, vtk, "Connectivity", info->n_connectivity, H5T_NATIVE_INT64, NULL));
}

/* Reads types and offsets, both in any case, and checks that they fit together. */
static bool read_cells(pio_checked_file *f, hid_t vtk, uint8_t *types, int64_t *offsets)
{
    const pio_snapshot_info *info = &f->info;
    const char *reason = NULL;
    if (!read_list(f, vtk, "Types", info->n_cells, H5T_NATIVE_UINT8, types) ||
        !read_list(f, vtk, "Offsets", info->n_cells + 1, H5T_NATIVE_INT64, offsets))
        return false;
    if (offsets[0] != 0) return pio_checked_fail(f, "'Offsets' begins with %lld, not 0", (long long)offsets[0]);
    /* H5T_NATIVE_UINT8 clips what is larger or negative to 255 or 0, which are no types of ours */
    const int64_t cell = wrong_cell(types, offsets, 0, info->n_cells, info->dimension, &reason);
    if (cell >= 0)
        return pio_checked_fail(f, "'Types' and 'Offsets': cell %lld, of type %d: %s", (long long)cell, types[cell],
                                reason);
    return offsets[info->n_cells] == info->n_connectivity ||
           pio_checked_fail(f, "'Offsets' ends with %lld, not %lld", (long long)offsets[info->n_cells],
                            (long long)info->n_connectivity);
}

static bool read_nodes(pio_checked_file *f, hid_t vtk, int64_t *connectivity)
{
    const pio_snapshot_info *info = &f->info;
    if (!read_list(f, vtk, "Connectivity", info->n_connectivity, H5T_NATIVE_INT64, connectivity)) return false;
    const int64_t at = wrong_node(connectivity, info->n_connectivity, info->n_points);
    return at < 0 || pio_checked_fail(f, "'Connectivity': entry %lld is %lld: there are %lld points", (long long)at,
                                      (long long)connectivity[at], (long long)info->n_points);
}

bool pio_checked_cells(pio_checked_file *f, uint8_t *types, int64_t *offsets, int64_t *connectivity)
{
    hid_t vtk = pio_checked_open_member(f, f->file, "VTKHDF", H5I_GROUP);
    const bool ok =
        vtk >= 0 && read_cells(f, vtk, types, offsets) && (!connectivity || read_nodes(f, vtk, connectivity));
    pio_checked_close(vtk);
    return ok;
}
