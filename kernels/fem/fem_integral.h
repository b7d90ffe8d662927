/* fem_integral.h -- integrals over a body: sums over elements of a density phi per volume at rest.
 *
 *     A = sum_e w_e sum_q V_q phi_q
 *     volume  phi = r        mass  phi = rho        strain energy  phi = psi(F)
 *
 * with r the relative density, 1 where nothing is interpolated; in elements whose dilatation is projected, at Fbar
 * (fem_dilatation.h). */
#ifndef PIOLA_KERNELS_FEM_INTEGRAL_H
#define PIOLA_KERNELS_FEM_INTEGRAL_H

#include "kernels/fem/fem_integral_args.h"
#include "kernels/fem/fem_solid.h"
#include "kernels/material/hyperelastic_stress.h"

/* ---- cotangents through the projected dilatation ---------------------------------------------------------------- */

/* Cotangents of an element's nodes, [nodes][DIM] each; added to. */
typedef struct {
    real *u, *rest;
} fem_nodes_bar;

/* Adds to the cotangents at the nodes of element i what a density phi gives through the projected dilatation, with pi
 * the projection of dphi/dtheta, whose sums over V are `pi`:
 *     u_bar_a += sum_q V pi dJ/dF g_a,   X_bar_a += sum_q V (pi (J - theta) I - (grad u)^T pi dJ/dF) g_a. */
PIO_OUTLINE_FN void fem_projection_adj(const fem_block *b, int i, int law, const real *u, const fem_dilatation *t,
                                       pack pi[DILATATION_FUNCTIONS], fem_nodes_bar bar)
{
    const int nodes = b->rule.nodes;
    fem_gram_coefficients(&t->gram, pi);
    for (int q = 0; q < b->rule.points; q++) {
        const fem_point p = fem_point_at(b, i, q);
        const mat G = fem_gradient(b, i, &p, u);
        const mat F = mat_axpby(R(1), mat_diag(hyper_diagonal(law)), R(1), G);
        const real value = fem_dilatation_value(t, &b->rule, q, pi);
        const real theta = fem_dilatation_value(t, &b->rule, q, t->c);
        const mat M = mat_scale(value, dilatation_slope(law, F));
        const mat by_volume = mat_diag(value * (dilatation(law, F) - theta));
        fem_element_add(bar.u, nodes, &p, M);
        fem_element_add(bar.rest, nodes, &p, mat_axpby(R(1), by_volume, R(-1), mat_t_mul(G, M)));
    }
}

/* ---- integrals --------------------------------------------------------------------------------------------------- */

/* Returns phi of element e but that of energy: the relative density, or rho [kg/m^3]. */
PIO_FN wide integrand(const fem_integral_args *a, int e)
{
    return a->type == PIO_MASS ? W(a->m.density[e]) : W(fem_relative_of(&a->m, e));
}

/* Returns the term of element i: its weight times the integral of phi. */
PIO_OUTLINE_FN wide fem_integral(int i, const fem_integral_args *a)
{
    const int e = a->b.first + i, law = a->m.law[e];
    wide sum = W(0);
    if (!(fabs(a->weight[e]) > R(0))) return sum;
    const fem_dilatation t = fem_dilatation_of(&a->b, i, law, a->u);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const mat F = fem_deformation(law, &a->b, i, &p, a->u);
        wide phi = integrand(a, e);
        if (a->type == PIO_STRAIN_ENERGY)
            phi = W(fem_law_psi(&a->m, &a->b, &t, i, q, F, fem_third(&a->m, &a->b, i, &p, F, a->u)));
        sum += W(p.volume) * phi;
    }
    return W(a->weight[e]) * sum;
}

/* Cotangents that the points of an element add to. */
typedef struct {
    const fem_dilatation *t;
    hyper_constants k;             /* of the constants, of one point */
    pack pi[DILATATION_FUNCTIONS]; /* sums of V bar dphi/dtheta */
    real phi;                      /* bar phi of a point */
    real phi33;                    /* of rings bar dphi/dF33 */
    real heat;                     /* bar dphi/de, e the thermal strain */
} integral_bar;

#if PIO_DIM == 2
/* Returns bar dpsi/dF of a ring or a sheet, adds bar dpsi/dk to r->k, and sets r->phi, r->phi33 and r->heat. P33 of a
 * sheet is 0, so that its F33 counts for nothing. */
PIO_FN mat integral_third_adj(const fem_integral_args *a, int i, const fem_point *p, mat F, real bar, integral_bar *r)
{
    const int e = a->b.first + i, law = a->m.law[e];
    const hyper_constants k = fem_constants_of(&a->m, e);
    const real third = fem_third(&a->m, &a->b, i, p, F, a->u), heat = fem_heat_of(&a->m, e);
    const third_stress s = heat_third_P(law, F, third, k, heat);
    r->phi = bar * heat_third_psi(law, F, third, k, heat);
    if (a->b.plane == PIO_AXISYMMETRIC) r->phi33 = bar * s.P33;
    heat_third_psi_theta(law, F, third, bar, k, heat, &r->k);
    if (a->m.heat) r->heat = bar * heat_third_psi_slope(a->b.plane, law, F, third, k, heat);
    return mat_scale(bar, s.P);
}
#endif

