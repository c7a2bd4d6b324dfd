/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/timeline/track.h. Reports are walked in place, traces event by event.
 */
#include "plots/timeline/track.h"

#include <math.h>

#include "sim/report/report.h"
#include "sim/base/gz.h"
#include "sim/base/scan.h"
#include "traces/events.h"

#define EPOCH_US   1000000000000LL /* later than this counts from some epoch, not from the recording's start */

/* --- JSON ------------------------------------------------------------------------------------------------------ */
/* The members of the object at AT whose names are in NAMES (NULL at the end); absent ones are NULL. */
static void find_members(const char *at, const char *const *names, const char **values)
{
    struct gsim_scan_text key;
    const char *rest;
    for (int i = 0; names[i]; i++) values[i] = NULL;
    for (const char *value = gsim_scan_next(at, &key, &rest); value;) {
        for (int i = 0; names[i]; i++)
            if (gsim_scan_is(&key, names[i])) values[i] = value;
        value = gsim_scan_next(gsim_scan_skip(value), &key, &rest);
    }
}

static double number_of(const char *value)
{
    return value && (*value == '-' || (*value >= '0' && *value <= '9')) ? gsim_scan_number(value) : NAN;
}

static uint32_t index_of(const char *value)
{
    double number = number_of(value);
    return number >= 0 && number < 4e9 ? gsim_whole_u32(number) : 0;
}

static const char *text_of(struct gsim_track *track, const char *value)
{
    const char *text = value && *value == '"' ? gsim_scan_copy(value, &track->arena) : NULL;
    return text ? text : "";
}

static void add_span(struct gsim_track *track, const struct gsim_span *span)
{
    (void)GSIM_APPEND(track->spans, track->span_count, track->span_capacity, *span);
    if (span->end_us > track->end_us) track->end_us = span->end_us;
}

static void add_load(struct gsim_track *track, double start_us, double busy_sms, double warps)
{
    gsim_array_grow(&track->loads, sizeof *track->loads, track->load_count, &track->load_capacity);
    track->loads[track->load_count++] = (struct gsim_load){.start_us = start_us, .busy_sms = busy_sms, .warps = warps};
}

void gsim_track_release(struct gsim_track *track)
{
    gsim_free(track->spans);
    gsim_free(track->loads);
    gsim_free(track->iterations);
    gsim_arena_release(&track->arena);
    memset(track, 0, sizeof *track);
}

/* --- reports ------------------------------------------------------------------------------------------------------ */
static enum gsim_status read_span(struct gsim_track *track, const char *record, bool is_kernel,
                                  struct gsim_error *error)
{
    static const char *const names[] = {"start_us", "end_us", "name",  "kind",      "reason",
                                        "stream",   "device", "bytes", "iteration", "task", NULL};
    const char *values[10];
    if (*record != '{') return gsim_error_set(error, GSIM_INPUT, "expected records, found another value");
    find_members(record, names, values);
    const char *kind = text_of(track, values[3]);
    struct gsim_span span = {.kind = is_kernel                  ? GSIM_SPAN_KERNEL
                                     : strcmp(kind, "h2d") == 0 ? GSIM_SPAN_H2D
                                     : strcmp(kind, "d2h") == 0 ? GSIM_SPAN_D2H
                                     : strcmp(kind, "p2p") == 0 ? GSIM_SPAN_P2P
                                                                : GSIM_SPAN_D2D,
                             .stream = index_of(values[5]),
                             .device = index_of(values[6]),
                             .iteration = index_of(values[8]),
                             .task = index_of(values[9]),
                             .name = text_of(track, is_kernel ? values[2] : values[4]),
                             .start_us = number_of(values[0]),
                             .end_us = number_of(values[1]),
                             .bytes = gsim_whole_u64(fmax(0, number_of(values[7])))};
    if (!(span.end_us >= span.start_us) || !isfinite(span.end_us))
        return gsim_error_set(error, GSIM_INPUT, "%s: expected start_us and end_us in ascending order",
                              is_kernel ? "kernels" : "copies");
    add_span(track, &span);
    return GSIM_OK;
}

