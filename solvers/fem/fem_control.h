/* fem_control.h -- channels of control of a mesh, and the fibres that they drive. Without channels its functions do
 * nothing. */
#ifndef PIOLA_SOLVERS_FEM_CONTROL_H
#define PIOLA_SOLVERS_FEM_CONTROL_H

#include "solvers/engine/sim_control.h"
#include "solvers/fem/fem.h"

/* Checks channels, fibres and what drives them (fem_control.c). Returns PIOLA_BAD_DATA, and what is wrong, if they
 * cannot be, or PIOLA_NO_MEMORY without host memory. */
piola_status fem_control_check(const pio_engine_desc *desc, piola_error *error);
/* Counts them, before the layout; returns 0 without memory. */
int fem_control_begin(fem_sim *f, const pio_engine_desc *desc);
/* Takes their memory, or measures it. */
void fem_control_layout(fem_sim *f, const pio_engine_desc *desc);
/* Uploads them. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_control_upload(fem_sim *f, const pio_engine_desc *desc, piola_error *error);

/* Sets the activations to those at the end of a span. */
void fem_activate(fem_sim *f, fem_span span);
/* Zeroes all cotangents of control, at the beginning of an adjoint sweep. */
void fem_control_adj_begin(fem_sim *f);
/* From the cotangents of the activations that were set last, which are then zeroed, to those of signals, and of what
 * networks have made. */
void fem_control_adj(fem_sim *f);
/* Adds the contribution of a sample weight of effort or smoothness, of the activations that were set last. */
void fem_observe_control(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Its adjoint: adds to the cotangents of the activations that were set last, or of their rates. */
void fem_observe_control_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Copies the value of a design of control, device memory, to where it belongs. */
void fem_control_design(fem_sim *f, const pio_design_desc *d, const double *value);
/* Copies its cotangent into value_bar, device memory. */
void fem_control_design_adj(fem_sim *f, const pio_design_desc *d, double *value_bar);
/* Returns whether a design is of control. */
int fem_designs_control(pio_quantity quantity);

/* Adds the forces of the fibres of a block, N, to out [element dofs][DIM] (fem_fibre.c). */
void fem_fibre_forces(fem_sim *f, const fem_element_block *p, const real *u, real *out);
/* Its adjoint with cotangents y [nodes][DIM] of the nodal forces: adds to mesh.dof_out, and with `parameters` to
 * mesh.dof_rest and to the cotangents of thickness and, with fem_fibre_collect(), of activations. */
void fem_fibre_forces_adj(fem_sim *f, const fem_element_block *p, const real *u, const real *y, int parameters);
/* Adds to the cotangents of the activations what the elements of all blocks have contributed. */
void fem_fibre_collect(fem_sim *f);
/* Adds the energy of the fibres of all elements, J, to a number of the device. */
void fem_fibre_energies(fem_sim *f, const real *u, double *total);
/* Adds the element matrices of the fibres of a block, with `projected` without their negative part. */
void fem_fibre_stiffness(fem_sim *f, const fem_element_block *p, int projected);

#endif
