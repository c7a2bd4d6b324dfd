/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * DL's real kernels: convolutions with stride 2, pooling, concatenation, dot product. Images are
 * [row][column][channel]; beyond its border an image is 0. Filters are mostly positive, so that few results end as 0.
 * Program: workloads/dl.c.
 */
#include "traces/runner/kernels/kernel.h"

#include "traces/runner/kernels/common.h"

#define CHANNELS_1 8
#define CHANNELS_2 16
#define POOL       5

#define MAX_CHECKED 60000 /* elements of z: about 0.15 s */

/* 3 x 3, stride 2, what is negative becomes 0. The filter is [channel out][row][column][channel in]. Neighbouring
 * threads work on neighbouring rows. */
struct conv2d_args {
    float *to;
    const float *from, *filter;
    int64_t side_in, side_out;
    int32_t channels_in, channels_out;
};

GSIM_KERNEL(conv2d)
{
    GSIM_SHARED_DYNAMIC(float, filter);
    GSIM_THREADS
    {
        const uint32_t count = (uint32_t)(9 * a.channels_in * a.channels_out);
        for (uint32_t t = GSIM_THREAD; t < count; t += gsim_block_threads()) filter[t] = a.filter[t];
    }
    GSIM_BARRIER();
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST_IN(x, X); i < a.side_out; i += GSIM_STRIDE_IN(x))
            for (int64_t j = GSIM_FIRST_IN(y, Y); j < a.side_out; j += GSIM_STRIDE_IN(y))
                for (int32_t m = 0; m < a.channels_out; m++) {
                    const float *weights = filter + m * 9 * a.channels_in;
                    float sum = 0;
                    for (int32_t tap = 0; tap < 9; tap++) {
                        const int64_t row = 2 * i + tap / 3, column = 2 * j + tap % 3;
                        if (row >= a.side_in || column >= a.side_in) continue;
                        const float *pixel = a.from + (row * a.side_in + column) * a.channels_in;
                        for (int32_t c = 0; c < a.channels_in; c++) sum += weights[tap * a.channels_in + c] * pixel[c];
                    }
                    a.to[(i * a.side_out + j) * a.channels_out + m] = sum < 0 ? 0 : sum;
                }
    }
}

struct mean_pooling_args {
    float *to;
    const float *from;
    int64_t side_in, side_out;
};

GSIM_KERNEL(mean_pooling)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST_IN(x, X); i < a.side_out; i += GSIM_STRIDE_IN(x))
            for (int64_t j = GSIM_FIRST_IN(y, Y); j < a.side_out; j += GSIM_STRIDE_IN(y))
                for (int64_t c = GSIM_FIRST_IN(z, Z); c < CHANNELS_1; c += GSIM_STRIDE_IN(z)) {
                    float sum = 0;
                    for (int32_t y = 0; y < POOL; y++)
                        for (int32_t x = 0; x < POOL; x++)
                            sum += a.from[((POOL * i + y) * a.side_in + POOL * j + x) * CHANNELS_1 + c];
                    a.to[(i * a.side_out + j) * CHANNELS_1 + c] = sum / (POOL * POOL);
                }
    }
}

struct concat_args {
    float *z;
    const float *x, *y;
    int64_t n;
};

GSIM_KERNEL(concat)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) {
            a.z[i] = a.x[i];
            a.z[a.n + i] = a.y[i];
        }
    }
}

/* A thread's own sum is in double precision; one atomic addition per warp. */
struct dot_product_args {
    const float *x, *y;
    float *sum;
    int64_t n;
};

GSIM_KERNEL(dot_product)
{
    GSIM_PRIVATE(float, sum, 1);
    GSIM_THREADS
    {
        double own = 0;
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) own += a.x[i] * a.y[i];
        GSIM_MINE(sum)[0] = (float)own;
    }
    GSIM_WARP_REDUCE(sum, gsim_add);
    GSIM_THREADS
    {
        if (GSIM_THREAD % GSIM_WARP == 0) gsim_atomic_add(a.sum, GSIM_MINE(sum)[0]);
    }
}

/* Elements of one tower's result. */
static int64_t tower_count(const struct gsim_runner_bench *bench)
{
    int64_t side = bench->n / 20;
    return side * side * CHANNELS_2;
}

/* How far the dot product goes: the C++ version's stops half-way, after the first tower. */
static int64_t dot_count(const struct gsim_runner_bench *bench)
{
    return bench->suite == GSIM_SUITE_KESCO ? tower_count(bench) : 2 * tower_count(bench);
}

static void conv2d_scalars(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    const bool is_first = gsim_bench_count(bench, op->args[2].buffer_index, sizeof(float)) == 9 * CHANNELS_1;
    int64_t *sides = (int64_t *)at;
    int32_t *channels = (int32_t *)&sides[2];
    sides[0] = is_first ? bench->n : bench->n / 10;
    sides[1] = is_first ? bench->n / 2 : bench->n / 20;
    channels[0] = is_first ? 1 : CHANNELS_1;
    channels[1] = is_first ? CHANNELS_1 : CHANNELS_2;
}

static void mean_pooling_scalars(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    (void)op;
    ((int64_t *)at)[0] = bench->n / 2;
    ((int64_t *)at)[1] = bench->n / 10;
}

static void concat_scalars(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    (void)op;
    *(int64_t *)at = tower_count(bench);
}

static void dot_product_scalars(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    (void)op;
    *(int64_t *)at = dot_count(bench);
}

