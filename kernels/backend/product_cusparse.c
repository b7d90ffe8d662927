/* product_cusparse.c -- products of block matrices on CUDA by cuSPARSE's generic interface, cusparseSpMV on its BSR
 * format (from CUDA 13.0 on; cusparse.h).
 *
 * CUSPARSE_SPMV_BSR_ALG1 is the algorithm for this format, and the manual promises deterministic, bitwise equal results
 * for each run of it. It takes blocks row by row, and A alone: for A^T the caller has a kernel of its own. The manual
 * allows other vectors and other values than those that cusparseSpMV_preprocess saw, as long as structure and buffer
 * stay. */
#include "kernels/backend/cuda_calls.h"
#include "kernels/backend/product.h"

#include <cusparse.h>
#include <stdlib.h>

typedef struct {
    cuda_calls calls;
    cusparseHandle_t handle;
    cusparseConstSpMatDescr_t matrix;
    cusparseDnVecDescr_t x, y;
    cudaDataType type;
    void *buffer; /* device */
} product;

#define SPARSE(p, call) CALL(&(p)->calls, CUSPARSE_STATUS_ALLOC_FAILED, call)

/* Of both precisions: the library reads the one of `type`. */
static const float one_f = 1, zero_f = 0;
static const double one_d = 1, zero_d = 0;

static const void *one(const product *p)
{
    return p->type == CUDA_R_32F ? (const void *)&one_f : (const void *)&one_d;
}

static const void *zero(const product *p)
{
    return p->type == CUDA_R_32F ? (const void *)&zero_f : (const void *)&zero_d;
}

static pio_direct_outcome probe(int device, char name[128], char *message)
{
    int major = 0, minor = 0, patch = 0;
    const int missing = cusparseGetProperty(MAJOR_VERSION, &major) || cusparseGetProperty(MINOR_VERSION, &minor) ||
                        cusparseGetProperty(PATCH_LEVEL, &patch);
    const pio_direct_outcome outcome = cuda_probe(device, "cuSPARSE", missing, message);
    if (!outcome) snprintf(name, 128, "cuSPARSE %d.%d.%d", major, minor, patch);
    return outcome;
}

static void release(void *context)
{
    product *p = context;
    if (!p) return;
    if (p->x) (void)cusparseDestroyDnVec(p->x);
    if (p->y) (void)cusparseDestroyDnVec(p->y);
    if (p->matrix) (void)cusparseDestroySpMat(p->matrix);
    if (p->handle) (void)cusparseDestroy(p->handle);
    (void)cudaFree(p->buffer);
    free(p);
}

/* The descriptors, and the bytes of the buffer. Vectors are given with each product: until then values stand for
 * them. */
static void describe(product *p, int device, const pio_product_matrix *m, size_t *bytes)
{
    const int64_t unknowns = (int64_t)m->rows * m->dim;
    void *vector = (void *)(uintptr_t)m->value;
    p->type = m->bits == 32 ? CUDA_R_32F : CUDA_R_64F;
    *bytes = 0;
    CUDA(p, cudaSetDevice(device));
    SPARSE(p, cusparseCreate(&p->handle));
    SPARSE(p, cusparseCreateConstBsr(&p->matrix, m->rows, m->rows, m->blocks, m->dim, m->dim, m->row_start, m->column,
                                     m->value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                     p->type, CUSPARSE_ORDER_ROW));
    SPARSE(p, cusparseCreateDnVec(&p->x, unknowns, vector, p->type));
    SPARSE(p, cusparseCreateDnVec(&p->y, unknowns, vector, p->type));
    SPARSE(p, cusparseSpMV_bufferSize(p->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one(p), p->matrix, p->x, zero(p),
                                      p->y, p->type, CUSPARSE_SPMV_BSR_ALG1, bytes));
    if (*bytes == 0) *bytes = 1; /* the buffer is an address even then */
}

static product *begin(char *message)
{
    product *p = calloc(1, sizeof *p);
    if (p)
        cuda_begin(&p->calls, "cuSPARSE", message);
    else
        snprintf(message, PIO_DIRECT_TEXT, "no memory for %zu bytes on the host", sizeof *p);
    return p;
}

/* The buffer's size is requested with the structure on the device, as prepare() has it; no values are needed for that,
 * nor vectors, only addresses. */
static pio_direct_outcome predict(int device, const pio_product_matrix *host, size_t *bytes, char *message)
{
    product *p = begin(message);
    pio_product_matrix m = *host;
    *bytes = 0;
    if (!p) return PIO_DIRECT_NO_MEMORY;
    CUDA(p, cudaSetDevice(device));
    int *row_start = cuda_take_ints(&p->calls, host->row_start, (size_t)host->rows + 1);
    int *column = cuda_take_ints(&p->calls, host->column, (size_t)host->blocks);
    m.row_start = row_start;
    m.value = m.column = column;
    if (!p->calls.outcome) describe(p, device, &m, bytes);
    const pio_direct_outcome outcome = p->calls.outcome;
    release(p);
    (void)cudaFree(row_start);
    (void)cudaFree(column);
    return outcome;
}

static pio_direct_outcome prepare(int device, pio_stream stream, const pio_product_matrix *matrix, void **context,
                                  char *message)
{
    product *p = begin(message);
    size_t bytes = 0;
    *context = NULL;
    if (!p) return PIO_DIRECT_NO_MEMORY;
    describe(p, device, matrix, &bytes);
    p->buffer = cuda_take(&p->calls, bytes);
    SPARSE(p, cusparseSetStream(p->handle, stream));
    SPARSE(p, cusparseSpMV_preprocess(p->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one(p), p->matrix, p->x, zero(p),
                                      p->y, p->type, CUSPARSE_SPMV_BSR_ALG1, p->buffer));
    CUDA(p, cudaStreamSynchronize(stream));
    const pio_direct_outcome outcome = p->calls.outcome;
    if (outcome)
        release(p);
    else
        *context = p;
    return outcome;
}

static pio_direct_outcome apply(void *context, pio_stream stream, int transposed, const void *x, void *y, char *message)
{
    product *p = context;
    (void)transposed; /* `transposes` is 0 */
    cuda_begin(&p->calls, "cuSPARSE", message);
    SPARSE(p, cusparseSetStream(p->handle, stream));
    SPARSE(p, cusparseDnVecSetValues(p->x, (void *)(uintptr_t)x));
    SPARSE(p, cusparseDnVecSetValues(p->y, y));
    SPARSE(p, cusparseSpMV(p->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, one(p), p->matrix, p->x, zero(p), p->y, p->type,
                           CUSPARSE_SPMV_BSR_ALG1, p->buffer));
    return p->calls.outcome;
}

__attribute__((visibility("default"))) extern const pio_product_table piola_product;
const pio_product_table piola_product = {
    .version = PIO_PRODUCT_VERSION,
    .size = sizeof(pio_product_table),
    .transposes = 0,
    .probe = probe,
    .predict = predict,
    .prepare = prepare,
    .apply = apply,
    .release = release,
};
