/* fem_contact_sink.h -- is an obstacle in a face between its nodes? Contact acts at nodes, so that an obstacle that is
 * narrower than a face, or one of its corners, can enter there; a face that is bent over a round obstacle always does,
 * by about its length squared over eight radii. Faces are cut into flat pieces between all their nodes.
 *
 * A distance changes by at most 1 metre for each metre, so that a part of a piece whose points are at most r from its
 * centre has none with d < d(centre) - r. Where that is deep enough to matter the part is cut again, a segment into
 * halves, a triangle into four between the middles of its edges. */
#ifndef PIOLA_KERNELS_FEM_CONTACT_SINK_H
#define PIOLA_KERNELS_FEM_CONTACT_SINK_H

#include "kernels/fem/fem_contact.h"

/* Parts that a part is cut into, their number in bits, and how often a piece is cut at most. */
enum { SINK_PARTS = DIM == 3 ? 4 : 2, SINK_BITS = DIM == 3 ? 2 : 1, SINK_LEVELS = DIM == 3 ? 8 : 14 };
/* A face may sink into an obstacle by these fractions of its longest edge and of half the obstacle's thickness. */
#define SINK_OF_FACE R(0.1)
#define SINK_OF_OBSTACLE R(0.5)

/* Returns the centre of the part of a piece x, m, that is reached by these cuts: two bits, or one, for each. */
PIO_FN vec sink_centre(const vec x[DIM], int level, uint64_t code)
{
    vec a[DIM], m[DIM], centre = vec_zero();
    for (int k = 0; k < DIM; k++) a[k] = x[k];
    for (int l = level - 1; l >= 0; l--) {
        const int part = (int)(code >> (SINK_BITS * l)) & (SINK_PARTS - 1);
        for (int k = 0; k < DIM; k++) m[k] = vec_axpby(R(0.5), a[k], R(0.5), a[(k + 1) % DIM]);
        for (int k = 0; k < DIM; k++) /* a part but the innermost keeps a corner, k = part */
            if (k != part) a[k] = m[DIM == 2 ? 0 : part == DIM ? k : k == (part + 1) % DIM ? part : k];
    }
    for (int k = 0; k < DIM; k++) centre = vec_axpby(R(1), centre, R(1.0) / R(DIM), a[k]);
    return centre;
}

/* Returns the distance of a place in the frame of an obstacle of this scale, m; beyond the lattice of a mesh no more
 * than that reaches. */
PIO_FN real sink_distance(const obstacle_shape *o, real scale, const real *coefficients, vec y)
{
    const real d = obstacle_near_of(o, scale, coefficients, y).d, most = o->full + o->width;
    return o->type == PIO_CLOSED_MESH && d > most ? most : d;
}

/* Returns how deep a piece x, m, in the frame of an obstacle is in it at most, m, where that is above `limit`, to a
 * quarter of that; else 0. */
PIO_FN real sink_depth(const obstacle_shape *o, real scale, const real *coefficients, const vec x[DIM], real limit)
{
    const vec middle = sink_centre(x, 0, 0);
    real deepest = limit, reach = R(0);
    uint64_t code = 0;
    for (int k = 0; k < DIM; k++) {
        const vec way = vec_axpby(R(1), x[k], R(-1), middle);
        if (vec_dot(way, way) > reach * reach) reach = sqrt(vec_dot(way, way));
    }
    reach *= contact_steepness(o);
    for (int level = 0;;) {
        const real depth = -sink_distance(o, scale, coefficients, sink_centre(x, level, code)),
                   r = reach / R(1 << level);
        if (depth > deepest) deepest = depth;
        if (depth + r > deepest && r > R(0.25) * limit && level < SINK_LEVELS) {
            level++;
            code <<= SINK_BITS;
            continue;
        }
        while (level > 0 && (code & (SINK_PARTS - 1)) == SINK_PARTS - 1) {
            level--;
            code >>= SINK_BITS;
        }
        if (level == 0) break;
        code++;
    }
    return deepest > limit ? deepest : R(0);
}

/* Notes in which obstacle piece i is deepest, the first time that it is in one. */
PIO_FN void fem_contact_sink(int i, const fem_contact_sink_args *b)
{
    const fem_contact_args *a = &b->fwd;
    const int *corner = b->corner + (ptrdiff_t)i * DIM;
    real most = R(0), edge = R(0);
    int in = -1;
    vec x[DIM];
    if (b->state_of[i] >= 0) return;
    for (int o = 0; o < a->obstacles; o++) {
        const obstacle_pose *pose = a->pose + o;
        if (a->shape[o].type == PIO_PLANE) continue; /* it is where one of the nodes is */
        for (int k = 0; k < DIM; k++)
            x[k] = mat_t_apply(pose->turn, fem_contact_place(a, pose->centre, corner[k], NULL, R(0)));
        for (int k = 0; k < DIM; k++) {
            const vec way = vec_axpby(R(1), x[(k + 1) % DIM], R(-1), x[k]);
            if (vec_dot(way, way) > edge * edge) edge = sqrt(vec_dot(way, way));
        }
        const real own = SINK_OF_FACE * edge;
        const real half = SINK_OF_OBSTACLE * a->shape[o].deepest * pose->scale / a->shape[o].scale;
        const real depth = sink_depth(a->shape + o, pose->scale, a->coefficients, x, own < half ? own : half);
        if (!(depth > most)) continue;
        most = depth;
        in = o;
    }
    if (in < 0) return;
    b->state_of[i] = b->state;
    b->depth[i] = most;
    b->obstacle[i] = in;
    atomic_min_u64(b->first, (uint64_t)b->state);
}

#endif
