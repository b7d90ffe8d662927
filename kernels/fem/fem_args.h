/* fem_args.h -- what the arguments of all FEM kernels are made of: the mesh in blocks of one element type, the
 * material, the step block, faults; and the arguments of the kernels of fem.h. */
#ifndef PIOLA_KERNELS_FEM_ARGS_H
#define PIOLA_KERNELS_FEM_ARGS_H

#include "kernels/base/base.h"
#include "kernels/fem/fem_element_args.h"
#include "kernels/material/laws.h"

/* Elements of one type. Elements, element nodes and node pairs are numbered over all blocks. */
typedef struct {
    fem_rule rule;          /* the quadrature of its elements */
    int dilatations;        /* functions of the space of the dilatation, see element_dilatations; 0: it is that of F */
    int plane;              /* 2D: a pio_plane_state; of sheets whose laws are all linear PIO_PLANE_STRAIN. 3D: 0 */
    int n;                  /* elements */
    int first;              /* number of its first element */
    int first_element_node; /* number of its first element node */
    const int *node;        /* [n][nodes] numbers of its elements' nodes in the mesh, in the order of the type */
    const real *rest;       /* [nodes of the mesh][DIM] X, m */
    const real *thick;      /* [elements of the mesh] thickness m; NULL in 3D */
} fem_block;

/* Per element of the mesh, constant during a run. */
typedef struct {
    int elements;        /* of the mesh */
    const int *law;      /* [elements] a pio_hyper_law */
    const real *k;       /* [elements][PIO_LAW_CONSTANTS] constants of the law, see hyperelastic.h */
    const real *density; /* [elements] kg/m^3 */
    const real *heat;    /* [elements] thermal strain e = alpha Delta T, see hyperelastic_heat.h; NULL: 0 everywhere */
    /* [elements] relative density, which k and density have taken in already; NULL: 1 everywhere */
    const real *relative;
    const real *choice; /* [elements] likewise, the part of what is filled that is its own material; NULL: 1 */
} fem_matter;

/* What changes from step to step; lives on the device. */
typedef struct {
    int64_t index;     /* number of the step, 0 .. steps-1 */
    uint64_t fault;    /* FEM_NONE, or the smallest key of a fault: step, item, kind */
    double t;          /* s, at the end of the step */
    wide gravity[DIM]; /* m/s^2 */
} fem_step;

/* Kinds of faults: a volume at rest that is not positive; constants that the law does not allow; a deformation for
 * which the law is not defined; a state that is not finite; one that is out of the lattice's range; a ring beyond its
 * axis; a thermal strain of -1 or below; a relative density below 0; a point that would pass a surface. */
enum {
    FEM_INVERTED_REST,
    FEM_CONSTANT,
    FEM_INADMISSIBLE,
    FEM_NOT_FINITE,
    FEM_OFF_LATTICE,
    FEM_NEGATIVE_RADIUS,
    FEM_COLD,
    FEM_NOT_FILLED,
    FEM_PASSED
};

#define FEM_NONE UINT64_MAX /* no fault */

/* Returns the key of a fault of an element or a node, 2^36 step + 16 item + kind: the smallest is that of the earliest
 * step, and in a step that of the lowest item. 0 <= step < 2^28, item >= 0, 0 <= kind < 16. */
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
    const int *start;        /* [nodes + 1] where the element nodes of each node begin, and the last end */
    const int *element_node; /* [start[nodes]] numbers of element nodes, ascending per node */
    const real *in;          /* [element nodes][DIM] the element vectors */
    real scale;              /* what the sum is multiplied by */
    real *out;               /* [nodes][DIM]; added to */
} fem_node_sum_args;

/* Sets out = a x + b y; out may be x or y. One item for each node. */
typedef struct {
    real a, b;         /* the factors of x and of y */
    const real *x, *y; /* [nodes][DIM] the terms */
    real *out;         /* [nodes][DIM] the sum; set */
} point_axpby_args;

/* Terms of the product of two nodal vectors, one for each node. */
typedef struct {
    const real *x, *y; /* [nodes][DIM] the factors */
} point_dot_args;

/* The acceleration of gravity at every node, or the unit vector of an axis. */
typedef struct {
    const fem_step *step; /* its gravity is read */
    int axis;             /* 0 .. DIM-1, or -1: gravity */
    real *out;            /* [nodes][DIM] m/s^2, or 1; set */
} point_uniform_args;

/* Sets out = x / sqrt(m), each component: one item for each node. */
typedef struct {
    const real *x, *m; /* [nodes][DIM]; m kg, > 0 */
    real *out;         /* [nodes][DIM]; set, may be x */
} point_over_root_args;

/* Sets x = value + noise times numbers in [-1, 1) that are a fixed function of the place (Steele, Lea and Flood 2014:
 * SplitMix). One item for each node. */
typedef struct {
    wide value, noise; /* the mean, and the largest difference from it, in x's unit */
    real *x;           /* [nodes][DIM] the numbers; set */
} point_set_args;

/* One component of a nodal vector as doubles, out = y + scale x: one item for each node. */
typedef struct {
    int component;     /* 0 .. DIM-1 */
    int stride;        /* doubles from one node of out to the next */
    double scale;      /* of x */
    const real *x, *y; /* [nodes][DIM]; y may be NULL: zero */
    double *out;       /* [nodes][stride] in the unit of x, of which the first is set */
} point_read_args;

/* One component of a nodal vector from doubles, the inverse of point_read with y NULL and scale 1: one item for each
 * node. */
typedef struct {
    int component;    /* 0 .. DIM-1 */
    const double *in; /* [nodes] the numbers to store */
    real *x;          /* [nodes][DIM]; one component set */
} point_write_args;

#endif
