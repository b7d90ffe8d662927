/* fem_load.h -- loads and prescribed displacements of the step, each with its adjoint.
 *
 *     weight      f_a = sum_q V rho N_a g                     traction  f_a = sum_q w |m| N_a t
 *     body force  f_a = sum_q V N_a b                         pressure  f_a = -p sum_q w N_a m
 *     on points   f_a = t, in N                               m = outward normal times area per reference area
 *     total force t = F/A, A the area at rest of all its faces
 * Where the body is a ring, sums over faces have the factor 2 pi r beside w, and forces on points, and all sums, are
 * those of the whole ring.
 * Dead loads are integrated over the body at rest. Where m is that of the deformed face, the load is a follower
 * pressure: fem_follow.h. Values follow time curves: value(t) = value curve(t). */
#ifndef PIOLA_KERNELS_FEM_LOAD_H
#define PIOLA_KERNELS_FEM_LOAD_H

#include "kernels/fem/fem_load_args.h"
#include "kernels/fem/fem.h"

/* ---- time: the step's time and every curve's value at it --------------------------------------------------- */

/* Sets the value of curve c by a search for its interval; curve 0 sets the time of the step block too. */
PIO_FN void fem_curve(int c, const fem_curve_args *a)
{
    const double t = a->h * ((double)a->index + (double)(a->substep + 1) / (double)a->substeps);
    int i = a->start[c];
    if (c == 0) a->step->index = a->index, a->step->t = t;
    while (i + 1 < a->start[c + 1] && a->t[i + 1] <= t) i++;
    if (i + 1 == a->start[c + 1] || t <= a->t[i])
        a->out[c] = W(a->value[i]);
    else
        a->out[c] = W(a->value[i] + (a->value[i + 1] - a->value[i]) * ((t - a->t[i]) / (a->t[i + 1] - a->t[i])));
}

/* ---- weight ------------------------------------------------------------------------------------------------ */

/* Sets the nodal forces of element i's weight. */
PIO_FN void fem_weight(int i, const fem_weight_args *a)
{
    const int nodes = a->b.rule.nodes, e = a->b.first + i;
    real *f = a->out + ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    for (int c = 0; c < nodes * DIM; c++) f[c] = R(0);
    for (int q = 0; q < a->b.rule.points; q++) {
        const real mass = fem_point_at(&a->b, i, q).volume * a->m.density[e];
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++) f[n * DIM + c] += mass * a->b.rule.N[q * nodes + n] * R(a->step->gravity[c]);
    }
}

/* Returns a nodal vector y at quadrature point q of element i. */
PIO_FN vec fem_value(const fem_block *b, int i, int q, const real *y)
{
    const int nodes = b->rule.nodes, *node = b->node + (ptrdiff_t)i * nodes;
    vec v = vec_zero();
    for (int n = 0; n < nodes; n++) v = vec_axpby(R(1), v, b->rule.N[q * nodes + n], point_load(y, node[n]));
    return v;
}

/* Sets the cotangents of the rest positions of element i's nodes and its contribution to that of gravity, and adds
 * those of its density and thickness. */
PIO_FN void fem_weight_adj(int i, const fem_weight_adj_args *s)
{
    const fem_weight_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes, e = a->b.first + i;
    const ptrdiff_t at = ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    real density_bar = R(0), thick_bar = R(0);
    vec g, contribution = vec_zero();
    for (int c = 0; c < DIM; c++) g.x[c] = R(a->step->gravity[c]);
    for (int c = 0; s->rest_bar && c < nodes * DIM; c++) s->rest_bar[at + c] = R(0);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const vec L = fem_value(&a->b, i, q, s->y);
        const real Lg = vec_dot(L, g);
        density_bar += p.volume * Lg;
        thick_bar += p.area * a->m.density[e] * Lg;
        contribution = vec_axpby(R(1), contribution, p.volume * a->m.density[e], L);
        for (int n = 0; s->rest_bar && n < nodes; n++)
            for (int c = 0; c < DIM; c++)
                s->rest_bar[at + n * DIM + c] += p.volume * a->m.density[e] * Lg * fem_volume_slope(&p, n, c);
    }
    s->density_bar[e] += density_bar;
    if (s->thick_bar) s->thick_bar[e] += thick_bar;
    vec_store(s->gravity_contribution, a->m.elements, e, contribution);
}

