/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). See cli/trust/paper_runs.h. A point's settings are words of a command line, as a sweep's. */
#include "cli/trust/paper_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ranks/ranks.h"
#include "cli/sweep/row.h"
#include "cli/sweep/sharing.h"
#include "cli/tasks/tasks.h"
#include "gpusim/scenario.h"
#include "sim/base/jobs/each.h"
#include "sim/base/scratch.h"
#include "sim/rank_node.h"
#include "trust/published/script_overlap.h"

#define MESSAGE 160
/* Settings that no command line has: the graph is drawn anew, the run is not; a variant of the workload; words of
 * several --opt. */
#define PROGRAM_SEED "program.seed"
#define CXX          "program.cxx"
#define OPTS         "opts"
#define RANKS        "ranks" /* that run the program, on GPUs of their own; all are alike, but with EACH */
#define EACH         "ranks.each"
#define MULTICAST    "ranks.multicast"
#define NODE         "ranks.node" /* a node's links; absent: the device's own */
#define MAX_RANKS    8
#define MEASURED     "measure.requests" /* of each task alone, where a way of sharing needs a profile */
#define UNTIL        "until_us"         /* what TASK.work_us counts until, if all requests have ended before */

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* --- figures of one program --- */

/* What a run was, and of its last iteration what has been asked for before. */
struct shot {
    struct gsim_timeline *timeline;
    const struct gsim_program *program;
    const struct gsim_device_spec *device;
    struct gsim_metrics whole, last;
    struct gsim_overlap script;
    bool has_whole, has_last, has_script;
};

static double span_us(const struct gsim_iteration_record *i) { return gsim_time_us(i->end - i->start); }

/* Kernels one after the other: what each took, its data's way included, counts from the end of the one before. */
static enum gsim_status serial_path(const struct shot *s, double *us, struct gsim_error *error)
{
    const struct gsim_timeline *t = s->timeline;
    gsim_time *op_time = gsim_alloc(sizeof *op_time * s->program->op_count), path = 0,
              before = t->iterations[t->iteration_count - 1].start;
    for (size_t i = 0; i < t->kernel_count; i++) { /* in order of completion */
        op_time[t->kernels[i].op] = t->kernels[i].end - before;
        before = t->kernels[i].end;
    }
    enum gsim_status status = gsim_critical_path(s->program, 1, op_time, &path, error);
    gsim_free(op_time);
    *us = gsim_time_us(path);
    return status;
}

/* Mean time of the last iteration's kernels of that name; NAN: there is none. */
static double kernel_us(const struct shot *s, const char *name)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < s->timeline->kernel_count; i++) {
        const struct gsim_kernel_record *k = &s->timeline->kernels[i];
        const char *its = s->program->kernels[k->kernel_index].name;
        if (!its || !is(its, name)) continue;
        sum += gsim_time_us(k->end - k->start);
        count++;
    }
    return count ? sum / (double)count : NAN;
}

static enum gsim_status of_last(struct shot *s, const char *name, double *value, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    /* The records of the last iteration alone, in their order. */
    struct gsim_timeline *t = s->timeline;
    size_t kernels = 0, copies = 0;
    uint32_t last = t->iteration_count ? (uint32_t)t->iteration_count - 1 : 0;
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].iteration == last) t->kernels[kernels++] = t->kernels[i];
    for (size_t i = 0; i < t->copy_count; i++)
        if (t->copies[i].iteration == last) t->copies[copies++] = t->copies[i];
    t->kernel_count = kernels;
    t->copy_count = copies;
    if (strncmp(name, "kernel.", 7) == 0) *value = kernel_us(s, name + 7);
    else if (is(name, "serial_path_us")) return serial_path(s, value, error);
    else if (strncmp(name, "script_", 7) == 0) {
        if (!s->has_script) status = gsim_script_overlap(s->timeline, &s->script, error);
        s->has_script = true;
        *value = is(name, "script_ct")   ? s->script.compute_transfer
                 : is(name, "script_tc") ? s->script.transfer_compute
                 : is(name, "script_cc") ? s->script.compute_compute
                                         : s->script.total;
    } else {
        if (!s->has_last) status = gsim_metrics_overlap(s->timeline, &s->last, error);
        s->has_last = true;
        *value = is(name, "kernel_time_us")     ? gsim_time_us(s->last.kernel_time)
                 : is(name, "overlap_ct")       ? s->last.overlap.compute_transfer
                 : is(name, "overlap_tc")       ? s->last.overlap.transfer_compute
                 : is(name, "overlap_cc")       ? s->last.overlap.compute_compute
                 : is(name, "overlap_total")    ? s->last.overlap.total
                 : is(name, "transfer_time_us") ? gsim_time_us(s->last.transfer_time)
                                                : NAN;
    }
    return status;
}

