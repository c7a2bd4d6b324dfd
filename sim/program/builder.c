/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds a program: growing lists, equal strings and equal kernels kept once, arguments and "after" lists packed. The
 * first failure is sticky; gsim_builder_finish() reports it, so generators need not check each call. Validity of a
 * program: sim/program/program.c.
 */
#include "sim/base/names.h"
#include "sim/base/slots.h"
#include "sim/program/check.h"
#include "sim/program/kernel.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "gpusim/program.h"

#define POOL_BYTES      (64u * 1024u)
#define LONG_LIST_BYTES (256u * 1024u)

#define GSIM_COLLECTIVE_NAME 160

/* Share of their work after which blocks trigger and wait for the other ranks. */
#define GSIM_COLLECTIVE_MARK 1e-6

/* --- collectives --- */
#define NAME_OF(id, name) name,
const char *const gsim_collective_names[GSIM_COLLECTIVE_COUNT + 1] = {GSIM_COLLECTIVE_KINDS(NAME_OF) NULL};
const char *const gsim_algorithm_names[] = {"auto", "ring", "tree", "nvls", "copy_engine", "custom", "one_shot",
                                          "two_shot", NULL};
const char *const gsim_protocol_names[] = {"auto", "ll", "ll128", "simple", NULL};

/* Of a group too long to be named: FNV-1a. */
static uint32_t hash_group(const struct gsim_collective *c)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < c->group_count; i++) hash = (hash ^ c->group[i]) * 16777619u;
    return hash;
}

/* Returns a kernel of one block; the run resolves its shape. NAME gets its name, the same for equal collectives. */
static struct gsim_kernel kernel_of(const struct gsim_collective *c, char name[GSIM_COLLECTIVE_NAME])
{
    int length = snprintf(name, GSIM_COLLECTIVE_NAME, "%s %" PRIu64, gsim_collective_names[c->kind], c->bytes);
    const size_t room = GSIM_COLLECTIVE_NAME;
    if (c->group_count && c->group_count <= 8) {
        for (uint32_t i = 0; i < c->group_count; i++)
            length += snprintf(name + length, room - (size_t)length, i ? ",%u" : " of %u", c->group[i]);
    } else if (c->group_count) {
        length += snprintf(name + length, room - (size_t)length, " of %u ranks %08x", c->group_count, hash_group(c));
    }
    if (c->channels) length += snprintf(name + length, room - (size_t)length, " x%u", c->channels);
    if (c->algorithm)
        length += snprintf(name + length, room - (size_t)length, " %s", gsim_algorithm_names[c->algorithm]);
    if (c->protocol) length += snprintf(name + length, room - (size_t)length, " %s", gsim_protocol_names[c->protocol]);
    if (c->communicator) snprintf(name + length, room - (size_t)length, " #%u", c->communicator);
    return (struct gsim_kernel){.name = name,
                                .grid = {1, 1, 1},
                                .block = {32, 1, 1},
                                .demand_given = true,
                                .collective = c,
                                .prologue = GSIM_COLLECTIVE_MARK,
                                .trigger = GSIM_COLLECTIVE_MARK};
}

/* Copies COLLECTIVE to ARENA. NULL: out of memory. */
static const struct gsim_collective *copy_collective(const struct gsim_collective *c, struct gsim_arena *arena)
{
    struct gsim_collective *copy = GSIM_ARENA_NEW(arena, struct gsim_collective);
    uint32_t *group = GSIM_ARENA_ARRAY(arena, uint32_t, c->group_count + 1);
    if (!copy || !group) return NULL;
    if (c->group_count) memcpy(group, c->group, sizeof *group * c->group_count);
    *copy = *c;
    copy->group = group;
    return copy;
}

