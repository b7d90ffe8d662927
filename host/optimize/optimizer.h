/* Room host/optimize: minimises a function of normalised variables within bounds and constraints; it knows no
 * scene. */
/* optimizer.h -- minimise J(z) over n normalised design variables within bounds: Adam, gradient descent, L-BFGS or MMA;
 * with MMA among those z for which c_j(z) <= 0, j = 0 .. m-1.
 *
 * The optimiser is deterministic: the same definition and the same J and gradients give the same bits. So a killed run
 * resumes by replay: hand back the evaluations that `on_evaluation` was told, and the run walks the same path without
 * computing them again. No wall-clock limit exists here; `iteration` or `evaluate` ask to stop.
 *
 * A trial point that cannot be computed (an evaluation that is PIOLA_NUMERICAL, or has a value that is not finite) is
 * rejected and the step shortened: the line searches of L-BFGS and gradient descent halve it, MMA makes its
 * approximation ten times stiffer, Adam halves it and lets the next one grow again. It counts as an evaluation, and is
 * on record as one, so that a resumed run rejects it too. The start has no step that could be shortened: where it
 * fails, the run has failed.
 *
 * "Converged" is one rule, whatever stops were asked for. An end is converged when the constraints are satisfied and
 * one of these is true: (1) a stop that was asked for was reached; (2) the projected gradient fell to sqrt(rounding) of
 * the start's; (3) no step was found that lowers J and, by the slopes along the steps that were tried, J could fall by
 * no more than rounding * |J|, with the larger of J there and at the start. By (2) too, J has about rounding left of
 * what it could fall by.
 *
 * An iteration is a step that was accepted: every step of Adam; for the others an evaluation that lowers J by at
 * least 1e-4 of what the slope promised (Nocedal and Wright 2006, eq. 3.4, the rule of NLopt's line search). Iteration
 * 0 is the start. With constraints an iteration is a point that satisfies them and lowers J so, or one that comes
 * nearer to satisfying them as long as none does. The optimiser sees J times a power of two that brings its first
 * gradient near 1, so that constants inside the methods (Adam's 1e-8, NLopt's gradient tolerance 1e-8, MMA's least
 * curvature 1e-5) do not depend on the unit of J; everything that crosses this interface is unscaled. */
#ifndef PIOLA_HOST_OPTIMIZER_H
#define PIOLA_HOST_OPTIMIZER_H

#include "piola.h"

typedef enum { PIO_ADAM, PIO_LBFGS, PIO_MMA, PIO_GRADIENT_DESCENT } pio_optimizer_type;

enum { PIO_MOST_REJECTED = 40 }; /* trial points in a row that cannot be computed end a run */

typedef struct pio_optimizer_definition {
    pio_optimizer_type type;
    int max_iterations;    /* >= 0; 0 evaluates the start and stops */
    double learning_rate;  /* Adam's step, and the first of gradient descent, in the problem's units of z, > 0 */
    double stop_objective; /* stop when J <= this; -INFINITY: never */
    double stop_relative_objective; /* stop when |dJ| <= this * |J| over one iteration; 0: never */
    double stop_gradient;           /* stop when max |projected gradient| <= this; 0: never */
    double feasibility; /* a design with max_j c_j <= this satisfies its constraints; > 0 where there are some */
    double rounding;    /* of J, relative, 0 ... 1; about 1e-12 for J computed in double precision, 1e-6 in single */
} pio_optimizer_definition;

/* One evaluation: the design, J, c and their gradients, all unscaled. Of one that failed all numbers but z are NaN, J
 * too; J is never NaN else. */
typedef struct pio_evaluation {
    const double *z;              /* [n] */
    double J;                     /* NaN: the evaluation failed */
    const double *gradient;       /* [n] dJ/dz */
    const double *c, *c_gradient; /* [m], [m][n] dc/dz; NULL without constraints */
} pio_evaluation;

typedef struct pio_iteration {
    int number;
    pio_evaluation at;
    /* max_i |z_i - clamp(z_i - g_i)|: Byrd, Lu, Nocedal, Zhu 1995, eq. 6.1; g = dJ/dz + lambda dc/dz with the
     * multipliers of the active constraints (c > -0.001) that make it least; not below lambda |c| of any */
    double projected_gradient;
    double violation;   /* max_j c_j, at least 0 */
    size_t evaluations; /* so far, replayed ones and rejected ones included */
    size_t rejected;    /* of them: trial points that could not be computed */
    bool replayed;      /* J and the gradient came from the record */
} pio_iteration;

