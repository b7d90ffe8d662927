/* direct_cudss.c -- sparse direct solves on CUDA by NVIDIA cuDSS (1.0 or later): Cholesky, LDL^T and LU, analysed once
 * and factorised again for new values, in its deterministic mode. */
#include "kernels/backend/cuda_calls.h"

#include <cudss.h>
#include <stdlib.h>

typedef struct {
    cuda_calls calls;
    int n, entries, factored;
    pio_factor_kind kind;
    cudssHandle_t handle;
    cudssConfig_t config;
    cudssData_t data;
    cudssMatrix_t matrix;
    int *start, *column; /* device */
    double *value, *b;   /* device: of the analysis, which reads none of them; a right-hand side */
} factor;

#define DSS(f, call) CALL(&(f)->calls, CUDSS_STATUS_ALLOC_FAILED, call)

static pio_direct_outcome probe(int device, char name[128], char *message)
{
    int major = 0, minor = 0, patch = 0;
    const int missing = cudssGetProperty(MAJOR_VERSION, &major) || cudssGetProperty(MINOR_VERSION, &minor) ||
                        cudssGetProperty(PATCH_LEVEL, &patch);
    const pio_direct_outcome outcome = cuda_probe(device, "cuDSS", missing, message);
    if (!outcome) snprintf(name, 128, "cuDSS %d.%d.%d", major, minor, patch);
    return outcome;
}

static void release(void *context)
{
    factor *f = context;
    if (!f) return;
    if (f->matrix) cudssMatrixDestroy(f->matrix);
    if (f->data) cudssDataDestroy(f->handle, f->data);
    if (f->config) cudssConfigDestroy(f->config);
    if (f->handle) cudssDestroy(f->handle);
    (void)cudaFree(f->start);
    (void)cudaFree(f->column);
    (void)cudaFree(f->value);
    (void)cudaFree(f->b);
    free(f);
}

static void take_pattern(factor *f, const pio_direct_pattern *p)
{
    f->start = cuda_take_ints(&f->calls, p->start, (size_t)f->n + 1);
    f->column = cuda_take_ints(&f->calls, p->column, (size_t)f->entries);
    f->value = cuda_take(&f->calls, sizeof(double) * (size_t)f->entries);
    f->b = cuda_take(&f->calls, sizeof(double) * (size_t)f->n);
    CUDA(f, cudaMemset(f->value, 0, sizeof(double) * (size_t)f->entries));
}

static pio_direct_outcome analyse(int device, pio_factor_kind kind, const pio_direct_pattern *pattern, size_t most,
                                  void **out, pio_direct_forecast *forecast, char *message)
{
    static const cudssMatrixType_t types[] = {[PIO_FACTOR_CHOLESKY] = CUDSS_MTYPE_SPD,
                                              [PIO_FACTOR_LDLT] = CUDSS_MTYPE_SYMMETRIC,
                                              [PIO_FACTOR_LU] = CUDSS_MTYPE_GENERAL};
    factor *f = calloc(1, sizeof *f);
    const int deterministic = 1;
    int64_t estimate[16] = {0}, operations = 0; /* estimate: permanent and peak bytes on the device, ... */
    size_t written = 0;
    (void)most; /* cuDSS takes what it estimates */
    *out = NULL;
    if (!f) {
        snprintf(message, PIO_DIRECT_TEXT, "no memory for a factor's %zu bytes on the host", sizeof *f);
        return PIO_DIRECT_NO_MEMORY;
    }
    cuda_begin(&f->calls, "cuDSS", message);
    f->kind = kind;
    f->n = pattern->n;
    f->entries = pattern->start[pattern->n];
    CUDA(f, cudaSetDevice(device));
    DSS(f, cudssCreate(&f->handle));
    DSS(f, cudssConfigCreate(&f->config));
    DSS(f, cudssConfigSet(f->config, CUDSS_CONFIG_DETERMINISTIC_MODE, &deterministic, sizeof deterministic));
    DSS(f, cudssDataCreate(f->handle, &f->data));
    if (!f->calls.outcome) take_pattern(f, pattern);
    DSS(f, cudssMatrixCreateCsr(&f->matrix, f->n, f->n, f->entries, f->start, NULL, f->column, f->value, CUDA_R_32I,
                                CUDA_R_32I, CUDA_R_64F, types[kind],
                                kind == PIO_FACTOR_LU ? CUDSS_MVIEW_FULL : CUDSS_MVIEW_LOWER, CUDSS_BASE_ZERO));
    DSS(f, cudssExecute(f->handle, CUDSS_PHASE_ANALYSIS, f->config, f->data, f->matrix, NULL, NULL));
    DSS(f, cudssDataGet(f->handle, f->data, CUDSS_DATA_MEMORY_ESTIMATES, estimate, sizeof estimate, &written));
    DSS(f, cudssDataGet(f->handle, f->data, CUDSS_DATA_FLOPS, &operations, sizeof operations, &written));
    *forecast = (pio_direct_forecast){.bytes = f->calls.bytes + (size_t)(estimate[1] > 0 ? estimate[1] : 0),
                                      .operations = (double)operations};
    cuda_settle(&f->calls);
    const pio_direct_outcome outcome = f->calls.outcome;
    if (outcome)
        release(f);
    else
        *out = f;
    return outcome;
}

