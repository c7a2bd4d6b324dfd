/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). A program is what a single-threaded author writes: buffers, kernel calls with the
 * buffers each reads and writes, copies, host accesses. Streams, events and order are the scheduler's
 * business. Built by workloads/ (built-in benchmarks, the JSON reader); read-only after that.
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
    GSIM_INIT_NONE,   /* allocated, never written: lives on neither side until first use */
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

/* One kernel at one launch shape. Work is given by solo_us measured on solo_device, or by the demand
 * fields and the device's rates, or by both (then solo_us fixes the time, the demands how it is shared).
 * A zero demand field means "not given". */
struct gsim_kernel {
    const char *name;
    struct gsim_dim3 grid, block;
    uint32_t regs_per_thread; /* 0: not given, the model assumes 32 */
    uint32_t smem_bytes;      /* static and dynamic shared memory per block */
    bool fp64;                /* flops are double precision */
    double flops;             /* of the whole grid; FMA counts 2 */
    double dram_bytes;        /* DRAM traffic of the whole grid, reads and writes */
    double thread_cycles;     /* SM clock cycles one thread needs for its share when nothing else runs:
                                 dependent instructions and memory latency; bounds a block from below */
    double sm_cycles;         /* SM clock cycles that the whole grid keeps the load/store and issue units of
                                 SMs busy, beside the flops: what blocks on one SM share */
    /* rows that its threads walk, each its own, in buffers of 64 KB or more a row; 1: threads go through buffers
     * together; 0: not given */
    double rows;
    /* with solo_us: items that the grid's threads stride over along x and y, which gives some blocks one round more;
     * along z blocks beyond them have nothing to do; 0: not given, blocks are alike */
    double loop_x, loop_y, loop_z;
    /* of programmatic launches, shares of a block's work: PROLOGUE does not need the kernel before, 0: nothing; behind
     * TRIGGER it lets the next kernel begin, 0: at its end */
    double prologue, trigger;
    bool demand_given;        /* flops and dram_bytes are known, also where they are 0 */
    double solo_us;           /* duration of the grid alone on solo_device; 0: not given */
    const char *solo_device;  /* NULL: the simulated device */
    double energy_mj;         /* of one launch on solo_device, above what the idle GPU draws meanwhile; 0: not given */
    uint32_t slice_sms;       /* with solo_us: what follows was measured on that many of the device's SMs */
    double slice_us;          /* the grid alone on so few SMs, which tells latency from throughput; 0: not given */
    bool solo_profiled;       /* solo_us is a profiler's record, which counts in a part of the launch */
    bool pipes_given;         /* with solo_us: what follows is known; a pipe that is not named has 0 */
    double pipes[GSIM_PIPE_COUNT]; /* share of each pipe's peak on the whole device over solo_us */
    double cold_us;           /* the grid alone with empty caches; 0: not given */
    double memory_wait;       /* share of its warps' time that waits for L2 and DRAM; 0: not given */
    double dram_cost;         /* what a byte costs DRAM, relative to a stream's; 0: not given, as much */
    double data_bytes;        /* that it reads and writes, each counted once; 0: not given */
    double imbalance;         /* the longest block's time over the mean block's; 0: not given. Kept, not modelled */
    struct gsim_dim3 cluster; /* blocks that stand in one GPC at once; 0, 0, 0: not given, each stands alone */
    bool solo_cold;           /* solo_us was measured inside a program, with caches as that left them, and not by
                                 repeating the kernel */
    const struct gsim_collective *collective; /* gives its launch shape and time; NULL: it is none */
};

/* One pointer argument of a kernel call. Constness as declared in the author's signature may be weaker
 * than the truth (IMG's unsharpen takes a read-only image as non-const): GrSched sees only the former. */
struct gsim_arg {
    uint32_t buffer_index;
    bool reads, writes;
    bool declared_const;
};

/* A part of an argument's buffer that a kernel reads or writes. */
struct gsim_segment {
    uint64_t offset, bytes;
    uint32_t arg; /* into the op's args */
    bool reads, writes;
};

enum gsim_op_kind {
    GSIM_OP_KERNEL,
    GSIM_OP_COPY,         /* explicit cudaMemcpyAsync */
    GSIM_OP_PREFETCH,     /* explicit cudaMemPrefetchAsync to the device: a hint, made only where the run prefetches */
    GSIM_OP_HOST_WRITE,   /* the host writes a buffer */
    GSIM_OP_HOST_READ,    /* the host reads (part of) a buffer */
    GSIM_OP_HOST_COMPUTE, /* the host works without touching buffers */
};

enum gsim_copy_kind { GSIM_COPY_H2D, GSIM_COPY_D2H, GSIM_COPY_D2D, GSIM_COPY_P2P };
#define GSIM_COPY_KIND_COUNT 4
/* The host memory that a copy reads or writes: as the run says, or its own. */
enum gsim_copy_memory { GSIM_COPY_MEMORY_OF_RUN, GSIM_COPY_MEMORY_PINNED, GSIM_COPY_MEMORY_PAGEABLE };

