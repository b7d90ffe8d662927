/* fem_load_args.h -- what launches pass to the kernels of fem_load.h. */
#ifndef PIOLA_KERNELS_FEM_LOAD_ARGS_H
#define PIOLA_KERNELS_FEM_LOAD_ARGS_H

#include "kernels/base/base.h"
#include "kernels/fem/fem_args.h"
#include "kernels/fem/fem_element_args.h"

/* Values of all time curves at the end of a step or of one of its substeps: one item for each curve. */
typedef struct {
    fem_step *step;          /* its index and t are set */
    double h;                /* time step s */
    int64_t index;           /* the step that begins */
    int substep, substeps;   /* from 0, and their number: the time is h (index + (substep + 1)/substeps) */
    const int *start;        /* [curves + 1] where the points of each curve begin, and the last end */
    const double *t, *value; /* [start[curves]] ascending t, s; piecewise linear, constant outside */
    wide *out;               /* [curves] their values; set */
} fem_curve_args;

/* Nodal forces of the weight of elements, see fem_load.h: one item for each element of the block. */
typedef struct {
    fem_block b;          /* with the rule of masses */
    fem_matter m;         /* density is read */
    const fem_step *step; /* its gravity is read */
    real *out;            /* [element nodes][DIM] N; set for the block's element nodes */
} fem_weight_args;

/* With L = sum_a N_a y_a at a point:  y . f = sum_q V rho L.g;   dV = V tr H, so X_bar_a = sum_q V rho (L.g) g_a. */
typedef struct {
    fem_weight_args fwd;        /* out is not read */
    const real *y;              /* [nodes][DIM] cotangent of the nodal forces */
    real *rest_bar;             /* [element nodes][DIM]; set for the block's element nodes, or NULL */
    real *density_bar;          /* [elements]; added to */
    real *thick_bar;            /* [elements]; added to, or NULL */
    real *gravity_contribution; /* [elements][DIM] an element's contribution to g_bar; set */
} fem_weight_adj_args;

/* Nodal forces of a force per volume at rest, on some elements of a block: one item for each of them. */
typedef struct {
    fem_block b;        /* with the rule of masses */
    int n;              /* elements in the list */
    const int *element; /* [n] numbers in the mesh of elements of the block, each once */
    double scale;       /* N/m^3 per unit of value */
    const wide *value;  /* [DIM] force per volume at rest, before scale and factor; with a stride [n][points][stride] */
    int stride;         /* DIM: the value varies and is that of each point; 0: it is the same everywhere */
    const wide *factor; /* [1] of the step's time curve; NULL: 1 */
    real *out;          /* [element nodes][DIM] N; set for these elements' nodes */
} fem_body_force_args;

/* As that of the weight:  y . f = sum_q V L.b,  X_bar_a = sum_q V (L.b) g_a,  value_bar = sum_q V L. */
typedef struct {
    fem_body_force_args fwd;  /* out is not read */
    const real *y;            /* [nodes][DIM] cotangent of the nodal forces */
    real *rest_bar;           /* [element nodes][DIM]; set for these elements' nodes */
    real *thick_bar;          /* [elements]; added to, or NULL */
    real *value_contribution; /* [n][DIM] an element's contribution to value_bar; set */
    wide *point_bar;          /* [n][points][DIM] cotangent of a value that varies; set, or NULL */
} fem_body_force_adj_args;

/* Nodal forces of a traction or pressure on faces, see fem_load.h: one item for each face. */
typedef struct {
    fem_rule rule;          /* of the faces */
    int plane;              /* 2D: a pio_plane_state; 3D: 0 */
    int kind;               /* PIO_TRACTION or PIO_PRESSURE */
    int first_element_node; /* number of its first element node among those of all loads */
    const int *vertex;      /* [faces][nodes] surface vertices, outward by their order */
    const real *rest;       /* [vertices][DIM] positions m; of a follower pressure those of the deformed body */
    const int *owner;       /* [faces] element behind a face */
    const real *thick;      /* [elements] m; NULL in 3D */
    double scale;           /* Pa per unit of value */
    const wide *value;      /* [DIM] of a traction, [1] of a pressure; with a stride [faces][points][stride] */
    int stride;             /* DIM or 1: the value varies and is that of each point; 0: it is the same everywhere */
    const wide *factor;     /* [1] of the step's time curve; NULL: 1 */
    const wide *area;       /* [1] m^2 over which a total force is spread; NULL: values are not of total forces */
    real *out;              /* [element nodes][DIM] N; set for these faces' element nodes */
} fem_face_args;

/* With L = sum_a N_a y_a:  y . f = thick sum_q w L . force(m);
 *     traction: m_bar = w (L.t) m/|m|, t_bar = w |m| L;   pressure: m_bar = -w p L, p_bar = -w L.m
 *     m = a x b: a_bar = b x m_bar, b_bar = m_bar x a (in 2D m = (a_y, -a_x))
 *     X_bar_n = dN_n,0 a_bar + dN_n,1 b_bar */
