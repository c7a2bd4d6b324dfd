/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in the text the ops of the program come from: see source/read/log.h. */
#include "source/read/log.h"

#include <stdio.h>
#include <string.h>

#include "gpusim/memory.h"
#include "source/read/source.h"

void gsim_cuda_log_release(struct gsim_cuda_log *log)
{
    void *arrays[] = {log->text, log->sites, log->steps, log->nodes, log->pointers};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) gsim_free(arrays[i]);
    *log = (struct gsim_cuda_log){0};
}

uint32_t gsim_cuda_outermost(const struct gsim_cuda_log *log, uint32_t node)
{
    uint32_t found = GSIM_CUDA_NONE;
    for (; node != GSIM_CUDA_NONE && log->nodes[node].parent != GSIM_CUDA_NONE; node = log->nodes[node].parent)
        if (log->nodes[node].from != GSIM_CUDA_NONE && log->nodes[log->nodes[node].parent].from != GSIM_CUDA_NONE)
            found = node;
    return found;
}

/* --- places --- */
/* In the file, past macros; false: it is in another file. */
static bool range_of(struct gsim_cu *s, CXCursor cursor, uint32_t *from, uint32_t *to)
{
    CXSourceRange range = s->clang.getCursorExtent(cursor);
    CXFile begin_file = NULL, end_file = NULL;
    unsigned begin = 0, end = 0;
    s->clang.getSpellingLocation(s->clang.getRangeStart(range), &begin_file, NULL, NULL, &begin);
    s->clang.getSpellingLocation(s->clang.getRangeEnd(range), &end_file, NULL, NULL, &end);
    *from = *to = GSIM_CUDA_NONE;
    if (begin_file != s->file || end_file != s->file || end <= begin) return false;
    *from = begin;
    *to = end;
    if (!s->text.spans) return true;
    if (end > s->text.span_count) return false;
    *from = s->text.spans[begin].begin;
    *to = s->text.spans[end - 1].end;
    return true;
}

/* --- what is being executed --- */
void gsim_cu_enter(struct gsim_cu *s, CXCursor statement)
{
    if (!s->options->log || s->host.in_kernel) return;
    if (s->text.entry_count < GSIM_CU_ENTRIES) {
        struct gsim_cu_entry *entry = &s->text.entries[s->text.entry_count];
        *entry = (struct gsim_cu_entry){
            .statement = statement, .node = GSIM_CUDA_NONE, .is_in_plain_loop = s->host.plain_loops > 0};
        (void)range_of(s, statement, &entry->from, &entry->to);
    }
    s->text.entry_count++;
}

void gsim_cu_leave(struct gsim_cu *s)
{
    if (s->options->log && !s->host.in_kernel) s->text.entry_count--;
}

static uint32_t entries(const struct gsim_cu *s)
{
    return s->text.entry_count < GSIM_CU_ENTRIES ? s->text.entry_count : GSIM_CU_ENTRIES;
}

/* The cell of a function's body: set where code that is not read calls it, too. */
static uint32_t unread_cell(struct gsim_cu *s, CXCursor body)
{
    return gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("unread")), s->clang.hashCursor(body));
}

static uint32_t add_node(struct gsim_cu *s, uint32_t parent, const struct gsim_cu_entry *entry)
{
    struct gsim_cuda_log *log = s->options->log;
    enum CXCursorKind kind = s->clang.getCursorKind(entry->statement);
    log->failed |= gsim_array_grow(&log->nodes, sizeof *log->nodes, log->node_count, &log->node_room) != 0;
    if (log->failed) return GSIM_CUDA_NONE;
    log->nodes[log->node_count] =
        (struct gsim_cuda_scope){.parent = parent,
                                 .from = entry->from,
                                 .to = entry->to,
                                 .is_block = kind == CXCursor_CompoundStmt,
                                 .is_serial = gsim_cu_is_set(s, unread_cell(s, entry->statement)),
                                 .is_loop = kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt ||
                                            kind == CXCursor_DoStmt || kind == CXCursor_CXXForRangeStmt};
    return (uint32_t)log->node_count++;
}

