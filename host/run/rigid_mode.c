/* rigid_mode.c -- see rigid_mode.h. */
#include "host/run/rigid_mode.h"

#include <math.h>
#include <stdio.h>

/* Returns whether mode number `mode`, from 1, of the last run is a rigid motion. */
static bool is_rigid(const pio_session *s, int64_t mode)
{
    pio_step_record r;
    return s->engine.table->record(s->sim, mode - 1, &r) && !(r.eigenvalue > 0);
}

static piola_status rigid(const pio_session *s, int observation, int64_t mode, piola_error *error)
{
    char path[64], higher[80] = "a larger time.modes and a higher mode";
    int64_t first = mode;
    if (!error) return PIOLA_NUMERICAL;
    while (first <= s->model->steps && is_rigid(s, first)) first++;
    if (first <= s->model->steps) snprintf(higher, sizeof higher, "a mode from %lld on", (long long)first);
    snprintf(path, sizeof path, "observe[%d].mode", observation);
    pio_scene_fault(s->scene, error, path,
                    "mode %lld is a rigid motion, and its frequency, 0 Hz, has no derivative: support the body, or "
                    "take %s",
                    (long long)mode, higher);
    error->status = PIOLA_NUMERICAL;
    error->failure.kind = PIOLA_FAILED_REPEATED;
    error->failure.step = mode;
    return PIOLA_NUMERICAL;
}

piola_status pio_rigid_mode_check(const pio_session *s, const double *samples_bar, piola_error *error)
{
    const pio_engine_desc *d = &s->model->desc;
    if (!s->model->fem || s->scene->fem.integrator != PIO_MODAL) return PIOLA_OK;
    for (int32_t i = 0; i < d->n_sample_weights; i++) {
        const pio_sample_weight *w = &d->sample_weights[i];
        if (d->observations[w->observation].type != PIO_EIGENFREQUENCY) continue;
        const double bar = w->weight * samples_bar[s->model->outputs[w->observation].first + w->sample];
        if (fabs(bar) > 0 && is_rigid(s, w->step)) return rigid(s, w->observation, w->step, error);
    }
    return PIOLA_OK;
}
