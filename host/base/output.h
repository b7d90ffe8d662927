/* output.h -- standard output of the commands that print. */
#ifndef PIOLA_HOST_OUTPUT_H
#define PIOLA_HOST_OUTPUT_H

#include "piola.h"

/* Everything printed is out: PIOLA_IO when some of it is lost. */
piola_status pio_output_flush(piola_error *error);

#endif
