/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HITS's real kernels (program: workloads/hits.c), with every vertex's share of a constant, as in Ng, Zheng, Jordan,
 * "Stable algorithms for link analysis", SIGIR 2001. Without it a wrong norm would cancel in the next step, and steps
 * whose vectors hardly change would hide a kernel that works on the last step's: so products grow from step to step,
 * too.
 */
#include "traces/runner/kernels/kernel.h"

#include <string.h>

#include "gpusim/memory.h"
#include "traces/runner/kernels/common.h"

#define DEGREE       3
/* 32-bit indices, and room for the row counter's last steps. */
#define MAX_VERTICES (INT32_MAX / DEGREE - 1000000)
#define STEPS        5 /* of the grcuda suite */
#define OPS_PER_STEP 10

#define CONSTANT_SHARE 0.2f

/* Threads that share a row in spmv3. */
#define GROUP 4u

/* Sparse matrix times vector. A warp takes as many rows as it has groups from the counter, again and again; a group's
 * lanes add up their row's entries. */
struct spmv3_args {
    int32_t *row_counter;
    const int32_t *ptr, *idx, *val;
    const float *now;
    float *next;
    int64_t n;
    float gain;
};

GSIM_KERNEL(spmv3)
{
    GSIM_SHARED(int32_t, bounds, 512); /* begin and end of each group's row; a warp's first one holds its rows' start */
    GSIM_SHARED_DYNAMIC(float, partial);
    GSIM_WARPS
    {
        const uint32_t width = GSIM_WARP_LANES < GROUP ? 1 : GROUP, groups = GSIM_WARP_LANES / width;
        int32_t *const mine = bounds + GSIM_WARP_INDEX * 2 * (GSIM_WARP / GROUP);
        for (;;) {
            GSIM_LANES
            {
                if (GSIM_THREAD % GSIM_WARP == 0) mine[0] = gsim_atomic_take(a.row_counter, (int32_t)groups);
            }
            GSIM_WARP_BARRIER();
            const int64_t first = mine[0];
            GSIM_WARP_BARRIER();
            if (first >= a.n) break;
            GSIM_LANES
            {
                const uint32_t lane = GSIM_THREAD % GSIM_WARP, group = lane / width;
                if (lane % width == 0 && group < groups && first + group < a.n) {
                    mine[2 * group] = a.ptr[first + group];
                    mine[2 * group + 1] = a.ptr[first + group + 1];
                }
            }
            GSIM_WARP_BARRIER();
            GSIM_LANES
            {
                const uint32_t lane = GSIM_THREAD % GSIM_WARP, group = lane / width;
                float sum = 0;
                if (group < groups && first + group < a.n)
                    for (int32_t e = mine[2 * group] + (int32_t)(lane % width); e < mine[2 * group + 1];
                         e += (int32_t)width)
                        sum += (float)a.val[e] * a.now[a.idx[e]];
                partial[GSIM_THREAD] = sum;
            }
            GSIM_WARP_BARRIER();
            GSIM_LANES
            {
                const uint32_t lane = GSIM_THREAD % GSIM_WARP, group = lane / width;
                if (lane % width == 0 && group < groups && first + group < a.n) {
                    float sum = 0;
                    for (uint32_t i = 0; i < width; i++) sum += partial[GSIM_THREAD + i];
                    a.next[first + group] = a.gain * sum;
                }
            }
            GSIM_WARP_BARRIER();
        }
    }
}

/* A thread's own sum is in double precision; one atomic addition per warp. */
struct sum_args {
    const float *next;
    float *norm;
    int64_t n;
};

GSIM_KERNEL(sum)
{
    GSIM_PRIVATE(float, part, 1);
    GSIM_THREADS
    {
        double own = 0;
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) own += a.next[i];
        GSIM_MINE(part)[0] = (float)own;
    }
    GSIM_WARP_REDUCE(part, gsim_add);
    GSIM_THREADS
    {
        if (GSIM_THREAD % GSIM_WARP == 0) gsim_atomic_add(a.norm, GSIM_MINE(part)[0]);
    }
}

struct divide_args {
    const float *next;
    float *now;
    const float *norm;
    int64_t n;
};

GSIM_KERNEL(divide)
{
    GSIM_THREADS
    {
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE)
            a.now[i] = CONSTANT_SHARE / (float)a.n + (1 - CONSTANT_SHARE) * a.next[i] / *a.norm;
    }
}

struct reset_args {
    float *norm_1, *norm_2;
    int32_t *row_counter_1, *row_counter_2;
};

GSIM_KERNEL(reset)
{
    GSIM_THREADS
    {
        if (GSIM_FIRST == 0) {
            *a.norm_1 = *a.norm_2 = 0;
            *a.row_counter_1 = *a.row_counter_2 = 0;
        }
    }
}

