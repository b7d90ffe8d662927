/* krylov.h -- A x = b by Krylov methods, on the device, for any operator of linop.h.
 *
 * PCG takes positive definite operators, MINRES symmetric ones, GMRES(m) any; another pairing is refused. A
 * preconditioner is to be positive definite for PCG and MINRES; GMRES takes any, from the right. A^T x = b:
 * pio_linop_transposed.
 *
 * A solve has converged when |b - A x| <= tolerance |b|, Euclidean lengths, with the residual computed anew from x: the
 * residual that a method carries along drifts from it. Where the two disagree the method begins again from x; where
 * that does not help either, the solve has stagnated. What can be reached is |b - A x| of about eps |A| |x|, which
 * rounding alone makes: relative to |b| at worst eps cond(A), eps = 6e-8 in f32 and 1e-16 in f64. In f32 that is 1e-7
 * of a well-conditioned system and 1e-6 where cond(A) is some thousands (test_krylov.c prints both): ask for 1e-5, and
 * not that much of a stiffer system. |b|^2 is computed in double and must neither overflow nor vanish: 1e-150 < |b| <
 * 1e150.
 *
 * Scalars stay on the device. The host looks (one download) once at the start, after every `check_every` iterations
 * (GMRES: unless a cycle ends there), and once each time b - A x was computed anew. Iterations launched past the end
 * change nothing, so neither check_every nor the number of threads changes a bit of x. */
#ifndef PIOLA_SOLVERS_KRYLOV_H
#define PIOLA_SOLVERS_KRYLOV_H

#include "kernels/backend/queue.h"
#include "solvers/linear/linop.h"

enum { PIO_KRYLOV_VECTORS = 8 };

/* Device workspace. */
typedef struct {
    int64_t unknowns;
    unsigned methods;
    krylov_state *state;
    real *vector[PIO_KRYLOV_VECTORS]; /* [unknowns] each; as many as the methods need */
    real *basis;                      /* GMRES: [restart + 1][unknowns] */
    gmres_small small;
} pio_krylov;

typedef struct {
    pio_linear_method method;         /* PIO_PCG, PIO_MINRES, PIO_GMRES */
    double tolerance;                 /* of |b - A x| / |b|, in (0, 1) */
    int max_iterations;               /* >= 1; an iteration has one product with A */
    int check_every;                  /* iterations between looks, >= 1: 1 on a CPU, more where a look costs much */
    const char *(*interrupted)(void); /* asked at every look: why to stop now, or NULL to go on; NULL: never */
} pio_krylov_options;

typedef struct {
    int stop; /* KRYLOV_ of kernels/linear/krylov.h */
    int iterations;
    int restarts;      /* GMRES: cycles after the first; else starts anew because the residual had drifted */
    int64_t downloads; /* looks */
    double rhs;        /* |b| */
    double residual;   /* |b - A x|, computed from x at the end */
    double relative;   /* residual / |b|; 0 when b = 0 */
    double value;      /* of the failure: p . A p and so on */
} pio_krylov_result;

/* Take the memory, or measure it. `methods`: 1u << PIO_PCG and so on, or-ed; `restart`: m of GMRES(m), >= 1. The
 * queue's sum_work must hold PIO_SUM_WORK(unknowns). */
void pio_krylov_layout(pio_krylov *k, pio_arena *arena, int64_t unknowns, unsigned methods, int restart);

/* A x = b. */
typedef struct {
    const pio_linop *op; /* A */
    const real *b;       /* device [unknowns] */
    real *x; /* device [unknowns]: a first guess on entry (zeros where there is none), the last iterate after */
} pio_krylov_system;

/* Solve a system. x is the last iterate also when the solve failed: PIOLA_NUMERICAL with iteration and number,
 * PIOLA_BAD_DATA for a wrong pairing, PIOLA_INTERRUPTED. `result` is filled whenever the solve was begun. */
piola_status pio_krylov_solve(const pio_krylov *k, pio_queue *queue, const pio_krylov_system *system,
                              const pio_krylov_options *options, pio_krylov_result *result, piola_error *error);

#endif
