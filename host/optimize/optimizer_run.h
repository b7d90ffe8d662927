/* optimizer_run.h -- the state of one run of an optimiser, which the files of host/optimize share; other files do not
 * include it. */
#ifndef PIOLA_HOST_OPTIMIZER_RUN_H
#define PIOLA_HOST_OPTIMIZER_RUN_H

#include "host/optimize/optimizer.h"

/* A step of a line search counts as settled if the slope has decreased to this fraction, Nocedal and Wright 2006, eq.
 * 3.6b. */
#define PIO_SETTLED_SLOPE 0.9

enum { PIO_NO_GAIN = 5 }; /* evaluations without a gain, after which L-BFGS may end */

typedef struct pio_point {
    double *z, *gradient;   /* [n] design, dJ/dz */
    double *c, *c_gradient; /* [m] constraints or residuals, [m][n] dc/dz */
    double J, violation;    /* J; max_j c_j, at least 0 */
    bool replayed;          /* it came from the record */
    bool failed;            /* it could not be computed; all numbers except z are NaN */
} pio_point;

typedef struct pio_run {
    const pio_optimizer_problem *problem;       /* what is minimised */
    const pio_optimizer_definition *definition; /* method and stops */
    pio_optimizer_result *result;               /* result, with the best point so far */
    piola_error *error;                         /* error of the run, never NULL */
    double *memory;             /* one block for the arrays of `trial`, `iterate`, `lambda` and `normal` */
    pio_point trial;            /* the present evaluation */
    pio_point iterate;          /* the last accepted point */
    double *lambda, *normal;    /* [m], [m][m + 1] working memory of multipliers */
    double scale;               /* power of two; the method receives scale * J */
    double first_J, first_norm; /* J and the norm of the projected gradient at the start */
    /* How much J could decrease, by the slopes along the steps tried since the last accepted one; NaN: none was tried.
     */
    double expected_decrease;
    double bracket;           /* length of the shortest of these along which J has a minimum; HUGE_VAL: none has */
    double gain_J;            /* J at the last gain; NaN before the first */
    size_t gain_evaluations;  /* evaluations up to it */
    bool flat;                /* an evaluation since then has the best J, but for a change that is no gain */
    size_t in_a_row;          /* failed evaluations since the last that succeeded */
    size_t first_in_a_row;    /* the number of the first of them */
    size_t failed_since_step; /* failed evaluations since the last accepted step */
    size_t failed_since_gain; /* failed evaluations since the last gain */
    size_t stage_first;       /* number of the first evaluation of this stage */
    bool stage_over;          /* another stage follows; `stopped` is set, too, and nothing else */
    bool stopped;             /* nothing more may be evaluated; `status` and result->reason are set */
    piola_status status;      /* valid when stopped */
} pio_run;

/* Evaluates at z, by replay or by the callback, into run->trial, and keeps the best point. Returns false if the run has
 * stopped. If run->trial.failed is set, z must be rejected. */
bool pio_run_evaluate(pio_run *run, const double *z);
/* Makes the trial the next iterate: calls `iteration` and tests the stops. The relative stop is tested only if
 * `settled` and no trial point was rejected since the last iterate, so that a step that is merely short does not count
 * as convergence. Returns false if the run has stopped. */
bool pio_run_accept(pio_run *run, bool settled);

/* Returns whether `next` counts as an iteration after `last`; `slope` is that of J at `last` along the line between
 * them. */
bool pio_run_improves(const pio_run *run, const pio_point *last, const pio_point *next, double slope);

/* Computes the slopes of J at the iterate and at the trial, along the line between them. */
void pio_run_slopes(const pio_run *run, double *at_iterate, double *at_trial);

/* Returns the power of two that brings the largest |gradient| (times unit, if that is not NULL) into [1/2, 1); 1 for a
 * zero gradient. */
double pio_run_scale(const double *gradient, const double *unit, size_t n);

/* Returns the length of `c` of an evaluation: the number of constraints, or of residuals (optimizer_constraint.c). */
size_t pio_run_rows(const pio_optimizer_problem *p);
/* Returns max_j c_j, at least 0 (optimizer_constraint.c). */
double pio_run_violation(const pio_optimizer_problem *p, const double *c);
/* Returns the norm of the projected gradient, as in pio_iteration, and sets the multipliers lambda [m]; `matrix` [m][m
 * + 1] is working memory. */
double pio_run_projected_gradient(const pio_optimizer_problem *p, const pio_point *at, double *lambda, double *matrix);

/* ---- the end (optimizer_end.c) -------------------------------------------------------------------------- */

/* Returns whether no other stage follows this one. */
bool pio_run_is_last_stage(const pio_run *run);
/* Returns whether this stage has another behind it, and no evaluation left. */
bool pio_run_has_used_stage(const pio_run *run);
/* Ends a stage that has another behind it. */
void pio_run_end_stage(pio_run *run);
/* Counts the last evaluation, one that was computed, as a gain or not; small decreases add up to a gain. */
void pio_run_note_gain(pio_run *run);
/* Ends a run that none of the stops ended; `why` is the reason as words. */
void pio_run_end(pio_run *run, pio_stop_reason reason, const char *why);
/* Ends a run whose last trial points could not be computed. */
void pio_run_end_rejected(pio_run *run);
/* Returns whether L-BFGS has nothing left to gain: the last PIO_NO_GAIN evaluations lowered J by no more than 1e-8 of
 * it, by their values or slopes there is no more to gain nearby, and the best point is a minimum by the rule of
 * optimizer.h. The number alone would end a line search that began with too long a step. Never if a gradient is
 * requested as a stop. */
bool pio_run_gains_no_more(const pio_run *run);
/* Stops because of that; the run has converged. */
void pio_run_no_gain(pio_run *run);
/* Stops because the linear model of the residuals predicts that no step lowers J by more than `decrease`. That is no
 * statement of the steps tried, and so those that failed do not count against it. */
void pio_run_no_decrease(pio_run *run, double decrease);
/* Stops because the method found no better point; the run is converged or not by the rule of optimizer.h, and rejected
 * if it is not and steps may have been short only because longer ones could not be computed. */
void pio_run_no_progress(pio_run *run);

/* Stops the run with a status, a reason and a sentence. */
void pio_run_stop(pio_run *run, piola_status status, pio_stop_reason reason, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- methods: the start was evaluated and accepted before; they return with run->stopped set ---------------- */

/* Runs Adam. */
void pio_run_adam(pio_run *run);
/* Runs gradient descent with a line search. */
void pio_run_descent(pio_run *run);
/* Runs L-BFGS or MMA of NLopt. */
void pio_run_nlopt(pio_run *run);
/* Runs Levenberg and Marquardt's method (optimizer_squares.c). */
void pio_run_squares(pio_run *run);

#endif
