/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Extents of page groups and their order of arrival (sim/memory/residency.h). Starts no transfer and knows no time. */
#include "sim/memory/residency.h"

#include <string.h>

#define LOOK_BACK   16   /* entries: buffers that arrive at the same time */
#define MAX_GROUPS 1024 /* 64 MB */

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

/* Returns the index of the extent with GROUP. */
static size_t find(const struct gsim_pages *p, uint64_t group)
{
    size_t low = 0, high = p->count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->extents[middle].end <= group) low = middle + 1;
        else high = middle;
    }
    return low;
}

gsim_places gsim_residency_place(const struct gsim_residency *r, uint32_t buffer_index, uint64_t group, uint64_t *end)
{
    const struct gsim_pages *p = &r->pages[buffer_index];
    const struct gsim_extent *e = &p->extents[find(p, group)];
    *end = e->end;
    return e->places;
}

bool gsim_residency_is_complete(const struct gsim_residency *r, uint32_t buffer_index, uint32_t device, bool writes)
{
    const struct gsim_pages *p = &r->pages[buffer_index];
    if (!p->is_read_mostly) return p->count == 1 && p->extents[0].places == GSIM_HELD_BY(device);
    for (size_t i = 0; i < p->count; i++)
        if (!(p->extents[i].places & GSIM_HELD_BY(device)) || (writes && p->extents[i].places != GSIM_HELD_BY(device)))
            return false;
    return true;
}

uint64_t gsim_residency_bytes(const struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes, gsim_places any,
                              gsim_places none)
{
    const struct gsim_pages *p = &r->pages[buffer_index];
    uint64_t limit = gsim_residency_groups(r, buffer_index, bytes), sum = 0;
    for (size_t i = 0; i < p->count && p->extents[i].begin < limit; i++)
        if (p->extents[i].places & any && !(p->extents[i].places & none))
            sum += gsim_residency_span(r, buffer_index, p->extents[i].begin, least(p->extents[i].end, limit));
    return sum;
}

gsim_places gsim_residency_source(const struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes,
                                  gsim_places holder)
{
    gsim_places found = 0, all = 0;
    uint64_t most_bytes = 0;
    const struct gsim_pages *p = &r->pages[buffer_index];
    for (size_t i = 0; i < p->count; i++) all |= p->extents[i].places;
    for (gsim_places rest = all & ~holder; rest; rest &= rest - 1) {
        gsim_places one = rest & -rest;
        uint64_t has = gsim_residency_bytes(r, buffer_index, bytes, one, holder);
        if (has > most_bytes) {
            most_bytes = has;
            found = one;
        }
    }
    return found;
}

/* --- changing places ------------------------------------------------------------------------------------ */

/* The first device of the set. */
static uint32_t device_of(gsim_places places) { return (uint32_t)__builtin_ctzll(places & GSIM_HELD_BY_DEVICES) - 1; }

static struct gsim_extent *insert(struct gsim_residency *r, struct gsim_pages *p, size_t at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (gsim_array_grow(&p->extents, sizeof *p->extents, p->count, &p->capacity)) {
            r->failed = true;
            return NULL;
        }
        memmove(&p->extents[at + 1], &p->extents[at], (p->count - at) * sizeof *p->extents);
        p->count++;
    }
    return &p->extents[at];
}

/* Joins extent AT with its left neighbour if they are equal. */
static void join(struct gsim_pages *p, size_t at)
{
    if (!at || at >= p->count || p->extents[at - 1].places != p->extents[at].places) return;
    p->extents[at - 1].end = p->extents[at].end;
    p->count--;
    memmove(&p->extents[at], &p->extents[at + 1], (p->count - at) * sizeof *p->extents);
}

