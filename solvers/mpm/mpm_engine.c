/* mpm_engine.c -- the engine's table: MPM behind engine.h. PIO_BACKEND names the backend of this build. */
#include "solvers/mpm/mpm_create.h"

#include <math.h>
#include <string.h>

static const pio_backend *const backend = &PIO_BACKEND;

static piola_status measure(const pio_engine_desc *desc, pio_engine_bytes *bytes, piola_error *error)
{
    return mpm_measure(backend, desc, bytes, error);
}

static piola_status create(const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes, piola_error *error)
{
    return mpm_create(backend, desc, out, bytes, error);
}

static piola_status start(pio_sim *base, const double *z, piola_error *error)
{
    mpm_sim *sim = mpm_of(base);
    pio_queue *q = &sim->base.queue;
    mpm_step step = {.fault = FAULT_NONE,
                     .particles = sim->particles.n,
                     .h = (real)sim->stepping.dt,
                     .cfl = (real)sim->stepping.cfl};
    for (int a = 0; a < DIM; a++) step.gravity[a] = (real)sim->stepping.gravity[a];
    step.flip_ratio = (real)sim->flip.ratio;
    step.friction = (real)sim->contact.friction;
    step.regularisation = (real)sim->contact.regularisation_velocity;
    mpm_walls_start(sim, &step);
    pio_queue_upload(q, sim->step, &step, sizeof step);
    if (sim->base.n_variables) pio_queue_upload(q, sim->base.z, z, sizeof *z * (size_t)sim->base.n_variables);
    if (sim->base.n_samples)
        pio_queue_zero(q, sim->base.samples, sizeof *sim->base.samples * (size_t)sim->base.n_samples);
    sim->particles.current = 0;
    sim->slots.behind = BEHIND_NOTHING;
    mpm_in_place_start(sim);
    sim->slots.nodes_needed = 0;
    sim->base.index = 0;
    sim->base.turned = 0;
    mpm_design_apply(sim);
    if (sim->reversible.used) mpm_reversible_start(sim);
    mpm_observe_totals(sim);
    mpm_observe_step(sim, 0);
    return sim_failed(&sim->base, error);
}

static piola_status advance(pio_sim *base, int64_t steps, piola_error *error)
{
    mpm_sim *sim = mpm_of(base);
    for (int64_t s = 0; s < steps && !sim->base.queue.error.code; s++) {
        pio_queue_record(&base->queue);
        mpm_forward(sim);
        pio_queue_play(&base->queue);
        if (!sim->base.turned) mpm_observe_step(sim, sim->base.index);
    }
    return sim_failed(&sim->base, error);
}

/* A slot holds the state's arrays as they lie in the arena, or is a compact one. */
static void *slot_state(mpm_sim *sim)
{
    return sim->reversible.used ? (void *)sim->reversible.lattice.x : mpm_whole_own(sim);
}

static piola_status save(pio_sim *base, int64_t slot, piola_error *error)
{
    if (mpm_of(base)->slots.node_room) return mpm_slot_save(mpm_of(base), slot, error);
    if (!mpm_of(base)->reversible.used) return mpm_whole_save(mpm_of(base), slot, error);
    return sim_save(base, slot, slot_state(mpm_of(base)), error);
}

static piola_status state_out(pio_sim *base, void *bytes, piola_error *error)
{
    if (mpm_of(base)->slots.node_room) return mpm_slot_out(mpm_of(base), bytes, error);
    return sim_state_out(base, bytes, slot_state(mpm_of(base)), error);
}

/* The step block follows the host's count. */
static piola_status set_index(pio_sim *base, piola_error *error)
{
    pio_map(&base->queue, mpm_set_index, 1, NULL, .step = mpm_of(base)->step, .index = base->index);
    return sim_failed(base, error);
}

/* A state has come from elsewhere. */
static piola_status settle(pio_sim *base, piola_error *error)
{
    if (mpm_of(base)->reversible.used) mpm_reversible_settle(mpm_of(base));
    return set_index(base, error);
}

static piola_status load(pio_sim *base, int64_t slot, piola_error *error)
{
    mpm_sim *sim = mpm_of(base);
    sim->slots.behind = BEHIND_NOTHING;
    sim->slots.in_order = 0;
    sim->slots.listed = -1;
    if (sim->slots.node_room) return mpm_slot_load(sim, slot, error);
    const piola_status rc =
        sim->reversible.used ? sim_load(base, slot, slot_state(sim), error) : mpm_whole_load(sim, slot, error);
    return rc ? rc : settle(base, error);
}

static piola_status state_in(pio_sim *base, const void *bytes, int64_t step, piola_error *error)
{
    mpm_sim *sim = mpm_of(base);
    sim->slots.behind = BEHIND_NOTHING;
    sim->slots.in_order = 0;
    sim->slots.listed = -1;
    if (sim->slots.node_room) return mpm_slot_in(sim, bytes, step, error);
    const piola_status rc = sim_state_in(base, bytes, step, slot_state(sim), error);
    return rc ? rc : settle(base, error);
}

