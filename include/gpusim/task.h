/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). Several programs on one GPU: what a task is, and what a way of sharing is. Ways are listed in
 * schedulers/sharing/sharing.def, one file each. A way says by which mechanism tasks share the GPU (its settings), and
 * may decide on top of it, as launches come and kernels end, which of them go.
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
    GSIM_ARRIVAL_CLOSED,   /* gap_us after the end of the request before */
    GSIM_ARRIVAL_PERIODIC, /* every period_us */
    GSIM_ARRIVAL_POISSON,  /* at random, rate_per_s on average */
    GSIM_ARRIVAL_LIST,     /* at times_us */
};

/* A program that serves requests, one after the other: each is one iteration of it. A source (gpusim/source.h) serves
 * them as it pleases, or is one request itself. */
struct gsim_task {
    const char *name;
    const struct gsim_program *program;         /* with SOURCE: an empty one */
    const struct gsim_source_ops *source;       /* in place of PROGRAM: drawn while it runs. NULL: PROGRAM is known */
    const void *source_params;                  /* NULL: defaults */
    const struct gsim_scheduler_ops *scheduler; /* that issues its ops */
    const void *scheduler_params;               /* NULL: defaults */
    int priority;
    uint32_t process;      /* tasks of one number are host threads of one process; GSIM_OWN_PROCESS: it has its own */
    uint32_t requests;     /* 0: until all tasks that have a number are done */
    enum gsim_task_arrival arrival;
    double start_us;       /* of the first request, or of the arrivals */
    double gap_us, period_us, rate_per_s;
    const double *times_us;
    uint32_t time_count;
    double duration_us;    /* none begins then or later; 0: whenever */
    double deadline_us;    /* from the arrival of a request to its end; 0: none */
    /* of the SMs: what it may use under MPS, what it gets as its part. 0: as the way of sharing says */
    double percentage;
    uint32_t sms;          /* the same as a number of SMs; 0: by percentage */
};

/* Ends by itself; the others end with the last of these. */
static inline bool gsim_task_is_finite(const struct gsim_task *task)
{
    if (task->source && !task->source->arrived) return true; /* one request */
    return task->requests || task->duration_us > 0 || task->arrival == GSIM_ARRIVAL_LIST;
}

/* How many requests of it come, at most MOST. */
static inline uint32_t gsim_task_requests(const struct gsim_task *task, uint32_t most)
{
    if (task->requests && task->requests < most) most = task->requests;
    return task->arrival == GSIM_ARRIVAL_LIST && task->time_count < most ? task->time_count : most;
}
/* The request comes so long after the end of the last one, else after start_us. */
static inline bool gsim_task_follows_last(const struct gsim_task *task, uint32_t request)
{
    return task->arrival == GSIM_ARRIVAL_CLOSED && request;
}
/* sim/program/tasks.c: how long after it. Poisson: DRAWN_US is the sum so far, at first 0, and NUMBERS draws. */
double gsim_task_arrival_us(const struct gsim_task *task, uint32_t request, double *drawn_us,
                            const struct gsim_random *numbers);

/* Where contexts meet. */
enum gsim_mechanism {
    /* one request at a time has the GPU, the most urgent waiting one next, then first come */
    GSIM_MECHANISM_EXCLUSIVE = 1,
    GSIM_MECHANISM_STREAMS,   /* all tasks are threads of one process */
    GSIM_MECHANISM_TIMESLICE, /* contexts have the SMs in turn */
    GSIM_MECHANISM_MPS,       /* contexts share the SMs block by block */
    GSIM_MECHANISM_PARTITION, /* each context has SMs of its own */
    GSIM_MECHANISM_RANKS,     /* each context has a GPU of its own (include/gpusim/ranks.h) */
};

struct gsim_share_settings {
    enum gsim_mechanism mechanism;
    bool whole_tasks;      /* exclusive: not requests but all of a task's have the GPU */
    bool uses_priority;    /* the task's priority is its streams' */
    double percentage;     /* MPS: of the SMs, what each context may use */
    bool isolates_memory;  /* partition: L2 and DRAM are divided too, as MIG does */
    bool is_directed;      /* time slices: the policy says which context has the SMs (gsim_share_give) */
    double switch_us;      /* directed: what that costs where the other one is busy; below 0, and at first: as the
                              device says */
};

/* --- what a policy sees ---------------------------------------------------------------------------------------- */

enum gsim_share_state { GSIM_SHARE_HELD, GSIM_SHARE_RELEASED, GSIM_SHARE_RUNNING };

