/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/write/cuda.h: the weave as changes of the text. */
#include "source/write/cuda.h"

#include <string.h>

#include "source/write/call.h"
#include "source/write/check.h"
#include "source/write/graph.h"
#include "source/write/prelude.h"

#define NONE GSIM_WEAVE_NONE

/* Of the ranks of edits: */
enum {
    RANK_CREATE,
    RANK_OPEN,
    RANK_SYNC,
    RANK_BEGIN_GRAPH,
    RANK_BEFORE,
    RANK_CALL,
    RANK_RECORD,
    RANK_SYNC_BEHIND,
    RANK_CLOSE,
    RANK_OUTER
};
/* Of a statement that may end where another one does that has got braces: what is behind it is behind these. */

#define INNER "    " /* of a block's statements */

struct writer {
    const struct gsim_cuda_export *export;
    const struct gsim_cuda_log *log;
    struct gsim_weave weave;
    struct gsim_regions regions;
    struct gsim_text_edits edits;
    struct gsim_check check;
    struct gsim_cuda_counts *counts;
};

/* --- around statements --- */
/* As the source checks its own calls; for free(). */
static char *checked(struct writer *w, size_t at, const char *text)
{
    struct gsim_output out = {0};
    struct gsim_error ignored = {0};
    char *now = NULL;
    size_t length = 0;
    if (gsim_output_open_memory(&out, &now, &length, &ignored) == GSIM_OK) {
        gsim_check_write(&w->check, at, text, &out);
        if (gsim_output_commit(&out, &ignored) == GSIM_OK) return now;
    }
    w->edits.failed = true;
    gsim_output_release(&out);
    return NULL;
}

static void before(struct writer *w, const struct gsim_cuda_site *site, unsigned rank, const char *text)
{
    char indent[64], *now = checked(w, site->from, text);
    gsim_call_indent(w->log, site->from, indent);
    if (!now) return;
    gsim_text_edits_add(&w->edits, site->from, site->from, rank, "%s\n%s%s", now, indent, site->is_braced ? "" : INNER);
    free(now);
}

static void behind(struct writer *w, const struct gsim_cuda_site *site, unsigned rank, const char *text)
{
    char indent[64], *now = checked(w, site->from, text);
    uint32_t end = gsim_call_statement_end(w->log, site->to);
    gsim_call_indent(w->log, site->from, indent);
    if (!now) return;
    gsim_text_edits_add(&w->edits, end, end, rank + (site->is_braced ? RANK_OUTER : 0), "\n%s%s%s", indent,
                        site->is_braced ? "" : INNER, now);
    free(now);
}

/* A statement that stands alone gets braces, once, where something is to stand beside it. */
static void brace(struct writer *w, const struct gsim_cuda_site *site)
{
    char indent[64];
    uint32_t end = gsim_call_statement_end(w->log, site->to);
    if (site->is_braced) return;
    for (size_t i = 0; i < w->edits.count; i++)
        if (w->edits.at[i].from == site->from && w->edits.at[i].rank == RANK_OPEN) return;
    gsim_call_indent(w->log, site->from, indent);
    gsim_text_edits_add(&w->edits, site->from, site->from, RANK_OPEN, "{\n%s%s", indent, INNER);
    gsim_text_edits_add(&w->edits, end, end, RANK_CLOSE, "\n%s}", indent);
}

static void put_wait(struct writer *w, const struct gsim_cuda_site *site, uint32_t stream, uint32_t event)
{
    char text[128];
    snprintf(text, sizeof text, "cudaStreamWaitEvent(gpusim_stream[%u], gpusim_event[%u], 0);", stream, event);
    before(w, site, RANK_BEFORE, text);
    w->counts->waits++;
}

static void put_record(struct writer *w, const struct gsim_cuda_site *site, uint32_t stream, uint32_t event,
                       bool is_before)
{
    char text[128];
    snprintf(text, sizeof text, "cudaEventRecord(gpusim_event[%u], gpusim_stream[%u]);", event, stream);
    if (is_before) before(w, site, RANK_BEFORE, text);
    else behind(w, site, RANK_RECORD, text);
}

