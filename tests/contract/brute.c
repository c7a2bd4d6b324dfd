/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The second simulator of brute.h: it looks at everything after each event and keeps an entry for each block. */
#include "sim/host/api.h"
#include "tests/contract/brute.h"
#include "tests/test.h"

enum { MOST = 4000, STREAMS = 64, SMS = 4, EVENTS = 512, QUEUES = BRUTE_QUEUES, THREADS = 8 };
enum kind {
    KERNEL,
    COPY,
    RECORD,
    WAIT,
    WORK,
    SYNC_STREAM,
    SYNC_EVENT,
    SYNC_ALL,
    WAIT_ANY,
    JOIN,
    CREATE,
    QUERY,
    BEGIN,
    END
};

struct call {
    enum kind kind;
    uint32_t stream, event, thread, other; /* OTHER: the thread that is made or joined */
    const struct gsim_op *op;
    double us;
    uint32_t first, last; /* of the waitables */
    uint32_t before;      /* of a wait for the device: one more than was enqueued when it began; 0: not begun */
    /* of what is enqueued */
    int marker; /* the record that a wait is for; -1: none */
    uint32_t queue;
    bool is_done, is_submitted;
    double arrival, start, end, left;
    int to_place, running;
};

static struct {
    struct gsim_forward forward;
    struct call calls[MOST];
    uint32_t count;
    struct gsim_waitable waitables[MOST];
    uint32_t waitable_count;
    gsim_thread (*create)(struct gsim_driver *, gsim_body, void *); /* of forward.c */
    int priority[STREAMS];
    bool is_timed[EVENTS];
    bool is_beyond; /* a call that is left out here */
} seen;

static const struct gsim_program *program;
static const struct gsim_device_spec *device;

/* --- what the host called ------------------------------------------------------------------------------------ */

static struct call *add(enum kind kind, uint32_t stream, uint32_t event, const struct gsim_op *op)
{
    if (seen.count == MOST || stream >= STREAMS || event >= EVENTS) {
        seen.is_beyond = true;
        return &seen.calls[0];
    }
    uint32_t thread = gsim_api_process(seen.forward.below)->machine->running->index;
    seen.is_beyond |= thread >= THREADS;
    seen.calls[seen.count] = (struct call){
        .kind = kind, .stream = stream, .event = event, .thread = thread % THREADS, .op = op, .marker = -1};
    return &seen.calls[seen.count++];
}

#define BELOW(d) (((struct gsim_forward *)(d))->below)
#define SEES(name, parameters, sees, calls) static void name parameters { sees; calls; }
static void on_launch(struct gsim_driver *d, const struct gsim_op *op, gsim_stream s)
{
    seen.is_beyond |= op->programmatic;
    add(KERNEL, s, 0, op);
    gsim_launch(BELOW(d), op, s);
}
SEES(on_copy, (struct gsim_driver *d, const struct gsim_op *op, gsim_stream s),
     add(COPY, s, 0, op), gsim_memcpy_async(BELOW(d), op, s))
static gsim_stream on_stream(struct gsim_driver *d, int priority)
{
    gsim_stream s = gsim_stream_create(BELOW(d), priority);
    if (s < STREAMS) seen.priority[s] = priority;
    return s;
}
static gsim_event on_create(struct gsim_driver *d, enum gsim_event_flags flags)
{
    gsim_event e = gsim_event_create(BELOW(d), flags);
    if (e < EVENTS) seen.is_timed[e] = flags == GSIM_EVENT_TIMING;
    return e;
}
SEES(on_record, (struct gsim_driver *d, gsim_event e, gsim_stream s),
     add(RECORD, s, e, NULL), gsim_event_record(BELOW(d), e, s))
SEES(on_wait, (struct gsim_driver *d, gsim_stream s, gsim_event e),
     add(WAIT, s, e, NULL), gsim_stream_wait_event(BELOW(d), s, e))
SEES(on_work, (struct gsim_driver *d, double us, const char *what),
     add(WORK, 0, 0, NULL)->us = us, gsim_host_work(BELOW(d), us, what))
