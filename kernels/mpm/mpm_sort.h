/* mpm_sort.h -- which particles are in which cell: a counting sort, then ids put in order within each cell. Where the
 * particles are stored in the order of the step before, those that stay in their cell keep their order, and only the
 * others are counted, placed and put in order one by one.
 *
 * The result, particles in the order (block, cell, id), is a pure function of the positions: it depends neither on
 * history nor on the number of threads. Integers only; piecewise constant in the positions, so there is no adjoint. */
#ifndef PIOLA_KERNELS_MPM_SORT_H
#define PIOLA_KERNELS_MPM_SORT_H

#include "kernels/mpm/mpm_sort_args.h"
#include "kernels/mpm/mpm.h"

/* Returns 1 where a node is active, else 0. */
PIO_FN int node_is_active(const mpm_lists *l, int node)
{
    return l->active[node / BLOCK_NODES] >> node % BLOCK_NODES & 1;
}

/* Sets the number of particles of cell i to 0. */
PIO_FN void mpm_sort_clear(int i, const mpm_sort_args *a)
{
    a->l.count[i] = 0;
}

/* Counts stored particle i in its cell. */
PIO_FN void mpm_sort_count(int i, const mpm_sort_args *a)
{
    atomic_add_int(&a->l.count[a->cell[i]], 1);
}

/* Returns the number of particles in cell i; start[] has the sums of those before each. */
PIO_FN int mpm_sort_start(int i, const mpm_sort_args *a)
{
    return a->l.count[i];
}

/* Puts stored particle i into any free place of its cell, from the last to the first; count[] ends at 0. */
PIO_FN void mpm_sort_place(int i, const mpm_sort_args *a)
{
    const int c = a->cell[i];
    a->l.order[a->l.start[c] + atomic_add_int(&a->l.count[c], -1) - 1] = i;
}

/* ---- by exceptions: particles are stored in the order that the lists have, and `cell` is where they are now ---- */

/* Returns cell i of the blocks of the list. */
PIO_FN int listed_cell(int i, const mpm_lists *l)
{
    return l->block_list[i / BLOCK_NODES] * BLOCK_NODES + i % BLOCK_NODES;
}

/* Returns 1 where cell i of the blocks of the list is known to keep its particles. */
PIO_FN int listed_settled(int i, const mpm_lists *l)
{
    return l->settled[l->block_list[i / BLOCK_NODES]] >> i % BLOCK_NODES & 1;
}

/* Keeps where the particles of cell i of the list begin, and counts them. Blocks of the list ascend, so that the next
 * cell begins where this one ends. */
PIO_FN void mpm_sort_keep(int i, const mpm_sort_args *a)
{
    const int c = listed_cell(i, &a->l), first = a->l.start[c], end = a->l.start[c + 1];
    a->before[i] = first;
    a->l.count[c] = end - first;
    if (i == a->step->cells - 1) a->before[i + 1] = end;
}

/* Counts the particles that leave cell i of the list in their new cells. */
PIO_FN void mpm_sort_leave(int i, const mpm_sort_args *a)
{
    const int c = listed_cell(i, &a->l), end = a->before[i + 1];
    int left = 0;
    if (listed_settled(i, &a->l)) return;
    for (int p = a->before[i]; p < end; p++) {
        const int d = a->cell[p];
        if (d == c) continue;
        atomic_add_int(&a->l.count[d], 1);
        left++;
    }
    if (left) atomic_add_int(&a->l.count[c], -left);
}

/* Puts the particles that stay in cell i of the list first, in their order, and those that leave into any free place of
 * their new cells, from the last to the first; count[] ends at the number of those that stayed. */
PIO_FN void mpm_sort_stay(int i, const mpm_sort_args *a)
{
    const int c = listed_cell(i, &a->l), end = a->before[i + 1];
    int place = a->l.start[c];
    if (listed_settled(i, &a->l)) {
        for (int p = a->before[i]; p < end; p++) a->l.order[place++] = p;
        return;
    }
    for (int p = a->before[i]; p < end; p++) {
        const int d = a->cell[p];
        if (d == c)
            a->l.order[place++] = p;
        else
            a->l.order[a->l.start[d] + atomic_add_int(&a->l.count[d], -1) - 1] = p;
    }
}

/* Puts the particles of cell i of the list into ascending id, by insertion, since cells have few particles; the first
 * count[] of them are in order. */
PIO_FN void mpm_sort_ids(int i, const mpm_sort_args *a)
{
    const int c = listed_cell(i, &a->l), first = a->l.start[c], end = a->l.start[c + 1], done = a->l.count[c];
    int *order = a->l.order;
    for (int j = first + (done > 0 ? done : 1); j < end; j++) {
        const int p = order[j], id = a->id[p];
        int k = j;
        for (; k > first && a->id[order[k - 1]] > id; k--) order[k] = order[k - 1];
        order[k] = p;
    }
}

