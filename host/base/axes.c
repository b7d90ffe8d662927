/* axes.c -- see axes.h. */
#include "host/base/axes.h"

#include <stddef.h>

const char *const pio_axis_names[] = {"x", "y", "z", NULL};
