/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/jobs/pool.h. The worker's side: sim/base/jobs/worker.c. */
#include "sim/base/jobs/pool.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "sim/base/jobs/clock.h"
#include "sim/base/jobs/worker.h"

/* A worker is given as much as it does in this time, so that it never waits for us. */
#define AHEAD_S   0.05
#define AHEAD_MAX 512
/* At least so often the clocks of the items are looked at. */
#define LOOK_MS 100
#define CHUNK_BYTES 262144u
/* While all have work, outcomes are taken in rounds so long apart: a wake-up for each would cost more than small
 * points. */
#define ROUND_S 0.005

struct worker {
    struct gsim_worker process;
    uint64_t *items; /* handed out and not delivered, oldest first: a ring */
    size_t first, count;
    struct gsim_bytes input; /* what it sent, as far as not yet taken apart */
    uint64_t seen_sequence;  /* of its shared state */
    double seen_since;       /* when that was seen first */
    double rate;             /* items per second, smoothed */
    double rate_since;
    uint64_t delivered;
};

struct gsim_pool {
    struct gsim_pool_config config;
    struct worker *workers;
    uint64_t *backlog; /* items that a dead worker left */
    size_t backlog_count, backlog_capacity, held;
    double round_s; /* when outcomes were taken last */
    char *chunk;    /* CHUNK_BYTES of what a worker sends */
    struct sigaction old_pipe_action;
};

/* --- life ------------------------------------------------------------------------------------------------------- */
static enum gsim_status start(struct gsim_pool *pool, struct worker *worker, struct gsim_error *error)
{
    int others[2 * GSIM_JOBS_MAX], count = 0;
    for (uint32_t i = 0; i < pool->config.jobs; i++) {
        if (&pool->workers[i] == worker || !pool->workers[i].process.pid) continue;
        others[count++] = pool->workers[i].process.to;
        others[count++] = pool->workers[i].process.from;
    }
    worker->seen_sequence = 0;
    worker->seen_since = worker->rate_since = gsim_clock_now_s();
    worker->delivered = 0;
    worker->input.length = 0;
    return gsim_worker_start(&worker->process, &pool->config, others, count, error);
}

enum gsim_status gsim_pool_create(const struct gsim_pool_config *config, struct gsim_pool **pool,
                                  struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct gsim_pool *made = gsim_alloc(sizeof(*made));
    *pool = NULL;
    if (!made) return gsim_no_memory(error);
    made->config = *config;
    sigaction(SIGPIPE, &ignore, &made->old_pipe_action); /* a dead worker is seen by what its pipe says */
    made->workers = gsim_alloc(config->jobs * sizeof(*made->workers));
    made->chunk = gsim_alloc(CHUNK_BYTES);
    if (!made->workers || !made->chunk) status = gsim_no_memory(error);
    for (uint32_t i = 0; i < config->jobs && status == GSIM_OK; i++) {
        made->workers[i].items = gsim_alloc(AHEAD_MAX * sizeof(uint64_t));
        status = made->workers[i].items ? start(made, &made->workers[i], error) : gsim_no_memory(error);
    }
    if (status != GSIM_OK) gsim_pool_destroy(made);
    else *pool = made;
    return status;
}

void gsim_pool_destroy(struct gsim_pool *pool)
{
    if (!pool) return;
    for (uint32_t i = 0; pool->workers && i < pool->config.jobs; i++) {
        struct worker *worker = &pool->workers[i];
        if (worker->process.pid) kill(worker->process.pid, SIGKILL);
        gsim_worker_end(&worker->process);
        gsim_bytes_release(&worker->input);
        gsim_free(worker->items);
    }
    sigaction(SIGPIPE, &pool->old_pipe_action, NULL);
    gsim_free(pool->workers);
    gsim_free(pool->backlog);
    gsim_free(pool->chunk);
    gsim_free(pool);
}

/* --- handing out ------------------------------------------------------------------------------------------------ */
/* As much as it does in a moment; near the end less, so that all end together. */
static size_t ahead(const struct gsim_pool *pool, const struct worker *worker, uint64_t remaining)
{
    double wanted = worker->rate * AHEAD_S, share = (double)remaining / (2.0 * pool->config.jobs);
    return gsim_whole_u64(fmin(fmax(fmin(wanted, share), 2), AHEAD_MAX));
}

