/* optimizer_nlopt.c -- L-BFGS (Nocedal 1980, Liu and Nocedal 1989, code by Luksan) and MMA (Svanberg 2002) of NLopt
 * 2.7.
 *
 * NLopt is used as a generator of points: all its own stops are off, ours use nlopt_force_stop(). What cannot be
 * switched off in its L-BFGS (a gradient below 1e-8, a relative change of J below 1e-14) and what MMA never detects (no
 * step is better any more) ends a round. A round that made progress is followed by another from the best point, with
 * the scale that fits there; one that made none ends the run.
 *
 * Either would go on for dozens of evaluations where J has no more to gain than rounding, in f32 in noise; L-BFGS ends
 * there by pio_run_gains_no_more().
 *
 * A point that could not be computed has the value +infinity for NLopt, and so have its constraints. Both methods can
 * handle that, as tests show: the line search bisects (it interpolates with no values above 1e20), and rejected points
 * enter no update; MMA makes the approximation stiffer by 10, which is the most it does at once. */
#include "host/optimize/optimizer_run.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

enum {
    STORED_STEPS = 20, /* stored steps of L-BFGS; fixed, because NLopt's default depends on its memory limit */
    PATIENCE = 20,     /* points requested without an accepted step end a round */
    MOST_SHRINKS = 3   /* consecutive rounds that begin with shorter steps */
};
static const double shrink = 0x1p-10; /* NLopt's line search ends after ten halvings; a round begins where it stopped */

typedef struct round_state {
    pio_run *run;
    nlopt_opt nlopt;
    int without_step; /* points requested since the last accepted step */
} round_state;

/* Makes NLopt end without another evaluation: any line search accepts a flat low point. */
static double end_round(const round_state *s, unsigned n, double *gradient)
{
    nlopt_force_stop(s->nlopt);
    if (gradient) memset(gradient, 0, n * sizeof *gradient);
    return s->run->scale * s->run->iterate.J - 1;
}

/* Returns what NLopt receives for a point that could not be computed. */
static double reject(unsigned n, double *gradient)
{
    if (gradient) memset(gradient, 0, n * sizeof *gradient);
    return HUGE_VAL;
}

static double objective(unsigned n, const double *z, double *gradient, void *context)
{
    round_state *s = context;
    pio_run *run = s->run;
    const pio_point *at = &run->iterate;
    if (run->stopped || s->without_step++ >= PATIENCE) return end_round(s, n, gradient);
    if (memcmp(z, at->z, n * sizeof *z) != 0) {
        if (!pio_run_evaluate(run, z)) return end_round(s, n, gradient);
        if (run->trial.failed) return reject(n, gradient);
        double before, after;
        pio_run_slopes(run, &before, &after);
        at = &run->trial;
        if (pio_run_improves(run, &run->iterate, &run->trial, before)) {
            bool settled = run->definition->type == PIO_MMA || fabs(after) <= PIO_SETTLED_SLOPE * fabs(before);
            run->result->iterations++;
            s->without_step = 0;
            if (!pio_run_accept(run, settled)) return end_round(s, n, gradient);
            at = &run->iterate;
        }
        if (run->definition->type == PIO_LBFGS && pio_run_gains_no_more(run)) {
            pio_run_no_gain(run);
            return end_round(s, n, gradient);
        }
    }
    if (gradient) {
        for (unsigned i = 0; i < n; i++) gradient[i] = run->scale * at->gradient[i];
    }
    return run->scale * at->J;
}

/* NLopt requests J first, and then c at the same point, which is the iterate if it was accepted, or the trial. */
static void constraints(unsigned m, double *c, unsigned n, const double *z, double *gradient, void *context)
{
    const round_state *s = context;
    const bool known = memcmp(z, s->run->iterate.z, n * sizeof *z) == 0;
    if (!known && s->run->trial.failed) {
        for (unsigned j = 0; j < m; j++) c[j] = HUGE_VAL;
        if (gradient) memset(gradient, 0, (size_t)m * n * sizeof *gradient);
        return;
    }
    const pio_point *at = known ? &s->run->iterate : &s->run->trial;
    memcpy(c, at->c, m * sizeof *c);
    if (gradient) memcpy(gradient, at->c_gradient, (size_t)m * n * sizeof *gradient);
}

