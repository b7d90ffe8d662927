/* fem_probe.h -- observations of stress and strain: fields of kernels/material/hyper_field.h at a point of an element,
 * and their means, norms and largest values over elements. Likewise of the relative density r of elements, and of how
 * far it is from 0 and 1, their greyness 4 r (1 - r) (Sigmund 2007, eq. 41).
 *
 *     A = sum_e w_e sum_q V_q f(phi),   B = sum_e w_e sum_q V_q
 *     mean  A/B, f = phi     norm  s0 (A/B)^(1/p), f = |phi/s0|^p     maximum  the largest phi of all points
 *
 * V_q is the volume of an integration point at rest. (The p-mean of stress: Duysinx and Sigmund 1998; with p large it
 * tends to the largest.) Stress and energy of elements whose dilatation is projected are those at Fbar
 * (fem_dilatation.h). */
#ifndef PIOLA_KERNELS_FEM_PROBE_H
#define PIOLA_KERNELS_FEM_PROBE_H

#include "kernels/fem/fem_probe_args.h"
#include "kernels/fem/fem_integral.h"
#include "kernels/material/hyper_field.h"

/* ---- a point ----------------------------------------------------------------------------------------------------- */

/* A point of an element: whether the law has a value there, which steps know of integration points alone, its shape
 * functions, grad u, what a field is a function of, and where the dilatation is projected, its functions and the parts
 * of the energy. */
typedef struct {
    int admitted;
    fem_point p;
    mat G;
    real G33; /* of rings: F33 - 1 */
    hyper_point x;
    pack phi[DILATATION_FUNCTIONS];
    dilated_point d;
} probe_point;

/* Sets the functions of the projected dilatation at point q. */
PIO_FN void probe_functions(const fem_probe_at *a, int q, const fem_dilatation *t, pack phi[DILATATION_FUNCTIONS])
{
    for (int m = 0; m < DILATATION_FUNCTIONS; m++) phi[m] = pack_of(R(0));
    if (!a->xi) {
        fem_gram_functions(&t->gram, &a->b.rule, q, phi);
        return;
    }
    phi[0] = pack_of(R(1));
    for (int k = 0; k < DIM; k++) phi[k + 1] = pack_of(a->xi[k]);
    fem_gram_forward(&t->gram, phi);
}

/* Sets point q of element i, whose dilatation is t; without a projected one its functions and parts are not set. */
PIO_OUTLINE_FN void probe_point_set(const fem_probe_at *a, int i, int q, const fem_dilatation *t, probe_point *r)
{
    const int e = a->b.first + i;
    fem_block at = a->b;
    at.rule = a->at;
    at.dilatations = 0;
    r->p = fem_point_at(&at, i, q);
    if (a->xi) r->p.volume = R(1);
    r->G = fem_gradient(&at, i, &r->p, a->u);
    r->G33 = fem_ring_gradient(&at, i, &r->p, a->u);
    r->x.law = a->m.law[e];
    r->x.form = a->form[e];
    r->x.plane = hyper_point_plane(a->b.plane, r->x.law);
    r->x.k = fem_constants_of(&a->m, e);
    r->x.heated = a->m.heat != NULL;
    r->x.e = fem_heat_of(&a->m, e);
    r->x.F = r->x.bar = mat_axpby(R(1), mat_diag(hyper_diagonal(r->x.law)), R(1), r->G);
    r->x.third = fem_third(&a->m, &at, i, &r->p, r->x.F, a->u);
    r->admitted = fem_law_admits(&at, t, r->x.law, q, r->x.F, r->x.third);
    if (!a->b.dilatations) return;
    probe_functions(a, q, t, r->phi);
    pack theta = fem_gram_value(&t->gram, r->phi, t->c);
    const real held = a->field == PIO_ENERGY_DENSITY ? fem_held(&a->b, r->x.law, r->x.k) : R(0);
    r->admitted = dilated_admits(r->x.law, r->x.F, pack_lanes(&theta)[0]);
    r->d = dilated_at(r->x.law, r->x.F, pack_lanes(&theta)[0], held);
    r->x.bar = r->d.bar;
}

/* Returns a field that elements have, not points: r, 4 r (1 - r), or r c. */
PIO_FN real probe_of_element(const fem_probe_at *a, int e)
{
    const real r = fem_relative_of(&a->m, e);
    if (a->field == PIO_OWN_FRACTION) return r * fem_choice_of(&a->m, e);
    return a->field == PIO_GREYNESS ? R(4) * r * (R(1) - r) : r;
}

