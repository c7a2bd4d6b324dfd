/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a scheduler on the CUDA backend and turns what CUPTI recorded into a timeline's kernels and copies, each tied to
 * its op: through the call that launched it, or through the graph node that it stands for.
 */
#include "traces/runner/run.h"

#include "gpusim/placement.h"
#include "traces/runner/cuda.h"
#include "traces/runner/kernels/numbers.h"

static const struct gsim_cuda_node *node_of(const struct gsim_cuda *cuda, const struct gsim_cuda_call *call,
                                            uint64_t traced)
{
    const struct gsim_cuda_graph *graph = &cuda->graphs[cuda->execs[call->exec_index].graph_index];
    for (size_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].traced == traced) return &graph->nodes[i];
    return NULL;
}

static void add_record(struct gsim_cuda *cuda, const struct gsim_tracer_activity *activity,
                       const struct gsim_cuda_call *call, const struct gsim_op *op, uint32_t stream)
{
    gsim_time start = gsim_cuda_time(cuda, activity->start_ns), end = gsim_cuda_time(cuda, activity->end_ns);
    if (op->kind == GSIM_OP_KERNEL) {
        struct gsim_kernel_record record = {.op = op->index,
                                            .iteration = call->iteration,
                                            .stream = stream,
                                            .device =
                                                cuda->device_count > 1 && stream ? cuda->streams[stream].device : 0,
                                            .kernel_index = op->kernel_index,
                                            .correlation = (uint32_t)activity->call,
                                            .launch = gsim_cuda_time(cuda, call->launch_ns),
                                            .ready = start,
                                            .start = start,
                                            .end = end};
        gsim_timeline_add_kernel(cuda->timeline, &record);
        return;
    }
    struct gsim_copy_record record = {.op = op->index,
                                      .iteration = call->iteration,
                                      .stream = stream,
                                      .device = cuda->device_count > 1 && stream ? cuda->streams[stream].device : 0,
                                      .buffer_index = op->args[0].buffer_index,
                                      .correlation = (uint32_t)activity->call,
                                      .kind = op->kind == GSIM_OP_COPY ? op->copy_kind : GSIM_COPY_H2D,
                                      .reason = op->kind == GSIM_OP_COPY ? GSIM_REASON_EXPLICIT : GSIM_REASON_PREFETCH,
                                      .bytes = activity->bytes,
                                      .launch = gsim_cuda_time(cuda, call->launch_ns),
                                      .start = start,
                                      .end = end};
    gsim_timeline_add_copy(cuda->timeline, &record);
}

/* Moves the tracer's activities into the timeline; the run is over. */
static enum gsim_status collect(struct gsim_cuda *cuda, struct gsim_error *error)
{
    const struct gsim_tracer_activity *list;
    size_t count, dropped, unknown = 0;
    gsim_tracer_stop(cuda->tracer, &list, &count, &dropped);
    for (size_t i = 0; i < count; i++) {
        const struct gsim_cuda_call *call =
            list[i].call >= 1 && list[i].call <= cuda->call_count ? &cuda->calls[list[i].call - 1] : NULL;
        const struct gsim_cuda_node *node =
            call && !call->op && call->exec_index != GSIM_CUDA_NO_EXEC ? node_of(cuda, call, list[i].node) : NULL;
        if (call && !call->op && call->exec_index == GSIM_CUDA_NO_EXEC) continue; /* its tasks say when they ran */
        if (!call || (!call->op && !node))
            unknown++;
        else
            add_record(cuda, &list[i], call, node ? node->op : call->op,
                       node && node->stream ? node->stream : call->stream);
    }
    if (dropped) return gsim_error_set(error, GSIM_SIM, "CUPTI dropped %zu records: the trace is incomplete", dropped);
    if (unknown)
        return gsim_error_set(
            error, GSIM_SIM, "%zu of %zu traced kernels and copies belong to no call of the scheduler", unknown, count);
    return GSIM_OK;
}

/* ARENA: holds the ops that the scheduler has made, which the tracer's records refer to. */
static enum gsim_status execute(const struct gsim_runner_job *job, struct gsim_cuda *cuda, struct gsim_arena *arena,
                                struct gsim_error *error)
{
    const struct gsim_simulation *s = job->simulation;
    uint64_t numbers_state;
    struct gsim_random numbers = gsim_runner_numbers(&numbers_state, s->seed);
    struct gsim_error inner = {0};
    struct gsim_run run = {
        .program = s->program,
        .driver = &cuda->driver,
        .params = s->scheduler_params,
        .memory = s->memory,
        .prefetch = s->prefetch,
        .compute_capability = s->device->compute_capability,
        .iterations = job->iterations,
        .rng = &numbers,
        .arena = arena,
        .device = gsim_device_facts(s->device),
        .device_count = cuda->device_count,
        .platform = job->platform,
        .placement = s->placement,
        .placement_params = s->placement_params,
        .op_plan = s->op_plan,
    };
    enum gsim_status status = GSIM_OK;
    if (!run.params && s->scheduler->params) {
        void *defaults = gsim_arena_alloc(arena, s->scheduler->params_size);
        run.params = defaults;
        gsim_params_set_defaults(s->scheduler->params, defaults);
    }
    if (status == GSIM_OK && s->placement && cuda->device_count > 1 && !s->scheduler->places)
        status = gsim_placing_program(&run, error);
    if (status == GSIM_OK && s->scheduler->prepare) status = s->scheduler->prepare(&run, error);
    if (status == GSIM_OK) {
        cuda->epoch_ns = gsim_runner_now_ns();
        status = s->scheduler->execute(&run, &inner);
        for (uint32_t d = cuda->device_count; d-- > 0;) {
            gsim_cuda_on_device(cuda, d);
            gsim_cuda_check(cuda, cudaDeviceSynchronize(), GSIM_API_DEVICE_SYNC);
        }
        if (gsim_driver_failed(&cuda->driver))
            status = gsim_error_set(error, cuda->driver.error.status, "%s", cuda->driver.error.message);
        else if (status != GSIM_OK)
            gsim_error_set(error, status, "%s", inner.message);
    }
    return status;
}

