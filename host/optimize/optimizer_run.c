/* optimizer_run.c -- the functions that all methods use: evaluations, replay and iterations. */
#include "host/optimize/optimizer_run.h"

#include "host/base/fail.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Stops with what a callback returned. Its own message remains the error; if it gave none, this writes one. */
static void stop_by_callback(pio_run *run, piola_status status, const char *what, size_t number)
{
    piola_error given = *run->error;
    pio_stop_reason reason = status == PIOLA_INTERRUPTED ? PIO_STOP_INTERRUPTED : PIO_STOP_FAILED;
    const char *verb = status == PIOLA_INTERRUPTED ? "was interrupted" : "failed";
    pio_run_stop(run, status, reason, "%s %zu %s%s%.400s", what, number, verb, given.message[0] ? ": " : "",
                 given.message);
    if (!given.message[0]) return;
    memcpy(run->error->message, given.message, sizeof given.message);
    run->error->failure = given.failure;
}

/* ---- evaluations ----------------------------------------------------------------------------------------- */

/* Compares bit for bit, so that 0 and -0 differ and no values are compared. */
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
    const size_t m = pio_run_rows(run->problem);
    if (m) {
        memcpy(run->trial.c, recorded->c, m * sizeof *z);
        memcpy(run->trial.c_gradient, recorded->c_gradient, m * n * sizeof *z);
    }
    run->trial.replayed = true;
    run->result->replayed++;
    return true;
}

/* Returns PIOLA_NUMERICAL if a number of the trial is not finite. */
static piola_status check_finite(const pio_run *run)
{
    const pio_point *t = &run->trial;
    const size_t n = run->problem->n, m = pio_run_rows(run->problem);
    const char *what = run->problem->n_residuals ? "residual" : "constraint";
    if (!isfinite(t->J))
        return pio_fail_result(run->error, PIOLA_FAILED_OBJECTIVE, "the objective is %g, not a finite number", t->J);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(t->gradient[i]))
            return pio_fail_result(run->error, PIOLA_FAILED_GRADIENT,
                                   "component %zu of the gradient is %g, not a finite number", i, t->gradient[i]);
    for (size_t k = 0; k < m * (n + 1); k++) {
        const size_t j = k < m ? k : (k - m) / n;
        const double value = k < m ? t->c[k] : t->c_gradient[k - m];
        if (!isfinite(value))
            return pio_fail_result(run->error, k < m ? PIOLA_FAILED_OBJECTIVE : PIOLA_FAILED_GRADIENT,
                                   "%s %zu %s %g, not a finite number", what, j, k < m ? "is" : "has a gradient with",
                                   value);
    }
    return PIOLA_OK;
}

/* Returns whether the trial is better than the best point: among points that satisfy their constraints, the one with
 * the least J; before those, the one with the least violation. */
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

/* Estimates from the slopes along the step how much J could decrease at most: if they change sign, by the decrease of a
 * parabola between them; otherwise by what the first slope predicts. The shortest step with a change of sign is the
 * most reliable. */
static void note_decrease(pio_run *run)
{
    double before, after, length = 0, *best = &run->expected_decrease;
    if (!isfinite(run->iterate.J) || run->problem->n_constraints) return;
    pio_run_slopes(run, &before, &after);
    for (size_t i = 0; i < run->problem->n; i++) length = fmax(length, fabs(run->trial.z[i] - run->iterate.z[i]));
    if (!(before < 0)) return;
    if (after > 0 && length < run->bracket) {
        run->bracket = length;
        *best = before * before / (2 * (after - before));
    } else if (run->bracket >= HUGE_VAL) {
        *best = isnan(*best) ? -before : fmax(*best, -before);
    }
}

/* Sets all numbers to NaN, so that values that the callback leaves out are found, and failed points have none. */
static void blank(pio_run *run)
{
    const pio_optimizer_problem *p = run->problem;
    pio_point *t = &run->trial;
    t->J = t->violation = NAN;
    for (size_t i = 0; i < p->n; i++) t->gradient[i] = NAN;
    for (size_t j = 0; j < pio_run_rows(p); j++) t->c[j] = NAN;
    for (size_t k = 0; k < pio_run_rows(p) * p->n; k++) t->c_gradient[k] = NAN;
}

/* Computes the trial with the callback. PIOLA_NUMERICAL if it cannot be computed. */
static piola_status compute(pio_run *run)
{
    const pio_optimizer_problem *p = run->problem;
    pio_point *t = &run->trial;
    t->replayed = false;
    blank(run);
    const piola_status status = p->evaluate(p->context, t->z, &t->J, t->gradient, t->c, t->c_gradient, run->error);
    return status ? status : check_finite(run);
}

/* Counts the trial: a successful one may be the best, and a failed one is one more in a row. */
static void count(pio_run *run)
{
    const size_t number = run->result->evaluations++;
    if (!run->trial.failed) {
        run->in_a_row = 0;
        run->trial.violation = pio_run_violation(run->problem, run->trial.c);
        keep_best(run);
        note_decrease(run);
        pio_run_note_gain(run);
        return;
    }
    blank(run);
    run->result->rejected++;
    run->failed_since_step++;
    run->failed_since_gain++;
    if (++run->in_a_row == 1) run->first_in_a_row = number;
}

