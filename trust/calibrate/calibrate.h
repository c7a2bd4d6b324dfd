/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/calibrate. A device's numbers from what was measured on it: from a probe (trust/calibrate/probes.c),
 * then refined on recorded runs with the simulator as the model (trust/calibrate/runs.c). Numbers that no data touches
 * keep the base device's value, marked so. Reading files is the caller's; printing: trust/calibrate/print.h.
 */
#pragma once

#include "trust/calibrate/fit.h"
#include "trust/calibrate/probe.h"
#include "gpusim/device.h"
#include "trust/validate/predict.h"
#include "trust/validate/stats.h"

/* What became of one number. */
struct gsim_calibrated {
    double base, low, high;   /* the base's; 95 % interval of the new one, NAN where there is none */
    bool is_touched;          /* by data */
    bool is_undetermined; /* data tells it only together with others: it moved from the base no further than they ask */
    bool is_prior; /* recorded runs moved it, but tell it less well than the probe did, within 5 % of which it stays */
    bool is_at_bound;         /* of its range in include/gpusim/device.def */
};

/* How well one series of the probe is met. Ratios: of the residual to what was measured. */
struct gsim_calibration_residual {
    const char *series;
    size_t points;
    double rms_ratio, worst_ratio,
        held_out_ratio; /* the last: root mean square when left out of the fit; NAN: not tried */
};

struct gsim_calibration_pair {
    enum gsim_device_number a, b;
    double correlation;
};

/* Recorded runs, kept for fitting. */
struct gsim_calibration_run {
    const struct gsim_program *program; /* with measured kernels; shared by runs of one key */
    const struct gsim_scheduler_ops *scheduler;
    enum gsim_memory_mode memory;
    bool prefetch;
    enum gsim_split split;
    uint32_t config;                    /* equal for runs that differ in the scheduler only */
    double measured_us, spread_ratio;
    double predicted_us[2];             /* on the base with what the probe said; on the result. NAN: cannot run there */
};

struct gsim_calibration {
    struct gsim_device_spec device; /* the result; starts as a copy of the base */
    struct gsim_calibrated numbers[GSIM_DEVICE_NUMBER_COUNT];
    struct gsim_calibration_residual *residuals;
    size_t residual_count, residual_capacity;
    struct gsim_calibration_pair *pairs; /* of fitted numbers with correlations beyond 0.95 */
    size_t pair_count, pair_capacity;
    const char **warnings;
    size_t warning_count, warning_capacity;
    struct gsim_calibration_run *runs;
    size_t run_count, run_capacity;
    struct gsim_program **programs;
    struct gsim_recording_key *keys; /* of each program */
    size_t program_count, program_capacity, key_capacity;
    struct gsim_kept_works works; /* of their kernels: many schedulers and passes have the same */
    uint32_t config_count;
    size_t skipped;                  /* runs that cannot be predicted */
    /* Of the refinement: */
    bool is_refined, has_converged;
    unsigned iterations, folds;
    struct gsim_error_summary fit[2], test[2],
        held_out; /* absolute errors of runs before, after; left out of the fit */
    struct gsim_arena arena;
};

/* BASE is copied. */
void gsim_calibration_init(struct gsim_calibration *c, const struct gsim_device_spec *base, const char *name);
/* Before anything is fitted: whose device it is. All numbers are marked as the base's; SAME_GPU: they were measured on
 * this very kind of GPU, and keep their kinds; else they become assumed. */
void gsim_calibration_name(struct gsim_calibration *c, const struct gsim_device_spec *base, const char *title,
                           bool same_gpu);
void gsim_calibration_release(struct gsim_calibration *c); /* accepts a zeroed one */

/* FILE: how sources name it. GSIM_INPUT when the compute capability is not known. */
enum gsim_status gsim_calibrate_probe(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file,
                                      struct gsim_error *error) GSIM_NODISCARD;

/* Keeps the run; one that cannot be predicted (GSIM_INPUT) is counted as skipped. */
enum gsim_status gsim_calibration_add_run(struct gsim_calibration *c, const struct gsim_recordings *recordings,
                                          const struct gsim_recording *run, struct gsim_error *error) GSIM_NODISCARD;

/* What a refinement will take: passes over the runs, each of FIT_RUNS but the first and the last, of all. */
struct gsim_calibration_forecast {
    size_t runs, fit_runs, passes; /* passes at most: a fit mostly ends sooner */
    size_t fold_passes;            /* of these, the cross-validation's */
    size_t numbers;
};
#define GSIM_FORECAST_TEXT 320
/* "192 runs ...: at most about 4 min ..."; FIRST_PASS_S is what the first pass took on JOBS cores. Returns seconds, at
 * most. */
double gsim_calibration_forecast_text(const struct gsim_calibration_forecast *forecast, double first_pass_s,
                                      unsigned jobs, char text[GSIM_FORECAST_TEXT]);

struct gsim_calibration_options {
    const struct gsim_gpu_options *gpu;
    const bool *chosen;  /* by number: refine it; NULL: the default choice */
    unsigned folds;      /* of the cross-validation; 0: none */
    unsigned iterations; /* at most */
    const char *file;    /* how sources name the recordings */
    /* Predicts the COUNT runs of these indices on DEVICE as gsim_calibration_predict() would, several at a time: US[i]
     * in the order of RUNS, NAN where the device cannot run it. NULL: one after the other. */
    enum gsim_status (*predict)(void *context, const struct gsim_device_spec *device, const size_t *runs, size_t count,
                                double *us, struct gsim_error *error);
    void *predict_context;
    /* After each pass over the runs: how many are done, and how many there will be, more or less. NULL: none. */
    void (*progress)(void *context, size_t done, size_t expected);
    /* Once, behind the first pass over all runs. NULL: none. */
    void (*forecast)(void *context, const struct gsim_calibration_forecast *forecast);
    void *context;
};
/* Run RUN of those kept, on DEVICE. GSIM_INPUT: it cannot run there. */
enum gsim_status gsim_calibration_predict(struct gsim_calibration *c, size_t run,
                                          const struct gsim_device_spec *device, const struct gsim_gpu_options *gpu,
                                          double *us, struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_calibrate_runs(struct gsim_calibration *c, const struct gsim_calibration_options *options,
                                     struct gsim_error *error) GSIM_NODISCARD;

/* --- shared by the parts ------------------------------------------------------------------------------------------ */
/* What counts as a change of 100 % of the number. */
double gsim_calibration_scale(enum gsim_device_number number, double value);
/* Sets the number; LOW and HIGH may be NAN. */
void gsim_calibration_put(struct gsim_calibration *c, enum gsim_device_number number, double value, double low,
                          double high, enum gsim_number_kind kind, const char *source);
void gsim_calibration_warn(struct gsim_calibration *c, const char *format, ...) GSIM_PRINTF(2, 3);
void gsim_calibration_pair_up(struct gsim_calibration *c, enum gsim_device_number a, enum gsim_device_number b,
                              double correlation);
