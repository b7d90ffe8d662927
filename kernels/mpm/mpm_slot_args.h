/* mpm_slot_args.h -- what launches pass to the kernels of mpm_slot.h. */
#ifndef PIOLA_KERNELS_MPM_SLOT_ARGS_H
#define PIOLA_KERNELS_MPM_SLOT_ARGS_H

#include "kernels/mpm/mpm_args.h"
#include "kernels/mpm/mpm_sort_args.h"

/* A compact slot, of which a field has the items that need it: n, those of solids or those of fluids. */
typedef struct {
    int n, solids;  /* particles; those of solids */
    int room;       /* active nodes that fit */
    int plastic;    /* some particles are; then all solids have what those have */
    const int *law; /* [n] */
    /* [n] number of a solid among the solids, of a fluid among the fluids; NULL: all are of one kind */
    const int *rank;
#define MADE_INT_FIELD(name, unit, meaning)
#define MADE_FIELD(name, components, when, unit, meaning)
#define INT_FIELD(name, unit, meaning) int *name;
#define FIELD(name, components, when, unit, meaning) real *name;
#include "kernels/mpm/mpm_fields.def"
#undef INT_FIELD
#undef FIELD
    real *grid; /* [room][DIM] v_i of the active nodes, m/s */
} mpm_slot;

/* One stored particle of the state at the beginning of the step, into the slot. */
typedef struct {
    mpm_state s;   /* [n][.] */
    mpm_slot slot; /* set */
} mpm_slot_put_args;

/* Particle i out of the slot; the state is stored in the order of the numbers. Its made fields but the number are not
 * set. */
typedef struct {
    mpm_state s;   /* [n][.]; set */
    mpm_slot slot; /* what is read */
} mpm_slot_get_args;

/* Number i of the active nodes, as many as there is room for. Where a state of this run, this one or one before it, had
 * more, that is a fault, and says how many. */
typedef struct {
    mpm_lists l;          /* of the step */
    mpm_step *step;       /* [1] its fault is lowered where there is too little room */
    int nodes;            /* of the box, those of all fields together */
    const real *velocity; /* [nodes][DIM] grid velocity, m/s */
    mpm_slot slot;        /* its `grid` is set */
} mpm_slot_put_nodes_args;

/* The grid velocity out of the slot, the inverse of mpm_slot_put_nodes: one item for each active node. */
typedef struct {
    mpm_lists l;    /* of the step */
    int nodes;      /* of the box, those of all fields together */
    mpm_slot slot;  /* its `grid` is read */
    real *velocity; /* [nodes][DIM]; set at active nodes */
} mpm_slot_get_nodes_args;

#endif
