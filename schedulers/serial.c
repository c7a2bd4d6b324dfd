/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serial: the baseline of GrCUDA (IPDPS 2021) and KeSCo (ICCD 2023). Everything on the default stream, and a
 * device synchronise after every kernel. Deviation: prefetches and copies to the device are not waited for on
 * their own (the kernel behind them in the stream waits), where GrCUDA's serial mode synchronises after each. With
 * several GPUs one has work at a time.
 */
#include "gpusim/schedulers/feed.h"

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_feed_prepare(run, GSIM_MOVES_AT_USE, false, error);
}

struct serial {
    struct gsim_driver *driver;
    uint32_t current;
    bool is_pending;      /* GPU CURRENT has work that the host has not waited for */
    gsim_stream *streams; /* the default stream is GPU 0's; of the others one each, made at first use */
};

static void set_device(struct serial *s, uint32_t device)
{
    if (device == s->current) return;
    gsim_device_set(s->driver, device);
    s->current = device;
}

static void synchronize(void *data)
{
    struct serial *s = data;
    if (s->is_pending) gsim_device_synchronize(s->driver);
    s->is_pending = false;
}

static void issue(struct serial *s, const struct gsim_op *op)
{
    if (gsim_op_is_host(op)) {
        synchronize(s);
        gsim_op_issue(s->driver, op, 0);
        return;
    }
    if (s->current != op->device) synchronize(s); /* one GPU at a time */
    set_device(s, op->device);
    if (op->device && !s->streams[op->device]) s->streams[op->device] = gsim_stream_create(s->driver, 0);
    gsim_op_issue(s->driver, op, s->streams[op->device]);
    s->is_pending = true;
    if (op->kind == GSIM_OP_KERNEL) synchronize(s);
}

static enum gsim_status issue_list(void *data, const struct gsim_feed *feed, struct gsim_error *error)
{
    (void)error;
    for (uint32_t i = 0; i < feed->list.op_count; i++) issue(data, feed->list.ops[i]);
    return GSIM_OK;
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    static const struct gsim_feed_user user = {.list = issue_list, .wait = synchronize};
    struct serial s = {.driver = run->driver};
    s.streams = GSIM_ARENA_ARRAY(run->arena, gsim_stream, gsim_device_count(run->driver));
    if (!s.streams) return gsim_no_memory(error);
    return gsim_feed_run(run, 1, &user, &s, error);
}

const struct gsim_scheduler_ops gsim_scheduler_serial = {
    GSIM_HEAD(scheduler),
    .name = "serial",
    .summary = "one kernel at a time on the default stream, synchronising after each",
    .source = "baseline of GrCUDA (IPDPS 2021) and KeSCo (ICCD 2023)",
    .shape = GSIM_SHAPE_SERIAL,
    .uses_devices = true,
    .takes_source = true,
    .prepare = prepare,
    .execute = execute,
};
