/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When blocks that came to an SM together end, by age: what traces/runner/micro/ages.py found in the blocks of 160 DAGs
 * on an H200 and on an H100, against the model. The H200's were in view when the rules were found, the H100's were not.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/device/device.h"
#include "sim/sm/gpu.h"
#include "tests/test.h"

#define MAX_BLOCKS 16
#define ALONE_US    100.0

struct ends {
    double us[MAX_BLOCKS];
    uint32_t count;
};

static void note_end(void *data, void *tag, const uint64_t *sms, uint64_t blocks, gsim_time since, gsim_time until)
{
    struct ends *ends = data;
    (void)tag;
    (void)since;
    for (uint64_t i = 0; (sms[0] & 1) && i < blocks && ends->count < MAX_BLOCKS; i++)
        ends->us[ends->count++] = gsim_time_us(until);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* COUNT blocks on each SM at once, of which one there alone takes ALONE_US. */
static struct ends simulate(const struct gsim_device_spec *device, bool is_fma, uint32_t threads, uint32_t count)
{
    uint32_t sms = (uint32_t)device->sm_count;
    const struct gsim_kernel kernel = {.name = "k",
                                       .grid = {sms, 1, 1},
                                       .block = {threads, 1, 1},
                                       .regs_per_thread = 16,
                                       .smem_bytes = is_fma ? 0 : 26624,
                                       .flops = is_fma ? 1e12 : 0,
                                       .demand_given = true,
                                       .solo_us = ALONE_US};
    struct gsim_arena arena = {0};
    struct gsim_gpu_options options;
    struct gsim_error error = {0};
    struct gsim_demand work;
    struct ends ends = {.count = 0};
    const struct gsim_gpu_watcher watcher = {&ends, note_end};
    gsim_params_set_defaults(gsim_gpu_params, &options);
    CHECK_OK(gsim_demand_init(&work, device, &kernel, &error), error);
    work.blocks = (uint64_t)sms * count;
    struct gsim_gpu *gpu = gsim_gpu_create(&arena, device, &options, NULL);
    gsim_gpu_watch(gpu, &watcher);
    CHECK(gsim_gpu_submit(gpu, 0, &work, 0, NULL) != NULL);
    for (gsim_time next; (next = gsim_gpu_next(gpu)) != GSIM_TIME_NEVER;) gsim_gpu_advance(gpu, next);
    gsim_arena_release(&arena);
    CHECK_INT(ends.count, count);
    qsort(ends.us, ends.count, sizeof ends.us[0], by_value);
    return ends;
}

/* The errors' mean and greatest, over all ends of blocks that were not alone. */
static void compare(const char *path, const char *device_name, double most_mean, double most)
{
    char line[400], kind[8];
    double sum = 0, worst = 0;
    size_t count = 0;
    struct gsim_device_spec device = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load(device_name, &device, &error), error);
    FILE *file = fopen(path, "r");
    CHECK_MSG(file != NULL, "%s: not read", path);
    while (file && fgets(line, sizeof line, file)) {
        unsigned threads, blocks;
        double measured[MAX_BLOCKS];
        if (line[0] == '#') continue;
        CHECK_INT(sscanf(line, "%7s %u threads, %u on an SM", kind, &threads, &blocks), 3);
        char *at = strchr(line, ':');
        if (blocks < 2 || blocks > MAX_BLOCKS || !at) continue;
        at++;
        for (unsigned i = 0; i < blocks; i++) measured[i] = strtod(at, &at) * ALONE_US;
        qsort(measured, blocks, sizeof measured[0], by_value);
        struct ends ends = simulate(&device, strcmp(kind, "fma") == 0, threads, blocks);
        for (unsigned i = 0; i < blocks; i++, count++) {
            double off = fabs(ends.us[i] / measured[i] - 1);
            sum += off;
            worst = fmax(worst, off);
        }
    }
    if (file) fclose(file);
    gsim_device_release(&device);
    CHECK(count > 150);
    CHECK_MSG(sum / (double)count <= most_mean, "%s: %.4f off on average, at most %.4f", path, sum / (double)count,
              most_mean);
    CHECK_MSG(worst <= most, "%s: %.4f off at worst, at most %.4f", path, worst, most);
}

static void blocks_end_by_age(void)
{
    compare(GPUSIM_SOURCE_DIR "/traces/h200/vm/ages.txt", "h200-vm", 0.02, 0.055);
    compare(GPUSIM_SOURCE_DIR "/traces/h100/ages.txt", "h100-vm", 0.02, 0.055);
}

static const struct test_case cases[] = {{"blocks end by age", blocks_end_by_age}};
TEST_MAIN("golden/ages", cases)