static enum gsim_status check(const struct gsim_runner_job *job, struct gsim_error *error)
{
    enum gsim_status status = gsim_runner_memory_download(job->memory, job->bench_ops, job->bench, error);
    if (status == GSIM_OK) status = job->bench_ops->check(job->bench, job->memory->host, error);
    if (status == GSIM_SIM)
        gsim_error_prefix(error, "%s with %s", job->bench_ops->name, job->simulation->scheduler->name);
    return status;
}

enum gsim_status gsim_runner_run(const struct gsim_runner_job *job, struct gsim_timeline *timeline,
                                 struct gsim_error *error)
{
    const struct gsim_simulation *s = job->simulation;
    struct gsim_cuda cuda = {.program = s->program,
                             .memory = job->memory,
                             .bench_ops = job->bench_ops,
                             .bench = job->bench,
                             .timeline = timeline,
                             .mode = s->memory,
                             .device_count = job->memory->gpu_count,
                             .see_block = job->see_block,
                             .block_context = job->block_context,
                             .blocks_iteration = job->iterations - 1,
                             .checked_iteration = job->checked ? job->iterations - 1 : UINT32_MAX};
    struct gsim_arena arena = {0};
    gsim_timeline_init(timeline, s->program, s->detailed);
    timeline->gpu_count = job->memory->gpu_count ? job->memory->gpu_count : 1;
    enum gsim_status status = gsim_runner_memory_reset(job->memory, error);
    if (status == GSIM_OK && job->traced) status = gsim_tracer_start(&cuda.tracer, error);
    if (status == GSIM_OK && job->stamped) status = (enum gsim_status)gsim_blocks_open(&cuda.blocks, s->program, error);
    if (status == GSIM_OK) {
        gsim_cuda_init(&cuda);
        status = execute(job, &cuda, &arena, error);
        if (status == GSIM_OK && job->traced) status = collect(&cuda, error);
        if (status == GSIM_OK && job->checked) status = check(job, error);
        gsim_cuda_release(&cuda);
    }
    gsim_blocks_close(cuda.blocks);
    gsim_tracer_destroy(cuda.tracer);
    gsim_arena_release(&arena);
    return status;
}

static void find_host(struct gsim_runner_gpu *gpu)
{
    char line[256];
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info && fgets(line, sizeof line, info)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        colon[1 + strcspn(colon + 1, "\n")] = '\0';
        snprintf(gpu->host, sizeof gpu->host, "%.90s", colon + 2);
        break;
    }
    if (info) fclose(info);
}

enum gsim_status gsim_runner_gpu_find(struct gsim_runner_gpu *gpu, struct gsim_error *error)
{
    struct cudaDeviceProp properties;
    int driver = 0, runtime = 0, sm_khz = 0, memory_khz = 0;
    memset(gpu, 0, sizeof *gpu);
    cudaError_t result = cudaGetDeviceProperties(&properties, 0);
    if (result == cudaSuccess) result = cudaDriverGetVersion(&driver);
    if (result == cudaSuccess) result = cudaRuntimeGetVersion(&runtime);
    if (result == cudaSuccess) result = cudaDeviceGetAttribute(&sm_khz, cudaDevAttrClockRate, 0);
    if (result == cudaSuccess) result = cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0);
    if (result != cudaSuccess)
        return gsim_error_set(error, GSIM_SIM, "no GPU to run on: its properties: %s: %s", cudaGetErrorName(result),
                              cudaGetErrorString(result));
    snprintf(gpu->name, sizeof gpu->name, "%s", properties.name);
    snprintf(gpu->driver, sizeof gpu->driver, "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
    snprintf(gpu->cuda, sizeof gpu->cuda, "%d.%d", runtime / 1000, runtime % 1000 / 10);
    gpu->compute_capability = 10 * properties.major + properties.minor;
    gpu->sm_count = properties.multiProcessorCount;
    gpu->sm_clock_mhz = sm_khz / 1000;
    gpu->memory_clock_mhz = memory_khz / 1000;
    gpu->memory_gb = (double)properties.totalGlobalMem * 1e-9;
    /* The driver's own version, which CUDA does not tell. */
    FILE *version = fopen("/sys/module/nvidia/version", "r");
    if (version) {
        if (fgets(gpu->driver, sizeof gpu->driver, version)) gpu->driver[strcspn(gpu->driver, "\n")] = '\0';
        fclose(version);
    }
    find_host(gpu);
    return GSIM_OK;
}
