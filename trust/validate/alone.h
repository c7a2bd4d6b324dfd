/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. How long the kernels of a trace would take alone. A kernel that ran beside others took longer
 * for it; simulated with that duration it would be slowed once more. So the trace is replayed on its own streams, and
 * the durations of those kernels are lowered until each takes beside the others what it took in the trace.
 */
#pragma once

#include "trust/validate/predict.h"

/* When each op of a replayed program started and ended, from the first call that launches; NAN: it made nothing on the
 * device. */
struct gsim_moment {
    double start_us, end_us;
};

/* Replays PROGRAM, imported from a trace, on its own streams; MOMENTS has room for each of its ops. DEMANDS: of its
 * kernels, NULL: to be found. GSIM_INPUT: a kernel does not fit. */
enum gsim_status gsim_replay_trace(const struct gsim_predictor *predictor, const struct gsim_program *program,
                                   const struct gsim_demand *demands, struct gsim_moment *moments,
                                   struct gsim_error *error) GSIM_NODISCARD;

#define GSIM_ALONE_ROUNDS 16 /* at most */

/* What came of it. */
struct gsim_alone {
    uint32_t kernels;    /* that ran beside another kernel in the trace for a fiftieth of their time or more */
    uint32_t rounds;     /* of replays */
    double recorded_us;  /* what they took, summed up */
    double alone_us;     /* what they are taken to take alone */
    double before,
        left; /* mean deviation of their simulated durations from those of the trace, relative, first and in the end */
};

/* Sets solo_us of the PROGRAM's kernels; OPS: what each of its kernels and copies was in the trace. PROGRESS is called
 * before each round, NULL allowed. On failure the program stays as it was. */
enum gsim_status gsim_infer_alone(const struct gsim_predictor *predictor, struct gsim_program *program,
                                  const struct gsim_recorded_op *ops, uint32_t op_count,
                                  void (*progress)(void *context, uint32_t round), void *context,
                                  struct gsim_alone *alone, struct gsim_error *error) GSIM_NODISCARD;

/* What a person should know of it, without a line's end. */
#define GSIM_ALONE_TEXT_SIZE 200
const char *gsim_alone_text(const struct gsim_alone *alone, const char *device, char text[GSIM_ALONE_TEXT_SIZE]);
