/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. Profiler traces into programs that the scheduler async replays: kernels with their recorded
 * durations, copies, the host's time between calls, and the order that streams and synchronisation gave.
 * Formats: traces/import/importers.def. What could be repaired is counted in the notes.
 */
#pragma once

#include "gpusim/device.h"
#include "traces/import/part.h"
#include "traces/import/steps.h"
#include "traces/recording.h"

#define GSIM_RANK_WAIT "(waiting for other ranks)" /* a kernel that stands for it */

/* By op of the program: the profiler's number of the operator that launched it, 0 where that is not known. */
struct gsim_import_origin {
    uint64_t *external;
    uint32_t count;
    size_t room;
};

struct gsim_cuda_options;
struct gsim_import_options {
    const struct gsim_cuda_options *cuda; /* source/read/options.h; NULL: none */
    const char *name;        /* of the program */
    const char *solo_device; /* the device that recorded durations are of; NULL: whichever is simulated */
    bool gaps;               /* host time between calls becomes host_compute */
    struct gsim_import_part part; /* of which GPU, from when to when */
    uint32_t first, last;    /* which works (kernels, copies, memsets), counted from 0 in launch order */
    /* NULL allowed: called now and then while a file is read. RATIO: how much of it, 0 to 1; RECORDS: works, calls and
     * waits kept so far. */
    void (*progress)(void *context, double ratio, uint64_t records);
    void *progress_context;
    bool wants_data; /* there must be an execution trace, or pointers in the recording (gpusim trace --arguments) */
    const char *execution_trace; /* what operators read and write (traces/import/records/dataflow.h); NULL: not known */
    bool is_rank;      /* collectives become ops that meet those of other ranks, with what the trace says of them */
    bool splits_waits; /* of one rank alone: what a collective took longer than it takes alone is told apart, as a wait
                          for other ranks */
    const struct gsim_device_spec *device; /* that estimates that; NULL: none */
    bool drops_order; /* the order of streams and waits is not made part of the program: its works are independent */
    bool removes_overhead;  /* the profiler's own share of the host's time, as far as it can be told
                               (traces/import/records/overhead.c) */
    bool replays_graphs;    /* what CUDA graphs launched is replayed as graphs, not by launches of their own */
    bool drops_unexplained; /* idle time of the GPU that the trace does not explain: left out, not kept as a delay */
    enum {
        GSIM_COPIES_BY_RATE,
        GSIM_COPIES_RECORDED,
        GSIM_COPIES_MODELLED
    } copies;               /* BY_RATE: recorded where rates differ */
    double copy_gbps[2][2]; /* of the device: [pageable][d2h]; 0: not known */
    /* What a replay charges by itself: it is taken off the recorded host time. gsim_import_charge() */
    double launch_us, memcpy_us, event_record_us, stream_wait_us, launch_to_start_us, sync_return_us, sync_idle_us;
    double stream_gap_us, kernel_to_copy_us, copy_to_kernel_us, graph_node_gap_us, graph_start_us, graph_launch_us,
        graph_launch_node_us;
    struct gsim_trace_steps *steps;  /* NULL: not wanted; zeroed before, and the caller's to release in any case */
    struct gsim_import_times *times; /* NULL: not wanted; zeroed before, and the caller's to release in any case */
    struct gsim_import_origin *origin; /* likewise; of Kineto's traces. The caller frees EXTERNAL */
};

/* Sets what a replay on DEVICE charges, and whose durations they are; DEVICE must outlive the options. */
void gsim_import_charge(struct gsim_import_options *options, const struct gsim_device_spec *device);

/* What each work was that became an op of the program, in launch order. Times count from the first launch call;
 * start_us and end_us are NAN where they were repaired, so that only their difference is known. CALLS: of the whole
 * file, in the order of their starts. */
