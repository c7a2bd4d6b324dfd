/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * orion: Orion (EuroSys 2024; eth-easl/orion aded65d). The most urgent task's launches go at once, in a stream of the
 * highest priority. One of the others goes where that one has nothing in flight in its request, or where its SM need
 * fits beside what was let go in this look (size + sm <= sm_threshold) and one of the two is compute-bound and the
 * other memory-bound, or either is unknown. Once the summed times of the others since then pass max_be_us, they wait
 * until all of theirs have ended.
 *
 * SM need: blocks over blocks per SM, min(ceil(2048 / threads), ceil(65536 / static smem), by registers), which may
 * exceed the GPU, and then never fits beside the urgent one. Times come from the profile; compute or memory from the
 * kernel's flops and DRAM bytes, as a profiler counts them. Ours: a look at every launch and end in place of polling;
 * copies are not held; sm_threshold stays (inference).
 */
#include <math.h>

#include "schedulers/sharing/held.h"

struct orion_params {
    double max_be_us, decision_us;
    int64_t sm_threshold; /* 0: all SMs */
};

enum bound { BOUND_UNKNOWN, BOUND_COMPUTE, BOUND_MEMORY };

struct orion {
    uint32_t urgent_in_flight, others_in_flight, next;
    enum bound last;        /* of the urgent task's last launch */
    bool has_request;       /* the urgent task has launched something of the present request */
    double others_us;       /* since all of theirs had ended */
    struct gsim_held held[]; /* by task */
};

GSIM_SHARE_OWN(struct orion, struct orion_params)

static enum bound bound_of(const struct gsim_share *share, const struct gsim_kernel *k)
{
    double flops = 2.0 * share->device.fp32_lanes_per_sm * share->device.sm_count * share->device.clock_mhz * 1e6;
    double compute = k->flops / flops, memory = k->dram_bytes / (share->device.dram_gbps * 1e9);
    if (compute <= 0 && memory <= 0) return BOUND_UNKNOWN;
    return compute > memory ? BOUND_COMPUTE : BOUND_MEMORY;
}

static uint64_t sms_of(const struct gsim_share_kernel *k)
{
    double threads = (double)k->kernel->block.x * k->kernel->block.y * k->kernel->block.z,
           registers = k->kernel->regs_per_thread ? k->kernel->regs_per_thread : 32;
    double per_sm = fmin(ceil(2048 / threads), fmax(1, floor(65536 / (registers * threads))));
    if (k->kernel->smem_bytes) per_sm = fmin(per_sm, ceil(65536.0 / k->kernel->smem_bytes));
    return gsim_whole_u64(ceil((double)gsim_blocks_of(k) / per_sm));
}

/* SIZE: of what was let go in this look. */
static bool may_go(const struct gsim_share *share, const struct gsim_share_kernel *k, uint64_t size)
{
    const struct orion *o = state_of(share);
    uint64_t most = params_of(share)->sm_threshold ? (uint64_t)params_of(share)->sm_threshold : share->device.sm_count;
    enum bound own = bound_of(share, k->kernel);
    if (!o->has_request && !o->urgent_in_flight) return true;
    return size + sms_of(k) <= most && (own != o->last || own == BOUND_UNKNOWN);
}

static void release_held(struct gsim_share *share)
{
    struct orion *o = state_of(share);
    uint64_t size = 0;
    for (uint32_t i = 0, first = o->next; i < share->task_count; i++) { /* round robin */
        uint32_t task = (first + i) % share->task_count;
        struct gsim_share_kernel *k = o->held[task].first;
        if (task == share->urgent || !k || o->others_us > params_of(share)->max_be_us || !may_go(share, k, size))
            continue;
        gsim_held_pop(&o->held[task]);
        size += sms_of(k);
        o->others_us += gsim_profiled_us(share, k);
        o->others_in_flight++;
        o->next = (task + 1) % share->task_count;
        gsim_share_decide(share, k, params_of(share)->decision_us);
    }
}

static void request_ended(struct gsim_share *share, uint32_t task)
{
    struct orion *o = state_of(share);
    if (task == share->urgent) o->has_request = false;
    release_held(share);
}

static void ready(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct orion *o = state_of(share);
    if (k->task != share->urgent) {
        gsim_held_push(&o->held[k->task], k);
        release_held(share);
        return;
    }
    o->has_request = true;
    o->urgent_in_flight++;
    o->last = bound_of(share, k->kernel);
    gsim_share_decide(share, k, params_of(share)->decision_us);
    release_held(share);
}

static void ended(struct gsim_share *share, struct gsim_share_kernel *k)
{
    struct orion *o = state_of(share);
    if (k->task == share->urgent) o->urgent_in_flight--;
    else if (!--o->others_in_flight) o->others_us = 0;
    release_held(share);
}

const struct gsim_sharing_ops gsim_sharing_orion = {
    GSIM_HEAD(sharing),
    .name = "orion",
    .summary = "others' kernels beside the urgent task's where they are small and need the other resource",
    .source = "Orion (EuroSys 2024), eth-easl/orion aded65d",
    GSIM_PARAMS(struct orion_params,
        GSIM_REAL(struct orion_params, max_be_us, 100, 0, 1e9, "us",
                  "of others' kernels in a row before they wait for all of theirs"),
        GSIM_INT(struct orion_params, sm_threshold, 0, 0, 4096, "", "SMs that others may need in one look; 0: all"),
        GSIM_REAL(struct orion_params, decision_us, 2, 0, 1000, "us", "what the scheduler takes for each launch")),
    .needs_profile = true,
    .base = {.mechanism = GSIM_MECHANISM_STREAMS, .uses_priority = true},
    .state_size = sizeof(struct orion),
    .task_size = sizeof(struct gsim_held),
    .request_ended = request_ended,
    .ready = ready,
    .ended = ended,
};
