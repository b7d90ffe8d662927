/* model_lattice.h -- lattices of control points that deform a body, free-form deformation (Sederberg and Parry
 * 1986). */
#ifndef PIOLA_HOST_MODEL_LATTICE_H
#define PIOLA_HOST_MODEL_LATTICE_H

#include "host/model/model_fem.h"

/* The shift of a node at X is the sum over the control points i, j, k of
 *
 *     w(X) B_i(xi) B_j(eta) B_k(zeta) d_ijk
 *
 * with the Bernstein polynomials B of the box's coordinates from 0 to 1, of as many cells as the degree, and w = 1, or
 * a smooth step from 0 at the nodes that are held to 1 at the distance `ease` of the nearest one. Only control points
 * that can move a node are variables. Bodies that are the `targets` of one entry have a lattice each, of the same
 * control points: the box, and what is held, are those of all of them. */
struct pio_lattice {
    int32_t nodes, points; /* nodes that move; control points that move one */
    int32_t (*at)[3];      /* [points] numbers of the control point along x, y and z, from 0 */
    int32_t *start, *from; /* [nodes + 1] first entry of each node's row; [start[nodes]] control point of each */
    double *weight;        /* [start[nodes]] value of each */
};

/* Makes the lattice of a design's target of that number, a body's rest positions. `index` [nodes of the model], of d,
 * gets the numbers of the nodes that move, -1 of others; sets d->groups to how many these are, and d->direction, which
 * the caller frees. Returns PIOLA_BAD_DATA at the scene's key that is wrong, PIOLA_NO_MEMORY or PIOLA_INTERRUPTED; *out
 * is to be freed in any case. */
piola_status pio_model_lattice(pio_lattice **out, const pio_model *model, const scene_design *design, size_t number,
                               int32_t *index, pio_design_desc *d, piola_error *error);
/* Frees a lattice, which may be NULL. */
void pio_lattice_free(pio_lattice *lattice);
/* Sets out [nodes][components] to the shifts of the nodes of displacements z [points][components]. */
void pio_lattice_apply(const pio_lattice *lattice, int components, const double *z, double *out);
/* Adds the adjoint of pio_lattice_apply() of out_bar [nodes][components] to z_bar [points][components]. */
void pio_lattice_adj(const pio_lattice *lattice, int components, const double *out_bar, double *z_bar);

#endif
