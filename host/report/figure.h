/* figure.h -- curves as a file: PNG, SVG or PDF. */
#ifndef PIOLA_HOST_REPORT_FIGURE_H
#define PIOLA_HOST_REPORT_FIGURE_H

#include "host/report/plot.h"
#include "piola_status.h"

/* Draws a plot of at least 320 x 180 into the file `path`, whose end says its format. Its legend stands above the
 * axes, where any curve has a name; `heading` is drawn above it, or NULL. Returns PIOLA_BAD_DATA if no value can be
 * shown, and the errors of pio_paper_begin() and pio_paper_end(). */
piola_status pio_figure_write(const pio_plot *plot, const char *path, int width, int height, const char *heading,
                              piola_error *error);

#endif
