/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading recordings of the runner: one reader with a sticky error, which knows the place it is at. The file is cut
 * into elements by traces/events.c; each is walked (sim/base/scan.h). What runs mean: trust/validate/predict.h.
 */
#include "traces/runs.h"

#include <math.h>

#include "gpusim/limits.h"
#include "sim/base/gz.h"
#include "gpusim/order.h"
#include "sim/base/scan.h"
#include "traces/events.h"
#include "traces/position.h"

#define MAX_BLOCKS 2147483647.0
#define MAX_STREAM 4294967295.0
#define MAX_MHZ     1e5
#define HEAD_BYTES  4096 /* the schema stands in the first this many */
#define MAX_VALUES 16   /* members of one object that are known */

struct reader {
    const struct gsim_runs_handler *handler;
    struct gsim_recordings *set;
    struct gsim_arena run_arena; /* of the run being read */
    struct gsim_position at;
    bool has_schema;
};

/* --- values --------------------------------------------------------------------------------------------------- */
static void fail(struct reader *r, const char *field, const char *expected, const char *found)
{
    char text[96];
    gsim_position_fail(&r->at, field, expected, found ? gsim_scan_found(found, text, sizeof text) : "nothing");
}

/* The members of the object at AT whose names are in NAMES (it ends with NULL), each where it stands or NULL. Says what
 * else was expected where there is no object, and refuses a name that stands there twice. */
static bool members(struct reader *r, const char *at, const char *const *names, const char *values[MAX_VALUES])
{
    struct gsim_scan_text key;
    memset(values, 0, MAX_VALUES * sizeof *values);
    if (!at || *at != '{') {
        fail(r, "", "an object", at);
        return false;
    }
    GSIM_SCAN_EACH(value, at, &key) {
        int i = 0;
        while (names[i] && !gsim_scan_is(&key, names[i])) i++;
        if (!names[i]) continue;
        if (values[i]) fail(r, names[i], "one member of that name, the value of the second is", value);
        values[i] = value;
    }
    return !r->at.failed;
}

static bool is_number(const char *value) { return value && (*value == '-' || (*value >= '0' && *value <= '9')); }

/* A number from 0 to MOST; OTHERWISE where the member is missing (NAN: it must be there). */
static double number_or(struct reader *r, const char *value, const char *field, double most, double otherwise)
{
    if (!value && !isnan(otherwise)) return otherwise;
    double number = is_number(value) ? gsim_scan_number(value) : -1;
    if (number >= 0 && number <= most) return number;
    fail(r, field, "a number that is not negative", value);
    return 0;
}

static double number(struct reader *r, const char *value, const char *field, double most)
{
    return number_or(r, value, field, most, NAN);
}

/* A time of the trace, from the start of the iteration. What was launched before it may come before it. */
static double traced_time(struct reader *r, const char *value, const char *field)
{
    double us = is_number(value) ? gsim_scan_number(value) : NAN;
    if (fabs(us) <= GSIM_LIMIT_TOTAL_US) return us;
    fail(r, field, "a time in microseconds", value);
    return 0;
}

static double count_or(struct reader *r, const char *value, const char *field, double most, double otherwise)
{
    double number_found = number_or(r, value, field, most, otherwise);
    if (number_found == floor(number_found)) return number_found;
    fail(r, field, "a whole number", value);
    return 0;
}

/* A copy in ARENA; OTHERWISE where the member is missing (NULL: it must be there). */
static const char *text_or(struct reader *r, struct gsim_arena *arena, const char *value, const char *field,
                           const char *otherwise)
{
    if (!value && otherwise) return otherwise;
    if (value && *value == '"') {
        const char *text = gsim_scan_copy(value, arena);
        if (arena->failed) gsim_position_no_memory(&r->at);
        if (text) return text;
    }
    fail(r, field, "a text", value);
    return "";
}

static bool truth(struct reader *r, const char *value, const char *field)
{
    if (value && *value == 't') return true;
    if (value && *value != 'f') fail(r, field, "true or false", value);
    return false;
}

