/* surface.h -- surface vertices as a linear map of the degrees of freedom: x_v = sum_j w_vj x_j, so forces f_j += w_vj
 * f_v.
 *
 * Loads and contact act on vertices. Today's bodies have their nodes as vertices: the identity, start == NULL. Affine
 * bodies and embedded skins would need lists. */
#ifndef PIOLA_KERNELS_SURFACE_H
#define PIOLA_KERNELS_SURFACE_H

#include "kernels/fem/surface_args.h"
#include "kernels/linear/bsr.h"

/* Returns row i of the map applied to the nodal vectors `in`: sum_j weight_j in_from(j) in the order of j, or in_i
 * where the map is the identity. */
PIO_FN vec surface_gather(const surface_map *m, int i, const real *in)
{
    vec sum = vec_zero();
    if (!m->start) return point_load(in, i);
    for (int j = m->start[i]; j < m->start[i + 1]; j++)
        sum = vec_axpby(R(1), sum, m->weight[j], point_load(in, m->from[j]));
    return sum;
}

/* Sets the position, or another vector, of vertex v. */
PIO_FN void surface_vertex(int v, const surface_vertex_args *a)
{
    point_store(a->out, v, surface_gather(&a->map, v, a->in));
}

/* Adds the forces on vertices to degree of freedom j. */
PIO_FN void surface_vertex_adj(int j, const surface_vertex_adj_args *a)
{
    point_store(a->out, j, vec_axpby(R(1), point_load(a->out, j), R(1), surface_gather(&a->map, j, a->in)));
}

#endif
