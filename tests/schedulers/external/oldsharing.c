/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy with a mistake, for the messages of the loader: built for another version. */
#include "gpusim/task.h"

const struct gsim_sharing_ops gsim_sharing = {
    .abi = GSIM_ABI + 1, .size = sizeof(struct gsim_sharing_ops), .name = "old"};
