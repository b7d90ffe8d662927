/* fem_solid.h -- strain energies of hyperelastic elements, the constants of their laws, and what must hold of both. */
#ifndef PIOLA_KERNELS_FEM_SOLID_H
#define PIOLA_KERNELS_FEM_SOLID_H

#include "kernels/fem/fem_solid_args.h"
#include "kernels/fem/fem.h"
#include "kernels/fem/fem_dilatation.h"
#include "kernels/fem/fem_third.h"
#include "kernels/material/hyperelastic_stress.h"
#include "kernels/material/interpolation.h"

/* Returns what a law is a function of at point p of element i of the block: F = I + grad u, or grad u (hyper_diagonal).
 */
PIO_FN mat fem_deformation(int law, const fem_block *b, int i, const fem_point *p, const real *u)
{
    return mat_axpby(R(1), mat_diag(hyper_diagonal(law)), R(1), fem_gradient(b, i, p, u));
}

/* Adds V M g_a to each node a of an element vector `out` of [nodes][DIM] numbers: the internal force of a stress M at
 * one point. */
PIO_FN void fem_element_add(real *out, int nodes, const fem_point *p, mat M)
{
    for (int n = 0; n < nodes; n++)
        for (int c = 0; c < DIM; c++)
            for (int d = 0; d < DIM; d++) out[n * DIM + c] += p->volume * M.m[c][d] * p->g[n][d];
}

/* Returns `third` of hyperelastic_heat.h at point p of element i, where F is fem_deformation; in 3D, and where it
 * does not count, in plane strain, 0. */
PIO_FN real fem_third(const fem_matter *m, const fem_block *b, int i, const fem_point *p, mat F, const real *u)
{
#if PIO_DIM == 2
    const int e = b->first + i;
    if (b->plane)
        return fem_third_of(b->plane, m->law[e], F, fem_ring_gradient(b, i, p, u), fem_constants_of(m, e),
                            fem_heat_of(m, e));
#else
    (void)m, (void)b, (void)i, (void)p, (void)F, (void)u;
#endif
    return R(0);
}

/* Returns 1 where the law has a value at quadrature point q of an element, at F and `third`. */
PIO_FN int fem_law_admits(const fem_block *b, const fem_dilatation *t, int law, int q, mat F, real third)
{
#if PIO_DIM == 2
    if (b->plane) return hyper_third_admits(law, F, third);
#else
    (void)third;
#endif
    return fem_dilated_admits(b, t, law, q, F);
}

/* Returns the energy per volume at rest at quadrature point q of element i, at F and `third`, J/m^3. */
PIO_FN real fem_law_psi(const fem_matter *m, const fem_block *b, const fem_dilatation *t, int i, int q, mat F,
                        real third)
{
    const int law = m->law[b->first + i];
    const hyper_constants k = fem_constants_of(m, b->first + i);
    const real e = fem_heat_of(m, b->first + i);
#if PIO_DIM == 2
    if (b->plane) return heat_third_psi(law, F, third, k, e);
#else
    (void)third;
#endif
    return fem_psi(b, t, law, q, F, k, e);
}

/* Adds V M33 N_n/r to the first component of each node n: the internal force of a hoop stress M33 of a ring. */
PIO_FN void fem_element_add_ring(real *out, int nodes, const fem_point *p, real M33)
{
    for (int n = 0; n < nodes; n++) out[n * DIM] += p->volume * M33 * fem_third_slope(p, n);
}

/* Adds what the cotangent M33 of G33 gives rest positions beside -G33 M33 N_n/r: on the axis G33 is G_xx, whose
 * derivative by a place along y is -G_xy dN_n/dx. */
PIO_FN void fem_element_add_axis(real *out, int nodes, const fem_point *p, mat G, real M33)
{
    for (int n = 0; n < nodes && !p->N; n++) out[n * DIM + 1] -= p->volume * M33 * G.m[0][1] * p->g[n][0];
}

/* ---- strain energy of an element, J; infinite where the law is not defined --------------------------------- */

/* Returns the strain energy of element i, J, or 1e300 where the law is not defined. */
PIO_OUTLINE_FN wide fem_energy(int i, const fem_energy_args *a)
{
    const int law = a->m.law[a->b.first + i];
    const fem_dilatation t = fem_dilatation_of(&a->b, i, law, a->u);
    wide sum = W(0);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const mat F = fem_deformation(law, &a->b, i, &p, a->u);
        const real third = fem_third(&a->m, &a->b, i, &p, F, a->u);
        if (!fem_law_admits(&a->b, &t, law, q, F, third)) return W(1e300);
        sum += W(p.volume) * W(fem_law_psi(&a->m, &a->b, &t, i, q, F, third));
    }
    return sum;
}

