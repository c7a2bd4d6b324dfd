/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the steps of a trace are: by ProfilerStep annotations, by others that cover most launches, by waits for the
 * whole GPU that divide the launches into like parts, by launches that repeat. The result: traces/import/steps.h.
 */
#include "sim/base/first.h"
#include "traces/import/steps.h"

#include <ctype.h>
#include <stdlib.h>

#include "gpusim/order.h"
#include "traces/import/records/records.h"

#define COVERED      0.6  /* of the launches, by the annotations that are taken for steps */
#define ALIKE        0.2  /* parts between waits differ by less in their launches */
#define MOSTLY       0.6  /* of the parts are alike */
#define MIN_WORKS    8    /* of a part between waits: less is no step of a framework; of parts of less, kernels count */
#define NEARLY       0.98 /* of the parts, where kernels count: an odd one in fifty */
#define MIN_NODES    2    /* of a part all of whose works graphs have launched */
#define MIN_PERIOD 24   /* launches that repeat: a layer of a network is shorter */
#define MIN_COUNT    3    /* and how often they must */
#define MIN_TAIL     8    /* likewise, where what came before was otherwise: a compiler that tries kernels */
#define TAIL         0.5  /* of the launches, by those at the end */
#define LONG         1.5  /* outliers take so many medians */
#define SHORT        0.5
#define TRIES        1000 /* lengths of a period that are looked at: each costs a walk over all */
#define EXPLAINS     0.6  /* of what an outlier takes beyond the median, by what it waited for */

const char *gsim_steps_by_text(enum gsim_steps_by by)
{
    static const char *const texts[] = {"none found", "by ProfilerStep", "by the annotation",
                                        "by waits for the whole GPU", "by launches that repeat"};
    return texts[by];
}

void gsim_trace_steps_release(struct gsim_trace_steps *steps)
{
    gsim_free(steps->steps);
    *steps = (struct gsim_trace_steps){0};
}

/* What is looked at, by time. */
struct finder {
    struct gsim_records *r;
    const struct gsim_steps *host;
    struct gsim_trace_steps *found;
    uint32_t *works; /* of the host's steps, those that launch */
    uint32_t work_count;
};

static enum gsim_status add_step(struct finder *f, int64_t start_ns, int64_t end_ns, uint32_t number)
{
    return GSIM_ADD(f->r->error, f->found->steps, f->found->count, f->found->room,
                    (struct gsim_trace_step){.start_ns = start_ns, .end_ns = end_ns, .number = number});
}

static const struct gsim_step *work_at(const struct finder *f, uint32_t index)
{
    return &f->host->steps[f->works[index]];
}

/* The first work launched at TIME or later. */
static uint32_t first_work(const struct finder *f, int64_t time_ns)
{
    GSIM_FIRST (low, f->work_count, middle, work_at(f, middle)->time_ns < time_ns)
    return low;
}

static uint32_t works_within(const struct finder *f, int64_t from_ns, int64_t until_ns)
{
    return first_work(f, until_ns) - first_work(f, from_ns);
}

static uint32_t name_of(const struct finder *f, uint32_t work) { return f->r->shapes[f->r->works[work].shape].name; }

static bool has_operators(const struct finder *f)
{
    for (uint32_t i = 0; i < f->r->host_event_count; i++)
        if (gsim_host_is_operator(&f->r->host_events[i])) return true;
    return false;
}

/* Whether the host waits for the whole GPU between the two. */
static bool waits_within(const struct finder *f, int64_t from_ns, int64_t until_ns)
{
    GSIM_FIRST (low, f->host->count, middle, f->host->steps[middle].time_ns < from_ns)
    for (; low < f->host->count && f->host->steps[low].time_ns < until_ns; low++)
        if (f->host->steps[low].kind == GSIM_STEP_SYNC &&
            f->r->calls[f->host->steps[low].index].kind == GSIM_CALL_SYNC_DEVICE)
            return true;
    return false;
}

/* --- annotations -------------------------------------------------------------------------------------------------- */
/* Annotations of one family: names that differ in the number at their end. */
struct family {
    size_t length;
    const char *name;
    uint32_t count, works;
    uint32_t waits;  /* those of them in which the host waits for the whole GPU */
    int64_t end_ns;  /* of the latest */
    bool is_nested; /* one of them begins before another ended */
};

static size_t stem_of(const char *name)
{
    size_t length = strlen(name);
    while (length && isdigit((unsigned char)name[length - 1])) length--;
    return length ? length : strlen(name);
}

GSIM_ORDER(compare_annotations, struct gsim_annotation, GSIM_UP(start_ns) GSIM_DOWN(end_ns) GSIM_UP(name))

