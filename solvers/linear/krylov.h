/* krylov.h -- A x = b by Krylov methods, on the device, for any operator of linop.h.
 *
 * PCG takes positive definite operators, MINRES symmetric ones, GMRES(m) any; another pairing is an error. A
 * preconditioner must be positive definite for PCG and MINRES; GMRES takes any, from the right. A^T x = b:
 * pio_linop_transposed.
 *
 * A solve has converged when |b - A x| <= tolerance |b|, Euclidean lengths, with the residual computed anew from x: the
 * residual that a method carries along drifts from it. Where the two disagree the method begins again from x; where
 * that does not help either, the solve has stagnated. What can be reached is |b - A x| of about eps |A| |x|, which
 * rounding alone makes: relative to |b| at worst eps cond(A), eps = 6e-8 in f32 and 1e-16 in f64. In f32 that is 1e-7
 * of a well-conditioned system and 1e-6 where cond(A) is some thousands (test_krylov.c prints both): 1e-5 is a
 * safe tolerance, and a stiffer system needs a larger one. |b|^2 is computed in double and must neither overflow nor
 * vanish: 1e-150 < |b| < 1e150.
 *
 * Scalars stay on the device. The host checks them (one download) once at the start, after every `check_every`
 * iterations (GMRES: unless a cycle ends there), and once each time b - A x was computed anew. PCG in few launches
 * computes b - A x after every `check_every` iterations, and the host checks then only. Iterations launched
 * past the end change nothing, so neither check_every nor the number of threads changes a bit of x. */
#ifndef PIOLA_SOLVERS_KRYLOV_H
#define PIOLA_SOLVERS_KRYLOV_H

#include "kernels/backend/queue.h"
#include "solvers/linear/linop.h"

enum { PIO_KRYLOV_VECTORS = 8 };

/* Device workspace. */
typedef struct {
    int64_t unknowns;                 /* at most */
    unsigned methods;                 /* as of pio_krylov_layout() */
    krylov_state *state;              /* [2] scalars of the solve; PCG in few launches has both */
    real *vector[PIO_KRYLOV_VECTORS]; /* [unknowns] each; as many as the methods need */
    real *basis;                      /* GMRES: [restart + 1][unknowns] */
    gmres_small small;                /* GMRES: the Hessenberg matrix and its rotations */
} pio_krylov;

typedef struct {
    pio_linear_method method; /* PIO_PCG, PIO_MINRES, PIO_GMRES */
    double tolerance;         /* of |b - A x| / |b|, in (0, 1) */
    int max_iterations;       /* >= 1; an iteration has one product with A */
    int check_every;          /* iterations between checks, >= 1: 1 on a CPU, more where a check is expensive */
    int drift_ends;           /* 1: PCG and MINRES stagnate where the residual has drifted: the caller refines */
    int few_launches;         /* 1: PCG in 4 launches an iteration, not 8; with more work in each */
    const char *(*interrupted)(void); /* polled at every check: returns why to stop, or NULL; NULL: never */
} pio_krylov_options;

typedef struct {
    int stop;          /* KRYLOV_ of kernels/linear/krylov.h */
    int iterations;    /* number of products with A within the method */
    int restarts;      /* GMRES: cycles after the first; otherwise restarts because the residual had drifted */
    int64_t downloads; /* number of checks */
    double rhs;        /* |b| */
    double residual;   /* |b - A x|, computed from x at the end */
    double relative;   /* residual / |b|; 0 when b = 0 */
    double value;      /* the number that made it fail, such as p . A p */
    uint64_t fault;    /* PCG in few launches: *system.fault at the last check */
} pio_krylov_result;

/* Takes the device memory from the arena, or measures it; systems have so many unknowns at most. `methods`: 1u <<
 * PIO_PCG and so on, or-ed; `restart`: m of GMRES(m), >= 1. The queue's sum_work must hold PIO_SUM_WORK(unknowns). */
void pio_krylov_layout(pio_krylov *k, pio_arena *arena, int64_t unknowns, unsigned methods, int restart);

/* The system A x = b. */
typedef struct {
    const pio_linop *op;   /* A */
    const real *b;         /* device [unknowns] */
    const uint64_t *fault; /* device [1], or NULL: PCG in few launches passes it on to the result with its checks */
    real *x;               /* device [unknowns]: the initial guess (zeros if there is none), then the last iterate */
} pio_krylov_system;

/* Solves a system. x is the last iterate also when the solve failed. Returns PIOLA_NUMERICAL with iteration and number
 * if it did not converge, PIOLA_BAD_DATA for a wrong pairing or an option out of range, PIOLA_INTERNAL for a workspace
 * of another method or a smaller size, PIOLA_INTERRUPTED, or PIOLA_UNAVAILABLE after an error of the device. `result`
 * is filled if the solve has begun. */
piola_status pio_krylov_solve(const pio_krylov *k, pio_queue *queue, const pio_krylov_system *system,
                              const pio_krylov_options *options, pio_krylov_result *result, piola_error *error);

#endif
