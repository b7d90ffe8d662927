/* fem_slot.c -- what a state of a mesh is and what a slot keeps of it: its history, no more; see
 * kernels/fem/fem_fields.def. */
#include "solvers/fem/fem.h"
#include "solvers/fem/fem_observe.h"

static size_t vector_bytes(const fem_sim *f)
{
    return sizeof(real) * DIM * (size_t)f->mesh.nodes;
}

static int reaction_observed(const pio_engine_desc *desc)
{
    for (int o = 0; o < desc->n_observations; o++)
        if (fem_reacts(desc->observations[o].type)) return 1;
    return 0;
}

/* Vector `which`, if the state has it, and if a slot has it too. */
static void have(fem_sim *f, int which, int when, int kept)
{
    f->state.vector_at[which] = when ? f->state.n_vectors++ : -1;
    f->state.kept_at[which] = when && kept ? f->state.n_kept++ : -1;
}

void fem_state_layout(fem_sim *f, const pio_engine_desc *desc)
{
    const int lattice = fem_on_lattice(f->motion.integrator), ALWAYS = 1, RATES = fem_has_rates(f);
    const int IMPLICIT = fem_moves(f) && !fem_leaps(f), BDF2 = f->motion.integrator == PIO_BDF2;
    const int NEWMARK = f->motion.integrator == PIO_NEWMARK, REACTION = reaction_observed(desc);
    f->state.n_vectors = f->state.n_kept = 0;
#define FIELD(letter, name, when, kept, unit, meaning) have(f, STATE_##letter, when, kept);
#include "kernels/fem/fem_fields.def"
#undef FIELD
    f->state.omits_acceleration = !lattice && f->state.n_kept < f->state.n_vectors;
    f->base.slot_bytes =
        (size_t)f->state.n_kept * (lattice ? sizeof *f->lattice.state * DIM * (size_t)f->mesh.nodes : vector_bytes(f));
}

typedef void (*mover)(pio_queue *q, void *target, const void *source, size_t bytes);

static void move_in(fem_sim *f, mover move, const char *slot)
{
    const size_t v = vector_bytes(f);
    for (int i = 0; i < STATES; i++)
        if (f->state.kept_at[i] >= 0)
            move(&f->base.queue, fem_state(f, f->state.u, i), slot + (size_t)f->state.kept_at[i] * v, v);
    f->state.no_acceleration = f->state.omits_acceleration;
}

static void move_out(fem_sim *f, mover move, char *slot)
{
    const size_t v = vector_bytes(f);
    for (int i = 0; i < STATES; i++)
        if (f->state.kept_at[i] >= 0)
            move(&f->base.queue, slot + (size_t)f->state.kept_at[i] * v, fem_state(f, f->state.u, i), v);
}

piola_status fem_slot_save(fem_sim *f, int64_t slot, piola_error *error)
{
    pio_sim *sim = &f->base;
    if (f->lattice.state) return sim_save(sim, slot, f->lattice.state, error);
    if (slot < 0 || slot >= sim->n_slots) return sim_fail(error, PIOLA_INTERNAL, "no slot %lld", (long long)slot);
    move_out(f, pio_queue_copy, sim_slot(sim, slot));
    sim->slot_step[slot] = sim->index;
    return sim_failed(sim, error);
}

piola_status fem_slot_load(fem_sim *f, int64_t slot, piola_error *error)
{
    pio_sim *sim = &f->base;
    if (f->lattice.state) return sim_load(sim, slot, f->lattice.state, error);
    if (slot < 0 || slot >= sim->n_slots || sim->slot_step[slot] < 0)
        return sim_fail(error, PIOLA_INTERNAL, "slot %lld holds no state", (long long)slot);
    move_in(f, pio_queue_copy, sim_slot(sim, slot));
    sim->index = sim->slot_step[slot];
    return sim_failed(sim, error);
}

piola_status fem_slot_out(fem_sim *f, void *bytes, piola_error *error)
{
    if (f->lattice.state) return sim_state_out(&f->base, bytes, f->lattice.state, error);
    move_out(f, pio_queue_download, bytes);
    return sim_failed(&f->base, error);
}

piola_status fem_slot_in(fem_sim *f, const void *bytes, int64_t step, piola_error *error)
{
    if (f->lattice.state) return sim_state_in(&f->base, bytes, step, f->lattice.state, error);
    move_in(f, pio_queue_upload, bytes);
    f->base.index = step;
    return sim_failed(&f->base, error);
}
