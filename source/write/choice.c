/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A driver between the scheduler and the simulated one that writes down streams, events and waits. An event stands for
 * the ops that its recording follows. What asks the device how far it is, or starts threads, decides at run time: there
 * is nothing to write down.
 */
#include "source/write/choice.h"
#include "gpusim/scenario.h"

#define NONE        GSIM_CHOICE_NONE
#define MAX_CLOCKS 50000000u

/* The latest op of a stream, and what its next one waits for. */
struct own_stream {
    uint32_t number, last;
    int priority;
    struct gsim_choice_list waits;
};

struct recorder {
    struct gsim_forward forward; /* first */
    struct gsim_choice *choice;
    const struct gsim_program *program;
    struct own_stream *streams;  /* by handle */
    struct gsim_choice_list *events;         /* by handle */
    size_t stream_count, stream_room, event_count, event_room;
    struct gsim_choice_list nodes;           /* of the graph being made: their ops */
    const char *asked;           /* what only a scheduler at run time asks; NULL: nothing */
    bool failed;
    struct own_stream no_stream; /* where memory is out */
    struct gsim_choice_list no_event;
};

static struct recorder *of(struct gsim_driver *driver) { return (struct recorder *)(void *)driver; }

void gsim_choice_push(struct gsim_choice_list *list, uint32_t item, bool *failed)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i] == item) return;
    if (!GSIM_APPEND(list->at, list->count, list->room, item)) *failed = true;
}

static struct own_stream *stream_at(struct recorder *r, gsim_stream handle)
{
    while (r->stream_count <= handle) {
        if (gsim_array_grow(&r->streams, sizeof *r->streams, r->stream_count, &r->stream_room)) {
            r->failed = true;
            r->no_stream = (struct own_stream){.number = NONE, .last = NONE};
            return &r->no_stream;
        }
        r->streams[r->stream_count++] = (struct own_stream){.number = NONE, .last = NONE};
    }
    return &r->streams[handle];
}

static struct gsim_choice_list *event_at(struct recorder *r, gsim_event handle)
{
    while (r->event_count <= handle) {
        if (gsim_array_grow(&r->events, sizeof *r->events, r->event_count, &r->event_room)) {
            r->failed = true;
            r->no_event = (struct gsim_choice_list){0};
            return &r->no_event;
        }
        r->events[r->event_count++] = (struct gsim_choice_list){0};
    }
    return &r->events[handle];
}

/* --- calls --- */
static uint32_t new_number(struct recorder *r, int priority)
{
    if (gsim_array_grow(&r->choice->priorities, sizeof *r->choice->priorities, r->choice->stream_count,
                        &r->choice->stream_room))
        r->failed = true;
    else r->choice->priorities[r->choice->stream_count] = priority;
    return r->choice->stream_count++;
}

static uint32_t add_op(struct recorder *r, const struct gsim_op *op, uint32_t stream, const uint32_t *waits,
                       size_t wait_count)
{
    struct gsim_choice *choice = r->choice;
    bool is_own = op >= r->program->ops && op < r->program->ops + r->program->op_count;
    if (gsim_array_grow(&choice->ops, sizeof *choice->ops, choice->op_count, &choice->op_room)) r->failed = true;
    for (size_t i = 0; i < wait_count && !r->failed; i++) {
        if (gsim_array_grow(&choice->waits, sizeof *choice->waits, choice->wait_count + i, &choice->wait_room))
            r->failed = true;
        else choice->waits[choice->wait_count + i] = waits[i];
    }
    if (r->failed) return NONE;
    bool is_added = op->kind == GSIM_OP_PREFETCH && !is_own;
    choice->ops[choice->op_count] = (struct gsim_choice_op){.op = op->index,
                                                            .buffer = is_added ? op->args[0].buffer_index : NONE,
                                                            .bytes = op->bytes,
                                                            .stream = stream,
                                                            .wait_start = (uint32_t)choice->wait_count,
                                                            .wait_count = (uint32_t)wait_count};
    choice->wait_count += wait_count;
    return (uint32_t)choice->op_count++;
}

static void issue(struct recorder *r, const struct gsim_op *op, gsim_stream handle)
{
    struct own_stream *stream = stream_at(r, handle);
    if (stream->number == NONE) stream->number = new_number(r, stream->priority);
    stream->last = add_op(r, op, stream->number, stream->waits.at, stream->waits.count);
    stream->waits.count = 0;
}

static gsim_stream see_stream_create(struct gsim_driver *d, int priority)
{
    struct recorder *r = of(d);
    gsim_stream handle = r->forward.below->ops->stream_create(r->forward.below, priority);
    stream_at(r, handle)->priority = priority;
    return handle;
}

static void see_launch(struct gsim_driver *d, const struct gsim_op *op, gsim_stream s)
{
    issue(of(d), op, s);
    gsim_launch(of(d)->forward.below, op, s);
}

