/* fem_pairs_args.h -- what launches pass to the kernels of fem_pairs_find.h and fem_pairs.h. */
#ifndef PIOLA_KERNELS_FEM_PAIRS_ARGS_H
#define PIOLA_KERNELS_FEM_PAIRS_ARGS_H

#include "kernels/fem/fem_args.h"

enum { FEM_PAIR_NODES = DIM + 1 };                 /* of a point and a face, or of two edges */
enum { PAIR_STIFFNESS, PAIR_DISTANCE, PAIR_GRIP }; /* what the potential of pairs depends on: K, Pa, and h, m */

/* The surface of all bodies: points, which are nodes of outer faces; flat pieces of these, triangles and in 2D
 * segments; and in 3D the edges of the triangles, each once. Pieces and edges are numbered together, edges behind. */
typedef struct {
    int points, faces, edges; /* how many there are; edges: in 2D 0 */
    int itself;               /* 1: a body touches itself, too */
    const int *node;          /* [points] node of each, ascending */
    const int *body;          /* [points] number of the body that it is of */
    const int *corner;        /* [faces][DIM], then [edges][2] points */
} fem_pair_surface;

/* How many pairs were found. */
typedef struct {
    int count, slots; /* pairs that are listed; nodes of them, FEM_PAIR_NODES each */
    int faces;        /* the first so many are of points and faces, the others of edges */
    int most;         /* the most that there were at a time since the run began, listed or not */
} fem_pair_found;

/* ---- which pairs are near ---------------------------------------------------------------------------------------- */

/* Where the points are: on the straight way from X + u + from du to X + u + to du. */
typedef struct {
    const real *rest, *u; /* [nodes][DIM] X, u, m */
    const real *du;       /* [nodes][DIM] m, or in the unit of which from and to are the others'; NULL: they rest */
    double from, to;      /* of du, from <= to */
} fem_pair_way;

/* Which of the pieces and edges go far on a way: a few whose boxes are much longer than the longest that rests. */
typedef struct {
    const uint64_t *piece; /* [1] `most` of fem_pair_box where they rest */
    int *levels;           /* [PAIR_LEVELS] how many are of each level of length (pair_level); NULL: none goes far */
    int pieces;            /* of these in all */
} fem_pair_far;
enum { PAIR_LEVELS = 64 };

/* The box of each piece and edge on its way: one item for each. Without levels *most is lowered to UINT64_MAX less the
 * bits of the longest side of any. */
typedef struct {
    fem_pair_surface s; /* the surface */
    fem_pair_way way;   /* of its points */
    fem_pair_far far;   /* its levels are added to */
    double *box;        /* [faces + edges][2][DIM] least and largest coordinates, m; set */
    uint64_t *most;     /* [1] lowered */
} fem_pair_box_args;

/* With levels, the same of those that do not go far: one item for each piece and edge. */
typedef struct {
    fem_pair_far far;  /* see there */
    const double *box; /* see fem_pair_box */
    uint64_t *most;    /* [1] lowered */
} fem_pair_most_args;

/* Cells in which the lowest corners of boxes are, and the group of each: one item for each piece and edge. A cell is as
 * long as the longest side of a box and the distance together; its group is a number that is made of its place. What
 * goes far has a cell of its own. */
typedef struct {
    fem_pair_surface s;   /* the surface */
    const wide *grip;     /* [PAIR_GRIP] K, h */
    const double *box;    /* see fem_pair_box */
    const uint64_t *most; /* see fem_pair_most */
    fem_pair_far far;     /* see there */
    int groups;           /* a power of 2 */
    int *cell;            /* [faces + edges][DIM]; set */
    int *key;             /* [faces + edges] group, 0 .. groups - 1; set */
} fem_pair_cell_args;

/* Lists items by the group that each is of, in ascending order: count and place have an item for each item, of which a
 * limit leaves the first; start and order one for each group. */
typedef struct {
    int groups;     /* number of groups */
    const int *key; /* [items] group of each */
    int *count;     /* [groups] 0 before fem_pair_count and after fem_pair_place */
    int *start;     /* [groups + 1] where those of each group begin; set by fem_pair_start */
    int *list;      /* [items] numbers; set by fem_pair_place in any order, and put in order by fem_pair_order */
} fem_pair_count_args;
typedef fem_pair_count_args fem_pair_start_args, fem_pair_place_args, fem_pair_order_args;

/* Pairs of each point with faces and of each edge with edges behind it: one item for each point and edge, points first.
 * Those that share a point are none, nor are those of one body where `itself` is 0. */
typedef struct {
    fem_pair_surface s;      /* the surface */
    fem_pair_way way;        /* du NULL: pairs nearer than h; else those whose boxes come as near on the way */
    const wide *grip;        /* [PAIR_GRIP] K, h */
    const double *box;       /* see fem_pair_box */
    const uint64_t *most;    /* see fem_pair_box */
    int groups;              /* of cells */
    const int *cell, *key;   /* see fem_pair_cell */
    const int *start, *list; /* [groups + 1], [faces + edges] pieces and edges of each group */
    int room;                /* pairs that can be listed */
    int *number;             /* [points + edges] how many each has; set by fem_pair_near */
    int *first;              /* [points + edges] where they begin; set by fem_pair_first */
    fem_pair_found *found;   /* [1]; set by fem_pair_first */
    int *corner;             /* [room][FEM_PAIR_NODES] their points; set by fem_pair_list: a point and then the face's,
                                * or both ends of the edge and then of the other */
} fem_pair_near_args;
typedef fem_pair_near_args fem_pair_first_args, fem_pair_list_args;

