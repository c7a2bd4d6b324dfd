/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "Now": what a step of a trace takes without the profiler, from when to when that is, and the
 * steps as recorded.
 */
#pragma once

#include "gpusim/simulate.h"
#include "sim/base/output.h"
#include "traces/import/import.h"

struct gsim_cli_subject;

struct gsim_cli_step {
    struct gsim_trace_steps found;
    uint32_t kept;               /* steps of which the program is made; 1 where none are found */
    double us, low_us, high_us;  /* of one, without the profiler */
    double asked_us;             /* --step-time, or measured beside the recording; 0: neither */
    bool is_measured;
    double recorded_us;          /* of all, where no steps are found */
};

/* --step-time */
enum gsim_status gsim_cli_step_time(const char *text, double *us, struct gsim_error *error) GSIM_NODISCARD;
/* Simulates the program as it is, with a slower and a faster host; scales the host's time to --step-time, if given. */
enum gsim_status gsim_cli_step_measure(struct gsim_cli_subject *subject, struct gsim_error *error) GSIM_NODISCARD;
/* How much faster and slower than now the host may be: [0] and [1]. */
void gsim_cli_step_factors(const struct gsim_cli_subject *subject, double factors[2]);

void gsim_cli_step_put_text(struct gsim_output *out, const struct gsim_cli_step *step);
void gsim_cli_step_put_json(struct gsim_output *out, const struct gsim_cli_step *step); /* "step": {...} */
void gsim_cli_step_release(struct gsim_cli_step *step);
