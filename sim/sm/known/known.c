/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a kernel's description tells beyond its time: the pipes that it keeps busy, its clusters (sim/sm/known/known.h). */
#include "sim/sm/known/known.h"

#include <math.h>

#include "sim/device/rules.h"

#define DENSE_SHARE 0.7 /* of what issue-bound blocks take, below which given arithmetic is not all that they do */
/* Of a slice's peak beyond the mean slice's: atomics on few addresses. Repeated they take up to a third less than behind any other kernel,
 * though nothing of theirs is displaced (H100: 510 and 676 us, 37 and 54 us). */
#define CONTENDED 0.3

/* Share of a block's time that waits for a pipe of all SMs: the kernel takes CHIP of that, and SM of its SMs' own. */
static double exposed(double chip, double sm) { return chip > 0 ? chip / (chip + sm) : 0; }

void gsim_demand_set_pipes(struct gsim_demand *w, const struct gsim_device_spec *d, const struct gsim_kernel *k, double x, double scale)
{
    double part = k->solo_us * 1e6 * d->sm_count / (double)w->blocks, most = 0;
    double l2 = k->pipes[GSIM_PIPE_L2], slice = k->pipes[GSIM_PIPE_L2_SLICE], dram = k->pipes[GSIM_PIPE_DRAM] * d->dram_peak_gbps;
    for (int p = 0; p < GSIM_SM_PIPES; p++) {
        w->pipe_ps[p] = scale * k->pipes[p] * part;
        most = fmax(most, k->pipes[p]);
    }
    w->is_contended = slice - l2 > CONTENDED;
    w->is_computing = most >= fmax(k->pipes[GSIM_PIPE_DRAM], fmax(l2, slice));
    w->latency_ps = w->block_ps = fmax(x, scale * most * part);
    w->compute_ps = w->memory_ps = 0;
    w->issue_ps = w->pipe_ps[GSIM_PIPE_ISSUE];
    w->chip_ps[GSIM_CHIP_L2] = scale * l2 * part;
    w->chip_ps[GSIM_CHIP_SLICE] = scale * slice * part;
    w->chip_exposed[GSIM_CHIP_L2] = exposed(l2, most);
    w->chip_exposed[GSIM_CHIP_SLICE] = slice > l2 ? exposed(slice, most) * (1 - l2 / slice) : 0;
    w->dram_exposed = exposed(fmax(dram / d->dram_gbps, l2), most);
    w->dram_gbps = scale * dram * k->solo_us * 1e6 / (double)w->blocks / w->block_ps;
}

/* Whether the kernel's arithmetic, as it is given, is far from what would keep its blocks' warps always ready: they wait for something else. */
bool gsim_known_sparse(const struct gsim_demand *w, const struct gsim_device_spec *d, double issue_ps)
{
    if (!gsim_rule_holds(d->rules_off, GSIM_RULE_SPARSE_ARITHMETIC)) return false;
    return w->kind == GSIM_DEMAND_ISSUE && w->has_flops && issue_ps < DENSE_SHARE * w->issue_ps * w->units;
}

/* The pipes that follow from the arithmetic. */
struct gsim_kernel gsim_known_arithmetic(const struct gsim_device_spec *d, const struct gsim_kernel *k, double issue_ps)
{
    struct gsim_kernel own = *k;
    double blocks = (double)k->grid.x * k->grid.y * k->grid.z, share = issue_ps * blocks / (k->solo_us * 1e6 * d->sm_count);
    own.pipes_given = true;
    own.pipes[k->fp64 ? GSIM_PIPE_FP64 : GSIM_PIPE_FMA] = fmin(share, 1);
    own.pipes[GSIM_PIPE_ISSUE] = fmin(share * (k->fp64 ? d->fp64_ratio : 1), 1);
    return own;
}

/* What of KERNEL the rules that hold may know. */
struct gsim_kernel gsim_known_of(const struct gsim_device_spec *d, const struct gsim_kernel *kernel)
{
    struct gsim_kernel known = *kernel;
    if (!gsim_rule_holds(d->rules_off, GSIM_RULE_KNOWN_PIPES)) known.pipes_given = false;
    if (!gsim_rule_holds(d->rules_off, GSIM_RULE_KNOWN_IMBALANCE)) known.imbalance = 0;
    if (!gsim_rule_holds(d->rules_off, GSIM_RULE_BLOCK_CLUSTERS)) known.cluster = (struct gsim_dim3){0};
    if (!gsim_rule_holds(d->rules_off, GSIM_RULE_COLD_TIME)) known.cold_us = 0;
    return known;
}

uint32_t gsim_known_cluster(const struct gsim_kernel *k) { return k->cluster.x ? k->cluster.x * k->cluster.y * k->cluster.z : 1; }

enum gsim_status gsim_known_check_cluster(const struct gsim_device_spec *d, const struct gsim_kernel *k, struct gsim_error *error)
{
    uint32_t cluster = gsim_known_cluster(k);
    if (cluster == 1 || gsim_clusters_fit(d, cluster)) return GSIM_OK;
    return gsim_error_set(error, GSIM_INPUT, "kernel '%s': cluster: no GPC of '%s' has SMs for its %u blocks", k->name, d->name, cluster);
}

