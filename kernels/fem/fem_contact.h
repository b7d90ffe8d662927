/* fem_contact.h -- contact of the surface of meshes with obstacles by a barrier potential (Li et al. 2020,
 * "Incremental Potential Contact"), with adjoints.
 *
 * Points of contact are the nodes of outer faces. With A the part of the area at rest that belongs to a point, d its
 * distance from an obstacle in the frame of that, and K (stiffness, Pa) and h (distance, m) of the obstacle,
 *
 *     Phi = sum over points and obstacles of A K h B(d/h)                     B of kernels/contact/barrier.h
 *     dPhi/dx = A K B'(s) g,    g = dd/dx = Q dd/dy,    y = Q^T (x - c),    s = d/h
 *     d^2 Phi/dx^2 = A K (B''(s)/h g g^T + B'(s) Q d^2d/dy^2 Q^T)
 *
 * so that the pressure between body and obstacle is -K B'(s) a point. Every point has forces of its own: the matrix has
 * blocks on its diagonal alone. */
#ifndef PIOLA_KERNELS_FEM_CONTACT_H
#define PIOLA_KERNELS_FEM_CONTACT_H

#include "kernels/contact/barrier.h"
#include "kernels/contact/obstacle.h"
#include "kernels/contact/contact_pose.h"
#include "kernels/fem/fem_contact_args.h"
#include "kernels/fem/fem_load.h"

/* ---- areas ------------------------------------------------------------------------------------------------------ */

/* Returns whether the shape functions of a face have integrals above 0: of quadratic triangles and serendipity
 * elements some have not, nor has that of a quadratic line at the axis of a ring. */
PIO_FN int fem_contact_consistent(const fem_face_args *f)
{
    const int type = f->rule.type;
    return type == PIO_LINE2 || type == PIO_TRI3 || type == PIO_QUAD4 || type == PIO_QUAD9 ||
           (type == PIO_LINE3 && !fem_face_is_ring(f));
}

/* Returns the part phi_n of the area at quadrature point q that belongs to node n of a face: its shape function N_n,
 * which makes a uniform pressure one of equal gaps, or where integrals of these vanish N_n^2/sum_m N_m^2. */
PIO_FN real fem_contact_part(const fem_face_args *f, int q, int n)
{
    const real *N = f->rule.N + (ptrdiff_t)q * f->rule.nodes;
    real sum = R(0);
    if (fem_contact_consistent(f)) return N[n];
    for (int m = 0; m < f->rule.nodes; m++) sum += N[m] * N[m];
    return N[n] * N[n] / sum;
}

/* Sets what the nodes of face i have of its area. */
PIO_FN void fem_contact_face(int i, const fem_contact_face_args *a)
{
    const fem_face_args *f = &a->f;
    real *share = a->share + f->first_element_node + (ptrdiff_t)i * f->rule.nodes;
    for (int n = 0; n < f->rule.nodes; n++) share[n] = R(0);
    for (int q = 0; q < f->rule.points; q++) {
        const vec m = fem_face_at(f, i, q).m;
        const real size = fem_face_depth(f, i) * fem_face_turn(f, i, q) * f->rule.w[q] * sqrt(vec_dot(m, m));
        for (int n = 0; n < f->rule.nodes; n++) share[n] += size * fem_contact_part(f, q, n);
    }
}

/* Sets the cotangents of the positions of face i's nodes, and its contribution to that of the thickness. */
PIO_FN void fem_contact_face_adj(int i, const fem_contact_face_adj_args *b)
{
    const fem_face_args *f = &b->fwd.f;
    const ptrdiff_t at = f->first_element_node + (ptrdiff_t)i * f->rule.nodes;
    real *X_bar = b->rest_bar + at * DIM, thick_bar = R(0);
    for (int c = 0; c < f->rule.nodes * DIM; c++) X_bar[c] = R(0);
    for (int q = 0; q < f->rule.points; q++) {
        const fem_face_point p = fem_face_at(f, i, q);
        const real w = f->rule.w[q], size = sqrt(vec_dot(p.m, p.m)), turn = fem_face_turn(f, i, q);
        const real depth = fem_face_depth(f, i);
        real phi = R(0);
        for (int n = 0; n < f->rule.nodes; n++) phi += fem_contact_part(f, q, n) * b->share_bar[at + n];
        thick_bar += w * turn * size * phi;
        fem_face_turn_adj(f, q, w * depth * size * phi, X_bar);
        fem_face_spread(&f->rule, q, &p, vec_scale(w * depth * turn * phi / size, p.m), X_bar);
    }
    if (b->thick_contribution) b->thick_contribution[i] = thick_bar;
}

