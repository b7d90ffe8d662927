/* hyperelastic_third.h -- the hyperelastic laws in 2D where the third stretch F33 is not 1: rings and sheets.
 *
 * F33 is given to every function beside F, as `third`: of the linear law, whose F is grad u, it is F33 - 1, as
 * hyper_diagonal says. Every isotropic law is W(I, J, t) of hyperelastic_third_slopes.h, so that with cof = dJ/dF,
 * which is linear in F,
 *     P = 2 W_I F + W_J cof,   P33 = W_t
 *     dP = 2 W_I dF + W_J cof(dF) + 2 dW_I F + dW_J cof,   dP33 = dW_t,
 *     dW_a = W_aI 2 F : dF + W_aJ cof : dF + W_at dt.
 *
 * In a sheet (plane stress) t is such that W_t = 0 (hyper_third_free), so that P is the derivative by F of the energy
 * at that t, and t changes with F by hyper_third_along. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_THIRD_H
#define PIOLA_KERNELS_HYPERELASTIC_THIRD_H

#include "kernels/material/hyperelastic_third_slopes.h"

#if PIO_DIM == 2

/* A stress with its component out of the plane, Pa. */
typedef struct {
    mat P;
    real P33;
} third_stress;

/* ---- the laws at F and F33 -------------------------------------------------------------------------------------- */

/* Returns 1 where psi has a value at F and `third`: F33 must be positive, but of the linear law. */
PIO_FN int hyper_third_admits(int law, mat F, real third)
{
    if (!hyper_admits(law, F) || !is_finite(third)) return 0;
    return law == PIO_HYPER_LINEAR || third > R(0);
}

/* Returns the energy of Ogden's law, J/m^3, in the strains b_1, b_2 = m +- d/2 and b_3 without the change of volume, as
 * ogden_energy. */
PIO_FN real third_ogden_psi(mat F, real t, hyper_constants k)
{
    const third_logs p = third_logs_of(F, t);
    real psi = hyper_volume_psi(k.k[4], p.J * t, p.l + p.e);
    for (int term = 0; term < OGDEN_TERMS; term++) {
        const real half = R(0.5) * k.k[2 * term + 1], m = p.l / R(6) - p.e / R(3);
        const real b[3] = {m + R(0.5) * p.d, m - R(0.5) * p.d, R(-2) * m};
        for (int i = 0; i < 3; i++) psi += k.k[2 * term] * b[i] * real_exp(half * b[i]) * sinhc(half * b[i]);
    }
    return psi;
}

/* Returns Hooke's energy of a symmetric strain and a strain out of the plane, J/m^3. */
PIO_FN real third_hooke_psi(mat e, real e33, hyper_constants k)
{
    const real l = mat_trace(e) + e33;
    return k.k[0] * (mat_ddot(e, e) + e33 * e33) + R(0.5) * k.k[1] * l * l;
}

