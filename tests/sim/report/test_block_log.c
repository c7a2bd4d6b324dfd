/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who stood on which SM: by hand for records that follow, overlap and part; and, of whole programs, that the pooled
 * machine tells the same of every SM as the exact one, block by block, that all blocks are there, and that watching
 * changes nothing.
 */
#include "sim/report/block_log.h"

#include <inttypes.h>

#include "gpusim/simulate.h"
#include "gpusim/workload.h"
#include "tests/test.h"

static void add(struct gsim_block_log *log, uint32_t op, uint32_t sm, uint64_t blocks, gsim_time start, gsim_time end)
{
    struct gsim_block_record record = {.op = op, .blocks = blocks, .start = start, .end = end};
    record.sms[sm / 64] = UINT64_C(1) << sm % 64;
    log->observer.on_blocks(log->observer.data, &record);
}

static void by_hand(void)
{
    struct gsim_block_log log;
    struct gsim_stay *stays;
    struct gsim_error error = {0};
    size_t count;
    gsim_block_log_init(&log, 70);
    add(&log, 1, 65, 2, 100, 200);
    add(&log, 2, 65, 1, 150, 400); /* another kernel in between */
    add(&log, 1, 65, 2, 200, 300); /* behind the first: the same stay */
    add(&log, 1, 65, 1, 290, 310);
    add(&log, 1, 65, 4, 311, 350); /* nobody was there between 310 and 311 */
    add(&log, 1, 3, 8, 100, 200);  /* other SMs */
    add(&log, 1, 70, 8, 100, 200); /* not asked for */
    CHECK_INT(log.count, 6);
    CHECK_OK(gsim_block_log_stays(&log, 65, true, &stays, &count, &error), error);
    CHECK_INT(count, 3);
    CHECK(count == 3 && stays[0].start == 100 && stays[0].end == 310 && stays[0].blocks == 5);
    CHECK(count == 3 && stays[1].start == 150 && stays[1].end == 400 && stays[1].blocks == 1);
    CHECK(count == 3 && stays[2].start == 311 && stays[2].end == 350 && stays[2].blocks == 4);
    gsim_free(stays);
    CHECK_OK(gsim_block_log_stays(&log, 65, false, &stays, &count, &error), error);
    CHECK_INT(count, 5);
    gsim_free(stays);
    gsim_block_log_release(&log);
}

static bool run(const struct gsim_program *program, const struct gsim_device_spec *device, const char *scheduler,
                bool exact, const struct gsim_observer *observer, struct gsim_timeline *timeline)
{
    struct gsim_error error = {0};
    struct gsim_simulation simulation = {.program = program,
                                         .device = device,
                                         .scheduler = gsim_scheduler_find(scheduler),
                                         .memory = GSIM_MEMORY_PINNED,
                                         .seed = 1,
                                         .observer = observer};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    simulation.gpu.exact = exact;
    CHECK_OK(gsim_simulate(&simulation, timeline, &error), error);
    return error.status == GSIM_OK;
}

static uint64_t blocks_of(const struct gsim_program *program, const struct gsim_timeline *timeline)
{
    uint64_t blocks = 0;
    for (size_t i = 0; i < timeline->kernel_count; i++) {
        const struct gsim_dim3 *grid = &program->kernels[timeline->kernels[i].kernel_index].grid;
        blocks += (uint64_t)grid->x * grid->y * grid->z;
    }
    return blocks;
}

/* Stays of SM in LOG: how many blocks and for how long, over all kernels; how many stays. */
struct sum {
    uint64_t blocks;
    double us;
    size_t stays;
};
static struct sum sum_of(const struct gsim_block_log *log, uint32_t sm)
{
    struct sum sum = {0};
    struct gsim_stay *stays;
    struct gsim_error error = {0};
    CHECK_OK(gsim_block_log_stays(log, sm, true, &stays, &sum.stays, &error), error);
    for (size_t i = 0; i < sum.stays; i++) {
        sum.blocks += stays[i].blocks;
        sum.us += gsim_time_us(stays[i].end - stays[i].start);
        CHECK(stays[i].end >= stays[i].start && (!i || stays[i].start >= stays[i - 1].start));
    }
    gsim_free(stays);
    return sum;
}

/* LAUNCH_BLOCKS of the one-dimensional kernels; 0: the workload's. */
static void check_alike(const char *workload, double size, uint32_t launch_blocks, const char *scheduler)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device = {0};
    struct gsim_program program = {0};
    struct gsim_timeline plain, watched, exact;
    struct gsim_block_log log, exact_log;
    const struct gsim_workload_options options = {
        .shape = GSIM_SHAPE_CONCURRENT, .size = size, .blocks = launch_blocks};
    uint64_t blocks = 0;
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
    CHECK_OK(gsim_workload_find(workload)->build(&options, &program, &error), error);
    gsim_block_log_init(&log, (uint32_t)device.sm_count);
    gsim_block_log_init(&exact_log, (uint32_t)device.sm_count);
    if (run(&program, &device, scheduler, false, NULL, &plain) &&
        run(&program, &device, scheduler, false, &log.observer, &watched) &&
        run(&program, &device, scheduler, true, &exact_log.observer, &exact)) {
        CHECK_INT(plain.kernel_count, watched.kernel_count);
        for (size_t i = 0; i < plain.kernel_count && i < watched.kernel_count; i++)
            CHECK(plain.kernels[i].start == watched.kernels[i].start && plain.kernels[i].end == watched.kernels[i].end);
        for (uint32_t sm = 0; sm < log.sm_count; sm++) {
            struct sum a = sum_of(&log, sm), b = sum_of(&exact_log, sm);
            blocks += a.blocks;
            CHECK_MSG(a.blocks == b.blocks && a.stays == b.stays && fabs(a.us - b.us) <= 0.005 * b.us,
                      "%s, SM %" PRIu32 ": %" PRIu64 " blocks in %zu stays of %.3f us, exactly %" PRIu64 ", %zu, %.3f",
                      workload, sm, a.blocks, a.stays, a.us, b.blocks, b.stays, b.us);
        }
        CHECK_INT(blocks, blocks_of(&program, &plain));
        for (size_t i = 0; i < exact_log.count; i++) CHECK_INT(exact_log.records[i].blocks, 1);
        CHECK_MSG(log.count < exact_log.count, "%zu records, exactly %zu", log.count, exact_log.count);
    }
    gsim_timeline_release(&plain);
    gsim_timeline_release(&watched);
    gsim_timeline_release(&exact);
    gsim_block_log_release(&log);
    gsim_block_log_release(&exact_log);
    gsim_program_release(&program);
    gsim_device_release(&device);
}

static void pooled_tells_what_exact_tells(void)
{
    check_alike("vec", 1e8, 20000, "serial"); /* kernels alone, in waves that are handled at once */
    check_alike("bs", 1e5, 0, "kesco");
    check_alike("img", 800, 0, "kesco");
}

static const struct test_case cases[] = {{"by hand", by_hand},
                                         {"pooled tells what exact tells", pooled_tells_what_exact_tells}};
TEST_MAIN("sim/report/block_log", cases)
