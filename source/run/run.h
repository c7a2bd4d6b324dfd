/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source. Runs a CUDA source on the CPU: all of C++, compiled by clang++, its kernels thread by thread. One
 * process per run, with limits of time and memory.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#include "gpusim/status.h"
#include "source/read/told.h"

struct gsim_cuda_options;

#define GSIM_RUN_TEXT 65536
#define GSIM_RUN_SEEN 65536
#define GSIM_RUN_FACTS 1000000

/* When commands are executed. */
enum gsim_run_order {
    GSIM_RUN_EARLY,  /* at their call: the order of the source */
    GSIM_RUN_LATE,   /* when the host waits for them */
    GSIM_RUN_LAGS,   /* SEED's stream late, the others early */
    GSIM_RUN_LEADS,  /* SEED's stream early, the others late */
    GSIM_RUN_RANDOM, /* by SEED */
};

struct gsim_run_program; /* compiled */

struct gsim_run_settings {
    enum gsim_run_order order;
    uint32_t seed;
    bool is_recorded;         /* the bytes; then races are found */
    const char *const *words; /* the program's arguments, NULL last */
    double limit_s;
    size_t limit_bytes;
    bool is_quiet; /* what the program prints is not shown */
};

/* What a run gave; in memory that both processes have. */
struct gsim_run_shared {
    bool is_started, has_ended, is_partial; /* PARTIAL: more was SEEN than there is room for */
    int exit_status;                        /* of main or exit() */
    uint32_t kernels, copies, fills, streams, graphs, races;
    uint64_t host_sum; /* of all bytes that the host read of pinned and managed memory */
    uint32_t seen_count;
    struct {
        uint64_t hash;
        int line;
    } seen[GSIM_RUN_SEEN]; /* copies to the host, in the order of their calls */
    char failure[512];     /* why it could not go on; "": it could */
    size_t text_length;
    char text[GSIM_RUN_TEXT]; /* the races, one after the other */
    uint32_t fact_count;
    struct gsim_cuda_fact facts[GSIM_RUN_FACTS]; /* as they came; where there is room */
};

/* TEXT is the source's (in PATH's folder, by its name); OPTIONS: -D and -I of it. GSIM_INPUT: there is no clang++, or
 * it refuses the source. */
enum gsim_status gsim_run_compile(const char *path, const char *text, size_t length,
                                  const struct gsim_cuda_options *options, struct gsim_run_program **program,
                                  struct gsim_error *error) GSIM_NODISCARD;
void gsim_run_program_destroy(struct gsim_run_program *program); /* accepts NULL */
/* RESULT is of gsim_run_result(). GSIM_INPUT: the program died, failed or took too long. */
enum gsim_status gsim_run_execute(const struct gsim_run_program *program, const struct gsim_run_settings *settings,
                                  struct gsim_run_shared *result, struct gsim_error *error) GSIM_NODISCARD;
struct gsim_run_shared *gsim_run_result(void); /* NULL: no memory */
void gsim_run_result_release(struct gsim_run_shared *result);

/* Runs PATH, in the order of the source, with WORDS as its main's arguments, and fills TOLD, the caller's to release in
 * any case. EXIT_STATUS is the program's. GSIM_INPUT: it cannot be run, or it told more than there is room for. */
enum gsim_status gsim_run_tell(const char *path, const struct gsim_cuda_options *options, const char *const *words,
                               double limit_s, struct gsim_cuda_told *told, int *exit_status,
                               struct gsim_error *error) GSIM_NODISCARD;

/* Whether a clang++ is there: NULL, or why not. */
const char *gsim_run_missing(void);

