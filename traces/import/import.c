/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What records mean together: which call made which work, what is broken and can be repaired, in which order the
 * host did it all, and how long each kernel runs alone. The ops themselves: traces/import/records/emit.c.
 */
#include "sim/base/first.h"
#include "traces/import/import.h"

#include <stdlib.h>

#include "gpusim/order.h"
#include "traces/import/records/host.h"
#include "traces/import/records/records.h"

#define SAME_SOLO_RATIO 0.02 /* durations of one kernel this close to their median are replayed as the median */

/* --- calls by correlation id ---------------------------------------------------------------------------------- */
GSIM_ORDER(compare_calls, struct gsim_call,
           GSIM_UP(process) GSIM_UP(correlation) GSIM_UP(start_ns) GSIM_UP(end_ns) GSIM_UP(thread) GSIM_UP(kind))

static bool is_same_id(const struct gsim_call *call, uint32_t process, uint64_t correlation)
{
    return call->process == process && call->correlation == correlation;
}

uint32_t gsim_records_find_call(const struct gsim_records *r, uint32_t process, uint64_t correlation, int64_t before_ns)
{
    const struct gsim_call wanted = {
        .process = process, .correlation = correlation, .start_ns = before_ns, .end_ns = INT64_MAX};
    if (correlation == 0) return GSIM_NO_CALL;
    GSIM_FIRST (low, r->call_count, middle, compare_calls(&r->calls[middle], &wanted) <= 0)
    if (low > 0 && is_same_id(&r->calls[low - 1], process, correlation)) return low - 1;
    if (low < r->call_count && is_same_id(&r->calls[low], process, correlation)) return low;
    return GSIM_NO_CALL;
}

/* Whether works come of such calls. */
static bool makes_works(const struct gsim_call *call)
{
    return call->kind == GSIM_CALL_OTHER || call->kind == GSIM_CALL_COPY || call->kind == GSIM_CALL_LAUNCH ||
           call->kind == GSIM_CALL_GRAPH;
}

/* The call that made a work: of those with its id the latest that makes works and begins before it does. A tracer may
 * give calls that make none the id of the launch before them (gpusim-runner's does). */
static uint32_t find_maker(const struct gsim_records *r, uint32_t process, uint64_t correlation, int64_t before_ns)
{
    uint32_t found = gsim_records_find_call(r, process, correlation, before_ns);
    if (found == GSIM_NO_CALL) return found;
    for (uint32_t i = found + 1; i-- > 0 && is_same_id(&r->calls[i], process, correlation);)
        if (makes_works(&r->calls[i])) return i;
    for (uint32_t i = found + 1; i < r->call_count && is_same_id(&r->calls[i], process, correlation); i++)
        if (makes_works(&r->calls[i])) return i;
    return found;
}

/* --- works ------------------------------------------------------------------------------------------------------ */
/* What was not recorded with the work, from the call that made it (NULL: none). */
static enum gsim_status complete_work(struct gsim_records *r, struct gsim_activity *work, const struct gsim_call *call)
{
    const struct gsim_launch *launch = call && call->launch ? &r->launches[call->launch - 1] : NULL;
    if (work->lacks_size && launch && launch->bytes) {
        work->bytes = launch->bytes;
        work->lacks_size = false;
    }
    r->notes->unknown_sizes += work->lacks_size;
    if (!work->lacks_shape) return GSIM_OK;
    if (!launch || !launch->grid.x) {
        r->notes->unknown_shapes++;
        return GSIM_OK;
    }
    struct gsim_work_shape shape = r->shapes[work->shape];
    shape.grid = launch->grid;
    shape.block = launch->block;
    if (!shape.smem_bytes) shape.smem_bytes = launch->smem_bytes;
    work->lacks_shape = false;
    return gsim_records_shape(r, &shape, &work->shape);
}

