/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/memory/reuse.h. */
#include "sim/memory/reuse.h"

#include <math.h>
#include <string.h>

#include "sim/device/rules.h"
#include "sim/memory/device.h"

static bool is_measured_inside(const struct gsim_device *d, const struct gsim_op *op)
{
    const struct gsim_kernel *kernel = &d->space->program->kernels[op->kernel_index];
    return kernel->solo_cold && kernel->solo_us > 0;
}

static void take_out(struct gsim_reuse *r, uint32_t buffer)
{
    r->next[r->before[buffer]] = r->next[buffer];
    r->before[r->next[buffer]] = r->before[buffer];
    r->next[buffer] = r->before[buffer] = buffer;
}

static void touch(struct gsim_device *d, const struct gsim_op *op)
{
    struct gsim_reuse *r = &d->reuse;
    uint32_t head = d->space->program->buffer_count;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        uint32_t buffer = op->args[i].buffer_index;
        take_out(r, buffer);
        r->next[buffer] = r->next[head];
        r->before[buffer] = head;
        r->before[r->next[buffer]] = r->next[head] = buffer;
    }
}

/* How much of a buffer is no longer in L2. */
static double missing(const struct gsim_device *d, uint32_t buffer)
{
    const struct gsim_reuse *r = &d->reuse;
    double l2 = d->spec->l2_mib * 1048576, x = (double)d->space->program->buffers[buffer].bytes;
    double none = d->spec->l2_kept_none;
    uint32_t head = d->space->program->buffer_count;
    if (r->next[buffer] == buffer) return 1;
    for (uint32_t b = r->next[head]; b != buffer && x < none * l2; b = r->next[b])
        x += (double)d->space->program->buffers[b].bytes;
    double share = (x / l2 - d->spec->l2_kept_whole) / fmax(none - d->spec->l2_kept_whole, 1e-3);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Bytes that OP, the program's op INDEX, reads and that are not in L2; then it has touched its buffers. */
static double read_missing(struct gsim_device *d, const struct gsim_op *op, uint32_t index)
{
    const struct gsim_kernel *kernel = &d->space->program->kernels[op->kernel_index];
    double bytes = 0;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        uint32_t buffer = op->args[i].buffer_index;
        double gone = op->args[i].reads ? missing(d, buffer) : 0;
        d->reuse.gone[d->reuse.first_arg[index] + i] = gone;
        bytes += gone * (double)d->space->program->buffers[buffer].bytes;
    }
    touch(d, op);
    return kernel->dram_bytes > 0 && bytes > kernel->dram_bytes ? kernel->dram_bytes : bytes;
}

/* --- near and far --- */
#define NOBODY UINT32_MAX

static bool has_same_grid(const struct gsim_program *p, uint32_t op, uint32_t other)
{
    const struct gsim_kernel *a = &p->kernels[p->ops[op].kernel_index], *b = &p->kernels[p->ops[other].kernel_index];
    return memcmp(&a->grid, &b->grid, sizeof a->grid) == 0 && memcmp(&a->block, &b->block, sizeof a->block) == 0;
}

/* Of what OP reads, the share that a kernel of its own grid was the last to touch; then it has touched its buffers.
 * LAST: by buffer. */
static double near_share(const struct gsim_device *d, const struct gsim_op *op, uint32_t *last)
{
    const struct gsim_program *p = d->space->program;
    double all = 0, near = 0, most = d->spec->l2_kept_whole * d->spec->l2_mib * 1048576;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        uint32_t buffer = op->args[i].buffer_index;
        double bytes = op->args[i].reads ? (double)p->buffers[buffer].bytes : 0;
        bool is_near = last[buffer] != NOBODY && bytes <= most && has_same_grid(p, op->index, last[buffer]);
        all += bytes;
        if (is_near) near += bytes;
    }
    for (uint32_t i = 0; i < op->arg_count; i++) last[op->args[i].buffer_index] = op->index;
    return all > 0 ? near / all : 0;
}