/* The index of the text in WORDS (it ends with NULL); OTHERWISE where the member is missing (-1: it must be there). */
static int word_or(struct reader *r, const char *value, const char *field, const char *const *words, int otherwise)
{
    char expected[96] = "one of";
    if (!value && otherwise >= 0) return otherwise;
    for (int i = 0; words[i]; i++) {
        size_t length = strlen(words[i]), used = strlen(expected);
        if (value && *value == '"' && strncmp(value + 1, words[i], length) == 0 && value[1 + length] == '"') return i;
        snprintf(expected + used, sizeof expected - used, " \"%s\"", words[i]);
    }
    fail(r, field, expected, value);
    return 0;
}

/* How many elements the list has; 0 with an error where it is none. */
static uint32_t list_length(struct reader *r, const char *list, const char *field)
{
    uint32_t count = 0;
    if (!list || *list != '[') {
        fail(r, field, "a list", list);
        return 0;
    }
    GSIM_SCAN_EACH(value, list, NULL)
        count++;
    return count;
}

static struct gsim_dim3 shape(struct reader *r, const char *list, const char *field, double most)
{
    uint32_t sizes[3] = {1, 1, 1}, at = 0;
    if (list_length(r, list, field) != 3) {
        fail(r, field, "three numbers", list);
        return (struct gsim_dim3){1, 1, 1};
    }
    GSIM_SCAN_EACH(value, list, NULL) {
        double size = count_or(r, value, field, most, NAN);
        if (size < 1) fail(r, field, "positive numbers", value);
        sizes[at++] = gsim_whole_u32(size);
    }
    return (struct gsim_dim3){sizes[0], sizes[1], sizes[2]};
}

/* --- what profiles and runs have in common ---------------------------------------------------------------------- */
enum key_field { KEY_WORKLOAD, KEY_SUITE, KEY_SHAPE, KEY_SIZE, KEY_BLOCK1D, KEY_BLOCKS, KEY_COUNT };
#define KEY_NAMES "workload", "suite", "shape", "size", "block1d", "blocks"

static void read_key(struct reader *r, const char *const *values, struct gsim_arena *arena,
                     struct gsim_recording_key *key)
{
    static const char *const suites[] = {"kesco", "grcuda", NULL}, *const shapes[] = {"concurrent", "serial", NULL};
    key->workload = text_or(r, arena, values[KEY_WORKLOAD], "workload", NULL);
    key->suite = (enum gsim_suite)word_or(r, values[KEY_SUITE], "suite", suites, GSIM_SUITE_KESCO);
    key->shape = (enum gsim_shape)word_or(r, values[KEY_SHAPE], "shape", shapes, GSIM_SHAPE_CONCURRENT);
    key->size = number(r, values[KEY_SIZE], "size", 1e18);
    key->block1d = gsim_whole_u32(count_or(r, values[KEY_BLOCK1D], "block1d", GSIM_LIMIT_BLOCK_THREADS, 0));
    key->blocks = gsim_whole_u32(count_or(r, values[KEY_BLOCKS], "blocks", MAX_BLOCKS, 0));
}

/* --- profiles ----------------------------------------------------------------------------------------------------- */
static void read_profile_op(struct reader *r, const char *at, struct gsim_profile_op *op)
{
    enum { OP, KERNEL, GRID, BLOCK, REGS, SMEM, SOLO, LEAST, MOST, SLICE };
    static const char *const names[] = {"op",         "kernel",  "grid",   "block",  "regs_per_thread",
                                        "smem_bytes", "solo_us", "min_us", "max_us", "slice_us", NULL};
    const char *values[MAX_VALUES];
    if (!members(r, at, names, values)) return;
    *op = (struct gsim_profile_op){
        .op = gsim_whole_u32(count_or(r, values[OP], "op", MAX_BLOCKS, NAN)),
        .grid = shape(r, values[GRID], "grid", GSIM_LIMIT_GRID_X),
        .block = shape(r, values[BLOCK], "block", GSIM_LIMIT_BLOCK_THREADS),
        .regs_per_thread = gsim_whole_u32(count_or(r, values[REGS], "regs_per_thread", GSIM_LIMIT_REGS, 0)),
        .smem_bytes = gsim_whole_u32(count_or(r, values[SMEM], "smem_bytes", GSIM_LIMIT_SMEM_BYTES, 0)),
        .solo_us = number(r, values[SOLO], "solo_us", GSIM_LIMIT_US),
        .min_us = values[LEAST] ? number(r, values[LEAST], "min_us", GSIM_LIMIT_US) : NAN,
        .max_us = values[MOST] ? number(r, values[MOST], "max_us", GSIM_LIMIT_US) : NAN,
        .slice_us = values[SLICE] ? number(r, values[SLICE], "slice_us", GSIM_LIMIT_US) : 0,
    };
    if (!(op->solo_us > 0)) fail(r, "solo_us", "a positive number", values[SOLO]);
    op->kernel = text_or(r, &r->set->arena, values[KERNEL], "kernel", "kernel");
}

