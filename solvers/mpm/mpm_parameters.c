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
        return (design_target){sim->initial.offset, sim->initial.position_bar, DIM, 0};
    case PIO_VELOCITY:
        return (design_target){sim->initial.velocity, sim->initial.velocity_bar, DIM, 0};
    case PIO_LAW_PARAMETER_0:
    case PIO_LAW_PARAMETER_1:
    case PIO_LAW_PARAMETER_2:
    case PIO_LAW_PARAMETER_3:
    case PIO_LAW_PARAMETER_4:
        return (design_target){sim->material.parameters, sim->material.parameters_bar, sim->material.constants,
                               (int)(quantity - PIO_LAW_PARAMETER_0)};
    case PIO_DENSITY:
        return (design_target){sim->material.density, sim->material.density_bar, 1, 0};
    case PIO_VISCOSITY:
        return (design_target){sim->material.viscosity, sim->material.viscosity_bar, 1, 0};
    case PIO_YIELD_0:
    case PIO_YIELD_1:
    case PIO_YIELD_2:
        return (design_target){sim->plastic.yield, sim->plastic.yield_bar, PIO_PLASTIC_CONSTANTS,
                               (int)(quantity - PIO_YIELD_0)};
    case PIO_RELATIVE_DENSITY:
        return (design_target){sim->material.relative, sim->material.relative_bar, 1, 0};
    case PIO_THICKNESS: /* of meshes */
    case PIO_CHOICE:
    case PIO_EXPANSION:
    case PIO_TEMPERATURE:
    case PIO_MASS_DAMPING:
    case PIO_STIFFNESS_DAMPING:
    case PIO_DISPLACED:
    case PIO_GRAVITY:
    case PIO_AMPLITUDE:
    case PIO_FREQUENCY:
    case PIO_PHASE:
    case PIO_LOAD:
    case PIO_SUPPORT:
    case PIO_NAMED_CONSTANT:
    case PIO_OBSTACLE_POSITION:
    case PIO_OBSTACLE_ROTATION:
    case PIO_OBSTACLE_FRICTION:
    case PIO_OBSTACLE_FRICTION_VELOCITY:
    case PIO_OBSTACLE_SEPARATION_VELOCITY:
    case PIO_OBSTACLE_STIFFNESS:
    case PIO_OBSTACLE_DISTANCE:
    case PIO_OBSTACLE_SCALE:
    case PIO_OBSTACLE_SHIFT:
    case PIO_OBSTACLE_ANGLE:
    case PIO_FLIP:
    case PIO_CONTROL_VALUES:
    case PIO_FRICTION:
    case PIO_REGULARISATION_VELOCITY:
    case PIO_WALL_FRICTION:
    case PIO_PAIR_STIFFNESS:
    case PIO_PAIR_DISTANCE:
    case PIO_PAIR_FRICTION:
    case PIO_PAIR_FRICTION_VELOCITY:
        break;
    }
    return (design_target){NULL, NULL, 0, 0};
}

/* Returns 1 for a quantity that is one number of the step block. */
static int is_number(pio_quantity quantity)
{
    return quantity == PIO_FLIP || quantity == PIO_FRICTION || quantity == PIO_REGULARISATION_VELOCITY ||
           quantity == PIO_WALL_FRICTION;
}

/* Returns where such a number lies in the step block, on the device. */
static real *number_of(const mpm_sim *sim, const pio_design_desc *e)
{
    if (e->quantity == PIO_FLIP) return &sim->step->flip_ratio;
    if (e->quantity == PIO_WALL_FRICTION) return &sim->step->wall_friction[e->which / 2][e->which % 2];
    return e->quantity == PIO_FRICTION ? &sim->step->friction : &sim->step->regularisation;
}

/* Returns where its cotangent lies. */
static const double *number_bar_of(const mpm_sim *sim, const pio_design_desc *e)
{
    if (e->quantity == PIO_FLIP) return sim->flip.ratio_bar;
    if (e->quantity == PIO_WALL_FRICTION) return sim->walls.friction_bar + e->which;
    return sim->contact.parameters_bar + (e->quantity == PIO_REGULARISATION_VELOCITY);
}

