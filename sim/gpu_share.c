/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The equations of sim/gpu_share.h, one SM at a time. Knows no placement and no time but the cohorts' age. */
#include "sim/gpu_share.h"

/* H200, measured with microbenchmarks of traces/runner/micro (cases1.txt, cases2.txt; packed.cu for what slows arithmetic), all of
 * this block. */
#define EQUAL_WIDTH 3.0      /* warps per sub-partition that share issue equally */
#define LEFT_BY_ONE 0.5      /* issue rate that memory blocks with arithmetic keep beside one such warp */
/* And beside two: six blocks of 256 threads on an SM with 13 FMAs between their loads, all over after 35 us where they come first, take 103 where
 * two issue-bound ones of 128 threads come before, which then take 135 instead of 116 (H200, H100, 4 of 48 runs of "apart 19" live, nodes 2 and 3:
 * traces/h200/vm/dags-apart.json.gz). With placement and starts as recorded, the model has done 8.71 % more or less of 13,304 kernels than the GPU
 * when they end, weighted by their part of the makespan of 180 DAGs on both, and 8.83, 8.73, 8.75 % with 0, 0.08, 0.25 here. */
#define LEFT_BY_TWO 0.15
#define STARVED 0.003        /* rate that is left to a unit which gets no issue slot */
#define OLDER_PLAIN 0.06     /* slow-down of an older memory block by four younger issue-bound warps */
#define MOST_SLOWED 2.5      /* times that a memory block's own arithmetic takes at most beside others' */
#define SLOWED_BY_ISSUE 1.0  /* and so much more beside four issue-bound warps */
/* Behind older ones that use the share S of the issue rate it waits besides for that part of its time, times S^1.5 / (1 - S) (H200, H100,
 * traces/h200/vm/ranks.txt, traces/h100/ranks.txt: ends of 2 to 32 blocks alone on an SM, 93 mixtures of how many and how much they compute 4.9 %
 * off in the root mean square, 22 without; of 32 with 56 FMAs between their loads the first ends after 1.9 times its time alone, the last 4.2). */
#define BEHIND_OLDER 0.3
#define USED_TOLERANCE 1e-3 /* of the issue rate, to which what such blocks use is solved for */
#define LEAST_LEFT 0.05 /* assumed: what older ones leave at least, for that */
/* Slow-down of two on-chip warps per sub-partition by each issue-bound one, and the power by which it is less the more they are: one is
 * slowed 8.8 times by 8 of arithmetic, four 5.2 times while 12 are there, 3.4 in all (traces/h200/vm/dags-later.json.gz, "later 1" live,
 * node 11; "even later 2" as a graph, node 6); by the arithmetic of memory blocks less, however many they are. */
#define CHIP_BESIDE_ISSUE 2.1
#define CHIP_BESIDE_MORE 0.4
#define CHIP_BESIDE_MEMORY 1.2
/* On-chip blocks wait for their SM's shared memory as customers of priorities wait for a server, the older first (traces/h200/vm/ages.txt:
 * 1 to 8 blocks of 128, 256 and 512 threads, 76 ends, 1.7 % off with these two and ON_CHIP_ISSUE of gpu_work.c). */
#define CHIP_WAIT 0.2 /* for whoever is being served, at full load, in times alone */
/* They wait for loads, too, that the SM's other warps have in flight: a little for each warp, and much where 16 bytes for each thread of streams
 * fill more than half of the L1 that the carve-out leaves, or scattered loads more lines than it has at once (H200, H100,
 * traces/h200/vm/beside.txt, traces/h100/beside.txt: 2 to 9 % of the time beside up to 53 warps with 60 KiB of L1, 4 to 7 beside 32 with 28 KiB,
 * where it is 40 to 48 beside 38, 57 to 61 beside 45, 72 to 80 from 48 on). */
#define CHIP_BESIDE_LOADS 0.005 /* of the time alone, for a loading warp per sub-partition */
#define LOADED_BYTES 16.0       /* that a stream's thread has under way in L1 */
#define L1_FREE 0.56            /* share of L1 that may be under way and nothing is lost */
#define L1_FULL_SLOPE 2.0       /* share of the time lost, for each share of L1 beyond that */
#define MOST_LOST 0.85          /* at most */
/* How many times as long it takes, less one, for each share of lines under way beyond those that L1 has room for (traces/h200/vm/lines.txt,
 * traces/h100/lines.txt: beside 1.25 times as many 1.0 to 1.8 times, twice as many 2.2 to 5.5). */
