/* fem_pairs_friction.h -- friction between surfaces that touch each other, in explicit steps
 * (kernels/fem/fem_pairs_friction.h) and in implicit ones (kernels/fem/fem_pairs_drag.h). Without such friction all of
 * these do nothing. */
#ifndef PIOLA_SOLVERS_FEM_PAIRS_FRICTION_H
#define PIOLA_SOLVERS_FEM_PAIRS_FRICTION_H

#include "solvers/fem/fem_pairs.h"

/* Checks the description of the friction. Returns PIOLA_BAD_DATA, and what would be right. */
piola_status fem_pairs_friction_accept(const pio_engine_desc *desc, piola_error *error);
/* Sets whether the run has such friction: there is some, or a design of it; after fem_friction_begin(). */
void fem_pairs_friction_begin(fem_sim *f, const pio_engine_desc *desc);
/* Takes its memory from the arena, or measures it: what does not depend on the room for pairs. */
void fem_pairs_friction_layout(fem_sim *f);
/* The same for what each pair has of its own: see fem_pairs_room_layout. */
void fem_pairs_friction_room_layout(fem_sim *f);
/* Uploads numbers. */
void fem_pairs_friction_upload(fem_sim *f);

/* Zeroes the cotangents of mu and e, at the beginning of an adjoint sweep. */
void fem_pairs_friction_adj_begin(fem_sim *f);
/* Copies the value of a design of mu or e to where it is used, or with `back` its cotangent into `value`. */
void fem_pairs_friction_design(fem_sim *f, pio_quantity quantity, double *value, int back);
/* Returns whether a quantity is one of these. */
static inline int fem_is_of_pairs_friction(pio_quantity quantity)
{
    return quantity == PIO_PAIR_FRICTION || quantity == PIO_PAIR_FRICTION_VELOCITY;
}

/* Adds friction to forces newton.rhs of an explicit step with this kick, s; pairs are listed as internal forces left
 * them. */
void fem_pairs_friction_leaps(fem_sim *f, double kick);
/* Its adjoint, after fem_pairs_friction_leaps(): newton.lambda, cotangents of all forces, become those of the others;
 * u_bar, v_bar and parameters are added to. */
void fem_pairs_friction_leaps_adj(fem_sim *f, double kick);

/* Adds what pairs give to cotangents of mu and e, in rubs.rub_out, to these. */
void fem_pairs_friction_parameters_adj(fem_sim *f);

/* ---- implicit steps (fem_pairs_drag.c) ---- */

/* Adds friction at velocities v, or nothing where v is NULL, to what the listed pairs give in displacement u to their
 * nodes, pairs.out. */
void fem_pairs_drag(fem_sim *f, const real *u, const real *v);
/* Its adjoint with cotangents y and fem_slip_velocity(), after fem_pair_adj: adds to what the listed pairs give, and to
 * cotangents of velocities and with bar.parameters of mu and e. */
void fem_pairs_drag_adj(fem_sim *f, const real *u, const real *y, fem_friction_bars bar);
/* Adds to the matrices of the listed pairs; `projected`: without what has no potential. */
void fem_pairs_drag_blocks(fem_sim *f, const real *u, int projected);
/* Adds its part of fem_friction_potential() to *energy, device memory; lists the pairs of newton.trial. */
void fem_pairs_drag_potential(fem_sim *f, fem_span span, double *energy);

/* Zeroes the counts of how fast pairs slide. */
void fem_pairs_friction_start(fem_sim *f);
/* Counts those of the current state. */
void fem_pairs_friction_count(fem_sim *f);
/* Sets what a report says of them. */
void fem_pairs_friction_report(fem_sim *f, pio_contact_report *report);

#endif
