/* objective.c -- see objective.h. Terms of design entries are in objective_design.c. */
#include "host/model/objective_design.h"

#include "host/data/csv.h"
#include "host/base/fail.h"
#include "host/scene/scene_query.h"
#include "host/scene/words.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int used_components(const pio_term *t)
{
    return t->component < 0 ? t->output->components : 1;
}

/* Checks that the rows of the table are the samples of the observation, in order. */
static piola_status check_times(const pio_model *m, const pio_term *t, const pio_csv *csv, int time, size_t number,
                                piola_error *error)
{
    char path[64];
    snprintf(path, sizeof path, "objective[%zu].data.file", number);
    if (csv->n_rows != (size_t)t->output->samples)
        return pio_scene_fault(m->scene, error, path,
                               "%s has %zu rows, but '%s' is observed at %d times; give it `at:` or "
                               "`every:` with the times of the file",
                               csv->path, csv->n_rows, t->output->name, t->output->samples);
    for (size_t k = 0; k < csv->n_rows; k++) {
        const double given = csv->values[k * csv->n_columns + (size_t)time], observed = t->output->time[k];
        if (!(fabs(given - observed) <= 1e-6 * m->scene->time.dt + 1e-9 * fabs(observed)))
            return pio_csv_fault(csv, k, (size_t)time, error,
                                 "the time %.9g s is not that of sample %zu of '%s', %.9g s", given, k, t->output->name,
                                 observed);
    }
    return PIOLA_OK;
}

static piola_status load_data(const pio_model *m, pio_term *t, size_t number, piola_error *error)
{
    char path[PATH_MAX];
    pio_csv csv;
    const int components = used_components(t);
    piola_status rc = pio_scene_file(m->scene, t->term->data_file, path, sizeof path, error);
    if (rc) return rc;
    rc = pio_csv_load(&csv, path, error);
    const int time = rc ? -1 : pio_csv_column(&csv, t->term->time_column, error);
    if (!rc) rc = time < 0 ? PIOLA_BAD_DATA : check_times(m, t, &csv, time, number, error);
    if (!rc) {
        t->data = malloc(sizeof(double) * csv.n_rows * (size_t)components);
        if (!t->data) rc = pio_fail_memory(error, sizeof(double) * csv.n_rows * (size_t)components, "data");
    }
    for (int c = 0; !rc && c < components; c++) {
        const int column = pio_csv_column(&csv, t->term->columns.v[c], error);
        if (column < 0) rc = PIOLA_BAD_DATA;
        for (size_t k = 0; !rc && k < csv.n_rows; k++)
            t->data[k * (size_t)components + (size_t)c] = csv.values[k * csv.n_columns + (size_t)column];
    }
    pio_csv_free(&csv);
    return rc;
}

/* Returns whether one of the first `n` terms has this name. */
static bool is_taken(const pio_objective *o, const char *name, size_t n)
{
    size_t i = 0;
    while (i < n && strcmp(o->terms[i].name, name) != 0) i++;
    return i < n;
}

/* Names a term after its type and what it is of, with a number behind where a term before has that name. */
static void name_term(const pio_objective *o, pio_term *t, size_t number)
{
    const bool one = t->term->component >= 0;
    snprintf(t->name, sizeof t->name, "%s_%.48s%s%s", pio_term_words[t->term->type], t->term->of, one ? "_" : "",
             one ? pio_component_words[t->term->component] : "");
    const size_t length = strlen(t->name);
    for (size_t k = number; is_taken(o, t->name, number); k++)
        snprintf(t->name + length, sizeof t->name - length, "_%zu", k);
}