SEES(on_sync_stream, (struct gsim_driver *d, gsim_stream s),
     add(SYNC_STREAM, s, 0, NULL), gsim_stream_synchronize(BELOW(d), s))
SEES(on_sync_event, (struct gsim_driver *d, gsim_event e),
     add(SYNC_EVENT, 0, e, NULL), gsim_event_synchronize(BELOW(d), e))
SEES(on_sync_all, (struct gsim_driver *d), add(SYNC_ALL, 0, 0, NULL), gsim_device_synchronize(BELOW(d)))
static bool on_query_event(struct gsim_driver *d, gsim_event e)
{
    add(QUERY, 0, e, NULL);
    return gsim_event_query(BELOW(d), e);
}
static bool on_query_stream(struct gsim_driver *d, gsim_stream s)
{
    add(QUERY, s, 0, NULL);
    return gsim_stream_query(BELOW(d), s);
}
SEES(on_begin, (struct gsim_driver *d, uint32_t i), add(BEGIN, 0, 0, NULL), gsim_iteration_begin(BELOW(d), i))
SEES(on_end, (struct gsim_driver *d, uint32_t i), add(END, 0, 0, NULL), gsim_iteration_end(BELOW(d), i))
static gsim_graph on_graph(struct gsim_driver *d)
{
    seen.is_beyond = true;
    return gsim_graph_create(BELOW(d));
}
SEES(on_capture, (struct gsim_driver *d, gsim_stream s), seen.is_beyond = true, gsim_capture_begin(BELOW(d), s))
static gsim_thread on_thread(struct gsim_driver *d, gsim_body body, void *argument)
{
    struct call *c = add(CREATE, 0, 0, NULL);
    return c->other = seen.create(d, body, argument);
}
static gsim_lock on_lock(struct gsim_driver *d)
{
    seen.is_beyond = true;
    return gsim_lock_create(BELOW(d));
}
static gsim_queue on_queue(struct gsim_driver *d, uint32_t capacity)
{
    seen.is_beyond = true;
    return gsim_queue_create(BELOW(d), capacity);
}
SEES(on_join, (struct gsim_driver *d, gsim_thread thread),
     add(JOIN, 0, 0, NULL)->other = thread, gsim_thread_join(BELOW(d), thread))
static uint32_t on_wait_any(struct gsim_driver *d, const struct gsim_waitable *list, uint32_t count, double timeout_us)
{
    struct call *c = add(WAIT_ANY, 0, 0, NULL);
    c->first = seen.waitable_count;
    for (uint32_t i = 0; i < count && seen.waitable_count < MOST; i++) {
        seen.is_beyond |= list[i].kind == GSIM_WAITABLE_QUEUE ||
                          list[i].handle >= (list[i].kind == GSIM_WAITABLE_STREAM ? STREAMS : EVENTS);
        seen.waitables[seen.waitable_count++] = list[i];
    }
    c->last = seen.waitable_count;
    seen.is_beyond |= timeout_us >= 0 || seen.waitable_count == MOST;
    return gsim_wait_any(BELOW(d), list, count, timeout_us);
}
SEES(on_persistent, (struct gsim_driver *d, const struct gsim_persistent *plan, gsim_stream s),
     seen.is_beyond = true, gsim_persistent_launch(BELOW(d), plan, s))
SEES(on_host_func, (struct gsim_driver *d, gsim_body body, void *argument, gsim_stream s),
     seen.is_beyond = true, gsim_launch_host_func(BELOW(d), body, argument, s))
SEES(on_frontend, (struct gsim_driver *d, const struct gsim_frontend_ops *ops, void *policy),
     seen.is_beyond = true, gsim_frontend_set(BELOW(d), ops, policy))

