/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/jobs/each.h. An outcome is the error, then the result. */
#include "sim/base/jobs/each.h"

struct each_run {
    struct gsim_each *each;
    struct gsim_pool_run pool;
};

static void run_item(void *data, uint64_t item, struct gsim_bytes *bytes)
{
    struct gsim_each *each = ((struct each_run *)data)->each;
    struct gsim_error error;
    void *result = gsim_alloc(each->size);
    memset(&error, 0, sizeof error); /* padding included: it goes through a pipe */
    error.status = result ? each->run(each->data, item, result, &error) : GSIM_NOMEM;
    gsim_bytes_add(bytes, &error, sizeof error);
    if (result) gsim_bytes_add(bytes, result, each->size);
    else bytes->failed = true;
    gsim_free(result);
}

static void fail_item(void *data, uint64_t item, enum gsim_item_end end, const char *message, struct gsim_bytes *bytes)
{
    struct gsim_error error;
    (void)data, (void)item, (void)end;
    memset(&error, 0, sizeof error);
    gsim_error_set(&error, GSIM_SIM, "%s", message);
    gsim_bytes_add(bytes, &error, sizeof error);
}

static enum gsim_status read_result(void *data, uint64_t item, const char *bytes, size_t length,
                                    struct gsim_error *error)
{
    struct each_run *r = data;
    struct gsim_each *each = r->each;
    struct gsim_error failure;
    void *result = gsim_alloc(each->size);
    if (!result) return gsim_no_memory(error);
    memcpy(&failure, bytes, sizeof failure);
    if (length == sizeof failure + each->size) memcpy(result, bytes + sizeof failure, each->size);
    if (each->progress) each->progress->done++;
    each->started = r->pool.put;
    enum gsim_status status = each->deliver(each->data, item, result, &failure, error);
    r->pool.count = each->count;
    gsim_free(result);
    return status;
}

enum gsim_status gsim_each_run(struct gsim_each *each, struct gsim_error *error)
{
    struct each_run r = {.each = each};
    enum gsim_status status = GSIM_OK;
    r.pool = (struct gsim_pool_run){.pool = {.jobs = each->jobs, .data = &r, .run = run_item, .fail = fail_item},
                                    .first = each->first,
                                    .count = each->count,
                                    .deliver = read_result,
                                    .data = &r,
                                    .progress = each->progress,
                                    .heeds_signals = each->heeds_signals};
    if (each->jobs && each->count) {
        status = gsim_pool_run(&r.pool, error);
        each->stopped_by = r.pool.stopped_by;
        return status;
    }
    for (uint64_t i = 0; i < each->count && !status; i++) {
        struct gsim_bytes bytes = {0};
        run_item(&r, each->first + i, &bytes);
        status = bytes.failed ? gsim_no_memory(error)
                              : read_result(&r, each->first + i, bytes.data, bytes.length, error);
        gsim_bytes_release(&bytes);
    }
    return status;
}
