/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/memory/l2.h: kernels whose time was measured inside a program. */
#include "sim/memory/l2.h"

#include <math.h>
#include <string.h>

#include "sim/device/rules.h"
#include "sim/memory/device.h"

bool gsim_reuse_is_measured(const struct gsim_device *d, const struct gsim_op *op)
{
    const struct gsim_kernel *kernel = &d->space->program->kernels[op->kernel_index];
    return kernel->solo_cold && kernel->solo_us > 0;
}

/* Bytes that OP, whose place is AT, reads and that are not in L2. */
static double read_missing(struct gsim_device *d, const struct gsim_op *op, const struct gsim_l2_op *at)
{
    const struct gsim_kernel *kernel = &d->space->program->kernels[op->kernel_index];
    double *gone = d->l2.gone + at->first_arg, bytes = 0;
    struct gsim_access_walk walk = {.op = op};
    for (uint32_t i = 0; i < op->arg_count; i++) gone[i] = 0;
    for (struct gsim_access a; gsim_l2_next(d, &walk, &a);) {
        double missing = a.reads ? gsim_l2_missing(d, a.buffer_index, a.begin, a.end) : 0;
        gone[a.arg] += missing / (double)d->space->program->buffers[a.buffer_index].bytes;
        bytes += missing;
    }
    return kernel->dram_bytes > 0 && bytes > kernel->dram_bytes ? kernel->dram_bytes : bytes;
}

/* --- near and far --- */
static bool has_same_grid(const struct gsim_program *p, const struct gsim_op *op, const struct gsim_op *other)
{
    const struct gsim_kernel *a = &p->kernels[op->kernel_index], *b = &p->kernels[other->kernel_index];
    return memcmp(&a->grid, &b->grid, sizeof a->grid) == 0 && memcmp(&a->block, &b->block, sizeof a->block) == 0;
}

/* Of what OP reads, the share that a kernel of its own grid was the last to touch; then it has touched its buffers. */
static double near_share(struct gsim_device *d, const struct gsim_op *op)
{
    const struct gsim_program *p = d->space->program;
    double all = 0, near = 0, most = d->spec->l2_kept_whole * d->spec->l2_mib * 1048576;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        uint32_t buffer = op->args[i].buffer_index;
        const struct gsim_op *last = d->l2.buffers[buffer].last;
        double bytes = op->args[i].reads ? (double)p->buffers[buffer].bytes : 0;
        all += bytes;
        if (last && bytes <= most && has_same_grid(p, op, last)) near += bytes;
    }
    for (uint32_t i = 0; i < op->arg_count; i++) d->l2.buffers[op->args[i].buffer_index].last = op;
    return all > 0 ? near / all : 0;
}

/* COMMAND is placed now; its work relative to when all it reads is as near as it was when measured. */
static double far_scale(struct gsim_device *d, const struct gsim_command *command)
{
    const struct gsim_op *op = command->op;
    struct gsim_l2_buffer *buffers = d->l2.buffers;
    bool is_beside = gsim_gpu_load(command->part->sm).kernels > 0, is_far = is_beside;
    if (!gsim_rule_holds(d->spec->rules_off, GSIM_RULE_L2_FAR)) return 1;
    for (uint32_t i = 0; i < op->arg_count; i++)
        is_far |= op->args[i].reads && buffers[op->args[i].buffer_index].is_mixed;
    for (uint32_t i = 0; i < op->arg_count; i++) buffers[op->args[i].buffer_index].is_mixed = is_beside;
    return is_far ? 1 + d->spec->l2_far_share * d->l2.ops[gsim_command_op(command)].near : 1;
}