/* ---- body force -------------------------------------------------------------------------------------------- */

/* Returns what a value is multiplied by: scale times the factor of the time curve. */
PIO_FN real fem_body_force_scale(const fem_body_force_args *a)
{
    return R(a->scale) * (a->factor ? R(*a->factor) : R(1));
}

/* Returns the force per volume at rest at this time, value times scale times factor, N/m^3, at point q of element
 * number j of the list. */
PIO_FN vec fem_body_force_of(const fem_body_force_args *a, int j, int q)
{
    const wide *value = a->value + ((ptrdiff_t)j * a->b.rule.points + q) * a->stride;
    vec b;
    for (int c = 0; c < DIM; c++) b.x[c] = fem_body_force_scale(a) * R(value[c]);
    return b;
}

/* Sets the nodal forces f_a = sum_q V N_a b of element number j of the list. */
PIO_FN void fem_body_force(int j, const fem_body_force_args *a)
{
    const int nodes = a->b.rule.nodes, i = a->element[j] - a->b.first;
    real *f = a->out + ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    for (int c = 0; c < nodes * DIM; c++) f[c] = R(0);
    for (int q = 0; q < a->b.rule.points; q++) {
        const real volume = fem_point_at(&a->b, i, q).volume;
        const vec b = fem_body_force_of(a, j, q);
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++) f[n * DIM + c] += volume * a->b.rule.N[q * nodes + n] * b.x[c];
    }
}

/* Sets the cotangents of the rest positions of the element's nodes and its contribution to that of the value, and
 * adds that of its thickness. */
PIO_FN void fem_body_force_adj(int j, const fem_body_force_adj_args *s)
{
    const fem_body_force_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes, i = a->element[j] - a->b.first;
    const real scale = fem_body_force_scale(a);
    real *X_bar = s->rest_bar + ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM, thick_bar = R(0);
    vec contribution = vec_zero();
    for (int c = 0; c < nodes * DIM; c++) X_bar[c] = R(0);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const vec L = fem_value(&a->b, i, q, s->y);
        const real Lb = vec_dot(L, fem_body_force_of(a, j, q));
        thick_bar += p.area * Lb;
        contribution = vec_axpby(R(1), contribution, p.volume, L);
        for (int c = 0; s->point_bar && c < DIM; c++)
            s->point_bar[((ptrdiff_t)j * a->b.rule.points + q) * DIM + c] = W(scale * p.volume * L.x[c]);
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++) X_bar[n * DIM + c] += p.volume * Lb * fem_volume_slope(&p, n, c);
    }
    if (s->thick_bar) s->thick_bar[a->element[j]] += thick_bar;
    vec_store(s->value_contribution, a->n, j, vec_scale(scale, contribution));
}

/* ---- loads on faces ---------------------------------------------------------------------------------------- */

/* The tangents and m of a point of a face. */
typedef struct {
    vec a, b, m; /* a and b in metres, m in square metres; in 2D b is 0 and m in metres */
} fem_face_point;

/* Returns the area vector of two tangents, a x b; in 2D a turned by a right angle. */
PIO_FN vec fem_cross(vec a, vec b)
{
    vec r = vec_zero();
#if PIO_DIM == 3
    r.x[0] = a.x[1] * b.x[2] - a.x[2] * b.x[1];
    r.x[1] = a.x[2] * b.x[0] - a.x[0] * b.x[2];
    r.x[2] = a.x[0] * b.x[1] - a.x[1] * b.x[0];
#else
    (void)b;
    r.x[0] = a.x[1];
    r.x[1] = -a.x[0];
#endif
    return r;
}

/* Returns the tangents a = sum_n dN_n,0 X_n and b = sum_n dN_n,1 X_n [m] and the area vector m = a x b of quadrature
 * point q of face i; a point, without area, has the unit vector of axis 0 for m. */
