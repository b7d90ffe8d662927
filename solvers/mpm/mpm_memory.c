/* mpm_memory.c -- the layout of a simulation's device memory. Run twice: to measure, and to take. */
#include "solvers/mpm/mpm.h"

/* A field of `components` over n items; its padding is zero for good: the arena is, and kernels set items only. */
#define TAKE_FIELD(pointer, components, n) TAKE(&sim->base.arena, pointer, field_size(n, components))

static void take_state(mpm_sim *sim, mpm_state *s, int integers)
{
    const int ALWAYS = 1, AFFINE = !sim->reversible, SOLID = sim->has_solid, FLUID = sim->has_fluid;
    const int PLASTIC = sim->has_plastic, PLANE = sim->has_plastic && DIM == 2;
#define INT_FIELD(name, unit, meaning)                                                                                 \
    if (integers) TAKE(&sim->base.arena, s->name, sim->n);
#define FIELD(name, components, when, unit, meaning)                                                                   \
    if (when) TAKE_FIELD(s->name, components, sim->n);
#include "kernels/mpm/mpm_fields.def"
#undef INT_FIELD
#undef FIELD
}

static void take_lattice(mpm_sim *sim, mpm_lattice *t)
{
    TAKE_FIELD(t->x, DIM, sim->n);
    TAKE_FIELD(t->v, DIM, sim->n);
    TAKE_FIELD(t->l, 1, sim->n);
    if (sim->has_solid) TAKE_FIELD(t->F, DIM * DIM, sim->n);
    if (sim->damping > 0) TAKE_FIELD(t->kept, DIM, sim->n);
}

/* Beside the state's floats, which are one state but for the velocity. */
static void take_reversible(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_arena *arena = &sim->base.arena;
    const size_t vectors = field_size(sim->n, DIM);
    take_lattice(sim, &sim->lattice);
    take_state(sim, &sim->state[0], 1);
    sim->state[1] = sim->other = sim->state[0];
    TAKE_FIELD(sim->state[1].velocity, DIM, sim->n);
    if (sim_looks_back_ever(desc)) {
        TAKE(arena, sim->other.cell, sim->n);
        TAKE_FIELD(sim->other.offset, DIM, sim->n);
        TAKE(arena, sim->looked_v, vectors);
    }
    if (!(sim->damping > 0)) return;
    TAKE(arena, sim->spilled, vectors);
    if (desc->tape > 0) TAKE(arena, sim->tape, (size_t)sim->tape_spills * vectors);
}

static size_t state_bytes(mpm_sim *sim)
{
    pio_arena measure = {.backend = sim->base.arena.backend};
    pio_arena kept = sim->base.arena;
    mpm_state s;
    mpm_lattice t;
    sim->base.arena = measure;
    if (sim->reversible)
        take_lattice(sim, &t);
    else
        take_state(sim, &s, 1);
    measure = sim->base.arena;
    sim->base.arena = kept;
    return measure.used;
}

static void take_matter(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_arena *arena = &sim->base.arena;
    const size_t n = (size_t)sim->n;
    TAKE(arena, sim->law, n);
    TAKE(arena, sim->lame, n);
    TAKE(arena, sim->body, n);
    TAKE_FIELD(sim->volume, 1, sim->n);
    TAKE_FIELD(sim->density, 1, sim->n);
    TAKE_FIELD(sim->mass, 1, sim->n);
    TAKE_FIELD(sim->given, sim->constants, sim->n);
    TAKE_FIELD(sim->k, sim->constants, sim->n);
    if (sim->has_viscosity) TAKE_FIELD(sim->viscosity, 1, sim->n);
    TAKE(arena, sim->spin, (size_t)desc->particles.bodies * DIM * DIM);
    TAKE(arena, sim->start_cell, n);
    TAKE_FIELD(sim->start_offset, DIM, sim->n);
    TAKE_FIELD(sim->start_velocity, DIM, sim->n);
    TAKE(arena, sim->reference_cell, n);
    TAKE_FIELD(sim->reference_offset, DIM, sim->n);
    TAKE_FIELD(sim->reference_velocity, DIM, sim->n);
}

