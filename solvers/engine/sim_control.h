/* sim_control.h -- channels of control, of particles and of meshes: what their description must hold. */
#ifndef PIOLA_SOLVERS_SIM_CONTROL_H
#define PIOLA_SOLVERS_SIM_CONTROL_H

#include "solvers/engine/sim.h"

/* Returns the knots of channel c; none where its description has none. */
pio_knots_desc sim_knots_of(const pio_engine_desc *desc, int c);
/* Returns how many numbers a layer of a network has: 0 its inputs, then the hidden layers, then the outputs. */
int sim_network_width(const pio_network_desc *network, int layer);
/* Returns how many weights a network has. */
int sim_network_weights(const pio_network_desc *network);
/* Checks the channels, with the unit vector of each one's fibres in fibre [channels][DIM]; `drives`: something says
 * which of them drives it. Returns PIOLA_BAD_DATA, and what is wrong, if they cannot be. */
piola_status sim_channels_accept(const pio_engine_desc *desc, const double *fibre, int drives, piola_error *error);
/* Checks the values of control, once networks are checked, their designs and what is observed of control. Returns
 * PIOLA_BAD_DATA, and what is wrong, if they cannot be, or PIOLA_NO_MEMORY without host memory. */
piola_status sim_control_accepts(const pio_engine_desc *desc, piola_error *error);

/* Returns whether an observable is of control: of the activations in the step that ends at its sample. */
static inline int sim_is_of_control(pio_observable type)
{
    return type == PIO_EFFORT || type == PIO_SMOOTHNESS;
}
/* Returns whether a design is of amplitudes, frequencies or phases of channels. */
static inline int sim_is_of_channels(pio_quantity quantity)
{
    return quantity >= PIO_AMPLITUDE && quantity <= PIO_PHASE;
}

#endif
