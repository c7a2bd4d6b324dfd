/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: workloads (helper). What generators of one rank of a training step share: a transformer's kernels on a stream
 * of their own, and collectives beside them. Sizes are those of the whole model; a rank has its part.
 */
#pragma once

#include "gpusim/generator.h"

struct gsim_transformer {
    int64_t layers, hidden, tokens; /* TOKENS: of a rank's batch */
    double matrix;                  /* rate of matrix units over that of FP32 lanes */
};

#define GSIM_TRANSFORMER_PARAMS(type)                                                                                  \
    {"layers", GSIM_PARAM_INT, offsetof(type, model.layers), 4, 1, 1000, "", NULL, "of the transformer"},              \
        {"hidden", GSIM_PARAM_INT, offsetof(type, model.hidden), 2048, 64, 65536, "", NULL, "width of a token"},       \
        {"tokens", GSIM_PARAM_INT, offsetof(type, model.tokens), 2048, 1, 1 << 24, "", NULL, "of a rank in a step"},   \
    {                                                                                                                  \
        "matrix", GSIM_PARAM_REAL, offsetof(type, model.matrix), 12, 1, 1000, "", NULL,                                \
            "rate of matrix units over that of FP32 lanes"                                                             \
    }

#define GSIM_PARALLEL_STREAMS 8
struct gsim_parallel {
    const struct gsim_transformer *model;
    struct gsim_builder *builder;
    uint32_t last[GSIM_PARALLEL_STREAMS]; /* op by stream, UINT32_MAX: none yet; 0 computes */
};

struct gsim_parallel gsim_parallel_begin(const char *name, const struct gsim_transformer *model);
/* On stream 0. M x N x K, SCALE times. */
void gsim_parallel_gemm(struct gsim_parallel *p, const char *name, double m, double n, double k, double scale);
/* Reads and writes so many bytes in all. */
void gsim_parallel_sweep(struct gsim_parallel *p, const char *name, double bytes);
/* Behind its stream's last op and behind AFTER, UINT32_MAX for none. */
uint32_t gsim_parallel_collective(struct gsim_parallel *p, const struct gsim_collective *what, uint32_t stream,
                                  uint32_t after);
/* The next op of stream 0 comes behind OP, too. */
void gsim_parallel_await(struct gsim_parallel *p, uint32_t op);
/* A layer's attention half, or its other half: FORWARD or backward, a PART of its width. */
void gsim_parallel_attention(struct gsim_parallel *p, bool forward, double part);
void gsim_parallel_mlp(struct gsim_parallel *p, bool forward, double part);
/* Of a layer's parameters, at two bytes each. */
double gsim_parallel_layer_bytes(const struct gsim_parallel *p);
enum gsim_status gsim_parallel_finish(struct gsim_parallel *p, struct gsim_program *program,
                                      struct gsim_error *error) GSIM_NODISCARD;
