/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/page/page.h: the page's JSON, but for single runs and results (plots/page/page_run.c,
 * page_results.c, page_db.c).
 */
#include "plots/page/page.h"

#include <stdlib.h>

#include "plots/shares.h"
#include "sim/base/gz.h"
#include "sim/base/json.h"

#define PLACE "GPUSIM_JSON" /* in page.html: of the JSON */

static const char html[] = {
#include "plots/page/page.inc"
    0};

enum gsim_status gsim_page_begin(struct gsim_page *page, struct gsim_error *error)
{
    page->own.comma = "";
    enum gsim_status status = gsim_output_open_memory(&page->own.json, &page->own.text, &page->own.length, error);
    if (status == GSIM_OK)
        gsim_output_put(&page->own.json, "{'version': %q, 'command': %q, 'source': %q", GPUSIM_VERSION, page->command,
                        page->source);
    return status;
}

/* In HTML no string of JSON may look like the end of the element that holds it. */
enum gsim_status gsim_page_end(struct gsim_page *page, struct gsim_output *output, struct gsim_error *error)
{
    const char *place = strstr(html, PLACE), *text;
    gsim_output_text(&page->own.json, "}");
    enum gsim_status status = gsim_output_commit(&page->own.json, error);
    if (status != GSIM_OK) return status;
    gsim_output_bytes(output, html, (size_t)(place - html));
    for (text = page->own.text; *text; text += *text == '<') {
        size_t plain = strcspn(text, "<");
        gsim_output_bytes(output, text, plain);
        text += plain;
        if (*text) gsim_output_text(output, "\\u003c");
    }
    gsim_output_text(output, place + strlen(PLACE));
    return GSIM_OK;
}

void gsim_page_release(struct gsim_page *page)
{
    gsim_output_release(&page->own.json);
    free(page->own.text);
    gsim_arena_release(&page->arena);
}

/* --- blocks --- */
static void begin_block(struct gsim_page *page, const char *kind)
{
    gsim_output_put(&page->own.json, "%s\n[%q, ", page->own.comma, kind);
    page->own.comma = ",";
}

void gsim_page_block(struct gsim_page *page, const char *kind, const char *text)
{
    begin_block(page, kind);
    gsim_output_put(&page->own.json, "%q]", text ? text : "");
}

void gsim_page_table(struct gsim_page *page, const char *const *heads, size_t count)
{
    begin_block(page, "table");
    for (size_t i = 0; i < count; i++) gsim_output_put(&page->own.json, "%s%q", i ? ", " : "[", heads[i]);
    gsim_output_text(&page->own.json, "], [");
    page->own.columns = count;
    page->own.cells = 0;
}

void gsim_page_cell(struct gsim_page *page, const char *text)
{
    size_t cell = page->own.cells++;
    gsim_output_put(&page->own.json, "%s%q", cell % page->own.columns ? ", " : cell ? "],\n[" : "\n[",
                    text ? text : "");
}

void gsim_page_table_end(struct gsim_page *page) { gsim_output_text(&page->own.json, page->own.cells ? "]]]" : "]]"); }

enum gsim_status gsim_page_draw(struct gsim_page *page, const struct gsim_page_figure *what, struct gsim_error *error)
{
    char *data = NULL;
    size_t length;
    struct gsim_figure figure = {.name = what->name,
                                 .path = "",
                                 .size = {.width_cm = what->width_cm, .font_pt = GSIM_FIGURE_FONT_PT}};
    enum gsim_status status = gsim_output_open_memory(&figure.data, &data, &length, error);
    if (status == GSIM_OK) status = what->plot(what->context, &figure, error);
    if (status == GSIM_OK) status = gsim_output_commit(&figure.data, error);
    const char *settings = gsim_figure_settings(&figure);
    if (status == GSIM_OK) {
        page->figure_count++;
        begin_block(page, "figure");
        gsim_output_put(&page->own.json, "{'name': %q, 'caption': %q, 'command': %q, 'settings': %q, 'data': %q}]",
                        what->name, what->caption, what->command, settings, data);
    }
    gsim_output_release(&figure.data);
    gsim_figure_release(&figure);
    free(data);
    return status;
}

/* --- reports --- */
bool gsim_page_is_report(const char *path)
{
    char head[256];
    return gsim_gz_head(path, head, sizeof head) &&
           (strstr(head, "\"gpusim-whatif") || strstr(head, "\"gpusim-explain") ||
            strstr(head, "\"gpusim-answer/") ||
            strstr(head, "\"gpusim-serving-report/") || strstr(head, "\"gpusim-share-comparison/"));
}

enum gsim_status gsim_page_report(struct gsim_page *page, const char *path, struct gsim_error *error)
{
    struct gsim_shared_runs runs = {0};
    cJSON *json = gsim_json_read(path, error);
    if (!json) return gsim_error_prefix(error, "cannot read '%s'", path);
    enum gsim_status status = cJSON_GetObjectItem(json, "ways") ? gsim_shared_runs_read(&runs, path, error) : GSIM_OK;
    cJSON_DeleteItemFromObject(json, "stretches"); /* spans of explain, steps of a server: what pages do not show */
    cJSON_DeleteItemFromObject(json, "steps");
    char *text = status == GSIM_OK ? cJSON_PrintUnformatted(json) : NULL;
    if (text) gsim_output_put(&page->own.json, ", 'report': %s", text);
    cJSON_free(text);
    gsim_shared_runs_release(&runs);
    gsim_json_release(json);
    return status;
}
