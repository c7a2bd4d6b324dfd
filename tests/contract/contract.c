/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The contract's checks. Brute force on purpose: every pair of ops, no cleverness shared with what is tested.
 */
#include "tests/contract/contract.h"
#include "sim/sm/demand.h"
#include "sim/device/occupancy.h"
#include "tests/sim/known_program.h"
#include "tests/test.h"

/* --- dependences ---------------------------------------------------------------------------------------- */
static bool conflict(const struct gsim_op *a, const struct gsim_op *b)
{
    for (uint32_t i = 0; i < a->arg_count; i++)
        for (uint32_t j = 0; j < b->arg_count; j++)
            if (a->args[i].buffer_index == b->args[j].buffer_index && (a->args[i].writes || b->args[j].writes))
                return true;
    return false;
}

/* LATER may not start before EARLIER, of the same iteration or an earlier one, has ended. */
static bool depends(const struct contract *c, const struct gsim_op *later, const struct gsim_op *earlier,
                    bool same_iteration)
{
    for (uint32_t i = 0; same_iteration && i < later->after_count; i++)
        if (later->after[i] == earlier->index) return true;
    if (c->by_streams && later->stream >= 0 && later->stream == earlier->stream) return true;
    return conflict(later, earlier);
}

/* Sum of least times along the longest chain of dependent kernels of one iteration. */
static double critical_path_us(const struct contract *c)
{
    const struct gsim_program *p = c->program;
    double longest = 0, *end = gsim_alloc(sizeof(*end) * (p->op_count + 1));
    for (uint32_t i = 0; end && i < p->op_count; i++) {
        if (p->ops[i].kind != GSIM_OP_KERNEL) continue;
        for (uint32_t j = 0; j < i; j++)
            if (p->ops[j].kind == GSIM_OP_KERNEL && depends(c, &p->ops[i], &p->ops[j], true))
                end[i] = fmax(end[i], end[j]);
        end[i] += c->least_us[p->ops[i].kernel_index];
        longest = fmax(longest, end[i]);
    }
    gsim_free(end);
    return longest;
}

/* --- running -------------------------------------------------------------------------------------------- */
/* What an observer sees, to compare with the timeline. */
struct seen {
    size_t kernels, copies, block_changes;
    uint64_t blocks; /* on all SMs */
    gsim_time last_change, least_stay;
    bool went_backwards;
};
static void on_kernel(void *data, const struct gsim_kernel_record *record)
{
    ((struct seen *)data)->kernels += record != NULL;
}
static void on_copy(void *data, const struct gsim_copy_record *record)
{
    ((struct seen *)data)->copies += record != NULL;
}
static void on_blocks(void *data, const struct gsim_block_record *record)
{
    struct seen *seen = data;
    for (uint32_t sm = 0; sm < GSIM_BLOCK_SMS; sm++)
        seen->blocks += record->sms[sm / 64] >> sm % 64 & 1 ? record->blocks : 0;
    if (record->end - record->start < seen->least_stay) seen->least_stay = record->end - record->start;
}
static void on_block_change(void *data, gsim_time now)
{
    struct seen *seen = data;
    seen->went_backwards |= now < seen->last_change;
    seen->last_change = now;
    seen->block_changes++;
}

/* Watched: with an observer, everything recorded, and the machine verifying itself after every event. */
static bool run(const struct contract *c, bool watched, struct seen *seen, struct gsim_timeline *timeline)
{
    struct gsim_error error = {0};
    struct gsim_observer observer = {.data = seen,
                                     .on_kernel = on_kernel,
                                     .on_copy = on_copy,
                                     .on_blocks = on_blocks,
                                     .on_block_change = on_block_change};
    struct gsim_simulation simulation = {.program = c->program,
                                         .device = c->device,
                                         .scheduler = c->scheduler,
                                         .memory = c->memory,
                                         .prefetch = c->prefetch,
                                         .iterations = c->iterations,
                                         .seed = 7,
                                         .detailed = watched,
                                         .observer = watched ? &observer : NULL};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu); /* as users run it */
    simulation.gpu.check = watched;
    simulation.gpu_count = c->gpu_count;
    struct gsim_source_of_program_params params = {c->program};
    struct gsim_program drawn = {0};
    if (c->as_source) {
        simulation.source = &gsim_source_of_program;
        simulation.source_params = &params;
        simulation.program = simulation.drawn = &drawn;
    }
    enum gsim_status status = gsim_simulate(&simulation, timeline, &error);
    timeline->program = c->program; /* what was drawn has the same ops */
    gsim_program_release(&drawn);
    /* Schedulers that take the program's own GPUs refuse to read for nothing what another GPU has. */
    bool is_refused = status == GSIM_INPUT && c->gpu_count > 1 && strstr(error.message, "expected a copy before it");
    CHECK_MSG(status == GSIM_OK || is_refused, "%s: %s", c->label, error.message);
    return status == GSIM_OK;
}

