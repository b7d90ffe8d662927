/* model_observe.c -- makes samples from observations, and from samples their weights at steps.
 *
 * A sample at a time between two steps interpolates linearly; a window is the mean of that interpolant over the window.
 * For a distance from given points the positions are interpolated, not their squared distance. */
#include "host/base/fail.h"
#include "host/model/model_fem.h"
#include "host/model/model_target.h"
#include "host/model/room.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_query.h"
#include "host/base/signals.h"
#include "host/base/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pio_sample_weight *v; /* [n] sample weights */
    size_t n, space;      /* number of them; room for them */
    bool failed;          /* there is no memory, or the user interrupted */
} sample_weight_list;

static void add_sample_weight(sample_weight_list *l, int64_t step, int observation, int sample, double weight,
                              double past)
{
    if ((step & 65535) == 65535) l->failed |= pio_interrupted();
    if (!(fabs(weight) > 0) || l->failed) return;
    if (l->n == l->space) {
        const size_t space = l->space ? 2 * l->space : 64;
        const bool room = space < 1 << 20 || (!pio_interrupted() && (double)space * sizeof *l->v <= pio_room_bytes());
        pio_sample_weight *v = room ? realloc(l->v, space * sizeof *v) : NULL;
        if (!v) {
            l->failed = true;
            return;
        }
        l->v = v;
        l->space = space;
    }
    l->v[l->n++] = (pio_sample_weight){step, observation, sample, weight, past};
}

static void add_sample_at(sample_weight_list *l, const pio_model *m, int o, int sample, double time)
{
    const double u = time / m->scene->time.dt;
    const bool places = m->scene->goal.observe[o].type == PIO_DISTANCE;
    const double near = places ? 1e-9 : 1e-6; /* of a step; a squared distance shows the square of what is neglected */
    int64_t s = (int64_t)floor(u);
    double f = u - (double)s;
    if (f > 1 - near) {
        s++;
        f = 0;
    }
    if (f < near) f = 0;
    if (s >= m->steps) {
        s = m->steps;
        f = 0;
    }
    if (places && f > 0) {
        add_sample_weight(l, s + 1, o, sample, 1, 1 - f);
        return;
    }
    add_sample_weight(l, s, o, sample, 1 - f, 0);
    add_sample_weight(l, s + 1, o, sample, f, 0);
}

/* Mean of the interpolant over [t0, t1]: on one step's interval from u to v (0 <= u < v <= 1) the hat functions
 * integrate to (v - u) - (v^2 - u^2)/2 and (v^2 - u^2)/2. */
static void add_sample_over(sample_weight_list *l, const pio_model *m, int o, const double over[2])
{
    const double a = over[0] / m->scene->time.dt, b = fmin(over[1] / m->scene->time.dt, (double)m->steps),
                 length = b - a;
    if (!(length > 1e-6)) { /* shorter than the resolution of times */
        add_sample_at(l, m, o, 0, over[0]);
        return;
    }
    double pending = 0; /* weight of step s from the interval before it */
    int64_t s = (int64_t)floor(a);
    for (; (double)s < b && !l->failed; s++) {
        const double u = fmax(a - (double)s, 0), v = fmin(b - (double)s, 1), right = (v * v - u * u) / 2;
        add_sample_weight(l, s, o, 0, (pending + (v - u) - right) / length, 0);
        pending = right;
    }
    add_sample_weight(l, s, o, 0, pending / length, 0);
}

/* ---- all observations ----------------------------------------------------------------------------------- */

static piola_status set_times(pio_model *m, int o, piola_error *error)
{
    const scene_observe *s = &m->scene->goal.observe[o];
    pio_observation_desc *d = &m->observations[o];
    if (s->type == PIO_DISTANCE) return pio_model_points(m, o, error);
    const bool window = s->over[0] >= 0;
    d->samples = window || s->at.n == 0 ? 1 : (int32_t)s->at.n;
    double *time = malloc(sizeof *time * (size_t)d->samples);
    if (!time) return pio_fail_memory(error, sizeof *time * (size_t)d->samples, "samples");
    for (int k = 0; k < d->samples; k++)
        time[k] = s->mode.n ? s->mode.v[0]
                  : window  ? (s->over[0] + s->over[1]) / 2
                  : s->at.n ? s->at.v[k]
                            : m->scene->time.duration;
    m->outputs[o].time = time;
    return PIOLA_OK;
}

/* Frequencies are observed at the steps that are their modes, with equal weights where there are several. */
static void add_modes(sample_weight_list *l, const scene_observe *s, int o)
{
    const int64_t first = llround(s->mode.v[0]), last = s->mode.n > 1 ? llround(s->mode.v[1]) : first;
    for (int64_t k = first; k <= last; k++) add_sample_weight(l, k, o, 0, 1 / (double)(last - first + 1), 0);
}

/* Checks the memory for sample weights: an observation over all time or a window has one for each step; the list grows
 * by doubling. */
static piola_status check_sample_weights(const pio_model *m, const scene_observe *s, piola_error *error)
{
    const bool of_control = s->type == PIO_EFFORT || s->type == PIO_SMOOTHNESS;
    const double steps = of_control        ? (double)m->steps
                         : s->over[0] >= 0 ? (s->over[1] - s->over[0]) / m->scene->time.dt
                                           : 0;
    char what[120];
    snprintf(what, sizeof what, "observation '%.40s': samples of %.4g steps", s->name, steps);
    return pio_room(3 * steps * (double)sizeof(pio_sample_weight), what, error);
}

