/* model_weights.c -- the weights of unknowns in an observation of a mesh. */
#include "host/model/model_fem.h"

#include "host/base/fail.h"
#include "host/scene/scene_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets the weight of a node along all axes. */
static void set_weight(const pio_model *m, double *weight, int64_t node, double value)
{
    const int64_t dim = m->scene->method.dimension;
    for (int64_t a = 0; a < dim; a++) weight[node * dim + a] = value;
}

double *pio_model_weights(const pio_model *m, size_t o, piola_status *status, piola_error *error)
{
    const scene_observe *s = &m->scene->goal.observe[o];
    const pio_model_fem *f = m->fem;
    const size_t dim = (size_t)m->scene->method.dimension, count = (size_t)f->desc.n * dim;
    double *weight = calloc(count + 1, sizeof *weight);
    pio_index_list nodes = {0};
    char path[64];
    *status = weight ? PIOLA_OK : pio_fail_memory(error, sizeof *weight * count, "an observation");
    snprintf(path, sizeof path, "observe[%zu].on", o);
    if (*status) return NULL;
    const bool mean = s->type == PIO_DISPLACEMENT || s->type == PIO_MEAN_VELOCITY;
    if (mean && !isnan(s->point[0])) {
        *status = pio_model_point_weights(m, o, weight, error);
    } else if (s->type == PIO_CONTACT_FORCE) { /* of all nodes */
        for (int64_t i = 0; i < f->desc.n; i++) set_weight(m, weight, i, 1);
    } else if (s->boundary) { /* only of the unknowns that this support constrains */
        for (int32_t h = 0; h < f->desc.n_constrained; h++)
            if (!strcmp(m->scene->loading.boundary[f->support_boundary[f->constrained_support[h]]].name, s->boundary))
                weight[(size_t)f->constrained_node[h] * dim + (size_t)f->constrained_axis[h]] = 1;
    } else if (mean && (s->on.group || !isnan(s->on.min[0]))) {
        *status = pio_model_nodes(m, path, s->body, &s->on, &nodes, error);
        for (int32_t i = 0; i < nodes.n; i++) set_weight(m, weight, nodes.item[i], 1.0 / nodes.n);
    } else {
        const int b = pio_scene_body_number(m->scene, s->body);
        const double each = mean ? 1 / (double)(f->node_first[b + 1] - f->node_first[b]) : 1;
        for (int64_t i = f->node_first[b]; i < f->node_first[b + 1]; i++) set_weight(m, weight, i, each);
    }
    free(nodes.item);
    if (!*status) return weight;
    free(weight);
    return NULL;
}
