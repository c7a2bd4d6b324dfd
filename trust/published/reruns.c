/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs and worker processes of trust/published/reruns.h. What is run and why: trust/published/rules.c. */
#include "trust/published/reruns.h"

#include <string.h>

#include "trust/published/script_overlap.h"
#include "gpusim/simulate.h"
#include "sim/base/jobs/run.h"
#include "trust/published/partitioned.h"

/* Data that moves once has moved after the first; where memory is too small, evictions have settled after the second.
 */
#define ITERATIONS  3
#define DEVICES_MAX 32

/* --- the list ------------------------------------------------------------------------------------------------- */
static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool is_same(const struct gsim_rerun *a, const struct gsim_rerun *b)
{
    return a->size == b->size && a->blocks == b->blocks && a->block1d == b->block1d && a->suite == b->suite &&
           a->prefetch == b->prefetch && a->cxx == b->cxx && a->factor == b->factor &&
           same_text(a->workload, b->workload) && same_text(a->scheduler, b->scheduler) &&
           same_text(a->device, b->device) && same_text(a->number, b->number);
}

const struct gsim_rerun_result *gsim_reruns_get(struct gsim_reruns *reruns, const struct gsim_rerun *run)
{
    for (size_t i = 0; i < reruns->count; i++)
        if (is_same(&reruns->runs[i], run)) return i < reruns->done_count ? &reruns->results[i] : NULL;
    if (gsim_array_grow(&reruns->runs, sizeof *reruns->runs, reruns->count, &reruns->capacity)) return NULL;
    reruns->runs[reruns->count++] = *run;
    return NULL;
}

void gsim_reruns_release(struct gsim_reruns *reruns)
{
    gsim_free(reruns->runs);
    gsim_free(reruns->results);
    memset(reruns, 0, sizeof *reruns);
}

/* --- one run --------------------------------------------------------------------------------------------------- */
struct worker {
    struct gsim_device_spec devices[DEVICES_MAX];
    char names[DEVICES_MAX][96]; /* with the changed number */
    size_t device_count;
};

static enum gsim_status find_device(struct worker *worker, const struct gsim_rerun *run,
                                    const struct gsim_device_spec **device, struct gsim_error *error)
{
    char name[96], text[40];
    snprintf(name, sizeof name, "%s %s %.6g", run->device, run->number ? run->number : "",
             run->number ? run->factor : 1);
    for (size_t i = 0; i < worker->device_count; i++) {
        *device = &worker->devices[i];
        if (strcmp(worker->names[i], name) == 0) return GSIM_OK;
    }
    if (worker->device_count == DEVICES_MAX)
        return gsim_error_set(error, GSIM_INPUT, "more than %d devices", DEVICES_MAX);
    struct gsim_device_spec *spec = &worker->devices[worker->device_count];
    enum gsim_status status = gsim_device_load(run->device, spec, error);
    if (status == GSIM_OK && run->number) {
        double value = gsim_device_get(spec, gsim_device_number_find(run->number));
        snprintf(text, sizeof text, "%.12g", value * run->factor);
        status = gsim_device_set_number(spec, run->number, text, error);
    }
    if (status != GSIM_OK) return status;
    snprintf(worker->names[worker->device_count++], sizeof worker->names[0], "%s", name);
    *device = spec;
    return GSIM_OK;
}

static enum gsim_status build(const struct gsim_rerun *run, const struct gsim_scheduler_ops *scheduler,
                              struct gsim_program *program, struct gsim_error *error)
{
    const struct gsim_workload_ops *workload = gsim_workload_find(run->workload);
    if (!workload) return gsim_partitioned_build(run->workload, run->size, program, error);
    struct gsim_workload_options options = {.suite = run->suite,
                                            .shape = scheduler->shape,
                                            .size = run->size,
                                            .blocks = run->blocks,
                                            .block1d = run->block1d,
                                            .cxx = run->cxx};
    return workload->build(&options, program, error);
}

static void add_kernel(struct gsim_rerun_result *result, const char *name, double ms)
{
    if (!name) return;
    for (int i = 0; i < GSIM_RERUN_KERNELS; i++) {
        if (!result->kernels[i].count) snprintf(result->kernels[i].name, sizeof result->kernels[i].name, "%s", name);
        if (strncmp(result->kernels[i].name, name, sizeof result->kernels[i].name - 1) != 0) continue;
        result->kernels[i].count++;
        result->kernels[i].total_ms += ms;
        return;
    }
}

static double to_ms(gsim_time time) { return (double)time * 1e-9; }

/* Kernels one after the other: what each took, its data's way included, counts from the end of the one before. */
static enum gsim_status serial_path(const struct gsim_program *program, const struct gsim_timeline *t, gsim_time start,
                                    double *ms, struct gsim_error *error)
{
    gsim_time *op_time = gsim_alloc(sizeof *op_time * program->op_count), path = 0, before = start;
    if (!op_time) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (size_t i = 0; i < t->kernel_count; i++) { /* in order of completion */
        op_time[t->kernels[i].op] = t->kernels[i].end - before;
        before = t->kernels[i].end;
    }
    enum gsim_status status = gsim_critical_path(program, 1, op_time, &path, error);
    gsim_free(op_time);
    *ms = to_ms(path);
    return status;
}

/* Leaves the records of the last iteration alone, in their order. */
static void keep_last(struct gsim_timeline *t)
{
    size_t kernels = 0, copies = 0;
    uint32_t last = t->iteration_count ? (uint32_t)t->iteration_count - 1 : 0;
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].iteration == last) t->kernels[kernels++] = t->kernels[i];
    for (size_t i = 0; i < t->copy_count; i++)
        if (t->copies[i].iteration == last) t->copies[copies++] = t->copies[i];
    t->kernel_count = kernels;
    t->copy_count = copies;
}

