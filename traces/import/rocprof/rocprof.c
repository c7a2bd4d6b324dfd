/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rocprofv3's JSON into records: of each process its agents, names of operations, kernels, and buffers of records
 * (kernel_dispatch, memory_copy, hip_api). Times are nanoseconds. A record joins its call by the internal correlation
 * id. Grids count threads. As CSV each kind is a file of its own: beside that of the kernels those of copies and calls
 * are read where they are.
 */
#include "traces/import/importers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpusim/limits.h"
#include "sim/base/scan.h"
#include "sim/base/gz.h"
#include "traces/import/copies.h"
#include "traces/import/records/records.h"
#include "traces/import/sniff.h"
#include "traces/import/values.h"

#define TIME_LIMIT_NS     4000000000000000000 /* 64 bits also hold sums with durations */
#define DURATION_LIMIT_NS 1000000000000000    /* GSIM_LIMIT_US */
#define CPU_AGENT         1                   /* rocprofiler_agent_type_t */

/* Names of the operations of one kind of record. */
struct operations {
    const char **names;
    size_t count, room;
};

struct symbol {
    uint64_t id;
    const char *name;
    uint32_t registers;
};

struct reader {
    struct gsim_records *records;
    struct gsim_error *error;
    struct operations *kinds;
    struct symbol *symbols;
    uint64_t *agents; /* handles of the GPUs */
    size_t kind_count, kind_room, symbol_count, symbol_room, agent_count, agent_room;
    uint32_t process;
    const char *list; /* being read, and which record of it */
    uint64_t index;
};

/* --- values ------------------------------------------------------------------------------------------------------- */
/* Numbers of 64 bits, of which a double would lose some; 0 for what is none. */
static uint64_t number(const char *value)
{
    return value && *value >= '0' && *value <= '9' ? strtoull(value, NULL, 10) : 0;
}

/* {"handle": 5} as 5. */
static uint64_t handle(const char *value)
{
    return value && *value == '{' ? number(gsim_value_member(value, "handle")) : number(value);
}

static enum gsim_status wrong(const struct reader *r, const char *expected)
{
    return gsim_error_set(r->error, GSIM_INPUT, "%s[%" PRIu64 "]: expected %s", r->list, r->index, expected);
}

/* Calls READ for each element of the list (or the object's members) at LIST, which may be missing. */
static enum gsim_status each(struct reader *r, const char *list, const char *name,
                             enum gsim_status (*read)(struct reader *, const char *))
{
    struct gsim_scan_text key;
    enum gsim_status status = GSIM_OK;
    if (!list || (*list != '[' && *list != '{')) return GSIM_OK;
    r->list = name;
    r->index = 0;
    GSIM_SCAN_WHILE(v, list, *list == '{' ? &key : NULL, status == GSIM_OK) {
        status = read(r, v);
        r->index++;
    }
    return status;
}

/* --- what records refer to --- */
static enum gsim_status read_operation(struct reader *r, const char *value)
{
    struct operations *kind = &r->kinds[r->kind_count - 1];
    const char *name = *value == '"' ? gsim_scan_copy(value, &r->records->arena) : NULL;
    return GSIM_ADD(r->error, kind->names, kind->count, kind->room, name ? name : "");
}

/* {"kind": "HIP_RUNTIME_API", "operations": [...]}: the number of a kind is its place in the list. */
static enum gsim_status read_kind(struct reader *r, const char *value)
{
    uint64_t index = r->index;
    if (!GSIM_APPEND(r->kinds, r->kind_count, r->kind_room, (struct operations){0})) return gsim_no_memory(r->error);
    enum gsim_status status = each(r, gsim_value_member(value, "operations"), "operations", read_operation);
    r->index = index;
    return status;
}

static enum gsim_status read_symbol(struct reader *r, const char *value)
{
    static const char *const names[] = {"kernel_id", "formatted_kernel_name", "demangled_kernel_name", "kernel_name",
                                        "arch_vgpr_count"};
    const char *found[5];
    gsim_values_find(value, names, 5, found);
    const char *text = found[1] ? found[1] : found[2] ? found[2] : found[3];
    const char *name = text && *text == '"' ? gsim_scan_copy(text, &r->records->arena) : NULL;
    uint64_t registers = number(found[4]);
    return GSIM_ADD(r->error, r->symbols, r->symbol_count, r->symbol_room,
                    (struct symbol){number(found[0]), name ? name : "unnamed",
                                    registers < GSIM_LIMIT_REGS ? (uint32_t)registers : GSIM_LIMIT_REGS});
}

