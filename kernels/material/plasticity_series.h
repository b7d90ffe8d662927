/* plasticity_series.h -- the map of plasticity_map.h for the laws of plasticity.h by the series of series.h, for lanes:
 * without principal directions and without branches. With e = ln(F F^T)/2 and d = dev e,
 *     F' = exp((l' - l)/3) exp((r - 1) d) F,   r = n'/n;   in 2D the third strain becomes  r d_3 + l'/3
 * which is U diag(exp e'_i) V^T. It is within reach where the series of e is, and n <= 0.33. */
#ifndef PIOLA_KERNELS_PLASTICITY_SERIES_H
#define PIOLA_KERNELS_PLASTICITY_SERIES_H

#include "kernels/material/plasticity.h"

/* The Hencky strain of a trial state. */
typedef struct {
    mat dev;         /* d */
    real last;       /* d_3, in 2D */
    plastic_point x; /* (n, l, a) */
} hencky_trial;

/* Returns d and (n, l, a) of the strain e and in 2D the third, and of a. */
PIO_FN hencky_trial hencky_trial_of(mat e, real third, real a)
{
    hencky_trial r;
    r.x.l = mat_trace(e) + (HYPER_THIRD ? third : R(0));
    r.x.a = a;
    r.last = HYPER_THIRD ? third - r.x.l / R(3) : R(0);
    r.dev = e;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) r.dev.m[i][i] -= r.x.l / R(3);
    const real square = mat_ddot(r.dev, r.dev) + r.last * r.last;
    r.x.n = square > R(0) ? sqrt(square) : R(0);
    return r;
}

/* Returns 1 where the exponential is within reach. */
PIO_FN int trial_in_reach(plastic_point x)
{
    return x.n <= R(0.33);
}

/* Returns r = n'/n of the state `to` after the flow, 1 where nothing but the volume changes. */
PIO_FN real flow_ratio(int branch, plastic_point x, plastic_point to)
{
    const real n = x.n > R(0) ? x.n : R(1), ratio = to.n / n;
    return branch == FLOW_ELASTIC ? R(1) : branch == FLOW_APEX ? R(0) : ratio;
}

/* Returns 1 where the map changes F. */
PIO_FN int flow_deforms(int branch, plastic_point x, plastic_point to)
{
    const real d = to.l - x.l;
    return (branch != FLOW_ELASTIC) | (d > R(0)) | (d < R(0));
}

/* Returns F'. */
PIO_FN mat flow_deformation(mat F, const hencky_trial *t, real ratio, real l_to)
{
    const mat_powers p = powers_of(mat_scale(ratio - R(1), t->dev));
    const mat turn = polynomial_of(p, series_of(SERIES_EXP, p));
    return mat_scale(real_exp((l_to - t->x.l) / R(3)), mat_mul(turn, F));
}

/* Cotangents on their way through the map. */
typedef struct {
    mat F, e;        /* of F at constant strain; of e */
    real third;      /* of the third strain, in 2D */
    real ratio;      /* of r */
    plastic_point x; /* of a point (n, l, a) */
} flow_bar;

/* Adjoint of flow_deformation and of the third strain: by the cotangents of F' and of the third strain after the flow,
 * returns those of F at constant strain, of d as `e`, of d_3 as `third`, and of r; x.l is that of l' - l in F'. */
PIO_FN flow_bar flow_deformation_adj(mat F, const hencky_trial *t, real ratio, real l_to, mat F_bar, real third_bar)
{
    const mat_powers p = powers_of(mat_scale(ratio - R(1), t->dev));
    const mat_polynomial sum = series_of(SERIES_EXP, p);
    const mat turn = polynomial_of(p, sum), pulled = mat_mul(turn, F_bar); /* turn is symmetric */
    const real volume = real_exp((l_to - t->x.l) / R(3));
    flow_bar r;
    r.F = mat_scale(volume, pulled);
    r.x.l = volume * mat_ddot(pulled, F) / R(3);
    const mat turn_bar = mat_scale(volume, mat_symmetric(mat_mul_t(F_bar, F)));
    const mat x_bar = series_adj(SERIES_EXP, p, sum, turn_bar);
    r.ratio = mat_ddot(x_bar, t->dev);
    r.e = mat_scale(ratio - R(1), x_bar);
    r.third = R(0);
    if (HYPER_THIRD) {
        r.ratio += third_bar * t->last;
        r.third = ratio * third_bar;
    }
    r.x.n = r.x.a = R(0);
    return r;
}

/* Adjoint of hencky_trial_of: turns the cotangents of d, d_3, n and l in `bar` into those of e and the third strain;
 * l_step is that of l' - l. */
PIO_FN void hencky_trial_adj(const hencky_trial *t, real l_step, flow_bar *bar)
{
    const real n = t->x.n > R(0) ? t->x.n : R(1), along = bar->x.n / n;
    bar->e = mat_axpby(R(1), bar->e, along, t->dev);
    if (HYPER_THIRD) bar->third += along * t->last;
    const real mean = (mat_trace(bar->e) + bar->third) / R(3), l_bar = bar->x.l - l_step - mean;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) bar->e.m[i][i] += l_bar;
    if (HYPER_THIRD) bar->third += l_bar;
}

#endif