static void see_memcpy(struct gsim_driver *d, const struct gsim_op *op, gsim_stream s)
{
    issue(of(d), op, s);
    gsim_memcpy_async(of(d)->forward.below, op, s);
}

static void see_prefetch(struct gsim_driver *d, const struct gsim_op *op, gsim_stream s)
{
    issue(of(d), op, s);
    gsim_prefetch_async(of(d)->forward.below, op, s);
}

static void see_record(struct gsim_driver *d, gsim_event e, gsim_stream s)
{
    struct recorder *r = of(d);
    struct gsim_choice_list *event = event_at(r, e);
    const struct own_stream *stream = stream_at(r, s);
    event->count = 0;
    if (stream->last != NONE) gsim_choice_push(event, stream->last, &r->failed);
    for (size_t i = 0; i < stream->waits.count; i++) gsim_choice_push(event, stream->waits.at[i], &r->failed);
    gsim_event_record(r->forward.below, e, s);
}

static void see_wait(struct gsim_driver *d, gsim_stream s, gsim_event e)
{
    struct recorder *r = of(d);
    const struct gsim_choice_list *event = event_at(r, e);
    for (size_t i = 0; i < event->count; i++) gsim_choice_push(&stream_at(r, s)->waits, event->at[i], &r->failed);
    gsim_stream_wait_event(r->forward.below, s, e);
}

/* Nodes of a graph have streams of their own: what it is captured from gives its edges. */
static gsim_graph see_graph(struct gsim_driver *d)
{
    of(d)->nodes.count = 0;
    return gsim_graph_create(of(d)->forward.below);
}

static gsim_graph_node see_node(struct gsim_driver *d, gsim_graph g, const struct gsim_op *op,
                                const gsim_graph_node *after, uint32_t count)
{
    struct recorder *r = of(d);
    struct gsim_choice_list waits = {0};
    for (uint32_t i = 0; i < count; i++)
        if (after[i] < r->nodes.count) gsim_choice_push(&waits, r->nodes.at[after[i]], &r->failed);
    gsim_choice_push(&r->nodes, add_op(r, op, new_number(r, 0), waits.at, waits.count), &r->failed);
    gsim_free(waits.at);
    return gsim_graph_add(r->forward.below, g, op, after, count);
}

static bool ask_stream(struct gsim_driver *d, gsim_stream s)
{
    of(d)->asked = "asks whether a stream is idle";
    return gsim_stream_query(of(d)->forward.below, s);
}

static bool ask_event(struct gsim_driver *d, gsim_event e)
{
    of(d)->asked = "asks whether an event is complete";
    return gsim_event_query(of(d)->forward.below, e);
}

static uint32_t ask_any(struct gsim_driver *d, const struct gsim_waitable *list, uint32_t count, double timeout_us)
{
    of(d)->asked = "waits for whichever comes first";
    return gsim_wait_any(of(d)->forward.below, list, count, timeout_us);
}

static void ask_persistent(struct gsim_driver *d, const struct gsim_persistent *plan, gsim_stream s)
{
    of(d)->asked = "makes one kernel of all";
    gsim_persistent_launch(of(d)->forward.below, plan, s);
}

static struct gsim_driver *attach(void *data, struct gsim_driver *real)
{
    struct recorder *r = data;
    gsim_forward_init(&r->forward, real);
    struct gsim_driver_ops *ops = &r->forward.ops;
    ops->stream_create = see_stream_create;
    ops->launch = see_launch;
    ops->memcpy_async = see_memcpy;
    ops->prefetch_async = see_prefetch;
    ops->event_record = see_record;
    ops->stream_wait_event = see_wait;
    ops->graph_create = see_graph;
    ops->graph_add = see_node;
    ops->stream_query = ask_stream;
    ops->event_query = ask_event;
    if (ops->wait_any) ops->wait_any = ask_any;
    if (ops->persistent_launch) ops->persistent_launch = ask_persistent;
    return &r->forward.driver;
}

/* --- streams that take turns --- */
/* By op of the program: the last op before it where the host had waited for all there was, plus 1. */
static void find_barriers(const struct gsim_program *p, uint32_t *barrier)
{
    uint32_t pending = 0, last = 0;
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct gsim_op *op = &p->ops[i];
        bool is_host =
            op->kind == GSIM_OP_HOST_COMPUTE || op->kind == GSIM_OP_HOST_READ || op->kind == GSIM_OP_HOST_WRITE;
        barrier[i] = last;
        pending += !is_host;
        if (op->kind != GSIM_OP_HOST_COMPUTE || op->after_count < pending) continue;
        last = i + 1;
        pending = 0;
    }
}

