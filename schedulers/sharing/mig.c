/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mig: each process has a MIG instance: SMs and a part of DRAM's bandwidth of its own, by the profiles of the device's
 * file. L2 is not divided. Idle instances are not lent.
 */
#include "gpusim/task.h"

const struct gsim_sharing_ops gsim_sharing_mig = {
    GSIM_HEAD(sharing),
    .name = "mig",
    .summary = "processes with MIG instances: the largest of a task's sms= or percentage=, else alike",
    .source = "NVIDIA Multi-Instance GPU User Guide: profiles",
    .base = {.mechanism = GSIM_MECHANISM_PARTITION, .isolates_memory = true, .is_mig = true},
};
