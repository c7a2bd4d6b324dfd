/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: ask. What a text names, something built in or a file, and for sessions its reader: a program, a profiler's
 * trace, a CUDA source, ranks, tasks, or a server and the programs of its steps.
 */
#pragma once

#include "ask/edits/changes.h"
#include "gpusim/workload.h"
#include "traces/import/import.h"

/* X(KIND, what a file of it has in its head, what it is and who takes it): NULL where another thing tells. */
#define GSIM_SUBJECT_MAP(X)                                                                                            \
    X(UNKNOWN, NULL, NULL) X(WORKLOAD, NULL, NULL) X(GENERATOR, NULL, NULL) X(DRAWN, NULL, NULL)                       \
    X(SERVICE, NULL, NULL) /* up to here names */                                                                      \
    X(PLUGIN, NULL, "a shared object: gpusim run --workload FILE")                                                     \
    X(CUDA, NULL, "a CUDA source: gpusim run --workload FILE, gpusim schedule FILE")                                   \
    X(TRACE, NULL, "a profiler's trace: gpusim explain FILE, gpusim import FILE -o PROGRAM")                           \
    X(RESULTS, NULL, "results of a sweep: gpusim plot speedup, gpusim results")                                        \
    X(PROGRAM, "gpusim-program/", "a program: gpusim run --workload FILE")                                             \
    X(RANKS, "gpusim-ranks/", "a file of ranks: gpusim run --ranks FILE, gpusim explain FILE")                         \
    X(TASKS, "gpusim-tasks/", "a file of tasks: gpusim compare --task FILE --share all")                               \
    X(SERVER, "gpusim-serving/", "a server: gpusim serve FILE, gpusim sweep FILE, gpusim ask QUESTION FILE")           \
    X(SWEEP, "gpusim-sweep/", "the description of a sweep: gpusim sweep FILE -o RESULTS.db")                           \
    X(REPORT, "gpusim-report/", "the report of a run: gpusim plot timeline, gpusim report")                            \
    X(COMPARISON, "gpusim-compare/", "what compare --report writes: gpusim plot speedup, gpusim report")               \
    X(SHARES, "gpusim-share-comparison/", "a comparison of ways of sharing: gpusim plot jct, gpusim report")           \
    X(RUNS, "gpusim-runs/", "recorded runs: gpusim validate, gpusim plot timeline")                                    \
    X(ANSWER, "gpusim-answer/", "the answer to a question: gpusim report")                                             \
    X(WHATIF, "gpusim-whatif/", "an answer of whatif: gpusim report")                                                  \
    X(EXPLAIN, "gpusim-explain", "an answer of explain: gpusim report")                                                \
    X(DEVICE, "gpusim-device/", "a device: gpusim run --device FILE")                                                  \
    X(NODE, "gpusim-node/", "a node: gpusim run --node FILE")                                                          \
    X(VALIDATION, "gpusim-validation/", "what validate --report writes, which no figure shows")
#define GSIM_SUBJECT_ENUM(kind, mark, text) GSIM_SUBJECT_##kind,
enum gsim_subject_kind { GSIM_SUBJECT_MAP(GSIM_SUBJECT_ENUM) GSIM_SUBJECT_KIND_COUNT };
#undef GSIM_SUBJECT_ENUM
/* GSIM_SUBJECT_UNKNOWN: no name, and no file or none of these. */
enum gsim_subject_kind gsim_subject_kind_of(const char *name_or_path);
static inline bool gsim_subject_is_name(enum gsim_subject_kind kind)
{
    return kind >= GSIM_SUBJECT_WORKLOAD && kind <= GSIM_SUBJECT_SERVICE;
}
#define GSIM_SUBJECT_BIT(kind) (UINT32_C(1) << GSIM_SUBJECT_##kind)
/* GSIM_INPUT where the file at PATH is known, and none of KINDS: "expected EXPECTED, found", and who takes it. */
enum gsim_status gsim_subject_expect(const char *path, uint32_t kinds, const char *expected,
                                     struct gsim_error *error) GSIM_NODISCARD;

/* Under what one is read. */
struct gsim_subject_terms {
    const struct gsim_device_spec *device; /* NULL: none is known */
    bool replays;                          /* graphs as graphs */
    struct gsim_workload_options workload; /* of built-in ones */
};

struct gsim_subject {
    struct gsim_program program;
    const struct gsim_source_ops *source; /* draws it; NULL: it is known */
    bool has_data; /* it says what kernels read and write, or what follows what */
    bool is_file, is_trace, is_server;
    struct gsim_program renewed; /* of a program file that is run once, for questions */
    struct gsim_import_notes notes; /* of a trace */
    struct gsim_serving_spec spec; /* of a server */
    struct gsim_library library;
    struct gsim_server server;
    struct gsim_client *clients; /* ranks, or with TASKS tasks, whose programs are PARTS; NULL: one program */
    struct gsim_task *tasks;
    struct gsim_subject *parts;
    uint32_t client_count, part_count;
    struct gsim_task_set set;
    struct gsim_ranks links;
    bool is_pinned;             /* tasks name their GPUs */
    char device[80];            /* of the ranks' node; "": it names none */
    struct gsim_simulation simulation; /* of clients */
    struct gsim_arena arena;
};

bool gsim_program_has_data(const struct gsim_program *program);
/* Reads the file at PATH, or what is built in by that name, with default numbers. Traces are imported as gpusim import
 * does without options; of another GPU than the device, or with kernels whose times alone would have to be inferred,
 * they are refused, and all without one. Released by the caller, also on failure. */
enum gsim_status gsim_subject_read(struct gsim_subject *subject, const char *path,
                                   const struct gsim_subject_terms *terms, struct gsim_error *error) GSIM_NODISCARD;
/* What questions are asked of, which lies in SUBJECT and SIMULATION: its device, which must outlive it, options, and
 * of who names none scheduler and way of sharing. */
enum gsim_status gsim_subject_scenario(struct gsim_subject *subject, const struct gsim_simulation *simulation,
                                       struct gsim_changeable *scenario, struct gsim_error *error) GSIM_NODISCARD;
/* Returns the file of a built-in service, from ARENA; NULL: it is not there. */
const char *gsim_subject_service_path(const char *name, struct gsim_arena *arena, struct gsim_error *error);
/* A program that is run once moves its inputs; an iteration that is asked about does so, too: AGAIN, zeroed, is PROGRAM
 * with untimed writes of them ahead. It stays empty where there are none. */
enum gsim_status gsim_program_renew(const struct gsim_program *program, struct gsim_program *again,
                                    struct gsim_error *error) GSIM_NODISCARD;
void gsim_subject_release(struct gsim_subject *subject); /* accepts zeroed */
