/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two H100 with NVLink (traces/h100/two_gpus.json.gz): 20 random DAGs of kernels and copies on both, replayed by async
 * with the kernels' recorded times alone, copies between them of 1 KiB to 256 MiB, and a chain that goes from one to
 * the other and back.
 */
#include <cjson/cJSON.h>
#include <math.h>

#include "gpusim/simulate.h"
#include "sim/base/gz.h"
#include "tests/test.h"

static struct gsim_device_spec device;
static cJSON *recorded;

static void load(void)
{
    struct gsim_error error = {0};
    size_t length = 0;
    char *text = gsim_file_read(GPUSIM_SOURCE_DIR "/traces/h100/two_gpus.json.gz", &length, &error);
    CHECK_OK(error.status, error);
    recorded = text ? cJSON_ParseWithLength(text, length) : NULL;
    gsim_free(text);
    CHECK(recorded != NULL);
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
}

static double number(const cJSON *object, const char *name) { return cJSON_GetObjectItem(object, name)->valuedouble; }

/* Events without timing, as in traces/runner/micro/dagrun.cu. */
static double run(struct gsim_builder *b)
{
    struct gsim_program program;
    const struct gsim_scheduler_ops *async = gsim_scheduler_find("async");
    void *params = gsim_alloc(async->params_size);
    struct gsim_timeline timeline;
    struct gsim_error error = {0};
    CHECK_OK(gsim_builder_finish(b, 1, &program, &error), error);
    gsim_params_set_defaults(async->params, params);
    CHECK_OK(gsim_params_set(async->params, params, "event_flags", "no-timing", &error), error);
    struct gsim_simulation s = {.program = &program,
                                .device = &device,
                                .scheduler = async,
                                .scheduler_params = params,
                                .gpu_count = 2,
                                .memory = GSIM_MEMORY_PINNED,
                                .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    CHECK_OK(gsim_simulate(&s, &timeline, &error), error);
    double us =
        timeline.iteration_count ? gsim_time_us(timeline.iterations[0].end - timeline.iterations[0].start) : NAN;
    gsim_timeline_release(&timeline);
    gsim_program_release(&program);
    gsim_free(params);
    return us;
}

static void add_copy(struct gsim_builder *b, const char *kind, uint64_t bytes, struct gsim_op op)
{
    char name[16];
    static uint32_t count;
    snprintf(name, sizeof name, "b%u", count++);
    struct gsim_arg arg = {.buffer_index = gsim_builder_buffer(b, name, bytes, GSIM_INIT_DEVICE)};
    op.kind = GSIM_OP_COPY;
    op.copy_kind = strcmp(kind, "h2d") == 0 ? GSIM_COPY_H2D : strcmp(kind, "d2h") == 0 ? GSIM_COPY_D2H : GSIM_COPY_P2P;
    if (op.copy_kind == GSIM_COPY_P2P) op.to_device = 1 - op.device;
    arg.reads = op.copy_kind != GSIM_COPY_H2D;
    arg.writes = op.copy_kind != GSIM_COPY_D2H;
    op.args = &arg;
    op.arg_count = 1;
    op.bytes = bytes;
    gsim_builder_op(b, &op);
}

static struct gsim_kernel kernel_of(const cJSON *k)
{
    return (struct gsim_kernel){.name = cJSON_GetObjectItem(k, "type")->valuestring,
                                .grid = {(uint32_t)number(k, "grid"), 1, 1},
                                .block = {(uint32_t)number(k, "block"), 1, 1},
                                .regs_per_thread = (uint32_t)number(k, "regs"),
                                .smem_bytes = (uint32_t)number(k, "smem"),
                                .flops = number(k, "flops"),
                                .dram_bytes = number(k, "dram_bytes"),
                                .demand_given = true,
                                .solo_us = number(k, "solo_ns") * 1e-3,
                                .solo_device = "h100-vm"};
}

static double predict(const cJSON *dag)
{
    struct gsim_builder *b = gsim_builder_create("dag");
    const cJSON *node, *item;
    cJSON_ArrayForEach(node, cJSON_GetObjectItem(dag, "nodes"))
    {
        const cJSON *copy = cJSON_GetObjectItem(node, "copy");
        uint32_t after[64], count = 0;
        cJSON_ArrayForEach(item, cJSON_GetObjectItem(node, "dep")) after[count++] = (uint32_t)item->valuedouble;
        struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                             .after = after,
                             .after_count = count,
                             .device = (uint32_t)number(node, "dev"),
                             .stream = (int32_t)number(node, "stream")};
        if (copy) {
            add_copy(b, copy->valuestring, (uint64_t)number(node, "bytes"), op);
            continue;
        }
        struct gsim_kernel kernel = kernel_of(cJSON_GetObjectItem(node, "kernel"));
        op.kernel_index = gsim_builder_kernel(b, &kernel);
        gsim_builder_op(b, &op);
    }
    return run(b);
}

