/* kernel_cases_fem_plain.h -- the kernels of elements that work on batches of them, written down once more for one
 * element and one quadrature point at a time. Case text: C11 and C++17. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_PLAIN_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_PLAIN_H

#include "kernels/fem/fem_solid.h"
#include "kernels/fem/fem_tangent.h"
#include "tests/kernels/base/kernel_plain.h"

#if PIO_DIM == 2
/* A quadrature point of a ring or a sheet, with F and third. */
typedef struct {
    fem_point p;
    int law;
    mat F;
    real third;
    hyper_constants k;
    real heat;
} plain_point;

static plain_point plain_point_at(const fem_block *b, const fem_matter *m, int i, int q, const real *u)
{
    plain_point x;
    x.p = fem_point_at(b, i, q);
    x.law = m->law[b->first + i];
    x.F = fem_deformation(x.law, b, i, &x.p, u);
    x.k = fem_constants_of(m, b->first + i);
    x.heat = fem_heat_of(m, b->first + i);
    x.third = fem_third(m, b, i, &x.p, x.F, u);
    return x;
}

/* Slope J of node n with component c: the third goes with the first component. */
static double plain_slope(const fem_point *p, int n, int c, int J)
{
    return J < DIM ? (double)p->g[n][J % DIM] : c == 0 ? (double)fem_third_slope(p, n) : 0;
}

/* The same of rings and sheets: V sum_JL g_aJ A_iJkL g_bL over three slopes. */
static void plain_third_point(const fem_tangent_args *a, int i, int q, int projected, double *K)
{
    const plain_point x = plain_point_at(&a->b, &a->m, i, q, a->u);
    real A[THIRD_SIDE][THIRD_SIDE];
    heat_third_tangent(a->b.plane, x.law, x.F, x.third, x.k, x.heat, A);
    if (projected) project_matrix(THIRD_SIDE, &A[0][0]);
    for (int j = 0; j < a->node_pairs; j++)
        for (int n = 0; n < 36; n++) { /* i and J, k and L */
            const int c = n / 18, J = n / 6 % 3, d = n / 3 % 2, L = n % 3;
            const double g = plain_slope(&x.p, a->node_pair[j] >> 8, c, J);
            const double h = plain_slope(&x.p, a->node_pair[j] & 255, d, L);
            K[j * MATRIX + c * DIM + d] +=
                (double)x.p.volume * g * (double)A[J < 2 ? 2 * c + J : 4][L < 2 ? 2 * d + L : 4] * h;
        }
}

static void plain_third_force(const fem_force_args *a, int i, int q, double *f)
{
    const plain_point x = plain_point_at(&a->b, &a->m, i, q, a->u);
    const third_stress r = heat_third_P(x.law, x.F, x.third, x.k, x.heat);
    for (int n = 0; n < a->b.rule.nodes * DIM; n++)
        for (int J = 0; J < 3; J++) {
            const double P = J < DIM ? (double)r.P.m[n % DIM][J % DIM] : (double)r.P33;
            f[n] += (double)x.p.volume * P * plain_slope(&x.p, n / DIM, n % DIM, J);
        }
}
#endif

/* Adds to the pairs K [node pairs][MATRIX] of element i what its quadrature point q gives: V g_a . A . g_b. */
static void plain_tangent_point(const fem_tangent_args *a, int i, int q, int projected, double *K)
{
    const int e = a->b.first + i;
    const fem_point p = fem_point_at(&a->b, i, q);
    real A[MATRIX][MATRIX];
#if PIO_DIM == 2
    if (a->b.plane) {
        plain_third_point(a, i, q, projected, K);
        return;
    }
#endif
    heat_tangent(a->m.law[e], fem_deformation(a->m.law[e], &a->b, i, &p, a->u), fem_constants_of(&a->m, e),
                 fem_heat_of(&a->m, e), A);
    if (projected) hyper_project(A);
    for (int j = 0; j < a->node_pairs; j++) {
        const real *g = p.g[a->node_pair[j] >> 8], *h = p.g[a->node_pair[j] & 255];
        for (int r = 0; r < MATRIX; r++)     /* r: i and J of A_iJkL */
            for (int c = 0; c < MATRIX; c++) /* c: k and L */
                K[j * MATRIX + r / DIM * DIM + c / DIM] +=
                    (double)p.volume * (double)g[r % DIM] * (double)A[r][c] * (double)h[c % DIM];
    }
}

/* Returns how many times as large as at rest the relative error of the matrices is where a body is crushed: the largest
 * |F^-1|/sqrt(DIM), at least 1. A law's A has F^-T twice: roundings dF of the sums over nodes change it by 2 |F^-1 dF|
 * of itself, and since no direction is theirs, by 2 |F^-1| dF/sqrt(DIM), which is 2 dF where F = I. */
static double plain_growth(const fem_tangent_args *a)
{
    double most = 1;
    for (int i = 0; i < a->b.n; i++)
        for (int q = 0; q < a->b.rule.points; q++) {
            const fem_point p = fem_point_at(&a->b, i, q);
            const mat F = mat_axpby(R(1), fem_gradient(&a->b, i, &p, a->u), R(1), mat_diag(R(1)));
            const mat cof = mat_cofactor(F);
            most = fmax(most, sqrt((double)mat_ddot(cof, cof) / DIM) / fabs((double)mat_det(F, cof)));
        }
    return most;
}

/* The matrices of the elements of one type, by fem_tangent or fem_tangent_projected. Of a crushed body the bound is
 * PLAIN_BOUND times plain_growth, 2.2 of the tet10 in 3D. There, in f32, over 60 bodies that differ by 1e-4, the kernel
 * was up to 6.0e-6 (1.7e-6 in the mean) of the largest from the numbers of f64, the plain version up to 5.8e-6
 * (2.3e-6), and one up to 6.1e-6 from the other: neither is the more exact one. Of other elements it was 1.1e-6. */
static void plain_tangent(case_io *io, const fem_tangent_args *a, int projected, int crushed)
{
    const int numbers = a->node_pairs * MATRIX;
    if (!plain_compares(io)) return;
    double *K = HOST(io, double, a->b.n *numbers);
    for (int i = 0; i < a->b.n; i++)
        for (int q = 0; q < a->b.rule.points; q++) plain_tangent_point(a, i, q, projected, K + (ptrdiff_t)i * numbers);
    plain_expect_within(io, PLAIN_BOUND * (crushed ? plain_growth(a) : 1),
                        projected ? "projected element matrices" : "element matrices",
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
#if PIO_DIM == 2
            if (a->b.plane) {
                plain_third_force(a, i, q, f + i * nodes * DIM);
                continue;
            }
#endif
            const mat P = heat_P(a->m.law[e], fem_deformation(a->m.law[e], &a->b, i, &p, a->u),
                                 fem_constants_of(&a->m, e), fem_heat_of(&a->m, e));
            for (int c = 0; c < nodes * DIM * DIM; c++) /* c: node, component of P's row, and of its column */
                f[i * nodes * DIM + c / DIM] +=
                    (double)p.volume * (double)P.m[c / DIM % DIM][c % DIM] * (double)p.g[c / (DIM * DIM)][c % DIM];
        }
    plain_expect(io, "forces", a->out + (ptrdiff_t)a->b.first_element_node * DIM, f, 1, a->b.n * nodes * DIM);
}

#endif
