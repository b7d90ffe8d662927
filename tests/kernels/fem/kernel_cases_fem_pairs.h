/* kernel_cases_fem_pairs.h -- cases of contact of surfaces with each other: which pieces are near, their forces, and
 * what explicit steps may do. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_PAIRS_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_PAIRS_H

#include "kernels/fem/fem_pairs.h"
#include "kernels/fem/fem_pairs_find.h"
#include "tests/kernels/fem/kernel_cases_fem_contact.h"

enum { PAIRS_POINTS = 2 * DIM, PAIRS_EDGES = DIM == 3 ? 6 : 0, PAIRS_MOST = DIM == 3 ? 15 : 4 };

/* Units of two pieces, triangles or segments, which are near each other, one apart from the next. */
typedef struct {
    int units, points, nodes, pieces, groups, room;
    fem_pair_args a;
    fem_pair_near_args near;
    fem_pair_box_args box;
    fem_pair_cell_args cell;
    fem_pair_count_args group, slot;
    fem_pair_found *found;
} pairs_sample;

/* Places of the points of a unit: the corners of a piece, and of another 0.02 to 0.05 above it, turned and tilted. */
static void pairs_place(int unit, int k, double x[DIM])
{
    const double angle = 2.1 * (k % DIM) + (k / DIM ? 0.7 : 0) + 0.4 * case_unit("turn", unit * PAIRS_POINTS + k);
    const double over = k / DIM ? 0.02 + 0.03 * case_unit("over", unit * PAIRS_POINTS + k) : 0;
    x[0] = unit % 64;
    x[1] = unit / 64;
    if (DIM == 3) {
        x[0] += 0.3 * cos(angle);
        x[1] += 0.3 * sin(angle);
        x[DIM - 1] = over;
    } else {
        x[0] += (k % 2 ? 0.3 : -0.25) + 0.1 * case_unit("turn", unit * PAIRS_POINTS + k);
        x[1] += over;
    }
}

/* The surface of all units. */
static void pairs_surface(case_io *io, pairs_sample *s)
{
    int *node = HOST(io, int, s->points), *body = HOST(io, int, s->points);
    int *corner = HOST(io, int, 2 * s->units * DIM + 2 * s->units * PAIRS_EDGES + 1);
    for (int k = 0; k < s->points; k++) {
        node[k] = k + 1;
        body[k] = k / DIM % 2;
        corner[k] = k;
    }
    for (int e = 0; e < s->units * PAIRS_EDGES; e++) { /* each piece has its corners side by side */
        const int piece = e / 3;
        corner[s->points + 2 * e] = 3 * piece + (e % 3 == 2 ? 0 : e % 3);
        corner[s->points + 2 * e + 1] = 3 * piece + (e % 3 == 2 ? 2 : e % 3 + 1);
    }
    s->a.s.points = s->points;
    s->a.s.faces = 2 * s->units;
    s->a.s.edges = s->units * PAIRS_EDGES;
    s->a.s.itself = 0;
    s->a.s.node = PUSH(io, int, node, s->points);
    s->a.s.body = PUSH(io, int, body, s->points);
    s->a.s.corner = PUSH(io, int, corner, s->points + 2 * s->units * PAIRS_EDGES);
}

/* Cells and lists of pieces and edges: what the search reads. */
static void pairs_sort(case_io *io, pairs_sample *s)
{
    uint64_t *most = HOST(io, uint64_t, 1);
    fem_pair_most_args longest;
    *most = UINT64_MAX;
    s->box.s = s->a.s;
    s->box.way = s->near.way;
    s->box.way.du = NULL;
    s->box.far.levels = NULL;
    s->box.far.pieces = s->pieces;
    s->box.far.piece = s->box.most = PUSH(io, uint64_t, most, 1);
    s->box.box = NEW(io, double, s->pieces * 2 * DIM, CASE_SET);
    LAUNCH(io, fem_pair_box, s->pieces, NULL, &s->box);
    if (s->near.way.du) {
        s->box.way = s->near.way;
        s->box.far.levels = PUSH(io, int, HOST(io, int, PAIR_LEVELS), PAIR_LEVELS);
        s->box.most = PUSH(io, uint64_t, most, 1);
        LAUNCH(io, fem_pair_box, s->pieces, NULL, &s->box);
        longest.far = s->box.far;
        longest.box = s->box.box;
        longest.most = s->box.most;
        LAUNCH(io, fem_pair_most, s->pieces, NULL, &longest);
    }
    s->cell.far = s->box.far;
    s->cell.s = s->a.s;
    s->cell.grip = s->a.grip;
    s->cell.box = s->box.box;
    s->cell.most = s->box.most;
    s->cell.groups = s->groups;
    s->cell.cell = NEW(io, int, s->pieces *DIM, CASE_SET);
    s->cell.key = NEW(io, int, s->pieces, CASE_SET);
    LAUNCH(io, fem_pair_cell, s->pieces, NULL, &s->cell);
    s->group.groups = s->groups;
    s->group.key = s->cell.key;
    s->group.count = NEW(io, int, s->groups, CASE_ZERO);
    s->group.start = NEW(io, int, s->groups + 1, CASE_SET);
    s->group.list = NEW(io, int, s->pieces, CASE_SET);
    LAUNCH(io, fem_pair_count, s->pieces, NULL, &s->group);
    LAUNCH_SCAN(io, fem_pair_start, s->groups, &s->group);
    LAUNCH(io, fem_pair_place, s->pieces, NULL, &s->group);
    LAUNCH(io, fem_pair_order, s->groups, NULL, &s->group);
}

