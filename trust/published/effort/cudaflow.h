// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Taskflow 3's tf::cudaFlow that the programs here use, over CUDA's graphs: tasks of kernels, edges, one
// launch. Own words.
#pragma once
#include <cuda_runtime.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tf {
class cudaStream {
    cudaStream_t stream;

  public:
    cudaStream() { cudaStreamCreate(&stream); }
    ~cudaStream() { cudaStreamDestroy(stream); }
    operator cudaStream_t() const { return stream; }
    void synchronize() { cudaStreamSynchronize(stream); }
};

class cudaTask {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    std::string label;

  public:
    cudaTask(cudaGraph_t graph, cudaGraphNode_t node) : graph(graph), node(node) {}
    cudaTask &name(const char *text)
    {
        label = text;
        return *this;
    }
    template <class... Tasks> cudaTask &precede(const Tasks &...tasks)
    {
        std::vector<cudaGraphNode_t> to = {tasks.node...}, from(to.size(), node);
#if CUDART_VERSION >= 13000
        cudaGraphAddDependencies(graph, from.data(), to.data(), nullptr, to.size());
#else
        cudaGraphAddDependencies(graph, from.data(), to.data(), to.size());
#endif
        return *this;
    }
};

class cudaFlow {
    cudaGraph_t graph;

    template <class... P, size_t... I>
    cudaTask add(dim3 grid, dim3 block, size_t shared, void (*function)(P...), std::tuple<P...> values,
                 std::index_sequence<I...>)
    {
        void *pointers[] = {(void *)&std::get<I>(values)...};
        cudaKernelNodeParams params = {};
        cudaGraphNode_t node;
        params.func = (void *)function;
        params.gridDim = grid;
        params.blockDim = block;
        params.sharedMemBytes = (unsigned)shared;
        params.kernelParams = pointers; // CUDA copies them
        cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
        return cudaTask(graph, node);
    }

  public:
    cudaFlow() { cudaGraphCreate(&graph, 0); }
    ~cudaFlow() { cudaGraphDestroy(graph); }
    template <class... P, class... A>
    cudaTask kernel(dim3 grid, dim3 block, size_t shared, void (*function)(P...), A... arguments)
    {
        return add(grid, block, shared, function, std::tuple<P...>((P)arguments...), std::index_sequence_for<P...>());
    }
    void run(cudaStream_t stream)
    {
        cudaGraphExec_t exec;
        cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphLaunch(exec, stream);
        cudaStreamSynchronize(stream);
        cudaGraphExecDestroy(exec);
    }
};
} // namespace tf
