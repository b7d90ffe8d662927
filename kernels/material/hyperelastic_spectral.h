/* hyperelastic_spectral.h -- laws in the logarithms e_i = ln sigma_i of the principal stretches, F = U diag(sigma) V^T:
 * Hencky and Ogden. Plane strain: sigma_3 = 1, e_3 = 0. det F > 0.
 *
 * With tau_i = d psi/d e_i [Pa] and p_i = tau_i/sigma_i:   P = U diag(p) V^T,
 *     dP = U B V^T,   A = U^T dF V
 *     B_ii = sum_j dp_i/dsigma_j A_jj,   dp_i/dsigma_j = (dtau_i/de_j - d_ij tau_i)/(sigma_i sigma_j)
 *     B_ij = x_ij (A_ij + A_ji)/2 + y_ij (A_ij - A_ji)/2
 *     x_ij = (p_i - p_j)/(sigma_i - sigma_j),   y_ij = (p_i + p_j)/(sigma_i + sigma_j)
 * (Ogden 1984, section 6.1.4; Stomakhin et al. 2012). The quotient x_ij is finite where two stretches meet; it is
 * computed without cancellation as
 *     x_ij = ((sigma_i + sigma_j) (Dtau/De) (De/Dsigma) - tau_i - tau_j)/(2 sigma_i sigma_j)
 *     De/Dsigma = 1/(sqrt(sigma_i sigma_j) sinhc(De/2)),   sinhc x = sinh x/x
 * and Dtau/De has a closed form in sinhc for each law. sinhc is even and flat at 0: an e_i - e_j of rounding alone does
 * no harm. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_SPECTRAL_H
#define PIOLA_KERNELS_HYPERELASTIC_SPECTRAL_H

#include "kernels/material/hyperelastic_tools.h"

/* Stresses and their derivatives by the logarithms of the stretches: t[i] = tau_i, dt[i][j] = dtau_i/de_j,
 * q[i][j] = (tau_i - tau_j)/(e_i - e_j), i and j different. [Pa] */
typedef struct {
    vec t;
    mat dt, q;
} principal_stress;

/* Returns the sum of the components of a. */
PIO_FN real vec_sum(vec a)
{
    real s = a.x[0];
    PIO_UNROLL
    for (int i = 1; i < DIM; i++) s += a.x[i];
    return s;
}

/* Returns e_i = ln sigma_i of the stretches sigma_i > 0 of a decomposition. */
PIO_FN vec principal_logs(mat_svd s)
{
    vec e;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) e.x[i] = real_log(s.sigma.x[i]);
    return e;
}

/* ---- Hencky:  psi = mu sum e_i^2 + lambda/2 (sum e_i)^2,  k[0] = mu, k[1] = lambda ---------------------------------
 *
 * (Hencky 1928; Xiao and Chen 2002). */

/* Returns psi = mu sum e_i^2 + lambda/2 (sum e_i)^2, J/m^3. */
PIO_FN real hencky_energy(vec e, hyper_constants c)
{
    const real l = vec_sum(e);
    return c.k[0] * vec_dot(e, e) + R(0.5) * c.k[1] * l * l;
}

/* Returns tau_i = 2 mu e_i + lambda sum e, Pa. */
PIO_FN vec hencky_tau(vec e, hyper_constants c)
{
    const real l = c.k[1] * vec_sum(e);
    vec t;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) t.x[i] = R(2) * c.k[0] * e.x[i] + l;
    return t;
}

/* Returns tau_i with dtau_i/de_j = 2 mu d_ij + lambda and Dtau/De = 2 mu. */
PIO_FN principal_stress hencky_stress(vec e, hyper_constants c)
{
    principal_stress r;
    r.t = hencky_tau(e, c);
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) {
            r.dt.m[i][j] = i == j ? R(2) * c.k[0] + c.k[1] : c.k[1];
            r.q.m[i][j] = R(2) * c.k[0];
        }
    }
    return r;
}

/* Adds 2 e . w and (sum e) (sum w) to the cotangents of mu and lambda, where w is the cotangent of tau. */
PIO_FN void hencky_constants(vec e, vec w, hyper_constants *c_bar)
{
    c_bar->k[0] += R(2) * vec_dot(e, w);
    c_bar->k[1] += vec_sum(e) * vec_sum(w);
}

