/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serial: the baseline of GrCUDA (IPDPS 2021) and KeSCo (ICCD 2023). Everything on the default stream, and a
 * device synchronise after every kernel. Deviation: prefetches and copies to the device are not waited for on
 * their own (the kernel behind them in the stream waits), where GrCUDA's serial mode synchronises after each.
 */
#include "gpusim/schedulers/pull.h"

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_lowering *lowering = GSIM_ARENA_NEW(run->arena, struct gsim_lowering);
    if (!lowering) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    run->state = lowering;
    return run->draw ? GSIM_OK : gsim_moves_lower(run, GSIM_MOVES_AT_USE, lowering, error);
}

/* PENDING: work that the host has not waited for. */
static bool issue(struct gsim_driver *driver, const struct gsim_op *op, bool pending)
{
    bool host = gsim_op_is_host(op);
    if (pending && host) {
        gsim_device_synchronize(driver);
        pending = false;
    }
    gsim_op_issue(driver, op, 0);
    if (op->kind == GSIM_OP_KERNEL) gsim_device_synchronize(driver);
    return host ? pending : op->kind != GSIM_OP_KERNEL;
}

static enum gsim_status execute_drawn(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_pull *pull = gsim_pull_create(run, false);
    struct gsim_oplist list;
    bool pending = false;
    if (!pull) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_iteration_begin(run->driver, 0);
    while (gsim_pull_next(pull, &list))
        for (uint32_t i = 0; i < list.op_count; i++) pending = issue(run->driver, list.ops[i], pending);
    if (pending) gsim_device_synchronize(run->driver);
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
    for (uint32_t iteration = 0; iteration < run->iterations && !gsim_driver_failed(driver); iteration++) {
        const struct gsim_oplist *list = iteration == 0 ? &lowering->first : &lowering->steady;
        bool pending = false;
        gsim_iteration_begin(driver, iteration);
        for (uint32_t i = 0; i < list->op_count; i++) pending = issue(driver, list->ops[i], pending);
        if (pending) gsim_device_synchronize(driver);
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
    .takes_source = true,
    .prepare = prepare,
    .execute = execute,
};
