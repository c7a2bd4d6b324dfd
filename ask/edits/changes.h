/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: ask. What could be changed in a program, its host or its GPU, and the simulation with it: capture into a
 * graph, drop synchronisations, other streams, priorities, fewer or cheaper launches, pinned memory, hardware queues,
 * faster kernels, links or another device; of ranks, collectives, links and how many they are; of a server, its
 * policy and requests. Which to try and how to
 * show it: cli/whatif/whatif_table.c.
 */
#pragma once

#include "gpusim/scenario.h"
#include "serving/library.h"

/* What an error is a share of: the predicted time, but at most what is saved; the time that is saved; the time in which
 * the GPU works. */
enum gsim_error_of { GSIM_ERROR_OF_TIME, GSIM_ERROR_OF_SAVED, GSIM_ERROR_OF_BUSY };

/* X(KIND, word, metavar of its value or NULL, error as a ratio, of what, where that is from, software: can be done
 * together with others, what it is). */
#define GSIM_CHANGE_MAP(X)                                                                                             \
    X(GRAPH, "graph", NULL, 0.08, TIME, "6 models on an H100", true, "capture into a CUDA graph")                      \
    X(DAG, "dag", NULL, 0.15, TIME, "4 networks on an H100", true, "a CUDA graph of the true dependences")             \
    X(NOSYNC, "nosync", NULL, 0.25, SAVED, "assumed", true, "drop synchronisations that nothing needs")                \
    X(STREAMS, "streams", "K", 0.30, SAVED, "assumed", true, "K streams by true dependences")                          \
    X(PRIORITIES, "priorities", NULL, 0.50, SAVED, "assumed", true, "urgent streams by what follows their work")       \
    X(LAUNCH, "launch", "FACTOR", 0.10, SAVED, "assumed", false, "launch calls that many times cheaper")               \
    X(PDL, "pdl", "PROLOGUE", 0.50, SAVED, "assumed", true,                                                            \
      "programmatic launch along streams: only the gap, or a share of each kernel ahead too")                          \
    X(FUSE, "fuse", NULL, 0.50, SAVED, "assumed", true, "one launch for each chain of small elementwise kernels")      \
    X(PINNED, "pinned", NULL, 0.30, SAVED, "assumed", true,                                                            \
      "pinned memory, copies to the device ahead on a stream of their own")                                            \
    X(HW_QUEUES, "hw_queues", "N", 0.30, SAVED, "assumed", true, "N hardware queues (CUDA_DEVICE_MAX_CONNECTIONS)")    \
    X(POWER, "power", "W", 0.30, SAVED, "assumed", false, "a power limit of W watts")                                  \
    X(KERNEL, "kernel:NAME", "FACTOR", 0.10, SAVED, "assumed", false,                                                  \
      "kernels of that NAME, or whose names hold it, so many times faster")                                            \
    X(LINK, "link", "FACTOR", 0.20, SAVED, "assumed", false, "a link to the host so many times faster")                \
    X(DEVICE, "device", "NAME", 0.40, BUSY, "scaling by rates; timed kernels by intervals", false, "another GPU")      \
    X(COMM, "comm", "FACTOR", 0.20, SAVED, "assumed", false, "collectives that many times faster")                     \
    X(CHANNELS, "channels", "N", 0.30, SAVED, "assumed", true, "collectives of at most N channels, a block each")      \
    X(BUCKET, "bucket", "MIB", 0.30, SAVED, "assumed", true,                                                           \
      "all-reduces beside the kernels made of so many MiB each")                                                       \
    X(OVERLAP, "overlap", "on|off", 0.50, SAVED, "assumed", false,                                                     \
      "kernels go on beside collectives, or wait for each")                                                            \
    X(PRIORITY, "priority", NULL, 0.50, SAVED, "assumed", true, "the streams of collectives before others")            \
    X(COPY_ENGINE, "copy_engine", NULL, 0.30, SAVED, "assumed", true,                                                  \
      "gathers and all-to-alls by copy engines, without SMs")                                                          \
    X(CUSTOM, "custom", NULL, 0.30, SAVED, "assumed", true, "all-reduces of serving engines: one shot or two by size") \
    X(MICRO, "micro", "N", 0.30, SAVED, "assumed", true, "N micro-batches in a step of a pipeline")                    \
    X(KERNELS, "kernels", "FACTOR", 0.10, SAVED, "assumed", false,                                                     \
      "all kernels but collectives that many times faster")                                                            \
    X(RANK, "rank:R", "FACTOR", 0.10, SAVED, "assumed", false,                                                         \
      "kernels of rank R but collectives that many times faster")                                                      \
    X(RANKS, "ranks", "N", 0.30, SAVED, "assumed", false, "N ranks in all, as many of each that there is")             \
    X(NODE, "node", "NAME", 0.30, SAVED, "assumed", false, "links and network of a node; GPUs as recorded")           \
    X(SHARE, "share", "NAME", 0.30, SAVED, "assumed", false, "tasks share the GPU in that way")                        \
    X(BATCHING, "batching", "NAME", 0.30, SAVED, "assumed", true, "a server's batching policy")                        \
    X(BESIDE, "prefill_beside", "NAME", 0.30, SAVED, "assumed", true, "where a server's prefill runs")                 \
    X(REPLICAS, "replicas", "N", 0.30, SAVED, "assumed", false, "N servers behind the router")                         \
    X(RATE, "rate", "R", 0.30, SAVED, "assumed", false, "R requests per second to a server")

