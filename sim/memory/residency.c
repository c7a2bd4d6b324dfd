/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Extents of page groups and their order of arrival (sim/memory/residency.h). Moves nothing and knows no time. */
#include "sim/memory/residency.h"

#include <string.h>

#define LOOK_BACK   16   /* entries: buffers that arrive at the same time */
#define MOST_GROUPS 1024 /* 64 MB */

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

uint64_t gsim_residency_span(const struct gsim_residency *r, uint32_t buffer_index, uint64_t begin, uint64_t end)
{
    const struct gsim_pages *p = &r->pages[buffer_index];
    return begin < end ? least(end * GSIM_GROUP_BYTES, p->bytes) - begin * GSIM_GROUP_BYTES : 0;
}

uint64_t gsim_residency_groups(const struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes)
{
    return least(r->pages[buffer_index].group_count, (bytes + GSIM_GROUP_BYTES - 1) / GSIM_GROUP_BYTES);
}

/* Index of the extent that holds GROUP. */
static size_t find(const struct gsim_pages *p, uint64_t group)
{
    size_t low = 0, high = p->count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->extents[middle].end <= group)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum gsim_place gsim_residency_place(const struct gsim_residency *r, uint32_t buffer_index, uint64_t group, uint64_t *end)
{
    const struct gsim_pages *p = &r->pages[buffer_index];
    const struct gsim_extent *e = &p->extents[find(p, group)];
    *end = e->end;
    return e->place;
}

bool gsim_residency_is_complete(const struct gsim_residency *r, uint32_t buffer_index)
{
    const struct gsim_pages *p = &r->pages[buffer_index];
    return p->count == 1 && p->extents[0].place == GSIM_PLACE_DEVICE;
}

uint64_t gsim_residency_bytes(const struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes, enum gsim_place place)
{
    const struct gsim_pages *p = &r->pages[buffer_index];
    uint64_t limit = gsim_residency_groups(r, buffer_index, bytes), sum = 0;
    for (size_t i = 0; i < p->count && p->extents[i].begin < limit; i++)
        if (p->extents[i].place == place)
            sum += gsim_residency_span(r, buffer_index, p->extents[i].begin, least(p->extents[i].end, limit));
    return sum;
}

/* --- changing places ------------------------------------------------------------------------------------ */

static struct gsim_extent *insert(struct gsim_residency *r, struct gsim_pages *p, size_t at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (gsim_array_grow((void **)&p->extents, sizeof *p->extents, p->count, &p->capacity)) {
            r->failed = true;
            return NULL;
        }
        memmove(&p->extents[at + 1], &p->extents[at], (p->count - at) * sizeof *p->extents);
        p->count++;
    }
    return &p->extents[at];
}

/* Joins the extent AT with its left neighbour where they are alike. */
static void join(struct gsim_pages *p, size_t at)
{
    if (!at || at >= p->count || p->extents[at - 1].place != p->extents[at].place) return;
    p->extents[at - 1].end = p->extents[at].end;
    p->count--;
    memmove(&p->extents[at], &p->extents[at + 1], (p->count - at) * sizeof *p->extents);
}

/* Puts BEGIN to before END, a part of one extent, in PLACE. */
static void put(struct gsim_residency *r, uint32_t buffer_index, uint64_t begin, uint64_t end, enum gsim_place place)
{
    struct gsim_pages *p = &r->pages[buffer_index];
    size_t at = find(p, begin);
    struct gsim_extent old = p->extents[at];
    GSIM_INVARIANT(old.begin <= begin && begin < end && end <= old.end);
    if (old.place == place) return;
    size_t left = old.begin < begin, right = end < old.end;
    struct gsim_extent *e = insert(r, p, at, left + right);
    if (!e) return;
    if (left) *e++ = (struct gsim_extent){old.begin, begin, old.place};
    *e++ = (struct gsim_extent){begin, end, place};
    if (right) *e = (struct gsim_extent){end, old.end, old.place};
    uint64_t bytes = gsim_residency_span(r, buffer_index, begin, end);
    if (old.place == GSIM_PLACE_DEVICE) r->device_bytes -= bytes;
    if (place == GSIM_PLACE_DEVICE) r->device_bytes += bytes;
    join(p, at + left + 1);
    join(p, at + left);
}

