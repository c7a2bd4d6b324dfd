/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lowering in two passes per iteration: walk the ops with a small state per buffer and note the moves needed,
 * then merge ops and moves. Bytes that really travel (pages already there) are the driver's business.
 */
#include "schedulers/shared/walk.h"

#include "gpusim/timeline.h"
#include "schedulers/shared/placedmoves.h"
#include "schedulers/shared/whereabouts.h"
#include "sim/program/draw.h"

#include <string.h>

#define SMALL_PART 65536 /* bytes: less than a us between two GPUs, as loads of the kernel's own */

/* Where the current data of a buffer is. Managed memory uses on_host alone. Partial accesses count from
 * the buffer's start, so one number says how much of it is meant. */
struct place_state {
    bool on_host;              /* managed: the host accessed it last, or nobody has */
    uint64_t host_dirty_bytes; /* explicit: written by the host, not yet on the device */
    uint64_t host_valid_bytes; /* explicit: current in host memory */
    uint32_t early_position;   /* where an early move goes: behind the host's last access */
};

struct move {
    uint32_t position, served, buffer_index;
    uint64_t bytes;
    enum gsim_op_kind kind;
    enum gsim_copy_kind copy_kind;
};

struct lowerer {
    struct gsim_run *run;
    enum gsim_moves_place place;
    bool automatic;        /* managed: prefetch by the rule of moves.h */
    bool follows, keeps;   /* the program's own prefetches: do they count, are they in the list */
    struct place_state *states;
    struct move *moves;
    size_t move_count, move_capacity;
    bool failed;
};

static uint64_t access_bytes(const struct lowerer *l, const struct gsim_op *op, uint32_t buffer_index)
{
    uint64_t whole = l->run->program->buffers[buffer_index].bytes;
    return op->bytes == 0 || op->bytes > whole ? whole : op->bytes;
}

static void add_move(struct lowerer *l, uint32_t position, const struct gsim_op *op, uint32_t buffer_index,
                     enum gsim_op_kind kind, enum gsim_copy_kind copy_kind, uint64_t bytes)
{
    if (l->move_count == l->move_capacity &&
        gsim_array_grow(&l->moves, sizeof(*l->moves), l->move_count, &l->move_capacity)) {
        l->failed = true;
        return;
    }
    l->moves[l->move_count++] = (struct move){position, op->index, buffer_index, bytes, kind, copy_kind};
}

static void move_to_device(struct lowerer *l, uint32_t at, const struct gsim_op *op, uint32_t buffer_index)
{
    struct place_state *state = &l->states[buffer_index];
    if (l->run->memory == GSIM_MEMORY_MANAGED)
        add_move(l, at, op, buffer_index, GSIM_OP_PREFETCH, GSIM_COPY_H2D,
                 l->run->program->buffers[buffer_index].bytes);
    else
        add_move(l, at, op, buffer_index, GSIM_OP_COPY, GSIM_COPY_H2D, state->host_dirty_bytes);
    state->host_dirty_bytes = 0;
}

/* A kernel, an explicit copy or an explicit prefetch uses the device's copy of a buffer. */
static void use_on_device(struct lowerer *l, uint32_t position, const struct gsim_op *op, uint32_t buffer_index,
                          bool reads, bool writes)
{
    struct place_state *state = &l->states[buffer_index];
    uint32_t at = l->place == GSIM_MOVES_EARLY ? state->early_position : position;
    if (l->run->memory == GSIM_MEMORY_MANAGED) {
        if (state->on_host && l->automatic && op->kind == GSIM_OP_KERNEL) move_to_device(l, at, op, buffer_index);
        state->on_host = false;
        return;
    }
    if (reads && state->host_dirty_bytes) move_to_device(l, at, op, buffer_index);
    if (writes) state->host_dirty_bytes = state->host_valid_bytes = 0;
}

