/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each work of a timeline waited for. Of a stream's commands: the one before it, events, the legacy default
 * stream. Of a graph's nodes: what the program says that they depend on.
 */

#include "ask/whatif/moments.h"
#include "sim/base/first.h"

/* All works of one call. */
struct group {
    uint32_t correlation, stream, call, first, count; /* FIRST: into linker.members */
    uint32_t last;                                    /* the work that ends last */
    gsim_time end;
};

struct linker {
    struct gsim_moments *m;
    uint32_t *members; /* works by correlation, then start */
    struct group *groups;
    uint32_t group_count;
    uint32_t *last_of; /* by stream: its latest group */
    uint32_t *before;  /* by group: the one before it in its stream */
    uint32_t stream_count;
    uint32_t *waits;   /* of the timeline, by waiting stream and correlation */
    uint32_t *preds, *pred_start; /* by op of the program */
    uint32_t *work_of, *mark;     /* by op: its work in the group that MARK says */
};

#define NONE UINT32_MAX

/* --- groups --- */
static bool sort_members(struct linker *l, uint32_t *count)
{
    struct gsim_moments *m = l->m;
    struct gsim_moment_key *keys = gsim_alloc(sizeof *keys * ((size_t)m->work_count + 1));
    *count = 0;
    for (uint32_t i = 0; keys && i < m->work_count; i++)
        if (!m->works[i].is_migration && m->works[i].call != NONE)
            keys[(*count)++] = (struct gsim_moment_key){m->works[i].correlation, i, i};
    return gsim_sort_into(keys, *count, l->members);
}

static void make_groups(struct linker *l, uint32_t count)
{
    const struct gsim_moments *m = l->m;
    for (uint32_t i = 0; i < count; i++) {
        const struct gsim_moment_work *w = &m->works[l->members[i]];
        struct group *g = l->group_count ? &l->groups[l->group_count - 1] : NULL;
        if (!g || g->correlation != w->correlation) {
            g = &l->groups[l->group_count++];
            *g = (struct group){.correlation = w->correlation,
                                .stream = m->timeline->apis[w->call].stream,
                                .call = w->call,
                                .first = i};
            if (g->stream >= l->stream_count) l->stream_count = g->stream + 1;
        }
        g->count++;
        if (w->end > g->end || g->count == 1) {
            g->end = w->end;
            g->last = l->members[i];
        }
    }
}

static bool sort_waits(struct linker *l)
{
    const struct gsim_timeline *t = l->m->timeline;
    struct gsim_moment_key *keys = gsim_alloc(sizeof *keys * (t->wait_count + 1));
    for (size_t i = 0; keys && i < t->wait_count; i++)
        keys[i] = (struct gsim_moment_key){t->waits[i].waiting_stream, t->waits[i].correlation, (uint32_t)i};
    return gsim_sort_into(keys, t->wait_count, l->waits);
}

/* The first of the sorted waits of STREAM with at least this correlation. */
static size_t first_wait(const struct linker *l, uint32_t stream, uint32_t correlation)
{
    const struct gsim_timeline *t = l->m->timeline;
    GSIM_FIRST (low, (uint32_t)t->wait_count, middle,
                t->waits[l->waits[middle]].waiting_stream < stream ||
                    (t->waits[l->waits[middle]].waiting_stream == stream &&
                     t->waits[l->waits[middle]].correlation < correlation))
    return low;
}

/* --- streams --- */
struct link {
    gsim_time follows, gap;
    uint32_t after;
};

static void follow(struct link *link, gsim_time end, gsim_time gap, uint32_t after)
{
    if (end + gap < link->follows + link->gap) return;
    *link = (struct link){end, gap, after};
}

static struct link link_of(const struct linker *l, uint32_t index, const struct link defaults[2])
{
    const struct gsim_moments *m = l->m;
    const struct gsim_timeline *t = m->timeline;
    const struct gsim_device_spec *d = m->simulation->device;
    const struct group *g = &l->groups[index];
    bool is_copy = m->works[l->members[g->first]].is_copy;
    struct link link = {.after = GSIM_NO_WORK};
    uint32_t before = l->last_of[g->stream];
    if (before != NONE) {
        const struct group *b = &l->groups[before];
        bool was_copy = m->works[b->last].is_copy;
        double gap = is_copy != was_copy ? (is_copy ? d->kernel_to_copy_us : d->copy_to_kernel_us)
                     : is_copy           ? d->copy_gap_us
                                         : d->stream_gap_us;
        follow(&link, b->end, gsim_time_from_us(gap), b->last);
    }
    uint32_t from = before == NONE ? 0 : l->groups[before].correlation;
    for (size_t i = first_wait(l, g->stream, from); i < t->wait_count; i++) {
        const struct gsim_wait_record *w = &t->waits[l->waits[i]];
        if (w->waiting_stream != g->stream || w->correlation > g->correlation) break;
        uint32_t of = w->recorded_stream < l->stream_count ? l->last_of[w->recorded_stream] : NONE;
        while (of != NONE && l->groups[of].correlation > w->record_correlation) of = l->before[of];
        if (of != NONE && w->recorded >= l->groups[of].end)
            follow(&link, w->recorded, gsim_time_from_us(d->event_gap_us), l->groups[of].last);
    }
    const struct link *barrier = &defaults[g->stream != 0]; /* of stream 0: all before; of others: what stream 0 did */
    if (barrier->after != GSIM_NO_WORK)
        follow(&link, barrier->follows, gsim_time_from_us(d->stream_gap_us), barrier->after);
    return link;
}

