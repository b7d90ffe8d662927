/* direct_cusolver.c -- sparse direct solves on CUDA by cuSOLVER's low-level Cholesky and QR (cusolverSp, in its preview
 * header).
 *
 * These eliminate in the order of the rows, so the matrix is put into an approximate minimum degree order first: the
 * pattern once on the host, the values on the device in every factorisation, vectors in every solve. B = A(p, p): entry
 * k of B is entry map[k] of A. Neither method draws random numbers or adds atomically; whether runs give equal bits is
 * for a test on a GPU. */
#define DISABLE_CUSOLVER_DEPRECATED
#define DISABLE_CUSPARSE_DEPRECATED
#include "kernels/backend/cuda_calls.h"

#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>
#include <stdlib.h>

typedef struct {
    cuda_calls calls;
    int n, entries, qr;
    cusolverSpHandle_t solver;
    cusparseHandle_t sparse;
    cusparseMatDescr_t general;
    csrcholInfo_t cholesky;
    csrqrInfo_t orthogonal;
    int *start, *column, *order, *map; /* device: of B; p; map */
    double *value, *b, *x;             /* device: of B; permuted vectors */
    void *work;                        /* device: workspace of the factorisation */
} factor;

#define SOLVER(f, call) CALL(&(f)->calls, CUSOLVER_STATUS_ALLOC_FAILED, call)
#define SPARSE(f, call) CALL(&(f)->calls, CUSPARSE_STATUS_ALLOC_FAILED, call)

static pio_direct_outcome probe(int device, char name[128], char *message)
{
    int version = 0;
    const pio_direct_outcome outcome = cuda_probe(device, "cuSOLVER", cusolverGetVersion(&version) != 0, message);
    if (!outcome) snprintf(name, 128, "cuSOLVER %d.%d.%d", version / 1000, version % 1000 / 100, version % 100);
    return outcome;
}

static void release(void *context)
{
    factor *f = context;
    if (!f) return;
    if (f->cholesky) cusolverSpDestroyCsrcholInfo(f->cholesky);
    if (f->orthogonal) cusolverSpDestroyCsrqrInfo(f->orthogonal);
    if (f->general) cusparseDestroyMatDescr(f->general);
    if (f->solver) cusolverSpDestroy(f->solver);
    if (f->sparse) cusparseDestroy(f->sparse);
    void *all[] = {f->start, f->column, f->order, f->map, f->value, f->b, f->x, f->work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) (void)cudaFree(all[i]);
    free(f);
}

/* ---- analysis ------------------------------------------------------------------------------------------- */

/* p, the pattern of B and the map to it, on the host: `start` and `column` are A's on entry and B's after. */
static void reorder(factor *f, int *start, int *column, int *order, int *map)
{
    size_t bytes = 0;
    for (int k = 0; k < f->entries; k++) map[k] = k;
    SOLVER(f, cusolverSpXcsrsymamdHost(f->solver, f->n, f->entries, f->general, start, column, order));
    SOLVER(f, cusolverSpXcsrperm_bufferSizeHost(f->solver, f->n, f->n, f->entries, f->general, start, column, order,
                                                order, &bytes));
    void *work = f->calls.outcome ? NULL : malloc(bytes + 1);
    if (!f->calls.outcome && !work) cuda_judge(&f->calls, 1, 1, "a workspace of the host");
    SOLVER(f, cusolverSpXcsrpermHost(f->solver, f->n, f->n, f->entries, f->general, start, column, order, order, map,
                                     work));
    free(work);
}

static int *upload(factor *f, const int *host, int count)
{
    return cuda_take_ints(&f->calls, host, (size_t)count);
}