/* Kernels are numbered in the order of their list, mostly. */
static const struct symbol *find_symbol(const struct reader *r, uint64_t id)
{
    if (id < r->symbol_count && r->symbols[id].id == id) return &r->symbols[id];
    for (size_t i = 0; i < r->symbol_count; i++)
        if (r->symbols[i].id == id) return &r->symbols[i];
    return NULL;
}

static enum gsim_status read_agent(struct reader *r, const char *value)
{
    static const char *const names[] = {"id", "type", "product_name", "name", "cu_count", "gfx_target_version"};
    const char *found[6];
    char name[64];
    gsim_values_find(value, names, 6, found);
    if (number(found[1]) == CPU_AGENT) return GSIM_OK;
    if (!GSIM_APPEND(r->agents, r->agent_count, r->agent_room, handle(found[0]))) return gsim_no_memory(r->error);
    if (r->records->gpu[0]) return GSIM_OK;
    for (int i = 2; i <= 3 && !r->records->gpu[0]; i++)
        if (found[i] && *found[i] == '"' && gsim_scan_string(found[i], name, sizeof name))
            snprintf(r->records->gpu, sizeof r->records->gpu, "%s", name);
    uint64_t version = number(found[5]) % 1000000; /* 90402: 9.4.2 */
    r->records->notes->sm_count = (double)(number(found[4]) % 100000);
    r->records->notes->compute_capability = (int)(10 * (version / 10000) + version / 100 % 10);
    return GSIM_OK;
}

/* GPUs are numbered by their place among the agents; what is not among them is one more. */
static uint32_t device_of(const struct reader *r, uint64_t agent)
{
    size_t i = 0;
    while (i < r->agent_count && r->agents[i] != agent) i++;
    return (uint32_t)i;
}

/* --- records --- */
enum { R_START, R_END, R_CORRELATION, R_STREAM, R_COUNT };
#define RECORD_MEMBERS "start_timestamp", "end_timestamp", "correlation_id", "stream_id"

static enum gsim_status read_times(const struct reader *r, const char *const found[R_COUNT], struct gsim_activity *work)
{
    uint64_t start = number(found[R_START]), end = number(found[R_END]);
    if (start > TIME_LIMIT_NS || end > TIME_LIMIT_NS || (end > start && end - start > DURATION_LIMIT_NS))
        return wrong(r, "times of nanoseconds, an end within 11 days of the start");
    work->start_ns = (int64_t)start;
    work->end_ns = (int64_t)end;
    work->process = r->process;
    const char *internal = found[R_CORRELATION] && *found[R_CORRELATION] == '{'
                               ? gsim_value_member(found[R_CORRELATION], "internal")
                               : found[R_CORRELATION];
    work->correlation = number(internal);
    return GSIM_OK;
}

static enum gsim_status add_work(struct reader *r, struct gsim_activity *work, struct gsim_work_shape *shape,
                                 const char *name, const struct gsim_stream_key *stream)
{
    enum gsim_status status = gsim_records_stream(r->records, stream, &work->stream);
    if (status == GSIM_OK) status = gsim_records_name(r->records, name, &shape->name);
    if (status == GSIM_OK) status = gsim_records_shape(r->records, shape, &work->shape);
    return status == GSIM_OK ? gsim_records_add_work(r->records, work) : status;
}

/* {"x": 64, "y": 1, "z": 1}; zeros where it is not there. */
static void read_size(const char *value, uint64_t size[3])
{
    static const char *const names[] = {"x", "y", "z"};
    const char *found[3];
    gsim_values_find(value, names, 3, found);
    for (int i = 0; i < 3; i++) size[i] = number(found[i]);
}

