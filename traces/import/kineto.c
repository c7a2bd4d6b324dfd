/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kineto's events into records: categories kernel, gpu_memcpy, gpu_memset, cuda_runtime, cuda_driver, cuda_sync
 * (field names: libkineto, CuptiActivity.cpp). All else is passed over. What records mean: traces/import/import.c.
 */
#include "traces/import/importers.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "gpusim/limits.h"
#include "sim/base/scan.h"
#include "traces/events.h"
#include "traces/import/copies.h"
#include "traces/import/records/records.h"
#include "traces/import/sniff.h"
#include "traces/import/pytorch/kineto_header.h"
#include "traces/import/values.h"

#define NAME_ROOM     4096
#define TIME_LIMIT_NS 4000000000000000000 /* 64 bits also hold durations added to it */

/* What events are, by the names that the profiler's versions and backends give their categories, without regard to
 * case: PyTorch 1.8 to 1.10 say Kernel, Memcpy, Memset, Runtime; AMD's and Intel's name their own runtimes. */
enum category {
    CAT_KERNEL,
    CAT_MEMCPY,
    CAT_MEMSET,
    CAT_CALL,
    CAT_SYNC,
    CAT_ANNOTATION,
    CAT_OPERATOR,
    CAT_FUNCTION,
    CAT_COUNT
};
static const struct {
    const char *name;
    enum category category;
} categories[] = {
    {"kernel", CAT_KERNEL},
    {"gpu_memcpy", CAT_MEMCPY},
    {"gpu_memset", CAT_MEMSET},
    {"cuda_runtime", CAT_CALL},
    {"cuda_driver", CAT_CALL},
    {"cuda_sync", CAT_SYNC},
    {"runtime", CAT_CALL},
    {"memcpy", CAT_MEMCPY},
    {"memset", CAT_MEMSET},
    {"hip_runtime", CAT_CALL},
    {"hip_driver", CAT_CALL},
    {"xpu_runtime", CAT_CALL},
    {"xpu_driver", CAT_CALL},
    {"driver", CAT_CALL},
    {"gpu_kernel", CAT_KERNEL},
    {"cpu_op", CAT_OPERATOR},
    {"operator", CAT_OPERATOR},
    {"user_annotation", CAT_ANNOTATION},
    {"python_function", CAT_FUNCTION},
    {"privateuse1_runtime", CAT_CALL},
    {"privateuse1_driver", CAT_CALL},
};

enum field { EV_PH, EV_CAT, EV_NAME, EV_TS, EV_DUR, EV_PID, EV_TID, EV_ARGS, EV_COUNT };
static const char *const event_fields[EV_COUNT] = {"ph", "cat", "name", "ts", "dur", "pid", "tid", "args"};

/* clang-format off */
#define ARGS(X)                                                                                     \
    X(DEVICE, "device") X(CONTEXT, "context") X(STREAM, "stream") X(CORRELATION, "correlation")     \
    X(REGS, "registers per thread") X(SMEM, "shared memory") X(GRID, "grid") X(BLOCK, "block")      \
    X(BYTES, "bytes") X(SYNC_KIND, "cuda_sync_kind") X(WAIT_ON, "wait_on_stream")                   \
    X(RECORD, "wait_on_cuda_event_record_corr_id") X(SIZE, "size") X(QUEUE, "queue")                \
    X(SYCL_QUEUE, "sycl queue") X(EXTERNAL, "External id") X(FUNCTION, "Record function id") \
    X(COLLECTIVE, "Collective name") X(IN_COUNT, "In msg nelems") X(OUT_COUNT, "Out msg nelems") X(TYPE, "dtype") \
    X(GROUP, "Process Group Ranks") X(GROUP_NAME, "Process Group Name") \
    X(SRC, "Src Rank") X(DST, "Dst Rank") X(DIMS, "Input Dims") X(CLUSTER, "cluster") X(NODE, "graph node id")
