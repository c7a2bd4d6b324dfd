/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/published/mega.h. */
#include "trust/published/mega.h"

#include <math.h>
#include <string.h>

#include "gpusim/generator.h"
#include "gpusim/simulate.h"

enum row {
    DEFAULT,
    PDL,
    PERSISTENT,
    RESERVED,
    JIT,
    FIXED,
    PREFETCHED,
    CLAIMED,
    LLAMA_CPP,
    STEALING,
    LATE,
    STAGING,
    BATCHING
};

static const struct gsim_mega_row published[GSIM_MEGA_ROWS] = {
    [DEFAULT] = {"llama-default", "Llama-3.2-1B, a token: 81 kernels", "us", "H100; pdl-megakernel-reconstruction",
                 "ops at 78 % of DRAM's peak", 1169, 1169, 0.1, 0},
    [PDL] = {"llama-pdl", "the same, programmatic launches", "us", "the same", "prologue 0.1, trigger 0.5", 1010, 1010,
             0.1, 0},
    [PERSISTENT] = {"llama-persistent", "the same, one persistent kernel", "us", "the same",
                    "half of 13 pages of 16 KiB ahead", 983, 983, 0.1, 0},
    [RESERVED] = {"mpk-reserved", "4 of 132 SMs for scheduler warps cost", "%", "Mirage MPK", "equal tasks", 3, 3.7, 0,
                  0},
    [JIT] = {"mpk-jit", "pushed against bound ahead, per task of a chain", "us",
             "MPK's protocol: a handoff and queueing", "H100's costs", 0.63, INFINITY, 0, 0},
    [FIXED] = {"chain-fixed", "64 products of 20.8 us, fixed tiles: exposed each", "us", "RTX PRO 6000, B. Li 2026",
               "straggler_cv 0.15", 2.85, 3.23, 0, 0},
    [PREFETCHED] = {"chain-prefetched", "the same, next weights ahead", "us", "the same", "as above, 104 KiB ahead",
                    1.2, 2.3, 0, 0},
    [CLAIMED] = {"chain-claimed", "the same, tiles claimed", "us", "the same", "as above, four tiles a worker", 0.74,
                 1.06, 0, 0},
    [LLAMA_CPP] = {"llamacpp-pdl", "programmatic launches, gaps of 1.9 us, kernels of 17", "%", "llama.cpp #22522",
                   "prologue 0.1, trigger 0.5", 10, 10, 0.25, 0},
    [STEALING] = {"cohere-stealing", "claiming over lists, skewed over uniform tasks", "x",
                  "Cohere 2026: 1.32 over 1.14", "log-normal, spread 0.5", 1.16, 1.16, 0.1, 0},
    [LATE] = {"ascend-late", "some core idle and some task ready, of the time", "%",
              "simpler, Qwen3-14B layer, 542 tasks", "34 ops of 16 tiles: 1 ms", 20.2, 20.2, 0.25, 0},
    [STAGING] = {"ascend-staging", "staging ahead changes the layer by", "%", "simpler PR #1079: within noise",
                 "noise: 2 %", -2, 2, 0, 0},
    [BATCHING] = {"ascend-batching", "committing in batches changes the layer by", "%",
                  "simpler PR #1269: within noise", "noise: 2 %", -2, 2, 0, 0},
};

/* --- runs --- */

struct result {
    double us;   /* the second iteration */
    double late; /* share of a resident kernel's time with an idle worker and a ready task */
};

/* OPTIONS: "name=value name=value", of the scheduler. */
static enum gsim_status run(const struct gsim_program *program, const struct gsim_device_spec *device,
                            const char *scheduler, const char *options, struct result *result, struct gsim_error *error)
{
    double params[64] = {0};
    struct gsim_timeline t = {0};
    const struct gsim_scheduler_ops *ops = gsim_scheduler_find(scheduler);
    struct gsim_simulation s = {.program = program, .device = device, .scheduler = ops, .scheduler_params = params,
                                .memory = GSIM_MEMORY_PINNED, .iterations = 2, .seed = 1};
    enum gsim_status status = GSIM_OK;
    GSIM_INVARIANT(ops && ops->params_size <= sizeof params);
    gsim_params_set_defaults(ops->params, params);
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    while (*options && status == GSIM_OK) {
        char word[64], *value;
        size_t length = strcspn(options, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, options);
        value = strchr(word, '=');
        GSIM_INVARIANT(value);
        *value++ = '\0';
        status = gsim_params_set(ops->params, params, word, value, error);
        options += length + (options[length] == ' ');
    }
    if (status == GSIM_OK) status = gsim_simulate(&s, &t, error);
    if (status == GSIM_OK) {
        *result = (struct result){.us = gsim_time_us(t.iterations[1].end - t.iterations[1].start)};
        const struct gsim_resident_record *r = t.resident_count ? &t.residents[t.resident_count - 1] : NULL;
        if (r) result->late = r->late_makespan_us / gsim_time_us(r->end - r->start);
    }
    gsim_timeline_release(&t);
    return status;
}

