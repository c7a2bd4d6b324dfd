/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/scenarios/task_words.h. */
#include "ask/scenarios/task_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/subject.h"
#include "gpusim/limits.h"
#include "sim/base/gz.h"
#include "sim/base/json.h"
#include "sim/base/text.h"

/* Keys with a number: X(name, least, most, is an integer, field). */
#define NUMBER_KEYS(X)                                             \
    X("priority", 0, GSIM_TASK_PRIORITIES - 1, true, priority)     \
    X("process", 0, 1000000, true, process)                        \
    X("requests", 0, GSIM_LIMIT_REQUESTS, true, requests)          \
    X("start_us", 0, GSIM_LIMIT_US, false, start_us)               \
    X("gap_us", 0, GSIM_LIMIT_US, false, gap_us)                   \
    X("duration_us", 1e-3, GSIM_LIMIT_US, false, duration_us)      \
    X("deadline_us", 1e-3, GSIM_LIMIT_US, false, deadline_us)      \
    X("percentage", 1, 100, false, percentage)                     \
    X("sms", 1, 100000, true, sms)
static const char *const text_keys[] = {"arrival", "size", "sched", "name", "copies", "gpu", "step"};

static bool read_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

/* --- arrivals ------------------------------------------------------------------------------------------------ */

/* One time a line, in microseconds from start_us on; lines that begin with # are comments. */
static enum gsim_status read_times(const char *path, struct gsim_arena *arena, struct gsim_task *task,
                                   struct gsim_error *error)
{
    char line[256];
    double *times = NULL;
    size_t room = 0;
    FILE *file = gsim_input_stream(path, error);
    enum gsim_status status = GSIM_OK;
    if (!file && access(path, F_OK) == 0) return gsim_error_prefix(error, "arrival=%s", path);
    if (!file)
        return gsim_refuse(
            error, "arrival=%s: expected closed, periodic:US, poisson:PER_S or a file of times, one a line", path);
    while (status == GSIM_OK && fgets(line, sizeof line, file)) {
        double us;
        line[strcspn(line, "\r\n")] = '\0';
        if (!line[0] || line[0] == '#') continue;
        if (!read_number(line, &us))
            status = gsim_error_set(error, GSIM_INPUT, "arrival=%s: time %u: expected a number, found '%.40s'", path,
                                    task->time_count + 1, line);
        else {
            if (us < 0 || us > GSIM_LIMIT_US || (task->time_count && us < times[task->time_count - 1]))
                status = gsim_error_set(error, GSIM_INPUT,
                                        "arrival=%s: time %u: expected microseconds that do not go back, found %g",
                                        path, task->time_count + 1, us);
            if (!status && gsim_array_grow((void **)&times, sizeof *times, task->time_count, &room))
                status = gsim_no_memory(error);
            if (status == GSIM_OK) times[task->time_count++] = us;
        }
    }
    fclose(file);
    if (status == GSIM_OK && !task->time_count)
        status = gsim_error_set(error, GSIM_INPUT, "arrival=%s: expected times, found none", path);
    if (!status && gsim_arena_adopt(arena, times, room * sizeof *times)) status = gsim_no_memory(error);
    if (status) gsim_free(times);
    task->times_us = status ? NULL : times;
    task->arrival = GSIM_ARRIVAL_LIST;
    return status;
}

static enum gsim_status read_arrival(const char *text, struct gsim_arena *arena, struct gsim_task *task,
                                     struct gsim_error *error)
{
    double number;
    bool is_periodic = strncmp(text, "periodic:", 9) == 0, is_poisson = strncmp(text, "poisson:", 8) == 0;
    task->arrival = GSIM_ARRIVAL_CLOSED;
    task->time_count = 0;
    if (strcmp(text, "closed") == 0) return GSIM_OK;
    if (!is_periodic && !is_poisson) return read_times(text, arena, task, error);
    if (!read_number(strchr(text, ':') + 1, &number) || !(number > 0) || number > GSIM_LIMIT_US)
        return gsim_refuse(error, "arrival=%s: expected a number above 0 behind the colon", text);
    task->arrival = is_periodic ? GSIM_ARRIVAL_PERIODIC : GSIM_ARRIVAL_POISSON;
    if (is_periodic) task->period_us = number;
    else task->rate_per_s = number;
    return GSIM_OK;
}

/* --- keys ---------------------------------------------------------------------------------------------------- */

static enum gsim_status unknown_key(const char *key, struct gsim_error *error)
{
    struct gsim_nearest nearest;
    gsim_nearest_init(&nearest, key);
#define OFFER(name, least, most, is_integer, field) gsim_nearest_offer(&nearest, name);
    NUMBER_KEYS(OFFER)
#undef OFFER
    for (size_t i = 0; i < sizeof text_keys / sizeof text_keys[0]; i++) gsim_nearest_offer(&nearest, text_keys[i]);
    return gsim_refuse(
        error,
        "unknown key '%.40s'%s: expected priority, process, requests, start_us, gap_us, arrival, duration_us, "
        "deadline_us, percentage, sms, gpu, copies, size, sched, step or name",
        key, gsim_nearest_text(&nearest));
}