static bool init_near(struct gsim_device *d)
{
    const struct gsim_program *p = d->space->program;
    if (!(d->spec->l2_far_share > 0)) return true;
    uint32_t *last = GSIM_ARENA_ARRAY(&d->machine->arena, uint32_t, p->buffer_count);
    d->reuse.is_mixed = GSIM_ARENA_ARRAY(&d->machine->arena, bool, p->buffer_count);
    d->reuse.near = GSIM_ARENA_ARRAY(&d->machine->arena, double, p->op_count);
    if (!last || !d->reuse.is_mixed || !d->reuse.near) return false;
    for (uint32_t b = 0; b < p->buffer_count; b++) last[b] = NOBODY;
    for (int round = 0; round < 2; round++) /* as one iteration follows another */
        for (uint32_t i = 0; i < p->op_count; i++) {
            const struct gsim_op *op = &p->ops[i];
            if (op->kind == GSIM_OP_KERNEL) d->reuse.near[i] = near_share(d, op, last);
            if (op->kind == GSIM_OP_COPY || op->kind == GSIM_OP_HOST_WRITE) last[op->args[0].buffer_index] = NOBODY;
        }
    return true;
}

/* COMMAND is placed now; its work relative to when all it reads is as near as it was when measured. */
static double far_scale(struct gsim_device *d, const struct gsim_command *command)
{
    const struct gsim_op *op = command->op;
    bool *is_mixed = d->reuse.is_mixed, is_beside = gsim_gpu_load(command->part->sm).kernels > 0, is_far = is_beside;
    if (!d->reuse.near || !gsim_rule_holds(d->spec->rules_off, GSIM_RULE_L2_FAR)) return 1;
    for (uint32_t i = 0; i < op->arg_count; i++) is_far |= op->args[i].reads && is_mixed[op->args[i].buffer_index];
    for (uint32_t i = 0; i < op->arg_count; i++) is_mixed[op->args[i].buffer_index] = is_beside;
    return is_far ? 1 + d->spec->l2_far_share * d->reuse.near[gsim_command_op(command)] : 1;
}

/* --- what another kernel brings --- */

static bool init_bringing(struct gsim_device *d)
{
    const struct gsim_program *p = d->space->program;
    uint32_t count = 0;
    d->reuse.first_arg = GSIM_ARENA_ARRAY(&d->machine->arena, uint32_t, p->op_count);
    d->reuse.bringing = GSIM_ARENA_ARRAY(&d->machine->arena, const struct gsim_command *, p->buffer_count);
    if (!d->reuse.first_arg || !d->reuse.bringing) return false;
    for (uint32_t i = 0; i < p->op_count; i++) {
        d->reuse.first_arg[i] = count;
        count += p->ops[i].arg_count;
    }
    d->reuse.gone = GSIM_ARENA_ARRAY(&d->machine->arena, double, count);
    return d->reuse.gone != NULL;
}

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

/* The share of what both read after which TASK, which starts now, is ahead of LEADER, which has read DONE of it; 1:
 * never. Both read from the front. */
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

/* Of a buffer that it reads, when it was submitted. */
static double gone(const struct gsim_device *d, const struct gsim_command *command, uint32_t buffer)
{
    const struct gsim_op *op = command->op;
    for (uint32_t i = 0; i < op->arg_count; i++)
        if (op->args[i].reads && op->args[i].buffer_index == buffer)
            return d->reuse.gone[d->reuse.first_arg[gsim_command_op(command)] + i];
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
        const struct gsim_command *leader = d->reuse.bringing[buffer];
        double own = gone(d, command, buffer), share = 0, its;
        if (!op->args[i].reads || leader == command) continue;
        if (leader) {
            share = share_behind(d, command, leader,
                                 gsim_gpu_progress(leader->part->sm, leader->run, d->machine->now).done);
            if (share >= 1) continue;
            its = (1 - share) * gone(d, leader, buffer) * (double)d->space->program->buffers[buffer].bytes;
            more += its * (1 - own);
            if (is_measured_inside(d, leader->op))
                lengthen(d, leader, -least * missing_ps(d, leader->op, its * (1 - missing(d, buffer))));
        }
        if (leader || own > 0) d->reuse.bringing[buffer] = command;
    }
    if (is_measured_inside(d, op)) lengthen(d, command, missing_ps(d, op, more));
}