/* By op of the choice and stream: the last op of that stream which it follows, plus 1. NULL: too much to tell. */
static uint32_t *find_order(const struct gsim_choice *c)
{
    const size_t streams = c->stream_count;
    const size_t count = c->op_count * streams;
    uint32_t *clocks = count > MAX_CLOCKS ? NULL : gsim_alloc(sizeof *clocks * (count + 1));
    uint32_t *last = clocks ? gsim_alloc(sizeof *last * (streams + 1)) : NULL;
    for (size_t i = 0; i < c->op_count && last; i++) {
        const struct gsim_choice_op *op = &c->ops[i];
        uint32_t *own = clocks + i * streams;
        for (uint32_t k = 0; k <= op->wait_count; k++) {
            uint32_t before = k < op->wait_count ? c->waits[op->wait_start + k] + 1 : last[op->stream];
            for (size_t s = 0; s < streams && before && before <= i; s++)
                if (own[s] < clocks[(before - 1) * streams + s]) own[s] = clocks[(before - 1) * streams + s];
        }
        own[op->stream] = last[op->stream] = (uint32_t)i + 1;
    }
    gsim_free(last);
    return clocks;
}

/* A stream whose first op follows all of one that is not used any more takes its number: by its waits, or as the host
 * waited. */
static bool reuse_streams(struct gsim_choice *c, const struct gsim_program *p)
{
    const size_t streams = (size_t)c->stream_count + 1;
    uint32_t *numbers = gsim_alloc(sizeof *numbers * ((size_t)p->op_count + 4 * streams)), *order = find_order(c);
    if (!numbers) return false;
    uint32_t *barrier = numbers, *last_op = barrier + p->op_count, *last = last_op + streams, *now = last + streams,
             *owner = now + streams, count = 0;
    find_barriers(p, barrier);
    for (size_t i = 0; i < c->op_count; i++) {
        if (c->ops[i].op + 1 > last_op[c->ops[i].stream]) last_op[c->ops[i].stream] = c->ops[i].op + 1;
        last[c->ops[i].stream] = (uint32_t)i + 1;
    }
    for (uint32_t s = 0; s < c->stream_count; s++) now[s] = NONE;
    for (size_t i = 0; i < c->op_count; i++) {
        uint32_t stream = c->ops[i].stream, number = 0;
        if (now[stream] == NONE) {
            for (; number < count; number++) {
                uint32_t before = owner[number];
                bool is_over = last_op[before] <= barrier[c->ops[i].op] ||
                               (order && order[i * c->stream_count + before] >= last[before]);
                if (is_over && c->priorities[number] == c->priorities[stream]) break;
            }
            count += number == count;
            owner[number] = stream;
            c->priorities[number] = c->priorities[stream];
            now[stream] = number;
        }
        c->ops[i].stream = now[stream];
    }
    c->stream_count = count;
    gsim_free(numbers);
    gsim_free(order);
    return true;
}

enum gsim_status gsim_choice_make(struct gsim_choice *choice, struct gsim_simulation *simulation,
                                  struct gsim_timeline *timeline, struct gsim_error *error)
{
    const struct gsim_scheduler_ops *scheduler = simulation->scheduler;
    struct recorder *r = gsim_alloc(sizeof *r);
    *choice = (struct gsim_choice){0};
    if (!r) return gsim_no_memory(error);
    r->choice = choice;
    r->program = simulation->program;
    simulation->attach = attach;
    simulation->attach_data = r;
    simulation->iterations = 1;
    const char *why = scheduler->has_threads    ? "starts threads"
                      : scheduler->has_frontend ? "works within the GPU"
                                                : NULL;
    const struct gsim_scenario scenario = {.simulation = *simulation};
    enum gsim_status status = why ? GSIM_OK : gsim_run(&scenario, timeline, error);
    if (!why) why = r->asked;
    if (status == GSIM_OK && why)
        status = gsim_error_set(error, GSIM_USAGE,
                                "scheduler '%s' decides while the program runs: it %s: there is no schedule to write; "
                                "expected kesco, grsched, heft, taskflow, cudagraph, serial, async or plan=FILE",
                                scheduler->name, why);
    if (status == GSIM_OK && !reuse_streams(choice, r->program)) r->failed = true;
    if (status == GSIM_OK && r->failed) status = gsim_no_memory(error);
    for (size_t i = 0; i < r->stream_count; i++) gsim_free(r->streams[i].waits.at);
    for (size_t i = 0; i < r->event_count; i++) gsim_free(r->events[i].at);
    gsim_free(r->streams);
    gsim_free(r->events);
    gsim_free(r->nodes.at);
    gsim_free(r);
    simulation->attach = NULL;
    return status;
}

void gsim_choice_release(struct gsim_choice *choice)
{
    gsim_free(choice->ops);
    gsim_free(choice->waits);
    gsim_free(choice->priorities);
    *choice = (struct gsim_choice){0};
}
