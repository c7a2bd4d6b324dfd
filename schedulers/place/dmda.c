/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dmda: when a task is ready, the GPU with the least sum of expected end and transfers; queues first in, first out
 * (StarPU). */
#include "schedulers/place/dmda.h"

const struct gsim_placement_ops gsim_placement_dmda =
    GSIM_DMDA_OPS("dmda", "least expected end and transfers when a kernel is ready", GSIM_QUEUE_FIFO);