/* --- calls --- */
/* Whether one of the same text has been put there: where memory is on the device, one more does nothing. */
static bool is_put(const struct writer *w, const struct gsim_cuda_site *site, const char *text)
{
    for (size_t i = 0; i < w->edits.count; i++)
        if (w->edits.at[i].from == site->from && strncmp(w->edits.at[i].text, text, strlen(text)) == 0) return true;
    return false;
}

static void put_prefetches(struct writer *w, uint32_t step, const struct gsim_cuda_site *site)
{
    for (uint32_t i = w->weave.first_item[step]; i < w->weave.first_item[step + 1]; i++) {
        const struct gsim_weave_item *item = &w->weave.items[i];
        if (item->pointer == NONE || item->stream == NONE) continue;
        const struct gsim_cuda_pointer *pointer = &w->log->pointers[item->pointer];
        char text[512];
        snprintf(text, sizeof text, "gpusim_prefetch(%.*s, %zu, gpusim_stream[%u]);",
                 (int)(pointer->end - pointer->begin), w->log->text + pointer->begin, (size_t)item->bytes,
                 item->stream);
        if (is_put(w, site, text)) continue;
        brace(w, site);
        for (size_t k = 0; k < item->waits.count; k++)
            put_wait(w, site, item->stream, w->weave.items[item->waits.at[k]].event);
        before(w, site, RANK_BEFORE, text);
        if (item->event != NONE) put_record(w, site, item->stream, item->event, true);
        w->counts->prefetches++;
    }
}

static void put_constant(struct writer *w, const struct gsim_cuda_site *site, const struct gsim_weave_site *s)
{
    const struct gsim_weave_item *first = &w->weave.items[s->items.at[0]];
    struct gsim_choice_list events = {0};
    char stream[64];
    for (size_t i = 0; i < s->items.count; i++) {
        const struct gsim_weave_item *item = &w->weave.items[s->items.at[i]];
        for (size_t k = 0; k < item->waits.count; k++)
            gsim_choice_push(&events, w->weave.items[item->waits.at[k]].event, &w->weave.failed);
    }
    if (events.count || first->event != NONE) brace(w, site);
    for (size_t k = 0; k < events.count; k++) put_wait(w, site, first->stream, events.at[k]);
    snprintf(stream, sizeof stream, w->weave.is_default ? "0" : "gpusim_stream[%u]", first->stream);
    if (!w->weave.is_default || w->weave.program->ops[first->op].kind == GSIM_OP_COPY)
        gsim_call_set(w->log, site, stream, &w->edits);
    if (first->event != NONE) put_record(w, site, first->stream, first->event, false);
    gsim_free(events.at);
}

static void put_table(struct writer *w, const struct gsim_cuda_site *site, uint32_t number)
{
    char text[96];
    const struct gsim_choice_list *items = &w->weave.sites[number].items;
    for (size_t i = 0; i < items->count; i++) w->counts->waits += (uint32_t)w->weave.items[items->at[i]].waits.count;
    brace(w, site);
    snprintf(text, sizeof text, "gpusim_enter(&gpusim_call_%u);", number);
    before(w, site, RANK_BEFORE, text);
    snprintf(text, sizeof text, "gpusim_stream_of(&gpusim_call_%u)", number);
    gsim_call_set(w->log, site, text, &w->edits);
    snprintf(text, sizeof text, "gpusim_leave(&gpusim_call_%u);", number);
    behind(w, site, RANK_RECORD, text);
}

/* NAME[COUNTER % PERIOD + FIRST] */
static void name_by_round(char text[128], const char *name, const struct gsim_weave_site *s, uint32_t first)
{
    if (first) snprintf(text, 128, "%s[%s %% %u + %u]", name, s->counter, s->period, first);
    else snprintf(text, 128, "%s[%s %% %u]", name, s->counter, s->period);
}

