/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of XLA's profiler (JAX, TensorFlow) into records: events of the processes "/device:GPU:N" on threads "Stream
 * #N(...)" are works, with kernel_details, memcpy_details or memset_details; host events with their correlation_id are
 * the calls. Names of processes and threads stand before the events. What records mean: traces/import/import.c.
 */
#include <stdlib.h>
#include <string.h>

#include "gpusim/limits.h"
#include "sim/base/scan.h"
#include "traces/events.h"
#include "traces/import/copies.h"
#include "traces/import/importers.h"
#include "traces/import/records/records.h"
#include "traces/import/sniff.h"
#include "traces/import/values.h"

#define NAME_ROOM     1024
#define DETAIL_ROOM   256
#define TIME_LIMIT_NS 4000000000000000000 /* 64 bits also hold durations added to it */
#define DEVICE        "/device:GPU:"
#define STREAM        "Stream #"
#define MODULE        ":XLA GPU module"

enum field { EV_PH, EV_NAME, EV_TS, EV_DUR, EV_PID, EV_TID, EV_ARGS, EV_COUNT };
static const char *const event_fields[EV_COUNT] = {"ph", "name", "ts", "dur", "pid", "tid", "args"};

enum argument { ARG_NAME, ARG_CORRELATION, ARG_KERNEL, ARG_MEMCPY, ARG_MEMSET, ARG_GRAPH, ARG_STEP, ARG_COUNT };
static const char *const argument_fields[ARG_COUNT] = {
    "name", "correlation_id", "kernel_details", "memcpy_details", "memset_details", "cuda_graph_id", "step_num"};

/* A process of a GPU (IS_STREAM: a thread of it that is a stream), by the hash of its id. */
struct place {
    uint64_t process, thread, number;
    bool is_stream;
};

struct reader {
    struct gsim_records *records;
    struct gsim_error *error;
    struct place *places;
    size_t place_count, place_room;
    uint64_t wait_thread;
    int64_t wait_end_ns; /* of the latest wait: others lie within */
};

struct event {
    struct reader *reader;
    const char *values[EV_COUNT], *args[ARG_COUNT];
    char name[NAME_ROOM];
    uint64_t process, thread;
    int64_t start_ns, end_ns;
};

static uint64_t id_of(const char *value) { return gsim_hash_value(GSIM_HASH_START, value); }

static void text_of(const char *value, char *room, size_t size)
{
    room[0] = '\0';
    if (value && *value == '"' && !gsim_scan_string(value, room, size)) room[0] = '\0';
}

/* The number behind NAME in details such as "regs:168 static_shared:0 size:4096"; 0: none. */
static double detail(const char *details, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = details; (at = strstr(at, name)) != NULL; at += length)
        if (at[length] == ':' && (at == details || at[-1] == ' ')) {
            double value = strtod(at + length + 1, NULL);
            return value > 0 && value < 9e15 ? value : 0;
        }
    return 0;
}

/* Three sizes, "grid:128,1,1". False: none that can be. */
static bool sizes(const char *details, const char *name, double most, struct gsim_dim3 *shape)
{
    unsigned long size[3] = {1, 1, 1};
    char *end, mark[16];
    snprintf(mark, sizeof mark, "%s:", name);
    const char *at = strstr(details, mark);
    if (!at) return false;
    at += strlen(mark);
    for (int i = 0; i < 3; i++) {
        size[i] = strtoul(at, &end, 10);
        if (end == at || size[i] < 1 || (double)size[i] > most) return false;
        at = *end == ',' ? end + 1 : end;
    }
    *shape = (struct gsim_dim3){(uint32_t)size[0], (uint32_t)size[1], (uint32_t)size[2]};
    return true;
}

/* --- who --- */
static struct place *find_place(struct reader *reader, uint64_t process, uint64_t thread, bool is_stream)
{
    for (size_t i = 0; i < reader->place_count; i++) {
        struct place *place = &reader->places[i];
        if (place->is_stream == is_stream && place->process == process && (!is_stream || place->thread == thread))
            return place;
    }
    return NULL;
}

/* "M" events name processes and threads. */
static enum gsim_status read_name(struct event *e)
{
    char name[NAME_ROOM];
    struct reader *reader = e->reader;
    bool is_process = gsim_value_is_text(e->values[EV_NAME], "process_name"),
         is_thread = gsim_value_is_text(e->values[EV_NAME], "thread_name");
    text_of(e->args[ARG_NAME], name, sizeof name);
    const char *device = is_process ? strstr(name, DEVICE) : NULL, *stream = is_thread ? strstr(name, STREAM) : NULL;
    if (!device && !stream) return GSIM_OK;
    struct place place = {.process = e->process, .thread = e->thread, .is_stream = stream != NULL};
    place.number = strtoull(device ? device + strlen(DEVICE) : stream + strlen(STREAM), NULL, 10);
    if (find_place(reader, place.process, place.thread, place.is_stream)) return GSIM_OK;
    return GSIM_ADD(reader->error, reader->places, reader->place_count, reader->place_room, place);
}

