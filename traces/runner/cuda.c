/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CUDA backend of include/gpusim/driver.h: handles, streams, events, work, iterations. Each call is timed on the
 * host; when and where its work ran on the device comes from the tracer afterwards. Errors are sticky, as the interface
 * asks.
 */
#include "traces/runner/cuda.h"

bool gsim_cuda_check(struct gsim_cuda *cuda, cudaError_t result, enum gsim_api api)
{
    if (result == cudaSuccess || result == cudaErrorNotReady) return true;
    gsim_cuda_lock(cuda);
    if (!gsim_driver_failed(&cuda->driver))
        gsim_error_set(&cuda->driver.error, GSIM_SIM, "%s: %s (%s)", gsim_api_name(api), cudaGetErrorString(result),
                       cudaGetErrorName(result));
    gsim_cuda_unlock(cuda);
    cudaGetLastError();
    return false;
}

void gsim_cuda_end(struct gsim_cuda *cuda, enum gsim_api api, cudaError_t result, int64_t start_ns, bool waited,
                   gsim_stream stream, const char *detail)
{
    if (!gsim_cuda_check(cuda, result, api) || !cuda->timeline->detailed) return;
    int64_t end_ns = gsim_runner_now_ns();
    struct gsim_api_record record = {
        .api = api,
        .thread = gsim_cuda_thread_index(),
        .iteration = cuda->iteration,
        .correlation = cuda->correlation,
        .stream = stream,
        .detail = detail,
        .start = gsim_cuda_time(cuda, start_ns),
        .end = gsim_cuda_time(cuda, end_ns),
        .waited = waited ? (end_ns - start_ns) * GSIM_PS_PER_NS : 0,
    };
    gsim_cuda_lock(cuda);
    gsim_timeline_add_api(cuda->timeline, &record);
    gsim_cuda_unlock(cuda);
}

void gsim_cuda_call_begin(struct gsim_cuda *cuda, const struct gsim_op *op, uint32_t exec_index, gsim_stream stream,
                          int64_t start_ns)
{
    gsim_cuda_lock(cuda);
    struct gsim_cuda_stream *s = &cuda->streams[stream];
    if (s->used_mark != cuda->iteration + 1 && !cuda->captures) {
        s->used_mark = cuda->iteration + 1;
        cuda->streams_used++;
    }
    cuda->correlation = (uint32_t)cuda->call_count + 1;
    if (cuda->tracer || cuda->blocks)
        (void)GSIM_APPEND(cuda->calls, cuda->call_count, cuda->call_capacity,
                          (struct gsim_cuda_call){op, exec_index, stream, cuda->iteration, start_ns});
    uint64_t number = cuda->call_count;
    gsim_cuda_unlock(cuda);
    if (cuda->tracer) gsim_tracer_push(cuda->tracer, number);
}

void gsim_cuda_call_end(struct gsim_cuda *cuda)
{
    if (cuda->tracer) gsim_tracer_pop(cuda->tracer);
}

/* --- streams ----------------------------------------------------------------------------------------------- */
cudaStream_t gsim_cuda_stream_at(struct gsim_cuda *cuda, gsim_stream stream)
{
    gsim_cuda_lock(cuda);
    bool failed = gsim_driver_failed(&cuda->driver),
         exists = stream < cuda->stream_count && cuda->streams[stream].exists;
    if (!exists && !failed) gsim_error_set(&cuda->driver.error, GSIM_SIM, "stream %u does not exist", stream);
    cudaStream_t found = exists && !failed ? cuda->streams[stream].stream : NULL;
    gsim_cuda_unlock(cuda);
    return found;
}

