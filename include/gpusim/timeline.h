/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). One record per kernel, copy, API call and wait of a run, and the hook by which
 * observers see them as they are made. Observers cannot change a run. Reports, traces, the Gantt chart and
 * the metrics are computed from a finished timeline alone.
 */
#pragma once

#include "gpusim/program.h"
#include "gpusim/units.h"

GSIM_DECLARATIONS_BEGIN

enum gsim_copy_reason { GSIM_REASON_EXPLICIT, GSIM_REASON_PREFETCH, GSIM_REASON_FAULT, GSIM_REASON_EVICTION };

struct gsim_kernel_record {
    uint32_t op, iteration, task, stream, device, kernel_index;
    uint32_t correlation;               /* of the API call that launched it */
    gsim_time launch, ready, start, end; /* API call begins; dependences met; first block; last block */
};

struct gsim_copy_record {
    uint32_t op, iteration, task, stream, device, buffer_index;
    uint32_t correlation;
    enum gsim_copy_kind kind;
    enum gsim_copy_reason reason;
    uint64_t bytes;
    gsim_time launch, start, end;
};

#define GSIM_API_MAP(X)                                                                                  \
    X(LAUNCH, "cudaLaunchKernel") X(MEMCPY, "cudaMemcpyAsync") X(PREFETCH, "cudaMemPrefetchAsync")       \
    X(STREAM_CREATE, "cudaStreamCreateWithPriority") X(STREAM_DESTROY, "cudaStreamDestroy")              \
    X(STREAM_SYNC, "cudaStreamSynchronize") X(STREAM_QUERY, "cudaStreamQuery")                           \
    X(DEVICE_SYNC, "cudaDeviceSynchronize") X(EVENT_CREATE, "cudaEventCreate")                           \
    X(EVENT_DESTROY, "cudaEventDestroy") X(EVENT_RECORD, "cudaEventRecord")                              \
    X(EVENT_SYNC, "cudaEventSynchronize") X(EVENT_QUERY, "cudaEventQuery")                               \
    X(STREAM_WAIT, "cudaStreamWaitEvent") X(ATTACH, "cudaStreamAttachMemAsync")                          \
    X(GRAPH_ADD, "cudaGraphAddNode") X(GRAPH_CAPTURE, "cudaStreamBeginCapture")                          \
    X(GRAPH_INSTANTIATE, "cudaGraphInstantiate") X(GRAPH_LAUNCH, "cudaGraphLaunch")                      \
    X(HOST_ACCESS, "host access") X(HOST_WORK, "host work") X(LOCK, "lock") X(THREAD, "thread")    \
    X(WAIT_ANY, "wait any") X(HOST_FUNC, "cudaLaunchHostFunc") X(GATE, "cuStreamWaitValue64")                 \
    X(RESIDENT, "cudaLaunchCooperativeKernel")

enum gsim_api {
#define GSIM_API_ENUM(name, text) GSIM_API_##name,
    GSIM_API_MAP(GSIM_API_ENUM)
#undef GSIM_API_ENUM
    GSIM_API_COUNT
};

struct gsim_api_record {
    enum gsim_api api;
    uint32_t thread, iteration, correlation, stream;
    const char *detail;       /* kernel or buffer name, what the host worked on; may be NULL */
    gsim_time start, end;
    gsim_time waited;         /* of that, blocked: synchronising, launch queue full, lock taken */
};

/* An event dependence that was waited for on the device: edge from a recording to a wait. */
struct gsim_wait_record {
    uint32_t correlation, record_correlation; /* of the calls that wait and that recorded the event */
    uint32_t iteration, waiting_stream, recorded_stream, event;
    gsim_time recorded, satisfied;
};

/* Occupancy steps, of all GPUs together: from TIME on, BLOCKS blocks with WARPS warps are resident on BUSY_SMS SMs,
 * KERNELS running. */
struct gsim_occupancy_record {
    gsim_time time;
    uint32_t busy_sms, warps, kernels;
    uint64_t blocks;
};

#define GSIM_BLOCK_SMS 320 /* no device has more SMs: the MI300X has 304 CUs */

/* So many blocks of a kernel were resident on each of these SMs from START to END: blocks that start and end together,
 * or several waves of them that follow one another (with gpu.exact=1 one block). Kept by observers alone
 * (sim/report/block_log.h). */
struct gsim_block_record {
    uint32_t op, iteration, stream, kernel_index, correlation;
    uint64_t sms[GSIM_BLOCK_SMS / 64]; /* a bit each */
    uint64_t blocks;
    gsim_time start, end;
};

struct gsim_iteration_record {
    gsim_time start, end;
    uint32_t streams_used, events_recorded, stream_waits;
};

/* A resident launch, from its first worker to its last. Times are summed over workers, but for LATE. */
struct gsim_resident_record {
    uint32_t iteration, stream, device, workers, tasks;
    const char *mode;
    gsim_time start, end;
    double busy_us;          /* in tasks */
    double late_us;          /* idle while that many tasks were ready and not running: the scheduler is late */
    double limited_us;       /* idle otherwise: nothing more was ready */
    double late_makespan_us; /* while some worker was idle and some task ready and not running */
};

/* What a scheduler says of its run (gsim_figure). */
struct gsim_figure_record {
    const char *name, *unit;
    double value;
};

/* A rank's part of a collective: its first block is resident at START, all ranks' blocks at BEGUN. */
struct gsim_collective_record {
    uint32_t op, iteration, task, stream, device, channels, ranks;
    enum gsim_collective_kind kind;
    uint64_t bytes;
    gsim_time start, begun, end;
};

struct gsim_request_record {
    uint32_t task, request;
    gsim_time arrival, start, end; /* it is there; its first call; its last */
};