/* ---- Ogden, at most two terms     (Ogden 1972, Proc. R. Soc. A 328; Holzapfel 2000, section 6.5) ------
 *
 *     psi = sum_p mu_p/alpha_p (sum_i exp(alpha_p b_i) - 3) + kappa/4 (J^2 - 1 - 2 ln J),   b_i = e_i - ln J/3
 *
 * k = (mu_1 [Pa], alpha_1 [-], mu_2 [Pa], alpha_2 [-], kappa [Pa]); at small strain mu = (mu_1 alpha_1 + mu_2
 * alpha_2)/2. sum_i b_i = 0, so (exp(alpha b) - 1)/alpha = b exp(alpha b/2) sinhc(alpha b/2) needs no division by
 * alpha: a term that is not wanted has mu_p = alpha_p = 0. */

/* Returns b_i = e_i - ln J/3 with ln J = sum e: the strain without the change of volume. */
PIO_FN vec ogden_shape(vec e)
{
    const real l = vec_sum(e) / R(3);
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) e.x[i] -= l;
    return e;
}

/* Returns b_3 = -ln J/3, the third b in plane strain. */
PIO_FN real ogden_third(vec e)
{
    return -vec_sum(e) / R(3);
}

/* Returns psi = sum_p mu_p sum_i b_i exp(alpha_p b_i/2) sinhc(alpha_p b_i/2) + kappa/4 (J^2 - 1 - 2 ln J), J/m^3,
 * where i counts three directions and J = exp(sum e) > 0. */
PIO_FN real ogden_energy(vec e, real J, hyper_constants c)
{
    const vec b = ogden_shape(e);
    real psi = hyper_volume_psi(c.k[4], J, vec_sum(e));
    PIO_UNROLL
    for (int p = 0; p < OGDEN_TERMS; p++) {
        const real half = R(0.5) * c.k[2 * p + 1], third = half * ogden_third(e);
        real s = R(0);
        PIO_UNROLL
        for (int i = 0; i < DIM; i++) s += b.x[i] * real_exp(half * b.x[i]) * sinhc(half * b.x[i]);
        if (HYPER_THIRD) s += ogden_third(e) * real_exp(third) * sinhc(third);
        psi += c.k[2 * p] * s;
    }
    return psi;
}

/* Returns x_i = exp(alpha b_i), and sets *mean to the mean of x over the three directions. */
PIO_FN vec ogden_powers(vec e, real alpha, real *mean)
{
    const vec b = ogden_shape(e);
    vec x;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) x.x[i] = real_exp(alpha * b.x[i]);
    *mean = vec_sum(x);
    if (HYPER_THIRD) *mean += real_exp(alpha * ogden_third(e));
    *mean /= R(3);
    return x;
}

/* Returns tau_i = sum_p mu_p (x_i - mean x) + kappa/2 (J^2 - 1), Pa, with x of ogden_powers. */
PIO_FN vec ogden_tau(vec e, real J, hyper_constants c)
{
    const real volume = hyper_volume_tau(c.k[4], J);
    vec t;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) t.x[i] = volume;
    PIO_UNROLL
    for (int p = 0; p < OGDEN_TERMS; p++) {
        real mean;
        const vec x = ogden_powers(e, c.k[2 * p + 1], &mean);
        PIO_UNROLL
        for (int i = 0; i < DIM; i++) t.x[i] += c.k[2 * p] * (x.x[i] - mean);
    }
    return t;
}

/* Returns dtau_i/de_j = sum_p mu_p alpha_p (d_ij x_i - (x_i + x_j - mean x)/3) + kappa J^2, Pa. */
PIO_FN mat ogden_slopes(vec e, real J, hyper_constants c)
{
    mat r;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) r.m[i][j] = c.k[4] * J * J;
    }
    PIO_UNROLL
    for (int p = 0; p < OGDEN_TERMS; p++) {
        const real s = c.k[2 * p] * c.k[2 * p + 1];
        real mean;
        const vec x = ogden_powers(e, c.k[2 * p + 1], &mean);
        PIO_UNROLL
        for (int i = 0; i < DIM; i++) {
            r.m[i][i] += s * x.x[i];
            PIO_UNROLL
            for (int j = 0; j < DIM; j++) r.m[i][j] -= s * (x.x[i] + x.x[j] - mean) / R(3);
        }
    }
    return r;
}