PIO_FN fem_face_point fem_face_at(const fem_face_args *f, int i, int q)
{
    const int nodes = f->rule.nodes, rdim = f->rule.rdim, *vertex = f->vertex + (ptrdiff_t)i * nodes;
    const vec X0 = point_load(f->rest, vertex[0]); /* as in fem_point_at */
    fem_face_point p;
    p.a = p.b = p.m = vec_zero();
    p.m.x[0] = R(1);
    if (rdim == 0) return p; /* a point has no area: m is a unit vector */
    for (int n = 0; n < nodes; n++) {
        const vec X = vec_axpby(R(1), point_load(f->rest, vertex[n]), R(-1), X0);
        const real *dN = f->rule.dN + (ptrdiff_t)(q * nodes + n) * rdim;
        p.a = vec_axpby(R(1), p.a, dN[0], X);
        if (rdim == 2) p.b = vec_axpby(R(1), p.b, dN[1], X);
    }
    p.m = fem_cross(p.a, p.b);
    return p;
}

/* Returns what a face's line is multiplied by in 2D, the thickness in m; 1 in 3D and for points. */
PIO_FN real fem_face_depth(const fem_face_args *f, int i)
{
    return f->thick && f->rule.rdim > 0 ? f->thick[f->owner[i]] : R(1);
}

/* Returns 1 for faces of rings: lines, which sweep areas. */
PIO_FN int fem_face_is_ring(const fem_face_args *f)
{
    return DIM == 2 && f->plane == PIO_AXISYMMETRIC && f->rule.rdim > 0;
}

/* Returns the circumference at quadrature point q of face i of a ring, 2 pi sum_n N_n x_n, m; else 1. */
PIO_FN real fem_face_turn(const fem_face_args *f, int i, int q)
{
    const int nodes = f->rule.nodes, *vertex = f->vertex + (ptrdiff_t)i * nodes;
    real radius = R(0);
    if (!fem_face_is_ring(f)) return R(1);
    for (int n = 0; n < nodes; n++) radius += f->rule.N[q * nodes + n] * point_load(f->rest, vertex[n]).x[0];
    return FEM_TURN * radius;
}

/* Adds to the cotangents X_bar of the positions of a face's nodes what that of the circumference at quadrature point q
 * contributes. */
PIO_FN void fem_face_turn_adj(const fem_face_args *f, int q, real turn_bar, real *X_bar)
{
    if (!fem_face_is_ring(f)) return;
    for (int n = 0; n < f->rule.nodes; n++) X_bar[n * DIM] += FEM_TURN * turn_bar * f->rule.N[q * f->rule.nodes + n];
}

/* Returns what a value is multiplied by: scale times the factor of the time curve, divided by the area where the value
 * is a total force. */
PIO_FN real fem_face_scale(const fem_face_args *f)
{
    const real scale = R(f->scale) * (f->factor ? R(*f->factor) : R(1));
    return f->area ? scale / R(*f->area) : scale;
}

/* Returns the value of the load at point q of face i, before scale and factor. */
PIO_FN const wide *fem_face_load(const fem_face_args *f, int i, int q)
{
    return f->value + ((ptrdiff_t)i * f->rule.points + q) * f->stride;
}

/* Force per reference area at point q of face i, N: traction |m| t, pressure -p m. */
PIO_FN vec fem_face_force(const fem_face_args *f, int i, int q, vec m)
{
    const real factor = fem_face_scale(f);
    const wide *value = fem_face_load(f, i, q);
    vec t;
    if (f->kind == PIO_PRESSURE) return vec_scale(-R(value[0]) * factor, m);
    for (int c = 0; c < DIM; c++) t.x[c] = R(value[c]) * factor;
    return vec_scale(sqrt(vec_dot(m, m)), t);
}

/* Sets the nodal forces f_a = thick sum_q w N_a force(m) of face i, N, with fem_face_force. */
PIO_FN void fem_face(int i, const fem_face_args *f)
{
    const int nodes = f->rule.nodes;
    const real thick = fem_face_depth(f, i);
    real *out = f->out + ((ptrdiff_t)f->first_element_node + (ptrdiff_t)i * nodes) * DIM;
    for (int c = 0; c < nodes * DIM; c++) out[c] = R(0);
    for (int q = 0; q < f->rule.points; q++) {
        const vec t = fem_face_force(f, i, q, fem_face_at(f, i, q).m);
        const real depth = thick * fem_face_turn(f, i, q);
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++) out[n * DIM + c] += depth * f->rule.w[q] * f->rule.N[q * nodes + n] * t.x[c];
    }
}

