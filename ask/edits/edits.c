/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each change does to a program (ask/edits/changes.h). Host ops of a traced program stand for the host's time
 * and, with "after", for its waits.
 */
#include <math.h>
#include <string.h>

#include "ask/edits/changes.h"
#include "gpusim/metrics.h"
#include "gpusim/timeline.h"
#include "sim/device/occupancy.h"
#include "sim/device/other.h"
#include "sim/sm/demand.h"
#include "ask/whatif/causes.h"
#include "ask/edits/edit.h"
#include "ask/whatif/names.h"

#define NONE           UINT32_MAX
#define SMALL_US       20.0 /* longer kernels gain little from being fused */
#define LONGEST_CHAIN  16
#define FEW            10 /* of so many kernels one */
#define LOOP_US        2.0
#define LARGE_COPY     262144 /* bytes from which a copy is all transfer */
#define TRIGGER                                                                                                        \
    0.5 /* of a block's time, where a program gives none: as assumed for trust/published/README.md, "mega" */

static int32_t stream_of(const struct gsim_op *op) { return op->stream < 0 ? 0 : op->stream; }

/* The last op of each stream as a walk comes by: few streams, found one after the other. */
struct stream_last {
    int32_t stream;
    uint32_t op;
};

struct lasts {
    struct stream_last *items;
    size_t count, room;
};

static uint32_t *last_in(struct lasts *lasts, int32_t stream)
{
    for (size_t i = 0; i < lasts->count; i++)
        if (lasts->items[i].stream == stream) return &lasts->items[i].op;
    if (gsim_array_grow(&lasts->items, sizeof *lasts->items, lasts->count, &lasts->room)) return NULL;
    lasts->items[lasts->count] = (struct stream_last){stream, NONE};
    return &lasts->items[lasts->count++].op;
}

/* Each op follows the one before it in its stream, as a capture of the stream would have it. */
uint32_t gsim_edit_order_streams(struct gsim_edit *e, bool all_in_one)
{
    struct lasts lasts = {0};
    uint32_t changed = 0;
    for (uint32_t i = 0; i < e->source->op_count && changed != NONE; i++) {
        if (gsim_op_is_host(&e->ops[i]) || e->dropped[i]) continue;
        uint32_t *last = last_in(&lasts, all_in_one ? 0 : stream_of(&e->ops[i]));
        if (!last || (*last != NONE && !gsim_edit_add_after(e, i, *last))) {
            changed = NONE;
            break;
        }
        changed += *last != NONE;
        *last = i;
    }
    gsim_free(lasts.items);
    return changed;
}

/* The program's own work around a launch, beyond the loop and the arguments, which go with the call. */
static bool is_work_around(const struct gsim_op *op)
{
    return op->kind == GSIM_OP_HOST_COMPUTE && op->overhead && op->what && strcmp(op->what, GSIM_HOST_OWN) == 0 &&
           op->host_us > LOOP_US;
}

/* OP of the host parts the graphs before and behind it: what it waits for is done. */
static bool note_wait(struct lasts *lasts, const struct gsim_edit *e, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->after_count; a++) {
        uint32_t awaited = op->after[a], *last = last_in(lasts, stream_of(&e->ops[awaited]));
        if (!last) return false;
        if (*last != NONE && *last <= awaited) *last = NONE;
    }
    return true;
}

