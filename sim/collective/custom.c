/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All-reduces of serving engines (vLLM, csrc/custom_all_reduce.cuh; SGLang has the same): each rank reads the buffers
 * of the others over NVLink. One shot: it reads all of them whole. Two shots: it reduces its part of the message, and
 * then reads the others' parts. Larger messages, other ranks and links are left to NCCL.
 */
#include "sim/collective/plan.h"

#include <math.h>

#define BLOCKS        36
#define THREADS       512
#define THREAD_BYTES  16 /* of a load */
#define MAX_RANKS     8
/* From these bytes on more than two ranks take two shots. */
#define TWO_SHOT_OF_4 (512 * 1024)
#define TWO_SHOT_OF_8 (256 * 1024)

bool gsim_custom_takes(const struct gsim_nccl *n, const struct gsim_collective_plan *plan,
                       const struct gsim_collective_links *links)
{
    const struct gsim_collective *what = plan->what;
    if (what->algorithm == GSIM_ALGORITHM_ONE_SHOT || what->algorithm == GSIM_ALGORITHM_TWO_SHOT) return true;
    bool is_asked = what->algorithm == GSIM_ALGORITHM_CUSTOM || (!what->algorithm && links->is_custom);
    return is_asked && what->kind == GSIM_COLLECTIVE_ALL_REDUCE && plan->nodes == 1 && plan->ranks > 1 &&
           plan->ranks <= MAX_RANKS && plan->ranks % 2 == 0 && (links->has_nvlink || plan->ranks == 2) &&
           what->bytes % THREAD_BYTES == 0 && (double)what->bytes < n->custom_bytes;
}

void gsim_custom_choose(struct gsim_collective_plan *p)
{
    double bytes = (double)p->what->bytes;
    bool is_one = p->ranks == 2 || bytes < (p->ranks <= 4 ? TWO_SHOT_OF_4 : TWO_SHOT_OF_8);
    p->algorithm = is_one ? GSIM_ALGORITHM_ONE_SHOT : GSIM_ALGORITHM_TWO_SHOT;
    if (p->what->algorithm > GSIM_ALGORITHM_CUSTOM) p->algorithm = p->what->algorithm;
    p->channels = gsim_whole_u32(fmax(1, fmin(BLOCKS, ceil(bytes / THREAD_BYTES / THREADS))));
    p->threads = THREADS;
}

double gsim_custom_us(const struct gsim_nccl *n, const struct gsim_collective_plan *plan,
                      const struct gsim_collective_conditions *c)
{
    bool is_one = plan->algorithm == GSIM_ALGORITHM_ONE_SHOT;
    double gbps = gsim_steps_link_gbps(n, plan, c) * n->custom_share * c->sent_share / c->memory_stretch;
    double base_us = is_one ? n->one_shot_us + (plan->ranks - 2) * n->one_shot_rank_us
                            : n->two_shot_us + (plan->ranks - 2) * n->two_shot_rank_us;
    return base_us + gsim_collective_sent(plan) / gbps * 1e-3;
}