static void copy_explicitly(struct lowerer *l, uint32_t position, const struct gsim_op *op, uint32_t buffer_index)
{
    struct place_state *state = &l->states[buffer_index];
    uint64_t bytes = access_bytes(l, op, buffer_index);
    switch (op->copy_kind) {
    case GSIM_COPY_H2D:
        if (bytes >= state->host_dirty_bytes) state->host_dirty_bytes = 0;
        use_on_device(l, position, op, buffer_index, false, false);
        break;
    case GSIM_COPY_D2H:
        use_on_device(l, position, op, buffer_index, true, false);
        if (bytes > state->host_valid_bytes) state->host_valid_bytes = bytes;
        break;
    case GSIM_COPY_D2D:
    case GSIM_COPY_P2P: /* which GPU has the data is the program's own business */
        use_on_device(l, position, op, buffer_index, true, true);
        break;
    }
}

static void access_on_host(struct lowerer *l, uint32_t position, const struct gsim_op *op, uint32_t buffer_index)
{
    struct place_state *state = &l->states[buffer_index];
    uint64_t bytes = access_bytes(l, op, buffer_index);
    state->on_host = true;
    if (l->run->memory == GSIM_MEMORY_MANAGED) return;
    if (op->kind == GSIM_OP_HOST_WRITE) {
        if (bytes > state->host_dirty_bytes) state->host_dirty_bytes = bytes;
        if (bytes > state->host_valid_bytes) state->host_valid_bytes = bytes;
    } else if (bytes > state->host_valid_bytes) {
        /* What the host wrote since must not be lost under the older data that comes back. */
        if (state->host_dirty_bytes) move_to_device(l, position, op, buffer_index);
        add_move(l, position, op, buffer_index, GSIM_OP_COPY, GSIM_COPY_D2H, bytes);
        state->host_valid_bytes = bytes;
    }
}

/* A kernel that writes parts of a buffer keeps the rest; one of which more is unknown may use all buffers. */
static void run_kernel(struct lowerer *l, uint32_t position, const struct gsim_op *op)
{
    uint32_t segment = 0;
    for (uint32_t a = 0; a < op->arg_count; a++) {
        bool keeps = op->args[a].reads;
        for (; segment < op->segment_count && op->segments[segment].arg == a; segment++)
            keeps |= op->segments[segment].writes;
        use_on_device(l, position, op, op->args[a].buffer_index, keeps, op->args[a].writes);
    }
    if (!op->is_unknown || l->run->memory == GSIM_MEMORY_MANAGED) return;
    for (uint32_t b = 0; b < l->run->program->buffer_count; b++) use_on_device(l, position, op, b, true, true);
}

/* Moves for OP, which is the POSITION-th. */
static void note_op(struct lowerer *l, uint32_t position, const struct gsim_op *op)
{
    switch (op->kind) {
    case GSIM_OP_KERNEL:
        run_kernel(l, position, op);
        break;
    case GSIM_OP_COPY:
        for (uint32_t a = 0; a < op->arg_count; a++) copy_explicitly(l, position, op, op->args[a].buffer_index);
        break;
    case GSIM_OP_PREFETCH:
        for (uint32_t a = 0; l->follows && a < op->arg_count; a++)
            use_on_device(l, position, op, op->args[a].buffer_index, true, false);
        break;
    case GSIM_OP_HOST_WRITE:
    case GSIM_OP_HOST_READ:
        for (uint32_t a = 0; a < op->arg_count; a++) access_on_host(l, position, op, op->args[a].buffer_index);
        break;
    case GSIM_OP_HOST_COMPUTE:
        break;
    }
}

static void note_moves(struct lowerer *l)
{
    const struct gsim_program *program = l->run->program;
    uint32_t head = 0, run_end = 0;
    while (head < program->op_count && program->ops[head].kind == GSIM_OP_HOST_WRITE) head++;
    for (uint32_t b = 0; b < program->buffer_count; b++) l->states[b].early_position = head;
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct gsim_op *op = &program->ops[i];
        note_op(l, i, op);
        if (op->kind != GSIM_OP_HOST_WRITE && op->kind != GSIM_OP_HOST_READ) continue;
        for (run_end = run_end > i ? run_end : i; run_end < program->op_count; run_end++)
            if (program->ops[run_end].kind != GSIM_OP_HOST_WRITE && program->ops[run_end].kind != GSIM_OP_HOST_READ)
                break;
        for (uint32_t a = 0; a < op->arg_count; a++) l->states[op->args[a].buffer_index].early_position = run_end;
    }
}