static piola_status step_back(pio_sim *base, piola_error *error)
{
    pio_queue_record(&base->queue);
    mpm_reversible_inverse_step(mpm_of(base));
    pio_queue_play(&base->queue);
    return sim_failed(base, error);
}

/* A step reads one of the two states and sets the other. */
static piola_status previous_state(pio_sim *base, piola_error *error)
{
    mpm_sim *sim = mpm_of(base);
    if (sim->reversible.used) return step_back(base, error);
    if (sim->slots.behind != BEHIND_ALL)
        return sim_fail(error, PIOLA_INTERNAL, "the state before state %lld is not there", (long long)base->index);
    sim->slots.behind = BEHIND_NOTHING;
    sim->slots.in_order = 0; /* the lists are those of the step from this state */
    sim->particles.current = 1 - sim->particles.current;
    base->index--;
    return set_index(base, error);
}

static piola_status inverse_step(pio_sim *base, piola_error *error)
{
    mpm_sim *sim = mpm_of(base);
    if (!sim->reversible.used)
        return sim_fail(error, PIOLA_USAGE,
                        "steps of APIC cannot be reversed; the reversible integrator would be right");
    if (base->index == 0) return sim_fail(error, PIOLA_USAGE, "there is no step before state 0");
    if (!mpm_reversible_returns(sim))
        return sim_fail(error, PIOLA_USAGE, "damped steps cannot be reversed without a log of the bits that they keep");
    return step_back(base, error);
}

static piola_status differs(pio_sim *base, int64_t slot, int64_t *words, piola_error *error)
{
    if (!mpm_of(base)->reversible.used)
        return sim_fail(error, PIOLA_USAGE, "states of APIC lie in the order of their steps, and are not compared");
    return sim_differs(base, slot, slot_state(mpm_of(base)), words, error);
}

static piola_status residual_log_bytes(pio_sim *base, int64_t *bytes, piola_error *error)
{
    const mpm_sim *sim = mpm_of(base);
    *bytes = sim->reversible.residual_log ? (int64_t)mpm_reversible_log_bytes(sim, base->index) : 0;
    return sim_failed(base, error);
}

/* A field over the particles. */
static void zero_field(mpm_sim *sim, real *field, int components)
{
    pio_queue_zero(&sim->base.queue, field, sizeof *field * field_size(sim->particles.n, components));
}

static piola_status adjoint_begin(pio_sim *base, const double *samples_bar, piola_error *error)
{
    mpm_sim *sim = mpm_of(base);
    pio_queue *q = &sim->base.queue;
    const mpm_state *bar = &sim->particles.bar[0];
    if (!sim->base.adjoint) return sim_fail(error, PIOLA_INTERNAL, "this simulation has no room for cotangents");
    sim->particles.current_bar = 0;
    sim->base.turned = 1;
    zero_field(sim, bar->offset, DIM);
    zero_field(sim, bar->velocity, DIM);
    if (bar->C) zero_field(sim, bar->C, DIM * DIM);
    if (bar->F) zero_field(sim, bar->F, DIM * DIM);
    if (bar->J) zero_field(sim, bar->J, 1);
    if (bar->hardening) zero_field(sim, bar->hardening, 1);
    if (bar->e33) zero_field(sim, bar->e33, 1);
    if (sim->plastic.yield_bar) zero_field(sim, sim->plastic.yield_bar, PIO_PLASTIC_CONSTANTS);
    zero_field(sim, sim->material.mass_bar, 1);
    zero_field(sim, sim->material.k_bar, sim->material.constants);
    zero_field(sim, sim->material.density_bar, 1);
    zero_field(sim, sim->material.parameters_bar, sim->material.constants);
    zero_field(sim, sim->initial.position_bar, DIM);
    zero_field(sim, sim->initial.velocity_bar, DIM);
    if (sim->material.viscosity_bar) zero_field(sim, sim->material.viscosity_bar, 1);
    if (sim->material.relative_bar) zero_field(sim, sim->material.relative_bar, 1);
    pio_queue_zero(q, sim->base.gravity_bar, DIM * sizeof *sim->base.gravity_bar);
    if (sim->contact.on_grid || sim->rub.used)
        pio_queue_zero(q, sim->contact.parameters_bar, 2 * sizeof *sim->contact.parameters_bar);
    if (sim->flip.used) pio_queue_zero(q, sim->flip.ratio_bar, sizeof *sim->flip.ratio_bar);
    if (sim->grid.box.rough) pio_queue_zero(q, sim->walls.friction_bar, BOX_WALLS * sizeof *sim->walls.friction_bar);
    if (sim->control.n_channels)
        pio_queue_zero(q, sim->control.parameters_bar,
                       sizeof *sim->control.parameters_bar * field_size(sim->control.n_channels, CONTROL_PARAMETERS));
    if (sim->control.n_values)
        pio_queue_zero(q, sim->control.values_bar, sizeof *sim->control.values_bar * (size_t)sim->control.n_values);
    if (sim->base.n_samples)
        pio_queue_upload(q, sim->base.samples_bar, samples_bar, sizeof(double) * (size_t)sim->base.n_samples);
    mpm_networks_adj_begin(sim);
    sim_obstacles_adj_begin(&sim->obstacles.all, &sim->base.queue);
    mpm_kinks_start(sim);
    mpm_plastic_adj_begin(sim);
    sim_norms_start(&sim->base);
    mpm_observe_step_adj(sim, sim->base.index);
    mpm_adjoint_norm(sim, &sim->particles.bar[sim->particles.current_bar], sim->base.index, NORM_WITH_SOURCES);
    return sim_failed(&sim->base, error);
}

