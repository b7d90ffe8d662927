/* axis.h -- reads the text of an axis. */
#ifndef PIOLA_HOST_SWEEP_AXIS_H
#define PIOLA_HOST_SWEEP_AXIS_H

#include "host/sweep/members.h"

/* Reads `text`, which remains the caller's, into *axis, whose memory is the pool's; with `sampled` a range has no
 * count. Returns PIOLA_USAGE, with what is wrong and what would be right, or PIOLA_NO_MEMORY. */
piola_status pio_axis_parse(pio_axis *axis, const char *text, bool sampled, pio_pool *pool, piola_error *error);
/* Makes the axis of a part of a box. Returns PIOLA_NO_MEMORY. */
piola_status pio_axis_of_box(pio_axis *axis, const pio_box *box, int part, pio_pool *pool, piola_error *error);

#endif