/* Sets the places of BEGIN to before END, a part of one extent. */
static void set_places(struct gsim_residency *r, uint32_t buffer_index, uint64_t begin, uint64_t end,
                       gsim_places places)
{
    struct gsim_pages *p = &r->pages[buffer_index];
    size_t at = find(p, begin);
    struct gsim_extent old = p->extents[at];
    GSIM_INVARIANT(old.begin <= begin && begin < end && end <= old.end);
    if (old.places == places) return;
    size_t left = old.begin < begin, right = end < old.end;
    struct gsim_extent *e = insert(r, p, at, left + right);
    if (!e) return;
    if (left) *e++ = (struct gsim_extent){old.begin, begin, old.places};
    *e++ = (struct gsim_extent){begin, end, places};
    if (right) *e = (struct gsim_extent){end, old.end, old.places};
    uint64_t bytes = gsim_residency_span(r, buffer_index, begin, end);
    for (gsim_places gone = old.places & ~places & GSIM_HELD_BY_DEVICES; gone; gone &= gone - 1)
        r->held[device_of(gone)].bytes -= bytes;
    for (gsim_places new = places & ~old.places &GSIM_HELD_BY_DEVICES; new; new &= new - 1)
        r->held[device_of(new)].bytes += bytes;
    join(p, at + left + 1);
    join(p, at + left);
}

/* --- order of arrival --------------------------------------------------------------------------------------- */

static bool make_arrival(struct gsim_residency *r, struct gsim_device_pages *h)
{
    if (h->arrival_first > 64 && h->arrival_first > h->arrival_count / 2) { /* forget those that left */
        h->arrival_count -= h->arrival_first;
        memmove(h->arrivals, h->arrivals + h->arrival_first, h->arrival_count * sizeof *h->arrivals);
        h->arrival_first = 0;
    }
    if (!gsim_array_grow(&h->arrivals, sizeof *h->arrivals, h->arrival_count, &h->arrival_capacity))
        return true;
    r->failed = true;
    return false;
}

/* Groups that arrive one after the other are one entry. Where several buffers arrive in turn, up to 64 MB of each
 * count as one, which keeps entries few and the order nearly exact. */
static void append_arrival(struct gsim_residency *r, uint32_t device, uint32_t buffer_index, uint64_t begin,
                           uint64_t end)
{
    struct gsim_device_pages *h = &r->held[device];
    for (size_t back = 1; back <= LOOK_BACK && h->arrival_first + back <= h->arrival_count; back++) {
        struct gsim_arrival *a = &h->arrivals[h->arrival_count - back];
        if (a->buffer_index != buffer_index || a->end != begin || (back > 1 && a->end - a->begin >= MAX_GROUPS))
            continue;
        a->end = end;
        return;
    }
    if (make_arrival(r, h)) h->arrivals[h->arrival_count++] = (struct gsim_arrival){begin, end, buffer_index};
}

/* Removes the groups from the device's arrivals, in order. */
static void remove_from(struct gsim_residency *r, struct gsim_device_pages *h, uint32_t buffer_index, uint64_t begin,
                        uint64_t end)
{
    size_t kept = h->arrival_first, count = h->arrival_count;
    for (size_t i = h->arrival_first; i < count; i++) {
        struct gsim_arrival a = h->arrivals[i];
        if (a.buffer_index != buffer_index || a.end <= begin || end <= a.begin) {
            h->arrivals[kept++] = a;
            continue;
        }
        if (a.begin < begin && end < a.end) { /* one entry becomes two; no other holds any of the groups */
            if (gsim_array_grow(&h->arrivals, sizeof *h->arrivals, count, &h->arrival_capacity)) {
                r->failed = true;
                return;
            }
            memmove(&h->arrivals[i + 1], &h->arrivals[i], (count - i) * sizeof a);
            h->arrivals[i].end = begin;
            h->arrivals[i + 1].begin = end;
            h->arrival_count++;
            return;
        }
        if (a.begin < begin) h->arrivals[kept++] = (struct gsim_arrival){a.begin, begin, buffer_index};
        if (end < a.end) h->arrivals[kept++] = (struct gsim_arrival){end, a.end, buffer_index};
    }
    h->arrival_count = kept;
}

static void remove_arrivals(struct gsim_residency *r, gsim_places places, uint32_t buffer_index, uint64_t begin,
                            uint64_t end)
{
    for (gsim_places rest = places & GSIM_HELD_BY_DEVICES; rest; rest &= rest - 1)
        remove_from(r, &r->held[device_of(rest)], buffer_index, begin, end);
}

