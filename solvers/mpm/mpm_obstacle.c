/* mpm_obstacle.c -- obstacles (kernels/mpm/mpm_obstacle.h): their part of a step of particles. */
#include "solvers/mpm/mpm.h"

#include <math.h>
#include <stdlib.h>

/* A potential holds solids alone: fluids and grains have no shape by which their particles keep out of it as one. */
static piola_status check_potential(const pio_engine_desc *desc, int o, piola_error *error)
{
    const pio_obstacle_desc *d = &desc->obstacles[o];
    const pio_particles_desc *p = &desc->particles;
    if (d->behaviour != PIO_WALL_SEPARATE)
        return sim_fail(error, PIOLA_BAD_DATA, "obstacle %d: a potential separates; sticky and slip act on the grid",
                        o);
    if (d->contact_distance > desc->grid.spacing)
        return sim_fail(error, PIOLA_BAD_DATA,
                        "obstacle %d: its potential sets in over %g m; at most a spacing of the grid, %g m, would be "
                        "right",
                        o, d->contact_distance, desc->grid.spacing);
    for (int64_t i = 0; i < p->n; i++) {
        const int plastic = p->plasticity ? p->plasticity[i] : PIO_ELASTIC;
        if (law_is_fluid(p->law[i]) || plastic == PIO_DRUCKER_PRAGER || plastic == PIO_SNOW)
            return sim_fail(error, PIOLA_BAD_DATA,
                            "obstacle %d: its potential holds solids, and particle %lld is fluid, granular or snow; an "
                            "obstacle that acts on the grid would be right",
                            o, (long long)i);
    }
    return PIOLA_OK;
}

