/* declarations.c -- compiles where the declarations of the stand-ins' headers are those of CUDA's, which come first: a
 * prototype of another type is an error, a constant of another value too. cuDSS is compared where its header is given
 * (WITH_CUDSS). */
#define DISABLE_CUSOLVER_DEPRECATED
#define DISABLE_CUSPARSE_DEPRECATED
#include <stdint.h>

#include <cuda_runtime_api.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>
#ifdef WITH_CUDSS
#include <cudss.h>
#endif

#define STAND_IN_PROTOTYPES
#include "tests/cuda_stand_in/cuda_runtime_api.h"
#include "tests/cuda_stand_in/cusolverSp.h"
#include "tests/cuda_stand_in/cusolverSp_LOWLEVEL_PREVIEW.h"
#include "tests/cuda_stand_in/cusparse.h"
#ifdef WITH_CUDSS
#include "tests/cuda_stand_in/cudss.h"
#endif

#define IS(name, value) _Static_assert((int)(name) == (value), #name " has another value in the stand-in's header")
IS(cudaErrorInvalidValue, 1);
IS(cudaErrorMemoryAllocation, 2);
IS(cudaErrorInvalidConfiguration, 9);
IS(cudaErrorInvalidDevice, 101);
IS(cudaErrorNoKernelImageForDevice, 209);
IS(cudaErrorUnsupportedPtxVersion, 222);
IS((intptr_t)cudaStreamLegacy, 1);
IS(cudaMemcpyHostToDevice, 1);
IS(cudaMemcpyDeviceToHost, 2);
IS(cudaMemcpyDeviceToDevice, 3);
IS(cudaStreamNonBlocking, 1);
IS(CUDA_R_32F, 0);
IS(CUDA_R_64F, 1);
IS(CUDA_R_32I, 10);
IS(MAJOR_VERSION, 0);
IS(PATCH_LEVEL, 2);
IS(CUSPARSE_STATUS_ALLOC_FAILED, 2);
IS(CUSPARSE_STATUS_INVALID_VALUE, 3);
IS(CUSPARSE_INDEX_32I, 2);
IS(CUSPARSE_ORDER_ROW, 2);
IS(CUSPARSE_SPMV_BSR_ALG1, 6);
IS(CUSOLVER_STATUS_ALLOC_FAILED, 2);
IS(CUSOLVER_STATUS_INVALID_VALUE, 3);
IS(CUSOLVER_STATUS_EXECUTION_FAILED, 6);
#ifdef WITH_CUDSS
IS(CUDSS_STATUS_ALLOC_FAILED, 2);
IS(CUDSS_STATUS_INVALID_VALUE, 3);
IS(CUDSS_STATUS_EXECUTION_FAILED, 5);
IS(CUDSS_CONFIG_DETERMINISTIC_MODE, 24);
IS(CUDSS_DATA_INFO, 0);
IS(CUDSS_DATA_INERTIA, 3);
IS(CUDSS_DATA_MEMORY_ESTIMATES, 13);
IS(CUDSS_DATA_FLOPS, 26);
IS(CUDSS_PHASE_ANALYSIS, 3);
IS(CUDSS_PHASE_FACTORIZATION, 4);
IS(CUDSS_PHASE_REFACTORIZATION, 8);
IS(CUDSS_PHASE_SOLVE, 1008);
IS(CUDSS_MTYPE_SYMMETRIC, 1);
IS(CUDSS_MTYPE_SPD, 3);
IS(CUDSS_MVIEW_LOWER, 1);
#endif