static bool is_of(const struct family *family, const char *name)
{
    return stem_of(name) == family->length && strncmp(family->name, name, family->length) == 0;
}

#define FAMILIES 256 /* names of annotations that are looked at */

static uint32_t find_families(const struct finder *f, struct family families[FAMILIES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->r->annotation_count; i++) {
        const struct gsim_annotation *a = &f->r->annotations[i];
        const char *name = f->r->names[a->name];
        uint32_t works = works_within(f, a->start_ns, a->end_ns), at = 0;
        if (!works || strncmp(name, "Thunk:", 6) == 0) continue; /* XLA's ops: thousands, none a step */
        while (at < count && !is_of(&families[at], name)) at++;
        if (at == FAMILIES) continue;
        if (at == count)
            families[count++] = (struct family){.name = name, .length = stem_of(name), .end_ns = INT64_MIN};
        families[at].is_nested |= a->start_ns < families[at].end_ns;
        families[at].end_ns = a->end_ns;
        families[at].works += works;
        families[at].waits += waits_within(f, a->start_ns, a->end_ns);
        families[at].count++;
    }
    return count;
}

static bool is_profilers(const struct family *family)
{
    return family->length == strlen("ProfilerStep#") && strncmp(family->name, "ProfilerStep#", family->length) == 0;
}

static bool is_module(const struct family *family) { return strncmp(family->name, "XlaModule:", 10) == 0; }

static void name_steps(struct finder *f, const struct family *family)
{
    snprintf(f->found->name, sizeof f->found->name, "%.*s", (int)(family->length < 64 ? family->length : 64),
             family->name);
    f->found->by = is_profilers(family) ? GSIM_STEPS_PROFILER : GSIM_STEPS_ANNOTATION;
}

/* From the begin of one to that of the next where little lies between, or where the host does not wait within it. */
static enum gsim_status add_annotated(struct finder *f, const struct family *family)
{
    enum gsim_status status = GSIM_OK;
    bool is_period = is_profilers(family) || family->waits < family->count;
    name_steps(f, family);
    for (uint32_t i = 0; i < f->r->annotation_count && status == GSIM_OK; i++) {
        const struct gsim_annotation *a = &f->r->annotations[i];
        const char *name = f->r->names[a->name];
        if (!is_of(family, name) || !works_within(f, a->start_ns, a->end_ns)) continue;
        uint32_t number = name[family->length] ? (uint32_t)strtoul(name + family->length, NULL, 10) : f->found->count;
        struct gsim_trace_step *before = f->found->count ? &f->found->steps[f->found->count - 1] : NULL;
        if (before && (is_period || (a->start_ns - before->end_ns) * 20 < before->end_ns - before->start_ns))
            before->end_ns = a->start_ns;
        status = add_step(f, a->start_ns, a->end_ns, number);
    }
    struct gsim_trace_step *last =
        status == GSIM_OK && f->found->count && is_period ? &f->found->steps[f->found->count - 1] : NULL;
    uint32_t behind = last ? first_work(f, last->end_ns) : 0;
    for (uint32_t i = last ? first_work(f, last->start_ns) : 0; i < behind; i++) {
        int64_t end_ns = f->r->works[work_at(f, i)->index].end_ns;
        if (end_ns > last->end_ns) last->end_ns = end_ns;
    }
    if (last && behind < f->work_count && work_at(f, behind)->time_ns < last->end_ns)
        last->end_ns = work_at(f, behind)->time_ns;
    return status;
}

/* --- waits for the whole GPU --- */
/* A stretch of the host's time that ends with such a wait. */
struct part {
    int64_t end_ns;
    uint32_t works;
    uint64_t kernels; /* which, in their order: of a program without a framework */
};

static bool is_alike(const struct part *a, const struct part *b)
{
    double larger = a->works > b->works ? a->works : b->works, smaller = a->works > b->works ? b->works : a->works;
    return larger < MIN_WORKS && a->kernels ? a->kernels == b->kernels : larger - smaller <= ALIKE * larger;
}

/* When the program began: its first operator or call. */
static int64_t begin_of(const struct finder *f)
{
    int64_t first_ns = work_at(f, 0)->time_ns;
    for (uint32_t i = 0; i < f->r->host_event_count; i++) {
        const struct gsim_host_event *event = &f->r->host_events[i];
        bool counts = gsim_host_is_operator(event) || event->kind == GSIM_HOST_CALL;
        if (counts && event->start_ns < first_ns) first_ns = event->start_ns;
    }
    return first_ns;
}

