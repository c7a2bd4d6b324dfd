/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: ask. "What if": rows of changes to a scenario (ask/edits/changes.h), what each takes and how far off that may
 * be. */
#pragma once

#include "ask/edits/changes.h"
#include "ask/whatif/causes.h"

#define GSIM_WHATIF_ROWS     48 /* at most */
#define GSIM_WHATIF_TOGETHER 12 /* changes of one row, at most */
#define GSIM_WHATIF_DOUBTFUL 3  /* changes at the top that are tried with a faster and a slower host */

/* Changes that are simulated together; none: the program as it is. */
struct gsim_whatif_row {
    struct gsim_change changes[GSIM_WHATIF_TOGETHER];
    uint32_t count;
    bool is_together; /* found: those of the others that help together */
    bool has_effect, failed;
    double time_us, error_us; /* of an iteration; NAN: failed */
    double busy_us;           /* of it, the GPU works */
    double off_ratio;         /* of its kernels on another device */
    double host_factor;       /* of the host's time, to see what the profiler's share may hide; 0: as it is */
    uint32_t place;           /* in which it was asked for */
    const char *command;      /* that shows it; NULL: not told */
    char note[200];
};

struct gsim_whatif {
    struct gsim_changeable base;
    double host_factors[2]; /* how much faster and slower than now the host may be; equal: it is known */
    uint32_t jobs;          /* worker processes; 0: all runs in this one, without a word */
    struct gsim_whatif_row rows[GSIM_WHATIF_ROWS + 2 * (GSIM_WHATIF_DOUBTFUL + 1)]; /* found; the first: as it is */
    uint32_t row_count;
    uint32_t late;                 /* of ranks: which waits least for the others */
    double idle_ratio;             /* as it is: of the time, the GPU is idle; */
    double host_ratio, link_ratio; /* of the critical path, the host's part and that of copies */
    enum gsim_cause cause; /* for which it is idle most */
    char undecided[400]; /* which change is first where the profiler's share decides that; "": the order holds */
};

#define GSIM_WHATIF_NAME 1024
#define GSIM_WHATIF_NOW  "now" /* the row without changes; explain --change takes it as well */

/* "A+B" as it is asked for; GSIM_WHATIF_NOW of none. */
const char *gsim_whatif_name(const struct gsim_whatif_row *row, char *text, size_t size);
/* "A+B" to ROW. */
enum gsim_status gsim_whatif_parse(const char *text, size_t length, struct gsim_whatif_row *row,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* BASE is timed by iterations until they repeat, or by few where one is long, unless SIMULATION, which is BASE's, says
 * how many; of clients by those behind the first. */
void gsim_whatif_settle(struct gsim_changeable *base, struct gsim_simulation *simulation);
/* Fills the rows of CHANGES, separated by commas; NULL: of all that may matter. The other members come zeroed. */
enum gsim_status gsim_whatif_run(struct gsim_whatif *whatif, const char *changes,
                                 struct gsim_error *error) GSIM_NODISCARD;
/* Both in one: of SCENARIO, whose simulation is to be SIMULATION, which stays where it is, in place of its own. */
enum gsim_status gsim_whatif_of(struct gsim_whatif *whatif, const struct gsim_changeable *scenario,
                                struct gsim_simulation *simulation, const char *changes,
                                struct gsim_error *error) GSIM_NODISCARD;
/* ask/questions/whatif.c: the fastest first, behind the scenario as it is; then those without a time. */
void gsim_whatif_sort(struct gsim_whatif *whatif);
struct gsim_answer;
void gsim_whatif_answer(const struct gsim_whatif *whatif, struct gsim_answer *answer); /* begins and fills it */
