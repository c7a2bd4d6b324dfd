/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CUDA backend's call for resident kernels: a plan's tables are made at its first launch and kept. The host's
 * threads of mode copilot work inside the call. After an iteration whose calls are recorded, what its tasks noted is
 * checked and becomes kernels of the timeline.
 */
#include "traces/runner/cuda.h"
#include "traces/runner/resident/board.h"
#include "traces/runner/resident/gpu.h"
#include "traces/runner/resident/idle.h"

#define LIMIT_NS UINT64_C(10000000000) /* of one launch */

struct gsim_cuda_resident {
    struct gsim_tasks_tables tasks;
    struct gsim_tasks_gpu *gpu;
    struct gsim_host_board *board;       /* NULL: the host does not schedule */
    uint32_t launches, iteration;   /* iteration + 1 of the last launch */
    uint32_t correlation;
    gsim_stream stream;
    int64_t launch_ns;
    bool verifies;
    struct gsim_cuda_resident *next;
};

static uint64_t cycles_of(const void *data, const struct gsim_op *op)
{
    const struct gsim_cuda *cuda = data;
    return cuda->bench_ops->cycles(cuda->bench, op);
}

/* NULL, and the driver has failed. */
static struct gsim_cuda_resident *resident_of(struct gsim_cuda *cuda, const struct gsim_persistent *plan)
{
    struct gsim_cuda_resident *r = cuda->residents;
    uint32_t workers = plan->workers;
    while (r && r->tasks.plan != plan) r = r->next;
    if (r) return r;
    if (!cuda->bench_ops->cycles) {
        gsim_error_set(&cuda->driver.error, GSIM_SIM,
                       "workload %s: its kernels cannot be tasks of a resident kernel; those of program files can",
                       cuda->bench_ops->name);
        return NULL;
    }
    if (!workers && !gsim_cuda_check(cuda, (cudaError_t)gsim_tasks_gpu_workers(&workers), GSIM_API_RESIDENT))
        return NULL;
    r = gsim_alloc(sizeof *r);
    *r = (struct gsim_cuda_resident){.next = cuda->residents};
    cuda->residents = r;
    if (gsim_tasks_make(&r->tasks, plan, cuda->program->kernels, workers, cycles_of, cuda, &cuda->driver.error) !=
        GSIM_OK)
        return NULL;
    if (!gsim_cuda_check(cuda, (cudaError_t)gsim_tasks_gpu_open(&r->gpu, &r->tasks), GSIM_API_RESIDENT)) return NULL;
    if (plan->mode != GSIM_PERSISTENT_COPILOT) return r;
    r->board = gsim_host_board_create(&r->tasks, gsim_tasks_gpu_slots(r->gpu), gsim_tasks_gpu_reports(r->gpu));
    return r;
}

void gsim_cuda_persistent_launch(struct gsim_driver *driver, const struct gsim_persistent *plan, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (gsim_driver_failed(driver)) return;
    cudaStream_t on = gsim_cuda_stream_at(cuda, stream);
    if (!gsim_driver_failed(driver) && cuda->captures)
        gsim_error_set(&driver->error, GSIM_SIM, "stream %u is being captured: a resident kernel is no node of a graph",
                       stream);
    struct gsim_cuda_resident *r = gsim_driver_failed(driver) ? NULL : resident_of(cuda, plan);
    if (!r) return;
    r->iteration = cuda->iteration + 1;
    r->stream = stream;
    r->verifies = cuda->iteration == cuda->checked_iteration;
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_call_begin(cuda, NULL, GSIM_CUDA_NO_EXEC, stream, start);
    cudaError_t result = (cudaError_t)gsim_tasks_gpu_launch(r->gpu, ++r->launches, r->verifies, LIMIT_NS, on);
    gsim_cuda_call_end(cuda);
    r->launch_ns = start;
    r->correlation = cuda->correlation;
    gsim_cuda_end(cuda, GSIM_API_RESIDENT, result, start, false, stream, "persistent kernel");
    if (result != cudaSuccess || !r->board) return;
    enum gsim_status status = gsim_host_board_run(r->board, LIMIT_NS, &driver->error);
    if (status != GSIM_OK) return; /* the error is the driver's */
}

