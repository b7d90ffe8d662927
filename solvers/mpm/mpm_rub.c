/* mpm_rub.c -- friction of velocity fields whose bodies repel each other (kernels/mpm/mpm_rub.h): launched only where a
 * description has it. */
#include "solvers/mpm/mpm.h"

#include <math.h>

/* Returns whether a design moves the coefficient or the friction velocity. */
static int is_designed(const pio_engine_desc *desc)
{
    int designed = 0;
    for (int d = 0; d < desc->n_designs; d++)
        designed |=
            desc->designs[d].quantity == PIO_FRICTION || desc->designs[d].quantity == PIO_REGULARISATION_VELOCITY;
    return designed;
}

piola_status mpm_rub_accepts(const pio_engine_desc *desc, piola_error *error)
{
    const double e = desc->regularisation_velocity;
    if (desc->particles.fields < 2 || desc->contact_model != PIO_CONTACT_POTENTIAL) return PIOLA_OK;
    if (!(desc->friction >= 0 && isfinite(desc->friction)))
        return sim_fail(error, PIOLA_BAD_DATA, "friction of %g; 0 or more would be right", desc->friction);
    if ((desc->friction > 0 || is_designed(desc)) && !(e >= PIO_LEAST_VELOCITY && isfinite(e)))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "friction between bodies sets in at %g m/s; a velocity of at least %g would be right", e,
                        PIO_LEAST_VELOCITY);
    return PIOLA_OK;
}

void mpm_rub_begin(mpm_sim *sim, const pio_engine_desc *desc)
{
    sim->rub.used = sim->repulsion.used && (desc->friction > 0 || is_designed(desc));
}

void mpm_rub_layout(mpm_sim *sim)
{
    pio_arena *arena = &sim->base.arena;
    const int n = sim->particles.n, nodes = sim->grid.nodes, fields = sim->grid.box.fields;
    mpm_sim_rub *r = &sim->rub;
    if (!r->used) return;
    TAKE(arena, r->sum, field_size(n, fields));
    TAKE(arena, r->slope, field_size(n, fields * DIM));
    TAKE(arena, r->load, n);
    TAKE(arena, r->rate, nodes);
    TAKE(arena, r->before, field_size(nodes, DIM));
    TAKE(arena, r->seen, field_size(n, DIM + 1));
    TAKE(arena, r->given, field_size(n, fields * DIM));
    TAKE(arena, r->impulse, field_size(n, DIM));
    TAKE(arena, r->impulses, field_size(nodes, DIM));
    if (!sim->base.adjoint) return;
    TAKE(arena, r->impulses_bar, field_size(nodes, DIM));
    TAKE(arena, r->mass_bar, nodes);
    TAKE(arena, r->impulse_bar, field_size(n, DIM));
    TAKE(arena, r->meet_bar, field_size(n, fields * (DIM + 1)));
    TAKE(arena, r->load_bar, field_size(n, fields));
    TAKE(arena, r->slope_bar, field_size(n, fields * DIM));
    TAKE(arena, r->contribution, field_size(n, 2));
    TAKE(arena, r->seen_bar, field_size(n, DIM + 1));
    TAKE(arena, r->seen_node_bar, field_size(nodes, DIM + 1));
    TAKE(arena, r->node_load_bar, nodes);
    TAKE(arena, r->own_load_bar, n);
    TAKE(arena, sim->contact.parameters_bar, 2);
}

/* clang-format off */
static mpm_rub_args args_of(const mpm_sim *sim)
{
    const mpm_sim_rub *r = &sim->rub;
    return (mpm_rub_args){
            .near = mpm_repel_args_of(sim), .nodes = sim->grid.nodes, .mass = sim->grid.node_sums,
            .load = r->load, .loads = sim->grid.tiles, .rate = r->rate, .before = r->before, .seen = r->seen,
            .given = r->given, .impulse = r->impulse, .impulses = r->impulses, .velocity = sim->grid.velocity};
}

/* Sums the tiles at nodes. */
static void sum_tiles(mpm_sim *sim, int components, real *out)
{
    pio_queue *q = &sim->base.queue;
    pio_map(q, mpm_node_sum, sim->grid.blocks, NULL,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = components,
            .nodes = sim->grid.nodes, .out = out);
    pio_halo(q, out);
}

