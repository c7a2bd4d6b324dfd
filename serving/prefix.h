/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: serving. Blocks of prompts whose keys and values a server keeps, by their names: a prompt that begins as an
 * earlier one need not compute those blocks again. The block that was used longest ago goes first.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define GSIM_PREFIX_BLOCK 512 /* tokens of a block of Mooncake's traces */

struct gsim_prefix;
struct gsim_prefix *gsim_prefix_create(void); /* NULL when memory is out */
void gsim_prefix_destroy(struct gsim_prefix *prefix); /* accepts NULL */
/* How many of the COUNT blocks, from the first on, are kept. USES: they are used now. */
uint32_t gsim_prefix_find(struct gsim_prefix *prefix, const uint64_t *blocks, uint32_t count, bool uses);
/* Keeps the COUNT blocks, and MOST in all. False: out of memory. */
bool gsim_prefix_keep(struct gsim_prefix *prefix, const uint64_t *blocks, uint32_t count, double most);
