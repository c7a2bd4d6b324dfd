/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/write/edit.h. */
#include "source/write/edit.h"

#include <stdarg.h>
#include <stdlib.h>

#include "gpusim/memory.h"
#include "gpusim/order.h"

#define AROUND 3 /* lines */

void gsim_text_edits_add(struct gsim_text_edits *e, uint32_t from, uint32_t to, uint32_t rank, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : gsim_alloc((size_t)length + 1);
    if (!text || gsim_array_grow(&e->at, sizeof *e->at, e->count, &e->room)) {
        gsim_free(text);
        e->failed = true;
    } else {
        vsnprintf(text, (size_t)length + 1, format, again);
        e->at[e->count] = (struct gsim_text_edit){from, to, rank, e->count, text};
        e->count++;
    }
    va_end(again);
}

GSIM_ORDER(by_place, struct gsim_text_edit, GSIM_UP(from) GSIM_UP(rank) GSIM_UP(number))

void gsim_text_edits_sort(struct gsim_text_edits *e)
{
    if (e->count) qsort(e->at, e->count, sizeof *e->at, by_place);
}

/* From FROM, with the edits from *NEXT on, to before TO; an edit may reach beyond. Returns where it got to. */
static size_t write_part(const struct gsim_text_edits *e, size_t from, size_t to, size_t *next,
                         struct gsim_output *output)
{
    for (; *next < e->count && e->at[*next].from < to; (*next)++) {
        const struct gsim_text_edit *edit = &e->at[*next];
        if (edit->from > from) gsim_output_bytes(output, e->text + from, edit->from - from);
        gsim_output_text(output, edit->text);
        if (edit->from > from) from = edit->from;
        if (edit->to > from) from = edit->to;
    }
    if (from < to) gsim_output_bytes(output, e->text + from, to - from);
    return from < to ? to : from;
}

void gsim_text_edits_write(const struct gsim_text_edits *e, struct gsim_output *output)
{
    size_t next = 0;
    (void)write_part(e, 0, e->length, &next, output);
    for (; next < e->count; next++) gsim_output_text(output, e->at[next].text);
}

/* --- difference --- */
struct change {
    size_t from, to;          /* in the text, whole lines */
    size_t line, line_count;  /* from 0 */
    char *now;                /* what stands there then */
    size_t length, now_lines;
};

static size_t line_end(const struct gsim_text_edits *e, size_t at)
{
    while (at < e->length && e->text[at] != '\n') at++;
    return at < e->length ? at + 1 : at;
}

static size_t count_lines(const char *text, size_t length)
{
    size_t lines = 0;
    for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
    return lines + (length && text[length - 1] != '\n');
}

/* Lines that stay at the begin and at the end of a change are none of it. */
static void trim(const struct gsim_text_edits *e, struct change *c)
{
    while (c->from < c->to && c->length) {
        size_t step = line_end(e, c->from) - c->from;
        if (step > c->length || memcmp(e->text + c->from, c->now, step) != 0) break;
        if (c->now[step - 1] != '\n' && step < c->length) break;
        c->from += step;
        c->line++;
        memmove(c->now, c->now + step, c->length - step);
        c->length -= step;
    }
    while (c->from < c->to && c->length) {
        size_t begin = c->to - 1;
        while (begin > c->from && e->text[begin - 1] != '\n') begin--;
        size_t step = c->to - begin;
        bool is_line = step <= c->length && (step == c->length || c->now[c->length - step - 1] == '\n');
        if (!is_line || memcmp(e->text + begin, c->now + c->length - step, step) != 0) break;
        c->to = begin;
        c->length -= step;
    }
    c->line_count = count_lines(e->text + c->from, c->to - c->from);
    c->now_lines = count_lines(c->now, c->length);
}

