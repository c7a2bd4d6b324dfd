/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dyn-dnn: networks whose graph depends on the input (ACS, arXiv 2401.12377): InstaNAS skips layers, dynamic routing
 * chooses paths through a grid of layers and scales, CondConv mixes the weights of experts before each convolution.
 * Batch 1. Published are the structures and InstaNAS's occupancy of 39 %. Sizes and durations are assumed, up to one
 * factor each for all three networks, which were chosen by the published means over them (trust/published/acs.csv).
 */
#include "workloads/generators/draw.h"

enum { INSTANAS, ROUTING, CONDCONV };
#define SCALES  4
#define EXPERTS 16

struct dyn_params {
    int net;
    int64_t inputs;
    struct {
        double layers, active, second, experts;
    } graph;
    struct gsim_sketch_numbers numbers;
};

static const struct {
    double graph[4];
    struct gsim_sketch_numbers numbers;
} nets[] = {
    /* layers, active, second branch, experts;  small blocks blocks sigma most  us sigma warps segments bytes pool
       unknown clock */
    {{17, 0.5, 0.3, 0}, {0.10, 9, 180, 0.8, 600, 9, 0.5, 8, 6, 4096, 64, 0, 1400}},
    {{16, 0.5, 0, 0}, {0.10, 9, 360, 0.7, 1800, 18, 0.5, 8, 6, 4096, 128, 0, 1400}},
    {{32, 1, 0, 4}, {0, 9, 540, 0.5, 1200, 18, 0.5, 8, 6, 4096, 64, 0, 1400}},
};

/* A layer that is kept: expansion, depthwise, projection; some have a second branch beside it. */
static struct gsim_tensor add_instanas(struct gsim_sketch *draw, const struct dyn_params *p, struct gsim_tensor from)
{
    struct gsim_tensor at = gsim_sketch_next(draw, "stem", from, 1, 1);
    for (int l = 0; l < gsim_whole_int(p->graph.layers); l++) {
        struct gsim_tensor ends[3] = {at}, gate = gsim_sketch_next(draw, "gate", at, 0.1, 0.3);
        uint32_t count = 1;
        if (!gsim_sketch_chance(draw, p->graph.active)) continue; /* the gate is run all the same */
        for (int b = 0; b < 2; b++) {
            if (b && !gsim_sketch_chance(draw, p->graph.second)) break;
            struct gsim_tensor reads[2] = {at, gate},
                               end = gsim_sketch_add(draw, &(struct gsim_sketch_kernel){"expand", 1, 1, reads, 2});
            end = gsim_sketch_next(draw, "depthwise", end, 1, 1);
            ends[count++] = gsim_sketch_next(draw, "project", end, 1, 1);
        }
        at = gsim_sketch_add(draw, &(struct gsim_sketch_kernel){"add", 1, 0.4, ends, count});
    }
    return gsim_sketch_next(draw, "classify", at, 0.1, 1);
}

/* Each cell of a layer reads the cells of the layer before at its scale and the next ones, where a gate lets them. */
static struct gsim_tensor add_routing(struct gsim_sketch *draw, const struct dyn_params *p, struct gsim_tensor from)
{
    struct gsim_tensor cells[SCALES], next[SCALES];
    bool is_there[SCALES] = {true};
    cells[0] = gsim_sketch_next(draw, "stem", from, 1.5, 1);
    for (int l = 0; l < gsim_whole_int(p->graph.layers); l++) {
        bool comes[SCALES] = {false};
        for (int s = 0; s < SCALES; s++) {
            struct gsim_tensor reads[3];
            uint32_t count = 0;
            for (int scale = s > 0 ? s - 1 : 0; scale <= s + 1 && scale < SCALES; scale++)
                if (is_there[scale] && (gsim_sketch_chance(draw, p->graph.active) || (scale == s && l == 0)))
                    reads[count++] = cells[scale];
            if (!count) continue;
            double smaller = s == 0 ? 1 : s == 1 ? 0.7 : s == 2 ? 0.5 : 0.35;
            struct gsim_tensor sum =
                gsim_sketch_add(draw, &(struct gsim_sketch_kernel){"gather", smaller, 0.4, reads, count});
            gsim_sketch_next(draw, "gate", sum, 0.05, 0.3);
            sum = gsim_sketch_next(draw, "depthwise", sum, smaller, 1);
            next[s] = gsim_sketch_next(draw, "pointwise", sum, smaller, 1);
            comes[s] = true;
        }
        bool has_any = false;
        for (int s = 0; s < SCALES; s++) has_any |= comes[s];
        for (int s = 0; s < SCALES && has_any; s++) {
            is_there[s] = comes[s];
            cells[s] = next[s];
        }
    }
    struct gsim_tensor last[SCALES];
    uint32_t count = 0;
    for (int s = 0; s < SCALES; s++)
        if (is_there[s]) last[count++] = cells[s];
    return gsim_sketch_add(draw, &(struct gsim_sketch_kernel){"decode", 1.5, 1, last, count});
}

