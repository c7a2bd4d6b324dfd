/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Launches and calls of CUDA's API as ops of the program: see source/read/source.h. */
#include "source/read/source.h"

#include <math.h>
#include <string.h>

#include "sim/base/slots.h"

#define MAX_AFTER     (GSIM_CU_STREAMS + GSIM_CU_WAITS + 2) /* all that one op can follow */
#define SCALAR_BYTES  8    /* that the host reads outside loops */
#define FILL_BLOCK    256  /* threads of a fill or a copy within the device */
#define FILL_BLOCKS   1024
#define MOST_URGENT   (-5) /* the priority of a stream, on GPUs since Volta */

static const struct gsim_cu_value done = {.kind = GSIM_CU_NUMBER};

/* --- ops --- */
static void follow(uint32_t *after, uint32_t *count, uint32_t op)
{
    for (uint32_t i = 0; i < *count; i++)
        if (after[i] + 1 == op) return;
    if (op && *count < MAX_AFTER) after[(*count)++] = op - 1;
}

/* --- host memory that ops use --- */
static bool meets(const struct gsim_cu_use *a, const struct gsim_cu_use *b)
{
    return (a->writes || b->writes) && a->begin < b->end && b->begin < a->end;
}

/* What an op follows that uses a region in that way; all, where there is no room to tell them apart. */
static void follow_host(const struct gsim_cu_region *r, struct gsim_cu_use use, uint32_t *after, uint32_t *count)
{
    for (uint32_t i = 0; i < r->use_count; i++)
        if (r->use_count == GSIM_CU_USES || meets(&r->uses[i], &use)) follow(after, count, r->uses[i].op);
}

/* The last op uses it. */
static void use_host(struct gsim_cu *s, uint32_t region, struct gsim_cu_use use)
{
    struct gsim_cu_region *r = &s->memory.regions[region];
    uint32_t kept = 0;
    bool is_full = r->use_count == GSIM_CU_USES;
    for (uint32_t i = 0; i < r->use_count; i++) {
        const struct gsim_cu_use *old = &r->uses[i];
        bool is_over = old->op <= s->device.complete;
        if (is_full && !is_over) use = (struct gsim_cu_use){0, use.writes || old->writes, 0, INFINITY};
        is_over |= is_full || (use.writes && old->begin >= use.begin && old->end <= use.end);
        if (!is_over) r->uses[kept++] = *old;
    }
    use.op = s->counts.op_count;
    r->uses[kept] = use;
    r->use_count = kept + 1;
    s->device.has_returned |= use.writes;
    if (use.writes) gsim_cu_wipe(s, r->cell);
}

