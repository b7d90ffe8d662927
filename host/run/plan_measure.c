/* plan_measure.c -- measures steps, their adjoints and transfers of states on this machine; see plan.h. */
#include "host/run/disk_states.h"
#include "host/base/fail.h"
#include "host/base/path.h"
#include "host/run/plan.h"
#include "solvers/engine/clock.h"

#include <math.h>
#include <stdlib.h>

/* Other processes disturb measurements: short ones are repeated REPETITIONS times, and the least counts. */
enum { REPETITIONS = 3, MOST_STEPS = 64 };
static const double duration = 0.1; /* s, duration of a measurement */

static void keep_least(double *least, double begun)
{
    *least = fmin(*least, pio_clock() - begun);
}

/* Sorts n > 0 values and returns the median. */
static double median_of(double *v, int n)
{
    for (int i = 1; i < n; i++) {
        const double x = v[i];
        int k = i;
        for (; k > 0 && v[k - 1] > x; k--) v[k] = v[k - 1];
        v[k] = x;
    }
    return v[n / 2];
}

/* Measures keeping state `kept`: 1 if there is more than one step, because state 0 may be computed again instead. */
static piola_status measure_store(pio_step_costs *costs, const pio_engine *engine, pio_sim *sim, int64_t kept,
                                  piola_error *error)
{
    piola_status rc = engine->advance(sim, kept, error);
    if (!rc) rc = engine->check(sim, error);
    costs->store = HUGE_VAL;
    for (int i = 0; !rc && i < REPETITIONS; i++) {
        const double begun = pio_clock();
        rc = engine->save(sim, 0, error);
        if (!rc) rc = engine->check(sim, error);
        keep_least(&costs->store, begun);
    }
    return rc;
}

/* Measures the median time of a step, from steps of 0.1 s in all, at least REPETITIONS of them unless they take long;
 * with `all_steps` from all, because the bytes of their residual log are measured too. */
static piola_status measure_steps(pio_step_costs *costs, const pio_engine *engine, pio_sim *sim, int64_t steps,
                                  bool all_steps, int64_t *steps_run, piola_error *error)
{
    double taken[MOST_STEPS], begun = pio_clock(), all = begun;
    piola_status rc = PIOLA_OK;
    int run = 0;
    while (!rc && run < MOST_STEPS && run < steps &&
           (all_steps || pio_clock() - all < (run < REPETITIONS ? 10 : 1) * duration)) {
        rc = engine->advance(sim, 1, error);
        if (!rc) rc = engine->check(sim, error);
        taken[run++] = pio_clock() - begun;
        begun = pio_clock();
    }
    if (!rc) costs->forward = median_of(taken, run);
    *steps_run = run;
    return rc;
}

/* Measures the inverses of the last `run` steps, adjoint steps after them, and the bytes of a step in the residual
 * log. */
static piola_status measure_inverse_steps(pio_step_costs *costs, const pio_engine *engine, pio_sim *sim, int64_t run,
                                          const double *bar, piola_error *error)
{
    int64_t bytes = 0;
    piola_status rc = engine->residual_log_bytes ? engine->residual_log_bytes(sim, &bytes, error) : PIOLA_OK;
    costs->log_bytes_per_step = (double)bytes / (double)engine->step(sim);
    if (!rc) rc = engine->adjoint_begin(sim, bar, error);
    if (!rc) rc = engine->check(sim, error);
    costs->inverse_step = costs->adjoint_after = HUGE_VAL;
    for (int64_t s = 0; !rc && s < run; s++) {
        double begun = pio_clock();
        rc = engine->inverse_step(sim, error);
        if (!rc) rc = engine->check(sim, error);
        keep_least(&costs->inverse_step, begun);
        if (rc || s >= REPETITIONS) continue;
        begun = pio_clock();
        rc = engine->adjoint_step(sim, error);
        if (!rc) rc = engine->check(sim, error);
        keep_least(&costs->adjoint_after, begun);
    }
    return rc;
}

/* Measures the adjoint of the step after the state that was kept, and restoring that state. */
static piola_status measure_adjoint(pio_step_costs *costs, const pio_engine *engine, pio_sim *sim, const double *bar,
                                    piola_error *error)
{
    piola_status rc = engine->load(sim, 0, error);
    if (!rc) rc = engine->advance(sim, 1, error);
    if (!rc) rc = engine->adjoint_begin(sim, bar, error);
    if (!rc) rc = engine->check(sim, error);
    double begun = pio_clock();
    if (!rc) rc = engine->load(sim, 0, error);
    if (!rc) rc = engine->check(sim, error);
    keep_least(&costs->restore, begun);
    begun = pio_clock();
    if (!rc) rc = engine->adjoint_step(sim, error);
    if (!rc) rc = engine->check(sim, error);
    keep_least(&costs->adjoint, begun);
    return rc;
}

static piola_status measure_adjoints(pio_step_costs *costs, const pio_engine *engine, pio_sim *sim, const double *bar,
                                     piola_error *error)
{
    const double all = pio_clock();
    piola_status rc = PIOLA_OK;
    costs->restore = costs->adjoint = HUGE_VAL;
    for (int i = 0; !rc && i < REPETITIONS && (i == 0 || pio_clock() - all < 10 * duration); i++)
        rc = measure_adjoint(costs, engine, sim, bar, error);
    return rc;
}

