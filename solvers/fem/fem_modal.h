/* fem_modal.h -- modal analysis: its memory, its steps, which are modes, and derivatives of frequencies. */
#ifndef PIOLA_SOLVERS_FEM_MODAL_H
#define PIOLA_SOLVERS_FEM_MODAL_H

#include "solvers/fem/fem_sim.h"

/* Finds the library of eigenproblems and adds the memory that it and its caller take to that of libraries
 * (fem_modal.c). Returns PIOLA_UNAVAILABLE, and why, if there is none, or PIOLA_BAD_DATA for too many modes. */
piola_status fem_modal_choose(fem_sim *f, const pio_fem_desc *mesh, char name[128], piola_error *error);
/* Takes the memory of modes, or measures it. */
void fem_modal_layout(fem_sim *f);
/* Uploads what K phi needs. */
void fem_modal_begin(fem_sim *f);
/* Computes the moduli at rest of this design, of which there are no modes yet. */
void fem_modal_start(fem_sim *f);
/* Returns whether two eigenvalues, 1/s^2, count as repeated. */
int fem_modal_repeated(const fem_sim *f, double lower, double upper);
/* Sets out [nodes][DIM] to K x, springs included. */
void fem_modal_stiffness(fem_sim *f, const real *x, real *out);
/* Returns the shape of the mode that is state number 1, 2, .... */
const real *fem_modal_shape(const fem_sim *f, int64_t state);
/* Makes the next mode the state, for which the first call computes all. Returns PIOLA_NUMERICAL if they are not found,
 * or one is missing, PIOLA_INTERRUPTED, PIOLA_NO_MEMORY, PIOLA_INTERNAL of a library, or PIOLA_UNAVAILABLE after an
 * error of the device. */
piola_status fem_modal_step(fem_sim *f, piola_error *error);
/* Adds the frequency of a mode, with its weight, to its sample (fem_modal_adjoint.c). */
void fem_modal_observe(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Checks that what is differentiated has a derivative: samples_bar is host [samples]. Returns PIOLA_NUMERICAL with
 * PIOLA_FAILED_REPEATED and the mode if not. */
piola_status fem_modal_check(const fem_sim *f, const double *samples_bar, piola_error *error);
/* Adds the derivative of the frequency of mode index + 1 to the cotangents of all that it depends on. Returns
 * PIOLA_NO_MEMORY without host memory, or PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_modal_adj(fem_sim *f, piola_error *error);
/* At the end of an adjoint sweep: from the cotangents of the moduli at rest to those of the constants. */
void fem_modal_end(fem_sim *f);

#endif
