/* hyper_field.h -- what engineers want to know at one point of a hyperelastic solid: Cauchy's stress, Green's strain,
 * von Mises' stress, volume ratio, energy density, principal stresses and rotation, each with its adjoint.
 *
 * Strain, volume ratio and rotation are those of the displacement's deformation F (of the linear law grad u), stresses
 * and energy those of what the law is given: F too, or where the dilatation is projected Fbar of dilatation.h. Rings
 * and sheets have a third stretch (hyperelastic_third.h), and no projected dilatation. Of bodies with thermal strain,
 * stresses and energy are those of the elastic part (hyperelastic_heat.h), strain, volume ratio and rotation of all of
 * F. */
#ifndef PIOLA_KERNELS_HYPER_FIELD_H
#define PIOLA_KERNELS_HYPER_FIELD_H

#include "kernels/base/eigen.h"
#include "kernels/base/rotation.h"
#include "kernels/base/vocabulary.h"
#include "kernels/material/hyperelastic_heat.h"
#include "kernels/material/hyperelastic_third_stress.h"

/* Numbers of a symmetric tensor in three directions, in 2D too: xx, yy, zz, xy, yz, xz. */
enum { HYPER_TENSOR = 6 };

/* Sets the six numbers of a symmetric tensor whose part in the plane, or in space, is t. */
PIO_FN void hyper_tensor(mat t, real t33, real out[HYPER_TENSOR])
{
    out[0] = t.m[0][0];
    out[1] = t.m[1][1];
    out[2] = DIM == 3 ? t.m[DIM - 1][DIM - 1] : t33;
    out[3] = R(0.5) * (t.m[0][1] + t.m[1][0]);
    out[4] = DIM == 3 ? R(0.5) * (t.m[1][DIM - 1] + t.m[DIM - 1][1]) : R(0);
    out[5] = DIM == 3 ? R(0.5) * (t.m[0][DIM - 1] + t.m[DIM - 1][0]) : R(0);
}

/* Adjoint of hyper_tensor: returns the cotangent of t, which is symmetric, and sets that of t33. */
PIO_FN mat hyper_tensor_adj(const real out_bar[HYPER_TENSOR], real *t33_bar)
{
    mat t = mat_diag(R(0));
    t.m[0][0] = out_bar[0];
    t.m[1][1] = out_bar[1];
    t.m[0][1] = t.m[1][0] = R(0.5) * out_bar[3];
    *t33_bar = DIM == 3 ? R(0) : out_bar[2];
#if PIO_DIM == 3
    t.m[2][2] = out_bar[2];
    t.m[1][2] = t.m[2][1] = R(0.5) * out_bar[4];
    t.m[0][2] = t.m[2][0] = R(0.5) * out_bar[5];
#endif
    return t;
}

/* Returns the symmetric part of a tensor that is symmetric but for rounding. */
PIO_FN mat hyper_symmetric(mat t)
{
    return mat_axpby(R(0.5), t, R(0.5), mat_transpose(t));
}

/* One point: law and plane state (laws.h), deformations and constants of the law. */
typedef struct {
    int law, form;
    int plane;  /* a pio_plane_state; PIO_PLANE_STRAIN in 3D, and of sheets of the linear law, of which form knows */
    mat F;      /* of the displacement */
    mat bar;    /* what the law is given */
    real third; /* F33 of the elastic part as hyperelastic_third.h has it, of a sheet a function of it and k; in plane
                 * strain not read */
    hyper_constants k;
    int heated; /* the body may have a thermal strain */
    real e;     /* thermal strain, 0 where it has none */
} hyper_point;

/* Cotangents of a point; all are added to, but `third` of a sheet, which is 0. `third` is that of F33 of a ring. */
typedef struct {
    mat F, bar;
    real third, e;
    hyper_constants k;
} hyper_point_bar;

/* Returns `plane` of a point of an element of a mesh in this plane state. */
PIO_FN int hyper_point_plane(int plane, int law)
{
    return DIM == 3 || (plane == PIO_PLANE_STRESS && law == PIO_HYPER_LINEAR) ? (int)PIO_PLANE_STRAIN : plane;
}

/* Returns the elastic part of a point: that whose F, bar and `third` the law knows. In plane strain it has a third
 * stretch where the body may have a thermal strain. */
