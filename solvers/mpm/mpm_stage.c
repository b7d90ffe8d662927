/* mpm_stage.c -- stages of a step (mpm_step.c) that others run too: the lists of particles, cells and nodes, and
 * g2p. */
#include "solvers/mpm/mpm.h"

void mpm_lists_layout(mpm_sim *sim, mpm_lists *l)
{
    pio_arena *arena = &sim->base.arena;
    const size_t nodes = (size_t)sim->grid.nodes, blocks = (size_t)sim->grid.blocks;
    TAKE(arena, l->count, nodes);
    TAKE(arena, l->start, nodes + 1);
    TAKE(arena, l->order, sim->particles.n);
    TAKE(arena, l->occupied, blocks);
    TAKE(arena, l->settled, blocks);
    TAKE(arena, l->active, blocks);
    TAKE(arena, l->block_slot, blocks + 1);
    TAKE(arena, l->block_list, sim->grid.max_blocks);
    TAKE(arena, l->active_slot, blocks + 1);
    TAKE(arena, l->node_list, nodes);
}

/* clang-format off */
mpm_matter mpm_matter_of(const mpm_sim *sim)
{
    return (mpm_matter){.n = sim->particles.n, .constants = sim->material.constants, .law = sim->material.law,
                        .one_law = sim->material.one_law,
                        .volume = sim->material.volume, .mass = sim->material.mass, .k = sim->material.k,
                        .channels = sim->control.n_channels, .channel = sim->control.channel,
                        .fibre = sim->control.fibre, .activation = sim->control.activation,
                        .viscosity = sim->material.damping ? sim->material.damping : sim->material.viscosity,
                        .plasticity = sim->plastic.law,
                        .yield = sim->plastic.yield};
}

#define WITH .l = a.l, .cell = a.cell, .id = a.id, .step = a.step, .box = a.box, .cells = a.cells, .before = a.before
static mpm_sort_args sort_args(const mpm_sim *sim, mpm_lists lists, mpm_step *step, int *before)
{
    const mpm_state *s = &sim->particles.state[sim->particles.current];
    return (mpm_sort_args){.l = lists, .cell = s->cell, .id = s->id, .step = step, .box = sim->grid.box,
                           .cells = sim->grid.nodes, .before = before};
}

void mpm_list_blocks(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const mpm_sort_args a = sort_args(sim, sim->grid.lists, sim->step, NULL);
    pio_queue_zero(q, a.l.settled, sizeof *a.l.settled * (size_t)sim->grid.blocks);
    pio_map(q, mpm_sort_restore, sim->grid.nodes, NULL, WITH);
    pio_scan(q, mpm_sort_start, sim->grid.blocks, WITH);
    pio_scan(q, mpm_active_slot, sim->grid.blocks, WITH);
}

/* `before` is NULL where the particles are not stored in the order that the lists have. */
static void sort_into(mpm_sim *sim, mpm_lists lists, mpm_step *step, int *before)
{
    pio_queue *q = &sim->base.queue;
    const mpm_sort_args a = sort_args(sim, lists, step, before);
    if (before) {
        pio_map(q, mpm_sort_leave, sim->grid.max_blocks, &step->blocks, WITH);
    } else {
        pio_map(q, mpm_sort_clear, sim->grid.nodes, NULL, WITH);
        pio_map(q, mpm_sort_count, sim->particles.n, &step->particles, WITH);
    }
    pio_scan(q, mpm_sort_start, sim->grid.blocks, WITH);
    if (before)
        pio_map(q, mpm_sort_stay, sim->grid.max_blocks, &step->blocks, WITH);
    else
        pio_map(q, mpm_sort_place, sim->particles.n, &step->particles, WITH);
    pio_scan(q, mpm_active_slot, sim->grid.blocks, WITH);
    pio_map(q, mpm_sort_ids, sim->grid.max_blocks, &step->blocks, WITH);
}

#undef WITH

void mpm_sort_into(mpm_sim *sim, mpm_lists lists, mpm_step *step)
{
    sort_into(sim, lists, step, NULL);
}

void mpm_sort(mpm_sim *sim)
{
    int *free_now = (int *)sim->grid.tiles; /* nothing is in the tiles between two transfers, and cells are fewer */
    if (sim->slots.listed == sim->base.index && !sim->reversible.used) return;
    sort_into(sim, sim->grid.lists, sim->step, sim->slots.in_order ? free_now : NULL);
    sim->slots.listed = sim->base.index;
}

void mpm_move_trial(mpm_sim *sim)
{
    pio_map(&sim->base.queue, mpm_g2p, sim->grid.max_blocks, &sim->step->blocks,
            .s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim), .l = sim->grid.lists,
            .step = sim->step, .box = sim->grid.box, .nodes = sim->grid.nodes, .velocity = sim->grid.velocity,
            .next = sim->particles.state[1 - sim->particles.current]);
}
/* clang-format on */
