/* mpm_observe.h -- observations: one number per component and step, as a sum over particles, and its adjoint.
 *
 *   mean position    y_a = sum_p m_p x_pa / M            mean velocity likewise; M = sum of the body's m_p
 *   kinetic energy   y = sum_p m_p v_p.v_p / 2
 *   distance         y = sum_p |x_p - X_p|^2 / P         over the P particles that have a point X_p; between two steps
 *                    with (1 - s) x_p + s x0_p for x_p, x0 of the step before, s its weight
 *   shape            y = sum_p m_p d_p^2 / M             d_p the signed distance from a shape, interpolated at x_p from
 *                    the nodes of the grid; `outside`: 0 where it is below 0
 *   volume           y = sum_p r_p V_p                   mass likewise, of m_p; r_p: relative density, 1 if full
 *   relative density y = sum_p r_p V_p / V               greyness likewise, of 4 r_p (1 - r_p) (Sigmund 2007, eq. 41);
 *                    V = sum of the body's V_p
 *   front            y = x_ref + ln(sum_p m_p exp(s (x_pa - x_ref)) / M) / s     the largest x_a, smoothed over 1/s
 *   its quantile Q   y with sum_p m_p S(s (x_pa - y)) = (1 - Q) M,  S(t) = 1/(1 + exp(-t)): below y lies Q of the mass,
 *                    each m_p spread over about 4/s; mpm_quantile.h finds it, and the sum is -d/dy of the left */
#ifndef PIOLA_KERNELS_MPM_OBSERVE_H
#define PIOLA_KERNELS_MPM_OBSERVE_H

#include "kernels/mpm/mpm_observe_args.h"
#include "kernels/mpm/mpm_target.h"

/* Returns the weight of the point of particle `id`, which has one, over P. */
PIO_FN double observe_point_fraction(const mpm_observe_args *a, int id)
{
    return (a->point_weight ? a->point_weight[a->marker[id]] : 1) / a->markers;
}

/* Returns whether an observable is the mean of a field over the volume. */
PIO_FN int observed_by_volume(int type)
{
    return (type == PIO_OF_RELATIVE_DENSITY) | (type == PIO_OF_GREYNESS);
}

/* Returns the term of particle i in M, kg: its mass where it is of the body, else 0; of means over the volume in V,
 * m^3. */
PIO_FN wide mpm_observe_mass(int i, const mpm_observe_args *a)
{
    if (a->body[i] != a->of) return W(0);
    return W(observed_by_volume(a->type) ? a->matter.volume[i] : a->matter.mass[i]);
}

/* Returns the part of the volume V_p of particle `id` that an observation of matter counts, in m^3, and sets its
 * derivative by the relative density: V_p r or, of the greyness, V_p 4 r (1 - r). */
PIO_FN wide observed_filling(const mpm_observe_args *a, int id, wide *slope)
{
    const wide V = W(a->matter.volume[id]), r = a->relative ? W(a->relative[id]) : W(1);
    const int grey = a->type == PIO_OF_GREYNESS;
    *slope = grey ? V * (W(4) - W(8) * r) : V;
    return grey ? V * W(4) * r * (W(1) - r) : V * r;
}

/* Returns the term of particle `id` in an observation of matter, which positions do not change. */
PIO_FN wide observed_matter(const mpm_observe_args *a, int id)
{
    wide slope;
    if (a->type == PIO_MASS) return W(a->matter.mass[id]);
    const wide filled = observed_filling(a, id, &slope);
    return observed_by_volume(a->type) ? filled / W(*a->total) : filled;
}

/* Returns x_ref of the front, m. It does not change y and only keeps the exponentials in range: it must lie near the
 * front. Of a quantile it is y. */
PIO_FN wide observe_reference(const mpm_observe_args *a)
{
    return a->place ? *a->place : W(a->ref);
}

/* Returns exp(s (x_pa - x_ref)), the weight of the mass of stored particle p in the front. */
PIO_FN wide observe_front_weight(const mpm_observe_args *a, int p)
{
    const real f = a->s.offset[field_at(a->matter.n, DIM, a->axis, p)];
    return exp(W(a->sharpness) * (particle_position(&a->box, a->s.cell[p], f, a->axis) - observe_reference(a)));
}

/* Returns S(t) of a quantile, t = s (x_pa - y), the fraction of stored particle p's mass that counts as beyond y, and
 * sets the slope dS/dt, both from exp(-|t|), which is in range. */