/* Of the entry AT, with those around it. */
static uint32_t node_of(struct gsim_cu *s, uint32_t at)
{
    uint32_t parent = GSIM_CUDA_NONE;
    for (uint32_t i = 0; i <= at && !s->options->log->failed; i++) {
        if (s->text.entries[i].node == GSIM_CUDA_NONE)
            s->text.entries[i].node = add_node(s, parent, &s->text.entries[i]);
        parent = s->text.entries[i].node;
    }
    return parent;
}

void gsim_cu_log_serial(struct gsim_cu *s, uint32_t entry)
{
    if (!s->options->log || s->host.in_kernel || !entries(s)) return;
    uint32_t node = node_of(s, entry < entries(s) ? entry : entries(s) - 1);
    if (node != GSIM_CUDA_NONE) s->options->log->nodes[node].is_serial = true;
}

static enum CXChildVisitResult find_unread(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    struct gsim_cu *s = data;
    struct gsim_cuda_log *log = s->options->log;
    uint32_t from, to;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    if (kind != CXCursor_CallExpr && kind != CXCursor_DeclRefExpr) return CXChildVisit_Recurse;
    CXCursor function = gsim_cu_function(s, cursor);
    if (s->clang.Cursor_isNull(function) ||
        s->clang.Location_isInSystemHeader(s->clang.getCursorLocation(function)))
        return CXChildVisit_Recurse;
    CXCursor body = gsim_cu_body(s, function);
    uint32_t cell = body.kind == CXCursor_InvalidFile ? GSIM_CU_NONE : unread_cell(s, body);
    if (cell == GSIM_CU_NONE || gsim_cu_is_set(s, cell) || !gsim_cu_has_calls(s, body)) return CXChildVisit_Recurse;
    gsim_cu_store(s, cell, gsim_cu_number(1));
    (void)range_of(s, body, &from, &to);
    for (size_t i = 0; i < log->node_count; i++)
        log->nodes[i].is_serial |= log->nodes[i].from == from && log->nodes[i].to == to && log->nodes[i].is_block;
    s->clang.visitChildren(body, find_unread, s);
    return CXChildVisit_Recurse;
}

void gsim_cu_log_unread(struct gsim_cu *s, CXCursor statement)
{
    if (s->options->log) s->clang.visitChildren(statement, find_unread, s);
}

void gsim_cu_log_return(struct gsim_cu *s, uint32_t body)
{
    bool is_in_loop = false;
    if (!s->options->log || s->host.in_kernel || body >= entries(s)) return;
    for (uint32_t i = body; i < entries(s); i++) {
        enum CXCursorKind kind = s->clang.getCursorKind(s->text.entries[i].statement);
        is_in_loop |= kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt ||
                      kind == CXCursor_CXXForRangeStmt;
    }
    uint32_t node = is_in_loop ? GSIM_CUDA_NONE : node_of(s, body);
    if (is_in_loop) gsim_cu_log_serial(s, body);
    else if (node != GSIM_CUDA_NONE) s->options->log->nodes[node].may_end = true;
}

/* A block whose brace stands in a macro's body. */
static bool is_of_macro(const struct gsim_cu *s, const struct gsim_cu_entry *entry)
{
    const struct gsim_cuda_log *log = s->options->log;
    return s->clang.getCursorKind(entry->statement) == CXCursor_CompoundStmt && entry->from < log->length &&
           log->text[entry->from] != '{';
}

/* The entry beside which others can be put: outside of loops that compute, and of what one macro wrote. */
static uint32_t anchor(const struct gsim_cu *s)
{
    uint32_t at = entries(s) - 1;
    while (at && (s->text.entries[at].is_in_plain_loop || s->text.entries[at].from == GSIM_CUDA_NONE)) at--;
    while (at && (s->text.entries[at - 1].from == s->text.entries[at].from || is_of_macro(s, &s->text.entries[at - 1])))
        at--;
    return at;
}

