/* mpm_reversible_args.h -- what launches pass to the kernels of mpm_reversible.h. */
#ifndef PIOLA_KERNELS_MPM_REVERSIBLE_ARGS_H
#define PIOLA_KERNELS_MPM_REVERSIBLE_ARGS_H

#include "kernels/base/base.h"
#include "kernels/mpm/mpm_args.h"

#ifdef PIO_DUAL
typedef wide quanta;
#else
typedef int64_t quanta;
#endif

#define QUANTA_OF_SPEED W(1152921504606846976.0) /* 2^60 per dx/h */
#define QUANTA_OF_FBAR W(281474976710656.0)      /* 2^48 */
#define QUANTA_OF_LOG W(1125899906842624.0)      /* 2^50 */
#define LOG_MOST 64                              /* exp(64) is a number in f32, too */

/* The state on the lattice, stored as the particles are. Only the numbers in the arrays change during a run. */
typedef struct {
    int n;          /* particles */
    int bits;       /* of a place, 1 .. 52: so that that of every node is below 2^61 */
    quanta *x;      /* [n][DIM] from node 0 */
    quanta *v;      /* [n][DIM] */
    quanta *l;      /* [n] */
    quanta *F;      /* [n][DIM * DIM]; NULL: there are no solids */
    uint64_t *kept; /* [n][DIM] residuals of damping; NULL: no damping */
} mpm_lattice;

#define DAMPING_BITS 14

/* Before the residuals of damping grow too large, 32 bits of each are moved to a log; with sign < 0 they are moved
 * back. One item for each residual. */
typedef struct {
    int sign;       /* < 0: the inverse */
    uint64_t *kept; /* [DIM * n] */
    uint32_t *log;  /* [DIM * n] of this time; NULL: the bits are dropped */
} mpm_log_residuals_args;

/* The state on the lattice, from floats: one item for each particle. */
typedef struct {
    mpm_state s;    /* [n][.] */
    mpm_lattice t;  /* the state in quanta */
    const int *law; /* [n] */
    mpm_box box;    /* the grid and its walls */
    mpm_step *step; /* its fault is lowered where a number is out of range */
} mpm_lattice_round_args;

/* The state as the other kernels read it: particle p is number p. */
typedef struct {
    mpm_lattice t;        /* the state in quanta */
    const int *law;       /* [n] */
    mpm_box box;          /* the grid and its walls */
    const mpm_step *step; /* [1] the step block */
    mpm_state out;        /* [n][.]; set */
} mpm_lattice_read_args;

/* The drift x += sign Q(h v): one item for each particle. */
typedef struct {
    mpm_lattice t;   /* v is that after the kick */
    int sign;        /* < 0: the inverse */
    mpm_box box;     /* the grid and its walls */
    mpm_step *step;  /* its fault is lowered to the first fault found */
    const int *id;   /* [n] */
    const quanta *x; /* [n][DIM] */
    quanta *next_x;  /* [n][DIM], x itself; NULL: not kept */
    const int *from; /* [n] cells of x */
    int *cell;       /* [n], `from` itself or another; set */
    real *offset;    /* [n][DIM]; set */
    const quanta *v; /* [n][DIM] */
} mpm_drift_args;

/* The adjoint of mpm_drift in the velocity; that in the position is the identity. One item for each particle. */
typedef struct {
    int n;                  /* particles */
    const mpm_step *step;   /* [1] the step block */
    real inv_dx;            /* 1/m */
    const real *offset_bar; /* [n][DIM] of the places after */
    real *velocity_bar;     /* [n][DIM]; added to */
} mpm_drift_adj_args;

#endif
