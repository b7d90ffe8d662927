/* cusparse_stand_in.c -- what kernels/backend/product_cusparse.c calls of cuSPARSE and of CUDA's runtime, on the CPU: a
 * loop, and the rules of the manual as checks, so that the module's own steps are tested where there is no GPU. What
 * cuSPARSE computes, and how fast, is for test_product_gpu.c on one. */
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cusparseContext {
    cudaStream_t stream;
};
struct cusparseSpMatDescr {
    int64_t rows, blocks, dim;
    const int *row_start, *column;
    const void *value;
    cudaDataType type;
    void *active; /* the buffer of the last preprocess */
};
struct cusparseDnVecDescr {
    int64_t size;
    void *value;
    cudaDataType type;
};

enum { MARK = 0x5a };

/* ---- the runtime ---------------------------------------------------------------------------------------- */

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = malloc(bytes);
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *memory)
{
    free(memory);
    return cudaSuccess;
}

/* A copy from pageable memory may go on after the call, until somebody waits for it. */
static int on_its_way;

cudaError_t cudaMemcpy(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(target, source, bytes);
    on_its_way = 1;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    on_its_way = 0;
    return cudaSuccess;
}

/* ---- handles and descriptors ---------------------------------------------------------------------------- */

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
    (void)type;
    *value = 0; /* cuSPARSE 0.0.0 */
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    free(handle);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateConstBsr(cusparseConstSpMatDescr_t *out, int64_t rows, int64_t columns, int64_t blocks,
                                        int64_t height, int64_t width, const void *row_start, const void *column,
                                        const void *value, cusparseIndexType_t starts, cusparseIndexType_t indices,
                                        cusparseIndexBase_t base, cudaDataType type, cusparseOrder_t order)
{
    const int right = !on_its_way && rows == columns && height == width && height > 1 && row_start && column && value &&
                      starts == CUSPARSE_INDEX_32I && indices == CUSPARSE_INDEX_32I &&
                      base == CUSPARSE_INDEX_BASE_ZERO && order == CUSPARSE_ORDER_ROW &&
                      (type == CUDA_R_32F || type == CUDA_R_64F) && ((const int *)row_start)[rows] == blocks;
    struct cusparseSpMatDescr *m = right ? malloc(sizeof *m) : NULL;
    if (!m) return right ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_INVALID_VALUE;
    *m = (struct cusparseSpMatDescr){rows, blocks, height, row_start, column, value, type, NULL};
    *out = m;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t m)
{
    free((void *)(uintptr_t)m);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *out, int64_t size, void *value, cudaDataType type)
{
    struct cusparseDnVecDescr *v = value ? malloc(sizeof *v) : NULL;
    if (!v) return value ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_INVALID_VALUE;
    *v = (struct cusparseDnVecDescr){size, value, type};
    *out = v;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t v)
{
    free((void *)(uintptr_t)v);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t v, void *value)
{
    v->value = value;
    return value ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

/* ---- the product ---------------------------------------------------------------------------------------- */

static double number(cudaDataType type, const void *array, int64_t i)
{
    return type == CUDA_R_32F ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static size_t bytes_of(cusparseConstSpMatDescr_t m)
{
    return 8 * (size_t)m->rows;
}

/* A itself, of one type throughout, y = A x: alpha 1 and beta 0. */
static int right_call(cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t m,
                      cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType type,
                      cusparseSpMVAlg_t algorithm)
{
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE && algorithm == CUSPARSE_SPMV_BSR_ALG1 && m->type == type &&
           x->type == type && y->type == type && x->size == m->rows * m->dim && y->size == x->size &&
           !(number(type, alpha, 0) < 1) && !(number(type, alpha, 0) > 1) && !(fabs(number(type, beta, 0)) > 0);
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t m, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t algorithm,
                                         size_t *bytes)
{
    *bytes = bytes_of(m);
    return handle && right_call(op, alpha, m, x, beta, y, type, algorithm) ? CUSPARSE_STATUS_SUCCESS
                                                                           : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t m, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t algorithm,
                                         void *buffer)
{
    if (!handle || !right_call(op, alpha, m, x, beta, y, type, algorithm)) return CUSPARSE_STATUS_INVALID_VALUE;
    memset(buffer, MARK, bytes_of(m));
    ((struct cusparseSpMatDescr *)(uintptr_t)m)->active = buffer;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t m, cusparseConstDnVecDescr_t x, const void *beta,
                              cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t algorithm, void *buffer)
{
    const int same = buffer && buffer == m->active && ((const unsigned char *)buffer)[bytes_of(m) - 1] == MARK;
    if (!handle || !same || !right_call(op, alpha, m, x, beta, y, type, algorithm) || x->value == y->value)
        return CUSPARSE_STATUS_INVALID_VALUE;
    for (int64_t i = 0; i < m->rows * m->dim; i++) {
        double sum = 0;
        for (int k = m->row_start[i / m->dim]; k < m->row_start[i / m->dim + 1]; k++)
            for (int64_t c = 0; c < m->dim; c++)
                sum += number(type, m->value, (k * m->dim + i % m->dim) * m->dim + c) *
                       number(type, x->value, m->column[k] * m->dim + c);
        if (type == CUDA_R_32F)
            ((float *)y->value)[i] = (float)sum;
        else
            ((double *)y->value)[i] = sum;
    }
    return CUSPARSE_STATUS_SUCCESS;
}
