/* model_elements.c -- elements of a part of a body, and weights of elements in observations of volume, mass, energy and
 * stress. */
#include "host/model/model_fem.h"

#include "host/base/fail.h"
#include "host/scene/law.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Lists the elements of a mesh whose centre, the mean of its nodes, lies in the box. */
static piola_status cells_in_box(const pio_mesh *mesh, const scene_where *on, pio_index_list *out, piola_error *error)
{
    const size_t bytes = sizeof *out->item * ((size_t)mesh->n_cells + 1);
    *out = (pio_index_list){.item = malloc(bytes)};
    if (!out->item) return pio_fail_memory(error, bytes, "a region");
    for (int32_t c = 0; c < mesh->n_cells; c++) {
        double center[3];
        bool inside = true;
        pio_mesh_center(mesh, c, center);
        for (int a = 0; a < mesh->dimension; a++) inside &= center[a] >= on->min[a] && center[a] <= on->max[a];
        if (inside) out->item[out->n++] = c;
    }
    return PIOLA_OK;
}

piola_status pio_model_elements(const pio_model *m, const char *path, size_t body, const scene_where *on,
                                pio_index_list *out, piola_error *error)
{
    const pio_mesh *mesh = &m->fem->mesh[body];
    piola_error inner = {.message = "no element lies there"};
    *out = (pio_index_list){0};
    const piola_status rc =
        on->group ? pio_mesh_group_cells(mesh, on->group, out, &inner) : cells_in_box(mesh, on, out, &inner);
    if (!rc && out->n > 0) {
        for (int32_t i = 0; i < out->n; i++) out->item[i] += (int32_t)m->fem->element_first[body];
        return PIOLA_OK;
    }
    free(out->item);
    *out = (pio_index_list){0};
    if (rc && rc != PIOLA_BAD_DATA) return pio_fail(error, rc, "%s", inner.message);
    return pio_scene_fault(m->scene, error, path, "%s", inner.message);
}

double *pio_model_element_weights(const pio_model *m, size_t o, piola_status *status, piola_error *error)
{
    const scene_observe *s = &m->scene->goal.observe[o];
    const pio_model_fem *f = m->fem;
    const size_t elements = (size_t)f->element_first[f->bodies],
                 body = (size_t)pio_scene_body_number(m->scene, s->body);
    double *weight = calloc(elements + 1, sizeof *weight);
    pio_index_list list;
    char path[64];
    *status = weight ? PIOLA_OK : pio_fail_memory(error, sizeof *weight * elements, "an observation");
    if (*status) return NULL;
    if (!s->on.group && isnan(s->on.min[0])) {
        for (int64_t e = f->element_first[body]; e < f->element_first[body + 1]; e++) weight[e] = 1;
        return weight;
    }
    snprintf(path, sizeof path, "observe[%zu].on", o);
    *status = pio_model_elements(m, path, body, &s->on, &list, error);
    for (int32_t i = 0; !*status && i < list.n; i++) weight[list.item[i]] = 1;
    free(list.item);
    if (!*status) return weight;
    free(weight);
    return NULL;
}

/* Stresses and energies lie below the shear modulus. With p at most 32, powers of their quotients stay numbers from
 * 2e-10 to 4e9 of this. */
double pio_model_field_size(const pio_model *m, const scene_observe *o)
{
    static const double STRESS = 1e-4, ENERGY = 1e-8;
    double most = 0;
    if (pio_observe_quantity(o) != CFG_PRESSURE) return 1;
    const pio_model_fem *f = m->fem;
    for (int64_t e = 0; e < f->element_first[f->bodies]; e++)
        most = fmax(most,
                    pio_law_shear(&m->scene->materials.v[f->material[e]], f->law_parameters + PIO_LAW_CONSTANTS * e));
    return most * (o->type == PIO_OF_ENERGY_DENSITY ? ENERGY : STRESS);
}
