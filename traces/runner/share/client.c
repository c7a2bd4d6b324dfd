/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A task on the GPU: its scheduler on the CUDA backend, whose iterations are requests. It is what sim/task/client.c is
 * to the simulated driver: arrivals, one request at a time where the way of sharing says so, streams of its own in a
 * process of several tasks. Where a policy decides, launches go through gates (gate.h).
 */
#include "traces/runner/share/client.h"

#include <sys/prctl.h>
#include <time.h>

#include "traces/runner/kernels/numbers.h"

#define SPIN_NS                                                                                                        \
    5000000 /* so long before its arrival a request is waited for awake: a core that slept is slow at first */

static struct gsim_client_task *client_of(struct gsim_driver *driver) { return (struct gsim_client_task *)driver; }

static int64_t from_us(double us) { return gsim_whole(us * 1e3); }

/* --- arrivals ----------------------------------------------------------------------------------------------- */

static uint32_t requests_of(const struct gsim_task *spec) { return gsim_task_requests(spec, GSIM_LEDGER_REQUESTS); }

static int64_t arrival_of(struct gsim_client_task *c, uint32_t request)
{
    int64_t from = gsim_task_follows_last(c->spec, request) ? c->ended_ns : from_us(c->spec->start_us);
    return from + from_us(gsim_task_arrival_us(c->spec, request, &c->arrived_us, &c->arrivals));
}

static int64_t now_ns(const struct gsim_client_task *c) { return gsim_runner_now_ns() - c->ledger->epoch_ns; }

static void wait_until(const struct gsim_client_task *c, int64_t at_ns)
{
    int64_t left;
    while ((left = at_ns - now_ns(c)) > 0 && !c->ledger->is_stopped) {
        if (left <= SPIN_NS) continue;
        struct timespec pause = {0, left - SPIN_NS < 1000000 ? left - SPIN_NS : 1000000};
        nanosleep(&pause, NULL);
    }
}

/* Every task is there: they begin together. */
static void wait_for_all(struct gsim_client_task *c)
{
    struct timespec pause = {0, 50000};
    if (c->stage->measures) gsim_client_measure(c);
    cudaDeviceSynchronize();
    c->own->state = GSIM_LEDGER_READY;
    while (!c->ledger->epoch_ns && !c->ledger->is_stopped) nanosleep(&pause, NULL);
    wait_until(c, 0);
}

/* --- requests ------------------------------------------------------------------------------------------------ */

static bool is_exclusive(const struct gsim_client_task *c)
{
    return c->stage->settings.mechanism == GSIM_MECHANISM_EXCLUSIVE;
}

static void do_iteration_begin(struct gsim_driver *driver, uint32_t iteration)
{
    struct gsim_client_task *c = client_of(driver);
    c->base.iteration_begin(driver, iteration);
    if (iteration == c->stage->warmup && !gsim_driver_failed(driver)) wait_for_all(c);
    c->launch_count = 0;
    if (iteration < c->stage->warmup || gsim_driver_failed(driver)) return;
    if (iteration == c->stage->warmup) {
        c->counts = true;
        c->arrival_ns = arrival_of(c, 0);
    }
    wait_until(c, c->arrival_ns);
    c->own->arrival_ns = c->arrival_ns;
    if (is_exclusive(c) && c->ledger->owner != (int32_t)c->index) gsim_ledger_take(c->ledger, c->index);
    c->began_ns = now_ns(c);
    c->own->began++;
    c->cuda.iteration_start_ns = gsim_runner_now_ns();
}

static bool is_over(const struct gsim_client_task *c, uint32_t done)
{
    const struct gsim_task *spec = c->spec;
    bool is_late = spec->duration_us > 0 && c->arrival_ns >= from_us(spec->start_us + spec->duration_us);
    return done >= requests_of(spec) || is_late || (!gsim_task_is_finite(spec) && c->ledger->finite_left <= 0) ||
           c->ledger->is_stopped;
}

static void end_task(struct gsim_client_task *c)
{
    if (c->is_done) return;
    c->is_done = true;
    if (gsim_task_is_finite(c->spec)) c->ledger->finite_left--;
}

