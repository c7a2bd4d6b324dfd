/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of several tasks: how their requests went, and what came between the kernels of the most urgent one. */
#include "sim/report/report.h"

#include <math.h>
#include <stdlib.h>

#include "gpusim/order.h"
#include "sim/base/first.h"
#include "sim/base/text.h"

/* The smallest value that is not below SHARE of all. */
static double quantile(const double *sorted, size_t count, double share)
{
    size_t rank = gsim_whole_u64(ceil(share * (double)count));
    return sorted[rank ? rank - 1 : 0];
}

GSIM_ORDER_OF(compare, double)

void gsim_tasks_summarize(double *times, size_t count, struct gsim_task_stats *s)
{
    double sum = 0;
    if (!count) return;
    qsort(times, count, sizeof *times, compare); /* by C alone: gpusim-runner has no GSL */
    for (size_t i = 0; i < count; i++) sum += times[i];
    s->mean_us = sum / (double)count;
    s->p50_us = quantile(times, count, 0.5);
    s->p90_us = quantile(times, count, 0.9);
    s->p99_us = quantile(times, count, 0.99);
    s->max_us = times[count - 1];
}

static void measure_task(const struct gsim_timeline *t, const struct gsim_task_set *set, uint32_t task,
                         struct gsim_task_stats *s, double *times)
{
    const struct gsim_task *spec = &set->tasks[task];
    gsim_time first = GSIM_TIME_NEVER, last = 0;
    *s = (struct gsim_task_stats){.alone_us = s->alone_us, .alone_p99_us = s->alone_p99_us};
    for (size_t i = 0; i < t->request_count; i++) {
        const struct gsim_request_record *r = &t->requests[i];
        if (r->task != task) continue;
        double us = gsim_time_us(r->end - r->arrival);
        times[s->requests++] = us;
        s->late += spec->deadline_us > 0 && us > spec->deadline_us;
        if (r->arrival < first) first = r->arrival;
        if (r->end > last) last = r->end;
    }
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].task == task) s->kernel_us += gsim_time_us(t->kernels[i].end - t->kernels[i].start);
    s->slow_down = NAN;
    if (!s->requests) return;
    gsim_tasks_summarize(times, s->requests, s);
    s->end_us = gsim_time_us(last);
    if (last > first) s->per_second = s->requests / gsim_time_seconds(last - first);
    if (s->alone_us > 0) s->slow_down = s->mean_us / s->alone_us;
}

enum gsim_status gsim_tasks_measure(const struct gsim_timeline *timeline, const struct gsim_task_set *set,
                                    struct gsim_task_stats *stats, struct gsim_error *error)
{
    double *times = gsim_alloc(sizeof *times * (timeline->request_count + 1));
    if (!times) return gsim_no_memory(error);
    for (uint32_t i = 0; i < set->count; i++) measure_task(timeline, set, i, &stats[i], times);
    gsim_free(times);
    return GSIM_OK;
}

double gsim_tasks_fairness(const struct gsim_task_stats *stats, uint32_t count)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!(stats[i].slow_down > 0)) return NAN;
        sum += 1 / stats[i].slow_down;
        squares += 1 / (stats[i].slow_down * stats[i].slow_down);
    }
    return sum * sum / (count * squares);
}

/* --- gaps ---------------------------------------------------------------------------------------------------- */

struct interval {
    gsim_time start, end;
};

GSIM_ORDER(compare_starts, struct interval, GSIM_UP(start))

/* The union of COUNT intervals, in their place; how many are left. */
static size_t unite(struct interval *list, size_t count)
{
    size_t kept = 0;
    qsort(list, count, sizeof *list, compare_starts);
    for (size_t i = 0; i < count; i++) {
        if (kept && list[i].start <= list[kept - 1].end) {
            if (list[i].end > list[kept - 1].end) list[kept - 1].end = list[i].end;
        } else {
            list[kept++] = list[i];
        }
    }
    return kept;
}

/* How long LIST, of which *AT is the first that may matter, covers from START to END; calls come with ascending
 * starts. */