static pio_direct_outcome factorise(void *context, pio_stream stream, const double *value, int *negative, char *message)
{
    factor *f = context;
    int info = 0, inertia[2] = {0};
    size_t written = 0;
    cuda_begin(&f->calls, "cuDSS", message);
    *negative = 0;
    DSS(f, cudssSetStream(f->handle, stream));
    DSS(f, cudssMatrixSetValues(f->matrix, value));
    DSS(f, cudssExecute(f->handle, f->factored ? CUDSS_PHASE_REFACTORIZATION : CUDSS_PHASE_FACTORIZATION, f->config,
                        f->data, f->matrix, NULL, NULL));
    DSS(f, cudssDataGet(f->handle, f->data, CUDSS_DATA_INFO, &info, sizeof info, &written));
    if (f->calls.outcome) return f->calls.outcome;
    f->factored = 1;
    if (info) {
        snprintf(message, PIO_DIRECT_TEXT, "the matrix is singular: pivot %d of %d is zero", info, f->n);
        *negative = f->kind == PIO_FACTOR_CHOLESKY; /* at least one is not above zero */
        return *negative ? PIO_DIRECT_INDEFINITE : PIO_DIRECT_SINGULAR;
    }
    if (f->kind == PIO_FACTOR_LDLT)
        DSS(f, cudssDataGet(f->handle, f->data, CUDSS_DATA_INERTIA, inertia, sizeof inertia, &written));
    *negative = inertia[1];
    return f->calls.outcome;
}

static pio_direct_outcome solve(void *context, pio_stream stream, int transposed, int columns, double *x, char *message)
{
    factor *f = context;
    const size_t bytes = sizeof *x * (size_t)f->n;
    (void)transposed; /* factors of A^T are requested instead: `transposes` is 0 */
    cuda_begin(&f->calls, "cuDSS", message);
    DSS(f, cudssSetStream(f->handle, stream));
    for (int c = 0; c < columns; c++) {
        double *column = x + (ptrdiff_t)c * f->n;
        cudssMatrix_t right = NULL, solution = NULL;
        CUDA(f, cudaMemcpyAsync(f->b, column, bytes, cudaMemcpyDeviceToDevice, stream));
        DSS(f, cudssMatrixCreateDn(&right, f->n, 1, f->n, f->b, CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR));
        DSS(f, cudssMatrixCreateDn(&solution, f->n, 1, f->n, column, CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR));
        DSS(f, cudssExecute(f->handle, CUDSS_PHASE_SOLVE, f->config, f->data, f->matrix, solution, right));
        if (right) cudssMatrixDestroy(right);
        if (solution) cudssMatrixDestroy(solution);
    }
    return f->calls.outcome;
}

__attribute__((visibility("default"))) extern const pio_direct_table piola_direct;
const pio_direct_table piola_direct = {
    .version = PIO_DIRECT_VERSION,
    .size = sizeof(pio_direct_table),
    .kinds = 1u << PIO_FACTOR_CHOLESKY | 1u << PIO_FACTOR_LDLT | 1u << PIO_FACTOR_LU,
    .lower = 1,
    .transposes = 0,
    .probe = probe,
    .analyse = analyse,
    .factorise = factorise,
    .solve = solve,
    .release = release,
};
