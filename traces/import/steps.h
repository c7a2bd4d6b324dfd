/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. The steps of a trace: the iterations of a training or serving loop, found by what the trace says of
 * itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSIM_STEP_TEXT 96

enum gsim_steps_by {
    GSIM_STEPS_NONE,       /* no steps are found: all of the trace is one */
    GSIM_STEPS_PROFILER,   /* annotations ProfilerStep#N */
    GSIM_STEPS_ANNOTATION, /* annotations of another name, and modules of XLA */
    GSIM_STEPS_WAITS,      /* the host waits for the whole GPU behind each */
    GSIM_STEPS_LAUNCHES,   /* the launches repeat */
};

struct gsim_trace_step {
    int64_t start_ns, end_ns;
    uint32_t number; /* as an annotation counts it, else from 0 */
    bool is_outlier; /* over one and a half times as long as the median, or under half */
    double waited_us; /* of an outlier: how long for WAITED; 0: not known */
    char waited[GSIM_STEP_TEXT];
};

/* Zeroed before; the caller's to release in any case. */
struct gsim_trace_steps {
    struct gsim_trace_step *steps;
    uint32_t count;
    size_t room;
    uint32_t typical; /* the lower median of those that are neither the first nor outliers */
    double median_us; /* of all but the first, as recorded */
    double untraced_us; /* likewise, of a run without recording (gpusim trace --steps); 0: none was made */
    enum gsim_steps_by by;
    char name[GSIM_STEP_TEXT]; /* of the annotation */
};

static inline double gsim_trace_step_us(const struct gsim_trace_step *step)
{
    return (double)(step->end_ns - step->start_ns) / 1e3;
}
/* "by cudaDeviceSynchronize", ... */
const char *gsim_steps_by_text(enum gsim_steps_by by);
void gsim_trace_steps_release(struct gsim_trace_steps *steps);
