/* scene_contact.c -- contact between velocity fields of particles: defaults, and rules that no single key can state. */
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"
#include "host/scene/words.h"

#include <math.h>
#include <string.h>

/* Returns a body that a potential does not hold, or NULL. */
static const scene_body *not_held(const pio_scene *s)
{
    const scene_body *other = pio_scene_not_solid(s);
    for (size_t b = 0; b < s->matter.n_bodies && !other; b++)
        if (pio_scene_body_is_partial(&s->matter.bodies[b])) other = &s->matter.bodies[b];
    return other;
}

/* Returns whether the file gives a key, or designs it. */
static bool has_key(const pio_scene *s, const cfg_doc *doc, const char *key)
{
    bool any = pio_scene_is_set(doc, key);
    for (size_t d = 0; d < s->goal.n_design; d++)
        for (size_t t = 0; t < s->goal.design[d].target.n; t++) any |= !strcmp(s->goal.design[d].target.v[t], key);
    return any;
}

/* Chooses how fields act on each other where the file does not say it: as its other keys say; else solids repel each
 * other by a potential. */
static pio_contact_model model_of(const pio_scene *s, const cfg_doc *doc)
{
    if (pio_scene_is_set(doc, "contact.stiffness") || pio_scene_is_set(doc, "contact.distance") ||
        has_key(s, doc, "contact.friction_velocity"))
        return PIO_CONTACT_POTENTIAL;
    if (has_key(s, doc, "contact.friction") || has_key(s, doc, "contact.regularisation_velocity"))
        return PIO_CONTACT_GRID;
    return pio_scene_softest(s) > 0 && !not_held(s) ? PIO_CONTACT_POTENTIAL : PIO_CONTACT_GRID;
}

/* Surfaces whose particles repel others are to be smooth. */
static void complete_fill(pio_scene *s, const cfg_doc *doc)
{
    for (size_t i = 0; i < s->matter.n_bodies; i++) {
        PATH(path, "bodies[%zu].fill.method", i);
        if (!pio_scene_is_set(doc, path)) s->matter.bodies[i].fill = SCENE_CUT;
    }
}

void pio_scene_complete_contact(pio_scene *s, const cfg_doc *doc)
{
    scene_contact *c = &s->contact;
    if (!c->n_fields || s->method.type != SCENE_MPM) return;
    if (!pio_scene_is_set(doc, "contact.model")) c->model = model_of(s, doc);
    if (isnan(c->stiffness)) c->stiffness = pio_scene_softest(s) / 4;
    if (isnan(c->distance)) c->distance = s->mpm.grid.spacing / 2;
    if (isnan(c->regularisation_velocity)) c->regularisation_velocity = 0.1 * s->mpm.grid.spacing / s->time.duration;
    if (c->model == PIO_CONTACT_POTENTIAL) complete_fill(s, doc);
}

/* Fields name bodies that exist, each body once, and there are not too many fields. */
static void check_fields(const pio_scene *s, cfg_doc *doc)
{
    enum { MOST = 4 }; /* of engines */
    for (size_t f = 0; f < s->contact.n_fields; f++) {
        const scene_strings *bodies = &s->contact.fields[f].bodies;
        for (size_t k = 0; k < bodies->n; k++) {
            PATH(path, "contact.fields[%zu].bodies[%zu]", f, k);
            if (pio_scene_entry(doc, path, "bodies", bodies->v[k], s->matter.bodies, s->matter.n_bodies,
                                sizeof *s->matter.bodies) == s->matter.n_bodies)
                return;
            bool before = pio_scene_field(s, bodies->v[k]) < (int)f;
            for (size_t l = 0; l < k; l++) before |= !strcmp(bodies->v[l], bodies->v[k]);
            if (before) pio_cfg_fault(doc, path, "'%s' is in a field already; name it once", bodies->v[k]);
        }
    }
    const int fields = pio_scene_fields(s);
    if (fields == 1)
        pio_cfg_fault(doc, "contact.fields",
                      "all bodies are in one field, so none is in contact; leave out the bodies that belong to another "
                      "field, or add an entry");
    if (fields > MOST)
        pio_cfg_fault(doc, "contact.fields",
                      "%d velocity fields, with that of the bodies not named; at most %d are possible", fields, MOST);
}

/* Keys that belong to the other model are refused: they would be ignored. */
static void check_model(const pio_scene *s, cfg_doc *doc)
{
    static const char *const keys[2][3] = {{"stiffness", "distance", "friction_velocity"},
                                           {"regularisation_velocity", NULL, NULL}};
    const bool potential = s->contact.model == PIO_CONTACT_POTENTIAL;
    for (int k = 0; k < 3; k++) {
        const char *key = keys[potential][k];
        if (!key) continue;
        PATH(path, "contact.%s", key);
        if (pio_scene_is_set(doc, path))
            pio_cfg_fault(doc, path, "contact of model '%s' has no %s; remove it, or use 'model: %s'",
                          pio_contact_model_words[s->contact.model], key, pio_contact_model_words[!potential]);
    }
}

static void check_potential(const pio_scene *s, cfg_doc *doc)
{
    const scene_body *other = not_held(s);
    const char *at = pio_scene_is_set(doc, "contact.model") ? "contact.model" : "contact.fields";
    if (other && pio_scene_body_is_partial(other))
        pio_cfg_fault(doc, at,
                      "a potential holds bodies that are full, and body '%s' has a relative density; use 'model: grid'",
                      other->name);
    else if (other)
        pio_cfg_fault(doc, at,
                      "a potential holds solids, and the material '%s' of body '%s' is a fluid, granular or snow; use "
                      "'model: grid'",
                      other->material, other->name);
    if (s->contact.distance > s->mpm.grid.spacing)
        pio_cfg_fault(doc, "contact.distance",
                      "the potential would set in over %g m, more than a spacing of the grid, %g m",
                      s->contact.distance, s->mpm.grid.spacing);
}

void pio_scene_validate_contact(const pio_scene *s, cfg_doc *doc)
{
    if (!s->contact.n_fields) return;
    if (s->mpm.integrator == SCENE_REVERSIBLE)
        pio_cfg_fault(doc, "contact",
                      s->contact.model == PIO_CONTACT_POTENTIAL
                          ? "time.integrator: reversible has one velocity field for all bodies; remove it, or use "
                            "integrator: apic"
                          : "contact dissipates energy, and time.integrator: reversible must be able to reverse its "
                            "steps; remove it, or use integrator: apic");
    check_fields(s, doc);
    check_model(s, doc);
    if (s->contact.model == PIO_CONTACT_POTENTIAL) check_potential(s, doc);
}