static void take_plastic(mpm_sim *sim)
{
    if (!sim->has_plastic) return;
    TAKE(&sim->base.arena, sim->plasticity, sim->n);
    TAKE_FIELD(sim->yield, PLASTIC_CONSTANTS, sim->n);
    TAKE(&sim->base.arena, sim->near, 2);
    if (sim->base.adjoint) TAKE_FIELD(sim->yield_bar, PLASTIC_CONSTANTS, sim->n);
}

static void take_grid(mpm_sim *sim)
{
    pio_arena *arena = &sim->base.arena;
    const size_t nodes = (size_t)sim->nodes;
    TAKE(arena, sim->lists.count, nodes);
    TAKE(arena, sim->lists.start, nodes + 1);
    TAKE(arena, sim->lists.order, sim->n);
    TAKE(arena, sim->lists.cell_slot, nodes + 1);
    TAKE(arena, sim->lists.cell_list, sim->max_cells);
    TAKE(arena, sim->lists.node_slot, nodes + 1);
    TAKE(arena, sim->lists.node_list, nodes);
    sim->base.scratch[0] = sim->base.arena.used;
    TAKE(arena, sim->cell_sums, (size_t)sim->max_cells * (DIM + 1) * STENCIL_PAD);
    sim->base.scratch[1] = sim->base.arena.used;
    TAKE_FIELD(sim->node_sums, DIM + 1, sim->nodes);
    TAKE_FIELD(sim->node_velocity, sim->reversible ? DIM + 1 : DIM, sim->nodes);
}

static void take_flip(mpm_sim *sim)
{
    if (!sim->has_flip) return;
    TAKE_FIELD(sim->flip_momentum, DIM, sim->nodes);
    if (!sim->base.adjoint) return;
    TAKE_FIELD(sim->flip_node_bar, DIM, sim->nodes);
    TAKE_FIELD(sim->flip_share, 1, sim->n);
    TAKE(&sim->base.arena, sim->flip_bar, 1);
}

static void take_contact(mpm_sim *sim)
{
    pio_arena *arena = &sim->base.arena;
    if (sim->box.fields < 2) return;
    TAKE_FIELD(sim->free_velocity, DIM, sim->nodes);
    TAKE(arena, sim->node_volume, sim->nodes);
    if (!sim->base.adjoint) return;
    TAKE_FIELD(sim->contact_volume_bar, DIM + 1, sim->nodes);
    TAKE(arena, sim->contact_mass_bar, sim->nodes);
    TAKE(arena, sim->node_volume_bar, sim->nodes);
    TAKE_FIELD(sim->contact_share, 2, sim->nodes);
    TAKE(arena, sim->grip_bar, 2);
}

static void take_adjoint(mpm_sim *sim)
{
    take_state(sim, &sim->bar[0], 0);
    if (sim->reversible)
        sim->bar[1] =
            sim->bar[0]; /* particles keep their places, and cotangents become those of the step before there */
    else
        take_state(sim, &sim->bar[1], 0);
    TAKE_FIELD(sim->node_velocity_bar, DIM, sim->nodes);
    TAKE_FIELD(sim->node_bar, DIM + 1, sim->nodes);
    TAKE_FIELD(sim->mass_bar, 1, sim->n);
    TAKE_FIELD(sim->k_bar, sim->constants, sim->n);
    TAKE_FIELD(sim->density_bar, 1, sim->n);
    TAKE_FIELD(sim->given_bar, sim->constants, sim->n);
    TAKE_FIELD(sim->position_bar, DIM, sim->n);
    TAKE_FIELD(sim->velocity_bar, DIM, sim->n);
    if (sim->has_viscosity) TAKE_FIELD(sim->viscosity_bar, 1, sim->n);
}

static void take_tables(mpm_sim *sim)
{
    pio_arena *arena = &sim->base.arena;
    for (int o = 0; o < sim->n_observations; o++) {
        mpm_observation *obs = &sim->observations[o];
        TAKE(arena, obs->total, 2);
        if (obs->desc.member) TAKE(arena, obs->member, sim->n);
        if (obs->desc.type == PIO_FRONT) TAKE(arena, obs->place, 1);
        if (mpm_is_of_control(obs->desc.type)) TAKE(arena, obs->share, sim->n_channels);
        if (obs->desc.type != PIO_DISTANCE) continue;
        TAKE(arena, obs->marker, sim->n);
        TAKE(arena, obs->points, (size_t)obs->desc.samples * (size_t)obs->desc.rows * DIM);
        if (obs->desc.point_weight) TAKE(arena, obs->point_weight, (size_t)obs->desc.samples * (size_t)obs->desc.rows);
    }
    mpm_target_layout(sim);
    for (int d = 0; d < sim->n_designs; d++)
        if (sim->designs[d].desc.quantity < PIO_GRAVITY) TAKE(arena, sim->designs[d].index, sim->n);
}