PIO_FN hyper_point hyper_point_elastic(const hyper_point *p)
{
    hyper_point x = *p;
    x.F = heat_elastic(p->law, p->F, p->e);
    x.bar = heat_elastic(p->law, p->bar, p->e);
#if PIO_DIM == 2
    if (!p->plane) x.third = heat_plane_third(p->law, p->e);
#endif
    return x;
}

/* Returns all of a point, without a thermal strain: F33 with it. */
PIO_FN hyper_point hyper_point_whole(const hyper_point *p)
{
    hyper_point x = *p;
    x.third = p->law == PIO_HYPER_LINEAR ? p->third + p->e : p->third * (R(1) + p->e);
    x.heated = 0;
    return x;
}

/* Returns e33 of a sheet of the linear law that heat adds to hyper_e33 of all of grad u, which is
 * e - k1/(2 k0) tr(grad u - e I): (1 + k1/k0) e; 0 of others. */
PIO_FN real hyper_point_e33(const hyper_point *p)
{
    return p->form & HYPER_PLANE_STRESS ? (R(1) + p->k.k[1] / p->k.k[0]) * p->e : R(0);
}

/* Adjoint of hyper_point_e33. */
PIO_FN void hyper_point_e33_adj(const hyper_point *p, real bar_e33, hyper_point_bar *bar)
{
    if (!(p->form & HYPER_PLANE_STRESS)) return;
    bar->e += bar_e33 * (R(1) + p->k.k[1] / p->k.k[0]);
    bar->k.k[0] -= bar_e33 * p->e * p->k.k[1] / (p->k.k[0] * p->k.k[0]);
    bar->k.k[1] += bar_e33 * p->e / p->k.k[0];
}

/* Returns 1 where a law in 2D is given a third stretch. */
PIO_FN int hyper_point_third(const hyper_point *p)
{
    return DIM == 2 && (p->plane || (p->heated && !(p->form & HYPER_PLANE_STRESS)));
}

/* Returns Cauchy's stress of an elastic part. */
PIO_FN hyper_cauchy_stress hyper_point_cauchy(const hyper_point *p)
{
#if PIO_DIM == 2
    if (hyper_point_third(p)) return hyper_third_cauchy(p->plane, p->law, p->bar, p->third, p->k);
#endif
    return hyper_cauchy(p->law, p->form, p->bar, p->k);
}

/* Returns Green's strain of all of a point. */
PIO_FN hyper_strain hyper_point_strain(const hyper_point *p)
{
#if PIO_DIM == 2
    if (p->plane) return hyper_third_strain(p->law, p->F, p->third);
#endif
    hyper_strain r = hyper_strain_of(p->law, p->form, p->F, p->k);
    r.e33 += hyper_point_e33(p);
    return r;
}

/* Returns the volume ratio of all of a point. */
PIO_FN real hyper_point_volume(const hyper_point *p)
{
#if PIO_DIM == 2
    if (p->plane) return hyper_third_volume(p->law, p->F, p->third);
#endif
    return hyper_volume_ratio(p->law, p->form, p->F, p->k) + hyper_point_e33(p);
}

/* Returns the energy of an elastic part, J/m^3 of what has expanded freely, but not that of dilated_held. */
PIO_FN real hyper_point_psi(const hyper_point *p)
{
#if PIO_DIM == 2
    if (hyper_point_third(p)) return hyper_third_psi(p->law, p->bar, p->third, p->k);
#endif
    return hyper_psi(p->law, p->bar, p->k);
}

/* Returns 1 for the fields that are those of the elastic part. */
PIO_FN int hyper_field_is_elastic(int field)
{
    return field != PIO_GREEN_STRAIN && field != PIO_VOLUME_RATIO && field != PIO_ROTATION;
}

/* Sets the numbers of a field at a point: six of a tensor, three principal stresses, ROTATION_NUMBERS of a rotation,
 * else one. Where there is no stress, von Mises' stress is 0. */
