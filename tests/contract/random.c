/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random programs, through files, as a user's programs come. */
#include <gsl/gsl_rng.h>
#include <unistd.h>

#include "gpusim/program.h"
#include "tests/contract/contract.h"
#include "tests/test.h"

enum { BUFFERS = 8, KERNELS = 10, STREAMS = 5, APART = 6 };

static uint32_t pick(gsl_rng *rng, uint32_t count) { return (uint32_t)gsl_rng_uniform_int(rng, count); }

/* Up to three pipes, each less than full. */
static void write_pipes(gsl_rng *rng, FILE *out)
{
    static const char *const names[] = {"issue", "fma", "tensor", "lsu", "l1", "l2", "dram"};
    const uint32_t first = pick(rng, 7), count = 1 + pick(rng, 3);
    fprintf(out, ", \"pipes\": {");
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s\"%s\": %.2f", i ? ", " : "", names[(first + 2 * i) % 7], 0.95 * gsl_rng_uniform(rng));
    fprintf(out, "}");
}

static void write_kernels(gsl_rng *rng, FILE *out, bool has_pipes)
{
    fprintf(out, " \"kernels\": [");
    for (uint32_t i = 0; i < KERNELS; i++) {
        fprintf(out, "%s\n  {\"name\": \"k%" PRIu32 "\", \"regs_per_thread\": %" PRIu32 ", \"smem_bytes\": %" PRIu32,
                i ? "," : "", i, 16 + 8 * pick(rng, 13), 1024 * pick(rng, 25));
        if (pick(rng, 2)) fprintf(out, ", \"dram_bytes\": %" PRIu32, 1000 + pick(rng, 1000000));
        if (pick(rng, 3) == 0) fprintf(out, ", \"flops\": %" PRIu32, pick(rng, 4) * (1 + pick(rng, 100000000)));
        if (has_pipes && pick(rng, 2)) write_pipes(rng, out);
        fprintf(out, ", \"solo_us\": %.3f}", 5.0 + 200.0 * gsl_rng_uniform(rng));
    }
    fprintf(out, "],\n");
}

static void write_kernel_op(gsl_rng *rng, FILE *out, uint32_t index, uint32_t gpus)
{
    uint32_t read = pick(rng, BUFFERS), written = pick(rng, BUFFERS);
    fprintf(out,
            "{\"op\": \"kernel\", \"kernel\": \"k%" PRIu32 "\", \"grid\": [%" PRIu32 ",1,1], \"block\": [%" PRIu32
            ",1,1]",
            pick(rng, KERNELS), 1 + pick(rng, 300), 32 * (1 + pick(rng, 8)));
    if (read != written) fprintf(out, ", \"reads\": [\"b%" PRIu32 "\"]", read);
    fprintf(out, ", \"writes\": [\"b%" PRIu32 "\"], \"stream\": %" PRIu32, written, pick(rng, STREAMS));
    if (index && pick(rng, 3)) fprintf(out, ", \"after\": [%" PRIu32 "]", pick(rng, index));
    if (gpus > 1) fprintf(out, ", \"device\": %" PRIu32, pick(rng, gpus));
    if (pick(rng, 8) == 0) fprintf(out, ", \"priority\": -%" PRIu32, 1 + pick(rng, 2));
    fprintf(out, "}");
}

/* Of all ranks, so not drawn from what is a rank's own. */
static void write_collective(FILE *out, unsigned long number)
{
    static const char *const kinds[] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all"};
    fprintf(out, "{\"op\": \"collective\", \"kind\": \"%s\", \"bytes\": %lu, \"stream\": %lu, \"after\": []}",
            kinds[number * 7 % 5], 65536ul << number % 9, number % STREAMS);
}

/* A program file of OPS ops; mostly kernels. */
static void write_program(gsl_rng *rng, FILE *out, uint32_t ops, const struct contract_shape *shape)
{
    static const char *const inits[] = {"host", "device", "none"};
    fprintf(out, "{\"schema\": \"gpusim-program/1\", \"name\": \"random\",\n \"buffers\": [");
    for (uint32_t i = 0; i < BUFFERS; i++)
        fprintf(out, "%s\n  {\"name\": \"b%" PRIu32 "\", \"bytes\": %" PRIu32 ", \"init\": \"%s\"}", i ? "," : "", i,
                4096 * (1 + pick(rng, 500)), inits[pick(rng, 3)]);
    fprintf(out, "],\n");
    write_kernels(rng, out, shape->has_pipes);
    fprintf(out, " \"ops\": [");
    for (uint32_t i = 0; i < ops; i++) {
        uint32_t kind = pick(rng, 12), buffer = pick(rng, BUFFERS);
        fprintf(out, "%s\n  ", i ? "," : "");
        if (shape->has_collectives && i % APART == APART - 1)
            write_collective(out, shape->seed + i);
        else if (kind == 0)
            fprintf(out,
                    "{\"op\": \"copy\", \"kind\": \"%s\", \"buffer\": \"b%" PRIu32
                    "\", \"bytes\": 4096, \"stream\": %" PRIu32 "}",
                    pick(rng, 2) ? "d2h" : "h2d", buffer, pick(rng, STREAMS));
        else if (kind == 1)
            fprintf(out, "{\"op\": \"host_read\", \"buffer\": \"b%" PRIu32 "\", \"bytes\": 4}", buffer);
        else if (kind == 2)
            fprintf(out, "{\"op\": \"host_compute\", \"us\": %.2f}", 20 * gsl_rng_uniform(rng));
        else
            write_kernel_op(rng, out, i, shape->gpus);
    }
    fprintf(out, "],\n \"iterations\": 1}\n");
}

bool contract_draw(const struct contract_shape *shape, struct gsim_program *program)
{
    struct gsim_error error = {0};
    char path[] = "/tmp/gpusim-test-XXXXXX";
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, shape->seed + 1000003 * shape->rank);
    int file = mkstemp(path);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    CHECK_MSG(out, "cannot write '%s'", path);
    if (out) {
        write_program(rng, out, shape->has_collectives ? 12 + shape->seed % 40 : 15 + pick(rng, 40), shape);
        fclose(out);
        CHECK_OK(gsim_program_read(path, program, &error), error);
        unlink(path);
    }
    gsl_rng_free(rng);
    return out && error.status == GSIM_OK;
}
