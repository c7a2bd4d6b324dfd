/* SPDX-License-Identifier: GPL-3.0-or-later */
/* streams: all tasks are threads of one process, with streams of their own; their priorities are the tasks'. */
#include "gpusim/task.h"

struct streams_params {
    bool priority;
};

static void settings(const void *params, struct gsim_share_settings *s)
{
    s->uses_priority = ((const struct streams_params *)params)->priority;
}

const struct gsim_sharing_ops gsim_sharing_streams = {
    GSIM_HEAD(sharing),
    .name = "streams",
    .summary = "threads of one process, with streams of their own and stream priorities",
    .source = "CUDA: cudaStreamCreateWithPriority",
    GSIM_PARAMS(struct streams_params,
        GSIM_BOOL(struct streams_params, priority, 1,
                  "streams have the priorities of their tasks: waiting blocks of urgent ones are placed first")),
    .base.mechanism = GSIM_MECHANISM_STREAMS,
    .settings = settings,
};
