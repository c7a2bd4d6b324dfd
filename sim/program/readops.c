/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ops of a program file: which fields each kind has, argument lists, launch shapes, overrides.
 */
#include "sim/program/readops.h"

/* X(id, name, kinds that have it: K kernel, C copy, P prefetch, W host_write, R host_read, H host_compute, S
 * synchronize) */
/* clang-format off */
#define OP_FIELDS(X)                                                                                      \
    X(OP_OP, "op", "KCPWRHSL") X(OP_KERNEL, "kernel", "K") X(OP_GRID, "grid", "K") X(OP_BLOCK, "block", "K") \
    X(OP_READS, "reads", "KL") X(OP_WRITES, "writes", "KL") X(OP_STREAM, "stream", "KCPWRHSL")               \
    X(OP_AFTER, "after", "KCPWRHL") X(OP_PRIORITY, "priority", "KCPWRHL") X(OP_ARGS, "args", "K")            \
    X(OP_NON_CONST, "non_const", "K") X(OP_KIND, "kind", "CL") X(OP_BUFFER, "buffer", "CPWR")               \
    X(OP_BYTES, "bytes", "CPWRL") X(OP_US, "us", "CHS") X(OP_MEMORY, "memory", "C") X(OP_OVERHEAD, "overhead", "H") \
    X(OP_NEEDED, "needed", "H") X(OP_WHAT, "what", "H") \
    X(OP_UNTIMED, "untimed", "W") X(OP_DEVICE, "device", "KCP") X(OP_TO, "to", "C") \
    X(OP_UNKNOWN, "unknown", "K") X(OP_PROGRAMMATIC, "programmatic", "K") X(OP_GROUP, "group", "L") \
    X(OP_CHANNELS, "channels", "L") X(OP_ALGORITHM, "algorithm", "L") X(OP_PROTOCOL, "protocol", "L") \
    X(OP_COMMUNICATOR, "communicator", "L")
/* clang-format on */
#define OP_ID(id, name, kinds)    id,
#define OP_NAME(id, name, kinds)  name,
#define OP_KINDS(id, name, kinds) kinds,
enum { OP_FIELDS(OP_ID) OP_WORK, OP_FIELD_COUNT = OP_WORK + GSIM_KERNEL_FIELD_COUNT };
static const char *const op_names[] = {OP_FIELDS(OP_NAME) GSIM_KERNEL_FIELDS_AS(GSIM_KERNEL_FIELD_NAME) NULL};
static const char *const op_kinds[OP_WORK] = {OP_FIELDS(OP_KINDS)};

/* enum gsim_op_kind, then synchronize, which becomes a GSIM_OP_HOST_COMPUTE, and collective, a GSIM_OP_KERNEL */
static const char kind_letters[] = "KCPWRHSL";
_Static_assert(sizeof kind_letters == GSIM_READER_KINDS + 1 && OP_FIELD_COUNT <= GSIM_FIELDS_MAX,
               "what the reader keeps of kinds and fields");
#define SYNCHRONIZE (GSIM_OP_HOST_COMPUTE + 1)
#define COLLECTIVE (GSIM_OP_HOST_COMPUTE + 2)
static const char *const kind_names[] = {"kernel",       "copy",        "prefetch",   "host_write", "host_read",
                                         "host_compute", "synchronize", "collective", NULL};
static const char *const memory_names[] = {"run", "pinned", "pageable", NULL}; /* enum gsim_copy_memory */
static const char *const copy_names[] = {"h2d", "d2h", "d2d", "p2p", NULL}; /* enum gsim_copy_kind */

/* A flag, unless something has failed before; false where it is absent. */
static bool read_flag(struct gsim_fields *fields, int field, enum gsim_status *status)
{
    bool flag = false;
    if (!*status) *status = gsim_fields_bool(fields, field, &flag);
    return flag;
}

