/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank 0: hands out points to its own workers and to the other ranks, and writes all rows. See sweep/remote.h. */
#include <math.h>

#include "sim/base/jobs/clock.h"
#include "sweep/remote_wire.h"
#include "sweep/sink.h"

#define WAIT_MS   2
#define AHEAD_S   0.2 /* a rank is given as much as it does in this time */
#define AHEAD_MAX 4096
#define SILENT_S  60.0 /* a rank that sends nothing for so long is given up: a beat comes every second */
#define TOLD_MAX  5    /* points of a lost rank that are told by name */

struct peer {
    uint64_t *items; /* that it holds */
    size_t count, capacity;
    double heard_s, rate_since_s, rate; /* items per second */
    uint64_t delivered;
    char host[64];
    bool is_lost;
};

struct leader {
    struct gsim_remote *remote;
    struct gsim_sweep_job *job;
    struct gsim_pool *pool;
    struct gsim_sink sink;
    struct gsim_bytes message;
    struct peer *peers; /* by rank; [0] is not used */
    uint64_t *returned; /* points of lost ranks, to be handed out again */
    size_t returned_count, returned_capacity;
    uint64_t next;
};

static uint64_t remaining(const struct leader *leader)
{
    return leader->job->count - leader->next + leader->returned_count;
}

static bool next_item(struct leader *leader, uint64_t *item)
{
    if (leader->returned_count)
        *item = leader->returned[--leader->returned_count];
    else if (leader->next < leader->job->count)
        *item = leader->job->items[leader->next++];
    else
        return false;
    return true;
}

static void add(uint64_t **items, size_t *count, size_t *capacity, uint64_t item)
{
    gsim_array_grow(&*items, sizeof(item), *count, capacity);
    (*items)[(*count)++] = item;
}

/* --- handing out ------------------------------------------------------------------------------------------------ */
/* Near the end less, so that all end together; a rank that has not answered yet gets a taste. */
static size_t wanted(const struct leader *leader, const struct peer *peer)
{
    double least = 2.0 * leader->job->pool.jobs, most = peer->rate * AHEAD_S;
    double share = (double)remaining(leader) / (2.0 * leader->remote->size);
    return gsim_whole_u64(fmin(fmax(fmin(most, share), least), AHEAD_MAX));
}

static void feed_peer(struct leader *leader, int rank)
{
    struct peer *peer = &leader->peers[rank];
    size_t amount = wanted(leader, peer), first = peer->count;
    uint64_t item;
    if (peer->is_lost || 2 * peer->count > amount) return;
    while (peer->count < amount && next_item(leader, &item))
        add(&peer->items, &peer->count, &peer->capacity, item);
    if (peer->count > first)
        leader->remote->transport->send(rank, GSIM_REMOTE_ITEMS, peer->items + first,
                                        (peer->count - first) * sizeof(*peer->items));
}

/* --- messages ----------------------------------------------------------------------------------------------------- */
static bool remove_item(struct peer *peer, uint64_t item)
{
    for (size_t i = 0; i < peer->count; i++) {
        if (peer->items[i] != item) continue;
        memmove(&peer->items[i], &peer->items[i + 1], (--peer->count - i) * sizeof(*peer->items));
        return true;
    }
    return false;
}

static enum gsim_status read_rows(struct leader *leader, struct peer *peer, struct gsim_error *error)
{
    struct gsim_remote_row head;
    enum gsim_status status = GSIM_OK;
    const struct gsim_bytes *message = &leader->message;
    for (size_t at = 0; status == GSIM_OK && at + sizeof(head) <= message->length; at += sizeof(head) + head.length) {
        memcpy(&head, message->data + at, sizeof(head));
        if (head.length > message->length - at - sizeof(head))
            return gsim_error_set(error, GSIM_SIM, "a message from another rank is cut off");
        /* A rank given up may come back to life: its points are others' by then. */
        if (!remove_item(peer, head.item)) continue;
        peer->delivered++;
        status = gsim_sink_take(&leader->sink, head.item, message->data + at + sizeof(head), head.length, error);
    }
    double elapsed = peer->heard_s - peer->rate_since_s;
    if (elapsed > 0.05) {
        double rate = (double)peer->delivered / elapsed;
        peer->rate = peer->rate > 0 ? 0.5 * (peer->rate + rate) : rate;
        peer->rate_since_s = peer->heard_s;
        peer->delivered = 0;
    }
    return status;
}

