/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source that was compiled against headers of another interface. */
#include "gpusim/source.h"

const struct gsim_source_ops gsim_source = {.abi = GSIM_ABI + 6, .size = sizeof(struct gsim_source_ops), .name = "old"};
