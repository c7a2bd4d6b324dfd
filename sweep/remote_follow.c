/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks that compute: see sweep/remote.h. */
#include <unistd.h>

#include "sim/base/jobs/clock.h"
#include "sweep/remote_wire.h"
#include "sweep/sink.h"

#define WAIT_MS 2

void gsim_remote_give_up(struct gsim_remote *remote, const struct gsim_error *error)
{
    char host[64] = "", text[sizeof(error->message) + 100];
    if (!remote->transport || remote->has_told) return;
    remote->has_told = true;
    gethostname(host, sizeof(host) - 1);
    int length = snprintf(text, sizeof(text), "rank %d on %s: %s", remote->rank, host, error->message);
    for (int rank = 1; !remote->rank && rank < remote->size; rank++)
        remote->transport->send(rank, GSIM_REMOTE_END, "", 0);
    if (remote->rank) remote->transport->send(0, GSIM_REMOTE_REFUSE, text, (size_t)length + 1);
}

struct follower {
    struct gsim_remote *remote;
    const struct gsim_pool_config *config;
    struct gsim_pool *pool; /* NULL until START */
    struct gsim_bytes rows, message;
    void (*begin)(void *data, int64_t sweep_id);
    double sent_s;
    bool is_over;
};

static enum gsim_status collect(void *data, uint64_t item, const char *outcome, size_t length, struct gsim_error *error)
{
    struct follower *follower = data;
    (void)error;
    struct gsim_remote_row head = {item, length};
    gsim_bytes_add(&follower->rows, &head, sizeof(head));
    gsim_bytes_add(&follower->rows, outcome, length);
    return GSIM_OK;
}

static enum gsim_status start(struct follower *follower, struct gsim_error *error)
{
    struct gsim_remote_start start;
    struct gsim_remote *remote = follower->remote;
    memcpy(&start, follower->message.data, sizeof(start));
    if (strcmp(start.identity, remote->identity) != 0)
        return gsim_error_set(error, GSIM_INPUT,
                              "it reads another spec, device or program, or is another version of gpusim");
    follower->begin(remote->data, start.sweep_id);
    return gsim_pool_create(follower->config, &follower->pool, error);
}

static enum gsim_status handle_message(struct follower *follower, int tag, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    const struct gsim_bytes *message = &follower->message;
    if (tag == GSIM_REMOTE_END) follower->is_over = true;
    if (tag == GSIM_REMOTE_START && message->length == sizeof(struct gsim_remote_start))
        status = start(follower, error);
    for (size_t at = 0; tag == GSIM_REMOTE_ITEMS && follower->pool && at < message->length && status == GSIM_OK;
         at += sizeof(uint64_t)) {
        uint64_t item;
        memcpy(&item, message->data + at, sizeof(item));
        status = gsim_pool_put(follower->pool, item, error);
    }
    return status;
}

static void send_rows(struct follower *follower)
{
    const struct gsim_transport *transport = follower->remote->transport;
    double now = gsim_clock_now_s();
    char host[64] = "";
    if (follower->rows.length) {
        transport->send(0, GSIM_REMOTE_ROWS, follower->rows.data, follower->rows.length);
        follower->rows.length = 0;
    } else if (now - follower->sent_s > GSIM_REMOTE_BEAT_S) {
        gethostname(host, sizeof(host) - 1);
        transport->send(0, GSIM_REMOTE_BEAT, host, strlen(host) + 1);
    } else {
        return;
    }
    follower->sent_s = now;
}

enum gsim_status gsim_remote_follow(struct gsim_remote *remote, const struct gsim_pool_config *pool,
                                    void (*begin)(void *data, int64_t sweep_id), struct gsim_error *error)
{
    struct follower follower = {.remote = remote, .config = pool, .begin = begin};
    struct gsim_stop stop;
    const struct timespec pause = {.tv_nsec = WAIT_MS * 1000000};
    enum gsim_status status = GSIM_OK;
    int from, tag;
    gsim_stop_begin(&stop);
    while (status == GSIM_OK && !follower.is_over && !gsim_stop_asked(&stop)) {
        while (status == GSIM_OK && !follower.is_over && remote->transport->receive(&from, &tag, &follower.message)) {
            status = handle_message(&follower, tag, error);
            follower.message.length = 0;
        }
        if (status == GSIM_OK && follower.pool)
            status = gsim_pool_wait(follower.pool, WAIT_MS, collect, &follower, error);
        else
            nanosleep(&pause, NULL);
        send_rows(&follower);
    }
    if (status != GSIM_OK && error) gsim_remote_give_up(remote, error);
    gsim_pool_destroy(follower.pool);
    gsim_bytes_release(&follower.rows);
    gsim_bytes_release(&follower.message);
    gsim_stop_end(&stop);
    return status;
}
