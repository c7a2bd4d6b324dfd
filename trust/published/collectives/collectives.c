/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/published/collectives/collectives.h. Each case is a run of ranks that do the same: one of them is
 * simulated. */
#include "trust/published/collectives/collectives.h"

#include <math.h>

#include "gpusim/simulate.h"

#define MIB 1048576.0

enum unit { BUS_GBPS, TIME_US, SLOWER };

static const struct {
    const char *machine, *device;
    double peer_gbps; /* of copies between its GPUs; 0: the device's */
    uint32_t ranks;
    enum gsim_collective_kind kind;
    enum gsim_collective_algorithm algorithm;
    uint32_t channels;
    double mib;
    enum unit unit;
    double published;
    const char *source, *cause; /* CAUSE: of a miss; NULL: none */
} cases[] = {
    {"8 A100-SXM4", "a100-sxm4-40gb", 255, 8, GSIM_COLLECTIVE_ALL_REDUCE, 0, 0, 1, TIME_US, 69.3, "CS244C",
     "its host takes 55 us to launch eight ranks"},
    {"8 A100-SXM4", "a100-sxm4-40gb", 255, 8, GSIM_COLLECTIVE_ALL_REDUCE, 0, 0, 8, TIME_US, 187, "CS244C",
     "its host takes 55 us to launch eight ranks"},
    {"8 A100-SXM4", "a100-sxm4-40gb", 255, 8, GSIM_COLLECTIVE_ALL_REDUCE, 0, 0, 32, TIME_US, 457, "CS244C",
     "its host takes 55 us to launch eight ranks"},
    {"8 A100-SXM4", "a100-sxm4-40gb", 255, 8, GSIM_COLLECTIVE_ALL_REDUCE, 0, 0, 64, TIME_US, 729, "CS244C", NULL},
    {"8 A100-SXM4", "a100-sxm4-40gb", 255, 8, GSIM_COLLECTIVE_ALL_REDUCE, 0, 0, 128, TIME_US, 1402, "CS244C", NULL},
    {"8 A100-80", "a100-sxm4-40gb", 255, 8, GSIM_COLLECTIVE_ALL_REDUCE, 0, 0, 1024, BUS_GBPS, 200, "nccl-tests #149",
     NULL},
    {"2 A100 NV12", "a100-sxm4-40gb", 255, 2, GSIM_COLLECTIVE_ALL_REDUCE, 0, 0, 1024, BUS_GBPS, 208, "nccl-tests #178",
     NULL},
    {"2 A100-SXM4", "a100-sxm4-40gb", 255, 2, GSIM_COLLECTIVE_SEND_RECV, 0, 0, 1024, BUS_GBPS, 195,
     "li-plus/playground", NULL},
    {"2 H100-SXM", "h100-vm", 0, 2, GSIM_COLLECTIVE_ALL_REDUCE, GSIM_ALGORITHM_RING, 0, 1024, BUS_GBPS, 367,
     "nccl #1455", "two H100 of this model's data reach 301 at 256 MiB"},
    {"4 H100-SXM", "h100-vm", 0, 4, GSIM_COLLECTIVE_ALL_REDUCE, GSIM_ALGORITHM_RING, 0, 1024, BUS_GBPS, 367,
     "nccl #1455", NULL},
    {"8 H100-SXM", "h100-vm", 0, 8, GSIM_COLLECTIVE_ALL_REDUCE, GSIM_ALGORITHM_RING, 0, 1024, BUS_GBPS, 367,
     "nccl #1455", NULL},
    {"4 H100-SXM", "h100-vm", 0, 4, GSIM_COLLECTIVE_ALL_REDUCE, GSIM_ALGORITHM_NVLS, 0, 1024, BUS_GBPS, 370,
     "nccl #1455", NULL},
    {"8 H100-SXM", "h100-vm", 0, 8, GSIM_COLLECTIVE_ALL_REDUCE, GSIM_ALGORITHM_NVLS, 0, 1024, BUS_GBPS, 480,
     "nccl #1455", NULL},
    {"8 H200", "h200", 398, 8, GSIM_COLLECTIVE_ALL_REDUCE, GSIM_ALGORITHM_NVLS, 0, 1024, BUS_GBPS, 475,
     "nccl-tests #272", NULL},
    {"8 H800", "h100-vm", 177, 8, GSIM_COLLECTIVE_ALL_REDUCE, GSIM_ALGORITHM_NVLS, 0, 1024, BUS_GBPS, 215, "nccl #1374",
     NULL},
    /* A GEMM of one block on each SM beside all-gathers: of their channels' blocks, and of one. */
    {"8 H100, GEMM of 132", "h100-vm", 0, 8, GSIM_COLLECTIVE_ALL_GATHER, 0, 24, 256, SLOWER, 1.7, "NVIDIA forum 337991",
     "the first of it; its mean is that of several"},
    {"8 H100, GEMM of 132", "h100-vm", 0, 8, GSIM_COLLECTIVE_ALL_GATHER, 0, 1, 256, SLOWER, 1.7, "derived",
     "the same: a second wave"},
};
#define CASE_COUNT (sizeof cases / sizeof cases[0])
_Static_assert(CASE_COUNT <= GSIM_COLLECTIVE_CASES, "room for all");

