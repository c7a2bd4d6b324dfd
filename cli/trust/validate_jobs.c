/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See cli/trust/validate.h. An item is a case's place in the list. A worker is a copy of this process, so pointers to
 * cases mean the same here.
 */
#include "cli/trust/validate.h"

#include <string.h>

#include "gpusim/memory.h"
#include "sim/base/jobs/each.h"

#define MAX_SAMPLES 16 /* of a case: one each of some quantities */

struct outcome {
    struct gsim_validation counted; /* of the case alone; its samples: */
    struct gsim_sample samples[MAX_SAMPLES];
    size_t count;
    bool has_ended; /* its worker has not crashed */
    struct gsim_error failure;
};

struct jobs {
    const struct gsim_validation *validation; /* device and options */
    const struct gsim_case_set *set;
    const size_t *index;
    struct outcome *outcomes; /* by place in the list */
    struct gsim_progress *progress;
};

static enum gsim_status run(void *data, uint64_t item, void *result, struct gsim_error *error)
{
    const struct jobs *jobs = data;
    struct outcome *o = result;
    o->counted = (struct gsim_validation){.device = jobs->validation->device,
                                          .gpu = jobs->validation->gpu,
                                          .spread_runs = jobs->validation->spread_runs,
                                          .compares_models = jobs->validation->compares_models};
    enum gsim_status status = gsim_validation_run(&o->counted, &jobs->set->cases[jobs->index[item]], error);
    o->count = o->counted.count;
    o->has_ended = true;
    GSIM_INVARIANT(o->count <= MAX_SAMPLES);
    if (o->count) memcpy(o->samples, o->counted.samples, o->count * sizeof *o->samples);
    gsim_validation_release(&o->counted);
    return status;
}

static enum gsim_status deliver(void *data, uint64_t item, const void *result, const struct gsim_error *failure,
                                struct gsim_error *error)
{
    struct jobs *jobs = data;
    struct outcome *o = &jobs->outcomes[item];
    const struct gsim_case *subject = &jobs->set->cases[jobs->index[item]];
    (void)error;
    *o = *(const struct outcome *)result;
    o->failure = *failure;
    if (failure->status && !o->has_ended)
        gsim_error_set(&o->failure, GSIM_SIM, "%.60s: %.60s: %.120s", subject->file, subject->name, failure->message);
    gsim_progress_show(jobs->progress);
    return GSIM_OK;
}

enum gsim_status gsim_validation_jobs(struct gsim_validation *v, const struct gsim_case_set *set, const size_t *index,
                                      size_t count, uint32_t processes, struct gsim_progress *progress,
                                      struct gsim_error *error)
{
    struct jobs jobs = {v, set, index, gsim_alloc((count + 1) * sizeof *jobs.outcomes), progress};
    struct gsim_each each = {.jobs = processes > 1 && count > 1 ? processes : 0, .count = count,
                             .size = sizeof *jobs.outcomes, .run = run, .deliver = deliver, .data = &jobs,
                             .progress = progress};
    enum gsim_status status = gsim_each_run(&each, error);
    for (const struct outcome *o = jobs.outcomes; o < jobs.outcomes + count && status == GSIM_OK; o++) {
        if (o->failure.status) status = gsim_error_set(error, o->failure.status, "%s", o->failure.message);
        for (size_t i = 0; i < o->count && status == GSIM_OK; i++)
            (void)GSIM_APPEND(v->samples, v->count, v->capacity, o->samples[i]);
        v->skipped += o->counted.skipped;
        if (o->counted.unfit && !v->unfit)
            memcpy(v->unfit_reason, o->counted.unfit_reason, sizeof v->unfit_reason);
        v->unfit += o->counted.unfit;
    }
    gsim_free(jobs.outcomes);
    return status;
}
