/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gpusim-runner record: workloads x sizes x launch shapes x schedulers x prefetching into one file. First everything is
 * timed without the tracer, then each run is made once more under it, with its results checked: the tracer, once
 * loaded, then slows nothing that is timed. The plan: record_plan.c.
 */
#include <unistd.h>

#include "cli/runner/record_plan.h"
#include "gpusim/order.h"
#include "sim/base/text.h"
#include "traces/runner/slice.h"
#include "traces/runner/sorted.h"
#include "traces/runner/stamp.h"

#define SLICE_REPEATS 3

/* One case set up on the GPU. */
struct stage {
    struct gsim_record *record;
    struct gsim_record_case *at;
    struct gsim_program program;
    const struct gsim_bench_ops *ops;
    struct gsim_runner_bench *bench;
    struct gsim_runner_memory *memory;
    uint32_t number; /* of runs begun, for the progress */
    bool is_trace_pass;
};

static struct gsim_simulation simulation_of(const struct stage *stage, const struct gsim_scheduler_ops *scheduler,
                                            bool prefetch, bool detailed)
{
    return (struct gsim_simulation){.program = &stage->program, .device = stage->record->device, .scheduler = scheduler,
                                    .memory = stage->record->memory, .prefetch = prefetch, .seed = stage->record->seed,
                                    .detailed = detailed};
}

static enum gsim_status run_job(struct stage *stage, const struct gsim_simulation *simulation, bool traced,
                                bool checked, uint32_t iterations, struct gsim_timeline *timeline,
                                struct gsim_error *error)
{
    struct gsim_runner_job job = {.simulation = simulation, .memory = stage->memory, .bench_ops = stage->ops,
                                  .bench = stage->bench, .iterations = stage->record->warmup + iterations,
                                  .traced = traced, .checked = checked};
    return gsim_runner_run(&job, timeline, error);
}

static double iteration_us(const struct gsim_timeline *timeline, size_t index)
{
    return gsim_time_us(timeline->iterations[index].end - timeline->iterations[index].start);
}

/* What the calls of an iteration cost: with the clock read around each (50 ns), but without the tracer. Medians over
 * iterations of each call's sum, since single calls may be interrupted. */
static enum gsim_status time_calls(struct stage *stage, struct gsim_record_run *run, struct gsim_error *error)
{
    const struct gsim_record *record = stage->record;
    struct gsim_timeline t = {0};
    struct gsim_simulation simulation = simulation_of(stage, run->scheduler, run->prefetch, true);
    enum gsim_status status = run_job(stage, &simulation, false, false, record->traced_iterations, &t, error);
    double *sums = gsim_alloc(sizeof *sums * record->traced_iterations);
    for (int api = 0; api < GSIM_API_COUNT && status == GSIM_OK; api++) {
        memset(sums, 0, sizeof *sums * record->traced_iterations);
        for (size_t i = 0; i < t.api_count; i++) {
            if (t.apis[i].api != (enum gsim_api)api || t.apis[i].iteration < record->warmup) continue;
            sums[t.apis[i].iteration - record->warmup] += gsim_time_us(t.apis[i].end - t.apis[i].start);
            run->call_count[api] += 1.0 / record->traced_iterations;
        }
        gsim_runner_sort(sums, record->traced_iterations);
        run->call_us[api] = sums[record->traced_iterations / 2];
    }
    gsim_free(sums);
    gsim_timeline_release(&t);
    return status;
}

static enum gsim_status time_run(struct stage *stage, struct gsim_record_run *run, struct gsim_error *error)
{
    const struct gsim_record *record = stage->record;
    struct gsim_timeline timeline = {0};
    struct gsim_simulation simulation = simulation_of(stage, run->scheduler, run->prefetch, false);
    enum gsim_status status = run_job(stage, &simulation, false, false, record->iterations, &timeline, error);
    if (status == GSIM_OK)
        run->iteration_us = GSIM_ARENA_ARRAY(&stage->record->arena, double, record->iterations);
    for (uint32_t i = 0; status == GSIM_OK && i < record->iterations; i++)
        run->iteration_us[run->iteration_count++] = iteration_us(&timeline, record->warmup + i);
    gsim_timeline_release(&timeline);
    if (status == GSIM_OK) status = time_calls(stage, run, error);
    run->done = status == GSIM_OK;
    return status;
}

