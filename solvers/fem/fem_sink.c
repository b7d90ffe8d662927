/* fem_sink.c -- obstacles that enter faces between their nodes, where contact does not act. A mesh can then pass
 * through an obstacle that is narrower than its elements, which no run is to do in silence: it ends with the face, the
 * obstacle and the depth. */
#include "solvers/fem/fem_sink.h"

#include "solvers/fem/fem_pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/* ---- what there is ----------------------------------------------------------------------------------------------- */

/* Sets a place deep inside an obstacle: the lattice point of a mesh with the least distance, of others the centre. */
static void place_inside(const pio_obstacle_desc *d, double y[DIM])
{
    size_t points = 1, deepest = 0;
    for (int c = 0; c < DIM; c++) y[c] = 0;
    if (d->type != PIO_CLOSED_MESH) return;
    for (int c = 0; c < DIM; c++) points *= (size_t)d->samples[c];
    for (size_t i = 1; i < points; i++)
        if (d->distance[i] < d->distance[deepest]) deepest = i;
    for (int c = DIM - 1; c >= 0; c--) {
        y[c] = d->low[c] + d->spacing * (double)(deepest % (size_t)d->samples[c]);
        deepest /= (size_t)d->samples[c];
    }
}

static int has_inside(const pio_engine_desc *desc)
{
    int found = 0;
    for (int o = 0; o < desc->n_obstacles; o++) found |= desc->obstacles[o].type != PIO_PLANE;
    return found;
}

int fem_sink_begin(fem_sim *f, const pio_engine_desc *desc)
{
    const pio_fem_desc *m = desc->fem;
    fem_sim_sink *s = &f->sink;
    int pieces = 0, rc;
    if (!f->contact.points || !has_inside(desc)) return 1;
    for (const pio_contact_desc *d = m->contacts; d < m->contacts + m->n_contacts; d++) {
        fem_pieces_of(d->type, &pieces);
        s->pieces += d->n * pieces;
    }
    int *number = malloc(sizeof *number * (size_t)f->mesh.nodes);
    s->corners = malloc(sizeof *s->corners * ((size_t)s->pieces * DIM + 1));
    s->inside = malloc(sizeof *s->inside * (size_t)desc->n_obstacles);
    s->narrow = calloc((size_t)desc->n_obstacles, sizeof *s->narrow);
    rc = number && s->corners && s->inside && s->narrow;
    int *at = s->corners;
    for (int k = 0; rc && k < f->contact.points; k++) number[f->contact.point[k]] = k;
    for (const pio_contact_desc *d = m->contacts; rc && d < m->contacts + m->n_contacts; d++) {
        const signed char *cut = fem_pieces_of(d->type, &pieces);
        for (int i = 0; i < d->n; i++)
            for (int k = 0; k < pieces * DIM; k++)
                *at++ = number[d->vertices[(ptrdiff_t)i * fem_nodes_of(d->type) + cut[k]]];
    }
    for (int o = 0; rc && o < desc->n_obstacles; o++) place_inside(&desc->obstacles[o], s->inside[o]);
    free(number);
    return rc;
}

void fem_sink_free_plan(fem_sim *f)
{
    free(f->sink.corners);
    f->sink.corners = NULL;
}

void fem_sink_free(fem_sim *f)
{
    fem_sink_free_plan(f);
    free(f->sink.inside);
    free(f->sink.narrow);
    f->sink.inside = NULL;
    f->sink.narrow = NULL;
}

void fem_sink_layout(fem_sim *f)
{
    pio_arena *arena = &f->base.arena;
    fem_sim_sink *s = &f->sink;
    if (!s->pieces) return;
    TAKE(arena, s->corner, (size_t)s->pieces * DIM);
    TAKE(arena, s->state_of, s->pieces);
    TAKE(arena, s->depth, s->pieces);
    TAKE(arena, s->obstacle, s->pieces);
    TAKE(arena, s->first, 1);
}

void fem_sink_upload(fem_sim *f)
{
    const fem_sim_sink *s = &f->sink;
    if (s->pieces)
        pio_queue_upload(&f->base.queue, s->corner, s->corners, sizeof *s->corners * (size_t)s->pieces * DIM);
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

/* clang-format off */
void fem_sink_look(fem_sim *f)
{
    const fem_sim_sink *s = &f->sink;
    if (s->pieces)
        pio_map(&f->base.queue, fem_contact_sink, s->pieces, NULL, .fwd = fem_contact_of(f, f->state.u, NULL),
                .corner = s->corner, .state = f->base.index, .state_of = s->state_of, .depth = s->depth,
                .obstacle = s->obstacle, .first = s->first);
}
/* clang-format on */

/* A face that an obstacle was in. */
typedef struct {
    int piece, obstacle;
    double depth; /* m */
} sunk_face;

/* Sets *worst to the deepest of a state; returns 1, or 0 without memory. */
static int worst_face(fem_sim *f, int64_t state, sunk_face *worst)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_sink *s = &f->sink;
    const size_t n = (size_t)s->pieces;
    int64_t *state_of = calloc(n, sizeof *state_of);
    real *depth = calloc(n, sizeof *depth);
    const int rc = state_of && depth;
    *worst = (sunk_face){.depth = -1};
    if (rc) {
        pio_queue_download(q, state_of, s->state_of, sizeof *state_of * n);
        pio_queue_download(q, depth, s->depth, sizeof *depth * n);
    }
    for (int i = 0; rc && i < s->pieces; i++)
        if (state_of[i] == state && (double)depth[i] > worst->depth)
            *worst = (sunk_face){.piece = i, .depth = (double)depth[i]};
    pio_queue_download(q, &worst->obstacle, s->obstacle + worst->piece, sizeof worst->obstacle);
    free(state_of);
    free(depth);
    return rc;
}

