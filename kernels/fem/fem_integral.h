/* fem_integral.h -- integrals over a body: sums over elements of a density phi per volume at rest, and means of it.
 *
 *     A = sum_e w_e sum_q V_q phi_q
 *     volume  phi = 1        mass  phi = rho        strain energy  phi = psi(F)
 *     stress  phi = (s/s0)^p, s von Mises' measure of Cauchy's stress, and the norm   y = s0 (A/B)^(1/p), B the volume
 *
 * in elements whose dilatation is projected, at Fbar (fem_dilatation.h). (The p-mean of stress: Duysinx and Sigmund
 * 1998; with p large it tends to the largest stress.) */
#ifndef PIOLA_KERNELS_FEM_INTEGRAL_H
#define PIOLA_KERNELS_FEM_INTEGRAL_H

#include "kernels/fem/fem_integral_args.h"
#include "kernels/fem/fem_solid.h"
#include "kernels/material/hyperelastic_stress.h"

/* Returns x^a for x >= 0 and a > 0; 0^a is 0. */
PIO_FN wide integral_power(wide x, double a)
{
    return x > W(0) ? exp(W(a) * log(x)) : W(0);
}

/* Returns phi of element e at F: 1, rho [kg/m^3], psi [J/m^3], or (s/s0)^p with s [Pa] von Mises' stress. */
PIO_OUTLINE_FN wide integrand(const fem_integral_args *a, int e, mat F, hyper_constants k)
{
    if (a->type == PIO_MASS) return W(a->m.density[e]);
    if (a->type == PIO_STRAIN_ENERGY) return W(hyper_psi(a->m.law[e], F, k));
    if (a->type != PIO_STRESS) return W(1);
    return integral_power(W(von_mises_square(a->m.law[e], a->form[e], F, k)) / W(a->size * a->size), a->power / 2);
}

/* Returns the term of element i: its weight times the integral of phi. */
PIO_OUTLINE_FN wide fem_integral(int i, const fem_integral_args *a)
{
    const int e = a->b.first + i;
    const hyper_constants k = fem_constants_of(&a->m, e);
    const int law = a->m.law[e];
    wide sum = W(0);
    if (!(fabs(a->weight[e]) > R(0))) return sum;
    const fem_dilatation t = fem_dilatation_of(&a->b, i, law, a->u);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const mat F = fem_deformation(law, &a->b, i, &p, a->u);
        const wide phi = a->type == PIO_STRAIN_ENERGY ? W(fem_psi(&a->b, &t, law, q, F, k))
                                                      : integrand(a, e, fem_dilated(&a->b, &t, law, q, F), k);
        sum += W(p.volume) * phi;
    }
    return W(a->weight[e]) * sum;
}

/* Returns bar dphi/dF, and adds bar dphi/dk to k_bar. Volume and mass depend on neither; for stress the derivative is
 * (p/2) x^(p/2 - 1) dx with x = (s/s0)^2, and it is taken as 0 where there is no stress. */
PIO_OUTLINE_FN mat integrand_adj(const fem_integral_args *a, int e, mat F, hyper_constants k, wide bar,
                                 hyper_constants *k_bar)
{
    const int law = a->m.law[e];
    mat F_bar = mat_diag(R(0));
    if (a->type == PIO_STRAIN_ENERGY) {
        hyper_psi_theta(law, F, R(bar), k, k_bar);
        F_bar = mat_scale(R(bar), hyper_P(law, F, k));
    }
    if (a->type == PIO_STRESS) { /* through the square of s/s0 */
        const double half = a->power / 2, unit = 1 / (a->size * a->size);
        const wide x = W(von_mises_square(law, a->form[e], F, k)) * W(unit);
        const wide slope = x > W(0) ? W(half) * exp(W(half - 1) * log(x)) : W(0);
        von_mises_square_adj(law, a->form[e], F, k, R(bar * slope * W(unit)), &F_bar, k_bar);
    }
    return F_bar;
}

/* Adds to the cotangents at the nodes of element i what phi gives through the projected dilatation, with pi the
 * projection of dphi/dtheta, whose sums over V are `pi`:
 *     u_bar_a += sum_q V pi dJ/dF g_a,   X_bar_a += sum_q V (pi (J - theta) I - (grad u)^T pi dJ/dF) g_a. */
PIO_FN void integral_dilatation_adj(int i, const fem_integral_adj_args *s, const fem_dilatation *t,
                                    pack pi[DILATATION_FUNCTIONS])
{
    const fem_integral_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes, law = a->m.law[a->b.first + i];
    const ptrdiff_t at = ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    fem_gram_coefficients(&t->gram, pi);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const mat G = fem_gradient(&a->b, i, &p, a->u);
        const mat F = mat_axpby(R(1), mat_diag(hyper_diagonal(law)), R(1), G);
        const real value = fem_dilatation_value(t, &a->b.rule, q, pi);
        const real theta = fem_dilatation_value(t, &a->b.rule, q, t->c);
        const mat M = mat_scale(value, dilatation_slope(law, F));
        const mat by_volume = mat_diag(value * (dilatation(law, F) - theta));
        fem_element_add(s->u_bar + at, nodes, &p, M);
        fem_element_add(s->rest_bar + at, nodes, &p, mat_axpby(R(1), by_volume, R(-1), mat_t_mul(G, M)));
    }
}