/* --- sites and steps --- */
static const char *why_kept(struct gsim_cu *s, const struct gsim_cuda_site *site)
{
    const struct gsim_cuda_log *log = s->options->log;
    size_t name = strlen(site->name), left = log->length > site->begin ? log->length - site->begin : 0;
    if (site->from == GSIM_CUDA_NONE || site->begin == GSIM_CUDA_NONE) return "it stands in another file";
    if (site->kind == GSIM_CUDA_USE || site->kind == GSIM_CUDA_END || site->kind == GSIM_CUDA_BARRIER ||
        site->kind == GSIM_CUDA_CUT)
        return NULL;
    if (site->kind == GSIM_CUDA_LAUNCH) {
        for (uint32_t i = site->begin; i + 3 < site->end && i + 3 < log->length; i++)
            if (strncmp(log->text + i, "<<<", 3) == 0) return NULL;
        return "it is launched within a macro";
    }
    return left < name || strncmp(log->text + site->begin, site->name, name) != 0 ? "it is called within a macro"
                                                                                  : NULL;
}

static uint32_t add_site(struct gsim_cu *s, struct gsim_cuda_site *site)
{
    struct gsim_cuda_log *log = s->options->log;
    for (size_t i = log->site_count; i-- > 0;) {
        const struct gsim_cuda_site *o = &log->sites[i];
        if (o->begin == site->begin && o->end == site->end && o->kind == site->kind && o->line == site->line)
            return (uint32_t)i;
    }
    site->keep_reason = why_kept(s, site);
    log->failed |= !GSIM_APPEND(log->sites, log->site_count, log->site_room, *site);
    return log->failed ? GSIM_CUDA_NONE : (uint32_t)log->site_count - 1;
}

static uint32_t add_step(struct gsim_cu *s, struct gsim_cuda_site *site, struct gsim_cuda_step step)
{
    struct gsim_cuda_log *log = s->options->log;
    step.site = add_site(s, site);
    log->failed |= !GSIM_APPEND(log->steps, log->step_count, log->step_room, step);
    if (log->failed) return GSIM_CUDA_NONE;
    log->sites[step.site].executions++;
    return (uint32_t)log->step_count - 1;
}

uint32_t gsim_cu_log(struct gsim_cu *s, enum gsim_cuda_step_kind kind, CXCursor at, const char *name, uint32_t op)
{
    struct gsim_cuda_log *log = s->options->log;
    if (!log || log->failed || !entries(s)) return GSIM_CUDA_NONE;
    uint32_t own = anchor(s);
    struct gsim_cuda_site site = {.kind = kind,
                                  .line = gsim_cu_line(s, kind == GSIM_CUDA_USE ? s->text.entries[own].statement : at)};
    snprintf(site.name, sizeof site.name, "%.*s", GSIM_CUDA_NAME, name);
    if (kind == GSIM_CUDA_USE && s->text.entries[own].from == GSIM_CUDA_NONE) { /* in another file */
        gsim_cu_log_last(s, op);
        return GSIM_CUDA_NONE;
    }
    site.from = s->text.entries[own].from;
    site.to = s->text.entries[own].to;
    site.is_braced = own && s->clang.getCursorKind(s->text.entries[own - 1].statement) == CXCursor_CompoundStmt;
    if (kind == GSIM_CUDA_USE || kind == GSIM_CUDA_END) {
        site.begin = site.from;
        site.end = site.to;
    } else {
        (void)range_of(s, at, &site.begin, &site.end);
    }
    struct gsim_cuda_step step = {.op = op, .node = node_of(s, own), .values = s->text.call_values};
    uint32_t index = add_step(s, &site, step);
    if (log->failed) return GSIM_CUDA_NONE;
    if (kind == GSIM_CUDA_USE && log->nodes[step.node].is_loop && !s->text.entries[entries(s) - 1].is_in_plain_loop &&
        own + 1 == entries(s) && gsim_cu_has_calls(s, s->text.entries[own].statement))
        log->nodes[step.node].is_serial = true; /* in a loop's head: before every round */
    return index;
}

