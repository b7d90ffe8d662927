/* graphs.cpp -- graphs of the stand-in for CUDA's runtime: what is put into a stream while it is captured, to be put
 * into a stream again by each launch of the graph. A call that CUDA forbids while a thread captures fails, and so does
 * the capture (CUDA C++ programming guide, CUDA graphs, prohibited and unhandled operations). */
#include "tests/cuda_stand_in/runtime.h"

std::map<cudaStream_t, stand_in_capture> captures;

bool spoils_capture()
{
    for (auto &c : captures) c.second.spoiled = true;
    return !captures.empty();
}

struct CUgraph_st {
    std::deque<stand_in_work> work;
};
struct CUgraphExec_st {
    std::deque<stand_in_work> work;
};

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    if (mode != cudaStreamCaptureModeThreadLocal) stand_in_stop("only captures of one thread are modelled");
    if (!stream || stream == cudaStreamLegacy) return last_error = cudaErrorStreamCaptureUnsupported;
    if (captures.count(stream)) return last_error = cudaErrorIllegalState;
    captures[stream] = {};
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    *graph = nullptr;
    const auto captured = captures.find(stream);
    if (captured == captures.end()) return last_error = cudaErrorIllegalState;
    const stand_in_capture c = captured->second;
    captures.erase(captured);
    if (c.spoiled) return last_error = cudaErrorStreamCaptureInvalidated;
    *graph = new CUgraph_st{c.work};
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    if (!graph || flags) stand_in_stop("cudaGraphInstantiate: no graph, or flags");
    if (spoils_capture()) return last_error = cudaErrorStreamCaptureUnsupported;
    *exec = new CUgraphExec_st{graph->work};
    return cudaSuccess;
}

/* The nodes of a stream's capture come one after another, in any stream. */
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    if (!exec) return last_error = cudaErrorInvalidValue;
    if (captures.count(stream)) stand_in_stop("a graph within a graph is not modelled");
    counts.graphs++;
    for (stand_in_work work : exec->work) {
        work.stream = stream;
        put(work);
    }
    return cudaSuccess;
}

/* A graph that is destroyed while it runs still runs to its end: what waits in a stream are copies. */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    if (!exec) stand_in_stop("cudaGraphExecDestroy: there is no graph");
    delete exec;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    if (!graph) stand_in_stop("cudaGraphDestroy: there is no graph");
    delete graph;
    return cudaSuccess;
}
