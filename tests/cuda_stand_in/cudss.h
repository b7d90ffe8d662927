/* cudss.h -- what Piola calls of cuDSS 1.0, as it declares it; see cuda_runtime_api.h here. */
#ifndef PIOLA_TESTS_CUDSS_H
#define PIOLA_TESTS_CUDSS_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STAND_IN_PROTOTYPES
typedef struct cudssContext *cudssHandle_t;
typedef struct cudssMatrix *cudssMatrix_t;
typedef struct cudssData *cudssData_t;
typedef struct cudssConfig *cudssConfig_t;
typedef enum {
    CUDSS_STATUS_SUCCESS = 0,
    CUDSS_STATUS_ALLOC_FAILED = 2,
    CUDSS_STATUS_INVALID_VALUE = 3,
    CUDSS_STATUS_EXECUTION_FAILED = 5
} cudssStatus_t;
typedef enum { CUDSS_CONFIG_DETERMINISTIC_MODE = 24 } cudssConfigParam_t;
typedef enum {
    CUDSS_DATA_INFO = 0,
    CUDSS_DATA_INERTIA = 3,
    CUDSS_DATA_MEMORY_ESTIMATES = 13,
    CUDSS_DATA_FLOPS = 26
} cudssDataParam_t;
enum {
    CUDSS_PHASE_ANALYSIS = 3,
    CUDSS_PHASE_FACTORIZATION = 4,
    CUDSS_PHASE_REFACTORIZATION = 8,
    CUDSS_PHASE_SOLVE = 1008
};
typedef enum { CUDSS_MTYPE_GENERAL = 0, CUDSS_MTYPE_SYMMETRIC = 1, CUDSS_MTYPE_SPD = 3 } cudssMatrixType_t;
typedef enum { CUDSS_MVIEW_FULL = 0, CUDSS_MVIEW_LOWER = 1 } cudssMatrixViewType_t;
typedef enum { CUDSS_BASE_ZERO = 0 } cudssIndexBase_t;
typedef enum { CUDSS_LAYOUT_COL_MAJOR = 0 } cudssLayout_t;
#endif

cudssStatus_t cudssGetProperty(libraryPropertyType type, int *value);
cudssStatus_t cudssCreate(cudssHandle_t *handle);
cudssStatus_t cudssDestroy(cudssHandle_t handle);
cudssStatus_t cudssSetStream(cudssHandle_t handle, cudaStream_t stream);
cudssStatus_t cudssConfigCreate(cudssConfig_t *config);
cudssStatus_t cudssConfigDestroy(cudssConfig_t config);
cudssStatus_t cudssConfigSet(cudssConfig_t config, cudssConfigParam_t param, const void *value, size_t bytes);
cudssStatus_t cudssDataCreate(const cudssHandle_t handle, cudssData_t *data);
cudssStatus_t cudssDataDestroy(cudssHandle_t handle, cudssData_t data);
cudssStatus_t cudssDataGet(const cudssHandle_t handle, const cudssData_t data, cudssDataParam_t param, void *value,
                           size_t bytes, size_t *written);
cudssStatus_t cudssMatrixCreateCsr(cudssMatrix_t *matrix, int64_t rows, int64_t columns, int64_t entries,
                                   const void *start, const void *end, const void *column, const void *value,
                                   cudaDataType starts, cudaDataType indices, cudaDataType values,
                                   cudssMatrixType_t type, cudssMatrixViewType_t view, cudssIndexBase_t base);
cudssStatus_t cudssMatrixCreateDn(cudssMatrix_t *matrix, int64_t rows, int64_t columns, int64_t stride,
                                  const void *value, cudaDataType type, cudssLayout_t layout);
cudssStatus_t cudssMatrixDestroy(cudssMatrix_t matrix);
cudssStatus_t cudssMatrixSetValues(cudssMatrix_t matrix, const void *value);
cudssStatus_t cudssExecute(cudssHandle_t handle, int phase, const cudssConfig_t config, cudssData_t data,
                           const cudssMatrix_t matrix, cudssMatrix_t solution, const cudssMatrix_t right);

#ifdef __cplusplus
}
#endif
#endif