piola_status pio_objective_create(pio_objective *out, const pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    *out = (pio_objective){.terms = calloc(s->goal.n_objective + 1, sizeof *out->terms), .n = s->goal.n_objective};
    if (!out->terms) return pio_fail_memory(error, s->goal.n_objective * sizeof *out->terms, "the objective");
    for (size_t i = 0; i < out->n; i++) {
        pio_term *t = &out->terms[i];
        t->term = &s->goal.objective[i];
        for (int o = 0; !pio_term_of_design(s, t->term) && o < m->n_outputs; o++)
            if (!strcmp(m->outputs[o].name, t->term->of)) {
                t->output = &m->outputs[o];
                t->component = pio_observe_component(s, &s->goal.observe[o], t->term->component);
            }
        name_term(out, t, i);
        piola_status rc = PIOLA_OK;
        if (!t->output) rc = pio_design_term_create(t, m, error);
        if (!rc && !t->output && !t->n_targets) rc = pio_fail(error, PIOLA_INTERNAL, "objective %zu is of nothing", i);
        if (t->term->type == SCENE_MISFIT) rc = load_data(m, t, i, error);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

void pio_objective_free(pio_objective *o)
{
    for (size_t i = 0; o->terms && i < o->n; i++) {
        free(o->terms[i].data);
        pio_design_term_free(&o->terms[i]);
    }
    free(o->terms);
    *o = (pio_objective){0};
}

/* Returns the part of time that sample k stands for in the trapezoidal rule, s. */
static double interval(const pio_output *o, int k)
{
    const double before = k > 0 ? o->time[k - 1] : o->time[0];
    const double after = k + 1 < o->samples ? o->time[k + 1] : o->time[o->samples - 1];
    return (after - before) / 2;
}

/* Returns (mean |y|^p)^(1/p) of the samples of a term that is one, else 0. */
static double norm_of(const pio_term *t, const double *samples)
{
    const double *y = samples + t->output->first + (t->component < 0 ? 0 : t->component);
    double largest = 0, sum = 0;
    if (t->term->type != SCENE_PNORM) return 0;
    for (int k = 0; k < t->output->samples; k++) largest = fmax(largest, fabs(y[k * t->output->components]));
    for (int k = 0; largest > 0 && k < t->output->samples; k++)
        sum += pow(fabs(y[k * t->output->components]) / largest, t->term->power);
    return largest * pow(sum / t->output->samples, 1 / t->term->power);
}

/* Returns the contribution of one value to a term, and its derivative in *slope; see norm_of(). */
static double contribution(const pio_term *t, double y, int k, int c, double norm, double *slope)
{
    const double w = t->term->weight;
    switch (t->term->type) {
    case SCENE_TARGET: {
        const double d = y - t->term->value.v[t->term->value.n == 1 ? 0 : (size_t)c];
        *slope = 2 * w * d;
        return w * d * d;
    }
    case SCENE_ABSOLUTE: {
        const double d = y - t->term->value.v[t->term->value.n == 1 ? 0 : (size_t)c];
        return w * pio_smooth_absolute(d, t->term->width, w, slope);
    }
    case SCENE_MISFIT: {
        const double r = (y - t->data[k * used_components(t) + c]) / t->term->sigma;
        *slope = w * r / t->term->sigma;
        return w / 2 * r * r;
    }
    case SCENE_INTEGRAL:
        *slope = w * interval(t->output, k);
        return *slope * y;
    case SCENE_PNORM: {
        const double part = norm > 0 ? fabs(y) / norm : 0;
        *slope = copysign(w * pow(part, t->term->power - 1) / t->output->samples, y);
        return *slope * y;
    }
    default:
        *slope = (t->term->type == SCENE_MINIMIZE ? w : -w) / t->output->samples;
        return *slope * y;
    }
}

bool pio_objective_of_design(const pio_objective *o, const pio_model *m, const double *filtered, double *filtered_bar)
{
    bool any = false;
    memset(filtered_bar, 0, sizeof *filtered_bar * (size_t)m->n_variables);
    for (size_t i = 0; i < o->n; i++) {
        if (o->terms[i].output) continue;
        pio_design_term(&o->terms[i], m, filtered, filtered_bar);
        any = true;
    }
    return any;
}

double pio_objective_evaluate(const pio_objective *o, const pio_model *m, const double *samples, const double *filtered,
                              double *values, double *samples_bar)
{
    double J = 0;
    if (samples_bar) memset(samples_bar, 0, sizeof(double) * (size_t)m->n_samples);
    for (size_t i = 0; i < o->n; i++) {
        const pio_term *t = &o->terms[i];
        const int used = t->output ? used_components(t) : 0;
        const double norm = t->output ? norm_of(t, samples) : 0;
        double sum = t->output ? 0 : pio_design_term(t, m, filtered, NULL);
        for (int k = 0; t->output && k < t->output->samples; k++)
            for (int c = 0; c < used; c++) {
                const int of = t->component < 0 ? c : t->component;
                const int at = t->output->first + k * t->output->components + of;
                double slope;
                sum += contribution(t, samples[at], k, c, norm, &slope);
                if (samples_bar) samples_bar[at] += slope;
            }
        if (values) values[i] = sum;
        J += sum;
    }
    return J;
}
