/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "gpusim reproduce acs": what ACS (arXiv 2401.12377; ACE, PACT 2024) published, from runs of the generators brax,
 * dyn-dnn and static-dnn under one stream, acs-sw, acs-hw and a CUDA graph built for each input, and how it depends on
 * launch and synchronise and on the window.
 */
#pragma once

#include "trust/published/reproduce.h"

enum gsim_acs_class { GSIM_ACS_DEEP_RL, GSIM_ACS_DYN_DNN, GSIM_ACS_STATIC_DNN, GSIM_ACS_CLASS_COUNT };
const char *gsim_acs_class_name(enum gsim_acs_class class);

/* What a class' speed-ups over one stream are on average where one number is another. */
struct gsim_acs_point {
    const char *figure; /* "acs-launch-sync": us of both; "acs-window": kernels */
    double x;
    double sw[GSIM_ACS_CLASS_COUNT], hw[GSIM_ACS_CLASS_COUNT], graph[GSIM_ACS_CLASS_COUNT];
};

struct gsim_acs {
    struct gsim_acs_point points[8];
    size_t point_count, run_count;
};

/* Fills r->simulated, and r->acs, the caller's. */
enum gsim_status gsim_acs_reproduce(struct gsim_reproduction *r, struct gsim_error *error) GSIM_NODISCARD;
void gsim_acs_print(const struct gsim_reproduction *r, struct gsim_output *output);
/* The rows as gsim_reproduce_csv has them, and the points behind them: no published number. */
void gsim_acs_csv(const struct gsim_reproduction *r, struct gsim_output *output);
