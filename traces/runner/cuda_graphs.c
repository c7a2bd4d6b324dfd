/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Graphs of the CUDA backend: nodes added one by one or by capture, each remembered with the op it stands for, so
 * that what a graph's launch did on the device can be told op by op.
 */
#include "traces/runner/cuda.h"

static bool graph_index(struct gsim_cuda *cuda, gsim_graph graph, uint32_t *index)
{
    gsim_cuda_lock(cuda);
    bool exists = graph >= 1 && graph <= cuda->graph_count && cuda->graphs[graph - 1].graph;
    if (!exists) gsim_error_set(&cuda->driver.error, GSIM_SIM, "graph %u does not exist", graph);
    gsim_cuda_unlock(cuda);
    *index = graph - 1;
    return exists;
}

static uint32_t new_graph(struct gsim_cuda *cuda, cudaGraph_t graph)
{
    gsim_cuda_lock(cuda);
    uint32_t index = (uint32_t)cuda->graph_count;
    gsim_array_grow(&cuda->graphs, sizeof *cuda->graphs, index, &cuda->graph_capacity);
    cuda->graphs[cuda->graph_count++] = (struct gsim_cuda_graph){.graph = graph};
    gsim_cuda_unlock(cuda);
    return index;
}

static void add_node(struct gsim_cuda *cuda, uint32_t index, cudaGraphNode_t node, const struct gsim_op *op,
                     gsim_stream stream)
{
    uint64_t traced = cuda->tracer ? gsim_tracer_node(cuda->tracer, node) : 0;
    gsim_cuda_lock(cuda);
    struct gsim_cuda_graph *g = &cuda->graphs[index];
    gsim_array_grow(&g->nodes, sizeof *g->nodes, g->node_count, &g->node_capacity);
    g->nodes[g->node_count++] = (struct gsim_cuda_node){node, op, traced, stream};
    gsim_cuda_unlock(cuda);
}

gsim_graph gsim_cuda_graph_create(struct gsim_driver *driver)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (gsim_driver_failed(driver)) return 0;
    cudaGraph_t graph = NULL;
    int64_t start = gsim_cuda_begin(cuda);
    cudaError_t result = cudaGraphCreate(&graph, 0);
    gsim_cuda_end(cuda, GSIM_API_GRAPH_ADD, result, start, false, 0, "create");
    return result == cudaSuccess ? new_graph(cuda, graph) + 1 : 0;
}

gsim_graph_node gsim_cuda_graph_add(struct gsim_driver *driver, gsim_graph graph, const struct gsim_op *op,
                              const gsim_graph_node *after, uint32_t after_count)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    uint32_t index;
    if (gsim_driver_failed(driver) || !graph_index(cuda, graph, &index)) return 0;
    cudaGraphNode_t node = NULL, *dependences = gsim_alloc(sizeof *dependences * (after_count + 1u));
    cudaError_t result = cudaErrorNotSupported;
    for (uint32_t i = 0; i < after_count; i++) dependences[i] = cuda->graphs[index].nodes[after[i]].node;
    int64_t start = gsim_cuda_begin(cuda);
    if (op->kind == GSIM_OP_KERNEL) {
        struct gsim_runner_launch launch;
        struct gsim_block_stamp *stamps;
        cuda->bench_ops->launch(cuda->bench, op, cuda->memory->device, &launch);
        struct cudaKernelNodeParams params = {.func = (void *)gsim_cuda_code(cuda, op, &launch, &stamps),
                                              .gridDim = {launch.grid[0], launch.grid[1], launch.grid[2]},
                                              .blockDim = {launch.block[0], launch.block[1], launch.block[2]},
                                              .sharedMemBytes = (unsigned)launch.smem_bytes,
                                              .kernelParams = launch.args};
        result = cudaGraphAddKernelNode(&node, cuda->graphs[index].graph, dependences, after_count, &params);
    } else if (op->kind == GSIM_OP_COPY) {
        enum cudaMemcpyKind kind;
        void *from, *to = gsim_cuda_copy_ends(cuda, op, 0, &from, &kind);
        result = cudaGraphAddMemcpyNode1D(&node, cuda->graphs[index].graph, dependences, after_count, to, from,
                                          op->bytes, kind);
    } /* prefetches cannot be nodes in CUDA: not supported, as CUDA would say */
    gsim_cuda_end(cuda, GSIM_API_GRAPH_ADD, result, start, false, 0, NULL);
    gsim_free(dependences);
    if (result != cudaSuccess) return 0;
    add_node(cuda, index, node, op, 0);
    return (gsim_graph_node)cuda->graphs[index].node_count - 1;
}

/* The nodes stay: graphs instantiated from it refer to them. */
void gsim_cuda_graph_destroy(struct gsim_driver *driver, gsim_graph graph)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    uint32_t index;
    if (gsim_driver_failed(driver) || !graph_index(cuda, graph, &index)) return;
    gsim_cuda_check(cuda, cudaGraphDestroy(cuda->graphs[index].graph), GSIM_API_GRAPH_ADD);
    cuda->graphs[index].graph = NULL;
}

