/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See tests/traces/retell.h. Numbers are taken from the text, because times have more digits than a double.
 */
#include "tests/traces/retell.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "gpusim/memory.h"
#include "traces/events.h"

/* What stands behind "KEY": in TEXT, or NULL. A quote inside a string is escaped, so a key is found in no name. */
static const char *behind(const char *text, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(text, quoted);
    return at ? at + strlen(quoted) + strspn(at + strlen(quoted), " ") : NULL;
}

static int64_t whole(const char *text, const char *key, int64_t otherwise)
{
    const char *at = behind(text, key);
    return at && (*at == '-' || (*at >= '0' && *at <= '9')) ? strtoll(at, NULL, 10) : otherwise;
}

/* Microseconds with a fraction as nanoseconds, further digits cut. */
static int64_t ns_at(const char *at)
{
    char *rest;
    int64_t ns = strtoll(at, &rest, 10) * 1000, digit = 100;
    if (*rest == '.')
        for (rest++; *rest >= '0' && *rest <= '9' && digit; rest++, digit /= 10) ns += (*rest - '0') * digit;
    return ns;
}

static int64_t time_ns(const char *text, const char *key)
{
    const char *at = behind(text, key);
    return at ? ns_at(at) : 0;
}

/* --- longer --- */
enum counted { COUNTED_TIME, COUNTED_CORRELATION, COUNTED_EXTERNAL, COUNTED_FLOW, COUNTED };
static const char *const counted_keys[COUNTED] = {"ts", "correlation", "External id", "id"};

struct piece {
    uint32_t from, length; /* of the number in the event's text */
    enum counted kind;
};

struct event_text {
    char *text;
    struct piece pieces[COUNTED]; /* in the order of the text */
    int piece_count;
};

struct longer {
    struct event_text *events;
    size_t count, room;
    int64_t first_ns, last_ns, ids;
    gzFile out;
    uint64_t written;
    struct gsim_arena arena;
};

static void put(struct longer *l, const char *text, size_t length)
{
    gzwrite(l->out, text, (unsigned)length);
    l->written += length;
}

static enum gsim_status keep_header(void *context, const char *name, const char *text, struct gsim_error *error)
{
    struct longer *l = context;
    (void)error;
    put(l, l->written ? ",\"" : "{\"", 2);
    put(l, name, strlen(name));
    put(l, "\":", 2);
    put(l, text, strlen(text));
    return GSIM_OK;
}

static int by_place(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;
    return a->from < b->from ? -1 : a->from > b->from;
}

static enum gsim_status keep_event(void *context, uint64_t index, const char *text, struct gsim_error *error)
{
    struct longer *l = context;
    const char *phase = behind(text, "ph");
    (void)index;
    if (!phase || (phase[1] != 'X' && phase[1] != 's' && phase[1] != 'f') || behind(text, "Op count")) return GSIM_OK;
    void *events = l->events;
    if (gsim_array_grow(&events, sizeof *l->events, l->count, &l->room))
        return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    l->events = events;
    struct event_text *e = &l->events[l->count++];
    *e = (struct event_text){.text = gsim_arena_strdup(&l->arena, text)};
    if (!e->text) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (int k = 0; k < COUNTED; k++) {
        const char *at = behind(e->text, counted_keys[k]);
        if (!at || *at < '0' || *at > '9') continue;
        e->pieces[e->piece_count++] =
            (struct piece){(uint32_t)(at - e->text), (uint32_t)strspn(at, "0123456789."), (enum counted)k};
        int64_t ns = ns_at(at);
        if (k != COUNTED_TIME) {
            if (ns / 1000 >= l->ids) l->ids = ns / 1000 + 1;
            continue;
        }
        int64_t end_ns = ns + time_ns(e->text, "dur");
        if (l->first_ns == 0 || ns < l->first_ns) l->first_ns = ns;
        if (end_ns > l->last_ns) l->last_ns = end_ns;
    }
    qsort(e->pieces, (size_t)e->piece_count, sizeof e->pieces[0], by_place);
    return GSIM_OK;
}

static void put_event(struct longer *l, const struct event_text *e, uint64_t round)
{
    uint32_t from = 0;
    char number[48];
    for (int p = 0; p < e->piece_count; p++) {
        const struct piece *piece = &e->pieces[p];
        put(l, e->text + from, piece->from - from);
        from = piece->from + piece->length;
        if (piece->kind == COUNTED_TIME) {
            int64_t ns = ns_at(e->text + piece->from) + (int64_t)round * (l->last_ns - l->first_ns + 100000);
            snprintf(number, sizeof number, "%" PRId64 ".%03" PRId64, ns / 1000, ns % 1000);
        } else {
            snprintf(number, sizeof number, "%" PRId64,
                     (int64_t)strtoll(e->text + piece->from, NULL, 10) + (int64_t)round * l->ids);
        }
        put(l, number, strlen(number));
    }
    put(l, e->text + from, strlen(e->text + from));
}