#define GSIM_ERROR_MIN 0.01 /* of what is saved: no prediction is nearer */

enum gsim_change_kind {
#define GSIM_CHANGE_ENUM(kind, word, metavar, error, of, source, software, text) GSIM_CHANGE_##kind,
    GSIM_CHANGE_MAP(GSIM_CHANGE_ENUM)
#undef GSIM_CHANGE_ENUM
    GSIM_CHANGE_COUNT
};

#define GSIM_CHANGE_TEXT 160

struct gsim_change {
    enum gsim_change_kind kind;
    char text[GSIM_CHANGE_TEXT];     /* as it is asked for */
    char argument[GSIM_CHANGE_TEXT]; /* the name of a kernel, device or node; a rank */
    double factor;                   /* or how many; of overlap above 0: on */
};

const char *gsim_change_word(enum gsim_change_kind kind);
const char *gsim_change_help(enum gsim_change_kind kind);
bool gsim_change_is_software(enum gsim_change_kind kind);
double gsim_change_error(enum gsim_change_kind kind);
const char *gsim_change_error_of(enum gsim_change_kind kind); /* "of the time", ... */
const char *gsim_change_source(enum gsim_change_kind kind); /* of that error */

/* "graph", "streams=4", "kernel:gemm=2x", "device=h200". GSIM_USAGE says what is known. */
enum gsim_status gsim_change_parse(const char *text, struct gsim_change *change,
                                   struct gsim_error *error) GSIM_NODISCARD;

/* A gradient that is ready behind an op. */
struct gsim_bucket_gradient {
    uint32_t op;
    uint64_t bytes;
};
struct gsim_gradients {
    const struct gsim_bucket_gradient *list; /* in the order in which they come */
    uint32_t count;                   /* 0: how they come is not known */
};

/* What is changed: a simulation of one program, or of clients: ranks, or tasks that share the GPU. */
struct gsim_progress;
struct gsim_changeable {
    const struct gsim_simulation *simulation; /* with CLIENTS: platform and options; its source may draw */
    bool has_data;                            /* its program says what kernels read and write, or what follows what */
    const struct gsim_client *clients;        /* NULL: SIMULATION's program */
    const struct gsim_gradients *gradients;   /* by client; NULL: not known */
    const double *offsets_us;                 /* by client: when its recording begins; NULL: not known */
    uint32_t client_count, iterations;
    double host_factor; /* of the host's time in its programs; 0: 1 */
    struct gsim_ranks links;
    /* A language model's server, whose steps are LIBRARY's programs and simulation SIMULATION; NULL: none. */
    const struct gsim_server *server;
    const struct gsim_library *library;
    struct gsim_progress *progress; /* of who asks for many times, for questions; NULL: nobody is shown one */
};

/* What moving to another device did: CUT kernels need more shared memory than a block can have there, and get that; the
 * times of all launches of kernels that were timed, and how far off their sum is, kernels being wrong one by one. */
struct gsim_edit_moved {
    uint32_t cut;
    double before_us, after_us, off_us;
};

uint32_t gsim_changeable_ranks(const struct gsim_changeable *base); /* copies counted */
/* Its clients, if it has any, are ranks; else tasks. */
static inline bool gsim_changeable_has_ranks(const struct gsim_changeable *base)
{
    return base->clients && !base->clients[0].task;
}

/* The simulation with changes, and what belongs to it. */
struct gsim_variant {
    struct gsim_simulation simulation; /* what gsim_run() takes */
    struct gsim_program program;       /* of one program; or result, what was drawn */
    struct gsim_scenario scenario;     /* of clients, and their programs */
    struct gsim_program *programs;
    uint32_t program_count;
    struct gsim_serving_spec spec; /* of a server; shares what BASE's has */
    struct gsim_library library;
    struct gsim_server server;
    bool *graphs;                  /* by step: the library's is_graph */
    uint32_t taken;                /* steps that the library has */
    uint64_t touched;              /* by change: it has an effect on some program */
    struct gsim_edit_moved moved; /* by a change of device, of all programs */
    bool has_other;
    struct gsim_device_spec device, other; /* OTHER: of a change of device, whose numbers these then are */
    struct gsim_arena arena;
    double off_ratio;   /* of its kernels' times in all, by a change of device, how far off they may be */
    bool has_effect;    /* false: there is nothing that it would change, or not enough is known; NOTE says which */
    char note[200];
};

