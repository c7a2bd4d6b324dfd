/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The driver that passes every call on (include/gpusim/driver.h). Bodies of threads and host functions get the driver of the
 * client that started them, so that their calls go through the same stack.
 */
#include "gpusim/driver.h"
#include "gpusim/memory.h"

static struct gsim_forward *forward(struct gsim_driver *driver) { return (struct gsim_forward *)driver; }

/* The first failure below is the client's too. */
static void see_failure(struct gsim_forward *f)
{
    if (gsim_driver_failed(f->below) && !gsim_driver_failed(&f->driver)) f->driver.error = f->below->error;
}


#define PASS(name, parameters, arguments)          \
    static void pass_##name parameters             \
    {                                              \
        struct gsim_forward *f = forward(driver);  \
        f->below->ops->name arguments;             \
        see_failure(f);                            \
    }
#define PASS_RESULT(type, name, parameters, arguments) \
    static type pass_##name parameters                 \
    {                                                  \
        struct gsim_forward *f = forward(driver);      \
        type result = f->below->ops->name arguments;   \
        see_failure(f);                                \
        return result;                                 \
    }

PASS(stream_destroy, (struct gsim_driver *driver, gsim_stream s), (f->below, s))
PASS(stream_synchronize, (struct gsim_driver *driver, gsim_stream s), (f->below, s))
PASS(device_synchronize, (struct gsim_driver *driver), (f->below))
PASS(event_destroy, (struct gsim_driver *driver, gsim_event e), (f->below, e))
PASS(event_record, (struct gsim_driver *driver, gsim_event e, gsim_stream s), (f->below, e, s))
PASS(stream_wait_event, (struct gsim_driver *driver, gsim_stream s, gsim_event e), (f->below, s, e))
PASS(event_synchronize, (struct gsim_driver *driver, gsim_event e), (f->below, e))
PASS(launch, (struct gsim_driver *driver, const struct gsim_op *op, gsim_stream s), (f->below, op, s))
PASS(memcpy_async, (struct gsim_driver *driver, const struct gsim_op *op, gsim_stream s), (f->below, op, s))
PASS(prefetch_async, (struct gsim_driver *driver, const struct gsim_op *op, gsim_stream s), (f->below, op, s))
PASS(stream_attach, (struct gsim_driver *driver, uint32_t buffer_index, gsim_stream s), (f->below, buffer_index, s))
PASS(host_access, (struct gsim_driver *driver, const struct gsim_op *op), (f->below, op))
PASS(host_work, (struct gsim_driver *driver, double us, const char *what), (f->below, us, what))
PASS(graph_destroy, (struct gsim_driver *driver, gsim_graph g), (f->below, g))
PASS(capture_begin, (struct gsim_driver *driver, gsim_stream s), (f->below, s))
PASS(graph_launch, (struct gsim_driver *driver, gsim_graph_exec x, gsim_stream s), (f->below, x, s))
PASS(graph_exec_destroy, (struct gsim_driver *driver, gsim_graph_exec x), (f->below, x))
PASS(thread_join, (struct gsim_driver *driver, gsim_thread t), (f->below, t))
PASS(lock_acquire, (struct gsim_driver *driver, gsim_lock l), (f->below, l))
PASS(lock_release, (struct gsim_driver *driver, gsim_lock l), (f->below, l))
PASS(queue_push, (struct gsim_driver *driver, gsim_queue q, void *item), (f->below, q, item))
PASS(iteration_begin, (struct gsim_driver *driver, uint32_t i), (f->below, i))
PASS(iteration_end, (struct gsim_driver *driver, uint32_t i), (f->below, i))
PASS(stream_gate, (struct gsim_driver *driver, gsim_stream s, uint64_t count), (f->below, s, count))
PASS(device_set, (struct gsim_driver *driver, uint32_t device), (f->below, device))
PASS(peer_enable, (struct gsim_driver *driver, uint32_t peer), (f->below, peer))
PASS(persistent_launch, (struct gsim_driver *driver, const struct gsim_persistent *plan, gsim_stream s), (f->below, plan, s))
PASS(memcpy_peer_async, (struct gsim_driver *driver, const struct gsim_op *op, gsim_stream s), (f->below, op, s))
PASS(stream_open, (struct gsim_driver *driver, gsim_stream s, uint64_t count), (f->below, s, count))
PASS(frontend_set, (struct gsim_driver *driver, const struct gsim_frontend_ops *ops, void *policy), (f->below, ops, policy))
PASS(launch_noted, (struct gsim_driver *driver, const struct gsim_op *op, gsim_stream s, const void *note), (f->below, op, s, note))
PASS(figure, (struct gsim_driver *driver, const char *name, const char *unit, double value), (f->below, name, unit, value))
PASS_RESULT(gsim_stream, stream_create, (struct gsim_driver *driver, int priority), (f->below, priority))
PASS_RESULT(bool, stream_query, (struct gsim_driver *driver, gsim_stream s), (f->below, s))
PASS_RESULT(gsim_event, event_create, (struct gsim_driver *driver, enum gsim_event_flags flags), (f->below, flags))
PASS_RESULT(bool, event_query, (struct gsim_driver *driver, gsim_event e), (f->below, e))
PASS_RESULT(gsim_graph, graph_create, (struct gsim_driver *driver), (f->below))
PASS_RESULT(gsim_graph_node, graph_add, (struct gsim_driver *driver, gsim_graph g, const struct gsim_op *op, const gsim_graph_node *after, uint32_t count),
            (f->below, g, op, after, count))
