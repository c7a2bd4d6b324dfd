/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The equations of sim/sm/share.h, one SM at a time. Knows no placement and no time but the cohorts' age. */
#include "sim/sm/share_parts.h"

#include <string.h>

/* What was measured of an SM is the device's (include/gpusim/device.def, section "how the blocks of an SM share it";
 * sources: models/arch/sm_90.json). */
#define USED_TOLERANCE 1e-3 /* of the issue rate, to which what memory blocks with arithmetic use is solved for */

double gsim_issue_share(const struct gsim_device_spec *d, double width)
{
    const double at[5] = {0, d->issue_share[0], d->issue_share[1], d->issue_share[2], 1};
    if (width >= 4) return 1;
    int whole = gsim_whole_int(width);
    return at[whole] + (width - whole) * (at[whole + 1] - at[whole]);
}

/* Issue share of the oldest WIDTH warps per sub-partition when more than GSIM_EQUAL_WIDTH want it. */
static double oldest_share(double width)
{
    if (width <= 2) return width / 3;
    return width <= 4 ? 2.0 / 3 + (width - 2) / 6 : 1;
}

double gsim_share_dram(const struct gsim_device_spec *d, double demand_gbps)
{
    double load = demand_gbps / d->dram_gbps;
    if (load <= 0) return 1;
    if (d->dram_stretch_one <= 0) {
        double power = pow(load, d->dram_knee);
        return power < 1e-9 ? 1 : pow(1 + power, 1 / d->dram_knee);
    }
    double loads[7] = {0, 0.125, 0.25, 0.5, 1, 2, 4};
    double stretches[7] = {1, d->dram_stretch_eighth, d->dram_stretch_quarter, d->dram_stretch_half,
                           d->dram_stretch_one, d->dram_stretch_two, 4};
    for (int i = 1; i < 7; i++)
        if (load <= loads[i])
            return stretches[i - 1] +
                   (load - loads[i - 1]) / (loads[i] - loads[i - 1]) * (stretches[i] - stretches[i - 1]);
    return load;
}

/* The value of AT for C's pair of sub-partitions; of a block on all of them, of the fuller pair. */
static double of_halves(const double at[3], const struct gsim_cohort *c)
{
    return c->half ? at[c->half] : at[1] > at[2] ? at[1] : at[2];
}

/* Adds what does not depend on DRAM's load. */
static void add_cohort(struct gsim_share_sums *s, const struct gsim_cohort *c)
{
    const struct gsim_demand *w = c->work;
    double blocks = c->blocks * c->pace; /* those that wait for pages ask for nothing */
    if (w->kind == GSIM_DEMAND_DESCRIBED) {
        s->described += blocks * w->issue_ps / w->block_ps;
        s->has_pipes |= w->has_pipes;
        s->has_others |= !w->has_pipes;
        return;
    }
    s->has_others = true;
    s->has_arithmetic |= gsim_share_has_arithmetic(w);
    gsim_share_add_to_halves(s->half_width, c);
    if (w->kind == GSIM_DEMAND_MEMORY) s->memory_width += blocks * w->threads / GSIM_THREADS_OF_WIDTH;
    if (w->kind == GSIM_DEMAND_SCATTER) s->lines += blocks * w->threads;
    if (w->kind != GSIM_DEMAND_ON_CHIP) return;
    s->has_on_chip = true;
    s->is_crowded |= w->is_crowded;
    s->on_chip += blocks * w->issue_ps / w->compute_ps;
}

/* Adds what the blocks of a crowd, of which W is one, ask of DRAM and L2. */
static void add_crowd(struct gsim_share_sums *s, const struct gsim_demand *w, uint32_t crowd)
{
    double per_time = s->crowd_blocks[crowd] / s->pipes_time[crowd];
    s->demand_gbps += per_time * w->dram_gbps * w->block_ps * (1 + s->dram_wait);
    for (int p = 0; p < GSIM_CHIP_PIPES; p++) s->chip[p] += per_time * w->chip_ps[p] * (1 + s->chip_wait[p]);
}

