/* cusparse.h -- what Piola calls of cuSPARSE, as it declares it; see cuda_runtime_api.h here. */
#ifndef PIOLA_TESTS_CUSPARSE_H
#define PIOLA_TESTS_CUSPARSE_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STAND_IN_PROTOTYPES
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseSpVecDescr const *cusparseConstSpVecDescr_t;
typedef struct cusparseDnVecDescr const *cusparseConstDnVecDescr_t;
typedef struct cusparseSpMatDescr const *cusparseConstSpMatDescr_t;
typedef enum {
    CUSPARSE_STATUS_SUCCESS = 0,
    CUSPARSE_STATUS_ALLOC_FAILED = 2,
    CUSPARSE_STATUS_INVALID_VALUE = 3
} cusparseStatus_t;
typedef enum { CUSPARSE_INDEX_32I = 2 } cusparseIndexType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO = 0 } cusparseIndexBase_t;
typedef enum { CUSPARSE_OPERATION_NON_TRANSPOSE = 0 } cusparseOperation_t;
typedef enum { CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum { CUSPARSE_SPMV_BSR_ALG1 = 6 } cusparseSpMVAlg_t;
#endif

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value);
cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *out);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t m);
cusparseStatus_t cusparseCreateConstBsr(cusparseConstSpMatDescr_t *out, int64_t rows, int64_t columns, int64_t blocks,
                                        int64_t height, int64_t width, const void *row_start, const void *column,
                                        const void *value, cusparseIndexType_t starts, cusparseIndexType_t indices,
                                        cusparseIndexBase_t base, cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t m);
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *out, int64_t size, void *value, cudaDataType type);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t v);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t v, void *value);
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *out, int64_t size, int64_t entries, void *index, void *value,
                                     cusparseIndexType_t indices, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t v);
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t from, cusparseSpVecDescr_t to);
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t from, cusparseDnVecDescr_t to);
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t m, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t algorithm,
                                         size_t *bytes);
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t m, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t algorithm,
                                         void *buffer);
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t m, cusparseConstDnVecDescr_t x, const void *beta,
                              cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t algorithm, void *buffer);

#ifdef __cplusplus
}
#endif
#endif