void mpm_rub_step(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const mpm_rub_args args = args_of(sim);
    if (!sim->rub.used) return;
    pio_map_with(q, mpm_rub_load, sim->grid.max_blocks, &sim->step->blocks, &args);
    pio_map(q, mpm_deposit, sim->grid.max_blocks, &sim->step->blocks,
            .s = args.near.s, .n = args.near.n, .l = sim->grid.lists, .quantity = sim->rub.load,
            .sums = sim->grid.tiles);
    pio_map_with(q, mpm_rub_node, sim->grid.nodes, &sim->step->nodes, &args);
    pio_halo(q, sim->rub.rate);
    pio_map_with(q, mpm_rub_see, sim->grid.max_blocks, &sim->step->blocks, &args);
    pio_map_with(q, mpm_rub_meet, sim->grid.max_blocks, &sim->step->blocks, &args);
    pio_map_with(q, mpm_rub, sim->grid.max_blocks, &sim->step->blocks, &args);
    sum_tiles(sim, DIM, sim->rub.impulses);
    pio_map_with(q, mpm_rub_act, sim->grid.nodes, &sim->step->nodes, &args);
}

static mpm_rub_adj_args adj_args_of(const mpm_sim *sim)
{
    const mpm_sim_rub *r = &sim->rub;
    return (mpm_rub_adj_args){
            .fwd = args_of(sim), .velocity_bar = sim->grid.velocity_bar, .impulses_bar = r->impulses_bar,
            .mass_bar = r->mass_bar, .impulse_bar = r->impulse_bar, .meet_bar = r->meet_bar, .load_bar = r->load_bar,
            .slope_bar = r->slope_bar, .contribution = r->contribution, .seen_bar = r->seen_bar,
            .seen_node_bar = r->seen_node_bar, .node_load_bar = r->node_load_bar, .own_load_bar = r->own_load_bar,
            .offset_bar = sim->particles.bar[1 - sim->particles.current_bar].offset, .node_bar = sim->grid.node_bar};
}

void mpm_rub_adjoint(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const mpm_rub_adj_args args = adj_args_of(sim);
    if (!sim->rub.used) return;
    pio_queue_zero(q, sim->rub.contribution, sizeof *sim->rub.contribution * field_size(sim->particles.n, 2));
    pio_map_with(q, mpm_rub_act_adj, sim->grid.nodes, &sim->step->nodes, &args);
    pio_halo(q, sim->rub.impulses_bar);
    pio_map_with(q, mpm_rub_adj, sim->grid.max_blocks, &sim->step->blocks, &args);
    pio_map_with(q, mpm_rub_meet_adj, sim->grid.max_blocks, &sim->step->blocks, &args);
    pio_map_with(q, mpm_rub_see_adj, sim->grid.max_blocks, &sim->step->blocks, &args);
    sum_tiles(sim, DIM + 1, sim->rub.seen_node_bar);
    pio_map_with(q, mpm_rub_node_adj, sim->grid.nodes, &sim->step->nodes, &args);
    pio_halo(q, sim->rub.node_load_bar);
    pio_map_with(q, mpm_rub_load_adj, sim->grid.max_blocks, &sim->step->blocks, &args);
    pio_map_with(q, mpm_rub_weigh_adj, sim->grid.max_blocks, &sim->step->blocks, &args);
    pio_map_with(q, mpm_rub_bend, sim->grid.max_blocks, &sim->step->blocks, &args);
    for (int k = 0; k < 2; k++) {
        pio_sum(q, mpm_rub_sum, sim->particles.n, &sim->step->particles, sim->base.scalar,
                .n = sim->particles.n, .which = k, .contribution = sim->rub.contribution);
        pio_map(q, add_scalar, 1, NULL, .term = sim->base.scalar, .total = sim->contact.parameters_bar + k);
    }
}

void mpm_rub_mass_adjoint(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    const mpm_rub_adj_args args = adj_args_of(sim);
    if (!sim->rub.used) return;
    pio_map_with(q, mpm_rub_mass_adj, sim->grid.nodes, &sim->step->nodes, &args);
}
/* clang-format on */
