/* SPDX-License-Identifier: GPL-3.0-or-later */
/* misbehave: a scheduler that works, refuses, crashes or never ends, as it is told: what sweeps must survive. */
#include <unistd.h>

#include "gpusim/schedulers/moves.h"

enum how { HOW_WORK, HOW_REFUSE, HOW_CRASH, HOW_HANG };

struct misbehave_params {
    int how;
};

static const struct gsim_param params_table[] = {
    {"how", GSIM_PARAM_CHOICE, offsetof(struct misbehave_params, how), HOW_WORK, 0, 3, "", "work|refuse|crash|hang",
     "what it does"},
    {NULL, GSIM_PARAM_BOOL, 0, 0, 0, 0, NULL, NULL, NULL},
};

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct misbehave_params *params = run->params;
    struct gsim_lowering lowering;
    if (params->how == HOW_REFUSE) return gsim_error_set(error, GSIM_SIM, "it was told to refuse");
    if (params->how == HOW_CRASH) GSIM_BUG("it was told to crash");
    while (params->how == HOW_HANG) pause();
    enum gsim_status status = gsim_moves_lower(run, GSIM_MOVES_AT_USE, &lowering, error);
    for (uint32_t iteration = 0; status == GSIM_OK && iteration < run->iterations; iteration++) {
        const struct gsim_oplist *list = iteration == 0 ? &lowering.first : &lowering.steady;
        gsim_iteration_begin(run->driver, iteration);
        for (uint32_t i = 0; i < list->op_count; i++) {
            gsim_op_issue(run->driver, list->ops[i], 0);
            gsim_device_synchronize(run->driver);
        }
        gsim_iteration_end(run->driver, iteration);
    }
    return status == GSIM_OK ? gsim_run_status(run, error) : status;
}

const struct gsim_scheduler_ops gsim_scheduler = {
    GSIM_HEAD(scheduler),
    .name = "misbehave",
    .summary = "works, refuses, crashes or hangs",
    .source = "for tests",
    .params_size = sizeof(struct misbehave_params),
    .params = params_table,
    .execute = execute,
};
