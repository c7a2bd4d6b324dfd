/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: serving. The time of a mixed step, in which tokens of prompts and of requests that decode go through each
 * operator of a model once, from tables of the operators' times (docs/serving.md, "A mixed step").
 */
#pragma once

#include "gpusim/device.h"
#include "gpusim/memory.h"

/* Tokens of one prompt that a step computes, behind CONTEXT tokens that are computed already. */
struct gsim_chunk {
    double tokens, context;
};

struct gsim_step_shape {
    const struct gsim_chunk *chunks;
    uint32_t chunk_count;
    double decodes, context; /* requests that decode, their mean context */
};

/* A step's part of the table: microseconds at sorted sizes. */
struct gsim_profile_curve {
    const char *name;
    double *sizes, *us;
    uint32_t count;
    double times; /* in one step */
};

#define GSIM_PROFILE_AXES  4  /* of attention: tokens of a chunk, its context, requests that decode, their context */
#define GSIM_PROFILE_MAX   64 /* values of an axis */
#define GSIM_PROFILE_PARTS 64

struct gsim_step_profile {
    double layers;
    struct gsim_profile_curve dense[GSIM_PROFILE_PARTS], per_sequence[GSIM_PROFILE_PARTS];
    uint32_t dense_count, per_sequence_count;
    double axes[GSIM_PROFILE_AXES][GSIM_PROFILE_MAX];
    uint32_t axis_counts[GSIM_PROFILE_AXES];
    float *attention; /* by axes, the last one fastest */
    /* Tensor parallel: each layer's all-reduces of the step's tokens among GPUS. */
    uint32_t gpus;
    double bytes_per_token, reduces_per_layer;
    double reduce_us[32]; /* of 2^i tokens; filled by gsim_profile_connect() */
};

/* What a file says of it. NULL: none. Paths may be gzip. */
struct gsim_profile_files {
    const char *dense, *attention, *per_sequence;
    const char *const *once; /* parts that a step has once, not once a layer; ends with NULL */
    const char *const *twice; /* parts that a layer has twice */
};
/* Fails naming file, line and what was expected. */
enum gsim_status gsim_profile_read(const struct gsim_profile_files *files, struct gsim_arena *arena,
                                   struct gsim_step_profile *profile, struct gsim_error *error) GSIM_NODISCARD;
/* Takes the all-reduces' times from LINKS, those of a node; NULL: DEVICE's own. */
struct gsim_ranks;
enum gsim_status gsim_profile_connect(struct gsim_step_profile *profile, const struct gsim_device_spec *device,
                                      const struct gsim_ranks *links, struct gsim_error *error) GSIM_NODISCARD;

/* Tokens of a prompt that the tables hold at most. */
uint32_t gsim_profile_most(const struct gsim_step_profile *profile);
/* Microseconds of a step. Between two entries of a table, and beyond its last, time is linear. */
double gsim_profile_us(const struct gsim_step_profile *profile, const struct gsim_step_shape *shape);
