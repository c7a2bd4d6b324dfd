/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/run/engine.h: streams, events, waits, graphs. */
#include <string.h>

#include "gpusim/memory.h"
#include "source/run/queue.h"

/* --- graphs --- */
static void push(struct gsim_run_nodes *list, uint32_t node)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i] == node) return;
    if (!GSIM_APPEND(list->at, list->count, list->room, node)) gsim_run_fail("out of memory");
}

static void push_all(struct gsim_run_nodes *list, const struct gsim_run_nodes *others)
{
    for (size_t i = 0; i < others->count; i++) push(list, others->at[i]);
}

void gsim_run_capture(struct gsim_run_command *c, struct gsim_run_stream *s)
{
    struct gsim_run_graph *g = s->graph;
    if (gsim_array_grow(&g->nodes, sizeof *g->nodes, g->count + 1, &g->room) != GSIM_OK) gsim_run_fail("out of memory");
    g->nodes[g->count] = (struct gsim_run_node){.command = c, .stream = (uint32_t)(s - gsim_run_engine()->streams)};
    push_all(&g->nodes[g->count].follows, &s->frontier);
    s->frontier.count = 0;
    push(&s->frontier, (uint32_t)g->count++);
    c->is_done = true; /* it stands for its copies */
}

static struct gsim_run_graph *new_graph(uintptr_t *handle)
{
    struct gsim_run_engine *e = gsim_run_engine();
    struct gsim_run_graph *g = gsim_alloc(sizeof *g);
    if (!g || !GSIM_APPEND(e->graphs, e->graph_count, e->graph_room, g)) gsim_run_fail("out of memory");
    *handle = GSIM_RUN_HANDLE + e->graph_count - 1;
    return g;
}

static struct gsim_run_graph *graph_of(const void *handle)
{
    const struct gsim_run_engine *e = gsim_run_engine();
    uintptr_t number = (uintptr_t)handle - GSIM_RUN_HANDLE;
    if (number >= e->graph_count) gsim_run_fail("a call with a graph that does not exist");
    return e->graphs[number];
}

static void begin_capture(struct gsim_run_stream *s)
{
    struct gsim_run_engine *e = gsim_run_engine();
    uintptr_t handle;
    if (s == e->streams) gsim_run_fail("the default stream cannot be captured");
    if (s->graph) gsim_run_fail("a stream is captured that is captured already");
    s->graph = new_graph(&handle);
    s->graph->origin = (uint32_t)(s - e->streams);
    s->frontier.count = 0;
}

/* All that other streams did must have been joined. */
static int end_capture(struct gsim_run_stream *s, void **graph)
{
    struct gsim_run_engine *e = gsim_run_engine();
    struct gsim_run_graph *g = s->graph;
    if (!g || g->origin != (uint32_t)(s - e->streams)) gsim_run_fail("the end of a capture that has not begun here");
    bool *is_joined = gsim_alloc(g->count + 1);
    if (!is_joined) gsim_run_fail("out of memory");
    for (size_t i = 0; i < s->frontier.count; i++) is_joined[s->frontier.at[i]] = true;
    for (size_t i = g->count; i-- > 0;)
        for (size_t k = 0; is_joined[i] && k < g->nodes[i].follows.count; k++)
            is_joined[g->nodes[i].follows.at[k]] = true;
    for (size_t i = 0; i < g->count; i++)
        if (!is_joined[i]) gsim_run_fail("a capture ends before all its streams were joined");
    gsim_free(is_joined);
    for (uint32_t i = 0; i < e->stream_count; i++)
        if (e->streams[i].graph == g) e->streams[i].graph = NULL;
    for (size_t i = 0; i < e->event_count; i++)
        if (e->events[i].graph == g) e->events[i].frontier.count = 0; /* no other graph may wait for it */
    for (size_t i = 0; i < e->graph_count; i++)
        if (e->graphs[i] == g) *graph = (void *)(GSIM_RUN_HANDLE + i);
    return 0;
}

