/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/jobs/run.h. */
#include "sim/base/jobs/run.h"

#include <time.h>

#include "sim/base/ends.h"

#define WAIT_MS 100 /* between updates of the progress line */

void gsim_stop_begin(struct gsim_stop *stop)
{
    gsim_ends_signals(&stop->signals);
    gsim_ends_hold(&stop->old_mask);
}

int gsim_stop_asked(const struct gsim_stop *stop)
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t pending;
    if (sigpending(&pending) != 0) return 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (sigismember(&stop->signals, all[i]) == 1 && sigismember(&pending, all[i]) == 1) return all[i];
    return 0;
}

void gsim_stop_end(struct gsim_stop *stop)
{
    const struct timespec at_once = {0, 0};
    while (gsim_stop_asked(stop) && sigtimedwait(&stop->signals, NULL, &at_once) > 0) continue;
    sigprocmask(SIG_SETMASK, &stop->old_mask, NULL);
}

static enum gsim_status count_and_deliver(void *data, uint64_t item, const char *outcome, size_t length,
                                          struct gsim_error *error)
{
    struct gsim_pool_run *run = data;
    run->received++;
    return run->deliver(run->data, item, outcome, length, error);
}

static enum gsim_status run_rounds(struct gsim_pool *pool, struct gsim_pool_run *run, const struct gsim_stop *stop,
                                   struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    while (status == GSIM_OK && run->received < run->count) {
        if (stop && (run->stopped_by = gsim_stop_asked(stop))) break;
        for (size_t room = gsim_pool_room(pool, run->count - run->put);
             room && run->put < run->count && status == GSIM_OK; room--, run->put++)
            status = gsim_pool_put(pool, run->items ? run->items[run->put] : run->first + run->put, error);
        if (status == GSIM_OK) status = gsim_pool_wait(pool, WAIT_MS, count_and_deliver, run, error);
        if (status == GSIM_OK && run->after_round) status = run->after_round(run->data, error);
        if (run->progress) gsim_progress_show(run->progress);
    }
    return status;
}

enum gsim_status gsim_pool_run_on(struct gsim_pool *pool, struct gsim_pool_run *run, struct gsim_error *error)
{
    return run_rounds(pool, run, NULL, error);
}

enum gsim_status gsim_pool_run(struct gsim_pool_run *run, struct gsim_error *error)
{
    struct gsim_pool_config config = run->pool;
    struct gsim_pool *pool = NULL;
    struct gsim_stop stop;
    if (!run->count) return GSIM_OK;
    if (config.jobs > run->count) config.jobs = (uint32_t)run->count;
    if (run->heeds_signals) gsim_stop_begin(&stop);
    enum gsim_status status = gsim_pool_create(&config, &pool, error);
    if (status == GSIM_OK) status = run_rounds(pool, run, run->heeds_signals ? &stop : NULL, error);
    gsim_pool_destroy(pool);
    if (run->heeds_signals) gsim_stop_end(&stop);
    return status;
}
