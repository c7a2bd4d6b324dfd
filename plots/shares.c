/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See plots/shares.h. */
#include "plots/shares.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/axis.h"
#include "sim/base/json.h"
#include "gpusim/order.h"

#define MAX_SERIES   64
#define MAX_STEPS    400  /* of a distribution's line: what a figure can show */
#define MARKS        4    /* on a line */
#define HEIGHT_SHARE 0.68
#define LOG_SPAN     4.0  /* values that span more than this factor have a logarithmic axis */
#define MAX_SHARE    75   /* where so many per cent of them */
#define CROWDED      0.2  /* lie in so much of a linear one */

/* --- reading -------------------------------------------------------------------------------------------------- */

static bool read_task(struct gsim_arena *arena, const cJSON *item, struct gsim_shared_task *task)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "name"),
                *times = cJSON_GetObjectItemCaseSensitive(item, "jct_us"), *time;
    double priority = gsim_json_number(item, "priority");
    if (!cJSON_IsString(name) || !(priority >= 0 && priority < 100)) return false;
    *task = (struct gsim_shared_task){.name = gsim_arena_strdup(arena, name->valuestring),
                                      .priority = gsim_whole_int(priority),
                                      .p99_us = gsim_json_number(item, "p99_us"),
                                      .per_second = gsim_json_number(item, "per_second")};
    if (!cJSON_IsArray(times)) return true;
    task->jct_us = GSIM_ARENA_ARRAY(arena, double, (size_t)cJSON_GetArraySize(times) + 1);
    cJSON_ArrayForEach(time, times)
    {
        if (!cJSON_IsNumber(time)) return false;
        if (task->jct_us) task->jct_us[task->count++] = time->valuedouble;
    }
    if (task->jct_us) gsl_sort(task->jct_us, 1, task->count);
    return true;
}

/* A way, or a whole report of one. */
static enum gsim_status read_run(struct gsim_shared_runs *runs, const cJSON *json, const char *path,
                                 struct gsim_error *error)
{
    const cJSON *share = cJSON_GetObjectItemCaseSensitive(json, "share"),
                *tasks = cJSON_GetObjectItemCaseSensitive(json, "tasks"), *item;
    if (cJSON_GetObjectItemCaseSensitive(json, "error")) return GSIM_OK;
    if (!cJSON_IsString(share) || !cJSON_IsArray(tasks) || !cJSON_GetArraySize(tasks))
        return gsim_error_set(
            error, GSIM_INPUT,
            "cannot read '%s': expected tasks under a way of sharing, as compare --task or run --task report them",
            path);
    gsim_array_grow(&runs->runs, sizeof *runs->runs, runs->count, &runs->capacity);
    struct gsim_shared_run *run = &runs->runs[runs->count++];
    *run = (struct gsim_shared_run){.share = gsim_arena_strdup(&runs->arena, share->valuestring),
                                    .path = gsim_arena_strdup(&runs->arena, path)};
    run->tasks = GSIM_ARENA_ARRAY(&runs->arena, struct gsim_shared_task, (size_t)cJSON_GetArraySize(tasks));
    cJSON_ArrayForEach(item, tasks)
    {
        if (!read_task(&runs->arena, item, &run->tasks[run->task_count++]))
            return gsim_error_set(error, GSIM_INPUT,
                                  "cannot read '%s': tasks[%zu]: expected a name, a priority and times", path,
                                  run->task_count - 1);
    }
    return GSIM_OK;
}

enum gsim_status gsim_shared_runs_read(struct gsim_shared_runs *runs, const char *path, struct gsim_error *error)
{
    cJSON *json = gsim_json_read(path, error);
    if (!json) return gsim_error_prefix(error, "cannot read '%s'", path);
    const cJSON *ways = cJSON_GetObjectItemCaseSensitive(json, "ways"), *way;
    enum gsim_status status = cJSON_IsArray(ways) ? GSIM_OK : read_run(runs, json, path, error);
    cJSON_ArrayForEach(way, ways)
    {
        if (status == GSIM_OK) status = read_run(runs, way, path, error);
    }
    gsim_json_release(json);
    return status;
}

