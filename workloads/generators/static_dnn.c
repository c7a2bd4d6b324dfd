/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * static-dnn: networks with irregular but fixed graphs (ACS, arXiv 2401.12377): cells of NASNet and AmoebaNet,
 * SqueezeNet's fire modules, RandomWire's Watts-Strogatz graphs. Batch 1; all inputs have the graph that the seed
 * gives. Sizes and durations are assumed, the same for all networks; the median size was chosen by the published means
 * (trust/published/acs.csv).
 */
#include "workloads/generators/draw.h"

enum { NASNET, AMOEBANET, SQUEEZENET, RANDOMWIRE };
#define PAIRS_MAX 16
#define NODES_MAX 56

struct static_params {
    int net;
    int64_t inputs;
    struct {
        double cells, pairs, neighbours, rewired;
    } graph;
    struct gsim_sketch_numbers numbers;
};

static const struct {
    double graph[4];
    struct gsim_sketch_numbers numbers;
} nets[] = {
    /* cells, pairs or nodes, neighbours, rewired;  small blocks blocks sigma most  us sigma warps segments bytes pool
       unknown clock */
    {{12, 5, 0, 0}, {0, 9, 300, 0.8, 1000, 14, 0.5, 8, 6, 4096, 128, 0, 1400}},
    {{18, 5, 0, 0}, {0, 9, 300, 0.8, 1000, 14, 0.5, 8, 6, 4096, 128, 0, 1400}},
    {{8, 0, 0, 0}, {0, 9, 300, 0.8, 1000, 14, 0.5, 8, 6, 4096, 128, 0, 1400}},
    {{3, 32, 4, 0.75}, {0, 9, 300, 0.8, 1000, 14, 0.5, 8, 6, 4096, 128, 0, 1400}},
};

/* One of a pair's two operations: a separable convolution, a convolution or a pooling. */
static struct gsim_tensor operate(struct gsim_sketch *draw, struct gsim_tensor from, uint32_t kind)
{
    if (kind == 0) return from; /* identity */
    if (kind == 1) return gsim_sketch_next(draw, "pool", from, 0.7, 0.4);
    struct gsim_tensor at = gsim_sketch_next(draw, "depthwise", from, 1, 0.7);
    return kind == 2 ? gsim_sketch_next(draw, "pointwise", at, 1, 1) : gsim_sketch_next(draw, "convolve", at, 1, 1);
}

/* Cells of pairs: each adds what two operations make of earlier results. WIRING: how, the same for every cell of a
 * kind. */
static struct gsim_tensor add_cells(struct gsim_sketch *draw, const struct static_params *p, struct gsim_tensor from,
                                    uint64_t wiring)
{
    struct gsim_tensor last = gsim_sketch_next(draw, "stem", from, 1, 1), before = last;
    uint32_t pairs = gsim_whole_u32(p->graph.pairs) < PAIRS_MAX ? gsim_whole_u32(p->graph.pairs) : PAIRS_MAX;
    for (int c = 0; c < gsim_whole_int(p->graph.cells); c++) {
        struct gsim_tensor results[PAIRS_MAX + 2] = {before, last}, joined[PAIRS_MAX];
        uint64_t draws = wiring;
        results[0] = gsim_sketch_next(draw, "fit", before, 0.7, 0.5);
        results[1] = gsim_sketch_next(draw, "fit", last, 0.7, 0.5);
        for (uint32_t i = 0; i < pairs; i++) {
            struct gsim_tensor two[2];
            for (int side = 0; side < 2; side++) {
                draws = draws * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth's, MMIX */
                two[side] = operate(draw, results[(draws >> 33) % (2 + i)], (uint32_t)(draws >> 60) % 4);
            }
            results[2 + i] = joined[i] = gsim_sketch_add(draw, &(struct gsim_sketch_kernel){"add", 1, 0.3, two, 2});
        }
        before = last;
        last = gsim_sketch_add(draw, &(struct gsim_sketch_kernel){"concat", 1, 0.4, joined, pairs});
    }
    return gsim_sketch_next(draw, "classify", last, 0.1, 1);
}

static struct gsim_tensor add_squeezenet(struct gsim_sketch *draw, const struct static_params *p,
                                         struct gsim_tensor from)
{
    struct gsim_tensor at = gsim_sketch_next(draw, "stem", from, 1, 1);
    for (int c = 0; c < gsim_whole_int(p->graph.cells); c++) {
        struct gsim_tensor squeezed = gsim_sketch_next(draw, "squeeze", at, 0.7, 0.7);
        struct gsim_tensor both[2] = {gsim_sketch_next(draw, "expand_1x1", squeezed, 1, 0.8),
                                      gsim_sketch_next(draw, "expand_3x3", squeezed, 1, 1.2)};
        at = gsim_sketch_add(draw, &(struct gsim_sketch_kernel){"concat", 1, 0.3, both, 2});
    }
    return gsim_sketch_next(draw, "classify", at, 0.3, 1);
}

