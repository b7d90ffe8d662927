/* optimizer.c -- evaluations, replay, stops and Adam. The methods of NLopt are in optimizer_nlopt.c. */
#include "host/optimizer_run.h"

#include "host/fail.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pio_optimizer_name(pio_optimizer_type type)
{
    static const char *const names[] = {"adam", "lbfgs", "mma"};
    return names[type];
}

const char *pio_stop_name(pio_stop_reason reason)
{
    static const char *const names[] = {"objective",   "relative_objective", "gradient", "iterations",
                                        "no_progress", "interrupted",        "failed"};
    return names[reason];
}

void pio_run_stop(pio_run *run, piola_status status, pio_stop_reason reason, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(run->result->sentence, sizeof run->result->sentence, format, list);
    va_end(list);
    run->stopped = true;
    run->status = status;
    run->result->reason = reason;
    run->result->converged = reason <= PIO_STOP_GRADIENT;
    if (status != PIOLA_OK) {
        run->error->status = status;
        run->error->failure = (piola_failure){0};
        snprintf(run->error->message, sizeof run->error->message, "%s", run->result->sentence);
    }
}

/* Stop with what a callback returned. Its own message stays the error; one that said nothing gets ours. */
static void stop_by_callback(pio_run *run, piola_status status, const char *what, size_t number)
{
    piola_error said = *run->error;
    pio_stop_reason reason = status == PIOLA_INTERRUPTED ? PIO_STOP_INTERRUPTED : PIO_STOP_FAILED;
    const char *verb = status == PIOLA_INTERRUPTED ? "was interrupted" : "failed";
    pio_run_stop(run, status, reason, "%s %zu %s%s%.400s", what, number, verb, said.message[0] ? ": " : "",
                 said.message);
    if (!said.message[0]) return;
    memcpy(run->error->message, said.message, sizeof said.message);
    run->error->failure = said.failure;
}

/* ---- evaluations ----------------------------------------------------------------------------------------- */

