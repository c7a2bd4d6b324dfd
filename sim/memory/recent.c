/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/memory/recent.h. */
#include "sim/memory/recent.h"

#include <math.h>

#include "sim/device/rules.h"
#include "sim/memory/device.h"
#include "sim/program/access.h"

#define PARTS_MOST  4096 /* looked at; what was touched before them is taken to be gone */
#define PIECES_MOST 16   /* of a kernel's part that are looked for at once */
#define NO_BUFFER   UINT32_MAX

struct gsim_recent_part {
    struct gsim_recent_part *before, *next;   /* by when they were touched: touched later, earlier */
    struct gsim_recent_part *next_of_buffer;  /* touched earlier */
    uint64_t begin, end;
    uint32_t buffer; /* NO_BUFFER: data that nobody names */
};

struct piece {
    uint64_t begin, end;
};

/* Of a kernel without arguments whose data were counted: they are its own, the same in each run. */
static bool has_own(const struct gsim_op *op, const struct gsim_demand *w)
{
    return !op->arg_count && w->counted_bytes >= 1 && !w->is_contended;
}

static bool has_data(const struct gsim_op *op, const struct gsim_demand *w) { return op->arg_count || has_own(op, w); }

/* A kernel of which it is known what it touches takes longer with an empty L2. */
static bool has_cold(const struct gsim_device *d)
{
    const struct gsim_program *p = d->space->program;
    bool found = false;
    for (uint32_t i = 0; d->works->has_cold == GSIM_WORKS_OPEN && i < p->op_count && !found; i++)
        found = p->ops[i].kind == GSIM_OP_KERNEL && has_data(&p->ops[i], &d->works->demands[p->ops[i].kernel_index]) &&
                d->works->demands[p->ops[i].kernel_index].cold > 1;
    if (d->works->has_cold == GSIM_WORKS_OPEN) d->works->has_cold = found ? GSIM_WORKS_YES : GSIM_WORKS_NO;
    return d->works->has_cold == GSIM_WORKS_YES;
}

bool gsim_recent_init(struct gsim_device *d)
{
    if (!gsim_rule_holds(d->spec->rules_off, GSIM_RULE_KNOWN_L2)) return true;
    if (!d->machine->is_drawn && !has_cold(d)) return true;
    d->recent.is_kept = true;
    d->recent.is_bounded = d->machine->is_drawn;
    d->recent.of_buffer = GSIM_ARENA_ARRAY(&d->machine->arena, struct gsim_recent_part *,
                                           d->space->buffer_room + d->space->kernel_room + 1);
    d->recent.running = GSIM_ARENA_ARRAY(&d->machine->arena, uint32_t, d->space->kernel_room + 1);
    return d->recent.of_buffer && d->recent.running;
}

static void take_out(struct gsim_recent *r, struct gsim_recent_part *part)
{
    r->count--;
    *(part->before ? &part->before->next : &r->first) = part->next;
    *(part->next ? &part->next->before : &r->last) = part->before;
    part->next = r->idle;
    r->idle = part;
}

/* Of a buffer, what lies in BEGIN to END is not among the older parts any more. */
static void drop_covered(struct gsim_recent *r, uint32_t buffer, uint64_t begin, uint64_t end)
{
    for (struct gsim_recent_part **p = &r->of_buffer[buffer]; *p;) {
        struct gsim_recent_part *part = *p;
        if (part->begin < begin || part->end > end) {
            p = &part->next_of_buffer;
            continue;
        }
        *p = part->next_of_buffer;
        take_out(r, part);
    }
}

/* What was touched longest ago is not looked at any more. */
static void forget_last(struct gsim_recent *r)
{
    struct gsim_recent_part *part = r->last;
    struct gsim_recent_part **p = part->buffer == NO_BUFFER ? NULL : &r->of_buffer[part->buffer];
    while (p && *p != part) p = &(*p)->next_of_buffer;
    if (p) *p = part->next_of_buffer;
    take_out(r, part);
}

