/* hyperelastic_heat.h -- the hyperelastic laws of a body that heat would expand by e in every direction, where nothing
 * holds it: e = alpha Delta T.
 *
 * Of F the part F_e = F/g with g = 1 + e is elastic (Lu and Pister 1975; Holzapfel 2000, chapter 7), and psi is the
 * energy per volume of the body that has expanded freely, g^3 times that at rest, so that Cauchy's stress is that of
 * F_e:
 *
 *     w(F) = g^3 psi(F_e),   P = g^2 P_e,   dP(L) = g dP_e(L),
 *     dw/de = g^2 (3 psi - P_e : F_e),   B : dP/de = g (2 B : P_e - F_e : dP_e(B)),
 *
 * and of the linear law, which is a function of G = grad u, with G_e = G - e I
 *
 *     w(G) = psi(G_e),   P = P_e,   dP(L) = dP_e(L),   dw/de = -tr P_e,   B : dP/de = -tr dP_e(B).
 *
 * All directions count. In plane strain F33 is 1, so that the third stretch of F_e is 1/g; there, and in rings and
 * sheets, psi is that of hyperelastic_third.h, and `third` here is F33 of F_e as that file has it. Where e is 0 and
 * there is no `third`, everything is as in hyperelastic.h, to the bit. */
#ifndef PIOLA_KERNELS_HYPERELASTIC_HEAT_H
#define PIOLA_KERNELS_HYPERELASTIC_HEAT_H

#include "kernels/material/hyperelastic_stress.h"
#include "kernels/material/hyperelastic_third.h"

/* ---- the elastic part -------------------------------------------------------------------------------------------- */

/* Returns g = 1 + e; of the linear law 1. */
PIO_FN real heat_growth(int law, real e)
{
    return R(1) + hyper_diagonal(law) * e;
}

/* Returns F_e = F/(1 + e), or of the linear law G - e I. */
PIO_FN mat heat_elastic(int law, mat F, real e)
{
    if (law == PIO_HYPER_LINEAR) return mat_axpby(R(1), F, -e, mat_diag(R(1)));
    return mat_scale(R(1) / (R(1) + e), F);
}

/* Returns the same of a third stretch: F33/(1 + e), or of the linear law F33 - 1 - e. */
PIO_FN real heat_elastic_third(int law, real third, real e)
{
    return law == PIO_HYPER_LINEAR ? third - e : third / (R(1) + e);
}

/* ---- rings and sheets, and of plane strain what F33 = 1 makes of `third` ----------------------------------------- */
#if PIO_DIM == 2

/* Returns the stress at F and `third`, Pa. */
PIO_OUTLINE_FN third_stress heat_third_P(int law, mat F, real third, hyper_constants k, real e)
{
    const real g = heat_growth(law, e);
    third_stress r = hyper_third_P(law, heat_elastic(law, F, e), third, k);
    r.P = mat_scale(g * g, r.P);
    r.P33 *= g * g;
    return r;
}

/* Returns the derivative of the stress along dF and along the change dthird of F33 (not of its elastic part), Pa. */
PIO_OUTLINE_FN third_stress heat_third_dP(int law, mat F, real third, mat dF, real dthird, hyper_constants k, real e)
{
    const real g = heat_growth(law, e);
    third_stress r = hyper_third_dP(law, heat_elastic(law, F, e), third, dF, dthird, k);
    r.P = mat_scale(g, r.P);
    r.P33 *= g;
    return r;
}

/* Adds bar : dP/dk to the cotangents of the constants. */
PIO_OUTLINE_FN void heat_third_theta(int law, mat F, real third, third_stress bar, hyper_constants k, real e,
                                     hyper_constants *k_bar)
{
    const real g = heat_growth(law, e);
    bar.P = mat_scale(g * g, bar.P);
    bar.P33 *= g * g;
    hyper_third_theta(law, heat_elastic(law, F, e), third, bar, k, k_bar);
}

/* Returns bar : dP/de, Pa times the unit of bar. Of a sheet (`plane`), whose F33 follows, bar.P33 is the change of F33
 * along bar.P, and P33 counts for nothing. */