static gsim_time covered(const struct interval *list, size_t count, size_t *at, gsim_time start, gsim_time end)
{
    gsim_time sum = 0;
    while (*at < count && list[*at].end <= start) ++*at;
    for (size_t i = *at; i < count && list[i].start < end; i++) {
        gsim_time from = list[i].start > start ? list[i].start : start, to = list[i].end < end ? list[i].end : end;
        sum += to - from;
    }
    return sum;
}

static uint32_t most_urgent(const struct gsim_task_set *set)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < set->count; i++)
        if (set->tasks[i].priority < set->tasks[best].priority) best = i;
    return best;
}

/* Of one task's kernels with the others': those sorted and united. */
static void find_gaps(const struct gsim_timeline *t, struct interval *own, size_t own_count, struct interval *others,
                      size_t other_count, struct gsim_task_gaps *g)
{
    size_t at = 0;
    own_count = unite(own, own_count);
    other_count = unite(others, other_count);
    for (size_t r = 0, k = 0; r < t->request_count;
         r++) { /* of one task in the order of their ends, and so of their starts */
        const struct gsim_request_record *request = &t->requests[r];
        if (request->task != g->task) continue;
        while (k < own_count && own[k].start < request->start) k++;
        for (; k + 1 < own_count && own[k + 1].start < request->end; k++) {
            g->idle_us += gsim_time_us(own[k + 1].start - own[k].end);
            g->filled_us += gsim_time_us(covered(others, other_count, &at, own[k].end, own[k + 1].start));
        }
    }
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_kernel_record *kernel = &t->kernels[i];
        if (kernel->task != g->task || kernel->ready >= kernel->start) continue;
        /* The first of each that end after it was ready. */
        GSIM_FIRST (other_at, (uint32_t)other_count, middle, others[middle].end <= kernel->ready)
        GSIM_FIRST (own_at, (uint32_t)own_count, place, own[place].end <= kernel->ready)
        size_t from = other_at, mine = own_at;
        gsim_time other = covered(others, other_count, &from, kernel->ready, kernel->start);
        gsim_time itself = covered(own, own_count, &mine, kernel->ready, kernel->start);
        if (other > itself) g->overrun_us += gsim_time_us(other - itself);
    }
}

enum gsim_status gsim_tasks_gaps(const struct gsim_timeline *timeline, const struct gsim_task_set *set,
                                 struct gsim_task_gaps *gaps, struct gsim_error *error)
{
    size_t own_count = 0, other_count = 0;
    struct interval *own = gsim_alloc(sizeof *own * (timeline->kernel_count + 1)),
                    *others = gsim_alloc(sizeof *others * (timeline->kernel_count + 1));
    *gaps = (struct gsim_task_gaps){.task = most_urgent(set)};
    if (own && others) {
        for (size_t i = 0; i < timeline->kernel_count; i++) {
            struct interval k = {timeline->kernels[i].start, timeline->kernels[i].end};
            if (timeline->kernels[i].task == gaps->task) own[own_count++] = k;
            else others[other_count++] = k;
        }
        find_gaps(timeline, own, own_count, others, other_count, gaps);
    }
    bool failed = !own || !others;
    gsim_free(own);
    gsim_free(others);
    return failed ? gsim_no_memory(error) : GSIM_OK;
}

/* --- renderings ---------------------------------------------------------------------------------------------- */

static const char *time_text(char text[GSIM_TEXT_SIZE], double us)
{
    return us > 0 ? gsim_text_us(text, us) : "-";
}

static void print_task(const struct gsim_task *spec, const struct gsim_task_stats *s, struct gsim_output *output)
{
    char name[64], texts[5][GSIM_TEXT_SIZE], slow[16] = "-", late[16] = "-";
    if (s->slow_down > 0) snprintf(slow, sizeof slow, "%.2fx", s->slow_down);
    if (spec->deadline_us > 0) snprintf(late, sizeof late, "%u", s->late);
    gsim_output_printf(output, "  %-18s %4d %8u %10s %10s %10s %10s %10s %8s %9.4g %6s\n",
                       gsim_text_fit(name, sizeof name, spec->name, 18), spec->priority, s->requests,
                       time_text(texts[0], s->mean_us), time_text(texts[1], s->p50_us), time_text(texts[2], s->p90_us),
                       time_text(texts[3], s->p99_us), time_text(texts[4], s->alone_us), slow, s->per_second, late);
}