static double latency_us(const struct gsim_moments *m, const struct gsim_moment_work *w)
{
    const struct gsim_device_spec *d = m->simulation->device;
    if (m->timeline->apis[w->call].api == GSIM_API_GRAPH_LAUNCH) return d->graph_start_us + d->graph_cold_us;
    return w->is_copy ? d->copy_start_us : d->launch_to_start_us;
}

/* When a work's launch is on the device: behind its call, but calls that go on behind the submission (a prefetch, a
 * staged copy) submit at their beginning. */
static gsim_time arrival_of(const struct gsim_moments *m, const struct gsim_moment_work *w)
{
    const struct gsim_api_record *call = &m->timeline->apis[w->call];
    const struct gsim_device_spec *d = m->simulation->device;
    gsim_time latency = gsim_time_from_us(latency_us(m, w)), arrival = call->end + latency;
    if (arrival <= w->start || (call->api != GSIM_API_PREFETCH && call->api != GSIM_API_MEMCPY)) return arrival;
    gsim_time submitted =
        call->start + gsim_time_from_us(call->api == GSIM_API_PREFETCH ? d->prefetch_call_us : d->memcpy_us);
    return submitted < call->end ? submitted + latency : arrival;
}

static void link_streams(struct linker *l)
{
    struct gsim_moments *m = l->m;
    struct link defaults[2] = {{.after = GSIM_NO_WORK}, {.after = GSIM_NO_WORK}};
    for (uint32_t i = 0; i < l->group_count; i++) {
        struct group *g = &l->groups[i];
        struct link link = link_of(l, i, defaults);
        for (uint32_t k = 0; k < g->count; k++) {
            struct gsim_moment_work *w = &m->works[l->members[g->first + k]];
            gsim_time arrival = arrival_of(m, w);
            w->follows = link.follows;
            w->gap = link.gap;
            w->after = link.after;
            w->stream = g->stream;
            if (w->is_copy) { /* its record does not say when its engine could have begun it */
                w->ready = arrival > w->follows + w->gap ? arrival : w->follows + w->gap;
                if (w->ready > w->start) w->ready = w->start;
            }
            w->arrival = arrival < w->ready ? arrival : w->ready;
        }
        l->before[i] = l->last_of[g->stream];
        m->stream_count += l->last_of[g->stream] == NONE;
        l->last_of[g->stream] = i;
        if (g->end > defaults[0].follows) defaults[0] = (struct link){g->end, 0, g->last};
        if (g->stream == 0) defaults[1] = (struct link){g->end, 0, g->last};
    }
}

/* --- nodes of graphs --- */
struct readers {
    uint32_t op, next;
};

/* Calls back for every op that op I must follow, by its data and "after". Two passes: count, then store. */
struct flow {
    uint32_t *writer;       /* by buffer */
    uint32_t *first_reader; /* by buffer, since its writer */
    struct readers *readers;
    size_t reader_count, reader_room;
    uint32_t *preds;
    size_t pred_count, pred_room;
    bool failed;
};

static void add_pred(struct flow *f, uint32_t op)
{
    if (op == NONE || f->failed) return;
    if (!GSIM_APPEND(f->preds, f->pred_count, f->pred_room, op)) f->failed = true;
}

static void add_reader(struct flow *f, uint32_t buffer, uint32_t op)
{
    if (f->failed || gsim_array_grow(&f->readers, sizeof *f->readers, f->reader_count, &f->reader_room)) {
        f->failed = true;
        return;
    }
    f->readers[f->reader_count] = (struct readers){op, f->first_reader[buffer]};
    f->first_reader[buffer] = (uint32_t)f->reader_count++;
}

static void flow_through(struct flow *f, const struct gsim_op *op, uint32_t index)
{
    for (uint32_t a = 0; a < op->after_count; a++) add_pred(f, op->after[a]);
    for (uint32_t a = 0; a < op->arg_count; a++) {
        uint32_t buffer = op->args[a].buffer_index;
        add_pred(f, f->writer[buffer]);
        if (op->args[a].writes)
            for (uint32_t r = f->first_reader[buffer]; r != NONE; r = f->readers[r].next) add_pred(f, f->readers[r].op);
    }
    for (uint32_t a = 0; a < op->arg_count; a++) {
        uint32_t buffer = op->args[a].buffer_index;
        if (op->args[a].writes) {
            f->writer[buffer] = index;
            f->first_reader[buffer] = NONE;
        } else {
            add_reader(f, buffer, index);
        }
    }
}

