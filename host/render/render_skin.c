/* render_skin.c -- turns the faces of a mesh's surface into triangles on the screen, with normals and values at their
 * corners.
 *
 * Curved faces are divided into parts small enough to appear curved. A face has its own normals; at a node where the
 * mean over its faces differs little from these, the mean replaces them, so that round bodies appear round and edges
 * remain sharp. */
#include "host/render/render_parts.h"
#include "host/base/fail.h"
#include "host/snapshot/snapshot_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 5 };

/* Cosine of the angle (35 degrees) between the normal of a face and the mean normal, beyond which there is an edge. */
#define CREASE 0.82

static const int face_types[KINDS] = {PIO_CELL_TRI3, PIO_CELL_TRI6, PIO_CELL_QUAD4, PIO_CELL_QUAD8, PIO_CELL_QUAD9};

typedef struct {
    const pio_frame *f;
    const pio_samples *s;
    pio_surface surface;
    pio_tessellation *tessellation; /* [KINDS] */
    uint32_t *start;                /* [surface.n][2] first vertex and triangle of each face */
    float (*mean)[3];               /* [n] sums of normals at the nodes */
    pio_skin *skin;
} maker;

static int kind_of(int type)
{
    int kind = 0;
    while (face_types[kind] != type) kind++;
    return kind;
}

/* Returns the number of parts of a side: more if there are few faces. Straight triangles need no parts. */
static int parts_of(int type, size_t faces)
{
    if (type == PIO_CELL_TRI3) return 1;
    if (type == PIO_CELL_QUAD4) return faces < 20000 ? 4 : faces < 80000 ? 2 : 1;
    return faces < 6000 ? 8 : faces < 40000 ? 4 : 2;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- normals --------------------------------------------------------------------------------------------- */

/* Computes the normal of face `f` at its node i; its length is the area there. */
static void normal_at(const maker *m, const pio_face *f, const pio_tessellation *p, int i, double out[3])
{
    double t[2][3] = {{0}};
    for (int k = 0; k < p->nodes; k++)
        for (int a = 0; a < 2; a++)
            for (int c = 0; c < 3; c++)
                t[a][c] += p->slope[i][a][k] * m->f->p.points[3 * (size_t)f->node[k] + (size_t)c];
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        out[c] = (t[0][d] * t[1][e] - t[0][e] * t[1][d]) / (m->f->view.unit * m->f->view.unit);
    }
}

/* Sums normals in one thread, in the order of faces. */
static void sum_normals(maker *m)
{
    for (size_t i = 0; i < m->surface.n; i++) {
        const pio_face *f = &m->surface.face[i];
        const pio_tessellation *p = &m->tessellation[kind_of(f->type)];
        for (int k = 0; k < p->nodes; k++) {
            double n[3];
            normal_at(m, f, p, k, n);
            for (int c = 0; c < 3; c++) m->mean[f->node[k]][c] += (float)n[c];
        }
    }
}

/* Computes unit normals at the nodes of a face, in the directions of the view. */
static void face_normals(const maker *m, const pio_face *f, const pio_tessellation *p, double out[9][3])
{
    const pio_view *v = &m->f->view;
    for (int i = 0; i < p->nodes; i++) {
        double own[3], mean[3];
        normal_at(m, f, p, i, own);
        for (int c = 0; c < 3; c++) mean[c] = (double)m->mean[f->node[i]][c];
        const double a = sqrt(dot(own, own)), b = sqrt(dot(mean, mean));
        const bool smooth = dot(own, mean) > CREASE * a * b;
        const double *n = smooth ? mean : own, length = fmax(1e-300, smooth ? b : a);
        out[i][0] = dot(n, v->right) / length;
        out[i][1] = dot(n, v->up) / length;
        out[i][2] = dot(n, v->toward) / length;
    }
}

/* ---- vertices -------------------------------------------------------------------------------------------- */

