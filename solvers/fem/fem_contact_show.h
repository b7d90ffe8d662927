/* fem_contact_show.h -- what frames and programs see of contact in the current state (kernels/fem/fem_contact_show.h),
 * for all nodes [nodes][DIM]. Obstacles stand where they are at its time from then on. */
#ifndef PIOLA_SOLVERS_FEM_CONTACT_SHOW_H
#define PIOLA_SOLVERS_FEM_CONTACT_SHOW_H

#include "solvers/fem/fem.h"

/* Sets dPhi/du of obstacles and of other parts of the surface, N, with friction of surfaces at velocities v
 * [nodes][DIM], m/s, where these are not NULL, and returns where obstacles act; these stand where they are in this
 * state. */
fem_contact_args fem_contact_show_push(fem_sim *f, int64_t state, const real *v, real *out);
/* Sets the force of obstacles, friction included, and of other parts of the surface, without theirs, on each node,
 * N. */
void fem_contact_show_force(fem_sim *f, real *out);
/* Sets first components to the pressure at each node: the length of that force without any friction for each area at
 * rest, Pa; 0 of nodes that are not of the surface. */
void fem_contact_show_pressure(fem_sim *f, real *out);
/* Sets first components to the distance of each node of the surface from the nearest obstacle or, by pairs that are
 * near, from another part of the surface, m; at most the largest distance at which anything touches, which all other
 * nodes have. */
void fem_contact_show_gap(fem_sim *f, real *out);

#endif
