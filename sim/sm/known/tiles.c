/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Persistent kernels whose blocks take tiles from a queue (tile_order "dynamic"). A launch has TILES tiles. Its blocks
 * own the first 2 x blocks of them, one each and then another one each, who starts first before the others; the rest
 * is the queue. Blocks that find room at once share all tiles but those of the LATE ones, which run their own when they
 * find room, and share what the queue still has. A block for which there is no tile ends.
 *
 *   tiles of a block that starts first = (tiles - late - seconds) / (blocks - late), in whole tiles: some have one more
 *   seconds = tiles - blocks - (blocks - late), from none to one for each late block
 *
 * Blocks that start first have the launch's start in their time, late ones do not (first_wave_us). So do clusters of
 * kernels without a queue, which have a tile each.
 *
 * Alone all blocks find room, the last of them for ceil(tiles / blocks) rounds, the kernel's time. Tiles that are not
 * known are taken to be many: the work is shared evenly. GEMMs beside held SMs: docs/model/placement.md.
 */
#include "sim/sm/state.h"

#include <math.h>

#include "sim/base/whole.h"

enum { UNKNOWN_ROUNDS = 64 };
#define NEAR       1e-6 /* of a tile: the same */
#define MAX_START  0.3  /* of a kernel's time */

void gsim_demand_set_tiles(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k)
{
    bool has_queue = k->tile_order == GSIM_TILES_DYNAMIC;
    if (!w->is_one_wave || (!has_queue && w->cluster == 1)) return;
    w->tiles = w->blocks;
    if (has_queue && k->tiles != w->blocks) w->tiles = k->tiles > w->blocks ? k->tiles : w->blocks * UNKNOWN_ROUNDS;
    w->rounds = ceil((double)w->tiles / (double)w->blocks);
    if (k->solo_us > 0) w->start = fmin(d->first_wave_us / k->solo_us, MAX_START);
}

/* Of a block's work alone, that of ROUNDS tiles. */
static double part_of(const struct gsim_demand *w, double rounds) { return (1 - w->start) * rounds / w->rounds; }

void gsim_tiles_begin(struct gsim_kernel_run *run, uint64_t room, gsim_time now)
{
    const struct gsim_demand *w = run->work;
    if (!w->tiles || run->started || !room) return;
    double all = (double)w->tiles * (double)run->blocks / (double)w->blocks; /* of the grid, what the SMs here have */
    run->began = now;
    run->sharers = room < run->blocks ? room : run->blocks;
    double first = (double)run->sharers, late = (double)run->blocks - first;
    run->seconds = fmin(late, floor(fmax(all - late - 2 * first, 0) + NEAR));
    run->tiles = all - late - run->seconds;
    run->rounds = ceil(run->tiles / first - NEAR);
    run->least = run->rounds - 1;
    run->longer = run->tiles - first * run->least;
}

uint32_t gsim_tiles_part(struct gsim_kernel_run *run, uint32_t blocks, uint32_t sms, gsim_time now)
{
    const struct gsim_demand *w = run->work;
    if (!w->tiles) return sms;
    bool is_longer = run->longer > NEAR;
    double alike = is_longer ? fmax(floor(ceil(run->longer - NEAR) / blocks), 1) : sms;
    run->part = (now == run->began ? w->start : 0) + part_of(w, run->least + is_longer);
    if (alike > sms) alike = sms;
    run->longer -= alike * blocks;
    return gsim_whole_u32(alike);
}

/* The most rounds that a resident block has left, without what is left of the start. */
static double rounds_left(struct gsim_gpu *gpu, const struct gsim_kernel_run *run, gsim_time now)
{
    const struct gsim_demand *w = run->work;
    double left = 0;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        struct gsim_sm_group *g = gpu->groups[i];
        for (uint32_t c = 0; c < g->cohort_count; c++) {
            if (g->cohorts[c].run != run) continue;
            gsim_group_settle(g, now);
            left = fmax(left, g->cohorts[c].left);
        }
    }
    return fmin(left / (w->cold * run->scale) / part_of(w, 1), run->rounds);
}

/* Leaves ROUNDS rounds to each resident block at most, and what is left of the start. */
static void shorten(struct gsim_gpu *gpu, const struct gsim_kernel_run *run, double rounds, double longest)
{
    double work = part_of(run->work, longest - rounds) * run->work->cold * run->scale,
           most = part_of(run->work, longest) * run->work->cold * run->scale;
    for (uint32_t i = 0; i < gpu->group_count; i++) {
        struct gsim_sm_group *g = gpu->groups[i];
        bool holds = false;
        for (uint32_t c = 0; c < g->cohort_count; c++) {
            if (g->cohorts[c].run != run) continue;
            double start = fmax(g->cohorts[c].left - most, 0);
            g->cohorts[c].left = fmin(g->cohorts[c].left, fmax(most - work, 0) + start);
            g->cohorts[c].asks = 0;
            holds = true;
        }
        if (holds) gsim_groups_rate(gpu, i);
    }
}

void gsim_tiles_join(struct gsim_gpu *gpu, struct gsim_kernel_run *run, uint64_t count, gsim_time now)
{
    const struct gsim_demand *w = run->work;
    if (!w->tiles || run->blocks - run->unplaced < run->sharers) return;
    double blocks = (double)(run->sharers + count), seconds = fmin(run->seconds, (double)count);
    run->seconds -= seconds;
    run->least = 1;
    run->longer = seconds;
    double rounds = run->resident ? rounds_left(gpu, run, now) : 0, tile = rounds - (ceil(rounds - NEAR) - 1);
    double queue = run->tiles - (double)run->sharers * (run->rounds - rounds + tile); /* that no block has begun */
    if (rounds <= NEAR || queue < 1) run->tiles = 0; /* nor will there be one */
    if (!run->tiles) return;
    double each = (queue + seconds) / blocks, more = ceil(each - NEAR);
    if (tile + more < rounds) shorten(gpu, run, tile + more, rounds);
    if (each >= 1 - NEAR) {
        run->least = 1 + floor(each + NEAR);
        run->longer = 0;
    }
    run->rounds = tile + more;
    run->tiles = queue + seconds + blocks * tile;
    run->sharers += count;
}