static uint32_t add_stream(struct gsim_cuda *cuda, cudaStream_t stream)
{
    uint32_t index = 0;
    gsim_cuda_lock(cuda);
    while (index < cuda->stream_count && cuda->streams[index].exists) index++;
    if (index == cuda->stream_count) {
        gsim_array_grow(&cuda->streams, sizeof *cuda->streams, index, &cuda->stream_capacity);
        cuda->stream_count++;
    }
    if (!gsim_driver_failed(&cuda->driver))
        cuda->streams[index] = (struct gsim_cuda_stream){stream, 0, gsim_cuda_device_set_last(), true};
    gsim_cuda_unlock(cuda);
    return index;
}

gsim_stream gsim_cuda_stream_create(struct gsim_driver *driver, int priority)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (gsim_driver_failed(driver)) return 0;
    cudaStream_t stream = NULL;
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_on_device(cuda, gsim_cuda_device_set_last());
    cudaError_t result = cudaStreamCreateWithPriority(&stream, cudaStreamDefault, priority);
    gsim_cuda_end(cuda, GSIM_API_STREAM_CREATE, result, start, false, 0, NULL);
    return result == cudaSuccess ? add_stream(cuda, stream) : 0;
}

void gsim_cuda_stream_destroy(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (stream == 0) return;
    cudaStream_t real = gsim_cuda_stream_at(cuda, stream);
    if (!real) return;
    int64_t start = gsim_cuda_begin(cuda);
    cudaError_t result = cudaStreamDestroy(real);
    gsim_cuda_lock(cuda);
    cuda->streams[stream].exists = false;
    gsim_cuda_unlock(cuda);
    gsim_cuda_end(cuda, GSIM_API_STREAM_DESTROY, result, start, false, stream, NULL);
}

void gsim_cuda_stream_synchronize(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    cudaStream_t real = gsim_cuda_stream_at(cuda, stream);
    if (!real) return;
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_end(cuda, GSIM_API_STREAM_SYNC, cudaStreamSynchronize(real), start, true, stream, NULL);
}

bool gsim_cuda_stream_query(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    cudaStream_t real = gsim_cuda_stream_at(cuda, stream);
    if (!real) return true;
    int64_t start = gsim_cuda_begin(cuda);
    cudaError_t result = cudaStreamQuery(real);
    gsim_cuda_end(cuda, GSIM_API_STREAM_QUERY, result, start, false, stream, NULL);
    return result != cudaErrorNotReady;
}

void gsim_cuda_device_synchronize(struct gsim_driver *driver)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (gsim_driver_failed(driver)) return;
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_on_device(cuda, gsim_cuda_device_set_last());
    gsim_cuda_end(cuda, GSIM_API_DEVICE_SYNC, cudaDeviceSynchronize(), start, true, 0, NULL);
}

/* --- events ------------------------------------------------------------------------------------------------- */
static cudaEvent_t event_at(struct gsim_cuda *cuda, gsim_event event)
{
    gsim_cuda_lock(cuda);
    bool failed = gsim_driver_failed(&cuda->driver),
         exists = event && event < cuda->event_count && cuda->events[event].exists;
    if (!exists && !failed) gsim_error_set(&cuda->driver.error, GSIM_SIM, "event %u does not exist", event);
    cudaEvent_t found = exists && !failed ? cuda->events[event].event : NULL;
    gsim_cuda_unlock(cuda);
    return found;
}

gsim_event gsim_cuda_event_create(struct gsim_driver *driver, enum gsim_event_flags flags)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (gsim_driver_failed(driver)) return 0;
    cudaEvent_t event = NULL;
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_on_device(cuda, gsim_cuda_device_set_last());
    cudaError_t result =
        cudaEventCreateWithFlags(&event, flags == GSIM_EVENT_NO_TIMING ? cudaEventDisableTiming : cudaEventDefault);
    gsim_cuda_end(cuda, GSIM_API_EVENT_CREATE, result, start, false, 0,
                  flags == GSIM_EVENT_NO_TIMING ? GSIM_API_NO_TIMING : NULL);
    if (result != cudaSuccess) return 0;
    gsim_cuda_lock(cuda);
    uint32_t index = (uint32_t)cuda->event_count;
    gsim_array_grow(&cuda->events, sizeof *cuda->events, index, &cuda->event_capacity);
    cuda->events[cuda->event_count++] = (struct gsim_cuda_event){.event = event,
                                                                 .device = gsim_cuda_device_set_last(),
                                                                 .is_timed = flags != GSIM_EVENT_NO_TIMING,
                                                                 .exists = true};
    gsim_cuda_unlock(cuda);
    return index;
}

