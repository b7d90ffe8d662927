/* fem_pairs_inside.c -- does a body lie within another one at the start? Their surfaces do not meet then, so that no
 * pair is near and no edge passes through a face. On the host, once: one point of every connected part of the surface
 * is tried against the surfaces of all other bodies. */
#include "kernels/contact/pair.h"
#include "solvers/fem/fem_pairs.h"

#include <math.h>
#include <stdlib.h>

/* The most pieces that a depth is compared with, all its points together. */
static const double MOST_COMPARED = 1e9;
static const double PI = 3.14159265358979323846;

/* The surface where the bodies are. */
typedef struct {
    int points, faces, bodies;
    int *node, *body, *corner; /* as of fem_pair_surface */
    int *part;                 /* [points] another point of the same part, or itself */
    double (*place)[3];        /* [points] m, in 2D with z = 0 */
    double *winding;           /* [bodies] how often the surface of each goes around a point */
} shell;

static void shell_free(shell *s)
{
    free(s->node);
    free(s->body);
    free(s->corner);
    free(s->part);
    free(s->place);
    free(s->winding);
}

/* Returns the point that stands for the part of point k. */
static int part_of(int *part, int k)
{
    while (part[k] != k) k = part[k] = part[part[k]];
    return k;
}

static void join_parts(shell *s)
{
    for (int k = 0; k < s->points; k++) s->part[k] = k;
    for (int i = 0; i < s->faces; i++)
        for (int c = 1; c < DIM; c++) {
            const int a = part_of(s->part, s->corner[i * DIM]), b = part_of(s->part, s->corner[i * DIM + c]);
            if (a != b) s->part[a > b ? a : b] = a > b ? b : a;
        }
}

