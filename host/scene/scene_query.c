/* scene_query.c -- see scene_query.h. */
#include "host/scene/scene_query.h"

#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"

#include <math.h>
#include <string.h>

int pio_observe_components(const pio_scene *scene, const scene_observe *observe)
{
    const bool space = scene->method.dimension == 3;
    switch (observe->type) {
    case PIO_MEAN_POSITION:
    case PIO_MEAN_VELOCITY:
    case PIO_DISPLACEMENT:
    case PIO_REACTION:
    case PIO_CONTACT_FORCE:
        return scene->method.dimension;
    case PIO_REACTION_MOMENT:
    case PIO_ANGULAR_MOMENTUM:
    case PIO_OF_ROTATION:
        return space ? 3 : 1;
    case PIO_OF_CAUCHY_STRESS:
    case PIO_OF_GREEN_STRAIN:
        return space ? 6 : 4;
    case PIO_OF_PRINCIPAL_STRESS:
        return 3;
    default:
        return 1;
    }
}

/* Returns where the words of an observation's components begin in pio_component_words: axes, entries of a tensor, or
 * principal values. */
static int first_word(const scene_observe *observe)
{
    const bool tensor = observe->type == PIO_OF_CAUCHY_STRESS || observe->type == PIO_OF_GREEN_STRAIN;
    return tensor ? 3 : observe->type == PIO_OF_PRINCIPAL_STRESS ? 9 : 0;
}

const char *pio_observe_component_name(const pio_scene *scene, const scene_observe *observe, int component)
{
    const int n = pio_observe_components(scene, observe);
    return n > 1 && component >= 0 && component < n ? pio_component_words[first_word(observe) + component] : NULL;
}

int pio_observe_component(const pio_scene *scene, const scene_observe *observe, int word)
{
    const int component = word - first_word(observe);
    if (word < 0) return PIO_ALL_COMPONENTS;
    return pio_observe_component_name(scene, observe, component) ? component : PIO_NO_COMPONENT;
}

cfg_quantity pio_observe_quantity(const scene_observe *observe)
{
    if (observe->type == PIO_MEAN_VELOCITY) return CFG_VELOCITY;
    if (observe->type == PIO_DISTANCE || observe->type == PIO_SHAPE) return CFG_AREA; /* the mean square */
    if (observe->type == PIO_DENSITY_MISFIT) return CFG_ONE;
    if (observe->type == PIO_REACTION || observe->type == PIO_CONTACT_FORCE) return CFG_FORCE;
    if (observe->type == PIO_EIGENFREQUENCY) return CFG_FREQUENCY;
    if (observe->type == PIO_VOLUME) return CFG_VOLUME;
    if (observe->type == PIO_MASS) return CFG_MASS;
    if (observe->type == PIO_OF_CAUCHY_STRESS || observe->type == PIO_OF_PRINCIPAL_STRESS) return CFG_PRESSURE;
    if (observe->type == PIO_CONTACT_PRESSURE) return CFG_PRESSURE;
    if (observe->type == PIO_OF_VON_MISES || observe->type == PIO_OF_ENERGY_DENSITY) return CFG_PRESSURE;
    if (observe->type == PIO_OF_GREEN_STRAIN || observe->type == PIO_OF_J) return CFG_ONE;
    if (observe->type == PIO_OF_RELATIVE_DENSITY || observe->type == PIO_OF_GREYNESS ||
        observe->type == PIO_OF_OWN_FRACTION)
        return CFG_ONE;
    if (observe->type == PIO_OF_ROTATION) return CFG_ANGLE;
    if (observe->type == PIO_REACTION_MOMENT) return CFG_MOMENT;
    if (observe->type == PIO_ANGULAR_MOMENTUM) return CFG_ANGULAR_MOMENTUM;
    if (observe->type == PIO_STRAIN_ENERGY) return CFG_ENERGY;
    if (observe->type == PIO_EFFORT) return CFG_EFFORT;
    if (observe->type == PIO_SMOOTHNESS) return CFG_SMOOTHNESS;
    return observe->type == PIO_KINETIC_ENERGY || observe->type == PIO_COMPLIANCE ? CFG_ENERGY : CFG_LENGTH;
}

cfg_quantity pio_load_quantity(const scene_load *l)
{
    static const cfg_quantity list[] = {
        [PIO_TRACTION] = CFG_PRESSURE,        [PIO_PRESSURE] = CFG_PRESSURE, [PIO_FORCE] = CFG_FORCE,
        [PIO_POINT_FORCE] = CFG_FORCE,        [PIO_FOLLOWER] = CFG_PRESSURE, [PIO_BODY_FORCE] = CFG_FORCE_DENSITY,
        [PIO_FOUNDATION] = CFG_FORCE_DENSITY, [PIO_SPRINGS] = CFG_STIFFNESS, [PIO_MOMENT] = CFG_MOMENT};
    return list[l->type];
}

bool pio_load_is_springs(const scene_load *l)
{
    return l->type == PIO_FOUNDATION || l->type == PIO_SPRINGS;
}

bool pio_scene_is_heavy(const pio_scene *s)
{
    bool heavy = false;
    for (size_t k = 0; k < s->materials.n; k++) {
        const scene_material *m = &s->materials.v[k];
        bool used = false;
        for (size_t b = 0; b < s->matter.n_bodies; b++) used |= pio_body_is_made_of(&s->matter.bodies[b], m);
        heavy |= used && m->density > 0;
    }
    return heavy;
}

bool pio_scene_has_no(const pio_scene *s, const char *key)
{
    if (s->method.type != SCENE_MPM) return false;
    return (s->mpm.integrator == SCENE_REVERSIBLE && !strcmp(key, "viscosity")) ||
           (s->contact.n_fields > 0 && !strcmp(key, "density"));
}