typedef struct {
    fem_face_args fwd;        /* out is not read */
    const real *y;            /* [vertices][DIM] cotangent of the forces */
    real *rest_bar;           /* [element nodes][DIM]; set for these faces' element nodes */
    int faces;                /* number of faces of this load */
    real *value_contribution; /* [faces][DIM] a face's contribution to value_bar; set */
    wide *point_bar;          /* [faces][points][stride] cotangent of a value that varies; set, or NULL */
    real *thick_contribution; /* [faces] its contribution to its owner's thickness_bar; set, or NULL */
} fem_face_adj_args;

/* A total force F acts as the traction t = F/A at every face of it, A their area at rest:  A = sum over faces of thick
 * sum_q w |m| */
typedef struct {
    fem_face_args f; /* the faces; value, scale, factor, area and out are not read */
} fem_face_area_args;

/* F_bar is that of the whole adjoint sweep, in which A is a constant: fem_face_adj has set it for constant A. Then
 *     F_bar = t_bar/A  and  A_bar = -F.t_bar/A^2 = -(F.F_bar)/A,     m_bar = A_bar thick w m/|m|,   thickness_bar =
 *     A_bar sum_q w |m| */
typedef struct {
    fem_face_args fwd;        /* value: F; scale, factor and out are not read */
    const wide *value_bar;    /* [DIM] F_bar */
    real *rest_bar;           /* [element nodes][DIM]; set for these faces' element nodes */
    real *thick_contribution; /* [faces] its contribution to its owner's thickness_bar; set, or NULL */
} fem_face_area_adj_args;

/* thickness_bar of the elements behind the faces of a load (one item: an element may have two of them; 2D faces are
 * few). */
typedef struct {
    int faces;                /* of the load */
    const int *owner;         /* [faces] element behind a face */
    const real *contribution; /* [faces] to the thickness's cotangent, J's unit per m */
    real *thick_bar;          /* [elements]; added to */
} fem_face_thick_args;

/* A term of the sum of one component of a field: one for each item. */
typedef struct {
    int n, components, component; /* items, components of the field, and the one that is summed */
    const real *in;               /* [n][components] the field */
} field_sum_args;

/* The increment from u to the prescribed value of this time, for each constrained unknown. */
typedef struct {
    const int *node, *axis, *support; /* [constrained unknowns] its node and component, and which boundary condition */
    const wide *value;                /* [supports] prescribed displacement m */
    const int *curve;                 /* [supports] or -1: constant in time */
    const wide *factor;               /* [curves] value at this step */
    const real *u;                    /* [nodes][DIM] displacement m */
    real *du;                         /* [nodes][DIM] increment m; set at constrained unknowns */
} fem_prescribe_args;

/* u = value at the end of the step, whatever it was before: each constrained unknown's contribution to value_bar. */
typedef struct {
    const int *node, *axis, *support; /* [constrained unknowns] as of fem_prescribe */
    const int *curve;                 /* [supports] or -1: constant in time */
    const wide *factor;               /* [curves] value at this step */
    const real *u_bar;                /* [nodes][DIM] total cotangent, that by reactions included */
    real *contribution;               /* [constrained unknowns] to the support's value_bar; set */
} fem_prescribe_adj_args;

/* Sets components to 0: the constrained ones, or with keep_constrained the free ones. One item for each node. */
typedef struct {
    const int *constrained; /* [nodes] bit c: component c is prescribed */
    int keep_constrained;   /* 1: free components become 0, 0: constrained ones */
    real *x;                /* [nodes][DIM] the nodal vector; changed */
} fem_mask_args;

/* Rest positions moved by value - base with their group, along some axes: one item for each node. */
typedef struct {
    int components, first; /* axes first .. first + components - 1 are set */
    const int *index;      /* [nodes] group or -1 */
    const wide *value;     /* [groups][components] position of a group, m */
    double base[DIM];      /* [components] the value at which a group stays where it is, m */
    const real *reference; /* [nodes][DIM] rest positions at that value, m */
    real *rest;            /* [nodes][DIM] X, m; set where index >= 0 */
} fem_rest_args;

/* A term of value_bar of one group and component: one for each node. */
typedef struct {
    const int *index;     /* [nodes] group or -1 */
    int group, component; /* whose cotangent is summed */
    const real *bar;      /* [nodes][DIM] cotangent of X */
} fem_rest_sum_args;

/* The same where every node is a group of its own: one item for each node. */
typedef struct {
    int components, first; /* as in fem_rest_args */
    const int *index;      /* [nodes] group or -1 */
    const real *bar;       /* [nodes][DIM] cotangent of X */
    wide *value_bar;       /* [groups][components] J's unit per m; set */
} fem_rest_each_args;

#endif