void gsim_cu_add_op(struct gsim_cu *s, struct gsim_op *op, uint32_t stream, const struct gsim_cu_operands *hosts)
{
    static const struct gsim_cu_use all = {0, true, 0, INFINITY};
    uint32_t after[MAX_AFTER], count = 0;
    struct gsim_cu_stream *own = &s->device.streams[stream];
    op->stream = (int32_t)stream;
    op->priority = own->priority;
    if (s->device.stream_count) {
        for (uint32_t i = 0; i < own->wait_count; i++) follow(after, &count, own->waits[i]);
        for (uint32_t i = 1; !stream && i <= s->device.stream_count; i++)
            if (!s->device.streams[i].is_apart) follow(after, &count, s->device.streams[i].last_op);
        if (stream && !own->is_apart) follow(after, &count, s->device.streams[0].last_op);
        follow(after, &count, own->last_op);
    }
    for (uint32_t i = 0; hosts && i < hosts->host_count; i++)
        follow_host(&s->memory.regions[hosts->hosts[i]], hosts->uses[i], after, &count);
    for (size_t i = 0; hosts && hosts->is_unknown && i < s->memory.region_count; i++)
        if (s->memory.regions[i].memory == GSIM_CU_PINNED) follow_host(&s->memory.regions[i], all, after, &count);
    own->wait_count = 0;
    op->after = after;
    op->after_count = count;
    gsim_builder_op(s->builder, op);
    own->last_op = ++s->counts.op_count;
    if (s->status == GSIM_OK)
        s->status = GSIM_ADD(s->error, s->device.pending, s->device.pending_count, s->device.pending_room,
                             s->counts.op_count - 1);
    s->counts.left_syncs += s->device.is_sync_pending; /* what comes next is the device's: it keeps the order */
    s->device.is_sync_pending = false;
    s->text.call_step = gsim_cu_log(s, s->text.call_name ? GSIM_CUDA_CALL : GSIM_CUDA_LAUNCH, s->text.call,
                               s->text.call_name ? s->text.call_name : "", s->counts.op_count - 1);
    for (uint32_t i = 0; i < op->arg_count; i++)
        for (size_t r = 0; r < s->memory.region_count; r++) {
            if (s->memory.regions[r].buffer != op->args[i].buffer_index) continue;
            s->memory.regions[r].was_host_read = s->memory.regions[r].was_host_written = false;
            if (op->args[i].writes) gsim_cu_wipe(s, s->memory.regions[r].cell);
        }
    for (uint32_t i = 0; hosts && i < hosts->host_count; i++)
        use_host(s, hosts->hosts[i], hosts->uses[i]);
    for (size_t r = 0; hosts && hosts->is_unknown && r < s->memory.region_count; r++) {
        if (s->memory.regions[r].memory == GSIM_CU_PINNED) use_host(s, (uint32_t)r, all);
        gsim_cu_wipe(s, s->memory.regions[r].cell);
    }
}

/* The host waits for those ops, or, with none, for all there are. */
static void host_waits(struct gsim_cu *s, const uint32_t *after, uint32_t count)
{
    gsim_builder_op(s->builder, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE,
                                                  .after = count ? after : s->device.pending,
                                                  .needed = true,
                                                  .stream = -1,
                                                  .after_count = count ? count : (uint32_t)s->device.pending_count});
    s->counts.op_count++;
    if (count) return;
    s->device.complete = s->counts.op_count;
    s->device.pending_count = 0;
}

/* Of a serial source: the last synchronisation is needed, as the host goes on with something else. */
static void keep_sync(struct gsim_cu *s)
{
    if (!s->device.is_sync_pending) return;
    s->device.is_sync_pending = false;
    if (s->device.sync_step != GSIM_CUDA_NONE) s->options->log->steps[s->device.sync_step].is_needed = true;
    if (s->device.streams[0].last_op <= s->device.complete) return;
    host_waits(s, NULL, 0);
    if (s->device.sync_step != GSIM_CUDA_NONE) s->options->log->steps[s->device.sync_step].op = s->counts.op_count - 1;
}

void gsim_cu_foreign(struct gsim_cu *s)
{
    if (s->host.in_kernel || s->host.is_silent || s->device.stream_count) return;
    keep_sync(s);
    if (s->device.promised <= s->device.complete) return;
    host_waits(s, NULL, 0);
    (void)gsim_cu_log(s, GSIM_CUDA_USE, s->text.call, "", s->counts.op_count - 1);
}

void gsim_cu_barrier(struct gsim_cu *s, CXCursor at, const char *name)
{
    if (s->host.in_kernel || s->host.is_silent) return;
    gsim_cu_foreign(s);
    s->device.has_returned = s->device.is_unread_pending = true;
    s->text.call = at;
    gsim_cu_log_unread(s, at);
    (void)gsim_cu_log(s, GSIM_CUDA_BARRIER, at, name, GSIM_CUDA_NONE);
    for (size_t r = 0; r < s->memory.region_count; r++) gsim_cu_wipe(s, s->memory.regions[r].cell);
}

