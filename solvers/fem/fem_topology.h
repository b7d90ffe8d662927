/* fem_topology.h -- who is whose neighbour in a mesh: integers, made once on the host from the connectivity. */
#ifndef PIOLA_SOLVERS_FEM_TOPOLOGY_H
#define PIOLA_SOLVERS_FEM_TOPOLOGY_H

#include "solvers/engine/engine.h"

/* Corners of a set of elements or faces, by the point that they touch. */
typedef struct {
    int points, corners;
    int *start; /* [points + 1] */
    int *list;  /* [corners] corner numbers, ascending per point */
} fem_corners;

/* Elements or faces whose nodes are each other's neighbours, and how their pairs (a, b) are numbered, a first: those
 * with b >= a where the blocks of (b, a) are the transposed ones, else all. */
typedef struct {
    int nodes, n, all;
    const int32_t *node; /* [n][nodes] */
} fem_set;

/* The blocks of the matrix: one for every pair of nodes that are in one element of a set, columns ascending, and the
 * pairs of corners that each sums, coded 2 pair + (1: transposed) and ascending. */
typedef struct {
    int rows, blocks, sources;
    int *row_start;    /* [rows + 1] */
    int *row, *column; /* [blocks] */
    int *start;        /* [blocks + 1] */
    int *source;       /* [sources] */
} fem_graph;

int fem_nodes_of(pio_element_type type);            /* nodes of an element */
int fem_points_of(int rule, pio_element_type type); /* quadrature points */

/* The corners at each point, ascending: point[corners] is where each corner is. 1; 0 when there is no memory, -2 when
 * `interrupted` (may be NULL) says to stop. */
int fem_corners_make(fem_corners *c, int points, int corners, const int *point, const char *(*interrupted)(void));
void fem_corners_free(fem_corners *c);

/* Are there fewer than 2^30 pairs of nodes, each once, and as many places where they are summed? */
int fem_graph_fits(const fem_set *sets, int n_sets);
/* 0 when there is no memory, -1 when there are more pairs than 2^30, -2 when `interrupted` (may be NULL) says to
 * stop. */
int fem_graph_make(fem_graph *g, int points, const fem_set *sets, int n_sets, const char *(*interrupted)(void));
void fem_graph_free(fem_graph *g);

/* How long and how thick a mesh is, by neighbours: nodes in levels of equal distance from one end (George and Liu
 * 1979). `levels`: of the longest body; `elimination`: sum over nodes of the square of (nodes of its level and the
 * next), which is what eliminating level by level takes. 1; 0 when there is no memory, -2 when `interrupted` (may be
 * NULL) says to stop. */
typedef struct {
    int levels;
    double elimination;
} fem_levels;
int fem_graph_levels(const fem_graph *g, fem_levels *out, const char *(*interrupted)(void));

#endif