size_t gsim_pool_room(const struct gsim_pool *pool, uint64_t remaining)
{
    size_t room = 0;
    for (uint32_t i = 0; i < pool->config.jobs; i++) {
        size_t wanted = ahead(pool, &pool->workers[i], remaining);
        if (wanted > pool->workers[i].count) room += wanted - pool->workers[i].count;
    }
    return room > pool->backlog_count ? room - pool->backlog_count : 0;
}

static enum gsim_status add_backlog(struct gsim_pool *pool, uint64_t item, struct gsim_error *error)
{
    if (!GSIM_APPEND(pool->backlog, pool->backlog_count, pool->backlog_capacity, item)) return gsim_no_memory(error);
    return GSIM_OK;
}

/* To the worker with the shortest queue in time. */
static bool hand_out(struct gsim_pool *pool, uint64_t item)
{
    struct worker *best = NULL;
    double least = 0;
    for (uint32_t i = 0; i < pool->config.jobs; i++) {
        struct worker *worker = &pool->workers[i];
        double load = (double)worker->count / (worker->rate > 0 ? worker->rate : 1e-3);
        if (worker->count >= AHEAD_MAX || (best && load >= least)) continue;
        best = worker;
        least = load;
    }
    if (!best) return false;
    best->items[(best->first + best->count++) % AHEAD_MAX] = item;
    gsim_worker_send(&best->process, item);
    return true;
}

enum gsim_status gsim_pool_put(struct gsim_pool *pool, uint64_t item, struct gsim_error *error)
{
    pool->held++;
    return hand_out(pool, item) ? GSIM_OK : add_backlog(pool, item, error);
}

/* --- outcomes --------------------------------------------------------------------------------------------------- */
/* Takes ITEM out of the worker's queue; usually it is the oldest. */
static bool remove_item(struct worker *worker, uint64_t item)
{
    for (size_t i = 0; i < worker->count; i++) {
        if (worker->items[(worker->first + i) % AHEAD_MAX] != item) continue;
        for (; i > 0; i--)
            worker->items[(worker->first + i) % AHEAD_MAX] = worker->items[(worker->first + i - 1) % AHEAD_MAX];
        worker->first = (worker->first + 1) % AHEAD_MAX;
        worker->count--;
        return true;
    }
    return false;
}

static enum gsim_status read_outcomes(struct gsim_pool *pool, struct worker *worker, gsim_pool_deliver *deliver,
                                      void *data, struct gsim_error *error)
{
    struct gsim_worker_head head;
    size_t at = 0;
    enum gsim_status status = GSIM_OK;
    while (status == GSIM_OK && worker->input.length - at >= sizeof(head)) {
        memcpy(&head, worker->input.data + at, sizeof(head));
        if (worker->input.length - at - sizeof(head) < head.length) break;
        if (remove_item(worker, head.item)) {
            pool->held--;
            worker->delivered++;
            status = deliver(data, head.item, worker->input.data + at + sizeof(head), head.length, error);
        }
        at += sizeof(head) + head.length;
    }
    gsim_bytes_drop(&worker->input, at);
    double now = gsim_clock_now_s(), elapsed = now - worker->rate_since;
    if (elapsed > AHEAD_S && worker->delivered) {
        double rate = (double)worker->delivered / elapsed;
        worker->rate = worker->rate > 0 ? 0.5 * (worker->rate + rate) : rate;
        worker->rate_since = now;
        worker->delivered = 0;
    }
    return status;
}

/* The item it was at is lost, those behind it are not; its successor starts afresh. */
static enum gsim_status replace(struct gsim_pool *pool, struct worker *worker, enum gsim_item_end end,
                                gsim_pool_deliver *deliver, void *data, struct gsim_error *error)
{
    char message[GSIM_WORKER_MESSAGE];
    uint64_t at = 0;
    bool was_at_work = gsim_worker_item(&worker->process, &at);
    struct gsim_bytes outcome = {0};
    enum gsim_status status = read_outcomes(pool, worker, deliver, data, error); /* what it had sent before */
    gsim_worker_autopsy(&worker->process, message, sizeof(message));
    if (end == GSIM_ITEM_TIMEOUT)
        snprintf(message, sizeof(message), "stopped after the time limit of %g s", pool->config.timeout_s);
    if (!was_at_work && worker->count) at = worker->items[worker->first];
    if (remove_item(worker, at) && status == GSIM_OK) {
        pool->held--;
        pool->config.fail(pool->config.data, at, end, message, &outcome);
        status = outcome.failed ? gsim_no_memory(error) : deliver(data, at, outcome.data, outcome.length, error);
    }
    gsim_bytes_release(&outcome);
    while (worker->count && status == GSIM_OK) {
        status = add_backlog(pool, worker->items[worker->first], error);
        worker->first = (worker->first + 1) % AHEAD_MAX;
        worker->count--;
    }
    return status == GSIM_OK ? start(pool, worker, error) : status;
}

