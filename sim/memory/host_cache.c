/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/memory/host_cache.h. */
#include "sim/memory/host_cache.h"

#include "sim/memory/device.h"

bool gsim_host_cache_init(struct gsim_space *space, struct gsim_machine *m, const struct gsim_device_spec *spec)
{
    const struct gsim_program *p = space->program;
    struct gsim_host_cache *cache = &space->host_cache;
    if (!(spec->cached_h2d_gbps > 0) || space->mode != GSIM_MEMORY_PINNED) return true;
    cache->written_at = GSIM_ARENA_ARRAY(&m->arena, double, space->buffer_room);
    cache->is_changed = GSIM_ARENA_ARRAY(&m->arena, bool, space->buffer_room);
    if (!cache->written_at || !cache->is_changed) return false;
    for (uint32_t i = 0; i < p->op_count; i++)
        for (uint32_t a = 0; p->ops[i].kind == GSIM_OP_KERNEL && a < p->ops[i].arg_count; a++)
            cache->is_changed[p->ops[i].args[a].buffer_index] |= p->ops[i].args[a].writes;
    return true;
}

void gsim_host_cache_write(struct gsim_space *space, const struct gsim_op *op)
{
    struct gsim_host_cache *cache = &space->host_cache;
    uint32_t buffer = op->args[0].buffer_index;
    if (!cache->written_at || (op->untimed && !cache->is_changed[buffer])) return;
    cache->written += (double)op->bytes;
    cache->written_at[buffer] = cache->written;
}

double gsim_host_cache_copy(struct gsim_space *space, const struct gsim_device_spec *spec, uint32_t buffer,
                            double bytes)
{
    struct gsim_host_cache *cache = &space->host_cache;
    if (!cache->written_at || cache->written_at[buffer] <= 0) return 0;
    double held = spec->host_cache_kib * 1024 - (cache->written - cache->written_at[buffer]);
    cache->written_at[buffer] = 0;
    if (held > bytes) held = bytes;
    return held > 0 ? held * fmax(spec->h2d_gbps / spec->cached_h2d_gbps - 1, 0) : 0; /* a link may be slower still */
}
