/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pipeline: a stage of a pipeline of layers, a program for each rank: all forwards first (GPipe), one forward one
 * backward, or interleaved (Megatron-LM). */
#include "workloads/generators/parallel.h"

enum { GPIPE, ONE_F_ONE_B, INTERLEAVED };

struct pipeline_params {
    struct gsim_transformer model; /* its tokens: of a micro-batch */
    int64_t stages, stage, micro, chunks;
    int schedule;
};

struct item {
    bool forward;
    int64_t chunk;
};

enum { SEND_FORWARD = 1, RECV_FORWARD, SEND_BACKWARD, RECV_BACKWARD }; /* streams */

/* A message between neighbours; backward ones have a communicator of their own. */
static uint32_t move(struct gsim_parallel *p, const struct pipeline_params *d, bool sends, bool forward)
{
    int64_t up = (d->stage + 1) % d->stages, down = (d->stage + d->stages - 1) % d->stages,
            other = sends == forward ? up : down;
    uint32_t group[2] = {(uint32_t)(sends ? d->stage : other), (uint32_t)(sends ? other : d->stage)};
    const struct gsim_collective what = {.kind = sends ? GSIM_COLLECTIVE_SEND : GSIM_COLLECTIVE_RECV,
                                         .group = group,
                                         .group_count = 2,
                                         .communicator = !forward,
                                         .bytes = 2 * (uint64_t)d->model.tokens * (uint64_t)d->model.hidden};
    return gsim_parallel_collective(p, &what,
                                    forward ? sends ? SEND_FORWARD : RECV_FORWARD
                                    : sends ? SEND_BACKWARD
                                            : RECV_BACKWARD,
                                    p->last[0]);
}

static enum gsim_status build(const void *params, uint64_t seed, struct gsim_program *program, struct gsim_error *error)
{
    const struct pipeline_params *d = params;
    int64_t chunks = d->schedule == INTERLEAVED ? d->chunks : 1, total = d->micro * chunks, warm = total;
    (void)seed;
    if (d->stage >= d->stages)
        return gsim_refuse(error, "stage: expected one below stages, %lld, found %lld", (long long)d->stages,
                           (long long)d->stage);
    if (d->schedule == INTERLEAVED && d->micro % d->stages)
        return gsim_refuse(error,
                           "micro: expected a multiple of stages, %lld, as the schedule is interleaved, found %lld",
                           (long long)d->stages, (long long)d->micro);
    struct gsim_parallel p = gsim_parallel_begin("pipeline", &d->model);
    if (d->schedule == ONE_F_ONE_B) warm = d->stages - d->stage - 1;
    if (d->schedule == INTERLEAVED) warm = 2 * (d->stages - d->stage - 1) + (chunks - 1) * d->stages;
    if (warm > total) warm = total;
    for (int64_t f = 0, b = 0; b < total;) {
        bool forward = f < total && f - b <= warm && (f < warm || f - b == warm);
        /* The K-th forward, or backward, of a stage. */
        int64_t k = forward ? f : b;
        int64_t chunk = k % (d->stages * chunks) / d->stages;
        struct item item = (struct item){forward, forward ? chunk : chunks - 1 - chunk};
        int64_t place = item.chunk * d->stages + d->stage, last = d->stages * chunks - 1,
                layers = d->model.layers / (d->stages * chunks);
        bool receives = d->stages > 1 && (item.forward ? place > 0 : place < last),
             sends = d->stages > 1 && (item.forward ? place < last : place > 0);
        if (receives) gsim_parallel_await(&p, move(&p, d, false, item.forward));
        for (int64_t l = 0; l < (layers ? layers : 1); l++) {
            if (item.forward) gsim_parallel_attention(&p, true, 1);
            gsim_parallel_mlp(&p, item.forward, 1);
            if (!item.forward) gsim_parallel_attention(&p, false, 1);
        }
        if (sends) move(&p, d, true, item.forward);
        *(forward ? &f : &b) += 1;
    }
    return gsim_parallel_finish(&p, program, error);
}

const struct gsim_generator_ops gsim_generator_pipeline = {
    GSIM_HEAD(generator),
    .name = "pipeline",
    .summary = "a stage of a pipeline of layers: gpipe, 1f1b, interleaved (--ranks)",
    .help = "One stage's program: --write-program, then a file of ranks with one for each stage.",
    GSIM_PARAMS(struct pipeline_params,
        GSIM_TRANSFORMER_PARAMS(struct pipeline_params),
        GSIM_INT(struct pipeline_params, stages, 1, 1, 1024, "", "of the pipeline, a rank each"),
        GSIM_INT(struct pipeline_params, stage, 0, 0, 1023, "", "this rank's"),
        GSIM_INT(struct pipeline_params, micro, 4, 1, 1024, "", "micro-batches of a step, of so many tokens each"),
        GSIM_INT(struct pipeline_params, chunks, 2, 1, 64, "", "of layers on each rank, interleaved"),
        GSIM_CHOICE(struct pipeline_params, schedule, ONE_F_ONE_B, 2, "gpipe|1f1b|interleaved",
                    "order of forwards and backwards")),
    .build = build,
};
