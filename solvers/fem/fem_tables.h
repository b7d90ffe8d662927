/* fem_tables.h -- the tables of single observations, designs, values that vary, loads and blocks of a mesh's
 * simulation. Arrays are device memory, where nothing else is said. */
#ifndef PIOLA_SOLVERS_FEM_TABLES_H
#define PIOLA_SOLVERS_FEM_TABLES_H

#include "kernels/fem/fem_args.h"
#include "solvers/engine/engine.h"

/* Points of elements, where they are observed. */
typedef struct {
    int *element;     /* host [places] elements that have the observed point; NULL: fields are over elements */
    real *xi;         /* [places][3] the point in the reference element of each */
    real *w, *N, *dN; /* [places], [places][ELEMENT_NODES], [places][ELEMENT_NODES][DIM] the rule of that point */
    int *row_start;   /* [rows + 1] of distances, see pio_observation_desc; NULL: they are of nodes */
    int *row_node;    /* [entries] */
    real *row_shape;  /* [entries] */
    int *node_start;  /* [nodes + 1] */
    int *node_row;    /* [entries] */
    real *node_shape; /* [entries] */
    real *row_bar;    /* [rows][DIM] cotangent of each place */
    int entries;      /* nodes of all rows */
} fem_observed_places;

/* One observation, and its tables. */
typedef struct {
    pio_observation_desc desc; /* host pointers are not kept */
    int first;                 /* number of its first sample among all samples */
    int *marker;               /* [nodes] the marker of each node */
    double *points;            /* [samples][rows][DIM] given points, m */
    double *markers;           /* host [samples] sum of the weights of given points */
    double *point_weight;      /* [samples][rows] weight of each point; NULL: all are 1 */
    real *weight;              /* [nodes][DIM] weight of each displacement */
    real *element_weight;      /* [elements] weight of each element, of observations of elements */
    double *channel_weight;    /* [channels] weight of each channel, of observations of control */
    fem_observed_places place; /* of fields at a point, and of distances of points in elements */
} fem_observation;

/* One design, and its tables. */
typedef struct {
    pio_design_desc desc;
    int first;                  /* number of its first variable among all variables */
    int *index;                 /* [elements] the group of each element, or [nodes] of what nodes have */
    int *member_start, *member; /* elements of each group; NULL: those of `index` */
    /* its filter: rows, and those of the transpose; NULL: there is none, or the host applies it */
    int *start, *from, *transposed_start, *transposed_from;
    double *weight, *transposed_weight, *offset;
    double *projected; /* [variables] P(H z + c), and in the adjoint sweep the cotangent of it; NULL: no projection */
    real *direction;   /* [nodes][DIM] in which rest positions with one component move; NULL: there is none */
} fem_design;

/* Values that vary. */
typedef struct {
    pio_vary_desc desc; /* items are not kept */
    int n, points;      /* items; points of each */
    int block;          /* of elements: number of their block */
    int *item;       /* [n] numbers of elements, of nodes, or of the nodes of constrained unknowns; NULL: of a load */
    int *index;      /* [unknowns, elements or nodes] number of its item, or -1; NULL: of a load */
    wide *value;     /* [n][points][components] in SI units */
    wide *value_bar; /* [n][points][components] cotangents; NULL in runs without a gradient */
    uint64_t constants; /* bits of the designed constants that its programs have */
} fem_varying;

/* One load. */
typedef struct {
    pio_load_desc desc;
    fem_rule rule;
    int first_element_node;   /* number of its first element node among the loads' */
    int first_node_pair;      /* of a load that depends on the displacement: number of its first node pair among all */
    int block;                /* of a body force: number of the block that its elements belong to */
    fem_varying *varies;      /* its value, which varies; NULL: it does not */
    int *vertex;              /* [n][nodes] nodes of its faces or points; of a body force NULL */
    int *owner;               /* [n] element behind each face, or element that a body force acts on */
    real *value_contribution; /* [n][DIM] contributions of its faces or elements to the cotangent of its value */
    real *thick_contribution; /* [n] those of its faces to the cotangent of their owners' thickness, or NULL */
    /* of a moment, else NULL: [n][points][DIM] its traction, before scale and factor; cotangents; [6][n] contributions
     * of its faces, see fem_couple_adj_args */
    wide *couple_value, *couple_bar, *couple_contribution;
} fem_load;

/* Elements of one type; see fem_block of kernels/fem/fem_args.h. A node pair (i, j) of an element is a block of its
 * element matrix. */
typedef struct {
    pio_element_type type;  /* shape and order of each */
    int first_pressure;     /* number of its first pressure, see fem_pressure.c */
    int dilatations;        /* of which the dilatation is made, see fem_block; 0: that of F */
    int n, first;           /* number of its elements; number of the first among all elements */
    int first_element_node; /* number of its first element node among those of all blocks */
    /* number of its first node pair among all; node pairs of one element */
    int first_node_pair, node_pairs;
    int *node;      /* [n][nodes] nodes of its elements */
    int *node_pair; /* [node_pairs] of an element's nodes i <= j: 256 i + j */
} fem_element_block;

#endif
