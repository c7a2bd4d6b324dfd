/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/validate/sharing.h. */
#include "trust/validate/sharing.h"

#include <math.h>
#include <stdio.h>

#include "gpusim/limits.h"
#include "trust/validate/services/run.h"

#define MEASURE_US        30 /* as --measure */
#define MEASURED_REQUESTS 10
#define RECORDED_US 500000 /* of each way: requests times their length, in all pairs */

struct gsim_sharing_recording {
    cJSON *json;
    const cJSON *kernels;
    const cJSON *pairs, *groups; /* one of them; a group is a list of services */
};

static const struct {
    const char *word, *share, *option, *title;
} ways[] = {
#define WAY(key, word, share, option, title) {word, share, option, title},
    GSIM_SHARING_WAY_MAP(WAY)
#undef WAY
};

const char *gsim_sharing_way_title(enum gsim_sharing_way way) { return ways[way].title; }

/* --- reading ------------------------------------------------------------------------------------------------- */

static bool is_count(double value, double most) { return value >= 0 && value <= most && value == floor(value); }

static bool is_kernel(const cJSON *k)
{
    return is_count(gsim_json_number(k, "grid"), GSIM_LIMIT_GRID_X) && gsim_json_number(k, "grid") >= 1 &&
           is_count(gsim_json_number(k, "block"), GSIM_LIMIT_BLOCK_THREADS) &&
           gsim_json_number(k, "block") >= 1 && is_count(gsim_json_number(k, "regs"), GSIM_LIMIT_REGS) &&
           is_count(gsim_json_number(k, "smem"), GSIM_LIMIT_SMEM_BYTES) && gsim_json_number(k, "flops") >= 0 &&
           gsim_json_number(k, "dram_bytes") >= 0 && gsim_json_number(k, "solo_ns") > 0;
}

static bool is_service(const cJSON *service, int kernel_count)
{
    const cJSON *steps = cJSON_GetObjectItemCaseSensitive(service, "steps"), *step;
    if (!cJSON_IsArray(steps) || !cJSON_GetArraySize(steps) || !(gsim_json_number(service, "think_us") >= 0))
        return false;
    cJSON_ArrayForEach(step, steps)
    {
        if (!cJSON_IsArray(step) || cJSON_GetArraySize(step) != 3) return false;
        const cJSON *kernel = step->child, *gap = kernel->next, *waits = gap->next;
        if (!cJSON_IsNumber(kernel) || !is_count(kernel->valuedouble, kernel_count - 1) || !cJSON_IsNumber(gap) ||
            !(gap->valuedouble >= 0) || !cJSON_IsNumber(waits))
            return false;
    }
    return true;
}

/* How many; 0: more than there is room for. */
static uint32_t services_of(const struct gsim_sharing_recording *r, uint32_t index,
                            const cJSON *services[GSIM_SHARING_SERVICES])
{
    const cJSON *group = cJSON_GetArrayItem(r->groups, (int)index), *pair = cJSON_GetArrayItem(r->pairs, (int)index),
                *service;
    uint32_t count = 0;
    if (!r->groups) {
        services[0] = cJSON_GetObjectItemCaseSensitive(pair, "a");
        services[1] = cJSON_GetObjectItemCaseSensitive(pair, "b");
        return 2;
    }
    if (cJSON_GetArraySize(group) > GSIM_SHARING_SERVICES) return 0;
    cJSON_ArrayForEach(service, group) services[count++] = service;
    return count;
}

/* What was recorded of service NUMBER under a way; NULL: nothing. Files call a service alone "solo" or "alone". */
static const cJSON *measured_of(const struct gsim_sharing_recording *r, uint32_t index, enum gsim_sharing_way way,
                                uint32_t number)
{
    for (int name = 0; name < 2; name++) {
        char key[32];
        const char *word = name && way == GSIM_SHARING_WAY_SOLO ? "alone" : ways[way].word;
        const cJSON *found;
        snprintf(key, sizeof key, "%s_%c", word, 'a' + (int)number);
        if (r->groups)
            found = cJSON_GetArrayItem(cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(r->json, word), (int)index),
                                       (int)number);
        else found = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(r->pairs, (int)index), key);
        if (cJSON_IsObject(found)) return found;
    }
    return NULL;
}