/* The solo times of PROGRAM's kernels: each run alone. NULL on failure; the caller frees. */
double *contract_solo_us(const struct gsim_program *program, const struct gsim_device_spec *device)
{
    double *solo_us = gsim_alloc(sizeof(*solo_us) * (program->kernel_count + 1));
    for (uint32_t i = 0; solo_us && i < program->kernel_count; i++) {
        struct gsim_error error = {0};
        struct gsim_program alone = {0};
        struct gsim_builder *builder = gsim_builder_create("alone");
        uint32_t kernel = gsim_builder_kernel(builder, &program->kernels[i]);
        gsim_builder_op(builder, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = kernel, .stream = 0});
        CHECK_OK(gsim_builder_finish(builder, 1, &alone, &error), error);
        struct contract c = {.label = program->kernels[i].name,
                             .program = &alone,
                             .device = device,
                             .scheduler = gsim_scheduler_find("serial"),
                             .memory = GSIM_MEMORY_PINNED,
                             .iterations = 1};
        struct gsim_timeline timeline;
        if (run(&c, false, NULL, &timeline) && timeline.kernel_count == 1)
            solo_us[i] = gsim_time_us(timeline.kernels[0].end - timeline.kernels[0].start);
        CHECK_MSG(solo_us[i] > 0, "%s: took %g us alone", c.label, solo_us[i]);
        gsim_timeline_release(&timeline);
        gsim_program_release(&alone);
    }
    return solo_us;
}

/* Some SM runs blocks / sm_count blocks or more, blocks_per_sm at a time, each for as long as it takes alone: blocks
 * beside others are slower. And no SM issues more than its rate. A starving block still gets 0.3 % of what it asks
 * for, so the rate may be exceeded a little: at most by what the 12 warps per sub-partition beyond the oldest
 * four ask for, 0.3 % of 12 x 0.826. */
static double least_ps(const struct gsim_demand *w, const struct gsim_device_spec *device)
{
    const double most_issue = 1.03;
    double waves = ceil((double)w->blocks / (device->sm_count * w->need.blocks_per_sm));
    if (w->kind != GSIM_DEMAND_ISSUE) return waves * w->block_ps;
    double block_ps = w->issue_ps * w->units;
    return fmax(waves * block_ps, (double)w->blocks / device->sm_count * block_ps / most_issue);
}

double *contract_least_us(const struct gsim_program *program, const struct gsim_device_spec *device)
{
    double *least_us = gsim_alloc(sizeof(*least_us) * (program->kernel_count + 1));
    for (uint32_t i = 0; least_us && i < program->kernel_count; i++) {
        struct gsim_error error = {0};
        struct gsim_demand work;
        CHECK_OK(gsim_demand_init(&work, device, &program->kernels[i], &error), error);
        if (error.status == GSIM_OK) least_us[i] = least_ps(&work, device) / GSIM_PS_PER_US;
        CHECK_MSG(least_us[i] > 0 && least_us[i] <= work.solo_ps / GSIM_PS_PER_US * (1 + 1e-6),
                  "%s: takes at least %g us, %g us alone", program->kernels[i].name, least_us[i],
                  work.solo_ps / GSIM_PS_PER_US);
    }
    return least_us;
}

/* The copy that OP itself is, not one that a lowering made because OP needed its data elsewhere. */
static bool is_own_copy(const struct gsim_op *op, const struct gsim_copy_record *copy)
{
    return op->kind == GSIM_OP_COPY && op->copy_kind == copy->kind && copy->reason == GSIM_REASON_EXPLICIT;
}

