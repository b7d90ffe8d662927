/* mpm_stress_invariants.h -- the stress of solids whose laws are functions of F and its invariants, besides those of
 * mpm_stress.h, in all lanes, and its adjoint. Each such law of a batch is computed in every lane, and a lane keeps
 * what its own law says. hyper_P and its like, which compute one particle, are what tests hold the lanes against. */
#ifndef PIOLA_KERNELS_MPM_STRESS_INVARIANTS_H
#define PIOLA_KERNELS_MPM_STRESS_INVARIANTS_H

#include "kernels/mpm/mpm_stress.h"

/* These laws, DO(law) for each: a compiler knows the law of what it makes of a DO. */
#define INVARIANT_LAWS(DO)                                                                                             \
    DO(PIO_HYPER_ST_VENANT)                                                                                            \
    DO(PIO_HYPER_NEO_HOOKEAN_ISO)                                                                                      \
    DO(PIO_HYPER_STABLE_NEO_HOOKEAN)                                                                                   \
    DO(PIO_HYPER_MOONEY_RIVLIN)                                                                                        \
    DO(PIO_HYPER_NEO_HOOKEAN | PIO_VOLUME_QUADRATIC)                                                                   \
    DO(PIO_HYPER_NEO_HOOKEAN_ISO | PIO_VOLUME_QUADRATIC)                                                               \
    DO(PIO_HYPER_MOONEY_RIVLIN | PIO_VOLUME_QUADRATIC)

/* Returns their bits. */
PIO_FN unsigned invariant_laws(void)
{
    unsigned laws = 0;
#define DO(law) laws |= law_bit(law);
    INVARIANT_LAWS(DO)
#undef DO
    return laws;
}

/* Returns hyper_P of one of these laws with its own volumetric energy; the law is known to the compiler. */
PIO_FN mat invariant_own_P(const int law, mat F, hyper_constants k)
{
    if (law == PIO_HYPER_NEO_HOOKEAN) return neo_hookean_P(F, lame_parameters(k));
    if (law == PIO_HYPER_ST_VENANT) return st_venant_P(F, k);
    if (law == PIO_HYPER_STABLE_NEO_HOOKEAN) return stable_P(F, k);
    if (law == PIO_HYPER_NEO_HOOKEAN_ISO) return mooney_stress(F, R(0.5) * k.k[0], R(0), k.k[1], 0);
    return mooney_stress(F, k.k[0], k.k[1], k.k[2], 1);
}

/* Returns hyper_P of any of these laws. */
PIO_FN mat invariant_P(const int law, mat F, hyper_constants k)
{
    const hyper_parts r = hyper_parts_of(law, k);
    const mat P = invariant_own_P(r.law, F, r.k);
    return hyper_is_quadratic(law) ? mat_axpby(R(1), P, R(1), quadratic_P(F, r.kappa)) : P;
}

/* Returns hyper_dP of such a law. */
PIO_FN mat invariant_own_dP(const int law, mat F, mat dF, hyper_constants k)
{
    if (law == PIO_HYPER_NEO_HOOKEAN) return neo_hookean_dP(F, dF, lame_parameters(k));
    if (law == PIO_HYPER_ST_VENANT) return st_venant_dP(F, dF, k);
    if (law == PIO_HYPER_STABLE_NEO_HOOKEAN) return stable_dP(F, dF, k);
    if (law == PIO_HYPER_NEO_HOOKEAN_ISO) return mooney_tan(F, dF, R(0.5) * k.k[0], R(0), k.k[1], 0);
    return mooney_tan(F, dF, k.k[0], k.k[1], k.k[2], 1);
}

/* Returns hyper_dP, likewise. */
PIO_FN mat invariant_dP(const int law, mat F, mat dF, hyper_constants k)
{
    const hyper_parts r = hyper_parts_of(law, k);
    const mat dP = invariant_own_dP(r.law, F, dF, r.k);
    return hyper_is_quadratic(law) ? mat_axpby(R(1), dP, R(1), quadratic_dP(F, dF, r.kappa)) : dP;
}

/* Adds to k_bar what hyper_theta adds of such a law. */
PIO_FN void invariant_own_theta(const int law, mat F, mat P_bar, hyper_constants *k_bar)
{
    real half = R(0), none = R(0);
    if (law == PIO_HYPER_NEO_HOOKEAN) {
        law_constants pair = lame_parameters(*k_bar);
        neo_hookean_theta(F, P_bar, &pair);
        k_bar->k[0] = pair.k[0];
        k_bar->k[1] = pair.k[1];
    } else if (law == PIO_HYPER_ST_VENANT) {
        st_venant_theta(F, P_bar, k_bar);
    } else if (law == PIO_HYPER_STABLE_NEO_HOOKEAN) {
        stable_theta(F, P_bar, k_bar);
    } else if (law == PIO_HYPER_NEO_HOOKEAN_ISO) {
        mooney_constants(F, P_bar, 0, &half, &none, &k_bar->k[1]);
        k_bar->k[0] += R(0.5) * half;
    } else {
        mooney_constants(F, P_bar, 1, &k_bar->k[0], &k_bar->k[1], &k_bar->k[2]);
    }
}

