/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of ways of sharing. */
#include "gpusim/task.h"

#define KIND       sharing
#define KIND_TITLE "way of sharing"
#define KIND_LIST  "schedulers/sharing/sharing.def"
#define KIND_LACKS ops->base.mechanism || ops->settings ? NULL : "settings"
#include "sim/base/registry.def"
