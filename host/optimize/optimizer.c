/* optimizer.c -- a run as a whole: arguments, memory, the start, and the choice of the method. */
#include "host/optimize/optimizer_run.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_arguments(pio_run *run)
{
    const pio_optimizer_problem *p = run->problem;
    const pio_optimizer_definition *d = run->definition;
    const bool rated = d->type == PIO_ADAM || d->type == PIO_GRADIENT_DESCENT;
    if (d->max_iterations < 0 || d->stop_relative_objective < 0 || d->stop_gradient < 0 || isnan(d->stop_objective) ||
        isnan(d->stop_relative_objective) || isnan(d->stop_gradient) || !(d->rounding >= 0 && d->rounding < 1)) {
        pio_run_stop(run, PIOLA_USAGE, PIO_STOP_FAILED,
                     "optimizer: max_iterations and the stops must be numbers that are not negative, and rounding less "
                     "than 1");
    } else if (rated && !(d->learning_rate > 0 && d->learning_rate < HUGE_VAL)) {
        pio_run_stop(run, PIOLA_USAGE, PIO_STOP_FAILED, "optimizer: %s needs a learning_rate above 0, not %g",
                     pio_optimizer_name(d->type), d->learning_rate);
    } else if (p->n_constraints && (d->type != PIO_MMA || !(d->feasibility > 0 && d->feasibility < HUGE_VAL))) {
        pio_run_stop(run, PIOLA_USAGE, PIO_STOP_FAILED,
                     "optimizer: constraints are for mma, with a feasibility above 0, not %s with %g",
                     pio_optimizer_name(d->type), d->feasibility);
    } else if ((d->type == PIO_LEVENBERG_MARQUARDT) != (p->n_residuals > 0)) {
        pio_run_stop(run, PIOLA_USAGE, PIO_STOP_FAILED,
                     "optimizer: %s with %zu residuals; %s needs them, no other does", pio_optimizer_name(d->type),
                     p->n_residuals, pio_optimizer_name(PIO_LEVENBERG_MARQUARDT));
    } else if (p->n_residuals && p->n > PIO_MOST_SQUARES_VARIABLES) {
        pio_run_stop(run, PIOLA_USAGE, PIO_STOP_FAILED,
                     "optimizer: %s with %zu design variables; it takes %d, lbfgs more", pio_optimizer_name(d->type),
                     p->n, PIO_MOST_SQUARES_VARIABLES);
    } else if (p->n == 0 || p->n > INT_MAX / 64) {
        pio_run_stop(run, PIOLA_USAGE, PIO_STOP_FAILED, "optimizer: %zu design variables; 1 to %d can be handled", p->n,
                     INT_MAX / 64);
    }
    if (!run->stopped && p->stages > 1 && (d->stage_evaluations < 1 || !p->begin_stage))
        pio_run_stop(run, PIOLA_USAGE, PIO_STOP_FAILED, "optimizer: %d stages need evaluations, and a begin_stage()",
                     p->stages);
    for (size_t i = 0; i < p->n && p->unit && !run->stopped; i++)
        if (!(p->unit[i] > 0 && p->unit[i] < HUGE_VAL))
            pio_run_stop(run, PIOLA_USAGE, PIO_STOP_FAILED, "design variable %zu has the unit %g, not above 0", i,
                         p->unit[i]);
    for (size_t i = 0; i < p->n && !run->stopped; i++) {
        if (isfinite(p->z0[i]) && p->lower[i] <= p->z0[i] && p->z0[i] <= p->upper[i]) continue;
        pio_run_stop(run, PIOLA_BAD_DATA, PIO_STOP_FAILED,
                     "design variable %zu starts at %.9g, outside its bounds [%.9g, %.9g]", i, p->z0[i], p->lower[i],
                     p->upper[i]);
    }
}

