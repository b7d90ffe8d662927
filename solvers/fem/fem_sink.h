/* fem_sink.h -- obstacles that enter faces between nodes (kernels/fem/fem_contact_sink.h), and those that are inside a
 * body at the start. Without obstacles all of these do nothing. */
#ifndef PIOLA_SOLVERS_FEM_SINK_H
#define PIOLA_SOLVERS_FEM_SINK_H

#include "solvers/fem/fem_contact.h"

/* Lists the pieces of the faces, on the host, once the points of contact are numbered. Returns 1, or 0 without
 * memory. */
int fem_sink_begin(fem_sim *f, const pio_engine_desc *desc);
/* Frees what the host has of it until the simulation is created. */
void fem_sink_free_plan(fem_sim *f);
/* Frees all that the host has of it. */
void fem_sink_free(fem_sim *f);
/* Takes its memory from the arena, or measures it. */
void fem_sink_layout(fem_sim *f);
/* Uploads the pieces. */
void fem_sink_upload(fem_sim *f);
/* Checks the start, with obstacles where they are then. Returns PIOLA_NUMERICAL with node, obstacle and depth if an
 * obstacle is in a face or inside a body, PIOLA_NO_MEMORY or PIOLA_UNAVAILABLE. */
piola_status fem_sink_start(fem_sim *f, piola_error *error);
/* Looks for obstacles in faces in the current state; one that is found ends the run by fem_sink_check(). */
void fem_sink_look(fem_sim *f);
/* Returns PIOLA_NUMERICAL with nodes, obstacle, depth and time if one was found since the start, or if one that fits
 * between nodes is inside a body now; PIOLA_NO_MEMORY or PIOLA_UNAVAILABLE. */
piola_status fem_sink_check(fem_sim *f, piola_error *error);

#endif
