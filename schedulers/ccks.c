/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ccks: CCKS, cooperative CPU-GPU scheduling of fused kernels over a coherent link (ICLR 2026 submission 23384).
 * Published are its three techniques (speculative enqueue, batch commit, bypass of the CPU) and "up to 77 %", no number
 * else. Every default is an assumption. The link is the device's: gh200 has a coherent one, others PCIe.
 */
#include "schedulers/shared/resident.h"

struct ccks_params {
    int64_t workers, threads, depth, batch;
    double batch_us, decision_us, up_us, down_us, fetch_us, post_us;
    bool speculate, bypass;
    double guess;
};

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct ccks_params *p = run->params;
    const struct gsim_persistent style = {.mode = GSIM_PERSISTENT_COPILOT,
                                          .workers = (uint32_t)p->workers,
                                          .copilot = {.threads = (uint32_t)p->threads,
                                                      .depth = (uint32_t)p->depth,
                                                      .batch = (uint32_t)p->batch,
                                                      .batch_us = p->batch_us,
                                                      .decision_us = p->decision_us,
                                                      .up_us = p->up_us,
                                                      .down_us = p->down_us,
                                                      .fetch_us = p->fetch_us,
                                                      .post_us = p->post_us,
                                                      .is_global = true,
                                                      .speculates = p->speculate,
                                                      .guess = p->guess,
                                                      .bypasses = p->bypass}};
    return gsim_resident_execute(run, &style, GSIM_RESIDENT_PROGRAM, error);
}

#define PARAMS struct ccks_params
static const struct gsim_param params_table[] = {
    GSIM_INT(PARAMS, workers, 0, 0, 65536, "", "workers; 0: one for each SM (assumed)"),
    GSIM_INT(PARAMS, threads, 1, 1, 64, "", "host threads, each with its share of the workers (assumed)"),
    GSIM_INT(PARAMS, depth, 4, 1, 64, "", "tasks that a worker's ring in GPU memory holds (assumed)"),
    GSIM_INT(PARAMS, batch, 16, 1, 1024, "",
             "batch commit: placements made visible together (published technique, assumed size)"),
    GSIM_REAL(PARAMS, batch_us, 0, 0, 1000, "us", "how long a batch that is not full waits for more (assumed)"),
    GSIM_REAL(PARAMS, decision_us, 0.06, 0, 1000, "us", "time of one decision (assumed)"),
    GSIM_REAL(PARAMS, up_us, 0, 0, 1000, "us", "a flag's way to the CPU; 0: the device's (gh200: published)"),
    GSIM_REAL(PARAMS, down_us, 0, 0, 1000, "us", "a flag's way to the GPU; 0: the device's (gh200: published)"),
    GSIM_REAL(PARAMS, fetch_us, -1, -1, 1000, "us",
              "a descriptor's way to its worker; -1: the device's (gh200: assumed)"),
    GSIM_REAL(PARAMS, post_us, -1, -1, 1000, "us",
              "what telling the CPU keeps a worker; -1: the device's (gh200: assumed)"),
    GSIM_BOOL(PARAMS, speculate, 1, "speculative enqueue ahead of predecessors (published technique)"),
    GSIM_REAL(PARAMS, guess, 0.98, 0, 1, "",
              "share of speculative entries that are not overwritten (assumed: static programs)"),
    GSIM_BOOL(PARAMS, bypass, 1, "CPU bypass: the only task behind another stays on its worker (published technique)"),
    {.name = NULL},
};

const struct gsim_scheduler_ops gsim_scheduler_ccks = {
    GSIM_HEAD(scheduler),
    .name = "ccks",
    .summary = "a resident kernel scheduled by the CPU over a coherent link",
    .source = "CCKS (ICLR 2026 submission 23384): the techniques; numbers are assumptions",
    .shape = GSIM_SHAPE_CONCURRENT,
    .uses_devices = true,
    .takes_source = true,
    .params_size = sizeof(struct ccks_params),
    .params = params_table,
    .prepare = gsim_resident_prepare,
    .execute = execute,
};
