/* amg_args.h -- what launches pass to the kernels of amg_modes.h, amg_setup.h and amg.h.
 *
 * A level has a matrix A of square blocks of `size` numbers, DIM where unknowns are displacements and AMG_MODES where
 * they are the amplitudes of an aggregate's modes. P has blocks of size x next_size. */
#ifndef PIOLA_KERNELS_AMG_ARGS_H
#define PIOLA_KERNELS_AMG_ARGS_H

#include "kernels/linear/bsr_args.h"

/* Rigid motions: translations, and rotations about each axis. Steps of the estimate of an eigenvalue. Unknowns of the
 * coarsest matrix, at most, where it is inverted. */
enum { AMG_MODES = DIM * (DIM + 1) / 2, AMG_LANCZOS = 10, AMG_DENSE = 256 };
/* Beside the bits of the axes on which a node cannot move: its modes are those of its place at rest. */
enum { AMG_AT_REST = 8 };
/* Numbers past the end of P, of A P and of vectors that are read and not used: they are read in fours. */
enum { AMG_SPARE = 2 };
/* Numbers that a smoother multiplies by; see amg_lanczos_end. */
enum { AMG_FIRST, AMG_KEEP, AMG_SECOND, AMG_COEFFICIENTS };
/* Block rows of a team of amg_smoothen and amg_residual, and how many teams there are. */
#define AMG_ROWS(size) ((size) == DIM ? (int)BSR_ROWS : 1)
#define AMG_TEAMS(rows, size) (((rows) + AMG_ROWS(size) - 1) / AMG_ROWS(size))

/* ---- setup ---------------------------------------------------------------------------------------------------- */

/* Where rows are: one item for each block row. */
typedef struct {
    const int *node;        /* [rows] the node of each row; NULL: that of the same number */
    const int *constrained; /* [rows] AMG_AT_REST, of small strains alone; other bits are not read */
    const real *rest;       /* [nodes][DIM] rest positions X, m */
    const real *u;          /* [nodes][DIM] displacements, m */
    wide *place;            /* [rows][DIM] X + u, or X where it is at rest, m; set */
} amg_place_args;

/* A matrix in the digits of a preconditioner, made symmetric: one item for each block row. */
typedef struct {
    int size;             /* DIM or AMG_MODES */
    const int *row_start; /* [rows + 1] where the blocks of each row begin, and the last end */
    const int *mirror;    /* [blocks] where block (j,i) of (i,j) is; NULL: A is symmetric */
    const int *diagonal;  /* [rows] number of block (i,i), which is to be the sum of its row; NULL: it stays itself */
    const real *value;    /* [blocks][size][size] entries of A */
    narrow *out;          /* [blocks][size][size] of (A + A^T)/2; set */
} amg_narrow_args;

/* Inverses of the diagonal blocks, which are positive definite but for rows and columns of zeros: one item for each
 * block row. */
typedef struct {
    int size;            /* DIM or AMG_MODES */
    const int *diagonal; /* [rows] number of block (i,i) */
    const real *value;   /* [blocks][size][size] entries of A */
    narrow *inverse;     /* [rows][size][size] D^-1, with zeros where D has a row of zeros; set */
    uint64_t *fault;     /* [1] lowered to the lowest row whose block is not positive definite */
} amg_invert_args;

/* Modes of aggregates: one item for each aggregate. */
typedef struct {
    int size;                /* of the rows: DIM, and they are nodes; or AMG_MODES */
    const int *member_start; /* [aggregates + 1] where the rows of each aggregate begin, and the last end */
    const int *member;       /* [rows] they */
    const wide *place;       /* [rows][DIM] where rows are, m */
    const int *constrained;  /* [rows] bits of the axes on which a node cannot move; NULL: none */
    const wide *modes;       /* [rows][AMG_MODES][AMG_MODES] of rows of AMG_MODES; else NULL */
    wide *center;            /* [aggregates][DIM] mean place, m; set */
    wide *basis;             /* [aggregates][AMG_MODES][AMG_MODES] W: B W has orthonormal columns, or zeros; set */
    wide *coarse_modes;      /* [aggregates][AMG_MODES][AMG_MODES] C: B = (B W) C; set */
} amg_modes_args;

/* P before it is smoothed: one item for each row. */
typedef struct {
    int size;               /* as of amg_modes */
    const int *aggregate;   /* [rows] that a row belongs to; -1: none */
    const wide *place;      /* as of amg_modes */
    const int *constrained; /* as of amg_modes */
    const wide *modes;      /* as of amg_modes */
    const wide *center;     /* [aggregates][DIM] m, by amg_modes */
    const wide *basis;      /* [aggregates][AMG_MODES][AMG_MODES] by amg_modes */
    real *tentative;        /* [rows][size][AMG_MODES] the one block of each row; set, zeros where there is none */
} amg_tentative_args;

