/* mpm_slot.h -- a saved state in less room than it has: the step that led to it, cut after the grid update.
 *
 * The end of a step (mpm_g2p.h) makes state n + 1 of the velocities v_i of the grid and of what mpm_fields.def does
 * not mark as made: place x_n and deformation F_n (fluids: J_n) of the particles. A compact slot stores these, the
 * particles in the order of their numbers, so that these need no room; F of solids and J of fluids only; and v_i of
 * the active nodes, in the order of the node list, which is a pure function of the cells. To load it is to sort the
 * particles and to run mpm_g2p: the same kernel with the same numbers, hence the same bits. */
#ifndef PIOLA_KERNELS_MPM_SLOT_H
#define PIOLA_KERNELS_MPM_SLOT_H

#include "kernels/mpm/mpm_slot_args.h"
#include "kernels/mpm/mpm_sort.h"

/* Whether a particle has a field, and where, among how many. */
typedef struct {
    int there, n, at;
} slot_place;

/* Returns place `at` of a field of n items, which a particle has unless `there` is 0. */
PIO_FN slot_place slot_place_of(int there, int n, int at)
{
    slot_place s;
    s.there = there;
    s.n = n;
    s.at = at;
    return s;
}

/* Copies stored particle i into the slot, in the order of ids: those of its fields that mpm_g2p does not make. */
PIO_FN void mpm_slot_put(int i, const mpm_slot_put_args *a)
{
    const mpm_slot *slot = &a->slot;
    const int id = a->s.id[i], fluid = law_is_fluid(slot->law[id]), at = slot->rank ? slot->rank[id] : id;
    const slot_place ALWAYS = slot_place_of(1, slot->n, id), SOLID = slot_place_of(!fluid, slot->solids, at);
    const slot_place FLUID = slot_place_of(fluid, slot->n - slot->solids, at);
    const slot_place PLASTIC = slot_place_of(!fluid && slot->plastic, slot->solids, at);
    const slot_place PLANE = slot_place_of(PLASTIC.there && DIM == 2, slot->solids, at);
#define MADE_INT_FIELD(name, unit, meaning)
#define MADE_FIELD(name, components, when, unit, meaning)
#define INT_FIELD(name, unit, meaning) slot->name[id] = a->s.name[i];
#define FIELD(name, components, when, unit, meaning)                                                                   \
    for (int c = 0; when.there && c < components; c++)                                                                 \
        slot->name[field_at(when.n, components, c, when.at)] = a->s.name[field_at(slot->n, components, c, i)];
#include "kernels/mpm/mpm_fields.def"
#undef INT_FIELD
#undef FIELD
}

/* Sets particle i of the state from the slot; it is stored in the order of ids. */
PIO_FN void mpm_slot_get(int i, const mpm_slot_get_args *a)
{
    const mpm_slot *slot = &a->slot;
    const int fluid = law_is_fluid(slot->law[i]), at = slot->rank ? slot->rank[i] : i;
    const slot_place ALWAYS = slot_place_of(1, slot->n, i), SOLID = slot_place_of(!fluid, slot->solids, at);
    const slot_place FLUID = slot_place_of(fluid, slot->n - slot->solids, at);
    const slot_place PLASTIC = slot_place_of(!fluid && slot->plastic, slot->solids, at);
    const slot_place PLANE = slot_place_of(PLASTIC.there && DIM == 2, slot->solids, at);
    a->s.id[i] = i;
#define MADE_INT_FIELD(name, unit, meaning)
#define MADE_FIELD(name, components, when, unit, meaning)
#define INT_FIELD(name, unit, meaning) a->s.name[i] = slot->name[i];
#define FIELD(name, components, when, unit, meaning)                                                                   \
    for (int c = 0; when.there && c < components; c++)                                                                 \
        a->s.name[field_at(slot->n, components, c, i)] = slot->name[field_at(when.n, components, c, when.at)];
#include "kernels/mpm/mpm_fields.def"
#undef INT_FIELD
#undef FIELD
}

/* Copies the velocity of active node i into the slot; item 0 checks the room. */
PIO_FN void mpm_slot_put_nodes(int i, const mpm_slot_put_nodes_args *a)
{
    const int node = a->l.node_list[i];
    for (int c = 0; c < DIM; c++)
        a->slot.grid[field_at(a->slot.room, DIM, c, i)] = a->velocity[field_at(a->nodes, DIM, c, node)];
    if (i == 0 && a->step->most_nodes > a->slot.room)
        atomic_min_u64(&a->step->fault, fault_key(a->step->index - 1, a->step->most_nodes, FAULT_ROOM));
}

/* Sets the velocity of active node i from the slot. */
PIO_FN void mpm_slot_get_nodes(int i, const mpm_slot_get_nodes_args *a)
{
    const int node = a->l.node_list[i];
    for (int c = 0; c < DIM; c++)
        a->velocity[field_at(a->nodes, DIM, c, node)] = a->slot.grid[field_at(a->slot.room, DIM, c, i)];
}

#endif
