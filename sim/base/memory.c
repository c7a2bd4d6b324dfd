/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. The allocator and the arena. Memory is of calloc() and free(), so a library with these functions as
 * hooks may mix them with its own.
 */
#include "gpusim/memory.h"
#include "sim/base/ends.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CHUNK_BYTES    4096u
#define LARGEST_CHUNK_BYTES  (1024u * 1024u)
#define FIRST_ARRAY_ELEMENTS 16u

/* The test hook of gsim_alloc_fail_nth(). The one mutable global: an allocator has no object to hang it on.
 * Atomic, because simulated host threads may be real threads. */
static atomic_uint_fast64_t made_count, fail_at;

static int must_fail(void)
{
    uint64_t made = atomic_fetch_add_explicit(&made_count, 1, memory_order_relaxed) + 1;
    return made == atomic_load_explicit(&fail_at, memory_order_relaxed);
}

uint64_t gsim_alloc_fail_nth(uint64_t nth)
{
    atomic_store(&fail_at, nth);
    return atomic_exchange(&made_count, 0);
}

/* What a program does instead of going on without: gsim_ends_install(). */
static _Atomic(void (*)(void)) when_out;

void gsim_alloc_when_out(void (*end)(void)) { atomic_store(&when_out, end); }

void *gsim_or_end(void *memory)
{
    void (*end)(void) = memory ? NULL : atomic_load(&when_out);
    if (end) end();
    return memory;
}

void *gsim_alloc(size_t size) { return must_fail() ? NULL : gsim_or_end(calloc(1, size ? size : 1)); }

void *gsim_realloc(void *old, size_t size) { return must_fail() ? NULL : gsim_or_end(realloc(old, size ? size : 1)); }

void gsim_free(void *memory) { free(memory); }

/* --- arena: a list of chunks; the newest, at the head, is the one that is filled ------------------------ */
struct gsim_arena_chunk {
    struct gsim_arena_chunk *next;
    size_t size, used; /* of bytes */
    max_align_t bytes[];
};

static struct gsim_arena_chunk *chunk_create(size_t size)
{
    if (size > SIZE_MAX / 2) return gsim_or_end(NULL);
    struct gsim_arena_chunk *chunk = gsim_alloc(sizeof(*chunk) + size);
    if (chunk) chunk->size = size;
    return chunk;
}

/* A chunk with room for SIZE bytes, or NULL. Sizes double, so that small arenas stay small. */
static struct gsim_arena_chunk *chunk_for(struct gsim_arena *arena, size_t size)
{
    struct gsim_arena_chunk *head = arena->chunks;
    if (head && size <= head->size - head->used) return head;
    size_t usual = FIRST_CHUNK_BYTES;
    if (head) usual = head->size < LARGEST_CHUNK_BYTES / 2 ? head->size * 2 : LARGEST_CHUNK_BYTES;
    struct gsim_arena_chunk *chunk = chunk_create(size > usual / 4 ? size : usual);
    if (!chunk) return NULL;
    if (head && size > usual / 4) { /* a large object has its own chunk; the head keeps being filled */
        chunk->next = head->next;
        head->next = chunk;
    } else {
        chunk->next = head;
        arena->chunks = chunk;
    }
    return chunk;
}

void *gsim_arena_alloc(struct gsim_arena *arena, size_t size)
{
    const size_t alignment = _Alignof(max_align_t);
    size_t rounded = size > SIZE_MAX / 2 ? SIZE_MAX : (size + alignment - 1) / alignment * alignment;
    if (rounded == 0) rounded = alignment;
    struct gsim_arena_chunk *chunk = chunk_for(arena, rounded);
    if (!chunk) {
        arena->failed = 1;
        return NULL;
    }
    void *memory = (char *)chunk->bytes + chunk->used;
    chunk->used += rounded;
    arena->used_bytes += rounded;
    return memory;
}

char *gsim_arena_strdup(struct gsim_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = gsim_arena_alloc(arena, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *gsim_arena_printf(struct gsim_arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : gsim_arena_alloc(arena, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    if (length < 0) arena->failed = 1;
    va_end(again);
    return text;
}

struct gsim_arena_adopted {
    struct gsim_arena_adopted *next;
    void *memory;
};

int gsim_arena_adopt(struct gsim_arena *arena, void *memory, size_t size)
{
    struct gsim_arena_adopted *adopted = GSIM_ARENA_NEW(arena, struct gsim_arena_adopted);
    if (!adopted) return -1;
    *adopted = (struct gsim_arena_adopted){.next = arena->adopted, .memory = memory};
    arena->adopted = adopted;
    arena->used_bytes += size;
    return 0;
}

void gsim_arena_release(struct gsim_arena *arena)
{
    if (!arena) return;
    for (struct gsim_arena_adopted *a = arena->adopted; a; a = a->next) gsim_free(a->memory);
    while (arena->chunks) {
        struct gsim_arena_chunk *next = arena->chunks->next;
        gsim_free(arena->chunks);
        arena->chunks = next;
    }
    memset(arena, 0, sizeof(*arena));
}

void gsim_arena_reset(struct gsim_arena *arena)
{
    struct gsim_arena_chunk *kept = arena->chunks;
    if (!kept) return;
    arena->chunks = kept->next;
    gsim_arena_release(arena);
    memset(kept->bytes, 0, kept->used);
    kept->used = 0;
    kept->next = NULL;
    *arena = (struct gsim_arena){.chunks = kept};
}

int gsim_array_grow(void *array, size_t element_size, size_t count, size_t *capacity)
{
    if (count < *capacity) return 0;
    if (*capacity > SIZE_MAX / 4 / element_size) return -1;
    size_t wanted = *capacity ? *capacity * 2 : FIRST_ARRAY_ELEMENTS;
    if (wanted <= count) wanted = count + 1;
    if (wanted > SIZE_MAX / 2 / element_size) return -1;
    void *grown;
    memcpy(&grown, array, sizeof grown); /* a pointer of whichever type */
    if (!(grown = gsim_realloc(grown, wanted * element_size))) return -1;
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return 0;
}