/* Cotangents that the points of an element add to. */
typedef struct {
    const fem_dilatation *t;
    hyper_constants k;             /* of the constants, of one point */
    pack pi[DILATATION_FUNCTIONS]; /* sums of V bar dphi/dtheta */
    real phi;                      /* bar phi of a point */
} integral_bar;

/* Returns bar dphi/dF at quadrature point q, which is p, of element i, adds bar dphi/dk to r->k, and sets r->phi. Where
 * the dilatation is projected it is bar dphi/dF at constant theta, and V bar dphi/dtheta is added to the sums r->pi. */
PIO_FN mat integral_point_adj(const fem_integral_args *a, int i, int q, const fem_point *p, mat F, wide bar,
                              integral_bar *r)
{
    const int e = a->b.first + i, law = a->m.law[e];
    const hyper_constants k = fem_constants_of(&a->m, e);
    real by_theta;
    if (!a->b.dilatations) {
        r->phi = R(bar * integrand(a, e, F, k));
        return integrand_adj(a, e, F, k, bar, &r->k);
    }
    const real held = a->type == PIO_STRAIN_ENERGY ? fem_held(&a->b, law, k) : R(0);
    dilated_point d = dilated_at(law, F, fem_dilatation_value(r->t, &a->b.rule, q, r->t->c), held);
    r->phi = R(bar * (integrand(a, e, d.bar, k) + W(dilated_held(&d))));
    if (held > R(0)) fem_held_adj(&a->b, law, k, R(bar) * R(0.5) * d.l * d.l, &r->k);
    d.m *= R(bar); /* P is of bar phi */
    const mat Phi = dilated_slope(&d, integrand_adj(a, e, d.bar, k, bar, &r->k), &by_theta);
    fem_dilatation_add(r->t, &a->b.rule, q, p->volume * by_theta, r->pi);
    return Phi;
}

/* Sets the cotangents at element i's nodes, and adds those of its parameters. */
PIO_FN void fem_integral_adj(int i, const fem_integral_adj_args *s)
{
    const fem_integral_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes, e = a->b.first + i, law = a->m.law[e];
    const ptrdiff_t at = ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    const wide bar = W(s->scale) * *s->integral_bar * W(a->weight[e]); /* of stress, far from 1: phi makes up for it */
    hyper_constants k_bar;
    integral_bar r;
    real thick_bar = R(0), volume = R(0);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k_bar.k[c] = R(0);
    for (int m = 0; m < DILATATION_FUNCTIONS; m++) r.pi[m] = pack_of(R(0));
    for (int c = 0; c < nodes * DIM; c++) s->u_bar[at + c] = s->rest_bar[at + c] = R(0);
    if (!(fabs(a->weight[e]) > R(0))) return;
    const fem_dilatation t = fem_dilatation_of(&a->b, i, law, a->u);
    r.t = &t;
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const mat G = fem_gradient(&a->b, i, &p, a->u);
        const mat F = mat_axpby(R(1), mat_diag(hyper_diagonal(law)), R(1), G);
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++) r.k.k[c] = R(0);
        const mat Phi = integral_point_adj(a, i, q, &p, F, bar, &r);
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k_bar.k[c] += p.volume * r.k.k[c];
        fem_element_add(s->u_bar + at, nodes, &p, Phi);
        fem_element_add(s->rest_bar + at, nodes, &p, mat_axpby(R(1), mat_diag(r.phi), R(-1), mat_t_mul(G, Phi)));
        thick_bar += p.area * r.phi;
        volume += p.volume;
    }
    if (a->b.dilatations) integral_dilatation_adj(i, s, &t, r.pi);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        s->k_bar[field_at(a->m.elements, PIO_LAW_CONSTANTS, c, e)] += k_bar.k[c];
    if (a->type == PIO_MASS) s->density_bar[e] += R(bar) * volume;
    if (s->thick_bar) s->thick_bar[e] += thick_bar;
}

/* ---- the norm of stress ------------------------------------------------------------------------------------ */

/* Returns the norm y = s0 (A/B)^(1/p) of the sums A >= 0 and B > 0, Pa. */
PIO_FN wide norm_of(const fem_norm_args *a)
{
    return W(a->size) * integral_power(a->sums[0] / a->sums[1], 1 / a->power);
}

/* Adds the norm to the sample; the one item is 0. */
PIO_FN void fem_norm(int i, const fem_norm_args *a)
{
    (void)i;
    *a->sample += W(a->weight) * norm_of(a);
}

/* Sets the cotangents of A and B; the one item is 0. */
PIO_FN void fem_norm_adj(int i, const fem_norm_adj_args *b)
{
    const fem_norm_args *a = &b->fwd;
    const wide bar = W(a->weight) * *b->sample_bar * norm_of(a) / W(a->power);
    (void)i;
    b->sums_bar[0] = a->sums[0] > W(0) ? bar / a->sums[0] : W(0);
    b->sums_bar[1] = -bar / a->sums[1];
}

#endif
