/* sim.c -- memory, device and kept states of a simulation, and the entries of the engine's table that every method
 * shares. */
#include "solvers/engine/sim.h"

#include "solvers/engine/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

piola_status sim_save(pio_sim *sim, int64_t slot, const void *state, piola_error *error)
{
    if (slot < 0 || slot >= sim->n_slots) return sim_fail(error, PIOLA_INTERNAL, "no slot %lld", (long long)slot);
    pio_queue_copy(&sim->queue, sim_slot(sim, slot), state, sim->slot_bytes);
    sim->slot_step[slot] = sim->index;
    return sim_failed(sim, error);
}

piola_status sim_load(pio_sim *sim, int64_t slot, void *state, piola_error *error)
{
    if (slot < 0 || slot >= sim->n_slots || sim->slot_step[slot] < 0)
        return sim_fail(error, PIOLA_INTERNAL, "slot %lld holds no state", (long long)slot);
    pio_queue_copy(&sim->queue, state, sim_slot(sim, slot), sim->slot_bytes);
    sim->index = sim->slot_step[slot];
    return sim_failed(sim, error);
}

piola_status sim_differs(pio_sim *sim, int64_t slot, const void *state, int64_t *words, piola_error *error)
{
    if (slot < 0 || slot >= sim->n_slots || sim->slot_step[slot] < 0)
        return sim_fail(error, PIOLA_INTERNAL, "slot %lld holds no state", (long long)slot);
    const size_t all = sim->slot_bytes / sizeof(uint32_t), most = (size_t)sim->sum_items;
    const uint32_t *a = state, *b = (const uint32_t *)(sim_slot(sim, slot));
    *words = 0;
    for (size_t at = 0; at < all; at += most) {
        double count = 0;
        pio_sum(&sim->queue, words_differ, (int)(all - at < most ? all - at : most), NULL, sim->scalar, .a = a + at,
                .b = b + at);
        pio_queue_download(&sim->queue, &count, sim->scalar, sizeof count);
        *words += (int64_t)count;
    }
    pio_queue_failed(&sim->queue);
    return sim_failed(sim, error);
}

piola_status sim_state_out(pio_sim *sim, void *bytes, const void *state, piola_error *error)
{
    pio_queue_download(&sim->queue, bytes, state, sim->slot_bytes);
    return sim_failed(sim, error);
}

piola_status sim_state_in(pio_sim *sim, const void *bytes, int64_t step, void *state, piola_error *error)
{
    pio_queue_upload(&sim->queue, state, bytes, sim->slot_bytes);
    sim->index = step;
    return sim_failed(sim, error);
}

int sim_begin(pio_sim *sim, const pio_backend *backend, const pio_engine_desc *desc, int64_t items)
{
    sim->steps = desc->steps;
    sim->adjoint = desc->adjoint;
    sim->interrupted = desc->interrupted;
    sim->ordinal = desc->device;
    sim->queue.backend = sim->arena.backend = backend;
    sim->queue.arena = &sim->arena;
    sim->queue.clock = desc->timing ? pio_clock : NULL;
    sim->n_slots = desc->slots;
    sim->n_sample_weights = desc->n_sample_weights;
    for (int o = 0; o < desc->n_observations; o++)
        sim->n_samples += desc->observations[o].samples * desc->observations[o].components;
    for (int d = 0; d < desc->n_designs; d++) sim->n_variables += desc->designs[d].groups * desc->designs[d].components;
    sim->sample_weights = calloc((size_t)desc->n_sample_weights + 1, sizeof *sim->sample_weights);
    sim->slot_step = malloc(sizeof *sim->slot_step * ((size_t)desc->slots + 1));
    sim->host_transfer = malloc(sizeof *sim->host_transfer * (size_t)items);
    if (!sim->sample_weights || !sim->slot_step || !sim->host_transfer) return 0;
    for (int64_t s = 0; s <= desc->slots; s++) sim->slot_step[s] = -1;
    if (desc->n_sample_weights)
        memcpy(sim->sample_weights, desc->sample_weights, sizeof *sim->sample_weights * (size_t)desc->n_sample_weights);
    sim->dt = desc->dt;
    sim->first = desc->first;
    return sim_norms_begin(sim);
}

void sim_layout(pio_sim *sim, int items, int transfer)
{
    pio_arena *arena = &sim->arena;
    const size_t most = field_size(items, DIM * DIM); /* the check for NaN counts matrices */
    sim->sum_items = most < PIO_MOST_ITEMS ? (int)most : PIO_MOST_ITEMS;
    TAKE(arena, sim->samples, sim->n_samples);
    TAKE(arena, sim->samples_bar, sim->n_samples);
    TAKE(arena, sim->z, sim->n_variables);
    TAKE(arena, sim->value, sim->n_variables);
    TAKE(arena, sim->value_bar, sim->n_variables);
    TAKE(arena, sim->z_bar, sim->n_variables);
    TAKE(arena, sim->z_start, sim->n_variables);
    TAKE(arena, sim->reference, sim->n_variables);
    TAKE(arena, sim->scalar, 1);
    TAKE(arena, sim->gravity_bar, DIM);
    TAKE(arena, sim->norms, sim->n_norms * NORMS);
    TAKE(arena, sim->transfer, transfer);
    sim->before_slots = sim->arena.used;
    TAKE(arena, sim->queue.sum_work, PIO_SUM_WORK(most));
    TAKE(arena, sim->queue.sum_out, 1);
    TAKE(arena, sim->queue.scan_work, PIO_SCAN_WORK(most));
    TAKE(arena, sim->slots, (sim->slot_bytes + sim->slot_extra) * (size_t)sim->n_slots);
}