/* Returns the energy of a law with its own volumetric energy, J/m^3. */
PIO_OUTLINE_FN real own_third_psi(int law, mat F, real third, hyper_constants k)
{
    const real I_ = mat_ddot(F, F), J = mat_det(F, mat_cofactor(F)), t = third, J3 = J * t, I1 = I_ + t * t;
    const int two = law == PIO_HYPER_MOONEY_RIVLIN;
    switch (law) {
    case PIO_HYPER_LINEAR:
        return third_hooke_psi(linear_strain(F), t, k);
    case PIO_HYPER_ST_VENANT:
        return third_hooke_psi(green_strain(F), R(0.5) * (t * t - R(1)), k);
    case PIO_HYPER_FIXED_COROTATED: {
        const mat d = mat_axpby(R(1), F, R(-1), polar_rotation(F));
        const real d33 = t - R(1), j = J3 - R(1);
        return k.k[0] * (mat_ddot(d, d) + d33 * d33) + R(0.5) * k.k[1] * j * j;
    }
    case PIO_HYPER_NEO_HOOKEAN: {
        const real l = real_log(J3);
        return k.k[0] * (R(0.5) * (I1 - R(3)) - l) + R(0.5) * k.k[1] * l * l;
    }
    case PIO_HYPER_STABLE_NEO_HOOKEAN: {
        const real j = J3 - R(1), l = k.k[1] + R(5.0 / 6) * k.k[0];
        return R(2.0 / 3) * k.k[0] * (I1 - R(3) - real_log(R(0.25) * (I1 + R(1)))) + j * (R(0.5) * l * j - k.k[0]);
    }
    case PIO_HYPER_NEO_HOOKEAN_ISO:
    case PIO_HYPER_MOONEY_RIVLIN: {
        const real l = real_log(J3), e = real_exp(R(-2.0 / 3) * l), I2 = I_ * t * t + J * J;
        const real shape = (two ? k.k[0] : R(0.5) * k.k[0]) * (e * I1 - R(3));
        return shape + (two ? k.k[1] * (e * e * I2 - R(3)) : R(0)) + hyper_volume_psi(two ? k.k[2] : k.k[1], J3, l);
    }
    case PIO_HYPER_OGDEN:
        return third_ogden_psi(F, t, k);
    default: {
        const third_logs p = third_logs_of(F, t);
        const real l = p.l + p.e;
        return k.k[0] * (R(0.5) * (p.l * p.l + p.d * p.d) + p.e * p.e) + R(0.5) * k.k[1] * l * l;
    }
    }
}

/* Returns the energy per rest volume at F and `third`, J/m^3. */
PIO_OUTLINE_FN real hyper_third_psi(int law, mat F, real third, hyper_constants k)
{
    const hyper_parts r = hyper_parts_of(law, k);
    const real psi = own_third_psi(r.law, F, third, r.k);
    return hyper_is_quadratic(law) ? psi + quadratic_psi(r.kappa, mat_det(F, mat_cofactor(F)) * third) : psi;
}

/* Returns the first Piola-Kirchhoff stress at F and `third`, Pa. */
PIO_OUTLINE_FN third_stress hyper_third_P(int law, mat F, real third, hyper_constants k)
{
    third_stress r;
    if (law == PIO_HYPER_LINEAR) {
        r.P = mat_axpby(R(1), linear_P(F, k), k.k[1] * third, mat_diag(R(1)));
        r.P33 = k.k[1] * mat_trace(F) + (k.k[1] + R(2) * k.k[0]) * third;
        return r;
    }
    const third_slopes s = hyper_third_slopes(law, F, third, k);
    r.P = mat_axpby(R(2) * s.d[0], F, s.d[1], mat_cofactor(F));
    r.P33 = s.d[2];
    return r;
}

/* Sets the changes of (I, J, t) along dF and dt. */
PIO_FN void third_change(mat F, mat dF, real dt, real dz[3])
{
    dz[0] = R(2) * mat_ddot(F, dF);
    dz[1] = mat_ddot(mat_cofactor(F), dF);
    dz[2] = dt;
}

/* Returns the derivative of the stress at F and `third` along dF and dthird, Pa. It is symmetric: its own adjoint. */
PIO_OUTLINE_FN third_stress hyper_third_dP(int law, mat F, real third, mat dF, real dthird, hyper_constants k)
{
    if (law == PIO_HYPER_LINEAR) return hyper_third_P(law, dF, dthird, k);
    const third_slopes s = hyper_third_slopes(law, F, third, k);
    real dz[3], dw[3];
    third_stress r;
    third_change(F, dF, dthird, dz);
    for (int a = 0; a < 3; a++) dw[a] = s.dd[a][0] * dz[0] + s.dd[a][1] * dz[1] + s.dd[a][2] * dz[2];
    const mat own = mat_axpby(R(2) * s.d[0], dF, s.d[1], mat_cofactor(dF));
    r.P = mat_axpby(R(1), own, R(1), mat_axpby(R(2) * dw[0], F, dw[1], mat_cofactor(F)));
    r.P33 = dw[2];
    return r;
}

