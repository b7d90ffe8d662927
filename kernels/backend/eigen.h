/* eigen.h -- the seam between solvers and libraries that find eigenvalues: one table of functions per library.
 *
 * A library is a loadable module of its own, piola_eigen_NAME.so beside the engines, as those of direct.h are, that
 * exports its table as `piola_eigen`. The device's backend names the module (table.h). It finds the eigenvalues of
 *
 *     K x = lambda M x,    K symmetric, M symmetric and positive semidefinite
 *
 * that are the largest of 1/(lambda - shift), from vectors alone (reverse communication): the caller applies M, and the
 * inverse of K - shift M. Vectors are in the host's memory. */
#ifndef PIOLA_KERNELS_BACKEND_EIGEN_H
#define PIOLA_KERNELS_BACKEND_EIGEN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PIO_EIGEN_VERSION = 1, PIO_EIGEN_TEXT = 256 };

/* The outcome of a call; all but OK come with a message. */
typedef enum {
    PIO_EIGEN_OK,
    PIO_EIGEN_NOT_CONVERGED, /* fewer eigenvalues were found than were wanted */
    PIO_EIGEN_NO_MEMORY,
    PIO_EIGEN_BUSY, /* the library has one problem at a time, and another one has begun */
    PIO_EIGEN_FAILED
} pio_eigen_outcome;

/* What the caller does before the next step. */
typedef enum {
    PIO_EIGEN_DONE,    /* nothing: the problem is solved */
    PIO_EIGEN_INVERSE, /* y = (K - shift M)^-1 M x */
    PIO_EIGEN_SOLVE,   /* y = (K - shift M)^-1 mx, where mx = M x is there already */
    PIO_EIGEN_MASS     /* y = M x */
} pio_eigen_task;
typedef struct {
    pio_eigen_task task;
    const double *x, *mx; /* [n]; mx: of SOLVE */
    double *y;            /* [n] set by the caller */
} pio_eigen_request;

/* What is wanted. */
typedef struct {
    int n;               /* unknowns */
    int wanted;          /* eigenvalues, 1 .. basis - 1 */
    int basis;           /* vectors that are kept, at most n */
    int restarts;        /* at most */
    double shift;        /* none of the eigenvalues */
    const double *start; /* [n] the first vector, not 0; the same vector gives the same bits */
} pio_eigen_problem;

typedef struct {
    uint32_t version, size;
    /* Name and version of the library. `message` has room for PIO_EIGEN_TEXT everywhere. */
    pio_eigen_outcome (*probe)(char name[128], char *message);
    /* Returns the bytes that a problem takes. */
    size_t (*bytes)(int n, int basis);
    /* Begins a problem. */
    pio_eigen_outcome (*begin)(const pio_eigen_problem *problem, void **context, char *message);
    /* Goes on, once the last request is done, to the next one. */
    pio_eigen_outcome (*step)(void *context, pio_eigen_request *request, char *message);
    /* After DONE: the eigenvalues [wanted], ascending, and vectors [wanted][n] with x^T M x = 1. */
    pio_eigen_outcome (*result)(void *context, double *lambda, double *vectors, char *message);
    /* Ends a problem at any time; NULL is allowed. */
    void (*end)(void *context);
} pio_eigen_table;

/* Returns the table of the module piola_eigen_NAME.so beside this one, or NULL and why in `message`. The module stays
 * open as long as the process. */
const pio_eigen_table *pio_eigen_open(const char *name, char *message);

#ifdef __cplusplus
}
#endif
#endif
