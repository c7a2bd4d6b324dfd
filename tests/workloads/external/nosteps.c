/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source without functions. */
#include "gpusim/source.h"

const struct gsim_source_ops gsim_source = {GSIM_HEAD(source), .name = "nosteps"};
