/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * M2's real kernels: an attention block of 12 heads (workloads/m2.c). A row of qkv is a token's queries, keys and
 * values, of 768 each, head after head. Weights are large enough for attention to be uneven, so that it shows in the
 * result.
 */
#include "traces/runner/kernels/tile.h"

#include "gpusim/memory.h"
#include "traces/runner/kernels/common.h"

#define HEADS      12
#define HEAD_WIDTH 64
#define WIDTH      (HEADS * HEAD_WIDTH)
#define QKV_WIDTH  (3 * WIDTH)

#define SCALE          0.125f /* 1 / sqrt(HEAD_WIDTH) */
#define MIN_VARIANCE 1e-5f

#define MAX_CHECKED 64 /* tokens */

struct qkv_args {
    const float *x, *weights;
    float *qkv;
    int64_t n;
};

#define QKV_LEFT(row, k)              a.x[(row)*WIDTH + (k)]
#define QKV_RIGHT(k, column)          a.weights[(k)*QKV_WIDTH + (column)]
#define QKV_STORE(row, column, value) a.qkv[(row)*QKV_WIDTH + (column)] = (value)

GSIM_KERNEL(qkv)
{
    GSIM_PRODUCT(a.n, QKV_WIDTH, WIDTH, QKV_LEFT, QKV_RIGHT, false, QKV_STORE)
}

struct qk_args {
    const float *qkv;
    float *scores;
    int64_t n, head;
};

#define QK_LEFT(row, k)              a.qkv[(row)*QKV_WIDTH + a.head * HEAD_WIDTH + (k)]
#define QK_RIGHT(k, column)          a.qkv[(column)*QKV_WIDTH + WIDTH + a.head * HEAD_WIDTH + (k)]
#define QK_STORE(row, column, value) a.scores[(row)*a.n + (column)] = SCALE * (value)

GSIM_KERNEL(qk)
{
    GSIM_PRODUCT(a.n, a.n, HEAD_WIDTH, QK_LEFT, QK_RIGHT, true, QK_STORE)
}

struct pv_args {
    const float *scores, *qkv;
    float *context;
    int64_t n, head;
};

#define PV_LEFT(row, k)              a.scores[(row)*a.n + (k)]
#define PV_RIGHT(k, column)          a.qkv[(k)*QKV_WIDTH + 2 * WIDTH + a.head * HEAD_WIDTH + (column)]
#define PV_STORE(row, column, value) a.context[(row)*HEAD_WIDTH + (column)] = (value)

GSIM_KERNEL(pv)
{
    GSIM_PRODUCT(a.n, HEAD_WIDTH, a.n, PV_LEFT, PV_RIGHT, false, PV_STORE)
}

struct projection_args {
    const float *context[HEADS];
    const float *weights;
    float *out;
    int64_t n;
};

#define PROJECTION_LEFT(row, k)              a.context[(k) / HEAD_WIDTH][(row)*HEAD_WIDTH + (k) % HEAD_WIDTH]
#define PROJECTION_RIGHT(k, column)          a.weights[(k)*WIDTH + (column)]
#define PROJECTION_STORE(row, column, value) a.out[(row)*WIDTH + (column)] = (value)

GSIM_KERNEL(projection)
{
    GSIM_PRODUCT(a.n, WIDTH, WIDTH, PROJECTION_LEFT, PROJECTION_RIGHT, false, PROJECTION_STORE)
}

/* VALUES[0] becomes the combination of all threads' VALUES[thread]. */
#define BLOCK_REDUCE(values, combine)                                                                                  \
    for (uint32_t half = 512; half; half /= 2) {                                                                       \
        GSIM_BARRIER();                                                                                                \
        GSIM_THREADS                                                                                                   \
        {                                                                                                              \
            if (GSIM_THREAD < half && GSIM_THREAD + half < gsim_block_threads())                                       \
                (values)[GSIM_THREAD] = combine((values)[GSIM_THREAD], (values)[GSIM_THREAD + half]);                  \
        }                                                                                                              \
    }                                                                                                                  \
    GSIM_BARRIER();

/* A block per row. */
struct softmax_args {
    float *scores;
    int64_t n;
};

GSIM_KERNEL(softmax)
{
    GSIM_SHARED(float, part, 1024);
    for (int64_t i = GSIM_BLOCK_X; i < a.n; i += GSIM_GRID_DIM(x)) {
        float *const row = a.scores + i * a.n;
        GSIM_THREADS
        {
            float own = -INFINITY;
            for (int64_t j = GSIM_THREAD; j < a.n; j += gsim_block_threads()) own = gsim_larger(own, row[j]);
            part[GSIM_THREAD] = own;
        }
        BLOCK_REDUCE(part, gsim_larger)
        const float most = part[0];
        GSIM_BARRIER();
        GSIM_THREADS
        {
            float own = 0;
            for (int64_t j = GSIM_THREAD; j < a.n; j += gsim_block_threads()) own += row[j] = expf(row[j] - most);
            part[GSIM_THREAD] = own;
        }
        BLOCK_REDUCE(part, gsim_add)
        const float sum = part[0];
        GSIM_BARRIER();
        GSIM_THREADS
        {
            for (int64_t j = GSIM_THREAD; j < a.n; j += gsim_block_threads()) row[j] /= sum;
        }
    }
}

