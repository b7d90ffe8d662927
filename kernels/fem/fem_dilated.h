/* fem_dilated.h -- internal forces of elements whose dilatation is projected (fem_dilatation.h), and their adjoint, as
 * fem_force.h has them of the others.
 *
 *     f_a = sum_q V_q (w_F + pi dJ/dF) g_a,    pi the projection of w_theta
 *
 * Points are visited three times: for J, for w and its derivatives, and for what their projections add. */
#ifndef PIOLA_KERNELS_FEM_DILATED_H
#define PIOLA_KERNELS_FEM_DILATED_H

#include "kernels/fem/fem_dilatation.h"
#include "kernels/fem/fem_force.h"

/* The fields of a batch that all three visits need, and what they have found. */
typedef struct {
    fem_batch t;
    pack m;                  /* of dilatation.h */
    fem_batch_nodes X, u, y; /* rest positions, displacement, and in the adjoint the cotangent of the forces */
    fem_gram gram;
    pack theta[DILATATION_FUNCTIONS], pi[DILATATION_FUNCTIONS]; /* coefficients of theta, and of pi */
    pack t_y[DILATATION_FUNCTIONS], z[DILATATION_FUNCTIONS];    /* of the changes of both along y */
} fem_dilated_work;

/* Sets the projected dilatation, and with `along` its change along y, where the displacement's gradient is L: the
 * projection of dJ/dF : L. */
PIO_FN void fem_dilated_open(fem_dilated_work *w, fem_batch_point *p, const fem_block *b, const fem_matter *matter,
                             int along)
{
    const int nodes = b->rule.nodes;
    w->m = fem_batch_held(b, matter, &w->t);
    fem_gram_clear(&w->gram, b->dilatations);
    for (int m = 0; m < DILATATION_FUNCTIONS; m++) w->theta[m] = w->pi[m] = w->t_y[m] = w->z[m] = pack_of(R(0));
    for (int q = 0; q < b->rule.points; q++) {
        real Phi[DILATATION_FUNCTIONS];
        pack_mat C;
        fem_batch_point_at(p, &w->t, &w->X, &b->rule, q);
        fem_raw_functions(&b->rule, q, Phi);
        fem_gram_add(&w->gram, p->volume, Phi);
        const pack VJ = p->volume * fem_batch_dilatation(&w->t, fem_batch_deformation(&w->t, p, &w->u, nodes), &C);
        for (int m = 0; m < b->dilatations; m++) w->theta[m] += Phi[m] * VJ;
        if (!along) continue;
        const pack VCL = p->volume * pack_mat_ddot(C, fem_batch_gradient(p, &w->y, nodes));
        for (int m = 0; m < b->dilatations; m++) w->t_y[m] += Phi[m] * VCL;
    }
    fem_gram_factor(&w->gram);
    fem_gram_forward(&w->gram, w->theta);
    fem_gram_forward(&w->gram, w->t_y);
    fem_gram_coefficients(&w->gram, w->theta);
    fem_gram_coefficients(&w->gram, w->t_y);
}

/* ---- the law at Fbar; a body of each, whichever kernel is at work ------------------------------------------------ */

/* Sets P at F, Pa. */
PIO_OUTLINE_FN void fem_dilated_law(const fem_matter *m, const fem_block *b, fem_batch *t, const pack_mat *F,
                                    pack_mat *P)
{
    *P = fem_batch_P(m, b, t, *F, fem_terms_of(t->law, *F, t->k[0], t->k[1], pack_of(R(1))));
}

/* Sets P at F and its derivative along L, Pa. */
PIO_OUTLINE_FN void fem_dilated_law_along(const fem_matter *m, const fem_block *b, fem_batch *t, const pack_mat *F,
                                          const pack_mat *L, pack_mat *P, pack_mat *dP)
{
    const fem_terms r = fem_terms_of(t->law, *F, t->k[0], t->k[1], pack_of(R(1)));
    *P = fem_batch_P(m, b, t, *F, r);
    *dP = fem_batch_dP(m, b, t, *F, *L, r);
}

/* Adds P_bar : dP/dk at F to the cotangents of the constants. */
PIO_OUTLINE_FN void fem_dilated_law_theta(const fem_matter *m, const fem_block *b, fem_batch *t, const pack_mat *F,
                                          const pack_mat *P_bar, pack k_bar[PIO_LAW_CONSTANTS])
{
    fem_batch_theta(m, b, t, *F, *P_bar, fem_terms_of(t->law, *F, t->k[0], t->k[1], pack_of(R(1))), k_bar);
}

