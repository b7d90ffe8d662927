/* mpm_sort_args.h -- what launches pass to the kernels of mpm_sort.h. */
#ifndef PIOLA_KERNELS_MPM_SORT_ARGS_H
#define PIOLA_KERNELS_MPM_SORT_ARGS_H

#include "kernels/mpm/mpm_args.h"

/* Cells and nodes share one numbering, block after block; arrays over them have an entry for each number (start and the
 * slots one more). Bit c of a mask is that of cell or node c of a block. */
typedef struct {
    int *count; /* [cells]      particles in the cell; after placing, so many of them are in order, until all are */
    int *start; /* [cells + 1]  first place of the cell in `order`; start[cells] = particles */
    int *order; /* [n]          place -> where the particle is stored */
    uint64_t *occupied; /* [blocks]     mask of the cells that have particles */
    uint64_t *settled;  /* [blocks]     mask of cells that no particle has left in the step to the current state, as far
                         * as known: set by mpm_g2p for occupied blocks */
    uint64_t *active;   /* [blocks]     mask of the active nodes: a cell of their stencil is occupied */
    int *block_slot;    /* [blocks + 1] number of occupied blocks before this one */
    int *block_list;    /* [occupied]   slot -> block */
    int *active_slot;   /* [blocks + 1] number of active nodes before those of this one */
    int *node_list;     /* [active]     slot -> node */
} mpm_lists;

/* All stages of the sort have the same arguments: an item is a cell, a particle, or a block, as the kernel's
 * comment says. */
typedef struct {
    mpm_lists l;     /* cells, blocks, nodes and the order of particles in this step */
    const int *cell; /* [n] cell of each stored particle */
    const int *id;   /* [n] its number */
    mpm_step *step;  /* [1] its numbers of occupied blocks and of active nodes are set */
    mpm_box box;     /* the grid and its walls */
    int cells;       /* numbers of cells: BLOCK_NODES for each block */
    int *before;     /* [occupied cells + 1] first place of each cell of the block list in the order before this one;
                      * of a full sort NULL */
} mpm_sort_args;

typedef mpm_sort_args mpm_sort_clear_args, mpm_sort_count_args, mpm_sort_start_args, mpm_sort_place_args,
    mpm_sort_restore_args, mpm_sort_leave_args, mpm_sort_stay_args, mpm_sort_ids_args, mpm_active_slot_args;

#endif