void gsim_cuda_event_destroy(struct gsim_driver *driver, gsim_event event)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    cudaEvent_t real = event_at(cuda, event);
    if (!real) return;
    int64_t start = gsim_cuda_begin(cuda);
    cudaError_t result = cudaEventDestroy(real);
    gsim_cuda_lock(cuda);
    cuda->events[event].exists = false;
    gsim_cuda_unlock(cuda);
    gsim_cuda_end(cuda, GSIM_API_EVENT_DESTROY, result, start, false, 0, NULL);
}

/* The event, made anew where the stream is of another GPU than the event: the first time in a run, as a rule. */
static cudaEvent_t event_on(struct gsim_cuda *cuda, gsim_event event, gsim_stream stream)
{
    cudaEvent_t real = event_at(cuda, event);
    if (!real || cuda->device_count < 2) return real;
    struct gsim_cuda_event *e = &cuda->events[event];
    uint32_t device = gsim_cuda_device_of(cuda, stream);
    gsim_cuda_on_device(cuda, device);
    if (e->device == device) return real;
    cudaEventDestroy(real);
    gsim_cuda_check(cuda, cudaEventCreateWithFlags(&e->event, e->is_timed ? cudaEventDefault : cudaEventDisableTiming),
                    GSIM_API_EVENT_CREATE);
    e->device = device;
    return gsim_driver_failed(&cuda->driver) ? NULL : e->event;
}

void gsim_cuda_event_record(struct gsim_driver *driver, gsim_event event, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (gsim_driver_failed(driver)) return;
    cudaStream_t on = gsim_cuda_stream_at(cuda, stream);
    cudaEvent_t real = event_on(cuda, event, stream);
    if (gsim_driver_failed(driver)) return;
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_end(cuda, GSIM_API_EVENT_RECORD, cudaEventRecord(real, on), start, false, stream, NULL);
    gsim_cuda_lock(cuda);
    struct gsim_cuda_event *e = &cuda->events[event];
    e->is_recorded = !cuda->captures;
    e->stream = stream;
    e->correlation = cuda->correlation;
    e->recorded = gsim_cuda_time(cuda, start);
    gsim_cuda_unlock(cuda);
    cuda->events_recorded++;
}

/* What lets a trace's reader know which stream waits for what of which. When that was, nobody sees: the calls' times
 * stand for it. */
static void note_wait(struct gsim_cuda *cuda, gsim_stream stream, gsim_event event, int64_t start_ns)
{
    gsim_cuda_lock(cuda);
    const struct gsim_cuda_event *e = &cuda->events[event];
    if (e->is_recorded && !cuda->captures && cuda->timeline->detailed) {
        struct gsim_wait_record record = {.correlation = cuda->correlation,
                                          .record_correlation = e->correlation,
                                          .iteration = cuda->iteration,
                                          .waiting_stream = (uint32_t)stream,
                                          .recorded_stream = (uint32_t)e->stream,
                                          .event = (uint32_t)event,
                                          .recorded = e->recorded,
                                          .satisfied = gsim_cuda_time(cuda, start_ns)};
        gsim_timeline_add_wait(cuda->timeline, &record);
    }
    gsim_cuda_unlock(cuda);
}

void gsim_cuda_stream_wait_event(struct gsim_driver *driver, gsim_stream stream, gsim_event event)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (gsim_driver_failed(driver)) return;
    cudaEvent_t real = event_at(cuda, event);
    cudaStream_t on = gsim_cuda_stream_at(cuda, stream);
    if (gsim_driver_failed(driver)) return;
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_end(cuda, GSIM_API_STREAM_WAIT, cudaStreamWaitEvent(on, real, 0), start, false, stream, NULL);
    note_wait(cuda, stream, event, start);
    cuda->stream_waits++;
}

