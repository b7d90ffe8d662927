/* plot.h -- curves as inline SVG: axes with ticks, units and a legend. */
#ifndef PIOLA_HOST_REPORT_PLOT_H
#define PIOLA_HOST_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PIO_PLOT_COLOURS = 8 }; /* series beyond them have the colours again, dashed */

/* One curve. Values that are not finite, or not above 0 on a logarithmic axis, are gaps. */
typedef struct {
    const char *name;    /* in the legend; NULL: none */
    const double *x, *y; /* [n] */
    size_t n;
    bool marks; /* dots instead of a line */
} pio_series;

/* One axis. */
typedef struct {
    const char *name, *unit; /* NULL or "": none */
    bool log;                /* logarithmic; ignored where no value is above 0 */
    bool whole;              /* of whole numbers, such as iterations */
    bool zero;               /* 0 is shown */
} pio_plot_axis;

typedef struct {
    const char *title; /* the caption, and what a screen reader says */
    pio_plot_axis x, y;
    const pio_series *series; /* [n_series] */
    size_t n_series;
} pio_plot;

/* Writes a figure with its caption. Where nothing can be drawn it says so instead. */
void pio_plot_write(FILE *to, const pio_plot *plot);
/* Returns whether a logarithmic axis suits the values [n]: all that are finite are above 0, and they span a factor of
 * at least 50. */
bool pio_plot_suits_log(const double *v, size_t n);

/* ---- ticks, which other figures use too ------------------------------------------------------------------- */

/* A linear or logarithmic map of an interval to 0 ... 1. */
typedef struct {
    double lo, hi; /* ends, lo < hi */
    bool log;
    double step;  /* between ticks; of a logarithmic one, decades */
    bool between; /* of a logarithmic one: ticks are at 2 and 5 times the powers of ten too */
    int exponent; /* labels are divided by 10 to this power */
    int decimals; /* of a label */
} pio_scale;

/* Makes the scale of values from lo to hi, with about `ticks` ticks; ends are where ticks would be if `round`. */
pio_scale pio_scale_make(double lo, double hi, bool log, int ticks, bool round);
/* Returns where a value lies, 0 at lo and 1 at hi; NaN if it has no place. */
double pio_scale_at(const pio_scale *s, double value);
/* Returns the tick of number k, from 0; NaN after the last. */
double pio_scale_tick(const pio_scale *s, int k);
/* Writes the label of a tick. */
void pio_scale_label(FILE *to, const pio_scale *s, double tick);

#endif
