/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim. The memory of one process: its program's buffers and kernels, and the place of their data. */
#pragma once

#include "gpusim/scheduler.h"
#include "sim/memory/host_cache.h"
#include "sim/memory/residency.h"
#include "sim/sm/demand.h"

struct gsim_command;
struct gsim_works;

struct gsim_space {
    const struct gsim_program *program;
    uint32_t kernel_room, buffer_room; /* of the tables by kernel and buffer; a source's program grows */
    enum gsim_memory_mode mode;
    struct gsim_works *works;          /* one for each kind of device in use, newest first */
    struct gsim_host_cache host_cache;
    struct gsim_residency residency;   /* managed memory */
    uint32_t *attached;                /* by buffer: cudaStreamAttachMemAsync()'s stream; 0: all */
    bool is_oversubscribed;            /* the buffers exceed device memory: a running kernel's pages may be evicted */
};
