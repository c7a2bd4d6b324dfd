/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mps: processes share the SMs block by block (CUDA Multi-Process Service): later kernels get what earlier ones
 * leave. */
#include "gpusim/task.h"

struct mps_params {
    double percentage;
    bool priority;
};

static void settings(const void *params, struct gsim_share_settings *s)
{
    const struct mps_params *p = params;
    s->percentage = p->percentage;
    s->uses_priority = p->priority;
}

const struct gsim_sharing_ops gsim_sharing_mps = {
    GSIM_HEAD(sharing),
    .name = "mps",
    .summary = "processes that share the SMs block by block, each as many of them as it may",
    .source = "NVIDIA Multi-Process Service, documentation",
    GSIM_PARAMS(struct mps_params,
        GSIM_REAL(struct mps_params, percentage, 100, 1, 100, "%",
                  "of the SMs, what each client may use (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE); a task's percentage= "
                  "counts first"),
        GSIM_BOOL(struct mps_params, priority, 0,
                  "clients have the priorities of their tasks (CUDA_MPS_CLIENT_PRIORITY)")),
    .base.mechanism = GSIM_MECHANISM_MPS,
    .settings = settings,
};
