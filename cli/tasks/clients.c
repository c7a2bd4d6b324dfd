/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli. "gpusim compare --task PROGRAM,copies=FROM:TO": for each way of sharing and number of copies, their
 * throughput, times and fairness. With --limit p99=TIME the most copies of a task whose requests stay within the limit,
 * found by bisection: more copies take longer.
 */
#include <math.h>
#include <string.h>

#include "cli/tasks/tasks.h"
#include "sim/base/text.h"
#include "sweep/stats.h"

#define MAX_POINTS GSIM_LIMIT_TASKS /* of a way */

struct point {
    uint32_t copies;
    double time_us, half_us;      /* of the limit's figure; 95 % interval over the draws, NAN: of one */
    double half_per_second, fairness; /* likewise; Jain's index of the copies' throughputs, mean of the draws */
    struct gsim_task_stats of_all; /* the copies, which are alike, in all draws */
    double per_second, mj;        /* of the copies; MJ a request; NAN: not known */
    struct gsim_task_stats *stats;
    uint32_t count;
};

struct clients {
    const struct gsim_cli_setup *setup;
    const struct gsim_sharing_ops *ways[GSIM_CLI_WAYS];
    size_t way_count;
    struct point points[GSIM_CLI_WAYS][MAX_POINTS];
    uint32_t point_count[GSIM_CLI_WAYS];
    uint32_t failed[GSIM_CLI_WAYS][MAX_POINTS], failed_count[GSIM_CLI_WAYS]; /* copies whose simulation failed */
    uint32_t best[GSIM_CLI_WAYS]; /* copies within the limit; 0: not even the fewest */
    struct gsim_error errors[GSIM_CLI_WAYS];
    uint32_t from, to, repeat; /* REPEAT: draws of each point */
    bool is_random;            /* arrivals are drawn */
    const char *name;          /* of the task */
    const char *figure;
    double limit_us;
    struct gsim_arena arena;
};

static enum gsim_status parse_limit(struct clients *c, const char *text, struct gsim_error *error)
{
    static const char *const figures[] = {"mean", "p50", "p99"};
    double from_us;
    char window[64];
    const char *equals = text ? strchr(text, '=') : NULL;
    for (size_t i = 0; equals && i < 3; i++)
        if (strlen(figures[i]) == (size_t)(equals - text) && strncmp(text, figures[i], (size_t)(equals - text)) == 0)
            c->figure = figures[i];
    if (equals) snprintf(window, sizeof window, "0:%.50s", equals + 1);
    if (c->figure && gsim_text_window(window, &from_us, &c->limit_us) && isfinite(c->limit_us)) return GSIM_OK;
    return gsim_refuse(error, "--limit: expected mean, p50 or p99=TIME, such as p99=20ms, found '%.60s'",
                       text ? text : "nothing");
}

static double figure_of(const struct clients *c, const struct gsim_task_stats *stats)
{
    if (!c->figure) return stats->p99_us;
    if (strcmp(c->figure, "mean") == 0) return stats->mean_us;
    return strcmp(c->figure, "p99") == 0 ? stats->p99_us : stats->p50_us;
}

/* Adds the copies' requests of a draw to TIMES; how many there are then. The copies are alike: one more of them is one
 * more draw, and no worse one. */
static size_t add_times(double *times, size_t count, const struct gsim_cli_tasks *t,
                        const struct gsim_timeline *timeline)
{
    for (size_t i = 0; i < timeline->request_count; i++) {
        const struct gsim_request_record *r = &timeline->requests[i];
        if (r->task >= t->varied_first && r->task < t->varied_first + t->varied_count)
            times[count++] = gsim_time_us(r->end - r->arrival);
    }
    return count;
}