/* --- checks --------------------------------------------------------------------------------------------- */
static void check_once(const struct contract *c, const struct gsim_timeline *t)
{
    const struct gsim_program *p = c->program;
    size_t slots = (size_t)p->op_count * c->iterations;
    uint32_t *seen = gsim_alloc(sizeof(*seen) * (slots + 1));
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_kernel_record *k = &t->kernels[i];
        bool known = k->iteration < c->iterations && k->op < p->op_count && p->ops[k->op].kind == GSIM_OP_KERNEL;
        CHECK_MSG(known, "%s: record of op %" PRIu32 " in iteration %" PRIu32, c->label, k->op, k->iteration);
        if (known) seen[(size_t)k->iteration * p->op_count + k->op]++;
    }
    for (size_t i = 0; i < t->copy_count; i++) {
        const struct gsim_copy_record *copy = &t->copies[i];
        bool known = copy->iteration < c->iterations && copy->op < p->op_count;
        CHECK_MSG(known, "%s: copy of op %" PRIu32 " in iteration %" PRIu32, c->label, copy->op, copy->iteration);
        if (known && is_own_copy(&p->ops[copy->op], copy)) seen[(size_t)copy->iteration * p->op_count + copy->op]++;
    }
    for (size_t i = 0; i < slots; i++) {
        const struct gsim_op *op = &p->ops[i % p->op_count];
        uint32_t expected = op->kind == GSIM_OP_KERNEL || op->kind == GSIM_OP_COPY;
        CHECK_MSG(seen[i] == expected, "%s: op %" PRIu32 " of iteration %zu ran %" PRIu32 " times", c->label, op->index,
                  i / p->op_count, seen[i]);
    }
    gsim_free(seen);
}

static void check_times(const struct contract *c, const struct gsim_timeline *t)
{
    CHECK_MSG(t->iteration_count == c->iterations, "%s: %zu iterations", c->label, t->iteration_count);
    double critical_us = critical_path_us(c);
    for (size_t i = 0; i < t->iteration_count; i++) {
        double took_us = gsim_time_us(t->iterations[i].end - t->iterations[i].start);
        CHECK_MSG(took_us >= critical_us * (1 - 1e-6), "%s: iteration %zu took %.6g us, critical path %.6g us",
                  c->label, i, took_us, critical_us);
    }
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_kernel_record *k = &t->kernels[i];
        const char *name = c->program->kernels[k->kernel_index].name;
        CHECK_MSG(0 <= k->launch && k->launch <= k->ready && k->ready <= k->start && k->start < k->end,
                  "%s: %s: launch %.3f, ready %.3f, start %.3f, end %.3f us", c->label, name, gsim_time_us(k->launch),
                  gsim_time_us(k->ready), gsim_time_us(k->start), gsim_time_us(k->end));
        double took_us = gsim_time_us(k->end - k->start), bound_us = c->least_us[k->kernel_index];
        CHECK_MSG(took_us >= bound_us * (1 - 1e-6), "%s: %s took %.6g us, %.6g us are possible", c->label, name,
                  took_us, bound_us);
        if (k->iteration >= t->iteration_count) continue;
        const struct gsim_iteration_record *within = &t->iterations[k->iteration];
        CHECK_MSG(within->start <= k->launch && k->end <= within->end, "%s: %s runs outside its iteration", c->label,
                  name);
    }
}

static void check_pair(const struct contract *c, const char *what, uint32_t earlier_op, gsim_time ended,
                       uint32_t later_op, gsim_time started)
{
    CHECK_MSG(started >= ended, "%s: %s: op %" PRIu32 " starts at %.6f us, op %" PRIu32 " before it ends at %.6f us",
              c->label, what, later_op, gsim_time_us(started), earlier_op, gsim_time_us(ended));
}