/* clang-format on */
#define ARG_ID(id, name)   ARG_##id,
#define ARG_NAME(id, name) name,
enum argument { ARGS(ARG_ID) ARG_COUNT };
static const char *const argument_fields[ARG_COUNT] = {ARGS(ARG_NAME)};

/* A "B" event that waits for its "E". */
struct begun {
    uint64_t thread;
    char *text;
};

struct reader {
    struct gsim_records *records;
    struct begun *begun;
    size_t begun_count, begun_room;
    uint64_t other, uncategorised; /* events of other categories with a duration; those of them without one */
    char other_first[48];          /* category of the first, or its name */
    uint64_t unread; /* of our categories, but of a phase that says no duration */
};

/* One event while it is read: where its values stand. */
struct event {
    struct reader *reader;
    const char *end; /* of a pair: the time of its "E"; NULL: DUR says it */
    struct gsim_records *records;
    struct gsim_error *error;
    const char *values[EV_COUNT], *args[ARG_COUNT];
    bool failed;
};

static void wrong(struct event *e, const char *field, const char *expected, const char *value)
{
    char text[64];
    if (e->failed) return;
    e->failed = true;
    gsim_error_set(e->error, GSIM_INPUT, "%s: expected %s, found %s", field, expected,
                   value ? gsim_scan_found(value, text, sizeof text) : "nothing");
}

static enum category category_of(const char *value)
{
    if (!value || *value != '"') return CAT_COUNT;
    size_t length = strcspn(value + 1, "\"");
    for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++)
        if (strlen(categories[i].name) == length && strncasecmp(categories[i].name, value + 1, length) == 0)
            return categories[i].category;
    return CAT_COUNT;
}

static bool is_number(const char *value) { return gsim_value_digits(value) != NULL; }

/* 0 where it is missing: traces/import/import.c knows what to do. A duration too long to be one is an overflow, whose
 * end is cut there. */
static int64_t time_ns(struct event *e, enum field field)
{
    const char *value = field == EV_DUR && e->end ? e->end : e->values[field], *digits = gsim_value_digits(value);
    if (gsim_value_is_missing(value)) return 0;
    int64_t ns = digits ? gsim_value_ns(digits) : 0;
    bool is_duration = field == EV_DUR && !e->end;
    if (!digits || (!is_duration && (ns > TIME_LIMIT_NS || ns < -TIME_LIMIT_NS))) {
        wrong(e, event_fields[field], "a time in microseconds", value);
        return 0;
    }
    if (field == EV_DUR && e->end) ns -= time_ns(e, EV_TS);
    if (field == EV_DUR && ns > GSIM_ENDLESS_NS) return GSIM_ENDLESS_NS;
    return field == EV_DUR && ns < -GSIM_ENDLESS_NS ? -GSIM_ENDLESS_NS : ns;
}

/* A whole number from 0 to MOST; OTHERWISE where it is missing (NAN: it must be there). */
static double whole(struct event *e, enum argument argument, double most, double otherwise)
{
    char place[64];
    const char *value = e->args[argument];
    if (gsim_value_is_missing(value) && !isnan(otherwise)) return otherwise;
    double number = gsim_value_number(value, NAN);
    bool may_be_unknown = argument == ARG_REGS || argument == ARG_SMEM || argument == ARG_CORRELATION;
    if (number == -1 && may_be_unknown) return otherwise;
    if (number >= 0 && number <= most && number == floor(number)) return number;
    snprintf(place, sizeof place, "args.%s", argument_fields[argument]);
    wrong(e, place, "a whole number that is not negative", value);
    return 0;
}

/* Of three sizes at VALUE. False where they say nothing: none, or all 0. */
static bool has_sizes(const char *value)
{
    double sizes[3] = {0};
    const char *first;
    int count = gsim_value_sizes(value, INFINITY, sizes, &first);
    return !gsim_value_is_missing(value) && !(count == 3 && sizes[0] == 0 && sizes[1] == 0 && sizes[2] == 0);
}

