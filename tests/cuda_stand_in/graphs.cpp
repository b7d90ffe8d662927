/* graphs.cpp -- graphs of the stand-in for CUDA's runtime: nodes that wait for others, put into a stream by each launch
 * of what was made from them, in any order that the waiting allows. Arguments are copied by the call that adds or sets
 * a node; what waits in a stream keeps those of its launch (CUDA C++ programming guide, CUDA graphs; CUDA runtime API,
 * graph management). */
#include "tests/cuda_stand_in/runtime.h"

#include <algorithm>
#include <vector>

enum node_kind { KERNEL, FILL, COPY };
struct CUgraphNode_st {
    node_kind kind;
    size_t width; /* bytes of a fill, else 0 */
    stand_in_work work;
    std::vector<cudaGraphNode_t> after; /* it waits for these */
    cudaGraph_t graph;
};
struct CUgraph_st {
    std::vector<cudaGraphNode_t> nodes;
};
struct CUgraphExec_st {
    cudaGraph_t graph;
    std::vector<cudaGraphNode_t> nodes;
    std::vector<CUgraphNode_st> copies; /* of them, which are set */
};

namespace
{
std::map<const void *, stand_in_packer> packers;
std::vector<cudaGraph_t> graphs; /* that were made and not destroyed */

bool is_graph(cudaGraph_t graph)
{
    return std::find(graphs.begin(), graphs.end(), graph) != graphs.end();
}

/* Sets what a node is to launch, or returns why it cannot be. */
cudaError_t packed(stand_in_work *work, const cudaKernelNodeParams *launch)
{
    const auto packer = packers.find(launch->func);
    if (packer == packers.end()) stand_in_stop("a node of a kernel that this stand-in has not launched before");
    if (launch->extra || !launch->kernelParams) stand_in_stop("only arguments by their addresses are modelled");
    *work = {"kernel", nullptr, launch->gridDim, launch->blockDim, launch->sharedMemBytes, nullptr, launch->func,
             nullptr,  0,       nullptr};
    packer->second(*work, launch->kernelParams);
    return can_be_launched(*work) ? cudaSuccess : last_error;
}

/* Fills of no bytes, and of rows, are not allowed in a graph, or not modelled. */
cudaError_t filled(stand_in_work *work, const cudaMemsetParams *fill)
{
    if (fill->height != 1 || fill->elementSize != 1) stand_in_stop("only fills of bytes in one row are modelled");
    if (!fill->width) return last_error = cudaErrorInvalidValue;
    *work = fill_of(fill->dst, (int)fill->value, fill->width);
    return cudaSuccess;
}

cudaError_t copied(stand_in_work *work, void *target, const void *source, size_t bytes, cudaMemcpyKind kind)
{
    if (kind != cudaMemcpyDeviceToDevice)
        stand_in_stop("a copy to or from memory of the host is a node: it would be read when the graph runs");
    if (!bytes) return last_error = cudaErrorInvalidValue;
    *work = copy_of(target, source, bytes, kind);
    return cudaSuccess;
}

cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, node_kind kind,
                size_t width, const stand_in_work &work)
{
    if (!is_graph(graph)) stand_in_stop("a node is added to no graph");
    for (size_t i = 0; i < n; i++)
        if (after[i]->graph != graph) return last_error = cudaErrorInvalidValue;
    *node = new CUgraphNode_st{kind, width, work, {after, after + n}, graph};
    graph->nodes.push_back(*node);
    return cudaSuccess;
}

/* The node has to be of a graph that is there still, of that kind, and of what `exec` was made from. A fill of another
 * width may be rejected (cudaGraphExecMemsetNodeSetParams), and always is here. */
cudaError_t set(cudaGraphExec_t exec, cudaGraphNode_t node, node_kind kind, size_t width, const stand_in_work &work)
{
    if (!exec) return last_error = cudaErrorInvalidValue;
    if (!is_graph(exec->graph)) stand_in_stop("a node of a graph that was destroyed is set");
    const auto found = std::find(exec->nodes.begin(), exec->nodes.end(), node);
    if (found == exec->nodes.end() || node->kind != kind || node->width != width)
        return last_error = cudaErrorInvalidValue;
    exec->copies[(size_t)(found - exec->nodes.begin())].work = work;
    counts.nodes_set++;
    return cudaSuccess;
}
} // namespace

void stand_in_known(const void *kernel, stand_in_packer packer)
{
    packers[kernel] = packer;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    if (flags) stand_in_stop("cudaGraphCreate: flags");
    *graph = new CUgraph_st;
    graphs.push_back(*graph);
    return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                   const cudaKernelNodeParams *launch)
{
    stand_in_work work;
    const cudaError_t rc = packed(&work, launch);
    return rc ? rc : add(node, graph, after, n, KERNEL, 0, work);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                   const cudaMemsetParams *fill)
{
    stand_in_work work;
    const cudaError_t rc = filled(&work, fill);
    return rc ? rc : add(node, graph, after, n, FILL, fill->width, work);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                     void *target, const void *source, size_t bytes, cudaMemcpyKind kind)
{
    stand_in_work work;
    const cudaError_t rc = copied(&work, target, source, bytes, kind);
    return rc ? rc : add(node, graph, after, n, COPY, 0, work);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    if (!is_graph(graph) || flags) stand_in_stop("cudaGraphInstantiate: no graph, or flags");
    *exec = new CUgraphExec_st{graph, graph->nodes, {}};
    for (cudaGraphNode_t node : graph->nodes) (*exec)->copies.push_back(*node);
    return cudaSuccess;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *launch)
{
    stand_in_work work;
    const cudaError_t rc = packed(&work, launch);
    return rc ? rc : set(exec, node, KERNEL, 0, work);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemsetParams *fill)
{
    stand_in_work work;
    const cudaError_t rc = filled(&work, fill);
    return rc ? rc : set(exec, node, FILL, fill->width, work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *target,
                                               const void *source, size_t bytes, cudaMemcpyKind kind)
{
    stand_in_work work;
    const cudaError_t rc = copied(&work, target, source, bytes, kind);
    return rc ? rc : set(exec, node, COPY, 0, work);
}

/* Of nodes that wait for none that is left, the first, the last or any goes next, by the order of blocks. */
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    if (!exec) return last_error = cudaErrorInvalidValue;
    counts.graphs++;
    std::vector<size_t> left; /* numbers of nodes */
    for (size_t i = 0; i < exec->nodes.size(); i++) left.push_back(i);
    while (!left.empty()) {
        std::vector<size_t> ready; /* places in `left` */
        for (size_t k = 0; k < left.size(); k++) {
            const auto &after = exec->copies[left[k]].after;
            if (std::none_of(left.begin(), left.end(), [&](size_t other) {
                    return std::find(after.begin(), after.end(), exec->nodes[other]) != after.end();
                }))
                ready.push_back(k);
        }
        const size_t k = ready[order == FORWARD    ? 0
                               : order == BACKWARD ? ready.size() - 1
                                                   : roll((unsigned)ready.size())];
        stand_in_work work = exec->copies[left[k]].work;
        work.stream = stream;
        put(work);
        left.erase(left.begin() + (long)k);
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
    if (!is_graph(graph)) stand_in_stop("cudaGraphDestroy: there is no graph");
    graphs.erase(std::find(graphs.begin(), graphs.end(), graph));
    for (cudaGraphNode_t node : graph->nodes) delete node;
    delete graph;
    return cudaSuccess;
}
