/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The second simulator of brute.h: it looks at everything after each event and keeps an entry for each block. */
#include "tests/contract/brute_seen.h"

#define seen brute_saw

static double later(double x, double y) { return x > y ? x : y; }

static const struct gsim_program *program;
static const struct gsim_device_spec *device;

/* What was enqueued, in that order. */
static struct call issued[MOST];

static struct {
    double now, host[THREADS], ended, ready[STREAMS][3], last[STREAMS],
        engine_from[2],            /* ready: behind the SMs, copies to, copies from */
        dispatcher, node_end;      /* of graphs' nodes: free from then on; the last that ended */
    int unit[STREAMS];             /* of the stream's last work */
    int events[EVENTS], engine[2]; /* the latest record; the copy under way, -1: none */
    uint32_t count, next[THREADS], threads_free[SMS], registers_free[SMS], blocks_free[SMS], waiting, submitted, turns,
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
static int unit_of(const struct call *c) { return c->kind != COPY ? 0 : c->op->copy_kind == GSIM_COPY_H2D ? 1 : 2; }
static bool is_enqueued(const struct call *c) { return c->kind <= WAIT && !c->of; }

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
    case GRAPH:
        return device->graph_launch_us + seen.graphs[c->other].count * device->graph_launch_node_us;
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
    c->arrival = *host + (c->kind == COPY    ? device->copy_start_us
                          : c->kind == GRAPH ? device->graph_start_us
                                             : device->launch_to_start_us);
    if (c->kind == WAIT && b.events[c->event] >= 0) /* of a record whose call goes on: either may be first */
        b.is_close |= issued[b.events[c->event]].arrival - device->launch_to_start_us > c->start;
    if (c->kind == WAIT) c->marker = b.events[c->event], c->is_done = c->marker < 0; /* of no record: nothing */
    if (!c->is_done) c->queue = queue_for(c->stream);
    if (c->kind == RECORD) b.events[c->event] = (int)b.count;
    uint32_t launch = b.count;
    issued[b.count++] = *c;
    const struct graph *g = c->kind == GRAPH ? &seen.graphs[c->other] : NULL;
    issued[launch].nodes = b.count, issued[launch].node_count = g ? g->count : 0;
    for (uint32_t n = 0; g && n < g->count && b.count < MOST; n++) {
        const struct gsim_op *op = g->ops[n];
        enum kind kind = op->kind == GSIM_OP_COPY ? COPY : KERNEL;
        issued[b.count++] = (struct call){.kind = kind, .op = op, .of = launch + 1, .arrival = INFINITY,
                                          .stream = g->streams[n] ? g->streams[n] : c->stream};
        *host += kind == COPY ? device->graph_launch_copy_us : 0;
    }
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

static int priority_of(const struct call *c) { return seen.priority[c->of ? issued[c->of - 1].stream : c->stream]; }

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
            if (first < 0 || priority_of(c) < priority_of(&issued[first])) first = (int)b.order[i];
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

static void submit(uint32_t i)
{
    struct call *c = &issued[i];
    c->is_submitted = true;
    b.order[b.submitted++] = i;
    c->to_place = c->kind == KERNEL ? (int)kernel_of(c)->grid.x : 0;
    if (c->kind == COPY) c->left = (double)c->op->bytes;
    blocks_go(); /* before the next one comes */
}

/* --- graphs --- */

static bool is_copy(const struct graph *g, uint64_t nodes)
{
    for (uint32_t n = 0; n < g->count; n++)
        if (nodes >> n & 1 && g->ops[n]->kind == GSIM_OP_COPY) return true;
    return false;
}

/* The branch of node N: one that it opens, or the last opened of those that it follows. */
static int branch_of(const struct graph *g, uint32_t n)
{
    int opened = 0, branch[NODES];
    for (uint32_t i = 0; i <= n; i++) {
        branch[i] = -1;
        for (uint32_t k = 0; k < i; k++)
            if (g->after[i] >> k & 1 && branch[k] > branch[i]) branch[i] = branch[k];
        if (!g->after[i] || is_copy(g, g->after[i])) branch[i] = opened++;
    }
    return branch[n];
}

static bool crosses(const struct graph *g, uint32_t n)
{
    bool found = false;
    for (uint32_t k = 0; k < n; k++) found |= g->after[n] >> k & 1 && branch_of(g, k) != branch_of(g, n);
    return found && g->after[n] & (g->after[n] - 1); /* of several */
}

/* Node C may start at READY, in turn if it need not wait for other branches. */
static void node_ready(struct call *c, double ready, bool waits)
{
    c->arrival = later(ready, b.dispatcher);
    c->turn = b.turns++;
    if (!waits) b.dispatcher = c->arrival + device->graph_dispatch_us;
}

static void graph_starts(struct call *launch)
{
    const struct graph *g = &seen.graphs[launch->other];
    uint32_t roots = 0;
    launch->is_submitted = true;
    for (uint32_t n = 0; n < g->count; n++)
        if (!g->after[n]) node_ready(&issued[launch->nodes + n], b.now + roots++ * device->graph_branch_us, false);
}

static void end_work(struct call *c);

/* Node C has ended: on their own branch in their order, behind copies, then across in the opposite order. */
static void node_ended(const struct call *c)
{
    struct call *launch = &issued[c->of - 1];
    const struct graph *g = &seen.graphs[launch->other];
    uint32_t own = (uint32_t)(c - issued) - launch->nodes, left = 0;
    for (uint32_t k = 0; k < 3 * g->count; k++) {
        uint32_t pass = k / g->count, n = pass == 2 ? g->count - 1 - k % g->count : k % g->count;
        uint32_t its = !crosses(g, n) ? 0 : is_copy(g, g->after[n]) ? 1 : 2;
        bool may = g->after[n] >> own & 1 && its == pass;
        for (uint32_t i = 0; i < n; i++) may &= !(g->after[n] >> i & 1) || issued[launch->nodes + i].is_done;
        if (!may) continue;
        struct call *next = &issued[launch->nodes + n];
        double gap = its ? device->graph_cross_gap_us : device->graph_node_gap_us;
        if (unit_of(next) != unit_of(c)) {
            if (!unit_of(next)) gap += device->copy_to_kernel_us;
            if (!unit_of(c)) gap += device->kernel_to_copy_us;
        }
        node_ready(next, b.now + gap, its > 0);
    }
    for (uint32_t n = 0; n < g->count; n++) left += !issued[launch->nodes + n].is_done;
    if (!left) end_work(launch);
}

/* The nodes whose time has come start in turn. */
static bool nodes_go(void)
{
    for (bool has_changed = false;; has_changed = true) {
        int first = -1;
        for (uint32_t i = 0; i < b.count; i++) {
            const struct call *c = &issued[i], *f = &issued[first < 0 ? 0 : first];
            if (!c->of || c->is_submitted || c->arrival > b.now + 1e-9) continue;
            bool is_sooner = c->arrival < f->arrival - 1e-9 || (c->arrival < f->arrival + 1e-9 && c->turn < f->turn);
            if (first < 0 || is_sooner) first = (int)i;
        }
        if (first < 0) return has_changed;
        submit((uint32_t)first);
    }
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
        if (may && c->kind <= GRAPH) may = may_start(c) <= b.now + 1e-9;
        is_blocked[c->queue] = !may && (c->kind != RECORD || seen.is_timed[c->event]);
        if (!may) continue;
        has_changed = true;
        if (c->kind == GRAPH) graph_starts(c);
        else if (c->kind < GRAPH) submit(i);
        else {
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
    if (c->of) {
        b.is_close |= b.node_end == b.now; /* two end at once: the dispatcher may take either first */
        b.node_end = b.now;
        node_ended(c);
        return;
    }
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
        if (c->kind > WAIT || c->is_done || c->is_submitted) continue;
        next = soonest(next, c->arrival);
        if (c->kind <= GRAPH && !c->of) next = soonest(next, may_start(c));
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
            goes_on |= nodes_go();
            goes_on |= engines_go();
            goes_on |= host_goes_on();
        }
    }
}

/* Copies that share links are exact to 3 ns each. */
static bool is_near(double found, double expected) { return fabs(found - expected) < 0.02; }

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
            if (r->stream == c->stream && is_near(gsim_time_us(r->start), c->start) && !is_near(end, c->end))
                start = gsim_time_us(r->start), end = gsim_time_us(r->end);
        }
        for (size_t k = 0; c->kind == COPY && k < t->copy_count; k++) {
            const struct gsim_copy_record *r = &t->copies[k];
            if (r->stream == c->stream && is_near(gsim_time_us(r->start), c->start) && !is_near(end, c->end))
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