/* Returns the number of an obstacle of the scene. */
static int32_t obstacle_number(const pio_scene *s, const char *name)
{
    int32_t o = 0;
    while ((size_t)o + 1 < s->obstacles.n && strcmp(s->obstacles.v[o].name, name) != 0) o++;
    return o;
}

static piola_status add_observation(pio_model *m, int o, sample_weight_list *weights, piola_error *error)
{
    const scene_observe *s = &m->scene->goal.observe[o];
    pio_observation_desc *d = &m->observations[o];
    *d = (pio_observation_desc){.type = s->type,
                                .body = s->body ? pio_scene_body_number(m->scene, s->body) : -1,
                                .components = pio_observe_components(m->scene, s),
                                .obstacle = s->obstacle ? obstacle_number(m->scene, s->obstacle) : -1,
                                .other = s->other ? pio_scene_body_number(m->scene, s->other) : -1,
                                .axis = s->axis,
                                .sharpness = s->sharpness,
                                .quantile = s->quantile,
                                .measure = s->measure,
                                .power = s->power,
                                .size = m->fem ? pio_model_field_size(m, s) : 1,
                                .center = {s->center[0], s->center[1], s->center[2]}};
    piola_status rc = check_sample_weights(m, s, error);
    if (!rc) rc = set_times(m, o, error);
    const bool of_control = s->type == PIO_EFFORT || s->type == PIO_SMOOTHNESS;
    if (!rc && !m->fem && !of_control) rc = pio_model_target(m, s, d, error);
    if (!rc && of_control) rc = pio_model_channel_weights(m, o, d, error);
    if (!rc && m->fem && s->type >= PIO_OF_CAUCHY_STRESS && !isnan(s->point[0]))
        rc = pio_model_point(m, o, d, error);
    else if (!rc && m->fem && !of_control && s->type >= PIO_VOLUME)
        d->weight = pio_model_element_weights(m, (size_t)o, &rc, error);
    else if (!rc && m->fem && !of_control && s->type != PIO_DISTANCE && s->type != PIO_COMPLIANCE &&
             s->type != PIO_EIGENFREQUENCY && s->type != PIO_GAP)
        d->weight = pio_model_weights(m, (size_t)o, &rc, error);
    if (rc) return rc;
    m->outputs[o].name = s->name;
    m->outputs[o].first = m->n_samples;
    m->outputs[o].samples = d->samples;
    m->outputs[o].components = d->components;
    if ((int64_t)m->n_samples + (int64_t)d->samples * d->components > INT32_MAX / 2)
        return pio_scene_fault(m->scene, error, "observe", "more than %d samples in all", INT32_MAX / 2);
    m->n_samples += d->samples * d->components;
    if (s->type == PIO_EIGENFREQUENCY)
        add_modes(weights, s, o);
    else if (of_control)
        for (int64_t step = 1; step <= m->steps && !weights->failed; step++)
            add_sample_weight(weights, step, o, 0, m->scene->time.dt, 0);
    else if (s->type != PIO_DISTANCE && s->over[0] >= 0)
        add_sample_over(weights, m, o, s->over);
    else
        for (int k = 0; k < d->samples; k++) add_sample_at(weights, m, o, k, m->outputs[o].time[k]);
    return PIOLA_OK;
}

static int by_step(const void *a, const void *b, void *context)
{
    (void)context;
    const pio_sample_weight *p = a, *q = b;
    if (p->step != q->step) return p->step < q->step ? -1 : 1;
    if (p->observation != q->observation) return p->observation < q->observation ? -1 : 1;
    return p->sample < q->sample ? -1 : p->sample > q->sample;
}

piola_status pio_model_observations(pio_model *m, piola_error *error)
{
    const size_t n = m->scene->goal.n_observe;
    sample_weight_list weights = {0};
    piola_status rc = PIOLA_OK;
    m->outputs = calloc(n + 1, sizeof *m->outputs);
    m->observations = calloc(n + 1, sizeof *m->observations);
    if (!m->outputs || !m->observations) return pio_fail_memory(error, n * sizeof *m->observations, "observations");
    m->n_outputs = (int)n;
    for (int o = 0; !rc && o < m->n_outputs; o++) rc = add_observation(m, o, &weights, error);
    if (!rc && weights.failed) rc = pio_stop("listing samples", error);
    if (!rc && weights.failed) rc = pio_fail_memory(error, weights.space * 2 * sizeof(pio_sample_weight), "samples");
    if (!rc) rc = pio_stop_sort(weights.v, weights.n, sizeof *weights.v, by_step, NULL, "sorting samples", error);
    if (!rc && weights.n > INT32_MAX)
        rc = pio_scene_fault(m->scene, error, "observe", "%zu samples of steps; at most %d are possible", weights.n,
                             INT32_MAX);
    m->sample_weights = weights.v;
    m->desc.sample_weights = weights.v;
    m->desc.n_sample_weights = (int32_t)weights.n;
    m->desc.observations = m->observations;
    m->desc.n_observations = m->n_outputs;
    return rc;
}
