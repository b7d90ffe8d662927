/* fem_dilatation.h -- the dilatation of an element, projected so that it does not lock where it must keep its volume
 * (Simo, Taylor and Pister 1985; Hughes 2000, section 4.5, of the linear law):
 *
 *     theta = sum_m phi_m c_m,    c_m = (1/d_m) sum_q V_q phi_m J,    d_m = sum_q V_q phi_m^2,
 *
 * the projection of J in the volume at rest on the functions phi, which are orthogonal: Phi_0 = 1 and, in quadratic
 * products, Phi_k = xi_k, orthogonalised over the element. The energy is sum_q V w(F, theta), see dilatation.h. A
 * projection is its own transpose in this product, so that the internal force is
 *
 *     f_a = sum_q V (w_F + pi dJ/dF) g_a,    pi the projection of w_theta. */
#ifndef PIOLA_KERNELS_FEM_DILATATION_H
#define PIOLA_KERNELS_FEM_DILATATION_H

#include "kernels/fem/fem_batch.h"
#include "kernels/material/dilatation.h"
#include "kernels/material/hyperelastic_rest.h"

/* ---- orthogonal functions of the elements of a batch ------------------------------------------------------------ */

/* The Gram matrix sum_q V Phi Phi^T, and once it is factored, L with ones on the diagonal and d, of L diag(d) L^T. */
typedef struct {
    int functions;
    pack L[DILATATION_FUNCTIONS][DILATATION_FUNCTIONS], d[DILATATION_FUNCTIONS];
} fem_gram;

/* Sets Phi at quadrature point q of a rule, [DILATATION_FUNCTIONS]. */
PIO_FN void fem_raw_functions(const fem_rule *r, int q, real Phi[DILATATION_FUNCTIONS])
{
    real xi[3];
    element_point(r->type, r->points, q, xi);
    Phi[0] = R(1);
    for (int k = 0; k < DIM; k++) Phi[k + 1] = xi[k];
}

/* Empties the matrix. */
PIO_FN void fem_gram_clear(fem_gram *g, int functions)
{
    g->functions =
        functions < DILATATION_FUNCTIONS ? functions : DILATATION_FUNCTIONS; /* what a compiler may rely on */
    for (int i = 0; i < DILATATION_FUNCTIONS; i++) {
        g->d[i] = pack_of(R(0));
        for (int j = 0; j < DILATATION_FUNCTIONS; j++) g->L[i][j] = pack_of(R(0));
    }
}

/* Adds V Phi Phi^T. */
PIO_FN void fem_gram_add(fem_gram *g, pack V, const real Phi[DILATATION_FUNCTIONS])
{
    for (int i = 0; i < g->functions; i++)
        for (int j = 0; j <= i; j++) g->L[i][j] += V * (Phi[i] * Phi[j]);
}

/* Factors the matrix (Golub and Van Loan 2013, section 4.1). */
PIO_FN void fem_gram_factor(fem_gram *g)
{
    for (int j = 0; j < g->functions; j++) {
        for (int k = 0; k < j; k++) g->L[j][j] -= g->L[j][k] * g->L[j][k] * g->d[k];
        g->d[j] = g->L[j][j];
        for (int i = j + 1; i < g->functions; i++) {
            for (int k = 0; k < j; k++) g->L[i][j] -= g->L[i][k] * g->L[j][k] * g->d[k];
            g->L[i][j] /= g->d[j];
        }
    }
}

/* Replaces what belongs to Phi, the functions or sums of them, by what belongs to phi = L^-1 Phi. */
PIO_FN void fem_gram_forward(const fem_gram *g, pack x[DILATATION_FUNCTIONS])
{
    for (int i = 1; i < g->functions; i++)
        for (int k = 0; k < i; k++) x[i] -= g->L[i][k] * x[k];
}

/* Sets phi at quadrature point q. */
PIO_FN void fem_gram_functions(const fem_gram *g, const fem_rule *r, int q, pack phi[DILATATION_FUNCTIONS])
{
    real Phi[DILATATION_FUNCTIONS];
    fem_raw_functions(r, q, Phi);
    for (int m = 0; m < DILATATION_FUNCTIONS; m++) phi[m] = pack_of(Phi[m]); /* all, for compilers */
    fem_gram_forward(g, phi);
}

/* Turns sums over V phi into coefficients of the projection. */
PIO_FN void fem_gram_coefficients(const fem_gram *g, pack x[DILATATION_FUNCTIONS])
{
    for (int m = 0; m < g->functions; m++) x[m] /= g->d[m];
}

/* Returns sum_m phi_m c_m. */
PIO_FN pack fem_gram_value(const fem_gram *g, const pack phi[DILATATION_FUNCTIONS], const pack c[DILATATION_FUNCTIONS])
{
    pack sum = phi[0] * c[0];
    for (int m = 1; m < g->functions; m++) sum += phi[m] * c[m];
    return sum;
}