struct gsim_driver *brute_attach(void *data, struct gsim_driver *real)
{
    (void)data;
    memset(&seen, 0, sizeof seen);
    gsim_forward_init(&seen.forward, real);
    struct gsim_driver_ops *o = &seen.forward.ops;
    o->launch = on_launch, o->memcpy_async = on_copy, o->event_record = on_record, o->event_create = on_create,
    o->stream_create = on_stream, o->stream_wait_event = on_wait;
    o->host_work = on_work, o->stream_synchronize = on_sync_stream, o->event_synchronize = on_sync_event;
    o->device_synchronize = on_sync_all, o->event_query = on_query_event, o->stream_query = on_query_stream;
    o->iteration_begin = on_begin, o->iteration_end = on_end, o->graph_create = on_graph, o->capture_begin = on_capture;
    seen.create = o->thread_create;
    o->thread_create = on_thread, o->thread_join = on_join, o->lock_create = on_lock, o->queue_create = on_queue,
    o->wait_any = on_wait_any, o->persistent_launch = on_persistent;
    o->launch_host_func = on_host_func, o->frontend_set = on_frontend;
    return &seen.forward.driver;
}

/* --- the second simulator --------------------------------------------------------------------------------------- */

/* What was enqueued, in that order. */
static struct call issued[MOST];

static struct {
    double now, host[THREADS], ended, ready[STREAMS][3], last[STREAMS],
        engine_from[2];            /* ready: behind the SMs, copies to, copies from */
    int unit[STREAMS];             /* of the stream's last work */
    int events[EVENTS], engine[2]; /* the latest record; the copy under way, -1: none */
    uint32_t count, next[THREADS], threads_free[SMS], registers_free[SMS], blocks_free[SMS], waiting, submitted,
        order[MOST];
    bool is_blocked[THREADS], has_queue[STREAMS];
    bool
        is_close; /* two things came within 3 ns, which is how exact copies are that share links: either may be first */
    uint32_t queue[STREAMS], next_queue;
    double block_end[SMS * 32];
    int block_of[SMS * 32];
    uint32_t block_sm[SMS * 32];
} b;

static const struct gsim_kernel *kernel_of(const struct call *c) { return &program->kernels[c->op->kernel_index]; }
static uint32_t threads_of(const struct call *c) { return (kernel_of(c)->block.x + 31) / 32 * 32; }
static uint32_t warp_registers(const struct call *c) { return (32 * kernel_of(c)->regs_per_thread + 255) / 256 * 256; }
static uint32_t registers_of(const struct call *c) { return threads_of(c) / 32 * warp_registers(c); }
static int unit_of(const struct call *c) { return c->kind == KERNEL ? 0 : c->op->copy_kind == GSIM_COPY_H2D ? 1 : 2; }
static bool is_enqueued(const struct call *c) { return c->kind <= WAIT; }

/* Whether all that was enqueued before call AT, in stream S (-1: any), is complete. */
static bool is_complete(uint32_t at, int s)
{
    for (uint32_t i = 0; i < at; i++) {
        const struct call *c = &issued[i];
        if (is_enqueued(c) && (s < 0 || c->stream == (uint32_t)s) && !c->is_done) return false;
    }
    return true;
}

static double cost_of(const struct call *c)
{
    switch (c->kind) {
    case KERNEL:
        return device->launch_us;
    case COPY:
        return device->memcpy_us;
    case RECORD:
        return seen.is_timed[c->event] ? device->event_record_us : device->event_record_no_timing_us;
    case WAIT:
        return device->stream_wait_us;
    case WORK:
        return c->us;
    case QUERY:
        return device->query_us;
    case CREATE:
        return device->thread_create_us;
    default:
        return 0;
    }
}

/* The next call of THREAD; NULL: it has ended, or was not made. */
static struct call *next_of(uint32_t thread)
{
    uint32_t *i = &b.next[thread];
    while (*i < seen.count && seen.calls[*i].thread != thread) ++*i;
    return *i < seen.count ? &seen.calls[*i] : NULL;
}

static bool is_there(int record) { return record < 0 || issued[record].is_done; }

