/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel-stream: so many kernels, one after another, of a few kinds, in streams that take turns; every so often the
 * host waits for them, as a server between its requests does. For speed and memory: what is in flight does not grow
 * with how many there are.
 */
#include "gpusim/source.h"

struct stream_params {
    int64_t count, kinds, streams, every, blocks;
    double us;
};

struct stream_state {
    const struct stream_params *params;
    int64_t drawn, since, read; /* kernels, since the host read; streams that it has read since */
    uint32_t buffers[64];
    struct gsim_arg args[1];
};

#define BUFFER_BYTES (1u << 20)

static enum gsim_status open_stream(void *state, const void *params, const struct gsim_random *numbers,
                                    struct gsim_draw *draw, struct gsim_error *error)
{
    struct stream_state *s = state;
    (void)numbers;
    (void)error;
    s->params = params;
    for (int64_t i = 0; i < s->params->streams; i++)
        s->buffers[i] = gsim_draw_buffer(draw, "state", BUFFER_BYTES, GSIM_INIT_DEVICE);
    return GSIM_OK;
}

static enum gsim_source_answer next_op(void *state, struct gsim_draw *draw, struct gsim_op *op)
{
    struct stream_state *s = state;
    const struct stream_params *p = s->params;
    int64_t stream = s->drawn % p->streams, kind = s->drawn / p->streams % p->kinds;
    if (s->since == p->every || (s->drawn == p->count && s->since)) {
        s->args[0] = (struct gsim_arg){.buffer_index = s->buffers[s->read++], .reads = true, .declared_const = true};
        *op = (struct gsim_op){.kind = GSIM_OP_HOST_READ, .arg_count = 1, .args = s->args, .bytes = 4, .stream = -1};
        if (s->read == p->streams) s->since = s->read = 0;
        return GSIM_SOURCE_OP;
    }
    if (s->drawn == p->count) return GSIM_SOURCE_END;
    struct gsim_kernel kernel = {.name = "kernel",
                                 .grid = {(uint32_t)p->blocks, 1, 1},
                                 .block = {256, 1, 1},
                                 .solo_us = p->us * (1 + 0.5 * (double)kind / (double)p->kinds)};
    s->args[0] = (struct gsim_arg){.buffer_index = s->buffers[stream], .reads = true, .writes = true};
    *op = (struct gsim_op){.kind = GSIM_OP_KERNEL,
                           .kernel_index = gsim_draw_kernel(draw, &kernel),
                           .arg_count = 1,
                           .args = s->args,
                           .stream = (int32_t)stream};
    s->drawn++;
    s->since++;
    return GSIM_SOURCE_OP;
}

#define PARAMS struct stream_params
const struct gsim_source_ops gsim_source_kernel_stream = {
    GSIM_HEAD(source),
    .name = "kernel-stream",
    .summary = "any number of kernels, in constant memory",
    .help = "No paper: for speed and memory.",
    .state_size = sizeof(struct stream_state),
    GSIM_PARAMS(struct stream_params,
        GSIM_INT(PARAMS, count, 1000, 1, 1e9, "", "kernels"),
        GSIM_INT(PARAMS, kinds, 4, 1, 1000000, "", "different ones, which take 1 to 1.5 times the option us"),
        GSIM_INT(PARAMS, streams, 1, 1, 64, "", "that take turns"),
        GSIM_INT(PARAMS, every, 100, 1, 1e9, "", "kernels, the host reads a value of each stream"),
        GSIM_INT(PARAMS, blocks, 16, 1, 65536, "", "of a kernel"),
        GSIM_REAL(PARAMS, us, 5, 0.1, 1e6, "us", "time of the shortest kernel alone")),
    .open = open_stream,
    .next = next_op,
};
