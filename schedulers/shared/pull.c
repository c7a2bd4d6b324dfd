/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See include/gpusim/schedulers/pull.h. Streams are first in, first out: of what used a place it is enough to know the
 * last op in each stream, and an event of a later op of a stream stands for an earlier one. So what is kept grows with
 * buffers and streams.
 */
#include "gpusim/schedulers/pull.h"

#include <string.h>

#include "gpusim/placement.h"
#include "schedulers/shared/hazards.h"
#include "schedulers/shared/placedmoves.h"
#include "schedulers/shared/walk.h"
#include "sim/program/draw.h"
#include "sim/program/extents.h"

#define READERS 6   /* streams that read a place at once; of more, all streams count */
#define EVENTS  64  /* of a stream: its last records */

/* The SEQUENCE-th op of a stream, by index + 1; 0: of none. */
struct moment {
    uint32_t stream, sequence;
};

struct place {
    struct moment writer, readers[READERS];
    uint32_t reader_count;
    bool has_more;
};

struct stream {
    gsim_stream handle;
    uint32_t number, sequence, synchronized; /* its last op; the last one that the host knows to have ended */
    gsim_event events[EVENTS];
    uint32_t recorded[EVENTS], record_count; /* behind which op; a ring */
    uint32_t *waited;                        /* by stream: up to which op its later work waits for */
    size_t waited_count;
};

/* Of an op that is left out: what it had to follow. */
struct passed {
    struct moment *moments;
    size_t count, room;
};

struct gsim_pull {
    struct gsim_run *run;
    struct gsim_draw *draw;
    struct gsim_moves_walk *walk;
    const struct gsim_op **ops;      /* of the list that was given last */
    size_t op_room;
    const struct gsim_op *host_op;   /* that ends when the next one is drawn */
    struct gsim_extents places;       /* struct place; 2 a buffer, as in dag.h */
    uint32_t *generations;           /* of the buffer that the state is of; 0: of none */
    struct stream *streams;
    size_t stream_count, stream_room;
    struct moment afters[GSIM_SOURCE_AFTER]; /* by the op's number */
    struct passed passed[GSIM_SOURCE_AFTER];
    struct moment *follows;          /* of the op that is being issued */
    size_t follow_count, follow_room;
    struct gsim_placing *placing;    /* of several GPUs, with --place; NULL: ops are for the GPU that they say */
    struct gsim_bringer bringer;     /* then, of explicit memory: the moves */
    uint32_t *candidates;            /* all GPUs */
    bool is_managed, failed;
};

/* The placement says which GPU each op is for. False: out of memory, or it does not want to. */
static bool begin_placing(struct gsim_pull *p)
{
    struct gsim_error ignored = {0};
    p->placing = gsim_placing_create(p->run, false, &ignored);
    p->candidates = GSIM_ARENA_ARRAY(p->run->arena, uint32_t, p->run->device_count);
    for (uint32_t d = 0; p->candidates && d < p->run->device_count; d++) p->candidates[d] = d;
    return p->placing && p->candidates && (p->is_managed || gsim_bringer_init(&p->bringer, p->run));
}

struct gsim_pull *gsim_pull_create(struct gsim_run *run)
{
    static const struct place nobody;
    struct gsim_pull *p = gsim_alloc(sizeof *p);
    if (!p) return NULL;
    p->run = run;
    p->draw = run->draw;
    p->is_managed = run->memory == GSIM_MEMORY_MANAGED;
    p->walk = gsim_moves_walk_create(run, run->draw->tables->buffer_room, false);
    p->generations = gsim_alloc(sizeof *p->generations * run->draw->tables->buffer_room);
    if (gsim_extents_init(&p->places, 2 * run->draw->tables->buffer_room + 1, sizeof nobody, &nobody) && p->walk &&
        p->generations && (!run->placement || run->device_count < 2 || begin_placing(p)))
        return p;
    gsim_pull_destroy(p);
    return NULL;
}

void gsim_pull_destroy(struct gsim_pull *p)
{
    if (!p) return;
    for (size_t i = 0; i < p->stream_count; i++) gsim_free(p->streams[i].waited);
    for (size_t i = 0; i < GSIM_SOURCE_AFTER; i++) gsim_free(p->passed[i].moments);
    gsim_moves_walk_destroy(p->walk);
    gsim_bringer_release(&p->bringer);
    gsim_placing_release(p->placing);
    gsim_extents_release(&p->places);
    gsim_free(p->generations);
    gsim_free(p->streams);
    gsim_free(p->follows);
    gsim_free(p->ops);
    gsim_free(p);
}

static bool is_over(const struct gsim_pull *p)
{
    return p->failed || p->draw->error.status || gsim_driver_failed(p->run->driver);
}

