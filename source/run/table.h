/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source (private to source/run). What a program that runs on the CPU and gpusim's run time have in common: the
 * program is a shared object, compiled from its source with this file and device.h before it; it gets this table.
 */
#ifndef GPUSIM_RUN_TABLE
#define GPUSIM_RUN_TABLE
#include <stddef.h>
#include <stdint.h>

enum gpusim_run_memory { GPUSIM_DEVICE_MEMORY, GPUSIM_PINNED_MEMORY, GPUSIM_MANAGED_MEMORY };
enum gpusim_run_barrier { GPUSIM_BARRIER, GPUSIM_BARRIER_COUNT, GPUSIM_BARRIER_AND, GPUSIM_BARRIER_OR };
enum gpusim_run_call {
    GPUSIM_STREAM_CREATE, /* of flags N; gives the handle in A */
    GPUSIM_STREAM_SYNC,
    GPUSIM_STREAM_QUERY,
    GPUSIM_DEVICE_SYNC,
    GPUSIM_EVENT_CREATE,
    GPUSIM_EVENT_RECORD, /* A: event, B: stream */
    GPUSIM_EVENT_SYNC,
    GPUSIM_EVENT_QUERY,
    GPUSIM_STREAM_WAIT, /* A: stream, B: event */
    GPUSIM_CAPTURE_BEGIN,
    GPUSIM_CAPTURE_END,  /* A: stream; gives the graph in B */
    GPUSIM_INSTANTIATE,  /* A: graph; gives an executable one in B */
    GPUSIM_UPDATE,       /* A: executable graph, B: graph */
    GPUSIM_GRAPH_LAUNCH, /* A: executable graph, B: stream */
    GPUSIM_FREE,         /* of A, which waits for the device */
};

/* A copy, or, without FROM, a memset. */
struct gpusim_run_copy {
    const char *name, *file;
    int line, kind, value, is_async;
    void *to;
    const void *from;
    size_t width, height, to_pitch, from_pitch;
    void *stream;
};

/* A kernel's body and its arguments; or a function of the host in a stream. */
struct gpusim_run_work {
    const char *name, *file;
    int line;
    void *closure;
    void (*call)(const void *closure);
    unsigned grid[3], block[3];
    size_t shared_bytes;
    void *stream;
};

struct gpusim_run {
    /* Bytes are recorded in SHADOW, one each: 1 read, 2 written. DIRTY: one byte per 64 KiB. Size 0: not now. */
    char *arena, *globals;
    size_t arena_size, globals_size;
    unsigned char *shadow, *dirty, *globals_shadow;
    int in_kernel;
    unsigned *thread, *block, *block_dim, *grid_dim; /* the program's threadIdx and so on */
    void *shared_begin, *shared_end;
    int (*allocate)(void **memory, size_t bytes, int kind, const char *file, int line);
    int (*pin)(void *memory, size_t bytes);
    int (*copy)(const struct gpusim_run_copy *copy);
    int (*launch)(const struct gpusim_run_work *work);
    int (*call)(int what, void *a, void *b, long n, const char *file, int line);
    void (*host_access)(const void *at, size_t bytes, int is_write);
    int (*barrier)(int kind, int value);
    const uint64_t *(*lanes)(unsigned mask, uint64_t value, unsigned *active);
    void *(*move)(void *to, const void *from, size_t bytes);
    void *(*fill)(void *to, int value, size_t bytes);
    long (*clock_ns)(void);
    void (*told)(unsigned what, unsigned line, double x, double y, double z); /* source/read/told.h */
    void (*fail)(const char *what);
};
#endif
