/* render_style.c -- the colours of a picture. */
#include "host/render/render_parts.h"

const pio_rgb pio_ink = {33, 37, 43}, pio_pale = {104, 111, 122}, pio_line_colour = {74, 81, 92},
              pio_paper = {252, 252, 253};
