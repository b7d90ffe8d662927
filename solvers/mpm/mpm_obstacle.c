/* mpm_obstacle.c -- obstacles (kernels/mpm/mpm_obstacle.h): their part of a step of particles. */
#include "solvers/mpm/mpm.h"

piola_status mpm_obstacles_accept(const pio_engine_desc *desc, piola_error *error)
{
    if (desc->reversible && desc->n_obstacles > 0)
        return sim_fail(
            error, PIOLA_BAD_DATA,
            "obstacles dissipate energy that cannot be restored; APIC has them, the reversible integrator has "
            "penalty walls");
    return sim_obstacles_accept(desc, error);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

int mpm_obstacles_begin(mpm_sim *sim, const pio_engine_desc *desc)
{
    for (int o = 0; o < desc->n_obstacles; o++) {
        sim->obstacles.separating |= desc->obstacles[o].behaviour == PIO_WALL_SEPARATE;
        sim->obstacles.sliding |= desc->obstacles[o].behaviour != PIO_WALL_STICKY;
    }
    return sim_obstacles_begin(&sim->obstacles.all, desc);
}

void mpm_obstacles_layout(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_arena *arena = &sim->base.arena;
    sim_obstacles_layout(&sim->obstacles.all, arena, desc, sim->base.adjoint);
    if (!sim->obstacles.all.n) return;
    TAKE(arena, sim->obstacles.centroid_moment, field_size(sim->grid.nodes, DIM));
    if (!sim->base.adjoint) return;
    TAKE(arena, sim->obstacles.velocity_before, field_size(sim->grid.nodes, DIM));
    TAKE(arena, sim->obstacles.contribution, field_size(sim->grid.nodes, OBSTACLE_PARAMETERS));
    TAKE(arena, sim->obstacles.centroid_bar, field_size(sim->grid.nodes, DIM));
}

/* The material of a node at the rim of a body lies half a spacing inside it, so that the condition is complete where
 * the rim touches. */
void mpm_obstacles_upload(mpm_sim *sim, const pio_engine_desc *desc)
{
    sim_obstacles_upload(&sim->obstacles.all, &sim->base.queue, desc, sim->grid.box.dx / 2);
}

/* ---- a step -------------------------------------------------------------------------------------------------- */

/* Poses are those at the beginning of the step, velocities the means over it. */
static sim_obstacle_time time_of(const mpm_sim *sim)
{
    return (sim_obstacle_time){.index = &sim->step->index, .dt = sim->stepping.dt, .at = 0, .from = 0, .to = 1};
}

/* clang-format off */
#define ACT                                                                                                            \
    .l = sim->grid.lists, .box = sim->grid.box, .nodes = sim->grid.nodes, .obstacles = sim->obstacles.all.n, \
    .shape = sim->obstacles.all.shape, .coefficients = sim->obstacles.all.coefficients, .pose = sim->obstacles.all.pose, \
    .sums = sim->grid.node_sums, .moment = sim->obstacles.centroid_moment, .before = sim->obstacles.velocity_before, \
    .velocity = sim->grid.velocity
/* Of what obstacles met in the step: at least `least` of how much their conditions bend within this part of its forces'
 * change; 0: near their edges. */
void mpm_obstacles_count(mpm_sim *sim, real part, real least)
{
    pio_queue *q = &sim->base.queue;
    if (!(least > 0))
        pio_sum(q, mpm_obstacle_kinks, sim->grid.nodes, &sim->step->nodes, sim->base.scalar, .fwd = {ACT},
                .limit = part);
    else
        pio_sum(q, mpm_obstacle_bends, sim->grid.nodes, &sim->step->nodes, sim->base.scalar,
                .fwd = {ACT}, .step = sim->step, .momentum = sim->grid.node_bar, .fraction = part, .least = least);
}

#define CENTROID .s = sim->particles.state[sim->particles.current], .matter = mpm_matter_of(sim), \
    .l = sim->grid.lists, .box = sim->grid.box

void mpm_obstacles_act(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const sim_obstacle_time time = time_of(sim);
    if (!sim->obstacles.all.n) return;
    pio_map(q, mpm_centroid, sim->grid.max_blocks, &sim->step->blocks, CENTROID, .sums = sim->grid.tiles);
    pio_map(q, mpm_node_sum, sim->grid.blocks, NULL,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = DIM,
            .nodes = sim->grid.nodes, .out = sim->obstacles.centroid_moment);
    pio_halo(q, sim->obstacles.centroid_moment);
    sim_obstacles_place(&sim->obstacles.all, q, &time);
    pio_map(q, mpm_obstacle, sim->grid.nodes, &sim->step->nodes, ACT);
}

void mpm_obstacles_adj(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const int n = sim->obstacles.all.n;
    const sim_obstacle_time time = time_of(sim);
    if (!n) return;
    for (int o = n - 1; o >= 0; o--) {
        pio_map(q, mpm_obstacle_adj, sim->grid.nodes, &sim->step->nodes,
                .fwd = {ACT}, .obstacle = o, .velocity_bar = sim->grid.velocity_bar,
                .contribution = sim->obstacles.contribution, .place_bar = sim->obstacles.centroid_bar);
        sim_obstacles_gather(&sim->obstacles.all, q, o, sim->grid.nodes, &sim->step->nodes,
                             sim->obstacles.contribution);
    }
    sim_obstacles_place_adj(&sim->obstacles.all, q, &time);
}

void mpm_obstacles_mass_adjoint(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    if (!sim->obstacles.all.n) return;
    pio_map(q, mpm_quotient_adj, sim->grid.nodes, &sim->step->nodes,
            .l = sim->grid.lists, .nodes = sim->grid.nodes, .sums = sim->grid.node_sums,
            .y = sim->obstacles.centroid_moment, .y_bar = sim->obstacles.centroid_bar, .node_bar = sim->grid.node_bar);
    pio_halo(q, sim->obstacles.centroid_bar);
    pio_map(q, mpm_centroid_adj, sim->grid.max_blocks, &sim->step->blocks,
            .fwd = {CENTROID}, .nodes = sim->grid.nodes, .moment_bar = sim->obstacles.centroid_bar,
            .bar = sim->particles.bar[1 - sim->particles.current_bar], .mass_bar = sim->material.mass_bar);
}
/* clang-format on */
