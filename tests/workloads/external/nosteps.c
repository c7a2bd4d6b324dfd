/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source without functions. */
#include "gpusim/source.h"

const struct gsim_source_ops gsim_source = {.abi = GSIM_ABI, .size = sizeof(struct gsim_source_ops), .name = "nosteps"};
