/* optimizer_end.c -- names of methods and of reasons to stop, and the end of a run: whether it has converged, and what
 * it says. */
#include "host/optimize/optimizer_run.h"

#include "host/base/fail.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char *const pio_optimizer_names[] = {[PIO_ADAM] = "adam",
                                           [PIO_LBFGS] = "lbfgs",
                                           [PIO_MMA] = "mma",
                                           [PIO_GRADIENT_DESCENT] = "gradient_descent",
                                           [PIO_LEVENBERG_MARQUARDT] = "levenberg_marquardt",
                                           NULL};

const char *pio_optimizer_name(pio_optimizer_type type)
{
    return pio_optimizer_names[type];
}

const char *pio_stop_name(pio_stop_reason reason)
{
    static const char *const names[] = {"objective",   "relative_objective", "gradient",    "iterations",
                                        "no_progress", "rejected",           "interrupted", "failed"};
    return names[reason];
}

void pio_run_stop(pio_run *run, piola_status status, pio_stop_reason reason, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(run->result->sentence, sizeof run->result->sentence, format, list);
    va_end(list);
    run->stopped = true;
    run->status = status == PIOLA_OK ? PIOLA_OK : pio_fail(run->error, status, "%s", run->result->sentence);
    run->result->reason = reason;
    run->result->converged = reason <= PIO_STOP_GRADIENT;
}

bool pio_run_is_last_stage(const pio_run *run)
{
    return run->result->stage + 1 >= run->problem->stages;
}

bool pio_run_has_used_stage(const pio_run *run)
{
    const size_t used = run->result->evaluations - run->stage_first;
    return !pio_run_is_last_stage(run) && used >= (size_t)run->definition->stage_evaluations;
}

void pio_run_end_stage(pio_run *run)
{
    run->stage_over = run->stopped = true;
}

/* Returns whether the definition has a stop besides max_iterations. */
static bool has_stops(const pio_run *run)
{
    const pio_optimizer_definition *d = run->definition;
    return d->stop_objective > -HUGE_VAL || d->stop_relative_objective > 0 || d->stop_gradient > 0;
}

/* Returns whether the slopes along the steps tried predict more than rounding of J. */
static bool predicts_decrease(const pio_run *run)
{
    return run->expected_decrease > run->definition->rounding * fmax(fabs(run->result->J), fabs(run->first_J));
}

/* Returns whether steps may be short only because longer ones could not be computed: then their slopes prove nothing. A
 * minimum along one of them would not either, as others than the variables at that boundary may have it. */
static bool is_blocked(const pio_run *run)
{
    return run->failed_since_gain > 0;
}

/* Tests rules (2) and (3) of optimizer.h, and writes the reason as words. */
static bool is_minimum(const pio_run *run, char *words, size_t size)
{
    const pio_optimizer_result *best = run->result;
    const double rounding = run->definition->rounding;
    if (best->projected_gradient <= sqrt(rounding) * run->first_norm) {
        snprintf(words, size, "; the projected gradient fell to %.2g of the start's",
                 run->first_norm > 0 ? best->projected_gradient / run->first_norm : 0);
        return true;
    }
    if (!isnan(run->expected_decrease) && !predicts_decrease(run) && !is_blocked(run)) {
        snprintf(words, size, "; along the steps tried it could fall by %.2g, no more than its rounding",
                 run->expected_decrease);
        return true;
    }
    return false;
}

void pio_run_end(pio_run *run, pio_stop_reason reason, const char *why)
{
    const pio_optimizer_result *best = run->result;
    char words[200] = "";
    const bool kept = best->violation <= run->definition->feasibility;
    const bool last = pio_run_is_last_stage(run), minimum = kept && last && is_minimum(run, words, sizeof words);
    const bool requested = reason == PIO_STOP_ITERATIONS && kept && last && !has_stops(run);
    if (!kept) {
        snprintf(words, sizeof words, ", a constraint is missed by %.3g", best->violation);
    } else if (!last) {
        snprintf(words, sizeof words, ", in stage %d of %d", best->stage + 1, run->problem->stages);
    } else if (!minimum && reason == PIO_STOP_NO_PROGRESS) {
        char fall[60] = "";
        if (run->expected_decrease > 0)
            snprintf(fall, sizeof fall, ", with an expected decrease of %.2g", run->expected_decrease);
        snprintf(words, sizeof words,
                 "; the gradient is not that of a minimum%s: it is wrong, or the objective has a kink or noise here "
                 "(piola check)",
                 fall);
    }
    pio_run_stop(run, minimum || requested ? PIOLA_OK : PIOLA_NO, reason,
                 "%s: %s, objective %.6g, projected gradient %.6g%s",
                 minimum     ? "converged"
                 : requested ? "done"
                             : "not converged",
                 why, best->J, best->projected_gradient, words);
    run->result->converged = minimum;
}

