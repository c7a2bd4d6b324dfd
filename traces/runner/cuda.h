/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. The real-CUDA backend of include/gpusim/driver.h: the same scheduler sources that the simulator
 * runs make CUDA calls here. cuda.c has streams, events and work, cuda_graphs.c graphs, cuda_threads.c host threads,
 * cuda_waits.c waits; run.c runs a scheduler on it. Times are picoseconds from the run's first call, as in the
 * simulator.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <pthread.h>

#include "gpusim/scheduler.h"
#include "gpusim/timeline.h"
#include "traces/runner/blocks.h"
#include "traces/runner/memory.h"
#include "traces/runner/tracer.h"

struct gsim_cuda_stream {
    cudaStream_t stream;
    uint32_t used_mark; /* iteration + 1 of its last work */
    uint32_t device;    /* of the legacy default stream: whichever is current */
    bool exists;
};

struct gsim_cuda_event {
    cudaEvent_t event;
    uint32_t device; /* an event can be recorded on streams of its own GPU alone */
    bool is_timed, exists;
    bool is_recorded;     /* not in a graph being captured; and by which call on which stream: */
    gsim_stream stream;
    uint32_t correlation; /* of the launch before it */
    gsim_time recorded;
};

/* A node as built: TRACED is its identity for the tracer. */
struct gsim_cuda_node {
    cudaGraphNode_t node;
    const struct gsim_op *op;
    uint64_t traced;
    uint32_t stream; /* of a capture; 0: none */
};

struct gsim_cuda_graph {
    cudaGraph_t graph;
    struct gsim_cuda_node *nodes; /* shared with the graphs instantiated from it; freed at the end of the run */
    size_t node_count, node_capacity;
};

struct gsim_cuda_exec {
    cudaGraphExec_t exec;
    uint32_t graph_index;
};

#define GSIM_CUDA_NO_EXEC UINT32_MAX

/* One driver call that put work on the device. */
struct gsim_cuda_call {
    const struct gsim_op *op; /* NULL: a graph's launch, or, where there is no exec either, a resident kernel's */
    uint32_t exec_index, stream, iteration;
    int64_t launch_ns;
};

struct gsim_cuda {
    struct gsim_driver driver; /* first */
    struct gsim_driver_ops ops;
    const struct gsim_program *program;
    struct gsim_runner_memory *memory;
    const struct gsim_bench_ops *bench_ops;
    struct gsim_runner_bench *bench;
    struct gsim_timeline *timeline;
    struct gsim_tracer *tracer; /* NULL: timing only */
    struct gsim_blocks *blocks; /* kernels note when their blocks run; NULL: they do not */
    gsim_blocks_see *see_block; /* for the blocks of iteration blocks_iteration; may be NULL */
    void *block_context;
    uint32_t blocks_iteration;
    size_t first_call; /* of the iteration, where blocks say when they run */
    enum gsim_memory_mode mode;
    uint32_t checked_iteration; /* before it, what the last iteration left on the device is spoilt; UINT32_MAX: none */
    pthread_mutex_t mutex; /* the tables below and the timeline; taken once there are several threads */
    bool is_threaded;
    struct gsim_cuda_stream *streams; /* by handle; 0 is the legacy default stream */
    struct gsim_cuda_event *events;   /* by handle; 0 is none */
    struct gsim_cuda_graph *graphs;   /* handle - 1 */
    struct gsim_cuda_exec *execs;     /* handle - 1 */
    struct gsim_cuda_call *calls;     /* of runs that are traced or whose blocks say when they run */
    size_t stream_count, stream_capacity, event_count, event_capacity, graph_count, graph_capacity, exec_count,
        exec_capacity, call_count, call_capacity;
    struct gsim_cuda_threads *threads; /* cuda_threads.c's */
    struct gsim_cuda_resident *residents; /* resident/driver.c's: plans that have been launched */
    uint32_t device_count;
    uint32_t captures;                 /* under way */
    uint32_t capture_graph;            /* its index */
    uint32_t iteration, streams_used, events_recorded, stream_waits, correlation;
    int64_t epoch_ns, iteration_start_ns;
};