static bool is_awaited(struct call *c)
{
    if (!c->before) c->before = b.count + 1, c->marker = b.events[c->event];
    if (c->kind == JOIN) return next_of(c->other) || b.host[c->other] > b.now;
    if (c->kind == SYNC_STREAM) return !is_complete(c->before - 1, (int)c->stream);
    if (c->kind == SYNC_ALL) return !is_complete(c->before - 1, -1);
    if (c->kind == SYNC_EVENT) return !is_there(c->marker); /* the latest when it began */
    for (uint32_t i = c->first; i < c->last; i++) {
        const struct gsim_waitable *w = &seen.waitables[i];
        if (w->kind == GSIM_WAITABLE_STREAM ? is_complete(b.count, (int)w->handle) : is_there(b.events[w->handle]))
            return false;
    }
    return true;
}

/* The hardware queue of stream S, which it keeps while it has work: its last one or a free one, else the next in turn.
 */
static uint32_t queue_for(uint32_t s)
{
    uint32_t count = (uint32_t)device->hw_queues, own = b.queue[s];
    bool is_bound[STREAMS] = {false}, is_taken[QUEUES] = {false};
    for (uint32_t i = 0; i < b.count; i++) is_bound[issued[i].stream] |= is_enqueued(&issued[i]) && !issued[i].is_done;
    for (uint32_t i = 0; i < STREAMS; i++) is_taken[b.queue[i] % QUEUES] |= is_bound[i];
    uint32_t found = own, i = 0;
    if (is_bound[s] || (b.has_queue[s] && !is_taken[own])) return own;
    while (i < count && is_taken[(b.next_queue + i) % count]) i++;
    found = (b.next_queue + i) % count;
    if (!b.has_queue[s] || found != own) b.next_queue = (found + 1) % count;
    b.has_queue[s] = true;
    return b.queue[s] = found;
}

/* What call C, of a thread that has come to it, does; from HOST on. */
static void call(struct call *c, double *host)
{
    c->start = *host;
    *host += cost_of(c);
    c->end = *host;
    if (c->kind == CREATE) b.host[c->other] = *host;
    if (c->kind == END) b.ended = *host;
    if (!is_enqueued(c)) return;
    c->arrival = *host + (c->kind == COPY ? device->copy_start_us : device->launch_to_start_us);
    if (c->kind == WAIT && b.events[c->event] >= 0) /* of a record whose call goes on: either may be first */
        b.is_close |= issued[b.events[c->event]].arrival - device->launch_to_start_us > c->start;
    if (c->kind == WAIT) c->marker = b.events[c->event], c->is_done = c->marker < 0; /* of no record: nothing */
    if (!c->is_done) c->queue = queue_for(c->stream);
    if (c->kind == RECORD) b.events[c->event] = (int)b.count;
    issued[b.count++] = *c;
}

/* The host's calls up to now, of its threads in turn. */
static bool host_goes_on(void)
{
    bool has_changed = false;
    struct call *c;
    for (uint32_t t = 0; t < THREADS; t++) {
        while (b.host[t] <= b.now && (c = next_of(t)) != NULL) {
            bool is_sync = c->kind >= SYNC_STREAM && c->kind <= JOIN;
            if (is_sync && is_awaited(c)) {
                b.is_blocked[t] = true;
                break;
            }
            if (c->kind == WAIT_ANY) { /* looks at one after the other, round by round: the first that begins later */
                double round = device->query_us * (c->last - c->first);
                b.host[t] += ceil((b.now - b.host[t]) / round - 1e-9) * round + round;
            } else if (c->kind == JOIN) b.host[t] = b.now;
            else if (is_sync) b.host[t] = b.now + (b.is_blocked[t] ? device->sync_return_us : device->sync_idle_us);
            b.is_blocked[t] = false;
            call(c, &b.host[t]);
            b.next[t]++;
            has_changed = true;
        }
    }
    return has_changed;
}

static double later(double x, double y) { return x > y ? x : y; }