void gsim_cu_copy_op(struct gsim_cu *s, uint32_t region, bool writes)
{
    struct gsim_cu_region *r = &s->memory.regions[region];
    const struct gsim_cu_use use = {0, writes, 0, INFINITY};
    uint32_t after[MAX_AFTER], count = 0, kept = 0;
    bool any = false;
    for (uint32_t i = 0; i < r->use_count; i++) any |= meets(&r->uses[i], &use);
    if (s->device.stream_count || !any) return;
    keep_sync(s);
    for (uint32_t i = 0; i < r->use_count; i++) {
        if (!meets(&r->uses[i], &use)) r->uses[kept++] = r->uses[i];
        else if (r->uses[i].op > s->device.complete) follow(after, &count, r->uses[i].op);
    }
    r->use_count = kept;
    if (!count) return;
    host_waits(s, after, count);
    (void)gsim_cu_log(s, GSIM_CUDA_USE, s->text.call, "", s->counts.op_count - 1);
}

void gsim_cu_end(struct gsim_cu *s)
{
    keep_sync(s);
    if (s->device.promised > s->device.complete) gsim_cu_log_last(s, GSIM_CUDA_NONE);
}

void gsim_cu_host_op(struct gsim_cu *s, uint32_t region, bool writes)
{
    struct gsim_cu_region *r = &s->memory.regions[region];
    bool *was = writes ? &r->was_host_written : &r->was_host_read;
    if (*was) return;
    *was = true;
    s->device.has_returned |= !writes;
    keep_sync(s);
    if (s->counts.op_count == 0) {
        r->begins_on_host |= writes;
        return;
    }
    uint64_t bytes = gsim_builder_buffer_bytes(s->builder, r->buffer);
    if (!writes && !s->host.plain_loops && bytes > SCALAR_BYTES) bytes = SCALAR_BYTES;
    const struct gsim_arg arg = {r->buffer, !writes, writes, !writes};
    gsim_builder_op(s->builder, &(struct gsim_op){.kind = writes ? GSIM_OP_HOST_WRITE : GSIM_OP_HOST_READ,
                                                  .args = &arg,
                                                  .arg_count = 1,
                                                  .bytes = bytes,
                                                  .stream = -1});
    s->counts.op_count++;
    if (!s->device.stream_count) (void)gsim_cu_log(s, GSIM_CUDA_USE, s->text.call, "", s->counts.op_count - 1);
}

/* Of a source with streams the host's waits stay; of a serial one its reads tell them. */
static void wait_for(struct gsim_cu *s, const uint32_t *ops, uint32_t count)
{
    uint32_t after[MAX_AFTER], after_count = 0;
    for (uint32_t i = 0; i < count; i++) follow(after, &after_count, ops[i]);
    if (!s->device.stream_count) { /* what comes next says whether it is needed */
        bool is_of_all = strcmp(s->text.call_name, "cudaStreamSynchronize") != 0; /* where others have its work, too */
        s->counts.left_syncs += s->device.is_sync_pending + !is_of_all;
        s->device.is_sync_pending = is_of_all;
        s->device.promised = s->counts.op_count;
        s->text.call_step = s->device.sync_step =
            gsim_cu_log(s, GSIM_CUDA_SYNC, s->text.call, s->text.call_name, GSIM_CUDA_NONE);
        if (!s->device.is_unread_pending) return;
        s->device.is_unread_pending = false;
        if (s->device.sync_step != GSIM_CUDA_NONE) s->options->log->steps[s->device.sync_step].is_needed = true;
        keep_sync(s);
        return;
    }
    if (!after_count) return;
    gsim_builder_op(
        s->builder,
        &(struct gsim_op){
            .kind = GSIM_OP_HOST_COMPUTE, .after = after, .after_count = after_count, .needed = true, .stream = -1});
    s->counts.op_count++;
}

uint64_t gsim_cu_hash_values(uint64_t hash, const struct gsim_cu_value *values, size_t count)
{
    if (!hash) return 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i].kind == GSIM_CU_UNKNOWN || values[i].kind == GSIM_CU_CELL) return 0;
        hash = gsim_hash_bytes(hash, &values[i].at, sizeof values[i].at);
        hash = gsim_hash_bytes(hash, values[i].n, sizeof values[i].n);
    }
    return hash ? hash : 1;
}

