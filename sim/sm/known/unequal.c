/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of unequal work (struct gsim_unequal of sim/sm/demand.h): which there are, and in which order they are
 * placed. */
#include "sim/sm/demand.h"

#include <math.h>

/* Along one axis: how many blocks have a round more, and how many one less, which is ROUNDS. */
struct axis {
    double more, less, rounds;
};

/* A loop over EXTENT items by WIDTH blocks of THREADS threads. Not even a round: blocks are taken to be alike (DL at 1
 * MB is 48 % off where those without items are idle, though along z that is right). */
static struct axis axis_of(double extent, uint32_t width, uint32_t threads)
{
    double stride = (double)width * threads, more = ceil(fmod(extent, stride) / threads);
    if (extent < stride) return (struct axis){.less = width, .rounds = 1};
    return (struct axis){more, width - more, floor(extent / stride)};
}

static void count_sorted(const struct gsim_unequal *u, uint64_t count, uint64_t kinds[GSIM_BLOCK_KINDS])
{
    int by_work[GSIM_BLOCK_KINDS] = {3, 1, 2, 0, 4};
    if (u->factor[2] > u->factor[1]) by_work[1] = 2, by_work[2] = 1;
    for (int i = 0; i < GSIM_BLOCK_KINDS; i++) {
        uint64_t *kind = &kinds[by_work[i]];
        *kind = count < u->counts[by_work[i]] ? count : u->counts[by_work[i]];
        count -= *kind;
    }
}

void gsim_unequal_count(const struct gsim_unequal *u, uint64_t count, uint64_t kinds[GSIM_BLOCK_KINDS])
{
    if (u->is_sorted) {
        count_sorted(u, count, kinds);
        return;
    }
    uint64_t plane = (uint64_t)u->width * u->height, busy = count < u->busy ? count : u->busy;
    uint64_t planes = busy / plane, rest = busy % plane, rows = rest / u->width, columns = rest % u->width;
    uint64_t more_rows = planes * u->more_y + (rows < u->more_y ? rows : u->more_y),
             all_rows = planes * u->height + rows;
    uint64_t more_columns = columns < u->more_x ? columns : u->more_x;
    int last = rows < u->more_y ? 2 : 0; /* of the row that is not whole */
    kinds[0] = (all_rows - more_rows) * (u->width - u->more_x);
    kinds[1] = (all_rows - more_rows) * u->more_x;
    kinds[2] = more_rows * (u->width - u->more_x);
    kinds[3] = more_rows * u->more_x;
    kinds[last] += columns - more_columns;
    kinds[last + 1] += more_columns;
    kinds[4] = count - busy;
}

/* The grid, as one row where blocks own tiles, and the rounds along its axes. */
static struct gsim_dim3 grid_of(const struct gsim_demand *w, const struct gsim_kernel *k, struct axis *x,
                                struct axis *y)
{
    if (k->tile_order != GSIM_TILES_STATIC || k->tiles <= w->blocks) {
        *x = axis_of(k->loop_x, k->grid.x, k->block.x);
        *y = axis_of(k->loop_y, k->grid.y, k->block.y);
        return k->grid;
    }
    double more = (double)(k->tiles % w->blocks); /* tiles are dealt out in turn */
    *x = (struct axis){more, (double)w->blocks - more, (double)(k->tiles / w->blocks)};
    *y = (struct axis){.less = 1, .rounds = 1};
    return (struct gsim_dim3){(uint32_t)w->blocks, 1, 1};
}

/* DL at 16 MB on an H200: 4 blocks of 16 rounds, 56 of 12, 196 of 9, which end after 9/16 of the kernel's time. */
void gsim_demand_set_unequal(struct gsim_demand *w, const struct gsim_kernel *k)
{
    struct axis x, y;
    const struct gsim_dim3 grid = grid_of(w, k, &x, &y);
    double busy_z = k->loop_z > 0 ? fmin(grid.z, ceil(k->loop_z / k->block.z)) : grid.z;
    struct gsim_unequal *u = &w->unequal;
    uint32_t kinds_there = 0;
    double total = 0;
    *u = (struct gsim_unequal){.width = grid.x,
                               .height = grid.y,
                               .more_x = gsim_whole_u32(x.more),
                               .more_y = gsim_whole_u32(y.more),
                               .busy = (uint64_t)grid.x * grid.y * gsim_whole_u64(busy_z)};
    gsim_unequal_count(u, w->blocks, u->counts);
    for (int i = 0; i < GSIM_BLOCK_KINDS; i++) {
        u->factor[i] = i < 4 ? (x.rounds + (i & 1)) * (y.rounds + (i >> 1)) : 0;
        total += (double)u->counts[i] * u->factor[i];
        kinds_there += u->counts[i] > 0;
    }
    for (int i = 0; i < GSIM_BLOCK_KINDS; i++) u->factor[i] *= (double)u->busy / total;
    u->is_sorted = !w->is_one_wave;
    w->is_unequal = kinds_there > 1;
}
