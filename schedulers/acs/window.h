/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: schedulers (helper). The scheduling window of ACS (arXiv 2401.12377): a fixed number of kernels, each with
 * those in the window that it waits for. A kernel without any is ready; one that ends is taken out of every list.
 */
#pragma once

#include <stdbool.h>

#include "gpusim/memory.h"

#define GSIM_WINDOW_MAX 1024
#define GSIM_WINDOW_NONE UINT32_MAX

struct gsim_window_entry {
    uint64_t id;
    void *what; /* the user's */
    double since_us;
    uint32_t upstream_count;
    bool is_taken;
};

struct gsim_window {
    struct gsim_window_entry *entries;
    bool *upstream; /* by entry and entry: the first waits for the second */
    uint32_t *freed; /* scratch of gsim_window_end */
    uint32_t size, used;
    double fill_us, used_us, since_us; /* entries times time; time with any; when that was last brought up to date */
};

/* All memory is ARENA's. False: out of memory. */
bool gsim_window_init(struct gsim_window *window, uint32_t size, struct gsim_arena *arena);
/* The first free entry is taken from NOW_US on, with nothing upstream. There must be one. */
uint32_t gsim_window_insert(struct gsim_window *window, uint64_t id, double now_us);
/* ENTRY waits for UPSTREAM, another one that is taken. */
void gsim_window_wait_for(struct gsim_window *window, uint32_t entry, uint32_t upstream);
/* The entry of a kernel; GSIM_WINDOW_NONE: it is not in the window. */
uint32_t gsim_window_find(const struct gsim_window *window, uint64_t id);
/* Frees ENTRY. Returns how many have become ready by it: window->freed, by entry. */
uint32_t gsim_window_end(struct gsim_window *window, uint32_t entry, double now_us);
static inline bool gsim_window_is_ready(const struct gsim_window *w, uint32_t entry)
{
    return !w->entries[entry].upstream_count;
}
/* Kernels in the window on average while it holds any; 0: it never did. */
static inline double gsim_window_fill(const struct gsim_window *w)
{
    return w->used_us > 0 ? w->fill_us / w->used_us : 0;
}
