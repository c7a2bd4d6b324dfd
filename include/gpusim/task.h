/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). Several programs on one GPU: tasks, and sharing policies. Each is a file listed in
 * schedulers/sharing/sharing.def. Its settings choose the mechanism by which tasks share the GPU. It may also decide
 * which launches start, as launches arrive and kernels end.
 */
#pragma once

#include "gpusim/scheduler.h"
#include "gpusim/source.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_LIMIT_TASKS      64
#define GSIM_LIMIT_REQUESTS   1000000u
#define GSIM_TASK_PRIORITIES  10  /* 0 is the most urgent */
#define GSIM_OWN_PROCESS      UINT32_MAX

enum gsim_task_arrival {
    GSIM_ARRIVAL_CLOSED,   /* gap_us after the end of the previous request */
    GSIM_ARRIVAL_PERIODIC, /* every period_us */
    GSIM_ARRIVAL_POISSON,  /* at random, rate_per_s on average */
    GSIM_ARRIVAL_LIST,     /* at times_us */
};

/* A program that serves requests one after another; each is one iteration. A source (gpusim/source.h) serves them in
 * its own way, or is one request itself. */
struct gsim_task {
    const char *name;
    const struct gsim_program *program;         /* with SOURCE: an empty one */
    const struct gsim_source_ops *source;       /* in place of PROGRAM; NULL: PROGRAM is known */
    const void *source_params;                  /* NULL: defaults */
    const struct gsim_scheduler_ops *scheduler; /* issues its ops */
    const void *scheduler_params;               /* NULL: defaults */
    int priority;
    uint32_t process;      /* tasks of one number are host threads of one process; GSIM_OWN_PROCESS: its own */
    uint32_t requests;     /* 0: until all tasks with a number are done */
    enum gsim_task_arrival arrival;
    double start_us;       /* of the first request or the arrivals */
    double gap_us, period_us, rate_per_s;
    const double *times_us;
    uint32_t time_count;
    double duration_us;    /* no request begins at or after this; 0: no limit */
    double deadline_us;    /* from a request's arrival to its end; 0: none */
    /* of the SMs: limit under MPS, size of its partition; 0: by the sharing policy */
    double percentage;
    uint32_t sms;          /* the same in SMs; 0: by percentage */
};

/* Whether the task ends by itself. The others end with the last of these. */
static inline bool gsim_task_is_finite(const struct gsim_task *task)
{
    if (task->source && !task->source->arrived) return true; /* one request */
    return task->requests || task->duration_us > 0 || task->arrival == GSIM_ARRIVAL_LIST;
}

/* Returns how many requests the task gets, at most MOST. */
static inline uint32_t gsim_task_requests(const struct gsim_task *task, uint32_t most)
{
    if (task->requests && task->requests < most) most = task->requests;
    return task->arrival == GSIM_ARRIVAL_LIST && task->time_count < most ? task->time_count : most;
}
/* Whether REQUEST's arrival counts from the end of the previous one; else it counts from start_us. */
static inline bool gsim_task_follows_last(const struct gsim_task *task, uint32_t request)
{
    return task->arrival == GSIM_ARRIVAL_CLOSED && request;
}
/* sim/program/tasks.c: returns the arrival from that point. Poisson: *DRAWN_US is the sum so far, 0 at first; NUMBERS
 * draws. */
double gsim_task_arrival_us(const struct gsim_task *task, uint32_t request, double *drawn_us,
                            const struct gsim_random *numbers);

/* How contexts share the GPU. */
enum gsim_mechanism {
    /* one request at a time; next the most urgent, then the first to arrive */
    GSIM_MECHANISM_EXCLUSIVE = 1,
    GSIM_MECHANISM_STREAMS,   /* all tasks are threads of one process */
    GSIM_MECHANISM_TIMESLICE, /* contexts get all SMs in time slices */
    GSIM_MECHANISM_MPS,       /* contexts share the SMs block by block */
    GSIM_MECHANISM_PARTITION, /* each context has its own SMs */
    GSIM_MECHANISM_RANKS,     /* each context has its own GPU (include/gpusim/ranks.h) */
};

struct gsim_share_settings {
    enum gsim_mechanism mechanism;
    bool whole_tasks;      /* exclusive: whole tasks, not requests */
    bool uses_priority;    /* streams have their task's priority */
    double percentage;     /* MPS: limit of each context, of the SMs */
    bool isolates_memory;  /* partition: L2 and DRAM too, as with MIG */
    bool is_mig;           /* partition: the SMs and memory of a MIG instance each */
    bool is_directed;      /* time slices: the policy chooses the context (gsim_share_give()) */
    double switch_us;      /* directed: time of a switch from a busy context; below 0 (default): the device's */
};

/* --- what a policy sees ---------------------------------------------------------------------------------------- */

enum gsim_share_state { GSIM_SHARE_HELD, GSIM_SHARE_RELEASED, GSIM_SHARE_RUNNING };

