// SPDX-License-Identifier: GPL-3.0-or-later
// What tasks of a resident kernel cost, step by step, by the same code that the runner's workers execute
// (resident/worker.h); flags between host and GPU; kernels launched programmatically. Each step is repeated by one
// thread, so that its time is what the next one waits.
#include "traces/runner/resident/worker.h"

#include "traces/runner/probe/probe.h"

#pragma nv_diag_suppress 177 // of the workers' functions some are for others

namespace gsim_probe {

static const unsigned STEPS = 400, LINKS = 200, LINES = 132;

enum Step { FENCE, TAKE, FETCH, LIST, CHECK, UPDATE, PUSH, HOST_FETCH, HOST_POLL, POST, STEP_COUNT };

static const struct {
    const char *series, *number, *what;
} steps[STEP_COUNT] = {
    {"task_fence", "handoff_fence_us", "a task's notes, a fence, the flag that says its end"},
    {"task_take", "task_take_us", "a ticket by an atomic with its result, and the queue's entry, which is there"},
    {"task_fetch", "task_fetch_us", "a task's descriptor of 32 bytes from L2"},
    {"task_list", NULL, "the entry of a list and the descriptor that it names, one behind the other"},
    {"task_check", "task_check_us", "a look at the flag of one of the ops that a task follows, which is set"},
    {"task_update", "task_update_us", "one counter of what follows, by an atomic with its result"},
    {"task_push", "task_push_us", "a task put into the queue: a place by an atomic, a fence, a store"},
    {"host_fetch", "host_fetch_us", "a task's descriptor of 32 bytes from the host's memory"},
    {"host_poll", NULL, "a look at a flag in the host's memory"},
    {"host_post", "host_post_us", "a task's notes, a fence to the host, a store to its memory"},
};

// Everything that a step may need, in one allocation each; STEPS of everything.
struct Ground {
    struct gsim_tasks_view view;
    void *device;
    struct gsim_tasks_slot *slots;
    struct gsim_tasks_report *reports;
    unsigned long long *out; // of the host, seen by both
};

static __device__ void note(const struct gsim_tasks_view &v, uint32_t i)
{
    v.stamps[i].start_ns = i;
    v.stamps[i].end_ns = i + 1;
    v.stamps[i].launch = i;
}

// An address that depends on what was loaded before, and is the one given.
template <typename T> static __device__ const T *behind(const T *at, uint64_t loaded)
{
    return at + (loaded == 0x123456789abcdefull);
}

static __global__ void do_steps(const __grid_constant__ struct gsim_tasks_view v, int step, unsigned clock_mhz,
                                unsigned long long *out)
{
    long long spent = 0;
    struct worker w = {&v, 0, ~0ull, false};
    struct gsim_tasks_task task = {};
    uint64_t last = 0;
    task.pred_count = task.follower_count = STEPS;
    task.task_count = 1;
    const unsigned long long start = device_ns();
    if (step == CHECK) await_preds(&w, &task);
    if (step == UPDATE) update_followers(&w, &task);
    for (uint32_t i = 0; i < STEPS && step != CHECK && step != UPDATE; i++) {
        switch (step) {
        case FENCE:
            note(v, i);
            task.op = i;
            announce(&w, &task);
            break;
        case TAKE:
            last = worker_acquire_wide(&v.queue[worker_add((uint32_t *)behind(v.words, last), 1) % STEPS]);
            break;
        case FETCH:
            worker_copy(&task, behind(&v.tasks[i], last));
            last = task.cycles;
            break;
        case LIST:
            fetch(&w, (uint32_t)(behind(v.sequence + i, last) - v.sequence), &task);
            last = task.cycles;
            break;
        case PUSH: // what the store takes to arrive is the handoff's, and not waited for here
            worker_fence();
            spent -= clock64();
            push(&w, &v.ops[i]);
            spent += clock64();
            break;
        case HOST_FETCH:
            worker_copy_host(&task, behind(&v.slots[i].task, last));
            last = task.cycles;
            break;
        case HOST_POLL: last = worker_acquire_host(behind(&v.slots[i].flag, last)); break;
        case POST:
            note(v, i);
            worker_fence_host();
            worker_store_host(&v.reports[i % LINES].ended, i);
            break;
        }
    }
    *out = (step == PUSH ? spent * 1000 / clock_mhz : device_ns() - start) + (last == 0x123456789abcdefull);
}

static __global__ void barriers(const __grid_constant__ struct gsim_tasks_view v, unsigned long long *out)
{
    struct worker w = {&v, blockIdx.x, ~0ull, false};
    const unsigned long long start = device_ns();
    work_by_level(&w);
    if (blockIdx.x == 0) *out = device_ns() - start;
}

// The first thread of each warp of all blocks adds to one word as fast as it can; the results are used.
static __global__ void one_word(uint32_t *word, unsigned long long *out)
{
    if (threadIdx.x % 32) return;
    const unsigned long long start = device_ns();
    for (unsigned i = 0; i < STEPS; i++)
        if (worker_add(word, 1) == 0xffffffffu) *out = 0;
    if (blockIdx.x + threadIdx.x == 0) *out = device_ns() - start;
}

// The first block and another hand a flag to and fro.
static __global__ void to_and_fro(uint32_t *flags, uint32_t partner, bool fenced, unsigned long long *out)
{
    if (blockIdx.x != 0 && blockIdx.x != partner) return;
    const unsigned mine = blockIdx.x ? GSIM_TASKS_APART : 0, other = blockIdx.x ? 0 : GSIM_TASKS_APART;
    const unsigned long long start = device_ns();
    for (uint32_t i = 1; i <= STEPS; i++) {
        while (blockIdx.x && worker_acquire(&flags[other]) < i) continue;
        flags[mine + 2 * GSIM_TASKS_APART] = i;
        if (fenced) worker_fence();
        worker_store(&flags[mine], i);
        while (!blockIdx.x && worker_acquire(&flags[other]) < i) continue;
    }
    if (!blockIdx.x) *out = device_ns() - start;
}

static __global__ void answer_flags(const struct gsim_tasks_slot *slot, struct gsim_tasks_report *report,
                                    unsigned count, long long most_cycles)
{
    const long long from = clock64();
    for (uint32_t i = 1; i <= count; i++) {
        while (worker_acquire_host(&slot->flag) < i && clock64() - from < most_cycles) continue;
        worker_store_host(&report->ended, i);
    }
}

static __global__ void link_plain(uint32_t *word) { word[0]++; }
static __global__ void link_programmatic(uint32_t *word)
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
    word[0]++;
}