#define CHIP_BESIDE_LINES 2.7
/* Streams' loads take room from scattered ones, up to this share of L1 (the same: on-chip work beside scattered loads for 0.75 of the lines takes
 * its time alone, 1.4 times at most, and with streams for another quarter 1.2 to 2.0 times). */
#define STREAM_LINES 0.5
#define LEAST_WIDTH 0.25      /* one warp on one of four sub-partitions */
#define CHIP_LEAST_ISSUE 0.3 /* share that issue-bound blocks keep beside on-chip ones */
#define LINES_PER_KIB 8.0 /* scattered lines of 128 bytes that are under way at most: all of L1 (sim/README.md, scattered loads) */
#define LEAST_L1_KIB 2.0 /* assumed, where the carve-out takes all */
#define THREADS_OF_WIDTH 128.0 /* a warp on each of four sub-partitions */
/* Share of the issue rate that one warp per sub-partition reaches, and what a part of a second one adds. */
#define ONE_WARP_SHARE 0.826
#define MORE_WARPS_SHARE 0.07

double gsim_issue_share(double width)
{
    static const double at[5] = {0, ONE_WARP_SHARE, 0.94, 0.995, 1};
    if (width >= 4) return 1;
    int whole = (int)width;
    return at[whole] + (width - whole) * (at[whole + 1] - at[whole]);
}

/* Issue share of the oldest WIDTH warps per sub-partition when more than EQUAL_WIDTH want it. */
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
            return stretches[i - 1] + (load - loads[i - 1]) / (loads[i] - loads[i - 1]) * (stretches[i] - stretches[i - 1]);
    return load;
}

/* What the walk over an SM's cohorts needs to know of all of them. */
struct sums {
    double issue_width;   /* issue-bound warps per sub-partition */
    double half_width[3]; /* the same of each pair of sub-partitions, 1 and 2 */
    double arithmetic_width; /* the same, of those of known demand */
    double memory_issue;  /* issue rate that memory blocks with arithmetic take when nobody else does */
    bool has_on_chip;
    bool is_crowded;      /* by some of them */
    double on_chip_width; /* warps per sub-partition of on-chip blocks */
    bool has_arithmetic;  /* memory blocks with arithmetic of their own */
    double on_chip;       /* issue rate that on-chip blocks would take */
    double lines;         /* scattered loads in flight */
    double l1_kib;        /* what the carve-out leaves */
    double filled;        /* share of it that streams' loads under way would fill */
    double crowding;      /* scattered loads in flight, and streams' beside them, of the most that it has room for */
    double loading;       /* threads of memory blocks that wait for data */
    double demand_gbps;
    double asked, used;   /* issue rate that memory blocks with arithmetic ask for; the same with issue-bound ones, at most 1 */
    double described;     /* issue rate that described blocks ask for */
    double fair;          /* of it, what a block gets at most where they ask for more than there is */
    double stretch, load; /* of DRAM, as this SM sees it */
};

static double memory_time(const struct gsim_work *w, const struct sums *s) { return w->memory_ps * s->stretch; }

static bool has_arithmetic(const struct gsim_work *w) { return w->kind == GSIM_WORK_MEMORY && w->has_flops; }

/* What a memory block takes while the SM's warps use USED of its issue rate. Each warp's own arithmetic waits for the others of its
 * sub-partition, as behind a server that serves in turn. */
static double beside(const struct gsim_work *w, const struct sums *s, double used)
{
    double plain = w->latency_ps + memory_time(w, s), time = plain + w->compute_ps;
    if (w->compute_ps <= 0) return time;
    double own = w->issue_ps / (w->width * time), others = used - own;
    double most = MOST_SLOWED + SLOWED_BY_ISSUE * (s->issue_width < 4 ? s->issue_width / 4 : 1);
    double slowed = others <= 0 ? 1 : others < 1 - 1 / most ? 1 / (1 - others) : most;
    return time + w->slowed_ps * (slowed - 1);
}

/* Blocks per picosecond, of one that takes BESIDE and waits besides for older ones of its kind, which use OLDER of the issue rate. */
static double speed_behind(const struct gsim_work *w, const struct sums *s, double beside, double older)
{
    double left = older < 1 - LEAST_LEFT ? 1 - older : LEAST_LEFT;
    if (older <= 0 || w->compute_ps <= 0) return 1 / beside;
    return left / (beside * left + BEHIND_OLDER * (w->latency_ps + memory_time(w, s) + w->compute_ps) * older * sqrt(older));
}

