/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/sm (internal). The state of one GPU: groups of SMs in the same state, cohorts of blocks on them, and the
 * distributor's queues. Groups split when placement treats their SMs differently; empty ones merge again.
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
/* Blocks end on this grid, in picoseconds: ends that differ by rounding only are simultaneous, and then go by SM
 * id, whatever the grouping. Fine enough that a thousand waves still take their measured time within 0.1 %. */
#define GSIM_END_GRID 100

/* Blocks that fall out of step (spread.c), their work as shares of a block's. */
struct gsim_tail {
    double longest, last;  /* the longest block, before spreading and after */
    double before, after;  /* the sum over blocks, likewise */
};

/* A kernel from its submission to the end of its last block. */
struct gsim_kernel_run {
    const struct gsim_demand *work;
    void *tag;
    uint64_t blocks;          /* of its grid, on the SMs that are simulated */
    uint64_t unplaced, resident;
    double scale; /* of its work */
    bool is_held;             /* its blocks wait behind their prologue, */
    double prologue;          /* this share of their work */
    uint64_t untriggered;     /* of its blocks that were placed */
    uint32_t stands_for;      /* blocks of the grid that each block placed is: more than 1 of tasks alone */
    struct gsim_kernel_run *next; /* in its queue, or in the free list */
    uint64_t number;          /* in the order of their launches */
    int level;
    double pace;              /* of all its blocks (gsim_gpu_set_pace) */
    bool started;
    bool is_paused;           /* not in a queue (stop.c) */
    bool has_waited;          /* for room, itself or behind who did */
    gsim_time placed_at;      /* its last block */
    double last_place;        /* of its blocks, that of the last one (spread.c) */
    struct gsim_tail tail;
};

/* SMs in the same state. */
struct gsim_sm_group {
    uint32_t sm_count, cohort_count;        /* first what is looked at most */
    uint32_t warps, registers, smem, slots; /* used, per SM */
    uint32_t carveout;                      /* shared-memory bytes configured; 0: never set */
    uint32_t lowest_sm, index;              /* groups[index] */
    uint64_t sms[GSIM_SM_WORDS];
    double demand_gbps;                     /* asked of DRAM, per SM */
    double chip[GSIM_CHIP_PIPES];           /* asked of the pipes that all SMs share, in SMs' parts */
    gsim_time updated;
    bool is_fast;                           /* gets more of a saturated DRAM (device: fast_sm_share) */
    bool feels_memory;
    bool has_demand;                        /* DEMAND_GBPS and CHIP are part of the GPU's; else 0 */
    /* what it holds, where that is kept; NULL or of another MIX_SINCE: to be found */
    struct gsim_mix *mix;
    uint64_t mix_since;                     /* memo.since when it was found */
    struct gsim_cohort cohorts[GSIM_MAX_COHORTS];
};

/* The distributor's queue of one priority. */
struct gsim_level {
    struct gsim_kernel_run *head, **tail;
};

struct gsim_work_model;

