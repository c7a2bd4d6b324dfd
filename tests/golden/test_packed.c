/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many blocks on one SM that load, compute and store: what traces/runner/micro/mixed.cu timed while sleeping blocks
 * held all other SMs (traces/h200/vm/packed.txt), simulated on a device of one SM. From the time of one block alone
 * follows when the first and the last of up to 32 end, by themselves and beside younger blocks that only compute.
 * Bounds: what the model reached plus 15 % of it.
 */
#include <math.h>
#include <string.h>

#include "sim/device/device.h"
#include "sim/sm/gpu.h"
#include "tests/test.h"

enum { MOST = 32 };

struct line {
    int fmas, loops, blocks, threads, later, later_threads;
    double ends_us[MOST];
    double later_start_us;
};

static struct gsim_device_spec device;

static bool read_line(FILE *file, struct line *l)
{
    char line[1000], form[8];
    int at = 0, step = 0;
    double ns;
    do {
        if (!fgets(line, sizeof line, file)) return false;
        CHECK_INT(sscanf(line, "form %7s fmas %d loops %d blocks %d threads %d ends%n", form, &l->fmas, &l->loops,
                         &l->blocks, &l->threads, &at),
                  5);
    } while (strcmp(form, "copy") != 0);
    for (int i = 0; i < l->blocks; i++, at += step) {
        CHECK_INT(sscanf(line + at, " %lf%n", &ns, &step), 1);
        l->ends_us[i] = ns * 1e-3;
    }
    l->later = 0;
    if (sscanf(line + at, " later %d threads %d loops %*d start %lf", &l->later, &l->later_threads, &ns) == 3)
        l->later_start_us = ns * 1e-3;
    return true;
}

/* A kernel whose one block alone takes that long. */
static struct gsim_demand work_alone(const struct line *l, double us)
{
    struct gsim_demand work = {0};
    struct gsim_error error = {0};
    double steps = (double)l->loops * l->threads;
    const struct gsim_kernel kernel = {.name = "copy",
                                       .grid = {1, 1, 1},
                                       .block = {(uint32_t)l->threads, 1, 1},
                                       .regs_per_thread = 32,
                                       .solo_us = us,
                                       .dram_bytes = steps * 32,
                                       .flops = steps * 8 * l->fmas,
                                       .demand_given = true};
    CHECK_OK(gsim_demand_init(&work, &device, &kernel, &error), error);
    return work;
}

/* Blocks that only compute, for longer than the others last. */
static struct gsim_demand later_work(const struct line *l)
{
    struct gsim_demand work = {0};
    struct gsim_error error = {0};
    const struct gsim_kernel kernel = {.name = "compute",
                                       .grid = {1, 1, 1},
                                       .block = {(uint32_t)l->later_threads, 1, 1},
                                       .regs_per_thread = 16,
                                       .solo_us = 150,
                                       .flops = 20000.0 * 8 * l->later_threads,
                                       .demand_given = true};
    CHECK_OK(gsim_demand_init(&work, &device, &kernel, &error), error);
    return work;
}

static int ended;
static double ends_us[2 * MOST];

static void note_end(void *data, void *tag, gsim_time now)
{
    (void)data;
    if (!tag) ends_us[ended++] = gsim_time_us(now);
}

/* Every block a kernel of its own, so that each end is seen. */
static void simulate(const struct line *l, const struct gsim_demand *work)
{
    const struct gsim_gpu_listener listener = {.kernel_ended = note_end};
    struct gsim_gpu_options options;
    struct gsim_arena arena = {0};
    struct gsim_demand later = {0};
    bool is_later = l->later > 0;
    ended = 0;
    gsim_params_set_defaults(gsim_gpu_params, &options);
    struct gsim_gpu *gpu = gsim_gpu_create(&arena, &device, &options, &listener);
    if (is_later) later = later_work(l);
    for (int i = 0; i < l->blocks; i++) CHECK(gsim_gpu_submit(gpu, 0, work, 0, NULL));
    gsim_time arrival = is_later ? gsim_time_from_us(l->later_start_us) : GSIM_TIME_NEVER;
    for (gsim_time next; (next = gsim_gpu_next(gpu)) != GSIM_TIME_NEVER || is_later;) {
        if (is_later && arrival <= next) {
            for (int i = 0; i < l->later; i++) CHECK(gsim_gpu_submit(gpu, arrival, &later, 0, &later));
            is_later = false;
            continue;
        }
        gsim_gpu_advance(gpu, next);
    }
    CHECK_INT(ended, l->blocks);
    gsim_arena_release(&arena);
}

struct mean {
    double sum;
    int count;
};

static double value(const struct mean *m) { return m->sum / m->count; }

static void add(struct mean *m, double predicted, double measured)
{
    m->sum += fabs(predicted / measured - 1);
    m->count++;
}

static void blocks_end_as_measured(void)
{
    struct mean first[2] = {{0, 0}}, last[2] = {{0, 0}};
    struct gsim_error error = {0};
    struct line l, alone = {0};
    CHECK_OK(gsim_device_load("h200-vm", &device, &error), error);
    device.sm_count = 1;
    FILE *file = fopen(GPUSIM_SOURCE_DIR "/traces/h200/vm/packed.txt", "r");
    CHECK(file);
    static struct line singles[100];
    int single_count = 0;
    while (read_line(file, &l)) {
        if (l.blocks == 1 && !l.later) singles[single_count++] = l;
        for (int i = 0; i < single_count; i++)
            if (singles[i].threads == l.threads && singles[i].fmas == l.fmas) alone = singles[i];
        CHECK_INT(alone.threads, l.threads);
        CHECK_INT(alone.fmas, l.fmas);
        struct gsim_demand work = work_alone(&l, alone.ends_us[0]);
        simulate(&l, &work);
        add(&first[l.later > 0], ends_us[0], l.ends_us[0]);
        add(&last[l.later > 0], ends_us[l.blocks - 1], l.ends_us[l.blocks - 1]);
    }
    fclose(file);
    CHECK_INT(first[0].count, 280);
    CHECK_INT(first[1].count, 76);
    CHECK_MSG(value(&first[0]) < 0.049, "first end: %.4f", value(&first[0]));
    CHECK_MSG(value(&last[0]) < 0.032, "last end: %.4f", value(&last[0]));
    CHECK_MSG(value(&first[1]) < 0.042, "first end beside younger blocks: %.4f", value(&first[1]));
    CHECK_MSG(value(&last[1]) < 0.041, "last end beside younger blocks: %.4f", value(&last[1]));
}

static const struct test_case cases[] = {{"blocks end as measured", blocks_end_as_measured}};
TEST_MAIN("golden/packed", cases)
