/* mpm_repel.c -- velocity fields whose bodies repel each other by a potential (kernels/mpm/mpm_repel.h): launched only
 * where a description says so. */
#include "solvers/mpm/mpm.h"

#include <math.h>

static int repels(const pio_engine_desc *desc)
{
    return desc->particles.fields > 1 && desc->contact_model == PIO_CONTACT_POTENTIAL;
}

/* A potential holds solids alone, that are full: fluids and grains have no surface by which their particles keep apart,
 * and what is empty should push nothing. */
static piola_status check_solids(const pio_particles_desc *p, piola_error *error)
{
    for (int64_t i = 0; i < p->n; i++) {
        const int plastic = p->plasticity ? p->plasticity[i] : PIO_ELASTIC;
        if (law_is_fluid(p->law[i]) || plastic == PIO_DRUCKER_PRAGER || plastic == PIO_SNOW)
            return sim_fail(error, PIOLA_BAD_DATA,
                            "the potential between velocity fields holds solids, and particle %lld is fluid, granular "
                            "or snow; contact on the grid would be right",
                            (long long)i);
        if (p->relative_density && p->interpolation[i] >= 0)
            return sim_fail(error, PIOLA_BAD_DATA,
                            "the potential between velocity fields holds bodies that are full, and particle %lld has a "
                            "relative density; contact on the grid would be right",
                            (long long)i);
    }
    return PIOLA_OK;
}

piola_status mpm_repel_accepts(const pio_engine_desc *desc, piola_error *error)
{
    const double spacing = desc->grid.spacing;
    if (!repels(desc)) return PIOLA_OK;
    if (!(desc->contact_stiffness > 0 && isfinite(desc->contact_stiffness)))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "the potential between velocity fields has a stiffness of %g Pa; above 0 would be right",
                        desc->contact_stiffness);
    if (!(desc->contact_distance > 0 && desc->contact_distance <= spacing))
        return sim_fail(error, PIOLA_BAD_DATA,
                        "the potential between velocity fields sets in over %g m; above 0 and at most a spacing of the "
                        "grid, %g m, would be right",
                        desc->contact_distance, spacing);
    return check_solids(&desc->particles, error);
}

void mpm_repel_begin(mpm_sim *sim, const pio_engine_desc *desc)
{
    sim->repulsion.used = repels(desc);
    if (!sim->repulsion.used) return;
    sim->repulsion.stiffness = desc->contact_stiffness;
    sim->repulsion.distance = desc->contact_distance;
}

void mpm_repel_layout(mpm_sim *sim)
{
    pio_arena *arena = &sim->base.arena;
    const size_t of_fields = field_size(sim->particles.n, sim->grid.box.fields);
    if (!sim->repulsion.used) return;
    TAKE(arena, sim->repulsion.first, of_fields);
    TAKE(arena, sim->repulsion.second, of_fields);
    TAKE(arena, sim->repulsion.force, field_size(sim->particles.n, DIM));
    if (!sim->base.adjoint) return;
    TAKE(arena, sim->repulsion.force_bar, field_size(sim->particles.n, DIM));
    TAKE(arena, sim->repulsion.bent, of_fields);
}

/* clang-format off */
mpm_repel_args mpm_repel_args_of(const mpm_sim *sim)
{
    return (mpm_repel_args){
            .s = sim->particles.state[sim->particles.current], .n = sim->particles.n,
            .radius = sim->obstacles.radius, .l = sim->grid.lists, .step = sim->step, .box = sim->grid.box,
            .stiffness = (real)sim->repulsion.stiffness, .distance = (real)sim->repulsion.distance,
            .first = sim->repulsion.first, .second = sim->repulsion.second, .sum = sim->rub.sum,
            .slope = sim->rub.slope, .force = sim->repulsion.force, .sums = sim->grid.tiles};
}

void mpm_repel_step(mpm_sim *sim, real *push)
{
    pio_queue *q = &sim->base.queue;
    const mpm_repel_args args = mpm_repel_args_of(sim);
    pio_map_with(q, mpm_repel_fill, sim->grid.max_blocks, &sim->step->blocks, &args);
    pio_map_with(q, mpm_repel, sim->grid.max_blocks, &sim->step->blocks, &args);
    pio_map(q, mpm_node_sum, sim->grid.blocks, NULL,
            .l = sim->grid.lists, .box = sim->grid.box, .sums = sim->grid.tiles, .components = DIM,
            .nodes = sim->grid.nodes, .out = push);
    pio_halo(q, push);
}

void mpm_repel_adjoint(mpm_sim *sim, const real *push_bar)
{
    pio_queue *q = &sim->base.queue;
    const mpm_repel_adj_args args = {
            .fwd = mpm_repel_args_of(sim), .nodes = sim->grid.nodes, .push_bar = push_bar,
            .force_bar = sim->repulsion.force_bar, .bent = sim->repulsion.bent,
            .offset_bar = sim->particles.bar[1 - sim->particles.current_bar].offset};
    pio_halo(q, push_bar);
    pio_map_with(q, mpm_repel_adj, sim->grid.max_blocks, &sim->step->blocks, &args);
    pio_map_with(q, mpm_repel_tangent, sim->grid.max_blocks, &sim->step->blocks, &args);
    pio_map_with(q, mpm_repel_bend, sim->grid.max_blocks, &sim->step->blocks, &args);
}
/* clang-format on */
