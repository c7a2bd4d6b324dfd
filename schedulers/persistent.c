/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * persistent: all kernels fused into one that stays on the SMs, their blocks its tasks. How tasks come to workers is
 * the mode's: static is Hazy Research's Megakernels, barrier AutoMegaKernel and Luce, queue FlashMoE and Atos, claim
 * Cohere's, sched-warps Mirage's MPK, copilot the host scheduler of simpler (Ascend). Constants are the device's.
 * Deviation: one launch per stretch between host accesses and copies, and page faults inside it are not simulated.
 */
#include "schedulers/shared/resident.h"

struct persistent_params {
    int mode, order;
    int64_t workers, reserved, threads, depth, batch;
    double prefetch, straggler_cv, batch_us, decision_us;
    bool fetch_ahead, ahead, speculate, bypass;
    double guess;
};

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct persistent_params *p = run->params;
    const struct gsim_persistent style = {.mode = (enum gsim_persistent_mode)p->mode,
                                          .workers = (uint32_t)p->workers,
                                          .fetches_ahead = p->fetch_ahead,
                                          .prefetch_kib = p->prefetch,
                                          .straggler_cv = p->straggler_cv,
                                          .reserved_sms = (uint32_t)p->reserved,
                                          .is_ahead = p->ahead,
                                          .copilot = {.threads = (uint32_t)p->threads,
                                                      .depth = (uint32_t)p->depth,
                                                      .batch = (uint32_t)p->batch,
                                                      .batch_us = p->batch_us,
                                                      .decision_us = p->decision_us,
                                                      .fetch_us = -1,
                                                      .post_us = -1,
                                                      .speculates = p->speculate,
                                                      .guess = p->guess,
                                                      .bypasses = p->bypass}};
    return gsim_resident_execute(run, &style, (enum gsim_resident_order)p->order, error);
}

#define MODE_NAME(name, text) "|" text
#define PARAMS struct persistent_params
static const struct gsim_param params_table[] = {
    GSIM_CHOICE(PARAMS, mode, GSIM_PERSISTENT_STATIC, GSIM_PERSISTENT_MODES - 1,
                &(GSIM_PERSISTENT_MODE_MAP(MODE_NAME))[1], "how tasks come to workers"),
    GSIM_INT(PARAMS, workers, 0, 0, 65536, "", "workers; 0: one for each SM that no scheduler warp has"),
    GSIM_CHOICE(PARAMS, order, GSIM_RESIDENT_PROGRAM, 3, GSIM_RESIDENT_ORDERS,
                "preset order of the kernels: the program's, by level, longest path first, by priority"),
    GSIM_BOOL(PARAMS, fetch_ahead, 0, "lists: fetch a task's descriptor while the task before it runs"),
    GSIM_REAL(PARAMS, prefetch, 104, 0, 65536, "KiB",
              "static, kernels with a prologue: loads of the next task while one runs; 0: behind it (Hazy: 2 in "
              "flight, 13 pages of 16 KiB; half of them)"),
    GSIM_REAL(PARAMS, straggler_cv, 0, 0, 1, "",
              "how unevenly DRAM serves workers during a kernel: spread of their times, relative (an input)"),
    GSIM_INT(PARAMS, reserved, 4, 1, 256, "", "sched-warps: SMs for them, four warps on each"),
    GSIM_BOOL(PARAMS, ahead, 0, "sched-warps: bind tasks to workers before, which then wait for what they follow"),
    GSIM_INT(PARAMS, threads, 1, 1, 64, "", "copilot: host threads, each with its share of the workers"),
    GSIM_INT(PARAMS, depth, 1, 1, 64, "", "copilot: tasks that a worker may hold, the running one included"),
    GSIM_INT(PARAMS, batch, 1, 1, 1024, "", "copilot: placements made visible together"),
    GSIM_REAL(PARAMS, batch_us, 0, 0, 1000, "us", "copilot: how long a batch that is not full waits"),
    GSIM_REAL(PARAMS, decision_us, 0, 0, 1000, "us",
              "copilot: time of one decision, beside the device's board_place_us"),
    GSIM_BOOL(PARAMS, speculate, 0, "copilot: with nothing ready, place tasks ahead of what they follow"),
    GSIM_REAL(PARAMS, guess, 1, 0, 1, "", "copilot: share of those that need not be placed again"),
    GSIM_BOOL(PARAMS, bypass, 0, "copilot: the only task behind another stays on its worker, without the host"),
    {.name = NULL},
};

const struct gsim_scheduler_ops gsim_scheduler_persistent = {
    GSIM_HEAD(scheduler),
    .name = "persistent",
    .summary = "one resident kernel whose workers do all kernels' blocks as tasks",
    .source = "HazyResearch/Megakernels; Mirage MPK; Cohere 2026; Atos (arXiv 2112.00132); hw-native-sys/simpler",
    .shape = GSIM_SHAPE_CONCURRENT,
    .uses_devices = true,
    .takes_source = true,
    .params_size = sizeof(struct persistent_params),
    .params = params_table,
    .prepare = gsim_resident_prepare,
    .execute = execute,
};
