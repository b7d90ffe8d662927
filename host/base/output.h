/* output.h -- the standard output of commands that print. */
#ifndef PIOLA_HOST_OUTPUT_H
#define PIOLA_HOST_OUTPUT_H

#include "piola_status.h"

/* Flushes standard output. Returns PIOLA_IO if any of the output was lost, now or before. */
piola_status pio_output_flush(piola_error *error);

#endif
