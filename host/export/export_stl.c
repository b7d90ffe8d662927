/* export_stl.c -- the deformed outer surface of a mesh as triangles, in binary STL: 80 bytes of text, their number, and
 * for each normal, three corners (f32) and two bytes of 0. Lengths are in m. */
#include "host/export/export.h"
#include "host/base/fail.h"
#include "host/snapshot/snapshot_surface.h"
#include "piola.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 5, CURVED_PARTS = 4 }; /* types of faces; parts of each side of a quadratic one */

typedef struct {
    pio_tessellation *tessellation; /* [KINDS] in the order of face_types */
    pio_surface surface;
    double *points; /* [n][3] m, deformed */
} model;

static const int face_types[KINDS] = {PIO_CELL_TRI3, PIO_CELL_TRI6, PIO_CELL_QUAD4, PIO_CELL_QUAD8, PIO_CELL_QUAD9};

static const pio_tessellation *tessellation_of(const model *m, const pio_face *f)
{
    int kind = 0;
    while (face_types[kind] != f->type) kind++;
    return &m->tessellation[kind];
}

/* Adds the displacement, if there is one, to the points. */
static piola_status deform(const pio_export *e, double *points, piola_error *error)
{
    const size_t n = 3 * (size_t)e->info->n_points;
    memcpy(points, e->points, n * sizeof *points);
    for (size_t i = 0; i < e->info->n_fields; i++) {
        const pio_snapshot_field_info *v = &e->info->fields[i];
        double *u = NULL;
        if (strcmp(v->name, "displacement") != 0 || v->location != PIO_SNAPSHOT_POINT || v->stored != 3) continue;
        const piola_status rc = pio_export_field(e, v, &u, error);
        for (size_t k = 0; k < n && !rc; k++) points[k] += u[k];
        free(u);
        return rc;
    }
    return PIOLA_OK;
}

static piola_status make_model(const pio_export *e, model *m, piola_error *error)
{
    const size_t bytes = 3 * sizeof(double) * (size_t)e->info->n_points;
    m->points = malloc(bytes);
    m->tessellation = malloc(KINDS * sizeof *m->tessellation);
    if (!m->points || !m->tessellation) return pio_fail_memory(error, bytes, "the deformed points");
    for (int k = 0; k < KINDS; k++) {
        const bool straight = face_types[k] == PIO_CELL_TRI3 || face_types[k] == PIO_CELL_QUAD4;
        pio_tessellation_make(&m->tessellation[k], face_types[k], straight ? 1 : CURVED_PARTS);
    }
    const piola_status rc =
        pio_surface_make(&m->surface, e->mesh, e->info->dimension, e->info->n_points, e->points, error);
    return rc ? rc : deform(e, m->points, error);
}

/* Computes the unit normal of corners p as STL stores them, in f32. It is 0 for a triangle without area. */
static void normal(float p[4][3])
{
    double a[3], b[3], n[3], length = 0;
    for (int k = 0; k < 3; k++) {
        a[k] = (double)p[2][k] - (double)p[1][k];
        b[k] = (double)p[3][k] - (double)p[1][k];
    }
    for (int k = 0; k < 3; k++) n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) p[0][k] = length > 0 ? (float)(n[k] / length) : 0;
}

static piola_status put_face(const pio_export *e, const model *m, const pio_face *f, FILE *out, piola_error *error)
{
    const pio_tessellation *tessellation = tessellation_of(m, f);
    double vertex[PIO_MOST_VERTICES][3];
    static const char attribute[2] = {0, 0};
    pio_tessellation_points(tessellation, f, m->points, vertex);
    for (int t = 0; t < tessellation->n_triangles; t++) {
        float p[4][3];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                p[i + 1][k] = (float)vertex[tessellation->triangle[t][i]][k];
                if (!isfinite(p[i + 1][k]))
                    return pio_fail_result(error, PIOLA_FAILED_NOT_FINITE,
                                           "%s: frame %lld: a node of cell %lld is at %g m: no surface goes through it",
                                           e->path, (long long)e->frame, (long long)f->cell,
                                           vertex[tessellation->triangle[t][i]][k]);
            }
        normal(p);
        if (fwrite(p, sizeof(float), 12, out) != 12 || fwrite(attribute, 1, 2, out) != 2) return PIOLA_OK;
    }
    return PIOLA_OK; /* a failed write shows when the file is closed */
}

static piola_status put_model(const pio_export *e, const model *m, pio_export_file *f, piola_error *error)
{
    char head[80] = "";
    size_t triangles = 0;
    piola_status rc = PIOLA_OK;
    for (size_t i = 0; i < m->surface.n; i++) triangles += (size_t)tessellation_of(m, &m->surface.face[i])->n_triangles;
    if (triangles > UINT32_MAX)
        return pio_fail(error, PIOLA_BAD_DATA, "%s: %zu triangles; STL counts to %u: vtu has no such limit", e->path,
                        triangles, UINT32_MAX);
    const uint32_t count = (uint32_t)triangles;
    snprintf(head, sizeof head, "Piola " PIOLA_VERSION ": deformed surface, frame %lld, lengths in m",
             (long long)e->frame);
    fwrite(head, 1, sizeof head, f->file);
    fwrite(&count, sizeof count, 1, f->file);
    for (size_t i = 0; i < m->surface.n && !rc; i++) rc = put_face(e, m, &m->surface.face[i], f->file, error);
    return rc;
}

piola_status pio_export_stl(const pio_export *e, const char *out, piola_error *error)
{
    model m = {.points = NULL};
    pio_export_file f;
    if (!e->mesh)
        return pio_fail(error, PIOLA_USAGE,
                        "%s holds particles, which have no surface: stl is for meshes; vtu, csv and npy take particles",
                        e->path);
    piola_status rc = pio_export_begin(&f, out, ": deformed surface, frame ", error);
    if (rc) return rc;
    rc = make_model(e, &m, error);
    if (!rc) rc = put_model(e, &m, &f, error);
    pio_surface_free(&m.surface);
    free(m.tessellation);
    free(m.points);
    return pio_export_end(&f, rc, error);
}