/* --- what another kernel brings --- */
/* Threads of the kernel that work at the same time. */
static double working_threads(const struct gsim_device *d, const struct gsim_op *op)
{
    const struct gsim_kernel *k = &d->space->program->kernels[op->kernel_index];
    const struct gsim_demand *w = gsim_device_work(d, op->kernel_index);
    double threads = fmin((double)d->spec->sm_count * w->need.blocks_per_sm, (double)w->blocks) * w->threads;
    double items = fmax(k->loop_x, 1) * fmax(k->loop_y, 1) * fmax(k->loop_z, 1);
    return k->loop_x > 0 && items < threads ? items : threads;
}

/* How much longer the kernel takes when BYTES more are not in L2. */
static double missing_ps(const struct gsim_device *d, const struct gsim_op *op, double bytes)
{
    return bytes / (working_threads(d, op) * d->spec->bytes_in_flight_per_thread) * d->spec->l2_miss_ns * 1e3;
}

/* The share of what both read, from the front on, at which COMMAND, which starts now, overtakes LEADER, which has read
 * DONE of it. 1: never. */
static double share_behind(const struct gsim_device *d, const struct gsim_command *command,
                           const struct gsim_command *leader, double done)
{
    double own = gsim_device_work(d, command->op->kernel_index)->solo_ps,
           its = gsim_device_work(d, leader->op->kernel_index)->solo_ps;
    return own < its * (1 - done) ? done * its / (its - own) : 1;
}

static void lengthen(struct gsim_device *d, const struct gsim_command *command, double longer_ps)
{
    if (longer_ps == 0) return;
    gsim_gpu_lengthen(command->part->sm, d->machine->now, command->run,
                      longer_ps / gsim_device_work(d, command->op->kernel_index)->solo_ps);
    gsim_partition_changed(command->part);
}

/* Share of a buffer that it reads and that was not in L2 when it was submitted. */
static double gone(const struct gsim_device *d, const struct gsim_command *command, uint32_t buffer)
{
    const struct gsim_op *op = command->op;
    for (uint32_t i = 0; i < op->arg_count; i++)
        if (op->args[i].reads && op->args[i].buffer_index == buffer)
            return d->l2.gone[d->l2.ops[gsim_command_op(command)].first_arg + i];
    return 0;
}

/* What LEADER is spared is taken to be the least that it can be, with the most bytes that a thread asks for: kernels
 * differ, by 3 to 22 (IMG's, ML's on an H200), and of many blocks some fall behind and miss all the same. */
static void add_leaders(struct gsim_device *d, const struct gsim_command *command)
{
    const struct gsim_device_spec *spec = d->spec;
    const struct gsim_op *op = command->op;
    double more = 0, least = spec->bytes_in_flight_per_thread /
                             fmax(spec->most_bytes_in_flight_per_thread, spec->bytes_in_flight_per_thread);
    for (uint32_t i = 0; i < op->arg_count; i++) {
        uint32_t buffer = op->args[i].buffer_index;
        const struct gsim_command *leader = d->l2.buffers[buffer].bringing;
        uint64_t bytes = d->space->program->buffers[buffer].bytes;
        double own = gone(d, command, buffer), share = 0, its;
        if (!op->args[i].reads || leader == command) continue;
        if (leader) {
            share = share_behind(d, command, leader,
                                 gsim_gpu_progress(leader->part->sm, leader->run, d->machine->now).done);
            if (share >= 1) continue;
            its = (1 - share) * gone(d, leader, buffer) * (double)bytes;
            more += its * (1 - own);
            if (gsim_reuse_is_measured(d, leader->op))
                lengthen(d, leader,
                         -least * missing_ps(d, leader->op,
                                             its * (1 - gsim_l2_missing(d, buffer, 0, bytes) / (double)bytes)));
        }
        if (leader || own > 0) d->l2.buffers[buffer].bringing = command;
    }
    if (gsim_reuse_is_measured(d, op)) lengthen(d, command, missing_ps(d, op, more));
}

