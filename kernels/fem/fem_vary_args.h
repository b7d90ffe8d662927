/* fem_vary_args.h -- what launches pass to the kernels of fem_vary.h. */
#ifndef PIOLA_KERNELS_FEM_VARY_ARGS_H
#define PIOLA_KERNELS_FEM_VARY_ARGS_H

#include "kernels/base/expression_args.h"
#include "kernels/fem/fem_args.h"

/* Values at the points of items, which are faces, elements or nodes: one item of the launch for each of them. */
typedef struct {
    expression_programs p;      /* all programs of the simulation */
    int components, program[3]; /* numbers in a value, and the program of each; -1: the number of the same index */
    wide number[3];             /* in SI units */
    fem_rule rule;              /* nodes of an item, and N at its points; 0 points: one, at the mean of its nodes */
    const int *item;            /* [n] numbers of the items, less `first`, in the list of nodes; NULL: 0 .. n-1 */
    int first;                  /* of the items */
    const int *node;            /* [items of the list][nodes] numbers of nodes or vertices */
    const real *rest;           /* [nodes][DIM] or [vertices][DIM] positions at rest, m */
    const fem_step *step;       /* its t is read */
    wide *out;                  /* [n][points][components] in SI units; set */
} fem_vary_args;

/* With x = sum_n N_n X_n at a point and y_c its value:  X_bar_n += N_n sum_c y_bar_c dy_c/dx,
 * constant_bar += sum_c y_bar_c dy_c/dconstant. */
typedef struct {
    fem_vary_args fwd;      /* out is not read */
    int n;                  /* items */
    const wide *out_bar;    /* [n][points][components] cotangents of the values */
    int first_element_node; /* of the first item of the list in rest_bar; -1: rest_bar is one of nodes */
    real *rest_bar;         /* [element nodes][DIM] or, where items are nodes, [nodes][DIM]; added to */
    int constants;          /* constants whose cotangents are wanted: the first ones */
    wide *contribution;     /* [constants][n] an item's contribution to the cotangent of each; set */
} fem_vary_adj_args;

/* A term of the sum of an item's contributions to one constant: one for each item. */
typedef struct {
    const wide *contribution; /* [n] */
} fem_vary_sum_args;

#endif
