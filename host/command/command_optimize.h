/* command_optimize.h -- piola optimize for a scene and one start. */
#ifndef PIOLA_HOST_COMMAND_OPTIMIZE_H
#define PIOLA_HOST_COMMAND_OPTIMIZE_H

#include "piola.h"

/* Improves the design of a scene from its start, whatever optimizer.multi_start says. Returns the errors of
 * piola_optimize(). */
piola_status pio_command_optimize(const piola_options *options, piola_error *error);

#endif