void gsim_tasks_print(const struct gsim_result *result, const struct gsim_task_gaps *gaps, struct gsim_output *output)
{
    const struct gsim_task_set *set = result->simulation->tasks;
    char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE], c[GSIM_TEXT_SIZE];
    double fairness = gsim_tasks_fairness(result->tasks, set->count);
    gsim_output_printf(output, "  %-18s %4s %8s %10s %10s %10s %10s %10s %8s %9s %6s\n", "Task", "prio", "requests",
                       "mean", "p50", "p90", "p99", "alone", "slower", "per s", "late");
    for (uint32_t i = 0; i < set->count; i++) print_task(&set->tasks[i], &result->tasks[i], output);
    gsim_output_text(output, "\n");
    if (!isnan(fairness))
        gsim_output_printf(output, "  %-13s%.3f (Jain's index of the tasks' speeds relative to alone)\n", "Fairness",
                           fairness);
    if (gaps->idle_us > 0)
        gsim_output_printf(output,
                           "  %-13s%s between kernels of %.30s, %s of it with others' kernels; it waited %s for them\n",
                           "Gaps", time_text(a, gaps->idle_us), set->tasks[gaps->task].name,
                           gsim_text_percent(b, gaps->filled_us / gaps->idle_us),
                           gaps->overrun_us > 0 ? time_text(c, gaps->overrun_us) : "0 ns");
    gsim_output_text(output, "\n");
}

static void put_list(const struct gsim_timeline *t, uint32_t task, const char *name, int which,
                     struct gsim_output *output)
{
    bool first = true;
    gsim_output_printf(output, ",\n    \"%s\": [", name);
    for (size_t i = 0; i < t->request_count; i++) {
        const struct gsim_request_record *r = &t->requests[i];
        if (r->task != task) continue;
        if (!first) gsim_output_text(output, ", ");
        first = false;
        gsim_output_time_us(output, which == 0   ? r->arrival
                                    : which == 1 ? r->start
                                    : which == 2 ? r->end
                                                 : r->end - r->arrival);
    }
    gsim_output_text(output, "]");
}

void gsim_tasks_json(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_task_set *set = result->simulation->tasks;
    double fairness = gsim_tasks_fairness(result->tasks, set->count);
    gsim_output_put(output, ",\n 'fairness': %r,\n 'tasks': [", fairness);
    for (uint32_t i = 0; i < set->count; i++) {
        const struct gsim_task_stats *s = &result->tasks[i];
        gsim_output_text(output, i ? ",\n  {\"name\": " : "\n  {\"name\": ");
        gsim_output_json_string(output, set->tasks[i].name);
        gsim_output_printf(output, ", \"priority\": %d, \"requests\": %u, \"late\": %u", set->tasks[i].priority,
                           s->requests, s->late);
        const struct { const char *name; double value;
        } numbers[] = {{"mean_us", s->mean_us},     {"p50_us", s->p50_us},         {"p90_us", s->p90_us},
                       {"p99_us", s->p99_us},       {"max_us", s->max_us},         {"alone_us", s->alone_us},
                       {"slow_down", s->slow_down}, {"per_second", s->per_second}, {"kernel_us", s->kernel_us}};
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
            gsim_output_json_real(output, numbers[n].name, numbers[n].value);
        put_list(result->timeline, i, "arrival_us", 0, output);
        put_list(result->timeline, i, "start_us", 1, output);
        put_list(result->timeline, i, "end_us", 2, output);
        put_list(result->timeline, i, "jct_us", 3, output);
        gsim_output_text(output, "}");
    }
    gsim_output_text(output, "]");
}