static enum gsim_status read_messages(struct leader *leader, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    int from, tag;
    leader->message.length = 0;
    while (status == GSIM_OK && leader->remote->transport->receive(&from, &tag, &leader->message)) {
        struct peer *peer = &leader->peers[from];
        peer->heard_s = gsim_clock_now_s();
        if (tag == GSIM_REMOTE_ROWS) status = read_rows(leader, peer, error);
        if (tag == GSIM_REMOTE_BEAT && leader->message.length)
            snprintf(peer->host, sizeof(peer->host), "%s", leader->message.data);
        if (tag == GSIM_REMOTE_REFUSE && leader->message.length)
            status = gsim_error_set(error, GSIM_SIM, "%s", leader->message.data);
        leader->message.length = 0;
    }
    if (leader->message.failed) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    return status;
}

/* --- failures ----------------------------------------------------------------------------------------------------- */
static void tell_points(const struct leader *leader, int rank, const char *what)
{
    const struct peer *peer = &leader->peers[rank];
    char text[300];
    fprintf(stderr, "%sgpusim: rank %d%s%s %s %zu points\n", leader->job->progress->is_terminal ? "\r\033[K" : "", rank,
            peer->host[0] ? " on " : "", peer->host, what, peer->count);
    for (size_t i = 0; i < peer->count && i < TOLD_MAX; i++)
        fprintf(stderr, "gpusim:   %s\n",
                leader->remote->describe(leader->remote->data, peer->items[i], text, sizeof(text)));
    if (peer->count > TOLD_MAX) fprintf(stderr, "gpusim:   ...\n");
}

static void look_for_lost(struct leader *leader)
{
    double now = gsim_clock_now_s();
    for (int rank = 1; rank < leader->remote->size; rank++) {
        struct peer *peer = &leader->peers[rank];
        if (peer->is_lost || now - peer->heard_s < SILENT_S) continue;
        tell_points(leader, rank, "does not answer any more; others take over its");
        peer->is_lost = leader->remote->has_lost = true;
        while (peer->count)
            add(&leader->returned, &leader->returned_count, &leader->returned_capacity, peer->items[--peer->count]);
    }
}

/* --- the loop --- */
enum gsim_status gsim_remote_lead(struct gsim_remote *remote, struct gsim_sweep_job *job, int64_t sweep_id,
                                  struct gsim_error *error)
{
    struct leader leader = {.remote = remote, .job = job, .sink = {.store = job->store, .progress = job->progress}};
    struct gsim_stop stop;
    gsim_stop_begin(&stop);
    struct gsim_remote_start start = {.sweep_id = sweep_id};
    double now = gsim_clock_now_s();
    snprintf(start.identity, sizeof(start.identity), "%s", leader.remote->identity);
    leader.peers = gsim_alloc((size_t)leader.remote->size * sizeof(*leader.peers));
    for (int rank = 1; rank < leader.remote->size; rank++) {
        leader.peers[rank].heard_s = leader.peers[rank].rate_since_s = now;
        leader.remote->transport->send(rank, GSIM_REMOTE_START, &start, sizeof(start));
    }
    enum gsim_status status = gsim_pool_create(&leader.job->pool, &leader.pool, error);
    while (status == GSIM_OK && leader.sink.received < job->count) {
        job->stopped_by = gsim_stop_asked(&stop);
        if (job->stopped_by) break;
        status = GSIM_OK;
        uint64_t item;
        for (int rank = 1; rank < leader.remote->size && status == GSIM_OK; rank++) feed_peer(&leader, rank);
        for (size_t room = gsim_pool_room(leader.pool, remaining(&leader) / (uint64_t)leader.remote->size);
             room && status == GSIM_OK && next_item(&leader, &item); room--)
            status = gsim_pool_put(leader.pool, item, error);
        if (status == GSIM_OK) status = gsim_pool_wait(leader.pool, WAIT_MS, gsim_sink_take, &leader.sink, error);
        if (status == GSIM_OK) status = read_messages(&leader, error);
        if (status == GSIM_OK) status = gsim_sink_commit(&leader.sink, error);
        if (status == GSIM_OK) look_for_lost(&leader);
        gsim_progress_show(leader.job->progress);
    }
    /* A launcher ends all ranks when one fails, and does not tell us which. */
    for (int rank = 1; job->stopped_by && rank < remote->size; rank++)
        if (leader.peers[rank].count) tell_points(&leader, rank, "held");
    leader.remote->has_told = true;
    gsim_pool_destroy(leader.pool);
    for (int rank = 1; leader.peers && rank < leader.remote->size; rank++) {
        leader.remote->transport->send(rank, GSIM_REMOTE_END, "", 0);
        gsim_free(leader.peers[rank].items);
    }
    gsim_free(leader.peers);
    gsim_free(leader.returned);
    gsim_bytes_release(&leader.message);
    gsim_stop_end(&stop);
    return status;
}