static enum gsim_status set_shape(const struct reader *r, const uint64_t threads[3], const uint64_t in_block[3],
                                  struct gsim_activity *work, struct gsim_work_shape *shape)
{
    uint64_t blocks[3];
    shape->grid = shape->block = (struct gsim_dim3){1, 1, 1};
    for (int i = 0; i < 3; i++) work->lacks_shape |= !threads[i] || !in_block[i];
    if (work->lacks_shape) return GSIM_OK;
    if (in_block[0] > GSIM_LIMIT_BLOCK_XY || in_block[1] > GSIM_LIMIT_BLOCK_XY || in_block[2] > GSIM_LIMIT_BLOCK_Z)
        return wrong(r, "a workgroup_size that a GPU can have");
    for (int i = 0; i < 3; i++) blocks[i] = threads[i] / in_block[i] + (threads[i] % in_block[i] != 0);
    if (blocks[0] > GSIM_LIMIT_GRID_X || blocks[1] > GSIM_LIMIT_GRID_YZ || blocks[2] > GSIM_LIMIT_GRID_YZ)
        return wrong(r, "a grid_size that a GPU can have");
    shape->grid = (struct gsim_dim3){(uint32_t)blocks[0], (uint32_t)blocks[1], (uint32_t)blocks[2]};
    shape->block = (struct gsim_dim3){(uint32_t)in_block[0], (uint32_t)in_block[1], (uint32_t)in_block[2]};
    return GSIM_OK;
}

/* By the stream, or by the queue in versions that do not record it. */
static enum gsim_status read_dispatch(struct reader *r, const char *value)
{
    enum { INFO = R_COUNT, COUNT };
    static const char *const names[] = {RECORD_MEMBERS, "dispatch_info"};
    enum { AGENT, QUEUE, KERNEL, GRID, BLOCK, SMEM, INFO_COUNT };
    static const char *const info_names[] = {"agent_id",  "queue_id",       "kernel_id",
                                             "grid_size", "workgroup_size", "group_segment_size"};
    const char *found[COUNT], *info[INFO_COUNT];
    struct gsim_activity work = {.kind = GSIM_ACTIVITY_KERNEL};
    struct gsim_work_shape shape = {0};
    gsim_values_find(value, names, COUNT, found);
    gsim_values_find(found[INFO], info_names, INFO_COUNT, info);
    uint64_t threads[3], in_block[3];
    read_size(info[GRID], threads);
    read_size(info[BLOCK], in_block);
    enum gsim_status status = read_times(r, found, &work);
    if (status == GSIM_OK) status = set_shape(r, threads, in_block, &work, &shape);
    if (status != GSIM_OK) return status;
    const struct symbol *symbol = find_symbol(r, number(info[KERNEL]));
    uint64_t smem = number(info[SMEM]);
    if (smem > GSIM_LIMIT_SMEM_BYTES) return wrong(r, "a group_segment_size that a GPU can have");
    shape.smem_bytes = (uint32_t)smem;
    shape.regs_per_thread = symbol ? symbol->registers : 0;
    uint32_t device = device_of(r, handle(info[AGENT]));
    const struct gsim_stream_key stream = {.process = r->process,
                                           .device = device,
                                           .gpu = device,
                                           .number = handle(found[R_STREAM] ? found[R_STREAM] : info[QUEUE])};
    return add_work(r, &work, &shape, symbol ? symbol->name : "unnamed", &stream);
}

static const char *operation_name(const struct reader *r, const char *kind, const char *operation)
{
    uint64_t k = number(kind), o = number(operation);
    return k < r->kind_count && o < r->kinds[k].count ? r->kinds[k].names[o] : "";
}

static enum gsim_status read_copy(struct reader *r, const char *value)
{
    enum { KIND = R_COUNT, OPERATION, FROM, TO, BYTES, COUNT };
    static const char *const names[] = {RECORD_MEMBERS, "kind", "operation", "src_agent_id", "dst_agent_id", "bytes"};
    const char *found[COUNT];
    struct gsim_activity work = {.kind = GSIM_ACTIVITY_COPY};
    gsim_values_find(value, names, COUNT, found);
    const struct gsim_copy_words words = gsim_copy_words(operation_name(r, found[KIND], found[OPERATION]));
    enum gsim_status status = read_times(r, found, &work);
    if (status != GSIM_OK) return status;
    if (words.is_host) {
        r->records->notes->host_copies++;
        return GSIM_OK;
    }
    work.bytes = number(found[BYTES]);
    if (work.bytes > GSIM_LIMIT_BYTES) return wrong(r, "bytes that memory can hold");
    work.lacks_size = !found[BYTES];
    work.copy_kind = words.kind;
    work.is_peer = words.kind == GSIM_COPY_D2D && handle(found[FROM]) != handle(found[TO]);
    uint32_t device = device_of(r, handle(words.kind == GSIM_COPY_D2H ? found[FROM] : found[TO]));
    const struct gsim_stream_key stream = {.process = r->process,
                                           .device = device,
                                           .gpu = device,
                                           .number = handle(found[R_STREAM])};
    return add_work(r, &work, &(struct gsim_work_shape){.grid = {1, 1, 1}, .block = {1, 1, 1}}, "memcpy", &stream);
}

