/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. Launches that wait at the head of their stream until the ledger opens: the stream itself waits
 * for the number to be there (cuStreamWaitValue32), and writes down what is done. So a client issues ahead as without a
 * policy.
 */
#pragma once

#include <cuda_runtime_api.h>

#include "traces/runner/share/ledger.h"

struct gsim_gates {
    struct gsim_ledger *ledger;
    char *device;    /* where the GPU sees the ledger's streams */
    int (*wait)(cudaStream_t, unsigned long long, unsigned, unsigned);
    int (*write)(cudaStream_t, unsigned long long, unsigned, unsigned);
};

/* Once in each process, behind the first CUDA call; the process ends with it. */
enum gsim_status gsim_gates_open(struct gsim_gates *gates, struct gsim_ledger *ledger,
                                 struct gsim_error *error) GSIM_NODISCARD;
/* Before and behind the launch. The ledger has the launch before the stream has: a policy may decide while the host
 * still issues it. False: CUDA refused. */
bool gsim_gates_before(const struct gsim_gates *gates, struct gsim_ledger_stream *stream, cudaStream_t on,
                       const struct gsim_ledger_slot *slot);
bool gsim_gates_behind(const struct gsim_gates *gates, struct gsim_ledger_stream *stream, cudaStream_t on);