/* --- Llama-3.2-1B --- */

static enum gsim_status llama(struct gsim_mega *mega, const struct gsim_device_spec *device, struct gsim_error *error)
{
    static const char *const marks[][2] = {
        {"jitter", "0"}, {"programmatic", "on"}, {"prologue", "0.1"}, {"trigger", "0.5"}};
    const struct gsim_generator_ops *llm = gsim_generator_find("llm-decode");
    double params[64] = {0};
    struct gsim_program plain = {0}, programmatic = {0};
    struct result results[3] = {{0}};
    enum gsim_status status = GSIM_OK;
    GSIM_INVARIANT(llm && llm->params_size <= sizeof params);
    gsim_params_set_defaults(llm->params, params);
    for (int i = 0; i < 4 && status == GSIM_OK; i++) {
        status = gsim_params_set(llm->params, params, marks[i][0], marks[i][1], error);
        if (status == GSIM_OK && i == 0) status = llm->build(params, 1, &plain, error);
    }
    if (status == GSIM_OK) status = llm->build(params, 1, &programmatic, error);
    if (status == GSIM_OK) status = run(&plain, device, "async", "", &results[0], error);
    if (status == GSIM_OK) status = run(&programmatic, device, "async", "", &results[1], error);
    if (status == GSIM_OK) status = run(&programmatic, device, "persistent", "", &results[2], error);
    for (int i = 0; i < 3; i++) mega->rows[DEFAULT + i].model = results[i].us;
    gsim_program_release(&plain);
    gsim_program_release(&programmatic);
    return status;
}

/* --- made-up graphs --- */

/* LEVELS of WIDTH ops of TILES blocks (0: 1) that take US on average; each behind SOME drawn ones of the level before,
 * or behind the one there is. */
struct shape {
    uint32_t levels, width, some, threads, smem_bytes, tiles;
    double us, spread, bytes, prologue, trigger;
    bool programmatic, is_independent;
};

static enum gsim_status make(const struct shape *shape, const struct gsim_device_spec *device,
                             struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_random numbers = {0};
    uint32_t after[16];
    enum gsim_status status = gsim_random_init(&numbers, 36, error);
    struct gsim_builder *b = status == GSIM_OK ? gsim_builder_create("mega") : NULL;
    if (status != GSIM_OK) return status;
    GSIM_INVARIANT(shape->some <= 16 && (shape->some || shape->width == 1));
    for (uint32_t i = 0; b && i < shape->levels * shape->width; i++) {
        double us = fmax(0.2, shape->us * gsim_random_scale(&numbers, shape->spread));
        struct gsim_kernel kernel = {.name = "task",
                                     .grid = {shape->tiles ? shape->tiles : 1, 1, 1},
                                     .block = {shape->threads, 1, 1},
                                     .regs_per_thread = 64,
                                     .smem_bytes = shape->smem_bytes,
                                     .demand_given = true,
                                     .prologue = shape->prologue,
                                     .trigger = shape->trigger};
        uint32_t level = i / shape->width, first = (level - 1) * shape->width,
                 count = level && !shape->is_independent ? shape->some ? shape->some : 1 : 0;
        for (uint32_t a = 0; a < count; a++)
            after[a] = first +
                       (shape->some > 1 ? (gsim_random_integer(&numbers, shape->width - a) + a * 5) % shape->width : 0);
        if (count == 2 && after[0] == after[1]) count = 1;
        if (shape->bytes > 0) {
            kernel.dram_bytes = kernel.flops = shape->bytes;
            kernel.solo_us = us;
            kernel.solo_cold = true;
        } else {
            kernel.thread_cycles = floor(us * device->clock_mhz);
        }
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                             .kernel_index = gsim_builder_kernel(b, &kernel),
                                             .after = after,
                                             .after_count = count,
                                             .stream = 0,
                                             .programmatic = shape->programmatic && level > 0});
    }
    gsim_random_release(&numbers);
    return b ? gsim_builder_finish(b, 1, program, error) : gsim_error_set(error, GSIM_NOMEM, "out of memory");
}

static enum gsim_status make_and_run(const struct shape *shape, const struct gsim_device_spec *device,
                                     const char *scheduler, const char *options, struct result *result,
                                     struct gsim_error *error)
{
    struct gsim_program program = {0};
    enum gsim_status status = make(shape, device, &program, error);
    if (status == GSIM_OK) status = run(&program, device, scheduler, options, result, error);
    gsim_program_release(&program);
    return status;
}

/* 128 kernels of 132 tasks of 20 us: 128 a worker on all SMs, 132 on four fewer. And a chain of tasks, by both ways of
 * MPK. */
