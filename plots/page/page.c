/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/page/page.h: HTML itself. What stands in it: plots/page/page_run.c, page_results.c,
 * page_db.c.
 */
#include "plots/page/page.h"
#include "sim/base/text.h"

#include "sim/base/scratch.h"
#include "sim/program/file.h"

#define MOST_PLAIN 16 /* letters of a cell of text that needs no width of its own */
#define MOST_NAME  64 /* of a name; longer ones are cut in the middle */

static const char style[] =
    "body{font:15px/1.45 "
    "system-ui,Helvetica,Arial,sans-serif;color:#1b1b1b;background:#fff;max-width:60rem;margin:2rem "
    "auto;padding:0 1.25rem}\n"
    "h1{font-size:1.6rem;margin:0 0 .2rem}h2{font-size:1.15rem;margin:2.2rem 0 .6rem;border-bottom:1px solid "
    "#ccc;padding-bottom:.2rem}\n"
    "h3{font-size:1rem;margin:1.2rem 0 .3rem}\n"
    ".sub{color:#555;margin:0 0 1rem}\n"
    "table{border-collapse:collapse;margin:.6rem 0;font-size:.9rem}th,td{padding:.22rem .7rem;text-align:left;"
    "vertical-align:top}\n"
    "th{border-bottom:1.5px solid #444;font-weight:600}td{border-bottom:1px solid "
    "#e4e4e4}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    /* Long texts wrap, also within a word, before they push numbers out of sight; short ones beside them keep some
       width. */
    "td.t{min-width:9rem;overflow-wrap:anywhere}"
    ".wide{overflow-x:auto}pre{background:#f4f4f2;padding:.6rem .8rem;overflow-x:auto;font-size:.85rem;white-space:"
    "pre-wrap;word-break:break-word}\n"
    "figure{margin:1.2rem 0}figure svg{max-width:100%;height:auto;display:block}figcaption{color:#333;font-size:.9rem;"
    "margin-top:.3rem}\n"
    "details{margin:.6rem 0}summary{cursor:pointer}footer{margin-top:3rem;color:#555;font-size:.85rem;border-top:1px "
    "solid #ccc;padding-top:.5rem}\n"
    /* On a telephone tables and pictures scroll in their own boxes; what a row is of stays in sight. */
    "@media(max-width:40rem){body{margin:1rem auto;padding:0 .8rem}table{font-size:.82rem}th,td{padding:.22rem "
    ".45rem}.wide th:first-child,.wide td:first-child{position:sticky;left:0;background:#fff}.wide "
    "td:first-child{max-width:11rem;overflow-wrap:break-word}.picture{overflow-x:auto}figure .picture "
    "svg{max-width:none}}\n"
    "@media print{body{margin:0;max-width:none}details{display:none}figure,table{break-inside:avoid}}\n";

void gsim_page_text(struct gsim_page *page, const char *text)
{
    size_t left = strlen(text), length;
    for (; left; text += length, left -= length) {
        bool is_odd = gsim_text_is_control(text, left, &length) && *text != '\n' && *text != '\t';
        switch (is_odd ? '?' : *text) {
        case '?':
            gsim_output_text(page->output, "?");
            break;
        case '&':
            gsim_output_text(page->output, "&amp;");
            break;
        case '<':
            gsim_output_text(page->output, "&lt;");
            break;
        case '>':
            gsim_output_text(page->output, "&gt;");
            break;
        case '"':
            gsim_output_text(page->output, "&quot;");
            break;
        default:
            gsim_output_bytes(page->output, text, length);
        }
    }
}