/* --- works --- */
static void read_copy(struct gsim_activity *work, const char *name, const char *details)
{
    const struct gsim_copy_words words = gsim_copy_words(name), memory = gsim_copy_words(details);
    work->copy_kind = words.kind;
    work->is_peer = words.is_peer;
    work->pageable = memory.is_pageable;
    work->pinned = memory.is_pinned;
    work->is_managed = memory.is_managed;
}

static enum gsim_status read_work(struct event *e, const struct place *device, const struct place *stream)
{
    struct gsim_records *r = e->reader->records;
    const char *details = e->args[ARG_KERNEL]   ? e->args[ARG_KERNEL]
                          : e->args[ARG_MEMCPY] ? e->args[ARG_MEMCPY]
                                                : e->args[ARG_MEMSET];
    struct gsim_activity work = {.kind = e->args[ARG_KERNEL]   ? GSIM_ACTIVITY_KERNEL
                                     : e->args[ARG_MEMCPY] ? GSIM_ACTIVITY_COPY
                                                           : GSIM_ACTIVITY_MEMSET,
                                 .start_ns = e->start_ns,
                                 .end_ns = e->end_ns,
                                 .correlation = gsim_value_id(e->args[ARG_CORRELATION])};
    struct gsim_work_shape launched = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    const struct gsim_stream_key key = {
        .device = (uint32_t)device->number, .gpu = (uint32_t)device->number, .number = stream->number};
    char text[DETAIL_ROOM];
    text_of(details, text, sizeof text);
    if (work.kind == GSIM_ACTIVITY_KERNEL) {
        work.lacks_shape = !sizes(text, "grid", GSIM_LIMIT_GRID_X, &launched.grid) ||
                           !sizes(text, "block", GSIM_LIMIT_BLOCK_THREADS, &launched.block);
        if (work.lacks_shape) launched.grid = launched.block = (struct gsim_dim3){1, 1, 1};
        launched.regs_per_thread = gsim_whole_u32(detail(text, "regs"));
        launched.smem_bytes = gsim_whole_u32(detail(text, "static_shared") + detail(text, "dynamic_shared"));
        if (launched.regs_per_thread > GSIM_LIMIT_REGS) launched.regs_per_thread = 0;
        if (launched.smem_bytes > GSIM_LIMIT_SMEM_BYTES) launched.smem_bytes = 0;
    } else {
        work.bytes = gsim_whole_u64(detail(text, "size"));
        work.lacks_size = !work.bytes && work.kind == GSIM_ACTIVITY_COPY;
    }
    if (work.kind == GSIM_ACTIVITY_COPY) read_copy(&work, e->name, text);
    enum gsim_status status = gsim_records_stream(r, &key, &work.stream);
    if (status == GSIM_OK)
        status = gsim_records_name(r, work.kind == GSIM_ACTIVITY_MEMSET ? "memset" : e->name, &launched.name);
    if (status == GSIM_OK) status = gsim_records_shape(r, &launched, &work.shape);
    return status == GSIM_OK ? gsim_records_add_work(r, &work) : status;
}