static enum gsim_status read_spans(struct gsim_track *track, const char *list, bool is_kernel, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    if (!list || *list != '[')
        return gsim_error_set(error, GSIM_INPUT, "%s: expected a list", is_kernel ? "kernels" : "copies");
    GSIM_SCAN_WHILE(value, list, NULL, status == GSIM_OK)
        status = read_span(track, value, is_kernel, error);
    return status;
}

/* "occupancy": {"sm_count": 108, "warps_per_sm": 64, "steps": [[time_us, busy_sms, warps], ...]} */
static enum gsim_status read_occupancy(struct gsim_track *track, const char *object, struct gsim_error *error)
{
    static const char *const names[] = {"sm_count", "warps_per_sm", "steps", NULL};
    const char *values[3], *inner;
    if (!object || *object != '{') return GSIM_OK; /* reports of versions that did not write it */
    find_members(object, names, values);
    track->sm_count = fmax(0, number_of(values[0]));
    track->warps_per_sm = fmax(0, number_of(values[1]));
    if (!values[2] || *values[2] != '[') return GSIM_OK;
    GSIM_SCAN_EACH(step, values[2], NULL) {
        double numbers[3] = {0};
        int count = 0;
        for (const char *value = *step == '[' ? gsim_scan_next(step, NULL, &inner) : NULL; value && count < 3;
             value = gsim_scan_next(gsim_scan_skip(value), NULL, &inner))
            numbers[count++] = number_of(value);
        if (count < 3 || !isfinite(numbers[0] + numbers[1] + numbers[2]))
            return gsim_error_set(error, GSIM_INPUT, "occupancy.steps: expected lists of three numbers");
        add_load(track, numbers[0], numbers[1], numbers[2]);
    }
    return GSIM_OK;
}

/* "tasks": [{"name": ...}, ...]. Of one there is nothing to tell apart. */
static enum gsim_status read_tasks(struct gsim_track *track, const char *list, struct gsim_error *error)
{
    static const char *const names[] = {"name", NULL};
    const char *name;
    size_t count = 0;
    if (!list || *list != '[') return GSIM_OK;
    GSIM_SCAN_EACH(task, list, NULL)
        count++;
    if (count < 2) return GSIM_OK;
    track->tasks = gsim_arena_alloc(&track->arena, sizeof *track->tasks * count);
    GSIM_SCAN_EACH(task, list, NULL) {
        name = NULL;
        if (*task == '{') find_members(task, names, &name);
        track->tasks[track->task_count++] = text_of(track, name);
    }
    for (size_t i = 0; i < track->span_count; i++)
        if (track->spans[i].task >= count)
            return gsim_error_set(error, GSIM_INPUT, "kernels: expected a task below %zu, found %u", count,
                                  track->spans[i].task);
    return GSIM_OK;
}

static void add_iteration(struct gsim_track *track, double start_us, double end_us)
{
    gsim_array_grow(&track->iterations, sizeof *track->iterations, track->iteration_count, &track->iteration_capacity);
    track->iterations[track->iteration_count++] = (struct gsim_track_window){.start_us = start_us, .end_us = end_us};
}

/* Two lists of equal length: starts and durations. */
static void read_iterations(struct gsim_track *track, const char *starts, const char *durations)
{
    const char *rest, *other;
    if (!starts || !durations || *starts != '[' || *durations != '[') return;
    const char *start = gsim_scan_next(starts, NULL, &rest), *duration = gsim_scan_next(durations, NULL, &other);
    while (start && duration) {
        add_iteration(track, number_of(start), number_of(start) + number_of(duration));
        start = gsim_scan_next(gsim_scan_skip(start), NULL, &rest);
        duration = gsim_scan_next(gsim_scan_skip(duration), NULL, &other);
    }
}