static bool needs_detail(const char *name) { return is(name, "sm_busy_ratio") || is(name, "achieved_occupancy"); }

/* Of collectives that follow one another on one rank, from the second one's end on: as loops are measured. */
static double collective_period_us(const struct gsim_timeline *t)
{
    gsim_time second = 0, last = 0;
    size_t count = 0;
    for (size_t i = 0; i < t->collective_count; i++) {
        if (t->collectives[i].task != 0) continue;
        last = t->collectives[i].end;
        if (++count == 2) second = last;
    }
    return count > 2 ? gsim_time_us(last - second) / (double)(count - 2) : NAN;
}

/* Names that a timeline's records answer at once; false: it is none of them. */
static bool at_once(const struct gsim_timeline *t, const char *name, double *value)
{
    const struct gsim_iteration_record *first = t->iteration_count ? t->iterations : NULL,
                                       *last = first ? &t->iterations[t->iteration_count - 1] : NULL;
    const struct gsim_resident_record *resident = t->resident_count ? &t->residents[t->resident_count - 1] : NULL;
    *value = NAN;
    for (size_t i = 0; i < t->figure_count; i++) /* what the scheduler says of itself */
        if (is(t->figures[i].name, name)) *value = t->figures[i].value;
    if (is(name, "collective_us"))
        *value = t->collective_count ? gsim_time_us(t->collectives[0].end - t->collectives[0].begun) : NAN;
    else if (is(name, "collective_period_us")) *value = collective_period_us(t);
    else if (is(name, "longest_us")) {
        /* Of a kernel that is no collective. */
        double longest = NAN;
        for (size_t i = 0; i < t->kernel_count; i++)
            if (!t->program->kernels[t->kernels[i].kernel_index].collective)
                longest = fmax(isnan(longest) ? 0 : longest, gsim_time_us(t->kernels[i].end - t->kernels[i].start));
        *value = longest;
    } else if (is(name, "iteration_us")) *value = last ? span_us(last) : NAN;
    else if (is(name, "first_us")) *value = first ? span_us(first) : NAN;
    else if (is(name, "streams_used")) *value = last ? last->streams_used : NAN;
    else if (is(name, "events_recorded")) *value = last ? last->events_recorded : NAN;
    else if (is(name, "resident_us")) *value = resident ? gsim_time_us(resident->end - resident->start) : NAN;
    else if (is(name, "late_ratio"))
        *value = resident ? resident->late_makespan_us / gsim_time_us(resident->end - resident->start) : NAN;
    else return isfinite(*value);
    return true;
}

static enum gsim_status figure(struct shot *s, const char *name, double *value, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    if (at_once(s->timeline, name, value)) return GSIM_OK;
    if (!needs_detail(name) && !is(name, "makespan_us")) return of_last(s, name, value, error);
    if (!s->has_whole) status = gsim_metrics_compute(s->timeline, s->device, NULL, &s->whole, error);
    s->has_whole = true;
    *value = is(name, "makespan_us")     ? gsim_time_us(s->whole.makespan)
             : is(name, "sm_busy_ratio") ? s->whole.sm_busy_ratio
                                         : s->whole.achieved_occupancy;
    return status;
}

/* --- one point --- */

/* A setting that no command line has; NULL: it is not given. */
static const char *own_setting(const struct gsim_paper_point *point, const char *name)
{
    for (size_t i = 0; i < point->count; i++)
        if (is(point->settings[i].name, name)) return point->settings[i].value;
    return NULL;
}

