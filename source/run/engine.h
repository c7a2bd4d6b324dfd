/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source (private to source/run). The run time of a CUDA program on the CPU, in a process of its own: streams
 * are queues, and an order says when their commands are executed, as late or as early as CUDA's rules allow. Which
 * bytes each command reads and writes is recorded where that is asked for.
 */
#pragma once

#include <stdbool.h>

#include "source/run/run.h"
#include "source/run/table.h"

/* Bytes [begin, end) of the arena, or, behind its end, of the program's variables. */
struct gsim_run_span {
    uint64_t begin, end;
};
struct gsim_run_spans {
    struct gsim_run_span *at;
    size_t count, room;
};

enum gsim_run_kind { GSIM_RUN_KERNEL, GSIM_RUN_COPY, GSIM_RUN_FILL, GSIM_RUN_MARK, GSIM_RUN_HOST };

struct gsim_run_command {
    enum gsim_run_kind kind; /* MARK: an event, a wait, the end of a graph; HOST: the program itself, between calls */
    struct gpusim_run_work work; /* of a kernel; name, file and line of all */
    struct gpusim_run_copy copy;
    uint32_t number;         /* in the order of the calls */
    uint32_t slot, position; /* its queue, and its place there, from 1 */
    uint32_t *clock;         /* by slot: the last position that this one follows */
    uint32_t clock_count;
    struct gsim_run_command **follows;
    size_t follow_count, follow_room;
    struct gsim_run_spans reads, writes;
    void *staged;                                           /* what a copy from pageable memory has taken already */
    int64_t seen;                                           /* of the copies to the host; -1: none */
    bool is_done, is_to_device, is_from_device, is_to_host; /* of a copy: memory of the arena or a variable */
};

/* memory.c */
struct gsim_run_allocation {
    char *begin, *end;
    uint64_t offset; /* of BEGIN in the arena */
    int kind, line;
    bool is_freed;
    char file[64];
};
#define GSIM_RUN_ARENA ((size_t)1 << 36)
bool gsim_run_memory_init(struct gpusim_run *run, bool is_recorded, size_t most_bytes);
int gsim_run_allocate(void **memory, size_t bytes, int kind, const char *file, int line);
int gsim_run_release(void *memory);
int gsim_run_pin(void *memory, size_t bytes);
/* -1: pageable memory of the host. */
int gsim_run_memory_kind(const void *memory);
const struct gsim_run_allocation *gsim_run_allocation_at(uint64_t offset);
void gsim_run_host_access(const void *at, size_t bytes, int is_write);
void *gsim_run_move(void *to, const void *from, size_t bytes);
void *gsim_run_fill(void *to, int value, size_t bytes);
void gsim_run_record(const void *at, size_t bytes, int is_write);
/* Takes what was recorded since the last call. */
void gsim_run_collect(struct gsim_run_spans *reads, struct gsim_run_spans *writes);
bool gsim_run_host_is_dirty(void);
void gsim_run_globals(char *begin, size_t bytes);

/* block.c */
void gsim_run_grid(struct gpusim_run *run, const struct gpusim_run_work *work);
int gsim_run_barrier(int kind, int value);
const uint64_t *gsim_run_lanes(unsigned mask, uint64_t value, unsigned *active);

/* races.c: COMMAND, executed, against all before that it does not follow. */
void gsim_run_races(struct gsim_run_command *command);
void gsim_run_races_prune(const uint32_t *clock, uint32_t count);

/* engine.c */
struct gsim_run_shared *gsim_run_shared(void);
void gsim_run_fail(const char *what) __attribute__((noreturn));
void gsim_run_say(const char *format, ...) GSIM_PRINTF(1, 2);
/* The commands in the order of the calls. */
struct gsim_run_command *const *gsim_run_commands(size_t *count);
