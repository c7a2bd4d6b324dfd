/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: serving. What a server's host spends, beyond the calls whose costs the device's file has: by name from
 * models/hosts, or as a server's file says. */
#pragma once

#include "gpusim/memory.h"
#include "gpusim/random.h"
#include "gpusim/status.h"

/* Microseconds. */
struct gsim_serving_host {
    const char *name;  /* NULL: none was named */
    double launch_us;  /* from the call that launches a step to its first kernel's hand-over */
    double node_us;    /* of that call in all, for each kernel and copy of the step, where it is a graph */
    double between_us; /* from the end of a step to the next launch */
    double request_us; /* for each request of a step, before its launch */
    /* Noise, drawn from the seed: the spread of a step's time (of its logarithm), and stalls, which come at random,
     * last STALL_US on average and stretch all steps meanwhile. 0: none */
    double jitter, stalls_per_s, stall_us, stall_factor;
};

struct cJSON;
/* Sets those fields of HOST that OBJECT, a JSON object, names; "like" is a host's name or file, read first. ARENA keeps
 * the name. */
enum gsim_status gsim_serving_host_read(const struct cJSON *object, struct gsim_arena *arena,
                                        struct gsim_serving_host *host, struct gsim_error *error) GSIM_NODISCARD;
/* Sets HOST from NAME of models/hosts, or a file (with a '/' or ".json"). */
enum gsim_status gsim_serving_host_load(const char *name, struct gsim_arena *arena, struct gsim_serving_host *host,
                                        struct gsim_error *error) GSIM_NODISCARD;

struct gsim_stall {
    double from_us, until_us; /* the latest that was drawn */
};
/* What a step that took US at NOW_US takes more. */
double gsim_serving_host_noise_us(const struct gsim_serving_host *host, struct gsim_stall *stall,
                                  const struct gsim_random *numbers, double now_us, double us);