/* Removes the groups from the device. Returns the bytes that no other place has. */
static uint64_t let_go(struct gsim_residency *r, uint32_t device, uint32_t buffer_index, uint64_t begin, uint64_t end)
{
    uint64_t back = 0;
    for (uint64_t at = begin, stop; at < end && !r->failed; at = stop) {
        gsim_places places = gsim_residency_place(r, buffer_index, at, &stop), others = places & ~GSIM_HELD_BY(device);
        stop = least(stop, end);
        if (!others) back += gsim_residency_span(r, buffer_index, at, stop);
        set_places(r, buffer_index, at, stop, others ? others : GSIM_HELD_BY_HOST);
    }
    return back;
}

uint64_t gsim_residency_make_room(struct gsim_residency *r, uint32_t device, uint64_t bytes)
{
    struct gsim_device_pages *h = &r->held[device];
    uint64_t back = 0;
    while (h->bytes + bytes > h->capacity_bytes && h->arrival_first < h->arrival_count && !r->failed) {
        struct gsim_arrival *a = &h->arrivals[h->arrival_first];
        uint64_t over = h->bytes + bytes - h->capacity_bytes;
        uint64_t blocks = (over + GSIM_BLOCK_BYTES - 1) / GSIM_BLOCK_BYTES;
        uint64_t end = least(a->end, (a->begin / GSIM_BLOCK_GROUPS + blocks) * GSIM_BLOCK_GROUPS);
        back += let_go(r, device, a->buffer_index, a->begin, end);
        a->begin = end;
        if (a->begin == a->end) h->arrival_first++;
    }
    return back;
}

void gsim_residency_arrive(struct gsim_residency *r, uint32_t device, uint32_t buffer_index, uint64_t begin,
                           uint64_t end, bool writes, struct gsim_moved *moved)
{
    const gsim_places here = GSIM_HELD_BY(device);
    bool keeps = r->pages[buffer_index].is_read_mostly && !writes;
    /* In pieces that fit: of a buffer larger than the device's memory the last part stays. */
    uint64_t piece = most(r->held[device].capacity_bytes / GSIM_GROUP_BYTES, 1);
    for (uint64_t at = begin; at < end && !r->failed;) {
        uint64_t stop;
        gsim_places places = gsim_residency_place(r, buffer_index, at, &stop), others = places & ~here;
        stop = least(least(stop, end), at + piece);
        uint64_t bytes = gsim_residency_span(r, buffer_index, at, stop);
        bool is_new = !(places & here);
        if (is_new) moved->evicted += gsim_residency_make_room(r, device, bytes);
        if (is_new || (others && !keeps)) {
            if (!keeps) remove_arrivals(r, others, buffer_index, at, stop);
            set_places(r, buffer_index, at, stop, keeps ? places | here : here);
        }
        if (is_new) {
            append_arrival(r, device, buffer_index, at, stop);
            *(others & GSIM_HELD_BY_HOST ? &moved->from_host
              : others                   ? &moved->from_devices
                                         : &moved->populated) += bytes;
        }
        at = stop;
    }
}

uint64_t gsim_residency_host_takes(struct gsim_residency *r, uint32_t buffer_index, uint64_t bytes, bool writes)
{
    uint64_t limit = gsim_residency_groups(r, buffer_index, bytes), back = 0;
    bool keeps = r->pages[buffer_index].is_read_mostly && !writes;
    for (uint64_t at = 0; at < limit && !r->failed;) {
        uint64_t stop;
        gsim_places places = gsim_residency_place(r, buffer_index, at, &stop);
        stop = least(stop, limit);
        if (places && !(places & GSIM_HELD_BY_HOST)) back += gsim_residency_span(r, buffer_index, at, stop);
        if (!keeps) remove_arrivals(r, places, buffer_index, at, stop);
        if (places || writes)
            set_places(r, buffer_index, at, stop, keeps ? places | GSIM_HELD_BY_HOST : GSIM_HELD_BY_HOST);
        at = stop;
    }
    return back;
}

