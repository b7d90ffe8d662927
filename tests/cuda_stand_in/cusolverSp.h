/* cusolverSp.h -- what Piola calls of cuSOLVER's sparse interface, as it declares it; see cuda_runtime_api.h here. */
#ifndef PIOLA_TESTS_CUSOLVERSP_H
#define PIOLA_TESTS_CUSOLVERSP_H

#include <cusparse.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STAND_IN_PROTOTYPES
typedef enum {
    CUSOLVER_STATUS_SUCCESS = 0,
    CUSOLVER_STATUS_ALLOC_FAILED = 2,
    CUSOLVER_STATUS_INVALID_VALUE = 3,
    CUSOLVER_STATUS_EXECUTION_FAILED = 6
} cusolverStatus_t;
typedef struct cusolverSpContext *cusolverSpHandle_t;
typedef struct csrqrInfo *csrqrInfo_t;
#endif

cusolverStatus_t cusolverGetVersion(int *version);
cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle);
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle);
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info);
cusolverStatus_t cusolverSpXcsrsymamdHost(cusolverSpHandle_t handle, int n, int entries, const cusparseMatDescr_t m,
                                          const int *start, const int *column, int *order);
cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int rows, int columns, int entries,
                                                   const cusparseMatDescr_t m, const int *start, const int *column,
                                                   const int *p, const int *q, size_t *bytes);
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int rows, int columns, int entries,
                                        const cusparseMatDescr_t m, int *start, int *column, const int *p, const int *q,
                                        int *map, void *work);

#ifdef __cplusplus
}
#endif
#endif
