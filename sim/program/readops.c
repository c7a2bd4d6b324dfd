/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ops of a program file: which fields each kind has, argument lists, launch shapes, overrides.
 */
#include "sim/program/readops.h"

/* X(id, name, kinds that have it: K kernel, C copy, P prefetch, W host_write, R host_read, H host_compute) */
/* clang-format off */
#define OP_FIELDS(X)                                                                                      \
    X(OP_OP, "op", "KCPWRH") X(OP_KERNEL, "kernel", "K") X(OP_GRID, "grid", "K") X(OP_BLOCK, "block", "K") \
    X(OP_READS, "reads", "K") X(OP_WRITES, "writes", "K") X(OP_STREAM, "stream", "KCPWRH")                 \
    X(OP_AFTER, "after", "KCPWRH") X(OP_PRIORITY, "priority", "KCPWRH") X(OP_ARGS, "args", "K")            \
    X(OP_NON_CONST, "non_const", "K") X(OP_KIND, "kind", "C") X(OP_BUFFER, "buffer", "CPWR")               \
    X(OP_BYTES, "bytes", "CPWR") X(OP_US, "us", "CH") X(OP_MEMORY, "memory", "C") X(OP_OVERHEAD, "overhead", "H") \
    X(OP_UNTIMED, "untimed", "W") X(OP_DEVICE, "device", "KCP") X(OP_TO, "to", "C") \
    X(OP_PROGRAMMATIC, "programmatic", "K")
/* clang-format on */
#define OP_ID(id, name, kinds)    id,
#define OP_NAME(id, name, kinds)  name,
#define OP_KINDS(id, name, kinds) kinds,
enum { OP_FIELDS(OP_ID) OP_WORK, OP_FIELD_COUNT = OP_WORK + GSIM_DEMAND_FIELD_COUNT };
static const char *const op_names[] = {OP_FIELDS(OP_NAME) GSIM_DEMAND_FIELDS(GSIM_DEMAND_FIELD_NAME) NULL};
static const char *const op_kinds[OP_WORK] = {OP_FIELDS(OP_KINDS)};

static const char kind_letters[] = "KCPWRH"; /* enum gsim_op_kind */
static const char *const kind_names[] = {"kernel", "copy", "prefetch", "host_write", "host_read", "host_compute", NULL};
static const char *const memory_names[] = {"run", "pinned", "pageable", NULL}; /* enum gsim_copy_memory */
static const char *const copy_names[] = {"h2d", "d2h", "d2d", "p2p", NULL}; /* enum gsim_copy_kind */

static enum gsim_status read_count(struct gsim_fields *fields, int field, double maximum, uint32_t *count)
{
    double number = *count;
    enum gsim_status status = gsim_fields_integer(fields, field, 0, maximum, &number);
    *count = (uint32_t)number;
    return status;
}

