/* fem_contact_args.h -- what launches pass to the kernels of fem_contact.h. */
#ifndef PIOLA_KERNELS_FEM_CONTACT_ARGS_H
#define PIOLA_KERNELS_FEM_CONTACT_ARGS_H

#include "kernels/contact/contact_pose_args.h"
#include "kernels/fem/fem_load_args.h"

/* ---- areas ------------------------------------------------------------------------------------------------------ */

/* The area at rest of every face, shared by its nodes:  A_n = thick sum_q w |m| phi_n, sum_n phi_n = 1. One item for
 * each face. */
typedef struct {
    fem_face_args f; /* rule, plane, first_element_node, vertex, rest, owner and thick are read */
    real *share;     /* [element nodes] m^2; set for these faces' element nodes */
} fem_contact_face_args;

/* m_bar = thick w phi m/|m|, phi = sum_n phi_n A_bar_n, and thickness_bar = sum_q w |m| phi. One item for each face. */
typedef struct {
    fem_contact_face_args fwd; /* share is not read */
    const real *share_bar;     /* [element nodes] A_bar_n, J's unit per m^2 */
    real *rest_bar;            /* [element nodes][DIM]; set for these faces' element nodes */
    real *thick_contribution;  /* [faces] to the thickness_bar of the owner; set, or NULL */
} fem_contact_face_adj_args;

/* The area of each point, the sum of what its faces have there in the order of their numbers. One item for each
 * point. */
typedef struct {
    const int *start, *list; /* [points + 1] where the element nodes of each point begin; their numbers */
    const real *share;       /* [element nodes] m^2 */
    real *area;              /* [points] A, m^2; set */
} fem_contact_area_args;

typedef struct {
    fem_contact_area_args fwd; /* share and area are not read */
    const real *area_bar;      /* [points] J's unit per m^2 */
    real *share_bar;           /* [element nodes]; set, each is of one point */
} fem_contact_area_adj_args;

/* Adds to vectors of nodes what the faces have at each point. One item for each point. */
typedef struct {
    const int *node;         /* [points] node of each, each once */
    const int *start, *list; /* as of fem_contact_area */
    const real *in;          /* [element nodes][DIM] */
    real *out;               /* [nodes][DIM] in the same unit; added to */
} fem_contact_rest_args;

/* ---- forces ----------------------------------------------------------------------------------------------------- */

/* What obstacles do to points: one item for each point. */
typedef struct {
    int obstacles;               /* of the scene */
    const obstacle_shape *shape; /* [obstacles] */
    const obstacle_pose *pose;   /* [obstacles] at the time of u */
    const real *coefficients;    /* of the distances of meshes, m */
    const int *node;             /* [points] node of each, each once */
    const real *area;            /* [points] A, m^2, >= 0 */
    const real *rest, *u;        /* [nodes][DIM] X, u, m */
    real *out;                   /* [nodes][DIM] dPhi/du, N; added to */
} fem_contact_args;

/* What a rounding unit of places makes of forces, in units of it, N: one item for each point; `out` is added to. */
typedef fem_contact_args fem_contact_rounded_args;

/* Phi, J: one term for each point; a point at or behind a surface has one of 1e300. */
typedef fem_contact_args fem_contact_energy_args;

/* With y the cotangent of dPhi/du, the adjoint of one obstacle: one item for each point. */
typedef struct {
    fem_contact_args fwd; /* out is not read */
    int obstacle;         /* number of the obstacle */
    int points;           /* as many as items */
    const real *y;        /* [nodes][DIM] */
    real *u_bar;          /* [nodes][DIM]; added to */
    real *rest_bar;       /* [nodes][DIM] cotangents of X; added to, or NULL with the next two: u_bar alone is wanted */
    real *area_bar;       /* [points] added to */
    real *contribution;   /* [points][OBSTACLE_PARAMETERS] to the cotangents of its pose and parameters; set */
} fem_contact_adj_args;

/* The contribution to the Jacobian, d^2 Phi/du^2, a block of each point. */
typedef struct {
    fem_contact_args fwd; /* out is not read */
    int projected;        /* 1: without its negative part, to which curved surfaces contribute alone */
    int first_node_pair;  /* number of the block of the first point among all element blocks */
    real *out;            /* [node pairs][DIM * DIM] N/m; set for these points */
} fem_contact_matrix_args;

/* ---- how far points may move ------------------------------------------------------------------------------------ */

