/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frontier is kept per buffer, not as one list, so that a new vertex costs what it conflicts with.
 * Vertices are numbered in order of arrival, which is frontier order.
 */
#include "schedulers/runner/frontier.h"

#include <stdlib.h>
#include "gpusim/order.h"
#include "sim/program/draw.h"
#include <string.h>

#define NONE UINT32_MAX

static uint32_t *vertex_of(struct gsim_frontier *f, uint32_t op_index)
{
    return &f->vertex_of[f->window ? op_index % f->window : op_index];
}

bool gsim_frontier_init(struct gsim_frontier *f, const struct gsim_program *program, const struct gsim_draw *draw)
{
    memset(f, 0, sizeof(*f));
    gsim_afters_init(&f->afters, program);
    f->buffer_count = draw ? draw->tables->buffer_room : program->buffer_count;
    f->window = draw ? GSIM_SOURCE_AFTER : 0;
    f->op_count = draw ? f->window : program->op_count;
    f->with_const = f->filter = true;
    f->uses = gsim_alloc(sizeof(*f->uses) * ((size_t)f->buffer_count + 1));
    f->vertex_of = gsim_alloc(sizeof(*f->vertex_of) * ((size_t)f->op_count + 1));
    f->passed = gsim_alloc(sizeof(*f->passed) * (f->window + 1));
    if (!f->uses || !f->vertex_of || !f->passed) {
        gsim_frontier_release(f);
        return false;
    }
    gsim_frontier_reset(f);
    return true;
}

void gsim_frontier_release(struct gsim_frontier *f)
{
    for (uint32_t i = 0; f->passed && i < f->window; i++) gsim_free(f->passed[i].vertices);
    void *owned[] = {f->vertices, f->children,  f->readers, f->parents, f->candidates,
                     f->stack,    f->vertex_of, f->uses,    f->passed,  f->moved};
    for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++) gsim_free(owned[i]);
    gsim_afters_release(&f->afters);
    memset(f, 0, sizeof(*f));
}

void gsim_frontier_reset(struct gsim_frontier *f)
{
    f->vertex_count = f->child_count = f->parent_count = f->reader_count = f->candidate_count = 0;
    f->free_reader = NONE;
    f->search = f->find = 0;
    for (uint32_t b = 0; b <= f->buffer_count; b++) f->uses[b] = (struct gsim_frontier_use){NONE, NONE};
    for (uint32_t i = 0; i < f->op_count; i++) f->vertex_of[i] = NONE;
    for (uint32_t i = 0; i < f->window; i++) f->passed[i].count = 0;
}

void gsim_frontier_forget(struct gsim_frontier *f, uint32_t buffer)
{
    struct gsim_frontier_use *use = &f->uses[buffer];
    for (uint32_t r = use->readers, next; r != NONE; r = next) {
        next = f->readers[r].next;
        f->readers[r].next = f->free_reader;
        f->free_reader = r;
    }
    *use = (struct gsim_frontier_use){NONE, NONE};
}

static bool grow(struct gsim_frontier *f, void **array, size_t element, size_t count, size_t *capacity)
{
    if (count < *capacity) return true;
    if (gsim_array_grow(array, element, count, capacity)) f->failed = true;
    return !f->failed;
}

static void add_candidate(struct gsim_frontier *f, uint32_t vertex)
{
    if (vertex == NONE || f->vertices[vertex].finished || f->vertices[vertex].candidate == f->find) return;
    if (!grow(f, (void **)&f->candidates, sizeof(*f->candidates), f->candidate_count, &f->candidate_capacity)) return;
    f->vertices[vertex].candidate = f->find;
    f->candidates[f->candidate_count++] = vertex;
}

GSIM_ORDER_OF(compare_vertices, uint32_t)

/* True when VERTEX is a candidate; else it is kept for the search, once. */
static bool visit(struct gsim_frontier *f, uint32_t vertex)
{
    if (f->vertices[vertex].visited == f->search) return false;
    f->vertices[vertex].visited = f->search;
    if (f->vertices[vertex].candidate == f->find) return true;
    if (grow(f, (void **)&f->stack, sizeof(*f->stack), f->stack_count, &f->stack_capacity))
        f->stack[f->stack_count++] = vertex;
    return false;
}

