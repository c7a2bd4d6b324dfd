/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recorded graphs of one-block tasks ("graphs": [{"tasks": [[length, [after...]], ...], ...}]), as programs, and which
 * of several modes wins. */
#pragma once

#include <cjson/cJSON.h>

#include "gpusim/program.h"
#include "sim/device/device.h"

/* FILE below the sources, and the device; NULL: cannot be read, which is a failed check. */
cJSON *task_graphs_load(const char *file, const char *device_name, struct gsim_device_spec *device);

/* CYCLES of a task of so long. */
void task_graph_program(const cJSON *graph, double (*cycles)(double length), struct gsim_program *program);

/* Two iterations under the scheduler of that name. OPTIONS: "name=value ...", or NULL. */
struct gsim_timeline task_graph_run(const struct gsim_program *program, const struct gsim_device_spec *device,
                                    const char *scheduler, const char *options);

/* In how many of COUNT graphs the mode that is predicted to be fastest takes at most SLACK times as long as the one
 * that is. Both in MODES rows. */
int task_graph_winners(const double *predicted, const double *measured, int modes, int count, double slack);

/* Mean of COUNT absolute errors predicted / measured - 1, and the one that is farthest off. */
struct task_graph_error {
    double mean, worst;
} task_graph_error(const double *predicted, const double *measured, int count);
