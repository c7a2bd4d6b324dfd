/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/task (internal). Several tasks at once (include/gpusim/task.h): the driver of each task's scheduler, which
 * waits for requests and records them (client.c); time slices between contexts (slices.c); sharing policies (share.c).
 */
#pragma once

#include "sim/front/front.h"

struct gsim_tasks;

/* One task while it runs. */
struct gsim_task_state {
    struct gsim_forward forward; /* first: its scheduler's driver */
    struct gsim_tasks *all;
    const struct gsim_task *spec;
    struct gsim_caller client;
    struct gsim_process *process;
    struct gsim_run run;
    struct gsim_arena arena;
    struct gsim_random numbers, arrivals;
    struct gsim_error error;
    bool is_alone;               /* the only task of its process */
    gsim_stream *streams;        /* if not alone: its streams; [0] is its default stream */
    size_t stream_count, stream_capacity;
    gsim_time arrival, began, ended; /* of the current or last request */
    double arrived_us;           /* Poisson: of the last arrival */
    struct gsim_host_thread *waiting; /* for the GPU */
    bool is_waiting, is_done;
    struct gsim_draw_requests requests; /* of a source that serves many */
    gsim_time *arrived;          /* arrival by request; GSIM_TIME_NEVER: done */
    uint32_t arrived_count;
    size_t arrived_room;
    bool comes;                  /* another request arrives at ARRIVAL */
};

/* A context that gets all SMs for a time slice. */
struct gsim_slice_context {
    struct gsim_partition *part;
    uint32_t kernels;                  /* launches that have not ended */
    struct gsim_command *held, **last; /* launches that are not submitted yet */
};
struct gsim_time_slices {
    struct gsim_arbiter arbiter;
    struct gsim_machine *machine;
    struct gsim_slice_context *contexts; /* by gsim_front.context */
    uint32_t count, current;           /* owner of the SMs, or the last one */
    uint32_t next, wanted;             /* while switching: the next owner; directed: the policy's choice */
    bool is_switching, is_directed;
    gsim_time began, idle_since;       /* start of the current slice / of the current context's idle time */
    gsim_time slice, hold, busy_switch, idle_switch;
    gsim_time consider_at;                 /* next check for a switch */
};

/* The processes of a run, and the parts of the GPU. */
struct gsim_layout {
    uint32_t process_count, part_count;
    uint32_t process_of[GSIM_LIMIT_TASKS]; /* by task */
    struct gsim_partition *parts[GSIM_LIMIT_TASKS]; /* by process */
    uint32_t sm_counts[GSIM_LIMIT_TASKS];
    double dram_shares[GSIM_LIMIT_TASKS];  /* of a part */
    bool is_parted;                        /* each process has its own SMs */
    struct gsim_share_settings settings;
};

struct gsim_tasks {
    struct gsim_machine *machine;
    const struct gsim_task_set *set;
    const struct gsim_sharing_ops *ops;
    const void *params;
    struct gsim_share_settings settings;
    struct gsim_task_state *states;
    uint32_t count, finite_left;       /* FINITE_LEFT: tasks with a number of requests that are not done */
    struct gsim_task_state *owner;     /* exclusive */
    struct gsim_layout layout;
    struct gsim_time_slices slices;    /* of the first GPU; the others have their own */
    struct gsim_policy *policy;        /* NULL: the mechanism alone */
};

/* --- tasks.c ------------------------------------------------------------------------------------------------- */
/* Sets LAYOUT by the simulation's sharing policy. Call it before devices are made. GSIM_INPUT: the policy refuses the
 * tasks. */
enum gsim_status gsim_tasks_lay_out(struct gsim_tasks *tasks, struct gsim_machine *m, struct gsim_layout *layout,
                                    struct gsim_error *error);
/* Adds the layout's parts to device D. */
enum gsim_status gsim_tasks_add_parts(struct gsim_layout *layout, struct gsim_device *d, struct gsim_error *error);
/* Makes the tasks' states and the policy. Call it after the processes are made. */
enum gsim_status gsim_tasks_open(struct gsim_tasks *tasks, const struct gsim_layout *layout,
                                 struct gsim_process *processes, struct gsim_error *error);

/* Prepares a device at its first use. *PARTS: partition by process; *ARBITER: of all its front ends. */
enum gsim_status gsim_tasks_add_device(struct gsim_tasks *tasks, struct gsim_device *d, struct gsim_partition ***parts,
                                       struct gsim_arbiter **arbiter, struct gsim_error *error);

/* --- client.c ------------------------------------------------------------------------------------------------ */
/* Makes the task's driver, which forwards to its process's. */
void gsim_task_open(struct gsim_task_state *task, struct gsim_process *process, bool is_alone);
void gsim_task_close(struct gsim_task_state *task); /* accepts zeroed */
/* Makes DRAW the source of its ops; NULL: its program is known. */
void gsim_task_draw(struct gsim_task_state *task, struct gsim_draw *draw);
/* Returns the iterations that its scheduler sees at first. */
uint32_t gsim_task_iterations(const struct gsim_task *spec);

/* --- slices.c ------------------------------------------------------------------------------------------------ */
/* Makes COUNT contexts, each with one of PARTS. False: out of memory. */
bool gsim_slices_init(struct gsim_time_slices *s, struct gsim_machine *m, const struct gsim_device_spec *spec,
                      struct gsim_partition *const *parts, uint32_t count);
/* Gives the SMs to CONTEXT at the next switch, for a policy. */
void gsim_slices_give(struct gsim_time_slices *s, uint32_t context);

/* --- share.c ------------------------------------------------------------------------------------------------- */
/* Opens the policy of TASKS, which passes kernels to BELOW; NULL: to the SMs. */
enum gsim_status gsim_policy_open(struct gsim_tasks *tasks, struct gsim_arbiter *below, struct gsim_error *error);
void gsim_policy_close(struct gsim_policy *policy); /* accepts NULL */
struct gsim_arbiter *gsim_policy_arbiter(struct gsim_policy *policy);
void gsim_policy_request(struct gsim_policy *policy, uint32_t task, bool begins);
void gsim_policy_task_ended(struct gsim_policy *policy, uint32_t task);