static void do_iteration_end(struct gsim_driver *driver, uint32_t iteration)
{
    struct gsim_client_task *c = client_of(driver);
    struct gsim_ledger_task *own = c->own;
    if (c->counts) c->ended_ns = now_ns(c);
    c->base.iteration_end(driver, iteration);
    if (!c->counts || gsim_driver_failed(driver)) return;
    uint32_t request = iteration - c->stage->warmup;
    if (c->stage->measures) gsim_client_note_kernels(c, request);
    own->ended++;
    if (own->request_count < GSIM_LEDGER_REQUESTS)
        own->requests[own->request_count++] = (struct gsim_ledger_request){c->arrival_ns, c->began_ns, c->ended_ns};
    if (request + 1 < requests_of(c->spec)) c->arrival_ns = arrival_of(c, request + 1);
    bool over = is_over(c, request + 1);
    if (over) {
        end_task(c);
        c->run.iterations = iteration + 1;
    }
    if (is_exclusive(c) && (over || !c->stage->settings.whole_tasks))
        gsim_ledger_leave(c->ledger, c->stage->set->tasks);
}

/* --- streams of a task among others --------------------------------------------------------------------------- */

static int stream_priority(const struct gsim_client_task *c, int own)
{
    const struct gsim_share_settings *settings = &c->stage->settings;
    bool is_own = !settings->uses_priority || settings->mechanism == GSIM_MECHANISM_MPS;
    return is_own ? own : own + gsim_task_stream_priority(c->stage->set, c->index);
}

static gsim_stream do_stream_create(struct gsim_driver *driver, int priority)
{
    struct gsim_client_task *c = client_of(driver);
    return c->base.stream_create(driver, stream_priority(c, priority));
}

static void do_device_synchronize(struct gsim_driver *driver)
{
    struct gsim_client_task *c = client_of(driver);
    for (uint32_t i = 0; i < c->cuda.stream_count; i++)
        if (c->cuda.streams[i].exists) c->base.stream_synchronize(driver, i);
}

/* --- launches ------------------------------------------------------------------------------------------------- */

static void fail(struct gsim_client_task *c, const char *message)
{
    if (!gsim_driver_failed(&c->cuda.driver)) gsim_error_set(&c->cuda.driver.error, GSIM_SIM, "%s", message);
}

/* Its place in the ledger. */
static struct gsim_client_stream *place_of(struct gsim_client_task *c, gsim_stream stream)
{
    for (uint32_t i = 0; i < c->place_count; i++)
        if (c->places[i].stream == stream) return &c->places[i];
    if (c->place_count == GSIM_LEDGER_STREAMS) {
        fail(c, "a task under a policy has at most 32 streams with kernels");
        return NULL;
    }
    struct gsim_client_stream *place = &c->places[c->place_count];
    *place =
        (struct gsim_client_stream){.stream = stream, .in_ledger = &c->own->streams[c->place_count], .is_marked = true};
    cudaStreamGetPriority(gsim_cuda_stream_at(&c->cuda, stream), &place->priority);
    c->own->stream_count = ++c->place_count;
    return place;
}

static void do_gated_launch(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    struct gsim_client_task *c = client_of(driver);
    if (!c->counts || gsim_driver_failed(driver)) {
        c->base.launch(driver, op, stream);
        return;
    }
    struct gsim_client_stream *place = place_of(c, stream);
    cudaStream_t on = gsim_cuda_stream_at(&c->cuda, stream);
    if (!place || gsim_driver_failed(driver)) return;
    struct gsim_ledger_slot slot = {op->index, op->kernel_index, (int16_t)place->priority, place->is_marked};
    place->is_marked = false;
    bool is_fine = gsim_gates_before(c->gates, place->in_ledger, on, &slot);
    c->base.launch(driver, op, stream);
    is_fine = is_fine && gsim_gates_behind(c->gates, place->in_ledger, on);
    if (!is_fine) fail(c, "cuStreamWaitValue32 or cuStreamWriteValue32 failed");
}

/* The stream's next launch waits for something else than the one before. */
static void mark(struct gsim_client_task *c, gsim_stream stream)
{
    for (uint32_t i = 0; i < c->place_count; i++)
        if (c->places[i].stream == stream) c->places[i].is_marked = true;
}

static void do_gated_copy(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    mark(client_of(driver), stream);
    client_of(driver)->base.memcpy_async(driver, op, stream);
}

static void do_gated_wait(struct gsim_driver *driver, gsim_stream stream, gsim_event event)
{
    mark(client_of(driver), stream);
    client_of(driver)->base.stream_wait_event(driver, stream, event);
}

static void do_gated_graph(struct gsim_driver *driver, gsim_graph_exec exec, gsim_stream stream)
{
    (void)exec;
    (void)stream;
    fail(client_of(driver), "a policy cannot hold the kernels of a graph on a real GPU: expected a scheduler that "
                            "launches them one by one");
}

