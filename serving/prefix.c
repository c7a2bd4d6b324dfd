/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See serving/prefix.h: a list of the kept blocks by their last use, and all blocks that ever were by their names. */
#include "serving/prefix.h"

#include "gpusim/memory.h"
#include "sim/base/slots.h"

#define NONE UINT32_MAX

struct block {
    uint64_t name;
    uint32_t before, behind; /* used before and since; NONE: the first, the last */
    bool is_kept;
};

struct gsim_prefix {
    struct block *blocks;
    size_t room;
    struct gsim_slots slots; /* of the blocks */
    uint32_t oldest, latest, kept;
};

struct gsim_prefix *gsim_prefix_create(void)
{
    struct gsim_prefix *p = gsim_alloc(sizeof *p);
    if (p) *p = (struct gsim_prefix){.oldest = NONE, .latest = NONE};
    return p;
}

void gsim_prefix_destroy(struct gsim_prefix *p)
{
    if (!p) return;
    gsim_slots_release(&p->slots);
    gsim_free(p->blocks);
    gsim_free(p);
}

static bool is_block(const void *blocks, uint32_t index, const void *key)
{
    return ((const struct block *)blocks)[index].name == *(const uint64_t *)key;
}

static uint32_t find(const struct gsim_prefix *p, uint64_t name)
{
    uint64_t hash = gsim_hash_bytes(GSIM_HASH_START, &name, sizeof name);
    return gsim_slots_find(&p->slots, hash, is_block, p->blocks, &name);
}

static void unlink_block(struct gsim_prefix *p, uint32_t index)
{
    const struct block *b = &p->blocks[index];
    *(b->before == NONE ? &p->oldest : &p->blocks[b->before].behind) = b->behind;
    *(b->behind == NONE ? &p->latest : &p->blocks[b->behind].before) = b->before;
}

static void use(struct gsim_prefix *p, uint32_t index)
{
    struct block *b = &p->blocks[index];
    if (b->is_kept) unlink_block(p, index);
    else p->kept++;
    b->is_kept = true;
    b->before = p->latest;
    b->behind = NONE;
    *(p->latest == NONE ? &p->oldest : &p->blocks[p->latest].behind) = index;
    p->latest = index;
}

uint32_t gsim_prefix_find(struct gsim_prefix *p, const uint64_t *blocks, uint32_t count, bool uses)
{
    uint32_t found = 0;
    for (; found < count; found++) {
        uint32_t index = find(p, blocks[found]);
        if (index == GSIM_SLOT_NONE || !p->blocks[index].is_kept) break;
        if (uses) use(p, index);
    }
    return found;
}

bool gsim_prefix_keep(struct gsim_prefix *p, const uint64_t *blocks, uint32_t count, double most)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = find(p, blocks[i]);
        if (index == GSIM_SLOT_NONE) {
            index = p->slots.count;
            if (gsim_array_grow(&p->blocks, sizeof *p->blocks, index, &p->room) ||
                !gsim_slots_add(&p->slots, gsim_hash_bytes(GSIM_HASH_START, &blocks[i], sizeof *blocks), index))
                return false;
            p->blocks[index] = (struct block){.name = blocks[i]};
        }
        use(p, index);
    }
    while (p->kept > most && p->oldest != NONE) {
        uint32_t oldest = p->oldest;
        unlink_block(p, oldest);
        p->blocks[oldest].is_kept = false;
        p->kept--;
    }
    return true;
}
