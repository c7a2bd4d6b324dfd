/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (runner, inside bench_m1.cu and bench_m2.cu only). A matrix product by blocks of any size: tiles of
 * 64 x 64 results, 64 factors at a time in 32 KiB of shared memory, 4 x 4 results per thread in registers.
 */
#pragma once

#include "traces/runner/kernels/kernel.h"

#define GSIM_TILE   64
#define GSIM_MICRO  4 /* side of what one thread computes */
#define GSIM_MICROS ((GSIM_TILE / GSIM_MICRO) * (GSIM_TILE / GSIM_MICRO))

struct gsim_quad {
    float v[GSIM_MICRO];
} __attribute__((aligned(16)));

/* Where column C of row K of the right factor stands: quads of a row change places, so that neither rows nor columns
 * can be written with more than four threads on one bank. */
GSIM_HELPER uint32_t gsim_tile_right(uint32_t k, uint32_t c)
{
    return k * GSIM_TILE + (c ^ (k / GSIM_MICRO % 16 * GSIM_MICRO));
}

/* Adds the product of both factors' 64 values to the 4 x 4 results of MICRO. LEFT is [row][k]. */
GSIM_HELPER void gsim_tile_accumulate(const float *left, const float *right, uint32_t micro, float *results)
{
    const uint32_t row = micro / (GSIM_TILE / GSIM_MICRO) * GSIM_MICRO;
    const uint32_t column = micro % (GSIM_TILE / GSIM_MICRO) * GSIM_MICRO;
    for (uint32_t k = 0; k < GSIM_TILE; k += GSIM_MICRO) {
        struct gsim_quad l[GSIM_MICRO], r[GSIM_MICRO];
        for (uint32_t i = 0; i < GSIM_MICRO; i++) {
            l[i] = *(const struct gsim_quad *)&left[(row + i) * GSIM_TILE + k];
            r[i] = *(const struct gsim_quad *)&right[gsim_tile_right(k + i, column)];
        }
        for (uint32_t i = 0; i < GSIM_MICRO; i++)
            for (uint32_t j = 0; j < GSIM_MICRO; j++)
                for (uint32_t f = 0; f < GSIM_MICRO; f++) results[i * GSIM_MICRO + j] += l[i].v[f] * r[f].v[j];
    }
}

/* The body of a kernel that multiplies [ROWS x DEPTH] by [DEPTH x COLUMNS]. LEFT(row, k) and RIGHT(k, column) read an
 * element, STORE(row, column, value) writes one. RIGHT_BY_COLUMN: neighbours of the right factor in memory are
 * in one column. Blocks of fewer than 256 threads take several rounds per tile. */
#define GSIM_PRODUCT(ROWS, COLUMNS, DEPTH, LEFT, RIGHT, RIGHT_BY_COLUMN, STORE)                                        \
    GSIM_SHARED(struct gsim_quad, left_, GSIM_TILE *GSIM_TILE / GSIM_MICRO);                                           \
    GSIM_SHARED(struct gsim_quad, right_, GSIM_TILE *GSIM_TILE / GSIM_MICRO);                                          \
    GSIM_PRIVATE(float, results_, GSIM_MICRO *GSIM_MICRO);                                                             \
    float *const left = left_[0].v, *const right = right_[0].v;                                                        \
    const int64_t rows = (ROWS), columns = (COLUMNS), depth = (DEPTH);                                                 \
    const int64_t tiles_across = (columns + GSIM_TILE - 1) / GSIM_TILE;                                                \
    const int64_t tiles = (rows + GSIM_TILE - 1) / GSIM_TILE * tiles_across;                                           \
    for (int64_t tile = GSIM_BLOCK_X; tile < tiles; tile += GSIM_GRID_DIM(x)) {                                        \
        const int64_t row_0 = tile / tiles_across * GSIM_TILE, column_0 = tile % tiles_across * GSIM_TILE;             \
        for (uint32_t round = 0; round < GSIM_MICROS; round += gsim_block_threads()) {                                 \
            GSIM_THREADS                                                                                               \
            {                                                                                                          \
                for (int i = 0; i < GSIM_MICRO * GSIM_MICRO; i++) GSIM_MINE(results_)[i] = 0;                          \
            }                                                                                                          \
            for (int64_t k_0 = 0; k_0 < depth; k_0 += GSIM_TILE) {                                                     \
                GSIM_BARRIER();                                                                                        \
                GSIM_THREADS                                                                                           \
                {                                                                                                      \
                    for (uint32_t e = GSIM_THREAD; e < GSIM_TILE * GSIM_TILE; e += gsim_block_threads()) {             \
                        const uint32_t major = e / GSIM_TILE, minor = e % GSIM_TILE;                                   \
                        const int64_t row = row_0 + major, k = k_0 + minor;                                            \
                        left[e] = row < rows && k < depth ? LEFT(row, k) : 0;                                          \
                        const uint32_t k_right = (RIGHT_BY_COLUMN) ? minor : major;                                    \
                        const uint32_t c_right = (RIGHT_BY_COLUMN) ? major : minor;                                    \
                        right[gsim_tile_right(k_right, c_right)] =                                                     \
                            k_0 + k_right < depth && column_0 + c_right < columns                                      \
                                ? RIGHT((k_0 + k_right), (column_0 + c_right))                                         \
                                : 0;                                                                                   \
                    }                                                                                                  \
                }                                                                                                      \
                GSIM_BARRIER();                                                                                        \
                GSIM_THREADS                                                                                           \
                {                                                                                                      \
                    if (round + GSIM_THREAD < GSIM_MICROS)                                                             \
                        gsim_tile_accumulate(left, right, round + GSIM_THREAD, GSIM_MINE(results_));                   \
                }                                                                                                      \
            }                                                                                                          \
            GSIM_THREADS                                                                                               \
            {                                                                                                          \
                const uint32_t micro = round + GSIM_THREAD;                                                            \
                for (uint32_t i = 0; i < GSIM_MICRO * GSIM_MICRO && micro < GSIM_MICROS; i++) {                        \
                    const int64_t row = row_0 + micro / (GSIM_TILE / GSIM_MICRO) * GSIM_MICRO + i / GSIM_MICRO;        \
                    const int64_t column = column_0 + micro % (GSIM_TILE / GSIM_MICRO) * GSIM_MICRO + i % GSIM_MICRO;  \
                    if (row < rows && column < columns) STORE(row, column, GSIM_MINE(results_)[i]);                    \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