struct gsim_gpu {
    const struct gsim_work_model *model;   /* the device's (models/model.h) */
    const struct gsim_device_spec *device; /* with the SMs that are simulated, and their part of DRAM */
    struct gsim_device_spec sampled;       /* that, where one SM stands for several */
    /* for how many; blocks of grids so far that have been left out, or taken too many */
    double sms_each, left_over;
    const struct gsim_sm_limits *limits; /* the device's, which follow */
    struct gsim_sm_limits own_limits;
    struct gsim_gpu_options options;
    struct gsim_gpu_listener listener;
    struct gsim_gpu_watcher watcher;
    const struct gsim_random *noise; /* NULL: none */
    uint64_t scatter;                /* gsim_gpu_set_scatter */
    struct gsim_places {
        uint64_t scatter;
        bool is_found;
        double of[GSIM_MAX_SMS];     /* by SM: place of its first block (spread.c) */
    } places[2];                     /* of a kernel alone; of several */
    struct gsim_arena *arena;
    struct gsim_level queues[GSIM_MAX_LEVELS]; /* [0] is the least urgent, priority 0 */
    struct gsim_kernel_run *free_runs;
    struct gsim_kernel_run *ended_runs; /* at this time, that the listener has not been told of, by number */
    uint64_t run_number;      /* the next one's */
    uint32_t group_count, queued_count;
    uint32_t run_count;       /* kernels that were submitted and have not ended */
    const struct gsim_kernel_run *blocked; /* the head of the queue, once no SM has room for it */
    double demand_gbps;       /* asked of DRAM by all resident blocks */
    double chip_asked[GSIM_CHIP_PIPES]; /* of the pipes that all SMs share, of their peak */
    double copies_gbps;       /* and by copies */
    struct gsim_dram_state dram; /* as applied to every SM; write with gsim_groups_set_dram */
    double applied_gbps;      /* asked for when that was found to be near enough; NAN: not yet */
    double gains[2];          /* of slow and fast SMs then */
    struct gsim_memo memo;
    struct gsim_chip_shares chip;
    struct gsim_gpu_load load;
    bool keeps_carveout;      /* the head of the queue fills SMs as they empty */
    gsim_time poll_at;        /* the distributor is busy until then */
    bool is_pausing;          /* and somebody waits for that */
    uint64_t block_events, events;
    uint64_t told;            /* calls of the listener */
    gsim_time last_start;     /* of a kernel's first block */
    uint64_t skip_at;        /* models/repeat.c looks again after so many events */
    gsim_time horizon;        /* nobody interferes before (gsim_gpu_promise) */
    gsim_time next;           /* the earliest next end of a group, or the turn, if that is earlier */
    struct gsim_soonest ends; /* of the groups: their next */
    bool has_unrated;         /* some group may be in */
    uint64_t unrated[GSIM_SM_WORDS]; /* groups whose speeds are to be found before time passes, a bit each */
    uint64_t roomy[GSIM_SM_WORDS];   /* groups with room for a block and a warp, a bit each */
    uint64_t idle[GSIM_SM_WORDS];    /* and without any block */
    uint64_t feeling[GSIM_SM_WORDS]; /* with blocks that ask for DRAM, as rated last or to be rated */
    struct gsim_sm_group *groups[GSIM_MAX_SMS];
    struct gsim_sm_group *free_groups[GSIM_MAX_SMS];
    uint32_t free_group_count;
};

static inline bool gsim_gpu_rule(const struct gsim_gpu *gpu, enum gsim_rule rule)
{
    return gsim_rule_holds(gpu->device->rules_off, rule);
}

/* By several kernels, resident or waiting; one alone waits for itself at most. */
static inline bool gsim_gpu_is_shared(const struct gsim_gpu *gpu) { return gpu->run_count > 1; }

/* --- gpu.c -------------------------------------------------------------------------------------------------- */
/* A run of WORK that nobody has queued or placed yet; NULL when memory is out. */
struct gsim_kernel_run *gsim_gpu_new_run(struct gsim_gpu *gpu, const struct gsim_demand *work, double scale, void *tag);
/* Gives RUN's blocks its pace, multiplies what is left of them by FACTOR, and re-rates their SMs. ONLY_WAITING: on SMs
 * alone where some of them have pace 0. */
void gsim_gpu_change(struct gsim_gpu *gpu, gsim_time now, const struct gsim_kernel_run *run, double factor,
                     bool only_waiting);

/* In the registers that every processor has: a call of the compiler's library takes longer. */
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

/* How much the group holds has changed. */
static inline void gsim_group_note_slots(struct gsim_gpu *gpu, const struct gsim_sm_group *g)
{
    gsim_groups_set_bit(gpu->roomy, g->index, g->slots < gpu->limits->blocks && g->warps < gpu->limits->warps);
    gsim_groups_set_bit(gpu->idle, g->index, !g->slots);
}