/* Returns its derivative with respect to r. */
PIO_FN real probe_of_element_slope(const fem_probe_at *a, int e)
{
    if (a->field == PIO_OWN_FRACTION) return fem_choice_of(&a->m, e);
    return a->field == PIO_GREYNESS ? R(4) - R(8) * fem_relative_of(&a->m, e) : R(1);
}

/* Sets the numbers of the field at a point of element e; of stress and energy NaN where the law has no value. */
PIO_FN void probe_values(const fem_probe_at *a, int e, const probe_point *r, real out[HYPER_TENSOR])
{
    const int of_strain = a->field == PIO_GREEN_STRAIN || a->field == PIO_VOLUME_RATIO || a->field == PIO_ROTATION;
    const real nothing = r->p.volume - r->p.volume;
    if (a->field >= PIO_RELATIVE_DENSITY_FIELD) {
        out[0] = probe_of_element(a, e);
        return;
    }
    hyper_field(a->field, &r->x, out);
    if (a->field == PIO_ENERGY_DENSITY && a->b.dilatations) out[0] += dilated_held(&r->d);
    if (r->admitted || of_strain) return;
    for (int c = 0; c < HYPER_TENSOR; c++) out[c] = nothing / nothing;
}

/* Cotangents of a point: of F at constant theta, of theta, of F33 of rings, and of the thermal strain. */
typedef struct {
    mat F;
    real theta, third, e;
} probe_values_bar;

/* Returns the cotangents of a point from those of the numbers, and adds those of the constants to k_bar. */
PIO_FN probe_values_bar probe_values_adj(const fem_probe_at *a, const probe_point *r, const real out_bar[HYPER_TENSOR],
                                         hyper_constants *k_bar)
{
    hyper_point_bar bar;
    probe_values_bar out;
    bar.F = bar.bar = mat_diag(R(0));
    bar.third = bar.e = R(0);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) bar.k.k[c] = R(0);
    if (a->field < PIO_RELATIVE_DENSITY_FIELD) hyper_field_adj(a->field, &r->x, out_bar, &bar);
    out.theta = R(0);
    if (a->b.dilatations && a->field < PIO_RELATIVE_DENSITY_FIELD) {
        dilated_point d = r->d;
        if (d.m > R(0)) fem_held_adj(&a->b, r->x.law, r->x.k, out_bar[0] * R(0.5) * d.l * d.l, &bar.k);
        d.m *= out_bar[0]; /* bar.bar is of out_bar times the energy */
        bar.bar = dilated_slope(&d, bar.bar, &out.theta);
    }
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k_bar->k[c] += bar.k.k[c];
    out.F = mat_axpby(R(1), bar.F, R(1), bar.bar);
    out.third = bar.third;
    out.e = bar.e;
    return out;
}

/* ---- sums over elements ----------------------------------------------------------------------------------------- */

/* Returns x^a for x >= 0 and a > 0; 0^a is 0. */
PIO_FN wide probe_power(wide x, double a)
{
    return x > W(0) ? exp(W(a) * log(x)) : W(0);
}

/* Returns f(phi). */
PIO_FN wide probe_measure(const fem_probe_args *a, real phi)
{
    const wide x = W(phi) / W(a->size);
    return a->power > 0 ? probe_power(x < W(0) ? -x : x, a->power) : W(phi);
}

/* Returns df/dphi; of a norm where phi is 0 it is 0. */
PIO_FN wide probe_measure_slope(const fem_probe_args *a, real phi)
{
    if (!(a->power > 0)) return W(1);
    const wide x = W(phi) / W(a->size), size = x < W(0) ? -x : x;
    if (!(size > W(0))) return W(0);
    const wide slope = W(a->power / a->size) * exp(W(a->power - 1) * log(size));
    return x < W(0) ? -slope : slope;
}

/* Returns the weight of element e. */
PIO_FN real probe_weight(const fem_probe_at *a, int e)
{
    return a->weight ? a->weight[e] : R(1);
}

/* Returns the term of element i. */
PIO_FN wide fem_probe(int i, const fem_probe_args *a)
{
    const int e = a->s.b.first + i;
    const real w = probe_weight(&a->s, e);
    wide sum = W(0);
    if (!(fabs(w) > R(0))) return sum;
    const fem_dilatation t = fem_dilatation_of(&a->s.b, i, a->s.m.law[e], a->s.u);
    for (int q = 0; q < a->s.at.points; q++) {
        probe_point r;
        probe_point_set(&a->s, i, q, &t, &r);
        real phi[HYPER_TENSOR];
        if (a->component >= 0) probe_values(&a->s, e, &r, phi);
        sum += W(r.p.volume) * (a->component < 0 ? W(1) : probe_measure(a, phi[a->component]));
    }
    return W(w) * sum;
}

