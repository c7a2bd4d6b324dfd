/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli/runner (program). "gpusim-runner --task A --task B --share WAY[,...]": several tasks on the real
 * GPU. */
#pragma once

#include "cli/runner/main.h"
#include "cli/tasks/tasks.h"
#include "traces/runner/share/stage.h"

#define GSIM_SHARE_WAYS 32

/* One way of sharing, and what came of it. */
struct gsim_share_way {
    const char *word;               /* as it was asked for */
    const struct gsim_sharing_ops *ops;
    void *params;
    struct gsim_share_settings settings;
    struct gsim_timeline timeline;
    struct gsim_task_stats *stats;  /* of each task; NULL: it failed */
    uint64_t decisions;
    struct gsim_error error;
};

struct gsim_share_command {
    struct gsim_cli_arguments arguments;
    struct gsim_cli_setup setup;
    struct gsim_cli_tasks tasks;
    struct gsim_stage_task *stage_tasks;
    struct gsim_share_way ways[GSIM_SHARE_WAYS];
    size_t way_count;
    struct gsim_timeline *alone;    /* of each task */
    struct gsim_runner_gpu *gpu;    /* in memory that processes share */
    double *excess_us;              /* of a pair of timed events around a kernel; there too */
    uint32_t warmup;
    const char *recording;          /* file; NULL: none */
};

bool gsim_share_asked_for(const struct gsim_runner_words *words);
enum gsim_status gsim_share_run(struct gsim_runner_words *words, struct gsim_error *error) GSIM_NODISCARD;

/* share_table.c: a line of each task under each way. */
enum gsim_status gsim_share_print(const struct gsim_share_command *command, struct gsim_error *error) GSIM_NODISCARD;
/* share_recording.c: as trust/validate/sharing.h reads it; of two tasks of kernels with host times behind them. */
enum gsim_status gsim_share_check_recording(const struct gsim_share_command *command,
                                            struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_share_write_recording(const struct gsim_share_command *command,
                                            struct gsim_error *error) GSIM_NODISCARD;