/* Adds what depends on it: traffic, and threads that wait for data. */
static void add_traffic(struct gsim_share_sums *s, const struct gsim_cohort *c)
{
    const struct gsim_demand *w = c->work;
    double blocks = c->blocks * c->pace;
    if (w->has_pipes) return;
    if (w->kind == GSIM_DEMAND_DESCRIBED) {
        s->demand_gbps += blocks * w->dram_gbps;
        return;
    }
    double memory = gsim_share_memory_time(w, s), time = w->compute_ps + w->latency_ps + memory;
    if (w->dram_gbps > 0) s->demand_gbps += blocks * w->dram_gbps * memory / time;
    if (w->kind == GSIM_DEMAND_MEMORY && time > 0) s->loading += blocks * w->threads * (1 - w->compute_ps / time);
}

static double described_demand(const struct gsim_demand *w) { return w->issue_ps / w->block_ps; }

/* The level l to which described blocks fill the issue rate: those that ask for less get all, the others l. */
static double fair_share(const struct gsim_share_sums *s, const struct gsim_cohort *c, uint32_t count)
{
    double level = 0;
    if (s->described <= 1) return 1;
    for (int pass = 0; pass < 8; pass++) {
        double left = 1, blocks = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (c[i].work->kind != GSIM_DEMAND_DESCRIBED) continue;
            double n = c[i].blocks * c[i].pace, demand = described_demand(c[i].work);
            if (demand <= level) left -= n * demand;
            else blocks += n;
        }
        double next = blocks > 0 ? left / blocks : 1;
        if (next <= level * (1 + 1e-12)) break;
        level = next;
    }
    return level;
}

void gsim_share_sum(const struct gsim_device_spec *d, const struct gsim_cohort *c, uint32_t count,
                    uint32_t carveout_bytes, struct gsim_share_sums *s)
{
    double issue =
        0; /* that all memory blocks with arithmetic would take: beyond what there is they ask for less traffic, too */
    memset(s, 0, offsetof(struct gsim_share_sums, pipes_time));
    s->device = d;
    s->l1_kib = fmax(d->l1_kib - carveout_bytes / 1024.0, d->least_l1_kib);
    for (uint32_t i = 0; i < count; i++)
        if (gsim_share_has_arithmetic(c[i].work))
            issue += c[i].blocks * c[i].pace * c[i].work->issue_ps / c[i].work->block_ps;
    for (uint32_t i = 0; i < count; i++) {
        const struct gsim_demand *w = c[i].work;
        if (w->has_pipes) continue; /* what an SM draws at most is in its time alone */
        double part = gsim_share_has_arithmetic(w) ? (w->latency_ps + w->memory_ps) / w->block_ps / fmax(issue, 1) : 1;
        s->own_load += c[i].blocks * c[i].pace * w->dram_gbps * part;
    }
    s->own_load /= d->sm_dram_gbps;
    for (uint32_t i = 0; i < count; i++) add_cohort(s, &c[i]);
    if (s->has_pipes) gsim_share_crowd(s, c, count);
    s->fair = fair_share(s, c, count);
    s->taken = gsim_share_taken(s, &(struct gsim_share_slots){{0, s->half_width[1], s->half_width[2]}, 0});
}

static void load_dram(struct gsim_share_sums *s, const struct gsim_cohort *c, uint32_t count,
                      const struct gsim_dram_state *dram)
{
    s->stretch = (s->own_load > dram->stretch ? s->own_load : dram->stretch) / dram->gain;
    s->load = s->own_load > dram->load ? s->own_load : dram->load;
    s->demand_gbps = s->loading = 0;
    for (int p = 0; p < GSIM_CHIP_PIPES; p++) {
        s->chip[p] = 0;
        s->chip_wait[p] = dram->chip_wait[p];
    }
    if (s->has_pipes) gsim_share_pipes(s, c);
    for (uint32_t i = 0; i < s->crowd_count; i++) add_crowd(s, c[s->crowd_first[i]].work, i);
    for (uint32_t i = 0; i < count && s->has_others; i++) add_traffic(s, &c[i]);
    s->filled = s->device->stream_l1_bytes * s->loading / (1024 * s->l1_kib);
    s->crowding = s->lines / (s->device->lines_per_l1_kib * s->l1_kib);
    if (gsim_share_rule(s, GSIM_RULE_STREAM_LINES)) s->crowding += fmin(s->filled, s->device->stream_lines_most);
}

