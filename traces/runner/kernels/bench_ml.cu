/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ML's real kernels: a ridge regression and a naive Bayes classifier vote for each row's class. Uncoalesced and with
 * their accumulators in memory, as the program's costs describe them (workloads/ml.c). The values are chosen so that no
 * class is certain, and so that no two kernels of a chain commute (rr_3 halves, too).
 */
#include "traces/runner/kernels/kernel.h"

#include "gpusim/memory.h"
#include "traces/runner/kernels/common.h"

#define FEATURES 200
#define CLASSES  10

/* Keeps a feature that never varies finite. */
#define MIN_VARIANCE 1e-5f

#define MAX_CHECKED 20000 /* rows: about 0.1 s */

/* Integers' columns to mean 0 and variance 1; one thread per column walks all rows twice. Sums of integers are
 * exact. */
struct rr_1_args {
    const int32_t *x;
    float *z;
    int64_t n;
};

GSIM_KERNEL(rr_1)
{
    GSIM_THREADS
    {
        for (int64_t j = GSIM_FIRST; j < FEATURES; j += GSIM_STRIDE) {
            int64_t sum = 0, squares = 0;
            for (int64_t i = 0; i < a.n; i++) {
                int32_t x = a.x[i * FEATURES + j];
                sum += x;
                squares += x * x;
            }
            const double mean = (double)sum / (double)a.n;
            const float center = (float)mean, variance = (float)((double)squares / (double)a.n - mean * mean);
            const float deviation = sqrtf(variance + MIN_VARIANCE);
            for (int64_t i = 0; i < a.n; i++)
                a.z[i * FEATURES + j] = ((float)a.x[i * FEATURES + j] - center) / deviation;
        }
    }
}

/* One row per thread: adds its product with the weights of each class. */
struct nb_1_args {
    const int32_t *x;
    const float *log_probability;
    float *r1;
    int64_t n;
};

GSIM_KERNEL(nb_1)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE)
            for (int c = 0; c < CLASSES; c++)
                for (int j = 0; j < FEATURES; j++)
                    a.r1[i * CLASSES + c] += (float)a.x[i * FEATURES + j] * a.log_probability[c * FEATURES + j];
    }
}

struct rr_2_args {
    const float *z, *coefficients;
    float *r2;
    int64_t n;
};

GSIM_KERNEL(rr_2)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE)
            for (int c = 0; c < CLASSES; c++)
                for (int j = 0; j < FEATURES; j++)
                    a.r2[i * CLASSES + c] += a.z[i * FEATURES + j] * a.coefficients[c * FEATURES + j];
    }
}

/* The largest of a row. */
struct nb_2_args {
    const float *r1;
    float *most;
    int64_t n;
};

GSIM_KERNEL(nb_2)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) {
            float most = a.r1[i * CLASSES];
            for (int c = 1; c < CLASSES; c++) {
                float r = a.r1[i * CLASSES + c];
                if (!(r <= most)) most = r;
            }
            a.most[i] = most;
        }
    }
}

/* The logarithm of the sum of a row's exponentials. */
struct nb_3_args {
    const float *r1, *most;
    float *log_sum;
    int64_t n;
};

GSIM_KERNEL(nb_3)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) {
            float sum = 0;
            for (int c = 0; c < CLASSES; c++) sum += expf(a.r1[i * CLASSES + c] - a.most[i]);
            a.log_sum[i] = a.most[i] + logf(sum);
        }
    }
}

struct rr_3_args {
    float *r2;
    const float *intercepts;
    int64_t n;
};

GSIM_KERNEL(rr_3)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE)
            for (int c = 0; c < CLASSES; c++) a.r2[i * CLASSES + c] = 0.5f * (a.r2[i * CLASSES + c] + a.intercepts[c]);
    }
}

struct nb_4_args {
    float *r1;
    const float *log_sum;
    int64_t n;
};

GSIM_KERNEL(nb_4)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE)
            for (int c = 0; c < CLASSES; c++) a.r1[i * CLASSES + c] = expf(a.r1[i * CLASSES + c] - a.log_sum[i]);
    }
}

struct softmax_args {
    float *r;
    int64_t n;
};

GSIM_KERNEL(softmax)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) {
            float sum = 0;
            for (int c = 0; c < CLASSES; c++) sum += expf(a.r[i * CLASSES + c]);
            for (int c = 0; c < CLASSES; c++) a.r[i * CLASSES + c] = expf(a.r[i * CLASSES + c]) / sum;
        }
    }
}

struct argmax_args {
    const float *r1, *r2;
    int32_t *best;
    int64_t n;
};

