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

#define FIELD(name) offsetof(struct ccks_params, name)
static const struct gsim_param params_table[] = {
    {"workers", GSIM_PARAM_INT, FIELD(workers), 0, 0, 65536, "", NULL, "workers; 0: one for each SM (assumed)"},
    {"threads", GSIM_PARAM_INT, FIELD(threads), 1, 1, 64, "", NULL,
     "host threads, each with its share of the workers (assumed)"},
    {"depth", GSIM_PARAM_INT, FIELD(depth), 4, 1, 64, "", NULL,
     "tasks that a worker's ring in GPU memory holds (assumed)"},
    {"batch", GSIM_PARAM_INT, FIELD(batch), 16, 1, 1024, "", NULL,
     "batch commit: placements made visible together (published technique, assumed size)"},
    {"batch_us", GSIM_PARAM_REAL, FIELD(batch_us), 0, 0, 1000, "us", NULL,
     "how long a batch that is not full waits for more (assumed)"},
    {"decision_us", GSIM_PARAM_REAL, FIELD(decision_us), 0.06, 0, 1000, "us", NULL, "time of one decision (assumed)"},
    {"up_us", GSIM_PARAM_REAL, FIELD(up_us), 0, 0, 1000, "us", NULL,
     "a flag's way to the CPU; 0: the device's (gh200: published)"},
    {"down_us", GSIM_PARAM_REAL, FIELD(down_us), 0, 0, 1000, "us", NULL,
     "a flag's way to the GPU; 0: the device's (gh200: published)"},
    {"fetch_us", GSIM_PARAM_REAL, FIELD(fetch_us), -1, -1, 1000, "us", NULL,
     "a descriptor's way to its worker; -1: the device's (gh200: assumed)"},
    {"post_us", GSIM_PARAM_REAL, FIELD(post_us), -1, -1, 1000, "us", NULL,
     "what telling the CPU keeps a worker; -1: the device's (gh200: assumed)"},
    {"speculate", GSIM_PARAM_BOOL, FIELD(speculate), 1, 0, 1, "", NULL,
     "speculative enqueue ahead of predecessors (published technique)"},
    {"guess", GSIM_PARAM_REAL, FIELD(guess), 0.98, 0, 1, "", NULL,
     "share of speculative entries that are not overwritten (assumed: static programs)"},
    {"bypass", GSIM_PARAM_BOOL, FIELD(bypass), 1, 0, 1, "", NULL,
     "CPU bypass: the only task behind another stays on its worker (published technique)"},
    {.name = NULL},
};

const struct gsim_scheduler_ops gsim_scheduler_ccks = {
    .abi = GSIM_ABI,
    .size = sizeof(struct gsim_scheduler_ops),
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
