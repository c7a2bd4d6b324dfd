/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim whatif": the rows of its table. Runs: cli/whatif/whatif.c; text, CSV, JSON, picture:
 * cli/whatif/whatif_table.c. */
#pragma once

#include "cli/ranks/traces.h"
#include "cli/whatif/subject.h"
#include "ask/whatif/causes.h"
#include "ask/edits/changes.h"

#define GSIM_WHATIF_ROWS     48 /* at most */
#define GSIM_WHATIF_TOGETHER 12 /* changes of one row, at most */

/* Changes that are simulated together; none: the program as it is. */
struct gsim_whatif_row {
    struct gsim_change changes[GSIM_WHATIF_TOGETHER];
    uint32_t count;
    bool is_together; /* found: those of the others that help together */
    bool has_effect;
    double time_us, error_us; /* of an iteration; NAN: failed */
    double busy_us;           /* of it, the GPU works */
    double off_ratio;         /* of its kernels on another device */
    double
        host_factor; /* 0: the host as it is; else so many times as slow, to see what the profiler's share may hide */
    char note[200];
};

struct gsim_whatif {
    struct gsim_cli_subject subject;
    struct gsim_whatif_row rows[GSIM_WHATIF_ROWS]; /* the first: as it is */
    uint32_t row_count;
    struct gsim_changeable base;   /* the subject's program, or ranks */
    struct gsim_cli_rank_traces ranks; /* in place of a subject; of it the arguments alone are there */
    uint32_t late;                 /* of ranks: which waits least for the others */
    double idle_ratio;             /* as it is: of the time, the GPU is idle; */
    double host_ratio, link_ratio; /* of the critical path, the host's part and that of copies */
    enum gsim_cause cause; /* for which it is idle most */
    char undecided[400]; /* which change is first where the profiler's share decides that; "": the order holds */
    struct gsim_arena arena;
};

#define GSIM_WHATIF_NOW "now" /* the row without changes; explain --change takes it as well */

/* "A+B" as it is asked for; GSIM_WHATIF_NOW of none. */
const char *gsim_whatif_name(const struct gsim_whatif_row *row, char *text, size_t size);
/* Text, --csv, --json, -o. */
enum gsim_status gsim_whatif_deliver(struct gsim_whatif *whatif, struct gsim_error *error) GSIM_NODISCARD;

/* "A+B" to ROW; one element of --change. */
enum gsim_status gsim_whatif_parse(const char *text, size_t length, struct gsim_whatif_row *row,
                                   struct gsim_error *error) GSIM_NODISCARD;
