/* mpm_sort.h -- which particles are in which cell: a counting sort, then ids put in order within each cell.
 *
 * The result, particles in the order (cell, id), is a pure function of the positions: it depends neither on history nor
 * on the number of threads. Integers only; piecewise constant in the positions, so there is no adjoint. */
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

/* Puts the particles of occupied cell number `slot` into ascending id, by insertion, since cells have few particles. */
PIO_FN void mpm_sort_ids(int slot, const mpm_sort_args *a)
{
    const int c = a->l.cell_list[slot], first = a->l.start[c], end = a->l.start[c + 1];
    int *order = a->l.order;
    for (int i = first + 1; i < end; i++) {
        const int p = order[i], id = a->id[p];
        int j = i;
        for (; j > first && a->id[order[j - 1]] > id; j--) order[j] = order[j - 1];
        order[j] = p;
    }
}

/* Returns 1 where cell i is occupied, else 0; cell_slot[] has the sums of those before each. */
PIO_FN int mpm_cell_slot(int i, const mpm_sort_args *a)
{
    return a->l.start[i + 1] > a->l.start[i];
}

/* Enters cell i into the list where it is occupied; the last cell sets their number. */
PIO_FN void mpm_cell_list(int i, const mpm_sort_args *a)
{
    const int slot = a->l.cell_slot[i];
    if (a->l.cell_slot[i + 1] > slot) a->l.cell_list[slot] = i;
    if (i == a->cells - 1) a->step->cells = a->l.cell_slot[a->cells];
}

/* Returns 1 where node i is active, one of the cells base = node - o, o in {0,1,2}^d, being occupied, else 0;
 * node_slot[] has the sums of those before each. Cells that are adjacent in the last axis have neighbouring numbers, so
 * three of them are one difference of start[]. */
PIO_FN int mpm_node_slot(int i, const mpm_sort_args *a)
{
    int index[DIM];
    node_index(&a->box, i, index);
    const int z = DIM - 1, back = index[z] < 2 ? index[z] : 2;
    const int planes = DIM == 3 ? (index[0] < 2 ? index[0] : 2) : 0;
    const int y = DIM - 2, rows = index[y] < 2 ? index[y] : 2;
    int occupied = 0;
    for (int p = 0; p <= planes; p++)
        for (int r = 0; r <= rows; r++) {
            const int c = i - p * (DIM == 3 ? a->box.stride[0] : 0) - r * a->box.stride[y];
            occupied |= a->l.start[c + 1] > a->l.start[c - back];
        }
    return occupied;
}

/* Enters node i into the list where it is active; the last node sets their number. */
PIO_FN void mpm_node_list(int i, const mpm_sort_args *a)
{
    const int slot = a->l.node_slot[i];
    if (a->l.node_slot[i + 1] > slot) a->l.node_list[slot] = i;
    if (i == a->cells - 1) a->step->nodes = a->l.node_slot[a->cells];
}

#endif
