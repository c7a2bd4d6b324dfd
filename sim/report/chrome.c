/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/report. See sim/report/chrome.h. Tracks: thread id = stream for a stream's first lane, further lanes and
 * synchronisation are numbered from lane_base on; args hold the true stream. Events are in no particular order.
 */
#include "sim/report/chrome.h"

#include <string.h>

#include "sim/device/occupancy.h"
#include "sim/report/chrome_links.h"
#include "sim/report/chrome_sms.h"
#include "sim/report/slices.h"

#define SYNC_TRACK (1ULL << 40)
#define FLOW_CALL  1 /* a call has this correlation */
#define FLOW_WORK  2 /* device work has it */

struct writer {
    const struct gsim_result *result;
    const struct gsim_timeline *timeline;
    struct gsim_output *output;
    struct gsim_slices slices;
    struct gsim_trace_work *works; /* for arrows of waits */
    size_t work_count;
    unsigned char *flows; /* by correlation: FLOW_CALL, FLOW_WORK */
    uint32_t max_correlation, max_stream;
    uint64_t lane_base; /* above every stream, a multiple of 1000 */
    bool first;
};

/* --- one event ---------------------------------------------------------------------------------------------- */
static void begin_event(struct writer *writer, const char *phase, const char *category, uint64_t pid, uint64_t tid)
{
    gsim_output_put(writer->output, "%s\n{'ph':'%s'", writer->first ? "" : ",", phase);
    writer->first = false;
    if (category) gsim_output_put(writer->output, ",'cat':'%s'", category);
    gsim_output_put(writer->output, ",'pid':%z,'tid':%z", pid, tid);
}

static void put_flow(struct writer *writer, uint32_t correlation, bool is_call, uint64_t pid, uint64_t tid,
                     gsim_time at)
{
    if (!correlation || writer->flows[correlation] != (FLOW_CALL | FLOW_WORK)) return;
    begin_event(writer, is_call ? "s" : "f", "ac2g", pid, tid);
    gsim_output_put(writer->output, ",'name':'ac2g','id':%u,'ts':%t%s}", correlation, at,
                    is_call ? "" : ",\"bp\":\"e\"");
}

static void put_metadata(struct writer *writer, const char *what, uint64_t pid, uint64_t tid, const char *name)
{
    begin_event(writer, "M", NULL, pid, tid);
    gsim_output_put(writer->output, ",'name':'%s','ts':0,'args':{'name':%q}}", what, name);
}

static void put_sort_index(struct writer *writer, const char *what, uint64_t pid, uint64_t tid, uint64_t index)
{
    begin_event(writer, "M", NULL, pid, tid);
    gsim_output_put(writer->output, ",'name':'%s','ts':0,'args':{'sort_index':%z}}", what, index);
}

/* --- device work ---------------------------------------------------------------------------------------------- */
static void put_kernel(struct writer *writer, const struct gsim_kernel_record *record, uint64_t tid)
{
    const struct gsim_kernel *kernel = &writer->timeline->program->kernels[record->kernel_index];
    const struct gsim_device_spec *device = writer->result->simulation->device;
    double blocks = (double)kernel->grid.x * kernel->grid.y * kernel->grid.z / device->sm_count;
    double warps = ceil((double)kernel->block.x * kernel->block.y * kernel->block.z / device->warp_threads) * blocks;
    begin_event(writer, "X", "kernel", record->device, tid);
    gsim_output_put(writer->output, ",'name':%q,'ts':%t,'dur':%t,'args':{'queued':0,'device':%u,'context':1,"
                                    "'stream':%u,'correlation':%u,'registers per thread':%u,'shared memory':%u,"
                                    "'blocks per SM':%f,'warps per SM':%f,'grid':[%u,%u,%u],'block':[%u,%u,%u],"
                                    "'op':%u,'iteration':%u,'ready':%t}}", kernel->name, record->start,
                    record->end - record->start,
                    record->device, record->stream, record->correlation, kernel->regs_per_thread,
                    kernel->smem_bytes, blocks, warps, kernel->grid.x, kernel->grid.y, kernel->grid.z,
                    kernel->block.x, kernel->block.y, kernel->block.z, record->op, record->iteration, record->ready);
    put_flow(writer, record->correlation, false, record->device, tid, record->start);
}