/* Cotangents of an element that its points add to. */
typedef struct {
    const fem_dilatation *t;
    fem_nodes_bar node;
    hyper_constants k;
    pack pi[DILATATION_FUNCTIONS];
    real thick, heat, relative, choice;
} probe_bar;

/* Adds the cotangents of point q of element i, `scale` times those of the sums. */
PIO_FN void probe_point_adj(const fem_probe_adj_args *b, int i, int q, wide scale, probe_bar *bar)
{
    const fem_probe_at *a = &b->fwd.s;
    probe_point r;
    probe_point_set(a, i, q, bar->t, &r);
    const int one = a->xi || b->which, nodes = a->b.rule.nodes; /* one: V does not count */
    const real V = one ? R(1) : r.p.volume;
    real phi[HYPER_TENSOR], out_bar[HYPER_TENSOR];
    hyper_constants k_bar;
    wide f = one ? W(0) : scale * b->sums_bar[b->count];
    probe_values(a, a->b.first + i, &r, phi);
    for (int c = 0; c < HYPER_TENSOR; c++) out_bar[c] = R(0);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k_bar.k[c] = R(0);
    for (int c = 0; c < b->count; c++) {
        const int at = b->first + c;
        if (!one) f += scale * b->sums_bar[c] * probe_measure(&b->fwd, phi[at]);
        out_bar[at] = R(scale * b->sums_bar[c] * probe_measure_slope(&b->fwd, phi[at]));
    }
    const probe_values_bar Phi = probe_values_adj(a, &r, out_bar, &k_bar);
    if (a->field >= PIO_RELATIVE_DENSITY_FIELD)
        bar->relative += V * probe_of_element_slope(a, a->b.first + i) * out_bar[0];
    if (a->field == PIO_OWN_FRACTION) bar->choice += V * fem_relative_of(&a->m, a->b.first + i) * out_bar[0];
    fem_point p = r.p;
    p.volume = V;
    fem_element_add(bar->node.u, nodes, &p, Phi.F);
    fem_element_add(bar->node.rest, nodes, &p, mat_axpby(R(1), mat_diag(R(f)), R(-1), mat_t_mul(r.G, Phi.F)));
    if (DIM == 2 && a->b.plane == PIO_AXISYMMETRIC) {
        fem_element_add_ring(bar->node.u, nodes, &p, Phi.third);
        fem_element_add_ring(bar->node.rest, nodes, &p, R(f) - r.G33 * Phi.third);
        fem_element_add_axis(bar->node.rest, nodes, &p, r.G, Phi.third);
    }
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) bar->k.k[c] += V * k_bar.k[c];
    bar->thick += p.area * R(f);
    bar->heat += V * Phi.e;
    for (int m = 0; m < a->b.dilatations; m++) bar->pi[m] += V * Phi.theta * r.phi[m];
}

/* Sets the cotangents at element i's nodes, and adds those of its parameters. */
PIO_FN void fem_probe_adj(int i, const fem_probe_adj_args *b)
{
    const fem_probe_at *a = &b->fwd.s;
    const int nodes = a->b.rule.nodes, e = a->b.first + i, law = a->m.law[e];
    const ptrdiff_t at = ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    const int counts = fabs(probe_weight(a, e)) > R(0) && (!b->which || *b->which == (uint64_t)e);
    const wide scale = W(b->scale) * (b->which ? W(1) : W(probe_weight(a, e)));
    probe_bar bar;
    bar.node.u = b->u_bar + at;
    bar.node.rest = b->rest_bar + at;
    bar.thick = bar.heat = bar.relative = bar.choice = R(0);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) bar.k.k[c] = R(0);
    for (int m = 0; m < DILATATION_FUNCTIONS; m++) bar.pi[m] = pack_of(R(0));
    for (int c = 0; c < nodes * DIM; c++) bar.node.u[c] = bar.node.rest[c] = R(0);
    if (!counts) return;
    const fem_dilatation t = fem_dilatation_of(&a->b, i, law, a->u);
    bar.t = &t;
    for (int q = 0; q < a->at.points; q++)
        if (!b->which || b->best[e] == q) probe_point_adj(b, i, q, scale, &bar);
    if (a->b.dilatations) fem_projection_adj(&a->b, i, law, a->u, &t, bar.pi, bar.node);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        b->k_bar[field_at(a->m.elements, PIO_LAW_CONSTANTS, c, e)] += bar.k.k[c];
    if (b->thick_bar) b->thick_bar[e] += bar.thick;
    if (b->heat_bar) b->heat_bar[e] += bar.heat;
    if (b->relative_bar) b->relative_bar[e] += bar.relative;
    if (b->choice_bar) b->choice_bar[e] += bar.choice;
}

