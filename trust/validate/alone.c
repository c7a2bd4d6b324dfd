/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See trust/validate/alone.h. Each round multiplies a kernel's time alone by what it took in the trace over what it
 * takes in the replay; the round whose replay was nearest counts.
 */
#include "trust/validate/alone.h"
#include "gpusim/scenario.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpusim/order.h"
#include "sim/sm/demand.h"

/* All assumed, as ratios. */
#define STEP        0.8   /* power of recorded over replayed, so that kernels that slow each other do not swing */
#define NEAR        0.003 /* mean deviation that is good enough: less than durations repeat within */
#define MIN_SHARE 0.02  /* of a kernel's time beside all others, below which its time is that of running alone */
#define MIN_ALONE 0.02  /* of what a kernel took: nothing slows more */

/* --- the replay --- */
static void put_moment(struct gsim_moment *moments, uint32_t op, gsim_time origin, gsim_time start, gsim_time end)
{
    if (isnan(moments[op].start_us))
        moments[op] = (struct gsim_moment){gsim_time_us(start - origin), gsim_time_us(end - origin)};
}

/* When the trace's first launch call begins in the replay: its streams are made before, and where the call took long
 * (the first one loads the kernel) it is the host's work up to a launch of the usual cost. */
static gsim_time begin_of(const struct gsim_timeline *timeline)
{
    for (size_t i = 0; i < timeline->api_count; i++) {
        const struct gsim_api_record *call = &timeline->apis[i];
        if (call->api == GSIM_API_LAUNCH || call->api == GSIM_API_MEMCPY || call->api == GSIM_API_HOST_WORK)
            return call->start;
    }
    return 0;
}

/* A copy that the op did not ask for (of data that the replay's memory mode has elsewhere) is not its record. */
enum gsim_status gsim_replay_trace(const struct gsim_predictor *predictor, const struct gsim_program *p,
                                   const struct gsim_demand *demands, struct gsim_moment *moments,
                                   struct gsim_error *error)
{
    struct gsim_timeline timeline = {0};
    struct gsim_device_spec device = *predictor->device;
    device.call_gap_us = 0; /* when calls were made, the trace tells */
    bool is_graph = strcmp(predictor->replay->name, "cudagraph") == 0; /* whose first iteration builds it */
    const struct gsim_simulation simulation = {
        .program = p,
        .device = &device,
        .scheduler = predictor->replay,
        .demands = demands,
        .gpu = *predictor->gpu,
        .memory = GSIM_MEMORY_PINNED,
        .iterations = is_graph ? 2 : 1,
        .seed = 1,
        .detailed = true, /* the calls */
    };
    for (uint32_t i = 0; i < p->op_count; i++) moments[i] = (struct gsim_moment){NAN, NAN};
    enum gsim_status status = gsim_run(&(struct gsim_scenario){.simulation = simulation}, &timeline, error);
    gsim_time origin = status != GSIM_OK ? 0 : is_graph ? timeline.iterations[1].start : begin_of(&timeline);
    for (size_t i = 0; status == GSIM_OK && i < timeline.kernel_count; i++) {
        const struct gsim_kernel_record *k = &timeline.kernels[i];
        if (k->iteration == is_graph) put_moment(moments, k->op, origin, k->start, k->end);
    }
    for (size_t i = 0; status == GSIM_OK && i < timeline.copy_count; i++) {
        const struct gsim_copy_record *c = &timeline.copies[i];
        const struct gsim_op *op = &p->ops[c->op];
        if (op->kind == GSIM_OP_COPY && op->copy_kind == c->kind && c->iteration == is_graph)
            put_moment(moments, c->op, origin, c->start, c->end);
    }
    gsim_timeline_release(&timeline);
    return status;
}

/* --- who ran beside others --- */
struct span {
    double start_us, end_us, shared_us; /* shared: with each other kernel, added up */
    uint32_t at;                        /* in ops */
};

GSIM_ORDER(by_start, struct span, GSIM_UP(start_us))

/* Marks in BESIDE, by op of OPS, the kernels that ran beside another stream's; returns how many. SPANS has room for
 * COUNT. */
static uint32_t mark_beside(const struct gsim_recorded_op *ops, uint32_t count, struct span *spans, bool *beside)
{
    uint32_t kernels = 0, marked = 0;
    for (uint32_t i = 0; i < count; i++) {
        beside[i] = false;
        if (ops[i].is_kernel && !isnan(ops[i].start_us) && ops[i].end_us > ops[i].start_us)
            spans[kernels++] = (struct span){ops[i].start_us, ops[i].end_us, 0, i};
    }
    if (kernels) qsort(spans, kernels, sizeof *spans, by_start);
    for (uint32_t i = 0; i < kernels; i++) {
        struct span *a = &spans[i];
        for (uint32_t j = i + 1; j < kernels && spans[j].start_us < a->end_us; j++) {
            struct span *b = &spans[j];
            double common = fmin(a->end_us, b->end_us) - b->start_us;
            if (ops[a->at].stream == ops[b->at].stream) continue;
            a->shared_us += common;
            b->shared_us += common;
        }
    }
    for (uint32_t i = 0; i < kernels; i++)
        beside[spans[i].at] = spans[i].shared_us > MIN_SHARE * (spans[i].end_us - spans[i].start_us);
    for (uint32_t i = 0; i < count; i++) marked += beside[i];
    return marked;
}

/* --- the rounds --- */
struct kernel_sum {
    double recorded_us, replayed_us; /* of its ops that ran beside others */
};