/* Where a control quantity of channel c lies in a field of parameters. */
static double *control_of(const mpm_sim *sim, double *parameters, pio_quantity quantity, int c)
{
    static const int number[] = {
        [PIO_AMPLITUDE] = CONTROL_AMPLITUDE, [PIO_FREQUENCY] = CONTROL_FREQUENCY, [PIO_PHASE] = CONTROL_PHASE};
    return parameters + control_at(sim->control.n_channels, number[quantity], c);
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
            .z = mpm_filter_apply(sim, d), .logarithmic = e->logarithmic, .a = e->a, .b = e->b,
            .start = e->start && !d->start ? sim->base.z_start + d->first : NULL,
            .reference = sim->base.reference + d->first,
            .value = sim->base.value + d->first);
    if (e->quantity == PIO_GRAVITY) {
        pio_map(q, design_gravity, 1, NULL,
                .step = sim->step, .first = e->component, .components = e->components, .value = value);
        return;
    }
    if (sim_is_of_obstacle(e->quantity)) {
        sim_obstacle_design(&sim->obstacles.all, q, e, sim->base.value + d->first, 0);
        return;
    }
    if (is_number(e->quantity)) {
        pio_map(q, design_number, 1, NULL, .value = value, .out = number_of(sim, e));
        return;
    }
    if (e->quantity == PIO_CONTROL_VALUES) {
        pio_queue_copy(q, sim->control.values + e->which, value, sizeof *value * (size_t)e->components);
        return;
    }
    if (sim_is_of_channels(e->quantity)) {
        for (int c = 0; c < e->components; c++)
            pio_queue_copy(q, control_of(sim, sim->control.parameters, e->quantity, e->which + c), value + c,
                    sizeof *value);
        return;
    }
    design_target to = target_of(sim, e->quantity);
    to.first += e->component;
    if (e->quantity == PIO_POSITION) {
        design_move_args a = {.n = sim->particles.n, .components = e->components, .first = e->component,
                              .index = d->index, .value = value,
                              .reference_cell = sim->initial.reference_cell,
                              .reference_offset = sim->initial.reference_offset, .box = sim->grid.box,
                              .step = sim->step, .cell = sim->initial.cell, .offset = sim->initial.offset};
        for (int c = 0; c < DIM; c++) a.base[c] = e->base[c];
        PIO_LAUNCH(q, KERNEL_design_move, q->backend->kernels.design_move(q->stream, sim->particles.n, NULL, &a));
        return;
    }
    design_set_args a = {.n = sim->particles.n, .components = e->components, .first = to.first, .stored = to.stored,
                         .index = d->index, .value = value, .out = to.field,
                         .reference = e->quantity == PIO_VELOCITY ? sim->initial.reference_velocity : NULL};
    for (int c = 0; c < DIM; c++) a.base[c] = e->base[c];
    PIO_LAUNCH(q, KERNEL_design_set, q->backend->kernels.design_set(q->stream, sim->particles.n, NULL, &a));
}

static mpm_interpolate_args interpolation_of(const mpm_sim *sim)
{
    return (mpm_interpolate_args){
            .of = {.n = sim->particles.n, .constants = sim->material.constants, .law = sim->material.law,
                   .parameter_form = sim->material.parameter_form, .parameters = sim->material.parameters,
                   .density = sim->material.density, .volume = sim->material.volume, .k = sim->material.k,
                   .mass = sim->material.mass},
            .relative = sim->material.relative, .interpolation = sim->material.interpolation,
            .interpolations = sim->material.interpolations, .viscosity = sim->material.viscosity,
            .damping = sim->material.damping};
}

void mpm_design_apply(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    for (int d = 0; d < sim->design.n_designs; d++) apply_one(sim, &sim->design.designs[d]);
    pio_map(q, mpm_constants, sim->particles.n, NULL,
            .n = sim->particles.n, .constants = sim->material.constants, .law = sim->material.law,
            .parameter_form = sim->material.parameter_form, .parameters = sim->material.parameters,
            .density = sim->material.density,
            .volume = sim->material.volume, .k = sim->material.k, .mass = sim->material.mass);
    mpm_matter matter = mpm_matter_of(sim); /* that of what is full, whose waves are the fastest */
    matter.viscosity = sim->material.viscosity;
    pio_map(q, mpm_check, sim->particles.n, NULL,
            .matter = matter, .density = sim->material.density, .step = sim->step,
            .inv_dx = sim->grid.box.inv_dx, .parameters = sim->control.parameters, .knots = sim->control.knots,
            .values = sim->control.values, .obstacles = sim->obstacles.all.n, .shape = sim->obstacles.all.shape,
            .obstacle_parameters = sim->obstacles.all.parameters, .repulsion = (real)sim->repulsion.stiffness);
    if (sim->material.n_interpolations) {
        const mpm_interpolate_args a = interpolation_of(sim);
        pio_map_with(q, mpm_interpolate, sim->particles.n, NULL, &a);
    }
    mpm_plastic_start(sim);
    mpm_start_state(sim);
}

