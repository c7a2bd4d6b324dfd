/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base (helper). From a name to its index in a list, by hashing. Names are not copied: they must
 * outlive the table. Zeroed is empty.
 */
#pragma once

#include <stdint.h>

#include "gpusim/status.h"

struct gsim_names {
    struct gsim_name_slot *slots;
    uint32_t count, size; /* size: a power of two, at least 4/3 of count */
};

#define GSIM_NAME_NONE UINT32_MAX

/* The index of NAME, or GSIM_NAME_NONE. */
uint32_t gsim_names_find(const struct gsim_names *names, const char *name);
/* NAME, which is not there yet, gets INDEX. Fails with GSIM_NOMEM. */
enum gsim_status gsim_names_add(struct gsim_names *names, const char *name, uint32_t index,
                                struct gsim_error *error) GSIM_NODISCARD;
void gsim_names_release(struct gsim_names *names);
