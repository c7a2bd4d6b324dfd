/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/memory/l2.h. */
#include "sim/memory/l2.h"

#include <math.h>

#include "sim/device/rules.h"
#include "sim/memory/device.h"

#define PARTS_MAX   4096 /* looked at; what was touched before them is taken to be gone */
#define PIECES_MAX 16   /* of a kernel's part that are looked for at once */
#define NO_BUFFER   UINT32_MAX

struct gsim_l2_part {
    struct gsim_l2_part *before, *next;   /* by when they were touched: touched later, earlier */
    struct gsim_l2_part *next_of_buffer;  /* touched earlier */
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

/* What of the model the program's kernels need. */
static unsigned needs(const struct gsim_device *d)
{
    const struct gsim_program *p = d->space->program;
    unsigned found = d->works->l2_needs;
    for (uint32_t i = 0; !found && i < p->op_count; i++) {
        const struct gsim_op *op = &p->ops[i];
        if (op->kind != GSIM_OP_KERNEL) continue;
        const struct gsim_demand *w = &d->works->demands[op->kernel_index];
        if ((op->arg_count || has_own(op, w)) && w->cold > 1) d->works->l2_needs |= GSIM_L2_REPEATED;
        if (gsim_reuse_is_measured(d, op)) d->works->l2_needs |= GSIM_L2_MEASURED;
    }
    return d->works->l2_needs |= GSIM_L2_ASKED;
}

bool gsim_l2_keep(struct gsim_device *d)
{
    if (d->l2.of_buffer) return true;
    d->l2.of_buffer = GSIM_ARENA_ARRAY(&d->machine->arena, struct gsim_l2_part *,
                                       d->space->buffer_room + d->space->kernel_room + 1);
    d->l2.running = GSIM_ARENA_ARRAY(&d->machine->arena, uint32_t, d->space->kernel_room + 1);
    return d->l2.of_buffer && d->l2.running;
}

bool gsim_l2_init(struct gsim_device *d)
{
    unsigned found = needs(d);
    d->l2.has_repeated = gsim_rule_holds(d->spec->rules_off, GSIM_RULE_KNOWN_L2) &&
                         (d->machine->is_drawn || (found & GSIM_L2_REPEATED));
    if (d->l2.has_repeated && !gsim_l2_keep(d)) return false;
    return !(found & GSIM_L2_MEASURED) || gsim_reuse_init(d);
}

static void unlink_part(struct gsim_l2 *r, struct gsim_l2_part *part)
{
    r->count--;
    *(part->before ? &part->before->next : &r->first) = part->next;
    *(part->next ? &part->next->before : &r->last) = part->before;
    part->next = r->idle;
    r->idle = part;
}

/* Of a buffer, what lies in BEGIN to END is not among the older parts any more. */
static void drop_covered(struct gsim_l2 *r, uint32_t buffer, uint64_t begin, uint64_t end)
{
    for (struct gsim_l2_part **p = &r->of_buffer[buffer]; *p;) {
        struct gsim_l2_part *part = *p;
        if (part->begin < begin || part->end > end) {
            p = &part->next_of_buffer;
            continue;
        }
        *p = part->next_of_buffer;
        unlink_part(r, part);
    }
}

/* What was touched longest ago is not looked at any more. */
static void forget_last(struct gsim_l2 *r)
{
    struct gsim_l2_part *part = r->last;
    struct gsim_l2_part **p = part->buffer == NO_BUFFER ? NULL : &r->of_buffer[part->buffer];
    while (p && *p != part) p = &(*p)->next_of_buffer;
    if (p) *p = part->next_of_buffer;
    unlink_part(r, part);
}

static void touch(struct gsim_device *d, uint32_t buffer, uint64_t begin, uint64_t end)
{
    struct gsim_l2 *r = &d->l2;
    struct gsim_l2_part *part;
    if (buffer != NO_BUFFER) drop_covered(r, buffer, begin, end);
    if (r->count >= PARTS_MAX) forget_last(r);
    r->count++;
    if ((part = r->idle) != NULL) {
        r->idle = part->next;
    } else if (!(part = GSIM_ARENA_NEW(&d->machine->arena, struct gsim_l2_part))) {
        gsim_machine_fail(d->machine, GSIM_NOMEM, "out of memory");
        return;
    }
    *part = (struct gsim_l2_part){.next = r->first, .begin = begin, .end = end, .buffer = buffer};
    *(r->first ? &r->first->before : &r->last) = part;
    r->first = part;
    if (buffer == NO_BUFFER) return;
    part->next_of_buffer = r->of_buffer[buffer];
    r->of_buffer[buffer] = part;
}

/* Takes what PART covers out of the pieces that are looked for; returns how many bytes that is. */
static double subtract_part(struct piece *pieces, uint32_t *count, const struct gsim_l2_part *part)
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
        if (behind.begin < behind.end && *count < PIECES_MAX) pieces[(*count)++] = behind;
    }
    return found;
}

