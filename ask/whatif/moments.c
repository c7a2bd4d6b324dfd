/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See ask/whatif/moments.h. Lists and orders; what waits for what is ask/whatif/links.c's.
 */
#include "ask/whatif/moments.h"

#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"
#include "sim/base/first.h"
#include "sim/sm/demand.h"

static enum gsim_status no_memory(struct gsim_error *error)
{
    return gsim_error_set(error, GSIM_NOMEM, "cannot explain the run: out of memory");
}

GSIM_ORDER(compare_starts, struct gsim_moment_work,
           GSIM_UP(start) GSIM_UP(correlation) GSIM_UP(is_copy) GSIM_UP(record))

GSIM_ORDER(compare_keyed, struct gsim_moment_key, GSIM_UP(high) GSIM_UP(low) GSIM_UP(item))

bool gsim_sort_into(struct gsim_moment_key *keys, size_t count, uint32_t *items)
{
    if (!keys) return false;
    qsort(keys, count, sizeof *keys, compare_keyed);
    for (size_t i = 0; i < count; i++) items[i] = keys[i].item;
    gsim_free(keys);
    return true;
}

static void list_works(struct gsim_moments *m)
{
    const struct gsim_timeline *t = m->timeline;
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_kernel_record *k = &t->kernels[i];
        const char *name = t->program->kernels[k->kernel_index].name;
        m->works[m->work_count++] = (struct gsim_moment_work){.is_unexplained = gsim_is_delay(name),
                                                              .is_rank_wait = strcmp(name, GSIM_RANKS_KERNEL) == 0,
                                                              .record = (uint32_t)i,
                                                              .kernel_index = k->kernel_index,
                                                              .op = k->op,
                                                              .stream = k->stream,
                                                              .device = k->device,
                                                              .correlation = k->correlation,
                                                              .start = k->start,
                                                              .end = k->end,
                                                              .ready = k->ready,
                                                              .after = GSIM_NO_WORK};
    }
    for (size_t i = 0; i < t->copy_count; i++) {
        const struct gsim_copy_record *c = &t->copies[i];
        bool is_migration = c->op == UINT32_MAX || c->reason == GSIM_REASON_FAULT || c->reason == GSIM_REASON_EVICTION;
        m->works[m->work_count++] = (struct gsim_moment_work){.is_copy = true,
                                                              .is_migration = is_migration,
                                                              .copy_kind = c->kind,
                                                              .record = (uint32_t)i,
                                                              .op = c->op,
                                                              .stream = c->stream,
                                                              .device = c->device,
                                                              .correlation = c->correlation,
                                                              .start = c->start,
                                                              .end = c->end,
                                                              .ready = c->start,
                                                              .after = GSIM_NO_WORK};
    }
    qsort(m->works, m->work_count, sizeof *m->works, compare_starts);
}

static bool order_works(struct gsim_moments *m)
{
    struct gsim_moment_key *ends = gsim_alloc(sizeof *ends * ((size_t)m->work_count + 1));
    for (uint32_t i = 0; ends && i < m->work_count; i++) {
        ends[i] = (struct gsim_moment_key){.high = m->works[i].end, .item = i};
        if (!m->works[i].is_copy) m->starts[m->kernel_count++] = i;
    }
    return gsim_sort_into(ends, m->work_count, m->by_end);
}

static bool order_calls(struct gsim_moments *m)
{
    const struct gsim_timeline *t = m->timeline;
    struct gsim_moment_key *order = gsim_alloc(sizeof *order * (t->api_count + 1));
    for (size_t i = 0; order && i < t->api_count; i++) {
        order[i] = (struct gsim_moment_key){t->apis[i].thread, t->apis[i].start, (uint32_t)i};
        if (t->apis[i].correlation >= m->correlation_count) m->correlation_count = t->apis[i].correlation + 1;
    }
    if (!gsim_sort_into(order, t->api_count, m->calls)) return false;
    m->call_of = gsim_alloc(sizeof *m->call_of * ((size_t)m->correlation_count + 1));
    if (!m->call_of) return false;
    for (uint32_t c = 0; c <= m->correlation_count; c++) m->call_of[c] = UINT32_MAX;
    for (size_t i = 0; i < t->api_count; i++) m->call_of[t->apis[i].correlation] = (uint32_t)i;
    for (uint32_t i = 0; i < m->work_count; i++)
        m->works[i].call =
            m->works[i].correlation < m->correlation_count ? m->call_of[m->works[i].correlation] : UINT32_MAX;
    return true;
}

