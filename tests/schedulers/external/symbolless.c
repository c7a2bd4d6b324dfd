/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plug-in with a mistake, for the messages of the loader: its ops have another symbol's name.
 */
#include "gpusim/scheduler.h"

extern const struct gsim_scheduler_ops gsim_sheduler;
const struct gsim_scheduler_ops gsim_sheduler = {
    GSIM_HEAD(scheduler), .name = "symbolless"};
