/* fem_topology.h -- neighbours in a mesh: integers, computed once on the host from the connectivity. */
#ifndef PIOLA_SOLVERS_FEM_TOPOLOGY_H
#define PIOLA_SOLVERS_FEM_TOPOLOGY_H

#include "solvers/engine/engine.h"

/* The element degrees of freedom of a set of elements or faces, by the node (point) that they are at. */
typedef struct {
    int points, dofs; /* how many there are */
    int *start;       /* [points + 1] first entry of each point */
    int *list;        /* [dofs] their numbers, ascending per point */
} fem_element_dofs;

/* Elements or faces whose nodes are each other's neighbours, and how the node pairs (a, b) of their element matrices
 * are numbered, a first: those with b >= a where the blocks of (b, a) are the transposed ones, else all. */
typedef struct {
    int nodes, n, all;   /* nodes of an element; elements; 1: all node pairs are numbered */
    const int32_t *node; /* [n][nodes] nodes of each element */
} fem_set;

/* The blocks of the matrix: one for each node and each of its neighbours, itself included, columns ascending; and its
 * sources, the node pairs of elements that each sums, coded 2 node pair + (1: transposed) and ascending. In place of
 * tied nodes their masters are neighbours, and what elements give to a tied node goes to these with their weights; a
 * tied node has a block of its own, without sources. */
typedef struct {
    int rows, blocks, sources; /* how many there are */
    int *row_start;            /* [rows + 1] first block of each row */
    int *row, *column;         /* [blocks] */
    int *start;                /* [blocks + 1] first source of each block */
    int *source;               /* [sources] coded node pairs */
    double *weight;            /* [sources] factor of each; NULL: no node is tied to others */
} fem_graph;

int fem_nodes_of(pio_element_type type);            /* Returns the number of nodes of an element. */
int fem_points_of(int rule, pio_element_type type); /* Returns the number of quadrature points. */

/* Lists the element degrees of freedom at each point, ascending; point[dofs] has the point of each. Returns 1; 0
 * without memory, -2 if `interrupted` (may be NULL) requests to stop. */
int fem_element_dofs_make(fem_element_dofs *c, int points, int dofs, const int *point,
                          const char *(*interrupted)(void));
/* Frees the lists. */
void fem_element_dofs_free(fem_element_dofs *c);

/* What the nodes of elements stand for in the matrix: node i for nodes node[start[i]] .. node[start[i + 1] - 1], with
 * these weights: itself, or its masters. NULL: each for itself. */
typedef struct {
    int *start, *node; /* [points + 1], [start[points]] */
    double *weight;    /* [start[points]] */
    /* the transpose: [points + 1] where the nodes that stand for a node begin, ascending; weights likewise */
    int *from_start, *from;
    double *from_weight;
} fem_stand_in;

/* Computes it from the ties of a mesh. Returns 1, or 0 without memory. */
int fem_stand_in_make(fem_stand_in *s, int points, const pio_tie_desc *ties);
/* Frees it. */
void fem_stand_in_free(fem_stand_in *s);

/* Returns whether there are fewer than 2^30 node pairs, each counted once, and fewer than 2^30 sources. */
int fem_graph_fits(const fem_set *sets, int n_sets);
/* Computes the blocks of the matrix; `stand_in` may be NULL. Returns 1; 0 without memory, -1 if there are more node
 * pairs or sources than 2^30, -2 if `interrupted` (may be NULL) requests to stop. */
int fem_graph_make(fem_graph *g, int points, const fem_set *sets, int n_sets, const fem_stand_in *stand_in,
                   const char *(*interrupted)(void));
/* Frees the graph. */
void fem_graph_free(fem_graph *g);

/* How long and how thick a mesh is, by neighbours: nodes in levels of equal distance from one end (George and Liu
 * 1979). */
typedef struct {
    int levels;         /* number of those of the longest body */
    double elimination; /* sum over nodes of (nodes of its level and the next)^2: the work of elimination by levels */
} fem_levels;
/* Computes the levels. Returns 1; 0 without memory, -2 if `interrupted` (may be NULL) requests to stop. */
int fem_graph_levels(const fem_graph *g, fem_levels *out, const char *(*interrupted)(void));

#endif