/* Sets the mask of the occupied cells of block i. */
PIO_FN void mpm_block_cells(int i, const mpm_sort_args *a)
{
    const int *start = a->l.start + (ptrdiff_t)i * BLOCK_NODES;
    uint64_t mask = 0;
    for (int c = 0; c < BLOCK_NODES; c++) mask |= (uint64_t)(start[c + 1] > start[c]) << c;
    a->l.occupied[i] = mask;
}

/* Returns 1 where block i has an occupied cell, else 0; block_slot[] has the sums of those before each. */
PIO_FN int mpm_block_slot(int i, const mpm_sort_args *a)
{
    return a->l.occupied[i] != 0;
}

/* Enters block i into the list where it has an occupied cell; the last block sets their number, 0 after a fault. */
PIO_FN void mpm_block_list(int i, const mpm_sort_args *a)
{
    const int slot = a->l.block_slot[i], blocks = a->cells / BLOCK_NODES;
    if (a->l.block_slot[i + 1] > slot) a->l.block_list[slot] = i;
    if (i < blocks - 1) return;
    a->step->blocks = a->step->particles ? a->l.block_slot[blocks] : 0;
    a->step->cells = a->step->blocks * BLOCK_NODES;
}

/* ---- active nodes: node o is active if one of the cells base = o - k, k in {0,1,2}^d, is occupied. The masks of
 * cells grow along one axis after the other, into the next block too. */

/* Returns the mask of the places of a block whose index along an axis is k. */
PIO_FN uint64_t places_at(int axis, int k)
{
    const int step = BLOCK_BITS * (DIM - 1 - axis);
    const uint64_t all = ~UINT64_C(0);
    uint64_t first = (all >> (BLOCK_NODES - (1 << step))); /* the places of one row, plane, ... */
    for (int at = BLOCK_EDGE << step; at < BLOCK_NODES; at <<= 1) first |= first << at;
    return first << (k << step);
}

/* Returns the mask of the places in a block that are 0, 1 or 2 after those in its mask `own` and in that of the block
 * `before` it along an axis. */
PIO_FN uint64_t mask_grown(int axis, uint64_t own, uint64_t before)
{
    const int step = 1 << BLOCK_BITS * (DIM - 1 - axis);
    const uint64_t last = places_at(axis, BLOCK_EDGE - 1), last_two = last | places_at(axis, BLOCK_EDGE - 2);
    return own | (own & ~last) << step | (own & ~last_two) << 2 * step | (before & last) >> (BLOCK_EDGE - 1) * step |
           (before & last_two) >> (BLOCK_EDGE - 2) * step;
}

/* Returns the mask of the occupied cells of a block less k[a] blocks along each axis; 0 outside the grid. */
PIO_FN uint64_t block_before(const mpm_sort_args *a, int block, const int index[DIM], const int k[DIM])
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) {
        if (k[c] && index[c] < BLOCK_EDGE) return 0;
        block -= k[c] * (a->box.stride[c] / BLOCK_NODES);
    }
    return a->l.occupied[block];
}

/* Returns the mask of a block less k[a] blocks along each axis but the last, grown along the last. */
PIO_FN uint64_t grown_along_last(const mpm_sort_args *a, int block, const int index[DIM], int k[DIM])
{
    k[DIM - 1] = 0;
    const uint64_t own = block_before(a, block, index, k);
    k[DIM - 1] = 1;
    return mask_grown(DIM - 1, own, block_before(a, block, index, k));
}

/* Sets the mask of the active nodes of block i. */
PIO_FN void mpm_block_active(int i, const mpm_sort_args *a)
{
    int index[DIM], k[DIM];
    uint64_t rows[2], planes[2] = {0, 0};
    node_index(&a->box, i * BLOCK_NODES, index);
    for (int p = 0; p < (DIM == 3 ? 2 : 1); p++) {
        k[0] = p;
        for (int r = 0; r < 2; r++) {
            k[DIM - 2] = r;
            rows[r] = grown_along_last(a, i, index, k);
        }
        planes[p] = mask_grown(DIM - 2, rows[0], rows[1]);
    }
    a->l.active[i] = DIM == 3 ? mask_grown(0, planes[0], planes[1]) : planes[0];
}

/* Returns how many nodes of block i are active; active_slot[] has the sums of those before each. */
PIO_FN int mpm_active_slot(int i, const mpm_sort_args *a)
{
    return bits_set(a->l.active[i]);
}

/* Enters the active nodes of block i into the list; the last block sets their number, 0 after a fault. */
PIO_FN void mpm_node_list(int i, const mpm_sort_args *a)
{
    const int blocks = a->cells / BLOCK_NODES;
    const uint64_t active = a->l.active[i];
    int slot = a->l.active_slot[i];
    for (int q = 0; q < BLOCK_NODES && active >> q; q++)
        if (active >> q & 1) a->l.node_list[slot++] = i * BLOCK_NODES + q;
    if (i == blocks - 1) a->step->nodes = a->step->particles ? a->l.active_slot[blocks] : 0;
}

#endif
