/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/published/sharing.h. */
#include "trust/published/sharing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trust/published/trial.h"

#define MOST_KERNELS 1000
#define MOST_MODELS  8
#define SHORTENED    4 /* every fourth kernel stands for the model: its mix of lengths, in a quarter of the time */

struct model {
    char name[24];
    double us[MOST_KERNELS];
    uint32_t sms[MOST_KERNELS], count;
};

static enum gsim_status read_models(const char *path, struct model *models, uint32_t *count, struct gsim_error *error)
{
    char line[200], name[24];
    unsigned sms;
    double ns;
    FILE *file = fopen(path, "r");
    if (!file) return gsim_error_set(error, GSIM_IO, "cannot read '%s'", path);
    *count = 0;
    uint32_t index = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%23[^,],%u,%lf", name, &sms, &ns) != 3) continue;
        if (!*count || strcmp(models[*count - 1].name, name) != 0) {
            if (*count == MOST_MODELS) break;
            snprintf(models[(*count)++].name, sizeof name, "%s", name);
            index = 0;
        }
        struct model *m = &models[*count - 1];
        if (index++ % SHORTENED || m->count == MOST_KERNELS) continue;
        m->us[m->count] = ns * 1e-3;
        m->sms[m->count++] = sms ? sms : 1;
    }
    fclose(file);
    return *count ? GSIM_OK : gsim_error_set(error, GSIM_INPUT, "'%s': expected kernels: model,sm,ns", path);
}

/* A service that synchronises behind each kernel and then takes so much of the host, or one whose host is ahead (below
 * 0). */
static enum gsim_status build_model(const struct model *m, double gap_us, struct gsim_program *program,
                                    struct gsim_error *error)
{
    struct gsim_builder *b = gsim_builder_create(m->name);
    if (!b) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; i < m->count; i++) {
        char name[16];
        snprintf(name, sizeof name, "k%u", i);
        struct gsim_kernel k = {.name = name,
                                .grid = {8 * m->sms[i], 1, 1},
                                .block = {256, 1, 1},
                                .regs_per_thread = 32,
                                .solo_us = m->us[i]};
        uint32_t after = gsim_builder_op(
            b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &k), .stream = 0});
        if (gap_us >= 0)
            gsim_builder_op(
                b,
                &(struct gsim_op){
                    .kind = GSIM_OP_HOST_COMPUTE, .host_us = gap_us, .after = &after, .after_count = 1, .stream = -1});
    }
    return gsim_builder_finish(b, 1, program, error);
}

static enum gsim_status run_pair(const struct gsim_device_spec *device, const struct model *urgent,
                                 const struct model *other, struct gsim_fikit_row *row, struct gsim_error *error)
{
    struct gsim_program programs[2] = {0};
    struct gsim_task_profiles profiles = {0};
    struct gsim_task_stats alone, sliced[2], fikit[2];
    snprintf(row->urgent, sizeof row->urgent, "%s", urgent->name);
    snprintf(row->other, sizeof row->other, "%s", other->name);
    enum gsim_status status = build_model(urgent, row->gap_us, &programs[0], error);
    if (status == GSIM_OK) status = build_model(other, row->has_other_gaps ? row->gap_us : -1, &programs[1], error);
    struct gsim_task tasks[2];
    for (int i = 0; i < 2; i++)
        tasks[i] = (struct gsim_task){.name = i ? "other" : "urgent",
                                      .program = &programs[i],
                                      .scheduler = gsim_scheduler_find("async"),
                                      .priority = 5 * i,
                                      .process = GSIM_OWN_PROCESS,
                                      .requests = i ? 0 : 8};
    if (status == GSIM_OK)
        status = gsim_trial_run(&(struct gsim_trial){.device = device, .tasks = tasks, .count = 1, .way = "exclusive"},
                                &alone, NULL, error);
    if (status == GSIM_OK && !row->is_closed) tasks[0].gap_us = alone.mean_us;
    if (status == GSIM_OK) status = gsim_trial_measure(device, tasks, 2, 10, &profiles, error);
    if (status == GSIM_OK)
        status = gsim_trial_run(&(struct gsim_trial){.device = device, .tasks = tasks, .count = 2, .way = "timeslice"},
                                sliced, NULL, error);
    if (status == GSIM_OK)
        status = gsim_trial_run(
            &(struct gsim_trial){.device = device, .tasks = tasks, .count = 2, .way = "fikit", .profiles = &profiles},
            fikit, NULL, error);
    if (status == GSIM_OK) {
        row->speed_up = sliced[0].mean_us / fikit[0].mean_us;
        row->other_ratio = fikit[1].requests && sliced[1].requests ? sliced[1].mean_us / fikit[1].mean_us : NAN;
        row->over_exclusive = fikit[0].mean_us / alone.mean_us;
    }
    gsim_task_profiles_release(&profiles);
    for (int i = 0; i < 2; i++) gsim_program_release(&programs[i]);
    return status;
}

enum gsim_status gsim_reproduce_fikit(const struct gsim_device_spec *device, const char *kernels,
                                      struct gsim_fikit_table *table, struct gsim_error *error)
{
    static const double gaps[] = {20, 50, 100, 200};
    uint32_t count = 0;
    *table = (struct gsim_fikit_table){0};
    struct model *models = GSIM_ARENA_ARRAY(&table->arena, struct model, MOST_MODELS);
    table->rows = GSIM_ARENA_ARRAY(&table->arena, struct gsim_fikit_row, MOST_MODELS * 4 * 4);
    if (!models || !table->rows) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    enum gsim_status status = read_models(kernels, models, &count, error);
    /* Each model urgent but the last, beside the next one, and that in four kinds. */
    for (uint32_t m = 0; m + 1 < count; m++)
        for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++)
            for (int kind = 0; kind < 4 && status == GSIM_OK; kind++) {
                struct gsim_fikit_row *row = &table->rows[table->count++];
                *row = (struct gsim_fikit_row){.gap_us = gaps[g], .has_other_gaps = kind & 1, .is_closed = kind & 2};
                status = run_pair(device, &models[m], &models[(m + 1) % count], row, error);
            }
    return status;
}

void gsim_fikit_table_release(struct gsim_fikit_table *table)
{
    gsim_arena_release(&table->arena);
    memset(table, 0, sizeof *table);
}