/* Joins a work with its call and gives it times that can be. False: nothing is known about when it ran. */
static bool repair_work(struct gsim_records *r, struct gsim_activity *work)
{
    int64_t ns = work->end_ns - work->start_ns;
    uint32_t found = find_maker(r, work->process, work->correlation, work->start_ns ? work->start_ns : INT64_MAX);
    const struct gsim_call *call = found == GSIM_NO_CALL ? NULL : &r->calls[found];
    work->call = found;
    if (!call && work->start_ns == 0) {
        r->notes->dropped++;
        return false;
    }
    if (!call) r->notes->lost_calls++;
    if (ns <= 0) {
        r->notes->empty++;
        work->lacks_time = true;
        ns = 1;
    }
    if (work->start_ns == 0 || (call && work->start_ns < call->start_ns)) {
        if (work->start_ns == 0) r->notes->zero_times++;
        else r->notes->early_starts++;
        work->start_ns = call->end_ns;
        work->is_moved = true;
    }
    work->end_ns = work->start_ns + ns;
    return true;
}

struct timing {
    int64_t ns;
    uint32_t shape, index;
};

GSIM_ORDER(compare_timings, struct timing, GSIM_UP(shape) GSIM_UP(ns) GSIM_UP(index))

/* A work without a duration takes as long as the median of its shape. */
static enum gsim_status guess_durations(struct gsim_records *r)
{
    struct timing *timings = gsim_alloc(sizeof *timings * ((size_t)r->work_count + 1));
    uint32_t count = 0;
    if (!timings) return gsim_no_memory(r->error);
    for (uint32_t i = 0; i < r->work_count; i++)
        if (!r->works[i].lacks_time)
            timings[count++] = (struct timing){
                .shape = r->works[i].shape, .ns = r->works[i].end_ns - r->works[i].start_ns, .index = i};
    if (count) qsort(timings, count, sizeof *timings, compare_timings);
    for (uint32_t i = 0; i < r->work_count; i++) {
        struct gsim_activity *work = &r->works[i];
        if (!work->lacks_time) continue;
        GSIM_FIRST (low, count, middle, timings[middle].shape < work->shape)
        uint32_t end = low;
        for (; end < count && timings[end].shape == work->shape;) end++;
        if (end > low) work->end_ns = work->start_ns + timings[low + (end - low) / 2].ns;
    }
    gsim_free(timings);
    return GSIM_OK;
}

static enum gsim_status repair_works(struct gsim_records *r)
{
    uint32_t kept = 0;
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < r->work_count && status == GSIM_OK; i++) {
        if (!repair_work(r, &r->works[i])) continue;
        r->works[kept] = r->works[i];
        const struct gsim_activity *work = &r->works[kept];
        status = complete_work(r, &r->works[kept++], work->call == GSIM_NO_CALL ? NULL : &r->calls[work->call]);
    }
    r->work_count = kept;
    if (status == GSIM_OK && r->notes->empty) status = guess_durations(r);
    const struct gsim_call *last = NULL; /* that makes works */
    for (uint32_t i = 0; i < r->call_count; i++) {
        const struct gsim_call *call = &r->calls[i];
        if (!makes_works(call)) continue;
        if (call->correlation && last && is_same_id(last, call->process, call->correlation)) r->notes->repeated_calls++;
        last = call;
    }
    return status;
}

/* Launches on the GPUs that are left out have their kernels there, so then nothing can be said. */
static enum gsim_status find_lost_works(struct gsim_records *r)
{
    if (r->notes->other_devices) return GSIM_OK;
    bool *has_work = gsim_alloc((size_t)r->call_count + 1);
    if (!has_work) return gsim_no_memory(r->error);
    for (uint32_t i = 0; i < r->work_count; i++)
        if (r->works[i].call != GSIM_NO_CALL) has_work[r->works[i].call] = true;
    for (uint32_t i = 0, next; i < r->call_count; i = next) { /* calls that share an id share its works */
        const struct gsim_call *first = &r->calls[i];
        bool is_launch = false, is_lost = true;
        for (next = i; next < r->call_count && is_same_id(&r->calls[next], first->process, first->correlation);
             next++) {
            is_launch |= r->calls[next].kind == GSIM_CALL_LAUNCH;
            is_lost &= !has_work[next];
        }
        r->notes->lost_works += is_launch && is_lost;
    }
    gsim_free(has_work);
    return GSIM_OK;
}

