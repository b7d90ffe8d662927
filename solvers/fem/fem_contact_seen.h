/* fem_contact_seen.h -- what objectives see of contact (kernels/fem/fem_contact_seen.h): forces and gaps, between
 * bodies or of an obstacle (fem_contact.h), and pressures, with adjoints. */
#ifndef PIOLA_SOLVERS_FEM_CONTACT_SEEN_H
#define PIOLA_SOLVERS_FEM_CONTACT_SEEN_H

#include "solvers/fem/fem.h"

/* Checks the observations of contact. Returns PIOLA_BAD_DATA, and what would be right. */
piola_status fem_contact_seen_accept(const pio_engine_desc *desc, piola_error *error);
/* Sets newton.trial to the force on each node that is observed in the current state, N. */
void fem_contact_seen_force(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Its adjoint with cotangents newton.y, which are changed. */
void fem_contact_seen_force_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Adds the least gap that is observed in the current state to a sample. */
void fem_contact_seen_gap(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Its adjoint. */
void fem_contact_seen_gap_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Adds the mean or the norm of the pressure in the current state to a sample. */
void fem_contact_seen_pressure(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Its adjoint. */
void fem_contact_seen_pressure_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);

#endif