// --- the ground ------------------------------------------------------------------------------------------------------
template <typename T> static T *take(char *&at, size_t count)
{
    T *taken = (T *)at;
    at += (count * sizeof(T) + 127) / 128 * 128;
    return taken;
}

static void lay_out(const Probe &probe, Ground &ground)
{
    struct gsim_tasks_view &v = ground.view;
    const size_t bytes = (size_t)1 << 20;
    v = {};
    PROBE_CHECK(cudaMalloc(&ground.device, bytes));
    PROBE_CHECK(cudaMemset(ground.device, 0, bytes));
    char *at = (char *)ground.device;
    v.tasks = take<struct gsim_tasks_task>(at, STEPS + 1);
    v.ops = take<struct gsim_tasks_op>(at, STEPS + 1);
    v.sequence = take<uint32_t>(at, STEPS + 1);
    v.preds = take<struct gsim_tasks_pred>(at, STEPS + 1);
    v.followers = v.roots = take<uint32_t>(at, STEPS + 1);
    v.level_start = take<uint32_t>(at, STEPS + 2);
    v.done = take<uint32_t>(at, GSIM_TASKS_OP_WORDS * (STEPS + 1));
    v.arrived = take<uint32_t>(at, GSIM_TASKS_OP_WORDS * (STEPS + 1));
    v.queue = take<uint64_t>(at, 2 * STEPS + 1);
    v.words = take<uint32_t>(at, GSIM_TASKS_APART * GSIM_TASKS_WORDS);
    v.stamps = take<struct gsim_tasks_stamp>(at, STEPS + 1);
    PROBE_CHECK(cudaHostAlloc((void **)&ground.slots, sizeof(*ground.slots) * (STEPS + 1), cudaHostAllocMapped));
    PROBE_CHECK(cudaHostAlloc((void **)&ground.reports, sizeof(*ground.reports) * LINES, cudaHostAllocMapped));
    PROBE_CHECK(cudaHostAlloc((void **)&ground.out, sizeof(*ground.out), cudaHostAllocMapped));
    PROBE_CHECK(cudaHostGetDevicePointer((void **)&v.slots, ground.slots, 0));
    PROBE_CHECK(cudaHostGetDevicePointer((void **)&v.reports, ground.reports, 0));
    memset(ground.slots, 0, sizeof(*ground.slots) * (STEPS + 1));
    memset(ground.reports, 0, sizeof(*ground.reports) * LINES);
    v.op_count = STEPS;
    v.task_count = STEPS;
    v.level_count = STEPS;
    v.worker_count = (uint32_t)probe.device.multiProcessorCount;
    v.launch = 1;
}