/* Sets the area of point k. */
PIO_FN void fem_contact_area(int k, const fem_contact_area_args *a)
{
    real sum = R(0);
    for (int j = a->start[k]; j < a->start[k + 1]; j++) sum += a->share[a->list[j]];
    a->area[k] = sum;
}

/* Sets the cotangents of what the faces have at point k. */
PIO_FN void fem_contact_area_adj(int k, const fem_contact_area_adj_args *b)
{
    for (int j = b->fwd.start[k]; j < b->fwd.start[k + 1]; j++) b->share_bar[b->fwd.list[j]] = b->area_bar[k];
}

/* Adds to a vector of nodes what the faces have at point k. */
PIO_FN void fem_contact_rest(int k, const fem_contact_rest_args *a)
{
    vec sum = point_load(a->out, a->node[k]);
    for (int j = a->start[k]; j < a->start[k + 1]; j++) sum = vec_axpby(R(1), sum, R(1), point_load(a->in, a->list[j]));
    point_store(a->out, a->node[k], sum);
}

/* ---- forces ----------------------------------------------------------------------------------------------------- */

/* What is between a point and an obstacle. */
typedef struct {
    vec q;            /* x - c, m */
    obstacle_near at; /* at y = Q^T q */
    vec slope;        /* g = Q dd/dy */
    real s;           /* d/h */
    real scale;       /* A K, N */
} fem_contact_near;

/* Returns x - c of point k, m, with its place moved by t du where du is not NULL. */
PIO_FN vec fem_contact_place(const fem_contact_args *a, const wide centre[DIM], int k, const real *du, real t)
{
    const vec X = point_load(a->rest, a->node[k]), u = point_load(a->u, a->node[k]);
    vec q;
    for (int c = 0; c < DIM; c++) q.x[c] = R(W(X.x[c]) + W(u.x[c]) - centre[c]);
    return du ? vec_axpby(R(1), q, t, point_load(du, a->node[k])) : q;
}

/* Returns what is between point k and obstacle o. */
PIO_FN fem_contact_near fem_contact_near_of(const fem_contact_args *a, int o, int k)
{
    const obstacle_pose *pose = a->pose + o;
    fem_contact_near r;
    r.q = fem_contact_place(a, pose->centre, k, NULL, R(0));
    r.at = obstacle_near_of(a->shape + o, pose->scale, a->coefficients, mat_t_apply(pose->turn, r.q));
    r.slope = mat_apply(pose->turn, r.at.slope);
    r.s = r.at.d / pose->grip.distance;
    r.scale = a->area[k] * pose->grip.stiffness;
    return r;
}

/* Adds dPhi/du of point k to its node. */
PIO_FN void fem_contact(int k, const fem_contact_args *a)
{
    vec force = point_load(a->out, a->node[k]);
    for (int o = 0; o < a->obstacles; o++) {
        const fem_contact_near r = fem_contact_near_of(a, o, k);
        if (r.s < R(1)) force = vec_axpby(R(1), force, r.scale * barrier_of(r.s).slope, r.slope);
    }
    point_store(a->out, a->node[k], force);
}

/* Adds the stiffness of every barrier along each axis times the sizes of the numbers that the place of point k is a sum
 * and a difference of: barriers are so thin that the rounding of places, not that of u alone, unbalances them. */
