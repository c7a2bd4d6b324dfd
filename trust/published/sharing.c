/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/published/sharing.h. */
#include "trust/published/sharing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trust/published/trial.h"

/* --- XSched -------------------------------------------------------------------------------------------------- */

#define RESNET_KERNELS 160
#define RESNET_US      6422.0  /* 1 / 155.709 s, less a synchronise */
#define REQUESTS       200
#define INTERVAL_US    32573.0 /* 30.7 requests a second */

/* A request of so many equal kernels in a stream; the host is ahead. */
static enum gsim_status build_resnet(const struct gsim_device_spec *device, struct gsim_program *program,
                                     struct gsim_error *error)
{
    struct gsim_builder *b = gsim_builder_create("ResNet-152");
    struct gsim_kernel k = {.name = "layer",
                            .grid = {8 * (uint32_t)device->sm_count, 1, 1},
                            .block = {256, 1, 1},
                            .regs_per_thread = 32,
                            .solo_us = RESNET_US / RESNET_KERNELS - device->stream_gap_us};
    if (!b) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (int i = 0; i < RESNET_KERNELS; i++)
        gsim_builder_op(
            b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(b, &k), .stream = 0});
    return gsim_builder_finish(b, 1, program, error);
}

/* Of the foreground: each start half to one and a half of the interval behind the last one. */
static enum gsim_status draw_times(double times[REQUESTS], struct gsim_error *error)
{
    struct gsim_random r = {0};
    enum gsim_status status = gsim_random_init(&r, 1, error);
    for (int i = 0; i < REQUESTS && status == GSIM_OK; i++)
        times[i] = i ? times[i - 1] + INTERVAL_US * (0.5 + gsim_random_uniform(&r)) : 0;
    gsim_random_release(&r);
    return status;
}

static void put(struct gsim_xsched_row **row, const char *what, const char *unit, double published, double simulated)
{
    *(*row)++ = (struct gsim_xsched_row){.what = what, .unit = unit, .published = published, .simulated = simulated};
}

enum gsim_status gsim_reproduce_xsched(const struct gsim_device_spec *device,
                                       struct gsim_xsched_row rows[GSIM_XSCHED_ROWS], struct gsim_error *error)
{
    static const char *const level_2[] = {"level=2", "threshold=16", NULL}, *const shares[] = {"policy=partition",
                                                                                               "threshold=16", NULL};
    double times[REQUESTS];
    struct gsim_program program = {0};
    struct gsim_task_stats alone, loops[2], parts[2], native[2], first[2];
    enum gsim_status status = build_resnet(device, &program, error);
    if (status == GSIM_OK) status = draw_times(times, error);
    struct gsim_task loop = {.name = "loop",
                             .program = &program,
                             .scheduler = gsim_scheduler_find("async"),
                             .process = GSIM_OWN_PROCESS,
                             .duration_us = 2e6};
    struct gsim_task fore[2] = {loop, loop}, both[2] = {loop, loop}, portions[2] = {loop, loop};
    fore[0].duration_us = fore[1].duration_us = 0;
    fore[0].arrival = GSIM_ARRIVAL_LIST;
    fore[0].times_us = times;
    fore[0].time_count = REQUESTS;
    fore[1].priority = 1;
    portions[0].percentage = 75;
    portions[1].percentage = 25;
    if (status == GSIM_OK)
        status = gsim_trial_run(&(struct gsim_trial){.device = device, .tasks = &loop, .count = 1, .way = "timeslice"},
                                &alone, NULL, error);
    if (status == GSIM_OK)
        status = gsim_trial_run(&(struct gsim_trial){.device = device, .tasks = both, .count = 2, .way = "timeslice"},
                                loops, NULL, error);
    if (status == GSIM_OK)
        status = gsim_trial_run(
            &(struct gsim_trial){.device = device, .tasks = portions, .count = 2, .way = "xsched", .opts = shares},
            parts, NULL, error);
    if (status == GSIM_OK)
        status = gsim_trial_run(&(struct gsim_trial){.device = device, .tasks = fore, .count = 2, .way = "timeslice"},
                                native, NULL, error);
    if (status == GSIM_OK)
        status = gsim_trial_run(
            &(struct gsim_trial){.device = device, .tasks = fore, .count = 2, .way = "xsched", .opts = level_2}, first,
            NULL, error);
    gsim_program_release(&program);
    if (status != GSIM_OK) return status;
    struct gsim_xsched_row *row = rows;
    put(&row, "one closed loop alone", "/s", 155.709, alone.per_second);
    rows[0].is_fit = true; /* the request's length is taken from it */
    put(&row, "two closed loops, native, first", "/s", 70.4878, loops[0].per_second);
    put(&row, "two closed loops, native, second", "/s", 70.5242, loops[1].per_second);
    put(&row, "both over one alone", "", (70.4878 + 70.5242) / 155.709,
        (loops[0].per_second + loops[1].per_second) / alone.per_second);
    put(&row, "partition 75:25, first", "/s", 109.783, parts[0].per_second);
    put(&row, "partition 75:25, second", "/s", 37.0939, parts[1].per_second);
    put(&row, "first's share", "", 109.783 / (109.783 + 37.0939),
        parts[0].per_second / (parts[0].per_second + parts[1].per_second));
    put(&row, "foreground, native, P50", "ms", 13.0525, native[0].p50_us * 1e-3);
    put(&row, "foreground, native, P99", "ms", 14.111, native[0].p99_us * 1e-3);
    put(&row, "foreground, XSched level 2, P50", "ms", 6.9036, first[0].p50_us * 1e-3);
    put(&row, "foreground, XSched level 2, P99", "ms", 7.396, first[0].p99_us * 1e-3);
    return GSIM_OK;
}

/* --- FIKIT --------------------------------------------------------------------------------------------------- */

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