/* ---- means and norms --------------------------------------------------------------------------------------------- */

/* Returns y of number c. */
PIO_FN wide probe_mean_of(const fem_probe_mean_args *a, int c)
{
    const wide mean = a->sums[c] / a->sums[a->count];
    return a->power > 0 ? W(a->size) * probe_power(mean, 1 / a->power) : mean;
}

/* Adds the means, or norms, to the samples; the one item is 0. */
PIO_FN void fem_probe_mean(int i, const fem_probe_mean_args *a)
{
    (void)i;
    for (int c = 0; c < a->count; c++) a->sample[c] += W(a->weight) * probe_mean_of(a, c);
}

/* Sets the cotangents of A and B; the one item is 0. */
PIO_FN void fem_probe_mean_adj(int i, const fem_probe_mean_adj_args *b)
{
    const fem_probe_mean_args *a = &b->fwd;
    const wide B = a->sums[a->count];
    wide B_bar = W(0);
    (void)i;
    for (int c = 0; c < a->count; c++) {
        const wide y_bar = W(a->weight) * b->sample_bar[c], A = a->sums[c];
        wide part = y_bar * probe_mean_of(a, c);
        if (a->power > 0) part = part / W(a->power);
        b->sums_bar[c] = !(a->power > 0) ? y_bar / B : A > W(0) ? part / A : W(0);
        B_bar = B_bar - part / B;
    }
    b->sums_bar[a->count] = B_bar;
}

/* ---- the largest value ------------------------------------------------------------------------------------------- */

/* Returns a number that is the smaller, the larger x is. */
PIO_FN uint64_t probe_key(wide x)
{
    const uint64_t sign = (uint64_t)1 << 63;
    union {
        double d;
        uint64_t u;
    } b;
    b.d = (double)x;
    return ~(b.u & sign ? ~b.u : b.u | sign);
}

/* Sets the largest value in element i, and lowers the key. */
PIO_FN void fem_probe_top(int i, const fem_probe_top_args *a)
{
    const int e = a->s.b.first + i;
    if (!(fabs(probe_weight(&a->s, e)) > R(0))) return;
    const fem_dilatation t = fem_dilatation_of(&a->s.b, i, a->s.m.law[e], a->s.u);
    wide top = W(0);
    int best = -1;
    for (int q = 0; q < a->s.at.points; q++) {
        probe_point r;
        probe_point_set(&a->s, i, q, &t, &r);
        real phi[HYPER_TENSOR];
        probe_values(&a->s, e, &r, phi);
        if (best >= 0 && !(W(phi[a->component]) > top)) continue;
        top = W(phi[a->component]);
        best = q;
    }
    a->top[e] = top;
    a->best[e] = best;
    atomic_min_u64(a->key, probe_key(top));
}

/* Lowers the number of the element whose value is the largest. */
PIO_FN void fem_probe_which(int e, const fem_probe_which_args *a)
{
    if (fabs(a->weight[e]) > R(0) && probe_key(a->top[e]) == *a->key) atomic_min_u64(a->which, (uint64_t)e);
}

/* Adds the largest value to the sample; the one item is 0. */
PIO_FN void fem_probe_top_add(int i, const fem_probe_top_add_args *a)
{
    (void)i;
    *a->sample += W(a->weight) * a->top[*a->which];
}

/* ---- rules of one point ------------------------------------------------------------------------------------------ */

/* Sets the rule of point q. */
PIO_FN void fem_probe_rule(int q, const fem_probe_rule_args *r)
{
    const int nodes = element_nodes[r->type], rdim = element_rdim[r->type];
    r->w[q] = R(1);
    for (int a = 0; a < nodes; a++) {
        const fem_shape s = element_shape(r->type, a, r->xi + (ptrdiff_t)q * 3);
        r->N[(ptrdiff_t)q * nodes + a] = s.N;
        for (int c = 0; c < rdim; c++) r->dN[((ptrdiff_t)q * nodes + a) * rdim + c] = s.d[c];
    }
}

#endif