/* "8", or "1:16" where a command looks for how many. */
static enum gsim_status read_copies(const char *text, struct gsim_task_words *words, struct gsim_error *error)
{
    unsigned from, to;
    int used = 0;
    bool is_range = sscanf(text, "%9u:%9u%n", &from, &to, &used) == 2 && !text[used];
    if (!is_range && sscanf(text, "%9u%n", &from, &used) == 1 && !text[used]) to = from;
    else if (!is_range) from = 0;
    if (!from || to < from || to > GSIM_LIMIT_TASKS)
        return gsim_refuse(error, "copies: expected an integer or FROM:TO from 1 to %d, found '%.40s'",
                           GSIM_LIMIT_TASKS, text);
    words->copies_from = from;
    words->copies_to = to;
    return GSIM_OK;
}

static enum gsim_status read_key(const char *key, const char *value, struct gsim_arena *arena,
                                 struct gsim_task_words *words, struct gsim_error *error)
{
    struct gsim_task *task = &words->task;
    double number;
#define READ(name, least, most, is_integer, field)                                                                     \
    if (strcmp(key, name) == 0) {                                                                                      \
        if (!read_number(value, &number) || number < (least) || number > (most) ||                                     \
            ((is_integer) && number != floor(number)))                                                                 \
            return gsim_refuse(error, "%s: expected %s from %.10g to %.10g, found '%.40s'", name,                      \
                               (is_integer) ? "an integer" : "a number", (double)(least), (double)(most), value);      \
        task->field = __builtin_choose_expr(is_integer, gsim_whole(number), number);                                   \
        return GSIM_OK;                                                                                                \
    }
    NUMBER_KEYS(READ)
#undef READ
    if (strcmp(key, "arrival") == 0) return read_arrival(value, arena, task, error);
    if (strcmp(key, "copies") == 0) return read_copies(value, words, error);
    if (strcmp(key, "gpu") == 0) {
        if (!read_number(value, &number) || number < 0 || number >= GSIM_LIMIT_GPUS || number != floor(number))
            return gsim_refuse(error, "gpu: expected an integer from 0 to %d, found '%.40s'", GSIM_LIMIT_GPUS - 1,
                               value);
        words->gpu = gsim_whole_u32(number);
        return GSIM_OK;
    }
    if (!value[0]) return gsim_refuse(error, "%s: expected something behind the =", key);
    if (strcmp(key, "size") == 0) words->size = value;
    else if (strcmp(key, "sched") == 0) words->scheduler = value;
    else if (strcmp(key, "step") == 0) words->step = value;
    else if (strcmp(key, "name") == 0) task->name = value;
    else return unknown_key(key, error);
    return GSIM_OK;
}

enum gsim_status gsim_task_words_read(const char *text, struct gsim_arena *arena, struct gsim_task_words *words,
                                      struct gsim_error *error)
{
    char *at = gsim_arena_strdup(arena, text);
    bool has_requests = false;
    *words = (struct gsim_task_words){
        .gpu = UINT32_MAX, .copies_from = 1, .copies_to = 1, .task = {.process = GSIM_OWN_PROCESS, .requests = 1}};
    if (!at) return gsim_no_memory(error);
    words->program = gsim_text_cut(&at);
    if (!words->program[0]) return gsim_refuse(error, "expected PROGRAM[,KEY=VALUE]..., found '%.60s'", text);
    for (char *part; (part = gsim_text_cut(&at)) != NULL;) {
        char *equals = strchr(part, '=');
        if (!equals) return gsim_refuse(error, "expected KEY=VALUE behind a comma, found '%.40s'", part);
        *equals = '\0';
        has_requests |= strcmp(part, "requests") == 0;
        enum gsim_status status = read_key(part, equals + 1, arena, words, error);
        if (status != GSIM_OK) return status;
    }
    bool has_end = words->task.duration_us > 0 || words->task.arrival == GSIM_ARRIVAL_LIST;
    if (!has_requests && has_end) words->task.requests = 0;
    return GSIM_OK;
}

const char *gsim_task_words_note(const struct gsim_task_words *words, unsigned which, char text[GSIM_TASK_NOTE])
{
    const struct gsim_task *task = &words->task;
    if (which)
        return task->arrival != GSIM_ARRIVAL_CLOSED && task->gap_us > 0
                   ? "gap_us changes nothing here: it is of closed arrivals, and arrival= says when requests come"
                   : NULL;
    if (task->arrival != GSIM_ARRIVAL_LIST || task->requests <= task->time_count) return NULL;
    snprintf(text, GSIM_TASK_NOTE, "its arrivals are %u: as many requests are served, not %u", task->time_count,
             task->requests);
    return text;
}