/* Returns m of dilatation.h of an element of this type: 2 mu/DIM at rest, or 0. */
PIO_FN real fem_held(const fem_block *b, int law, hyper_constants k)
{
    real mu, lambda;
    if (!b->dilatations || !element_is_held[b->rule.type]) return R(0);
    hyper_rest_moduli(law, k, &mu, &lambda);
    return R(2) / R(DIM) * mu;
}

/* Adds the cotangents of the constants by that of m. */
PIO_FN void fem_held_adj(const fem_block *b, int law, hyper_constants k, real m_bar, hyper_constants *k_bar)
{
    if (b->dilatations && element_is_held[b->rule.type])
        hyper_rest_moduli_adj(law, k, R(2) / R(DIM) * m_bar, R(0), k_bar);
}

/* ---- one element, for sums over it: its numbers are in the first lane ------------------------------------------ */

/* The functions of an element, and the coefficients of theta. */
typedef struct {
    fem_gram gram;
    pack c[DILATATION_FUNCTIONS];
} fem_dilatation;

/* Returns the projected dilatation of element i of the block at displacement u; of elements without one it is not
 * read. */
PIO_OUTLINE_FN fem_dilatation fem_dilatation_of(const fem_block *b, int i, int law, const real *u)
{
    fem_dilatation t;
    fem_gram_clear(&t.gram, b->dilatations);
    for (int m = 0; m < DILATATION_FUNCTIONS; m++) t.c[m] = pack_of(R(0));
    if (!b->dilatations) return t;
    for (int q = 0; q < b->rule.points; q++) {
        const fem_point p = fem_point_at(b, i, q);
        const mat F = mat_axpby(R(1), mat_diag(hyper_diagonal(law)), R(1), fem_gradient(b, i, &p, u));
        real Phi[DILATATION_FUNCTIONS];
        fem_raw_functions(&b->rule, q, Phi);
        fem_gram_add(&t.gram, pack_of(p.volume), Phi);
        for (int m = 0; m < b->dilatations; m++) t.c[m] += pack_of(p.volume * Phi[m] * dilatation(law, F));
    }
    fem_gram_factor(&t.gram);
    fem_gram_forward(&t.gram, t.c);
    fem_gram_coefficients(&t.gram, t.c);
    return t;
}

/* Returns at quadrature point q the polynomial of an element's functions with coefficients c. */
PIO_FN real fem_dilatation_value(const fem_dilatation *t, const fem_rule *r, int q, const pack c[DILATATION_FUNCTIONS])
{
    pack phi[DILATATION_FUNCTIONS];
    fem_gram_functions(&t->gram, r, q, phi);
    pack value = fem_gram_value(&t->gram, phi, c);
    return pack_lanes(&value)[0];
}

/* Adds V f phi to sums over an element's functions, V f being `x` at quadrature point q. */
PIO_FN void fem_dilatation_add(const fem_dilatation *t, const fem_rule *r, int q, real x,
                               pack sums[DILATATION_FUNCTIONS])
{
    pack phi[DILATATION_FUNCTIONS];
    fem_gram_functions(&t->gram, r, q, phi);
    for (int m = 0; m < t->gram.functions; m++) sums[m] += x * phi[m];
}

/* Returns what a law is a function of at quadrature point q of an element: F or grad u, or Fbar, from F or grad u
 * there. */
PIO_FN mat fem_dilated(const fem_block *b, const fem_dilatation *t, int law, int q, mat F)
{
    return b->dilatations ? dilated_at(law, F, fem_dilatation_value(t, &b->rule, q, t->c), R(0)).bar : F;
}

/* Returns the energy per volume at rest at quadrature point q of an element with thermal strain e, J/m^3. */
PIO_OUTLINE_FN real fem_psi(const fem_block *b, const fem_dilatation *t, int law, int q, mat F, hyper_constants k,
                            real e)
{
    if (!b->dilatations) return heat_psi(law, F, k, e);
    const dilated_point d = dilated_at(law, F, fem_dilatation_value(t, &b->rule, q, t->c), fem_held(b, law, k));
    return heat_psi(law, d.bar, k, e) + dilated_held(&d);
}

/* Returns 1 where the law has a value at quadrature point q of an element. */
PIO_FN int fem_dilated_admits(const fem_block *b, const fem_dilatation *t, int law, int q, mat F)
{
    return b->dilatations ? dilated_admits(law, F, fem_dilatation_value(t, &b->rule, q, t->c)) : hyper_admits(law, F);
}

/* ---- quadrature points of a batch -------------------------------------------------------------------------------- */

/* As dilated_point of dilatation.h. */
typedef struct {
    pack n, J, theta, s, r, m, l;
    pack_mat C, Y, T, bar;
} fem_dilated_batch;

