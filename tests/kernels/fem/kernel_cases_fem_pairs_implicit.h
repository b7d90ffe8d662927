/* kernel_cases_fem_pairs_implicit.h -- cases of contact of surfaces with each other in implicit steps: its potential,
 * its part of the matrix, and how far points may go. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_PAIRS_IMPLICIT_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_PAIRS_IMPLICIT_H

#include "kernels/fem/fem_pairs_implicit.h"
#include "tests/kernels/fem/kernel_cases_fem_pairs.h"

enum { PAIRS_BLOCKS = PAIR_NODES * PAIR_NODES, PAIRS_MATRIX = PAIRS_BLOCKS * DIM * DIM };

/* The forces are the gradient of the potential. */
static void case_fem_pair_energy(case_io *io)
{
    pairs_sample s = pairs_sampled(io, CASE_INPUT, CASE_CONSTANT);
    wide *energy = NEW(io, wide, 1, CASE_SET);
    pairs_find(io, &s);
    LAUNCH_SUM(io, fem_pair_energy, s.room, &s.found->count, &s.a, energy);
    case_out(io, "energy", CASE_WIDE, 1, 1, energy);
    if (!case_adjoint(io)) return;
    double E_bar = 0;
    const wide *bar = COTANGENT(io, wide, "energy");
    case_expect(io, !io->machine->download(io->machine->stream, &E_bar, bar, sizeof E_bar), "a download");
    point_axpby_args scale;
    scale.a = R(E_bar);
    scale.b = R(0);
    scale.x = scale.y = pairs_force(io, &s, CASE_ZERO);
    scale.out = NEW(io, real, s.nodes * DIM, CASE_SET);
    LAUNCH(io, point_axpby, s.nodes, NULL, &scale);
    case_gradient(io, "u", CASE_REAL, 1, s.nodes * DIM, scale.out);
}

/* Sets the matrices of the pairs. */
static fem_pair_matrix_args pairs_matrix(case_io *io, pairs_sample *s, int projected, const int *constrained)
{
    fem_pair_matrix_args m;
    m.fwd = s->a;
    m.projected = projected;
    m.constrained = PUSH(io, int, constrained, s->nodes);
    m.value = PUSH(io, real, HOST(io, real, s->room * PAIRS_MATRIX), s->room * PAIRS_MATRIX);
    LAUNCH(io, fem_pair_matrix, s->room, &s->found->count, &m);
    return m;
}

/* Adds their blocks on the diagonal to one of each node. */
static real *pairs_diagonal(case_io *io, pairs_sample *s, const real *value, case_how how)
{
    fem_pair_diagonal_args d;
    d.start = s->slot.start;
    d.list = s->slot.list;
    d.value = value;
    d.first_node_pair = 1; /* the nodes of points begin there, too */
    d.out = NEW(io, real, s->nodes * DIM * DIM, how);
    LAUNCH(io, fem_pair_diagonal, s->points, NULL, &d);
    return d.out;
}

/* The matrix, of which the blocks on the diagonal are apart from the others, is the derivative of the forces. */
static void case_fem_pair_matrix(case_io *io)
{
    pairs_sample s = pairs_sampled(io, CASE_INPUT, CASE_CONSTANT);
    pairs_find(io, &s);
    case_out(io, "force", CASE_REAL, 1, s.nodes * DIM, pairs_force(io, &s, CASE_ADDED));
    if (!case_adjoint(io)) return;
    int *item = HOST(io, int, s.nodes);
    for (int i = 0; i < s.nodes; i++) item[i] = i - 1;
    const fem_pair_matrix_args m = pairs_matrix(io, &s, 0, HOST(io, int, s.nodes));
    bsr_jacobi_args own; /* the product with blocks on the diagonal */
    own.inverse = pairs_diagonal(io, &s, m.value, CASE_ZERO);
    own.transposed = 0;
    own.x = COTANGENT(io, real, "force");
    own.y = NEW(io, real, s.nodes * DIM, CASE_SET);
    LAUNCH(io, bsr_jacobi, s.nodes, NULL, &own);
    bsr_beside_apply_args beside;
    beside.b.items = s.points;
    beside.b.size = PAIR_NODES;
    beside.b.row = s.a.s.node;
    beside.b.item = PUSH(io, int, item, s.nodes);
    beside.b.start = s.slot.start;
    beside.b.list = s.slot.list;
    beside.b.member = s.a.corner;
    beside.b.value = m.value;
    beside.transposed = 0;
    beside.x = own.x;
    beside.y = own.y;
    LAUNCH(io, bsr_beside_apply, s.points, NULL, &beside);
    case_gradient(io, "u", CASE_REAL, 1, s.nodes * DIM, own.y);
}

