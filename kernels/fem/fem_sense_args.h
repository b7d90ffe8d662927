/* fem_sense_args.h -- what launches pass to the kernels of fem_sense.h. */
#ifndef PIOLA_KERNELS_FEM_SENSE_ARGS_H
#define PIOLA_KERNELS_FEM_SENSE_ARGS_H

#include "kernels/control/network_args.h"

/* Terms of the mean that an input of a network is: one for each node. */
typedef struct {
    const network_input *input; /* [1] */
    const double *weight;       /* [nodes] of each node in the mean, 1 */
    const real *rest, *u;       /* [nodes][DIM] place at rest and displacement, m */
    const real *v;              /* [nodes][DIM] velocity, m/s */
} fem_sense_args;

/* The adjoint of fem_sense, for all inputs in one pass: one item for each node. */
typedef struct {
    int nodes, inputs;          /* of the mesh; of all networks */
    const network_input *input; /* [inputs] */
    const int *set;             /* [inputs] number of the weights of each; of clocks not read */
    const double *weight;       /* [sets][nodes] of each node in a mean, 1 */
    const wide *means_bar;      /* [inputs] J's unit per m or per m/s */
    real *rest_bar;             /* [nodes][DIM] J's unit per m; added to */
    real *u_bar, *v_bar;        /* [nodes][DIM] J's unit per m and per m/s; added to */
} fem_sense_adj_args;

#endif