static enum gsim_status read_call(struct reader *r, const char *value)
{
    enum { KIND = R_COUNT, OPERATION, THREAD, COUNT };
    static const char *const names[] = {RECORD_MEMBERS, "kind", "operation", "thread_id"};
    const char *found[COUNT];
    struct gsim_activity times = {0};
    gsim_values_find(value, names, COUNT, found);
    enum gsim_status status = read_times(r, found, &times);
    if (status != GSIM_OK) return status;
    const char *name = operation_name(r, found[KIND], found[OPERATION]);
    struct gsim_call call = {.start_ns = times.start_ns,
                                   .end_ns = times.end_ns,
                                   .process = r->process,
                                   .correlation = times.correlation,
                                   .thread = number(found[THREAD]),
                                   .kind = gsim_records_call_kind(name)};
    return gsim_records_add_named_call(r->records, &call, *name ? name : NULL);
}

/* --- CSV --- */
#define CSV_FIELDS 64 /* of a line: more are not looked at */
#define CSV_COLUMNS(X)                                                                                                 \
    X(START, "Start_Timestamp") X(END, "End_Timestamp") X(CORRELATION, "Correlation_Id") X(STREAM, "Stream_Id")        \
    X(QUEUE, "Queue_Id") X(AGENT, "Agent_Id") X(KERNEL, "Kernel_Name") X(REGISTERS, "VGPR_Count")                      \
    X(LDS, "LDS_Block_Size") X(GROUP, "Group_Segment_Size") X(BLOCK, "Workgroup_Size_X")                               \
    X(BLOCK_Y, "Workgroup_Size_Y") X(BLOCK_Z, "Workgroup_Size_Z") X(GRID, "Grid_Size_X")                               \
    X(GRID_Y, "Grid_Size_Y") X(GRID_Z, "Grid_Size_Z") X(DIRECTION, "Direction") X(FROM, "Source_Agent_Id")             \
    X(TO, "Destination_Agent_Id") X(FUNCTION, "Function") X(THREAD, "Thread_Id")
enum csv_column {
#define CSV_ENUM(key, name) C_##key,
    CSV_COLUMNS(CSV_ENUM)
#undef CSV_ENUM
    C_COUNT
};

struct csv {
    int at[C_COUNT]; /* fields of a line; -1: the file has no such column */
    char *fields[CSV_FIELDS];
    int count;
};

/* Cuts LINE in place. Quotes around a field are taken off, two of them within are one. */
static void cut_line(struct csv *c, char *line)
{
    for (c->count = 0; c->count < CSV_FIELDS && line;) {
        bool is_quoted = *line == '"';
        char *from = line + is_quoted, *to = from;
        c->fields[c->count++] = from;
        for (; *from && (is_quoted ? *from != '"' || from[1] == '"' : *from != ','); from++) {
            from += is_quoted && *from == '"';
            *to++ = *from;
        }
        if (is_quoted && *from) from++;
        line = *from == ',' ? from + 1 : NULL;
        *to = '\0';
    }
}

static const char *field(const struct csv *c, enum csv_column column)
{
    int at = c->at[column];
    return at >= 0 && at < c->count ? c->fields[at] : NULL;
}

/* "Agent 4" as 4. */
static uint64_t field_number(const struct csv *c, enum csv_column column)
{
    const char *text = field(c, column);
    return text ? number(text + strcspn(text, "0123456789")) : 0;
}

/* GPUs in the order in which they come. */
static enum gsim_status csv_stream(struct reader *r, const struct csv *c, enum csv_column agent,
                                   struct gsim_stream_key *stream)
{
    uint64_t id = field_number(c, agent);
    uint32_t device = device_of(r, id);
    if (device == r->agent_count) {
        if (!GSIM_APPEND(r->agents, r->agent_count, r->agent_room, id)) return gsim_no_memory(r->error);
    }
    *stream = (struct gsim_stream_key){.device = device, .gpu = device,
                                       .number = field_number(c, c->at[C_STREAM] >= 0 ? C_STREAM : C_QUEUE)};
    return GSIM_OK;
}

