/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A hash table with open addressing; names are compared only where the hashes agree.
 */
#include "sim/base/names.h"

#include "gpusim/memory.h"

#define FIRST_SLOTS 64u

struct gsim_name_slot {
    const char *name; /* NULL: empty */
    uint32_t hash, index;
};

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u; /* FNV-1a (Fowler, Noll, Vo) */
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash ^ hash >> 15;
}

uint32_t gsim_names_find(const struct gsim_names *names, const char *name)
{
    if (!names->size) return GSIM_NAME_NONE;
    uint32_t hash = hash_name(name);
    for (uint32_t at = hash;; at++) {
        const struct gsim_name_slot *slot = &names->slots[at & (names->size - 1)];
        if (!slot->name) return GSIM_NAME_NONE;
        if (slot->hash == hash && strcmp(slot->name, name) == 0) return slot->index;
    }
}

static void insert(struct gsim_names *names, struct gsim_name_slot entry)
{
    uint32_t at = entry.hash;
    while (names->slots[at & (names->size - 1)].name) at++;
    names->slots[at & (names->size - 1)] = entry;
}

enum gsim_status gsim_names_add(struct gsim_names *names, const char *name, uint32_t index, struct gsim_error *error)
{
    if ((names->count + 1ull) * 4 > names->size * 3ull) {
        struct gsim_names wider = {.count = names->count, .size = names->size ? names->size * 2 : FIRST_SLOTS};
        wider.slots = wider.size ? gsim_alloc(sizeof(*wider.slots) * wider.size) : NULL;
        if (!wider.slots) return gsim_no_memory(error);
        for (uint32_t i = 0; i < names->size; i++)
            if (names->slots[i].name) insert(&wider, names->slots[i]);
        gsim_free(names->slots);
        *names = wider;
    }
    insert(names, (struct gsim_name_slot){.name = name, .hash = hash_name(name), .index = index});
    names->count++;
    return GSIM_OK;
}

void gsim_names_release(struct gsim_names *names)
{
    gsim_free(names->slots);
    *names = (struct gsim_names){0};
}
