/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/memory/host_cache.h. */
#include "sim/memory/host_cache.h"

#include "sim/clock/machine.h"

bool gsim_host_cache_init(struct gsim_machine *m)
{
    const struct gsim_program *p = m->program;
    struct gsim_host_cache *cache = &m->host_cache;
    if (!(m->device->cached_h2d_gbps > 0) || m->simulation->memory != GSIM_MEMORY_PINNED) return true;
    cache->written_at = GSIM_ARENA_ARRAY(&m->arena, double, p->buffer_count);
    cache->is_changed = GSIM_ARENA_ARRAY(&m->arena, bool, p->buffer_count);
    if (!cache->written_at || !cache->is_changed) return false;
    for (uint32_t i = 0; i < p->op_count; i++)
        for (uint32_t a = 0; p->ops[i].kind == GSIM_OP_KERNEL && a < p->ops[i].arg_count; a++)
            cache->is_changed[p->ops[i].args[a].buffer_index] |= p->ops[i].args[a].writes;
    return true;
}

void gsim_host_cache_write(struct gsim_machine *m, const struct gsim_op *op)
{
    struct gsim_host_cache *cache = &m->host_cache;
    uint32_t buffer = op->args[0].buffer_index;
    if (!cache->written_at || (op->untimed && !cache->is_changed[buffer])) return;
    cache->written += (double)op->bytes;
    cache->written_at[buffer] = cache->written;
}

double gsim_host_cache_copy(struct gsim_machine *m, uint32_t buffer, double bytes)
{
    struct gsim_host_cache *cache = &m->host_cache;
    if (!cache->written_at || cache->written_at[buffer] <= 0) return 0;
    double held = m->device->host_cache_kib * 1024 - (cache->written - cache->written_at[buffer]);
    cache->written_at[buffer] = 0;
    if (held > bytes) held = bytes;
    return held > 0 ? held * fmax(m->device->h2d_gbps / m->device->cached_h2d_gbps - 1, 0) : 0; /* a link may be slower still */
}
