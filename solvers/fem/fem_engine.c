/* fem_engine.c -- the engine's table for meshes: FEM behind engine.h. PIO_BACKEND names the backend of this build. */
#include "solvers/fem/fem_contact.h"
#include "solvers/fem/fem_control.h"
#include "solvers/fem/fem_modal.h"
#include "solvers/fem/fem_network.h"
#include "solvers/fem/fem_observe.h"
#include "solvers/fem/fem_pairs_friction.h"
#include "solvers/fem/fem_sink.h"

static const pio_backend *const backend = &PIO_BACKEND;

static size_t point_bytes(const fem_sim *f)
{
    return sizeof(real) * DIM * (size_t)f->mesh.nodes;
}

static piola_status measure(const pio_engine_desc *desc, pio_engine_bytes *bytes, piola_error *error)
{
    return fem_measure(backend, desc, bytes, error);
}

static piola_status create(const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes, piola_error *error)
{
    return fem_create(backend, desc, out, bytes, error);
}

static piola_status start(pio_sim *sim, const double *z, piola_error *error)
{
    fem_sim *f = fem_of(sim);
    pio_queue *q = &sim->queue;
    fem_step step = {.fault = FEM_NONE};
    for (int c = 0; c < DIM; c++) step.gravity[c] = f->stepping.gravity[c];
    pio_queue_upload(q, f->step, &step, sizeof step);
    if (sim->n_variables) pio_queue_upload(q, sim->z, z, sizeof *z * (size_t)sim->n_variables);
    piola_status failed = fem_host_filters(f, z, NULL, error);
    if (failed) return failed;
    if (sim->n_samples) pio_queue_zero(q, sim->samples, sizeof *sim->samples * (size_t)sim->n_samples);
    pio_queue_zero(q, f->state.u, point_bytes(f) * (size_t)f->state.n_vectors);
    if (fem_moves(f)) {
        pio_queue_copy(q, f->state.u, f->motion.initial_u, point_bytes(f));
        pio_queue_copy(q, fem_state(f, f->state.u, STATE_V), f->motion.initial_v, point_bytes(f));
    }
    for (int64_t s = 0; s < sim->steps; s++)
        f->stepping.records[s] =
            (pio_step_record){.parts = f->stepping.repeat ? f->stepping.records[s].parts : 0,
                              .began_by_factor = f->stepping.repeat ? f->stepping.records[s].began_by_factor : 0};
    f->linear.standby.elsewhere = (pio_takeover){0};
    f->linear.standby.count = &f->linear.standby.elsewhere;
    f->linear.standby.by_factor = f->linear.direct_first;
    sim->index = 0;
    sim->turned = 0;
    f->state.no_acceleration = 0;
    f->matrix.constant.valid = 0;
    failed = fem_design_apply(f, error);
    if (!failed && f->contact.points && !fem_moves(f)) failed = fem_contact_start(f, error);
    if (!failed && !fem_moves(f)) failed = fem_sink_start(f, error);
    if (!failed && !fem_moves(f)) failed = fem_pairs_start(f, error);
    if (!failed && !fem_moves(f)) fem_pairs_friction_start(f);
    if (failed || f->setup.start_only) return failed ? failed : sim_failed(sim, error);
    fem_networks_evaluate(f, 0);
    fem_activate(f, fem_whole(-1));
    failed = fem_stopped(f, error);
    if (!failed && !fem_is_modal(f)) failed = fem_measure_rounding(f, error);
    if (!failed) failed = fem_stopped(f, error);
    if (failed) return failed;
    if (fem_is_modal(f)) fem_modal_start(f);
    if (fem_moves(f)) {
        piola_status rc = fem_check_fault(sim, error); /* before anything is solved */
        if (!rc) rc = fem_start_motion(f, error);
        if (rc) return rc;
    }
    fem_external(f, fem_whole(-1), f->state.u);
    fem_observe_step(f, 0);
    return sim_failed(sim, error);
}

