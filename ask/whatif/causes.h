/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: ask. Why the GPU was idle or half idle: every moment of a finished, detailed timeline by what was missing,
 * and the critical path. Times are exact: what the shares add up to is the makespan. The run itself is the caller's;
 * text: cli/whatif/explain.c.
 */
#pragma once

#include "gpusim/simulate.h"

/* What the GPU does. With kernels on all SMs a cause is given where another kernel waited all the same. */
#define GSIM_GPU_STATE_MAP(X)                                                                                          \
    X(ALL_SMS, "kernels on all SMs")                                                                                   \
    X(ALL_SMS_COPIES, "kernels on all SMs, and copies")                                                                \
    X(SOME_SMS, "kernels on some of the SMs")                                                                          \
    X(SOME_SMS_COPIES, "kernels on some of the SMs, and copies")                                                       \
    X(COPIES, "copies alone")                                                                                          \
    X(IDLE, "nothing")

enum gsim_gpu_state {
#define GSIM_GPU_STATE_ENUM(name, text) GSIM_GPU_##name,
    GSIM_GPU_STATE_MAP(GSIM_GPU_STATE_ENUM)
#undef GSIM_GPU_STATE_ENUM
    GSIM_GPU_STATE_COUNT
};

/* Why the next work had not started. X(NAME, word of reports, text). */
#define GSIM_CAUSE_MAP(X)                                                                                              \
    X(NONE, "none", "nothing was missing")                                                                             \
    X(LAUNCH_CALLS, "launch_calls", "host late: launch calls")                                                         \
    X(FRAMEWORK, "framework", "host late: framework between calls")                                                    \
    X(HOST_WORK, "host_work", "host: own work")                                                                        \
    X(NAMED, "named", "host late: what the trace names")                                                               \
    X(RESULT, "result", "host late: waited for a result")                                                              \
    X(OTHER_CALLS, "other_calls", "host late: events, streams, building graphs")                                       \
    X(LAUNCH_LATENCY, "launch_latency", "launch latency")                                                              \
    X(DEPENDENCE, "dependence", "dependence: other work not done")                                                     \
    X(GAP, "gap", "gap between dependent works")                                                                       \
    X(GRAPH_GAP, "graph_gap", "gap between graph nodes")                                                               \
    X(HW_QUEUE, "hw_queue", "hardware queue: blocked behind another stream")                                           \
    X(LAUNCH_QUEUE, "launch_queue", "launch queue full")                                                               \
    X(ROOM_THREADS, "room_threads", "no room: threads")                                                                \
    X(ROOM_REGISTERS, "room_registers", "no room: registers")                                                          \
    X(ROOM_SMEM, "room_shared_memory", "no room: shared memory")                                                       \
    X(ROOM_BLOCKS, "room_blocks", "no room: blocks per SM")                                                            \
    X(ROOM_CARVEOUT, "room_carveout", "no room: carve-out of shared memory")                                           \
    X(ROOM_GRIDS, "room_grids", "no room: resident kernels")                                                           \
    X(ROOM_ORDER, "room_order", "no room: blocks of an earlier kernel come first")                                     \
    X(COPY_ENGINE, "copy_engine", "copy engine busy")                                                                  \
    X(DATA, "data", "managed memory: data on its way")                                                                 \
    X(OTHER_RANKS, "other_ranks", "waiting for other ranks (estimated)")                                               \
    X(UNEXPLAINED, "unexplained", "unexplained by the trace")                                                          \
    X(END, "end", "nothing left to start")

enum gsim_cause {
#define GSIM_CAUSE_ENUM(name, word, text) GSIM_CAUSE_##name,
    GSIM_CAUSE_MAP(GSIM_CAUSE_ENUM)
#undef GSIM_CAUSE_ENUM
    GSIM_CAUSE_COUNT
};

const char *gsim_gpu_state_text(enum gsim_gpu_state state);
const char *gsim_cause_word(enum gsim_cause cause);
const char *gsim_cause_text(enum gsim_cause cause);
/* The kernel stands for time that is no work of the GPU's. */
bool gsim_is_delay(const char *kernel);

#define GSIM_RANKS_KERNEL "(waiting for other ranks)"   /* the same, of a collective of one rank alone */
#define GSIM_UNEXPLAINED_KERNEL                                                                                        \
    "(unexplained idle)" /* the kernel that traces/import/records/emit.c makes of such a time */

/* A stretch of one state and cause; NEXT: the work that it waited for, an index into gsim_moments.works, UINT32_MAX for
 * none. */
struct gsim_stretch {
    gsim_time start, end;
    enum gsim_gpu_state state;
    enum gsim_cause cause;
    uint32_t next;
    const char *what; /* the host did, where it is known (GSIM_HOST_... in timeline.h); NULL: not */
};

/* A part of the critical path: kernels of one name (by the index of the first), copies of one direction, or a cause, of
 * the host each thing that it did apart. */
enum gsim_part_kind { GSIM_PART_KERNEL, GSIM_PART_COPY, GSIM_PART_CAUSE };
struct gsim_path_part {
    enum gsim_part_kind kind;
    uint32_t index; /* of the program's kernel, enum gsim_copy_kind, enum gsim_cause */
    uint64_t count;
    gsim_time time;
    const char *what; /* of a cause: as a stretch has it */
};

struct gsim_explanation {
    gsim_time from, makespan; /* of what is explained: where it begins, how long it is */
    gsim_time time[GSIM_GPU_STATE_COUNT][GSIM_CAUSE_COUNT]; /* adds up to the makespan */
    struct gsim_stretch *stretches;                         /* in order, without holes */
    size_t stretch_count, stretch_room;
    struct gsim_path_part *parts; /* of the critical path, the longest first; add up to the makespan */
    size_t part_count, part_room;
    struct gsim_moments *moments; /* ask/whatif/moments.h */
};

/* TIMELINE: detailed, and of SIMULATION; both must outlive the explanation, which the caller releases in any case.
 * ITERATION: only that one; GSIM_ALL_ITERATIONS: from the program's first call to the last end. */
#define GSIM_ALL_ITERATIONS SIZE_MAX
enum gsim_status gsim_explain(const struct gsim_simulation *simulation, const struct gsim_timeline *timeline,
                              size_t iteration, struct gsim_explanation *explanation,
                              struct gsim_error *error) GSIM_NODISCARD;
/* The same of the works of one GPU of several, as TIME. How many of its SMs kernels fill is not known: they count as on
 * some of them. */
enum gsim_status gsim_explain_gpu(const struct gsim_explanation *explanation, uint32_t gpu,
                                  gsim_time time[GSIM_GPU_STATE_COUNT][GSIM_CAUSE_COUNT],
                                  struct gsim_error *error) GSIM_NODISCARD;
void gsim_explanation_release(struct gsim_explanation *explanation); /* accepts a zeroed one */

/* Of one state all causes; of one cause the idle time; the busy time in which it kept further kernels from running. */
gsim_time gsim_explained_state(const struct gsim_explanation *explanation, enum gsim_gpu_state state);
gsim_time gsim_explained_idle(const struct gsim_explanation *explanation, enum gsim_cause cause);
gsim_time gsim_explained_busy(const struct gsim_explanation *explanation, enum gsim_cause cause);
