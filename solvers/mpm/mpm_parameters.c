/* mpm_parameters.c -- the design pipeline on the device: z -> values -> constants and initial state, and cotangents
 * back. */
#include "solvers/mpm/mpm.h"

/* The field that a quantity of particles is set in, and the one that holds its cotangents. */
typedef struct {
    real *field, *bar;
    int stored, first; /* components of both; the first that is the quantity's */
} design_target;

static design_target target_of(const mpm_sim *sim, pio_quantity quantity)
{
    switch (quantity) {
    case PIO_POSITION:
        return (design_target){sim->start_offset, sim->position_bar, DIM, 0};
    case PIO_VELOCITY:
        return (design_target){sim->start_velocity, sim->velocity_bar, DIM, 0};
    case PIO_GIVEN_0:
    case PIO_GIVEN_1:
    case PIO_GIVEN_2:
    case PIO_GIVEN_3:
    case PIO_GIVEN_4:
        return (design_target){sim->given, sim->given_bar, sim->constants, (int)(quantity - PIO_GIVEN_0)};
    case PIO_DENSITY:
        return (design_target){sim->density, sim->density_bar, 1, 0};
    case PIO_VISCOSITY:
        return (design_target){sim->viscosity, sim->viscosity_bar, 1, 0};
    case PIO_YIELD_0:
    case PIO_YIELD_1:
    case PIO_YIELD_2:
        return (design_target){sim->yield, sim->yield_bar, PLASTIC_CONSTANTS, (int)(quantity - PIO_YIELD_0)};
    case PIO_THICKNESS: /* of meshes */
    case PIO_MASS_DAMPING:
    case PIO_STIFFNESS_DAMPING:
    case PIO_DISPLACED:
    case PIO_GRAVITY:
    case PIO_AMPLITUDE:
    case PIO_FREQUENCY:
    case PIO_PHASE:
    case PIO_LOAD:
    case PIO_SUPPORT:
    case PIO_OBSTACLE_POSITION:
    case PIO_OBSTACLE_ROTATION:
    case PIO_OBSTACLE_FRICTION:
    case PIO_OBSTACLE_SLIP:
    case PIO_OBSTACLE_ONSET:
    case PIO_FLIP:
    case PIO_CONTROL_VALUES:
    case PIO_FRICTION:
    case PIO_ONSET:
        break;
    }
    return (design_target){NULL, NULL, 0, 0};
}

/* One of the step block? */
static int is_number(pio_quantity quantity)
{
    return quantity == PIO_FLIP || quantity == PIO_FRICTION || quantity == PIO_ONSET;
}

/* Where a control quantity of channel c lies in a field of parameters. */
static double *control_of(const mpm_sim *sim, double *parameters, pio_quantity quantity, int c)
{
    return parameters + control_at(sim->n_channels, (int)(quantity - PIO_AMPLITUDE), c);
}

static int variables_of(const mpm_design *d)
{
    return d->desc.groups * d->desc.components;
}

/* clang-format off */
static void apply_one(mpm_sim *sim, const mpm_design *d)
{
    pio_queue *q = &sim->base.queue;
    const pio_design_desc *e = &d->desc;
    const double *value = sim->base.value + d->first;
    pio_map(q, design_value, variables_of(d), NULL,
            .z = sim->base.z + d->first, .logarithmic = e->logarithmic, .a = e->a, .b = e->b,
            .start = e->start ? sim->base.z_start + d->first : NULL, .described = sim->base.described + d->first,
            .value = sim->base.value + d->first);
    if (e->quantity == PIO_GRAVITY) {
        pio_map(q, design_gravity, 1, NULL, .step = sim->step, .value = value);
        return;
    }
    if (mpm_is_of_obstacle(e->quantity)) {
        mpm_obstacle_design(sim, d, sim->base.value + d->first, sim->obstacle_parameters, 0);
        return;
    }
    if (is_number(e->quantity)) {
        pio_map(q, design_number, 1, NULL, .value = value,
                .out = e->quantity == PIO_FLIP       ? &sim->step->flip
                       : e->quantity == PIO_FRICTION ? &sim->step->friction
                                                     : &sim->step->onset);
        return;
    }
    if (e->quantity == PIO_CONTROL_VALUES) {
        pio_queue_copy(q, sim->values + e->which, value, sizeof *value * (size_t)e->components);
        return;
    }
    if (mpm_is_of_channels(e->quantity)) {
        for (int c = 0; c < e->components; c++)
            pio_queue_copy(q, control_of(sim, sim->control, e->quantity, e->which + c), value + c, sizeof *value);
        return;
    }
    const design_target to = target_of(sim, e->quantity);
    if (e->quantity == PIO_POSITION) {
        design_move_args a = {.n = sim->n, .index = d->index, .value = value, .reference_cell = sim->reference_cell,
                              .reference_offset = sim->reference_offset, .box = sim->box, .step = sim->step,
                              .cell = sim->start_cell, .offset = sim->start_offset};
        for (int c = 0; c < DIM; c++) a.base[c] = e->base[c];
        PIO_LAUNCH(q, KERNEL_design_move, q->backend->kernels.design_move(q->stream, sim->n, NULL, &a));
        return;
    }
    design_set_args a = {.n = sim->n, .components = e->components, .first = to.first, .stored = to.stored,
                         .index = d->index, .value = value, .out = to.field,
                         .reference = e->quantity == PIO_VELOCITY ? sim->reference_velocity : NULL};
    for (int c = 0; c < DIM; c++) a.base[c] = e->base[c];
    PIO_LAUNCH(q, KERNEL_design_set, q->backend->kernels.design_set(q->stream, sim->n, NULL, &a));
}

