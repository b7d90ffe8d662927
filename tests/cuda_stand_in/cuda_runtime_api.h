/* cuda_runtime_api.h -- what Piola calls of the runtime of CUDA, as CUDA declares it, for the stand-in that runs
 * kernels on a CPU. declarations.c compares these declarations with those of CUDA where that is installed. */
#ifndef PIOLA_TESTS_CUDA_RUNTIME_API_H
#define PIOLA_TESTS_CUDA_RUNTIME_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STAND_IN_PROTOTYPES /* 1: the types are CUDA's own */
typedef struct CUstream_st *cudaStream_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
#define cudaStreamLegacy ((cudaStream_t)0x1) /* the default stream, by name */
enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDevice = 101,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorUnsupportedPtxVersion = 222
};
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3
};
enum { cudaStreamNonBlocking = 1 };
struct cudaDeviceProp { /* a selection: the stand-in is compiled with its callers */
    char name[256];
    int l2CacheSize, multiProcessorCount, major, minor;
};
struct cudaFuncAttributes {
    int numRegs;
};
typedef enum { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_32I = 10 } cudaDataType;
typedef enum { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL } libraryPropertyType;
#endif

struct cudaKernelNodeParams;
struct cudaMemsetParams;

cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total);
cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMemset(void *target, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *target, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpy(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                   const struct cudaKernelNodeParams *launch);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                   const struct cudaMemsetParams *fill);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                     void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *launch);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *fill);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *target,
                                               const void *source, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t error);

#ifndef STAND_IN_PROTOTYPES
/* ---- for the stand-ins of libraries, which have no counterpart in CUDA ---------------------------------------- */

/* Returns whether all of these bytes are within one piece of device memory. */
int stand_in_on_device(const void *memory, size_t bytes);
/* Executes what waits in a stream. */
void stand_in_finish(cudaStream_t stream);
/* Device memory can be accessed after a stand_in_show until its stand_in_hide, which takes what that returned. */
int stand_in_show(void);
void stand_in_hide(const int *shown);
/* From here to the end of the block a library works on device memory, after what waits in the stream. */
#define STAND_IN_WORKS(stream)                                                                                         \
    stand_in_finish(stream);                                                                                           \
    const int shown __attribute__((cleanup(stand_in_hide), unused)) = stand_in_show()
/* What was done so far. */
struct stand_in_counted {
    long launches, copies, waits, graphs, nodes_set;
    long downloads; /* of the copies, those to the host */
};
struct stand_in_counted stand_in_count(void);
/* Ends the process: a call breaks a rule of CUDA. */
__attribute__((noreturn, format(printf, 1, 2))) void stand_in_stop(const char *format, ...);
#endif

#ifdef __cplusplus
}
#endif
#endif
