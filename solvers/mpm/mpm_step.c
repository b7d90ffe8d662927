/* mpm_step.c -- one explicit MLS-MPM step, and its adjoint: its stages from the last to the first (Hu et al. 2019).
 *
 *     control   activation a = a(t)             control_adj   its parameters' cotangents from a_bar = sum_p ...
 *     sort      particles of each cell, occupied cells, active nodes
 *     p2g       m_i, p_i = sum_p ...            p2g_adj    x_bar, v_bar, C_bar, F_bar += ... m_i_bar, p_i_bar
 *     push      p_i += h sum_p w_ip f_p         push_adj   x_bar += ..., where obstacles and bodies have a potential
 *     grid      v_i = walls(p_i/m_i + h g)      grid_adj   m_i_bar, p_i_bar, g_bar from v_i_bar
 *     wall      v_i changed, by friction        wall_adj   v_i_bar changed, m_i_bar, p_i_bar += ..., mu_bar
 *     obstacle  v_i changed, if there are any   obstacle_adj  v_i_bar changed, x_bar += ..., their parameters'
 *     cotangents
 *     g2p       v', C', x', F'                  g2p_adj    v_i_bar = sum_p ...
 *     plastic   F' is the trial one             plastic_adj, for which g2p makes the trial one again
 *
 * Where a scene has FLIP, mpm_flip.c adds to the two ends of a step; where it has several velocity fields,
 * mpm_contact.c or, between bodies that repel each
 * other, mpm_rub.c adds to the grid's stage, and to x_bar. */
#include "solvers/mpm/mpm.h"

/* clang-format off */
/* The velocities of active nodes before contact, where their sums are there. */
static mpm_grid_args grid_args(const mpm_sim *sim)
{
    return (mpm_grid_args){
            .l = sim->grid.lists, .step = sim->step, .box = sim->grid.box, .nodes = sim->grid.nodes,
            .sums = mpm_grid_sums(sim),
            .velocity = sim->contact.on_grid ? sim->contact.free_velocity : sim->grid.velocity};
}

/* Mass and momentum of the particles at the nodes, and the velocities that these have. */
static void sum_at_nodes(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    pio_map(q, mpm_p2g, sim->grid.max_blocks, &sim->step->blocks,
            .s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim), .l = sim->grid.lists,
            .step = sim->step, .box = sim->grid.box, .sums = sim->grid.tiles);
    if (sim->obstacles.impulses) /* velocities follow once the impulses of obstacles and bodies are added */
        pio_map(q, mpm_node_sum, sim->grid.blocks, NULL,
                .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = DIM + 1,
                .nodes = sim->grid.nodes, .out = sim->grid.node_sums);
    else
        pio_map(q, mpm_node_velocity, sim->grid.blocks, NULL,
                .grid = grid_args(sim), .tiles = sim->grid.tiles, .sums = sim->grid.node_sums);
    pio_halo(q, sim->grid.node_sums); /* with several processes mpm_node_sum, then this, then mpm_grid */
}

void mpm_transfer(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    mpm_control_step(sim);
    mpm_sort(sim);
    const int there = mpm_sums_there(sim);
    if (!there) sum_at_nodes(sim);
    mpm_obstacles_push(sim);
    if (there || sim->obstacles.impulses) {
        const mpm_grid_args args = grid_args(sim);
        pio_map_with(q, mpm_grid, sim->grid.nodes, &sim->step->nodes, &args);
    }
    const mpm_grid_args walls = grid_args(sim);
    mpm_walls_act(sim, &walls);
    mpm_contact_step(sim);
    mpm_rub_step(sim);
    mpm_obstacles_act(sim);
    mpm_flip_gather(sim);
}

void mpm_forward(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (sim->reversible.used) {
        mpm_reversible_forward(sim);
        return;
    }
    mpm_transfer(sim);
    mpm_place_next(sim);
    mpm_move(sim, !sim->base.turned);
    pio_map(q, mpm_advance, 1, NULL, .step = sim->step);
    sim->particles.current = 1 - sim->particles.current;
    sim->slots.behind = BEHIND_ALL;
    sim->slots.in_order = 1;
    sim->base.index++;
}

