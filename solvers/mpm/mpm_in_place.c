/* mpm_in_place.c -- whole states that stay where they are written: a step writes a state that will be saved into its
 * slot, and a state that is loaded is read where it lies. Beside its state a slot may have what the adjoint of the step
 * from it would compute again: where the particles of each cell begin, and the sums at nodes.
 *
 * The simulation has two states of its own, one for each role, the current and the other one. Either role may be played
 * by a slot instead, which nothing but the step that leads to its state writes. */
#include "solvers/mpm/mpm.h"

#include <stdlib.h>
#include <string.h>

/* What a slot has beside its state. */
enum { HELD_START = 1, HELD_SUMS = 2 };

static size_t padded(size_t bytes)
{
    return (bytes + 255) & ~(size_t)255;
}

static size_t start_bytes(const mpm_sim *sim)
{
    return sizeof(int) * ((size_t)sim->grid.nodes + 1);
}

void mpm_in_place_layout(mpm_sim *sim, const pio_engine_desc *desc)
{
    sim->slots.has_sums = desc->slot_sums && !sim->reversible.used && !sim->slots.node_room;
    sim->base.slot_extra = 0;
    if (!sim->slots.has_sums) return;
    sim->base.slot_extra = padded(start_bytes(sim)) + padded(sizeof(real) * field_size(sim->grid.nodes, DIM + 1));
}

int mpm_in_place_create(mpm_sim *sim)
{
    for (int k = 0; k < 2; k++) sim->slots.own[k] = sim->particles.state[k];
    sim->slots.own_sums = sim->grid.node_sums;
    sim->slots.held = calloc((size_t)sim->base.n_slots + 1, 1);
    return sim->slots.held != NULL;
}

/* Compact slots and those of the reversible integrator are no states, and the NaN watch knows two states only. */
static int stays(const mpm_sim *sim)
{
    return !sim->reversible.used && !sim->slots.node_room && !sim->base.queue.watch;
}

static int *slot_start(const mpm_sim *sim, int64_t slot)
{
    return (int *)(sim_slot(&sim->base, slot) + sim->base.slot_bytes);
}

static real *slot_sums(const mpm_sim *sim, int64_t slot)
{
    return (real *)(sim_slot(&sim->base, slot) + sim->base.slot_bytes + padded(start_bytes(sim)));
}

/* Lets a state of the simulation's own play a role. */
static void own(mpm_sim *sim, int role)
{
    sim->particles.state[role] = sim->slots.own[role];
    sim->slots.home[role] = -1;
}

/* Lets a slot play a role. */
static void borrow(mpm_sim *sim, int role, int64_t slot)
{
    sim->particles.state[role] = mpm_state_at(sim, sim_slot(&sim->base, slot));
    sim->slots.home[role] = slot;
}

/* Copies the state of a role into the one of the simulation's own. */
static void bring_home(mpm_sim *sim, int role)
{
    if (sim->slots.home[role] < 0) return;
    pio_queue_copy(&sim->base.queue, sim->slots.own[role].id, sim->particles.state[role].id, sim->base.slot_bytes);
    own(sim, role);
}

void mpm_in_place_start(mpm_sim *sim)
{
    if (!sim->reversible.used) {
        own(sim, 0);
        own(sim, 1);
    }
    sim->slots.coming_slot = sim->slots.coming_state = -1;
    sim->slots.listed = sim->slots.summed = -1;
    sim->slots.in_order = 0;
    memset(sim->slots.held, 0, (size_t)sim->base.n_slots);
}

void mpm_will_save(pio_sim *base, int64_t slot, int64_t state)
{
    mpm_sim *sim = mpm_of(base);
    if (!stays(sim) || slot < 0 || slot >= base->n_slots) return;
    sim->slots.coming_slot = slot;
    sim->slots.coming_state = state;
}

void mpm_own_next(mpm_sim *sim)
{
    if (!sim->reversible.used) own(sim, 1 - sim->particles.current);
}

