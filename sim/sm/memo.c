/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One entry for each value of a hash; a new one takes its place. */
#include "sim/sm/memo.h"

#include <string.h>

#define ENTRIES 256 /* 70 % of the calls are found with 64 */
#define FEWEST  3   /* cohorts that are not as soon computed */
#define MOST    24  /* that an entry has room for */

struct key { /* what the speed of a cohort depends on */
    const struct gsim_demand *work;
    uint32_t blocks;
    uint16_t half;
    uint16_t follows; /* of the same kernel as the one before it, and as old */
};

struct gsim_memo_entry {
    uint64_t since;
    uint32_t count, carveout_bytes;
    struct gsim_dram_state dram;
    double demand_gbps;
    struct key keys[MOST];
    double speeds[MOST];
};

static struct key key_of(const struct gsim_cohort *c, uint32_t i)
{
    bool follows = i && c[i].run == c[i - 1].run && c[i].since == c[i - 1].since;
    return (struct key){c[i].work, c[i].blocks, c[i].half, follows};
}

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x9e3779b97f4a7c15; /* 2^64 over the golden ratio */ }

static struct gsim_memo_entry *entry_of(const struct gsim_memo *memo, const struct gsim_cohort *c, uint32_t count, const struct gsim_dram_state *dram)
{
    uint64_t hash, stretch;
    memcpy(&stretch, &dram->stretch, sizeof stretch);
    hash = mix(count, stretch);
    for (uint32_t i = 0; i < count; i++) hash = mix(hash, (uintptr_t)c[i].work + c[i].blocks);
    return &memo->entries[(hash >> 32) % ENTRIES];
}

static bool is_alike(const struct gsim_memo_entry *e, const struct gsim_cohort *c)
{
    for (uint32_t i = 0; i < e->count; i++) {
        struct key key = key_of(c, i);
        const struct key *its = &e->keys[i];
        if (key.work != its->work || key.blocks != its->blocks || key.half != its->half || key.follows != its->follows) return false;
    }
    return true;
}

static bool is_same(const struct gsim_dram_state *a, const struct gsim_dram_state *b)
{
    return a->load == b->load && a->stretch == b->stretch && a->gain == b->gain;
}

/* Not of kernels that wait for pages, each at a pace of its own. */
static bool may_keep(const struct gsim_cohort *c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (c[i].pace != 1) return false;
    return count >= FEWEST && count <= MOST;
}

double gsim_memo_share_sm(struct gsim_memo *memo, const struct gsim_device_spec *device, struct gsim_cohort *cohorts, uint32_t count,
                          const struct gsim_dram_state *dram, uint32_t carveout_bytes)
{
    bool is_kept = may_keep(cohorts, count);
    if (is_kept && !memo->entries) memo->entries = GSIM_ARENA_ARRAY(memo->arena, struct gsim_memo_entry, ENTRIES);
    if (!is_kept || !memo->entries) return gsim_share_sm(device, cohorts, count, dram, carveout_bytes);
    struct gsim_memo_entry *e = entry_of(memo, cohorts, count, dram);
    if (e->since == memo->since && e->count == count && e->carveout_bytes == carveout_bytes && is_same(&e->dram, dram) && is_alike(e, cohorts)) {
        for (uint32_t i = 0; i < count; i++) cohorts[i].speed = e->speeds[i];
        return e->demand_gbps;
    }
    e->since = memo->since;
    e->count = count;
    e->carveout_bytes = carveout_bytes;
    e->dram = *dram;
    e->demand_gbps = gsim_share_sm(device, cohorts, count, dram, carveout_bytes);
    for (uint32_t i = 0; i < count; i++) {
        e->keys[i] = key_of(cohorts, i);
        e->speeds[i] = cohorts[i].speed;
    }
    return e->demand_gbps;
}
