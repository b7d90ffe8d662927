/* krylov_args.h -- what launches pass to the kernels of krylov.h. */
#ifndef PIOLA_KERNELS_KRYLOV_ARGS_H
#define PIOLA_KERNELS_KRYLOV_ARGS_H

#include "kernels/base/base.h"

/* Why a method stopped. */
enum {
    KRYLOV_RUNNING,
    KRYLOV_CONVERGED,
    KRYLOV_LIMIT,              /* as many iterations as are allowed */
    KRYLOV_STAGNATED,          /* b - A x, computed anew, hardly fell */
    KRYLOV_NEGATIVE_CURVATURE, /* p . A p <= 0: A is not positive definite */
    KRYLOV_BREAKDOWN,          /* A is singular on the Krylov space */
    KRYLOV_PRECONDITIONER,     /* r . M^-1 r <= 0: M is not positive definite */
    KRYLOV_NOT_FINITE
};

/* The scalars of a solve, on the device: see krylov.h. */
typedef struct {
    int unknowns;       /* numbers of a vector */
    int active;         /* limit of launches: unknowns, or 0 after a stop */
    int stop;           /* KRYLOV_... */
    int iterations;     /* done; a failing one counts */
    int max_iterations; /* >= 1 */
    int restarts;       /* times that the method began again from x */
    int columns;        /* GMRES: of this cycle */
    int active_rows;    /* likewise of block rows of DIM unknowns */
    int started;        /* PCG in few launches: 1 after the first iteration from x */
    int reserved;       /* never read: it aligns what follows to 8 bytes */
    uint64_t fault;     /* what pcg_verify was given to pass on to the host with the rest */
    wide target;        /* |r|^2 to reach */
    wide rhs;           /* |b|^2 */
    wide residual;      /* |r|^2 as the method knows it; |b - A x|^2 after krylov_verify */
    wide checked;       /* |b - A x|^2 when it was computed last */
    wide value;         /* what went wrong, as a number */
    /* results of sums; 0 when not active */
    wide dot_b; /* b . b */
    wide dot_r; /* r . r */
    wide dot_a; /* p . A p, v . A v */
    wide dot_z; /* r . M^-1 r; GMRES: w . w */
    wide dot_v; /* |b - A x|^2, computed anew beside a method that may go on */
    /* PCG */
    wide rz, alpha, beta; /* r . M^-1 r; length of the step; what of the old direction the new one has */
    /* MINRES: rotations, then the coefficients of minres_project and minres_update */
    wide c, s, dbar, epsilon, phibar; /* the last reflection; entries of the next column; |r| in the norm of M^-1 */
    wide inv_beta, ratio;             /* 1/beta; beta over the one before, 0 at a start */
    wide by_v, by_w, by_older, phi, by_r, by_next; /* of z, w and older in w; of w in x; of r and next in r */
    wide scale;                                    /* GMRES: 1 / length of the next basis vector */
} krylov_state;

/* Terms of a . b, one for each unknown. */
typedef struct {
    const real *a, *b; /* [n] the factors */
} krylov_dot_args;

/* The residual b - A x in place of A x, and terms of its squared norm: one item for each unknown. */
typedef struct {
    const real *b; /* [n] right-hand side */
    real *r;       /* [n] A x, becomes b - A x */
} krylov_residual_args;

/* One item: the state, from dot_b and dot_r. */
typedef struct {
    krylov_state *state;          /* set, but for the results of sums */
    int unknowns, max_iterations; /* numbers of a vector; most iterations, >= 1 */
    double tolerance;             /* of |r| / |b| */
} krylov_begin_args;

/* One item: dot_r is |b - A x|^2, computed anew. A method that seemed to have converged but has not begins again from
 * x; it has stagnated when the residual is still more than `stagnation` times what it was when it was computed last. */
typedef struct {
    krylov_state *state; /* changed */
    double stagnation;   /* ratio of norms, in (0, 1) */
} krylov_verify_args;

/* One item: r . M^-1 r, which must be positive. */
typedef struct {
    krylov_state *state; /* changed */
    int first;           /* 1: of a start from x, 0: of an iteration */
} pcg_beta_args;

/* One item: the length of the step, where p . A p is positive. */
typedef struct {
    krylov_state *state; /* changed */
} pcg_alpha_args;

/* Adds alpha p to x and -alpha q to r, with the term of r . r: one item for each unknown. */
typedef struct {
    const krylov_state *state; /* alpha is read */
    const real *p, *q;         /* [n] direction, A p */
    real *x, *r;               /* [n] solution, residual; added to */
} pcg_update_args;

/* Sets p = z + beta p: one item for each unknown. */
typedef struct {
    const krylov_state *state; /* beta is read */
    const real *z;             /* [n] M^-1 r */
    real *p;                   /* [n] direction; changed */
} pcg_direction_args;

