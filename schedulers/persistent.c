/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * persistent: all kernels fused into one that stays on the SMs, their blocks its tasks. How tasks come to workers is
 * the mode's: static is Hazy Research's Megakernels, barrier AutoMegaKernel and Luce, queue FlashMoE and Atos, claim
 * Cohere's, sched-warps Mirage's MPK, copilot the host scheduler of simpler (Ascend). Constants are the device's.
 * Deviation: one launch per stretch between host accesses and copies, and page faults inside it are not simulated.
 */
#include "schedulers/shared/resident.h"

struct persistent_params {
    struct gsim_persistent style;
    int order;
};

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct persistent_params *p = run->params;
    struct gsim_persistent style = p->style;
    style.copilot.fetch_us = style.copilot.post_us = -1;
    return gsim_resident_execute(run, &style, (enum gsim_resident_order)p->order, error);
}

#define MODE_NAME(name, text) "|" text
#define STYLE(name, type, field, ...) \
    {name, GSIM_PARAM_##type, offsetof(struct persistent_params, style.field), __VA_ARGS__}
const struct gsim_scheduler_ops gsim_scheduler_persistent = {
    GSIM_HEAD(scheduler),
    .name = "persistent",
    .summary = "one resident kernel whose workers do all kernels' blocks as tasks",
    .source = "HazyResearch/Megakernels; Mirage MPK; Cohere 2026; Atos (arXiv 2112.00132); hw-native-sys/simpler",
    .shape = GSIM_SHAPE_CONCURRENT,
    .uses_devices = true,
    .takes_source = true,
    GSIM_PARAMS(struct persistent_params,
        STYLE("mode", CHOICE, mode, GSIM_PERSISTENT_STATIC, 0, GSIM_PERSISTENT_MODES - 1, "",
              &(GSIM_PERSISTENT_MODE_MAP(MODE_NAME))[1], "how tasks come to workers"),
        STYLE("workers", INT, workers, 0, 0, 65536, "", NULL, "workers; 0: one for each SM that no scheduler warp has"),
        GSIM_CHOICE(struct persistent_params, order, GSIM_RESIDENT_PROGRAM, 3, GSIM_RESIDENT_ORDERS,
                    "preset order of the kernels: the program's, by level, longest path first, by priority"),
        STYLE("fetch_ahead", BOOL, fetches_ahead, 0, 0, 1, "", NULL,
              "lists: fetch a task's descriptor while the task before it runs"),
        STYLE("prefetch", REAL, prefetch_kib, 104, 0, 65536, "KiB", NULL,
              "static, kernels with a prologue: loads of the next task while one runs; 0: behind it (Hazy: 2 in "
              "flight, 13 pages of 16 KiB; half of them)"),
        STYLE("straggler_cv", REAL, straggler_cv, 0, 0, 1, "", NULL,
              "how unevenly DRAM serves workers during a kernel: spread of their times, relative (an input)"),
        STYLE("reserved", INT, reserved_sms, 4, 1, 256, "", NULL, "sched-warps: SMs for them, four warps on each"),
        STYLE("ahead", BOOL, is_ahead, 0, 0, 1, "", NULL,
              "sched-warps: bind tasks to workers before, which then wait for what they follow"),
        STYLE("threads", INT, copilot.threads, 1, 1, 64, "", NULL,
              "copilot: host threads, each with its share of the workers"),
        STYLE("depth", INT, copilot.depth, 1, 1, 64, "", NULL,
              "copilot: tasks that a worker may hold, the running one included"),
        STYLE("batch", INT, copilot.batch, 1, 1, 1024, "", NULL, "copilot: placements made visible together"),
        STYLE("batch_us", REAL, copilot.batch_us, 0, 0, 1000, "us", NULL,
              "copilot: how long a batch that is not full waits"),
        STYLE("decision_us", REAL, copilot.decision_us, 0, 0, 1000, "us", NULL,
              "copilot: time of one decision, beside the device's board_place_us"),
        STYLE("speculate", BOOL, copilot.speculates, 0, 0, 1, "", NULL,
              "copilot: with nothing ready, place tasks ahead of what they follow"),
        STYLE("guess", REAL, copilot.guess, 1, 0, 1, "", NULL, "copilot: share of those that need not be placed again"),
        STYLE("bypass", BOOL, copilot.bypasses, 0, 0, 1, "", NULL,
              "copilot: the only task behind another stays on its worker, without the host")),
    .prepare = gsim_resident_prepare,
    .execute = execute,
};