/* The same of each of BLOCKS that share alike: half of the others, on average, are older. */
static double speed_in_turn(const struct gsim_work *w, const struct sums *s, double beside, double older, double blocks)
{
    double speed = speed_behind(w, s, beside, older);
    return blocks > 1 ? speed_behind(w, s, beside, older + 0.5 * (blocks - 1) * w->issue_ps * speed) : speed;
}

/* How many cohorts from C on share alike: those of one kernel that started together, unless they crowd the SM. */
static uint32_t length_of_run(const struct gsim_cohort *c, uint32_t count)
{
    uint32_t length = 1;
    while (!c->work->is_crowded && length < count && c[length].run == c->run && c[length].since == c->since) length++;
    return length;
}

static double blocks_of_run(const struct gsim_cohort *c, uint32_t length)
{
    double blocks = 0;
    for (uint32_t i = 0; i < length; i++) blocks += c[i].blocks;
    return blocks;
}

/* How many issue-bound warps per sub-partition take that much of the issue rate. */
static double width_of_issue(double share)
{
    if (share <= ONE_WARP_SHARE) return share / ONE_WARP_SHARE;
    double low = 1, high = 4;
    for (int i = 0; i < 20; i++) *(gsim_issue_share((low + high) / 2) < share ? &low : &high) = (low + high) / 2;
    return low;
}

static double width_on_half(const struct gsim_cohort *c) { return c->half ? 2 * c->work->width : c->work->width; }

static void add_cohort(struct sums *s, const struct gsim_cohort *c)
{
    const struct gsim_work *w = c->work;
    double blocks = c->blocks * c->pace; /* those that wait for pages ask for nothing */
    if (w->kind == GSIM_WORK_DESCRIBED) {
        s->demand_gbps += blocks * w->dram_gbps;
        s->described += blocks * w->issue_ps / w->block_ps;
        return;
    }
    double memory = memory_time(w, s), time = w->compute_ps + w->latency_ps + memory;
    s->has_arithmetic |= has_arithmetic(w);
    if (w->dram_gbps > 0) s->demand_gbps += blocks * w->dram_gbps * memory / time;
    if (w->kind == GSIM_WORK_MEMORY && time > 0) s->loading += blocks * w->threads * (1 - w->compute_ps / time);
    if (has_arithmetic(w) && time > 0) s->memory_issue += blocks * w->issue_ps / time;
    if (w->kind == GSIM_WORK_ISSUE) {
        s->issue_width += blocks * w->width;
        if (c->half != 2) s->half_width[1] += blocks * width_on_half(c);
        if (c->half != 1) s->half_width[2] += blocks * width_on_half(c);
    }
    if (w->kind == GSIM_WORK_ISSUE && w->has_flops) s->arithmetic_width += blocks * w->width;
    if (w->kind == GSIM_WORK_SCATTER) s->lines += blocks * w->threads;
    if (w->kind != GSIM_WORK_ON_CHIP) return;
    s->has_on_chip = true;
    s->is_crowded |= w->is_crowded;
    s->on_chip_width += blocks * w->width;
    s->on_chip += blocks * w->issue_ps / w->compute_ps;
}

static double described_demand(const struct gsim_work *w) { return w->issue_ps / w->block_ps; }

/* The level to which described blocks fill the issue rate when they ask for more: those who ask for less get all. */
static double fair_share(const struct sums *s, const struct gsim_cohort *c, uint32_t count)
{
    double level = 0;
    if (s->described <= 1) return 1;
    for (int pass = 0; pass < 8; pass++) {
        double left = 1, blocks = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (c[i].work->kind != GSIM_WORK_DESCRIBED) continue;
            double n = c[i].blocks * c[i].pace, demand = described_demand(c[i].work);
            if (demand <= level)
                left -= n * demand;
            else
                blocks += n;
        }
        double next = blocks > 0 ? left / blocks : 1;
        if (next <= level * (1 + 1e-12)) break;
        level = next;
    }
    return level;
}

