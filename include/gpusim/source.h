/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). What a source is: a program that is not known in advance. Its ops are drawn one after another
 * while it runs, and so what the host does next may depend on what it has seen: the time, or a value that a host read
 * brought, which the source's own model makes up. Implementations live in workloads/sources/, one file each, or in
 * shared objects. On the command line a source is a workload whose numbers are --opt NAME.NUMBER=VALUE, and whose seed
 * is --seed.
 *
 * Order of calls in one run:
 *   open    before the run. May make buffers and kernels
 *   next    as often as a scheduler wants an op, on the host thread that draws; no simulated time passes in it. When it
 *           is called, all host ops drawn before are done: what a host read brings is known, and gsim_draw_now_us() is
 *           when
 *   done    a kernel or copy has ended on the device. Threads run ahead of the machine: it is certain to have been
 *           called for what a host op waited for, and for nothing else
 *   arrived in a task, when a request of it has come (include/gpusim/task.h): before next(), at the latest when the
 *           source waits
 *   close   after the run, also where it failed
 * A source without arrived() is one request of its task. One with it serves all of them: gsim_draw_served().
 */
#pragma once

#include "gpusim/params.h"
#include "gpusim/program.h"
#include "gpusim/random.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_draw; /* a program while it is drawn */

enum gsim_source_answer {
    GSIM_SOURCE_OP,  /* it is in *OP */
    GSIM_SOURCE_END, /* there are no more */
    GSIM_SOURCE_WAIT, /* none until the next request has come; where none can come: there are no more */
};

struct gsim_source_ops {
    uint32_t abi;         /* GSIM_ABI */
    size_t size;          /* sizeof(struct gsim_source_ops) */
    const char *name;     /* what users type */
    const char *summary;  /* one line */
    const char *help;     /* what it draws from what, and where its numbers are from */
    size_t params_size, state_size;
    const struct gsim_param *params; /* NULL: none */
    /* STATE is zeroed, and stays where it is. NUMBERS are seeded from --seed, and live until close. */
    enum gsim_status (*open)(void *state, const void *params, const struct gsim_random *numbers, struct gsim_draw *draw,
                             struct gsim_error *error);
    /* *OP is zeroed but for its stream, -1. What it points to may be gone at the next call. Its number is that of ops
     * drawn before. */
    enum gsim_source_answer (*next)(void *state, struct gsim_draw *draw, struct gsim_op *op);
    void (*done)(void *state, const struct gsim_op *op, double now_us); /* NULL: it does not want to know */
    void (*close)(void *state);                                         /* NULL: nothing to give back */
    /* NULL: it serves one request. */
    void (*arrived)(void *state, struct gsim_draw *draw, uint32_t request, double at_us);
};

/* What a shared object exports; of no meaning in a program. */
extern const struct gsim_source_ops gsim_source;

/* How far back an op's "after" may reach. */
#define GSIM_SOURCE_AFTER 1024

/* A new buffer's index; UINT32_MAX, and the run fails, when there is no room for it. */
uint32_t gsim_draw_buffer(struct gsim_draw *draw, const char *name, uint64_t bytes, enum gsim_buffer_init init);
/* No op that is drawn from now on uses the buffer; once those that do have ended its memory, and its index, are free
 * again. */
void gsim_draw_free(struct gsim_draw *draw, uint32_t buffer);
/* The index of KERNEL, which is good for the next op; of an equal one where there is one. UINT32_MAX, and the run
 * fails, where the device cannot execute it. */
uint32_t gsim_draw_kernel(struct gsim_draw *draw, const struct gsim_kernel *kernel);
/* Of the host thread that draws; 0 in open(). */
double gsim_draw_now_us(const struct gsim_draw *draw);
/* The request, which the source began at BEGUN_US, is done now: all host ops that it waits for are. Once each. */
void gsim_draw_served(struct gsim_draw *draw, uint32_t request, double begun_us);
/* The run fails. */
void gsim_draw_fail(struct gsim_draw *draw, enum gsim_status status, const char *format, ...) GSIM_PRINTF(3, 4);

/* workloads/sources/registry.c */
const struct gsim_source_ops *gsim_source_find(const char *name);
const struct gsim_source_ops *gsim_source_at(uint32_t index); /* NULL at the end */
/* From a shared object, by its path, that exports "const struct gsim_source_ops gsim_source". It stays loaded. */
enum gsim_status gsim_source_load(const char *path, const struct gsim_source_ops **ops,
                                  struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