static enum gsim_status read_shapes(struct gsim_fields *fields, struct gsim_kernel *kernel)
{
    static const double grid_maximum[] = {GSIM_LIMIT_GRID_X, GSIM_LIMIT_GRID_YZ, GSIM_LIMIT_GRID_YZ};
    static const double block_maximum[] = {GSIM_LIMIT_BLOCK_XY, GSIM_LIMIT_BLOCK_XY, GSIM_LIMIT_BLOCK_Z};
    enum gsim_status status = gsim_reader_shape(fields, OP_GRID, grid_maximum, &kernel->grid);
    if (status == GSIM_OK) status = gsim_reader_shape(fields, OP_BLOCK, block_maximum, &kernel->block);
    if (status != GSIM_OK) return status;
    uint32_t threads = kernel->block.x * kernel->block.y * kernel->block.z;
    fields->place.has_element = false;
    if (threads > GSIM_LIMIT_BLOCK_THREADS)
        return gsim_fields_error(fields, "expected at most %u threads in a block, found %u", GSIM_LIMIT_BLOCK_THREADS,
                                 threads);
    return GSIM_OK;
}

/* The buffer named at *VALUE; *VALUE becomes what lies behind. */
static enum gsim_status read_buffer_at(struct gsim_reader *reader, const struct gsim_fields *fields, const char **value,
                                       uint32_t *buffer)
{
    char name[GSIM_NAME_ROOM];
    enum gsim_status status = gsim_fields_name_at(fields, *value, name);
    if (status != GSIM_OK) return status;
    *value = gsim_scan_skip(*value);
    *buffer = gsim_names_find(&reader->buffer_names, name);
    if (*buffer == GSIM_NAME_NONE)
        return gsim_fields_error(fields, "expected the name of a buffer, found \"%s\"", name);
    return GSIM_OK;
}

enum { SEGMENT_BUFFER, SEGMENT_OFFSET, SEGMENT_BYTES, SEGMENT_FIELD_COUNT };
static const char *const segment_names[] = {"buffer", "offset", "bytes", NULL};

/* What a list has of a buffer's bytes. Its arg is the buffer until the arguments' order is known. */
static enum gsim_status read_segment(struct gsim_reader *reader, const struct gsim_fields *fields, const char **value,
                                     bool writes, uint32_t *buffer)
{
    const char *values[SEGMENT_FIELD_COUNT];
    struct gsim_fields own = {.place = fields->place, .names = segment_names, .values = values, .error = fields->error};
    double offset = 0, bytes = 0;
    if (reader->segment_count == GSIM_LIMIT_SEGMENTS)
        return gsim_fields_error(fields, "expected at most %u segments", GSIM_LIMIT_SEGMENTS);
    enum gsim_status status = gsim_fields_read(&own, *value, value);
    if (status == GSIM_OK) status = gsim_fields_require(&own, SEGMENT_BUFFER);
    if (status != GSIM_OK) return status;
    const char *name = values[SEGMENT_BUFFER];
    status = read_buffer_at(reader, &own, &name, buffer);
    double whole = status == GSIM_OK ? (double)reader->buffers[*buffer].bytes : 0;
    if (status == GSIM_OK) status = gsim_fields_integer(&own, SEGMENT_OFFSET, 0, whole - 1, &offset);
    bytes = whole - offset;
    if (status == GSIM_OK) status = gsim_fields_integer(&own, SEGMENT_BYTES, 1, whole - offset, &bytes);
    if (status != GSIM_OK) return status;
    return GSIM_ADD(reader->error, reader->segments, reader->segment_count, reader->segment_room,
                    (struct gsim_segment){gsim_whole_u64(offset), gsim_whole_u64(bytes), *buffer, !writes, writes});
}

/* Among the first COUNT segments of the op are some of the buffer that are read, or written. */
static bool has_segments(const struct gsim_reader *reader, uint32_t count, uint32_t buffer, bool writes)
{
    for (uint32_t s = 0; s < count; s++)
        if (reader->segments[s].arg == buffer && reader->segments[s].writes == writes) return true;
    return false;
}