/* Returns bar dphi/dF at quadrature point q, which is p, of element i, adds bar dphi/dk to r->k, and sets r->phi and
 * r->heat. Where the dilatation is projected it is bar dphi/dF at constant theta, and V bar dphi/dtheta is added to the
 * sums r->pi. Volume and mass depend on neither. */
PIO_FN mat integral_point_adj(const fem_integral_args *a, int i, int q, const fem_point *p, mat F, wide bar,
                              integral_bar *r)
{
    const int e = a->b.first + i, law = a->m.law[e];
    const hyper_constants k = fem_constants_of(&a->m, e);
    const real heat = fem_heat_of(&a->m, e);
    real by_theta;
    r->phi = R(bar * integrand(a, e));
    r->phi33 = r->heat = R(0);
    if (a->type != PIO_STRAIN_ENERGY) return mat_diag(R(0));
#if PIO_DIM == 2
    if (a->b.plane) return integral_third_adj(a, i, p, F, R(bar), r);
#endif
    if (!a->b.dilatations) {
        r->phi = R(bar) * heat_psi(law, F, k, heat);
        heat_psi_theta(law, F, R(bar), k, heat, &r->k);
        if (a->m.heat) r->heat = R(bar) * heat_psi_slope(law, F, k, heat);
        return mat_scale(R(bar), heat_P(law, F, k, heat));
    }
    const real held = fem_held(&a->b, law, k);
    dilated_point d = dilated_at(law, F, fem_dilatation_value(r->t, &a->b.rule, q, r->t->c), held);
    r->phi = R(bar) * (heat_psi(law, d.bar, k, heat) + dilated_held(&d));
    heat_psi_theta(law, d.bar, R(bar), k, heat, &r->k);
    if (a->m.heat) r->heat = R(bar) * heat_psi_slope(law, d.bar, k, heat);
    if (held > R(0)) fem_held_adj(&a->b, law, k, R(bar) * R(0.5) * d.l * d.l, &r->k);
    d.m *= R(bar); /* P is of bar phi */
    const mat Phi = dilated_slope(&d, mat_scale(R(bar), heat_P(law, d.bar, k, heat)), &by_theta);
    fem_dilatation_add(r->t, &a->b.rule, q, p->volume * by_theta, r->pi);
    return Phi;
}

/* Sets the cotangents at element i's nodes, and adds those of its parameters. */
PIO_FN void fem_integral_adj(int i, const fem_integral_adj_args *s)
{
    const fem_integral_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes, e = a->b.first + i, law = a->m.law[e];
    const ptrdiff_t at = ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    const wide bar = W(s->scale) * *s->integral_bar * W(a->weight[e]);
    fem_nodes_bar node;
    hyper_constants k_bar;
    integral_bar r;
    real thick_bar = R(0), heat_bar = R(0), volume = R(0);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k_bar.k[c] = R(0);
    for (int m = 0; m < DILATATION_FUNCTIONS; m++) r.pi[m] = pack_of(R(0));
    node.u = s->u_bar + at;
    node.rest = s->rest_bar + at;
    for (int c = 0; c < nodes * DIM; c++) node.u[c] = node.rest[c] = R(0);
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
        fem_element_add(node.u, nodes, &p, Phi);
        fem_element_add(node.rest, nodes, &p, mat_axpby(R(1), mat_diag(r.phi), R(-1), mat_t_mul(G, Phi)));
        if (DIM == 2 && a->b.plane == PIO_AXISYMMETRIC) {
            fem_element_add_ring(node.u, nodes, &p, r.phi33);
            fem_element_add_ring(node.rest, nodes, &p, r.phi - fem_ring_gradient(&a->b, i, &p, a->u) * r.phi33);
        }
        thick_bar += p.area * r.phi;
        heat_bar += p.volume * r.heat;
        volume += p.volume;
    }
    if (a->b.dilatations) fem_projection_adj(&a->b, i, law, a->u, &t, r.pi, node);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        s->k_bar[field_at(a->m.elements, PIO_LAW_CONSTANTS, c, e)] += k_bar.k[c];
    if (a->type == PIO_MASS) s->density_bar[e] += R(bar) * volume;
    if (a->type == PIO_VOLUME && s->relative_bar) s->relative_bar[e] += R(bar) * volume;
    if (s->thick_bar) s->thick_bar[e] += thick_bar;
    if (s->heat_bar) s->heat_bar[e] += heat_bar;
}

#endif