/* Traces say of each span which iteration it belongs to. */
static void find_iterations(struct gsim_track *track)
{
    uint32_t last = 0;
    for (size_t i = 0; i < track->span_count; i++)
        last = track->spans[i].iteration > last ? track->spans[i].iteration : last;
    if (last > 1000000) return;
    for (uint32_t i = 0; i <= last && last; i++) add_iteration(track, INFINITY, 0);
    for (size_t i = 0; i < track->span_count && last; i++) {
        struct gsim_track_window *window = &track->iterations[track->spans[i].iteration];
        window->start_us = fmin(window->start_us, track->spans[i].start_us);
        window->end_us = fmax(window->end_us, track->spans[i].end_us);
    }
}

static enum gsim_status read_report(struct gsim_track *track, const char *path, struct gsim_error *error)
{
    static const char *const names[] = {"schema",  "workload",     "scheduler", "device",    "makespan_us",
                                        "kernels", "iteration_us", "copies",    "occupancy", "iteration_start_us",
                                        "tasks",   NULL};
    const char *values[11];
    size_t length = 0;
    char *text = gsim_file_read(path, &length, error);
    enum gsim_status status = text ? gsim_scan_check(text, length, error) : error->status;
    if (status == GSIM_OK) {
        const char *object = gsim_scan_start(text);
        if (*object != '{') status = gsim_error_set(error, GSIM_INPUT, "expected a report, found another value");
        if (status == GSIM_OK) find_members(object, names, values);
    }
    if (status == GSIM_OK) {
        track->workload = text_of(track, values[1]);
        track->scheduler = text_of(track, values[2]);
        track->device = text_of(track, values[3]);
        status = read_spans(track, values[5], true, error);
        if (status == GSIM_OK) status = read_spans(track, values[7], false, error);
        if (status == GSIM_OK) status = read_occupancy(track, values[8], error);
        if (status == GSIM_OK) read_iterations(track, values[9], values[6]);
        if (status == GSIM_OK) status = read_tasks(track, values[10], error);
        track->end_us = fmax(track->end_us, number_of(values[4]));
    }
    gsim_free(text);
    return status;
}

/* --- recorded runs --- */
static enum gsim_status read_run(struct gsim_track *track, const char *run, struct gsim_error *error)
{
    static const char *const names[] = {"workload", "scheduler", "traced", NULL}, *const inner[] = {"ops", NULL};
    static const char *const kinds[] = {"kind", NULL};
    const char *values[3], *ops = NULL, *kind;
    enum gsim_status status = GSIM_OK;
    find_members(run, names, values);
    track->workload = text_of(track, values[0]);
    track->scheduler = text_of(track, values[1]);
    if (values[2] && *values[2] == '{') find_members(values[2], inner, &ops);
    if (!ops || *ops != '[') return gsim_error_set(error, GSIM_INPUT, "this run was not traced");
    GSIM_SCAN_WHILE(op, ops, NULL, status == GSIM_OK) {
        if (*op != '{') return gsim_error_set(error, GSIM_INPUT, "traced.ops: expected objects");
        find_members(op, kinds, &kind);
        status = read_span(track, op, kind && strncmp(kind, "\"kernel\"", 8) == 0, error);
    }
    return status;
}

enum gsim_status gsim_track_read_run(const char *path, size_t index, struct gsim_track *track, struct gsim_error *error)
{
    static const char *const names[] = {"runs", "device", NULL};
    const char *values[2] = {NULL}, *run = NULL, *rest;
    size_t length = 0;
    memset(track, 0, sizeof *track);
    track->workload = track->scheduler = track->device = "";
    char *text = gsim_file_read(path, &length, error);
    enum gsim_status status = text ? gsim_scan_check(text, length, error) : error->status;
    if (status == GSIM_OK && *gsim_scan_start(text) == '{') find_members(gsim_scan_start(text), names, values);
    if (status == GSIM_OK && values[0] && *values[0] == '[') run = gsim_scan_next(values[0], NULL, &rest);
    for (size_t i = 0; i < index && run; i++) run = gsim_scan_next(gsim_scan_skip(run), NULL, &rest);
    if (status == GSIM_OK && (!run || *run != '{'))
        status = gsim_error_set(error, GSIM_INPUT, "runs[%zu]: expected a run, found none", index);
    if (status == GSIM_OK) {
        track->device = text_of(track, values[1]);
        status = read_run(track, run, error);
        if (status != GSIM_OK) status = gsim_error_prefix(error, "runs[%zu]", index);
    }
    gsim_free(text);
    if (status == GSIM_OK && !track->span_count)
        status = gsim_error_set(error, GSIM_INPUT, "runs[%zu]: no kernels and no copies in it", index);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(error, "cannot read '%s'", path);
}