static void take_pattern(factor *f, const pio_direct_pattern *p)
{
    const size_t n = (size_t)f->n, entries = (size_t)f->entries;
    int *start = malloc(sizeof *start * (2 * n + 2 * entries + 1)), *column = start + n + 1;
    int *order = column + entries, *map = order + n;
    if (!start) {
        cuda_judge(&f->calls, 1, 1, "the pattern's copy on the host");
        return;
    }
    for (size_t i = 0; i <= n; i++) start[i] = p->start[i];
    for (size_t k = 0; k < entries; k++) column[k] = p->column[k];
    reorder(f, start, column, order, map);
    f->start = upload(f, start, f->n + 1);
    f->column = upload(f, column, f->entries);
    f->order = upload(f, order, f->n);
    f->map = upload(f, map, f->entries);
    free(start);
}

/* What the factor takes, once the values' array is there; its numbers do not count. */
static void forecast_of(factor *f, size_t *inside, size_t *work)
{
    if (f->qr) {
        SOLVER(f, cusolverSpCreateCsrqrInfo(&f->orthogonal));
        SOLVER(f, cusolverSpXcsrqrAnalysis(f->solver, f->n, f->n, f->entries, f->general, f->start, f->column,
                                           f->orthogonal));
        SOLVER(f, cusolverSpDcsrqrBufferInfo(f->solver, f->n, f->n, f->entries, f->general, f->value, f->start,
                                             f->column, f->orthogonal, inside, work));
    } else {
        SOLVER(f, cusolverSpCreateCsrcholInfo(&f->cholesky));
        SOLVER(f,
               cusolverSpXcsrcholAnalysis(f->solver, f->n, f->entries, f->general, f->start, f->column, f->cholesky));
        SOLVER(f, cusolverSpDcsrcholBufferInfo(f->solver, f->n, f->entries, f->general, f->value, f->start, f->column,
                                               f->cholesky, inside, work));
    }
}

static pio_direct_outcome analyse(int device, pio_factor_kind kind, const pio_direct_pattern *pattern, size_t most,
                                  void **out, pio_direct_forecast *forecast, char *message)
{
    factor *f = calloc(1, sizeof *f);
    size_t inside = 0, work = 0;
    *out = NULL;
    if (!f) {
        snprintf(message, PIO_DIRECT_TEXT, "no memory for a factor's %zu bytes on the host", sizeof *f);
        return PIO_DIRECT_NO_MEMORY;
    }
    cuda_begin(&f->calls, "cuSOLVER", message);
    f->n = pattern->n;
    f->entries = pattern->start[pattern->n];
    f->qr = kind == PIO_FACTOR_QR;
    CUDA(f, cudaSetDevice(device));
    SOLVER(f, cusolverSpCreate(&f->solver));
    SPARSE(f, cusparseCreate(&f->sparse));
    SPARSE(f, cusparseCreateMatDescr(&f->general)); /* general, indices from 0 */
    if (!f->calls.outcome) take_pattern(f, pattern);
    f->value = cuda_take(&f->calls, sizeof(double) * (size_t)f->entries);
    f->b = cuda_take(&f->calls, sizeof(double) * (size_t)f->n);
    f->x = cuda_take(&f->calls, sizeof(double) * (size_t)f->n);
    CUDA(f, cudaMemset(f->value, 0, sizeof(double) * (size_t)f->entries));
    if (!f->calls.outcome) forecast_of(f, &inside, &work);
    *forecast = (pio_direct_forecast){.bytes = f->calls.bytes + inside + work};
    if (!f->calls.outcome && forecast->bytes <= most)
        f->work = cuda_take(&f->calls, work); /* the caller rejects more */
    cuda_settle(&f->calls);
    const pio_direct_outcome outcome = f->calls.outcome;
    if (outcome)
        release(f);
    else
        *out = f;
    return outcome;
}

/* ---- factors and solves --------------------------------------------------------------------------------- */

