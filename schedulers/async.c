/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * async: the author's hand-made streams, taken literally from the program's "stream" fields; dependences that
 * cross streams become events, one per predecessor. Ops without a stream go to stream 0. Deviations from the
 * authors' hand-written code: events are created once, and which are needed is derived, not read.
 */
#include <stdlib.h>

#include "gpusim/limits.h"
#include "gpusim/schedulers/plan.h"
#include "gpusim/order.h"

struct async_params {
    int event_flags; /* index into "timing|no-timing" */
    int prune;       /* enum gsim_plan_prune */
    int attach;
};

enum { ATTACH_ALWAYS, ATTACH_AUTO, ATTACH_NEVER };

struct async_state {
    struct gsim_planned planned;
    int32_t *numbers;   /* the author's stream numbers in use, ascending */
    uint32_t *attached; /* by buffer: its stream's index, counted from 1; NULL: none is attached */
    uint32_t number_count, stream_count;
    bool has_devices;   /* some are on other GPUs than GPU 0 */
};

GSIM_ORDER_OF(compare_numbers, int32_t)

/* Streams are numbered for each GPU. Of a program that was placed the plan sees to that. */
static int32_t number_of(const struct gsim_run *run, const struct gsim_op *op)
{
    return (run->is_placed ? 0 : (int32_t)op->device * (GSIM_LIMIT_STREAM + 1)) + (op->stream < 0 ? 0 : op->stream);
}

static uint32_t index_of(const struct gsim_run *run, const struct async_state *state, const struct gsim_op *op)
{
    int32_t number = number_of(run, op);
    if ((uint32_t)number < state->number_count && state->numbers[number] == number) return (uint32_t)number;
    const int32_t *found =
        bsearch(&number, state->numbers, state->number_count, sizeof(*state->numbers), compare_numbers);
    GSIM_INVARIANT(found);
    return (uint32_t)(found - state->numbers);
}

/* Of the program's ops, those that are issued to a stream in this run. */
static bool has_stream(const struct gsim_run *run, const struct gsim_op *op)
{
    return !gsim_op_is_host(op) && (op->kind != GSIM_OP_PREFETCH || gsim_moves_keep_prefetches(run));
}

/* The distinct stream numbers of the device ops, ascending. */
static enum gsim_status find_streams(struct gsim_run *run, struct async_state *state, struct gsim_error *error)
{
    const struct gsim_program *program = run->program;
    uint32_t count = 0;
    bool is_listed[256] = {false}; /* streams of small numbers, so that few are sorted */
    int32_t *numbers = state->numbers = GSIM_ARENA_ARRAY(run->arena, int32_t, (size_t)program->op_count + 1);
    if (!numbers) return gsim_no_memory(error);
    for (uint32_t i = 0; i < program->op_count; i++) {
        if (!has_stream(run, &program->ops[i])) continue;
        int32_t number = number_of(run, &program->ops[i]);
        state->has_devices |= program->ops[i].device && !run->is_placed;
        if ((size_t)number < sizeof is_listed && is_listed[number]) continue;
        if ((size_t)number < sizeof is_listed) is_listed[number] = true;
        numbers[count++] = number;
    }
    if (count == 0) numbers[count++] = 0; /* moves may still need a stream */
    qsort(numbers, count, sizeof(*numbers), compare_numbers);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || numbers[i] != numbers[i - 1]) numbers[state->number_count++] = numbers[i];
    state->stream_count = state->number_count;
    return GSIM_OK;
}

/* Early copies of pinned or pageable data get one stream of their own; other moves follow the op they serve.
 * A move for a host op or between GPUs has no stream of its own: it takes that of what made its data. */
static uint32_t stream_of_op(const struct gsim_run *run, struct async_state *state, const struct gsim_op *op)
{
    if (!gsim_op_is_move(run, op)) return index_of(run, state, op);
    if (op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_P2P) return UINT32_MAX;
    if (run->prefetch && !state->has_devices && op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_H2D) {
        state->stream_count = state->number_count + 1;
        return state->number_count;
    }
    return gsim_op_is_host(&run->program->ops[op->index]) ? UINT32_MAX : index_of(run, state, op);
}

/* Of a program that is drawn streams are the program's numbers. The list is an op behind its moves. */
static void choose_drawn(const struct gsim_plan_choice *choice, uint32_t device_count, uint32_t *streams)
{
    const struct gsim_oplist *list = choice->list;
    bool serves_host = list->move_count < list->op_count && gsim_op_is_host(list->ops[list->op_count - 1]);
    for (uint32_t i = 0; streams && i < list->op_count; i++) {
        const struct gsim_op *op = list->ops[i];
        uint32_t writer = serves_host && i < list->move_count ? gsim_pull_writer(choice->pull, op) : UINT32_MAX;
        bool is_here = writer != UINT32_MAX && writer % device_count == op->device;
        streams[i] = is_here ? writer / device_count : op->stream < 0 ? 0 : (uint32_t)op->stream;
    }
}