void gsim_shared_runs_release(struct gsim_shared_runs *runs)
{
    gsim_free(runs->runs);
    gsim_arena_release(&runs->arena);
    *runs = (struct gsim_shared_runs){0};
}

/* --- series --------------------------------------------------------------------------------------------------- */

/* A line's colour: by its way, in the order of their first mention. */
struct series {
    const char *names[MAX_SERIES];
    size_t count;
};

static size_t place_of(struct series *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->names[i], name) == 0) return i;
    if (s->count < MAX_SERIES) s->names[s->count++] = name;
    return s->count - 1;
}

static void put_legend(struct gsim_figure *figure, const struct series *s)
{
    unsigned places[MAX_SERIES];
    for (size_t i = 0; i < s->count; i++) places[i] = (unsigned)i + 1;
    gsim_figure_number(figure, "legend_marks", 1);
    (void)gsim_figure_legend(figure, s->names, places, s->count);
}

static void set_height(struct gsim_figure *figure)
{
    if (figure->size.height_cm <= 0) figure->size.height_cm = fmin(HEIGHT_SHARE * figure->size.width_cm, 8);
}

/* --- jct ------------------------------------------------------------------------------------------------------ */

static const struct gsim_shared_task *task_of(const struct gsim_shared_run *run, const char *name)
{
    const struct gsim_shared_task *found = NULL;
    for (size_t i = 0; i < run->task_count; i++) {
        const struct gsim_shared_task *t = &run->tasks[i];
        if (name ? strcmp(t->name, name) == 0 : !found || t->priority < found->priority) found = t;
        if (name && found) return found;
    }
    return found;
}

/* A way's distribution as steps: the share of requests that took at most so long. */
static void put_steps(struct gsim_figure *figure, const struct gsim_shared_task *t, double divisor, size_t place,
                      const char *name)
{
    size_t steps = t->count < MAX_STEPS ? t->count : MAX_STEPS;
    double below = 0;
    for (size_t i = 1; i <= steps; i++) {
        size_t done = i * t->count / steps;
        double us = t->jct_us[done - 1] / divisor, share = (double)done / (double)t->count;
        bool is_marked = floor(share * MARKS - 0.5) > floor(below * MARKS - 0.5);
        gsim_output_printf(&figure->data, "%.9g\t%.6g\t%zu\t0\t", us, below, place + 1);
        gsim_figure_field(figure, name);
        gsim_output_printf(&figure->data, "\n%.9g\t%.6g\t%zu\t%d\t", us, below = share, place + 1, is_marked);
        gsim_figure_field(figure, name);
        gsim_output_text(&figure->data, "\n");
    }
    gsim_output_text(&figure->data, "\n");
}

/* Where few long times would press most of the others against the left edge of a linear axis. */
static int choose_log(const double *values, size_t count, struct gsim_arena *arena)
{
    double *sorted = gsim_arena_alloc(arena, sizeof *sorted * (count + 1));
    if (!sorted || !count) return -1;
    memcpy(sorted, values, sizeof *sorted * count);
    gsl_sort(sorted, 1, count);
    double low = sorted[0], high = sorted[count - 1], most = sorted[MAX_SHARE * count / 100];
    return low > 0 && high >= LOG_SPAN * low && most - low < CROWDED * (high - low) ? 1 : -1;
}