struct gsim_sharing_recording *gsim_sharing_recording_read(const char *path, struct gsim_error *error)
{
    struct gsim_sharing_recording *r = gsim_alloc(sizeof *r);
    cJSON *json = gsim_services_read(path, error);
    const cJSON *item;
    uint32_t index = 0;
    if (!json) {
        gsim_error_prefix(error, "'%s'", path);
        gsim_free(r);
        return NULL;
    }
    r->json = json;
    r->kernels = cJSON_GetObjectItemCaseSensitive(r->json, "kernels");
    r->pairs = cJSON_GetObjectItemCaseSensitive(r->json, "pairs");
    r->groups = cJSON_GetObjectItemCaseSensitive(r->json, "groups");
    int kernel_count = cJSON_GetArraySize(r->kernels);
    if (!cJSON_IsArray(r->kernels) || !cJSON_IsArray(r->groups ? r->groups : r->pairs) || !kernel_count)
        gsim_error_set(error, GSIM_INPUT, "'%s': expected lists of kernels and of pairs or groups", path);
    cJSON_ArrayForEach(item, r->kernels)
    {
        if (!is_kernel(item))
            gsim_error_set(error, GSIM_INPUT,
                           "'%s': kernels[%u]: expected grid, block, regs, smem, flops, dram_bytes and solo_ns", path,
                           index);
        index++;
    }
    for (index = 0; index < gsim_sharing_recording_pairs(r); index++) {
        const cJSON *services[GSIM_SHARING_SERVICES];
        uint32_t count = services_of(r, index, services);
        bool is_good = count > 0;
        for (uint32_t i = 0; i < count; i++) is_good &= is_service(services[i], kernel_count);
        if (!is_good)
            gsim_error_set(error, GSIM_INPUT,
                           "'%s': %s[%u]: expected services of think_us and steps of kernel, gap and synchronise", path,
                           r->groups ? "groups" : "pairs", index);
    }
    if (!error->status) return r;
    gsim_sharing_recording_release(r);
    return NULL;
}

void gsim_sharing_recording_release(struct gsim_sharing_recording *r)
{
    if (!r) return;
    cJSON_Delete(r->json);
    gsim_free(r);
}

uint32_t gsim_sharing_recording_pairs(const struct gsim_sharing_recording *r)
{
    return (uint32_t)cJSON_GetArraySize(r->groups ? r->groups : r->pairs);
}

/* --- simulating ---------------------------------------------------------------------------------------------- */

static struct gsim_kernel kernel_of(const cJSON *k, const char *name, const char *device)
{
    return (struct gsim_kernel){.name = name,
                                .grid = {gsim_whole_u32(gsim_json_number(k, "grid")), 1, 1},
                                .block = {gsim_whole_u32(gsim_json_number(k, "block")), 1, 1},
                                .regs_per_thread = gsim_whole_u32(gsim_json_number(k, "regs")),
                                .smem_bytes = gsim_whole_u32(gsim_json_number(k, "smem")),
                                .flops = gsim_json_number(k, "flops"),
                                .dram_bytes = gsim_json_number(k, "dram_bytes"),
                                .demand_given = true,
                                .solo_us = gsim_json_number(k, "solo_ns") * 1e-3,
                                .solo_device = device};
}

static enum gsim_status build(const struct gsim_sharing_recording *r, const cJSON *service, const char *device,
                              struct gsim_program *program, struct gsim_error *error)
{
    const cJSON *steps = cJSON_GetObjectItemCaseSensitive(service, "steps"), *step;
    struct gsim_builder *b = gsim_builder_create("service");
    uint32_t *after = gsim_alloc(sizeof *after * (size_t)cJSON_GetArraySize(steps)), count = 0;
    cJSON_ArrayForEach(step, steps)
    {
        char name[16];
        const cJSON *index = step->child, *gap = index->next;
        snprintf(name, sizeof name, "k%.0f", index->valuedouble);
        const cJSON *entry = cJSON_GetArrayItem(r->kernels, (int)gsim_whole(index->valuedouble));
        struct gsim_kernel kernel = kernel_of(entry, name, device);
        after[count++] = gsim_builder_op(
            b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &kernel), .stream = 0});
        bool waits = gap->next->valuedouble != 0;
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE,
                                             .host_us = gap->valuedouble,
                                             .after = after,
                                             .after_count = waits ? count : 0,
                                             .stream = -1});
        if (waits) count = 0;
    }
    gsim_free(after);
    return gsim_builder_finish(b, 1, program, error);
}

/* The measurement stage: ten requests of each task alone. */
static enum gsim_status measure(const struct gsim_task_set *set, const struct gsim_device_spec *device,
                                struct gsim_task_profiles *profiles, struct gsim_error *error)
{
    enum gsim_status status = gsim_task_profiles_init(profiles, set->count, error);
    for (uint32_t i = 0; i < set->count && status == GSIM_OK; i++) {
        struct gsim_task task = set->tasks[i];
        struct gsim_task_set own;
        struct gsim_timeline timeline = {0};
        task.requests = MEASURED_REQUESTS;
        task.duration_us = 0;
        status = gsim_task_set_init(&own, "service", &task, 1, error);
        if (status != GSIM_OK) return status;
        status = gsim_services_simulate(&own, device, ways[GSIM_SHARING_WAY_SOLO].share, NULL, MEASURE_US, NULL,
                                        &timeline, error);
        if (status == GSIM_OK) status = gsim_task_profile_make(profiles, set, i, &timeline, MEASURE_US, error);
        gsim_timeline_release(&timeline);
        gsim_task_set_release(&own);
    }
    return status;
}

