/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists of what a trace recorded, each growing by itself; names and streams kept once. What the records mean
 * together: traces/import/import.c.
 */
#include "traces/import/records/records.h"

#include <inttypes.h>

#define KEPT_NAME 240u /* bytes of a long name before the mark that tells it from others that begin alike */

static enum gsim_status append(struct gsim_records *r, void *array, const void *item, size_t size, uint32_t *count,
                               size_t *room)
{
    if (*count >= UINT32_MAX - 1) return gsim_error_set(r->error, GSIM_INPUT, "expected fewer than 2^32 records");
    if (gsim_array_grow(array, size, *count, room)) return gsim_no_memory(r->error);
    char *items;
    memcpy(&items, array, sizeof items); /* a pointer of whichever type */
    memcpy(items + size * *count, item, size);
    ++*count;
    return GSIM_OK;
}

enum gsim_status gsim_records_add_work(struct gsim_records *r, const struct gsim_activity *work)
{
    return append(r, &r->works, work, sizeof *work, &r->work_count, &r->work_room);
}

enum gsim_status gsim_records_add_call(struct gsim_records *r, const struct gsim_call *call)
{
    struct gsim_call copy = *call;
    if (call->kind == GSIM_CALL_IDLE || (call->kind <= GSIM_CALL_STREAM_CREATE && !r->options->times)) return GSIM_OK;
    if (copy.end_ns < copy.start_ns) {
        r->notes->unfinished++;
        copy.end_ns = copy.start_ns;
    }
    return append(r, &r->calls, &copy, sizeof copy, &r->call_count, &r->call_room);
}

enum gsim_status gsim_records_add_launch(struct gsim_records *r, const struct gsim_launch *launch, uint32_t *index)
{
    enum gsim_status status = append(r, &r->launches, launch, sizeof *launch, &r->launch_count, &r->launch_room);
    *index = r->launch_count;
    return status;
}

enum gsim_status gsim_records_add_operator(struct gsim_records *r, const struct gsim_operator *item)
{
    return append(r, &r->operators, item, sizeof *item, &r->operator_count, &r->operator_room);
}

enum gsim_status gsim_records_add_sync(struct gsim_records *r, const struct gsim_sync *sync)
{
    return append(r, &r->syncs, sync, sizeof *sync, &r->sync_count, &r->sync_room);
}

enum gsim_status gsim_records_add_annotation(struct gsim_records *r, const char *name, int64_t start_ns, int64_t end_ns)
{
    struct gsim_annotation annotation = {.start_ns = start_ns, .end_ns = end_ns};
    enum gsim_status status = gsim_records_name(r, name, &annotation.name);
    if (status != GSIM_OK) return status;
    return append(r, &r->annotations, &annotation, sizeof annotation, &r->annotation_count, &r->annotation_room);
}

enum gsim_status gsim_records_add_rank(struct gsim_records *r, uint32_t process, const char *label, size_t length)
{
    struct gsim_rank rank = {.process = process};
    for (uint32_t i = 0; i < r->rank_count; i++)
        if (r->ranks[i].process == process) return GSIM_OK;
    for (; length && strchr(" :_-", label[length - 1]); length--) continue;
    for (; length && strchr(" :_-", *label); label++) length--;
    size_t kept = 0;
    for (; kept < length && kept + 1 < sizeof rank.label; kept++)
        rank.label[kept] =
            (char)((unsigned char)label[kept] < 0x20 || (unsigned char)label[kept] >= 0x7f ? '?' : label[kept]);
    return append(r, &r->ranks, &rank, sizeof rank, &r->rank_count, &r->rank_room);
}

/* Traces have few streams, and records of one stream follow each other. */
enum gsim_status gsim_records_stream(struct gsim_records *r, const struct gsim_stream_key *key, uint32_t *stream)
{
    for (uint32_t i = 0, at = r->last_stream; i < r->stream_count; i++, at++) {
        if (at >= r->stream_count) at = 0;
        const struct gsim_stream_key *known = &r->streams[at];
        if (known->number != key->number || known->context != key->context || known->device != key->device ||
            known->process != key->process)
            continue;
        *stream = r->last_stream = at;
        return GSIM_OK;
    }
    if (r->stream_count > GSIM_LIMIT_STREAM)
        return gsim_error_set(r->error, GSIM_INPUT, "expected at most %d streams", GSIM_LIMIT_STREAM + 1);
    *stream = r->last_stream = r->stream_count;
    return append(r, &r->streams, key, sizeof *key, &r->stream_count, &r->stream_room);
}

void gsim_records_progress(const struct gsim_records *r, double ratio)
{
    if (r->options->progress)
        r->options->progress(r->options->progress_context, ratio,
                             (uint64_t)r->work_count + r->call_count + r->sync_count);
}

