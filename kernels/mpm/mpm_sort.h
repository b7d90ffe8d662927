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

/* PLACES(q, mask)  for each q that is set in the mask of places of a block, spread over the lanes. */
#if PIO_LANE_LOOPS
#define PLACES(q, mask)                                                                                                \
    for (uint64_t left_ = (mask); left_; left_ &= left_ - 1)                                                           \
        for (int q = first_bit(left_), once_ = 1; once_; once_ = 0)
#else
#define PLACES(q, mask)                                                                                                \
    LANES (q, BLOCK_NODES)                                                                                             \
        if ((mask) >> q & 1)
#endif

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

/* Two counts in one number of a scan, each below 2^31: what a block has, and 1 where it is entered in a list. */
PIO_FN uint64_t scan_pair(int first, int second)
{
    return (uint64_t)second << 31 | (uint64_t)first;
}

/* Returns the first of the two counts in a sum of such numbers. */
PIO_FN int scan_first(uint64_t pair)
{
    return (int)(pair & INT32_MAX);
}

/* Returns the second one. */
PIO_FN int scan_second(uint64_t pair)
{
    return (int)(pair >> 31);
}

/* Returns the number of particles in block i, and whether there are any; sets the mask of its occupied cells. */
PIO_FN uint64_t mpm_sort_start(int i, const mpm_sort_args *a)
{
    const int *count = a->l.count + (ptrdiff_t)i * BLOCK_NODES;
    uint64_t mask = 0;
    int particles = 0;
    for (int c = 0; c < BLOCK_NODES; c++) particles += count[c];
    for (int c = 0; particles && c < BLOCK_NODES; c++) mask |= (uint64_t)(count[c] > 0) << c;
    a->l.occupied[i] = mask;
    return scan_pair(particles, particles > 0);
}

/* Sets where the particles of each cell of block i begin, and its slot in the list of occupied blocks; beyond the last
 * block the ends of both. */
PIO_FN void mpm_sort_start_put(int i, uint64_t before, const mpm_sort_args *a)
{
    const int *count = a->l.count + (ptrdiff_t)i * BLOCK_NODES;
    int *start = a->l.start + (ptrdiff_t)i * BLOCK_NODES, at = scan_first(before);
    a->l.block_slot[i] = scan_second(before);
    start[0] = at;
    if (i == a->cells / BLOCK_NODES) return;
    if (!a->l.occupied[i]) {
        for (int c = 1; c < BLOCK_NODES; c++) start[c] = at;
        return;
    }
    for (int c = 1; c < BLOCK_NODES; c++) start[c] = at += count[c - 1];
}

/* Puts stored particle i into any free place of its cell, from the last to the first; count[] ends at 0. */
PIO_FN void mpm_sort_place(int i, const mpm_sort_args *a)
{
    const int c = a->cell[i];
    a->l.order[a->l.start[c] + atomic_add_int(&a->l.count[c], -1) - 1] = i;
}

/* Sets the number of particles of cell i to what the starts of cells say. */
PIO_FN void mpm_sort_restore(int i, const mpm_sort_args *a)
{
    a->l.count[i] = a->l.start[i + 1] - a->l.start[i];
}

/* ---- by exceptions: particles are stored in the order that the lists have, `cell` is where they are now, and count[]
 * has how many were in each cell ---- */

typedef struct {
    int none; /* nothing is shared */
} mpm_sort_leave_shared;

/* Counts the particles stored at places first .. end - 1, those of cell c, that are in other cells now, there. */
PIO_FN void cell_leave(const mpm_sort_args *a, int c, int first, int end)
{
    int left = 0;
    for (int p = first; p < end; p++) {
        const int d = a->cell[p];
        if (d == c) continue;
        atomic_add_int(&a->l.count[d], 1);
        left++;
    }
    if (left) atomic_add_int(&a->l.count[c], -left);
}

/* Keeps where the particles of the cells of occupied block number `slot` begin, and counts those that leave them in
 * their new cells. Blocks of the list ascend, so that the next one begins where this one ends. */
PIO_FN void mpm_sort_leave(int slot, mpm_sort_leave_shared *sh, const mpm_sort_args *a)
{
    const int block = a->l.block_list[slot], first = block * BLOCK_NODES;
    const int *start = a->l.start + first;
    int *before = a->before + (ptrdiff_t)slot * BLOCK_NODES;
    const uint64_t open = a->l.occupied[block] & ~a->l.settled[block];
    (void)sh;
    LANES (c, BLOCK_NODES) before[c] = start[c];
    LANES (j, 1)
        if (slot == a->step->blocks - 1) before[BLOCK_NODES] = start[BLOCK_NODES];
    if (!open) return;
    PLACES(c, open) cell_leave(a, first + c, start[c], start[c + 1]);
}

typedef struct {
    int none; /* nothing is shared */
} mpm_sort_stay_shared;

/* Puts the particles stored at places p .. end - 1, those of cell c, that stay there first, in their order, and the
 * others into any free place of their new cells, from the last to the first. */
PIO_FN void cell_stay(const mpm_sort_args *a, int c, int p, int end)
{
    int place = a->l.start[c];
    for (; p < end; p++) {
        const int d = a->cell[p];
        if (d == c)
            a->l.order[place++] = p;
        else
            a->l.order[a->l.start[d] + atomic_add_int(&a->l.count[d], -1) - 1] = p;
    }
}