/* Kineto's words: "Memcpy HtoD (Pinned -> Device)". */
static const char *copy_name(const struct gsim_copy_record *record, enum gsim_memory_mode memory)
{
    bool managed = record->reason != GSIM_REASON_EXPLICIT, pageable = memory == GSIM_MEMORY_PAGEABLE;
    switch (record->kind) {
    case GSIM_COPY_H2D:
        return managed    ? "Memcpy HtoD (Managed -> Device)"
               : pageable ? "Memcpy HtoD (Pageable -> Device)"
                          : "Memcpy HtoD (Pinned -> Device)";
    case GSIM_COPY_D2H:
        return managed    ? "Memcpy DtoH (Device -> Managed)"
               : pageable ? "Memcpy DtoH (Device -> Pageable)"
                          : "Memcpy DtoH (Device -> Pinned)";
    case GSIM_COPY_D2D:
        return "Memcpy DtoD (Device -> Device)";
    case GSIM_COPY_P2P:
        return "Memcpy PtoP (Device -> Device)";
    }
    GSIM_BUG("copy kind %d", (int)record->kind);
}

static void put_copy(struct writer *writer, const struct gsim_copy_record *record, uint64_t tid)
{
    const struct gsim_program *program = writer->timeline->program;
    double us = gsim_time_us(record->end - record->start);
    begin_event(writer, "X", "gpu_memcpy", record->device, tid);
    gsim_output_put(writer->output, ",'name':%q,'ts':%t,'dur':%t,'args':{'device':%u,'context':1,'stream':%u,"
                                    "'correlation':%u,'bytes':%z,'memory bandwidth (GB/s)':%f,'op':%u,"
                                    "'iteration':%u,'reason':'%s'",
                    copy_name(record, writer->result->simulation->memory), record->start,
                    record->end - record->start, record->device,
                    record->stream, record->correlation, record->bytes,
                    us > 0 ? (double)record->bytes / us * 1e-3 : 0.0, record->op, record->iteration,
                    gsim_copy_reason_name(record->reason));
    if (record->buffer_index < program->buffer_count)
        gsim_output_put(writer->output, ",'buffer':%q", program->buffers[record->buffer_index].name);
    gsim_output_text(writer->output, "}}");
    put_flow(writer, record->correlation, false, record->device, tid, record->start);
}

/* NULL for calls that do not synchronise. */
static const char *sync_name(enum gsim_api api)
{
    if (api == GSIM_API_STREAM_SYNC) return "Stream Synchronize";
    if (api == GSIM_API_DEVICE_SYNC) return "Context Synchronize";
    if (api == GSIM_API_EVENT_SYNC) return "Event Synchronize";
    return NULL;
}

static void put_sync(struct writer *writer, const struct gsim_api_record *record, uint64_t tid)
{
    const char *name = sync_name(record->api);
    begin_event(writer, "X", "cuda_sync", 0, tid);
    gsim_output_put(writer->output, ",'name':%q,'ts':%t,'dur':%t,'args':{'cuda_sync_kind':'%s','device':0,'context':1",
                    name, record->start, record->end - record->start, name);
    if (record->api == GSIM_API_STREAM_SYNC) gsim_output_put(writer->output, ",'stream':%u", record->stream);
    gsim_output_put(writer->output, ",'correlation':%u}}", record->correlation);
}

/* --- host ------------------------------------------------------------------------------------------------------ */
static void put_calls(struct writer *writer)
{
    uint32_t threads = 0;
    for (size_t i = 0; i < writer->timeline->api_count; i++) {
        const struct gsim_api_record *call = &writer->timeline->apis[i];
        if (call->thread >= threads) threads = call->thread + 1;
        if (gsim_result_shows(writer->result, call->start, call->end)) {
            begin_event(writer, "X", "cuda_runtime", GSIM_TRACE_HOST_PID, call->thread);
            bool has_flags = call->api == GSIM_API_EVENT_CREATE && call->detail; /* without them, events have timing */
            gsim_output_put(writer->output,
                            ",'name':%q,'ts':%t,'dur':%t,'args':{'correlation':%u,'stream':%u,'iteration':%u",
                            has_flags ? "cudaEventCreateWithFlags" : gsim_api_name(call->api), call->start,
                            call->end - call->start, call->correlation, call->stream, call->iteration);
            if (call->detail) gsim_output_put(writer->output, ",'detail':%q", call->detail);
            gsim_output_put(writer->output, ",'waited':%t}}", call->waited);
            put_flow(writer, call->correlation, true, GSIM_TRACE_HOST_PID, call->thread, call->start);
        }
    }
    put_metadata(writer, "process_name", GSIM_TRACE_HOST_PID, 0, "host");
    put_sort_index(writer, "process_sort_index", GSIM_TRACE_HOST_PID, 0, 0);
    for (uint32_t i = 0; i < threads; i++) {
        char name[32];
        snprintf(name, sizeof(name), "host thread %u", i);
        put_metadata(writer, "thread_name", GSIM_TRACE_HOST_PID, i, name);
    }
}