static piola_status unavailable(const pio_backend *backend, int device, int code, const pio_device_info *info,
                                piola_error *error)
{
    return sim_fail(error, PIOLA_UNAVAILABLE, "%s device %d: %s; this engine is built for %s", backend->name, device,
                    info->error[0] ? info->error : backend->error_text(code), PIO_ISA_NAME);
}

piola_status sim_open(pio_sim *sim, const pio_engine_desc *desc, piola_error *error)
{
    const pio_backend *backend = sim->arena.backend;
    const int code = backend->open(desc->device, desc->threads, &sim->device, &sim->queue.stream);
    if (code) return unavailable(backend, desc->device, code, &sim->device, error);
    sim->queue.recorder = pio_recorder_create(backend);
    return PIOLA_OK;
}

piola_status sim_allocate(pio_sim *sim, piola_error *error)
{
    const pio_backend *backend = sim->arena.backend;
    const size_t size = sim->arena.used;
    char kept[80] = "";
    if (sim->device.kept_bytes)
        snprintf(kept, sizeof kept, ", beside %zu that are kept for its driver", sim->device.kept_bytes);
    if (size + sim->library > sim->device.free_bytes)
        return sim_fail(error, PIOLA_NO_MEMORY, "this run needs %zu bytes of device memory and %zu are free on %s%s",
                        size + sim->library, sim->device.free_bytes, sim->device.name, kept);
    const int code = pio_arena_create(&sim->arena, backend, size);
    if (code)
        return sim_fail(error, PIOLA_NO_MEMORY, "%zu bytes of device memory: %s", size, backend->error_text(code));
    return PIOLA_OK;
}

void sim_bytes(const pio_sim *sim, pio_engine_bytes *bytes)
{
    bytes->state = sim->slot_bytes;
    bytes->beside_state = sim->slot_extra;
    bytes->memory = sim_memory_bytes(sim);
    bytes->residual_log = 0;
    bytes->slot_nodes = bytes->start_nodes = 0;
    bytes->library = sim->library;
    bytes->total = sim->arena.used + sim->library;
    bytes->solver[0] = bytes->solver_why[0] = bytes->product[0] = '\0';
    const size_t slots = (sim->slot_bytes + sim->slot_extra) * (size_t)sim->n_slots;
    bytes->fixed = sim->arena.used - ((slots + 255) & ~(size_t)255);
    bytes->context = sim->device.context_bytes;
    bytes->free = sim->device.free_bytes;
    bytes->kept = sim->device.kept_bytes;
    bytes->cache = sim->device.cache_bytes;
    memcpy(bytes->device, sim->device.name, sizeof bytes->device);
    memcpy(bytes->driver, sim->device.driver, sizeof bytes->driver);
}

void sim_end(pio_sim *sim)
{
    pio_recorder_free(sim->queue.recorder, sim->arena.backend);
    if (sim->queue.stream) sim->arena.backend->close(sim->queue.stream);
    if (sim->arena.base) pio_arena_destroy(&sim->arena);
    free(sim->sample_weights);
    free(sim->slot_step);
    free(sim->norm_step);
    free(sim->host_transfer);
    free(sim->host_image);
}

/* ---- entries of the engine's table ------------------------------------------------------------------------ */

piola_status sim_probe(int32_t device, char name[128], char driver[64], piola_error *error)
{
    const pio_backend *backend = &PIO_BACKEND;
    pio_device_info info = {0};
    pio_stream stream = NULL;
    const int code = backend->open(device, 0, &info, &stream);
    if (code) return unavailable(backend, device, code, &info, error);
    backend->close(stream);
    memcpy(name, info.name, sizeof info.name);
    memcpy(driver, info.driver, sizeof info.driver);
    return PIOLA_OK;
}

piola_status sim_samples(pio_sim *sim, double *values, piola_error *error)
{
    if (sim->n_samples) pio_queue_download(&sim->queue, values, sim->samples, sizeof *values * (size_t)sim->n_samples);
    pio_queue_failed(&sim->queue);
    return sim_failed(sim, error);
}

piola_status sim_values(pio_sim *sim, double *values, piola_error *error)
{
    if (sim->n_variables)
        pio_queue_download(&sim->queue, values, sim->value, sizeof *values * (size_t)sim->n_variables);
    pio_queue_failed(&sim->queue);
    return sim_failed(sim, error);
}

void sim_release(double *values, size_t bytes)
{
    const pio_backend *backend = &PIO_BACKEND;
    backend->release(values, bytes);
}

int64_t sim_step(const pio_sim *sim)
{
    return sim->index;
}

int sim_timer(const pio_sim *sim, int32_t i, const char **name, int64_t *calls, double *seconds)
{
    if (i < 0 || i >= KERNEL_TIMERS) return 0;
    *name = pio_kernel_names[i];
    *calls = sim->queue.timer[i].calls;
    *seconds = sim->queue.timer[i].seconds;
    return 1;
}

void sim_timer_reset(pio_sim *sim)
{
    memset(sim->queue.timer, 0, sizeof sim->queue.timer);
}

void sim_calls(const pio_sim *sim, pio_device_calls *calls)
{
    const pio_queue_counts *c = &sim->queue.counts;
    *calls = (pio_device_calls){.launches = c->launches, .copies = c->copies, .waits = c->waits, .graphs = c->graphs};
}
