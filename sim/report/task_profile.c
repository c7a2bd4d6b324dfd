/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles of tasks: what a measurement stage finds of kernels and of the gaps behind them, and their files (schema
 * gpusim-task-profile/1). */
#include <math.h>
#include <string.h>

#include "gpusim/limits.h"
#include "sim/base/json.h"
#include "sim/report/report.h"

#define SCHEMA "gpusim-task-profile/1"

enum gsim_status gsim_task_profiles_init(struct gsim_task_profiles *p, uint32_t count, struct gsim_error *error)
{
    *p = (struct gsim_task_profiles){.count = count};
    p->tasks = GSIM_ARENA_ARRAY(&p->arena, struct gsim_task_profile, count);
    return p->tasks ? GSIM_OK : gsim_no_memory(error);
}

void gsim_task_profiles_release(struct gsim_task_profiles *p)
{
    gsim_arena_release(&p->arena);
    memset(p, 0, sizeof *p);
}

/* Empty entries of the task's kernels, by identity. */
static enum gsim_status init_task(struct gsim_task_profiles *p, const struct gsim_task_set *set, uint32_t task,
                                  const uint32_t *identity, struct gsim_error *error)
{
    struct gsim_task_profile *t = &p->tasks[task];
    uint32_t first = 0, kernels = set->tasks[task].program->kernel_count;
    for (uint32_t i = 0; i < task; i++) first += set->tasks[i].program->kernel_count;
    t->name = gsim_arena_strdup(&p->arena, set->tasks[task].name);
    t->entries = GSIM_ARENA_ARRAY(&p->arena, struct gsim_kernel_profile, kernels + 1);
    if (!t->name || !t->entries) return gsim_no_memory(error);
    for (uint32_t k = first; k < first + kernels; k++) {
        const struct gsim_kernel *kernel = &set->all.kernels[k];
        t->entries[identity[k]] = (struct gsim_kernel_profile){
            gsim_arena_strdup(&p->arena, kernel->name), kernel->grid, kernel->block, 0, -1, 0};
        if (t->count <= identity[k]) t->count = identity[k] + 1;
    }
    return p->arena.failed ? gsim_no_memory(error) : GSIM_OK;
}

static uint32_t *identities(const struct gsim_task_set *set, struct gsim_error *error)
{
    uint32_t *identity = gsim_alloc(sizeof *identity * (set->all.kernel_count + 1));
    if (identity) gsim_task_set_identify(set, identity);
    else gsim_no_memory(error);
    return identity;
}

struct sums {
    double kernel_us, gap_us;
    uint32_t count, gaps;
};

/* A kernel's gap lasts until the next one of its request begins, the measurement's own time left out. */
static void add_up(const struct gsim_timeline *t, uint32_t own, const uint32_t *identity, double measure_us,
                   struct sums *sums)
{
    const struct gsim_kernel_record *before = NULL;
    for (size_t i = 0; i < t->kernel_count; i++) { /* in the order of their ends */
        const struct gsim_kernel_record *k = &t->kernels[i];
        struct sums *s = &sums[identity[k->kernel_index]];
        if (k->task != own) continue;
        s->kernel_us += gsim_time_us(k->end - k->start);
        s->count++;
        if (before && before->iteration == k->iteration) {
            struct sums *b = &sums[identity[before->kernel_index]];
            b->gap_us += fmax(0, gsim_time_us(k->start - before->end) - measure_us);
            b->gaps++;
        }
        before = k;
    }
}

enum gsim_status gsim_task_profile_make(struct gsim_task_profiles *p, const struct gsim_task_set *set, uint32_t task,
                                        const struct gsim_timeline *timeline, double measure_us,
                                        struct gsim_error *error)
{
    uint32_t *identity = identities(set, error);
    struct gsim_task_profile *t = &p->tasks[task];
    struct sums *sums = gsim_alloc(sizeof *sums * (set->all.kernel_count + 1));
    enum gsim_status status = identity && sums ? init_task(p, set, task, identity, error) : gsim_no_memory(error);
    if (status == GSIM_OK) {
        memset(sums, 0, sizeof *sums * (set->all.kernel_count + 1));
        /* the timeline has this task alone: its kernels are numbered as in its program */
        uint32_t first = 0;
        for (uint32_t i = 0; i < task; i++) first += set->tasks[i].program->kernel_count;
        add_up(timeline, 0, identity + first, measure_us, sums);
        for (uint32_t i = 0; i < t->count; i++) {
            t->entries[i].count = sums[i].count;
            if (sums[i].count) t->entries[i].kernel_us = sums[i].kernel_us / sums[i].count;
            if (sums[i].gaps) t->entries[i].gap_us = sums[i].gap_us / sums[i].gaps;
        }
    }
    gsim_free(identity);
    gsim_free(sums);
    return status;
}

/* --- files ---------------------------------------------------------------------------------------------------- */

