/* plasticity_smooth.h -- the maps of plasticity_map.h once more, for dual numbers: without principal directions, which
 * have no derivative where two stretches meet.
 *
 * With E = ln(F^T F)/2:   F' = F exp(E' - E),  E' = (n'/n) dev E + l'/3 I.
 * Snow: F = R S, F' = R clamp(S),  clamp(S) = (|S - low| - |S - high| + (low + high) I)/2,  |A| = A sign(A), and the
 * sign by Newton's iteration X <- (X + X^-1)/2 (Roberts 1980; Higham 2008, section 5.3). The stretches must not lie on
 * the limits. */
#ifndef PIOLA_KERNELS_PLASTICITY_SMOOTH_H
#define PIOLA_KERNELS_PLASTICITY_SMOOTH_H

#include "kernels/material/hyperelastic_smooth.h"
#include "kernels/material/plasticity.h"

/* Returns |A| = A sign(A) of a symmetric matrix without the eigenvalue 0, by 40 of Newton's steps from X = A. */
PIO_FN mat mat_absolute(mat A)
{
    mat X = A;
    for (int k = 0; k < 40; k++) X = mat_axpby(R(0.5), X, R(0.5), mat_inverse(X));
    return mat_mul(A, X);
}

/* Replaces F, the third elastic strain (2D) and a by those after the flow, as the function of plasticity_map.h does to
 * rounding. */
PIO_FN plastic_outcome hencky_map(int law, mat *F, real *third, real *a, const plastic_matter *m)
{
    const mat one = mat_diag(R(1)), E = mat_half_log(mat_t_mul(*F, *F));
    plastic_point x;
    x.l = full_trace(E, *third);
    const mat dev = mat_axpby(R(1), E, -x.l / R(3), one);
    const real last = *third - x.l / R(3), square = mat_ddot(dev, dev) + R(HYPER_THIRD) * last * last, l = x.l;
    const real n = square > R(0) ? sqrt(square) : R(0);
    x.n = n;
    x.a = *a;
    const plastic_outcome w = plastic_flow(law, &x, m);
    const real ratio = w.branch == FLOW_ELASTIC ? R(1) : w.branch == FLOW_APEX ? R(0) : x.n / n;
    *F = mat_mul(*F, mat_exp(mat_axpby(ratio - R(1), dev, (x.l - l) / R(3), one)));
    *third = HYPER_THIRD ? ratio * last + x.l / R(3) : *third;
    *a = x.a;
    return w;
}

/* Replaces F and adds to a as the function of plasticity_map.h does; the outcome is always FLOW_LIMIT with margin 1. */
PIO_FN plastic_outcome snow_map(mat *F, real *a, const plastic_matter *m)
{
    const mat one = mat_diag(R(1)), rotation = polar_rotation(*F), S = mat_t_mul(rotation, *F);
    const real low = R(1) - m->y[0], high = R(1) + m->y[1];
    const mat lower = mat_absolute(mat_axpby(R(1), S, -low, one)), upper = mat_absolute(mat_axpby(R(1), S, -high, one));
    const mat clamped = mat_axpby(R(0.5), mat_axpby(R(1), lower, R(-1), upper), R(0.5) * (low + high), one);
    const real after = mat_det(clamped, mat_cofactor(clamped));
    *a += log(mat_det(*F, mat_cofactor(*F)) / after);
    *F = mat_mul(rotation, clamped);
    return plastic_outcome_of(FLOW_LIMIT, R(1));
}

#endif
