/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table of mixes; when its room is used up it begins afresh. */
#include "sim/sm/memo.h"

#include "sim/sm/share_parts.h"

#include <string.h>

#define ENTRIES    1024 /* of the table, a power of two */
#define MAX_MIXES  768
#define FIRST_ROOM ((size_t)16 << 10)
#define MAX_ROOM   ((size_t)4 << 20)

struct key { /* what the speed of a cohort depends on */
    const struct gsim_demand *work;
    uint32_t blocks;
    uint16_t half;
    uint16_t follows; /* of the same kernel as the one before it, and as old */
};

struct gsim_mix_entry {
    uint64_t since; /* another one than memo's: empty */
    struct gsim_mix *mix;
};

struct gsim_mix {
    uint64_t hash;
    uint32_t count, carveout_bytes;
    bool is_fast, has_speeds;
    struct gsim_dram_state dram; /* of demand_gbps and, if it has them, the speeds */
    double demand_gbps;
    struct key *keys;
    double *speeds;
    struct gsim_share_sums sums; /* set by gsim_share_sum() */
};

static struct key key_of(const struct gsim_cohort *c, uint32_t i)
{
    bool follows = i && c[i].run == c[i - 1].run && c[i].since == c[i - 1].since;
    return (struct key){c[i].work, c[i].blocks, c[i].half, follows};
}

static uint64_t mix_in(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x9e3779b97f4a7c15; /* 2^64 over the golden ratio */
}

static uint64_t hash_of(const struct gsim_cohort *c, uint32_t count, uint32_t carveout_bytes)
{
    uint64_t hash = mix_in(count, carveout_bytes);
    for (uint32_t i = 0; i < count; i++) {
        hash = mix_in(hash, (uintptr_t)c[i].work + c[i].blocks);
        hash ^= hash >> 32;
    }
    return hash;
}

static bool is_alike(const struct gsim_mix *m, const struct gsim_cohort *c)
{
    for (uint32_t i = 0; i < m->count; i++) {
        struct key key = key_of(c, i);
        const struct key *its = &m->keys[i];
        if (key.work != its->work || key.blocks != its->blocks || key.half != its->half || key.follows != its->follows)
            return false;
    }
    return true;
}

/* Not of kernels that wait for pages, each at a pace of its own. */
static bool may_keep(const struct gsim_cohort *c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (c[i].pace != 1) return false;
    return count > 0;
}

void gsim_memo_forget(struct gsim_memo *memo)
{
    memo->since++;
    memo->used = memo->count = 0;
}

/* NULL: memory is out. */
static struct gsim_mix *new_mix(struct gsim_memo *memo, uint32_t count)
{
    size_t size = sizeof(struct gsim_mix) + count * (sizeof(struct key) + sizeof(double));
    if (memo->count == MAX_MIXES) gsim_memo_forget(memo);
    if (memo->used + size > memo->room_size) {
        size_t more = memo->room_size ? 4 * memo->room_size : FIRST_ROOM;
        if (more <= MAX_ROOM) {
            char *room = gsim_arena_alloc(memo->arena, more);
            if (!room) return NULL;
            memo->room = room;
            memo->room_size = more;
        }
        gsim_memo_forget(memo);
    }
    struct gsim_mix *m = (void *)(memo->room + memo->used);
    memo->used += size;
    memo->count++;
    memset(m, 0, offsetof(struct gsim_mix, sums));
    m->count = count;
    m->keys = (void *)(m + 1);
    m->speeds = (void *)(m->keys + count);
    return m;
}

static struct gsim_mix_entry *entry_of(const struct gsim_memo *memo, const struct gsim_sm_blocks *b, uint64_t hash)
{
    uint32_t at = (uint32_t)(hash >> 32) % ENTRIES;
    for (;; at = (at + 1) % ENTRIES) {
        const struct gsim_mix *m = memo->table[at].mix;
        if (!m || memo->table[at].since != memo->since) return &memo->table[at];
        if (m->hash == hash && m->count == b->count && m->carveout_bytes == b->carveout_bytes &&
            m->is_fast == b->is_fast && is_alike(m, b->cohorts))
            return &memo->table[at];
    }
}

struct gsim_mix *gsim_memo_mix(struct gsim_memo *memo, const struct gsim_device_spec *device,
                               const struct gsim_sm_blocks *b)
{
    if (!may_keep(b->cohorts, b->count)) return NULL;
    if (!memo->table) {
        memo->table = GSIM_ARENA_ARRAY(memo->arena, struct gsim_mix_entry, ENTRIES);
        memo->since++;
    }
    if (!memo->table) return NULL;
    uint64_t hash = hash_of(b->cohorts, b->count, b->carveout_bytes), since = memo->since;
    struct gsim_mix_entry *entry = entry_of(memo, b, hash);
    if (entry->mix && entry->since == since) return entry->mix;
    struct gsim_mix *m = new_mix(memo, b->count);
    if (!m) return NULL;
    if (memo->since != since) entry = entry_of(memo, b, hash);
    m->hash = hash;
    m->carveout_bytes = b->carveout_bytes;
    m->is_fast = b->is_fast;
    m->dram.gain = -1; /* no load's */
    for (uint32_t i = 0; i < b->count; i++) m->keys[i] = key_of(b->cohorts, i);
    gsim_share_sum(device, b->cohorts, b->count, b->carveout_bytes, &m->sums);
    *entry = (struct gsim_mix_entry){memo->since, m};
    return m;
}

static bool is_same(const struct gsim_dram_state *a, const struct gsim_dram_state *b)
{
    for (int p = 0; p < GSIM_CHIP_PIPES; p++)
        if (a->chip_wait[p] != b->chip_wait[p]) return false;
    return a->stretch == b->stretch && a->load == b->load && a->gain == b->gain;
}

double gsim_mix_demand(struct gsim_mix *mix, const struct gsim_cohort *cohorts, const struct gsim_dram_state *dram,
                       double chip[GSIM_CHIP_PIPES])
{
    if (!is_same(&mix->dram, dram)) {
        mix->dram = *dram;
        mix->has_speeds = false;
        mix->demand_gbps = gsim_share_demand(&mix->sums, cohorts, mix->count, dram);
    }
    memcpy(chip, mix->sums.chip, sizeof mix->sums.chip);
    return mix->demand_gbps;
}

double gsim_mix_share(struct gsim_mix *mix, const struct gsim_device_spec *device, struct gsim_cohort *cohorts,
                      const struct gsim_dram_state *dram, double chip[GSIM_CHIP_PIPES])
{
    bool is_known = is_same(&mix->dram, dram);
    if (mix->has_speeds && is_known) {
        for (uint32_t i = 0; i < mix->count; i++) cohorts[i].speed = mix->speeds[i];
        memcpy(chip, mix->sums.chip, sizeof mix->sums.chip);
        return mix->demand_gbps;
    }
    mix->dram = *dram;
    mix->has_speeds = true;
    mix->demand_gbps = gsim_share_speeds(device, &mix->sums, cohorts, mix->count, is_known ? NULL : dram);
    for (uint32_t i = 0; i < mix->count; i++) mix->speeds[i] = cohorts[i].speed;
    memcpy(chip, mix->sums.chip, sizeof mix->sums.chip);
    return mix->demand_gbps;
}