/* A launch of a kernel whose turn in its stream has come, until its end. */
struct gsim_share_kernel {
    uint32_t task;
    uint32_t identity; /* kernels of one name, grid and block have one, within the task: what a profile knows them by.
                          Of kernels that are drawn: no two have one */
    uint32_t stream;       /* its place among the task's streams, in the order of their first kernels, from 0 */
    const struct gsim_op *op;
    const struct gsim_kernel *kernel;
    enum gsim_share_state state;
    bool is_first;         /* of its request */
    double ready_us, start_us;
    int priority;          /* CUDA's, of its stream; what it is when it is released counts */
    uint64_t number;       /* in the order in which they came */
    void *data;            /* the policy's */
};

/* Of kernels of one identity of a task, measured alone. */
struct gsim_kernel_profile {
    const char *name;
    struct gsim_dim3 grid, block;
    double kernel_us;      /* mean execution time; 0: never seen */
    /* mean time from its end to the start of the task's next kernel; below 0: the last of a request */
    double gap_us;
    uint32_t count;
};
struct gsim_task_profile {
    const char *name;
    struct gsim_kernel_profile *entries; /* by identity */
    uint32_t count;
    double request_us, measured_us;     /* of a request alone, and while it was measured */
};
struct gsim_task_profiles {
    struct gsim_task_profile *tasks;
    uint32_t count;
    struct gsim_arena arena;
};

struct gsim_share;

struct gsim_share_actions {
    double (*now_us)(struct gsim_share *);
    /* It goes to the SMs DELAY_US from now; a policy charges its decision and its launch so. */
    void (*release)(struct gsim_share *, struct gsim_share_kernel *, double delay_us);
    /* No further block of it starts; those there end. The kernel goes on from its next block. */
    void (*pause)(struct gsim_share *, struct gsim_share_kernel *);
    void (*go_on)(struct gsim_share *, struct gsim_share_kernel *);
    /* Its blocks vanish. It is held again, and begins anew when it is released. */
    void (*kill)(struct gsim_share *, struct gsim_share_kernel *);
    /* The policy's timer is called at that time, with the argument. */
    void (*timer)(struct gsim_share *, double at_us, void *argument);
    /* How many commands its stream holds behind it by now. */
    uint32_t (*behind)(struct gsim_share *, const struct gsim_share_kernel *);
    /* Directed time slices: the task's context has the SMs next; GSIM_OWN_PROCESS: nobody has. */
    void (*give)(struct gsim_share *, uint32_t task);
};

struct gsim_sharing_ops;

struct gsim_share {
    const struct gsim_share_actions *actions;
    const struct gsim_task *tasks;
    uint32_t task_count;
    uint32_t urgent;                    /* the task of the highest priority, of several the first: what papers call
                                           high-priority, real-time or production */
    const void *params;
    struct gsim_device_facts device;
    const struct gsim_task_profiles *profile; /* NULL: none */
    struct gsim_arena *arena;           /* freed after the run */
    void *state;                        /* the policy's */
    uint64_t decisions;                 /* gsim_share_decide() */
};

/* All times are the simulated machine's. Callbacks may act on any kernel they know; a kernel is gone after its END. */
struct gsim_sharing_ops {
    uint32_t abi;                   /* GSIM_ABI */
    size_t size;                    /* of this struct */
    const char *name, *summary, *source;
    size_t params_size;
    const struct gsim_param *params;
    bool needs_profile;
    struct gsim_share_settings base; /* where contexts meet, and how */
    /* What parameters change of that. NULL: nothing. */
    void (*settings)(const void *params, struct gsim_share_settings *settings);
    /* Of a policy. share->state: so many zeroed bytes, and for each task so many more behind them, as an array at the
     * end of a struct has them. */
    size_t state_size, task_size;
    /* NULL, all of them: the mechanism alone. */
    enum gsim_status (*start)(struct gsim_share *, struct gsim_error *); /* the rest of the state. May be NULL */
    void (*request_began)(struct gsim_share *, uint32_t task);
    void (*request_ended)(struct gsim_share *, uint32_t task);
    void (*ready)(struct gsim_share *, struct gsim_share_kernel *); /* held until the policy releases it */
    void (*started)(struct gsim_share *, struct gsim_share_kernel *);
    void (*ended)(struct gsim_share *, struct gsim_share_kernel *);
    void (*paused)(struct gsim_share *, struct gsim_share_kernel *); /* the last of its blocks has ended */
    void (*timer)(struct gsim_share *, void *argument);
    /* no request of it follows; after request_ended() of its last one */
    void (*task_ended)(struct gsim_share *, uint32_t task);
    /* May be NULL on its own. What a reader of a run of RUN_US should know of it, in a line without its end; false:
     * nothing. */
    bool (*note)(const void *params, double run_us, char *text, size_t size);
};

