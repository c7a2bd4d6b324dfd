/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thread block clusters: all blocks of one stand in one GPC at once, each on an SM of its own. A cluster goes to the
 * GPC with the emptiest SMs for its blocks. A GPC of fewer SMs than a cluster has blocks takes none (an H100: of 16
 * blocks 58 clusters stand with 8 blocks on an SM, 9 in each GPC of 18 SMs, 8 in each of 16, none in one of 8).
 */
#include "sim/sm/state.h"

#include <string.h>

/* Takes up to COUNT SMs of the GPC, which has LEFT. */
static uint32_t assign_sms(uint8_t *gpc_of, uint32_t sm, uint32_t limit, uint32_t gpc, uint32_t *left, uint32_t count)
{
    for (; count && *left && sm < limit; count--, --*left) gpc_of[sm++] = (uint8_t)gpc;
    return sm;
}

/* SMs by GPC. Which ids a chip's GPCs have is not known, how many SMs is, and the order in which an H100 fills them
 * with blocks that each take an SM (traces/h100/held.json.gz): of GPCs of one TPC an SM each, then the other; of each
 * other GPC an SM of each TPC, at most FIRST, then the rest. SMs beyond the known GPCs are one more. */
static uint32_t find_gpcs(const struct gsim_device_spec *device, uint8_t *gpc_of)
{
    enum { MOST = sizeof device->gpcs / sizeof *device->gpcs, FIRST = 8 };
    uint32_t left[MOST], count = 0, sm = 0, sm_count = gsim_whole_u32(device->sm_count);
    while (count < MOST && device->gpcs[count] > 0) {
        left[count] = gsim_whole_u32(device->gpcs[count]);
        count++;
    }
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t g = 0; g < count; g++)
            if (device->gpcs[g] <= 2) sm = assign_sms(gpc_of, sm, sm_count, g, &left[g], 1);
    for (uint32_t g = 0; g < count; g++)
        sm = assign_sms(gpc_of, sm, sm_count, g, &left[g], left[g] / 2 < FIRST ? left[g] / 2 : FIRST);
    for (uint32_t g = 0; g < count; g++) sm = assign_sms(gpc_of, sm, sm_count, g, &left[g], left[g]);
    if (sm < sm_count) memset(&gpc_of[sm], (int)count++, sm_count - sm);
    return count;
}

bool gsim_clusters_fit(const struct gsim_device_spec *device, uint32_t cluster)
{
    uint8_t gpc_of[GSIM_MAX_SMS];
    uint32_t sms[GSIM_MAX_SMS] = {0}, most = 0, count = find_gpcs(device, gpc_of);
    for (uint32_t sm = 0; sm < gsim_whole_u32(device->sm_count); sm++) sms[gpc_of[sm]]++;
    for (uint32_t g = 0; g < count; g++) most = sms[g] > most ? sms[g] : most;
    return cluster <= most;
}

enum { MAX_ROOM = 48 }; /* blocks_per_sm is not above */

struct places {
    uint32_t gpc_count, sm_count;
    uint8_t gpc_of[GSIM_MAX_SMS], room[GSIM_MAX_SMS], placed[GSIM_MAX_SMS];
    uint32_t room_of[GSIM_MAX_SMS], sms_of[GSIM_MAX_SMS]; /* by GPC */
};

static void find_places(const struct gsim_gpu *gpu, const struct gsim_demand *w, struct places *p)
{
    memset(p, 0, sizeof *p);
    p->sm_count = gsim_whole_u32(gpu->device->sm_count);
    p->gpc_count = find_gpcs(gpu->device, p->gpc_of);
    for (uint32_t sm = 0; sm < p->sm_count; sm++) p->sms_of[p->gpc_of[sm]]++;
    for (uint32_t i = 0; (i = gsim_groups_of(gpu->roomy, i)) != GSIM_MAX_SMS; i++) {
        uint8_t room = (uint8_t)gsim_group_room(gpu, gpu->groups[i], w);
        for (uint32_t sm = 0; (sm = gsim_groups_of(gpu->groups[i]->sms, sm)) != GSIM_MAX_SMS; sm++) {
            p->room[sm] = room;
            p->room_of[p->gpc_of[sm]] += room;
        }
    }
}

