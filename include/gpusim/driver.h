/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. The CUDA-like calls that schedulers make, as a table of functions with two backends: the
 * simulator (sim/host/driver.c) and real CUDA (traces/runner/). The same scheduler source runs on both.
 *
 * Every call is made by a host thread, takes host time on it (the device file's host section), and, like
 * CUDA, only enqueues unless its name says synchronise, query or read. Errors are sticky: after the first
 * one, calls do nothing and return 0; gsim_driver_error() tells. So schedulers check once, at the end.
 * Handles are small integers; 0 is the legacy default stream, and "none" for events, graphs and threads.
 */
#ifndef GSIM_DRIVER_H
#define GSIM_DRIVER_H

#include "gpusim/frontend.h"
#include "gpusim/persistent.h"
#include "gpusim/program.h"
#include "gpusim/units.h"

GSIM_DECLARATIONS_BEGIN

typedef uint32_t gsim_stream;
typedef uint32_t gsim_event;
typedef uint32_t gsim_graph;
typedef uint32_t gsim_graph_node;
typedef uint32_t gsim_graph_exec;
typedef uint32_t gsim_thread;
typedef uint32_t gsim_lock;
typedef uint32_t gsim_queue;

/* What a thread can wait for beside other things. */
enum gsim_waitable_kind {
    GSIM_WAITABLE_EVENT,  /* its latest recording is complete */
    GSIM_WAITABLE_STREAM, /* all work enqueued in it before the wait is complete */
    GSIM_WAITABLE_QUEUE,  /* it holds an item */
};
struct gsim_waitable {
    enum gsim_waitable_kind kind;
    uint32_t handle;
};

enum gsim_event_flags { GSIM_EVENT_TIMING = 0, GSIM_EVENT_NO_TIMING = 1 };

struct gsim_driver;

/* The backend's half. A backend embeds struct gsim_driver first in its own state. */
struct gsim_driver_ops {
    uint32_t abi; /* GSIM_ABI */
    size_t size;  /* sizeof(struct gsim_driver_ops) */
    const char *name; /* "sim", "cuda" */
    gsim_stream (*stream_create)(struct gsim_driver *, int priority);
    void (*stream_destroy)(struct gsim_driver *, gsim_stream);
    void (*stream_synchronize)(struct gsim_driver *, gsim_stream);
    bool (*stream_query)(struct gsim_driver *, gsim_stream);
    void (*device_synchronize)(struct gsim_driver *);

    gsim_event (*event_create)(struct gsim_driver *, enum gsim_event_flags);
    void (*event_destroy)(struct gsim_driver *, gsim_event);
    void (*event_record)(struct gsim_driver *, gsim_event, gsim_stream);
    void (*stream_wait_event)(struct gsim_driver *, gsim_stream, gsim_event);
    void (*event_synchronize)(struct gsim_driver *, gsim_event);
    bool (*event_query)(struct gsim_driver *, gsim_event);

    void (*launch)(struct gsim_driver *, const struct gsim_op *, gsim_stream);
    void (*memcpy_async)(struct gsim_driver *, const struct gsim_op *, gsim_stream);
    void (*prefetch_async)(struct gsim_driver *, const struct gsim_op *, gsim_stream);
    void (*stream_attach)(struct gsim_driver *, uint32_t buffer_index, gsim_stream);
    void (*host_access)(struct gsim_driver *, const struct gsim_op *);
    void (*host_work)(struct gsim_driver *, double us, const char *what);

    gsim_graph (*graph_create)(struct gsim_driver *);
    gsim_graph_node (*graph_add)(struct gsim_driver *, gsim_graph, const struct gsim_op *, const gsim_graph_node *,
                                 uint32_t dependence_count);
    void (*graph_destroy)(struct gsim_driver *, gsim_graph);
    void (*capture_begin)(struct gsim_driver *, gsim_stream);
    gsim_graph (*capture_end)(struct gsim_driver *, gsim_stream);
    gsim_graph_exec (*graph_instantiate)(struct gsim_driver *, gsim_graph);
    void (*graph_launch)(struct gsim_driver *, gsim_graph_exec, gsim_stream);
    void (*graph_exec_destroy)(struct gsim_driver *, gsim_graph_exec);

    gsim_thread (*thread_create)(struct gsim_driver *, void (*body)(struct gsim_driver *, void *), void *argument);
    void (*thread_join)(struct gsim_driver *, gsim_thread);
    gsim_lock (*lock_create)(struct gsim_driver *);
    void (*lock_acquire)(struct gsim_driver *, gsim_lock);
    void (*lock_release)(struct gsim_driver *, gsim_lock);
    gsim_queue (*queue_create)(struct gsim_driver *, uint32_t capacity);
    void (*queue_push)(struct gsim_driver *, gsim_queue, void *item);
    void *(*queue_pop)(struct gsim_driver *, gsim_queue);

    void (*iteration_begin)(struct gsim_driver *, uint32_t iteration);
    void (*iteration_end)(struct gsim_driver *, uint32_t iteration);
    double (*now_us)(struct gsim_driver *);

    /* Optional: NULL where the backend has no such call (GSIM_DRIVER_HAS). */
    uint32_t (*wait_any)(struct gsim_driver *, const struct gsim_waitable *, uint32_t count, double timeout_us);
    bool (*queue_try_pop)(struct gsim_driver *, gsim_queue, void **item);
    void (*launch_host_func)(struct gsim_driver *, void (*body)(struct gsim_driver *, void *), void *argument, gsim_stream);
    void (*stream_gate)(struct gsim_driver *, gsim_stream, uint64_t count);
    void (*stream_open)(struct gsim_driver *, gsim_stream, uint64_t count);
    uint32_t (*device_count)(struct gsim_driver *);
    void (*device_set)(struct gsim_driver *, uint32_t device);
    void (*peer_enable)(struct gsim_driver *, uint32_t peer);
    void (*memcpy_peer_async)(struct gsim_driver *, const struct gsim_op *, gsim_stream);
    void (*persistent_launch)(struct gsim_driver *, const struct gsim_persistent *, gsim_stream);
    void (*frontend_set)(struct gsim_driver *, const struct gsim_frontend_ops *, void *policy);
    void (*launch_noted)(struct gsim_driver *, const struct gsim_op *, gsim_stream, const void *note);
    void (*figure)(struct gsim_driver *, const char *name, const char *unit, double value);
};

struct gsim_driver {
    const struct gsim_driver_ops *ops;
    struct gsim_error error; /* the first failure; sticky */
};

/* Whether the backend has the optional call NAME: GSIM_DRIVER_HAS(driver, wait_any). */
#define GSIM_DRIVER_HAS(driver, name) ((driver)->ops->name != NULL)

static inline bool gsim_driver_failed(const struct gsim_driver *driver) { return driver->error.status != GSIM_OK; }

/* --- streams: cudaStreamCreateWithPriority (lower number = more urgent, 0 default), ... ------------- */
static inline gsim_stream gsim_stream_create(struct gsim_driver *d, int priority) { return d->ops->stream_create(d, priority); }
static inline void gsim_stream_destroy(struct gsim_driver *d, gsim_stream s) { d->ops->stream_destroy(d, s); }
/* Returns when all work enqueued in the stream so far is complete. */
static inline void gsim_stream_synchronize(struct gsim_driver *d, gsim_stream s) { d->ops->stream_synchronize(d, s); }
static inline bool gsim_stream_query(struct gsim_driver *d, gsim_stream s) { return d->ops->stream_query(d, s); }
static inline void gsim_device_synchronize(struct gsim_driver *d) { d->ops->device_synchronize(d); }

/* --- events: an event that was never recorded is complete ------------------------------------------- */
static inline gsim_event gsim_event_create(struct gsim_driver *d, enum gsim_event_flags f) { return d->ops->event_create(d, f); }
static inline void gsim_event_destroy(struct gsim_driver *d, gsim_event e) { d->ops->event_destroy(d, e); }
static inline void gsim_event_record(struct gsim_driver *d, gsim_event e, gsim_stream s) { d->ops->event_record(d, e, s); }
static inline void gsim_stream_wait_event(struct gsim_driver *d, gsim_stream s, gsim_event e) { d->ops->stream_wait_event(d, s, e); }
static inline void gsim_event_synchronize(struct gsim_driver *d, gsim_event e) { d->ops->event_synchronize(d, e); }
static inline bool gsim_event_query(struct gsim_driver *d, gsim_event e) { return d->ops->event_query(d, e); }

/* --- work: OP is an op of the program or one that a lowering made; it must outlive the run ----------- */
/* cudaLaunchKernel of a GSIM_OP_KERNEL. Blocks the thread while the launch queue is full. */
static inline void gsim_launch(struct gsim_driver *d, const struct gsim_op *op, gsim_stream s) { d->ops->launch(d, op, s); }
/* cudaMemcpyAsync of a GSIM_OP_COPY; with pageable memory it returns when the data has left. */
static inline void gsim_memcpy_async(struct gsim_driver *d, const struct gsim_op *op, gsim_stream s) { d->ops->memcpy_async(d, op, s); }
/* cudaMemPrefetchAsync of the op's buffer to the device; ignored where memory is not managed. */
static inline void gsim_prefetch_async(struct gsim_driver *d, const struct gsim_op *op, gsim_stream s) { d->ops->prefetch_async(d, op, s); }
static inline void gsim_stream_attach(struct gsim_driver *d, uint32_t buffer_index, gsim_stream s) { d->ops->stream_attach(d, buffer_index, s); }
/* The host reads or writes a managed buffer (GSIM_OP_HOST_READ, GSIM_OP_HOST_WRITE): device-resident data
 * migrates back. The caller has synchronised first. Untimed writes cost nothing. */
static inline void gsim_host_access(struct gsim_driver *d, const struct gsim_op *op) { d->ops->host_access(d, op); }
/* Host computation, runtime bookkeeping, scheduling decisions: US of this thread's time. */
static inline void gsim_host_work(struct gsim_driver *d, double us, const char *what) { d->ops->host_work(d, us, what); }

/* --- graphs: explicit (create, add) or by capture; kernels, copies and prefetches can be nodes --------- */
static inline gsim_graph gsim_graph_create(struct gsim_driver *d) { return d->ops->graph_create(d); }
/* Nodes are numbered 0, 1, ... in the order they are added. */
static inline gsim_graph_node gsim_graph_add(struct gsim_driver *d, gsim_graph g, const struct gsim_op *op,
                                             const gsim_graph_node *dependences, uint32_t dependence_count)
{
    return d->ops->graph_add(d, g, op, dependences, dependence_count);
}
static inline void gsim_graph_destroy(struct gsim_driver *d, gsim_graph g) { d->ops->graph_destroy(d, g); }
/* From here calls on STREAM, and on streams that wait for an event recorded in the capture, become nodes. */
static inline void gsim_capture_begin(struct gsim_driver *d, gsim_stream s) { d->ops->capture_begin(d, s); }
static inline gsim_graph gsim_capture_end(struct gsim_driver *d, gsim_stream s) { return d->ops->capture_end(d, s); }
static inline gsim_graph_exec gsim_graph_instantiate(struct gsim_driver *d, gsim_graph g) { return d->ops->graph_instantiate(d, g); }
/* The launch is one op of the stream: complete when all nodes are. */
static inline void gsim_graph_launch(struct gsim_driver *d, gsim_graph_exec e, gsim_stream s) { d->ops->graph_launch(d, e, s); }
static inline void gsim_graph_exec_destroy(struct gsim_driver *d, gsim_graph_exec e) { d->ops->graph_exec_destroy(d, e); }

/* --- host threads: BODY runs as another simulated thread; locks are FIFO ------------------------------ */
static inline gsim_thread gsim_thread_create(struct gsim_driver *d, void (*body)(struct gsim_driver *, void *), void *argument)
{
    return d->ops->thread_create(d, body, argument);
}
static inline void gsim_thread_join(struct gsim_driver *d, gsim_thread t) { d->ops->thread_join(d, t); }
static inline gsim_lock gsim_lock_create(struct gsim_driver *d) { return d->ops->lock_create(d); }
static inline void gsim_lock_acquire(struct gsim_driver *d, gsim_lock l) { d->ops->lock_acquire(d, l); }
static inline void gsim_lock_release(struct gsim_driver *d, gsim_lock l) { d->ops->lock_release(d, l); }
static inline gsim_queue gsim_queue_create(struct gsim_driver *d, uint32_t capacity) { return d->ops->queue_create(d, capacity); }
/* push blocks while the queue is full, pop while it is empty. */
static inline void gsim_queue_push(struct gsim_driver *d, gsim_queue q, void *item) { d->ops->queue_push(d, q, item); }
static inline void *gsim_queue_pop(struct gsim_driver *d, gsim_queue q) { return d->ops->queue_pop(d, q); }

/* False, and *ITEM stays, where the queue is empty. Never blocks. Optional. */
static inline bool gsim_queue_try_pop(struct gsim_driver *d, gsim_queue q, void **item) { return d->ops->queue_try_pop(d, q, item); }

/* --- several GPUs: optional --------------------------------------------------------------------------- */
/* GPUs that the process sees; 1 where the backend knows no more. */
static inline uint32_t gsim_device_count(struct gsim_driver *d) { return GSIM_DRIVER_HAS(d, device_count) ? d->ops->device_count(d) : 1; }
/* cudaSetDevice, for all threads. New streams are on the current device, gsim_device_synchronize waits for its work, host
 * accesses are to its memory; a call with a stream is for that stream's device. At first 0. Stream 0 is on device 0. */
static inline void gsim_device_set(struct gsim_driver *d, uint32_t device) { d->ops->device_set(d, device); }
/* cudaDeviceEnablePeerAccess: copies between the current device and PEER, either way, go by their own link where they have one. */
static inline void gsim_peer_enable(struct gsim_driver *d, uint32_t peer) { d->ops->peer_enable(d, peer); }
/* cudaMemcpyPeerAsync of a GSIM_COPY_P2P from op->device, which the stream is on, to op->to_device. */
static inline void gsim_memcpy_peer_async(struct gsim_driver *d, const struct gsim_op *op, gsim_stream s) { d->ops->memcpy_peer_async(d, op, s); }

/* --- waiting for whatever comes first, host functions, gates: optional ---------------------------------- */
#define GSIM_NO_TIMEOUT (-1.0)
/* Polls the COUNT waitables, in rounds, and returns the first in the list that a round found fulfilled; COUNT after a round
 * that ended TIMEOUT_US or more after the call. */
static inline uint32_t gsim_wait_any(struct gsim_driver *d, const struct gsim_waitable *list, uint32_t count, double timeout_us)
{
    return d->ops->wait_any(d, list, count, timeout_us);
}
/* cudaLaunchHostFunc: BODY runs on a host thread of its own once the stream's earlier work is complete, and later work waits for
 * its end. It may make no call that is CUDA's: host work, locks and queues only. */
static inline void gsim_launch_host_func(struct gsim_driver *d, void (*body)(struct gsim_driver *, void *), void *argument, gsim_stream s)
{
    d->ops->launch_host_func(d, body, argument, s);
}
/* cuStreamWaitValue64: what is enqueued from here waits until the stream has been opened to COUNT or more, and so does who
 * synchronises with it. A stream begins at 0. */
static inline void gsim_stream_gate(struct gsim_driver *d, gsim_stream s, uint64_t count) { d->ops->stream_gate(d, s, count); }
/* The host writes COUNT where the stream's gates look. Never lower than before. */
static inline void gsim_stream_open(struct gsim_driver *d, gsim_stream s, uint64_t count) { d->ops->stream_open(d, s, count); }

/* --- persistent kernels: optional ----------------------------------------------------------------------- */
/* Launches a kernel that does all of PLAN's tasks; PLAN must outlive it. A second one on the device waits for the first one's end. */
static inline void gsim_persistent_launch(struct gsim_driver *d, const struct gsim_persistent *plan, gsim_stream s)
{
    d->ops->persistent_launch(d, plan, s);
}

/* --- a policy in the front end: optional; no GPU that can be bought has one -------------------------------- */
/* The current device's front end asks POLICY about the caller's launches from now on (gpusim/frontend.h). Before there are any. */
static inline void gsim_frontend_set(struct gsim_driver *d, const struct gsim_frontend_ops *ops, void *policy) { d->ops->frontend_set(d, ops, policy); }
/* gsim_launch with something for the policy, which must outlive the kernel. */
static inline void gsim_launch_noted(struct gsim_driver *d, const struct gsim_op *op, gsim_stream s, const void *note)
{
    d->ops->launch_noted(d, op, s, note);
}

/* --- bookkeeping ---------------------------------------------------------------------------------------- */
/* Opens and closes one timed iteration. begin also resets what the untimed host writes of the program cover. */
static inline void gsim_iteration_begin(struct gsim_driver *d, uint32_t i) { d->ops->iteration_begin(d, i); }
static inline void gsim_iteration_end(struct gsim_driver *d, uint32_t i) { d->ops->iteration_end(d, i); }
static inline double gsim_now_us(struct gsim_driver *d) { return d->ops->now_us(d); }

/* What the policy has to say of its run, for the reports: NAME and UNIT are kept, not copied. Takes no time; one of the same
 * name replaces it. Optional: without it the figure is lost. */
static inline void gsim_figure(struct gsim_driver *d, const char *name, const char *unit, double value)
{
    if (GSIM_DRIVER_HAS(d, figure)) d->ops->figure(d, name, unit, value);
}

/* --- drivers on drivers ------------------------------------------------------------------------------------ */
/* A driver that passes every call on to another one. A policy embeds it first in its own state, replaces the calls that it
 * wants to see in OPS, and makes its own on BELOW; it holds launches back with gates. */
struct gsim_forward {
    struct gsim_driver driver;  /* what the client sees */
    struct gsim_driver_ops ops; /* of that; optional calls are there where BELOW has them */
    struct gsim_driver *below;
};
/* sim/host/forward.c. BELOW must outlive it. The first failure of BELOW is the client's after its next call. */
void gsim_forward_init(struct gsim_forward *forward, struct gsim_driver *below);

GSIM_DECLARATIONS_END

#endif
