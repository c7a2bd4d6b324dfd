/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: include. The CUDA-like calls that schedulers make, as a table of functions with two backends: the
 * simulator (sim/host/driver.c) and real CUDA (traces/runner/). The same scheduler source runs on both.
 *
 * Every call is made by a host thread, takes host time on it (the device file's host section), and, like
 * CUDA, only enqueues unless its name says synchronise, query or read. Errors are sticky: after the first
 * one, calls do nothing and return 0, and driver->error says why. So schedulers check once, at the end.
 * Handles are small integers; 0 is the legacy default stream, and "none" for events, graphs and threads.
 */
#pragma once

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

/* An argument of gsim_wait_any(). */
enum gsim_waitable_kind {
    GSIM_WAITABLE_EVENT,  /* its latest recording is complete */
    GSIM_WAITABLE_STREAM, /* all work enqueued before the wait is complete */
    GSIM_WAITABLE_QUEUE,  /* it holds an item */
};
struct gsim_waitable {
    enum gsim_waitable_kind kind;
    uint32_t handle;
};

enum gsim_event_flags { GSIM_EVENT_TIMING = 0, GSIM_EVENT_NO_TIMING = 1 };

struct gsim_driver;
typedef void (*gsim_body)(struct gsim_driver *, void *argument); /* body of a thread or of a host function */

/* The backend's half. A backend embeds struct gsim_driver first in its own state. The calls: gpusim/driver.def. */
struct gsim_driver_ops {
    uint32_t abi; /* GSIM_ABI */
    size_t size;  /* sizeof(struct gsim_driver_ops) */
    const char *name; /* "sim", "cuda" */
#define GSIM_CALL(type, name, parameters, arguments) type (*name) parameters;
#define GSIM_DO(name, parameters, arguments)         void (*name) parameters;
#include "gpusim/driver.def"
};

struct gsim_driver {
    const struct gsim_driver_ops *ops;
    struct gsim_error error; /* the first failure; sticky */
};

/* Whether the backend has the optional call NAME: GSIM_DRIVER_HAS(driver, wait_any). */
#define GSIM_DRIVER_HAS(driver, name) ((driver)->ops->name != NULL)
#define GSIM_NO_TIMEOUT               (-1.0)

static inline bool gsim_driver_failed(const struct gsim_driver *driver) { return driver->error.status != GSIM_OK; }

/* The functions gsim_NAME(). */
#define GSIM_CALL(type, name, parameters, arguments) \
    static inline type gsim_##name parameters { return d->ops->name arguments; }
#define GSIM_DO(name, parameters, arguments) \
    static inline void gsim_##name parameters { d->ops->name arguments; }
#define GSIM_CALL_OR(otherwise, type, name, parameters, arguments) \
    static inline type gsim_##name parameters { return d->ops->name ? d->ops->name arguments : otherwise; }
#define GSIM_DO_IF(name, parameters, arguments)       \
    static inline void gsim_##name parameters         \
    {                                                 \
        if (d->ops->name) d->ops->name arguments;     \
    }
#include "gpusim/driver.def"

/* --- drivers on drivers ------------------------------------------------------------------------------------ */
/* A driver that forwards every call to the driver BELOW. A policy embeds it first in its state, replaces calls in OPS,
 * and makes its own calls on BELOW. It delays launches by gates. */
struct gsim_forward {
    struct gsim_driver driver;  /* the client's driver */
    struct gsim_driver_ops ops; /* its calls; optional ones if BELOW has them */
    struct gsim_driver *below;
};
/* Makes FORWARD pass all calls to BELOW, which must outlive it (sim/host/forward.c). The client sees a failure of BELOW
 * after its next call. */
void gsim_forward_init(struct gsim_forward *forward, struct gsim_driver *below);

GSIM_DECLARATIONS_END
