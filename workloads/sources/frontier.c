/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frontier: a breadth-first search, level by level, whose grids depend on how many vertices the last level found: the
 * host reads that number and then launches. The graph is random: every vertex has so many edges, each to any vertex; a
 * level that tries E edges while U of N vertices are unvisited finds about U (1 - exp(-E / N)) of them (the expected
 * number; SPREAD draws around it). Past a frontier of some share of the vertices it searches bottom-up, as
 * direction-optimising searches do.
 */
#include <math.h>

#include "gpusim/source.h"

struct frontier_params {
    double vertices, degree, spread, bottom_up, edge_ns;
};

enum step { STEP_EXPAND, STEP_FILTER, STEP_READ };

struct frontier_state {
    const struct frontier_params *params;
    const struct gsim_random *numbers;
    double frontier, unvisited; /* vertices */
    enum step step;
    uint32_t graph, front, marks, size;
    struct gsim_arg args[3];
};

static enum gsim_status open_frontier(void *state, const void *params, const struct gsim_random *numbers,
                                      struct gsim_draw *draw, struct gsim_error *error)
{
    struct frontier_state *s = state;
    (void)error;
    s->params = params;
    s->numbers = numbers;
    s->frontier = 1;
    s->unvisited = s->params->vertices - 1;
    s->graph = gsim_draw_buffer(draw, "graph", (uint64_t)llround(4 * s->params->vertices * (s->params->degree + 1)),
                                GSIM_INIT_DEVICE);
    s->front = gsim_draw_buffer(draw, "frontier", (uint64_t)llround(4 * s->params->vertices), GSIM_INIT_DEVICE);
    s->marks = gsim_draw_buffer(draw, "marks", (uint64_t)llround(s->params->vertices), GSIM_INIT_DEVICE);
    s->size = gsim_draw_buffer(draw, "size", 4, GSIM_INIT_DEVICE);
    return GSIM_OK;
}

/* What the level finds. */
static double found(struct frontier_state *s)
{
    const struct frontier_params *p = s->params;
    double share = 1 - exp(-s->frontier * p->degree / p->vertices);
    return floor(fmin(s->unvisited, s->unvisited * share * gsim_random_scale(s->numbers, p->spread) + 0.5));
}

/* A kernel with a thread for each of ITEMS, which tries EDGES edges. */
static void launch(struct gsim_draw *draw, struct gsim_op *op, struct gsim_arg *args, uint32_t arg_count,
                   const char *name, double items, double edges, double edge_ns)
{
    uint32_t blocks = (uint32_t)lround(fmin(ceil(fmax(items, 1) / 256), 2147483647.0));
    struct gsim_kernel kernel = {.name = name,
                                 .grid = {blocks, 1, 1},
                                 .block = {256, 1, 1},
                                 .regs_per_thread = 32,
                                 .demand_given = true,
                                 .dram_bytes = 32 * edges,
                                 .thread_cycles = edge_ns * 1.5 * edges / fmax(items, 1)};
    *op = (struct gsim_op){
        .kind = GSIM_OP_KERNEL, .kernel_index = gsim_draw_kernel(draw, &kernel), .arg_count = arg_count, .args = args};
}

static enum gsim_source_answer next_op(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    struct frontier_state *s = state;
    const struct frontier_params *p = s->params;
    bool is_bottom_up = s->frontier > p->bottom_up * p->vertices;
    switch (s->step) {
    case STEP_EXPAND: { /* called once the host has read the frontier's size */
        if (s->frontier < 1) return GSIM_SOURCE_END;
        double items = is_bottom_up ? s->unvisited : s->frontier;
        s->args[0] = (struct gsim_arg){.buffer_index = s->graph, .reads = true, .declared_const = true};
        s->args[1] = (struct gsim_arg){.buffer_index = s->front, .reads = true, .declared_const = true};
        s->args[2] = (struct gsim_arg){.buffer_index = s->marks, .reads = true, .writes = true};
        launch(draw, op, s->args, 3, is_bottom_up ? "bottom_up" : "top_down", items, items * p->degree, p->edge_ns);
        s->step = STEP_FILTER;
        return GSIM_SOURCE_OP;
    }
    case STEP_FILTER:
        s->args[0] = (struct gsim_arg){.buffer_index = s->marks, .reads = true, .declared_const = true};
        s->args[1] = (struct gsim_arg){.buffer_index = s->front, .writes = true};
        s->args[2] = (struct gsim_arg){.buffer_index = s->size, .writes = true};
        launch(draw, op, s->args, 3, "filter", p->vertices, p->vertices / 32, p->edge_ns);
        s->step = STEP_READ;
        return GSIM_SOURCE_OP;
    case STEP_READ:
        s->frontier = found(s);
        s->unvisited -= s->frontier;
        s->args[0] = (struct gsim_arg){.buffer_index = s->size, .reads = true, .declared_const = true};
        *op = (struct gsim_op){.kind = GSIM_OP_HOST_READ, .arg_count = 1, .args = s->args, .bytes = 4, .stream = -1};
        s->step = STEP_EXPAND;
        return GSIM_SOURCE_OP;
    }
    GSIM_BUG("step %d", (int)s->step);
}

#define PARAMS struct frontier_params
const struct gsim_source_ops gsim_source_frontier = {
    GSIM_HEAD(source),
    .name = "frontier",
    .summary = "breadth-first search: each level's grid follows from what the host read",
    .help = "After: Merrill et al., PPoPP 2012 (levels); Beamer et al., SC 2012 (bottom-up). The graph is ours: "
            "random, of one degree.",
    .state_size = sizeof(struct frontier_state),
    GSIM_PARAMS(struct frontier_params,
        GSIM_REAL(PARAMS, vertices, 1e6, 2, 1e9, "", "of the graph"),
        GSIM_REAL(PARAMS, degree, 16, 1, 1000, "", "edges of a vertex"),
        GSIM_REAL(PARAMS, spread, 0, 0, 2, "", "of what a level finds, around what is expected, relative"),
        GSIM_REAL(PARAMS, bottom_up, 0.1, 0, 1, "",
                  "share of the vertices in the frontier beyond which levels go bottom-up"),
        GSIM_REAL(PARAMS, edge_ns, 20, 0.1, 10000, "ns", "of a thread for each edge that it tries (assumed)")),
    .open = open_frontier,
    .next = next_op,
};