/* How many waits divide one step from the next: parts so far apart are alike. 0: none are. */
static uint32_t find_cycle(const struct part *parts, uint32_t count, uint32_t least)
{
    for (uint32_t cycle = 1; cycle * 2 <= count && cycle <= TRIES; cycle++) {
        uint32_t alike = 0, works = 0;
        for (uint32_t i = 0; i < cycle; i++) works += parts[count - 1 - i].works;
        for (uint32_t i = 0; i + cycle < count; i++) alike += is_alike(&parts[i], &parts[i + cycle]);
        double share = parts[0].kernels && works < MIN_WORKS * cycle ? NEARLY : MOSTLY;
        if (works >= least && (double)alike >= share * (double)(count - cycle)) return cycle;
    }
    return 0;
}

/* The same for the parts at the end alone, each alike the one CYCLE before it: from which part on. 0 CYCLE: none. */
static uint32_t find_tail(const struct part *parts, uint32_t count, uint32_t works, uint32_t least, uint32_t *cycle)
{
    for (*cycle = 1; *cycle * MIN_TAIL <= count && *cycle <= TRIES; ++*cycle) {
        uint32_t from = count, held = 0, step = 0;
        for (uint32_t i = 0; i < *cycle; i++) step += parts[count - 1 - i].works;
        while (from > 0 && (from + *cycle > count || is_alike(&parts[from - 1], &parts[from - 1 + *cycle])))
            held += parts[--from].works;
        from += (count - from) % *cycle;
        if (step >= least && (count - from) / *cycle >= MIN_TAIL && held >= TAIL * works) return from;
    }
    *cycle = 0;
    return 0;
}

static enum gsim_status find_waits(struct finder *f)
{
    struct part *parts = gsim_alloc(sizeof *parts * ((size_t)f->host->count + 1));
    if (!parts) return gsim_no_memory(f->r->error);
    uint32_t count = 0, works = 0, tail_cycle;
    uint64_t kernels = 0;
    bool is_graph = true, has_framework = has_operators(f);
    /* Of a plain program of one stream each wait is one for all that runs. */
    bool is_any = !has_framework && f->r->stream_count == 1 && !waits_within(f, INT64_MIN, INT64_MAX);
    for (uint32_t i = 0; i < f->host->count; i++) {
        const struct gsim_step *step = &f->host->steps[i];
        works += step->kind == GSIM_STEP_WORK;
        if (step->kind == GSIM_STEP_WORK && !has_framework) kernels = 31 * kernels + 1 + name_of(f, step->index);
        uint32_t call = step->kind == GSIM_STEP_WORK ? f->r->works[step->index].call : GSIM_NO_CALL;
        is_graph &= step->kind != GSIM_STEP_WORK ||
                    (call != GSIM_NO_CALL && f->r->calls[call].kind == GSIM_CALL_GRAPH);
        bool is_end = step->kind == GSIM_STEP_SYNC && works &&
                      (is_any || f->r->calls[step->index].kind == GSIM_CALL_SYNC_DEVICE);
        if (!is_end) continue;
        parts[count++] = (struct part){f->r->calls[step->index].end_ns, works, kernels};
        works = 0;
        kernels = 0;
    }
    uint32_t least = is_graph ? MIN_NODES : has_framework ? MIN_WORKS : 1, cycle = find_cycle(parts, count, least),
             tail = find_tail(parts, count, f->work_count, least, &tail_cycle);
    if (!cycle && !tail_cycle && least == 1) { /* kernels are not alike throughout: as many launches are */
        for (uint32_t i = 0; i < count; i++) parts[i].kernels = 0;
        cycle = find_cycle(parts, count, MIN_WORKS);
        tail = find_tail(parts, count, f->work_count, MIN_WORKS, &tail_cycle);
    }
    int64_t start_ns = begin_of(f);
    enum gsim_status status = GSIM_OK;
    uint32_t extra = cycle ? count % cycle : 0; /* before the first whole step */
    if (tail_cycle && (!cycle || tail_cycle < cycle)) {
        cycle = tail_cycle;
        extra = tail;
    }
    for (uint32_t i = extra; cycle && i + cycle <= count && status == GSIM_OK; i += cycle) {
        if (i) start_ns = parts[i - 1].end_ns;
        status = add_step(f, start_ns, parts[i + cycle - 1].end_ns, f->found->count);
    }
    if (cycle) f->found->by = GSIM_STEPS_WAITS;
    gsim_free(parts);
    return status;
}