void mpm_place_next(mpm_sim *sim)
{
    const int other = 1 - sim->particles.current;
    const int64_t slot = sim->slots.coming_slot;
    if (slot < 0 || sim->slots.coming_state != sim->base.index + 1 || sim->slots.home[1 - other] == slot) {
        mpm_own_next(sim);
        return;
    }
    borrow(sim, other, slot);
    sim->base.slot_step[slot] = -1;
    sim->slots.held[slot] = 0;
}

/* Copies where the particles of each cell begin in the order in which the current state is stored. */
static void keep_start(mpm_sim *sim, int64_t slot)
{
    if (!sim->slots.has_sums || !sim->slots.in_order || sim->slots.listed != sim->base.index - 1) return;
    pio_queue_copy(&sim->base.queue, slot_start(sim, slot), sim->grid.lists.start, start_bytes(sim));
    sim->slots.held[slot] |= HELD_START;
}

piola_status mpm_whole_save(mpm_sim *sim, int64_t slot, piola_error *error)
{
    pio_sim *base = &sim->base;
    const int now = sim->particles.current;
    if (!stays(sim) || slot < 0 || slot >= base->n_slots)
        return sim_save(base, slot, sim->particles.state[now].id, error);
    if (sim->slots.home[now] == slot) {
        base->slot_step[slot] = base->index;
    } else {
        if (sim->slots.home[1 - now] == slot) bring_home(sim, 1 - now);
        const piola_status rc = sim_save(base, slot, sim->particles.state[now].id, error);
        if (rc) return rc;
        sim->slots.held[slot] = 0;
        borrow(sim, now, slot);
    }
    if (!(sim->slots.held[slot] & HELD_START)) keep_start(sim, slot);
    return sim_failed(base, error);
}

piola_status mpm_whole_load(mpm_sim *sim, int64_t slot, piola_error *error)
{
    pio_sim *base = &sim->base;
    const int now = sim->particles.current;
    if (!stays(sim) || slot < 0 || slot >= base->n_slots || base->slot_step[slot] < 0)
        return sim_load(base, slot, sim->particles.state[now].id, error);
    borrow(sim, now, slot);
    mpm_own_next(sim);
    base->index = base->slot_step[slot];
    if (sim->slots.held[slot] & HELD_START) {
        pio_queue_copy(&base->queue, sim->grid.lists.start, slot_start(sim, slot), start_bytes(sim));
        mpm_list_blocks(sim);
        sim->slots.in_order = 1;
    }
    return sim_failed(base, error);
}

void *mpm_whole_own(mpm_sim *sim)
{
    if (stays(sim)) bring_home(sim, sim->particles.current);
    return sim->particles.state[sim->particles.current].id;
}

void mpm_whole_leave(mpm_sim *sim)
{
    if (!stays(sim)) return;
    bring_home(sim, sim->particles.current);
    if (sim->slots.behind == BEHIND_ALL)
        bring_home(sim, 1 - sim->particles.current);
    else
        mpm_own_next(sim);
    sim->slots.summed = -1;
}

mpm_state mpm_state_number(mpm_sim *sim, int64_t number)
{
    const int64_t after = sim->base.index - number;
    const int role = after % 2 == 0 ? sim->particles.current : 1 - sim->particles.current;
    if (after == 0 || !stays(sim)) return sim->particles.state[role];
    for (int64_t slot = 0; slot < sim->base.n_slots; slot++)
        if (sim->base.slot_step[slot] == number) return mpm_state_at(sim, sim_slot(&sim->base, slot));
    return sim->slots.own[role];
}

int mpm_sums_there(mpm_sim *sim)
{
    const int64_t slot = sim->slots.home[sim->particles.current];
    if (slot >= 0 && sim->slots.has_sums) {
        const int there = sim->slots.held[slot] & HELD_SUMS;
        sim->grid.node_sums = slot_sums(sim, slot);
        sim->slots.held[slot] |= HELD_SUMS;
        return there != 0;
    }
    const int there = sim->slots.summed == sim->base.index;
    sim->grid.node_sums = sim->slots.own_sums;
    sim->slots.summed = sim->base.index;
    return there;
}