enum gsim_status gsim_task_words_copies(const char *text, struct gsim_arena *arena, uint32_t *from, uint32_t *to,
                                        struct gsim_error *error)
{
    struct gsim_task_words words = {.copies_from = 1, .copies_to = 1};
    char *at = gsim_arena_strdup(arena, text);
    enum gsim_status status = GSIM_OK;
    for (char *part = at; status == GSIM_OK && (part = gsim_text_cut(&at)) != NULL;)
        if (strncmp(part, "copies=", 7) == 0) status = read_copies(part + 7, &words, error);
    *from = words.copies_from;
    *to = words.copies_to;
    return status;
}

/* --- files of tasks -------------------------------------------------------------------------------------------- */

/* One task of the file as words. */
static enum gsim_status task_text(const cJSON *item, uint32_t index, struct gsim_arena *arena, const char **text,
                                  struct gsim_error *error)
{
    const cJSON *program = cJSON_GetObjectItemCaseSensitive(item, "program");
    char found[64];
    if (!cJSON_IsString(program))
        return gsim_error_set(error, GSIM_INPUT, "tasks[%u].program: expected a string, found %s", index,
                              gsim_json_found(program, found, sizeof found));
    char *words = gsim_arena_strdup(arena, program->valuestring);
    const cJSON *key;
    cJSON_ArrayForEach(key, item)
    {
        if (key == program || !words) continue;
        bool has_comma = cJSON_IsString(key) && strchr(key->valuestring, ',');
        if ((!cJSON_IsString(key) && !cJSON_IsNumber(key)) || has_comma)
            return gsim_error_set(error, GSIM_INPUT,
                                  "tasks[%u].%.40s: expected a number or a string without a comma, found %s", index,
                                  key->string, gsim_json_found(key, found, sizeof found));
        words = cJSON_IsString(key) ? gsim_arena_printf(arena, "%s,%s=%s", words, key->string, key->valuestring)
                                    : gsim_arena_printf(arena, "%s,%s=%.15g", words, key->string, key->valuedouble);
    }
    *text = words;
    return words ? GSIM_OK : gsim_no_memory(error);
}

enum gsim_status gsim_task_words_file(const char *text, struct gsim_arena *arena, const char ***list, uint32_t *count,
                                      struct gsim_error *error)
{
    *list = NULL;
    *count = 0;
    if (gsim_subject_kind_of(text) != GSIM_SUBJECT_TASKS) return GSIM_OK;
    cJSON *json = gsim_json_read(text, error);
    if (!json) return gsim_error_prefix(error, "'%s'", text);
    const cJSON *tasks = cJSON_GetObjectItemCaseSensitive(json, "tasks"), *item;
    int length = cJSON_IsArray(tasks) ? cJSON_GetArraySize(tasks) : 0;
    enum gsim_status status = length ? GSIM_OK : gsim_error_set(error, GSIM_INPUT, "tasks: expected a list of tasks");
    *list = GSIM_ARENA_ARRAY(arena, const char *, length + 1);
    if (!*list && !status) status = gsim_no_memory(error);
    cJSON_ArrayForEach(item, tasks)
    {
        if (status == GSIM_OK) status = task_text(item, *count, arena, &(*list)[*count], error);
        ++*count;
    }
    gsim_json_release(json);
    return status == GSIM_OK ? status : gsim_error_prefix(error, "'%s'", text);
}

/* --- the tasks --- */
const char *gsim_task_name(const struct gsim_task *tasks, uint32_t count, const char *given, const char *program,
                           struct gsim_arena *arena)
{
    char plain[80], name[96];
    snprintf(plain, sizeof plain, "%.70s", given ? given : program);
    snprintf(name, sizeof name, "%s", plain);
    for (uint32_t n = 2, i = 0; i < count; i++) {
        if (strcmp(tasks[i].name, name) != 0) continue;
        snprintf(name, sizeof name, "%s-%u", plain, n++);
        i = UINT32_MAX; /* from the first again */
    }
    return gsim_arena_strdup(arena, name);
}

enum gsim_status gsim_task_set_of(struct gsim_task_set *set, const struct gsim_task *tasks, uint32_t count,
                                  struct gsim_error *error)
{
    char name[80];
    if (count == 1) snprintf(name, sizeof name, "%.70s", tasks[0].name);
    else if (count == 2) snprintf(name, sizeof name, "%.35s and %.35s", tasks[0].name, tasks[1].name);
    else snprintf(name, sizeof name, "%u tasks", count);
    return gsim_task_set_init(set, name, tasks, count, error);
}