static struct gsim_dim3 shape(struct event *e, enum argument argument, double most)
{
    double sizes[3] = {1, 1, 1};
    char place[64];
    const char *bad, *value = e->args[argument];
    int count = gsim_value_sizes(value, most, sizes, &bad);
    snprintf(place, sizeof place, "args.%s", argument_fields[argument]);
    if (bad) wrong(e, place, "three positive whole numbers within CUDA's limits", bad);
    if (count != 3) wrong(e, place, count ? "three whole numbers" : "a list of three whole numbers", value);
    if (e->failed) return (struct gsim_dim3){1, 1, 1};
    return (struct gsim_dim3){gsim_whole_u32(sizes[0]), gsim_whole_u32(sizes[1]), gsim_whole_u32(sizes[2])};
}

/* Correlation ids are of one process, which Kineto does not give with works on a GPU: 0. In traces of several ranks
 * that were merged into one, all process ids are texts such as "[TP00] 100" or "100_rank0": what stands beside the
 * number is the rank. */
static uint32_t rank_of(struct event *e)
{
    const char *value = e->values[EV_PID];
    if (!value || *value != '"') return 0;
    const char *from = value + 1;
    size_t length = strcspn(from, "\""), digits = strspn(from, "0123456789");
    from += digits; /* "100_rank0" */
    length -= digits;
    while (!digits && length && from[length - 1] >= '0' && from[length - 1] <= '9') length--;
    if (!length) return 0;
    uint32_t rank = (uint32_t)gsim_hash_bytes(GSIM_HASH_START, from, length) | 1;
    if (gsim_records_add_rank(e->records, rank, from, length) != GSIM_OK) e->failed = true;
    return rank;
}

static uint32_t stream_index(struct event *e, const char *value)
{
    uint32_t index = GSIM_NO_STREAM, rank = rank_of(e);
    struct gsim_stream_key key = {.process = rank};
    if (!gsim_value_stream(value, &key.number)) return GSIM_NO_STREAM;
    /* The same device number in two ranks is two GPUs. */
    key.gpu = gsim_whole_u32(whole(e, ARG_DEVICE, UINT32_MAX, 0));
    key.device = key.gpu ^ rank;
    key.context = gsim_whole_u32(whole(e, ARG_CONTEXT, UINT32_MAX, 0));
    if (!e->failed && gsim_records_stream(e->records, &key, &index) != GSIM_OK) e->failed = true;
    return index;
}

/* Of a work: args.stream, Intel's queue, or the track that it is drawn on. */
static uint32_t work_stream(struct event *e)
{
    const char *values[] = {e->args[ARG_STREAM], e->args[ARG_SYCL_QUEUE], e->args[ARG_QUEUE], e->values[EV_TID]};
    uint64_t number;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (values[i] && gsim_value_stream(values[i], &number)) return stream_index(e, values[i]);
    wrong(e, "args.stream", "the number of a stream", e->args[ARG_STREAM]);
    return GSIM_NO_STREAM;
}

/* In ROOM; a longer one, which is rare, in the records' arena. */
static const char *name_of(struct event *e, char room[NAME_ROOM])
{
    const char *value = e->values[EV_NAME], *text = NULL;
    if (value && *value == '"') {
        text = gsim_scan_string(value, room, NAME_ROOM);
        if (!text && gsim_scan_skip(value) - value > NAME_ROOM) text = gsim_scan_copy(value, &e->records->arena);
    }
    return text ? text : "unnamed";
}

static enum gsim_status read_collective(struct event *e, struct gsim_activity *work)
{
    const struct gsim_collective_words words = {e->args[ARG_COLLECTIVE], e->args[ARG_IN_COUNT], e->args[ARG_OUT_COUNT],
                                                e->args[ARG_TYPE],       e->args[ARG_GROUP],    e->args[ARG_GROUP_NAME],
                                                e->args[ARG_SRC],        e->args[ARG_DST]};
    return gsim_records_add_collective(e->records, &words, work);
}

