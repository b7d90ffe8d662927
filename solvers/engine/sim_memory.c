/* sim_memory.c -- all that a simulation holds between two calls but its kept states, as one stream of bytes: what the
 * host keeps of it, then its arena, without the scratch that every call sets before it reads it. */
#include "solvers/engine/sim.h"

#include <stdlib.h>

static char *image(pio_sim *sim, piola_error *error)
{
    if (!sim->host_image) sim->host_image = calloc(1, sim->host_bytes);
    if (!sim->host_image)
        sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %zu bytes of a simulation's memory", sim->host_bytes);
    return sim->host_image;
}

size_t sim_memory_bytes(const pio_sim *sim)
{
    return sim->host_bytes + sim->before_slots - (sim->scratch[1] - sim->scratch[0]);
}

/* Bytes at .. at + n - 1 of the stream, which go out of the simulation or come into it. */
typedef struct {
    size_t at, n;
    char *out;      /* [n] host memory that is set, or NULL */
    const char *in; /* [n] host memory that is read, where `out` is NULL */
} stretch;

/* As far as they lie in a piece of device memory that begins at `first` of the stream and is `size` bytes long. */
static void move(pio_sim *sim, char *piece, size_t first, size_t size, const stretch *s)
{
    const size_t last = s->at + s->n, from = s->at > first ? s->at : first;
    const size_t end = last < first + size ? last : first + size;
    if (from >= end) return;
    if (s->out)
        pio_queue_download(&sim->queue, s->out + (from - s->at), piece + (from - first), end - from);
    else
        pio_queue_upload(&sim->queue, piece + (from - first), s->in + (from - s->at), end - from);
}

static piola_status arena(pio_sim *sim, const stretch *s, piola_error *error)
{
    const size_t *scratch = sim->scratch, host = sim->host_bytes;
    move(sim, sim->arena.base, host, scratch[0], s);
    move(sim, sim->arena.base + scratch[1], host + scratch[0], sim->before_slots - scratch[1], s);
    pio_queue_failed(&sim->queue);
    return sim_failed(sim, error);
}

piola_status sim_memory_out(pio_sim *sim, sim_host_image *of_host, size_t at, size_t n, void *bytes, piola_error *error)
{
    char *host = image(sim, error), *out = bytes;
    if (!host) return PIOLA_NO_MEMORY;
    if (at == 0) of_host(sim, host, 0);
    for (size_t i = at; i < at + n && i < sim->host_bytes; i++) out[i - at] = host[i];
    return arena(sim, &(stretch){.at = at, .n = n, .out = out}, error);
}

piola_status sim_memory_in(pio_sim *sim, sim_host_image *of_host, size_t at, size_t n, const void *bytes,
                           piola_error *error)
{
    const char *in = bytes;
    char *host = image(sim, error);
    if (!host) return PIOLA_NO_MEMORY;
    for (size_t i = at; i < at + n && i < sim->host_bytes; i++) host[i] = in[i - at];
    const piola_status rc = arena(sim, &(stretch){.at = at, .n = n, .in = in}, error);
    if (!rc && at + n == sim_memory_bytes(sim)) of_host(sim, host, 1);
    return rc;
}