/* --- several/devices.c: several GPUs --------------------------------------------------------------------------- */
/* The thread's current GPU becomes DEVICE; a call where there are several. */
void gsim_cuda_on_device(const struct gsim_cuda *cuda, uint32_t device);
/* The GPU that the scheduler set last on this thread. */
uint32_t gsim_cuda_device_set_last(void);
/* The GPU of what is issued to STREAM: its own, or of the default stream the one that was set last. */
uint32_t gsim_cuda_device_of(struct gsim_cuda *cuda, gsim_stream stream);
/* Somebody else has set the current GPU. */
void gsim_cuda_device_forget(void);
void gsim_cuda_devices_set_ops(struct gsim_cuda *cuda);
void gsim_cuda_memcpy_peer_async(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream);

/* On entry program, memory, bench, timeline and tracer are set, and all else is zero. */
void gsim_cuda_init(struct gsim_cuda *cuda);
/* Waits for the device and gives back streams, events and graphs. */
void gsim_cuda_release(struct gsim_cuda *cuda);

/* Around an iteration whose blocks say when they run (blocks.h). */
void gsim_cuda_blocks_begin(struct gsim_cuda *cuda);
void gsim_cuda_blocks_end(struct gsim_cuda *cuda);

/* --- shared by the backend's files ----------------------------------------------------------------------- */
static inline struct gsim_cuda *gsim_cuda_of(struct gsim_driver *driver) { return (struct gsim_cuda *)driver; }
static inline gsim_time gsim_cuda_time(const struct gsim_cuda *cuda, int64_t ns)
{
    return (ns - cuda->epoch_ns) * GSIM_PS_PER_NS;
}

static inline void gsim_cuda_lock(struct gsim_cuda *cuda)
{
    if (cuda->is_threaded) pthread_mutex_lock(&cuda->mutex);
}
static inline void gsim_cuda_unlock(struct gsim_cuda *cuda)
{
    if (cuda->is_threaded) pthread_mutex_unlock(&cuda->mutex);
}
/* When a call begins: read only where calls or launches are recorded, for the clock takes 25 ns. */
static inline int64_t gsim_cuda_begin(const struct gsim_cuda *cuda)
{
    return cuda->timeline->detailed || cuda->tracer ? gsim_runner_now_ns() : 0;
}

/* The first failure; false when RESULT is one. */
bool gsim_cuda_check(struct gsim_cuda *cuda, cudaError_t result, enum gsim_api api);
/* NULL where a call has failed before, or there is no such stream, which is an error. */
cudaStream_t gsim_cuda_stream_at(struct gsim_cuda *cuda, gsim_stream stream);
/* Ends a call that began at START_NS: checks RESULT and records the call where the timeline is detailed. */
void gsim_cuda_end(struct gsim_cuda *cuda, enum gsim_api api, cudaError_t result, int64_t start_ns, bool waited,
                   gsim_stream stream, const char *detail);
/* Around a call that puts work on the device: its number for the tracer. */
void gsim_cuda_call_begin(struct gsim_cuda *cuda, const struct gsim_op *op, uint32_t exec_index, gsim_stream stream,
                          int64_t start_ns);
void gsim_cuda_call_end(struct gsim_cuda *cuda);
/* While a capture is under way: OP has become the last node that the next op of STREAM would follow. */
void gsim_cuda_capture_note(struct gsim_cuda *cuda, const struct gsim_op *op, gsim_stream stream);
/* The version of OP's kernel that runs here. LAUNCH has been prepared and is completed; it keeps pointing to STAMPS. */
const void *gsim_cuda_code(const struct gsim_cuda *cuda, const struct gsim_op *op, struct gsim_runner_launch *launch,
                           struct gsim_block_stamp **stamps);
void *gsim_cuda_copy_ends(const struct gsim_cuda *cuda, const struct gsim_op *op, uint32_t device, void **from,
                          enum cudaMemcpyKind *kind);
uint32_t gsim_cuda_thread_index(void);

bool gsim_cuda_queue_has_item(struct gsim_cuda *cuda, gsim_queue queue);

/* Kernels of the iteration's resident launches. */
void gsim_cuda_residents_end(struct gsim_cuda *cuda);
void gsim_cuda_residents_release(struct gsim_cuda *cuda);
void gsim_cuda_graphs_release(struct gsim_cuda *cuda);
void gsim_cuda_threads_init(struct gsim_cuda *cuda);
void gsim_cuda_threads_release(struct gsim_cuda *cuda);

/* The calls themselves, of all these files; of the optional ones a few. */
#define GSIM_DO(name, parameters, arguments)         void gsim_cuda_##name parameters;
#define GSIM_CALL(type, name, parameters, arguments) type gsim_cuda_##name parameters;
#include "gpusim/driver.def"