static struct gsim_op move_as_op(const struct move *move, const struct gsim_op *served, struct gsim_arg *arg)
{
    bool back = move->kind == GSIM_OP_COPY && move->copy_kind == GSIM_COPY_D2H;
    *arg =
        (struct gsim_arg){.buffer_index = move->buffer_index, .reads = back, .writes = !back, .declared_const = back};
    return (struct gsim_op){.kind = move->kind,
                            .copy_kind = move->copy_kind,
                            .index = move->served,
                            .arg_count = 1,
                            .args = arg,
                            .bytes = move->bytes,
                            .stream = served->stream,
                            .priority = served->priority,
                            .device = served->device};
}

static const struct gsim_op *make_move(const struct lowerer *l, const struct move *move, const struct gsim_op *served)
{
    struct gsim_arg arg;
    struct gsim_op op = move_as_op(move, served, &arg);
    return gsim_move_keep(l->run, &op);
}

/* Moves of one place keep the order in which they were noted: a counting sort by position. */
static bool sort_moves(struct lowerer *l, uint32_t *start, uint32_t *sorted)
{
    uint32_t op_count = l->run->program->op_count;
    for (size_t m = 0; m < l->move_count; m++) start[l->moves[m].position + 1]++;
    for (uint32_t i = 0; i <= op_count; i++) start[i + 1] += start[i];
    uint32_t *next = gsim_alloc(sizeof(*next) * ((size_t)op_count + 1));
    if (!next) return false;
    memcpy(next, start, sizeof(*next) * ((size_t)op_count + 1));
    for (size_t m = 0; m < l->move_count; m++) sorted[next[l->moves[m].position]++] = (uint32_t)m;
    gsim_free(next);
    return true;
}

static bool merge(struct lowerer *l, struct gsim_oplist *list)
{
    const struct gsim_program *program = l->run->program;
    size_t total = program->op_count + l->move_count;
    list->ops = GSIM_ARENA_ARRAY(l->run->arena, const struct gsim_op *, total);
    uint32_t *start = gsim_alloc(sizeof(*start) * ((size_t)program->op_count + 2));
    uint32_t *sorted = gsim_alloc(sizeof(*sorted) * (l->move_count + 1));
    bool ok = list->ops && start && sorted && sort_moves(l, start, sorted);
    uint32_t count = 0;
    for (uint32_t i = 0; ok && i <= program->op_count; i++) {
        for (uint32_t m = start[i]; ok && m < start[i + 1]; m++)
            ok = (list->ops[count++] = make_move(l, &l->moves[sorted[m]],
                                                 &program->ops[l->moves[sorted[m]].served])) != NULL;
        bool listed = i < program->op_count && (l->keeps || program->ops[i].kind != GSIM_OP_PREFETCH);
        if (ok && listed) list->ops[count++] = &program->ops[i];
    }
    list->op_count = count;
    list->move_count = (uint32_t)l->move_count;
    gsim_free(start);
    gsim_free(sorted);
    return ok;
}

bool gsim_op_is_move(const struct gsim_run *run, const struct gsim_op *op)
{
    const struct gsim_program *program = run->program;
    if (run->draw) return gsim_draw_is_move(op);
    return program->op_count == 0 || op < program->ops || op >= program->ops + program->op_count;
}

bool gsim_op_is_same(const struct gsim_op *a, const struct gsim_op *b)
{
    if (a == b) return true;
    return a->kind == b->kind && a->copy_kind == b->copy_kind && a->index == b->index && a->bytes == b->bytes &&
           a->kind != GSIM_OP_KERNEL && a->arg_count == 1 && b->arg_count == 1 &&
           a->args[0].buffer_index == b->args[0].buffer_index;
}

