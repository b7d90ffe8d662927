/* control_weights.h -- weights of a network from a file of HDF5. */
#ifndef PIOLA_HOST_CONTROL_WEIGHTS_H
#define PIOLA_HOST_CONTROL_WEIGHTS_H

#include "piola.h"

#include <stddef.h>

/* The `count` finite numbers of `dataset` into `weights`. PIOLA_BAD_DATA where the file is no HDF5, or the dataset is
 * not there, holds no numbers, or another count of them; PIOLA_NO_INPUT where it cannot be opened. */
piola_status pio_control_weights(const char *path, const char *dataset, double *weights, size_t count,
                                 piola_error *error);

#endif