struct gsim_ready_gradient {
    double ready_us;
    uint64_t elements;
};
struct gsim_import_times {
    struct gsim_recorded_op *ops;
    uint32_t count;
    size_t room;
    struct gsim_ready_gradient *gradients; /* of ranks, in the order in which they came; READY_US: its hooks have run */
    uint32_t gradient_count;
    size_t gradient_room;
    struct gsim_host_call *calls;
    uint32_t call_count;
    size_t call_room;
};
void gsim_import_times_release(struct gsim_import_times *times);

/* X(field, what happened; stands behind the count). */
#define GSIM_IMPORT_NOTE_MAP(X)                                                                                        \
    X(damaged, "events that are not quite JSON: mended or passed over")                                                \
    X(unknown_shapes, "without grid and block: taken as one block each")                                               \
    X(unknown_sizes, "copies without a size: at their recorded times")                                                 \
    X(cut_ends, "that last beyond the next in their stream: cut at its start")                                         \
    X(side_by_side, "that ran beside others of their own stream: the profiler put several streams on one")             \
    X(lost_calls, "without a launch call: put behind the work before them in their stream, and that of other streams " \
                  "that ended last before they began")                                                                 \
    X(repeated_works, "with a correlation id that an earlier one has: launched by the same call")                      \
    X(repeated_calls, "calls with a correlation id that another has: the latest before the work counts")               \
    X(lost_works, "kernel launches without a kernel: the profiler lost it, or a graph captured the launch")            \
    X(early_starts, "that start before their launch: moved behind it")                                                 \
    X(late_starts, "that start over a second after their launch though the GPU was idle: their times are doubtful")    \
    X(zero_times, "without a start: put behind their launch")                                                          \
    X(dropped, "with neither a start nor a launch call: left out")                                                     \
    X(empty, "without a duration or that end before they start: that of the same kernel elsewhere, else 1 ns")         \
    X(overlaps, "that overlap the one before in their stream: shortened by the overlap")                               \
    X(unfinished, "calls that end before they start: their end is ignored")                                            \
    X(other_devices, "on other GPUs or of other ranks than those kept: left out (--gpu, --rank)")                      \
    X(host_copies, "copies within host memory: left out, as host time")                                                \
    X(managed_moves, "moves of managed memory: left out; the kernels' durations hold what they waited")                \
    X(whole_graphs,                                                                                                    \
      "graphs recorded as a whole, replayed as one kernel each: nsys --cuda-graph-trace=node tells more")              \
    X(pageable, "copies of pageable memory")                                                                           \
    X(recorded_copies, "copies at their recorded times, as the device's links have other rates (--copies)")            \
    X(peer_copies, "copies between GPUs: at their recorded times")                                                     \
    X(graph_works,                                                                                                     \
      "launched by CUDA graphs: replayed as launches of their own, unless graphs made nine tenths of all")             \
    X(inferred_waits,                                                                                                  \
      "cudaStreamWaitEvent calls without a synchronisation record: what they wait for is inferred from times")         \
    X(rank_waits, "collectives that took far longer than they take: estimated to have waited for other ranks: give "   \
                  "the traces of all ranks")                                                                           \
    X(talking, "kernels of DeepEP, NVSHMEM or the like: communication, with the waits for other GPUs in their times")  \
    X(idle_waits, "that start later than the trace explains: the GPU's idle time is kept as a delay (--unexplained)")  \
    X(data_works, "kernels whose operands are known: they depend on what they read and write")                         \
    X(pointed_works,                                                                                                   \
      "follow the allocations of their pointers: those in memory and __device__ variables are not seen")               \
    X(dataless_works, "of which no operands are known: they follow all before them")                                   \
    X(unknown_waits, "cudaStreamWaitEvent calls without a synchronisation record: their order is not known")           \
    X(other_threads, "launched by further host threads: replayed by one thread, in the order of the calls")            \
    X(workflow_tasks,                                                                                                  \
      "tasks of a workflow: a second of theirs is a millisecond here, on as many blocks as they had cores")            \
    X(lock_us, "us in which one host thread waited for Python's lock while another launched: more threads do not "     \
               "launch faster")                                                                                        \
    X(named_waits, "that only wait for a time, by name: they ask the GPU for nothing")                                 \
    X(counted_tiles, "whose blocks take tiles from a queue, as many as the operators' shapes say")                     \
    X(named_tiles, "whose blocks take tiles from a queue, by name: of unknown number (--kernels tells)")               \
    X(named_clusters, "launched in thread block clusters, by name (nvjet, CUTLASS): a newer nsys or --kernels tells")  \
    X(idle_launches,                                                                                                   \
      "launches in functions or branches that are not executed: left out (--entry NAME, --arg NAME=VALUE)")            \
    X(guessed_launches, "launches in branches, cases or loops that may not be executed: read as if they were")         \
    X(left_syncs, "synchronisations of the default stream: left out, as the host's reads tell what it waits for")      \
    X(estimated,                                                                                                       \
      "kernels' times are estimated from the source: operations and bytes of their first thread, times all")           \
    X(unlike_runs,                                                                                                     \
      "run without recording that waits and launches otherwise: the steps' time is not known from it")                 \
    X(shared, "that ran beside work of other streams: their durations are not those of running alone")

