/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a kernel's description tells beyond its time: the pipes that it keeps busy, its clusters
 * (sim/sm/known/known.h). */
#include "sim/sm/known/known.h"

#include <math.h>

#include "sim/device/rules.h"
#include "sim/sm/share.h"

#define DENSE_SHARE 0.7 /* of what issue-bound blocks take, below which given arithmetic is not all that they do */
/* Of a slice's peak beyond the mean slice's: atomics on few addresses. Repeated they take up to a third less than
 * behind any other kernel, though nothing of theirs is displaced (H100: 510 and 676 us, 37 and 54 us). */
#define CONTENDED 0.3
#define CONTENDED_TIMES 3 /* a few kilobytes lie in few slices, too */
#define L2_MAX 0.85 /* of its peak that kernels reach */

/* How many times as long as alone a request to DRAM takes beside a kernel that asks for all that it has: measured with
 * dependent loads on an H100, 2.9 beside 264 x 256 threads that read lines, 4.8 and 8.5 beside 264 x 128 and 1000 x 512
 * that read single sectors, 13.7 and 16.4 beside 264 x 128 and 1000 x 256 that write these. Atomics on 32 addresses: 32
 * times. */
#define QUEUE           1.9 /* more than alone, of QUEUE_THREADS threads, and more of requests that cost DRAM more: */
#define QUEUE_COST      2.5 /* by that power */
#define QUEUE_THREADS   67584.0
#define QUEUE_MAX       16.0
#define QUEUE_CONTENDED 20.0
#define FULL(used)      (((used) - 0.75) / 0.15) /* of a pipe of all SMs: from 0, where requests queue, to 1 */
#define MIN_KEPT    0.02 /* of L1 */
#define MIN_TIMES 4
#define MIN_WAIT        0.03 /* of a block's time, below which it waits for nothing outside its SM */

/* Time of a request of the kernel that runs alone, over that on an idle chip. USED: share of what it is bound by. */
static double queue_alone(const struct gsim_demand *w, const struct gsim_device_spec *d, double used, double cost)
{
    if (w->is_contended) return QUEUE_CONTENDED;
    double full = fmax(0, fmin(1, FULL(used))), room = d->sm_count * (double)w->need.blocks_per_sm;
    double threads = fmin((double)w->blocks, room) * w->threads;
    return fmin(1 + full * QUEUE * pow(cost, QUEUE_COST) * sqrt(sqrt(threads / QUEUE_THREADS)), QUEUE_MAX);
}

/* Of the pipes of all SMs, the shares of what kernels get of them at most. */
struct chip_use {
    double dram, l2, slice;
};

static struct chip_use use_of_chip(const struct gsim_demand *w, const struct gsim_device_spec *d,
                                   const struct gsim_kernel *k, double cost)
{
    double l2 = k->pipes[GSIM_PIPE_L2] / L2_MAX,
           warm = fmin(k->solo_us / fmax(k->cold_us, 1e-9), 1); /* DRAM serves what is not in L2 */
    return (struct chip_use){k->pipes[GSIM_PIPE_DRAM] * warm * d->dram_peak_gbps / d->dram_gbps * cost, l2,
                             w->is_contended ? 1 : l2};
}

/* Load on the idle chip that gives the queue length QUEUE. */
static void set_queue(struct chip_use *use, const struct gsim_device_spec *d, double queue)
{
    double full = gsim_share_knee_load(queue, d->l2_knee) / queue;
    if (use->dram > 0 && use->dram >= fmax(use->l2, use->slice)) use->dram = gsim_share_dram_load(d, queue) / queue;
    else if (use->l2 >= use->slice) use->l2 = full;
    else use->slice = full;
}

/* What a block brings into L1, and how often it reads it there. Blocks keep it where those of an SM alone have room. */
static void set_l1(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k)
{
    double per_sm = fmin(w->need.blocks_per_sm, ceil((double)w->blocks / d->sm_count)),
           room = d->l1_kib * 1024.0 - w->carveout_bytes;
    w->l1_bytes = k->data_bytes / (double)w->blocks;
    w->l1_times = 1 / fmax(1 - k->l1_hit, 1e-3);
    w->keeps_l1 = gsim_rule_holds(d->rules_off, GSIM_RULE_L1_KEPT) && w->l1_times >= MIN_TIMES &&
                  w->l1_bytes > MIN_KEPT * room && per_sm * w->l1_bytes <= room;
}