static enum gsim_status read_work(struct event *e)
{
    enum category category = category_of(e->values[EV_CAT]);
    struct gsim_activity work = {.kind = category == CAT_KERNEL   ? GSIM_ACTIVITY_KERNEL
                                     : category == CAT_MEMCPY ? GSIM_ACTIVITY_COPY
                                                              : GSIM_ACTIVITY_MEMSET};
    struct gsim_work_shape launched = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    work.start_ns = time_ns(e, EV_TS);
    work.end_ns = work.start_ns + time_ns(e, EV_DUR);
    if (work.start_ns < 0) wrong(e, "ts", "a time that is not negative", e->values[EV_TS]);
    if (e->failed) return GSIM_INPUT;
    work.process = rank_of(e);
    work.correlation = gsim_whole_u64(whole(e, ARG_CORRELATION, 9e15, 0));
    work.stream = work_stream(e);
    work.node = gsim_whole_u64(whole(e, ARG_NODE, 1.8e19, 0));
    work.external = gsim_value_id(e->args[ARG_EXTERNAL]);
    if (e->failed) return e->error->status;
    /* What AMD's and Intel's profilers leave out, the launch call may say: traces/import/import.c. */
    work.lacks_size = category == CAT_MEMCPY && gsim_value_is_missing(e->args[ARG_BYTES]);
    work.bytes = gsim_whole_u64(whole(e, ARG_BYTES, (double)GSIM_LIMIT_BYTES, 0));
    if (category == CAT_KERNEL) {
        work.lacks_shape = !has_sizes(e->args[ARG_GRID]) || !has_sizes(e->args[ARG_BLOCK]);
        if (!work.lacks_shape) launched.grid = shape(e, ARG_GRID, GSIM_LIMIT_GRID_X);
        if (!work.lacks_shape) launched.block = shape(e, ARG_BLOCK, GSIM_LIMIT_BLOCK_THREADS);
        launched.regs_per_thread = gsim_whole_u32(whole(e, ARG_REGS, GSIM_LIMIT_REGS, 0));
        launched.smem_bytes = gsim_whole_u32(whole(e, ARG_SMEM, GSIM_LIMIT_SMEM_BYTES, 0));
    }
    if (category == CAT_KERNEL && e->args[ARG_CLUSTER]) launched.cluster = shape(e, ARG_CLUSTER, GSIM_LIMIT_CLUSTER);
    if (e->failed) return e->error->status;
    char room[NAME_ROOM];
    const char *name = category == CAT_MEMSET ? "memset" : name_of(e, room);
    if (category == CAT_MEMCPY) {
        const struct gsim_copy_words words = gsim_copy_words(name);
        work.copy_kind = words.kind;
        work.pageable = words.is_pageable;
        work.pinned = words.is_pinned;
        work.is_peer = words.is_peer;
        work.is_managed = words.is_managed;
        e->records->notes->host_copies += words.is_host;
        if (words.is_host) return GSIM_OK;
    }
    e->records->notes->pageable += work.pageable;
    enum gsim_status status = gsim_records_name(e->records, name, &launched.name);
    if (status == GSIM_OK && category == CAT_KERNEL && e->args[ARG_COLLECTIVE]) status = read_collective(e, &work);
    if (status == GSIM_OK) status = gsim_records_shape(e->records, &launched, &work.shape);
    return status == GSIM_OK ? gsim_records_add_work(e->records, &work) : status;
}

static enum gsim_status read_gradient(struct event *e)
{
    char room[NAME_ROOM];
    const char *name = name_of(e, room);
    int64_t start_ns = time_ns(e, EV_TS);
    return gsim_records_add_gradient(e->records, name, start_ns, start_ns + time_ns(e, EV_DUR),
                                     gsim_value_member(e->values[EV_ARGS], argument_fields[ARG_DIMS]));
}

static enum gsim_status read_product(struct event *e)
{
    int before = gsim_product_operands(e->values[EV_NAME]);
    if (before < 0) return GSIM_OK;
    gsim_values_find(e->values[EV_ARGS], argument_fields, ARG_COUNT, e->args);
    return gsim_records_add_product(e->records, before, gsim_value_id(e->args[ARG_EXTERNAL]), e->args[ARG_DIMS]);
}