GSIM_ORDER(compare_syncs, struct gsim_sync,
           GSIM_UP(process) GSIM_UP(correlation) GSIM_UP(start_ns) GSIM_UP(kind) GSIM_UP(stream))

const struct gsim_sync *gsim_records_sync_of(const struct gsim_records *r, const struct gsim_call *call)
{
    const struct gsim_sync wanted = {.process = call->process, .correlation = call->correlation, .start_ns = INT64_MIN};
    GSIM_FIRST (low, r->sync_count, middle, compare_syncs(&r->syncs[middle], &wanted) < 0)
    const struct gsim_sync *sync = low < r->sync_count ? &r->syncs[low] : NULL;
    bool is_found = sync && sync->process == call->process && sync->correlation == call->correlation;
    return is_found && call->correlation ? sync : NULL;
}

/* By stream, then start: the order in which a stream ran. */
GSIM_ORDER(compare_runs, struct gsim_activity, GSIM_UP(stream) GSIM_UP(start_ns) GSIM_UP(end_ns) GSIM_UP(correlation))

/* Works of one stream do not overlap: rounding, or a launch that lets a kernel's prologue run early. */
static void cut_overlaps(struct gsim_records *r)
{
    for (uint32_t i = 0; i < r->work_count; i++) {
        struct gsim_activity *work = &r->works[i], *before = i ? work - 1 : NULL;
        work->solo_ns = work->end_ns - work->start_ns;
        if (!before || before->stream != work->stream || work->is_moved || before->is_moved ||
            work->start_ns >= before->end_ns)
            continue;
        r->notes->overlaps++;
        r->notes->side_by_side += 2 * (before->end_ns - work->start_ns) > work->solo_ns;
        work->solo_ns = work->end_ns > before->end_ns ? work->end_ns - before->end_ns : 1;
        if (work->end_ns < before->end_ns) work->end_ns = before->end_ns;
    }
}

/* --- how long alone ----------------------------------------------------------------------------------------------- */
/* Launches of one kernel with one shape get their median duration, unless they are far from it. */
static enum gsim_status find_medians(struct gsim_records *r)
{
    struct timing *timings = gsim_alloc(sizeof *timings * ((size_t)r->work_count + 1));
    uint32_t count = 0;
    if (!timings) return gsim_no_memory(r->error);
    for (uint32_t i = 0; i < r->work_count; i++)
        if (r->works[i].kind != GSIM_ACTIVITY_COPY)
            timings[count++] = (struct timing){.shape = r->works[i].shape, .ns = r->works[i].solo_ns, .index = i};
    if (count) qsort(timings, count, sizeof *timings, compare_timings);
    for (uint32_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && timings[from].shape == timings[to].shape;) to++;
        int64_t median = timings[from + (to - from) / 2].ns;
        for (uint32_t i = from; i < to; i++) {
            double off = (double)timings[i].ns - (double)median;
            if (off <= SAME_SOLO_RATIO * (double)median && -off <= SAME_SOLO_RATIO * (double)median)
                r->works[timings[i].index].solo_ns = median;
        }
    }
    gsim_free(timings);
    return GSIM_OK;
}

/* --- the host's order ------------------------------------------------------------------------------------------- */
GSIM_ORDER(compare_steps, struct gsim_step, GSIM_UP(time_ns) GSIM_UP(then_ns) GSIM_UP(kind) GSIM_UP(index))

static bool is_synchronise(const struct gsim_call *call)
{
    return call->kind == GSIM_CALL_SYNC_DEVICE || call->kind == GSIM_CALL_SYNC_STREAM ||
           call->kind == GSIM_CALL_SYNC_EVENT;
}

/* Calls of one thread in which the host waits, by time. */
struct waits {
    const struct gsim_call **calls;
    uint32_t count;
};

GSIM_ORDER_AT(compare_starts, struct gsim_call, GSIM_UP(start_ns))