/* Descendants come later in the order, so the search never looks beyond the LAST candidate; and as it will
 * often be asked again for the same old START, START remembers where it succeeded. */
static bool has_descendant_candidate(struct gsim_frontier *f, uint32_t start, uint32_t last)
{
    f->search++;
    f->stack_count = 0;
    for (uint32_t v = start;; v = f->stack[--f->stack_count]) {
        uint32_t hit = NONE, shortcut = f->vertices[v].shortcut;
        for (uint32_t c = f->vertices[v].first_child; c != NONE && hit == NONE; c = f->children[c].next) {
            if (f->children[c].vertex > last) break; /* children are ascending */
            if (visit(f, f->children[c].vertex)) hit = f->children[c].vertex;
        }
        if (hit == NONE && shortcut != NONE && shortcut <= last && visit(f, shortcut)) hit = shortcut;
        if (hit != NONE) {
            f->vertices[start].shortcut = hit;
            return true;
        }
        if (f->stack_count == 0) return false;
    }
}

static void filter_candidates(struct gsim_frontier *f)
{
    size_t kept = 0;
    uint32_t last = f->candidates[f->candidate_count - 1];
    for (size_t i = 0; i + 1 < f->candidate_count && !f->failed; i++)
        if (!has_descendant_candidate(f, f->candidates[i], last)) f->candidates[kept++] = f->candidates[i];
    f->candidates[kept++] = last;
    f->candidate_count = kept;
}

static void end_readers(struct gsim_frontier *f, struct gsim_frontier_use *use)
{
    for (uint32_t r = use->readers, next; r != NONE; r = next) {
        next = f->readers[r].next;
        add_candidate(f, f->readers[r].vertex);
        f->readers[r].next = f->free_reader;
        f->free_reader = r;
    }
    use->readers = NONE;
}

static bool is_const(const struct gsim_frontier *f, const struct gsim_arg *arg, bool all_write)
{
    return f->with_const && !all_write && arg->declared_const;
}

/* Of a program that is drawn: the op's own list, where what was left out passes on what it had to follow. */
static void add_drawn_afters(struct gsim_frontier *f, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->after_count; a++) {
        const struct gsim_frontier_passed *passed = &f->passed[op->after[a] % f->window];
        add_candidate(f, *vertex_of(f, op->after[a]));
        for (size_t i = 0; i < passed->count; i++) add_candidate(f, passed->vertices[i]);
    }
    *vertex_of(f, op->index) = NONE; /* unless it becomes one */
    f->passed[op->index % f->window].count = 0;
}

void gsim_frontier_leave_out(struct gsim_frontier *f, const struct gsim_op *op)
{
    struct gsim_frontier_passed *passed = &f->passed[op->index % f->window];
    f->find++;
    f->candidate_count = 0;
    add_drawn_afters(f, op);
    for (; passed->count < f->candidate_count; passed->count++) {
        if (!grow(f, (void **)&passed->vertices, sizeof(*passed->vertices), passed->count, &passed->capacity)) return;
        passed->vertices[passed->count] = f->candidates[passed->count];
    }
}

void gsim_frontier_find(struct gsim_frontier *f, const struct gsim_op *op, bool all_write)
{
    bool sorted = true;
    const uint32_t *after = NULL;
    uint32_t after_count = 0;
    f->find++;
    f->candidate_count = 0;
    for (uint32_t a = 0; a < op->arg_count; a++) {
        struct gsim_frontier_use *use = &f->uses[op->args[a].buffer_index];
        add_candidate(f, use->writer);
        if (is_const(f, &op->args[a], all_write)) continue;
        end_readers(f, use);
        use->writer = NONE;
    }
    /* What more it may access: the last is of what no buffer is named. */
    for (uint32_t b = op->is_unknown ? 0 : f->buffer_count; b <= f->buffer_count && !gsim_op_is_host(op); b++) {
        add_candidate(f, f->uses[b].writer);
        if (!op->is_unknown) continue;
        end_readers(f, &f->uses[b]);
        f->uses[b].writer = NONE;
    }
    if (f->window) {
        add_drawn_afters(f, op);
    } else if (!gsim_afters_find(&f->afters, op, f->vertex_of, &after, &after_count)) {
        f->failed = true;
    }
    for (uint32_t a = 0; a < after_count; a++) add_candidate(f, *vertex_of(f, after[a]));
    for (size_t i = 1; i < f->candidate_count; i++) sorted = sorted && f->candidates[i - 1] < f->candidates[i];
    if (!sorted) qsort(f->candidates, f->candidate_count, sizeof(*f->candidates), compare_vertices);
    if (f->filter && f->with_const && f->candidate_count > 1) filter_candidates(f);
}

