/* fem_friction.h -- friction of a mesh's surface at obstacles (kernels/fem/fem_friction.h), and the velocities that it
 * and that between surfaces (fem_pairs_friction.h) act on. Where there is none, all of these do nothing. */
#ifndef PIOLA_SOLVERS_FEM_FRICTION_H
#define PIOLA_SOLVERS_FEM_FRICTION_H

#include "solvers/fem/fem_contact.h"

/* Where cotangents of the adjoint go. */
typedef struct {
    real *u, *v;    /* [nodes][DIM] of displacements and velocities; added to. v NULL: nothing is done */
    int parameters; /* those of rest positions, areas and obstacles are wanted too */
} fem_friction_bars;

/* Sets whether the run has friction: an obstacle has some, or a design of it. */
void fem_friction_begin(fem_sim *f, const pio_engine_desc *desc);
/* Returns whether there may be friction, at obstacles or between surfaces. */
static inline int fem_has_friction(const fem_sim *f)
{
    return f->contact.rough || f->rubs.on;
}
/* Returns the velocities of the state; NULL: there is no friction. */
const real *fem_rough_velocity(const fem_sim *f);
/* Returns the velocities [nodes][DIM] that friction in u depends on: of the state or the known one its own, else those
 * that fem_set_rates() made last (fem_dynamics.c). NULL: internal forces have none, as with the leapfrog. */
const real *fem_slip_velocity(const fem_sim *f, const real *u);

/* Adds to a->out the friction at obstacles in a->u with velocities v, or nothing where v is NULL. */
void fem_friction_forces(fem_sim *f, const fem_contact_args *a, const real *v);
/* Its adjoint for one obstacle, in displacement u, with cotangents y: its contributions are added to those of
 * fem_contact_adj. */
void fem_friction_forces_adj(fem_sim *f, int obstacle, const real *u, const real *v, const real *y,
                             fem_friction_bars bar);
/* Adds to the points' blocks of the Jacobian in u; `projected`: without what has no potential. */
void fem_friction_blocks(fem_sim *f, const real *u, int projected);
/* Sets *energy, device memory, to what is like a potential of all friction, J, with rates as they are: normal forces
 * are those where a search in newton.trial begins. In displacement u of a static run it sets the rates first. */
void fem_friction_potential(fem_sim *f, fem_span span, const real *u, double *energy);

/* Zeroes the counts of how fast points slide. */
void fem_friction_start(fem_sim *f);
/* Counts those of the current state. */
void fem_friction_count(fem_sim *f);
/* Sets what a report says of them. */
void fem_friction_report(fem_sim *f, pio_contact_report *report);

/* Adds friction to forces newton.rhs of an explicit step with this kick, s. */
void fem_friction_leaps(fem_sim *f, double kick);
/* Its adjoint, with the forces without friction in newton.rhs: newton.lambda, cotangents of all forces, become those of
 * the others; u_bar, v_bar and parameters are added to. */
void fem_friction_leaps_adj(fem_sim *f, double kick);

#endif