enum gsim_status gsim_reader_work(struct gsim_reader *reader, struct gsim_fields *fields, int first,
                                  struct gsim_kernel *kernel)
{
    enum gsim_status status = read_count(fields, first + WORK_REGS, GSIM_LIMIT_REGS, &kernel->regs_per_thread);
    if (status == GSIM_OK) status = read_count(fields, first + WORK_SMEM, GSIM_LIMIT_SMEM_BYTES, &kernel->smem_bytes);
    if (status == GSIM_OK) status = read_count(fields, first + WORK_SLICE_SMS, GSIM_LIMIT_SMS, &kernel->slice_sms);
    if (status == GSIM_OK) status = gsim_fields_bool(fields, first + WORK_FP64, &kernel->fp64);
    if (status == GSIM_OK) status = gsim_fields_bool(fields, first + WORK_COLD, &kernel->solo_cold);
    if (status == GSIM_OK) status = gsim_fields_bool(fields, first + WORK_PROFILED, &kernel->solo_profiled);
    if (fields->values[first + WORK_SOLO]) kernel->slice_us = 0; /* that was of another time */
    if (fields->values[first + WORK_FLOPS] || fields->values[first + WORK_DRAM]) kernel->demand_given = true;
    struct {
        int field;
        double maximum, *number;
    } const numbers[] = {
        {WORK_FLOPS, GSIM_LIMIT_WORK, &kernel->flops},          {WORK_DRAM, GSIM_LIMIT_WORK, &kernel->dram_bytes},
        {WORK_THREAD, GSIM_LIMIT_WORK, &kernel->thread_cycles}, {WORK_SM, GSIM_LIMIT_WORK, &kernel->sm_cycles},
        {WORK_SOLO, GSIM_LIMIT_US, &kernel->solo_us},           {WORK_ROWS, GSIM_LIMIT_WORK, &kernel->rows},
        {WORK_SLICE, GSIM_LIMIT_US, &kernel->slice_us},         {WORK_LOOP_X, GSIM_LIMIT_WORK, &kernel->loop_x},
        {WORK_LOOP_Y, GSIM_LIMIT_WORK, &kernel->loop_y},        {WORK_LOOP_Z, GSIM_LIMIT_WORK, &kernel->loop_z},
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && status == GSIM_OK; i++)
        status = gsim_fields_real(fields, first + numbers[i].field, numbers[i].maximum, numbers[i].number);
    if (status == GSIM_OK) status = gsim_fields_real(fields, first + WORK_PROLOGUE, GSIM_LIMIT_PROLOGUE, &kernel->prologue);
    if (status == GSIM_OK) status = gsim_fields_real(fields, first + WORK_TRIGGER, 1, &kernel->trigger);
    if (fields->values[first + WORK_TRIGGER] && kernel->trigger < GSIM_LEAST_TRIGGER) kernel->trigger = GSIM_LEAST_TRIGGER; /* 0 means not given */
    if (status != GSIM_OK) return status;
    return gsim_fields_kept_name(fields, first + WORK_DEVICE, &reader->arena, &kernel->solo_device);
}

/* [x], [x, y] or [x, y, z], each from 1 to its maximum. */
static enum gsim_status read_shape(struct gsim_fields *fields, int field, const double maximum[3],
                                   struct gsim_dim3 *shape)
{
    enum gsim_status status = gsim_fields_require(fields, field);
    if (status != GSIM_OK) return status;
    uint32_t size[3] = {1, 1, 1};
    const char *at = NULL;
    for (int i = 0;; i++) {
        status = gsim_fields_element(fields, field, &at);
        if (status != GSIM_OK) return status;
        if (!at && i > 0) break;
        if (!at || i == 3) {
            fields->place.has_element = false;
            return gsim_fields_error(fields, "expected 1 to 3 integers, found %s", at ? "more" : "none");
        }
        double number = 1;
        status = gsim_fields_integer_at(fields, at, 1, maximum[i], &number);
        if (status != GSIM_OK) return status;
        size[i] = (uint32_t)number;
        at = gsim_scan_skip(at);
    }
    *shape = (struct gsim_dim3){size[0], size[1], size[2]};
    return GSIM_OK;
}

