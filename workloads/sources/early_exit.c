/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * early-exit: inference requests through layers, a classifier after every few of them; its confidence comes back to the
 * host, which stops as soon as that is enough, or once the request has had its time. A request's activations are a
 * buffer of their own, given back at its end.
 */
#include "gpusim/source.h"

struct exit_params {
    int64_t requests, layers, every, blocks;
    double us, exits, deadline_us;
};

enum step { STEP_BEGIN, STEP_LAYER, STEP_CLASSIFY, STEP_READ, STEP_DECIDE };

struct exit_state {
    const struct exit_params *params;
    const struct gsim_random *numbers;
    int64_t request, layer;
    double began_us;
    bool is_sure;
    enum step step;
    uint32_t weights, activations, confidence;
    struct gsim_arg args[2];
};

static enum gsim_status open_exit(void *state, const void *params, const struct gsim_random *numbers,
                                  struct gsim_draw *draw, struct gsim_error *error)
{
    struct exit_state *s = state;
    (void)error;
    s->params = params;
    s->numbers = numbers;
    s->weights = gsim_draw_buffer(draw, "weights", 1u << 22, GSIM_INIT_DEVICE);
    s->confidence = gsim_draw_buffer(draw, "confidence", 4, GSIM_INIT_DEVICE);
    return GSIM_OK;
}

static void launch(struct exit_state *s, struct gsim_draw *draw, struct gsim_op *op, const char *name, double us,
                   uint32_t read, uint32_t written)
{
    struct gsim_kernel kernel = {
        .name = name, .grid = {(uint32_t)s->params->blocks, 1, 1}, .block = {256, 1, 1}, .solo_us = us};
    s->args[0] = (struct gsim_arg){.buffer_index = read, .reads = true, .declared_const = true};
    s->args[1] = (struct gsim_arg){.buffer_index = written, .reads = written == s->activations, .writes = true};
    *op = (struct gsim_op){
        .kind = GSIM_OP_KERNEL, .kernel_index = gsim_draw_kernel(draw, &kernel), .arg_count = 2, .args = s->args};
}

static enum gsim_source_answer next_op(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    struct exit_state *s = state;
    const struct exit_params *p = s->params;
    if (s->step == STEP_DECIDE) { /* the host knows the confidence, and the time */
        bool is_late = p->deadline_us > 0 && gsim_draw_now_us(draw) - s->began_us >= p->deadline_us;
        bool is_over = s->is_sure || is_late || s->layer == p->layers;
        if (is_over) gsim_draw_free(draw, s->activations);
        s->request += is_over;
        s->step = is_over ? STEP_BEGIN : STEP_LAYER;
    }
    switch (s->step) {
    case STEP_BEGIN:
        if (s->request == p->requests) return GSIM_SOURCE_END;
        s->activations = gsim_draw_buffer(draw, "activations", 1u << 20, GSIM_INIT_HOST);
        s->began_us = gsim_draw_now_us(draw);
        s->layer = 0;
        s->step = STEP_LAYER;
        /* fallthrough */
    case STEP_LAYER:
        launch(s, draw, op, "layer", p->us, s->weights, s->activations);
        s->layer++;
        if (s->layer % p->every == 0 || s->layer == p->layers) s->step = STEP_CLASSIFY;
        return GSIM_SOURCE_OP;
    case STEP_CLASSIFY:
        launch(s, draw, op, "classify", p->us / 2, s->activations, s->confidence);
        s->step = STEP_READ;
        return GSIM_SOURCE_OP;
    case STEP_READ:
        s->is_sure = gsim_random_uniform(s->numbers) < p->exits;
        s->args[0] = (struct gsim_arg){.buffer_index = s->confidence, .reads = true, .declared_const = true};
        *op = (struct gsim_op){.kind = GSIM_OP_HOST_READ, .arg_count = 1, .args = s->args, .bytes = 4, .stream = -1};
        s->step = STEP_DECIDE;
        return GSIM_SOURCE_OP;
    case STEP_DECIDE:
        break;
    }
    GSIM_BUG("step %d", (int)s->step);
}

#define PARAMS struct exit_params
const struct gsim_source_ops gsim_source_early_exit = {
    GSIM_HEAD(source),
    .name = "early-exit",
    .summary = "inference that stops as soon as a classifier between layers is sure",
    .help = "After: BranchyNet (ICPR 2016). Times and chances are ours.",
    .state_size = sizeof(struct exit_state),
    GSIM_PARAMS(struct exit_params,
        GSIM_INT(PARAMS, requests, 20, 1, 1e9, "", "one after another"),
        GSIM_INT(PARAMS, layers, 24, 1, 10000, "", "of the whole network"),
        GSIM_INT(PARAMS, every, 4, 1, 10000, "", "so many layers, a classifier"),
        GSIM_INT(PARAMS, blocks, 64, 1, 65536, "", "of a kernel"),
        GSIM_REAL(PARAMS, us, 20, 0.1, 1e6, "us", "time of a layer alone; a classifier takes half of it (assumed)"),
        GSIM_REAL(PARAMS, exits, 0.3, 0, 1, "", "chance that a classifier is sure (assumed)"),
        GSIM_REAL(PARAMS, deadline_us, 0, 0, 1e9, "us",
                  "a request that has taken so long ends at its next classifier; 0: none does")),
    .open = open_exit,
    .next = next_op,
};
