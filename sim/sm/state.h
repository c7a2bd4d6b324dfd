/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/sm (internal). The state of one GPU, and what its files do for each other. A group is a set of SMs in the
 * same state: each holds the same cohorts (share.h) with the same work left. A group is split when placement or ends
 * treat its SMs differently; empty ones merge again. With gpu.exact=1 each SM is a group and each block a cohort.
 *
 * An event goes: settle a group (its cohorts' work done until now), change it, rate it (mark its speeds as unknown).
 * When all that happens at this time has, speeds are found: of the groups that were rated, then of the chip.
 */
#pragma once

#include "sim/base/soonest.h"
#include "sim/device/rules.h"
#include "sim/sm/gpu.h"
#include "sim/sm/memo.h"
#include "sim/sm/share.h"
#include "gpusim/timeline.h"

#define GSIM_MAX_SMS GSIM_BLOCK_SMS
#define GSIM_SM_WORDS (GSIM_MAX_SMS / 64)
#define GSIM_MAX_LEVELS 6   /* stream priorities 0 .. -5 */
/* Ends are rounded up to multiples of this, in picoseconds: ends that differ by rounding alone are simultaneous, and
 * are handled by SM id however SMs are grouped. A thousand waves still take their measured time within 0.1 %. */
#define GSIM_END_GRID 100

/* The last wave of a kernel of several waves, whose blocks spread.c tells apart: work, in blocks of mean work. */
struct gsim_tail {
    double longest, last;  /* the longest block, before and after */
    double before, after;  /* sum over the blocks, before and after */
};

/* One launch of a kernel, from its submission to the end of its last block. */
struct gsim_kernel_run {
    const struct gsim_demand *work;
    void *tag;
    uint64_t blocks;          /* of its grid, on the SMs that are simulated */
    uint64_t unplaced, resident;
    double scale;             /* of its blocks' work */
    double part;              /* of a block's work alone, that the blocks have that are placed next (known/tiles.c) */
    gsim_time began;          /* when its first blocks were placed, where they have tiles */
    double tiles, rounds;     /* of SHARERS blocks together, and of each at most, when they were last shared out */
    double seconds;           /* of the other blocks, that each have a tile, so many have another */
    double least, longer;     /* tiles of the blocks that are placed next; so many of them have one more */
    uint64_t sharers;
    bool is_held;             /* its blocks wait behind their prologue */
    double prologue;          /* share of their work */
    uint64_t untriggered;     /* blocks that were placed and have not triggered */
    uint32_t stands_for;      /* blocks of the grid for each block that is placed: more than 1 for tasks alone */
    struct gsim_kernel_run *next; /* in its queue, or in the free list */
    uint64_t number;          /* 0, 1, ... in launch order */
    int level;                /* of its queue */
    double pace;              /* of all its blocks (gsim_gpu_set_pace) */
    bool started;             /* its first block has been placed */
    bool is_paused;           /* not in a queue (stop.c) */
    bool has_waited;          /* for room, or behind a launch that did */
    gsim_time placed_at;      /* of its last block */
    double last_place;        /* place of the block that ends last, 0 to 1 (spread.c) */
    struct gsim_tail tail;
};

struct gsim_sm_group {
    uint32_t sm_count, cohort_count;
    uint32_t warps, registers, smem, slots; /* used, per SM */
    uint32_t carveout;                      /* shared-memory bytes configured; 0: never set */
    uint32_t lowest_sm, index;              /* groups[index] */
    uint64_t sms[GSIM_SM_WORDS];            /* a bit for each of its SMs */
    double demand_gbps;                     /* asked of DRAM, per SM */
    double chip[GSIM_CHIP_PIPES];           /* asked of L2's pipes, as shares of an SM's part */
    gsim_time updated;                      /* when its cohorts' LEFT was true */
    bool is_fast;                           /* gets more of a saturated DRAM (device: fast_sm_share) */
    bool feels_memory;                      /* some cohort asks for DRAM or L2 (gsim_demand_feels) */
    bool has_demand;                        /* DEMAND_GBPS and CHIP are in the GPU's sums; else they are 0 */
    /* its cohorts' speeds in the cache; valid while MIX_SINCE is memo.since, NULL: not kept */
    struct gsim_mix *mix;
    uint64_t mix_since;
    struct gsim_cohort cohorts[GSIM_MAX_COHORTS]; /* oldest first */
};

/* The distributor's queue of one priority. */
struct gsim_level {
    struct gsim_kernel_run *head, **tail;
};

struct gsim_work_model;

struct gsim_gpu {
    const struct gsim_work_model *model;   /* the device's (models/model.h) */
    const struct gsim_device_spec *device; /* with the SMs that are simulated, and their part of DRAM */
    struct gsim_device_spec sampled;       /* DEVICE, where one SM stands for several (sample.c) */
    double sms_each, left_over;            /* for how many; blocks of grids left out so far, negative: too many */
    const struct gsim_sm_limits *limits; /* OWN_LIMITS */
    struct gsim_sm_limits own_limits;
    struct gsim_gpu_options options;
    struct gsim_gpu_listener listener;
    struct gsim_gpu_watcher watcher;
    const struct gsim_random *noise; /* NULL: none */
    uint64_t scatter;                /* gsim_gpu_set_scatter */
    struct gsim_sm_places {
        uint64_t scatter;
        bool is_found;
        double of[GSIM_MAX_SMS];     /* by SM: place of its first block (spread.c) */
    } places[2];                     /* while one kernel is alone; while there are several */
    struct gsim_arena *arena;
    struct gsim_level queues[GSIM_MAX_LEVELS]; /* [0] is the least urgent, priority 0 */
    struct gsim_kernel_run *free_runs;
    struct gsim_kernel_run *ended_runs; /* at this time, the listener not told yet; by number */
    uint64_t run_number;      /* the next one's */
    uint32_t group_count, queued_count;
    uint32_t run_count;       /* launches that were submitted and have not ended */
    const struct gsim_kernel_run *blocked; /* the head of the queue, if it is known that no SM has room */
    double demand_gbps;       /* asked of DRAM by all resident blocks */
    double chip_asked[GSIM_CHIP_PIPES]; /* asked of L2's pipes, as shares of their peak */
    double copies_gbps;       /* asked of DRAM by copies */
    struct gsim_dram_state dram; /* that the present speeds are for; write with gsim_groups_set_dram */
    double applied_gbps;      /* all that was asked of DRAM when DRAM was settled; NAN: it is not */
    double gains[2];          /* of slow and fast SMs */
    struct gsim_memo memo;
    struct gsim_chip_shares chip;
    struct gsim_gpu_load load;
    bool keeps_carveout;      /* the head of the queue is refilling SMs */
    gsim_time poll_at;        /* the distributor serves no launch that waits before */
    bool is_pausing;          /* some launch waits for that */
    uint64_t block_events, events;
    uint64_t told;            /* calls of the listener */
    gsim_time last_start;     /* when a launch's first block was placed last */
    uint64_t skip_at;         /* EVENTS at which models/repeat.c tries again */
    gsim_time horizon;        /* the caller changes nothing before (gsim_gpu_promise) */
    gsim_time next;           /* the earliest of ENDS, or POLL_AT if a launch waits for that */
    struct gsim_soonest ends; /* by group: its next end */
    bool has_unrated;         /* UNRATED may have bits */
    /* sets of groups, a bit each: speeds to be found before time passes; room for a block and a warp; no block;
     * with blocks that ask for DRAM or L2 */
    uint64_t unrated[GSIM_SM_WORDS], roomy[GSIM_SM_WORDS], idle[GSIM_SM_WORDS], feeling[GSIM_SM_WORDS];
    struct gsim_sm_group *groups[GSIM_MAX_SMS];
    struct gsim_sm_group *free_groups[GSIM_MAX_SMS];
    uint32_t free_group_count;
};

static inline bool gsim_gpu_rule(const struct gsim_gpu *gpu, enum gsim_rule rule)
{
    return gsim_rule_holds(gpu->device->rules_off, rule);
}

/* Whether several launches are resident or wait. */
static inline bool gsim_gpu_is_shared(const struct gsim_gpu *gpu) { return gpu->run_count > 1; }

/* --- gpu.c -------------------------------------------------------------------------------------------------- */
/* A launch of WORK that is in no queue yet; NULL when memory is out. */
struct gsim_kernel_run *gsim_gpu_new_run(struct gsim_gpu *gpu, const struct gsim_demand *work, double scale, void *tag);
/* Gives RUN's blocks its pace, multiplies what is left of them by FACTOR, and re-rates their SMs. ONLY_WAITING: on SMs
 * alone where some of them have pace 0. */
void gsim_gpu_change(struct gsim_gpu *gpu, gsim_time now, const struct gsim_kernel_run *run, double factor,
                     bool only_waiting);

/* The number of bits; quicker than the compiler's library call on processors without an instruction for it. */
static inline uint32_t gsim_groups_count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    return (uint32_t)(((bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101) >> 56);
}

static inline void gsim_groups_set_bit(uint64_t bits[GSIM_SM_WORDS], uint32_t index, bool is)
{
    uint64_t *word = &bits[index / 64];
    *word = (*word & ~(UINT64_C(1) << index % 64)) | (uint64_t)is << index % 64;
}

/* Updates ROOMY and IDLE after what the group holds has changed. */
static inline void gsim_group_note_slots(struct gsim_gpu *gpu, const struct gsim_sm_group *g)
{
    gsim_groups_set_bit(gpu->roomy, g->index, g->slots < gpu->limits->blocks && g->warps < gpu->limits->warps);
    gsim_groups_set_bit(gpu->idle, g->index, !g->slots);
}

/* --- groups.c: sets of SMs and how fast their blocks go ------------------------------------------------ */
/* How many of the group's SMs have ids below LIMIT. */
uint32_t gsim_group_sms_below(const struct gsim_sm_group *g, uint32_t limit);
/* A group of undefined content; returns its index. */
uint32_t gsim_groups_add(struct gsim_gpu *gpu);
/* Moves the COUNT SMs of lowest id of the group INDEX into a new group in the same state; returns its index. */
uint32_t gsim_groups_split(struct gsim_gpu *gpu, uint32_t index, uint32_t count);
/* The same with its SMs of ids below LIMIT, and with those in MASK. */
uint32_t gsim_groups_split_below(struct gsim_gpu *gpu, uint32_t index, uint32_t limit);
uint32_t gsim_groups_split_mask(struct gsim_gpu *gpu, uint32_t index, const uint64_t mask[GSIM_SM_WORDS]);
/* Merges the group INDEX, which is empty, with another empty one of its kind of SM. */
void gsim_groups_merge_idle(struct gsim_gpu *gpu, uint32_t index);
/* Sets feels_memory after cohorts have left. */
static inline void gsim_group_feel(struct gsim_sm_group *g)
{
    g->feels_memory = false;
    for (uint32_t i = 0; i < g->cohort_count; i++) g->feels_memory |= gsim_demand_feels(g->cohorts[i].work);
}
/* Takes the work done since the last call from what the cohorts have left. */
void gsim_group_settle(struct gsim_sm_group *g, gsim_time now);
/* Marks the speeds of the group, which must be settled, and its next end as to be found; an empty one never ends. */
void gsim_groups_rate_empty(struct gsim_gpu *gpu, uint32_t index);
static inline void gsim_groups_rate(struct gsim_gpu *gpu, uint32_t index)
{
    const struct gsim_sm_group *g = gpu->groups[index];
    gsim_groups_set_bit(gpu->feeling, index, g->feels_memory);
    if (!g->cohort_count) {
        gsim_groups_rate_empty(gpu, index);
        return;
    }
    gpu->unrated[index / 64] |= UINT64_C(1) << index % 64;
    gpu->has_unrated = true;
}
/* Finds them, for all groups that are marked. */
void gsim_groups_rate_unrated(struct gsim_gpu *gpu);
static inline void gsim_groups_rate_all(struct gsim_gpu *gpu)
{
    if (gpu->has_unrated) gsim_groups_rate_unrated(gpu);
}
/* rate() of the model "blocks" (models/model.h): sets the speeds of one group by share.h, and its next end. */
void gsim_groups_rate_blocks(struct gsim_gpu *gpu, uint32_t index);
/* share() of the model "blocks": settles the load of DRAM and L2. SMs ask for less the slower they are, so it is a
 * fixed point, DRAM's stretch = gsim_share_dram(what all SMs ask for under that stretch + copies), found by half steps
 * to gpu.tolerance. Sets the speeds of all groups that ask for DRAM or L2. Returns whether any may have changed. */
bool gsim_groups_share_chip(struct gsim_gpu *gpu, gsim_time now);
/* Sets the group's next end by its speeds. */
void gsim_groups_set_end(struct gsim_gpu *gpu, uint32_t index);
/* Sets the chip's stretch and load of DRAM, and what fast and slow SMs get of it. */
void gsim_groups_set_dram(struct gsim_gpu *gpu, double stretch, double load);
/* Finds all speeds that are marked, then sets gpu->next. */
void gsim_groups_find_next(struct gsim_gpu *gpu);
/* Adds what BLOCKS blocks, a negative number takes back, hold of each SM of the group. */
static inline void gsim_group_take(struct gsim_gpu *gpu, struct gsim_sm_group *g, const struct gsim_demand *w,
                                   int blocks)
{
    g->slots += (uint32_t)blocks;
    g->warps += (uint32_t)blocks * w->need.warps;
    g->registers += (uint32_t)blocks * w->registers;
    g->smem += (uint32_t)blocks * w->need.smem_bytes;
    gsim_group_note_slots(gpu, g);
}
/* The first bit from INDEX on that is set, of a set of groups or of SMs; GSIM_MAX_SMS: none. */
static inline uint32_t gsim_groups_of(const uint64_t bits[GSIM_SM_WORDS], uint32_t index)
{
    uint64_t ahead = ~UINT64_C(0) << index % 64;
    for (uint32_t w = index / 64; w < GSIM_SM_WORDS; w++, ahead = ~UINT64_C(0))
        if (bits[w] & ahead) return w * 64 + (uint32_t)__builtin_ctzll(bits[w] & ahead);
    return GSIM_MAX_SMS;
}
/* How many more blocks of W each SM of the group can take. */
uint32_t gsim_group_room(const struct gsim_gpu *gpu, const struct gsim_sm_group *g, const struct gsim_demand *w);

/* --- spread.c: blocks that started alike end one after another ------------------------------------------ */
/* Tells apart the ends of resident blocks that wait for memory: WAITING waits for room from now on. */
void gsim_groups_spread(struct gsim_gpu *gpu, const struct gsim_kernel_run *waiting, gsim_time now);
/* Tells apart the ends of the last wave of kernels of several waves, all of whose blocks are placed: NEXT waits. */
void gsim_groups_spread_tails(struct gsim_gpu *gpu, const struct gsim_kernel_run *next, gsim_time now);
/* Delays all but the first of the blocks that would end together now. Returns whether all are delayed. */
bool gsim_groups_delay_ends(struct gsim_gpu *gpu, gsim_time now);

/* --- ends.c: blocks end, SMs are refilled -------------------------------------------------------------- */
/* Ends some of the blocks whose work is done at NOW and refills their SMs. Call it while gpu->next is NOW. */
void gsim_ends_handle(struct gsim_gpu *gpu, gsim_time now);
/* Tells the listener which launches have ended at NOW, in launch order. */
void gsim_ends_tell(struct gsim_gpu *gpu, gsim_time now);
/* Takes BLOCKS of the group's cohort AT off each of its SMs. An empty cohort leaves, the others keep their order. */
void gsim_ends_take_blocks(struct gsim_gpu *gpu, struct gsim_sm_group *g, uint32_t at, uint32_t blocks, gsim_time now);
/* Merges empty groups. */
void gsim_ends_merge_idle(struct gsim_gpu *gpu);

/* --- distributor.c: which SM gets the next block ------------------------------------------------------- */
/* The most urgent launch with blocks to place; NULL while there is none or the distributor pauses. */
struct gsim_kernel_run *gsim_distributor_head(const struct gsim_gpu *gpu);
/* Places the blocks of the queues' heads wherever they fit, launch after launch, until some do not fit. */
void gsim_distributor_serve(struct gsim_gpu *gpu, gsim_time now);
/* Places blocks of the head of the queue, and of no other launch, on what is free now, and pauses again. */
void gsim_distributor_poll(struct gsim_gpu *gpu, gsim_time now);
/* Refills SMs of the group, which have just lost blocks, from the head of the queue, in the order of their ids. SMs
 * that it fills leave the group; those that it does not need stay in it. */
void gsim_distributor_refill(struct gsim_gpu *gpu, uint32_t index, gsim_time now);

/* Settles the group, places BLOCKS blocks of RUN on each of its SMs, and rates it. */
void gsim_distributor_place(struct gsim_gpu *gpu, uint32_t index, struct gsim_kernel_run *run, uint32_t blocks,
                            gsim_time now);

/* Places one block of RUN on the only SM of the group, whatever else waits. */
void gsim_distributor_put(struct gsim_gpu *gpu, uint32_t index, struct gsim_kernel_run *run, gsim_time now);

/* --- known/clusters.c: all blocks of a cluster are in one GPC ---------------------------------------------------- */
/* Places clusters of RUN wherever whole ones fit. Returns whether all are placed. */
bool gsim_clusters_spread(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now);

/* --- known/chip.c: what the chip is asked for and the waits that follow ----------------------------------------- */
/* Where a search was, and how far from what is asked for; zero at first. */
struct gsim_search {
    double at, off;
};
/* What share of the way from AT to AT + OFF a STEP takes, below MOST. */
double gsim_search_share(struct gsim_search *last, int step, double at, double off, double most);
/* Whether anybody waits for L2, or will. */
bool gsim_chip_waits(const struct gsim_gpu *gpu);
/* Moves the waits for L2 some of the way to what is asked for. Returns whether they were there. */
bool gsim_chip_settle(struct gsim_gpu *gpu, int step, struct gsim_search last[GSIM_CHIP_PIPES]);

/* --- known/tiles.c: blocks that take tiles from a queue ---------------------------------------------------------- */
/* Before RUN's first blocks are placed: there is ROOM for so many. */
void gsim_tiles_begin(struct gsim_kernel_run *run, uint64_t room, gsim_time now);
/* Before COUNT more blocks of RUN are placed. */
void gsim_tiles_join(struct gsim_gpu *gpu, struct gsim_kernel_run *run, uint64_t count, gsim_time now);
/* Before RUN's next blocks are placed, BLOCKS on each of SMS SMs: on how many of these they have the work that its
 * .part then says. */
uint32_t gsim_tiles_part(struct gsim_kernel_run *run, uint32_t blocks, uint32_t sms, gsim_time now);

/* --- known/marks.c: blocks that trigger or wait before their end -------------------------------------------------- */
/* Sets what cohort C, which starts with WORK to do, has left until its first mark. */
void gsim_marks_begin(struct gsim_cohort *c, double work);
/* If the cohort is at a mark and not at its end, lets it go on or wait behind the mark and returns true. */
bool gsim_marks_pass(struct gsim_gpu *gpu, const struct gsim_sm_group *g, struct gsim_cohort *c, gsim_time now);
/* Tells the listener if all blocks of RUN, of which the last has just been placed, have triggered. */
void gsim_marks_placed(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now);
static inline bool gsim_marks_has(const struct gsim_kernel_run *run)
{
    return run->is_held || gsim_demand_triggers(run->work);
}

/* --- sample.c: one SM stands for several --------------------------------------------------------------------- */
/* Makes the chip, and all that its SMs share, about BY times smaller; returns the smaller device. */
const struct gsim_device_spec *gsim_sample_begin(struct gsim_gpu *gpu, double by);
/* How many of a grid's blocks the simulated SMs get: at least one, and on average their part. */
uint64_t gsim_sample_blocks(struct gsim_gpu *gpu, uint64_t grid);

/* --- models/repeat.c: waves that repeat those before ------------------------------------------------------------ */
/* Handles at once the waves that repeat until gpu->horizon. */
void gsim_waves_skip(struct gsim_gpu *gpu, gsim_time now);