/* Returns PIOLA_NUMERICAL for the first state in which an obstacle was in a face. */
static piola_status none_in_face(fem_sim *f, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_sink *s = &f->sink;
    uint64_t first = UINT64_MAX;
    sunk_face worst;
    int corner[DIM] = {0}, node[DIM] = {0};
    char when[40] = "the start";
    pio_queue_download(q, &first, s->first, sizeof first);
    if (pio_queue_failed(q)) return sim_failed(&f->base, error);
    if (first == UINT64_MAX) return PIOLA_OK;
    if (!worst_face(f, (int64_t)first, &worst))
        return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d faces of contact", s->pieces);
    pio_queue_download(q, corner, s->corner + (ptrdiff_t)worst.piece * DIM, sizeof corner);
    for (int k = 0; k < DIM && !pio_queue_failed(q); k++)
        pio_queue_download(q, &node[k], f->contact.node + corner[k], sizeof node[k]);
    if (pio_queue_failed(q)) return sim_failed(&f->base, error);
    piola_failure what = sim_failure(PIOLA_FAILED_CONTACT);
    what.of = PIOLA_FAILED_NODE;
    what.item = node[0];
    if (first > 0) {
        what.step = (int64_t)first - 1;
        snprintf(when, sizeof when, "%.6g s", (double)first * f->stepping.dt);
    }
    char nodes[60];
    int used = snprintf(nodes, sizeof nodes, "%d", node[0]);
    for (int k = 1; k < DIM; k++)
        used += snprintf(nodes + used, sizeof nodes - (size_t)used, "%s%d", k == DIM - 1 ? " and " : ", ", node[k]);
    return sim_fail_as(error, PIOLA_NUMERICAL, what,
                       "at %s obstacles[%d] is %.3g m deep in the face between nodes %s, where no node meets it; "
                       "smaller elements, or an obstacle that is thicker than those and has no sharper corners, would "
                       "be right",
                       when, worst.obstacle, worst.depth, nodes);
}

/* ---- obstacles inside bodies ------------------------------------------------------------------------------------- */

/* The surface where it is at the start. */
typedef struct {
    int points;
    int *node, *corner; /* [points]; [pieces][DIM] */
    double (*place)[3]; /* [points] m, in 2D with z = 0 */
} surface_now;

static void surface_free(surface_now *s)
{
    free(s->node);
    free(s->corner);
    free(s->place);
}

/* Brings it to the host; returns 1, or 0 without memory. */
static int surface_take(fem_sim *f, surface_now *s)
{
    pio_queue *q = &f->base.queue;
    const size_t points = (size_t)f->contact.points, corners = (size_t)f->sink.pieces * DIM;
    const size_t reals = DIM * (size_t)f->mesh.nodes;
    real *rest = malloc(sizeof *rest * reals), *u = malloc(sizeof *u * reals);
    *s = (surface_now){.points = f->contact.points};
    s->node = calloc(points, sizeof *s->node);
    s->corner = calloc(corners, sizeof *s->corner);
    s->place = calloc(points, sizeof *s->place);
    const int rc = rest && u && s->node && s->corner && s->place;
    if (rc) {
        pio_queue_download(q, s->node, f->contact.node, sizeof *s->node * points);
        pio_queue_download(q, s->corner, f->sink.corner, sizeof *s->corner * corners);
        pio_queue_download(q, rest, f->mesh.rest, sizeof *rest * reals);
        pio_queue_download(q, u, f->state.u, sizeof *u * reals);
    }
    for (int k = 0; rc && !pio_queue_failed(q) && k < s->points; k++)
        for (int c = 0; c < DIM; c++) {
            const size_t at = (size_t)s->node[k] * DIM + (size_t)c;
            s->place[k][c] = (double)rest[at] + (double)u[at];
        }
    free(rest);
    free(u);
    return rc;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Returns how often the surface goes around x, by the angles of its pieces (van Oosterom and Strackee 1983). */
static double goes_around(const surface_now *s, int pieces, const double x[3])
{
    double sum = 0;
    for (int i = 0; i < pieces; i++) {
        double r[3][3] = {{0}}, l[3];
        for (int c = 0; c < DIM; c++) {
            for (int a = 0; a < 3; a++) r[c][a] = s->place[s->corner[i * DIM + c]][a] - x[a];
            l[c] = sqrt(dot(r[c], r[c]));
        }
        if (DIM == 2) {
            sum += atan2(r[0][0] * r[1][1] - r[0][1] * r[1][0], dot(r[0], r[1])) / (2 * PI);
            continue;
        }
        const double above = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) +
                             r[0][1] * (r[1][2] * r[2][0] - r[1][0] * r[2][2]) +
                             r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
        const double below =
            l[0] * l[1] * l[2] + dot(r[0], r[1]) * l[2] + dot(r[0], r[2]) * l[1] + dot(r[1], r[2]) * l[0];
        sum += 2 * atan2(above, below) / (4 * PI);
    }
    return sum;
}

