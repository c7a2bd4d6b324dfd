/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim calibrate": a device file from a probe, recorded runs, profilers' traces, or several of
 * these. What is fitted how: trust/calibrate/probes.c, trust/calibrate/runs.c, trust/calibrate/profile.c.
 */
#include <errno.h>
#include <unistd.h>

#include "trust/calibrate/print.h"
#include "trust/calibrate/traces.h"
#include "sim/device/device.h"
#include "cli/cli.h"
#include "cli/trust/host.h"
#include "cli/trust/calibrate_traces.h"
#include "sim/base/text.h"
#include "sim/base/jobs/clock.h"
#include "sim/base/jobs/progress.h"
#include "traces/import/importers.h"
#include "traces/runs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "gpusim/order.h"
#include "trust/calibrate/calibrate.h"
#include "sim/base/jobs/run.h"

#define BASE_DEFAULT       "h200"
#define FOLDS_DEFAULT      0
#define ITERATIONS_DEFAULT 12
#define TOLD_S             10.0 /* what takes less is not forecast, but on a terminal */

struct shared;

struct prediction_jobs {
    struct gsim_calibration *calibration;
    const struct gsim_gpu_options *gpu;
    struct gsim_device_spec trial; /* a worker's: its strings are the device's */
    uint64_t trial_number;
    struct shared *shared;
    struct gsim_pool *pool; /* NULL: none, or not started */
    struct predicted *predicted; /* by run: its latest */
    size_t *order; /* of the runs, the long ones first */
    struct gsim_progress *progress; /* shown while the workers work; NULL: none */
};

/* --- runs predicted by worker processes: an item is a run's index --- */
/* Written while the workers have nothing to do: the pipe that hands out an item comes behind it. */
struct shared {
    uint64_t number; /* of the devices so far */
    double values[GSIM_DEVICE_NUMBER_COUNT];
};

struct predicted {
    enum gsim_status status;
    double us;
    char message[200];
};


/* --- in a worker -------------------------------------------------------------------------------------------------- */
static void run(void *data, uint64_t item, struct gsim_bytes *bytes)
{
    struct prediction_jobs *jobs = data;
    struct gsim_error error = {0};
    struct predicted outcome;
    memset(&outcome, 0, sizeof outcome); /* padding included: it goes through a pipe */
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT && jobs->trial_number != jobs->shared->number; i++)
        if (jobs->shared->values[i] != gsim_device_get(&jobs->trial, (enum gsim_device_number)i))
            (void)gsim_device_put(&jobs->trial, (enum gsim_device_number)i, jobs->shared->values[i], GSIM_KIND_FITTED,
                                  "");
    jobs->trial_number = jobs->shared->number;
    outcome.status =
        gsim_calibration_predict(jobs->calibration, (size_t)item, &jobs->trial, jobs->gpu, &outcome.us, &error);
    snprintf(outcome.message, sizeof outcome.message, "%.199s", error.message);
    gsim_bytes_add(bytes, &outcome, sizeof outcome);
}

/* --- here --- */
static void fail(void *data, uint64_t item, enum gsim_item_end end, const char *message, struct gsim_bytes *bytes)
{
    struct predicted outcome;
    (void)data;
    (void)end;
    memset(&outcome, 0, sizeof outcome);
    outcome.status = GSIM_SIM;
    snprintf(outcome.message, sizeof outcome.message, "recorded run %llu: %.150s", (unsigned long long)item + 1,
             message);
    gsim_bytes_add(bytes, &outcome, sizeof outcome);
}

static enum gsim_status keep_result(void *data, uint64_t item, const char *bytes, size_t length,
                                    struct gsim_error *error)
{
    struct prediction_jobs *jobs = data;
    GSIM_INVARIANT(length == sizeof jobs->predicted[item]);
    (void)error;
    memcpy(&jobs->predicted[item], bytes, length);
    return GSIM_OK;
}

struct ranked {
    double size;
    size_t index;
};

GSIM_ORDER(by_size, struct ranked, GSIM_DOWN(size) GSIM_UP(index))