static enum gsim_status read_operator(struct event *e)
{
    const struct gsim_operator item = {gsim_whole_u64(whole(e, ARG_EXTERNAL, 9e15, 0)),
                                       gsim_whole_u64(whole(e, ARG_FUNCTION, 9e15, 0))};
    if (e->failed) return e->error->status;
    return item.external && item.record_function ? gsim_records_add_operator(e->records, &item) : GSIM_OK;
}

/* What the call says of the work that it makes: AMD's kernels have no shape of their own. */
static enum gsim_status read_launch(struct event *e, struct gsim_call *call)
{
    struct event asked = *e; /* what it says wrong nobody needs to know */
    struct gsim_error ignored = {0};
    asked.error = &ignored;
    struct gsim_launch launch = {.bytes = gsim_whole_u64(whole(&asked, ARG_SIZE, (double)GSIM_LIMIT_BYTES, 0))};
    asked.failed = !has_sizes(e->args[ARG_GRID]) || !has_sizes(e->args[ARG_BLOCK]);
    if (!asked.failed) {
        launch.grid = shape(&asked, ARG_GRID, GSIM_LIMIT_GRID_X);
        launch.block = shape(&asked, ARG_BLOCK, GSIM_LIMIT_BLOCK_THREADS);
        launch.smem_bytes = gsim_whole_u32(whole(&asked, ARG_SMEM, GSIM_LIMIT_SMEM_BYTES, 0));
    }
    if (asked.failed) launch = (struct gsim_launch){.bytes = launch.bytes};
    return asked.failed && !launch.bytes ? GSIM_OK : gsim_records_add_launch(e->records, &launch, &call->launch);
}

/* Thread ids are numbers or texts: any value that tells threads apart will do. */
static uint64_t thread_of(const struct event *e)
{
    return gsim_hash_value(gsim_hash_value(GSIM_HASH_START, e->values[EV_PID]), e->values[EV_TID]);
}

/* What the trace says of a host thread's time. A wrong time is of no concern. */
static enum gsim_status read_span(struct event *e, bool is_operator)
{
    struct event asked = *e;
    struct gsim_error ignored = {0};
    char room[NAME_ROOM];
    asked.error = &ignored;
    int64_t start_ns = time_ns(&asked, EV_TS), length_ns = time_ns(&asked, EV_DUR);
    if (asked.failed || gsim_value_is_missing(e->values[EV_TS])) return GSIM_OK;
    const char *name = name_of(e, room);
    bool reads = strcmp(name, "aten::item") == 0 || strcmp(name, "aten::_local_scalar_dense") == 0;
    enum gsim_status status = reads ? gsim_records_add_read(e->records, start_ns + length_ns) : GSIM_OK;
    return status == GSIM_OK ? gsim_records_add_named_span(e->records, name, thread_of(e), start_ns,
                                                           start_ns + length_ns, is_operator)
                             : status;
}

static enum gsim_status read_call(struct event *e)
{
    struct gsim_call call = {.start_ns = time_ns(e, EV_TS)};
    call.end_ns = call.start_ns + (e->values[EV_DUR] ? time_ns(e, EV_DUR) : 0);
    call.correlation = gsim_whole_u64(whole(e, ARG_CORRELATION, 9e15, 0));
    call.thread = thread_of(e);
    if (e->failed) return e->error->status;
    char room[NAME_ROOM];
    const char *name = name_of(e, room);
    call.kind = gsim_records_call_kind(name);
    call.process = rank_of(e);
    enum gsim_status status = read_launch(e, &call);
    if (status != GSIM_OK) return status;
    return gsim_records_add_named_call(e->records, &call, name);
}

