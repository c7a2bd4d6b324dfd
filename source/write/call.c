/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/write/call.h. */
#include "source/write/call.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "source/read/expand.h"

#define MAX_ARGUMENTS 16
#define MAX_LINE       120

/* Calls of the API that take a stream, or whose twin does: the twin, and which argument the stream is. */
static const struct { const char *name, *now; unsigned stream; } calls[] = {
    {"cudaMemcpy", "cudaMemcpyAsync", 4},         {"cudaMemcpyAsync", "cudaMemcpyAsync", 4},
    {"cudaMemcpy2D", "cudaMemcpy2DAsync", 7},     {"cudaMemcpy2DAsync", "cudaMemcpy2DAsync", 7},
    {"cudaMemset", "cudaMemsetAsync", 3},         {"cudaMemsetAsync", "cudaMemsetAsync", 3},
    {"cudaMemPrefetchAsync", "cudaMemPrefetchAsync", 3}, {"cudaLaunchKernel", "cudaLaunchKernel", 5},
};
#define CALLS (sizeof calls / sizeof calls[0])

struct arguments {
    uint32_t begin[MAX_ARGUMENTS], end[MAX_ARGUMENTS];
    unsigned count;
    uint32_t close; /* where ">>>" or ")" stands */
};

static uint32_t skip(const struct gsim_cuda_log *log, uint32_t at)
{
    return at + (uint32_t)gsim_cu_token(log->text + at, log->length - at);
}

/* From AT, behind the opening, to CLOSE on its level. */
static bool read_arguments(const struct gsim_cuda_log *log, uint32_t at, uint32_t end, const char *close,
                           struct arguments *a)
{
    int depth = 0;
    uint32_t begin = at;
    *a = (struct arguments){0};
    while (at < end && at < log->length) {
        char c = log->text[at];
        bool closes = depth == 0 && strncmp(log->text + at, close, strlen(close)) == 0;
        if ((depth == 0 && c == ',') || closes) {
            if (a->count == MAX_ARGUMENTS) return false;
            a->begin[a->count] = begin;
            a->end[a->count++] = at;
            begin = at + 1;
            a->close = at;
            if (closes) return true;
        }
        if (strchr("([{", c)) depth++;
        if (strchr(")]}", c)) depth--;
        if (depth < 0) return false;
        at = skip(log, at);
    }
    return false;
}

static size_t find_call(const char *name)
{
    size_t i = 0;
    while (i < CALLS && strcmp(calls[i].name, name) != 0) i++;
    return i;
}

/* Of the arguments the stream is number STREAM. */
static bool find_arguments(const struct gsim_cuda_log *log, const struct gsim_cuda_site *site, struct arguments *a,
                           unsigned *stream)
{
    uint32_t at = site->begin;
    if (site->kind == GSIM_CUDA_LAUNCH) {
        while (at < site->end && strncmp(log->text + at, "<<<", 3) != 0) at = skip(log, at);
        *stream = 3;
        return at < site->end && read_arguments(log, at + 3, site->end, ">>>", a) && a->count >= 2 && a->count <= 4;
    }
    size_t call = find_call(site->name);
    if (call == CALLS) return false;
    *stream = calls[call].stream;
    at += (uint32_t)strlen(site->name);
    while (at < site->end && isspace((unsigned char)log->text[at])) at++;
    unsigned least = *stream - (site->kind == GSIM_CUDA_CALL && strcmp(site->name, "cudaLaunchKernel") == 0);
    return at < site->end && log->text[at] == '(' && read_arguments(log, at + 1, site->end, ")", a) &&
           a->count >= least && a->count <= *stream + 1;
}

const char *gsim_call_check(const struct gsim_cuda_log *log, const struct gsim_cuda_site *site)
{
    struct arguments a;
    unsigned stream;
    if (site->keep_reason) return site->keep_reason;
    if (site->kind != GSIM_CUDA_LAUNCH && site->kind != GSIM_CUDA_CALL) return NULL;
    return find_arguments(log, site, &a, &stream) ? NULL
                                                  : "its arguments are written in another way than is known here";
}

void gsim_call_set(const struct gsim_cuda_log *log, const struct gsim_cuda_site *site, const char *stream,
                   struct gsim_text_edits *edits)
{
    struct arguments a;
    unsigned index;
    if (!find_arguments(log, site, &a, &index)) return;
    if (site->kind == GSIM_CUDA_CALL) {
        const char *now = calls[find_call(site->name)].now;
        if (strcmp(now, site->name) != 0)
            gsim_text_edits_add(edits, site->begin, site->begin + (uint32_t)strlen(site->name), 5, "%s", now);
    }
    /* a line that would be too long goes on in the next */
    char indent[64], broken[80];
    uint32_t begin_of_line = site->begin, end_of_line = begin_of_line;
    while (begin_of_line && log->text[begin_of_line - 1] != '\n') begin_of_line--;
    while (end_of_line < log->length && log->text[end_of_line] != '\n') end_of_line++;
    gsim_call_indent(log, site->begin, indent);
    bool is_long = end_of_line - begin_of_line <= MAX_LINE &&
                   end_of_line - begin_of_line + strlen(stream) + sizeof "Async, 0, " > MAX_LINE;
    snprintf(broken, sizeof broken, is_long ? "\n%s        " : " ", indent);
    if (a.count > index) {
        uint32_t begin = a.begin[index];
        while (begin < a.end[index] && isspace((unsigned char)log->text[begin])) begin++;
        gsim_text_edits_add(edits, begin, a.end[index], 5, "%s", stream);
    } else {
        uint32_t end = a.close;
        while (isspace((unsigned char)log->text[end - 1])) end--;
        gsim_text_edits_add(edits, end, end, 5, "%s,%s%s", a.count + 1 == index ? ", 0" : "", broken, stream);
    }
}

uint32_t gsim_call_statement_end(const struct gsim_cuda_log *log, uint32_t at)
{
    uint32_t end = at;
    while (end < log->length && isspace((unsigned char)log->text[end])) end++;
    return end < log->length && log->text[end] == ';' ? end + 1 : at;
}

void gsim_call_indent(const struct gsim_cuda_log *log, uint32_t at, char indent[64])
{
    uint32_t begin = at, length = 0;
    while (begin && log->text[begin - 1] != '\n') begin--;
    while (begin + length < at && length < 63 &&
           (log->text[begin + length] == ' ' || log->text[begin + length] == '\t'))
        length++;
    memcpy(indent, log->text + begin, length);
    indent[length] = '\0';
}
