/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim compare --task ... --share all|A,B,...": the same tasks under several ways of
 * sharing. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "cli/tasks/tasks.h"
#include "sim/base/text.h"
#include "sweep/stats.h"

#define MAX_RUNS 1e6

struct comparison {
    struct gsim_cli_tasks tasks;
    const struct gsim_sharing_ops *ways[GSIM_CLI_WAYS];
    size_t way_count;
    uint32_t repeat;                          /* runs with seeds of their own; what is said are means over them */
    struct gsim_task_stats *stats[GSIM_CLI_WAYS]; /* of each task; NULL: it failed */
    double *intervals[GSIM_CLI_WAYS];         /* by task and figure: half of the 95 % interval; NAN for one run */
    struct gsim_request_record *requests[GSIM_CLI_WAYS]; /* that were served */
    size_t request_count[GSIM_CLI_WAYS];
    double fairness[GSIM_CLI_WAYS], makespan_us[GSIM_CLI_WAYS];
    struct gsim_error errors[GSIM_CLI_WAYS];
    char notes[GSIM_CLI_WAYS][GSIM_REPORT_NOTE]; /* "": none */
    enum gsim_status worst;
};

/* Of the runs of a way, by task: means over repetitions of what is shown; requests, also late ones, of all of them. */
enum figure { MEAN, P50, P90, P99, SLOW, RATE, FIGURES };
static const size_t figures[FIGURES] = {
    offsetof(struct gsim_task_stats, mean_us), offsetof(struct gsim_task_stats, p50_us),
    offsetof(struct gsim_task_stats, p90_us),  offsetof(struct gsim_task_stats, p99_us),
    offsetof(struct gsim_task_stats, slow_down), offsetof(struct gsim_task_stats, per_second)};

struct sums {
    struct gsim_stats of[FIGURES];
    uint32_t late, requests;
};

static double *figure_of(struct gsim_task_stats *s, size_t k) { return (double *)((char *)s + figures[k]); }

static enum gsim_status run_way(struct comparison *c, size_t way, struct gsim_error *error)
{
    struct gsim_cli_tasks *t = &c->tasks;
    struct gsim_arena *arena = &t->arena;
    void *params;
    struct gsim_task_stats *stats = GSIM_ARENA_ARRAY(arena, struct gsim_task_stats, t->count);
    double *half = c->intervals[way] = GSIM_ARENA_ARRAY(arena, double, t->count *FIGURES);
    struct sums *sums = GSIM_ARENA_ARRAY(arena, struct sums, t->count);
    struct gsim_stats fairness;
    enum gsim_status status = gsim_cli_share_params(t, c->ways[way], &params, error);
    gsim_stats_init(&fairness);
    for (size_t i = 0; i < (size_t)t->count * FIGURES; i++) gsim_stats_init(&sums[i / FIGURES].of[i % FIGURES]);
    for (uint32_t r = 0; r < c->repeat && status == GSIM_OK; r++) {
        struct gsim_timeline timeline = {0};
        struct gsim_simulation s = gsim_cli_tasks_simulation(t, c->ways[way], params);
        s.detailed = false;
        s.seed += r;
        status = gsim_cli_tasks_run(t, &s, &timeline, stats, error);
        for (uint32_t i = 0; i < t->count && status == GSIM_OK; i++) {
            for (size_t k = 0; k < FIGURES; k++) gsim_stats_add(&sums[i].of[k], *figure_of(&stats[i], k));
            sums[i].late += stats[i].late;
            sums[i].requests += stats[i].requests;
        }
        if (status == GSIM_OK) gsim_stats_add(&fairness, gsim_tasks_fairness(stats, t->count));
        if (status == GSIM_OK && !r) {
            /* What the first run is kept of: its requests, its end. */
            c->request_count[way] = timeline.request_count;
            c->requests[way] =
                GSIM_ARENA_ARRAY(&c->tasks.arena, struct gsim_request_record, timeline.request_count + 1);
            if (timeline.request_count)
                memcpy(c->requests[way], timeline.requests, sizeof *timeline.requests * timeline.request_count);
            for (size_t i = 0; i < timeline.request_count; i++)
                c->makespan_us[way] = fmax(c->makespan_us[way], gsim_time_us(timeline.requests[i].end));
        }
        gsim_timeline_release(&timeline);
    }
    if (status != GSIM_OK) return status;
    if (!gsim_sharing_note(c->ways[way], params, stats, t->count, c->notes[way])) c->notes[way][0] = '\0';
    for (uint32_t i = 0; i < t->count; i++) {
        for (size_t k = 0; k < FIGURES; k++) {
            *figure_of(&stats[i], k) = gsim_stats_mean(&sums[i].of[k]);
            half[i * FIGURES + k] = gsim_stats_ci95(&sums[i].of[k]);
        }
        stats[i].late = sums[i].late;
        stats[i].requests = sums[i].requests;
    }
    c->fairness[way] = gsim_stats_mean(&fairness);
    c->stats[way] = stats;
    return GSIM_OK;
}