/* Returns Dtau/De = sum_p mu_p alpha_p exp(alpha_p (b_i + b_j)/2) sinhc(alpha_p (b_i - b_j)/2), Pa, of i and j. */
PIO_FN real ogden_quotient(vec e, int i, int j, hyper_constants c)
{
    const vec b = ogden_shape(e);
    real q = R(0);
    PIO_UNROLL
    for (int p = 0; p < OGDEN_TERMS; p++) {
        const real half = R(0.5) * c.k[2 * p + 1], s = c.k[2 * p] * c.k[2 * p + 1];
        q += s * real_exp(half * (b.x[i] + b.x[j])) * sinhc(half * (b.x[i] - b.x[j]));
    }
    return q;
}

/* Returns tau_i with these derivatives. */
PIO_FN principal_stress ogden_stress(vec e, real J, hyper_constants c)
{
    principal_stress r;
    r.t = ogden_tau(e, J, c);
    r.dt = ogden_slopes(e, J, c);
    r.q = mat_diag(R(0));
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = i + 1; j < DIM; j++) r.q.m[i][j] = r.q.m[j][i] = ogden_quotient(e, i, j, c);
    }
    return r;
}

/* Adds w . dtau/dk to the cotangents of the constants, where w is the cotangent of tau, dtau_i/dmu_p = x_i - mean x,
 * dtau_i/dalpha_p = mu_p (b_i x_i - mean b x) and dtau_i/dkappa = (J^2 - 1)/2. */
PIO_FN void ogden_constants(vec e, real J, vec w, hyper_constants c, hyper_constants *c_bar)
{
    const vec b = ogden_shape(e);
    PIO_UNROLL
    for (int p = 0; p < OGDEN_TERMS; p++) {
        const real alpha = c.k[2 * p + 1];
        real mean;
        const vec x = ogden_powers(e, alpha, &mean);
        real moment = vec_dot(b, x);
        if (HYPER_THIRD) moment += ogden_third(e) * real_exp(alpha * ogden_third(e));
        moment /= R(3);
        PIO_UNROLL
        for (int i = 0; i < DIM; i++) {
            c_bar->k[2 * p] += w.x[i] * (x.x[i] - mean);
            c_bar->k[2 * p + 1] += w.x[i] * c.k[2 * p] * (b.x[i] * x.x[i] - moment);
        }
    }
    c_bar->k[4] += hyper_volume_tau(R(1), J) * vec_sum(w);
}

/* ---- both: `ogden` says which, and is a constant wherever it is written ----------------------------------------- */

/* Returns U B V^T. */
PIO_FN mat principal_turn(mat_svd s, mat B)
{
    return mat_mul_t(mat_mul(s.U, B), s.V);
}

#ifdef PIO_DUAL
#include "kernels/material/hyperelastic_smooth.h"
#else
/* Returns psi of Ogden's law, or else Hencky's, at F, J/m^3; det F > 0. */
PIO_FN real spectral_psi(int ogden, mat F, hyper_constants c)
{
    const vec e = principal_logs(svd_of(F));
    return ogden ? ogden_energy(e, mat_det(F, mat_cofactor(F)), c) : hencky_energy(e, c);
}

/* Returns P = U diag(tau_i/sigma_i) V^T of Ogden's law, or else Hencky's, at F, Pa; det F > 0. */
PIO_FN mat spectral_P(int ogden, mat F, hyper_constants c)
{
    const mat_svd s = svd_of(F);
    const vec e = principal_logs(s), t = ogden ? ogden_tau(e, mat_det(F, mat_cofactor(F)), c) : hencky_tau(e, c);
    mat p = mat_diag(R(0));
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) p.m[i][i] = t.x[i] / s.sigma.x[i];
    return principal_turn(s, p);
}
#endif

