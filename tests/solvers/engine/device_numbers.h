/* device_numbers.h -- numbers of a simulation that lie on its device, for tests: through the table of its backend, so
 * that it works for an engine that is loaded, too, and with PIOLA_GUARD=1. */
#ifndef PIOLA_TESTS_DEVICE_NUMBERS_H
#define PIOLA_TESTS_DEVICE_NUMBERS_H

#include "solvers/engine/sim.h"

/* Copies `bytes` bytes at `device` to the host; returns 0 or the backend's error code. */
static inline int device_numbers(const pio_sim *sim, void *out, const void *device, size_t bytes)
{
    const pio_arena *a = &sim->arena;
    if (a->guarded) a->backend->guard(a->base, a->size, 1);
    const int rc = a->backend->download(sim->queue.stream, out, device, bytes);
    if (a->guarded) a->backend->guard(a->base, a->size, 0);
    return rc;
}

/* The adjoint of gravity of the last adjoint sweep: [DIM] of `out`, unit of J per m/s^2. */
static inline int device_gravity_bar(const pio_sim *sim, double *out)
{
    return device_numbers(sim, out, sim->gravity_bar, DIM * sizeof *out);
}

#endif
