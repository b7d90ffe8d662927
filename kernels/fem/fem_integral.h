/* fem_integral.h -- integrals over a body: sums over elements of a density phi per volume at rest, and means of it.
 *
 *     A = sum_e w_e sum_q V_q phi_q
 *     volume  phi = 1        mass  phi = rho        strain energy  phi = psi(F)
 *     stress  phi = (s/s0)^p, s von Mises' measure of Cauchy's stress, and the norm   y = s0 (A/B)^(1/p), B the volume
 *
 * (the p-mean of stress: Duysinx and Sigmund 1998; with p large it tends to the largest stress). */
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
PIO_FN wide integrand(const fem_integral_args *a, int e, mat F, hyper_constants k)
{
    if (a->type == PIO_MASS) return W(a->m.density[e]);
    if (a->type == PIO_STRAIN_ENERGY) return W(hyper_psi(a->m.law[e], F, k));
    if (a->type != PIO_STRESS) return W(1);
    return integral_power(W(von_mises_square(a->m.law[e], a->form[e], F, k)) / W(a->size * a->size), a->power / 2);
}

/* Returns the term of element i: its weight times the integral of phi. */
PIO_FN wide fem_integral(int i, const fem_integral_args *a)
{
    const int e = a->b.first + i;
    const hyper_constants k = fem_constants_of(&a->m, e);
    wide sum = W(0);
    if (!(fabs(a->weight[e]) > R(0))) return sum;
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        sum += W(p.volume) * integrand(a, e, fem_deformation(a->m.law[e], &a->b, i, &p, a->u), k);
    }
    return W(a->weight[e]) * sum;
}

/* Returns bar dphi/dF, and adds bar dphi/dk to k_bar. Volume and mass depend on neither; for stress the derivative is
 * (p/2) x^(p/2 - 1) dx with x = (s/s0)^2, and it is taken as 0 where there is no stress. */
PIO_FN mat integrand_adj(const fem_integral_args *a, int e, mat F, hyper_constants k, wide bar, hyper_constants *k_bar)
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

/* Sets the cotangents at element i's nodes, and adds those of its parameters. */
PIO_FN void fem_integral_adj(int i, const fem_integral_adj_args *s)
{
    const fem_integral_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes, e = a->b.first + i;
    const ptrdiff_t at = ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    const wide bar = W(s->scale) * *s->integral_bar * W(a->weight[e]); /* of stress, far from 1: phi makes up for it */
    const hyper_constants k = fem_constants_of(&a->m, e);
    hyper_constants k_bar;
    real thick_bar = R(0), volume = R(0);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k_bar.k[c] = R(0);
    for (int c = 0; c < nodes * DIM; c++) s->u_bar[at + c] = s->rest_bar[at + c] = R(0);
    if (!(fabs(a->weight[e]) > R(0))) return;
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const mat G = fem_gradient(&a->b, i, &p, a->u);
        const mat F = mat_axpby(R(1), mat_diag(hyper_diagonal(a->m.law[e])), R(1), G);
        const real phi = R(bar * integrand(a, e, F, k));
        hyper_constants point_bar;
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++) point_bar.k[c] = R(0);
        const mat Phi = integrand_adj(a, e, F, k, bar, &point_bar);
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k_bar.k[c] += p.volume * point_bar.k[c];
        fem_element_add(s->u_bar + at, nodes, &p, Phi);
        fem_element_add(s->rest_bar + at, nodes, &p, mat_axpby(R(1), mat_diag(phi), R(-1), mat_t_mul(G, Phi)));
        thick_bar += p.area * phi;
        volume += p.volume;
    }
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