static bool find_preds(struct linker *l)
{
    const struct gsim_program *p = l->m->timeline->program;
    struct flow f = {.writer = gsim_alloc(sizeof *f.writer * ((size_t)p->buffer_count + 1)),
                     .first_reader = gsim_alloc(sizeof *f.first_reader * ((size_t)p->buffer_count + 1))};
    l->pred_start = gsim_alloc(sizeof *l->pred_start * ((size_t)p->op_count + 1));
    l->work_of = gsim_alloc(sizeof *l->work_of * ((size_t)p->op_count + 1));
    l->mark = gsim_alloc(sizeof *l->mark * ((size_t)p->op_count + 1));
    bool ok = f.writer && f.first_reader && l->pred_start && l->work_of && l->mark;
    for (uint32_t b = 0; ok && b < p->buffer_count; b++) f.writer[b] = f.first_reader[b] = NONE;
    for (uint32_t i = 0; ok && i < p->op_count; i++) {
        l->pred_start[i] = (uint32_t)f.pred_count;
        flow_through(&f, &p->ops[i], i);
        ok = !f.failed && f.pred_count < NONE;
    }
    if (ok) l->pred_start[p->op_count] = (uint32_t)f.pred_count;
    l->preds = f.preds;
    gsim_free(f.writer);
    gsim_free(f.first_reader);
    gsim_free(f.readers);
    return ok;
}

/* Within a launch the works are by start, so that what one follows stands before it. */
static void link_node(struct linker *l, uint32_t group, uint32_t work)
{
    struct gsim_moments *m = l->m;
    struct gsim_moment_work *w = &m->works[work];
    gsim_time node_gap = gsim_time_from_us(m->simulation->device->graph_node_gap_us);
    struct link link = {.after = GSIM_NO_WORK};
    if (w->op < m->timeline->program->op_count) {
        for (uint32_t e = l->pred_start[w->op]; e < l->pred_start[w->op + 1]; e++) {
            uint32_t pred = l->preds[e];
            if (l->mark[pred] != group + 1) continue;
            const struct gsim_moment_work *before = &m->works[l->work_of[pred]];
            if (before->end <= w->start) follow(&link, before->end, node_gap, l->work_of[pred]);
        }
        if (l->mark[w->op] == group + 1 && m->works[l->work_of[w->op]].end <= w->start) /* a copy made for it */
            follow(&link, m->works[l->work_of[w->op]].end, node_gap, l->work_of[w->op]);
        l->mark[w->op] = group + 1;
        l->work_of[w->op] = work;
    }
    if (link.after == GSIM_NO_WORK) return;
    w->is_node = true;
    w->follows = link.follows;
    w->gap = link.gap;
    w->after = link.after;
    if (w->is_copy) w->ready = w->follows + w->gap < w->start ? w->follows + w->gap : w->start;
    if (w->arrival > w->ready) w->arrival = w->ready;
}

static bool link_graphs(struct linker *l)
{
    const struct gsim_moments *m = l->m;
    for (uint32_t g = 0; g < l->group_count; g++) {
        if (m->timeline->apis[l->groups[g].call].api != GSIM_API_GRAPH_LAUNCH) continue;
        if (!l->pred_start && !find_preds(l)) return false;
        for (uint32_t k = 0; k < l->groups[g].count; k++) link_node(l, g, l->members[l->groups[g].first + k]);
    }
    return true;
}

enum gsim_status gsim_moments_link(struct gsim_moments *m, struct gsim_error *error)
{
    struct linker l = {.m = m};
    uint32_t count = 0;
    size_t works = (size_t)m->work_count + 1;
    l.members = gsim_alloc(sizeof *l.members * works);
    l.groups = gsim_alloc(sizeof *l.groups * works);
    l.before = gsim_alloc(sizeof *l.before * works);
    l.waits = gsim_alloc(sizeof *l.waits * (m->timeline->wait_count + 1));
    bool ok = l.members && l.groups && l.before && l.waits && sort_members(&l, &count) && sort_waits(&l);
    if (ok) make_groups(&l, count);
    if (ok) l.last_of = gsim_alloc(sizeof *l.last_of * ((size_t)l.stream_count + 1));
    ok = ok && l.last_of;
    for (uint32_t s = 0; ok && s < l.stream_count; s++) l.last_of[s] = NONE;
    if (ok) link_streams(&l);
    ok = ok && link_graphs(&l);
    void *const arrays[] = {l.members, l.groups,     l.before,  l.waits, l.last_of,
                            l.preds,   l.pred_start, l.work_of, l.mark};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) gsim_free(arrays[i]);
    return ok ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "cannot explain the run: out of memory");
}