static void share_nodes(struct gsim_run_graph *to, const struct gsim_run_graph *from)
{
    to->nodes = from->nodes; /* neither changes from now on */
    to->count = from->count;
}

static int update(struct gsim_run_graph *to, const struct gsim_run_graph *from)
{
    bool is_alike = to->count == from->count;
    for (size_t i = 0; is_alike && i < to->count; i++) {
        const struct gsim_run_node *a = &to->nodes[i], *b = &from->nodes[i];
        is_alike = a->command->kind == b->command->kind && a->follows.count == b->follows.count &&
                   !memcmp(a->follows.at, b->follows.at, a->follows.count * sizeof *a->follows.at);
    }
    if (!is_alike) return 910; /* cudaErrorGraphExecUpdateFailure */
    share_nodes(to, from);
    return 0;
}

static void launch_graph(struct gsim_run_graph *g, struct gsim_run_stream *s, const char *file, int line)
{
    struct gsim_run_command **made = gsim_alloc(sizeof(void *) * (g->count + 1));
    struct gsim_run_command *begin = gsim_run_new(GSIM_RUN_MARK, "cudaGraphLaunch", file, line), *end;
    if (!made) gsim_run_fail("out of memory");
    if (s->graph) gsim_run_fail("a graph is launched in a stream that is captured");
    gsim_run_engine()->shared->graphs++;
    gsim_run_follow(begin, g->last);
    gsim_run_enqueue(begin, s);
    for (size_t i = 0; i < g->count; i++) {
        const struct gsim_run_node *node = &g->nodes[i];
        struct gsim_run_command *c = made[i] = gsim_run_new(node->command->kind, "", NULL, 0);
        uint32_t number = c->number;
        *c = *node->command;
        c->number = number;
        c->is_done = false;
        gsim_run_will_be_seen(c);
        gsim_run_follow(c, begin);
        for (size_t k = 0; k < node->follows.count; k++) gsim_run_follow(c, made[node->follows.at[k]]);
        if (!g->slots[node->stream]) g->slots[node->stream] = gsim_run_slot();
        gsim_run_put(c, g->slots[node->stream]);
    }
    end = gsim_run_new(GSIM_RUN_MARK, "the end of the graph", file, line);
    for (size_t i = 0; i < g->count; i++) gsim_run_follow(end, made[i]);
    gsim_run_enqueue(end, s);
    g->last = end;
    gsim_free(made);
}

/* --- events --- */
static struct gsim_run_event *event_of(const void *handle)
{
    const struct gsim_run_engine *e = gsim_run_engine();
    uintptr_t number = (uintptr_t)handle - GSIM_RUN_HANDLE;
    if (number >= e->event_count) gsim_run_fail("a call with an event that does not exist");
    return &e->events[number];
}

static void record(struct gsim_run_event *event, struct gsim_run_stream *s, const char *file, int line)
{
    event->graph = s->graph;
    event->frontier.count = 0;
    if (s->graph) {
        push_all(&event->frontier, &s->frontier);
        return;
    }
    event->recorded = gsim_run_new(GSIM_RUN_MARK, "cudaEventRecord", file, line);
    gsim_run_enqueue(event->recorded, s);
}

/* A wait for an event of a capture takes the stream into it. */
static void wait_event(struct gsim_run_stream *s, const struct gsim_run_event *event, const char *file, int line)
{
    if (event->graph) {
        if (s->graph && s->graph != event->graph) gsim_run_fail("a captured stream waits for another capture");
        bool is_open = false;
        const struct gsim_run_engine *e = gsim_run_engine();
        for (uint32_t i = 0; i < e->stream_count; i++) is_open |= e->streams[i].graph == event->graph;
        if (!is_open) gsim_run_fail("a wait for an event of a capture that has ended");
        if (!s->graph) s->frontier.count = 0;
        s->graph = event->graph;
        push_all(&s->frontier, &event->frontier);
        return;
    }
    if (!event->recorded) return;
    if (s->graph) gsim_run_fail("a captured stream waits for an event from without");
    struct gsim_run_command *c = gsim_run_new(GSIM_RUN_MARK, "cudaStreamWaitEvent", file, line);
    gsim_run_follow(c, event->recorded);
    gsim_run_enqueue(c, s);
}

