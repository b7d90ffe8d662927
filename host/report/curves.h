/* curves.h -- curves of a folder of results, chosen by name, as one plot. */
#ifndef PIOLA_HOST_REPORT_CURVES_H
#define PIOLA_HOST_REPORT_CURVES_H

#include "host/report/report_parts.h"

/* What is requested; only one of the three lists may have entries. */
typedef struct {
    const char *const *curves;    /* [n_curves] observations over time: "tip", or one component, "tip.y" */
    const char *const *history;   /* [n_history] over iterations: "objective", a term, constraint, measure or design */
    const char *const *responses; /* [n_responses] results of the members of a sweep: "objective", a term, ... */
    const char *over;             /* the axis of a sweep; NULL: the first of numbers */
    const char *scale;            /* of the upright axis: "linear" or "log"; NULL: as it suits */
    size_t n_curves, n_history, n_responses;
} pio_curves_wanted;

/* Makes the plot, whose parts are in the pool and in the report. Data that an observation is compared with are dots
 * with error bars of one standard deviation. Returns PIOLA_USAGE for a name that is not there, listing those that are,
 * and for curves of different units; PIOLA_NO_MEMORY, and the errors of pio_members_read() and of reading a snapshot.
 */
piola_status pio_curves_make(const pio_report *report, const pio_curves_wanted *wanted, pio_pool *pool, pio_plot *out,
                             piola_error *error);

#endif