/* With all runs added; JOBS is 2 or more. The workers keep what CALIBRATION holds now, but for its device's numbers. */
static enum gsim_status start_jobs(struct prediction_jobs *jobs, struct gsim_calibration *calibration,
                                   const struct gsim_gpu_options *gpu, uint32_t count, struct gsim_error *error)
{
    if (count > calibration->run_count) count = (uint32_t)calibration->run_count;
    jobs->calibration = calibration;
    jobs->gpu = gpu;
    jobs->trial = calibration->device;
    jobs->trial.arena = (struct gsim_arena){0};
    jobs->predicted = gsim_alloc((calibration->run_count + 1) * sizeof *jobs->predicted);
    /* Those with most operations first, so that nobody waits long for the last. */
    const struct gsim_calibration *c = jobs->calibration;
    struct ranked *ranked = gsim_alloc((c->run_count + 1) * sizeof *ranked);
    jobs->order = gsim_alloc((c->run_count + 1) * sizeof *jobs->order);
    for (size_t i = 0; i < c->run_count; i++) ranked[i] = (struct ranked){(double)c->runs[i].program->op_count, i};
    qsort(ranked, c->run_count, sizeof *ranked, by_size);
    for (size_t i = 0; i < c->run_count; i++) jobs->order[i] = ranked[i].index;
    gsim_free(ranked);
    void *page = mmap(NULL, sizeof *jobs->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return gsim_error_set(error, GSIM_IO, "cannot share memory with workers: %s", strerror(errno));
    jobs->shared = page;
    const struct gsim_pool_config config = {.jobs = count ? count : 1, .data = jobs, .run = run, .fail = fail};
    return gsim_pool_create(&config, &jobs->pool, error);
}

/* As gsim_calibration_options.predict, JOBS as its context. */
static enum gsim_status predict_by_jobs(void *context, const struct gsim_device_spec *device, const size_t *runs,
                                        size_t count, double *us, struct gsim_error *error)
{
    struct prediction_jobs *jobs = context;
    size_t run_count = jobs->calibration->run_count;
    bool *wanted = gsim_alloc((run_count + 1) * sizeof *wanted);
    uint64_t *items = gsim_alloc((count + 1) * sizeof *items);
    struct gsim_pool_run all = {.items = items, .deliver = keep_result, .data = jobs, .progress = jobs->progress};
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++)
        jobs->shared->values[i] = gsim_device_get(device, (enum gsim_device_number)i);
    jobs->shared->number++;
    for (size_t i = 0; i < count; i++) wanted[runs[i]] = true;
    for (size_t i = 0; i < run_count; i++)
        if (wanted[jobs->order[i]]) items[all.count++] = jobs->order[i];
    enum gsim_status status = gsim_pool_run_on(jobs->pool, &all, error);
    gsim_free(wanted);
    gsim_free(items);
    /* The first failure in the order of the runs, as without workers. */
    for (size_t i = 0; i < count && status == GSIM_OK; i++) {
        const struct predicted *outcome = &jobs->predicted[runs[i]];
        us[i] = outcome->status == GSIM_OK ? outcome->us : NAN;
        if (outcome->status != GSIM_OK && outcome->status != GSIM_INPUT)
            status = gsim_error_set(error, outcome->status, "%s", outcome->message);
    }
    return status;
}

struct command {
    const struct gsim_cli_arguments *arguments;
    const char *probe_path, *name, *base_name;
    struct gsim_probe probe;
    struct gsim_device_spec base;
    struct gsim_calibration calibration;
    struct gsim_calibration_options options;
    struct gsim_gpu_options gpu;
    struct gsim_calibrated_trace traced;
    struct gsim_arena arena;
    struct gsim_profile_samples profile;
    const char **run_paths, **trace_paths;
    size_t run_path_count, trace_path_count;
    char gpu_name[64], recorded_device[GSIM_RUNS_DEVICE];
    int compute_capability; /* of the recordings; 0: not known */
    uint32_t job_count;
    struct prediction_jobs jobs;
    struct gsim_progress progress;
    double started_s; /* the refinement */
    bool chosen[GSIM_DEVICE_NUMBER_COUNT];
};

