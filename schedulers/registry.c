/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of schedulers: the one place that knows all of them by name. */
#include "gpusim/scheduler.h"

#define KIND       scheduler
#define KIND_TITLE "scheduler"
#define KIND_LIST  "schedulers/schedulers.def"
#define KIND_LACKS ops->execute ? NULL : "execute"
#include "sim/base/registry.def"
