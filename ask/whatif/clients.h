/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: ask. What the iterations of clients that run side by side go into: ranks, each on a GPU of its own, or tasks
 * on one. */
#pragma once

#include "gpusim/timeline.h"

/* What a rank's last iteration, or on average a task's requests, went into, in us. */
struct gsim_client_time {
    double step; /* from one iteration's end to the next; of requests from arrival to end */
    double compute, idle;
    double exposed_waiting, exposed_transfer; /* of collectives, with no kernel beside them */
    double others;                            /* kernels of other clients alone have the GPU */
    double all_waiting, all_transfer;         /* of collectives with kernels beside them, too */
    double kernels;                           /* sum of all but collectives */
};
/* Of each client, to TIMES; ALL: its requests, else the last one. The slowest one's step goes to *STEP_US. Returns the
 * client that waits least for the others; UINT32_MAX: out of memory. */
uint32_t gsim_client_times(const struct gsim_timeline *timeline, uint32_t count, bool all,
                           struct gsim_client_time *times, double *step_us);
