/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * M1's real kernels. Branches have equal work by the program's definition (workloads/m1.c), so a layer takes only so
 * many of its window's inputs as its share allows: 576 / depth, evenly spread over the window, 64 channels at a time. A
 * window of one pixel is taken several times, with other weights. Images are [pixel][channel], 0 beyond the border.
 */
#include "traces/runner/kernels/tile.h"

#include <stdio.h>
#include <string.h>

#include "gpusim/memory.h"
#include "traces/runner/kernels/common.h"

#define BRANCHES 6
#define CHANNELS 64
#define SHARE    576 /* inputs per output of a whole branch: those of 3 x 3 pixels of 64 channels */
#define LAYERS   14  /* stem, and the branches' */

#define MAX_CHECKED 1000 /* pixels with all channels: about 0.5 s, once */

/* The step'th of STEPS pixels taken from a window: which one, row by row. */
GSIM_HELPER int32_t window_tap(int32_t step, int32_t steps, int32_t height, int32_t width)
{
    return steps > 1 ? step * (height * width - 1) / (steps - 1) : 0;
}

/* What is negative becomes 0. The filter is [input][channel out]. */
struct conv_args {
    const float *from, *filter;
    float *to;
    int32_t side, inputs, height, width;
};

GSIM_HELPER float conv_input(const struct conv_args *a, uint32_t pixel, int32_t k)
{
    const uint32_t side = (uint32_t)a->side;
    const int32_t tap = window_tap(k / CHANNELS, (a->inputs + CHANNELS - 1) / CHANNELS, a->height, a->width);
    const int32_t row = (int32_t)(pixel / side) + tap / a->width - a->height / 2;
    const int32_t column = (int32_t)(pixel % side) + tap % a->width - a->width / 2;
    if (row < 0 || column < 0 || row >= a->side || column >= a->side) return 0;
    return a->from[((int64_t)row * a->side + column) * CHANNELS + k % CHANNELS];
}

#define CONV_LEFT(row, k)              conv_input(&a, (uint32_t)(row), (int32_t)(k))
#define CONV_RIGHT(k, column)          a.filter[(k)*CHANNELS + (column)]
#define CONV_STORE(row, column, value) a.to[(row)*CHANNELS + (column)] = (value) < 0 ? 0 : (value)

GSIM_KERNEL(conv)
{
    GSIM_PRODUCT((int64_t)a.side * a.side, CHANNELS, a.inputs, CONV_LEFT, CONV_RIGHT, false, CONV_STORE)
}

struct concat_args {
    const float *from[BRANCHES];
    float *to;
    int64_t pixels;
};

GSIM_KERNEL(concat)
{
    GSIM_THREADS
    {
        const int64_t count = a.pixels * BRANCHES * CHANNELS;
        for (int64_t i = GSIM_FIRST; i < count; i += GSIM_STRIDE) {
            const int64_t pixel = i / (BRANCHES * CHANNELS);
            const uint32_t channel = (uint32_t)(i % (BRANCHES * CHANNELS));
            a.to[i] = a.from[channel / CHANNELS][pixel * CHANNELS + channel % CHANNELS];
        }
    }
}

/* --- what a layer is, by the program's names -------------------------------------------------------------- */

struct layer {
    int32_t inputs, height, width;
};

static bool has_buffer(const struct gsim_runner_bench *bench, const char *name)
{
    for (uint32_t i = 0; i < bench->program->buffer_count; i++)
        if (strcmp(bench->program->buffers[i].name, name) == 0) return true;
    return false;
}

/* KERNEL: "stem" or the last letters are the window, "3x3". FILTER: "stem_w" or "b4_w1", layer 1 of branch 4. */
static struct layer layer_of(const struct gsim_runner_bench *bench, const char *kernel, const char *filter)
{
    struct layer layer = {SHARE, 3, 3};
    if (strcmp(kernel, "stem") == 0) return layer;
    const char *window = kernel + strlen(kernel) - 3;
    int32_t depth = 0;
    char name[16];
    do snprintf(name, sizeof(name), "b%c_w%d", filter[1], ++depth);
    while (has_buffer(bench, name));
    layer.inputs = SHARE / depth;
    layer.height = window[0] - '0';
    layer.width = window[2] - '0';
    return layer;
}

static void conv_scalars(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    const struct layer layer = layer_of(bench, bench->program->kernels[op->kernel_index].name,
                                        bench->program->buffers[op->args[1].buffer_index].name);
    int32_t *scalars = (int32_t *)at;
    scalars[0] = (int32_t)bench->n;
    scalars[1] = layer.inputs;
    scalars[2] = layer.height;
    scalars[3] = layer.width;
}

static void concat_scalars(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    (void)op;
    *(int64_t *)at = bench->n * bench->n;
}

/* Weights with which a layer's outputs are mostly positive and about as large as its inputs. */
static const struct gsim_bench_buffer buffers[] = {
    {"x", GSIM_CONTENT_F32, 0.0f, 1.0f, false},
    {"*_w*", GSIM_CONTENT_F32, -0.045f, 0.05f, false},
    {"y", GSIM_CONTENT_POISON, 0, 0, true},
    {NULL, GSIM_CONTENT_POISON, 0, 0, false},
};

static const struct gsim_bench_kernel kernels[] = {
    {"concat", GSIM_CODE(concat), BRANCHES + 1, 0, concat_scalars},
    {"*", GSIM_CODE(conv), 3, 32768, conv_scalars},
    {NULL, NULL, NULL, 0, 0, NULL},
};