GSIM_ORDER(compare_launches, struct gsim_record_op, GSIM_UP(launch_us) GSIM_UP(start_us))

static void keep_trace(struct stage *stage, struct gsim_record_run *run, const struct gsim_timeline *t)
{
    /* Of the iterations after the warm-up, the one of median length; the last is left out, where there are others: the
     * device's memory was written before it. */
    uint32_t first = stage->record->warmup;
    uint32_t count = (uint32_t)t->iteration_count - first, chosen = first;
    if (count > 1) count--;
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t shorter = 0;
        for (uint32_t j = first; j < first + count; j++)
            if (iteration_us(t, j) < iteration_us(t, i) || (iteration_us(t, j) == iteration_us(t, i) && j < i))
                shorter++;
        if (shorter == count / 2) chosen = i;
    }
    gsim_time origin = t->iterations[chosen].start;
    run->traced_us = iteration_us(t, chosen);
    run->ops = GSIM_ARENA_ARRAY(&stage->record->arena, struct gsim_record_op, t->kernel_count + t->copy_count + 1);
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_kernel_record *k = &t->kernels[i];
        if (k->iteration != chosen) continue;
        run->ops[run->op_count++] = (struct gsim_record_op){
            .is_kernel = true,
            .name = gsim_arena_strdup(&stage->record->arena, stage->program.kernels[k->kernel_index].name),
            .op_index = k->op,
            .stream = k->stream,
            .launch_us = gsim_time_us(k->launch - origin),
            .start_us = gsim_time_us(k->start - origin),
            .end_us = gsim_time_us(k->end - origin)};
    }
    for (size_t i = 0; i < t->copy_count; i++) {
        const struct gsim_copy_record *c = &t->copies[i];
        if (c->iteration != chosen) continue;
        run->ops[run->op_count++] = (struct gsim_record_op){.op_index = c->op,
                                                            .stream = c->stream,
                                                            .copy_kind = c->kind,
                                                            .bytes = c->bytes,
                                                            .launch_us = gsim_time_us(c->launch - origin),
                                                            .start_us = gsim_time_us(c->start - origin),
                                                            .end_us = gsim_time_us(c->end - origin)};
    }
    qsort(run->ops, run->op_count, sizeof *run->ops, compare_launches);
}

static enum gsim_status trace_run(struct stage *stage, struct gsim_record_run *run, struct gsim_error *error)
{
    struct gsim_timeline timeline = {0};
    struct gsim_simulation simulation = simulation_of(stage, run->scheduler, run->prefetch, false);
    enum gsim_status status =
        run_job(stage, &simulation, true, true, stage->record->traced_iterations, &timeline, error);
    if (status == GSIM_OK) keep_trace(stage, run, &timeline);
    run->done = status == GSIM_OK;
    gsim_timeline_release(&timeline);
    return status;
}

/* Each kernel op alone: the program one kernel at a time, a synchronise after each. */
static enum gsim_status profile_case(struct stage *stage, struct gsim_error *error)
{
    struct gsim_record_case *c = stage->at;
    struct gsim_simulation simulation = simulation_of(stage, gsim_scheduler_find("serial"), false, false);
    struct gsim_timeline timeline = {0};
    uint32_t first = stage->record->warmup;
    enum gsim_status status =
        run_job(stage, &simulation, true, false, 2 * stage->record->traced_iterations, &timeline, error);
    c->profile = GSIM_ARENA_ARRAY(&stage->record->arena, struct gsim_record_profile_op, stage->program.op_count + 1);
    double *times = gsim_alloc(sizeof *times * (timeline.iteration_count + 1));
    for (uint32_t i = 0; status == GSIM_OK && i < stage->program.op_count; i++) {
        const struct gsim_op *op = &stage->program.ops[i];
        size_t count = 0;
        if (op->kind != GSIM_OP_KERNEL) continue;
        for (size_t k = 0; k < timeline.kernel_count && count < timeline.iteration_count; k++)
            if (timeline.kernels[k].op == i && timeline.kernels[k].iteration >= first)
                times[count++] = gsim_time_us(timeline.kernels[k].end - timeline.kernels[k].start);
        if (!count) continue;
        gsim_runner_sort(times, count);
        const struct gsim_kernel *kernel = &stage->program.kernels[op->kernel_index];
        struct gsim_record_profile_op *p = &c->profile[c->profile_count++];
        *p = (struct gsim_record_profile_op){.op_index = i,
                                             .name = gsim_arena_strdup(&stage->record->arena, kernel->name),
                                             .grid = kernel->grid,
                                             .block = kernel->block,
                                             .median_us = times[count / 2],
                                             .min_us = times[0],
                                             .max_us = times[count - 1]};
        gsim_runner_kernel_resources(stage->ops, stage->bench, op, stage->memory->device, &p->regs, &p->smem_bytes);
    }
    gsim_free(times);
    gsim_timeline_release(&timeline);
    return status;
}

