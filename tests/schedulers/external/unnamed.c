/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plug-in with a mistake, for the messages of the loader: it exports gsim_scheduler, but without a name.
 */
#include "gpusim/scheduler.h"

const struct gsim_scheduler_ops gsim_scheduler = {
    GSIM_HEAD(scheduler), .summary = "nameless"};
