/* fem_observe.h -- what is observed of a mesh, and its adjoint. */
#ifndef PIOLA_SOLVERS_FEM_OBSERVE_H
#define PIOLA_SOLVERS_FEM_OBSERVE_H

#include "solvers/fem/fem.h"

/* Sets newton.trial to what the supports hold, N: the internal forces and those of inertia and damping, less the
 * external ones (fem_observe.c). */
void fem_reaction(fem_sim *f);
/* Adds the contributions of state number `index` to all samples. */
void fem_observe_step(fem_sim *f, int64_t index);
/* Adds the cotangents of these contributions to those of the state. */
void fem_observe_step_adj(fem_sim *f, int64_t index);
/* Before the adjoint of a step, with u and `known` its ends: adds the cotangents of the end that come from observations
 * between the two, and keeps those of the beginning. */
void fem_observe_between_adj(fem_sim *f);
/* After it: adds those of the beginning, state number `index`, to u_bar. */
void fem_observe_before_adj(fem_sim *f, int64_t index);

/* Sums the squares of the cotangents of displacements and velocities, and of these, of state number `index`; see
 * sim_norms.c. */
void fem_adjoint_norm(fem_sim *f, int64_t index, int which);

/* Returns whether an observable is made of reactions. */
static inline int fem_reacts(pio_observable type)
{
    return type == PIO_REACTION || type == PIO_REACTION_MOMENT;
}
/* Returns whether an observable is one of elements (fem_observe_integral.c). */
int fem_of_elements(pio_observable type);
/* Returns whether it is a field of them (fem_observe_field.c). */
int fem_of_fields(pio_observable type);
/* Returns the block that has an element. */
const fem_element_block *fem_block_with(const fem_sim *f, int element);
/* Adds what the elements have put into mesh.dof_out and mesh.dof_rest to u_bar and rest_bar. */
void fem_add_observed(fem_sim *f);
/* Adds the field at one state, with its weight, to its samples. */
void fem_observe_field(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Its adjoint. */
void fem_observe_field_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Adds the observation at one state, with its weight, to its sample. */
void fem_observe_integral(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Its adjoint. */
void fem_observe_integral_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);

#endif
