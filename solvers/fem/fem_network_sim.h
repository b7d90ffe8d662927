/* fem_network_sim.h -- the data of networks that drive channels of control of a mesh. */
#ifndef PIOLA_SOLVERS_FEM_NETWORK_SIM_H
#define PIOLA_SOLVERS_FEM_NETWORK_SIM_H

#include "solvers/engine/sim_network.h"

/* fem_network.c: networks that drive channels. Where there are none all pointers are NULL. */
typedef struct {
    sim_networks all;
    int n_sets;          /* of weights of nodes */
    int *set, *host_set; /* [inputs] the number of its set; of clocks 0; on the device, on the host */
    double *weight;      /* [sets][nodes] of each node in a mean, 1 */
    double *past;        /* [steps + 1][n_channels] activations in the state of each number, not rounded, Pa */
    double *bar;         /* [n_channels] cotangents of those of a state, so far */
    double *earlier_bar; /* [n_channels] likewise of the state before, by rates */
    int64_t recalled;    /* number of the state whose activations were recalled last */
} fem_sim_networks;

#endif