/* Kernels that do not follow what another stream has from before the host's last wait, as a graph there would. */
uint32_t gsim_edit_count_rows(const struct gsim_edit *e)
{
    struct lasts lasts = {0};
    uint32_t rows = 0, kernels = 0, part = 0;
    bool ok = true;
    for (uint32_t i = 0; i < e->source->op_count && ok; i++) {
        const struct gsim_op *op = &e->ops[i];
        bool is_beside = false, is_saved = op->kind == GSIM_OP_HOST_COMPUTE && op->overhead;
        if (e->dropped[i] || is_saved) continue;
        if (gsim_op_is_host(op)) {
            ok = note_wait(&lasts, e, op);
            part = i;
            continue;
        }
        for (size_t s = 0; s < lasts.count; s++) {
            bool is_open = lasts.items[s].op < part && lasts.items[s].stream != stream_of(op);
            for (uint32_t a = 0; a < op->after_count && is_open; a++) is_open = op->after[a] != lasts.items[s].op;
            is_beside |= is_open;
        }
        rows += is_beside && op->kind == GSIM_OP_KERNEL;
        kernels += op->kind == GSIM_OP_KERNEL;
        uint32_t *last = last_in(&lasts, stream_of(op));
        ok = last != NULL;
        if (ok) *last = i;
    }
    gsim_free(lasts.items);
    return !ok ? NONE : rows * FEW > kernels ? rows : 0;
}

/* What the program does around each launch it still does when a graph has them all: before the graph. */
void gsim_edit_gather_host(struct gsim_edit *e)
{
    uint32_t first = NONE; /* of the host's ops since the last launch that is its own graph's first */
    bool launches = false;
    for (uint32_t i = 0; i < e->source->op_count; i++) {
        struct gsim_op *op = &e->ops[i];
        if (!gsim_op_is_host(op)) {
            launches = true;
            continue;
        }
        if (!is_work_around(op)) { /* it parts two graphs, unless it is a framework's */
            if (op->kind != GSIM_OP_HOST_COMPUTE || !op->overhead)
                first = op->kind == GSIM_OP_HOST_COMPUTE ? i : NONE, launches = false;
            continue;
        }
        op->overhead = false;
        if (first == NONE && !launches) first = i;
        if (first == NONE || first == i) {
            first = i;
            launches = false;
            continue;
        }
        e->ops[first].host_us += op->host_us;
        e->dropped[i] = true;
    }
}

/* Behind kernel LAST of its stream, with nothing else to wait for: an event of another stream between the two would
 * undo it. */
static bool may_launch_ahead(const struct gsim_edit *e, uint32_t op, uint32_t last)
{
    const struct gsim_op *its = &e->ops[op];
    if (its->kind != GSIM_OP_KERNEL || last == NONE || e->ops[last].kind != GSIM_OP_KERNEL) return false;
    for (uint32_t a = 0; a < its->after_count; a++) {
        const struct gsim_op *before = &e->ops[its->after[a]];
        if (!gsim_op_is_host(before) && stream_of(before) != stream_of(its)) return false;
    }
    return true;
}

uint32_t gsim_edit_launch_ahead(struct gsim_edit *e, double prologue)
{
    struct lasts lasts = {0};
    uint32_t changed = 0;
    for (uint32_t i = 0; i < e->source->op_count && changed != NONE; i++) {
        if (gsim_op_is_host(&e->ops[i]) || e->dropped[i]) continue;
        uint32_t *last = last_in(&lasts, stream_of(&e->ops[i]));
        if (!last) {
            changed = NONE;
            break;
        }
        if (!e->ops[i].programmatic && may_launch_ahead(e, i, *last)) {
            e->ops[i].programmatic = true;
            changed++;
        }
        *last = i;
    }
    for (uint32_t k = 0; k < e->kernel_count && prologue > 0 && changed && changed != NONE; k++) {
        if (!(e->kernels[k].prologue > 0)) e->kernels[k].prologue = prologue;
        if (!(e->kernels[k].trigger > 0)) e->kernels[k].trigger = TRIGGER;
    }
    gsim_free(lasts.items);
    return changed;
}

/* --- waits --- */
static bool is_copy(const struct gsim_op *op, enum gsim_copy_kind kind)
{
    return op->kind == GSIM_OP_COPY && op->copy_kind == kind;
}

static bool waits_for_device(const struct gsim_edit *e, uint32_t op)
{
    for (uint32_t a = 0; a < e->ops[op].after_count; a++)
        if (!gsim_op_is_host(&e->ops[e->ops[op].after[a]])) return true;
    return false;
}