static struct sums sum_up(const struct gsim_device_spec *d, const struct gsim_cohort *c, uint32_t count,
                          const struct gsim_dram_state *dram, uint32_t carveout_bytes)
{
    struct sums s = {.stretch = dram->stretch, .load = dram->load, .l1_kib = fmax(d->l1_kib - carveout_bytes / 1024.0, LEAST_L1_KIB)};
    double asked = 0;
    for (uint32_t i = 0; i < count; i++) asked += c[i].blocks * c[i].pace * c[i].work->dram_gbps;
    asked /= d->sm_dram_gbps;
    if (asked > s.stretch) s.stretch = asked;
    if (asked > s.load) s.load = asked;
    s.stretch /= dram->gain;
    for (uint32_t i = 0; i < count; i++) add_cohort(&s, &c[i]);
    s.filled = LOADED_BYTES * s.loading / (1024 * s.l1_kib);
    s.crowding = s.lines / (LINES_PER_KIB * s.l1_kib) + fmin(s.filled, STREAM_LINES);
    s.fair = fair_share(&s, c, count);
    return s;
}

/* The issue rate that memory blocks with arithmetic ask for while the SM's warps use USED of it. */
static double asked_issue(const struct sums *s, const struct gsim_cohort *c, uint32_t count, double used)
{
    const struct gsim_work *last = NULL;
    double asked = 0, alike = 0;
    for (uint32_t i = 0, length; i < count; i += length) {
        const struct gsim_work *w = c[i].work;
        length = 1;
        if (!has_arithmetic(w)) continue;
        if (w != last) alike = beside(w, s, used);
        last = w;
        length = length_of_run(&c[i], count - i);
        double blocks = blocks_of_run(&c[i], length) * c[i].pace;
        asked += blocks * w->issue_ps * speed_in_turn(w, s, alike, asked, blocks);
    }
    return asked;
}

/* What they and issue-bound blocks use: slower blocks ask for less, so it is a fixed point, which secants find. */
static void find_used(struct sums *s, const struct gsim_cohort *c, uint32_t count)
{
    double rest = gsim_issue_share(s->issue_width), high = 1, low;
    s->used = 1;
    s->asked = asked_issue(s, c, count, 1); /* the least */
    double below = rest + s->asked - 1, above;
    if (below >= -USED_TOLERANCE) return;
    low = s->used = rest + s->asked;
    s->asked = asked_issue(s, c, count, low);
    above = rest + s->asked - low;
    for (int step = 0; step < 5 && above >= USED_TOLERANCE; step++) {
        s->used = low + (high - low) * above / (above - below);
        s->asked = asked_issue(s, c, count, s->used);
        double over = rest + s->asked - s->used;
        if (fabs(over) < USED_TOLERANCE) break;
        if (over > 0) {
            low = s->used;
            above = over;
            below *= 0.5;
        } else {
            high = s->used;
            below = over;
            above *= 0.5;
        }
    }
}

static double fourth(double x) { return x * x * x * x; }

/* What the kernel of C would ask for beside what it does, if it did not wait for pages: its threads wait together and
 * then compute together, so their speed is that of all at once. */
static double waiting_issue(const struct gsim_cohort *c, const struct gsim_cohort *cohorts, uint32_t count)
{
    double waiting = 0;
    if (c->pace >= 1) return 0;
    for (uint32_t i = 0; i < count; i++)
        if (cohorts[i].run == c->run) waiting += cohorts[i].blocks * (1 - cohorts[i].pace);
    return waiting * c->work->issue_ps / c->work->block_ps;
}

/* Where more is asked for than there is, who asks for less than a fair share would go on as alone if the SM served
 * blocks in turn, and be slowed like all if it served requests in order of arrival. Geometric mean of the two: V100, ML's
 * rr_1 beside nb_1, 1.6 to 1.8 times slower, where nb_1's blocks ask for 3.4 times the SM. */
static double stretch_of_issue(const struct gsim_work *w, const struct sums *s)
{
    if (s->described <= 1) return s->described;
    return sqrt(s->described * fmax(1, described_demand(w) / s->fair));
}

static void share_described(const struct gsim_device_spec *d, struct gsim_cohort *c, const struct sums *s, double waiting)
{
    const struct gsim_work *w = c->work;
    double p = d->compute_memory_knee, issue = w->block_ps * (stretch_of_issue(w, s) + waiting), memory = w->memory_ps * s->stretch, t;
    if (w->dram_gbps > 0 && memory < w->block_ps * s->load) memory = w->block_ps * s->load;
    if (w->issue_ps <= 0) issue = 0;
    if (p == 4)
        t = sqrt(sqrt(fourth(w->block_ps) - fourth(w->memory_ps) + fourth(memory) + fourth(issue)));
    else
        t = pow(pow(w->block_ps, p) - pow(w->memory_ps, p) + pow(memory, p) + pow(issue, p), 1 / p);
    c->speed = 1 / t;
}