static void put_formula(struct writer *w, const struct gsim_cuda_site *site, const struct gsim_weave_site *s)
{
    const struct gsim_weave_item *first = &w->weave.items[s->items.at[0]];
    char stream[128], event[128], text[320];
    name_by_round(stream, "gpusim_stream", s, first->stream);
    if (first->waits.count || first->event != NONE) brace(w, site);
    for (size_t k = 0; k < first->waits.count; k++) {
        snprintf(text, sizeof text, "cudaStreamWaitEvent(%s, gpusim_event[%u], 0);", stream,
                 w->weave.items[first->waits.at[k]].event);
        before(w, site, RANK_BEFORE, text);
        w->counts->waits++;
    }
    gsim_call_set(w->log, site, stream, &w->edits);
    if (first->event == NONE) return;
    name_by_round(event, "gpusim_event", s, first->event);
    snprintf(text, sizeof text, "cudaEventRecord(%s, %s);", event, stream);
    behind(w, site, RANK_RECORD, text);
}

static void put_call(struct writer *w, uint32_t number)
{
    const struct gsim_cuda_site *site = &w->log->sites[number];
    const struct gsim_weave_site *s = &w->weave.sites[number];
    w->counts->calls++;
    if (s->keep_reason && !*s->keep_reason) return;
    if (s->keep_reason) {
        char text[192];
        w->counts->left_calls++;
        snprintf(text, sizeof text, "%s stays in the default stream: %s", site->name[0] ? site->name : "the launch",
                 s->keep_reason);
        if (w->export->note) w->export->note(w->export->path, site->line, text);
        return;
    }
    uint32_t op = w->weave.items[s->items.at[0]].op;
    const struct gsim_op *o = &w->weave.program->ops[op];
    w->counts->pageable_copies += o->kind == GSIM_OP_COPY && o->copy_memory != GSIM_COPY_MEMORY_PINNED;
    for (size_t i = 0; i < s->items.count; i++) put_prefetches(w, w->weave.items[s->items.at[i]].step, site);
    if (s->period) put_formula(w, site, s);
    else if (s->has_table) put_table(w, site, number);
    else put_constant(w, site, s);
}

/* --- the host's waits --- */
/* A statement that is nothing else goes with its line, where that holds nothing else. */
static void remove_sync(struct writer *w, const struct gsim_cuda_site *site)
{
    uint32_t begin = site->begin, end = gsim_call_statement_end(w->log, site->end);
    w->counts->removed_syncs++;
    if (!site->is_braced || site->from != site->begin || site->to != site->end || end == site->end) {
        gsim_text_edits_add(&w->edits, site->begin, site->end, RANK_CALL, "cudaPeekAtLastError()");
        return;
    }
    while (begin && (w->log->text[begin - 1] == ' ' || w->log->text[begin - 1] == '\t')) begin--;
    uint32_t tail = end;
    while (tail < w->log->length && (w->log->text[tail] == ' ' || w->log->text[tail] == '\t')) tail++;
    bool is_alone =
        (begin == 0 || w->log->text[begin - 1] == '\n') && tail < w->log->length && w->log->text[tail] == '\n';
    gsim_text_edits_add(&w->edits, is_alone ? begin : site->begin, is_alone ? tail + 1 : end, RANK_CALL, "%s", "");
}

