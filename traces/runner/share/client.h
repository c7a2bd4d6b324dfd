/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces/runner. One task in its process: client.c runs it, measure.c times its kernels. */
#pragma once

#include "traces/runner/cuda.h"
#include "traces/runner/share/gate.h"
#include "traces/runner/share/stage.h"

struct gsim_client_stream {
    gsim_stream stream;
    struct gsim_ledger_stream *in_ledger;
    int priority;
    bool is_marked;     /* the next launch's turn is not simply behind the one before */
};

struct gsim_client_launch {
    cudaEvent_t before, behind;
    uint32_t kernel;
};

struct gsim_client_task {
    struct gsim_cuda cuda;          /* first: what the scheduler calls */
    struct gsim_driver_ops base;    /* the backend's own calls */
    const struct gsim_stage *stage;
    struct gsim_ledger *ledger;
    uint32_t index;
    struct gsim_ledger_task *own;
    const struct gsim_task *spec;
    const struct gsim_gates *gates; /* NULL: nobody decides */
    struct gsim_client_stream places[GSIM_LEDGER_STREAMS];
    uint32_t place_count;
    struct gsim_run run;
    struct gsim_runner_memory memory;
    struct gsim_arena arena;
    struct gsim_random numbers, arrivals;
    uint64_t numbers_state, arrivals_state;
    int64_t arrival_ns, began_ns, ended_ns; /* of the present request, or the last */
    double arrived_us;                      /* Poisson: of the last arrival */
    bool counts, is_done, is_alone, is_started; /* counts: behind the warm-up */
    struct gsim_standin_span *spans,
        *read; /* of a measured request's launches, on the device and here; NULL: they are timed by events */
    size_t span_count;
    struct gsim_client_launch *launches;    /* of a measured request */
    size_t launch_count, launch_room, launch_capacity;
    pthread_t thread;
};

/* measure.c */
/* Behind the warm-up, whose last request says how many launches there are. */
void gsim_client_measure(struct gsim_client_task *client);
void gsim_client_measured_launch(struct gsim_driver *driver, const struct gsim_op *op, gsim_stream stream);
/* Behind a request: the times of its kernels go to the ledger. */
void gsim_client_note_kernels(struct gsim_client_task *client, uint32_t request);
