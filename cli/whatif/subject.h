/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). What "gpusim explain" and "gpusim whatif" are asked about: a profiler's trace, imported in
 * memory, a program file, or a built-in workload, with the device and the options of a run.
 */
#pragma once

#include "cli/cli.h"
#include "cli/traces.h"
#include "cli/whatif/step.h"

struct gsim_cli_subject {
    struct gsim_cli_arguments arguments; /* the caller's, with the device that was found */
    struct gsim_cli_setup setup;
    struct gsim_cli_point point;
    const struct gsim_scheduler_ops *scheduler;
    bool is_trace;                       /* or a CUDA source, which no profiler watched */
    struct gsim_import_notes notes;      /* of a trace */
    struct gsim_cli_step step;           /* of a trace */
    double host_factor;                  /* the host's time in the program, beside that as imported */
    struct gsim_device_spec device;      /* of a trace */
    char gpu_note[GSIM_CLI_GPU_NOTE];    /* what is assumed of it; "": nothing */
    struct gsim_import_origin origin;    /* of a trace that is to be scheduled */
    struct gsim_demand *demands;           /* of the program's kernels, for all runs */
};

/* The one operand; --sched (default async). What a person should know of a trace goes to stderr. */
enum gsim_status gsim_cli_subject_init(struct gsim_cli_subject *subject, const struct gsim_cli_arguments *arguments,
                                       struct gsim_error *error) GSIM_NODISCARD;
/* Whether a profiler recorded it, whose steps are timed. */
bool gsim_cli_subject_is_recorded(const struct gsim_cli_subject *subject);
/* Whether the program says what depends on what, beyond the order in its streams. */
bool gsim_cli_subject_has_data(const struct gsim_cli_subject *subject);
/* Adds what is assumed, or contradicts itself, to what every output says. */
void gsim_cli_subject_note(struct gsim_cli_subject *subject, const char *text);
void gsim_cli_subject_release(struct gsim_cli_subject *subject); /* accepts a zeroed one */
