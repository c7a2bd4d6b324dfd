/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The checks of every program, and its release. Building: sim/program/builder.c. Checks of a file's words, with their
 * place: sim/program/reader.c.
 */
#include "sim/program/check.h"

#include "sim/program/guess.h"
#include "sim/program/kernel.h"

static bool is_duration(double us) { return us >= 0 && us <= GSIM_LIMIT_US; }

const char *const gsim_tile_order_names[GSIM_TILES_COUNT + 1] = {"none", "static", "dynamic", NULL};
const char *const gsim_pipe_names[GSIM_PIPE_COUNT + 1] = {
#define X(key, name, scope, what) name,
#include "gpusim/pipes.def"
#undef X
    NULL};

static bool is_name(const char *name) { return name && name[0] && strlen(name) <= GSIM_LIMIT_NAME; }

enum gsim_status gsim_program_check_buffer(const struct gsim_program *program, uint32_t i, struct gsim_error *error)
{
    const struct gsim_buffer *buffer = &program->buffers[i];
    if (!is_name(buffer->name))
        return gsim_error_set(error, GSIM_INPUT, "buffers[%u].name: expected 1 to %u bytes of text, found %zu", i,
                              GSIM_LIMIT_NAME, buffer->name ? strlen(buffer->name) : (size_t)0);
    if (buffer->bytes < 1 || buffer->bytes > GSIM_LIMIT_BYTES)
        return gsim_error_set(error, GSIM_INPUT, "buffers[%u].bytes: expected 1 to %llu, found %llu", i,
                              GSIM_LIMIT_BYTES, (unsigned long long)buffer->bytes);
    return GSIM_OK;
}

static enum gsim_status check_buffers(const struct gsim_program *program, struct gsim_error *error)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        enum gsim_status status = gsim_program_check_buffer(program, i, error);
        if (status != GSIM_OK) return status;
        total += program->buffers[i].bytes;
        if (total > GSIM_LIMIT_BYTES)
            return gsim_error_set(error, GSIM_INPUT, "buffers[%u].bytes: all buffers together exceed %llu bytes", i,
                                  GSIM_LIMIT_BYTES);
    }
    return GSIM_OK;
}

static enum gsim_status check_shape(uint32_t index, const struct gsim_kernel *kernel, struct gsim_error *error)
{
    const struct gsim_dim3 *g = &kernel->grid, *b = &kernel->block;
    if (g->x < 1 || g->y < 1 || g->z < 1 || g->x > GSIM_LIMIT_GRID_X || g->y > GSIM_LIMIT_GRID_YZ ||
        g->z > GSIM_LIMIT_GRID_YZ)
        return gsim_error_set(
            error, GSIM_INPUT, "kernels[%u] '%s': grid: expected 1 to %u, %u and %u blocks, found %u, %u and %u", index,
            kernel->name, GSIM_LIMIT_GRID_X, GSIM_LIMIT_GRID_YZ, GSIM_LIMIT_GRID_YZ, g->x, g->y, g->z);
    if (b->x < 1 || b->y < 1 || b->z < 1 || b->x > GSIM_LIMIT_BLOCK_XY || b->y > GSIM_LIMIT_BLOCK_XY ||
        b->z > GSIM_LIMIT_BLOCK_Z || b->x * b->y * b->z > GSIM_LIMIT_BLOCK_THREADS)
        return gsim_error_set(
            error, GSIM_INPUT,
            "kernels[%u] '%s': block: expected at most %u threads (%u, %u and %u), found %u x %u x %u", index,
            kernel->name, GSIM_LIMIT_BLOCK_THREADS, GSIM_LIMIT_BLOCK_XY, GSIM_LIMIT_BLOCK_XY, GSIM_LIMIT_BLOCK_Z, b->x,
            b->y, b->z);
    return GSIM_OK;
}

static enum gsim_status check_real(uint32_t index, const struct gsim_kernel *kernel, const char *name, double value,
                                   double least, double most, struct gsim_error *error)
{
    if (value >= least && value <= most) return GSIM_OK; /* not NaN */
    return gsim_error_set(error, GSIM_INPUT, "kernels[%u] '%s': %s: expected %g to %g, found %g", index, kernel->name,
                          name, least, most, value);
}