/* RANKS that run the point's program: one for all of them, or, where each is asked for, that many. */
static enum gsim_status make_ranks(struct gsim_cli_point *point, const struct gsim_paper_point *asked,
                                   struct gsim_scenario *scenario, struct gsim_error *error)
{
    struct gsim_client list[MAX_RANKS];
    const char *node_name = own_setting(asked, NODE);
    struct gsim_rank_node node = {.links.has_multicast = own_setting(asked, MULTICAST) != NULL};
    uint32_t ranks = (uint32_t)strtoul(own_setting(asked, RANKS), NULL, 10);
    enum gsim_status status =
        node_name ? gsim_rank_node_find(node_name, point->simulation.device->name, ranks, &node, error) : GSIM_OK;
    if (status) return status;
    uint32_t count = own_setting(asked, EACH) ? ranks : 1;
    if (!ranks || count > MAX_RANKS)
        return gsim_error_set(error, GSIM_INPUT, RANKS ": expected 1 or more, and at most %d each", MAX_RANKS);
    for (uint32_t i = 0; i < count; i++)
        list[i] = (struct gsim_client){.program = &point->program,
                                             .scheduler = point->simulation.scheduler,
                                             .scheduler_params = point->params,
                                             .rank = i,
                                             .copies = ranks / count,
                                             .device = i};
    return gsim_scenario_join(scenario, list, count, &node.links, 1, error);
}

static enum gsim_status run_program(const struct gsim_cli_setup *setup, const struct gsim_paper_point *asked,
                                    const struct gsim_paper_batch *batch, double *values, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = setup->arguments;
    const char *workload = arguments->value[GSIM_CLI_WORKLOAD], *name = arguments->value[GSIM_CLI_SCHED];
    const struct gsim_scheduler_ops *scheduler = NULL;
    struct gsim_cli_point point = {0};
    struct gsim_cli_setup drawn = *setup;
    struct gsim_scenario scenario = {0};
    struct gsim_timeline timeline = {0};
    if (!workload || !name) return gsim_error_set(error, GSIM_INPUT, "expected a workload and sched, or task1");
    enum gsim_status status = gsim_cli_scheduler(name, &scheduler, error);
    if (status == GSIM_OK) status = gsim_cli_check_opts(arguments, &scheduler, 1, error);
    const char *seed = own_setting(asked, PROGRAM_SEED), *cxx = own_setting(asked, CXX);
    if (seed) drawn.seed = strtoull(seed, NULL, 10);
    if (status == GSIM_OK) status = gsim_cli_point_init(&point, &drawn, workload, scheduler, error);
    if (status != GSIM_OK) return status;
    point.simulation.seed = setup->seed;
    for (size_t f = 0; f < batch->figure_count; f++) point.simulation.detailed |= needs_detail(batch->figures[f]);
    if (cxx && is(cxx, "1")) {
        /* The program as the authors' C++ version has it, where that differs. */
        const struct gsim_workload_ops *ops = gsim_workload_find(workload);
        point.workload.cxx = true;
        gsim_program_release(&point.program);
        status = ops ? ops->build(&point.workload, &point.program, error)
                     : gsim_error_set(error, GSIM_INPUT, CXX ": '%.60s' is no built-in workload", workload);
    }
    scenario.simulation = point.simulation;
    if (status == GSIM_OK && own_setting(asked, RANKS)) status = make_ranks(&point, asked, &scenario, error);
    if (status == GSIM_OK) status = gsim_run(&scenario, &timeline, error);
    struct shot shot = {.timeline = &timeline, .program = &point.program, .device = point.simulation.device};
    for (int pass = 0; pass < 2; pass++) /* what is of the last iteration alone comes last: it drops the others */
        for (size_t f = 0; f < batch->figure_count && status == GSIM_OK; f++) {
            double now;
            bool is_whole = needs_detail(batch->figures[f]) || is(batch->figures[f], "makespan_us") ||
                            at_once(&timeline, batch->figures[f], &now);
            if (is_whole == !pass) status = figure(&shot, batch->figures[f], &values[f], error);
        }
    gsim_timeline_release(&timeline);
    gsim_scenario_release(&scenario);
    gsim_cli_point_release(&point);
    return status;
}

