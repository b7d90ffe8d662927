/* control_weights.h -- weights of a network from an HDF5 file. */
#ifndef PIOLA_HOST_CONTROL_WEIGHTS_H
#define PIOLA_HOST_CONTROL_WEIGHTS_H

#include "piola_status.h"

#include <stddef.h>

/* Reads the `count` finite numbers of `dataset`, of any shape, into weights[count], in row-major order. Returns
 * PIOLA_BAD_DATA if the file is no HDF5 file, or the dataset is not there, holds no numbers, or another count of them,
 * and PIOLA_NO_INPUT if the file cannot be opened. */
piola_status pio_control_weights(const char *path, const char *dataset, double *weights, size_t count,
                                 piola_error *error);

#endif