/* Adds P_bar : dP/dk + P33_bar dP33/dk to the cotangent of each constant that the law has. */
PIO_OUTLINE_FN void hyper_third_theta(int law, mat F, real third, third_stress bar, hyper_constants k,
                                      hyper_constants *k_bar)
{
    real dz[3];
    if (law == PIO_HYPER_LINEAR) {
        const real trace = mat_trace(F) + third;
        k_bar->k[0] += R(2) * (mat_ddot(linear_strain(F), bar.P) + third * bar.P33);
        k_bar->k[1] += trace * (mat_trace(bar.P) + bar.P33);
        return;
    }
    third_change(F, bar.P, bar.P33, dz);
    for (int c = 0; c < hyper_count(law); c++) {
        const third_slopes s = hyper_third_constant(law, F, third, k, c);
        k_bar->k[c] += s.d[0] * dz[0] + s.d[1] * dz[1] + s.d[2] * dz[2];
    }
}

/* Adds bar dpsi/dk at F and `third` to the cotangent of each constant that the law has. */
PIO_FN void hyper_third_psi_theta(int law, mat F, real third, real bar, hyper_constants k, hyper_constants *k_bar)
{
    if (hyper_own(law) != PIO_HYPER_OGDEN) {
        for (int c = 0; c < hyper_count(law); c++) k_bar->k[c] += bar * hyper_third_psi(law, F, third, hyper_unit(c));
        return;
    }
    const third_logs p = third_logs_of(F, third);
    const real m = p.l / R(6) - p.e / R(3), b[3] = {m + R(0.5) * p.d, m - R(0.5) * p.d, R(-2) * m};
    for (int i = 0; i < 3 * OGDEN_TERMS; i++) { /* as ogden_energy_constants */
        const int term = i / 3;
        const real alpha = k.k[2 * term + 1], y = alpha * b[i % 3], x = R(0.5) * y;
        k_bar->k[2 * term] += bar * b[i % 3] * exp(x) * sinhc(x);
        k_bar->k[2 * term + 1] += bar * k.k[2 * term] * b[i % 3] * b[i % 3] * exp_quotient_slope(y);
    }
    const real J3 = p.J * third;
    k_bar->k[4] += bar * (hyper_is_quadratic(law) ? quadratic_psi(R(1), J3) : hyper_volume_psi(R(1), J3, p.l + p.e));
}

/* ---- second derivatives, as a matrix in (F, F33) ---------------------------------------------------------------- */

enum { THIRD_SIDE = HYPER_NUMBERS + 1 }; /* F in the order of hyper_tangent, then F33 */

/* Returns the second derivatives without F33, which follows F so that W_t stays 0: W_ab - W_at W_tb/W_tt. */
PIO_FN third_slopes third_condensed(third_slopes s)
{
    const real n = R(1) / s.dd[2][2];
    third_slopes r = s;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) r.dd[a][b] = a == 2 || b == 2 ? R(0) : s.dd[a][b] - s.dd[a][2] * s.dd[2][b] * n;
    return r;
}

/* Sets A [Pa] to the second derivatives of psi by F and F33; in a sheet (`plane`) to those by F of psi with F33 that
 * follows, and 0 in the last row and column. The linear law has lambda* there (plane_stress_lambda). */
