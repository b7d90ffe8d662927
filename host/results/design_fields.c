/* design_fields.c -- see design_fields.h. */
#include "host/results/design_fields.h"

#include "host/results/gradient_fields.h"
#include "host/scene/design_path.h"

#include <stdio.h>
#include <string.h>

/* Returns the key of a parameter that has a number for each particle or element; NULL of others. */
static const char *key_of(const pio_model *m, int k)
{
    const pio_design_desc *d = &m->designs[k];
    return d->each && d->components == 1 && !pio_nodal(d->quantity) ? m->parameters[k].target->key : NULL;
}

/* Returns whether a parameter before k has the same key. */
static bool is_known(const pio_model *m, int k)
{
    bool known = false;
    for (int i = 0; i < k; i++) known |= key_of(m, i) && !strcmp(key_of(m, i), key_of(m, k));
    return known;
}

/* Returns whether frames of particles have a field of this name: `hardening` is a strain in a state. */
static bool is_taken(const pio_session *s, const char *key)
{
    const scene_strings *fields = &s->scene->output.state_fields;
    bool taken = false;
    for (size_t i = 0; i < fields->n && !s->model->fem; i++) taken |= !strcmp(fields->v[i], key);
    return taken;
}

/* Returns what a key is, as words; the key where there is no derivative with respect to it. */
static const char *meaning_of(const pio_session *s, const char *key)
{
    pio_gradient_field g;
    for (int i = 0; pio_gradient_field_of(s, i, &g); i++)
        if (!strcmp(g.of, key)) return g.quantity;
    return key;
}

bool pio_design_field_of(const pio_session *s, int i, pio_design_field *out)
{
    const pio_model *m = s->model;
    for (int k = 0; k < m->n_parameters; k++) {
        const char *key = key_of(m, k);
        if (!key || is_known(m, k) || i-- > 0) continue;
        *out = (pio_design_field){.units = *m->parameters[k].unit ? m->parameters[k].unit : "1",
                                  .in_frames = m->designs[k].quantity == PIO_RELATIVE_DENSITY ||
                                               m->designs[k].quantity == PIO_CHOICE};
        snprintf(out->of, sizeof out->of, "%s", key);
        snprintf(out->name, sizeof out->name, "%s%s", is_taken(s, key) ? "design_" : "", out->of);
        snprintf(out->meaning, sizeof out->meaning, "%s of each %s, with this design", meaning_of(s, key),
                 m->fem ? "element" : "particle");
        return true;
    }
    return false;
}

piola_status pio_design_field_read(pio_session *s, const pio_design_field *f, double *values, piola_error *error)
{
    const pio_model *m = s->model;
    const piola_status rc = pio_quantity_read(s, f->of, values, error);
    for (int k = 0; !rc && k < m->n_parameters; k++) {
        const char *key = key_of(m, k);
        const int32_t *index = m->designs[k].index;
        if (!key || strcmp(key, f->of)) continue;
        for (int64_t p = 0; p < pio_model_items(m, false); p++)
            if (index[p] >= 0) values[p] = s->evaluation.values[m->parameters[k].first + index[p]];
    }
    return rc;
}