/* Lists the pairs, and the pairs of each point. */
static void pairs_find(case_io *io, pairs_sample *s)
{
    fem_pair_near_args *n = &s->near;
    const int queries = s->points + s->a.s.edges;
    pairs_sort(io, s);
    n->s = s->a.s;
    n->grip = s->a.grip;
    n->box = s->box.box;
    n->most = s->box.most;
    n->groups = s->groups;
    n->cell = s->cell.cell;
    n->key = s->cell.key;
    n->start = s->group.start;
    n->list = s->group.list;
    n->room = s->room;
    n->number = NEW(io, int, queries, CASE_SET);
    n->first = NEW(io, int, queries, CASE_SET);
    n->found = s->found = PUSH(io, fem_pair_found, HOST(io, fem_pair_found, 1), 1);
    n->corner = PUSH(io, int, HOST(io, int, s->room *PAIR_NODES), s->room *PAIR_NODES);
    LAUNCH(io, fem_pair_near, queries, NULL, n);
    LAUNCH_SCAN(io, fem_pair_first, queries, n);
    LAUNCH(io, fem_pair_list, queries, NULL, n);
    s->a.found = s->found;
    s->a.corner = n->corner;
    s->slot.groups = s->points;
    s->slot.key = n->corner;
    s->slot.count = NEW(io, int, s->points, CASE_ZERO);
    s->slot.start = NEW(io, int, s->points + 1, CASE_SET);
    s->slot.list = PUSH(io, int, HOST(io, int, s->room *PAIR_NODES), s->room *PAIR_NODES);
    LAUNCH(io, fem_pair_count, s->room * PAIR_NODES, &s->found->slots, &s->slot);
    LAUNCH_SCAN(io, fem_pair_start, s->points, &s->slot);
    LAUNCH(io, fem_pair_place, s->room * PAIR_NODES, &s->found->slots, &s->slot);
    LAUNCH(io, fem_pair_order, s->points, NULL, &s->slot);
}

/* `role` of u, `force` of places at rest and of what else forces depend on. */
static pairs_sample pairs_sampled(case_io *io, case_role role, case_role force)
{
    pairs_sample s;
    memset(&s, 0, sizeof s);
    s.units = case_size(io, 600);
    s.points = s.units * PAIRS_POINTS;
    s.nodes = s.points + 1;
    s.pieces = s.units * (2 + PAIRS_EDGES);
    s.room = s.units * PAIRS_MOST;
    for (s.groups = 1024; s.groups < s.pieces;) s.groups *= 2;
    pairs_surface(io, &s);
    case_array *u = case_uniform(io, role, "u", 1, s.nodes * DIM, -0.1, 0.1);
    case_array *rest = case_uniform(io, force, "rest", 1, s.nodes * DIM, 0, 1);
    case_array *grip = case_uniform(io, force, "grip", 1, PAIR_GRIP, 50, 60);
    grip->value[PAIR_DISTANCE] = 0.06;
    for (int k = 0; k < s.points; k++) {
        double x[DIM];
        pairs_place(k / PAIRS_POINTS, k % PAIRS_POINTS, x);
        for (int a = 0; a < DIM; a++) rest->value[(k + 1) * DIM + a] = x[a] - u->value[(k + 1) * DIM + a];
    }
    s.a.u = (real *)case_upload(io, u, CASE_REAL);
    s.a.rest = (real *)case_upload(io, rest, CASE_REAL);
    s.a.grip = (wide *)case_upload(io, grip, CASE_WIDE);
    s.a.area = (real *)case_upload(io, case_uniform(io, force, "area", 1, s.points, 0.01, 0.02), CASE_REAL);
    s.a.part = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "part", 1, s.points, 0.05, 0.06), CASE_REAL);
    s.near.way.rest = s.a.rest;
    s.near.way.u = s.a.u;
    return s;
}