static bool lists_equal(const struct gsim_oplist *a, const struct gsim_oplist *b)
{
    if (a->op_count != b->op_count || a->move_count != b->move_count) return false;
    for (uint32_t i = 0; a->move_count && i < a->op_count; i++)
        if (!gsim_op_is_same(a->ops[i], b->ops[i])) return false;
    return true;
}

static void start_state(struct lowerer *l, uint32_t b)
{
    const struct gsim_buffer *buffer = &l->run->program->buffers[b];
    l->states[b].on_host = buffer->init != GSIM_INIT_DEVICE;
    l->states[b].host_dirty_bytes = buffer->init == GSIM_INIT_HOST ? buffer->bytes : 0;
    l->states[b].host_valid_bytes = buffer->init == GSIM_INIT_DEVICE ? 0 : buffer->bytes;
}

static void start_states(struct lowerer *l)
{
    for (uint32_t b = 0; b < l->run->program->buffer_count; b++) start_state(l, b);
}

static bool has_prefetches(const struct gsim_program *program)
{
    for (uint32_t i = 0; i < program->op_count; i++)
        if (program->ops[i].kind == GSIM_OP_PREFETCH) return true;
    return false;
}

static void drop_overhead(struct gsim_oplist *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->op_count; i++)
        if (!list->ops[i]->overhead) list->ops[kept++] = list->ops[i];
    list->op_count = kept;
}

void gsim_lowering_drop_overhead(struct gsim_lowering *lowering)
{
    bool same = lowering->first.ops == lowering->steady.ops;
    drop_overhead(&lowering->first);
    if (same) lowering->steady = lowering->first;
    else drop_overhead(&lowering->steady);
}

/* A program that says itself which GPU does what also says what is copied between them: nothing else moves it. */
static enum gsim_status check_gpu(const struct gsim_run *run, struct gsim_whereabouts *w, const struct gsim_op *op,
                                  struct gsim_error *error)
{
    struct gsim_access_walk walk = {.op = op};
    struct gsim_held_part part;
    for (struct gsim_access access; op->kind == GSIM_OP_KERNEL && gsim_access_next(&walk, &access);)
        for (uint32_t at = 0; access.reads && gsim_whereabouts_next(w, &access, &at, &part);) {
            uint32_t other = 0;
            if (part.end - part.begin < SMALL_PART || gsim_whereabouts_has(part.holders, op->device)) continue;
            while (other < run->device_count && !gsim_whereabouts_has(part.holders, other)) other++;
            if (other == run->device_count) continue; /* the host's alone, or nobody's yet */
            return gsim_error_set(error, GSIM_INPUT,
                                  "%s: ops[%u] reads '%s' on GPU %u, and GPU %u has it: expected a copy before it "
                                  "(\"kind\": \"p2p\"), --place program with a scheduler that moves data (kesco, "
                                  "heft), or --memory managed", run->program->name, op->index,
                                  run->program->buffers[access.buffer_index].name, op->device, other);
        }
    return GSIM_OK;
}

static enum gsim_status check_gpus(const struct gsim_run *run, struct gsim_error *error)
{
    const struct gsim_program *p = run->program;
    struct gsim_whereabouts w = {0};
    uint32_t most = 0;
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < p->op_count; i++) most = p->ops[i].device > most ? p->ops[i].device : most;
    if (!most || run->memory == GSIM_MEMORY_MANAGED) return GSIM_OK;
    if (!gsim_whereabouts_init(&w, p, p->buffer_count, run->device_count, false, false))
        status = gsim_error_set(error, GSIM_NOMEM, "out of memory while placing data movement");
    for (uint32_t i = 0; i < p->op_count && !status; i++) {
        status = check_gpu(run, &w, &p->ops[i], error);
        gsim_whereabouts_note(&w, &p->ops[i], p->ops[i].device);
    }
    gsim_whereabouts_release(&w);
    return status;
}