static void record(pio_run *run)
{
    const pio_optimizer_problem *p = run->problem;
    const pio_point *t = &run->trial;
    const size_t number = run->result->evaluations - 1;
    if (!t->replayed && p->on_evaluation) {
        const pio_evaluation at = {t->z, t->J, t->gradient, t->c, t->c_gradient};
        const piola_status status = p->on_evaluation(p->context, number, &at, run->error);
        if (status) stop_by_callback(run, status, "recording evaluation", number);
    }
    if (!run->stopped) memset(run->error, 0, sizeof *run->error);
}

bool pio_run_evaluate(pio_run *run, const double *z)
{
    const pio_optimizer_problem *p = run->problem;
    pio_point *t = &run->trial;
    const size_t number = run->result->evaluations;
    if (!run->stopped && pio_run_has_used_stage(run)) pio_run_end_stage(run);
    if (run->stopped) return false;
    memcpy(t->z, z, p->n * sizeof *z);
    if (number < p->n_replay && p->replay[number].z) {
        if (!replay(run, z, number)) return false;
        t->failed = isnan(t->J);
    } else {
        const piola_status status = compute(run);
        t->failed = status == PIOLA_NUMERICAL && number > 0;
        if (status && !t->failed) {
            stop_by_callback(run, status, "evaluation", number);
            return false;
        }
    }
    count(run);
    record(run);
    if (!run->stopped && run->in_a_row >= PIO_MOST_REJECTED) pio_run_end_rejected(run);
    return !run->stopped;
}

/* ---- iterations ------------------------------------------------------------------------------------------ */

/* Tests the stops; `change` is that of J since the last iteration. Nothing has converged while a constraint is
 * violated. */
static void test_stops(pio_run *run, double norm, double change, bool settled)
{
    const pio_optimizer_definition *d = run->definition;
    const int k = run->result->iterations;
    const bool kept = run->iterate.violation <= d->feasibility;
    const double J = run->iterate.J, relative = change / fmax(fabs(J), DBL_MIN);
    const bool low = kept && J <= d->stop_objective, flat = kept && d->stop_gradient > 0 && norm <= d->stop_gradient;
    const bool still =
        kept && d->stop_relative_objective > 0 && k > 0 && settled && relative <= d->stop_relative_objective;
    if (!pio_run_is_last_stage(run)) {
        if (k < d->max_iterations && (low || flat || still || pio_run_has_used_stage(run))) pio_run_end_stage(run);
    } else if (low) {
        pio_run_stop(run, PIOLA_OK, PIO_STOP_OBJECTIVE,
                     "converged in iteration %d: the objective %.6g is not above %.6g (stop.objective)", k, J,
                     d->stop_objective);
    } else if (flat) {
        pio_run_stop(run, PIOLA_OK, PIO_STOP_GRADIENT,
                     "converged in iteration %d: the projected gradient %.6g is not above %.6g (stop.gradient)", k,
                     norm, d->stop_gradient);
    } else if (still) {
        pio_run_stop(run, PIOLA_OK, PIO_STOP_RELATIVE_OBJECTIVE,
                     "converged in iteration %d: the objective changed by %.6g of itself, not above %.6g "
                     "(stop.relative_objective)",
                     k, relative, d->stop_relative_objective);
    }
    if (!run->stopped && k >= d->max_iterations) {
        char why[60];
        snprintf(why, sizeof why, "%d iterations were done (max_iterations)", k);
        pio_run_end(run, PIO_STOP_ITERATIONS, why);
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
    settled = settled && run->failed_since_step == 0;
    run->failed_since_step = 0;
    r->accepted = r->evaluations;
    run->expected_decrease = NAN;
    run->bracket = HUGE_VAL;
    const double norm = pio_run_projected_gradient(p, &run->iterate, run->lambda, run->normal);
    if (p->iteration) {
        pio_iteration at = {
            .number = r->iterations,
            .at = {run->iterate.z, run->iterate.J, run->iterate.gradient, run->iterate.c, run->iterate.c_gradient},
            .projected_gradient = norm,
            .violation = run->iterate.violation,
            .evaluations = r->evaluations,
            .rejected = r->rejected,
            .replayed = run->iterate.replayed};
        piola_status status = p->iteration(p->context, &at, run->error);
        if (status != PIOLA_OK) stop_by_callback(run, status, "iteration", (size_t)r->iterations);
    }
    if (!run->stopped) test_stops(run, norm, change, settled);
    return !run->stopped;
}

void pio_run_slopes(const pio_run *run, double *at_iterate, double *at_trial)
{
    *at_iterate = *at_trial = 0;
    for (size_t i = 0; i < run->problem->n; i++) {
        double d = run->trial.z[i] - run->iterate.z[i];
        *at_iterate += run->iterate.gradient[i] * d;
        *at_trial += run->trial.gradient[i] * d;
    }
}

double pio_run_scale(const double *gradient, const double *unit, size_t n)
{
    double largest = 0;
    int exponent;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(gradient[i]) * (unit ? unit[i] : 1));
    frexp(largest, &exponent); /* 0 gives 0 */
    return ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
}
