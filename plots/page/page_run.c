/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/page/page.h: one run - its options and metrics, its tasks, its kernels and copies by name,
 * its timeline.
 */
#include <math.h>
#include <stdlib.h>

#include "gpusim/metrics.h"
#include "plots/page/page.h"
#include "plots/timeline/timeline.h"
#include "sim/base/json.h"
#include "gpusim/order.h"

#define MAX_KERNELS 40

/* Tasks, ranks and notes as reported, but for the times of each request. */
static enum gsim_status put_lists(struct gsim_output *output, const char *path, bool is_shared,
                                  struct gsim_error *error)
{
    static const char *const lists[] = {"arrival_us", "start_us", "end_us", "jct_us"};
    static const char *const names[] = {"notes", "ranks", "tasks"};
    cJSON *json = gsim_json_read(path, error), *task;
    if (!json) return gsim_error_prefix(error, "cannot read '%s'", path);
    cJSON_ArrayForEach(task, cJSON_GetObjectItem(json, "tasks"))
    {
        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) cJSON_DeleteItemFromObject(task, lists[i]);
    }
    for (size_t i = 0; i < 2 + (size_t)is_shared; i++) {
        cJSON *list = cJSON_GetObjectItem(json, names[i]);
        char *text = cJSON_IsArray(list) ? cJSON_PrintUnformatted(list) : NULL;
        if (text) gsim_output_put(output, ",\n%q: %s", names[i], text);
        cJSON_free(text);
    }
    gsim_json_release(json);
    return GSIM_OK;
}

/* --- kernels and copies --- */
struct tally {
    const char *name;
    size_t count;
    double total, shortest, longest, bytes;
};

GSIM_ORDER(by_name, struct tally, GSIM_TEXT(name))

GSIM_ORDER(by_total, struct tally, GSIM_DOWN(total) GSIM_TEXT(name))

/* Spans of kernels, or of copies, by name. Returns how many names there are. */
static size_t tally(struct gsim_page *page, const struct gsim_track *track, bool kernels, struct tally *tallies)
{
    static const char *const directions[] = {"", "h2d", "d2h", "d2d", "memset", "p2p"};
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

static void put_tallies(struct gsim_output *json, const struct tally *tallies, size_t names, bool kernels)
{
    double whole = 0;
    for (size_t i = 0; i < names; i++) whole += tallies[i].total;
    gsim_output_put(json, ",\n%q: {'names': %z, 'total_us': %r, 'rows': [", kernels ? "kernels" : "transfers", names,
                    whole);
    for (size_t i = 0; i < names && i < MAX_KERNELS; i++) {
        const struct tally *t = &tallies[i];
        gsim_output_put(json, "%s[%q, %z, %r, %r, %r, %r]", i ? ",\n" : "", t->name, t->count, t->total, t->shortest,
                        t->longest, t->bytes);
    }
    gsim_output_text(json, "]}");
}

/* --- the timeline --- */
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
    gsim_output_text(&page->own.json, ",\n\"blocks\": [");
    enum gsim_status status = gsim_page_draw(page, &figure, error);
    gsim_output_text(&page->own.json, "]");
    return status;
}

enum gsim_status gsim_page_run(struct gsim_page *page, const struct gsim_frame *frame, struct gsim_track *track,
                               struct gsim_error *error)
{
    bool is_shared = *gsim_frame_text(gsim_frame_find(frame, "share"), 0);
    struct gsim_output *json = &page->own.json;
    gsim_output_text(json, ",\n\"row\": {");
    for (size_t i = 0; i < frame->column_count; i++)
        gsim_output_put(json, "%s%q: %q", i ? ", " : "", frame->columns[i].name,
                        gsim_frame_text(&frame->columns[i], 0));
    gsim_output_text(json, "},\n\"settings\": [");
    const char *comma = "";
    for (size_t i = 0; i < frame->column_count; i++) {
        if (!gsim_frame_is_setting(frame->columns[i].name)) continue;
        gsim_output_put(json, "%s%q", comma, frame->columns[i].name);
        comma = ", ";
    }
    gsim_output_text(json, "],\n\"causes\": {");
    for (int i = 0; i < GSIM_BOTTLENECK_COUNT; i++)
        gsim_output_put(json, "%s%q: %q", i ? ", " : "", gsim_bottleneck_key((enum gsim_bottleneck)i),
                        gsim_bottleneck_name((enum gsim_bottleneck)i));
    gsim_output_text(json, "}");
    enum gsim_status status = put_lists(&page->own.json, page->source, is_shared, error);
    if (status == GSIM_OK) {
        struct tally *tallies = gsim_arena_alloc(&page->arena, sizeof *tallies * (track->span_count + 1));
        for (int kernels = 1; tallies && kernels >= 0; kernels--) {
            size_t names = tally(page, track, kernels, tallies);
            put_tallies(&page->own.json, tallies, names, kernels);
        }
    }
    return status == GSIM_OK ? put_timeline(page, track, error) : status;
}
