/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of built-in workloads. */
#include "gpusim/workload.h"

#define KIND      workload
#define KIND_LIST "workloads/workloads.def"
#include "sim/base/registry.def"
