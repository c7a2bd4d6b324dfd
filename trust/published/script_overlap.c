/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counting of trust/published/script_overlap.h. */
#include "trust/published/script_overlap.h"

#include <stdlib.h>

#include "gpusim/memory.h"
#include "gpusim/random.h"
#include "gpusim/order.h"

#define ORDERS 32 /* of a set, averaged over */

struct interval {
    double start, end;
};

struct op {
    struct interval at;
    int transfer; /* 0: a kernel; else 1 + its direction */
    size_t index;
};

struct counter {
    struct op *ops;
    struct interval *met, *now, *next; /* one op's overlaps; two sets to pass over */
    size_t count, capacity;            /* of OPS; of each set */
    struct gsim_random dice;
};

GSIM_ORDER(by_start, struct op, GSIM_UP(at.start) GSIM_UP(index))

/* Adds to a set; returns its new size. */
static size_t add(struct interval *set, size_t count, struct interval one)
{
    for (size_t i = 0; i < count; i++)
        if (set[i].start == one.start && set[i].end == one.end) return count;
    set[count] = one;
    return count + 1;
}

static void shuffle(struct interval *set, size_t count, const struct gsim_random *dice)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = gsim_random_integer(dice, (uint32_t)i);
        struct interval held = set[i - 1];
        set[i - 1] = set[other];
        set[other] = held;
    }
}

/* One pass; NEXT has room for all pairs. */
static size_t pass(const struct interval *now, size_t count, struct interval *next)
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_merged = false;
        for (size_t j = 0; j < i; j++) {
            struct interval a = now[i], b = now[j];
            if (a.start >= b.end || b.start >= a.end) continue;
            is_merged = true;
            made = add(next, made,
                       (struct interval){a.start < b.start ? a.start : b.start, a.end > b.end ? a.end : b.end});
        }
        if (!is_merged) made = add(next, made, now[i]);
    }
    return made;
}

/* Room for all pairs of COUNT intervals in both sets. */
static void reserve(struct counter *c, size_t count)
{
    if (count * count <= c->capacity) return;
    gsim_free(c->now);
    gsim_free(c->next);
    c->capacity = count * count;
    c->now = gsim_alloc(c->capacity * sizeof *c->now);
    c->next = gsim_alloc(c->capacity * sizeof *c->next);
}

GSIM_ORDER(longest_first, struct interval, GSIM_DOWN(end))

/* Of MET intervals, their length in the mean over the set's orders. */
static double length(struct counter *c, size_t met_count)
{
    double total = 0;
    bool is_nested = true;
    for (size_t i = 1; i < met_count; i++) is_nested &= c->met[i].start == c->met[0].start;
    if (is_nested) {
        /* The mean over all orders for intervals of one start, as those with earlier ops have: a pass drops the
         * shortest one, unless it comes first, and then all of them count. */
        struct interval *met = c->met;
        double sum = 0, mean = 0;
        qsort(met, met_count, sizeof *met, longest_first);
        for (size_t i = 0; i < met_count; i++) {
            sum += met[i].end - met[i].start;
            mean = (sum + (double)i * mean) / (double)(i + 1);
        }
        return mean;
    }
    reserve(c, met_count);
    for (int order = 0; order < ORDERS; order++) {
        size_t count = 0, made;
        for (size_t i = 0; i < met_count; i++) count = add(c->now, count, c->met[i]);
        for (;;) {
            shuffle(c->now, count, &c->dice);
            if (count <= 1 || (made = pass(c->now, count, c->next)) == count) break;
            struct interval *held = c->now;
            c->now = c->next;
            c->next = held;
            count = made;
        }
        for (size_t i = 0; i < count; i++) total += c->now[i].end - c->now[i].start;
    }
    return total / ORDERS;
}

/* Which ops are looked at, and which of the others count. */
enum { KERNELS = 1, TRANSFERS = 2 };

static bool is_of(const struct op *op, int kinds) { return kinds & (op->transfer ? TRANSFERS : KERNELS); }

static double share(struct counter *c, int of, int with, bool before_only)
{
    double overlapped = 0, whole = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct op *op = &c->ops[i];
        size_t met = 0;
        if (!is_of(op, of)) continue;
        whole += op->at.end - op->at.start;
        for (size_t j = 0; j < (before_only ? i : c->count); j++) {
            struct interval other = c->ops[j].at;
            if (j == i || !is_of(&c->ops[j], with)) continue;
            if (other.start < op->at.start) other.start = op->at.start;
            if (other.end > op->at.end) other.end = op->at.end;
            if (other.start < other.end) met = add(c->met, met, other);
        }
        overlapped += length(c, met);
    }
    return whole > 0 ? overlapped / whole : 0;
}

static void collect(struct counter *c, const struct gsim_timeline *t)
{
    for (size_t i = 0; i < t->kernel_count; i++)
        c->ops[c->count++] = (struct op){.at = {(double)t->kernels[i].start, (double)t->kernels[i].end}, .index = i};
    for (size_t i = 0; i < t->copy_count; i++)
        c->ops[c->count++] = (struct op){.at = {(double)t->copies[i].start, (double)t->copies[i].end},
                                         .transfer = 1 + (int)t->copies[i].kind,
                                         .index = t->kernel_count + i};
    qsort(c->ops, c->count, sizeof *c->ops, by_start);
    /* Transfers of one direction that follow each other are one. */
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct op *op = &c->ops[i];
        struct op *last = count ? &c->ops[count - 1] : NULL;
        if (last && op->transfer && op->transfer == last->transfer) last->at.end += op->at.end - op->at.start;
        else c->ops[count++] = *op;
    }
    c->count = count;
}

enum gsim_status gsim_script_overlap(const struct gsim_timeline *timeline, struct gsim_overlap *overlap,
                                     struct gsim_error *error)
{
    size_t most = timeline->kernel_count + timeline->copy_count + 1;
    struct counter c = {.ops = gsim_alloc(most * sizeof *c.ops), .met = gsim_alloc(most * sizeof *c.met)};
    enum gsim_status status = gsim_random_init(&c.dice, 1, error);
    if (!status) {
        collect(&c, timeline);
        *overlap = (struct gsim_overlap){.compute_transfer = share(&c, KERNELS, TRANSFERS, false),
                                         .transfer_compute = share(&c, TRANSFERS, KERNELS, false),
                                         .compute_compute = share(&c, KERNELS, KERNELS, true),
                                         .total = share(&c, KERNELS | TRANSFERS, KERNELS | TRANSFERS, true)};
    }
    gsim_random_release(&c.dice);
    gsim_free(c.next);
    gsim_free(c.now);
    gsim_free(c.met);
    gsim_free(c.ops);
    return status;
}
