/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * B&S's real kernel: the Black-Scholes price of a European call for each spot price of a vector, in double precision.
 * The kernel approximates the normal distribution by a polynomial, the reference takes erfc(). Program: workloads/bs.c.
 */
#include "traces/runner/kernels/kernel.h"

#include "traces/runner/kernels/common.h"

/* Per year: riskless rate, volatility; years to expiry; strike price. */
#define RATE       0.08
#define VOLATILITY 0.3
#define EXPIRY     1.0
#define STRIKE     60.0

#define MAX_CHECKED 100000 /* elements per vector: about 10 ms */

struct bs_args {
    const double *spot;
    double *price;
    int64_t n;
};

/* Normal distribution function. Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), 26.2.17: error
 * below 7.5e-8. */
GSIM_HELPER double cumulative_normal(double x)
{
    const double t = 1.0 / (1.0 + 0.2316419 * fabs(x));
    const double series =
        t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
    const double tail = 0.39894228040143268 * exp(-0.5 * x * x) * series;
    return x < 0 ? tail : 1.0 - tail;
}

GSIM_KERNEL(bs)
{
    GSIM_THREADS
    {
        const double spread = VOLATILITY * sqrt(EXPIRY), discounted = STRIKE * exp(-RATE * EXPIRY);
        for (int64_t i = GSIM_FIRST; i < a.n; i += GSIM_STRIDE) {
            double spot = a.spot[i];
            double d1 = (log(spot / STRIKE) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * EXPIRY) / spread;
            a.price[i] = spot * cumulative_normal(d1) - discounted * cumulative_normal(d1 - spread);
        }
    }
}

static const struct gsim_bench_buffer buffers[] = {
    {"x?", GSIM_CONTENT_F64, 20.0f, 120.0f, false},
    {"y?", GSIM_CONTENT_POISON, 0, 0, true},
    {NULL, GSIM_CONTENT_POISON, 0, 0, false},
};

static const struct gsim_bench_kernel kernels[] = {
    {"bs", GSIM_CODE(bs), 2, 0, gsim_bench_size_scalar},
    {NULL, NULL, NULL, 0, 0, NULL},
};

static double reference(double spot)
{
    double variance = VOLATILITY * VOLATILITY * EXPIRY;
    double forward = spot * exp(RATE * EXPIRY);
    double up = (log(forward / STRIKE) + variance / 2) / sqrt(variance), down = up - sqrt(variance);
    return exp(-RATE * EXPIRY) * (forward * erfc(-up / sqrt(2.0)) - STRIKE * erfc(-down / sqrt(2.0))) / 2;
}

static enum gsim_status check_vector(const struct gsim_runner_bench *bench, uint32_t x, uint32_t y, const void *host,
                                     struct gsim_error *error)
{
    const double *found = (const double *)host;
    const double allowed = 1e-4; /* of prices up to 65: the polynomial's error times the spot price, and some room */
    const struct gsim_values spots = gsim_bench_values(bench, x);
    enum gsim_status status = gsim_bench_finite_f64(bench, y, host, error);
    for (int64_t s = 0; status == GSIM_OK && s < gsim_sample_count(bench->n, MAX_CHECKED); s++) {
        int64_t i = gsim_sample_at(bench->n, MAX_CHECKED, s);
        double expected = reference(gsim_value_f64(&spots, i));
        status = gsim_bench_compare(bench, y, i, found[i], expected, allowed, error);
    }
    return status;
}

static enum gsim_status check(struct gsim_runner_bench *bench, void *const *host, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < bench->program->op_count && status == GSIM_OK; i++) {
        const struct gsim_op *op = &bench->program->ops[i];
        if (op->kind != GSIM_OP_KERNEL) continue;
        uint32_t x = op->args[0].buffer_index, y = op->args[1].buffer_index;
        status = check_vector(bench, x, y, host[y], error);
    }
    return status;
}

GSIM_BENCH(bs, NULL, gsim_bench_is_result, check, INT64_MAX, NULL,
           "prices within 1e-4 of up to 65; of vectors longer than 100,000 a sample of as many, and all to be numbers")