static enum gsim_status read_sync(struct event *e)
{
    struct gsim_sync sync = {.source = GSIM_NO_STREAM};
    bool is_wait = gsim_value_is_text(e->args[ARG_SYNC_KIND], "Stream Wait Event") ||
                   gsim_value_is_text(e->values[EV_NAME], "Stream Wait Event");
    sync.start_ns = time_ns(e, EV_TS);
    sync.kind = is_wait ? GSIM_SYNC_WAIT : GSIM_SYNC_STREAM;
    sync.correlation = gsim_whole_u64(whole(e, ARG_CORRELATION, 9e15, 0));
    sync.process = rank_of(e);
    sync.stream = e->args[ARG_STREAM] ? stream_index(e, e->args[ARG_STREAM]) : GSIM_NO_STREAM;
    if (is_wait && e->args[ARG_WAIT_ON]) sync.source = stream_index(e, e->args[ARG_WAIT_ON]);
    if (is_number(e->args[ARG_RECORD]) && *e->args[ARG_RECORD] != '-')
        sync.record = gsim_whole_u64(whole(e, ARG_RECORD, 9e15, 0));
    if (e->failed) return e->error->status;
    if (sync.stream == GSIM_NO_STREAM) return GSIM_OK; /* of the device or an event: the call says so */
    return gsim_records_add_sync(e->records, &sync);
}

/* What the program named: kept where a part is asked for by name. */
static enum gsim_status read_annotation(struct event *e)
{
    const struct gsim_import_part *part = &e->records->options->part;
    char room[NAME_ROOM];
    if (!part->has_step && !part->between && !part->takes_typical && !e->records->options->steps) return GSIM_OK;
    int64_t start_ns = time_ns(e, EV_TS), length_ns = time_ns(e, EV_DUR);
    if (e->failed) return e->error->status;
    return gsim_records_add_annotation(e->records, name_of(e, room), start_ns, start_ns + length_ns);
}

static void note_other(struct event *e)
{
    struct reader *reader = e->reader;
    const char *category = e->values[EV_CAT];
    const char *first = category ? category : e->values[EV_NAME];
    reader->uncategorised += !category;
    if (reader->other++ || !first || *first != '"') return;
    if (!gsim_scan_string(first, reader->other_first, sizeof reader->other_first)) reader->other_first[0] = '\0';
}

/* What the host did: kept where the profiler's share or steps are asked for. */
static enum gsim_status read_host_event(struct event *e, enum category category)
{
    const struct gsim_import_options *options = e->records->options;
    struct gsim_host_event event = {.name = GSIM_NO_NAME};
    char room[NAME_ROOM];
    if (!options->removes_overhead && (!options->steps || options->times)) return GSIM_OK; /* a comparison needs none */
    e->records->has_autograd |=
        category == CAT_OPERATOR && e->values[EV_NAME] && strncmp(e->values[EV_NAME], "\"autograd::engine", 17) == 0;
    if (gsim_value_is_missing(e->values[EV_TS]) || (gsim_value_is_missing(e->values[EV_DUR]) && !e->end))
        return GSIM_OK;
    if (category == CAT_OPERATOR)
        event.kind = gsim_records_is_range(e->values[EV_NAME]) ? GSIM_HOST_RANGE : GSIM_HOST_OPERATOR;
    else if (category == CAT_CALL) event.kind = GSIM_HOST_CALL;
    else if (category == CAT_ANNOTATION) event.kind = GSIM_HOST_ANNOTATION;
    else if (category == CAT_FUNCTION) event.kind = GSIM_HOST_FUNCTION;
    else if (gsim_value_is_text(e->values[EV_CAT], "overhead")) event.kind = GSIM_HOST_PAUSE;
    else return GSIM_OK;
    struct event asked = *e; /* what it says wrong nobody needs to know */
    struct gsim_error ignored = {0};
    asked.error = &ignored;
    event.start_ns = time_ns(&asked, EV_TS);
    event.length_ns = time_ns(&asked, EV_DUR);
    if (asked.failed) return GSIM_OK;
    if (category == CAT_OPERATOR && !e->records->is_observed) {
        const char *function = gsim_value_member(e->values[EV_ARGS], argument_fields[ARG_FUNCTION]);
        e->records->is_observed = gsim_value_number(function, 0) > 0;
    }
    enum gsim_status status =
        event.length_ns >= GSIM_NAMED_FROM_NS ? gsim_records_name(e->records, name_of(e, room), &event.name) : GSIM_OK;
    if (status == GSIM_OK && category == CAT_CALL && e->records->recorded.cost.is_known)
        return gsim_recorded_call(e->records, &event, e->values[EV_NAME], e->values[EV_ARGS]);
    return status == GSIM_OK ? gsim_records_add_host_event(e->records, &event) : status;
}

