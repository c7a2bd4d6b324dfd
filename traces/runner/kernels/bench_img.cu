/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IMG's real kernels: sharpening by blurs, edge masks and their combination. The image and the filters are random, so
 * that every pixel and every weight counts; beyond its border an image is 0. Program: workloads/img.c.
 */
#include "traces/runner/kernels/kernel.h"

#include "gpusim/memory.h"
#include "traces/runner/kernels/common.h"

#define AMOUNT       0.5f  /* of unsharpen */
#define CONTRAST     5.0f  /* of extend */
#define MAX_CHECKED 50000 /* pixels: about 0.1 s */

/* To [0, 1]; what is no number stays none. */
GSIM_HELPER float clamp01(float x)
{
    if (x < 0) return 0;
    return x > 1 ? 1 : x;
}

/* Neighbouring threads work on neighbouring rows, as the program's costs assume. The filter is copied to shared
 * memory. */
struct gaussian_blur_args {
    const float *image;
    float *blurred;
    const float *filter;
    int64_t side;
    int32_t diameter;
};

GSIM_KERNEL(gaussian_blur)
{
    GSIM_SHARED_DYNAMIC(float, filter);
    GSIM_THREADS
    {
        const uint32_t count = (uint32_t)(a.diameter * a.diameter);
        for (uint32_t t = GSIM_THREAD; t < count; t += gsim_block_threads()) filter[t] = a.filter[t];
    }
    GSIM_BARRIER();
    GSIM_THREADS
    {
        const int32_t radius = a.diameter / 2;
        for (int64_t i = GSIM_FIRST_IN(x, X); i < a.side; i += GSIM_STRIDE_IN(x))
            for (int64_t j = GSIM_FIRST_IN(y, Y); j < a.side; j += GSIM_STRIDE_IN(y)) {
                float sum = 0;
                for (int32_t y = -radius; y <= radius; y++)
                    for (int32_t x = -radius; x <= radius; x++) {
                        const int64_t row = i + y, column = j + x;
                        if (row < 0 || column < 0 || row >= a.side || column >= a.side) continue;
                        sum += filter[(y + radius) * a.diameter + x + radius] * a.image[row * a.side + column];
                    }
                a.blurred[i * a.side + j] = sum;
            }
    }
}

/* The gradient's magnitude. */
struct sobel_args {
    const float *image;
    float *mask;
    int64_t side;
};

GSIM_KERNEL(sobel)
{
    GSIM_SHARED(int32_t, across, 9);
    GSIM_SHARED(int32_t, down, 9);
    GSIM_THREADS
    {
        for (uint32_t t = GSIM_THREAD; t < 9; t += gsim_block_threads()) {
            const int32_t y = (int32_t)(t / 3) - 1, x = (int32_t)(t % 3) - 1;
            across[t] = x * (y == 0 ? 2 : 1);
            down[t] = y * (x == 0 ? 2 : 1);
        }
    }
    GSIM_BARRIER();
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST_IN(x, X); i < a.side; i += GSIM_STRIDE_IN(x))
            for (int64_t j = GSIM_FIRST_IN(y, Y); j < a.side; j += GSIM_STRIDE_IN(y)) {
                float gx = 0, gy = 0;
                for (int32_t y = -1; y <= 1; y++)
                    for (int32_t x = -1; x <= 1; x++) {
                        const int64_t row = i + y, column = j + x;
                        if (row < 0 || column < 0 || row >= a.side || column >= a.side) continue;
                        const float pixel = a.image[row * a.side + column];
                        gx += (float)across[3 * y + x + 4] * pixel;
                        gy += (float)down[3 * y + x + 4] * pixel;
                    }
                a.mask[i * a.side + j] = sqrtf(gx * gx + gy * gy);
            }
    }
}

struct maximum_args {
    const float *mask;
    float *maximum;
    int64_t n;
};