/* By argument, in the order of the file. */
static void sort_segments(struct gsim_reader *reader)
{
    for (uint32_t i = 0; i < reader->segment_count; i++) {
        struct gsim_segment segment = reader->segments[i];
        uint32_t at = i;
        segment.arg = reader->buffers[segment.arg].position;
        for (; at > 0 && reader->segments[at - 1].arg > segment.arg; at--)
            reader->segments[at] = reader->segments[at - 1];
        reader->segments[at] = segment;
    }
}

static bool is_arg(const struct gsim_reader *reader, uint32_t buffer, uint32_t op)
{
    return reader->buffers[buffer].last_op == op + 1;
}

/* IS_MORE: another part of what is in the list already. */
static enum gsim_status add_arg(struct gsim_reader *reader, const struct gsim_fields *fields, uint32_t buffer,
                                bool writes, bool is_more)
{
    struct gsim_reader_buffer *named = &reader->buffers[buffer];
    uint32_t op = fields->place.index;
    if (is_arg(reader, buffer, op)) {
        struct gsim_arg *arg = &reader->args[named->position];
        if (is_more) return GSIM_OK;
        if (arg->writes == writes) return gsim_fields_error(fields, "the buffer \"%s\" is listed twice", named->name);
        arg->writes = true;
        arg->declared_const = false;
        return GSIM_OK;
    }
    if (reader->arg_count == GSIM_LIMIT_ARGS)
        return gsim_fields_error(fields, "expected at most %u buffers", GSIM_LIMIT_ARGS);
    if (gsim_array_grow(&reader->args, sizeof(*reader->args), reader->arg_count, &reader->arg_room))
        return gsim_no_memory(reader->error);
    named->last_op = op + 1;
    named->position = reader->arg_count;
    reader->args[reader->arg_count++] =
        (struct gsim_arg){.buffer_index = buffer, .reads = !writes, .writes = writes, .declared_const = !writes};
    return GSIM_OK;
}

static enum gsim_status read_accesses(struct gsim_reader *reader, struct gsim_fields *fields, int field)
{
    if (!fields->values[field]) return GSIM_OK;
    const char *at = NULL;
    for (;;) {
        enum gsim_status status = gsim_fields_element(fields, field, &at);
        if (status != GSIM_OK || !at) return status;
        uint32_t buffer = 0, before = reader->segment_count;
        bool is_segment = *at == '{', writes = field == OP_WRITES;
        if (is_segment) status = read_segment(reader, fields, &at, writes, &buffer);
        else status = read_buffer_at(reader, fields, &at, &buffer);
        if (status != GSIM_OK) return status;
        status = add_arg(reader, fields, buffer, writes, is_segment && has_segments(reader, before, buffer, writes));
        if (status != GSIM_OK) return status;
    }
}

/* "args": the same buffers in the order of the author's signature. A buffer that was placed has its position
 * in ORDERED in the upper half. */
static enum gsim_status read_order(struct gsim_reader *reader, struct gsim_fields *fields)
{
    const uint32_t placed = UINT32_C(1) << 31;
    if (!fields->values[OP_ARGS]) return GSIM_OK;
    const char *at = NULL;
    uint32_t count = 0;
    for (;;) {
        enum gsim_status status = gsim_fields_element(fields, OP_ARGS, &at);
        if (status != GSIM_OK) return status;
        if (!at) break;
        uint32_t buffer = 0;
        status = read_buffer_at(reader, fields, &at, &buffer);
        if (status != GSIM_OK) return status;
        struct gsim_reader_buffer *named = &reader->buffers[buffer];
        if (!is_arg(reader, buffer, fields->place.index))
            return gsim_fields_error(fields, "expected a buffer of reads or writes, found \"%s\"", named->name);
        if (named->position & placed)
            return gsim_fields_error(fields, "the buffer \"%s\" is listed twice", named->name);
        if (gsim_array_grow(&reader->ordered, sizeof(*reader->ordered), count, &reader->ordered_room))
            return gsim_no_memory(reader->error);
        reader->ordered[count] = reader->args[named->position];
        named->position = placed | count++;
    }
    fields->place.has_element = false;
    if (count != reader->arg_count)
        return gsim_fields_error(fields, "expected all %u buffers of reads and writes, found %u", reader->arg_count,
                                 count);
    for (uint32_t i = 0; i < count; i++) {
        reader->args[i] = reader->ordered[i];
        reader->buffers[reader->args[i].buffer_index].position = i;
    }
    return GSIM_OK;
}

