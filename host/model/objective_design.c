/* objective_design.c -- see objective_design.h. */
#include "host/model/objective_design.h"

#include "host/base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_pairs(const pio_term *t)
{
    return t->term->type == SCENE_SMOOTHNESS || t->term->type == SCENE_TOTAL_VARIATION;
}

piola_status pio_design_term_create(pio_term *t, const pio_model *m, piola_error *error)
{
    t->target = calloc((size_t)m->n_parameters + 1, sizeof *t->target);
    t->pairs = calloc((size_t)m->n_parameters + 1, sizeof *t->pairs);
    if (!t->target || !t->pairs) return pio_fail_memory(error, sizeof *t->pairs, "a term of a design");
    for (int k = 0; k < m->n_parameters; k++) {
        if (m->parameters[k].tied || strcmp(m->parameters[k].design->name, t->term->of)) continue;
        t->target[t->n_targets++] = k;
        if (!has_pairs(t)) continue;
        pio_pairs *own = &t->pairs[t->n_targets - 1];
        const piola_status rc = m->fem ? pio_pairs_create(own, m, m->designs[k].index, error)
                                       : pio_particle_pairs(own, m, m->designs[k].index, error);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

void pio_design_term_free(pio_term *t)
{
    for (int k = 0; t->pairs && k < t->n_targets; k++) pio_pairs_free(&t->pairs[k]);
    free(t->pairs);
    free(t->target);
}

/* Returns the contribution of value number i of a target, v, of n values; sets its derivative in *slope. */
static double contribution(const pio_term *t, const pio_parameter *p, int i, double v, double *slope)
{
    const double w = t->term->weight;
    const int n = p->groups * p->components;
    if (t->term->type == SCENE_PRIOR) {
        const scene_numbers *mean = &t->term->mean;
        const double expected = mean->n ? mean->v[mean->n == 1 ? 0 : i % p->components] : p->initial[i];
        const double r = (v - expected) / t->term->sigma;
        *slope = w * r / t->term->sigma;
        return w / 2 * r * r;
    }
    *slope = (t->term->type == SCENE_MINIMIZE ? w : -w) / n;
    return *slope * v;
}

/* With value = a + b z~, or exp(a + b z~). */
static double of_values(const pio_term *t, const pio_model *m, int k, const double *filtered, double *filtered_bar)
{
    const pio_design_desc *d = &m->designs[k];
    const pio_parameter *p = &m->parameters[k];
    double sum = 0;
    for (int i = 0; i < p->groups * p->components; i++) {
        const double linear = fma(d->b, filtered[p->first + i], d->a), v = d->logarithmic ? exp(linear) : linear;
        double slope;
        sum += contribution(t, p, i, v, &slope);
        if (filtered_bar) filtered_bar[p->first + i] += slope * d->b * (d->logarithmic ? v : 1);
    }
    return sum;
}

double pio_design_term(const pio_term *t, const pio_model *m, const double *filtered, double *filtered_bar)
{
    double sum = 0;
    for (int i = 0; i < t->n_targets; i++) {
        const int k = t->target[i], first = m->parameters[k].first;
        double *bar = filtered_bar ? filtered_bar + first : NULL;
        if (t->term->type == SCENE_SMOOTHNESS)
            sum += t->term->weight * pio_pairs_energy(&t->pairs[i], filtered + first, t->term->weight, bar);
        else if (t->term->type == SCENE_TOTAL_VARIATION)
            sum += t->term->weight *
                   pio_pairs_variation(&t->pairs[i], filtered + first, t->term->width, t->term->weight, bar);
        else
            sum += of_values(t, m, k, filtered, filtered_bar);
    }
    return sum;
}
