/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Traces of several ranks of one program: read together, their collectives meeting each other,
 * and replayed together.
 */
#pragma once

#include "cli/cli.h"
#include "ask/edits/changes.h"
#include "cli/ranks/ranks.h"
#include "traces/import/import.h"

struct gsim_cli_rank_trace {
    const char *path;
    uint32_t rank, world;
    struct gsim_program program;
    struct gsim_import_notes notes;
    struct gsim_import_times times;
    double offset_us; /* of its first launch call, from the earliest rank's, by the ends of collectives */
};

#define GSIM_CLI_RANK_NOTES 8
struct gsim_cli_rank_traces {
    struct gsim_cli_rank_trace *traces; /* by rank */
    uint32_t count;
    struct gsim_cli_arguments words;    /* with the traces' device */
    char device[80];
    struct gsim_cli_setup setup;
    struct gsim_device_spec recorded; /* that --device is another than */
    bool is_other;
    struct gsim_cli_ranks file;         /* in place of traces: programs; no times, no notes */
    struct gsim_simulation simulation;  /* the ranks' platform and options */
    struct gsim_changeable base;        /* the ranks as clients, under async */
    struct gsim_arena arena;
    const char *notes[GSIM_CLI_RANK_NOTES]; /* what is assumed */
    uint32_t note_count;
};

/* What the operands are: several traces of ranks, a folder of them, or a file of ranks; or --ranks is there. */
bool gsim_cli_are_ranks(const struct gsim_cli_arguments *arguments);
/* REMOVES: the profiler's share of the host's time, too. Released by the caller, also on failure. */
enum gsim_status gsim_cli_rank_traces_read(struct gsim_cli_rank_traces *t, const struct gsim_cli_arguments *arguments,
                                           bool removes, struct gsim_error *error) GSIM_NODISCARD;
/* Sets what kernels take that ran beside collectives. alone.c */
void gsim_cli_rank_traces_find_alone(struct gsim_cli_rank_traces *t);
/* Says it on stderr, and keeps it for the notes of other outputs. */
void gsim_cli_rank_note(struct gsim_cli_rank_traces *t, const char *format, ...) GSIM_PRINTF(2, 3);
void gsim_cli_rank_traces_release(struct gsim_cli_rank_traces *t); /* accepts zeroed */

/* Adds a sample of each rank to V: all replayed together, from when each began. validate.c */
struct gsim_trace_validation;
enum gsim_status gsim_cli_validate_ranks(struct gsim_trace_validation *v, const struct gsim_cli_arguments *arguments,
                                         struct gsim_error *error) GSIM_NODISCARD;

/* The command. */
int gsim_cli_import_ranks(const struct gsim_cli_arguments *arguments, struct gsim_error *error);
