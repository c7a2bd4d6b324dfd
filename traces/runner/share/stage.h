/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. Tasks on this machine's GPU for a while: a process for each that has one of its own, a thread
 * for each of those that share one. The starting process makes no CUDA call itself, since a child cannot go on with its
 * parent's.
 */
#pragma once

#include "traces/runner/run.h"
#include "traces/runner/share/policy.h"
#include "traces/runner/share/standin.h"

/* What a task's kernels are on the GPU: a built-in workload's own, or stand-ins. */
struct gsim_stage_task {
    const struct gsim_program *program;       /* the task's own */
    const struct gsim_workload_options *options;
    const struct gsim_bench_ops *bench_ops;   /* NULL: stand-ins */
    struct gsim_standin *standins;            /* of each kernel, in memory that processes share */
};

struct gsim_stage {
    const struct gsim_task_set *set;
    const struct gsim_stage_task *tasks;      /* by task of the set */
    const struct gsim_sharing_ops *ops;
    const void *params;
    struct gsim_share_settings settings;
    const struct gsim_task_profiles *profile; /* NULL: none */
    const struct gsim_device_spec *device;
    enum gsim_memory_mode memory;
    bool prefetch;
    uint64_t seed;
    uint32_t warmup;                          /* requests before those that count */
    bool measures;                            /* kernels' times, by timed events around each */
    double excess_us;                         /* of these */
    uint64_t decisions;                       /* found: of the policy */
};

/* stage.c. TIMELINE gets the requests, and the kernels where they are measured: initialised here, released by the
 * caller also on failure. */
enum gsim_status gsim_stage_run(struct gsim_stage *stage, struct gsim_timeline *timeline,
                                struct gsim_error *error) GSIM_NODISCARD;
/* BODY in a process of its own, which may use the GPU; its status and message come back. WHAT: for messages. */
enum gsim_status gsim_stage_apart(enum gsim_status (*body)(void *data, struct gsim_error *error), void *data,
                                  const char *what, struct gsim_error *error) GSIM_NODISCARD;
/* Memory that children share; released with the process. */
void *gsim_stage_memory(size_t bytes);
/* Interrupts end children and what else there is to end; then they end this process's run with a message. */
void gsim_stage_catch_signals(void);

/* client.c: all tasks of process PROCESS, in this process. Errors go to the ledger. */
void gsim_client_main(const struct gsim_stage *stage, struct gsim_ledger *ledger, const uint32_t *process_of,
                      uint32_t process);

/* mps.c: a daemon of our own, or the one of CUDA_MPS_PIPE_DIRECTORY. */
enum gsim_status gsim_mps_start(struct gsim_error *error) GSIM_NODISCARD;
void gsim_mps_stop(void); /* ours; does nothing where there is none */
/* In a child before its first CUDA call: as a client of MPS with PERCENTAGE (0: all) of the SMs, or apart from any
 * daemon. */
void gsim_mps_join(double percentage, bool is_behind);
/* Before the process makes its context: one of so many clients. Its hardware queues fit with theirs. */
void gsim_mps_connect(uint32_t client_count, bool needs_queues);
void gsim_mps_avoid(void);