/* Brings the surface to the host; returns 1, or 0 without memory. */
static int shell_take(fem_sim *f, shell *s)
{
    pio_queue *q = &f->base.queue;
    const fem_pair_surface *from = &f->pairs.surface;
    const size_t points = (size_t)from->points, corners = (size_t)from->faces * DIM;
    const size_t reals = DIM * (size_t)f->mesh.nodes;
    *s = (shell){.points = from->points, .faces = from->faces};
    real *rest = malloc(sizeof *rest * reals), *u = malloc(sizeof *u * reals);
    s->node = calloc(points, sizeof *s->node);
    s->body = calloc(points, sizeof *s->body);
    s->corner = calloc(corners, sizeof *s->corner);
    s->part = malloc(sizeof *s->part * points);
    s->place = malloc(sizeof *s->place * points);
    const int room = rest && u && s->node && s->body && s->corner && s->part && s->place;
    if (room) {
        pio_queue_download(q, s->node, from->node, sizeof *s->node * points);
        pio_queue_download(q, s->body, from->body, sizeof *s->body * points);
        pio_queue_download(q, s->corner, from->corner, sizeof *s->corner * corners);
        pio_queue_download(q, rest, f->mesh.rest, sizeof *rest * reals);
        pio_queue_download(q, u, f->state.u, sizeof *u * reals);
    }
    for (int k = 0; room && !pio_queue_failed(q) && k < s->points; k++) {
        if (s->body[k] >= s->bodies) s->bodies = s->body[k] + 1;
        for (int a = 0; a < 3; a++) {
            const size_t at = (size_t)s->node[k] * DIM + (size_t)(a < DIM ? a : 0);
            s->place[k][a] = a < DIM ? (double)rest[at] + (double)u[at] : 0;
        }
    }
    free(rest);
    free(u);
    s->winding = calloc((size_t)s->bodies + 1, sizeof *s->winding);
    return room && s->winding;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Returns a . (b x c). */
static double triple(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Returns the part of all directions from x in which a piece is seen from behind, less that from the front: its angle
 * over 2 pi, or its solid angle over 4 pi (van Oosterom and Strackee 1983). */
static double seen(const shell *s, const int *corner, const double x[3])
{
    double r[3][3] = {{0}}, length[3];
    for (int c = 0; c < DIM; c++) {
        for (int a = 0; a < 3; a++) r[c][a] = s->place[corner[c]][a] - x[a];
        length[c] = sqrt(dot(r[c], r[c]));
    }
    if (DIM == 2) return atan2(r[0][0] * r[1][1] - r[0][1] * r[1][0], dot(r[0], r[1])) / (2 * PI);
    const double below = length[0] * length[1] * length[2] + dot(r[0], r[1]) * length[2] + dot(r[0], r[2]) * length[1] +
                         dot(r[1], r[2]) * length[0];
    return 2 * atan2(triple(r[0], r[1], r[2]), below) / (4 * PI);
}

/* Returns the body that point k is inside of, another than its own, or -1. */
static int around(shell *s, int k)
{
    for (int b = 0; b < s->bodies; b++) s->winding[b] = 0;
    for (int i = 0; i < s->faces; i++) {
        const int *corner = s->corner + (ptrdiff_t)i * DIM, body = s->body[corner[0]];
        if (body != s->body[k]) s->winding[body] += seen(s, corner, s->place[k]);
    }
    for (int b = 0; b < s->bodies; b++)
        if (fabs(s->winding[b]) > 0.5) return b;
    return -1;
}

/* Point k is inside a body. */
static piola_status inside(const shell *s, int k, int body, piola_error *error)
{
    int nearest = -1;
    double least = INFINITY;
    for (int j = 0; j < s->points; j++) {
        const double *a = s->place[k], *b = s->place[j], way[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        if (s->body[j] != body || !(dot(way, way) < least)) continue;
        least = dot(way, way);
        nearest = j;
    }
    piola_failure failure = sim_failure(PIOLA_FAILED_CONTACT);
    failure.of = PIOLA_FAILED_NODE;
    failure.item = s->node[k];
    return sim_fail_as(error, PIOLA_NUMERICAL, failure,
                       "at the start node %d of bodies[%d] is inside bodies[%d], whose nearest node, %d, is %.3g m "
                       "away; bodies beside each other would be right",
                       s->node[k], s->body[k], body, nearest < 0 ? -1 : s->node[nearest], sqrt(least));
}

piola_status fem_pairs_inside(fem_sim *f, piola_error *error)
{
    shell s;
    piola_status rc = PIOLA_OK;
    if (!shell_take(f, &s)) rc = sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d points of contact", s.points);
    if (!rc) rc = sim_failed(&f->base, error);
    if (!rc) join_parts(&s);
    for (int k = 0; !rc && k < s.points; k++) {
        if (part_of(s.part, k) != k) continue;
        const int body = around(&s, k);
        if (body >= 0) rc = inside(&s, k, body, error);
    }
    shell_free(&s);
    return rc;
}

/* ---- depth ------------------------------------------------------------------------------------------------------- */

/* Returns the distance of point k from a piece, m. */
static double distance_to(const shell *s, int k, const int *corner)
{
    vec x[PAIR_NODES];
    for (int n = 0; n < PAIR_NODES; n++) x[n] = vec_zero();
    for (int n = 0; n < DIM; n++)
        for (int c = 0; c < DIM; c++) x[n + 1].x[c] = (real)(s->place[corner[n]][c] - s->place[k][c]);
    return (double)pair_near_of(PAIR_FACE, x).d;
}

/* Returns the least distance of point k from the surface of a body that it is inside of, m, or -1. */
static double depth_of(const shell *s, int k, int body)
{
    double winding = 0, least = INFINITY;
    for (int i = 0; i < s->faces; i++) {
        const int *corner = s->corner + (ptrdiff_t)i * DIM;
        if (s->body[corner[0]] != body) continue;
        winding += seen(s, corner, s->place[k]);
        least = fmin(least, distance_to(s, k, corner));
    }
    return fabs(winding) > 0.5 ? least : -1;
}

/* Makes *deep that of the deepest point of body a in body b, if it is deeper. */
static void deepest(const shell *s, int a, int b, fem_pairs_depth *deep)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, left = MOST_COMPARED;
    for (int k = 0; k < s->points; k++)
        for (int c = 0; c < DIM && s->body[k] == b; c++) {
            low[c] = fmin(low[c], s->place[k][c]);
            high[c] = fmax(high[c], s->place[k][c]);
        }
    for (int k = 0; k < s->points && left > 0; k++) {
        int within = s->body[k] == a;
        for (int c = 0; c < DIM; c++) within = within && s->place[k][c] > low[c] && s->place[k][c] < high[c];
        if (!within) continue;
        left -= s->faces;
        const double depth = depth_of(s, k, b);
        if (depth > deep->depth) *deep = (fem_pairs_depth){s->node[k], a, b, depth};
    }
}

fem_pairs_depth fem_pairs_deepest(fem_sim *f, int a, int b)
{
    fem_pairs_depth deep = {-1, a, b, 0};
    shell s;
    if (a == b) return deep;
    if (shell_take(f, &s) && !pio_queue_failed(&f->base.queue)) {
        deepest(&s, a, b, &deep);
        deepest(&s, b, a, &deep);
    }
    shell_free(&s);
    return deep;
}
