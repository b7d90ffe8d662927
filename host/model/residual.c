/* residual.c -- see residual.h. */
#include "host/model/residual.h"

#include "host/base/fail.h"
#include "host/optimize/optimizer.h"
#include "host/scene/scene_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Appends the residuals of a term of an observation. */
static void add_observed(pio_residuals *all, const pio_term *t, int number)
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
                               .at = o->first + k * o->components + (t->component < 0 ? c : t->component),
                               .term = number,
                               .sample = k};
        }
}

/* Appends the residuals of a prior. */
static void add_prior(pio_residuals *all, const pio_term *t, int number, const pio_model *m)
{
    const scene_numbers *mean = &t->term->mean;
    for (int k = 0; k < t->n_targets; k++) {
        const pio_parameter *p = &m->parameters[t->target[k]];
        for (int i = 0; i < p->groups * p->components; i++)
            all->list[all->n++] =
                (pio_residual){.factor = sqrt(t->term->weight) / t->term->sigma,
                               .expected = mean->n ? mean->v[mean->n == 1 ? 0 : i % p->components] : p->initial[i],
                               .at = p->first + i,
                               .term = number};
    }
}

piola_status pio_residuals_create(pio_residuals *out, const pio_objective *o, const pio_model *m, piola_error *error)
{
    const size_t most = o->n * (size_t)(m->n_samples + m->n_variables) + 1;
    *out = (pio_residuals){.list = calloc(most, sizeof *out->list)};
    if (!out->list) return pio_fail_memory(error, most * sizeof *out->list, "the residuals");
    for (int i = 0; i < (int)o->n; i++)
        if (o->terms[i].output && o->terms[i].term->weight > 0) add_observed(out, &o->terms[i], i);
    out->observed = out->n;
    for (int i = 0; i < (int)o->n; i++)
        if (!o->terms[i].output && o->terms[i].term->weight > 0) add_prior(out, &o->terms[i], i, m);
    if (out->n == 0)
        return pio_scene_fault(m->scene, error, "objective",
                               "levenberg_marquardt needs residuals, and no term has a weight above 0");
    if (m->n_variables > PIO_MOST_SQUARES_VARIABLES)
        return pio_scene_fault(m->scene, error, "design",
                               "%d variables are more than the %d that levenberg_marquardt takes; use lbfgs",
                               m->n_variables, PIO_MOST_SQUARES_VARIABLES);
    if ((int64_t)out->n * m->n_variables > PIO_MOST_JACOBIAN)
        return pio_scene_fault(m->scene, error, "objective",
                               "%d residuals have more than %d derivatives with respect to %d variables; observe "
                               "fewer, or use lbfgs, which needs none of them",
                               out->n, PIO_MOST_JACOBIAN, m->n_variables);
    return PIOLA_OK;
}

piola_status pio_residuals_choose(pio_residuals *all, const pio_model *m, bool f32, piola_error *error)
{
    const pio_jacobian choice = m->scene->optimizer.jacobian;
    const bool many = all->observed > PIO_MOST_RESIDUALS;
    all->by_columns = choice == PIO_JACOBIAN_COLUMNS || (choice == PIO_JACOBIAN_AUTO && !f32 &&
                                                         (many || (int64_t)2 * m->n_variables + 1 < all->observed));
    if (all->by_columns && f32)
        return pio_scene_fault(m->scene, error, "optimizer.jacobian",
                               "columns are differences of runs, for which f32 has too few digits; use precision f64, "
                               "or rows");
    if (!all->by_columns && many && f32)
        return pio_scene_fault(m->scene, error, "objective",
                               "%d samples are compared, and levenberg_marquardt needs an adjoint sweep for each in "
                               "f32, at most %d; observe fewer, use precision f64, which has columns, or use lbfgs",
                               all->observed, PIO_MOST_RESIDUALS);
    if (!all->by_columns && many)
        return pio_scene_fault(m->scene, error, "optimizer.jacobian",
                               "%d samples are compared, and rows need an adjoint sweep for each, at most %d; use "
                               "columns, observe fewer, or use lbfgs, which needs one for all",
                               all->observed, PIO_MOST_RESIDUALS);
    return PIOLA_OK;
}

int64_t pio_residuals_sweeps(const pio_residuals *all)
{
    return all->by_columns ? all->observed > 0 : all->observed;
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

double pio_residual_value(const pio_residuals *all, int j, const pio_model *m, const double *samples,
                          const double *filtered)
{
    double unused;
    const int at = all->list[j].at;
    return j < all->observed ? samples[at] : value_of(m, at, filtered, &unused);
}

void pio_residuals_evaluate(const pio_residuals *all, const pio_model *m, const double *samples, const double *filtered,
                            double *r)
{
    for (int j = 0; j < all->n; j++)
        r[j] = all->list[j].factor * (pio_residual_value(all, j, m, samples, filtered) - all->list[j].expected);
}

void pio_residual_slope(const pio_residuals *all, int j, const pio_model *m, double *samples_bar)
{
    memset(samples_bar, 0, sizeof *samples_bar * (size_t)m->n_samples);
    samples_bar[all->list[j].at] = all->list[j].factor;
}

double pio_residual_sign(int j)
{
    uint32_t bits = (uint32_t)j * 2654435761u; /* Knuth 1998, section 6.4: multiplicative hashing */
    bits ^= bits >> 15;
    bits *= 2246822519u;
    return bits >> 31 ? -1 : 1;
}

void pio_residuals_sum_slope(const pio_residuals *all, const pio_model *m, double *samples_bar)
{
    memset(samples_bar, 0, sizeof *samples_bar * (size_t)m->n_samples);
    for (int j = 0; j < all->observed; j++) samples_bar[all->list[j].at] += pio_residual_sign(j) * all->list[j].factor;
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