enum gsim_status gsim_jct_plot(const struct gsim_shared_runs *runs, const char *task, int log_x,
                               struct gsim_figure *figure, struct gsim_error *error)
{
    struct series series = {.count = 0};
    struct gsim_plot_axis x;
    double *ends = gsim_arena_alloc(&figure->own.arena, sizeof *ends * (2 * runs->count + 1));
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct gsim_shared_task *t = task_of(&runs->runs[i], task);
        if (!t)
            return gsim_error_set(error, GSIM_USAGE, "no task '%.60s' under %s in '%s'", task, runs->runs[i].share,
                                  runs->runs[i].path);
        if (!t->count) continue;
        (void)place_of(&series, runs->runs[i].share);
        ends[count++] = t->jct_us[0];
        ends[count++] = t->jct_us[t->count - 1];
    }
    if (!count)
        return gsim_error_set(error, GSIM_USAGE, "no request times to draw: expected jct_us, as reports have it");
    if (log_x < 0) log_x = choose_log(ends, count, &figure->own.arena);
    enum gsim_status status = gsim_plot_axis_init(&x, figure, "jct_us", ends, count, log_x, NULL, NULL, error);
    if (status != GSIM_OK) return status;
    put_legend(figure, &series);
    gsim_output_text(&figure->data, "\n\n# request time\tshare of requests\tcolour\tmark\tway\n");
    for (size_t i = 0; i < runs->count; i++) {
        const struct gsim_shared_task *t = task_of(&runs->runs[i], task);
        if (t->count) put_steps(figure, t, x.divisor, place_of(&series, runs->runs[i].share), runs->runs[i].share);
    }
    const struct gsim_shared_task *drawn = task_of(&runs->runs[0], task);
    const char *unit = strchr(x.label, '('),
               *label = gsim_arena_printf(&figure->own.arena, "request of %s %s", drawn->name, unit ? unit : "(us)");
    x.label = label;
    gsim_plot_axis_set(&x, figure, 'x', false);
    set_height(figure);
    return GSIM_OK;
}

/* --- clients -------------------------------------------------------------------------------------------------- */

/* Of all tasks' requests; of files without the times the largest of the tasks'. */
static double p99_of(const struct gsim_shared_run *run, struct gsim_arena *arena)
{
    size_t count = 0;
    double most = 0;
    bool has_times = true;
    for (size_t i = 0; i < run->task_count; i++) {
        count += run->tasks[i].count;
        has_times &= run->tasks[i].jct_us != NULL;
        if (run->tasks[i].p99_us > most) most = run->tasks[i].p99_us;
    }
    double *times = has_times && count ? gsim_arena_alloc(arena, sizeof *times * count) : NULL;
    if (!times) return most > 0 ? most : NAN;
    for (size_t i = 0, n = 0; i < run->task_count; i++) {
        memcpy(times + n, run->tasks[i].jct_us, sizeof *times * run->tasks[i].count);
        n += run->tasks[i].count;
    }
    gsl_sort(times, 1, count);
    return times[gsim_whole_u64(ceil(0.99 * (double)count)) - 1];
}

static double throughput_of(const struct gsim_shared_run *run)
{
    double sum = 0;
    for (size_t i = 0; i < run->task_count; i++)
        sum += isfinite(run->tasks[i].per_second) ? run->tasks[i].per_second : 0;
    return sum;
}

/* By way, then by what is on the horizontal axis: clients, or requests per second. */
struct load_point {
    size_t place;
    double load, throughput, p99_us, throughput_off, p99_off_us; /* off: half of the interval; 0: none is known */
};

GSIM_ORDER(compare_points, struct load_point, GSIM_UP(place) GSIM_UP(load))

/* Two panels over LABEL_X: LABEL_LEFT, and a time called NAME. */
static enum gsim_status put_panels(struct gsim_figure *figure, struct load_point *points, size_t count,
                                   struct series *series, int log_y, const char *label_x, const char *label_left,
                                   const char *name, struct gsim_error *error)
{
    struct gsim_plot_axis y;
    struct gsim_arena *arena = &figure->own.arena;
    double *times = gsim_arena_alloc(arena, sizeof *times * 2 * (count + 1)), least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        times[2 * i] = points[i].p99_us;
        times[2 * i + 1] = points[i].p99_us + points[i].p99_off_us;
        least = fmin(least, points[i].load);
        most = fmax(most, points[i].load);
    }
    enum gsim_status status = gsim_plot_axis_init(&y, figure, "p99_us", times, 2 * count, log_y, NULL, NULL, error);
    if (status != GSIM_OK) return status;
    qsort(points, count, sizeof *points, compare_points);
    put_legend(figure, series);
    gsim_output_printf(&figure->data, "\n\n# %s\t%s\t%s\tcolour\tway\t+-\t+-\n", label_x, label_left, name);
    for (size_t i = 0; i < count; i++) {
        if (i && points[i].place != points[i - 1].place) gsim_output_text(&figure->data, "\n");
        gsim_output_printf(&figure->data, "%.9g\t%.9g\t%.9g\t%zu\t", points[i].load, points[i].throughput,
                           points[i].p99_us / y.divisor, points[i].place + 1);
        gsim_figure_field(figure, series->names[points[i].place]);
        gsim_output_printf(&figure->data, "\t%.9g\t%.9g\n", points[i].throughput_off, points[i].p99_off_us / y.divisor);
    }
    const char *unit = strchr(y.label, '(');
    y.label = gsim_arena_printf(arena, "%s %s", name, unit ? unit : "(us)");
    gsim_plot_axis_set(&y, figure, 'y', true);
    gsim_figure_text(figure, "label_x", label_x);
    gsim_figure_text(figure, "label_left", label_left);
    gsim_figure_number(figure, "low_x", least - 0.04 * (most - least));
    gsim_figure_number(figure, "high_x", most + 0.04 * (most - least));
    set_height(figure);
    return GSIM_OK;
}