/* --- traces --- */
struct trace {
    struct gsim_track *track;
    long long base_us; /* of the first event: times since an epoch do not fit a double to the nanosecond */
    bool has_base;
    double busy_sms, warps;
};

static double time_of(struct trace *trace, const char *value)
{
    char *end;
    if (isnan(number_of(value))) return NAN;
    if (value[strcspn(value, "eE,}] \t\r\n")] == 'e' || value[strcspn(value, "eE,}] \t\r\n")] == 'E')
        return gsim_scan_number(value) - (double)trace->base_us;
    long long whole = strtoll(value, &end, 10);
    if (!trace->has_base && whole > EPOCH_US) trace->base_us = whole;
    trace->has_base = true;
    return (double)(whole - trace->base_us) + (*end == '.' ? (*value == '-' ? -1 : 1) * strtod(end, NULL) : 0);
}

static bool is_text(const char *value, const char *text)
{
    size_t length = strlen(text);
    return value && value[0] == '"' && strncmp(value + 1, text, length) == 0 && value[length + 1] == '"';
}

/* gsim_chrome_write's two counters; each is an event of its own. */
static void read_counter(struct trace *trace, const char *name, const char *ts, const char *args)
{
    static const char *const names[] = {"busy SMs", "warps", NULL};
    const char *values[2];
    struct gsim_track *track = trace->track;
    if (!args || *args != '{' || (!is_text(name, "occupancy") && !is_text(name, "resident warps"))) return;
    find_members(args, names, values);
    double at = time_of(trace, ts);
    if (isnan(at) || (!values[0] && !values[1])) return;
    if (values[0]) trace->busy_sms = number_of(values[0]);
    if (values[1]) trace->warps = number_of(values[1]);
    struct gsim_load *last = track->load_count ? &track->loads[track->load_count - 1] : NULL;
    if (!last || last->start_us != at) {
        add_load(track, at, trace->busy_sms, trace->warps);
        return;
    }
    last->busy_sms = trace->busy_sms;
    last->warps = trace->warps;
}

static enum gsim_span_kind kind_of(const char *category, const char *name)
{
    if (is_text(category, "kernel")) return GSIM_SPAN_KERNEL;
    if (is_text(category, "gpu_memset")) return GSIM_SPAN_MEMSET;
    if (strstr(name, "HtoD") || strstr(name, "HtoA")) return GSIM_SPAN_H2D;
    if (strstr(name, "DtoH") || strstr(name, "AtoH")) return GSIM_SPAN_D2H;
    return strstr(name, "PtoP") ? GSIM_SPAN_P2P : GSIM_SPAN_D2D;
}

static enum gsim_status read_event(void *context, uint64_t index, const char *text, struct gsim_error *error)
{
    static const char *const names[] = {"ph", "cat", "name", "ts", "dur", "args", NULL};
    static const char *const arguments[] = {"stream", "device", "iteration", "bytes", "reason", NULL};
    struct trace *trace = context;
    const char *v[6], *args[5] = {NULL};
    (void)index;
    text = gsim_scan_start(text);
    if (*text != '{') return gsim_error_set(error, GSIM_INPUT, "expected an event, found another value");
    find_members(text, names, v);
    if (is_text(v[0], "C")) {
        read_counter(trace, v[2], v[3], v[5]);
        return GSIM_OK;
    }
    if (!is_text(v[0], "X")) return GSIM_OK;
    if (!is_text(v[1], "kernel") && !is_text(v[1], "gpu_memcpy") && !is_text(v[1], "gpu_memset")) return GSIM_OK;
    if (v[5] && *v[5] == '{') find_members(v[5], arguments, args);
    const char *name = text_of(trace->track, v[2]);
    struct gsim_span span = {.kind = kind_of(v[1], name),
                             .stream = index_of(args[0]),
                             .device = index_of(args[1]),
                             .iteration = index_of(args[2]),
                             .name = name,
                             .start_us = time_of(trace, v[3]),
                             .bytes = gsim_whole_u64(fmax(0, number_of(args[3])))};
    span.end_us = span.start_us + number_of(v[4]);
    if (span.kind != GSIM_SPAN_KERNEL) span.name = args[4] ? text_of(trace->track, args[4]) : "explicit";
    if (!isfinite(span.start_us) || !(span.end_us >= span.start_us))
        return gsim_error_set(error, GSIM_INPUT, "ts and dur: expected times in microseconds");
    add_span(trace->track, &span);
    return GSIM_OK;
}

