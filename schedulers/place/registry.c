/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of placements. */
#include "gpusim/placement.h"

#define KIND       placement
#define KIND_TITLE "placement"
#define KIND_LIST  "schedulers/place/place.def"
#define KIND_LACKS ops->choose || ops->plan ? NULL : "choose"
#include "sim/base/registry.def"
