/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/write/graph.h. */
#include "source/write/graph.h"

#include <ctype.h>
#include <string.h>

#include "source/write/call.h"

#define NONE        GSIM_WEAVE_NONE
#define MIN_ITEMS 2 /* of a graph */

/* One execution of a region. */
struct group {
    uint32_t first_step, end_step; /* END: behind its last op */
    uint32_t since, until;         /* around it stands what no graph may hold */
    uint32_t from_node, to_node;   /* statements of one block */
};

static uint32_t depth_of(const struct gsim_cuda_log *log, uint32_t node)
{
    uint32_t depth = 0;
    for (; node != GSIM_CUDA_NONE; node = log->nodes[node].parent) depth++;
    return depth;
}

static uint32_t common(const struct gsim_cuda_log *log, uint32_t a, uint32_t b)
{
    uint32_t da = depth_of(log, a), db = depth_of(log, b);
    for (; da > db; da--) a = log->nodes[a].parent;
    for (; db > da; db--) b = log->nodes[b].parent;
    for (; a != b; b = log->nodes[b].parent) a = log->nodes[a].parent;
    return a;
}

static uint32_t below(const struct gsim_cuda_log *log, uint32_t node, uint32_t parent)
{
    while (node != GSIM_CUDA_NONE && log->nodes[node].parent != parent) node = log->nodes[node].parent;
    return node;
}

/* The statements of one block that hold the group and nothing that may not be in a graph. */
static bool find_statements(const struct gsim_cuda_log *log, struct group *g)
{
    uint32_t all = log->steps[g->first_step].node;
    for (uint32_t s = g->first_step; s < g->end_step; s++) all = common(log, all, log->steps[s].node);
    while (all != GSIM_CUDA_NONE && !log->nodes[all].is_block) { /* one statement */
        uint32_t parent = log->nodes[all].parent;
        if (parent != GSIM_CUDA_NONE && log->nodes[parent].is_block) break;
        all = parent;
    }
    if (all == GSIM_CUDA_NONE) return false;
    bool is_block = log->nodes[all].is_block;
    g->from_node = is_block ? below(log, log->steps[g->first_step].node, all) : all;
    g->to_node = is_block ? below(log, log->steps[g->end_step - 1].node, all) : all;
    if (g->from_node == GSIM_CUDA_NONE || g->to_node == GSIM_CUDA_NONE) return false;
    if (log->nodes[g->from_node].from == GSIM_CUDA_NONE || log->nodes[g->to_node].to == GSIM_CUDA_NONE) return false;
    bool has_before = g->since && gsim_cuda_is_within(log, log->steps[g->since - 1].node, g->from_node);
    bool has_behind = g->until < log->step_count && gsim_cuda_is_within(log, log->steps[g->until].node, g->to_node);
    return !has_before && !has_behind && log->nodes[g->from_node].from <= log->nodes[g->to_node].from;
}

/* One statement executes the call more than once: it cannot have a table. */
static bool shares_statement(const struct gsim_weave *w, const struct gsim_weave_site *site)
{
    for (size_t i = 1; i < site->items.count; i++)
        if (w->items[site->items.at[i - 1]].node == w->items[site->items.at[i]].node) return true;
    return false;
}

static bool cuts(const struct gsim_weave *w, uint32_t s)
{
    const struct gsim_cuda_step *step = &w->log->steps[s];
    const struct gsim_weave_site *site = &w->sites[step->site];
    switch (w->log->sites[step->site].kind) {
    case GSIM_CUDA_LAUNCH:
    case GSIM_CUDA_CALL: return site->keep_reason || shares_statement(w, site);
    case GSIM_CUDA_SYNC: return site->is_kept;
    case GSIM_CUDA_USE:
    case GSIM_CUDA_END: return site->waits_for_all || site->streams.count;
    case GSIM_CUDA_BARRIER:
    case GSIM_CUDA_CUT: return true;
    }
    return true;
}

static struct gsim_region *find_region(struct gsim_regions *r, struct gsim_weave *w, const struct group *g)
{
    uint32_t from = w->log->nodes[g->from_node].from, to = w->log->nodes[g->to_node].to;
    bool overlaps = false;
    for (size_t i = 0; i < r->count; i++) {
        if (r->at[i].from == from && r->at[i].to == to) return &r->at[i];
        if (from < r->at[i].to && r->at[i].from < to) overlaps = r->at[i].is_dropped = true;
    }
    if (gsim_array_grow(&r->at, sizeof *r->at, r->count, &r->room)) {
        w->failed = true;
        return NULL;
    }
    r->at[r->count] = (struct gsim_region){.from = from,
                                           .to = to,
                                           .first_step = g->first_step,
                                           .end_step = g->end_step,
                                           .is_constant = true,
                                           .is_dropped = overlaps};
    return &r->at[r->count++];
}

/* Whether this execution does what the first one did, and what it did is known. */
static bool is_same(const struct gsim_cuda_log *log, const struct gsim_region *region, const struct group *g)
{
    if (g->end_step - g->first_step != region->end_step - region->first_step) return false;
    for (uint32_t s = 0; s < g->end_step - g->first_step; s++) {
        const struct gsim_cuda_step *a = &log->steps[region->first_step + s], *b = &log->steps[g->first_step + s];
        if (a->site != b->site || (a->op != GSIM_CUDA_NONE && (!a->values || a->values != b->values))) return false;
    }
    return true;
}