static enum gsim_status read_non_const(struct gsim_reader *reader, struct gsim_fields *fields)
{
    if (!fields->values[OP_NON_CONST]) return GSIM_OK;
    const char *at = NULL;
    for (;;) {
        enum gsim_status status = gsim_fields_element(fields, OP_NON_CONST, &at);
        if (status != GSIM_OK || !at) return status;
        uint32_t buffer = 0;
        status = read_buffer_at(reader, fields, &at, &buffer);
        if (status != GSIM_OK) return status;
        struct gsim_reader_buffer *named = &reader->buffers[buffer];
        if (!is_arg(reader, buffer, fields->place.index) || !reader->args[named->position].declared_const)
            return gsim_fields_error(fields, "expected a buffer that the op only reads, once, found \"%s\"",
                                     named->name);
        reader->args[named->position].declared_const = false;
    }
}

static enum gsim_status read_after(struct gsim_reader *reader, struct gsim_fields *fields)
{
    if (!fields->values[OP_AFTER]) return GSIM_OK;
    const char *at = NULL;
    for (;;) {
        enum gsim_status status = gsim_fields_element(fields, OP_AFTER, &at);
        if (status != GSIM_OK || !at) return status;
        double number = 0, limit = fields->place.index;
        if (limit == 0) return gsim_fields_unexpected(fields, at, "nothing, as there is no earlier op");
        status = gsim_fields_integer_at(fields, at, 0, UINT32_MAX, &number);
        if (status != GSIM_OK) return status;
        if (number >= limit)
            return gsim_fields_error(fields, "expected the index of an earlier op (0 to %.0f), found %.0f", limit - 1,
                                     number);
        if (!GSIM_APPEND(reader->after, reader->after_count, reader->after_room, gsim_whole_u32(number)))
            return gsim_no_memory(reader->error);
        at = gsim_scan_skip(at);
    }
}

/* Whether two names or two lists of numbers are written alike. */
static bool is_written_alike(const char *a, const char *b)
{
    char last = *a == '[' ? ']' : '"';
    if (*a != *b || (*a != '[' && *a != '"')) return false;
    for (size_t i = 1; a[i] == b[i]; i++) {
        if (a[i] == last) return true;
        if (a[i] == '\\' || a[i] == '[' || !a[i]) return false;
    }
    return false;
}

/* Where the launch's name and shape stand, when it has no work of its own: a file repeats few of them. */
static struct gsim_reader_launch *find_launch(struct gsim_reader *reader, const struct gsim_fields *fields,
                                              bool *is_known)
{
    const char *kernel = fields->values[OP_KERNEL], *grid = fields->values[OP_GRID], *block = fields->values[OP_BLOCK];
    *is_known = false;
    if (!kernel || !grid || !block || gsim_reader_has_work(fields, OP_WORK)) return NULL;
    uint32_t hash = 0;
    for (size_t i = 1; kernel[i] && kernel[i] != '"' && i < 64; i++) hash = hash * 31 + (unsigned char)kernel[i];
    for (size_t i = 1; grid[i] && grid[i] != ']' && i < 64; i++) hash = hash * 31 + (unsigned char)grid[i];
    struct gsim_reader_launch *launch = &reader->launches[hash % GSIM_READER_LAUNCHES];
    *is_known = launch->kernel && is_written_alike(launch->kernel, kernel) && is_written_alike(launch->grid, grid) &&
                is_written_alike(launch->block, block);
    if (!*is_known) *launch = (struct gsim_reader_launch){.grid = grid, .block = block};
    return launch;
}

