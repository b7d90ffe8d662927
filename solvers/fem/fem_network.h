/* fem_network.h -- networks that drive channels of control of a mesh. Without networks its functions do nothing. */
#ifndef PIOLA_SOLVERS_FEM_NETWORK_H
#define PIOLA_SOLVERS_FEM_NETWORK_H

#include "solvers/fem/fem.h"

/* Checks networks and what they read. Returns PIOLA_BAD_DATA, and what is wrong, if they cannot be. */
piola_status fem_networks_check(const pio_engine_desc *desc, piola_error *error);
/* Counts them, before the layout; returns 0 without memory. */
int fem_networks_begin(fem_sim *f, const pio_engine_desc *desc);
/* Takes their memory, or measures it. */
void fem_networks_layout(fem_sim *f, const pio_engine_desc *desc);
/* Uploads them. */
void fem_networks_upload(fem_sim *f, const pio_engine_desc *desc);
/* Frees what the host has of them. */
void fem_networks_free(fem_sim *f);

/* Evaluates them in the current state: sets the activations of state number `state`, which an implicit step leads to
 * and an explicit one begins with. */
void fem_networks_evaluate(fem_sim *f, int64_t state);
/* Sets the activations of their channels, and the rates, to those of state number `state`. */
void fem_networks_recall(fem_sim *f, int64_t state);
/* Its adjoint, for the state that was recalled last: from the cotangents of activations and rates. */
void fem_networks_recall_adj(fem_sim *f);
/* The adjoint of fem_networks_evaluate() in the current state, with what was collected of the activations since: adds
 * to its cotangents. */
void fem_networks_evaluate_adj(fem_sim *f);
/* Goes on to the activations of the state before the one whose cotangents were collected. */
void fem_networks_go_back(fem_sim *f);
/* Zeroes their cotangents, at the beginning of an adjoint sweep. */
void fem_networks_adj_begin(fem_sim *f);

#endif