/* The least room of the SMs that a cluster would take of the GPC, each of its blocks another one; 0: it finds none. */
static uint32_t level_in(const struct places *p, uint32_t gpc, uint32_t cluster)
{
    uint32_t with_room[MAX_ROOM + 1] = {0}, sms = 0, level = MAX_ROOM;
    if (p->sms_of[gpc] < cluster || p->room_of[gpc] < cluster) return 0;
    for (uint32_t sm = 0; sm < p->sm_count; sm++)
        if (p->gpc_of[sm] == gpc) with_room[p->room[sm] < MAX_ROOM ? p->room[sm] : MAX_ROOM]++;
    while (level && (sms += with_room[level]) < cluster) level--;
    return level;
}

/* Where a cluster finds the emptiest SMs; GSIM_MAX_SMS: nowhere. */
static uint32_t emptiest_gpc(const struct places *p, uint32_t cluster)
{
    uint32_t best = GSIM_MAX_SMS, most = 0;
    for (uint32_t g = 0; g < p->gpc_count; g++) {
        uint32_t level = level_in(p, g, cluster);
        if (!level || level < most || (level == most && p->room_of[g] <= p->room_of[best])) continue;
        best = g;
        most = level;
    }
    return best;
}

/* On the SMs of the GPC with most room, one block on each. */
static void place_cluster(struct places *p, uint32_t gpc, uint32_t blocks)
{
    bool taken[GSIM_MAX_SMS] = {false};
    for (uint32_t i = 0; i < blocks; i++) {
        uint32_t best = GSIM_MAX_SMS;
        for (uint32_t sm = 0; sm < p->sm_count; sm++)
            if (p->gpc_of[sm] == gpc && !taken[sm] && (best == GSIM_MAX_SMS || p->room[sm] > p->room[best])) best = sm;
        GSIM_INVARIANT(best != GSIM_MAX_SMS && p->room[best]);
        taken[best] = true;
        p->room[best]--;
        p->placed[best]++;
        p->room_of[gpc]--;
    }
}

/* The SMs of the group on which COUNT blocks are to be placed. Returns how many. */
static uint32_t sms_with(const struct gsim_sm_group *g, const struct places *p, uint8_t count,
                         uint64_t mask[GSIM_SM_WORDS])
{
    uint32_t sms = 0;
    memset(mask, 0, GSIM_SM_WORDS * sizeof *mask);
    for (uint32_t sm = 0; (sm = gsim_groups_of(g->sms, sm)) != GSIM_MAX_SMS; sm++) {
        if (p->placed[sm] != count) continue;
        gsim_groups_set_bit(mask, sm, true);
        sms++;
    }
    return sms;
}

bool gsim_clusters_spread(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now)
{
    struct places p;
    uint64_t left = run->unplaced, mask[GSIM_SM_WORDS];
    uint32_t count = gpu->group_count;
    gsim_groups_rate_all(gpu);
    if (gsim_soonest_first(&gpu->ends) <= now) return false; /* what else ends now leaves its room, too */
    find_places(gpu, run->work, &p);
    while (left) {
        uint32_t blocks = left < run->work->cluster ? (uint32_t)left : run->work->cluster,
                 gpc = emptiest_gpc(&p, blocks);
        if (gpc == GSIM_MAX_SMS) break;
        place_cluster(&p, gpc, blocks);
        left -= blocks;
    }
    if (left == run->unplaced) return false;
    gsim_tiles_begin(run, run->unplaced - left, now);
    for (uint32_t i = 0; i < count; i++)
        for (uint8_t blocks = run->work->need.blocks_per_sm > UINT8_MAX ? UINT8_MAX
                                                                        : (uint8_t)run->work->need.blocks_per_sm;
             blocks; blocks--) {
            uint32_t sms = sms_with(gpu->groups[i], &p, blocks, mask), index = i;
            if (!sms) continue;
            if (sms < gpu->groups[i]->sm_count) index = gsim_groups_split_mask(gpu, i, mask);
            gsim_distributor_place(gpu, index, run, blocks, now);
            if (index == i) break; /* all of the group's SMs */
        }
    return !run->unplaced;
}