static piola_status advance(pio_sim *sim, int64_t steps, piola_error *error)
{
    fem_sim *f = fem_of(sim);
    if (f->setup.start_only)
        return sim_fail(error, PIOLA_INTERNAL, "this simulation was made to be started, and to take no step");
    if (sim->index == 0 && !sim->turned) {
        const piola_status rc = fem_check_fault(sim, error);
        if (rc) return rc;
    }
    for (int64_t s = 0; s < steps; s++) {
        if (fem_leaps(f)) pio_queue_record(&sim->queue);
        const piola_status rc = fem_forward(f, error);
        pio_queue_play(&sim->queue);
        if (rc) return rc;
        if (!sim->turned) fem_contact_count(f);
        if (!sim->turned) fem_sink_look(f);
        if (!sim->turned) fem_pairs_count(f);
        if (!sim->turned) fem_pairs_friction_count(f);
        if (!sim->turned) fem_observe_step(f, sim->index);
    }
    return sim_failed(sim, error);
}

static piola_status save(pio_sim *sim, int64_t slot, piola_error *error)
{
    fem_was_saved(fem_of(sim));
    return fem_slot_save(fem_of(sim), slot, error);
}

static piola_status load(pio_sim *sim, int64_t slot, piola_error *error)
{
    const piola_status rc = fem_slot_load(fem_of(sim), slot, error);
    if (!rc) fem_was_put(fem_of(sim), 1);
    return rc;
}

static piola_status state_out(pio_sim *sim, void *bytes, piola_error *error)
{
    return fem_slot_out(fem_of(sim), bytes, error);
}

static piola_status state_in(pio_sim *sim, const void *bytes, int64_t step, piola_error *error)
{
    const piola_status rc = fem_slot_in(fem_of(sim), bytes, step, error);
    if (!rc) fem_was_put(fem_of(sim), 0);
    return rc;
}

static piola_status adjoint_begin(pio_sim *sim, const double *samples_bar, piola_error *error)
{
    fem_sim *f = fem_of(sim);
    pio_queue *q = &sim->queue;
    const size_t constants = sizeof(real) * field_size(f->mesh.elements, PIO_LAW_CONSTANTS);
    const size_t one = sizeof(real) * field_size(f->mesh.elements, 1);
    if (!sim->adjoint) return sim_fail(error, PIOLA_INTERNAL, "this simulation has no room for cotangents");
    if (fem_is_modal(f)) {
        const piola_status rc = fem_modal_check(f, samples_bar, error);
        if (rc) return rc;
    }
    sim->turned = 1;
    f->frames.ready = 0;
    if (f->frames.force_bar) pio_queue_zero(q, f->frames.force_bar, point_bytes(f));
    pio_queue_copy(q, f->adjoint.known, f->state.u, point_bytes(f) * (size_t)f->state.n_vectors);
    pio_queue_zero(q, f->adjoint.u_bar, point_bytes(f) * (size_t)f->state.n_vectors);
    pio_queue_zero(q, f->forces.external_bar, point_bytes(f));
    pio_queue_zero(q, f->mesh.rest_bar, point_bytes(f));
    pio_queue_zero(q, f->materials.k_bar, constants);
    pio_queue_zero(q, f->materials.parameters_bar, constants);
    pio_queue_zero(q, f->materials.density_bar, one);
    if (f->materials.relative) pio_queue_zero(q, f->materials.actual_bar, one);
    if (f->materials.relative) pio_queue_zero(q, f->materials.relative_bar, one);
    if (f->materials.has_choice) pio_queue_zero(q, f->materials.choice_bar, one);
    if (f->materials.has_thickness) pio_queue_zero(q, f->materials.thickness_bar, one);
    if (f->materials.has_heat) {
        pio_queue_zero(q, f->materials.expansion_bar, one);
        pio_queue_zero(q, f->materials.temperature_bar, one);
        pio_queue_zero(q, f->materials.heat_bar, one);
    }
    if (f->damping.alpha) pio_queue_zero(q, f->damping.alpha_bar, one);
    if (f->damping.beta) pio_queue_zero(q, f->damping.beta_bar, one);
    if (f->damping.beta) pio_queue_zero(q, f->damping.k_bar, constants);
    if (f->motion.mass_bar) pio_queue_zero(q, f->motion.mass_bar, point_bytes(f));
    if (f->motion.weight_bar) pio_queue_zero(q, f->motion.weight_bar, point_bytes(f));
    pio_queue_zero(q, sim->gravity_bar, DIM * sizeof *sim->gravity_bar);
    if (f->loads.n_values)
        pio_queue_zero(q, f->loads.values_bar, 3 * sizeof *f->loads.values_bar * (size_t)f->loads.n_values);
    if (f->loads.has_moments)
        pio_queue_zero(q, f->loads.couples_bar,
                       COUPLE_NUMBERS * sizeof *f->loads.couples_bar * (size_t)f->loads.n_values);
    if (f->varies.designed)
        pio_queue_zero(q, f->varies.constant_bar, sizeof *f->varies.constant_bar * (size_t)f->varies.designed);
    if (f->supports.n_supports)
        pio_queue_zero(q, f->supports.value_bar, sizeof *f->supports.value_bar * (size_t)f->supports.n_supports);
    if (sim->n_samples) pio_queue_upload(q, sim->samples_bar, samples_bar, sizeof(double) * (size_t)sim->n_samples);
    fem_control_adj_begin(f);
    sim_norms_start(sim);
    fem_contact_adj_begin(f);
    fem_pairs_adj_begin(f);
    fem_pairs_friction_adj_begin(f);
    fem_observe_step_adj(f, sim->index);
    fem_adjoint_norm(f, sim->index, NORM_WITH_SOURCES);
    return sim_failed(sim, error);
}

