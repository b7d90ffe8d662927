/* Room host/optimize: minimises a function of normalised variables within bounds and constraints; it knows no scene. */
/* optimizer.h -- minimises J(z) over n normalised design variables within bounds by Adam, gradient descent, L-BFGS, MMA
 * or Levenberg and Marquardt's method; with MMA also subject to constraints c_j(z) <= 0, j = 0 .. m-1. Levenberg and
 * Marquardt's is for a sum of squares, J = |r|^2/2, and receives its residuals r_j(z) with their derivatives.
 *
 * The optimiser is deterministic: the same definition and the same J and gradients give the same bits. So a killed run
 * resumes by replay: given the evaluations that `on_evaluation` received, the run follows the same path without
 * computing them again. There is no limit of wall time here; `iteration` or `evaluate` request a stop.
 *
 * A trial point that cannot be computed (an evaluation that is PIOLA_NUMERICAL, or has a value that is not finite) is
 * rejected and the step shortened: the line searches of L-BFGS and gradient descent halve it, MMA makes its
 * approximation ten times stiffer, Adam halves it and lets the next one grow again, Levenberg and Marquardt's raises
 * the damping until the step is half as long. It counts as an evaluation, and is
 * recorded as one, so that a resumed run rejects it too. The start has no step that could be shortened: if it fails,
 * the run has failed.
 *
 * "Converged" is one rule, whatever stops were requested. A run has converged if the constraints are satisfied and one
 * of these is true: (1) a stop that was requested was reached; (2) the projected gradient decreased to sqrt(rounding)
 * of the start's; (3) no step was found that lowers J and, by the slopes along the steps that were tried, J could
 * decrease by no more than rounding * |J|, with the larger of J there and at the start. Where trial points failed since
 * J last fell by a gain, 1e-8 of it, steps may be short because of them: then (3) does not count, and the run ends as
 * rejected. J is compared whatever the violation: where it rises as constraints are satisfied it never falls by a gain,
 * and one early failure may name the end so, which changes neither its status nor whether it has converged. By (2) too,
 * J can decrease further by about the fraction `rounding` of its total decrease. L-BFGS takes for (3) that five
 * evaluations in a row lowered J by no more than 1e-8 of it and nothing more is to be gained nearby, unless
 * stop_gradient was requested. Levenberg and Marquardt's ends so, too, and by (3) where the decrease that the linear
 * model of the residuals predicts for its longest step is that small.
 *
 * The problem may come in stages, each with a J of its own, of which only the last one counts: a continuation, where J
 * becomes harder step by step. A stage ends after its evaluations, or where the run would otherwise have ended with a
 * stop or without progress. The next one begins at the last iterate, which is evaluated again, as an iteration and for
 * all stops as a start; the method begins anew, and so does the search for the best point. A run that ends before its
 * last stage has not converged.
 *
 * An iteration is a step that was accepted: every step of Adam; for the others an evaluation that lowers J by at least
 * 1e-4 of what the slope predicts (Nocedal and Wright 2006, eq. 3.4, the rule of NLopt's line search). Iteration 0 is
 * the start. With constraints an iteration is a point that satisfies them and lowers J so, or, as long as none does,
 * one with a smaller violation. The optimiser uses J times a power of two that brings its first gradient near 1, so
 * that constants inside the methods (Adam's 1e-8, NLopt's gradient tolerance 1e-8, MMA's least curvature 1e-5) do not
 * depend on the unit of J; everything that crosses this interface is unscaled. */
#ifndef PIOLA_HOST_OPTIMIZER_H
#define PIOLA_HOST_OPTIMIZER_H

#include "piola_status.h"

typedef enum { PIO_ADAM, PIO_LBFGS, PIO_MMA, PIO_GRADIENT_DESCENT, PIO_LEVENBERG_MARQUARDT } pio_optimizer_type;
/* Levenberg and Marquardt's method: how the derivatives of its residuals are computed. */
typedef enum { PIO_JACOBIAN_AUTO, PIO_JACOBIAN_ROWS, PIO_JACOBIAN_COLUMNS } pio_jacobian;

