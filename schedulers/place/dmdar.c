/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dmdar: as dmda; a GPU takes first what lacks fewest bytes there (StarPU). */
#include "schedulers/place/dmda.h"

const struct gsim_placement_ops gsim_placement_dmdar =
    GSIM_DMDA_OPS("dmdar", "as dmda; first what has its data there", GSIM_QUEUE_DATA);