void gsim_cuda_event_synchronize(struct gsim_driver *driver, gsim_event event)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    cudaEvent_t real = event_at(cuda, event);
    if (!real) return;
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_end(cuda, GSIM_API_EVENT_SYNC, cudaEventSynchronize(real), start, true, 0, NULL);
}

bool gsim_cuda_event_query(struct gsim_driver *driver, gsim_event event)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    cudaEvent_t real = event_at(cuda, event);
    if (!real) return true;
    int64_t start = gsim_cuda_begin(cuda);
    cudaError_t result = cudaEventQuery(real);
    gsim_cuda_end(cuda, GSIM_API_EVENT_QUERY, result, start, false, 0, NULL);
    return result != cudaErrorNotReady;
}

const void *gsim_cuda_code(const struct gsim_cuda *cuda, const struct gsim_op *op, struct gsim_runner_launch *launch,
                           struct gsim_block_stamp **stamps)
{
    if (!cuda->blocks) return launch->function;
    *stamps = gsim_blocks_of(cuda->blocks, op);
    launch->args[1] = stamps;
    return launch->stamped;
}

/* --- work ---------------------------------------------------------------------------------------------------- */
void gsim_cuda_launch(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    cudaStream_t on = gsim_cuda_stream_at(cuda, stream);
    if (!on) return;
    struct gsim_runner_launch launch;
    struct gsim_block_stamp *stamps;
    uint32_t device = gsim_cuda_device_of(cuda, stream);
    gsim_cuda_on_device(cuda, device);
    cuda->bench_ops->launch(cuda->bench, op, cuda->memory->devices[device], &launch);
    for (uint32_t a = 0; a < op->arg_count && cuda->device_count > 1; a++)
        if (op->args[a].writes) cuda->memory->written_on[op->args[a].buffer_index] = device;
    const void *code = gsim_cuda_code(cuda, op, &launch, &stamps);
    dim3 grid = {launch.grid[0], launch.grid[1], launch.grid[2]},
         block = {launch.block[0], launch.block[1], launch.block[2]};
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_call_begin(cuda, op, 0, stream, start);
    cudaError_t result = cudaLaunchKernel(code, grid, block, launch.args, launch.smem_bytes, on);
    gsim_cuda_call_end(cuda);
    gsim_cuda_end(cuda, GSIM_API_LAUNCH, result, start, false, stream, cuda->program->kernels[op->kernel_index].name);
    if (cuda->captures) gsim_cuda_capture_note(cuda, op, stream);
}

void *gsim_cuda_copy_ends(const struct gsim_cuda *cuda, const struct gsim_op *op, uint32_t device, void **from,
                          enum cudaMemcpyKind *kind)
{
    uint32_t buffer = op->args[0].buffer_index;
    *kind = op->copy_kind == GSIM_COPY_H2D ? cudaMemcpyHostToDevice
            : op->copy_kind == GSIM_COPY_D2H ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
    uint64_t begin = op->segment_count ? op->segments[0].offset : 0;
    void *there = (char *)cuda->memory->devices[device][buffer] + begin,
         *here = (char *)cuda->memory->host[buffer] + begin;
    *from = op->copy_kind == GSIM_COPY_H2D ? here : there;
    return op->copy_kind == GSIM_COPY_D2H ? here : there;
}

