/* mpm_slot.c -- compact slots (kernels/mpm/mpm_slot.h): their layout, and how states go in and come out.
 *
 * State 0 takes none of its slot's room: it is made again of the design, which start() has left on the device. Any
 * other state can be kept while the step that led to it is still there, just after it has run or been loaded. */
#include "solvers/mpm/mpm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `bytes` after *used, which then are used too, at a multiple of 256; NULL without memory. */
static void *take(char *base, size_t *used, size_t bytes)
{
    const size_t at = *used;
    *used += (bytes + 255) & ~(size_t)255;
    return base ? base + at : NULL;
}

/* The arrays of a slot that begins at `base`; its bytes. */
static size_t lay(const mpm_sim *sim, int room, char *base, mpm_slot *slot)
{
    const int ALWAYS = sim->particles.n, SOLID = sim->slots.solids, FLUID = sim->particles.n - sim->slots.solids;
    const int PLASTIC = sim->plastic.used ? SOLID : 0, PLANE = DIM == 2 ? PLASTIC : 0;
    size_t used = 0;
    *slot = (mpm_slot){.n = sim->particles.n,
                       .solids = sim->slots.solids,
                       .plastic = sim->plastic.used,
                       .room = room,
                       .law = sim->material.law,
                       .rank = sim->slots.rank};
#define MADE_INT_FIELD(name, unit, meaning)
#define MADE_FIELD(name, components, when, unit, meaning)
#define INT_FIELD(name, unit, meaning) slot->name = take(base, &used, sizeof(int) * (size_t)sim->particles.n);
#define FIELD(name, components, when, unit, meaning)                                                                   \
    slot->name = take(base, &used, sizeof(real) * field_size(when, components));
#include "kernels/mpm/mpm_fields.def"
#undef INT_FIELD
#undef FIELD
    slot->grid = take(base, &used, sizeof(real) * field_size(room, DIM));
    return used;
}

void mpm_slot_layout(mpm_sim *sim, const pio_engine_desc *desc, size_t whole)
{
    const int64_t nodes = desc->slot_nodes < sim->grid.nodes ? desc->slot_nodes : sim->grid.nodes;
    mpm_slot slot;
    sim->slots.node_room = 0;
    sim->base.slot_bytes = whole;
    if (nodes < 1 || desc->reversible || sim->flip.used)
        return; /* FLIP needs the velocities that a compact slot leaves out */
    const size_t compact = lay(sim, (int)nodes, NULL, &slot);
    if (compact >= whole) return;
    sim->slots.node_room = (int)nodes;
    sim->base.slot_bytes = compact;
    if (sim->particles.has_solid && sim->particles.has_fluid) TAKE(&sim->base.arena, sim->slots.rank, sim->particles.n);
}

piola_status mpm_slot_upload(mpm_sim *sim, const pio_engine_desc *desc, piola_error *error)
{
    int count[2] = {0, 0};
    if (!sim->slots.rank) return PIOLA_OK;
    int *rank = malloc(sizeof *rank * (size_t)sim->particles.n);
    if (!rank) return sim_fail(error, PIOLA_NO_MEMORY, "no host memory for %d particles", sim->particles.n);
    for (int i = 0; i < sim->particles.n; i++) rank[i] = count[law_is_fluid(desc->particles.law[i])]++;
    pio_queue_upload(&sim->base.queue, sim->slots.rank, rank, sizeof *rank * (size_t)sim->particles.n);
    free(rank);
    return pio_queue_failed(&sim->base.queue) ? sim_failed(&sim->base, error) : PIOLA_OK;
}

/* The number of the base node of a place in its grid, the last axis fastest; -1 outside. */
static int64_t base_of(const mpm_box *box, const double x[DIM])
{
    int64_t at = 0;
    for (int a = 0; a < DIM; a++) {
        const double b = floor((x[a] - box->origin[a]) / (double)box->dx - 0.5);
        if (!(b >= 0 && b <= box->nodes[a] - 3)) return -1;
        at = at * box->nodes[a] + (int64_t)b;
    }
    return at;
}

/* Nodes 0, 1 and 2 beyond an occupied cell along each axis. No cell is nearer than 3 nodes to the end of its row. */
int64_t mpm_slot_nodes(const mpm_sim *sim, const pio_engine_desc *desc)
{
    const mpm_box *box = &sim->grid.box;
    int64_t one = 1, step = 1, count = 0;
    for (int a = 0; a < DIM; a++) one *= box->nodes[a];
    const int64_t nodes = one * box->fields;
    char *active = desc->adjoint && !desc->reversible ? calloc((size_t)nodes, 1) : NULL;
    for (int i = 0; active && i < sim->particles.n; i++) {
        const int64_t base = base_of(box, desc->particles.position + (ptrdiff_t)i * DIM);
        if (base >= 0) active[base + (desc->particles.fields > 1 ? desc->particles.field[i] * one : 0)] = 1;
    }
    for (int a = DIM - 1; active && a >= 0; step *= box->nodes[a--])
        for (int64_t i = nodes - 1; i >= step; i--)
            if (active[i - step] || (i >= 2 * step && active[i - 2 * step])) active[i] = 1;
    for (int64_t i = 0; active && i < nodes; i++) count += active[i];
    free(active);
    return count;
}

