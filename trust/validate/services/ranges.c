/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/validate/services/ranges.h. */
#include "trust/validate/services/ranges.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trust/validate/services/run.h"
#include "workloads/services/services.h"

#define MAX_MODELS 16
#define RECORDED_US 250000 /* of each pair */
#define MIN_SCALE 0.02   /* of the host's times */
#define MAX_SCALE   8
#define HALVINGS    9

/* Words of the recordings: X(word, way of sharing, option). */
static const struct {
    const char *word, *way, *option;
} ways[] = {{"timeslice", "timeslice", NULL},
            {"mps", "mps", NULL},
            {"mps_50_50", "mps", "percentage=50"},
            {"streams", "streams", "priority=off"},
            {"streams_priority", "streams", "priority=on"}};

struct model {
    const char *name;
    struct gsim_program program;
    double *host_us;          /* of its ops as they were recorded */
    double fast_us, slow_us;  /* a request alone */
    double scales[2];
};
struct run {
    const struct gsim_device_spec *device;
    struct model models[MAX_MODELS];
    size_t count;
};

static const char *text(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/* --- running -------------------------------------------------------------------------------------------------- */

static void scale(struct model *m, double factor)
{
    for (uint32_t i = 0; i < m->program.op_count; i++)
        if (m->program.ops[i].kind == GSIM_OP_HOST_COMPUTE) m->program.ops[i].host_us = m->host_us[i] * factor;
}

static enum gsim_status simulate(const struct run *r, const struct gsim_task *tasks, uint32_t count, size_t way,
                                 double medians[2], struct gsim_error *error)
{
    struct gsim_task_set set;
    struct gsim_timeline timeline = {0};
    enum gsim_status status = gsim_task_set_init(&set, "services", tasks, count, error);
    if (status != GSIM_OK) return status;
    status = gsim_services_simulate(&set, r->device, count == 1 ? "exclusive" : ways[way].way,
                                    count == 1 ? NULL : ways[way].option, 0, NULL, &timeline, error);
    for (uint32_t i = 0; i < count && status == GSIM_OK; i++) {
        double quantiles[2];
        gsim_services_quantiles(&timeline, i, true, quantiles);
        if (status == GSIM_OK) medians[i] = quantiles[0];
    }
    gsim_timeline_release(&timeline);
    gsim_task_set_release(&set);
    return status;
}

static struct gsim_task task_of(const struct model *m, int index)
{
    return (struct gsim_task){.name = index ? "b" : "a",
                              .program = &m->program,
                              .scheduler = gsim_scheduler_find("async"),
                              .priority = 5 * index,
                              .process = GSIM_OWN_PROCESS};
}

/* The scale of the host's times at which a request alone takes so long. */
static enum gsim_status find_scale(const struct run *r, struct model *m, double us, double *factor,
                                   struct gsim_error *error)
{
    double low = MIN_SCALE, high = MAX_SCALE, medians[2] = {0};
    struct gsim_task task = task_of(m, 0);
    enum gsim_status status = GSIM_OK;
    task.requests = 3;
    for (int i = 0; i < HALVINGS && status == GSIM_OK; i++) {
        *factor = (low + high) / 2;
        scale(m, *factor);
        status = simulate(r, &task, 1, 0, medians, error);
        if (medians[0] > us) high = *factor;
        else low = *factor;
    }
    return status;
}

/* --- models --------------------------------------------------------------------------------------------------- */

static struct model *find(struct run *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->models[i].name, name) == 0) return &r->models[i];
    return NULL;
}

static enum gsim_status add_model(struct run *r, const cJSON *solo, const char *services, struct gsim_error *error)
{
    const struct gsim_service *service = gsim_service_find(solo->string);
    char path[1024];
    if (!service || r->count == MAX_MODELS) return GSIM_OK;
    struct model *m = &r->models[r->count];
    *m = (struct model){.name = service->name,
                        .fast_us = gsim_json_number(solo, "p10"),
                        .slow_us = gsim_json_number(solo, "p90")};
    if (!(m->fast_us > 0) || !(m->slow_us >= m->fast_us))
        return gsim_error_set(error, GSIM_INPUT, "solo.%.40s: expected p10 and p90", solo->string);
    snprintf(path, sizeof path, "%s/%s", services, service->file);
    enum gsim_status status = gsim_service_build(service, path, r->device->name, &m->program, error);
    if (status != GSIM_OK) return status;
    r->count++;
    m->host_us = GSIM_ARENA_ARRAY(&m->program.arena, double, m->program.op_count);
    for (uint32_t i = 0; i < m->program.op_count; i++)
        if (m->program.ops[i].kind == GSIM_OP_HOST_COMPUTE) m->host_us[i] = m->program.ops[i].host_us;
    return GSIM_OK;
}

/* --- pairs ---------------------------------------------------------------------------------------------------- */