/* What wait OP waits for that the host reads: copies to it since FIRST; copies to the device block by themselves.
 * Returns how many. */
static uint32_t find_reads(const struct gsim_edit *e, uint32_t op, uint32_t first, uint32_t *reads)
{
    uint32_t count = 0;
    for (uint32_t k = first; k < op; k++)
        if (is_copy(&e->ops[k], GSIM_COPY_D2H)) reads[count++] = k;
    for (uint32_t a = 0; a < e->ops[op].after_count; a++)
        if (is_copy(&e->ops[e->ops[op].after[a]], GSIM_COPY_H2D)) reads[count++] = e->ops[op].after[a];
    return count;
}

/* What came behind the wait in other streams comes behind it without the host, too. */
static bool keep_order(struct gsim_edit *e, uint32_t wait, const uint32_t *awaited, uint32_t awaited_count)
{
    struct lasts seen = {0}; /* by stream: its first op behind the wait */
    bool ok = true;
    for (uint32_t i = wait + 1; i < e->source->op_count && ok; i++) {
        if (gsim_op_is_host(&e->ops[i])) continue;
        uint32_t *first = last_in(&seen, stream_of(&e->ops[i]));
        ok = first != NULL;
        if (!ok || *first != NONE) continue;
        *first = i;
        for (uint32_t a = 0; a < awaited_count && ok; a++)
            if (stream_of(&e->ops[awaited[a]]) != stream_of(&e->ops[i]) &&
                e->ops[awaited[a]].device == e->ops[i].device)
                ok = gsim_edit_add_after(e, i, awaited[a]);
    }
    gsim_free(seen.items);
    return ok;
}

/* The host no longer waits: what it took to wake goes, its own work stays. */
static bool drop_wait(struct gsim_edit *e, uint32_t wait, const uint32_t *reads, uint32_t read_count,
                      uint32_t stream_count)
{
    struct gsim_op *op = &e->ops[wait];
    const uint32_t *awaited = op->after;
    uint32_t awaited_count = op->after_count;
    if (op->what && strncmp(op->what, GSIM_HOST_IN_WAIT, strlen(GSIM_HOST_IN_WAIT)) == 0 && !read_count)
        op->host_us = 0;
    if (!gsim_edit_set_after(e, wait, reads, read_count)) return false;
    return stream_count < 2 || keep_order(e, wait, awaited, awaited_count);
}

/* A wait is needed for what the host reads; for all else the device keeps the order by itself. */
uint32_t gsim_edit_drop_syncs(struct gsim_edit *e)
{
    uint32_t changed = 0, first_unread = 0;
    uint32_t *reads = gsim_alloc(sizeof *reads * ((size_t)e->source->op_count + 1));
    struct lasts streams = {0};
    for (uint32_t i = 0; reads && i < e->source->op_count && changed != NONE; i++)
        if (!gsim_op_is_host(&e->ops[i]) && !last_in(&streams, stream_of(&e->ops[i]))) changed = NONE;
    for (uint32_t i = 0; reads && i < e->source->op_count && changed != NONE; i++) {
        if (e->ops[i].kind != GSIM_OP_HOST_COMPUTE || !waits_for_device(e, i)) continue;
        uint32_t count = find_reads(e, i, first_unread, reads);
        first_unread = i;
        bool is_needed = e->ops[i].needed || (count > 0 && count >= e->ops[i].after_count);
        if (is_needed) continue;
        changed = drop_wait(e, i, reads, count, (uint32_t)streams.count) ? changed + 1 : NONE;
    }
    gsim_free(reads);
    gsim_free(streams.items);
    return reads ? changed : NONE;
}

