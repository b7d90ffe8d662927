/* axes.h -- the names of the axes, in files and messages. */
#ifndef PIOLA_HOST_AXES_H
#define PIOLA_HOST_AXES_H

extern const char *const pio_axis_names[]; /* x, y, z, and NULL at the end */

#endif
