/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the words of the command line to tasks on the GPU (cli/runner/share.h). What can be checked without a
 * GPU is checked first. */
#include "cli/runner/share.h"

#include <math.h>

#include "sim/base/text.h"

bool gsim_share_asked_for(const struct gsim_runner_words *words)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->items[i], "--task") == 0 || strncmp(words->items[i], "--task=", 7) == 0) return true;
    return false;
}

/* --- ways ------------------------------------------------------------------------------------------------------ */

static enum gsim_status add_way(struct gsim_share_command *c, const char *word, struct gsim_error *error)
{
    if (c->way_count == GSIM_SHARE_WAYS)
        return gsim_refuse(error, "--share: expected at most %d ways, found more", GSIM_SHARE_WAYS);
    struct gsim_share_way *way = &c->ways[c->way_count];
    bool is_priorities = strcmp(word, "priorities") == 0;
    enum gsim_status status = gsim_cli_share(is_priorities ? "streams" : word, &way->ops, error);
    if (status == GSIM_OK) status = gsim_cli_share_params(&c->tasks, way->ops, &way->params, error);
    if (status == GSIM_OK && is_priorities)
        status = gsim_params_set(way->ops->params, way->params, "priority", "on", error);
    if (status != GSIM_OK) return status;
    way->word = word;
    way->settings = gsim_share_settings_of(way->ops, way->params);
    c->way_count++;
    return gsim_ledger_policy_check(way->ops, way->params, &way->settings, error);
}

static enum gsim_status choose_ways(struct gsim_share_command *c, struct gsim_error *error)
{
    const struct gsim_sharing_ops *all[GSIM_SHARE_WAYS];
    const char *text = c->arguments.value[GSIM_CLI_SHARE];
    if (!text && c->arguments.value[GSIM_CLI_MEASURE]) return GSIM_OK;
    char *list = gsim_arena_strdup(&c->tasks.arena, text ? text : "exclusive");
    enum gsim_status status = GSIM_OK;
    for (char *at; !status && (at = gsim_text_cut(&list));) status = add_way(c, at, error);
    for (size_t w = 0; w < c->way_count && status == GSIM_OK; w++) {
        all[w] = c->ways[w].ops;
        const struct gsim_share_way *way = &c->ways[w];
        uint32_t process_of[GSIM_LIMIT_TASKS];
        uint32_t count = gsim_task_set_processes(&c->tasks.set, way->settings.mechanism, process_of);
        bool has_profile = c->arguments.value[GSIM_CLI_PROFILE] || c->arguments.value[GSIM_CLI_MEASURE];
        if (way->settings.mechanism == GSIM_MECHANISM_STREAMS && count > 1)
            status = gsim_refuse(error, "--share %s: its tasks are threads of one process, and they are in %u",
                                 way->word, count);
        if (status == GSIM_OK && way->ops->needs_profile && !has_profile)
            status = gsim_refuse(
                error, "--share %s needs a profile: --profile FILE, which --measure FILE writes, or --profile measure",
                way->word);
    }
    return status == GSIM_OK ? gsim_cli_check_share_opts(&c->tasks, all, c->way_count, error) : status;
}

/* --- tasks ------------------------------------------------------------------------------------------------------ */

static enum gsim_status choose_kernels(struct gsim_share_command *c, uint32_t task, struct gsim_error *error)
{
    struct gsim_cli_point *point = &c->tasks.points[task];
    struct gsim_stage_task *t = &c->stage_tasks[task];
    enum gsim_status status = GSIM_OK;
    *t = (struct gsim_stage_task){
        .program = &point->program, .options = &point->workload, .bench_ops = gsim_bench_find(c->tasks.programs[task])};
    if (t->bench_ops) return GSIM_OK;
    t->standins = gsim_stage_memory(sizeof *t->standins * (point->program.kernel_count + 1));
    if (!t->standins) return gsim_no_memory(error);
    for (uint32_t k = 0; k < point->program.kernel_count && status == GSIM_OK; k++)
        status = gsim_standin_choose(&point->program.kernels[k], k, &t->standins[k], error);
    return status == GSIM_OK ? status : gsim_error_prefix(error, "task '%.60s'", c->tasks.tasks[task].name);
}