struct gsim_builder {
    struct gsim_program program; /* arena and counts; the arrays are moved in by finish */
    struct gsim_buffer *buffers;
    struct gsim_kernel *kernels;
    struct gsim_op *ops;
    const char **names; /* of kernels and their devices, each once */
    size_t buffer_room, kernel_room, op_room, name_room;
    uint32_t name_count;
    struct gsim_slots kernel_slots;
    struct gsim_names name_slots;
    char *pool; /* the rest of a piece of the arena, for lists of 4-byte aligned elements */
    size_t pool_left;
    bool failed; /* out of memory, or more than an index can hold */
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull; /* 2^64 / golden ratio: Knuth's multiplicative hashing */
    return hash ^ (hash >> 29);
}

static uint64_t mix_number(uint64_t hash, double number)
{
    uint64_t bits;
    number += 0.0; /* -0 equals 0 */
    memcpy(&bits, &number, sizeof(bits));
    return mix(hash, bits);
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 1;
    for (; *text; text++) hash = mix(hash, (unsigned char)*text);
    return hash;
}

/* Names are interned, so that equal ones have equal addresses; the hash uses their text, so that the
 * table's layout is the same in every run. */
static uint64_t hash_kernel(const struct gsim_kernel *k, uint64_t name_hash)
{
    uint64_t hash = mix(name_hash, (uint64_t)k->grid.x << 32 | k->grid.y);
    hash = mix(hash, (uint64_t)k->grid.z << 32 | k->block.x);
    hash = mix(hash, (uint64_t)k->block.y << 32 | k->block.z);
#define REAL(name, ...)  hash = mix_number(hash, k->name);
#define COUNT(name, ...) hash = mix(hash, k->name);
    GSIM_KERNEL_FIELDS(REAL, COUNT, COUNT, GSIM_KERNEL_FIELD_NONE)
    for (int i = 0; i < GSIM_PIPE_COUNT && k->pipes_given; i++) hash = mix_number(hash, k->pipes[i]);
    hash = mix(hash, k->tile_order);
    hash = mix(hash, (uint64_t)k->cluster.x << 32 | k->cluster.y << 16 | k->cluster.z);
    return mix(hash, k->demand_given);
}

