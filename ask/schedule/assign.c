/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/schedule/assign.h. What is waited for comes from the planner of the static schedulers
 * (gpusim/schedulers/plan.h). */
#include "ask/schedule/assign.h"
#include "gpusim/scenario.h"

#include <math.h>
#include <string.h>

#include "gpusim/model.h"
#include "gpusim/opplan.h"
#include "gpusim/schedulers/plan.h"

#define NONE UINT32_MAX

/* --- waits --- */
/* Streams become 0, 1, ... in the order of their first units; then who waits for whom, without what other waits
 * imply. */
static enum gsim_status finish(struct gsim_assignment *a, const struct gsim_units *u, struct gsim_error *error)
{
    struct gsim_run run = gsim_units_run(&u->program, &a->arena);
    struct gsim_plan plan = {0};
    uint32_t numbers[GSIM_ASSIGN_STREAMS], *recorder;
    a->stream_count = 0;
    memset(numbers, 0xff, sizeof numbers);
    for (uint32_t i = 0; i < u->count; i++) {
        GSIM_INVARIANT(a->stream_of[i] < GSIM_ASSIGN_STREAMS);
        if (numbers[a->stream_of[i]] == NONE) numbers[a->stream_of[i]] = a->stream_count++;
        a->stream_of[i] = numbers[a->stream_of[i]];
    }
    const struct gsim_plan_choice choice = {.list = &u->list,
                                            .dag = &u->dag,
                                            .stream_of = a->stream_of,
                                            .stream_count = a->stream_count,
                                            .prune = GSIM_PRUNE_CLOCK};
    enum gsim_status status = gsim_plan_build(&run, &choice, &plan, error);
    if (status != GSIM_OK) return status;
    a->wait_start = plan.wait_start; /* steps are units: the order is the list's */
    a->waits = plan.waits;
    recorder = GSIM_ARENA_ARRAY(&a->arena, uint32_t, (size_t)plan.event_count + 1);
    if (!recorder) return gsim_no_memory(error);
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t e = plan.record_start[i]; e < plan.record_start[i + 1]; e++) recorder[plan.records[e]] = i;
    for (uint32_t w = 0; w < a->wait_start[u->count]; w++) a->waits[w] = recorder[a->waits[w]];
    return GSIM_OK;
}

static enum gsim_status begin(struct gsim_assignment *a, const struct gsim_units *u, const char *policy,
                              struct gsim_error *error)
{
    *a = (struct gsim_assignment){.policy = policy, .us = NAN};
    a->stream_of = GSIM_ARENA_ARRAY(&a->arena, uint32_t, (size_t)u->count + 1);
    return a->stream_of ? GSIM_OK : gsim_no_memory(error);
}

void gsim_assignment_release(struct gsim_assignment *a)
{
    gsim_arena_release(&a->arena);
    *a = (struct gsim_assignment){0};
}

/* --- policies --- */
enum gsim_status gsim_assign_list(struct gsim_assignment *a, const struct gsim_units *u,
                                  const struct gsim_simulation *base, uint32_t streams, struct gsim_error *error)
{
    double free_us[GSIM_ASSIGN_STREAMS] = {0}, gap_us = base->device->graph_node_gap_us,
           cross_us = fmax(gap_us, base->device->graph_cross_gap_us);
    uint32_t last[GSIM_ASSIGN_STREAMS];
    enum gsim_status status = begin(a, u, "list", error);
    double *end_us = GSIM_ARENA_ARRAY(&a->arena, double, (size_t)u->count + 1);
    if (status != GSIM_OK || !end_us) return gsim_no_memory(error);
    memset(last, 0xff, sizeof last);
    for (uint32_t i = 0; i < u->count; i++) {
        uint32_t best = 0;
        double begin_us = INFINITY;
        for (uint32_t s = 0; s < streams; s++) {
            double could_us = free_us[s];
            bool follows = false;
            for (uint32_t e = u->dag.pred_start[i]; e < u->dag.pred_start[i + 1]; e++) {
                uint32_t pred = u->dag.preds[e];
                could_us = fmax(could_us, end_us[pred] + (a->stream_of[pred] == s ? gap_us : cross_us));
                follows |= last[s] == pred;
            }
            if (could_us < begin_us || (could_us == begin_us && follows)) {
                best = s;
                begin_us = could_us;
            }
            if (last[s] == NONE) break; /* further ones are as empty */
        }
        a->stream_of[i] = best;
        last[best] = i;
        end_us[i] = begin_us + u->units[i].us + (u->units[i].count - 1) * gap_us;
        free_us[best] = end_us[i] + gap_us;
    }
    return finish(a, u, error);
}

