/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Refining a few numbers on recorded runs: the simulator is the model function, its derivatives are finite differences.
 * Only runs of the split "fit" are used; those of "test" are predicted before and after, for the report.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trust/calibrate/calibrate.h"
#include "sim/device/device.h"

/* What a prediction may be off beside the spread of the measurement: the model's own error. */
#define MODEL_RATIO 0.05
/* Steps of finite differences and priors, in shares of a number. Probed numbers may hardly move: with room
 * (25 %) they make up for what the model has wrong of kernels, and predict runs kept aside worse (H200: 4.7 % instead
 * of 4.3). */
#define STEP_RATIO        0.05
#define PROBED_PRIOR      0.05
#define UNPROBED_PRIOR    1.0
#define MIN_SCALE_US      0.2
/* Residuals beyond this many sigmas count less and less (soft L1): what the model has wrong of some kernels must not
 * bend costs that all runs share. */
#define OUTLIER_SIGMAS 2.0
#define MOVED_RATIO 0.01 /* of its scale: a number that moved less has led nowhere */

static const enum gsim_device_number always[] = {
    GSIM_DEV_launch_to_start_us, GSIM_DEV_sync_return_us,     GSIM_DEV_stream_gap_us,      GSIM_DEV_event_gap_us,
    GSIM_DEV_busy_gap_us,        GSIM_DEV_graph_start_us,     GSIM_DEV_graph_node_gap_us,  GSIM_DEV_graph_cross_gap_us,
    GSIM_DEV_graph_branch_us,    GSIM_DEV_graph_launch_us,    GSIM_DEV_h2d_latency_us,     GSIM_DEV_d2h_latency_us,
    GSIM_DEV_timed_record_us,    GSIM_DEV_kernel_to_copy_us,  GSIM_DEV_copy_to_kernel_us,  GSIM_DEV_copy_start_us,
};
/* Where nothing has told them yet: */
static const enum gsim_device_number unprobed[] = {
    GSIM_DEV_launch_us, GSIM_DEV_event_record_us, GSIM_DEV_event_record_no_timing_us, GSIM_DEV_stream_wait_us,
    GSIM_DEV_memcpy_us, GSIM_DEV_h2d_gbps,        GSIM_DEV_d2h_gbps,                  GSIM_DEV_bidirectional_gbps,
    GSIM_DEV_l2_far_share,
};

struct refinement {
    struct gsim_calibration *c;
    const struct gsim_calibration_options *options;
    struct gsim_device_spec trial; /* its strings are the device's */
    enum gsim_device_number numbers[GSIM_DEVICE_NUMBER_COUNT];
    struct gsim_fit_parameter parameters[GSIM_DEVICE_NUMBER_COUNT];
    size_t count;
    size_t *fit_runs, fit_count; /* indices of the runs that are fitted */
    size_t *indices; /* room for one per run, and its prediction */
    double *us;
    size_t passes, expected; /* over the runs, for the progress */
};

/* --- keeping runs --- */
/* The index of the key's program, which is built when it is new. */
static enum gsim_status program_of(struct gsim_calibration *c, const struct gsim_recordings *recordings,
                                   const struct gsim_recording *run, size_t *index, struct gsim_error *error)
{
    for (*index = c->program_count; (*index)-- > 0;)
        if (gsim_recording_key_equal(&c->keys[*index], &run->key)) return GSIM_OK;
    struct gsim_program *program = gsim_alloc(sizeof *program);
    char *workload = gsim_arena_strdup(&c->arena, run->key.workload);
    gsim_array_grow(&c->programs, sizeof *c->programs, c->program_count, &c->program_capacity);
    gsim_array_grow(&c->keys, sizeof *c->keys, c->program_count, &c->key_capacity);
    enum gsim_status status = gsim_predict_program(recordings, run, program, error);
    if (status != GSIM_OK) {
        gsim_free(program);
        return status;
    }
    c->keys[c->program_count] = run->key;
    c->keys[c->program_count].workload = workload;
    *index = c->program_count;
    c->programs[c->program_count++] = program;
    return GSIM_OK;
}

static uint32_t config_of(struct gsim_calibration *c, const struct gsim_calibration_run *run)
{
    for (size_t i = c->run_count; i-- > 0;)
        if (c->runs[i].program == run->program && c->runs[i].memory == run->memory &&
            c->runs[i].prefetch == run->prefetch)
            return c->runs[i].config;
    return c->config_count++;
}