static bool drawable(const maker *m, const pio_face *f)
{
    for (int i = 0; i < pio_cell_nodes(f->type); i++)
        if (!pio_point_is_finite(m->f->p.points + 3 * (size_t)f->node[i], m->f->p.dimension)) return false;
    return true;
}

void pio_skin_place(const pio_frame *f, const double p[3], pio_vertex *out)
{
    const pio_view *v = &f->view;
    double at[3];
    for (int k = 0; k < 3; k++) out->place[k] = k < v->dimension ? (float)((p[k] - v->centre[k]) / v->unit) : 0;
    if (!pio_view_project(v, p, at)) {
        out->x = out->y = out->nearness = NAN;
        return;
    }
    out->x = (float)(PIO_SAMPLES * (at[0] - f->plot.x));
    out->y = (float)(PIO_SAMPLES * (at[1] - f->plot.y));
    out->nearness = (float)(1 / at[2]);
}

/* Interpolates the value at a vertex. A node without a value makes every vertex grey to which it contributes. */
static float value_at(const maker *m, const pio_face *f, const pio_tessellation *p, int vertex)
{
    const pio_picture *picture = &m->f->p;
    if (picture->values == NULL || !m->f->coloured) return NAN;
    if (picture->at_cells) return (float)pio_value_place(m->f, picture->values[f->cell]);
    double sum = 0;
    for (int i = 0; i < p->nodes; i++) {
        const double w = p->weight[vertex][i];
        if (w < 0 || w > 0) sum += w * pio_value_place(m->f, picture->values[f->node[i]]);
    }
    return (float)sum;
}

static void make_face(const maker *m, size_t i)
{
    const pio_face *f = &m->surface.face[i];
    const pio_tessellation *p = &m->tessellation[kind_of(f->type)];
    const uint32_t first = m->start[2 * i];
    pio_vertex *vertex = m->skin->vertex + first;
    pio_triangle *triangle = m->skin->triangle + m->start[2 * i + 1];
    const bool shown = drawable(m, f);
    double points[PIO_MOST_VERTICES][3], normals[9][3];
    pio_tessellation_points(p, f, m->f->p.points, points);
    face_normals(m, f, p, normals);
    for (int v = 0; v < p->n_vertices; v++) {
        pio_vertex *out = &vertex[v];
        double n[3] = {0, 0, 0};
        for (int k = 0; k < p->nodes; k++)
            for (int c = 0; c < 3; c++) n[c] += p->weight[v][k] * normals[k][c];
        pio_skin_place(m->f, points[v], out);
        if (!shown) out->x = NAN;
        for (int c = 0; c < 3; c++) out->normal[c] = (float)n[c];
        for (int c = 0; c < 2; c++) out->at[c] = (float)p->at[v][c];
        out->value = value_at(m, f, p, v);
    }
    for (int t = 0; t < p->n_triangles; t++) {
        for (int k = 0; k < 3; k++) triangle[t].vertex[k] = first + p->triangle[t][k];
        triangle[t].opacity = pio_opacity(&m->f->p, (size_t)f->cell);
        triangle[t].sides = f->type == PIO_CELL_TRI3 || f->type == PIO_CELL_TRI6 ? 3 : 4;
    }
}

/* ---- what shows ------------------------------------------------------------------------------------------ */

/* Returns the typical length of the sides of faces on the screen, in pixels, and counts the faces outside the picture.
 */