/* The streams beyond the first STREAMS that do most go to those. */
static void fold(uint32_t *stream_of, const struct gsim_units *u, uint32_t found, uint32_t streams, double *load,
                 uint32_t *target)
{
    for (uint32_t s = 0; s < found; s++) target[s] = s;
    for (uint32_t left = found; left > streams; left--) {
        uint32_t least = NONE, next = NONE;
        for (uint32_t s = 0; s < found; s++) {
            if (target[s] != s) continue;
            if (least == NONE || load[s] < load[least]) {
                next = least;
                least = s;
            } else if (next == NONE || load[s] < load[next]) {
                next = s;
            }
        }
        load[next] += load[least];
        for (uint32_t s = 0; s < found; s++)
            if (target[s] == least) target[s] = next;
    }
    for (uint32_t i = 0, count = 0; i < u->count; i++) { /* numbers below STREAMS again */
        uint32_t s = target[stream_of[i]];
        if (load[s] >= 0) load[s] = -1 - (double)count++;
        stream_of[i] = gsim_whole_u32(-1 - load[s]);
    }
}

static enum gsim_status fold_streams(struct gsim_assignment *a, const struct gsim_units *u,
                                     const struct gsim_op_plan *rows, uint32_t streams, struct gsim_error *error)
{
    size_t count = rows->count;
    uint32_t *numbers = GSIM_ARENA_ARRAY(&a->arena, uint32_t, count + 1),
             *target = GSIM_ARENA_ARRAY(&a->arena, uint32_t, count + 1), found = 0;
    double *load = GSIM_ARENA_ARRAY(&a->arena, double, count + 1);
    if (a->arena.failed) return gsim_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        uint32_t s = 0;
        while (s < found && numbers[s] != rows->rows[i].stream) s++;
        if (s == found) numbers[found++] = rows->rows[i].stream;
        a->stream_of[rows->rows[i].op] = s;
        load[s] += u->units[rows->rows[i].op].us;
    }
    fold(a->stream_of, u, found, streams, load, target);
    return finish(a, u, error);
}

enum gsim_status gsim_assign_by(struct gsim_assignment *a, const struct gsim_units *u,
                                const struct gsim_simulation *base, uint32_t streams,
                                const struct gsim_scheduler_ops *scheduler, const void *params,
                                struct gsim_error *error)
{
    struct gsim_simulation s = *base;
    struct gsim_timeline timeline = {0};
    struct gsim_op_plan rows = {0};
    enum gsim_status status = begin(a, u, scheduler->name, error);
    s.program = &u->program;
    s.scheduler = scheduler;
    s.scheduler_params = params;
    s.demands = NULL;
    s.op_plan = NULL;
    s.iterations = 1;
    s.until_steady = s.detailed = false;
    s.memory = GSIM_MEMORY_PINNED;
    if (status == GSIM_OK) {
        status = gsim_run(&(struct gsim_scenario){.simulation = s}, &timeline, error);
        if (status == GSIM_OK) status = gsim_op_plan_make(&rows, &timeline, error);
        gsim_timeline_release(&timeline);
    }
    if (status == GSIM_OK && rows.count != u->count)
        status = gsim_refuse(error, "the scheduler %s says of %zu units out of %u on which stream they run",
                             scheduler->name, rows.count, u->count);
    if (status == GSIM_OK) status = fold_streams(a, u, &rows, streams, error);
    gsim_op_plan_release(&rows);
    return status;
}

/* --- what it takes --- */
/* SOURCE's GPU work with the edges of the capture: each node behind the one before it in its stream, a unit's first
 * behind what it waits for. */