/* When command C, whose stream has ended what came before, may start. */
static double may_start(const struct call *c)
{
    int unit = unit_of(c);
    const double *ready = b.ready[c->stream];
    double at = later(c->arrival, ready[unit]);
    for (int u = 0; u < 3; u++) {
        if (u == unit || ready[u] <= 0) continue;
        at = later(at, ready[u] + (unit == 0 ? device->copy_to_kernel_us : u == 0 ? device->kernel_to_copy_us : 0));
    }
    return at;
}

static bool default_allows(uint32_t at)
{
    if (issued[at].stream == 0) return is_complete(at, -1);
    return is_complete(at, 0);
}

/* The SM with room for most blocks of C; -1: none. */
static int room_for(const struct call *c)
{
    uint32_t most = 0;
    int best = -1;
    for (int sm = 0; sm < SMS; sm++) {
        uint32_t room = b.threads_free[sm] / threads_of(c);
        if (room > b.registers_free[sm] / registers_of(c)) room = b.registers_free[sm] / registers_of(c);
        /* Each of the four parts of an SM holds whole warps of a kernel. */
        uint32_t own = 0, most_own = 4 * (16384 / warp_registers(c)) / (threads_of(c) / 32);
        for (int slot = 0; slot < SMS * 32; slot++) {
            own += b.block_of[slot] >= 0 && issued[b.block_of[slot]].op->kernel_index == c->op->kernel_index &&
                   b.block_sm[slot] == (uint32_t)sm;
        }
        if (room > most_own - own) room = most_own - own;
        if (room > b.blocks_free[sm]) room = b.blocks_free[sm];
        if (room > most) most = room, best = sm;
    }
    return best;
}

static void place_block(struct call *c, int at, int sm)
{
    int slot = 0;
    while (b.block_of[slot] >= 0) slot++;
    b.block_of[slot] = at;
    b.block_sm[slot] = (uint32_t)sm;
    b.block_end[slot] = b.now + kernel_of(c)->thread_cycles * 1e-3;
    b.threads_free[sm] -= threads_of(c);
    b.registers_free[sm] -= registers_of(c);
    b.blocks_free[sm]--;
    if (!c->running && c->to_place == (int)kernel_of(c)->grid.x) c->start = b.now;
    c->running++;
    c->to_place--;
}

/* Blocks of the kernels that are ready, the most urgent first, then first come, first served; nothing passes the first.
 */
static bool blocks_go(void)
{
    bool has_changed = false;
    for (;;) {
        int first = -1;
        for (uint32_t i = 0; i < b.submitted; i++) {
            const struct call *c = &issued[b.order[i]];
            if (c->kind != KERNEL || !c->to_place) continue;
            if (first < 0 || seen.priority[c->stream] < seen.priority[issued[first].stream]) first = (int)b.order[i];
        }
        int sm = first < 0 ? -1 : room_for(&issued[first]);
        if (sm < 0) return has_changed;
        place_block(&issued[first], first, sm);
        has_changed = true;
    }
}

static bool engines_go(void)
{
    bool has_changed = false;
    for (int e = 0; e < 2; e++) {
        for (uint32_t i = 0; i < b.submitted && b.engine[e] < 0 && b.now >= b.engine_from[e] - 1e-9; i++) {
            struct call *c = &issued[b.order[i]];
            if (c->kind != COPY || c->is_done || unit_of(c) != e + 1) continue;
            b.engine[e] = (int)b.order[i];
            c->start = b.now;
            has_changed = true;
        }
    }
    return has_changed;
}

/* What may go on now does: queue by queue, each in the order of its calls; who cannot go on is in the way of the
 * others, but for a record without timing. */