void pio_run_end_rejected(pio_run *run)
{
    char why[200];
    if (run->in_a_row == 1)
        snprintf(why, sizeof why, "the last trial point, evaluation %zu, could not be computed", run->first_in_a_row);
    else
        snprintf(
            why, sizeof why,
            "the last %zu trial points, from evaluation %zu on, could not be computed, however short the step was made",
            run->in_a_row, run->first_in_a_row);
    pio_run_end(run, PIO_STOP_REJECTED, why);
}

void pio_run_no_progress(pio_run *run)
{
    char why[200];
    if (run->in_a_row > 0) {
        pio_run_end_rejected(run);
        return;
    }
    if (!pio_run_is_last_stage(run)) {
        pio_run_end_stage(run);
        return;
    }
    const bool kept = run->result->violation <= run->definition->feasibility;
    if (kept && is_blocked(run) && !predicts_decrease(run) && !is_minimum(run, why, sizeof why)) {
        snprintf(
            why, sizeof why,
            "after iteration %d no step of %s lowers the objective, and %zu trial points since its last gain could "
            "not be computed",
            run->result->iterations, pio_optimizer_name(run->definition->type), run->failed_since_gain);
        pio_run_end(run, PIO_STOP_REJECTED, why);
        return;
    }
    snprintf(why, sizeof why,
             kept ? "after iteration %d no step of %s lowers the objective"
                  : "after iteration %d no step of %s brings the design nearer to its constraints; they may contradict "
                    "each other or the bounds",
             run->result->iterations, pio_optimizer_name(run->definition->type));
    pio_run_end(run, PIO_STOP_NO_PROGRESS, why);
}

/* Returns the relative change of J that is a gain: 1e-8, or less if a stop that was requested is finer. */
static double least_gain(const pio_run *run)
{
    const double requested = run->definition->stop_relative_objective;
    return requested > 0 ? fmin(requested, 1e-8) : 1e-8;
}

/* Returns the change of J that is none: below a gain, or below what rounding of the residuals leaves of a sum of their
 * squares. */
static double no_change(const pio_run *run)
{
    const double rounding = run->definition->rounding;
    return fmax(least_gain(run) * fabs(run->gain_J), rounding * rounding * fabs(run->first_J));
}

void pio_run_note_gain(pio_run *run)
{
    const double J = run->trial.J;
    if (isnan(run->gain_J) || J < run->gain_J - least_gain(run) * fabs(run->gain_J)) {
        run->gain_J = J;
        run->gain_evaluations = run->result->evaluations;
        run->flat = false;
        run->failed_since_gain = 0;
    } else if (fabs(J - run->result->J) <= no_change(run)) {
        run->flat = true;
    }
}

bool pio_run_gains_no_more(const pio_run *run)
{
    char words[200];
    if (run->definition->stop_gradient > 0) return false; /* steps that lower J by nothing may still reach it */
    if (run->result->evaluations - run->gain_evaluations < PIO_NO_GAIN) return false;
    return (run->flat || run->expected_decrease <= no_change(run)) && is_minimum(run, words, sizeof words);
}

void pio_run_no_gain(pio_run *run)
{
    char why[160];
    snprintf(why, sizeof why,
             "after iteration %d the last %zu evaluations lowered the objective by no more than %.2g of it",
             run->result->iterations, run->result->evaluations - run->gain_evaluations, least_gain(run));
    pio_run_end(run, PIO_STOP_NO_PROGRESS, why);
}

void pio_run_no_decrease(pio_run *run, double decrease)
{
    char why[160];
    if (!pio_run_is_last_stage(run)) {
        pio_run_end_stage(run);
        return;
    }
    run->expected_decrease = decrease;
    run->failed_since_gain = 0; /* it is not the steps tried that say so */
    snprintf(why, sizeof why, "after iteration %d the linear model of the residuals predicts no decrease above %.2g",
             run->result->iterations, decrease);
    pio_run_end(run, PIO_STOP_NO_PROGRESS, why);
}
