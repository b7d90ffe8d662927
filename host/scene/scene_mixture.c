/* scene_mixture.c -- the rules of bodies whose elements are mixed of several materials. */
#include "host/scene/law.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"
#include "piola.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Numbers that both materials must have alike, because they are not interpolated. */
static const struct {
    const char *key;
    size_t offset;
} alike[] = {{"alpha1", offsetof(scene_material, alpha1)},
             {"alpha2", offsetof(scene_material, alpha2)},
             {"expansion", offsetof(scene_material, expansion)},
             {"mass_damping", offsetof(scene_material, mass_damping)},
             {"stiffness_damping", offsetof(scene_material, stiffness_damping)}};

static double number_of(const scene_material *m, size_t offset)
{
    double value;
    memcpy(&value, (const char *)m + offset, sizeof value);
    return isnan(value) ? 0 : value;
}

/* Returns whether a number of the material is an expression. */
static bool is_varied(const scene_material *m)
{
    static const scene_material_texts none;
    return memcmp(&m->texts, &none, sizeof none) != 0;
}

/* Reports where the two materials do not go together. */
static void check_pair(cfg_doc *doc, const char *at, const scene_material *own, const scene_material *other)
{
    if (own == other) {
        pio_cfg_fault(doc, at, "'%s' is what the body is made of already; name another material", own->name);
        return;
    }
    if (pio_law_of(own) != pio_law_of(other)) {
        pio_cfg_fault(doc, at,
                      "'%s' is %s and '%s' is %s%s; only materials of one law and one volumetric energy are mixed",
                      other->name, piola_laws[other->model], own->name, piola_laws[own->model],
                      own->model == other->model ? ", with another volumetric energy" : "");
        return;
    }
    if (is_varied(other))
        pio_cfg_fault(doc, at,
                      "'%s' has an expression, and what a body is mixed with is the same everywhere; use "
                      "numbers",
                      other->name);
    if ((own->density > 0) != (other->density > 0))
        pio_cfg_fault(doc, at, "'%s' has %s density, and '%s' has %s; give both one, or none", other->name,
                      other->density > 0 ? "a" : "no", own->name, own->density > 0 ? "one" : "none");
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        const double a = number_of(own, alike[i].offset), b = number_of(other, alike[i].offset);
        if (fabs(a - b) > 0)
            pio_cfg_fault(doc, at, "%s is %g in '%s' and %g in '%s'; it is not interpolated, and must be the same",
                          alike[i].key, b, other->name, a, own->name);
    }
}

/* The constants of what a body is mixed with stay: their derivatives would lack what the mixture depends on. */
static void check_designs(const pio_scene *s, cfg_doc *doc, size_t i, const char *name)
{
    const scene_body *b = &s->matter.bodies[i];
    const int other = pio_scene_material_number(s, name);
    for (size_t d = 0; d < s->goal.n_design; d++)
        for (size_t k = 0; k < s->goal.design[d].target.n; k++) {
            const scene_path *path = &s->goal.design[d].path[k];
            PATH(at, "design[%zu].%s[%zu]", d, s->goal.design[d].targets.n ? "targets" : "target", k);
            if (path->key && path->owner == SCENE_OWNER_MATERIAL && path->index == other)
                pio_cfg_fault(doc, at,
                              "'%s' is mixed with '%s', whose constants are no designs then; design those of '%s', or "
                              "bodies.NAME.%s of bodies made of '%s'",
                              b->name, name, b->material, path->key, name);
        }
}

/* Checks a material that a body is mixed with, its key being interpolation.`key`. */
static void check_mixed(const pio_scene *s, cfg_doc *doc, size_t i, const char *key, const char *name)
{
    const scene_body *b = &s->matter.bodies[i];
    PATH(at, "bodies[%zu].interpolation.%s", i, key);
    const scene_material *own = pio_scene_material(s, b->material);
    if (pio_scene_entry(doc, at, "materials", name, s->materials.v, s->materials.n, sizeof *s->materials.v) ==
            s->materials.n ||
        !own)
        return;
    check_pair(doc, at, own, pio_scene_material(s, name));
    check_designs(s, doc, i, name);
}

/* Checks that a body has a second material and a choice, or none of them. */
static void check_choice(const pio_scene *s, cfg_doc *doc, size_t i)
{
    const scene_body *b = &s->matter.bodies[i];
    PATH(second, "bodies[%zu].interpolation.second", i);
    PATH(choice, "bodies[%zu].choice", i);
    if (!b->second && !isnan(b->choice))
        pio_cfg_fault(doc, choice, "there is nothing to choose; name another material in `interpolation.second`");
    if (!b->second) return;
    if (isnan(b->choice)) {
        pio_cfg_fault(doc, second, "nothing says how much of it there is; add `choice`, as 0.5");
        return;
    }
    if (b->other && !strcmp(b->other, b->second))
        pio_cfg_fault(doc, second, "'%s' is what the rest is made of already; name a third material", b->second);
}

void pio_scene_validate_mixtures(const pio_scene *s, cfg_doc *doc)
{
    for (size_t i = 0; i < s->matter.n_bodies; i++) {
        const scene_body *b = &s->matter.bodies[i];
        PATH(least, "bodies[%zu].interpolation.least", i);
        PATH(regions, "bodies[%zu].regions", i);
        if (s->method.type == SCENE_FEM) check_choice(s, doc, i);
        if (!pio_scene_body_is_partial(b)) continue;
        if (b->other) check_mixed(s, doc, i, "other", b->other);
        if (b->second) check_mixed(s, doc, i, "second", b->second);
        if ((b->other || b->second) && b->n_regions)
            pio_cfg_fault(doc, regions,
                          "a body that is mixed of several materials has no regions; use bodies of their own");
        if (b->other && pio_scene_is_set(doc, least))
            pio_cfg_fault(doc, least, "no element is empty where another material fills the rest; remove it");
    }
}
