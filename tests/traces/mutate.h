/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: tests. Broken files from good ones: every third is cut anywhere, in the others up to four bits are flipped.
 */
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
    return (uint32_t)(*state >> 33);
}

/* Into COPY, of LENGTH bytes like BYTES; returns how many of them are left. */
static inline size_t mutate(char *copy, const char *bytes, size_t length, uint32_t round, uint64_t *state)
{
    size_t kept = round % 3 == 0 ? next_random(state) % (length + 1) : length;
    memcpy(copy, bytes, length);
    for (uint32_t flip = round % 3 ? 1 + next_random(state) % 4 : 0; flip > 0; flip--)
        copy[next_random(state) % length] ^= (char)(1u << next_random(state) % 8);
    return kept;
}