static void read_profile(struct reader *r, const char *text)
{
    static const char *const names[] = {KEY_NAMES, "ops", "slice_sms", NULL};
    const char *values[MAX_VALUES];
    struct gsim_profile profile = {0};
    if (!members(r, gsim_scan_start(text), names, values)) return;
    uint32_t count = list_length(r, values[KEY_COUNT], "ops");
    profile.ops = GSIM_ARENA_ARRAY(&r->set->arena, struct gsim_profile_op, count);
    if (!profile.ops) gsim_position_no_memory(&r->at);
    if (r->at.failed) return;
    GSIM_SCAN_WHILE(at, values[KEY_COUNT], NULL, !r->at.failed) {
        size_t back = gsim_position_enter(&r->at, "ops[%u]", profile.op_count);
        read_profile_op(r, at, &profile.ops[profile.op_count++]);
        gsim_position_leave(&r->at, back);
    }
    read_key(r, values, &r->set->arena, &profile.key);
    profile.slice_sms = gsim_whole_u32(count_or(r, values[KEY_COUNT + 1], "slice_sms", GSIM_LIMIT_SMS, 0));
    if (!r->at.failed && gsim_recordings_profile(r->set, &profile.key))
        fail(r, "workload", "options that no earlier profile has", "\"the same again\"");
    if (r->at.failed) return;
    if (!GSIM_APPEND(r->set->profiles, r->set->profile_count, r->set->profile_capacity, profile))
        gsim_position_no_memory(&r->at);
}

/* --- runs --------------------------------------------------------------------------------------------------------- */
static void read_times(struct reader *r, const char *list, struct gsim_recording *run)
{
    run->iteration_us = GSIM_ARENA_ARRAY(&r->run_arena, double, list_length(r, list, "iteration_us"));
    if (!run->iteration_us) gsim_position_no_memory(&r->at);
    if (r->at.failed) return;
    GSIM_SCAN_EACH(at, list, NULL) {
        double us = number(r, at, "iteration_us", GSIM_LIMIT_US);
        if (!(us > 0)) fail(r, "iteration_us", "positive numbers", at);
        run->iteration_us[run->iteration_count++] = us;
    }
    if (!run->iteration_count) fail(r, "iteration_us", "at least one time", list);
}

static void read_op(struct reader *r, const char *at, struct gsim_recorded_op *op)
{
    enum { OP, KIND, BYTES, STREAM, LAUNCH, START, END };
    static const char *const names[] = {"op", "kind", "bytes", "stream", "launch_us", "start_us", "end_us", NULL};
    static const char *const kinds[] = {"h2d", "d2h", "d2d", "kernel", NULL};
    const char *values[MAX_VALUES];
    if (!members(r, at, names, values)) return;
    int kind = word_or(r, values[KIND], "kind", kinds, -1);
    *op = (struct gsim_recorded_op){
        .is_kernel = kind == 3,
        .copy_kind = kind == 3 ? GSIM_COPY_H2D : (enum gsim_copy_kind)kind,
        .op = gsim_whole_u32(count_or(r, values[OP], "op", MAX_BLOCKS, NAN)),
        .bytes = gsim_whole_u64(count_or(r, values[BYTES], "bytes", (double)GSIM_LIMIT_BYTES, kind == 3 ? 0 : NAN)),
        .stream = gsim_whole_u32(count_or(r, values[STREAM], "stream", MAX_STREAM, NAN)),
        .launch_us = traced_time(r, values[LAUNCH], "launch_us"),
        .start_us = traced_time(r, values[START], "start_us"),
        .end_us = traced_time(r, values[END], "end_us"),
    };
    if (op->end_us < op->start_us) fail(r, "end_us", "a time not before start_us", values[END]);
}