GSIM_KERNEL(maximum)
{
    GSIM_PRIVATE(float, most, 1);
    GSIM_THREADS
    {
        float own = 0;
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) own = gsim_larger(own, a.mask[i]);
        GSIM_MINE(most)[0] = own;
    }
    GSIM_WARP_REDUCE(most, gsim_larger);
    GSIM_THREADS
    {
        if (GSIM_THREAD % GSIM_WARP == 0) gsim_atomic_max(a.maximum, GSIM_MINE(most)[0]);
    }
}

struct minimum_args {
    const float *mask;
    float *minimum;
    int64_t n;
};

GSIM_KERNEL(minimum)
{
    GSIM_PRIVATE(float, least, 1);
    GSIM_THREADS
    {
        float own = INFINITY;
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) own = gsim_smaller(own, a.mask[i]);
        GSIM_MINE(least)[0] = own;
    }
    GSIM_WARP_REDUCE(least, gsim_smaller);
    GSIM_THREADS
    {
        if (GSIM_THREAD % GSIM_WARP == 0) gsim_atomic_min(a.minimum, GSIM_MINE(least)[0]);
    }
}

struct extend_args {
    float *mask;
    const float *minimum, *maximum;
    int64_t n;
};

GSIM_KERNEL(extend)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE)
            a.mask[i] = clamp01(CONTRAST * (a.mask[i] - *a.minimum) / (*a.maximum - *a.minimum));
    }
}

struct unsharpen_args {
    const float *image, *blurred;
    float *sharp;
    int64_t n;
};

GSIM_KERNEL(unsharpen)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE)
            a.sharp[i] = clamp01(a.image[i] * (1 + AMOUNT) - a.blurred[i] * AMOUNT);
    }
}

struct combine_args {
    const float *inside, *outside, *mask;
    float *image;
    int64_t n;
};

GSIM_KERNEL(combine)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE)
            a.image[i] = a.inside[i] * a.mask[i] + a.outside[i] * (1 - a.mask[i]);
    }
}

struct reset_args {
    float *image;
    int64_t n;
};

GSIM_KERNEL(reset)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) a.image[i] = 0;
    }
}

static void side(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    (void)op;
    *(int64_t *)at = bench->n;
}

static void side_and_diameter(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    int64_t *scalars = (int64_t *)at;
    scalars[0] = bench->n;
    *(int32_t *)&scalars[1] = gsim_bench_count(bench, op->args[2].buffer_index, sizeof(float)) == 9 ? 3 : 5;
}

static void pixels(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    (void)op;
    *(int64_t *)at = bench->n * bench->n;
}

static void nothing(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    (void)bench;
    (void)op;
    *(int64_t *)at = 0;
}

/* Sums of a filter's weights are about 1. The minimum starts above all masks: masks are not negative. */
static const struct gsim_bench_buffer buffers[] = {
    {"image", GSIM_CONTENT_F32, 0.0f, 1.0f, false},
    {"image3", GSIM_CONTENT_CONSTANT, 0.0f, 0.0f, true},
    {"kernel_large", GSIM_CONTENT_F32, 0.02f, 0.06f, false},
    {"kernel_*", GSIM_CONTENT_F32, 0.06f, 0.16f, false},
    {"maximum", GSIM_CONTENT_CONSTANT, 0.0f, 0.0f, true},
    {"minimum", GSIM_CONTENT_CONSTANT, 1e30f, 1e30f, true},
    {NULL, GSIM_CONTENT_POISON, 0, 0, false},
};

static const struct gsim_bench_kernel kernels[] = {
    {"gaussian_blur", GSIM_CODE(gaussian_blur), 3, 0, side_and_diameter},
    {"sobel", GSIM_CODE(sobel), 2, 80, side},
    {"maximum", GSIM_CODE(maximum), 2, 0, pixels},
    {"minimum", GSIM_CODE(minimum), 2, 0, pixels},
    {"extend", GSIM_CODE(extend), 3, 0, pixels},
    {"unsharpen", GSIM_CODE(unsharpen), 3, 0, pixels},
    {"combine", GSIM_CODE(combine), 4, 0, pixels},
    {"reset*", GSIM_CODE(reset), 1, 0, nothing},
    {NULL, NULL, NULL, 0, 0, NULL},
};

