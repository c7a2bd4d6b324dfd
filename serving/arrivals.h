/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: serving. When requests arrive and how many tokens they have: a list, a process of random gaps, or a public
 * trace. One request after the other, so that a million of them take no memory.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "gpusim/memory.h"
#include "gpusim/random.h"
#include "gpusim/status.h"

#define GSIM_TOKENS_MAX 1e7 /* of a prompt, an answer, a batch */

/* Tokens of a prompt or an output. */
struct gsim_lengths {
    enum {
        GSIM_LENGTHS_TRACE,
        GSIM_LENGTHS_CONSTANT,
        GSIM_LENGTHS_UNIFORM,
        GSIM_LENGTHS_LOGNORMAL,
        GSIM_LENGTHS_CHOICE
    } kind;
    double a, b;           /* constant; least, most; median, sigma of the logarithm */
    const double *choices; /* each as likely */
    uint32_t choice_count;
};

struct gsim_served_arrival {
    double arrival_us;
    uint32_t prompt, output;
    double first_us, done_us; /* measured, from the arrival: first and last token; 0: not known */
    uint64_t first_block;     /* of its prompt, in the arrivals' */
    uint32_t block_count;     /* 0: not known */
};

struct gsim_arrivals {
    enum { GSIM_ARRIVALS_LIST, GSIM_ARRIVALS_GAMMA } kind;
    double rate_per_s, cv;      /* gamma: of the gaps; cv 1 is a Poisson process */
    struct gsim_served_arrival *list;  /* sorted by time; from a trace or the file itself */
    uint32_t count;             /* requests in all */
    uint32_t left_out;          /* of a file: without a token of output */
    uint64_t *blocks;           /* names of the prompts' blocks (serving/prefix.h); NULL: a trace has none */
    double scale;               /* a list's times are divided by it: 2 is twice the rate */
    struct gsim_lengths prompt, output;
};

#define GSIM_RATE_MIN 1e-9 /* requests per second: one in 32 years */

/* "poisson:RATE", "gamma:RATE,cv=CV" or a file's path: CSV of Azure (2023, 2024) or BurstGPT, or JSON lines of
 * Mooncake, told by its header. The rate is per second. At most COUNT requests; 0: all of a file, 1,000 of a
 * process. */
enum gsim_status gsim_arrivals_parse(const char *text, uint32_t count, struct gsim_arena *arena,
                                     struct gsim_arrivals *arrivals, struct gsim_error *error) GSIM_NODISCARD;

/* RATE > 0 requests per second: of a process, or of a list on average, which must not arrive at once. */
enum gsim_status gsim_arrivals_set_rate(struct gsim_arrivals *arrivals, double rate,
                                        struct gsim_error *error) GSIM_NODISCARD;

struct gsim_arrival_walk {
    const struct gsim_arrivals *arrivals;
    const struct gsim_random *numbers;
    uint32_t next;
    double now_us;
};
/* False behind the last. */
bool gsim_arrivals_next(struct gsim_arrival_walk *walk, struct gsim_served_arrival *arrival);