/* --- groups.c: sets of SMs and how fast their blocks go ------------------------------------------------ */
/* How many of the group's SMs have ids below LIMIT. */
uint32_t gsim_group_sms_below(const struct gsim_sm_group *g, uint32_t limit);
uint32_t gsim_groups_add(struct gsim_gpu *gpu);
/* Moves the COUNT lowest SMs of the group into a new one in the same state; returns its index. */
uint32_t gsim_groups_split(struct gsim_gpu *gpu, uint32_t index, uint32_t count);
/* The same with those of its SMs that have ids below LIMIT, or that are in MASK. */
uint32_t gsim_groups_split_below(struct gsim_gpu *gpu, uint32_t index, uint32_t limit);
uint32_t gsim_groups_split_mask(struct gsim_gpu *gpu, uint32_t index, const uint64_t mask[GSIM_SM_WORDS]);
/* The group is empty: it joins the other empty one of its kind of SM. */
void gsim_groups_merge_idle(struct gsim_gpu *gpu, uint32_t index);
/* Some of the group's cohorts have left: whether it still feels DRAM. */
static inline void gsim_group_feel(struct gsim_sm_group *g)
{
    g->feels_memory = false;
    for (uint32_t i = 0; i < g->cohort_count; i++) g->feels_memory |= gsim_demand_feels(g->cohorts[i].work);
}
/* Brings the cohorts' remaining work to NOW. */
void gsim_group_settle(struct gsim_sm_group *g, gsim_time now);
/* Speeds under the present load and the time of the group's next end are to be found. The group must be settled. */
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
/* They are, of all such groups. */
void gsim_groups_rate_unrated(struct gsim_gpu *gpu);
static inline void gsim_groups_rate_all(struct gsim_gpu *gpu)
{
    if (gpu->has_unrated) gsim_groups_rate_unrated(gpu);
}
/* What of the model "blocks" concerns speeds (models/model.h). After the chip-wide load changed
 * gsim_groups_share_chip() re-rates the SMs that feel it, and all others that are unrated. It returns whether the load
 * changed by more than the tolerance. */
void gsim_groups_rate_blocks(struct gsim_gpu *gpu, uint32_t index);
bool gsim_groups_share_chip(struct gsim_gpu *gpu, gsim_time now);
/* The time of the group's next end, whose speeds have been set. */
void gsim_groups_set_end(struct gsim_gpu *gpu, uint32_t index);
void gsim_groups_set_dram(struct gsim_gpu *gpu, double stretch, double load);
void gsim_groups_find_next(struct gsim_gpu *gpu);
/* Adds (or takes back) what BLOCKS blocks of the kernel hold of an SM; the group is to be rated. */
static inline void gsim_group_take(struct gsim_gpu *gpu, struct gsim_sm_group *g, const struct gsim_demand *w,
                                   int blocks)
{
    g->slots += (uint32_t)blocks;
    g->warps += (uint32_t)blocks * w->need.warps;
    g->registers += (uint32_t)blocks * w->registers;
    g->smem += (uint32_t)blocks * w->need.smem_bytes;
    gsim_group_note_slots(gpu, g);
}
/* The first group from INDEX on whose bit is set; GSIM_MAX_SMS: there is none. */
static inline uint32_t gsim_groups_of(const uint64_t bits[GSIM_SM_WORDS], uint32_t index)
{
    uint64_t ahead = ~UINT64_C(0) << index % 64;
    for (uint32_t w = index / 64; w < GSIM_SM_WORDS; w++, ahead = ~UINT64_C(0))
        if (bits[w] & ahead) return w * 64 + (uint32_t)__builtin_ctzll(bits[w] & ahead);
    return GSIM_MAX_SMS;
}
/* How many more blocks of the kernel an SM of the group can take. */
uint32_t gsim_group_room(const struct gsim_gpu *gpu, const struct gsim_sm_group *g, const struct gsim_demand *w);

/* --- spread.c: SMs that began alike end one before the other ------------------------------------------- */
/* WAITING waits for room from now on: it matters to it. */
void gsim_groups_spread(struct gsim_gpu *gpu, const struct gsim_kernel_run *waiting, gsim_time now);
/* The blocks of streams of several waves whose last has been placed: NEXT waits for their room. */
void gsim_groups_spread_tails(struct gsim_gpu *gpu, const struct gsim_kernel_run *next, gsim_time now);
/* Blocks that end together now: which are later. Returns whether all of them are. */
bool gsim_groups_delay_ends(struct gsim_gpu *gpu, gsim_time now);