static void allocate(pio_run *run)
{
    const size_t n = run->problem->n ? run->problem->n : 1, m = run->problem->n_constraints;
    const size_t rows = pio_run_rows(run->problem), one = 2 * n + rows + rows * n;
    pio_optimizer_result *r = run->result;
    r->z = calloc(n, sizeof *r->z);
    r->gradient = calloc(n, sizeof *r->gradient);
    r->multipliers = calloc(m + 1, sizeof *r->multipliers);
    run->memory = calloc(2 * one + m + m * (m + 1), sizeof *run->memory);
    if (!r->z || !r->gradient || !r->multipliers || !run->memory) {
        pio_run_stop(run, PIOLA_NO_MEMORY, PIO_STOP_FAILED,
                     "no memory for %zu design variables and %zu constraints or residuals", n, rows);
        return;
    }
    memcpy(r->z, run->problem->z0, run->problem->n * sizeof *r->z);
    for (size_t i = 0; i < n; i++) r->gradient[i] = NAN;
    for (int k = 0; k < 2; k++) {
        double *at = run->memory + (size_t)k * one;
        *(k ? &run->iterate : &run->trial) =
            (pio_point){.z = at, .gradient = at + n, .c = at + 2 * n, .c_gradient = at + 2 * n + rows};
    }
    run->lambda = run->memory + 2 * one;
    run->normal = run->lambda + m;
}

static void start(pio_run *run)
{
    run->iterate.J = run->expected_decrease = run->gain_J = NAN;
    run->bracket = HUGE_VAL;
    if (!pio_run_evaluate(run, run->problem->z0)) return;
    run->first_J = run->result->J;
    run->first_norm = run->result->projected_gradient;
    pio_run_accept(run, true);
}

static void run_method(pio_run *run)
{
    switch (run->definition->type) {
    case PIO_ADAM:
        pio_run_adam(run);
        break;
    case PIO_GRADIENT_DESCENT:
        pio_run_descent(run);
        break;
    case PIO_LBFGS:
    case PIO_MMA:
        pio_run_nlopt(run);
        break;
    case PIO_LEVENBERG_MARQUARDT:
        pio_run_squares(run);
        break;
    }
}

/* Begins the next stage: the last iterate is its start. */
static void begin_stage(pio_run *run)
{
    const pio_optimizer_problem *p = run->problem;
    pio_optimizer_result *best = run->result;
    run->stage_over = run->stopped = false;
    run->stage_first = best->evaluations;
    best->iterations++;
    best->stage++;
    best->J = run->gain_J = NAN; /* the best point and gains are those of one stage */
    p->begin_stage(p->context, best->stage);
    if (!pio_run_evaluate(run, run->iterate.z)) return;
    if (run->trial.failed) {
        pio_run_stop(run, PIOLA_NUMERICAL, PIO_STOP_FAILED,
                     "stage %d of %d cannot begin: iterate %d cannot be computed", best->stage + 1, p->stages,
                     best->iterations - 1);
        return;
    }
    run->first_J = best->J;
    run->first_norm = best->projected_gradient;
    pio_run_accept(run, false);
}

piola_status pio_optimize(const pio_optimizer_problem *problem, const pio_optimizer_definition *definition,
                          pio_optimizer_result *result, piola_error *error)
{
    piola_error unused;
    pio_run run = {
        .problem = problem, .definition = definition, .result = result, .error = error ? error : &unused, .scale = 1};
    memset(run.error, 0, sizeof *run.error);
    memset(result, 0, sizeof *result);
    result->J = result->projected_gradient = result->violation = NAN;
    allocate(&run);
    if (!run.stopped) check_arguments(&run);
    if (!run.stopped) start(&run);
    if (!run.stopped) run_method(&run);
    while (run.stage_over) {
        begin_stage(&run);
        if (!run.stopped) run_method(&run);
    }
    free(run.memory);
    return run.status;
}

void pio_optimizer_result_free(pio_optimizer_result *result)
{
    free(result->z);
    free(result->gradient);
    free(result->multipliers);
    result->z = result->gradient = result->multipliers = NULL;
}
