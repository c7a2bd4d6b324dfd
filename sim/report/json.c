/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. The JSON report, schema gpusim-report/1 (gpusim(1), "Report"). Records keep the timeline's
 * order, that of completion; numbers have a fixed format, so equal runs give equal bytes.
 */
#include "sim/report/energy/write.h"
#include "sim/report/report.h"
#include "sim/program/guess.h"

const char *gsim_copy_kind_name(enum gsim_copy_kind kind)
{
    static const char *const names[] = {
        [GSIM_COPY_H2D] = "h2d", [GSIM_COPY_D2H] = "d2h", [GSIM_COPY_D2D] = "d2d", [GSIM_COPY_P2P] = "p2p"};
    return names[kind];
}

const char *gsim_copy_reason_name(enum gsim_copy_reason reason)
{
    static const char *const names[] = {[GSIM_REASON_EXPLICIT] = "explicit",
                                        [GSIM_REASON_PREFETCH] = "prefetch",
                                        [GSIM_REASON_FAULT] = "fault",
                                        [GSIM_REASON_EVICTION] = "eviction"};
    return names[reason];
}

static void put_iterations(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_timeline *timeline = result->timeline;
    struct gsim_iteration_record first = {0};
    gsim_output_put(output, ",\n 'makespan_us': %t, 'iteration_us': [", result->metrics->makespan);
    for (size_t i = 0; i < timeline->iteration_count; i++)
        gsim_output_put(output, "%s%t", i ? ", " : "", timeline->iterations[i].end - timeline->iterations[i].start);
    gsim_output_put(output, "], 'iteration_start_us': [");
    for (size_t i = 0; i < timeline->iteration_count; i++)
        gsim_output_put(output, "%s%t", i ? ", " : "", timeline->iterations[i].start);
    if (timeline->iteration_count) first = timeline->iterations[0];
    gsim_output_put(output, "],\n 'streams_used': %u, 'events_recorded': %u, 'stream_waits': %u", first.streams_used,
                    first.events_recorded, first.stream_waits);
}

static void put_kernels(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_timeline *timeline = result->timeline;
    const struct gsim_ranks *ranks = result->simulation->ranks;
    gsim_output_text(output, ",\n \"kernels\": [");
    for (size_t i = 0; i < timeline->kernel_count; i++) {
        const struct gsim_kernel_record *kernel = &timeline->kernels[i];
        gsim_output_put(output, "%s\n  {'op': %u, 'iteration': %u, 'task': %u", i ? "," : "", kernel->op,
                        kernel->iteration, kernel->task);
        if (ranks) gsim_output_put(output, ", 'rank': %u", ranks->rank_of[kernel->task]);
        gsim_output_put(output,
                        ", 'name': %q, 'stream': %u, 'device': %u, 'launch_us': %t, 'start_us': %t, 'end_us': %t}",
                        timeline->program->kernels[kernel->kernel_index].name, kernel->stream, kernel->device,
                        kernel->launch, kernel->start, kernel->end);
    }
    gsim_output_text(output, "]");
}

static void put_copies(const struct gsim_timeline *timeline, struct gsim_output *output)
{
    gsim_output_text(output, ",\n \"copies\": [");
    for (size_t i = 0; i < timeline->copy_count; i++) {
        const struct gsim_copy_record *copy = &timeline->copies[i];
        gsim_output_put(output,
                        "%s\n  {'op': %u, 'kind': '%s', 'bytes': %z, 'start_us': %t, 'end_us': %t, 'reason': '%s'",
                        i ? "," : "", copy->op, gsim_copy_kind_name(copy->kind), copy->bytes, copy->start, copy->end,
                        gsim_copy_reason_name(copy->reason));
        if (timeline->gpu_count > 1) gsim_output_put(output, ", 'device': %u", copy->device);
        gsim_output_text(output, "}");
    }
    gsim_output_text(output, "]");
}

/* Resident kernels; only where there are any. */
static void put_residents(const struct gsim_timeline *timeline, struct gsim_output *output)
{
    if (!timeline->resident_count) return;
    gsim_output_text(output, ",\n \"residents\": [");
    for (size_t i = 0; i < timeline->resident_count; i++) {
        const struct gsim_resident_record *r = &timeline->residents[i];
        gsim_output_put(output,
                        "%s\n  {'iteration': %u, 'mode': %q, 'workers': %u, 'tasks': %u, 'start_us': %t, 'end_us': %t, "
                        "'busy_us': %r, ",
                        i ? "," : "", r->iteration, r->mode, r->workers, r->tasks, r->start, r->end, r->busy_us);
        gsim_output_put(output, "'late_us': %r, 'limited_us': %r, 'late_makespan_us': %r}", r->late_us, r->limited_us,
                        r->late_makespan_us);
    }
    gsim_output_text(output, "]");
}

/* What fills the SMs, from each time to the next; of several changes at one time the last. */
static void put_occupancy(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_timeline *timeline = result->timeline;
    const struct gsim_device_spec *device = result->simulation->device;
    bool first = true;
    if (!timeline->occupancy_count) return;
    gsim_output_put(output, ",\n 'occupancy': {'sm_count': %z, 'warps_per_sm': %z, 'steps': [",
                    gsim_whole_u64(device->sm_count) * timeline->gpu_count, gsim_whole_u64(device->warps_per_sm));
    for (size_t i = 0; i < timeline->occupancy_count; i++) {
        const struct gsim_occupancy_record *step = &timeline->occupancy[i];
        if (i + 1 < timeline->occupancy_count && step[1].time == step->time) continue;
        gsim_output_text(output, first ? "\n  [" : ",\n  ["); /* no format is read: a dozen of these for every kernel */
        gsim_output_time_us(output, step->time);
        gsim_output_text(output, ", ");
        gsim_output_unsigned(output, step->busy_sms);
        gsim_output_text(output, ", ");
        gsim_output_unsigned(output, step->warps);
        gsim_output_text(output, "]");
        first = false;
    }
    gsim_output_text(output, "]}");
}

