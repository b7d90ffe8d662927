/* mpm_flip.c -- the FLIP blend of a step (kernels/mpm/mpm_flip.h) and its adjoint: launched only where a description
 * has it. */
#include "solvers/mpm/mpm.h"

#include <math.h>

piola_status mpm_flip_accepts(const pio_engine_desc *desc, piola_error *error)
{
    int designs = 0;
    for (int d = 0; d < desc->n_designs; d++) designs += desc->designs[d].quantity == PIO_FLIP;
    if (!(desc->flip >= 0 && desc->flip <= 1))
        return sim_fail(error, PIOLA_BAD_DATA, "a FLIP ratio of %g; from 0 to 1 would be right", desc->flip);
    if (desc->reversible && (desc->flip > 0 || designs))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "FLIP blends velocities that cannot be taken apart again; the reversible integrator keeps its "
                        "own, and has no FLIP ratio");
    return PIOLA_OK;
}

void mpm_flip_begin(mpm_sim *sim, const pio_engine_desc *desc)
{
    sim->flip.ratio = desc->flip;
    sim->flip.used = desc->flip > 0;
    for (int d = 0; d < desc->n_designs; d++) sim->flip.used |= desc->designs[d].quantity == PIO_FLIP;
}

/* clang-format off */
#define SPREAD .s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim), .l = sim->grid.lists, \
    .box = sim->grid.box
#define KEEP .s = sim->particles.state[sim->particles.current], .n = sim->particles.n, .l = sim->grid.lists, \
    .step = sim->step, .box = sim->grid.box, .nodes = sim->grid.nodes, .sums = sim->grid.node_sums, \
    .momentum = sim->flip.momentum

void mpm_flip_gather(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->flip.used) return;
    pio_map(q, mpm_flip_spread, sim->grid.max_blocks, &sim->step->blocks, SPREAD, .sums = sim->grid.tiles);
    pio_map(q, mpm_node_sum, sim->grid.blocks, NULL,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = DIM,
            .nodes = sim->grid.nodes, .out = sim->flip.momentum);
    pio_halo(q, sim->flip.momentum);
}

void mpm_flip_keep(mpm_sim *sim)
{
    if (!sim->flip.used) return;
    pio_map(&sim->base.queue, mpm_flip, sim->grid.max_blocks, &sim->step->blocks,
            KEEP, .velocity = sim->particles.state[1 - sim->particles.current].velocity);
}

void mpm_flip_adjoint(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const mpm_state bar = sim->particles.bar[1 - sim->particles.current_bar];
    if (!sim->flip.used) return;
    pio_map(q, mpm_flip_adj, sim->grid.max_blocks, &sim->step->blocks,
            .fwd = {KEEP}, .next_bar = sim->particles.bar[sim->particles.current_bar].velocity, .bar = bar,
            .contribution = sim->flip.contribution, .sums = sim->grid.tiles);
    pio_map(q, mpm_node_sum, sim->grid.blocks, NULL,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = DIM,
            .nodes = sim->grid.nodes, .out = sim->flip.node_bar);
    pio_halo(q, sim->flip.node_bar);
    pio_map(q, mpm_quotient_adj, sim->grid.nodes, &sim->step->nodes,
            .l = sim->grid.lists, .nodes = sim->grid.nodes, .sums = sim->grid.node_sums, .y = sim->flip.momentum,
            .y_bar = sim->flip.node_bar, .node_bar = sim->grid.node_bar);
    pio_map(q, mpm_flip_spread_adj, sim->grid.max_blocks, &sim->step->blocks,
            .fwd = {SPREAD}, .nodes = sim->grid.nodes, .momentum_bar = sim->flip.node_bar, .bar = bar,
            .mass_bar = sim->material.mass_bar);
    pio_sum(q, mpm_flip_sum, sim->particles.n, &sim->step->particles, sim->base.scalar,
            .contribution = sim->flip.contribution);
    pio_map(q, add_scalar, 1, NULL, .term = sim->base.scalar, .total = sim->flip.ratio_bar);
}
/* clang-format on */
