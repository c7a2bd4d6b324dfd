/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See traces/import/pytorch/graph_dot.h. A node is "graph_G_node_N"[... label="{KIND | {ID | N (topoId: T) |
 * FUNCTION\<\<\<GRID,BLOCK,BYTES\>\>\>} ..."], GRID and BLOCK a number or \{x,y,z\}; an edge "A" -> "B". Graphs within
 * the graph are refused: what they do has no nodes of its own here.
 */
#include "traces/import/pytorch/graph_dot.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/gz.h"

#define NONE UINT32_MAX

enum node_kind { NODE_KERNEL, NODE_COPY, NODE_MEMSET, NODE_NOTHING };

struct node {
    enum node_kind kind;
    const char *name; /* "graph_1_node_0" */
    size_t name_length;
    const char *function; /* mangled */
    size_t function_length;
    struct gsim_dim3 grid, block;
    uint32_t op; /* of the program; NONE: nothing of it */
};

struct graph {
    struct node *nodes;
    uint32_t (*edges)[2];
    size_t count, room, edge_count, edge_room;
};

/* --- reading --- */
static const char *read_size(const char *at, struct gsim_dim3 *size)
{
    uint32_t *const sides[] = {&size->x, &size->y, &size->z};
    bool is_list = strncmp(at, "\\{", 2) == 0;
    *size = (struct gsim_dim3){1, 1, 1};
    if (is_list) at += 2;
    for (int i = 0; i < 3; i++) {
        char *end;
        unsigned long value = strtoul(at, &end, 10);
        if (end == at || value > UINT32_MAX) return NULL;
        *sides[i] = (uint32_t)value;
        at = end;
        if (!is_list || *at != ',') break;
        at++;
    }
    return !is_list ? at : strncmp(at, "\\}", 2) == 0 ? at + 2 : NULL;
}

static bool read_kernel(const char *label, const char *end, struct node *node)
{
    const char *id = strstr(label, "(topoId:"), *bar = id ? strchr(id, '|') : NULL,
               *launch = bar ? strstr(bar, "\\<\\<\\<") : NULL;
    if (!launch || launch > end) return false;
    node->function = bar + 1 + strspn(bar + 1, " ");
    node->function_length = (size_t)(launch - node->function);
    const char *at = read_size(launch + 6, &node->grid);
    return at && *at == ',' && read_size(at + 1, &node->block);
}

static bool is_word(const char *text, const char *word) { return strncmp(text, word, strlen(word)) == 0; }

/* A line's first quoted text; NULL: it has none. */
static const char *quoted(const char *at, size_t *length)
{
    if (*at != '"') return NULL;
    const char *end = strchr(at + 1, '"');
    *length = end ? (size_t)(end - at - 1) : 0;
    return end ? at + 1 : NULL;
}

static bool is_called(const struct node *node, const char *name, size_t length)
{
    return node->name_length == length && strncmp(node->name, name, length) == 0;
}

/* A name's number is mostly the node's place. */
static uint32_t find_node(const struct graph *g, const char *name, size_t length)
{
    size_t digits = length;
    while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9') digits--;
    unsigned long place = digits < length ? strtoul(name + digits, NULL, 10) : g->count;
    if (place < g->count && is_called(&g->nodes[place], name, length)) return (uint32_t)place;
    for (uint32_t i = 0; i < g->count; i++)
        if (is_called(&g->nodes[i], name, length)) return i;
    return NONE;
}