static enum gsim_status build(const struct gsim_assignment *a, const struct gsim_units *u, struct gsim_program *program,
                              struct gsim_error *error)
{
    const struct gsim_program *p = u->source;
    struct gsim_builder *b = gsim_builder_create(p->name);
    uint32_t last[GSIM_ASSIGN_STREAMS], *after = gsim_alloc(sizeof *after * ((size_t)u->count + 2));
    bool ok = b && after;
    memset(last, 0xff, sizeof last);
    for (uint32_t i = 0; ok && i < p->buffer_count; i++)
        ok = gsim_builder_buffer(b, p->buffers[i].name, p->buffers[i].bytes, GSIM_INIT_DEVICE) != NONE;
    for (uint32_t i = 0; ok && i < u->count; i++) {
        uint32_t stream = a->stream_of[i];
        for (uint32_t n = u->units[i].first; ok && n < u->units[i].first + u->units[i].count; n++) {
            struct gsim_op op = p->ops[u->nodes[n]];
            op.after = after;
            op.after_count = 0;
            if (op.kind == GSIM_OP_KERNEL) op.kernel_index = gsim_builder_kernel(b, &p->kernels[op.kernel_index]);
            for (uint32_t w = a->wait_start[i]; n == u->units[i].first && w < a->wait_start[i + 1]; w++)
                after[op.after_count++] = u->units[a->waits[w]].first + u->units[a->waits[w]].count - 1;
            if (last[stream] != NONE) after[op.after_count++] = last[stream];
            op.stream = (int32_t)stream;
            last[stream] = n;
            ok = (op.kind != GSIM_OP_KERNEL || op.kernel_index != NONE) && gsim_builder_op(b, &op) == n;
        }
    }
    gsim_free(after);
    if (ok) return gsim_builder_finish(b, 1, program, error);
    gsim_builder_destroy(b);
    return gsim_no_memory(error);
}

static struct gsim_simulation as_graph(const struct gsim_simulation *base, const struct gsim_program *program)
{
    struct gsim_simulation s = *base;
    s.program = program;
    s.scheduler = gsim_scheduler_find("cudagraph");
    s.scheduler_params = NULL;
    s.demands = NULL;
    s.op_plan = NULL;
    s.detailed = false;
    s.until_steady = !s.iterations; /* the first iteration builds the graph */
    s.memory = GSIM_MEMORY_PINNED;
    return s;
}

static enum gsim_status time_of(const struct gsim_spread_copy *copy, const struct gsim_timeline *timeline,
                                double *time_us, struct gsim_error *error)
{
    struct gsim_metrics metrics;
    enum gsim_status status = gsim_metrics_compute(timeline, copy->simulation.device, NULL, &metrics, error);
    if (status == GSIM_OK) *time_us = gsim_time_us(metrics.iteration_median);
    return status;
}

enum gsim_status gsim_assignment_time(struct gsim_assignment *a, const struct gsim_units *u,
                                      const struct gsim_simulation *base, struct gsim_error *error)
{
    struct gsim_program program = {0};
    struct gsim_timeline timeline = {0};
    enum gsim_status status = build(a, u, &program, error);
    struct gsim_spread_copy copy = {.simulation = as_graph(base, &program)};
    if (status == GSIM_OK) {
        status = gsim_run(&(struct gsim_scenario){.simulation = copy.simulation}, &timeline, error);
        if (status == GSIM_OK) status = time_of(&copy, &timeline, &a->us, error);
        gsim_timeline_release(&timeline);
    }
    gsim_program_release(&program);
    return status;
}

/* By the work model in which kernels share the GPU in proportion (sim/sm/models/fluid.c). */
static enum gsim_status time_fluid(const struct gsim_assignment *a, const struct gsim_units *u,
                                   const struct gsim_simulation *base, double *us, struct gsim_error *error)
{
    struct gsim_assignment other = *a;
    struct gsim_simulation fluid = *base;
    fluid.gpu.model = (int)gsim_model_find("fluid");
    enum gsim_status status = gsim_assignment_time(&other, u, &fluid, error);
    *us = other.us;
    return status;
}

