/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/page/page.h: several tasks on one GPU - the request times of one run's tasks, and of all ways
 * of sharing that compare --task ran.
 */
#include <math.h>
#include <string.h>

#include "plots/page/page.h"
#include "plots/shares.h"
#include "sim/base/gz.h"
#include "sim/base/text.h"

#define MOST_FIGURES 4 /* of tasks' request times */

bool gsim_page_is_shares(const char *path)
{
    char head[256];
    return gsim_gz_head(path, head, sizeof head) && strstr(head, "\"gpusim-share-comparison/");
}

static void put_time(struct gsim_page *page, double us)
{
    char text[GSIM_TEXT_SIZE];
    gsim_page_cell(page, us > 0 ? gsim_text_time(text, gsim_time_from_us(us)) : "-");
}

static void put_number(struct gsim_page *page, const char *format, double value)
{
    char text[64] = "-";
    if (isfinite(value) && (value > 0 || format[1] != '.')) snprintf(text, sizeof text, format, value);
    gsim_page_cell(page, text);
}

/* What both tables tell of a task. */
static void put_task(struct gsim_page *page, const struct gsim_shared_task *t, bool is_brief)
{
    gsim_page_cell(page, t->name);
    put_number(page, "%g", t->priority);
    put_number(page, "%.0f", t->requests);
    if (!is_brief) put_number(page, "%g", t->late);
    put_time(page, t->mean_us);
    put_time(page, t->p50_us);
    if (!is_brief) put_time(page, t->p90_us);
    put_time(page, t->p99_us);
    put_time(page, t->alone_us);
    put_number(page, "%.2fx", t->slow_down);
    put_number(page, "%.4g", t->per_second);
}

/* --- one run --------------------------------------------------------------------------------------------------- */
enum gsim_status gsim_page_tasks(struct gsim_page *page, const char *path, struct gsim_error *error)
{
    static const char *const heads[] = {"Task", "Priority ", "Requests ", "Late ",   "Mean ", "P50 ",
                                        "P90 ", "P99 ",      "Alone ",    "Slower ", "Per s "};
    struct gsim_shared_runs runs = {0};
    enum gsim_status status = gsim_shared_runs_read(&runs, path, error);
    if (status == GSIM_OK && runs.count) {
        gsim_page_section(page, "Requests of the tasks");
        gsim_page_table(page, heads, sizeof heads / sizeof heads[0]);
        for (size_t i = 0; i < runs.runs[0].task_count; i++) {
            put_task(page, &runs.runs[0].tasks[i], false);
            gsim_page_row_end(page);
        }
        gsim_page_table_end(page);
        gsim_output_text(page->output, "<p>Times of requests, from arrival to end. Alone: the mean with the GPU to "
                                       "itself. Slower: mean over alone.</p>\n");
    }
    gsim_shared_runs_release(&runs);
    return status;
}

/* --- all ways --------------------------------------------------------------------------------------------------- */
/* "a", "a and b", "a, b and c". */
static const char *names_of(struct gsim_page *page, const struct gsim_shared_run *run)
{
    const char *text = "";
    for (size_t i = 0; i < run->task_count && text; i++)
        text = gsim_arena_printf(&page->arena, "%s%s%s", text,
                                 !i                         ? ""
                                 : i + 1 == run->task_count ? " and "
                                                            : ", ",
                                 run->tasks[i].name);
    return text;
}

static void put_ways(struct gsim_page *page, const struct gsim_shared_runs *runs)
{
    static const char *const heads[] = {"Sharing", "Task",   "Priority ", "Requests ", "Mean ",    "P50 ",
                                        "P99 ",    "Alone ", "Slower ",   "Per s ",    "Fairness "};
    gsim_page_section(page, "Requests under each way of sharing");
    gsim_page_table(page, heads, sizeof heads / sizeof heads[0]);
    for (size_t w = 0; w < runs->count; w++)
        for (size_t i = 0; i < runs->runs[w].task_count; i++) {
            gsim_page_cell(page, runs->runs[w].share);
            put_task(page, &runs->runs[w].tasks[i], true);
            if (i) gsim_page_cell(page, "");
            else put_number(page, "%.3f", runs->runs[w].fairness);
            gsim_page_row_end(page);
        }
    gsim_page_table_end(page);
    gsim_output_text(
        page->output,
        "<p>Times of requests, from arrival to end. Alone: the mean with the GPU to itself. Slower: mean over alone. "
        "Fairness: Jain's index of the tasks' speeds relative to alone.</p>\n");
}

