/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/page/page.h: the reports of gpusim whatif (a table of changes and its tornado) and of gpusim
 * explain (time by cause, streams that could overlap more, the critical path).
 */
#include <math.h>
#include <string.h>

#include "plots/page/page.h"
#include "plots/tornado.h"
#include "sim/base/gz.h"
#include "sim/base/json.h"

#define MOST_PARTS 30
#define MOST_STEPS 24
#define MOST_PAIRS 10
#define MOST_BARS  40

bool gsim_page_is_ask(const char *path)
{
    char head[256];
    return gsim_gz_head(path, head, sizeof head) &&
           (strstr(head, "\"gpusim-whatif/") || strstr(head, "\"gpusim-explain/"));
}

static const char *text_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static double number_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static void put_us(struct gsim_page *page, double us)
{
    char text[32] = "-";
    if (isfinite(us)) snprintf(text, sizeof text, "%.1f", us);
    gsim_page_cell(page, text);
}

static void put_percent(struct gsim_page *page, double percent)
{
    char text[32] = "-";
    if (isfinite(percent)) snprintf(text, sizeof text, "%.1f", percent);
    gsim_page_cell(page, text);
}

/* --- whatif --- */
static enum gsim_status plot_changes(void *context, struct gsim_figure *figure, struct gsim_error *error)
{
    const cJSON *json = context, *change;
    struct gsim_tornado_row rows[MOST_BARS];
    struct gsim_tornado tornado = {.rows = rows, .label = "time saved (%)", .has_errors = true};
    double now = number_of(json, "time_us");
    (void)error;
    cJSON_ArrayForEach(change, cJSON_GetObjectItem(json, "changes"))
    {
        double saved = number_of(change, "saved_percent"), off = 100 * number_of(change, "error_us") / now;
        bool is_together = cJSON_IsTrue(cJSON_GetObjectItem(change, "together"));
        if (!isfinite(saved) || !isfinite(off) || tornado.row_count == MOST_BARS) continue;
        rows[tornado.row_count++] =
            gsim_tornado_saving(&tornado, is_together ? "best together" : text_of(change, "change"), saved, off);
    }
    gsim_tornado_plot(&tornado, figure);
    return GSIM_OK;
}

static enum gsim_status put_changes(struct gsim_page *page, cJSON *json, struct gsim_error *error)
{
    static const char *const heads[] = {"Change",      "Time (us) ", "Saved (us) ",   "Saved (%) ",
                                        "Error (us) ", "Note",       "This run alone"};
    const cJSON *change;
    struct gsim_page_figure figure = {.name = "tornado",
                                      .width_cm = GSIM_FIGURE_PAGE_CM,
                                      .plot = plot_changes,
                                      .context = json,
                                      .caption = "Time saved by each change, with its error."};
    gsim_page_section(page, "What each change is worth");
    enum gsim_status status = gsim_page_draw(page, &figure, error);
    if (status != GSIM_OK) return status;
    gsim_page_table(page, heads, sizeof heads / sizeof heads[0]);
    cJSON_ArrayForEach(change, cJSON_GetObjectItem(json, "changes"))
    {
        gsim_page_name(page, text_of(change, "change"));
        put_us(page, number_of(change, "time_us"));
        put_us(page, number_of(change, "saved_us"));
        put_percent(page, number_of(change, "saved_percent"));
        put_us(page, number_of(change, "error_us"));
        gsim_page_cell(page, text_of(change, "note"));
        gsim_page_cell(page, text_of(change, "command"));
        gsim_page_row_end(page);
    }
    gsim_page_table_end(page);
    return GSIM_OK;
}

/* --- explain --- */
static void put_causes(struct gsim_page *page, const cJSON *json)
{
    static const char *const heads[] = {"The GPU does", "Why no more", "Time (us) ", "Share (%) "};
    const cJSON *part;
    gsim_page_section(page, "Where the time went");
    gsim_page_table(page, heads, sizeof heads / sizeof heads[0]);
    cJSON_ArrayForEach(part, cJSON_GetObjectItem(json, "time"))
    {
        gsim_page_cell(page, text_of(part, "state"));
        gsim_page_cell(page, text_of(part, "text"));
        put_us(page, number_of(part, "time_us"));
        put_percent(page, 100 * number_of(part, "share"));
        gsim_page_row_end(page);
    }
    gsim_page_table_end(page);
}

/* What a step takes without the profiler, and the steps as recorded. */
static void put_steps(struct gsim_page *page, const cJSON *json)
{
    static const char *const heads[] = {"Step", "Time (us) ", "From (us) ", "To (us) ", "What it waited for"};
    const cJSON *step = cJSON_GetObjectItem(json, "step"), *bounds = cJSON_GetObjectItem(step, "interval_us"),
                *recorded, *outlier;
    int number = 0;
    if (!step) return;
    gsim_page_section(page, "A step");
    gsim_page_table(page, heads, sizeof heads / sizeof heads[0]);
    gsim_page_cell(page, "now, without the profiler");
    put_us(page, number_of(step, "us"));
    for (int i = 0; i < 2; i++)
        put_us(page, cJSON_IsNumber(cJSON_GetArrayItem(bounds, i)) ? cJSON_GetArrayItem(bounds, i)->valuedouble : NAN);
    gsim_page_cell(page, "");
    gsim_page_row_end(page);
    cJSON_ArrayForEach(recorded, cJSON_GetObjectItem(step, "recorded_us"))
    {
        char text[48];
        if (number++ == MOST_STEPS) break;
        snprintf(text, sizeof text, "%d of %.0f, as recorded", number, number_of(step, "count"));
        gsim_page_cell(page, text);
        put_us(page, cJSON_IsNumber(recorded) ? recorded->valuedouble : NAN);
        gsim_page_cell(page, "");
        gsim_page_cell(page, "");
        const char *waited = "";
        cJSON_ArrayForEach(outlier,
                           cJSON_GetObjectItem(step, "outliers")) if (cJSON_IsNumber(recorded) &&
                                                                      number_of(outlier, "us") == recorded->valuedouble)
            waited = text_of(outlier, "waited_for");
        gsim_page_cell(page, waited);
        gsim_page_row_end(page);
    }
    gsim_page_table_end(page);
}

