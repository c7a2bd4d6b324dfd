/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). One point of a sweep: from its settings to a simulation and a row of results. Which settings
 * there are, what "all" stands for, which apply to a point, and the key under which its row is kept.
 */
#pragma once

#include "cli/cli.h"
#include "sweep/key.h"
#include "sim/base/jobs/pool.h"
#include "sweep/spec.h"

/* A workload, scheduler or device that the sweep names: looked up, loaded and hashed once, before the workers start. */
struct gsim_named {
    const char *text; /* as in the setting */
    const struct gsim_scheduler_ops *scheduler;
    struct gsim_device_spec device;
    char hash[GSIM_KEY_SIZE]; /* of the file behind it; "" where it is built in */
};

struct gsim_requests {
    const struct gsim_spec *spec;
    bool allows_plugins; /* that the spec file names */
    int64_t sweep_id;
    struct gsim_named *named;
    size_t named_count, named_capacity;
    size_t setting_count; /* fixed and axes together */
    bool has_tasks;       /* points are several tasks under a way of sharing, not a workload */
    bool has_servers;     /* workloads are specs of servers */
    struct gsim_arena arena;
};

extern const struct gsim_spec_host gsim_request_host;

/* Whether a point may set this option of a run. */
bool gsim_request_is_option(enum gsim_cli_key key);

/* Looks up everything that SPEC names and checks every option, so that a sweep does not begin in vain. Shared objects
 * that the spec file names are refused unless ALLOWS_PLUGINS. */
enum gsim_status gsim_requests_init(struct gsim_requests *requests, const struct gsim_spec *spec, bool allows_plugins,
                                    struct gsim_error *error) GSIM_NODISCARD;
/* Reads the program files once before thousands of points do: what is wrong with one is told now. IS_TOLD: also
 * notes. */
enum gsim_status gsim_requests_check_programs(const struct gsim_requests *requests, bool is_told,
                                              struct gsim_error *error) GSIM_NODISCARD;
void gsim_requests_release(struct gsim_requests *requests); /* accepts a zeroed one */

/* Key of point ITEM; DATA: the gsim_requests. Settings that do not apply to it (parameters of other schedulers) have no
 * part in it, so that points which differ only in those are one. */
void gsim_request_key(void *data, uint64_t item, char key[GSIM_KEY_SIZE]);
/* "workload=img sched=kesco size=1e6", for messages. */
const char *gsim_request_describe(const struct gsim_requests *requests, uint64_t item, char *text, size_t size);

/* What rows call it: a shared object's scheduler by its own name, unless another one of the sweep has that too. */
const char *gsim_requests_scheduler_name(const struct gsim_requests *requests, const struct gsim_named *named);

/* The callbacks of a pool; DATA is the gsim_requests. */
void gsim_request_run(void *data, uint64_t item, struct gsim_bytes *outcome);
void gsim_request_fail(void *data, uint64_t item, enum gsim_item_end end, const char *message,
                       struct gsim_bytes *outcome);
