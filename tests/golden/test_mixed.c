/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two kernels on one SM: what traces/runner/micro/mixed.cu timed while sleeping blocks held all other SMs
 * (traces/h200/vm/mixed.txt.gz, traces/h100/mixed.txt.gz), simulated on a device of one SM. Known are the time of each
 * kernel alone on that SM and when the second one starts; compared are their ends, counted from there, by the kinds of
 * the two. The waits for issue slots are fitted to the H200's two; nothing is fitted to the H100's. Bounds: what the
 * model reached plus 15 % of it, half a percent at least.
 */
#include <math.h>
#include <string.h>
#include <zlib.h>

#include "sim/sm/gpu.h"
#include "tests/test.h"

enum { MAX_BLOCKS = 64, LINE = 4000 };
enum kind { FMA, STREAM, ARITHMETIC, SMEM, CHASE, KINDS };
static const char *const kind_names[KINDS] = {"fma", "stream", "stream+fma", "smem", "chase"};

struct side {
    enum kind kind;
    double alone_us, start_us, end_us; /* of all its blocks */
    struct gsim_demand work;
    double simulated_us;               /* its end */
};

static struct gsim_device_spec device;

static double last_of(const char **at, int count)
{
    double us = 0;
    for (int i = 0, step = 0; i < count; i++, *at += step) {
        CHECK_INT(sscanf(*at, " %lf%n", &us, &step), 1);
        us *= 1e-3;
    }
    return us;
}

/* Reads one kernel; IN_KIB: the shared memory that the SM is configured for, 0: the kernel's own. */
static void read_side(const char **at, struct side *side, int in_kib)
{
    char word[8];
    int fmas, shared, threads, blocks, loops, step;
    struct gsim_error error = {0};
    CHECK_INT(sscanf(*at, " %7s fmas %d shared %d threads %d blocks %d loops %d alone %lf starts%n", word, &fmas,
                     &shared, &threads, &blocks, &loops, &side->alone_us, &step),
              7);
    *at += step;
    side->alone_us *= 1e-3;
    const char *starts = *at;
    side->start_us = last_of(&starts, 1);
    last_of(at, blocks);
    CHECK(strncmp(*at, " ends", 5) == 0);
    *at += 5;
    side->end_us = last_of(at, blocks);
    double steps = (double)loops * threads * blocks;
    struct gsim_kernel kernel = {.name = word,
                                 .grid = {(uint32_t)blocks, 1, 1},
                                 .block = {(uint32_t)threads, 1, 1},
                                 .regs_per_thread = 16,
                                 .smem_bytes = (uint32_t)shared,
                                 .solo_us = side->alone_us,
                                 .demand_given = true};
    side->kind = word[0] == 'f' ? FMA : word[0] == 'c' ? CHASE : word[1] == 'm' ? SMEM : fmas ? ARITHMETIC : STREAM;
    if (side->kind == FMA) kernel.flops = 8 * steps;
    if (side->kind == STREAM || side->kind == ARITHMETIC) {
        kernel.regs_per_thread = 32;
        kernel.dram_bytes = 32 * steps;
        kernel.flops = 8 * steps * fmas;
    }
    CHECK_OK(gsim_demand_init(&side->work, &device, &kernel, &error), error);
    if (in_kib) side->work.carveout_bytes = (uint32_t)in_kib * 1024;
}

static void note_end(void *data, void *tag, gsim_time now)
{
    (void)data;
    ((struct side *)tag)->simulated_us = gsim_time_us(now);
}

static void simulate(struct side sides[2])
{
    const struct gsim_gpu_listener listener = {.kernel_ended = note_end};
    struct gsim_gpu_options options;
    struct gsim_arena arena = {0};
    gsim_params_set_defaults(gsim_gpu_params, &options);
    struct gsim_gpu *gpu = gsim_gpu_create(&arena, &device, &options, &listener);
    gsim_time arrival = gsim_time_from_us(sides[1].start_us);
    bool is_there = false;
    CHECK(gsim_gpu_submit(gpu, 0, &sides[0].work, 0, &sides[0]));
    for (gsim_time next; (next = gsim_gpu_next(gpu)) != GSIM_TIME_NEVER || !is_there;) {
        if (is_there || next < arrival) {
            gsim_gpu_advance(gpu, next);
            continue;
        }
        CHECK(gsim_gpu_submit(gpu, arrival, &sides[1].work, 0, &sides[1]));
        is_there = true;
    }
    gsim_arena_release(&arena);
}

struct mean {
    double sum;
    int count;
};

/* Mean error of the first one's end and of the second one's, of each pair of kinds. Returns how many cases there
 * were. */
static int errors_of(const char *path, const char *device_name, struct mean means[KINDS][KINDS][2])
{
    static char line[LINE];
    struct gsim_error error = {0};
    int cases = 0, in_kib, step;
    CHECK_OK(gsim_device_load(device_name, &device, &error), error);
    device.sm_count = 1;
    gzFile file = gzopen(path, "rb");
    CHECK(file);
    while (gzgets(file, line, LINE)) {
        struct side sides[2];
        const char *at = line;
        CHECK(strchr(line, '\n'));
        CHECK_INT(sscanf(at, "carveout %d%n", &in_kib, &step), 1);
        at += step;
        read_side(&at, &sides[0], in_kib);
        CHECK(strncmp(at, " then", 5) == 0);
        at += 5;
        read_side(&at, &sides[1], 0);
        if (sides[1].start_us > sides[0].end_us - 5)
            continue; /* it waited for another configuration of shared memory */
        simulate(sides);
        for (int i = 0; i < 2; i++) {
            struct mean *mean = &means[sides[0].kind][sides[1].kind][i];
            mean->sum += fabs(sides[i].simulated_us - sides[i].end_us) / (sides[i].end_us - sides[1].start_us);
            mean->count++;
        }
        cases++;
    }
    gzclose(file);
    gsim_device_release(&device);
    return cases;
}

