/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. The JSON report, schema gpusim-report/1 (gpusim(1), "Report"). Records keep the timeline's
 * order, that of completion; numbers have a fixed format, so equal runs give equal bytes.
 */
#include "sim/report/energy/write.h"
#include "sim/report/report.h"

const char *gsim_copy_kind_name(enum gsim_copy_kind kind)
{
    switch (kind) {
    case GSIM_COPY_H2D:
        return "h2d";
    case GSIM_COPY_D2H:
        return "d2h";
    case GSIM_COPY_D2D:
        return "d2d";
    case GSIM_COPY_P2P:
        return "p2p";
    }
    GSIM_BUG("copy kind %d", (int)kind);
}

const char *gsim_copy_reason_name(enum gsim_copy_reason reason)
{
    switch (reason) {
    case GSIM_REASON_EXPLICIT:
        return "explicit";
    case GSIM_REASON_PREFETCH:
        return "prefetch";
    case GSIM_REASON_FAULT:
        return "fault";
    case GSIM_REASON_EVICTION:
        return "eviction";
    }
    GSIM_BUG("copy reason %d", (int)reason);
}

static void put_string(struct gsim_output *output, const char *key, const char *value)
{
    gsim_output_printf(output, "\"%s\": ", key);
    gsim_output_json_string(output, value);
}

static void put_unsigned(struct gsim_output *output, const char *key, uint64_t value)
{
    gsim_output_text(output, "\"");
    gsim_output_text(output, key);
    gsim_output_text(output, "\": ");
    gsim_output_unsigned(output, value);
}

static void put_time(struct gsim_output *output, const char *key, gsim_time time)
{
    gsim_output_text(output, "\"");
    gsim_output_text(output, key);
    gsim_output_text(output, "\": ");
    gsim_output_time_us(output, time);
}

static void put_real(struct gsim_output *output, const char *key, double value)
{
    gsim_output_printf(output, "\"%s\": ", key);
    gsim_output_real(output, value);
}

static void comma(struct gsim_output *output)
{
    gsim_output_text(output, ", ");
}

static void put_head(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_simulation *run = result->simulation;
    gsim_output_text(output, "{");
    put_string(output, "schema", GSIM_REPORT_SCHEMA);
    comma(output);
    put_string(output, "version", GPUSIM_VERSION);
    comma(output);
    put_string(output, "workload", run->program->name);
    comma(output);
    put_string(output, "scheduler", run->scheduler->name);
    comma(output);
    if (run->tasks && !run->ranks) {
        put_string(output, "share", run->sharing->name);
        comma(output);
    }
    put_string(output, "device", run->device->name);
    comma(output);
    put_unsigned(output, "seed", run->seed);
    gsim_output_text(output, ",\n \"options\": {");
    for (size_t i = 0; i < result->option_count; i++) {
        if (i) comma(output);
        gsim_output_json_string(output, result->options[i].name);
        gsim_output_text(output, ": ");
        gsim_output_json_string(output, result->options[i].value);
    }
    gsim_output_text(output, "}");
}

static void put_iterations(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_timeline *timeline = result->timeline;
    struct gsim_iteration_record first = {0};
    gsim_output_text(output, ",\n ");
    put_time(output, "makespan_us", result->metrics->makespan);
    gsim_output_text(output, ", \"iteration_us\": [");
    for (size_t i = 0; i < timeline->iteration_count; i++) {
        if (i) comma(output);
        gsim_output_time_us(output, timeline->iterations[i].end - timeline->iterations[i].start);
    }
    gsim_output_text(output, "], \"iteration_start_us\": [");
    for (size_t i = 0; i < timeline->iteration_count; i++) {
        if (i) comma(output);
        gsim_output_time_us(output, timeline->iterations[i].start);
    }
    gsim_output_text(output, "],\n ");
    if (timeline->iteration_count) first = timeline->iterations[0];
    put_unsigned(output, "streams_used", first.streams_used);
    comma(output);
    put_unsigned(output, "events_recorded", first.events_recorded);
    comma(output);
    put_unsigned(output, "stream_waits", first.stream_waits);
}

/* Of the makespan. */
static void put_spread(const struct gsim_spread *spread, struct gsim_output *output)
{
    if (!spread) return;
    gsim_output_text(output, ",\n \"spread\": {");
    put_unsigned(output, "runs", spread->runs);
    gsim_output_json_real(output, "median_us", spread->median_us);
    gsim_output_json_real(output, "low_us", spread->low_us);
    gsim_output_json_real(output, "high_us", spread->high_us);
    gsim_output_printf(output, ", \"unstable\": %s}", spread->unstable ? "true" : "false");
}