uint32_t gsim_cu_stream_of(struct gsim_cu *s, CXCursor at, struct gsim_cu_value value)
{
    if (gsim_cu_is_known(value) && value.n[0] >= 0 && value.n[0] <= s->device.stream_count)
        return gsim_whole_u32(value.n[0]);
    gsim_cu_note(s, at, "the stream is not known: the default stream assumed");
    return 0;
}

/* --- what else CUDA has --- */
struct call {
    CXCursor at;
    const struct gsim_cu_kids *kids;
    struct gsim_cu_value values[9]; /* of the arguments */
};

static double number(const struct call *c, size_t index, double otherwise)
{
    return gsim_cu_is_known(c->values[index]) ? c->values[index].n[0] : otherwise;
}

static void set(struct gsim_cu *s, struct gsim_cu_value place, struct gsim_cu_value value)
{
    if (place.kind == GSIM_CU_CELL) gsim_cu_store(s, place.at, value);
    if (place.kind == GSIM_CU_POINTER && place.n[0] >= 0)
        gsim_cu_store(s, gsim_cu_cell(s, s->memory.regions[place.at].cell, gsim_whole_u64(place.n[0])), value);
}

static enum CXChildVisitResult find_reference(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    *(CXCursor *)data = cursor; /* the first, or what leads to it */
    if (cursor.kind == CXCursor_DeclRefExpr || cursor.kind == CXCursor_MemberRefExpr) return CXChildVisit_Break;
    return CXChildVisit_Recurse;
}

CXCursor gsim_cu_reference_in(struct gsim_cu *s, CXCursor cursor)
{
    CXCursor found = cursor;
    if (cursor.kind != CXCursor_DeclRefExpr) s->clang.visitChildren(cursor, find_reference, &found);
    return found;
}

static void allocate(struct gsim_cu *s, const struct call *c, enum gsim_cu_memory memory)
{
    char name[GSIM_LIMIT_NAME + 1];
    gsim_cu_name(s, gsim_cu_reference_in(s, c->kids->at[1]), name);
    uint32_t region = gsim_cu_region(s, memory, name[0] ? name : "buffer", number(c, 1, 0), c->at);
    gsim_cu_tell_region(s, region, c->at);
    if (region != GSIM_CU_NONE) set(s, c->values[0], (struct gsim_cu_value){.kind = GSIM_CU_POINTER, .at = region});
}

static uint32_t buffer_of(const struct gsim_cu *s, struct gsim_cu_value value)
{
    return value.kind == GSIM_CU_POINTER ? s->memory.regions[value.at].buffer : GSIM_CU_NONE;
}

/* A fill, or a copy within the device: a kernel that moves BYTES. */
static void move(struct gsim_cu *s, const char *name, struct gsim_cu_value to, struct gsim_cu_value from, double bytes,
                 uint32_t stream)
{
    struct gsim_cu_operands o = {0};
    double blocks = fmax(1, fmin(FILL_BLOCKS, ceil(bytes / (4 * FILL_BLOCK))));
    bool has_source = from.kind == GSIM_CU_POINTER;
    if (has_source) gsim_cu_add_operand(s, &o, from, true, false, true);
    gsim_cu_add_operand(s, &o, to, false, true, false);
    const struct gsim_kernel kernel = {.name = name,
                                       .grid = {gsim_whole_u32(blocks), 1, 1},
                                       .block = {FILL_BLOCK, 1, 1},
                                       .dram_bytes = bytes * (has_source ? 2 : 1),
                                       .demand_given = true};
    struct gsim_op op = {.kind = GSIM_OP_KERNEL,
                         .kernel_index = gsim_builder_kernel(s->builder, &kernel),
                         .args = o.args,
                         .arg_count = o.arg_count};
    gsim_cu_add_op(s, &op, stream, &o);
    s->counts.memsets++;
}