/* Doubles in each step. */
static void spmv3_scalars(const struct gsim_runner_bench *bench, const struct gsim_op *op, void *at)
{
    const uint32_t step = (op->index - bench->first_kernel) / OPS_PER_STEP;
    *(int64_t *)at = bench->n;
    ((float *)at)[2] = (float)(1u << step);
}

static const struct gsim_bench_buffer buffers[] = {
    {"auth1", GSIM_CONTENT_F32, 0.5f, 1.5f, true},
    {"hub1", GSIM_CONTENT_F32, 0.5f, 1.5f, true},
    {"auth2", GSIM_CONTENT_POISON, 0, 0, true},
    {"hub2", GSIM_CONTENT_POISON, 0, 0, true},
    {"*_norm", GSIM_CONTENT_CONSTANT, 0, 0, true},
    {"rowCounter?", GSIM_CONTENT_CONSTANT, 0, 0, true}, /* integers: 0 has the same bits */
    {"ptr*", GSIM_CONTENT_OWN, 0, 0, false},
    {"idx*", GSIM_CONTENT_OWN, 0, 0, false},
    {"val*", GSIM_CONTENT_OWN, 0, 0, false},
    {NULL, GSIM_CONTENT_POISON, 0, 0, false},
};

static const struct gsim_bench_kernel kernels[] = {
    {"spmv3", GSIM_CODE(spmv3), 6, 2048, spmv3_scalars},
    {"sum", GSIM_CODE(sum), 2, 0, gsim_bench_size_scalar},
    {"divide", GSIM_CODE(divide), 3, 0, gsim_bench_size_scalar},
    {"reset", GSIM_CODE(reset), 4, 0, NULL},
    {NULL, NULL, NULL, 0, 0, NULL},
};

/* --- the graph --- */
/*
 * Three edges in and three out of every vertex. Edge k of vertex i leads to (m[k] i + b[k]) mod N with m[k] prime
 * to N, so that the transposed graph is known without sorting, and gathers are as scattered as a random graph's. An
 * edge weighs 1, 2 or 3.
 */

/* Edges k of all vertices: where they lead, and where they come from. All below N. */
struct edges {
    uint64_t factor, shift, inverse;
};

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Of FACTOR modulo N, by the extended Euclidean algorithm; 0 for N = 1. */
static uint64_t inverse_of(uint64_t factor, uint64_t n)
{
    int64_t r0 = (int64_t)n, r1 = (int64_t)factor, t0 = 0, t1 = 1;
    while (r1) {
        int64_t q = r0 / r1, r2 = r0 - q * r1, t2 = t0 - q * t1;
        r0 = r1, r1 = r2, t0 = t1, t1 = t2;
    }
    return (uint64_t)(t0 < 0 ? t0 + (int64_t)n : t0) % n;
}

static struct edges edges_of(const struct gsim_runner_bench *bench, int k)
{
    uint64_t n = (uint64_t)bench->n, factor = gsim_mix(bench->seed, 1000 + (uint64_t)k) % n;
    while (greatest_common_divisor(factor, n) != 1) factor = (factor + 1) % n;
    struct edges edges = {factor, gsim_mix(bench->seed, 2000 + (uint64_t)k) % n, inverse_of(factor, n)};
    return edges;
}

/* N is below 2^31, so products fit. */
static uint64_t target(const struct edges *edges, uint64_t source, uint64_t n)
{
    return (edges->factor * source + edges->shift) % n;
}

static uint64_t source(const struct edges *edges, uint64_t target, uint64_t n)
{
    return edges->inverse * (target + n - edges->shift) % n;
}

static int32_t weight(const struct gsim_runner_bench *bench, int k, uint64_t source)
{
    return 1 + (int32_t)((gsim_mix(bench->seed + 3000 + (uint64_t)k, source) >> 32) * 3 >> 32);
}

/* ptr, idx, val: a row per source; ptr2, idx2, val2: a row per target. */
static void fill(const struct gsim_runner_bench *bench, uint32_t buffer_index, void *host)
{
    const char *name = bench->program->buffers[buffer_index].name;
    const uint64_t n = (uint64_t)bench->n;
    int32_t *out = (int32_t *)host;
    if (strncmp(name, "ptr", 3) == 0) {
        for (uint64_t i = 0; i <= n; i++) out[i] = (int32_t)(i * DEGREE);
        return;
    }
    const bool is_index = strncmp(name, "idx", 3) == 0, is_transposed = name[3] == '2';
    for (int k = 0; k < DEGREE; k++) {
        const struct edges edges = edges_of(bench, k);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t from = is_transposed ? source(&edges, i, n) : i;
            uint64_t other = is_transposed ? from : is_index ? target(&edges, i, n) : 0;
            out[i * DEGREE + (uint64_t)k] = is_index ? (int32_t)other : weight(bench, k, from);
        }
    }
}