static const char *time_text(char text[GSIM_TEXT_SIZE], double us) { return us > 0 ? gsim_text_us(text, us) : "-"; }

static bool has_deadlines(const struct comparison *c)
{
    for (uint32_t i = 0; i < c->tasks.count; i++)
        if (c->tasks.tasks[i].deadline_us > 0) return true;
    return false;
}

static void print_way(const struct comparison *c, size_t way, struct gsim_output *output)
{
    char texts[3][GSIM_TEXT_SIZE], slow[16], name[64];
    int names = has_deadlines(c) ? 8 : 14;
    if (!c->stats[way]) {
        gsim_output_printf(output, "  %-11s failed: %s\n", c->ways[way]->name, c->errors[way].message);
        return;
    }
    for (uint32_t i = 0; i < c->tasks.count; i++) {
        const struct gsim_task_stats *s = &c->stats[way][i];
        const double *half = &c->intervals[way][i * FIGURES];
        snprintf(slow, sizeof slow, s->slow_down > 0 ? "%.2fx" : "-", s->slow_down);
        gsim_output_printf(output, "  %-11s %-*s %4d %8u %9s %9s %9s %8s %9.4g", i ? "" : c->ways[way]->name, names,
                           gsim_text_fit(name, sizeof name, c->tasks.tasks[i].name, (size_t)names),
                           c->tasks.tasks[i].priority, s->requests, time_text(texts[0], s->mean_us),
                           time_text(texts[1], s->p50_us), time_text(texts[2], s->p99_us), slow, s->per_second);
        if (has_deadlines(c) && c->tasks.tasks[i].deadline_us > 0)
            gsim_output_printf(output, " %5u", s->late);
        else if (has_deadlines(c))
            gsim_output_printf(output, " %5s", "-");
        if (!i && !isnan(c->fairness[way])) gsim_output_printf(output, " %8.3f", c->fairness[way]);
        gsim_output_text(output, "\n");
        if (half[MEAN] > 0)
            gsim_output_printf(output, "  %*s %9s %9s %9s\n", 11 + names + 15, "+-", time_text(texts[0], half[MEAN]),
                               time_text(texts[1], half[P50]), time_text(texts[2], half[P99]));
    }
}

static void print(const void *what, struct gsim_output *output)
{
    const struct comparison *c = what;
    unsigned long long seed = (unsigned long long)c->tasks.setup->seed;
    char machine[GSIM_CLI_MACHINE];
    int names = has_deadlines(c) ? 8 : 14;
    gsim_output_printf(output, "%s on %s, ", c->tasks.set.all.name, gsim_cli_machine(c->tasks.setup, machine));
    if (c->repeat > 1)
        gsim_output_printf(output,
                           "seeds %llu to %llu: requests under each way of sharing, means over %u runs\nand below "
                           "them half of their 95 %% interval\n\n",
                           seed, seed + c->repeat - 1, c->repeat);
    else gsim_output_printf(output, "seed %llu: requests under each way of sharing\n\n", seed);
    gsim_output_printf(output, "  %-11s %-*s %4s %8s %9s %9s %9s %8s %9s", "share", names, "task", "prio", "requests",
                       "mean", "p50", "p99", "slower", "per s");
    gsim_output_printf(output, "%s %8s\n", has_deadlines(c) ? "  late" : "", "fairness");
    for (size_t w = 0; w < c->way_count; w++) print_way(c, w, output);
    for (size_t w = 0, told = 0; w < c->way_count; w++)
        if (c->notes[w][0]) gsim_output_printf(output, "%s  Note: %s\n", told++ ? "" : "\n", c->notes[w]);
    /* The 99th of fewer than a hundred is the longest. */
    uint32_t fewest = UINT32_MAX;
    for (size_t w = 0; w < c->way_count; w++)
        for (uint32_t i = 0; i < c->tasks.count && c->stats[w]; i++)
            if (c->stats[w][i].requests / c->repeat < fewest) fewest = c->stats[w][i].requests / c->repeat;
    if (fewest < 100) gsim_output_text(output, "\n  Note: p99 of fewer than 100 requests is the longest of them\n");
    gsim_cli_put_guesses(output, c->tasks.set.all.guesses, "");
}