/* By whom the last op's host memory is used is not told. */
static void wait_at_once(struct gsim_cu *s)
{
    const struct gsim_cuda_log *log = s->options->log;
    uint32_t step = s->text.call_step, op = s->counts.op_count, last = op - 1;
    host_waits(s, &last, 1);
    if (step != GSIM_CUDA_NONE)
        gsim_cu_log_end(s, log->steps[step].node, log->sites[log->steps[step].site].line, op);
}

/* A copy that returns when it has ended, and so have those before it. HOST: its memory. */
static void promise(struct gsim_cu *s, struct gsim_cu_value host, bool is_in)
{
    struct gsim_cuda_log *log = s->options->log;
    uint32_t step = s->text.call_step, op = s->counts.op_count;
    s->device.promised = op;
    if (step != GSIM_CUDA_NONE) log->steps[step].is_blocking = true;
    if (host.kind != GSIM_CU_POINTER && (!is_in || host.kind == GSIM_CU_UNKNOWN)) wait_at_once(s);
}

static void copy(struct gsim_cu *s, const struct call *c, struct gsim_cu_value to, struct gsim_cu_value from,
                 double bytes, uint32_t stream)
{
    uint32_t into = buffer_of(s, to), out_of = buffer_of(s, from);
    struct gsim_cu_value host = into != GSIM_CU_NONE ? from : to;
    gsim_cu_wipe_at(s, to);
    if (into == GSIM_CU_NONE && out_of == GSIM_CU_NONE) {
        gsim_cu_note(s, c->at, "which buffer is copied is not known: left out");
        gsim_cu_barrier(s, c->at, s->text.call_name);
        return;
    }
    uint64_t all = gsim_builder_buffer_bytes(s->builder, into != GSIM_CU_NONE ? into : out_of);
    bool is_exact = bytes >= 1 && bytes <= (double)all && !strstr(s->text.call_name, "2D");
    if (bytes < 1) gsim_cu_note(s, c->at, "how much is copied is not known: the whole buffer assumed");
    if (bytes < 1 || bytes > (double)all) bytes = (double)all;
    if (into != GSIM_CU_NONE && out_of != GSIM_CU_NONE) {
        move(s, "cudaMemcpy", to, from, bytes, stream);
        return;
    }
    bool is_in = into != GSIM_CU_NONE;
    s->device.has_returned |= !is_in;
    const struct gsim_arg arg = {is_in ? into : out_of, !is_in, is_in, !is_in};
    struct gsim_op op = {.kind = GSIM_OP_COPY,
                         .copy_kind = is_in ? GSIM_COPY_H2D : GSIM_COPY_D2H,
                         .args = &arg,
                         .arg_count = 1,
                         .bytes = gsim_whole_u64(bytes)};
    struct gsim_cu_operands hosts = {.host_count = host.kind == GSIM_CU_POINTER};
    double begin = host.n[0] > 0 ? host.n[0] : 0; /* NAN: anywhere */
    hosts.uses[0] = (struct gsim_cu_use){0, !is_in, begin, is_exact && begin == host.n[0] ? begin + bytes : INFINITY};
    bool is_pinned = false; /* of a place that is not told: where anything is */
    for (size_t i = 0; i < s->memory.region_count; i++)
        is_pinned |= s->memory.regions[i].memory == GSIM_CU_PINNED && (host.kind != GSIM_CU_POINTER || host.at == i);
    op.copy_memory = !is_pinned                        ? GSIM_COPY_MEMORY_PAGEABLE
                     : host.kind == GSIM_CU_POINTER ? GSIM_COPY_MEMORY_PINNED
                                                    : GSIM_COPY_MEMORY_OF_RUN;
    hosts.hosts[0] = host.at;
    gsim_cu_add_op(s, &op, stream, &hosts);
    s->counts.copy_ops++;
    if (strstr(s->text.call_name, "Async")) {
        if (s->device.has_unknown_pinned && host.kind != GSIM_CU_POINTER) wait_at_once(s);
        return;
    }
    uint32_t last = s->counts.op_count - 1;
    if (s->device.stream_count) host_waits(s, &last, 1);
    else promise(s, host, is_in);
}