PIO_FN void fem_contact_rounded(int k, const fem_contact_rounded_args *a)
{
    const int node = a->node[k];
    const vec X = point_load(a->rest, node);
    vec out = point_load(a->out, node);
    for (int o = 0; o < a->obstacles; o++) {
        const fem_contact_near r = fem_contact_near_of(a, o, k);
        real size = R(0);
        if (!(r.s < R(1))) continue;
        for (int c = 0; c < DIM; c++) size += fabs(r.q.x[c]) + fabs(X.x[c]);
        size *= r.scale * barrier_of(r.s).curve / a->pose[o].grip.distance;
        for (int c = 0; c < DIM; c++) out.x[c] += fabs(r.slope.x[c]) * size;
    }
    point_store(a->out, node, out);
}

/* Returns Q d^2d/dy^2 Q^T v, in the unit of v per m. */
PIO_FN vec fem_contact_bend(const fem_contact_near *r, mat turn, vec v)
{
    return mat_apply(turn, mat_t_apply(r->at.curve, mat_t_apply(turn, v)));
}

/* Adds the cotangents of point k's displacement, place at rest and area by one obstacle, and sets its contribution to
 * those of the obstacle's place c, of a small rotation e of it, of K and of h. With y . dPhi/du = A K B'(s) (g . y),
 *     x_bar = d^2 Phi/dx^2 y,    c_bar = -x_bar,    e_bar = x_bar x q + g x (A K B' y)
 *     A_bar = K B' (g . y),    K_bar = A B' (g . y),    h_bar = -A K B'' (s/h) (g . y),
 * and those of the obstacle's scale by d_bar = A K B''/h (g . y). */
PIO_FN void fem_contact_adj(int k, const fem_contact_adj_args *b)
{
    const fem_contact_args *a = &b->fwd;
    const obstacle_pose *pose = a->pose + b->obstacle;
    const int node = a->node[k], whole = b->rest_bar != NULL;
    const fem_contact_near r = fem_contact_near_of(a, b->obstacle, k);
    real out[OBSTACLE_PARAMETERS];
    for (int c = 0; c < OBSTACLE_PARAMETERS; c++) out[c] = R(0);
    if (r.s < R(1)) {
        const barrier B = barrier_of(r.s);
        const vec y = point_load(b->y, node), push = vec_scale(r.scale * B.slope, y);
        const real along = vec_dot(r.slope, y), h = pose->grip.distance;
        const real d_bar = r.scale * B.curve / h * along;
        const vec x_bar = vec_axpby(d_bar, r.slope, R(1), fem_contact_bend(&r, pose->turn, push));
        point_store(b->u_bar, node, vec_axpby(R(1), point_load(b->u_bar, node), R(1), x_bar));
        if (whole) {
            point_store(b->rest_bar, node, vec_axpby(R(1), point_load(b->rest_bar, node), R(1), x_bar));
            b->area_bar[k] += pose->grip.stiffness * B.slope * along;
        }
        for (int c = 0; c < DIM; c++) out[c] = -x_bar.x[c];
        cross_add(out + OBSTACLE_ROTATION, x_bar, r.q);
        cross_add(out + OBSTACLE_ROTATION, r.slope, push);
        out[OBSTACLE_STIFFNESS] = a->area[k] * B.slope * along;
        out[OBSTACLE_DISTANCE] = -r.scale * B.curve * r.s / h * along;
        out[OBSTACLE_SCALE] = obstacle_scale_bar(&r.at, pose->scale, d_bar, r.q, x_bar);
    }
    for (int c = 0; c < OBSTACLE_PARAMETERS && whole; c++)
        b->contribution[field_at(b->points, OBSTACLE_PARAMETERS, c, k)] = out[c];
}

/* Returns Phi of point k, J. */
PIO_FN wide fem_contact_energy(int k, const fem_contact_energy_args *a)
{
    wide sum = W(0);
    for (int o = 0; o < a->obstacles; o++) {
        const fem_contact_near r = fem_contact_near_of(a, o, k);
        if (!(r.s > R(0))) return W(1e300);
        sum += W(r.scale * a->pose[o].grip.distance * barrier_of(r.s).value);
    }
    return sum;
}

