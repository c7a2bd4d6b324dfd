/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that are drawn while they run. Hand-computed on the device of machine_fixture.h: launch call 2 us, then 1 to
 * the start; copy call 1 us; a synchronise returns 2 us after what it waited for; a copy of 10 kB takes 1 us. A source
 * whose next kernels depend on what the host reads and on the clock; a program that is known, told as a source, runs as
 * it does; memory does not grow with the ops.
 */
#include <sys/resource.h>

#include "gpusim/scheduler.h"
#include "gpusim/workload.h"
#include "tests/sim/known_program.h"
#include "tests/sim/machine_fixture.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1 /* memory that was given back is kept for a while */
#else
#define IS_SANITIZED 0
#endif

/* --- a probe, a value, then kernels until a time has come ------------------------------------------------------ */

struct ask_params {
    bool is_big;       /* the value that the probe finds */
    double until_us;
    bool names_stale;  /* names a buffer that it has given back */
};

static struct {
    double asked_us[16], probe_ended_us; /* when next() was called */
    uint32_t asked, done, closed;
} seen;

struct ask_state {
    const struct ask_params *params;
    uint32_t value, drawn;
    struct gsim_arg arg;
};

static enum gsim_status ask_open(void *state, const void *params, const struct gsim_random *numbers,
                                 struct gsim_draw *draw, struct gsim_error *error)
{
    struct ask_state *s = state;
    (void)error;
    CHECK(numbers->uniform != NULL);
    CHECK_NEAR(gsim_draw_now_us(draw), 0, 0);
    s->params = params;
    s->value = gsim_draw_buffer(draw, "value", 10000, GSIM_INIT_DEVICE);
    return GSIM_OK;
}

static enum gsim_source_answer ask_next(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    struct ask_state *s = state;
    double now_us = gsim_draw_now_us(draw);
    if (seen.asked < 16) seen.asked_us[seen.asked++] = now_us;
    if (s->drawn >= 2 && now_us >= s->params->until_us) return GSIM_SOURCE_END;
    const char *name = s->drawn == 0 ? "probe" : s->params->is_big ? "big" : "small";
    struct gsim_kernel kernel = fixture_kernel(name, 4, 256, s->drawn == 0 ? 10 : s->params->is_big ? 5 : 2);
    s->arg = (struct gsim_arg){.buffer_index = s->value, .reads = s->drawn == 1, .writes = s->drawn == 0};
    *op = (struct gsim_op){.kind = s->drawn == 1 ? GSIM_OP_HOST_READ : GSIM_OP_KERNEL,
                           .arg_count = s->drawn < 2,
                           .args = &s->arg,
                           .stream = -1};
    if (s->drawn == 1) op->bytes = 10000;
    else op->kernel_index = gsim_draw_kernel(draw, &kernel);
    if (s->drawn == 2) CHECK(seen.done == 1 && seen.probe_ended_us > 0); /* certain behind the read */
    s->drawn++;
    if (s->params->names_stale && s->drawn == 1) gsim_draw_free(draw, s->value);
    return GSIM_SOURCE_OP;
}

static void ask_done(void *state, const struct gsim_op *op, double now_us)
{
    (void)state;
    if (op->index == 0) seen.probe_ended_us = now_us;
    seen.done++;
}

static void ask_close(void *state)
{
    CHECK(((struct ask_state *)state)->params != NULL);
    seen.closed++;
}

#define SOURCE(type, ...) \
    {GSIM_HEAD(source), .state_size = sizeof(type), __VA_ARGS__}
static const struct gsim_source_ops ask =
    SOURCE(struct ask_state, .name = "ask", .open = ask_open, .next = ask_next, .done = ask_done, .close = ask_close);

static enum gsim_status draw(struct fixture *f, const struct gsim_source_ops *source, const void *params,
                             const char *scheduler, bool folds)
{
    memset(&seen, 0, sizeof seen);
    struct gsim_simulation simulation = {.source = source,
                                         .source_params = params,
                                         .drawn = &f->program,
                                         .program = &f->program,
                                         .folds = folds,
                                         .device = &f->device,
                                         .scheduler = strcmp(scheduler, "plan") ? gsim_scheduler_find(scheduler)
                                                                                : &gsim_scheduler_plan,
                                         .gpu = f->gpu,
                                         .memory = f->memory,
                                         .seed = 1,
                                         .detailed = true};
    simulation.gpu.check = true;
    return gsim_simulate(&simulation, &f->timeline, &f->error);
}