/* Bit for bit, so that 0 and -0 differ and nothing is compared by value. */
static bool same_bits(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

static bool replay(pio_run *run, const double *z, size_t number)
{
    const pio_evaluation *recorded = &run->problem->replay[number];
    size_t n = run->problem->n;
    if (!same_bits(recorded->z, z, n)) {
        size_t i = 0;
        while (same_bits(recorded->z + i, z + i, 1)) i++;
        pio_run_stop(
            run, PIOLA_BAD_DATA, PIO_STOP_FAILED,
            "evaluation %zu of the record is at another design: variable %zu is %.17g there and %.17g now; the "
            "record is of another scene, program or machine, so start without it",
            number, i, recorded->z[i], z[i]);
        return false;
    }
    run->trial.J = recorded->J;
    memcpy(run->trial.gradient, recorded->gradient, n * sizeof *z);
    if (run->problem->n_constraints) {
        memcpy(run->trial.c, recorded->c, run->problem->n_constraints * sizeof *z);
        memcpy(run->trial.c_gradient, recorded->c_gradient, run->problem->n_constraints * n * sizeof *z);
    }
    run->trial.replayed = true;
    run->result->replayed++;
    return true;
}

static bool check_finite(pio_run *run, size_t number)
{
    const pio_point *t = &run->trial;
    if (!isfinite(t->J)) {
        pio_run_stop(run, PIOLA_NUMERICAL, PIO_STOP_FAILED, "evaluation %zu: the objective is %g, not a finite number",
                     number, t->J);
        run->error->failure = pio_failed(PIOLA_FAILED_OBJECTIVE);
        return false;
    }
    for (size_t i = 0; i < run->problem->n; i++) {
        if (isfinite(t->gradient[i])) continue;
        pio_run_stop(run, PIOLA_NUMERICAL, PIO_STOP_FAILED,
                     "evaluation %zu: component %zu of the gradient is %g, not a finite number", number, i,
                     t->gradient[i]);
        run->error->failure = pio_failed(PIOLA_FAILED_GRADIENT);
        return false;
    }
    for (size_t k = 0; k < run->problem->n_constraints * (run->problem->n + 1); k++) {
        const size_t m = run->problem->n_constraints, j = k < m ? k : (k - m) / run->problem->n;
        const double value = k < m ? t->c[k] : t->c_gradient[k - m];
        if (isfinite(value)) continue;
        pio_run_stop(run, PIOLA_NUMERICAL, PIO_STOP_FAILED, "evaluation %zu: constraint %zu %s %g, not a finite number",
                     number, j, k < m ? "is" : "has a gradient with", value);
        run->error->failure = pio_failed(k < m ? PIOLA_FAILED_OBJECTIVE : PIOLA_FAILED_GRADIENT);
        return false;
    }
    return true;
}

/* Among those that satisfy their constraints the one with the least J, before those the one that misses them by least. */
static bool is_better(const pio_run *run)
{
    const pio_optimizer_result *best = run->result;
    const pio_point *t = &run->trial;
    const double enough = run->definition->feasibility;
    if (isnan(best->J)) return true;
    if (t->violation > enough || best->violation > enough) return t->violation < best->violation;
    return t->J < best->J;
}

static void keep_best(pio_run *run)
{
    pio_optimizer_result *best = run->result;
    const size_t bytes = run->problem->n * sizeof(double), m = run->problem->n_constraints;
    if (!is_better(run)) return;
    best->J = run->trial.J;
    best->violation = run->trial.violation;
    memcpy(best->z, run->trial.z, bytes);
    memcpy(best->gradient, run->trial.gradient, bytes);
    best->projected_gradient = pio_run_projected_gradient(run->problem, &run->trial, run->lambda, run->normal);
    if (m) memcpy(best->multipliers, run->lambda, m * sizeof *run->lambda);
}

bool pio_run_improves(const pio_run *run, const pio_point *last, const pio_point *next, double slope)
{
    const double decrease = 1e-4; /* sufficient decrease, Nocedal and Wright 2006, eq. 3.4 */
    const double enough = run->definition->feasibility;
    if (next->violation > enough) return next->violation < (1 - decrease) * last->violation;
    if (last->violation > enough) return true;
    return next->J < last->J && next->J <= last->J + decrease * (run->problem->n_constraints ? fmin(slope, 0) : slope);
}

bool pio_run_evaluate(pio_run *run, const double *z)
{
    const pio_optimizer_problem *p = run->problem;
    pio_point *t = &run->trial;
    size_t number = run->result->evaluations;
    if (run->stopped) return false;
    memcpy(t->z, z, p->n * sizeof *z);
    if (number < p->n_replay) {
        if (!replay(run, z, number)) return false;
    } else {
        t->replayed = false;
        t->J = NAN;
        for (size_t i = 0; i < p->n; i++) t->gradient[i] = NAN; /* what the callback leaves out is found */
        for (size_t j = 0; j < p->n_constraints; j++) t->c[j] = NAN;
        for (size_t k = 0; k < p->n_constraints * p->n; k++) t->c_gradient[k] = NAN;
        piola_status status = p->evaluate(p->context, t->z, &t->J, t->gradient, t->c, t->c_gradient, run->error);
        if (status != PIOLA_OK) {
            stop_by_callback(run, status, "evaluation", number);
            return false;
        }
    }
    if (!check_finite(run, number)) return false;
    t->violation = pio_run_violation(p, t->c);
    run->result->evaluations++;
    keep_best(run);
    if (!t->replayed && p->on_evaluation) {
        pio_evaluation at = {t->z, t->J, t->gradient, t->c, t->c_gradient};
        piola_status status = p->on_evaluation(p->context, number, &at, run->error);
        if (status != PIOLA_OK) stop_by_callback(run, status, "recording evaluation", number);
    }
    return !run->stopped;
}

/* ---- iterations ------------------------------------------------------------------------------------------ */

bool pio_run_has_stops(const pio_run *run)
{
    const pio_optimizer_definition *d = run->definition;
    return d->stop_objective > -HUGE_VAL || d->stop_relative_objective > 0 || d->stop_gradient > 0;
}

/* `change` of J since the last iteration. Nothing has converged while a constraint is missed. */
static void test_stops(pio_run *run, double norm, double change, bool settled)
{
    const pio_optimizer_definition *d = run->definition;
    const int k = run->result->iterations;
    const bool kept = run->iterate.violation <= d->feasibility;
    const double J = run->iterate.J, relative = change / fmax(fabs(J), DBL_MIN);
    char missed[80] = "";
    if (!kept) snprintf(missed, sizeof missed, ", a constraint is missed by %.3g", run->iterate.violation);
    if (kept && J <= d->stop_objective) {
        pio_run_stop(run, PIOLA_OK, PIO_STOP_OBJECTIVE,
                     "converged in iteration %d: the objective %.6g is not above %.6g (stop.objective)", k, J,
                     d->stop_objective);
    } else if (kept && d->stop_gradient > 0 && norm <= d->stop_gradient) {
        pio_run_stop(run, PIOLA_OK, PIO_STOP_GRADIENT,
                     "converged in iteration %d: the projected gradient %.6g is not above %.6g (stop.gradient)", k,
                     norm, d->stop_gradient);
    } else if (kept && d->stop_relative_objective > 0 && k > 0 && settled && relative <= d->stop_relative_objective) {
        pio_run_stop(run, PIOLA_OK, PIO_STOP_RELATIVE_OBJECTIVE,
                     "converged in iteration %d: the objective changed by %.6g of itself, not above %.6g "
                     "(stop.relative_objective)",
                     k, relative, d->stop_relative_objective);
    } else if (k >= d->max_iterations) {
        const bool asked = kept && !pio_run_has_stops(run);
        pio_run_stop(run, asked ? PIOLA_OK : PIOLA_NO, PIO_STOP_ITERATIONS,
                     "%s: %d iterations were done (max_iterations), objective %.6g, projected gradient %.6g%s",
                     asked ? "done" : "not converged", k, J, norm, missed);
    }
}

bool pio_run_accept(pio_run *run, bool settled)
{
    const pio_optimizer_problem *p = run->problem;
    pio_optimizer_result *r = run->result;
    const bool was_kept = run->iterate.violation <= run->definition->feasibility;
    const double change = was_kept ? fabs(run->trial.J - run->iterate.J) : HUGE_VAL;
    pio_point last = run->iterate;
    run->iterate = run->trial;
    run->trial = last;
    const double norm = pio_run_projected_gradient(p, &run->iterate, run->lambda, run->normal);
    if (p->iteration) {
        pio_iteration at = {
            .number = r->iterations,
            .at = {run->iterate.z, run->iterate.J, run->iterate.gradient, run->iterate.c, run->iterate.c_gradient},
            .projected_gradient = norm,
            .violation = run->iterate.violation,
            .evaluations = r->evaluations,
            .replayed = run->iterate.replayed};
        piola_status status = p->iteration(p->context, &at, run->error);
        if (status != PIOLA_OK) stop_by_callback(run, status, "iteration", (size_t)r->iterations);
    }
    if (!run->stopped) test_stops(run, norm, change, settled);
    return !run->stopped;
}

double pio_run_scale(const double *gradient, size_t n)
{
    double largest = 0;
    int exponent;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(gradient[i]));
    frexp(largest, &exponent); /* 0 gives 0 */
    return ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
}