piola_status mpm_obstacles_accept(const pio_engine_desc *desc, piola_error *error)
{
    if (desc->reversible && desc->n_obstacles > 0)
        return sim_fail(
            error, PIOLA_BAD_DATA,
            "obstacles dissipate energy that cannot be restored; APIC has them, the reversible integrator has "
            "penalty walls");
    piola_status rc = sim_obstacles_accept(desc, error);
    for (int o = 0; !rc && o < desc->n_obstacles; o++)
        if (desc->obstacles[o].model == PIO_CONTACT_POTENTIAL) rc = check_potential(desc, o, error);
    return rc;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

int mpm_obstacles_begin(mpm_sim *sim, const pio_engine_desc *desc)
{
    mpm_sim_obstacles *own = &sim->obstacles;
    own->number = calloc((size_t)desc->n_obstacles + 1, sizeof *own->number);
    if (!own->number) return 0;
    for (int o = 0; o < desc->n_obstacles; o++) {
        const pio_obstacle_desc *d = &desc->obstacles[o];
        const int pushes = d->model == PIO_CONTACT_POTENTIAL;
        own->number[o] = pushes ? own->pushing++ : -1;
        own->on_grid |= !pushes;
        own->separating |= !pushes && d->behaviour == PIO_WALL_SEPARATE;
        own->sliding |= pushes ? d->friction > 0 : d->behaviour != PIO_WALL_STICKY;
    }
    own->impulses = 2 * own->pushing + sim->repulsion.used;
    for (int k = 0; k < desc->n_designs; k++) own->sliding |= desc->designs[k].quantity == PIO_OBSTACLE_FRICTION;
    return sim_obstacles_begin(&own->all, desc);
}

/* Memory of impulses: of obstacles with a potential, their levers, and of bodies that repel each other. */
static void take_pushes(mpm_sim *sim)
{
    pio_arena *arena = &sim->base.arena;
    mpm_sim_obstacles *own = &sim->obstacles;
    const size_t field = (size_t)push_field(sim->grid.nodes, 1);
    int driven = 0;
    if (!own->impulses) return;
    if (own->pushing) TAKE(arena, own->push_number, own->all.n);
    TAKE(arena, own->radius, sim->particles.n);
    TAKE(arena, own->push, field * (size_t)own->impulses);
    TAKE(arena, own->pushed_sums, field_size(sim->grid.nodes, DIM + 1));
    if (!sim->base.adjoint) return;
    for (int o = 0; o < own->all.n; o++) driven |= own->number[o] >= 0 && own->all.driven[o];
    TAKE(arena, own->push_bar, field * (size_t)own->impulses);
    if (!driven) return;
    TAKE(arena, own->force_bar, field_size(sim->particles.n, DIM));
    TAKE(arena, own->direction_bar, field_size(sim->particles.n, DIM));
}

void mpm_obstacles_layout(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_arena *arena = &sim->base.arena;
    sim_obstacles_layout(&sim->obstacles.all, arena, desc, sim->base.adjoint);
    take_pushes(sim);
    if (!sim->obstacles.all.n) return;
    if (sim->obstacles.on_grid) TAKE(arena, sim->obstacles.centroid_moment, field_size(sim->grid.nodes, DIM));
    if (!sim->base.adjoint) return;
    TAKE(arena, sim->obstacles.velocity_before, field_size(sim->grid.nodes, DIM));
    TAKE(arena, sim->obstacles.contribution, field_size(sim->grid.nodes, OBSTACLE_PARAMETERS));
    if (sim->obstacles.on_grid) TAKE(arena, sim->obstacles.centroid_bar, field_size(sim->grid.nodes, DIM));
}

/* The material of a node at the rim of a body lies half a spacing inside it, so that the condition is complete where
 * the rim touches. */
void mpm_obstacles_upload(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_queue *q = &sim->base.queue;
    const mpm_sim_obstacles *own = &sim->obstacles;
    sim_obstacles_upload(&own->all, q, desc, sim->grid.box.dx / 2);
    if (!own->impulses) return;
    if (own->pushing) pio_queue_upload(q, own->push_number, own->number, sizeof *own->number * (size_t)own->all.n);
    for (int i = 0; i < sim->particles.n; i++)
        sim->base.host_transfer[i] = pow(desc->particles.volume[i], 1.0 / DIM) / 2;
    pio_queue_upload(q, sim->base.transfer, sim->base.host_transfer, sizeof(double) * (size_t)sim->particles.n);
    pio_map(q, field_write, sim->particles.n, NULL, .in = sim->base.transfer, .n = sim->particles.n, .components = 1,
            .component = 0, .out = own->radius);
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
    .shape = sim->obstacles.all.shape, .pose = sim->obstacles.all.pose, \
    .coefficients = sim->obstacles.all.coefficients, \
    .push_number = sim->obstacles.push_number, .push = sim->obstacles.push, \
    .sums = mpm_grid_sums(sim), .moment = sim->obstacles.centroid_moment, .before = sim->obstacles.velocity_before, \
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

/* Of obstacle o, which has a potential: of its impulses or its levers. */
static mpm_push_args push_args(const mpm_sim *sim, int o, int lever)
{
    return (mpm_push_args){
            .s = sim->particles.state[sim->particles.current], .n = sim->particles.n,
            .radius = sim->obstacles.radius, .l = sim->grid.lists, .step = sim->step, .box = sim->grid.box,
            .shape = sim->obstacles.all.shape + o, .pose = sim->obstacles.all.pose + o,
            .coefficients = sim->obstacles.all.coefficients, .lever = lever, .sums = sim->grid.tiles};
}

static mpm_push_add_args push_add_args(const mpm_sim *sim)
{
    return (mpm_push_add_args){
            .l = sim->grid.lists, .nodes = sim->grid.nodes, .fields = sim->obstacles.impulses,
            .push = sim->obstacles.push, .sums = sim->grid.node_sums, .out = sim->obstacles.pushed_sums};
}

/* Among `fields`: those of impulses of obstacles come first, then those of their levers, then that of bodies that repel
 * each other. The first two are of obstacle o. */
static real *field_of(const mpm_sim *sim, real *fields, int o)
{
    return fields + push_field(sim->grid.nodes, sim->obstacles.number[o]);
}
static real *lever_of(const mpm_sim *sim, real *fields, int o)
{
    return fields + push_field(sim->grid.nodes, sim->obstacles.pushing + sim->obstacles.number[o]);
}
static real *last_of(const mpm_sim *sim, real *fields)
{
    return fields + push_field(sim->grid.nodes, 2 * sim->obstacles.pushing);
}

/* Sets a field of obstacle o's impulses or levers. */
static void push_with(mpm_sim *sim, int o, int lever, real *field)
{
    pio_queue *q = &sim->base.queue;
    const mpm_push_args args = push_args(sim, o, lever);
    pio_map_with(q, mpm_push, sim->grid.max_blocks, &sim->step->blocks, &args);
    pio_map(q, mpm_node_sum, sim->grid.blocks, NULL,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = DIM,
            .nodes = sim->grid.nodes, .out = field);
    pio_halo(q, field);
}

void mpm_obstacles_push(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const sim_obstacle_time time = time_of(sim);
    if (!sim->obstacles.impulses) return;
    if (sim->obstacles.pushing) sim_obstacles_place(&sim->obstacles.all, q, &time);
    for (int o = 0; o < sim->obstacles.all.n; o++) {
        if (sim->obstacles.number[o] < 0) continue;
        push_with(sim, o, 0, field_of(sim, sim->obstacles.push, o));
        push_with(sim, o, 1, lever_of(sim, sim->obstacles.push, o));
    }
    if (sim->repulsion.used) mpm_repel_step(sim, last_of(sim, sim->obstacles.push));
    const mpm_push_add_args add = push_add_args(sim);
    pio_map_with(q, mpm_push_add, sim->grid.nodes, &sim->step->nodes, &add);
}

static void set_centroids(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    pio_map(q, mpm_centroid, sim->grid.max_blocks, &sim->step->blocks, CENTROID, .sums = sim->grid.tiles);
    pio_map(q, mpm_node_sum, sim->grid.blocks, NULL,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = DIM,
            .nodes = sim->grid.nodes, .out = sim->obstacles.centroid_moment);
    pio_halo(q, sim->obstacles.centroid_moment);
}

void mpm_obstacles_act(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const sim_obstacle_time time = time_of(sim);
    if (!sim->obstacles.all.n) return;
    if (sim->obstacles.on_grid) set_centroids(sim);
    if (!sim->obstacles.pushing) sim_obstacles_place(&sim->obstacles.all, q, &time);
    pio_map(q, mpm_obstacle, sim->grid.nodes, &sim->step->nodes, ACT);
}

void mpm_obstacles_adj(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    for (int o = sim->obstacles.all.n - 1; o >= 0; o--) {
        pio_map(q, mpm_obstacle_adj, sim->grid.nodes, &sim->step->nodes,
                .fwd = {ACT}, .obstacle = o, .velocity_bar = sim->grid.velocity_bar,
                .contribution = sim->obstacles.contribution, .place_bar = sim->obstacles.centroid_bar,
                .push_bar = sim->obstacles.push_bar);
        sim_obstacles_gather(&sim->obstacles.all, q, o, sim->grid.nodes, &sim->step->nodes,
                             sim->obstacles.contribution);
    }
}

/* The adjoint of mpm_obstacles_push(), once mpm_grid_adj has set the cotangents of mass and momentum. */
static void push_adj(mpm_sim *sim)
{
    static const int parameters[] = {OBSTACLE_STIFFNESS, OBSTACLE_DISTANCE, OBSTACLE_SCALE};
    enum { PLACES = OBSTACLE_ROTATION + OBSTACLE_TURNS, ALL = PLACES + sizeof parameters / sizeof *parameters };
    pio_queue *q = &sim->base.queue;
    const sim_obstacles *all = &sim->obstacles.all;
    const int without = sim->obstacles.impulses - sim->obstacles.pushing; /* fields that friction does not read */
    pio_queue_zero(q, sim->obstacles.push_bar + push_field(sim->grid.nodes, sim->obstacles.pushing),
                   sizeof *sim->obstacles.push_bar * (size_t)push_field(sim->grid.nodes, without));
    pio_map(q, mpm_push_add_adj, sim->grid.nodes, &sim->step->nodes,
            .fwd = push_add_args(sim), .push_bar = sim->obstacles.push_bar, .node_bar = sim->grid.node_bar);
    if (sim->repulsion.used) mpm_repel_adjoint(sim, last_of(sim, sim->obstacles.push_bar));
    for (int o = 0; o < all->n; o++) {
        const mpm_push_args args = push_args(sim, o, 0);
        if (sim->obstacles.number[o] < 0) continue;
        pio_halo(q, field_of(sim, sim->obstacles.push_bar, o));
        pio_halo(q, lever_of(sim, sim->obstacles.push_bar, o));
        pio_map(q, mpm_push_adj, sim->grid.max_blocks, &sim->step->blocks,
                .fwd = args, .nodes = sim->grid.nodes, .push_bar = field_of(sim, sim->obstacles.push_bar, o),
                .lever_bar = lever_of(sim, sim->obstacles.push_bar, o),
                .offset_bar = sim->particles.bar[1 - sim->particles.current_bar].offset,
                .force_bar = all->driven[o] ? sim->obstacles.force_bar : NULL,
                .direction_bar = all->driven[o] ? sim->obstacles.direction_bar : NULL);
        for (int k = 0; k < (int)ALL && all->driven[o]; k++) {
            const int number = k < PLACES ? k : parameters[k - PLACES];
            pio_sum(q, mpm_push_sum, sim->particles.n, &sim->step->particles, sim->base.scalar,
                    .fwd = args, .force_bar = sim->obstacles.force_bar,
                    .direction_bar = sim->obstacles.direction_bar, .component = number);
            pio_map(q, add_scalar, 1, NULL,
                    .term = sim->base.scalar, .total = all->pose_bar + obstacle_at(all->n, number, o));
        }
    }
}

static void centroid_adj(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    pio_map(q, mpm_quotient_adj, sim->grid.nodes, &sim->step->nodes,
            .l = sim->grid.lists, .nodes = sim->grid.nodes, .sums = sim->grid.node_sums,
            .y = sim->obstacles.centroid_moment, .y_bar = sim->obstacles.centroid_bar, .node_bar = sim->grid.node_bar);
    pio_halo(q, sim->obstacles.centroid_bar);
    pio_map(q, mpm_centroid_adj, sim->grid.max_blocks, &sim->step->blocks,
            .fwd = {CENTROID}, .nodes = sim->grid.nodes, .moment_bar = sim->obstacles.centroid_bar,
            .bar = sim->particles.bar[1 - sim->particles.current_bar], .mass_bar = sim->material.mass_bar);
}

void mpm_obstacles_mass_adjoint(mpm_sim *sim)
{
    const sim_obstacle_time time = time_of(sim);
    if (sim->obstacles.on_grid) centroid_adj(sim);
    if (sim->obstacles.impulses) push_adj(sim);
    sim_obstacles_place_adj(&sim->obstacles.all, &sim->base.queue, &time);
}
/* clang-format on */
