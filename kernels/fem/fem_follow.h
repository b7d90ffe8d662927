/* fem_follow.h -- loads that change as the body deforms: follower pressures, and springs between body and ground.
 *
 * A follower pressure is f_a = -p sum_q w N_a m(x) with x = X + u: fem_face and fem_face_adj at the positions x, whose
 * cotangents are those of both X and u. Its derivative along du, and the element matrix of that derivative, follow from
 *
 *     m = a x b:  dm = da x b + a x db,   da = sum_n dN_n,0 du_n,  db = sum_n dN_n,1 du_n    (in 2D m = (a_y, -a_x))
 *
 * The matrix is symmetric only for closed surfaces and constrained edges (Schweizerhof and Ramm 1984, Computers &
 * Structures 18).
 *
 * A spring is f_a = sum_q w |m| N_a K u, where K = diag(k) along the axes or k n n^T along the normal n = m/|m| at rest
 * (Winkler's foundation, k in N/m^3); on points it is f_a = diag(k) u, k in N/m. It counts as an internal force, and
 * its energy is f . u/2. */
#ifndef PIOLA_KERNELS_FEM_FOLLOW_H
#define PIOLA_KERNELS_FEM_FOLLOW_H

#include "kernels/fem/fem_follow_args.h"
#include "kernels/fem/fem_load.h"

/* ---- pressure: derivatives --------------------------------------------------------------------------------- */

/* Returns dm = da x b + a x db, the change of the area vector m of a point of a face when its tangents change by da
 * and db; in 2D dm = (da_y, -da_x), and db is not read. */
PIO_FN vec fem_area_tan(const fem_face_point *p, vec da, vec db)
{
#if PIO_DIM == 3
    return vec_axpby(R(1), fem_cross(da, p->b), R(1), fem_cross(p->a, db));
#else
    (void)p;
    (void)db;
    return fem_cross(da, da);
#endif
}

/* Sets the derivative of the nodal forces of face i of a pressure. */
PIO_FN void fem_face_tan(int i, const fem_face_tan_args *s)
{
    const fem_face_args *f = &s->fwd;
    const int nodes = f->rule.nodes, rdim = f->rule.rdim, *vertex = f->vertex + (ptrdiff_t)i * nodes;
    const real scale = fem_face_scale(f) * fem_face_depth(f, i);
    const int ring = fem_face_is_ring(f);
    real *out = s->out + ((ptrdiff_t)f->first_element_node + (ptrdiff_t)i * nodes) * DIM;
    for (int c = 0; c < nodes * DIM; c++) out[c] = R(0);
    for (int q = 0; q < f->rule.points; q++) {
        const fem_face_point p = fem_face_at(f, i, q);
        const real turn = fem_face_turn(f, i, q);
        vec da = vec_zero(), db = vec_zero();
        real along = R(0); /* change of the radius */
        for (int n = 0; n < nodes; n++) {
            const real *dN = f->rule.dN + (ptrdiff_t)(q * nodes + n) * rdim;
            if (ring) along += f->rule.N[q * nodes + n] * point_load(s->du, vertex[n]).x[0];
            da = vec_axpby(R(1), da, dN[0], point_load(s->du, vertex[n]));
            if (rdim == 2) db = vec_axpby(R(1), db, dN[1], point_load(s->du, vertex[n]));
        }
        const vec dm = vec_axpby(turn, fem_area_tan(&p, da, db), FEM_TURN * along, p.m);
        const real push = -R(fem_face_load(f, i, q)[0]) * scale;
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++) out[n * DIM + c] += push * f->rule.w[q] * f->rule.N[q * nodes + n] * dm.x[c];
    }
}

