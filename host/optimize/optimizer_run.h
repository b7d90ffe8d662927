/* optimizer_run.h -- what the files optimizer*.c share: one run of an optimiser. Not for others. */
#ifndef PIOLA_HOST_OPTIMIZER_RUN_H
#define PIOLA_HOST_OPTIMIZER_RUN_H

#include "host/optimize/optimizer.h"

/* The slope must shrink to this share before a step of a line search counts as settled, Nocedal and Wright 2006, eq.
 * 3.6b. */
#define PIO_SETTLED_SLOPE 0.9

typedef struct pio_point {
    double *z, *gradient;   /* [n] */
    double *c, *c_gradient; /* [m], [m][n] */
    double J, violation;
    bool replayed;
    bool failed; /* it could not be computed: all numbers but z are NaN */
} pio_point;

typedef struct pio_run {
    const pio_optimizer_problem *problem;
    const pio_optimizer_definition *definition;
    pio_optimizer_result *result; /* holds the best point */
    piola_error *error;           /* never NULL */
    double *memory;
    pio_point trial;            /* the evaluation at hand */
    pio_point iterate;          /* the last accepted point */
    double *lambda, *normal;    /* [m], [m][m + 1] workspace of multipliers */
    double scale;               /* a power of two: what the method sees is scale * J */
    double first_J, first_norm; /* at the start: J and the projected gradient */
    /* by how much J could fall, by the slopes along what was tried since the last step; NaN: nothing was */
    double promise;
    double bracket;           /* length of the shortest of these along which J has a minimum; HUGE_VAL: none has */
    size_t in_a_row;          /* evaluations that failed since the last that did not */
    size_t first_in_a_row;    /* the number of the first of them */
    size_t failed_since_step; /* and since the last accepted step */
    bool stopped;             /* nothing more may be evaluated; `status` and result->reason are set */
    piola_status status;      /* valid when stopped */
} pio_run;

/* Each of these returns false when the run has stopped. */

/* Evaluate at z, by replay or by the callback, into run->trial; keep the best. True with run->trial.failed: z is to be
 * rejected. */
bool pio_run_evaluate(pio_run *run, const double *z);
/* Make the trial the next iterate: tell the callback and test the stops. The relative stop is tested when
 * `settled` and no trial point was rejected on the way: a step that is merely short must not look like convergence. */
bool pio_run_accept(pio_run *run, bool settled);

/* Whether `next` is an iteration after `last`: `slope` is that of J at `last` along the way between them. */
bool pio_run_improves(const pio_run *run, const pio_point *last, const pio_point *next, double slope);

/* The slopes of J at the iterate, and at the trial, along the line between them. */
void pio_run_slopes(const pio_run *run, double *at_iterate, double *at_trial);

/* Stop where the method found no better point: converged or not by the rule of optimizer.h. */
void pio_run_no_progress(pio_run *run);

/* Stop. */
void pio_run_stop(pio_run *run, piola_status status, pio_stop_reason reason, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The power of two that brings the largest |gradient| (times unit, where that is not NULL) into [1/2, 1); 1 for a zero
 * gradient. */
double pio_run_scale(const double *gradient, const double *unit, size_t n);

/* optimizer_constraint.c: max_j c_j, at least 0; the projected gradient with the multipliers lambda, which are set. */
double pio_run_violation(const pio_optimizer_problem *p, const double *c);
double pio_run_projected_gradient(const pio_optimizer_problem *p, const pio_point *at, double *lambda, double *matrix);

/* The methods: the start was evaluated and accepted; they return with run->stopped set. */
void pio_run_adam(pio_run *run);
void pio_run_descent(pio_run *run);
void pio_run_nlopt(pio_run *run); /* L-BFGS and MMA */

#endif