/* What dP is made of:  B_ii = sum_j n_ij A_jj,  B_ij = same_ij A_ij + swap_ij A_ji */
typedef struct {
    mat n, same, swap;
} spectral_numbers;
typedef struct {
    mat_svd s;
    spectral_numbers b;
} spectral_point;

/* Returns the numbers of dP where the stretches are g, their logarithms e and the stresses p: n_ij = dp_i/dsigma_j,
 * same = (x + y)/2 and swap = (x - y)/2, Pa, with x and y of the head of this file. */
PIO_FN spectral_numbers spectral_numbers_of(vec g, vec e, const principal_stress *p)
{
    spectral_numbers r;
    r.same = r.swap = mat_diag(R(0));
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) {
            const real area = g.x[i] * g.x[j], sum = g.x[i] + g.x[j];
            r.n.m[i][j] = (p->dt.m[i][j] - (i == j ? p->t.x[i] : R(0))) / area;
            if (i == j) continue;
            const real De = R(1) / (sqrt(area) * sinhc(R(0.5) * (e.x[i] - e.x[j])));
            const real x = (sum * p->q.m[i][j] * De - p->t.x[i] - p->t.x[j]) / (R(2) * area);
            const real y = (p->t.x[i] * g.x[j] + p->t.x[j] * g.x[i]) / (area * sum);
            r.same.m[i][j] = R(0.5) * (x + y);
            r.swap.m[i][j] = R(0.5) * (x - y);
        }
    }
    return r;
}

/* Returns the decomposition of F and the numbers of dP there; det F > 0. */
PIO_FN spectral_point spectral_at(int ogden, mat F, hyper_constants c)
{
    spectral_point r;
    r.s = svd_of(F);
    const vec e = principal_logs(r.s);
    const principal_stress p = ogden ? ogden_stress(e, mat_det(F, mat_cofactor(F)), c) : hencky_stress(e, c);
    r.b = spectral_numbers_of(r.s.sigma, e, &p);
    return r;
}

/* Returns B for A. */
PIO_FN mat spectral_B(const spectral_numbers *r, mat A)
{
    mat B;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) {
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) B.m[i][j] = r->same.m[i][j] * A.m[i][j] + r->swap.m[i][j] * A.m[j][i];
        PIO_UNROLL
        for (int j = 0; j < DIM; j++) B.m[i][i] += r->n.m[i][j] * A.m[j][j];
    }
    return B;
}

/* Returns dP = U B V^T for A = U^T dF V. */
PIO_FN mat spectral_apply(spectral_point r, mat dF)
{
    return principal_turn(r.s, spectral_B(&r.b, mat_t_mul(r.s.U, mat_mul(dF, r.s.V))));
}

/* Returns the derivative of P along dF at F, Pa. */
PIO_FN mat spectral_dP(int ogden, mat F, mat dF, hyper_constants c)
{
    return spectral_apply(spectral_at(ogden, F, c), dF);
}

/* Adds P_bar : dP/dk to the cotangents of the constants by
 *     P_bar : dP = sum_i w_i dtau_i,   w_i = (U^T P_bar V)_ii/sigma_i. */
PIO_FN void spectral_theta(int ogden, mat F, mat P_bar, hyper_constants c, hyper_constants *c_bar)
{
    const mat_svd s = svd_of(F);
    const vec e = principal_logs(s);
    const mat A = mat_t_mul(s.U, mat_mul(P_bar, s.V));
    vec w;
    PIO_UNROLL
    for (int i = 0; i < DIM; i++) w.x[i] = A.m[i][i] / s.sigma.x[i];
    if (ogden)
        ogden_constants(e, mat_det(F, mat_cofactor(F)), w, c, c_bar);
    else
        hencky_constants(e, w, c_bar);
}

/* Sets A to the tangent, with one decomposition of F for all its columns. */
PIO_FN void spectral_tangent(int ogden, mat F, hyper_constants c, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    const spectral_point r = spectral_at(ogden, F, c);
    for (int k = 0; k < DIM; k++) {
        for (int L = 0; L < DIM; L++) tangent_column(k, L, spectral_apply(r, tangent_unit(k, L)), A);
    }
}

#endif
