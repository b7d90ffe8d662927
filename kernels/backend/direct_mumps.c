/* direct_mumps.c -- sparse direct solves on the CPU by MUMPS, its sequential build (Amestoy, Duff, L'Excellent, Koster
 * 2001; numbers of controls are those of the users' guide of version 5).
 *
 * Same values, same bits: the order of elimination is approximate minimum fill, which draws no random numbers, as
 * SCOTCH and PORD do, and the BLAS runs one thread. */
#include "kernels/backend/direct.h"

#include <dmumps_c.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ICNTL(i) icntl[(i)-1]
#define INFOG(i) infog[(i)-1]
enum { COMMUNICATOR = -987654, RELAXED = 30 };

typedef struct {
    DMUMPS_STRUC_C m;
    int *row, *column; /* [nnz] from 1 */
    size_t own;        /* bytes of the two */
    size_t most;
    pio_factor_kind kind;
    int begun;
} factor;

/* Threads of whatever BLAS stands behind the name: those that have threads have one of these. */
extern void openblas_set_num_threads(int) __attribute__((weak));
extern void bli_thread_set_num_threads(long) __attribute__((weak));
extern void MKL_Set_Num_Threads(int) __attribute__((weak));

/* MUMPS has variables that all its factors share: threads of a program that solve with different ones take turns. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void call(DMUMPS_STRUC_C *m, int job)
{
    pthread_mutex_lock(&turn);
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    if (bli_thread_set_num_threads) bli_thread_set_num_threads(1);
    if (MKL_Set_Num_Threads) MKL_Set_Num_Threads(1);
    m->job = job;
    dmumps_c(m);
    pthread_mutex_unlock(&turn);
}

static size_t megabytes(const DMUMPS_STRUC_C *m)
{
    return (size_t)m->INFOG(17) * 1000000;
}

static pio_direct_outcome outcome_of(const factor *f, const char *what, char *message)
{
    const int code = f->m.INFOG(1), value = f->m.INFOG(2);
    switch (code) {
    case -6:
    case -10:
        snprintf(message, PIO_DIRECT_TEXT, "the matrix is singular: %d of %d pivots were found", value, (int)f->m.n);
        return PIO_DIRECT_SINGULAR;
    case -5:
    case -7:
    case -13: /* the number is of words; a negative one, of millions */
        snprintf(message, PIO_DIRECT_TEXT, "MUMPS %s could not allocate %.0f bytes", what,
                 (code == -13 ? 8.0 : 4.0) * (value < 0 ? -1e6 * value : value));
        return PIO_DIRECT_NO_MEMORY;
    default:
        snprintf(message, PIO_DIRECT_TEXT, "MUMPS %s ended with INFOG(1) = %d, INFOG(2) = %d", what, code, value);
        return PIO_DIRECT_FAILED;
    }
}

static pio_direct_outcome probe(int device, char name[128], char *message)
{
    (void)device;
    (void)message;
    snprintf(name, 128, "MUMPS %s", MUMPS_VERSION);
    return PIO_DIRECT_OK;
}

static void release(void *context)
{
    factor *f = context;
    if (!f) return;
    if (f->begun) call(&f->m, -2);
    free(f->row);
    free(f);
}

/* Rows and columns from 1, as MUMPS reads them in every factorisation. */
static int take_pattern(factor *f, const pio_direct_pattern *p)
{
    const size_t entries = (size_t)p->start[p->n];
    f->own = 2 * sizeof *f->row * (entries + 1);
    f->row = malloc(f->own);
    if (!f->row) return 0;
    f->column = f->row + entries + 1;
    for (int i = 0; i < p->n; i++)
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            f->row[k] = i + 1;
            f->column[k] = p->column[k] + 1;
        }
    f->m.n = p->n;
    f->m.nnz = (MUMPS_INT8)entries;
    f->m.irn = f->row;
    f->m.jcn = f->column;
    return 1;
}

static void set_controls(DMUMPS_STRUC_C *m)
{
    for (int i = 1; i <= 4; i++) m->ICNTL(i) = i == 4 ? 0 : -1; /* prints nothing */
    m->ICNTL(6) = 0;        /* no permutation to the diagonal, which would read values */
    m->ICNTL(7) = 2;        /* approximate minimum fill */
    m->ICNTL(10) = 0;       /* refinement is ours */
    m->ICNTL(12) = 1;       /* LDL^T: no order made from values */
    m->ICNTL(14) = RELAXED; /* percent of memory for pivots that come later than predicted */
    m->ICNTL(16) = 1;       /* threads */
}