/* A step leaves its beginning in `origin`. */
static piola_status previous_state(pio_sim *sim, piola_error *error)
{
    fem_sim *f = fem_of(sim);
    fem_take_origin(f);
    f->state.no_acceleration = f->state.omits_acceleration;
    sim->index--;
    return sim_failed(sim, error);
}

static piola_status inverse_step(pio_sim *sim, piola_error *error)
{
    fem_sim *f = fem_of(sim);
    f->frames.ready = 0;
    if (f->lattice.state && fem_leaps(f)) {
        pio_queue_record(&sim->queue);
        const piola_status rc = fem_leap_inverse_step(f, error);
        pio_queue_play(&sim->queue);
        return rc;
    }
    if (f->lattice.residual_log.capacity) return fem_euler_inverse_step(f, error);
    return sim_fail(error, PIOLA_USAGE,
                    "steps of this integrator, or of a run without a residual log, cannot be reversed");
}

static piola_status differs(pio_sim *sim, int64_t slot, int64_t *words, piola_error *error)
{
    return sim_differs(sim, slot, fem_truth(fem_of(sim)), words, error);
}

static piola_status residual_log_bytes(pio_sim *sim, int64_t *bytes, piola_error *error)
{
    rice_log t = {0};
    if (fem_of(sim)->lattice.residual_log.capacity)
        pio_residual_log_state(&fem_of(sim)->lattice.residual_log, &sim->queue, &t);
    *bytes = t.used;
    return sim_failed(sim, error);
}

static piola_status check(pio_sim *sim, piola_error *error)
{
    piola_status rc = fem_pairs_check(fem_of(sim), error);
    if (!rc) rc = fem_check_fault(sim, error);
    if (!rc) rc = fem_sink_check(fem_of(sim), error);
    return rc ? rc : fem_euler_check(fem_of(sim), error);
}

static piola_status adjoint_step(pio_sim *sim, piola_error *error)
{
    fem_sim *f = fem_of(sim);
    if (fem_leaps(f)) pio_queue_record(&sim->queue);
    const piola_status rc = fem_adjoint_step(f, error);
    pio_queue_play(&sim->queue);
    if (rc) return sim_solve_overflowed(sim, rc, error);
    f->frames.ready = 0;
    fem_adjoint_norm(f, sim->index, NORM_ARRIVED);
    fem_observe_before_adj(f, sim->index + 1);
    if (sim_counts(sim, sim->index)) fem_observe_step_adj(f, sim->index);
    fem_adjoint_norm(f, sim->index, NORM_WITH_SOURCES);
    return sim_failed(sim, error);
}