/* --- priorities --- */
/* How long each kernel would take on a GPU with room for all its blocks: what more SMs do not shorten. */
static double *find_lengths(const struct gsim_edit *e, const struct gsim_device_spec *device)
{
    const struct gsim_sm_limits limits = gsim_sm_limits(device);
    double *lengths = gsim_alloc(sizeof *lengths * ((size_t)e->kernel_count + 1));
    for (uint32_t i = 0; lengths && i < e->kernel_count; i++) {
        const struct gsim_kernel *k = &e->kernels[i];
        struct gsim_kernel_alone alone;
        struct gsim_block_need need;
        struct gsim_error ignored = {0};
        lengths[i] = k->solo_us;
        if (k->solo_us <= 0 && gsim_kernel_alone(device, k, &alone, &ignored) == GSIM_OK)
            lengths[i] = gsim_time_us(alone.time);
        if (gsim_block_need(&limits, k, &need, &ignored) != GSIM_OK) continue;
        lengths[i] /=
            fmax(1, ceil((double)k->grid.x * k->grid.y * k->grid.z / (device->sm_count * need.blocks_per_sm)));
    }
    return lengths;
}

struct rank {
    int32_t stream;
    double below; /* the longest way from its first op to the end */
    int32_t priority;
};

static uint32_t rank_found(struct gsim_edit *e, const struct rank *ranks, size_t count)
{
    uint32_t changed = 0;
    for (uint32_t i = 0; i < e->source->op_count; i++)
        for (size_t r = 0; r < count && !gsim_op_is_host(&e->ops[i]); r++) {
            if (ranks[r].stream != stream_of(&e->ops[i]) || e->ops[i].priority == ranks[r].priority) continue;
            e->ops[i].priority = ranks[r].priority;
            changed++;
        }
    return changed;
}

/* A stream whose work has more behind it is more urgent: by streams, "after" and data. */
uint32_t gsim_edit_rank_streams(struct gsim_edit *e, const struct gsim_device_spec *device, struct gsim_error *error)
{
    int levels = gsim_whole_int(device->priority_levels);
    const struct gsim_program *p = e->source;
    double *below = gsim_alloc(sizeof *below * ((size_t)p->op_count + 1)),
           *of_buffer = gsim_alloc(sizeof *of_buffer * ((size_t)p->buffer_count + 1));
    struct rank *ranks = gsim_alloc(sizeof *ranks * ((size_t)p->op_count + 1));
    double *lengths = find_lengths(e, device);
    struct lasts next = {0}; /* by stream: its op behind the one at hand */
    size_t count = 0;
    uint32_t changed = NONE;
    if (!below || !of_buffer || !ranks || !lengths) {
        gsim_error_set(error, GSIM_NOMEM, "out of memory");
        goto done;
    }
    for (uint32_t i = p->op_count; i-- > 0;) {
        const struct gsim_op *op = &e->ops[i];
        for (uint32_t a = 0; a < op->arg_count; a++) below[i] = fmax(below[i], of_buffer[op->args[a].buffer_index]);
        uint32_t *behind = gsim_op_is_host(op) ? NULL : last_in(&next, stream_of(op));
        if (behind && *behind != NONE) below[i] = fmax(below[i], below[*behind]);
        if (behind) *behind = i;
        below[i] += op->kind == GSIM_OP_KERNEL ? lengths[op->kernel_index] : gsim_op_is_host(op) ? 0 : op->copy_us;
        for (uint32_t a = 0; a < op->after_count; a++) below[op->after[a]] = fmax(below[op->after[a]], below[i]);
        for (uint32_t a = 0; a < op->arg_count; a++)
            of_buffer[op->args[a].buffer_index] = fmax(of_buffer[op->args[a].buffer_index], below[i]);
    }
    for (uint32_t i = 0; i < p->op_count; i++) {
        size_t r = 0;
        if (gsim_op_is_host(&e->ops[i])) continue;
        while (r < count && ranks[r].stream != stream_of(&e->ops[i])) r++;
        if (r == count) ranks[count++] = (struct rank){stream_of(&e->ops[i]), below[i], 0};
    }
    for (size_t r = 0; r < count; r++) {
        size_t less = 0;
        for (size_t other = 0; other < count; other++) less += ranks[other].below < ranks[r].below;
        int level = gsim_whole_int((double)less / (double)count * levels);
        ranks[r].priority = -(level < levels ? level : levels - 1);
    }
    changed = count > 1 ? rank_found(e, ranks, count) : 0;
done:
    gsim_free(below);
    gsim_free(of_buffer);
    gsim_free(ranks);
    gsim_free(lengths);
    gsim_free(next.items);
    return changed;
}

