/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). --task and --share: several programs on one GPU. */
#pragma once

#include "cli/cli.h"
#include "cli/traces.h"

/* The tasks of a command line. */
struct gsim_cli_tasks {
    const struct gsim_cli_setup *setup;
    uint32_t traces; /* tasks that are */
    struct gsim_cli_arguments *words;  /* of each task: what its own keys change of the command line */
    struct gsim_cli_setup *setups;
    struct gsim_cli_point *points;
    struct gsim_task *tasks;
    const char **programs;             /* as they were typed */
    uint32_t *gpus;                    /* of each: the key gpu; UINT32_MAX: not given */
    bool is_pinned;                    /* one of them has it */
    struct gsim_task_stats *alone;     /* of each with the GPU to itself */
    uint32_t sizes, schedulers;        /* how many of them name their own */
    bool has_source;                   /* one is a CUDA source */
    struct gsim_task_set set;
    struct gsim_program *drawn;        /* by the last simulation, of tasks that are sources */
    struct gsim_task_profiles profiles; /* no tasks: none */
    uint32_t count;
    uint32_t copies; /* given before: so many of the task whose copies are a range; 0: there is none */
    uint32_t copies_from, copies_to;   /* that range; equal: there is none */
    uint32_t varied_first, varied_count; /* tasks that are its copies */
    struct gsim_arena arena;
};

#define GSIM_CLI_ALONE_REQUESTS 20 /* of a task alone, at most */

bool gsim_cli_has_tasks(const struct gsim_cli_arguments *arguments);
/* Whether one of them has a range of copies. */
bool gsim_cli_tasks_vary(const struct gsim_cli_arguments *arguments);
/* The device of the GPU that the first task which is a trace names; "": none. */
enum gsim_status gsim_cli_tasks_device(const struct gsim_cli_arguments *arguments, char device[GSIM_CLI_DEVICE_NAME],
                                       struct gsim_error *error) GSIM_NODISCARD;
/* SETUP must outlive them. Released by the caller, also on failure. */
enum gsim_status gsim_cli_tasks_init(struct gsim_cli_tasks *tasks, const struct gsim_cli_setup *setup,
                                     struct gsim_error *error) GSIM_NODISCARD;
void gsim_cli_tasks_release(struct gsim_cli_tasks *tasks); /* accepts zeroed */

#define GSIM_CLI_WAYS 64
/* Those of a list; of NULL or "all" those that there are. */
enum gsim_status gsim_cli_ways(struct gsim_arena *arena, const char *text,
                               const struct gsim_sharing_ops *ways[GSIM_CLI_WAYS], size_t *count,
                               struct gsim_error *error) GSIM_NODISCARD;
/* One of the ways to share. PARAMS comes from the tasks' arena. */
enum gsim_status gsim_cli_share(const char *text, const struct gsim_sharing_ops **ops,
                                struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_cli_share_params(struct gsim_cli_tasks *tasks, const struct gsim_sharing_ops *ops, void **params,
                                       struct gsim_error *error) GSIM_NODISCARD;
/* Fails when an --opt means none of the ways and of the tasks' schedulers. */
enum gsim_status gsim_cli_check_share_opts(const struct gsim_cli_tasks *tasks,
                                           const struct gsim_sharing_ops *const *ways, size_t count,
                                           struct gsim_error *error) GSIM_NODISCARD;
/* Fills tasks->alone: each task with the GPU to itself. */
enum gsim_status gsim_cli_tasks_alone(struct gsim_cli_tasks *tasks, struct gsim_error *error) GSIM_NODISCARD;
/* A simulation of all of them. */
struct gsim_simulation gsim_cli_tasks_simulation(const struct gsim_cli_tasks *tasks, const struct gsim_sharing_ops *ops,
                                                 const void *params);
/* Simulates, and checks that every kernel ran. STATS: one of each task. */
enum gsim_status gsim_cli_tasks_run(const struct gsim_cli_tasks *tasks, const struct gsim_simulation *simulation,
                                    struct gsim_timeline *timeline, struct gsim_task_stats *stats,
                                    struct gsim_error *error) GSIM_NODISCARD;

/* Of each task alone, every launch slowed down by keeping its times; what that costs goes to stderr. */
enum gsim_status gsim_cli_tasks_measure(struct gsim_cli_tasks *tasks, struct gsim_error *error) GSIM_NODISCARD;
/* --profile: a file, or measured here. --measure: writes the file. */
enum gsim_status gsim_cli_tasks_profile(struct gsim_cli_tasks *tasks, struct gsim_error *error) GSIM_NODISCARD;
/* The task alone as a set of its own, which points to TASK: closed loop, in one process, without a cap. */
enum gsim_status gsim_cli_task_alone_set(const struct gsim_cli_tasks *tasks, uint32_t index, struct gsim_task *task,
                                         struct gsim_task_set *set, struct gsim_error *error) GSIM_NODISCARD;
/* The task alone, closed loop: at most GSIM_CLI_ALONE_REQUESTS of its requests. */
enum gsim_status gsim_cli_task_alone(const struct gsim_cli_tasks *tasks, uint32_t index, double measure_us,
                                     struct gsim_timeline *timeline, struct gsim_task_stats *stats,
                                     struct gsim_error *error) GSIM_NODISCARD;

/* The commands. */
enum gsim_status gsim_cli_run_tasks(const struct gsim_cli_arguments *arguments,
                                    struct gsim_error *error) GSIM_NODISCARD;
/* With --limit: for each way the most copies of a task. */
enum gsim_status gsim_cli_compare_clients(const struct gsim_cli_arguments *arguments, enum gsim_status *worst,
                                          struct gsim_error *error) GSIM_NODISCARD;
/* WORST: of the ways that failed, which show in the table. */
enum gsim_status gsim_cli_compare_tasks(const struct gsim_cli_arguments *arguments, enum gsim_status *worst,
                                        struct gsim_error *error) GSIM_NODISCARD;