/* --- what was asked for ------------------------------------------------------------------------------------------- */
static enum gsim_status sort_files(struct command *c, struct gsim_error *error)
{
    const struct gsim_cli_arguments *a = c->arguments;
    c->run_paths = GSIM_ARENA_ARRAY(&c->arena, const char *, a->operand_count + 1);
    c->trace_paths = GSIM_ARENA_ARRAY(&c->arena, const char *, a->operand_count + 1);
    if (!a->operand_count)
        return gsim_refuse(error,
                           "nothing to calibrate from: expected a probe file, recorded runs or profilers' traces "
                           "(see gpusim calibrate --help)");
    for (size_t i = 0; i < a->operand_count; i++) {
        char device[GSIM_RUNS_DEVICE], what[GSIM_IMPORTER_TEXT];
        bool is_trace;
        const char *path = a->operands[i];
        if (gsim_runs_is(path, device)) {
            c->run_paths[c->run_path_count++] = path;
            snprintf(c->recorded_device, sizeof c->recorded_device, "%s", device);
        } else if (gsim_cli_trace_is(path, device)) {
            c->trace_paths[c->trace_path_count++] = path;
            if (device[0] && !c->recorded_device[0])
                snprintf(c->recorded_device, sizeof c->recorded_device, "%s", device);
        } else if (access(path, R_OK) != 0) {
            return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': %s", path, strerror(errno));
        } else if (gsim_importer_what(path, what, &is_trace)[0]) {
            return gsim_error_set(error, GSIM_INPUT,
                                  "cannot read '%s': expected a probe, runs or a profiler's trace, found %s", path,
                                  what);
        } else if (!gsim_probe_is(path)) {
            return gsim_error_set(error, GSIM_INPUT,
                                  "cannot read '%s': expected the schema \"" GSIM_PROBE_SCHEMA
                                  "\" or \"" GSIM_RUNS_SCHEMA
                                  "\" in its head or a profiler's trace, found none of them",
                                  path);
        } else if (c->probe_path) {
            return gsim_refuse(error, "expected one probe, found two: '%s' and '%s'", c->probe_path, path);
        } else {
            c->probe_path = path;
        }
    }
    return GSIM_OK;
}

/* "my-gpu" for -o ../my-gpu.json. */
static enum gsim_status choose_name(struct command *c, struct gsim_error *error)
{
    const char *path = c->arguments->value[GSIM_CLI_OUTPUT], *given = c->arguments->value[GSIM_CLI_NAME];
    if (!path) return gsim_refuse(error, "no output: expected -o FILE (see gpusim calibrate --help)");
    char *name = gsim_arena_strdup(&c->arena, given ? given : strcmp(path, "-") == 0 ? "device" : gsim_text_file(path));
    size_t length = strlen(name);
    if (!given && length > 5 && strcmp(name + length - 5, ".json") == 0) name[length - 5] = '\0';
    if (!name[0] || strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != strlen(name))
        return gsim_refuse(error, "--name: expected letters, digits, '-', '_' and '.', found '%s'", name);
    c->name = name;
    return GSIM_OK;
}

static enum gsim_status choose_numbers(struct command *c, struct gsim_error *error)
{
    const char *fit = c->arguments->value[GSIM_CLI_FIT];
    enum gsim_device_number number;
    char name[61];
    enum gsim_status status = gsim_cli_count(c->arguments, GSIM_CLI_FOLDS, 0, 100, FOLDS_DEFAULT, &c->options.folds,
                                             error);
    if (status != GSIM_OK) return status;
    c->options.iterations = ITERATIONS_DEFAULT;
    if (!fit || strcmp(fit, "auto") == 0) return GSIM_OK;
    c->options.chosen = c->chosen;
    for (const char *at = strcmp(fit, "none") == 0 ? NULL : fit; gsim_text_item(&at, name, sizeof name);) {
        if (gsim_cli_device_number(GSIM_CLI_FIT, name, &number, error)) return error->status;
        c->chosen[number] = true;
    }
    return GSIM_OK;
}

/* --- reading --- */
static enum gsim_status read_probe(struct command *c, struct gsim_error *error)
{
    gsim_probe_init(&c->probe);
    if (!c->probe_path) return GSIM_OK;
    enum gsim_status status = gsim_probe_read(c->probe_path, &c->probe, error);
    if (status != GSIM_OK) return gsim_error_prefix(error, "cannot read '%s'", c->probe_path);
    snprintf(c->gpu_name, sizeof c->gpu_name, "%s", c->probe.gpu);
    c->compute_capability = c->probe.compute_capability;
    return GSIM_OK;
}