static piola_status adjoint_step(pio_sim *base, piola_error *error)
{
    mpm_sim *sim = mpm_of(base);
    pio_queue_record(&base->queue);
    mpm_adjoint_step(sim);
    pio_queue_play(&base->queue);
    if (sim_counts(base, base->index)) mpm_observe_step_adj(sim, base->index);
    mpm_adjoint_norm(sim, &sim->particles.bar[sim->particles.current_bar], sim->base.index, NORM_WITH_SOURCES);
    return sim_failed(&sim->base, error);
}

static piola_status adjoint_end(pio_sim *base, double *value_bar, double *z_bar, piola_error *error)
{
    mpm_sim *sim = mpm_of(base);
    const size_t bytes = sizeof(double) * (size_t)sim->base.n_variables;
    if (base->index != base->first)
        return sim_fail(error, PIOLA_INTERNAL, "the adjoint sweep is at step %lld", (long long)base->index);
    if (base->first) { /* all that the start has to do with it */
        zero_field(sim, sim->particles.bar[sim->particles.current_bar].offset, DIM);
        zero_field(sim, sim->particles.bar[sim->particles.current_bar].velocity, DIM);
    }
    mpm_design_adj(sim);
    if (bytes && value_bar) pio_queue_download(&sim->base.queue, value_bar, sim->base.value_bar, bytes);
    if (bytes && z_bar) pio_queue_download(&sim->base.queue, z_bar, sim->base.z_bar, bytes);
    pio_queue_failed(&sim->base.queue);
    return sim_failed(&sim->base, error);
}

static int64_t items(const pio_sim *sim, const char *field)
{
    return mpm_components(sim, field) ? ((const mpm_sim *)sim)->particles.n : 0;
}

/* Offsets in a cell are about 1. */
static int64_t adjoint_norms(pio_sim *sim, pio_adjoint_norm *norms)
{
    const double dx = (double)mpm_of(sim)->grid.box.dx;
    return sim_adjoint_norms(sim, dx, dx * sqrt((double)DIM * mpm_of(sim)->particles.n), norms);
}

/* Explicit: nothing is solved. */
static int record(const pio_sim *sim, int64_t step, pio_step_record *out)
{
    (void)sim;
    (void)step;
    (void)out;
    return 0;
}

__attribute__((visibility("default"))) const pio_engine piola_engine = {
    .version = PIO_ENGINE_VERSION,
    .size = sizeof(pio_engine),
    .device = PIO_DEVICE_NAME,
    .precision = sizeof(real) == 4 ? "f32" : "f64",
    .isa = PIO_ISA_NAME,
    .dimension = DIM,
    .probe = sim_probe,
    .measure = measure,
    .create = create,
    .destroy = mpm_destroy,
    .start = start,
    .advance = advance,
    .check = mpm_check_fault,
    .will_save = mpm_will_save,
    .save = save,
    .load = load,
    .state_out = state_out,
    .state_in = state_in,
    .memory_out = mpm_memory_out,
    .memory_in = mpm_memory_in,
    .nodes_needed = mpm_slot_needed,
    .adjoint_begin = adjoint_begin,
    .previous_state = previous_state,
    .inverse_step = inverse_step,
    .differs = differs,
    .residual_log_bytes = residual_log_bytes,
    .adjoint_step = adjoint_step,
    .adjoint_end = adjoint_end,
    .samples = sim_samples,
    .values = sim_values,
    .components = mpm_components,
    .read = mpm_read,
    .read_device = mpm_read_device,
    .release = sim_release,
    .field = mpm_field,
    .step = sim_step,
    .items = items,
    .project = mpm_filter_project,
    .record = record,
    .timer = sim_timer,
    .timer_reset = sim_timer_reset,
    .calls = sim_calls,
    .adjoint_norms = adjoint_norms,
    .check_adjoint = sim_check_adjoint,
    .kinks = mpm_kinks,
};
