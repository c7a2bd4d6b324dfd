/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See serving/host.h. */
#include "serving/host.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "sim/base/json.h"
#include "sim/device/search.h"

#define SCHEMA      "gpusim-host/1"
#define MAX_CYCLES 4096 /* of stalls that are drawn one by one for the time that is past */

static enum gsim_status read_numbers(const cJSON *object, struct gsim_serving_host *h, struct gsim_error *error)
{
    static const struct {
        const char *name;
        double least, most;
    } rows[] = {{"launch_us", 0, 1e9}, {"node_us", 0, 1e6},      {"between_us", 0, 1e9}, {"request_us", 0, 1e9},
                {"jitter", 0, 1},      {"stalls_per_s", 0, 1e6}, {"stall_us", 0, 1e9},   {"stall_factor", 1, 1000}};
    double *values[] = {&h->launch_us, &h->node_us,      &h->between_us, &h->request_us,
                        &h->jitter,    &h->stalls_per_s, &h->stall_us,   &h->stall_factor};
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !status; i++)
        status = gsim_json_read_number(object, "", rows[i].name, rows[i].least, rows[i].most, *values[i], values[i],
                                       error);
    return status;
}

/* A file of "gpusim calibrate --host" says what calls take beside a trace, and may say these, too. */
static bool says_server(const cJSON *json)
{
    static const char *const others[] = {"schema", "name", "title", "source", "calls", "profiled"};
    bool says = false;
    for (const cJSON *at = json->child; at; at = at->next) {
        bool is_other = false;
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) is_other |= strcmp(at->string, others[i]) == 0;
        says |= !is_other;
    }
    return says;
}

static enum gsim_status read_file(const char *path, struct gsim_arena *arena, struct gsim_serving_host *h,
                                  struct gsim_error *error)
{
    static const char *const names[] = {"schema", "name",   "title",    "source",  "launch_us",    "node_us",
                                        "between_us", "request_us", "stalls_per_s", "stall_us",
                                        "stall_factor", "jitter", "calls", "profiled", NULL};
    cJSON *json = gsim_json_read(path, error);
    enum gsim_status status = json ? gsim_json_check_keys(json, "", names, error) : error->status;
    if (!status && cJSON_GetObjectItemCaseSensitive(json, "calls") && !says_server(json))
        status = gsim_error_set(error, GSIM_INPUT, "it says what calls take in a trace (explain --host), and of a "
                                                   "server nothing: expected launch_us, between_us or others of "
                                                   "docs/serving.md beside \"calls\"");
    *h = (struct gsim_serving_host){0};
    if (!status) status = gsim_json_check_schema(json, SCHEMA, error);
    if (!status) status = gsim_json_read_text(json, "", "name", path, arena, &h->name, error);
    if (!status) status = read_numbers(json, h, error);
    gsim_json_release(json);
    return status ? gsim_error_prefix(error, "cannot read '%.200s'", path) : GSIM_OK;
}

enum gsim_status gsim_serving_host_load(const char *name, struct gsim_arena *arena, struct gsim_serving_host *host,
                                        struct gsim_error *error)
{
    struct gsim_model_file *files;
    size_t count, length = strlen(name), used = 0;
    char known[256] = "none";
    if (strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".json") == 0))
        return read_file(name, arena, host, error);
    if (gsim_model_files(GSIM_MODELS_HOSTS, arena, &files, &count, error)) return error->status;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(files[i].name, name) == 0) return read_file(files[i].path, arena, host, error);
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", files[i].name);
    }
    return gsim_error_set(error, GSIM_INPUT, "unknown host '%.60s'; known: %s", name, known);
}

enum gsim_status gsim_serving_host_read(const cJSON *object, struct gsim_arena *arena, struct gsim_serving_host *host,
                                        struct gsim_error *error)
{
    static const char *const names[] = {"like",   "launch_us",    "node_us",  "between_us",   "request_us",
                                        "jitter", "stalls_per_s", "stall_us", "stall_factor", NULL};
    if (!object) return GSIM_OK;
    if (cJSON_IsString(object)) return gsim_serving_host_load(object->valuestring, arena, host, error);
    const char *like = "";
    enum gsim_status status = gsim_json_check_keys(object, "host", names, error);
    if (!status) status = gsim_json_read_text(object, "", "like", like, arena, &like, error);
    if (!status && *like) status = gsim_serving_host_load(like, arena, host, error);
    host->name = *like ? gsim_arena_printf(arena, "like %s", host->name) : "as the server's file says";
    if (!host->name) return gsim_no_memory(error);
    return status ? status : read_numbers(object, host, error);
}

static double draw_gap(const struct gsim_random *numbers, double mean)
{
    return -mean * log(1 - gsim_random_uniform(numbers));
}

double gsim_serving_host_noise_us(const struct gsim_serving_host *h, struct gsim_stall *stall,
                                  const struct gsim_random *numbers, double now_us, double us)
{
    double factor = h->jitter > 0 ? exp(h->jitter * fabs(gsim_random_normal(numbers))) : 1;
    if (!(h->stalls_per_s > 0)) return us * (factor - 1);
    double gap = 1e6 / h->stalls_per_s, share = h->stall_us / (gap + h->stall_us);
    if (now_us - stall->until_us > MAX_CYCLES * (gap + h->stall_us)) {
        /* gaps and stalls have no memory: after so many, all that is left is which of them it is */
        stall->from_us = gsim_random_uniform(numbers) < share ? now_us : now_us + draw_gap(numbers, gap);
        stall->until_us = fmax(stall->from_us + draw_gap(numbers, h->stall_us), nextafter(now_us, INFINITY));
    }
    while (stall->until_us <= now_us) {
        stall->from_us = stall->until_us + draw_gap(numbers, gap);
        stall->until_us = stall->from_us + draw_gap(numbers, h->stall_us);
    }
    if (now_us >= stall->from_us) factor *= h->stall_factor;
    return us * (factor - 1);
}
