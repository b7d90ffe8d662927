/* mpm_engine.c -- the engine's table: MPM behind engine.h. PIO_BACKEND names the backend of this build. */
#include "solvers/mpm_create.h"

#include <math.h>
#include <string.h>

static const pio_backend *const backend = &PIO_BACKEND;

static piola_status failed(pio_sim *sim, piola_error *error)
{
    if (!sim->queue.error.code) return PIOLA_OK;
    return mpm_fail(error, PIOLA_UNAVAILABLE, "%s", sim->queue.error.message);
}

static piola_status probe(int32_t device, char name[128], char driver[64], piola_error *error)
{
    pio_device_info info = {0};
    pio_stream stream = NULL;
    const int code = backend->open(device, 0, &info, &stream);
    if (code)
        return mpm_fail(error, PIOLA_UNAVAILABLE, "%s device %d: %s", backend->name, device, backend->error_text(code));
    backend->close(stream);
    memcpy(name, info.name, sizeof info.name);
    memcpy(driver, info.driver, sizeof info.driver);
    return PIOLA_OK;
}

static piola_status measure(const pio_engine_desc *desc, pio_engine_bytes *bytes, piola_error *error)
{
    return mpm_measure(backend, desc, bytes, error);
}

static piola_status create(const pio_engine_desc *desc, pio_sim **out, pio_engine_bytes *bytes, piola_error *error)
{
    return mpm_create(backend, desc, out, bytes, error);
}

static piola_status start(pio_sim *sim, const double *z, piola_error *error)
{
    pio_queue *q = &sim->queue;
    mpm_step step = {.fault = FAULT_NONE, .particles = sim->n, .h = (real)sim->dt, .cfl = (real)sim->cfl};
    for (int a = 0; a < DIM; a++) step.gravity[a] = (real)sim->gravity[a];
    pio_queue_upload(q, sim->step, &step, sizeof step);
    if (sim->n_variables) pio_queue_upload(q, sim->z, z, sizeof *z * (size_t)sim->n_variables);
    if (sim->n_samples) pio_queue_zero(q, sim->samples, sizeof *sim->samples * (size_t)sim->n_samples);
    sim->current = 0;
    sim->index = 0;
    sim->turned = 0;
    mpm_design_apply(sim);
    mpm_observe_totals(sim);
    mpm_observe_step(sim, 0);
    return failed(sim, error);
}

static piola_status advance(pio_sim *sim, int64_t steps, piola_error *error)
{
    for (int64_t s = 0; s < steps && !sim->queue.error.code; s++) {
        mpm_forward(sim);
        if (!sim->turned) mpm_observe_step(sim, sim->index);
    }
    return failed(sim, error);
}

/* A slot holds the state's arrays as they lie in the arena. */
static piola_status save(pio_sim *sim, int64_t slot, piola_error *error)
{
    if (slot < 0 || slot >= sim->n_slots) return mpm_fail(error, PIOLA_INTERNAL, "no slot %lld", (long long)slot);
    pio_queue_copy(&sim->queue, sim->slots + sim->slot_bytes * (size_t)slot, sim->state[sim->current].id,
                   sim->slot_bytes);
    sim->slot_step[slot] = sim->index;
    return failed(sim, error);
}

static piola_status load(pio_sim *sim, int64_t slot, piola_error *error)
{
    if (slot < 0 || slot >= sim->n_slots || sim->slot_step[slot] < 0)
        return mpm_fail(error, PIOLA_INTERNAL, "slot %lld holds no state", (long long)slot);
    pio_queue_copy(&sim->queue, sim->state[sim->current].id, sim->slots + sim->slot_bytes * (size_t)slot,
                   sim->slot_bytes);
    sim->index = sim->slot_step[slot];
    pio_map(&sim->queue, mpm_set_index, 1, NULL, .step = sim->step, .index = sim->index);
    return failed(sim, error);
}

/* A field over the particles. */
static void zero_field(pio_sim *sim, real *field, int components)
{
    pio_queue_zero(&sim->queue, field, sizeof *field * field_size(sim->n, components));
}