static cudaError_t launch_held(struct stage *stage, struct gsim_run_slice *slice, struct gsim_tracer *tracer,
                               const struct gsim_op *op, cudaStream_t stream)
{
    struct gsim_runner_launch launch;
    stage->ops->launch(stage->bench, op, stage->memory->device, &launch);
    dim3 grid = {launch.grid[0], launch.grid[1], launch.grid[2]},
         block = {launch.block[0], launch.block[1], launch.block[2]};
    cudaError_t result = gsim_slice_hold(slice);
    if (result != cudaSuccess) return result;
    gsim_tracer_push(tracer, op->index + 1);
    result = cudaLaunchKernel(launch.function, grid, block, launch.args, launch.smem_bytes, stream);
    gsim_tracer_pop(tracer);
    if (result == cudaSuccess) result = cudaStreamSynchronize(stream);
    cudaError_t freed = gsim_slice_free(slice);
    return result == cudaSuccess ? freed : result;
}

/* Each kernel op once more, while most of the GPU is held; its data are there since profile_case. */
static enum gsim_status profile_slices(struct stage *stage, struct gsim_error *error)
{
    struct gsim_run_slice slice;
    struct gsim_tracer *tracer = NULL;
    const struct gsim_tracer_activity *list;
    size_t count, dropped;
    cudaStream_t stream = NULL;
    cudaError_t result = gsim_slice_init(&slice, stage->record->slice_sms);
    if (result == cudaSuccess) result = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    enum gsim_status status = result == cudaSuccess ? gsim_tracer_start(&tracer, error) : GSIM_OK;
    for (int r = 0; r < SLICE_REPEATS && status == GSIM_OK; r++)
        for (uint32_t i = 0; i < stage->program.op_count && result == cudaSuccess; i++)
            if (stage->program.ops[i].kind == GSIM_OP_KERNEL)
                result = launch_held(stage, &slice, tracer, &stage->program.ops[i], stream);
    if (tracer && status == GSIM_OK) gsim_tracer_stop(tracer, &list, &count, &dropped);
    if (status == GSIM_OK && result == cudaSuccess) {
        struct gsim_record_case *c = stage->at;
        for (uint32_t i = 0; i < c->profile_count; i++) {
            double times[SLICE_REPEATS];
            size_t found = 0;
            for (size_t k = 0; k < count && found < SLICE_REPEATS; k++)
                if (list[k].call == c->profile[i].op_index + 1)
                    times[found++] = (double)(list[k].end_ns - list[k].start_ns) * 1e-3;
            gsim_runner_sort(times, found);
            if (found) c->profile[i].slice_us = times[found / 2];
        }
    }
    if (result != cudaSuccess)
        status = gsim_error_set(error, GSIM_SIM, "kernels on a slice of the GPU: %s", cudaGetErrorString(result));
    gsim_tracer_destroy(tracer);
    if (stream) cudaStreamDestroy(stream);
    gsim_slice_release(&slice);
    return status;
}