PIO_FN wide observe_beyond(const mpm_observe_args *a, int p, wide *slope)
{
    const real f = a->s.offset[field_at(a->matter.n, DIM, a->axis, p)];
    const wide t = W(a->sharpness) * (particle_position(&a->box, a->s.cell[p], f, a->axis) - observe_reference(a));
    const int beyond = t >= W(0);
    const wide e = exp(beyond ? -t : t), by = W(1) + e;
    *slope = e / (by * by);
    return (beyond ? W(1) : e) / by;
}

/* Returns the term of stored particle p of mass m, kg, in the sum of a front: m_p exp(s (x_pa - x_ref))/M, or with Q
 * m_p s dS/dt, kg/m. */
PIO_FN wide observed_front(const mpm_observe_args *a, int p, wide m)
{
    wide slope;
    if (!(a->quantile > 0)) return m * observe_front_weight(a, p) / W(*a->total);
    observe_beyond(a, p, &slope);
    return m * W(a->sharpness) * slope;
}

/* Returns component c of stored particle p's place, m; where there is a state before, it is (1 - s) x_p + s x0_p. */
PIO_FN wide observed_place(const mpm_observe_args *a, int p, int c)
{
    const int n = a->matter.n;
    const wide x = particle_position(&a->box, a->s.cell[p], a->s.offset[field_at(n, DIM, c, p)], c);
    if (!a->past_at) return x;
    const int q = a->past_at[p];
    const wide x0 = particle_position(&a->box, a->past.cell[q], a->past.offset[field_at(n, DIM, c, q)], c);
    return W(1 - a->past_weight) * x + W(a->past_weight) * x0;
}

/* Returns d_p, the distance of stored particle p from the shape, m, and sets its derivative in the offset. */
PIO_FN real observed_depth(const mpm_observe_args *a, int p, vec *slope)
{
    const real d = stencil_value(&a->box, a->s.cell[p], vec_load(a->s.offset, a->matter.n, p), a->field, slope);
    return a->outside && d < R(0) ? R(0) : d;
}

/* Returns the term of stored particle p in the sum of an observation, by the formulas at the head. */
PIO_FN wide mpm_observe(int p, const mpm_observe_args *a)
{
    const int id = a->s.id[p];
    const ptrdiff_t at = field_at(a->matter.n, DIM, a->axis, p);
    const wide m = W(a->matter.mass[id]);
    if (a->body[id] != a->of) return W(0);
    if (a->type >= PIO_VOLUME) return observed_matter(a, id);
    if (a->type == PIO_MEAN_POSITION)
        return m * particle_position(&a->box, a->s.cell[p], a->s.offset[at], a->axis) / W(*a->total);
    if (a->type == PIO_MEAN_VELOCITY) return m * W(a->s.velocity[at]) / W(*a->total);
    if (a->type == PIO_FRONT) return observed_front(a, p, m);
    if (a->type == PIO_SHAPE) {
        vec slope;
        const wide d = W(observed_depth(a, p, &slope));
        return m * d * d / W(*a->total);
    }
    wide sum = W(0);
    for (int c = 0; c < DIM; c++) {
        if (a->type == PIO_KINETIC_ENERGY) {
            const wide v = W(a->s.velocity[field_at(a->matter.n, DIM, c, p)]);
            sum += W(0.5) * m * v * v;
        } else if (a->marker[id] >= 0) {
            const double X = a->points[(ptrdiff_t)a->marker[id] * DIM + c];
            const wide d = observed_place(a, p, c) - W(X);
            if (X - X >= 0) sum += d * d * W(observe_point_fraction(a, id));
        }
    }
    return sum;
}

/* Returns y, the value of the observation, from the sum of its terms. */
PIO_FN wide observe_value(const mpm_observe_args *a, wide sum)
{
    if (a->type != PIO_FRONT) return sum;
    return a->quantile > 0 ? observe_reference(a) : observe_reference(a) + log(sum) / W(a->sharpness);
}

/* Adds the observation to the sample; the one item is 0. */
PIO_FN void mpm_observe_add(int i, const mpm_observe_add_args *a)
{
    (void)i;
    *a->sample += W(a->weight) * observe_value(&a->o, *a->sum);
}