/* P smoothed, (1 - 4/(3 lambda) D^-1 A) P: one item for each row. */
typedef struct {
    int size;              /* DIM or AMG_MODES */
    const int *row_start;  /* [rows + 1] of A, as of amg_narrow */
    const int *column;     /* [blocks] block column, ascending within a row */
    const real *value;     /* [blocks][size][size] entries of A */
    const narrow *inverse; /* [rows][size][size] D^-1 */
    const wide *lambda;    /* [1] largest eigenvalue of D^-1 A, > 0 */
    const int *aggregate;  /* [rows] that a row belongs to; -1: none */
    const real *tentative; /* [rows][size][AMG_MODES] by amg_tentative */
    const int *p_start;    /* [rows + 1] where the blocks of each row of P begin, and the last end */
    const int *p_column;   /* [p blocks] their columns, ascending within a row */
    narrow *p;             /* [p blocks][size][AMG_MODES] set */
} amg_smooth_args;

/* A P: a team for each row. */
typedef struct {
    int size, next_size;  /* of blocks of A, and of columns of P */
    const int *row_start; /* [rows + 1] of A, as of amg_narrow */
    const int *column;    /* [blocks] of A, as of amg_smooth */
    const real *value;    /* [blocks][size][size] entries of A */
    const int *p_start;   /* [rows + 1] of P, as of amg_smooth */
    const int *p_column;  /* [p blocks] of P, as of amg_smooth */
    const narrow *p;      /* [p blocks][size][next_size], and AMG_SPARE numbers more */
    const int *ap_start;  /* [rows + 1] where the blocks of each row of A P begin, and the last end */
    const int *ap_column; /* [ap blocks] their columns, ascending within a row */
    real *ap;             /* [ap blocks][size][next_size] set */
} amg_multiply_args;

/* P^T (A P): a team for each of its rows. */
typedef struct {
    int size, next_size;    /* as of amg_multiply */
    const int *t_start;     /* [next rows + 1] where the blocks of each column of P begin, and the last end */
    const int *t_row;       /* [p blocks] their rows, ascending within a column */
    const int *t_entry;     /* [p blocks] their numbers */
    const narrow *p;        /* as of amg_multiply */
    const int *ap_start;    /* [rows + 1] of A P, as of amg_multiply */
    const int *ap_column;   /* [ap blocks] of A P, as of amg_multiply */
    const real *ap;         /* [ap blocks][size][next_size] A P, and AMG_SPARE numbers more */
    const int *next_start;  /* [next rows + 1] where the blocks of each row of P^T A P begin, and the last end */
    const int *next_column; /* [next blocks] their columns, ascending within a row */
    real *next;             /* [next blocks][next_size][next_size] set */
} amg_galerkin_args;

/* The coarsest matrix with all of its numbers: a team for each block row. */
typedef struct {
    int rows, size;       /* of the matrix */
    const int *row_start; /* [rows + 1] of A, as of amg_narrow */
    const int *column;    /* [blocks] of A, as of amg_smooth */
    const real *value;    /* [blocks][size][size] entries of A */
    wide *dense;          /* [rows size][rows size] set */
    wide *own;            /* [rows size] its diagonal; set */
} amg_dense_args;

/* One of n steps by which it becomes its inverse, with zeros where it has a row of zeros: a team for each row. */
typedef struct {
    int n, k;         /* number of rows; of the unknown that is eliminated, from 0 */
    const wide *from; /* [n][n] after the step before */
    const wide *own;  /* [n] diagonal of the matrix, by amg_dense */
    wide *to;         /* [n][n] set; not `from` */
    uint64_t *fault;  /* [1] lowered to 0 if the matrix is not positive definite */
} amg_eliminate_args;

/* The start of an estimate of the largest eigenvalue of D^-1 A: one item for each block row. */
typedef struct {
    int size;              /* DIM or AMG_MODES */
    const narrow *inverse; /* [rows][size][size] D^-1 */
    narrow *r, *z, *p;     /* [rows][size] a fixed vector of all frequencies, D^-1 r twice; set */
} amg_lanczos_begin_args;

/* A step of it: one item for each block row. */
typedef struct {
    int size;              /* DIM or AMG_MODES */
    const narrow *inverse; /* [rows][size][size] D^-1 */
    const wide *dots;      /* [2] r . z and p . q */
    const narrow *q;       /* [rows][size] -A p */
    narrow *r;             /* [rows][size] changed by (r . z/p . A p) q */
    narrow *z;             /* [rows][size] D^-1 r; set */
} amg_lanczos_advance_args;

/* The next direction of it: one item for each number. */
typedef struct {
    const wide *dots; /* [3] r . z, p . q, and the next r . z */
    const narrow *z;  /* [rows][size] D^-1 r */
    narrow *p;        /* [rows][size] the direction; set from itself */
} amg_lanczos_direction_args;