static enum gsim_status read_shapes(struct gsim_fields *fields, struct gsim_kernel *kernel)
{
    static const double grid_maximum[] = {GSIM_LIMIT_GRID_X, GSIM_LIMIT_GRID_YZ, GSIM_LIMIT_GRID_YZ};
    static const double block_maximum[] = {GSIM_LIMIT_BLOCK_XY, GSIM_LIMIT_BLOCK_XY, GSIM_LIMIT_BLOCK_Z};
    enum gsim_status status = read_shape(fields, OP_GRID, grid_maximum, &kernel->grid);
    if (status == GSIM_OK) status = read_shape(fields, OP_BLOCK, block_maximum, &kernel->block);
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

static bool is_arg(const struct gsim_reader *reader, uint32_t buffer, uint32_t op)
{
    return reader->buffers[buffer].last_op == op + 1;
}

static enum gsim_status add_arg(struct gsim_reader *reader, const struct gsim_fields *fields, uint32_t buffer,
                                bool writes)
{
    struct gsim_reader_buffer *named = &reader->buffers[buffer];
    uint32_t op = fields->place.index;
    if (is_arg(reader, buffer, op)) {
        struct gsim_arg *arg = &reader->args[named->position];
        if (arg->writes == writes) return gsim_fields_error(fields, "the buffer \"%s\" is listed twice", named->name);
        arg->writes = true;
        arg->declared_const = false;
        return GSIM_OK;
    }
    if (reader->arg_count == GSIM_LIMIT_ARGS)
        return gsim_fields_error(fields, "expected at most %u buffers", GSIM_LIMIT_ARGS);
    void *args = reader->args;
    if (gsim_array_grow(&args, sizeof(*reader->args), reader->arg_count, &reader->arg_room))
        return gsim_error_set(reader->error, GSIM_NOMEM, "out of memory");
    reader->args = args;
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
        uint32_t buffer = 0;
        status = read_buffer_at(reader, fields, &at, &buffer);
        if (status == GSIM_OK) status = add_arg(reader, fields, buffer, field == OP_WRITES);
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
        void *ordered = reader->ordered;
        if (gsim_array_grow(&ordered, sizeof(*reader->ordered), count, &reader->ordered_room))
            return gsim_error_set(reader->error, GSIM_NOMEM, "out of memory");
        reader->ordered = ordered;
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
        void *after = reader->after;
        if (gsim_array_grow(&after, sizeof(*reader->after), reader->after_count, &reader->after_room))
            return gsim_error_set(reader->error, GSIM_NOMEM, "out of memory");
        reader->after = after;
        reader->after[reader->after_count++] = (uint32_t)number;
        at = gsim_scan_skip(at);
    }
}

static enum gsim_status read_launch(struct gsim_reader *reader, struct gsim_fields *fields, struct gsim_op *op)
{
    char name[GSIM_NAME_ROOM];
    enum gsim_status status = gsim_fields_name(fields, OP_KERNEL, name);
    if (status != GSIM_OK) return status;
    uint32_t index = gsim_names_find(&reader->kernel_names, name);
    if (index == GSIM_NAME_NONE) return gsim_fields_error(fields, "expected the name of a kernel, found \"%s\"", name);
    struct gsim_kernel kernel = reader->kernels[index];
    status = read_shapes(fields, &kernel);
    if (status == GSIM_OK) status = gsim_reader_work(reader, fields, OP_WORK, &kernel);
    if (status == GSIM_OK) status = read_accesses(reader, fields, OP_READS);
    if (status == GSIM_OK) status = read_accesses(reader, fields, OP_WRITES);
    if (status == GSIM_OK) status = read_order(reader, fields);
    if (status == GSIM_OK) status = read_non_const(reader, fields);
    if (status == GSIM_OK) status = gsim_fields_bool(fields, OP_PROGRAMMATIC, &op->programmatic);
    if (status == GSIM_OK) op->kernel_index = gsim_builder_kernel(reader->builder, &kernel);
    return status;
}