static enum gsim_status measure(const struct gsim_program *program, struct gsim_timeline *t,
                                struct gsim_rerun_result *result, struct gsim_error *error)
{
    struct gsim_metrics metrics = {0};
    if (!t->iteration_count) return gsim_error_set(error, GSIM_INPUT, "no iteration");
    const struct gsim_iteration_record *last = &t->iterations[t->iteration_count - 1];
    result->iteration_ms = to_ms(last->end - last->start);
    result->streams_used = last->streams_used;
    result->events_recorded = last->events_recorded;
    keep_last(t);
    for (size_t i = 0; i < t->kernel_count; i++)
        add_kernel(result, program->kernels[t->kernels[i].kernel_index].name,
                   to_ms(t->kernels[i].end - t->kernels[i].start));
    enum gsim_status status = gsim_metrics_overlap(t, &metrics, error);
    result->overlap = metrics.overlap;
    result->kernels_ms = to_ms(metrics.kernel_time);
    if (status == GSIM_OK) status = serial_path(program, t, last->start, &result->serial_path_ms, error);
    return status;
}

static enum gsim_status make_one(struct worker *worker, const struct gsim_rerun *run, struct gsim_rerun_result *result,
                                 struct gsim_error *error)
{
    struct gsim_program program = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_simulation simulation = {.memory = GSIM_MEMORY_MANAGED,
                                         .prefetch = run->prefetch,
                                         .iterations = ITERATIONS,
                                         .seed = 1,
                                         .program = &program,
                                         .scheduler = gsim_scheduler_find(run->scheduler)};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    if (!simulation.scheduler) return gsim_error_set(error, GSIM_USAGE, "unknown scheduler '%s'", run->scheduler);
    enum gsim_status status = find_device(worker, run, &simulation.device, error);
    if (status == GSIM_OK) status = build(run, simulation.scheduler, &program, error);
    if (status != GSIM_OK) return status;
    status = gsim_simulate(&simulation, &timeline, error);
    if (status == GSIM_OK) status = measure(&program, &timeline, result, error);
    /* Of the partitioned benchmarks no overlap was published. */
    if (status == GSIM_OK && gsim_workload_find(run->workload))
        status = gsim_script_overlap(&timeline, &result->overlap, error);
    result->done = status == GSIM_OK;
    gsim_timeline_release(&timeline);
    gsim_program_release(&program);
    return status;
}

/* --- worker processes ------------------------------------------------------------------------------------------ */
struct jobs {
    struct gsim_reruns *reruns;
    struct worker *worker; /* of a worker process: made by its first run, which frees nothing before its end */
};

static void run_one(void *data, uint64_t item, struct gsim_bytes *outcome)
{
    struct jobs *jobs = data;
    struct gsim_rerun_result result;
    struct gsim_error error = {0};
    memset(&result, 0, sizeof result); /* padding included: it goes through a pipe */
    if (!jobs->worker && (jobs->worker = gsim_alloc(sizeof *jobs->worker)) != NULL) jobs->worker->device_count = 0;
    result.status = jobs->worker ? make_one(jobs->worker, &jobs->reruns->runs[item], &result, &error)
                                 : gsim_error_set(&error, GSIM_NOMEM, "out of memory");
    if (result.status != GSIM_OK) snprintf(result.message, sizeof result.message, "%.159s", error.message);
    gsim_bytes_add(outcome, &result, sizeof result);
}

static void fail_one(void *data, uint64_t item, enum gsim_item_end end, const char *message, struct gsim_bytes *outcome)
{
    struct gsim_rerun_result result;
    (void)data, (void)item, (void)end;
    memset(&result, 0, sizeof result);
    result.status = GSIM_IO;
    snprintf(result.message, sizeof result.message, "%.159s", message);
    gsim_bytes_add(outcome, &result, sizeof result);
}

static enum gsim_status take_one(void *data, uint64_t item, const char *outcome, size_t length,
                                 struct gsim_error *error)
{
    struct jobs *jobs = data;
    if (length != sizeof *jobs->reruns->results)
        return gsim_error_set(error, GSIM_IO, "a worker process gave %zu bytes", length);
    memcpy(&jobs->reruns->results[item], outcome, length);
    if (jobs->reruns->progress) jobs->reruns->progress->done++;
    return GSIM_OK;
}

enum gsim_status gsim_reruns_make(struct gsim_reruns *reruns, unsigned processes, struct gsim_error *error)
{
    struct jobs jobs = {.reruns = reruns};
    size_t fresh = reruns->count - reruns->done_count;
    if (!fresh) return GSIM_OK;
    void *results = gsim_realloc(reruns->results, sizeof *reruns->results * reruns->count);
    if (!results) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    reruns->results = results;
    struct gsim_pool_run run = {.pool = {.jobs = processes < GSIM_JOBS_MAX ? processes : GSIM_JOBS_MAX,
                                         .data = &jobs,
                                         .run = run_one,
                                         .fail = fail_one},
                                .first = reruns->done_count,
                                .count = fresh,
                                .deliver = take_one,
                                .data = &jobs,
                                .progress = reruns->progress};
    if (run.progress) {
        run.progress->done = reruns->done_count;
        run.progress->total = reruns->count;
    }
    enum gsim_status status = gsim_pool_run(&run, error);
    for (size_t i = reruns->done_count; status == GSIM_OK && i < reruns->count;
         i++) { /* the machine's fault, not the run's */
        const struct gsim_rerun_result *result = &reruns->results[i];
        if (result->status == GSIM_IO || result->status == GSIM_NOMEM)
            status = gsim_error_set(error, result->status, "%s", result->message);
    }
    if (status == GSIM_OK) reruns->done_count = reruns->count;
    return status;
}
