/* fem_observe.h -- observations of a mesh: one number per component and step, as a sum over nodes, and its adjoint.
 *
 *   displacement  y_a = sum_i w_ia u_ia             reaction   y_a = sum_i w_ia f_ia, f = internal - external forces
 *   distance      y = sum_i q_i |X_i + u_i - Y_i|^2/P   compliance y = sum_i f_i . u_i, f the external forces
 *                 between two steps with (1 - s) u_i + s u0_i for u_i, u0 of the step before, s its weight
 *
 *   velocity      as displacement, of v
 *   kinetic       E = sum_i w_i v_i . p_i/2, p = M v; its adjoint takes p for a constant: that of M v adds the
 *                 other term
 *
 * q_i: weight of the point Y_i that node i has, P: their sum. */
#ifndef PIOLA_KERNELS_FEM_OBSERVE_H
#define PIOLA_KERNELS_FEM_OBSERVE_H

#include "kernels/fem/fem_observe_args.h"
#include "kernels/fem/fem.h"

/* Returns q_i/P, the weight of node i's point in the distance; only of nodes that have a point. */
PIO_FN double fem_point_fraction(const fem_observe_args *a, int i)
{
    return (a->point_weight ? a->point_weight[a->marker[i]] : 1) / a->markers;
}

/* Returns component c of the place that an observation sees node i at, X + (1 - s) u + s u0, m; without `past`
 * X + u. */
PIO_FN wide fem_observed_place(const fem_observe_args *a, int i, int c)
{
    const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
    if (!a->past) return W(a->rest[at]) + W(a->u[at]);
    return W(a->rest[at]) + W(1 - a->past_weight) * W(a->u[at]) + W(a->past_weight) * W(a->past[at]);
}

/* Returns the term of node i in the sum of the observation's type; see the head of this file. It is 0 in a distance
 * where the node has no point, or its point is NaN at this time. */
PIO_FN wide fem_observe(int i, const fem_observe_args *a)
{
    const vec u = point_load(a->u, i);
    wide sum = W(0);
    if (a->type == PIO_DISPLACEMENT) return W(a->weight[(ptrdiff_t)i * DIM + a->axis]) * W(u.x[a->axis]);
    if (a->type == PIO_KINETIC_ENERGY)
        return W(0.5) * W(a->weight[(ptrdiff_t)i * DIM]) * W(vec_dot(u, point_load(a->force, i)));
    if (a->type == PIO_REACTION)
        return W(a->weight[(ptrdiff_t)i * DIM + a->axis]) * W(point_load(a->force, i).x[a->axis]);
    if (a->type == PIO_DISTANCE && a->marker[i] < 0) return W(0);
    for (int c = 0; c < DIM; c++) {
        if (a->type == PIO_COMPLIANCE) {
            sum += W(point_load(a->force, i).x[c]) * W(u.x[c]);
        } else {
            const double Y = a->points[(ptrdiff_t)a->marker[i] * DIM + c];
            const wide d = fem_observed_place(a, i, c) - W(Y);
            if (Y - Y >= 0) sum += d * d * W(fem_point_fraction(a, i));
        }
    }
    return sum;
}

/* Adds the observation to the sample; the one item is 0. */
PIO_FN void fem_observe_add(int i, const fem_observe_add_args *a)
{
    (void)i;
    *a->sample += W(a->weight) * *a->sum;
}

/* Adds the cotangents of displacements, forces and rest positions at node i. */
PIO_FN void fem_observe_adj(int i, const fem_observe_adj_args *b)
{
    const fem_observe_args *a = &b->o;
    const real y_bar = R(b->weight * (double)*b->sample_bar);
    if (a->type == PIO_DISPLACEMENT) {
        b->u_bar[(ptrdiff_t)i * DIM + a->axis] += y_bar * a->weight[(ptrdiff_t)i * DIM + a->axis];
    } else if (a->type == PIO_REACTION) {
        b->force_bar[(ptrdiff_t)i * DIM + a->axis] += y_bar * a->weight[(ptrdiff_t)i * DIM + a->axis];
    } else if (a->type == PIO_KINETIC_ENERGY) {
        const vec u = point_load(a->u, i), f = point_load(a->force, i);
        const real half = R(0.5) * y_bar * a->weight[(ptrdiff_t)i * DIM];
        point_store(b->u_bar, i, vec_axpby(R(1), point_load(b->u_bar, i), half, f));
        point_store(b->force_bar, i, vec_axpby(R(1), point_load(b->force_bar, i), half, u));
    } else if (a->type == PIO_COMPLIANCE) {
        const vec u = point_load(a->u, i), f = point_load(a->force, i);
        point_store(b->u_bar, i, vec_axpby(R(1), point_load(b->u_bar, i), y_bar, f));
        point_store(b->force_bar, i, vec_axpby(R(1), point_load(b->force_bar, i), y_bar, u));
    } else if (a->marker[i] >= 0) {
        for (int c = 0; c < DIM; c++) {
            const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
            const double Y = a->points[(ptrdiff_t)a->marker[i] * DIM + c];
            if (!(Y - Y >= 0)) continue;
            const real contribution =
                R(2) * y_bar * R((double)fem_observed_place(a, i, c) - Y) * R(fem_point_fraction(a, i));
            b->u_bar[at] += R(1 - a->past_weight) * contribution;
            b->rest_bar[at] += contribution;
            if (a->past) b->past_bar[at] += R(a->past_weight) * contribution;
        }
    }
}

#endif