/* Of a task: the longest time from a request's first call to its end. */
static double longest_us(const struct gsim_timeline *t, uint32_t task)
{
    double longest = NAN;
    for (size_t i = 0; i < t->request_count; i++)
        if (t->requests[i].task == task)
            longest = fmax(isnan(longest) ? 0 : longest, gsim_time_us(t->requests[i].end - t->requests[i].start));
    return longest;
}

/* The time alone of its kernels that ended until UNTIL_US, or until all requests of tasks that have a number ended. */
static double work_us(const struct gsim_cli_tasks *tasks, const struct gsim_timeline *t, uint32_t task,
                      const struct gsim_task_stats *stats, double until_us)
{
    double sum = 0;
    for (uint32_t i = 0; i < tasks->count; i++)
        if (gsim_task_is_finite(&tasks->tasks[i])) until_us = fmax(until_us, stats[i].end_us);
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].task == task && gsim_time_us(t->kernels[i].end) <= until_us)
            sum += tasks->set.all.kernels[t->kernels[i].kernel_index].solo_us;
    return sum;
}

/* "TASK.FIGURE", of the task of that name; "end_us", of all of them. */
static double task_figure(const struct gsim_cli_tasks *t, const struct gsim_timeline *timeline,
                          const struct gsim_task_stats *stats, double until_us, const char *name)
{
    const char *dot = strrchr(name, '.');
    double end_us = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct gsim_task_stats *s = &stats[i];
        end_us = fmax(end_us, s->end_us);
        if (!dot || strlen(t->tasks[i].name) != (size_t)(dot - name) ||
            strncmp(t->tasks[i].name, name, (size_t)(dot - name)) != 0)
            continue;
        if (is(dot + 1, "longest_us")) return longest_us(timeline, i);
        if (is(dot + 1, "work_us")) return work_us(t, timeline, i, stats, until_us);
        const struct {
            const char *name;
            double value;
        } figures[] = {{"mean_us", s->requests ? s->mean_us : NAN}, {"p50_us", s->p50_us}, {"p90_us", s->p90_us},
                       {"p99_us", s->p99_us},   {"max_us", s->max_us}, {"per_second", s->per_second},
                       {"end_us", s->end_us},   {"late", s->late},     {"served", s->requests}};
        for (size_t f = 0; f < sizeof figures / sizeof figures[0]; f++)
            if (is(figures[f].name, dot + 1)) return figures[f].value;
    }
    return is(name, "end_us") ? end_us : NAN;
}

/* REQUESTS of each task alone; NULL: as many as --measure. */
static enum gsim_status measure(struct gsim_cli_tasks *t, const char *requests, struct gsim_error *error)
{
    uint32_t *own = requests ? GSIM_ARENA_ARRAY(&t->arena, uint32_t, t->count) : NULL;
    for (uint32_t i = 0; own && i < t->count; i++) {
        own[i] = t->tasks[i].requests;
        t->tasks[i].requests = (uint32_t)strtoul(requests, NULL, 10);
    }
    enum gsim_status status = gsim_cli_tasks_measure(t, error);
    for (uint32_t i = 0; own && i < t->count; i++) t->tasks[i].requests = own[i];
    return status;
}

static enum gsim_status run_tasks(const struct gsim_cli_setup *setup, const struct gsim_paper_point *point,
                                  const struct gsim_paper_batch *batch, double *values, struct gsim_error *error)
{
    const char *text = setup->arguments->value[GSIM_CLI_SHARE], *until = own_setting(point, UNTIL);
    const struct gsim_sharing_ops *way = NULL;
    struct gsim_cli_tasks t = {0};
    struct gsim_timeline timeline = {0};
    void *params = NULL;
    enum gsim_status status = gsim_cli_tasks_init(&t, setup, error);
    struct gsim_task_stats *stats = GSIM_ARENA_ARRAY(&t.arena, struct gsim_task_stats, t.count + 1);
    if (status == GSIM_OK) status = gsim_cli_share(text ? text : "exclusive", &way, error);
    if (status == GSIM_OK) status = gsim_cli_check_share_opts(&t, &way, 1, error);
    if (status == GSIM_OK && way->needs_profile) status = measure(&t, own_setting(point, MEASURED), error);
    if (status == GSIM_OK) status = gsim_cli_share_params(&t, way, &params, error);
    if (status == GSIM_OK) {
        struct gsim_simulation s = gsim_cli_tasks_simulation(&t, way, params);
        s.detailed = false;
        status = gsim_cli_tasks_run(&t, &s, &timeline, stats, error);
    }
    for (size_t f = 0; f < batch->figure_count && status == GSIM_OK; f++)
        values[f] = task_figure(&t, &timeline, stats, until ? strtod(until, NULL) : 0, batch->figures[f]);
    gsim_timeline_release(&timeline);
    gsim_cli_tasks_release(&t);
    return status;
}

