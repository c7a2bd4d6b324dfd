/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ccks: CCKS, cooperative CPU-GPU scheduling of fused kernels over a coherent link (ICLR 2026 submission 23384).
 * Published are its three techniques (speculative enqueue, batch commit, bypass of the CPU) and "up to 77 %", no number
 * else. Every default is an assumption. The link is the device's: gh200 has a coherent one, others PCIe.
 */
#include "schedulers/shared/resident.h"

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_persistent style = *(const struct gsim_persistent *)run->params;
    style.mode = GSIM_PERSISTENT_COPILOT;
    style.copilot.is_global = true;
    return gsim_resident_execute(run, &style, GSIM_RESIDENT_PROGRAM, error);
}

#define STYLE(name, type, field, ...) \
    {name, GSIM_PARAM_##type, offsetof(struct gsim_persistent, field), __VA_ARGS__}
const struct gsim_scheduler_ops gsim_scheduler_ccks = {
    GSIM_HEAD(scheduler),
    .name = "ccks",
    .summary = "a resident kernel scheduled by the CPU over a coherent link",
    .source = "CCKS (ICLR 2026 submission 23384): the techniques; numbers are assumptions",
    .shape = GSIM_SHAPE_CONCURRENT,
    .uses_devices = true,
    .takes_source = true,
    GSIM_PARAMS(struct gsim_persistent,
        STYLE("workers", INT, workers, 0, 0, 65536, "", NULL, "workers; 0: one for each SM (assumed)"),
        STYLE("threads", INT, copilot.threads, 1, 1, 64, "", NULL,
              "host threads, each with its share of the workers (assumed)"),
        STYLE("depth", INT, copilot.depth, 4, 1, 64, "", NULL,
              "tasks that a worker's ring in GPU memory holds (assumed)"),
        STYLE("batch", INT, copilot.batch, 16, 1, 1024, "", NULL,
              "batch commit: placements made visible together (published technique, assumed size)"),
        STYLE("batch_us", REAL, copilot.batch_us, 0, 0, 1000, "us", NULL,
              "how long a batch that is not full waits for more (assumed)"),
        STYLE("decision_us", REAL, copilot.decision_us, 0.06, 0, 1000, "us", NULL, "time of one decision (assumed)"),
        STYLE("up_us", REAL, copilot.up_us, 0, 0, 1000, "us", NULL,
              "a flag's way to the CPU; 0: the device's (gh200: published)"),
        STYLE("down_us", REAL, copilot.down_us, 0, 0, 1000, "us", NULL,
              "a flag's way to the GPU; 0: the device's (gh200: published)"),
        STYLE("fetch_us", REAL, copilot.fetch_us, -1, -1, 1000, "us", NULL,
              "a descriptor's way to its worker; -1: the device's (gh200: assumed)"),
        STYLE("post_us", REAL, copilot.post_us, -1, -1, 1000, "us", NULL,
              "what telling the CPU keeps a worker; -1: the device's (gh200: assumed)"),
        STYLE("speculate", BOOL, copilot.speculates, 1, 0, 1, "", NULL,
              "speculative enqueue ahead of predecessors (published technique)"),
        STYLE("guess", REAL, copilot.guess, 0.98, 0, 1, "", NULL,
              "share of speculative entries that are not overwritten (assumed: static programs)"),
        STYLE("bypass", BOOL, copilot.bypasses, 1, 0, 1, "", NULL,
              "CPU bypass: the only task behind another stays on its worker (published technique)")),
    .prepare = gsim_resident_prepare,
    .execute = execute,
};