/* Whether an edge, in 2D a piece, passes through a piece of the surface where the points are (du is not read): one item
 * for each edge. *fault is lowered to 2^32 times the number of such an edge plus that of the piece. */
typedef struct {
    fem_pair_near_args near; /* boxes of what rests; room and what is set are not read */
    uint64_t *fault;         /* [1] lowered */
} fem_pair_cross_args;

/* ---- forces ------------------------------------------------------------------------------------------------------ */

/* What pairs do to their points: one item for each pair, of which a limit leaves those that were found. */
typedef struct {
    fem_pair_surface s;          /* the surface */
    const fem_pair_found *found; /* [1] of the pairs that are listed */
    const int *corner;           /* [pairs][FEM_PAIR_NODES] points */
    const wide *grip;            /* [PAIR_GRIP] K, h */
    const real *area;            /* [points] m^2 at rest */
    const real *part;            /* [points] part of its area that a point has in a pair of edges; 2D: not read */
    const real *rest, *u;        /* [nodes][DIM] X, u, m */
    real *out;                   /* [pairs][FEM_PAIR_NODES][DIM] dPhi/dx of each node, N; set */
} fem_pair_args;

/* Phi, J: one term for each pair; one whose parts touch has 1e300. */
typedef fem_pair_args fem_pair_energy_args;

/* d^2 Phi/dx^2 of each pair, beside the matrix (bsr_beside): one item for each pair. */
typedef struct {
    fem_pair_args fwd;      /* out is not read */
    int projected;          /* 1: without its negative part */
    const int *constrained; /* [nodes] bits of the constrained axes, whose rows and columns are 0 */
    real *value;            /* [pairs][FEM_PAIR_NODES][FEM_PAIR_NODES][DIM][DIM] N/m; set */
} fem_pair_matrix_args;

/* What pairs have on the matrix's diagonal, added to a block of each point: one item for each point. */
typedef struct {
    const int *start, *list; /* [points + 1], [slots] as of fem_pair_sum */
    const real *value;       /* see fem_pair_matrix */
    int first_node_pair;     /* number of the block of the first point among all element blocks */
    real *out;               /* [node pairs][DIM * DIM] N/m; added to for these points */
} fem_pair_diagonal_args;

/* How far along a way points may go, if pairs keep CONTACT_KEPT of their distances: one item for each point and edge,
 * as of fem_pair_near. *limit becomes the smallest key (contact_key) of such a part of the way, if it is below 1. */
typedef struct {
    fem_pair_near_args near; /* of a way; room and what is set are not read */
    int *number;             /* [points + edges] pieces and edges that each was compared with; set */
    uint64_t *limit;         /* [1] lowered */
} fem_pair_reach_args;

/* With y the cotangent of dPhi/du: one item for each pair. */
typedef struct {
    fem_pair_args fwd; /* out is not read */
    int pairs;         /* as many as items */
    const real *y;     /* [nodes][DIM] */
    real *u_bar;       /* [pairs][FEM_PAIR_NODES][DIM] what the pair gives to the cotangents of u; set */
    real *rest_bar;    /* [pairs][FEM_PAIR_NODES][DIM] to those of X; set, or NULL with the next two */
    real *area_bar;    /* [pairs][FEM_PAIR_NODES] to those of areas; set */
    real *grip_bar;    /* [pairs][PAIR_GRIP] to those of K and h, a field; set */
} fem_pair_adj_args;

/* Adds what the pairs give to the nodes of points, in the order of the pairs: one item for each point. */
typedef struct {
    fem_pair_surface s;      /* the surface */
    const int *start, *list; /* [points + 1], [slots] nodes of pairs at each point */
    const real *in;          /* [slots][DIM] what pairs give */
    real *out;               /* [nodes][DIM] in the same unit; added to */
} fem_pair_sum_args;

/* The same of numbers: one item for each point. */
typedef struct {
    const int *start, *list; /* as of fem_pair_sum */
    const real *in;          /* [slots] */
    real *out;               /* [points]; added to */
} fem_pair_area_args;

/* ---- how far points may move ------------------------------------------------------------------------------------- */

/* Whether an explicit step that ends in u with velocity v was possible: one item for each point. */
typedef struct {
    fem_pair_args fwd;       /* u: at the end of the step; out is not read */
    const int *start, *list; /* as of fem_pair_sum */
    const real *v;           /* [nodes][DIM] velocity of the step, m/s */
    const real *mass;        /* [nodes][DIM] kg */
    double h;                /* s */
    double square;           /* largest omega^2 of the elements, 1/s^2 */
    fem_step *step;          /* its fault is lowered */
    uint64_t *needed;  /* [1] lowered to 2^32 times the step plus the leading bits of a step that would be right */
    uint64_t *stiffer; /* [1] likewise, plus 2^32 - 1 less the leading bits of a stiffness that would be; or left */
} fem_pair_leap_args;

/* Which points are within reach of others: one item for each point. */
typedef struct {
    fem_pair_args fwd;       /* area and out are not read */
    const int *start, *list; /* as of fem_pair_sum */
    int own;                 /* 1: pairs within one body count alone */
    uint64_t *least;         /* [1] lowered to the key (contact_key) of the least distance of a pair */
    real *gap;               /* [points] least distance of its pairs, m; h where it has none; set */
    int *touching;           /* [points] 1: it has a pair that is nearer than h, 0: none; set */
    int *counts;             /* [2] points that came within reach since the last time, and that left; added to */
} fem_pair_watch_args;

#endif
