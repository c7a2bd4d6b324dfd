/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/validate. Predictions against recordings of gpusim-runner: one sample per run, and what is summed up
 * from them: errors by split, scheduler and workload, speed-ups over a base scheduler, and how well schedulers are
 * ranked. The predictions are trust/validate/predict.h's; printing: trust/validate/report.h. All times are
 * microseconds.
 */
#pragma once

#include "sim/base/output.h"
#include "trust/validate/predict.h"
#include "trust/validate/stats.h"

struct gsim_run_sample {
    struct gsim_recording_key key; /* its strings, and the two below, are the validation's */
    const char *file, *scheduler;
    enum gsim_memory_mode memory;
    bool prefetch;
    enum gsim_split split;
    uint32_t config; /* equal for runs that differ in the scheduler only */
    uint32_t repetitions;
    double measured_us;  /* median of the iterations */
    double spread_ratio; /* half of what lies between the 5 % and the 95 % quantile, over the median */
    double error;        /* predicted over measured, less 1 */
    double traced_ratio; /* the traced iteration over the median, less 1: what the tracer costs; NAN: none */
    struct gsim_prediction prediction;
    double sum_us, path_us; /* simpler models: kernels' times alone added up; the longest path of dependent ones */
};

struct gsim_run_validation {
    const struct gsim_predictor *predictor;
    const char *base; /* scheduler that speed-ups refer to */
    struct gsim_run_sample *samples;
    size_t count, capacity;
    uint32_t config_count;
    size_t skipped,
        unchecked; /* runs that could not be predicted; whose results were not checked (predicted all the same) */
    char skipped_reason[200]; /* of the first */
    struct gsim_arena arena;
};
void gsim_run_validation_release(struct gsim_run_validation *validation);

/* Predicts RUN and adds its sample; counts it as skipped where that is not possible. Fails with GSIM_NOMEM or GSIM_SIM
 * only. */
enum gsim_status gsim_run_validation_add(struct gsim_run_validation *validation, const char *file,
                                         const struct gsim_recordings *recordings, const struct gsim_recording *run,
                                         struct gsim_error *error) GSIM_NODISCARD;

/* The same runs recorded once more, in the place of predictions: adds to AGAIN a copy of V's sample of RUN whose
 * prediction is what RUN took; runs that V does not have are passed over. How near that is, no prediction can pass.
 * AGAIN has V's predictor and base. */
enum gsim_status gsim_run_validation_add_again(struct gsim_run_validation *again, const struct gsim_run_validation *v,
                                               const struct gsim_recording *run,
                                               struct gsim_error *error) GSIM_NODISCARD;

const char *gsim_split_word(enum gsim_split split);
/* "img 4800, 32 x 512, pinned, prefetch": all but the scheduler. */
const char *gsim_run_config_text(const struct gsim_run_sample *s, char *text, size_t size);