/* A block per row: the sum of both, to mean 0 and variance 1. */
struct add_norm_args {
    const float *x, *out;
    float *y;
    int64_t n;
};

GSIM_KERNEL(add_norm)
{
    GSIM_SHARED(float, sums, 1024);
    GSIM_SHARED(float, squares, 1024);
    for (int64_t i = GSIM_BLOCK_X; i < a.n; i += GSIM_GRID_DIM(x)) {
        const int64_t row = i * WIDTH;
        GSIM_THREADS
        {
            float sum = 0, square = 0;
            for (int64_t j = row + GSIM_THREAD; j < row + WIDTH; j += gsim_block_threads()) {
                const float v = a.x[j] + a.out[j];
                sum += v;
                square += v * v;
            }
            sums[GSIM_THREAD] = sum;
            squares[GSIM_THREAD] = square;
        }
        BLOCK_REDUCE(sums, gsim_add)
        BLOCK_REDUCE(squares, gsim_add)
        const float mean = sums[0] / WIDTH, variance = squares[0] / WIDTH - mean * mean;
        GSIM_BARRIER();
        GSIM_THREADS
        {
            const float deviation = sqrtf(variance + MIN_VARIANCE);
            for (int64_t j = row + GSIM_THREAD; j < row + WIDTH; j += gsim_block_threads())
                a.y[j] = (a.x[j] + a.out[j] - mean) / deviation;
        }
    }
}

static void tokens(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    (void)op;
    *(int64_t *)at = bench->n;
}

static void tokens_and_head(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    const bool is_pv = op->arg_count == 3;
    ((int64_t *)at)[0] = bench->n;
    ((int64_t *)at)[1] = gsim_bench_number(bench, op, is_pv ? 0 : 1); /* of "scores3" */
}

static const struct gsim_bench_buffer buffers[] = {
    {"x", GSIM_CONTENT_F32, -1.0f, 1.0f, false},       {"w_qkv", GSIM_CONTENT_F32, -0.15f, 0.15f, false},
    {"w_out", GSIM_CONTENT_F32, -0.12f, 0.12f, false}, {"y", GSIM_CONTENT_POISON, 0, 0, true},
    {NULL, GSIM_CONTENT_POISON, 0, 0, false},
};

static const struct gsim_bench_kernel kernels[] = {
    {"qkv", GSIM_CODE(qkv), 3, 32768, tokens},
    {"qk", GSIM_CODE(qk), 2, 32768, tokens_and_head},
    {"softmax", GSIM_CODE(softmax), 1, 4096, tokens},
    {"pv", GSIM_CODE(pv), 3, 32768, tokens_and_head},
    {"projection", GSIM_CODE(projection), HEADS + 2, 32768, tokens},
    {"add_norm", GSIM_CODE(add_norm), 3, 8192, tokens},
    {NULL, NULL, NULL, 0, 0, NULL},
};

/* --- the reference: all keys and values, then token by token ---------------------------------------------- */

struct work {
    struct gsim_values x;
    float *w_qkv, *w_out; /* [768][2304], [768][768] */
    float *keys_values;   /* [token][1536] */
    double *weights;      /* [token]: how much one token attends to each */
};

/* OUT[0..COUNT) = ROW times columns FIRST.. of the matrix, which has WIDTH rows. */
static void times(const double *row, const float *matrix, int64_t matrix_width, int64_t first, int64_t count,
                  double *out)
{
    for (int64_t c = 0; c < count; c++) out[c] = 0;
    for (int64_t k = 0; k < WIDTH; k++)
        for (int64_t c = 0; c < count; c++) out[c] += row[k] * matrix[k * matrix_width + first + c];
}

static void token_of(const struct work *w, int64_t token, double x[WIDTH])
{
    for (int64_t k = 0; k < WIDTH; k++) x[k] = gsim_value_f32(&w->x, token * WIDTH + k);
}