enum { PIO_MOST_SQUARES_VARIABLES = 1000 }; /* variables that Levenberg and Marquardt's method takes at most */
enum { PIO_MOST_REJECTED = 40 }; /* consecutive trial points that cannot be computed, after which a run ends */

typedef struct pio_optimizer_definition {
    pio_optimizer_type type; /* the method */
    int max_iterations;      /* >= 0; 0 evaluates the start and stops */
    double learning_rate;    /* step of Adam, and first step of gradient descent, in the problem's units of z, > 0 */
    double stop_objective;   /* stop when J <= this; -INFINITY: never */
    double stop_relative_objective; /* stop when |dJ| <= this * |J| over one iteration; 0: never */
    double stop_gradient;           /* stop when max |projected gradient| <= this; 0: never */
    int stage_evaluations; /* evaluations of each stage but the last, at most; >= 1 where there are several stages */
    double feasibility;    /* a design with max_j c_j <= this satisfies its constraints; > 0 if there are some */
    /* Relative rounding of J, 0 to 1; about 1e-12 for J computed in double precision, 1e-6 in single. */
    double rounding;
} pio_optimizer_definition;

/* One evaluation: the design, J, c and their gradients, all unscaled. If it failed, all numbers except z are NaN;
 * otherwise J is not NaN. */
typedef struct pio_evaluation {
    const double *z;              /* [n] the design */
    double J;                     /* NaN: the evaluation failed */
    const double *gradient;       /* [n] dJ/dz */
    const double *c, *c_gradient; /* [m] constraints, [m][n] dc/dz, or residuals and dr/dz; NULL without either */
} pio_evaluation;

typedef struct pio_iteration {
    int number; /* number of the iteration; 0 is the start */
    pio_evaluation at;
    /* Norm of the projected gradient, max_i |z_i - clamp(z_i - g_i)|: Byrd, Lu, Nocedal, Zhu 1995, eq. 6.1; g = dJ/dz +
     * lambda dc/dz with the multipliers of the active constraints (c > -0.001) that minimise it; not below lambda |c|
     * of any constraint. */
    double projected_gradient;
    double violation;   /* max_j c_j, at least 0 */
    size_t evaluations; /* evaluations so far, including replayed and rejected ones */
    size_t rejected;    /* of those, trial points that could not be computed */
    bool replayed;      /* J and the gradient came from the record */
} pio_iteration;

typedef struct pio_optimizer_problem {
    size_t n;             /* >= 1 */
    size_t n_constraints; /* m; 0 except for MMA */
    size_t n_residuals;   /* m of Levenberg and Marquardt's method, which needs them; 0 for the others */
    const double *z0;     /* [n] start, which lies within the bounds */
    const double *lower;  /* [n] may be -INFINITY */
    const double *upper;  /* [n] may be +INFINITY; a variable whose bounds are equal is constant */
    const double *unit;   /* [n] > 0, the change of z that Adam and gradient descent count as 1; NULL: 1 */
    void *context;        /* first argument of the callbacks */

    /* Computes J, c and all their gradients at z, as in pio_evaluation; c are the residuals where the problem has some,
     * with J = |c|^2/2. PIOLA_NUMERICAL, or a value that is not finite,
     * rejects a trial point; at the start it is the result of the run. Any other status except PIOLA_OK stops the
     * optimiser at once and is its result. */
    piola_status (*evaluate)(void *context, const double *z, double *J, double *gradient, double *c, double *c_gradient,
                             piola_error *error);
    /* Called after each iteration; PIOLA_INTERRUPTED requests a stop there, any other status except PIOLA_OK is a
     * failure. May be NULL. */
    piola_status (*iteration)(void *context, const pio_iteration *at, piola_error *error);
    /* Called after each evaluation that was computed, not replayed, before its result is used, and after each one that
     * failed after the start, with the reason in `error`, whose message is empty otherwise; `number` counts from 0 over
     * all evaluations. Any status except PIOLA_OK stops the run. May be NULL. */
    piola_status (*on_evaluation)(void *context, size_t number, const pio_evaluation *at, piola_error *error);

    int stages; /* number of stages, of which evaluate() begins with number 0; 0 counts as 1 */
    /* Called before the first evaluation of each stage but number 0, in replay too. May be NULL with one stage. */
    void (*begin_stage)(void *context, int stage);

    /* [n_replay] evaluations that on_evaluation received in an earlier run, in order; z NULL: not known */
    const pio_evaluation *replay;
    size_t n_replay; /* number of evaluations to replay */
} pio_optimizer_problem;