static void take_networks(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_arena *arena = &sim->base.arena;
    const int rates = mpm_networks_have_rates(desc);
    if (!sim->n_networks) return;
    TAKE(arena, sim->networks, sim->n_networks);
    TAKE(arena, sim->inputs, sim->n_inputs);
    TAKE(arena, sim->means, sim->n_inputs);
    TAKE(arena, sim->units, sim->n_units);
    if (rates) TAKE(arena, sim->past, (size_t)desc->steps * (size_t)sim->n_channels);
    if (!sim->base.adjoint) return;
    TAKE(arena, sim->means_bar, sim->n_inputs);
    TAKE(arena, sim->unit_bar, sim->n_units);
    if (rates) TAKE(arena, sim->past_bar, sim->n_channels);
}

static void take_control(mpm_sim *sim, const pio_engine_desc *desc)
{
    pio_arena *arena = &sim->base.arena;
    const size_t channels = (size_t)sim->n_channels;
    int rates = 0;
    if (!channels) return;
    for (int o = 0; o < sim->n_observations; o++) rates |= sim->observations[o].desc.type == PIO_SMOOTHNESS;
    TAKE(arena, sim->knots, channels);
    if (sim->n_values) TAKE(arena, sim->values, sim->n_values);
    if (rates) TAKE(arena, sim->rate, channels);
    take_networks(sim, desc);
    if (desc->particles.channel) TAKE(arena, sim->channel, sim->n);
    TAKE(arena, sim->signal, channels);
    TAKE_FIELD(sim->fibre, DIM, sim->n_channels);
    TAKE_FIELD(sim->activation, 1, sim->n_channels);
    TAKE_FIELD(sim->control, CONTROL_PARAMETERS, sim->n_channels);
    if (!sim->base.adjoint) return;
    TAKE_FIELD(sim->control_bar, CONTROL_PARAMETERS, sim->n_channels);
    TAKE_FIELD(sim->activation_share, 1, sim->n);
    TAKE(arena, sim->activation_bar, channels);
    if (sim->n_values) TAKE(arena, sim->values_bar, sim->n_values);
    if (rates) TAKE(arena, sim->rate_bar, channels);
}

/* What the host keeps of a simulation while it runs. */
typedef struct {
    int64_t index, spilled_number;
    int32_t turned, norm_last, current, current_bar, behind, nodes_needed, tape_short, fresh;
} mpm_host;

static void host_image(pio_sim *base, void *image, int in)
{
    mpm_sim *sim = mpm_of(base);
    mpm_host *h = image;
    if (!in) {
        *h = (mpm_host){base->index,      sim->spilled_number,  base->turned,      base->norm_last, sim->current,
                        sim->current_bar, (int32_t)sim->behind, sim->nodes_needed, sim->tape_short, sim->fresh};
        return;
    }
    base->index = h->index;
    base->turned = h->turned;
    base->norm_last = h->norm_last;
    sim->spilled_number = h->spilled_number;
    sim->current = h->current;
    sim->current_bar = h->current_bar;
    sim->behind = (mpm_behind)h->behind;
    sim->nodes_needed = h->nodes_needed;
    sim->tape_short = h->tape_short;
    sim->fresh = h->fresh;
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
    if (sim->reversible) {
        take_reversible(sim, desc);
    } else {
        take_state(sim, &sim->state[0], 1);
        take_state(sim, &sim->state[1], 1);
    }
    take_matter(sim, desc);
    take_grid(sim);
    take_control(sim, desc);
    mpm_obstacles_layout(sim, desc);
    mpm_kinks_layout(sim);
    take_flip(sim);
    take_contact(sim);
    take_plastic(sim);
    if (sim->base.adjoint) take_adjoint(sim);
    take_tables(sim);
    mpm_slot_layout(sim, desc, state_bytes(sim));
    sim_layout(&sim->base, sim->n > sim->nodes ? sim->n : sim->nodes, sim->n);
}
