/* fem_dilated_tangent.h -- the tangent of elements whose dilatation is projected (fem_dilatation.h), as fem_tangent.h
 * has that of the others. With H the second derivatives of w + pi J in (F, theta), and phi orthogonal,
 *
 *     K_ab = sum_q V g_a . H_FF . g_b + sum_m (G_ma B_mb^T + B_ma G_mb^T)
 *     B_ma = (1/d_m) sum_q V phi_m dJ/dF g_a      the gradient of c_m
 *     G_ma = sum_q V phi_m H_F,theta g_a + 1/2 sum_n D_mn B_na,     D_mn = sum_q V phi_m phi_n H_theta,theta
 *
 * The projected tangent has H without its negative part, so that no element's matrix is indefinite. */
#ifndef PIOLA_KERNELS_FEM_DILATED_TANGENT_H
#define PIOLA_KERNELS_FEM_DILATED_TANGENT_H

#include "kernels/fem/fem_dilatation.h"
#include "kernels/fem/fem_dilated.h"
#include "kernels/fem/fem_tangent.h"

/* What the lanes of a team share: of one quadrature point, and of the element. */
typedef struct {
    fem_tangent_shared s;
    fem_gram gram;
    pack theta[DILATATION_FUNCTIONS], pi[DILATATION_FUNCTIONS];
    pack phi[DILATATION_FUNCTIONS]; /* at the quadrature point */
    pack_mat C;                     /* dJ/dF there */
    pack_mat mixed;                 /* H_F,theta */
    pack D[DILATATION_FUNCTIONS][DILATATION_FUNCTIONS];
    pack B[ELEMENT_NODES][DILATATION_FUNCTIONS][DIM], G[ELEMENT_NODES][DILATATION_FUNCTIONS][DIM];
} fem_dilated_tangent_shared;

/* The same for the projected tangent. */
typedef fem_dilated_tangent_shared fem_dilated_tangent_projected_shared;

/* Adds what quadrature point q gives to the Gram matrix and to the sums of theta. */
PIO_FN void fem_dilated_tangent_open(const fem_tangent_args *a, fem_dilated_tangent_shared *e, int q)
{
    fem_tangent_shared *s = &e->s;
    real Phi[DILATATION_FUNCTIONS];
    fem_raw_functions(&a->b.rule, q, Phi);
    fem_gram_add(&e->gram, s->p.volume, Phi);
    const pack VJ =
        s->p.volume * fem_batch_dilatation(&s->t, fem_batch_deformation(&s->t, &s->p, &s->u, a->b.rule.nodes), &e->C);
    for (int m = 0; m < a->b.dilatations; m++) {
        e->phi[m] = pack_of(Phi[m]);
        e->theta[m] += Phi[m] * VJ;
    }
}

/* Adds what a quadrature point gives to B of node n, before it belongs to orthogonal functions. */
PIO_FN void fem_dilated_tangent_slope(fem_dilated_tangent_shared *e, int functions, int n)
{
    for (int c = 0; c < DIM; c++) {
        const pack f = e->s.p.volume * packs_dot(e->C.m[c], e->s.p.g[n]);
        for (int m = 0; m < functions; m++) e->B[n][m][c] += e->phi[m] * f;
    }
}

/* Makes B of node n that of orthogonal functions, and divides it by d. */
PIO_FN void fem_dilated_tangent_slope_end(fem_dilated_tangent_shared *e, int n)
{
    for (int c = 0; c < DIM; c++) {
        pack x[DILATATION_FUNCTIONS];
        for (int m = 0; m < e->gram.functions; m++) x[m] = e->B[n][m][c];
        fem_gram_forward(&e->gram, x);
        fem_gram_coefficients(&e->gram, x);
        for (int m = 0; m < e->gram.functions; m++) e->B[n][m][c] = x[m];
    }
}

/* Adds what quadrature point q gives to the sums of pi. */
PIO_FN void fem_dilated_tangent_pressure(const fem_tangent_args *a, fem_dilated_tangent_shared *e, int q)
{
    fem_tangent_shared *s = &e->s;
    pack by_theta;
    fem_gram_functions(&e->gram, &a->b.rule, q, e->phi);
    const fem_dilated_batch d =
        fem_dilated_batch_at(&s->t, fem_batch_deformation(&s->t, &s->p, &s->u, a->b.rule.nodes),
                             fem_gram_value(&e->gram, e->phi, e->theta), fem_batch_held(&a->b, &a->m, &s->t));
    pack_mat P;
    fem_dilated_law(&a->m, &a->b, &s->t, &d.bar, &P);
    fem_dilated_stress(&d, P, &by_theta);
    for (int m = 0; m < a->b.dilatations; m++) e->pi[m] += e->phi[m] * (s->p.volume * by_theta);
}