/* The profiler's own; else those that cover most, of these the fewest: the outermost. */
static enum gsim_status find_annotated(struct finder *f)
{
    struct family families[FAMILIES];
    const struct family *best = NULL;
    if (f->r->annotation_count)
        qsort(f->r->annotations, f->r->annotation_count, sizeof *f->r->annotations, compare_annotations);
    uint32_t count = find_families(f, families);
    for (uint32_t i = 0; i < count; i++) {
        const struct family *family = &families[i];
        if (is_profilers(family)) return add_annotated(f, family);
        double least = is_module(family) ? 0.5 : COVERED; /* the rest is XLA's compiler, which tries kernels */
        if (family->is_nested || family->count < 2 || (double)family->works < least * (double)f->work_count) continue;
        if (!best || family->count < best->count || (family->count == best->count && family->works > best->works))
            best = family;
    }
    if (!best) return GSIM_OK;
    enum gsim_status status = best->waits < best->count ? find_waits(f) : GSIM_OK;
    if (status != GSIM_OK) return status;
    if (f->found->count != best->count) {
        f->found->count = 0;
        return add_annotated(f, best);
    }
    name_steps(f, best); /* it leaves out what is waited for: the waits behind it are the steps' ends */
    return GSIM_OK;
}

/* --- launches that repeat --- */
/* The kernel, and whether the host has waited since the launch before. */
static uint32_t token_of(const struct finder *f, uint32_t index)
{
    uint32_t at = f->works[index];
    return 2 * name_of(f, work_at(f, index)->index) + (at && f->host->steps[at - 1].kind == GSIM_STEP_SYNC);
}

/* Whether the launches are the same PERIOD apart, from the first to the last. */
static bool repeats(const struct finder *f, uint32_t period)
{
    uint32_t misses = 0, most = f->work_count / 50;
    for (uint32_t i = 0; i + period < f->work_count && misses <= most; i++)
        misses += token_of(f, i) != token_of(f, i + period);
    return misses <= most;
}

static bool has_one_thread(const struct finder *f)
{
    const struct gsim_call *first = NULL;
    for (uint32_t i = 0; i < f->work_count; i++) {
        uint32_t call = f->r->works[work_at(f, i)->index].call;
        if (call == GSIM_NO_CALL) continue;
        if (first && (f->r->calls[call].thread != first->thread || f->r->calls[call].process != first->process))
            return false;
        first = &f->r->calls[call];
    }
    return true;
}

/* Whether something but kernels says that the launches of COUNT periods are steps and not layers of a network: the host
 * waits in each, an annotation stands in each, or a framework's operators are not recorded at all. */
static bool has_sign(const struct finder *f, uint32_t count)
{
    struct family families[FAMILIES];
    uint32_t waits = 0, family_count = find_families(f, families);
    for (uint32_t i = 0; i < f->host->count; i++) waits += f->host->steps[i].kind == GSIM_STEP_SYNC;
    for (uint32_t i = 0; i < family_count; i++)
        if (families[i].count == count) return true;
    return !has_operators(f) || waits >= count;
}

/* Whether each period begins with a launch of its own: the works of a graph have one. */
static bool has_begins(const struct finder *f, uint32_t from, uint32_t period)
{
    for (uint32_t i = from + period; i < f->work_count; i += period)
        if (work_at(f, i)->time_ns == work_at(f, i - 1)->time_ns) return false;
    return true;
}

/* How many launches at the end are the same PERIOD apart. */
static uint32_t repeated_tail(const struct finder *f, uint32_t period)
{
    uint32_t seen = 0, misses = 0;
    while (seen + period < f->work_count && misses * 50 <= seen) {
        uint32_t i = f->work_count - 1 - seen++;
        misses += token_of(f, i) != token_of(f, i - period);
    }
    return seen + period;
}

/* Of a recording without a framework's operators, which began otherwise: the launches at its end. */
static uint32_t find_last_launches(const struct finder *f, uint32_t *from)
{
    uint32_t tries = 0, end = f->work_count - 1;
    if (has_operators(f)) return 0;
    for (uint32_t p = MIN_PERIOD; p <= f->work_count / MIN_TAIL && tries < TRIES; p++) {
        if (token_of(f, end) != token_of(f, end - p)) continue;
        tries++;
        uint32_t held = repeated_tail(f, p);
        *from = f->work_count - held / p * p;
        if (held / p >= MIN_TAIL && held >= TAIL * f->work_count && has_begins(f, *from, p)) return p;
    }
    return 0;
}