/* --- order of arrival --------------------------------------------------------------------------------------- */

static bool make_arrival(struct gsim_residency *r)
{
    if (r->arrival_first > 64 && r->arrival_first > r->arrival_count / 2) { /* forget those that left */
        r->arrival_count -= r->arrival_first;
        memmove(r->arrivals, r->arrivals + r->arrival_first, r->arrival_count * sizeof *r->arrivals);
        r->arrival_first = 0;
    }
    if (!gsim_array_grow((void **)&r->arrivals, sizeof *r->arrivals, r->arrival_count, &r->arrival_capacity)) return true;
    r->failed = true;
    return false;
}

/* Groups that arrive one after the other are one entry. Where several buffers arrive in turn, up to 64 MB of each
 * count as one, which keeps entries few and the order nearly exact. */
static void append_arrival(struct gsim_residency *r, uint32_t buffer_index, uint64_t begin, uint64_t end)
{
    for (size_t back = 1; back <= LOOK_BACK && r->arrival_first + back <= r->arrival_count; back++) {
        struct gsim_arrival *a = &r->arrivals[r->arrival_count - back];
        if (a->buffer_index != buffer_index || a->end != begin || (back > 1 && a->end - a->begin >= MOST_GROUPS)) continue;
        a->end = end;
        return;
    }
    if (make_arrival(r)) r->arrivals[r->arrival_count++] = (struct gsim_arrival){begin, end, buffer_index};
}

/* The groups are not on the device any more: a list without them, in the same order. */
static void remove_arrivals(struct gsim_residency *r, uint32_t buffer_index, uint64_t begin, uint64_t end)
{
    size_t kept = r->arrival_first, count = r->arrival_count;
    for (size_t i = r->arrival_first; i < count; i++) {
        struct gsim_arrival a = r->arrivals[i];
        if (a.buffer_index != buffer_index || a.end <= begin || end <= a.begin) {
            r->arrivals[kept++] = a;
            continue;
        }
        if (a.begin < begin && end < a.end) { /* one entry becomes two; no other holds any of the groups */
            if (gsim_array_grow((void **)&r->arrivals, sizeof *r->arrivals, count, &r->arrival_capacity)) {
                r->failed = true;
                return;
            }
            memmove(&r->arrivals[i + 1], &r->arrivals[i], (count - i) * sizeof a);
            r->arrivals[i].end = begin;
            r->arrivals[i + 1].begin = end;
            r->arrival_count++;
            return;
        }
        if (a.begin < begin) r->arrivals[kept++] = (struct gsim_arrival){a.begin, begin, buffer_index};
        if (end < a.end) r->arrivals[kept++] = (struct gsim_arrival){end, a.end, buffer_index};
    }
    r->arrival_count = kept;
}

uint64_t gsim_residency_make_room(struct gsim_residency *r, uint64_t bytes)
{
    uint64_t before = r->device_bytes;
    while (r->device_bytes + bytes > r->capacity_bytes && r->arrival_first < r->arrival_count && !r->failed) {
        struct gsim_arrival *a = &r->arrivals[r->arrival_first];
        uint64_t over = r->device_bytes + bytes - r->capacity_bytes;
        uint64_t blocks = (over + GSIM_BLOCK_BYTES - 1) / GSIM_BLOCK_BYTES;
        uint64_t end = least(a->end, (a->begin / GSIM_BLOCK_GROUPS + blocks) * GSIM_BLOCK_GROUPS);
        put(r, a->buffer_index, a->begin, end, GSIM_PLACE_HOST);
        a->begin = end;
        if (a->begin == a->end) r->arrival_first++;
    }
    return before - r->device_bytes;
}

void gsim_residency_arrive(struct gsim_residency *r, uint32_t buffer_index, uint64_t begin, uint64_t end,
                           struct gsim_moved *moved)
{
    /* In pieces that fit: of a buffer larger than the device's memory the last part stays. */
    uint64_t piece = most(r->capacity_bytes / GSIM_GROUP_BYTES, 1);
    for (uint64_t at = begin; at < end && !r->failed;) {
        uint64_t stop;
        enum gsim_place place = gsim_residency_place(r, buffer_index, at, &stop);
        stop = least(least(stop, end), at + piece);
        if (place != GSIM_PLACE_DEVICE) {
            uint64_t bytes = gsim_residency_span(r, buffer_index, at, stop);
            moved->evicted += gsim_residency_make_room(r, bytes);
            put(r, buffer_index, at, stop, GSIM_PLACE_DEVICE);
            append_arrival(r, buffer_index, at, stop);
            *(place == GSIM_PLACE_HOST ? &moved->from_host : &moved->populated) += bytes;
        }
        at = stop;
    }
}

