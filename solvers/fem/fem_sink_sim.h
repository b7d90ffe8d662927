/* fem_sink_sim.h -- the data of the search for obstacles in faces. */
#ifndef PIOLA_SOLVERS_FEM_SINK_SIM_H
#define PIOLA_SOLVERS_FEM_SINK_SIM_H

#include "kernels/backend/table.h"

/* fem_sink.c: flat pieces of the faces, in which obstacles may be between nodes. Without obstacles but planes all is
 * NULL and 0. */
typedef struct {
    int pieces;            /* how many there are */
    int *corners;          /* host [pieces][DIM] points, until the simulation is created */
    double (*inside)[DIM]; /* host [obstacles] a place deep inside each, in its frame, m */
    int *narrow, narrows;  /* host [obstacles] 1: it fits between the points of a piece; whether any does */
    int *corner;           /* [pieces][DIM] points */
    int64_t *state_of;     /* [pieces] see fem_contact_sink_args, as the next two */
    real *depth;           /* [pieces] m */
    int *obstacle;         /* [pieces] */
    uint64_t *first;       /* [1] the first state in which an obstacle was in a face, or UINT64_MAX */
} fem_sim_sink;

#endif