PIO_OUTLINE_FN void hyper_third_tangent(int plane, int law, mat F, real third, hyper_constants k,
                                        real A[THIRD_SIDE][THIRD_SIDE])
{
    const int M = HYPER_NUMBERS, sheet = plane == PIO_PLANE_STRESS;
    const mat cof = mat_cofactor(F);
    for (int i = 0; i < THIRD_SIDE * THIRD_SIDE; i++) A[i / THIRD_SIDE][i % THIRD_SIDE] = R(0);
    if (law == PIO_HYPER_LINEAR) {
        for (int row = 0; row < THIRD_SIDE; row++) {
            const mat dF = row < M ? tangent_unit(row / DIM, row % DIM) : mat_diag(R(0));
            const third_stress r = hyper_third_P(law, dF, R(row == M), k);
            for (int col = 0; col < M; col++) A[row][col] = sheet && row == M ? R(0) : r.P.m[col / DIM][col % DIM];
            A[row][M] = sheet ? R(0) : r.P33;
        }
        return;
    }
    const third_slopes all = hyper_third_slopes(law, F, third, k), s = sheet ? third_condensed(all) : all;
    for (int row = 0; row < THIRD_SIDE; row++) {
        const real a = row < M ? R(2) * F.m[row / DIM][row % DIM] : R(0),
                   b = row < M ? cof.m[row / DIM][row % DIM] : R(0);
        real w[3];
        for (int c = 0; c < 3; c++) w[c] = row < M ? a * s.dd[0][c] + b * s.dd[1][c] : s.dd[2][c];
        for (int col = 0; col < M; col++)
            A[row][col] = w[0] * R(2) * F.m[col / DIM][col % DIM] + w[1] * cof.m[col / DIM][col % DIM];
        A[row][M] = w[2];
        if (row < M) A[row][row] += R(2) * s.d[0];
    }
    A[0][3] += s.d[1];
    A[3][0] += s.d[1];
    A[1][2] -= s.d[1];
    A[2][1] -= s.d[1];
}

/* ---- sheets: F33 such that P33 = 0 ------------------------------------------------------------------------------ */

/* Returns `third` of a sheet at F: the t for which W_t = 0, by Newton's method for g(s) = t W_t with s = ln t, within
 * an interval that the sign of g narrows and that is halved where Newton's step leaves it, until a step or the interval
 * is of the size of rounding. Returns 0, which no law admits, where t is not between 1/2900 and 2900. Of the linear
 * law, which has lambda* for lambda, it is 0. */
PIO_OUTLINE_FN real hyper_third_free(int law, mat F, hyper_constants k)
{
    const real eps = sizeof(real) == 4 ? R(6e-8) : R(1.1e-16), most = R(8);
    real low = -most, high = most, s = R(0);
    if (law == PIO_HYPER_LINEAR || !hyper_admits(law, F)) return R(0);
    for (int i = 0; i < 100; i++) {
        const real t = real_exp(s);
        const third_slopes w = hyper_third_slopes(law, F, t, k);
        const real g = t * w.d[2], slope = g + t * t * w.dd[2][2];
        real next = s - g / slope;
        if (slope > R(0) && !(fabs(next - s) > R(4) * eps)) return real_exp(next);
        if (g > R(0))
            high = s;
        else
            low = s;
        if (!(slope > R(0)) || !(next > low && next < high)) next = R(0.5) * (low + high);
        s = next;
        if (!(high - low > R(4) * eps)) break;
    }
    return fabs(s) < most - R(0.01) && high - low < R(64) * eps ? real_exp(s) : R(0);
}

/* Returns the change of `third` of a sheet along dF, -(W_tI dI + W_tJ dJ)/W_tt; of the linear law 0. */
PIO_OUTLINE_FN real hyper_third_along(int law, mat F, real third, mat dF, hyper_constants k)
{
    real dz[3];
    if (law == PIO_HYPER_LINEAR) return R(0);
    const third_slopes s = hyper_third_slopes(law, F, third, k);
    third_change(F, dF, R(0), dz);
    return -(s.dd[2][0] * dz[0] + s.dd[2][1] * dz[1]) / s.dd[2][2];
}

/* Adjoint of hyper_third_free: adds bar dt/dF to F_bar and bar dt/dk = -bar W_tk/W_tt to k_bar; of the linear law
 * nothing. */
PIO_FN void hyper_third_free_adj(int law, mat F, real third, real bar, hyper_constants k, mat *F_bar,
                                 hyper_constants *k_bar)
{
    third_stress P_bar;
    if (law == PIO_HYPER_LINEAR) return;
    const third_slopes s = hyper_third_slopes(law, F, third, k);
    P_bar.P = mat_diag(R(0));
    P_bar.P33 = -bar / s.dd[2][2];
    const mat both = mat_axpby(R(2) * s.dd[2][0], F, s.dd[2][1], mat_cofactor(F));
    *F_bar = mat_axpby(R(1), *F_bar, P_bar.P33, both);
    hyper_third_theta(law, F, third, P_bar, k, k_bar);
}

#endif
#endif
