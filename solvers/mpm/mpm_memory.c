/* mpm_memory.c -- the layout of a simulation's device memory. Run twice: to measure, and to take. */
#include "solvers/mpm/mpm.h"

/* A field of `components` over n items; its padding is zero for good: the arena is, and kernels set items only. */
#define TAKE_FIELD(pointer, components, n) TAKE(&sim->base.arena, pointer, field_size(n, components))

static void take_lattice(mpm_sim *sim, mpm_lattice *t)
{
    TAKE_FIELD(t->x, DIM, sim->particles.n);
    TAKE_FIELD(t->v, DIM, sim->particles.n);
    TAKE_FIELD(t->l, 1, sim->particles.n);
    if (sim->particles.has_solid) TAKE_FIELD(t->F, DIM * DIM, sim->particles.n);
    if (sim->reversible.damping > 0) TAKE_FIELD(t->kept, DIM, sim->particles.n);
}

/* Beside the state's floats, which are one state but for the velocity. */
static void take_reversible(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_arena *arena = &sim->base.arena;
    const size_t vectors = field_size(sim->particles.n, DIM);
    take_lattice(sim, &sim->reversible.lattice);
    mpm_state_layout(sim, &sim->particles.state[0], 1);
    sim->particles.state[1] = sim->reversible.other = sim->particles.state[0];
    TAKE_FIELD(sim->particles.state[1].velocity, DIM, sim->particles.n);
    if (sim_ever_uses_previous_state(desc)) {
        TAKE(arena, sim->reversible.other.cell, sim->particles.n);
        TAKE_FIELD(sim->reversible.other.offset, DIM, sim->particles.n);
        TAKE(arena, sim->reversible.velocity_ahead, vectors);
    }
    if (!(sim->reversible.damping > 0)) return;
    TAKE(arena, sim->reversible.last_record, vectors);
    if (desc->residual_log > 0)
        TAKE(arena, sim->reversible.residual_log, (size_t)sim->reversible.log_records * vectors);
}

static size_t state_bytes(mpm_sim *sim)
{
    pio_arena measure = {.backend = sim->base.arena.backend};
    pio_arena kept = sim->base.arena;
    mpm_state s;
    mpm_lattice t;
    sim->base.arena = measure;
    if (sim->reversible.used)
        take_lattice(sim, &t);
    else
        mpm_state_layout(sim, &s, 1);
    measure = sim->base.arena;
    sim->base.arena = kept;
    return measure.used;
}

static void take_interpolations(mpm_sim *sim)
{
    TAKE(&sim->base.arena, sim->material.interpolation, sim->particles.n);
    TAKE(&sim->base.arena, sim->material.interpolations, sim->material.n_interpolations);
    TAKE_FIELD(sim->material.relative, 1, sim->particles.n);
    if (sim->material.has_viscosity) TAKE_FIELD(sim->material.damping, 1, sim->particles.n);
    if (sim->base.adjoint) TAKE_FIELD(sim->material.relative_bar, 1, sim->particles.n);
}

static void take_matter(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_arena *arena = &sim->base.arena;
    const size_t n = (size_t)sim->particles.n;
    TAKE(arena, sim->material.law, n);
    TAKE(arena, sim->material.parameter_form, n);
    TAKE(arena, sim->particles.body, n);
    TAKE_FIELD(sim->material.volume, 1, sim->particles.n);
    TAKE_FIELD(sim->material.density, 1, sim->particles.n);
    TAKE_FIELD(sim->material.mass, 1, sim->particles.n);
    TAKE_FIELD(sim->material.parameters, sim->material.constants, sim->particles.n);
    TAKE_FIELD(sim->material.k, sim->material.constants, sim->particles.n);
    if (sim->material.has_viscosity) TAKE_FIELD(sim->material.viscosity, 1, sim->particles.n);
    if (sim->material.n_interpolations) take_interpolations(sim);
    TAKE(arena, sim->initial.spin, (size_t)desc->particles.bodies * DIM * DIM);
    TAKE(arena, sim->initial.cell, n);
    TAKE_FIELD(sim->initial.offset, DIM, sim->particles.n);
    TAKE_FIELD(sim->initial.velocity, DIM, sim->particles.n);
    TAKE(arena, sim->initial.reference_cell, n);
    TAKE_FIELD(sim->initial.reference_offset, DIM, sim->particles.n);
    TAKE_FIELD(sim->initial.reference_velocity, DIM, sim->particles.n);
}

static void take_plastic(mpm_sim *sim)
{
    if (!sim->plastic.used) return;
    TAKE(&sim->base.arena, sim->plastic.law, sim->particles.n);
    TAKE_FIELD(sim->plastic.yield, PIO_PLASTIC_CONSTANTS, sim->particles.n);
    TAKE(&sim->base.arena, sim->plastic.near, 2);
    if (sim->base.adjoint) TAKE_FIELD(sim->plastic.yield_bar, PIO_PLASTIC_CONSTANTS, sim->particles.n);
}