/* Adds to k_bar, 0 of kappa, what hyper_theta adds, likewise. */
PIO_FN void invariant_theta(const int law, mat F, mat P_bar, hyper_constants *k_bar)
{
    invariant_own_theta(hyper_own(law), F, P_bar, k_bar);
    if (hyper_is_quadratic(law)) k_bar->k[hyper_count(law) - 1] = quadratic_theta(F, P_bar);
}

/* Returns the constants of lane j as those of a law, of which these have three at most. */
PIO_FN hyper_constants invariant_constants(p2g_lanes *x, int j)
{
    hyper_constants k;
    k.k[0] = x->k[0][LANE(j)];
    k.k[1] = x->k[1][LANE(j)];
    k.k[2] = x->k[2][LANE(j)];
    k.k[3] = k.k[4] = R(0);
    return k;
}

/* Sets the stress tau = P F^T of the lanes of one of these laws. */
PIO_FN void p2g_invariant(const int law, p2g_lanes *x)
{
    FULL_LANES(j)
    {
        const mat F = lane_mat(x->F, j);
        lane_mat_put(x->own, j, mat_mul_t(invariant_P(law, F, invariant_constants(x, j)), F));
    }
    FULL_LANES(j) lane_mat_choose(x->tau, j, x->law[0][LANE(j)] == law, lane_mat(x->own, j));
}

/* Sets the stress of the lanes of all of them; `laws` are those of the batch. */
PIO_FN void p2g_invariants(unsigned laws, p2g_lanes *x)
{
#define DO(law)                                                                                                        \
    if (laws & law_bit(law)) p2g_invariant(law, x);
    INVARIANT_LAWS(DO)
#undef DO
}

/* Sets what p2g_invariant_adj chooses from: with P_bar = tau_bar F, tau_bar^T P + dP(F; P_bar) and P_bar : P_theta. */
PIO_FN void invariant_adj(const int law, p2g_lanes *x, p2g_bar *bar)
{
    FULL_LANES(j)
    {
        const mat F = lane_mat(x->F, j), tau_bar = lane_mat(bar->tau, j), P_bar = mat_mul(tau_bar, F);
        lane_mat_put(bar->own, j, invariant_dP(law, F, P_bar, invariant_constants(x, j)));
    }
    FULL_LANES(j)
    {
        const mat P = invariant_P(law, lane_mat(x->F, j), invariant_constants(x, j));
        const mat direct = mat_t_mul(lane_mat(bar->tau, j), P);
        lane_mat_put(bar->own, j, mat_axpby(R(1), direct, R(1), lane_mat(bar->own, j)));
    }
    FULL_LANES(j)
    {
        const mat F = lane_mat(x->F, j), P_bar = mat_mul(lane_mat(bar->tau, j), F);
        hyper_constants k_bar;
        k_bar.k[0] = k_bar.k[1] = k_bar.k[2] = k_bar.k[3] = k_bar.k[4] = R(0);
        invariant_theta(law, F, P_bar, &k_bar);
        bar->k_own[0][LANE(j)] = k_bar.k[0];
        bar->k_own[1][LANE(j)] = k_bar.k[1];
        bar->k_own[2][LANE(j)] = k_bar.k[2];
    }
}

/* Adjoint of p2g_invariant: sets the cotangents of F of these lanes, and adds to those of the constants. */
PIO_FN void p2g_invariant_adj(const mpm_p2g_adj_args *a, const int law, const lane_items *t, p2g_lanes *x, p2g_bar *bar)
{
    const int constants = a->matter.constants < FLUID_CONSTANTS ? a->matter.constants : FLUID_CONSTANTS;
    invariant_adj(law, x, bar);
    FULL_LANES(j) lane_mat_choose(bar->F, j, x->law[0][LANE(j)] == law, lane_mat(bar->own, j));
    LANES (j, t->m) {
        if (x->law[0][LANE(j)] != law) continue;
        for (int c = 0; c < constants; c++)
            a->k_bar[field_at(a->matter.n, a->matter.constants, c, x->id[0][LANE(j)])] += bar->k_own[c][LANE(j)];
    }
}

/* Adjoint of p2g_invariants. */
PIO_FN void p2g_invariants_adj(const mpm_p2g_adj_args *a, unsigned laws, const lane_items *t, p2g_lanes *x,
                               p2g_bar *bar)
{
#define DO(law)                                                                                                        \
    if (laws & law_bit(law)) p2g_invariant_adj(a, law, t, x, bar);
    INVARIANT_LAWS(DO)
#undef DO
}

#endif
