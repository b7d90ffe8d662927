/* residual.c -- see residual.h. */
#include "host/model/residual.h"

#include "host/base/fail.h"
#include "host/optimize/optimizer.h"
#include "host/scene/scene_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Appends the residuals of a term of an observation. */
static void add_observed(pio_residuals *all, const pio_term *t)
{
    const pio_output *o = t->output;
    const int used = t->component < 0 ? o->components : 1;
    const bool misfit = t->term->type == SCENE_MISFIT;
    for (int k = 0; k < o->samples; k++)
        for (int c = 0; c < used; c++) {
            const scene_numbers *value = &t->term->value;
            all->list[all->n++] =
                (pio_residual){.factor = misfit ? sqrt(t->term->weight) / t->term->sigma : sqrt(2 * t->term->weight),
                               .expected = misfit ? t->data[k * used + c] : value->v[value->n == 1 ? 0 : c],
                               .at = o->first + k * o->components + (t->component < 0 ? c : t->component)};
        }
}

/* Appends the residuals of a prior. */
static void add_prior(pio_residuals *all, const pio_term *t, const pio_model *m)
{
    const scene_numbers *mean = &t->term->mean;
    for (int k = 0; k < t->n_targets; k++) {
        const pio_parameter *p = &m->parameters[t->target[k]];
        for (int i = 0; i < p->groups * p->components; i++)
            all->list[all->n++] =
                (pio_residual){.factor = sqrt(t->term->weight) / t->term->sigma,
                               .expected = mean->n ? mean->v[mean->n == 1 ? 0 : i % p->components] : p->initial[i],
                               .at = p->first + i};
    }
}

piola_status pio_residuals_create(pio_residuals *out, const pio_objective *o, const pio_model *m, piola_error *error)
{
    const size_t most = o->n * (size_t)(m->n_samples + m->n_variables) + 1;
    *out = (pio_residuals){.list = calloc(most, sizeof *out->list)};
    if (!out->list) return pio_fail_memory(error, most * sizeof *out->list, "the residuals");
    for (size_t i = 0; i < o->n; i++)
        if (o->terms[i].output && o->terms[i].term->weight > 0) add_observed(out, &o->terms[i]);
    out->observed = out->n;
    for (size_t i = 0; i < o->n; i++)
        if (!o->terms[i].output && o->terms[i].term->weight > 0) add_prior(out, &o->terms[i], m);
    if (out->n == 0)
        return pio_scene_fault(m->scene, error, "objective",
                               "levenberg_marquardt needs residuals, and no term has a weight above 0");
    if (out->observed > PIO_MOST_RESIDUALS)
        return pio_scene_fault(m->scene, error, "objective",
                               "%d samples are compared, and levenberg_marquardt needs an adjoint sweep for each, at "
                               "most %d; observe fewer, or use lbfgs, which needs one for all",
                               out->observed, PIO_MOST_RESIDUALS);
    if (m->n_variables > PIO_MOST_SQUARES_VARIABLES)
        return pio_scene_fault(m->scene, error, "design",
                               "%d variables are more than the %d that levenberg_marquardt takes; use lbfgs",
                               m->n_variables, PIO_MOST_SQUARES_VARIABLES);
    return PIOLA_OK;
}

void pio_residuals_free(pio_residuals *residuals)
{
    free(residuals->list);
    *residuals = (pio_residuals){0};
}

/* Returns the value, SI, that variable number `at` has; sets *slope to its derivative with respect to the filtered
 * variable: value = a + b z~, or exp(a + b z~). */
static double value_of(const pio_model *m, int at, const double *filtered, double *slope)
{
    int k = 0;
    while (k + 1 < m->n_parameters && m->parameters[k + 1].first <= at) k++;
    const pio_design_desc *d = &m->designs[k];
    const double linear = fma(d->b, filtered[at], d->a), v = d->logarithmic ? exp(linear) : linear;
    *slope = d->b * (d->logarithmic ? v : 1);
    return v;
}

void pio_residuals_evaluate(const pio_residuals *all, const pio_model *m, const double *samples, const double *filtered,
                            double *r)
{
    double unused;
    for (int j = 0; j < all->n; j++) {
        const pio_residual *of = &all->list[j];
        const double y = j < all->observed ? samples[of->at] : value_of(m, of->at, filtered, &unused);
        r[j] = of->factor * (y - of->expected);
    }
}

void pio_residual_slope(const pio_residuals *all, int j, const pio_model *m, double *samples_bar)
{
    memset(samples_bar, 0, sizeof *samples_bar * (size_t)m->n_samples);
    samples_bar[all->list[j].at] = all->list[j].factor;
}

void pio_residual_of_design(const pio_residuals *all, int j, const pio_model *m, const double *filtered,
                            double *filtered_bar, double *z_bar)
{
    const size_t bytes = sizeof *z_bar * (size_t)m->n_variables;
    double slope;
    memset(z_bar, 0, bytes);
    memset(filtered_bar, 0, bytes);
    value_of(m, all->list[j].at, filtered, &slope);
    filtered_bar[all->list[j].at] = all->list[j].factor * slope;
    pio_model_filtered_adj(m, filtered_bar, z_bar);
}

double pio_variable_slope(const pio_model *m, int at, const double *filtered)
{
    double slope;
    value_of(m, at, filtered, &slope);
    return slope;
}
