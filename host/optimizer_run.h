/* optimizer_run.h -- what optimizer.c and optimizer_nlopt.c share: one run of an optimiser. Not for others. */
#ifndef PIOLA_HOST_OPTIMIZER_RUN_H
#define PIOLA_HOST_OPTIMIZER_RUN_H

#include "host/optimizer.h"

typedef struct pio_point {
    double *z, *gradient;   /* [n] */
    double *c, *c_gradient; /* [m], [m][n] */
    double J, violation;
    bool replayed;
} pio_point;

typedef struct pio_run {
    const pio_optimizer_problem *problem;
    const pio_optimizer_definition *definition;
    pio_optimizer_result *result; /* holds the best point */
    piola_error *error;           /* never NULL */
    double *memory;
    pio_point trial;         /* the evaluation at hand */
    pio_point iterate;       /* the last accepted point */
    double *lambda, *normal; /* [m], [m][m + 1] workspace of multipliers */
    double scale;            /* a power of two: what the method sees is scale * J */
    bool stopped;            /* nothing more may be evaluated; `status` and result->reason are set */
    piola_status status;     /* valid when stopped */
} pio_run;

/* Each of these returns false when the run has stopped. */

/* Evaluate at z, by replay or by the callback, into run->trial; keep the best. */
bool pio_run_evaluate(pio_run *run, const double *z);
/* Make the trial the next iterate: tell the callback and test the stops. The relative stop is tested when
 * `settled`: a step that is merely short must not look like convergence. */
bool pio_run_accept(pio_run *run, bool settled);

/* Whether `next` is an iteration after `last`: `slope` is that of J at `last` along the way between them. */
bool pio_run_improves(const pio_run *run, const pio_point *last, const pio_point *next, double slope);

/* Stop. */
void pio_run_stop(pio_run *run, piola_status status, pio_stop_reason reason, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether the definition has a stop beside max_iterations. */
bool pio_run_has_stops(const pio_run *run);

/* The power of two that brings the largest |gradient| into [1/2, 1); 1 for a zero gradient. */
double pio_run_scale(const double *gradient, size_t n);

/* optimizer_constraint.c: max_j c_j, at least 0; the projected gradient with the multipliers lambda, which are set. */
double pio_run_violation(const pio_optimizer_problem *p, const double *c);
double pio_run_projected_gradient(const pio_optimizer_problem *p, const pio_point *at, double *lambda, double *matrix);

/* The L-BFGS and MMA of NLopt. The start was evaluated and accepted. Returns with run->stopped set. */
void pio_run_nlopt(pio_run *run);

#endif