static enum gsim_status simulate(const struct gsim_task *tasks, uint32_t count, enum gsim_sharing_way way,
                                 const struct gsim_device_spec *device, struct gsim_timeline *timeline,
                                 struct gsim_error *error)
{
    struct gsim_task_set set;
    struct gsim_task_profiles profiles = {0};
    enum gsim_status status = gsim_task_set_init(&set, "services", tasks, count, error);
    if (status != GSIM_OK) return status;
    bool is_profiled = gsim_sharing_find(ways[way].share)->needs_profile;
    if (is_profiled) status = measure(&set, device, &profiles, error);
    if (status == GSIM_OK)
        status = gsim_services_simulate(&set, device, ways[way].share, ways[way].option, 0,
                                        is_profiled ? &profiles : NULL, timeline, error);
    gsim_task_profiles_release(&profiles);
    gsim_task_set_release(&set);
    return status;
}

/* SMs of the first service of a pair; 0: the way gives none. */
static uint32_t first_part(enum gsim_sharing_way way)
{
    return way == GSIM_SHARING_WAY_PART_64   ? 64
           : way == GSIM_SHARING_WAY_PART_32 ? 32
           : way == GSIM_SHARING_WAY_PART_16 ? 16
                                             : 0;
}

enum gsim_status gsim_sharing_predict(const struct gsim_sharing_recording *r, uint32_t pair, enum gsim_sharing_way way,
                                      const struct gsim_device_spec *device,
                                      struct gsim_sharing_sample samples[GSIM_SHARING_SERVICES], uint32_t *count,
                                      struct gsim_error *error)
{
    const cJSON *services[GSIM_SHARING_SERVICES];
    struct gsim_program programs[GSIM_SHARING_SERVICES] = {0};
    struct gsim_task tasks[GSIM_SHARING_SERVICES];
    char names[GSIM_SHARING_SERVICES][2];
    enum gsim_status status = GSIM_OK;
    uint32_t all = services_of(r, pair, services), part = first_part(way);
    double seconds = gsim_json_number(r->json, "seconds");
    *count = 0;
    if (!measured_of(r, pair, way, 0) && !measured_of(r, pair, way, 1)) return GSIM_OK;
    for (uint32_t i = 0; i < all && status == GSIM_OK; i++) {
        names[i][0] = (char)('a' + (int)i);
        names[i][1] = '\0';
        status = build(r, services[i], device->name, &programs[i], error);
        tasks[i] = (struct gsim_task){.name = names[i],
                                      .program = &programs[i],
                                      .scheduler = gsim_scheduler_find("async"),
                                      .priority = (int)i,
                                      .process = GSIM_OWN_PROCESS,
                                      .gap_us = gsim_json_number(services[i], "think_us"),
                                      .duration_us = seconds > 0 ? seconds * 1e6 : RECORDED_US,
                                      .sms = !part ? 0
                                             : i   ? gsim_whole_u32(device->sm_count) - part
                                                   : part};
        if (tasks[i].priority >= GSIM_TASK_PRIORITIES) tasks[i].priority = GSIM_TASK_PRIORITIES - 1;
    }
    uint32_t runs = way == GSIM_SHARING_WAY_SOLO ? all : 1, at_once = way == GSIM_SHARING_WAY_SOLO ? 1 : all;
    for (uint32_t run = 0; run < runs && status == GSIM_OK; run++) {
        struct gsim_timeline timeline = {0};
        status = simulate(&tasks[run], at_once, way, device, &timeline, error);
        for (uint32_t i = 0; i < at_once && status == GSIM_OK; i++) {
            const cJSON *measured = measured_of(r, pair, way, run + i);
            if (!measured) continue; /* no request of it was done */
            struct gsim_sharing_sample *s = &samples[(*count)++];
            *s = (struct gsim_sharing_sample){.pair = pair,
                                              .service = run + i,
                                              .way = way,
                                              .measured_us = gsim_json_number(measured, "p50"),
                                              .measured_p90_us = gsim_json_number(measured, "p90")};
            double quantiles[2] = {0};
            gsim_services_quantiles(&timeline, i, false, quantiles);
            s->predicted_us = quantiles[0];
            s->predicted_p90_us = quantiles[1];
        }
        gsim_timeline_release(&timeline);
    }
    for (uint32_t i = 0; i < all; i++) gsim_program_release(&programs[i]);
    return status;
}
