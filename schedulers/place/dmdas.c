/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dmdas: as dmda; a GPU takes first the task of the greatest priority, which is its longest path to the end
 * (StarPU). */
#include "schedulers/place/dmda.h"

const struct gsim_placement_ops gsim_placement_dmdas =
    GSIM_DMDA_OPS("dmdas", "as dmda; first the longest path to the end", GSIM_QUEUE_RANK);