/* None where several threads launch or wait: what one of them waits for says nothing of the others' launches. */
static enum gsim_status find_waits(const struct gsim_records *r, struct waits *waits)
{
    const struct gsim_call *first = NULL;
    waits->calls = gsim_alloc(sizeof(void *) * ((size_t)r->call_count + 1));
    if (!waits->calls) return gsim_no_memory(r->error);
    for (uint32_t i = 0; i < r->call_count; i++) {
        const struct gsim_call *call = &r->calls[i];
        if (first && (call->thread != first->thread || call->process != first->process)) {
            waits->count = 0;
            return GSIM_OK;
        }
        first = call;
        if (is_synchronise(call)) waits->calls[waits->count++] = call;
    }
    if (waits->count) qsort(waits->calls, waits->count, sizeof *waits->calls, compare_starts);
    return GSIM_OK;
}

/* When a WORK was launched whose call is not there: with the one ahead in its stream, but not before a wait for all
 * that had ended when it began; and not within a wait. */
static int64_t guess_launch(const struct gsim_records *r, const struct waits *waits, const struct gsim_activity *work,
                            int64_t ahead_ns)
{
    GSIM_FIRST (next, waits->count, middle, waits->calls[middle]->start_ns <= work->start_ns)
    bool is_within = next && waits->calls[next - 1]->end_ns > work->start_ns;
    int64_t until_ns = is_within ? waits->calls[next - 1]->start_ns - 1 : work->start_ns;
    for (uint32_t i = next - is_within; i > 0 && waits->calls[i - 1]->end_ns > ahead_ns; i--)
        if (waits->calls[i - 1]->kind == GSIM_CALL_SYNC_DEVICE ||
            (waits->calls[i - 1]->kind == GSIM_CALL_SYNC_STREAM && r->stream_count == 1)) {
            ahead_ns = waits->calls[i - 1]->end_ns;
            break;
        }
    return ahead_ns < until_ns ? ahead_ns : until_ns;
}

static enum gsim_status add_works(struct gsim_records *r, struct gsim_steps *steps)
{
    int64_t launch_ns = 0;
    bool has_calls = r->notes->lost_calls < r->work_count; /* else the starts are the order */
    struct waits waits = {0};
    enum gsim_status status = r->notes->lost_calls ? find_waits(r, &waits) : GSIM_OK;
    for (uint32_t i = 0; i < r->work_count && status == GSIM_OK; i++) {
        const struct gsim_activity *work = &r->works[i];
        bool is_first = i == 0 || r->works[i - 1].stream != work->stream;
        if (work->call != GSIM_NO_CALL) launch_ns = r->calls[work->call].start_ns;
        else launch_ns = guess_launch(r, &waits, work, is_first || !has_calls ? work->start_ns : launch_ns);
        steps->steps[steps->count++] =
            (struct gsim_step){.kind = GSIM_STEP_WORK, .time_ns = launch_ns, .then_ns = work->start_ns, .index = i};
    }
    gsim_free(waits.calls);
    return status;
}

static enum gsim_status make_steps(struct gsim_records *r, struct gsim_steps *steps)
{
    size_t most = (size_t)r->work_count + r->sync_count;
    uint64_t waits = 0, known_waits = 0;
    for (uint32_t i = 0; i < r->call_count; i++) most += is_synchronise(&r->calls[i]);
    if (most >= UINT32_MAX / 2) return gsim_error_set(r->error, GSIM_INPUT, "expected fewer than 2^31 records");
    steps->steps = gsim_alloc(sizeof *steps->steps * (most + 1));
    if (!steps->steps) return gsim_no_memory(r->error);
    if (add_works(r, steps)) return r->error->status;
    for (uint32_t i = 0; i < r->call_count; i++) {
        const struct gsim_call *call = &r->calls[i];
        waits += call->kind == GSIM_CALL_WAIT;
        if (is_synchronise(call))
            steps->steps[steps->count++] = (struct gsim_step){
                .kind = GSIM_STEP_SYNC, .time_ns = call->start_ns, .then_ns = call->end_ns, .index = i};
    }
    for (uint32_t i = 0; i < r->sync_count; i++) {
        const struct gsim_sync *sync = &r->syncs[i];
        if (sync->kind != GSIM_SYNC_WAIT) continue;
        uint32_t call = gsim_records_find_call(r, sync->process, sync->correlation, INT64_MAX);
        int64_t time = call == GSIM_NO_CALL ? sync->start_ns : r->calls[call].start_ns;
        known_waits++;
        steps->steps[steps->count++] =
            (struct gsim_step){.kind = GSIM_STEP_WAIT, .time_ns = time, .then_ns = time, .index = i};
    }
    if (waits > known_waits && r->stream_count > 1) r->notes->unknown_waits = waits - known_waits;
    if (steps->count) qsort(steps->steps, steps->count, sizeof *steps->steps, compare_steps);
    return GSIM_OK;
}