static enum gsim_status choose(struct gsim_run *run, struct gsim_plan_choice *choice, struct gsim_arena *scratch,
                               struct gsim_error *error)
{
    const struct async_params *params = run->params;
    struct async_state *state = run->state;
    const struct gsim_oplist *list = choice->list;
    uint32_t *streams = GSIM_ARENA_ARRAY(scratch, uint32_t, (size_t)list->op_count + 1);
    (void)error;
    choice->stream_of = streams;
    if (choice->pull) {
        choose_drawn(choice, gsim_device_count(run->driver), streams);
        return GSIM_OK;
    }
    for (uint32_t i = 0; streams && i < list->op_count; i++) {
        if (gsim_op_is_host(list->ops[i])) continue;
        streams[i] = stream_of_op(run, state, list->ops[i]);
        if (streams[i] != UINT32_MAX) continue;
        uint32_t maker = gsim_dag_maker(choice->dag, list, i);
        streams[i] = maker == UINT32_MAX ? 0 : streams[maker];
    }
    choice->stream_count = state->stream_count;
    choice->prune = (enum gsim_plan_prune)params->prune;
    return GSIM_OK;
}

/* As the authors do: a buffer belongs to the stream that first writes it, or else to the only one that reads it; what
 * several streams read and none writes stays visible to all. */
static enum gsim_status find_attached(struct gsim_run *run, struct async_state *state, struct gsim_error *error)
{
    const struct gsim_program *p = run->program;
    const struct async_params *params = run->params;
    bool attaches = params->attach == ATTACH_ALWAYS || (params->attach == ATTACH_AUTO && run->compute_capability < 60);
    if (!attaches || run->memory != GSIM_MEMORY_MANAGED) return GSIM_OK;
    state->attached = GSIM_ARENA_ARRAY(run->arena, uint32_t, p->buffer_count + 1);
    bool *is_settled = GSIM_ARENA_ARRAY(run->arena, bool, p->buffer_count + 1);
    if (!state->attached || !is_settled) return gsim_no_memory(error);
    for (uint32_t i = 0; i < p->op_count; i++) {
        if (p->ops[i].kind != GSIM_OP_KERNEL) continue;
        uint32_t stream = index_of(run, state, &p->ops[i]) + 1;
        for (uint32_t a = 0; a < p->ops[i].arg_count; a++) {
            uint32_t *owner = &state->attached[p->ops[i].args[a].buffer_index];
            bool *settled = &is_settled[p->ops[i].args[a].buffer_index];
            if (*settled) continue;
            if (p->ops[i].args[a].writes || !*owner) *owner = stream;
            else if (*owner != stream) *owner = 0;
            *settled = p->ops[i].args[a].writes || !*owner;
        }
    }
    return GSIM_OK;
}

static enum gsim_status prepare(struct gsim_run *run, struct gsim_error *error)
{
    struct async_state *state = run->state = GSIM_ARENA_NEW(run->arena, struct async_state);
    if (!state) return gsim_no_memory(error);
    if (run->draw) return GSIM_OK;
    enum gsim_status status = find_streams(run, state, error);
    if (status == GSIM_OK) status = find_attached(run, state, error);
    return status ? status : gsim_plan_prepare(run, gsim_moves_place_default(run), false, choose, error);
}

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct async_params *params = run->params;
    const struct async_state *state = run->state;
    const struct gsim_plan_style style = {.attached = state->attached,
                                          .stream_count = state->stream_count,
                                          .event_flags = params->event_flags ? GSIM_EVENT_NO_TIMING : GSIM_EVENT_TIMING,
                                          .most = 1,
                                          .has_op_priorities = true};
    return gsim_plan_run(run, choose, style, error);
}

const struct gsim_scheduler_ops gsim_scheduler_async = {
    GSIM_HEAD(scheduler),
    .name = "async",
    .summary = "the author's own streams, with events where dependences cross them",
    .source = "hand-tuned variants of the GrCUDA benchmark suite (IPDPS 2021)",
    .shape = GSIM_SHAPE_CONCURRENT,
    .uses_devices = true,
    .takes_source = true,
    GSIM_PARAMS(struct async_params,
        GSIM_CHOICE(struct async_params, event_flags, 0, 1, "timing|no-timing",
                    "flags of cudaEventCreate; the benchmarks' authors use the default, timing"),
        GSIM_PLAN_PRUNE_PARAM(struct async_params, prune, GSIM_PRUNE_LATEST, ""),
        GSIM_CHOICE(struct async_params, attach, ATTACH_AUTO, 2, "always|auto|never",
                    "attach managed buffers to their streams: always, before Pascal, never")),
    .prepare = prepare,
    .execute = execute,
};