/* Kernels and the program's own copies against one another, over all iterations. */
static void check_dependences(const struct contract *c, const struct gsim_timeline *t)
{
    const struct gsim_op *ops = c->program->ops;
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_kernel_record *a = &t->kernels[i];
        for (size_t j = 0; j < t->kernel_count; j++) {
            const struct gsim_kernel_record *b = &t->kernels[j];
            bool earlier = a->iteration < b->iteration || (a->iteration == b->iteration && a->op < b->op);
            if (earlier && depends(c, &ops[b->op], &ops[a->op], a->iteration == b->iteration))
                check_pair(c, "kernel after kernel", a->op, a->end, b->op, b->start);
        }
        for (size_t j = 0; j < t->copy_count; j++) {
            const struct gsim_copy_record *b = &t->copies[j];
            if (!is_own_copy(&ops[b->op], b)) continue;
            bool same = a->iteration == b->iteration;
            bool kernel_first = a->iteration < b->iteration || (same && a->op < b->op);
            if (kernel_first && depends(c, &ops[b->op], &ops[a->op], same))
                check_pair(c, "copy after kernel", a->op, a->end, b->op, b->start);
            if (!kernel_first && depends(c, &ops[a->op], &ops[b->op], same))
                check_pair(c, "kernel after copy", b->op, b->end, a->op, a->start);
        }
    }
}

/* Copies that a lowering or a prefetch made for an op: in before the kernel they feed, out after the
 * kernels that made the data. */
static void check_moves(const struct contract *c, const struct gsim_timeline *t)
{
    const struct gsim_op *ops = c->program->ops;
    for (size_t i = 0; i < t->copy_count; i++) {
        const struct gsim_copy_record *copy = &t->copies[i];
        CHECK_MSG(copy->start < copy->end && copy->bytes > 0, "%s: copy %zu of %" PRIu64 " bytes", c->label, i,
                  copy->bytes);
        if (copy->reason != GSIM_REASON_EXPLICIT || is_own_copy(&ops[copy->op], copy)) continue;
        for (size_t j = 0; j < t->kernel_count; j++) {
            const struct gsim_kernel_record *k = &t->kernels[j];
            if (k->iteration != copy->iteration) continue;
            bool feeds = k->op == copy->op;
            for (uint32_t a = 0; ops[copy->op].kind == GSIM_OP_PREFETCH && k->op > copy->op && a < ops[k->op].arg_count;
                 a++)
                feeds |= ops[k->op].args[a].buffer_index == copy->buffer_index && ops[k->op].args[a].reads;
            if (copy->kind == GSIM_COPY_H2D && feeds)
                check_pair(c, "kernel after its input", copy->op, copy->end, k->op, k->start);
            for (uint32_t a = 0; copy->kind == GSIM_COPY_D2H && k->op < copy->op && a < ops[k->op].arg_count; a++)
                if (ops[k->op].args[a].buffer_index == copy->buffer_index && ops[k->op].args[a].writes)
                    check_pair(c, "result after its kernel", k->op, k->end, copy->op, copy->start);
        }
    }
}

static void check_capacity(const struct contract *c, const struct gsim_timeline *t, const struct seen *seen)
{
    const struct gsim_sm_limits limits = gsim_sm_limits(c->device);
    double sms = c->device->sm_count * (c->gpu_count ? c->gpu_count : 1);
    CHECK_MSG(t->occupancy_count > 0, "%s: no occupancy recorded", c->label);
    for (size_t i = 0; i < t->occupancy_count; i++) {
        const struct gsim_occupancy_record *o = &t->occupancy[i];
        CHECK_MSG(o->busy_sms <= sms && (double)o->blocks <= sms * limits.blocks && o->warps <= sms * limits.warps,
                  "%s: %" PRIu64 " blocks, %" PRIu32 " warps on %" PRIu32 " SMs", c->label, o->blocks, o->warps,
                  o->busy_sms);
    }
    CHECK_MSG(seen->block_changes >= 2 && !seen->went_backwards, "%s: %zu changes of residency seen, backwards: %d",
              c->label, seen->block_changes, seen->went_backwards);
    CHECK_MSG(seen->kernels == t->kernel_count && seen->copies == t->copy_count,
              "%s: observed %zu kernels and %zu copies, recorded %zu and %zu", c->label, seen->kernels, seen->copies,
              t->kernel_count, t->copy_count);
    uint64_t blocks = 0;
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_dim3 *grid = &c->program->kernels[t->kernels[i].kernel_index].grid;
        blocks += (uint64_t)grid->x * grid->y * grid->z;
    }
    CHECK_MSG(seen->blocks == blocks && seen->least_stay >= 0,
              "%s: %" PRIu64 " blocks seen on SMs, launched %" PRIu64 "; one stayed %" PRId64 " ps", c->label,
              seen->blocks, blocks, (int64_t)seen->least_stay);
}