/* Their sums by kernel, and how far the replay is off on average. */
static double compare(const struct gsim_program *p, const struct gsim_recorded_op *ops, uint32_t count,
                      const bool *beside, const struct gsim_moment *moments, struct kernel_sum *sums)
{
    double off = 0, all = 0;
    for (uint32_t i = 0; i < p->kernel_count; i++) sums[i] = (struct kernel_sum){0};
    for (uint32_t i = 0; i < count; i++) {
        const struct gsim_moment *m = &moments[ops[i].op];
        if (!beside[i] || isnan(m->start_us)) continue;
        double recorded = ops[i].end_us - ops[i].start_us, replayed = m->end_us - m->start_us;
        struct kernel_sum *sum = &sums[p->ops[ops[i].op].kernel_index];
        sum->recorded_us += recorded;
        sum->replayed_us += replayed;
        off += fabs(replayed - recorded);
        all += recorded;
    }
    return all > 0 ? off / all : 0;
}

static void adjust(struct gsim_program *p, const struct kernel_sum *sums, const double *recorded_us)
{
    for (uint32_t i = 0; i < p->kernel_count; i++) {
        if (!(sums[i].recorded_us > 0 && sums[i].replayed_us > 0)) continue;
        double us = p->kernels[i].solo_us * pow(sums[i].recorded_us / sums[i].replayed_us, STEP);
        p->kernels[i].solo_us = fmin(recorded_us[i], fmax(us, MIN_ALONE * recorded_us[i]));
    }
}

struct scratch {
    struct gsim_moment *moments;
    struct kernel_sum *sums;
    struct span *spans;
    double *recorded_us, *best_us; /* by kernel */
    struct gsim_demand *demands;     /* the same */
    bool *beside;                  /* by recorded op */
};

static enum gsim_status find(const struct gsim_predictor *predictor, struct gsim_program *p,
                             const struct gsim_recorded_op *ops, uint32_t count, void (*progress)(void *, uint32_t),
                             void *context, struct scratch *s, struct gsim_alone *alone, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < p->kernel_count; i++) s->best_us[i] = s->recorded_us[i] = p->kernels[i].solo_us;
    alone->kernels = mark_beside(ops, count, s->spans, s->beside);
    for (double best = INFINITY; alone->kernels && alone->rounds < GSIM_ALONE_ROUNDS && best > NEAR; alone->rounds++) {
        if (progress) progress(context, alone->rounds);
        status = alone->rounds ? gsim_demands_adjust(s->demands, p->kernel_count, predictor->device, p->kernels, error)
                               : gsim_demands_init(s->demands, p->kernel_count, predictor->device, p->kernels, error);
        if (status == GSIM_OK) status = gsim_replay_trace(predictor, p, s->demands, s->moments, error);
        if (status != GSIM_OK) break;
        double off = compare(p, ops, count, s->beside, s->moments, s->sums);
        if (!alone->rounds) alone->before = off;
        if (off < best) {
            best = alone->left = off;
            for (uint32_t i = 0; i < p->kernel_count; i++) s->best_us[i] = p->kernels[i].solo_us;
        }
        adjust(p, s->sums, s->recorded_us);
    }
    const double *final_us = status == GSIM_OK ? s->best_us : s->recorded_us;
    for (uint32_t i = 0; i < p->kernel_count; i++) p->kernels[i].solo_us = final_us[i];
    for (uint32_t i = 0; i < count; i++) {
        if (!s->beside[i]) continue;
        alone->recorded_us += ops[i].end_us - ops[i].start_us;
        alone->alone_us += p->kernels[p->ops[ops[i].op].kernel_index].solo_us;
    }
    return status;
}

enum gsim_status gsim_infer_alone(const struct gsim_predictor *predictor, struct gsim_program *p,
                                  const struct gsim_recorded_op *ops, uint32_t op_count,
                                  void (*progress)(void *, uint32_t), void *context, struct gsim_alone *alone,
                                  struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct scratch s = {.moments = GSIM_ARENA_ARRAY(&arena, struct gsim_moment, p->op_count + 1),
                        .sums = GSIM_ARENA_ARRAY(&arena, struct kernel_sum, p->kernel_count + 1),
                        .spans = GSIM_ARENA_ARRAY(&arena, struct span, op_count + 1),
                        .recorded_us = GSIM_ARENA_ARRAY(&arena, double, p->kernel_count + 1),
                        .best_us = GSIM_ARENA_ARRAY(&arena, double, p->kernel_count + 1),
                        .demands = GSIM_ARENA_ARRAY(&arena, struct gsim_demand, p->kernel_count + 1),
                        .beside = GSIM_ARENA_ARRAY(&arena, bool, op_count + 1)};
    *alone = (struct gsim_alone){0};
    enum gsim_status status = GSIM_OK;
    if (status == GSIM_OK) status = find(predictor, p, ops, op_count, progress, context, &s, alone, error);
    gsim_arena_release(&arena);
    return status;
}

const char *gsim_alone_text(const struct gsim_alone *alone, const char *device, char text[GSIM_ALONE_TEXT_SIZE])
{
    snprintf(text, GSIM_ALONE_TEXT_SIZE,
             "%" PRIu32 " kernels that ran beside others: taken to need %.1f %% of that alone on %s, with which a "
                        "replay has them within "
             "%.1f %% (with all of it: %.1f %%)",
             alone->kernels, 100 * alone->alone_us / alone->recorded_us, device, 100 * alone->left,
             100 * alone->before);
    return text;
}