/* Reads what the worker sent; *ENDED when it is gone. */
static enum gsim_status read_worker(struct gsim_pool *pool, struct worker *worker, bool *ended,
                                    struct gsim_error *error)
{
    ssize_t got = read(worker->process.from, pool->chunk, CHUNK_BYTES);
    *ended = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
    if (got > 0) gsim_bytes_add(&worker->input, pool->chunk, (size_t)got);
    return worker->input.failed ? gsim_no_memory(error) : GSIM_OK;
}

static enum gsim_status check_clock(struct gsim_pool *pool, struct worker *worker, gsim_pool_deliver *deliver,
                                    void *data, struct gsim_error *error)
{
    uint64_t sequence = gsim_worker_sequence(&worker->process), item;
    double now = gsim_clock_now_s();
    if (sequence != worker->seen_sequence || !gsim_worker_item(&worker->process, &item)) {
        worker->seen_sequence = sequence;
        worker->seen_since = now;
        return GSIM_OK;
    }
    if (now - worker->seen_since < pool->config.timeout_s) return GSIM_OK;
    kill(worker->process.pid, SIGKILL);
    bool ended = false;
    enum gsim_status status = GSIM_OK;
    while (!ended && status == GSIM_OK) status = read_worker(pool, worker, &ended, error);
    return status == GSIM_OK ? replace(pool, worker, GSIM_ITEM_TIMEOUT, deliver, data, error) : status;
}

/* Lets outcomes gather, unless a worker is short of work. */
static void pace(struct gsim_pool *pool)
{
    double left = pool->round_s + ROUND_S - gsim_clock_now_s();
    for (uint32_t i = 0; i < pool->config.jobs; i++)
        if (pool->workers[i].count < 2) left = 0;
    const struct timespec pause = {.tv_nsec = gsim_whole(left * 1e9)};
    if (left > 0) nanosleep(&pause, NULL);
    pool->round_s = gsim_clock_now_s();
}

enum gsim_status gsim_pool_wait(struct gsim_pool *pool, int timeout_ms, gsim_pool_deliver *deliver, void *data,
                                struct gsim_error *error)
{
    struct pollfd polls[GSIM_JOBS_MAX];
    enum gsim_status status = GSIM_OK;
    while (pool->backlog_count && hand_out(pool, pool->backlog[pool->backlog_count - 1])) pool->backlog_count--;
    for (uint32_t i = 0; i < pool->config.jobs; i++)
        polls[i] = (struct pollfd){.fd = pool->workers[i].process.from, .events = POLLIN};
    if (pool->config.timeout_s > 0 && timeout_ms > LOOK_MS) timeout_ms = LOOK_MS;
    pace(pool);
    int ready = poll(polls, pool->config.jobs, timeout_ms);
    if (ready < 0 && errno != EINTR)
        return gsim_error_set(error, GSIM_IO, "cannot wait for workers: %s", strerror(errno));
    for (uint32_t i = 0; i < pool->config.jobs && status == GSIM_OK; i++) {
        struct worker *worker = &pool->workers[i];
        bool ended = false;
        if (ready > 0 && polls[i].revents) {
            status = read_worker(pool, worker, &ended, error);
            if (status == GSIM_OK)
                status = ended ? replace(pool, worker, GSIM_ITEM_CRASHED, deliver, data, error)
                               : read_outcomes(pool, worker, deliver, data, error);
        }
        if (status == GSIM_OK && !ended && pool->config.timeout_s > 0)
            status = check_clock(pool, worker, deliver, data, error);
    }
    return status;
}