/* A launch, from when its dependences are met to its end. */
struct gsim_share_kernel {
    uint32_t task;
    /* within the task, same for kernels of one name, grid and block (key of a profile); of a source's kernels unique */
    uint32_t identity;
    uint32_t stream;       /* index among the task's streams, by their first kernels */
    const struct gsim_op *op;
    const struct gsim_kernel *kernel;
    enum gsim_share_state state;
    bool is_first;         /* first of its request */
    double ready_us, start_us;
    int priority;          /* CUDA's, its stream's at first; its value at the release counts */
    uint64_t number;       /* in order of arrival */
    void *data;            /* the policy's */
};

/* Measured alone: kernels of one identity of a task. */
struct gsim_kernel_profile {
    const char *name;
    struct gsim_dim3 grid, block;
    double kernel_us;      /* mean execution time; 0: never seen */
    /* mean time from its end to the task's next kernel; below 0: last of a request */
    double gap_us;
    uint32_t count;
};
struct gsim_task_profile {
    const char *name;
    struct gsim_kernel_profile *entries; /* by identity */
    uint32_t count;
    double request_us, measured_us;     /* of a request alone / while it was measured */
};
struct gsim_task_profiles {
    struct gsim_task_profile *tasks;
    uint32_t count;
    struct gsim_arena arena;
};

struct gsim_share;

struct gsim_share_actions {
    double (*now_us)(struct gsim_share *);
    /* Submits the kernel DELAY_US from now, which stands for the cost of the decision and the launch. */
    void (*release)(struct gsim_share *, struct gsim_share_kernel *, double delay_us);
    /* Pause: no more blocks start, resident ones end. Go on: continues with the next block. */
    void (*pause)(struct gsim_share *, struct gsim_share_kernel *);
    void (*go_on)(struct gsim_share *, struct gsim_share_kernel *);
    /* Removes its blocks at once. The kernel is held and starts from its first block when it is released again. */
    void (*kill)(struct gsim_share *, struct gsim_share_kernel *);
    /* Calls the policy's timer with ARGUMENT at AT_US. */
    void (*timer)(struct gsim_share *, double at_us, void *argument);
    /* Returns how many commands are behind it in its stream now. */
    uint32_t (*behind)(struct gsim_share *, const struct gsim_share_kernel *);
    /* Directed time slices: gives the SMs to the task's context next; GSIM_OWN_PROCESS: to none. */
    void (*give)(struct gsim_share *, uint32_t task);
};

struct gsim_sharing_ops;

struct gsim_share {
    const struct gsim_share_actions *actions;
    const struct gsim_task *tasks;
    uint32_t task_count;
    uint32_t urgent; /* the first task of highest priority (in papers: high-priority, real-time or production) */
    const void *params;
    struct gsim_device_facts device;
    const struct gsim_task_profiles *profile; /* NULL: none */
    struct gsim_arena *arena;           /* freed after the run */
    void *state;                        /* the policy's */
    uint64_t decisions;                 /* gsim_share_decide() */
};

/* Times are simulated. Callbacks may act on any kernel until its ended() has returned. */
struct gsim_sharing_ops {
    uint32_t abi;                   /* GSIM_ABI */
    size_t size;                    /* of this struct */
    const char *name, *summary, *source;
    size_t params_size;
    const struct gsim_param *params;
    bool needs_profile;
    struct gsim_share_settings base; /* the mechanism */
    /* Changes the mechanism by parameters; may be NULL. */
    void (*settings)(const void *params, struct gsim_share_settings *settings);
    /* Zeroed bytes of share->state, and for each task in an array behind them. */
    size_t state_size, task_size;
    /* All NULL: the mechanism alone. */
    enum gsim_status (*start)(struct gsim_share *, struct gsim_error *); /* sets up the state; may be NULL */
    void (*request_began)(struct gsim_share *, uint32_t task);
    void (*request_ended)(struct gsim_share *, uint32_t task);
    /* the kernel is held until the policy releases it */
    void (*ready)(struct gsim_share *, struct gsim_share_kernel *);
    void (*started)(struct gsim_share *, struct gsim_share_kernel *);
    void (*ended)(struct gsim_share *, struct gsim_share_kernel *);
    void (*paused)(struct gsim_share *, struct gsim_share_kernel *); /* the last of its blocks has ended */
    void (*timer)(struct gsim_share *, void *argument);
    /* after request_ended() of the task's last request */
    void (*task_ended)(struct gsim_share *, uint32_t task);
    /* Writes a line on a run of RUN_US for its reader, without a newline. False: none. May be NULL. */
    bool (*note)(const void *params, double run_us, char *text, size_t size);
};

static inline struct gsim_share_settings gsim_share_settings_of(const struct gsim_sharing_ops *ops, const void *params)
{
    struct gsim_share_settings s = ops->base;
    s.switch_us = -1;
    if (ops->settings) ops->settings(params, &s);
    return s;
}

