/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a reader should know of a run: that it is an estimate, whence times alone are, what is left out, what a run is
 * too short for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/device/other.h"
#include "sim/report/report.h"

#define PACKED_SHARE 0.05 /* of the makespan: less is not worth a note */

static bool note_solo_times(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    const struct gsim_program *program = result->timeline->program;
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->kernel_count; i++)
        count += program->kernels[i].solo_us > 0 && !program->kernels[i].solo_device;
    if (!count || result->tracer) return false;
    if (count == program->kernel_count)
        snprintf(text, GSIM_REPORT_NOTE,
                 "no kernel names the device of its solo_us (solo_device): the times are taken as of %.50s",
                 result->simulation->device->name);
    else
        snprintf(text, GSIM_REPORT_NOTE,
                 "%u of %u kernels do not name the device of their solo_us (solo_device): taken as of %.50s", count,
                 program->kernel_count, result->simulation->device->name);
    return true;
}

static bool note_others(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    struct gsim_others_sum sum;
    const struct gsim_device_spec *device = result->simulation->device;
    if (!gsim_others_sum(result->timeline->program, device, &sum)) return false;
    snprintf(text, GSIM_REPORT_NOTE,
             "%u kernels were timed on %.40s: each once, their %.5g us are %.5g on %.40s, %.5g to %.5g%s", sum.count,
             sum.from, sum.before_us, sum.us, device->name, sum.low_us, sum.high_us,
             sum.is_assumed ? "; " GSIM_OTHER_ASSUMED : "");
    return true;
}

/* A scheduler that captures or compiles the program leaves out a framework's time: no call of the run is that. */
static bool note_overhead(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    const struct gsim_program *program = result->timeline->program;
    const struct gsim_scheduler_ops *scheduler = result->simulation->scheduler;
    char time[GSIM_TEXT_SIZE];
    const char *what = NULL; /* of the first of it */
    double us = 0;
    if (result->tasks || result->tracer || !scheduler || !result->timeline->api_count) return false;
    for (uint32_t i = 0; i < program->op_count; i++) {
        if (!program->ops[i].overhead) continue;
        us += program->ops[i].host_us;
        if (!what) what = program->ops[i].what ? program->ops[i].what : GSIM_API_OVERHEAD;
    }
    for (size_t i = 0; us > 0 && i < result->timeline->api_count; i++) {
        const char *detail = result->timeline->apis[i].detail;
        if (detail && strcmp(detail, what) == 0) return false;
    }
    if (!(us > 0)) return false;
    snprintf(
        text, GSIM_REPORT_NOTE,
        "%.30s captures or compiles the program once: a framework's time between calls, %s an iteration, is left out",
        scheduler->name, gsim_text_us(time, us));
    return true;
}

bool gsim_sharing_note(const struct gsim_sharing_ops *ops, const void *params, const struct gsim_task_stats *stats,
                       uint32_t count, char text[GSIM_REPORT_NOTE])
{
    double run_us = 0;
    if (!ops->note || !params) return false;
    for (uint32_t i = 0; i < count; i++) run_us = fmax(run_us, stats[i].end_us);
    return ops->note(params, run_us, text, GSIM_REPORT_NOTE);
}

static bool note_sharing(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    const struct gsim_simulation *s = result->simulation;
    return result->tasks && s->sharing &&
           gsim_sharing_note(s->sharing, s->sharing_params, result->tasks, s->tasks->count, text);
}

static bool note_sample(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    uint32_t sample = (uint32_t)result->simulation->gpu.sample;
    if (sample < 2) return false;
    snprintf(text, GSIM_REPORT_NOTE, "an estimate: one SM in %u is simulated (gpu.sample), with that part of each grid",
             sample);
    return true;
}

