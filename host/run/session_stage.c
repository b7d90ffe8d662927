/* session_stage.c -- stages of an optimisation, in which projections of designs become sharper (session.h). */
#include "host/run/session.h"

#include <math.h>

/* Returns the sharpness of a design in a stage: it doubles from one to the next, up to its end. */
static double sharpness_of(const scene_design *d, int stage)
{
    const double grown = ldexp(d->sharpness, stage);
    return d->double_every > 0 ? fmin(grown, d->sharpest) : d->sharpness;
}

int pio_session_stages(const pio_session *s, int *evaluations)
{
    int stages = 1;
    *evaluations = 0;
    for (int k = 0; k < s->model->n_parameters; k++) {
        const scene_design *d = s->model->parameters[k].design;
        if (!(s->model->designs[k].sharpness > 0) || d->double_every <= 0) continue;
        *evaluations = d->double_every;
        while (sharpness_of(d, stages - 1) < d->sharpest) stages++;
    }
    return stages;
}

void pio_session_begin_stage(pio_session *s, int stage)
{
    for (int k = 0; k < s->model->n_parameters; k++) {
        pio_design_desc *d = &s->model->designs[k];
        if (!(d->sharpness > 0)) continue;
        d->sharpness = sharpness_of(s->model->parameters[k].design, stage);
        if (s->sim) s->engine.table->project(s->sim, k, d->sharpness);
    }
}

double pio_session_sharpness(const pio_session *s)
{
    double most = 0;
    for (int k = 0; k < s->model->n_parameters; k++) most = fmax(most, s->model->designs[k].sharpness);
    return most;
}
