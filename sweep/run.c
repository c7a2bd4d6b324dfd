/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/run.h. What arrives together is committed together; progress counts what is committed. */
#include "sweep/run.h"

#include <signal.h>

#include "sweep/sink.h"

#define WAIT_MS 100

enum gsim_status gsim_sweep_run(struct gsim_sweep_job *job, struct gsim_error *error)
{
    struct gsim_pool *pool = NULL;
    struct gsim_sink sink = {.store = job->store, .progress = job->progress};
    struct gsim_stop stop;
    uint64_t next = 0;
    gsim_stop_begin(&stop);
    enum gsim_status status = gsim_pool_create(&job->pool, &pool, error);
    while (status == GSIM_OK && sink.received < job->count) {
        job->stopped_by = gsim_stop_asked(&stop);
        if (job->stopped_by) break;
        for (size_t room = gsim_pool_room(pool, job->count - next); room && next < job->count && status == GSIM_OK;
             room--)
            status = gsim_pool_put(pool, job->items[next++], error);
        if (status == GSIM_OK) status = gsim_pool_wait(pool, WAIT_MS, gsim_sink_take, &sink, error);
        if (status == GSIM_OK) status = gsim_sink_commit(&sink, error);
        gsim_progress_show(job->progress);
    }
    gsim_pool_destroy(pool);
    gsim_stop_end(&stop);
    return status;
}