static bool equal_dim(struct gsim_dim3 a, struct gsim_dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool equal_kernel(const struct gsim_kernel *a, const struct gsim_kernel *b)
{
    bool equal = a->name == b->name && a->solo_device == b->solo_device && equal_dim(a->grid, b->grid) &&
                 equal_dim(a->block, b->block) && equal_dim(a->cluster, b->cluster) &&
                 a->tile_order == b->tile_order && a->demand_given == b->demand_given &&
                 a->pipes_given == b->pipes_given;
#define EQUAL(name, ...) equal = equal && a->name == b->name;
    GSIM_KERNEL_FIELDS(EQUAL, EQUAL, EQUAL, GSIM_KERNEL_FIELD_NONE)
    for (int i = 0; i < GSIM_PIPE_COUNT && equal && a->pipes_given; i++) equal = a->pipes[i] == b->pipes[i];
    return equal;
}

uint64_t gsim_kernel_hash(const struct gsim_kernel *kernel) { return hash_kernel(kernel, hash_text(kernel->name)); }

bool gsim_kernel_is_same(const struct gsim_kernel *a, const struct gsim_kernel *b)
{
    struct gsim_kernel c = *b;
    if (strcmp(a->name, b->name) != 0 || !a->solo_device != !b->solo_device ||
        (a->solo_device && strcmp(a->solo_device, b->solo_device) != 0))
        return false;
    c.name = a->name;
    c.solo_device = a->solo_device;
    return equal_kernel(a, &c);
}

static bool is_kernel(const void *kernels, uint32_t index, const void *key)
{
    return equal_kernel(&((const struct gsim_kernel *)kernels)[index], key);
}

static uint32_t fail(struct gsim_builder *builder)
{
    builder->failed = true;
    return UINT32_MAX;
}

/* Room for one more element of a list whose indices stay below UINT32_MAX. */
static bool grow(void *array, size_t element_size, uint32_t count, size_t *room)
{
    return count < UINT32_MAX - 1 && gsim_array_grow(array, element_size, count, room) == 0;
}

static const char *intern(struct gsim_builder *builder, const char *text)
{
    uint32_t found = gsim_names_find(&builder->name_slots, text);
    if (found != GSIM_NAME_NONE) return builder->names[found];
    if (!grow(&builder->names, sizeof(char *), builder->name_count, &builder->name_room)) return NULL;
    char *copy = gsim_arena_strdup(&builder->program.arena, text);
    if (!copy || gsim_names_add(&builder->name_slots, copy, builder->name_count, NULL)) return NULL;
    builder->names[builder->name_count++] = copy;
    return copy;
}

struct gsim_builder *gsim_builder_create(const char *program_name)
{
    struct gsim_builder *builder = gsim_alloc(sizeof(*builder));
    if (!builder) return NULL;
    builder->program.name = gsim_arena_strdup(&builder->program.arena, program_name);
    if (!builder->program.name) {
        gsim_builder_destroy(builder);
        return NULL;
    }
    return builder;
}

uint32_t gsim_builder_buffer(struct gsim_builder *builder, const char *name, uint64_t bytes, enum gsim_buffer_init init)
{
    uint32_t index = builder->program.buffer_count;
    if (!grow(&builder->buffers, sizeof(struct gsim_buffer), index, &builder->buffer_room)) return fail(builder);
    const char *copy = gsim_arena_strdup(&builder->program.arena, name);
    if (!copy) return fail(builder);
    builder->buffers[index] = (struct gsim_buffer){.name = copy, .bytes = bytes, .init = init};
    builder->program.buffer_count++;
    return index;
}

void gsim_builder_read_mostly(struct gsim_builder *builder, uint32_t buffer_index)
{
    if (buffer_index < builder->program.buffer_count) builder->buffers[buffer_index].is_read_mostly = true;
}

uint64_t gsim_builder_buffer_bytes(const struct gsim_builder *builder, uint32_t buffer_index)
{
    return buffer_index < builder->program.buffer_count ? builder->buffers[buffer_index].bytes : 0;
}

uint32_t gsim_builder_kernel(struct gsim_builder *builder, const struct gsim_kernel *kernel)
{
    struct gsim_kernel wanted = *kernel;
    wanted.demand_given = kernel->demand_given || kernel->flops > 0 || kernel->dram_bytes > 0;
    wanted.name = intern(builder, kernel->name);
    wanted.solo_device = kernel->solo_device ? intern(builder, kernel->solo_device) : NULL;
    if (!wanted.name || (kernel->solo_device && !wanted.solo_device)) return fail(builder);
    uint64_t hash = hash_kernel(&wanted, hash_text(wanted.name));
    uint32_t found = gsim_slots_find(&builder->kernel_slots, hash, is_kernel, builder->kernels, &wanted);
    if (found != GSIM_SLOT_NONE) return found;
    uint32_t index = builder->program.kernel_count;
    if (!grow(&builder->kernels, sizeof(wanted), index, &builder->kernel_room)) return fail(builder);
    if (wanted.collective && !(wanted.collective = copy_collective(wanted.collective, &builder->program.arena)))
        return fail(builder);
    if (!gsim_slots_add(&builder->kernel_slots, hash, index)) return fail(builder);
    builder->kernels[index] = wanted;
    return builder->program.kernel_count++;
}

uint32_t gsim_builder_collective(struct gsim_builder *builder, const struct gsim_collective *collective)
{
    char name[GSIM_COLLECTIVE_NAME];
    struct gsim_kernel kernel = kernel_of(collective, name);
    return gsim_builder_kernel(builder, &kernel);
}

/* A copy of BYTES bytes whose elements need an alignment of four. */
static const void *pack(struct gsim_builder *builder, const void *list, size_t bytes)
{
    _Static_assert(_Alignof(struct gsim_arg) <= 4 && sizeof(struct gsim_arg) % 4 == 0, "arguments pack by fours");
    if (bytes > POOL_BYTES / 4) {
        void *own = gsim_arena_alloc(&builder->program.arena, bytes);
        return own ? memcpy(own, list, bytes) : NULL;
    }
    if (bytes > builder->pool_left) {
        char *pool = gsim_arena_alloc(&builder->program.arena, POOL_BYTES);
        if (!pool) return NULL;
        builder->pool = pool;
        builder->pool_left = POOL_BYTES;
    }
    void *place = memcpy(builder->pool, list, bytes);
    builder->pool += bytes;
    builder->pool_left -= bytes;
    return place;
}

uint32_t gsim_builder_op(struct gsim_builder *builder, const struct gsim_op *op)
{
    uint32_t index = builder->program.op_count;
    if (!grow(&builder->ops, sizeof(struct gsim_op), index, &builder->op_room)) return fail(builder);
    struct gsim_op copy = *op;
    copy.index = index;
    copy.args = NULL;
    copy.after = NULL;
    copy.segments = NULL;
    if (op->kind == GSIM_OP_HOST_COMPUTE && op->what && !(copy.what = intern(builder, op->what))) return fail(builder);
    if (op->arg_count && !(copy.args = pack(builder, op->args, sizeof(*op->args) * op->arg_count)))
        return fail(builder);
    if (op->after_count && !(copy.after = pack(builder, op->after, sizeof(*op->after) * op->after_count)))
        return fail(builder);
    if (op->segment_count) {
        size_t bytes = sizeof(*op->segments) * op->segment_count;
        struct gsim_segment *segments = gsim_arena_alloc(&builder->program.arena, bytes);
        if (!segments) return fail(builder);
        copy.segments = memcpy(segments, op->segments, bytes);
    }
    builder->ops[index] = copy;
    builder->program.op_count++;
    return index;
}

/* Into the arena: a short list is copied, a long one cut to its length and taken over, *ARRAY then being NULL. */
static void *keep(struct gsim_builder *builder, void **array, size_t element_size, uint32_t count)
{
    struct gsim_arena *arena = &builder->program.arena;
    size_t size = element_size * count;
    if (!count) return NULL;
    if (size > LONG_LIST_BYTES) {
        void *cut = gsim_realloc(*array, size);
        if (cut) *array = cut;
        if (!cut || gsim_arena_adopt(arena, cut, size) != 0) {
            arena->failed = 1;
            return NULL;
        }
        *array = NULL;
        return cut;
    }
    void *kept = gsim_arena_alloc(arena, size);
    if (kept) memcpy(kept, *array, size);
    return kept;
}

enum gsim_status gsim_builder_finish(struct gsim_builder *builder, uint32_t iterations, struct gsim_program *program,
                                     struct gsim_error *error)
{
    if (!builder) return gsim_no_memory(error);
    struct gsim_program *made = &builder->program;
    made->iterations = iterations;
    void *buffers = builder->buffers, *kernels = builder->kernels, *ops = builder->ops;
    made->buffers = keep(builder, &buffers, sizeof(*made->buffers), made->buffer_count);
    made->kernels = keep(builder, &kernels, sizeof(*made->kernels), made->kernel_count);
    made->ops = keep(builder, &ops, sizeof(*made->ops), made->op_count);
    builder->buffers = buffers;
    builder->kernels = kernels;
    builder->ops = ops;
    enum gsim_status status;
    if (builder->failed || made->arena.failed) status = gsim_no_memory(error);
    else status = gsim_program_check(made, error);
    if (status == GSIM_OK) {
        *program = *made;
        *made = (struct gsim_program){0};
    }
    gsim_builder_destroy(builder);
    return status;
}

void gsim_builder_destroy(struct gsim_builder *builder)
{
    if (!builder) return;
    gsim_program_release(&builder->program);
    gsim_free(builder->buffers);
    gsim_free(builder->kernels);
    gsim_free(builder->ops);
    gsim_free(builder->names);
    gsim_slots_release(&builder->kernel_slots);
    gsim_names_release(&builder->name_slots);
    gsim_free(builder);
}