static void put_failures(struct gsim_page *page, const struct gsim_shared_runs *runs)
{
    static const char *const heads[] = {"Sharing", "Message"};
    if (!runs->failure_count) return;
    gsim_page_section(page, "Ways that failed");
    gsim_page_table(page, heads, 2);
    for (size_t i = 0; i < runs->failure_count; i++) {
        gsim_page_cell(page, runs->failures[i].share);
        gsim_page_cell(page, runs->failures[i].message);
        gsim_page_row_end(page);
    }
    gsim_page_table_end(page);
}

struct distribution {
    const struct gsim_shared_runs *runs;
    const char *task;
};

static enum gsim_status plot_times(void *context, struct gsim_figure *figure, struct gsim_error *error)
{
    const struct distribution *d = context;
    return gsim_jct_plot(d->runs, d->task, -1, figure, error);
}

/* Every way has times of this task. */
static bool has_times(const struct gsim_shared_runs *runs, const char *task)
{
    size_t found = 0;
    for (size_t w = 0; w < runs->count; w++) {
        bool has = false;
        for (size_t i = 0; i < runs->runs[w].task_count; i++)
            has |= strcmp(runs->runs[w].tasks[i].name, task) == 0 && runs->runs[w].tasks[i].count;
        found += has;
    }
    return found == runs->count;
}

static enum gsim_status put_figures(struct gsim_page *page, const struct gsim_shared_runs *runs,
                                    struct gsim_error *error)
{
    const struct gsim_shared_run *first = &runs->runs[0];
    size_t drawn = 0;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < first->task_count && drawn < MOST_FIGURES && status == GSIM_OK && !page->missing; i++) {
        struct distribution d = {runs, first->tasks[i].name};
        struct gsim_page_figure figure = {
            .name = "jct", .width_cm = GSIM_FIGURE_PAGE_CM, .plot = plot_times, .context = &d};
        if (!has_times(runs, d.task)) continue;
        figure.caption = gsim_arena_printf(
            &page->arena, "Request times of %s: the share of requests that took at most so long.", d.task);
        figure.command =
            gsim_arena_printf(&page->arena, "gpusim plot jct %s --series %s -o jct.svg", page->source, d.task);
        if (!figure.caption || !figure.command) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
        if (!drawn++) gsim_page_section(page, "Figures");
        status = gsim_page_draw(page, &figure, error);
    }
    return status;
}

static enum gsim_status put_page(struct gsim_page *page, const struct gsim_shared_runs *runs, struct gsim_error *error)
{
    const char *names = runs->count ? names_of(page, &runs->runs[0]) : "tasks";
    const char *title = gsim_arena_printf(&page->arena, "%s on %s: ways of sharing", names ? names : "", runs->device);
    const char *failed =
        runs->failure_count ? gsim_arena_printf(&page->arena, ", of which %zu failed", runs->failure_count) : "";
    const char *subtitle = gsim_arena_printf(&page->arena, "%zu ways of sharing one GPU%s; from %s.",
                                             runs->count + runs->failure_count, failed ? failed : "", page->source);
    if (!names || !title || !failed || !subtitle) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_page_begin(page, title, subtitle);
    if (runs->count) put_ways(page, runs);
    enum gsim_status status = runs->count ? put_figures(page, runs, error) : GSIM_OK;
    put_failures(page, runs);
    if (status == GSIM_OK) gsim_page_end(page);
    return status;
}

enum gsim_status gsim_page_shares(struct gsim_page *page, const char *path, struct gsim_error *error)
{
    struct gsim_shared_runs runs = {0};
    enum gsim_status status = gsim_shared_runs_read(&runs, path, error);
    if (status == GSIM_OK) status = put_page(page, &runs, error);
    gsim_shared_runs_release(&runs);
    return status;
}
