/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See serving/blocks.h. */
#include "serving/blocks.h"

#include <math.h>
#include <string.h>

#include "gpusim/memory.h"

static bool give(struct gsim_cache_blocks *b, uint64_t owner, double count)
{
    if (!(count > 0)) return true;
    if (b->end == b->room && b->first) {
        memmove(b->free, b->free + b->first, sizeof *b->free * (b->end - b->first));
        b->end -= b->first;
        b->first = 0;
    }
    return GSIM_APPEND(b->free, b->end, b->room, (struct gsim_cache_free){owner, count});
}

static void change(struct gsim_cache_blocks *b, double now_us, double by)
{
    b->time += b->used * (now_us - b->since_us);
    b->since_us = now_us;
    b->used += by;
    b->most = fmax(b->most, b->used);
}

void gsim_blocks_init(struct gsim_cache_blocks *b, double tokens, double size)
{
    *b = (struct gsim_cache_blocks){.size = size, .all = floor(tokens / size)};
}

void gsim_blocks_release(struct gsim_cache_blocks *b) { gsim_free(b->free); }

static double blocks_for(const struct gsim_cache_blocks *b, double tokens) { return ceil(tokens / b->size); }

bool gsim_blocks_fit(const struct gsim_cache_blocks *b, double held, double tokens)
{
    return !(b->all > 0) || b->used + blocks_for(b, tokens) - held <= b->all;
}

bool gsim_blocks_hold(struct gsim_cache_blocks *b, double now_us, double *held, double tokens, uint64_t owner,
                      double computed)
{
    double more = blocks_for(b, tokens) - *held;
    double kept = owner == GSIM_BLOCKS_NOBODY ? 0 : floor(computed / b->size);
    double queued = 0;
    change(b, now_us, more);
    *held += more;
    if (!(b->all > 0)) return true;
    if (more < 0) {
        kept = fmin(kept, -more);
        return give(b, GSIM_BLOCKS_NOBODY, -more - kept) && give(b, owner, kept);
    }
    for (size_t i = b->first; i < b->end; i++) queued += b->free[i].count;
    /* Those that nobody has had yet go first. */
    double count = more - (b->all - (b->used - more) - queued);
    while (count > 0 && b->first < b->end) {
        struct gsim_cache_free *f = &b->free[b->first];
        double taken = fmin(f->count, count);
        f->count -= taken;
        count -= taken;
        if (!(f->count > 0)) b->first++;
    }
    return true;
}

double gsim_blocks_back(struct gsim_cache_blocks *b, double now_us, double *held, uint64_t owner)
{
    for (size_t i = b->first; i < b->end; i++) {
        if (b->free[i].owner != owner) continue;
        double count = b->free[i].count;
        memmove(&b->free[i], &b->free[i + 1], sizeof *b->free * (b->end - i - 1));
        b->end--;
        change(b, now_us, count);
        *held += count;
        return count * b->size;
    }
    return 0;
}