/* --- life ------------------------------------------------------------------------------------------------------ */

bool gsim_residency_add(struct gsim_residency *r, uint32_t index, const struct gsim_buffer *buffer)
{
    struct gsim_pages *p = &r->pages[index];
    struct gsim_moved moved = {0};
    if (index >= r->buffer_count) r->buffer_count = index + 1;
    p->count = 0;
    p->bytes = buffer->bytes;
    p->is_read_mostly = buffer->is_read_mostly;
    p->group_count = (p->bytes + GSIM_GROUP_BYTES - 1) / GSIM_GROUP_BYTES;
    struct gsim_extent *e = insert(r, p, 0, 1);
    if (e) *e = (struct gsim_extent){0, p->group_count, buffer->init == GSIM_INIT_HOST ? GSIM_HELD_BY_HOST : 0};
    if (e && buffer->init == GSIM_INIT_DEVICE) gsim_residency_arrive(r, 0, index, 0, p->group_count, true, &moved);
    return !r->failed;
}

/* Its pages are the host's until another buffer has its place. */
void gsim_residency_drop(struct gsim_residency *r, uint32_t index)
{
    gsim_residency_host_takes(r, index, r->pages[index].bytes, true);
}

bool gsim_residency_init(struct gsim_residency *r, const struct gsim_program *program, uint32_t room,
                         uint32_t device_count, const uint64_t *capacity_bytes)
{
    *r = (struct gsim_residency){.device_count = device_count};
    r->pages = gsim_alloc(sizeof *r->pages * ((size_t)room + 1));
    r->held = gsim_alloc(sizeof *r->held * device_count);
    if (!r->pages || !r->held) return false;
    for (uint32_t d = 0; d < device_count; d++) r->held[d].capacity_bytes = capacity_bytes[d];
    for (uint32_t i = 0; i < program->buffer_count && !r->failed; i++) gsim_residency_add(r, i, &program->buffers[i]);
    return !r->failed;
}

void gsim_residency_release(struct gsim_residency *r)
{
    for (uint32_t i = 0; i < r->buffer_count; i++) gsim_free(r->pages[i].extents);
    for (uint32_t d = 0; r->held && d < r->device_count; d++) gsim_free(r->held[d].arrivals);
    gsim_free(r->pages);
    gsim_free(r->held);
    *r = (struct gsim_residency){0};
}

/* What lies on DEVICE by the extents. */
static uint64_t bytes_on(const struct gsim_residency *r, uint32_t device)
{
    uint64_t sum = 0;
    for (uint32_t b = 0; b < r->buffer_count; b++)
        sum += gsim_residency_bytes(r, b, r->pages[b].bytes, GSIM_HELD_BY(device), 0);
    return sum;
}

void gsim_residency_check(const struct gsim_residency *r)
{
    for (uint32_t b = 0; b < r->buffer_count; b++) {
        const struct gsim_pages *p = &r->pages[b];
        GSIM_INVARIANT(p->count && !p->extents[0].begin && p->extents[p->count - 1].end == p->group_count);
        for (size_t i = 0; i < p->count; i++) {
            const struct gsim_extent *e = &p->extents[i];
            GSIM_INVARIANT(e->begin < e->end &&
                           (!i || (p->extents[i - 1].end == e->begin && p->extents[i - 1].places != e->places)));
            GSIM_INVARIANT(p->is_read_mostly || !(e->places & (e->places - 1)));
        }
    }
    for (uint32_t d = 0; d < r->device_count; d++) {
        const struct gsim_device_pages *h = &r->held[d];
        uint64_t arrived = 0;
        for (size_t i = h->arrival_first; i < h->arrival_count; i++)
            arrived += gsim_residency_span(r, h->arrivals[i].buffer_index, h->arrivals[i].begin, h->arrivals[i].end);
        GSIM_INVARIANT(bytes_on(r, d) == h->bytes && arrived == h->bytes && h->bytes <= h->capacity_bytes);
    }
}
