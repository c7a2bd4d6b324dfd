/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces (private to the importers). The profiler's own share of the host's time, from step to step. */
#pragma once

#include "traces/import/records/records.h"

struct gsim_overhead {
    const struct gsim_records *records;
    struct gsim_host_event *events; /* sorted; NULL: nothing is to be removed, or nothing known */
    uint32_t next;
    int64_t since_ns; /* when the host was done with the step before */
    double pace;      /* how slow the host is: of its launch calls, beside those of the hosts that the costs are of */
    double share;     /* of the host's time between recorded events */
    bool has_calls_only; /* no operators: the profiler saw CUDA's calls alone */
};

/* False when memory is out. */
bool gsim_overhead_init(struct gsim_overhead *overhead, const struct gsim_records *records,
                        const struct gsim_steps *steps) GSIM_NODISCARD;
/* How much of the time between the step before and STEP, whose call begins at TIME_NS, is the profiler's. Each step
 * once, in order. */
int64_t gsim_overhead_before(struct gsim_overhead *overhead, const struct gsim_step *step, int64_t time_ns);
/* And behind the last step. */
int64_t gsim_overhead_until(struct gsim_overhead *overhead, int64_t time_ns);
/* When the innermost operator that makes CALL began; CALL's start where none is known. */
int64_t gsim_overhead_operator(const struct gsim_overhead *overhead, const struct gsim_call *call);
void gsim_overhead_release(struct gsim_overhead *overhead);
