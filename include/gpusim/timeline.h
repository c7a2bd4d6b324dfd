/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). One record for each kernel, copy, API call and wait of a run, and observers, which see records as
 * they are made and cannot change the run. Reports, traces, the Gantt chart and metrics use a finished timeline only.
 */
#pragma once

#include "gpusim/program.h"
#include "gpusim/units.h"

GSIM_DECLARATIONS_BEGIN

enum gsim_copy_reason { GSIM_REASON_EXPLICIT, GSIM_REASON_PREFETCH, GSIM_REASON_FAULT, GSIM_REASON_EVICTION };

struct gsim_kernel_record {
    uint32_t op, iteration, task, stream, device, kernel_index;
    uint32_t correlation;               /* of the launching API call */
    gsim_time launch, ready, start, end; /* start of the API call; dependences met; first block; last block */
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
    const char *detail;       /* name of kernel or buffer, or the host's work; may be NULL */
    gsim_time start, end;
    gsim_time waited;         /* blocked part: synchronising, full launch queue, lock */
};

/* A wait of the device for an event: edge from its recording to the wait. */
struct gsim_wait_record {
    uint32_t correlation, record_correlation; /* of the waiting / recording call */
    uint32_t iteration, waiting_stream, recorded_stream, event;
    gsim_time recorded, satisfied;
};

/* Occupancy of all GPUs together from TIME on: resident BLOCKS and WARPS on BUSY_SMS, running KERNELS. */
struct gsim_occupancy_record {
    gsim_time time;
    uint32_t busy_sms, warps, kernels;
    uint64_t blocks;
};

#define GSIM_BLOCK_SMS 320 /* most SMs of a device; the MI300X has 304 CUs */

/* BLOCKS blocks of a kernel were resident on each of SMS from START to END. They start and end together, or are
 * consecutive waves; with gpu.exact=1 it is one block. For observers only (sim/report/block_log.h). */
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

/* A launch of a persistent kernel, from its first worker to its last. Times are sums over workers, but
 * late_makespan_us. */
struct gsim_resident_record {
    uint32_t iteration, stream, device, workers, tasks;
    const char *mode;
    gsim_time start, end;
    double busy_us;          /* running tasks */
    double late_us;          /* idle although a task was ready: the scheduler was late */
    double limited_us;       /* idle without a ready task */
    double late_makespan_us; /* time in which a worker was idle and a task was ready */
};

/* A figure of a scheduler about its run (gsim_figure()). */
struct gsim_figure_record {
    const char *name, *unit;
    double value;
};

/* A rank's part of a collective. START: its first block is resident; BEGUN: blocks of all ranks are. */
struct gsim_collective_record {
    uint32_t op, iteration, task, stream, device, channels, ranks;
    enum gsim_collective_kind kind;
    uint64_t bytes;
    gsim_time start, begun, end;
};

struct gsim_request_record {
    uint32_t task, request;
    gsim_time arrival, start, end; /* arrival; first call; last call */
};

struct gsim_sum {
    const char *name;         /* kernel's name; NULL: of anything else */
    uint64_t count, bytes;
    gsim_time total, shortest, longest;
};

/* Sums in place of records. */
#define GSIM_SUMS_NAMES 1024  /* names of kernels; further ones count as "(others)", the last entry */
struct gsim_sums {
    struct gsim_sum kernels[GSIM_SUMS_NAMES + 1];       /* by name, in order of the first end */
    size_t kernel_names;
    uint32_t *name_of;        /* by kernel index: index of its sum + 1; 0: not found yet */
    size_t name_of_room;
    struct gsim_sum copies[GSIM_COPY_KIND_COUNT][4];    /* by enum gsim_copy_kind, enum gsim_copy_reason */
    struct gsim_sum calls[GSIM_API_COUNT];
    gsim_time end, waited;    /* of the last record; of all calls */
    uint64_t kernel_count, copy_count, call_count;
    struct gsim_occupancy_record occupancy; /* the last step */
    double busy_sm_ps, warp_ps; /* integrals of busy SMs and resident warps over picoseconds */
};

struct gsim_timeline {
    const struct gsim_program *program;
    /* sums in place of kernels, copies, calls, waits and occupancy; NULL: records are kept */
    struct gsim_sums *sums;
    uint32_t gpu_count;           /* at least 1 */
    struct gsim_kernel_record *kernels;
    struct gsim_copy_record *copies;
    struct gsim_api_record *apis;
    struct gsim_wait_record *waits;
    struct gsim_occupancy_record *occupancy;
    struct gsim_iteration_record *iterations;
    struct gsim_request_record *requests; /* of several tasks, in place of iterations */
    struct gsim_figure_record *figures; /* in order of first use */
    struct gsim_resident_record *residents;
    struct gsim_collective_record *collectives; /* in order of their ends */
    size_t collective_count, collective_capacity;
    size_t kernel_count, copy_count, api_count, wait_count, occupancy_count, iteration_count, request_count,
        figure_count, resident_count;
    size_t warm_up_count; /* first iterations that are warm-up */
    size_t cycle, stands_for; /* 0, or: the last CYCLE iterations repeat, up to STANDS_FOR in all */
    size_t kernel_capacity, copy_capacity, api_capacity, wait_capacity, occupancy_capacity, iteration_capacity,
        request_capacity, figure_capacity, resident_capacity;
    bool detailed;            /* false: kernels, copies and iterations only */
    bool failed;              /* out of memory; records are missing */
};

/* Records are appended in order of completion and are final. */
void gsim_timeline_init(struct gsim_timeline *timeline, const struct gsim_program *program, bool detailed);
void gsim_timeline_release(struct gsim_timeline *timeline);
/* Replaces further records by sums. False: out of memory, and the timeline has failed. */
bool gsim_timeline_fold(struct gsim_timeline *timeline);
/* Forgets the name of kernel INDEX, which a source uses again. */
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
/* Adds a figure, or replaces that of the same name. */
void gsim_timeline_set_figure(struct gsim_timeline *timeline, const struct gsim_figure_record *record);

const char *gsim_api_name(enum gsim_api api);
#define GSIM_API_NO_TIMING "cudaEventDisableTiming" /* detail of an event's creation */
#define GSIM_API_OVERHEAD "between calls"             /* detail of framework time between calls */
/* Prefixes of the detail of host work with a known owner. */
/* a slow launch call: module load, full queue */
#define GSIM_HOST_IN_LAUNCH "in launch call "
#define GSIM_HOST_IN_CALL   "in call "         /* another call: cudaMalloc, the staging of a copy */
#define GSIM_HOST_IN_WAIT   "in wait "         /* a wait, after the end of the awaited work */
#define GSIM_HOST_NAMED     "within "          /* a data loader, an annotation, an operator that computes on the host */
#define GSIM_HOST_OWN       "the program's own" /* an application without a framework */

/* Functions may be NULL. Each is called when the record is made and takes no simulated time. */
struct gsim_observer {
    void *data;
    void (*on_kernel)(void *data, const struct gsim_kernel_record *record);
    void (*on_copy)(void *data, const struct gsim_copy_record *record);
    /* at the latest when the end of the blocks is known */
    void (*on_blocks)(void *data, const struct gsim_block_record *record);
    void (*on_block_change)(void *data, gsim_time now); /* after every change of resident blocks (tests: invariants) */
};

GSIM_DECLARATIONS_END