typedef enum {
    PIO_STOP_OBJECTIVE,          /* stop_objective was reached */
    PIO_STOP_RELATIVE_OBJECTIVE, /* stop_relative_objective was reached */
    PIO_STOP_GRADIENT,           /* stop_gradient was reached */
    PIO_STOP_ITERATIONS,         /* max_iterations were done */
    PIO_STOP_NO_PROGRESS,        /* the method found no better point: a minimum, or a wrong gradient */
    /* no trial point of the last step, or of PIO_MOST_REJECTED, could be computed, or those of them that could were too
     * near to say anything */
    PIO_STOP_REJECTED,
    PIO_STOP_INTERRUPTED, /* a callback requested a stop */
    PIO_STOP_FAILED       /* an evaluation or something else failed; the status says what */
} pio_stop_reason;

typedef struct pio_optimizer_result {
    double *z;        /* [n] the best point found, see pio_optimize(); before any evaluation succeeded, the start */
    double *gradient; /* [n] dJ/dz at z; NaN before any evaluation succeeded */
    double J;         /* J at z; NaN before any evaluation succeeded */
    double projected_gradient; /* norm of the projected gradient at z, as in pio_iteration */
    double *multipliers;       /* [m] multipliers at z: how much J would decrease if c <= 0 were c <= 1 */
    double violation;          /* max_j c_j at z, at least 0 */
    int iterations;            /* number of accepted steps */
    int stage;                 /* number of the stage that z, J and the others are of */
    size_t evaluations;        /* number of evaluations: replayed and computed, including rejected ones */
    size_t replayed, rejected; /* of those, replayed and rejected ones */
    size_t accepted;           /* evaluations until the last accepted step, which they include; 1: there was none */
    pio_stop_reason reason;
    bool converged;     /* whether the run converged, by the rule above */
    char sentence[512]; /* the outcome in words */
} pio_optimizer_result;

/* Minimises J. The best point is the one with the least J among those that satisfy the constraints; if none does, the
 * one with the least violation, and the status is PIOLA_NO. `result` is filled in any case, and the caller frees it
 * with pio_optimizer_result_free(). PIOLA_OK: converged, or the definition has no stops and max_iterations, all that
 * was requested, were done. PIOLA_NO: not converged (`max_iterations`, no progress, or trial points that failed).
 * PIOLA_INTERRUPTED: a callback requested it. PIOLA_BAD_DATA: a start outside its bounds, bounds in the wrong order, or
 * a record of another run. PIOLA_USAGE: a definition out of range. Otherwise what a callback returned, or NUMERICAL,
 * NO_MEMORY, INTERNAL. */
piola_status pio_optimize(const pio_optimizer_problem *problem, const pio_optimizer_definition *definition,
                          pio_optimizer_result *result, piola_error *error);
/* Frees what a result holds. */
void pio_optimizer_result_free(pio_optimizer_result *result);

/* Names of the methods, by pio_optimizer_type; ended by NULL. */
extern const char *const pio_optimizer_names[];
/* Returns the name of a method: "adam", "lbfgs", "mma", "gradient_descent", "levenberg_marquardt". */
const char *pio_optimizer_name(pio_optimizer_type type);
/* Returns the name of a reason to stop: "objective", "relative_objective", "gradient", "iterations", "no_progress", ...
 */
const char *pio_stop_name(pio_stop_reason reason);

#endif