/* Where a copy between GPUs goes. */
static enum gsim_status read_peer(struct gsim_fields *fields, struct gsim_op *op)
{
    if (op->copy_kind == GSIM_COPY_P2P) {
        enum gsim_status status = gsim_fields_require(fields, OP_TO);
        return status == GSIM_OK ? read_count(fields, OP_TO, GSIM_LIMIT_GPUS - 1, &op->to_device) : status;
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
        status = gsim_fields_require(fields, OP_KIND);
        if (status == GSIM_OK) status = gsim_fields_choice(fields, OP_KIND, copy_names, &copy_kind);
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
    status = add_arg(reader, fields, buffer, !reads);
    if (status != GSIM_OK) return status;
    reader->args[0].writes = writes;
    reader->args[0].declared_const = !writes;
    double bytes = (double)reader->buffers[buffer].bytes, maximum = bytes;
    status = gsim_fields_integer(fields, OP_BYTES, 1, maximum, &bytes);
    op->bytes = (uint64_t)bytes;
    int memory = GSIM_COPY_MEMORY_OF_RUN;
    if (status == GSIM_OK && op->kind == GSIM_OP_COPY && fields->values[OP_MEMORY])
        status = gsim_fields_choice(fields, OP_MEMORY, memory_names, &memory);
    op->copy_memory = (uint8_t)memory;
    if (status == GSIM_OK && op->kind == GSIM_OP_COPY && fields->values[OP_US])
        status = gsim_fields_real(fields, OP_US, GSIM_LIMIT_US, &op->copy_us);
    return status == GSIM_OK ? gsim_fields_bool(fields, OP_UNTIMED, &op->untimed) : status;
}

static enum gsim_status check_kind(struct gsim_fields *fields, enum gsim_op_kind kind)
{
    for (int i = 0; i < OP_FIELD_COUNT; i++) {
        const char *kinds = i < OP_WORK ? op_kinds[i] : "K";
        if (!fields->values[i] || strchr(kinds, kind_letters[kind])) continue;
        fields->place.field = op_names[i];
        fields->place.has_element = false;
        return gsim_fields_error(fields, "a \"%s\" has no such field", kind_names[kind]);
    }
    return GSIM_OK;
}

static enum gsim_status read_common(struct gsim_reader *reader, struct gsim_fields *fields, struct gsim_op *op)
{
    double stream = -1, priority = 0;
    enum gsim_status status = gsim_fields_integer(fields, OP_STREAM, 0, GSIM_LIMIT_STREAM, &stream);
    if (status == GSIM_OK)
        status = gsim_fields_integer(fields, OP_PRIORITY, -GSIM_LIMIT_PRIORITY, GSIM_LIMIT_PRIORITY, &priority);
    op->stream = (int32_t)stream;
    op->priority = (int32_t)priority;
    if (status == GSIM_OK) status = read_count(fields, OP_DEVICE, GSIM_LIMIT_GPUS - 1, &op->device);
    return status == GSIM_OK ? read_after(reader, fields) : status;
}

enum gsim_status gsim_reader_op(struct gsim_reader *reader, uint32_t index, const char *value,
                                const char **rest)
{
    const char *values[OP_FIELD_COUNT];
    struct gsim_fields fields = {{.list = "ops", .index = index}, op_names, values, reader->error};
    struct gsim_op op = {0};
    int kind = 0;
    reader->arg_count = 0;
    reader->after_count = 0;
    enum gsim_status status = gsim_fields_read(&fields, value, rest);
    if (status == GSIM_OK) status = gsim_fields_require(&fields, OP_OP);
    if (status == GSIM_OK) status = gsim_fields_choice(&fields, OP_OP, kind_names, &kind);
    op.kind = (enum gsim_op_kind)kind;
    if (status == GSIM_OK) status = check_kind(&fields, op.kind);
    if (status == GSIM_OK) status = read_common(reader, &fields, &op);
    if (status != GSIM_OK) return status;
    if (op.kind == GSIM_OP_KERNEL) {
        status = read_launch(reader, &fields, &op);
    } else if (op.kind == GSIM_OP_HOST_COMPUTE) {
        status = gsim_fields_require(&fields, OP_US);
        if (status == GSIM_OK) status = gsim_fields_real(&fields, OP_US, GSIM_LIMIT_US, &op.host_us);
        if (status == GSIM_OK) status = gsim_fields_bool(&fields, OP_OVERHEAD, &op.overhead);
    } else {
        status = read_access(reader, &fields, &op);
    }
    if (status != GSIM_OK) return status;
    op.arg_count = reader->arg_count;
    op.args = reader->args;
    op.after_count = reader->after_count;
    op.after = reader->after;
    gsim_builder_op(reader->builder, &op);
    return GSIM_OK;
}
