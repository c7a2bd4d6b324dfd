/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See schedulers/acs/window.h. */
#include "schedulers/acs/window.h"

bool gsim_window_init(struct gsim_window *window, uint32_t size, struct gsim_arena *arena)
{
    *window = (struct gsim_window){.size = size};
    window->entries = GSIM_ARENA_ARRAY(arena, struct gsim_window_entry, size);
    window->upstream = GSIM_ARENA_ARRAY(arena, bool, (size_t)size * size);
    window->freed = GSIM_ARENA_ARRAY(arena, uint32_t, size);
    return window->entries && window->upstream && window->freed;
}

static void pass_time(struct gsim_window *window, double now_us)
{
    double passed = now_us - window->since_us;
    window->since_us = now_us;
    if (!window->used || passed < 0) return;
    window->fill_us += passed * window->used;
    window->used_us += passed;
}

uint32_t gsim_window_insert(struct gsim_window *window, uint64_t id, double now_us)
{
    uint32_t entry = 0;
    pass_time(window, now_us);
    while (window->entries[entry].is_taken) entry++;
    window->entries[entry] = (struct gsim_window_entry){.id = id, .since_us = now_us, .is_taken = true};
    window->used++;
    return entry;
}

void gsim_window_wait_for(struct gsim_window *window, uint32_t entry, uint32_t upstream)
{
    bool *waits = &window->upstream[(size_t)entry * window->size + upstream];
    window->entries[entry].upstream_count += !*waits;
    *waits = true;
}

uint32_t gsim_window_find(const struct gsim_window *window, uint64_t id)
{
    for (uint32_t i = 0; i < window->size; i++)
        if (window->entries[i].is_taken && window->entries[i].id == id) return i;
    return GSIM_WINDOW_NONE;
}

uint32_t gsim_window_end(struct gsim_window *window, uint32_t entry, double now_us)
{
    uint32_t count = 0;
    pass_time(window, now_us);
    window->entries[entry].is_taken = false;
    window->used--;
    for (uint32_t i = 0; i < window->size; i++) {
        bool *waits = &window->upstream[(size_t)i * window->size + entry];
        if (*waits && !--window->entries[i].upstream_count) window->freed[count++] = i;
        *waits = false;
    }
    return count;
}