/* --- interface --- */
bool gsim_reuse_init(struct gsim_device *d)
{
    const struct gsim_program *p = d->space->program;
    double total = 0;
    bool is_measured = d->works->is_measured == GSIM_WORKS_YES;
    for (uint32_t i = 0; d->works->is_measured == GSIM_WORKS_OPEN && i < p->op_count; i++)
        is_measured |= p->ops[i].kind == GSIM_OP_KERNEL && is_measured_inside(d, &p->ops[i]);
    if (!d->machine->is_drawn) d->works->is_measured = is_measured ? GSIM_WORKS_YES : GSIM_WORKS_NO;
    if (is_measured && !init_near(d)) return false;
    bool holds = gsim_rule_holds(d->spec->rules_off, GSIM_RULE_L2_REUSE) && d->spec->l2_miss_ns > 0;
    for (uint32_t b = 0; is_measured && holds && b < p->buffer_count; b++) total += (double)p->buffers[b].bytes;
    if (!is_measured || !holds || total <= d->spec->l2_kept_whole * d->spec->l2_mib * 1048576) return true;
    d->reuse.next = GSIM_ARENA_ARRAY(&d->machine->arena, uint32_t, p->buffer_count + 1);
    d->reuse.before = GSIM_ARENA_ARRAY(&d->machine->arena, uint32_t, p->buffer_count + 1);
    d->reuse.missed = GSIM_ARENA_ARRAY(&d->machine->arena, double, p->op_count);
    if (!d->reuse.next || !d->reuse.before || !d->reuse.missed || !init_bringing(d)) return false;
    for (uint32_t b = 0; b <= p->buffer_count; b++) d->reuse.next[b] = d->reuse.before[b] = b;
    for (int round = 0; round < 2; round++) /* as one iteration follows another */
        for (uint32_t i = 0; i < p->op_count; i++) {
            if (p->ops[i].kind == GSIM_OP_KERNEL) d->reuse.missed[i] = read_missing(d, &p->ops[i], i);
            if (p->ops[i].kind == GSIM_OP_COPY || p->ops[i].kind == GSIM_OP_HOST_WRITE) gsim_reuse_copy(d, &p->ops[i]);
        }
    return true;
}

double gsim_reuse_kernel(struct gsim_device *d, const struct gsim_command *command)
{
    const struct gsim_op *op = command->op;
    bool is_inside = is_measured_inside(d, op);
    double far = far_scale(d, command);
    if (!d->reuse.next) return is_inside ? far : 1;
    double bytes = read_missing(d, op, gsim_command_op(command));
    if (!is_inside) return 1;
    double scale = far + missing_ps(d, op, bytes - d->reuse.missed[gsim_command_op(command)]) /
                             gsim_device_work(d, op->kernel_index)->solo_ps;
    return fmax(GSIM_LEAST_SCALE, fmin(scale, GSIM_MOST_SCALE));
}

void gsim_reuse_kernel_started(struct gsim_device *d, struct gsim_command *command)
{
    if (!d->reuse.next) return;
    command->next_started = d->reuse.started;
    d->reuse.started = command;
    gsim_agenda_follow_if(&d->machine->agenda, &d->l2, true);
}

void gsim_reuse_update(void *device)
{
    struct gsim_device *d = device;
    while (d->reuse.started) {
        struct gsim_command *command = d->reuse.started;
        d->reuse.started = command->next_started;
        add_leaders(d, command);
    }
    gsim_agenda_follow_if(&d->machine->agenda, &d->l2, false);
}

void gsim_reuse_kernel_ended(struct gsim_device *d, struct gsim_command *command)
{
    struct gsim_reuse *r = &d->reuse;
    if (!r->next) return;
    for (struct gsim_command **t = &r->started; *t; t = &(*t)->next_started)
        if (*t == command) {
            *t = command->next_started;
            break;
        }
    for (uint32_t i = 0; i < command->op->arg_count; i++)
        if (r->bringing[command->op->args[i].buffer_index] == command)
            r->bringing[command->op->args[i].buffer_index] = NULL;
}

void gsim_reuse_copy(struct gsim_device *d, const struct gsim_op *op)
{
    bool is_new = op->kind == GSIM_OP_HOST_WRITE || op->kind == GSIM_OP_PREFETCH || op->copy_kind == GSIM_COPY_H2D;
    if (is_new) gsim_recent_forget(d, op->args[0].buffer_index);
    if (d->reuse.next && is_new) take_out(&d->reuse, op->args[0].buffer_index);
}
