/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/base. A growing buffer of bytes, for pipes and messages between processes of one machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "gpusim/memory.h"

struct gsim_bytes {
    char *data;
    size_t length, capacity;
    bool failed; /* out of memory; stays set */
};
void gsim_bytes_add(struct gsim_bytes *bytes, const void *data, size_t length);
/* Drops the first LENGTH bytes. */
void gsim_bytes_drop(struct gsim_bytes *bytes, size_t length);
void gsim_bytes_release(struct gsim_bytes *bytes); /* accepts a zeroed one */
