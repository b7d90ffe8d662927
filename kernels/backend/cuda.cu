/* cuda.cu -- the CUDA backend: its table of kernels, and device memory through the runtime. The kernels' grids are in
 * the other files of this name, the only C++ of the program. */
#include "kernels/backend/table.h"

#include <cuda_runtime.h>
#include <stdio.h>

/* ---- device memory -------------------------------------------------------------------------------------- */

/* What the driver takes when kernels run: the code of kernels and of libraries, each loaded at its first launch, and
 * local memory for as many threads as the device holds, by the largest kernel that ran. LOCAL_BYTES is above that of
 * every kernel; CODE_BYTES is a guess, several times the size of an engine. */
enum { LOCAL_BYTES = 2048, THREADS_OF_MULTIPROCESSOR = 2048, CODE_BYTES = 512 << 20 };

static size_t kept_bytes(const cudaDeviceProp *prop)
{
    return (size_t)prop->multiProcessorCount * THREADS_OF_MULTIPROCESSOR * LOCAL_BYTES + CODE_BYTES;
}

static __global__ void nothing() {}

/* Whether the driver finds code for this device among that of the kernels, all of which are built for the same ones. */
static int find_code(const cudaDeviceProp *prop, pio_device_info *info)
{
    cudaFuncAttributes attributes;
    const int rc = cudaFuncGetAttributes(&attributes, nothing);
    if (rc == cudaErrorNoKernelImageForDevice || rc == cudaErrorUnsupportedPtxVersion)
        snprintf(info->error, sizeof info->error,
                 "there is no code for %.100s, of compute capability %d.%d; a build with "
                 "-DPIOLA_CUDA_ARCHITECTURES=%d%d, or with all-major, has it",
                 prop->name, prop->major, prop->minor, prop->major, prop->minor);
    return rc;
}

static int cuda_open(int ordinal, int threads, pio_device_info *info, pio_stream *stream)
{
    (void)threads;
    info->error[0] = '\0';
    size_t available = 0, total = 0;
    int driver = 0, runtime = 0, rc = cudaSetDevice(ordinal);
    cudaDeviceProp prop;
    if (!rc) rc = cudaGetDeviceProperties(&prop, ordinal);
    if (!rc) rc = find_code(&prop, info);
    if (!rc) rc = cudaDriverGetVersion(&driver);
    if (!rc) rc = cudaRuntimeGetVersion(&runtime);
    if (!rc) rc = cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
    if (!rc) rc = cudaMemGetInfo(&available, &total);
    if (rc) {
        (void)cudaGetLastError();
        return rc;
    }
    info->kept_bytes = kept_bytes(&prop);
    info->free_bytes = available > info->kept_bytes ? available - info->kept_bytes : 0;
    info->context_bytes = total - available;
    info->cache_bytes = (size_t)prop.l2CacheSize;
    snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof info->name - 1, prop.name);
    snprintf(info->driver, sizeof info->driver, "driver %d.%d, runtime %d.%d", driver / 1000, driver % 1000 / 10,
             runtime / 1000, runtime % 1000 / 10);
    return 0;
}

static void cuda_close(pio_stream stream)
{
    (void)cudaStreamDestroy(stream);
}

static int cuda_allocate(size_t bytes, void **base)
{
    const int rc = cudaMalloc(base, bytes);
    if (rc) {
        (void)cudaGetLastError();
        *base = NULL;
        return rc;
    }
    const int zeroed = cudaMemset(*base, 0, bytes);
    return zeroed ? zeroed : cudaDeviceSynchronize(); /* streams of ours do not wait for the default one */
}

static void cuda_release(void *base, size_t bytes)
{
    (void)bytes;
    (void)cudaFree(base);
}

static int cuda_zero(pio_stream stream, void *target, size_t bytes)
{
    return cudaMemsetAsync(target, 0, bytes, stream);
}

static int cuda_copy(pio_stream stream, void *target, const void *source, size_t bytes)
{
    return cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, stream);
}

static int cuda_upload(pio_stream stream, void *target, const void *source, size_t bytes)
{
    const int rc = cudaMemcpyAsync(target, source, bytes, cudaMemcpyHostToDevice, stream);
    return rc ? rc : cudaStreamSynchronize(stream);
}

static int cuda_download(pio_stream stream, void *target, const void *source, size_t bytes)
{
    const int rc = cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToHost, stream);
    return rc ? rc : cudaStreamSynchronize(stream);
}

static int cuda_wait(pio_stream stream)
{
    return cudaStreamSynchronize(stream);
}

static const char *cuda_error_text(int code)
{
    return cudaGetErrorString((cudaError_t)code);
}

/* ---- graphs ----------------------------------------------------------------------------------------------- */

/* Calls of other threads, of which none is in this stream, may go on. */
static int cuda_capture_begin(pio_stream stream)
{
    const int rc = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (rc) (void)cudaGetLastError();
    return rc;
}

static int cuda_capture_end(pio_stream stream, pio_graph *graph)
{
    cudaGraph_t captured = NULL;
    *graph = NULL;
    int rc = cudaStreamEndCapture(stream, &captured);
    if (!rc) rc = cudaGraphInstantiate(graph, captured, 0);
    if (captured) (void)cudaGraphDestroy(captured);
    if (rc) {
        (void)cudaGetLastError();
        *graph = NULL;
    }
    return rc;
}

static int cuda_graph_launch(pio_graph graph, pio_stream stream)
{
    return cudaGraphLaunch(graph, stream);
}

static void cuda_graph_release(pio_graph graph)
{
    (void)cudaGraphExecDestroy(graph);
}

extern "C" {
#define MAP(name, adjoint) int name##_cuda(pio_stream stream, int n, const int *limit, const name##_args *args);
#define TEAM(name, adjoint) MAP(name, adjoint)
#define SUM(name, adjoint)                                                                                             \
    int name##_cuda(pio_stream stream, int n, const int *limit, const name##_args *args, double *sum, double *work);
#define SCAN(name, adjoint) int name##_cuda(pio_stream stream, int n, const name##_args *args, int *work);
#include "kernels/kernels.def"
#undef MAP
#undef TEAM
#undef SUM
#undef SCAN
}

extern "C" const pio_backend pio_backend_cuda = {
    "cuda",
    {
#define MAP(name, adjoint) name##_cuda,
#define TEAM(name, adjoint) name##_cuda,
#define SUM(name, adjoint) name##_cuda,
#define SCAN(name, adjoint) name##_cuda,
#include "kernels/kernels.def"
    },
    cuda_open,
    cuda_close,
    cuda_allocate,
    cuda_release,
    NULL,
    cuda_zero,
    cuda_copy,
    cuda_upload,
    cuda_download,
    cuda_wait,
    cuda_error_text,
    cuda_capture_begin,
    cuda_capture_end,
    cuda_graph_launch,
    cuda_graph_release,
    {"cudss", "cusolver"},
    "cusparse",
};
