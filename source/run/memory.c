/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/run/engine.h: device, pinned and managed memory of one arena, and the bytes of it that were used. */
#include <string.h>
#include <sys/mman.h>

#include "gpusim/memory.h"
#include "source/run/engine.h"

#define ALIGNMENT 512
#define CHUNK     16

static struct {
    struct gpusim_run *run;
    bool is_recorded, host_is_dirty;
    size_t used, bytes, most_bytes;
    struct gsim_run_allocation *at;
    size_t count, room;
    unsigned char *last_seen, *was_seen; /* by the host */
    char *pinned_begin[64], *pinned_end[64];
    size_t pinned_count;
} memory; /* the process has one program */

static void *reserve(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

bool gsim_run_memory_init(struct gpusim_run *run, bool is_recorded, size_t most_bytes)
{
    memory.run = run;
    memory.is_recorded = is_recorded;
    memory.most_bytes = most_bytes;
    run->arena = reserve(GSIM_RUN_ARENA);
    run->arena_size = GSIM_RUN_ARENA;
    run->shadow = reserve(GSIM_RUN_ARENA);
    run->dirty = reserve(GSIM_RUN_ARENA >> CHUNK);
    memory.last_seen = reserve(GSIM_RUN_ARENA);
    memory.was_seen = reserve(GSIM_RUN_ARENA);
    return run->arena && run->shadow && run->dirty && memory.last_seen && memory.was_seen;
}

void gsim_run_globals(char *begin, size_t bytes)
{
    memory.run->globals = begin;
    memory.run->globals_shadow = reserve(bytes + ALIGNMENT);
    memory.run->globals_size = memory.run->globals_shadow && memory.is_recorded ? bytes : 0;
}

int gsim_run_allocate(void **to, size_t bytes, int kind, const char *file, int line)
{
    size_t room = (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; /* apart from the next */
    const char *slash = strrchr(file, '/');
    *to = NULL;
    if (bytes > memory.most_bytes - memory.bytes || room > GSIM_RUN_ARENA - memory.used ||
        gsim_array_grow(&memory.at, sizeof *memory.at, memory.count + 1, &memory.room) != GSIM_OK)
        return 2; /* cudaErrorMemoryAllocation */
    struct gsim_run_allocation *a = &memory.at[memory.count++];
    *a = (struct gsim_run_allocation){
        .begin = memory.run->arena + memory.used, .offset = memory.used, .kind = kind, .line = line};
    a->end = a->begin + bytes;
    snprintf(a->file, sizeof a->file, "%s", slash ? slash + 1 : file);
    memory.used += room;
    memory.bytes += bytes;
    *to = a->begin;
    return 0;
}

static struct gsim_run_allocation *find(const char *at)
{
    size_t low = 0, high = memory.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (memory.at[middle].begin <= at) low = middle + 1;
        else high = middle;
    }
    return low && at < memory.at[low - 1].end + (memory.at[low - 1].begin == memory.at[low - 1].end)
               ? &memory.at[low - 1]
               : NULL;
}

const struct gsim_run_allocation *gsim_run_allocation_at(uint64_t offset) { return find(memory.run->arena + offset); }

/* Its addresses are not given out again. */
int gsim_run_release(void *at)
{
    struct gsim_run_allocation *a = at ? find(at) : NULL;
    if (!at) return 0;
    if (!a || a->begin != at || a->is_freed) return 1; /* cudaErrorInvalidValue */
    memory.bytes -= (size_t)(a->end - a->begin);
    a->is_freed = true;
    madvise(a->begin, (size_t)(a->end - a->begin) & ~(size_t)4095, MADV_DONTNEED);
    return 0;
}

int gsim_run_pin(void *at, size_t bytes)
{
    if (memory.pinned_count == sizeof memory.pinned_begin / sizeof memory.pinned_begin[0]) return 2;
    memory.pinned_begin[memory.pinned_count] = at;
    memory.pinned_end[memory.pinned_count++] = (char *)at + bytes;
    return 0;
}

int gsim_run_memory_kind(const void *at)
{
    const struct gsim_run_allocation *a = find(at);
    if (a) return a->kind;
    for (size_t i = 0; i < memory.pinned_count; i++)
        if ((const char *)at >= memory.pinned_begin[i] && (const char *)at < memory.pinned_end[i])
            return GPUSIM_PINNED_MEMORY;
    return -1;
}

/* --- bytes used --- */
void gsim_run_record(const void *at, size_t bytes, int is_write)
{
    struct gpusim_run *run = memory.run;
    size_t offset = (size_t)((const char *)at - run->arena);
    unsigned char *shadow = run->shadow;
    if (!memory.is_recorded || !bytes) return;
    if (offset < run->arena_size) {
        if (bytes > run->arena_size - offset) bytes = run->arena_size - offset;
        memset(run->dirty + (offset >> CHUNK), 1, ((offset + bytes - 1) >> CHUNK) - (offset >> CHUNK) + 1);
    } else {
        offset = (size_t)((const char *)at - run->globals);
        if (offset >= run->globals_size || bytes > run->globals_size - offset) return;
        shadow = run->globals_shadow;
    }
    for (size_t i = 0; i < bytes; i++) shadow[offset + i] |= (unsigned char)(is_write + 1);
}

/* The host's: what it sees counts once per value, as a compiler may leave a load out that gives the same. */
void gsim_run_host_access(const void *at, size_t bytes, int is_write)
{
    size_t offset = (size_t)((const char *)at - memory.run->arena);
    const unsigned char *now = at;
    memory.host_is_dirty = true;
    gsim_run_record(at, bytes, is_write);
    for (size_t i = 0; i < bytes && !is_write; i++) {
        if (memory.was_seen[offset + i] && memory.last_seen[offset + i] == now[i]) continue;
        memory.was_seen[offset + i] = 1;
        memory.last_seen[offset + i] = now[i];
        uint64_t x = (offset + i) * 256 + now[i];
        x = (x ^ x >> 31) * 0x7fb5d329728ea185u;
        gsim_run_shared()->host_sum += x ^ x >> 29;
    }
}

static void used(const void *at, size_t bytes, int is_write)
{
    if (memory.run->in_kernel) gsim_run_record(at, bytes, is_write);
    else if ((size_t)((const char *)at - memory.run->arena) < GSIM_RUN_ARENA) gsim_run_host_access(at, bytes, is_write);
}

void *gsim_run_move(void *to, const void *from, size_t bytes)
{
    used(from, bytes, 0);
    used(to, bytes, 1);
    return memmove(to, from, bytes);
}

void *gsim_run_fill(void *to, int value, size_t bytes)
{
    used(to, bytes, 1);
    return memset(to, value, bytes);
}

static void add(struct gsim_run_spans *spans, uint64_t begin, uint64_t end)
{
    if (spans->count && spans->at[spans->count - 1].end == begin) {
        spans->at[spans->count - 1].end = end;
        return;
    }
    const struct gsim_run_span span = {begin, end};
    if (!GSIM_APPEND(spans->at, spans->count, spans->room, span)) gsim_run_fail("out of memory");
}

static void scan(unsigned char *shadow, size_t begin, size_t end, uint64_t base, struct gsim_run_spans *reads,
                 struct gsim_run_spans *writes)
{
    for (size_t i = begin; i < end;) {
        uint64_t eight = 0;
        if (end - i >= 8) memcpy(&eight, shadow + i, 8);
        if (end - i >= 8 && !eight) {
            i += 8;
            continue;
        }
        size_t from = i;
        unsigned char what = shadow[i];
        while (i < end && shadow[i] == what) i++;
        if (what & 1) add(reads, base + from, base + i);
        if (what & 2) add(writes, base + from, base + i);
    }
    memset(shadow + begin, 0, end - begin);
}

void gsim_run_collect(struct gsim_run_spans *reads, struct gsim_run_spans *writes)
{
    struct gpusim_run *run = memory.run;
    size_t chunks = (memory.used + ((size_t)1 << CHUNK) - 1) >> CHUNK;
    memory.host_is_dirty = false;
    for (size_t c = 0; c < chunks; c++) {
        if (!run->dirty[c]) continue;
        run->dirty[c] = 0;
        scan(run->shadow, c << CHUNK, (c + 1) << CHUNK, 0, reads, writes);
    }
    if (!run->globals_size) return;
    size_t shared = (size_t)((char *)run->shared_begin - run->globals);
    size_t behind = (size_t)((char *)run->shared_end - run->globals);
    if (shared > run->globals_size || behind > run->globals_size) shared = behind = 0;
    memset(run->globals_shadow + shared, 0, behind - shared);
    scan(run->globals_shadow, 0, run->globals_size, GSIM_RUN_ARENA, reads, writes);
}

bool gsim_run_host_is_dirty(void) { return memory.host_is_dirty; }