enum gsim_status gsim_moves_lower(struct gsim_run *run, enum gsim_moves_place place, struct gsim_lowering *lowering,
                                  struct gsim_error *error)
{
    struct lowerer l = {.run = run, .place = place};
    if (run->is_placed && run->memory != GSIM_MEMORY_MANAGED) return gsim_moves_lower_placed(run, lowering, error);
    if (!run->is_placed && check_gpus(run, error)) return error->status;
    l.follows = place != GSIM_MOVES_AUTOMATIC && run->prefetch && has_prefetches(run->program);
    l.automatic = run->prefetch && !l.follows;
    l.keeps = l.follows && gsim_moves_keep_prefetches(run);
    memset(lowering, 0, sizeof(*lowering));
    l.states = gsim_alloc(sizeof(*l.states) * ((size_t)run->program->buffer_count + 1));
    if (!l.states) return gsim_error_set(error, GSIM_NOMEM, "out of memory while placing data movement");
    start_states(&l);
    note_moves(&l);
    bool ok = !l.failed && merge(&l, &lowering->first);
    /* Iteration 1 is like every later one: an iteration leaves a buffer that it touches in the same state
     * wherever the buffer was before, up to data that is now on both sides. */
    bool any_move = l.move_count != 0;
    l.move_count = 0;
    if (ok && run->iterations > 1) {
        note_moves(&l);
        if (any_move || l.move_count) ok = !l.failed && merge(&l, &lowering->steady);
        else lowering->steady = lowering->first;
        if (ok && lists_equal(&lowering->first, &lowering->steady)) lowering->steady = lowering->first;
    } else {
        lowering->steady = lowering->first;
    }
    gsim_free(l.states);
    gsim_free(l.moves);
    return ok ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory while placing data movement");
}

/* --- op by op (walk.h) -------------------------------------------------------------------------------------- */

struct gsim_moves_walk {
    struct lowerer lowerer;
    const struct gsim_op **kept; /* moves of the iteration before, and of this one */
    size_t kept_count, kept_most, kept_room;
};

struct gsim_moves_walk *gsim_moves_walk_create(struct gsim_run *run, uint32_t buffers, bool automatic)
{
    struct gsim_moves_walk *walk = gsim_alloc(sizeof *walk);
    if (!walk) return NULL;
    walk->lowerer = (struct lowerer){.run = run, .place = automatic ? GSIM_MOVES_AUTOMATIC : GSIM_MOVES_AT_USE};
    walk->lowerer.follows = !automatic && run->prefetch;
    walk->lowerer.automatic = run->prefetch;
    walk->lowerer.keeps = walk->lowerer.follows && gsim_moves_keep_prefetches(run);
    walk->lowerer.states = gsim_alloc(sizeof *walk->lowerer.states * ((size_t)buffers + 1));
    if (walk->lowerer.states) return walk;
    gsim_free(walk);
    return NULL;
}

void gsim_moves_walk_destroy(struct gsim_moves_walk *walk)
{
    if (!walk) return;
    gsim_free(walk->lowerer.states);
    gsim_free(walk->lowerer.moves);
    gsim_free(walk->kept);
    gsim_free(walk);
}

void gsim_moves_walk_begin(struct gsim_moves_walk *walk, uint32_t buffer_index)
{
    start_state(&walk->lowerer, buffer_index);
}

void gsim_moves_walk_restart(struct gsim_moves_walk *walk) { walk->kept_count = 0; }

/* The INDEX-th move of the present op. */
static const struct gsim_op *keep(struct gsim_moves_walk *walk, size_t index, const struct gsim_op *served)
{
    struct gsim_arg arg;
    struct gsim_op move = move_as_op(&walk->lowerer.moves[index], served, &arg);
    if (walk->lowerer.run->draw) return gsim_move_keep(walk->lowerer.run, &move);
    size_t at = walk->kept_count++;
    if (at < walk->kept_most && gsim_op_is_same(walk->kept[at], &move)) return walk->kept[at];
    if (gsim_array_grow(&walk->kept, sizeof *walk->kept, at, &walk->kept_room)) return NULL;
    if (at == walk->kept_most) walk->kept_most++;
    return walk->kept[at] = gsim_move_keep(walk->lowerer.run, &move);
}

