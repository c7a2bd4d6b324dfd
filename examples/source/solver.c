/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that is drawn while it runs, as a shared object: an iterative solver. Every EVERY iterations the host reads
 * the residual and stops once it is below TOLERANCE; how fast the residual falls is drawn by chance.
 */
#include <gpusim/source.h>

struct solver_params {
    int64_t every;
    double tolerance;
};

struct solver_state {
    const struct solver_params *params;
    const struct gsim_random *numbers;
    double residual;
    int64_t iterations;
    bool is_reduced; /* the residual of the last iterations is on the device */
    uint32_t vector, norm;
    struct gsim_arg args[2];
};

static enum gsim_status start(void *state, const void *params, const struct gsim_random *numbers,
                              struct gsim_draw *draw, struct gsim_error *error)
{
    struct solver_state *s = state;
    (void)error;
    s->params = params;
    s->numbers = numbers;
    s->residual = 1;
    s->vector = gsim_draw_buffer(draw, "vector", 1 << 24, GSIM_INIT_HOST);
    s->norm = gsim_draw_buffer(draw, "norm", 8, GSIM_INIT_DEVICE);
    return GSIM_OK;
}

static void launch(struct gsim_draw *draw, struct gsim_op *op, const char *name, double bytes,
                   const struct gsim_arg *args, uint32_t arg_count)
{
    const struct gsim_kernel kernel = {.name = name, .grid = {512, 1, 1}, .block = {256, 1, 1}, .dram_bytes = bytes};
    op->kind = GSIM_OP_KERNEL;
    op->kernel_index = gsim_draw_kernel(draw, &kernel);
    op->args = args;
    op->arg_count = arg_count;
}

static enum gsim_source_answer next(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    struct solver_state *s = state;
    const struct solver_params *p = s->params;
    if (s->is_reduced) { /* the host reads it: whether there is a next iteration is known when next() is called again */
        s->is_reduced = false;
        s->args[0] = (struct gsim_arg){.buffer_index = s->norm, .reads = true, .declared_const = true};
        *op = (struct gsim_op){.kind = GSIM_OP_HOST_READ, .args = s->args, .arg_count = 1, .bytes = 8, .stream = -1};
        return GSIM_SOURCE_OP;
    }
    bool was_read = s->iterations % p->every == 0;
    if (was_read && s->residual < p->tolerance) return GSIM_SOURCE_END;
    s->args[0] = (struct gsim_arg){.buffer_index = s->vector, .reads = true, .writes = true};
    if (s->iterations % p->every < p->every - 1) {
        launch(draw, op, "iterate", 3 << 24, s->args, 1);
    } else { /* the last of a round also reduces */
        s->args[1] = (struct gsim_arg){.buffer_index = s->norm, .writes = true};
        launch(draw, op, "iterate_reduce", 4 << 24, s->args, 2);
        s->is_reduced = true;
    }
    s->iterations++;
    s->residual *= 0.5 + 0.4 * gsim_random_uniform(s->numbers);
    return GSIM_SOURCE_OP;
}

static const struct gsim_param table[] = {
    {"every", GSIM_PARAM_INT, offsetof(struct solver_params, every), 4, 1, 1000, "", NULL,
     "iterations, the host reads the residual"},
    {"tolerance", GSIM_PARAM_REAL, offsetof(struct solver_params, tolerance), 1e-6, 1e-300, 1, "", NULL,
     "at which it stops"},
    {.name = NULL},
};

const struct gsim_source_ops gsim_source = {
    GSIM_HEAD(source),
    .name = "solver",
    .summary = "an iterative solver that stops once its residual is small",
    .help = "An example.",
    .params_size = sizeof(struct solver_params),
    .state_size = sizeof(struct solver_state),
    .params = table,
    .open = start,
    .next = next,
};