double gsim_l2_missing(const struct gsim_device *d, uint32_t buffer, uint64_t begin, uint64_t end)
{
    double l2 = d->spec->l2_mib * 1048576, whole = d->spec->l2_kept_whole, none = d->spec->l2_kept_none;
    double gone = 0, since = (double)(end - begin);
    struct piece pieces[PIECES_MAX] = {{begin, end}};
    uint32_t count = 1, looked = 0;
    const struct gsim_l2_part *next = d->l2.first ? d->l2.of_buffer[buffer] : NULL; /* of BUFFER, in the list's order */
    for (const struct gsim_l2_part *p = d->l2.first; next && count && since < none * l2 && looked < PARTS_MAX;
         p = p->next, looked++) {
        double found = 0;
        if (p == next) {
            double share = (since / l2 - whole) / fmax(none - whole, 1e-3);
            found = subtract_part(pieces, &count, p);
            gone += found * fmax(0, fmin(share, 1));
            next = p->next_of_buffer;
        }
        since += (double)(p->end - p->begin) - found;
    }
    for (uint32_t i = 0; i < count; i++) gone += (double)(pieces[i].end - pieces[i].begin);
    return gone;
}

bool gsim_l2_next(const struct gsim_device *d, struct gsim_access_walk *walk, struct gsim_access *access)
{
    if (!gsim_access_next(walk, access)) return false;
    if (access->end == UINT64_MAX) access->end = d->space->program->buffers[access->buffer_index].bytes;
    return true;
}

void gsim_l2_touch(struct gsim_device *d, const struct gsim_op *op)
{
    const struct gsim_demand *w = gsim_device_work(d, op->kernel_index);
    struct gsim_access_walk walk = {.op = op};
    for (struct gsim_access a; gsim_l2_next(d, &walk, &a);) touch(d, a.buffer_index, a.begin, a.end);
    if (has_own(op, w)) touch(d, d->space->buffer_room + op->kernel_index, 0, gsim_whole_u64(w->counted_bytes));
    else if (!op->arg_count && w->touched_bytes >= 1) touch(d, NO_BUFFER, 0, gsim_whole_u64(w->touched_bytes));
}

/* Of COLD times the measured time of a kernel that was repeated. */
static double repeated_scale(struct gsim_device *d, const struct gsim_op *op)
{
    const struct gsim_demand *w = gsim_device_work(d, op->kernel_index);
    double own = 0, gone = 0;
    struct gsim_access_walk walk = {.op = op};
    if (!(w->cold > 1)) return 1;
    for (struct gsim_access a; gsim_l2_next(d, &walk, &a);) {
        own += (double)(a.end - a.begin);
        gone += gsim_l2_missing(d, a.buffer_index, a.begin, a.end);
    }
    if (has_own(op, w)) {
        own = w->counted_bytes;
        gone = d->l2.running[op->kernel_index]++
                   ? own
                   : gsim_l2_missing(d, d->space->buffer_room + op->kernel_index, 0, gsim_whole_u64(own));
    }
    return own > 0 ? (1 + (w->cold - 1) * gone / own) / w->cold : 1;
}

double gsim_l2_kernel(struct gsim_device *d, const struct gsim_command *command)
{
    double scale = gsim_reuse_kernel(d, command) * (d->l2.has_repeated ? repeated_scale(d, command->op) : 1);
    if (d->l2.of_buffer) gsim_l2_touch(d, command->op);
    return scale;
}

void gsim_l2_kernel_ended(struct gsim_device *d, struct gsim_command *command)
{
    const struct gsim_op *op = command->op;
    gsim_reuse_kernel_ended(d, command);
    if (!d->l2.has_repeated) return;
    const struct gsim_demand *w = gsim_device_work(d, op->kernel_index);
    if (has_own(op, w) && w->cold > 1) d->l2.running[op->kernel_index]--;
}

void gsim_l2_forget(struct gsim_device *d, uint32_t buffer)
{
    if (d->l2.of_buffer) drop_covered(&d->l2, buffer, 0, UINT64_MAX);
}

void gsim_l2_copy(struct gsim_device *d, const struct gsim_op *op)
{
    if (op->kind == GSIM_OP_HOST_WRITE || op->kind == GSIM_OP_PREFETCH || op->copy_kind == GSIM_COPY_H2D)
        gsim_l2_forget(d, op->args[0].buffer_index);
}