/* An SM serves the share U of its shared memory's time when A is asked for. Of a customer who is preceded by the share S, the speed is
 * 1 / (1 + CHIP_WAIT U (1 - S)^-1.5), so that S grows with what is asked for as dS = dA / (1 + ...), which integrates to
 * A = S + 2 CHIP_WAIT U ((1 - S)^(-1/2) - 1); all of it together is S = U. Newton's method, from one that is near. */
static double used_chip(double asked)
{
    double used = asked / sqrt(1 + asked * asked);
    for (int i = 0; i < 20 && used > 0; i++) {
        double root = sqrt(1 - used), slope = 1 + 2 * CHIP_WAIT * (1 / root - 1) + CHIP_WAIT * used / (root * root * root);
        double step = (used + 2 * CHIP_WAIT * used * (1 / root - 1) - asked) / slope;
        used = used - step < 1 ? used - step : 0.5 * (1 + used);
        if (fabs(step) < 1e-5) break; /* the next one would be its square */
    }
    return used;
}

/* (1 - S)^(1/2) for who asks for the first ASKED of all, where others' is already ROOT, and more. */
static double root_of_served(double asked, double used, double root)
{
    double wait = 2 * CHIP_WAIT * used, rest = asked - 1 + wait;
    for (int i = 0; i < 20; i++) {
        double step = (root * root * root + rest * root - wait) / (3 * root * root + rest);
        root -= step;
        if (fabs(step) < 1e-5) break;
    }
    return root;
}

/* How many times as long an access to shared memory takes beside loads. */
static double beside_loads(const struct sums *s)
{
    double lost = L1_FULL_SLOPE * (s->filled - L1_FREE);
    double streams = 1 / (1 - fmin(fmax(lost, 0), MOST_LOST)), lines = 1 + CHIP_BESIDE_LINES * fmax(s->crowding - 1, 0);
    return (1 + CHIP_BESIDE_LOADS * s->loading / THREADS_OF_WIDTH) * fmax(streams, lines);
}

/* On-chip blocks come first: others do not take shared memory from them. Those of one kernel that began together share alike unless they
 * crowd the SM. Returns the issue rate they take. */
static double share_on_chip(struct gsim_cohort *c, uint32_t count, const struct sums *s)
{
    if (!s->has_on_chip) return 0;
    double arithmetic = fmin(s->arithmetic_width, EQUAL_WIDTH), memory = width_of_issue(fmin(s->memory_issue, 1)), taken = 0;
    double slow = 1 + CHIP_BESIDE_MEMORY * fmin(memory, EQUAL_WIDTH - arithmetic);
    if (arithmetic > 0) slow += CHIP_BESIDE_ISSUE * arithmetic * pow(2 / fmax(s->on_chip_width, LEAST_WIDTH), CHIP_BESIDE_MORE);
    slow *= beside_loads(s);
    double all = s->on_chip / slow, used = used_chip(all), asked = 0, root = 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct gsim_work *w = c[i].work;
        if (w->kind != GSIM_WORK_ON_CHIP) continue;
        double own = c[i].blocks * c[i].pace * w->issue_ps / w->compute_ps / slow, before = root;
        asked += own;
        double share = all > 0 ? used / all : 1;
        if (s->is_crowded && own > 0) {
            root = asked < all * (1 - 1e-9) ? root_of_served(asked, used, before) : sqrt(1 - used);
            share = (before * before - root * root) / own;
        }
        c[i].speed = 1 / (w->compute_ps * slow / share + w->latency_ps);
        taken += c[i].blocks * c[i].pace * w->issue_ps * c[i].speed;
    }
    return taken;
}

struct walk {
    double capacity; /* issue rate for issue-bound blocks */
    double left;     /* for all that are not on-chip: what older ones leave */
    double arithmetic; /* issue rate that older memory blocks with arithmetic use */
    double half_position[3]; /* issue-bound warps per sub-partition that are older, of each pair of these, 1 and 2 */
};

static double at_least(double share, double least) { return share > least ? share : least; }

/* One issue-bound warp per sub-partition leaves memory blocks what they ask for, even younger ones, up to LEFT_BY_ONE; two leave LEFT_BY_TWO,
 * and EQUAL_WIDTH of them nothing. */
static double left_by_few(const struct sums *s)
{
    static const double at[4] = {LEFT_BY_ONE, LEFT_BY_ONE, LEFT_BY_TWO, 0};
    if (!s->has_arithmetic || s->issue_width <= 0 || s->issue_width >= EQUAL_WIDTH) return 0;
    int whole = (int)s->issue_width;
    return fmin(s->asked, at[whole] + (s->issue_width - whole) * (at[whole + 1] - at[whole]));
}

