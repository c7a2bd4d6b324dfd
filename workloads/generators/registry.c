/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of generators. */
#include "gpusim/generator.h"

#define KIND       generator
#define KIND_LIST  "workloads/generators/generators.def"
#include "sim/base/registry.def"
