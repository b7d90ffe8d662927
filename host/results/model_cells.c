/* model_cells.c -- see model_cells.h. */
#include "host/results/model_cells.h"

#include "host/base/fail.h"
#include "host/model/model_fem.h"

#include <stdlib.h>

piola_status pio_model_cells(const pio_model *m, pio_snapshot_mesh *out, piola_error *error)
{
    const pio_fem_desc *d = &m->fem->desc;
    const size_t cells = (size_t)pio_model_items(m, false);
    size_t corners = 0, c = 0, at = 0;
    for (int b = 0; b < d->n_blocks; b++)
        corners += (size_t)d->blocks[b].n * (size_t)pio_elements[d->blocks[b].type].nodes;
    uint8_t *types = malloc(cells + 1);
    int64_t *offsets = malloc(sizeof *offsets * (cells + 1)), *nodes = malloc(sizeof *nodes * (corners + 1));
    *out = (pio_snapshot_mesh){(int64_t)cells, types, offsets, nodes};
    if (!types || !offsets || !nodes) {
        pio_model_cells_free(out);
        return pio_fail_memory(error, sizeof *nodes * (cells + corners), "cells");
    }
    for (int b = 0; b < d->n_blocks; b++) {
        const pio_element *e = &pio_elements[d->blocks[b].type];
        for (int32_t i = 0; i < d->blocks[b].n; i++) {
            types[c] = (uint8_t)e->vtk;
            offsets[c++] = (int64_t)at;
            for (int k = 0; k < e->nodes; k++)
                nodes[at++] = d->blocks[b].nodes[(size_t)i * (size_t)e->nodes + (size_t)k];
        }
    }
    offsets[c] = (int64_t)at;
    return PIOLA_OK;
}

void pio_model_cells_free(pio_snapshot_mesh *mesh)
{
    free((void *)mesh->types);
    free((void *)mesh->offsets);
    free((void *)mesh->connectivity);
    *mesh = (pio_snapshot_mesh){0};
}