enum gsim_status gsim_task_profiles_write(const struct gsim_task_profiles *p, const char *device, const char *path,
                                          struct gsim_error *error)
{
    struct gsim_output output;
    enum gsim_status status = gsim_output_open(&output, path, error);
    if (status != GSIM_OK) return status;
    gsim_output_put(&output, "{'schema': '%s', 'device': %q,\n 'tasks': [", SCHEMA, device);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct gsim_task_profile *t = &p->tasks[i];
        gsim_output_put(&output, "%s%q, 'request_us': %r, 'measured_us': %r,\n   'kernels': [",
                        i ? ",\n  {\"name\": " : "\n  {\"name\": ", t->name, t->request_us, t->measured_us);
        for (uint32_t k = 0; k < t->count; k++) {
            const struct gsim_kernel_profile *e = &t->entries[k];
            gsim_output_put(&output, "%s%q, 'grid': [%u, %u, %u], 'block': [%u, %u, %u], 'count': %u, 'kernel_us': %r",
                            k ? ",\n    {\"name\": " : "\n    {\"name\": ", e->name, e->grid.x, e->grid.y, e->grid.z,
                            e->block.x, e->block.y, e->block.z, e->count, e->kernel_us);
            if (e->gap_us >= 0) gsim_output_json_real(&output, "gap_us", e->gap_us);
            gsim_output_text(&output, "}");
        }
        gsim_output_text(&output, "]}");
    }
    gsim_output_text(&output, "]}\n");
    return gsim_output_commit(&output, error);
}

static bool is_shape(const cJSON *list, const struct gsim_dim3 *shape)
{
    const cJSON *x = cJSON_GetArrayItem(list, 0), *y = cJSON_GetArrayItem(list, 1), *z = cJSON_GetArrayItem(list, 2);
    return cJSON_IsNumber(x) && cJSON_IsNumber(y) && cJSON_IsNumber(z) && x->valuedouble == shape->x &&
           y->valuedouble == shape->y && z->valuedouble == shape->z;
}

static double number(const cJSON *object, const char *name, double otherwise)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= GSIM_LIMIT_US ? item->valuedouble
                                                                                                : otherwise;
}

static enum gsim_status read_task(struct gsim_task_profile *t, const cJSON *list, const char *path,
                                  struct gsim_error *error)
{
    const cJSON *task, *kernel;
    cJSON_ArrayForEach(task, list)
    {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(task, "name");
        if (cJSON_IsString(name) && strcmp(name->valuestring, t->name) == 0) break;
    }
    if (!task)
        return gsim_error_set(
            error, GSIM_INPUT,
            "'%s': expected a task \"%.60s\", found none of that name: measure these tasks (--measure)", path, t->name);
    t->request_us = number(task, "request_us", 0);
    t->measured_us = number(task, "measured_us", 0);
    cJSON_ArrayForEach(kernel, cJSON_GetObjectItemCaseSensitive(task, "kernels"))
    {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(kernel, "name");
        for (uint32_t i = 0; i < t->count && cJSON_IsString(name); i++) {
            struct gsim_kernel_profile *e = &t->entries[i];
            if (strcmp(name->valuestring, e->name) != 0 ||
                !is_shape(cJSON_GetObjectItemCaseSensitive(kernel, "grid"), &e->grid) ||
                !is_shape(cJSON_GetObjectItemCaseSensitive(kernel, "block"), &e->block))
                continue;
            e->count = gsim_whole_u32(number(kernel, "count", 0));
            e->kernel_us = number(kernel, "kernel_us", 0);
            e->gap_us = number(kernel, "gap_us", -1);
        }
    }
    return GSIM_OK;
}

enum gsim_status gsim_task_profiles_read(struct gsim_task_profiles *p, const struct gsim_task_set *set,
                                         const char *path, struct gsim_error *error)
{
    enum gsim_status status = gsim_task_profiles_init(p, set->count, error);
    cJSON *json = status == GSIM_OK ? gsim_json_read(path, error) : NULL;
    uint32_t *identity = json ? identities(set, error) : NULL;
    if (!json || !identity) {
        gsim_json_release(json);
        return status == GSIM_OK ? gsim_error_prefix(error, "'%s'", path) : status;
    }
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(json, "schema"),
                *list = cJSON_GetObjectItemCaseSensitive(json, "tasks");
    if (!cJSON_IsString(schema) || strcmp(schema->valuestring, SCHEMA) != 0 || !cJSON_IsArray(list))
        status =
            gsim_error_set(error, GSIM_INPUT,
                           "'%s': expected a profile of tasks (schema %s), which --measure FILE writes", path, SCHEMA);
    for (uint32_t i = 0; i < set->count && status == GSIM_OK; i++) {
        status = init_task(p, set, i, identity, error);
        if (status == GSIM_OK) status = read_task(&p->tasks[i], list, path, error);
    }
    gsim_json_release(json);
    gsim_free(identity);
    return status;
}