/* The launch's kernel, which the builder keeps once. */
static enum gsim_status read_kernel(struct gsim_reader *reader, struct gsim_fields *fields, uint32_t *kernel_index)
{
    char name[GSIM_NAME_ROOM];
    bool is_known;
    struct gsim_reader_launch *launch = find_launch(reader, fields, &is_known);
    if (is_known) {
        *kernel_index = launch->index;
        return GSIM_OK;
    }
    enum gsim_status status = gsim_fields_name(fields, OP_KERNEL, name);
    if (status != GSIM_OK) return status;
    uint32_t index = gsim_names_find(&reader->kernel_names, name);
    if (index == GSIM_NAME_NONE) return gsim_fields_error(fields, "expected the name of a kernel, found \"%s\"", name);
    struct gsim_kernel kernel = reader->kernels[index];
    status = read_shapes(fields, &kernel);
    if (status == GSIM_OK) status = gsim_reader_work(reader, fields, OP_WORK, &kernel);
    if (status != GSIM_OK) return status;
    *kernel_index = gsim_builder_kernel(reader->builder, &kernel);
    if (launch) launch->kernel = fields->values[OP_KERNEL];
    if (launch) launch->index = *kernel_index;
    return GSIM_OK;
}

static enum gsim_status read_launch(struct gsim_reader *reader, struct gsim_fields *fields, struct gsim_op *op)
{
    enum gsim_status status = read_kernel(reader, fields, &op->kernel_index);
    if (status == GSIM_OK) status = read_accesses(reader, fields, OP_READS);
    if (status == GSIM_OK) status = read_accesses(reader, fields, OP_WRITES);
    if (status == GSIM_OK) status = read_order(reader, fields);
    if (status == GSIM_OK) status = read_non_const(reader, fields);
    op->programmatic = read_flag(fields, OP_PROGRAMMATIC, &status);
    op->is_unknown = read_flag(fields, OP_UNKNOWN, &status);
    if (status == GSIM_OK) sort_segments(reader);
    return status;
}

/* The ranks of a collective, none of them twice, in the communicator's order. */
static enum gsim_status read_group(struct gsim_reader *reader, struct gsim_fields *fields,
                                   struct gsim_collective *collective)
{
    const char *at = NULL;
    if (!fields->values[OP_GROUP]) return GSIM_OK;
    for (;;) {
        double rank = 0;
        enum gsim_status status = gsim_fields_element(fields, OP_GROUP, &at);
        if (status == GSIM_OK && at) status = gsim_fields_integer_at(fields, at, 0, GSIM_LIMIT_RANKS - 1, &rank);
        if (status != GSIM_OK) return status;
        if (!at) break;
        if (gsim_array_grow(&reader->group, sizeof *reader->group, collective->group_count,
                            &reader->group_room))
            return gsim_no_memory(reader->error);
        for (uint32_t i = 0; i < collective->group_count; i++)
            if (reader->group[i] == gsim_whole_u32(rank))
                return gsim_fields_error(fields, "rank %.0f is listed twice", rank);
        reader->group[collective->group_count++] = gsim_whole_u32(rank);
        at = gsim_scan_skip(at);
    }
    fields->place.has_element = false;
    bool is_pair = gsim_collective_is_pair(collective->kind);
    if (!collective->group_count || (is_pair && collective->group_count != 2))
        return gsim_fields_error(fields, "expected %s, found %u", is_pair ? "two ranks" : "a rank or more",
                                 collective->group_count);
    collective->group = reader->group;
    return GSIM_OK;
}