static enum gsim_status mpk(struct gsim_mega *mega, const struct gsim_device_spec *device, struct gsim_error *error)
{
    const struct shape wide =
                           {.levels = 128, .width = 1, .threads = 256, .us = 20, .tiles = 132, .is_independent = true},
                       chain = {.levels = 200, .width = 1, .threads = 256, .us = 10};
    struct result all = {0}, fewer = {0}, pushed = {0}, ahead = {0};
    enum gsim_status status = make_and_run(&wide, device, "persistent", "mode=static fetch_ahead=on", &all, error);
    if (status == GSIM_OK)
        status = make_and_run(&wide, device, "persistent", "mode=sched-warps ahead=on fetch_ahead=on reserved=4",
                              &fewer, error);
    if (status == GSIM_OK) status = make_and_run(&chain, device, "persistent", "mode=sched-warps", &pushed, error);
    if (status == GSIM_OK)
        status = make_and_run(&chain, device, "persistent", "mode=sched-warps ahead=on", &ahead, error);
    mega->rows[RESERVED].model = 100 * (fewer.us / all.us - 1);
    mega->rows[JIT].model = (pushed.us - ahead.us) / chain.levels;
    return status;
}

/* An RTX PRO 6000, as far as it is published: SMs, clock, one-way flags; the rest is the H100's. */
static void become_blackwell(struct gsim_device_spec *d)
{
    d->sm_count = 188;
    d->clock_mhz = 2880;
    d->dram_gbps = 1700;
    d->handoff_us = 0.37;
    d->handoff_fence_us = 0.25; /* 713 clocks behind a store */
    d->task_take_us = d->task_fetch_us = d->task_check_us = 0.13; /* an L2 round trip */
    d->word_atomic_ns = 0.41;
}

static enum gsim_status chain(struct gsim_mega *mega, const struct gsim_device_spec *h100, struct gsim_error *error)
{
    const double each_us = 20.8, bytes = 2.0 * 4096 * 4096;
    struct gsim_device_spec device = *h100;
    struct shape fixed = {.levels = 64,
                          .width = 1,
                          .threads = 512,
                          .smem_bytes = 65536,
                          .tiles = 188,
                          .us = each_us,
                          .bytes = bytes},
                 ahead = fixed, claimed = fixed;
    struct result r[3] = {{0}};
    become_blackwell(&device);
    ahead.prologue = 0.1;
    claimed.tiles *= 4;
    claimed.smem_bytes = 200000; /* one on an SM, as a worker does them */
    enum gsim_status status =
        make_and_run(&fixed, &device, "persistent", "fetch_ahead=on straggler_cv=0.15", &r[0], error);
    if (status == GSIM_OK)
        status = make_and_run(&ahead, &device, "persistent", "fetch_ahead=on straggler_cv=0.15", &r[1], error);
    if (status == GSIM_OK)
        status =
            make_and_run(&claimed, &device, "persistent", "mode=claim fetch_ahead=on straggler_cv=0.15", &r[2], error);
    for (int i = 0; i < 3; i++) mega->rows[FIXED + i].model = r[i].us / fixed.levels - each_us;
    return status;
}

static enum gsim_status llama_cpp(struct gsim_mega *mega, const struct gsim_device_spec *h100, struct gsim_error *error)
{
    struct gsim_device_spec device = *h100;
    struct shape shape = {
        .levels = 100, .width = 1, .threads = 512, .smem_bytes = 65536, .tiles = 132, .us = 17.1, .bytes = 4.4e7};
    struct result plain = {0}, ahead = {0};
    device.stream_gap_us = 1.9;
    device.launch_us = 1; /* not the limit: graphs were on */
    enum gsim_status status = make_and_run(&shape, &device, "async", "", &plain, error);
    shape.prologue = 0.1;
    shape.trigger = 0.5;
    shape.programmatic = true;
    if (status == GSIM_OK) status = make_and_run(&shape, &device, "async", "", &ahead, error);
    mega->rows[LLAMA_CPP].model = 100 * (plain.us / ahead.us - 1);
    return status;
}

/* 20 levels of 528 tasks, four a worker. */
static enum gsim_status stealing(struct gsim_mega *mega, const struct gsim_device_spec *device,
                                 struct gsim_error *error)
{
    double gain[2] = {0};
    enum gsim_status status = GSIM_OK;
    for (int skewed = 0; skewed < 2 && status == GSIM_OK; skewed++) {
        const struct shape shape = {
            .levels = 20, .width = 528, .some = 2, .threads = 256, .us = 8, .spread = 0.5 * skewed};
        struct result lists = {0}, claims = {0};
        status = make_and_run(&shape, device, "persistent", "mode=static", &lists, error);
        if (status == GSIM_OK) status = make_and_run(&shape, device, "persistent", "mode=claim", &claims, error);
        gain[skewed] = lists.us / claims.us;
    }
    mega->rows[STEALING].model = gain[1] / gain[0];
    return status;
}

