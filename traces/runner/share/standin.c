/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stand-ins on the device: their memory, their launches, their times alone (traces/runner/share/standin.h). */
#include "traces/runner/share/standin.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <string.h>

#include "traces/runner/sorted.h"

#define WARM_UP_US   50000 /* of kernels before the first is timed, for the clocks */
#define SAMPLES      9
#define ATTEMPTS     6     /* at the rounds that take as long as wanted */
#define NEAR         0.03  /* relative to it, and */
#define NEAR_US      0.1
#define AHEAD        20    /* kernels before one between events, so that the host is not what it waits for */
#define ELEMENT      16    /* bytes */

struct standins {
    const struct gsim_program *program;
    const struct gsim_standin *list;
    char *memory;           /* in and out of each buffer */
    uint64_t elements;      /* of each */
    struct gsim_standin_span *span; /* of the next launch; NULL: it notes none */
};

static enum gsim_status fine(cudaError_t result, const char *what, struct gsim_error *error)
{
    if (result == cudaSuccess) return GSIM_OK;
    return gsim_error_set(error, GSIM_SIM, "%s: %s", what, cudaGetErrorString(result));
}

static enum gsim_status allow_memory(struct gsim_error *error)
{
    int most = 0, device = 0;
    cudaError_t result = cudaGetDevice(&device);
    if (result == cudaSuccess) result = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    for (int kind = 0; kind < GSIM_STANDIN_KINDS && result == cudaSuccess; kind++)
        result = cudaFuncSetAttribute(gsim_standin_function((enum gsim_standin_kind)kind),
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    return fine(result, "shared memory of stand-ins", error);
}

/* The bench's own side of it. */
static struct standins *own(struct gsim_runner_bench *bench) { return (struct standins *)bench; }
static const struct standins *seen(const struct gsim_runner_bench *bench) { return (const struct standins *)bench; }

enum gsim_status gsim_standin_open(const struct gsim_program *program, const struct gsim_standin *list,
                                   struct gsim_runner_bench **bench, struct gsim_error *error)
{
    struct standins *b = gsim_alloc(sizeof *b);
    *bench = (struct gsim_runner_bench *)b;
    *b = (struct standins){.program = program, .list = list, .elements = 1024};
    for (uint32_t i = 0; i < program->kernel_count; i++)
        while (list[i].kind == GSIM_STANDIN_STREAM && b->elements < list[i].rounds &&
               b->elements < GSIM_STANDIN_MAX_ELEMENTS)
            b->elements *= 2;
    size_t bytes = (size_t)b->elements * ELEMENT * 2 * GSIM_STANDIN_BUFFERS;
    enum gsim_status status = allow_memory(error);
    if (status == GSIM_OK) status = fine(cudaMalloc((void **)&b->memory, bytes), "cudaMalloc for stand-ins", error);
    if (status == GSIM_OK) status = fine(cudaMemset(b->memory, 0, bytes), "cudaMemset", error);
    if (status == GSIM_OK) status = fine(cudaDeviceSynchronize(), "cudaDeviceSynchronize", error);
    return status;
}

static void release(struct gsim_runner_bench *bench)
{
    if (!bench) return;
    cudaFree(own(bench)->memory);
    gsim_free(bench);
}

static void fill(const struct gsim_runner_bench *bench, uint32_t buffer_index, void *host)
{
    memset(host, 0, seen(bench)->program->buffers[buffer_index].bytes);
}

static void prepare(const struct standins *b, uint32_t kernel, struct gsim_standin_span *span,
                    struct gsim_runner_launch *launch)
{
    const struct gsim_kernel *k = &b->program->kernels[kernel];
    const struct gsim_standin *s = &b->list[kernel];
    struct gsim_standin_args args = {.rounds = s->rounds,
                                     .fmas = s->fmas,
                                     .words = s->smem_bytes / 4 ? s->smem_bytes / 4 : 1,
                                     .mask = (uint32_t)(b->elements - 1),
                                     .in = (float *)(b->memory + b->elements * ELEMENT * 2 * s->buffer),
                                     .out = (float *)(b->memory + b->elements * ELEMENT * (2 * s->buffer + 1)),
                                     .span = span};
    *launch = (struct gsim_runner_launch){.function = gsim_standin_function(s->kind),
                                          .grid = {k->grid.x, k->grid.y, k->grid.z},
                                          .block = {k->block.x, k->block.y, k->block.z},
                                          .smem_bytes = s->smem_bytes};
    memcpy(launch->storage, &args, sizeof args);
    launch->args[0] = launch->storage;
}

static void launch_op(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *const *device,
                      struct gsim_runner_launch *launch)
{
    (void)device;
    prepare(seen(bench), op->kernel_index, seen(bench)->span, launch);
}

void gsim_standin_note(struct gsim_runner_bench *bench, struct gsim_standin_span *span) { own(bench)->span = span; }

static bool is_result(const struct gsim_runner_bench *bench, uint32_t buffer_index)
{
    (void)bench;
    (void)buffer_index;
    return false;
}

static enum gsim_status check(struct gsim_runner_bench *bench, void *const *host, struct gsim_error *error)
{
    (void)bench;
    (void)host;
    (void)error;
    return GSIM_OK;
}

const struct gsim_bench_ops gsim_standin_bench = {.name = "stand-ins",
                                                  .tolerance = "nothing is computed",
                                                  .fill = fill,
                                                  .launch = launch_op,
                                                  .is_result = is_result,
                                                  .check = check,
                                                  .destroy = release};

/* --- times alone --------------------------------------------------------------------------------------------- */

static enum gsim_status run_once(const struct standins *b, uint32_t kernel, struct gsim_standin_span *span, double *us,
                                 struct gsim_error *error)
{
    struct gsim_standin_span noted = {~0ull, 0};
    struct gsim_runner_launch l;
    prepare(b, kernel, span, &l);
    dim3 grid = {l.grid[0], l.grid[1], l.grid[2]}, block = {l.block[0], l.block[1], l.block[2]};
    cudaError_t result = cudaMemcpy(span, &noted, sizeof noted, cudaMemcpyHostToDevice);
    if (result == cudaSuccess) result = cudaLaunchKernel(l.function, grid, block, l.args, l.smem_bytes, 0);
    if (result == cudaSuccess) result = cudaMemcpy(&noted, span, sizeof noted, cudaMemcpyDeviceToHost);
    if (result != cudaSuccess)
        return gsim_error_set(
            error, GSIM_SIM, "kernel '%s': its stand-in (grid %u, block %u, %zu bytes of shared memory): %s",
            b->program->kernels[kernel].name, l.grid[0], l.block[0], l.smem_bytes, cudaGetErrorString(result));
    *us = (double)(noted.end_ns - noted.start_ns) * 1e-3;
    return GSIM_OK;
}

static enum gsim_status median_of(const struct standins *b, uint32_t kernel, struct gsim_standin_span *span, double *us,
                                  struct gsim_error *error)
{
    double times[SAMPLES];
    enum gsim_status status = GSIM_OK;
    for (int i = -1; i < SAMPLES && status == GSIM_OK; i++)
        status = run_once(b, kernel, span, &times[i < 0 ? 0 : i], error);
    if (status != GSIM_OK) return status;
    gsim_runner_sort(times, SAMPLES);
    *us = times[SAMPLES / 2];
    return GSIM_OK;
}

static bool is_near(const struct gsim_standin *s)
{
    return fabs(s->solo_us - s->wanted_us) <= NEAR * s->wanted_us + NEAR_US;
}

static enum gsim_status measure(const struct standins *b, uint32_t kernel, struct gsim_standin *s,
                                struct gsim_standin_span *span, struct gsim_error *error)
{
    struct cudaFuncAttributes attributes;
    double least_us = 0;
    enum gsim_status status =
        fine(cudaFuncGetAttributes(&attributes, gsim_standin_function(s->kind)), "cudaFuncGetAttributes", error);
    if (status == GSIM_OK) s->regs = (uint32_t)attributes.numRegs;
    if (status == GSIM_OK) status = median_of(b, kernel, span, &s->solo_us, error);
    if (status != GSIM_OK || s->wanted_us <= 0) return status;
    if (!is_near(s)) { /* what no work at all takes */
        uint64_t rounds = s->rounds;
        s->rounds = 0;
        status = median_of(b, kernel, span, &least_us, error);
        s->rounds = rounds;
    }
    for (int i = 0; i < ATTEMPTS && status == GSIM_OK && !is_near(s); i++) {
        uint64_t rounds = gsim_standin_rescale(s->rounds, s->solo_us, s->wanted_us, least_us);
        if (rounds == s->rounds) break;
        s->rounds = rounds;
        status = median_of(b, kernel, span, &s->solo_us, error);
    }
    return status;
}

static enum gsim_status warm_up(const struct standins *b, struct gsim_standin_span *span, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    double sum = 0, us;
    for (uint32_t i = 0; sum < WARM_UP_US && status == GSIM_OK && i < 100000; i++) {
        status = run_once(b, i % b->program->kernel_count, span, &us, error);
        sum += us + 10;
    }
    return status;
}

enum gsim_status gsim_standin_measure(const struct gsim_program *program, struct gsim_standin *list,
                                      struct gsim_error *error)
{
    struct gsim_runner_bench *bench = NULL;
    struct gsim_standin_span *span = NULL;
    enum gsim_status status = gsim_standin_open(program, list, &bench, error);
    const struct standins *b = seen(bench);
    if (status == GSIM_OK) status = fine(cudaMalloc((void **)&span, sizeof *span), "cudaMalloc", error);
    if (status == GSIM_OK && program->kernel_count) status = warm_up(b, span, error);
    for (uint32_t i = 0; i < program->kernel_count && status == GSIM_OK; i++)
        status = measure(b, i, &list[i], span, error);
    cudaFree(span);
    release(bench);
    return status;
}

enum gsim_status gsim_standin_event_excess(double *us, struct gsim_error *error)
{
    struct gsim_kernel kernel = {.name = "excess", .grid = {132, 1, 1}, .block = {128, 1, 1}};
    struct gsim_program program = {.name = "excess", .kernels = &kernel, .kernel_count = 1};
    struct gsim_standin standin = {.kind = GSIM_STANDIN_FMA, .rounds = 4000};
    struct gsim_runner_bench *bench = NULL;
    cudaEvent_t from = NULL, to = NULL;
    double times[SAMPLES];
    enum gsim_status status = gsim_standin_measure(&program, &standin, error);
    if (status == GSIM_OK) status = gsim_standin_open(&program, &standin, &bench, error);
    cudaError_t result = cudaEventCreate(&from);
    if (result == cudaSuccess) result = cudaEventCreate(&to);
    for (int i = -1; i < SAMPLES && status == GSIM_OK && result == cudaSuccess; i++) {
        struct gsim_runner_launch l;
        float ms = 0;
        prepare(seen(bench), 0, NULL, &l);
        dim3 grid = {l.grid[0], l.grid[1], l.grid[2]}, block = {l.block[0], l.block[1], l.block[2]};
        for (int ahead = 0; ahead < AHEAD && result == cudaSuccess; ahead++)
            result = cudaLaunchKernel(l.function, grid, block, l.args, l.smem_bytes, 0);
        if (result == cudaSuccess) result = cudaEventRecord(from, 0);
        if (result == cudaSuccess) result = cudaLaunchKernel(l.function, grid, block, l.args, l.smem_bytes, 0);
        if (result == cudaSuccess) result = cudaEventRecord(to, 0);
        if (result == cudaSuccess) result = cudaEventSynchronize(to);
        if (result == cudaSuccess) result = cudaEventElapsedTime(&ms, from, to);
        times[i < 0 ? 0 : i] = ms * 1e3;
    }
    if (status == GSIM_OK) status = fine(result, "timed events", error);
    if (status == GSIM_OK) {
        gsim_runner_sort(times, SAMPLES);
        *us = fmax(0, times[SAMPLES / 2] - standin.solo_us);
    }
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    release(bench);
    return status;
}
