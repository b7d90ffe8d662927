/* fem_pairs_friction_sim.h -- the data of friction between surfaces. */
#ifndef PIOLA_SOLVERS_FEM_PAIRS_FRICTION_SIM_H
#define PIOLA_SOLVERS_FEM_PAIRS_FRICTION_SIM_H

#include "kernels/backend/table.h"

/* fem_pairs_friction.c: friction between surfaces. Without it all is NULL and 0. */
typedef struct {
    int on;                        /* there may be some */
    double friction, velocity;     /* of the description */
    double *rub, *rub_bar;         /* [PAIR_RUB] mu and e; cotangents */
    real *press;                   /* [room][FEM_PAIR_NODES] how hard pairs press on their nodes, N; NULL with the next
                                    * two, pace_out, cotangents and load_bar: implicit steps */
    real *velocities, *pace;       /* [points][DIM], [points] see fem_pair_kick_args */
    uint64_t *slides;              /* [3] how fast pairs slide, over all states */
    real *velocity_out, *pace_out; /* [room][FEM_PAIR_NODES][DIM], [room][FEM_PAIR_NODES] to these cotangents */
    real *cotangents;              /* [room][FEM_PAIR_NODES][DIM] what pairs give to those of places */
    real *load_bar;                /* [points] cotangents of loads */
    real *rub_out;                 /* [room][PAIR_RUB] what pairs give to those of mu and e */
} fem_sim_pairs_friction;

#endif