/* ---- the user's parameters to the constants of the laws ----------------------------------------------------- */

/* Returns the user's parameters of element e, in the form that parameter_form[e] says. */
PIO_FN hyper_constants fem_parameters_of(const fem_constants_args *a, int e)
{
    hyper_constants parameters;
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        parameters.k[c] = a->parameters[field_at(a->n, PIO_LAW_CONSTANTS, c, e)];
    return parameters;
}

/* Sets the constants of the law of element e from the user's parameters, by hyper_from_parameters. */
PIO_FN void fem_constants(int e, const fem_constants_args *a)
{
    const hyper_constants k = hyper_from_parameters(a->law[e], a->parameter_form[e], fem_parameters_of(a, e));
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) a->k[field_at(a->n, PIO_LAW_CONSTANTS, c, e)] = k.k[c];
}

/* Adds the cotangents of the parameters of element e. */
PIO_FN void fem_constants_adj(int e, const fem_constants_adj_args *b)
{
    const fem_constants_args *a = &b->fwd;
    hyper_constants k_bar, parameters_bar;
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) {
        k_bar.k[c] = b->k_bar[field_at(a->n, PIO_LAW_CONSTANTS, c, e)];
        parameters_bar.k[c] = R(0);
    }
    hyper_from_parameters_adj(a->law[e], a->parameter_form[e], fem_parameters_of(a, e), k_bar, &parameters_bar);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        b->parameters_bar[field_at(a->n, PIO_LAW_CONSTANTS, c, e)] += parameters_bar.k[c];
}

/* ---- elements that are filled in part: see fem_interpolate_args -------------------------------------------------- */

/* Returns the constants of the material that an element is mixed with; 0 where there is none. */
PIO_FN hyper_constants fem_other_constants(const pio_interpolation *f, int law)
{
    hyper_constants k;
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k.k[c] = f->mixed ? R(f->other[c]) : R(0);
    return f->mixed ? hyper_from_parameters(law, f->other_form, k) : k;
}

/* Returns those of the second material of an element; 0 where there is none. */
PIO_FN hyper_constants fem_second_constants(const pio_interpolation *f, int law)
{
    hyper_constants k;
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k.k[c] = f->chosen ? R(f->second[c]) : R(0);
    return f->chosen ? hyper_from_parameters(law, f->second_form, k) : k;
}

/* Takes the second material into the moduli of element e and into its density, where it has one. */
PIO_FN void fem_choose(int e, const fem_interpolate_args *a, const pio_interpolation *f)
{
    const wide c = W(a->choice[e]);
    const real t = R(interpolated_part(f, c));
    const hyper_constants second = fem_second_constants(f, a->of.law[e]);
    a->actual[e] = a->density[e] * R(c) + R(f->second_density) * R(W(1) - c);
    for (int i = 0; i < PIO_LAW_CONSTANTS; i++) {
        real *k = &a->k[field_at(a->of.n, PIO_LAW_CONSTANTS, i, e)];
        if (hyper_is_modulus(a->of.law[e], i)) *k = *k * t + (R(1) - t) * second.k[i];
    }
}

/* Multiplies the moduli of element e by s, adds those of the other material, and sets its density. */
PIO_FN void fem_interpolate(int e, const fem_interpolate_args *a)
{
    const wide r = W(a->relative[e]);
    a->actual[e] = a->density[e];
    if (a->interpolation[e] < 0) return;
    const pio_interpolation *f = &a->interpolations[a->interpolation[e]];
    const real s = R(interpolated(f, r));
    const hyper_constants other = fem_other_constants(f, a->of.law[e]);
    if (f->chosen) fem_choose(e, a, f);
    a->actual[e] = a->actual[e] * R(r);
    if (f->mixed) a->actual[e] += R(f->other_density) * R(W(1) - r);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) {
        real *k = &a->k[field_at(a->of.n, PIO_LAW_CONSTANTS, c, e)];
        if (!hyper_is_modulus(a->of.law[e], c)) continue;
        *k *= s;
        if (f->mixed) *k += (R(1) - s) * other.k[c];
    }
}

/* Makes of the cotangents of element e's constants those before they were multiplied, and adds those of its relative
 * density, of its choice and of the density of its material. */