static nlopt_result prepare(nlopt_opt nlopt, round_state *s)
{
    const pio_optimizer_problem *p = s->run->problem;
    nlopt_result r = nlopt_set_min_objective(nlopt, objective, s);
    if (r >= 0) r = nlopt_set_lower_bounds(nlopt, p->lower);
    if (r >= 0) r = nlopt_set_upper_bounds(nlopt, p->upper);
    if (r >= 0) r = nlopt_set_vector_storage(nlopt, STORED_STEPS);
    if (r >= 0 && p->n_constraints) {
        for (size_t j = 0; j < p->n_constraints; j++) s->run->lambda[j] = s->run->definition->feasibility;
        r = nlopt_add_inequality_mconstraint(nlopt, (unsigned)p->n_constraints, constraints, s, s->run->lambda);
    }
    return r;
}

/* Runs one round from the iterate. Returns false if NLopt failed in a way that is not an answer. */
static bool run_round(pio_run *run, double *z)
{
    unsigned n = (unsigned)run->problem->n;
    round_state s = {.run = run};
    double value;
    s.nlopt = nlopt_create(run->definition->type == PIO_LBFGS ? NLOPT_LD_LBFGS : NLOPT_LD_MMA, n);
    if (!s.nlopt) {
        pio_run_stop(run, PIOLA_NO_MEMORY, PIO_STOP_FAILED, "NLopt has no memory for %u design variables", n);
        return false;
    }
    memcpy(z, run->iterate.z, n * sizeof *z);
    nlopt_result r = prepare(s.nlopt, &s);
    if (r >= 0) r = nlopt_optimize(s.nlopt, z, &value);
    if (!run->stopped && (r == NLOPT_OUT_OF_MEMORY || r == NLOPT_INVALID_ARGS)) {
        const char *text = nlopt_get_errmsg(s.nlopt);
        pio_run_stop(run, r == NLOPT_OUT_OF_MEMORY ? PIOLA_NO_MEMORY : PIOLA_INTERNAL, PIO_STOP_FAILED,
                     r == NLOPT_OUT_OF_MEMORY ? "NLopt has no memory for %u design variables%s%s"
                                              : "NLopt does not accept its arguments for %u design variables%s%s",
                     n, text ? ": " : "", text ? text : "");
    }
    nlopt_destroy(s.nlopt);
    return !run->stopped; /* FORCED_STOP, FAILURE, ROUNDOFF_LIMITED and the successes: the round has ended */
}

/* Returns the scale of a round: L-BFGS ends where the gradient of the variables that bounds do not hold is small, so
 * that those alone count for it. `free_gradient` [n] is working memory. */
static double round_scale(const pio_run *run, double *free_gradient)
{
    const pio_optimizer_problem *p = run->problem;
    const pio_point *at = &run->iterate;
    if (run->definition->type != PIO_LBFGS) return pio_run_scale(at->gradient, NULL, p->n);
    for (size_t i = 0; i < p->n; i++) {
        const double g = at->gradient[i];
        const bool held = (g > 0 && at->z[i] <= p->lower[i]) || (g < 0 && at->z[i] >= p->upper[i]);
        free_gradient[i] = held ? 0 : g;
    }
    return pio_run_scale(free_gradient, NULL, p->n);
}

void pio_run_nlopt(pio_run *run)
{
    double *z = malloc(run->problem->n * sizeof *z);
    if (!z) {
        pio_run_stop(run, PIOLA_NO_MEMORY, PIO_STOP_FAILED, "no memory for %zu design variables", run->problem->n);
        return;
    }
    for (int shrinks = 0; !run->stopped && shrinks <= MOST_SHRINKS;) {
        const int iterations = run->result->iterations;
        const size_t rejected = run->result->rejected;
        run->scale = round_scale(run, z) * pow(shrink, shrinks);
        run_round(run, z);
        if (run->result->iterations > iterations)
            shrinks = 0;
        else
            shrinks += run->result->rejected > rejected ? 1 : MOST_SHRINKS + 1;
    }
    free(z);
    if (!run->stopped) pio_run_no_progress(run);
}