/* --- the reference: any pixel of any stage, from the image's generator ------------------------------------ */

struct reference {
    int64_t side;
    struct gsim_values image;
    double small[9], large[25], unsharp[9]; /* filters */
    double maximum, minimum;                /* of the mask of the large blur */
};

static double image_at(const struct reference *r, int64_t row, int64_t column)
{
    if (row < 0 || column < 0 || row >= r->side || column >= r->side) return 0;
    return gsim_value_f32(&r->image, row * r->side + column);
}

static double blurred_at(const struct reference *r, const double *filter, int diameter, int64_t row, int64_t column)
{
    double sum = 0;
    if (row < 0 || column < 0 || row >= r->side || column >= r->side) return 0;
    for (int tap = 0; tap < diameter * diameter; tap++)
        sum += filter[tap] * image_at(r, row + tap / diameter - diameter / 2, column + tap % diameter - diameter / 2);
    return sum;
}

/* From a neighbourhood of 3 x 3. */
static double gradient(const double p[9])
{
    return hypot(p[2] + 2 * p[5] + p[8] - p[0] - 2 * p[3] - p[6], p[6] + 2 * p[7] + p[8] - p[0] - 2 * p[1] - p[2]);
}

static double mask_at(const struct reference *r, const double *filter, int diameter, int64_t row, int64_t column)
{
    double p[9];
    for (int i = 0; i < 9; i++) p[i] = blurred_at(r, filter, diameter, row + i / 3 - 1, column + i % 3 - 1);
    return gradient(p);
}