static piola_status is_inside(const fem_sim *f, const surface_now *s, int obstacle, const double x[3],
                              piola_error *error)
{
    int nearest = 0;
    double least = INFINITY;
    char when[40] = "the start";
    for (int k = 0; k < s->points; k++) {
        const double way[3] = {s->place[k][0] - x[0], s->place[k][1] - x[1], s->place[k][2] - x[2]};
        if (!(dot(way, way) < least)) continue;
        least = dot(way, way);
        nearest = k;
    }
    piola_failure what = sim_failure(PIOLA_FAILED_CONTACT);
    what.of = PIOLA_FAILED_NODE;
    what.item = s->node[nearest];
    if (f->base.index > 0) {
        what.step = f->base.index - 1;
        snprintf(when, sizeof when, "%.6g s", (double)f->base.index * f->stepping.dt);
    }
    return sim_fail_as(error, PIOLA_NUMERICAL, what,
                       "at %s obstacles[%d] is inside a body: its middle is %.3g m from the nearest node of the "
                       "surface, %d; an obstacle beside bodies, and not narrower than their elements, would be right",
                       when, obstacle, sqrt(least), s->node[nearest]);
}

/* Notes which obstacles fit between the points of a piece. */
static void find_narrow(fem_sim *f, const surface_now *s)
{
    double longest = 0;
    f->sink.narrows = 0;
    for (int i = 0; i < f->sink.pieces; i++)
        for (int k = 0; k < DIM; k++) {
            const double *a = s->place[s->corner[i * DIM + k]], *b = s->place[s->corner[i * DIM + (k + 1) % DIM]];
            const double way[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
            longest = fmax(longest, sqrt(dot(way, way)));
        }
    for (int o = 0; o < f->contact.obstacles.n; o++) {
        obstacle_shape shape = {0};
        pio_queue_download(&f->base.queue, &shape, f->contact.obstacles.shape + o, sizeof shape);
        f->sink.narrow[o] = shape.type != PIO_PLANE && 2 * (double)shape.deepest < longest;
        f->sink.narrows |= f->sink.narrow[o];
    }
}

/* Of obstacles whose middle is inside a body, the first; at the start of all, then of those that are narrow. */
static piola_status none_inside(fem_sim *f, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const sim_obstacles *all = &f->contact.obstacles;
    surface_now s;
    piola_status rc = PIOLA_OK;
    if (!surface_take(f, &s))
        rc = sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d points of contact", f->contact.points);
    if (!rc && f->base.index == 0) find_narrow(f, &s);
    for (int o = 0; !rc && o < all->n; o++) {
        obstacle_shape shape = {0};
        obstacle_pose pose = {.turn = {{{0}}}};
        double x[3] = {0};
        pio_queue_download(q, &shape, all->shape + o, sizeof shape);
        pio_queue_download(q, &pose, all->pose + o, sizeof pose);
        rc = sim_failed(&f->base, error);
        if (rc || shape.type == PIO_PLANE || (f->base.index > 0 && !f->sink.narrow[o])) continue;
        for (int i = 0; i < DIM; i++) {
            x[i] = (double)pose.centre[i];
            for (int j = 0; j < DIM; j++) x[i] += (double)pose.turn.m[i][j] * f->sink.inside[o][j];
        }
        if (fabs(goes_around(&s, f->sink.pieces, x)) > 0.6) rc = is_inside(f, &s, o, x, error);
    }
    surface_free(&s);
    return rc;
}

piola_status fem_sink_start(fem_sim *f, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const fem_sim_sink *s = &f->sink;
    const uint64_t none = UINT64_MAX;
    int64_t *unset;
    if (!s->pieces) return PIOLA_OK;
    unset = malloc(sizeof *unset * (size_t)s->pieces);
    if (!unset) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d faces of contact", s->pieces);
    for (int i = 0; i < s->pieces; i++) unset[i] = -1;
    pio_queue_upload(q, s->state_of, unset, sizeof *unset * (size_t)s->pieces);
    free(unset);
    pio_queue_upload(q, s->first, &none, sizeof none);
    fem_sink_look(f);
    const piola_status rc = none_in_face(f, error);
    return rc ? rc : none_inside(f, error);
}

piola_status fem_sink_check(fem_sim *f, piola_error *error)
{
    const fem_sim_sink *s = &f->sink;
    if (!s->pieces) return PIOLA_OK;
    const piola_status rc = none_in_face(f, error);
    return rc || !s->narrows || f->base.turned || f->base.index == 0 ? rc : none_inside(f, error);
}