struct gsim_import_notes {
#define GSIM_IMPORT_NOTE_FIELD(field, text) uint64_t field;
    GSIM_IMPORT_NOTE_MAP(GSIM_IMPORT_NOTE_FIELD)
#undef GSIM_IMPORT_NOTE_FIELD
    uint64_t kernels, copies, memsets, streams, threads;
    bool is_source; /* no trace: */
    uint64_t launches, read_launches; /* that its text has, of those that were read */
    double stream_gap_us; /* between kernels that follow each other in streams, on average; 0: not known */
    double idle_us; /* that the trace does not explain */
    double overhead_us; /* of the host's time, the profiler's own: removed */
    uint64_t node_gaps; /* between nodes of CUDA graphs, of one stream; their mean, and that between kernels alone: */
    double node_gap_us, kernel_gap_us;
    char alone[240];    /* what kernels that ran beside others are taken to need alone; "": none, or not asked */
    double drawn_mj; /* by the kernels, above the base at full clock; 0: the device does not say */
    double span_us; /* start of the first launch call to the end of the last work */
    char gpu[64];   /* as the trace names it; "" where it does not */
    /* What else the file says of the GPU and of itself; 0, "" and false where it does not. */
    int compute_capability;
    double sm_count, memory_bytes, dram_gbps, clock_mhz;
    uint32_t rank, world; /* of the program's ranks, which one it is; 0 of 0 where it does not say */
    uint64_t collectives; /* whose kind and size are known */
    char date[16]; /* "2026-11-20", of the first work, UTC */
    bool is_simulated, is_runner; /* written by gpusim; by gpusim-runner, whose tracer saw the works */
};

/* Of the kinds of GSIM_IMPORT_NOTE_MAP from AT on (0 at first) the next that was noticed: how often, and TEXT to stand
 * behind the count. 0: no further. */
uint64_t gsim_import_next_note(const struct gsim_import_notes *notes, uint32_t *at, const char **text);

/* Whether CUDA graphs launched all of it or nearly all, so that it is replayed as graphs. */
bool gsim_import_is_graph(const struct gsim_import_notes *notes);

/* What the trace tells of DEVICE: gaps between works; those between calls are in the program. Those beside memsets of a
 * CUDA graph count where a profiler watches. */
void gsim_import_fit_gap(const struct gsim_import_notes *notes, bool is_watched, struct gsim_device_spec *device);

/* The gap between nodes of graphs that no profiler watches, in place of a greater one that
 * gsim_import_fit_gap() found. Returns whether it was greater. */
bool gsim_import_untrace_gap(const struct gsim_import_notes *notes, struct gsim_device_spec *device);

/* How many records were not as they can have been, in whatever way. */
uint64_t gsim_import_repairs(const struct gsim_import_notes *notes);