enum gsim_status gsim_program_check_kernel(const struct gsim_program *program, uint32_t i, struct gsim_error *error)
{
    const struct gsim_kernel *kernel = &program->kernels[i];
    if (!is_name(kernel->name))
        return gsim_error_set(error, GSIM_INPUT, "kernels[%u].name: expected 1 to %u bytes of text, found %zu", i,
                              GSIM_LIMIT_NAME, kernel->name ? strlen(kernel->name) : (size_t)0);
    enum gsim_status status = check_shape(i, kernel, error);
#define REAL(name, least, most) \
    if (!status && kernel->name != 0) status = check_real(i, kernel, #name, kernel->name, least, most, error);
#define COUNT(name, most) \
    if (!status) status = check_real(i, kernel, #name, kernel->name, 0, most, error);
    GSIM_KERNEL_FIELDS(REAL, COUNT, GSIM_KERNEL_FIELD_NONE, GSIM_KERNEL_FIELD_NONE)
    for (int p = 0; p < GSIM_PIPE_COUNT && kernel->pipes_given && !status; p++)
        status = check_real(i, kernel, gsim_pipe_names[p], kernel->pipes[p], 0, GSIM_LIMIT_PIPE, error);
    if (status) return status;
    const struct gsim_dim3 *c = &kernel->cluster, *g = &kernel->grid;
    if (c->x && (g->x % c->x || g->y % c->y || g->z % c->z))
        return gsim_error_set(
            error, GSIM_INPUT,
            "kernels[%u] '%s': cluster: expected to divide the grid of %u x %u x %u, found %u x %u x %u", i,
            kernel->name, g->x, g->y, g->z, c->x, c->y, c->z);
    return GSIM_OK;
}

static enum gsim_status check_kernels(const struct gsim_program *program, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < program->kernel_count && !status; i++)
        status = gsim_program_check_kernel(program, i, error);
    return status;
}

static enum gsim_status check_references(const struct gsim_program *program, const struct gsim_op *op,
                                         struct gsim_error *error)
{
    uint32_t i = op->index;
    uint32_t expected_args = op->kind == GSIM_OP_HOST_COMPUTE ? 0 : 1;
    if (op->kind == GSIM_OP_KERNEL) {
        if (op->kernel_index >= program->kernel_count)
            return gsim_error_set(error, GSIM_INPUT, "ops[%u]: expected a kernel index below %u, found %u", i,
                                  program->kernel_count, op->kernel_index);
        if (op->arg_count > GSIM_LIMIT_ARGS)
            return gsim_error_set(error, GSIM_INPUT, "ops[%u]: expected at most %u arguments, found %u", i,
                                  GSIM_LIMIT_ARGS, op->arg_count);
    } else if (op->arg_count != expected_args) {
        return gsim_error_set(error, GSIM_INPUT, "ops[%u]: expected %u buffers, found %u", i, expected_args,
                              op->arg_count);
    }
    for (uint32_t a = 0; a < op->arg_count; a++)
        if (op->args[a].buffer_index >= program->buffer_count)
            return gsim_error_set(error, GSIM_INPUT, "ops[%u]: argument %u: expected a buffer index below %u, found %u",
                                  i, a, program->buffer_count, op->args[a].buffer_index);
    for (uint32_t a = 0; a < op->after_count; a++)
        if (op->after[a] >= i)
            return gsim_error_set(error, GSIM_INPUT, "ops[%u].after[%u]: expected the index of an earlier op, found %u",
                                  i, a, op->after[a]);
    return GSIM_OK;
}

static enum gsim_status check_amounts(const struct gsim_program *program, const struct gsim_op *op,
                                      struct gsim_error *error)
{
    uint32_t i = op->index;
    if (op->kind != GSIM_OP_KERNEL && op->kind != GSIM_OP_HOST_COMPUTE) {
        uint64_t buffer_bytes = program->buffers[op->args[0].buffer_index].bytes;
        if (op->bytes < 1 || op->bytes > buffer_bytes)
            return gsim_error_set(error, GSIM_INPUT, "ops[%u].bytes: expected 1 to %llu, found %llu", i,
                                  (unsigned long long)buffer_bytes, (unsigned long long)op->bytes);
    }
    if (!is_duration(op->host_us))
        return gsim_error_set(error, GSIM_INPUT, "ops[%u].us: expected 0 to %g, found %g", i, GSIM_LIMIT_US,
                              op->host_us);
    if (op->stream < -1 || op->stream > GSIM_LIMIT_STREAM)
        return gsim_error_set(error, GSIM_INPUT, "ops[%u].stream: expected 0 to %d, or -1 for none, found %d", i,
                              GSIM_LIMIT_STREAM, op->stream);
    if (op->priority < -GSIM_LIMIT_PRIORITY || op->priority > GSIM_LIMIT_PRIORITY)
        return gsim_error_set(error, GSIM_INPUT, "ops[%u].priority: expected %d to %d, found %d", i,
                              -GSIM_LIMIT_PRIORITY, GSIM_LIMIT_PRIORITY, op->priority);
    if (op->device >= GSIM_LIMIT_GPUS || op->to_device >= GSIM_LIMIT_GPUS)
        return gsim_error_set(error, GSIM_INPUT, "ops[%u].device, to: expected 0 to %d, found %u and %u", i,
                              GSIM_LIMIT_GPUS - 1, op->device, op->to_device);
    if (op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_P2P && op->device == op->to_device)
        return gsim_error_set(error, GSIM_INPUT, "ops[%u].to: expected another GPU than %u, where the data is", i,
                              op->device);
    if (op->untimed && op->kind != GSIM_OP_HOST_WRITE)
        return gsim_error_set(error, GSIM_INPUT, "ops[%u].untimed: only a host write can be untimed", i);
    return GSIM_OK;
}

static enum gsim_status check_segments(const struct gsim_program *program, const struct gsim_op *op,
                                       struct gsim_error *error)
{
    uint32_t i = op->index;
    if (op->kind != GSIM_OP_KERNEL && (op->segment_count || op->is_unknown))
        return gsim_error_set(error, GSIM_INPUT, "ops[%u]: only a kernel has segments or is unknown", i);
    if (op->segment_count > GSIM_LIMIT_SEGMENTS)
        return gsim_error_set(error, GSIM_INPUT, "ops[%u]: expected at most %u segments, found %u", i,
                              GSIM_LIMIT_SEGMENTS, op->segment_count);
    for (uint32_t s = 0; s < op->segment_count; s++) {
        const struct gsim_segment *segment = &op->segments[s];
        if (segment->arg >= op->arg_count || (s && segment->arg < op->segments[s - 1].arg))
            return gsim_error_set(error, GSIM_INPUT,
                                  "ops[%u]: segment %u: expected an argument below %u, in order, found %u", i, s,
                                  op->arg_count, segment->arg);
        const struct gsim_arg *arg = &op->args[segment->arg];
        const struct gsim_buffer *buffer = &program->buffers[arg->buffer_index];
        if (!segment->bytes || segment->offset >= buffer->bytes || segment->bytes > buffer->bytes - segment->offset)
            return gsim_error_set(error, GSIM_INPUT,
                                  "ops[%u]: expected a part of the %llu bytes of '%s', found %llu from %llu on", i,
                                  (unsigned long long)buffer->bytes, buffer->name, (unsigned long long)segment->bytes,
                                  (unsigned long long)segment->offset);
        if ((!segment->reads && !segment->writes) || (segment->reads && !arg->reads) ||
            (segment->writes && !arg->writes))
            return gsim_error_set(error, GSIM_INPUT,
                                  "ops[%u]: segment %u: expected an access that its argument '%s' has", i, s,
                                  buffer->name);
    }
    return GSIM_OK;
}

enum gsim_status gsim_program_check_op(const struct gsim_program *program, const struct gsim_op *op,
                                       struct gsim_error *error)
{
    enum gsim_status status = check_references(program, op, error);
    if (status == GSIM_OK) status = check_segments(program, op, error);
    return status == GSIM_OK ? check_amounts(program, op, error) : status;
}

/* No buffer twice: each remembers the last op that named it. */
static enum gsim_status check_repeated_args(const struct gsim_program *program, struct gsim_error *error)
{
    uint32_t *last_user = gsim_alloc(sizeof(*last_user) * ((size_t)program->buffer_count + 1));
    if (!last_user) return gsim_no_memory(error);
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < program->op_count && status == GSIM_OK; i++) {
        const struct gsim_op *op = &program->ops[i];
        for (uint32_t a = 0; a < op->arg_count && status == GSIM_OK; a++) {
            uint32_t buffer = op->args[a].buffer_index;
            if (last_user[buffer] == i + 1)
                status = gsim_error_set(error, GSIM_INPUT, "ops[%u]: buffer '%s' is an argument twice", i,
                                        program->buffers[buffer].name);
            last_user[buffer] = i + 1;
        }
    }
    gsim_free(last_user);
    return status;
}