static void set_ops(struct gsim_client_task *c, bool is_alone)
{
    struct gsim_driver_ops *ops = &c->cuda.ops;
    c->base = *ops;
    ops->iteration_begin = do_iteration_begin;
    ops->iteration_end = do_iteration_end;
    ops->stream_create = do_stream_create;
    if (!is_alone) ops->device_synchronize = do_device_synchronize;
    if (c->stage->measures) ops->launch = gsim_client_measured_launch;
    if (!c->gates) return;
    ops->launch = do_gated_launch;
    ops->memcpy_async = do_gated_copy;
    ops->stream_wait_event = do_gated_wait;
    ops->graph_launch = do_gated_graph;
}

/* In a process of several tasks the default stream would be a barrier for all of them: it is one of the task's own. */
static void own_default_stream(struct gsim_client_task *c, struct gsim_error *error)
{
    cudaError_t result =
        cudaStreamCreateWithPriority(&c->cuda.streams[0].stream, cudaStreamNonBlocking, stream_priority(c, 0));
    if (result != cudaSuccess)
        gsim_error_set(error, GSIM_SIM, "cudaStreamCreateWithPriority: %s", cudaGetErrorString(result));
}

/* --- life ---------------------------------------------------------------------------------------------------- */

static enum gsim_status open_kernels(struct gsim_client_task *c, struct gsim_error *error)
{
    const struct gsim_stage_task *t = &c->stage->tasks[c->index];
    enum gsim_status status = t->bench_ops
                                  ? t->bench_ops->create(t->program, t->options, c->stage->seed, &c->cuda.bench, error)
                                  : gsim_standin_open(t->program, t->standins, &c->cuda.bench, error);
    c->cuda.bench_ops = t->bench_ops ? t->bench_ops : &gsim_standin_bench;
    if (status == GSIM_OK)
        status =
            gsim_runner_memory_bind(&c->memory, t->program, c->stage->memory, c->cuda.bench_ops, c->cuda.bench, error);
    if (status == GSIM_OK) status = gsim_runner_memory_reset(&c->memory, error);
    return status;
}

static void open_run(struct gsim_client_task *c)
{
    const struct gsim_stage *s = c->stage;
    c->numbers = gsim_runner_numbers(&c->numbers_state, s->seed);
    c->arrivals = gsim_runner_numbers(&c->arrivals_state, s->seed + 1 + c->index);
    c->run = (struct gsim_run){.program = s->tasks[c->index].program,
                               .driver = &c->cuda.driver,
                               .params = c->spec->scheduler_params,
                               .memory = s->memory,
                               .prefetch = s->prefetch,
                               .compute_capability = s->device->compute_capability,
                               .iterations = s->warmup + requests_of(c->spec),
                               .rng = &c->numbers,
                               .arena = &c->arena,
                               .device = gsim_device_facts(s->device)};
    if (c->run.params || !c->spec->scheduler->params) return;
    void *defaults = gsim_arena_alloc(&c->arena, c->spec->scheduler->params_size);
    gsim_params_set_defaults(c->spec->scheduler->params, defaults);
    c->run.params = defaults;
}

static void *serve(void *argument)
{
    struct gsim_client_task *c = argument;
    const bool is_alone = c->is_alone;
    struct gsim_error *error = &c->own->error, inner = {0};
    struct gsim_timeline timeline = {0};
    gsim_timeline_init(&timeline, c->stage->tasks[c->index].program, false);
    c->cuda.program = c->stage->tasks[c->index].program;
    c->cuda.memory = &c->memory;
    c->cuda.timeline = &timeline;
    c->cuda.mode = c->stage->memory;
    c->cuda.checked_iteration = UINT32_MAX;
    enum gsim_status status = open_kernels(c, error);
    bool is_begun = status == GSIM_OK;
    if (is_begun) gsim_cuda_init(&c->cuda);
    if (status == GSIM_OK && !is_alone) own_default_stream(c, error);
    if (!error->status) {
        set_ops(c, is_alone);
        open_run(c);
    }
    if (status == GSIM_OK && c->spec->scheduler->prepare) status = c->spec->scheduler->prepare(&c->run, error);
    if (!error->status) {
        status = c->spec->scheduler->execute(&c->run, &inner);
        if (gsim_driver_failed(&c->cuda.driver)) *error = c->cuda.driver.error;
        else if (status != GSIM_OK) *error = inner;
    }
    if (error->status) c->ledger->is_stopped = true;
    end_task(c);
    c->own->state = GSIM_LEDGER_DONE; /* the process ends with what it has on the GPU */
    return NULL;
}