/* Sets the block of point k. */
PIO_FN void fem_contact_matrix(int k, const fem_contact_matrix_args *b)
{
    const fem_contact_args *a = &b->fwd;
    mat K = mat_diag(R(0));
    for (int o = 0; o < a->obstacles; o++) {
        const obstacle_pose *pose = a->pose + o;
        const fem_contact_near r = fem_contact_near_of(a, o, k);
        if (!(r.s < R(1))) continue;
        const barrier B = barrier_of(r.s);
        K = mat_axpby(R(1), K, r.scale * B.curve / pose->grip.distance, mat_outer(r.slope, r.slope));
        if (!b->projected)
            K = mat_axpby(R(1), K, r.scale * B.slope, mat_mul_t(mat_mul(pose->turn, r.at.curve), pose->turn));
    }
    block_store(b->out, b->first_node_pair + k, K);
}

/* ---- how far points may move ------------------------------------------------------------------------------------ */

/* The fraction of its distance that a point keeps in one step of a line search; the most advances along one step. */
#define CONTACT_KEPT R(0.1)
enum { CONTACT_ADVANCES = 64 };

/* Returns a number that is the smaller, the smaller x is: of x > 0 that of its bits, else 0. */
PIO_FN uint64_t contact_key(wide x)
{
    union {
        double d;
        uint64_t u;
    } b;
    b.d = (double)x;
    return x > W(0) ? b.u : 0;
}

/* Returns by how much the distance of a shape can change for each metre of a path: 1 of exact ones; the spline of a
 * mesh may be steeper at edges. */
PIO_FN real contact_steepness(const obstacle_shape *o)
{
    return o->type == PIO_CLOSED_MESH ? R(1.5) : R(1);
}

/* Sets place and orientation of obstacle o at a time, s. */
PIO_FN void contact_pose_at(const contact_pose_args *a, int o, double time, wide centre[DIM], mat *turn)
{
    wide r[OBSTACLE_TURNS], now[MOTION_NUMBERS];
    motion_at(a, o, time, now);
    obstacle_rotation(a, o, r);
    const turn_matrix start = turn_of(r), moved = motion_turn(a, o, now[MOTION_ANGLE]);
    for (int i = 0; i < DIM; i++) {
        centre[i] = a->parameters[obstacle_at(a->obstacles, i, o)] + now[MOTION_SHIFT + i];
        for (int j = 0; j < DIM; j++) {
            wide sum = W(0);
            for (int k = 0; k < DIM; k++) sum += moved.m[i][k] * start.m[k][j];
            turn->m[i][j] = R(sum);
        }
    }
}

/* A part of a motion in which an obstacle moves and turns evenly. */
typedef struct {
    double end;          /* time at which it ends, s */
    double shift, angle; /* their paths until then, m and rad */
} contact_leg;

/* Returns the leg of obstacle o's motion that begins at time t and ends at the next point of the motion, or at `end`
 * where that is before, s. */
PIO_FN contact_leg contact_leg_of(const contact_pose_args *a, int o, double t, double end)
{
    contact_leg leg = {end, 0, 0};
    wide from[MOTION_NUMBERS], to[MOTION_NUMBERS], square = W(0);
    int low = a->motion_start[o], high = a->motion_start[o + 1];
    while (low < high) { /* the first point behind t */
        const int middle = low + (high - low) / 2;
        if (motion_time(a, middle) <= t)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < a->motion_start[o + 1] && motion_time(a, low) < end) leg.end = motion_time(a, low);
    motion_at(a, o, t, from);
    motion_at(a, o, leg.end, to);
    for (int c = MOTION_SHIFT; c < MOTION_ANGLE; c++) square += (to[c] - from[c]) * (to[c] - from[c]);
    leg.shift = (double)sqrt(square);
    leg.angle = fabs((double)(to[MOTION_ANGLE] - from[MOTION_ANGLE]));
    return leg;
}

/* The straight path of a point, and the time in which obstacles move meanwhile. */
typedef struct {
    const real *du;     /* [nodes][DIM] the point goes from x + from du to x + (from + scale) du, m */
    double from, scale; /* of du */
    /* from, to: the span of this time, fractions of the step; at and pose are not read. Where no obstacle moves
     * `obstacles` is 0 */
    contact_pose_args motion;
} contact_path;

