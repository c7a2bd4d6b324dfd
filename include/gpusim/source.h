/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). A source is a program that is not known in advance. It draws ops one after another while they
 * run, so the next op may depend on the time or on a value that the host has read, which the source models.
 * Implementations live in workloads/sources/, one file each, or in shared objects. On the command line it is a
 * workload; its parameters are --opt NAME.PARAMETER=VALUE, its seed is --seed.
 *
 * Order of calls in one run:
 *   open    before the run. May make buffers and kernels
 *   next    the scheduler wants an op; called on the host thread that draws, takes no simulated time. All host ops
 *           drawn before are done, so the values they read are known, at gsim_draw_now_us()
 *   done    a kernel or copy has ended on the device. Host threads run ahead of the device, so only the ends that a
 *           host op waited for are certain to have been told
 *   arrived a request of its task has come (include/gpusim/task.h); called before next(), at the latest when the source
 *           waits
 *   close   after the run, also after a failure
 * A source without arrived() is one request of its task. With arrived() it serves all requests: gsim_draw_served().
 */
#pragma once

#include "gpusim/params.h"
#include "gpusim/program.h"
#include "gpusim/random.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_draw; /* a source while it draws */

enum gsim_source_answer {
    GSIM_SOURCE_OP,  /* *OP is the next op */
    GSIM_SOURCE_END, /* the program has ended */
    GSIM_SOURCE_WAIT, /* no op until the next request; if none can come, the program has ended */
};

struct gsim_source_ops {
    uint32_t abi;         /* GSIM_ABI */
    size_t size;          /* sizeof(struct gsim_source_ops) */
    const char *name;     /* what users type */
    const char *summary;  /* one line */
    const char *help;     /* the graph, and the source of its numbers */
    size_t params_size, state_size;
    const struct gsim_param *params; /* NULL: none */
    /* STATE is zeroed and does not move. NUMBERS are seeded from --seed and valid until close(). */
    enum gsim_status (*open)(void *state, const void *params, const struct gsim_random *numbers, struct gsim_draw *draw,
                             struct gsim_error *error);
    /* Sets *OP, zeroed but for stream -1. Its pointers need be valid only until the next call. Its number is the count
     * of ops drawn before. */
    enum gsim_source_answer (*next)(void *state, struct gsim_draw *draw, struct gsim_op *op);
    void (*done)(void *state, const struct gsim_op *op, double now_us); /* may be NULL */
    void (*close)(void *state);                                         /* may be NULL */
    /* NULL: the source is one request. */
    void (*arrived)(void *state, struct gsim_draw *draw, uint32_t request, double at_us);
};

/* Symbol that a shared object exports. */
extern const struct gsim_source_ops gsim_source;

/* Most ops back that "after" of an op may reach. */
#define GSIM_SOURCE_AFTER 1024

/* Adds a buffer and returns its index. UINT32_MAX: no room, and the run has failed. */
uint32_t gsim_draw_buffer(struct gsim_draw *draw, const char *name, uint64_t bytes, enum gsim_buffer_init init);
/* Frees the buffer's memory and index once the ops drawn so far have ended. Later ops may not use it. */
void gsim_draw_free(struct gsim_draw *draw, uint32_t buffer);
/* Returns the index of KERNEL or of an equal one, valid for the next op. UINT32_MAX: the device cannot execute it, and
 * the run has failed. */
uint32_t gsim_draw_kernel(struct gsim_draw *draw, const struct gsim_kernel *kernel);
/* Returns the time of the drawing host thread; 0 in open(). */
double gsim_draw_now_us(const struct gsim_draw *draw);
/* Ends a request that the source began at BEGUN_US, once its host ops are done. Call it once for each. */
void gsim_draw_served(struct gsim_draw *draw, uint32_t request, double begun_us);
/* Fails the run. */
void gsim_draw_fail(struct gsim_draw *draw, enum gsim_status status, const char *format, ...) GSIM_PRINTF(3, 4);

/* workloads/sources/registry.c */
const struct gsim_source_ops *gsim_source_find(const char *name);
const struct gsim_source_ops *gsim_source_at(uint32_t index); /* NULL at the end */
/* Loads the shared object PATH, which exports "const struct gsim_source_ops gsim_source". It stays loaded. */
enum gsim_status gsim_source_load(const char *path, const struct gsim_source_ops **ops,
                                  struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