/* Makes the context. Under MPS the first client has the server started, and others may come before it is ready: a
 * second try. */
static enum gsim_status open_context(bool is_mps, uint32_t process_count, struct gsim_error *error)
{
    struct timespec pause = {0, 500000000};
    const char *connections = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    cudaError_t result = cudaFree(0);
    if (result == cudaSuccess) return GSIM_OK;
    if (!is_mps)
        return gsim_error_set(error, GSIM_SIM, "no GPU to run on: cudaFree(0): %s: %s", cudaGetErrorName(result),
                              cudaGetErrorString(result));
    cudaGetLastError();
    nanosleep(&pause, NULL);
    result = cudaFree(0);
    if (result == cudaSuccess) return GSIM_OK;
    return gsim_error_set(
        error, GSIM_SIM,
        "no GPU to run on: cudaFree(0), twice: %s: %s (one of %u MPS clients, CUDA_DEVICE_MAX_CONNECTIONS=%.8s)",
        cudaGetErrorName(result), cudaGetErrorString(result), process_count, connections ? connections : "");
}

/* The first CUDA calls of the process. */
static enum gsim_status open_process(const struct gsim_stage *stage, struct gsim_ledger *ledger,
                                     const uint32_t *process_of, uint32_t process, struct gsim_gates *gates,
                                     struct gsim_error *error)
{
    double percentage = stage->settings.percentage;
    int priority = GSIM_TASK_PRIORITIES, first = GSIM_TASK_PRIORITIES;
    bool is_mps = stage->settings.mechanism == GSIM_MECHANISM_MPS;
    uint32_t process_count = 0;
    for (uint32_t i = 0; i < stage->set->count; i++) {
        const struct gsim_task *t = &stage->set->tasks[i];
        if (t->priority < first) first = t->priority;
        if (process_of[i] >= process_count) process_count = process_of[i] + 1;
        if (process_of[i] != process) continue;
        if (t->percentage > 0) percentage = t->percentage;
        if (t->priority < priority) priority = t->priority;
    }
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);     /* a later load would wait for the device */
    /* Held launches are in nobody's way: a hardware queue for each stream, as far as there are any. */
    if (is_mps) gsim_mps_connect(process_count, ledger->streams != NULL);
    else if (ledger->streams) setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
    if (is_mps) gsim_mps_join(percentage, stage->settings.uses_priority && priority > first);
    else gsim_mps_avoid();
    enum gsim_status status = open_context(is_mps, process_count, error);
    if (status != GSIM_OK) return status;
    return ledger->streams ? gsim_gates_open(gates, ledger, error) : GSIM_OK;
}

void gsim_client_main(const struct gsim_stage *stage, struct gsim_ledger *ledger, const uint32_t *process_of,
                      uint32_t process)
{
    struct gsim_client_task *clients = gsim_alloc(sizeof *clients * stage->set->count);
    struct gsim_gates gates = {0};
    struct gsim_error error = {0};
    uint32_t own = 0;
    prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
    enum gsim_status status = open_process(stage, ledger, process_of, process, &gates, &error);
    for (uint32_t i = 0; i < stage->set->count; i++) own += process_of[i] == process;
    for (uint32_t i = 0; i < stage->set->count; i++) {
        if (process_of[i] != process) continue;
        if (status != GSIM_OK) {
            ledger->tasks[i].error = error;
            ledger->is_stopped = true;
            continue;
        }
        struct gsim_client_task *c = &clients[i];
        *c = (struct gsim_client_task){.stage = stage,
                                       .ledger = ledger,
                                       .index = i,
                                       .own = &ledger->tasks[i],
                                       .spec = &stage->set->tasks[i],
                                       .gates = ledger->streams ? &gates : NULL,
                                       .is_alone = own == 1};
        c->is_started = pthread_create(&c->thread, NULL, serve, c) == 0;
        if (c->is_started) continue;
        gsim_error_set(&c->own->error, GSIM_SIM, "cannot start a host thread");
        ledger->is_stopped = true; /* which the others wait for */
    }
    for (uint32_t i = 0; i < stage->set->count; i++)
        if (clients[i].is_started) pthread_join(clients[i].thread, NULL);
}