#define GEMM_US 500.0 /* assumed: the forum gives a ratio; long enough that launches do not count */
#define GEMMS   4u    /* assumed: until the all-gather has ended */

static enum gsim_status make_program(size_t c, struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_builder *b = gsim_builder_create("collective");
    static const uint32_t pair[] = {0, 1};
    const struct gsim_collective what = {.kind = cases[c].kind,
                                         .algorithm = cases[c].algorithm,
                                         .channels = cases[c].channels,
                                         .bytes = (uint64_t)(cases[c].mib * MIB),
                                         .group = pair,
                                         .group_count = cases[c].kind == GSIM_COLLECTIVE_SEND_RECV ? 2 : 0};
    if (!b) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    const struct gsim_kernel gemm = {.name = "gemm",
                                     .grid = {132, 1, 1},
                                     .block = {384, 1, 1},
                                     .regs_per_thread = 168,
                                     .smem_bytes = 213188,
                                     .solo_us = GEMM_US};
    uint32_t kernel = cases[c].unit == SLOWER ? gsim_builder_kernel(b, &gemm) : 0,
             collective = gsim_builder_collective(b, &what);
    gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = collective, .stream = 1});
    for (uint32_t i = 0; cases[c].unit == SLOWER && i < GEMMS; i++) {
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = kernel, .stream = 0});
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = collective, .stream = 1});
    }
    return gsim_builder_finish(b, 1, program, error);
}

static double bus_factor(size_t c)
{
    double n = cases[c].ranks;
    if (cases[c].kind == GSIM_COLLECTIVE_ALL_REDUCE) return 2 * (n - 1) / n;
    return cases[c].kind == GSIM_COLLECTIVE_ALL_GATHER ? (n - 1) / n : 1;
}

static double measure(size_t c, const struct gsim_timeline *t)
{
    if (cases[c].unit == SLOWER) {
        double longest = 0;
        for (size_t i = 0; i < t->kernel_count; i++)
            if (!t->program->kernels[t->kernels[i].kernel_index].collective)
                longest = fmax(longest, gsim_time_us(t->kernels[i].end - t->kernels[i].start));
        return longest / GEMM_US;
    }
    double us = gsim_time_us(t->collectives[0].end - t->collectives[0].begun);
    return cases[c].unit == TIME_US ? us : cases[c].mib * MIB * bus_factor(c) / us * 1e-3;
}