static void note_head(struct command *c, const struct gsim_recordings *recordings)
{
    if (!c->gpu_name[0]) snprintf(c->gpu_name, sizeof c->gpu_name, "%s", recordings->gpu);
    if (!c->compute_capability) c->compute_capability = recordings->compute_capability;
}

static enum gsim_status add_run(void *context, const struct gsim_recordings *recordings,
                                const struct gsim_recording *run, struct gsim_error *error)
{
    struct command *c = context;
    note_head(c, recordings);
    enum gsim_status status = gsim_calibration_add_run(&c->calibration, recordings, run, error);
    if (status == GSIM_OK && run->split == GSIM_SPLIT_FIT) status = gsim_traced_add(&c->traced, run, error);
    return status;
}

/* A device is of one GPU. */
static enum gsim_status read_traces(struct command *c, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < c->trace_path_count && status == GSIM_OK; i++) {
        struct gsim_import_notes notes = {0};
        status = gsim_cli_trace_sample(&c->profile, c->trace_paths[i], &c->base, &notes, error);
        if (status != GSIM_OK) break;
        if (notes.gpu[0] && c->gpu_name[0] && strcmp(notes.gpu, c->gpu_name) != 0)
            return gsim_error_set(error, GSIM_INPUT,
                                  "'%s' was recorded on '%s', what was given before it on '%s': expected one GPU",
                                  c->trace_paths[i], notes.gpu, c->gpu_name);
        if (!c->gpu_name[0]) snprintf(c->gpu_name, sizeof c->gpu_name, "%s", notes.gpu);
        if (!c->compute_capability) c->compute_capability = notes.compute_capability;
    }
    return status;
}

/* --- calibrating --- */
/* Of the whole device: the GPU's name and compute capability, which are known only now; the kinds of what is kept. */
static enum gsim_status name_device(struct command *c, struct gsim_error *error)
{
    struct gsim_device_spec *device = &c->calibration.device;
    if (c->compute_capability && c->compute_capability != device->compute_capability) {
        enum gsim_status status = gsim_device_set_capability(device, c->compute_capability, error);
        if (status != GSIM_OK) return status;
        device->arch = NULL; /* the base's: all numbers are in the file */
    }
    const char *title = c->gpu_name[0] ? c->gpu_name : c->base.title;
    gsim_calibration_name(&c->calibration, &c->base, title, gsim_text_is_gpu(c->gpu_name, c->base.name));
    return GSIM_OK;
}

static void note_progress(void *context, size_t done, size_t expected)
{
    struct command *c = context;
    c->progress.done = done;
    c->progress.total = expected;
    gsim_progress_show(&c->progress);
}

/* Before anything long is done: what it will take, from the first pass over all runs, which is just done. */
static void note_forecast(void *context, const struct gsim_calibration_forecast *forecast)
{
    struct command *c = context;
    char text[GSIM_FORECAST_TEXT];
    double pass_s = gsim_clock_now_s() - c->started_s;
    double seconds = gsim_calibration_forecast_text(forecast, pass_s, c->job_count, text);
    gsim_progress_clear(&c->progress);
    if (c->progress.is_terminal || seconds >= TOLD_S) fprintf(stderr, "gpusim: %s\n", text);
}

static enum gsim_status refine(struct command *c, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    if (c->job_count > 1 && c->calibration.run_count > 1) {
        c->jobs.progress = &c->progress;
        status = start_jobs(&c->jobs, &c->calibration, &c->gpu, c->job_count, error);
        c->options.predict = predict_by_jobs;
        c->options.predict_context = &c->jobs;
    }
    gsim_progress_start(&c->progress, 1, stderr);
    c->progress.unit = "passes over the runs";
    c->progress.is_estimate = true;
    c->options.progress = note_progress;
    c->options.forecast = note_forecast;
    c->started_s = gsim_clock_now_s();
    c->options.context = c;
    if (status == GSIM_OK) status = gsim_calibrate_runs(&c->calibration, &c->options, error);
    gsim_progress_clear(&c->progress);
    return status;
}