/* ---- Adam ------------------------------------------------------------------------------------------------ */

/* Kingma and Ba 2015, algorithm 1, with its constants; each step is projected onto the bounds. */
static void run_adam(pio_run *run)
{
    const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    const pio_optimizer_problem *p = run->problem;
    double *m = calloc(3 * p->n, sizeof *m);
    if (!m) {
        pio_run_stop(run, PIOLA_NO_MEMORY, PIO_STOP_FAILED, "no memory for the moments of %zu design variables", p->n);
        return;
    }
    double *v = m + p->n, *z = v + p->n, power1 = 1, power2 = 1;
    while (!run->stopped) {
        power1 *= beta1;
        power2 *= beta2;
        for (size_t i = 0; i < p->n; i++) {
            double g = run->scale * run->iterate.gradient[i];
            m[i] = beta1 * m[i] + (1 - beta1) * g;
            v[i] = beta2 * v[i] + (1 - beta2) * g * g;
            double step =
                run->definition->learning_rate * (m[i] / (1 - power1)) / (sqrt(v[i] / (1 - power2)) + epsilon);
            z[i] = fmin(fmax(run->iterate.z[i] - step, p->lower[i]), p->upper[i]);
        }
        if (pio_run_evaluate(run, z)) {
            run->result->iterations++;
            pio_run_accept(run, true);
        }
    }
    free(m);
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

static void check_arguments(pio_run *run)
{
    const pio_optimizer_problem *p = run->problem;
    const pio_optimizer_definition *d = run->definition;
    if (d->max_iterations < 0 || d->stop_relative_objective < 0 || d->stop_gradient < 0 || isnan(d->stop_objective) ||
        isnan(d->stop_relative_objective) || isnan(d->stop_gradient)) {
        pio_run_stop(run, PIOLA_USAGE, PIO_STOP_FAILED,
                     "optimizer: max_iterations and the stops must be numbers that are not negative");
    } else if (d->type == PIO_ADAM && !(d->learning_rate > 0 && d->learning_rate < HUGE_VAL)) {
        pio_run_stop(run, PIOLA_USAGE, PIO_STOP_FAILED, "optimizer: adam needs a learning_rate above 0, not %g",
                     d->learning_rate);
    } else if (p->n_constraints && (d->type != PIO_MMA || !(d->feasibility > 0 && d->feasibility < HUGE_VAL))) {
        pio_run_stop(run, PIOLA_USAGE, PIO_STOP_FAILED,
                     "optimizer: constraints are for mma, with a feasibility above 0, not %s with %g",
                     pio_optimizer_name(d->type), d->feasibility);
    } else if (p->n == 0 || p->n > INT_MAX / 64) {
        pio_run_stop(run, PIOLA_USAGE, PIO_STOP_FAILED, "optimizer: %zu design variables; 1 to %d can be handled", p->n,
                     INT_MAX / 64);
    }
    for (size_t i = 0; i < p->n && !run->stopped; i++) {
        if (isfinite(p->z0[i]) && p->lower[i] <= p->z0[i] && p->z0[i] <= p->upper[i]) continue;
        pio_run_stop(run, PIOLA_BAD_DATA, PIO_STOP_FAILED,
                     "design variable %zu starts at %.9g, outside its bounds [%.9g, %.9g]", i, p->z0[i], p->lower[i],
                     p->upper[i]);
    }
}

static void allocate(pio_run *run)
{
    const size_t n = run->problem->n ? run->problem->n : 1, m = run->problem->n_constraints, one = 2 * n + m + m * n;
    pio_optimizer_result *r = run->result;
    r->z = calloc(n, sizeof *r->z);
    r->gradient = calloc(n, sizeof *r->gradient);
    r->multipliers = calloc(m + 1, sizeof *r->multipliers);
    run->memory = calloc(2 * one + m + m * (m + 1), sizeof *run->memory);
    if (!r->z || !r->gradient || !r->multipliers || !run->memory) {
        pio_run_stop(run, PIOLA_NO_MEMORY, PIO_STOP_FAILED, "no memory for %zu design variables and %zu constraints", n,
                     m);
        return;
    }
    memcpy(r->z, run->problem->z0, run->problem->n * sizeof *r->z);
    for (size_t i = 0; i < n; i++) r->gradient[i] = NAN;
    for (int k = 0; k < 2; k++) {
        double *at = run->memory + (size_t)k * one;
        *(k ? &run->iterate : &run->trial) =
            (pio_point){.z = at, .gradient = at + n, .c = at + 2 * n, .c_gradient = at + 2 * n + m};
    }
    run->lambda = run->memory + 2 * one;
    run->normal = run->lambda + m;
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
    if (!run.stopped && pio_run_evaluate(&run, problem->z0) && pio_run_accept(&run, true)) {
        run.scale = pio_run_scale(run.iterate.gradient, problem->n);
        if (definition->type == PIO_ADAM) {
            run_adam(&run);
        } else {
            pio_run_nlopt(&run);
        }
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