/* Sets the nodal forces of the batch that begins with element i, N. */
PIO_FN void fem_dilated_force(int i, const fem_dilated_force_args *a)
{
    const int nodes = a->b.rule.nodes;
    real *out = a->out + ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    fem_dilated_work w;
    fem_batch_point p;
    BATCH_SUMS(f, out);
    if (!fem_batch_begins(i)) return;
    fem_batch_open(&w.t, &a->b, &a->m, i);
    fem_batch_load(&w.X, &w.t, &a->b, a->b.rest);
    fem_batch_load(&w.u, &w.t, &a->b, a->u);
    fem_batch_clear(f, nodes);
    fem_dilated_open(&w, &p, &a->b, &a->m, 0);
    for (int q = 0; q < a->b.rule.points; q++) {
        pack phi[DILATATION_FUNCTIONS], by_theta;
        fem_batch_point_at(&p, &w.t, &w.X, &a->b.rule, q);
        fem_gram_functions(&w.gram, &a->b.rule, q, phi);
        const pack_mat F = fem_batch_deformation(&w.t, &p, &w.u, nodes);
        const fem_dilated_batch d = fem_dilated_batch_at(&w.t, F, fem_gram_value(&w.gram, phi, w.theta), w.m);
        pack_mat P;
        fem_dilated_law(&a->m, &a->b, &w.t, &d.bar, &P);
        fem_batch_add(f, nodes, &p, fem_dilated_stress(&d, P, &by_theta));
        for (int m = 0; m < a->b.dilatations; m++) w.pi[m] += phi[m] * (p.volume * by_theta);
    }
    fem_gram_coefficients(&w.gram, w.pi);
    for (int q = 0; q < a->b.rule.points; q++) {
        pack phi[DILATATION_FUNCTIONS];
        pack_mat C;
        fem_batch_point_at(&p, &w.t, &w.X, &a->b.rule, q);
        fem_gram_functions(&w.gram, &a->b.rule, q, phi);
        fem_batch_dilatation(&w.t, fem_batch_deformation(&w.t, &p, &w.u, nodes), &C);
        fem_batch_add(f, nodes, &p, pack_mat_scale(fem_gram_value(&w.gram, phi, w.pi), C));
    }
    fem_batch_store(out, &w.t, f, nodes);
}

/* Returns a I - G^T B - L^T M, what a change of X makes of an integral whose integrand is a, B : dG and M : dL. */
PIO_FN pack_mat fem_dilated_rest(pack a, pack_mat G, pack_mat B, pack_mat L, pack_mat M)
{
    const pack one = pack_of(R(1));
    const pack_mat GB = pack_mat_mul(pack_mat_transpose(G), B), LM = pack_mat_mul(pack_mat_transpose(L), M);
    return pack_mat_axpby(one, pack_mat_axpby(one, pack_mat_diag(a), -one, GB), -one, LM);
}

/* Where the sums of the adjoint of a batch are, [nodes][DIM]; NULL where they are not wanted. */
typedef struct {
    pack *u_bar, *rest_bar, *force;
    fem_force_bar bar;
    pack m_bar;
} fem_dilated_bar;

/* Adds the cotangents of the constants by that of m. */
PIO_FN void fem_dilated_held_adj(const fem_force_adj_args *s, fem_batch *t, fem_dilated_bar *bar)
{
    const fem_force_args *a = &s->fwd;
    if (!s->k_bar || !element_is_held[a->b.rule.type]) return;
    for (int j = 0; j < t->m; j++) {
        hyper_constants k_bar;
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k_bar.k[c] = R(0);
        fem_held_adj(&a->b, a->m.law[a->b.first + t->first + j], fem_batch_constants(t, j), pack_lanes(&bar->m_bar)[j],
                     &k_bar);
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++) pack_lanes(&bar->bar.k_bar[c])[j] += k_bar.k[c];
    }
}

/* Adds what w gives at quadrature point q to the sums, and to those of its projections. */
PIO_FN void fem_dilated_adj_law(const fem_dilated_force_adj_args *s, fem_dilated_work *w, fem_batch_point *p, int q,
                                fem_dilated_bar *bar)
{
    const fem_force_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes;
    const pack one = pack_of(R(1));
    pack phi[DILATATION_FUNCTIONS], by_theta, along_theta;
    fem_batch_point_at(p, &w->t, &w->X, &a->b.rule, q);
    fem_gram_functions(&w->gram, &a->b.rule, q, phi);
    const pack_mat G = fem_batch_gradient(p, &w->u, nodes), L = fem_batch_gradient(p, &w->y, nodes);
    const pack t = fem_gram_value(&w->gram, phi, w->t_y);
    const fem_dilated_batch d = fem_dilated_batch_at(&w->t, pack_mat_axpby(one, G, one, pack_mat_diag(w->t.diagonal)),
                                                     fem_gram_value(&w->gram, phi, w->theta), w->m);
    const pack_mat Lbar = fem_dilated_along(&d, L, t), P_bar = pack_mat_scale(p->volume, Lbar);
    pack_mat P, dP;
    fem_dilated_law_along(&a->m, &a->b, &w->t, &d.bar, &Lbar, &P, &dP);
    if (s->k_bar) fem_dilated_law_theta(&a->m, &a->b, &w->t, &d.bar, &P_bar, bar->bar.k_bar);
    if (s->heat_bar) fem_batch_heat(&a->m, &a->b, &w->t, &d.bar, &P_bar, &bar->bar.heat_bar);
    const pack_mat M = fem_dilated_stress(&d, P, &by_theta);
    const pack_mat B = fem_dilated_stress_along(&d, P, dP, L, t, Lbar, &along_theta);
    for (int m = 0; m < a->b.dilatations; m++) {
        w->pi[m] += phi[m] * (p->volume * by_theta);
        w->z[m] += phi[m] * (p->volume * along_theta);
    }
    fem_batch_add(bar->u_bar, nodes, p, B);
    const pack along_l = pack_mat_ddot(d.Y, L) - d.r * t, PL = pack_mat_ddot(P, Lbar) + d.m * d.l * along_l;
    bar->m_bar += p->volume * d.l * along_l;
    bar->bar.thick_bar += p->area * PL;
    if (bar->force) fem_batch_add(bar->force, nodes, p, M);
    if (bar->rest_bar) fem_batch_add(bar->rest_bar, nodes, p, fem_dilated_rest(PL, G, B, L, M));
}

