/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cases of two kernels, on the bare GPU model: no host, no streams. What is compared with the measurement:
 * ends, durations, and how many blocks of each kernel every SM got.
 */
#include <math.h>

#include "sim/sm/state.h"
#include "sim/sm/demand.h"
#include "trust/validate/run.h"

/* Two kernels released by one event reach the distributor one after the other (H200: their first blocks start
 * 256 ns apart where both find room). */
#define RELEASE_GAP_US 0.256
/* A kernel's own duration is compared from here on: the GPU's clock steps 32 ns, and a block's own stamps take a
 * few hundred. */
#define SHORTEST_US 2.0
/* No recorded SM runs more of one kernel's blocks than this without being counted as one that runs this many. */
#define MAX_BLOCKS 4096

struct two {
    struct gsim_gpu *gpu;
    const struct gsim_case *subject;
    gsim_time start[2], end[2];
    uint32_t *placed[2]; /* by SM: blocks so far; NULL: not wanted */
};

static int which(const struct two *two, const void *tag) { return tag == &two->subject->kernels[1]; }

static void started(void *data, void *tag, gsim_time now)
{
    struct two *two = data;
    two->start[which(two, tag)] = now;
}

static void ended(void *data, void *tag, gsim_time now)
{
    struct two *two = data;
    two->end[which(two, tag)] = now;
}

/* Adds the blocks that were placed at NOW: the cohorts that began then. */
static void count_placed(struct two *two, gsim_time now, const void *only)
{
    if (!two->placed[0]) return;
    for (uint32_t i = 0; i < two->gpu->group_count; i++) {
        const struct gsim_sm_group *g = two->gpu->groups[i];
        for (uint32_t c = 0; c < g->cohort_count; c++) {
            const struct gsim_cohort *cohort = &g->cohorts[c];
            if (!cohort->frees || cohort->since != now || (only && cohort->run->tag != only)) continue;
            uint32_t *placed = two->placed[which(two, cohort->run->tag)];
            for (uint32_t sm = 0; sm < two->subject->sm_count; sm++)
                if (g->sms[sm / 64] >> (sm % 64) & 1) placed[sm] += cohort->blocks;
        }
    }
}

static void advance_until(struct two *two, gsim_time until)
{
    for (gsim_time next; (next = gsim_gpu_next(two->gpu)) != GSIM_TIME_NEVER && next <= until;) {
        gsim_gpu_advance(two->gpu, next);
        count_placed(two, next, NULL);
    }
}

/* FIRST: which of the two arrives at time 0. */
static enum gsim_status simulate(const struct gsim_validation *v, struct two *two, int first, struct gsim_error *error)
{
    struct gsim_demand demands[2];
    struct gsim_arena arena = {0};
    const struct gsim_case *c = two->subject;
    const struct gsim_gpu_listener listener = {.data = two, .kernel_started = started, .kernel_ended = ended};
    for (int i = 0; i < 2; i++) {
        enum gsim_status status = gsim_demand_init(&demands[i], v->device, &c->kernels[i], error);
        if (status) return status;
    }
    gsim_demands_share_l2(demands, 2, v->device);
    double later_us = c->delay_us > 0 ? c->delay_us + v->device->launch_us : RELEASE_GAP_US;
    two->gpu = gsim_gpu_create(&arena, v->device, v->gpu, &listener);
    for (int turn = 0; turn < 2 && two->gpu; turn++) {
        int i = turn ? !first : first;
        gsim_time at = turn ? gsim_time_from_us(later_us) : 0;
        advance_until(two, at);
        (void)gsim_gpu_submit(two->gpu, at, &demands[i], i ? c->priority : 0, (void *)&c->kernels[i]);
        count_placed(two, at, &c->kernels[i]);
    }
    if (two->gpu) advance_until(two, GSIM_TIME_NEVER - 1);
    gsim_arena_release(&arena);
    two->gpu = NULL;
    return GSIM_OK;
}

static double span_us(const struct two *two)
{
    gsim_time start = two->start[0] < two->start[1] ? two->start[0] : two->start[1];
    gsim_time end = two->end[0] > two->end[1] ? two->end[0] : two->end[1];
    return gsim_time_us(end - start);
}

/* How many SMs ran how many blocks. */
static void count_sms(const uint32_t *blocks_by_sm, uint32_t sm_count, uint32_t *histogram)
{
    memset(histogram, 0, MAX_BLOCKS * sizeof *histogram);
    for (uint32_t sm = 0; sm < sm_count; sm++)
        histogram[blocks_by_sm[sm] < MAX_BLOCKS ? blocks_by_sm[sm] : MAX_BLOCKS - 1]++;
}