/* Whether every block of pairs is the transpose of the one across the diagonal, is 0 where unknowns are constrained,
 * and not negative on the diagonal. */
static int pairs_are_symmetric(const double *value, const double *pairs, int count, const int *constrained)
{
    int right = 1;
    for (int i = 0; i < count; i++)
        for (int c = 0; c < PAIRS_MATRIX; c++) {
            const int n = c / (PAIR_NODES * DIM * DIM), m = c / (DIM * DIM) % PAIR_NODES, a = c / DIM % DIM,
                      b = c % DIM;
            const double own = value[i * PAIRS_MATRIX + c];
            const double other = value[i * PAIRS_MATRIX + ((m * PAIR_NODES + n) * DIM + b) * DIM + a];
            const int row = constrained[(int)pairs[i * PAIR_NODES + n] + 1] >> a & 1,
                      column = constrained[(int)pairs[i * PAIR_NODES + m] + 1] >> b & 1;
            right &= fabs(own - other) <= 1e-6 * (fabs(own) + 1) && (!(row || column) || !(fabs(own) > 0));
            right &= n != m || a != b || row || own >= 0;
        }
    return right;
}

static void case_fem_pair_diagonal(case_io *io)
{
    pairs_sample s = pairs_sampled(io, CASE_CONSTANT, CASE_CONSTANT);
    int *constrained = HOST(io, int, s.nodes);
    for (int i = 0; i < s.nodes; i++) constrained[i] = i % 3 ? 0 : 1 + i % ((1 << DIM) - 1);
    pairs_find(io, &s);
    const fem_pair_matrix_args m = pairs_matrix(io, &s, 1, constrained);
    case_out(io, "pairs", CASE_INT, 1, s.room * PAIR_NODES, s.near.corner);
    case_out(io, "found", CASE_INT, 1, 4, s.found);
    if (!io->large) case_out(io, "matrices", CASE_REAL, 1, s.room * PAIRS_MATRIX, m.value);
    case_out(io, "blocks", CASE_REAL, 1, s.nodes * DIM * DIM, pairs_diagonal(io, &s, m.value, CASE_ADDED));
    if (io->large || io->prefill || io->build->dual) return;
    const int count = (int)case_find(io, CASE_OUTPUT, "found")->value[0];
    case_expect(io, count > s.units, "units have pairs");
    case_expect(io,
                pairs_are_symmetric(case_find(io, CASE_OUTPUT, "matrices")->value,
                                    case_find(io, CASE_OUTPUT, "pairs")->value, count, constrained),
                "matrices are symmetric, and nothing where unknowns are constrained");
}

/* The least part of a way that pairs leave, and that it is found whatever points and edges find it. */
static void case_fem_pair_reach(case_io *io)
{
    pairs_sample s = pairs_sampled(io, CASE_CONSTANT, CASE_CONSTANT);
    fem_pair_reach_args r;
    s.near.way.du =
        (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "du", 1, s.nodes * DIM, -0.1, 0.1), CASE_REAL);
    s.near.way.from = 0;
    s.near.way.to = 0.9;
    pairs_find(io, &s);
    r.near = s.near;
    r.number = PUSH(io, int, HOST(io, int, s.points + s.a.s.edges), s.points + s.a.s.edges);
    r.limit = contact_open(io);
    LAUNCH(io, fem_pair_reach, s.points + s.a.s.edges, NULL, &r);
    case_out(io, "limit", CASE_DOUBLE, 1, 1, r.limit);
    case_out(io, "compared", CASE_INT, 1, s.points + s.a.s.edges, r.number);
    const double limit = *case_find(io, CASE_OUTPUT, "limit")->value;
    case_expect(io, limit > 0 && limit < 1, "something is in the way");
}

#endif