/* --- fewer launches --- */
static bool is_elementwise(const struct gsim_kernel *k)
{
    static const char *const words[] = {"elementwise", "pointwise", "bn_fw_inf", "CatArray", "fill_kernel"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(k->name, words[i])) return true;
    return false;
}

static bool is_small(const struct gsim_edit *e, const struct gsim_op *op)
{
    const struct gsim_kernel *k = &e->kernels[op->kernel_index];
    return k->solo_us > 0 && k->solo_us < SMALL_US && is_elementwise(k);
}

/* NEXT depends on nothing but what FIRST follows as well, or on FIRST. */
static bool may_join(const struct gsim_edit *e, uint32_t first, uint32_t last, uint32_t next)
{
    if (e->ops[next].kind != GSIM_OP_KERNEL || stream_of(&e->ops[next]) != stream_of(&e->ops[first]) ||
        !is_small(e, &e->ops[next]))
        return false;
    for (uint32_t a = 0; a < e->ops[next].after_count; a++) {
        uint32_t before = e->ops[next].after[a];
        if (before > first && before != last && !e->dropped[before]) return false;
    }
    return e->kernels[e->ops[next].kernel_index].block.x > 0;
}

/* FIRST does what NEXT did, too. */
static bool join(struct gsim_edit *e, uint32_t first, uint32_t next)
{
    struct gsim_op *a = &e->ops[first], *b = &e->ops[next];
    struct gsim_arg *args = GSIM_ARENA_ARRAY(&e->arena, struct gsim_arg, (size_t)a->arg_count + b->arg_count + 1);
    uint32_t count = a->arg_count;
    if (!args) return false;
    if (count) memcpy(args, a->args, sizeof *args * count);
    for (uint32_t i = 0; i < b->arg_count; i++) {
        uint32_t at = 0;
        while (at < count && args[at].buffer_index != b->args[i].buffer_index) at++;
        if (at == count) args[count++] = b->args[i];
        args[at].reads |= b->args[i].reads;
        args[at].writes |= b->args[i].writes;
        args[at].declared_const &= b->args[i].declared_const;
    }
    a->args = args;
    a->arg_count = count;
    a->segment_count = 0; /* the whole of each */
    a->is_unknown |= b->is_unknown;
    for (uint32_t i = 0; i < b->after_count; i++)
        if (b->after[i] < first && !gsim_edit_add_after(e, first, b->after[i])) return false;
    if (!gsim_edit_set_after(e, next, &first, 1)) return false;
    e->dropped[next] = true;
    return true;
}

/* Of a chain from FIRST on: one kernel that takes as long as all of them. Returns how many were joined to it. */
static uint32_t fuse_from(struct gsim_edit *e, uint32_t first)
{
    uint32_t joined = 0, last = first, kernel = NONE;
    uint32_t host[LONGEST_CHAIN * 4], host_count = 0;
    for (uint32_t next = first + 1; next < e->source->op_count && joined < LONGEST_CHAIN; next++) {
        if (e->dropped[next]) continue;
        if (e->ops[next].kind == GSIM_OP_HOST_COMPUTE && e->ops[next].overhead && host_count < LONGEST_CHAIN * 4) {
            host[host_count++] = next;
            continue;
        }
        if (!may_join(e, first, last, next)) break;
        for (uint32_t h = 0; h < host_count; h++) e->dropped[host[h]] = true;
        host_count = 0;
        if (kernel == NONE) {
            kernel = e->kernel_count++;
            e->kernels[kernel] = e->kernels[e->ops[first].kernel_index];
        }
        const struct gsim_kernel *k = &e->kernels[e->ops[next].kernel_index];
        e->kernels[kernel].solo_us += k->solo_us;
        e->kernels[kernel].flops += k->flops;
        e->kernels[kernel].dram_bytes += k->dram_bytes;
        if ((uint64_t)k->grid.x * k->grid.y * k->grid.z >
            (uint64_t)e->kernels[kernel].grid.x * e->kernels[kernel].grid.y * e->kernels[kernel].grid.z) {
            e->kernels[kernel].grid = k->grid;
            e->kernels[kernel].block = k->block;
        }
        if (!join(e, first, next)) return NONE;
        last = next;
        joined++;
    }
    if (kernel != NONE) e->ops[first].kernel_index = kernel;
    return joined;
}

