/* model_sense.c -- which nodes of meshes count for how much in what a network of control reads of them. */
#include "host/base/fail.h"
#include "host/model/model_fem.h"

#include <stdlib.h>

/* Adds `part` for each element of a body, or of a channel where `channel` [elements] is not NULL, times its share of
 * their volume, spread evenly over its nodes. */
static void add_mean(const pio_model *m, int32_t number, const int32_t *channel, double part, const double *volume,
                     double *weight)
{
    const pio_model_fem *f = m->fem;
    double all = 0;
    for (int b = 0; b < f->bodies; b++)
        for (int64_t e = f->element_first[b]; e < f->element_first[b + 1]; e++)
            all += (channel ? channel[e] : b) == number ? volume[e] : 0;
    for (int b = 0; b < f->bodies; b++)
        for (int64_t e = f->element_first[b]; e < f->element_first[b + 1]; e++) {
            pio_element_type type;
            const int32_t *nodes = pio_mesh_element(&f->mesh[b], (int32_t)(e - f->element_first[b]), &type);
            const int count = pio_elements[type].nodes;
            if ((channel ? channel[e] : b) != number) continue;
            for (int n = 0; n < count; n++) weight[f->node_first[b] + nodes[n]] += part * volume[e] / (all * count);
        }
}

double *pio_model_sense(const pio_model *m, const pio_input_desc *of, const int32_t *channel, piola_error *error)
{
    const pio_model_fem *f = m->fem;
    const size_t elements = (size_t)f->element_first[f->bodies], nodes = (size_t)f->desc.n;
    double *weight = calloc(nodes + 1, sizeof *weight), *volume = malloc(sizeof *volume * (elements + 1));
    if (weight && volume) {
        for (int b = 0; b < f->bodies; b++) pio_mesh_cell_volumes(&f->mesh[b], volume + f->element_first[b]);
        add_mean(m, of->of, of->of_channel ? channel : NULL, 1, volume, weight);
        if (of->from >= 0) add_mean(m, of->from, of->from_channel ? channel : NULL, -1, volume, weight);
    } else {
        (void)pio_fail_memory(error, sizeof *weight * nodes + sizeof *volume * elements, "what a network reads");
        free(weight);
        weight = NULL;
    }
    free(volume);
    return weight;
}
