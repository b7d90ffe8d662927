/* direct.h -- the seam between solvers and libraries of sparse direct solves: one table of functions per library.
 *
 * A library is a loadable module of its own, piola_direct_NAME.so beside the engines, that exports its table as
 * `piola_direct`: engines start where it is missing, and what else it exports (MUMPS has functions named like MPI's)
 * stays hidden. The device's backend names the modules (table.h). A matrix comes as compressed sparse rows of doubles,
 * in engines of either precision: a factor of seven digits would be useless for slender bodies, and f32 is chosen to
 * save memory of vectors. A library may own memory beside the arena; how much is what `analyse` predicts. */
#ifndef PIOLA_KERNELS_BACKEND_DIRECT_H
#define PIOLA_KERNELS_BACKEND_DIRECT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CUstream_st *pio_stream;

enum { PIO_DIRECT_VERSION = 1, PIO_DIRECT_TEXT = 256 };

typedef enum { PIO_FACTOR_CHOLESKY, PIO_FACTOR_LDLT, PIO_FACTOR_LU, PIO_FACTOR_QR, PIO_FACTORS } pio_factor_kind;

/* The outcome of a call; all but OK and INDEFINITE come with a message. */
typedef enum {
    PIO_DIRECT_OK,
    PIO_DIRECT_SINGULAR,
    PIO_DIRECT_INDEFINITE, /* Cholesky found a pivot <= 0: there is no factor */
    PIO_DIRECT_NO_MEMORY,
    PIO_DIRECT_UNAVAILABLE,
    PIO_DIRECT_FAILED
} pio_direct_outcome;

/* Compressed sparse rows on the host: columns ascend within a row, the first index is 0. */
typedef struct {
    int n;
    const int *start;  /* [n + 1] */
    const int *column; /* [start[n]] */
} pio_direct_pattern;

/* What an elimination will take. */
typedef struct {
    size_t bytes;      /* of the factor, and of a factorisation and a solve besides */
    double operations; /* of a factorisation; 0: the library does not report it */
} pio_direct_forecast;

typedef struct {
    uint32_t version, size;
    unsigned kinds; /* bits 1u << pio_factor_kind */
    int lower;      /* Cholesky and LDL^T take the lower triangle alone */
    int transposes; /* LU and QR also solve with A^T */
    /* Name and version of the library. `message` has room for PIO_DIRECT_TEXT everywhere. */
    pio_direct_outcome (*probe)(int device, char name[128], char *message);
    /* The order of elimination and what it takes, from the pattern alone; `most`: bytes that a factorisation that needs
     * more than was predicted may grow to. */
    pio_direct_outcome (*analyse)(int device, pio_factor_kind kind, const pio_direct_pattern *pattern, size_t most,
                                  void **factor, pio_direct_forecast *forecast, char *message);
    /* Of these values [start[n]] on the device, as often as they change. LDL^T reports its negative pivots. */
    pio_direct_outcome (*factorise)(void *factor, pio_stream stream, const double *value, int *negative, char *message);
    /* A x = b, or A^T x = b, for x[columns][n] on the device, which contains b on entry. */
    pio_direct_outcome (*solve)(void *factor, pio_stream stream, int transposed, int columns, double *x, char *message);
    /* Ends the use of a factor; NULL is allowed. */
    void (*release)(void *factor);
} pio_direct_table;

/* Returns the table of the module piola_direct_NAME.so beside this one, or NULL and why in `message`. The module stays
 * open as long as the process. */
const pio_direct_table *pio_direct_open(const char *name, char *message);

#ifdef __cplusplus
}
#endif
#endif