/* --- the reference ---------------------------------------------------------------------------------------- */

/* Follows every edge from its source, so it needs no transposed graph: adds to authorities, gathers hubs. */
static void reference_step(const struct gsim_runner_bench *bench, float gain, float *auth, float *hub, float *next_auth,
                           float *next_hub)
{
    const uint64_t n = (uint64_t)bench->n;
    const double share = CONSTANT_SHARE;
    double auth_norm = 0, hub_norm = 0;
    memset(next_auth, 0, sizeof(float) * n);
    memset(next_hub, 0, sizeof(float) * n);
    for (int k = 0; k < DEGREE; k++) {
        const struct edges edges = edges_of(bench, k);
        uint64_t to = edges.shift % n;
        for (uint64_t from = 0; from < n; from++) {
            float w = gain * (float)weight(bench, k, from);
            next_auth[to] += w * hub[from];
            next_hub[from] += w * auth[to];
            to += edges.factor;
            if (to >= n) to -= n;
        }
    }
    for (uint64_t i = 0; i < n; i++) {
        auth_norm += next_auth[i];
        hub_norm += next_hub[i];
    }
    for (uint64_t i = 0; i < n; i++) {
        auth[i] = (float)(share / (double)n + (1 - share) * next_auth[i] / auth_norm);
        hub[i] = (float)(share / (double)n + (1 - share) * next_hub[i] / hub_norm);
    }
}

/* Four vectors, one after another: auth1, hub1, auth2, hub2. */
static void make_reference(struct gsim_runner_bench *bench)
{
    const struct gsim_values auth = gsim_bench_values(bench, gsim_bench_index(bench, "auth1"));
    const struct gsim_values hub = gsim_bench_values(bench, gsim_bench_index(bench, "hub1"));
    float *r = (float *)gsim_alloc(sizeof(*r) * 4 * (size_t)bench->n);
    for (int64_t i = 0; i < bench->n; i++) {
        r[i] = gsim_value_f32(&auth, i);
        r[bench->n + i] = gsim_value_f32(&hub, i);
    }
    for (int step = 0; step < (bench->suite == GSIM_SUITE_GRCUDA ? STEPS : 1); step++)
        reference_step(bench, (float)(1 << step), r, r + bench->n, r + 2 * bench->n, r + 3 * bench->n);
    bench->reference = r;
}

static bool is_scalar(const struct gsim_runner_bench *bench, uint32_t buffer_index)
{
    static const char *const names[] = {"auth_norm", "hub_norm", "rowCounter1", "rowCounter2"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(bench->program->buffers[buffer_index].name, names[i]) == 0) return true;
    return false;
}

/* The grcuda suite's host zeroes norms and counters after the last step, so what a device has left there says
 * nothing. */
static bool is_result(const struct gsim_runner_bench *bench, uint32_t buffer_index)
{
    if (bench->suite == GSIM_SUITE_GRCUDA && is_scalar(bench, buffer_index)) return false;
    return gsim_bench_is_result(bench, buffer_index);
}

static enum gsim_status check_vector(const struct gsim_runner_bench *bench, uint32_t buffer, const float *found,
                                     const float *expected, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (int64_t i = 0; i < bench->n && status == GSIM_OK; i++)
        status = gsim_bench_compare(bench, buffer, i, found[i], expected[i], 1e-4 * (double)expected[i], error);
    return status;
}

static enum gsim_status check(struct gsim_runner_bench *bench, void *const *host, struct gsim_error *error)
{
    static const char *const vectors[] = {"auth1", "hub1", "auth2", "hub2"};
    if (!bench->reference) make_reference(bench);
    enum gsim_status status = GSIM_OK;
    for (int v = 0; v < 4 && status == GSIM_OK; v++) {
        uint32_t buffer = gsim_bench_index(bench, vectors[v]);
        status = check_vector(bench, buffer, (const float *)host[buffer],
                              (const float *)bench->reference + v * bench->n, error);
    }
    for (uint32_t i = 0; i < bench->program->buffer_count && status == GSIM_OK; i++) {
        if (!is_scalar(bench, i) || !is_result(bench, i)) continue;
        int32_t bits; /* integer or float: 0 */
        memcpy(&bits, host[i], sizeof(bits));
        status = gsim_bench_compare(bench, i, 0, bits, 0, 0, error);
    }
    return status;
}

GSIM_BENCH(hits, fill, is_result, check, MAX_VERTICES, "vertices (32-bit indices)",
           "every element of both vectors before and after normalisation within 1e-4 of it; scalars reset to 0")