static void take_grid(mpm_sim *sim)
{
    pio_arena *arena = &sim->base.arena;
    mpm_lists_layout(sim, &sim->grid.lists);
    sim->base.scratch[0] = sim->base.arena.used;
    TAKE(arena, sim->grid.tiles, (size_t)sim->grid.max_blocks * TILE_NODES * QUAD);
    sim->base.scratch[1] = sim->base.arena.used;
    TAKE_FIELD(sim->grid.node_sums, DIM + 1, sim->grid.nodes);
    TAKE_FIELD(sim->grid.velocity, sim->reversible.used ? DIM + 1 : DIM, sim->grid.nodes);
}

static void take_flip(mpm_sim *sim)
{
    if (!sim->flip.used) return;
    TAKE_FIELD(sim->flip.momentum, DIM, sim->grid.nodes);
    if (!sim->base.adjoint) return;
    TAKE_FIELD(sim->flip.node_bar, DIM, sim->grid.nodes);
    TAKE_FIELD(sim->flip.contribution, 1, sim->particles.n);
    TAKE(&sim->base.arena, sim->flip.ratio_bar, 1);
}

static void take_contact(mpm_sim *sim)
{
    pio_arena *arena = &sim->base.arena;
    if (!sim->contact.on_grid) return;
    TAKE_FIELD(sim->contact.free_velocity, DIM, sim->grid.nodes);
    TAKE(arena, sim->contact.node_volume, sim->grid.nodes);
    if (!sim->base.adjoint) return;
    TAKE_FIELD(sim->contact.volume_bar, DIM + 1, sim->grid.nodes);
    TAKE(arena, sim->contact.mass_bar, sim->grid.nodes);
    TAKE(arena, sim->contact.node_volume_bar, sim->grid.nodes);
    TAKE_FIELD(sim->contact.contribution, 2, sim->grid.nodes);
    TAKE(arena, sim->contact.parameters_bar, 2);
}

static void take_adjoint(mpm_sim *sim)
{
    mpm_state_layout(sim, &sim->particles.bar[0], 0);
    if (sim->reversible.used)
        sim->particles.bar[1] =
            sim->particles
                .bar[0]; /* particles keep their places, and cotangents become those of the step before there */
    else
        mpm_state_layout(sim, &sim->particles.bar[1], 0);
    TAKE_FIELD(sim->grid.velocity_bar, DIM, sim->grid.nodes);
    TAKE_FIELD(sim->grid.node_bar, DIM + 1, sim->grid.nodes);
    TAKE_FIELD(sim->material.mass_bar, 1, sim->particles.n);
    TAKE_FIELD(sim->material.k_bar, sim->material.constants, sim->particles.n);
    TAKE_FIELD(sim->material.density_bar, 1, sim->particles.n);
    TAKE_FIELD(sim->material.parameters_bar, sim->material.constants, sim->particles.n);
    TAKE_FIELD(sim->initial.position_bar, DIM, sim->particles.n);
    TAKE_FIELD(sim->initial.velocity_bar, DIM, sim->particles.n);
    if (sim->material.has_viscosity) TAKE_FIELD(sim->material.viscosity_bar, 1, sim->particles.n);
}

static void take_tables(mpm_sim *sim)
{
    pio_arena *arena = &sim->base.arena;
    for (int o = 0; o < sim->observe.n_observations; o++) {
        mpm_observation *obs = &sim->observe.observations[o];
        TAKE(arena, obs->total, 2);
        if (obs->desc.member) TAKE(arena, obs->member, sim->particles.n);
        if (obs->desc.type == PIO_FRONT) TAKE(arena, obs->place, QUANTILE_NUMBERS);
        if (obs->desc.type == PIO_FRONT) TAKE(arena, obs->left, 1);
        if (sim_is_of_control(obs->desc.type)) TAKE(arena, obs->channel_weight, sim->control.n_channels);
        if (obs->desc.type != PIO_DISTANCE) continue;
        TAKE(arena, obs->marker, sim->particles.n);
        TAKE(arena, obs->points, (size_t)obs->desc.samples * (size_t)obs->desc.rows * DIM);
        if (obs->desc.point_weight) TAKE(arena, obs->point_weight, (size_t)obs->desc.samples * (size_t)obs->desc.rows);
    }
    mpm_target_layout(sim);
    for (int d = 0; d < sim->design.n_designs; d++) {
        if (sim->design.designs[d].desc.quantity < PIO_GRAVITY)
            TAKE(arena, sim->design.designs[d].index, sim->particles.n);
        if (sim->design.designs[d].desc.filter) mpm_filter_layout(sim, &sim->design.designs[d]);
    }
}