/* Measures writing the kept state to `slots` slots on disk, and reading them. It is synced, because the states of a
 * longer run would not fit into the system's cache. */
static piola_status measure_transfers(pio_step_costs *costs, pio_disk_states *disk, int64_t slots,
                                      const pio_engine *engine, pio_sim *sim, piola_error *error)
{
    piola_status rc = engine->load(sim, 0, error);
    if (!rc) rc = engine->check(sim, error);
    double begun = pio_clock();
    for (int64_t p = 0; !rc && p < slots; p++) rc = pio_disk_states_keep(disk, p, engine, sim, error);
    if (!rc) rc = pio_disk_states_sync(disk, error);
    costs->write = fmin(costs->write, (pio_clock() - begun) / (double)slots);
    begun = pio_clock();
    for (int64_t p = 0; !rc && p < slots; p++)
        rc = pio_disk_states_fetch(disk, p, engine->step(sim), engine, sim, error);
    if (!rc) rc = engine->check(sim, error);
    costs->read = fmin(costs->read, (pio_clock() - begun) / (double)slots);
    return rc;
}

/* Measures the least time of writing a state to a file in the folder and of reading it, with 64 MiB of states: 2 to 64
 * of them, but at most `most`. */
static piola_status measure_disk(pio_step_costs *costs, const pio_engine *engine, pio_sim *sim, size_t bytes,
                                 const char *folder, int64_t most, piola_error *error)
{
    const double enough = fmin(64, fmax(2, 64.0 * 1048576 / (double)bytes));
    const int64_t slots = most < (int64_t)enough ? most : (int64_t)enough;
    char path[PIO_PATH];
    pio_disk_states *disk = NULL;
    if (slots < 1) return PIOLA_OK;
    snprintf(path, sizeof path, "%s/piola-measure.h5", folder);
    piola_status rc = pio_disk_states_create(&disk, path, slots, bytes, error);
    costs->write = costs->read = HUGE_VAL;
    for (int i = 0; !rc && i < REPETITIONS; i++) rc = measure_transfers(costs, disk, slots, engine, sim, error);
    pio_disk_states_free(disk);
    return rc;
}

static piola_status measure(pio_step_costs *costs, const pio_engine *engine, pio_sim *sim, const pio_engine_desc *desc,
                            const double *z, const double *bar, piola_error *error)
{
    int64_t run = 0;
    bool estimated;
    const bool reversible = pio_plan_reversible(desc, &estimated);
    const int64_t kept = desc->steps > 1 && !reversible; /* a residual log begins with state 0 */
    piola_status rc = engine->start(sim, z, error);
    if (rc || !desc->steps) return rc;
    rc = measure_store(costs, engine, sim, kept, error);
    if (!rc) rc = measure_steps(costs, engine, sim, desc->steps - kept, estimated, &run, error);
    if (!rc && reversible) rc = measure_inverse_steps(costs, engine, sim, run, bar, error);
    return rc ? rc : measure_adjoints(costs, engine, sim, bar, error);
}

/* Limits the number of steps of a reversible integrator, and gives its log the bytes of plain states if its own are
 * unknown. */
static void limit_steps(pio_engine_desc *small, const pio_engine_bytes *bytes)
{
    bool estimated;
    if (!pio_plan_reversible(small, &estimated)) return;
    const int64_t most = estimated ? PIO_ESTIMATED_STEPS : MOST_STEPS;
    if (small->steps > most) small->steps = most;
    if (estimated) small->residual_log = (int64_t)bytes->state * small->steps;
}

piola_status pio_plan_measure(pio_step_costs *costs, const pio_engine *engine, const pio_engine_desc *desc,
                              const double *z, const char *folder, int64_t slots, piola_error *error)
{
    pio_engine_desc small = *desc;
    pio_engine_bytes bytes;
    pio_sim *sim = NULL;
    size_t n_samples = 0;
    for (int o = 0; o < desc->n_observations; o++)
        n_samples += (size_t)desc->observations[o].samples * (size_t)desc->observations[o].components;
    double *bar = malloc(sizeof *bar * (n_samples + 1));
    if (!bar) return pio_fail_memory(error, sizeof *bar * n_samples, "a measurement");
    const bool modal = desc->fem && desc->fem->integrator == PIO_MODAL; /* a repeated frequency has no derivative */
    for (size_t i = 0; i < n_samples; i++) bar[i] = modal ? 0 : 1;
    *costs = (pio_step_costs){0};
    small.slots = 1;
    small.residual_log = small.first = 0;
    piola_status rc = engine->measure(&small, &bytes, error);
    if (!rc) limit_steps(&small, &bytes);
    if (!rc && !small.residual_log) rc = engine->measure(&small, &bytes, error);
    if (!rc && !small.residual_log) small.residual_log = (int64_t)bytes.residual_log;
    if (!rc) rc = engine->create(&small, &sim, &bytes, error);
    if (!rc) rc = measure(costs, engine, sim, &small, z, bar, error);
    if (!rc && desc->steps > 0 && folder) rc = measure_disk(costs, engine, sim, bytes.state, folder, slots, error);
    if (sim) engine->destroy(sim);
    free(bar);
    return rc;
}