static void tell(struct stage *stage, const struct gsim_record_run *run, const struct gsim_error *error)
{
    char bytes[GSIM_TEXT_SIZE], text[GSIM_TEXT_SIZE];
    double total = 0;
    stage->number++;
    for (uint32_t i = 0; i < stage->program.buffer_count; i++) total += (double)stage->program.buffers[i].bytes;
    if (run->done && !isatty(STDERR_FILENO) && stage->number % 24) return;
    fprintf(stderr, "%s%s %u/%u: %s %s %s, %s, prefetch %s: %s%s", isatty(STDERR_FILENO) && run->done ? "\r\033[K" : "",
            stage->is_trace_pass ? "traced" : "timed", stage->number, stage->record->run_count,
            stage->at->workload->name, gsim_text_bytes(bytes, total),
            stage->at->options.shape == GSIM_SHAPE_SERIAL ? "serial shape" : "concurrent shape", run->scheduler->name,
            run->prefetch ? "on" : "off",
            !run->done ? error->message
            : stage->is_trace_pass
                ? "right results"
                : gsim_text_us(text, run->iteration_us[run->iteration_count / 2]),
            isatty(STDERR_FILENO) && run->done ? "" : "\n");
}

static enum gsim_status run_case(struct stage *stage, struct gsim_error *error)
{
    struct gsim_record_case *c = stage->at;
    stage->ops = gsim_bench_find(c->workload->name);
    enum gsim_status status = c->workload->build(&c->options, &stage->program, error);
    if (status == GSIM_OK)
        status = stage->ops->create(&stage->program, &c->options, stage->record->seed, &stage->bench, error);
    if (status == GSIM_OK)
        status = gsim_runner_memory_bind(stage->memory, &stage->program, stage->record->memory, stage->ops,
                                         stage->bench, error);
    if (status == GSIM_OK && stage->is_trace_pass) status = profile_case(stage, error);
    if (status == GSIM_OK && stage->is_trace_pass && stage->record->slice_sms) status = profile_slices(stage, error);
    for (uint32_t i = 0; status == GSIM_OK && i < c->run_count && !stage->record->profiles_only; i++) {
        struct gsim_error failure = {0};
        struct gsim_record_run *run = &c->runs[i];
        if (stage->is_trace_pass && !run->done) continue;
        enum gsim_status result =
            stage->is_trace_pass ? trace_run(stage, run, &failure) : time_run(stage, run, &failure);
        if (result != GSIM_OK) stage->record->failed_count++;
        tell(stage, run, &failure);
    }
    if (status != GSIM_OK) gsim_error_prefix(error, "%s, size %.15g", c->workload->name, c->options.size);
    gsim_runner_memory_unbind(stage->memory);
    if (stage->bench) stage->ops->destroy(stage->bench);
    stage->bench = NULL;
    gsim_program_release(&stage->program);
    return status;
}

static enum gsim_status run_all(struct gsim_record *record, struct gsim_error *error)
{
    struct gsim_runner_memory memory = {0};
    enum gsim_status status = GSIM_OK;
    for (int pass = record->profiles_only ? 1 : 0; pass < (record->is_traced ? 2 : 1); pass++) {
        struct stage stage = {.record = record, .memory = &memory, .is_trace_pass = pass == 1};
        if (pass == 1 && status == GSIM_OK) {
            record->tracer_excess_us = gsim_tracer_excess_us(error);
            if (error->status != GSIM_OK) status = error->status;
        }
        for (uint32_t i = record->case_count;
             i-- > 0 && status == GSIM_OK;) { /* the largest first: memory is taken once */
            stage.at = &record->cases[i];
            status = run_case(&stage, error);
        }
    }
    gsim_runner_memory_release(&memory);
    return status;
}

enum gsim_status gsim_runner_record(struct gsim_runner_words *words, struct gsim_error *error)
{
    struct gsim_record record = {0};
    struct gsim_cli_arguments arguments = {0};
    struct gsim_cli_setup setup = {0};
    enum gsim_status status = gsim_record_plan(&record, words, &arguments, &setup, error);
    if (status == GSIM_OK && record.path) status = run_all(&record, error);
    if (status == GSIM_OK && record.path) status = gsim_record_write(&record, error);
    if (status == GSIM_OK && record.failed_count)
        status = gsim_error_set(error, GSIM_SIM, "%u of %u runs failed and were left out of '%s'", record.failed_count,
                                record.run_count, record.path);
    gsim_cli_setup_release(&setup);
    gsim_free(arguments.opts);
    gsim_arena_release(&record.arena);
    return status;
}
