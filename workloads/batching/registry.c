/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of batching policies. */
#include "gpusim/batching.h"

#define KIND       batching
#define KIND_TITLE "batching policy"
#define KIND_LIST  "workloads/batching/batching.def"
#define KIND_LACKS ops->next ? NULL : "next"
#include "sim/base/registry.def"
