/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See cli/trust/validate.h. An item of the pool is a case's place in the list. Its outcome is a struct head, then
 * the samples as they are in memory: a worker is a copy of this process, so pointers to cases mean the same here.
 */
#include "cli/trust/validate.h"

#include <string.h>

#include "gpusim/memory.h"
#include "sim/base/jobs/run.h"

struct head {
    enum gsim_status status;
    size_t samples, skipped, unfit;
    char message[sizeof(((struct gsim_error *)0)->message)],
        unfit_reason[sizeof(((struct gsim_validation *)0)->unfit_reason)];
};

struct jobs {
    const struct gsim_validation *validation; /* device and options */
    const struct gsim_case_set *set;
    const size_t *index;
    char **outcome; /* by place in the list */
    struct gsim_progress *progress;
};

static void run(void *data, uint64_t item, struct gsim_bytes *bytes)
{
    const struct jobs *jobs = data;
    struct gsim_validation mine = {.device = jobs->validation->device,
                                   .gpu = jobs->validation->gpu,
                                   .spread_runs = jobs->validation->spread_runs,
                                   .compares_models = jobs->validation->compares_models};
    struct gsim_error error = {0};
    struct head head;
    memset(&head, 0, sizeof head); /* padding included: it goes through a pipe */
    head.status = gsim_validation_run(&mine, &jobs->set->cases[jobs->index[item]], &error);
    head.samples = mine.count;
    head.skipped = mine.skipped;
    head.unfit = mine.unfit;
    memcpy(head.message, error.message, sizeof head.message);
    memcpy(head.unfit_reason, mine.unfit_reason, sizeof head.unfit_reason);
    gsim_bytes_add(bytes, &head, sizeof head);
    gsim_bytes_add(bytes, mine.samples, mine.count * sizeof *mine.samples);
    gsim_validation_release(&mine);
}

static void fail(void *data, uint64_t item, enum gsim_item_end end, const char *message, struct gsim_bytes *bytes)
{
    const struct jobs *jobs = data;
    const struct gsim_case *subject = &jobs->set->cases[jobs->index[item]];
    struct head head;
    (void)end;
    memset(&head, 0, sizeof head);
    head.status = GSIM_SIM;
    snprintf(head.message, sizeof head.message, "%.60s: %.60s: %.120s", subject->file, subject->name, message);
    gsim_bytes_add(bytes, &head, sizeof head);
}

static enum gsim_status take(void *data, uint64_t item, const char *bytes, size_t length, struct gsim_error *error)
{
    struct jobs *jobs = data;
    (void)error;
    jobs->outcome[item] = gsim_alloc(length);
    memcpy(jobs->outcome[item], bytes, length);
    jobs->progress->done++;
    return GSIM_OK;
}

/* Appends what came of one case. */
static enum gsim_status append(struct gsim_validation *validation, const char *outcome, struct gsim_error *error)
{
    struct head head;
    memcpy(&head, outcome, sizeof head);
    if (head.status != GSIM_OK) return gsim_error_set(error, head.status, "%s", head.message);
    for (size_t i = 0; i < head.samples; i++) {
        gsim_array_grow(&validation->samples, sizeof *validation->samples, validation->count, &validation->capacity);
        memcpy(&validation->samples[validation->count++], outcome + sizeof head + i * sizeof *validation->samples,
               sizeof *validation->samples);
    }
    validation->skipped += head.skipped;
    if (head.unfit && !validation->unfit)
        memcpy(validation->unfit_reason, head.unfit_reason, sizeof validation->unfit_reason);
    validation->unfit += head.unfit;
    return GSIM_OK;
}

enum gsim_status gsim_validation_jobs(struct gsim_validation *validation, const struct gsim_case_set *set,
                                      const size_t *index, size_t count, uint32_t processes,
                                      struct gsim_progress *progress, struct gsim_error *error)
{
    struct jobs jobs = {.validation = validation, .set = set, .index = index, .progress = progress};
    jobs.outcome = gsim_alloc((count + 1) * sizeof *jobs.outcome);
    memset(jobs.outcome, 0, (count + 1) * sizeof *jobs.outcome);
    struct gsim_pool_run all = {.pool = {.jobs = processes, .data = &jobs, .run = run, .fail = fail},
                                .count = count,
                                .deliver = take,
                                .data = &jobs,
                                .progress = progress};
    enum gsim_status status = gsim_pool_run(&all, error);
    for (size_t i = 0; i < count && status == GSIM_OK; i++) status = append(validation, jobs.outcome[i], error);
    for (size_t i = 0; i < count; i++) gsim_free(jobs.outcome[i]);
    gsim_free(jobs.outcome);
    return status;
}
