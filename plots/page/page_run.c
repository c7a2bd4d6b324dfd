/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/page/page.h: one run - what it took, its timeline, its kernels and copies, how to run it
 * again.
 */
#include <math.h>

#include "gpusim/metrics.h"
#include "plots/page/page.h"
#include "plots/timeline/timeline.h"
#include "sim/base/text.h"

#define MOST_KERNELS 40

static const char *value_of(const struct gsim_frame *frame, const char *name)
{
    return gsim_frame_text(gsim_frame_find(frame, name), 0);
}

static double number_of(const struct gsim_frame *frame, const char *name)
{
    return gsim_frame_number(gsim_frame_find(frame, name), 0);
}

static const char *time_text(char text[GSIM_TEXT_SIZE], double us)
{
    return isfinite(us) ? gsim_text_time(text, gsim_time_from_us(us)) : "-";
}

/* --- what it took ------------------------------------------------------------------------------------------------ */
static void put_pair(struct gsim_page *page, const char *name, const char *text)
{
    gsim_page_cell(page, name);
    gsim_page_cell(page, text);
    gsim_page_row_end(page);
}

/* Shares of the makespan by cause, as far as a twentieth of it. */
static void put_bottlenecks(struct gsim_page *page, const struct gsim_frame *frame)
{
    double makespan = number_of(frame, "makespan_us");
    for (int i = 0; i < GSIM_BOTTLENECK_COUNT; i++) {
        char text[GSIM_TEXT_SIZE];
        double us = number_of(frame, gsim_bottleneck_key((enum gsim_bottleneck)i));
        if (!(us >= 0.05 * makespan)) continue;
        put_pair(
            page,
            gsim_arena_printf(&page->arena, "… of the makespan: %s", gsim_bottleneck_name((enum gsim_bottleneck)i)),
            gsim_text_percent(text, us / makespan));
    }
}

/* A run of several tasks has no iterations, no streams of one program and no bound: reports have 0 there. */
static bool is_told(const struct gsim_frame *frame, const char *name)
{
    double value = number_of(frame, name);
    return isfinite(value) && (value > 0 || !*value_of(frame, "share"));
}

static void put_summary(struct gsim_page *page, const struct gsim_frame *frame)
{
    static const char *const heads[] = {"Quantity", "Value "};
    static const char *const times[][2] = {{"makespan_us", "Makespan"},
                                           {"iteration_us", "Iteration, median"},
                                           {"iteration_min_us", "Iteration, fastest"},
                                           {"iteration_max_us", "Iteration, slowest"},
                                           {"critical_path_us", "Critical path"},
                                           {"lower_bound_us", "Lower bound"},
                                           {"host_busy_us", "Host busy in calls"}};
    static const char *const shares[][2] = {{"sm_busy_ratio", "SMs in use"},
                                            {"achieved_occupancy", "Occupancy of SMs in use"},
                                            {"compute_transfer", "Overlap CT: computation under transfers"},
                                            {"transfer_compute", "Overlap TC: transfers under computation"},
                                            {"compute_compute", "Overlap CC: computation under computation"},
                                            {"total", "Overlap TOT"}};
    static const char *const counts[][2] = {
        {"streams_used", "Streams used"}, {"events_recorded", "Events recorded"}, {"stream_waits", "Waits on events"}};
    char text[GSIM_TEXT_SIZE];
    gsim_page_section(page, "Result");
    gsim_page_table(page, heads, 2);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (is_told(frame, times[i][0])) put_pair(page, times[i][1], time_text(text, number_of(frame, times[i][0])));
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        put_pair(page, shares[i][1], gsim_text_percent(text, number_of(frame, shares[i][0])));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (is_told(frame, counts[i][0])) put_pair(page, counts[i][1], value_of(frame, counts[i][0]));
    put_pair(page, "Moved to the device", gsim_text_bytes(text, fmax(0, number_of(frame, "h2d_bytes"))));
    put_pair(page, "Moved back", gsim_text_bytes(text, fmax(0, number_of(frame, "d2h_bytes"))));
    if (is_told(frame, "fairness"))
        put_pair(page, "Fairness (Jain's index of the tasks' speeds)",
                 gsim_arena_printf(&page->arena, "%.3f", number_of(frame, "fairness")));
    if (*value_of(frame, "limited_by"))
        put_pair(page, "Limited by",
                 *value_of(frame, "limited_by_detail")
                     ? gsim_arena_printf(&page->arena, "%s (%s)", value_of(frame, "limited_by"),
                                         value_of(frame, "limited_by_detail"))
                     : value_of(frame, "limited_by"));
    put_bottlenecks(page, frame);
    gsim_page_table_end(page);
    if (number_of(frame, "lower_bound_us") > number_of(frame, "makespan_us"))
        gsim_output_text(page->output,
                         "<p>The lower bound is above the makespan: it takes every kernel at its time alone, and "
                         "beside others some ran faster than that.</p>\n");
}

