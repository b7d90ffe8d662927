/* plasticity_map.h -- from the trial deformation of a step to the elastic one, F' = U diag(sigma') V^T of F = U
 * diag(sigma) V^T, with the adjoint; and what plasticity adds to the stress.
 *
 * The laws of plasticity.h: sigma'_i = exp e'_i. In 2D, plane strain, the third direction has an elastic Hencky strain
 * of its own, which plastic flow changes and the motion does not: a state besides F.
 * Snow (Stomakhin et al. 2013, eq. 1, 2 and section 5): sigma'_i = sigma_i clamped to [1 - y_0, 1 + y_1], ln Jp = a
 * grows by what of ln det F is cut off, and the moduli are those at rest times exp(y_2 (1 - Jp)). In plane strain the
 * third stretch is 1 and stays.
 *
 * Derivative, A = U^T dF V:   dF' = U B V^T,   B_ii = sum_j dsigma'_i/dsigma_j A_jj,
 *     B_ij = x_ij (A_ij + A_ji)/2 + y_ij (A_ij - A_ji)/2,  x_ij = (sigma'_i - sigma'_j)/(sigma_i - sigma_j),
 *     y_ij = (sigma'_i + sigma'_j)/(sigma_i + sigma_j)
 * (Ogden 1984, section 6.1.4). Since e'_i - e'_j = r (e_i - e_j), r = n'/n, the first quotient is
 *     x_ij = r sqrt(sigma'_i sigma'_j/(sigma_i sigma_j)) sinhc(r (e_i - e_j)/2)/sinhc((e_i - e_j)/2),
 * which stays what it is where stretches meet. */
#ifndef PIOLA_KERNELS_PLASTICITY_MAP_H
#define PIOLA_KERNELS_PLASTICITY_MAP_H

#include "kernels/material/law.h"
#include "kernels/material/plasticity.h"

/* ---- the trial deformation, in principal directions --------------------------------------------------------- */

/* The Hencky strain of a trial state, and that after plastic flow. */
typedef struct {
    mat_svd s;               /* of F */
    real e[3], dev[3];       /* ln sigma_i, and their deviator */
    plastic_point x, to;     /* (n, l, a), (n', l', a') */
    real ratio;              /* n'/n */
    plastic_outcome outcome; /* of plastic_flow */
} hencky_flow;

/* Returns the Hencky strain of the trial deformation F, det F > 0, and that after plastic flow; `third` is the third
 * elastic strain in 2D, not read in 3D, and a the internal variable. */
PIO_FN hencky_flow hencky_flow_of(int law, mat F, real third, real a, const plastic_matter *m)
{
    hencky_flow r;
    r.s = svd_of(F);
    r.e[2] = third;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) r.e[i] = real_log(r.s.sigma.x[i]);
    r.x.l = r.e[0] + r.e[1] + r.e[2];
    PIO_UNROLL
    for (int i = 0; i < 3; i++) r.dev[i] = r.e[i] - r.x.l / R(3);
    r.x.n = sqrt(r.dev[0] * r.dev[0] + r.dev[1] * r.dev[1] + r.dev[2] * r.dev[2]);
    r.x.a = a;
    r.to = r.x;
    r.outcome = plastic_flow(law, &r.to, m);
    r.ratio = r.outcome.branch == FLOW_ELASTIC ? R(1) : r.outcome.branch == FLOW_APEX ? R(0) : r.to.n / r.x.n;
    return r;
}

/* Returns sigma'_i = exp e'_i with e'_i = (n'/n) dev e_i + l'/3, the stretch after the flow. */
PIO_FN real hencky_stretch(const hencky_flow *r, int i)
{
    return exp(r->ratio * r->dev[i] + r->to.l / R(3));
}

/* Returns diag(a). */
PIO_FN mat mat_diagonal(vec a)
{
    mat r = mat_diag(R(0));
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) r.m[i][i] = a.x[i];
    return r;
}

/* Clamps stretches to [1 - y_0, 1 + y_1] and adds ln(sigma_i/sigma'_i) of each to a = ln Jp (Stomakhin et al. 2013,
 * section 5), which is 0 to the last bit where nothing is cut off. Returns the outcome, with the least distance of a
 * stretch from a limit, at most 1, for the margin. */
