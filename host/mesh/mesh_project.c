/* mesh_project.c -- see mesh_project.h. */
#include "host/mesh/mesh_project.h"

#include <math.h>

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; c++) out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool is_triangle(const pio_mesh_surface *s)
{
    return s->dimension == 2 && pio_elements[s->type].corners == 3;
}

/* Sets r to the middle of the reference element. */
static void middle_of(const pio_mesh_surface *s, double r[3])
{
    r[2] = 0;
    r[0] = r[1] = is_triangle(s) ? 1.0 / 3 : 0;
}

void pio_mesh_surface_of(pio_mesh_surface *s, const pio_mesh *mesh, pio_mesh_face face)
{
    static const double z[3] = {0, 0, 1};
    double r[3], x[3], along[2][3], size;
    pio_element_type cell;
    pio_mesh_element(mesh, face.cell, &cell);
    *s = (pio_mesh_surface){.type = pio_elements[cell].face_type, .dimension = mesh->dimension - 1};
    s->nodes = pio_mesh_face_nodes(mesh, face, s->node);
    for (int a = 0; a < 3; a++) s->low[a] = INFINITY, s->high[a] = -INFINITY;
    for (int n = 0; n < s->nodes; n++)
        for (int a = 0; a < 3; a++) {
            s->x[n][a] = mesh->x[3 * (size_t)s->node[n] + (size_t)a];
            s->low[a] = fmin(s->low[a], s->x[n][a]);
            s->high[a] = fmax(s->high[a], s->x[n][a]);
        }
    middle_of(s, r);
    pio_mesh_surface_at(s, r, x, along);
    cross(along[0], s->dimension == 1 ? z : along[1], s->normal);
    size = sqrt(dot(s->normal, s->normal));
    for (int a = 0; a < 3; a++) s->normal[a] /= size;
}

/* Computes a place as its difference from the first node, for digits that do not depend on where the face is. */
static void offset_at(const pio_mesh_surface *s, const double r[3], double x[3], double along[2][3])
{
    double N[PIO_ELEMENT_NODES], gradient[PIO_ELEMENT_NODES][3];
    pio_element_values(s->type, r, N);
    if (along) pio_element_gradients(s->type, r, gradient);
    for (int a = 0; a < 3; a++) {
        x[a] = 0;
        for (int d = 0; along && d < 2; d++) along[d][a] = 0;
        for (int n = 0; n < s->nodes; n++) {
            const double offset = s->x[n][a] - s->x[0][a];
            x[a] += N[n] * offset;
            for (int d = 0; along && d < s->dimension; d++) along[d][a] += gradient[n][d] * offset;
        }
    }
}

void pio_mesh_surface_at(const pio_mesh_surface *s, const double r[3], double x[3], double along[2][3])
{
    offset_at(s, r, x, along);
    for (int a = 0; a < 3; a++) x[a] += s->x[0][a];
}

bool pio_mesh_surface_find(const pio_mesh_surface *s, const double x[3], const double *along, double r[3])
{
    middle_of(s, r);
    for (int iteration = 0; iteration < 60; iteration++) {
        double at[3], t[2][3], d[3], g[2] = {0}, A[2][2] = {{0}}, dr[2] = {0};
        offset_at(s, r, at, t);
        for (int a = 0; a < 3; a++) d[a] = x[a] - s->x[0][a] - at[a];
        for (int i = 0; i < s->dimension; i++) { /* what lies along the direction does not count */
            const double past = along ? dot(t[i], along) : 0;
            for (int a = 0; along && a < 3; a++) t[i][a] -= past * along[a];
        }
        for (int i = 0; i < s->dimension; i++) {
            g[i] = dot(t[i], d);
            for (int j = 0; j < s->dimension; j++) A[i][j] = dot(t[i], t[j]);
        }
        if (s->dimension == 1) {
            dr[0] = g[0] / A[0][0];
        } else {
            const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
            dr[0] = (g[0] * A[1][1] - g[1] * A[0][1]) / det;
            dr[1] = (g[1] * A[0][0] - g[0] * A[1][0]) / det;
        }
        const double size = fmax(fabs(dr[0]), fabs(dr[1])), step = size > 0.5 ? 0.5 / size : 1;
        if (!isfinite(size) || fabs(r[0]) + fabs(r[1]) > 100) return false;
        for (int i = 0; i < 2; i++) r[i] += step * dr[i];
        if (size < 1e-12) return true;
    }
    return false;
}

double pio_mesh_surface_clamp(const pio_mesh_surface *s, double r[3])
{
    const double before[2] = {r[0], r[1]}, least = is_triangle(s) ? 0 : -1;
    for (int i = 0; i < s->dimension; i++) r[i] = fmax(least, fmin(1, r[i]));
    if (is_triangle(s) && r[0] + r[1] > 1) {
        const double over = (r[0] + r[1] - 1) / 2;
        r[0] = fmax(0, fmin(1, r[0] - over));
        r[1] = 1 - r[0];
    }
    return fmax(fabs(r[0] - before[0]), fabs(r[1] - before[1]));
}