/* The steps of the host within a step of the program. */
static enum gsim_status cut_window(struct gsim_records *r, struct gsim_steps *steps, int64_t from_ns, int64_t until_ns)
{
    uint32_t kept = 0, works = 0;
    for (uint32_t i = 0; i < steps->count; i++) {
        const struct gsim_step step = steps->steps[i];
        if (step.time_ns < from_ns || step.time_ns >= until_ns) continue;
        works += step.kind == GSIM_STEP_WORK;
        steps->steps[kept++] = step;
    }
    if (!works) return gsim_error_set(r->error, GSIM_INPUT, "expected launches within the steps, found none");
    steps->count = kept;
    steps->work_count = works;
    steps->tail_count = 0;
    steps->from_ns = from_ns;
    steps->until_ns = until_ns;
    return GSIM_OK;
}

/* The steps from the FIRST to the LAST work, these included. */
static enum gsim_status cut_range(struct gsim_records *r, struct gsim_steps *steps)
{
    uint32_t works = 0, from = 0, to = 0, first, last;
    if (r->work_count == 0)
        return gsim_error_set(r->error, GSIM_INPUT, "expected kernels, copies or memsets of a GPU, found none");
    struct gsim_trace_steps own = {0}, *found = r->options->steps ? r->options->steps : &own;
    bool wants_steps = r->options->steps || r->options->part.has_step || r->options->part.takes_typical,
         is_window = false;
    int64_t from_ns = 0, until_ns = 0;
    enum gsim_status status = wants_steps ? gsim_records_find_steps(r, steps, found) : GSIM_OK;
    if (status == GSIM_OK) status = gsim_records_find_window(r, found, &is_window, &from_ns, &until_ns);
    gsim_trace_steps_release(&own);
    if (status == GSIM_OK && is_window) return cut_window(r, steps, from_ns, until_ns);
    if (status == GSIM_OK) status = gsim_records_find_part(r, steps, &first, &last);
    if (status != GSIM_OK) return status;
    if (first >= r->work_count)
        return gsim_error_set(r->error, GSIM_INPUT, "--range: expected a first work below %u, found %u", r->work_count,
                              first);
    for (uint32_t i = 0; i < steps->count; i++) {
        if (steps->steps[i].kind != GSIM_STEP_WORK) continue;
        if (works == first) from = i;
        if (works++ > last) break;
        to = i + 1;
    }
    steps->tail_count = last == UINT32_MAX ? steps->count - to : 0;
    memmove(steps->steps, steps->steps + from, sizeof *steps->steps * (to - from + steps->tail_count));
    steps->count = to - from;
    steps->work_count = 0;
    for (uint32_t i = 0; i < steps->count; i++) steps->work_count += steps->steps[i].kind == GSIM_STEP_WORK;
    return GSIM_OK;
}

/* --- who and how many ----------------------------------------------------------------------------------------- */
struct threads {
    struct thread {
        uint64_t id;
        uint32_t process;
    } * threads;
    size_t room;
    uint32_t count, last;
};