static enum gsim_status run(size_t c, double *result, struct gsim_error *error)
{
    struct gsim_device_spec device;
    struct gsim_program program = {0};
    struct gsim_rank_set set = {0};
    struct gsim_timeline timeline = {0};
    const struct gsim_ranks links = {.has_multicast = cases[c].algorithm == GSIM_ALGORITHM_NVLS};
    bool is_pair = cases[c].kind == GSIM_COLLECTIVE_SEND_RECV;
    enum gsim_status status = gsim_device_load(cases[c].device, &device, error);
    if (status) return status;
    if (cases[c].peer_gbps > 0) device.peer_gbps = cases[c].peer_gbps;
    struct gsim_simulation s = {.device = &device, .memory = GSIM_MEMORY_PINNED, .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    status = make_program(c, &program, error);
    struct gsim_rank_program ranks[2];
    for (uint32_t i = 0; i < 2; i++)
        ranks[i] = (struct gsim_rank_program){.program = &program,
                                              .scheduler = gsim_scheduler_find("async"),
                                              .rank = i,
                                              .copies = is_pair ? 1 : cases[c].ranks,
                                              .device = i};
    if (!status) status = gsim_rank_set_init(&set, ranks, is_pair ? 2 : 1, &links, 1, &s, error);
    if (!status) status = gsim_simulate(&s, &timeline, error);
    if (!status) *result = measure(c, &timeline);
    gsim_timeline_release(&timeline);
    gsim_rank_set_release(&set);
    gsim_program_release(&program);
    gsim_device_release(&device);
    return status;
}

enum gsim_status gsim_published_collectives_run(struct gsim_published_collectives *c, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < CASE_COUNT && !status; i++) status = run(i, &c->simulated[i], error);
    return status;
}

static const char *unit_of(size_t c)
{
    return cases[c].unit == BUS_GBPS ? "GB/s" : cases[c].unit == TIME_US ? "us" : "x";
}

static const char *name_of(size_t c)
{
    return cases[c].unit == SLOWER ? "gemm beside" : gsim_collective_names[cases[c].kind];
}

void gsim_published_collectives_print(const struct gsim_published_collectives *c, struct gsim_output *output)
{
    double sum = 0;
    gsim_output_printf(output, "%-20s %-12s %5s %9s %8s %10s %10s %8s  %s\n", "machine", "what", "alg", "MiB",
                       "channels", "published", "simulated", "error %", "source");
    for (size_t i = 0; i < CASE_COUNT; i++) {
        double off = c->simulated[i] / cases[i].published - 1;
        sum += fabs(off);
        gsim_output_printf(output, "%-20s %-12s %5.5s %9g %8u %6.4g %-4s %5.4g %-4s %+7.1f  %s%s%s\n", cases[i].machine,
                           name_of(i), gsim_algorithm_names[cases[i].algorithm], cases[i].mib, cases[i].channels,
                           cases[i].published, unit_of(i), c->simulated[i], unit_of(i), 100 * off, cases[i].source,
                           cases[i].cause ? ": " : "", cases[i].cause ? cases[i].cause : "");
    }
    gsim_output_printf(
        output,
        "\n%zu numbers, mean error %.1f %%. channels 0: by NCCL's rules. GB/s: bus bandwidth, the message over the "
        "time, times 2 (n - 1) / n of an\n"
        "all-reduce. Nothing of the model was fitted to these; links are those of peer copies, as published.\n",
        CASE_COUNT, 100 * sum / (double)CASE_COUNT);
}

void gsim_published_collectives_csv(const struct gsim_published_collectives *c, struct gsim_output *output)
{
    gsim_output_text(output, "machine,what,algorithm,mib,channels,unit,published,simulated,source\n");
    for (size_t i = 0; i < CASE_COUNT; i++) {
        gsim_output_csv_string(output, cases[i].machine);
        gsim_output_printf(output, ",%s,%s,%g,%u,%s,%g,%.6f,", name_of(i), gsim_algorithm_names[cases[i].algorithm],
                           cases[i].mib, cases[i].channels, unit_of(i), cases[i].published, c->simulated[i]);
        gsim_output_put(output, "%c\n", cases[i].source);
    }
}
