/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See trust/validate/runs.h. Samples are few (thousands), so what belongs together is found by walking over them.
 */
#include "trust/validate/runs.h"

#include <math.h>
#include <string.h>

#include "gpusim/metrics.h"

const char *gsim_split_word(enum gsim_split split)
{
    static const char *const words[] = {"fit", "test", "all"};
    return words[split];
}

const char *gsim_run_config_text(const struct gsim_run_sample *s, char *text, size_t size)
{
    static const char *const memories[] = {"managed", "pinned", "pageable"};
    snprintf(text, size, "%s%s %.10g, %u x %u, %s%s", s->key.workload,
             s->key.suite == GSIM_SUITE_GRCUDA ? " (grcuda)" : "", s->key.size, s->key.blocks, s->key.block1d,
             memories[s->memory], s->prefetch ? ", prefetch" : "");
    return text;
}

void gsim_run_validation_release(struct gsim_run_validation *validation)
{
    gsim_free(validation->samples);
    gsim_arena_release(&validation->arena);
    validation->samples = NULL;
    validation->count = validation->capacity = 0;
}

/* --- samples ---------------------------------------------------------------------------------------------------- */
static enum gsim_status measure(const struct gsim_recording *run, struct gsim_run_sample *s, struct gsim_error *error)
{
    enum gsim_status status = gsim_recording_time(run, &s->measured_us, &s->spread_ratio, error);
    s->repetitions = run->iteration_count;
    s->traced_ratio = run->traced_us / s->measured_us - 1;
    return status;
}

static bool same_config(const struct gsim_run_sample *a, const struct gsim_run_sample *b)
{
    struct gsim_recording_key key = a->key;
    key.shape = b->key.shape; /* the schedulers' own: block1d and blocks say what it comes to */
    return gsim_recording_key_equal(&key, &b->key) && a->memory == b->memory && a->prefetch == b->prefetch &&
           strcmp(a->file, b->file) == 0;
}

static void find_config(struct gsim_run_validation *v, struct gsim_run_sample *s)
{
    for (size_t i = v->count; i-- > 0;) {
        if (!same_config(&v->samples[i], s)) continue;
        s->config = v->samples[i].config;
        return;
    }
    s->config = v->config_count++;
}

/* Strings that outlive the run; equal ones of the sample before are shared. */
static const char *keep(struct gsim_run_validation *v, const char *text, const char *before)
{
    return before && strcmp(text, before) == 0 ? before : gsim_arena_strdup(&v->arena, text);
}

static void append(struct gsim_run_validation *v, const struct gsim_run_sample *s)
{
    (void)GSIM_APPEND(v->samples, v->count, v->capacity, *s);
}

/* What models without a machine say of an iteration, on the same times alone. */
static enum gsim_status find_simpler(const struct gsim_recordings *recordings, const struct gsim_recording *run,
                                     struct gsim_run_sample *s, struct gsim_error *error)
{
    struct gsim_program program = {0};
    gsim_time path = 0;
    enum gsim_status status = gsim_predict_program(recordings, run, &program, error);
    gsim_time *times = status == GSIM_OK ? gsim_alloc(sizeof *times * (program.op_count + 1)) : NULL;
    for (uint32_t i = 0; times && i < program.op_count; i++) {
        bool is_kernel = program.ops[i].kind == GSIM_OP_KERNEL;
        double us = is_kernel ? program.kernels[program.ops[i].kernel_index].solo_us : program.ops[i].host_us;
        times[i] = gsim_time_from_us(us);
        s->sum_us += us;
    }
    if (status == GSIM_OK) status = gsim_critical_path(&program, 1, times, &path, error);
    s->path_us = gsim_time_us(path);
    gsim_free(times);
    gsim_program_release(&program);
    return status;
}

enum gsim_status gsim_run_validation_add(struct gsim_run_validation *v, const char *file,
                                         const struct gsim_recordings *recordings, const struct gsim_recording *run,
                                         struct gsim_error *error)
{
    struct gsim_error local = {0};
    struct gsim_run_sample s = {.key = run->key, .memory = run->memory, .prefetch = run->prefetch, .split = run->split};
    enum gsim_status status = gsim_predict(v->predictor, recordings, run, &s.prediction, &local);
    if (status == GSIM_INPUT) {
        if (!v->skipped++)
            snprintf(v->skipped_reason, sizeof v->skipped_reason, "%.30s with %.20s: %.140s", run->key.workload,
                     run->scheduler, local.message);
        return GSIM_OK;
    }
    if (status != GSIM_OK)
        return gsim_error_set(error, status, "%s with %s: %s", run->key.workload, run->scheduler, local.message);
    status = measure(run, &s, error);
    if (status == GSIM_OK) status = find_simpler(recordings, run, &s, error);
    if (status != GSIM_OK) return status;
    const struct gsim_run_sample *before = v->count ? &v->samples[v->count - 1] : NULL;
    s.file = keep(v, file, before ? before->file : NULL);
    s.key.workload = keep(v, run->key.workload, before ? before->key.workload : NULL);
    s.scheduler = keep(v, run->scheduler, before ? before->scheduler : NULL);
    s.error = s.prediction.iteration_us / s.measured_us - 1;
    find_config(v, &s);
    v->unchecked += !run->checked;
    append(v, &s);
    return GSIM_OK;
}

enum gsim_status gsim_run_validation_add_again(struct gsim_run_validation *again, const struct gsim_run_validation *v,
                                               const struct gsim_recording *run, struct gsim_error *error)
{
    for (size_t i = 0; i < v->count; i++) {
        struct gsim_run_sample first = v->samples[i], second;
        if (!gsim_recording_key_equal(&first.key, &run->key) || first.memory != run->memory ||
            first.prefetch != run->prefetch || strcmp(first.scheduler, run->scheduler) != 0)
            continue;
        enum gsim_status status = measure(run, &second, error);
        if (status != GSIM_OK) return status;
        first.prediction =
            (struct gsim_prediction){.iteration_us = second.measured_us, .replay_us = NAN, .timeline.mean = NAN};
        first.error = second.measured_us / first.measured_us - 1;
        first.traced_ratio = NAN;
        again->config_count = v->config_count;
        append(again, &first);
        return GSIM_OK;
    }
    return GSIM_OK;
}