void gsim_page_begin(struct gsim_page *page, const char *title, const char *subtitle)
{
    gsim_output_text(page->output, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    gsim_page_text(page, title);
    gsim_output_text(page->output, "</title>\n<style>\n");
    gsim_output_text(page->output, style);
    gsim_output_text(page->output, "</style>\n</head>\n<body>\n<h1>");
    gsim_page_text(page, title);
    gsim_output_text(page->output, "</h1>\n<p class=\"sub\">");
    gsim_page_text(page, subtitle);
    gsim_output_text(page->output, "</p>\n");
}

void gsim_page_end(struct gsim_page *page)
{
    if (page->missing) {
        gsim_output_text(page->output, "<p>Figures are missing: ");
        gsim_page_text(page, page->missing);
        gsim_output_text(page->output, "</p>\n");
    }
    gsim_output_text(page->output, "<footer>Written by gpusim " GPUSIM_VERSION ": <code>");
    gsim_page_text(page, page->command);
    gsim_output_text(page->output, "</code>. Times are simulated, not measured.</footer>\n</body>\n</html>\n");
}

void gsim_page_section(struct gsim_page *page, const char *title)
{
    gsim_output_text(page->output, "<h2>");
    gsim_page_text(page, title);
    gsim_output_text(page->output, "</h2>\n");
}

void gsim_page_command(struct gsim_page *page, const char *command)
{
    gsim_output_text(page->output, "<pre>");
    gsim_page_text(page, command);
    gsim_output_text(page->output, "</pre>\n");
}

/* --- tables --- */
void gsim_page_table(struct gsim_page *page, const char *const *heads, size_t count)
{
    page->column = 0;
    page->numbers = 0;
    gsim_output_text(page->output, "<div class=\"wide\"><table>\n<tr>");
    for (size_t i = 0; i < count; i++) {
        bool numbers = heads[i][0] && heads[i][strlen(heads[i]) - 1] == ' ';
        if (numbers && i < 64) page->numbers |= 1ULL << i;
        gsim_output_text(page->output, numbers ? "<th class=\"n\">" : "<th>");
        gsim_page_text(page, heads[i]);
        gsim_output_text(page->output, "</th>");
    }
    gsim_output_text(page->output, "</tr>\n<tr>");
}

void gsim_page_cell(struct gsim_page *page, const char *text)
{
    bool is_number = page->column < 64 && page->numbers >> page->column & 1;
    page->column++;
    gsim_output_text(page->output, is_number                   ? "<td class=\"n\">"
                                   : strlen(text) > MOST_PLAIN ? "<td class=\"t\">"
                                                               : "<td>");
    gsim_page_text(page, text);
    gsim_output_text(page->output, "</td>");
}

void gsim_page_name(struct gsim_page *page, const char *name)
{
    char text[MOST_NAME + 1];
    if (strlen(name) <= MOST_NAME) {
        gsim_page_cell(page, name);
        return;
    }
    page->column++;
    gsim_output_text(page->output, "<td class=\"t\" title=\"");
    gsim_page_text(page, name);
    gsim_output_text(page->output, "\">");
    gsim_page_text(page, gsim_text_fit(text, sizeof text, name, MOST_NAME));
    gsim_output_text(page->output, "</td>");
}

void gsim_page_row_end(struct gsim_page *page)
{
    page->column = 0;
    gsim_output_text(page->output, "</tr>\n<tr>");
}

void gsim_page_table_end(struct gsim_page *page) { gsim_output_text(page->output, "</tr></table></div>\n"); }

/* --- pictures ---------------------------------------------------------------------------------------------------- */
/* gnuplot's words for a reader's pointer: a script's that is not there. The text stays. */
static const char tip_begin[] = "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'";
static const char tip_end[] = "')\" onmouseout=\"gnuplot_svg.hideHypertext()\"><title> </title>";

static const char *put_tip(struct gsim_page *page, const char *text)
{
    const char *end = strstr(text, tip_end);
    if (!end) return text;
    gsim_output_text(page->output, "<g><title>");
    for (; text < end; text++) {
        bool is_entity = *text == '&' && strspn(text + 1, "abcdefghijklmnopqrstuvwxyz#0123456789") &&
                         text[1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz#0123456789")] == ';';
        if (*text == '<' || *text == '>' || (*text == '&' && !is_entity))
            gsim_output_text(page->output, *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;");
        else
            gsim_output_bytes(page->output, text, 1);
    }
    gsim_output_text(page->output, "</title>");
    return end + strlen(tip_end);
}

/* What gnuplot tells of itself: what it plotted from which columns, its name. Behind the element, or AT. */
static const char *skip_element(const char *at, const char *name)
{
    char begin[16], end[16];
    snprintf(begin, sizeof begin, "<%s>", name);
    snprintf(end, sizeof end, "</%s>", name);
    const char *found = strncmp(at, begin, strlen(begin)) == 0 ? strstr(at, end) : NULL;
    return found ? found + strlen(end) : at;
}

/* Copies an SVG element; what follows an id or a reference to one gets the picture's number. */
static void put_svg(struct gsim_page *page, const char *svg, const char *caption)
{
    static const char *const places[] = {" id=\"", " id='", "url(#", "href=\"#", "href='#"};
    if (*svg) {
        gsim_output_text(page->output, "<svg role=\"img\" aria-label=\"");
        gsim_page_text(page, caption);
        gsim_output_text(page->output, "\"");
        svg += strlen("<svg");
    }
    for (const char *at = svg; *at;) {
        size_t length = 0;
        const char *behind = *at == '<' ? skip_element(skip_element(at, "title"), "desc") : at;
        if (strncmp(at, tip_begin, sizeof tip_begin - 1) == 0) behind = put_tip(page, at + sizeof tip_begin - 1);
        if (behind != at) {
            at = behind;
            continue;
        }
        for (size_t i = 0; i < sizeof places / sizeof places[0] && !length; i++)
            if (strncmp(at, places[i], strlen(places[i])) == 0) length = strlen(places[i]);
        gsim_output_bytes(page->output, at, length ? length : 1);
        if (length) gsim_output_printf(page->output, "f%zu-", page->figure_count);
        at += length ? length : 1;
    }
}

static enum gsim_status put_picture(struct gsim_page *page, const struct gsim_page_figure *what, const char *path,
                                    struct gsim_error *error)
{
    size_t length = 0;
    char *text = gsim_file_read(path, &length, error);
    if (!text) return gsim_error_prefix(error, "cannot read '%s'", path);
    const char *svg = strstr(text, "<svg");
    page->figure_count++;
    gsim_output_text(page->output, "<figure>\n<div class=\"picture\">");
    put_svg(page, svg ? svg : "", what->caption);
    gsim_output_printf(page->output, "</div>\n<figcaption>Figure %zu. ", page->figure_count);
    gsim_page_text(page, what->caption);
    gsim_output_text(page->output, "</figcaption>\n");
    if (what->command) gsim_page_command(page, what->command);
    gsim_output_text(page->output, "</figure>\n");
    gsim_free(text);
    return GSIM_OK;
}

enum gsim_status gsim_page_draw(struct gsim_page *page, const struct gsim_page_figure *what, struct gsim_error *error)
{
    const char *folder;
    enum gsim_status status = gsim_scratch_folder(&page->arena, &folder, error);
    if (status != GSIM_OK) return status;
    const char *path = gsim_arena_printf(&page->arena, "%s/picture.svg", folder);
    struct gsim_figure figure = {.name = what->name,
                                 .path = path,
                                 .has_tips = true,
                                 .size = {.width_cm = what->width_cm, .font_pt = GSIM_FIGURE_FONT_PT}};
    if (!path) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (status == GSIM_OK) status = gsim_figure_open(&figure, error);
    if (status == GSIM_OK) status = what->plot(what->context, &figure, error);
    if (status == GSIM_OK) status = gsim_figure_finish(&figure, error);
    if (status == GSIM_OK) {
        status = put_picture(page, what, path, error);
    } else if (status == GSIM_IO) { /* no gnuplot: the page has its tables */
        page->missing = gsim_arena_strdup(&page->arena, error->message);
        status = GSIM_OK;
    }
    gsim_figure_release(&figure);
    gsim_scratch_remove(folder);
    return status;
}