/* Sets V H_FF and H_F,theta at quadrature point q, without their negative part with `project`, and adds to D. */
PIO_FN void fem_dilated_tangent_point(const fem_tangent_args *a, fem_dilated_tangent_shared *e, int q, int project)
{
    fem_tangent_shared *s = &e->s;
    pack by_theta_twice = pack_of(R(0));
    pack_mat F = fem_batch_deformation(&s->t, &s->p, &s->u, a->b.rule.nodes);
    fem_gram_functions(&e->gram, &a->b.rule, q, e->phi);
    pack theta = fem_gram_value(&e->gram, e->phi, e->theta), pi = fem_gram_value(&e->gram, e->phi, e->pi);
    s->by_terms = 0;
    for (int j = 0; j < PACK; j++) {
        const int law = a->m.law[a->b.first + fem_batch_item(&s->t, j)];
        const hyper_constants k = fem_batch_constants(&s->t, j);
        const real V = pack_lanes(&s->p.volume)[j];
        dilated_point d = dilated_at(law, pack_mat_lane(&F, j), pack_lanes(&theta)[j], fem_held(&a->b, law, k));
        real H[DILATED_SIDE][DILATED_SIDE];
        mat mixed;
        d.e = pack_lanes(&s->t.heat)[j];
        dilated_hessian(law, &d, heat_P(law, d.bar, k, d.e), pack_lanes(&pi)[j], k, H);
        if (a->reduced) H[MATRIX][MATRIX] -= a->reduced[a->b.first + fem_batch_item(&s->t, j)];
        if (project) project_matrix(DILATED_SIDE, &H[0][0]);
        for (int row = 0; row < MATRIX; row++) {
            mixed.m[row / DIM][row % DIM] = H[row][MATRIX];
            for (int col = 0; col < MATRIX; col++)
                pack_lanes(&s->A[row % DIM][col % DIM][row / DIM * DIM + col / DIM])[j] = V * H[row][col];
        }
        pack_mat_lane_put(&e->mixed, j, mixed);
        pack_lanes(&by_theta_twice)[j] = V * H[MATRIX][MATRIX];
    }
    for (int m = 0; m < a->b.dilatations; m++)
        for (int n = 0; n < a->b.dilatations; n++) e->D[m][n] += e->phi[m] * e->phi[n] * by_theta_twice;
}

/* Adds what a quadrature point gives to G of node n. */
PIO_FN void fem_dilated_tangent_mixed(fem_dilated_tangent_shared *e, int functions, int n)
{
    for (int c = 0; c < DIM; c++) {
        const pack f = e->s.p.volume * packs_dot(e->mixed.m[c], e->s.p.g[n]);
        for (int m = 0; m < functions; m++) e->G[n][m][c] += e->phi[m] * f;
    }
}

/* Adds 1/2 D B to G of node n. */
PIO_FN void fem_dilated_tangent_mixed_end(fem_dilated_tangent_shared *e, int functions, int n)
{
    for (int m = 0; m < functions; m++)
        for (int o = 0; o < functions; o++)
            for (int c = 0; c < DIM; c++) e->G[n][m][c] += R(0.5) * e->D[m][o] * e->B[n][o][c];
}

/* Adds to K [MATRIX] what the dilatation gives to the pair of nodes n and o. */
PIO_FN void fem_dilated_tangent_pair(const fem_dilated_tangent_shared *e, int functions, int n, int o, pack *K)
{
    for (int m = 0; m < functions; m++)
        for (int c = 0; c < DIM; c++)
            for (int k = 0; k < DIM; k++)
                K[c * DIM + k] += e->G[n][m][c] * e->B[o][m][k] + e->B[n][m][c] * e->G[o][m][k];
}

/* Empties what is summed over the points. */
PIO_FN void fem_dilated_tangent_clear(fem_dilated_tangent_shared *e, int functions)
{
    fem_gram_clear(&e->gram, functions);
    for (int m = 0; m < DILATATION_FUNCTIONS; m++) {
        e->theta[m] = e->pi[m] = pack_of(R(0));
        for (int n = 0; n < DILATATION_FUNCTIONS; n++) e->D[m][n] = pack_of(R(0));
    }
}

/* Sets the place of quadrature point q of the elements, by all lanes. */
PIO_FN void fem_dilated_tangent_visit(const fem_tangent_args *a, fem_tangent_shared *s, int q)
{
    LANES (j, 1) fem_batch_jacobian(&s->p, &s->t, &s->X, &a->b.rule, q + j);
    TEAM_SYNC();
    LANES (n, a->b.rule.nodes) fem_batch_slope(&s->p, &a->b.rule, q, n);
    TEAM_SYNC();
}