GSIM_KERNEL(argmax)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) {
            int32_t best = 0;
            float most = a.r1[i * CLASSES] + a.r2[i * CLASSES];
            for (int32_t c = 1; c < CLASSES; c++) {
                float r = a.r1[i * CLASSES + c] + a.r2[i * CLASSES + c];
                if (r > most) {
                    most = r;
                    best = c;
                }
            }
            a.best[i] = best;
        }
    }
}

/* Chosen so that no class is certain and both classifiers have a say. */
static const struct gsim_bench_buffer buffers[] = {
    {"x", GSIM_CONTENT_I32, 0.0f, 4.0f, false},
    {"nb_feat_log_prob", GSIM_CONTENT_F32, -0.2f, 0.0f, false},
    {"nb_class_log_prior", GSIM_CONTENT_F32, -3.0f, -2.0f, false},
    {"ridge_coeff", GSIM_CONTENT_F32, -0.06f, 0.06f, false},
    {"ridge_intercept", GSIM_CONTENT_F32, -0.3f, 0.3f, false},
    {"r1", GSIM_CONTENT_OWN, 0.0f, 0.0f, true}, /* the prior, in every row */
    {"r2", GSIM_CONTENT_CONSTANT, 0.0f, 0.0f, true},
    {"r", GSIM_CONTENT_POISON, 0.0f, 0.0f, true},
    {"nb_amax", GSIM_CONTENT_POISON, 0.0f, 0.0f, true}, /* it cancels in what follows, so it is looked at, too */
    {"nb_l", GSIM_CONTENT_POISON, 0.0f, 0.0f, true},
    {NULL, GSIM_CONTENT_POISON, 0, 0, false},
};

static const struct gsim_bench_kernel kernels[] = {
    {"rr_1", GSIM_CODE(rr_1), 2, 0, gsim_bench_size_scalar},
    {"nb_1", GSIM_CODE(nb_1), 3, 0, gsim_bench_size_scalar},
    {"rr_2", GSIM_CODE(rr_2), 3, 0, gsim_bench_size_scalar},
    {"nb_2", GSIM_CODE(nb_2), 2, 0, gsim_bench_size_scalar},
    {"nb_3", GSIM_CODE(nb_3), 3, 0, gsim_bench_size_scalar},
    {"rr_3", GSIM_CODE(rr_3), 2, 0, gsim_bench_size_scalar},
    {"nb_4", GSIM_CODE(nb_4), 2, 0, gsim_bench_size_scalar},
    {"softmax", GSIM_CODE(softmax), 1, 0, gsim_bench_size_scalar},
    {"argmax", GSIM_CODE(argmax), 3, 0, gsim_bench_size_scalar},
    {NULL, NULL, NULL, 0, 0, NULL},
};

static void fill(const struct gsim_runner_bench *bench, uint32_t buffer_index, void *host)
{
    const struct gsim_values prior = gsim_bench_values(bench, gsim_bench_index(bench, "nb_class_log_prior"));
    float *r1 = (float *)host;
    int64_t count = gsim_bench_count(bench, buffer_index, sizeof(*r1));
    for (int64_t i = 0; i < count; i++) r1[i] = gsim_value_f32(&prior, i % CLASSES);
}

/* The inputs by name, and what all rows share. */
struct reference {
    struct gsim_values x, prior, intercepts;
    float log_probability[CLASSES * FEATURES], coefficients[CLASSES * FEATURES];
    double mean[FEATURES], deviation[FEATURES];
};

static void make_reference(struct gsim_runner_bench *bench)
{
    struct reference *r = (struct reference *)gsim_alloc(sizeof(*r));
    r->x = gsim_bench_values(bench, gsim_bench_index(bench, "x"));
    r->prior = gsim_bench_values(bench, gsim_bench_index(bench, "nb_class_log_prior"));
    r->intercepts = gsim_bench_values(bench, gsim_bench_index(bench, "ridge_intercept"));
    gsim_bench_fill(bench, gsim_bench_index(bench, "nb_feat_log_prob"), r->log_probability);
    gsim_bench_fill(bench, gsim_bench_index(bench, "ridge_coeff"), r->coefficients);
    double n = (double)bench->n;
    for (int64_t i = 0; i < bench->n; i++)
        for (int j = 0; j < FEATURES; j++) {
            double x = gsim_value_i32(&r->x, i * FEATURES + j);
            r->mean[j] += x / n;
            r->deviation[j] += x * x / n;
        }
    for (int j = 0; j < FEATURES; j++)
        r->deviation[j] = sqrt(r->deviation[j] - r->mean[j] * r->mean[j] + MIN_VARIANCE);
    bench->reference = r;
}

/* Of one row. */
struct expected {
    double bayes[CLASSES],
        ridge[CLASSES];   /* the classes' probabilities; Bayes' normalised twice, as the program does */
    double most, log_sum; /* of Bayes' logarithms */
};