static enum gsim_status measure_energy(struct point *p, const struct gsim_simulation *s,
                                       const struct gsim_timeline *timeline, struct gsim_error *error)
{
    struct gsim_energy energy;
    gsim_time end = 0;
    p->mj = NAN;
    if (!gsim_energy_is_known(timeline->program, s->device) || s->omits_kernels || !timeline->request_count)
        return GSIM_OK;
    for (size_t i = 0; i < timeline->request_count; i++)
        if (timeline->requests[i].end > end) end = timeline->requests[i].end;
    enum gsim_status status = gsim_energy_compute(timeline, s->device, end, &energy, error);
    if (status != GSIM_OK) return status;
    p->mj = energy.total_mj / (double)timeline->request_count;
    gsim_energy_release(&energy);
    return GSIM_OK;
}

static enum gsim_status simulate(struct clients *c, size_t way, struct gsim_cli_tasks *t, struct point *p,
                                 struct gsim_error *error)
{
    void *params;
    enum gsim_status status = gsim_cli_share_params(t, c->ways[way], &params, error);
    p->count = t->count;
    p->stats = GSIM_ARENA_ARRAY(&c->arena, struct gsim_task_stats, t->count);
    if (status == GSIM_OK && c->ways[way]->needs_profile) status = gsim_cli_tasks_measure(t, error);
    if (status != GSIM_OK) return status;
    struct gsim_stats draws, rates;
    double *times = NULL;
    size_t count = 0;
    gsim_stats_init(&draws);
    gsim_stats_init(&rates);
    for (uint32_t r = 0; r < c->repeat && status == GSIM_OK; r++) {
        struct gsim_timeline timeline = {0};
        struct gsim_simulation s = gsim_cli_tasks_simulation(t, c->ways[way], params);
        s.detailed = false;
        s.seed += r;
        status = gsim_cli_tasks_run(t, &s, &timeline, p->stats, error);
        times = gsim_realloc(times, sizeof *times * (count + timeline.request_count + 1));
        if (status == GSIM_OK) {
            size_t before = count;
            count = add_times(times, count, t, &timeline);
            struct gsim_task_stats own = {0};
            gsim_tasks_summarize(times + before, count - before, &own);
            gsim_stats_add(&draws, figure_of(c, &own));
            double sum = 0, squares = 0;
            for (uint32_t i = t->varied_first; i < t->varied_first + t->varied_count; i++) {
                sum += p->stats[i].per_second;
                squares += p->stats[i].per_second * p->stats[i].per_second;
            }
            p->per_second += sum / c->repeat;
            p->fairness += (squares > 0 ? sum * sum / (squares * t->varied_count) : 0) / c->repeat;
            gsim_stats_add(&rates, sum);
        }
        if (status == GSIM_OK) status = measure_energy(p, &s, &timeline, error);
        gsim_timeline_release(&timeline);
    }
    gsim_tasks_summarize(times, count, &p->of_all);
    p->half_us = gsim_stats_ci95(&draws);
    p->half_per_second = gsim_stats_ci95(&rates);
    gsim_free(times);
    return status;
}

/* The point of COPIES under a way; NULL: it failed, or was not simulated. */
static const struct point *found(const struct clients *c, size_t way, uint32_t copies)
{
    for (uint32_t i = 0; i < c->point_count[way]; i++)
        if (c->points[way][i].copies == copies) return &c->points[way][i];
    return NULL;
}

static bool is_known_to_fail(const struct clients *c, size_t way, uint32_t copies)
{
    for (uint32_t i = 0; i < c->failed_count[way]; i++)
        if (c->failed[way][i] == copies) return true;
    return false;
}

