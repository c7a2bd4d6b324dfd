/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). What cli/compare/compare.c (which chooses and runs) and cli/compare/compare_table.c (which
 * prints and writes) share.
 */
#pragma once

#include "cli/cli.h"
#include "gpusim/energy.h"
#include "sweep/stats.h"

/* Of the options that a point came to, those that say what was run; "" where a program file has none. */
#define GSIM_COMPARE_SETTINGS 6
#define GSIM_COMPARE_VALUE    64
extern const char *const gsim_compare_settings[GSIM_COMPARE_SETTINGS];

struct gsim_compare_cell {
    bool done;                 /* every repetition of it */
    char settings[GSIM_COMPARE_SETTINGS][GSIM_COMPARE_VALUE];
    struct gsim_metrics metrics; /* of the first repetition, as what follows */
    struct gsim_iteration_record first;
    size_t iterations, kernels; /* that were simulated; in an iteration */
    uint32_t gpus;             /* that kernels ran on */
    char over[GSIM_ENERGY_NOTE]; /* the power above the limit; "": none */
    gsim_time critical_path, lower_bound; /* of an iteration */
    gsim_time *times;          /* per repetition: the median iteration */
    double us, us_ci;          /* mean of those; half of its 95 % interval, NAN for one repetition */
    double speedup, speedup_ci; /* over the base with the same seed, likewise; NAN without it */
};

struct gsim_comparison {
    const struct gsim_cli_arguments *arguments;
    const struct gsim_cli_arguments *asked; /* of ranks: as they were given; NULL: of programs */
    struct gsim_cli_setup setup;
    const char **workloads;
    const struct gsim_scheduler_ops **schedulers; /* the base is the last one when it was not asked for */
    const struct gsim_placement_ops **placements; /* beside each; NULL: --place names one, or none */
    const char **names;                           /* of the columns: schedulers, or these and placements */
    size_t workload_count, scheduler_count, shown_count, base_index, repeat;
    struct gsim_compare_cell *cells; /* workloads x schedulers */
    struct gsim_program said; /* its guesses alone: those of all workloads */
    struct gsim_arena arena;
    enum gsim_status worst;
    size_t done_count;
    bool writes_plan; /* the run that is made once more for --plan */
};

static inline struct gsim_compare_cell *gsim_compare_cell(const struct gsim_comparison *c, size_t workload,
                                                          size_t scheduler)
{
    return &c->cells[workload * c->scheduler_count + scheduler];
}


/* --csv, --report, and the table unless one of them went to standard output. cli/compare/compare_table.c */
enum gsim_status gsim_compare_deliver(struct gsim_comparison *comparison, struct gsim_error *error) GSIM_NODISCARD;