static void prefetch(struct gsim_cu *s, const struct call *c)
{
    uint32_t buffer = buffer_of(s, c->values[0]);
    if (buffer == GSIM_CU_NONE || number(c, 2, 0) < 0) return;
    double all = (double)gsim_builder_buffer_bytes(s->builder, buffer), bytes = number(c, 1, all);
    const struct gsim_arg arg = {buffer, true, false, true};
    struct gsim_op op = {
        .kind = GSIM_OP_PREFETCH, .args = &arg, .arg_count = 1, .bytes = gsim_whole_u64(fmax(1, fmin(bytes, all)))};
    gsim_cu_add_op(s, &op, gsim_cu_stream_of(s, c->at, c->values[3]), NULL);
}

static void make_stream(struct gsim_cu *s, const struct call *c, bool has_flags)
{
    if (s->options->log && !s->options->log->stream_line) s->options->log->stream_line = gsim_cu_line(s, c->at);
    if (s->device.stream_count + 1 >= GSIM_CU_STREAMS)
        gsim_cu_fail(s, c->at, "expected at most %u streams", GSIM_CU_STREAMS - 1);
    else {
        struct gsim_cu_stream *made = &s->device.streams[++s->device.stream_count];
        made->is_apart = has_flags && number(c, 1, 0) != 0;
        bool has_priority = c->kids->count > 3;
        if (has_priority && !gsim_cu_is_known(c->values[2]))
            gsim_cu_note(s, c->at, "the stream's priority is not known: 0 assumed");
        made->priority = has_priority ? gsim_whole_int(fmax(-100, fmin(100, number(c, 2, 0)))) : 0;
        set(s, c->values[0], gsim_cu_number(s->device.stream_count));
    }
}

static void make_event(struct gsim_cu *s, const struct call *c)
{
    if (s->device.event_count + 1 >= GSIM_CU_EVENTS)
        gsim_cu_fail(s, c->at, "expected at most %u events", GSIM_CU_EVENTS - 1);
    else set(s, c->values[0], gsim_cu_number(++s->device.event_count));
}

static struct gsim_cu_event *event_of(struct gsim_cu *s, const struct call *c, size_t index)
{
    double event = number(c, index, 0);
    if (event >= 1 && event <= s->device.event_count) return &s->device.events[gsim_whole_u32(event)];
    gsim_cu_note(s, c->at, "the event is not known: left out");
    return NULL;
}

static void wait_event(struct gsim_cu *s, const struct call *c)
{
    const struct gsim_cu_event *event = event_of(s, c, 1);
    struct gsim_cu_stream *stream = &s->device.streams[gsim_cu_stream_of(s, c->at, c->values[0])];
    for (uint32_t i = 0; event && i < event->count; i++) {
        uint32_t k = 0;
        while (k < stream->wait_count && stream->waits[k] != event->ops[i]) k++;
        if (k == GSIM_CU_WAITS)
            gsim_cu_note(s, c->at, "the stream waits for too many events between two ops: left out");
        else if (k == stream->wait_count) stream->waits[stream->wait_count++] = event->ops[i];
    }
}

static void record_event(struct gsim_cu *s, const struct call *c)
{
    struct gsim_cu_event *event = event_of(s, c, 0);
    const struct gsim_cu_stream *stream = &s->device.streams[gsim_cu_stream_of(s, c->at, c->values[1])];
    if (event) {
        event->count = stream->last_op != 0;
        event->ops[0] = stream->last_op;
        for (uint32_t i = 0; i < stream->wait_count; i++) event->ops[event->count++] = stream->waits[i];
        for (uint32_t i = 1;
             stream == s->device.streams && i <= s->device.stream_count && event->count <= GSIM_CU_WAITS;
             i++) /* behind all */
            if (s->device.streams[i].last_op && !s->device.streams[i].is_apart)
                event->ops[event->count++] = s->device.streams[i].last_op;
    }
}

static void wait_device(struct gsim_cu *s)
{
    uint32_t ops[GSIM_CU_STREAMS];
    for (uint32_t i = 0; i <= s->device.stream_count; i++) ops[i] = s->device.streams[i].last_op;
    wait_for(s, ops, s->device.stream_count + 1);
}