void gsim_cu_log_end(struct gsim_cu *s, uint32_t node, uint32_t line, uint32_t op)
{
    struct gsim_cuda_log *log = s->options->log;
    if (!log || log->failed || node == GSIM_CUDA_NONE) return;
    const struct gsim_cuda_scope *n = &log->nodes[node];
    struct gsim_cuda_site site = {
        .kind = GSIM_CUDA_END, .begin = n->from, .end = n->to, .from = n->from, .to = n->to, .line = line};
    site.is_braced = n->parent != GSIM_CUDA_NONE && log->nodes[n->parent].is_block;
    (void)add_step(s, &site, (struct gsim_cuda_step){.op = op, .node = node});
}

void gsim_cu_log_last(struct gsim_cu *s, uint32_t op)
{
    const struct gsim_cuda_log *log = s->options->log;
    for (size_t i = log && !log->failed ? log->step_count : 0; i-- > 0;) {
        uint32_t node = log->steps[i].op == GSIM_CUDA_NONE ? GSIM_CUDA_NONE
                                                           : gsim_cuda_outermost(log, log->steps[i].node);
        if (node == GSIM_CUDA_NONE) continue;
        gsim_cu_log_end(s, node, log->sites[log->steps[i].site].line, op);
        return;
    }
}

void gsim_cu_log_pointer(struct gsim_cu *s, uint32_t step, CXCursor argument, uint32_t buffer)
{
    struct gsim_cuda_log *log = s->options->log;
    struct gsim_cuda_pointer pointer = {.step = step, .buffer = buffer};
    if (!log || step == GSIM_CUDA_NONE || !range_of(s, argument, &pointer.begin, &pointer.end)) return;
    log->failed |= !GSIM_APPEND(log->pointers, log->pointer_count, log->pointer_room, pointer);
}

/* What may end early is executed up to there; then behind it no order may count on the rest. */
static void judge_returns(struct gsim_cuda_log *log)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < log->step_count; i++) {
        enum gsim_cuda_step_kind kind = log->sites[log->steps[i].site].kind;
        for (uint32_t n = log->steps[i].node; n != GSIM_CUDA_NONE; n = log->nodes[n].parent)
            log->nodes[n].last_step = i;
        bool counts = kind == GSIM_CUDA_END || kind == GSIM_CUDA_USE ? log->steps[i].op != GSIM_CUDA_NONE
                                                                     : kind <= GSIM_CUDA_CALL;
        if (counts) last = i;
    }
    for (size_t n = 0; n < log->node_count; n++)
        log->nodes[n].is_serial |= log->nodes[n].may_end && log->nodes[n].last_step < last;
}

/* --- the file --- */
struct first {
    struct gsim_cu *s;
    uint32_t site, found;
};

static enum CXChildVisitResult find_first(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    struct first *first = data;
    uint32_t from, to;
    if (range_of(first->s, cursor, &from, &to) && from <= first->site && first->site < to) first->found = from;
    return CXChildVisit_Continue;
}

void gsim_cu_log_done(struct gsim_cu *s)
{
    struct gsim_cuda_log *log = s->options->log;
    struct first first = {.s = s, .site = GSIM_CUDA_NONE};
    if (!log) return;
    judge_returns(log);
    for (size_t i = 0; i < log->site_count; i++)
        if (log->sites[i].from < first.site) first.site = log->sites[i].from;
    for (size_t i = 0; i < log->node_count; i++) /* streams may be made in a function above */
        if (log->nodes[i].from < first.site) first.site = log->nodes[i].from;
    s->clang.visitChildren(s->clang.getTranslationUnitCursor(s->unit), find_first, &first);
    log->first_use = first.found;
    for (size_t i = 0; i < s->memory.region_count; i++)
        log->has_managed |= s->memory.regions[i].memory == GSIM_CU_MANAGED;
    if (log->failed && s->status == GSIM_OK) s->status = gsim_no_memory(s->error);
}