enum gsim_status retell_longer(const char *source, const char *target, uint64_t bytes, uint64_t *times,
                               struct gsim_error *error)
{
    size_t length = strlen(target);
    bool is_gzip = length > 3 && strcmp(target + length - 3, ".gz") == 0;
    struct longer l = {.out = gzopen(target, is_gzip ? "wb1" : "wbT")};
    const struct gsim_events_handler handler = {.event = keep_event, .header = keep_header, .context = &l};
    if (!l.out) return gsim_error_set(error, GSIM_IO, "cannot write '%s'", target);
    enum gsim_status status = gsim_events_read(source, &handler, error);
    put(&l, l.written ? "," : "{", 1);
    put(&l, "\"traceEvents\":[\n", strlen("\"traceEvents\":[\n"));
    for (*times = 0; status == GSIM_OK && l.count && l.written < bytes; ++*times)
        for (size_t i = 0; i < l.count; i++) {
            if (i || *times) put(&l, ",\n", 2);
            put_event(&l, &l.events[i], *times);
        }
    put(&l, "\n]}\n", 4);
    if (gzclose(l.out) != Z_OK && status == GSIM_OK)
        status = gsim_error_set(error, GSIM_IO, "cannot write '%s'", target);
    gsim_free(l.events);
    gsim_arena_release(&l.arena);
    return status;
}

/* --- Nsight Systems ----------------------------------------------------------------------------------------------- */
#define PROCESS (77ll * 0x1000000 + 0x1000000000000) /* a global process id: the process in bits 24 to 47 */

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL UNIQUE);"
    "CREATE TABLE TARGET_INFO_GPU (vmId INT, id INT, name TEXT, busLocation TEXT, smCount INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, "
    "nameId INT, returnValue INT, callchainId INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, greenContextId INT, "
    "streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT, mangledName INT, launchType "
    "INT, "
    "registersPerThread INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, staticSharedMemory "
    "INT, "
    "dynamicSharedMemory INT, localMemoryPerThread INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT, streamId INT, "
    "correlationId INT, globalPid INT, bytes INT, copyKind INT, srcKind INT, dstKind INT, copyCount INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, contextId INT, streamId INT, "
    "correlationId INT, globalPid INT, value INT, bytes INT, memKind INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, deviceId INT, contextId INT, streamId INT, "
    "correlationId INT, globalPid INT, syncType INT, eventId INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INT, contextId INT, streamId INT, correlationId INT, "
    "globalPid INT, eventId INT);";

enum insert { INSERT_NAME, INSERT_CALL, INSERT_KERNEL, INSERT_COPY, INSERT_MEMSET, INSERT_SYNC, INSERT_EVENT, INSERTS };
static const char *const inserts[INSERTS] = {
    "INSERT OR IGNORE INTO StringIds (value) VALUES (?1)",
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT ?2, ?3, 0, ?4, ?5, id, 0, NULL FROM StringIds WHERE value = ?1",
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT ?2, ?3, ?4, ?5, NULL, ?6, ?7, ?8, id, id, NULL, 0, ?9, ?10, ?11, "
    "?12, "
    "?13, ?14, ?15, 0, ?16, 0 FROM StringIds WHERE value = ?1",
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 1)",
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9, 2)",
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (?2, ?3, ?4, ?5, ?6, ?7)"};

struct nsys {
    sqlite3 *database;
    sqlite3_stmt *statements[INSERTS];
    bool failed;
};

