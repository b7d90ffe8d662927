/* sim_network.h -- networks that drive channels of control (kernels/control/network.h), of particles and of meshes:
 * what their description must hold, and their arrays. */
#ifndef PIOLA_SOLVERS_SIM_NETWORK_H
#define PIOLA_SOLVERS_SIM_NETWORK_H

#include "kernels/control/network_args.h"
#include "solvers/engine/sim_control.h"

/* All networks of a simulation. Where there are none all pointers are NULL. */
typedef struct {
    int n_networks, n_inputs, n_units;   /* inputs and units of all networks */
    network_shape *shapes, *host_shapes; /* [n_networks] on the device, on the host */
    network_input *inputs, *host_inputs; /* [n_inputs] likewise */
    double *means, *means_bar;           /* [n_inputs] their values, m or m/s; cotangents */
    double *units, *units_bar;           /* [n_units] inputs and outputs of the layers; cotangents */
} sim_networks;

/* Returns whether an input is a mean, of particles or nodes, and not of a clock. */
static inline int sim_input_is_mean(pio_network_input kind)
{
    return kind >= PIO_INPUT_POSITION;
}

/* Checks networks, but for what their means are of. Returns PIOLA_BAD_DATA, and what is wrong, if they cannot be. */
piola_status sim_networks_accept(const pio_engine_desc *desc, piola_error *error);
/* Counts them and makes their host arrays; returns 0 without memory. */
int sim_networks_begin(sim_networks *n, const pio_engine_desc *desc);
/* Takes their device memory, or measures it, with that of cotangents for an adjoint. */
void sim_networks_layout(sim_networks *n, pio_arena *arena, int adjoint);
/* Uploads them. */
void sim_networks_upload(const sim_networks *n, pio_queue *q);
/* Frees the host arrays. */
void sim_networks_free(sim_networks *n);
/* Returns whether rates of a network's channels are observed. */
int sim_networks_have_rates(const pio_engine_desc *desc);

/* Returns what kernels read of them, with the parameters and values of control. */
static inline network_set sim_network_set(const sim_networks *n, int channels, const double *parameters,
                                          const double *values)
{
    return (network_set){.channels = channels,
                         .shape = n->shapes,
                         .input = n->inputs,
                         .means = n->means,
                         .parameters = parameters,
                         .values = values,
                         .units = n->units};
}
/* Returns their cotangents, with those of the parameters and values of control. */
static inline network_set_bar sim_network_set_bar(const sim_networks *n, double *parameters_bar, double *values_bar)
{
    return (network_set_bar){.units_bar = n->units_bar,
                             .means_bar = n->means_bar,
                             .parameters_bar = parameters_bar,
                             .values_bar = values_bar};
}

#endif