static void read_calls(struct reader *r, const char *list, struct gsim_recording *run)
{
    static const char *const names[] = {"call", "count", "total_us", NULL};
    const char *values[MAX_VALUES];
    if (!list || run->calls || !list_length(r, list, "calls")) return;
    run->calls = GSIM_ARENA_ARRAY(&r->run_arena, struct gsim_recorded_call, list_length(r, list, "calls"));
    if (!run->calls) gsim_position_no_memory(&r->at);
    GSIM_SCAN_WHILE(at, list, NULL, !r->at.failed) {
        size_t back = gsim_position_enter(&r->at, "%scalls[%u]", r->at.text[0] ? "." : "", run->call_count);
        if (!members(r, at, names, values)) return;
        struct gsim_recorded_call *call = &run->calls[run->call_count++];
        call->count = number(r, values[1], "count", GSIM_LIMIT_WORK);
        call->total_us = number(r, values[2], "total_us", GSIM_LIMIT_TOTAL_US);
        call->call = text_or(r, &r->run_arena, values[0], "call", NULL);
        run->has_graph |= strstr(call->call, "GraphLaunch") != NULL;
        run->has_sync |= strstr(call->call, "Synchronize") != NULL;
        gsim_position_leave(&r->at, back);
    }
}

GSIM_ORDER(by_launch, struct gsim_recorded_op, GSIM_UP(launch_us) GSIM_UP(start_us))

static void read_traced(struct reader *r, const char *object, struct gsim_recording *run)
{
    static const char *const names[] = {"iteration_us", "ops", "calls", NULL};
    const char *values[MAX_VALUES];
    run->traced_us = NAN;
    if (!object || *object == 'n') return; /* absent or null */
    size_t back = gsim_position_enter(&r->at, "traced");
    if (!members(r, object, names, values)) return;
    run->traced_us = number(r, values[0], "iteration_us", GSIM_LIMIT_US);
    run->ops = GSIM_ARENA_ARRAY(&r->run_arena, struct gsim_recorded_op, list_length(r, values[1], "ops"));
    if (!run->ops) gsim_position_no_memory(&r->at);
    if (r->at.failed) return;
    GSIM_SCAN_WHILE(at, values[1], NULL, !r->at.failed) {
        size_t inner = gsim_position_enter(&r->at, ".ops[%u]", run->op_count);
        read_op(r, at, &run->ops[run->op_count++]);
        gsim_position_leave(&r->at, inner);
    }
    read_calls(r, values[2], run);
    gsim_position_leave(&r->at, back);
    if (run->op_count) qsort(run->ops, run->op_count, sizeof *run->ops, by_launch);
}