static void put_kernels(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_timeline *timeline = result->timeline;
    const struct gsim_ranks *ranks = result->simulation->ranks;
    gsim_output_text(output, ",\n \"kernels\": [");
    for (size_t i = 0; i < timeline->kernel_count; i++) {
        const struct gsim_kernel_record *kernel = &timeline->kernels[i];
        gsim_output_text(output, i ? ",\n  {\"op\": " : "\n  {\"op\": ");
        gsim_output_unsigned(output, kernel->op);
        gsim_output_text(output, ", \"iteration\": ");
        gsim_output_unsigned(output, kernel->iteration);
        gsim_output_text(output, ", \"task\": ");
        gsim_output_unsigned(output, kernel->task);
        if (ranks) gsim_output_printf(output, ", \"rank\": %u", ranks->rank_of[kernel->task]);
        gsim_output_text(output, ", \"name\": ");
        gsim_output_json_string(output, timeline->program->kernels[kernel->kernel_index].name);
        gsim_output_text(output, ", \"stream\": ");
        gsim_output_unsigned(output, kernel->stream);
        gsim_output_text(output, ", \"device\": ");
        gsim_output_unsigned(output, kernel->device);
        gsim_output_text(output, ", \"launch_us\": ");
        gsim_output_time_us(output, kernel->launch);
        gsim_output_text(output, ", \"start_us\": ");
        gsim_output_time_us(output, kernel->start);
        gsim_output_text(output, ", \"end_us\": ");
        gsim_output_time_us(output, kernel->end);
        gsim_output_text(output, "}");
    }
    gsim_output_text(output, "]");
}

static void put_copies(const struct gsim_timeline *timeline, struct gsim_output *output)
{
    gsim_output_text(output, ",\n \"copies\": [");
    for (size_t i = 0; i < timeline->copy_count; i++) {
        const struct gsim_copy_record *copy = &timeline->copies[i];
        gsim_output_text(output, i ? ",\n  {" : "\n  {");
        put_unsigned(output, "op", copy->op);
        comma(output);
        put_string(output, "kind", gsim_copy_kind_name(copy->kind));
        comma(output);
        put_unsigned(output, "bytes", copy->bytes);
        comma(output);
        put_time(output, "start_us", copy->start);
        comma(output);
        put_time(output, "end_us", copy->end);
        comma(output);
        put_string(output, "reason", gsim_copy_reason_name(copy->reason));
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
        const struct {
            const char *key;
            double us;
        } times[] = {{"busy_us", r->busy_us}, {"late_us", r->late_us}, {"limited_us", r->limited_us}, {"late_makespan_us", r->late_makespan_us}};
        gsim_output_text(output, i ? ",\n  {" : "\n  {");
        put_unsigned(output, "iteration", r->iteration);
        comma(output);
        put_string(output, "mode", r->mode);
        comma(output);
        put_unsigned(output, "workers", r->workers);
        comma(output);
        put_unsigned(output, "tasks", r->tasks);
        comma(output);
        put_time(output, "start_us", r->start);
        comma(output);
        put_time(output, "end_us", r->end);
        for (size_t t = 0; t < sizeof times / sizeof times[0]; t++) {
            comma(output);
            put_real(output, times[t].key, times[t].us);
        }
        gsim_output_text(output, "}");
    }
    gsim_output_text(output, "]");
}

/* One program is one task that arrives at the start; its job completion time is the makespan. */
static void put_tasks(const struct gsim_result *result, struct gsim_output *output)
{
    gsim_output_text(output, ",\n \"tasks\": [{");
    put_string(output, "name", result->simulation->program->name);
    gsim_output_text(output, ", \"priority\": 0, ");
    put_time(output, "arrival_us", 0);
    gsim_output_text(output, ", \"jct_us\": [");
    gsim_output_time_us(output, result->metrics->makespan);
    gsim_output_text(output, "]}]");
}

/* What fills the SMs, from each time to the next; of several changes at one time the last. */
static void put_occupancy(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_timeline *timeline = result->timeline;
    const struct gsim_device_spec *device = result->simulation->device;
    bool first = true;
    if (!timeline->occupancy_count) return;
    gsim_output_text(output, ",\n \"occupancy\": {");
    put_unsigned(output, "sm_count", (uint64_t)device->sm_count * timeline->gpu_count);
    comma(output);
    put_unsigned(output, "warps_per_sm", (uint64_t)device->warps_per_sm);
    gsim_output_text(output, ", \"steps\": [");
    for (size_t i = 0; i < timeline->occupancy_count; i++) {
        const struct gsim_occupancy_record *step = &timeline->occupancy[i];
        if (i + 1 < timeline->occupancy_count && step[1].time == step->time) continue;
        gsim_output_text(output, first ? "\n  [" : ",\n  [");
        first = false;
        gsim_output_time_us(output, step->time);
        comma(output);
        gsim_output_unsigned(output, step->busy_sms);
        comma(output);
        gsim_output_unsigned(output, step->warps);
        gsim_output_text(output, "]");
    }
    gsim_output_text(output, "]}");
}

