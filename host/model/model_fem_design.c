/* model_fem_design.c -- which nodes or elements of a mesh a design changes. */
#include "host/model/model_fem.h"

#include "host/scene/design_path.h"
#include "host/scene/scene_names.h"

/* Returns whether the path governs element e. A body's own entry governs the elements of the body's own material,
 * instead of an entry of that material; a thickness, a temperature, a relative density or a choice governs all of the
 * body. */
static bool governs(const pio_model *m, const scene_path *path, int64_t e)
{
    const pio_scene *s = m->scene;
    const int32_t body = m->fem->body[e], material = m->fem->material[e];
    const bool own = pio_scene_material_number(s, s->matter.bodies[body].material) == material;
    if (path->owner == SCENE_OWNER_MATERIAL)
        return path->index == material && !(own && pio_design_of(s, SCENE_OWNER_BODY, body, path->quantity));
    const bool all = path->quantity == PIO_THICKNESS || path->quantity == PIO_TEMPERATURE ||
                     path->quantity == PIO_RELATIVE_DENSITY || path->quantity == PIO_CHOICE;
    return path->index == body && (own || all);
}

int32_t pio_model_fem_groups(const pio_model *m, const scene_path *path, scene_per per, int32_t *index)
{
    const pio_model_fem *f = m->fem;
    const bool nodal = pio_nodal(path->quantity);
    int32_t groups = 0;
    for (int b = 0; b < f->bodies; b++) {
        const int64_t *first = nodal ? f->node_first : f->element_first;
        bool any = false;
        bool chosen = nodal && path->index == b;
        for (int64_t i = first[b]; i < first[b + 1]; i++) {
            if (!nodal && (i == first[b] || f->material[i] != f->material[i - 1])) chosen = governs(m, path, i);
            index[i] = !chosen ? -1 : per >= SCENE_PER_PARTICLE ? groups++ : per == SCENE_PER_BODY ? groups : 0;
            any |= chosen;
        }
        if (any && per < SCENE_PER_PARTICLE) groups = per == SCENE_PER_BODY ? groups + 1 : 1;
    }
    return groups;
}