uint64_t gsim_residency_host_takes(struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes, bool writes)
{
    uint64_t limit = gsim_residency_groups(r, buffer_index, bytes), before = r->device_bytes;
    for (uint64_t at = 0; at < limit && !r->failed;) {
        uint64_t stop;
        enum gsim_place place = gsim_residency_place(r, buffer_index, at, &stop);
        stop = least(stop, limit);
        if (place == GSIM_PLACE_DEVICE) remove_arrivals(r, buffer_index, at, stop);
        if (place == GSIM_PLACE_DEVICE || (writes && place == GSIM_PLACE_NONE)) put(r, buffer_index, at, stop, GSIM_PLACE_HOST);
        at = stop;
    }
    return before - r->device_bytes;
}

/* --- life ------------------------------------------------------------------------------------------------------ */

bool gsim_residency_add(struct gsim_residency *r, uint32_t index, const struct gsim_buffer *buffer)
{
    struct gsim_pages *p = &r->pages[index];
    struct gsim_moved moved = {0};
    if (index >= r->buffer_count) r->buffer_count = index + 1;
    p->count = 0;
    p->bytes = buffer->bytes;
    p->group_count = (p->bytes + GSIM_GROUP_BYTES - 1) / GSIM_GROUP_BYTES;
    struct gsim_extent *e = insert(r, p, 0, 1);
    if (e) *e = (struct gsim_extent){0, p->group_count, buffer->init == GSIM_INIT_HOST ? GSIM_PLACE_HOST : GSIM_PLACE_NONE};
    if (e && buffer->init == GSIM_INIT_DEVICE) gsim_residency_arrive(r, index, 0, p->group_count, &moved);
    return !r->failed;
}

/* Its pages are the host's until another buffer has its place. */
void gsim_residency_drop(struct gsim_residency *r, uint32_t index) { gsim_residency_host_takes(r, index, r->pages[index].bytes, true); }

bool gsim_residency_init(struct gsim_residency *r, const struct gsim_program *program, uint32_t room, uint64_t capacity_bytes)
{
    *r = (struct gsim_residency){.capacity_bytes = capacity_bytes};
    r->pages = gsim_alloc(sizeof *r->pages * ((size_t)room + 1));
    if (!r->pages) return false;
    for (uint32_t i = 0; i < program->buffer_count && !r->failed; i++) gsim_residency_add(r, i, &program->buffers[i]);
    return !r->failed;
}

void gsim_residency_release(struct gsim_residency *r)
{
    for (uint32_t i = 0; i < r->buffer_count; i++) gsim_free(r->pages[i].extents);
    gsim_free(r->pages);
    gsim_free(r->arrivals);
    *r = (struct gsim_residency){0};
}

void gsim_residency_check(const struct gsim_residency *r)
{
    uint64_t on_device = 0, arrived = 0;
    for (uint32_t b = 0; b < r->buffer_count; b++) {
        const struct gsim_pages *p = &r->pages[b];
        GSIM_INVARIANT(p->count && !p->extents[0].begin && p->extents[p->count - 1].end == p->group_count);
        for (size_t i = 0; i < p->count; i++) {
            const struct gsim_extent *e = &p->extents[i];
            GSIM_INVARIANT(e->begin < e->end && (!i || (p->extents[i - 1].end == e->begin && p->extents[i - 1].place != e->place)));
            if (e->place == GSIM_PLACE_DEVICE) on_device += gsim_residency_span(r, b, e->begin, e->end);
        }
    }
    for (size_t i = r->arrival_first; i < r->arrival_count; i++)
        arrived += gsim_residency_span(r, r->arrivals[i].buffer_index, r->arrivals[i].begin, r->arrivals[i].end);
    GSIM_INVARIANT(on_device == r->device_bytes && arrived == on_device);
    GSIM_INVARIANT(on_device <= r->capacity_bytes);
}
