/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. Predicts what gpusim-runner recorded: the workload is built as the run says, its kernels get
 * their recorded times alone, and the run's scheduler schedules it on a device. Which runs, what is summed up:
 * trust/validate/runs.h.
 */
#pragma once

#include "traces/recording.h"
#include "gpusim/simulate.h"
#include "traces/kernels/profiles.h"
#include "trust/validate/works.h"

struct gsim_predictor {
    const struct gsim_device_spec *device;
    const struct gsim_gpu_options *gpu;
    /* Follows a program's own streams; NULL: recorded streams are not replayed. */
    const struct gsim_scheduler_ops *replay;
    struct gsim_profiles *kernels; /* what is known of single kernels beside the recordings; NULL: nothing */
    struct gsim_kept_works *works; /* NULL: every run finds its own */
};

/* How far the starts and ends of the traced iteration's kernels and copies are from the predicted ones, both counted
 * from the first start, as shares of the time from there to the last end. */
struct gsim_timeline_deviation {
    double mean, worst;         /* NAN: nothing was traced */
    uint32_t compared, missing; /* ops in both; in one of the two only */
};

struct gsim_prediction {
    double iteration_us; /* a warm iteration, as recorded */
    double replay_us;    /* the traced iteration, from its own streams and host times; NAN: no trace, or of a graph */
    struct gsim_timeline_deviation timeline;
};

/* GSIM_INPUT: the workload or scheduler is not known, its kernels were not recorded alone or in other shapes, or one
 * does not fit the device. */
enum gsim_status gsim_predict(const struct gsim_predictor *predictor, const struct gsim_recordings *recordings,
                              const struct gsim_recording *run, struct gsim_prediction *prediction,
                              struct gsim_error *error) GSIM_NODISCARD;

/* The program of the run with its kernels as they were alone; the caller's to release. */
enum gsim_status gsim_predict_program(const struct gsim_recordings *recordings, const struct gsim_recording *run,
                                      struct gsim_program *program, struct gsim_error *error) GSIM_NODISCARD;

/* A warm iteration of PROGRAM, which must have as many; TIMELINE is the caller's to release in any case. */
#define GSIM_PREDICT_ITERATIONS 2
enum gsim_status gsim_predict_simulate(const struct gsim_predictor *predictor, const struct gsim_recording *run,
                                       const struct gsim_program *program, const struct gsim_scheduler_ops *scheduler,
                                       struct gsim_timeline *timeline, double *iteration_us,
                                       struct gsim_error *error) GSIM_NODISCARD;

/* PROGRAM's kernels and the copies as RUN's trace has them: order, streams, the host's time between its calls; true
 * dependences, and a synchronise where the device was idle before a call. trust/validate/predict_replay.c */
enum gsim_status gsim_predict_replay(const struct gsim_predictor *predictor, const struct gsim_recording *run,
                                     const struct gsim_program *program, double *iteration_us,
                                     struct gsim_error *error) GSIM_NODISCARD;