struct bound {
    double percent[KINDS][2]; /* by the second kernel's kind: of the first one's end, of the second one's */
};

static void check(const char *path, const char *device_name, int cases, const struct bound bounds[KINDS])
{
    struct mean means[KINDS][KINDS][2];
    memset(means, 0, sizeof means);
    CHECK_INT(errors_of(path, device_name, means), cases);
    for (int a = 0; a < KINDS; a++)
        for (int b = 0; b < KINDS; b++)
            for (int i = 0; i < 2; i++) {
                double percent = 100 * means[a][b][i].sum / means[a][b][i].count;
                CHECK_MSG(percent <= bounds[a].percent[b][i],
                          "%s: %s, then %s: end of the %s %.1f %% off, at most %.1f", path, kind_names[a],
                          kind_names[b], i ? "second" : "first", percent, bounds[a].percent[b][i]);
            }
}

static void h200(void)
{
    static const struct bound bounds[KINDS] = {
        {{{1.8, 0.6}, {0.6, 4.3}, {4.3, 1.4}, {0.8, 1.6}, {0.6, 5.3}}},
        {{{1.4, 2.7}, {3.7, 2.4}, {5.4, 3.4}, {1.2, 2.6}, {16.3, 32.1}}},
        {{{10.9, 3.9}, {4.4, 5.7}, {5.4, 5.0}, {3.0, 10.3}, {12.5, 25.2}}},
        {{{2.1, 1.6}, {2.5, 1.4}, {5.7, 11.2}, {4.3, 2.2}, {24.4, 18.8}}},
        {{{6.8, 0.8}, {43.0, 12.7}, {37.6, 9.0}, {27.4, 26.7}, {31.4, 25.2}}},
    };
    check(GPUSIM_SOURCE_DIR "/traces/h200/vm/mixed.txt.gz", "h200-vm", 1282, bounds);
}

static void h200_other(void)
{
    static const struct bound bounds[KINDS] = {
        {{{1.1, 0.7}, {0.7, 5.1}, {5.3, 5.2}, {2.1, 1.9}, {0.6, 2.4}}},
        {{{1.6, 1.8}, {6.5, 1.5}, {5.7, 3.5}, {2.7, 2.9}, {7.8, 34.8}}},
        {{{7.8, 4.4}, {7.6, 5.0}, {5.0, 5.9}, {2.3, 6.5}, {4.7, 28.1}}},
        {{{2.2, 4.8}, {5.6, 1.5}, {5.9, 8.3}, {3.0, 1.4}, {17.5, 5.2}}},
        {{{3.3, 0.8}, {50.2, 9.1}, {41.1, 4.1}, {12.8, 21.4}, {25.7, 20.0}}},
    };
    check(GPUSIM_SOURCE_DIR "/traces/h200/vm/mixed-other.txt.gz", "h200-vm", 1246, bounds);
}

static void h100(void)
{
    static const struct bound bounds[KINDS] = {
        {{{2.2, 0.6}, {0.7, 4.6}, {2.8, 1.3}, {1.3, 1.8}, {0.8, 5.6}}},
        {{{1.6, 3.1}, {3.8, 2.4}, {5.3, 3.1}, {1.1, 2.6}, {16.1, 35.0}}},
        {{{10.7, 3.9}, {4.2, 6.7}, {6.0, 4.6}, {2.6, 10.3}, {11.4, 28.7}}},
        {{{2.3, 1.6}, {2.5, 1.3}, {5.5, 10.9}, {4.4, 2.2}, {16.2, 10.8}}},
        {{{6.6, 1.1}, {47.3, 12.0}, {39.1, 8.0}, {15.3, 17.2}, {33.6, 26.2}}},
    };
    check(GPUSIM_SOURCE_DIR "/traces/h100/mixed.txt.gz", "h100-vm", 1282, bounds);
}

static void h100_other(void)
{
    static const struct bound bounds[KINDS] = {
        {{{1.1, 0.7}, {0.7, 5.5}, {4.8, 5.4}, {2.2, 1.9}, {0.6, 2.2}}},
        {{{1.8, 1.8}, {4.5, 1.1}, {4.6, 3.0}, {2.6, 3.2}, {5.5, 38.3}}},
        {{{8.0, 4.3}, {6.8, 4.7}, {5.7, 5.6}, {2.0, 6.3}, {3.8, 31.5}}},
        {{{2.1, 4.7}, {5.3, 2.1}, {5.8, 8.4}, {3.0, 1.4}, {14.1, 5.0}}},
        {{{3.3, 0.7}, {53.6, 7.9}, {44.6, 2.8}, {13.5, 17.2}, {27.6, 19.5}}},
    };
    check(GPUSIM_SOURCE_DIR "/traces/h100/mixed-other.txt.gz", "h100-vm", 1246, bounds);
}

static const struct test_case cases[] = {
    {"H200", h200},
    {"H200, other shapes", h200_other},
    {"H100, not in view", h100},
    {"H100, other shapes", h100_other},
};
TEST_MAIN("golden/mixed", cases)
