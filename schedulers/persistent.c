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
#define FIELD(name) offsetof(struct persistent_params, name)
static const struct gsim_param params_table[] = {
    {"mode", GSIM_PARAM_CHOICE, FIELD(mode), GSIM_PERSISTENT_STATIC, 0, GSIM_PERSISTENT_MODES - 1, "",
     &(GSIM_PERSISTENT_MODE_MAP(MODE_NAME))[1], "how tasks come to workers"},
    {"workers", GSIM_PARAM_INT, FIELD(workers), 0, 0, 65536, "", NULL,
     "workers; 0: one for each SM that no scheduler warp has"},
    {"order", GSIM_PARAM_CHOICE, FIELD(order), GSIM_RESIDENT_PROGRAM, 0, 3, "", GSIM_RESIDENT_ORDERS,
     "preset order of the kernels: the program's, by level, longest path first, by priority"},
    {"fetch_ahead", GSIM_PARAM_BOOL, FIELD(fetch_ahead), 0, 0, 1, "", NULL,
     "lists: fetch a task's descriptor while the task before it runs"},
    {"prefetch", GSIM_PARAM_REAL, FIELD(prefetch), 104, 0, 65536, "KiB", NULL,
     "static, kernels with a prologue: loads of the next task while one runs; 0: behind it (Hazy: 2 in flight, 13 "
     "pages of 16 KiB; half of them)"},
    {"straggler_cv", GSIM_PARAM_REAL, FIELD(straggler_cv), 0, 0, 1, "", NULL,
     "how unevenly DRAM serves workers during a kernel: spread of their times, relative (an input)"},
    {"reserved", GSIM_PARAM_INT, FIELD(reserved), 4, 1, 256, "", NULL, "sched-warps: SMs for them, four warps on each"},
    {"ahead", GSIM_PARAM_BOOL, FIELD(ahead), 0, 0, 1, "", NULL,
     "sched-warps: bind tasks to workers before, which then wait for what they follow"},
    {"threads", GSIM_PARAM_INT, FIELD(threads), 1, 1, 64, "", NULL,
     "copilot: host threads, each with its share of the workers"},
    {"depth", GSIM_PARAM_INT, FIELD(depth), 1, 1, 64, "", NULL,
     "copilot: tasks that a worker may hold, the running one included"},
    {"batch", GSIM_PARAM_INT, FIELD(batch), 1, 1, 1024, "", NULL, "copilot: placements made visible together"},
    {"batch_us", GSIM_PARAM_REAL, FIELD(batch_us), 0, 0, 1000, "us", NULL,
     "copilot: how long a batch that is not full waits"},
    {"decision_us", GSIM_PARAM_REAL, FIELD(decision_us), 0, 0, 1000, "us", NULL,
     "copilot: time of one decision, beside the device's board_place_us"},
    {"speculate", GSIM_PARAM_BOOL, FIELD(speculate), 0, 0, 1, "", NULL,
     "copilot: with nothing ready, place tasks ahead of what they follow"},
    {"guess", GSIM_PARAM_REAL, FIELD(guess), 1, 0, 1, "", NULL,
     "copilot: share of those that need not be placed again"},
    {"bypass", GSIM_PARAM_BOOL, FIELD(bypass), 0, 0, 1, "", NULL,
     "copilot: the only task behind another stays on its worker, without the host"},
    {.name = NULL},
};

const struct gsim_scheduler_ops gsim_scheduler_persistent = {
    .abi = GSIM_ABI,
    .size = sizeof(struct gsim_scheduler_ops),
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
