/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/calibrate (helper). Non-linear least squares with a prior (GSL's multifit_nlinear): values, 95 %
 * intervals, which parameters the data cannot tell, and cross-validation. What is fitted to what:
 * trust/calibrate/calibrate.h.
 *
 * Minimised is the sum of the squared residuals (model - measured)/sigma and of ((value - start)/(scale * prior))^2
 * over the parameters. With a wide prior it only holds what the data does not touch where it was.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "gpusim/status.h"

struct gsim_fit_parameter {
    double start;            /* where to begin, and the prior's centre */
    double scale;            /* what counts as a change of 100 %; positive */
    double prior_ratio;      /* standard deviation of the prior over the scale; positive */
    double minimum, maximum; /* the model sees no values outside */
    /* Results: */
    double value, low, high; /* and its 95 % interval, clipped to the range */
    bool is_seen;            /* a change of its scale shows in the data, by two standard deviations or more */
    bool is_prior; /* the data alone would tell it less well than the prior does: the interval is the prior's */
    bool is_determined;      /* by the data alone, to better than half the scale; else only together with others */
    bool is_at_bound;
};

struct gsim_fit_problem {
    struct gsim_fit_parameter *parameters;
    size_t parameter_count, observation_count;
    /* Fills RESIDUALS[i], weighted, for all i without SKIP (NULL: none); VALUES are inside their ranges. */
    enum gsim_status (*residuals)(void *context, const double *values, const bool *skip, double *residuals,
                                  struct gsim_error *error);
    void *context;
    double step_ratio;       /* of finite differences, over the scale */
    double tolerance;        /* a step of less than ten times this many scales ends the search */
    unsigned iterations;     /* at most */
};

struct gsim_fit_result {
    unsigned iterations;
    bool converged;
    double chi2_start, chi2;         /* sums of squared residuals, prior left out */
    double *residuals;               /* weighted, at the solution; 0 where skipped */
    double *correlation;             /* of parameter i and j: [i * parameter_count + j] */
    double *singular_values;         /* of the data's Jacobian per scale and sigma, falling */
};
void gsim_fit_result_release(struct gsim_fit_result *result); /* accepts a zeroed one */

/* Intervals are widened by the root mean square of the residuals that a parameter touches where that exceeds 1. SKIP:
 * NULL or observations to leave out. Fails with GSIM_SIM (GSL gives up), or what residuals() says. */
enum gsim_status gsim_fit(struct gsim_fit_problem *problem, const bool *skip, struct gsim_fit_result *result,
                          struct gsim_error *error) GSIM_NODISCARD;

/* Fits without each fold in turn, starting from the parameters' values, and fills HELD_OUT[i] with the weighted
 * residual of observation i in the fold that it is in; FOLD_OF[i] < FOLDS. The parameters' results are left as they
 * were. */
enum gsim_status gsim_fit_cross_validate(const struct gsim_fit_problem *problem, const unsigned *fold_of,
                                         unsigned folds, double *held_out, struct gsim_error *error) GSIM_NODISCARD;