static void add_use(struct gsim_frontier *f, uint32_t vertex, struct gsim_frontier_use *use, bool constant)
{
    if (!constant) {
        use->writer = vertex;
        return;
    }
    uint32_t entry = f->free_reader;
    if (entry != NONE) {
        f->free_reader = f->readers[entry].next;
    } else {
        if (!grow(f, (void **)&f->readers, sizeof(*f->readers), f->reader_count, &f->reader_capacity)) return;
        entry = (uint32_t)f->reader_count++;
    }
    f->readers[entry] = (struct gsim_frontier_child){vertex, use->readers};
    use->readers = entry;
}

static void add_child(struct gsim_frontier *f, uint32_t parent, uint32_t child)
{
    if (!grow(f, (void **)&f->children, sizeof(*f->children), f->child_count, &f->child_capacity)) return;
    uint32_t entry = (uint32_t)f->child_count++;
    f->children[entry] = (struct gsim_frontier_child){child, NONE};
    if (f->vertices[parent].first_child == NONE) f->vertices[parent].first_child = entry;
    else f->children[f->vertices[parent].last_child].next = entry;
    f->vertices[parent].last_child = entry;
}

uint32_t gsim_frontier_add(struct gsim_frontier *f, const struct gsim_op *op, bool all_write)
{
    if (!grow(f, (void **)&f->vertices, sizeof(*f->vertices), f->vertex_count, &f->vertex_capacity)) return NONE;
    uint32_t vertex = (uint32_t)f->vertex_count++;
    f->vertices[vertex] = (struct gsim_vertex){.op_index = op->index,
                                               .stream_index = NONE,
                                               .parent_start = (uint32_t)f->parent_count,
                                               .parent_count = (uint32_t)f->candidate_count,
                                               .first_child = NONE,
                                               .last_child = NONE,
                                               .shortcut = NONE,
                                               .before = NONE};
    for (size_t i = 0; i < f->candidate_count && !f->failed; i++) {
        add_child(f, f->candidates[i], vertex);
        if (grow(f, (void **)&f->parents, sizeof(*f->parents), f->parent_count, &f->parent_capacity))
            f->parents[f->parent_count++] = f->candidates[i];
    }
    for (uint32_t a = 0; a < op->arg_count; a++)
        add_use(f, vertex, &f->uses[op->args[a].buffer_index], is_const(f, &op->args[a], all_write));
    for (uint32_t b = op->is_unknown ? 0 : f->buffer_count; b <= f->buffer_count && !gsim_op_is_host(op); b++)
        add_use(f, vertex, &f->uses[b], !op->is_unknown);
    *vertex_of(f, op->index) = vertex;
    return f->failed ? NONE : vertex;
}

/* --- what is finished is forgotten --------------------------------------------------------------------------- */

static uint32_t moved_of(const uint32_t *moved, uint32_t vertex) { return vertex == NONE ? NONE : moved[vertex]; }

