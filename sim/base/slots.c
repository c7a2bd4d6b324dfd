/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/slots.h. Open addressing; entries are compared only where 32 bits of the hashes agree. */
#include "sim/base/slots.h"

#include "gpusim/memory.h"

#define FIRST_SLOTS 64u

struct gsim_slot {
    uint32_t hash, number; /* NUMBER: 1 + index; 0: free */
};

static uint32_t fold(uint64_t hash) { return (uint32_t)(hash ^ hash >> 32); }

uint32_t gsim_slots_find(const struct gsim_slots *s, uint64_t hash, gsim_slot_is *is, const void *list, const void *key)
{
    uint32_t at = fold(hash);
    for (const struct gsim_slot *slot; s->size && (slot = &s->slots[at & (s->size - 1)])->number; at++)
        if (slot->hash == fold(hash) && is(list, slot->number - 1, key)) return slot->number - 1;
    return GSIM_SLOT_NONE;
}

static void insert(struct gsim_slots *s, struct gsim_slot entry)
{
    uint32_t at = entry.hash;
    while (s->slots[at & (s->size - 1)].number) at++;
    s->slots[at & (s->size - 1)] = entry;
}

bool gsim_slots_reserve(struct gsim_slots *s, uint64_t count)
{
    struct gsim_slots wider = {.count = s->count, .size = s->size ? s->size : FIRST_SLOTS};
    count += s->count;
    while (wider.size / 2 < count && wider.size <= UINT32_MAX / 2) wider.size *= 2;
    if (wider.size == s->size) return wider.size / 2 >= count;
    wider.slots = wider.size / 2 < count ? NULL : gsim_alloc(sizeof *wider.slots * wider.size);
    if (!wider.slots) return false;
    for (uint32_t i = 0; i < s->size; i++)
        if (s->slots[i].number) insert(&wider, s->slots[i]);
    gsim_free(s->slots);
    *s = wider;
    return true;
}

bool gsim_slots_add(struct gsim_slots *s, uint64_t hash, uint32_t index)
{
    if (!gsim_slots_reserve(s, 1)) return false;
    insert(s, (struct gsim_slot){.hash = fold(hash), .number = index + 1});
    s->count++;
    return true;
}

uint64_t gsim_hash_bytes(uint64_t hash, const void *bytes, uint64_t length)
{
    for (uint64_t i = 0; i < length; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash;
}

void gsim_slots_release(struct gsim_slots *s)
{
    gsim_free(s->slots);
    *s = (struct gsim_slots){0};
}
