/* model_where.c -- nodes of a part of a body, by name or box. */
#include "host/model/model_fem.h"

#include "host/base/fail.h"
#include "host/scene/scene_names.h"

#include <stdlib.h>

scene_where pio_model_box(const pio_model *m, const scene_where *on)
{
    scene_where box = *on;
    for (int a = 0; a < 3; a++) {
        box.min[a] -= 1e-6 * m->fem->edge;
        box.max[a] += 1e-6 * m->fem->edge;
    }
    return box;
}

piola_status pio_model_nodes(const pio_model *m, const char *path, const char *body, const scene_where *on,
                             pio_index_list *out, piola_error *error)
{
    const int b = pio_scene_body_number(m->scene, body);
    const pio_mesh *mesh = &m->fem->mesh[b];
    piola_error inner = {0};
    const scene_where box = pio_model_box(m, on);
    *out = (pio_index_list){0};
    piola_status rc = on->group ? pio_mesh_group_nodes(mesh, on->group, out, &inner)
                                : pio_mesh_nodes_in_box(mesh, box.min, box.max, out, &inner);
    if (!rc && out->n == 0) {
        free(out->item);
        *out = (pio_index_list){0};
        return pio_scene_fault(m->scene, error, path, "no node of body '%s' lies there", body);
    }
    if (rc == PIOLA_BAD_DATA) return pio_scene_fault(m->scene, error, path, "%s", inner.message);
    if (rc) return pio_fail(error, rc, "%s", inner.message);
    for (int32_t i = 0; i < out->n; i++) out->item[i] += (int32_t)m->fem->node_first[b];
    return PIOLA_OK;
}