static void touch(struct gsim_device *d, uint32_t buffer, uint64_t begin, uint64_t end)
{
    struct gsim_recent *r = &d->recent;
    struct gsim_recent_part *part;
    if (buffer != NO_BUFFER) drop_covered(r, buffer, begin, end);
    if (r->is_bounded && r->count >= PARTS_MOST) forget_last(r);
    r->count++;
    if ((part = r->idle) != NULL) {
        r->idle = part->next;
    } else if (!(part = GSIM_ARENA_NEW(&d->machine->arena, struct gsim_recent_part))) {
        gsim_machine_fail(d->machine, GSIM_NOMEM, "out of memory");
        return;
    }
    *part = (struct gsim_recent_part){.next = r->first, .begin = begin, .end = end, .buffer = buffer};
    *(r->first ? &r->first->before : &r->last) = part;
    r->first = part;
    if (buffer == NO_BUFFER) return;
    part->next_of_buffer = r->of_buffer[buffer];
    r->of_buffer[buffer] = part;
}

/* Takes what PART covers out of the pieces that are looked for; returns how many bytes that is. */
static double take_piece(struct piece *pieces, uint32_t *count, const struct gsim_recent_part *part)
{
    double found = 0;
    for (uint32_t i = 0; i < *count;) {
        uint64_t begin = pieces[i].begin > part->begin ? pieces[i].begin : part->begin,
                 end = pieces[i].end < part->end ? pieces[i].end : part->end;
        if (begin >= end) {
            i++;
            continue;
        }
        found += (double)(end - begin);
        struct piece behind = {end, pieces[i].end};
        pieces[i].end = begin;
        if (pieces[i].begin == pieces[i].end) pieces[i] = pieces[--*count];
        else i++;
        if (behind.begin < behind.end && *count < PIECES_MOST) pieces[(*count)++] = behind;
    }
    return found;
}

/* Bytes from BEGIN to END of a buffer that are no longer in L2. */
static double missing(const struct gsim_device *d, uint32_t buffer, uint64_t begin, uint64_t end)
{
    double l2 = d->spec->l2_mib * 1048576, whole = d->spec->l2_kept_whole, none = d->spec->l2_kept_none;
    double gone = (double)(end - begin), since = gone;
    struct piece pieces[PIECES_MOST] = {{begin, end}};
    uint32_t count = 1, looked = 0;
    for (const struct gsim_recent_part *p = d->recent.first; p && count && since < none * l2 && looked < PARTS_MOST;
         p = p->next, looked++) {
        double found = p->buffer == buffer ? take_piece(pieces, &count, p) : 0,
               share = (since / l2 - whole) / fmax(none - whole, 1e-3);
        gone -= found * (1 - fmax(0, fmin(share, 1)));
        since += (double)(p->end - p->begin) - found;
    }
    return gone;
}

static uint64_t end_of(const struct gsim_device *d, const struct gsim_access *access)
{
    return access->end == UINT64_MAX ? d->space->program->buffers[access->buffer_index].bytes : access->end;
}

double gsim_recent_kernel(struct gsim_device *d, const struct gsim_op *op)
{
    const struct gsim_demand *w = gsim_device_work(d, op->kernel_index);
    double own = 0, gone = 0;
    struct gsim_access_walk walk = {.op = op}, again = walk, last = walk;
    if (!d->recent.is_kept) return 1;
    for (struct gsim_access a; gsim_access_next(&walk, &a);) own += (double)(end_of(d, &a) - a.begin);
    for (struct gsim_access a; w->cold > 1 && gsim_access_next(&again, &a);)
        gone += missing(d, a.buffer_index, a.begin, end_of(d, &a));
    for (struct gsim_access a; gsim_access_next(&last, &a);) touch(d, a.buffer_index, a.begin, end_of(d, &a));
    if (has_own(op, w)) {
        uint32_t data = d->space->buffer_room + op->kernel_index;
        own = w->counted_bytes;
        gone = w->cold <= 1 ? 0 : d->recent.running[op->kernel_index]++ ? own : missing(d, data, 0, (uint64_t)own);
        touch(d, data, 0, (uint64_t)own);
    } else if (!op->arg_count && w->touched_bytes >= 1) touch(d, NO_BUFFER, 0, (uint64_t)w->touched_bytes);
    if (!(w->cold > 1) || !(own > 0)) return 1;
    return (1 + (w->cold - 1) * gone / own) / w->cold;
}

void gsim_recent_kernel_ended(struct gsim_device *d, const struct gsim_op *op)
{
    if (!d->recent.is_kept) return;
    const struct gsim_demand *w = gsim_device_work(d, op->kernel_index);
    if (has_own(op, w) && w->cold > 1) d->recent.running[op->kernel_index]--;
}

void gsim_recent_forget(struct gsim_device *d, uint32_t buffer)
{
    if (d->recent.is_kept) drop_covered(&d->recent, buffer, 0, UINT64_MAX);
}
