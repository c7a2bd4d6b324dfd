/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source from outside the tree: FROM kernels, the host reads after each how many are left. */
#include "gpusim/source.h"

struct countdown_params {
    int64_t from;
};

struct countdown {
    int64_t left;
    bool is_read;
    uint32_t count;
    struct gsim_arg arg;
};

static enum gsim_status start(void *state, const void *params, const struct gsim_random *numbers,
                              struct gsim_draw *draw, struct gsim_error *error)
{
    struct countdown *c = state;
    (void)numbers;
    (void)error;
    c->left = ((const struct countdown_params *)params)->from;
    c->count = gsim_draw_buffer(draw, "count", 4, GSIM_INIT_DEVICE);
    c->is_read = true;
    return GSIM_OK;
}

static enum gsim_source_answer next(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    struct countdown *c = state;
    static const struct gsim_kernel kernel = {.name = "count", .grid = {1, 1, 1}, .block = {32, 1, 1}, .solo_us = 3};
    if (c->is_read && !c->left) return GSIM_SOURCE_END;
    c->arg =
        (struct gsim_arg){.buffer_index = c->count, .reads = true, .writes = c->is_read, .declared_const = !c->is_read};
    op->args = &c->arg;
    op->arg_count = 1;
    op->kind = c->is_read ? GSIM_OP_KERNEL : GSIM_OP_HOST_READ;
    if (c->is_read) op->kernel_index = gsim_draw_kernel(draw, &kernel);
    else op->bytes = 4;
    c->left -= c->is_read;
    c->is_read = !c->is_read;
    return GSIM_SOURCE_OP;
}

static const struct gsim_param table[] = {
    {"from", GSIM_PARAM_INT, offsetof(struct countdown_params, from), 5, 1, 1000, "", NULL, "kernels"},
    {.name = NULL},
};

const struct gsim_source_ops gsim_source = {
    GSIM_HEAD(source),
    .name = "countdown",
    .summary = "a test",
    .help = "A test.",
    .params_size = sizeof(struct countdown_params),
    .state_size = sizeof(struct countdown),
    .params = table,
    .open = start,
    .next = next,
};
