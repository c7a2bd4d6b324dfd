/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/validate/other/other.h. */
#include "trust/validate/other/other.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS  9    /* of each number that is found anew, from its least to its most */
#define PASSES 2    /* over all of them */
#define HOLDS  0.95 /* of the kernels that an interval is found on */

/* The numbers that are found anew. */
static const struct {
    size_t offset;
    double least, most;
} fitted[] = {
#define X(name, unit, least, most, help) {offsetof(struct gsim_other_law, name), least, most},
#include "gpusim/order.h"
#include "sim/device/other.def"
#undef X
};
#define FITTED 7 /* the first ones: sim/device/other.def */

struct pair {
    const struct gsim_timed_set *set;
    const struct gsim_device_spec *from, *to;
};

static double *number(struct gsim_other_law *law, size_t i) { return (double *)((char *)law + fitted[i].offset); }

static bool is_kind(const struct gsim_timed *t, const char *kind) { return kind && strcmp(t->kernel.name, kind) == 0; }

static double loss(const struct pair *p, const struct gsim_other_law *law, const char *without)
{
    double sum = 0;
    for (size_t i = 0; i < p->set->count; i++) {
        const struct gsim_timed *t = &p->set->kernels[i];
        if (!is_kind(t, without)) sum += fabs(log(gsim_other_time(law, &t->kernel, p->from, p->to).us / t->there_us));
    }
    return sum;
}

GSIM_ORDER_OF(by_size, double)

static bool holds(const struct gsim_other_time *time, double us) { return us >= time->low_us && us <= time->high_us; }

static void add_to_sum(struct gsim_other_row *row, const struct gsim_timed *t, const struct gsim_other_time *time)
{
    row->sum += t->times * time->us;
    row->sum_low = hypot(row->sum_low, t->times * (time->us - time->low_us));
    row->sum_high = hypot(row->sum_high, t->times * (time->high_us - time->us));
    row->sum_there += t->times * t->there_us;
    row->sum_before += t->times * t->kernel.solo_us;
}

static void end_sum(struct gsim_other_row *row, const struct gsim_other_law *law)
{
    row->sum_low = row->sum - hypot(row->sum_low, law->off_common * row->sum);
    row->sum_high = row->sum + hypot(row->sum_high, law->off_common * row->sum);
}

/* All kernels of one kind, by numbers that know nothing of it. */
static void leave_out(const struct pair *p, const struct gsim_other_law *shipped, size_t first, double *needs,
                      double *errors, struct gsim_other_row *row)
{
    struct gsim_other_law law = *shipped;
    const char *kind = p->set->kernels[first].kernel.name;
    /* From the middle of each number's range, one after the other. */
    for (size_t i = 0; i < FITTED; i++) *number(&law, i) = (fitted[i].least + fitted[i].most) / 2;
    for (size_t at = 0; at < (size_t)PASSES * FITTED; at++) {
        size_t i = at % FITTED;
        double best = *number(&law, i), least = loss(p, &law, kind);
        double step = (fitted[i].most - fitted[i].least) / (STEPS - 1);
        for (int k = 0; k < STEPS; k++) {
            *number(&law, i) = fitted[i].least + k * step;
            double off = loss(p, &law, kind);
            if (off >= least) continue;
            least = off;
            best = *number(&law, i);
        }
        *number(&law, i) = best;
    }
    /* How much wider than what all shares of DRAM give an interval must be. */
    size_t count = 0;
    law.off_known = law.off_unknown = law.off_beyond = law.off_assumed = 0;
    for (size_t i = 0; i < p->set->count; i++) {
        const struct gsim_timed *t = &p->set->kernels[i];
        struct gsim_other_time time = gsim_other_time(&law, &t->kernel, p->from, p->to);
        if (!is_kind(t, kind))
            needs[count++] = fmax(fmax(time.low_us / t->there_us, t->there_us / time.high_us) - 1, 0);
    }
    qsort(needs, count, sizeof *needs, by_size);
    size_t at = gsim_whole_u64(ceil(HOLDS * (double)(count + 1)));
    if (count) law.off_known = law.off_unknown = needs[at > count ? count - 1 : at - 1];
    for (size_t i = first; i < p->set->count; i++) {
        const struct gsim_timed *t = &p->set->kernels[i];
        if (!is_kind(t, kind)) continue;
        struct gsim_other_time time = gsim_other_time(&law, &t->kernel, p->from, p->to);
        errors[i] = time.us / t->there_us - 1;
        row->inside_left_out += holds(&time, t->there_us);
    }
}

void gsim_other_whole(const struct gsim_timed_set *set, const struct gsim_other_law *law,
                      const struct gsim_device_spec *from, const struct gsim_device_spec *to,
                      struct gsim_other_row *row)
{
    *row = (struct gsim_other_row){0};
    for (size_t i = 0; i < set->count; i++) {
        const struct gsim_timed *t = &set->kernels[i];
        struct gsim_other_time time = gsim_other_time(law, &t->kernel, from, to);
        add_to_sum(row, t, &time);
    }
    end_sum(row, law);
}

void gsim_other_row(const struct gsim_timed_set *set, const struct gsim_other_law *law,
                                const struct gsim_device_spec *from, const struct gsim_device_spec *to,
                                struct gsim_other_row *row)
{
    const struct pair p = {set, from, to};
    struct gsim_arena arena = {0};
    size_t n = set->count;
    double *errors = GSIM_ARENA_ARRAY(&arena, double, 5 * n + 1), *without = errors + n, *needs = errors + 2 * n,
           *size = errors + 3 * n, *as_is = errors + 4 * n;
    *row = (struct gsim_other_row){0};
    for (size_t i = 0; i < n; i++) {
        const struct gsim_timed *t = &set->kernels[i];
        struct gsim_other_time time = gsim_other_time(law, &t->kernel, from, to);
        size_t first = 0;
        errors[i] = time.us / t->there_us - 1;
        size[i] = fabs(errors[i]);
        as_is[i] = fabs(t->kernel.solo_us / t->there_us - 1);
        row->inside += holds(&time, t->there_us);
        add_to_sum(row, t, &time);
        while (!is_kind(&set->kernels[first], t->kernel.name)) first++;
        if (first == i) leave_out(&p, law, i, needs, without, row);
    }
    end_sum(row, law);
    gsim_errors_summarize(errors, n, &row->shipped);
    gsim_errors_summarize(without, n, &row->left_out);
    if (n) gsim_paired_change(as_is, size, n, &row->change);
    gsim_arena_release(&arena);
}