enum gsim_status gsim_calibration_add_run(struct gsim_calibration *c, const struct gsim_recordings *recordings,
                                          const struct gsim_recording *run, struct gsim_error *error)
{
    struct gsim_error local = {0};
    struct gsim_calibration_run kept = {.scheduler = gsim_scheduler_find(run->scheduler), .memory = run->memory,
                                        .prefetch = run->prefetch, .split = run->split, .predicted_us = {NAN, NAN}};
    size_t index = 0;
    enum gsim_status status = program_of(c, recordings, run, &index, &local);
    if (status == GSIM_INPUT || (status == GSIM_OK && !kept.scheduler)) {
        c->skipped++;
        return GSIM_OK;
    }
    if (status == GSIM_OK) status = gsim_recording_time(run, &kept.measured_us, &kept.spread_ratio, &local);
    if (status == GSIM_OK) {
        kept.program = c->programs[index];
        kept.config = config_of(c, &kept);
    }
    if (status != GSIM_OK) return gsim_error_set(error, status, "%s", local.message);
    return GSIM_ADD(error, c->runs, c->run_count, c->run_capacity, kept);
}

/* --- the model --- */
enum gsim_status gsim_calibration_predict(struct gsim_calibration *c, size_t index,
                                          const struct gsim_device_spec *device, const struct gsim_gpu_options *gpu,
                                          double *us, struct gsim_error *error)
{
    const struct gsim_calibration_run *run = &c->runs[index];
    const struct gsim_predictor predictor = {.device = device, .gpu = gpu, .works = &c->works};
    const struct gsim_recording as_recorded = {.memory = run->memory, .prefetch = run->prefetch};
    struct gsim_timeline timeline = {0};
    enum gsim_status status =
        gsim_predict_simulate(&predictor, &as_recorded, run->program, run->scheduler, &timeline, us, error);
    gsim_timeline_release(&timeline);
    return status;
}

/* Predicts the first COUNT of r->indices into r->us. */
static enum gsim_status predict(struct refinement *r, const struct gsim_device_spec *device, size_t count,
                                struct gsim_error *error)
{
    const struct gsim_calibration_options *o = r->options;
    enum gsim_status status = GSIM_OK;
    if (o->predict) {
        status = o->predict(o->predict_context, device, r->indices, count, r->us, error);
    } else {
        for (size_t i = 0; i < count && status == GSIM_OK; i++) {
            struct gsim_error local = {0};
            status = gsim_calibration_predict(r->c, r->indices[i], device, o->gpu, &r->us[i], &local);
            if (status == GSIM_INPUT) {
                r->us[i] = NAN;
                status = GSIM_OK;
            }
            if (status != GSIM_OK) gsim_error_set(error, status, "%s", local.message);
        }
    }
    if (++r->passes > r->expected) r->expected = r->passes;
    if (o->progress) o->progress(o->context, r->passes, r->expected);
    return status;
}

static double sigma_of(const struct gsim_calibration_run *run)
{
    return sqrt(run->spread_ratio * run->spread_ratio + MODEL_RATIO * MODEL_RATIO);
}

static double harden(double softened)
{
    double s = softened / OUTLIER_SIGMAS, root = s * s / 2 + 1;
    return copysign(OUTLIER_SIGMAS * sqrt(root * root - 1), softened);
}

static enum gsim_status residuals(void *context, const double *values, const bool *skip, double *out,
                                  struct gsim_error *error)
{
    struct refinement *r = context;
    size_t count = 0;
    /* Writes the values into the trial device, whose sources are never read. */
    for (size_t i = 0; i < r->count; i++)
        (void)gsim_device_put(&r->trial, r->numbers[i], values[i], GSIM_KIND_FITTED, "");
    for (size_t i = 0; i < r->fit_count; i++)
        if (!skip || !skip[i]) r->indices[count++] = r->fit_runs[i];
    enum gsim_status status = predict(r, &r->trial, count, error);
    count = 0;
    for (size_t i = 0; i < r->fit_count && status == GSIM_OK; i++) {
        const struct gsim_calibration_run *run = &r->c->runs[r->fit_runs[i]];
        if (skip && skip[i]) continue;
        double us = r->us[count++];
        if (isnan(us))
            return gsim_calibration_predict(r->c, r->fit_runs[i], &r->trial, r->options->gpu, &us,
                                            error); /* says why */
        double residual = log(us / run->measured_us) / sigma_of(run);
        double j = residual / OUTLIER_SIGMAS;
        out[i] = copysign(OUTLIER_SIGMAS * sqrt(2 * (sqrt(1 + j * j) - 1)), residual);
    }
    return status;
}