static void take_networks(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_arena *arena = &sim->base.arena;
    const int rates = sim_networks_have_rates(desc);
    if (!sim->networks.all.n_networks) return;
    sim_networks_layout(&sim->networks.all, arena, sim->base.adjoint);
    TAKE(arena, sim->networks.sights, sim->networks.all.n_inputs);
    if (rates) TAKE(arena, sim->networks.past, (size_t)desc->steps * (size_t)sim->control.n_channels);
    if (rates && sim->base.adjoint) TAKE(arena, sim->networks.past_bar, sim->control.n_channels);
}

static void take_control(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_arena *arena = &sim->base.arena;
    const size_t channels = (size_t)sim->control.n_channels;
    int rates = 0;
    if (!channels) return;
    for (int o = 0; o < sim->observe.n_observations; o++)
        rates |= sim->observe.observations[o].desc.type == PIO_SMOOTHNESS;
    TAKE(arena, sim->control.knots, channels);
    if (sim->control.n_values) TAKE(arena, sim->control.values, sim->control.n_values);
    if (rates) TAKE(arena, sim->control.rate, channels);
    take_networks(sim, desc);
    if (desc->particles.channel) TAKE(arena, sim->control.channel, sim->particles.n);
    TAKE(arena, sim->control.signal, channels);
    TAKE_FIELD(sim->control.fibre, DIM, sim->control.n_channels);
    TAKE_FIELD(sim->control.activation, 1, sim->control.n_channels);
    TAKE_FIELD(sim->control.parameters, CONTROL_PARAMETERS, sim->control.n_channels);
    if (!sim->base.adjoint) return;
    TAKE_FIELD(sim->control.parameters_bar, CONTROL_PARAMETERS, sim->control.n_channels);
    TAKE_FIELD(sim->control.contribution, 1, sim->particles.n);
    TAKE(arena, sim->control.activation_bar, channels);
    if (sim->control.n_values) TAKE(arena, sim->control.values_bar, sim->control.n_values);
    if (rates) TAKE(arena, sim->control.rate_bar, channels);
}

/* What the host keeps of a simulation while it runs. */
typedef struct {
    int64_t index, last_record, listed;
    int32_t turned, norm_last, current, current_bar, behind, nodes_needed, log_short, fresh, in_order;
} mpm_host;

static void host_image(pio_sim *base, void *image, int in)
{
    mpm_sim *sim = mpm_of(base);
    mpm_host *h = image;
    if (!in) {
        mpm_whole_leave(sim);
        *h = (mpm_host){base->index,
                        sim->reversible.last_record_number,
                        sim->slots.listed,
                        base->turned,
                        base->norm_last,
                        sim->particles.current,
                        sim->particles.current_bar,
                        (int32_t)sim->slots.behind,
                        sim->slots.nodes_needed,
                        sim->reversible.log_short,
                        sim->reversible.fresh,
                        sim->slots.in_order};
        return;
    }
    mpm_in_place_start(sim);
    base->index = h->index;
    base->turned = h->turned;
    base->norm_last = h->norm_last;
    sim->reversible.last_record_number = h->last_record;
    sim->particles.current = h->current;
    sim->particles.current_bar = h->current_bar;
    sim->slots.behind = (mpm_behind)h->behind;
    sim->slots.nodes_needed = h->nodes_needed;
    sim->reversible.log_short = h->log_short;
    sim->reversible.fresh = h->fresh;
    sim->slots.listed = h->listed;
    sim->slots.in_order = h->in_order;
}

piola_status mpm_memory_out(pio_sim *sim, size_t at, size_t n, void *bytes, piola_error *error)
{
    return sim_memory_out(sim, host_image, at, n, bytes, error);
}

piola_status mpm_memory_in(pio_sim *sim, size_t at, size_t n, const void *bytes, piola_error *error)
{
    return sim_memory_in(sim, host_image, at, n, bytes, error);
}

void mpm_layout(mpm_sim *sim, const pio_engine_desc *desc)
{
    sim->base.host_bytes = sizeof(mpm_host);
    TAKE(&sim->base.arena, sim->step, 1);
    if (sim->reversible.used) {
        take_reversible(sim, desc);
    } else {
        mpm_state_layout(sim, &sim->particles.state[0], 1);
        mpm_state_layout(sim, &sim->particles.state[1], 1);
    }
    take_matter(sim, desc);
    take_grid(sim);
    take_control(sim, desc);
    mpm_obstacles_layout(sim, desc);
    mpm_kinks_layout(sim);
    take_flip(sim);
    take_contact(sim);
    mpm_repel_layout(sim);
    mpm_rub_layout(sim);
    mpm_walls_layout(sim);
    take_plastic(sim);
    if (sim->base.adjoint) take_adjoint(sim);
    take_tables(sim);
    mpm_slot_layout(sim, desc, state_bytes(sim));
    mpm_in_place_layout(sim, desc);
    sim_layout(&sim->base, sim->particles.n > sim->grid.nodes ? sim->particles.n : sim->grid.nodes, sim->particles.n);
}
