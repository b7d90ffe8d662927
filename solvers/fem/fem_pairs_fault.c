/* fem_pairs_fault.c -- which surfaces are too near each other, or pass through each other, at the start, in words. Runs
 * only after a failure. */
#include "kernels/contact/pair.h"
#include "solvers/fem/fem_pairs.h"

#include <math.h>
#include <stdlib.h>

/* The pairs that are listed, on the host. */
typedef struct {
    fem_pair_found found;
    int *node, *body; /* [points] */
    int *corner;      /* [found.count][PAIR_NODES] points */
    real *rest, *u;   /* [nodes][DIM] m */
} listed_pairs;

static void listed_free(listed_pairs *p)
{
    free(p->node);
    free(p->body);
    free(p->corner);
    free(p->rest);
    free(p->u);
}

/* Brings them to the host; returns 1, or 0 without memory. */
static int listed_take(fem_sim *f, const real *u, listed_pairs *p)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_pairs *s = &f->pairs;
    const size_t points = (size_t)s->surface.points, reals = DIM * (size_t)f->mesh.nodes;
    *p = (listed_pairs){.node = NULL};
    pio_queue_download(q, &p->found, s->found, sizeof p->found);
    const size_t corners = (size_t)p->found.count * PAIR_NODES;
    p->node = calloc(points, sizeof *p->node);
    p->body = calloc(points, sizeof *p->body);
    p->corner = calloc(corners + 1, sizeof *p->corner);
    p->rest = calloc(reals, sizeof *p->rest);
    p->u = calloc(reals, sizeof *p->u);
    if (!(p->node && p->body && p->corner && p->rest && p->u)) return 0;
    pio_queue_download(q, p->node, s->surface.node, sizeof *p->node * points);
    pio_queue_download(q, p->body, s->body, sizeof *p->body * points);
    if (corners) pio_queue_download(q, p->corner, s->pair, sizeof *p->corner * corners);
    pio_queue_download(q, p->rest, f->mesh.rest, sizeof *p->rest * reals);
    pio_queue_download(q, p->u, u, sizeof *p->u * reals);
    return 1;
}

static vec place_of(const listed_pairs *p, int point)
{
    vec x;
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)p->node[point] * DIM + c;
        x.x[c] = p->rest[at] + p->u[at];
    }
    return x;
}

/* Returns the distance of pair i, m. */
static double distance_of(const listed_pairs *p, int i)
{
    vec x[PAIR_NODES];
    for (int n = 0; n < PAIR_NODES; n++) x[n] = place_of(p, p->corner[(ptrdiff_t)i * PAIR_NODES + n]);
    for (int n = PAIR_NODES - 1; n >= 0; n--) x[n] = vec_axpby(R(1), x[n], R(-1), x[0]);
    return (double)pair_near_of(i < p->found.faces ? PAIR_FACE : PAIR_EDGES, x).d;
}

/* Returns the number of the nearest pair, of those within one body where `own`; -1: there is none. */
static int nearest_pair(const listed_pairs *p, int own, double *least)
{
    int nearest = -1;
    *least = INFINITY;
    for (int i = 0; i < p->found.count; i++) {
        const int *corner = p->corner + (ptrdiff_t)i * PAIR_NODES;
        const double d = distance_of(p, i);
        if ((own && p->body[corner[0]] != p->body[corner[PAIR_NODES - 1]]) || !(d < *least)) continue;
        *least = d;
        nearest = i;
    }
    return nearest;
}

/* Sets the point of each part of pair i that is nearest to one of the other. */
static void nearest_points(const listed_pairs *p, int i, int point[2])
{
    const int *corner = p->corner + (ptrdiff_t)i * PAIR_NODES, first = i < p->found.faces ? 1 : 2;
    real least = R(-1);
    for (int a = 0; a < first; a++)
        for (int b = first; b < PAIR_NODES; b++) {
            const vec way = vec_axpby(R(1), place_of(p, corner[b]), R(-1), place_of(p, corner[a]));
            if (least >= R(0) && !(vec_dot(way, way) < least)) continue;
            least = vec_dot(way, way);
            point[0] = corner[a];
            point[1] = corner[b];
        }
}

static piola_failure at_node(int node)
{
    piola_failure failure = sim_failure(PIOLA_FAILED_CONTACT);
    failure.of = PIOLA_FAILED_NODE;
    failure.item = node;
    return failure;
}

