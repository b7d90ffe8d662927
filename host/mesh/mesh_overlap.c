/* mesh_overlap.c -- see mesh_overlap.h. Faces of 3D meshes are seen in a plane with the first one's normal: there the
 * polygon of the second face's corners is cut along the edges of the first's (Sutherland and Hodgman 1974), and divided
 * into triangles around its middle. */
#include "host/mesh/mesh_overlap.h"

#include <math.h>

enum { GAUSS = 4, MOST = 8 }; /* points along a line; corners of a polygon that was cut */

/* Gauss and Legendre's points and weights on [-1, 1]. */
static const double point[GAUSS] = {-0.86113631159405258, -0.33998104358485626, 0.33998104358485626,
                                    0.86113631159405258};
static const double weight[GAUSS] = {0.34785484513745386, 0.65214515486254614, 0.65214515486254614,
                                     0.34785484513745386};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Adds the point of both faces that is at x, m, seen along the normal of the first. */
static void add(const pio_mesh_surface *first, const pio_mesh_surface *second, const double x[3], double w,
                pio_mesh_common *out, int *n)
{
    pio_mesh_common p = {.weight = w};
    double at[2][3], square = 0;
    if (!pio_mesh_surface_find(first, x, first->normal, p.r[0])) return;
    pio_mesh_surface_at(first, p.r[0], at[0], NULL);
    if (!pio_mesh_surface_find(second, at[0], first->normal, p.r[1])) return;
    pio_mesh_surface_at(second, p.r[1], at[1], NULL);
    for (int a = 0; a < 3; a++) square += (at[1][a] - at[0][a]) * (at[1][a] - at[0][a]);
    p.distance = sqrt(square);
    out[(*n)++] = p;
}

/* ---- edges of plane meshes --------------------------------------------------------------------------------- */

/* Finds the end of the second edge on the first, seen along its normal; beyond an end of the first it is that end: the
 * first may be shorter by any factor, and curved edges have no points far beyond their ends. */
static bool find_end(const pio_mesh_surface *first, const double x[3], double *r)
{
    const double e[3] = {-first->normal[1], first->normal[0],
                         0}; /* from the first node to the second, as normal = t x z */
    double at = 0, end = 0, inside[3] = {0};
    for (int a = 0; a < 2; a++) {
        at += (x[a] - first->x[0][a]) * e[a];
        end += (first->x[1][a] - first->x[0][a]) * e[a];
    }
    *r = at <= 0 ? -1 : 1;
    if (at <= 0 || at >= end) return true;
    if (!pio_mesh_surface_find(first, x, first->normal, inside)) return false;
    *r = fmax(-1, fmin(1, inside[0]));
    return true;
}

static int overlap_lines(const pio_mesh_surface *first, const pio_mesh_surface *second, pio_mesh_common *out)
{
    double low = 1, high = -1, r[3], x[3], along[2][3];
    int n = 0;
    for (int end = 0; end < 2; end++) {
        if (!find_end(first, second->x[end], r)) return 0;
        low = fmin(low, r[0]);
        high = fmax(high, r[0]);
    }
    if (high - low < 1e-9) return 0;
    for (int g = 0; g < GAUSS; g++) {
        r[0] = (low + high + (high - low) * point[g]) / 2;
        r[1] = r[2] = 0;
        pio_mesh_surface_at(first, r, x, along);
        add(first, second, x, weight[g] * (high - low) / 2 * sqrt(dot(along[0], along[0])), out, &n);
    }
    return n;
}

/* ---- faces of meshes in space ------------------------------------------------------------------------------ */

/* A plane with the normal of a face, and a polygon in it. */
typedef struct {
    const double *origin, *normal;
    double e[2][3];
} plane;

typedef struct {
    int n;
    double v[MOST + 1][2];
} polygon;

static plane plane_of(const pio_mesh_surface *s)
{
    plane p = {.origin = s->x[0], .normal = s->normal};
    double size;
    for (int a = 0; a < 3; a++) p.e[0][a] = s->x[1][a] - s->x[0][a];
    const double past = dot(p.e[0], s->normal);
    for (int a = 0; a < 3; a++) p.e[0][a] -= past * s->normal[a];
    size = sqrt(dot(p.e[0], p.e[0]));
    for (int a = 0; a < 3; a++) p.e[0][a] /= size;
    for (int a = 0; a < 3; a++)
        p.e[1][a] = s->normal[(a + 1) % 3] * p.e[0][(a + 2) % 3] - s->normal[(a + 2) % 3] * p.e[0][(a + 1) % 3];
    return p;
}