/* Adds what the projections give at quadrature point q: with z that of the change of w_theta, and t_y that of dJ/dF :
 * L,
 *     z dJ/dF + pi d2J/dF2 L to u_bar;  of the volumes in the projections  z (J - theta) + pi (dJ/dF : L - t_y). */
PIO_FN void fem_dilated_adj_projection(const fem_dilated_force_adj_args *s, fem_dilated_work *w, fem_batch_point *p,
                                       int q, fem_dilated_bar *bar)
{
    const fem_force_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes;
    const pack one = pack_of(R(1));
    pack phi[DILATATION_FUNCTIONS];
    fem_batch_point_at(p, &w->t, &w->X, &a->b.rule, q);
    fem_gram_functions(&w->gram, &a->b.rule, q, phi);
    const pack_mat G = fem_batch_gradient(p, &w->u, nodes), L = fem_batch_gradient(p, &w->y, nodes);
    const pack theta = fem_gram_value(&w->gram, phi, w->theta), t = fem_gram_value(&w->gram, phi, w->t_y);
    const pack pi = fem_gram_value(&w->gram, phi, w->pi), z = fem_gram_value(&w->gram, phi, w->z);
    const fem_dilated_batch d =
        fem_dilated_batch_at(&w->t, pack_mat_axpby(one, G, one, pack_mat_diag(w->t.diagonal)), theta, w->m);
    const pack_mat M = pack_mat_scale(pi, d.C);
    const pack_mat B = pack_mat_axpby(z, d.C, pi, fem_dilated_slope_along(&d, L));
    fem_batch_add(bar->u_bar, nodes, p, B);
    if (bar->force) fem_batch_add(bar->force, nodes, p, M);
    const pack by_volume = z * (d.J - theta) + pi * (pack_mat_ddot(d.C, L) - t);
    if (bar->rest_bar) fem_batch_add(bar->rest_bar, nodes, p, fem_dilated_rest(by_volume, G, B, L, M));
}

/* Sets the cotangents at the nodes of the batch that begins with element i, and adds those of its constants and
 * thickness. */
PIO_FN void fem_dilated_force_adj(int i, const fem_dilated_force_adj_args *s)
{
    const fem_force_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes;
    const ptrdiff_t at = ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    fem_dilated_work w;
    fem_batch_point p;
    fem_dilated_bar bar;
    BATCH_SUMS(u_bar, s->u_bar + at);
    BATCH_SUMS(rest_bar, s->rest_bar ? s->rest_bar + at : NULL);
    BATCH_SUMS(force, s->force ? s->force + at : NULL);
    if (!fem_batch_begins(i)) return;
    fem_batch_open(&w.t, &a->b, &a->m, i);
    fem_batch_load(&w.X, &w.t, &a->b, a->b.rest);
    fem_batch_load(&w.u, &w.t, &a->b, a->u);
    fem_batch_load(&w.y, &w.t, &a->b, s->y);
    bar.u_bar = u_bar;
    bar.rest_bar = s->rest_bar ? rest_bar : NULL;
    bar.force = s->force ? force : NULL;
    bar.m_bar = pack_of(R(0));
    fem_force_bar_clear(&bar.bar);
    fem_batch_clear(u_bar, nodes);
    if (s->rest_bar) fem_batch_clear(rest_bar, nodes);
    if (s->force) fem_batch_clear(force, nodes);
    fem_dilated_open(&w, &p, &a->b, &a->m, 1);
    for (int q = 0; q < a->b.rule.points; q++) fem_dilated_adj_law(s, &w, &p, q, &bar);
    fem_gram_coefficients(&w.gram, w.pi);
    fem_gram_coefficients(&w.gram, w.z);
    for (int q = 0; q < a->b.rule.points; q++) fem_dilated_adj_projection(s, &w, &p, q, &bar);
    fem_batch_store(s->u_bar + at, &w.t, u_bar, nodes);
    if (s->rest_bar) fem_batch_store(s->rest_bar + at, &w.t, rest_bar, nodes);
    if (s->force) fem_batch_store(s->force + at, &w.t, force, nodes);
    fem_dilated_held_adj(s, &w.t, &bar);
    fem_force_bar_add(s, &w.t, &bar.bar);
}

#endif
