/* model_query.c -- number of items of a model, and body and material of each. */
#include "host/model/model.h"

#include "host/model/model_fem.h"
#include "host/scene/scene_names.h"

int64_t pio_model_items(const pio_model *m, bool nodal)
{
    if (!m->fem) return m->desc.particles.n;
    return nodal ? m->fem->node_first[m->fem->bodies] : m->fem->element_first[m->fem->bodies];
}

int32_t pio_model_body(const pio_model *m, int64_t item)
{
    return m->fem ? m->fem->body[item] : m->body[item];
}

const scene_material *pio_model_material(const pio_model *m, int64_t item)
{
    if (m->fem) return &m->scene->materials.v[m->fem->material[item]];
    return pio_scene_material(m->scene, m->scene->matter.bodies[m->body[item]].material);
}