/* Adds to the cotangents X_bar of the positions of the face's nodes what m_bar of quadrature point q contributes:
 * X_bar_n += dN_n,0 a_bar + dN_n,1 b_bar with a_bar = b x m_bar and b_bar = m_bar x a. The m of a point does not
 * depend on its place. */
PIO_FN void fem_face_spread(const fem_rule *r, int q, const fem_face_point *p, vec m_bar, real *X_bar)
{
#if PIO_DIM == 3
    const vec a_bar = fem_cross(p->b, m_bar), b_bar = fem_cross(m_bar, p->a);
#else
    const vec a_bar = vec_scale(R(-1), fem_cross(m_bar, m_bar)), b_bar = vec_zero();
    (void)p;
#endif
    for (int n = 0; n < r->nodes && r->rdim > 0; n++) {
        const real *dN = r->dN + (ptrdiff_t)(q * r->nodes + n) * r->rdim;
        for (int c = 0; c < DIM; c++)
            X_bar[n * DIM + c] += dN[0] * a_bar.x[c] + (r->rdim == 2 ? dN[1] * b_bar.x[c] : R(0));
    }
}

/* Sets the cotangents of the positions of face i's nodes, and its contributions to those of the value and of the
 * thickness. */
PIO_FN void fem_face_adj(int i, const fem_face_adj_args *s)
{
    const fem_face_args *f = &s->fwd;
    const int nodes = f->rule.nodes, rdim = f->rule.rdim, *vertex = f->vertex + (ptrdiff_t)i * nodes;
    const real thick = fem_face_depth(f, i), factor = fem_face_scale(f);
    real *X_bar = s->rest_bar + ((ptrdiff_t)f->first_element_node + (ptrdiff_t)i * nodes) * DIM, thick_bar = R(0);
    vec contribution = vec_zero();
    for (int c = 0; c < nodes * DIM; c++) X_bar[c] = R(0);
    for (int q = 0; q < f->rule.points; q++) {
        const fem_face_point p = fem_face_at(f, i, q);
        vec L = vec_zero(), m_bar, value_bar = vec_zero();
        for (int n = 0; n < nodes; n++) L = vec_axpby(R(1), L, f->rule.N[q * nodes + n], point_load(s->y, vertex[n]));
        const vec force = fem_face_force(f, i, q, p.m);
        const real w = f->rule.w[q], size = sqrt(vec_dot(p.m, p.m)), turn = fem_face_turn(f, i, q);
        const real depth = thick * turn, work = vec_dot(L, force);
        if (rdim > 0) thick_bar += w * turn * work;
        fem_face_turn_adj(f, q, w * thick * work, X_bar);
        if (f->kind == PIO_PRESSURE) {
            m_bar = vec_scale(-w * depth * R(fem_face_load(f, i, q)[0]) * factor, L);
            value_bar.x[0] = -w * depth * factor * vec_dot(L, p.m);
        } else {
            m_bar = vec_scale(w * depth * work / (size * size), p.m);
            value_bar = vec_scale(w * depth * factor * size, L);
        }
        contribution = vec_axpby(R(1), contribution, R(1), value_bar);
        for (int c = 0; s->point_bar && c < f->stride; c++)
            s->point_bar[((ptrdiff_t)i * f->rule.points + q) * f->stride + c] = W(value_bar.x[c]);
        fem_face_spread(&f->rule, q, &p, m_bar, X_bar);
    }
    vec_store(s->value_contribution, s->faces, i, contribution);
    if (s->thick_contribution) s->thick_contribution[i] = thick_bar;
}

/* Returns the area of face i at rest, thick sum_q w |m|, m^2. */
PIO_FN wide fem_face_area(int i, const fem_face_area_args *a)
{
    const fem_face_args *f = &a->f;
    real area = R(0);
    for (int q = 0; q < f->rule.points; q++) {
        const vec m = fem_face_at(f, i, q).m;
        area += f->rule.w[q] * fem_face_turn(f, i, q) * sqrt(vec_dot(m, m));
    }
    return W(fem_face_depth(f, i) * area);
}