static size_t find_changes(const struct gsim_text_edits *e, struct change *changes, struct gsim_error *error)
{
    size_t count = 0, at = 0, line = 0;
    for (size_t next = 0; next < e->count;) {
        struct gsim_output part;
        while (line_end(e, at) > at && line_end(e, at) <= e->at[next].from && e->text[line_end(e, at) - 1] == '\n') {
            at = line_end(e, at);
            line++;
        }
        size_t until = line_end(e, at);
        struct change *c = &changes[count];
        if (gsim_output_open_memory(&part, &c->now, &c->length, error) != GSIM_OK) return count;
        for (size_t from = at;; until = line_end(e, until)) { /* as many lines as the edits touch */
            from = write_part(e, from, until, &next, &part);
            if (from <= until) break;
        }
        if (until == e->length)
            for (; next < e->count; next++) gsim_output_text(&part, e->at[next].text);
        if (gsim_output_commit(&part, error) != GSIM_OK) return count;
        c->from = at;
        c->to = until;
        c->line = line;
        line += count_lines(e->text + at, until - at);
        at = until;
        trim(e, c);
        count += c->from < c->to || c->length;
        if (!(c->from < c->to || c->length)) free(c->now);
    }
    return count;
}

static void put_lines(struct gsim_output *output, char sign, const char *text, size_t length)
{
    for (size_t at = 0, end; at < length; at = end) {
        for (end = at; end < length && text[end] != '\n'; end++) {}
        gsim_output_printf(output, "%c%.*s\n", sign, (int)(end - at), text + at);
        if (end == length) gsim_output_text(output, "\\ No newline at end of file\n");
        end += end < length;
    }
}

static size_t back(const struct gsim_text_edits *e, size_t at, size_t lines, size_t *done)
{
    for (*done = 0; *done < lines && at; (*done)++)
        for (at--; at && e->text[at - 1] != '\n'; at--) {}
    return at;
}

static size_t ahead(const struct gsim_text_edits *e, size_t at, size_t lines, size_t *done)
{
    for (*done = 0; *done < lines && at < e->length; (*done)++) at = line_end(e, at);
    return at;
}

/* The changes from FIRST to before END stand in one hunk. */
static void put_hunk(const struct gsim_text_edits *e, const struct change *c, size_t first, size_t end, long shift,
                     struct gsim_output *output)
{
    size_t before, behind, old_lines, new_lines, at = back(e, c[first].from, AROUND, &before);
    size_t last = ahead(e, c[end - 1].to, AROUND, &behind);
    old_lines = new_lines = count_lines(e->text + at, last - at);
    for (size_t i = first; i < end; i++) new_lines += c[i].now_lines - c[i].line_count;
    size_t line = c[first].line - before;
    gsim_output_printf(output, "@@ -%zu,%zu +%zu,%zu @@\n", line + (old_lines > 0), old_lines,
                       (size_t)((long)line + shift) + (new_lines > 0), new_lines);
    for (size_t i = first; i < end; i++) {
        put_lines(output, ' ', e->text + at, c[i].from - at);
        put_lines(output, '-', e->text + c[i].from, c[i].to - c[i].from);
        put_lines(output, '+', c[i].now, c[i].length);
        at = c[i].to;
    }
    put_lines(output, ' ', e->text + at, last - at);
}

void gsim_text_edits_diff(const struct gsim_text_edits *e, const char *from_name, const char *to_name,
                          struct gsim_output *output)
{
    struct gsim_error ignored = {0};
    struct change *changes = gsim_alloc(sizeof *changes * (e->count + 1));
    size_t count = changes ? find_changes(e, changes, &ignored) : 0;
    long shift = 0;
    output->failed |= !changes;
    for (int i = 0; i < 2 && count; i++) {
        gsim_output_text(output, i ? "+++ " : "--- ");
        gsim_output_quoted(output, GSIM_OUTPUT_PATCH, i ? to_name : from_name);
        gsim_output_text(output, "\n");
    }
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count &&
                          changes[end].line <= changes[end - 1].line + changes[end - 1].line_count + (size_t)2 * AROUND;
             end++) {
        }
        put_hunk(e, changes, i, end, shift, output);
        for (size_t k = i; k < end; k++) shift += (long)changes[k].now_lines - (long)changes[k].line_count;
    }
    for (size_t i = 0; i < count; i++) free(changes[i].now);
    gsim_free(changes);
}

void gsim_text_edits_release(struct gsim_text_edits *e)
{
    for (size_t i = 0; i < e->count; i++) gsim_free(e->at[i].text);
    gsim_free(e->at);
    *e = (struct gsim_text_edits){0};
}
