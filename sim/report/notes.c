/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a reader should know of a run: that it is an estimate, whence times alone are, what is left out, what a run is too short for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/report/report.h"

static bool note_solo_times(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    const struct gsim_program *program = result->timeline->program;
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->kernel_count; i++)
        count += program->kernels[i].solo_us > 0 && !program->kernels[i].solo_device;
    if (!count || result->tracer) return false;
    if (count == program->kernel_count)
        snprintf(text, GSIM_REPORT_NOTE, "no kernel names the device of its solo_us (solo_device): the times are taken as of %.50s",
                 result->simulation->device->name);
    else
        snprintf(text, GSIM_REPORT_NOTE, "%u of %u kernels do not name the device of their solo_us (solo_device): taken as of %.50s", count,
                 program->kernel_count, result->simulation->device->name);
    return true;
}

/* A scheduler that captures or compiles the program leaves out a framework's time: no call of the run is that. */
static bool note_overhead(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    const struct gsim_program *program = result->timeline->program;
    const struct gsim_scheduler_ops *scheduler = result->simulation->scheduler;
    char time[GSIM_TEXT_SIZE];
    double us = 0;
    if (result->tasks || result->tracer || !scheduler || !result->timeline->api_count) return false;
    for (uint32_t i = 0; i < program->op_count; i++)
        if (program->ops[i].overhead) us += program->ops[i].host_us;
    for (size_t i = 0; us > 0 && i < result->timeline->api_count; i++) {
        const char *detail = result->timeline->apis[i].detail;
        if (detail && strcmp(detail, GSIM_API_OVERHEAD) == 0) return false;
    }
    if (!(us > 0)) return false;
    snprintf(text, GSIM_REPORT_NOTE, "%.30s captures or compiles the program once: a framework's time between calls, %s an iteration, is left out",
             scheduler->name, gsim_text_time(time, gsim_time_from_us(us)));
    return true;
}

bool gsim_sharing_note(const struct gsim_sharing_ops *ops, const void *params, const struct gsim_task_stats *stats, uint32_t count,
                       char text[GSIM_REPORT_NOTE])
{
    double run_us = 0;
    if (!ops->note || !params) return false;
    for (uint32_t i = 0; i < count; i++) run_us = fmax(run_us, stats[i].end_us);
    return ops->note(params, run_us, text, GSIM_REPORT_NOTE);
}

static bool note_sharing(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    const struct gsim_simulation *s = result->simulation;
    return result->tasks && s->sharing && gsim_sharing_note(s->sharing, s->sharing_params, result->tasks, s->tasks->count, text);
}

static bool note_sample(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    uint32_t sample = (uint32_t)result->simulation->gpu.sample;
    if (sample < 2) return false;
    snprintf(text, GSIM_REPORT_NOTE, "an estimate: one SM in %u is simulated (gpu.sample), with that part of each grid", sample);
    return true;
}

bool gsim_report_note(const struct gsim_result *result, uint32_t index, char text[GSIM_REPORT_NOTE])
{
    static bool (*const notes[GSIM_REPORT_NOTES])(const struct gsim_result *, char *) = {note_sample, note_solo_times, note_overhead,
                                                                                             note_sharing};
    return notes[index](result, text);
}
