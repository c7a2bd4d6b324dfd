/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * brax: one step after another of a physics simulation for deep reinforcement learning (Brax, the workload of ACS,
 * arXiv 2401.12377): chains of small kernels for the bodies and contacts that are active, then one that joins them. The
 * paper has no numbers of graphs but these: 40 % of ant's kernels have at most 9 blocks, and the baseline's occupancy
 * is 34 %. The rest is assumed; the medians, the same for all environments, were chosen by the published means over
 * them (trust/published/acs.csv).
 */
#include "workloads/generators/draw.h"

#define BRANCHES_MAX 60

struct brax_params {
    int env;
    int64_t steps;
    struct {
        double branches_least, branches_most, length_least, length_most, active, cross;
    } graph;
    struct gsim_sketch_numbers numbers;
};

static const struct {
    double graph[6];
    struct gsim_sketch_numbers numbers;
} environments[] = {
    /* branches, length, active, cross;  small blocks blocks sigma most  us sigma warps segments bytes pool unknown
       clock */
    {{2, 5, 2, 7, 0.9, 0.1}, {0.40, 9, 100, 0.9, 600, 16, 0.6, 8, 6, 4096, 64, 0, 1400}}, /* ant */
    {{4, 8, 3, 9, 0.9, 0.1}, {0.40, 9, 100, 0.9, 600, 16, 0.6, 8, 6, 4096, 64, 0, 1400}}, /* grasp */
    {{4, 8, 2, 7, 0.9, 0.1}, {0.40, 9, 100, 0.9, 600, 16, 0.6, 8, 6, 4096, 64, 0, 1400}}, /* humanoid */
    {{2, 4, 2, 7, 0.9, 0.1}, {0.40, 9, 100, 0.9, 600, 16, 0.6, 8, 6, 4096, 64, 0, 1400}}, /* cheetah */
    {{2, 4, 2, 6, 0.9, 0.1}, {0.40, 9, 100, 0.9, 600, 16, 0.6, 8, 6, 4096, 64, 0, 1400}}, /* walker2d */
};

/* One step from STATE. Chains come one after the other; a kernel may also read what an earlier chain ended with. */
static struct gsim_tensor add_step(struct gsim_sketch *draw, const struct brax_params *p, struct gsim_tensor state)
{
    struct gsim_tensor ends[BRANCHES_MAX];
    uint32_t branches = gsim_sketch_between(draw, p->graph.branches_least, p->graph.branches_most), count = 0;
    for (uint32_t b = 0; b < branches && b < BRANCHES_MAX; b++) {
        struct gsim_tensor at = state;
        if (b + 1 < branches + (count > 0) && !gsim_sketch_chance(draw, p->graph.active))
            continue; /* the last one when none was */
        uint32_t length = gsim_sketch_between(draw, p->graph.length_least, p->graph.length_most);
        for (uint32_t l = 0; l < length; l++) {
            struct gsim_tensor reads[2] = {at};
            bool crosses = count > 0 && gsim_sketch_chance(draw, p->graph.cross);
            if (crosses) reads[1] = ends[gsim_random_integer(&draw->rng, count)];
            at = gsim_sketch_add(
                draw, &(struct gsim_sketch_kernel){.name = "body", .reads = reads, .read_count = 1 + crosses});
        }
        ends[count++] = at;
    }
    return gsim_sketch_add(draw, &(struct gsim_sketch_kernel){.name = "join", .reads = ends, .read_count = count});
}

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    struct brax_params p = *(const struct brax_params *)params;
    struct gsim_sketch draw;
    enum gsim_status status =
        gsim_sketch_begin(&draw, "brax", &p.numbers, &environments[p.env].numbers, &p.graph, environments[p.env].graph,
                          sizeof p.graph / sizeof(double), seed, error);
    if (status != GSIM_OK) return status;
    struct gsim_tensor state = gsim_sketch_input(&draw);
    for (int64_t s = 0; s < p.steps; s++) state = add_step(&draw, &p, state);
    return gsim_sketch_finish(&draw, program, error);
}

#define GRAPH(field, most, help) GSIM_GRAPH_ROW(struct brax_params, field, most, help)

const struct gsim_generator_ops gsim_generator_brax = {
    GSIM_HEAD(generator),
    .name = "brax",
    .summary = "physics simulation for deep RL: in each step chains of small kernels that are joined (ACS)",
    .help =
        "Per step 2 to 8 chains, drawn anew, of 2 to 9 kernels each, and a join. Environments ant, grasp, humanoid,\n"
        "cheetah, walker2d. Sizes and durations are assumed, but for the published share of small kernels.",
    GSIM_PARAMS(struct brax_params,
        GSIM_CHOICE(struct brax_params, env, 0, 4, "ant|grasp|humanoid|cheetah|walker2d",
                    "environment: what the numbers that are -1 come from"),
        GSIM_INT(struct brax_params, steps, 100, 1, 1e7, "", "steps of the simulation"),
        GRAPH(branches_least, BRANCHES_MAX, "bodies and contacts that could be active in a step: at the least"),
        GRAPH(branches_most, BRANCHES_MAX, "at the most"),
        GRAPH(length_least, 1000, "kernels one after the other for each: at the least"),
        GRAPH(length_most, 1000, "at the most"),
        GRAPH(active, 1, "share of those that are active"),
        GRAPH(cross, 1, "share of kernels that also read another chain's result"),
        GSIM_DRAW_PARAMS(struct brax_params)),
    .build = build,
};
