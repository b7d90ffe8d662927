/* fem_slot.c -- what a slot keeps of a mesh's state: its history, no more. [nodes][DIM] each,
 *
 *     static           u                      u is where Newton's method begins
 *     backward Euler   u v                    a1 is made of the two ends of a step
 *     BDF2             u v u(-1) v(-1)        likewise
 *     Newmark          u v a                  a is history: the end of a step does not give it to the bit
 *     leapfrog         u v
 *     reversible       the lattice, of whole numbers
 *
 * Where a reaction is observed it is a function of one state, hence its acceleration is kept too. In how many parts a step was taken is
 * in the host's records, of every step that has run. */
#include "solvers/fem.h"

static size_t vector_bytes(const fem_sim *f)
{
    return sizeof(real) * DIM * (size_t)f->nodes;
}

void fem_slot_layout(fem_sim *f, const pio_engine_desc *desc)
{
    f->remade = f->integrator == PIO_BACKWARD_EULER || f->integrator == PIO_BDF2;
    for (int o = 0; o < desc->n_observations; o++)
        if (desc->observations[o].type == PIO_REACTION) f->remade = 0;
    f->base.slot_bytes = vector_bytes(f) * (size_t)(f->n_state - f->remade);
}

/* Vectors before the acceleration, and those after it: `first` of a slot, which are number `from` of the state. */
typedef struct {
    size_t first, from, count;
} run;

enum { RUNS = 2 };

static run run_of(const fem_sim *f, int which)
{
    if (!f->remade) return (run){0, 0, which == 0 ? (size_t)f->n_state : 0};
    if (which == 0) return (run){0, 0, STATE_A};
    return (run){STATE_A, STATE_A + 1, (size_t)f->n_state - STATE_A - 1};
}

typedef void (*mover)(pio_queue *q, void *target, const void *source, size_t bytes);

static void move_in(fem_sim *f, mover move, const char *slot)
{
    for (int i = 0; i < RUNS; i++) {
        const run r = run_of(f, i);
        const size_t v = vector_bytes(f);
        if (r.count) move(&f->base.queue, (char *)f->u + r.from * v, slot + r.first * v, r.count * v);
    }
    f->no_acceleration = f->remade;
}

static void move_out(fem_sim *f, mover move, char *slot)
{
    for (int i = 0; i < RUNS; i++) {
        const run r = run_of(f, i);
        const size_t v = vector_bytes(f);
        if (r.count) move(&f->base.queue, slot + r.first * v, (const char *)f->u + r.from * v, r.count * v);
    }
}

piola_status fem_slot_save(fem_sim *f, int64_t slot, piola_error *error)
{
    pio_sim *sim = &f->base;
    if (f->lattice) return sim_save(sim, slot, f->lattice, error);
    if (slot < 0 || slot >= sim->n_slots) return sim_fail(error, PIOLA_INTERNAL, "no slot %lld", (long long)slot);
    move_out(f, pio_queue_copy, sim->slots + sim->slot_bytes * (size_t)slot);
    sim->slot_step[slot] = sim->index;
    return sim_failed(sim, error);
}

piola_status fem_slot_load(fem_sim *f, int64_t slot, piola_error *error)
{
    pio_sim *sim = &f->base;
    if (f->lattice) return sim_load(sim, slot, f->lattice, error);
    if (slot < 0 || slot >= sim->n_slots || sim->slot_step[slot] < 0)
        return sim_fail(error, PIOLA_INTERNAL, "slot %lld holds no state", (long long)slot);
    move_in(f, pio_queue_copy, sim->slots + sim->slot_bytes * (size_t)slot);
    sim->index = sim->slot_step[slot];
    return sim_failed(sim, error);
}

piola_status fem_slot_out(fem_sim *f, void *bytes, piola_error *error)
{
    if (f->lattice) return sim_state_out(&f->base, bytes, f->lattice, error);
    move_out(f, pio_queue_download, bytes);
    return sim_failed(&f->base, error);
}

piola_status fem_slot_in(fem_sim *f, const void *bytes, int64_t step, piola_error *error)
{
    if (f->lattice) return sim_state_in(&f->base, bytes, step, f->lattice, error);
    move_in(f, pio_queue_upload, bytes);
    f->base.index = step;
    return sim_failed(&f->base, error);
}