static double limited(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static double expect_pixel(const struct reference *r, int64_t row, int64_t column)
{
    double sharp = image_at(r, row, column) * (1 + (double)AMOUNT) - blurred_at(r, r->unsharp, 3, row, column) * AMOUNT;
    double mask = (mask_at(r, r->large, 5, row, column) - r->minimum) / (r->maximum - r->minimum) * CONTRAST;
    double outer = limited(mask), inner = mask_at(r, r->small, 3, row, column);
    double image2 = limited(sharp) * outer + blurred_at(r, r->large, 5, row, column) * (1 - outer);
    return image2 * inner + blurred_at(r, r->small, 3, row, column) * (1 - inner);
}

/* Rows of the image and of its large blur, each a ring; a column of zeros before and two behind. */
#define IMAGE_ROWS 5
#define BLUR_ROWS  3
#define MARGIN     2

static float *ring(float *rows, int count, int64_t row, int64_t side)
{
    return rows + (row + count) % count * (side + 2 * MARGIN);
}

static void blur_row(const struct reference *r, float *image, float *blurred, int64_t row)
{
    float *to = ring(blurred, BLUR_ROWS, row, r->side) + MARGIN;
    float *fresh = ring(image, IMAGE_ROWS, row + 2, r->side) + MARGIN;
    for (int64_t j = 0; j < r->side; j++) {
        to[j] = 0;
        fresh[j] = row + 2 < r->side ? gsim_value_f32(&r->image, (row + 2) * r->side + j) : 0;
    }
    if (row < 0 || row >= r->side) return;
    for (int tap = 0; tap < 25; tap++) {
        const float *from = ring(image, IMAGE_ROWS, row + tap / 5 - 2, r->side) + MARGIN + tap % 5 - 2;
        const float weight = (float)r->large[tap];
        for (int64_t j = 0; j < r->side; j++) to[j] += weight * from[j];
    }
}

/* The mask of the large blur needs one pass over the image. */
static void find_extremes(struct reference *r, float *image, float *blurred)
{
    double least = INFINITY, most = 0; /* of squares */
    for (int64_t row = -2; row <= r->side; row++) {
        blur_row(r, image, blurred, row);
        if (row < 1) continue;
        const float *up = ring(blurred, BLUR_ROWS, row - 2, r->side) + MARGIN;
        const float *at = ring(blurred, BLUR_ROWS, row - 1, r->side) + MARGIN;
        const float *down = ring(blurred, BLUR_ROWS, row, r->side) + MARGIN;
        for (int64_t j = 0; j < r->side; j++) {
            double gx = (up[j + 1] - up[j - 1]) + 2.0 * (at[j + 1] - at[j - 1]) + (down[j + 1] - down[j - 1]);
            double gy = (down[j - 1] - up[j - 1]) + 2.0 * (down[j] - up[j]) + (down[j + 1] - up[j + 1]);
            double square = gx * gx + gy * gy;
            if (square < least) least = square;
            if (square > most) most = square;
        }
    }
    r->maximum = sqrt(most);
    r->minimum = sqrt(least);
}

static void make_reference(struct gsim_runner_bench *bench)
{
    const struct gsim_values small = gsim_bench_values(bench, gsim_bench_index(bench, "kernel_small"));
    const struct gsim_values large = gsim_bench_values(bench, gsim_bench_index(bench, "kernel_large"));
    const struct gsim_values unsharp = gsim_bench_values(bench, gsim_bench_index(bench, "kernel_unsharpen"));
    const size_t row = (size_t)bench->n + 2 * MARGIN;
    struct reference *r = (struct reference *)gsim_alloc(sizeof(*r));
    float *rows = (float *)gsim_alloc(sizeof(*rows) * row * (IMAGE_ROWS + BLUR_ROWS));
    r->side = bench->n;
    r->image = gsim_bench_values(bench, gsim_bench_index(bench, "image"));
    for (int i = 0; i < 9; i++) r->small[i] = gsim_value_f32(&small, i);
    for (int i = 0; i < 25; i++) r->large[i] = gsim_value_f32(&large, i);
    for (int i = 0; i < 9; i++) r->unsharp[i] = gsim_value_f32(&unsharp, i);
    find_extremes(r, rows, rows + row * IMAGE_ROWS);
    gsim_free(rows);
    bench->reference = r;
}

static enum gsim_status check_scalar(const struct gsim_runner_bench *bench, const char *name, double expected,
                                     void *const *host, struct gsim_error *error)
{
    uint32_t buffer = gsim_bench_index(bench, name);
    const double allowed = 1e-5, found = *(const float *)host[buffer];
    return gsim_bench_compare(bench, buffer, 0, found, expected, allowed, error);
}

static enum gsim_status check(struct gsim_runner_bench *bench, void *const *host, struct gsim_error *error)
{
    if (!bench->reference) make_reference(bench);
    const struct reference *r = (const struct reference *)bench->reference;
    enum gsim_status status = check_scalar(bench, "maximum", r->maximum, host, error);
    if (status == GSIM_OK) status = check_scalar(bench, "minimum", r->minimum, host, error);
    uint32_t image3 = gsim_bench_index(bench, "image3");
    const float *found = (const float *)host[image3];
    if (status == GSIM_OK) status = gsim_bench_finite_f32(bench, image3, found, error);
    const int64_t count = r->side * r->side;
    const double allowed = 5e-5; /* extend multiplies the rounding of a gradient by about 10 */
    for (int64_t s = 0; status == GSIM_OK && s < gsim_sample_count(count, MAX_CHECKED); s++) {
        int64_t i = gsim_sample_at(count, MAX_CHECKED, s);
        double expected = expect_pixel(r, i / r->side, i % r->side);
        status = gsim_bench_compare(bench, image3, i, found[i], expected, allowed, error);
    }
    return status;
}

GSIM_BENCH(img, NULL, gsim_bench_is_result, check, INT64_MAX, NULL,
           "pixels within 5e-5 (of more than 50,000 a sample of as many, and all to be numbers); the mask's extremes "
           "within 1e-5, from all pixels")
