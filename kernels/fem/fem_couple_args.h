/* fem_couple_args.h -- what launches pass to the kernels of fem_couple.h. */
#ifndef PIOLA_KERNELS_FEM_COUPLE_ARGS_H
#define PIOLA_KERNELS_FEM_COUPLE_ARGS_H

#include "kernels/base/base.h"
#include "kernels/fem/fem_load_args.h"

/* The numbers of a couple, and of their cotangents: area A, m^2; first moments S, m^3; centroid c = S/A, m; second
 * moments about c, xx, yy, zz, xy, yz, xz, m^4; a, N/m^3. In 2D those of z, and of a those of x and y, are 0. */
enum {
    COUPLE_AREA,
    COUPLE_FIRST,
    COUPLE_CENTER = COUPLE_FIRST + 3,
    COUPLE_SECOND = COUPLE_CENTER + 3,
    COUPLE_TURN = COUPLE_SECOND + 6,
    COUPLE_NUMBERS = COUPLE_TURN + 3
};

/* One of area, first and second moments of faces: a term for each face. */
typedef struct {
    fem_face_args f;    /* the faces; value, scale, factor, area and out are not read */
    int which;          /* COUPLE_AREA, or FIRST, or SECOND, and those behind them */
    const wide *couple; /* [COUPLE_NUMBERS] of second moments: the centroid is read */
} fem_couple_integral_args;

/* A = sum dA, S = sum dA X and C = sum dA r r^T, with dA = thick w |m|, r = X - c and X = sum_n N_n X_n at a point:
 *     dA_bar = A_bar + S_bar.X + C_bar:r r^T,   X_bar = dA (S_bar + 2 C_bar r),   thickness_bar = dA_bar w |m|
 * C does not change with c where that is the centroid, since sum dA r = 0 there. */
typedef struct {
    fem_couple_integral_args fwd; /* which is not read */
    const wide *couple_bar;       /* [COUPLE_NUMBERS] cotangents of A, S and C */
    real *rest_bar;               /* [element nodes][DIM]; set for these faces' element nodes */
    real *thick_contribution;     /* [faces] a face's contribution to its owner's thickness_bar; set, or NULL */
} fem_couple_integral_adj_args;

/* The centroid c = S/A; the one item is 0. */
typedef struct {
    wide *couple; /* [COUPLE_NUMBERS] A and S are read, c is set */
} fem_couple_center_args;

/* S_bar = c_bar/A,   A_bar = -c.c_bar/A */
typedef struct {
    fem_couple_center_args fwd; /* c is read */
    wide *couple_bar;           /* [COUPLE_NUMBERS] that of c is read; those of A and S are set */
} fem_couple_center_adj_args;

/* a = J^-1 m, with the inertia of area J = (tr C) 1 - C; the one item is 0. */
typedef struct {
    const wide *moment; /* [3] m, N m; in 2D [1] */
    wide *couple;       /* [COUPLE_NUMBERS] C is read, a is set */
} fem_couple_solve_args;

/* b = J^-1 a_bar:   m_bar = b,   J_bar = -b a^T */
typedef struct {
    fem_couple_solve_args fwd; /* a is read */
    wide *moment_bar;          /* [3] of m, in 2D [1]; added to */
    wide *couple_bar;          /* [COUPLE_NUMBERS] that of a is read, that of C is set */
} fem_couple_solve_adj_args;

/* The traction a x r at all points of a face, before scale and factor: one item for each face. */
typedef struct {
    fem_face_args f;    /* the faces; value, scale, factor, area and out are not read */
    const wide *couple; /* [COUPLE_NUMBERS] centroid and a are read */
    wide *out;          /* [faces][points][DIM] Pa; set */
} fem_couple_args;

/* t = a x r:   a_bar = r x t_bar,   r_bar = t_bar x a,   X_bar = r_bar,   c_bar = -r_bar */
typedef struct {
    fem_couple_args fwd; /* out is not read */
    int faces;           /* of this load */
    const wide *out_bar; /* [faces][points][DIM] cotangents of the tractions */
    real *rest_bar;      /* [element nodes][DIM]; added to for these faces' element nodes */
    wide *contribution;  /* [6][faces] a face's contribution to a_bar and c_bar; set */
} fem_couple_adj_args;

#endif