/* "NAME=VALUE NAME=VALUE": as many --opt. */
static void add_opts(const char *text, struct gsim_arena *arena, struct gsim_cli_arguments *arguments)
{
    for (const char *at = text; *at; at += strspn(at, " ")) {
        int length = (int)strcspn(at, " ");
        arguments->opts[arguments->opt_count++] = gsim_arena_printf(arena, "%.*s", length, at);
        at += length;
    }
}

/* What the settings are on a command line, from ARENA. Tasks: "task1" and its keys, "task1.KEY". */
static void make_arguments(const struct gsim_paper_point *point, struct gsim_arena *arena,
                           struct gsim_cli_arguments *arguments)
{
    const char *key;
    size_t opts = point->count + 1;
    for (size_t i = 0; i < point->count; i++)
        if (is(point->settings[i].name, OPTS)) opts += strlen(point->settings[i].value);
    arguments->opts = GSIM_ARENA_ARRAY(arena, const char *, opts);
    arguments->repeated = GSIM_ARENA_ARRAY(arena, struct gsim_cli_repeated, point->count + 1);
    for (size_t i = 0; i < point->count; i++) {
        const struct gsim_paper_setting *s = &point->settings[i];
        enum gsim_cli_key option = gsim_request_option(s->name);
        static const char *const own[] = {PROGRAM_SEED, CXX, MEASURED, UNTIL, RANKS, EACH, MULTICAST, NODE};
        bool is_own = false;
        for (size_t o = 0; o < sizeof own / sizeof own[0]; o++) is_own = is_own || is(s->name, own[o]);
        if (is_own) continue;
        if (is(s->name, OPTS)) add_opts(s->value, arena, arguments);
        else if (option < GSIM_CLI_KEY_COUNT) arguments->value[option] = s->value;
        else if (!gsim_request_task(s->name, &key))
            arguments->opts[arguments->opt_count++] = gsim_arena_printf(arena, "%s=%s", s->name, s->value);
    }
    for (uint32_t number = 1; number <= GSIM_LIMIT_TASKS; number++) {
        const char *words = NULL, *more = "";
        for (size_t i = 0; i < point->count; i++) {
            if (gsim_request_task(point->settings[i].name, &key) != number) continue;
            if (key) more = gsim_arena_printf(arena, "%s,%s=%s", more, key, point->settings[i].value);
            else words = point->settings[i].value;
        }
        if (!words) break;
        arguments->repeated[arguments->repeated_count++] =
            (struct gsim_cli_repeated){GSIM_CLI_TASK, gsim_arena_printf(arena, "%s%s", words, more)};
    }
}

static enum gsim_status scale(struct gsim_device_spec *device, const struct gsim_paper_runs *runs,
                              struct gsim_error *error)
{
    char text[40];
    if (!runs->scale) return GSIM_OK;
    snprintf(text, sizeof text, "%.12g", runs->factor * gsim_device_get(device, gsim_device_number_find(runs->scale)));
    return gsim_device_set_number(device, runs->scale, text, error);
}

struct jobs {
    const struct gsim_paper_runs *runs;
    struct gsim_paper_batch *batch;
    char device_name[64]; /* of a worker's latest run on one device alone; "": there was none */
    struct gsim_device_spec device;
};

