/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serial: the baseline of GrCUDA (IPDPS 2021) and KeSCo (ICCD 2023). Everything on the default stream, and a
 * device synchronise after every kernel. Deviation: prefetches and copies to the device are not waited for on
 * their own (the kernel behind them in the stream waits), where GrCUDA's serial mode synchronises after each. With several
 * GPUs one has work at a time.
 */
#include "gpusim/schedulers/pull.h"

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_lowering *lowering = GSIM_ARENA_NEW(run->arena, struct gsim_lowering);
    if (!lowering) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    run->state = lowering;
    return run->draw ? GSIM_OK : gsim_moves_lower(run, GSIM_MOVES_AT_USE, lowering, error);
}

struct serial {
    struct gsim_driver *driver;
    uint32_t current;
    bool is_pending;      /* GPU CURRENT has work that the host has not waited for */
    gsim_stream *streams; /* the default stream is GPU 0's; of the others one each, made at first use */
};

static gsim_stream *make_streams(struct gsim_run *run)
{
    return GSIM_ARENA_ARRAY(run->arena, gsim_stream, gsim_device_count(run->driver));
}

static void set_device(struct serial *s, uint32_t device)
{
    if (device == s->current) return;
    gsim_device_set(s->driver, device);
    s->current = device;
}

static void synchronize(struct serial *s)
{
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

static enum gsim_status execute_drawn(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_pull *pull = gsim_pull_create(run, false);
    struct serial s = {.driver = run->driver, .streams = make_streams(run)};
    struct gsim_oplist list;
    if (!pull || !s.streams) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_peers_enable(run->driver);
    gsim_iteration_begin(run->driver, 0);
    while (gsim_pull_next(pull, &list))
        for (uint32_t i = 0; i < list.op_count; i++) issue(&s, list.ops[i]);
    synchronize(&s);
    gsim_iteration_end(run->driver, 0);
    enum gsim_status status = gsim_pull_status(pull, error);
    gsim_pull_destroy(pull);
    return status;
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct gsim_lowering *lowering = run->state;
    struct gsim_driver *driver = run->driver;
    if (run->draw) return execute_drawn(run, error);
    struct serial s = {.driver = driver, .streams = make_streams(run)};
    if (!s.streams) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_peers_enable(driver);
    for (uint32_t iteration = 0; iteration < run->iterations && !gsim_driver_failed(driver); iteration++) {
        const struct gsim_oplist *list = iteration == 0 ? &lowering->first : &lowering->steady;
        gsim_iteration_begin(driver, iteration);
        for (uint32_t i = 0; i < list->op_count; i++) issue(&s, list->ops[i]);
        synchronize(&s);
        gsim_iteration_end(driver, iteration);
    }
    return gsim_run_status(run, error);
}

const struct gsim_scheduler_ops gsim_scheduler_serial = {
    .abi = GSIM_ABI,
    .size = sizeof(struct gsim_scheduler_ops),
    .name = "serial",
    .summary = "one kernel at a time on the default stream, synchronising after each",
    .source = "baseline of GrCUDA (IPDPS 2021) and KeSCo (ICCD 2023)",
    .shape = GSIM_SHAPE_SERIAL,
    .uses_devices = true,
    .takes_source = true,
    .prepare = prepare,
    .execute = execute,
};
