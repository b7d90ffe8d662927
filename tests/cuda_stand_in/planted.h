/* planted.h -- launches of the kernels of planted.cu. */
#ifndef PIOLA_TESTS_PLANTED_H
#define PIOLA_TESTS_PLANTED_H

#include "tests/cuda_stand_in/cuda_runtime_api.h"

enum { WARP_LANES = 32, PLANTED_LANES = 64, PLANTED_BLOCKS = 5 };
enum { PLANTED_RIGHT, PLANTED_TWO_PLACES, PLANTED_TWO_KINDS, PLANTED_ONE_LEAVES, PLANTED_HALF_OF_BLOCK };

typedef struct {
    unsigned blocks, rows, lanes, deep;
    size_t shared; /* bytes */
} planted_grid;

/* out[PLANTED_BLOCKS][PLANTED_LANES] = 100 - PLANTED_LANES + 1 + the mirror of the lane, through shared memory; without
 * its barrier, lanes read what others have not written. */
void planted_mirrored(cudaStream_t stream, int barrier, double *out);
/* Barriers that not all lanes reach, as `way` says. */
void planted_divergent(cudaStream_t stream, int way);
/* Sets *out to the number of the block that ran last: blocks race. */
void planted_last_block(cudaStream_t stream, int *out);
/* out[at] = *value in one lane. */
void planted_store(cudaStream_t stream, double *out, const double *value, int at);
/* A kernel of nothing with any grid. */
void planted_shape(cudaStream_t stream, planted_grid grid);

#endif