static uint32_t hash_text(const char *text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* NAME as a program may hold it. */
static void make_fit(char fit[GSIM_LIMIT_NAME + 1], const char *name)
{
    size_t length = strlen(name), kept = length <= GSIM_LIMIT_NAME ? length : KEPT_NAME;
    memcpy(fit, name, kept);
    fit[kept] = '\0';
    for (size_t i = 0; i < kept; i++)
        if ((unsigned char)fit[i] < 0x20 || (unsigned char)fit[i] >= 0x7f) fit[i] = '?';
    if (kept < length) snprintf(fit + kept, GSIM_LIMIT_NAME + 1 - kept, "..%08" PRIx32, hash_text(name));
    if (length == 0) snprintf(fit, GSIM_LIMIT_NAME + 1, "unnamed");
}

static uint32_t hash_shape(const struct gsim_work_shape *shape)
{
    const uint32_t values[] = {shape->name,    shape->grid.x,  shape->grid.y,          shape->grid.z,    shape->block.x,
                               shape->block.y, shape->block.z, shape->regs_per_thread, shape->smem_bytes,
                               shape->cluster.x, shape->cluster.y, shape->cluster.z};
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        hash = (hash ^ values[i]) * 0x9e3779b1u; /* 2^32 / golden ratio */
        hash ^= hash >> 15;
    }
    return hash;
}

enum gsim_status gsim_records_name(struct gsim_records *r, const char *name, uint32_t *index)
{
    char fit[GSIM_LIMIT_NAME + 1];
    make_fit(fit, name);
    *index = gsim_names_find(&r->name_slots, fit);
    if (*index != GSIM_NAME_NONE) return GSIM_OK;
    const char *copy = gsim_arena_strdup(&r->arena, fit);
    *index = r->name_count;
    if (!copy || gsim_names_add(&r->name_slots, copy, *index, NULL)) return gsim_no_memory(r->error);
    return append(r, &r->names, &copy, sizeof copy, &r->name_count, &r->name_room);
}

static bool is_shape(const void *shapes, uint32_t index, const void *key)
{
    const struct gsim_work_shape *a = (const struct gsim_work_shape *)shapes + index, *b = key;
    return a->name == b->name && a->grid.x == b->grid.x && a->grid.y == b->grid.y && a->grid.z == b->grid.z &&
           a->block.x == b->block.x && a->block.y == b->block.y && a->block.z == b->block.z &&
           a->regs_per_thread == b->regs_per_thread && a->smem_bytes == b->smem_bytes &&
           a->cluster.x == b->cluster.x && a->cluster.y == b->cluster.y && a->cluster.z == b->cluster.z;
}

enum gsim_status gsim_records_shape(struct gsim_records *r, const struct gsim_work_shape *shape, uint32_t *index)
{
    *index = gsim_slots_find(&r->shape_slots, hash_shape(shape), is_shape, r->shapes, shape);
    if (*index != GSIM_SLOT_NONE) return GSIM_OK;
    *index = r->shape_count;
    if (!gsim_slots_add(&r->shape_slots, hash_shape(shape), *index)) return gsim_no_memory(r->error);
    return append(r, &r->shapes, shape, sizeof *shape, &r->shape_count, &r->shape_room);
}

/* Calls that ask, prepare or allocate: the larger part of PyTorch's. An event's record is none of them: waits name
 * it. */
