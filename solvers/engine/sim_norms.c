/* sim_norms.c -- norms of the cotangents in an adjoint sweep: sums of squares on the device, read at the end of the
 * sweep or when it is checked. Squares are summed because the rounding errors of the particles or nodes of a state are
 * independent: their joint effect on J is their size times the root of this sum. */
#include "solvers/engine/sim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NORMS = 2048 }; /* of states that nothing observes */

/* Returns whether the samples observe this state, or the motion from it to the next. */
static int observed(const pio_sim *sim, int64_t index)
{
    const int i = sim_first_sample_weight(sim, index);
    return (i < sim->n_sample_weights && sim->sample_weights[i].step == index) ||
           sim_uses_previous_state(sim, index + 1);
}

/* Returns whether the state is the last one or a multiple of the stride before it. */
static int in_turn(const pio_sim *sim, int64_t index)
{
    const int64_t stride = (sim->steps - sim->first + MOST_NORMS - 1) / MOST_NORMS;
    return stride <= 1 || (sim->steps - index) % stride == 0;
}

static int measured(const pio_sim *sim, int64_t index)
{
    return index == sim->first || in_turn(sim, index) || observed(sim, index);
}

int sim_norms_begin(pio_sim *sim)
{
    int n = 0;
    if (!sim->adjoint) return 1;
    for (int64_t s = sim->first; s <= sim->steps; s++) n += measured(sim, s);
    sim->norm_step = malloc(sizeof *sim->norm_step * (size_t)n);
    if (!sim->norm_step) return 0;
    for (int64_t s = sim->first; s <= sim->steps; s++)
        if (measured(sim, s)) sim->norm_step[sim->n_norms++] = s;
    return 1;
}

void sim_norms_start(pio_sim *sim)
{
    sim->norm_last = sim->n_norms;
    pio_queue_zero(&sim->queue, sim->norms, sizeof *sim->norms * NORMS * (size_t)sim->n_norms);
}