/* NAME is ?1, the COUNT values are ?2 and so on. */
static void insert(struct nsys *n, enum insert which, const char *name, const int64_t *values, int count)
{
    sqlite3_stmt *s = n->statements[which];
    sqlite3_reset(s);
    if (name) n->failed |= sqlite3_bind_text(s, 1, name, -1, SQLITE_TRANSIENT) != SQLITE_OK;
    for (int i = 0; i < count; i++) n->failed |= sqlite3_bind_int64(s, i + 2, values[i]) != SQLITE_OK;
    n->failed |= sqlite3_step(s) != SQLITE_DONE;
}
#define INSERT(n, which, name, ...)                                                                                    \
    insert(n, which, name, (const int64_t[]){__VA_ARGS__},                                                             \
           (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

/* CUPTI's numbers for kinds of copies and of memory. */
static int64_t copy_kind(const char *name)
{
    return strstr(name, "HtoD") ? 1 : strstr(name, "DtoH") ? 2 : strstr(name, "HtoH") ? 9 : 8;
}

static int64_t memory_kind(const char *name, bool of_host) { return !of_host ? 3 : strstr(name, "Pageable") ? 1 : 2; }

static void dimensions(const char *text, const char *key, int64_t sizes[3])
{
    const char *at = behind(text, key);
    for (int i = 0; i < 3; i++) {
        char *rest = NULL;
        sizes[i] = at ? strtoll(at + 1, &rest, 10) : 1;
        at = rest;
    }
}

static void tell_work(struct nsys *n, const char *text, const char *category, const char *name, const int64_t head[7])
{
    int64_t grid[3], block[3], bytes = whole(text, "bytes", 0), kind = copy_kind(name);
    if (strcmp(category, "kernel") == 0) {
        dimensions(text, "grid", grid);
        dimensions(text, "block", block);
        insert(n, INSERT_NAME, name, NULL, 0);
        INSERT(n, INSERT_KERNEL, name, head[0], head[1], head[2], head[3], head[4], head[5], head[6],
               whole(text, "registers per thread", 0), grid[0], grid[1], grid[2], block[0], block[1], block[2],
               whole(text, "shared memory", 0));
    } else if (strcmp(category, "gpu_memcpy") == 0) {
        INSERT(n, INSERT_COPY, NULL, head[0], head[1], head[2], head[3], head[4], head[5], head[6], bytes, kind,
               memory_kind(name, kind == 1 || kind == 9), memory_kind(name, kind == 2 || kind == 9));
    } else {
        INSERT(n, INSERT_MEMSET, NULL, head[0], head[1], head[2], head[3], head[4], head[5], head[6], bytes);
    }
}

static void tell_sync(struct nsys *n, const char *text, const char *name, const int64_t head[7])
{
    bool is_wait = strcmp(name, "Stream Wait Event") == 0;
    int64_t event = whole(text, "wait_on_cuda_event_id", 0), source = whole(text, "wait_on_stream", -1);
    INSERT(n, INSERT_SYNC, NULL, head[0], head[1], head[2], head[3], head[4] < 0 ? 0 : head[4], head[5], head[6],
           is_wait       ? 2
           : head[4] < 0 ? 4
                         : 3,
           event);
    if (is_wait && source >= 0)
        INSERT(n, INSERT_EVENT, NULL, head[2], head[3], source, whole(text, "wait_on_cuda_event_record_corr_id", 0),
               head[6], event);
}

static enum gsim_status tell_event(void *context, uint64_t index, const char *text, struct gsim_error *error)
{
    struct nsys *n = context;
    cJSON *event = cJSON_Parse(text);
    const char *category = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "cat"));
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "name"));
    const char *phase = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "ph"));
    (void)index;
    if (category && name && phase && strcmp(phase, "X") == 0) {
        int64_t start = time_ns(text, "ts"), end = start + time_ns(text, "dur");
        const int64_t head[7] = {start,
                                 end,
                                 whole(text, "device", 0),
                                 whole(text, "context", 0),
                                 whole(text, "stream", -1),
                                 whole(text, "correlation", 0),
                                 PROCESS};
        if (strcmp(category, "kernel") == 0 || strcmp(category, "gpu_memcpy") == 0 ||
            strcmp(category, "gpu_memset") == 0) {
            tell_work(n, text, category, name, head);
        } else if (strcmp(category, "cuda_sync") == 0) {
            tell_sync(n, text, name, head);
        } else if (strcmp(category, "cuda_runtime") == 0 || strcmp(category, "cuda_driver") == 0) {
            char versioned[256];
            snprintf(versioned, sizeof versioned, "%.200s_v3020", name);
            insert(n, INSERT_NAME, versioned, NULL, 0);
            INSERT(n, INSERT_CALL, versioned, start, end, PROCESS + whole(text, "tid", 0) % 0x1000000, head[5]);
        }
    }
    cJSON_Delete(event);
    return n->failed ? gsim_error_set(error, GSIM_IO, "%s", sqlite3_errmsg(n->database)) : GSIM_OK;
}

static enum gsim_status tell_header(void *context, const char *name, const char *text, struct gsim_error *error)
{
    struct nsys *n = context;
    cJSON *list = strcmp(name, "deviceProperties") == 0 ? cJSON_Parse(text) : NULL;
    const char *gpu = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(list, 0), "name"));
    double sms = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(list, 0), "numSms"));
    int count = sms > 0 ? (int)sms : 0;
    char *sql = gpu ? sqlite3_mprintf("INSERT INTO TARGET_INFO_GPU VALUES (0, 0, %Q, '', %d)", gpu, count)
                    : NULL;
    (void)error;
    if (sql) n->failed |= sqlite3_exec(n->database, sql, NULL, NULL, NULL) != SQLITE_OK;
    sqlite3_free(sql);
    cJSON_Delete(list);
    return GSIM_OK;
}

enum gsim_status retell_nsys(const char *source, const char *target, struct gsim_error *error)
{
    struct nsys n = {0};
    const struct gsim_events_handler handler = {.event = tell_event, .header = tell_header, .context = &n};
    enum gsim_status status = GSIM_OK;
    remove(target);
    n.failed = sqlite3_open(target, &n.database) != SQLITE_OK ||
               sqlite3_exec(n.database, schema, NULL, NULL, NULL) != SQLITE_OK;
    for (int i = 0; i < INSERTS && !n.failed; i++)
        n.failed = sqlite3_prepare_v2(n.database, inserts[i], -1, &n.statements[i], NULL) != SQLITE_OK;
    if (!n.failed) status = gsim_events_read(source, &handler, error);
    for (int i = 0; i < INSERTS; i++) sqlite3_finalize(n.statements[i]);
    if (status == GSIM_OK && !n.failed) n.failed = sqlite3_exec(n.database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK;
    if (status == GSIM_OK && n.failed) status = gsim_error_set(error, GSIM_IO, "%s", sqlite3_errmsg(n.database));
    sqlite3_close(n.database);
    return status;
}
