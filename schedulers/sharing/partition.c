/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition: each process has SMs of its own, in multiples of device.part_sms: green contexts and static MPS
 * partitions, where L2 and DRAM are shared, or MIG, where DRAM's bandwidth is divided like the SMs. Idle SMs are not
 * lent.
 */
#include "gpusim/task.h"

struct partition_params {
    int memory; /* index into "shared|divided" */
};

static void settings(const void *params, struct gsim_share_settings *s)
{
    s->isolates_memory = ((const struct partition_params *)params)->memory == 1;
}

const struct gsim_sharing_ops gsim_sharing_partition = {
    GSIM_HEAD(sharing),
    .name = "partition",
    .summary = "processes with SMs of their own: a task's percentage= of them, the rest alike",
    .source = "CUDA green contexts, MPS static partitions, MIG: documentation",
    GSIM_PARAMS(struct partition_params,
        GSIM_CHOICE(struct partition_params, memory, 0, 1, "shared|divided",
                    "DRAM bandwidth: shared as under green contexts, or divided as under MIG")),
    .base.mechanism = GSIM_MECHANISM_PARTITION,
    .settings = settings,
};