/* New indices. The lists of children, in which a live vertex has no finished ones, are written anew. */
static bool number_anew(struct gsim_frontier *f)
{
    uint32_t kept = 0;
    size_t child_count = 0;
    for (uint32_t v = 0; v < f->vertex_count; v++) f->moved[v] = f->vertices[v].finished ? NONE : kept++;
    for (uint32_t v = 0; v < f->vertex_count; v++)
        for (uint32_t c = f->moved[v] == NONE ? NONE : f->vertices[v].first_child; c != NONE; c = f->children[c].next)
            child_count++;
    struct gsim_frontier_child *children = gsim_alloc(sizeof(*children) * (child_count + 1));
    if (!children) return false;
    child_count = 0;
    for (uint32_t v = 0; v < f->vertex_count; v++) {
        if (f->moved[v] == NONE) continue;
        for (uint32_t c = f->vertices[v].first_child; c != NONE; c = f->children[c].next) {
            children[child_count] = (struct gsim_frontier_child){f->moved[f->children[c].vertex], NONE};
            if (c == f->vertices[v].first_child)
                f->vertices[v].last_child = (uint32_t)child_count; /* the first of the new list, for now */
            else children[child_count - 1].next = (uint32_t)child_count;
            child_count++;
        }
        if (f->vertices[v].first_child == NONE) continue;
        f->vertices[v].first_child = f->vertices[v].last_child;
        f->vertices[v].last_child = (uint32_t)child_count - 1;
    }
    gsim_free(f->children);
    f->children = children;
    f->child_count = child_count;
    f->child_capacity = child_count + 1;
    return true;
}

/* Parents keep their order, and so fit where they were. */
static void move_parents(struct gsim_frontier *f, struct gsim_vertex *vertex, size_t *parent_count)
{
    uint32_t start = (uint32_t)*parent_count;
    for (uint32_t i = 0; i < vertex->parent_count; i++) {
        uint32_t parent = f->moved[f->parents[vertex->parent_start + i]];
        if (parent != NONE) f->parents[(*parent_count)++] = parent;
    }
    vertex->parent_start = start;
    vertex->parent_count = (uint32_t)*parent_count - start;
}

static void move_uses(struct gsim_frontier *f)
{
    for (uint32_t b = 0; b <= f->buffer_count; b++) {
        struct gsim_frontier_use *use = &f->uses[b];
        use->writer = moved_of(f->moved, use->writer);
        for (uint32_t *r = &use->readers; *r != NONE;) {
            struct gsim_frontier_child *reader = &f->readers[*r];
            uint32_t entry = *r;
            reader->vertex = f->moved[reader->vertex];
            if (reader->vertex != NONE) {
                r = &reader->next;
                continue;
            }
            *r = reader->next;
            reader->next = f->free_reader;
            f->free_reader = entry;
        }
    }
}

static void move_window(struct gsim_frontier *f)
{
    for (uint32_t i = 0; i < f->window; i++) {
        struct gsim_frontier_passed *passed = &f->passed[i];
        size_t kept = 0;
        f->vertex_of[i] = moved_of(f->moved, f->vertex_of[i]);
        for (size_t n = 0; n < passed->count; n++)
            if (f->moved[passed->vertices[n]] != NONE) passed->vertices[kept++] = f->moved[passed->vertices[n]];
        passed->count = kept;
    }
}

void gsim_frontier_skip_finished(const struct gsim_frontier *f, uint32_t *last)
{
    while (*last != NONE && f->vertices[*last].finished) *last = f->vertices[*last].before;
}

const uint32_t *gsim_frontier_compact(struct gsim_frontier *f)
{
    while (f->moved_capacity < f->vertex_count)
        if (!grow(f, (void **)&f->moved, sizeof(*f->moved), f->moved_capacity, &f->moved_capacity)) return NULL;
    if (!number_anew(f)) {
        f->failed = true;
        return NULL;
    }
    for (uint32_t v = 0; v < f->vertex_count; v++) /* by old indices */
        if (f->moved[v] != NONE) gsim_frontier_skip_finished(f, &f->vertices[v].before);
    size_t kept = 0, parent_count = 0;
    for (uint32_t v = 0; v < f->vertex_count; v++) {
        if (f->moved[v] == NONE) continue;
        struct gsim_vertex *vertex = &f->vertices[kept++];
        *vertex = f->vertices[v];
        move_parents(f, vertex, &parent_count);
        vertex->before = moved_of(f->moved, vertex->before);
        vertex->shortcut = moved_of(f->moved, vertex->shortcut);
    }
    f->vertex_count = kept;
    f->parent_count = parent_count;
    f->candidate_count = 0;
    move_uses(f);
    move_window(f);
    return f->moved;
}