/* ---- moves ------------------------------------------------------------------------------------------------ */

static void set_index(mpm_sim *sim, int64_t index)
{
    sim->base.index = index;
    pio_map(&sim->base.queue, mpm_set_index, 1, NULL, .step = sim->step, .index = index);
}

/* The step that led to the current state, into the slot at `base`. */
static void put(mpm_sim *sim, char *base)
{
    pio_queue *q = &sim->base.queue;
    mpm_slot slot;
    lay(sim, sim->slots.node_room, base, &slot);
    pio_map(q, mpm_slot_put, sim->particles.n, &sim->step->particles,
            .s = sim->particles.state[1 - sim->particles.current], .slot = slot);
    pio_map(q, mpm_slot_put_nodes, slot.room, &sim->step->nodes, .l = sim->grid.lists, .step = sim->step,
            .nodes = sim->grid.nodes, .velocity = sim->grid.velocity, .slot = slot);
}

/* The end of the step at hand, which begins with the other state, once more. */
static void end_again(mpm_sim *sim)
{
    sim->particles.current = 1 - sim->particles.current;
    mpm_move(sim, 0);
    sim->particles.current = 1 - sim->particles.current;
}

/* State number `index` from the slot at `base`, which may lie in the memory of the current state. */
static void get(mpm_sim *sim, char *base, int64_t index)
{
    pio_queue *q = &sim->base.queue;
    mpm_slot slot;
    if (index == 0) {
        mpm_start_state(sim);
        set_index(sim, 0);
        return;
    }
    lay(sim, sim->slots.node_room, base, &slot);
    sim->particles.current = 1 - sim->particles.current;
    set_index(sim, index - 1);
    pio_map(q, mpm_slot_get, sim->particles.n, &sim->step->particles, .s = sim->particles.state[sim->particles.current],
            .slot = slot);
    mpm_sort(sim);
    pio_map(q, mpm_slot_get_nodes, slot.room, &sim->step->nodes, .l = sim->grid.lists, .nodes = sim->grid.nodes,
            .slot = slot, .velocity = sim->grid.velocity);
    mpm_move(sim, 0);
    sim->particles.current = 1 - sim->particles.current;
    set_index(sim, index);
    sim->slots.in_order = 1;
    sim->slots.behind = BEHIND_KEPT;
}

/* Returns PIOLA_INTERNAL if the current state cannot be kept, because the step that led to it is not in memory. */
static piola_status has_step(const mpm_sim *sim, piola_error *error)
{
    if (sim->base.index == 0 || sim->slots.behind != BEHIND_NOTHING) return PIOLA_OK;
    return sim_fail(error, PIOLA_INTERNAL, "state %lld cannot be kept: the step that led to it is not there",
                    (long long)sim->base.index);
}

piola_status mpm_slot_save(mpm_sim *sim, int64_t slot, piola_error *error)
{
    pio_sim *base = &sim->base;
    if (slot < 0 || slot >= base->n_slots) return sim_fail(error, PIOLA_INTERNAL, "no slot %lld", (long long)slot);
    const piola_status rc = has_step(sim, error);
    if (rc) return rc;
    if (base->index > 0) put(sim, sim_slot(&sim->base, slot));
    base->slot_step[slot] = base->index;
    return sim_failed(base, error);
}

piola_status mpm_slot_load(mpm_sim *sim, int64_t slot, piola_error *error)
{
    const pio_sim *base = &sim->base;
    if (slot < 0 || slot >= base->n_slots || base->slot_step[slot] < 0)
        return sim_fail(error, PIOLA_INTERNAL, "slot %lld holds no state", (long long)slot);
    get(sim, sim_slot(&sim->base, slot), base->slot_step[slot]);
    return sim_failed(base, error);
}

/* By way of the current state's memory, which then is made again. After a fault it could not be. */
piola_status mpm_slot_out(mpm_sim *sim, void *bytes, piola_error *error)
{
    char *memory = (char *)sim->particles.state[sim->particles.current].id;
    piola_status rc = mpm_check_fault(&sim->base, error);
    if (!rc) rc = has_step(sim, error);
    if (rc) return rc;
    memset(bytes, 0, sim->base.slot_bytes);
    if (sim->base.index == 0) return PIOLA_OK;
    put(sim, memory);
    pio_queue_download(&sim->base.queue, bytes, memory, sim->base.slot_bytes);
    end_again(sim);
    return sim_failed(&sim->base, error);
}

piola_status mpm_slot_in(mpm_sim *sim, const void *bytes, int64_t step, piola_error *error)
{
    char *memory = (char *)sim->particles.state[sim->particles.current].id;
    if (step > 0) pio_queue_upload(&sim->base.queue, memory, bytes, sim->base.slot_bytes);
    get(sim, memory, step);
    return sim_failed(&sim->base, error);
}

int64_t mpm_slot_needed(const pio_sim *sim)
{
    return ((const mpm_sim *)sim)->slots.nodes_needed;
}