void gsim_cuda_memcpy_async(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    cudaStream_t on = gsim_cuda_stream_at(cuda, stream);
    if (!on) return;
    if (op->copy_kind == GSIM_COPY_P2P && cuda->device_count > 1) {
        gsim_cuda_memcpy_peer_async(driver, op, stream);
        return;
    }
    enum cudaMemcpyKind kind;
    uint32_t device = gsim_cuda_device_of(cuda, stream);
    gsim_cuda_on_device(cuda, device);
    void *from, *to = gsim_cuda_copy_ends(cuda, op, device, &from, &kind);
    bool blocks = cuda->mode == GSIM_MEMORY_PAGEABLE && kind != cudaMemcpyDeviceToDevice;
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_call_begin(cuda, op, 0, stream, start);
    cudaError_t result = cudaMemcpyAsync(to, from, op->bytes, kind, on);
    gsim_cuda_call_end(cuda);
    gsim_cuda_end(cuda, GSIM_API_MEMCPY, result, start, blocks, stream,
                  cuda->program->buffers[op->args[0].buffer_index].name);
    if (cuda->captures) gsim_cuda_capture_note(cuda, op, stream);
}

void gsim_cuda_prefetch_async(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (cuda->mode != GSIM_MEMORY_MANAGED) return;
    cudaStream_t on = gsim_cuda_stream_at(cuda, stream);
    if (!on) return;
    uint32_t buffer = op->args[0].buffer_index;
    int64_t start = gsim_cuda_begin(cuda);
    gsim_cuda_call_begin(cuda, op, 0, stream, start);
#if CUDART_VERSION >= 13000
    struct cudaMemLocation device = {.type = cudaMemLocationTypeDevice, .id = 0};
    cudaError_t result = cudaMemPrefetchAsync(cuda->memory->device[buffer], op->bytes, device, 0, on);
#else
    cudaError_t result = cudaMemPrefetchAsync(cuda->memory->device[buffer], op->bytes, 0, on);
#endif
    gsim_cuda_call_end(cuda);
    gsim_cuda_end(cuda, GSIM_API_PREFETCH, result, start, false, stream, cuda->program->buffers[buffer].name);
}

void gsim_cuda_stream_attach(struct gsim_driver *driver, uint32_t buffer_index, gsim_stream stream)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (cuda->mode != GSIM_MEMORY_MANAGED) return;
    cudaStream_t on = gsim_cuda_stream_at(cuda, stream);
    if (!on) return;
    int64_t start = gsim_cuda_begin(cuda);
    cudaError_t result = cudaStreamAttachMemAsync(on, cuda->memory->device[buffer_index], 0, cudaMemAttachSingle);
    gsim_cuda_end(cuda, GSIM_API_ATTACH, result, start, false, stream, cuda->program->buffers[buffer_index].name);
}

/* A read of managed memory touches every page, so that it migrates; explicit memory was copied back before. */
void gsim_cuda_host_access(struct gsim_driver *driver, const struct gsim_op *op)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (gsim_driver_failed(driver)) return;
    uint32_t buffer = op->args[0].buffer_index;
    int64_t start = gsim_cuda_begin(cuda);
    if (op->kind == GSIM_OP_HOST_WRITE) {
        if (!op->untimed) gsim_runner_memory_host_write(cuda->memory, buffer, op->bytes);
    } else if (cuda->mode == GSIM_MEMORY_MANAGED) {
        volatile const char *bytes = cuda->memory->host[buffer];
        for (uint64_t i = 0; i < op->bytes; i += 4096) (void)bytes[i];
    }
    if (cuda->mode == GSIM_MEMORY_MANAGED)
        gsim_cuda_end(cuda, GSIM_API_HOST_ACCESS, cudaSuccess, start, true, 0, cuda->program->buffers[buffer].name);
}

/* What the scheduler says its decisions cost (a published run time's, say) passes here as it does in the simulator. */
void gsim_cuda_host_work(struct gsim_driver *driver, double us, const char *what)
{
    if (gsim_driver_failed(driver)) return;
    int64_t start = gsim_runner_now_ns(), end = start + gsim_whole(us * 1e3);
    while (gsim_runner_now_ns() < end) continue;
    gsim_cuda_end(gsim_cuda_of(driver), GSIM_API_HOST_WORK, cudaSuccess, start, false, 0, what);
}