/* How far off TIME_US may be with these changes, which save SAVED_US, leave the GPU working for BUSY_US and have a
 * variant's OFF_RATIO. */
double gsim_changes_error_us(const struct gsim_change *changes, size_t count, double time_us, double saved_us,
                             double busy_us, double off_ratio);

/* All of CHANGES together on BASE. The variant stays where it is, and the caller releases it in any case. */
enum gsim_status gsim_variant_of(struct gsim_variant *variant, const struct gsim_changeable *base,
                                 const struct gsim_change *changes, size_t count,
                                 struct gsim_error *error) GSIM_NODISCARD;
/* Where the variant's kernels are BASE's: their demands, which take long to find, too. The device must be BASE's but
 * for host and front end. */
void gsim_variant_share_works(struct gsim_variant *variant, const struct gsim_simulation *base);
/* Runs it; what was drawn is its program from then on. The caller releases TIMELINE, also on failure. */
enum gsim_status gsim_variant_run(struct gsim_variant *variant, struct gsim_timeline *timeline,
                                  struct gsim_error *error) GSIM_NODISCARD;
void gsim_variant_release(struct gsim_variant *variant);

/* --- edits.c: what a change does to the program; each returns how many things it changed, UINT32_MAX when memory is
 * out ------ */
struct gsim_edit;
void gsim_edit_gather_host(struct gsim_edit *edit); /* of programs without a framework */
uint32_t gsim_edit_count_rows(const struct gsim_edit *edit); /* kernels that graphs would put behind others */
uint32_t gsim_edit_order_streams(struct gsim_edit *edit, bool all_in_one);
uint32_t gsim_edit_spread(struct gsim_edit *edit, uint32_t count); /* over so many streams (spread.c) */
uint32_t gsim_edit_drop_syncs(struct gsim_edit *edit);
uint32_t gsim_edit_rank_streams(struct gsim_edit *edit, const struct gsim_device_spec *device,
                                struct gsim_error *error);
/* Kernels whose stream has a kernel before them, and which follow nothing of other streams, launched programmatically.
 * PROLOGUE above 0: each has this share of it before its wait, where the program does not say, and triggers half-way;
 * else they trigger at their ends. */
uint32_t gsim_edit_launch_ahead(struct gsim_edit *edit, double prologue);
uint32_t gsim_edit_fuse(struct gsim_edit *edit);
uint32_t gsim_edit_pin(struct gsim_edit *edit);
/* NAME NULL: all but collectives. */
uint32_t gsim_edit_hasten(struct gsim_edit *edit, const char *name, double factor);
uint32_t gsim_edit_hasten_copies(struct gsim_edit *edit, const struct gsim_device_spec *device, double factor);
/* Adds to MOVED what comes of kernels recorded on FROM as if on TO (sim/device/other.h). */
struct gsim_other_law;
uint32_t gsim_edit_move(struct gsim_edit *edit, const struct gsim_other_law *law, const struct gsim_device_spec *from,
                        const struct gsim_device_spec *to, struct gsim_edit_moved *moved);

/* --- server.c --- */
bool gsim_change_is_of_steps(enum gsim_change_kind kind); /* of a server, made on each step */
/* Makes CHANGES, of which bit I of TOUCHED says that number I has an effect, and the library of V's programs. */
enum gsim_status gsim_variant_join_server(struct gsim_variant *variant, const struct gsim_changeable *base,
                                          const struct gsim_change *changes, size_t count, uint64_t *touched,
                                          struct gsim_error *error) GSIM_NODISCARD;
/* RESULT is released by the caller, also on failure. */
enum gsim_status gsim_variant_serve(const struct gsim_variant *variant, struct gsim_serving_result *result,
                                    struct gsim_error *error) GSIM_NODISCARD;

/* --- collectives.c: a program whose collectives, or what waits for them, are others --- */
struct gsim_collective_edit {
    uint32_t channels;     /* 0: as they are */
    uint64_t bucket_bytes; /* 0: as they are */
    const struct gsim_bucket_gradient *gradients;
    uint32_t gradient_count;
    bool is_graph;         /* what the host does between its calls is saved */
    int overlap;           /* 1 on, -1 off, 0 as it is */
    bool is_urgent, by_engines, is_custom;
    uint32_t times;        /* the ops so often, one after the other; 0: once */
};
/* PROGRAM is written in any case; HAS_EFFECT stays where the edit changes nothing. */
enum gsim_status gsim_collective_edit(const struct gsim_program *from, const struct gsim_collective_edit *edit,
                                      struct gsim_program *program, bool *has_effect,
                                      struct gsim_error *error) GSIM_NODISCARD;