PIO_OUTLINE_FN real heat_third_slope(int plane, int law, mat F, real third, third_stress bar, hyper_constants k, real e)
{
    const mat F_e = heat_elastic(law, F, e);
    const real g = heat_growth(law, e), counts = R(plane != PIO_PLANE_STRESS);
    const third_stress r = hyper_third_dP(law, F_e, third, bar.P, bar.P33, k);
    if (law == PIO_HYPER_LINEAR) return -(mat_trace(r.P) + counts * r.P33);
    const third_stress own = hyper_third_P(law, F_e, third, k);
    const real work = mat_ddot(own.P, bar.P) + counts * own.P33 * bar.P33;
    return g * (R(2) * work - mat_ddot(F_e, r.P) - counts * third * r.P33);
}

/* Sets A [Pa] as hyper_third_tangent. */
PIO_OUTLINE_FN void heat_third_tangent(int plane, int law, mat F, real third, hyper_constants k, real e,
                                       real A[THIRD_SIDE][THIRD_SIDE])
{
    const real g = heat_growth(law, e);
    hyper_third_tangent(plane, law, heat_elastic(law, F, e), third, k, A);
    for (int i = 0; i < THIRD_SIDE * THIRD_SIDE; i++) A[i / THIRD_SIDE][i % THIRD_SIDE] *= g;
}

/* Returns the energy per volume at rest, J/m^3. */
PIO_OUTLINE_FN real heat_third_psi(int law, mat F, real third, hyper_constants k, real e)
{
    const real g = heat_growth(law, e);
    return g * g * g * hyper_third_psi(law, heat_elastic(law, F, e), third, k);
}

/* Adds bar dw/dk to the cotangents of the constants. */
PIO_OUTLINE_FN void heat_third_psi_theta(int law, mat F, real third, real bar, hyper_constants k, real e,
                                         hyper_constants *k_bar)
{
    const real g = heat_growth(law, e);
    hyper_third_psi_theta(law, heat_elastic(law, F, e), third, g * g * g * bar, k, k_bar);
}

/* Returns dw/de, J/m^3; of a sheet (`plane`) P33 counts for nothing. */
PIO_OUTLINE_FN real heat_third_psi_slope(int plane, int law, mat F, real third, hyper_constants k, real e)
{
    const mat F_e = heat_elastic(law, F, e);
    const real g = heat_growth(law, e), counts = R(plane != PIO_PLANE_STRESS);
    const third_stress own = hyper_third_P(law, F_e, third, k);
    if (law == PIO_HYPER_LINEAR) return -(mat_trace(own.P) + counts * own.P33);
    const real work = mat_ddot(own.P, F_e) + counts * own.P33 * third;
    return g * g * (R(3) * hyper_third_psi(law, F_e, third, k) - work);
}

/* Returns `third` of plane strain, whose F33 is 1. */
PIO_FN real heat_plane_third(int law, real e)
{
    return heat_elastic_third(law, hyper_diagonal(law), e);
}
#endif

/* ---- 3D and plane strain ----------------------------------------------------------------------------------------- */

/* Returns 1 where e is 0, and so everything as without it; of a dual number it is not, as it has a derivative. */
PIO_FN int heat_is_none(real e)
{
#ifdef PIO_DUAL
    (void)e;
    return 0;
#else
    return !(fabs(e) > R(0));
#endif
}

/* Returns the energy per volume at rest, J/m^3. */
PIO_OUTLINE_FN real heat_psi(int law, mat F, hyper_constants k, real e)
{
    if (heat_is_none(e)) return hyper_psi(law, F, k);
#if PIO_DIM == 2
    return heat_third_psi(law, F, heat_plane_third(law, e), k, e);
#else
    const real g = heat_growth(law, e);
    return g * g * g * hyper_psi(law, heat_elastic(law, F, e), k);
#endif
}

/* Returns the first Piola-Kirchhoff stress, Pa. */
PIO_OUTLINE_FN mat heat_P(int law, mat F, hyper_constants k, real e)
{
    if (heat_is_none(e)) return hyper_P(law, F, k);
#if PIO_DIM == 2
    return heat_third_P(law, F, heat_plane_third(law, e), k, e).P;
#else
    const real g = heat_growth(law, e);
    return mat_scale(g * g, hyper_P(law, heat_elastic(law, F, e), k));
#endif
}

