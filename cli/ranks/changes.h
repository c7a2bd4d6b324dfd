/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). Changes of programs of ranks, as "gpusim whatif" names them, and ranks with some of them
 * made. */
#pragma once

#include "cli/ranks/traces.h"

/* X(id, word, takes: a number, or a factor like 2x; meaning) */
#define GSIM_RANK_CHANGES(X)                                                                                           \
    X(COMM, "comm", "Fx", "collectives move data F times as fast")                                                     \
    X(CHANNELS, "channels", "N", "collectives have at most N channels, a block each")                                  \
    X(BUCKET, "bucket", "MB", "all-reduces beside the kernels are made of so many MiB each")                           \
    X(OVERLAP, "overlap", "on|off", "kernels go on beside collectives, or wait for each")                              \
    X(PRIORITY, "priority", "", "the streams of collectives come before others")                                       \
    X(GRAPH, "graph", "", "a step is one CUDA graph on each rank")                                                     \
    X(RANKS, "ranks", "N", "N ranks in all, as many of each that there is")                                            \
    X(MICRO, "micro", "N", "N micro-batches in a step of a pipeline")                                                  \
    X(KERNELS, "kernels", "Fx", "all kernels but collectives F times as fast")                                         \
    X(RANK, "rank:", "R=Fx", "kernels of rank R but collectives F times as fast")                                      \
    X(COPY_ENGINE, "copy_engine", "", "gathers and all-to-alls by copy engines, without SMs")                          \
    X(HW_QUEUES, "hw_queues", "N", "the device has N hardware queues")                                                 \
    X(NODE, "node", "NAME", "the links and the network of a node; the GPUs as recorded")
#define GSIM_RANK_CHANGE_ENUM(id, word, takes, meaning) GSIM_RANK_CHANGE_##id,
enum gsim_rank_change_kind { GSIM_RANK_CHANGES(GSIM_RANK_CHANGE_ENUM) GSIM_RANK_CHANGE_COUNT };

struct gsim_rank_change {
    enum gsim_rank_change_kind kind;
    double value;  /* of overlap 1: on */
    uint32_t rank;
    char node[80];
};
#define GSIM_RANK_CHANGES_MOST 6 /* together */

/* "comm=2x+bucket=5". Returns how many in *COUNT. */
enum gsim_status gsim_rank_changes_parse(const char *text, struct gsim_rank_change changes[GSIM_RANK_CHANGES_MOST],
                                         uint32_t *count, struct gsim_error *error) GSIM_NODISCARD;

/* Programs of ranks as they are with some changes. */
struct gsim_rank_variant {
    struct gsim_program *programs; /* by trace, the variant's */
    uint32_t program_count;
    struct gsim_cli_rank_run run;
    struct gsim_device_spec device; /* borrows the arena of the setup's */
    char note[160];                 /* what is assumed; "": nothing */
    bool has_effect;
    struct gsim_arena arena;
};
/* Released by the caller, also on failure. */
enum gsim_status gsim_rank_variant_init(struct gsim_rank_variant *v, const struct gsim_cli_rank_traces *t,
                                        const struct gsim_rank_change *changes, uint32_t count,
                                        struct gsim_error *error) GSIM_NODISCARD;
void gsim_rank_variant_release(struct gsim_rank_variant *v); /* accepts zeroed */
/* The slowest rank's step, as it repeats; TIMES: of each of the run's programs, or NULL. */
enum gsim_status gsim_rank_variant_run(const struct gsim_rank_variant *v, const struct gsim_cli_rank_traces *t,
                                       double *step_us, struct gsim_cli_rank_time *times,
                                       struct gsim_error *error) GSIM_NODISCARD;

/* --- edit.c: a program rebuilt --- */
/* A gradient that is ready behind an op. */
struct gsim_rank_gradient {
    uint32_t op;
    uint64_t bytes;
};

struct gsim_rank_edit {
    uint32_t channels;            /* 0: as they are */
    uint64_t bucket_bytes;        /* 0: as they are */
    const struct gsim_rank_gradient *gradients; /* in the order in which they come; none: it is not known how they do */
    uint32_t gradient_count;
    bool is_graph;                /* what the host does between its calls is saved */
    int overlap;                  /* 1 on, -1 off, 0 as it is */
    bool is_urgent, by_engines;
    uint32_t times;               /* the ops so often, one after the other; 0: once */
    double kernel_speed;          /* 0: 1 */
};
/* PROGRAM is written in any case; HAS_EFFECT stays where the edit changes nothing. */
enum gsim_status gsim_rank_edit(const struct gsim_program *from, const struct gsim_rank_edit *edit,
                                struct gsim_program *program, bool *has_effect,
                                struct gsim_error *error) GSIM_NODISCARD;
