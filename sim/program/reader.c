/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Program files, object by object: the file itself, buffers, kernels, ops (sim/program/readops.c). The text is
 * checked once (sim/base/scan.c), then walked (sim/program/fields.c).
 */
#include "gpusim/program.h"

#include "sim/base/gz.h"
#include "sim/program/guess.h"
#include "sim/program/readops.h"

#define OF_NAMES(id, name) name,
#define OF_IDS(id, name)   id,

#define FILE_FIELDS(X)                                                                                                 \
    X(FILE_SCHEMA, "schema")                                                                                           \
    X(FILE_NAME, "name")                                                                                               \
    X(FILE_BUFFERS, "buffers") X(FILE_KERNELS, "kernels") X(FILE_OPS, "ops") X(FILE_ITERATIONS, "iterations")    \
    X(FILE_GUESSES, "guesses")
enum { FILE_FIELDS(OF_IDS) FILE_FIELD_COUNT };
static const char *const file_names[] = {FILE_FIELDS(OF_NAMES) NULL};

enum { BUFFER_NAME, BUFFER_BYTES, BUFFER_INIT, BUFFER_READ_MOSTLY, BUFFER_FIELD_COUNT };
static const char *const buffer_names[] = {"name", "bytes", "init", "read_mostly", NULL};
static const char *const init_names[] = {"none", "host", "device", NULL}; /* enum gsim_buffer_init */

enum { KERNEL_NAME, KERNEL_WORK, KERNEL_FIELD_COUNT = KERNEL_WORK + GSIM_KERNEL_FIELD_COUNT };
static const char *const kernel_names[] = {"name", GSIM_KERNEL_FIELDS_AS(GSIM_KERNEL_FIELD_NAME) NULL};

/* A name that must be new, put under INDEX. */
static enum gsim_status read_new_name(struct gsim_reader *reader, struct gsim_fields *fields, int field,
                                      struct gsim_names *names, uint32_t index, const char **name)
{
    enum gsim_status status = gsim_fields_require(fields, field);
    if (status == GSIM_OK) status = gsim_fields_kept_name(fields, field, &reader->arena, name);
    if (status != GSIM_OK) return status;
    if (gsim_names_find(names, *name) != GSIM_NAME_NONE)
        return gsim_fields_error(fields, "the name \"%s\" is given twice", *name);
    return gsim_names_add(names, *name, index, fields->error);
}

static enum gsim_status read_buffer(struct gsim_reader *reader, uint32_t index, const char *value, const char **rest)
{
    const char *values[BUFFER_FIELD_COUNT];
    struct gsim_fields fields = {
        .place = {.list = "buffers", .index = index}, .names = buffer_names, .values = values, .error = reader->error};
    enum gsim_status status = gsim_fields_read(&fields, value, rest);
    const char *name = NULL;
    double bytes = 0;
    int init = GSIM_INIT_NONE;
    if (status == GSIM_OK) status = read_new_name(reader, &fields, BUFFER_NAME, &reader->buffer_names, index, &name);
    if (status == GSIM_OK) status = gsim_fields_require(&fields, BUFFER_BYTES);
    if (status == GSIM_OK) status = gsim_fields_integer(&fields, BUFFER_BYTES, 1, (double)GSIM_LIMIT_BYTES, &bytes);
    if (status != GSIM_OK) return status;
    reader->total_bytes += bytes;
    if (reader->total_bytes > (double)GSIM_LIMIT_BYTES)
        return gsim_fields_error(&fields, "all buffers together have %.0f bytes, expected at most %llu",
                                 reader->total_bytes, GSIM_LIMIT_BYTES);
    bool is_read_mostly = false;
    status = gsim_fields_choice(&fields, BUFFER_INIT, init_names, &init);
    if (status == GSIM_OK) status = gsim_fields_bool(&fields, BUFFER_READ_MOSTLY, &is_read_mostly);
    if (status != GSIM_OK) return status;
    if (gsim_array_grow(&reader->buffers, sizeof(*reader->buffers), index, &reader->buffer_room))
        return gsim_no_memory(reader->error);
    reader->buffers[index] = (struct gsim_reader_buffer){.bytes = gsim_whole_u64(bytes), .name = name};
    reader->buffer_count = index + 1;
    uint32_t made = gsim_builder_buffer(reader->builder, name, gsim_whole_u64(bytes), (enum gsim_buffer_init)init);
    if (is_read_mostly) gsim_builder_read_mostly(reader->builder, made);
    return GSIM_OK;
}

static enum gsim_status read_kernel(struct gsim_reader *reader, uint32_t index, const char *value, const char **rest)
{
    const char *values[KERNEL_FIELD_COUNT];
    struct gsim_fields fields = {
        .place = {.list = "kernels", .index = index}, .names = kernel_names, .values = values, .error = reader->error};
    struct gsim_kernel kernel = {0};
    enum gsim_status status = gsim_fields_read(&fields, value, rest);
    if (status == GSIM_OK)
        status = read_new_name(reader, &fields, KERNEL_NAME, &reader->kernel_names, index, &kernel.name);
    if (status == GSIM_OK) status = gsim_reader_work(reader, &fields, KERNEL_WORK, &kernel);
    if (status != GSIM_OK) return status;
    if (gsim_array_grow(&reader->kernels, sizeof(kernel), index, &reader->kernel_room))
        return gsim_no_memory(reader->error);
    reader->kernels[index] = kernel;
    return GSIM_OK;
}