PASS_RESULT(gsim_graph, capture_end, (struct gsim_driver *driver, gsim_stream s), (f->below, s))
PASS_RESULT(gsim_graph_exec, graph_instantiate, (struct gsim_driver *driver, gsim_graph g), (f->below, g))
PASS_RESULT(gsim_lock, lock_create, (struct gsim_driver *driver), (f->below))
PASS_RESULT(gsim_queue, queue_create, (struct gsim_driver *driver, uint32_t capacity), (f->below, capacity))
PASS_RESULT(void *, queue_pop, (struct gsim_driver *driver, gsim_queue q), (f->below, q))
PASS_RESULT(double, now_us, (struct gsim_driver *driver), (f->below))
PASS_RESULT(uint32_t, device_count, (struct gsim_driver *driver), (f->below))
PASS_RESULT(uint32_t, wait_any, (struct gsim_driver *driver, const struct gsim_waitable *list, uint32_t count, double timeout_us),
            (f->below, list, count, timeout_us))
PASS_RESULT(bool, queue_try_pop, (struct gsim_driver *driver, gsim_queue q, void **item), (f->below, q, item))

/* --- bodies ------------------------------------------------------------------------------------------------- */

struct body {
    struct gsim_forward *forward;
    void (*function)(struct gsim_driver *, void *);
    void *argument;
};

static void call_body(struct gsim_driver *below, void *argument)
{
    struct body *body = argument;
    (void)below;
    body->function(&body->forward->driver, body->argument);
    gsim_free(body);
}

static struct body *new_body(struct gsim_forward *f, void (*function)(struct gsim_driver *, void *), void *argument)
{
    struct body *body = gsim_driver_failed(f->below) ? NULL : gsim_alloc(sizeof *body);
    if (body)
        *body = (struct body){f, function, argument};
    else if (!gsim_driver_failed(f->below))
        gsim_error_set(&f->below->error, GSIM_NOMEM, "out of memory");
    return body;
}

static gsim_thread pass_thread_create(struct gsim_driver *driver, void (*function)(struct gsim_driver *, void *), void *argument)
{
    struct gsim_forward *f = forward(driver);
    struct body *body = new_body(f, function, argument);
    gsim_thread thread = body ? f->below->ops->thread_create(f->below, call_body, body) : 0;
    if (!thread) gsim_free(body);
    see_failure(f);
    return thread;
}

static void pass_launch_host_func(struct gsim_driver *driver, void (*function)(struct gsim_driver *, void *), void *argument, gsim_stream s)
{
    struct gsim_forward *f = forward(driver);
    struct body *body = new_body(f, function, argument);
    if (body) f->below->ops->launch_host_func(f->below, call_body, body, s);
    see_failure(f);
}

/* --- the table ---------------------------------------------------------------------------------------------- */

void gsim_forward_init(struct gsim_forward *f, struct gsim_driver *below)
{
    const struct gsim_driver_ops *ops = below->ops;
    *f = (struct gsim_forward){.below = below};
    f->ops = (struct gsim_driver_ops){
        .abi = GSIM_ABI,
        .size = sizeof(struct gsim_driver_ops),
        .name = ops->name,
        .stream_destroy = pass_stream_destroy,
        .stream_synchronize = pass_stream_synchronize,
        .device_synchronize = pass_device_synchronize,
        .event_destroy = pass_event_destroy,
        .event_record = pass_event_record,
        .stream_wait_event = pass_stream_wait_event,
        .event_synchronize = pass_event_synchronize,
        .launch = pass_launch,
        .memcpy_async = pass_memcpy_async,
        .prefetch_async = pass_prefetch_async,
        .stream_attach = pass_stream_attach,
        .host_access = pass_host_access,
        .host_work = pass_host_work,
        .graph_destroy = pass_graph_destroy,
        .capture_begin = pass_capture_begin,
        .graph_launch = pass_graph_launch,
        .graph_exec_destroy = pass_graph_exec_destroy,
        .thread_join = pass_thread_join,
        .lock_acquire = pass_lock_acquire,
        .lock_release = pass_lock_release,
        .queue_push = pass_queue_push,
        .iteration_begin = pass_iteration_begin,
        .iteration_end = pass_iteration_end,
        .stream_gate = ops->stream_gate ? pass_stream_gate : NULL,
        .stream_open = ops->stream_open ? pass_stream_open : NULL,
        .stream_create = pass_stream_create,
        .stream_query = pass_stream_query,
        .event_create = pass_event_create,
        .event_query = pass_event_query,
        .graph_create = pass_graph_create,
        .graph_add = pass_graph_add,
        .capture_end = pass_capture_end,
        .graph_instantiate = pass_graph_instantiate,
        .lock_create = pass_lock_create,
        .queue_create = pass_queue_create,
        .queue_pop = pass_queue_pop,
        .now_us = pass_now_us,
        .wait_any = ops->wait_any ? pass_wait_any : NULL,
        .queue_try_pop = ops->queue_try_pop ? pass_queue_try_pop : NULL,
        .thread_create = pass_thread_create,
        .launch_host_func = ops->launch_host_func ? pass_launch_host_func : NULL,
        .device_count = ops->device_count ? pass_device_count : NULL,
        .device_set = ops->device_set ? pass_device_set : NULL,
        .peer_enable = ops->peer_enable ? pass_peer_enable : NULL,
        .frontend_set = ops->frontend_set ? pass_frontend_set : NULL,
        .launch_noted = ops->launch_noted ? pass_launch_noted : NULL,
        .figure = ops->figure ? pass_figure : NULL,
        .memcpy_peer_async = ops->memcpy_peer_async ? pass_memcpy_peer_async : NULL,
        .persistent_launch = ops->persistent_launch ? pass_persistent_launch : NULL,
    };
    f->driver.ops = &f->ops;
}