static void add_placement(struct gsim_validation *v, const struct two *two)
{
    const struct gsim_case *c = two->subject;
    uint32_t *predicted = gsim_alloc(2 * MAX_BLOCKS * sizeof *predicted);
    for (uint32_t i = 0; i < 2; i++) {
        count_sms(two->placed[i], c->sm_count, predicted);
        count_sms(c->blocks_by_sm[i], c->sm_count, predicted + MAX_BLOCKS);
        struct gsim_sample *s = gsim_validation_add(v, c, GSIM_QUANTITY_PLACEMENT, NAN, NAN);
        s->part = i;
        s->error = gsim_histogram_distance(predicted, predicted + MAX_BLOCKS, MAX_BLOCKS);
    }
    gsim_free(predicted);
}

static void add_span(struct gsim_validation *v, const struct two *two, enum gsim_quantity quantity)
{
    gsim_validation_add(v, two->subject, quantity, span_us(two), two->subject->span_us)->spread_ratio =
        two->subject->spread_ratio;
}

static void add_durations(struct gsim_validation *v, const struct two *two)
{
    const struct gsim_case *c = two->subject;
    for (uint32_t i = 0; i < 2; i++) {
        if (c->kernels[i].solo_us < SHORTEST_US) continue;
        struct gsim_sample *s = gsim_validation_add(v, c, GSIM_QUANTITY_OWN, gsim_time_us(two->end[i] - two->start[i]),
                                                    c->end_us[i] - c->start_us[i]);
        s->part = i;
    }
}

/* Start and end of the urgent kernel, in the other's block times. */
static enum gsim_status add_priority(struct gsim_validation *v, const struct two *two, struct gsim_error *error)
{
    const struct gsim_case *c = two->subject;
    struct gsim_block_need need;
    const struct gsim_sm_limits limits = gsim_sm_limits(v->device);
    enum gsim_status status =
        gsim_block_need(&limits, &c->kernels[0], &need, error);
    if (status) return status;
    const struct gsim_dim3 *grid = &c->kernels[0].grid;
    double blocks = (double)grid->x * grid->y * grid->z;
    double block_us = c->kernels[0].solo_us / ceil(blocks / (v->device->sm_count * need.blocks_per_sm));
    const double predicted[2] = {gsim_time_us(two->start[1] - two->start[0]),
                                 gsim_time_us(two->end[1] - two->start[0])};
    const double measured[2] = {c->start_us[1] - c->start_us[0], c->end_us[1] - c->start_us[0]};
    for (int i = 0; i < 2; i++) {
        struct gsim_sample *s = gsim_validation_add(v, c, i ? GSIM_QUANTITY_END : GSIM_QUANTITY_START,
                                                    predicted[i] / block_us, measured[i] / block_us);
        s->part = 1;
        s->error = (predicted[i] - measured[i]) / block_us;
    }
    return GSIM_OK;
}

static enum gsim_status add_samples(struct gsim_validation *v, const struct two *two, struct gsim_error *error)
{
    const struct gsim_case *c = two->subject;
    if (c->kind == GSIM_CASE_PRIORITY) return add_priority(v, two, error);
    add_span(v, two, GSIM_QUANTITY_SPAN);
    add_durations(v, two);
    if (c->kind == GSIM_CASE_ARRIVAL)
        gsim_validation_add(v, c, GSIM_QUANTITY_LATE_END, gsim_time_us(two->end[1] - two->start[0]),
                                    c->end_us[1] - c->start_us[0]);
    return GSIM_OK;
}

/* Which of two kernels released together comes first is chance: the prediction takes the first launched, and a
 * further sample says what it had been with the order known. Placement is compared in the known order. */
static enum gsim_status add_ordered(struct gsim_validation *v, struct two *two, struct gsim_error *error)
{
    const struct gsim_case *c = two->subject;
    if (c->start_us[1] < c->start_us[0]) {
        if (two->placed[0]) memset(two->placed[0], 0, 2 * c->sm_count * sizeof *two->placed[0]);
        enum gsim_status status = simulate(v, two, 1, error);
        if (status) return status;
    }
    if (!(c->delay_us > 0)) add_span(v, two, GSIM_QUANTITY_ORDERED);
    if (two->placed[0]) add_placement(v, two);
    return GSIM_OK;
}

enum gsim_status gsim_validation_run_two(struct gsim_validation *v, const struct gsim_case *subject,
                                         struct gsim_error *error)
{
    struct two two = {.subject = subject};
    if (isnan(subject->delay_us)) {
        v->skipped++;
        return GSIM_OK;
    }
    if (subject->blocks_by_sm[0] && subject->sm_count == gsim_whole_u32(v->device->sm_count)) {
        two.placed[0] = gsim_alloc(2 * subject->sm_count * sizeof *two.placed[0]);
        two.placed[1] = two.placed[0] + subject->sm_count;
    }
    enum gsim_status status = simulate(v, &two, 0, error);
    if (!status) status = add_samples(v, &two, error);
    if (!status && subject->kind != GSIM_CASE_PRIORITY) status = add_ordered(v, &two, error);
    gsim_free(two.placed[0]);
    return status;
}