/* sim/program/tasks.c: sets SHARE's state and urgent task, and calls start() of OPS. The other fields must be set. */
enum gsim_status gsim_share_start(struct gsim_share *share, const struct gsim_sharing_ops *ops,
                                  struct gsim_error *error) GSIM_NODISCARD;

static inline double gsim_share_now(struct gsim_share *s) { return s->actions->now_us(s); }
static inline void gsim_share_release(struct gsim_share *s, struct gsim_share_kernel *k, double delay_us)
{
    s->actions->release(s, k, delay_us);
}
/* Releases and counts a decision of the policy. */
static inline void gsim_share_decide(struct gsim_share *s, struct gsim_share_kernel *k, double delay_us)
{
    s->decisions++;
    gsim_share_release(s, k, delay_us);
}
static inline void gsim_share_pause(struct gsim_share *s, struct gsim_share_kernel *k) { s->actions->pause(s, k); }
static inline void gsim_share_go_on(struct gsim_share *s, struct gsim_share_kernel *k) { s->actions->go_on(s, k); }
static inline void gsim_share_kill(struct gsim_share *s, struct gsim_share_kernel *k) { s->actions->kill(s, k); }
static inline void gsim_share_timer(struct gsim_share *s, double at_us, void *argument)
{
    s->actions->timer(s, at_us, argument);
}
static inline uint32_t gsim_share_behind(struct gsim_share *s, const struct gsim_share_kernel *k)
{
    return s->actions->behind(s, k);
}
static inline void gsim_share_give(struct gsim_share *s, uint32_t task) { s->actions->give(s, task); }

/* Symbol that a shared object exports. */
extern const struct gsim_sharing_ops gsim_sharing;

/* schedulers/sharing/registry.c: as gsim_scheduler_find() and its like. */
const struct gsim_sharing_ops *gsim_sharing_find(const char *name);
const struct gsim_sharing_ops *gsim_sharing_at(uint32_t index);
enum gsim_status gsim_sharing_load(const char *name_or_path, const struct gsim_sharing_ops **ops,
                                   struct gsim_error *error) GSIM_NODISCARD;

/* --- programs of several tasks as one ---------------------------------------------------------------------------- */
/* Timelines and reports refer to ALL, schedulers to PROGRAMS. In PROGRAMS kernels and buffers are numbered as in ALL,
 * ops from 0. Ops of sources follow (gsim_simulation.drawn). */
struct gsim_task_set {
    const struct gsim_task *tasks;
    uint32_t count;
    struct gsim_program all;
    struct gsim_program *programs;
    uint32_t *first_op;     /* by task: number of its first op in ALL */
    struct gsim_arena arena;
};
/* sim/program/tasks.c: joins the COUNT tasks' programs. TASKS must outlive SET. */
enum gsim_status gsim_task_set_init(struct gsim_task_set *set, const char *name, const struct gsim_task *tasks,
                                    uint32_t count, struct gsim_error *error) GSIM_NODISCARD;
void gsim_task_set_release(struct gsim_task_set *set); /* accepts zeroed */
/* Sets IDENTITY of each kernel of SET: 0, 1, ... by distinct name, grid and block within its task. IDENTITY has room
 * for all. */
void gsim_task_set_identify(const struct gsim_task_set *set, uint32_t *identity);
/* Returns the stream priority that the task's priority adds to its streams' own. */
int gsim_task_stream_priority(const struct gsim_task_set *set, uint32_t task);
/* Sets PROCESS_OF of each task, from 0, and returns the count of processes. */
uint32_t gsim_task_set_processes(const struct gsim_task_set *set, enum gsim_mechanism mechanism, uint32_t *process_of);

/* --- sim/report/task_profile.c: what a measurement stage found ---------------------------------------------------- */
/* Makes the profile of TASK from a timeline of it alone in which the host spent MEASURE_US on every launch. PROFILES
 * has room for SET's tasks. */
struct gsim_timeline;
enum gsim_status gsim_task_profile_make(struct gsim_task_profiles *profiles, const struct gsim_task_set *set,
                                        uint32_t task, const struct gsim_timeline *timeline, double measure_us,
                                        struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_task_profiles_init(struct gsim_task_profiles *profiles, uint32_t count,
                                         struct gsim_error *error) GSIM_NODISCARD;
void gsim_task_profiles_release(struct gsim_task_profiles *profiles); /* accepts zeroed */
enum gsim_status gsim_task_profiles_write(const struct gsim_task_profiles *profiles, const char *device,
                                          const char *path, struct gsim_error *error) GSIM_NODISCARD;
/* Reads the profiles of SET's tasks, by name; each must be in the file. Kernels that it lacks count as never seen. */
enum gsim_status gsim_task_profiles_read(struct gsim_task_profiles *profiles, const struct gsim_task_set *set,
                                         const char *path, struct gsim_error *error) GSIM_NODISCARD;

extern const struct gsim_sharing_ops gsim_sharing;

GSIM_DECLARATIONS_END