/* Most runs are on the device of the run before: its file is read once. */
static enum gsim_status keep_device(struct jobs *jobs, struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    const char *name = arguments->value[GSIM_CLI_DEVICE];
    if (!name || strlen(name) >= sizeof jobs->device_name || arguments->value[GSIM_CLI_NODE]) return GSIM_OK;
    if (!is(jobs->device_name, name)) {
        struct gsim_device_spec device = {0};
        if (gsim_device_load(name, &device, error) != GSIM_OK) return error->status;
        if (jobs->device_name[0]) gsim_device_release(&jobs->device);
        jobs->device = device;
        snprintf(jobs->device_name, sizeof jobs->device_name, "%s", name);
    }
    arguments->device = &jobs->device;
    return GSIM_OK;
}

/* --- worker processes --- */

static enum gsim_status run_one(void *data, uint64_t item, void *values, struct gsim_error *error)
{
    struct jobs *jobs = data;
    const struct gsim_paper_point *point = &jobs->batch->points[item];
    const struct gsim_paper_batch *batch = jobs->batch;
    struct gsim_arena arena = {0};
    struct gsim_cli_arguments arguments = {.command = GSIM_CLI_RUN};
    struct gsim_cli_setup setup = {0};
    make_arguments(point, &arena, &arguments);
    enum gsim_status status = GSIM_OK;
    if (status == GSIM_OK) status = keep_device(jobs, &arguments, error);
    if (status == GSIM_OK) status = gsim_cli_setup_init(&setup, &arguments, error);
    if (status == GSIM_OK) {
        status = scale(&setup.device, jobs->runs, error);
        if (status == GSIM_OK)
            status = arguments.repeated_count ? run_tasks(&setup, point, batch, values, error)
                                              : run_program(&setup, point, batch, values, error);
        gsim_cli_setup_release(&setup);
    }
    gsim_arena_release(&arena);
    return status;
}

static enum gsim_status deliver(void *data, uint64_t item, const void *values, const struct gsim_error *failure,
                                struct gsim_error *error)
{
    struct jobs *jobs = data;
    (void)error;
    struct gsim_paper_point *point = &jobs->batch->points[item];
    if (!failure->status) memcpy(point->values, values, sizeof *point->values * jobs->batch->figure_count);
    else point->error = gsim_arena_printf(jobs->batch->arena, "%.*s", MESSAGE, failure->message);
    return GSIM_OK;
}

/* Each reason once. */
static void note_failures(const struct gsim_paper_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        size_t before = 0, count = 0; /* where all failed, that is the paper's error */
        for (size_t j = 0; batch->points[i].error && j < batch->count; j++) {
            bool alike = batch->points[j].error && is(batch->points[j].error, batch->points[i].error);
            before += alike && j < i;
            count += alike;
        }
        if (count && !before && count < batch->count)
            fprintf(stderr, "gpusim: %zu of %zu runs failed: %s\n", count, batch->count, batch->points[i].error);
    }
}

enum gsim_status gsim_cli_paper_runs(void *data, struct gsim_paper_batch *batch, struct gsim_error *error)
{
    const struct gsim_paper_runs *runs = data;
    struct jobs jobs = {.runs = runs, .batch = batch};
    struct gsim_each each = {.jobs = runs->jobs, .count = batch->count, .size = sizeof(double) * batch->figure_count,
                             .run = run_one, .deliver = deliver, .data = &jobs, .progress = runs->progress};
    runs->progress->total += batch->count;
    enum gsim_status status = gsim_each_run(&each, error);
    gsim_progress_clear(runs->progress);
    if (status == GSIM_OK) note_failures(batch);
    return status;
}

enum gsim_status gsim_cli_paper_keep(void *data, const char *text, const char **path, struct gsim_error *error)
{
    struct gsim_paper_runs *runs = data;
    if (!runs->folder && gsim_scratch_folder(runs->arena, &runs->folder, error) != GSIM_OK) return error->status;
    *path = gsim_arena_printf(runs->arena, "%s/%u.json", runs->folder, runs->file_count++);
    FILE *file = *path ? fopen(*path, "w") : NULL;
    bool is_written = file && fputs(text, file) >= 0;
    if (file && fclose(file) == 0 && is_written) return GSIM_OK;
    return gsim_error_set(error, GSIM_IO, "cannot write '%s'", *path ? *path : "a program");
}