enum gsim_status gsim_program_check(const struct gsim_program *program, struct gsim_error *error)
{
    if (!is_name(program->name))
        return gsim_error_set(error, GSIM_INPUT, "name: expected 1 to %u bytes of text, found %zu", GSIM_LIMIT_NAME,
                              program->name ? strlen(program->name) : (size_t)0);
    if (program->op_count == 0) return gsim_error_set(error, GSIM_INPUT, "ops: expected at least one op, found none");
    if (program->iterations < 1 || program->iterations > GSIM_LIMIT_ITERATIONS)
        return gsim_error_set(error, GSIM_INPUT, "iterations: expected 1 to %u, found %u", GSIM_LIMIT_ITERATIONS,
                              program->iterations);
    enum gsim_status status = check_buffers(program, error);
    if (status == GSIM_OK) status = check_kernels(program, error);
    double total_us = 0;
    for (uint32_t i = 0; i < program->op_count && status == GSIM_OK; i++) {
        const struct gsim_op *op = &program->ops[i];
        if (op->index != i) GSIM_BUG("op %u carries the index %u", i, op->index);
        status = gsim_program_check_op(program, op, error);
        if (status != GSIM_OK) break;
        total_us += op->host_us + (op->kind == GSIM_OP_KERNEL ? program->kernels[op->kernel_index].solo_us : 0);
    }
    if (status == GSIM_OK && total_us * program->iterations > GSIM_LIMIT_TOTAL_US)
        status = gsim_error_set(error, GSIM_INPUT,
                                "ops: all durations of all iterations add up to %g us, expected at most %g",
                                total_us * program->iterations, GSIM_LIMIT_TOTAL_US);
    return status == GSIM_OK ? check_repeated_args(program, error) : status;
}