static bool is_idle(const char *name)
{
    static const char *const parts[] = {"Get",         "Peek",        "Query",    "Occupancy",    "IsCapturing",
                                        "EventCreate", "EventDestroy", "EventElapsed", "StreamCreate", "StreamDestroy",
                                        "FuncSet",     "SetDevice",   "MallocAsync", "FreeAsync"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

/* Calls that allocate, free, map or load, and by which the driver may wait for the GPU. */
static bool may_wait(const char *name)
{
    static const char *const parts[] = {"Malloc",         "Free",         "Alloc",       "HostRegister",
                                        "HostUnregister", "ModuleUnload", "DeviceReset", "CtxDestroy"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(name, parts[i])) return !strstr(name, "Async");
    return false;
}

enum gsim_call_kind gsim_records_call_kind(const char *name)
{
    static const struct {
        const char *name;
        enum gsim_call_kind kind;
    } known[] = {
        {"cudaDeviceSynchronize", GSIM_CALL_SYNC_DEVICE},
        {"cuCtxSynchronize", GSIM_CALL_SYNC_DEVICE},
        {"cudaThreadSynchronize", GSIM_CALL_SYNC_DEVICE},
        {"cudaStreamSynchronize", GSIM_CALL_SYNC_STREAM},
        {"cuStreamSynchronize", GSIM_CALL_SYNC_STREAM},
        {"cudaEventSynchronize", GSIM_CALL_SYNC_EVENT},
        {"cuEventSynchronize", GSIM_CALL_SYNC_EVENT},
        {"cudaEventQuery", GSIM_CALL_QUERY},
        {"cuEventQuery", GSIM_CALL_QUERY},
        {"cudaStreamQuery", GSIM_CALL_QUERY},
        {"cuStreamQuery", GSIM_CALL_QUERY},
        {"cudaStreamWaitEvent", GSIM_CALL_WAIT},
        {"cuStreamWaitEvent", GSIM_CALL_WAIT},
        {"cudaLaunchKernel", GSIM_CALL_LAUNCH},
        {"cudaLaunchKernelExC", GSIM_CALL_LAUNCH},
        {"cudaLaunchCooperativeKernel", GSIM_CALL_LAUNCH},
        {"cuLaunchKernel", GSIM_CALL_LAUNCH},
        {"cuLaunchKernelEx", GSIM_CALL_LAUNCH},
        {"cuLaunchCooperativeKernel", GSIM_CALL_LAUNCH},
        {"cudaEventRecord", GSIM_CALL_EVENT_RECORD},
        {"cudaEventRecordWithFlags", GSIM_CALL_EVENT_RECORD},
        {"cuEventRecord", GSIM_CALL_EVENT_RECORD},
        {"cudaEventCreate", GSIM_CALL_EVENT_CREATE},
        {"cudaEventCreateWithFlags", GSIM_CALL_EVENT_CREATE_FLAGS},
        {"cuEventCreate", GSIM_CALL_EVENT_CREATE_FLAGS},
        {"cudaEventDestroy", GSIM_CALL_EVENT_DESTROY},
        {"cuEventDestroy", GSIM_CALL_EVENT_DESTROY},
        {"cudaStreamCreateWithPriority", GSIM_CALL_STREAM_CREATE},
        {"cudaGraphLaunch", GSIM_CALL_GRAPH},
        {"cuGraphLaunch", GSIM_CALL_GRAPH},
        {"cudaExtLaunchKernel", GSIM_CALL_LAUNCH},
        {"cudaModuleLaunchKernel", GSIM_CALL_LAUNCH},
        {"cudaExtModuleLaunchKernel", GSIM_CALL_LAUNCH},
        {"cudaHccModuleLaunchKernel", GSIM_CALL_LAUNCH},
        {"cudaCtxSynchronize", GSIM_CALL_SYNC_DEVICE},
        {"urEnqueueKernelLaunch", GSIM_CALL_LAUNCH},
        {"piEnqueueKernelLaunch", GSIM_CALL_LAUNCH},
        {"urQueueFinish", GSIM_CALL_SYNC_DEVICE},
        {"piQueueFinish", GSIM_CALL_SYNC_DEVICE},
        {"urEventWait", GSIM_CALL_SYNC_EVENT},
        {"piEventsWait", GSIM_CALL_SYNC_EVENT},
    };
    /* AMD's calls are CUDA's by another name; Intel's have their own. */
    char plain[96];
    bool is_hip = strncmp(name, "hip", 3) == 0;
    snprintf(plain, sizeof plain, "%s%.80s", is_hip ? "cuda" : "", is_hip ? name + 3 : name);
    name = plain;
    const char *suffix = strpbrk(name, "_");
    size_t length = suffix ? (size_t)(suffix - name) : strlen(name);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].name) == length && strncmp(known[i].name, name, length) == 0) return known[i].kind;
    if (is_idle(name)) return GSIM_CALL_IDLE;
    if (may_wait(name)) return GSIM_CALL_MAY_WAIT;
    if (strstr(name, "emcpy") && !strstr(name, "Async")) return GSIM_CALL_COPY;
    return GSIM_CALL_OTHER;
}

void gsim_records_release(struct gsim_records *r)
{
    gsim_free(r->host_events);
    gsim_recorded_release(&r->recorded);
    gsim_free(r->spans);
    gsim_free(r->reads);
    gsim_free(r->works);
    gsim_free(r->annotations);
    gsim_free(r->ranks);
    gsim_free(r->calls);
    gsim_free(r->launches);
    gsim_free(r->operators);
    gsim_free(r->collectives);
    gsim_free(r->gradients);
    gsim_free(r->products);
    gsim_free(r->syncs);
    gsim_free(r->streams);
    gsim_free(r->names);
    gsim_names_release(&r->name_slots);
    gsim_free(r->shapes);
    gsim_slots_release(&r->shape_slots);
    gsim_arena_release(&r->arena);
}