PIO_OUTLINE_FN void hyper_field(int field, const hyper_point *point, real out[HYPER_TENSOR])
{
    const int elastic = hyper_field_is_elastic(field);
    const hyper_point own = elastic ? hyper_point_elastic(point) : hyper_point_whole(point), *p = &own;
    if (field == PIO_CAUCHY_STRESS || field == PIO_PRINCIPAL_STRESS) {
        const hyper_cauchy_stress c = hyper_point_cauchy(p);
        hyper_tensor(c.s, c.s33, out);
        if (field == PIO_CAUCHY_STRESS) return;
        const principal_values v = principal_values_of(hyper_symmetric(c.s), c.s33);
        for (int i = 0; i < 3; i++) out[i] = v.value[i];
    } else if (field == PIO_GREEN_STRAIN) {
        const hyper_strain s = hyper_point_strain(p);
        hyper_tensor(s.e, s.e33, out);
    } else if (field == PIO_VON_MISES_STRESS) {
        const hyper_cauchy_stress d = hyper_deviator(hyper_point_cauchy(p));
        out[0] = sqrt(R(1.5) * (mat_ddot(d.s, d.s) + d.s33 * d.s33));
    } else if (field == PIO_VOLUME_RATIO) {
        out[0] = hyper_point_volume(p);
    } else if (field == PIO_ENERGY_DENSITY) {
        const real g = heat_growth(p->law, p->e);
        out[0] = g * g * g * hyper_point_psi(p);
    } else if (p->law == PIO_HYPER_LINEAR) {
        rotation_axial(p->F, out);
    } else {
        rotation_of(p->F, out);
    }
}

#if PIO_DIM == 2
/* Adjoint of energy, volume ratio or Green's strain of a ring or a sheet, and of energy where heat gives a slice in
 * plane strain a third stretch. */
PIO_FN void hyper_third_field_adj(int field, const hyper_point *p, const real out_bar[HYPER_TENSOR],
                                  hyper_point_bar *bar)
{
    third_cotangent own;
    hyper_strain E;
    mat *to = p->plane ? &bar->F : &bar->bar;
    own.F = *to;
    own.third = bar->third;
    own.k = bar->k;
    E.e = hyper_tensor_adj(out_bar, &E.e33);
    if (field == PIO_GREEN_STRAIN)
        hyper_third_strain_adj(p->law, p->F, p->third, E, &own);
    else if (field == PIO_VOLUME_RATIO)
        hyper_third_volume_adj(p->law, p->F, p->third, out_bar[0], &own);
    else
        hyper_third_psi_adj(p->law, p->bar, p->third, p->k, out_bar[0], &own);
    *to = own.F;
    bar->third = own.third;
    bar->k = own.k;
}
#endif

/* Adjoint of hyper_point_cauchy; the cotangent of the stress is symmetric. */
PIO_FN void hyper_point_cauchy_adj(const hyper_point *p, hyper_cauchy_stress S, hyper_point_bar *bar)
{
#if PIO_DIM == 2
    if (hyper_point_third(p)) {
        third_cotangent own;
        mat *to = p->plane ? &bar->F : &bar->bar;
        own.F = *to;
        own.third = bar->third;
        own.k = bar->k;
        hyper_third_cauchy_adj(p->plane, p->law, p->bar, p->third, p->k, S, &own);
        *to = own.F;
        bar->third = own.third;
        bar->k = own.k;
        return;
    }
#endif
    hyper_cauchy_adj(p->law, p->form, p->bar, p->k, S, &bar->bar, &bar->k);
}

/* Adds the cotangents of stress, von Mises' stress s = sqrt(square) with ds = d square/(2 s), or principal stresses;
 * where there is no stress, that of von Mises has none. */
PIO_FN void hyper_stress_field_adj(int field, const hyper_point *p, const real out_bar[HYPER_TENSOR],
                                   hyper_point_bar *bar)
{
    const hyper_cauchy_stress c = hyper_point_cauchy(p);
    hyper_cauchy_stress S;
    S.s = mat_diag(R(0));
    S.s33 = R(0);
    if (field == PIO_CAUCHY_STRESS) {
        S.s = hyper_tensor_adj(out_bar, &S.s33);
    } else if (field == PIO_PRINCIPAL_STRESS) {
        const principal_values v = principal_values_of(hyper_symmetric(c.s), c.s33);
        principal_values_adj(&v, out_bar, &S.s, &S.s33);
    } else {
        const hyper_cauchy_stress d = hyper_deviator(c);
        const real square = R(1.5) * (mat_ddot(d.s, d.s) + d.s33 * d.s33);
        if (square <= R(0)) return;
        const real slope = R(1.5) * out_bar[0] / sqrt(square);
        S.s = mat_scale(slope, d.s);
        S.s33 = slope * d.s33;
    }
    hyper_point_cauchy_adj(p, S, bar);
}