void gsim_program_release(struct gsim_program *program)
{
    if (!program) return;
    gsim_arena_release(&program->arena);
    *program = (struct gsim_program){0};
}

bool gsim_guess_next(const char **at, char line[GSIM_LIMIT_NAME + 1])
{
    if (!*at || !**at) return false;
    size_t length = strcspn(*at, "\n"), cut = GSIM_LIMIT_NAME;
    while (length > GSIM_LIMIT_NAME && cut > 1 && (*at)[cut] != ' ') cut--; /* a longer one is told in parts */
    if (length > GSIM_LIMIT_NAME) length = cut;
    snprintf(line, GSIM_LIMIT_NAME + 1, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] != '\0');
    return true;
}

bool gsim_program_guess(struct gsim_program *program, const char *text)
{
    char line[GSIM_LIMIT_NAME + 1], known[GSIM_LIMIT_NAME + 1];
    while (gsim_guess_next(&text, line)) {
        const char *old = program->guesses ? program->guesses : "", *at = old;
        bool is_known = false;
        while (!is_known && gsim_guess_next(&at, known)) is_known = strcmp(line, known) == 0;
        size_t size = strlen(old) + strlen(line) + 2;
        char *both = is_known || !line[0] ? NULL : gsim_arena_alloc(&program->arena, size);
        if (both) snprintf(both, size, "%s%s\n", old, line);
        if (both) program->guesses = both;
        else if (!is_known && line[0]) return false;
    }
    return true;
}