/* Returns the distance of point k from obstacle o at a fraction t of the path, m, and sets *radius to the length of
 * x - c. Of a mesh it is no more than its lattice reaches: beyond that the true one is not known. */
PIO_FN real contact_path_distance(const fem_contact_args *a, const contact_path *p, int o, int k, double t,
                                  double *radius)
{
    const obstacle_pose *pose = a->pose + o;
    const obstacle_shape *shape = a->shape + o;
    wide centre[DIM];
    mat turn = pose->turn;
    for (int c = 0; c < DIM; c++) centre[c] = pose->centre[c];
    if (p->motion.obstacles) {
        const double start = pose_time(&p->motion, p->motion.from), end = pose_time(&p->motion, p->motion.to);
        contact_pose_at(&p->motion, o, start + t * (end - start), centre, &turn);
    }
    const vec q = fem_contact_place(a, centre, k, p->du, R(p->from + t * p->scale));
    const real d = obstacle_near_of(shape, pose->scale, a->coefficients, mat_t_apply(turn, q)).d,
               most = shape->full + shape->width;
    *radius = (double)sqrt(vec_dot(q, q));
    return shape->type == PIO_CLOSED_MESH && d > most ? most : d;
}

/* Returns the part of the path, at most 1, along which point k keeps CONTACT_KEPT of its distance from obstacle o, by
 * conservative advancement (Mirtich 1996; Li et al. 2021, "Codimensional Incremental Potential Contact", additive CCD):
 * a path shorter than the distance is free. 0: there is no distance where it begins. */
PIO_FN double contact_free_path(const fem_contact_args *a, const contact_path *p, int o, int k)
{
    const contact_pose_args *m = &p->motion;
    const int moves = m->obstacles && m->motion_start[o + 1] > m->motion_start[o];
    const double start = m->obstacles ? pose_time(m, m->from) : 0, end = m->obstacles ? pose_time(m, m->to) : 1;
    const double steep = (double)contact_steepness(a->shape + o);
    double t = 0, least = 0, own = 0, radius;
    if (p->du) {
        const vec move = point_load(p->du, a->node[k]);
        own = p->scale * (double)sqrt(vec_dot(move, move));
    }
    for (int n = 0; n < CONTACT_ADVANCES; n++) {
        const double d = (double)contact_path_distance(a, p, o, k, t, &radius);
        double leg_end = 1, speed = own; /* m for all of the path */
        if (n == 0) least = (double)CONTACT_KEPT * d;
        if (!(d > 0 && d > (double)R(1.1) * least)) break;
        if (moves) {
            const contact_leg leg = contact_leg_of(m, o, start + t * (end - start), end);
            leg_end = leg.end < end ? (leg.end - start) / (end - start) : 1;
            if (leg_end > t) speed += (leg.shift + leg.angle * (radius + own + leg.shift)) / (leg_end - t);
        }
        const double reach = (d - least) / (speed * steep); /* infinite where nothing moves */
        t = reach < leg_end - t ? t + reach : leg_end;
        if (!(t < 1)) return 1;
    }
    return t;
}

/* Lowers the limit by the path of point k. */
PIO_FN void fem_contact_reach(int k, const fem_contact_reach_args *b)
{
    const contact_path p = {b->du, 0, b->scale, b->motion};
    for (int o = 0; o < b->fwd.obstacles; o++) {
        const double t = contact_free_path(&b->fwd, &p, o, k);
        if (t < 1) atomic_min_u64(b->limit, contact_key(W(t)));
    }
}

/* Adds to the residual at point k what the obstacles' way from their poses to where they are at the end of the span
 * changes of it, d^2 Phi/dx^2 dx with the way dx of the obstacle's own point at x: of surfaces as if they were flat. */
