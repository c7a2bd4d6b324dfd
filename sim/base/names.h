/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base (helper). A hash table from names to indices. Names are not copied and must outlive it. Zeroed:
 * empty.
 */
#pragma once

#include <stdint.h>

#include "gpusim/status.h"

struct gsim_names {
    struct gsim_name_slot *slots;
    uint32_t count, size; /* size: a power of two, at least 4/3 of count */
};

#define GSIM_NAME_NONE UINT32_MAX

/* Returns the index of NAME, or GSIM_NAME_NONE. */
uint32_t gsim_names_find(const struct gsim_names *names, const char *name);
/* Adds NAME, which must be new, with INDEX. Fails with GSIM_NOMEM. */
enum gsim_status gsim_names_add(struct gsim_names *names, const char *name, uint32_t index,
                                struct gsim_error *error) GSIM_NODISCARD;
void gsim_names_release(struct gsim_names *names);