uint32_t gsim_edit_fuse(struct gsim_edit *e)
{
    uint32_t changed = 0;
    for (uint32_t i = 0; i < e->source->op_count; i++) {
        if (e->dropped[i] || e->ops[i].kind != GSIM_OP_KERNEL || !is_small(e, &e->ops[i])) continue;
        uint32_t joined = fuse_from(e, i);
        if (joined == NONE) return NONE;
        changed += joined;
    }
    return changed;
}

/* --- copies --- */
/* The host's time before a copy in its call: the staging of pageable memory. */
static bool is_staging(const struct gsim_edit *e, uint32_t op)
{
    const struct gsim_op *o = &e->ops[op];
    return o->kind == GSIM_OP_HOST_COMPUTE && o->what &&
           strncmp(o->what, GSIM_HOST_IN_CALL, strlen(GSIM_HOST_IN_CALL)) == 0 && strstr(o->what, "emcpy");
}

/* Copies of pageable memory come to be pinned ones; those to the device go ahead on a stream of their own, and what
 * came behind them waits for them. The host no longer waits for either. */
uint32_t gsim_edit_pin(struct gsim_edit *e)
{
    int32_t own = 0;
    uint32_t changed = 0, last_copy = NONE;
    struct lasts waiting = {0}; /* by stream: the copy that its next op must follow */
    for (uint32_t i = 0; i < e->source->op_count; i++)
        if (e->ops[i].stream >= own) own = e->ops[i].stream + 1;
    for (uint32_t i = 0; i < e->source->op_count; i++) {
        struct gsim_op *op = &e->ops[i];
        if (gsim_op_is_host(op)) {
            uint32_t kept[64], count = 0;
            bool had = false;
            for (uint32_t a = 0; a < op->after_count && count < 64; a++) {
                const struct gsim_op *before = &e->ops[op->after[a]];
                bool is_own =
                    before->kind == GSIM_OP_COPY && before->copy_kind == GSIM_COPY_H2D && before->stream == own;
                had |= is_own;
                if (!is_own) kept[count++] = op->after[a];
            }
            if (had && !gsim_edit_set_after(e, i, kept, count)) changed = NONE;
            if (changed == NONE) break;
            continue;
        }
        uint32_t *must = last_in(&waiting, stream_of(op));
        bool is_pageable = op->kind == GSIM_OP_COPY && op->copy_memory == GSIM_COPY_MEMORY_PAGEABLE;
        if (!must) changed = NONE;
        if (changed == NONE) break;
        if (is_pageable) {
            op->copy_memory = GSIM_COPY_MEMORY_PINNED;
            op->copy_us = 0;
            if (i > 0 && is_staging(e, i - 1)) e->ops[i - 1].host_us = 0;
            changed++;
        }
        if (is_pageable && op->copy_kind == GSIM_COPY_H2D) {
            op->stream = own;
            if (!gsim_edit_set_after(e, i, &last_copy, last_copy != NONE)) changed = NONE;
            *must = last_copy = i;
            continue;
        }
        if (*must != NONE && !gsim_edit_add_after(e, i, *must)) changed = NONE;
        *must = NONE;
        if (changed == NONE) break;
    }
    gsim_free(waiting.items);
    return changed;
}