static inline struct gsim_share_settings gsim_share_settings_of(const struct gsim_sharing_ops *ops, const void *params)
{
    struct gsim_share_settings s = ops->base;
    s.switch_us = -1;
    if (ops->settings) ops->settings(params, &s);
    return s;
}

/* sim/program/tasks.c: SHARE, which has all but its state and its urgent task, gets them, and OPS starts. */
enum gsim_status gsim_share_start(struct gsim_share *share, const struct gsim_sharing_ops *ops,
                                  struct gsim_error *error) GSIM_NODISCARD;

static inline double gsim_share_now(struct gsim_share *s) { return s->actions->now_us(s); }
static inline void gsim_share_release(struct gsim_share *s, struct gsim_share_kernel *k, double delay_us)
{
    s->actions->release(s, k, delay_us);
}
/* The same, by a decision of the policy's. */
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

/* What a shared object exports. */
extern const struct gsim_sharing_ops gsim_sharing;

/* schedulers/sharing/registry.c: as gsim_scheduler_find() and the others. A shared object exports "gsim_sharing". */
const struct gsim_sharing_ops *gsim_sharing_find(const char *name);
const struct gsim_sharing_ops *gsim_sharing_at(uint32_t index);
enum gsim_status gsim_sharing_load(const char *name_or_path, const struct gsim_sharing_ops **ops,
                                   struct gsim_error *error) GSIM_NODISCARD;

/* --- programs of several tasks as one ---------------------------------------------------------------------------- */
/* Timelines and reports refer to ALL, schedulers to PROGRAMS: in these, kernels and buffers are numbered as in ALL, ops
 * from 0. What sources drew comes behind (gsim_simulation.drawn). */
struct gsim_task_set {
    const struct gsim_task *tasks;
    uint32_t count;
    struct gsim_program all;
    struct gsim_program *programs;
    uint32_t *first_op;     /* in ALL */
    struct gsim_arena arena;
};
/* sim/program/tasks.c. TASKS must outlive the set. */
enum gsim_status gsim_task_set_init(struct gsim_task_set *set, const char *name, const struct gsim_task *tasks,
                                    uint32_t count, struct gsim_error *error) GSIM_NODISCARD;
void gsim_task_set_release(struct gsim_task_set *set); /* accepts zeroed */
/* By kernel of SET's programs as one: its number among those of its task that have another name, grid or block, from 0.
 * IDENTITY has room for all. */
void gsim_task_set_identify(const struct gsim_task_set *set, uint32_t *identity);
/* Of the task's streams, beside their own: urgent tasks' come first, so far apart as their priorities are. */
int gsim_task_stream_priority(const struct gsim_task_set *set, uint32_t task);
/* By task: its process among those of the set, from 0; how many there are. PROCESS_OF has room for all tasks. */
uint32_t gsim_task_set_processes(const struct gsim_task_set *set, enum gsim_mechanism mechanism, uint32_t *process_of);

/* --- sim/report/task_profile.c: what a measurement stage found ---------------------------------------------------- */
/* Of TASK, from a timeline of it alone whose host spent MEASURE_US on every launch. PROFILES has room for the tasks of
 * SET. */
struct gsim_timeline;
enum gsim_status gsim_task_profile_make(struct gsim_task_profiles *profiles, const struct gsim_task_set *set,
                                        uint32_t task, const struct gsim_timeline *timeline, double measure_us,
                                        struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_task_profiles_init(struct gsim_task_profiles *profiles, uint32_t count,
                                         struct gsim_error *error) GSIM_NODISCARD;
void gsim_task_profiles_release(struct gsim_task_profiles *profiles); /* accepts zeroed */
enum gsim_status gsim_task_profiles_write(const struct gsim_task_profiles *profiles, const char *device,
                                          const char *path, struct gsim_error *error) GSIM_NODISCARD;
/* For the tasks of SET, by name; each must be there. Kernels that the file lacks were never seen. */
enum gsim_status gsim_task_profiles_read(struct gsim_task_profiles *profiles, const struct gsim_task_set *set,
                                         const char *path, struct gsim_error *error) GSIM_NODISCARD;

/* What a shared object exports; of no meaning in a program. */
extern const struct gsim_sharing_ops gsim_sharing;

GSIM_DECLARATIONS_END
