/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/reuse.h. */
#include "sim/reuse.h"

#include <string.h>

#include "sim/machine.h"

#define ALL_THERE   0.54 /* of L2: sim/reuse.h */
#define NONE_THERE  0.90
/* A kernel that reads nothing else takes twice as long without L2 (H200, H100: reuse.txt, 1.9 to 2.2). */
#define MOST_SCALE  2.0
#define LEAST_SCALE 0.5

static bool is_measured_inside(const struct gsim_kernel *kernel) { return kernel->solo_cold && kernel->solo_us > 0; }

static void take_out(struct gsim_reuse *r, uint32_t buffer)
{
    r->next[r->before[buffer]] = r->next[buffer];
    r->before[r->next[buffer]] = r->before[buffer];
    r->next[buffer] = r->before[buffer] = buffer;
}

static void touch(struct gsim_machine *m, const struct gsim_op *op)
{
    struct gsim_reuse *r = &m->reuse;
    uint32_t head = m->program->buffer_count;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        uint32_t buffer = op->args[i].buffer_index;
        take_out(r, buffer);
        r->next[buffer] = r->next[head];
        r->before[buffer] = head;
        r->before[r->next[buffer]] = r->next[head] = buffer;
    }
}

/* How much of a buffer is no longer in L2. */
static double missing(const struct gsim_machine *m, uint32_t buffer)
{
    const struct gsim_reuse *r = &m->reuse;
    double l2 = m->device->l2_mib * 1048576, x = (double)m->program->buffers[buffer].bytes;
    uint32_t head = m->program->buffer_count;
    if (r->next[buffer] == buffer) return 1;
    for (uint32_t b = r->next[head]; b != buffer && x < NONE_THERE * l2; b = r->next[b]) x += (double)m->program->buffers[b].bytes;
    double share = (x / l2 - ALL_THERE) / (NONE_THERE - ALL_THERE);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Bytes that OP reads and that are not in L2; then it has touched its buffers. */
static double read_missing(struct gsim_machine *m, const struct gsim_op *op)
{
    const struct gsim_kernel *kernel = &m->program->kernels[op->kernel_index];
    double bytes = 0;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        uint32_t buffer = op->args[i].buffer_index;
        if (op->args[i].reads) bytes += missing(m, buffer) * (double)m->program->buffers[buffer].bytes;
    }
    touch(m, op);
    return kernel->dram_bytes > 0 && bytes > kernel->dram_bytes ? kernel->dram_bytes : bytes;
}

/* --- near and far --------------------------------------------------------------------------------------------------- */
#define NOBODY UINT32_MAX

static bool has_same_grid(const struct gsim_program *p, uint32_t op, uint32_t other)
{
    const struct gsim_kernel *a = &p->kernels[p->ops[op].kernel_index], *b = &p->kernels[p->ops[other].kernel_index];
    return memcmp(&a->grid, &b->grid, sizeof a->grid) == 0 && memcmp(&a->block, &b->block, sizeof a->block) == 0;
}