typedef struct pio_optimizer_problem {
    size_t n;             /* >= 1 */
    size_t n_constraints; /* m; of MMA alone */
    const double *z0;     /* [n] start, within the bounds */
    const double *lower;  /* [n] may be -INFINITY */
    const double *upper;  /* [n] may be +INFINITY; equal to lower: a variable that stays */
    const double *unit;   /* [n] > 0: the change of z that Adam and gradient descent count as 1; NULL: 1 */
    void *context;        /* for the callbacks */

    /* J, c and all of their gradients at z, as in pio_evaluation. PIOLA_NUMERICAL, or a value that is not finite,
     * rejects a trial point; at the start it is the result. Any other status but PIOLA_OK stops the optimiser at once
     * and is its result. */
    piola_status (*evaluate)(void *context, const double *z, double *J, double *gradient, double *c, double *c_gradient,
                             piola_error *error);
    /* Told each iteration; PIOLA_INTERRUPTED asks to stop there, another status is a failure. May be NULL. */
    piola_status (*iteration)(void *context, const pio_iteration *at, piola_error *error);
    /* Told each evaluation that was computed, not replayed, before its result is used, and each one that failed after
     * the start, with why in `error`, which is an empty text for the others: `number` counts from 0 over all
     * evaluations. A status but PIOLA_OK stops. May be NULL. */
    piola_status (*on_evaluation)(void *context, size_t number, const pio_evaluation *at, piola_error *error);

    /* [n_replay] what on_evaluation was told in an earlier run, in order; z NULL: not known */
    const pio_evaluation *replay;
    size_t n_replay;
} pio_optimizer_problem;

typedef enum {
    PIO_STOP_OBJECTIVE,          /* stop_objective was reached */
    PIO_STOP_RELATIVE_OBJECTIVE, /* stop_relative_objective was reached */
    PIO_STOP_GRADIENT,           /* stop_gradient was reached */
    PIO_STOP_ITERATIONS,         /* max_iterations were done */
    PIO_STOP_NO_PROGRESS,        /* the method found no better point: a minimum, or a gradient that is wrong */
    PIO_STOP_REJECTED,           /* no trial point of the last step, or of PIO_MOST_REJECTED, could be computed */
    PIO_STOP_INTERRUPTED,        /* a callback asked to stop */
    PIO_STOP_FAILED              /* an evaluation or something else failed; see the status */
} pio_stop_reason;

typedef struct pio_optimizer_result {
    double *z;        /* [n] the best point seen, see pio_optimize; before any evaluation succeeded: the start */
    double *gradient; /* [n] at z; NaN before any evaluation succeeded */
    double J;         /* at z; NaN before any evaluation succeeded */
    double projected_gradient; /* at z */
    double *multipliers;       /* [m] at z: by how much J would fall if c <= 0 were c <= 1 */
    double violation;          /* at z: max_j c_j, at least 0 */
    int iterations;            /* accepted steps */
    size_t evaluations;        /* replayed and computed, rejected ones too */
    size_t replayed, rejected;
    pio_stop_reason reason;
    bool converged; /* by the rule above */
    char sentence[512];
} pio_optimizer_result;

/* Minimise. The best point is that of least J among those that satisfy the constraints; where none does, the nearest to
 * it, which is PIOLA_NO. `result` is filled whatever the outcome, and is the caller's to release with
 * pio_optimizer_result_free. PIOLA_OK: converged, or the definition has no stops and max_iterations, all that was asked
 * for, were done. PIOLA_NO: not converged (`max_iterations`, no progress, or trial points that failed).
 * PIOLA_INTERRUPTED: a callback asked for it. PIOLA_BAD_DATA: a start outside its bounds, bounds that cross, or a
 * record that is not of this run. PIOLA_USAGE: a definition out of range. Otherwise what a callback returned, or
 * NUMERICAL, NO_MEMORY, INTERNAL. */
piola_status pio_optimize(const pio_optimizer_problem *problem, const pio_optimizer_definition *definition,
                          pio_optimizer_result *result, piola_error *error);
void pio_optimizer_result_free(pio_optimizer_result *result);

/* "adam", "lbfgs", "mma", "gradient_descent"; "objective", "relative_objective", "gradient", "iterations",
 * "no_progress", ... */
const char *pio_optimizer_name(pio_optimizer_type type);
const char *pio_stop_name(pio_stop_reason reason);

#endif