void mpm_design_apply(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    for (int d = 0; d < sim->n_designs; d++) apply_one(sim, &sim->designs[d]);
    pio_map(q, mpm_constants, sim->n, NULL,
            .n = sim->n, .constants = sim->constants, .law = sim->law, .lame = sim->lame, .given = sim->given,
            .density = sim->density, .volume = sim->volume, .k = sim->k, .mass = sim->mass);
    pio_map(q, mpm_check, sim->n, NULL,
            .matter = mpm_matter_of(sim), .density = sim->density, .step = sim->step, .inv_dx = sim->box.inv_dx,
            .parameters = sim->control, .knots = sim->knots, .values = sim->values);
    mpm_plastic_start(sim);
    mpm_start_state(sim);
}

void mpm_start_state(mpm_sim *sim)
{
    pio_map(&sim->base.queue, mpm_start, sim->n, NULL,
            .n = sim->n, .cell = sim->start_cell, .offset = sim->start_offset, .velocity = sim->start_velocity,
            .body = sim->body, .spin = sim->spin, .out = sim->state[sim->current]);
}

static void adjoint_of_one(mpm_sim *sim, const mpm_design *d)
{
    pio_queue *q = &sim->base.queue;
    const pio_design_desc *e = &d->desc;
    double *value_bar = sim->base.value_bar + d->first;
    const design_target to = target_of(sim, e->quantity);
    if (e->quantity == PIO_GRAVITY) {
        pio_queue_copy(q, value_bar, sim->base.gravity_bar, sizeof *value_bar * DIM);
    } else if (mpm_is_of_obstacle(e->quantity)) {
        mpm_obstacle_design(sim, d, value_bar, sim->obstacle_bar, 1);
    } else if (is_number(e->quantity)) {
        const double *own = e->quantity == PIO_FLIP ? sim->flip_bar : sim->grip_bar + (e->quantity == PIO_ONSET);
        pio_queue_copy(q, value_bar, own, sizeof *value_bar);
    } else if (e->quantity == PIO_CONTROL_VALUES) {
        pio_queue_copy(q, value_bar, sim->values_bar + e->which, sizeof *value_bar * (size_t)e->components);
    } else if (mpm_is_of_channels(e->quantity)) {
        for (int c = 0; c < e->components; c++)
            pio_queue_copy(q, value_bar + c, control_of(sim, sim->control_bar, e->quantity, e->which + c),
                           sizeof *value_bar);
    } else if (e->each) {
        pio_map(q, design_each, sim->n, NULL,
                .n = sim->n, .components = e->components, .first = to.first, .stored = to.stored, .index = d->index,
                .bar = to.bar, .value_bar = value_bar);
    } else {
        for (int g = 0; g < e->groups; g++)
            for (int c = 0; c < e->components; c++)
                pio_sum(q, design_sum, sim->n, NULL, value_bar + g * e->components + c,
                        .index = d->index, .group = g, .n = sim->n, .stored = to.stored, .component = to.first + c,
                        .bar = to.bar);
    }
    pio_map(q, design_value_adj, variables_of(d), NULL,
            .logarithmic = e->logarithmic, .a = e->a, .b = e->b, .value = sim->base.value + d->first,
            .value_bar = value_bar, .z_bar = sim->base.z_bar + d->first);
}

void mpm_design_adj(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    pio_map(q, mpm_start_adj, sim->n, NULL,
            .n = sim->n, .inv_dx = sim->box.inv_dx, .bar = sim->bar[sim->current_bar],
            .position_bar = sim->position_bar, .velocity_bar = sim->velocity_bar);
    pio_map(q, mpm_constants_adj, sim->n, NULL,
            .fwd = {.n = sim->n, .constants = sim->constants, .law = sim->law, .lame = sim->lame, .given = sim->given,
                    .density = sim->density, .volume = sim->volume},
            .k_bar = sim->k_bar, .mass_bar = sim->mass_bar, .given_bar = sim->given_bar,
            .density_bar = sim->density_bar);
    for (int d = 0; d < sim->n_designs; d++) adjoint_of_one(sim, &sim->designs[d]);
}
/* clang-format on */
