/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). A program: buffers, kernel calls with the buffers that each reads and writes, copies and host
 * accesses. The scheduler adds streams, events and order. Workloads and the JSON reader build programs; then they are
 * read-only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpusim/collective.h"
#include "gpusim/memory.h"
#include "gpusim/status.h"

GSIM_DECLARATIONS_BEGIN

enum gsim_buffer_init {
    GSIM_INIT_NONE,   /* allocated, not written: no place until first use */
    GSIM_INIT_HOST,   /* written by the host before the program starts */
    GSIM_INIT_DEVICE, /* valid on the device when the program starts */
};

struct gsim_buffer {
    const char *name;
    uint64_t bytes;
    enum gsim_buffer_init init;
    bool is_read_mostly; /* managed memory: readers get copies (cudaMemAdviseSetReadMostly) */
};

struct gsim_dim3 {
    uint32_t x, y, z;
};

/* Pipes of a GPU (gpusim/pipes.def). */
enum gsim_pipe {
#define X(key, name, scope, what) GSIM_PIPE_##key,
#include "gpusim/pipes.def"
#undef X
    GSIM_PIPE_COUNT
};
extern const char *const gsim_pipe_names[GSIM_PIPE_COUNT + 1]; /* ends with NULL */

/* How blocks of a persistent kernel get their tiles. */
enum gsim_tile_order {
    GSIM_TILES_NONE,    /* not given: a block is the unit of work */
    GSIM_TILES_STATIC,  /* each block has its tiles from the start */
    GSIM_TILES_DYNAMIC, /* resident blocks take them from a queue */
    GSIM_TILES_COUNT
};
extern const char *const gsim_tile_order_names[GSIM_TILES_COUNT + 1]; /* ends with NULL */

/* One kernel at one launch shape. Work is given by solo_us measured on solo_device, or by the demand
 * fields and the device's rates, or by both (then solo_us fixes the time, the demands how it is shared).
 * A zero demand field means "not given". */
struct gsim_kernel {
    const char *name;
    struct gsim_dim3 grid, block;
    uint32_t regs_per_thread; /* 0: not given, 32 assumed */
    uint32_t smem_bytes;      /* static and dynamic shared memory per block */
    bool fp64;                /* flops are double precision */
    double flops;             /* of the whole grid; FMA counts 2 */
    double dram_bytes;        /* DRAM traffic of the whole grid, reads and writes */
    /* SM clock cycles of one thread alone (dependent instructions, memory latency); least time of a block */
    double thread_cycles;
    /* SM clock cycles of load/store and issue units for the whole grid, beside the flops; shared by an SM's blocks */
    double sm_cycles;
    /* rows of 64 KB or more that threads walk, one each; 1: threads read buffers together; 0: not given */
    double rows;
    /* with solo_us: items of a grid-stride loop along x and y, which give some blocks one round more; blocks beyond
     * LOOP_Z have no work; 0: not given, equal blocks */
    double loop_x, loop_y, loop_z;
    /* programmatic launches, shares of a block's work: PROLOGUE needs nothing of the kernel before; TRIGGER lets the
     * next kernel begin, 0: at the end */
    double prologue, trigger;
    bool demand_given;        /* flops and dram_bytes are known, even if 0 */
    double solo_us;           /* duration of the grid alone on solo_device; 0: not given */
    const char *solo_device;  /* NULL: the simulated device */
    double energy_mj;         /* of one launch on solo_device above the idle power; 0: not given */
    uint32_t slice_sms;       /* SMs on which slice_us was measured */
    double slice_us;          /* the grid alone on slice_sms: tells latency from throughput; 0: not given */
    bool solo_profiled;       /* solo_us is a profiler's, which includes a part of the launch */
    bool pipes_given;         /* with solo_us: PIPES is known; a pipe not named is 0 */
    double pipes[GSIM_PIPE_COUNT]; /* share of each pipe's peak on the whole device over solo_us */
    double cold_us;           /* the grid alone with empty caches; 0: not given */
    double memory_wait;       /* share of its warps' time in waits for L2 and DRAM; 0: not given */
    double dram_cost;         /* DRAM time of a byte relative to a stream's; 0: not given, 1 */
    double data_bytes;        /* distinct bytes that it reads and writes; 0: not given */
    double l1_hit;            /* share of its requests to L1 that L1 has; 0: not given */
    double imbalance;         /* longest block over the mean block; 0: not given. Not modelled */
    uint32_t tiles;           /* of a persistent kernel: pieces of its work, of equal time; 0: not given */
    enum gsim_tile_order tile_order;
    struct gsim_dim3 cluster; /* blocks of a cluster, all in one GPC; 0, 0, 0: no clusters */
    bool waits;               /* with solo_us: its blocks only wait (sleep, spin, poll) and ask for nothing */
    bool solo_cold;           /* solo_us was measured inside a program, with its caches, not by repetition */
    const struct gsim_collective *collective; /* gives shape and time; NULL: no collective */
};

/* One pointer argument of a kernel call. The declared constness may be weaker than the truth (IMG's unsharpen reads a
 * non-const image). GrSched sees only the declaration. */
struct gsim_arg {
    uint32_t buffer_index;
    bool reads, writes;
    bool declared_const;
};

/* Part of an argument's buffer that a kernel reads or writes. */
struct gsim_segment {
    uint64_t offset, bytes;
    uint32_t arg; /* into the op's args */
    bool reads, writes;
};

enum gsim_op_kind {
    GSIM_OP_KERNEL,
    GSIM_OP_COPY,         /* explicit cudaMemcpyAsync */
    GSIM_OP_PREFETCH,     /* explicit cudaMemPrefetchAsync to the device; issued only if the run prefetches */
    GSIM_OP_HOST_WRITE,   /* the host writes a buffer */
    GSIM_OP_HOST_READ,    /* the host reads (part of) a buffer */
    GSIM_OP_HOST_COMPUTE, /* host computation without buffers */
};