/* Index of the thread of CALL, or COUNT. */
static uint32_t find_thread(struct threads *all, const struct gsim_call *call)
{
    for (uint32_t i = 0, at = all->last; i < all->count; i++, at++) {
        if (at >= all->count) at = 0;
        if (all->threads[at].id == call->thread && all->threads[at].process == call->process) return all->last = at;
    }
    return all->count;
}

static bool name_thread(struct gsim_records *r, struct threads *all, struct gsim_activity *work)
{
    work->thread = all->last;
    if (work->call == GSIM_NO_CALL) return true;
    const struct gsim_call *call = &r->calls[work->call];
    uint32_t at = find_thread(all, call);
    if (at == all->count) {
        if (gsim_array_grow(&all->threads, sizeof *all->threads, at, &all->room)) return false;
        all->threads[all->count++] = (struct thread){.id = call->thread, .process = call->process};
    }
    work->thread = all->last = at;
    if (at > 0) r->notes->other_threads++;
    return true;
}

/* Who launches: numbered in order of the first launch. */
static enum gsim_status find_threads(struct gsim_records *r, struct gsim_steps *steps)
{
    struct threads all = {0};
    uint32_t next = GSIM_NO_CALL;
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < steps->count && status == GSIM_OK; i++)
        if (steps->steps[i].kind == GSIM_STEP_WORK && !name_thread(r, &all, &r->works[steps->steps[i].index]))
            status = gsim_no_memory(r->error);
    for (uint32_t i = steps->count; i-- > 0 && status == GSIM_OK;) {
        struct gsim_step *step = &steps->steps[i];
        step->next_thread = next;
        step->thread = GSIM_NO_CALL;
        if (step->kind == GSIM_STEP_WORK) {
            next = r->works[step->index].thread;
        } else if (step->kind == GSIM_STEP_SYNC) {
            uint32_t at = find_thread(&all, &r->calls[step->index]);
            if (at < all.count) step->thread = at;
        }
    }
    steps->thread_count = all.count ? all.count : 1;
    gsim_free(all.threads);
    return status;
}

struct interval {
    int64_t start_ns, end_ns;
    uint32_t stream;
};

GSIM_ORDER(compare_intervals, struct interval, GSIM_UP(start_ns) GSIM_UP(stream))

static void count_kind(struct gsim_import_notes *notes, enum gsim_activity_kind kind)
{
    if (kind == GSIM_ACTIVITY_KERNEL)
        notes->kernels++;
    else if (kind == GSIM_ACTIVITY_COPY)
        notes->copies++;
    else
        notes->memsets++;
}

static enum gsim_status count(struct gsim_records *r, const struct gsim_steps *steps)
{
    struct gsim_import_notes *notes = r->notes;
    struct interval *kernels = gsim_alloc(sizeof *kernels * ((size_t)steps->work_count + 1));
    uint32_t kernel_count = 0, last_call = GSIM_NO_CALL;
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN, busy_ns = INT64_MIN;
    if (!kernels) return gsim_no_memory(r->error);
    for (uint32_t i = 0; i < steps->count; i++) {
        const struct gsim_step *step = &steps->steps[i];
        if (step->kind != GSIM_STEP_WORK) continue;
        const struct gsim_activity *work = &r->works[step->index];
        count_kind(notes, work->kind);
        if (work->kind == GSIM_ACTIVITY_KERNEL)
            kernels[kernel_count++] = (struct interval){work->start_ns, work->end_ns, work->stream};
        if (step->time_ns < first_ns) first_ns = step->time_ns;
        if (work->end_ns > last_ns) last_ns = work->end_ns;
        bool is_repeated = work->call != GSIM_NO_CALL && work->call == last_call;
        if (work->call != GSIM_NO_CALL && r->calls[work->call].kind == GSIM_CALL_GRAPH)
            notes->graph_works++;
        else if (is_repeated)
            notes->repeated_works++;
        if (work->call != GSIM_NO_CALL) last_call = work->call;
    }
    if (kernel_count) qsort(kernels, kernel_count, sizeof *kernels, compare_intervals);
    for (uint32_t i = 0, stream = 0; i < kernel_count; i++) {
        if (i && kernels[i].start_ns < busy_ns && kernels[i].stream != stream) notes->shared++;
        if (kernels[i].end_ns <= busy_ns) continue;
        busy_ns = kernels[i].end_ns;
        stream = kernels[i].stream;
    }
    if (steps->until_ns) {
        first_ns = steps->from_ns;
        if (steps->until_ns > last_ns) last_ns = steps->until_ns;
    }
    notes->threads = steps->thread_count;
    notes->span_us = (double)(last_ns - first_ns) / 1e3;
    gsim_free(kernels);
    return GSIM_OK;
}