static void put_csv(const void *what, struct gsim_output *output)
{
    const struct comparison *c = what;
    gsim_output_printf(
        output,
        "share,task,priority,requests,late,mean_us,p50_us,p90_us,p99_us,alone_us,slow_down,per_second,fairness%s\n",
        c->repeat > 1 ? ",repetitions,mean_ci95_us,p50_ci95_us,p99_ci95_us,slow_down_ci95,per_second_ci95" : "");
    for (size_t w = 0; w < c->way_count; w++)
        for (uint32_t i = 0; i < c->tasks.count && c->stats[w]; i++) {
            const struct gsim_task_stats *s = &c->stats[w][i];
            gsim_output_put(output, "%c,%c,%d,%u,%u,%f,%f,%f,%f,%f,%f,%f,%f", c->ways[w]->name, c->tasks.tasks[i].name,
                            c->tasks.tasks[i].priority, s->requests, s->late, s->mean_us, s->p50_us, s->p90_us,
                            s->p99_us, s->alone_us, s->slow_down, s->per_second, c->fairness[w]);
            const double *half = &c->intervals[w][i * FIGURES];
            if (c->repeat > 1)
                gsim_output_printf(output, ",%u,%.6f,%.6f,%.6f,%.6f,%.6f", c->repeat, half[MEAN], half[P50], half[P99],
                                   half[SLOW], half[RATE]);
            gsim_output_text(output, "\n");
        }
}

/* How long each request took from its arrival on. */
static void put_times(const struct comparison *c, size_t way, uint32_t task, struct gsim_output *output)
{
    const char *between = "";
    gsim_output_text(output, ", \"jct_us\": [");
    for (size_t i = 0; i < c->request_count[way]; i++) {
        const struct gsim_request_record *r = &c->requests[way][i];
        if (r->task != task) continue;
        gsim_output_printf(output, "%s%.3f", between, gsim_time_us(r->end - r->arrival));
        between = ", ";
    }
    gsim_output_text(output, "]");
}

static void put_json(const void *what, struct gsim_output *output)
{
    const struct comparison *c = what;
    gsim_output_put(output, "{'schema': 'gpusim-share-comparison/1', 'device': %q,\n 'ways': [",
                    c->tasks.setup->device.name);
    for (size_t w = 0; w < c->way_count; w++) {
        gsim_output_put(output, "%s%q", w ? ",\n  {\"share\": " : "\n  {\"share\": ", c->ways[w]->name);
        if (!c->stats[w]) {
            gsim_output_put(output, ", 'error': %q", c->errors[w].message);
        } else {
            gsim_output_put(output, ", 'fairness': %r, 'makespan_us': %r", c->fairness[w], c->makespan_us[w]);
            if (c->notes[w][0]) gsim_output_put(output, ", 'notes': [%q]", c->notes[w]);
            gsim_output_text(output, ", \"tasks\": [");
        }
        for (uint32_t i = 0; i < c->tasks.count && c->stats[w]; i++) {
            const struct gsim_task_stats *s = &c->stats[w][i];
            gsim_output_put(output, "%s%q, 'priority': %d, 'requests': %u, 'late': %u, 'mean_us': %r, 'p50_us': %r, "
                                    "'p90_us': %r, 'p99_us': %r, 'alone_us': %r, 'slow_down': %r, 'per_second': %r",
                            i ? ",\n    {\"name\": " : "\n    {\"name\": ", c->tasks.tasks[i].name,
                            c->tasks.tasks[i].priority, s->requests, s->late, s->mean_us, s->p50_us, s->p90_us,
                            s->p99_us, s->alone_us, s->slow_down, s->per_second);
            if (c->repeat > 1) {
                const double *half = &c->intervals[w][i * FIGURES];
                gsim_output_put(output, ", 'repetitions': %u, 'mean_ci95_us': %r, 'p50_ci95_us': %r, 'p99_ci95_us': "
                                        "%r, 'slow_down_ci95': %r, 'per_second_ci95': %r", c->repeat, half[MEAN],
                                half[P50], half[P99], half[SLOW], half[RATE]);
            }
            put_times(c, w, i, output);
            gsim_output_text(output, "}");
        }
        gsim_output_text(output, c->stats[w] ? "]}" : "}");
    }
    gsim_output_text(output, "]");
    if (c->tasks.set.all.guesses) gsim_cli_put_guesses_json(output, c->tasks.set.all.guesses, "");
    gsim_output_text(output, "}\n");
}

