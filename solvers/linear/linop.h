/* Room solvers/linear: linear operators, Krylov methods over them, and direct solves by a library. */
/* linop.h -- linear operators as Newton and Krylov see them: what they do, never how they are stored.
 *
 * `kind` says what may be assumed. A method that assumes more than the operator promises would return a wrong number,
 * so the pairing is checked before anything is solved. bsr.h has one over a matrix of blocks; krylov.h solves with
 * any. */
#ifndef PIOLA_SOLVERS_LINOP_H
#define PIOLA_SOLVERS_LINOP_H

#include "piola_status.h"

typedef enum { PIO_SPD, PIO_SYMMETRIC, PIO_GENERAL } pio_linop_kind; /* each is a special case of the next one */

typedef enum { PIO_CHOLESKY, PIO_PCG, PIO_LDLT, PIO_MINRES, PIO_LU, PIO_QR, PIO_GMRES } pio_linear_method;

/* y = A x and so on; x and y are device vectors of the operator's unknowns. Each returns 0 or a backend's error
 * code. */
typedef struct pio_linop {
    pio_linop_kind kind;
    int64_t unknowns;
    void *context;                                                         /* first argument of the functions */
    int (*apply)(void *context, const void *x, void *y);                   /* y = A x */
    int (*apply_transposed)(void *context, const void *x, void *y);        /* y = A^T x */
    int (*precondition)(void *context, const void *x, void *y);            /* y = M^-1 x, M near A; NULL: none */
    int (*precondition_transposed)(void *context, const void *x, void *y); /* y = M^-T x; NULL: none */
    /* y = A x where the device's int *rows is not 0, for methods that are launched past their end; NULL: none. */
    int (*apply_active)(void *context, const int *rows, const void *x, void *y);
    /* The blocks of M^-1, by which precondition() multiplies; NULL: M is another one, or there is none. */
    const void *inverse;
} pio_linop;

/* Returns the operator A^T, for adjoint solves. */
pio_linop pio_linop_transposed(const pio_linop *op);

/* Returns PIOLA_OK if the method is right for operators of this kind, or PIOLA_BAD_DATA with what would be right. */
piola_status pio_linop_accepts(pio_linear_method method, pio_linop_kind kind, piola_error *error);

#endif