PIO_FN void fem_interpolate_adj(int e, const fem_interpolate_adj_args *b)
{
    const fem_interpolate_args *a = &b->fwd;
    const wide r = W(a->relative[e]);
    if (a->interpolation[e] < 0) {
        b->density_bar[e] += b->actual_bar[e];
        return;
    }
    const pio_interpolation *f = &a->interpolations[a->interpolation[e]];
    const wide c = f->chosen ? W(a->choice[e]) : W(1);
    const real s = R(interpolated(f, r)), t = f->chosen ? R(interpolated_part(f, c)) : R(1);
    const hyper_constants k =
        hyper_from_parameters(a->of.law[e], a->of.parameter_form[e], fem_parameters_of(&a->of, e));
    const hyper_constants other = fem_other_constants(f, a->of.law[e]), second = fem_second_constants(f, a->of.law[e]);
    const real lighter = f->chosen ? R(f->second_density) : R(0), own = a->density[e];
    const real mixed = own * R(c) + lighter * R(W(1) - c), rest = f->mixed ? R(f->other_density) : R(0);
    real s_bar = R(0), t_bar = R(0);
    for (int i = 0; i < PIO_LAW_CONSTANTS; i++) {
        real *k_bar = &b->k_bar[field_at(a->of.n, PIO_LAW_CONSTANTS, i, e)];
        if (!hyper_is_modulus(a->of.law[e], i)) continue;
        s_bar += (k.k[i] * t + (R(1) - t) * second.k[i] - other.k[i]) * *k_bar;
        t_bar += (k.k[i] - second.k[i]) * (s * *k_bar);
        *k_bar *= s * t;
    }
    b->density_bar[e] += b->actual_bar[e] * (R(r) * R(c));
    b->relative_bar[e] += R(interpolated_slope(f, r)) * s_bar + (mixed - rest) * b->actual_bar[e];
    if (f->chosen && b->choice_bar)
        b->choice_bar[e] += R(interpolated_part_slope(f, c)) * t_bar + (own - lighter) * R(r) * b->actual_bar[e];
}

/* ---- thermal strains ---------------------------------------------------------------------------------------- */

/* Sets the thermal strain e = alpha Delta T of an element. */
PIO_FN void fem_heat(int e, const fem_heat_args *a)
{
    a->heat[e] = a->expansion[e] * a->temperature[e];
}

/* Adds the cotangents of alpha and Delta T of an element. */
PIO_FN void fem_heat_adj(int e, const fem_heat_adj_args *s)
{
    const fem_heat_args *a = &s->fwd;
    s->expansion_bar[e] += a->temperature[e] * s->heat_bar[e];
    s->temperature_bar[e] += a->expansion[e] * s->heat_bar[e];
}

/* ---- before the first step: volumes positive, constants in range ------------------------------------------ */

/* Returns 0 where a node of a ring is beyond the axis, by more than rounding. */
PIO_FN int fem_radii_hold(const fem_block *b, int i)
{
    const int *node = b->node + (ptrdiff_t)i * b->rule.nodes;
    real least = R(0), most = R(0);
    for (int n = 0; n < b->rule.nodes; n++) {
        const real x = point_load(b->rest, node[n]).x[0];
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    return DIM == 3 || b->plane != PIO_AXISYMMETRIC || least >= R(-1e-6) * most;
}

/* Lowers the fault where element i has a volume that is not positive, a negative radius, constants that its law does
 * not allow, a relative density below 0, or a thermal strain of -1 or below. */
PIO_FN void fem_check(int i, const fem_check_args *a)
{
    const int e = a->b.first + i;
    int fault = -1;
    for (int q = 0; q < a->b.rule.points; q++)
        if (!(fem_point_at(&a->b, i, q).volume > R(0))) fault = FEM_INVERTED_REST;
    if (!fem_radii_hold(&a->b, i)) fault = FEM_NEGATIVE_RADIUS;
    if (a->m.law) {
        const hyper_constants k = fem_constants_of(&a->m, e);
        for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
            if (!is_finite(k.k[c])) fault = FEM_CONSTANT;
        if (!(a->m.density[e] >= R(0)) || !hyper_constants_hold(a->m.law[e], k)) fault = FEM_CONSTANT;
    }
    if (!(fem_relative_of(&a->m, e) >= R(0))) fault = FEM_NOT_FILLED;
    if (a->m.heat && !(R(1) + a->m.heat[e] > R(0) && is_finite(a->m.heat[e]))) fault = FEM_COLD;
    if (fault >= 0) atomic_min_u64(&a->step->fault, fem_fault_key(e, fault));
}

/* Lowers the fault where the law of element i is not defined at one of its points. */
PIO_FN void fem_admit(int i, const fem_admit_args *a)
{
    const int law = a->m.law[a->b.first + i];
    const fem_dilatation t = fem_dilatation_of(&a->b, i, law, a->u);
    int admitted = 1;
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const mat F = fem_deformation(law, &a->b, i, &p, a->u);
        admitted &= fem_law_admits(&a->b, &t, law, q, F, fem_third(&a->m, &a->b, i, &p, F, a->u));
    }
    if (!admitted) atomic_min_u64(&a->step->fault, fem_fault_at(a->step->index, a->b.first + i, FEM_INADMISSIBLE));
}

#endif