/* The shortest distance between the first launch and another of its kernel that all launches repeat. */
static enum gsim_status find_launches(struct finder *f)
{
    uint32_t period = 0, most = f->work_count / MIN_COUNT, first = f->work_count ? token_of(f, 0) : 0, from = 0;
    if (!has_one_thread(f)) most = 0;
    for (uint32_t p = 1, tries = 0; p <= most && !period && tries < TRIES; p++) {
        if (token_of(f, p) != first) continue;
        tries++;
        if (f->work_count % p == 0 && repeats(f, p)) period = p;
    }
    bool is_layer = period < MIN_PERIOD || !has_begins(f, 0, period);
    if (period && (is_layer || !has_sign(f, f->work_count / period))) period = 0;
    if (!period) period = find_last_launches(f, &from);
    if (!period) return GSIM_OK;
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = from; i + period <= f->work_count && status == GSIM_OK; i += period) {
        bool is_last = i + period == f->work_count;
        int64_t end_ns =
            is_last ? f->r->works[work_at(f, f->work_count - 1)->index].end_ns : work_at(f, i + period)->time_ns;
        status = add_step(f, work_at(f, i)->time_ns, end_ns, f->found->count);
    }
    f->found->by = GSIM_STEPS_LAUNCHES;
    return status;
}

/* --- which is typical --- */
GSIM_ORDER_OF(compare_lengths, double)

/* What a step waited for: an annotation, else the shortest event that explains most of what it took longer. */
static void find_reason(const struct finder *f, struct gsim_trace_step *step)
{
    const struct gsim_host_event *best = NULL;
    double excess_ns = (double)(step->end_ns - step->start_ns) - f->found->median_us * 1e3;
    for (uint32_t i = 0; i < f->r->host_event_count; i++) {
        const struct gsim_host_event *event = &f->r->host_events[i];
        int64_t end_ns = event->start_ns + event->length_ns;
        if (event->name == GSIM_NO_NAME || event->start_ns < step->start_ns || end_ns > step->end_ns) continue;
        if ((double)event->length_ns < EXPLAINS * excess_ns ||
            strncmp(f->r->names[event->name], "ProfilerStep#", 13) == 0)
            continue;
        bool is_named = event->kind == GSIM_HOST_ANNOTATION, was_named = best && best->kind == GSIM_HOST_ANNOTATION;
        if (!best || is_named > was_named || (is_named == was_named && event->length_ns < best->length_ns))
            best = event;
    }
    if (!best) return;
    snprintf(step->waited, sizeof step->waited, "%s", f->r->names[best->name]);
    step->waited_us = (double)best->length_ns / 1e3;
}

static enum gsim_status choose_typical(struct finder *f)
{
    struct gsim_trace_steps *s = f->found;
    double *lengths = gsim_alloc(sizeof *lengths * ((size_t)s->count + 1));
    if (!lengths) return gsim_no_memory(f->r->error);
    uint32_t from = s->count > 1, count = 0;
    for (uint32_t i = from; i < s->count; i++) lengths[count++] = gsim_trace_step_us(&s->steps[i]);
    if (count) qsort(lengths, count, sizeof *lengths, compare_lengths);
    s->median_us = count % 2 || !count ? lengths[count / 2] : (lengths[count / 2 - 1] + lengths[count / 2]) / 2;
    double wanted_us = count ? lengths[(count - 1) / 2] : 0;
    for (uint32_t i = s->count; i-- > from;) {
        struct gsim_trace_step *step = &s->steps[i];
        double us = gsim_trace_step_us(step);
        step->is_outlier = us > LONG * s->median_us || us < SHORT * s->median_us;
        if (step->is_outlier && us > s->median_us) find_reason(f, step);
        if (us == wanted_us) s->typical = i;
    }
    gsim_free(lengths);
    return GSIM_OK;
}

enum gsim_status gsim_records_find_steps(struct gsim_records *r, const struct gsim_steps *host,
                                         struct gsim_trace_steps *found)
{
    struct finder f = {.r = r, .host = host, .found = found};
    f.works = gsim_alloc(sizeof *f.works * ((size_t)host->count + 1));
    enum gsim_status status = f.works ? GSIM_OK : gsim_no_memory(r->error);
    for (uint32_t i = 0; i < host->count && status == GSIM_OK; i++)
        if (host->steps[i].kind == GSIM_STEP_WORK) f.works[f.work_count++] = i;
    static enum gsim_status (*const ways[])(struct finder *) = {find_annotated, find_waits, find_launches};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && f.work_count && status == GSIM_OK && !found->count; i++)
        status = ways[i](&f);
    if (status == GSIM_OK && found->count) status = choose_typical(&f);
    if (status == GSIM_OK) status = gsim_recorded_steps(r, found);
    gsim_free(f.works);
    return status;
}
