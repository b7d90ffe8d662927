/* export_vtu.c -- VTK's XML format for unstructured grids, with the numbers as raw bytes behind the text (VTK user's
 * guide, "XML File Formats": each block begins with its length in bytes, here as UInt64). */
#include "host/export/export.h"
#include "host/base/fail.h"
#include "piola.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {"Float32", "Float64", "Int64"};
static const uint64_t type_size[] = {4, 8, 8};

typedef struct {
    const pio_export *e;
    pio_export_file out;
    uint64_t offset; /* byte of the appended data where the next block begins */
} writer;

/* ---- the text -------------------------------------------------------------------------------------------- */

static void describe(writer *w, const char *type, uint64_t size, const char *name, int components, int64_t rows)
{
    fprintf(w->out.file,
            "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%" PRIu64
            "\"/>\n",
            type, name, components, w->offset);
    w->offset += sizeof(uint64_t) + (uint64_t)rows * (uint64_t)components * size;
}

/* Describes the fields of integration points, which VTK has no other place for. */
static void describe_loose_fields(writer *w)
{
    for (size_t i = 0; i < w->e->info->n_fields; i++) {
        const pio_snapshot_field_info *v = &w->e->info->fields[i];
        const pio_export_type type = pio_export_type_of(w->e, v);
        if (v->location != PIO_SNAPSHOT_INTEGRATION) continue;
        fprintf(w->out.file,
                "      <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" NumberOfTuples=\"%lld\" "
                "format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
                type_names[type], v->name, v->stored, (long long)v->rows, w->offset);
        w->offset += sizeof(uint64_t) + (uint64_t)v->rows * (uint64_t)v->stored * type_size[type];
    }
}

static void describe_fields(writer *w, pio_snapshot_location location)
{
    for (size_t i = 0; i < w->e->info->n_fields; i++) {
        const pio_snapshot_field_info *v = &w->e->info->fields[i];
        const pio_export_type type = pio_export_type_of(w->e, v);
        if (v->location == location) describe(w, type_names[type], type_size[type], v->name, v->stored, v->rows);
    }
}

static int64_t cell_count(const pio_export *e)
{
    return e->mesh ? e->mesh->n_cells : e->info->n_points;
}

static int64_t node_count(const pio_export *e)
{
    return e->mesh ? e->info->n_connectivity : e->info->n_points;
}

static void put_text(writer *w)
{
    const pio_export *e = w->e;
    const pio_export_type real = e->info->precision == PIO_SNAPSHOT_F32 ? PIO_EXPORT_F32 : PIO_EXPORT_F64;
    FILE *f = w->out.file;
    fprintf(f,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
            "header_type=\"UInt64\">\n<!-- Piola " PIOLA_VERSION ": frame %lld -->\n  <UnstructuredGrid>\n"
            "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
            "format=\"ascii\">%.17g</DataArray>\n",
            (long long)e->frame, e->time);
    describe_loose_fields(w);
    fprintf(f, "    </FieldData>\n    <Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n      <Points>\n",
            (long long)e->info->n_points, (long long)cell_count(e));
    describe(w, type_names[real], type_size[real], "Points", 3, e->info->n_points);
    fputs("      </Points>\n      <Cells>\n", f);
    describe(w, "Int64", 8, "connectivity", 1, node_count(e));
    describe(w, "Int64", 8, "offsets", 1, cell_count(e));
    describe(w, "UInt8", 1, "types", 1, cell_count(e));
    fputs("      </Cells>\n      <PointData>\n", f);
    describe_fields(w, PIO_SNAPSHOT_POINT);
    fputs("      </PointData>\n      <CellData>\n", f);
    describe_fields(w, PIO_SNAPSHOT_CELL);
    fputs("      </CellData>\n    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_", f);
}

/* ---- the numbers ----------------------------------------------------------------------------------------- */

static piola_status lost(const writer *w, piola_error *error)
{
    return pio_fail(error, PIOLA_IO, "%s: writing failed: %s", w->out.path, strerror(errno));
}

static bool put_block(writer *w, const void *data, uint64_t bytes)
{
    return fwrite(&bytes, sizeof bytes, 1, w->out.file) == 1 && fwrite(data, 1, bytes, w->out.file) == bytes;
}

static bool put_values(writer *w, const double *values, uint64_t n, pio_export_type type)
{
    const uint64_t bytes = n * type_size[type];
    return fwrite(&bytes, sizeof bytes, 1, w->out.file) == 1 && pio_export_put(&w->out, values, n, type);
}

static piola_status put_fields(writer *w, pio_snapshot_location location, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    for (size_t i = 0; i < w->e->info->n_fields && !rc; i++) {
        const pio_snapshot_field_info *v = &w->e->info->fields[i];
        double *values = NULL;
        if (v->location != location) continue;
        rc = pio_export_field(w->e, v, &values, error);
        const uint64_t n = (uint64_t)v->rows * (uint64_t)v->stored;
        if (!rc && !put_values(w, values, n, pio_export_type_of(w->e, v))) rc = lost(w, error);
        free(values);
    }
    return rc;
}

/* Writes particles as vertices (VTK_VERTEX = 1): cell i has the node i and ends at i + 1. */
static piola_status put_vertices(writer *w, piola_error *error)
{
    const uint64_t n = (uint64_t)w->e->info->n_points;
    int64_t *numbers = malloc(n * sizeof *numbers);
    uint8_t *types = malloc(n);
    bool ok = numbers && types;
    if (!ok) pio_fail_memory(error, n * (sizeof *numbers + 1), "the cells");
    const piola_status rc = ok ? PIOLA_OK : PIOLA_NO_MEMORY;
    for (int shift = 0; shift < 2 && ok; shift++) {
        for (uint64_t i = 0; i < n; i++) numbers[i] = (int64_t)i + shift;
        ok = put_block(w, numbers, n * sizeof *numbers);
    }
    if (ok) memset(types, 1, n);
    ok = ok && put_block(w, types, n);
    free(numbers);
    free(types);
    return rc || ok ? rc : lost(w, error);
}

static piola_status put_cells(writer *w, piola_error *error)
{
    const pio_snapshot_mesh *m = w->e->mesh;
    if (!m) return put_vertices(w, error);
    const uint64_t cells = (uint64_t)m->n_cells, nodes = (uint64_t)node_count(w->e);
    const bool ok = put_block(w, m->connectivity, nodes * 8) && put_block(w, m->offsets + 1, cells * 8) &&
                    put_block(w, m->types, cells);
    return ok ? PIOLA_OK : lost(w, error);
}

piola_status pio_export_vtu(const pio_export *e, const char *out, piola_error *error)
{
    writer w = {.e = e};
    const pio_export_type real = e->info->precision == PIO_SNAPSHOT_F32 ? PIO_EXPORT_F32 : PIO_EXPORT_F64;
    piola_status rc = pio_export_begin(&w.out, out, "<!-- Piola ", error);
    if (rc) return rc;
    put_text(&w);
    rc = put_fields(&w, PIO_SNAPSHOT_INTEGRATION, error);
    if (!rc && !put_values(&w, e->points, 3 * (uint64_t)e->info->n_points, real)) rc = lost(&w, error);
    if (!rc) rc = put_cells(&w, error);
    if (!rc) rc = put_fields(&w, PIO_SNAPSHOT_POINT, error);
    if (!rc) rc = put_fields(&w, PIO_SNAPSHOT_CELL, error);
    if (!rc) fputs("\n  </AppendedData>\n</VTKFile>\n", w.out.file);
    return pio_export_end(&w.out, rc, error);
}
