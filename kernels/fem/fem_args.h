/* fem_args.h -- what the arguments of all FEM kernels are made of: the mesh in blocks of one element type, the matter,
 * the step block, faults; and the arguments of the kernels of fem.h. */
#ifndef PIOLA_KERNELS_FEM_ARGS_H
#define PIOLA_KERNELS_FEM_ARGS_H

#include "kernels/base/base.h"
#include "kernels/fem/fem_element_args.h"
#include "kernels/material/laws.h"

/* Elements of one type. Elements, element nodes and node pairs are numbered over all blocks. */
typedef struct {
    fem_rule rule;
    int n;                  /* elements */
    int first;              /* number of its first element */
    int first_element_node; /* number of its first element node */
    const int *node;        /* [n][nodes] */
    const real *rest;       /* [nodes of the mesh][DIM] X, m */
    const real *thick;      /* [elements of the mesh] thickness m; NULL in 3D */
} fem_block;

/* Per element of the mesh, constant during a run. */
typedef struct {
    int elements;
    const int *law;      /* [elements] HYPER_... */
    const real *k;       /* [HYPER_CONSTANTS][elements], see hyperelastic.h */
    const real *density; /* [elements] kg/m^3 */
} fem_matter;

/* What changes from step to step; lives on the device. */
typedef struct {
    int64_t index;     /* number of the step, 0 .. steps-1 */
    uint64_t fault;    /* FEM_NONE, or the smallest key of a fault: step, item, kind */
    double t;          /* s, at the end of the step */
    wide gravity[DIM]; /* m/s^2 */
} fem_step;

enum { FEM_INVERTED_REST, FEM_CONSTANT, FEM_INADMISSIBLE, FEM_NOT_FINITE, FEM_OFF_LATTICE };

#define FEM_NONE UINT64_MAX

/* Of an element or a node, in a step; the smallest is the earliest. */
PIO_FN uint64_t fem_fault_at(int64_t step, int item, int kind)
{
    return ((uint64_t)step << 36) | ((uint64_t)item << 4) | (uint64_t)kind;
}

/* Returns the key of a fault of an element before the first step. */
PIO_FN uint64_t fem_fault_key(int element, int kind)
{
    return fem_fault_at(0, element, kind);
}

/* Assembles an element vector: each node adds the numbers of its element nodes in a fixed order. One item for each
 * node. */
typedef struct {
    const int *start;        /* [nodes + 1] */
    const int *element_node; /* [start[nodes]] ascending per node */
    const real *in;          /* [element nodes][DIM] */
    real scale;
    real *out; /* [nodes][DIM]; added to */
} fem_node_sum_args;

/* out = a x + b y; out may be x or y */
typedef struct {
    real a, b;
    const real *x, *y; /* [nodes][DIM] */
    real *out;         /* [nodes][DIM]; set */
} point_axpby_args;

/* Terms of the product of two nodal vectors, one for each node. */
typedef struct {
    const real *x, *y; /* [nodes][DIM] */
} point_dot_args;

/* The acceleration of gravity at every node, or the unit vector of an axis. */
typedef struct {
    const fem_step *step;
    int axis;  /* -1: gravity */
    real *out; /* [nodes][DIM] m/s^2, or 1; set */
} point_uniform_args;

/* out = x / sqrt(m), each component */
typedef struct {
    const real *x, *m; /* [nodes][DIM]; m > 0 */
    real *out;         /* [nodes][DIM]; set, may be x */
} point_over_root_args;

/* x = value + noise times numbers in [-1, 1) that are a fixed function of the place (Steele, Lea and Flood 2014:
 * SplitMix). */
typedef struct {
    wide value, noise;
    real *x; /* [nodes][DIM]; set */
} point_set_args;

/* One component of a nodal vector as doubles, out = y + scale x: one item for each node. */
typedef struct {
    int component;
    double scale;
    const real *x, *y; /* [nodes][DIM]; y may be NULL: zero */
    double *out;       /* [nodes]; set */
} point_read_args;

/* The reverse of point_read without sum and scale: one component of a nodal vector, from doubles. */
typedef struct {
    int component;
    const double *in; /* [nodes] */
    real *x;          /* [nodes][DIM]; one component set */
} point_write_args;

#endif