/* PASS 0: takes the services' fastest tenths; 1: counts and predicts. */
static enum gsim_status run_pair(struct run *r, const cJSON *pair, const char *share, int pass,
                                 struct gsim_ranges *ranges, struct gsim_error *error)
{
    const char *names[] = {text(pair, "a"), text(pair, "b")};
    const cJSON *stats[] = {cJSON_GetObjectItemCaseSensitive(pair, "a_us"),
                            cJSON_GetObjectItemCaseSensitive(pair, "b_us")};
    size_t way = 0;
    while (way < sizeof ways / sizeof ways[0] && strcmp(ways[way].word, share) != 0) way++;
    if (way == sizeof ways / sizeof ways[0] || !find(r, names[0]) || !find(r, names[1]) ||
        find(r, names[0]) == find(r, names[1]))
        return GSIM_OK;
    struct gsim_range_row *row = &ranges->rows[ranges->count];
    for (int i = 0; i < 2; i++) {
        struct model *m = find(r, names[i]);
        double p10 = gsim_json_number(stats[i], "p10"), p50 = gsim_json_number(stats[i], "p50"),
               rate = gsim_json_number(pair, i ? "b_rate" : "a_rate");
        if (!(p10 > 0) || !(p50 >= p10))
            return gsim_error_set(error, GSIM_INPUT, "%.20s of %.40s: expected p10 and p50", share, names[i]);
        if (!pass && p10 < m->fast_us) m->fast_us = p10;
        if (!pass) continue;
        row->names[i] = m->name;
        row->rates[i] = rate > 0 ? rate : 0;
        row->measured_us[i] = p50;
    }
    if (!pass) return GSIM_OK;
    row->share = ways[way].word;
    ranges->count++;
    struct model *models[2] = {find(r, row->names[0]), find(r, row->names[1])};
    enum gsim_status status = GSIM_OK;
    for (int i = 0; i < 2; i++) row->low_us[i] = INFINITY, row->high_us[i] = 0;
    for (int corner = 0; corner < 4 && status == GSIM_OK; corner++) {
        struct gsim_task tasks[2];
        double medians[2];
        for (int i = 0; i < 2; i++) {
            scale(models[i], models[i]->scales[corner >> i & 1]);
            tasks[i] = task_of(models[i], i);
            tasks[i].duration_us = RECORDED_US;
            if (!(row->rates[i] > 0)) continue;
            tasks[i].arrival = GSIM_ARRIVAL_POISSON;
            tasks[i].rate_per_s = row->rates[i];
        }
        status = simulate(r, tasks, 2, way, medians, error);
        for (int i = 0; i < 2 && status == GSIM_OK; i++) {
            row->low_us[i] = fmin(row->low_us[i], medians[i]);
            row->high_us[i] = fmax(row->high_us[i], medians[i]);
        }
    }
    return status;
}

/* A list of runs that say their way, or a list for each way. */
static enum gsim_status run_pairs(struct run *r, const cJSON *json, int pass, struct gsim_ranges *ranges,
                                  struct gsim_error *error)
{
    const cJSON *list, *pair;
    enum gsim_status status = GSIM_OK;
    cJSON_ArrayForEach(list, json)
    {
        if (!cJSON_IsArray(list) || !list->string) continue;
        cJSON_ArrayForEach(pair, list)
        {
            if (status == GSIM_OK)
                status = run_pair(r, pair, strcmp(list->string, "runs") == 0 ? text(pair, "share") : list->string,
                                  pass, ranges, error);
        }
    }
    return status;
}

static size_t count_pairs(const cJSON *json)
{
    const cJSON *list;
    size_t count = 0;
    cJSON_ArrayForEach(list, json) count += cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
    return count;
}

bool gsim_ranges_holds(const char *path)
{
    struct gsim_error ignored = {0};
    cJSON *json = gsim_services_read(path, &ignored);
    bool holds = cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(json, "solo"));
    cJSON_Delete(json);
    return holds;
}

static enum gsim_status run_all(struct run *r, const cJSON *json, const char *services, struct gsim_ranges *ranges,
                                struct gsim_error *error)
{
    const cJSON *solo;
    enum gsim_status status = GSIM_OK;
    ranges->rows = GSIM_ARENA_ARRAY(&ranges->arena, struct gsim_range_row, count_pairs(json) + 1);
    cJSON_ArrayForEach(solo, cJSON_GetObjectItemCaseSensitive(json, "solo"))
    {
        if (status == GSIM_OK) status = add_model(r, solo, services, error);
    }
    if (status == GSIM_OK) status = run_pairs(r, json, 0, ranges, error);
    if (status == GSIM_OK) {
        for (size_t i = 0; i < r->count && status == GSIM_OK; i++) {
            struct model *m = &r->models[i];
            status = find_scale(r, m, m->fast_us, &m->scales[0], error);
            if (status == GSIM_OK) status = find_scale(r, m, m->slow_us, &m->scales[1], error);
        }
    }
    if (status == GSIM_OK) status = run_pairs(r, json, 1, ranges, error);
    if (status == GSIM_OK && !ranges->count)
        status = gsim_error_set(error, GSIM_INPUT, "expected pairs of services, found none");
    return status;
}

enum gsim_status gsim_ranges_run(const char *path, const char *services, const struct gsim_device_spec *device,
                                 struct gsim_ranges *ranges, struct gsim_error *error)
{
    struct gsim_device_spec own = {0};
    struct run r = {.device = device ? device : &own};
    *ranges = (struct gsim_ranges){0};
    cJSON *json = gsim_services_read(path, error);
    enum gsim_status status = json ? GSIM_OK : error->status;
    ranges->device = strstr(text(json, "device"), "H200") ? "h200" : "h100-vm";
    if (status == GSIM_OK && !device) status = gsim_device_load(ranges->device, &own, error);
    if (status == GSIM_OK) status = run_all(&r, json, services, ranges, error);
    for (size_t i = 0; i < r.count; i++) gsim_program_release(&r.models[i].program);
    cJSON_Delete(json);
    gsim_device_release(&own);
    return status == GSIM_OK ? status : gsim_error_prefix(error, "'%s'", path);
}

void gsim_ranges_release(struct gsim_ranges *ranges)
{
    gsim_arena_release(&ranges->arena);
    *ranges = (struct gsim_ranges){0};
}