enum gsim_status gsim_moments_init(struct gsim_moments *m, const struct gsim_simulation *simulation,
                                   const struct gsim_timeline *timeline, struct gsim_error *error)
{
    size_t count = timeline->kernel_count + timeline->copy_count;
    const struct gsim_program *program = timeline->program;
    *m = (struct gsim_moments){.simulation = simulation, .timeline = timeline};
    m->works = gsim_alloc(sizeof *m->works * (count + 1));
    m->by_end = gsim_alloc(sizeof *m->by_end * (count + 1));
    m->starts = gsim_alloc(sizeof *m->starts * (count + 1));
    m->calls = gsim_alloc(sizeof *m->calls * (timeline->api_count + 1));
    if (!simulation->demands) m->own_demands = gsim_alloc(sizeof *m->own_demands * ((size_t)program->kernel_count + 1));
    m->demands = simulation->demands ? simulation->demands : m->own_demands;
    if (!m->works || !m->by_end || !m->starts || !m->calls || !m->demands) return no_memory(error);
    list_works(m);
    if (!order_works(m) || !order_calls(m)) return no_memory(error);
    const struct gsim_timeline *t = m->timeline;
    for (uint32_t i = 0; i < m->work_count; i++)
        if (m->works[i].end > m->makespan) m->makespan = m->works[i].end;
    for (size_t i = 0; i < t->api_count; i++)
        if (t->apis[i].end > m->makespan) m->makespan = t->apis[i].end;
    for (size_t i = 0; i < t->iteration_count; i++)
        if (t->iterations[i].end > m->makespan) m->makespan = t->iterations[i].end;
    for (uint32_t i = 0; i < program->op_count; i++)
        m->has_framework |= program->ops[i].overhead && !program->ops[i].what;
    enum gsim_status status = GSIM_OK;
    if (m->own_demands)
        status = gsim_demands_init(m->own_demands, program->kernel_count, simulation->device, program->kernels, error);
    return status == GSIM_OK ? gsim_moments_link(m, error) : status;
}

void gsim_moments_release(struct gsim_moments *m)
{
    void *const arrays[] = {m->works, m->by_end, m->starts, m->calls, m->call_of, m->own_demands};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) gsim_free(arrays[i]);
    *m = (struct gsim_moments){0};
}

/* The place in calls of the first of the thread, or of a later one, that ends behind TIME. */
static size_t place_at(const struct gsim_moments *m, uint32_t thread, gsim_time time)
{
    const struct gsim_api_record *apis = m->timeline->apis;
    GSIM_FIRST (low, (uint32_t)m->timeline->api_count, middle,
                apis[m->calls[middle]].thread < thread ||
                    (apis[m->calls[middle]].thread == thread && apis[m->calls[middle]].end <= time))
    return low;
}

uint32_t gsim_moments_call_at(const struct gsim_moments *m, uint32_t thread, gsim_time time)
{
    size_t at = place_at(m, thread, time);
    return at < m->timeline->api_count && m->timeline->apis[m->calls[at]].thread == thread ? m->calls[at] : UINT32_MAX;
}

const struct gsim_api_record *gsim_moments_call_before(const struct gsim_moments *m, const struct gsim_api_record *call)
{
    size_t at = place_at(m, call->thread, call->start);
    const struct gsim_api_record *before = at ? &m->timeline->apis[m->calls[at - 1]] : NULL;
    return before && before->thread == call->thread && before != call ? before : NULL;
}