static bool call_memory(struct gsim_cu *s, const struct call *c, const char *name)
{
    if (!strcmp(name, "cudaMalloc") || !strcmp(name, "cudaMallocAsync")) allocate(s, c, GSIM_CU_DEVICE);
    else if (!strcmp(name, "cudaMallocManaged")) allocate(s, c, GSIM_CU_MANAGED);
    else if (!strcmp(name, "cudaMallocHost") || !strcmp(name, "cudaHostAlloc")) allocate(s, c, GSIM_CU_PINNED);
    else if (!strcmp(name, "cudaMemcpy") || !strcmp(name, "cudaMemcpyAsync"))
        copy(s, c, c->values[0], c->values[1], number(c, 2, 0), gsim_cu_stream_of(s, c->at, c->values[4]));
    else if (!strncmp(name, "cudaMemcpy2D", 12))
        copy(s, c, c->values[0], c->values[2], number(c, 4, 0) * number(c, 5, 0),
             gsim_cu_stream_of(s, c->at, c->values[7]));
    else if (!strcmp(name, "cudaMemset") || !strcmp(name, "cudaMemsetAsync")) {
        if (c->values[0].kind != GSIM_CU_POINTER) {
            gsim_cu_note(s, c->at, "which buffer is filled is not known: left out");
            gsim_cu_barrier(s, c->at, s->text.call_name);
        } else move(s, "cudaMemset", c->values[0], done, number(c, 2, 0), gsim_cu_stream_of(s, c->at, c->values[3]));
    } else if (!strcmp(name, "cudaMemPrefetchAsync")) prefetch(s, c);
    else return false;
    return true;
}

static bool call_order(struct gsim_cu *s, const struct call *c, const char *name)
{
    if (!strncmp(name, "cudaStreamCreate", 16)) make_stream(s, c, name[16]);
    else if (!strcmp(name, "cudaDeviceGetStreamPriorityRange")) {
        set(s, c->values[0], gsim_cu_number(0));
        set(s, c->values[1], gsim_cu_number(MOST_URGENT));
    } else if (!strncmp(name, "cudaEventCreate", 15)) make_event(s, c);
    else if (!strcmp(name, "cudaEventRecord")) record_event(s, c);
    else if (!strcmp(name, "cudaStreamWaitEvent")) wait_event(s, c);
    else if (!strcmp(name, "cudaDeviceSynchronize") || !strcmp(name, "cudaThreadSynchronize")) wait_device(s);
    else if (!strcmp(name, "cudaStreamSynchronize"))
        wait_for(s, &s->device.streams[gsim_cu_stream_of(s, c->at, c->values[0])].last_op, 1);
    else if (!strcmp(name, "cudaEventSynchronize")) {
        const struct gsim_cu_event *event = event_of(s, c, 0);
        if (event && s->device.stream_count) wait_for(s, event->ops, event->count);
        s->device.promised = s->counts.op_count;
        gsim_cu_foreign(s);
    } else return false;
    return true;
}

/* An array is a region from then on; a copy of anything else that is not told is waited for. */
static void pin(struct gsim_cu *s, const struct call *c)
{
    struct gsim_cu_value memory = c->values[0];
    if (memory.kind == GSIM_CU_CELL) {
        CXType type = s->clang.getCursorType(gsim_cu_strip(s, c->kids->at[1]));
        uint32_t region = gsim_cu_region(s, GSIM_CU_HOST, "", 0, c->at);
        if (s->clang.getArraySize(s->clang.getCanonicalType(type)) < 0 || region == GSIM_CU_NONE) {
            s->device.has_unknown_pinned = true;
            return;
        }
        uint32_t cell = memory.at;
        memory = (struct gsim_cu_value){.kind = GSIM_CU_POINTER, .at = region};
        gsim_cu_store(s, cell, memory);
    }
    if (memory.kind == GSIM_CU_POINTER && s->memory.regions[memory.at].memory == GSIM_CU_HOST)
        s->memory.regions[memory.at].memory = GSIM_CU_PINNED;
}

