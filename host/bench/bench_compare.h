/* bench_compare.h -- a benchmark beside an earlier one, by what both print as JSON. */
#ifndef PIOLA_HOST_BENCH_COMPARE_H
#define PIOLA_HOST_BENCH_COMPARE_H

#include "piola_status.h"

enum { PIO_FIGURE_PATH = 200, PIO_FIGURE_TEXT = 128 };

/* A number or a word of a report. Its path has the keys that lead to it; a list's entry that is an object has the value
 * of its first member: "threads[2].ns_per_particle_step.forward.best", "kernels[mpm_p2g].forward_ns". */
typedef struct {
    char path[PIO_FIGURE_PATH]; /* keys that lead to it */
    char text[PIO_FIGURE_TEXT]; /* as it was written, cut to the array, a string without its quotes */
    bool number;                /* it is a number, `value` */
    double value;               /* unit as in docs/reference/reports.md */
} pio_figure;

typedef struct {
    pio_figure *list; /* [n] in the order of the text */
    size_t n, space;  /* number; room of the list */
} pio_figures;

/* Reads the JSON text of a report, which ends with a NUL. Returns PIOLA_USAGE, with `name` in its message, if it is no
 * JSON, or PIOLA_NO_MEMORY; *out is then empty. */
piola_status pio_figures_read(pio_figures *out, const char *text, const char *name, piola_error *error);
/* Reads a file with what `piola bench` printed for `command`, such as "bench mpm". Returns PIOLA_NO_INPUT if it cannot
 * be read, PIOLA_USAGE if it is no such report, or PIOLA_NO_MEMORY; *out is then empty. */
piola_status pio_figures_load(pio_figures *out, const char *path, const char *command, piola_error *error);
/* Frees figures. */
void pio_figures_free(pio_figures *figures);

/* Prints each figure of both reports, the old and the new, and their ratio; `path` names the old one. Returns
 * PIOLA_USAGE if their cases, precisions or dimensions differ, naming the first difference. */
piola_status pio_figures_compare(const pio_figures *old, const pio_figures *new, const char *path, piola_error *error);

#endif
