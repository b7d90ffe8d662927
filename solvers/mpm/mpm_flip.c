/* mpm_flip.c -- the FLIP blend of a step (kernels/mpm/mpm_flip.h) and its adjoint: launched only where a description
 * has it. */
#include "solvers/mpm/mpm.h"

#include <math.h>

piola_status mpm_flip_accepts(const pio_engine_desc *desc, piola_error *error)
{
    int designs = 0;
    for (int d = 0; d < desc->n_designs; d++) designs += desc->designs[d].quantity == PIO_FLIP;
    if (!(desc->flip >= 0 && desc->flip <= 1))
        return sim_fail(error, PIOLA_BAD_DATA, "a share of FLIP of %g; from 0 to 1 would be right", desc->flip);
    if (desc->reversible && (desc->flip > 0 || designs))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "FLIP blends velocities that cannot be taken apart again; the reversible integrator keeps its "
                        "own, and has no such share");
    return PIOLA_OK;
}

void mpm_flip_begin(mpm_sim *sim, const pio_engine_desc *desc)
{
    sim->flip = desc->flip;
    sim->has_flip = desc->flip > 0;
    for (int d = 0; d < desc->n_designs; d++) sim->has_flip |= desc->designs[d].quantity == PIO_FLIP;
}

/* clang-format off */
#define SPREAD .s = sim->state[sim->current], .matter = mpm_matter_of(sim), .l = sim->lists, .box = sim->box
#define KEEP .s = sim->state[sim->current], .n = sim->n, .l = sim->lists, .step = sim->step, .box = sim->box, \
    .nodes = sim->nodes, .sums = sim->node_sums, .momentum = sim->flip_momentum

void mpm_flip_gather(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->has_flip) return;
    pio_map(q, mpm_flip_spread, sim->max_cells, &sim->step->cells, SPREAD, .sums = sim->cell_sums);
    pio_map(q, mpm_node_sum, sim->nodes, &sim->step->nodes,
            .l = sim->lists, .box = sim->box, .sums = sim->cell_sums, .components = DIM, .nodes = sim->nodes,
            .out = sim->flip_momentum);
    pio_halo(q, sim->flip_momentum);
}

void mpm_flip_keep(mpm_sim *sim)
{
    if (!sim->has_flip) return;
    pio_map(&sim->base.queue, mpm_flip, sim->max_cells, &sim->step->cells,
            KEEP, .velocity = sim->state[1 - sim->current].velocity);
}

void mpm_flip_reverse(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const mpm_state bar = sim->bar[1 - sim->current_bar];
    if (!sim->has_flip) return;
    pio_map(q, mpm_flip_adj, sim->max_cells, &sim->step->cells,
            .fwd = {KEEP}, .next_bar = sim->bar[sim->current_bar].velocity, .bar = bar, .share = sim->flip_share,
            .sums = sim->cell_sums);
    pio_map(q, mpm_node_sum, sim->nodes, &sim->step->nodes,
            .l = sim->lists, .box = sim->box, .sums = sim->cell_sums, .components = DIM, .nodes = sim->nodes,
            .out = sim->flip_node_bar);
    pio_halo(q, sim->flip_node_bar);
    pio_map(q, mpm_quotient_adj, sim->nodes, &sim->step->nodes,
            .l = sim->lists, .nodes = sim->nodes, .sums = sim->node_sums, .y = sim->flip_momentum,
            .y_bar = sim->flip_node_bar, .node_bar = sim->node_bar);
    pio_map(q, mpm_flip_spread_adj, sim->max_cells, &sim->step->cells,
            .fwd = {SPREAD}, .nodes = sim->nodes, .momentum_bar = sim->flip_node_bar, .bar = bar,
            .mass_bar = sim->mass_bar);
    pio_sum(q, mpm_flip_sum, sim->n, &sim->step->particles, sim->base.scalar, .share = sim->flip_share);
    pio_map(q, add_scalar, 1, NULL, .term = sim->base.scalar, .total = sim->flip_bar);
}
/* clang-format on */