static enum gsim_status read_collective(struct gsim_reader *reader, struct gsim_fields *fields, struct gsim_op *op)
{
    struct gsim_collective collective = {0};
    int kind = -1, algorithm = 0, protocol = 0;
    double bytes = 0;
    enum gsim_status status = gsim_fields_choice(fields, OP_KIND, gsim_collective_names, &kind);
    if (status == GSIM_OK) status = gsim_fields_require(fields, OP_BYTES);
    if (status == GSIM_OK) status = gsim_fields_integer(fields, OP_BYTES, 1, GSIM_LIMIT_BYTES, &bytes);
    if (status == GSIM_OK) status = gsim_fields_choice(fields, OP_ALGORITHM, gsim_algorithm_names, &algorithm);
    if (status == GSIM_OK) status = gsim_fields_choice(fields, OP_PROTOCOL, gsim_protocol_names, &protocol);
    if (status == GSIM_OK) status = gsim_reader_count(fields, OP_CHANNELS, GSIM_LIMIT_CHANNELS, &collective.channels);
    if (status == GSIM_OK)
        status = gsim_reader_count(fields, OP_COMMUNICATOR, GSIM_LIMIT_RANKS, &collective.communicator);
    if (status != GSIM_OK) return status;
    collective.kind = (enum gsim_collective_kind)kind;
    collective.algorithm = (enum gsim_collective_algorithm)algorithm;
    collective.protocol = (enum gsim_collective_protocol)protocol;
    collective.bytes = gsim_whole_u64(bytes);
    status = read_group(reader, fields, &collective);
    if (status == GSIM_OK) status = read_accesses(reader, fields, OP_READS);
    if (status == GSIM_OK) status = read_accesses(reader, fields, OP_WRITES);
    if (status == GSIM_OK) sort_segments(reader);
    if (status == GSIM_OK) op->kernel_index = gsim_builder_collective(reader->builder, &collective);
    return status;
}

static enum gsim_status read_device(struct gsim_fields *fields, int field, uint16_t *device)
{
    uint32_t number = *device;
    enum gsim_status status = gsim_reader_count(fields, field, GSIM_LIMIT_GPUS - 1, &number);
    *device = (uint16_t)number;
    return status;
}

/* Where a copy between GPUs goes. */
static enum gsim_status read_peer(struct gsim_fields *fields, struct gsim_op *op)
{
    if (op->copy_kind == GSIM_COPY_P2P) {
        enum gsim_status status = gsim_fields_require(fields, OP_TO);
        return status == GSIM_OK ? read_device(fields, OP_TO, &op->to_device) : status;
    }
    if (!fields->values[OP_TO]) return GSIM_OK;
    fields->place.field = op_names[OP_TO];
    fields->place.has_element = false;
    return gsim_fields_error(fields, "a copy \"%s\" has no such field", copy_names[op->copy_kind]);
}