int pio_scene_fields(const pio_scene *s)
{
    int most = 0;
    for (size_t b = 0; b < s->matter.n_bodies; b++) {
        const int field = pio_scene_field(s, s->matter.bodies[b].name);
        if (field > most) most = field;
    }
    return most + 1;
}

int pio_scene_field(const pio_scene *s, const char *body)
{
    for (size_t f = 0; f < s->contact.n_fields; f++)
        for (size_t k = 0; k < s->contact.fields[f].bodies.n; k++)
            if (!strcmp(s->contact.fields[f].bodies.v[k], body)) return (int)f;
    return (int)s->contact.n_fields;
}

bool pio_scene_has_state(const pio_scene *s, scene_state field)
{
    const scene_strings *fields = &s->output.state_fields;
    bool has = false;
    for (size_t i = 0; i < fields->n; i++) has |= !strcmp(fields->v[i], pio_state_words[field]);
    return s->method.type == SCENE_FEM && has;
}

bool pio_scene_has_stress(const pio_scene *s)
{
    size_t nodal = 0;
    for (int state = SCENE_STATE_REACTION; state < SCENE_STATES; state++)
        nodal += pio_scene_has_state(s, (scene_state)state);
    return s->method.type == SCENE_FEM && s->output.state_fields.n > nodal;
}

int pio_scene_stress_places(const pio_scene *s)
{
    int places = 0;
    for (size_t i = 0; i < s->output.state_per.n; i++)
        for (int p = 0; pio_place_words[p]; p++)
            if (!strcmp(s->output.state_per.v[i], pio_place_words[p])) places |= 1 << p;
    return pio_scene_has_stress(s) ? places : 0;
}

bool pio_scene_body_is_heated(const void *body)
{
    const scene_body *b = body;
    return b->temperature_text || fabs(b->temperature) > 0;
}

bool pio_scene_body_is_partial(const void *body)
{
    const scene_body *b = body;
    return b->relative_density_text || !isnan(b->relative_density);
}

bool pio_scene_has_second_materials(const pio_scene *s)
{
    bool any = false;
    for (size_t b = 0; b < s->matter.n_bodies; b++) any |= s->matter.bodies[b].second != NULL;
    return any;
}

bool pio_scene_has_partial_bodies(const pio_scene *s)
{
    bool any = false;
    for (size_t b = 0; b < s->matter.n_bodies; b++) any |= pio_scene_body_is_partial(&s->matter.bodies[b]);
    return any;
}

bool pio_scene_material_expands(const void *material)
{
    const scene_material *m = material;
    return m->texts.expansion || fabs(m->expansion) > 0;
}

bool pio_scene_body_expands(const pio_scene *s, size_t body)
{
    bool any = false;
    for (size_t m = 0; m < s->materials.n; m++) {
        const scene_material *own = &s->materials.v[m];
        any |= pio_scene_material_expands(own) && pio_body_is_made_of(&s->matter.bodies[body], own);
    }
    return any;
}

bool pio_scene_is_heated(const pio_scene *s)
{
    bool any = false;
    for (size_t b = 0; s->method.type == SCENE_FEM && b < s->matter.n_bodies; b++)
        any |= pio_scene_body_is_heated(&s->matter.bodies[b]);
    for (size_t d = 0; d < s->goal.n_design; d++)
        for (size_t k = 0; k < s->goal.design[d].target.n; k++)
            any |= s->goal.design[d].path && s->goal.design[d].path[k].quantity == PIO_TEMPERATURE;
    return any;
}

bool pio_term_of_design(const pio_scene *s, const scene_term *t)
{
    if (t->type >= SCENE_PRIOR) return true;
    if (t->type != SCENE_MINIMIZE && t->type != SCENE_MAXIMIZE) return false;
    for (size_t i = 0; i < s->goal.n_observe; i++)
        if (!strcmp(s->goal.observe[i].name, t->of)) return false;
    for (size_t i = 0; i < s->goal.n_design; i++)
        if (!strcmp(s->goal.design[i].name, t->of)) return true;
    return false;
}

/* Returns the node of the document that a path names, or the nearest above it, and what of the path lies below it. */
static const cfg_node *node_of(cfg_doc *doc, const char *path, const char **below)
{
    char above[CFG_PATH];
    bool found;
    const cfg_node *const at = pio_cfg_find(doc->root, path, &found);
    size_t n = strlen(path);
    *below = path + n;
    while (!found && n > 0) { /* up to the longest part of the path that exists */
        n--;
        while (n > 0 && path[n] != '.' && path[n] != '[') n--;
        snprintf(above, sizeof above, "%.*s", (int)n, path);
        (void)pio_cfg_find(doc->root, above, &found);
        *below = path + n + (path[n] == '.');
    }
    return at;
}

bool pio_scene_same_key(const pio_scene *scene, const char *a, const char *b)
{
    const char *below_a, *below_b;
    cfg_doc *doc = &scene->input.source->doc;
    const cfg_node *const at = node_of(doc, a, &below_a);
    return at == node_of(doc, b, &below_b) && !strcmp(below_a, below_b);
}

bool pio_wall_is_rough(const pio_scene *s, int axis, int side)
{
    bool rough = s->mpm.grid.wall_friction[axis][side] > 0 || s->mpm.grid.wall[axis][side] == PIO_WALL_STICKY_SEPARATE;
    for (size_t d = 0; d < s->goal.n_design; d++)
        for (size_t k = 0; k < s->goal.design[d].target.n && s->goal.design[d].path; k++)
            rough |= s->goal.design[d].path[k].quantity == PIO_WALL_FRICTION &&
                     s->goal.design[d].path[k].component == 2 * axis + side;
    return rough;
}