/* --- equal timelines: every field, since structs have padding ------------------------------------------------ */
static bool kernels_equal(const struct gsim_timeline *a, const struct gsim_timeline *b)
{
    bool equal = a->kernel_count == b->kernel_count;
    for (size_t i = 0; equal && i < a->kernel_count; i++) {
        const struct gsim_kernel_record *x = &a->kernels[i], *y = &b->kernels[i];
        equal = x->op == y->op && x->iteration == y->iteration && x->task == y->task && x->stream == y->stream &&
                x->device == y->device && x->kernel_index == y->kernel_index && x->launch == y->launch &&
                x->ready == y->ready && x->start == y->start && x->end == y->end;
    }
    return equal;
}
static bool copies_equal(const struct gsim_timeline *a, const struct gsim_timeline *b)
{
    bool equal = a->copy_count == b->copy_count;
    for (size_t i = 0; equal && i < a->copy_count; i++) {
        const struct gsim_copy_record *x = &a->copies[i], *y = &b->copies[i];
        equal = x->op == y->op && x->iteration == y->iteration && x->task == y->task && x->stream == y->stream &&
                x->buffer_index == y->buffer_index && x->kind == y->kind && x->reason == y->reason &&
                x->bytes == y->bytes && x->launch == y->launch && x->start == y->start && x->end == y->end;
    }
    return equal;
}
static bool iterations_equal(const struct gsim_timeline *a, const struct gsim_timeline *b)
{
    bool equal = a->iteration_count == b->iteration_count;
    for (size_t i = 0; equal && i < a->iteration_count; i++) {
        const struct gsim_iteration_record *x = &a->iterations[i], *y = &b->iterations[i];
        equal = x->start == y->start && x->end == y->end && x->streams_used == y->streams_used &&
                x->events_recorded == y->events_recorded && x->stream_waits == y->stream_waits;
    }
    return equal;
}
static bool details_equal(const struct gsim_timeline *a, const struct gsim_timeline *b)
{
    bool equal =
        a->api_count == b->api_count && a->wait_count == b->wait_count && a->occupancy_count == b->occupancy_count;
    for (size_t i = 0; equal && i < a->api_count; i++) {
        const struct gsim_api_record *x = &a->apis[i], *y = &b->apis[i];
        equal = x->api == y->api && x->thread == y->thread && x->iteration == y->iteration &&
                x->correlation == y->correlation && x->stream == y->stream && x->start == y->start &&
                x->end == y->end && x->waited == y->waited;
    }
    for (size_t i = 0; equal && i < a->wait_count; i++) {
        const struct gsim_wait_record *x = &a->waits[i], *y = &b->waits[i];
        equal = x->iteration == y->iteration && x->waiting_stream == y->waiting_stream && x->event == y->event &&
                x->recorded == y->recorded && x->satisfied == y->satisfied;
    }
    for (size_t i = 0; equal && i < a->occupancy_count; i++) {
        const struct gsim_occupancy_record *x = &a->occupancy[i], *y = &b->occupancy[i];
        equal = x->time == y->time && x->busy_sms == y->busy_sms && x->warps == y->warps && x->blocks == y->blocks;
    }
    return equal;
}

/* Everything that must hold for one program under one scheduler: three runs. */
void contract_check(const struct contract *c)
{
    struct gsim_timeline first, again, plain;
    struct seen seen = {.last_change = 0}, seen_again = {.last_change = 0};
    bool ran_first = run(c, true, &seen, &first), ran_again = run(c, true, &seen_again, &again);
    bool ran_plain = run(c, false, NULL, &plain);
    if (ran_first && ran_again && ran_plain) {
        check_once(c, &first);
        check_times(c, &first);
        check_dependences(c, &first);
        check_moves(c, &first);
        check_capacity(c, &first, &seen);
        CHECK_MSG(kernels_equal(&first, &again) && copies_equal(&first, &again) && iterations_equal(&first, &again) &&
                      details_equal(&first, &again),
                  "%s: the same seed gives another timeline", c->label);
        CHECK_MSG(kernels_equal(&first, &plain) && copies_equal(&first, &plain) && iterations_equal(&first, &plain),
                  "%s: observing changes the timeline", c->label);
    }
    gsim_timeline_release(&first);
    gsim_timeline_release(&again);
    gsim_timeline_release(&plain);
}
