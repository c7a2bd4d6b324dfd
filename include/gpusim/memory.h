/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: base. The allocator, with a mode in which the nth allocation fails (for tests), and the arena of one load or
 * one run. Arena memory is zeroed; release frees all of it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "gpusim/status.h"

GSIM_DECLARATIONS_BEGIN

/* Allocates SIZE zeroed bytes; NULL when memory is out. SIZE 0 gives a valid pointer. */
void *gsim_alloc(size_t size) __attribute__((malloc));
void *gsim_realloc(void *old, size_t size); /* the new part is not zeroed; on NULL, OLD stays valid */
void gsim_free(void *memory);

/* Test hook: makes the NTH allocation from now fail, once (1: the next, 0: none). Returns the count of allocations
 * since the last call. */
uint64_t gsim_alloc_fail_nth(uint64_t nth);

struct gsim_arena_chunk;
struct gsim_arena_adopted;
struct gsim_arena {
    struct gsim_arena_chunk *chunks;
    struct gsim_arena_adopted *adopted; /* of gsim_arena_adopt() */
    size_t used_bytes; /* handed out, for statistics */
    int failed;        /* nonzero after a failed allocation */
};

/* Returns zeroed memory, aligned for any object. NULL: out of memory; sets failed. */
void *gsim_arena_alloc(struct gsim_arena *arena, size_t size);
char *gsim_arena_strdup(struct gsim_arena *arena, const char *text);
char *gsim_arena_printf(struct gsim_arena *arena, const char *format, ...) GSIM_PRINTF(2, 3);
/* Makes MEMORY, SIZE bytes of gsim_alloc() or gsim_realloc(), part of the arena. Nonzero: out of memory; MEMORY stays
 * the caller's. */
int gsim_arena_adopt(struct gsim_arena *arena, void *memory, size_t size);
void gsim_arena_release(struct gsim_arena *arena); /* accepts a zeroed arena */
/* Frees all but one chunk, which the next allocations use. */
void gsim_arena_reset(struct gsim_arena *arena);

#define GSIM_ARENA_NEW(arena, type) ((type *)gsim_arena_alloc((arena), sizeof(type)))
#define GSIM_ARENA_ARRAY(arena, type, count) ((type *)gsim_arena_alloc((arena), sizeof(type) * (size_t)(count)))

/* Makes room for one more element in an array of gsim_realloc(). ARRAY: address of the pointer to it. Nonzero: out of
 * memory. */
int gsim_array_grow(void *array, size_t element_size, size_t count, size_t *capacity);
/* Puts a value behind COUNT ITEMS, an array with that capacity. False: out of memory. */
#define GSIM_APPEND(items, count, capacity, ...)                                                                       \
    (!gsim_array_grow(&(items), sizeof *(items), (count), &(capacity)) && ((items)[(count)++] = __VA_ARGS__, 1))

/* The message that all have for it. */
static inline enum gsim_status gsim_no_memory(struct gsim_error *error)
{
    return gsim_error_set(error, GSIM_NOMEM, "out of memory");
}
/* GSIM_APPEND() as a status. */
#define GSIM_ADD(error, ...) (GSIM_APPEND(__VA_ARGS__) ? GSIM_OK : gsim_no_memory(error))

GSIM_DECLARATIONS_END