static pio_direct_outcome analyse(int device, pio_factor_kind kind, const pio_direct_pattern *pattern, size_t most,
                                  void **out, pio_direct_forecast *forecast, char *message)
{
    (void)device;
    factor *f = calloc(1, sizeof *f);
    *out = f;
    if (!f || !take_pattern(f, pattern)) {
        snprintf(message, PIO_DIRECT_TEXT, "no memory for the pattern of %d entries", pattern->start[pattern->n]);
        release(f);
        *out = NULL;
        return PIO_DIRECT_NO_MEMORY;
    }
    f->kind = kind;
    f->most = most;
    f->m.par = 1;
    f->m.sym = kind == PIO_FACTOR_CHOLESKY ? 1 : kind == PIO_FACTOR_LDLT ? 2 : 0;
    f->m.comm_fortran = COMMUNICATOR;
    const DMUMPS_STRUC_C given = f->m;
    call(&f->m, -1);
    f->begun = f->m.INFOG(1) >= 0;
    f->m.n = given.n; /* the first job may have cleared them */
    f->m.nnz = given.nnz;
    f->m.irn = given.irn;
    f->m.jcn = given.jcn;
    set_controls(&f->m);
    if (f->begun) call(&f->m, 1);
    if (f->m.INFOG(1) < 0) {
        const pio_direct_outcome rc = outcome_of(f, "in its analysis", message);
        release(f);
        *out = NULL;
        return rc;
    }
    *forecast = (pio_direct_forecast){.bytes = megabytes(&f->m) + f->own, .operations = f->m.rinfog[0]};
    return PIO_DIRECT_OK;
}

/* Pivots that come later than the pattern lets expect need more room: the margin is doubled each time, up to what is
 * allowed. */
static pio_direct_outcome factorise(void *context, pio_stream stream, const double *value, int *negative, char *message)
{
    (void)stream;
    factor *f = context;
    f->m.a = (double *)(uintptr_t)value; /* it is not written to */
    for (;;) {
        call(&f->m, 2);
        const int code = f->m.INFOG(1);
        if (code != -8 && code != -9) break;
        const int relaxed = 2 * f->m.ICNTL(14);
        const double bytes = (double)megabytes(&f->m) * (100 + relaxed) / (100 + f->m.ICNTL(14)) + (double)f->own;
        if (bytes > (double)f->most) {
            snprintf(message, PIO_DIRECT_TEXT,
                     "pivots that come later than predicted need more than %.0f of the %zu bytes that are allowed",
                     (double)megabytes(&f->m) + (double)f->own, f->most);
            return PIO_DIRECT_NO_MEMORY;
        }
        f->m.ICNTL(14) = relaxed;
    }
    f->m.a = NULL;
    if (f->m.INFOG(1) < 0) return outcome_of(f, "in a factorisation", message);
    *negative = f->kind == PIO_FACTOR_LU ? 0 : f->m.INFOG(12);
    return f->kind == PIO_FACTOR_CHOLESKY && *negative ? PIO_DIRECT_INDEFINITE : PIO_DIRECT_OK;
}

static pio_direct_outcome solve(void *context, pio_stream stream, int transposed, int columns, double *x, char *message)
{
    (void)stream;
    factor *f = context;
    f->m.ICNTL(9) = transposed ? 0 : 1;
    f->m.rhs = x;
    f->m.nrhs = columns;
    f->m.lrhs = f->m.n;
    call(&f->m, 3);
    f->m.rhs = NULL;
    return f->m.INFOG(1) < 0 ? outcome_of(f, "in a solve", message) : PIO_DIRECT_OK;
}

__attribute__((visibility("default"))) extern const pio_direct_table piola_direct;
const pio_direct_table piola_direct = {
    .version = PIO_DIRECT_VERSION,
    .size = sizeof(pio_direct_table),
    .kinds = 1u << PIO_FACTOR_CHOLESKY | 1u << PIO_FACTOR_LDLT | 1u << PIO_FACTOR_LU,
    .lower = 1,
    .transposes = 1,
    .probe = probe,
    .analyse = analyse,
    .factorise = factorise,
    .solve = solve,
    .release = release,
};