void mpm_start_state(mpm_sim *sim)
{
    pio_map(&sim->base.queue, mpm_start, sim->particles.n, NULL,
            .n = sim->particles.n, .cell = sim->initial.cell, .offset = sim->initial.offset,
            .velocity = sim->initial.velocity, .body = sim->particles.body, .spin = sim->initial.spin,
            .out = sim->particles.state[sim->particles.current]);
}

static void adjoint_of_one(mpm_sim *sim, const mpm_design *d)
{
    pio_queue *q = &sim->base.queue;
    const pio_design_desc *e = &d->desc;
    double *value_bar = sim->base.value_bar + d->first;
    design_target to = target_of(sim, e->quantity);
    to.first += e->component;
    if (e->quantity == PIO_GRAVITY) {
        pio_queue_copy(q, value_bar, sim->base.gravity_bar + e->component, sizeof *value_bar * (size_t)e->components);
    } else if (sim_is_of_obstacle(e->quantity)) {
        sim_obstacle_design(&sim->obstacles.all, q, e, value_bar, 1);
    } else if (is_number(e->quantity)) {
        pio_queue_copy(q, value_bar, number_bar_of(sim, e), sizeof *value_bar);
    } else if (e->quantity == PIO_CONTROL_VALUES) {
        pio_queue_copy(q, value_bar, sim->control.values_bar + e->which, sizeof *value_bar * (size_t)e->components);
    } else if (sim_is_of_channels(e->quantity)) {
        for (int c = 0; c < e->components; c++)
            pio_queue_copy(q, value_bar + c, control_of(sim, sim->control.parameters_bar, e->quantity, e->which + c),
                           sizeof *value_bar);
    } else if (e->each) {
        pio_map(q, design_each, sim->particles.n, NULL,
                .n = sim->particles.n, .components = e->components, .first = to.first, .stored = to.stored,
                .index = d->index, .bar = to.bar, .value_bar = value_bar);
    } else {
        for (int g = 0; g < e->groups; g++)
            for (int c = 0; c < e->components; c++)
                pio_sum(q, design_sum, sim->particles.n, NULL, value_bar + g * e->components + c,
                        .index = d->index, .group = g, .n = sim->particles.n, .stored = to.stored,
                        .component = to.first + c, .bar = to.bar);
    }
    pio_map(q, design_value_adj, variables_of(d), NULL,
            .logarithmic = e->logarithmic, .a = e->a, .b = e->b, .value = sim->base.value + d->first,
            .value_bar = value_bar, .z_bar = mpm_filter_bar(sim, d));
    mpm_filter_adj(sim, d);
}

void mpm_design_adj(mpm_sim *sim)
{
    pio_queue *q = &sim->base.queue;
    pio_map(q, mpm_start_adj, sim->particles.n, NULL,
            .n = sim->particles.n, .inv_dx = sim->grid.box.inv_dx,
            .bar = sim->particles.bar[sim->particles.current_bar], .position_bar = sim->initial.position_bar,
            .velocity_bar = sim->initial.velocity_bar);
    if (sim->material.n_interpolations)
        pio_map(q, mpm_interpolate_adj, sim->particles.n, NULL,
                .fwd = interpolation_of(sim), .k_bar = sim->material.k_bar, .mass_bar = sim->material.mass_bar,
                .viscosity_bar = sim->material.viscosity_bar, .relative_bar = sim->material.relative_bar);
    pio_map(q, mpm_constants_adj, sim->particles.n, NULL,
            .fwd = {.n = sim->particles.n, .constants = sim->material.constants, .law = sim->material.law,
            .parameter_form = sim->material.parameter_form, .parameters = sim->material.parameters,
                    .density = sim->material.density, .volume = sim->material.volume},
            .k_bar = sim->material.k_bar, .mass_bar = sim->material.mass_bar,
            .parameters_bar = sim->material.parameters_bar,
            .density_bar = sim->material.density_bar);
    for (int d = 0; d < sim->design.n_designs; d++) adjoint_of_one(sim, &sim->design.designs[d]);
}
/* clang-format on */
