/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plug-in that crashes where the program has more than one kernel call. */
#include <signal.h>

#include "gpusim/scheduler.h"

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    if (run->program->op_count > 1) raise(SIGSEGV);
    for (uint32_t i = 0; i < run->iterations; i++) {
        gsim_iteration_begin(run->driver, i);
        for (uint32_t k = 0; k < run->program->op_count; k++) gsim_launch(run->driver, &run->program->ops[k], 0);
        gsim_device_synchronize(run->driver);
        gsim_iteration_end(run->driver, i);
    }
    return GSIM_OK;
}

extern const struct gsim_scheduler_ops gsim_scheduler;
const struct gsim_scheduler_ops gsim_scheduler = {GSIM_HEAD(scheduler),
                                                  .name = "crashing",
                                                  .summary = "crashes",
                                                  .source = "none",
                                                  .execute = execute};
