/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base (helper). A hash table of the indices of a list, which is the caller's: finds the entry that is equal
 * to a key. Zeroed is empty. For names: sim/base/names.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct gsim_slots {
    struct gsim_slot *slots;
    uint32_t count, size; /* size: 0 or a power of two, at least twice the count */
};

#define GSIM_SLOT_NONE UINT32_MAX

/* True when entry INDEX of LIST is equal to KEY. */
typedef bool gsim_slot_is(const void *list, uint32_t index, const void *key);
/* The index of KEY, whose hash is HASH; GSIM_SLOT_NONE: the list has none. */
uint32_t gsim_slots_find(const struct gsim_slots *slots, uint64_t hash, gsim_slot_is *is, const void *list,
                         const void *key);
/* Makes room for COUNT more entries. False: out of memory. */
bool gsim_slots_reserve(struct gsim_slots *slots, uint64_t count);
/* Adds INDEX, whose key is not there yet. Makes room, and returns false, as gsim_slots_reserve() does. */
bool gsim_slots_add(struct gsim_slots *slots, uint64_t hash, uint32_t index);
void gsim_slots_release(struct gsim_slots *slots);

#define GSIM_HASH_START 14695981039346656037u /* FNV-1a (Fowler, Noll, Vo) */
/* HASH with LENGTH more bytes. */
uint64_t gsim_hash_bytes(uint64_t hash, const void *bytes, uint64_t length);
