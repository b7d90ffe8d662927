/* model_observe.c -- makes samples from observations, and from samples their weights at steps.
 *
 * A sample at a time between two steps interpolates linearly; a window is the mean of that interpolant over the window.
 * For a distance from given points the positions are interpolated, not their squared distance. */
#include "host/data/csv.h"
#include "host/base/fail.h"
#include "host/model/model_fem.h"
#include "host/model/model_target.h"
#include "host/model/room.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_query.h"
#include "host/base/signals.h"
#include "host/base/stop.h"

#include <limits.h>
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

/* ---- distance to given points --------------------------------------------------------------------------- */

#define PLACING "placing the points of an observation"

static int by_value(const void *a, const void *b, void *context)
{
    (void)context;
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static piola_status distinct(double *v, size_t n, size_t *kept, piola_error *error)
{
    const piola_status rc = pio_stop_sort(v, n, sizeof *v, by_value, NULL, PLACING, error);
    *kept = 0;
    for (size_t i = 0; !rc && i < n; i++)
        if (*kept == 0 || v[i] > v[*kept - 1]) v[(*kept)++] = v[i];
    return rc;
}

static size_t find(const double *v, size_t n, double x)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        const size_t half = low + (high - low) / 2;
        if (v[half] < x)
            low = half + 1;
        else
            high = half;
    }
    return low;
}

/* Checks that at every time, times[samples] in s, a point has a weight; `time` and `weight` are numbers of columns. */
static piola_status check_weights(const pio_csv *csv, int time, int weight, const double *times,
                                  const pio_observation_desc *d, piola_error *error)
{
    const size_t n_ids = (size_t)d->rows;
    for (size_t k = 0; d->point_weight && k < (size_t)d->samples; k++) {
        double sum = 0;
        size_t row = 0;
        for (size_t i = 0; i < n_ids; i++) sum += d->point_weight[k * n_ids + i];
        if (sum > 0) continue;
        while (csv->values[row * csv->n_columns + (size_t)time] < times[k] ||
               csv->values[row * csv->n_columns + (size_t)time] > times[k])
            row++;
        return pio_csv_fault(csv, row, (size_t)weight, error, "all weights at %.9g s are 0; one must be above",
                             times[k]);
    }
    return PIOLA_OK;
}

/* Checks the memory for a position of every point at every time: a table with another time in each row would need many
 * positions for few rows. */
static piola_status check_places(size_t n_times, size_t n_ids, int dim, piola_error *error)
{
    const double places = (double)n_times * (double)n_ids;
    if (places * dim > INT32_MAX)
        return pio_fail(
            error, PIOLA_BAD_DATA,
            "%zu times of %zu points make a table of %.4g entries, most of them empty; at most %d are possible",
            n_times, n_ids, places, INT32_MAX / dim);
    return pio_room(places * (double)sizeof(double) * (dim + 1), "points", error);
}