/* Of a block on all sub-partitions the slower pair counts. */
static double of_halves(const double at[3], const struct gsim_cohort *c)
{
    return c->half ? at[c->half] : at[1] > at[2] ? at[1] : at[2];
}

static void share_issue(struct gsim_cohort *c, const struct sums *s, struct walk *walk)
{
    const struct gsim_work *w = c->work;
    double demand = w->issue_ps / (w->compute_ps + w->latency_ps), own = width_on_half(c);
    double width = of_halves(s->half_width, c) + c->blocks * (1 - c->pace) * own; /* as if its data were there */
    double position = of_halves(walk->half_position, c);
    double want = width <= EQUAL_WIDTH ? gsim_issue_share(width) * own / width : oldest_share(position + own) - oldest_share(position);
    double share = want * walk->capacity * (c->half ? 0.5 : 1);
    if (share > demand) share = demand;
    if (share > walk->left) share = walk->left;
    share = at_least(share, STARVED * demand);
    c->speed = share / w->issue_ps;
    walk->left -= share * c->pace;
    if (c->half != 2) walk->half_position[1] += own * c->pace;
    if (c->half != 1) walk->half_position[2] += own * c->pace;
}

/* Memory and scatter blocks: those of one kernel that started together share alike, so they come as a run of
 * cohorts with BLOCKS blocks in all. */
static void share_memory(struct gsim_cohort *c, uint32_t run_length, const struct sums *s, struct walk *walk)
{
    const struct gsim_work *w = c->work;
    double waiting = w->latency_ps + memory_time(w, s), time = w->compute_ps + waiting, blocks = blocks_of_run(c, run_length);
    double younger = s->issue_width - 0.5 * (walk->half_position[1] + walk->half_position[2]);
    if (younger > 4) younger = 4;
    if (has_arithmetic(w))
        time = 1 / speed_in_turn(w, s, beside(w, s, s->used), walk->arithmetic, blocks * c->pace);
    else
        time *= 1 + OLDER_PLAIN * younger / 4;
    /* Loads wait that L1 has no room for, scattered ones and streams' beside them: streams beside 704 to 796 lines on SMs with 28 KiB, 3.1 to 3.6
     * times the limit, take 3.3 to 3.6 times as long as elsewhere (H200, H100, traces/h200/vm/dags-last.json.gz, "last 79", node 6). */
    if (w->dram_gbps > 0 && s->crowding > 1) time += waiting * (s->crowding - 1);
    double demand = w->issue_ps / time, speed = 1 / time;
    if (demand > 0) {
        double share = walk->left > 0 ? walk->left / blocks : 0;
        if (share > demand) share = demand;
        share = at_least(share, STARVED * demand);
        speed = share / w->issue_ps;
        walk->left -= share * blocks * c->pace;
        if (has_arithmetic(w)) walk->arithmetic += share * blocks * c->pace;
    }
    for (uint32_t i = 0; i < run_length; i++) c[i].speed = speed;
}

double gsim_share_sm(const struct gsim_device_spec *device, struct gsim_cohort *cohorts, uint32_t count,
                     const struct gsim_dram_state *dram, uint32_t carveout_bytes)
{
    struct sums sums = sum_up(device, cohorts, count, dram, carveout_bytes);
    double capacity = 1 - share_on_chip(cohorts, count, &sums) - sums.described;
    if (sums.has_arithmetic) find_used(&sums, cohorts, count);
    if (capacity < CHIP_LEAST_ISSUE) capacity = CHIP_LEAST_ISSUE;
    struct walk walk = {.capacity = capacity - left_by_few(&sums), .left = capacity};
    for (uint32_t i = 0; i < count; i++) {
        struct gsim_cohort *c = &cohorts[i];
        if (c->work->kind == GSIM_WORK_ON_CHIP) continue;
        if (c->work->kind == GSIM_WORK_DESCRIBED) {
            share_described(device, c, &sums, waiting_issue(c, cohorts, count));
            continue;
        }
        if (c->work->kind == GSIM_WORK_ISSUE) {
            share_issue(c, &sums, &walk);
            continue;
        }
        uint32_t run_length = length_of_run(c, count - i);
        share_memory(c, run_length, &sums, &walk);
        i += run_length - 1;
    }
    return sums.demand_gbps;
}