/* --- the host --- */
static bool is_wait(const char *name)
{
    static const char *const parts[] = {"block_until_ready", "BlockUntilReady", "BlockHostUntilDone",
                                        "PJRT_Event_Await", "PjRtFuture::Await"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

/* A call that made works; a wait for the results, which is taken for one for the whole GPU. */
static enum gsim_status read_call(struct event *e)
{
    struct reader *reader = e->reader;
    struct gsim_call call = {.start_ns = e->start_ns,
                             .end_ns = e->end_ns,
                             .thread = e->thread,
                             .correlation = gsim_value_id(e->args[ARG_CORRELATION])};
    call.kind = strstr(e->name, "GraphLaunch")               ? GSIM_CALL_GRAPH
                : e->args[ARG_MEMCPY] || e->args[ARG_MEMSET] ? GSIM_CALL_OTHER
                                                             : GSIM_CALL_LAUNCH;
    if (!call.correlation) {
        if (reader->wait_thread == e->thread && e->start_ns < reader->wait_end_ns) return GSIM_OK;
        reader->wait_thread = e->thread;
        reader->wait_end_ns = e->end_ns;
        call.kind = GSIM_CALL_SYNC_DEVICE;
    }
    return gsim_records_add_named_call(reader->records, &call, e->name);
}

/* A module of XLA and what the program named with a number are annotations; "$file.py:1 f" are functions of Python. */
static enum gsim_status read_host_event(struct event *e)
{
    struct gsim_records *r = e->reader->records;
    const struct gsim_import_options *options = r->options;
    bool is_module = strstr(e->name, MODULE) != NULL,
         is_step = gsim_value_id(e->args[ARG_STEP]) || gsim_value_digits(e->args[ARG_STEP]);
    enum gsim_status status = GSIM_OK;
    if (is_step || is_module || options->part.between) {
        char name[NAME_ROOM + 24];
        snprintf(name, sizeof name, is_step ? "%s#%llu" : "%s", e->name,
                 (unsigned long long)gsim_value_id(e->args[ARG_STEP]));
        status = gsim_records_add_annotation(r, name, e->start_ns, e->end_ns);
    }
    if (status != GSIM_OK || (!options->removes_overhead && (!options->steps || options->times))) return status;
    struct gsim_host_event event = {e->start_ns, e->end_ns - e->start_ns, GSIM_NO_NAME,
                                    e->name[0] == '$' ? GSIM_HOST_FUNCTION
                                    : is_step         ? GSIM_HOST_ANNOTATION
                                                      : GSIM_HOST_CALL};
    if (event.length_ns >= GSIM_NAMED_FROM_NS) status = gsim_records_name(r, e->name, &event.name);
    return status == GSIM_OK ? gsim_records_add_host_event(r, &event) : status;
}

static bool read_times(struct event *e)
{
    const char *start = gsim_value_digits(e->values[EV_TS]), *length = gsim_value_digits(e->values[EV_DUR]);
    if (!start) return false;
    e->start_ns = gsim_value_ns(start);
    int64_t ns = length ? gsim_value_ns(length) : 0;
    if (e->start_ns > TIME_LIMIT_NS || e->start_ns < 0) return false;
    e->end_ns = e->start_ns + (ns > GSIM_ENDLESS_NS ? GSIM_ENDLESS_NS : ns < 0 ? 0 : ns);
    return true;
}

static enum gsim_status read_event(void *context, uint64_t index, const char *text, struct gsim_error *error)
{
    struct event e = {.reader = context};
    struct reader *reader = context;
    (void)index;
    reader->error = error;
    text = gsim_scan_start(text);
    if (*text != '{') return gsim_error_set(error, GSIM_INPUT, "expected an event, found another value");
    gsim_values_find(text, event_fields, EV_COUNT, e.values);
    gsim_values_find(e.values[EV_ARGS], argument_fields, ARG_COUNT, e.args);
    e.process = id_of(e.values[EV_PID]);
    e.thread = gsim_hash_value(e.process, e.values[EV_TID]);
    if (gsim_value_is_text(e.values[EV_PH], "M")) return read_name(&e);
    if (!gsim_value_is_text(e.values[EV_PH], "X")) return GSIM_OK;
    const struct place *device = find_place(reader, e.process, 0, false),
                       *stream = device ? find_place(reader, e.process, e.thread, true) : NULL;
    bool is_work = e.args[ARG_KERNEL] || e.args[ARG_MEMCPY] || e.args[ARG_MEMSET];
    if (device && (!stream || !is_work)) return GSIM_OK; /* lines derived from others: modules, operators */
    if (!read_times(&e)) {
        reader->records->notes->damaged++;
        return GSIM_OK;
    }
    text_of(e.values[EV_NAME], e.name, sizeof e.name);
    if (!e.name[0]) snprintf(e.name, sizeof e.name, "unnamed");
    if (device) return read_work(&e, device, stream);
    enum gsim_status status = gsim_value_id(e.args[ARG_CORRELATION]) || is_wait(e.name) ? read_call(&e) : GSIM_OK;
    return status == GSIM_OK ? read_host_event(&e) : status;
}

static enum gsim_status skip_header(void *context, const char *name, const char *text, struct gsim_error *error)
{
    (void)context, (void)name, (void)text, (void)error;
    return GSIM_OK;
}

static void skip_damaged(void *context) { ((struct reader *)context)->records->notes->damaged++; }

static void tell_progress(void *context, double ratio)
{
    gsim_records_progress(((struct reader *)context)->records, ratio);
}

static enum gsim_status read_file(const char *path, struct gsim_records *records, void *context)
{
    struct reader reader = {.records = records, .error = records->error};
    struct gsim_events_handler handler = {.event = read_event,
                                          .header = skip_header,
                                          .damaged = skip_damaged,
                                          .progress = tell_progress,
                                          .context = &reader};
    (void)context;
    records->has_framework = records->is_xla = true;
    enum gsim_status status = gsim_events_read(path, &handler, records->error);
    if (status == GSIM_OK && !records->work_count)
        status = gsim_error_set(records->error, GSIM_INPUT,
                                "expected kernels, copies or memsets on threads \"" STREAM
                                "N(...)\" of a process \"" DEVICE "N\", found none");
    gsim_free(reader.places);
    return status;
}

enum gsim_status gsim_import_xla(const char *path, const struct gsim_import_options *options,
                                 struct gsim_program *program, struct gsim_import_notes *notes,
                                 struct gsim_error *error)
{
    return gsim_records_import(path, read_file, NULL, options, program, notes, error);
}

bool gsim_sniff_xla(const struct gsim_sniff *sniff)
{
    return gsim_sniff_chrome(sniff) && strstr(sniff->head, "\"" DEVICE) != NULL && !strstr(sniff->head, "\"cat\"");
}
