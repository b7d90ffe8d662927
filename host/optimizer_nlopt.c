/* optimizer_nlopt.c -- L-BFGS (Nocedal 1980, Liu and Nocedal 1989, code by Luksan) and MMA (Svanberg 2002) of
 * NLopt 2.7.
 *
 * NLopt is used as a generator of points: all its own stops are off, ours act through nlopt_force_stop. What cannot be
 * switched off in its L-BFGS (a gradient below 1e-8, a change of J below 1e-14 of itself) and what MMA never notices
 * (no step is better any more) ends a round. A round that made progress is followed by another from the best point,
 * with the scale that fits there; one that made none ends the run. */
#include "host/optimizer_run.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

enum {
    STORED_STEPS = 20, /* of L-BFGS; fixed, because NLopt's default depends on its memory limit */
    PATIENCE = 20      /* points asked for without an accepted step end a round */
};
static const double curvature = 0.9; /* the slope must shrink to this before a step counts as settled, eq. 3.6b */

typedef struct round_state {
    pio_run *run;
    nlopt_opt nlopt;
    int without_step; /* points asked for since the last accepted step */
} round_state;

/* The slope of J at the iterate, and at the trial, along the line between them. */
static void slopes(const pio_run *run, double *at_iterate, double *at_trial)
{
    *at_iterate = *at_trial = 0;
    for (size_t i = 0; i < run->problem->n; i++) {
        double d = run->trial.z[i] - run->iterate.z[i];
        *at_iterate += run->iterate.gradient[i] * d;
        *at_trial += run->trial.gradient[i] * d;
    }
}

/* NLopt must come to an end without another evaluation: a flat low point is accepted by any line search. */
static double end_round(const round_state *s, unsigned n, double *gradient)
{
    nlopt_force_stop(s->nlopt);
    if (gradient) memset(gradient, 0, n * sizeof *gradient);
    return s->run->scale * s->run->iterate.J - 1;
}

static double objective(unsigned n, const double *z, double *gradient, void *context)
{
    round_state *s = context;
    pio_run *run = s->run;
    const pio_point *at = &run->iterate;
    if (run->stopped || s->without_step++ >= PATIENCE) return end_round(s, n, gradient);
    if (memcmp(z, at->z, n * sizeof *z) != 0) {
        if (!pio_run_evaluate(run, z)) return end_round(s, n, gradient);
        double before, after;
        slopes(run, &before, &after);
        at = &run->trial;
        if (pio_run_improves(run, &run->iterate, &run->trial, before)) {
            bool settled = run->definition->type == PIO_MMA || fabs(after) <= curvature * fabs(before);
            run->result->iterations++;
            s->without_step = 0;
            if (!pio_run_accept(run, settled)) return end_round(s, n, gradient);
            at = &run->iterate;
        }
    }
    if (gradient) {
        for (unsigned i = 0; i < n; i++) gradient[i] = run->scale * at->gradient[i];
    }
    return run->scale * at->J;
}

/* NLopt asks for J first, and then for c at the same point: it is the iterate, if it was accepted, or the trial. */
static void constraints(unsigned m, double *c, unsigned n, const double *z, double *gradient, void *context)
{
    const round_state *s = context;
    const pio_point *at = memcmp(z, s->run->iterate.z, n * sizeof *z) == 0 ? &s->run->iterate : &s->run->trial;
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

/* One round from the iterate; false when NLopt failed in a way that is no answer. */
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
                                              : "NLopt refused its arguments for %u design variables%s%s",
                     n, text ? ": " : "", text ? text : "");
    }
    nlopt_destroy(s.nlopt);
    return !run->stopped; /* FORCED_STOP, FAILURE, ROUNDOFF_LIMITED and the successes: the round has ended */
}

void pio_run_nlopt(pio_run *run)
{
    double *z = malloc(run->problem->n * sizeof *z);
    if (!z) {
        pio_run_stop(run, PIOLA_NO_MEMORY, PIO_STOP_FAILED, "no memory for %zu design variables", run->problem->n);
        return;
    }
    for (int before = -1; !run->stopped && before < run->result->iterations;) {
        before = run->result->iterations;
        run->scale = pio_run_scale(run->iterate.gradient, run->problem->n);
        run_round(run, z);
    }
    free(z);
    if (run->stopped) return;
    const bool kept = run->result->violation <= run->definition->feasibility, asked = kept && !pio_run_has_stops(run);
    if (!kept) {
        pio_run_stop(
            run, PIOLA_NO, PIO_STOP_NO_PROGRESS,
            "not converged: after iteration %d no step of mma brings the design nearer to its constraints, of which "
            "one is missed by %.3g; they may contradict each other or the bounds",
            run->result->iterations, run->result->violation);
        return;
    }
    pio_run_stop(
        run, asked ? PIOLA_OK : PIOLA_NO, PIO_STOP_NO_PROGRESS,
        "%s: after iteration %d no step of %s lowers the objective %.6g, projected gradient %.6g: this is as far "
        "as rounding allows, or the gradient is wrong (piola check)",
        asked ? "done" : "not converged", run->result->iterations, pio_optimizer_name(run->definition->type),
        run->iterate.J, run->result->projected_gradient);
}