/* Probe: launch 0-2, 3-13, the host knows at 15. Copy back: call 15-16, 16-17, the host knows at 19. Small ones: launch
 * 19-21, 22-24, known at 26; 26-28, 29-31, known at 33, which is late. A big one: 19-21, 22-27, known at 29. */
static void by_value_and_time(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct ask_params small = {.until_us = 28}, big = {.is_big = true, .until_us = 28};
    CHECK_OK(draw(&f, &ask, &small, "serial", false), f.error);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_KERNEL(&f, 2, 22, 24);
    CHECK_KERNEL(&f, 3, 29, 31);
    CHECK_INT(f.timeline.kernel_count, 3);
    CHECK_NEAR(seen.probe_ended_us, 13, 1e-5);
    CHECK_INT(seen.asked, 5);
    for (uint32_t i = 0; i < 5; i++) CHECK_NEAR(seen.asked_us[i], ((const double[]){0, 15, 19, 26, 33})[i], 1e-5);
    CHECK_NEAR(gsim_time_us(f.timeline.iterations[0].end), 33, 1e-5);
    CHECK_INT(seen.done, 3);
    CHECK_INT(seen.closed, 1);
    CHECK_INT(f.program.op_count, 4);
    CHECK_STR(f.program.kernels[f.program.ops[3].kernel_index].name, "small");
    CHECK(f.timeline.program == &f.program);
    fixture_release(&f);
    f = (struct fixture){.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    CHECK_OK(draw(&f, &ask, &big, "serial", false), f.error);
    CHECK_KERNEL(&f, 2, 22, 27);
    CHECK_INT(f.timeline.kernel_count, 2);
    CHECK_NEAR(gsim_time_us(f.timeline.iterations[0].end), 29, 1e-5);
    fixture_release(&f);
}

/* Nobody waits for kernels: launch 0-2, 3-13; copy back: call 2-3, behind the kernel and the stream's gap 14-15, known
 * at 17. Small ones are launched every 2 us until 23: 17-19, 20-22; 19-21, behind the gap 23-25; 21-23, 26-28. */
static void drawn_ahead(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct ask_params params = {.until_us = 23};
    CHECK_OK(draw(&f, &ask, &params, "async", false), f.error);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_KERNEL(&f, 2, 20, 22);
    CHECK_KERNEL(&f, 3, 23, 25);
    CHECK_KERNEL(&f, 4, 26, 28);
    CHECK_INT(f.timeline.kernel_count, 4);
    for (uint32_t i = 0; i < 6; i++) CHECK_NEAR(seen.asked_us[i], ((const double[]){0, 2, 17, 19, 21, 23})[i], 1e-5);
    CHECK_NEAR(gsim_time_us(f.timeline.iterations[0].end), 30, 1e-5);
    fixture_release(&f);
}

/* --- what is refused ------------------------------------------------------------------------------------------ */

static void refused(void)
{
    struct ask_params params = {.until_us = 28, .names_stale = true};
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    CHECK_INT(draw(&f, &ask, &params, "serial", false), GSIM_INPUT);
    CHECK_HAS(f.error.message, "ops[0]: buffer 'value' has been given back");
    CHECK_INT(seen.closed, 1);
    fixture_release(&f);
    f = (struct fixture){.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    CHECK_INT(draw(&f, &ask, &params, "plan", false), GSIM_INPUT);
    CHECK_STR(f.error.message, "plan needs the whole program beforehand, and 'ask' is drawn while it runs");
    CHECK_INT(seen.closed, 0);
    fixture_release(&f);
    f = (struct fixture){.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_source_ops old = ask;
    old.abi--;
    CHECK_INT(draw(&f, &old, &params, "serial", false), GSIM_INPUT);
    CHECK_HAS(f.error.message, "source.abi");
    fixture_release(&f);
}

/* --- a program that is known, as a source --------------------------------------------------------------------- */

static bool run_known(const struct gsim_program *program, const struct gsim_device_spec *device, const char *scheduler,
                      enum gsim_memory_mode memory, bool as_source, struct gsim_program *drawn,
                      struct gsim_timeline *timeline)
{
    struct gsim_error error = {0};
    struct gsim_source_of_program_params params = {program};
    struct gsim_simulation simulation = {.program = program,
                                         .device = device,
                                         .scheduler = gsim_scheduler_find(scheduler),
                                         .memory = memory,
                                         .iterations = 1,
                                         .seed = 3,
                                         .detailed = true};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    if (as_source) {
        simulation.source = &gsim_source_of_program;
        simulation.source_params = &params;
        simulation.program = simulation.drawn = drawn;
    }
    enum gsim_status status = gsim_simulate(&simulation, timeline, &error);
    CHECK_MSG(status == GSIM_OK, "%s with %s: %s", program->name, scheduler, error.message);
    return status == GSIM_OK;
}

static void compare(const struct gsim_program *program, const struct gsim_device_spec *device, const char *scheduler,
                    enum gsim_memory_mode memory)
{
    struct gsim_program drawn = {0};
    struct gsim_timeline a, b;
    bool ran = run_known(program, device, scheduler, memory, false, NULL, &a);
    ran = run_known(program, device, scheduler, memory, true, &drawn, &b) && ran;
    CHECK_MSG(!ran || (a.kernel_count == b.kernel_count && a.copy_count == b.copy_count),
              "%s with %s, memory %d: %zu kernels and %zu copies, expected %zu and %zu", program->name, scheduler,
              (int)memory, b.kernel_count, b.copy_count, a.kernel_count, a.copy_count);
    for (size_t i = 0; ran && i < a.kernel_count && i < b.kernel_count; i++) {
        const struct gsim_kernel_record *x = &a.kernels[i], *y = &b.kernels[i];
        if (x->op == y->op && x->start == y->start && x->end == y->end && x->launch == y->launch) continue;
        CHECK_MSG(false, "%s with %s, memory %d: op %u from %.3f to %.3f us, expected op %u from %.3f to %.3f",
                  program->name, scheduler, (int)memory, y->op, gsim_time_us(y->start), gsim_time_us(y->end), x->op,
                  gsim_time_us(x->start), gsim_time_us(x->end));
        break;
    }
    CHECK(!ran || a.iterations[0].end == b.iterations[0].end);
    CHECK(!ran || (drawn.op_count == program->op_count && drawn.buffer_count == program->buffer_count));
    gsim_program_release(&drawn);
    gsim_timeline_release(&a);
    gsim_timeline_release(&b);
}

static void known_programs(void)
{
    static const char *const schedulers[] = {"serial", "grsched", "acs-sw", "acs-hw", "cudagraph", "taskflow"};
    struct gsim_device_spec device = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("p100", &device, &error), error);
    for (uint32_t w = 0; gsim_workload_at(w); w++) {
        struct gsim_program program = {0};
        struct gsim_workload_options options = {.size = 1000, .iterations = 1};
        CHECK_OK(gsim_workload_at(w)->build(&options, &program, &error), error);
        for (uint32_t i = 0; i < program.op_count; i++)
            program.ops[i].untimed = false; /* what is reset between iterations is not told */
        for (size_t s = 0; s < sizeof schedulers / sizeof schedulers[0]; s++)
            for (int memory = GSIM_MEMORY_MANAGED; memory <= GSIM_MEMORY_PAGEABLE; memory++)
                compare(&program, &device, schedulers[s], (enum gsim_memory_mode)memory);
        gsim_program_release(&program);
    }
    gsim_device_release(&device);
}

/* Three chains of kernels, which read what all read; the host looks at one of them at a time, so that they are never
 * all at rest. */
static void never_at_rest(void)
{
    struct gsim_builder *b = gsim_builder_create("chains");
    struct gsim_program program = {0};
    struct gsim_error error = {0};
    struct gsim_device_spec device = {0};
    uint32_t buffers[4];
    for (uint32_t i = 0; i < 4; i++)
        buffers[i] = gsim_builder_buffer(b, (const char *[]){"a", "b", "c", "all"}[i], 100000, GSIM_INIT_DEVICE);
    struct gsim_kernel kernel = fixture_kernel("k", 16, 128, 20);
    uint32_t k = gsim_builder_kernel(b, &kernel);
    for (uint32_t i = 0; i < 14000; i++) {
        const bool looks = i % 50 == 49;
        const struct gsim_arg args[] = {
            {buffers[looks ? i / 50 % 3 : i % 3], .reads = true, .writes = !looks, .declared_const = looks},
            {buffers[3], .reads = true, .declared_const = true}};
        const uint32_t after = i - 7;
        struct gsim_op op = {.kind = GSIM_OP_KERNEL, .kernel_index = k, .args = args, .arg_count = 2, .stream = -1};
        if (i % 11 == 10) op.after = &after, op.after_count = 1;
        if (looks)
            op = (struct gsim_op){.kind = GSIM_OP_HOST_READ, .args = args, .arg_count = 1, .bytes = 4, .stream = -1};
        gsim_builder_op(b, &op);
    }
    CHECK_OK(gsim_builder_finish(b, 1, &program, &error), error);
    CHECK_OK(gsim_device_load("p100", &device, &error), error);
    for (int memory = GSIM_MEMORY_MANAGED; memory <= GSIM_MEMORY_PINNED; memory++)
        compare(&program, &device, "grsched", (enum gsim_memory_mode)memory);
    gsim_program_release(&program);
    gsim_device_release(&device);
}

/* --- places that are used again, names, ops that are left out ------------------------------------------------- */

struct play {
    const void *params;
    uint32_t step, buffers[4], after;
    struct gsim_arg arg;
};

static enum gsim_status play_open(void *state, const void *params, const struct gsim_random *numbers,
                                  struct gsim_draw *draw, struct gsim_error *error)
{
    struct play *s = state;
    (void)numbers, (void)error;
    s->params = params;
    for (uint32_t i = 0; i < 4; i++)
        s->buffers[i] =
            gsim_draw_buffer(draw, (const char *[]){"first", "second", "third", "fourth"}[i], 10000, GSIM_INIT_DEVICE);
    return GSIM_OK;
}

static void play_kernel(struct play *s, struct gsim_draw *draw, struct gsim_op *op, uint32_t buffer, int stream,
                        const struct gsim_kernel *kernel)
{
    s->arg = (struct gsim_arg){.buffer_index = s->buffers[buffer], .reads = true, .writes = true};
    *op = (struct gsim_op){.kind = GSIM_OP_KERNEL,
                           .kernel_index = gsim_draw_kernel(draw, kernel),
                           .arg_count = 1,
                           .args = &s->arg,
                           .stream = stream};
}

/* Beside a kernel that goes on to the end one ends, which the host sees; a great many others, which nobody uses, take
 * all places; then another one has the place of the first. */
static enum gsim_source_answer evicting(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    struct play *s = state;
    static const struct gsim_kernel slow = {.name = "slow", .grid = {1, 1, 1}, .block = {32, 1, 1}, .solo_us = 90000},
                                    plain = {.name = "plain",
                                             .grid = {528, 1, 1},
                                             .block = {256, 1, 1},
                                             .thread_cycles = 100000,
                                             .demand_given = true},
                                    greedy = {.name = "greedy",
                                              .grid = {528, 1, 1},
                                              .block = {256, 1, 1},
                                              .dram_bytes = 1e9,
                                              .thread_cycles = 3000,
                                              .demand_given = true};
    switch (s->step++) {
    case 0:
        play_kernel(s, draw, op, 0, 0, &slow);
        return GSIM_SOURCE_OP;
    case 1:
        play_kernel(s, draw, op, 1, 1, &plain);
        return GSIM_SOURCE_OP;
    case 2:
        s->arg = (struct gsim_arg){.buffer_index = s->buffers[1], .reads = true, .declared_const = true};
        *op = (struct gsim_op){.kind = GSIM_OP_HOST_READ, .arg_count = 1, .args = &s->arg, .bytes = 4, .stream = -1};
        return GSIM_SOURCE_OP;
    case 3:
        for (uint32_t i = 0; i < 2046; i++) { /* with SLOW and PLAIN all places are taken */
            struct gsim_kernel unused = {
                .name = "unused", .grid = {16, 1, 1}, .block = {32, 1, 1}, .solo_us = 4 + 1e-3 * i};
            gsim_draw_kernel(draw, &unused);
        }
        play_kernel(s, draw, op, 1, 1, &greedy);
        return GSIM_SOURCE_OP;
    default:
        return GSIM_SOURCE_END;
    }
}

/* A second one follows the first only by way of a prefetch of another buffer. */
static enum gsim_source_answer by_way_of_prefetch(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    struct play *s = state;
    struct gsim_kernel first = fixture_kernel("first", 4, 256, 100), second = fixture_kernel("second", 4, 256, 5);
    uint32_t i = s->step++;
    if (i == 4) return GSIM_SOURCE_END;
    play_kernel(s, draw, op, i, (int)i, i ? &second : &first);
    if (i == 1 || i == 2)
        *op = (struct gsim_op){
            .kind = GSIM_OP_PREFETCH, .arg_count = 1, .args = &s->arg, .bytes = 10000, .stream = (int)i};
    s->after = i - 1;
    op->after = &s->after;
    op->after_count = i > 0;
    return GSIM_SOURCE_OP;
}

static const struct gsim_source_ops
    evicts = SOURCE(struct play, .name = "evicts", .open = play_open, .next = evicting),
    prefetches = SOURCE(struct play, .name = "prefetches", .open = play_open, .next = by_way_of_prefetch);

/* What has the place of another kernel is as fast as where every kernel has its own. */
static void places_used_again(void)
{
    struct fixture kept = {.memory = GSIM_MEMORY_PINNED}, folded = kept;
    CHECK_OK(gsim_device_load("h200-vm", &kept.device, &kept.error), kept.error);
    folded.device = kept.device;
    gsim_params_set_defaults(gsim_gpu_params, &kept.gpu);
    folded.gpu = kept.gpu;
    CHECK_OK(draw(&kept, &evicts, NULL, "async", false), kept.error);
    CHECK_OK(draw(&folded, &evicts, NULL, "async", true), folded.error);
    const struct gsim_kernel_record *record = fixture_record(&kept, 3, 0);
    const struct gsim_sums *s = folded.timeline.sums;
    gsim_time its = 0;
    for (uint32_t i = 0; s && i < s->kernel_names; i++)
        its = strcmp(s->kernels[i].name, "greedy") == 0 ? s->kernels[i].total : its;
    CHECK_MSG(its == record->end - record->start && its > 0, "%.3f us, expected %.3f", gsim_time_us(its),
              gsim_time_us(record->end - record->start));
    fixture_release(&kept);
    fixture_release(&folded);
    gsim_device_release(&kept.device);
}

/* Records name kernels and buffers when the run is long over. */
static void names_stay(void)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct ask_params params = {.until_us = 28};
    uint32_t named = 0;
    CHECK_OK(draw(&f, &ask, &params, "serial", false), f.error);
    for (size_t i = 0; i < f.timeline.api_count; i++) {
        const struct gsim_api_record *call = &f.timeline.apis[i];
        if (call->api == GSIM_API_LAUNCH)
            CHECK_STR(call->detail, f.program.kernels[f.program.ops[named ? named + 1 : 0].kernel_index].name);
        if (call->api == GSIM_API_MEMCPY) CHECK_STR(call->detail, "value");
        named += call->api == GSIM_API_LAUNCH;
    }
    CHECK_INT(named, 3);
    fixture_release(&f);
}

static void left_out(void)
{
    static const char *const schedulers[] = {"async",     "grsched",    "serial", "acs-sw", "acs-hw", "taskflow",
                                             "cudagraph", "persistent", "ccks",   "kesco",  "heft"};
    for (size_t i = 0; i < 2 * sizeof schedulers / sizeof schedulers[0]; i++) {
        struct fixture f = {.device = fixture_device(), .memory = i % 2 ? GSIM_MEMORY_PINNED : GSIM_MEMORY_MANAGED};
        CHECK_OK(draw(&f, &prefetches, NULL, schedulers[i / 2], false), f.error);
        const struct gsim_kernel_record *first = fixture_record(&f, 0, 0), *second = fixture_record(&f, 3, 0);
        CHECK_MSG(first->end > 0 && second->start >= first->end,
                  "%s: the second kernel begins at %.3f us, the first ends at %.3f", schedulers[i / 2],
                  gsim_time_us(second->start), gsim_time_us(first->end));
        fixture_release(&f);
    }
}

/* --- memory and sums ------------------------------------------------------------------------------------------ */

static void *stream_of(int64_t count, int64_t kinds, struct gsim_error *error)
{
    const struct gsim_source_ops *source = gsim_source_find("kernel-stream");
    char text[32];
    void *params = gsim_alloc(source->params_size);
    gsim_params_set_defaults(source->params, params);
    snprintf(text, sizeof text, "%lld", (long long)count);
    CHECK_OK(gsim_params_set(source->params, params, "count", text, error), *error);
    snprintf(text, sizeof text, "%lld", (long long)kinds);
    CHECK_OK(gsim_params_set(source->params, params, "kinds", text, error), *error);
    return params;
}

struct cost {
    uint64_t allocations;
    long resident_kib;
};

/* The most that the process ever had in memory. */
static long resident_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Of COUNT kernels, without records. */
static struct cost cost_of(int64_t count, const char *scheduler)
{
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    void *params = stream_of(count, 4, &f.error);
    gsim_alloc_fail_nth(0);
    CHECK_OK(draw(&f, gsim_source_find("kernel-stream"), params, scheduler, true), f.error);
    CHECK_INT(f.timeline.sums->kernel_count, count);
    fixture_release(&f);
    uint64_t allocations = gsim_alloc_fail_nth(0);
    gsim_free(params);
    return (struct cost){allocations, resident_kib()};
}

static void constant_memory(void)
{
    static const char *const schedulers[] = {"async", "serial"};
    for (size_t s = 0; s < 2; s++) {
        struct cost few = cost_of(10000, schedulers[s]), many = cost_of(IS_SANITIZED     ? 50000
                                                                        : test_is_full() ? 1000000
                                                                                         : 200000,
                                                                        schedulers[s]);
        CHECK_MSG(many.allocations <= few.allocations + 100,
                  "%s: %" PRIu64 " allocations for many kernels, %" PRIu64 " for 10,000", schedulers[s],
                  many.allocations, few.allocations);
        CHECK_MSG(IS_SANITIZED || many.resident_kib - few.resident_kib < 2048,
                  "%s: %ld KiB more for many kernels than for 10,000", schedulers[s],
                  many.resident_kib - few.resident_kib);
    }
}

/* COUNT ops as in never_at_rest(). */
static enum gsim_source_answer next_of_chains(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    struct play *s = state;
    const uint32_t *count = s->params;
    struct gsim_kernel kernel = fixture_kernel("k", 4, 128, 20);
    uint32_t i = s->step++;
    if (i == *count) return GSIM_SOURCE_END;
    play_kernel(s, draw, op, i % 50 == 49 ? i / 50 % 3 : i % 3, -1, &kernel);
    if (i % 50 == 49)
        *op = (struct gsim_op){.kind = GSIM_OP_HOST_READ, .args = &s->arg, .arg_count = 1, .bytes = 4, .stream = -1};
    return GSIM_SOURCE_OP;
}

/* Nor does a graph of what was issued grow, of which at no time all is known to have ended. */
static void constant_graph(void)
{
    static const struct gsim_source_ops chains =
        SOURCE(struct play, .name = "chains", .open = play_open, .next = next_of_chains);
    const uint32_t counts[] = {20000, IS_SANITIZED ? 40000 : 400000};
    long kib[2];
    for (size_t i = 0; i < 2; i++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
        CHECK_OK(draw(&f, &chains, &counts[i], "grsched", true), f.error);
        CHECK_INT(f.timeline.sums->kernel_count, counts[i] / 50 * 49);
        fixture_release(&f);
        kib[i] = resident_kib();
    }
    CHECK_MSG(IS_SANITIZED || kib[1] - kib[0] < 8192, "%ld KiB more for %u ops than for %u", kib[1] - kib[0],
              counts[1], counts[0]);
}

/* Sums are those of the records, also where kernels' places are used again, and where memory is managed. */
static void sums(void)
{
    for (int memory = GSIM_MEMORY_MANAGED; memory <= GSIM_MEMORY_PAGEABLE; memory++) {
        struct fixture kept = {.device = fixture_device(), .memory = (enum gsim_memory_mode)memory}, folded = kept;
        void *params = stream_of(6000, 5000, &kept.error);
        gsim_time total = 0;
        uint64_t bytes = 0;
        CHECK_OK(draw(&kept, gsim_source_find("kernel-stream"), params, "async", false), kept.error);
        CHECK_OK(draw(&folded, gsim_source_find("kernel-stream"), params, "async", true), folded.error);
        const struct gsim_sums *s = folded.timeline.sums;
        for (size_t i = 0; i < kept.timeline.kernel_count; i++)
            total += kept.timeline.kernels[i].end - kept.timeline.kernels[i].start;
        for (size_t i = 0; i < kept.timeline.copy_count; i++)
            bytes += kept.timeline.copies[i].kind == GSIM_COPY_D2H ? kept.timeline.copies[i].bytes : 0;
        CHECK_INT(kept.timeline.kernel_count, 6000);
        CHECK(s && s->kernel_names == 1 && s->kernels[0].count == 6000 && s->kernels[0].total == total);
        CHECK_STR(s->kernels[0].name, "kernel");
        CHECK_INT(s->copy_count, kept.timeline.copy_count);
        CHECK_INT(s->call_count, kept.timeline.api_count);
        CHECK_INT(s->copies[GSIM_COPY_D2H][GSIM_REASON_EXPLICIT].bytes +
                      s->copies[GSIM_COPY_D2H][GSIM_REASON_FAULT].bytes,
                  bytes);
        CHECK(folded.timeline.iterations[0].end == kept.timeline.iterations[0].end);
        CHECK_INT(folded.program.op_count, 0);
        CHECK_STR(folded.program.name, "kernel-stream");
        gsim_free(params);
        fixture_release(&kept);
        fixture_release(&folded);
    }
}

/* Every allocation of a run (of late ones some) fails in turn: it ends with a message, and everything is given back. */
static void failing_allocations(void)
{
    static const char *const names[] = {"early-exit", "frontier"},
                             *const schedulers[] = {"async", "serial", "grsched", "kesco", "heft"};
    for (size_t c = 0; c < 10; c++) {
        uint64_t failed = 0;
        for (uint64_t nth = 1;; nth += nth < 100 || (nth < 200 && test_is_full()) ? 1 : test_is_full() ? 7 : 41) {
            struct fixture f = {.device = fixture_device(), .memory = c % 2 ? GSIM_MEMORY_PINNED : GSIM_MEMORY_MANAGED};
            gsim_alloc_fail_nth(nth);
            enum gsim_status status = draw(&f, gsim_source_find(names[c % 2]), NULL, schedulers[c / 2], c % 3 == 0);
            bool was_reached = gsim_alloc_fail_nth(0) >= nth;
            fixture_release(&f);
            CHECK_MSG(!was_reached || status == GSIM_NOMEM || status == GSIM_OK, "allocation %" PRIu64 ": %s", nth,
                      f.error.message);
            failed += status == GSIM_NOMEM;
            if (!was_reached) break;
        }
        CHECK_MSG(failed > 20, "%s with %s: only %" PRIu64 " allocations failed a run", names[c % 2], schedulers[c / 2],
                  failed);
    }
}

static const struct test_case cases[] = {
    {"a graph in constant memory", constant_graph}, /* the first: it looks at the most that the process had */
    {"what the host read, and the time, decide what is drawn", by_value_and_time},
    {"kernels are drawn ahead of those that run", drawn_ahead},
    {"what cannot be drawn is refused", refused},
    {"a program that is known runs the same as a source", known_programs},
    {"chains that are never all at rest run the same", never_at_rest},
    {"kernels whose places others had", places_used_again},
    {"names in records", names_stay},
    {"prefetches that are left out", left_out},
    {"many kernels in constant memory", constant_memory},
    {"sums are those of the records", sums},
    {"failing allocations", failing_allocations},
};
TEST_MAIN("sim/drawn", cases)