static void follow(struct gsim_pull *p, struct moment moment)
{
    if (!moment.stream || p->streams[moment.stream - 1].synchronized >= moment.sequence) return;
    for (size_t i = 0; i < p->follow_count; i++) {
        if (p->follows[i].stream != moment.stream) continue;
        if (p->follows[i].sequence < moment.sequence) p->follows[i].sequence = moment.sequence;
        return;
    }
    if (!GSIM_APPEND(p->follows, p->follow_count, p->follow_room, moment)) p->failed = true;
}

static void follow_afters(struct gsim_pull *p, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->after_count; a++) {
        const struct passed *passed = &p->passed[op->after[a] % GSIM_SOURCE_AFTER];
        follow(p, p->afters[op->after[a] % GSIM_SOURCE_AFTER]);
        for (size_t i = 0; i < passed->count; i++) follow(p, passed->moments[i]);
    }
}

/* --- the list ----------------------------------------------------------------------------------------------- */

/* Whose place the buffer has got: nothing is known of it yet. */
static void check_generation(struct gsim_pull *p, uint32_t buffer)
{
    static const struct gsim_access all = {.end = UINT64_MAX};
    if (p->generations[buffer] == gsim_draw_generation(p->draw, buffer)) return;
    p->generations[buffer] = gsim_draw_generation(p->draw, buffer);
    gsim_moves_walk_begin(p->walk, buffer);
    if (p->placing) gsim_placing_forget(p->placing, buffer);
    if (p->placing && !p->is_managed) gsim_bringer_forget(&p->bringer, buffer);
    for (uint32_t i = 0; i < 2; i++) {
        struct gsim_extents_found found = gsim_extents_find(&p->places, 2 * buffer + i, all.begin, all.end);
        for (uint32_t n = 0; n < found.count; n++) ((struct place *)found.values)[n] = (struct place){0};
        if (found.count) gsim_extents_join(&p->places, 2 * buffer + i, &found);
        else p->failed = true;
    }
}

static void check_generations(struct gsim_pull *p, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->arg_count; a++) check_generation(p, op->args[a].buffer_index);
    for (uint32_t b = 0; op->is_unknown && b < p->run->program->buffer_count; b++)
        if (gsim_draw_owns(p->draw, b)) check_generation(p, b);
}

static void add(struct gsim_pull *p, struct gsim_oplist *list, const struct gsim_op *op)
{
    if (!op || !GSIM_APPEND(p->ops, list->op_count, p->op_room, op)) p->failed = true;
    list->ops = p->ops;
}

/* Kernels go where the placement says; what moves data for one on its own stays with GPU 0. */
static void place(struct gsim_pull *p, const struct gsim_op *op)
{
    bool is_kernel = op->kind == GSIM_OP_KERNEL;
    p->placing->now_us = gsim_now_us(p->run->driver);
    if (is_kernel && p->run->placement->decision_us > 0)
        gsim_host_work(p->run->driver, p->run->placement->decision_us, "placement");
    gsim_draw_place(op, is_kernel ? gsim_placing_choose(p->placing, op, p->candidates, p->run->device_count) : 0);
    gsim_placing_note(p->placing, op, op->device);
}

static void add_moves(struct gsim_pull *p, struct gsim_oplist *list, const struct gsim_op *op)
{
    if (p->placing) place(p, op);
    if (!p->placing || p->is_managed) {
        size_t count = 0; /* they are the first */
        p->failed |= !gsim_moves_walk_add(p->walk, op, &p->ops, &count, &p->op_room);
        *list = (struct gsim_oplist){.ops = p->ops, .op_count = (uint32_t)count};
        return;
    }
    p->bringer.count = 0;
    gsim_bringer_add(&p->bringer, op, op->device);
    p->failed |= p->bringer.failed;
    for (size_t i = 0; i + (op->kind != GSIM_OP_PREFETCH) < p->bringer.count; i++) add(p, list, p->bringer.ops[i]);
}

static void leave_out(struct gsim_pull *p, const struct gsim_op *op)
{
    struct passed *passed = &p->passed[op->index % GSIM_SOURCE_AFTER];
    p->follow_count = 0;
    follow_afters(p, op);
    p->afters[op->index % GSIM_SOURCE_AFTER] = (struct moment){0};
    for (passed->count = 0; passed->count < p->follow_count && !p->failed; passed->count++) {
        if (gsim_array_grow(&passed->moments, sizeof *passed->moments, passed->count, &passed->room))
            p->failed = true;
        else passed->moments[passed->count] = p->follows[passed->count];
    }
    gsim_draw_ended(p->draw, op, gsim_now_us(p->run->driver));
}