/* Of what OP reads, the share that a kernel of its own grid was the last to touch; then it has touched its buffers. LAST: by buffer. */
static double near_share(const struct gsim_machine *m, const struct gsim_op *op, uint32_t *last)
{
    const struct gsim_program *p = m->program;
    double all = 0, near = 0, most = ALL_THERE * m->device->l2_mib * 1048576;
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

static bool init_near(struct gsim_machine *m)
{
    const struct gsim_program *p = m->program;
    if (!(m->device->l2_far_share > 0)) return true;
    uint32_t *last = GSIM_ARENA_ARRAY(&m->arena, uint32_t, p->buffer_count);
    m->reuse.is_mixed = GSIM_ARENA_ARRAY(&m->arena, bool, p->buffer_count);
    m->reuse.near = GSIM_ARENA_ARRAY(&m->arena, double, p->op_count);
    if (!last || !m->reuse.is_mixed || !m->reuse.near) return false;
    for (uint32_t b = 0; b < p->buffer_count; b++) last[b] = NOBODY;
    for (int round = 0; round < 2; round++) /* as one iteration follows another */
        for (uint32_t i = 0; i < p->op_count; i++) {
            const struct gsim_op *op = &p->ops[i];
            if (op->kind == GSIM_OP_KERNEL) m->reuse.near[i] = near_share(m, op, last);
            if (op->kind == GSIM_OP_COPY || op->kind == GSIM_OP_HOST_WRITE) last[op->args[0].buffer_index] = NOBODY;
        }
    return true;
}

/* OP is placed now; its work relative to when all it reads is as near as it was when measured. */
static double far_scale(struct gsim_machine *m, const struct gsim_op *op)
{
    bool *is_mixed = m->reuse.is_mixed, is_beside = gsim_gpu_load(m->gpu).kernels > 0, is_far = is_beside;
    if (!m->reuse.near) return 1;
    for (uint32_t i = 0; i < op->arg_count; i++) is_far |= op->args[i].reads && is_mixed[op->args[i].buffer_index];
    for (uint32_t i = 0; i < op->arg_count; i++) is_mixed[op->args[i].buffer_index] = is_beside;
    return is_far ? 1 + m->device->l2_far_share * m->reuse.near[op->index] : 1;
}

/* --- interface ------------------------------------------------------------------------------------------------------ */
bool gsim_reuse_init(struct gsim_machine *m)
{
    const struct gsim_program *p = m->program;
    double total = 0;
    bool is_measured = false;
    for (uint32_t b = 0; b < p->buffer_count; b++) total += (double)p->buffers[b].bytes;
    for (uint32_t k = 0; k < p->kernel_count; k++) is_measured |= is_measured_inside(&p->kernels[k]);
    if (is_measured && !init_near(m)) return false;
    if (!is_measured || !(m->device->l2_miss_ns > 0) || total <= ALL_THERE * m->device->l2_mib * 1048576) return true;
    m->reuse.next = GSIM_ARENA_ARRAY(&m->arena, uint32_t, p->buffer_count + 1);
    m->reuse.before = GSIM_ARENA_ARRAY(&m->arena, uint32_t, p->buffer_count + 1);
    m->reuse.missed = GSIM_ARENA_ARRAY(&m->arena, double, p->op_count);
    if (!m->reuse.next || !m->reuse.before || !m->reuse.missed) return false;
    for (uint32_t b = 0; b <= p->buffer_count; b++) m->reuse.next[b] = m->reuse.before[b] = b;
    for (int round = 0; round < 2; round++) /* as one iteration follows another */
        for (uint32_t i = 0; i < p->op_count; i++) {
            if (p->ops[i].kind == GSIM_OP_KERNEL) m->reuse.missed[i] = read_missing(m, &p->ops[i]);
            if (p->ops[i].kind == GSIM_OP_COPY || p->ops[i].kind == GSIM_OP_HOST_WRITE) gsim_reuse_copy(m, &p->ops[i]);
        }
    return true;
}

double gsim_reuse_kernel(struct gsim_machine *m, const struct gsim_op *op)
{
    bool is_inside = is_measured_inside(&m->program->kernels[op->kernel_index]);
    double far = far_scale(m, op);
    if (!m->reuse.next) return is_inside ? far : 1;
    double bytes = read_missing(m, op);
    if (!is_inside) return 1;
    const struct gsim_work *w = &m->works[op->kernel_index];
    double blocks = (double)m->device->sm_count * w->need.blocks_per_sm;
    if (blocks > (double)w->blocks) blocks = (double)w->blocks;
    double in_flight = blocks * w->threads * m->device->bytes_in_flight_per_thread;
    double longer_ps = (bytes - m->reuse.missed[op->index]) / in_flight * m->device->l2_miss_ns * 1e3;
    double scale = far + longer_ps / w->solo_ps;
    return scale < LEAST_SCALE ? LEAST_SCALE : scale > MOST_SCALE ? MOST_SCALE : scale;
}

void gsim_reuse_copy(struct gsim_machine *m, const struct gsim_op *op)
{
    bool is_new = op->kind == GSIM_OP_HOST_WRITE || op->kind == GSIM_OP_PREFETCH || op->copy_kind == GSIM_COPY_H2D;
    if (m->reuse.next && is_new) take_out(&m->reuse, op->args[0].buffer_index);
}
