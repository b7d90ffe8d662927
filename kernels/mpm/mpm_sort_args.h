/* mpm_sort_args.h -- what launches pass to the kernels of mpm_sort.h. */
#ifndef PIOLA_KERNELS_MPM_SORT_ARGS_H
#define PIOLA_KERNELS_MPM_SORT_ARGS_H

#include "kernels/mpm/mpm_args.h"

/* Cells and nodes share one linear numbering; arrays over them have box nodes entries (start and the slots one
 * more). */
typedef struct {
    int *count;     /* [cells]     particles in the cell; after placing, 0 again */
    int *start;     /* [cells + 1] first place of the cell in `order`; start[cells] = particles */
    int *order;     /* [n]         place -> where the particle is stored */
    int *cell_slot; /* [cells + 1] number of occupied cells before this one */
    int *cell_list; /* [occupied]  slot -> cell */
    int *node_slot; /* [nodes + 1] number of active nodes before this one */
    int *node_list; /* [active]    slot -> node; a node is active if a cell of its stencil is occupied */
} mpm_lists;

/* All stages of the sort have the same arguments: an item is a cell, a particle, a node, or an occupied cell, as the
 * kernel's comment says. */
typedef struct {
    mpm_lists l;     /* cells, nodes and the order of particles in this step */
    const int *cell; /* [n] cell of each stored particle */
    const int *id;   /* [n] its number */
    mpm_step *step;  /* [1] its numbers of occupied cells and active nodes are set */
    mpm_box box;     /* the grid and its walls */
    int cells;       /* nodes of the box */
} mpm_sort_args;

typedef mpm_sort_args mpm_sort_clear_args, mpm_sort_count_args, mpm_sort_start_args, mpm_sort_place_args,
    mpm_sort_ids_args, mpm_cell_slot_args, mpm_cell_list_args, mpm_node_slot_args, mpm_node_list_args;

#endif