/* Sets the element matrix of face i of a pressure, for all ordered pairs of its nodes. */
PIO_FN void fem_face_matrix(int i, const fem_face_matrix_args *s)
{
    const fem_face_args *f = &s->fwd;
    const int nodes = f->rule.nodes, rdim = f->rule.rdim;
    const real scale = fem_face_scale(f) * fem_face_depth(f, i);
    real *out = s->out + ((ptrdiff_t)s->first_node_pair + (ptrdiff_t)i * nodes * nodes) * DIM * DIM;
    for (int c = 0; c < nodes * nodes * DIM * DIM; c++) out[c] = R(0);
    for (int q = 0; q < f->rule.points; q++) {
        const fem_face_point p = fem_face_at(f, i, q);
        const real push = R(fem_face_load(f, i, q)[0]) * scale, turn = fem_face_turn(f, i, q);
        for (int n = 0; n < nodes; n++) {
            const real *dN = f->rule.dN + (ptrdiff_t)(q * nodes + n) * rdim;
            for (int k = 0; k < DIM; k++) {
                vec da = vec_zero(), db = vec_zero();
                da.x[k] = dN[0];
                if (rdim == 2) db.x[k] = dN[1];
                const real along = k == 0 && fem_face_is_ring(f) ? f->rule.N[q * nodes + n] : R(0);
                const vec dm = vec_axpby(turn, fem_area_tan(&p, da, db), FEM_TURN * along, p.m);
                for (int a = 0; a < nodes; a++)
                    for (int c = 0; c < DIM; c++)
                        out[((a * nodes + n) * DIM + c) * DIM + k] +=
                            push * f->rule.w[q] * f->rule.N[q * nodes + a] * dm.x[c];
            }
        }
    }
}

/* ---- springs ----------------------------------------------------------------------------------------------- */

/* Returns |m| K u, the force per reference area on a spring at a point with area vector m that is displaced by u [m]:
 * |m| diag(k) u, or along the normal k (m . u) m/|m|, where k is the value times fem_face_scale. m is not 0. */
PIO_FN vec fem_spring_force(const fem_spring_args *s, vec m, vec u)
{
    const real size = sqrt(vec_dot(m, m)), scale = fem_face_scale(&s->f);
    vec force;
    if (s->normal) return vec_scale(scale * R(s->f.value[0]) * vec_dot(m, u) / size, m);
    for (int c = 0; c < DIM; c++) force.x[c] = scale * R(s->f.value[c]) * size * u.x[c];
    return force;
}

/* Returns sum_n N_n y_n, the value of a nodal vector y at quadrature point q of face i. */
PIO_FN vec fem_face_value(const fem_face_args *f, int i, int q, const real *y)
{
    const int nodes = f->rule.nodes, *vertex = f->vertex + (ptrdiff_t)i * nodes;
    vec v = vec_zero();
    for (int n = 0; n < nodes; n++) v = vec_axpby(R(1), v, f->rule.N[q * nodes + n], point_load(y, vertex[n]));
    return v;
}

/* Sets the nodal forces of the springs of face i. */
PIO_FN void fem_spring(int i, const fem_spring_args *s)
{
    const fem_face_args *f = &s->f;
    const int nodes = f->rule.nodes;
    const real thick = fem_face_depth(f, i);
    real *out = f->out + ((ptrdiff_t)f->first_element_node + (ptrdiff_t)i * nodes) * DIM;
    for (int c = 0; c < nodes * DIM; c++) out[c] = R(0);
    for (int q = 0; q < f->rule.points; q++) {
        const vec t = fem_spring_force(s, fem_face_at(f, i, q).m, fem_face_value(f, i, q, s->u));
        const real depth = thick * fem_face_turn(f, i, q);
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++) out[n * DIM + c] += depth * f->rule.w[q] * f->rule.N[q * nodes + n] * t.x[c];
    }
}

/* Returns m_bar of fem_spring_force where its cotangent is L, without the factor thick w, and sets *contribution to
 * that of k_bar, without thick w and fem_face_scale: the formulas of fem_spring_adj_args. */