/* to[k] = from[index[k]] for k < count (gather), or to[index[k]] = from[k] (scatter) */
static void permute(factor *f, int scatter, int count, const int *index, const double *from, double *to)
{
    cusparseSpVecDescr_t sparse = NULL;
    cusparseDnVecDescr_t dense = NULL;
    double *picked = scatter ? (double *)(uintptr_t)from : to, *whole = scatter ? to : (double *)(uintptr_t)from;
    SPARSE(f, cusparseCreateSpVec(&sparse, count, count, (int *)(uintptr_t)index, picked, CUSPARSE_INDEX_32I,
                                  CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    SPARSE(f, cusparseCreateDnVec(&dense, count, whole, CUDA_R_64F));
    if (scatter)
        SPARSE(f, cusparseScatter(f->sparse, sparse, dense));
    else
        SPARSE(f, cusparseGather(f->sparse, dense, sparse));
    if (sparse) (void)cusparseDestroySpVec(sparse);
    if (dense) (void)cusparseDestroyDnVec(dense);
}

static void begin(factor *f, pio_stream stream, char *message)
{
    cuda_begin(&f->calls, "cuSOLVER", message);
    SOLVER(f, cusolverSpSetStream(f->solver, stream));
    SPARSE(f, cusparseSetStream(f->sparse, stream));
}

static pio_direct_outcome factorise(void *context, pio_stream stream, const double *value, int *negative, char *message)
{
    factor *f = context;
    int pivot = -1;
    begin(f, stream, message);
    *negative = 0;
    permute(f, 0, f->entries, f->map, value, f->value);
    if (f->qr) {
        SOLVER(f, cusolverSpDcsrqrSetup(f->solver, f->n, f->n, f->entries, f->general, f->value, f->start, f->column, 0,
                                        f->orthogonal));
        SOLVER(f, cusolverSpDcsrqrFactor(f->solver, f->n, f->n, f->entries, NULL, NULL, f->orthogonal, f->work));
        SOLVER(f, cusolverSpDcsrqrZeroPivot(f->solver, f->orthogonal, 0, &pivot));
    } else {
        SOLVER(f, cusolverSpDcsrcholFactor(f->solver, f->n, f->entries, f->general, f->value, f->start, f->column,
                                           f->cholesky, f->work));
        SOLVER(f, cusolverSpDcsrcholZeroPivot(f->solver, f->cholesky, 0, &pivot));
    }
    if (f->calls.outcome || pivot < 0) return f->calls.outcome;
    snprintf(message, PIO_DIRECT_TEXT, "the matrix is singular: pivot %d of %d is zero", pivot, f->n);
    *negative = !f->qr; /* at least one pivot is not above zero */
    return f->qr ? PIO_DIRECT_SINGULAR : PIO_DIRECT_INDEFINITE;
}

static pio_direct_outcome solve(void *context, pio_stream stream, int transposed, int columns, double *x, char *message)
{
    factor *f = context;
    (void)transposed; /* factors of A^T are requested instead: `transposes` is 0 */
    begin(f, stream, message);
    for (int c = 0; c < columns && !f->calls.outcome; c++) {
        double *column = x + (ptrdiff_t)c * f->n;
        permute(f, 0, f->n, f->order, column, f->b);
        if (f->qr)
            SOLVER(f, cusolverSpDcsrqrSolve(f->solver, f->n, f->n, f->b, f->x, f->orthogonal, f->work));
        else
            SOLVER(f, cusolverSpDcsrcholSolve(f->solver, f->n, f->b, f->x, f->cholesky, f->work));
        permute(f, 1, f->n, f->order, f->x, column);
    }
    return f->calls.outcome;
}

__attribute__((visibility("default"))) extern const pio_direct_table piola_direct;
const pio_direct_table piola_direct = {
    .version = PIO_DIRECT_VERSION,
    .size = sizeof(pio_direct_table),
    .kinds = 1u << PIO_FACTOR_CHOLESKY | 1u << PIO_FACTOR_QR,
    .lower = 0,
    .transposes = 0,
    .probe = probe,
    .analyse = analyse,
    .factorise = factorise,
    .solve = solve,
    .release = release,
};
