/* mpm_sort.h -- which particles are in which cell: a counting sort, then ids put in order within each cell.
 *
 * The result, particles in the order (block, cell, id), is a pure function of the positions: it depends neither on
 * history nor on the number of threads. Integers only; piecewise constant in the positions, so there is no adjoint. */
#ifndef PIOLA_KERNELS_MPM_SORT_H
#define PIOLA_KERNELS_MPM_SORT_H

#include "kernels/mpm/mpm_sort_args.h"
#include "kernels/mpm/mpm.h"

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

/* Puts the particles of cell i into ascending id, by insertion, since cells have few particles. */
PIO_FN void mpm_sort_ids(int i, const mpm_sort_args *a)
{
    const int first = a->l.start[i], end = a->l.start[i + 1];
    int *order = a->l.order;
    for (int j = first + 1; j < end; j++) {
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

/* Enters block i into the list where it has an occupied cell; the last block sets their number. */
PIO_FN void mpm_block_list(int i, const mpm_sort_args *a)
{
    const int slot = a->l.block_slot[i], blocks = a->cells / BLOCK_NODES;
    if (a->l.block_slot[i + 1] > slot) a->l.block_list[slot] = i;
    if (i == blocks - 1) a->step->blocks = a->l.block_slot[blocks];
}

/* ---- active nodes: node o is active if one of the cells base = o - k, k in {0,1,2}^d, is occupied. The masks of
 * cells grow along one axis after the other, into the next block too. */

/* Returns the mask of the places of a block whose index along an axis is k. */
PIO_FN uint64_t places_at(int axis, int k)
{
    const int step = BLOCK_BITS * (DIM - 1 - axis);
    const uint64_t first = step == 0   ? UINT64_C(0x1111111111111111)
                           : step == 2 ? UINT64_C(0x000f000f000f000f)
                                       : UINT64_C(0xffff);
    const uint64_t all = DIM == 3 ? ~UINT64_C(0) : UINT64_C(0xffff);
    return (first & all) << (k << step);
}

/* Returns the mask of the places in a block that are 0, 1 or 2 after those in its mask `own` and in that of the block
 * `before` it along an axis. */
PIO_FN uint64_t mask_grown(int axis, uint64_t own, uint64_t before)
{
    const int step = 1 << BLOCK_BITS * (DIM - 1 - axis);
    const uint64_t last = places_at(axis, 3), last_two = last | places_at(axis, 2);
    return own | (own & ~last) << step | (own & ~last_two) << 2 * step | (before & last) >> 3 * step |
           (before & last_two) >> 2 * step;
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

/* Returns 1 where node i is active, else 0; node_slot[] has the sums of those before each. */
PIO_FN int mpm_node_slot(int i, const mpm_sort_args *a)
{
    return a->l.active[i / BLOCK_NODES] >> i % BLOCK_NODES & 1;
}

/* Enters node i into the list where it is active; the last node sets their number. */
PIO_FN void mpm_node_list(int i, const mpm_sort_args *a)
{
    const int slot = a->l.node_slot[i];
    if (a->l.node_slot[i + 1] > slot) a->l.node_list[slot] = i;
    if (i == a->cells - 1) a->step->nodes = a->l.node_slot[a->cells];
}

#endif