/* --- calls --- */
static int query(struct gsim_run_command *c)
{
    if (!c) return 0;
    if (!c->is_done && gsim_run_engine()->settings->order != GSIM_RUN_RANDOM) gsim_run_wait(c);
    if (!c->is_done) return 600; /* cudaErrorNotReady; as chance has it, it will be */
    gsim_run_wait(c);
    return 0;
}

static int create_stream(void **to, long flags)
{
    struct gsim_run_engine *e = gsim_run_engine();
    if (e->stream_count == GSIM_RUN_STREAMS) gsim_run_fail("more streams than can be run here");
    e->streams[e->stream_count] = (struct gsim_run_stream){.is_blocking = !(flags & 1), .slot = gsim_run_slot()};
    *to = (void *)(uintptr_t)(GSIM_RUN_HANDLE + e->stream_count++);
    return 0;
}

static int create_event(void **to)
{
    struct gsim_run_engine *e = gsim_run_engine();
    const struct gsim_run_event none = {0};
    if (!GSIM_APPEND(e->events, e->event_count, e->event_room, none)) gsim_run_fail("out of memory");
    *to = (void *)(GSIM_RUN_HANDLE + e->event_count - 1);
    return 0;
}

static int instantiate(const struct gsim_run_graph *graph, void **to)
{
    uintptr_t handle;
    share_nodes(new_graph(&handle), graph);
    *to = (void *)handle;
    return 0;
}

static struct gsim_run_command *last_of(const struct gsim_run_stream *s)
{
    if (s->graph) gsim_run_fail("the host waits for a stream that is captured");
    return s->last;
}

int gsim_run_call(int what, void *a, void *b, long n, const char *file, int line)
{
    gsim_run_begin(file, line);
    switch ((enum gpusim_run_call)what) {
    case GPUSIM_STREAM_CREATE:
        return create_stream(a, n);
    case GPUSIM_STREAM_SYNC:
        gsim_run_wait(last_of(gsim_run_stream_of(a)));
        break;
    case GPUSIM_STREAM_QUERY:
        return query(last_of(gsim_run_stream_of(a)));
    case GPUSIM_DEVICE_SYNC:
        gsim_run_wait_all();
        break;
    case GPUSIM_EVENT_CREATE:
        return create_event(a);
    case GPUSIM_EVENT_RECORD:
        record(event_of(a), gsim_run_stream_of(b), file, line);
        break;
    case GPUSIM_EVENT_SYNC:
        gsim_run_wait(event_of(a)->recorded);
        break;
    case GPUSIM_EVENT_QUERY:
        return query(event_of(a)->recorded);
    case GPUSIM_STREAM_WAIT:
        wait_event(gsim_run_stream_of(a), event_of(b), file, line);
        break;
    case GPUSIM_CAPTURE_BEGIN:
        begin_capture(gsim_run_stream_of(a));
        break;
    case GPUSIM_CAPTURE_END:
        return end_capture(gsim_run_stream_of(a), b);
    case GPUSIM_INSTANTIATE:
        return instantiate(graph_of(a), b);
    case GPUSIM_UPDATE:
        return update(graph_of(a), graph_of(b));
    case GPUSIM_GRAPH_LAUNCH:
        launch_graph(graph_of(a), gsim_run_stream_of(b), file, line);
        break;
    case GPUSIM_FREE:
        if (a) gsim_run_wait_all();
        return gsim_run_release(a);
    }
    return 0;
}