/* Everything from the words, for the GPU as it is known by now. */
static enum gsim_status read_tasks(struct gsim_share_command *c, struct gsim_error *error)
{
    uint32_t finite = 0;
    enum gsim_status status = gsim_runner_setup(&c->setup, &c->arguments, c->gpu, error);
    if (status == GSIM_OK && c->setup.memory == GSIM_MEMORY_MANAGED)
        status = gsim_refuse(error, "--memory managed: several tasks share a GPU with pinned or pageable memory only");
    if (status == GSIM_OK) status = gsim_cli_tasks_init(&c->tasks, &c->setup, error);
    if (status != GSIM_OK) return status;
    for (uint32_t i = 0; i < c->tasks.count; i++) finite += gsim_task_is_finite(&c->tasks.tasks[i]);
    if (!finite)
        return gsim_error_set(error, GSIM_INPUT,
                              "no task says how many requests it has, or for how long: expected one that ends");
    c->stage_tasks = GSIM_ARENA_ARRAY(&c->tasks.arena, struct gsim_stage_task, c->tasks.count);
    c->alone = GSIM_ARENA_ARRAY(&c->tasks.arena, struct gsim_timeline, c->tasks.count);
    for (uint32_t i = 0; i < c->tasks.count && status == GSIM_OK; i++) status = choose_kernels(c, i, error);
    if (status == GSIM_OK) status = choose_ways(c, error);
    if (status == GSIM_OK && c->recording) status = gsim_share_check_recording(c, error);
    const char *from = c->arguments.value[GSIM_CLI_PROFILE];
    if (status == GSIM_OK && from && strcmp(from, "measure") != 0)
        status = gsim_task_profiles_read(&c->tasks.profiles, &c->tasks.set, from, error);
    return status;
}

static void forget_tasks(struct gsim_share_command *c)
{
    for (size_t w = 0; w < c->way_count; w++) gsim_timeline_release(&c->ways[w].timeline);
    for (uint32_t i = 0; c->alone && i < c->tasks.count; i++) gsim_timeline_release(&c->alone[i]);
    memset(c->ways, 0, sizeof c->ways);
    c->way_count = 0;
    c->alone = NULL;
    gsim_cli_tasks_release(&c->tasks);
    gsim_cli_setup_release(&c->setup);
}

/* --- on the GPU --------------------------------------------------------------------------------------------------- */

static enum gsim_status find_gpu(void *data, struct gsim_error *error)
{
    return gsim_runner_gpu_find(((struct gsim_share_command *)data)->gpu, error);
}

static enum gsim_status prepare_kernels(void *data, struct gsim_error *error)
{
    struct gsim_share_command *c = data;
    enum gsim_status status = gsim_standin_event_excess(c->excess_us, error);
    for (uint32_t i = 0; i < c->tasks.count && status == GSIM_OK; i++)
        if (c->stage_tasks[i].standins)
            status = gsim_standin_measure(c->stage_tasks[i].program, c->stage_tasks[i].standins, error);
    return status;
}

static struct gsim_stage stage_of(const struct gsim_share_command *c)
{
    return (struct gsim_stage){.set = &c->tasks.set,
                               .tasks = c->stage_tasks,
                               .device = &c->setup.device,
                               .memory = c->setup.memory,
                               .prefetch = c->setup.prefetch,
                               .seed = c->setup.seed,
                               .warmup = c->warmup,
                               .excess_us = *c->excess_us};
}

/* As gpusim does. */
static enum gsim_status run_alone(struct gsim_share_command *c, uint32_t index, bool measures,
                                  struct gsim_timeline *timeline, struct gsim_task_stats *stats,
                                  struct gsim_error *error)
{
    struct gsim_task task;
    struct gsim_task_set set;
    enum gsim_status status = gsim_cli_task_alone_set(&c->tasks, index, &task, &set, error);
    if (status != GSIM_OK) return status;
    struct gsim_stage stage = stage_of(c);
    stage.set = &set;
    stage.tasks = &c->stage_tasks[index];
    stage.ops = gsim_sharing_find("exclusive");
    stage.settings.mechanism = GSIM_MECHANISM_EXCLUSIVE;
    stage.measures = measures;
    if (measures && !stage.warmup) stage.warmup = 1; /* which says how many launches there are */
    *stats = (struct gsim_task_stats){0};
    status = gsim_stage_run(&stage, timeline, error);
    if (status == GSIM_OK) status = gsim_tasks_measure(timeline, &set, stats, error);
    timeline->program = NULL; /* gone with the set */
    gsim_task_set_release(&set);
    return status;
}