PIO_FN plastic_outcome snow_clamp(vec *sigma, real *a, const plastic_matter *m)
{
    const real low = R(1) - m->y[0], high = R(1) + m->y[1];
    real margin = R(1);
    int cut = 0;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        const real x = sigma->x[i], least = x < low ? low : x, to = least > high ? high : least;
        const real from_low = fabs(x - low), from_high = fabs(x - high),
                   near = from_low < from_high ? from_low : from_high;
        margin = near < margin ? near : margin;
        cut |= (x < low) | (x > high);
        sigma->x[i] = to;
        *a += real_log(x / to);
    }
    return plastic_outcome_of(cut ? FLOW_LIMIT : FLOW_ELASTIC, margin);
}

#ifdef PIO_DUAL
#include "kernels/material/plasticity_smooth.h"
#else
/* Replaces F, the third elastic strain (2D) and a by those after the flow, and returns the outcome. An elastic state
 * keeps every bit. */
PIO_FN plastic_outcome hencky_map(int law, mat *F, real *third, real *a, const plastic_matter *m)
{
    const hencky_flow r = hencky_flow_of(law, *F, *third, *a, m);
    *a = r.to.a;
    if (r.outcome.branch == FLOW_ELASTIC && r.to.l - r.x.l == 0) return r.outcome;
    mat g = mat_diag(R(0));
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) g.m[i][i] = hencky_stretch(&r, i);
    *F = principal_turn(r.s, g);
    if (HYPER_THIRD) *third = r.ratio * r.dev[2] + r.to.l / R(3);
    return r.outcome;
}

/* Replaces F by the deformation whose stretches are clamped, as snow_clamp does, and adds to a = ln Jp. Returns the
 * outcome. An elastic state keeps every bit. */
PIO_FN plastic_outcome snow_map(mat *F, real *a, const plastic_matter *m)
{
    const mat_svd s = svd_of(*F);
    vec to = s.sigma;
    const plastic_outcome w = snow_clamp(&to, a, m);
    if (w.branch == FLOW_LIMIT) *F = principal_turn(s, mat_diagonal(to));
    return w;
}
#endif

/* ---- adjoint ------------------------------------------------------------------------------------------------- */

/* Returns A of F_bar = U A V^T by B = U^T F'_bar V, where A_ii = diagonal_i and off the diagonal
 *     A_ij = x_ij (B_ij + B_ji)/2 + y_ij (B_ij - B_ji)/2,   y_ij = (sigma'_i + sigma'_j)/(sigma_i + sigma_j),
 * with `after` for sigma'. x is read above its diagonal. */
PIO_FN mat plastic_turn_back(vec sigma, mat B, vec diagonal, mat x, vec after)
{
    mat A;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        A.m[i][i] = diagonal.x[i];
        PIO_UNROLL
        for (int j = i + 1; j < DIM; j++) {
            const real y = (after.x[i] + after.x[j]) / (sigma.x[i] + sigma.x[j]);
            const real same = x.m[i][j] * (B.m[i][j] + B.m[j][i]), turn = y * (B.m[i][j] - B.m[j][i]);
            A.m[i][j] = R(0.5) * (same + turn);
            A.m[j][i] = R(0.5) * (same - turn);
        }
    }
    return A;
}

/* What plasticity maps, or the cotangents of it. */
typedef struct {
    mat F;      /* trial or elastic deformation */
    real third; /* the third elastic Hencky strain, which is of 2D */
    real a;     /* hardening, by the law */
} plastic_strain;

/* Adjoint of hencky_map at x, the state before it: the cotangents x_bar of F', third' and a' become those of F, third
 * and a, and m_bar is added to. */