/* Returns the derivative of P along dF, Pa. */
PIO_OUTLINE_FN mat heat_dP(int law, mat F, mat dF, hyper_constants k, real e)
{
    if (heat_is_none(e)) return hyper_dP(law, F, dF, k);
#if PIO_DIM == 2
    return heat_third_dP(law, F, heat_plane_third(law, e), dF, R(0), k, e).P;
#else
    return mat_scale(heat_growth(law, e), hyper_dP(law, heat_elastic(law, F, e), dF, k));
#endif
}

/* Adds P_bar : dP/dk to the cotangents of the constants. */
PIO_OUTLINE_FN void heat_theta(int law, mat F, mat P_bar, hyper_constants k, real e, hyper_constants *k_bar)
{
    if (heat_is_none(e)) {
        hyper_theta(law, F, P_bar, k, k_bar);
        return;
    }
#if PIO_DIM == 2
    third_stress bar;
    bar.P = P_bar;
    bar.P33 = R(0);
    heat_third_theta(law, F, heat_plane_third(law, e), bar, k, e, k_bar);
#else
    const real g = heat_growth(law, e);
    hyper_theta(law, heat_elastic(law, F, e), mat_scale(g * g, P_bar), k, k_bar);
#endif
}

/* Returns P_bar : dP/de, Pa times the unit of P_bar. */
PIO_OUTLINE_FN real heat_slope(int law, mat F, mat P_bar, hyper_constants k, real e)
{
#if PIO_DIM == 2
    third_stress bar;
    bar.P = P_bar;
    bar.P33 = R(0);
    return heat_third_slope(PIO_PLANE_STRAIN, law, F, heat_plane_third(law, e), bar, k, e);
#else
    const mat F_e = heat_elastic(law, F, e), dP = hyper_dP(law, F_e, P_bar, k);
    if (law == PIO_HYPER_LINEAR) return -mat_trace(dP);
    return (R(1) + e) * (R(2) * mat_ddot(hyper_P(law, F_e, k), P_bar) - mat_ddot(F_e, dP));
#endif
}

/* Sets the tangent A [Pa] as hyper_tangent. */
PIO_OUTLINE_FN void heat_tangent(int law, mat F, hyper_constants k, real e, real A[HYPER_NUMBERS][HYPER_NUMBERS])
{
    if (heat_is_none(e)) {
        hyper_tangent(law, F, k, A);
        return;
    }
#if PIO_DIM == 2
    real all[THIRD_SIDE][THIRD_SIDE];
    heat_third_tangent(PIO_PLANE_STRAIN, law, F, heat_plane_third(law, e), k, e, all);
    for (int i = 0; i < HYPER_NUMBERS * HYPER_NUMBERS; i++)
        A[i / HYPER_NUMBERS][i % HYPER_NUMBERS] = all[i / HYPER_NUMBERS][i % HYPER_NUMBERS];
#else
    const real g = heat_growth(law, e);
    hyper_tangent(law, heat_elastic(law, F, e), k, A);
    for (int i = 0; i < HYPER_NUMBERS * HYPER_NUMBERS; i++) A[i / HYPER_NUMBERS][i % HYPER_NUMBERS] *= g;
#endif
}

/* Adds bar dw/dk to the cotangents of the constants. */
PIO_OUTLINE_FN void heat_psi_theta(int law, mat F, real bar, hyper_constants k, real e, hyper_constants *k_bar)
{
    if (heat_is_none(e)) {
        hyper_psi_theta(law, F, bar, k, k_bar);
        return;
    }
#if PIO_DIM == 2
    heat_third_psi_theta(law, F, heat_plane_third(law, e), bar, k, e, k_bar);
#else
    const real g = heat_growth(law, e);
    hyper_psi_theta(law, heat_elastic(law, F, e), g * g * g * bar, k, k_bar);
#endif
}

/* Returns dw/de, J/m^3. */
PIO_OUTLINE_FN real heat_psi_slope(int law, mat F, hyper_constants k, real e)
{
#if PIO_DIM == 2
    return heat_third_psi_slope(PIO_PLANE_STRAIN, law, F, heat_plane_third(law, e), k, e);
#else
    const mat F_e = heat_elastic(law, F, e), P = hyper_P(law, F_e, k);
    const real g = heat_growth(law, e);
    if (law == PIO_HYPER_LINEAR) return -mat_trace(P);
    return g * g * (R(3) * hyper_psi(law, F_e, k) - mat_ddot(P, F_e));
#endif
}

#endif