static void put_host_wait(struct writer *w, uint32_t number)
{
    const struct gsim_cuda_site *site = &w->log->sites[number];
    const struct gsim_weave_site *s = &w->weave.sites[number];
    bool is_use = site->kind == GSIM_CUDA_USE;
    char text[96];
    if (!s->waits_for_all && !s->streams.count) return;
    brace(w, site);
    if (s->waits_for_all || s->streams.count > 2) {
        w->counts->added_syncs++;
        if (is_use) before(w, site, RANK_SYNC, "cudaDeviceSynchronize();");
        else behind(w, site, RANK_SYNC_BEHIND, "cudaDeviceSynchronize();");
        return;
    }
    for (size_t i = 0; i < s->streams.count; i++) {
        w->counts->added_syncs++;
        snprintf(text, sizeof text,
                 w->weave.is_default ? "cudaStreamSynchronize(0);" : "cudaStreamSynchronize(gpusim_stream[%u]);",
                 s->streams.at[i]);
        if (is_use) before(w, site, RANK_SYNC, text);
        else behind(w, site, RANK_SYNC_BEHIND, text);
    }
}

/* --- graphs --- */
static void put_regions(struct writer *w)
{
    for (size_t i = 0; i < w->regions.count; i++) {
        const struct gsim_region *r = &w->regions.at[i];
        const struct gsim_cuda_site first = {.from = r->from, .to = r->from, .is_braced = true},
                                    last = {.from = r->from, .to = r->to, .is_braced = true};
        char text[128];
        snprintf(text, sizeof text, r->is_constant ? "if (gpusim_begin_graph(%zu)) {" : "gpusim_begin_graph(%zu);", i);
        before(w, &first, RANK_BEGIN_GRAPH, text);
        snprintf(text, sizeof text, r->is_constant ? "}" : "gpusim_end_graph(%zu);", i);
        if (r->is_constant) behind(w, &last, RANK_RECORD, text);
        snprintf(text, sizeof text, "gpusim_end_graph(%zu);", i);
        behind(w, &last, RANK_RECORD, text);
        w->counts->graphs++;
    }
}

/* --- all --- */
/* Streams are made before the first statement of an outermost function in the file that holds a call with one. */
static void put_creation(struct writer *w)
{
    struct gsim_choice_list done = {0};
    const struct gsim_cuda_scope *nodes = w->log->nodes;
    for (size_t i = 0; i < w->weave.item_count; i++) {
        if (w->weave.items[i].stream == NONE) continue;
        uint32_t node = gsim_cuda_outermost(w->log, w->weave.items[i].node);
        size_t count = done.count;
        if (node != NONE) gsim_choice_push(&done, nodes[nodes[node].parent].from, &w->weave.failed);
        if (done.count == count) continue;
        const struct gsim_cuda_site site = {.from = nodes[node].from, .to = nodes[node].to, .is_braced = true};
        before(w, &site, RANK_CREATE, "gpusim_create();");
    }
    gsim_free(done.at);
}

static bool has_streams(const struct gsim_weave *weave)
{
    for (size_t i = 0; i < weave->item_count; i++)
        if (weave->items[i].stream != NONE) return true;
    return false;
}

static enum gsim_status write_all(struct writer *w, struct gsim_error *error)
{
    struct gsim_output prelude = {0};
    char *text = NULL;
    size_t length = 0;
    for (uint32_t s = 0; s < w->log->site_count; s++) {
        enum gsim_cuda_step_kind kind = w->log->sites[s].kind;
        if (w->weave.sites[s].is_op) put_call(w, s);
        if (kind == GSIM_CUDA_SYNC && !w->weave.sites[s].is_kept) remove_sync(w, &w->log->sites[s]);
        if (kind == GSIM_CUDA_USE || kind == GSIM_CUDA_END) put_host_wait(w, s);
    }
    w->counts->events = w->weave.event_count;
    w->counts->lost_prefetches = w->weave.lost_prefetches;
    if (!has_streams(&w->weave)) return GSIM_OK;
    w->counts->streams = w->weave.stream_count;
    if (w->weave.is_default) return GSIM_OK;
    put_regions(w);
    put_creation(w);
    enum gsim_status status = gsim_output_open_memory(&prelude, &text, &length, error);
    const struct gsim_prelude what = {.command = w->export->command, .weave = &w->weave, .counts = w->counts,
                                      .regions = &w->regions};
    if (status == GSIM_OK) gsim_prelude_write(&what, &prelude);
    if (status == GSIM_OK) status = gsim_output_commit(&prelude, error);
    uint32_t at = w->log->first_use;
    while (at && w->log->text[at - 1] != '\n') at--;
    char *now = status == GSIM_OK ? checked(w, at, text) : NULL;
    if (now) gsim_text_edits_add(&w->edits, at, at, 0, "%s", now);
    free(now);
    gsim_output_release(&prelude);
    free(text);
    return status;
}