static piola_status reverse_begin(pio_sim *sim, const double *samples_bar, piola_error *error)
{
    pio_queue *q = &sim->queue;
    const mpm_state *bar = &sim->bar[0];
    if (!sim->adjoint) return mpm_fail(error, PIOLA_INTERNAL, "this simulation has no room for cotangents");
    sim->current_bar = 0;
    sim->turned = 1;
    zero_field(sim, bar->offset, DIM);
    zero_field(sim, bar->velocity, DIM);
    zero_field(sim, bar->C, DIM * DIM);
    if (bar->F) zero_field(sim, bar->F, DIM * DIM);
    if (bar->J) zero_field(sim, bar->J, 1);
    zero_field(sim, sim->mass_bar, 1);
    zero_field(sim, sim->k_bar, LAW_CONSTANTS);
    zero_field(sim, sim->density_bar, 1);
    zero_field(sim, sim->given_bar, LAW_CONSTANTS);
    zero_field(sim, sim->position_bar, DIM);
    zero_field(sim, sim->velocity_bar, DIM);
    pio_queue_zero(q, sim->gravity_bar, DIM * sizeof *sim->gravity_bar);
    if (sim->n_channels)
        pio_queue_zero(q, sim->control_bar, sizeof *sim->control_bar * field_size(sim->n_channels, CONTROL_PARAMETERS));
    if (sim->n_samples) pio_queue_upload(q, sim->samples_bar, samples_bar, sizeof(double) * (size_t)sim->n_samples);
    mpm_observe_step_adj(sim, sim->index);
    return failed(sim, error);
}

static piola_status reverse(pio_sim *sim, piola_error *error)
{
    mpm_reverse(sim);
    mpm_observe_step_adj(sim, sim->index);
    return failed(sim, error);
}

static piola_status reverse_end(pio_sim *sim, double *value_bar, double *z_bar, piola_error *error)
{
    const size_t bytes = sizeof(double) * (size_t)sim->n_variables;
    if (sim->index != 0)
        return mpm_fail(error, PIOLA_INTERNAL, "the sweep back is at step %lld", (long long)sim->index);
    mpm_design_adj(sim);
    if (bytes && value_bar) pio_queue_download(&sim->queue, value_bar, sim->value_bar, bytes);
    if (bytes && z_bar) pio_queue_download(&sim->queue, z_bar, sim->z_bar, bytes);
    pio_queue_failed(&sim->queue);
    return failed(sim, error);
}

static piola_status samples(pio_sim *sim, double *values, piola_error *error)
{
    if (sim->n_samples) pio_queue_download(&sim->queue, values, sim->samples, sizeof *values * (size_t)sim->n_samples);
    pio_queue_failed(&sim->queue);
    return failed(sim, error);
}

static piola_status read_gravity_bar(pio_sim *sim, double *values, piola_error *error)
{
    pio_queue_download(&sim->queue, values, sim->gravity_bar, DIM * sizeof *values);
    pio_queue_failed(&sim->queue);
    return failed(sim, error);
}

static int64_t step_of(const pio_sim *sim)
{
    return sim->index;
}

static int timer(const pio_sim *sim, int32_t i, const char **name, int64_t *calls, double *seconds)
{
    if (i < 0 || i >= KERNEL_TIMERS) return 0;
    *name = pio_kernel_names[i];
    *calls = sim->queue.timer[i].calls;
    *seconds = sim->queue.timer[i].seconds;
    return 1;
}

static void timer_reset(pio_sim *sim)
{
    memset(sim->queue.timer, 0, sizeof sim->queue.timer);
}

static int64_t items(const pio_sim *sim, const char *field)
{
    return mpm_components(sim, field) ? sim->n : 0;
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
    .probe = probe,
    .measure = measure,
    .create = create,
    .destroy = mpm_destroy,
    .start = start,
    .advance = advance,
    .check = mpm_check_fault,
    .save = save,
    .load = load,
    .reverse_begin = reverse_begin,
    .reverse = reverse,
    .reverse_end = reverse_end,
    .samples = samples,
    .components = mpm_components,
    .read = mpm_read,
    .view = mpm_view,
    .read_gravity_bar = read_gravity_bar,
    .step = step_of,
    .items = items,
    .record = record,
    .timer = timer,
    .timer_reset = timer_reset,
};
