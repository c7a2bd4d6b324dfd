/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/published. Overlaps as the script counts them from which GrCUDA's published overlaps come (necst/grcuda,
 * projects/resources/python/plotting/compute_transfer_computation_overlap.py). Overlaps as they are:
 * include/gpusim/metrics.h.
 *
 *  - Transfers of one direction that follow each other in the order of their starts are one, as long as all of them.
 *  - CC and TOT: each op's overlaps with the ops that started before it; CT and TC: with all transfers, all kernels.
 *  - What several ops overlap of one is meant to count once, but counts several times in part. One pass over the
 * intervals, in a hash set's order, keeps the first one and replaces every later one by what it makes together with
 * each earlier one that it meets. When that leaves as many intervals as there were, the lengths are added up as they
 * are. So with a shorter and a longer one that meet, the shorter counts once more in every second case on average, and
 * in all cases where neither contains the other.
 *
 * Evidence: its CC of IMG is 0.67 to 0.74, where at most three kernels run at a time and (sum - union) / sum cannot
 * exceed 2/3; its TC of B&S is above 1.
 */
#pragma once

#include "gpusim/metrics.h"

/* The mean over many orders of the sets. */
enum gsim_status gsim_script_overlap(const struct gsim_timeline *timeline, struct gsim_overlap *overlap,
                                     struct gsim_error *error) GSIM_NODISCARD;