static enum gsim_status read_csv_work(struct reader *r, const struct csv *c, struct gsim_activity *work)
{
    bool is_kernel = c->at[C_KERNEL] >= 0;
    struct gsim_work_shape shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct gsim_stream_key stream;
    uint64_t threads[3], in_block[3], registers = field_number(c, C_REGISTERS),
             smem = field_number(c, c->at[C_LDS] >= 0 ? C_LDS : C_GROUP);
    const struct gsim_copy_words words = gsim_copy_words(is_kernel ? "" : field(c, C_DIRECTION));
    enum csv_column agent = is_kernel ? C_AGENT : words.kind == GSIM_COPY_D2H ? C_FROM : C_TO;
    enum gsim_status status = csv_stream(r, c, agent, &stream);
    for (int i = 0; i < 3; i++) {
        threads[i] = field_number(c, (enum csv_column)(C_GRID + i));
        in_block[i] = field_number(c, (enum csv_column)(C_BLOCK + i));
    }
    if (!is_kernel) {
        work->kind = GSIM_ACTIVITY_COPY;
        work->copy_kind = words.kind;
        work->lacks_size = true;
        work->is_peer = words.kind == GSIM_COPY_D2D && field_number(c, C_FROM) != field_number(c, C_TO);
    } else if (!status) {
        status = set_shape(r, threads, in_block, work, &shape);
        if (!status && smem > GSIM_LIMIT_SMEM_BYTES) status = wrong(r, "shared memory that a GPU can have");
        shape.smem_bytes = (uint32_t)smem;
        shape.regs_per_thread = registers < GSIM_LIMIT_REGS ? (uint32_t)registers : GSIM_LIMIT_REGS;
    }
    r->records->notes->host_copies += words.is_host;
    if (status || words.is_host) return status;
    return add_work(r, work, &shape, is_kernel ? field(c, C_KERNEL) : "memcpy", &stream);
}

static enum gsim_status read_csv_line(struct reader *r, const struct csv *c)
{
    const char *found[R_COUNT] = {field(c, C_START), field(c, C_END), field(c, C_CORRELATION)},
               *function = field(c, C_FUNCTION);
    struct gsim_activity work = {.kind = GSIM_ACTIVITY_KERNEL};
    bool is_work = field(c, C_KERNEL) || field(c, C_DIRECTION);
    if (!found[R_START] || !found[R_END] || (!is_work && !function))
        return wrong(r, "as many fields as the header has");
    enum gsim_status status = read_times(r, found, &work);
    if (status || is_work) return status ? status : read_csv_work(r, c, &work);
    struct gsim_call call = {.start_ns = work.start_ns,
                             .end_ns = work.end_ns,
                             .correlation = work.correlation,
                             .thread = field_number(c, C_THREAD),
                             .kind = gsim_records_call_kind(function)};
    return gsim_records_add_named_call(r->records, &call, *function ? function : NULL);
}

static enum gsim_status read_csv(struct reader *r, char *text)
{
    static const char *const names[] = {
#define CSV_NAME(key, name) name,
        CSV_COLUMNS(CSV_NAME)
#undef CSV_NAME
    };
    struct csv c;
    enum gsim_status status = GSIM_OK;
    r->list = "line";
    r->index = 0;
    for (char *line = text, *next; *line && !status; line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] == '\n');
        line[length] = '\0';
        if (length && line[length - 1] == '\r') line[length - 1] = '\0';
        r->index++;
        if (!*line) continue;
        cut_line(&c, line);
        if (r->index > 1) status = read_csv_line(r, &c);
        for (int k = 0; k < C_COUNT && r->index == 1; k++) {
            c.at[k] = c.count - 1;
            while (c.at[k] >= 0 && strcmp(c.fields[c.at[k]], names[k]) != 0) c.at[k]--;
        }
    }
    return status;
}