struct gsim_op {
    enum gsim_op_kind kind;
    enum gsim_copy_kind copy_kind;
    uint32_t index;              /* in program->ops; for a move that a lowering inserted, the op it serves */
    uint32_t kernel_index;       /* GSIM_OP_KERNEL: into program->kernels */
    uint32_t arg_count;          /* kernel: its pointer arguments; other kinds: one argument, the buffer */
    uint32_t after_count;
    const struct gsim_arg *args; /* in the order of the author's signature; no buffer twice */
    const uint32_t *after;       /* indices of earlier ops this one must follow, beside the data dependences */
    /* Kernel: what it reads (writes) of an argument, sorted by ARG; an argument without segments that are read
     * (written) is read (written) whole. */
    union {
        const struct gsim_segment *segments;
        const char *what; /* GSIM_OP_HOST_COMPUTE: whose time it is (GSIM_HOST_... in timeline.h); NULL: not said */
    };
    uint64_t bytes;              /* copy, prefetch, host access: how much of the buffer */
    union {
        double host_us;          /* GSIM_OP_HOST_COMPUTE */
        double copy_us;          /* GSIM_OP_COPY: how long it takes, whatever the links; 0: the links say */
    };
    int32_t stream;              /* the author's own choice, followed by the scheduler async; -1: none */
    int32_t priority;            /* CUDA's: lower is more urgent; 0 default */
    uint16_t segment_count;
    uint16_t device;             /* the GPU that it is for, by number; of a GSIM_COPY_P2P where the data is */
    uint16_t to_device;          /* GSIM_COPY_P2P: where it goes */
    uint8_t copy_memory : 3;     /* GSIM_OP_COPY: enum gsim_copy_memory */
    uint8_t programmatic : 1; /* GSIM_OP_KERNEL: launched with programmatic stream serialization: it may begin when all
                                 blocks of the kernel that it follows have triggered, and waits for its end behind its
                                 prologue */
    bool overhead : 1;        /* GSIM_OP_HOST_COMPUTE: a framework's time between calls, which a captured graph saves */
    bool needed : 1;             /* the same: the host uses what it waited for, so that the wait stays */
    bool is_unknown : 1;         /* kernel: it may read and write anything on the device, beside its arguments */
    bool untimed : 1;            /* host write of the reset between iterations, outside the timed region */
};

struct gsim_program {
    const char *name;
    struct gsim_buffer *buffers;
    struct gsim_kernel *kernels; /* distinct (kernel, shape) pairs: equal launches share one entry */
    struct gsim_op *ops;
    uint32_t buffer_count, kernel_count, op_count;
    uint32_t iterations;         /* how often the ops are repeated */
    struct gsim_arena arena;     /* owns everything above */
};

void gsim_program_release(struct gsim_program *program);

/* Checks what no device decides: indices, sizes, finite numbers, grid and block within CUDA's limits, "after" pointing
 * backwards. GSIM_INPUT names the first offence. Every reader and generator calls it last. */
enum gsim_status gsim_program_check(const struct gsim_program *program, struct gsim_error *error) GSIM_NODISCARD;

/* Building, used by workloads/: each returns the new index, or UINT32_MAX when memory is out.
 * kernel: returns the index of an equal entry where there is one. Strings are copied. */
struct gsim_builder;
struct gsim_builder *gsim_builder_create(const char *program_name);
uint32_t gsim_builder_buffer(struct gsim_builder *builder, const char *name, uint64_t bytes,
                             enum gsim_buffer_init init);
/* Of a buffer already made: gsim_buffer.is_read_mostly. */
void gsim_builder_read_mostly(struct gsim_builder *builder, uint32_t buffer_index);
/* Of a buffer already made; 0 for an index that is none. */
uint64_t gsim_builder_buffer_bytes(const struct gsim_builder *builder, uint32_t buffer_index);
uint32_t gsim_builder_kernel(struct gsim_builder *builder, const struct gsim_kernel *kernel);
/* A collective, as a kernel whose shape the run resolves; it is copied. */
uint32_t gsim_builder_collective(struct gsim_builder *builder, const struct gsim_collective *collective);
/* OP's args, after and segments are copied; index is filled in. */
uint32_t gsim_builder_op(struct gsim_builder *builder, const struct gsim_op *op);
/* Moves everything into PROGRAM and frees the builder, also on failure. */
enum gsim_status gsim_builder_finish(struct gsim_builder *builder, uint32_t iterations, struct gsim_program *program,
                                     struct gsim_error *error) GSIM_NODISCARD;
void gsim_builder_destroy(struct gsim_builder *builder); /* accepts NULL */

/* Program files (schema gpusim-program/1; fields: workloads/README.md). PATH "-" is the standard input; gzip is
 * recognised by content. PROGRAM is written on success only. Errors (GSIM_INPUT) name the file, the line and column or
 * the place (ops[3].grid[0]), what was found and expected. */
enum gsim_status gsim_program_read(const char *path, struct gsim_program *program,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* Reads back to an equal program. PATH "-" is the standard output; a name that ends in ".gz" gives a gzip file. */
enum gsim_status gsim_program_write(const struct gsim_program *program, const char *path,
                                    struct gsim_error *error) GSIM_NODISCARD;

GSIM_DECLARATIONS_END