/* Three threads, each with 24 of 72 cores. Published: a core's flag is read in 0.1 us, one after the other; an end is
 * seen after 0.6 us, a start after 0.14; a wave of 24 starts within 6 us, and ending a task takes 43 to 57 of starting
 * one; 78 of 542 tasks were staged. Assumed: 34 ops of 16 tiles, which is a layer of 1 ms, each op behind all of the
 * one before. */
static enum gsim_status ascend(struct gsim_mega *mega, const struct gsim_device_spec *h100, struct gsim_error *error)
{
    const struct shape layer = {.levels = 34, .width = 1, .tiles = 16, .threads = 256, .us = 20};
    const double wave_us = 6, cores = 24;
    struct gsim_device_spec device = *h100;
    struct result plain = {0}, staged = {0}, batched = {0};
    device.sm_count = 72;
    device.host_flag_up_us = 0.6;
    device.host_flag_down_us = 0.14;
    device.host_fetch_us = device.host_post_us = 0.005;
    device.board_poll_us = 0.1;
    device.board_place_us = wave_us / cores;
    device.board_retire_us = device.board_place_us * 43 / 57;
    enum gsim_status status =
        make_and_run(&layer, &device, "persistent", "mode=copilot threads=3 depth=2", &plain, error);
    if (status == GSIM_OK)
        status = make_and_run(&layer, &device, "persistent", "mode=copilot threads=3 depth=2 speculate=on guess=0.144",
                              &staged, error);
    if (status == GSIM_OK)
        status =
            make_and_run(&layer, &device, "persistent", "mode=copilot threads=3 depth=2 batch=16", &batched, error);
    mega->rows[LATE].model = 100 * plain.late;
    mega->rows[STAGING].model = 100 * (staged.us / plain.us - 1);
    mega->rows[BATCHING].model = 100 * (batched.us / plain.us - 1);
    return status;
}

enum gsim_status gsim_mega_run(struct gsim_mega *mega, struct gsim_error *error)
{
    typedef enum gsim_status part(struct gsim_mega * mega, const struct gsim_device_spec *h100,
                                  struct gsim_error *error);
    static part *const parts[] = {llama, mpk, chain, llama_cpp, stealing, ascend};
    struct gsim_device_spec device;
    enum gsim_status status = gsim_device_load("h100-vm", &device, error);
    if (status != GSIM_OK) return status;
    memcpy(mega->rows, published, sizeof mega->rows);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == GSIM_OK; i++)
        status = parts[i](mega, &device, error);
    gsim_device_release(&device);
    return status;
}

/* --- showing --- */

double gsim_mega_error(const struct gsim_mega_row *row)
{
    double low = row->low - fabs(row->low) * row->slack, high = row->high + fabs(row->high) * row->slack;
    if (row->model < low) return (row->model - row->low) / fabs(row->low);
    return row->model > high ? (row->model - row->high) / fabs(row->high) : 0;
}

void gsim_mega_print(const struct gsim_mega *mega, struct gsim_output *output)
{
    gsim_output_text(output, "Persistent kernels, programmatic launches, a CPU that schedules: published, and the "
                             "model: a check that it is plausible.\n"
                             "*: not in the published range, or not within the slack of a single number.\n\n");
    gsim_output_printf(output, "%-53s %13s %8s    %-40s %s\n", "", "published", "model", "source", "assumed");
    for (int i = 0; i < GSIM_MEGA_ROWS; i++) {
        const struct gsim_mega_row *r = &mega->rows[i];
        char range[32];
        if (isinf(r->high))
            snprintf(range, sizeof range, "%.3g or more", r->low);
        else if (r->low == r->high)
            snprintf(range, sizeof range, "%.4g", r->low);
        else
            snprintf(range, sizeof range, "%.3g to %.3g", r->low, r->high);
        gsim_output_printf(output, "%-53s %13s %8.4g%s %-2s %-40s %s\n", r->what, range, r->model,
                           gsim_mega_error(r) == 0 ? " " : "*", r->unit, r->source, r->assumed);
    }
}

void gsim_mega_csv(const struct gsim_mega *mega, struct gsim_output *output)
{
    gsim_output_text(output, "key,unit,published_low,published_high,slack,model,off\n");
    for (int i = 0; i < GSIM_MEGA_ROWS; i++) {
        const struct gsim_mega_row *r = &mega->rows[i];
        gsim_output_printf(output, "%s,%s,%g,%g,%g,%.5g,%.4f\n", r->key, r->unit, r->low, r->high, r->slack, r->model,
                           gsim_mega_error(r));
    }
}
