/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of sources. */
#include "gpusim/source.h"

#define KIND       source
#define KIND_TITLE "source"
#define KIND_LIST  "workloads/sources/sources.def"
#define KIND_LACKS !ops->open ? "open" : !ops->next ? "next" : NULL
#include "sim/base/registry.def"
