/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: ask (internal to ask/whatif). A finished timeline as works and what each waited for: when its launch
 * reached the GPU, when the work before it had ended, which work that was. The rules are those of sim/front.
 */
#pragma once

#include "ask/whatif/causes.h"

#define GSIM_NO_WORK UINT32_MAX

/* A kernel or a copy; of copies that the driver makes by itself only start and end count (is_migration). */
struct gsim_moment_work {
    bool is_copy, is_migration, is_node, is_unexplained, is_rank_wait; /* node: of a graph, and not its first */
    enum gsim_copy_kind copy_kind;
    uint32_t record, kernel_index, op, call, stream, device, correlation;
    gsim_time start, end, ready;
    gsim_time arrival;   /* its launch is on the device */
    gsim_time follows;   /* the last work that it waits for has ended; 0: it waits for none */
    gsim_time gap;       /* and what the device takes at least to go on behind that */
    uint32_t after;      /* that work, GSIM_NO_WORK for none */
};

struct gsim_moments {
    const struct gsim_simulation *simulation;
    const struct gsim_timeline *timeline;
    struct gsim_moment_work *works; /* by start */
    uint32_t work_count;
    uint32_t *by_end, *starts;      /* works by their ends; the kernels among them by their starts */
    uint32_t kernel_count;
    uint32_t *calls;                /* the timeline's, by thread and start */
    uint32_t *call_of;              /* by correlation: its call, UINT32_MAX for none */
    uint32_t correlation_count, stream_count; /* streams: that hold works */
    bool has_framework; /* some of the host's time is a framework's */
    gsim_time makespan;
    const struct gsim_demand *demands; /* of the program's kernels: the simulation's, or */
    struct gsim_demand *own_demands;
};

enum gsim_status gsim_moments_init(struct gsim_moments *moments, const struct gsim_simulation *simulation,
                                   const struct gsim_timeline *timeline, struct gsim_error *error) GSIM_NODISCARD;
void gsim_moments_release(struct gsim_moments *moments);

/* The call under way on THREAD at TIME, or the next one when none is; UINT32_MAX behind the last. */
uint32_t gsim_moments_call_at(const struct gsim_moments *moments, uint32_t thread, gsim_time time);
/* The one on its thread that ended before CALL began; NULL for none. */
const struct gsim_api_record *gsim_moments_call_before(const struct gsim_moments *moments,
                                                       const struct gsim_api_record *call);

/* --- links.c: what each work waited for --- */
enum gsim_status gsim_moments_link(struct gsim_moments *moments, struct gsim_error *error) GSIM_NODISCARD;

/* --- shared by moments.c and links.c --- */
struct gsim_moment_key {
    gsim_time high, low; /* the order; then by item */
    uint32_t item;
};
/* The items in the order of KEYS, which is freed; false when that is NULL. */
bool gsim_sort_into(struct gsim_moment_key *keys, size_t count, uint32_t *items);
