/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). What cli/sweep/sensitivity.c (which runs) and cli/sweep/effects.c (which prints and draws)
 * share.
 */
#pragma once

#include "ask/questions/sensitivity.h"
#include "cli/figures/plot.h"
#include "sweep/sensitivity.h"

struct gsim_sensitivity {
    const struct gsim_cli_arguments *arguments;
    struct gsim_cli_setup setup;
    const struct gsim_scheduler_ops *scheduler, *base; /* base NULL: the result is a time, else a speed-up */
    struct gsim_input inputs[GSIM_DEVICE_NUMBER_COUNT];
    struct gsim_effect effects[GSIM_DEVICE_NUMBER_COUNT];
    size_t input_count;
    double spread; /* per cent; 0: by the kind of each number */
    struct gsim_design design;
    double *y; /* by point */
    int stopped_by; /* a signal; 0: none */
    struct gsim_arena arena;
};

/* The table to standard output, --csv and the picture. */
enum gsim_status gsim_effects_deliver(struct gsim_sensitivity *s, struct gsim_error *error) GSIM_NODISCARD;