static void put_metrics(const struct gsim_metrics *m, struct gsim_output *output)
{
    gsim_output_put(output,
                    ",\n 'metrics': {'sm_busy_ratio': %r, 'achieved_occupancy': %r, 'h2d_bytes': %z, 'd2h_bytes': %z, "
                    "'bytes_by_reason': {",
                    m->sm_busy_ratio, m->achieved_occupancy, m->h2d_bytes, m->d2h_bytes);
    for (int reason = 0; reason < 4; reason++)
        gsim_output_put(output, "%s'%s': %z", reason ? ", " : "", gsim_copy_reason_name((enum gsim_copy_reason)reason),
                        m->bytes_by_reason[reason]);
    gsim_output_put(output, "}, 'host_busy_us': %t,\n  'overlap': {'compute_transfer': %r, 'transfer_compute': %r, ",
                    m->host_busy, m->overlap.compute_transfer, m->overlap.transfer_compute);
    gsim_output_put(output, "'compute_compute': %r, 'total': %r},\n  'critical_path_us': %t, 'lower_bound_us': %t",
                    m->overlap.compute_compute, m->overlap.total, m->critical_path, m->lower_bound);
    if (m->lower_bound_reason) gsim_output_put(output, ", 'lower_bound_reason': %q", m->lower_bound_reason);
    /* Sums up to the makespan. */
    if (m->has_bottlenecks) {
        gsim_output_put(output, ",\n  'limited_by': %q, ", gsim_bottleneck_name(m->bottleneck));
        if (m->bottleneck_detail) gsim_output_put(output, "'limited_by_detail': %q, ", m->bottleneck_detail);
        gsim_output_put(output, "'bottlenecks': {");
        for (int i = 0; i < GSIM_BOTTLENECK_COUNT; i++)
            gsim_output_put(output, "%s'%s': %t", i ? ", " : "", gsim_bottleneck_key((enum gsim_bottleneck)i),
                            m->bottleneck_time[i]);
        gsim_output_text(output, "}");
    }
    gsim_output_text(output, "}}\n");
}

void gsim_report_json(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_simulation *run = result->simulation;
    gsim_output_put(output, "{'schema': '%s', 'version': '%s', 'workload': %q, 'scheduler': %q, ", GSIM_REPORT_SCHEMA,
                    GPUSIM_VERSION, run->program->name, run->scheduler->name);
    if (run->tasks && !run->ranks) gsim_output_put(output, "'share': %q, ", run->sharing->name);
    gsim_output_put(output, "'device': %q, 'seed': %z,\n 'options': {", run->device->name, run->seed);
    for (size_t i = 0; i < result->option_count; i++)
        gsim_output_put(output, "%s%q: %q", i ? ", " : "", result->options[i].name, result->options[i].value);
    gsim_output_text(output, "}");
    put_iterations(result, output);
    /* Of the makespan. */
    const struct gsim_spread *spread = result->spread;
    if (spread) {
        gsim_output_put(output,
                        ",\n 'spread': {'runs': %u, 'median_us': %r, 'low_us': %r, 'high_us': %r, 'unstable': %b}",
                        spread->runs, spread->median_us, spread->low_us, spread->high_us, spread->unstable);
    }
    put_kernels(result, output);
    put_copies(result->timeline, output);
    put_residents(result->timeline, output);
    if (result->simulation->ranks) gsim_ranks_json(result, output);
    else if (result->tasks) gsim_tasks_json(result, output);
    else {
        /* One program is one task that arrives at the start; its job completion time is the makespan. */
        gsim_output_put(output, ",\n 'tasks': [{'name': %q, 'priority': 0, 'arrival_us': 0.000000, 'jct_us': [%t]}]",
                        result->simulation->program->name, result->metrics->makespan);
    }
    put_occupancy(result, output);
    /* What the scheduler says of its run. The occupancy is ACS's: of all warp slots, all the time. */
    const struct gsim_timeline *timeline = result->timeline;
    if (timeline->figure_count) {
        gsim_output_put(output, ",\n 'scheduler_figures': [");
        for (size_t i = 0; i < timeline->figure_count; i++)
            gsim_output_put(output, "%s\n  {'name': %q, 'unit': %q, 'value': %r}", i ? "," : "",
                            timeline->figures[i].name, timeline->figures[i].unit, timeline->figures[i].value);
        gsim_output_put(output, "],\n 'warp_occupancy': %r",
                        result->metrics->sm_busy_ratio * result->metrics->achieved_occupancy);
    }
    char text[GSIM_REPORT_NOTE];
    bool has_any = false;
    for (uint32_t i = 0; i < GSIM_REPORT_NOTES; i++) {
        if (!gsim_report_note(result, i, text)) continue;
        gsim_output_put(output, "%s%q", has_any ? ",\n  " : ",\n \"notes\": [", text);
        has_any = true;
    }
    for (const char *at = result->timeline->program->guesses; gsim_guess_next(&at, text); has_any = true)
        gsim_output_put(output, "%s%q", has_any ? ",\n  " : ",\n \"notes\": [", text);
    if (has_any) gsim_output_text(output, "]");
    if (result->energy) gsim_energy_json(result->energy, output);
    put_metrics(result->metrics, output);
}
