/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source. What the text of a CUDA source has to do with its program's ops, for who writes the source anew
 * (source/write). Places are offsets in the file. A site is a call in the text, a step one execution of it, a
 * node one execution of a statement.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSIM_CUDA_NONE UINT32_MAX
#define GSIM_CUDA_NAME 63

enum gsim_cuda_step_kind {
    GSIM_CUDA_LAUNCH,  /* <<<>>> */
    GSIM_CUDA_CALL,    /* of the API that gives the device work */
    GSIM_CUDA_SYNC,    /* the host waits for the device */
    GSIM_CUDA_USE,     /* the host uses what ops before it made: OP waits for them */
    GSIM_CUDA_BARRIER, /* what is not read, in the default stream; no graph may hold it */
    GSIM_CUDA_CUT,     /* another call of CUDA, which no graph may hold */
    GSIM_CUDA_END,     /* of a function that was executed: the site is the last statement with an op */
};

struct gsim_cuda_site {
    enum gsim_cuda_step_kind kind;
    uint32_t begin, end;   /* the call */
    uint32_t from, to;     /* the statement that holds it, without its semicolon */
    uint32_t line;
    bool is_braced;        /* other statements may stand beside that one */
    const char *keep_reason; /* why the call cannot be rewritten; NULL: it can */
    char name[GSIM_CUDA_NAME + 1];
    uint32_t executions;
};

struct gsim_cuda_step {
    uint32_t site, op;     /* OP: of the program; NONE: none */
    uint32_t node;         /* the statement that holds the call */
    uint64_t values;       /* of the arguments; 0: one is not known */
    bool is_needed;        /* a SYNC that what follows needs */
    bool is_blocking;      /* the call returned when the op had ended */
};

struct gsim_cuda_scope {
    uint32_t parent, from, to;
    bool is_block;         /* { } */
    bool is_loop;
    bool is_serial;        /* what it holds is executed another number of times than here, or perhaps not */
    bool may_end;          /* it may be left before its end */
    uint32_t last_step;    /* in it */
};

/* An argument of a launch that leads to a buffer's begin. */
struct gsim_cuda_pointer {
    uint32_t step, buffer, begin, end;
};

struct gsim_cuda_log {
    char *text;            /* the file */
    size_t length;
    struct gsim_cuda_site *sites;
    struct gsim_cuda_step *steps;
    struct gsim_cuda_scope *nodes;
    struct gsim_cuda_pointer *pointers;
    size_t site_count, step_count, node_count, pointer_count;
    size_t site_room, step_room, node_room, pointer_room;
    uint32_t first_use;    /* where the declaration of the file begins that holds the first site */
    uint32_t stream_line;  /* where the source makes a stream of its own; 0: nowhere */
    uint32_t guesses;      /* sizes, rounds or streams that notes tell as assumed */
    bool has_managed;      /* memory */
    bool failed;           /* memory was out */
};

/* The outermost statement around NODE that stands in a block of the file; UINT32_MAX: there is none. */
uint32_t gsim_cuda_outermost(const struct gsim_cuda_log *log, uint32_t node);
/* Whether it is WITHIN or stands in it; whether no statement around it may be left out or executed more often. */
static inline bool gsim_cuda_is_within(const struct gsim_cuda_log *log, uint32_t node, uint32_t within)
{
    while (node != GSIM_CUDA_NONE && node != within) node = log->nodes[node].parent;
    return node != GSIM_CUDA_NONE;
}

static inline bool gsim_cuda_is_sure(const struct gsim_cuda_log *log, uint32_t node)
{
    while (node != GSIM_CUDA_NONE && !log->nodes[node].is_serial) node = log->nodes[node].parent;
    return node == GSIM_CUDA_NONE;
}

void gsim_cuda_log_release(struct gsim_cuda_log *log); /* accepts zeroed */