/* --- after an iteration --- */

static void add_kernels(struct gsim_cuda *cuda, const struct gsim_cuda_resident *r,
                        const struct gsim_tasks_stamp *stamps, int64_t difference)
{
    const struct gsim_tasks_view *v = &r->tasks.view;
    for (uint32_t i = 0; i < v->op_count; i++) {
        const struct gsim_op *op = r->tasks.plan->ops[i];
        uint64_t start = UINT64_MAX, end = 0;
        for (uint32_t t = v->ops[i].first_task; t < v->ops[i].first_task + v->ops[i].task_count; t++) {
            if (stamps[t].start_ns < start) start = stamps[t].start_ns;
            if (stamps[t].end_ns > end) end = stamps[t].end_ns;
        }
        gsim_time began = gsim_cuda_time(cuda, (int64_t)start + difference);
        struct gsim_kernel_record record = {.op = op->index,
                                            .iteration = cuda->iteration,
                                            .stream = r->stream,
                                            .kernel_index = op->kernel_index,
                                            .correlation = r->correlation,
                                            .launch = gsim_cuda_time(cuda, r->launch_ns),
                                            .ready = began,
                                            .start = began,
                                            .end = gsim_cuda_time(cuda, (int64_t)end + difference)};
        gsim_timeline_add_kernel(cuda->timeline, &record);
    }
}

static void collect(struct gsim_cuda *cuda, const struct gsim_cuda_resident *r, int64_t difference)
{
    const struct gsim_tasks_stamp *stamps;
    const uint64_t *values;
    uint64_t start, end;
    struct gsim_resident_record record = {.iteration = cuda->iteration,
                                          .stream = r->stream,
                                          .workers = r->tasks.view.worker_count,
                                          .tasks = r->tasks.view.task_count,
                                          .mode = gsim_persistent_mode_name(r->tasks.plan->mode)};
    if (!gsim_cuda_check(cuda, (cudaError_t)gsim_tasks_gpu_read(r->gpu, &stamps, &values), GSIM_API_MEMCPY)) return;
    enum gsim_status status =
        gsim_tasks_check(&r->tasks, stamps, values, r->launches, r->verifies, &cuda->driver.error);
    if (status != GSIM_OK) return;
    gsim_tasks_idle(&r->tasks, stamps, &record, &start, &end);
    if (!record.tasks) return;
    record.start = gsim_cuda_time(cuda, (int64_t)start + difference);
    record.end = gsim_cuda_time(cuda, (int64_t)end + difference);
    gsim_timeline_add_resident(cuda->timeline, &record);
    add_kernels(cuda, r, stamps, difference);
}

void gsim_cuda_residents_end(struct gsim_cuda *cuda)
{
    int64_t difference = 0;
    bool is_known = false;
    if (!cuda->timeline->detailed) return;
    for (const struct gsim_cuda_resident *r = cuda->residents; r && !gsim_driver_failed(&cuda->driver); r = r->next) {
        if (r->iteration != cuda->iteration + 1) continue;
        if (!is_known && !gsim_cuda_check(cuda, (cudaError_t)gsim_blocks_clock(&difference), GSIM_API_MEMCPY)) return;
        is_known = true;
        collect(cuda, r, difference);
    }
}

void gsim_cuda_residents_release(struct gsim_cuda *cuda)
{
    while (cuda->residents) {
        struct gsim_cuda_resident *r = cuda->residents;
        cuda->residents = r->next;
        gsim_host_board_destroy(r->board);
        gsim_tasks_gpu_close(r->gpu);
        gsim_tasks_release(&r->tasks);
        gsim_free(r);
    }
}