static enum gsim_status calibrate(struct command *c, struct gsim_error *error)
{
    const char *runs = c->run_path_count ? gsim_text_file(c->run_paths[0]) : "";
    struct gsim_calibration *k = &c->calibration;
    struct gsim_probe seen; /* what the runs tell without a simulation */
    enum gsim_status status = name_device(c, error);
    if (status == GSIM_OK && c->probe_path)
        status = gsim_calibrate_probe(k, &c->probe, gsim_text_file(c->probe_path), error);
    if (status == GSIM_OK && c->run_path_count) {
        gsim_probe_init(&seen);
        gsim_traced_probe(&c->traced, !c->probe_path, &seen);
        status = gsim_calibrate_probe(k, &seen, runs, error);
        gsim_probe_release(&seen);
    }
    /* After all else: what that told wins. */
    if (status == GSIM_OK && c->trace_path_count) gsim_calibrate_profile(k, &c->profile);
    if (status != GSIM_OK || !c->run_path_count) return status;
    gsim_params_set_defaults(gsim_gpu_params, &c->gpu);
    c->options.gpu = &c->gpu;
    c->options.file = runs;
    return refine(c, error);
}

/* --- results --- */
static void put_device(const void *what, struct gsim_output *out)
{
    gsim_device_write(&((const struct command *)what)->calibration.device, out);
}

static void put_json(const void *what, struct gsim_output *out)
{
    const struct command *c = what;
    gsim_calibration_json(&c->calibration, c->base.name, out);
}

static void put_text(const void *what, struct gsim_output *out)
{
    const struct command *c = what;
    gsim_calibration_print(&c->calibration, c->base.name, out);
}

int gsim_cli_calibrate(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct command c = {.arguments = arguments};
    if (arguments->value[GSIM_CLI_HOST])
        return gsim_cli_calibrate_host(arguments, error);
    enum gsim_status status = sort_files(&c, error);
    if (status == GSIM_OK) status = choose_name(&c, error);
    if (status == GSIM_OK) status = choose_numbers(&c, error);
    if (status == GSIM_OK) status = gsim_cli_jobs(arguments, 0, &c.job_count, error);
    if (status == GSIM_OK) status = read_probe(&c, error);
    if (status == GSIM_OK) {
        /* --base, or the device that the recordings name, or the default. */
        struct gsim_error local = {0};
        const char *given = c.arguments->value[GSIM_CLI_BASE_DEVICE];
        if (given || !c.recorded_device[0] || gsim_device_load(c.recorded_device, &c.base, &local) != GSIM_OK)
            status = gsim_device_load(given ? given : BASE_DEFAULT, &c.base, error);
    }
    if (status == GSIM_OK) gsim_calibration_init(&c.calibration, &c.base, c.name);
    if (status == GSIM_OK) {
        for (size_t i = 0; i < c.run_path_count && status == GSIM_OK; i++) {
            struct gsim_recordings recordings = {0};
            status = gsim_runs_read(c.run_paths[i], &(struct gsim_runs_handler){add_run, &c}, &recordings, error);
            if (status != GSIM_OK) (void)gsim_error_prefix(error, "cannot read '%s'", c.run_paths[i]);
            gsim_recordings_release(&recordings);
        }
    }
    if (status == GSIM_OK) status = read_traces(&c, error);
    if (status == GSIM_OK) status = calibrate(&c, error);
    if (status == GSIM_OK)
        status = gsim_cli_write(arguments->value[GSIM_CLI_OUTPUT], arguments->value[GSIM_CLI_REPORT],
                                &(struct gsim_cli_forms){put_device, put_json, put_text}, &c, error);
    struct prediction_jobs *jobs = &c.jobs;
    gsim_pool_destroy(jobs->pool);
    if (jobs->shared) munmap(jobs->shared, sizeof *jobs->shared);
    gsim_free(jobs->predicted);
    gsim_free(jobs->order);
    gsim_arena_release(&jobs->trial.arena);
    *jobs = (struct prediction_jobs){0};
    gsim_calibration_release(&c.calibration);
    gsim_traced_release(&c.traced);
    gsim_profile_samples_release(&c.profile);
    gsim_device_release(&c.base);
    gsim_probe_release(&c.probe);
    gsim_arena_release(&c.arena);
    return status;
}