/* NAME_kernel_trace.csv at PATH, and NAME_memory_copy_trace.csv and NAME_hip_api_trace.csv beside it. */
static enum gsim_status read_beside(struct reader *r, const char *path)
{
    static const char kernels[] = "kernel_trace.csv", *const others[] = {"memory_copy_trace.csv", "hip_api_trace.csv"};
    size_t length = strlen(path), tail = sizeof kernels - 1;
    enum gsim_status status = GSIM_OK;
    if (length < tail || strcmp(path + length - tail, kernels) != 0) return GSIM_OK;
    for (int i = 0; i < 2 && !status; i++) {
        char beside[4096];
        size_t size;
        int made = snprintf(beside, sizeof beside, "%.*s%s", (int)(length - tail), path, others[i]);
        if (made >= (int)sizeof beside || access(beside, R_OK) != 0) continue;
        char *text = gsim_file_read(beside, &size, r->error);
        status = text ? read_csv(r, text) : r->error->status;
        gsim_free(text);
    }
    return status;
}

/* --- the file --- */
static enum gsim_status read_process(struct reader *r, const char *value)
{
    enum { AGENTS, STRINGS, SYMBOLS, RECORDS, COUNT };
    static const char *const names[] = {"agents", "strings", "kernel_symbols", "buffer_records"};
    const char *found[COUNT];
    uint64_t process = r->index;
    gsim_values_find(value, names, COUNT, found);
    r->process = (uint32_t)process;
    for (size_t i = 0; i < r->kind_count; i++) gsim_free(r->kinds[i].names);
    r->kind_count = r->symbol_count = r->agent_count = 0;
    enum gsim_status status = each(r, found[AGENTS], "agents", read_agent);
    if (status == GSIM_OK)
        status = each(r, gsim_value_member(found[STRINGS], "buffer_records"), "strings.buffer_records", read_kind);
    if (status == GSIM_OK) status = each(r, found[SYMBOLS], "kernel_symbols", read_symbol);
    if (status == GSIM_OK)
        status = each(r, gsim_value_member(found[RECORDS], "kernel_dispatch"), "kernel_dispatch", read_dispatch);
    if (status == GSIM_OK) status = each(r, gsim_value_member(found[RECORDS], "memory_copy"), "memory_copy", read_copy);
    if (status == GSIM_OK) status = each(r, gsim_value_member(found[RECORDS], "hip_api"), "hip_api", read_call);
    r->list = "rocprofiler-sdk-tool";
    r->index = process;
    return status;
}

static enum gsim_status read_text(struct reader *r, const char *text, size_t length)
{
    enum gsim_status status = gsim_scan_check(text, length, r->error);
    if (status != GSIM_OK) return status;
    const char *tool = gsim_value_member(gsim_scan_start(text), "rocprofiler-sdk-tool");
    if (!tool) return gsim_error_set(r->error, GSIM_INPUT, "expected rocprofiler-sdk-tool, found none");
    return *tool == '{' ? read_process(r, tool) : each(r, tool, "rocprofiler-sdk-tool", read_process);
}

static enum gsim_status read_file(const char *path, struct gsim_records *records, void *context)
{
    struct reader reader = {.records = records, .error = records->error};
    size_t length = 0;
    (void)context;
    char *text = gsim_file_read(path, &length, records->error);
    bool is_json = text && *gsim_scan_start(text) == '{';
    enum gsim_status status = is_json ? read_text(&reader, text, length)
                              : text  ? read_csv(&reader, text)
                                      : records->error->status;
    if (status == GSIM_OK && !is_json) status = read_beside(&reader, path);
    gsim_free(text);
    for (size_t i = 0; i < reader.kind_count; i++) gsim_free(reader.kinds[i].names);
    gsim_free(reader.kinds);
    gsim_free(reader.symbols);
    gsim_free(reader.agents);
    return status;
}

enum gsim_status gsim_import_rocprof(const char *path, const struct gsim_import_options *options,
                                     struct gsim_program *program, struct gsim_import_notes *notes,
                                     struct gsim_error *error)
{
    return gsim_records_import(path, read_file, NULL, options, program, notes, error);
}

bool gsim_sniff_rocprof(const struct gsim_sniff *sniff)
{
    if (*sniff->head == '{') return strstr(sniff->head, "\"rocprofiler-sdk-tool\"") != NULL;
    const char *end = strchr(sniff->head, '\n'), *start = strstr(sniff->head, "Start_Timestamp"),
               *kernel = strstr(sniff->head, "Kernel_Name");
    return start && kernel && end && start < end && kernel < end;
}
