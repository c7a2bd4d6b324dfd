/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See trust/calibrate/fit.h. GSL's variables are u = ORIGIN + (value - start)/scale: it takes steps of finite
 * differences relative to u, which so are the same for all parameters wherever they end up.
 */
#include "trust/calibrate/fit.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <string.h>

#include "gpusim/memory.h"
#include "sim/base/ends.h"

#define ORIGIN             10.0
#define UNDETERMINED_RATIO 0.5 /* a parameter is not determined when its standard deviation exceeds this many scales */
#define SEEN_DEVIATIONS    2.0 /* the residuals' change, in sigmas, by a change of one scale */
#define MIN_SINGULAR       0.01 /* less than this counts as this: nothing, but for rounding */

struct state {
    const struct gsim_fit_problem *problem;
    const bool *skip;
    double *values, *residuals; /* the former inside their ranges */
    struct gsim_error *error;
    enum gsim_status status;
};

static double clamp(const struct gsim_fit_parameter *p, double value)
{
    return value < p->minimum ? p->minimum : value > p->maximum ? p->maximum : value;
}

/* Residuals of the observations, then those of the priors. F may be a column of GSL's Jacobian: it has a stride. */
static int evaluate(const gsl_vector *u, void *context, gsl_vector *f)
{
    struct state *s = context;
    const struct gsim_fit_problem *problem = s->problem;
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const struct gsim_fit_parameter *p = &problem->parameters[i];
        double moved = gsl_vector_get(u, i) - ORIGIN;
        s->values[i] = clamp(p, p->start + moved * p->scale);
        gsl_vector_set(f, problem->observation_count + i, moved / p->prior_ratio);
    }
    s->status = problem->residuals(problem->context, s->values, s->skip, s->residuals, s->error);
    if (s->status != GSIM_OK) return GSL_EFAILED;
    for (size_t i = 0; i < problem->observation_count; i++)
        gsl_vector_set(f, i, s->skip && s->skip[i] ? 0 : s->residuals[i]);
    return GSL_SUCCESS;
}

void gsim_fit_result_release(struct gsim_fit_result *result)
{
    gsim_free(result->residuals);
    gsim_free(result->correlation);
    gsim_free(result->singular_values);
    memset(result, 0, sizeof *result);
}

/* --- what the solution is worth --- */
/* Root mean square of the residuals of observations that parameter COLUMN touches, at least 1. */
static double widening(const gsl_matrix *jacobian, const double *residuals, size_t observations, size_t column)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < observations; i++) {
        if (fabs(gsl_matrix_get(jacobian, i, column)) < 1e-9) continue;
        sum += residuals[i] * residuals[i];
        count++;
    }
    return count > 1 ? fmax(1, sqrt(sum / (double)(count - 1))) : 1;
}

/* Standard deviations from the data's part of the Jacobian alone, by its singular values: they grow beyond all bounds
 * along directions in which nothing changes. */
static void find_undetermined(struct gsim_fit_problem *problem, const gsl_matrix *jacobian,
                              struct gsim_fit_result *result)
{
    size_t n = problem->parameter_count, m = problem->observation_count > n ? problem->observation_count : n;
    gsl_matrix *a = gsl_matrix_calloc(m, n), *v = gsl_matrix_alloc(n, n);
    gsl_vector *s = gsl_vector_alloc(n), *work = gsl_vector_alloc(n);
    for (size_t i = 0; i < problem->observation_count; i++)
        for (size_t j = 0; j < n; j++) gsl_matrix_set(a, i, j, gsl_matrix_get(jacobian, i, j));
    gsl_linalg_SV_decomp(a, v, s, work);
    for (size_t k = 0; k < n; k++) result->singular_values[k] = gsl_vector_get(s, k);
    for (size_t j = 0; j < n; j++) {
        double variance = 0, change = 0;
        for (size_t i = 0; i < problem->observation_count; i++) change += pow(gsl_matrix_get(jacobian, i, j), 2);
        problem->parameters[j].is_seen = sqrt(change) >= SEEN_DEVIATIONS;
        for (size_t k = 0; k < n; k++)
            variance += pow(gsl_matrix_get(v, j, k) / fmax(result->singular_values[k], MIN_SINGULAR), 2);
        problem->parameters[j].is_prior = sqrt(variance) > problem->parameters[j].prior_ratio;
        problem->parameters[j].is_determined = sqrt(variance) <= UNDETERMINED_RATIO;
    }
    gsl_matrix_free(a);
    gsl_matrix_free(v);
    gsl_vector_free(s);
    gsl_vector_free(work);
}

