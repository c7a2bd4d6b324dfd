/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: serving. The loop of a server's host: it takes requests, asks its batching policy for steps, runs them on a
 * machine (serving/machine.h), and keeps what users of servers ask for.
 */
#pragma once

#include "gpusim/device.h"
#include "serving/machine.h"
#include "serving/quantiles.h"

/* What is measured of requests, microseconds. */
#define GSIM_SERVED_MAP(X)                                                                             \
    X(TTFT, "ttft_us", "time to first token") /* from arrival */                                       \
    X(TPOT, "tpot_us", "time per token")      /* (last - first token) / (tokens - 1), of each request */ \
    X(ITL, "itl_us", "between tokens")        /* each gap between two tokens of a request */           \
    X(E2E, "e2e_us", "end to end")            /* from arrival to the last token */                     \
    X(QUEUE, "queue_us", "queued")            /* from arrival to the start of its prefill */
enum gsim_served_figure {
#define GSIM_SERVED_ENUM(key, field, text) GSIM_SERVED_##key,
    GSIM_SERVED_MAP(GSIM_SERVED_ENUM)
#undef GSIM_SERVED_ENUM
    GSIM_SERVED_COUNT,
};

struct gsim_serving_log {
    enum gsim_batch_kind kind;
    uint32_t bucket;
    double start_us, end_us;
};

struct gsim_serving_result {
    struct gsim_quantiles figures[GSIM_SERVED_COUNT];
    uint64_t requests, tokens, prompt_tokens, good, preemptions;
    uint64_t named_tokens, kept_tokens; /* of prompts whose blocks are known; of them those that were in the cache */
    double first_arrival_us, last_us;
    double step_us[GSIM_STEP_KIND_COUNT]; /* of the host's time in steps of that kind alone */
    double both_us;                       /* in rounds beside a prefill */
    double waiting_us;                    /* for a request to come */
    double host_us;                       /* between steps */
    uint64_t steps[GSIM_STEP_KIND_COUNT];
    double cache_most, cache_time;        /* tokens held: most, and integrated over time */
    /* Kept where asked for. */
    struct gsim_serving_log *log;
    double (*ends)[2]; /* of each request, from its arrival: its first token, its last */
    size_t log_count, log_room;
};
void gsim_serving_result_release(struct gsim_serving_result *result);

struct gsim_server {
    const struct gsim_serving_spec *spec;
    const struct gsim_device_spec *device;
    const struct gsim_batching_ops *policy;
    const void *params;
    const struct gsim_random *arrivals, *numbers, *noise; /* of requests; of the policy; of the host */
    bool keeps;                                   /* the log and the ends of all requests */
    void (*progress)(void *context, uint64_t done, uint64_t all); /* NULL allowed */
    void *progress_context;
};

/* Refuses a spec that lacks steps that the policy or the requests need, before anything runs. */
enum gsim_status gsim_server_check(const struct gsim_server *server, struct gsim_error *error) GSIM_NODISCARD;

/* Serves all requests by COUNT servers, each with one of MACHINES. A failure of a machine ends it: its owner tells.
 * GSIM_INPUT where a request cannot ever run. */
enum gsim_status gsim_serve(const struct gsim_server *server, struct gsim_serving_machine *const *machines,
                            uint32_t count, struct gsim_serving_result *result,
                            struct gsim_error *error) GSIM_NODISCARD;

/* The step that SIZE tokens or slots of KIND take; its index is UINT32_MAX where no bucket is large enough. */
struct gsim_serving_launch gsim_serving_bucket(const struct gsim_serving_spec *spec, enum gsim_batch_kind kind,
                                               uint32_t size);
/* The largest bucket of KIND; 0: it has no steps. */
uint32_t gsim_serving_largest(const struct gsim_serving_spec *spec, enum gsim_batch_kind kind);
