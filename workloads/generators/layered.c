/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layered: random graphs of layers, each kernel reading what some kernels of the layer before it wrote. For scheduling
 * studies.
 */
#include <string.h>

#include "workloads/generators/draw.h"

#define WIDTH_MAX 256

struct layered_params {
    struct {
        double layers, width_least, width_most, inputs_least, inputs_most;
    } graph;
    struct gsim_sketch_numbers numbers;
};

static const double shape[] = {50, 2, 12, 1, 3};
static const struct gsim_sketch_numbers numbers = {0.25, 9, 80, 0.8, 400, 10, 0.5, 8, 6, 4096, 256, 0, 1400};

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    struct layered_params p = *(const struct layered_params *)params;
    struct gsim_sketch draw;
    enum gsim_status status = gsim_sketch_begin(&draw, "layered", &p.numbers, &numbers, &p.graph, shape,
                                                sizeof p.graph / sizeof(double), seed, error);
    if (status != GSIM_OK) return status;
    struct gsim_tensor before[WIDTH_MAX] = {gsim_sketch_input(&draw)}, layer[WIDTH_MAX];
    uint32_t before_count = 1;
    for (int64_t l = 0; l < gsim_whole(p.graph.layers); l++) {
        uint32_t width =
            gsim_sketch_between(&draw, p.graph.width_least > 1 ? p.graph.width_least : 1, p.graph.width_most);
        for (uint32_t i = 0; i < width; i++) {
            struct gsim_tensor reads[32];
            uint32_t count = gsim_sketch_between(&draw, p.graph.inputs_least, p.graph.inputs_most);
            for (uint32_t r = 0; r < count; r++) reads[r] = before[gsim_random_integer(&draw.rng, before_count)];
            layer[i] = gsim_sketch_add(
                &draw, &(struct gsim_sketch_kernel){.name = "kernel", .reads = reads, .read_count = count});
        }
        memcpy(before, layer, sizeof before[0] * width);
        before_count = width;
    }
    return gsim_sketch_finish(&draw, program, error);
}

#define GRAPH(field, most, help) GSIM_GRAPH_ROW(struct layered_params, field, most, help)

const struct gsim_generator_ops gsim_generator_layered = {
    GSIM_HEAD(generator),
    .name = "layered",
    .summary = "random graphs of layers, each kernel reading some results of the layer before",
    .help = "Numbers that are -1 have the defaults of their lines.",
    GSIM_PARAMS(struct layered_params,
        GRAPH(layers, 1e7, "of the graph (-1: 50)"),
        GRAPH(width_least, WIDTH_MAX, "kernels of a layer: at the least (-1: 2)"),
        GRAPH(width_most, WIDTH_MAX, "at the most (-1: 12)"),
        GRAPH(inputs_least, 32, "results of the layer before that a kernel reads: at the least (-1: 1)"),
        GRAPH(inputs_most, 32, "at the most (-1: 3)"),
        GSIM_DRAW_PARAMS(struct layered_params)),
    .build = build,
};