static enum gsim_status add_node(struct graph *g, const char *name, size_t length, const char *label,
                                 struct gsim_error *error)
{
    struct node node = {.kind = NODE_NOTHING, .name = name, .name_length = length, .op = NONE};
    const char *end = strstr(label, "\"];");
    label += strspn(label, "{ \n\r\t0123456789");
    if (!end)
        return gsim_error_set(error, GSIM_INPUT, "node '%.*s' has no end", (int)(length < 60 ? length : 60), name);
    if (is_word(label, "KERNEL")) node.kind = NODE_KERNEL;
    if (is_word(label, "MEMCPY")) node.kind = NODE_COPY;
    if (is_word(label, "MEMSET")) node.kind = NODE_MEMSET;
    if (is_word(label, "GRAPH") || is_word(label, "CONDITIONAL"))
        return gsim_error_set(error, GSIM_INPUT,
                              "node '%.*s' is a graph of its own: expected kernels, copies and memsets",
                              (int)(length < 60 ? length : 60), name);
    if (node.kind == NODE_KERNEL && !read_kernel(label, end, &node))
        return gsim_error_set(
            error, GSIM_INPUT,
            "node '%.*s': expected a kernel's name and <<<grid, block, bytes>>> (cudaGraphDebugDotFlagsVerbose)",
            (int)(length < 60 ? length : 60), name);
    if (g->count >= NONE || !GSIM_APPEND(g->nodes, g->count, g->room, node)) return gsim_no_memory(error);
    return GSIM_OK;
}

static enum gsim_status add_edge(struct graph *g, const char *from, size_t from_length, const char *to,
                                 size_t to_length, struct gsim_error *error)
{
    uint32_t edge[2] = {find_node(g, from, from_length), find_node(g, to, to_length)};
    if (edge[0] == NONE || edge[1] == NONE)
        return gsim_error_set(error, GSIM_INPUT, "an edge names '%.*s', which is no node",
                              (int)((edge[0] == NONE ? from_length : to_length) % 60), edge[0] == NONE ? from : to);
    if (gsim_array_grow(&g->edges, sizeof *g->edges, g->edge_count, &g->edge_room)) return gsim_no_memory(error);
    memcpy(g->edges[g->edge_count++], edge, sizeof edge);
    return GSIM_OK;
}

/* Nodes first: an edge may stand before a node. */
static enum gsim_status read_lines(const char *text, struct graph *g, bool edges, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (const char *line = text; line && *line && status == GSIM_OK;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        size_t length, other_length;
        const char *at = line + strspn(line, " \t"), *name = quoted(at, &length);
        if (!name || length == 0) continue;
        at = name + length + 1;
        at += strspn(at, " \t");
        const char *arrow = is_word(at, "->") ? at + 2 + strspn(at + 2, " \t") : NULL,
                   *other = arrow ? quoted(arrow, &other_length) : NULL;
        const char *label = *at == '[' ? strstr(at, "label=\"") : NULL, *next = strchr(line, '\n');
        if (edges && other) status = add_edge(g, name, length, other, other_length, error);
        if (!edges && label && (!next || label < next)) status = add_node(g, name, length, label + 7, error);
    }
    return status;
}

