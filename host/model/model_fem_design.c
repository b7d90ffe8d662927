/* model_fem_design.c -- what a design path changes of a mesh: which quantity, and of which nodes or elements. */
#include "host/model/model_fem.h"

#include "host/scene/law.h"
#include "host/scene/scene_query.h"

#include <stdio.h>
#include <string.h>

/* The NAME of list.NAME.key, compared. */
static bool names(const char *path, const char *name)
{
    const char *at = strchr(path, '.') + 1;
    return strlen(name) == strcspn(at, ".") && !strncmp(at, name, strlen(name));
}

bool pio_nodal(pio_quantity quantity)
{
    return quantity == PIO_POSITION || quantity == PIO_VELOCITY || quantity == PIO_DISPLACED;
}

pio_quantity pio_model_fem_quantity(const pio_model *m, const char *path, int32_t *which)
{
    static const struct {
        const char *key;
        pio_quantity quantity;
    } list[] = {{"density", PIO_DENSITY},           {"thickness", PIO_THICKNESS},
                {"gravity", PIO_GRAVITY},           {"rest_position", PIO_POSITION},
                {"velocity", PIO_VELOCITY},         {"displacement", PIO_DISPLACED},
                {"mass_damping", PIO_MASS_DAMPING}, {"stiffness_damping", PIO_STIFFNESS_DAMPING}};
    const pio_scene *s = m->scene;
    const char *key = pio_scene_key(path);
    for (size_t l = 0; path[0] == 'l' && l < s->n_loads; l++)
        if (names(path, s->loads[l].name)) {
            *which = (int32_t)l;
            return PIO_LOAD;
        }
    for (size_t b = 0; !strncmp(path, "boundary.", 9) && b < s->n_boundary; b++)
        if (names(path, s->boundary[b].name)) {
            *which = m->fem->support_first[b];
            return PIO_SUPPORT;
        }
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!strcmp(list[i].key, key)) return list[i].quantity;
    return (pio_quantity)((int)PIO_GIVEN_0 + pio_law_path(s, path));
}

/* Does the design hold an entry bodies.BODY.key of the body's own? It governs what is made of the body's own
 * material. */
static bool has_own_entry(const pio_scene *s, const char *body, const char *key)
{
    char own[300];
    snprintf(own, sizeof own, "bodies.%.200s.%.60s", body, key);
    for (size_t d = 0; d < s->n_design; d++)
        for (size_t t = 0; t < s->design[d].target.n; t++)
            if (!strcmp(s->design[d].target.v[t], own)) return true;
    return false;
}

static bool governs(const pio_model *m, const char *path, int64_t e)
{
    const pio_scene *s = m->scene;
    const scene_body *body = &s->bodies[m->fem->body[e]];
    const char *material = s->materials[m->fem->material[e]].name, *key = pio_scene_key(path);
    const bool own = !strcmp(material, body->material);
    if (path[0] == 'm') return names(path, material) && !(own && has_own_entry(s, body->name, key));
    return names(path, body->name) && (own || !strcmp(key, "thickness"));
}

int32_t pio_model_fem_groups(const pio_model *m, const char *path, scene_per per, int32_t *index)
{
    const pio_model_fem *f = m->fem;
    int32_t which;
    const bool nodal = pio_nodal(pio_model_fem_quantity(m, path, &which));
    int32_t groups = 0;
    for (int b = 0; b < f->bodies; b++) {
        const int64_t *first = nodal ? f->node_first : f->element_first;
        bool any = false;
        bool chosen = nodal && names(path, m->scene->bodies[b].name);
        for (int64_t i = first[b]; i < first[b + 1]; i++) {
            if (!nodal && (i == first[b] || f->material[i] != f->material[i - 1])) chosen = governs(m, path, i);
            index[i] = !chosen ? -1 : per >= SCENE_PER_PARTICLE ? groups++ : per == SCENE_PER_BODY ? groups : 0;
            any |= chosen;
        }
        if (any && per < SCENE_PER_PARTICLE) groups = per == SCENE_PER_BODY ? groups + 1 : 1;
    }
    return groups;
}