double gsim_share_demand(struct gsim_share_sums *sums, const struct gsim_cohort *cohorts, uint32_t count,
                         const struct gsim_dram_state *dram)
{
    load_dram(sums, cohorts, count, dram);
    return sums->demand_gbps;
}

/* Cohorts are walked from the oldest on: first for the memory blocks' speeds, then for those of issue-bound ones, which
 * get the rest. What the walk has come past is older. */
struct walk {
    double left;                   /* of the issue rate */
    struct gsim_share_slots slots; /* that older issue-bound and on-chip blocks take */
    double memory;                 /* issue rate that older memory blocks use; in the second walk all of them */
    double arithmetic;             /* v: of these, those with flops */
    double wait, slower,
        crowd; /* of memory blocks for issue slots: sqrt(U) / (1 - S), 1 / (1 - S), how much longer as many wait */
    double all_on_chip;            /* second walk: issue rate of all on-chip blocks */
};

/* Sets the waits of memory blocks for issue slots: w without its factor a, and what multiplies it. */
static void find_waits(const struct gsim_share_sums *s, struct walk *walk)
{
    double older = gsim_share_taken(s, &walk->slots), all = fmax(fmin(s->taken, 1 - s->used * s->used), older);
    walk->slower = 1 / fmax(1 - older, s->device->starved_issue_share);
    walk->wait = gsim_share_rule(s, GSIM_RULE_ISSUE_WAIT) && all > 0 ? sqrt(all) * walk->slower : 0;
    walk->crowd = 1 + older * fmax(s->memory_width - s->device->issue_wait_width, 0);
}

/* T of a memory block, of BLOCKS that share alike: T = C + l + m s + T0 w + b + (l + m s) (X - 1). */
static double memory_time(const struct gsim_demand *w, const struct gsim_share_sums *s, const struct walk *walk,
                          double blocks)
{
    const struct gsim_device_spec *d = s->device;
    double waiting = w->latency_ps + gsim_share_memory_time(w, s), alone = w->compute_ps + waiting, time = alone;
    if (w->kind == GSIM_DEMAND_SCATTER)
        time += w->block_ps * d->issue_wait_scattered * walk->wait;
    else
        time +=
            w->block_ps * (w->has_flops ? d->issue_wait_arithmetic : d->issue_wait_stream) * walk->wait * walk->crowd;
    if (w->dram_gbps > 0 && s->crowding > 1) time += waiting * (s->crowding - 1);
    if (!gsim_share_has_arithmetic(w)) return time;
    double burst = alone * d->issue_wait_burst * s->used * s->used * walk->slower, before = walk->arithmetic;
    if (!gsim_share_rule(s, GSIM_RULE_MEMORY_ARITHMETIC)) return time + burst;
    double first = time + burst / sqrt(fmax(1 - before, d->starved_issue_share));
    if (blocks <= 1) return first;
    before += 0.5 * (blocks - 1) * w->issue_ps / first; /* half of the others, on average, are older */
    return time + burst / sqrt(fmax(1 - before, d->starved_issue_share));
}

/* Sets the speeds of the memory blocks, where u is s->used. */
static void walk_memory(struct gsim_cohort *cohorts, uint32_t count, const struct gsim_share_sums *s, struct walk *walk)
{
    *walk = (struct walk){.left = fmax(1 - s->described, s->device->least_issue_share)};
    find_waits(s, walk);
    for (uint32_t i = 0, length; i < count; i += length) {
        struct gsim_cohort *c = &cohorts[i];
        const struct gsim_demand *w = c->work;
        length = 1;
        if (w->kind == GSIM_DEMAND_DESCRIBED) continue;
        if (w->kind == GSIM_DEMAND_ISSUE || w->kind == GSIM_DEMAND_ON_CHIP) {
            gsim_share_add_to_halves(walk->slots.halves, c);
            if (w->kind == GSIM_DEMAND_ON_CHIP) walk->slots.rate += c->blocks * c->pace * w->issue_ps * c->speed;
            find_waits(s, walk);
            continue;
        }
        double blocks;
        length = gsim_share_alike(c, count - i, &blocks);
        double speed = 1 / memory_time(w, s, walk, blocks), asked = blocks * w->issue_ps * speed;
        double used = fmin(asked, fmax(walk->left, s->device->starved_issue_share * asked));
        if (used < asked) speed *= used / asked;
        walk->memory += used;
        walk->left -= used;
        if (gsim_share_has_arithmetic(w)) walk->arithmetic += used;
        for (uint32_t k = 0; k < length; k++) c[k].speed = speed;
    }
}

