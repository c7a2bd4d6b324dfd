/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cudastf: CUDASTF's online HEFT (CUDASTF_SCHEDULE=heft). Each GPU has a load, each datum a time on each GPU. A task
 * starts at the later of both, where a datum that is elsewhere costs its bytes at one bandwidth, whatever the link. The
 * smallest end wins.
 */
#include <math.h>

#include "gpusim/placement.h"

struct cudastf_params {
    double gbps;
};

/* By buffer and device: when it is there. */
struct cudastf {
    double *there_us;
};

static enum gsim_status init(struct gsim_placing *p, struct gsim_error *error)
{
    struct cudastf *state = p->state = GSIM_ARENA_NEW(p->run->arena, struct cudastf);
    size_t count = (size_t)p->run->program->buffer_count * p->device_count;
    if (state) state->there_us = GSIM_ARENA_ARRAY(p->run->arena, double, count + 1);
    return state && state->there_us ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory while placing");
}

static double *there(const struct gsim_placing *p, const struct gsim_op *op, uint32_t arg, uint32_t device)
{
    const struct cudastf *state = p->state;
    return &state->there_us[(size_t)op->args[arg].buffer_index * p->device_count + device];
}

/* When argument ARG is on DEVICE: from the GPU that has it first. */
static double arrival_us(struct gsim_placing *p, const struct gsim_op *op, uint32_t arg, uint32_t device)
{
    const struct cudastf_params *params = p->params;
    if (gsim_placing_holds(p, op, arg, device)) return *there(p, op, arg, device);
    double from = INFINITY, bytes = (double)p->run->program->buffers[op->args[arg].buffer_index].bytes;
    for (uint32_t d = 0; d < p->device_count; d++)
        if (gsim_placing_holds(p, op, arg, d)) from = fmin(from, *there(p, op, arg, d));
    return (isfinite(from) ? from : 0) + bytes / (params->gbps * 1e3);
}

static double end_us(struct gsim_placing *p, const struct gsim_op *op, uint32_t device)
{
    double start = p->load_us[device];
    for (uint32_t a = 0; a < op->arg_count; a++)
        if (op->args[a].reads) start = fmax(start, arrival_us(p, op, a, device));
    return start + gsim_estimate_us(p->run, op);
}

static uint32_t choose(struct gsim_placing *p, const struct gsim_op *op, const uint32_t *candidates, uint32_t count)
{
    uint32_t best = candidates[0];
    double least = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        double us = end_us(p, op, candidates[i]);
        if (us >= least) continue;
        least = us;
        best = candidates[i];
    }
    double end = end_us(p, op, best);
    for (uint32_t a = 0; a < op->arg_count; a++)
        *there(p, op, a, best) = op->args[a].writes ? end : arrival_us(p, op, a, best);
    p->load_us[best] = end - gsim_estimate_us(p->run, op); /* whose estimate is added */
    return best;
}

const struct gsim_placement_ops gsim_placement_cudastf = {
    GSIM_PLACEMENT_HEAD,
    .name = "cudastf",
    .summary = "the GPU on which it would end first, at one bandwidth for all links",
    .source = "CUDASTF (cccl, cudax/__stf), schedule heft",
    GSIM_PARAMS(struct cudastf_params,
        GSIM_REAL(struct cudastf_params, gbps, 25, 0.001, 1e6, "GB/s", "bandwidth of any transfer (CUDASTF: 25)")),
    .init = init,
    .choose = choose,
};