piola_status fem_pairs_too_near(fem_sim *f, const real *u, int own, const char *right, piola_error *error)
{
    listed_pairs p;
    int point[2] = {0};
    double least = 0;
    piola_status rc = PIOLA_OK;
    if (!listed_take(f, u, &p))
        rc = sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d points of contact", f->pairs.surface.points);
    if (!rc) rc = sim_failed(&f->base, error);
    const int i = rc ? -1 : nearest_pair(&p, own, &least);
    if (i >= 0) nearest_points(&p, i, point);
    if (!rc)
        rc = sim_fail_as(error, PIOLA_NUMERICAL, at_node(p.node[point[0]]),
                         "at %s the surfaces at node %d of bodies[%d] and node %d of bodies[%d] are %.3g m apart; %s",
                         own ? "rest" : "the start", p.node[point[0]], p.body[point[0]], p.node[point[1]],
                         p.body[point[1]], least, right);
    listed_free(&p);
    return rc;
}

/* ---- crossings --------------------------------------------------------------------------------------------------- */

/* A piece or an edge of the surface. */
typedef struct {
    int n, node[DIM], body;
    double x[DIM][DIM]; /* places of its n points, m */
} piece;

static piece piece_of(fem_sim *f, int number)
{
    pio_queue *q = &f->base.queue;
    const fem_pair_surface *s = &f->pairs.surface;
    const int edge = number >= s->faces;
    const ptrdiff_t at =
        edge ? (ptrdiff_t)s->faces * DIM + 2 * (ptrdiff_t)(number - s->faces) : number * (ptrdiff_t)DIM;
    piece p = {.n = edge ? 2 : DIM};
    for (int k = 0; k < p.n && !pio_queue_failed(q); k++) {
        int corner = 0;
        real X[DIM] = {0}, u[DIM] = {0};
        pio_queue_download(q, &corner, s->corner + at + k, sizeof corner);
        pio_queue_download(q, &p.node[k], s->node + corner, sizeof p.node[k]);
        pio_queue_download(q, X, f->mesh.rest + (ptrdiff_t)p.node[k] * DIM, sizeof X);
        pio_queue_download(q, u, f->state.u + (ptrdiff_t)p.node[k] * DIM, sizeof u);
        if (k == 0) pio_queue_download(q, &p.body, f->pairs.body + corner, sizeof p.body);
        for (int c = 0; c < DIM; c++) p.x[k][c] = (double)X[c] + (double)u[c];
    }
    return p;
}

/* Returns by how much an edge passes through a face: the smaller distance of its ends from the plane of that, m. */
static double passes_by(const piece *edge, const piece *face)
{
    double n[3] = {0}, length = 0, least = INFINITY;
    if (DIM == 2) {
        n[0] = face->x[0][1] - face->x[1][1];
        n[1] = face->x[1][0] - face->x[0][0];
    } else {
        double a[3], b[3];
        for (int c = 0; c < DIM; c++) {
            a[c] = face->x[1][c] - face->x[0][c];
            b[c] = face->x[DIM - 1][c] - face->x[0][c];
        }
        for (int c = 0; c < 3; c++) n[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
    }
    for (int c = 0; c < DIM; c++) length += n[c] * n[c];
    for (int k = 0; k < 2; k++) {
        double along = 0;
        for (int c = 0; c < DIM; c++) along += n[c] * (edge->x[k][c] - face->x[0][c]);
        least = fmin(least, fabs(along) / sqrt(length));
    }
    return least;
}

piola_status fem_pairs_crossing(fem_sim *f, uint64_t key, piola_error *error)
{
    const piece edge = piece_of(f, (int)(key >> 32)), face = piece_of(f, (int)(key & INT32_MAX));
    if (pio_queue_failed(&f->base.queue)) return sim_failed(&f->base, error);
    const fem_pairs_depth deep = fem_pairs_deepest(f, edge.body, face.body);
    if (pio_queue_failed(&f->base.queue)) return sim_failed(&f->base, error);
    if (deep.node >= 0)
        return sim_fail_as(error, PIOLA_NUMERICAL, at_node(deep.node),
                           "at the start node %d of bodies[%d] is %.3g m deep in bodies[%d]: an edge at node %d of "
                           "bodies[%d] passes through a face at node %d of bodies[%d]; surfaces that are apart would "
                           "be right",
                           deep.node, deep.body, deep.depth, deep.other, edge.node[0], edge.body, face.node[0],
                           face.body);
    return sim_fail_as(error, PIOLA_NUMERICAL, at_node(edge.node[0]),
                       "at the start an edge at node %d of bodies[%d] passes through a face at node %d of bodies[%d] "
                       "by %.3g m; surfaces that are apart would be right",
                       edge.node[0], edge.body, face.node[0], face.body, passes_by(&edge, &face));
}
