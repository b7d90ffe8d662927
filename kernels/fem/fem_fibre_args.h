/* fem_fibre_args.h -- what launches pass to the kernels of fem_fibre.h. */
#ifndef PIOLA_KERNELS_FEM_FIBRE_ARGS_H
#define PIOLA_KERNELS_FEM_FIBRE_ARGS_H

#include "kernels/fem/fem_args.h"

/* The fibres of elements, and what drives them. */
typedef struct {
    int channels;           /* of control */
    const int *channel;     /* [elements of the mesh] that drives the element's fibres; -1: it has none */
    const real *fibre;      /* [channels][DIM] unit vector n along the fibres at rest */
    const real *activation; /* [channels] a, Pa, of either sign; above 0 they contract */
} fem_fibres;

/* Forces of the fibres of elements, see fem_fibre.h: one item for each element of the block. */
typedef struct {
    fem_block b;   /* with the rule of stiffnesses */
    fem_fibres of; /* the fibres of the mesh */
    const real *u; /* [nodes][DIM] displacement m */
    real *out;     /* [element nodes][DIM] f_a, N; added to */
} fem_fibre_args;

/* The adjoint of fem_fibre: one item for each element of the block. */
typedef struct {
    fem_fibre_args fwd;   /* out is not read */
    const real *y;        /* [nodes][DIM] cotangent of the nodal forces, J's unit per N */
    real *u_bar;          /* [element nodes][DIM]; added to */
    real *rest_bar;       /* [element nodes][DIM]; added to, or NULL */
    real *thick_bar;      /* [elements]; added to, or NULL */
    real *activation_bar; /* [elements] what each adds to that of its channel's a; set where it has one; NULL */
} fem_fibre_adj_args;

/* Energies of fibres: one for each element of the block. `out` is not read. */
typedef fem_fibre_args fem_fibre_energy_args;

/* Element matrices of fibres, the blocks of node pairs (a, b) with b >= a: one item for each element of the block. */
typedef struct {
    fem_block b;          /* with the rule of stiffnesses */
    fem_fibres of;        /* the fibres of the mesh */
    int projected;        /* 1: an activation below 0, whose matrix is negative, counts as 0 */
    const int *node_pair; /* [node pairs] of this type: 256 a + b, b >= a, in order */
    int node_pairs;       /* of an element */
    int first_node_pair;  /* number of the block's first node pair */
    real *out;            /* [node pairs of all blocks][DIM * DIM] N/m; added to */
} fem_fibre_matrix_args;

#endif