/* "gpusim": what was simulated; deviceProperties[0]: the SMs, and the name where gpusim did not write it. */
static enum gsim_status read_header(void *context, const char *name, const char *text, struct gsim_error *error)
{
    static const char *const words[] = {"workload", "scheduler", "device", NULL};
    static const char *const limits[] = {"name", "numSms", "maxThreadsPerMultiprocessor", NULL};
    struct gsim_track *track = ((struct trace *)context)->track;
    const char *values[3], *rest;
    (void)error;
    text = gsim_scan_start(text);
    if (strcmp(name, "gpusim") == 0 && *text == '{') {
        find_members(text, words, values);
        track->workload = text_of(track, values[0]);
        track->scheduler = text_of(track, values[1]);
        track->device = text_of(track, values[2]);
    } else if (strcmp(name, "deviceProperties") == 0 && *text == '[') {
        const char *first = gsim_scan_next(text, NULL, &rest);
        if (!first || *first != '{') return GSIM_OK;
        find_members(first, limits, values);
        if (!track->device[0]) track->device = text_of(track, values[0]);
        track->sm_count = fmax(0, number_of(values[1]));
        track->warps_per_sm = fmax(0, number_of(values[2])) / 32;
    }
    return GSIM_OK;
}

/* Recordings do not begin with their first kernel: time counts from it. */
static void shift(struct gsim_track *track)
{
    double first = INFINITY;
    for (size_t i = 0; i < track->span_count; i++) first = fmin(first, track->spans[i].start_us);
    if (!track->span_count || first == 0) return;
    for (size_t i = 0; i < track->span_count; i++) {
        track->spans[i].start_us -= first;
        track->spans[i].end_us -= first;
    }
    for (size_t i = 0; i < track->load_count; i++) track->loads[i].start_us -= first;
    track->end_us -= first;
}

static enum gsim_status read_trace(struct gsim_track *track, const char *path, struct gsim_error *error)
{
    struct trace trace = {.track = track};
    struct gsim_events_handler handler = {.event = read_event, .header = read_header, .context = &trace};
    track->end_us = -INFINITY;
    enum gsim_status status = gsim_events_read(path, &handler, error);
    if (status != GSIM_OK) return status;
    if (!track->scheduler[0]) shift(track); /* gpusim's own begin with the program's first call */
    find_iterations(track);
    return GSIM_OK;
}

/* --- which of the two --- */
bool gsim_track_holds_runs(const char *path) { return gsim_gz_has(path, "\"gpusim-runs/1\""); }

enum gsim_status gsim_track_read(const char *path, struct gsim_track *track, struct gsim_error *error)
{
    memset(track, 0, sizeof *track);
    track->workload = track->scheduler = track->device = "";
    enum gsim_status status = gsim_gz_has(path, "\"" GSIM_REPORT_SCHEMA "\"") ? read_report(track, path, error)
                                                                                     : read_trace(track, path, error);
    if (status == GSIM_OK && !track->span_count)
        status = gsim_error_set(error, GSIM_INPUT, "no kernels and no copies in it: expected a report or a trace");
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(error, "cannot read '%s'", path);
}