/* ---- which pieces are near --------------------------------------------------------------------------------- */

/* Points and edges on a way: the pairs are those that all boxes that meet have, each once, and in order. */
static void case_fem_pair_near(case_io *io)
{
    pairs_sample s = pairs_sampled(io, CASE_CONSTANT, CASE_CONSTANT);
    fem_pair_cross_args x;
    uint64_t *fault = HOST(io, uint64_t, 1);
    *fault = UINT64_MAX;
    s.near.way.du =
        (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "du", 1, s.nodes * DIM, -0.1, 0.1), CASE_REAL);
    s.near.way.from = -0.3;
    s.near.way.to = 0.4;
    pairs_find(io, &s);
    case_out(io, "number", CASE_INT, 1, s.points + s.a.s.edges, s.near.number);
    case_out(io, "first", CASE_INT, 1, s.points + s.a.s.edges, s.near.first);
    case_out(io, "found", CASE_INT, 1, 4, s.found);
    case_out(io, "pairs", CASE_INT, 1, s.room * PAIR_NODES, s.near.corner);
    case_out(io, "slots of points", CASE_INT, 1, s.points + 1, s.slot.start);
    case_out(io, "slots", CASE_INT, 1, s.room * PAIR_NODES, s.slot.list);
    x.near = s.near;
    x.fault = PUSH(io, uint64_t, fault, 1);
    LAUNCH(io, fem_pair_cross, DIM == 3 ? s.a.s.edges : s.a.s.faces, NULL, &x);
    case_out(io, "crossing", CASE_INT64, 1, 1, x.fault);
    const double *found = case_find(io, CASE_OUTPUT, "found")->value;
    case_expect(io, found[0] > 2 * s.units && found[0] <= s.room && found[1] > s.units, "units have pairs");
    case_expect(io, found[3] <= found[0] && found[3] >= found[0], "all pairs are listed");
    if (io->prefill || io->build->dual) return;
    const double *list = case_find(io, CASE_OUTPUT, "slots")->value,
                 *pairs = case_find(io, CASE_OUTPUT, "pairs")->value;
    const double *start = case_find(io, CASE_OUTPUT, "slots of points")->value;
    int sorted = 1;
    for (int k = 0; k < s.points; k++)
        for (int j = (int)start[k]; j < (int)start[k + 1]; j++)
            sorted &= (int)pairs[(int)list[j]] == k && (j == (int)start[k] || list[j] > list[j - 1]);
    case_expect(io, sorted, "slots are those of their points, ascending");
}
#define case_fem_pair_box case_fem_pair_near
#define case_fem_pair_cell case_fem_pair_near
#define case_fem_pair_most case_fem_pair_near
#define case_fem_pair_count case_fem_pair_near
#define case_fem_pair_start case_fem_pair_near
#define case_fem_pair_place case_fem_pair_near
#define case_fem_pair_order case_fem_pair_near
#define case_fem_pair_first case_fem_pair_near
#define case_fem_pair_list case_fem_pair_near
#define case_fem_pair_cross case_fem_pair_near

/* ---- forces ------------------------------------------------------------------------------------------------ */

/* Sets forces on nodes. */
static real *pairs_force(case_io *io, pairs_sample *s, case_how how)
{
    fem_pair_sum_args g;
    s->a.out = NEW(io, real, s->room * PAIR_NODES * DIM, CASE_SET);
    LAUNCH(io, fem_pair, s->room, &s->found->count, &s->a);
    g.s = s->a.s;
    g.start = s->slot.start;
    g.list = s->slot.list;
    g.in = s->a.out;
    g.out = NEW(io, real, s->nodes * DIM, how);
    LAUNCH(io, fem_pair_sum, s->points, NULL, &g);
    return g.out;
}

