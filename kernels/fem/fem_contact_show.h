/* fem_contact_show.h -- what frames and programs see of contact: the pressure and the gap at nodes, as the first
 * component of a vector. */
#ifndef PIOLA_KERNELS_FEM_CONTACT_SHOW_H
#define PIOLA_KERNELS_FEM_CONTACT_SHOW_H

#include "kernels/fem/fem_contact.h"
#include "kernels/fem/fem_contact_show_args.h"
#include "kernels/fem/fem_pairs.h"

/* Sets |f|/A of point k. */
PIO_FN void fem_contact_pressure(int k, const fem_contact_pressure_args *a)
{
    const int node = a->node[k];
    const vec f = point_load(a->force, node);
    a->out[(ptrdiff_t)node * DIM] = a->area[k] > R(0) ? sqrt(vec_dot(f, f)) / a->area[k] : R(0);
}

/* Sets the largest distance at which anything touches. */
PIO_FN void fem_contact_far(int i, const fem_contact_far_args *a)
{
    real far = a->grip ? R(a->grip[PAIR_DISTANCE]) : R(0);
    for (int o = 0; o < a->obstacles; o++)
        if (a->pose[o].grip.distance > far) far = a->pose[o].grip.distance;
    a->out[(ptrdiff_t)i * DIM] = far;
}

/* Lowers the gap of point k to its distance from the nearest obstacle. */
PIO_FN void fem_contact_gaps(int k, const fem_contact_gaps_args *b)
{
    real *gap = b->out + (ptrdiff_t)b->fwd.node[k] * DIM;
    for (int o = 0; o < b->fwd.obstacles; o++) {
        const real d = fem_contact_near_of(&b->fwd, o, k).at.d;
        if (d < *gap) *gap = d;
    }
}

/* Lowers the gap of point k to the distance of its nearest pair. */
PIO_FN void fem_pair_gaps(int k, const fem_pair_gaps_args *b)
{
    const fem_pair_args *a = &b->fwd;
    real *gap = b->out + (ptrdiff_t)a->s.node[k] * DIM;
    for (int j = b->start[k]; j < b->start[k + 1]; j++) {
        const int i = b->list[j] / PAIR_NODES, kind = i < a->found->faces ? PAIR_FACE : PAIR_EDGES;
        const real d = fem_pair_distance(&a->s, a->rest, a->u, a->corner + (ptrdiff_t)i * PAIR_NODES, kind);
        if (d < *gap) *gap = d;
    }
}

#endif