/* How much more issue rate than USED memory blocks with flops use when u is USED. */
static double more_than(double used, struct gsim_cohort *cohorts, uint32_t count, struct gsim_share_sums *s,
                        struct walk *walk)
{
    s->used = used;
    walk_memory(cohorts, count, s, walk);
    return walk->arithmetic - used;
}

/* A first guess of u, from LEAST, what they use when u is 1: Newton's method on u + u^3 = 2 LEAST. */
static double guess_used(double least)
{
    double used = least;
    for (int i = 0; i < 3; i++) used -= (used + used * used * used - 2 * least) / (1 + 3 * used * used);
    return used;
}

/* The speeds of all memory blocks. Slower ones use less, so it is a fixed point, which secants find. */
static void share_memory(struct gsim_cohort *cohorts, uint32_t count, struct gsim_share_sums *s, struct walk *walk)
{
    double low, high = 1, above = 0, below = more_than(s->has_arithmetic ? 1 : 0, cohorts, count, s, walk);
    if (!s->has_arithmetic || below >= -USED_TOLERANCE) return;
    low = walk->arithmetic; /* the least */
    double used = guess_used(low), over = more_than(used, cohorts, count, s, walk);
    if (over < -USED_TOLERANCE) above = more_than(low, cohorts, count, s, walk) > 0 ? walk->arithmetic - low : 0;
    for (int step = 0; step < 5 && fabs(over) >= USED_TOLERANCE; step++) {
        if (over > 0) {
            low = used;
            above = over;
            below *= step ? 0.5 : 1;
        } else {
            high = used;
            below = over;
            above *= step ? 0.5 : 1;
        }
        used = low + (high - low) * above / (above - below);
        over = more_than(used, cohorts, count, s, walk);
    }
}

static double fourth(double x) { return x * x * x * x; }

/* Issue rate that the launch of C would ask for besides, if it did not wait for pages: its threads wait together and
 * then compute together, at the speed of all at once. */
static double waiting_issue(const struct gsim_cohort *c, const struct gsim_cohort *cohorts, uint32_t count)
{
    double waiting = 0;
    if (c->pace >= 1) return 0;
    for (uint32_t i = 0; i < count; i++)
        if (cohorts[i].run == c->run) waiting += cohorts[i].blocks * (1 - cohorts[i].pace);
    return waiting * c->work->issue_ps / c->work->block_ps;
}

/* Y. Beyond the SM's issue rate a block below its fair share would run at full speed under round robin, and slow down
 * like all under first come, first served. Y is the geometric mean of the two (V100: ML's rr_1 is 1.6 to 1.8 times
 * slower beside nb_1, whose blocks ask for 3.4 times the SM). */
static double stretch_of_issue(const struct gsim_demand *w, const struct gsim_share_sums *s)
{
    if (s->described <= 1) return s->described;
    return sqrt(s->described * fmax(1, described_demand(w) / s->fair));
}

static void share_described(const struct gsim_device_spec *d, struct gsim_cohort *c, const struct gsim_share_sums *s,
                            double waiting)
{
    const struct gsim_demand *w = c->work;
    double p = d->compute_memory_knee, issue = w->block_ps * (stretch_of_issue(w, s) + waiting),
           memory = w->memory_ps * s->stretch, t;
    if (w->dram_gbps > 0 && memory < w->block_ps * s->load) memory = w->block_ps * s->load;
    if (w->issue_ps <= 0) issue = 0;
    if (p == 4) t = sqrt(sqrt(fourth(w->block_ps) - fourth(w->memory_ps) + fourth(memory) + fourth(issue)));
    else t = pow(pow(w->block_ps, p) - pow(w->memory_ps, p) + pow(memory, p) + pow(issue, p), 1 / p);
    c->speed = 1 / t;
}