static void case_fem_pair(case_io *io)
{
    pairs_sample s = pairs_sampled(io, CASE_INPUT, CASE_INPUT);
    pairs_find(io, &s);
    case_out(io, "force", CASE_REAL, 1, s.nodes * DIM, pairs_force(io, &s, CASE_ADDED));
    if (!case_adjoint(io)) return;
    fem_pair_adj_args b;
    fem_pair_sum_args g;
    fem_pair_area_args n;
    wide *grip_bar = NEW(io, wide, PAIR_GRIP, CASE_SET);
    b.fwd = s.a;
    b.pairs = s.room;
    b.y = COTANGENT(io, real, "force");
    b.u_bar = NEW(io, real, s.room * PAIR_NODES * DIM, CASE_SET);
    b.rest_bar = NEW(io, real, s.room * PAIR_NODES * DIM, CASE_SET);
    b.area_bar = NEW(io, real, s.room * PAIR_NODES, CASE_SET);
    b.grip_bar = NEW_FIELD(io, PAIR_GRIP, s.room, CASE_SET);
    LAUNCH(io, fem_pair_adj, s.room, &s.found->count, &b);
    g.s = s.a.s;
    g.start = n.start = s.slot.start;
    g.list = n.list = s.slot.list;
    for (int k = 0; k < 2; k++) {
        g.in = k ? b.rest_bar : b.u_bar;
        g.out = NEW(io, real, s.nodes * DIM, CASE_ADDED);
        LAUNCH(io, fem_pair_sum, s.points, NULL, &g);
        case_gradient(io, k ? "rest" : "u", CASE_REAL, 1, s.nodes * DIM, g.out);
    }
    n.in = b.area_bar;
    n.out = NEW(io, real, s.points, CASE_ADDED);
    LAUNCH(io, fem_pair_area, s.points, NULL, &n);
    case_gradient(io, "area", CASE_REAL, 1, s.points, n.out);
    for (int k = 0; k < PAIR_GRIP; k++) {
        field_sum_args f;
        f.n = s.room;
        f.components = PAIR_GRIP;
        f.component = k;
        f.in = b.grip_bar;
        LAUNCH_SUM(io, field_sum, s.room, &s.found->count, &f, grip_bar + k);
    }
    case_gradient(io, "grip", CASE_WIDE, 1, PAIR_GRIP, grip_bar);
}
#define case_fem_pair_adj case_fem_pair
#define case_fem_pair_sum case_fem_pair
#define case_fem_pair_area case_fem_pair

/* ---- explicit steps ---------------------------------------------------------------------------------------- */

static void case_fem_pair_leap(case_io *io)
{
    pairs_sample s = pairs_sampled(io, CASE_CONSTANT, CASE_CONSTANT);
    fem_pair_leap_args l;
    fem_pair_watch_args w;
    fem_step step;
    memset(&step, 0, sizeof step);
    step.fault = UINT64_MAX;
    s.near.way.du =
        (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "du", 1, s.nodes * DIM, -0.05, 0.05), CASE_REAL);
    s.near.way.from = -0.5;
    s.near.way.to = 0;
    pairs_find(io, &s);
    l.fwd = w.fwd = s.a;
    l.start = w.start = s.slot.start;
    l.list = w.list = s.slot.list;
    l.v = s.near.way.du;
    l.mass = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "mass", 1, s.nodes * DIM, 1, 2), CASE_REAL);
    l.h = 0.5;
    l.square = 3;
    l.step = PUSH(io, fem_step, &step, 1);
    l.needed = contact_open(io);
    l.stiffer = contact_open(io);
    LAUNCH(io, fem_pair_leap, s.points, NULL, &l);
    w.own = 0;
    w.least = contact_open(io);
    w.gap = NEW(io, real, s.points, CASE_SET);
    w.touching = PUSH(io, int, HOST(io, int, s.points), s.points);
    w.counts = PUSH(io, int, HOST(io, int, 2), 2);
    LAUNCH(io, fem_pair_watch, s.points, NULL, &w);
    /* keys have the bits of the numbers that they are of (contact_key) */
    case_out(io, "needed", CASE_INT64, 1, 1, l.needed);
    case_out(io, "stiffer", CASE_INT64, 1, 1, l.stiffer);
    case_out(io, "least", CASE_DOUBLE, 1, 1, w.least);
    case_out(io, "gap", CASE_REAL, 1, s.points, w.gap);
    case_out(io, "touching", CASE_INT, 1, s.points, w.touching);
    case_out(io, "counts", CASE_INT, 1, 2, w.counts);
}
#define case_fem_pair_watch case_fem_pair_leap

#endif
