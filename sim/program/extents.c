/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/program/extents.h. Pieces are sorted lists, cut where an access begins or ends. */
#include "sim/program/extents.h"

#include <string.h>

#include "gpusim/memory.h"

bool gsim_extents_init(struct gsim_extents *extents, uint32_t count, size_t value_size, const void *value)
{
    *extents = (struct gsim_extents){.count = count, .value_size = value_size};
    extents->wholes = gsim_alloc(value_size * ((size_t)count + 1));
    for (uint32_t i = 0; extents->wholes && i < count; i++) memcpy(extents->wholes + i * value_size, value, value_size);
    return extents->wholes != NULL;
}

void gsim_extents_release(struct gsim_extents *extents)
{
    for (uint32_t i = 0; extents->pieces && i < extents->count; i++) {
        gsim_free(extents->pieces[i].begins);
        gsim_free(extents->pieces[i].values);
    }
    gsim_free(extents->pieces);
    gsim_free(extents->wholes);
    *extents = (struct gsim_extents){0};
}

/* The piece that holds ADDRESS. */
static uint32_t piece_at(const struct gsim_pieces *pieces, uint64_t address)
{
    uint32_t low = 0, high = pieces->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (pieces->begins[middle] <= address) low = middle;
        else high = middle;
    }
    return low;
}

/* A piece begins at ADDRESS: which one. UINT32_MAX: out of memory. */
static uint32_t cut_at(struct gsim_pieces *p, uint64_t address, size_t size)
{
    uint32_t at = piece_at(p, address);
    if (p->begins[at] == address) return at;
    if (gsim_array_grow(&p->begins, sizeof *p->begins, p->count, &p->begin_room)) return UINT32_MAX;
    if (gsim_array_grow(&p->values, size, p->count, &p->value_room)) return UINT32_MAX;
    memmove(p->begins + at + 2, p->begins + at + 1, sizeof *p->begins * (p->count - at - 1));
    memmove(p->values + (at + 1) * size, p->values + at * size, size * (p->count - at));
    p->begins[at + 1] = address;
    p->count++;
    return at + 1;
}

/* From a whole to one piece, with the same value. */
static bool break_up(struct gsim_extents *extents, uint32_t buffer)
{
    if (!extents->pieces) extents->pieces = gsim_alloc(sizeof *extents->pieces * ((size_t)extents->count + 1));
    if (!extents->pieces) return false;
    struct gsim_pieces *p = &extents->pieces[buffer];
    if (p->count) return true;
    if (gsim_array_grow(&p->begins, sizeof *p->begins, 0, &p->begin_room)) return false;
    if (gsim_array_grow(&p->values, extents->value_size, 0, &p->value_room)) return false;
    memcpy(p->values, extents->wholes + buffer * extents->value_size, extents->value_size);
    p->begins[0] = 0;
    p->count = 1;
    return true;
}

struct gsim_extents_found gsim_extents_find(struct gsim_extents *extents, uint32_t buffer, uint64_t begin,
                                            uint64_t end)
{
    bool is_all = begin == 0 && end == UINT64_MAX;
    const struct gsim_extents_found nothing = {0};
    if (is_all && (!extents->pieces || !extents->pieces[buffer].count))
        return (struct gsim_extents_found){extents->wholes + buffer * extents->value_size, 1, 0};
    if (!break_up(extents, buffer)) return nothing;
    struct gsim_pieces *p = &extents->pieces[buffer];
    uint32_t first = cut_at(p, begin, extents->value_size), last = first;
    if (first != UINT32_MAX) last = end == UINT64_MAX ? p->count : cut_at(p, end, extents->value_size);
    if (last == UINT32_MAX) return nothing;
    return (struct gsim_extents_found){p->values + first * extents->value_size, last - first, first};
}

void gsim_extents_join(struct gsim_extents *extents, uint32_t buffer, const struct gsim_extents_found *found)
{
    size_t size = extents->value_size;
    struct gsim_pieces *p = extents->pieces ? &extents->pieces[buffer] : NULL;
    if (!p || !p->count) return;
    uint32_t behind = found->first + found->count;
    if (found->first == 0 && behind == p->count) {
        memcpy(extents->wholes + buffer * size, p->values, size);
        p->count = 0;
        return;
    }
    if (found->count < 2) return;
    memmove(p->begins + found->first + 1, p->begins + behind, sizeof *p->begins * (p->count - behind));
    memmove(p->values + (found->first + 1) * size, p->values + behind * size, size * (p->count - behind));
    p->count -= found->count - 1;
}