static double at_least(double share, double least) { return share > least ? share : least; }

/* T = I / min(j, d, left). On-chip blocks keep their share beside tiles of unknown demand, whichever is older: their
 * own demand is as unknown then (otherwise ATen DAGs are 2.3 to 3.1 % off live: traces/h200/vm/aten.json.gz). */
static void share_issue(struct gsim_cohort *c, const struct gsim_share_sums *s, struct walk *walk)
{
    const struct gsim_device_spec *d = s->device;
    const struct gsim_demand *w = c->work;
    double demand = w->issue_ps / (w->compute_ps + w->latency_ps), own = gsim_share_width_on_half(c);
    double width = of_halves(s->half_width, c) + c->blocks * (1 - c->pace) * own; /* as if its data were there */
    double position = of_halves(walk->slots.halves, c), on_chip = w->is_unknown ? walk->all_on_chip : walk->slots.rate;
    double capacity = fmax(1 - s->described - walk->memory - on_chip, d->least_issue_share);
    double want = width <= GSIM_EQUAL_WIDTH ? gsim_issue_share(d, width) * own / width
                                            : oldest_share(position + own) - oldest_share(position);
    double share = want * capacity * (c->half ? 0.5 : 1);
    if (share > demand) share = demand;
    if (share > walk->left) share = walk->left;
    share = at_least(share, d->starved_issue_share * demand);
    c->speed = share / w->issue_ps;
    walk->left -= share * c->pace;
    gsim_share_add_to_halves(walk->slots.halves, c);
}

static void walk_issue(struct gsim_cohort *cohorts, uint32_t count, const struct gsim_share_sums *s, struct walk *walk)
{
    for (uint32_t i = 0; i < count; i++) {
        struct gsim_cohort *c = &cohorts[i];
        if (c->work->kind == GSIM_DEMAND_ON_CHIP)
            walk->slots.rate += c->blocks * c->pace * c->work->issue_ps * c->speed;
        if (c->work->kind == GSIM_DEMAND_ISSUE) share_issue(c, s, walk);
    }
}

double gsim_share_speeds(const struct gsim_device_spec *device, struct gsim_share_sums *sums,
                         struct gsim_cohort *cohorts, uint32_t count, const struct gsim_dram_state *dram)
{
    if (dram) load_dram(sums, cohorts, count, dram);
    for (uint32_t i = 0; i < count; i++)
        if (cohorts[i].work->has_pipes) cohorts[i].speed = 1 / sums->pipes_time[sums->crowd_of[i]];
    if (!sums->has_others) return sums->demand_gbps;
    struct walk memory;
    gsim_share_on_chip(cohorts, count, sums);
    share_memory(cohorts, count, sums, &memory);
    for (uint32_t i = 0; i < count; i++)
        if (cohorts[i].work->kind == GSIM_DEMAND_DESCRIBED && !cohorts[i].work->has_pipes)
            share_described(device, &cohorts[i], sums, waiting_issue(&cohorts[i], cohorts, count));
    struct walk issue = {.left = memory.left, .memory = memory.memory, .all_on_chip = memory.slots.rate};
    walk_issue(cohorts, count, sums, &issue);
    return sums->demand_gbps;
}

double gsim_share_sm(const struct gsim_device_spec *device, struct gsim_cohort *cohorts, uint32_t count,
                          const struct gsim_dram_state *dram, uint32_t carveout_bytes, double chip[GSIM_CHIP_PIPES])
{
    struct gsim_share_sums sums;
    gsim_share_sum(device, cohorts, count, carveout_bytes, &sums);
    double gbps = gsim_share_speeds(device, &sums, cohorts, count, dram);
    if (chip) memcpy(chip, sums.chip, sizeof sums.chip);
    return gbps;
}
