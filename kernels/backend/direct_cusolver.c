/* direct_cusolver.c -- sparse direct solves on CUDA by cuSOLVER's low-level Cholesky and QR (cusolverSp, in its preview header).
 *
 * These eliminate in the order of the rows, so the matrix is put into an approximate minimum degree order first: the pattern
 * once on the host, the values on the device in every factorisation, vectors in every solve. B = A(p, p): entry k of B is entry
 * map[k] of A. Neither method draws random numbers or adds atomically; whether runs give equal bits is for a test on a GPU. */
#define DISABLE_CUSOLVER_DEPRECATED
#define DISABLE_CUSPARSE_DEPRECATED
#include "kernels/backend/direct.h"

#include <cuda_runtime_api.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int n, entries, qr;
    cusolverSpHandle_t solver;
    cusparseHandle_t sparse;
    cusparseMatDescr_t general;
    csrcholInfo_t cholesky;
    csrqrInfo_t orthogonal;
    int *start, *column, *order, *map; /* device: of B; p; map */
    double *value, *b, *x;             /* device: of B; permuted vectors */
    void *work;                        /* device: workspace of the factorisation */
    size_t bytes;                      /* taken so far */
    pio_direct_outcome outcome;
    char *message;
} factor;

/* The first failure stays; calls after it are not made. */
static void judge(factor *f, int code, int no_memory, const char *what)
{
    if (!code) return;
    f->outcome = code == no_memory ? PIO_DIRECT_NO_MEMORY : PIO_DIRECT_FAILED;
    snprintf(f->message, PIO_DIRECT_TEXT, "%.200s failed with code %d", what, code);
}

#define CUDA(f, call)                                                                                                  \
    do {                                                                                                               \
        if (!(f)->outcome) judge(f, (int)(call), (int)cudaErrorMemoryAllocation, #call);                               \
    } while (0)
#define SOLVER(f, call)                                                                                                \
    do {                                                                                                               \
        if (!(f)->outcome) judge(f, (int)(call), (int)CUSOLVER_STATUS_ALLOC_FAILED, #call);                            \
    } while (0)
#define SPARSE(f, call)                                                                                                \
    do {                                                                                                               \
        if (!(f)->outcome) judge(f, (int)(call), (int)CUSPARSE_STATUS_ALLOC_FAILED, #call);                            \
    } while (0)

static void *take(factor *f, size_t bytes)
{
    void *memory = NULL;
    if (f->outcome || bytes == 0) return NULL;
    if (cudaMalloc(&memory, bytes)) {
        (void)cudaGetLastError();
        f->outcome = PIO_DIRECT_NO_MEMORY;
        snprintf(f->message, PIO_DIRECT_TEXT, "cuSOLVER's %zu bytes after %zu could not be allocated", bytes, f->bytes);
        return NULL;
    }
    f->bytes += bytes;
    return memory;
}

static pio_direct_outcome probe(int device, char name[128], char *message)
{
    int version = 0;
    if (cudaSetDevice(device) || cusolverGetVersion(&version)) {
        (void)cudaGetLastError();
        snprintf(message, PIO_DIRECT_TEXT, "cuSOLVER: device %d cannot be opened", device);
        return PIO_DIRECT_UNAVAILABLE;
    }
    snprintf(name, 128, "cuSOLVER %d.%d.%d", version / 1000, version % 1000 / 100, version % 100);
    return PIO_DIRECT_OK;
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
    void *work = f->outcome ? NULL : malloc(bytes + 1);
    if (!f->outcome && !work) judge(f, 1, 1, "a workspace of the host");
    SOLVER(f, cusolverSpXcsrpermHost(f->solver, f->n, f->n, f->entries, f->general, start, column, order, order, map,
                                     work));
    free(work);
}

static void upload(factor *f, int **device, const int *host, int count)
{
    *device = take(f, sizeof *host * (size_t)count);
    CUDA(f, cudaMemcpy(*device, host, sizeof *host * (size_t)count, cudaMemcpyHostToDevice));
}

static void take_pattern(factor *f, const pio_direct_pattern *p)
{
    const size_t n = (size_t)f->n, entries = (size_t)f->entries;
    int *start = malloc(sizeof *start * (2 * n + 2 * entries + 1)), *column = start + n + 1;
    int *order = column + entries, *map = order + n;
    if (!start) {
        judge(f, 1, 1, "the pattern's copy on the host");
        return;
    }
    for (size_t i = 0; i <= n; i++) start[i] = p->start[i];
    for (size_t k = 0; k < entries; k++) column[k] = p->column[k];
    reorder(f, start, column, order, map);
    upload(f, &f->start, start, f->n + 1);
    upload(f, &f->column, column, f->entries);
    upload(f, &f->order, order, f->n);
    upload(f, &f->map, map, f->entries);
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
    f->message = message;
    f->n = pattern->n;
    f->entries = pattern->start[pattern->n];
    f->qr = kind == PIO_FACTOR_QR;
    CUDA(f, cudaSetDevice(device));
    SOLVER(f, cusolverSpCreate(&f->solver));
    SPARSE(f, cusparseCreate(&f->sparse));
    SPARSE(f, cusparseCreateMatDescr(&f->general)); /* general, indices from 0 */
    if (!f->outcome) take_pattern(f, pattern);
    f->value = take(f, sizeof(double) * (size_t)f->entries);
    f->b = take(f, sizeof(double) * (size_t)f->n);
    f->x = take(f, sizeof(double) * (size_t)f->n);
    CUDA(f, cudaMemset(f->value, 0, sizeof(double) * (size_t)f->entries));
    if (!f->outcome) forecast_of(f, &inside, &work);
    *forecast = (pio_direct_forecast){.bytes = f->bytes + inside + work};
    if (!f->outcome && forecast->bytes <= most) f->work = take(f, work); /* more is refused by the caller */
    const pio_direct_outcome outcome = f->outcome;
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
    f->message = message;
    f->outcome = PIO_DIRECT_OK;
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
    if (f->outcome || pivot < 0) return f->outcome;
    snprintf(message, PIO_DIRECT_TEXT, "the matrix is singular: pivot %d of %d is zero", pivot, f->n);
    *negative = !f->qr; /* at least one pivot is not above zero */
    return f->qr ? PIO_DIRECT_SINGULAR : PIO_DIRECT_INDEFINITE;
}

static pio_direct_outcome solve(void *context, pio_stream stream, int transposed, int columns, double *x, char *message)
{
    factor *f = context;
    (void)transposed; /* factors of A^T are asked for instead: `transposes` is 0 */
    begin(f, stream, message);
    for (int c = 0; c < columns && !f->outcome; c++) {
        double *column = x + (ptrdiff_t)c * f->n;
        permute(f, 0, f->n, f->order, column, f->b);
        if (f->qr)
            SOLVER(f, cusolverSpDcsrqrSolve(f->solver, f->n, f->n, f->b, f->x, f->orthogonal, f->work));
        else
            SOLVER(f, cusolverSpDcsrcholSolve(f->solver, f->n, f->b, f->x, f->cholesky, f->work));
        permute(f, 1, f->n, f->order, f->x, column);
    }
    return f->outcome;
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
