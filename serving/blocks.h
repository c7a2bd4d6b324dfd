/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: serving. A cache of keys and values in blocks: who holds how many, and which blocks that were given back still
 * have what a request that was preempted has computed. The block that was given back first is taken first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSIM_BLOCKS_NOBODY UINT64_MAX

struct gsim_cache_blocks {
    double size;      /* tokens of a block */
    double all;       /* blocks; 0: no limit */
    double used, most, since_us, time; /* held now, at most; TIME: blocks by microseconds */
    struct gsim_cache_free {
        uint64_t owner; /* whose they were; NOBODY: nobody who comes back */
        double count;
    } *free;
    size_t first, end, room; /* of the queue */
};

void gsim_blocks_init(struct gsim_cache_blocks *blocks, double tokens, double size); /* TOKENS 0: no limit */
void gsim_blocks_release(struct gsim_cache_blocks *blocks);
/* Whether who holds HELD blocks can have those of TOKENS. */
bool gsim_blocks_fit(const struct gsim_cache_blocks *blocks, double held, double tokens);
/* HELD becomes the blocks of TOKENS. Those that are given back are OWNER's still, of COMPUTED tokens. False: out of
 * memory. */
bool gsim_blocks_hold(struct gsim_cache_blocks *blocks, double now_us, double *held, double tokens, uint64_t owner,
                      double computed);
/* OWNER holds what is left of its blocks again. Returns the tokens that they have. */
double gsim_blocks_back(struct gsim_cache_blocks *blocks, double now_us, double *held, uint64_t owner);