static enum gsim_status run_all_alone(struct gsim_share_command *c, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < c->tasks.count && status == GSIM_OK; i++) {
        struct gsim_task_stats stats;
        status = run_alone(c, i, false, &c->alone[i], &stats, error);
        if (status != GSIM_OK) return gsim_error_prefix(error, "'%.60s' alone", c->tasks.tasks[i].name);
        c->tasks.alone[i].alone_us = stats.mean_us;
        c->tasks.alone[i].alone_p99_us = stats.p99_us;
    }
    return status;
}

static enum gsim_status measure_task(struct gsim_share_command *c, uint32_t i, struct gsim_error *error)
{
    struct gsim_cli_tasks *t = &c->tasks;
    struct gsim_timeline timeline = {0};
    struct gsim_task_stats stats = {0};
    char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE];
    enum gsim_status status = run_alone(c, i, true, &timeline, &stats, error);
    if (status == GSIM_OK)
        status = gsim_task_profile_make(&t->profiles, &t->set, i, &timeline,
                                        c->stage_tasks[i].standins ? 0 : *c->excess_us, error);
    gsim_timeline_release(&timeline);
    if (status != GSIM_OK) return status;
    t->profiles.tasks[i].request_us = t->alone[i].alone_us;
    t->profiles.tasks[i].measured_us = stats.mean_us;
    fprintf(stderr, "gpusim-runner: measured %s: a request took %s, %s without measuring (%.2fx)\n", t->tasks[i].name,
            gsim_text_us(a, stats.mean_us),
            gsim_text_us(b, t->alone[i].alone_us), stats.mean_us / t->alone[i].alone_us);
    return GSIM_OK;
}

static enum gsim_status find_profile(struct gsim_share_command *c, struct gsim_error *error)
{
    struct gsim_cli_tasks *t = &c->tasks;
    const char *from = c->arguments.value[GSIM_CLI_PROFILE], *to = c->arguments.value[GSIM_CLI_MEASURE];
    if (t->profiles.count || (!to && !from)) return GSIM_OK;
    enum gsim_status status = gsim_task_profiles_init(&t->profiles, t->count, error);
    for (uint32_t i = 0; i < t->count && status == GSIM_OK; i++) status = measure_task(c, i, error);
    return status == GSIM_OK && to ? gsim_task_profiles_write(&t->profiles, c->gpu->name, to, error) : status;
}

static void run_way(struct gsim_share_command *c, struct gsim_share_way *way)
{
    struct gsim_stage stage = stage_of(c);
    struct gsim_task_stats *stats = GSIM_ARENA_ARRAY(&c->tasks.arena, struct gsim_task_stats, c->tasks.count);
    stage.ops = way->ops;
    stage.params = way->params;
    stage.settings = way->settings;
    stage.profile = c->tasks.profiles.count ? &c->tasks.profiles : NULL;
    enum gsim_status status = gsim_stage_run(&stage, &way->timeline, &way->error);
    for (uint32_t i = 0; i < c->tasks.count && status == GSIM_OK; i++) stats[i] = c->tasks.alone[i];
    if (status == GSIM_OK) status = gsim_tasks_measure(&way->timeline, &c->tasks.set, stats, &way->error);
    for (uint32_t i = 0; i < c->tasks.count && status == GSIM_OK; i++)
        stats[i].kernel_us = NAN; /* nobody sees kernels */
    way->decisions = stage.decisions;
    if (status == GSIM_OK) way->stats = stats;
}

