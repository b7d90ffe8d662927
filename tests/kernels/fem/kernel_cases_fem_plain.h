/* kernel_cases_fem_plain.h -- the kernels of elements that work on batches of them, written down once more for one
 * element and one quadrature point at a time. Case text: C11 and C++17. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_PLAIN_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_PLAIN_H

#include "kernels/fem/fem_solid.h"
#include "kernels/fem/fem_tangent.h"
#include "tests/kernels/base/kernel_plain.h"

/* Adds to the pairs K [node pairs][MATRIX] of element i what its quadrature point q gives: V g_a . A . g_b. */
static void plain_tangent_point(const fem_tangent_args *a, int i, int q, int projected, double *K)
{
    const int e = a->b.first + i;
    const fem_point p = fem_point_at(&a->b, i, q);
    real A[MATRIX][MATRIX];
    hyper_tangent(a->m.law[e], fem_deformation(a->m.law[e], &a->b, i, &p, a->u), fem_constants_of(&a->m, e), A);
    if (projected) hyper_project(A);
    for (int j = 0; j < a->node_pairs; j++) {
        const real *g = p.g[a->node_pair[j] >> 8], *h = p.g[a->node_pair[j] & 255];
        for (int r = 0; r < MATRIX; r++)     /* r: i and J of A_iJkL */
            for (int c = 0; c < MATRIX; c++) /* c: k and L */
                K[j * MATRIX + r / DIM * DIM + c / DIM] +=
                    (double)p.volume * (double)g[r % DIM] * (double)A[r][c] * (double)h[c % DIM];
    }
}

/* The matrices of the elements of one type, by fem_tangent or fem_tangent_projected. */
static void plain_tangent(case_io *io, const fem_tangent_args *a, int projected)
{
    const int numbers = a->node_pairs * MATRIX;
    if (!plain_compares(io)) return;
    double *K = HOST(io, double, a->b.n *numbers);
    for (int i = 0; i < a->b.n; i++)
        for (int q = 0; q < a->b.rule.points; q++) plain_tangent_point(a, i, q, projected, K + (ptrdiff_t)i * numbers);
    plain_expect(io, projected ? "projected element matrices" : "element matrices",
                 a->out + (ptrdiff_t)a->first_node_pair * MATRIX, K, 1, a->b.n * numbers);
}

/* The forces of the elements of one type, by fem_force. */
static void plain_force(case_io *io, const fem_force_args *a)
{
    const int nodes = a->b.rule.nodes;
    if (!plain_compares(io)) return;
    double *f = HOST(io, double, a->b.n *nodes *DIM);
    for (int i = 0; i < a->b.n; i++)
        for (int q = 0; q < a->b.rule.points; q++) {
            const int e = a->b.first + i;
            const fem_point p = fem_point_at(&a->b, i, q);
            const mat P =
                hyper_P(a->m.law[e], fem_deformation(a->m.law[e], &a->b, i, &p, a->u), fem_constants_of(&a->m, e));
            for (int c = 0; c < nodes * DIM * DIM; c++) /* c: node, component of P's row, and of its column */
                f[i * nodes * DIM + c / DIM] +=
                    (double)p.volume * (double)P.m[c / DIM % DIM][c % DIM] * (double)p.g[c / (DIM * DIM)][c % DIM];
        }
    plain_expect(io, "forces", a->out + (ptrdiff_t)a->b.first_element_node * DIM, f, 1, a->b.n * nodes * DIM);
}

#endif
