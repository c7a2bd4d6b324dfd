/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cli/trust/calibrate_jobs.h. An item of the pool is a run's index; its outcome a struct gsim_predicted. */
#include "cli/trust/calibrate_jobs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpusim/order.h"
#include "sim/device/device.h"

/* Written while the workers have nothing to do: the pipe that hands out an item comes behind it. */
struct gsim_prediction_shared {
    uint64_t number; /* of the devices so far */
    double values[GSIM_DEVICE_NUMBER_COUNT];
};

struct gsim_predicted {
    enum gsim_status status;
    double us;
    char message[200];
};


/* --- in a worker -------------------------------------------------------------------------------------------------- */
static bool take_device(struct gsim_prediction_jobs *jobs)
{
    if (jobs->trial_number == jobs->shared->number) return true;
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++) {
        enum gsim_device_number number = (enum gsim_device_number)i;
        double value = jobs->shared->values[i];
        if (value != gsim_device_get(&jobs->trial, number) &&
            !gsim_device_put(&jobs->trial, number, value, GSIM_KIND_FITTED, ""))
            return false;
    }
    jobs->trial_number = jobs->shared->number;
    return true;
}

static void run(void *data, uint64_t item, struct gsim_bytes *bytes)
{
    struct gsim_prediction_jobs *jobs = data;
    struct gsim_error error = {0};
    struct gsim_predicted outcome;
    memset(&outcome, 0, sizeof outcome); /* padding included: it goes through a pipe */
    outcome.status = take_device(jobs) ? gsim_calibration_predict(jobs->calibration, (size_t)item, &jobs->trial,
                                                                  jobs->gpu, &outcome.us, &error)
                                       : gsim_no_memory(&error);
    snprintf(outcome.message, sizeof outcome.message, "%.199s", error.message);
    gsim_bytes_add(bytes, &outcome, sizeof outcome);
}

/* --- here --- */
static void fail(void *data, uint64_t item, enum gsim_item_end end, const char *message, struct gsim_bytes *bytes)
{
    struct gsim_predicted outcome;
    (void)data;
    (void)end;
    memset(&outcome, 0, sizeof outcome);
    outcome.status = GSIM_SIM;
    snprintf(outcome.message, sizeof outcome.message, "recorded run %llu: %.150s", (unsigned long long)item + 1,
             message);
    gsim_bytes_add(bytes, &outcome, sizeof outcome);
}

static enum gsim_status take(void *data, uint64_t item, const char *bytes, size_t length, struct gsim_error *error)
{
    struct gsim_prediction_jobs *jobs = data;
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

/* Those with most operations first, so that nobody waits long for the last. */
static bool find_order(struct gsim_prediction_jobs *jobs)
{
    const struct gsim_calibration *c = jobs->calibration;
    struct ranked *ranked = gsim_alloc((c->run_count + 1) * sizeof *ranked);
    jobs->order = gsim_alloc((c->run_count + 1) * sizeof *jobs->order);
    bool ok = ranked && jobs->order;
    for (size_t i = 0; ok && i < c->run_count; i++)
        ranked[i] = (struct ranked){(double)c->runs[i].program->op_count, i};
    if (ok) qsort(ranked, c->run_count, sizeof *ranked, by_size);
    for (size_t i = 0; ok && i < c->run_count; i++) jobs->order[i] = ranked[i].index;
    gsim_free(ranked);
    return ok;
}

enum gsim_status gsim_prediction_jobs_start(struct gsim_prediction_jobs *jobs,
                                            struct gsim_calibration *calibration,
                                            const struct gsim_gpu_options *gpu, uint32_t count,
                                            struct gsim_error *error)
{
    if (count > calibration->run_count) count = (uint32_t)calibration->run_count;
    jobs->calibration = calibration;
    jobs->gpu = gpu;
    jobs->trial = calibration->device;
    jobs->trial.arena = (struct gsim_arena){0};
    jobs->predicted = gsim_alloc((calibration->run_count + 1) * sizeof *jobs->predicted);
    if (!jobs->predicted || !find_order(jobs)) return gsim_no_memory(error);
    void *page = mmap(NULL, sizeof *jobs->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return gsim_error_set(error, GSIM_IO, "cannot share memory with workers: %s", strerror(errno));
    jobs->shared = page;
    const struct gsim_pool_config config = {.jobs = count ? count : 1, .data = jobs, .run = run, .fail = fail};
    return gsim_pool_create(&config, &jobs->pool, error);
}

enum gsim_status gsim_prediction_jobs_predict(void *context, const struct gsim_device_spec *device, const size_t *runs,
                                              size_t count, double *us, struct gsim_error *error)
{
    struct gsim_prediction_jobs *jobs = context;
    size_t run_count = jobs->calibration->run_count;
    bool *wanted = gsim_alloc((run_count + 1) * sizeof *wanted);
    uint64_t *items = gsim_alloc((count + 1) * sizeof *items);
    struct gsim_pool_run all = {.items = items, .deliver = take, .data = jobs, .progress = jobs->progress};
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++)
        jobs->shared->values[i] = gsim_device_get(device, (enum gsim_device_number)i);
    jobs->shared->number++;
    for (size_t i = 0; wanted && items && i < count; i++) wanted[runs[i]] = true;
    for (size_t i = 0; wanted && items && i < run_count; i++)
        if (wanted[jobs->order[i]]) items[all.count++] = jobs->order[i];
    enum gsim_status status = wanted && items ? gsim_pool_run_on(jobs->pool, &all, error) : gsim_no_memory(error);
    gsim_free(wanted);
    gsim_free(items);
    /* The first failure in the order of the runs, as without workers. */
    for (size_t i = 0; i < count && status == GSIM_OK; i++) {
        const struct gsim_predicted *outcome = &jobs->predicted[runs[i]];
        us[i] = outcome->status == GSIM_OK ? outcome->us : NAN;
        if (outcome->status != GSIM_OK && outcome->status != GSIM_INPUT)
            status = gsim_error_set(error, outcome->status, "%s", outcome->message);
    }
    return status;
}

void gsim_prediction_jobs_end(struct gsim_prediction_jobs *jobs)
{
    gsim_pool_destroy(jobs->pool);
    if (jobs->shared) munmap(jobs->shared, sizeof *jobs->shared);
    gsim_free(jobs->predicted);
    gsim_free(jobs->order);
    gsim_arena_release(&jobs->trial.arena);
    *jobs = (struct gsim_prediction_jobs){0};
}