/* Adjoint of observed_matter, y_bar the cotangent of the observation: adds to those of mass and relative density. */
PIO_FN void observed_matter_adj(const mpm_observe_adj_args *b, int id, double y_bar)
{
    const mpm_observe_args *a = &b->o;
    wide slope;
    if (a->type == PIO_MASS) b->mass_bar[id] += R(y_bar);
    if (a->type == PIO_MASS || !b->relative_bar) return;
    observed_filling(a, id, &slope);
    b->relative_bar[id] += R(y_bar * (double)slope / (observed_by_volume(a->type) ? (double)*a->total : 1));
}

/* Adjoint of a front, y_bar its cotangent, for stored particle p: adds to the cotangents of its place and mass. With Q
 * by the implicit function theorem: with S' = dS/dt,  sum_p m_p s S'_p dy = sum_p m_p s S'_p dx_pa + (S_p - (1 - Q))
 * dm_p. */
PIO_FN void observed_front_adj(const mpm_observe_adj_args *b, int p, double y_bar)
{
    const mpm_observe_args *a = &b->o;
    const int id = a->s.id[p];
    const ptrdiff_t at = field_at(a->matter.n, DIM, a->axis, p);
    const double m = (double)a->matter.mass[id], total = (double)*a->total, dx = (double)a->box.dx;
    if (a->quantile > 0) {
        wide slope;
        const double beyond = (double)observe_beyond(a, p, &slope), scale = y_bar / (double)*b->sum;
        b->bar.offset[at] += R(scale * m * a->sharpness * (double)slope * dx);
        b->mass_bar[id] += R(scale * (beyond - (1 - a->quantile)));
        return;
    }
    const double e = (double)observe_front_weight(a, p), S = (double)*b->sum * total;
    b->bar.offset[at] += R(y_bar * m * e / S * dx);
    b->mass_bar[id] += R(y_bar * (e / S - 1 / total) / a->sharpness);
}

/* Adjoint of mpm_observe and mpm_observe_add for stored particle p: adds to the cotangents of its place or its
 * velocity, its mass and its relative density. */
PIO_FN void mpm_observe_adj(int p, const mpm_observe_adj_args *b)
{
    const mpm_observe_args *a = &b->o;
    const int id = a->s.id[p], n = a->matter.n;
    const ptrdiff_t at = field_at(n, DIM, a->axis, p);
    if (a->body[id] != a->of) return;
    const double y_bar = b->weight * (double)*b->sample_bar, sum = (double)*b->sum, total = (double)*a->total;
    const double dx = (double)a->box.dx, m = (double)a->matter.mass[id];
    if (a->type >= PIO_VOLUME) {
        observed_matter_adj(b, id, y_bar);
        return;
    }
    if (a->type == PIO_MEAN_POSITION || a->type == PIO_MEAN_VELOCITY) {
        const int position = a->type == PIO_MEAN_POSITION;
        const double q = position ? (double)particle_position(&a->box, a->s.cell[p], a->s.offset[at], a->axis)
                                  : (double)a->s.velocity[at];
        if (position)
            b->bar.offset[at] += R(y_bar * m / total * dx);
        else
            b->bar.velocity[at] += R(y_bar * m / total);
        b->mass_bar[id] += R(y_bar * (q - sum) / total);
        return;
    }
    if (a->type == PIO_FRONT) {
        observed_front_adj(b, p, y_bar);
        return;
    }
    if (a->type == PIO_SHAPE) {
        vec slope;
        const double d = (double)observed_depth(a, p, &slope);
        vec_store(b->bar.offset, n, p,
                  vec_axpby(R(1), vec_load(b->bar.offset, n, p), R(2 * y_bar * m * d / total), slope));
        b->mass_bar[id] += R(y_bar * (d * d - sum) / total);
        return;
    }
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t k = field_at(n, DIM, c, p);
        if (a->type == PIO_KINETIC_ENERGY) {
            const double v = (double)a->s.velocity[k];
            b->bar.velocity[k] += R(y_bar * m * v);
            b->mass_bar[id] += R(0.5 * y_bar * v * v);
        } else if (a->marker[id] >= 0) {
            const double X = a->points[(ptrdiff_t)a->marker[id] * DIM + c];
            const double d = (double)observed_place(a, p, c) - X;
            const double term = 2 * y_bar * d * observe_point_fraction(a, id) * dx;
            if (!(d - d >= 0)) continue;
            if (b->past_bar)
                b->past_bar[field_at(n, DIM, c, a->past_at[p])] += R(a->past_weight * term);
            else
                b->bar.offset[k] += R((1 - a->past_weight) * term);
        }
    }
}

#endif