/* The entry of a state, or -1. */
static int entry_of(const pio_sim *sim, int64_t index)
{
    int low = 0, high = sim->n_norms;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (sim->norm_step[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sim->n_norms && sim->norm_step[low] == index ? low : -1;
}

/* What arrives at a state that nothing observes is what leaves it: it is summed once. */
void sim_norm(pio_sim *sim, int64_t index, int which, const real *position, const real *velocity, size_t count)
{
    pio_queue *q = &sim->queue;
    const int at = entry_of(sim, index);
    if (at < 0 || (which == NORM_ARRIVED && !observed(sim, index))) return;
    double *out = sim->norms + (size_t)at * NORMS + which;
    if (position) pio_sum(q, krylov_dot, (int)count, NULL, out, .a = position, .b = position);
    if (velocity) pio_sum(q, krylov_dot, (int)count, NULL, out + 1, .a = velocity, .b = velocity);
    sim->norm_last = at;
}

/* ---- read ------------------------------------------------------------------------------------------------- */

/* [n_norms][NORMS] on the host, to be freed; NULL without memory. */
static double *download(pio_sim *sim)
{
    const size_t bytes = sizeof(double) * NORMS * (size_t)sim->n_norms;
    double *all = malloc(bytes);
    if (!all) return NULL;
    pio_queue_download(&sim->queue, all, sim->norms, bytes);
    for (int i = 0; i + 1 < sim->n_norms; i++) { /* the last state has nothing that arrives */
        double *norm = all + (ptrdiff_t)i * NORMS;
        if (!observed(sim, sim->norm_step[i])) memcpy(norm + NORM_ARRIVED, norm + NORM_WITH_SOURCES, 2 * sizeof *norm);
    }
    return all;
}

int64_t sim_adjoint_norms(pio_sim *sim, double spacing, double cells, pio_adjoint_norm *norms)
{
    if (!norms) return sim->n_norms;
    double *all = download(sim);
    if (!all) return 0;
    for (int i = 0; i < sim->n_norms; i++) {
        const double *square = all + (ptrdiff_t)i * NORMS;
        norms[i].step = sim->norm_step[i];
        for (int w = 0; w < 2; w++) {
            norms[i].position[w] = sqrt(square[2 * w]) / spacing;
            norms[i].velocity[w] = sqrt(square[2 * w + 1]);
        }
        norms[i].place = cells > 0 ? cells : sqrt(square[NORM_OF_STATE]);
        norms[i].speed = sqrt(square[NORM_OF_STATE + 1]);
    }
    free(all);
    return sim->n_norms;
}

static int all_finite(const double norm[NORMS])
{
    return isfinite(norm[0]) && isfinite(norm[1]) && isfinite(norm[2]) && isfinite(norm[3]);
}

/* Returns the failure of an adjoint sweep: the cotangents of state `last` were finite and those of `step` are not. */
static piola_status overflowed(const pio_sim *sim, int64_t step, int64_t last, piola_error *error)
{
    const char *more = sizeof(real) == sizeof(float) ? ", or f64" : "";
    char between[80] = "", window[80] = "";
    piola_failure what = sim_failure(PIOLA_FAILED_GRADIENT);
    what.step = step;
    if (last - step > 1) snprintf(between, sizeof between, " or up to %lld after it", (long long)(last - step - 1));
    if (last < sim->steps) snprintf(window, sizeof window, " of at most %.9g s", (double)(sim->steps - last) * sim->dt);
    if (step == sim->steps)
        return sim_fail_as(
            error, PIOLA_NUMERICAL, what,
            "the adjoint overflowed where it begins, in state %lld: a smaller weight of the objective%s, "
            "would be right",
            (long long)step, more);
    return sim_fail_as(error, PIOLA_NUMERICAL, what,
                       "the adjoint overflowed in step %lld%s of the adjoint sweep from step %lld: a shorter "
                       "time.duration, a gradient.window%s%s, would be right",
                       (long long)step, between, (long long)sim->steps, window, more);
}

piola_status sim_check_adjoint(pio_sim *sim, piola_error *error)
{
    double norm[NORMS] = {0};
    if (sim->norm_last >= sim->n_norms) return sim_failed(sim, error);
    pio_queue_download(&sim->queue, norm, sim->norms + (size_t)sim->norm_last * NORMS, sizeof norm);
    if (pio_queue_failed(&sim->queue)) return sim_failed(sim, error);
    if (all_finite(norm)) return PIOLA_OK;
    double *all = download(sim);
    int bad = sim->n_norms - 1;
    if (!all) return sim_fail(error, PIOLA_NO_MEMORY, "no memory for %d norms of the adjoint", sim->n_norms);
    while (bad > 0 && all_finite(all + (ptrdiff_t)bad * NORMS)) bad--;
    free(all);
    return overflowed(sim, sim->norm_step[bad], bad + 1 < sim->n_norms ? sim->norm_step[bad + 1] : sim->steps, error);
}

piola_status sim_solve_overflowed(pio_sim *sim, piola_status rc, piola_error *error)
{
    double norm[NORMS] = {0};
    const double most = sizeof(real) == sizeof(float) ? (double)FLT_MAX : DBL_MAX;
    if (rc != PIOLA_NUMERICAL || !error || error->failure.cause != PIOLA_FAILED_NOT_FINITE) return rc;
    if (sim->norm_last >= sim->n_norms) return rc;
    pio_queue_download(&sim->queue, norm, sim->norms + (size_t)sim->norm_last * NORMS, sizeof norm);
    if (pio_queue_failed(&sim->queue)) return sim_failed(sim, error);
    const double size = sqrt(fmax(norm[NORM_WITH_SOURCES], norm[NORM_WITH_SOURCES + 1]));
    return isfinite(size) && size < pow(most, 0.6) ? rc : overflowed(sim, sim->index, sim->index + 1, error);
}
