/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Points of a sweep that are several tasks under a way of sharing: settings "task1" (a --task's
 * words), "task1.KEY" (a key of them, which replaces theirs), "share".
 */
#pragma once

#include "cli/sweep/request.h"
#include "cli/sweep/row.h"
#include "gpusim/task.h"

/* "task12" or "task12.requests": *KEY is behind the dot, NULL without one. 0: it is none, else the number. */
uint32_t gsim_request_task(const char *name, const char **key);
bool gsim_request_has_tasks(const struct gsim_spec *spec);
/* The program that a task's words begin with. */
const char *gsim_request_task_program(struct gsim_arena *arena, const char *words);
/* The way of sharing that NAME, "WAY.PARAMETER", is a parameter of; NULL: none. */
const struct gsim_sharing_ops *gsim_request_way_of(const char *name);

/* Would a run take the value of "share", a task or a key of one? */
enum gsim_status gsim_request_check_task(const char *name, const char *text, struct gsim_error *error) GSIM_NODISCARD;
/* The point's tasks as repeated --task of ARGUMENTS; *PROGRAMS: their programs, joined by "+". */
enum gsim_status gsim_request_task_words(const struct gsim_request *request, struct gsim_arena *arena,
                                         struct gsim_cli_arguments *arguments, const char **programs,
                                         struct gsim_error *error) GSIM_NODISCARD;

/* What the tasks of a point came to: a JSON object of each one's figures, from ARENA. */
struct gsim_request_sharing {
    const char *tasks;
    double fairness, makespan_us;
};
enum gsim_status gsim_request_share(const struct gsim_cli_setup *setup, struct gsim_arena *arena,
                                    struct gsim_request_sharing *result, struct gsim_error *error) GSIM_NODISCARD;