bool gsim_pull_next(struct gsim_pull *p, struct gsim_oplist *list, bool *has_gap)
{
    *list = (struct gsim_oplist){0};
    *has_gap = false;
    while (!list->op_count && !is_over(p)) {
        if (p->host_op) gsim_draw_ended(p->draw, p->host_op, gsim_now_us(p->run->driver));
        p->host_op = NULL;
        const struct gsim_op *op = gsim_draw_op(p->draw);
        if (!op) return false;
        check_generations(p, op);
        add_moves(p, list, op);
        list->move_count = list->op_count;
        if (op->kind != GSIM_OP_PREFETCH || gsim_moves_walk_keeps(p->walk)) {
            add(p, list, op);
        } else {
            *has_gap |= op->after_count > 0;
            leave_out(p, op);
        }
        if (gsim_op_is_host(op)) p->host_op = op;
    }
    return !is_over(p);
}

enum gsim_status gsim_pull_status(const struct gsim_pull *p, struct gsim_error *error)
{
    const struct gsim_error *found = &p->draw->error;
    if (gsim_run_status(p->run, error)) return error->status;
    if (found->status) return gsim_error_set(error, found->status, "%s: %s", p->draw->source->name, found->message);
    return p->failed ? gsim_error_set(error, GSIM_NOMEM, "out of memory while scheduling") : GSIM_OK;
}

/* --- what an op must follow --------------------------------------------------------------------------------- */

static void follow_place(struct gsim_pull *p, const struct place *place, bool writes)
{
    follow(p, place->writer);
    for (uint32_t i = 0; writes && i < place->reader_count; i++) follow(p, place->readers[i]);
    for (uint32_t s = 0; writes && place->has_more && s < p->stream_count; s++)
        follow(p, (struct moment){s + 1, p->streams[s].sequence});
}

static void note_reader(struct place *place, struct moment moment)
{
    uint32_t i = 0;
    if (!moment.stream) return;
    while (i < place->reader_count && place->readers[i].stream != moment.stream) i++;
    if (i == READERS) {
        place->has_more = true;
        return;
    }
    place->readers[i] = moment;
    if (i == place->reader_count) place->reader_count++;
}

/* A place of two is read or written, from BEGIN to END. NOTED: by the op that MOMENT is; else it is asked what it must
 * follow. */
static void access_place(struct gsim_pull *p, size_t index, const struct gsim_access *part, bool reads, bool writes,
                         const struct moment *noted)
{
    if (!reads && !writes) return;
    struct gsim_extents_found found = gsim_extents_find(&p->places, (uint32_t)index, part->begin, part->end);
    struct place *places = found.values;
    if (!found.count) p->failed = true;
    for (uint32_t i = 0; i < found.count && !noted; i++) follow_place(p, &places[i], writes);
    for (uint32_t i = 0; i < found.count && noted && !writes; i++) note_reader(&places[i], *noted);
    if (!noted || !writes || !found.count) return;
    places[0] = (struct place){.writer = *noted};
    gsim_extents_join(&p->places, (uint32_t)index, &found);
}

static void access_all(struct gsim_pull *p, const struct gsim_op *op, const struct moment *noted)
{
    static const struct gsim_access whole = {.end = UINT64_MAX};
    struct gsim_access_walk walk = {.op = op};
    for (struct gsim_access part; gsim_access_next(&walk, &part);) {
        struct gsim_op_access access = gsim_op_access(op, &part, p->is_managed);
        size_t device = 2 * (size_t)part.buffer_index;
        access_place(p, device, &part, access.device_read, access.device_write, noted);
        access_place(p, device + 1, &part, access.host_read, access.host_write, noted);
    }
    for (uint32_t b = 0; op->is_unknown && b < p->run->program->buffer_count; b++)
        if (gsim_draw_owns(p->draw, b)) access_place(p, 2 * (size_t)b, &whole, true, true, noted);
    /* Of what no buffer is named, too. */
    if (!gsim_op_is_host(op))
        access_place(p, 2 * (size_t)p->draw->tables->buffer_room, &whole, true, op->is_unknown, noted);
}

static void find_follows(struct gsim_pull *p, const struct gsim_op *op, bool is_move)
{
    p->follow_count = 0;
    access_all(p, op, NULL);
    if (!is_move) follow_afters(p, op);
}

/* --- streams ------------------------------------------------------------------------------------------------ */

static struct stream *stream_at(struct gsim_pull *p, uint32_t number, const struct gsim_pull_stream *is)
{
    for (size_t i = 0; i < p->stream_count; i++)
        if (p->streams[i].number == number) return &p->streams[i];
    if (gsim_array_grow(&p->streams, sizeof *p->streams, p->stream_count, &p->stream_room)) return NULL;
    struct stream *s = &p->streams[p->stream_count++];
    *s = (struct stream){.number = number};
    if (GSIM_DRIVER_HAS(p->run->driver, device_set) && gsim_device_count(p->run->driver) > 1)
        gsim_device_set(p->run->driver, is->device);
    s->handle = gsim_stream_create(p->run->driver, is->priority);
    return s;
}