/* --- capture --------------------------------------------------------------------------------------------------- */
void gsim_cuda_capture_begin(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    cudaStream_t real = gsim_cuda_stream_at(cuda, stream);
    if (!real) return;
    int64_t start = gsim_cuda_begin(cuda);
    cudaError_t result = cudaStreamBeginCapture(real, cudaStreamCaptureModeThreadLocal);
    gsim_cuda_end(cuda, GSIM_API_GRAPH_CAPTURE, result, start, false, stream, "begin");
    if (result != cudaSuccess) return;
    cuda->capture_graph = new_graph(cuda, NULL);
    cuda->captures++;
}

void gsim_cuda_capture_note(struct gsim_cuda *cuda, const struct gsim_op *op, gsim_stream stream)
{
    enum cudaStreamCaptureStatus status;
    unsigned long long id;
    cudaGraph_t graph;
    const cudaGraphNode_t *nodes = NULL;
    size_t count = 0;
    cudaStream_t real = cuda->streams[stream].stream;
#if CUDART_VERSION >= 13000
    const cudaGraphEdgeData *edges = NULL;
    cudaError_t result = cudaStreamGetCaptureInfo(real, &status, &id, &graph, &nodes, &edges, &count);
#else
    cudaError_t result = cudaStreamGetCaptureInfo_v2(real, &status, &id, &graph, &nodes, &count);
#endif
    if (!gsim_cuda_check(cuda, result, GSIM_API_GRAPH_CAPTURE)) return;
    if (status == cudaStreamCaptureStatusActive && count == 1)
        add_node(cuda, cuda->capture_graph, nodes[0], op, stream);
}

gsim_graph gsim_cuda_capture_end(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (!cuda->captures) return 0;
    cudaStream_t real = gsim_cuda_stream_at(cuda, stream);
    if (!real) return 0;
    int64_t start = gsim_cuda_begin(cuda);
    cudaError_t result = cudaStreamEndCapture(real, &cuda->graphs[cuda->capture_graph].graph);
    gsim_cuda_end(cuda, GSIM_API_GRAPH_CAPTURE, result, start, false, stream, "end");
    cuda->captures--;
    return result == cudaSuccess ? cuda->capture_graph + 1 : 0;
}

/* --- instantiation and launch --- */
gsim_graph_exec gsim_cuda_graph_instantiate(struct gsim_driver *driver, gsim_graph graph)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    uint32_t index;
    if (gsim_driver_failed(driver) || !graph_index(cuda, graph, &index)) return 0;
    cudaGraphExec_t exec = NULL;
    int64_t start = gsim_cuda_begin(cuda);
    cudaError_t result = cudaGraphInstantiate(&exec, cuda->graphs[index].graph, 0);
    gsim_cuda_end(cuda, GSIM_API_GRAPH_INSTANTIATE, result, start, false, 0, NULL);
    if (result != cudaSuccess) return 0;
    (void)GSIM_APPEND(cuda->execs, cuda->exec_count, cuda->exec_capacity, (struct gsim_cuda_exec){exec, index});
    return (gsim_graph_exec)cuda->exec_count;
}

static bool exec_exists(struct gsim_cuda *cuda, gsim_graph_exec exec)
{
    if (exec >= 1 && exec <= cuda->exec_count && cuda->execs[exec - 1].exec) return true;
    gsim_error_set(&cuda->driver.error, GSIM_SIM, "instantiated graph %u does not exist", exec);
    return false;
}

void gsim_cuda_graph_launch(struct gsim_driver *driver, gsim_graph_exec exec, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (!exec_exists(cuda, exec)) return;
    cudaStream_t on = gsim_cuda_stream_at(cuda, stream);
    if (!on) return;
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_call_begin(cuda, NULL, exec - 1, stream, start);
    cudaError_t result = cudaGraphLaunch(cuda->execs[exec - 1].exec, on);
    gsim_cuda_call_end(cuda);
    gsim_cuda_end(cuda, GSIM_API_GRAPH_LAUNCH, result, start, false, stream, NULL);
}

void gsim_cuda_graph_exec_destroy(struct gsim_driver *driver, gsim_graph_exec exec)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (gsim_driver_failed(driver) || !exec_exists(cuda, exec)) return;
    gsim_cuda_check(cuda, cudaGraphExecDestroy(cuda->execs[exec - 1].exec), GSIM_API_GRAPH_INSTANTIATE);
    cuda->execs[exec - 1].exec = NULL;
}


void gsim_cuda_graphs_release(struct gsim_cuda *cuda)
{
    for (size_t i = 0; i < cuda->exec_count; i++)
        if (cuda->execs[i].exec) cudaGraphExecDestroy(cuda->execs[i].exec);
    for (size_t i = 0; i < cuda->graph_count; i++) {
        if (cuda->graphs[i].graph) cudaGraphDestroy(cuda->graphs[i].graph);
        gsim_free(cuda->graphs[i].nodes);
    }
    gsim_free(cuda->execs);
    gsim_free(cuda->graphs);
}