/* The one buffer of a copy, prefetch or host access, and how much of it. */
static enum gsim_status read_access(struct gsim_reader *reader, struct gsim_fields *fields, struct gsim_op *op)
{
    int copy_kind = GSIM_COPY_H2D;
    enum gsim_status status = GSIM_OK;
    if (op->kind == GSIM_OP_COPY) {
        copy_kind = -1;
        status = gsim_fields_choice(fields, OP_KIND, copy_names, &copy_kind);
        op->copy_kind = (enum gsim_copy_kind)copy_kind;
        if (status == GSIM_OK) status = read_peer(fields, op);
    }
    if (status == GSIM_OK) status = gsim_fields_require(fields, OP_BUFFER);
    if (status != GSIM_OK) return status;
    const char *value = fields->values[OP_BUFFER];
    uint32_t buffer = 0;
    status = read_buffer_at(reader, fields, &value, &buffer);
    if (status != GSIM_OK) return status;
    bool reads = op->kind == GSIM_OP_HOST_READ || (op->kind == GSIM_OP_COPY && copy_kind != GSIM_COPY_H2D);
    bool writes = op->kind != GSIM_OP_HOST_READ && (op->kind != GSIM_OP_COPY || copy_kind != GSIM_COPY_D2H);
    status = add_arg(reader, fields, buffer, !reads, false);
    if (status != GSIM_OK) return status;
    reader->args[0].writes = writes;
    reader->args[0].declared_const = !writes;
    double bytes = (double)reader->buffers[buffer].bytes, maximum = bytes;
    status = gsim_fields_integer(fields, OP_BYTES, 1, maximum, &bytes);
    op->bytes = gsim_whole_u64(bytes);
    int memory = GSIM_COPY_MEMORY_OF_RUN;
    if (status == GSIM_OK && op->kind == GSIM_OP_COPY)
        status = gsim_fields_choice(fields, OP_MEMORY, memory_names, &memory);
    op->copy_memory = (uint8_t)memory;
    if (status == GSIM_OK && op->kind == GSIM_OP_COPY)
        status = gsim_fields_real(fields, OP_US, GSIM_LIMIT_US, &op->copy_us);
    op->untimed = read_flag(fields, OP_UNTIMED, &status);
    return status;
}

static uint64_t find_allowed(int kind)
{
    uint64_t allowed = 0;
    for (int i = 0; i < OP_FIELD_COUNT; i++)
        allowed |= (uint64_t)(strchr(i < OP_WORK ? op_kinds[i] : "K", kind_letters[kind]) != NULL) << i;
    return allowed;
}

static enum gsim_status check_kind(struct gsim_reader *reader, struct gsim_fields *fields, int kind)
{
    uint64_t *allowed = &reader->allowed[kind];
    if (!*allowed) *allowed = find_allowed(kind);
    if (!(fields->given & ~*allowed)) return GSIM_OK;
    fields->place.field = op_names[__builtin_ctzll(fields->given & ~*allowed)];
    fields->place.has_element = false;
    return gsim_fields_error(fields, "a \"%s\" has no such field", kind_names[kind]);
}

static enum gsim_status read_common(struct gsim_reader *reader, struct gsim_fields *fields, struct gsim_op *op)
{
    double stream = -1, priority = 0;
    enum gsim_status status = gsim_fields_integer(fields, OP_STREAM, 0, GSIM_LIMIT_STREAM, &stream);
    if (status == GSIM_OK)
        status = gsim_fields_integer(fields, OP_PRIORITY, -GSIM_LIMIT_PRIORITY, GSIM_LIMIT_PRIORITY, &priority);
    op->stream = gsim_whole_int(stream);
    op->priority = gsim_whole_int(priority);
    if (status == GSIM_OK) status = read_device(fields, OP_DEVICE, &op->device);
    return status == GSIM_OK ? read_after(reader, fields) : status;
}

static bool is_on_device(const struct gsim_op *op)
{
    return op->kind == GSIM_OP_KERNEL || op->kind == GSIM_OP_COPY || op->kind == GSIM_OP_PREFETCH;
}

static enum gsim_status add_pending(struct gsim_reader *reader, const struct gsim_op *op, uint32_t index)
{
    return GSIM_ADD(reader->error, reader->pending, reader->pending_count, reader->pending_room,
                    (struct gsim_reader_pending){index, op->stream, op->device});
}

/* A program without buffers says nothing of data: what it does not list otherwise follows its stream's last op. */
static enum gsim_status follow_stream(struct gsim_reader *reader, const struct gsim_op *op)
{
    size_t i = reader->pending_count;
    while (i && (reader->pending[i - 1].stream != op->stream || reader->pending[i - 1].device != op->device)) i--;
    if (!i) return GSIM_OK;
    return GSIM_ADD(reader->error, reader->after, reader->after_count, reader->after_room, reader->pending[i - 1].op);
}