/* An iteration from p . A p to the next r . M^-1 r, with the term of that: one item for each unknown. */
typedef struct {
    const krylov_state *from; /* dot_a, dot_r and dot_z are read */
    krylov_state *to;         /* set, but for dot_z */
    const real *p, *q, *r;    /* [n] direction, A p, residual */
    const real *inverse;      /* [n / DIM][DIM][DIM] blocks of M^-1, or NULL: M is the identity */
    real *x, *next_r, *z;     /* [n] solution, added to; the new residual and M^-1 times it, set */
} pcg_advance_args;

/* Sets p = z + beta p, with the term of r . r: one item for each unknown. */
typedef struct {
    const krylov_state *state; /* dot_z and rz are read */
    const real *z, *r;         /* [n] M^-1 r, r */
    real *p;                   /* [n] direction; changed */
} pcg_conjugate_args;

/* One item: whether the method has stopped, and if so, what dot_v says of that, as krylov_verify. */
typedef struct {
    krylov_state *state;   /* changed */
    double stagnation;     /* ratio of norms, in (0, 1) */
    const uint64_t *fault; /* [1] passed on to the host with the state, or NULL */
} pcg_verify_args;

/* One item: the first Lanczos vector, dot_z = r . M^-1 r. */
typedef struct {
    krylov_state *state; /* changed */
} minres_open_args;

/* Sets p = A z / beta - (beta/beta_old) y_old, with the term of v . p: one item for each unknown. */
typedef struct {
    const krylov_state *state; /* inv_beta and ratio are read */
    const real *z, *older;     /* [n] z of this iteration, y_old; older: not read in the first iteration */
    real *p;                   /* [n] A z, becomes p */
} minres_project_args;

/* Adds -(alpha/beta) y to p: one item for each unknown. */
typedef struct {
    const krylov_state *state; /* dot_a and inv_beta are read */
    const real *y;             /* [n] y of this iteration */
    real *p;                   /* [n] becomes y of the next */
} minres_orthogonalise_args;

/* One item: dot_a = alpha and dot_z = beta_next^2 become the next reflection and all coefficients. */
typedef struct {
    krylov_state *state; /* changed */
} minres_rotate_args;

/* Sets w = (v - delta w_1 - epsilon w_2) / gamma, adds phi w to x, and updates the residual, with the term of r . r:
 * one item for each unknown. */
typedef struct {
    const krylov_state *state; /* the coefficients of minres_update are read */
    const real *z, *w, *next;  /* [n] z of this iteration; the w before; y of the next iteration */
    real *older;               /* [n] the w before that; becomes the new one */
    real *x, *r;               /* [n] solution, residual; changed */
} minres_update_args;

/* One item: whether the method goes on, with |r|^2 in dot_r. */
typedef struct {
    krylov_state *state; /* changed */
} minres_judge_args;

/* Device arrays of the small least-squares problem, m = restart length. */
typedef struct {
    int m;       /* most columns of a cycle */
    wide *h;     /* [m][m + 1] columns of the Hessenberg matrix; becomes R */
    wide *c, *s; /* [m] rotations */
    wide *g;     /* [m + 1] right-hand side; g[k]: residual before column k */
    wide *y;     /* [m] solution */
} gmres_small;

/* One item: begin a cycle at the residual. */
typedef struct {
    krylov_state *state; /* changed */
    gmres_small t;       /* g[0] is set */
} gmres_open_args;

/* Sets v = v / |v|: one item for each unknown. */
typedef struct {
    const krylov_state *state; /* scale is read */
    real *v;                   /* [n] basis vector; changed */
} gmres_normalise_args;

/* Adds -h v of the projection before to w (v may be NULL), with the term of w . u, or of w . w where u is NULL: one
 * item for each unknown. */
typedef struct {
    real *w;           /* [n] the next basis vector; changed */
    const wide *h;     /* [1] w . v, read where there is v */
    const real *v, *u; /* [n] basis vector of the projection before, and of this one; each may be NULL */
} gmres_project_args;

/* One item: column k, with w . w in dot_z, is made triangular by the rotations so far and a new one. */
typedef struct {
    krylov_state *state; /* changed */
    gmres_small t;       /* changed */
    int k;               /* column, 0 .. m-1 */
} gmres_rotate_args;

/* One item: R y = g for the columns of this cycle. */
typedef struct {
    const krylov_state *state; /* columns is read */
    gmres_small t;             /* y is set */
} gmres_solve_args;

/* Sets u = V y: one item for each unknown. */
typedef struct {
    const krylov_state *state; /* columns is read */
    int n;                     /* unknowns */
    const real *v;             /* [m][n] basis vectors */
    const wide *y;             /* [m] coefficients */
    real *u;                   /* [n] the combination; set */
} gmres_combine_args;

/* Adds z to x: one item for each unknown. */
typedef struct {
    const real *z; /* [n] the correction */
    real *x;       /* [n] the solution; added to */
} krylov_add_args;

#endif
