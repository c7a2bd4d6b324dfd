/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See schedulers/shared/hazards.h. */
#include "schedulers/shared/hazards.h"

struct gsim_op_access gsim_op_access(const struct gsim_op *op, const struct gsim_access *part, bool is_managed)
{
    struct gsim_op_access access = {0};
    switch (op->kind) {
    case GSIM_OP_KERNEL:
        access.device_read = part->reads;
        access.device_write = part->writes;
        break;
    case GSIM_OP_COPY:
        access.device_read = op->copy_kind != GSIM_COPY_H2D;
        access.device_write = op->copy_kind != GSIM_COPY_D2H;
        access.host_read = op->copy_kind == GSIM_COPY_H2D;
        access.host_write = op->copy_kind == GSIM_COPY_D2H;
        break;
    case GSIM_OP_PREFETCH:
        access.device_write = true;
        break;
    case GSIM_OP_HOST_READ:
        access.host_read = true;
        break;
    case GSIM_OP_HOST_WRITE:
        access.host_write = true;
        break;
    case GSIM_OP_HOST_COMPUTE:
        break;
    }
    if (!is_managed) return access;
    access.device_read |= access.host_read;
    access.device_write |= access.host_write;
    access.host_read = access.host_write = false;
    return access;
}

/* An op touches the device's memory, or may. */
static bool touches_device(const struct gsim_op *op, bool is_managed)
{
    struct gsim_access_walk walk = {.op = op};
    if (!gsim_op_is_host(op)) return true;
    for (struct gsim_access part; gsim_access_next(&walk, &part);) {
        struct gsim_op_access access = gsim_op_access(op, &part, is_managed);
        if (access.device_read || access.device_write) return true;
    }
    return false;
}

/* Between kernels: a part that both touch and one writes. Most pairs of parts are reads. */
static bool kernels_conflict(const struct gsim_op *a, const struct gsim_op *b)
{
    struct gsim_access_walk of_a = {.op = a};
    for (struct gsim_access x; gsim_access_next(&of_a, &x);) {
        for (struct gsim_access_walk of_b = {.op = b};;) {
            struct gsim_access y;
            if (!gsim_access_next(&of_b, &y)) break;
            if ((x.writes || y.writes) && x.buffer_index == y.buffer_index && x.begin < y.end && y.begin < x.end)
                return true;
        }
    }
    return false;
}

bool gsim_op_conflicts(const struct gsim_op *a, const struct gsim_op *b, bool is_managed)
{
    if ((a->is_unknown && touches_device(b, is_managed)) || (b->is_unknown && touches_device(a, is_managed)))
        return true;
    if (a->kind == GSIM_OP_KERNEL && b->kind == GSIM_OP_KERNEL) return kernels_conflict(a, b);
    struct gsim_access_walk of_a = {.op = a};
    for (struct gsim_access x; gsim_access_next(&of_a, &x);) {
        struct gsim_op_access first = gsim_op_access(a, &x, is_managed);
        struct gsim_access_walk of_b = {.op = b};
        for (struct gsim_access y; gsim_access_next(&of_b, &y);) {
            if (x.buffer_index != y.buffer_index || x.begin >= y.end || y.begin >= x.end) continue;
            struct gsim_op_access second = gsim_op_access(b, &y, is_managed);
            if ((first.device_write && (second.device_read || second.device_write)) ||
                (first.device_read && second.device_write) ||
                (first.host_write && (second.host_read || second.host_write)) || (first.host_read && second.host_write))
                return true;
        }
    }
    return false;
}

uint32_t gsim_op_segments(const struct gsim_op *op)
{
    struct gsim_access_walk walk = {.op = op};
    uint32_t count = 0;
    for (struct gsim_access part; gsim_access_next(&walk, &part);) count += (uint32_t)part.reads + part.writes;
    return count;
}