enum gsim_status gsim_clients_plot(const struct gsim_shared_runs *runs, int log_y, struct gsim_figure *figure,
                                   struct gsim_error *error)
{
    struct series series = {.count = 0};
    struct gsim_arena *arena = &figure->own.arena;
    struct load_point *points = gsim_arena_alloc(arena, sizeof *points * (runs->count + 1));
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct gsim_shared_run *run = &runs->runs[i];
        points[i] = (struct load_point){place_of(&series, run->share), (double)run->task_count, throughput_of(run),
                                        p99_of(run, arena), 0, 0};
        if (run->task_count < least) least = run->task_count;
        if (run->task_count > most) most = run->task_count;
    }
    if (least >= most)
        return gsim_error_set(error, GSIM_USAGE, "expected reports with different numbers of tasks, found %zu in each",
                              runs->count ? least : 0);
    return put_panels(figure, points, runs->count, &series, log_y, "clients", "requests per s", "P99", error);
}

/* Half of the 95 % interval of column NAME, which serve --repeat writes; 0: there is none. */
static double half_interval(const struct gsim_frame *frame, const char *name, size_t row)
{
    char interval[80];
    snprintf(interval, sizeof interval, "%.70s_ci95", name);
    const struct gsim_frame_column *column = gsim_frame_find(frame, interval);
    double half = column ? gsim_frame_number(column, row) : 0;
    return isfinite(half) ? half : 0;
}

enum gsim_status gsim_load_plot(struct gsim_frame *frame, const char *value, int log_y, struct gsim_figure *figure,
                                struct gsim_error *error)
{
    static const char *const needed[] = {"rate_per_s", "goodput_per_s", NULL};
    struct series series = {.count = 0};
    struct load_point *points = gsim_arena_alloc(&figure->own.arena, sizeof *points * (frame->row_count + 1));
    const struct gsim_frame_column *columns[3] = {NULL};
    const char *way;
    for (int i = 0; i < 3; i++) {
        const char *name = needed[i] ? needed[i] : value ? value : "ttft_p99_us";
        if (gsim_frame_need(frame, needed[i] ? "a table of gpusim serve" : "--y", name, &columns[i], error))
            return error->status;
    }
    enum gsim_status status = gsim_frame_join(frame, "load", "batching,prefill_beside", &way, error);
    if (status != GSIM_OK) return status;
    for (int i = 0; i < 3; i++)
        columns[i] = gsim_frame_find(frame, needed[i] ? needed[i] : value ? value : "ttft_p99_us");
    const struct gsim_frame_column *ways = gsim_frame_find(frame, way);
    for (size_t i = 0; i < frame->row_count; i++)
        points[i] = (struct load_point){place_of(&series, gsim_frame_text(ways, i)), gsim_frame_number(columns[0], i),
                                        gsim_frame_number(columns[1], i), gsim_frame_number(columns[2], i),
                                        half_interval(frame, needed[1], i),
                                        half_interval(frame, value ? value : "ttft_p99_us", i)};
    char name[64] = "TTFT P99";
    if (value) snprintf(name, sizeof name, "%.60s", value);
    return put_panels(figure, points, frame->row_count, &series, log_y, "requests per s that arrive",
                      "goodput (requests per s)", name, error);
}
