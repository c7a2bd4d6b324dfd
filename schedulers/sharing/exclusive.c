/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exclusive: one request at a time has the GPU; next is the most urgent task that waits, then first come, first
 * served. */
#include "gpusim/task.h"

struct exclusive_params {
    int unit; /* index into "request|task" */
};

static void settings(const void *params, struct gsim_share_settings *s)
{
    s->whole_tasks = ((const struct exclusive_params *)params)->unit == 1;
}

const struct gsim_sharing_ops gsim_sharing_exclusive = {
    GSIM_HEAD(sharing),
    .name = "exclusive",
    .summary = "one request at a time has the GPU",
    .source = "FIKIT (arXiv 2311.10359), one of its two baselines",
    GSIM_PARAMS(struct exclusive_params,
        GSIM_CHOICE(struct exclusive_params, unit, 0, 1, "request|task",
                    "what has the GPU until it ends: a request, or all requests of a task")),
    .base.mechanism = GSIM_MECHANISM_EXCLUSIVE,
    .settings = settings,
};
