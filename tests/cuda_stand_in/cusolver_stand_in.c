/* cusolver_stand_in.c -- what kernels/backend/direct_cusolver.c calls of cuSOLVER, on the CPU: it solves by MUMPS and
 * stops at what cuSOLVER forbids: steps out of order, arrays that are not on the device, or on the host where the
 * library reads them there. What cuSOLVER computes, and whether runs give equal bits, is for test_pairings on a GPU. */
#include "tests/cuda_stand_in/elimination.h"

#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <stdlib.h>

enum { BUFFER = 64 }; /* bytes of a workspace */

struct cusolverSpContext {
    cudaStream_t stream;
};

/* A factor of either kind. */
typedef struct {
    elimination *e;
    const double *value; /* device: what QR was set up with */
    int sized, factored; /* the workspace's size was requested; there was a factorisation */
    int pivot;           /* -1, or one that is not above zero */
} factor;
struct csrqrInfo {
    factor f;
};
struct csrcholInfo {
    factor f;
};

static void need(int holds, const char *what)
{
    if (!holds) stand_in_stop("cuSOLVER: %s", what);
}

static cusolverStatus_t made(const void *object)
{
    return object ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

static void need_vector(const double *v, int n)
{
    need(stand_in_on_device(v, sizeof *v * (size_t)n), "a vector that is not on the device");
}

static void need_pattern(int n, int entries, const cusparseMatDescr_t m, const int *start, const int *column)
{
    need(n > 0 && entries > 0 && m, "a matrix without rows, entries or a description");
    need(stand_in_on_device(start, sizeof *start * ((size_t)n + 1)) &&
             stand_in_on_device(column, sizeof *column * (size_t)entries),
         "a pattern that is not on the device");
}

/* ---- handles ---------------------------------------------------------------------------------------------- */

cusolverStatus_t cusolverGetVersion(int *version)
{
    *version = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle)
{
    return made(*handle = calloc(1, sizeof **handle));
}

cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle)
{
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t *info)
{
    return made(*info = calloc(1, sizeof **info));
}

cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info)
{
    elimination_free(info->f.e);
    free(info);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpCreateCsrcholInfo(csrcholInfo_t *info)
{
    return made(*info = calloc(1, sizeof **info));
}

cusolverStatus_t cusolverSpDestroyCsrcholInfo(csrcholInfo_t info)
{
    elimination_free(info->f.e);
    free(info);
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- orders, on the host ---------------------------------------------------------------------------------- */

static void need_host(const void *a, const void *b, const void *c)
{
    need(!stand_in_on_device(a, 1) && !stand_in_on_device(b, 1) && !stand_in_on_device(c, 1),
         "an array on the device where the host reads");
}

/* An order that is neither the rows' nor its own inverse: 1, 3, 5, ..., 0, 2, 4, ... */
cusolverStatus_t cusolverSpXcsrsymamdHost(cusolverSpHandle_t handle, int n, int entries, const cusparseMatDescr_t m,
                                          const int *start, const int *column, int *order)
{
    need(handle && m && start[n] == entries, "a pattern whose rows do not have all entries");
    need_host(start, column, order);
    for (int i = 0; i < n; i++) order[i] = i < n / 2 ? 2 * i + 1 : 2 * (i - n / 2);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int rows, int columns, int entries,
                                                   const cusparseMatDescr_t m, const int *start, const int *column,
                                                   const int *p, const int *q, size_t *bytes)
{
    need(handle && m && rows == columns && p == q && start[rows] == entries, "an order that is not symmetric");
    need_host(start, column, p);
    *bytes = sizeof(int) * ((size_t)rows + 1 + 2 * (size_t)entries);
    return CUSOLVER_STATUS_SUCCESS;
}

/* B = A(p, p), rows whose columns ascend, and the map from B's entries to A's. */
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int rows, int columns, int entries,
                                        const cusparseMatDescr_t m, int *start, int *column, const int *p, const int *q,
                                        int *map, void *work)
{
    int *from_start = work, *from = from_start + rows + 1, *from_map = from + entries;
    int *place = malloc(sizeof *place * (size_t)rows); /* of an unknown of A in B */
    need(handle && m && rows == columns && p == q && work && place, "an order that is not symmetric");
    for (int i = 0; i < rows; i++) place[p[i]] = i;
    for (int i = 0; i <= rows; i++) from_start[i] = start[i];
    for (int k = 0; k < entries; k++) {
        from[k] = column[k];
        from_map[k] = map[k];
    }
    for (int i = 0, at = 0; i < rows; i++) {
        start[i] = at;
        for (int k = from_start[p[i]]; k < from_start[p[i] + 1]; k++, at++) {
            int j = at; /* insertion into the row so far */
            for (; j > start[i] && column[j - 1] > place[from[k]]; j--) {
                column[j] = column[j - 1];
                map[j] = map[j - 1];
            }
            column[j] = place[from[k]];
            map[j] = from_map[k];
        }
    }
    free(place);
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- factors ---------------------------------------------------------------------------------------------- */

static cusolverStatus_t analyse(factor *f, cusolverSpHandle_t handle, pio_factor_kind kind, int n, const int *start,
                                const int *column)
{
    STAND_IN_WORKS(handle->stream);
    need(!f->e, "a second analysis of the same factor");
    f->e = elimination_analyse(kind, n, start, column);
    return made(f->e);
}

static cusolverStatus_t size(factor *f, int n, int entries, const double *value, size_t *inside, size_t *work)
{
    need(elimination_is_of(f->e, n, entries), "the size of what was not analysed");
    need(stand_in_on_device(value, sizeof *value * (size_t)entries), "values that are not on the device");
    f->sized = 1;
    *inside = elimination_forecast(f->e).bytes;
    *work = BUFFER;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t factorise(factor *f, cusolverSpHandle_t handle, const double *value, const void *work)
{
    int negative = 0;
    need(f->sized && value, "a factorisation of what was not analysed, sized and set up");
    need(stand_in_on_device(work, BUFFER), "a workspace that is not on the device");
    STAND_IN_WORKS(handle->stream);
    const pio_direct_outcome outcome = elimination_factor(f->e, value, &negative);
    const int stopped = outcome == PIO_DIRECT_SINGULAR || outcome == PIO_DIRECT_INDEFINITE;
    f->factored = 1;
    f->pivot = stopped ? 0 : -1;
    return outcome && !stopped ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t pivot(const factor *f, double tolerance, int *position)
{
    need(f->factored && tolerance >= 0, "a pivot before a factorisation");
    *position = f->pivot;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t solve(factor *f, cusolverSpHandle_t handle, int n, const double *b, double *x)
{
    need(elimination_ready(f->e), "a solve without a factor");
    need_vector(b, n);
    need_vector(x, n);
    need(b != x, "a solution in place");
    STAND_IN_WORKS(handle->stream);
    return elimination_solve(f->e, b, x) ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpXcsrqrAnalysis(cusolverSpHandle_t handle, int rows, int columns, int entries,
                                          const cusparseMatDescr_t m, const int *start, const int *column,
                                          csrqrInfo_t info)
{
    need(rows == columns, "a matrix that is not square");
    need_pattern(rows, entries, m, start, column);
    return analyse(&info->f, handle, PIO_FACTOR_LU, rows, start, column);
}

cusolverStatus_t cusolverSpDcsrqrBufferInfo(cusolverSpHandle_t handle, int rows, int columns, int entries,
                                            const cusparseMatDescr_t m, const double *value, const int *start,
                                            const int *column, csrqrInfo_t info, size_t *inside, size_t *work)
{
    need(handle && rows == columns, "a matrix that is not square");
    need_pattern(rows, entries, m, start, column);
    return size(&info->f, rows, entries, value, inside, work);
}

cusolverStatus_t cusolverSpDcsrqrSetup(cusolverSpHandle_t handle, int rows, int columns, int entries,
                                       const cusparseMatDescr_t m, const double *value, const int *start,
                                       const int *column, double mu, csrqrInfo_t info)
{
    need(handle && rows == columns && info->f.sized && !(mu > 0 || mu < 0), "a factor that is not set up in order");
    need_pattern(rows, entries, m, start, column);
    need(stand_in_on_device(value, sizeof *value * (size_t)entries), "values that are not on the device");
    info->f.value = value;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpDcsrqrFactor(cusolverSpHandle_t handle, int rows, int columns, int entries, double *b,
                                        double *x, csrqrInfo_t info, void *work)
{
    need(rows == columns && !b && !x && elimination_is_of(info->f.e, rows, entries), "another matrix, or vectors");
    const double *value = info->f.value;
    info->f.value = NULL; /* it is set up before each factorisation */
    return factorise(&info->f, handle, value, work);
}

cusolverStatus_t cusolverSpDcsrqrZeroPivot(cusolverSpHandle_t handle, csrqrInfo_t info, double tolerance, int *position)
{
    need(handle != NULL, "no handle");
    return pivot(&info->f, tolerance, position);
}

cusolverStatus_t cusolverSpDcsrqrSolve(cusolverSpHandle_t handle, int rows, int columns, double *b, double *x,
                                       csrqrInfo_t info, void *work)
{
    need(rows == columns && stand_in_on_device(work, BUFFER), "a workspace that is not on the device");
    return solve(&info->f, handle, rows, b, x);
}

cusolverStatus_t cusolverSpXcsrcholAnalysis(cusolverSpHandle_t handle, int n, int entries, const cusparseMatDescr_t m,
                                            const int *start, const int *column, csrcholInfo_t info)
{
    need_pattern(n, entries, m, start, column);
    return analyse(&info->f, handle, PIO_FACTOR_CHOLESKY, n, start, column);
}

cusolverStatus_t cusolverSpDcsrcholBufferInfo(cusolverSpHandle_t handle, int n, int entries, const cusparseMatDescr_t m,
                                              const double *value, const int *start, const int *column,
                                              csrcholInfo_t info, size_t *inside, size_t *work)
{
    need(handle != NULL, "no handle");
    need_pattern(n, entries, m, start, column);
    return size(&info->f, n, entries, value, inside, work);
}

cusolverStatus_t cusolverSpDcsrcholFactor(cusolverSpHandle_t handle, int n, int entries, const cusparseMatDescr_t m,
                                          const double *value, const int *start, const int *column, csrcholInfo_t info,
                                          void *work)
{
    need_pattern(n, entries, m, start, column);
    need(elimination_is_of(info->f.e, n, entries), "another matrix");
    need(stand_in_on_device(value, sizeof *value * (size_t)entries), "values that are not on the device");
    return factorise(&info->f, handle, value, work);
}

cusolverStatus_t cusolverSpDcsrcholZeroPivot(cusolverSpHandle_t handle, csrcholInfo_t info, double tolerance,
                                             int *position)
{
    need(handle != NULL, "no handle");
    return pivot(&info->f, tolerance, position);
}

cusolverStatus_t cusolverSpDcsrcholSolve(cusolverSpHandle_t handle, int n, const double *b, double *x,
                                         csrcholInfo_t info, void *work)
{
    need(stand_in_on_device(work, BUFFER), "a workspace that is not on the device");
    return solve(&info->f, handle, n, b, x);
}