/* How far along du the points may go while obstacles move: each keeps at least the fraction CONTACT_KEPT of its
 * distance from every obstacle. *limit becomes the smallest key (contact_key) of such a fraction of both, if it is
 * below 1. */
typedef struct {
    fem_contact_args fwd;     /* u: where the points are, at positive distances; area and out are not read */
    const real *du;           /* [nodes][DIM] m; NULL: points rest */
    double scale;             /* of du, >= 0 */
    contact_pose_args motion; /* see contact_path; obstacles 0: they stand where the poses are */
    uint64_t *limit;          /* [1] lowered */
} fem_contact_reach_args;

/* The gap of each point in u: one item for each point. */
typedef struct {
    fem_contact_args fwd; /* area and out are not read */
    uint64_t *least;      /* [1] lowered to the key (contact_key) of the least gap; of one at or below 0 to 0 */
    real *gap;            /* [points] the least distance from an obstacle, m, below 0 inside one; set */
    int *nearest;         /* [points] number of that obstacle; set */
    int *touching;        /* [points] 1: it is within reach of a barrier, 0: not; set */
    int *counts;          /* [2] points that came within reach since the last time, and that left; added to */
} fem_contact_watch_args;

/* The gap of each point from one obstacle, and the least of them: one item for each point. */
typedef struct {
    fem_contact_args fwd; /* area and out are not read */
    int obstacle;         /* number of the obstacle */
    real *gap;            /* [points] d, m, > 0; set */
    uint64_t *found;      /* [2] the key (contact_key) of the least gap, lowered; number of its point */
} fem_contact_gap_args;

/* The lowest number of a point that has the least gap: one item for each point. */
typedef struct {
    const real *gap; /* [points] d, m */
    uint64_t *found; /* [2] the key is read, the number lowered */
} fem_contact_which_args;

/* Adds the least gap to a sample: one item. */
typedef struct {
    const real *gap;       /* [points] d, m */
    const uint64_t *found; /* [2] of which the number is read */
    double weight;         /* of the state in the sample, 1 */
    wide *sample;          /* [1] m; added to */
} fem_contact_gap_add_args;

/* Its adjoint: the point that has the least gap. One item for each point. */
typedef struct {
    fem_contact_gap_args fwd; /* gap is not read */
    int points;               /* as many as items */
    double weight;            /* of the state in the sample, 1 */
    const wide *sample_bar;   /* [1] J's unit per m */
    real *u_bar, *rest_bar;   /* [nodes][DIM]; added to */
    real *contribution;       /* [points][OBSTACLE_PARAMETERS] to the cotangents of the pose; set */
} fem_contact_gap_adj_args;

/* What the way of obstacles to where they are at the end of a span changes of the residual: one item for each point. */
typedef struct {
    fem_contact_args fwd;     /* u: where the points are, at positive distances; out is not read */
    contact_pose_args motion; /* to: the end of the span, a fraction of the step; at, from and pose are not read */
    real *residual;           /* [nodes][DIM] N; added to */
} fem_contact_carry_args;

/* Whether an explicit step that ends in u with velocity v was possible: see fem_contact_leap. */
typedef struct {
    fem_contact_args fwd;     /* u: at the end of the step; out is not read */
    const real *v;            /* [nodes][DIM] velocity of the step, m/s */
    const real *mass;         /* [nodes][DIM] kg */
    double h;                 /* s */
    contact_pose_args motion; /* of the step, see contact_path; the poses are those of its end */
    double square;            /* largest omega^2 of the elements, 1/s^2 */
    fem_step *step;           /* its fault is lowered */
    uint64_t *needed;  /* [1] lowered to 2^32 times the step plus the leading bits of a step that would be right */
    uint64_t *stiffer; /* [1] likewise, plus 2^32 - 1 less the leading bits of a stiffness that would be; or left */
} fem_contact_leap_args;

/* Is an obstacle in a flat piece of a face between its nodes: see fem_contact_sink.h. One item for each piece. */
typedef struct {
    fem_contact_args fwd; /* u: where the points are, outside of obstacles; area and out are not read */
    const int *corner;    /* [pieces][DIM] points */
    int64_t state;        /* number of the state that they are in, >= 0 */
    int64_t *state_of;    /* [pieces] that in which one was in it first; -1: in none so far; set where it is */
    real *depth;          /* [pieces] how deep it was then, m; likewise */
    int *obstacle;        /* [pieces] number of that obstacle; likewise */
    uint64_t *first;      /* [1] lowered to the first such state of all pieces */
} fem_contact_sink_args;

#endif