/* --- bookkeeping ------------------------------------------------------------------------------------------------- */
void gsim_cuda_iteration_begin(struct gsim_driver *driver, uint32_t iteration)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    if (gsim_driver_failed(driver)) return;
    for (uint32_t i = 0; i < cuda->program->op_count; i++) {
        const struct gsim_op *op = &cuda->program->ops[i];
        if (op->kind == GSIM_OP_HOST_WRITE && op->untimed)
            gsim_runner_memory_host_write(cuda->memory, op->args[0].buffer_index, op->bytes);
    }
    if (iteration == cuda->checked_iteration) {
        gsim_runner_memory_poison(cuda->memory);
        gsim_cuda_device_forget();
    }
    cuda->iteration = iteration;
    cuda->streams_used = cuda->events_recorded = cuda->stream_waits = 0;
    if (cuda->blocks) gsim_cuda_blocks_begin(cuda);
    cuda->iteration_start_ns = gsim_runner_now_ns();
}

void gsim_cuda_iteration_end(struct gsim_driver *driver, uint32_t iteration)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    (void)iteration;
    if (gsim_driver_failed(driver)) return;
    struct gsim_iteration_record record = {gsim_cuda_time(cuda, cuda->iteration_start_ns),
                                           gsim_cuda_time(cuda, gsim_runner_now_ns()), cuda->streams_used,
                                           cuda->events_recorded, cuda->stream_waits};
    gsim_timeline_add_iteration(cuda->timeline, &record);
    if (cuda->blocks) gsim_cuda_blocks_end(cuda);
    gsim_cuda_residents_end(cuda);
}

double gsim_cuda_now_us(struct gsim_driver *driver)
{
    return (double)(gsim_runner_now_ns() - gsim_cuda_of(driver)->epoch_ns) * 1e-3;
}

void gsim_cuda_init(struct gsim_cuda *cuda)
{
    cuda->ops = (struct gsim_driver_ops){
        .abi = GSIM_ABI,
        .size = sizeof(struct gsim_driver_ops),
        .name = "cuda",
        .wait_any = gsim_cuda_wait_any,
        .queue_try_pop = gsim_cuda_queue_try_pop,
        .launch_host_func = gsim_cuda_launch_host_func,
        .persistent_launch = gsim_cuda_persistent_launch,
#define GSIM_DRIVER_WITHOUT_OPTIONAL
#define GSIM_DO(name, parameters, arguments)         .name = gsim_cuda_##name,
#define GSIM_CALL(type, name, parameters, arguments) .name = gsim_cuda_##name,
#include "gpusim/driver.def"
    };
    gsim_cuda_devices_set_ops(cuda);
    cuda->driver.ops = &cuda->ops;
    pthread_mutex_init(&cuda->mutex, NULL);
    gsim_cuda_threads_init(cuda);
    add_stream(cuda, cudaStreamLegacy);
    gsim_array_grow(&cuda->events, sizeof *cuda->events, 0, &cuda->event_capacity);
    cuda->events[cuda->event_count++] = (struct gsim_cuda_event){0}; /* handle 0 means "none" */
    cuda->epoch_ns = gsim_runner_now_ns();
}

void gsim_cuda_release(struct gsim_cuda *cuda)
{
    for (uint32_t d = cuda->device_count; d-- > 0;) {
        gsim_cuda_on_device(cuda, d);
        cudaDeviceSynchronize();
    }
    gsim_cuda_threads_release(cuda);
    gsim_cuda_graphs_release(cuda);
    gsim_cuda_residents_release(cuda);
    for (size_t i = 1; i < cuda->stream_count; i++)
        if (cuda->streams[i].exists) cudaStreamDestroy(cuda->streams[i].stream);
    for (size_t i = 1; i < cuda->event_count; i++)
        if (cuda->events[i].exists) cudaEventDestroy(cuda->events[i].event);
    gsim_free(cuda->streams);
    gsim_free(cuda->events);
    gsim_free(cuda->calls);
    pthread_mutex_destroy(&cuda->mutex);
}