PIO_FN void fem_contact_carry(int k, const fem_contact_carry_args *b)
{
    const fem_contact_args *a = &b->fwd;
    vec r = point_load(b->residual, a->node[k]);
    for (int o = 0; o < a->obstacles; o++) {
        const fem_contact_near at = fem_contact_near_of(a, o, k);
        wide centre[DIM];
        mat turn;
        if (!(at.s < R(1))) continue;
        contact_pose_at(&b->motion, o, pose_time(&b->motion, b->motion.to), centre, &turn);
        vec way = vec_axpby(R(1), mat_apply(turn, mat_t_apply(a->pose[o].turn, at.q)), R(-1), at.q);
        for (int c = 0; c < DIM; c++) way.x[c] += R(centre[c] - a->pose[o].centre[c]);
        const real stiffness = at.scale * barrier_of(at.s).curve / a->pose[o].grip.distance;
        r = vec_axpby(R(1), r, stiffness * vec_dot(at.slope, way), at.slope);
    }
    point_store(b->residual, a->node[k], r);
}

/* Sets the gap of point k, and counts it where it came within reach of a barrier or left. */
PIO_FN void fem_contact_watch(int k, const fem_contact_watch_args *b)
{
    const fem_contact_args *a = &b->fwd;
    real gap = R(0);
    int nearest = 0, touching = 0;
    for (int o = 0; o < a->obstacles; o++) {
        const fem_contact_near r = fem_contact_near_of(a, o, k);
        touching |= r.s < R(1);
        if (o > 0 && !(r.at.d < gap)) continue;
        gap = r.at.d;
        nearest = o;
    }
    if (touching && !b->touching[k]) atomic_add_int(b->counts, 1);
    if (!touching && b->touching[k]) atomic_add_int(b->counts + 1, 1);
    b->gap[k] = gap;
    b->nearest[k] = nearest;
    b->touching[k] = touching;
    atomic_min_u64(b->least, contact_key(W(gap)));
}

/* Sets the gap of point k, and lowers the key. */
PIO_FN void fem_contact_gap(int k, const fem_contact_gap_args *a)
{
    a->gap[k] = fem_contact_near_of(&a->fwd, a->obstacle, k).at.d;
    atomic_min_u64(a->found, contact_key(W(a->gap[k])));
}

/* Lowers the number of the point that has the least gap. */
PIO_FN void fem_contact_which(int k, const fem_contact_which_args *a)
{
    if (contact_key(W(a->gap[k])) == a->found[0]) atomic_min_u64(a->found + 1, (uint64_t)k);
}

/* Adds the least gap to the sample; the one item is 0. */
PIO_FN void fem_contact_gap_add(int i, const fem_contact_gap_add_args *a)
{
    (void)i;
    *a->sample += W(a->weight) * W(a->gap[a->found[1]]);
}

/* Adds the cotangents of the nearest point's displacement and place at rest, and sets those of the obstacle's pose. */
PIO_FN void fem_contact_gap_adj(int k, const fem_contact_gap_adj_args *b)
{
    const fem_contact_args *a = &b->fwd.fwd;
    real out[OBSTACLE_PARAMETERS];
    for (int c = 0; c < OBSTACLE_PARAMETERS; c++) out[c] = R(0);
    if (b->fwd.found[1] == (uint64_t)k) {
        const int node = a->node[k];
        const fem_contact_near r = fem_contact_near_of(a, b->fwd.obstacle, k);
        const real d_bar = R(W(b->weight) * *b->sample_bar);
        const vec x_bar = vec_scale(d_bar, r.slope);
        point_store(b->u_bar, node, vec_axpby(R(1), point_load(b->u_bar, node), R(1), x_bar));
        point_store(b->rest_bar, node, vec_axpby(R(1), point_load(b->rest_bar, node), R(1), x_bar));
        for (int c = 0; c < DIM; c++) out[c] = -x_bar.x[c];
        cross_add(out + OBSTACLE_ROTATION, x_bar, r.q);
        out[OBSTACLE_SCALE] = obstacle_scale_bar(&r.at, a->pose[b->fwd.obstacle].scale, d_bar, r.q, x_bar);
    }
    for (int c = 0; c < OBSTACLE_PARAMETERS; c++)
        b->contribution[field_at(b->points, OBSTACLE_PARAMETERS, c, k)] = out[c];
}

#endif
