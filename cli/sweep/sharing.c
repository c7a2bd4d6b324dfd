/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). See cli/sweep/sharing.h. */
#include "cli/sweep/sharing.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/scenarios/task_words.h"
#include "cli/tasks/tasks.h"

uint32_t gsim_request_task(const char *name, const char **key)
{
    char *end;
    *key = NULL;
    if (strncmp(name, "task", 4) != 0 || name[4] < '1' || name[4] > '9') return 0;
    unsigned long number = strtoul(name + 4, &end, 10);
    if (number > GSIM_LIMIT_TASKS || (*end && (*end != '.' || !end[1]))) return 0;
    if (*end) *key = end + 1;
    return (uint32_t)number;
}

bool gsim_request_has_tasks(const struct gsim_spec *spec)
{
    const char *key;
    struct gsim_axis axis;
    for (size_t i = 0; gsim_spec_at(spec, i, &axis); i++)
        if (gsim_request_task(axis.name, &key)) return true;
    return false;
}

const char *gsim_request_task_program(struct gsim_arena *arena, const char *words)
{
    return gsim_arena_printf(arena, "%.*s", (int)strcspn(words, ","), words);
}

const struct gsim_sharing_ops *gsim_request_way_of(const char *name)
{
    const char *dot = strchr(name, '.');
    for (uint32_t i = 0; dot && gsim_sharing_at(i); i++) {
        const struct gsim_sharing_ops *way = gsim_sharing_at(i);
        if (strlen(way->name) == (size_t)(dot - name) && strncmp(name, way->name, (size_t)(dot - name)) == 0 &&
            gsim_params_find(way->params, dot + 1))
            return way;
    }
    return NULL;
}

enum gsim_status gsim_request_check_task(const char *name, const char *text, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_task_words words;
    const struct gsim_sharing_ops *way;
    const char *key;
    if (!gsim_request_task(name, &key)) return gsim_cli_share(text, &way, error);
    const char *whole = key ? gsim_arena_printf(&arena, "x,%s=%s", key, text) : text;
    enum gsim_status status = gsim_task_words_read(whole, &arena, &words, error);
    gsim_arena_release(&arena);
    return status == GSIM_OK ? status : gsim_error_prefix(error, "%s", name);
}

/* The words of task NUMBER; NULL: the point has none. */
static const char *words_of(const struct gsim_request *request, uint32_t number)
{
    const char *key;
    for (size_t i = 0; i < request->setting_count; i++)
        if (gsim_request_task(request->settings[i].name, &key) == number && !key)
            return request->settings[i].value.text;
    return NULL;
}

enum gsim_status gsim_request_task_words(const struct gsim_request *request, struct gsim_arena *arena,
                                         struct gsim_cli_arguments *arguments, const char **programs,
                                         struct gsim_error *error)
{
    const char *key, *list = "";
    arguments->repeated = GSIM_ARENA_ARRAY(arena, struct gsim_cli_repeated, GSIM_LIMIT_TASKS);
    for (size_t i = 0; i < request->setting_count; i++) {
        uint32_t number = gsim_request_task(request->settings[i].name, &key);
        if (number && !words_of(request, number))
            return gsim_refuse(error, "%s: there is no task %u: expected --task PROGRAM as often",
                               request->settings[i].name, number);
    }
    for (uint32_t number = 1; number <= GSIM_LIMIT_TASKS; number++) {
        const char *words = words_of(request, number);
        if (!words) continue;
        const char *program = gsim_request_task_program(arena, words);
        for (size_t i = 0; words && i < request->setting_count; i++)
            if (gsim_request_task(request->settings[i].name, &key) == number && key)
                words = gsim_arena_printf(arena, "%s,%s=%s", words, key, request->settings[i].value.text);
        list = program && list ? gsim_arena_printf(arena, "%s%s%s", list, *list ? "+" : "", program) : NULL;
        arguments->repeated[arguments->repeated_count++] = (struct gsim_cli_repeated){GSIM_CLI_TASK, words};
    }
    *programs = list;
    return GSIM_OK;
}

/* --- a point ------------------------------------------------------------------------------------------------------ */
static const char *figures_of(const struct gsim_cli_tasks *t, const struct gsim_task_stats *stats,
                              struct gsim_arena *arena)
{
    cJSON *json = cJSON_CreateObject();
    for (uint32_t i = 0; i < t->count; i++) {
        const struct gsim_task_stats *s = &stats[i];
        const struct {
            const char *name;
            double value;
        } figures[] = {{"mean_us", s->mean_us},       {"p50_us", s->p50_us},     {"p90_us", s->p90_us},
                       {"p99_us", s->p99_us},         {"alone_us", s->alone_us}, {"slow_down", s->slow_down},
                       {"per_second", s->per_second}, {"late", s->late},         {"served", s->requests}};
        cJSON *task = cJSON_AddObjectToObject(json, t->tasks[i].name);
        for (size_t f = 0; f < sizeof figures / sizeof figures[0]; f++)
            if (isfinite(figures[f].value)) cJSON_AddNumberToObject(task, figures[f].name, figures[f].value);
    }
    char *text = cJSON_PrintUnformatted(json);
    const char *kept = gsim_arena_strdup(arena, text);
    cJSON_free(text);
    cJSON_Delete(json);
    return kept;
}

static enum gsim_status share(struct gsim_cli_tasks *t, struct gsim_arena *arena, struct gsim_request_sharing *result,
                              struct gsim_error *error)
{
    const char *text = t->setup->arguments->value[GSIM_CLI_SHARE];
    const struct gsim_sharing_ops *way;
    struct gsim_timeline timeline = {0};
    void *params = NULL;
    struct gsim_task_stats *stats = GSIM_ARENA_ARRAY(&t->arena, struct gsim_task_stats, t->count);
    enum gsim_status status = gsim_cli_share(text ? text : "exclusive", &way, error);
    if (status == GSIM_OK && way->needs_profile) status = gsim_cli_tasks_measure(t, error);
    if (status == GSIM_OK) status = gsim_cli_share_params(t, way, &params, error);
    if (status == GSIM_OK) status = gsim_cli_tasks_alone(t, error);
    if (status != GSIM_OK) return status;
    struct gsim_simulation s = gsim_cli_tasks_simulation(t, way, params);
    s.detailed = false;
    status = gsim_cli_tasks_run(t, &s, &timeline, stats, error);
    if (status == GSIM_OK) {
        result->fairness = gsim_tasks_fairness(stats, t->count);
        for (size_t i = 0; i < timeline.request_count; i++)
            result->makespan_us = fmax(result->makespan_us, gsim_time_us(timeline.requests[i].end));
        result->tasks = figures_of(t, stats, arena);
    }
    gsim_timeline_release(&timeline);
    return status;
}

enum gsim_status gsim_request_share(const struct gsim_cli_setup *setup, struct gsim_arena *arena,
                                    struct gsim_request_sharing *result, struct gsim_error *error)
{
    struct gsim_cli_tasks tasks = {0};
    *result = (struct gsim_request_sharing){0};
    enum gsim_status status = gsim_cli_tasks_init(&tasks, setup, error);
    if (status == GSIM_OK) status = share(&tasks, arena, result, error);
    gsim_cli_tasks_release(&tasks);
    return status;
}