/* Sets theta, pi and B. */
PIO_FN void fem_dilated_tangent_begin(const fem_tangent_args *a, fem_dilated_tangent_shared *e)
{
    const int nodes = a->b.rule.nodes, functions = a->b.dilatations;
    LANES (j, 1) fem_dilated_tangent_clear(e, functions + j);
    LANES (n, nodes)
        for (int m = 0; m < DILATATION_FUNCTIONS; m++)
            for (int c = 0; c < DIM; c++) e->B[n][m][c] = e->G[n][m][c] = pack_of(R(0));
    TEAM_SYNC();
    for (int q = 0; q < a->b.rule.points; q++) {
        fem_dilated_tangent_visit(a, &e->s, q);
        LANES (j, 1) fem_dilated_tangent_open(a, e, q + j);
        TEAM_SYNC();
        LANES (n, nodes) fem_dilated_tangent_slope(e, functions, n);
        TEAM_SYNC();
    }
    LANES (j, 1) {
        fem_gram_factor(&e->gram);
        fem_gram_forward(&e->gram, e->theta);
        fem_gram_coefficients(&e->gram, e->theta + j);
    }
    TEAM_SYNC();
    LANES (n, nodes) fem_dilated_tangent_slope_end(e, n);
    for (int q = 0; q < a->b.rule.points; q++) {
        TEAM_SYNC();
        fem_dilated_tangent_visit(a, &e->s, q);
        LANES (j, 1) fem_dilated_tangent_pressure(a, e, q + j);
    }
    TEAM_SYNC();
    LANES (j, 1) fem_gram_coefficients(&e->gram, e->pi + j);
    TEAM_SYNC();
}

/* Sets the element matrices of the batch that begins with element i, with H or without its negative part. */
PIO_FN void fem_dilated_tangent_of(int i, fem_dilated_tangent_shared *e, const fem_tangent_args *a, int project)
{
    const int nodes = a->b.rule.nodes, functions = a->b.dilatations;
    fem_tangent_shared *s = &e->s;
    if (!fem_batch_begins(i)) return;
    pack *K = fem_tangent_sums(s, a, i);
    LANES (j, a->node_pairs)
        for (int c = 0; c < MATRIX; c++) K[(ptrdiff_t)j * MATRIX + c] = pack_of(R(0));
    LANES (j, 1) {
        fem_batch_open(&s->t, &a->b, &a->m, i + j);
        fem_batch_load(&s->X, &s->t, &a->b, a->b.rest);
        fem_batch_load(&s->u, &s->t, &a->b, a->u);
    }
    TEAM_SYNC();
    fem_dilated_tangent_begin(a, e);
    for (int q = 0; q < a->b.rule.points; q++) {
        fem_dilated_tangent_visit(a, s, q);
        LANES (j, 1) fem_dilated_tangent_point(a, e, q + j, project);
        TEAM_SYNC();
        LANES (n, nodes) {
            fem_tangent_node(s, n);
            fem_dilated_tangent_mixed(e, functions, n);
        }
        TEAM_SYNC();
        LANES (j, a->node_pairs)
            fem_tangent_pair(s, a->node_pair[j] >> 8, a->node_pair[j] & 255, K + (ptrdiff_t)j * MATRIX);
        TEAM_SYNC();
    }
    LANES (n, nodes) fem_dilated_tangent_mixed_end(e, functions, n);
    TEAM_SYNC();
    LANES (j, a->node_pairs)
        fem_dilated_tangent_pair(e, functions, a->node_pair[j] >> 8, a->node_pair[j] & 255, K + (ptrdiff_t)j * MATRIX);
#if PIO_LANE_LOOPS
    const int numbers = a->node_pairs * MATRIX;
    packs_store(a->out + (ptrdiff_t)a->first_node_pair * MATRIX + (ptrdiff_t)i * numbers, numbers, s->t.m, K, numbers);
#endif
}

/* Sets the element matrix of element i. */
PIO_FN void fem_dilated_tangent(int i, fem_dilated_tangent_shared *s, const fem_dilated_tangent_args *a)
{
    fem_dilated_tangent_of(i, s, a, 0);
}

/* Sets the element matrix of element i with the projected tangent. */
PIO_FN void fem_dilated_tangent_projected(int i, fem_dilated_tangent_projected_shared *s,
                                          const fem_dilated_tangent_projected_args *a)
{
    fem_dilated_tangent_of(i, s, a, 1);
}

#endif
