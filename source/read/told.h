/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source. What a run of the program (source/run/told.c) tells the reader: the values of expressions of the host
 * code, the memory that was allocated, and which of it each launch read and wrote.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/status.h"

struct gsim_cuda_options;

/* An expression, by its place in the file. */
struct gsim_cuda_probe {
    uint32_t from, to;
    bool is_range; /* of a "for": its value is how many there are */
};

/* What a fact is about, where it is no probe. LINE is the call's; of READ and WRITE it is N[0] of the launch. */
enum {
    GSIM_FACT_WRITE = 0xfffffffc, /* N[0]: an address in the allocation */
    GSIM_FACT_READ = 0xfffffffd,
    GSIM_FACT_LAUNCH = 0xfffffffe,    /* N[0]: its number */
    GSIM_FACT_ALLOCATION = 0xffffffff /* N[0]: its address, N[1]: bytes */
};
struct gsim_cuda_fact {
    uint32_t what, line; /* WHAT: a probe's index; then LINE is 0 */
    uint32_t number;     /* in the order of the run */
    uint32_t taken;      /* of the first of one what and line: how many are */
    double n[3]; /* a number or an address; of a dim3 all three */
};

struct gsim_cuda_told {
    struct gsim_cuda_probe *probes;
    size_t probe_count, probe_room;
    struct gsim_cuda_fact *facts; /* by what, line and number; NULL: they are not there yet */
    size_t fact_count;
    int word_count; /* of main: argc */
    bool failed;    /* memory was out */
};

/* Fills the probes. */
enum gsim_status gsim_cuda_probes(const char *path, const struct gsim_cuda_options *options,
                                  struct gsim_cuda_told *told, struct gsim_error *error) GSIM_NODISCARD;
void gsim_cuda_told_release(struct gsim_cuda_told *told); /* accepts zeroed */