/* --- kernels and copies ------------------------------------------------------------------------------------------ */
struct tally {
    const char *name;
    size_t count;
    double total, shortest, longest, bytes;
};

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct tally *)left)->name, ((const struct tally *)right)->name);
}

static int by_total(const void *left, const void *right)
{
    const struct tally *a = left, *b = right;
    if (a->total != b->total) return a->total > b->total ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Spans of kernels, or of copies, by name. Returns how many names there are. */
static size_t tally(struct gsim_page *page, const struct gsim_track *track, bool kernels, struct tally *tallies)
{
    static const char *const directions[] = {"", "h2d", "d2h", "d2d", "memset"};
    size_t count = 0, names = 0;
    for (size_t i = 0; i < track->span_count; i++) {
        const struct gsim_span *span = &track->spans[i];
        double us = span->end_us - span->start_us;
        if ((span->kind == GSIM_SPAN_KERNEL) != kernels) continue;
        const char *name =
            kernels ? span->name : gsim_arena_printf(&page->arena, "%s %s", directions[span->kind], span->name);
        if (!name) return 0;
        tallies[count++] = (struct tally){name, 1, us, us, us, (double)span->bytes};
    }
    if (count) qsort(tallies, count, sizeof *tallies, by_name);
    for (size_t i = 0; i < count; i++) {
        struct tally *last = names ? &tallies[names - 1] : NULL;
        if (!last || strcmp(last->name, tallies[i].name) != 0) {
            tallies[names++] = tallies[i];
            continue;
        }
        last->count++;
        last->total += tallies[i].total;
        last->bytes += tallies[i].bytes;
        last->shortest = fmin(last->shortest, tallies[i].shortest);
        last->longest = fmax(last->longest, tallies[i].longest);
    }
    if (names) qsort(tallies, names, sizeof *tallies, by_total);
    return names;
}

static void put_tallies(struct gsim_page *page, const struct tally *tallies, size_t names, bool kernels)
{
    const char *heads[] = {kernels ? "Kernel" : "Transfer", "Count ", "Total ", "Mean ", "Shortest ", "Longest ",
                           kernels ? "Share " : "Bytes "};
    double whole = 0;
    gsim_page_section(page, kernels ? "Kernels" : "Transfers");
    gsim_page_table(page, heads, 7);
    for (size_t i = 0; i < names; i++) whole += tallies[i].total;
    for (size_t i = 0; i < names && i < MOST_KERNELS; i++) {
        char text[GSIM_TEXT_SIZE];
        const struct tally *t = &tallies[i];
        gsim_page_name(page, t->name);
        gsim_page_cell(page, gsim_text_count(text, t->count));
        gsim_page_cell(page, time_text(text, t->total));
        gsim_page_cell(page, time_text(text, t->total / (double)t->count));
        gsim_page_cell(page, time_text(text, t->shortest));
        gsim_page_cell(page, time_text(text, t->longest));
        gsim_page_cell(page, kernels ? gsim_text_percent(text, t->total / whole) : gsim_text_bytes(text, t->bytes));
        gsim_page_row_end(page);
    }
    gsim_page_table_end(page);
    if (names > MOST_KERNELS) gsim_output_printf(page->output, "<p>and %zu others.</p>\n", names - MOST_KERNELS);
}

static enum gsim_status put_work(struct gsim_page *page, const struct gsim_track *track, struct gsim_error *error)
{
    struct tally *tallies = gsim_arena_alloc(&page->arena, sizeof *tallies * (track->span_count + 1));
    if (!tallies) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    size_t names = tally(page, track, true, tallies);
    if (names) put_tallies(page, tallies, names, true);
    names = tally(page, track, false, tallies);
    if (names) put_tallies(page, tallies, names, false);
    return page->arena.failed ? gsim_error_set(error, GSIM_NOMEM, "out of memory") : GSIM_OK;
}

/* --- the timeline ------------------------------------------------------------------------------------------------ */
static enum gsim_status plot_timeline(void *context, struct gsim_figure *figure, struct gsim_error *error)
{
    const struct gsim_timeline_view view = {.iteration = 1, .takes_next = true, .from_us = NAN, .until_us = NAN};
    return gsim_timeline_plot(context, &view, figure, error);
}

static enum gsim_status put_timeline(struct gsim_page *page, struct gsim_track *track, struct gsim_error *error)
{
    struct gsim_page_figure figure = {.name = "timeline",
                                      .width_cm = GSIM_FIGURE_PAGE_CM,
                                      .plot = plot_timeline,
                                      .context = track,
                                      .caption = track->iteration_count > 1
                                                     ? "The first iteration: streams, copies, and the SMs in use."
                                                     : track->task_count ? "Tasks, copies, and the SMs in use."
                                                                         : "Streams, copies, and the SMs in use."};
    figure.command = gsim_arena_printf(&page->arena, "gpusim plot timeline %s -o timeline.svg", page->source);
    gsim_page_section(page, "Timeline");
    return gsim_page_draw(page, &figure, error);
}

/* --- again ------------------------------------------------------------------------------------------------------- */
/* The options of the run, as "gpusim run" takes them. */
static void put_again(struct gsim_page *page, const struct gsim_frame *frame)
{
    static const char *const flags[] = {"suite", "size", "block1d", "blocks", "iterations", "memory", "prefetch"};
    const char *text = gsim_arena_printf(&page->arena, "gpusim run --workload %s --sched %s --device %s --seed %s",
                                         value_of(frame, "workload"), value_of(frame, "scheduler"),
                                         value_of(frame, "device"), value_of(frame, "seed"));
    for (size_t i = 0; i < sizeof flags / sizeof flags[0] && text; i++) {
        const char *value = value_of(frame, flags[i]);
        if (*value && strcmp(value, "default") != 0)
            text = gsim_arena_printf(&page->arena, "%s --%s %s", text, flags[i], value);
    }
    for (size_t i = 0; i < frame->column_count && text; i++) {
        const char *name = frame->columns[i].name, *value = gsim_frame_text(&frame->columns[i], 0);
        if (strchr(name, '.')) text = gsim_arena_printf(&page->arena, "%s --opt %s=%s", text, name, value);
    }
    gsim_page_section(page, "Run it again");
    gsim_output_printf(page->output, "<p>With gpusim %s%s, the same bytes come out:</p>\n", value_of(frame, "version"),
                       *value_of(frame, "suite") ? "" : " and the program file of this name in place of the workload");
    gsim_page_command(page, text ? text : "");
}

enum gsim_status gsim_page_run(struct gsim_page *page, const struct gsim_frame *frame, struct gsim_track *track,
                               struct gsim_error *error)
{
    static const char *const heads[] = {"Option", "Value"};
    const char *share = value_of(frame, "share");
    const char *title =
        gsim_arena_printf(&page->arena, "%s %s %s on %s", track->workload, *share ? "shared by" : "with",
                          *share ? share : track->scheduler, track->device);
    const char *subtitle = gsim_arena_printf(&page->arena, "One run of gpusim %s, seed %s; from %s.",
                                             value_of(frame, "version"), value_of(frame, "seed"), page->source);
    if (!title || !subtitle) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_page_begin(page, title, subtitle);
    put_summary(page, frame);
    enum gsim_status status = *share ? gsim_page_tasks(page, page->source, error) : GSIM_OK;
    if (status == GSIM_OK) status = put_timeline(page, track, error);
    if (status == GSIM_OK) status = put_work(page, track, error);
    if (status != GSIM_OK) return status;
    gsim_page_section(page, "Options");
    gsim_page_table(page, heads, 2);
    for (size_t i = 0; i < frame->column_count; i++)
        if (gsim_frame_is_setting(frame->columns[i].name) && *gsim_frame_text(&frame->columns[i], 0))
            put_pair(page, frame->columns[i].name, gsim_frame_text(&frame->columns[i], 0));
    gsim_page_table_end(page);
    if (!*share) put_again(page, frame); /* reports of tasks have no words of --task */
    gsim_page_end(page);
    return GSIM_OK;
}
