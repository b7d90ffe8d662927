/* plot.h -- curves: axes with ticks, units and a legend; as inline SVG of a page, and as a file (figure.h). */
#ifndef PIOLA_HOST_REPORT_PLOT_H
#define PIOLA_HOST_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    PIO_PLOT_COLOURS = 8,   /* series beyond them have the colours again, dashed */
    PIO_PLOT_POINTS = 1200, /* points of a line at most */
    PIO_SCALE_TEXT = 64     /* bytes of the label of a tick */
};

/* One curve. Values that are not finite, or not above 0 on a logarithmic axis, are gaps. */
typedef struct {
    const char *name;    /* in the legend; NULL: none */
    const double *x, *y; /* [n] */
    const double *error; /* [n] half the lengths of error bars; NULL: none */
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
/* Writes the label of a tick to out[PIO_SCALE_TEXT]. */
void pio_scale_text(const pio_scale *s, double tick, char out[PIO_SCALE_TEXT]);
/* Writes the label of a tick. */
void pio_scale_label(FILE *to, const pio_scale *s, double tick);

/* ---- what all figures share ------------------------------------------------------------------------------- */

/* Where a plot lies in its figure, from the upper left corner, and what its axes show. */
typedef struct {
    double left, right, top, bottom;
    pio_scale x, y;
} pio_plot_frame;

/* Sets the scales of the axes. Returns false if there is no value that can be shown. */
bool pio_plot_scales(const pio_plot *plot, pio_plot_frame *frame);
/* Returns where a value of x, or of y, lies in the figure; NaN if it has no place. */
double pio_plot_across(const pio_plot_frame *frame, double x);
double pio_plot_down(const pio_plot_frame *frame, double y); /* likewise, of y */
/* Sets where point i of a curve lies. Returns false, with NaN, if it has no place. */
bool pio_plot_point(const pio_plot_frame *frame, const pio_series *series, size_t i, double out[2]);
/* Sets the points of a line, with NaN where it has a gap, and returns their number; of very many, the least and the
 * greatest of each of some hundred groups. */
size_t pio_plot_line(const pio_plot_frame *frame, const pio_series *series, double out[PIO_PLOT_POINTS][2]);
/* Returns whether error bar i of a curve that has some is drawn, and where: across, and its upper and lower end. One
 * that reaches below a logarithmic axis ends there. */
bool pio_plot_bar(const pio_plot_frame *frame, const pio_series *series, size_t i, double *x, double *from,
                  double *end);

#endif