/* --- the reference: a pixel's channels, layer by layer from the output back to the input ------------------- */

struct reference_layer {
    int32_t op, from; /* the op that computes it; the layer it reads, or -1: x */
    struct layer layer;
    float weights[SHARE * CHANNELS];
};

struct reference {
    int32_t layer_count;
    int32_t ends[BRANCHES]; /* the last layer of each branch */
    struct gsim_values x;
    struct reference_layer layers[LAYERS];
    double expected[MAX_CHECKED][BRANCHES * CHANNELS];
};

static void pixel_of(const struct reference *r, int32_t layer, int64_t side, int64_t row, int64_t column,
                     double out[CHANNELS])
{
    for (int c = 0; c < CHANNELS; c++) out[c] = 0;
    if (row < 0 || column < 0 || row >= side || column >= side) return;
    if (layer < 0) {
        for (int c = 0; c < CHANNELS; c++) out[c] = gsim_value_f32(&r->x, (row * side + column) * CHANNELS + c);
        return;
    }
    const struct reference_layer *l = &r->layers[layer];
    const int32_t pixels = l->layer.height * l->layer.width, steps = (l->layer.inputs + CHANNELS - 1) / CHANNELS;
    double in[CHANNELS];
    for (int32_t step = 0, last = -1; step < steps; step++) {
        int32_t tap = steps == 1 ? 0 : step * (pixels - 1) / (steps - 1);
        if (tap != last)
            pixel_of(r, l->from, side, row + tap / l->layer.width - l->layer.height / 2,
                     column + tap % l->layer.width - l->layer.width / 2, in);
        last = tap;
        for (int32_t k = step * CHANNELS; k < (step + 1) * CHANNELS && k < l->layer.inputs; k++)
            for (int c = 0; c < CHANNELS; c++) out[c] += in[k % CHANNELS] * l->weights[k * CHANNELS + c];
    }
    for (int c = 0; c < CHANNELS; c++)
        if (out[c] < 0) out[c] = 0;
}

static int32_t layer_that_writes(const struct gsim_runner_bench *bench, const struct reference *r, uint32_t buffer)
{
    for (int32_t i = 0; i < r->layer_count; i++)
        if (bench->program->ops[r->layers[i].op].args[2].buffer_index == buffer) return i;
    return -1;
}

static void read_layers(const struct gsim_runner_bench *bench, struct reference *r)
{
    for (uint32_t i = 0; i < bench->program->op_count; i++) {
        const struct gsim_op *op = &bench->program->ops[i];
        if (op->kind != GSIM_OP_KERNEL) continue;
        if (op->arg_count != 3) {
            for (int b = 0; b < BRANCHES; b++) r->ends[b] = layer_that_writes(bench, r, op->args[b].buffer_index);
            continue;
        }
        GSIM_INVARIANT(r->layer_count < LAYERS);
        struct reference_layer *l = &r->layers[r->layer_count];
        const struct gsim_values weights = gsim_bench_values(bench, op->args[1].buffer_index);
        l->op = (int32_t)i;
        l->from = layer_that_writes(bench, r, op->args[0].buffer_index);
        l->layer = layer_of(bench, bench->program->kernels[op->kernel_index].name,
                            bench->program->buffers[op->args[1].buffer_index].name);
        for (int k = 0; k < SHARE * CHANNELS; k++) l->weights[k] = gsim_value_f32(&weights, k);
        r->layer_count++;
    }
}

static void make_reference(struct gsim_runner_bench *bench)
{
    struct reference *r = (struct reference *)gsim_alloc(sizeof(*r));
    const int64_t pixels = bench->n * bench->n;
    r->x = gsim_bench_values(bench, gsim_bench_index(bench, "x"));
    read_layers(bench, r);
    for (int64_t s = 0; s < gsim_sample_count(pixels, MAX_CHECKED); s++) {
        int64_t pixel = gsim_sample_at(pixels, MAX_CHECKED, s);
        for (int b = 0; b < BRANCHES; b++)
            pixel_of(r, r->ends[b], bench->n, pixel / bench->n, pixel % bench->n, &r->expected[s][b * CHANNELS]);
    }
    bench->reference = r;
}

static enum gsim_status check(struct gsim_runner_bench *bench, void *const *host, struct gsim_error *error)
{
    if (!bench->reference) make_reference(bench);
    const struct reference *r = (const struct reference *)bench->reference;
    const uint32_t y = gsim_bench_index(bench, "y");
    const float *found = (const float *)host[y];
    const int64_t pixels = bench->n * bench->n;
    const double allowed = 1e-4; /* of values about 1: sums of 576 floats, four layers deep */
    enum gsim_status status = gsim_bench_finite_f32(bench, y, found, error);
    for (int64_t s = 0; status == GSIM_OK && s < gsim_sample_count(pixels, MAX_CHECKED); s++) {
        int64_t at = gsim_sample_at(pixels, MAX_CHECKED, s) * BRANCHES * CHANNELS;
        for (int c = 0; c < BRANCHES * CHANNELS && status == GSIM_OK; c++)
            status = gsim_bench_compare(bench, y, at + c, found[at + c], r->expected[s][c], allowed, error);
    }
    return status;
}

GSIM_BENCH(m1, NULL, gsim_bench_is_result, check, UINT16_MAX, "pixels per side",
           "values within 1e-4 (of more than 1,000 pixels a sample of as many, and all to be numbers)")