static piola_status adjoint_end(pio_sim *sim, double *value_bar, double *z_bar, piola_error *error)
{
    const size_t bytes = sizeof(double) * (size_t)sim->n_variables;
    if (sim->index != sim->first)
        return sim_fail(error, PIOLA_INTERNAL, "the adjoint sweep is at step %lld", (long long)sim->index);
    fem_sim *f = fem_of(sim);
    f->frames.ready = 0;
    if (sim->first) {
        pio_queue_zero(&sim->queue, f->adjoint.u_bar, point_bytes(f) * (size_t)f->state.n_vectors);
        fem_networks_adj_begin(f);
    }
    if (fem_is_modal(f)) fem_modal_end(f);
    if (fem_moves(f)) {
        const piola_status rc = fem_start_motion_adj(f, error);
        if (rc) return rc;
    }
    if (f->frames.force_bar) pio_queue_copy(&sim->queue, f->frames.force_bar, f->forces.external_bar, point_bytes(f));
    fem_external(f, fem_whole(-1),
                 f->state.u); /* forces that were observed at the start: no step carries their cotangents */
    fem_external_adj(f, f->state.u);
    if (fem_leaps(f)) fem_leapfrog_end(f);
    const piola_status failed = fem_design_adj(f, error);
    if (failed) return failed;
    if (bytes && value_bar) pio_queue_download(&sim->queue, value_bar, sim->value_bar, bytes);
    if (bytes && z_bar) pio_queue_download(&sim->queue, z_bar, sim->z_bar, bytes);
    pio_queue_failed(&sim->queue);
    const piola_status host = bytes && z_bar ? fem_host_filters(f, NULL, z_bar, error) : PIOLA_OK;
    return host ? host : sim_failed(sim, error);
}

static piola_status direct(int32_t device, char name[128], piola_error *error)
{
    const pio_direct_table *table;
    return fem_direct_library(backend, device, &table, name, error);
}

static piola_status product(int32_t device, char name[128], piola_error *error)
{
    const pio_product_table *table;
    return pio_product_library(backend, device, &table, name, error);
}

static void repeat(pio_sim *sim, int on)
{
    fem_of(sim)->stepping.repeat = on;
}

static void goal(pio_sim *sim, double tolerance)
{
    fem_of(sim)->newton.goal = fem_goal(fem_of(sim), tolerance);
}

static void project(pio_sim *sim, int32_t design, double sharpness)
{
    fem_of(sim)->design.designs[design].desc.sharpness = sharpness;
}

/* The states of a static run, and modes, are no history. */
static int64_t adjoint_norms(pio_sim *sim, pio_adjoint_norm *norms)
{
    return fem_moves(fem_of(sim)) ? sim_adjoint_norms(sim, 1, 0, norms) : 0;
}

static int record_of(const pio_sim *sim, int64_t step, pio_step_record *record)
{
    if (step < 0 || step >= sim->steps) return 0;
    *record = ((const fem_sim *)sim)->stepping.records[step];
    return 1;
}

__attribute__((visibility("default"))) const pio_engine piola_engine_fem = {
    .version = PIO_ENGINE_VERSION,
    .size = sizeof(pio_engine),
    .device = PIO_DEVICE_NAME,
    .precision = sizeof(real) == 4 ? "f32" : "f64",
    .isa = PIO_ISA_NAME,
    .dimension = DIM,
    .probe = sim_probe,
    .measure = measure,
    .create = create,
    .destroy = fem_destroy,
    .start = start,
    .advance = advance,
    .check = check,
    .save = save,
    .load = load,
    .state_out = state_out,
    .state_in = state_in,
    .memory_out = fem_memory_out,
    .memory_in = fem_memory_in,
    .adjoint_begin = adjoint_begin,
    .previous_state = previous_state,
    .inverse_step = inverse_step,
    .differs = differs,
    .residual_log_bytes = residual_log_bytes,
    .adjoint_step = adjoint_step,
    .adjoint_end = adjoint_end,
    .samples = sim_samples,
    .values = sim_values,
    .components = fem_components,
    .read = fem_read,
    .read_device = fem_read_device,
    .release = sim_release,
    .field = fem_field_name,
    .step = sim_step,
    .items = fem_items,
    .record = record_of,
    .repeat = repeat,
    .goal = goal,
    .project = project,
    .direct = direct,
    .product = product,
    .timer = sim_timer,
    .timer_reset = sim_timer_reset,
    .calls = sim_calls,
    .adjoint_norms = adjoint_norms,
    .check_adjoint = sim_check_adjoint,
    .solver_change = fem_solver_change,
    .contact = fem_contact_report,
};
