/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a scheduler on the recorder and judges the record without any helper of schedulers/: every op once per
 * iteration, dependences enforced, the data where the op needs it, nothing pending at the end of an iteration.
 */
#pragma once

#include "tests/schedulers/recorder.h"
#include "tests/test.h"

struct trial {
    const struct gsim_scheduler_ops *ops;
    const struct gsim_program *program;
    enum gsim_memory_mode memory;
    bool prefetch;
    uint32_t iterations;
    unsigned long seed;
    const char *options; /* "name=value name=value", NULL: defaults */
    uint32_t fail_after; /* the driver fails at this call; 0: never */
};

/* The recorder of the run, to be destroyed; STATUS and ERROR tell how it went. */
static inline struct recorder *trial_run(const struct trial *t, enum gsim_status *status, struct gsim_error *error)
{
    struct recorder *r = rec_create();
    double params[64] = {0}; /* room for any parameter struct, aligned */
    struct gsim_random rng;
    struct gsim_run run = {.program = t->program, .driver = &r->driver, .params = params, .memory = t->memory,
                           .prefetch = t->prefetch, .compute_capability = 80, .rng = &rng, .arena = &r->arena,
                           .iterations = t->iterations ? t->iterations : 1};
    *error = (struct gsim_error){0};
    *status = gsim_random_init(&rng, t->seed + 1, error);
    r->fail_after = t->fail_after;
    if (t->ops->params_size > sizeof(params)) abort();
    gsim_params_set_defaults(t->ops->params, params);
    for (const char *at = t->options; at && *at && *status == GSIM_OK;) {
        char name[64], value[64];
        if (sscanf(at, " %63[^= ]=%63[^ ]", name, value) != 2) abort();
        *status = gsim_params_set(t->ops->params, params, name, value, error);
        at = strchr(at + 1, ' ');
    }
    if (*status == GSIM_OK && t->ops->prepare) *status = t->ops->prepare(&run, error);
    if (*status == GSIM_OK) *status = t->ops->execute(&run, error);
    gsim_random_release(&rng);
    return r;
}

/* --- the judge ---------------------------------------------------------------------------------------- */
struct verdict {
    char text[240]; /* empty: the record is right */
};

#define ACCUSE(v, ...)                                                             \
    do {                                                                           \
        if (!(v)->text[0]) snprintf((v)->text, sizeof((v)->text), __VA_ARGS__);    \
    } while (0)

static inline bool check_is_own(const struct gsim_program *program, const struct gsim_op *op)
{
    return op >= program->ops && op < program->ops + program->op_count;
}

static inline bool check_is_host_op(const struct gsim_op *op)
{
    return op->kind == GSIM_OP_HOST_READ || op->kind == GSIM_OP_HOST_WRITE || op->kind == GSIM_OP_HOST_COMPUTE;
}

/* One location of one buffer while the record is replayed. A version is 1 + the global number of the op that
 * wrote it; 0 is what was there before the program. */
struct check_place {
    uint64_t version;
    uint32_t writer, readers[REC_ITEMS], reader_count;
};

struct check_state {
    const struct recorder *r;
    const struct trial *t;
    struct verdict *v;
    struct check_place (*places)[2]; /* per buffer: device, host; managed memory has the first alone */
};

static inline void check_order(struct check_state *c, uint32_t before, uint32_t after, const char *why)
{
    if (before != REC_NONE && before != after && !rec_has(&c->r->items[after].before, before))
        ACCUSE(c->v, "iteration %u: op %u may start before op %u ends (%s)", c->r->items[after].iteration,
               c->r->items[after].op->index, c->r->items[before].op->index, why);
}

static inline void check_read(struct check_state *c, uint32_t item, uint32_t buffer, int side, uint64_t wanted)
{
    struct check_place *place = &c->places[buffer][side];
    check_order(c, place->writer, item, "read after write");
    if (wanted != UINT64_MAX && place->version != wanted)
        ACCUSE(c->v, "iteration %u: op %u reads version %llu of buffer %u on the %s, expected %llu",
               c->r->items[item].iteration, c->r->items[item].op->index, (unsigned long long)place->version, buffer,
               side ? "host" : "device", (unsigned long long)wanted);
    place->readers[place->reader_count++] = item;
}

static inline void check_write(struct check_state *c, uint32_t item, uint32_t buffer, int side, uint64_t version)
{
    struct check_place *place = &c->places[buffer][side];
    check_order(c, place->writer, item, "write after write");
    for (uint32_t i = 0; i < place->reader_count; i++) check_order(c, place->readers[i], item, "write after read");
    place->reader_count = 0;
    place->writer = item;
    place->version = version;
}

/* The version of BUFFER that op INDEX of ITERATION reads, by program order; UINT64_MAX: never written. */
static inline uint64_t check_wanted(const struct gsim_program *p, uint32_t iteration, uint32_t index, uint32_t buffer)
{
    for (uint64_t g = (uint64_t)iteration * p->op_count + index; g-- > 0;) {
        const struct gsim_op *op = &p->ops[g % p->op_count];
        if (op->kind != GSIM_OP_KERNEL && op->kind != GSIM_OP_HOST_WRITE) continue;
        for (uint32_t a = 0; a < op->arg_count; a++)
            if (op->args[a].buffer_index == buffer && (op->kind == GSIM_OP_HOST_WRITE || op->args[a].writes))
                return g + 1;
    }
    return p->buffers[buffer].init == GSIM_INIT_NONE ? UINT64_MAX : 0;
}