/* For how long the kernel ran alone on SMS or fewer, having started beside others; MOST: how many it stood on then. */
static gsim_time packed_time(const struct gsim_timeline *timeline, const struct gsim_kernel_record *k, uint32_t sms,
                             uint32_t *most)
{
    /* The first of the occupancy records that holds at k->start. */
    gsim_time time = k->start;
    size_t at = 0, high = timeline->occupancy_count;
    while (high - at > 1) {
        size_t middle = at + (high - at) / 2;
        if (timeline->occupancy[middle].time <= time) at = middle;
        else high = middle;
    }
    gsim_time sum = 0;
    *most = 0;
    if (timeline->occupancy[at].kernels < 2) return 0;
    for (; at < timeline->occupancy_count && timeline->occupancy[at].time < k->end; at++) {
        const struct gsim_occupancy_record *now = &timeline->occupancy[at];
        gsim_time until = at + 1 < timeline->occupancy_count && now[1].time < k->end ? now[1].time : k->end;
        if (now->kernels != 1 || now->busy_sms > sms) continue;
        sum += until - (now->time > k->start ? now->time : k->start);
        if (now->busy_sms > *most) *most = now->busy_sms;
    }
    return sum;
}

/* A grid that starts while others hold most SMs stays on the few that it got, though the others have left. */
static bool note_packed(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    const struct gsim_timeline *timeline = result->timeline;
    const struct gsim_kernel_record *worst = NULL;
    gsim_time worst_time = gsim_whole(PACKED_SHARE * (double)result->metrics->makespan);
    uint32_t worst_sms = 0, sm_count = gsim_whole_u32(result->simulation->device->sm_count);
    char time[GSIM_TEXT_SIZE], name[64];
    if (result->tasks || result->tracer || !timeline->occupancy_count || timeline->gpu_count > 1) return false;
    for (size_t i = 0; i < timeline->kernel_count; i++) {
        const struct gsim_kernel_record *k = &timeline->kernels[i];
        const struct gsim_dim3 *grid = &timeline->program->kernels[k->kernel_index].grid;
        double blocks = (double)grid->x * grid->y * grid->z;
        uint32_t wanted = blocks < sm_count ? gsim_whole_u32(blocks) : sm_count, sms;
        if (k->end - k->start <= worst_time) continue;
        gsim_time alone = packed_time(timeline, k, wanted / 2, &sms);
        if (alone <= worst_time || 2 * alone < k->end - k->start) continue;
        worst = k;
        worst_time = alone;
        worst_sms = sms;
    }
    if (!worst) return false;
    snprintf(text, GSIM_REPORT_NOTE,
             "%s stands on %u of %u SMs for %s: others held the rest when it started (docs/not-modelled.md)",
             gsim_text_fit(name, sizeof name, timeline->program->kernels[worst->kernel_index].name, 40), worst_sms,
             sm_count, gsim_text_time(time, worst_time));
    return true;
}

/* The clock is constant here. */
static bool note_power(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    return result->energy && gsim_energy_is_over(result->energy, result->simulation->device, text);
}

/* What GPUs of a device without links to others send goes through the host. */
static bool note_links(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    const struct gsim_simulation *s = result->simulation;
    bool is_several = s->ranks ? s->ranks->gpu_gbps <= 0 : !s->node && result->timeline->gpu_count > 1;
    if (!is_several || result->tracer || s->device->peer_gbps > 0) return false;
    snprintf(text, GSIM_REPORT_NOTE,
             "no link between GPUs is known of %.50s (link.peer_gbps): through the host (--node NAME has links)",
             s->device->name);
    return true;
}

/* A scheduler without a placement keeps to what the program says, which is GPU 0 where it says nothing. */
static bool note_unused_gpus(const struct gsim_result *result, char text[GSIM_REPORT_NOTE])
{
    const struct gsim_timeline *timeline = result->timeline;
    uint32_t used = 0, gpus = timeline->gpu_count < 64 ? timeline->gpu_count : 0;
    uint64_t seen = 0;
    if (result->simulation->ranks || result->tasks) return false;
    for (size_t i = 0; i < timeline->kernel_count; i++) seen |= 1ULL << (timeline->kernels[i].device & 63);
    for (; seen; seen &= seen - 1) used++;
    if (used >= gpus || !used) return false;
    snprintf(text, GSIM_REPORT_NOTE, "kernels run on %u of %u GPUs%s", used, gpus,
             result->simulation->placement ? "" : " (--place NAME spreads them)");
    return true;
}

bool gsim_report_note(const struct gsim_result *result, uint32_t index, char text[GSIM_REPORT_NOTE])
{
    static bool (*const notes[GSIM_REPORT_NOTES])(const struct gsim_result *, char *) = {
        note_sample, note_solo_times, note_others, note_overhead, note_sharing, note_packed, note_power, note_links,
        note_unused_gpus};
    return notes[index](result, text);
}