struct gsim_sum {
    const char *name;         /* of kernels; NULL: all others */
    uint64_t count, bytes;
    gsim_time total, shortest, longest;
};

/* What is left of records that are not kept. */
#define GSIM_SUMS_NAMES 1024  /* kernels with more different names count as "(others)", which comes last */
struct gsim_sums {
    struct gsim_sum kernels[GSIM_SUMS_NAMES + 1];       /* by name, in the order of their first end */
    size_t kernel_names;
    uint32_t *name_of;        /* by kernel index: its name's place + 1; 0: not looked for yet */
    size_t name_of_room;
    struct gsim_sum copies[GSIM_COPY_KIND_COUNT][4];    /* by enum gsim_copy_kind, enum gsim_copy_reason */
    struct gsim_sum calls[GSIM_API_COUNT];
    gsim_time end, waited;    /* the last record's; of all calls */
    uint64_t kernel_count, copy_count, call_count;
    struct gsim_occupancy_record occupancy; /* the last step */
    double busy_sm_ps, warp_ps; /* SMs busy, warps resident, times how long */
};

struct gsim_timeline {
    const struct gsim_program *program;
    /* kernels, copies, calls, waits and occupancy are not kept, but added up here; NULL: they are kept */
    struct gsim_sums *sums;
    uint32_t gpu_count;           /* at least 1 */
    struct gsim_kernel_record *kernels;
    struct gsim_copy_record *copies;
    struct gsim_api_record *apis;
    struct gsim_wait_record *waits;
    struct gsim_occupancy_record *occupancy;
    struct gsim_iteration_record *iterations;
    struct gsim_request_record *requests; /* of several tasks, in place of iterations */
    struct gsim_figure_record *figures; /* in the order of their first mention */
    struct gsim_resident_record *residents;
    struct gsim_collective_record *collectives; /* in the order of their ends */
    size_t collective_count, collective_capacity;
    size_t kernel_count, copy_count, api_count, wait_count, occupancy_count, iteration_count, request_count,
        figure_count, resident_count;
    size_t warm_up_count; /* of the iterations, from the first on */
    size_t cycle, stands_for; /* 0, or: the last so many would come again and again, up to so many iterations in all */
    size_t kernel_capacity, copy_capacity, api_capacity, wait_capacity, occupancy_capacity, iteration_capacity,
        request_capacity, figure_capacity, resident_capacity;
    bool detailed;            /* false: kernels, copies and iterations only (fast runs) */
    bool failed;              /* memory ran out; records are missing */
};

/* Records are appended in the order they complete; a kernel's record is final when it is made. */
void gsim_timeline_init(struct gsim_timeline *timeline, const struct gsim_program *program, bool detailed);
void gsim_timeline_release(struct gsim_timeline *timeline);
/* From now on records are added up. False, and the timeline has failed: out of memory. */
bool gsim_timeline_fold(struct gsim_timeline *timeline);
/* Another kernel of the program gets INDEX. */
void gsim_timeline_forget_kernel(struct gsim_timeline *timeline, uint32_t index);
/* Adds one record to SUM. */
void gsim_sum_add(struct gsim_sum *sum, gsim_time duration, uint64_t bytes);
void gsim_timeline_add_kernel(struct gsim_timeline *timeline, const struct gsim_kernel_record *record);
void gsim_timeline_add_copy(struct gsim_timeline *timeline, const struct gsim_copy_record *record);
void gsim_timeline_add_api(struct gsim_timeline *timeline, const struct gsim_api_record *record);
void gsim_timeline_add_wait(struct gsim_timeline *timeline, const struct gsim_wait_record *record);
void gsim_timeline_add_occupancy(struct gsim_timeline *timeline, const struct gsim_occupancy_record *record);
void gsim_timeline_add_request(struct gsim_timeline *timeline, const struct gsim_request_record *record);
void gsim_timeline_add_iteration(struct gsim_timeline *timeline, const struct gsim_iteration_record *record);
void gsim_timeline_add_collective(struct gsim_timeline *timeline, const struct gsim_collective_record *record);
void gsim_timeline_add_resident(struct gsim_timeline *timeline, const struct gsim_resident_record *record);
/* In place of one of the same name. */
void gsim_timeline_set_figure(struct gsim_timeline *timeline, const struct gsim_figure_record *record);

const char *gsim_api_name(enum gsim_api api);
#define GSIM_API_NO_TIMING "cudaEventDisableTiming" /* an event's creation has this as its detail */
#define GSIM_API_OVERHEAD "between calls"             /* and host work that is a framework's time between calls this */
/* Host work whose owner is known has one of these before the owner's name. */
/* a launch call that takes longer than launches do: module load, full queue */
#define GSIM_HOST_IN_LAUNCH "in launch call "
#define GSIM_HOST_IN_CALL   "in call "         /* another call: cudaMalloc, the staging of a copy */
#define GSIM_HOST_IN_WAIT   "in wait "         /* a wait, behind the end of what was awaited */
#define GSIM_HOST_NAMED     "within "          /* a data loader, an annotation, an operator that computes on the host */
#define GSIM_HOST_OWN       "the program's own" /* an application without a framework */

/* Any of the functions may be NULL. Called when the record is made, with simulated time stopped. */
struct gsim_observer {
    void *data;
    void (*on_kernel)(void *data, const struct gsim_kernel_record *record);
    void (*on_copy)(void *data, const struct gsim_copy_record *record);
    void (*on_blocks)(void *data, const struct gsim_block_record *record); /* when the blocks leave, or are known to */
    void (*on_block_change)(void *data, gsim_time now); /* after every change of residency (tests: invariants) */
};

GSIM_DECLARATIONS_END