/* Places the particles that were in the cells of block number `slot` of the list that there was; count[] ends at the
 * number of those that stayed, where others came. A block that no particle leaves, and that has as many as before,
 * keeps its order. */
PIO_FN void mpm_sort_stay(int slot, mpm_sort_stay_shared *sh, const mpm_sort_args *a)
{
    const int first = a->l.block_list[slot] * BLOCK_NODES;
    const int *start = a->l.start + first, *before = a->before + (ptrdiff_t)slot * BLOCK_NODES;
    const int from = before[0], all = before[BLOCK_NODES] - from, to = start[0];
    const uint64_t settled = a->l.settled[first / BLOCK_NODES];
    (void)sh;
    if (!~settled && start[BLOCK_NODES] - to == all) {
        LANES (j, all) a->l.order[to + j] = from + j;
        return;
    }
    LANES (c, BLOCK_NODES) {
        const int p = before[c], end = before[c + 1];
        if (p == end) continue;
        if (settled >> c & 1)
            for (int j = 0; j < end - p; j++) a->l.order[start[c] + j] = p + j;
        else
            cell_stay(a, first + c, p, end);
    }
}

typedef struct {
    int none; /* nothing is shared */
} mpm_sort_ids_shared;

/* Puts the particles at places first .. end - 1 of the order into ascending id, by insertion, since cells have few
 * particles; the first `done` of them are in order. */
PIO_FN void cell_ids(const mpm_sort_args *a, int first, int end, int done)
{
    int *order = a->l.order;
    for (int j = first + (done > 0 ? done : 1); j < end; j++) {
        const int p = order[j], id = a->id[p];
        int k = j;
        for (; k > first && a->id[order[k - 1]] > id; k--) order[k] = order[k - 1];
        order[k] = p;
    }
}

/* Puts the particles of the cells of occupied block number `slot` into ascending id; count[] has how many of each are
 * in order, and then the number of particles again. */
PIO_FN void mpm_sort_ids(int slot, mpm_sort_ids_shared *sh, const mpm_sort_args *a)
{
    const ptrdiff_t block = (ptrdiff_t)a->l.block_list[slot] * BLOCK_NODES;
    const int *start = a->l.start + block;
    int *count = a->l.count + block, some = 0;
    (void)sh;
    LANES (c, BLOCK_NODES) some |= start[c + 1] - start[c] - count[c];
    if (!some) return; /* in no cell of this lane */
    LANES (c, BLOCK_NODES) {
        const int particles = start[c + 1] - start[c];
        if (count[c] == particles) continue;
        cell_ids(a, start[c], start[c + 1], count[c]);
        count[c] = particles;
    }
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

/* Returns the number of the block that is k's bits before another along the axes, as if that were in the grid. */
PIO_FN int block_less(const mpm_box *box, int block, int k)
{
    PIO_UNROLL
    for (int c = 0; c < DIM; c++) block -= (k >> c & 1) * (box->stride[c] / BLOCK_NODES);
    return block;
}

/* Sets the masks of the occupied cells of a block and of those before it along each axis, bits of the number; 0 outside
 * the grid. Returns whether any is not 0. */
PIO_FN int blocks_before(const mpm_sort_args *a, int block, uint64_t near[1 << DIM])
{
    int index[DIM];
    uint64_t any = 0;
    PIO_UNROLL_ALL
    for (int k = 0; k < 1 << DIM; k++) {
        const int other = block_less(&a->box, block, k);
        near[k] = other < 0 ? 0 : a->l.occupied[other];
        any |= near[k];
    }
    if (!any) return 0;
    node_index(&a->box, block * BLOCK_NODES, index);
    PIO_UNROLL_ALL
    for (int k = 0; k < 1 << DIM; k++) {
        PIO_UNROLL
        for (int c = 0; c < DIM; c++)
            if ((k >> c & 1) && index[c] < BLOCK_EDGE) near[k] = 0;
    }
    return 1;
}

/* Returns how many nodes of block i are active; sets their mask. */
PIO_FN uint64_t mpm_active_slot(int i, const mpm_sort_args *a)
{
    uint64_t near[1 << DIM];
    a->l.active[i] = 0;
    if (!blocks_before(a, i, near)) return 0;
    PIO_UNROLL
    for (int c = DIM - 1; c >= 0; c--) {
        for (int k = 0; k < 1 << c; k++) near[k] = mask_grown(c, near[k], near[k | 1 << c]);
    }
    a->l.active[i] = near[0];
    return (uint64_t)bits_set(near[0]);
}

/* Enters the active nodes of block i into the list, and the block into that of occupied ones; beyond the last block
 * sets how many both are, 0 after a fault. */
PIO_FN void mpm_active_slot_put(int i, uint64_t before, const mpm_sort_args *a)
{
    const int slot = a->l.block_slot[i];
    int at = (int)before;
    a->l.active_slot[i] = at;
    if (i == a->cells / BLOCK_NODES) {
        a->step->blocks = a->step->particles ? slot : 0;
        a->step->nodes = a->step->particles ? at : 0;
        return;
    }
    if (a->l.occupied[i]) a->l.block_list[slot] = i;
    for (uint64_t left = a->l.active[i]; left; left &= left - 1)
        a->l.node_list[at++] = i * BLOCK_NODES + first_bit(left);
}

#endif