PIO_FN vec fem_spring_area_adj(const fem_spring_args *s, vec m, vec u, vec L, vec *contribution)
{
    const real size = sqrt(vec_dot(m, m)), phi = vec_dot(L, fem_spring_force(s, m, u));
    *contribution = vec_zero();
    if (s->normal) {
        const real k = fem_face_scale(&s->f) * R(s->f.value[0]), mL = vec_dot(m, L), mu = vec_dot(m, u);
        contribution->x[0] = mL * mu / size;
        return vec_axpby(R(1), vec_axpby(k * mu / size, L, k * mL / size, u), -phi / (size * size), m);
    }
    for (int c = 0; c < DIM; c++) contribution->x[c] = size * L.x[c] * u.x[c];
    return vec_scale(phi / (size * size), m);
}

/* Sets the cotangents of the displacements and rest positions of face i's nodes, and its terms of the others. */
PIO_FN void fem_spring_adj(int i, const fem_spring_adj_args *b)
{
    const fem_spring_args *s = &b->fwd;
    const fem_face_args *f = &s->f;
    const int nodes = f->rule.nodes;
    const real thick = fem_face_depth(f, i);
    const ptrdiff_t at = ((ptrdiff_t)f->first_element_node + (ptrdiff_t)i * nodes) * DIM;
    real thick_bar = R(0);
    vec value_bar = vec_zero();
    for (int c = 0; c < nodes * DIM; c++) {
        b->u_bar[at + c] = R(0);
        if (b->rest_bar) b->rest_bar[at + c] = R(0);
    }
    for (int q = 0; q < f->rule.points; q++) {
        const fem_face_point p = fem_face_at(f, i, q);
        const vec u = fem_face_value(f, i, q, s->u), L = fem_face_value(f, i, q, b->y),
                  KL = fem_spring_force(s, p.m, L);
        const real w = f->rule.w[q], turn = fem_face_turn(f, i, q), depth = thick * turn, work = vec_dot(u, KL);
        vec contribution;
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++) b->u_bar[at + n * DIM + c] += depth * w * f->rule.N[q * nodes + n] * KL.x[c];
        if (!b->rest_bar) continue;
        fem_face_turn_adj(f, q, thick * w * work, b->rest_bar + at);
        const vec m_bar = vec_scale(depth * w, fem_spring_area_adj(s, p.m, u, L, &contribution));
        fem_face_spread(&f->rule, q, &p, m_bar, b->rest_bar + at);
        value_bar = vec_axpby(R(1), value_bar, depth * w * fem_face_scale(f), contribution);
        if (f->rule.rdim > 0) thick_bar += w * turn * work;
    }
    if (b->value_contribution) vec_store(b->value_contribution, b->faces, i, value_bar);
    if (b->thick_contribution) b->thick_contribution[i] = thick_bar;
}

/* Sets the element matrix of the springs of face i, for all ordered pairs of its nodes. */
PIO_FN void fem_spring_matrix(int i, const fem_spring_matrix_args *b)
{
    const fem_face_args *f = &b->fwd.f;
    const int nodes = f->rule.nodes;
    const real thick = fem_face_depth(f, i);
    real *out = b->out + ((ptrdiff_t)b->first_node_pair + (ptrdiff_t)i * nodes * nodes) * DIM * DIM;
    for (int c = 0; c < nodes * nodes * DIM * DIM; c++) out[c] = R(0);
    for (int q = 0; q < f->rule.points; q++) {
        const real *N = f->rule.N + (ptrdiff_t)q * nodes;
        const vec m = fem_face_at(f, i, q).m;
        const real depth = thick * fem_face_turn(f, i, q);
        for (int k = 0; k < DIM; k++) {
            vec e = vec_zero();
            e.x[k] = R(1);
            const vec Ke = fem_spring_force(&b->fwd, m, e);
            for (int a = 0; a < nodes; a++)
                for (int n = 0; n < nodes; n++)
                    for (int c = 0; c < DIM; c++)
                        out[((a * nodes + n) * DIM + c) * DIM + k] += depth * f->rule.w[q] * N[a] * N[n] * Ke.x[c];
        }
    }
}

#endif