/* --- counters and head --- */
static void put_occupancy(struct writer *writer)
{
    const struct gsim_timeline *timeline = writer->timeline;
    const gsim_time from = writer->result->window_from, until = writer->result->window_until;
    for (size_t i = 0; i < timeline->occupancy_count; i++) {
        const struct gsim_occupancy_record *now = &timeline->occupancy[i];
        bool is_last = i + 1 == timeline->occupancy_count;
        if (until && (now->time >= until || (!is_last && now[1].time <= from))) continue;
        gsim_time at = until && now->time < from ? from : now->time; /* what holds when a window begins */
        begin_event(writer, "C", NULL, 0, 0);
        gsim_output_put(writer->output, ",'name':'occupancy','ts':%t,'args':{'busy SMs':%u}}", at, now->busy_sms);
        begin_event(writer, "C", NULL, 0, 0);
        gsim_output_put(writer->output, ",'name':'resident warps','ts':%t,'args':{'warps':%u}}", at, now->warps);
    }
}

static void put_head(struct writer *writer)
{
    const struct gsim_simulation *run = writer->result->simulation;
    const struct gsim_device_spec *device = run->device;
    const struct gsim_sm_limits limits = gsim_sm_limits(device);
    gsim_output_put(writer->output, "{'schemaVersion':1,'deviceProperties':[{'id':0,'name':%q,'totalGlobalMem':%z,"
                                    "'computeMajor':%z,'computeMinor':%z,'maxThreadsPerBlock':1024,'warpSize':%z,"
                                    "'maxThreadsPerMultiprocessor':%z,'regsPerBlock':%z,'regsPerMultiprocessor':%z,"
                                    "'sharedMemPerBlockOptin':%z,'sharedMemPerMultiprocessor':%z,'numSms':%z}],\n"
                                    "'displayTimeUnit':'ns','baseTimeNanoseconds':0,'gpusim':{'version':'%s',"
                                    "'workload':%q,'scheduler':%q,'device':%q,'seed':%z",
                    device->title ? device->title : device->name, gsim_whole_u64(device->memory_gb * 1e9),
                    (uint64_t)gsim_capability_major(device->compute_capability),
                    (uint64_t)gsim_capability_minor(device->compute_capability), (uint64_t)limits.warp_threads,
                    (uint64_t)limits.threads, (uint64_t)limits.registers_per_block, (uint64_t)limits.registers,
                    (uint64_t)limits.smem_block_bytes, (uint64_t)limits.smem_bytes, gsim_whole_u64(device->sm_count),
                    GPUSIM_VERSION, run->program->name, run->scheduler->name, device->name, (uint64_t)run->seed);
    if (writer->result->tracer) gsim_output_put(writer->output, ",'tracer':%q", writer->result->tracer);
    gsim_output_text(writer->output, "},\n\"traceEvents\":[");
}

/* --- tracks ------------------------------------------------------------------------------------------------------ */
static enum gsim_status add_slice(struct writer *writer, enum gsim_slice_kind kind, uint64_t track, size_t record,
                                  gsim_time start, gsim_time end, struct gsim_error *error)
{
    struct gsim_slice slice = {.track = track, .start = start, .end = end, .record = (uint32_t)record, .kind = kind};
    if (!gsim_result_shows(writer->result, start, end)) return GSIM_OK;
    return gsim_slices_add(&writer->slices, &slice, error);
}

static enum gsim_status collect_slices(struct writer *writer, struct gsim_error *error)
{
    const struct gsim_timeline *timeline = writer->timeline;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < timeline->kernel_count && status == GSIM_OK; i++) {
        const struct gsim_kernel_record *kernel = &timeline->kernels[i];
        status = add_slice(writer, GSIM_SLICE_KERNEL, kernel->stream, i, kernel->start, kernel->end, error);
    }
    for (size_t i = 0; i < timeline->copy_count && status == GSIM_OK; i++) {
        const struct gsim_copy_record *copy = &timeline->copies[i];
        status = add_slice(writer, GSIM_SLICE_COPY, copy->stream, i, copy->start, copy->end, error);
    }
    for (size_t i = 0; i < timeline->api_count && status == GSIM_OK; i++) {
        const struct gsim_api_record *call = &timeline->apis[i];
        if (!sync_name(call->api)) continue;
        status = add_slice(writer, GSIM_SLICE_SYNC, SYNC_TRACK, i, call->start, call->end, error);
    }
    return status == GSIM_OK ? gsim_slices_arrange(&writer->slices, error) : status;
}