PIO_FN void hencky_map_adj(int law, plastic_strain x, const plastic_matter *m, plastic_strain *x_bar,
                           plastic_matter *m_bar)
{
    const hencky_flow r = hencky_flow_of(law, x.F, x.third, x.a, m);
    const mat B = mat_t_mul(r.s.U, mat_mul(x_bar->F, r.s.V));
    vec after, diagonal;
    mat quotient = mat_diag(R(0));
    real e_bar[3], mean = R(0), along = R(0);
    e_bar[2] = x_bar->third;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        after.x[i] = hencky_stretch(&r, i);
        e_bar[i] = B.m[i][i] * after.x[i];
    }
    PIO_UNROLL
    for (int i = 0; i < 3; i++) {
        mean += e_bar[i] / R(3);
        along += e_bar[i] * r.dev[i];
    }
    if (r.x.n > R(0)) along /= r.x.n; /* cotangent of n', at constant direction */
    plastic_point bar;
    bar.n = along;
    bar.l = mean;
    bar.a = x_bar->a;
    plastic_flow_adj(law, r.outcome.branch, r.x, m, &bar, m_bar);
    const real shear = r.x.n > R(0) ? (bar.n - r.ratio * along) / r.x.n : R(0);
    PIO_UNROLL
    for (int i = 0; i < 3; i++) e_bar[i] = r.ratio * (e_bar[i] - mean) + shear * r.dev[i] + bar.l;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        diagonal.x[i] = e_bar[i] / r.s.sigma.x[i];
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) {
            const real half = R(0.5) * (r.e[i] - r.e[j]);
            const real area = after.x[i] * after.x[j] / (r.s.sigma.x[i] * r.s.sigma.x[j]);
            quotient.m[i][j] = r.ratio * sqrt(area) * sinhc(r.ratio * half) / sinhc(half);
        }
    }
    x_bar->F = principal_turn(r.s, plastic_turn_back(r.s.sigma, B, diagonal, quotient, after));
    if (HYPER_THIRD) x_bar->third = e_bar[2];
    x_bar->a = bar.a;
}

/* Adjoint of snow_map at F = U diag(sigma) V^T, without branches: by B = U^T F'_bar V returns A of F_bar = U A V^T, and
 * adds the cotangents of both limits to m_bar. a_bar, the cotangent of a', is that of a as well. */
PIO_FN mat snow_clamp_adj(vec stretch, const plastic_matter *m, mat B, real a_bar, plastic_matter *m_bar)
{
    const real low = R(1) - m->y[0], high = R(1) + m->y[1];
    vec after, diagonal, side, kept;
    mat x = mat_diag(R(1));
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        const real sigma = stretch.x[i], least = sigma < low ? low : sigma, to = least > high ? high : least;
        const real below = to > sigma ? R(1) : R(0), above = to < sigma ? R(1) : R(0);
        after.x[i] = to;
        side.x[i] = above - below;
        kept.x[i] = R(1) - above - below;
        const real to_bar = B.m[i][i] - a_bar / after.x[i], cut = a_bar / sigma;
        diagonal.x[i] = cut + kept.x[i] * (B.m[i][i] - cut);
        m_bar->y[0] -= below * to_bar;
        m_bar->y[1] += above * to_bar;
    }
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = i + 1; j < DIM; j++) {
            const real sides = fabs(side.x[i] - side.x[j]), differ = sides > R(1) ? R(1) : sides;
            const real top = differ * (after.x[i] - after.x[j]) + (R(1) - differ) * kept.x[i];
            x.m[i][j] = top / (differ * (stretch.x[i] - stretch.x[j]) + R(1) - differ);
        }
    }
    return plastic_turn_back(stretch, B, diagonal, x, after);
}

/* Adjoint of snow_map at F: the cotangent *F_bar of F' becomes that of F; the rest is as for snow_clamp_adj. */
PIO_FN void snow_map_adj(mat F, const plastic_matter *m, mat *F_bar, real a_bar, plastic_matter *m_bar)
{
    const mat_svd s = svd_of(F);
    const mat B = mat_t_mul(s.U, mat_mul(*F_bar, s.V));
    *F_bar = principal_turn(s, snow_clamp_adj(s.sigma, m, B, a_bar, m_bar));
}