/* Pooling and a small layer choose how the experts' weights are mixed, each on its own; then the convolution. */
static struct gsim_tensor add_condconv(struct gsim_sketch *draw, const struct dyn_params *p, struct gsim_tensor from)
{
    struct gsim_tensor at = gsim_sketch_next(draw, "stem", from, 1, 1);
    uint32_t experts = gsim_whole_u32(p->graph.experts) < EXPERTS ? gsim_whole_u32(p->graph.experts) : EXPERTS;
    for (int l = 0; l < gsim_whole_int(p->graph.layers); l++) {
        struct gsim_tensor mixed[EXPERTS + 1] = {at}, gate = gsim_sketch_next(
                                                          draw, "route", gsim_sketch_next(draw, "pool", at, 0.02, 0.25),
                                                          0.01, 0.25);
        for (uint32_t e = 0; e < experts; e++) mixed[1 + e] = gsim_sketch_next(draw, "mix", gate, 0.03, 0.25);
        at = gsim_sketch_add(draw, &(struct gsim_sketch_kernel){"convolve", 1, 1, mixed, 1 + experts});
        struct gsim_tensor squeezed = gsim_sketch_next(draw, "squeeze", at, 0.03, 0.25), reads[2] = {at, squeezed};
        at = gsim_sketch_add(draw, &(struct gsim_sketch_kernel){"excite", 0.6, 0.4, reads, 2});
    }
    return gsim_sketch_next(draw, "classify", at, 0.1, 1);
}

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    static struct gsim_tensor (*const add[])(struct gsim_sketch *, const struct dyn_params *,
                                             struct gsim_tensor) = {add_instanas, add_routing, add_condconv};
    struct dyn_params p = *(const struct dyn_params *)params;
    struct gsim_sketch draw;
    enum gsim_status status = gsim_sketch_begin(&draw, "dyn-dnn", &p.numbers, &nets[p.net].numbers, &p.graph,
                                                nets[p.net].graph, sizeof p.graph / sizeof(double), seed, error);
    if (status != GSIM_OK) return status;
    struct gsim_tensor last = gsim_sketch_input(&draw);
    for (int64_t i = 0; i < p.inputs; i++) last = add[p.net](&draw, &p, last);
    return gsim_sketch_finish(&draw, program, error);
}

#define GRAPH(field, most, help) GSIM_GRAPH_ROW(struct dyn_params, field, most, help)

const struct gsim_generator_ops gsim_generator_dyn_dnn = {
    GSIM_HEAD(generator),
    .name = "dyn-dnn",
    .summary = "networks whose graph depends on the input: InstaNAS, dynamic routing, CondConv (ACS)",
    .help = "Batch 1, a new graph for each input. Structures after the papers, sizes and durations assumed.",
    GSIM_PARAMS(struct dyn_params,
        GSIM_CHOICE(struct dyn_params, net, 0, 2, "instanas|routing|condconv",
                    "network: what the numbers that are -1 come from"),
        GSIM_INT(struct dyn_params, inputs, 10, 1, 1e6, "",
                 "inputs, one after the other: each begins when the one before has ended"),
        GRAPH(layers, 1000, "of the network"),
        GRAPH(active, 1, "share of layers (instanas) or paths (routing) that an input takes"),
        GRAPH(second, 1, "share of kept layers with a second branch (instanas)"),
        GRAPH(experts, EXPERTS, "whose weights are mixed (condconv)"),
        GSIM_DRAW_PARAMS(struct dyn_params)),
    .build = build,
};