enum gsim_copy_kind { GSIM_COPY_H2D, GSIM_COPY_D2H, GSIM_COPY_D2D, GSIM_COPY_P2P };
#define GSIM_COPY_KIND_COUNT 4
/* Host memory of a copy: as the run's memory mode, or its own. */
enum gsim_copy_memory { GSIM_COPY_MEMORY_OF_RUN, GSIM_COPY_MEMORY_PINNED, GSIM_COPY_MEMORY_PAGEABLE };

struct gsim_op {
    enum gsim_op_kind kind;
    enum gsim_copy_kind copy_kind;
    uint32_t index;              /* in program->ops; of an inserted move: the op that it serves */
    uint32_t kernel_index;       /* GSIM_OP_KERNEL: into program->kernels */
    uint32_t arg_count;          /* kernel: its pointer arguments; other kinds: one argument, the buffer */
    uint32_t after_count;
    const struct gsim_arg *args; /* in the order of the author's signature; no buffer twice */
    const uint32_t *after;       /* earlier ops that it must follow, beside data dependences */
    /* Kernel: parts of arguments that it reads (writes), sorted by ARG. Without read (written) segments an argument is
     * read (written) whole. */
    union {
        const struct gsim_segment *segments;
        const char *what; /* GSIM_OP_HOST_COMPUTE: owner of the time (GSIM_HOST_... in timeline.h); NULL: not given */
    };
    uint64_t bytes;              /* copy, prefetch, host access: bytes of the buffer */
    union {
        double host_us;          /* GSIM_OP_HOST_COMPUTE */
        double copy_us;          /* GSIM_OP_COPY: fixed duration; 0: by the links */
    };
    int32_t stream;              /* the author's choice, which scheduler async follows; -1: none */
    int32_t priority;            /* CUDA's: lower is more urgent; 0 default */
    uint16_t segment_count;
    uint16_t device;             /* its GPU; of a GSIM_COPY_P2P the source */
    uint16_t to_device;          /* GSIM_COPY_P2P: the destination */
    uint8_t copy_memory : 3;     /* GSIM_OP_COPY: enum gsim_copy_memory */
    /* GSIM_OP_KERNEL: programmatic stream serialization. It may begin when all blocks of its predecessor have
     * triggered, and waits for the predecessor's end behind its prologue */
    uint8_t programmatic : 1;
    bool overhead : 1;        /* GSIM_OP_HOST_COMPUTE: framework time between calls; none in a captured graph */
    bool needed : 1;             /* the same: the host uses the awaited result, so the wait stays */
    bool is_unknown : 1;         /* kernel: may access anything on the device beside its arguments */
    bool untimed : 1;            /* host write of the untimed reset between iterations */
};

struct gsim_program {
    const char *name;
    struct gsim_buffer *buffers;
    struct gsim_kernel *kernels; /* distinct (kernel, shape) pairs */
    struct gsim_op *ops;
    uint32_t buffer_count, kernel_count, op_count;
    uint32_t iterations;         /* repetitions of the ops */
    const char *guesses;         /* what its reader assumed, lines that end with "\n"; NULL: nothing */
    struct gsim_arena arena;     /* owns everything above */
};

void gsim_program_release(struct gsim_program *program);

/* Checks indices, sizes, finite numbers, CUDA's limits of grid and block, and that "after" points backwards. GSIM_INPUT
 * names the first error. Every reader and generator calls it last. */
enum gsim_status gsim_program_check(const struct gsim_program *program, struct gsim_error *error) GSIM_NODISCARD;

/* Builder of programs. Each call returns the new index (kernel: of an equal entry if there is one), or UINT32_MAX when
 * memory is out. Strings are copied. */
struct gsim_builder;
struct gsim_builder *gsim_builder_create(const char *program_name);
uint32_t gsim_builder_buffer(struct gsim_builder *builder, const char *name, uint64_t bytes,
                             enum gsim_buffer_init init);
/* Sets gsim_buffer.is_read_mostly. */
void gsim_builder_read_mostly(struct gsim_builder *builder, uint32_t buffer_index);
/* Returns the buffer's bytes; 0: no such buffer. */
uint64_t gsim_builder_buffer_bytes(const struct gsim_builder *builder, uint32_t buffer_index);
uint32_t gsim_builder_kernel(struct gsim_builder *builder, const struct gsim_kernel *kernel);
/* Adds a copy of COLLECTIVE as a kernel whose shape the run resolves. */
uint32_t gsim_builder_collective(struct gsim_builder *builder, const struct gsim_collective *collective);
/* Adds a copy of OP with its args, after and segments; sets its index. */
uint32_t gsim_builder_op(struct gsim_builder *builder, const struct gsim_op *op);
/* Moves all into PROGRAM and frees the builder, also on failure. */
enum gsim_status gsim_builder_finish(struct gsim_builder *builder, uint32_t iterations, struct gsim_program *program,
                                     struct gsim_error *error) GSIM_NODISCARD;
void gsim_builder_destroy(struct gsim_builder *builder); /* accepts NULL */

/* Reads a program file (schema gpusim-program/1; fields: workloads/README.md). PATH "-" is the standard input; gzip is
 * recognised by content. On failure PROGRAM is untouched; GSIM_INPUT names the file, line and column or the place
 * (ops[3].grid[0]), what was found and what was expected. */
enum gsim_status gsim_program_read(const char *path, struct gsim_program *program,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* Writes a program file that reads back to an equal program. PATH "-" is the standard output; ".gz" at its end gives
 * gzip. */
enum gsim_status gsim_program_write(const struct gsim_program *program, const char *path,
                                    struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