static const struct gsim_bench_buffer buffers[] = {
    {"x", GSIM_CONTENT_F32, 0.0f, 1.0f, false},
    {"y", GSIM_CONTENT_F32, 0.0f, 1.0f, false},
    {"kernel_?", GSIM_CONTENT_F32, -0.1f, 0.2f, false},
    {"dense_weights", GSIM_CONTENT_F32, 0.0f, 1.0f, false},
    {"z", GSIM_CONTENT_POISON, 0, 0, true},
    {"res", GSIM_CONTENT_CONSTANT, 0, 0, true},
    {NULL, GSIM_CONTENT_POISON, 0, 0, false},
};

static const struct gsim_bench_kernel kernels[] = {
    {"conv2d", GSIM_CODE(conv2d), 3, 0, conv2d_scalars},
    {"mean_pooling", GSIM_CODE(mean_pooling), 2, 0, mean_pooling_scalars},
    {"concat", GSIM_CODE(concat), 3, 0, concat_scalars},
    {"dot_product", GSIM_CODE(dot_product), 3, 0, dot_product_scalars},
    {NULL, NULL, NULL, 0, 0, NULL},
};

/* --- the reference: any element of a tower, from the input's generator ------------------------------------ */

struct tower {
    int64_t n;
    struct gsim_values image, kernel_1, kernel_2;
};

static struct tower tower_of(const struct gsim_runner_bench *bench, int index)
{
    static const char *const names[2][3] = {{"x", "kernel_1", "kernel_2"}, {"y", "kernel_3", "kernel_4"}};
    struct tower t = {bench->n, gsim_bench_values(bench, gsim_bench_index(bench, names[index][0])),
                      gsim_bench_values(bench, gsim_bench_index(bench, names[index][1])),
                      gsim_bench_values(bench, gsim_bench_index(bench, names[index][2]))};
    return t;
}

static void first_convolution(const struct tower *t, int64_t i, int64_t j, double out[CHANNELS_1])
{
    double window[9];
    for (int tap = 0; tap < 9; tap++) {
        int64_t row = 2 * i + tap / 3, column = 2 * j + tap % 3;
        bool is_inside = row < t->n && column < t->n;
        window[tap] = is_inside ? gsim_value_f32(&t->image, row * t->n + column) : 0;
    }
    for (int m = 0; m < CHANNELS_1; m++) {
        double sum = 0;
        for (int tap = 0; tap < 9; tap++) sum += window[tap] * gsim_value_f32(&t->kernel_1, m * 9 + tap);
        out[m] = sum > 0 ? sum : 0;
    }
}

static void pooled(const struct tower *t, int64_t i, int64_t j, double mean[CHANNELS_1])
{
    for (int c = 0; c < CHANNELS_1; c++) mean[c] = 0;
    if (i >= t->n / 10 || j >= t->n / 10) return;
    for (int cell = 0; cell < POOL * POOL; cell++) {
        double out[CHANNELS_1];
        first_convolution(t, POOL * i + cell / POOL, POOL * j + cell % POOL, out);
        for (int c = 0; c < CHANNELS_1; c++) mean[c] += out[c] / (POOL * POOL);
    }
}

/* All channels of one position. */
static void second_convolution(const struct tower *t, int64_t i, int64_t j, double out[CHANNELS_2])
{
    double window[9][CHANNELS_1];
    for (int tap = 0; tap < 9; tap++) pooled(t, 2 * i + tap / 3, 2 * j + tap % 3, window[tap]);
    for (int m = 0; m < CHANNELS_2; m++) {
        double sum = 0;
        for (int tap = 0; tap < 9; tap++)
            for (int c = 0; c < CHANNELS_1; c++)
                sum += window[tap][c] * gsim_value_f32(&t->kernel_2, (m * 9 + tap) * CHANNELS_1 + c);
        out[m] = sum > 0 ? sum : 0;
    }
}

static enum gsim_status check_tower(const struct gsim_runner_bench *bench, int index, uint32_t z, const float *found,
                                    struct gsim_error *error)
{
    const struct tower tower = tower_of(bench, index);
    const int64_t side = bench->n / 20, positions = side * side, most = MAX_CHECKED / 2 / CHANNELS_2;
    enum gsim_status status = GSIM_OK;
    for (int64_t s = 0; s < gsim_sample_count(positions, most) && status == GSIM_OK; s++) {
        int64_t position = gsim_sample_at(positions, most, s), at = position * CHANNELS_2 + index * tower_count(bench);
        double expected[CHANNELS_2];
        second_convolution(&tower, position / side, position % side, expected);
        for (int m = 0; m < CHANNELS_2 && status == GSIM_OK; m++)
            status = gsim_bench_compare(bench, z, at + m, found[at + m], expected[m], 1e-5 + 1e-4 * expected[m], error);
    }
    return status;
}

/* RES from the z that was found. */
static enum gsim_status check(struct gsim_runner_bench *bench, void *const *host, struct gsim_error *error)
{
    uint32_t z = gsim_bench_index(bench, "z"), res = gsim_bench_index(bench, "res");
    const struct gsim_values weights = gsim_bench_values(bench, gsim_bench_index(bench, "dense_weights"));
    const float *found_z = (const float *)host[z];
    enum gsim_status status = gsim_bench_finite_f32(bench, z, found_z, error);
    for (int i = 0; i < 2 && status == GSIM_OK; i++) status = check_tower(bench, i, z, found_z, error);
    if (status != GSIM_OK) return status;
    double expected = 0;
    for (int64_t i = 0; i < dot_count(bench); i++) expected += (double)found_z[i] * gsim_value_f32(&weights, i);
    double found = *(const float *)host[res], allowed = 1e-4 * expected;
    return gsim_bench_compare(bench, res, 0, found, expected, allowed, error);
}

GSIM_BENCH(dl, NULL, gsim_bench_is_result, check, INT64_MAX, NULL,
           "both towers' elements within 1e-5 and 1e-4 of each (of more than 60,000 a sample of as many, and all to be "
           "numbers); the dot product within 1e-4 of that of the elements found")
