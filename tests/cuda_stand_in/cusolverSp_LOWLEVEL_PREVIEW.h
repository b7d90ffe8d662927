/* cusolverSp_LOWLEVEL_PREVIEW.h -- what Piola calls of cuSOLVER's factors, as it declares it; see cuda_runtime_api.h
 * here. */
#ifndef PIOLA_TESTS_CUSOLVERSP_LOWLEVEL_PREVIEW_H
#define PIOLA_TESTS_CUSOLVERSP_LOWLEVEL_PREVIEW_H

#include <cusolverSp.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STAND_IN_PROTOTYPES
typedef struct csrcholInfo *csrcholInfo_t;
#endif

cusolverStatus_t cusolverSpXcsrqrAnalysis(cusolverSpHandle_t handle, int rows, int columns, int entries,
                                          const cusparseMatDescr_t m, const int *start, const int *column,
                                          csrqrInfo_t info);
cusolverStatus_t cusolverSpDcsrqrBufferInfo(cusolverSpHandle_t handle, int rows, int columns, int entries,
                                            const cusparseMatDescr_t m, const double *value, const int *start,
                                            const int *column, csrqrInfo_t info, size_t *inside, size_t *work);
cusolverStatus_t cusolverSpDcsrqrSetup(cusolverSpHandle_t handle, int rows, int columns, int entries,
                                       const cusparseMatDescr_t m, const double *value, const int *start,
                                       const int *column, double mu, csrqrInfo_t info);
cusolverStatus_t cusolverSpDcsrqrFactor(cusolverSpHandle_t handle, int rows, int columns, int entries, double *b,
                                        double *x, csrqrInfo_t info, void *work);
cusolverStatus_t cusolverSpDcsrqrZeroPivot(cusolverSpHandle_t handle, csrqrInfo_t info, double tolerance,
                                           int *position);
cusolverStatus_t cusolverSpDcsrqrSolve(cusolverSpHandle_t handle, int rows, int columns, double *b, double *x,
                                       csrqrInfo_t info, void *work);

cusolverStatus_t cusolverSpCreateCsrcholInfo(csrcholInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrcholInfo(csrcholInfo_t info);
cusolverStatus_t cusolverSpXcsrcholAnalysis(cusolverSpHandle_t handle, int n, int entries, const cusparseMatDescr_t m,
                                            const int *start, const int *column, csrcholInfo_t info);
cusolverStatus_t cusolverSpDcsrcholBufferInfo(cusolverSpHandle_t handle, int n, int entries, const cusparseMatDescr_t m,
                                              const double *value, const int *start, const int *column,
                                              csrcholInfo_t info, size_t *inside, size_t *work);
cusolverStatus_t cusolverSpDcsrcholFactor(cusolverSpHandle_t handle, int n, int entries, const cusparseMatDescr_t m,
                                          const double *value, const int *start, const int *column, csrcholInfo_t info,
                                          void *work);
cusolverStatus_t cusolverSpDcsrcholZeroPivot(cusolverSpHandle_t handle, csrcholInfo_t info, double tolerance,
                                             int *position);
cusolverStatus_t cusolverSpDcsrcholSolve(cusolverSpHandle_t handle, int n, const double *b, double *x,
                                         csrcholInfo_t info, void *work);

#ifdef __cplusplus
}
#endif
#endif
