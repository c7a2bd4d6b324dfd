/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: base. The one allocator wrapper (with a fail-the-nth mode for tests), and the arena from which
 * all objects of one load or one run come. Arena memory is zeroed and freed at once by release.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "gpusim/status.h"

GSIM_DECLARATIONS_BEGIN

/* Allocates SIZE zeroed bytes; NULL when memory is out. SIZE 0 gives a valid pointer. */
void *gsim_alloc(size_t size) __attribute__((malloc));
void *gsim_realloc(void *old, size_t size); /* new part not zeroed; OLD stays valid on NULL */
void gsim_free(void *memory);

/* Test hook: the NTH allocation from now (1 = the next) fails, once; 0 switches it off.
 * Returns how many allocations were made since the last call. */
uint64_t gsim_alloc_fail_nth(uint64_t nth);

struct gsim_arena_chunk;
struct gsim_arena_adopted;
struct gsim_arena {
    struct gsim_arena_chunk *chunks;
    struct gsim_arena_adopted *adopted; /* what gsim_arena_adopt() brought */
    size_t used_bytes; /* handed out, for statistics */
    int failed;        /* set once an allocation failed; stays set */
};

/* Zeroed memory aligned for any object, or NULL (and failed set). */
void *gsim_arena_alloc(struct gsim_arena *arena, size_t size);
char *gsim_arena_strdup(struct gsim_arena *arena, const char *text);
char *gsim_arena_printf(struct gsim_arena *arena, const char *format, ...) GSIM_PRINTF(2, 3);
/* Takes over MEMORY, SIZE bytes of gsim_alloc or gsim_realloc, and frees it with the arena. Nonzero when memory is out:
 * MEMORY is then still the caller's. */
int gsim_arena_adopt(struct gsim_arena *arena, void *memory, size_t size);
void gsim_arena_release(struct gsim_arena *arena); /* accepts a zeroed arena */
/* Frees all, but keeps one chunk for what is allocated next. */
void gsim_arena_reset(struct gsim_arena *arena);

#define GSIM_ARENA_NEW(arena, type) ((type *)gsim_arena_alloc((arena), sizeof(type)))
#define GSIM_ARENA_ARRAY(arena, type, count) ((type *)gsim_arena_alloc((arena), sizeof(type) * (size_t)(count)))

/* Makes room for one more element in a gsim_realloc-ed array, of which "array" is the address of its pointer; nonzero
 * when memory is out. */
int gsim_array_grow(void *array, size_t element_size, size_t count, size_t *capacity);

GSIM_DECLARATIONS_END
