/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. The tables of a resident launch on the GPU, and its kernel: one block a worker, one thread of
 * which works (worker.h); the others end at once. What the host and workers share is pinned memory of the host that the
 * GPU sees. Functions return 0 or a cudaError_t, since a C compiler and nvcc both read this.
 */
#pragma once

#include "traces/runner/resident/tasks.h"

GSIM_DECLARATIONS_BEGIN

struct gsim_tasks_gpu;

/* One for each SM. */
int gsim_tasks_gpu_workers(uint32_t *workers);
int gsim_tasks_gpu_open(struct gsim_tasks_gpu **gpu, const struct gsim_tasks_tables *tasks);
void gsim_tasks_gpu_close(struct gsim_tasks_gpu *gpu); /* accepts NULL */
/* What a board (board.h) writes and reads. */
struct gsim_tasks_slot *gsim_tasks_gpu_slots(const struct gsim_tasks_gpu *gpu);
struct gsim_tasks_report *gsim_tasks_gpu_reports(const struct gsim_tasks_gpu *gpu);
/* Launch number LAUNCH, from 1 on, into STREAM, a cudaStream_t; returns at once. Workers give up after LIMIT_NS. */
int gsim_tasks_gpu_launch(struct gsim_tasks_gpu *gpu, uint32_t launch, bool verifies, uint64_t limit_ns, void *stream);
/* After a launch, when the device has nothing to do: what tasks noted, by the GPU's clock, good until the next call. */
int gsim_tasks_gpu_read(struct gsim_tasks_gpu *gpu, const struct gsim_tasks_stamp **stamps, const uint64_t **values);

GSIM_DECLARATIONS_END