/* --- interface --- */
static bool make_tables(struct gsim_device *d)
{
    const struct gsim_program *p = d->space->program;
    uint32_t count = 0;
    double total = 0;
    d->l2.ops = GSIM_ARENA_ARRAY(&d->machine->arena, struct gsim_l2_op, p->op_count);
    d->l2.buffers = GSIM_ARENA_ARRAY(&d->machine->arena, struct gsim_l2_buffer, p->buffer_count);
    if (!d->l2.ops || !d->l2.buffers) return false;
    for (uint32_t b = 0; b < p->buffer_count; b++) total += (double)p->buffers[b].bytes;
    for (uint32_t i = 0; i < p->op_count; count += p->ops[i++].arg_count) d->l2.ops[i].first_arg = count;
    d->l2.gone = GSIM_ARENA_ARRAY(&d->machine->arena, double, count);
    d->l2.has_measured = gsim_rule_holds(d->spec->rules_off, GSIM_RULE_L2_REUSE) && d->spec->l2_miss_ns > 0 &&
                         total > d->spec->l2_kept_whole * d->spec->l2_mib * 1048576;
    return d->l2.gone && (!d->l2.has_measured || gsim_l2_keep(d));
}

bool gsim_reuse_init(struct gsim_device *d)
{
    const struct gsim_program *p = d->space->program;
    if (!make_tables(d)) return false;
    for (uint32_t n = 0; n < 2 * p->op_count; n++) { /* as one iteration follows another */
        const struct gsim_op *op = &p->ops[n % p->op_count];
        struct gsim_l2_op *at = &d->l2.ops[n % p->op_count];
        if (op->kind == GSIM_OP_KERNEL) {
            at->near = near_share(d, op);
            if (!d->l2.has_measured) continue;
            at->missed = read_missing(d, op, at);
            gsim_l2_touch(d, op);
        } else if (op->kind == GSIM_OP_COPY || op->kind == GSIM_OP_HOST_WRITE) {
            d->l2.buffers[op->args[0].buffer_index].last = NULL;
            gsim_l2_copy(d, op);
        }
    }
    return true;
}

double gsim_reuse_kernel(struct gsim_device *d, const struct gsim_command *command)
{
    const struct gsim_op *op = command->op;
    if (!d->l2.ops) return 1;
    const struct gsim_l2_op *at = &d->l2.ops[gsim_command_op(command)];
    double far = far_scale(d, command), bytes = d->l2.has_measured ? read_missing(d, op, at) : 0;
    if (!gsim_reuse_is_measured(d, op)) return 1;
    if (!d->l2.has_measured) return far;
    double scale = far + missing_ps(d, op, bytes - at->missed) / gsim_device_work(d, op->kernel_index)->solo_ps;
    return fmax(GSIM_MIN_SCALE, fmin(scale, GSIM_MAX_SCALE));
}

void gsim_reuse_kernel_started(struct gsim_device *d, struct gsim_command *command)
{
    if (!d->l2.has_measured) return;
    command->next_started = d->l2.started;
    d->l2.started = command;
    gsim_agenda_follow_if(&d->machine->agenda, &d->l2_starts, true);
}

void gsim_reuse_update(void *device)
{
    struct gsim_device *d = device;
    while (d->l2.started) {
        struct gsim_command *command = d->l2.started;
        d->l2.started = command->next_started;
        add_leaders(d, command);
    }
    gsim_agenda_follow_if(&d->machine->agenda, &d->l2_starts, false);
}

void gsim_reuse_kernel_ended(struct gsim_device *d, struct gsim_command *command)
{
    struct gsim_l2 *r = &d->l2;
    if (!r->has_measured) return;
    for (struct gsim_command **t = &r->started; *t; t = &(*t)->next_started)
        if (*t == command) {
            *t = command->next_started;
            break;
        }
    for (uint32_t i = 0; i < command->op->arg_count; i++) {
        struct gsim_l2_buffer *buffer = &r->buffers[command->op->args[i].buffer_index];
        if (buffer->bringing == command) buffer->bringing = NULL;
    }
}