/* Adjoint of hyper_field at an elastic part, or at all of a point, whichever the field is of, at constant `third`. */
PIO_FN void hyper_field_adj_of(int field, const hyper_point *p, const real out_bar[HYPER_TENSOR], hyper_point_bar *bar)
{
    if (field == PIO_CAUCHY_STRESS || field == PIO_PRINCIPAL_STRESS || field == PIO_VON_MISES_STRESS) {
        hyper_stress_field_adj(field, p, out_bar, bar);
#if PIO_DIM == 2
    } else if ((p->plane && field != PIO_ROTATION) || (hyper_point_third(p) && field == PIO_ENERGY_DENSITY)) {
        hyper_third_field_adj(field, p, out_bar, bar);
#endif
    } else if (field == PIO_GREEN_STRAIN) {
        hyper_strain E;
        E.e = hyper_tensor_adj(out_bar, &E.e33);
        hyper_strain_adj(p->law, p->form, p->F, p->k, E, &bar->F, &bar->k);
        hyper_point_e33_adj(p, E.e33, bar);
    } else if (field == PIO_VOLUME_RATIO) {
        hyper_volume_ratio_adj(p->law, p->form, p->F, p->k, out_bar[0], &bar->F, &bar->k);
        hyper_point_e33_adj(p, out_bar[0], bar);
    } else if (field == PIO_ENERGY_DENSITY) {
        hyper_psi_theta(p->law, p->bar, out_bar[0], p->k, &bar->k);
        bar->bar = mat_axpby(R(1), bar->bar, out_bar[0], hyper_P(p->law, p->bar, p->k));
    } else if (p->law == PIO_HYPER_LINEAR) {
        rotation_axial_adj(out_bar, &bar->F);
    } else {
        rotation_of_adj(p->F, out_bar, &bar->F);
    }
}

/* Adds to the cotangents of a point those `own` of its elastic part, with 1/g for the derivative of F_e by F, and with
 * -F_e/g, or -I of the linear law, for that by e. */
PIO_FN void hyper_point_elastic_adj(const hyper_point *x, const hyper_point_bar *own, hyper_point_bar *bar)
{
    const real n = R(1) / heat_growth(x->law, x->e);
    const mat both = mat_axpby(R(1), own->F, R(1), own->bar);
    bar->F = mat_axpby(R(1), bar->F, n, own->F);
    bar->bar = mat_axpby(R(1), bar->bar, n, own->bar);
    bar->third += n * own->third;
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) bar->k.k[c] += own->k.k[c];
    if (x->law == PIO_HYPER_LINEAR)
        bar->e -= mat_trace(both) + own->third;
    else
        bar->e -= n * (mat_ddot(own->F, x->F) + mat_ddot(own->bar, x->bar) + own->third * x->third);
}

/* Adjoint of hyper_field. */
PIO_OUTLINE_FN void hyper_field_adj(int field, const hyper_point *p, const real out_bar[HYPER_TENSOR],
                                    hyper_point_bar *bar)
{
    const int elastic = hyper_field_is_elastic(field), energy = field == PIO_ENERGY_DENSITY;
    const real g = heat_growth(p->law, p->e);
    const hyper_point x = hyper_point_elastic(p), whole = hyper_point_whole(p);
    hyper_point_bar own;
    real scaled[HYPER_TENSOR];
    own.F = own.bar = mat_diag(R(0));
    own.third = own.e = R(0);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) own.k.k[c] = R(0);
    for (int c = 0; c < HYPER_TENSOR; c++) scaled[c] = energy ? g * g * g * out_bar[c] : out_bar[c];
    hyper_field_adj_of(field, elastic ? &x : &whole, scaled, elastic ? &own : bar);
    if (energy && p->law != PIO_HYPER_LINEAR) bar->e += R(3) * g * g * out_bar[0] * hyper_point_psi(&x);
#if PIO_DIM == 2
    if (p->plane == PIO_PLANE_STRESS) { /* F33 of all of it is g times that of the elastic part, which follows */
        if (!elastic && p->law != PIO_HYPER_LINEAR) {
            own.third = g * bar->third;
            bar->e += bar->third * x.third;
        }
        hyper_third_free_adj(x.law, x.F, x.third, own.third, x.k, &own.F, &own.k);
        own.third = bar->third = R(0);
    }
#endif
    hyper_point_elastic_adj(&x, &own, bar);
}

#endif
