/* kernel_cases_fem_pairs_drag.h -- cases of friction between surfaces that touch each other, in implicit steps. Case
 * text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_PAIRS_DRAG_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_PAIRS_DRAG_H

#include "kernels/fem/fem_pairs_drag.h"
#include "tests/kernels/fem/kernel_cases_fem_pairs_friction.h"
#include "tests/kernels/fem/kernel_cases_fem_pairs_implicit.h"

/* Units whose pieces slide on each other, with the pairs that they have, and `v` of their nodes as a role says; `u` and
 * `other` as of pairs_sampled(). */
static pairs_sample dragged_sampled(case_io *io, case_role u, case_role v, case_role other, fem_pair_drag_args *a)
{
    pairs_sample s = pairs_sampled(io, u, other);
    case_array *speed = case_uniform(io, v, "v", 1, s.nodes * DIM, -1, 1);
    pairs_find(io, &s);
    a->rub = (wide *)case_upload(io, case_uniform(io, other, "rub", 1, PAIR_RUB, 0.3, 0.6), CASE_WIDE);
    a->v = (real *)case_upload(io, speed, CASE_REAL);
    return s;
}

/* Sets the friction on nodes. */
static real *dragged_force(case_io *io, pairs_sample *s, fem_pair_drag_args *a, case_how how)
{
    fem_pair_sum_args g;
    a->fwd = s->a;
    a->fwd.out = NEW(io, real, s->room * PAIR_NODES * DIM, CASE_ZERO);
    LAUNCH(io, fem_pair_drag, s->room, &s->found->count, a);
    g.s = s->a.s;
    g.start = s->slot.start;
    g.list = s->slot.list;
    g.in = a->fwd.out;
    g.out = NEW(io, real, s->nodes * DIM, how);
    LAUNCH(io, fem_pair_sum, s->points, NULL, &g);
    return g.out;
}

static void case_fem_pair_drag(case_io *io)
{
    fem_pair_drag_args a;
    pairs_sample s = dragged_sampled(io, CASE_INPUT, CASE_INPUT, CASE_INPUT, &a);
    case_out(io, "force", CASE_REAL, 1, s.nodes * DIM, dragged_force(io, &s, &a, CASE_ADDED));
    if (!case_adjoint(io)) return;
    const int slots = s.room * PAIR_NODES;
    fem_pair_drag_adj_args b;
    rubbed_sample r;
    fem_pair_rub_adj_args to;
    memset(&r, 0, sizeof r);
    r.s = s;
    r.kick.start = s.slot.start;
    r.kick.list = s.slot.list;
    b.fwd = a;
    b.pairs = s.room;
    b.y = COTANGENT(io, real, "force");
    b.u_bar = to.u_bar = NEW(io, real, slots * DIM, CASE_ZERO);
    b.rest_bar = to.rest_bar = NEW(io, real, slots * DIM, CASE_ZERO);
    b.area_bar = to.area_bar = NEW(io, real, slots, CASE_ZERO);
    b.grip_bar = to.grip_bar = NEW_FIELD(io, PAIR_GRIP, s.room, CASE_ZERO);
    b.rub_bar = to.rub_bar = NEW_FIELD(io, PAIR_RUB, s.room, CASE_SET);
    b.velocity_bar = NEW(io, real, slots * DIM, CASE_SET);
    LAUNCH(io, fem_pair_drag_adj, s.room, &s.found->count, &b);
    real *v_bar = NEW(io, real, s.nodes * DIM, CASE_ADDED);
    rubbed_add(io, &r, b.velocity_bar, v_bar);
    case_gradient(io, "v", CASE_REAL, 1, s.nodes * DIM, v_bar);
    rubbed_gradients(io, &r, &to, NEW(io, real, s.nodes * DIM, CASE_ADDED));
}
#define case_fem_pair_drag_adj case_fem_pair_drag

/* The matrices of the pairs, which are nothing else. */
static real *dragged_matrix(case_io *io, pairs_sample *s, const fem_pair_drag_args *a, double rate, int projected,
                            const int *constrained)
{
    fem_pair_drag_matrix_args m;
    m.fwd = *a;
    m.fwd.fwd = s->a;
    m.rate = rate;
    m.projected = projected;
    m.constrained = PUSH(io, int, constrained, s->nodes);
    m.value = PUSH(io, real, HOST(io, real, s->room * PAIRS_MATRIX), s->room * PAIRS_MATRIX);
    LAUNCH(io, fem_pair_drag_matrix, s->room, &s->found->count, &m);
    return m.value;
}

/* The product with the matrix's transpose, blocks beside it transposed as well, is the adjoint of friction at
 * velocities that change with the places. */
static void dragged_transposed(case_io *io, pairs_sample *s, const real *value)
{
    int *item = HOST(io, int, s->nodes);
    for (int i = 0; i < s->nodes; i++) item[i] = i - 1;
    bsr_jacobi_args own; /* the product with blocks on the diagonal */
    own.inverse = pairs_diagonal(io, s, value, CASE_ZERO);
    own.transposed = 1;
    own.x = COTANGENT(io, real, "force");
    own.y = NEW(io, real, s->nodes * DIM, CASE_SET);
    LAUNCH(io, bsr_jacobi, s->nodes, NULL, &own);
    bsr_beside_apply_args beside;
    beside.b.items = s->points;
    beside.b.size = PAIR_NODES;
    beside.b.row = s->a.s.node;
    beside.b.item = PUSH(io, int, item, s->nodes);
    beside.b.start = s->slot.start;
    beside.b.list = s->slot.list;
    beside.b.member = s->a.corner;
    beside.b.value = value;
    beside.transposed = 1;
    beside.x = own.x;
    beside.y = own.y;
    LAUNCH(io, bsr_beside_apply, s->points, NULL, &beside);
    case_gradient(io, "u", CASE_REAL, 1, s->nodes * DIM, own.y);
}