void gsim_demand_set_pipes(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k,
                           double x, double scale)
{
    double part = k->solo_us * 1e6 * d->sm_count / (double)w->blocks, cost = k->dram_cost > 0 ? k->dram_cost : 1,
           most = 0, queue = 1;
    struct chip_use use = use_of_chip(w, d, k, cost);
    double used = fmax(use.dram, fmax(use.l2, use.slice));
    for (int p = 0; p < GSIM_SM_PIPES; p++) {
        w->pipe_ps[p] = scale * k->pipes[p] * part;
        w->service_ps[p] = w->pipe_ps[p] * sqrt(d->subpartitions / w->need.warps);
        if (k->pipes[p] > most) w->busiest = p;
        most = fmax(most, k->pipes[p]);
    }
    w->holds_ps = gsim_rule_holds(d->rules_off, GSIM_RULE_TENSOR_HOLDS) ? w->pipe_ps[GSIM_PIPE_TENSOR] : 0;
    double wait = k->memory_wait > 0 ? k->memory_wait : used > 0 ? used / (used + most) : 0;
    if (wait < MIN_WAIT) use = (struct chip_use){0}, wait = 0;
    else queue = queue_alone(w, d, used, use.dram >= used ? cost : 1);
    if (queue > 1) set_queue(&use, d, queue);
    double memory = x * wait / queue;
    set_l1(w, d, k);
    w->is_computing = wait < 0.5;
    w->latency_ps = x;
    w->block_ps = fmax(x * (1 - wait) + memory, scale * most * part);
    w->compute_ps = w->memory_ps = 0;
    w->issue_ps = w->pipe_ps[GSIM_PIPE_ISSUE];
    w->chip_ps[GSIM_CHIP_L2] = scale * fmin(use.l2, 1) * part;
    w->chip_ps[GSIM_CHIP_SLICE] = scale * fmin(use.slice, 1) * part;
    w->chip_exposed = fmax(use.l2, use.slice) > 0 ? memory / w->block_ps : 0;
    w->dram_exposed = use.dram > 0 ? memory / w->block_ps : 0;
    w->dram_gbps = scale * use.dram * d->dram_gbps * k->solo_us * 1e6 / (double)w->blocks / w->block_ps;
}

/* Whether the kernel's arithmetic, as it is given, is far from what would keep its blocks' warps always ready: they
 * wait for something else. */
bool gsim_known_sparse(const struct gsim_demand *w, const struct gsim_device_spec *d, double issue_ps)
{
    if (!gsim_rule_holds(d->rules_off, GSIM_RULE_SPARSE_ARITHMETIC)) return false;
    return w->kind == GSIM_DEMAND_ISSUE && w->has_flops && issue_ps < DENSE_SHARE * w->issue_ps * w->units;
}

/* What of KERNEL the rules that hold may know. */
struct gsim_kernel gsim_known_of(const struct gsim_device_spec *d, const struct gsim_kernel *kernel)
{
    struct gsim_kernel known = *kernel;
    known.pipes_given = (known.pipes_given || known.waits) && gsim_rule_holds(d->rules_off, GSIM_RULE_KNOWN_PIPES);
    if (!gsim_rule_holds(d->rules_off, GSIM_RULE_BLOCK_CLUSTERS)) known.cluster = (struct gsim_dim3){0};
    if (!gsim_rule_holds(d->rules_off, GSIM_RULE_COLD_TIME)) known.cold_us = 0;
    return known;
}

bool gsim_known_contended(const struct gsim_device_spec *d, const struct gsim_kernel *k)
{
    double slice = k->pipes[GSIM_PIPE_L2_SLICE], mean = k->pipes[GSIM_PIPE_L2];
    return k->pipes_given && gsim_rule_holds(d->rules_off, GSIM_RULE_COLD_TIME) && slice - mean > CONTENDED &&
           slice > CONTENDED_TIMES * mean;
}

double gsim_known_bytes(const struct gsim_device_spec *d, const struct gsim_kernel *k)
{
    return gsim_rule_holds(d->rules_off, GSIM_RULE_COLD_TIME) ? k->data_bytes : 0;
}

uint32_t gsim_known_cluster(const struct gsim_kernel *k)
{
    return k->cluster.x ? k->cluster.x * k->cluster.y * k->cluster.z : 1;
}

enum gsim_status gsim_known_check_cluster(const struct gsim_device_spec *d, const struct gsim_kernel *k,
                                          struct gsim_error *error)
{
    uint32_t cluster = gsim_known_cluster(k);
    if (cluster == 1 || gsim_clusters_fit(d, cluster)) return GSIM_OK;
    return gsim_error_set(error, GSIM_INPUT, "kernel '%s': cluster: no GPC of '%s' has SMs for its %u blocks", k->name,
                          d->name, cluster);
}