/* Returns J: n det F + (1 - n) tr G, and sets dJ/dF. */
PIO_FN pack fem_batch_dilatation(const fem_batch *t, pack_mat F, pack_mat *C)
{
    const pack n = t->diagonal, linear = R(1) - n;
    const pack_mat cof = pack_mat_cofactor(F);
    *C = pack_mat_axpby(n, cof, linear, pack_mat_diag(pack_of(R(1))));
    return n * pack_mat_det(F, cof) + linear * pack_mat_trace(F);
}

/* Returns m of each element of a batch. */
PIO_FN pack fem_batch_held(const fem_block *b, const fem_matter *m, fem_batch *t)
{
    pack held = pack_of(R(0));
    if (!element_is_held[b->rule.type]) return held;
    for (int j = 0; j < PACK; j++)
        pack_lanes(&held)[j] = fem_held(b, m->law[b->first + fem_batch_item(t, j)], fem_batch_constants(t, j));
    return held;
}

/* Returns the parts of w at F, or G, and theta. */
PIO_FN fem_dilated_batch fem_dilated_batch_at(const fem_batch *t, pack_mat F, pack theta, pack m)
{
    fem_dilated_batch d;
    d.m = m;
    const pack n = t->diagonal, linear = R(1) - n;
    const pack_mat unit = pack_mat_diag(pack_of(R(1)));
    d.n = n;
    d.theta = theta;
    d.J = fem_batch_dilatation(t, F, &d.C);
    const pack J = n * d.J + linear; /* 1 of the linear law, whose J may be anything */
    d.r = R(1) / (n * theta + linear);
    d.s = pack_root(R(1) / (d.r * J));
    d.l = pack_log(J * d.r) + linear * (d.J - theta);
    d.Y = pack_mat_scale(R(1) / J, d.C);
    d.bar = pack_mat_axpby(d.s, F, linear * (theta - d.J) / R(DIM), unit);
    d.T = pack_mat_axpby(n, d.bar, linear, unit);
    return d;
}

/* Returns w_F and sets w_theta from P at Fbar. */
PIO_FN pack_mat fem_dilated_stress(const fem_dilated_batch *d, pack_mat P, pack *by_theta)
{
    const pack p = pack_mat_ddot(P, d->T) / R(DIM) - d->m * d->l;
    *by_theta = d->r * p;
    return pack_mat_axpby(d->s, P, -p, d->Y);
}

/* Returns the change of Fbar along (L, t). */
PIO_FN pack_mat fem_dilated_along(const fem_dilated_batch *d, pack_mat L, pack t)
{
    const pack e = (d->r * t - pack_mat_ddot(d->Y, L)) / R(DIM);
    return pack_mat_axpby(d->s, L, e, d->T);
}

/* Returns the change of w_F along (L, t), and sets that of w_theta, from P at Fbar, the change Lbar of Fbar and dP
 * along it: with e as in dilatation.h, dp = (dP : T + P : Lbar)/DIM and dY = -Y L^T Y,
 *     d(w_F) = s dP + e s P - dp Y - p dY,    d(w_theta) = r dp - p t r^2,    with p - m l for p and dl = Y : L - r t;
 * of the linear law T and Y are constant, and e s P is not there. */
PIO_FN pack_mat fem_dilated_stress_along(const fem_dilated_batch *d, pack_mat P, pack_mat dP, pack_mat L, pack t,
                                         pack_mat Lbar, pack *by_theta)
{
    const pack p = pack_mat_ddot(P, d->T) / R(DIM) - d->m * d->l, e = (d->r * t - pack_mat_ddot(d->Y, L)) / R(DIM);
    const pack dp = (pack_mat_ddot(dP, d->T) + d->n * pack_mat_ddot(P, Lbar)) / R(DIM) + d->m * R(DIM) * e;
    const pack_mat YLY = pack_mat_mul(d->Y, pack_mat_mul(pack_mat_transpose(L), d->Y));
    *by_theta = d->r * (dp - d->n * p * t * d->r);
    const pack_mat first = pack_mat_axpby(d->s, dP, d->n * e * d->s, P);
    return pack_mat_axpby(pack_of(R(1)), first, pack_of(R(1)), pack_mat_axpby(-dp, d->Y, d->n * p, YLY));
}

/* Returns the change of dJ/dF along L, J ((Y : L) Y - Y L^T Y), 0 of the linear law. */
PIO_FN pack_mat fem_dilated_slope_along(const fem_dilated_batch *d, pack_mat L)
{
    const pack_mat YLY = pack_mat_mul(d->Y, pack_mat_mul(pack_mat_transpose(L), d->Y));
    return pack_mat_axpby(d->n * d->J * pack_mat_ddot(d->Y, L), d->Y, -d->n * d->J, YLY);
}

#endif