static double measure_faces(pio_frame *f, const maker *m)
{
    double sum = 0;
    size_t shown = 0;
    f->outside = 0;
    for (size_t i = 0; i < m->surface.n; i++) {
        const pio_tessellation *p = &m->tessellation[kind_of(m->surface.face[i].type)];
        const pio_vertex *v = m->skin->vertex + m->start[2 * i];
        float box[2][2] = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
        bool whole = true;
        for (int k = 0; k < p->n_vertices; k++) {
            whole = whole && v[k].x == v[k].x;
            box[0][0] = fminf(box[0][0], v[k].x), box[1][0] = fmaxf(box[1][0], v[k].x);
            box[0][1] = fminf(box[0][1], v[k].y), box[1][1] = fmaxf(box[1][1], v[k].y);
        }
        if (!whole && drawable(m, &m->surface.face[i])) f->outside++;
        if (!whole) continue;
        if (box[1][0] <= 0 || box[1][1] <= 0 || box[0][0] >= (float)m->s->width || box[0][1] >= (float)m->s->height) {
            f->outside++;
            continue;
        }
        sum += hypot((double)(box[1][0] - box[0][0]), (double)(box[1][1] - box[0][1]));
        shown++;
    }
    return shown > 0 ? sum / (double)shown / PIO_SAMPLES / M_SQRT2 : 0;
}

static piola_status make_room(maker *m, piola_error *error)
{
    size_t vertices = 0, triangles = 0, n = m->surface.n;
    m->start = malloc((n + 1) * 2 * sizeof *m->start);
    m->mean = calloc(m->f->p.n, sizeof *m->mean);
    if (m->start == NULL || m->mean == NULL) {
        return pio_fail_memory(error, n * 2 * sizeof *m->start + m->f->p.n * sizeof *m->mean, "the surface of a mesh");
    }
    for (size_t i = 0; i < n; i++) {
        const pio_tessellation *p = &m->tessellation[kind_of(m->surface.face[i].type)];
        m->start[2 * i] = (uint32_t)vertices;
        m->start[2 * i + 1] = (uint32_t)triangles;
        vertices += (size_t)p->n_vertices;
        triangles += (size_t)p->n_triangles;
        if (vertices >= PIO_NO_OWNER || triangles >= PIO_NO_OWNER) {
            return pio_fail(error, PIOLA_BAD_DATA, "a surface of %zu faces: too many for one picture", n);
        }
    }
    m->skin->vertex = malloc((vertices + 1) * sizeof *m->skin->vertex);
    m->skin->triangle = malloc((triangles + 1) * sizeof *m->skin->triangle);
    m->skin->n_vertices = vertices;
    m->skin->n = triangles;
    if (m->skin->vertex != NULL && m->skin->triangle != NULL) return PIOLA_OK;
    return pio_fail_memory(error, vertices * sizeof(pio_vertex) + triangles * sizeof(pio_triangle), "the surface");
}

static piola_status make(maker *m, piola_error *error)
{
    const pio_picture *p = &m->f->p;
    piola_status status = pio_surface_make(&m->surface, p->mesh, p->dimension, (int64_t)p->n, p->points, error);
    if (status != PIOLA_OK) return status;
    m->tessellation = malloc(KINDS * sizeof *m->tessellation);
    if (m->tessellation == NULL)
        return pio_fail_memory(error, KINDS * sizeof *m->tessellation, "tessellations of faces");
    for (int k = 0; k < KINDS; k++)
        pio_tessellation_make(&m->tessellation[k], face_types[k], parts_of(face_types[k], m->surface.n));
    status = make_room(m, error);
    if (status != PIOLA_OK) return status;
    sum_normals(m);
#pragma omp parallel for num_threads(p->threads) schedule(static)
    for (size_t i = 0; i < m->surface.n; i++) make_face(m, i);
    return PIOLA_OK;
}

piola_status pio_skin_make(pio_frame *frame, const pio_samples *samples, pio_skin *skin, piola_error *error)
{
    maker m = {.f = frame, .s = samples, .skin = skin};
    piola_status status = make(&m, error);
    if (status == PIOLA_OK) {
        const double side = measure_faces(frame, &m);
        skin->lines = (float)fmin(1, fmax(0, (side - 3.5) / 5));
    }
    pio_surface_free(&m.surface);
    free(m.tessellation);
    free(m.start);
    free(m.mean);
    return status;
}