/* SECONDS since 1970 as a day, UTC. */
static void note_date(struct gsim_records *r, int64_t seconds)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t days = seconds / 86400;
    int year = 1970, month = 0;
    for (int length; days >= (length = 365 + ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0)); year++) {
        if (year == 9999) return;
        days -= length;
    }
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    for (int length; days >= (length = lengths[month] + (month == 1 && is_leap)); month++) days -= length;
    snprintf(r->notes->date, sizeof r->notes->date, "%04u-%02u-%02u", (unsigned)year % 10000,
             (unsigned)(month + 1) % 100, (unsigned)(days + 1) % 100);
}

/* What the records mean together, as a program. */
static enum gsim_status make_program(struct gsim_records *r, const struct gsim_import_options *options,
                                     struct gsim_program *program)
{
    struct gsim_steps steps = {0};
    enum gsim_status status = gsim_records_keep_gpu(r);
    if (r->call_count) qsort(r->calls, r->call_count, sizeof *r->calls, compare_calls);
    gsim_recorded_sort(r);
    if (status == GSIM_OK) status = repair_works(r);
    if (status == GSIM_OK) {
        if (r->work_count) qsort(r->works, r->work_count, sizeof *r->works, compare_runs);
        if (r->sync_count) qsort(r->syncs, r->sync_count, sizeof *r->syncs, compare_syncs);
        gsim_records_cut_overflows(r);
        cut_overlaps(r);
        status = gsim_records_find_hidden_waits(r);
        if (status == GSIM_OK) status = gsim_records_find_owners(r);
    }
    if (status == GSIM_OK) {
        status = find_lost_works(r);
        if (status == GSIM_OK) status = gsim_records_find_idle(r);
        if (status == GSIM_OK) gsim_records_find_gaps(r);
        if (status == GSIM_OK && r->stream_count > 1) status = gsim_records_infer_waits(r);
        if (r->sync_count) qsort(r->syncs, r->sync_count, sizeof *r->syncs, compare_syncs);
    }
    if (status == GSIM_OK) status = make_steps(r, &steps);
    if (status == GSIM_OK) status = cut_range(r, &steps);
    if (status == GSIM_OK) status = find_medians(r);
    if (status == GSIM_OK) status = find_threads(r, &steps);
    if (status == GSIM_OK && steps.thread_count > 1) status = gsim_records_find_lock(r);
    if (status == GSIM_OK) status = count(r, &steps);
    snprintf(r->notes->gpu, sizeof r->notes->gpu, "%s", r->gpu);
    if (status == GSIM_OK && r->epoch_ns > 0 && steps.count)
        note_date(r, r->epoch_ns / 1000000000 + steps.steps[0].time_ns / 1000000000);
    if (status == GSIM_OK) status = gsim_records_emit(r, &steps, options, program);
    gsim_free(steps.steps);
    return status;
}

enum gsim_status gsim_records_import(const char *path, gsim_records_reader *read, void *context,
                                     const struct gsim_import_options *options, struct gsim_program *program,
                                     struct gsim_import_notes *notes, struct gsim_error *error)
{
    struct gsim_records records = {.options = options, .notes = notes, .error = error};
    *notes = (struct gsim_import_notes){0};
    enum gsim_status status = read(path, &records, context);
    if (status == GSIM_OK) status = make_program(&records, options, program);
    gsim_records_release(&records);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(error, "cannot read '%s'", path);
}
