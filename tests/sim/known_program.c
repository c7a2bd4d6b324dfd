/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See known_program.h. */
#include "tests/sim/known_program.h"

#include <string.h>

struct teller {
    const struct gsim_program *program;
    uint32_t next, iteration;
    uint32_t *buffers, *after; /* the draw's index of each buffer; of the op that is told */
    size_t after_room;
    struct gsim_arg *args;
    size_t arg_room;
};

static enum gsim_status open_program(void *state, const void *params, const struct gsim_random *numbers,
                                     struct gsim_draw *draw, struct gsim_error *error)
{
    struct teller *t = state;
    (void)numbers;
    t->program = ((const struct gsim_source_of_program_params *)params)->program;
    t->buffers = gsim_alloc(sizeof *t->buffers * ((size_t)t->program->buffer_count + 1));
    if (!t->buffers) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t b = 0; b < t->program->buffer_count; b++) {
        t->buffers[b] = gsim_draw_buffer(draw, t->program->buffers[b].name, t->program->buffers[b].bytes,
                                         t->program->buffers[b].init);
        if (t->buffers[b] == UINT32_MAX) return GSIM_INPUT;
    }
    return GSIM_OK;
}

/* Lists of the op, in the draw's numbers. */
static bool translate(struct teller *t, struct gsim_op *op)
{
    uint32_t before = t->iteration * t->program->op_count;
    for (uint32_t a = 0; a < op->arg_count; a++) {
        if (gsim_array_grow((void **)&t->args, sizeof *t->args, a, &t->arg_room)) return false;
        t->args[a] = op->args[a];
        t->args[a].buffer_index = t->buffers[op->args[a].buffer_index];
    }
    for (uint32_t a = 0; a < op->after_count; a++) {
        if (gsim_array_grow((void **)&t->after, sizeof *t->after, a, &t->after_room)) return false;
        t->after[a] = before + op->after[a];
    }
    op->args = t->args;
    op->after = t->after;
    return true;
}

static enum gsim_source_answer next_op(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    struct teller *t = state;
    const struct gsim_program *p = t->program;
    if (t->next == p->op_count) {
        t->next = 0;
        t->iteration++;
    }
    if (t->iteration == p->iterations) return GSIM_SOURCE_END;
    *op = p->ops[t->next++];
    if (op->untimed) *op = (struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE, .stream = -1}; /* numbers stay as they are */
    if (!translate(t, op)) gsim_draw_fail(draw, GSIM_NOMEM, "out of memory");
    if (op->kind == GSIM_OP_KERNEL) op->kernel_index = gsim_draw_kernel(draw, &p->kernels[op->kernel_index]);
    return GSIM_SOURCE_OP;
}

static void close_program(void *state)
{
    struct teller *t = state;
    gsim_free(t->buffers);
    gsim_free(t->args);
    gsim_free(t->after);
}

const struct gsim_source_ops gsim_source_of_program = {
    GSIM_HEAD(source),
    .name = "program",
    .summary = "a program that is known",
    .params_size = sizeof(struct gsim_source_of_program_params),
    .state_size = sizeof(struct teller),
    .open = open_program,
    .next = next_op,
    .close = close_program,
};
