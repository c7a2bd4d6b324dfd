/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The driver that forwards every call (include/gpusim/driver.h). Bodies of threads and host functions get the driver of
 * the client that started them, so their calls take the same way.
 */
#include "gpusim/driver.h"
#include "gpusim/memory.h"

static struct gsim_forward *forward(struct gsim_driver *driver) { return (struct gsim_forward *)driver; }

/* The first failure below is the client's too. */
static void see_failure(struct gsim_forward *f)
{
    if (gsim_driver_failed(f->below) && !gsim_driver_failed(&f->driver)) f->driver.error = f->below->error;
}

/* --- bodies ------------------------------------------------------------------------------------------------- */

struct body {
    struct gsim_forward *forward;
    gsim_body function;
    void *argument;
};

static void call_body(struct gsim_driver *below, void *argument)
{
    struct body *body = argument;
    (void)below;
    body->function(&body->forward->driver, body->argument);
    gsim_free(body);
}

static struct body *new_body(struct gsim_forward *f, gsim_body function, void *argument)
{
    struct body *body = gsim_driver_failed(f->below) ? NULL : gsim_alloc(sizeof *body);
    if (body)
        *body = (struct body){f, function, argument};
    else if (!gsim_driver_failed(f->below)) gsim_no_memory(&f->below->error);
    return body;
}

static gsim_thread start_thread(struct gsim_driver *driver, gsim_body function, void *argument)
{
    struct gsim_forward *f = forward(driver);
    struct body *body = new_body(f, function, argument);
    gsim_thread thread = body ? f->below->ops->thread_create(f->below, call_body, body) : 0;
    if (!thread) gsim_free(body);
    see_failure(f);
    return thread;
}

static void start_host_func(struct gsim_driver *driver, gsim_body function, void *argument, gsim_stream s)
{
    struct gsim_forward *f = forward(driver);
    struct body *body = new_body(f, function, argument);
    if (body) f->below->ops->launch_host_func(f->below, call_body, body, s);
    see_failure(f);
}

/* --- the table ---------------------------------------------------------------------------------------------- */

#define GSIM_DO(name, parameters, arguments)   \
    static void pass_##name parameters         \
    {                                          \
        struct gsim_forward *self = forward(d);\
        d = self->below;                       \
        d->ops->name arguments;                \
        see_failure(self);                     \
    }
#define GSIM_CALL(type, name, parameters, arguments) \
    static type pass_##name parameters               \
    {                                                \
        struct gsim_forward *self = forward(d);      \
        d = self->below;                             \
        type result = d->ops->name arguments;        \
        see_failure(self);                           \
        return result;                               \
    }
#include "gpusim/driver.def"

void gsim_forward_init(struct gsim_forward *f, struct gsim_driver *below)
{
    const struct gsim_driver_ops *ops = below->ops;
    *f = (struct gsim_forward){.below = below};
    f->ops = (struct gsim_driver_ops){
        GSIM_HEAD(driver),
        .name = ops->name,
#define GSIM_DO(name, parameters, arguments)         .name = ops->name ? pass_##name : NULL,
#define GSIM_CALL(type, name, parameters, arguments) .name = ops->name ? pass_##name : NULL,
#include "gpusim/driver.def"
    };
    if (ops->thread_create) f->ops.thread_create = start_thread;
    if (ops->launch_host_func) f->ops.launch_host_func = start_host_func;
    f->driver.ops = &f->ops;
}