typedef enum gsim_status read_item(struct gsim_reader *reader, uint32_t index, const char *value, const char **rest);

static enum gsim_status read_list(struct gsim_reader *reader, struct gsim_fields *file, int field, read_item *read)
{
    if (!file->values[field]) return GSIM_OK;
    const char *at = NULL;
    for (uint32_t index = 0;; index++) {
        enum gsim_status status = gsim_fields_element(file, field, &at);
        if (status != GSIM_OK || !at) return status;
        if (index == UINT32_MAX - 1) return gsim_fields_error(file, "expected fewer than %u entries", index);
        status = read(reader, index, at, &at);
        if (status != GSIM_OK) return status;
    }
}

/* A profiler's trace, or one of ours, is the likeliest file to be taken for a program. */
static bool is_trace(const char *at)
{
    struct gsim_scan_text key;
    for (const char *value = gsim_scan_next(at, &key, &at); value;
         value = gsim_scan_next(gsim_scan_skip(value), &key, &at))
        if (gsim_scan_is(&key, "traceEvents")) return true;
    return false;
}

static enum gsim_status read_guesses(struct gsim_reader *reader, struct gsim_fields *file)
{
    const char *at = NULL;
    char line[GSIM_NAME_ROOM];
    while (file->values[FILE_GUESSES]) {
        enum gsim_status status = gsim_fields_element(file, FILE_GUESSES, &at);
        if (status == GSIM_OK && at) status = gsim_fields_name_at(file, at, line);
        if (status != GSIM_OK || !at) return status;
        if (!gsim_program_guess(&reader->said, line)) return gsim_no_memory(reader->error);
        at = gsim_scan_skip(at);
    }
    return GSIM_OK;
}

static enum gsim_status read_file(struct gsim_reader *reader, const char *text, const struct gsim_scan_jump *jump,
                                  double *iterations)
{
    static const char *const schemas[] = {"gpusim-program/1", NULL};
    const char *values[FILE_FIELD_COUNT];
    struct gsim_fields fields = {.names = file_names, .values = values, .error = reader->error};
    enum gsim_status status = gsim_fields_read_jump(&fields, gsim_scan_start(text), NULL, jump);
    int schema = -1;
    char name[GSIM_NAME_ROOM];
    /* A file of another kind has other fields: that it is of another kind says more. */
    if (status == GSIM_INPUT && values[FILE_SCHEMA]) {
        enum gsim_status kind = gsim_fields_choice(&fields, FILE_SCHEMA, schemas, &schema);
        return kind == GSIM_OK ? status : kind;
    }
    if (status == GSIM_INPUT && *gsim_scan_start(text) == '{' && is_trace(gsim_scan_start(text)))
        return gsim_error_set(reader->error, GSIM_INPUT,
                              "expected a program, found a trace: gpusim import kineto makes a program of it");
    if (status == GSIM_OK) status = gsim_fields_choice(&fields, FILE_SCHEMA, schemas, &schema);
    if (status == GSIM_OK) status = gsim_fields_name(&fields, FILE_NAME, name);
    if (status == GSIM_OK) status = gsim_fields_integer(&fields, FILE_ITERATIONS, 1, GSIM_LIMIT_ITERATIONS, iterations);
    if (status == GSIM_OK) status = gsim_fields_require(&fields, FILE_OPS);
    if (status != GSIM_OK) return status;
    reader->builder = gsim_builder_create(name);
    if (!reader->builder) return gsim_no_memory(reader->error);
    status = read_list(reader, &fields, FILE_BUFFERS, read_buffer);
    if (status == GSIM_OK) status = read_list(reader, &fields, FILE_KERNELS, read_kernel);
    if (status == GSIM_OK) status = read_list(reader, &fields, FILE_OPS, gsim_reader_op);
    return status == GSIM_OK ? read_guesses(reader, &fields) : status;
}

static void release(struct gsim_reader *reader)
{
    gsim_builder_destroy(reader->builder);
    gsim_names_release(&reader->buffer_names);
    gsim_names_release(&reader->kernel_names);
    gsim_free(reader->buffers);
    gsim_free(reader->kernels);
    gsim_free(reader->args);
    gsim_free(reader->ordered);
    gsim_free(reader->after);
    gsim_free(reader->group);
    gsim_free(reader->segments);
    gsim_free(reader->pending);
    gsim_program_release(&reader->said);
    gsim_arena_release(&reader->arena);
}

enum gsim_status gsim_program_read(const char *path, struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_error own = {0};
    struct gsim_reader reader = {.error = error ? error : &own};
    double iterations = 1;
    size_t length = 0;
    struct gsim_scan_jump jump;
    char *text = gsim_file_read(path, &length, reader.error);
    enum gsim_status status = text ? gsim_scan_check_jump(text, length, &jump, reader.error) : reader.error->status;
    if (status == GSIM_OK) status = read_file(&reader, text, &jump, &iterations);
    if (status == GSIM_OK) {
        status = gsim_builder_finish(reader.builder, gsim_whole_u32(iterations), program, reader.error);
        reader.builder = NULL;
        if (status == GSIM_OK && !gsim_program_guess(program, reader.said.guesses)) {
            gsim_program_release(program);
            status = gsim_no_memory(reader.error);
        }
    }
    release(&reader);
    gsim_free(text);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(reader.error, "cannot read '%s'", path);
}