/* --- ends.c: blocks end, SMs are refilled -------------------------------------------------------------- */
/* Ends blocks that end at NOW, the time of the next end; the caller serves the queue and repeats while some do. */
void gsim_ends_handle(struct gsim_gpu *gpu, gsim_time now);
/* Tells the listener which kernels have ended. Of several at one time in the order of their launches, however SMs are
 * grouped. */
void gsim_ends_tell(struct gsim_gpu *gpu, gsim_time now);
/* Takes BLOCKS of the group's cohort AT off each of its SMs. */
void gsim_ends_take_blocks(struct gsim_gpu *gpu, struct gsim_sm_group *g, uint32_t at, uint32_t blocks, gsim_time now);
void gsim_ends_merge_idle(struct gsim_gpu *gpu);

/* --- distributor.c: which SM gets the next block ------------------------------------------------------- */
/* The most urgent kernel with blocks to place, or NULL while there is none or the distributor turns. */
struct gsim_kernel_run *gsim_distributor_head(const struct gsim_gpu *gpu);
/* Places the heads' blocks wherever they fit, kernel after kernel, until one does not fit. */
void gsim_distributor_serve(struct gsim_gpu *gpu, gsim_time now);
/* It has ended its turn, or finds SMs that have become free: places the head's blocks, and nobody else's, and turns
 * again. */
void gsim_distributor_poll(struct gsim_gpu *gpu, gsim_time now);
/* The SMs of the group have just lost blocks, one SM after the other: the head of the queue fills each before
 * the next. SMs that it fills leave the group; those that it does not need stay, for the kernel behind it. */
void gsim_distributor_refill(struct gsim_gpu *gpu, uint32_t index, gsim_time now);

/* Puts BLOCKS blocks of RUN on every SM of the group, which is brought to NOW before and rated behind. */
void gsim_distributor_place(struct gsim_gpu *gpu, uint32_t index, struct gsim_kernel_run *run, uint32_t blocks,
                            gsim_time now);

/* --- known/clusters.c: blocks that stand in one GPC at once ------------------------------------------------------- */
/* As the distributor places any other kernel's blocks: wherever whole clusters fit. Returns whether all are placed. */
bool gsim_clusters_spread(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now);

/* Puts one block of RUN on the one SM of the group, whatever else waits. */
void gsim_distributor_put(struct gsim_gpu *gpu, uint32_t index, struct gsim_kernel_run *run, gsim_time now);

/* --- known/marks.c: blocks that trigger or wait before their end -------------------------------------------------- */
/* C is a cohort that begins, with WORK to do: sets what is left until its first mark. */
void gsim_marks_begin(struct gsim_cohort *c, double work);
/* The cohort is at a mark, not at its end: true, and it goes on or waits. */
bool gsim_marks_pass(struct gsim_gpu *gpu, const struct gsim_sm_group *g, struct gsim_cohort *c, gsim_time now);
/* All blocks of RUN have been placed: they may all have triggered. */
void gsim_marks_placed(struct gsim_gpu *gpu, struct gsim_kernel_run *run, gsim_time now);
static inline bool gsim_marks_has(const struct gsim_kernel_run *run)
{
    return run->is_held || gsim_demand_triggers(run->work);
}

/* --- sample.c: one SM stands for several --------------------------------------------------------------------- */
/* The chip becomes smaller by about BY, and all that its SMs share with it. */
const struct gsim_device_spec *gsim_sample_begin(struct gsim_gpu *gpu, double by);
/* How many blocks of a grid of so many the SMs that are simulated have: at least one, and on average their part. */
uint64_t gsim_sample_blocks(struct gsim_gpu *gpu, uint64_t grid);

/* --- models/repeat.c: waves that only repeat those before ------------------------------------------------------ */
void gsim_waves_skip(struct gsim_gpu *gpu, gsim_time now);