static inline void check_item(struct check_state *c, uint32_t index)
{
    const struct rec_item *item = &c->r->items[index];
    const struct gsim_op *op = item->op;
    const struct gsim_program *p = c->t->program;
    bool managed = c->t->memory == GSIM_MEMORY_MANAGED;
    uint64_t version = (uint64_t)item->iteration * p->op_count + op->index + 1;
    if (op->kind == GSIM_OP_PREFETCH) return; /* moves pages, not values */
    for (uint32_t a = 0; a < op->arg_count; a++) {
        const struct gsim_arg *arg = &op->args[a];
        uint32_t b = arg->buffer_index;
        uint64_t wanted = check_wanted(p, item->iteration, op->index, b);
        int host = managed ? 0 : 1;
        if (op->kind == GSIM_OP_KERNEL) {
            if (arg->reads) check_read(c, index, b, 0, wanted);
            if (arg->writes) check_write(c, index, b, 0, version);
        } else if (op->kind == GSIM_OP_HOST_READ) {
            check_read(c, index, b, host, wanted);
        } else if (op->kind == GSIM_OP_HOST_WRITE) {
            check_write(c, index, b, host, version);
        } else if (op->kind == GSIM_OP_COPY) {
            int from = op->copy_kind == GSIM_COPY_H2D ? 1 : 0;
            if (managed) ACCUSE(c->v, "op %u: a copy in managed memory", op->index);
            check_read(c, index, b, from, UINT64_MAX);
            check_write(c, index, b, 1 - from, c->places[b][from].version);
        }
    }
}

/* The program's own prefetches are issued in managed memory with prefetching on, and never by grsched. */
static inline bool check_prefetches_issued(const struct trial *t)
{
    return t->prefetch && t->memory == GSIM_MEMORY_MANAGED && strcmp(t->ops->name, "grsched") != 0;
}

/* ITEM must follow what OP names in "after"; one that was left out stands for what it had to follow itself. */
static inline void check_afters(struct check_state *c, const uint32_t *seen, const struct gsim_op *op, uint32_t item)
{
    for (uint32_t a = 0; a < op->after_count; a++) {
        const struct gsim_op *earlier = &c->t->program->ops[op->after[a]];
        if (earlier->kind == GSIM_OP_PREFETCH && seen[earlier->index] == REC_NONE) check_afters(c, seen, earlier, item);
        else if (earlier->kind != GSIM_OP_HOST_COMPUTE) check_order(c, seen[earlier->index], item, "after");
    }
}

static inline void check_counts(struct check_state *c)
{
    const struct gsim_program *p = c->t->program;
    uint32_t seen[REC_ITEMS], iterations = c->t->iterations ? c->t->iterations : 1;
    for (uint32_t iteration = 0; iteration < iterations; iteration++) {
        for (uint32_t i = 0; i < p->op_count; i++) seen[i] = REC_NONE;
        for (uint32_t n = 0; n < c->r->item_count; n++) {
            const struct rec_item *item = &c->r->items[n];
            if (item->iteration != iteration || !check_is_own(p, item->op)) continue;
            if (seen[item->op->index] != REC_NONE)
                ACCUSE(c->v, "iteration %u: op %u twice", iteration, item->op->index);
            seen[item->op->index] = n;
        }
        for (uint32_t i = 0; i < p->op_count; i++) {
            if (p->ops[i].kind == GSIM_OP_HOST_COMPUTE) continue; /* recorded as host_us */
            if (p->ops[i].kind == GSIM_OP_PREFETCH && !check_prefetches_issued(c->t)) {
                if (seen[i] != REC_NONE) ACCUSE(c->v, "iteration %u: prefetch %u was not asked for", iteration, i);
                continue;
            }
            if (seen[i] == REC_NONE) {
                ACCUSE(c->v, "iteration %u: op %u missing", iteration, i);
                continue;
            }
            check_afters(c, seen, &p->ops[i], seen[i]);
        }
    }
    if (c->r->iterations_ended != iterations)
        ACCUSE(c->v, "%u iterations, expected %u", c->r->iterations_ended, iterations);
    if (c->r->pending_at_end) ACCUSE(c->v, "an iteration ended with work pending");
}

static inline struct verdict check_record(const struct trial *t, const struct recorder *r)
{
    struct verdict v = {""};
    struct check_state c = {r, t, &v, NULL};
    double host_us = 0;
    c.places = calloc(t->program->buffer_count + 1, sizeof(*c.places));
    if (!c.places) abort();
    for (uint32_t b = 0; b < t->program->buffer_count; b++)
        for (int side = 0; side < 2; side++) {
            bool here = t->program->buffers[b].init == (side ? GSIM_INIT_HOST : GSIM_INIT_DEVICE) ||
                        t->memory == GSIM_MEMORY_MANAGED;
            c.places[b][side].writer = REC_NONE;
            c.places[b][side].version = here ? 0 : UINT64_MAX - 1; /* matches nothing */
        }
    if (r->problem[0]) ACCUSE(&v, "%s", r->problem);
    check_counts(&c);
    for (uint32_t n = 0; n < r->item_count; n++) check_item(&c, n);
    for (uint32_t i = 0; i < t->program->op_count; i++)
        if (t->program->ops[i].kind == GSIM_OP_HOST_COMPUTE) host_us += t->program->ops[i].host_us;
    if (r->host_us + 1e-6 < host_us * (t->iterations ? t->iterations : 1)) ACCUSE(&v, "host computation missing");
    free(c.places);
    return v;
}