static void dags(void)
{
    const cJSON *dag;
    double sum = 0, worst = 0;
    int count = 0;
    load();
    cJSON_ArrayForEach(dag, cJSON_GetObjectItem(recorded, "dags"))
    {
        double error = fabs(predict(dag) / number(dag, "live_us") - 1);
        sum += error;
        count++;
        if (error > worst) worst = error;
    }
    CHECK_INT(count, 20);
    CHECK_MSG(sum / count <= 0.05 && worst <= 0.14, "mean error %.1f %%, worst %.1f %%", 100 * sum / count,
              100 * worst);
}

/* Ten copies in a stream, ten each way, ten in two streams: within 8 % on average over all sizes. */
static void peer_copies(void)
{
    static const struct {
        const char *name;
        int count, gpus, streams;
    } patterns[] = {{"ten_us", 10, 1, 1}, {"ten_both_ways_us", 20, 2, 1}, {"ten_on_two_streams_us", 10, 1, 2}};
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        const cJSON *row;
        double sum = 0;
        int count = 0;
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(recorded, "peer_copies"))
        {
            struct gsim_builder *b = gsim_builder_create("copies");
            for (int i = 0; i < patterns[p].count; i++)
                add_copy(
                    b, "p2p", (uint64_t)number(row, "bytes"),
                    (struct gsim_op){.device = (uint32_t)(i % patterns[p].gpus), .stream = i % patterns[p].streams});
            sum += fabs(run(b) / number(row, patterns[p].name) - 1);
            count++;
        }
        CHECK_INT(count, 10);
        CHECK_MSG(sum / count <= 0.08, "%s: mean error %.1f %%", patterns[p].name, 100 * sum / count);
    }
}

/* Copies from the host, to both GPUs in turn and beside copies between them. Of 16 KiB to both the recording has 128
 * us, of 4 and 64 KiB 75 and 58. */
static void host_copies(void)
{
    const cJSON *row;
    double each = 0, beside = 0;
    int count = 0, each_count = 0;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(recorded, "peer_copies"))
    {
        uint64_t bytes = (uint64_t)number(row, "bytes");
        struct gsim_builder *b = gsim_builder_create("both");
        for (int i = 0; i < 20; i++) add_copy(b, "h2d", bytes, (struct gsim_op){.device = (uint8_t)(i % 2)});
        double found = run(b) / number(row, "ten_h2d_each_gpu_us") - 1;
        if (bytes != 16384) each += fabs(found);
        each_count += bytes != 16384;
        b = gsim_builder_create("beside");
        for (int i = 0; i < 20; i++) add_copy(b, i % 2 ? "h2d" : "p2p", bytes, (struct gsim_op){.stream = i % 2});
        beside += fabs(run(b) / number(row, "ten_beside_ten_h2d_us") - 1);
        count++;
    }
    CHECK_MSG(each / each_count <= 0.08 && beside / count <= 0.08,
              "to both %.1f %%, beside copies between GPUs %.1f %%", 100 * each / each_count, 100 * beside / count);
}

static double launch(uint32_t gpus)
{
    struct gsim_builder *b = gsim_builder_create("launches");
    struct gsim_kernel kernel = {.name = "short", .grid = {1, 1, 1}, .block = {32, 1, 1}, .thread_cycles = 1000};
    for (uint32_t i = 0; i < 200; i++)
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                             .kernel_index = gsim_builder_kernel(b, &kernel),
                                             .device = (uint8_t)(i % gpus)});
    return run(b);
}

static void launches(void)
{
    double one = launch(1) / number(recorded, "launch200_one_gpu_us") - 1,
           two = launch(2) / number(recorded, "launch200_alternating_us") - 1;
    CHECK_MSG(fabs(one) <= 0.08 && fabs(two) <= 0.08, "on one GPU %.1f %%, in turn on two %.1f %%", 100 * one,
              100 * two);
}

static double chain(bool on_two)
{
    struct gsim_builder *b = gsim_builder_create("chain");
    struct gsim_arg arg = {
        .buffer_index = gsim_builder_buffer(b, "x", 4096, GSIM_INIT_DEVICE), .reads = true, .writes = true};
    struct gsim_kernel kernel = {.name = "short", .grid = {1, 1, 1}, .block = {32, 1, 1}, .thread_cycles = 1000};
    for (int i = 0; i < 200; i++)
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                             .kernel_index = gsim_builder_kernel(b, &kernel),
                                             .args = &arg,
                                             .arg_count = 1,
                                             .device = on_two ? (uint32_t)i % 2 : 0,
                                             .stream = on_two ? 0 : i % 2});
    return run(b);
}

static void chains(void)
{
    double one = chain(false) / number(recorded, "chain200_two_streams_us") - 1,
           two = chain(true) / number(recorded, "chain200_two_gpus_us") - 1;
    CHECK_MSG(fabs(one) <= 0.08 && fabs(two) <= 0.08, "on one GPU %.1f %%, on two %.1f %%", 100 * one, 100 * two);
    cJSON_Delete(recorded);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"DAGs", dags},
                                         {"copies between GPUs", peer_copies},
                                         {"copies from the host", host_copies},
                                         {"launches", launches},
                                         {"chains", chains}};
TEST_MAIN("golden/two_gpus", cases)