static void attend(const struct work *w, int64_t n, int head, const double *query, double *context)
{
    double sum = 0, most = -INFINITY;
    for (int64_t t = 0; t < n; t++) {
        const float *key = w->keys_values + t * 2 * WIDTH + head * HEAD_WIDTH;
        double score = 0;
        for (int k = 0; k < HEAD_WIDTH; k++) score += query[k] * key[k];
        w->weights[t] = score / sqrt(HEAD_WIDTH);
        if (w->weights[t] > most) most = w->weights[t];
    }
    for (int64_t t = 0; t < n; t++) sum += w->weights[t] = exp(w->weights[t] - most);
    for (int k = 0; k < HEAD_WIDTH; k++) context[k] = 0;
    for (int64_t t = 0; t < n; t++) {
        const float *value = w->keys_values + t * 2 * WIDTH + WIDTH + head * HEAD_WIDTH;
        for (int k = 0; k < HEAD_WIDTH; k++) context[k] += w->weights[t] / sum * value[k];
    }
}

static void expect_token(const struct work *w, int64_t n, int64_t token, double y[WIDTH])
{
    double x[WIDTH], query[WIDTH], context[WIDTH], mean = 0, variance = 0;
    token_of(w, token, x);
    times(x, w->w_qkv, QKV_WIDTH, 0, WIDTH, query);
    for (int head = 0; head < HEADS; head++) attend(w, n, head, query + head * HEAD_WIDTH, context + head * HEAD_WIDTH);
    times(context, w->w_out, WIDTH, 0, WIDTH, y);
    for (int k = 0; k < WIDTH; k++) mean += (y[k] += x[k]) / WIDTH;
    for (int k = 0; k < WIDTH; k++) variance += (y[k] - mean) * (y[k] - mean) / WIDTH;
    for (int k = 0; k < WIDTH; k++) y[k] = (y[k] - mean) / sqrt(variance + (double)MIN_VARIANCE);
}

static void fill_values(const struct gsim_runner_bench *bench, const char *name, float *out, int64_t count)
{
    const struct gsim_values values = gsim_bench_values(bench, gsim_bench_index(bench, name));
    for (int64_t i = 0; i < count; i++) out[i] = gsim_value_f32(&values, i);
}

/* Expected rows of y, one after another. */
static void make_reference(struct gsim_runner_bench *bench)
{
    const int64_t n = bench->n, checked = gsim_sample_count(n, MAX_CHECKED);
    struct work w = {gsim_bench_values(bench, gsim_bench_index(bench, "x")), NULL, NULL, NULL, NULL};
    double *expected = (double *)gsim_alloc(sizeof(*expected) * WIDTH * (size_t)checked);
    w.w_qkv = (float *)gsim_alloc(sizeof(float) * WIDTH * QKV_WIDTH);
    w.w_out = (float *)gsim_alloc(sizeof(float) * WIDTH * WIDTH);
    w.keys_values = (float *)gsim_alloc(sizeof(float) * 2 * WIDTH * (size_t)n);
    w.weights = (double *)gsim_alloc(sizeof(double) * (size_t)n);
    fill_values(bench, "w_qkv", w.w_qkv, WIDTH * QKV_WIDTH);
    fill_values(bench, "w_out", w.w_out, WIDTH * WIDTH);
    for (int64_t t = 0; t < n; t++) {
        double x[WIDTH], keys_values[2 * WIDTH];
        token_of(&w, t, x);
        times(x, w.w_qkv, QKV_WIDTH, WIDTH, 2 * WIDTH, keys_values);
        for (int64_t k = 0; k < 2 * WIDTH; k++) w.keys_values[t * 2 * WIDTH + k] = (float)keys_values[k];
    }
    for (int64_t s = 0; s < checked; s++)
        expect_token(&w, n, gsim_sample_at(n, MAX_CHECKED, s), expected + s * WIDTH);
    bench->reference = expected;
    gsim_free(w.w_qkv);
    gsim_free(w.w_out);
    gsim_free(w.keys_values);
    gsim_free(w.weights);
}

static enum gsim_status check(struct gsim_runner_bench *bench, void *const *host, struct gsim_error *error)
{
    if (!bench->reference) make_reference(bench);
    const double *expected = (const double *)bench->reference, allowed = 2e-4; /* of values about 1 */
    const uint32_t y = gsim_bench_index(bench, "y");
    const float *found = (const float *)host[y];
    enum gsim_status status = gsim_bench_finite_f32(bench, y, found, error);
    for (int64_t s = 0; status == GSIM_OK && s < gsim_sample_count(bench->n, MAX_CHECKED); s++) {
        int64_t at = gsim_sample_at(bench->n, MAX_CHECKED, s) * WIDTH;
        for (int64_t k = 0; k < WIDTH && status == GSIM_OK; k++)
            status = gsim_bench_compare(bench, y, at + k, found[at + k], expected[s * WIDTH + k], allowed, error);
    }
    return status;
}

GSIM_BENCH(
    m2, NULL, gsim_bench_is_result, check, INT64_MAX, NULL,
    "values within 2e-4 (of more than 64 tokens a sample of as many, which depend on all keys and values; and all "
    "to be numbers)")