/* What the steps say: one item. */
typedef struct {
    const wide *dots;     /* [2 AMG_LANCZOS + 1] r . z, p . q, r . z, ... */
    wide *lambda;         /* [1] an estimate of the largest eigenvalue of D^-1 A, enlarged by a twentieth; set */
    narrow *coefficients; /* [AMG_COEFFICIENTS] of the smoother; set */
} amg_lanczos_end_args;

/* A dot product: one item for each number. */
typedef struct {
    const narrow *a, *b; /* [n] two vectors, which may be the same */
} amg_dot_args;

/* ---- the cycle ------------------------------------------------------------------------------------------------ */

/* A residual in the digits of the preconditioner, of length 1: one item for each number. */
typedef struct {
    const real *r;      /* [n] a vector */
    const wide *square; /* [1] |r|^2 */
    narrow *b;          /* [n] r/|r|, or zeros; set */
} amg_enter_args;

/* The first step of a smoother from x = 0: one item for each block row. */
typedef struct {
    int size;                   /* DIM or AMG_MODES */
    const narrow *inverse;      /* [rows][size][size] D^-1 */
    const narrow *coefficients; /* [AMG_COEFFICIENTS] by amg_lanczos_end */
    const narrow *b;            /* [rows][size] the right-hand side */
    narrow *d;                  /* [rows][size] the step, which is x; set */
} amg_open_args;

/* A matrix as the cycle has it. */
typedef struct {
    int rows, size;       /* block rows; of blocks: DIM or AMG_MODES */
    const int *row_start; /* [rows + 1] where the blocks of each row begin, and the last end */
    const int *column;    /* [blocks] block column, ascending within a row */
    const int *diagonal;  /* [rows] where amg_narrow has put sums of rows; NULL: nowhere */
    const narrow *value;  /* [blocks][size][size] by amg_narrow */
} amg_matrix;

/* A step of a smoother: a team for each AMG_ROWS(size) block rows. */
typedef struct {
    amg_matrix a;               /* A */
    const narrow *inverse;      /* [rows][size][size] D^-1 */
    const narrow *coefficients; /* [AMG_COEFFICIENTS] by amg_lanczos_end */
    int second;                 /* 1: the second step, 0: the first */
    const narrow *v; /* [rows][size] by which r has not been lessened: the last step, or x; and AMG_SPARE more */
    const narrow *r; /* [rows][size] residual without A v; b where v is x */
    const narrow *x; /* [rows][size] */
    narrow *r_out;   /* [rows][size] r - A v; set, may be r */
    narrow *d;       /* [rows][size] the step; set, not v */
    narrow *x_out;   /* [rows][size] x + d; set, may be x where that is not v */
} amg_smoothen_args;

/* r - A v: teams as of amg_smoothen. */
typedef struct {
    amg_matrix a;    /* A */
    const narrow *v; /* [rows][size] a vector, and AMG_SPARE numbers more */
    const narrow *r; /* [rows][size] a vector; NULL: zeros */
    narrow *out;     /* [rows][size] set; may be r, not v */
} amg_residual_args;

/* P^T r: a team for each column of P. */
typedef struct {
    int size, next_size; /* as of amg_multiply */
    const int *t_start;  /* as of amg_galerkin */
    const int *t_row;    /* [p blocks] as of amg_galerkin */
    const int *t_entry;  /* [p blocks] as of amg_galerkin */
    const narrow *p;     /* [p blocks][size][next_size] */
    const narrow *r;     /* [rows][size] residual */
    narrow *b;           /* [next rows][next_size] right-hand side of the next level; set */
} amg_restrict_args;

/* x + P e: one item for each row of P. */
typedef struct {
    int size, next_size; /* as of amg_multiply */
    const int *p_start;  /* [rows + 1] of P, as of amg_smooth */
    const int *p_column; /* [p blocks] of P, as of amg_smooth */
    const narrow *p;     /* [p blocks][size][next_size] */
    const narrow *e;     /* [next rows][next_size] correction by the next level */
    narrow *x;           /* [rows][size] changed */
} amg_prolong_args;

/* The solution of the coarsest level: one item for each unknown. */
typedef struct {
    int n;               /* number of unknowns */
    const wide *inverse; /* [n][n] by amg_eliminate */
    const narrow *b;     /* [n] right-hand side */
    narrow *x;           /* [n] set */
} amg_coarsest_args;

/* The end of a cycle: one item for each number. */
typedef struct {
    const narrow *x;    /* [n] what the cycle has made of r/|r| */
    const wide *square; /* [1] |r|^2 */
    real *y;            /* [n] |r| x; set */
} amg_leave_args;

#endif
