/* cusparse_stand_in.c -- what kernels/backend/product_cusparse.c and direct_cusolver.c call of cuSPARSE, on the CPU:
 * loops, and the rules of the manual as checks. What cuSPARSE computes, and how fast, is for test_product_gpu.c on a
 * GPU. */
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

struct cusparseSpVecDescr {
    int64_t entries;
    const int *index; /* device */
    double *value;    /* device */
};
struct cusparseMatDescr {
    int general;
};

enum { MARK = 0x5a };

static void need(int holds, const char *what)
{
    if (!holds) stand_in_stop("cuSPARSE: %s", what);
}

static size_t bytes_of_numbers(cudaDataType type, int64_t count)
{
    return (type == CUDA_R_32F ? sizeof(float) : sizeof(double)) * (size_t)count;
}

static void need_numbers(cudaDataType type, int64_t count, const void *value)
{
    need(stand_in_on_device(value, bytes_of_numbers(type, count)), "numbers that are not on the device");
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
    const int right = rows == columns && height == width && height > 1 && value && starts == CUSPARSE_INDEX_32I &&
                      indices == CUSPARSE_INDEX_32I && base == CUSPARSE_INDEX_BASE_ZERO &&
                      order == CUSPARSE_ORDER_ROW && (type == CUDA_R_32F || type == CUDA_R_64F);
    need(stand_in_on_device(row_start, sizeof(int) * ((size_t)rows + 1)) &&
             stand_in_on_device(column, sizeof(int) * (size_t)blocks) && stand_in_on_device(value, 1),
         "a matrix that is not on the device");
    struct cusparseSpMatDescr *m = right ? malloc(sizeof *m) : NULL;
    if (!m) return right ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_INVALID_VALUE;
    *m = (struct cusparseSpMatDescr){rows, blocks, height, row_start, column, value, type, NULL};
    *out = m;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *out)
{
    *out = calloc(1, sizeof **out);
    return *out ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t m)
{
    free(m);
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

/* ---- sparse vectors: every entry of a permutation ---------------------------------------------------------- */

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *out, int64_t size, int64_t entries, void *index, void *value,
                                     cusparseIndexType_t indices, cusparseIndexBase_t base, cudaDataType type)
{
    need(size == entries && indices == CUSPARSE_INDEX_32I && base == CUSPARSE_INDEX_BASE_ZERO && type == CUDA_R_64F,
         "a sparse vector of other types than int and double");
    need(stand_in_on_device(index, sizeof(int) * (size_t)entries), "indices that are not on the device");
    need_numbers(type, entries, value);
    struct cusparseSpVecDescr *v = malloc(sizeof *v);
    if (v) *v = (struct cusparseSpVecDescr){entries, index, value};
    *out = v;
    return v ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t v)
{
    free((void *)(uintptr_t)v);
    return CUSPARSE_STATUS_SUCCESS;
}

static void need_fit(cusparseHandle_t handle, cusparseConstDnVecDescr_t dense, cusparseConstSpVecDescr_t sparse)
{
    need(handle && dense->type == CUDA_R_64F && dense->size == sparse->entries && dense->value != sparse->value,
         "vectors that do not fit");
    need_numbers(dense->type, dense->size, dense->value);
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t from, cusparseSpVecDescr_t to)
{
    need_fit(handle, from, to);
    STAND_IN_WORKS(handle->stream);
    for (int64_t k = 0; k < to->entries; k++) to->value[k] = ((const double *)from->value)[to->index[k]];
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t from, cusparseDnVecDescr_t to)
{
    need_fit(handle, to, from);
    STAND_IN_WORKS(handle->stream);
    for (int64_t k = 0; k < from->entries; k++) ((double *)to->value)[from->index[k]] = from->value[k];
    return CUSPARSE_STATUS_SUCCESS;
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

/* Of what is multiplied: A itself, of one type throughout. */
static int right_operands(cusparseConstSpMatDescr_t m, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                          cudaDataType type)
{
    return m->type == type && x->type == type && y->type == type && x->size == m->rows * m->dim && y->size == x->size;
}

/* Of how: y = A x, with alpha 1 and beta 0. */
static int right_call(cusparseOperation_t op, const void *alpha, const void *beta, cudaDataType type,
                      cusparseSpMVAlg_t algorithm)
{
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE && algorithm == CUSPARSE_SPMV_BSR_ALG1 &&
           !(number(type, alpha, 0) < 1) && !(number(type, alpha, 0) > 1) && !(fabs(number(type, beta, 0)) > 0);
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t m, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t algorithm,
                                         size_t *bytes)
{
    *bytes = bytes_of(m);
    return handle && right_operands(m, x, y, type) && right_call(op, alpha, beta, type, algorithm)
               ? CUSPARSE_STATUS_SUCCESS
               : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t m, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t algorithm,
                                         void *buffer)
{
    if (!handle || !right_operands(m, x, y, type) || !right_call(op, alpha, beta, type, algorithm))
        return CUSPARSE_STATUS_INVALID_VALUE;
    need(stand_in_on_device(buffer, bytes_of(m)), "a buffer that is not on the device");
    STAND_IN_WORKS(handle->stream);
    need(m->row_start[m->rows] == m->blocks, "a matrix whose rows do not have all blocks");
    memset(buffer, MARK, bytes_of(m));
    ((struct cusparseSpMatDescr *)(uintptr_t)m)->active = buffer;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t m, cusparseConstDnVecDescr_t x, const void *beta,
                              cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t algorithm, void *buffer)
{
    if (!handle) return CUSPARSE_STATUS_INVALID_VALUE;
    STAND_IN_WORKS(handle->stream);
    const int same = buffer && buffer == m->active && ((const unsigned char *)buffer)[bytes_of(m) - 1] == MARK;
    if (!same || x->value == y->value) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!right_operands(m, x, y, type) || !right_call(op, alpha, beta, type, algorithm))
        return CUSPARSE_STATUS_INVALID_VALUE;
    need_numbers(type, m->blocks * m->dim * m->dim, m->value);
    need_numbers(type, x->size, x->value);
    need_numbers(type, y->size, y->value);
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