/* What the scheduler says of its run. The occupancy is ACS's: of all warp slots, all the time. */
static void put_figures(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_timeline *timeline = result->timeline;
    if (!timeline->figure_count) return;
    gsim_output_text(output, ",\n \"scheduler_figures\": [");
    for (size_t i = 0; i < timeline->figure_count; i++) {
        gsim_output_text(output, i ? ",\n  {" : "\n  {");
        put_string(output, "name", timeline->figures[i].name);
        comma(output);
        put_string(output, "unit", timeline->figures[i].unit);
        comma(output);
        put_real(output, "value", timeline->figures[i].value);
        gsim_output_text(output, "}");
    }
    gsim_output_text(output, "],\n ");
    put_real(output, "warp_occupancy", result->metrics->sm_busy_ratio * result->metrics->achieved_occupancy);
}

/* Sums up to the makespan. */
static void put_bottlenecks(const struct gsim_metrics *metrics, struct gsim_output *output)
{
    if (!metrics->has_bottlenecks) return;
    gsim_output_text(output, ",\n  ");
    put_string(output, "limited_by", gsim_bottleneck_name(metrics->bottleneck));
    comma(output);
    if (metrics->bottleneck_detail) {
        put_string(output, "limited_by_detail", metrics->bottleneck_detail);
        comma(output);
    }
    gsim_output_text(output, "\"bottlenecks\": {");
    for (int i = 0; i < GSIM_BOTTLENECK_COUNT; i++) {
        if (i) comma(output);
        put_time(output, gsim_bottleneck_key((enum gsim_bottleneck)i), metrics->bottleneck_time[i]);
    }
    gsim_output_text(output, "}");
}

static void put_metrics(const struct gsim_metrics *metrics, struct gsim_output *output)
{
    gsim_output_text(output, ",\n \"metrics\": {");
    put_real(output, "sm_busy_ratio", metrics->sm_busy_ratio);
    comma(output);
    put_real(output, "achieved_occupancy", metrics->achieved_occupancy);
    comma(output);
    put_unsigned(output, "h2d_bytes", metrics->h2d_bytes);
    comma(output);
    put_unsigned(output, "d2h_bytes", metrics->d2h_bytes);
    comma(output);
    gsim_output_text(output, "\"bytes_by_reason\": {");
    for (int reason = 0; reason < 4; reason++) {
        if (reason) comma(output);
        put_unsigned(output, gsim_copy_reason_name((enum gsim_copy_reason)reason), metrics->bytes_by_reason[reason]);
    }
    gsim_output_text(output, "}, ");
    put_time(output, "host_busy_us", metrics->host_busy);
    gsim_output_text(output, ",\n  \"overlap\": {");
    put_real(output, "compute_transfer", metrics->overlap.compute_transfer);
    comma(output);
    put_real(output, "transfer_compute", metrics->overlap.transfer_compute);
    comma(output);
    put_real(output, "compute_compute", metrics->overlap.compute_compute);
    comma(output);
    put_real(output, "total", metrics->overlap.total);
    gsim_output_text(output, "},\n  ");
    put_time(output, "critical_path_us", metrics->critical_path);
    comma(output);
    put_time(output, "lower_bound_us", metrics->lower_bound);
    if (metrics->lower_bound_reason) {
        comma(output);
        put_string(output, "lower_bound_reason", metrics->lower_bound_reason);
    }
    put_bottlenecks(metrics, output);
    gsim_output_text(output, "}}\n");
}

static void put_notes(const struct gsim_result *result, struct gsim_output *output)
{
    char text[GSIM_REPORT_NOTE];
    bool has_any = false;
    for (uint32_t i = 0; i < GSIM_REPORT_NOTES; i++) {
        if (!gsim_report_note(result, i, text)) continue;
        gsim_output_text(output, has_any ? ",\n  " : ",\n \"notes\": [");
        gsim_output_json_string(output, text);
        has_any = true;
    }
    if (has_any) gsim_output_text(output, "]");
}

void gsim_report_json(const struct gsim_result *result, struct gsim_output *output)
{
    put_head(result, output);
    put_iterations(result, output);
    put_spread(result->spread, output);
    put_kernels(result, output);
    put_copies(result->timeline, output);
    put_residents(result->timeline, output);
    if (result->simulation->ranks)
        gsim_ranks_json(result, output);
    else if (result->tasks)
        gsim_tasks_json(result, output);
    else
        put_tasks(result, output);
    put_occupancy(result, output);
    put_figures(result, output);
    put_notes(result, output);
    if (result->energy) gsim_energy_json(result->energy, output);
    put_metrics(result->metrics, output);
}
