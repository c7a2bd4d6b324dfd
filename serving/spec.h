/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: serving. What a server of a language model is: its steps, slots, batching policy and requests, as a file
 * (schema gpusim-serving/1, docs/serving.md) says. Reading alone; serving/server.h runs it.
 */
#pragma once

#include "gpusim/batching.h"
#include "serving/arrivals.h"
#include "serving/host.h"
#include "serving/profile.h"

#define GSIM_SERVING_BUCKETS 64
#define GSIM_SERVING_SLOTS   4096
#define GSIM_SERVING_REPLICAS 1024

/* Where a prefill runs while requests decode. */
#define GSIM_BESIDE_MAP(X)                                                                             \
    X(SAME, "same") /* between decode steps, on their stream */                                        \
    X(STREAM, "stream") /* on a stream of its own */                                                   \
    X(URGENT, "urgent") /* on a stream of its own, decode's is urgent */                               \
    X(PARTITION, "partition") /* on SMs of its own (green contexts) */                                 \
    X(MPS, "mps") /* in a process of its own, under MPS */
enum gsim_beside {
#define GSIM_BESIDE_ENUM(key, text) GSIM_BESIDE_##key,
    GSIM_BESIDE_MAP(GSIM_BESIDE_ENUM)
#undef GSIM_BESIDE_ENUM
    GSIM_BESIDE_COUNT,
};
const char *gsim_beside_text(enum gsim_beside beside);
enum gsim_status gsim_beside_parse(const char *text, enum gsim_beside *beside, struct gsim_error *error) GSIM_NODISCARD;

/* Which of several servers gets a request. */
#define GSIM_ROUTER_MAP(X)                                                   \
    X(ROUND_ROBIN, "round-robin") /* each in turn */                         \
    X(LEAST_LOADED, "least-loaded") /* who has the fewest requests */        \
    X(PREFIX, "prefix") /* who has the fewest tokens of prompts to compute */
enum gsim_router {
#define GSIM_ROUTER_ENUM(key, text) GSIM_ROUTER_##key,
    GSIM_ROUTER_MAP(GSIM_ROUTER_ENUM)
#undef GSIM_ROUTER_ENUM
    GSIM_ROUTER_COUNT,
};
const char *gsim_router_text(enum gsim_router router);
enum gsim_status gsim_router_parse(const char *text, enum gsim_router *router, struct gsim_error *error) GSIM_NODISCARD;

struct gsim_serving_cache {
    double tokens;          /* that keys and values of requests may take; 0: no limit */
    double block;           /* tokens are given out in blocks of so many */
    double bytes_per_token; /* of keys and values in all layers */
    bool swaps;             /* who is preempted is swapped to the host; else computed again */
    bool forgets;           /* blocks of prompts are not kept for others that begin alike */
};

struct gsim_serving_step {
    enum gsim_batch_kind kind;
    uint32_t bucket; /* tokens of a prefill, slots of other kinds */
    const char *path; /* of a trace or a program, or a workload's name */
};

struct gsim_serving_spec {
    const char *path, *name, *device; /* DEVICE: "": not said */
    uint32_t slots;
    uint32_t replicas; /* servers, each with these slots and a GPU of its own */
    enum gsim_router router;
    const char *batching;
    const char *options[16][2]; /* of the policy: name, value */
    uint32_t option_count;
    enum gsim_beside beside;
    double prefill_percentage; /* of the SMs, under PARTITION and MPS */
    bool interpolates;         /* between buckets; else the next larger one */
    struct gsim_serving_step steps[GSIM_STEP_KIND_COUNT * GSIM_SERVING_BUCKETS]; /* by kind, then bucket */
    uint32_t step_count;
    struct gsim_step_profile *profile; /* of mixed steps; NULL: steps are programs */
    struct gsim_arrivals arrivals;
    struct gsim_serving_host host;
    const char *moved; /* of steps recorded on another GPU, what was scaled of the last; NULL: none */
    struct gsim_serving_cache cache;
    double ttft_limit_us, tpot_limit_us; /* of goodput; 0: none */
    double link_gbps;                    /* of a separate prefill; 0: the device's peer link */
    struct gsim_arena arena;
};

/* Errors name the file and the field, what was found and expected. Paths of steps are relative to the file. */
enum gsim_status gsim_serving_spec_read(const char *path, struct gsim_serving_spec *spec,
                                        struct gsim_error *error) GSIM_NODISCARD;
/* Batching policy NAME and its PARAMS: given, or NULL, and then defaults from the spec's arena. Where NAME is the
 * spec's own, its options are set but for those that one of the COUNT texts SET, "NAME.OPTION=VALUE", sets. */
enum gsim_status gsim_serving_policy(struct gsim_serving_spec *spec, const char *name, const char *const *set,
                                     size_t count, const struct gsim_batching_ops **policy, void **params,
                                     struct gsim_error *error) GSIM_NODISCARD;
/* Of all replicas, under POLICY. */
uint32_t gsim_serving_gpus(const struct gsim_serving_spec *spec, const struct gsim_batching_ops *policy);
void gsim_serving_spec_release(struct gsim_serving_spec *spec);

/* The steps of KIND: *FIRST in spec->steps. Returns how many. */
uint32_t gsim_serving_steps_of(const struct gsim_serving_spec *spec, enum gsim_batch_kind kind, uint32_t *first);
const char *gsim_step_kind_text(enum gsim_batch_kind kind);
