/* constraint.c -- see constraint.h. */
#include "host/model/constraint.h"

#include "host/base/fail.h"
#include "host/scene/scene_query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const pio_output *output_of(const pio_model *m, const char *name)
{
    for (int o = 0; o < m->n_outputs; o++)
        if (!strcmp(m->outputs[o].name, name)) return &m->outputs[o];
    return NULL;
}

static void set_bound(pio_constraint *c, double bound)
{
    c->bound = bound;
    c->scale = fabs(bound) > 0 ? fabs(bound) : 1;
}

/* Appends the inequality of a bound that the scene gives; the others are infinite. */
static void add(pio_constraints *all, const pio_model *m, const scene_constraint *entry, const pio_output *o,
                int sample, int component, int sign)
{
    const scene_observe *observe = &m->scene->goal.observe[o - m->outputs];
    const char *word = pio_observe_component_name(m->scene, observe, component);
    const double bound = sign > 0 ? entry->max : entry->min;
    pio_constraint *c = &all->list[all->n];
    char at[40] = "";
    if (!isfinite(bound)) return;
    if (o->samples > 1) snprintf(at, sizeof at, " at %g s", o->time[sample]);
    *c = (pio_constraint){.entry = entry,
                          .at = o->first + sample * o->components + component,
                          .sign = sign,
                          .symbol = sign > 0 ? "<=" : ">="};
    snprintf(c->name, sizeof c->name, "%.60s%s%s.%s%s", o->name, word ? "." : "", word ? word : "",
             sign > 0 ? "max" : "min", at);
    set_bound(c, bound);
    all->n++;
}

piola_status pio_constraints_create(pio_constraints *out, const pio_model *m, piola_error *error)
{
    const pio_scene *s = m->scene;
    const size_t most = 2 * s->goal.n_constraints * (size_t)m->n_samples + 1;
    *out = (pio_constraints){.list = calloc(most, sizeof *out->list)};
    if (!out->list) return pio_fail_memory(error, most * sizeof *out->list, "the constraints");
    for (size_t i = 0; i < s->goal.n_constraints; i++) {
        const scene_constraint *entry = &s->goal.constraints[i];
        const pio_output *o = output_of(m, entry->of);
        if (!o) return pio_fail(error, PIOLA_INTERNAL, "constraint %zu observes nothing", i);
        const int of = pio_observe_component(s, &s->goal.observe[o - m->outputs], entry->component);
        for (int k = 0; k < o->samples; k++)
            for (int c = 0; c < o->components; c++)
                for (int sign = 1; sign >= -1 && (of < 0 || of == c); sign -= 2) add(out, m, entry, o, k, c, sign);
        out->relative |= entry->relative_to == SCENE_OF_INITIAL;
    }
    return PIOLA_OK;
}

void pio_constraints_free(pio_constraints *constraints)
{
    free(constraints->list);
    *constraints = (pio_constraints){0};
}

piola_status pio_constraints_start(pio_constraints *constraints, const pio_model *m, const double *samples,
                                   piola_error *error)
{
    for (int i = 0; i < constraints->n; i++) {
        pio_constraint *c = &constraints->list[i];
        const double y = samples[c->at];
        char path[60];
        if (c->entry->relative_to != SCENE_OF_INITIAL) continue;
        snprintf(path, sizeof path, "constraints[%td].relative_to", c->entry - m->scene->goal.constraints);
        if (!(fabs(y) > 0))
            return pio_scene_fault(m->scene, error, path,
                                   "%s is 0 at the start, and so is every multiple of it; use relative_to: zero",
                                   c->name);
        set_bound(c, (c->sign > 0 ? c->entry->max : c->entry->min) * y);
    }
    return PIOLA_OK;
}

double pio_constraint_value(const pio_constraint *c, const double *samples)
{
    return c->sign * (samples[c->at] - c->bound) / c->scale;
}

void pio_constraint_slope(const pio_constraint *c, const pio_model *m, double *samples_bar)
{
    memset(samples_bar, 0, sizeof *samples_bar * (size_t)m->n_samples);
    samples_bar[c->at] = c->sign / c->scale;
}