static void case_fem_pair_drag_matrix(case_io *io)
{
    const double rate = 7;
    fem_pair_drag_args a;
    pairs_sample s = dragged_sampled(io, CASE_INPUT, CASE_CONSTANT, CASE_CONSTANT, &a);
    point_axpby_args move;
    move.a = R(1);
    move.b = R(rate);
    move.x = a.v;
    move.y = s.a.u;
    move.out = NEW(io, real, s.nodes * DIM, CASE_SET);
    LAUNCH(io, point_axpby, s.nodes, NULL, &move);
    a.v = move.out;
    case_out(io, "force", CASE_REAL, 1, s.nodes * DIM, dragged_force(io, &s, &a, CASE_ADDED));
    if (!case_adjoint(io)) return;
    dragged_transposed(io, &s, dragged_matrix(io, &s, &a, rate, 0, HOST(io, int, s.nodes)));
}

/* Returns the least y . K y of the matrices of pairs, over the sizes of its terms, with numbers y. */
static double dragged_least(const double *value, int count, const double *y)
{
    double least = 0;
    for (int i = 0; i < count; i++) {
        double form = 0, size = 1e-30;
        for (int c = 0; c < PAIRS_MATRIX; c++) {
            const int n = c / (PAIR_NODES * DIM * DIM), m = c / (DIM * DIM) % PAIR_NODES, p = c / DIM % DIM,
                      q = c % DIM;
            const double term = y[n * DIM + p + i] * value[i * PAIRS_MATRIX + c] * y[m * DIM + q + i];
            form += term;
            size += fabs(term);
        }
        least = fmin(least, form / size);
    }
    return least;
}

/* Whether matrices of pairs are symmetric, and 0 where unknowns are constrained. */
static int dragged_symmetric(const double *value, const double *pairs, int count, const int *constrained)
{
    int right = 1;
    for (int i = 0; i < count; i++)
        for (int c = 0; c < PAIRS_MATRIX; c++) {
            const int n = c / (PAIR_NODES * DIM * DIM), m = c / (DIM * DIM) % PAIR_NODES, p = c / DIM % DIM,
                      q = c % DIM;
            const double own = value[i * PAIRS_MATRIX + c];
            const double other = value[i * PAIRS_MATRIX + ((m * PAIR_NODES + n) * DIM + q) * DIM + p];
            const int held = constrained[(int)pairs[i * PAIR_NODES + n] + 1] >> p & 1 ||
                             constrained[(int)pairs[i * PAIR_NODES + m] + 1] >> q & 1;
            right &= fabs(own - other) <= 1e-6 * (fabs(own) + 1) && (!held || !(fabs(own) > 0));
        }
    return right;
}

/* Projected matrices are those of a potential. */
static void dragged_projected(case_io *io, pairs_sample *s, const fem_pair_drag_args *a, double rate)
{
    int *constrained = HOST(io, int, s->nodes);
    const case_array *y = case_uniform(io, CASE_CONSTANT, "y", 1, s->room + PAIR_NODES * DIM, -1, 1);
    for (int i = 0; i < s->nodes; i++) constrained[i] = i % 3 ? 0 : 1 + i % ((1 << DIM) - 1);
    real *matrices = dragged_matrix(io, s, a, rate, 1, constrained);
    case_out(io, "pairs", CASE_INT, 1, s->room * PAIR_NODES, s->near.corner);
    case_out(io, "found", CASE_INT, 1, 4, s->found);
    case_out(io, "matrices", CASE_REAL, 1, s->room * PAIRS_MATRIX, matrices);
    if (io->prefill || io->build->dual) return;
    const int count = (int)case_find(io, CASE_OUTPUT, "found")->value[0];
    const double *value = case_find(io, CASE_OUTPUT, "matrices")->value;
    case_expect(io, dragged_symmetric(value, case_find(io, CASE_OUTPUT, "pairs")->value, count, constrained),
                "projected matrices are symmetric, and nothing where unknowns are constrained");
    case_expect(io, dragged_least(value, count, y->value) > (sizeof(real) == 4 ? -1e-5 : -1e-13),
                "projected matrices have no negative part");
}

/* What is like a potential has the friction, divided by the rate, as its derivative by the velocities. */
static void case_fem_pair_drag_work(case_io *io)
{
    const double rate = 3;
    fem_pair_drag_args a;
    pairs_sample s = dragged_sampled(io, CASE_CONSTANT, CASE_INPUT, CASE_CONSTANT, &a);
    fem_pair_drag_work_args w;
    wide *energy = NEW(io, wide, 1, CASE_SET);
    w.fwd = s.a;
    w.rub = a.rub;
    w.v = a.v;
    w.rate = rate;
    LAUNCH_SUM(io, fem_pair_drag_work, s.room, &s.found->count, &w, energy);
    case_out(io, "energy", CASE_WIDE, 1, 1, energy);
    if (!io->large && !io->build->dual) dragged_projected(io, &s, &a, rate);
    if (!case_adjoint(io)) return;
    double E_bar = 0;
    const wide *bar = COTANGENT(io, wide, "energy");
    case_expect(io, !io->machine->download(io->machine->stream, &E_bar, bar, sizeof E_bar), "a download");
    point_axpby_args scale;
    scale.a = R(E_bar / rate);
    scale.b = R(0);
    scale.x = scale.y = dragged_force(io, &s, &a, CASE_ZERO);
    scale.out = NEW(io, real, s.nodes * DIM, CASE_SET);
    LAUNCH(io, point_axpby, s.nodes, NULL, &scale);
    case_gradient(io, "v", CASE_REAL, 1, s.nodes * DIM, scale.out);
}

#endif
