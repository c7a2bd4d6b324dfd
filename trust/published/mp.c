/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/published/mp.h. */
#include "trust/published/mp.h"

#include <math.h>

#include "sim/base/json.h"
#include "sim/base/text.h"
#include "gpusim/workload.h"
#include "trust/published/trial.h"

#define MOST_TASKS 8
static const double published[] = {1.43, 1.22}; /* over the baseline, over MPS */

struct set {
    struct gsim_program programs[MOST_TASKS];
    struct gsim_task tasks[MOST_TASKS];
    uint32_t count;
};

static void release(struct set *set)
{
    for (uint32_t i = 0; i < set->count; i++) gsim_program_release(&set->programs[i]);
    *set = (struct set){0};
}

static enum gsim_status add(struct set *set, const cJSON *item, const struct gsim_scheduler_ops *scheduler,
                            struct gsim_error *error)
{
    static const char *const names[MOST_TASKS] = {"first", "second", "third",   "fourth",
                                                  "fifth", "sixth",  "seventh", "eighth"};
    const cJSON *program = cJSON_GetObjectItemCaseSensitive(item, "program"),
                *size = cJSON_GetObjectItemCaseSensitive(item, "size");
    const struct gsim_workload_ops *workload =
        cJSON_IsString(program) ? gsim_workload_find(program->valuestring) : NULL;
    struct gsim_workload_options options = {.suite = GSIM_SUITE_KESCO, .shape = scheduler->shape};
    uint32_t i = set->count;
    if (!workload || i == MOST_TASKS || !cJSON_IsString(size) || !gsim_text_quantity(size->valuestring, &options.size))
        return gsim_error_set(error, GSIM_INPUT, "tasks[%u]: expected a workload and its size", i);
    enum gsim_status status = workload->build(&options, &set->programs[i], error);
    if (status != GSIM_OK) return status;
    set->tasks[i] = (struct gsim_task){.name = names[i],
                                       .program = &set->programs[i],
                                       .scheduler = scheduler,
                                       .priority = (int)i,
                                       .process = GSIM_OWN_PROCESS,
                                       .requests = 1};
    set->count++;
    return GSIM_OK;
}

static enum gsim_status read_set(const char *path, const char *scheduler, struct set *set, struct gsim_error *error)
{
    *set = (struct set){0};
    cJSON *json = gsim_json_read(path, error);
    const cJSON *item;
    enum gsim_status status = json ? GSIM_OK : error->status;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "tasks"))
    {
        if (status == GSIM_OK) status = add(set, item, gsim_scheduler_find(scheduler), error);
    }
    gsim_json_release(json);
    if (status == GSIM_OK && !set->count) status = gsim_error_set(error, GSIM_INPUT, "tasks: expected some");
    return status == GSIM_OK ? status : gsim_error_prefix(error, "'%s'", path);
}

/* Until the last task is done; NAN where the way rules such tasks out. KeSCo's tasks are in one process, whose streams
 * it knows all. */
static enum gsim_status time_of(const struct gsim_device_spec *device, const char *path, const char *way,
                                const char *scheduler, bool is_managed, double *us, struct gsim_error *error)
{
    struct set set;
    struct gsim_task_stats stats[MOST_TASKS] = {{0}};
    *us = 0;
    enum gsim_status status = read_set(path, scheduler, &set, error);
    if (status == GSIM_OK)
        status = gsim_trial_run(
            &(struct gsim_trial){
                .device = device, .tasks = set.tasks, .count = set.count, .way = way, .is_managed = is_managed},
            stats, NULL, error);
    for (uint32_t i = 0; i < set.count; i++) *us = fmax(*us, stats[i].end_us);
    release(&set);
    if (status != GSIM_USAGE) return status;
    *us = NAN;
    *error = (struct gsim_error){0};
    return GSIM_OK;
}

enum gsim_status gsim_mp_run(const struct gsim_device_spec *device, const char *const files[GSIM_MP_SETS],
                             struct gsim_mp *mp, struct gsim_error *error)
{
    static const char *const ways[] = {"exclusive", "timeslice", "mps"}, *const schedulers[] = {"serial", "kesco"};
    enum gsim_status status = GSIM_OK;
    *mp = (struct gsim_mp){0};
    for (int managed = 0; managed < 2; managed++)
        for (int s = 0; s < GSIM_MP_SETS && status == GSIM_OK; s++)
            status = time_of(device, files[s], "kesco", "kesco", managed, &mp->kesco_us[managed][s], error);
    for (int way = 0; way < 3; way++)
        for (int scheduler = 0; scheduler < 2; scheduler++)
            for (int managed = 0; managed < 2; managed++) {
                struct gsim_mp_case *c = &mp->cases[mp->count++];
                *c = (struct gsim_mp_case){.way = ways[way], .scheduler = schedulers[scheduler], .is_managed = managed};
                for (int s = 0; s < GSIM_MP_SETS && status == GSIM_OK; s++) {
                    double us;
                    status = time_of(device, files[s], c->way, c->scheduler, managed, &us, error);
                    c->speed_up[s] = us / mp->kesco_us[managed][s];
                }
            }
    return status;
}

void gsim_mp_print(const struct gsim_mp *mp, struct gsim_output *output)
{
    gsim_output_text(output, "\nSeveral tasks: KeSCo's MP-1 and MP-2 on an A100, its time for all over a baseline's. "
                             "Their sizes are ours.\n");
    gsim_output_printf(output, "  published: %.2f over processes, %.2f over MPS\n\n", published[0], published[1]);
    gsim_output_printf(output, "  %-10s %-10s %-9s %8s %8s\n", "processes", "each by", "memory", "MP-1", "MP-2");
    for (uint32_t i = 0; i < mp->count; i++) {
        const struct gsim_mp_case *c = &mp->cases[i];
        gsim_output_printf(output, "  %-10s %-10s %-9s", c->way, c->scheduler, c->is_managed ? "managed" : "pinned");
        for (int s = 0; s < GSIM_MP_SETS; s++)
            if (isfinite(c->speed_up[s])) gsim_output_printf(output, " %7.2fx", c->speed_up[s]);
            else gsim_output_printf(output, " %8s", "-");
        gsim_output_text(output, "\n");
    }
    gsim_output_text(output, "\n  What decides is the baseline: 1.43 comes out of MP-1 where processes have the GPU "
                             "one after the other, each serial; beside\n"
                             "  one another they hide the same gaps that KeSCo does. MP-2 loses: once ML has ended, DL "
                             "is packed on the few SMs that\n"
                             "  empty first beside B&S, and takes 1.2 s for 0.25 alone. Not met.\n");
}