static enum gsim_status read_whole(struct event *e)
{
    static enum gsim_status (*const readers[])(struct event *) = {
        [CAT_KERNEL] = read_work,  [CAT_MEMCPY] = read_work, [CAT_MEMSET] = read_work,
        [CAT_CALL] = read_call,    [CAT_SYNC] = read_sync,   [CAT_ANNOTATION] = read_annotation,
        [CAT_OPERATOR] = read_operator};
    enum category category = category_of(e->values[EV_CAT]);
    enum gsim_status status = read_host_event(e, category);
    if (status == GSIM_OK && (category == CAT_ANNOTATION || category == CAT_OPERATOR || category == CAT_FUNCTION))
        status = read_span(e, category != CAT_ANNOTATION);
    if (status == GSIM_OK && category == CAT_OPERATOR && e->records->options->is_rank) status = read_gradient(e);
    if (status == GSIM_OK && category == CAT_OPERATOR) status = read_product(e);
    if (status != GSIM_OK) return status;
    if (category == CAT_COUNT || category == CAT_FUNCTION || (category == CAT_OPERATOR && !e->records->flow)) {
        note_other(e);
        return GSIM_OK;
    }
    gsim_values_find(e->values[EV_ARGS], argument_fields, ARG_COUNT, e->args);
    if ((category == CAT_CALL || category == CAT_SYNC) && gsim_value_is_missing(e->values[EV_TS])) {
        e->records->notes->damaged++;
        return GSIM_OK;
    }
    return readers[category](e);
}

/* Pairs of "B" and "E": an "E" ends what its thread began last. */
static enum gsim_status begin(struct event *e, const char *text)
{
    struct reader *reader = e->reader;
    if (gsim_array_grow(&reader->begun, sizeof *reader->begun, reader->begun_count, &reader->begun_room))
        return gsim_no_memory(e->error);
    char *copy = gsim_alloc(strlen(text) + 1);
    if (!copy) return gsim_no_memory(e->error);
    memcpy(copy, text, strlen(text) + 1);
    reader->begun[reader->begun_count++] = (struct begun){thread_of(e), copy};
    return GSIM_OK;
}

static enum gsim_status end(struct event *e)
{
    struct reader *reader = e->reader;
    uint64_t thread = thread_of(e);
    size_t i = reader->begun_count;
    while (i > 0 && reader->begun[i - 1].thread != thread) i--;
    if (i == 0) return GSIM_OK;
    char *text = reader->begun[i - 1].text;
    memmove(&reader->begun[i - 1], &reader->begun[i], (reader->begun_count - i) * sizeof *reader->begun);
    reader->begun_count--;
    struct event whole_event = {.reader = reader, .records = e->records, .error = e->error, .end = e->values[EV_TS]};
    gsim_values_find(text, event_fields, EV_COUNT, whole_event.values);
    enum gsim_status status = read_whole(&whole_event);
    gsim_free(text);
    return status;
}

static enum gsim_status read_event(void *context, uint64_t index, const char *text, struct gsim_error *error)
{
    struct reader *reader = context;
    struct event e = {.reader = reader, .records = reader->records, .error = error};
    (void)index;
    text = gsim_scan_start(text);
    if (*text != '{') return gsim_error_set(error, GSIM_INPUT, "expected an event, found another value");
    gsim_values_find(text, event_fields, EV_COUNT, e.values);
    if (gsim_value_is_text(e.values[EV_PH], "B")) return begin(&e, text);
    if (gsim_value_is_text(e.values[EV_PH], "E")) return end(&e);
    if (gsim_value_is_text(e.values[EV_PH], "X")) return read_whole(&e);
    if (gsim_value_is_text(e.values[EV_PH], "M") || gsim_value_is_text(e.values[EV_CAT], "memory"))
        return gsim_recorded_meta(e.records, text);
    reader->unread += category_of(e.values[EV_CAT]) <= CAT_MEMSET;
    return GSIM_OK;
}

