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

typedef struct {
    int unknowns;
    int active;         /* limit of launches: unknowns, or 0 after a stop */
    int stop;           /* KRYLOV_ */
    int iterations;     /* done; a failing one counts */
    int max_iterations; /* >= 1 */
    int restarts;       /* times that the method began again from x */
    int columns;        /* GMRES: of this cycle */
    int reserved;
    wide target;   /* |r|^2 to reach */
    wide rhs;      /* |b|^2 */
    wide residual; /* |r|^2 as the method knows it; |b - A x|^2 after krylov_verify */
    wide checked;  /* |b - A x|^2 when it was computed last */
    wide value;    /* what went wrong, as a number */
    /* results of sums; 0 when not active */
    wide dot_b; /* b . b */
    wide dot_r; /* r . r */
    wide dot_a; /* p . A p, v . A v */
    wide dot_z; /* r . M^-1 r; GMRES: w . w */
    /* PCG */
    wide rz, alpha, beta;
    /* MINRES: rotations, then the coefficients of minres_project and minres_update */
    wide c, s, dbar, epsilon, phibar;
    wide inv_beta, ratio;
    wide by_v, by_w, by_older, phi, by_r, by_next;
    /* GMRES: 1 / length of the next basis vector */
    wide scale;
} krylov_state;

/* Terms of a . b, one for each unknown. */
typedef struct {
    const real *a, *b; /* [n] */
} krylov_dot_args;

/* The residual b - A x in place of A x, and terms of its squared norm: one item for each unknown. */
typedef struct {
    const real *b; /* [n] */
    real *r;       /* [n] A x, becomes b - A x */
} krylov_residual_args;

/* One item: the state, from dot_b and dot_r. */
typedef struct {
    krylov_state *state;
    int unknowns, max_iterations;
    double tolerance; /* of |r| / |b| */
} krylov_begin_args;

/* One item: dot_r is |b - A x|^2, computed anew. A method that believed to be done but is not begins again from x; it
 * has stagnated when the residual is still more than `stagnation` times what it was when it was computed last. */
typedef struct {
    krylov_state *state;
    double stagnation; /* ratio of norms, in (0, 1) */
} krylov_verify_args;

/* One item: r . M^-1 r, which must be positive. `first`: of a start from x, else of an iteration. */
typedef struct {
    krylov_state *state;
    int first;
} pcg_beta_args;

/* One item: the length of the step, where p . A p is positive. */
typedef struct {
    krylov_state *state;
} pcg_alpha_args;

/* x += alpha p, r -= alpha q; the term of r . r */
typedef struct {
    const krylov_state *state;
    const real *p, *q; /* [n] direction, A p */
    real *x, *r;       /* [n]; added to */
} pcg_update_args;

/* p = z + beta p */
typedef struct {
    const krylov_state *state;
    const real *z; /* [n] M^-1 r */
    real *p;       /* [n] */
} pcg_direction_args;

/* One item: the first Lanczos vector, dot_z = r . M^-1 r. */
typedef struct {
    krylov_state *state;
} minres_open_args;

/* p = A z / beta - (beta/beta_old) y_old; the term of v . p */
typedef struct {
    const krylov_state *state;
    const real *z, *older; /* [n]; older: not read in the first iteration */
    real *p;               /* [n] A z; set */
} minres_project_args;

/* p -= (alpha/beta) y */
typedef struct {
    const krylov_state *state;
    const real *y; /* [n] */
    real *p;       /* [n] */
} minres_orthogonalise_args;

/* One item: dot_a = alpha and dot_z = beta_next^2 become the next reflection and all coefficients. */
typedef struct {
    krylov_state *state;
} minres_rotate_args;

/* w = (v - delta w_1 - epsilon w_2) / gamma, x += phi w, and the residual; the term of r . r */
typedef struct {
    const krylov_state *state;
    const real *z, *w, *next; /* [n] z of this iteration; the w before; y of the next iteration */
    real *older;              /* [n] the w before that; becomes the new one */
    real *x, *r;              /* [n] */
} minres_update_args;

/* One item. */
typedef struct {
    krylov_state *state;
} minres_judge_args;

/* Device arrays of the small least-squares problem, m = restart length. */
typedef struct {
    int m;
    wide *h;     /* [m][m + 1] columns of the Hessenberg matrix; becomes R */
    wide *c, *s; /* [m] rotations */
    wide *g;     /* [m + 1] right-hand side; g[k]: residual before column k */
    wide *y;     /* [m] solution */
} gmres_small;

/* One item: begin a cycle at the residual. */
typedef struct {
    krylov_state *state;
    gmres_small t;
} gmres_open_args;

/* v = v / |v| */
typedef struct {
    const krylov_state *state;
    real *v; /* [n] */
} gmres_normalise_args;

/* w -= h v of the projection before (v may be NULL); the term of w . u, or of w . w where u is NULL */
typedef struct {
    real *w;       /* [n] */
    const wide *h; /* [1] */
    const real *v, *u;
} gmres_project_args;

/* One item: column k, with w . w in dot_z, is made triangular by the rotations so far and a new one. */
typedef struct {
    krylov_state *state;
    gmres_small t;
    int k;
} gmres_rotate_args;

/* One item: R y = g for the columns of this cycle. */
typedef struct {
    const krylov_state *state;
    gmres_small t;
} gmres_solve_args;

/* u = V y */
typedef struct {
    const krylov_state *state;
    int n;
    const real *v; /* [m][n] */
    const wide *y; /* [m] */
    real *u;       /* [n]; set */
} gmres_combine_args;

/* x += z */
typedef struct {
    const real *z; /* [n] */
    real *x;       /* [n]; added to */
} krylov_add_args;

#endif
