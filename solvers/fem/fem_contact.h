/* fem_contact.h -- contact of a mesh's surface with obstacles (kernels/fem/fem_contact.h): its part of forces, of the
 * matrix and of steps. Without obstacles all of these do nothing, and limits are 1. */
#ifndef PIOLA_SOLVERS_FEM_CONTACT_H
#define PIOLA_SOLVERS_FEM_CONTACT_H

#include "solvers/fem/fem.h"

/* Checks obstacles, the designs of them and the faces that touch them. Returns PIOLA_BAD_DATA, and what would be
 * right. */
piola_status fem_contact_accept(const pio_engine_desc *desc, piola_error *error);
/* Returns the time at a fraction 0 .. 1 of the span, from which obstacles go on to its end (fem_obstacles.c). */
sim_obstacle_time fem_obstacle_time(const fem_sim *f, fem_span span, double passed);
/* Returns that of the poses at the end of the span, whose velocities are the means over it. */
sim_obstacle_time fem_obstacle_end(const fem_sim *f, fem_span span);
/* Sets the poses of obstacles to those after a fraction of a span, with their mean velocities in it. */
void fem_obstacles_move(fem_sim *f, fem_span span, double passed);
/* Sets them to those at the end of a span, of which all forces are until they are set anew. */
void fem_obstacles_at(fem_sim *f, fem_span span);
/* Returns the last part of the step that led to this state. */
fem_span fem_last_span(const fem_sim *f, int64_t state);

/* Numbers the points of contact, on the host, before the graph of the matrix is made. Returns 1; 0 without memory, -2
 * if the program is to stop. */
int fem_contact_begin(fem_sim *f, const pio_engine_desc *desc);
/* Frees what the host has of it until the simulation is created. */
void fem_contact_free_plan(fem_sim *f);
/* Frees all that the host has of it. */
void fem_contact_free(fem_sim *f);
/* Uploads points, faces and obstacles. */
void fem_contact_upload(fem_sim *f, const pio_engine_desc *desc);

/* Computes the areas of the points, once the rest positions are known. */
void fem_contact_areas(fem_sim *f);
/* Its adjoint, at the end of an adjoint sweep. */
void fem_contact_areas_adj(fem_sim *f);
/* Zeroes the cotangents of areas and obstacles, at the beginning of one. */
void fem_contact_adj_begin(fem_sim *f);

/* Returns what kernels need of contact in displacement u [nodes][DIM], with forces that are added to `out`. */
fem_contact_args fem_contact_of(const fem_sim *f, const real *u, real *out);
/* Adds dPhi/du in displacement u [nodes][DIM], N, and friction (fem_friction.h) to out. */
void fem_contact_forces(fem_sim *f, const real *u, real *out);
/* Its adjoint with cotangents y of these forces, as fem_internal_adj(). */
void fem_contact_forces_adj(fem_sim *f, const real *u, const real *y, real *u_bar, real *v_bar, int parameters);
/* Sets out [nodes][DIM] to what a unit of rounding of places makes of these forces where free, in units of it, N. */
void fem_contact_rounding(fem_sim *f, const real *u, real *out);
/* Sets the points' blocks of the Jacobian; `projected`: without their negative part. */
void fem_contact_blocks(fem_sim *f, const real *u, int projected);
/* Sets *energy, device memory, to Phi in displacement u, J; a node inside an obstacle makes it at least 1e300. */
void fem_contact_potential(fem_sim *f, const real *u, double *energy);

/* Sets *part to the part of `scale` du, 0 .. 1, by which u may change, see CONTACT_KEPT. Returns PIOLA_UNAVAILABLE
 * after an error of the device. */
piola_status fem_contact_limit(fem_sim *f, const real *u, const real *du, double scale, double *part,
                               piola_error *error);
/* Sets obstacles back to where they are at the beginning of the span; returns whether any moves. */
int fem_contact_rewind(fem_sim *f, fem_span span);
/* Adds to the residual in u, N, what changes of it as obstacles go on to the end of the span. */
void fem_contact_carries(fem_sim *f, const real *u, real *residual);
/* Likewise as fem_contact_limit(), while obstacles go on to the end of the span; moves them by that part. Returns
 * PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_contact_advance(fem_sim *f, const real *u, const real *du, double *part, piola_error *error);
/* Checks the start, and begins the counts. Returns PIOLA_NUMERICAL with the deepest node, its obstacle and its depth if
 * one touches an obstacle or is inside it, or PIOLA_UNAVAILABLE. */
piola_status fem_contact_start(fem_sim *f, piola_error *error);
/* Counts what is within reach in the current state. */
void fem_contact_count(fem_sim *f);
/* Checks an explicit step of h s that has led to the current state; a fault is found by fem_check_fault(). */
void fem_contact_leaped(fem_sim *f, double h);
/* What an explicit step needs: time step, s; stiffness of obstacles and of surfaces, Pa, 0 where they are stiff
 * enough. */
typedef struct {
    double step, obstacles, surfaces;
} fem_contact_need;

/* Returns what would have been right in the step of a fault. */
fem_contact_need fem_contact_needed(fem_sim *f, int64_t step);
/* Sets newton.trial to the force of the observed obstacle on each node in the current state, N. */
void fem_contact_observe_force(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Its adjoint with cotangents newton.y, which are changed. */
void fem_contact_observe_force_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Adjoint of the forces of all obstacles without friction in the current state, for which they stand, with cotangents y
 * [nodes][DIM] of dPhi/du. */
void fem_contact_push_adj(fem_sim *f, const real *y, real *u_bar);
/* Adds the least gap of the observed obstacle in the current state to a sample. */
void fem_contact_observe_gap(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* Its adjoint. */
void fem_contact_observe_gap_adj(fem_sim *f, const fem_observation *o, const pio_sample_weight *t);
/* The member contact of pio_engine. Returns PIOLA_UNAVAILABLE after an error of the device. */
piola_status fem_contact_report(pio_sim *sim, pio_contact_report *report, piola_error *error);

#endif
