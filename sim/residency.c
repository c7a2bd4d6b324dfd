/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Validity of the host's and the device's copy of each buffer (sim/residency.h). Moves nothing itself. */
#include "sim/residency.h"

bool gsim_residency_init(struct gsim_residency *residency, const struct gsim_program *program, struct gsim_arena *arena)
{
    residency->program = program;
    residency->buffers = GSIM_ARENA_ARRAY(arena, struct gsim_buffer_state, program->buffer_count);
    if (!residency->buffers) return false;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        residency->buffers[i].on_host = program->buffers[i].init == GSIM_INIT_HOST;
        residency->buffers[i].on_device = program->buffers[i].init == GSIM_INIT_DEVICE;
    }
    return true;
}

uint64_t gsim_residency_missing(const struct gsim_residency *residency, uint32_t buffer_index)
{
    const struct gsim_buffer_state *b = &residency->buffers[buffer_index];
    return b->on_host && !b->on_device ? residency->program->buffers[buffer_index].bytes : 0;
}

void gsim_residency_arrived(struct gsim_residency *residency, uint32_t buffer_index)
{
    residency->buffers[buffer_index].on_device = true;
}

void gsim_residency_device_wrote(struct gsim_residency *residency, uint32_t buffer_index)
{
    residency->buffers[buffer_index].on_device = true;
    residency->buffers[buffer_index].on_host = false;
}

void gsim_residency_host_wrote(struct gsim_residency *residency, uint32_t buffer_index)
{
    residency->buffers[buffer_index].on_host = true;
    residency->buffers[buffer_index].on_device = false;
}

bool gsim_residency_host_stale(const struct gsim_residency *residency, uint32_t buffer_index)
{
    return residency->buffers[buffer_index].on_device && !residency->buffers[buffer_index].on_host;
}

void gsim_residency_returned(struct gsim_residency *residency, uint32_t buffer_index)
{
    residency->buffers[buffer_index].on_host = true;
}