/* The same, simulated unless it was. */
static const struct point *point_of(struct clients *c, size_t way, uint32_t copies)
{
    const struct point *known = found(c, way, copies);
    if (known || is_known_to_fail(c, way, copies) || c->point_count[way] == MAX_POINTS) return known;
    struct gsim_error *error = &c->errors[way];
    struct point *p = &c->points[way][c->point_count[way]];
    struct gsim_cli_tasks t = {.copies = copies};
    *p = (struct point){.copies = copies};
    enum gsim_status status = gsim_cli_tasks_init(&t, c->setup, error);
    if (status == GSIM_OK && !c->name) c->name = gsim_arena_strdup(&c->arena, t.tasks[t.varied_first].name);
    if (status == GSIM_OK) status = simulate(c, way, &t, p, error);
    if (status == GSIM_OK) c->is_random = t.tasks[t.varied_first].arrival == GSIM_ARRIVAL_POISSON;
    gsim_cli_tasks_release(&t);
    if (status != GSIM_OK) {
        if (c->failed_count[way] < MAX_POINTS) c->failed[way][c->failed_count[way]++] = copies;
        return NULL;
    }
    p->time_us = figure_of(c, &p->of_all);
    c->point_count[way]++;
    return p;
}

static bool holds(struct clients *c, size_t way, uint32_t copies)
{
    const struct point *p = point_of(c, way, copies);
    return p && p->time_us <= c->limit_us;
}

static void search(struct clients *c, size_t way)
{
    uint32_t low = c->from, high = c->to;
    if (!holds(c, way, low)) return;
    if (holds(c, way, high)) {
        c->best[way] = high;
        return;
    }
    while (high - low > 1) { /* LOW holds, HIGH does not */
        uint32_t middle = low + (high - low) / 2;
        if (holds(c, way, middle)) low = middle;
        else high = middle;
    }
    c->best[way] = low;
}

/* --- results --- */

static const char *time_text(char text[GSIM_TEXT_SIZE], double us)
{
    return us > 0 ? gsim_text_us(text, us) : "-";
}

static const char *half_text(char text[GSIM_TEXT_SIZE], const struct point *p)
{
    return isnan(p->half_us) ? "" : gsim_text_us(text, p->half_us);
}

static void print_table(const void *what, struct gsim_output *out)
{
    const struct clients *c = what;
    char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE], half[GSIM_TEXT_SIZE], machine[GSIM_CLI_MACHINE];
    gsim_output_printf(out, "Copies of %s on %s, seed %llu: their requests together\n\n", c->name ? c->name : "a task",
                       gsim_cli_machine(c->setup, machine), (unsigned long long)c->setup->seed);
    gsim_output_text(out, "  share        copies     per s       +-        p50        p99       +-  fairness\n");
    for (size_t w = 0; w < c->way_count; w++) {
        for (uint32_t n = c->from; n <= c->to; n++) {
            const struct point *p = found(c, w, n);
            if (!p) continue;
            gsim_output_printf(out, "  %-12s %6u %9.4g ", c->ways[w]->name, n, p->per_second);
            if (isnan(p->half_per_second)) gsim_output_printf(out, "%8s", "");
            else gsim_output_printf(out, "%8.2g", p->half_per_second);
            gsim_output_printf(out, " %10s %10s %8s %9.3f\n", time_text(a, p->of_all.p50_us),
                               time_text(b, p->of_all.p99_us), half_text(half, p), p->fairness);
        }
        if (c->errors[w].status)
            gsim_output_printf(out, "  %-12s failed: %s\n", c->ways[w]->name, c->errors[w].message);
    }
    if (c->repeat > 1) gsim_output_printf(out, "\n  +-: the 95 %% interval over %u draws\n", c->repeat);
    else gsim_output_text(out, "\n  of one draw: --repeat 5 takes five, and tells intervals\n");
}