/* ---- stress: what is to be added to that of the elastic law ---------------------------------------------------
 *
 *     snow   (s - 1) tau,  s = exp(y_2 (1 - exp a))          others, in 2D   lambda e_3 I */

/* Returns 1 where a is of the volume: sand that opened, snow that packed. */
PIO_FN int plastic_opens(int plastic)
{
    return plastic == PIO_DRUCKER_PRAGER || plastic == PIO_SNOW;
}

/* Returns ln of a particle's volume over that at rest, less ln det F; `third` is 0 in 3D. */
PIO_FN real plastic_log_volume(int plastic, real third, real a)
{
    return (plastic == PIO_SNOW ? R(0) : third) + (plastic_opens(plastic) ? a : R(0));
}

/* Adjoint of plastic_log_volume: adds log_bar to *third_bar and *a_bar, where the volume depends on them. */
PIO_FN void plastic_log_volume_adj(int plastic, real log_bar, real *third_bar, real *a_bar)
{
    if (plastic != PIO_SNOW) *third_bar += log_bar;
    if (plastic_opens(plastic)) *a_bar += log_bar;
}

/* Returns s = exp(y_2 (1 - Jp)) with Jp = exp a, what the moduli of snow at rest are multiplied by (Stomakhin et al.
 * 2013, eq. 2). */
PIO_FN real snow_hardening_by(real y_2, real a)
{
    return real_exp(y_2 * (R(1) - real_exp(a)));
}

/* As snow_hardening_by, with the constants of the law. */
PIO_FN real snow_hardening(real a, const plastic_matter *m)
{
    return snow_hardening_by(m->y[2], a);
}

/* Returns mu and lambda of snow at rest, or the cotangents of them, as the functions of material.h take them. */
PIO_FN law_constants snow_lame_parameters(const plastic_matter *m)
{
    law_constants c;
    c.k[0] = m->mu;
    c.k[1] = m->lambda;
    c.k[2] = R(0);
    return c;
}

/* Returns what plasticity adds to the Kirchhoff stress of the elastic law, Pa: of snow (s - 1) tau of the fixed
 * corotated law at F, of the others lambda e_3 I; `third` is e_3, 0 in 3D. */
PIO_FN mat plastic_tau(int plastic, mat F, real third, real a, const plastic_matter *m)
{
    if (plastic != PIO_SNOW) return mat_diag(m->lambda * third);
    return mat_scale(snow_hardening(a, m) - R(1), mat_mul_t(fixed_corotated_P(F, snow_lame_parameters(m)), F));
}

/* Adjoint of plastic_tau: adds to x_bar and m_bar. With P of the law and P_bar = (s - 1) tau_bar F, snow's F_bar is
 *     (s - 1) tau_bar^T P + dP(F; P_bar). */
PIO_FN void plastic_tau_adj(int plastic, plastic_strain x, const plastic_matter *m, mat tau_bar, plastic_strain *x_bar,
                            plastic_matter *m_bar)
{
    if (plastic != PIO_SNOW) {
        const real trace = mat_trace(tau_bar);
        m_bar->lambda += x.third * trace;
        x_bar->third += m->lambda * trace;
        return;
    }
    const law_constants pair = snow_lame_parameters(m);
    law_constants pair_bar = snow_lame_parameters(m_bar);
    const mat P = fixed_corotated_P(x.F, pair);
    const real s = snow_hardening(x.a, m), Jp = real_exp(x.a), s_bar = mat_ddot(tau_bar, mat_mul_t(P, x.F)) * s;
    const mat more = mat_scale(s - R(1), tau_bar), P_bar = mat_mul(more, x.F);
    const mat turned = mat_axpby(R(1), mat_t_mul(more, P), R(1), fixed_corotated_dP(x.F, P_bar, pair));
    x_bar->F = mat_axpby(R(1), x_bar->F, R(1), turned);
    fixed_corotated_theta(x.F, P_bar, &pair_bar);
    m_bar->mu = pair_bar.k[0];
    m_bar->lambda = pair_bar.k[1];
    m_bar->y[2] += s_bar * (R(1) - Jp);
    x_bar->a -= s_bar * m->y[2] * Jp;
}

#endif