static void add_group(struct gsim_regions *r, struct gsim_weave *w, struct group g, uint32_t *number)
{
    if (g.first_step == NONE || w->first_item[g.end_step] - w->first_item[g.first_step] < MIN_ITEMS ||
        !find_statements(w->log, &g))
        return;
    struct gsim_region *region = find_region(r, w, &g);
    if (!region) return;
    region->executions++;
    region->is_constant &= is_same(w->log, region, &g);
    (*number)++;
    for (uint32_t i = w->first_item[g.first_step]; i < w->first_item[g.end_step]; i++) {
        r->of_item[i] = *number;
        gsim_choice_push(&region->streams, w->items[i].stream, &w->failed);
    }
}

static void add_groups(struct gsim_regions *r, struct gsim_weave *w)
{
    struct group g = {.first_step = NONE};
    uint32_t number = 0;
    for (uint32_t s = 0; s < w->log->step_count && !w->failed; s++) {
        if (cuts(w, s)) {
            g.until = s;
            add_group(r, w, g, &number);
            g.first_step = NONE;
            g.since = s + 1;
        } else if (w->first_item[s] < w->first_item[s + 1]) {
            if (g.first_step == NONE) g.first_step = s;
            g.end_step = s + 1;
        }
    }
    g.until = (uint32_t)w->log->step_count;
    add_group(r, w, g, &number);
}

/* Between the calls stands nothing: no variable is made, and what is left out when the graph is launched again does
 * nothing else. */
static bool is_bare(const struct gsim_weave *w, const struct gsim_region *region)
{
    const struct gsim_cuda_log *log = w->log;
    uint32_t at = region->from;
    while (at < region->to) {
        uint32_t next = at;
        for (size_t s = 0; s < log->site_count; s++)
            if (log->sites[s].from == at && (w->sites[s].is_op || log->sites[s].kind == GSIM_CUDA_SYNC))
                next = gsim_call_statement_end(log, log->sites[s].to);
        if (next > at) at = next;
        else if (isspace((unsigned char)log->text[at])) at++;
        else if (strncmp(log->text + at, "//", 2) == 0)
            while (at < region->to && log->text[at] != '\n') at++;
        else return false;
    }
    return true;
}

/* Items in the text of a region are in one of its executions. */
static void check_items(struct gsim_regions *r, const struct gsim_weave *w)
{
    for (size_t i = 0; i < w->item_count; i++) {
        uint32_t at = w->log->sites[w->items[i].site].begin;
        for (size_t k = 0; k < r->count; k++)
            if (!r->of_item[i] && at >= r->at[k].from && at < r->at[k].to) r->at[k].is_dropped = true;
    }
}

static void drop_regions(struct gsim_regions *r, const struct gsim_weave *w)
{
    size_t kept = 0;
    check_items(r, w);
    for (size_t k = 0; k < r->count; k++) {
        if (!r->at[k].is_dropped) {
            r->at[k].is_constant &= r->at[k].executions > 1 && is_bare(w, &r->at[k]);
            r->at[kept++] = r->at[k];
            continue;
        }
        for (size_t i = 0; i < w->item_count; i++) {
            uint32_t at = w->log->sites[w->items[i].site].begin;
            if (at >= r->at[k].from && at < r->at[k].to) r->of_item[i] = 0;
        }
        gsim_free(r->at[k].streams.at);
    }
    r->count = kept;
}

/* An event of a capture is known in it alone; what crosses its begin and end is told by the joins. */
static void cut_waits(const struct gsim_regions *r, struct gsim_weave *w)
{
    for (size_t i = 0; i < w->item_count; i++) {
        struct gsim_choice_list *waits = &w->items[i].waits;
        size_t kept = 0;
        for (size_t k = 0; k < waits->count; k++) {
            bool is_inner = r->of_item[waits->at[k]] == r->of_item[i];
            if (is_inner) waits->at[kept++] = waits->at[k];
        }
        waits->count = kept;
    }
}

static bool waits_alike(const struct gsim_weave *w, const struct gsim_choice_list *a, const struct gsim_choice_list *b)
{
    for (size_t i = 0; i < a->count; i++) {
        size_t k = 0;
        const struct gsim_weave_item *one = &w->items[a->at[i]];
        while (k < b->count && (w->items[b->at[k]].site != one->site || w->items[b->at[k]].stream != one->stream)) k++;
        if (k == b->count) return false;
    }
    return a->count == b->count;
}

/* A capture may wait for what it recorded alone: calls whose executions wait for different ones have each its own. */
static void part_waits(const struct gsim_regions *r, struct gsim_weave *w)
{
    for (size_t s = 0; s < w->log->site_count; s++) {
        struct gsim_weave_site *site = &w->sites[s];
        for (size_t i = 1; i < site->items.count && r->of_item[site->items.at[0]]; i++)
            site->has_table |= !waits_alike(w, &w->items[site->items.at[i]].waits, &w->items[site->items.at[0]].waits);
    }
}

enum gsim_status gsim_regions_find(struct gsim_regions *r, struct gsim_weave *w, struct gsim_error *error)
{
    *r = (struct gsim_regions){.of_item = gsim_alloc(sizeof *r->of_item * (w->item_count + 1))};
    if (!r->of_item) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    add_groups(r, w);
    drop_regions(r, w);
    cut_waits(r, w);
    part_waits(r, w);
    return w->failed ? gsim_error_set(error, GSIM_NOMEM, "out of memory") : GSIM_OK;
}

void gsim_regions_release(struct gsim_regions *r)
{
    for (size_t k = 0; k < r->count; k++) gsim_free(r->at[k].streams.at);
    gsim_free(r->at);
    gsim_free(r->of_item);
    *r = (struct gsim_regions){0};
}