static enum gsim_status deliver_one(struct gsim_share_command *c, struct gsim_share_way *way, struct gsim_error *error)
{
    struct gsim_metrics metrics;
    struct gsim_device_spec device = c->setup.device;
    if (!way->stats) return way->error.status; /* run_on_gpu() has said it */
    struct gsim_simulation s = gsim_cli_tasks_simulation(&c->tasks, way->ops, way->params);
    device.name = c->gpu->name;
    s.device = &device;
    s.omits_kernels = true;
    enum gsim_status status = gsim_metrics_compute(&way->timeline, s.device, NULL, &metrics, error);
    struct gsim_result result = {.simulation = &s,
                                 .timeline = &way->timeline,
                                 .metrics = &metrics,
                                 .tasks = way->stats,
                                 .options = c->tasks.points[0].options,
                                 .option_count = c->tasks.points[0].option_count,
                                 .tracer = "none"};
    return status == GSIM_OK ? gsim_cli_deliver(&c->arguments, &result, error) : status;
}

static enum gsim_status run_on_gpu(struct gsim_share_command *c, struct gsim_error *error)
{
    enum gsim_status worst = GSIM_OK;
    enum gsim_status status = gsim_stage_apart(prepare_kernels, c, "kernels", error);
    if (status == GSIM_OK) status = run_all_alone(c, error);
    if (status == GSIM_OK) status = find_profile(c, error);
    if (status != GSIM_OK || !c->way_count) return status;
    for (size_t w = 0; w < c->way_count; w++) {
        run_way(c, &c->ways[w]);
        if (c->ways[w].stats) continue;
        worst = c->ways[w].error.status;
        gsim_error_set(error, worst, "--share %s: %s", c->ways[w].word, c->ways[w].error.message);
    }
    gsim_mps_stop();
    if (c->recording && status == GSIM_OK) status = gsim_share_write_recording(c, error);
    if (status != GSIM_OK) return status;
    if (c->way_count == 1) return deliver_one(c, &c->ways[0], error);
    status = gsim_share_print(c, error);
    return status == GSIM_OK ? worst : status;
}

static enum gsim_status check_words(struct gsim_share_command *c, struct gsim_error *error)
{
    static const enum gsim_cli_key files[] = {GSIM_CLI_REPORT, GSIM_CLI_TRACE, GSIM_CLI_CSV};
    const char *share = c->arguments.value[GSIM_CLI_SHARE];
    enum gsim_status status = gsim_cli_check_outputs(&c->arguments, error);
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == GSIM_OK; i++)
        if (c->arguments.value[files[i]] && share && strchr(share, ','))
            status = gsim_refuse(error, "--%s: expected one way of sharing, found '%.60s'",
                                 gsim_cli_option_at(files[i])->name, share);
    if (status == GSIM_OK && c->arguments.value[GSIM_CLI_PROFILE] && c->arguments.value[GSIM_CLI_MEASURE])
        status = gsim_refuse(error, "--profile and --measure: expected one of them");
    if (status == GSIM_OK && c->recording && !share && c->arguments.value[GSIM_CLI_MEASURE])
        status = gsim_refuse(
            error, "--measure without --share runs no tasks together, which --recording writes: expected --share");
    if (status == GSIM_OK && c->recording) status = gsim_output_check(c->recording, error);
    return status;
}

enum gsim_status gsim_share_run(struct gsim_runner_words *words, struct gsim_error *error)
{
    struct gsim_share_command *c = gsim_alloc(sizeof *c);
    c->gpu = gsim_stage_memory(sizeof *c->gpu);
    c->excess_us = gsim_stage_memory(sizeof *c->excess_us);
    enum gsim_status status = c->gpu && c->excess_us ? GSIM_OK : gsim_no_memory(error);
    c->warmup = gsim_runner_own_count(words, "warmup", 2, error);
    c->recording = gsim_runner_own_value(words, "recording", NULL);
    status = error->status ? error->status : gsim_runner_parse(&c->arguments, words, error);
    if (status == GSIM_OK) status = check_words(c, error);
    if (status == GSIM_OK) status = read_tasks(c, error); /* without a GPU, for its errors */
    forget_tasks(c);
    gsim_stage_catch_signals();
    if (status == GSIM_OK) status = gsim_stage_apart(find_gpu, c, "the GPU", error);
    if (status == GSIM_OK) status = read_tasks(c, error);
    if (status == GSIM_OK) status = run_on_gpu(c, error);
    gsim_mps_stop();
    forget_tasks(c);
    gsim_free(c->arguments.opts);
    gsim_free(c);
    return status;
}