/* Predicts all runs; those that the device cannot run are left out from here on. */
static enum gsim_status predict_all(struct refinement *r, int when, struct gsim_error *error)
{
    for (size_t i = 0; i < r->c->run_count; i++) r->indices[i] = i;
    enum gsim_status status = predict(r, &r->c->device, r->c->run_count, error);
    for (size_t i = 0; i < r->c->run_count && status == GSIM_OK; i++) {
        r->c->runs[i].predicted_us[when] = r->us[i];
        r->c->skipped += when == 0 && isnan(r->us[i]);
    }
    return status;
}

static void summarize(const struct gsim_calibration *c, enum gsim_split split, int when,
                      struct gsim_error_summary *summary)
{
    double *errors = gsim_alloc((c->run_count + 1) * sizeof *errors);
    size_t count = 0;
    for (size_t i = 0; i < c->run_count; i++)
        if (c->runs[i].split == split && !isnan(c->runs[i].predicted_us[when]))
            errors[count++] = c->runs[i].predicted_us[when] / c->runs[i].measured_us - 1;
    gsim_errors_summarize(errors, count, summary);
    gsim_free(errors);
}

/* --- what is refined --- */
static void add_parameter(struct refinement *r, enum gsim_device_number number)
{
    const struct gsim_calibration *c = r->c;
    double value = gsim_device_get(&c->device, number);
    bool is_time = strcmp(gsim_device_number_unit(number), "us") == 0;
    /* From a probe or the traces, or measured for the base, if that is the same kind of GPU: else it would be
     * assumed. */
    bool is_known = c->numbers[number].is_touched || c->device.kind[number] == GSIM_KIND_MEASURED;
    r->parameters[r->count] = (struct gsim_fit_parameter){
        .start = value,
        .scale = fmax(gsim_calibration_scale(number, value), is_time ? MIN_SCALE_US : 0),
        .prior_ratio = is_known ? PROBED_PRIOR : UNPROBED_PRIOR,
        .minimum = gsim_device_number_minimum(number),
        .maximum = gsim_device_number_maximum(number),
    };
    r->numbers[r->count++] = number;
}

static enum gsim_status choose_runs(struct refinement *r, struct gsim_error *error)
{
    r->fit_runs = gsim_alloc((r->c->run_count + 1) * sizeof *r->fit_runs);
    for (size_t i = 0; i < r->c->run_count; i++)
        if (r->c->runs[i].split == GSIM_SPLIT_FIT && !isnan(r->c->runs[i].predicted_us[0]))
            r->fit_runs[r->fit_count++] = i;
    if (r->fit_count) return GSIM_OK;
    return gsim_error_set(error, GSIM_INPUT,
                          "no runs to fit: expected runs with \"split\": \"fit\" that %s can run, found none among %zu",
                          r->c->device.name, r->c->run_count + r->c->skipped);
}

/* --- results --- */
static void put_numbers(struct refinement *r, const struct gsim_fit_result *result)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct gsim_fit_parameter *p = &r->parameters[i];
        struct gsim_calibrated *n = &r->c->numbers[r->numbers[i]];
        bool was_touched = n->is_touched;
        char source[600];
        /* What matters no longer at the solution may have led there: a bus that is wide enough, say. */
        if (!p->is_seen && fabs(p->value - p->start) <= MOVED_RATIO * p->scale) continue;
        snprintf(source, sizeof source,
                 "%s: makespans of %zu runs, 95 %% interval %.4g to %.4g; started from %.4g (%.300s)", r->options->file,
                 r->fit_count, p->low, p->high, p->start, r->c->device.source[r->numbers[i]]);
        gsim_calibration_put(r->c, r->numbers[i], p->value, p->low, p->high, GSIM_KIND_FITTED, source);
        n->is_at_bound = p->is_at_bound && p->value > 0;
        n->is_undetermined = !p->is_determined && !was_touched;
        n->is_prior = was_touched && p->is_prior;
    }
    for (size_t i = 0; i < r->count; i++)
        for (size_t j = i + 1; j < r->count; j++)
            if (fabs(result->correlation[i * r->count + j]) > 0.95)
                gsim_calibration_pair_up(r->c, r->numbers[i], r->numbers[j], result->correlation[i * r->count + j]);
}