static polygon polygon_of(const plane *p, const pio_mesh_surface *s)
{
    polygon g = {.n = pio_elements[s->type].corners};
    for (int n = 0; n < g.n; n++) {
        double d[3];
        for (int a = 0; a < 3; a++) d[a] = s->x[n][a] - p->origin[a];
        for (int k = 0; k < 2; k++) g.v[n][k] = dot(d, p->e[k]);
    }
    return g;
}

/* Twice the area of the triangle a, b, c; above 0 counter-clockwise. */
static double turn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double area_of(const polygon *g)
{
    double twice = 0;
    for (int n = 1; n + 1 < g->n; n++) twice += turn(g->v[0], g->v[n], g->v[n + 1]);
    return twice / 2;
}

/* What of a polygon is left of the line from a to b. */
static polygon cut(const polygon *g, const double a[2], const double b[2])
{
    polygon out = {.n = 0};
    for (int n = 0; n < g->n; n++) {
        const double *p = g->v[n], *q = g->v[(n + 1) % g->n];
        const double s = turn(a, b, p), t = turn(a, b, q);
        if (s >= 0 && out.n <= MOST) {
            out.v[out.n][0] = p[0];
            out.v[out.n++][1] = p[1];
        }
        if ((s >= 0) == (t >= 0) || out.n > MOST) continue;
        for (int k = 0; k < 2; k++) out.v[out.n][k] = p[k] + (q[k] - p[k]) * (s / (s - t));
        out.n++;
    }
    return out;
}

static int overlap_faces(const pio_mesh_surface *first, const pio_mesh_surface *second, pio_mesh_common *out)
{
    const plane p = plane_of(first);
    const polygon own = polygon_of(&p, first);
    polygon g = polygon_of(&p, second);
    double middle[2] = {0};
    int n = 0;
    for (int i = 0; i < own.n && g.n; i++) g = cut(&g, own.v[i], own.v[(i + 1) % own.n]);
    if (g.n < 3 || fabs(area_of(&g)) < 1e-12 * area_of(&own)) return 0;
    for (int i = 0; i < g.n; i++)
        for (int k = 0; k < 2; k++) middle[k] += g.v[i][k] / g.n;
    for (int i = 0; i < g.n && n + GAUSS * GAUSS <= PIO_MESH_COMMON; i++) {
        const double *a = g.v[i], *b = g.v[(i + 1) % g.n], twice = fabs(turn(middle, a, b));
        for (int j = 0; j < GAUSS * GAUSS; j++) { /* from the middle outward, and along the edge */
            const double u = (1 + point[j / GAUSS]) / 2, v = (1 + point[j % GAUSS]) / 2;
            double at[2], x[3];
            for (int k = 0; k < 2; k++) at[k] = middle[k] + u * (a[k] - middle[k]) + u * v * (b[k] - a[k]);
            for (int c = 0; c < 3; c++) x[c] = p.origin[c] + at[0] * p.e[0][c] + at[1] * p.e[1][c];
            add(first, second, x, twice * u * weight[j / GAUSS] * weight[j % GAUSS] / 4, out, &n);
        }
    }
    return n;
}

int pio_mesh_overlap(const pio_mesh_surface *first, const pio_mesh_surface *second,
                     pio_mesh_common points[PIO_MESH_COMMON])
{
    if (!(dot(first->normal, second->normal) < -0.1)) return 0;
    return first->dimension == 1 ? overlap_lines(first, second, points) : overlap_faces(first, second, points);
}

double pio_mesh_surface_area(const pio_mesh_surface *s)
{
    double length = 0, r[3] = {0}, x[3], along[2][3];
    if (s->dimension == 2) {
        const plane p = plane_of(s);
        const polygon g = polygon_of(&p, s);
        return area_of(&g);
    }
    for (int g = 0; g < GAUSS; g++) {
        r[0] = point[g];
        pio_mesh_surface_at(s, r, x, along);
        length += weight[g] * sqrt(dot(along[0], along[0]));
    }
    return length;
}