/* The calls that may stay as they are: blocking copies from or to pageable memory; not where each thread has a default
 * stream of its own, which waits for no other. */
static void find_plain(const struct gsim_cuda_log *log, const struct gsim_program *program, const char **reasons)
{
    if (log->text && strstr(log->text, "CUDA_API_PER_THREAD_DEFAULT_STREAM")) return;
    for (size_t i = 0; i < log->step_count; i++) {
        const struct gsim_cuda_step *step = &log->steps[i];
        if (step->op != GSIM_CUDA_NONE && log->sites[step->site].kind == GSIM_CUDA_CALL && !reasons[step->site] &&
            step->is_blocking && program->ops[step->op].copy_memory == GSIM_COPY_MEMORY_PAGEABLE)
            reasons[step->site] = GSIM_WEAVE_PLAIN;
    }
}

/* One stream is the default one; a graph is captured in another, and prefetches name theirs. */
static void find_default(struct gsim_weave *w)
{
    w->is_default = w->stream_count == 1 && !w->priorities[0];
    for (size_t i = 0; i < w->item_count; i++) w->is_default &= w->items[i].pointer == NONE;
}

enum gsim_status gsim_cuda_export(const struct gsim_cuda_export *export, const char *to_name,
                                  struct gsim_output *source, struct gsim_output *difference,
                                  struct gsim_timeline *timeline, struct gsim_cuda_counts *counts,
                                  struct gsim_error *error)
{
    const struct gsim_cuda_log *log = export->log;
    struct writer w = {
        .export = export, .log = log, .edits = {.text = log->text, .length = log->length}, .counts = counts};
    struct gsim_choice choice = {0};
    *counts = (struct gsim_cuda_counts){0};
    const char **reasons = gsim_alloc(sizeof *reasons * (log->site_count + 1));
    enum gsim_status status = reasons ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (size_t s = 0; status == GSIM_OK && s < log->site_count; s++) reasons[s] = gsim_call_check(log, &log->sites[s]);
    if (status == GSIM_OK && !export->as_graph) find_plain(log, export->simulation->program, reasons);
    if (status == GSIM_OK) status = gsim_choice_make(&choice, export->simulation, timeline, error);
    if (status == GSIM_OK)
        status = gsim_weave_make(&w.weave, log, export->simulation->program, &choice, reasons, error);
    if (status == GSIM_OK && export->as_graph) status = gsim_regions_find(&w.regions, &w.weave, error);
    if (status == GSIM_OK && !export->as_graph) gsim_formula_find(&w.weave);
    if (status == GSIM_OK) gsim_weave_number(&w.weave);
    if (status == GSIM_OK && !export->as_graph) find_default(&w.weave);
    if (status == GSIM_OK && w.weave.failed) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_check_find(&w.check, log);
    if (status == GSIM_OK) status = write_all(&w, error);
    if (status == GSIM_OK && w.edits.failed) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_text_edits_sort(&w.edits);
    if (status == GSIM_OK)
        status = gsim_gain_compute(&counts->gain, &w.weave, export->simulation, export->factor, error);
    if (status == GSIM_OK && source) gsim_text_edits_write(&w.edits, source);
    if (status == GSIM_OK && difference) gsim_text_edits_diff(&w.edits, export->path, to_name, difference);
    gsim_text_edits_release(&w.edits);
    gsim_regions_release(&w.regions);
    gsim_weave_release(&w.weave);
    gsim_choice_release(&choice);
    gsim_free(reasons);
    return status;
}