static void copy_result(struct gsim_fit_problem *problem, gsl_multifit_nlinear_workspace *w,
                        struct gsim_fit_result *result)
{
    size_t n = problem->parameter_count, m = problem->observation_count;
    gsl_matrix *covariance = gsl_matrix_alloc(n, n);
    const gsl_matrix *jacobian = gsl_multifit_nlinear_jac(w);
    result->residuals = gsim_alloc((m + 1) * sizeof *result->residuals);
    result->correlation = gsim_alloc(n * n * sizeof *result->correlation);
    result->singular_values = gsim_alloc(n * sizeof *result->singular_values);
    for (size_t i = 0; i < m; i++) result->residuals[i] = gsl_vector_get(gsl_multifit_nlinear_residual(w), i);
    for (size_t i = 0; i < n; i++) {
        struct gsim_fit_parameter *p = &problem->parameters[i];
        p->value = clamp(p, p->start + (gsl_vector_get(gsl_multifit_nlinear_position(w), i) - ORIGIN) * p->scale);
    }
    double sum = 0;
    for (size_t i = 0; i < m; i++) sum += result->residuals[i] * result->residuals[i];
    result->chi2 = sum;
    gsl_multifit_nlinear_covar(jacobian, 0, covariance);
    size_t k = problem->parameter_count;
    double freedom = problem->observation_count > k ? (double)(problem->observation_count - k) : 1;
    double t = gsl_cdf_tdist_Pinv(0.975, freedom < 5 ? 5 : freedom); /* the sigmas are estimates of their own */
    for (size_t i = 0; i < k; i++) {
        struct gsim_fit_parameter *p = &problem->parameters[i];
        double deviation = sqrt(gsl_matrix_get(covariance, i, i)) * p->scale;
        double half = t * deviation * widening(jacobian, result->residuals, problem->observation_count, i);
        p->low = clamp(p, p->value - half);
        p->high = clamp(p, p->value + half);
        p->is_at_bound = p->value <= p->minimum || p->value >= p->maximum;
        for (size_t j = 0; j < k; j++) {
            double both = sqrt(gsl_matrix_get(covariance, i, i) * gsl_matrix_get(covariance, j, j));
            result->correlation[i * k + j] = both > 0 ? gsl_matrix_get(covariance, i, j) / both : 0;
        }
    }
    gsl_matrix_free(covariance);
    find_undetermined(problem, jacobian, result);
}

/* --- the fit --- */
enum gsim_status gsim_fit(struct gsim_fit_problem *problem, const bool *skip, struct gsim_fit_result *result,
                          struct gsim_error *error)
{
    struct state s = {.problem = problem, .skip = skip, .error = error};
    gsl_multifit_nlinear_fdf function = {.f = evaluate,
                                         .n = problem->observation_count + problem->parameter_count,
                                         .p = problem->parameter_count,
                                         .params = &s};
    gsl_error_handler_t *handler = gsl_set_error_handler(gsim_ends_take_gsl);
    gsl_vector *start = gsl_vector_alloc(problem->parameter_count);
    s.values = gsim_alloc(problem->parameter_count * sizeof *s.values);
    s.residuals = gsim_alloc((problem->observation_count + 1) * sizeof *s.residuals);
    memset(result, 0, sizeof *result);
    gsl_vector_set_all(start, ORIGIN);
    gsl_multifit_nlinear_parameters settings = gsl_multifit_nlinear_default_parameters();
    settings.h_df = problem->step_ratio / ORIGIN;
    settings.solver = gsl_multifit_nlinear_solver_svd; /* columns may be nothing but their prior */
    gsl_multifit_nlinear_workspace *w =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &settings, function.n, function.p);
    int info = 0, code = gsl_multifit_nlinear_init(start, &function, w);
    if (code == GSL_SUCCESS) {
        result->chi2_start = 0;
        for (size_t i = 0; i < problem->observation_count; i++)
            result->chi2_start += pow(gsl_vector_get(gsl_multifit_nlinear_residual(w), i), 2);
        code = gsl_multifit_nlinear_driver(problem->iterations, problem->tolerance, problem->tolerance,
                                           problem->tolerance, NULL, NULL, &info, w);
    }
    enum gsim_status status = s.status;
    result->iterations = (unsigned)gsl_multifit_nlinear_niter(w);
    result->converged = code == GSL_SUCCESS;
    /* Out of iterations, or no step that helps: where it stands is the answer. */
    if (status == GSIM_OK && code != GSL_SUCCESS && code != GSL_EMAXITER && code != GSL_ENOPROG)
        status = gsim_error_set(error, GSIM_SIM, "least squares failed: %s", gsl_strerror(code));
    if (status == GSIM_OK) copy_result(problem, w, result);
    gsl_multifit_nlinear_free(w);
    gsl_vector_free(start);
    gsim_free(s.values);
    gsim_free(s.residuals);
    gsl_set_error_handler(handler);
    if (status != GSIM_OK) gsim_fit_result_release(result);
    return status;
}

/* --- cross-validation --------------------------------------------------------------------------------------------- */
enum gsim_status gsim_fit_cross_validate(const struct gsim_fit_problem *problem, const unsigned *fold_of,
                                         unsigned folds, double *held_out, struct gsim_error *error)
{
    size_t n = problem->parameter_count, m = problem->observation_count;
    struct gsim_fit_parameter *parameters = gsim_alloc(n * sizeof *parameters);
    double *values = gsim_alloc(n * sizeof *values), *residuals = gsim_alloc((m + 1) * sizeof *residuals);
    bool *skip = gsim_alloc(2 * (m + 1) * sizeof *skip), *others = skip + m + 1;
    enum gsim_status status = GSIM_OK;
    for (unsigned fold = 0; fold < folds && status == GSIM_OK; fold++) {
        struct gsim_fit_result result;
        struct gsim_fit_problem part = *problem;
        part.parameters = parameters;
        memcpy(parameters, problem->parameters, n * sizeof *parameters);
        for (size_t i = 0; i < m; i++) {
            skip[i] = fold_of[i] == fold;
            others[i] = !skip[i];
        }
        status = gsim_fit(&part, skip, &result, error);
        for (size_t i = 0; i < n; i++) values[i] = parameters[i].value;
        if (status == GSIM_OK) status = problem->residuals(problem->context, values, others, residuals, error);
        for (size_t i = 0; i < m && status == GSIM_OK; i++)
            if (skip[i]) held_out[i] = residuals[i];
        gsim_fit_result_release(&result);
    }
    gsim_free(parameters);
    gsim_free(values);
    gsim_free(residuals);
    gsim_free(skip);
    return status;
}