static void print(const void *what, struct gsim_output *out)
{
    const struct clients *c = what;
    char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE], limit[GSIM_TEXT_SIZE], machine[GSIM_CLI_MACHINE];
    gsim_output_printf(out, "Copies of %s on %s with %s of their requests within %s, seed %llu\n\n",
                       c->name ? c->name : "a task", gsim_cli_machine(c->setup, machine), c->figure,
                       time_text(limit, c->limit_us), (unsigned long long)c->setup->seed);
    gsim_output_text(out, "  share         copies        p50        p99     per s mJ a request  one more\n");
    for (size_t w = 0; w < c->way_count; w++) {
        const struct point *p = c->best[w] ? found(c, w, c->best[w]) : NULL;
        const struct point *next = c->best[w] < c->to ? found(c, w, c->best[w] ? c->best[w] + 1 : c->from) : NULL;
        if (!p && !next) {
            gsim_output_printf(out, "  %-12s failed: %s\n", c->ways[w]->name, c->errors[w].message);
            continue;
        }
        gsim_output_printf(out, "  %-12s %7u", c->ways[w]->name, c->best[w]);
        gsim_output_printf(out, " %10s %10s %9.4g", p ? time_text(a, p->of_all.p50_us) : "-",
                           p ? time_text(b, p->of_all.p99_us) : "-", p ? p->per_second : 0.0);
        if (p && isfinite(p->mj)) gsim_output_printf(out, " %12.4g", p->mj);
        else gsim_output_printf(out, " %12s", "-");
        if (next)
            gsim_output_printf(out, "  %s %s%s%s\n", c->figure, time_text(a, next->time_us),
                               isnan(next->half_us) ? "" : " +-", half_text(b, next));
        else gsim_output_printf(out, "  %s\n", c->best[w] == c->to ? "not tried" : "failed");
    }
    if (c->repeat > 1)
        gsim_output_printf(out, "\n  requests of %u draws of each point together; +- the 95 %% interval over them\n",
                           c->repeat);
    else if (c->is_random) gsim_output_text(out, "\n  of one draw of the arrivals: --repeat 10 takes ten\n");
}

static void put_csv(const void *what, struct gsim_output *out)
{
    const struct clients *c = what;
    gsim_output_text(out, "share,copies,is_within,mean_us,p50_us,p99_us,half_us,"
                          "per_second,mj_per_request,half_per_second,fairness\n");
    for (size_t w = 0; w < c->way_count; w++)
        for (uint32_t n = c->from; n <= c->to; n++)
            for (uint32_t i = 0; i < c->point_count[w]; i++) {
                const struct point *p = &c->points[w][i];
                if (p->copies != n) continue;
                gsim_output_csv_string(out, c->ways[w]->name);
                gsim_output_printf(out, ",%u,%s,%.6f,%.6f,%.6f,", n,
                                   !c->figure                    ? ""
                                   : p->time_us <= c->limit_us ? "1"
                                                               : "0", p->of_all.mean_us, p->of_all.p50_us,
                                   p->of_all.p99_us);
                if (isfinite(p->half_us)) gsim_output_real(out, p->half_us);
                gsim_output_printf(out, ",%.6f,", p->per_second);
                if (isfinite(p->mj)) gsim_output_real(out, p->mj);
                gsim_output_text(out, ",");
                if (isfinite(p->half_per_second)) gsim_output_real(out, p->half_per_second);
                gsim_output_printf(out, ",%.6f\n", p->fairness);
            }
}