// Ops of one task each, numbered as they stand, which follow so many that none becomes ready.
static void fill(const Ground &ground)
{
    std::vector<uint32_t> numbers(STEPS);
    std::vector<struct gsim_tasks_op> ops(STEPS);
    std::vector<struct gsim_tasks_pred> preds(STEPS);
    for (uint32_t i = 0; i < STEPS; i++) {
        numbers[i] = i;
        ops[i] = {i, 1, 0x7fffffffu, 0};
        preds[i] = {i, 1};
    }
    PROBE_CHECK(
        cudaMemcpy((void *)ground.view.sequence, numbers.data(), sizeof(uint32_t) * STEPS, cudaMemcpyHostToDevice));
    PROBE_CHECK(
        cudaMemcpy((void *)ground.view.followers, numbers.data(), sizeof(uint32_t) * STEPS, cudaMemcpyHostToDevice));
    PROBE_CHECK(cudaMemcpy((void *)ground.view.preds, preds.data(), sizeof(struct gsim_tasks_pred) * STEPS,
                           cudaMemcpyHostToDevice));
    PROBE_CHECK(
        cudaMemcpy((void *)ground.view.ops, ops.data(), sizeof(struct gsim_tasks_op) * STEPS, cudaMemcpyHostToDevice));
}

// Counters as before the first launch; flags of all ops set where SET.
static void reset(const Ground &ground, bool set)
{
    const struct gsim_tasks_view &v = ground.view;
    std::vector<uint32_t> flags(GSIM_TASKS_OP_WORDS * STEPS, set ? 1 : 0);
    PROBE_CHECK(cudaMemcpy(v.done, flags.data(), sizeof(uint32_t) * flags.size(), cudaMemcpyHostToDevice));
    PROBE_CHECK(cudaMemset(v.arrived, 0, sizeof(uint32_t) * flags.size()));
    PROBE_CHECK(cudaMemset(v.words, 0, sizeof(uint32_t) * GSIM_TASKS_APART * GSIM_TASKS_WORDS));
    *ground.out = 0;
}

// Medians of a time that LAUNCH leaves in OUT, divided by COUNT.
template <typename Launch> static Point timed(const Probe &probe, const Ground &ground, double count, Launch launch)
{
    std::vector<double> all;
    for (int r = 0; r < probe.repetitions(30) + 1; r++) {
        reset(ground, true);
        launch();
        PROBE_CHECK(cudaGetLastError());
        PROBE_CHECK(cudaDeviceSynchronize());
        if (r) all.push_back((double)*(volatile unsigned long long *)ground.out * 1e-3 / count);
    }
    return summarize(0, all);
}

// --- the parts
// --------------------------------------------------------------------------------------------------------
static unsigned long long *device_out(const Ground &ground)
{
    unsigned long long *out;
    PROBE_CHECK(cudaHostGetDevicePointer((void **)&out, ground.out, 0));
    return out;
}