static double normalise_exponentials(double *values)
{
    double sum = 0;
    for (int c = 0; c < CLASSES; c++) sum += values[c] = exp(values[c]);
    for (int c = 0; c < CLASSES; c++) values[c] /= sum;
    return sum;
}

static struct expected expect_row(const struct reference *r, int64_t row)
{
    struct expected e;
    double x[FEATURES];
    for (int j = 0; j < FEATURES; j++) x[j] = gsim_value_i32(&r->x, row * FEATURES + j);
    for (int c = 0; c < CLASSES; c++) {
        e.bayes[c] = gsim_value_f32(&r->prior, c);
        e.ridge[c] = gsim_value_f32(&r->intercepts, c);
        for (int j = 0; j < FEATURES; j++) {
            e.bayes[c] += x[j] * r->log_probability[c * FEATURES + j];
            e.ridge[c] += (x[j] - r->mean[j]) / r->deviation[j] * r->coefficients[c * FEATURES + j];
        }
        e.ridge[c] /= 2;
        if (c == 0 || e.bayes[c] > e.most) e.most = e.bayes[c];
    }
    e.log_sum = log(normalise_exponentials(e.bayes));
    normalise_exponentials(e.bayes);
    normalise_exponentials(e.ridge);
    return e;
}

/* Exact: the same float additions of the probabilities found. */
static enum gsim_status check_votes(const struct gsim_runner_bench *bench, const float *r1, const float *r2,
                                    const int32_t *found, struct gsim_error *error)
{
    for (int64_t i = 0; i < bench->n; i++) {
        int32_t best = 0;
        for (int32_t c = 1; c < CLASSES; c++)
            if (r1[i * CLASSES + c] + r2[i * CLASSES + c] > r1[i * CLASSES + best] + r2[i * CLASSES + best]) best = c;
        if (found[i] != best)
            return gsim_bench_compare(bench, gsim_bench_index(bench, "r"), i, found[i], best, 0, error);
    }
    return GSIM_OK;
}

static enum gsim_status compare(const struct gsim_runner_bench *bench, const char *name, void *const *host,
                                int64_t index, double expected, double allowed, struct gsim_error *error)
{
    const uint32_t buffer = gsim_bench_index(bench, name);
    const double found = ((const float *)host[buffer])[index];
    return gsim_bench_compare(bench, buffer, index, found, expected, allowed, error);
}

/* Sums of 200 floats, as exponents. Logarithms are about -60, probabilities about 0.1. */
static enum gsim_status check_row(const struct gsim_runner_bench *bench, void *const *host, int64_t row,
                                  struct gsim_error *error)
{
    const struct expected e = expect_row((const struct reference *)bench->reference, row);
    enum gsim_status status = compare(bench, "nb_amax", host, row, e.most, 1e-3, error);
    if (status == GSIM_OK) status = compare(bench, "nb_l", host, row, e.log_sum, 1e-3, error);
    for (int c = 0; c < CLASSES && status == GSIM_OK; c++) {
        status = compare(bench, "r1", host, row * CLASSES + c, e.bayes[c], 3e-5, error);
        if (status == GSIM_OK) status = compare(bench, "r2", host, row * CLASSES + c, e.ridge[c], 1e-5, error);
    }
    return status;
}

static enum gsim_status check(struct gsim_runner_bench *bench, void *const *host, struct gsim_error *error)
{
    static const char *const floats[] = {"r1", "r2", "nb_amax", "nb_l"};
    if (!bench->reference) make_reference(bench);
    enum gsim_status status = GSIM_OK;
    for (int i = 0; i < 4 && status == GSIM_OK; i++) {
        const uint32_t buffer = gsim_bench_index(bench, floats[i]);
        status = gsim_bench_finite_f32(bench, buffer, host[buffer], error);
    }
    for (int64_t s = 0; status == GSIM_OK && s < gsim_sample_count(bench->n, MAX_CHECKED); s++)
        status = check_row(bench, host, gsim_sample_at(bench->n, MAX_CHECKED, s), error);
    if (status != GSIM_OK) return status;
    return check_votes(bench, (const float *)host[gsim_bench_index(bench, "r1")],
                       (const float *)host[gsim_bench_index(bench, "r2")],
                       (const int32_t *)host[gsim_bench_index(bench, "r")], error);
}

GSIM_BENCH(
    ml, fill, gsim_bench_is_result, check, INT64_MAX, NULL,
    "probabilities within 3e-5, logarithms within 1e-3 (of more than 20,000 rows a sample of as many, and all to be "
    "numbers); every row's class is the likeliest by the probabilities found")