/* Sets the cotangents that face i has by the area: of the positions of its nodes and of the thickness. */
PIO_FN void fem_face_area_adj(int i, const fem_face_area_adj_args *s)
{
    const fem_face_args *f = &s->fwd;
    real *X_bar = s->rest_bar + ((ptrdiff_t)f->first_element_node + (ptrdiff_t)i * f->rule.nodes) * DIM,
         thick_bar = R(0);
    wide work = W(0);
    for (int c = 0; c < DIM; c++) work += f->value[c] * s->value_bar[c];
    const real A_bar = R(-work / *f->area), thick = fem_face_depth(f, i);
    for (int c = 0; c < f->rule.nodes * DIM; c++) X_bar[c] = R(0);
    for (int q = 0; q < f->rule.points; q++) {
        const fem_face_point p = fem_face_at(f, i, q);
        const real size = sqrt(vec_dot(p.m, p.m)), w = f->rule.w[q], turn = fem_face_turn(f, i, q);
        thick_bar += w * turn * size;
        fem_face_turn_adj(f, q, A_bar * thick * w * size, X_bar);
        fem_face_spread(&f->rule, q, &p, vec_scale(A_bar * thick * turn * w / size, p.m), X_bar);
    }
    if (s->thick_contribution) s->thick_contribution[i] = A_bar * thick_bar;
}

/* Adds the contributions of all faces to their elements; the one item is 0. */
PIO_FN void fem_face_thick(int i, const fem_face_thick_args *a)
{
    (void)i;
    for (int j = 0; j < a->faces; j++) a->thick_bar[a->owner[j]] += a->contribution[j];
}

/* Returns one component of item i. */
PIO_FN wide field_sum(int i, const field_sum_args *a)
{
    return W(a->in[field_at(a->n, a->components, a->component, i)]);
}

/* ---- prescribed displacements: what is missing to the step's value ----------------------------------------- */

/* Sets the increment of constrained unknown i. */
PIO_FN void fem_prescribe(int i, const fem_prescribe_args *a)
{
    const int s = a->support[i];
    const ptrdiff_t at = (ptrdiff_t)a->node[i] * DIM + a->axis[i];
    const wide value = a->value[s] * (a->curve[s] < 0 ? W(1) : a->factor[a->curve[s]]);
    a->du[at] = R(value) - a->u[at];
}

/* Sets the contribution of constrained unknown i to the cotangent of its support's value. */
PIO_FN void fem_prescribe_adj(int i, const fem_prescribe_adj_args *a)
{
    const int s = a->support[i];
    const wide factor = a->curve[s] < 0 ? W(1) : a->factor[a->curve[s]];
    a->contribution[i] = R(factor) * a->u_bar[(ptrdiff_t)a->node[i] * DIM + a->axis[i]];
}

/* Sets the components of a node to 0 that are constrained, or those that are free. */
PIO_FN void fem_mask(int i, const fem_mask_args *a)
{
    vec v = point_load(a->x, i);
    for (int c = 0; c < DIM; c++)
        if ((a->constrained[i] >> c & 1) != a->keep_constrained) v.x[c] = R(0);
    point_store(a->x, i, v);
}

/* ---- shape as a design: X = reference + (value - base), and its transpose ---------------------------------- */

/* Sets the rest position of a node that has a group: reference + (value - base), m. */
PIO_FN void fem_rest(int i, const fem_rest_args *a)
{
    if (a->index[i] < 0) return;
    for (int c = 0; c < a->components; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + a->first + c;
        a->rest[at] = a->reference[at] + R(a->value[(ptrdiff_t)a->index[i] * a->components + c] - W(a->base[c]));
    }
}

/* Returns the cotangent of a node where it is of the group, else 0. */
PIO_FN wide fem_rest_sum(int i, const fem_rest_sum_args *a)
{
    return a->index[i] == a->group ? W(a->bar[(ptrdiff_t)i * DIM + a->component]) : W(0);
}

/* Sets the cotangent of the value that a node alone has. */
PIO_FN void fem_rest_each(int i, const fem_rest_each_args *a)
{
    if (a->index[i] < 0) return;
    for (int c = 0; c < a->components; c++)
        a->value_bar[(ptrdiff_t)a->index[i] * a->components + c] = W(a->bar[(ptrdiff_t)i * DIM + a->first + c]);
}

#endif