static void record(struct gsim_pull *p, struct stream *s, enum gsim_event_flags flags)
{
    uint32_t at = s->record_count++ % EVENTS;
    if (!s->events[at]) s->events[at] = gsim_event_create(p->run->driver, flags);
    s->recorded[at] = s->sequence;
    gsim_event_record(p->run->driver, s->events[at], s->handle);
}

/* The first record behind the op, of those that there are; made now where there is none. */
static gsim_event event_behind(struct gsim_pull *p, struct stream *s, uint32_t sequence, enum gsim_event_flags flags)
{
    uint32_t count = s->record_count < EVENTS ? s->record_count : EVENTS;
    if (!count || s->recorded[(s->record_count - 1) % EVENTS] < sequence) record(p, s, flags);
    count = s->record_count < EVENTS ? s->record_count : EVENTS;
    uint32_t first = s->record_count - count, low = first, high = s->record_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->recorded[middle % EVENTS] < sequence) low = middle + 1;
        else high = middle;
    }
    return s->events[low % EVENTS];
}

static void wait_for(struct gsim_pull *p, struct stream *s, struct moment moment, enum gsim_event_flags flags)
{
    struct stream *other = &p->streams[moment.stream - 1];
    if (other == s) return;
    if (s->waited_count < p->stream_count) {
        uint32_t *waited = gsim_realloc(s->waited, sizeof *waited * p->stream_count);
        if (!waited) {
            p->failed = true;
            return;
        }
        memset(waited + s->waited_count, 0, sizeof *waited * (p->stream_count - s->waited_count));
        s->waited = waited;
        s->waited_count = p->stream_count;
    }
    if (s->waited[moment.stream - 1] >= moment.sequence) return;
    s->waited[moment.stream - 1] = moment.sequence;
    gsim_stream_wait_event(p->run->driver, s->handle, event_behind(p, other, moment.sequence, flags));
}

static void wait_on_host(struct gsim_pull *p)
{
    for (size_t i = 0; i < p->follow_count; i++) {
        struct stream *s = &p->streams[p->follows[i].stream - 1];
        gsim_stream_synchronize(p->run->driver, s->handle);
        s->synchronized = s->sequence;
    }
}

void gsim_pull_issue(struct gsim_pull *p, const struct gsim_op *op, uint32_t number, const struct gsim_pull_stream *is,
                     enum gsim_event_flags event_flags)
{
    bool is_move = gsim_draw_is_move(op);
    struct moment moment = {0};
    if (is_over(p)) return;
    struct stream *s = gsim_op_is_host(op) ? NULL : stream_at(p, number, is);
    if (!s && !gsim_op_is_host(op)) p->failed = true;
    find_follows(p, op, is_move);
    if (p->failed) return;
    if (s) moment = (struct moment){(uint32_t)(s - p->streams) + 1, ++s->sequence};
    access_all(p, op, &moment);
    if (!is_move) {
        p->afters[op->index % GSIM_SOURCE_AFTER] = moment;
        p->passed[op->index % GSIM_SOURCE_AFTER].count = 0;
    }
    if (!s) {
        wait_on_host(p);
        gsim_op_issue(p->run->driver, op, 0);
        return;
    }
    for (size_t i = 0; i < p->follow_count; i++) wait_for(p, s, p->follows[i], event_flags);
    gsim_op_issue(p->run->driver, op, s->handle);
    if (p->stream_count > 1) record(p, s, event_flags);
}

uint32_t gsim_pull_writer(const struct gsim_pull *p, const struct gsim_op *op)
{
    struct gsim_extents *places = &((struct gsim_pull *)(uintptr_t)p)->places;
    for (uint32_t a = 0; a < op->arg_count; a++) {
        struct gsim_extents_found found = gsim_extents_find(places, 2 * op->args[a].buffer_index, 0, UINT64_MAX);
        const struct place *place = found.values;
        for (uint32_t i = found.count; i-- > 0;)
            if (place[i].writer.stream) return p->streams[place[i].writer.stream - 1].number;
    }
    return UINT32_MAX;
}

void gsim_pull_synchronize(struct gsim_pull *p)
{
    for (size_t i = 0; i < p->stream_count; i++) {
        struct stream *s = &p->streams[i];
        if (s->synchronized == s->sequence) continue;
        gsim_stream_synchronize(p->run->driver, s->handle);
        s->synchronized = s->sequence;
    }
}