static void name_track(struct writer *writer, uint64_t track, uint32_t lane, uint64_t tid)
{
    char name[64];
    if (track == SYNC_TRACK) snprintf(name, sizeof(name), "synchronisation");
    else snprintf(name, sizeof(name), "stream %llu", (unsigned long long)track);
    size_t length = strlen(name);
    if (lane) snprintf(name + length, sizeof(name) - length, ", lane %u", lane + 1);
    put_metadata(writer, "thread_name", 0, tid, name);
    put_sort_index(writer, "thread_sort_index", 0, tid, track == SYNC_TRACK ? SYNC_TRACK + lane : track * 1000 + lane);
}

static void keep_kernel(struct writer *writer, const struct gsim_kernel_record *kernel, uint64_t tid)
{
    if (!writer->works || !kernel->correlation) return;
    writer->works[writer->work_count++] = (struct gsim_trace_work){
        kernel->device, kernel->stream, kernel->correlation, tid, kernel->start, kernel->end};
}

static void keep_copy(struct writer *writer, const struct gsim_copy_record *copy, uint64_t tid)
{
    bool is_of_stream = copy->reason == GSIM_REASON_EXPLICIT || copy->reason == GSIM_REASON_PREFETCH;
    if (!writer->works || !copy->correlation || !is_of_stream) return;
    writer->works[writer->work_count++] =
        (struct gsim_trace_work){copy->device, copy->stream, copy->correlation, tid, copy->start, copy->end};
}

static void put_tracks(struct writer *writer)
{
    uint32_t named_lanes = 0;
    uint64_t next_tid = writer->lane_base, lane_tid = 0; /* lane_tid: of lane 1 of the current track */
    const struct gsim_timeline *timeline = writer->timeline;
    for (size_t i = 0; i < writer->slices.count; i++) {
        const struct gsim_slice *slice = &writer->slices.slices[i];
        if (i == 0 || slice[-1].track != slice->track) {
            named_lanes = 0;
            if (slice->track == SYNC_TRACK) next_tid++;
            lane_tid = next_tid;
        }
        uint64_t first_tid = slice->track == SYNC_TRACK ? lane_tid - 1 : slice->track;
        uint64_t tid = slice->lane ? lane_tid + slice->lane - 1 : first_tid;
        for (; named_lanes <= slice->lane; named_lanes++) {
            name_track(writer, slice->track, named_lanes, tid);
            if (named_lanes) next_tid++;
        }
        if (slice->kind == GSIM_SLICE_KERNEL) {
            put_kernel(writer, &timeline->kernels[slice->record], tid);
            keep_kernel(writer, &timeline->kernels[slice->record], tid);
        } else if (slice->kind == GSIM_SLICE_COPY) {
            put_copy(writer, &timeline->copies[slice->record], tid);
            keep_copy(writer, &timeline->copies[slice->record], tid);
        } else
            put_sync(writer, &timeline->apis[slice->record], tid);
    }
}

/* --- flows ------------------------------------------------------------------------------------------------------- */
static void see_stream(struct writer *writer, uint32_t stream)
{
    if (stream > writer->max_stream) writer->max_stream = stream;
}

static void see_correlation(struct writer *writer, uint32_t correlation)
{
    if (correlation > writer->max_correlation) writer->max_correlation = correlation;
}

/* Which correlations have both ends in the trace. */
static enum gsim_status collect_flows(struct writer *writer, struct gsim_error *error)
{
    const struct gsim_timeline *timeline = writer->timeline;
    for (size_t i = 0; i < timeline->kernel_count; i++) {
        see_correlation(writer, timeline->kernels[i].correlation);
        see_stream(writer, timeline->kernels[i].stream);
    }
    for (size_t i = 0; i < timeline->copy_count; i++) {
        see_correlation(writer, timeline->copies[i].correlation);
        see_stream(writer, timeline->copies[i].stream);
    }
    for (size_t i = 0; i < timeline->api_count; i++) see_correlation(writer, timeline->apis[i].correlation);
    for (size_t i = 0; i < timeline->wait_count; i++) see_stream(writer, timeline->waits[i].waiting_stream);
    writer->lane_base = ((uint64_t)writer->max_stream / 1000 + 1) * 1000;
    writer->flows = gsim_alloc((size_t)writer->max_correlation + 1);
    if (!writer->flows) return gsim_error_set(error, GSIM_NOMEM, "cannot write the trace: out of memory");
    for (size_t i = 0; i < timeline->api_count; i++)
        if (gsim_result_shows(writer->result, timeline->apis[i].start, timeline->apis[i].end))
            writer->flows[timeline->apis[i].correlation] |= FLOW_CALL;
    for (size_t i = 0; i < timeline->kernel_count; i++)
        if (gsim_result_shows(writer->result, timeline->kernels[i].start, timeline->kernels[i].end))
            writer->flows[timeline->kernels[i].correlation] |= FLOW_WORK;
    for (size_t i = 0; i < timeline->copy_count; i++)
        if (gsim_result_shows(writer->result, timeline->copies[i].start, timeline->copies[i].end))
            writer->flows[timeline->copies[i].correlation] |= FLOW_WORK;
    return GSIM_OK;
}