bool gsim_moves_walk_add(struct gsim_moves_walk *walk, const struct gsim_op *op, const struct gsim_op ***ops,
                         size_t *count, size_t *room)
{
    struct lowerer *l = &walk->lowerer;
    l->move_count = 0;
    note_op(l, 0, op);
    for (size_t m = 0; m < l->move_count && !l->failed; m++) {
        const struct gsim_op *move = keep(walk, m, op);
        if (!move || gsim_array_grow(ops, sizeof **ops, *count, room)) return false;
        (*ops)[(*count)++] = move;
    }
    return !l->failed;
}

bool gsim_moves_walk_keeps(const struct gsim_moves_walk *walk) { return walk->lowerer.keeps; }

void gsim_afters_init(struct gsim_afters *afters, const struct gsim_program *program)
{
    *afters = (struct gsim_afters){.program = program};
}

void gsim_afters_release(struct gsim_afters *afters)
{
    gsim_free(afters->found);
    gsim_free(afters->passed);
    *afters = (struct gsim_afters){0};
}

static bool is_left_out(const struct gsim_afters *afters, const uint32_t *place, uint32_t op_index)
{
    return place[op_index] == UINT32_MAX && afters->program->ops[op_index].kind == GSIM_OP_PREFETCH;
}

/* Appends what OP must follow and this walk has not met. */
static bool append_new(struct gsim_afters *afters, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->after_count; a++) {
        if (afters->passed[op->after[a]] == afters->walk) continue;
        afters->passed[op->after[a]] = afters->walk;
        if (afters->found_count == afters->found_capacity &&
            gsim_array_grow(&afters->found, sizeof(*afters->found), afters->found_count,
                            &afters->found_capacity))
            return false;
        afters->found[afters->found_count++] = op->after[a];
    }
    return true;
}

bool gsim_afters_find(struct gsim_afters *afters, const struct gsim_op *op, const uint32_t *place,
                      const uint32_t **list, uint32_t *count)
{
    bool direct = true;
    size_t kept = 0;
    *list = op->after;
    *count = op->after_count;
    if (!afters->program->op_count)
        return true; /* drawn: whoever leaves one out with an "after" waits for all (feed.h) */
    for (uint32_t a = 0; a < op->after_count && direct; a++) direct = !is_left_out(afters, place, op->after[a]);
    if (direct) return true;
    if (!afters->passed) afters->passed = gsim_alloc(sizeof(*afters->passed) * afters->program->op_count);
    if (!afters->passed) return false;
    afters->walk++;
    afters->found_count = 0;
    if (!append_new(afters, op)) return false;
    for (size_t i = 0; i < afters->found_count; i++) { /* the list grows on the way */
        uint32_t found = afters->found[i];
        if (!is_left_out(afters, place, found)) afters->found[kept++] = found;
        else if (!append_new(afters, &afters->program->ops[found])) return false;
    }
    *list = afters->found;
    *count = (uint32_t)kept;
    return true;
}

void gsim_op_issue(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream)
{
    switch (op->kind) {
    case GSIM_OP_KERNEL:
        gsim_launch(driver, op, stream);
        break;
    case GSIM_OP_COPY:
        gsim_memcpy_async(driver, op, stream);
        break;
    case GSIM_OP_PREFETCH:
        gsim_prefetch_async(driver, op, stream);
        break;
    case GSIM_OP_HOST_WRITE:
    case GSIM_OP_HOST_READ:
        gsim_host_access(driver, op);
        break;
    case GSIM_OP_HOST_COMPUTE:
        gsim_host_work(driver, op->host_us, op->what ? op->what : op->overhead ? GSIM_API_OVERHEAD : "host compute");
        break;
    }
}

enum gsim_status gsim_run_status(const struct gsim_run *run, struct gsim_error *error)
{
    const struct gsim_error *found = &run->driver->error;
    return found->status == GSIM_OK ? GSIM_OK : gsim_error_set(error, found->status, "%s", found->message);
}