/* A faster link moves the bytes in less time; what a copy takes to start stays. */
uint32_t gsim_edit_hasten_copies(struct gsim_edit *e, const struct gsim_device_spec *d, double factor)
{
    uint32_t changed = 0;
    for (uint32_t i = 0; i < e->source->op_count; i++) {
        struct gsim_op *op = &e->ops[i];
        if (op->kind != GSIM_OP_COPY || op->copy_kind == GSIM_COPY_D2D) continue;
        bool is_pageable = op->copy_memory == GSIM_COPY_MEMORY_PAGEABLE, is_back = op->copy_kind == GSIM_COPY_D2H;
        double gbps = is_pageable ? (is_back ? d->pageable_d2h_gbps : d->pageable_h2d_gbps)
                      : is_back   ? d->d2h_gbps
                                  : d->h2d_gbps;
        double moving_us = op->bytes >= LARGE_COPY ? op->copy_us : fmin(op->copy_us, (double)op->bytes * 1e-3 / gbps);
        op->copy_us -= moving_us * (1 - 1 / factor);
        changed++;
    }
    return changed;
}

/* --- kernels --- */
static void scale(struct gsim_kernel *k, double factor)
{
    k->solo_us *= factor;
    k->slice_us *= factor;
    k->flops *= factor;
    k->dram_bytes *= factor;
    k->thread_cycles *= factor;
    k->sm_cycles *= factor;
}

uint32_t gsim_edit_hasten(struct gsim_edit *e, const char *name, double factor)
{
    uint32_t changed = 0;
    bool whole = false; /* some kernel has just this name */
    for (uint32_t k = 0; k < e->kernel_count && name; k++) whole |= gsim_name_holds(e->kernels[k].name, name, true);
    for (uint32_t k = 0; k < e->kernel_count; k++) {
        bool is_delay = gsim_is_delay(e->kernels[k].name);
        if (is_delay || (name ? !gsim_name_holds(e->kernels[k].name, name, whole) : e->kernels[k].collective != NULL))
            continue;
        scale(&e->kernels[k], 1 / factor);
        changed++;
    }
    return changed;
}

uint32_t gsim_edit_move(struct gsim_edit *e, const struct gsim_other_law *law, const struct gsim_device_spec *from,
                        const struct gsim_device_spec *to, struct gsim_edit_moved *moved)
{
    const struct gsim_sm_limits limits = gsim_sm_limits(to);
    uint32_t changed = 0, *launches = GSIM_ARENA_ARRAY(&e->arena, uint32_t, (size_t)e->kernel_count + 1);
    if (!launches) return UINT32_MAX;
    memset(launches, 0, sizeof *launches * e->kernel_count);
    for (uint32_t i = 0; i < e->source->op_count; i++) {
        struct gsim_op *op = &e->ops[i];
        if (op->kind == GSIM_OP_COPY) op->copy_us = 0;
        if (op->kind == GSIM_OP_KERNEL) launches[op->kernel_index]++;
    }
    for (uint32_t i = 0; i < e->kernel_count; i++) {
        struct gsim_kernel *k = &e->kernels[i];
        bool is_here = !k->solo_device || strcmp(k->solo_device, from->name) == 0;
        double times = launches[i], before = k->solo_us;
        if (k->smem_bytes > limits.smem_block_bytes) moved->cut++;
        if (k->solo_us > 0 && is_here && !gsim_is_delay(k->name) && !k->collective) {
            struct gsim_other_time time = gsim_other_move(law, k, from, to);
            double off = times * fmax(time.us - time.low_us, time.high_us - time.us);
            moved->before_us += times * before;
            moved->after_us += times * time.us;
            moved->off_us = hypot(moved->off_us, off);
        }
        k->smem_bytes = k->smem_bytes < limits.smem_block_bytes ? k->smem_bytes : limits.smem_block_bytes;
        changed += k->solo_us > 0;
        k->solo_device = NULL; /* a delay is as long as it was: nothing of the GPU explains it */
    }
    return changed;
}