/* What is assumed of the GPU, and what the importer noticed. */
static void put_notes(struct gsim_page *page, const cJSON *json)
{
    const cJSON *note, *notes = cJSON_GetObjectItem(json, "notes");
    if (!cJSON_GetArraySize(notes)) return;
    gsim_page_section(page, "Notes");
    gsim_page_table(page, (const char *const[]){"What is assumed, and what the trace lacks"}, 1);
    cJSON_ArrayForEach(note, notes)
    {
        if (!cJSON_IsString(note)) continue;
        gsim_page_cell(page, note->valuestring);
        gsim_page_row_end(page);
    }
    gsim_page_table_end(page);
}

static void put_pairs(struct gsim_page *page, const cJSON *json)
{
    static const char *const heads[] = {"Streams", "At once (us) ", "Could be (us) ",
                                        "Reason",  "Holds (us) ",   "Worth (us) "};
    const cJSON *pair, *reason, *pairs = cJSON_GetObjectItem(json, "pairs");
    int shown = 0;
    if (!cJSON_GetArraySize(pairs)) return;
    gsim_page_section(page, "Streams that could overlap more");
    gsim_page_table(page, heads, sizeof heads / sizeof heads[0]);
    cJSON_ArrayForEach(pair, pairs)
    {
        const cJSON *streams = cJSON_GetObjectItem(pair, "streams");
        if (shown++ == MOST_PAIRS) break;
        cJSON_ArrayForEach(reason, cJSON_GetObjectItem(pair, "reasons"))
        {
            const cJSON *first = cJSON_GetArrayItem(streams, 0), *second = cJSON_GetArrayItem(streams, 1);
            char text[64] = "";
            if (!(number_of(reason, "held_us") > 0)) continue;
            if (cJSON_IsNumber(first) && cJSON_IsNumber(second))
                snprintf(text, sizeof text, "%.0f and %.0f", first->valuedouble, second->valuedouble);
            gsim_page_cell(page, text);
            put_us(page, number_of(pair, "overlap_us"));
            put_us(page, number_of(pair, "apart_us"));
            gsim_page_cell(page, text_of(reason, "text"));
            put_us(page, number_of(reason, "held_us"));
            put_us(page, number_of(reason, "worth_us"));
            gsim_page_row_end(page);
        }
    }
    gsim_page_table_end(page);
}

static void put_path(struct gsim_page *page, const cJSON *json)
{
    static const char *const heads[] = {"What the end waited for", "Times ", "Time (us) ", "Share (%) "};
    const cJSON *part;
    int shown = 0;
    gsim_page_section(page, "Critical path");
    gsim_page_table(page, heads, sizeof heads / sizeof heads[0]);
    cJSON_ArrayForEach(part, cJSON_GetObjectItem(json, "critical_path"))
    {
        char count[32] = "-";
        if (shown++ == MOST_PARTS) break;
        if (isfinite(number_of(part, "count"))) snprintf(count, sizeof count, "%.0f", number_of(part, "count"));
        const char *name = text_of(part, "text");
        const char *known = cJSON_HasObjectItem(part, "limiting_pipe")
                                ? gsim_arena_printf(&page->arena, "%s (%s at %.0f %%)", name,
                                                    text_of(part, "limiting_pipe"), 100 * number_of(part, "pipe_share"))
                                : NULL;
        gsim_page_name(page, known ? known : name);
        gsim_page_cell(page, count);
        put_us(page, number_of(part, "time_us"));
        put_percent(page, 100 * number_of(part, "share"));
        gsim_page_row_end(page);
    }
    gsim_page_table_end(page);
}

enum gsim_status gsim_page_ask(struct gsim_page *page, const char *path, struct gsim_error *error)
{
    cJSON *json = gsim_json_read(path, error);
    if (!json) return gsim_error_prefix(error, "cannot read '%s'", path);
    bool is_whatif = cJSON_GetObjectItem(json, "changes") != NULL;
    double us = number_of(json, is_whatif ? "time_us" : "makespan_us");
    const char *title = gsim_arena_printf(&page->arena, "%s: %s", text_of(json, "program"),
                                          is_whatif ? "what changes are worth" : "where the time went");
    const char *subtitle =
        gsim_arena_printf(&page->arena, "Under %s on %s, %.1f us; gpusim %s; from %s.", text_of(json, "scheduler"),
                          text_of(json, "device"), us, text_of(json, "version"), page->source);
    enum gsim_status status = title && subtitle ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (status == GSIM_OK) {
        gsim_page_begin(page, title, subtitle);
        put_steps(page, json);
        if (is_whatif) {
            status = put_changes(page, json, error);
        } else {
            put_causes(page, json);
            put_pairs(page, json);
            put_path(page, json);
        }
        put_notes(page, json);
        gsim_page_end(page);
    }
    gsim_json_release(json);
    return status;
}