static void call_other(struct gsim_cu *s, const struct call *c, const char *name)
{
    static const char *const unread[] = {"cudaGraphLaunch",    "cudaGraphAdd",          "cudaMemcpyPeer",
                                         "cudaMemcpyToArray",  "cudaMemcpy3D",          "cudaStreamAddCallback",
                                         "cudaLaunchHostFunc", "cudaLaunchCooperative", "cudaMallocPitch",
                                         "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol",  "cudaLaunchKernelEx"};
    for (size_t i = 0; i < 9; i++) gsim_cu_wipe_at(s, c->values[i]);
    for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++) {
        if (strncmp(name, unread[i], strlen(unread[i])) != 0) continue;
        gsim_cu_note(s, c->at, "%s is not read: left out", name);
        gsim_cu_barrier(s, c->at, name);
    }
    if (!strncmp(name, "cudaFree", 8) || !strcmp(name, "cudaDeviceReset") || !strcmp(name, "cudaHostUnregister")) {
        if (s->device.streams[0].last_op > s->device.complete)
            s->device.promised = s->counts.op_count; /* the call waits itself */
        gsim_cu_foreign(s);
    }
    if (!strcmp(name, "cudaHostRegister")) pin(s, c);
    if (!strcmp(name, "cudaHostGetDevicePointer")) set(s, c->values[0], c->values[1]);
    if (!strcmp(name, "cudaGetDeviceCount")) set(s, c->values[0], gsim_cu_number(1));
    if (!strcmp(name, "cudaGetDevice")) set(s, c->values[0], gsim_cu_number(0));
    if (!strcmp(name, "cudaSetDevice") && number(c, 0, 0) > 0)
        gsim_cu_note(s, c->at, "the work of several GPUs is read as that of one");
    if (!strcmp(name, "cudaEventElapsedTime")) set(s, c->values[0], (struct gsim_cu_value){0});
}

/* By its name, and not a function that the source itself has. */
bool gsim_cu_is_api(struct gsim_cu *s, CXCursor call, const char *name)
{
    CXCursor function = gsim_cu_function(s, call);
    return strncmp(name, "cuda", 4) == 0 &&
           (s->clang.Cursor_isNull(function) || gsim_cu_body(s, function).kind == CXCursor_InvalidFile);
}

bool gsim_cu_api(struct gsim_cu *s, CXCursor at, const char *name, const struct gsim_cu_kids *kids,
                 struct gsim_cu_value *result)
{
    struct call c = {.at = at, .kids = kids};
    if (!gsim_cu_is_api(s, at, name) || s->host.in_kernel) return false;
    for (size_t i = 0; i < 9; i++) c.values[i] = i >= 3 ? done : (struct gsim_cu_value){0};
    for (size_t i = 1; i < kids->count && i <= 9; i++)
        c.values[i - 1] = gsim_cu_is_default(s, kids->at[i])
                              ? done
                              : gsim_cu_told(s, kids->at[i], gsim_cu_evaluate(s, kids->at[i]));
    *result = done;
    s->text.call = at;
    s->text.call_name = name;
    s->text.call_values = gsim_cu_hash_values(1, c.values, 9);
    s->text.call_step = GSIM_CUDA_NONE;
    if (!strcmp(name, "cudaLaunchKernel")) gsim_cu_launch_by_call(s, at, kids->at[1], c.values);
    else if (kids->count > 1 && !call_memory(s, &c, name) && !call_order(s, &c, name)) call_other(s, &c, name);
    else if (kids->count <= 1) (void)call_order(s, &c, name);
    if (s->text.call_step == GSIM_CUDA_NONE && strncmp(name, "cudaGet", 7) != 0 && strncmp(name, "cudaPeek", 8) != 0)
        (void)gsim_cu_log(s, GSIM_CUDA_CUT, at, name, GSIM_CUDA_NONE);
    return true;
}
