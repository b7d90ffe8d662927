/* mpm_stage.c -- stages of a step (mpm_step.c) that others run too: the lists of particles, cells and nodes, and
 * g2p. */
#include "solvers/mpm/mpm.h"

/* clang-format off */
mpm_matter mpm_matter_of(const mpm_sim *sim)
{
    return (mpm_matter){.n = sim->n, .constants = sim->constants, .law = sim->law, .volume = sim->volume,
                        .mass = sim->mass, .k = sim->k,
                        .channels = sim->n_channels, .channel = sim->channel, .fibre = sim->fibre,
                        .activation = sim->activation, .viscosity = sim->viscosity, .plasticity = sim->plasticity,
                        .yield = sim->yield};
}

void mpm_sort_into(mpm_sim *sim, mpm_lists lists, mpm_step *step)
{
    pio_queue *q = &sim->base.queue;
    const mpm_state *s = &sim->state[sim->current];
    const mpm_sort_args a = {.l = lists, .cell = s->cell, .id = s->id, .step = step, .box = sim->box,
                             .cells = sim->nodes};
#define WITH .l = a.l, .cell = a.cell, .id = a.id, .step = a.step, .box = a.box, .cells = a.cells
    pio_map(q, mpm_sort_clear, sim->nodes, NULL, WITH);
    pio_map(q, mpm_sort_count, sim->n, &step->particles, WITH);
    pio_scan(q, mpm_sort_start, sim->nodes, a.l.start, WITH);
    pio_map(q, mpm_sort_place, sim->n, &step->particles, WITH);
    pio_scan(q, mpm_cell_slot, sim->nodes, a.l.cell_slot, WITH);
    pio_map(q, mpm_cell_list, sim->nodes, NULL, WITH);
    pio_map(q, mpm_sort_ids, sim->max_cells, &step->cells, WITH);
    pio_scan(q, mpm_node_slot, sim->nodes, a.l.node_slot, WITH);
    pio_map(q, mpm_node_list, sim->nodes, NULL, WITH);
#undef WITH
}

void mpm_sort(mpm_sim *sim)
{
    mpm_sort_into(sim, sim->lists, sim->step);
}

void mpm_move_trial(mpm_sim *sim)
{
    pio_map(&sim->base.queue, mpm_g2p, sim->max_cells, &sim->step->cells,
            .s = sim->state[sim->current], .matter = mpm_matter_of(sim), .l = sim->lists, .step = sim->step,
            .box = sim->box, .nodes = sim->nodes, .velocity = sim->node_velocity, .next = sim->state[1 - sim->current]);
}
/* clang-format on */
