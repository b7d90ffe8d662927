/* kernel_cases_fem_tie.h -- the case of tied nodes. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_TIE_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_TIE_H

#include "tests/kernels/fem/kernel_cases_fem_face.h"

/* Returns a copy of x, which launches may change. */
static real *tie_copy(case_io *io, int nodes, const real *x)
{
    point_axpby_args copy;
    copy.a = R(1);
    copy.b = R(0);
    copy.x = copy.y = x;
    copy.out = NEW(io, real, nodes * DIM, CASE_SET);
    LAUNCH(io, point_axpby, nodes, NULL, &copy);
    return copy.out;
}

/* Every third node is tied to one to four of the others; and the transpose. */
static void case_fem_tie(case_io *io)
{
    const int third = case_size(io, 700), nodes = 3 * third;
    int *node = HOST(io, int, third), *start = HOST(io, int, third + 1), *master = HOST(io, int, 4 * third);
    int *others = HOST(io, int, nodes), *begin = HOST(io, int, nodes + 1), *tied = HOST(io, int, 4 * third);
    int *end = HOST(io, int, nodes + 1), masters = 0, n = 0;
    real *weight = HOST(io, real, 4 * third), *turned = HOST(io, real, 4 * third);
    for (int s = 0; s < third; s++) {
        node[s] = 3 * s;
        for (int j = 0; j <= s % 4; j++, n++) {
            master[n] = 3 * ((37 * s + 11 * j) % third) + 1 + j % 2;
            weight[n] = R(case_unit("weight of a tie", 4 * s + j) - 0.2);
            end[master[n] + 1]++;
        }
        start[s + 1] = n;
    }
    for (int k = 0; k < nodes; k++) {
        if (end[k + 1]) others[masters++] = k, begin[masters] = end[k] + end[k + 1];
        end[k + 1] += end[k];
    }
    for (int s = third - 1; s >= 0; s--)
        for (int j = start[s + 1] - 1; j >= start[s]; j--) {
            const int at = --end[master[j] + 1];
            tied[at] = node[s];
            turned[at] = weight[j];
        }
    fem_tie_args a;
    a.node = PUSH(io, int, node, third);
    a.start = PUSH(io, int, start, third + 1);
    a.master = PUSH(io, int, master, n);
    a.weight = PUSH(io, real, weight, n);
    a.x = tie_copy(io, nodes,
                   (real *)case_upload(io, case_uniform(io, CASE_INPUT, "x", 1, nodes * DIM, -1, 1), CASE_REAL));
    LAUNCH(io, fem_tie, third, NULL, &a);
    case_out(io, "tied", CASE_REAL, 1, nodes * DIM, a.x);
    if (!case_adjoint(io)) return;
    fem_tie_adj_args b;
    fem_tie_clear_args clear;
    b.node = PUSH(io, int, others, masters);
    b.start = PUSH(io, int, begin, masters + 1);
    b.tied = PUSH(io, int, tied, n);
    b.weight = PUSH(io, real, turned, n);
    b.x = clear.x = tie_copy(io, nodes, COTANGENT(io, real, "tied"));
    clear.node = a.node;
    LAUNCH(io, fem_tie_adj, masters, NULL, &b);
    LAUNCH(io, fem_tie_clear, third, NULL, &clear);
    case_gradient(io, "x", CASE_REAL, 1, nodes * DIM, b.x);
}
#define case_fem_tie_adj case_fem_tie
#define case_fem_tie_clear case_fem_tie

#endif
