/* mpm_stage.c -- stages of a step (mpm_step.c) that others run too: the lists of particles, cells and nodes, and
 * g2p. */
#include "solvers/mpm/mpm.h"

/* clang-format off */
mpm_matter mpm_matter_of(const mpm_sim *sim)
{
    return (mpm_matter){.n = sim->particles.n, .constants = sim->material.constants, .law = sim->material.law,
                        .volume = sim->material.volume, .mass = sim->material.mass, .k = sim->material.k,
                        .channels = sim->control.n_channels, .channel = sim->control.channel,
                        .fibre = sim->control.fibre, .activation = sim->control.activation,
                        .viscosity = sim->material.viscosity, .plasticity = sim->plastic.law,
                        .yield = sim->plastic.yield};
}

void mpm_sort_into(mpm_sim *sim, mpm_lists lists, mpm_step *step)
{
    pio_queue *q = &sim->base.queue;
    const mpm_state *s = &sim->particles.state[sim->particles.current];
    const mpm_sort_args a = {.l = lists, .cell = s->cell, .id = s->id, .step = step, .box = sim->grid.box,
                             .cells = sim->grid.nodes};
#define WITH .l = a.l, .cell = a.cell, .id = a.id, .step = a.step, .box = a.box, .cells = a.cells
    pio_map(q, mpm_sort_clear, sim->grid.nodes, NULL, WITH);
    pio_map(q, mpm_sort_count, sim->particles.n, &step->particles, WITH);
    pio_scan(q, mpm_sort_start, sim->grid.nodes, a.l.start, WITH);
    pio_map(q, mpm_sort_place, sim->particles.n, &step->particles, WITH);
    pio_scan(q, mpm_cell_slot, sim->grid.nodes, a.l.cell_slot, WITH);
    pio_map(q, mpm_cell_list, sim->grid.nodes, NULL, WITH);
    pio_map(q, mpm_sort_ids, sim->grid.max_cells, &step->cells, WITH);
    pio_scan(q, mpm_node_slot, sim->grid.nodes, a.l.node_slot, WITH);
    pio_map(q, mpm_node_list, sim->grid.nodes, NULL, WITH);
#undef WITH
}

void mpm_sort(mpm_sim *sim)
{
    mpm_sort_into(sim, sim->grid.lists, sim->step);
}

void mpm_move_trial(mpm_sim *sim)
{
    pio_map(&sim->base.queue, mpm_g2p, sim->grid.max_cells, &sim->step->cells,
            .s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim), .l = sim->grid.lists,
            .step = sim->step, .box = sim->grid.box, .nodes = sim->grid.nodes, .velocity = sim->grid.velocity,
            .next = sim->particles.state[1 - sim->particles.current]);
}
/* clang-format on */