static void between_sms(Probe &probe, const Ground &ground)
{
    const uint32_t sms = ground.view.worker_count;
    unsigned long long *out = device_out(ground);
    for (int fenced = 0; fenced < 2; fenced++) {
        std::vector<double> all;
        for (uint32_t k = 1; k <= 6; k++)
            all.push_back(timed(probe, ground, 2.0 * STEPS, [&] {
                PROBE_CHECK(cudaMemset(ground.view.words, 0, sizeof(uint32_t) * GSIM_TASKS_APART * GSIM_TASKS_WORDS));
                to_and_fro<<<sms, 1>>>(ground.view.words, k * (sms - 1) / 6, fenced, out);
            }).median);
        probe
            .add(fenced ? "handoff" : "handoff_unfenced", "", "us",
                 fenced ? "data, a fence and a flag from one SM to another, one way, over six pairs"
                        : "the same without the fence")
            .points.push_back(summarize(0, all));
    }
    probe.add("word_atomic", "", "us", "one atomic where all SMs add to one word")
        .points.push_back(
            timed(probe, ground, (double)STEPS * sms * 32, [&] { one_word<<<sms, 1024>>>(ground.view.words, out); }));
    probe.add("grid_barrier", "", "us", "barrier of one worker on each SM, at a counter")
        .points.push_back(timed(probe, ground, STEPS, [&] {
            struct gsim_tasks_view v = ground.view;
            void *arguments[] = {&v, &out};
            PROBE_CHECK(cudaLaunchCooperativeKernel((const void *)barriers, dim3(sms), dim3(1), arguments, 0, 0));
        }));
}

static void launches(Probe &probe, const Ground &ground)
{
    std::vector<double> plain, together;
    struct gsim_tasks_view v = ground.view;
    unsigned long long *out = device_out(ground);
    void *arguments[] = {&v, &out};
    v.level_count = 0;
    for (int r = 0; r < probe.repetitions(100); r++) {
        double from = now_us();
        empty_kernel<<<1, 32>>>();
        PROBE_CHECK(cudaDeviceSynchronize());
        double between = now_us();
        PROBE_CHECK(
            cudaLaunchCooperativeKernel((const void *)barriers, dim3(v.worker_count), dim3(1), arguments, 0, 0));
        PROBE_CHECK(cudaDeviceSynchronize());
        if (r > 2) plain.push_back(between - from);
        if (r > 2) together.push_back(now_us() - between);
    }
    probe.add("empty_launch", "", "us", "launch of an empty kernel of one block, and synchronise")
        .points.push_back(summarize(0, plain));
    probe.add("resident_launch", "", "us", "the same of a resident kernel without tasks, one worker on each SM")
        .points.push_back(summarize(0, together));
}

static void with_host(Probe &probe, const Ground &ground)
{
    std::vector<double> trips, sweeps;
    const unsigned count = (unsigned)probe.repetitions(2000);
    memset(ground.slots, 0, sizeof(*ground.slots));
    memset(ground.reports, 0, sizeof(*ground.reports));
    answer_flags<<<1, 1>>>(ground.view.slots, ground.view.reports, count, cycles_of(probe, 2e6));
    PROBE_CHECK(cudaGetLastError());
    for (unsigned i = 1; i <= count; i++) {
        double from = now_us();
        *(volatile uint64_t *)&ground.slots[0].flag = i;
        while (*(volatile uint32_t *)&ground.reports[0].ended < i && now_us() - from < 1e6) continue;
        if (i > 10) trips.push_back(now_us() - from);
    }
    PROBE_CHECK(cudaDeviceSynchronize());
    probe.add("host_flag", "", "us", "a flag from the host to a worker, and its answer to the host")
        .points.push_back(summarize(0, trips));
    uint32_t sum = 0;
    for (int r = 0; r < probe.repetitions(200); r++) {
        double from = now_us();
        for (unsigned k = 0; k < 20 * LINES; k++) sum += *(volatile uint32_t *)&ground.reports[k % LINES].ended;
        sweeps.push_back((now_us() - from) / (20 * LINES));
    }
    if (sum == 1) sweeps.push_back(0);
    probe.add("board_poll", "", "us", "the host's look at a report that has not changed")
        .points.push_back(summarize(0, sweeps));
}

static void enqueue_links(bool programmatic, unsigned links, uint32_t *word, cudaStream_t stream)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = programmatic ? 1 : 0;
    for (unsigned i = 0; i < links; i++)
        PROBE_CHECK(cudaLaunchKernelEx(&config, programmatic ? link_programmatic : link_plain, word));
}

// A chain that waits behind a gate, so that the host is out of the way, in microseconds.
static double chain_us(Gate &gate, bool programmatic, unsigned links, uint32_t *word, cudaStream_t stream,
                       const cudaEvent_t *events)
{
    float ms = 0;
    gate.close(stream);
    PROBE_CHECK(cudaEventRecord(events[0], stream));
    enqueue_links(programmatic, links, word, stream);
    PROBE_CHECK(cudaEventRecord(events[1], stream));
    gate.open();
    PROBE_CHECK(cudaStreamSynchronize(stream));
    PROBE_CHECK(cudaEventElapsedTime(&ms, events[0], events[1]));
    return ms * 1e3;
}

