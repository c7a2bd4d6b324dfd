/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plug-in with a mistake, for the messages of the loader: it was compiled against headers in which the table is
 * shorter.
 */
#include "gpusim/scheduler.h"

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    (void)run;
    return gsim_error_set(error, GSIM_SIM, "this must not run");
}

const struct gsim_scheduler_ops gsim_scheduler = {
    GSIM_HEAD(scheduler) - sizeof(void *),
    .name = "othersize",
    .summary = "not to be loaded",
    .source = "none",
    .execute = execute,
};