static enum gsim_status read_run(struct reader *r, const char *text)
{
    enum { SCHEDULER = KEY_COUNT, MEMORY, PREFETCH, SPLIT, CHECKED, TIMES, CALLS, TRACED };
    static const char *const names[] = {KEY_NAMES, "scheduler",    "memory", "prefetch", "split",
                                        "checked", "iteration_us", "calls", "traced", NULL};
    static const char *const memories[] = {"managed", "pinned", "pageable", NULL}, *const splits[] = {"fit", "test",
                                                                                                      NULL};
    const char *values[MAX_VALUES];
    struct gsim_recording run = {0};
    if (!members(r, gsim_scan_start(text), names, values)) return r->at.error->status;
    run.memory = (enum gsim_memory_mode)word_or(r, values[MEMORY], "memory", memories, GSIM_MEMORY_PINNED);
    run.prefetch = truth(r, values[PREFETCH], "prefetch");
    run.split = (enum gsim_split)word_or(r, values[SPLIT], "split", splits, GSIM_SPLIT_TEST);
    run.checked = truth(r, values[CHECKED], "checked");
    if (!r->at.failed) read_times(r, values[TIMES], &run);
    if (!r->at.failed) read_calls(r, values[CALLS], &run);
    if (!r->at.failed) read_traced(r, values[TRACED], &run);
    run.has_sync |= !run.calls;
    read_key(r, values, &r->run_arena, &run.key);
    run.scheduler = text_or(r, &r->run_arena, values[SCHEDULER], "scheduler", NULL);
    return r->at.failed ? r->at.error->status : r->handler->run(r->handler->context, r->set, &run, r->at.error);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */
static enum gsim_status read_element(void *context, const char *list, uint64_t index, const char *text,
                                     struct gsim_error *error)
{
    struct reader *r = context;
    (void)index;
    if (!r->has_schema)
        return gsim_error_set(error, GSIM_INPUT, "expected the schema \"" GSIM_RUNS_SCHEMA "\" before, found none");
    r->at.text[0] = '\0';
    if (strcmp(list, "profiles") == 0) {
        read_profile(r, text);
        return r->at.failed ? error->status : GSIM_OK;
    }
    enum gsim_status status = read_run(r, text);
    gsim_arena_release(&r->run_arena);
    return status;
}

static enum gsim_status read_head(void *context, const char *name, const char *text, struct gsim_error *error)
{
    struct reader *r = context;
    struct gsim_recordings *set = r->set;
    const char *value = gsim_scan_start(text);
    const struct {
        const char *name, **text;
    } texts[] = {{"name", &set->name}, {"gpu", &set->gpu},   {"device", &set->device}, {"driver", &set->driver},
                 {"cuda", &set->cuda}, {"date", &set->date}, {"tracer", &set->tracer}};
    r->at.text[0] = '\0';
    if (strcmp(name, "schema") == 0) {
        static const char *const schemas[] = {GSIM_RUNS_SCHEMA, NULL};
        (void)word_or(r, value, "schema", schemas, -1);
        r->has_schema = true;
    } else if (strcmp(name, "compute_capability") == 0) {
        set->compute_capability = gsim_whole_int(count_or(r, value, name, 1000, NAN));
    } else if (strcmp(name, "sm_clock_mhz") == 0) {
        set->sm_clock_mhz = number(r, value, name, MAX_MHZ);
    } else if (strcmp(name, "tracer_excess_us") == 0) {
        set->tracer_excess_us = number(r, value, name, 1000);
    } else if (strcmp(name, "memory_clock_mhz") == 0) {
        set->memory_clock_mhz = number(r, value, name, MAX_MHZ);
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(name, texts[i].name) == 0 && *value == '"')
            if (!(*texts[i].text = gsim_scan_copy(value, &set->arena))) *texts[i].text = "";
    if (set->arena.failed) gsim_position_no_memory(&r->at);
    return r->at.failed ? error->status : GSIM_OK;
}

bool gsim_runs_is(const char *path, char device[GSIM_RUNS_DEVICE])
{
    char head[HEAD_BYTES + 1];
    if (device) device[0] = '\0';
    if (!gsim_gz_head(path, head, sizeof head)) return false;
    const char *at = device ? strstr(head, "\"device\"") : NULL;
    if (at && sscanf(at, "\"device\" : \"%63[^\"\\]\"", device) != 1) device[0] = '\0';
    return strstr(head, "\"" GSIM_RUNS_SCHEMA "\"") != NULL;
}

enum gsim_status gsim_runs_read(const char *path, const struct gsim_runs_handler *handler,
                                struct gsim_recordings *recordings, struct gsim_error *error)
{
    static const char *const lists[] = {"profiles", "runs", NULL};
    struct reader r = {.handler = handler, .set = recordings, .at.error = error};
    const struct gsim_events_handler events = {
        .header = read_head, .context = &r, .lists = lists, .element = read_element};
    recordings->name = recordings->gpu = recordings->device = recordings->driver = "";
    recordings->cuda = recordings->date = recordings->tracer = "";
    enum gsim_status status = gsim_events_read(path, &events, error);
    gsim_arena_release(&r.run_arena);
    if (status == GSIM_OK && !r.has_schema)
        status = gsim_error_set(error, GSIM_INPUT, "schema: expected \"" GSIM_RUNS_SCHEMA "\", found nothing");
    return status;
}