/* What an analysis found: a process of its own, above the GPU's streams. A slice's colour follows its name. */
static void put_spans(struct writer *writer)
{
    const struct gsim_result *result = writer->result;
    if (!result->spans) return;
    put_metadata(writer, "process_name", GSIM_TRACE_SPANS_PID, 0, result->span_track);
    put_sort_index(writer, "process_sort_index", GSIM_TRACE_SPANS_PID, 0, 0);
    put_metadata(writer, "thread_name", GSIM_TRACE_SPANS_PID, 0, result->span_track);
    for (size_t i = 0; i < result->span_count; i++) {
        if (!gsim_result_shows(result, result->spans[i].start, result->spans[i].end)) continue;
        begin_event(writer, "X", "explanation", GSIM_TRACE_SPANS_PID, 0);
        gsim_output_put(writer->output, ",'name':%q,'ts':%t,'dur':%t,'args':{'state':%q}}", result->spans[i].name,
                        result->spans[i].start, result->spans[i].end - result->spans[i].start, result->spans[i].detail);
    }
}

static void put_waits(struct writer *writer)
{
    for (size_t i = 0; i < writer->timeline->wait_count; i++) {
        const struct gsim_wait_record *wait = &writer->timeline->waits[i];
        if (gsim_result_shows(writer->result, wait->satisfied, wait->satisfied)) {
            /* A wait of one stream for another's event; it has no duration of its own on the device. */
            begin_event(writer, "X", "cuda_sync", 0, wait->waiting_stream);
            gsim_output_put(writer->output,
                            ",'name':'Stream Wait Event','ts':%t,'dur':%t,'args':{'cuda_sync_kind':'Stream "
                            "Wait Event','device':0,'context':1,'stream':%u,'wait_on_stream':%u,"
                            "'wait_on_cuda_event_id':%u,'wait_on_cuda_event_record_corr_id':%u,"
                            "'correlation':%u,'recorded':%t,'iteration':%u}}",
                            wait->satisfied, (gsim_time)0, wait->waiting_stream, wait->recorded_stream, wait->event,
                            wait->record_correlation, wait->correlation, wait->recorded, wait->iteration);
        }
    }
    if (!writer->works) return;
    gsim_chrome_write_waits(writer->result, writer->works, writer->work_count, writer->max_correlation, writer->output);
}

enum gsim_status gsim_chrome_write(const struct gsim_result *result, struct gsim_output *output,
                                   struct gsim_error *error)
{
    struct writer writer = {.result = result, .timeline = result->timeline, .output = output, .first = true};
    enum gsim_status status = collect_flows(&writer, error);
    if (status == GSIM_OK) status = collect_slices(&writer, error);
    if (status == GSIM_OK && result->timeline->wait_count) {
        writer.works = gsim_alloc(sizeof *writer.works * (writer.slices.count + 1));
        if (!writer.works) status = gsim_error_set(error, GSIM_NOMEM, "cannot write the trace: out of memory");
    }
    if (status == GSIM_OK) {
        put_head(&writer);
        put_metadata(&writer, "process_name", 0, 0, "GPU 0");
        put_metadata(&writer, "process_labels", 0, 0, result->simulation->device->name);
        put_sort_index(&writer, "process_sort_index", 0, 0, 1);
        put_calls(&writer);
        put_tracks(&writer);
        put_waits(&writer);
        gsim_chrome_write_iterations(result, output);
        put_occupancy(&writer);
        if (result->tasks) gsim_chrome_write_tasks(result, output);
        put_spans(&writer);
        status = gsim_chrome_write_sms(result, output, error);
        gsim_output_text(output, "\n]}\n");
    }
    gsim_slices_release(&writer.slices);
    gsim_free(writer.works);
    gsim_free(writer.flows);
    return status;
}