/* Nodes in a ring with edges to their next neighbours, of which some are rewired; edges go from lower to higher
 * numbers. */
static void wire(const struct static_params *p, uint32_t nodes, uint64_t draws, bool edge[NODES_MAX][NODES_MAX])
{
    for (uint32_t i = 0; i < nodes; i++)
        for (uint32_t k = 1; k <= gsim_whole_u32(p->graph.neighbours) / 2; k++) {
            uint32_t to = (i + k) % nodes;
            draws = draws * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            if ((double)(draws >> 11) * 0x1p-53 < p->graph.rewired) {
                draws = draws * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                to = (uint32_t)((draws >> 33) % nodes);
            }
            if (to != i) edge[to < i ? to : i][to < i ? i : to] = true;
        }
}

static struct gsim_tensor add_randomwire(struct gsim_sketch *draw, const struct static_params *p,
                                         struct gsim_tensor from, uint64_t wiring)
{
    struct gsim_tensor at = gsim_sketch_next(draw, "stem", from, 1, 1);
    uint32_t nodes = gsim_whole_u32(p->graph.pairs) < NODES_MAX ? gsim_whole_u32(p->graph.pairs) : NODES_MAX;
    for (int c = 0; c < gsim_whole_int(p->graph.cells); c++) {
        bool edge[NODES_MAX][NODES_MAX] = {{false}};
        struct gsim_tensor results[NODES_MAX], ends[NODES_MAX];
        uint32_t end_count = 0;
        wire(p, nodes, wiring + (uint64_t)c, edge);
        for (uint32_t i = 0; i < nodes; i++) {
            struct gsim_tensor reads[NODES_MAX];
            uint32_t count = 0, follow = 0;
            for (uint32_t j = 0; j < i; j++)
                if (edge[j][i]) reads[count++] = results[j];
            for (uint32_t j = i + 1; j < nodes; j++) follow += edge[i][j];
            if (!count) reads[count++] = at;
            struct gsim_tensor sum = gsim_sketch_add(draw, &(struct gsim_sketch_kernel){"sum", 1, 0.3, reads, count});
            results[i] = gsim_sketch_next(draw, "pointwise", gsim_sketch_next(draw, "depthwise", sum, 1, 0.7), 1, 1);
            if (!follow) ends[end_count++] = results[i];
        }
        at = gsim_sketch_add(draw, &(struct gsim_sketch_kernel){"mean", 1, 0.3, ends, end_count});
    }
    return gsim_sketch_next(draw, "classify", at, 0.3, 1);
}

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    struct static_params p = *(const struct static_params *)params;
    struct gsim_sketch draw;
    enum gsim_status status = gsim_sketch_begin(&draw, "static-dnn", &p.numbers, &nets[p.net].numbers, &p.graph,
                                                nets[p.net].graph, sizeof p.graph / sizeof(double), seed, error);
    if (status != GSIM_OK) return status;
    struct gsim_tensor last = gsim_sketch_input(&draw);
    for (int64_t i = 0; i < p.inputs; i++) {
        if (i) { /* the same kernels again */
            gsim_random_release(&draw.rng);
            draw.rng = (struct gsim_random){0};
            if (gsim_random_init(&draw.rng, seed, error) != GSIM_OK) break;
        }
        if (p.net == SQUEEZENET) last = add_squeezenet(&draw, &p, last);
        else if (p.net == RANDOMWIRE) last = add_randomwire(&draw, &p, last, seed);
        else last = add_cells(&draw, &p, last, seed * 8 + (uint64_t)p.net);
    }
    if (!draw.rng.state) {
        gsim_builder_destroy(draw.builder);
        return GSIM_NOMEM;
    }
    return gsim_sketch_finish(&draw, program, error);
}

#define GRAPH(field, most, help) GSIM_GRAPH_ROW(struct static_params, field, most, help)

const struct gsim_generator_ops gsim_generator_static_dnn = {
    GSIM_HEAD(generator),
    .name = "static-dnn",
    .summary = "networks with irregular fixed graphs: NASNet, AmoebaNet, SqueezeNet, RandomWire (ACS)",
    .help = "Batch 1, the same graph for each input. Structures after the papers, sizes and durations assumed.",
    GSIM_PARAMS(struct static_params,
        GSIM_CHOICE(struct static_params, net, 0, 3, "nasnet|amoebanet|squeezenet|randomwire",
                    "network: what the numbers that are -1 come from"),
        GSIM_INT(struct static_params, inputs, 10, 1, 1e6, "",
                 "inputs, one after the other: each begins when the one before has ended"),
        GRAPH(cells, 1000, "cells, fire modules (squeezenet) or stages (randomwire)"),
        GRAPH(pairs, NODES_MAX, "pairs in a cell (nasnet, amoebanet: at most 16) or nodes in a stage (randomwire)"),
        GRAPH(neighbours, 32, "edges of a node before some are rewired (randomwire)"),
        GRAPH(rewired, 1, "share of edges that are (randomwire)"),
        GSIM_DRAW_PARAMS(struct static_params)),
    .build = build,
};