static enum gsim_status compare(struct comparison *c, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = c->tasks.setup->arguments;
    enum gsim_status status = gsim_cli_count(arguments, GSIM_CLI_REPEAT, 1, MAX_RUNS, 1, &c->repeat, error);
    if (status == GSIM_OK)
        status = gsim_cli_ways(&c->tasks.arena, arguments->value[GSIM_CLI_SHARE], c->ways, &c->way_count, error);
    if (status == GSIM_OK) status = gsim_cli_check_share_opts(&c->tasks, c->ways, c->way_count, error);
    if (status == GSIM_OK) status = gsim_cli_tasks_profile(&c->tasks, error);
    bool needs_profile = false;
    for (size_t w = 0; w < c->way_count; w++) needs_profile |= c->ways[w]->needs_profile;
    if (status == GSIM_OK && needs_profile && !c->tasks.profiles.count) {
        fprintf(stderr, "gpusim: note: some of these ways need a profile: each task is measured alone first (as "
                        "--profile measure does)\n");
        status = gsim_cli_tasks_measure(&c->tasks, error);
    }
    if (status == GSIM_OK) status = gsim_cli_tasks_alone(&c->tasks, error);
    if (status != GSIM_OK) return status;
    /* Of all ways those that these tasks rule out are no failure while another one runs. */
    const char *share = arguments->value[GSIM_CLI_SHARE];
    bool is_all = !share || strcmp(share, "all") == 0, has_run = false;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t w = 0; w < c->way_count; w++) {
            if (!pass) has_run |= run_way(c, w, &c->errors[w]) == GSIM_OK;
            bool is_ruled_out = is_all && has_run && c->errors[w].status == GSIM_USAGE;
            if (pass && !is_ruled_out && c->errors[w].status > c->worst) c->worst = c->errors[w].status;
        }
    return gsim_cli_write(arguments->value[GSIM_CLI_CSV], arguments->value[GSIM_CLI_REPORT],
                          &(struct gsim_cli_forms){put_csv, put_json, print}, c, error);
}

enum gsim_status gsim_cli_compare_tasks(const struct gsim_cli_arguments *arguments, enum gsim_status *worst,
                                        struct gsim_error *error)
{
    if (arguments->value[GSIM_CLI_LIMIT] || gsim_cli_tasks_vary(arguments))
        return gsim_cli_compare_clients(arguments, worst, error);
    struct gsim_cli_setup setup = {0};
    struct comparison *c = gsim_alloc(sizeof *c);
    memset(c, 0, sizeof *c);
    enum gsim_status status = gsim_cli_setup_init(&setup, arguments, error);
    if (status == GSIM_OK) {
        status = gsim_cli_tasks_init(&c->tasks, &setup, error);
        if (status == GSIM_OK) status = compare(c, error);
        gsim_cli_tasks_release(&c->tasks);
        gsim_cli_setup_release(&setup);
    }
    *worst = c->worst;
    gsim_free(c);
    return status;
}
