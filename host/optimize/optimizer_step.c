/* optimizer_step.c -- Adam, and gradient descent with a line search. Both use the problem's units, w = z / unit, so
 * that a step does not depend on the scale of z. */
#include "host/optimize/optimizer_run.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST_CUTS = 40
}; /* consecutive halvings of gradient descent's step; fewer than PIO_MOST_REJECTED would hide that end */

static double unit_of(const pio_run *run, size_t i)
{
    return run->problem->unit ? run->problem->unit[i] : 1;
}

static double clamped(const pio_run *run, size_t i, double z)
{
    return fmin(fmax(z, run->problem->lower[i]), run->problem->upper[i]);
}

static double *workspace(pio_run *run, size_t arrays)
{
    double *memory = calloc(arrays * run->problem->n, sizeof *memory);
    if (!memory)
        pio_run_stop(run, PIOLA_NO_MEMORY, PIO_STOP_FAILED, "no memory for the steps of %zu design variables",
                     run->problem->n);
    return memory;
}

/* ---- Adam ------------------------------------------------------------------------------------------------ */

/* Takes one step along `step`, or a fraction of it, halved until the point can be computed. The fraction grows back by
 * 2 per step, so that a long path along the boundary of the points that can be computed costs about two evaluations per
 * step. Returns false if the run has stopped. */
static bool take_step(pio_run *run, const double *step, double *z, double *fraction)
{
    do {
        for (size_t i = 0; i < run->problem->n; i++) z[i] = clamped(run, i, run->iterate.z[i] - *fraction * step[i]);
        if (!pio_run_evaluate(run, z)) return false;
        if (run->trial.failed) *fraction /= 2;
    } while (run->trial.failed);
    run->result->iterations++;
    const bool whole = *fraction >= 1;
    *fraction = fmin(1, 2 * *fraction);
    return pio_run_accept(run, whole);
}

/* Adam is algorithm 1 of Kingma and Ba 2015, with its constants; each step is projected onto the bounds. */
void pio_run_adam(pio_run *run)
{
    const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    const size_t n = run->problem->n;
    double *m = workspace(run, 4), power1 = 1, power2 = 1, fraction = 1;
    if (!m) return;
    double *v = m + n, *step = v + n, *z = step + n;
    run->scale = pio_run_scale(run->iterate.gradient, run->problem->unit, n);
    while (!run->stopped) {
        power1 *= beta1;
        power2 *= beta2;
        for (size_t i = 0; i < n; i++) {
            const double unit = unit_of(run, i), g = run->scale * unit * run->iterate.gradient[i];
            m[i] = beta1 * m[i] + (1 - beta1) * g;
            v[i] = beta2 * v[i] + (1 - beta2) * g * g;
            step[i] =
                unit * (run->definition->learning_rate * (m[i] / (1 - power1)) / (sqrt(v[i] / (1 - power2)) + epsilon));
        }
        take_step(run, step, z, &fraction);
    }
    free(m);
}

/* ---- gradient descent ------------------------------------------------------------------------------------ */

/* Returns the largest |dJ/dw| of a variable that the descent can change. */
static double free_slope(const pio_run *run)
{
    const pio_optimizer_problem *p = run->problem;
    double largest = 0;
    for (size_t i = 0; i < p->n; i++) {
        const double g = run->iterate.gradient[i];
        const bool at_bound =
            (g > 0 && run->iterate.z[i] <= p->lower[i]) || (g < 0 && run->iterate.z[i] >= p->upper[i]);
        if (!at_bound) largest = fmax(largest, fabs(g) * unit_of(run, i));
    }
    return largest;
}

/* Returns the fraction of a step to try next: the half of one that failed; for one that did not lower J enough, the
 * minimum of the parabola through J, its slope at the iterate and J at the trial, between a tenth and the half. */
static double shortened(const pio_run *run, double slope)
{
    const double bend = run->trial.J - run->iterate.J - slope;
    if (run->trial.failed || !(bend > 0)) return 0.5;
    return fmin(fmax(-slope / (2 * bend), 0.1), 0.5);
}

/* Searches along the projection of the gradient onto the bounds (Bertsekas 1976), from a largest change of `*length` in
 * w. After an iteration whose first trial was accepted, the next begins with twice that. Returns false if the run has
 * stopped or no step lowers J. */
static bool descend(pio_run *run, double *z, double *length)
{
    const double largest = free_slope(run);
    if (!(largest > 0)) return false;
    for (int cuts = 0; cuts <= MOST_CUTS; cuts++) {
        const double t = *length / largest;
        double before, after;
        bool moved = false;
        for (size_t i = 0; i < run->problem->n; i++) {
            const double unit = unit_of(run, i);
            z[i] = clamped(run, i, run->iterate.z[i] - t * (run->iterate.gradient[i] * unit) * unit);
            moved |= z[i] > run->iterate.z[i] || z[i] < run->iterate.z[i];
        }
        if (!moved || !pio_run_evaluate(run, z)) return false;
        pio_run_slopes(run, &before, &after);
        if (!run->trial.failed && pio_run_improves(run, &run->iterate, &run->trial, before)) {
            if (cuts == 0) *length *= 2;
            run->result->iterations++;
            return pio_run_accept(run, fabs(after) <= PIO_SETTLED_SLOPE * fabs(before));
        }
        *length *= shortened(run, before);
    }
    return false;
}

void pio_run_descent(pio_run *run)
{
    double *z = workspace(run, 1), length = run->definition->learning_rate;
    if (!z) return;
    while (descend(run, z, &length)) continue;
    if (!run->stopped) pio_run_no_progress(run);
    free(z);
}