static bool streams_go_on(void)
{
    bool has_changed = false, is_blocked[QUEUES] = {false};
    for (uint32_t n = 0; n < b.count * QUEUES; n++) {
        uint32_t i = n % b.count;
        struct call *c = &issued[i];
        if (!is_enqueued(c) || c->is_done || c->is_submitted || c->queue != n / b.count || is_blocked[c->queue])
            continue;
        /* A wait goes as soon as its event is there, all else when its stream has done what came before. */
        bool may =
            c->arrival <= b.now + 1e-9 && default_allows(i) && (c->kind == WAIT || is_complete(i, (int)c->stream));
        if (may && c->kind == WAIT) may = issued[c->marker].is_done;
        if (may && c->kind <= COPY) may = may_start(c) <= b.now + 1e-9;
        is_blocked[c->queue] = !may && (c->kind != RECORD || seen.is_timed[c->event]);
        if (!may) continue;
        has_changed = true;
        if (c->kind <= COPY) {
            c->is_submitted = true;
            b.order[b.submitted++] = i;
            c->to_place = c->kind == KERNEL ? (int)kernel_of(c)->grid.x : 0;
            c->left = (double)c->op->bytes;
            blocks_go(); /* before the next one comes */
        } else {
            c->is_done = true;
            c->end = b.last[c->stream];
            c->to_place = b.unit[c->stream]; /* of a record: behind which unit */
            const struct call *m = c->kind == WAIT ? &issued[c->marker] : NULL;
            if (m && m->stream != c->stream && m->to_place >= 0) {
                double *ready = &b.ready[c->stream][m->to_place];
                *ready = later(*ready, m->end + device->event_gap_us);
                if (m->end > b.last[c->stream]) b.last[c->stream] = m->end;
            }
        }
    }
    return has_changed;
}

/* Bytes a microsecond of the copy on engine E. */
static double rate_of(int e)
{
    double alone = (e ? device->d2h_gbps : device->h2d_gbps) * 1e3,
           other = (e ? device->h2d_gbps : device->d2h_gbps) * 1e3;
    double both = device->bidirectional_gbps * 1e3;
    if (b.engine[!e] < 0) return alone < both ? alone : both;
    double half = both / 2;
    if (alone <= half) return alone;
    return other <= half ? (alone < both - other ? alone : both - other) : half;
}

static void end_work(struct call *c)
{
    c->is_done = true;
    c->end = b.now;
    int unit = unit_of(c);
    double gap = unit ? device->copy_gap_us : device->stream_gap_us;
    b.ready[c->stream][unit] = later(b.ready[c->stream][unit], b.now + gap);
    b.last[c->stream] = b.now;
    b.unit[c->stream] = unit;
}

/* What ends now: blocks, copies. */
static bool work_ends(void)
{
    bool has_changed = false;
    for (int slot = 0; slot < SMS * 32; slot++) {
        if (b.block_of[slot] < 0 || b.block_end[slot] > b.now + 1e-9) continue;
        struct call *c = &issued[b.block_of[slot]];
        b.threads_free[b.block_sm[slot]] += threads_of(c);
        b.registers_free[b.block_sm[slot]] += registers_of(c);
        b.blocks_free[b.block_sm[slot]]++;
        b.block_of[slot] = -1;
        if (!--c->running && !c->to_place) end_work(c);
        has_changed = true;
    }
    for (int e = 0; e < 2; e++) {
        struct call *c = b.engine[e] < 0 ? NULL : &issued[b.engine[e]];
        if (!c || c->left > 1e-3) continue;
        end_work(c);
        b.engine[e] = -1;
        b.engine_from[e] = b.now;
        for (uint32_t i = 0; i < b.submitted; i++) { /* who waits first: a copy of another stream */
            const struct call *next = &issued[b.order[i]];
            if (next->kind != COPY || next->is_done || unit_of(next) != e + 1) continue;
            if (next->stream != c->stream) b.engine_from[e] += device->copy_switch_us;
            break;
        }
        has_changed = true;
    }
    return has_changed;
}

static double soonest(double found, double at) { return at > b.now + 1e-9 && at < found ? at : found; }

