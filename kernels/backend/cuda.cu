/* cuda.cu -- the CUDA backend: its table of kernels, and device memory through the runtime. The kernels' grids are in
 * the other files of this name, the only C++ of the program. */
#include "kernels/backend/cuda_put.cuh"

#include <stdio.h>
#include <stdlib.h>

/* ---- graphs ----------------------------------------------------------------------------------------------- */

/* A graph of CUDA, and what it was made from, which names the nodes. */
struct pio_graph_nodes {
    cudaGraph_t made;
    cudaGraphExec_t exec;  /* NULL: it is being built */
    int parts;             /* that it has room for */
    cudaGraphNode_t *node; /* [parts]; NULL: none */
    cudaGraphNode_t last;  /* that was added; the next one waits for it */
};

/* Where what the thread launches next goes: to a part of a graph. graph NULL: into its stream, and part is -1. */
typedef struct {
    pio_graph graph;
    int part;
} cuda_aim;
static thread_local cuda_aim aim = {NULL, -1};

extern "C" int pio_cuda_aimed(void)
{
    return aim.graph != NULL;
}

/* A part is one node. Returns it where it is to be added, before any, or to be set, after the graph is complete. */
static cudaGraphNode_t *aimed_node(void)
{
    cudaGraphNode_t *node = aim.part < aim.graph->parts ? aim.graph->node + aim.part : NULL;
    return node && !*node == !aim.graph->exec ? node : NULL;
}

/* A node was added or set, with that code, which is returned and reported nowhere else. */
static int done(const cudaGraphNode_t *node, int rc)
{
    if (rc)
        (void)cudaGetLastError();
    else if (!aim.graph->exec)
        aim.graph->last = *node;
    return rc;
}

extern "C" int pio_cuda_part(const cudaKernelNodeParams *launch)
{
    pio_graph g = aim.graph;
    cudaGraphNode_t *node = aimed_node();
    if (!node) return cudaErrorInvalidValue;
    return done(node, g->exec ? cudaGraphExecKernelNodeSetParams(g->exec, *node, launch)
                              : cudaGraphAddKernelNode(node, g->made, &g->last, g->last ? 1 : 0, launch));
}

static int fill_part(void *target, size_t bytes)
{
    pio_graph g = aim.graph;
    cudaGraphNode_t *node = aimed_node();
    cudaMemsetParams fill = {};
    fill.dst = target;
    fill.elementSize = 1;
    fill.width = bytes;
    fill.height = 1;
    if (!node) return cudaErrorInvalidValue;
    return done(node, g->exec ? cudaGraphExecMemsetNodeSetParams(g->exec, *node, &fill)
                              : cudaGraphAddMemsetNode(node, g->made, &g->last, g->last ? 1 : 0, &fill));
}

static int copy_part(void *target, const void *source, size_t bytes)
{
    const cudaMemcpyKind kind = cudaMemcpyDeviceToDevice;
    pio_graph g = aim.graph;
    cudaGraphNode_t *node = aimed_node();
    if (!node) return cudaErrorInvalidValue;
    return done(node, g->exec ? cudaGraphExecMemcpyNodeSetParams1D(g->exec, *node, target, source, bytes, kind)
                              : cudaGraphAddMemcpyNode1D(node, g->made, &g->last, g->last ? 1 : 0, target, source,
                                                         bytes, kind));
}

extern "C" int pio_cuda_fill(pio_stream stream, void *target, size_t bytes)
{
    return aim.graph ? fill_part(target, bytes) : (int)cudaMemsetAsync(target, 0, bytes, stream);
}

static void cuda_graph_aim(pio_graph graph, int part)
{
    aim.graph = graph;
    aim.part = graph ? part : -1;
}

static void cuda_graph_release(pio_graph g)
{
    if (g->exec) (void)cudaGraphExecDestroy(g->exec);
    if (g->made) (void)cudaGraphDestroy(g->made);
    free(g->node);
    free(g);
}

static int cuda_graph_create(int parts, pio_graph *graph)
{
    pio_graph g = (pio_graph)calloc(1, sizeof *g);
    *graph = g;
    if (!g) return cudaErrorMemoryAllocation;
    g->parts = parts;
    g->node = (cudaGraphNode_t *)calloc((size_t)parts, sizeof *g->node);
    const int rc = g->node ? cudaGraphCreate(&g->made, 0) : cudaErrorMemoryAllocation;
    if (!rc) return 0;
    (void)cudaGetLastError();
    cuda_graph_release(g);
    *graph = NULL;
    return rc;
}

static int cuda_graph_complete(pio_graph g)
{
    const int rc = cudaGraphInstantiate(&g->exec, g->made, 0);
    if (rc) {
        (void)cudaGetLastError();
        g->exec = NULL;
    }
    return rc;
}

static int cuda_graph_launch(pio_graph g, pio_stream stream)
{
    return cudaGraphLaunch(g->exec, stream);
}

/* ---- device memory -------------------------------------------------------------------------------------- */

/* What the driver takes when kernels run: the code of kernels and of libraries, each loaded at its first launch, and
 * local memory for as many threads as the device holds, by the largest kernel that ran. LOCAL_BYTES is above that of
 * every kernel; CODE_BYTES is a guess, several times the size of an engine. */
enum { LOCAL_BYTES = 4608, THREADS_OF_MULTIPROCESSOR = 2048, CODE_BYTES = 512 << 20 };

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
    return bytes ? pio_cuda_fill(stream, target, bytes) : 0;
}

static int cuda_copy(pio_stream stream, void *target, const void *source, size_t bytes)
{
    if (!bytes) return 0;
    if (aim.graph) return copy_part(target, source, bytes);
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
    cuda_graph_create,
    cuda_graph_aim,
    cuda_graph_complete,
    cuda_graph_launch,
    cuda_graph_release,
    {"cudss", "cusolver"},
    "cusparse",
    NULL,
};
