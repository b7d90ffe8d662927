/* fem_follow_args.h -- what launches pass to the kernels of fem_follow.h. */
#ifndef PIOLA_KERNELS_FEM_FOLLOW_ARGS_H
#define PIOLA_KERNELS_FEM_FOLLOW_ARGS_H

#include "kernels/fem/fem_load_args.h"

/* The nodal forces' derivative along du; transposed it is fem_face_adj's rest_bar. */
typedef struct {
    fem_face_args fwd; /* of a pressure; out is not read */
    const real *du;    /* [vertices][DIM] change of displacement m */
    real *out;         /* [element nodes][DIM] N; set for these faces' element nodes */
} fem_face_tan_args;

/* The load's contribution to the Jacobian of f_int - f_ext: K_ab = p thick sum_q w N_a dm/dx_b, all ordered pairs of a
 * face, a first. */
typedef struct {
    fem_face_args fwd;   /* of a pressure; out is not read */
    int first_node_pair; /* number of these faces' first node pair */
    real *out;           /* [node pairs][DIM * DIM] N/m; set for these faces' node pairs */
} fem_face_matrix_args;

/* Forces of springs between a body and the ground: one item for each face, or point. */
typedef struct {
    fem_face_args f; /* at rest; value: k, [DIM] along the axes, [1] along the normal; out: f_a, N */
    int normal;      /* 1: along the normal, 0: along the axes */
    const real *u;   /* [vertices][DIM] displacement m */
} fem_spring_args;

/* With L = sum_a N_a y_a:  y . f = thick sum_q w phi,
 *     axes:    phi = |m| L.K u          k_bar_c = |m| L_c u_c             m_bar = (L.K u) m/|m|
 *     normal:  phi = k (m.L)(m.u)/|m|   k_bar = (m.L)(m.u)/|m|
 *              m_bar = (k (L (m.u) + u (m.L)) - phi m/|m|)/|m|
 * and u_bar_a = thick sum_q w N_a |m| K L: K is symmetric. */
typedef struct {
    fem_spring_args fwd;      /* out is not read */
    const real *y;            /* [vertices][DIM] cotangent of the forces */
    real *u_bar;              /* [element nodes][DIM]; set for these faces' element nodes */
    real *rest_bar;           /* [element nodes][DIM]; the same, or NULL: u_bar alone is wanted */
    int faces;                /* of these springs */
    real *value_contribution; /* [faces][DIM] a face's contribution to value_bar; set, or NULL */
    real *thick_contribution; /* [faces] its contribution to its owner's thickness_bar; set, or NULL */
} fem_spring_adj_args;

/* The springs' contribution to the Jacobian: K_ab = thick sum_q w |m| N_a N_b K, all ordered pairs of a face, a
 * first. */
typedef struct {
    fem_spring_args fwd; /* u and out are not read */
    int first_node_pair; /* number of these faces' first node pair */
    real *out;           /* [node pairs][DIM * DIM] N/m; set for these faces' node pairs */
} fem_spring_matrix_args;

#endif