/* --- matching --- */
static bool is_same_size(const struct gsim_dim3 *a, const struct gsim_dim3 *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

/* The function's own name in a demangled one: "add" of "void ns::add<float>(int)". */
static size_t own_name(const char *name, const char **begin)
{
    static const char nameless[] = "(anonymous namespace)";
    size_t end = strcspn(name, "<(");
    while (is_word(name + end, nameless)) {
        end += sizeof nameless - 1;
        end += strcspn(name + end, "<(");
    }
    *begin = name;
    for (size_t i = 0; i < end; i++)
        if (name[i] == ' ' || (name[i] == ':' && name[i + 1] != ':')) *begin = name + i + 1;
    return (size_t)(name + end - *begin);
}

static bool is_same_function(const struct node *node, const char *name)
{
    const char *own;
    size_t length = own_name(name, &own);
    for (size_t i = 0; length && i + length <= node->function_length; i++)
        if (strncmp(node->function + i, own, length) == 0) return true;
    return false;
}

static bool fits(const struct node *node, const struct gsim_program *p, const struct gsim_op *op)
{
    const struct gsim_kernel *k = op->kind == GSIM_OP_KERNEL ? &p->kernels[op->kernel_index] : NULL;
    bool is_memset = k && strcmp(k->name, "memset") == 0;
    if (node->kind == NODE_MEMSET) return is_memset;
    if (node->kind == NODE_COPY) return op->kind == GSIM_OP_COPY;
    return k && !is_memset && is_same_size(&node->grid, &k->grid) && is_same_size(&node->block, &k->block) &&
           is_same_function(node, k->name);
}

static bool is_work(const struct gsim_op *op) { return op->kind == GSIM_OP_KERNEL || op->kind == GSIM_OP_COPY; }

static enum gsim_status match(struct graph *g, const struct gsim_program *p, bool *is_taken, struct gsim_error *error)
{
    size_t nodes = 0, works = 0;
    uint32_t from = 0; /* ops before it are taken */
    for (uint32_t i = 0; i < p->op_count; i++) works += is_work(&p->ops[i]);
    for (size_t i = 0; i < g->count; i++) nodes += g->nodes[i].kind != NODE_NOTHING;
    if (nodes != works)
        return gsim_error_set(
            error, GSIM_INPUT,
            "it has %zu kernels, copies and memsets, and the trace %zu: expected the graph that the trace replays once",
            nodes, works);
    for (size_t i = 0; i < g->count; i++) {
        struct node *node = &g->nodes[i];
        if (node->kind == NODE_NOTHING) continue;
        while (from < p->op_count && (is_taken[from] || !is_work(&p->ops[from]))) from++;
        uint32_t op = from;
        while (op < p->op_count && (is_taken[op] || !is_work(&p->ops[op]) || !fits(node, p, &p->ops[op]))) op++;
        if (op == p->op_count)
            return gsim_error_set(error, GSIM_INPUT, "node '%.*s' (%.*s) is no kernel of the trace",
                                  (int)(node->name_length % 60), node->name,
                                  (int)(node->function_length < 100 ? node->function_length : 100),
                                  node->function ? node->function : "no kernel");
        node->op = op;
        is_taken[op] = true;
    }
    return GSIM_OK;
}

/* --- the program --- */
struct walk {
    const struct graph *g;
    uint32_t *first, *next; /* by node: its edges, counted from 1; by edge: the node's next one */
    uint32_t *met;          /* by node: the last walk that came by, counted from 1 */
    uint32_t *order, *place; /* nodes in a topological order; by node: its op in the new program */
    uint32_t *after, *stack;
};

/* Nodes whose predecessors all are in the order, again and again; false: the edges run in a circle. */
static bool sort_nodes(struct walk *w)
{
    uint32_t count = (uint32_t)w->g->count, done = 0;
    for (bool moves = true; moves && done < count;) {
        moves = false;
        for (uint32_t i = 0; i < count; i++) {
            bool is_ready = !w->met[i];
            for (uint32_t e = w->first[i]; e && is_ready; e = w->next[e - 1]) is_ready = w->met[w->g->edges[e - 1][0]];
            if (!is_ready) continue;
            w->met[i] = 1;
            w->order[done++] = i;
            moves = true;
        }
    }
    return done == count;
}

/* What NODE follows; nodes that do nothing pass on what they follow. */
static uint32_t find_after(struct walk *w, uint32_t node, uint32_t walk)
{
    uint32_t count = 0, depth = 0;
    w->stack[depth++] = node;
    while (depth) {
        for (uint32_t e = w->first[w->stack[--depth]]; e; e = w->next[e - 1]) {
            uint32_t before = w->g->edges[e - 1][0];
            if (w->met[before] == walk) continue;
            w->met[before] = walk;
            if (w->g->nodes[before].op == NONE) w->stack[depth++] = before;
            else w->after[count++] = w->place[before];
        }
    }
    return count;
}

static bool add_op(struct walk *w, const struct gsim_program *p, struct gsim_builder *b, uint32_t node, uint32_t walk)
{
    struct gsim_op op = p->ops[w->g->nodes[node].op];
    op.after = w->after;
    op.after_count = find_after(w, node, walk);
    if (op.kind == GSIM_OP_KERNEL) {
        op.args = NULL;
        op.segments = NULL;
        op.arg_count = op.segment_count = 0;
        op.is_unknown = false;
        op.kernel_index = gsim_builder_kernel(b, &p->kernels[op.kernel_index]);
        if (op.kernel_index == NONE) return false;
    }
    w->place[node] = gsim_builder_op(b, &op);
    return w->place[node] != NONE;
}

static enum gsim_status build(const struct graph *g, const struct gsim_program *p, struct gsim_program *result,
                              struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    size_t count = g->count + 1;
    struct walk w = {.g = g,
                     .first = GSIM_ARENA_ARRAY(&arena, uint32_t, count),
                     .next = GSIM_ARENA_ARRAY(&arena, uint32_t, g->edge_count + 1),
                     .met = GSIM_ARENA_ARRAY(&arena, uint32_t, count),
                     .order = GSIM_ARENA_ARRAY(&arena, uint32_t, count),
                     .place = GSIM_ARENA_ARRAY(&arena, uint32_t, count),
                     .after = GSIM_ARENA_ARRAY(&arena, uint32_t, count),
                     .stack = GSIM_ARENA_ARRAY(&arena, uint32_t, count)};
    struct gsim_builder *b = gsim_builder_create(p->name);
    enum gsim_status status = arena.failed || !b ? gsim_no_memory(error) : GSIM_OK;
    for (uint32_t e = 0; status == GSIM_OK && e < g->edge_count; e++) {
        w.next[e] = w.first[g->edges[e][1]];
        w.first[g->edges[e][1]] = e + 1;
    }
    if (status == GSIM_OK && !sort_nodes(&w)) status = gsim_error_set(error, GSIM_INPUT, "its edges run in a circle");
    bool ok = status == GSIM_OK;
    for (uint32_t i = 0; ok && i < p->buffer_count; i++)
        ok = gsim_builder_buffer(b, p->buffers[i].name, p->buffers[i].bytes, GSIM_INIT_DEVICE) != NONE;
    for (uint32_t i = 0; ok && i < g->count; i++)
        if (g->nodes[w.order[i]].op != NONE) ok = add_op(&w, p, b, w.order[i], i + 2);
    if (ok) {
        status = gsim_builder_finish(b, 1, result, error);
    } else {
        gsim_builder_destroy(b);
        if (status == GSIM_OK) status = gsim_no_memory(error);
    }
    gsim_arena_release(&arena);
    return status;
}

enum gsim_status gsim_graph_dot_apply(const char *path, const struct gsim_program *program, struct gsim_program *result,
                                      struct gsim_error *error)
{
    struct graph g = {0};
    size_t length = 0;
    char *text = gsim_file_read(path, &length, error);
    if (!text) return gsim_error_prefix(error, "cannot read '%s'", path);
    bool *is_taken = gsim_alloc(sizeof *is_taken * ((size_t)program->op_count + 1));
    enum gsim_status status = is_taken ? read_lines(text, &g, false, error) : gsim_no_memory(error);
    if (status == GSIM_OK && !g.count)
        status = gsim_error_set(error, GSIM_INPUT,
                                "expected a CUDA graph in DOT, as PyTorch's debug_dump writes it, found no node");
    if (status == GSIM_OK) status = read_lines(text, &g, true, error);
    if (status == GSIM_OK) status = match(&g, program, is_taken, error);
    if (status == GSIM_OK) status = build(&g, program, result, error);
    gsim_free(is_taken);
    gsim_free(g.nodes);
    gsim_free(g.edges);
    gsim_free(text);
    return status == GSIM_OK ? status : gsim_error_prefix(error, "cannot use '%s'", path);
}