static void gravity_adj(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    for (int c = 0; c < DIM; c++) {
        pio_sum(q, mpm_gravity_sum, sim->grid.nodes, &sim->step->nodes, sim->base.scalar,
                .l = sim->grid.lists, .step = sim->step, .nodes = sim->grid.nodes, .component = c,
                .sums = sim->grid.node_sums, .node_bar = sim->grid.node_bar);
        pio_map(q, add_scalar, 1, NULL, .term = sim->base.scalar, .total = sim->base.gravity_bar + c);
    }
}

/* Adjoint of p2g, which adds to `bar`, the cotangents of the current state. */
static void p2g_adj(mpm_sim *sim, const mpm_state *bar)
{
    const mpm_matter matter = mpm_matter_of(sim);
    const mpm_p2g_adj_args args = {
            .s = sim->particles.state[sim->particles.current], .matter = matter, .l = sim->grid.lists,
            .step = sim->step, .box = sim->grid.box, .nodes = sim->grid.nodes, .node_bar = sim->grid.node_bar,
            .bar = *bar, .adds_motion = sim->flip.used, .mass_bar = sim->material.mass_bar,
            .k_bar = sim->material.k_bar, .activation_bar = sim->control.contribution,
            .viscosity_bar = sim->material.viscosity_bar, .yield_bar = sim->plastic.yield_bar};
    if (sim->material.laws & ~lane_laws() || matter.channel || matter.viscosity || matter.plasticity)
        pio_map_with(&sim->base.queue, mpm_p2g_rest_adj, sim->grid.max_blocks, &sim->step->blocks, &args);
    else
        pio_map_with(&sim->base.queue, mpm_p2g_adj, sim->grid.max_blocks, &sim->step->blocks, &args);
}

void mpm_adjoint_step(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const mpm_state s = sim->particles.state[sim->particles.current],
            bar = sim->particles.bar[1 - sim->particles.current_bar];
    if (sim->reversible.used) {
        mpm_reversible_adjoint(sim);
        return;
    }
    mpm_transfer(sim);
    mpm_own_next(sim);
    sim->slots.behind = BEHIND_NOTHING;
    mpm_observe_between_adj(sim);
    mpm_plastic_flow_adj(sim);
    pio_map(q, mpm_g2p_adj, sim->grid.max_blocks, &sim->step->blocks,
            .s = s, .matter = mpm_matter_of(sim), .l = sim->grid.lists, .step = sim->step, .box = sim->grid.box,
            .nodes = sim->grid.nodes, .velocity = sim->grid.velocity,
            .next_bar = sim->particles.bar[sim->particles.current_bar], .bar = bar, .clears_motion = sim->flip.used,
            .sums = sim->grid.tiles);
    pio_map(q, mpm_node_sum, sim->grid.blocks, NULL,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = DIM,
            .nodes = sim->grid.nodes, .out = sim->grid.velocity_bar);
    pio_halo(q, sim->grid.velocity_bar);
    mpm_kinks_count(sim);
    mpm_obstacles_adj(sim);
    mpm_rub_adjoint(sim);
    mpm_contact_adjoint(sim);
    const mpm_grid_args walls = grid_args(sim);
    mpm_walls_adjoint(sim, &walls);
    pio_map(q, mpm_grid_adj, sim->grid.nodes, &sim->step->nodes,
            .fwd = {.l = sim->grid.lists, .step = sim->step, .box = sim->grid.box, .nodes = sim->grid.nodes,
            .sums = mpm_grid_sums(sim)}, .velocity_bar = sim->grid.velocity_bar, .node_bar = sim->grid.node_bar);
    mpm_walls_rest_adjoint(sim);
    mpm_contact_matter_adjoint(sim);
    mpm_rub_mass_adjoint(sim);
    mpm_obstacles_mass_adjoint(sim);
    mpm_flip_adjoint(sim);
    gravity_adj(sim);
    p2g_adj(sim, &bar);
    mpm_control_step_adj(sim, &bar);
    mpm_adjoint_norm(sim, &bar, sim->base.index, NORM_ARRIVED);
    mpm_observe_before_adj(sim);
    sim->particles.current_bar = 1 - sim->particles.current_bar;
}
/* clang-format on */