/* The host waits for what was issued before, to the one stream or to all, and then takes "us": as a host_compute after
 * all that. */
static enum gsim_status read_synchronize(struct gsim_reader *reader, struct gsim_fields *fields, struct gsim_op *op)
{
    size_t left = 0;
    for (size_t i = 0; i < reader->pending_count; i++) {
        struct gsim_reader_pending pending = reader->pending[i];
        if (op->stream >= 0 && pending.stream != op->stream) {
            reader->pending[left++] = pending;
            continue;
        }
        if (!GSIM_APPEND(reader->after, reader->after_count, reader->after_room, pending.op))
            return gsim_no_memory(reader->error);
    }
    reader->pending_count = left;
    op->stream = -1;
    return gsim_fields_real(fields, OP_US, GSIM_LIMIT_US, &op->host_us);
}

enum gsim_status gsim_reader_op(struct gsim_reader *reader, uint32_t index, const char *value,
                                const char **rest)
{
    const char *values[OP_FIELD_COUNT];
    struct gsim_fields fields = {.place = {.list = "ops", .index = index},
                                 .names = op_names,
                                 .count = OP_FIELD_COUNT,
                                 .values = values,
                                 .followed = reader->followed,
                                 .error = reader->error};
    struct gsim_op op = {0};
    char what[GSIM_NAME_ROOM];
    int kind = -1;
    reader->arg_count = 0;
    reader->after_count = 0;
    reader->segment_count = 0;
    enum gsim_status status = gsim_fields_read(&fields, value, rest);
    if (status == GSIM_OK) status = gsim_fields_choice(&fields, OP_OP, kind_names, &kind);
    op.kind = kind == SYNCHRONIZE  ? GSIM_OP_HOST_COMPUTE
              : kind == COLLECTIVE ? GSIM_OP_KERNEL
                                   : (enum gsim_op_kind)kind;
    if (status == GSIM_OK) status = check_kind(reader, &fields, kind);
    if (status == GSIM_OK) status = read_common(reader, &fields, &op);
    if (status != GSIM_OK) return status;
    if (kind == SYNCHRONIZE) {
        status = read_synchronize(reader, &fields, &op);
    } else if (kind == COLLECTIVE) {
        status = read_collective(reader, &fields, &op);
    } else if (op.kind == GSIM_OP_KERNEL) {
        status = read_launch(reader, &fields, &op);
    } else if (op.kind == GSIM_OP_HOST_COMPUTE) {
        status = gsim_fields_require(&fields, OP_US);
        if (status == GSIM_OK) status = gsim_fields_real(&fields, OP_US, GSIM_LIMIT_US, &op.host_us);
        op.overhead = read_flag(&fields, OP_OVERHEAD, &status);
        op.needed = read_flag(&fields, OP_NEEDED, &status);
        if (status == GSIM_OK && fields.values[OP_WHAT]) {
            status = gsim_fields_name(&fields, OP_WHAT, what);
            op.what = what;
        }
    } else {
        status = read_access(reader, &fields, &op);
    }
    if (status == GSIM_OK && is_on_device(&op)) {
        bool is_listed = fields.values[OP_AFTER] != NULL || reader->buffer_count || op.stream < 0;
        if (!is_listed) status = follow_stream(reader, &op);
        if (status == GSIM_OK) status = add_pending(reader, &op, index);
    }
    if (status != GSIM_OK) return status;
    op.arg_count = reader->arg_count;
    op.args = reader->args;
    op.after_count = reader->after_count;
    op.after = reader->after;
    op.segment_count = (uint16_t)reader->segment_count;
    if (op.kind == GSIM_OP_KERNEL) op.segments = reader->segments;
    gsim_builder_op(reader->builder, &op);
    return GSIM_OK;
}