/* Folds are of whole configurations: runs that differ in the scheduler only are no independent witnesses. */
static enum gsim_status cross_validate(struct refinement *r, const struct gsim_fit_problem *problem,
                                       struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    unsigned *fold_of = GSIM_ARENA_ARRAY(&arena, unsigned, r->fit_count);
    double *held_out = GSIM_ARENA_ARRAY(&arena, double, r->fit_count);
    enum gsim_status status = GSIM_OK;
    uint32_t *seen = GSIM_ARENA_ARRAY(&arena, uint32_t, r->c->config_count + 1), configs = 0;
    for (size_t i = 0; i < r->fit_count && status == GSIM_OK && seen; i++) {
        uint32_t *number = &seen[r->c->runs[r->fit_runs[i]].config];
        if (!*number) *number = ++configs;
        fold_of[i] = (*number - 1) % r->options->folds;
    }
    r->c->folds = r->options->folds < configs ? r->options->folds : configs;
    if (status == GSIM_OK && r->c->folds > 1) {
        status = gsim_fit_cross_validate(problem, fold_of, r->c->folds, held_out, error);
        for (size_t i = 0; i < r->fit_count; i++)
            held_out[i] = exp(harden(held_out[i]) * sigma_of(&r->c->runs[r->fit_runs[i]])) - 1;
        if (status == GSIM_OK) gsim_errors_summarize(held_out, r->fit_count, &r->c->held_out);
    } else {
        r->c->folds = 0;
    }
    gsim_arena_release(&arena);
    return status;
}

static enum gsim_status refine(struct refinement *r, struct gsim_error *error)
{
    struct gsim_calibration *c = r->c;
    struct gsim_fit_result result = {0};
    struct gsim_fit_problem problem = {r->parameters, r->count, r->fit_count,          residuals, r,
                                       STEP_RATIO,    1e-4,     r->options->iterations};
    /* A pass per number and one per step; then the same for each fold, and one over all runs at the end. */
    size_t before = r->passes, folds = r->options->folds > 1 ? r->options->folds : 0;
    size_t fit_passes = (r->options->iterations + 1) * (r->count + 1);
    r->expected = before + fit_passes * (1 + folds) + 1;
    const struct gsim_calibration_forecast forecast = {c->run_count, r->fit_count, r->expected, fit_passes * folds,
                                                       r->count};
    if (r->options->forecast) r->options->forecast(r->options->context, &forecast);
    enum gsim_status status = gsim_fit(&problem, NULL, &result, error);
    if (status != GSIM_OK) return status;
    r->expected = r->passes + folds * (r->passes - before + 1) + 1;
    c->is_refined = true;
    c->has_converged = result.converged;
    c->iterations = result.iterations;
    if (r->options->folds > 1) status = cross_validate(r, &problem, error);
    if (status == GSIM_OK) put_numbers(r, &result);
    gsim_fit_result_release(&result);
    return status;
}

enum gsim_status gsim_calibrate_runs(struct gsim_calibration *c, const struct gsim_calibration_options *options,
                                     struct gsim_error *error)
{
    struct refinement r = {.c = c, .options = options, .trial = c->device};
    r.trial.arena = (struct gsim_arena){0};
    r.indices = gsim_alloc((c->run_count + 1) * sizeof *r.indices);
    r.us = gsim_alloc((c->run_count + 1) * sizeof *r.us);
    enum gsim_status status = predict_all(&r, 0, error);
    if (status == GSIM_OK) status = choose_runs(&r, error);
    const bool *chosen = r.options->chosen;
    for (int n = 0; n < GSIM_DEVICE_NUMBER_COUNT; n++) {
        bool wanted = chosen && chosen[n];
        for (size_t i = 0; !chosen && i < sizeof always / sizeof always[0]; i++) wanted |= (int)always[i] == n;
        for (size_t i = 0; !chosen && i < sizeof unprobed / sizeof unprobed[0]; i++)
            wanted |= (int)unprobed[i] == n && !r.c->numbers[n].is_touched;
        if (wanted) add_parameter(&r, (enum gsim_device_number)n);
    }
    if (status == GSIM_OK && r.count) status = refine(&r, error);
    if (status == GSIM_OK) status = predict_all(&r, 1, error);
    for (int when = 0; when < 2 && status == GSIM_OK; when++) {
        summarize(c, GSIM_SPLIT_FIT, when, &c->fit[when]);
        if (status == GSIM_OK) summarize(c, GSIM_SPLIT_TEST, when, &c->test[when]);
    }
    gsim_free(r.fit_runs);
    gsim_free(r.indices);
    gsim_free(r.us);
    gsim_arena_release(&r.trial.arena);
    return status;
}