static void skip_damaged(void *context) { ((struct reader *)context)->records->notes->damaged++; }

static enum gsim_status read_header(void *context, const char *name, const char *text, struct gsim_error *error)
{
    (void)error;
    gsim_kineto_header(((struct reader *)context)->records, name, gsim_scan_start(text));
    return GSIM_OK;
}

static void tell_progress(void *context, double ratio)
{
    gsim_records_progress(((struct reader *)context)->records, ratio);
}

/* No kernels: says what there is instead. */
static enum gsim_status explain(const struct reader *reader, struct gsim_error *error)
{
    if (reader->unread + reader->begun_count)
        return gsim_error_set(error, GSIM_INPUT,
                              "expected kernels, copies or memsets of a GPU with their durations (events of phase "
                              "\"X\", or \"B\" and \"E\" in "
                              "pairs), found %llu of other phases and %zu of phase \"B\" without an end",
                              (unsigned long long)reader->unread, reader->begun_count);
    if (!reader->other)
        return gsim_error_set(
            error, GSIM_INPUT,
            "expected kernels, copies or memsets of a GPU, found none but %llu events that are not JSON",
            (unsigned long long)reader->records->notes->damaged);
    bool has_none = reader->uncategorised == reader->other;
    return gsim_error_set(error, GSIM_INPUT,
                          "expected kernels, copies or memsets of a GPU (category \"kernel\", ...), found %llu events "
                          "%s (the first: \"%s\")",
                          (unsigned long long)reader->other, has_none ? "without a category" : "of other categories",
                          reader->other_first);
}

/* FLOW: what operators read and write; empty: not known. */
static enum gsim_status read_file(const char *path, struct gsim_records *records, void *flow)
{
    struct reader reader = {.records = records};
    struct gsim_events_handler handler = {.event = read_event,
                                          .header = read_header,
                                          .damaged = skip_damaged,
                                          .progress = tell_progress,
                                          .context = &reader};
    if (records->options->execution_trace) records->flow = flow;
    enum gsim_status status = gsim_events_read(path, &handler, records->error);
    bool may_explain = reader.other || records->notes->damaged || reader.unread || reader.begun_count;
    if (status == GSIM_OK && !records->work_count && may_explain) status = explain(&reader, records->error);
    if (status == GSIM_OK && records->options->wants_data && !records->flow)
        status = gsim_recorded_flow(records, flow);
    for (size_t i = 0; i < reader.begun_count; i++) gsim_free(reader.begun[i].text);
    gsim_free(reader.begun);
    return status;
}

enum gsim_status gsim_import_kineto(const char *path, const struct gsim_import_options *options,
                                    struct gsim_program *program, struct gsim_import_notes *notes,
                                    struct gsim_error *error)
{
    struct gsim_dataflow flow = {0};
    *notes = (struct gsim_import_notes){0};
    enum gsim_status status =
        options->execution_trace ? gsim_dataflow_read(options->execution_trace, &flow, error) : GSIM_OK;
    if (status == GSIM_OK) status = gsim_records_import(path, read_file, &flow, options, program, notes, error);
    gsim_dataflow_release(&flow);
    return status;
}

bool gsim_sniff_kineto(const struct gsim_sniff *sniff)
{
    static const char *const marks[] = {"\"schemaVersion\"", "\"deviceProperties\"", "\"gpusim\":{", "\"kernel\"",
                                        "\"Kernel\"",        "\"cuda_runtime\"",     "\"cpu_op\"",   "\"Runtime\""};
    if (!gsim_sniff_chrome(sniff)) return false;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strstr(sniff->head, marks[i])) return true;
    return false;
}
