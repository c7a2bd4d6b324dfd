/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. Stand-ins: real kernels in place of those of program files, which have none. Of each kernel the
 * grid, the block and the shared memory are as the program says, and the work is what it says: FMAs, DRAM traffic, or a
 * walk through shared memory. Where the program says how long the kernel takes alone, the work is scaled until it does.
 */
#pragma once

#include "traces/runner/kernels/bench.h"

GSIM_DECLARATIONS_BEGIN

enum gsim_standin_kind { GSIM_STANDIN_FMA, GSIM_STANDIN_STREAM, GSIM_STANDIN_SMEM, GSIM_STANDIN_KINDS };

#define GSIM_STANDIN_FMA_FLOPS    8  /* of a thread, a round */
#define GSIM_STANDIN_STREAM_BYTES 32 /* read and written, a round */
#define GSIM_STANDIN_MAX_ELEMENTS (1u << 24)
#define GSIM_STANDIN_BUFFERS      4  /* that streams of one task read and write in turn */

/* One kernel of a program. ROUNDS: FMA and SMEM, of each thread; STREAM: elements of the whole grid. */
struct gsim_standin {
    enum gsim_standin_kind kind;
    uint32_t smem_bytes, regs;      /* regs: what the real kernel has, 0 before it was looked at */
    uint32_t buffer;
    uint32_t fmas;                  /* STREAM: of each component of an element */
    uint64_t rounds;
    double wanted_us;               /* alone, as the program says; 0: the rounds say */
    double solo_us;                 /* alone, as measured here; 0: not yet */
};

/* What a kernel does, and when its first block began and its last one ended. */
struct gsim_standin_span {
    unsigned long long start_ns, end_ns;
};
struct gsim_standin_args {
    uint64_t rounds;
    uint32_t fmas, words, mask;
    float *in, *out;
    struct gsim_standin_span *span; /* NULL: not noted */
};

/* choose.c: which stands in for K; GSIM_INPUT where nothing says what K does. */
enum gsim_status gsim_standin_choose(const struct gsim_kernel *k, uint32_t index, struct gsim_standin *standin,
                                     struct gsim_error *error);
/* The rounds that are to take wanted_us, where ROUNDS took US and MIN_US is what none take. */
uint64_t gsim_standin_rescale(uint64_t rounds, double us, double wanted_us, double least_us);
/* When the first of those spans begins that were written; a kernel that was launched later may begin earlier. */
unsigned long long gsim_standin_first(const struct gsim_standin_span *spans, size_t count);
/* Times behind FIRST, in microseconds; false: the span was not written. */
bool gsim_standin_times(const struct gsim_standin_span *span, unsigned long long first, double *start_us,
                        double *end_us);

/* standin.cu */
const void *gsim_standin_function(enum gsim_standin_kind kind);

/* standin.c: LIST has one of each kernel of PROGRAM. Measures each alone on the current device; fills regs, rounds and
 * solo_us. */
enum gsim_status gsim_standin_measure(const struct gsim_program *program, struct gsim_standin *list,
                                      struct gsim_error *error);
/* A bench whose launches are LIST's; takes device memory. */
extern const struct gsim_bench_ops gsim_standin_bench;
enum gsim_status gsim_standin_open(const struct gsim_program *program, const struct gsim_standin *list,
                                   struct gsim_runner_bench **bench, struct gsim_error *error);
/* The next launch notes its span there, on the device; of a bench of stand-ins. */
void gsim_standin_note(struct gsim_runner_bench *bench, struct gsim_standin_span *span);
/* What a pair of timed events around a kernel shows beyond its own time, in microseconds. */
enum gsim_status gsim_standin_event_excess(double *us, struct gsim_error *error);

GSIM_DECLARATIONS_END