/* All points as "ways", which gpusim plot clients draws; what was found as "clients". */
static void put_json(const void *what, struct gsim_output *out)
{
    const struct clients *c = what;
    bool is_first = true;
    gsim_output_put(out, "{'schema': 'gpusim-share-comparison/1', 'device': %q, 'limit_us': %r, 'limit_of': '%s',\n "
                         "'name': %q, 'repeat': %u, 'clients': [", c->setup->device.name,
                    c->figure ? c->limit_us : NAN, c->figure ? c->figure : "",
                    c->name ? c->name : "", c->repeat);
    for (size_t w = 0; w < c->way_count && c->figure; w++) {
        const struct point *p = c->best[w] ? found(c, w, c->best[w]) : NULL;
        gsim_output_put(out, "%s\n  {'share': '%s', 'copies': %u, 'p99_us': %r, 'half_us': %r, 'per_second': %r, "
                             "'mj_per_request': %r}", w ? "," : "", c->ways[w]->name, c->best[w],
                        p ? p->of_all.p99_us : NAN, p ? p->half_us : NAN, p ? p->per_second : NAN, p ? p->mj : NAN);
    }
    gsim_output_text(out, "],\n \"ways\": [");
    for (size_t w = 0; w < c->way_count; w++)
        for (uint32_t i = 0; i < c->point_count[w]; i++) {
            const struct point *p = &c->points[w][i];
            gsim_output_put(out, "%s\n  {'share': '%s', 'copies': %u, 'all': {'mean_us': %r, 'p50_us': %r, "
                                 "'p99_us': %r, 'half_us': %r, 'per_second': %r}, 'tasks': [", is_first ? "" : ",",
                            c->ways[w]->name, p->copies, p->of_all.mean_us, p->of_all.p50_us, p->of_all.p99_us,
                            p->half_us, p->per_second);
            is_first = false;
            for (uint32_t k = 0; k < p->count; k++) {
                gsim_output_put(out, "%s{'name': '%u', 'priority': 0, 'requests': %u, 'late': %u, 'mean_us': %r, "
                                     "'p50_us': %r, 'p99_us': %r, 'per_second': %r}", k ? ", " : "", k,
                                p->stats[k].requests, p->stats[k].late, p->stats[k].mean_us, p->stats[k].p50_us,
                                p->stats[k].p99_us, p->stats[k].per_second);
            }
            gsim_output_text(out, "]}");
        }
    gsim_output_text(out, "]}\n");
}

enum gsim_status gsim_cli_compare_clients(const struct gsim_cli_arguments *arguments, enum gsim_status *worst,
                                          struct gsim_error *error)
{
    struct gsim_cli_setup setup = {0};
    const char *share = arguments->value[GSIM_CLI_SHARE];
    struct clients *c = gsim_alloc(sizeof *c);
    *worst = GSIM_OK;
    c->setup = &setup;
    enum gsim_status status = gsim_cli_setup_init(&setup, arguments, error);
    if (status != GSIM_OK) {
        gsim_free(c);
        return status;
    }
    if (arguments->value[GSIM_CLI_LIMIT]) status = parse_limit(c, arguments->value[GSIM_CLI_LIMIT], error);
    if (status == GSIM_OK) status = gsim_cli_count(arguments, GSIM_CLI_REPEAT, 1, 1e6, 1, &c->repeat, error);
    if (status == GSIM_OK)
        status =
            gsim_cli_ways(&c->arena, share ? share : "streams,mps,timeslice,partition", c->ways, &c->way_count, error);
    if (status == GSIM_OK) {
        /* The range is that of the words; the fewest copies tell what is wrong with them. */
        struct gsim_cli_tasks t = {.copies = 1};
        status = gsim_cli_tasks_init(&t, c->setup, error);
        c->from = t.copies_from;
        c->to = t.copies_to;
        if (status == GSIM_OK && c->to <= c->from)
            status = gsim_refuse(
                error, "--limit: expected a task with a range of copies, such as --task resnet50,copies=1:16");
        gsim_cli_tasks_release(&t);
    }
    for (size_t w = 0; w < c->way_count && status == GSIM_OK; w++) {
        if (c->figure) search(c, w);
        for (uint32_t n = c->from; n <= c->to && !c->figure; n++) (void)point_of(c, w, n);
        if (c->figure && c->best[w] < c->to) (void)point_of(c, w, c->best[w] ? c->best[w] + 1 : c->from);
        if (!c->point_count[w] && c->errors[w].status > *worst) *worst = c->errors[w].status;
    }
    if (status == GSIM_OK)
        status = gsim_cli_write(arguments->value[GSIM_CLI_CSV], arguments->value[GSIM_CLI_REPORT],
                                &(struct gsim_cli_forms){put_csv, put_json, c->figure ? print : print_table}, c, error);
    gsim_arena_release(&c->arena);
    gsim_cli_setup_release(&setup);
    gsim_free(c);
    return status;
}