static double next_event(void)
{
    double next = INFINITY;
    for (uint32_t t = 0; t < THREADS; t++) { /* also when a thread ends, which others wait for */
        if (!b.is_blocked[t]) next = soonest(next, b.host[t]);
        for (uint32_t u = 0; u < t; u++)
            b.is_close |=
                !b.is_blocked[t] && !b.is_blocked[u] && b.host[t] > b.now && fabs(b.host[t] - b.host[u]) < 3e-3;
    }
    for (uint32_t i = 0; i < b.count; i++) {
        const struct call *c = &issued[i];
        if (!is_enqueued(c) || c->is_done || c->is_submitted) continue;
        next = soonest(next, c->arrival);
        if (c->kind <= COPY) next = soonest(next, may_start(c));
    }
    for (int slot = 0; slot < SMS * 32; slot++) {
        if (b.block_of[slot] >= 0) next = soonest(next, b.block_end[slot]);
    }
    for (int e = 0; e < 2; e++) {
        next = soonest(next, b.engine_from[e]);
        if (b.engine[e] >= 0) next = soonest(next, b.now + issued[b.engine[e]].left / rate_of(e));
    }
    return next;
}

void brute_simulate(const struct gsim_program *of, const struct gsim_device_spec *on)
{
    program = of, device = on;
    memset(&b, 0, sizeof b);
    for (uint32_t t = 1; t < THREADS; t++) b.host[t] = INFINITY;
    memset(b.events, -1, sizeof b.events);
    memset(b.block_of, -1, sizeof b.block_of);
    b.engine[0] = b.engine[1] = -1;
    for (int sm = 0; sm < SMS; sm++) b.threads_free[sm] = 2048, b.registers_free[sm] = 65536, b.blocks_free[sm] = 32;
    for (double next = 0; next < INFINITY; next = next_event()) {
        b.is_close |= next - b.now > 1e-6 && next - b.now < 3e-3;
        double rates[2] = {rate_of(0), rate_of(1)};
        for (int e = 0; e < 2; e++) {
            if (b.engine[e] >= 0) issued[b.engine[e]].left -= rates[e] * (next - b.now);
        }
        b.now = next;
        bool goes_on = true;
        while (goes_on) {
            goes_on = work_ends();
            goes_on |= blocks_go(); /* who waits for room gets it before who comes now */
            goes_on |= streams_go_on();
            goes_on |= engines_go();
            goes_on |= host_goes_on();
        }
    }
}

static bool is_near(double found, double expected) { return fabs(found - expected) < 0.012; }

bool brute_agrees(const struct gsim_timeline *t, char text[BRUTE_TEXT])
{
    text[0] = '\0';
    uint32_t kernels = 0, copies = 0;
    for (uint32_t i = 0; i < b.count; i++) {
        const struct call *c = &issued[i];
        double start = -1, end = -1;
        if (c->kind > COPY) continue;
        if (c->kind == KERNEL) kernels++;
        else copies++;
        for (size_t k = 0; c->kind == KERNEL && k < t->kernel_count; k++) {
            const struct gsim_kernel_record *r = &t->kernels[k];
            if (r->stream == c->stream && is_near(gsim_time_us(r->start), c->start))
                start = gsim_time_us(r->start), end = gsim_time_us(r->end);
        }
        for (size_t k = 0; c->kind == COPY && k < t->copy_count; k++) {
            const struct gsim_copy_record *r = &t->copies[k];
            if (r->stream == c->stream && is_near(gsim_time_us(r->start), c->start))
                start = gsim_time_us(r->start), end = gsim_time_us(r->end);
        }
        if (!text[0] && (!is_near(start, c->start) || !is_near(end, c->end)))
            snprintf(text, BRUTE_TEXT, "call %u, %s of stream %u: %.3f to %.3f by brute force, %.3f to %.3f here", i,
                     c->kind == KERNEL ? "kernel" : "copy", c->stream, c->start, c->end, start, end);
    }
    double end = gsim_time_us(t->iterations[t->iteration_count - 1].end), expected = b.ended;
    if (!text[0] && !is_near(end, expected))
        snprintf(text, BRUTE_TEXT, "end at %.3f by brute force, %.3f here", expected, end);
    if (kernels != t->kernel_count || copies != t->copy_count)
        snprintf(text, BRUTE_TEXT, "%u kernels, %u copies", kernels, copies);
    return !text[0];
}

bool brute_is_close(void) { return b.is_close; }
bool brute_sees_all(void) { return !seen.is_beyond; }