/* Fills marker and points of the description from the table; samples are its distinct times. */
static piola_status place_points(pio_model *m, int o, const pio_csv *csv, const int at[5], int weight,
                                 piola_error *error)
{
    const int dim = m->scene->method.dimension;
    pio_observation_desc *d = &m->observations[o];
    const size_t rows = csv->n_rows, n = (size_t)pio_model_items(m, true);
    const int64_t *bodies = m->fem ? m->fem->node_first : m->body_first;
    const int64_t first = bodies[d->body], end = bodies[d->body + 1];
    double *times = malloc(sizeof(double) * (rows + 1)), *ids = malloc(sizeof(double) * (rows + 1));
    int32_t *marker = malloc(sizeof *marker * n);
    double *points = NULL, *weights = NULL;
    piola_status rc = times && ids && marker ? PIOLA_OK : pio_fail_memory(error, sizeof(double) * rows, "points");
    size_t n_times = 0, n_ids = 0;
    for (size_t r = 0; !rc && r < rows; r++) {
        times[r] = csv->values[r * csv->n_columns + (size_t)at[0]];
        ids[r] = csv->values[r * csv->n_columns + (size_t)at[1]];
        if (ids[r] >= (double)(end - first))
            rc = pio_csv_fault(csv, r, (size_t)at[1], error, "%s %.0f: the body has %lld, numbered from 0",
                               csv->columns[at[1]], ids[r], (long long)(end - first));
    }
    if (!rc) {
        rc = distinct(times, rows, &n_times, error);
        if (!rc) rc = distinct(ids, rows, &n_ids, error);
        if (!rc) rc = check_places(n_times, n_ids, dim, error);
    }
    if (!rc) {
        points = malloc(sizeof(double) * n_times * n_ids * (size_t)dim);
        weights = weight < 0 ? NULL : calloc(n_times * n_ids, sizeof *weights);
        if (!points || (weight >= 0 && !weights))
            rc = pio_fail_memory(error, sizeof(double) * n_times * n_ids * (size_t)dim, "points");
    }
    if (!rc) {
        for (size_t i = 0; i < n; i++)
            marker[i] = -1; /* what is filled below goes to the model even if a row is wrong */
        for (size_t i = 0; i < n_ids; i++) marker[first + (int64_t)ids[i]] = (int32_t)i;
        for (size_t i = 0; i < n_times * n_ids * (size_t)dim; i++) points[i] = NAN;
        for (size_t r = 0; !rc && r < rows; r++) {
            const double *row = csv->values + r * csv->n_columns;
            const size_t k = find(times, n_times, row[at[0]]) * n_ids + find(ids, n_ids, row[at[1]]);
            if (!isnan(points[k * (size_t)dim]))
                rc = pio_csv_fault(csv, r, (size_t)at[1], error, "%s %.0f has two points at %.9g s",
                                   csv->columns[at[1]], row[at[1]], row[at[0]]);
            for (int c = 0; c < dim; c++) points[k * (size_t)dim + (size_t)c] = row[at[2 + c]];
            if (weight >= 0) weights[k] = row[weight];
            if (!rc) rc = pio_stop_at((int64_t)r, PLACING, error);
        }
        d->samples = (int32_t)n_times;
        d->rows = (int32_t)n_ids;
        d->marker = marker;
        d->points = points;
        d->point_weight = weights;
        if (!rc) rc = check_weights(csv, at[0], weight, times, d, error);
        m->outputs[o].time = times;
        marker = NULL;
        times = points = weights = NULL;
    }
    free(times);
    free(ids);
    free(marker);
    free(points);
    free(weights);
    return rc;
}

static piola_status load_points(pio_model *m, int o, piola_error *error)
{
    const char *const names[] = {"time", m->fem ? "node" : "particle", "x", "y", "z"};
    char path[PATH_MAX];
    pio_csv csv;
    int at[5] = {0};
    piola_status rc = pio_scene_file(m->scene, m->scene->goal.observe[o].points_file, path, sizeof path, error);
    if (rc) return rc;
    rc = pio_csv_load(&csv, path, error);
    for (int c = 0; !rc && c < 2 + m->scene->method.dimension; c++) {
        at[c] = pio_csv_column(&csv, names[c], error);
        if (at[c] < 0) rc = PIOLA_BAD_DATA;
    }
    int weight = -1;
    for (size_t c = 0; !rc && c < csv.n_columns; c++)
        if (!strcmp(csv.columns[c], "weight")) weight = (int)c;
    if (!rc) rc = place_points(m, o, &csv, at, weight, error);
    pio_csv_free(&csv);
    snprintf(path, sizeof path, "observe[%d].points.file", o);
    return pio_scene_attribute_error(m->scene, rc, error, path);
}

/* ---- all observations ----------------------------------------------------------------------------------- */

static piola_status set_times(pio_model *m, int o, piola_error *error)
{
    const scene_observe *s = &m->scene->goal.observe[o];
    pio_observation_desc *d = &m->observations[o];
    if (s->type == PIO_DISTANCE) return load_points(m, o, error);
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

static piola_status add_observation(pio_model *m, int o, sample_weight_list *weights, piola_error *error)
{
    const scene_observe *s = &m->scene->goal.observe[o];
    pio_observation_desc *d = &m->observations[o];
    *d = (pio_observation_desc){.type = s->type,
                                .body = s->body ? pio_scene_body_number(m->scene, s->body) : -1,
                                .components = pio_observe_components(m->scene, s),
                                .axis = s->axis,
                                .sharpness = s->sharpness};
    piola_status rc = check_sample_weights(m, s, error);
    if (!rc) rc = set_times(m, o, error);
    const bool of_control = s->type == PIO_EFFORT || s->type == PIO_SMOOTHNESS;
    if (!rc && !m->fem && !of_control) rc = pio_model_target(m, s, d, error);
    if (!rc && of_control) rc = pio_model_channel_weights(m, o, d, error);
    if (!rc && m->fem && s->type >= PIO_VOLUME) {
        d->weight = pio_model_element_weights(m, (size_t)o, &rc, error);
        d->power = s->power;
        d->size = pio_model_stress_size(m);
    } else if (!rc && m->fem && s->type != PIO_DISTANCE && s->type != PIO_COMPLIANCE && s->type != PIO_EIGENFREQUENCY) {
        d->weight = pio_model_weights(m, (size_t)o, &rc, error);
    }
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
