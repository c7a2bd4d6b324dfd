/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. Launches that wait at the head of their stream until the board opens: the stream itself waits for the number to
 * be there (cuStreamWaitValue32), and writes down what is done. So a client issues ahead as without a policy.
 */
#ifndef GSIM_RUNNER_GATE_H
#define GSIM_RUNNER_GATE_H

#include <cuda_runtime_api.h>

#include "traces/runner/share/board.h"

struct gsim_gates {
    struct gsim_board *board;
    char *device;    /* where the GPU sees the board's streams */
    int (*wait)(cudaStream_t, unsigned long long, unsigned, unsigned);
    int (*write)(cudaStream_t, unsigned long long, unsigned, unsigned);
};

/* Once in each process, behind the first CUDA call. */
enum gsim_status gsim_gates_open(struct gsim_gates *gates, struct gsim_board *board, struct gsim_error *error) GSIM_NODISCARD;
void gsim_gates_close(struct gsim_gates *gates);
/* Before and behind the launch, in that order, then gsim_gates_issued(). False: CUDA refused. */
bool gsim_gates_before(const struct gsim_gates *gates, struct gsim_board_stream *stream, cudaStream_t on, const struct gsim_board_slot *slot);
bool gsim_gates_behind(const struct gsim_gates *gates, struct gsim_board_stream *stream, cudaStream_t on);
void gsim_gates_issued(struct gsim_board_stream *stream);

#endif