// From link to link: what a chain of twice the length takes longer.
static Point chain(const Probe &probe, bool programmatic, uint32_t *word)
{
    cudaStream_t stream;
    cudaEvent_t events[2];
    std::vector<double> all;
    Gate gate(probe);
    PROBE_CHECK(cudaStreamCreate(&stream));
    for (cudaEvent_t &e : events) PROBE_CHECK(cudaEventCreate(&e));
    for (int r = 0; r < probe.repetitions(30); r++) {
        const double once = chain_us(gate, programmatic, LINKS, word, stream, events),
                     twice = chain_us(gate, programmatic, 2 * LINKS, word, stream, events);
        if (r > 2) all.push_back((twice - once) / LINKS);
    }
    for (cudaEvent_t &e : events) cudaEventDestroy(e);
    cudaStreamDestroy(stream);
    return summarize(0, all);
}

// --- what a device file says
// --------------------------------------------------------------------------------------------
static double median_of(const Probe &probe, const char *name)
{
    for (const Series &s : probe.series)
        if (s.name == name && !s.points.empty()) return s.points[0].median;
    return NAN;
}

static void print_number(const Probe &probe, const char *number, const char *unit, double value, const char *what)
{
    if (std::isfinite(value))
        printf("  \"%s\": {\"value\": %.4g, \"unit\": \"%s\", \"kind\": \"measured\", \"source\": \"gpusim-runner "
               "probe on %s: %s\"},\n",
               number, value, unit, probe.device.name, what);
}

void print_resident(const Probe &probe)
{
    const double plain = median_of(probe, "plain_chain"), gap = median_of(probe, "stream_gap");
    printf("What tasks of resident kernels cost, as a device file has it:\n");
    print_number(probe, "handoff_us", "us", median_of(probe, "handoff"),
                 "data, a fence and a flag from one SM to another");
    for (int i = 0; i < STEP_COUNT; i++)
        if (steps[i].number)
            print_number(probe, steps[i].number, "us", median_of(probe, steps[i].series), steps[i].what);
    print_number(probe, "word_atomic_ns", "ns", 1e3 * median_of(probe, "word_atomic"), "all SMs add to one word");
    print_number(probe, "grid_barrier_us", "us", median_of(probe, "grid_barrier"),
                 "one worker on each SM, at a counter");
    print_number(probe, "board_poll_us", "us", median_of(probe, "board_poll"),
                 "the host's look at a report that has not changed");
    print_number(probe, "programmatic_gap_us", "us", median_of(probe, "programmatic_chain") - (plain - gap),
                 "a chain of empty kernels, less what a plain chain is above stream_gap_us");
    if (!std::isfinite(gap))
        printf("programmatic_gap_us: a chain of empty kernels less what a plain chain is above stream_gap_us, which "
               "--resident leaves out\n");
    printf("host_flag_up_us and host_flag_down_us together: %.3g us (how they split is not seen)\n"
           "not probed: board_retire_us, board_update_us, board_place_us, board_commit_us, scheduler_push_us\n",
           median_of(probe, "host_flag"));
}

void probe_resident(Probe &probe)
{
    Ground ground = {};
    lay_out(probe, ground);
    fill(ground);
    unsigned long long *out = device_out(ground);
    for (int step = 0; step < STEP_COUNT; step++)
        probe.add(steps[step].series, "", "us", steps[step].what).points.push_back(timed(probe, ground, STEPS, [&] {
            do_steps<<<1, 1>>>(ground.view, step, (unsigned)(probe.clock_khz / 1000), out);
        }));
    between_sms(probe, ground);
    launches(probe, ground);
    with_host(probe, ground);
    probe.add("plain_chain", "", "us", "from kernel to kernel of a chain of empty ones in a stream")
        .points.push_back(chain(probe, false, ground.view.words));
    if (probe.device.major >= 9)
        probe.add("programmatic_chain", "", "us", "the same, launched programmatically")
            .points.push_back(chain(probe, true, ground.view.words));
    cudaFree(ground.device);
    cudaFreeHost(ground.slots);
    cudaFreeHost(ground.reports);
    cudaFreeHost(ground.out);
}

} // namespace gsim_probe