static enum gsim_status spread_of(const struct gsim_assignment *a, const struct gsim_units *u,
                                  const struct gsim_simulation *base, uint32_t runs, struct gsim_spread *spread,
                                  struct gsim_error *error)
{
    struct gsim_program program = {0};
    enum gsim_status status = build(a, u, &program, error);
    struct gsim_simulation s = as_graph(base, &program);
    if (status == GSIM_OK) status = gsim_spread_run(&s, runs, time_of, spread, error);
    gsim_program_release(&program);
    return status;
}

enum gsim_status gsim_worth_find(const struct gsim_assignment *one, const struct gsim_assignment *best,
                                 const struct gsim_units *u, const struct gsim_simulation *base, uint32_t runs,
                                 struct gsim_worth *worth, struct gsim_error *error)
{
    struct gsim_spread a = {0}, b = {0};
    double one_us, best_us;
    *worth = (struct gsim_worth){0};
    if (best->stream_count == 1) return GSIM_OK;
    enum gsim_status status = spread_of(one, u, base, runs, &a, error);
    if (status == GSIM_OK) status = spread_of(best, u, base, runs, &b, error);
    if (status == GSIM_OK) status = time_fluid(one, u, base, &one_us, error);
    if (status == GSIM_OK) status = time_fluid(best, u, base, &best_us, error);
    if (status != GSIM_OK) return status;
    double ratio = best->us / one->us, plain = best_us / one_us, most = fmax(ratio, plain), least = fmin(ratio, plain);
    double slower = hypot((b.high_us - b.median_us) / b.median_us, (a.median_us - a.low_us) / a.median_us);
    double faster = hypot((b.median_us - b.low_us) / b.median_us, (a.high_us - a.median_us) / a.median_us);
    *worth = (struct gsim_worth){.percent = 100 * (1 - ratio),
                                 .plain = 100 * (1 - plain),
                                 .low = 100 * (1 - most * (1 + slower)),
                                 .high = 100 * (1 - least * (1 - fmin(1, faster)))};
    return GSIM_OK;
}

/* --- the search --- */
#define EVERY 8     /* up to so many streams each number is tried, then twice as many */
#define SAME  0.002 /* fewer streams that take so much longer are as good */

static enum gsim_status assign(struct gsim_assignment *a, const struct gsim_units *units,
                               const struct gsim_simulation *base, uint32_t streams,
                               const struct gsim_scheduler_ops *scheduler, const void *params, struct gsim_error *error)
{
    char number[16];
    enum gsim_status status = GSIM_OK;
    if (!scheduler) return gsim_assign_list(a, units, base, streams, error);
    const struct gsim_param *row = scheduler->params ? gsim_params_find(scheduler->params, "streams") : NULL;
    void *own = scheduler->params ? gsim_alloc(scheduler->params_size) : NULL;
    if (scheduler->params && !own) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (own && params) memcpy(own, params, scheduler->params_size);
    else if (own) gsim_params_set_defaults(scheduler->params, own);
    snprintf(number, sizeof number, "%u", streams);
    if (row && gsim_params_get(row, own) == row->initial)
        status = gsim_params_set(scheduler->params, own, "streams", number, error);
    if (!status) status = gsim_assign_by(a, units, base, streams, scheduler, own, error);
    gsim_free(own);
    return status;
}

enum gsim_status gsim_assign_best(struct gsim_assignment *best, const struct gsim_units *units,
                                  const struct gsim_simulation *base, uint32_t streams,
                                  const struct gsim_scheduler_ops *scheduler, const void *params,
                                  struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (uint32_t k = streams < 2 ? 1 : 2; k <= streams && status == GSIM_OK;) {
        struct gsim_assignment a = {0};
        status = assign(&a, units, base, k, scheduler, params, error);
        if (status == GSIM_OK) status = gsim_assignment_time(&a, units, base, error);
        if (status == GSIM_OK && (!best->policy || a.us < best->us * (1 - SAME))) {
            gsim_assignment_release(best);
            *best = a;
        } else {
            gsim_assignment_release(&a);
        }
        uint32_t next = k < EVERY ? k + 1 : 2 * k;
        k = k < streams && next > streams ? streams : next;
    }
    return status;
}
