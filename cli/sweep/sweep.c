/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim sweep": from the words of the command line to a spec, its points, and a results file
 * that holds them all. A point: cli/sweep/request.h. Running them: sweep/run.h.
 */
#include <unistd.h>

#include "ask/subject.h"
#include "ask/scenarios/task_words.h"
#include "cli/sweep/request.h"
#include "sim/base/text.h"
#include "sweep/plan.h"
#include "sweep/remote.h"
#include "sweep/sink.h"
#include "cli/figures/plot.h"

#define OUT_DEFAULT  "results.db"
#define SHOWN_POINTS 10

struct sweep {
    const struct gsim_cli_arguments *arguments;
    struct gsim_spec spec;
    struct gsim_requests requests;
    struct gsim_plan_config plan_config;
    struct gsim_sweep_plan plan;
    struct gsim_store *store;
    struct gsim_sweep_job job;
    struct gsim_stop stop;
    bool is_held;
    struct gsim_progress progress;
    struct gsim_remote remote; /* transport NULL: alone */
    uint32_t task_count;
    struct gsim_arena arena;
    char shard[32];
};

/* --- the spec ------------------------------------------------------------------------------------------------ */
/* An option of a run: one value for all points, or, with commas or "all", an axis. */
static enum gsim_status add_option(struct sweep *sweep, enum gsim_cli_key key, struct gsim_error *error)
{
    const char *name = gsim_cli_option_at(key)->name, *text = sweep->arguments->value[key];
    if (!gsim_cli_option_at(key)->metavar) text = "on"; /* a switch */
    enum gsim_status status;
    if (!strchr(text, ',') && strcmp(text, "all") != 0) {
        status = gsim_spec_fix(&sweep->spec, name, text, error);
    } else {
        char *pair = gsim_arena_printf(&sweep->arena, "%s=%s", name, text);
        status = gsim_spec_vary(&sweep->spec, pair, error);
    }
    return status == GSIM_OK ? status : gsim_error_prefix(error, "--%s", name);
}

static enum gsim_status add_opt(struct sweep *sweep, const char *text, struct gsim_error *error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) return gsim_refuse(error, "--opt: expected NAME=VALUE, found '%.100s'", text);
    char *name = gsim_arena_printf(&sweep->arena, "%.*s", (int)(equals - text), text);
    enum gsim_status status = gsim_spec_fix(&sweep->spec, name, equals + 1, error);
    return status == GSIM_OK ? status : gsim_error_prefix(error, "--opt");
}

/* The tasks of --task get numbers in the order of the command line; a file of tasks has several. */
static enum gsim_status add_tasks(struct sweep *sweep, const char *text, struct gsim_error *error)
{
    const char **list = NULL, *one[] = {text};
    uint32_t count = 1;
    char name[16];
    enum gsim_status status = gsim_task_words_file(text, &sweep->arena, &list, &count, error);
    if (!list) list = one, count = 1;
    for (uint32_t i = 0; i < count && status == GSIM_OK; i++) {
        snprintf(name, sizeof name, "task%u", ++sweep->task_count);
        status = gsim_spec_fix(&sweep->spec, name, list[i], error);
    }
    return status;
}

/* What varies has no one value beside that. */
static enum gsim_status check_once(const struct sweep *sweep, const char *text, struct gsim_error *error)
{
    for (int key = 0; key < GSIM_CLI_KEY_COUNT; key++) {
        const char *name = gsim_cli_option_at((enum gsim_cli_key)key)->name;
        if (sweep->arguments->value[key] && gsim_request_is_option((enum gsim_cli_key)key) &&
            strlen(name) == strcspn(text, "=") && strncmp(name, text, strlen(name)) == 0)
            return gsim_refuse(error, "%s: --%s gives it, too", name, name);
    }
    return GSIM_OK;
}

static enum gsim_status add_repeated(struct sweep *sweep, const struct gsim_cli_repeated *option,
                                     struct gsim_error *error)
{
    if (option->key == GSIM_CLI_VARY && check_once(sweep, option->text, error))
        return gsim_error_prefix(error, "--vary");
    enum gsim_status status = option->key == GSIM_CLI_TASK     ? add_tasks(sweep, option->text, error)
                              : option->key == GSIM_CLI_VARY   ? gsim_spec_vary(&sweep->spec, option->text, error)
                              : option->key == GSIM_CLI_PAIRED ? gsim_spec_pair(&sweep->spec, option->text, error)
                                                               : gsim_spec_add_where(&sweep->spec, option->text, error);
    return status == GSIM_OK ? status : gsim_error_prefix(error, "--%s", gsim_cli_option_at(option->key)->name);
}

static enum gsim_status read_spec(struct sweep *sweep, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = sweep->arguments;
    struct gsim_spec *spec = &sweep->spec;
    enum gsim_status status = GSIM_OK;
    gsim_spec_init(spec, &gsim_request_host);
    const char *file = arguments->operand_count ? arguments->operands[0] : NULL;
    bool is_server = file && gsim_subject_kind_of(file) == GSIM_SUBJECT_SERVER;
    if (is_server) status = gsim_spec_fix(spec, "workload", file, error);
    else if (file) status = gsim_subject_expect(file, GSIM_SUBJECT_BIT(SWEEP), "the description of a sweep", error);
    if (file && !is_server && !status) status = gsim_spec_read(spec, file, error);
    for (int key = 0; key < GSIM_CLI_KEY_COUNT && status == GSIM_OK; key++)
        if (arguments->value[key] && gsim_request_is_option((enum gsim_cli_key)key))
            status = add_option(sweep, (enum gsim_cli_key)key, error);
    for (size_t i = 0; i < arguments->opt_count && status == GSIM_OK; i++)
        status = add_opt(sweep, arguments->opts[i], error);
    for (size_t i = 0; i < arguments->repeated_count && status == GSIM_OK; i++)
        status = add_repeated(sweep, &arguments->repeated[i], error);
    double samples = (double)spec->samples, sample_seed = (double)spec->sample_seed;
    if (status == GSIM_OK)
        status = gsim_cli_count(arguments, GSIM_CLI_REPEAT, 1, 1e6, spec->repeat, &spec->repeat, error);
    if (status == GSIM_OK)
        status = gsim_cli_integer(arguments, GSIM_CLI_SAMPLES, 1, GSIM_AXIS_VALUES_MAX, &samples, error);
    if (status == GSIM_OK)
        status = gsim_cli_integer(arguments, GSIM_CLI_SAMPLE_SEED, 0, 9007199254740992.0, &sample_seed, error);
    if (status != GSIM_OK) return status;
    if (arguments->value[GSIM_CLI_SAMPLE_SEED] && !gsim_whole_u64(samples))
        return gsim_refuse(error, "--sample-seed: expected --samples N with it");
    spec->samples = gsim_whole_u64(samples);
    spec->sample_seed = gsim_whole_u64(sample_seed);
    status = gsim_spec_finish(spec, error);
    return status == GSIM_OK ? gsim_requests_init(&sweep->requests, spec,
                                                  arguments->value[GSIM_CLI_ALLOW_PLUGINS] != NULL, error) : status;
}

static enum gsim_status read_shard(struct sweep *sweep, struct gsim_error *error)
{
    const char *text = sweep->arguments->value[GSIM_CLI_SHARD], *slash = text ? strchr(text, '/') : NULL;
    double index, count;
    char first[16];
    sweep->plan_config =
        (struct gsim_plan_config){.spec = &sweep->spec, .data = &sweep->requests, .key = gsim_request_key};
    if (!text) return GSIM_OK;
    if (slash && slash - text < (ptrdiff_t)sizeof(first)) {
        snprintf(first, sizeof(first), "%.*s", (int)(slash - text), text);
        if (gsim_text_quantity(first, &index) && gsim_text_quantity(slash + 1, &count) && index == floor(index) &&
            count == floor(count) && index >= 1 && index <= count && count <= 1e6) {
            sweep->plan_config.shard_index = gsim_whole_u32(index) - 1;
            sweep->plan_config.shard_count = gsim_whole_u32(count);
            snprintf(sweep->shard, sizeof(sweep->shard), "%.0f/%.0f", index, count);
            return GSIM_OK;
        }
    }
    return gsim_refuse(error, "--shard: expected I/N with I from 1 to N, found '%s'", text);
}

/* --- --dry-run -------------------------------------------------------------------------------------------------- */
static void print_count(const char *what, uint64_t count)
{
    char text[GSIM_TEXT_SIZE];
    if (count) printf("%12s  %s\n", gsim_text_count(text, count), what);
}

static void print_axes(const struct gsim_spec *spec)
{
    char text[GSIM_TEXT_SIZE], shown[200];
    for (size_t i = 0; i < spec->axis_count; i++) {
        const struct gsim_axis *axis = &spec->axes[i];
        printf("%12s  %s:", gsim_text_count(text, axis->count), axis->name);
        for (size_t j = 0; j < axis->count && j < SHOWN_POINTS; j++)
            printf(" %s", gsim_text_fit(shown, sizeof(shown), axis->values[j].text, sizeof(shown) - 1));
        printf("%s\n", axis->count > SHOWN_POINTS ? " ..." : "");
    }
    if (spec->repeat > 1) print_count("repetitions", spec->repeat);
}

static void print_plan(const struct sweep *sweep)
{
    const struct gsim_sweep_plan *plan = &sweep->plan;
    char text[400];
    print_axes(&sweep->spec);
    printf("\n");
    print_count("combinations", sweep->spec.total);
    print_count("left out by conditions", plan->left_out);
    print_count("the same as others (parameters that do not apply, values given twice)", plan->repeated);
    print_count("of other shards", plan->other_shards);
    print_count("in the results file already", plan->done);
    printf("%12s  points to compute\n", gsim_text_count(text, plan->count));
    if (plan->count) printf("\n");
    for (uint64_t i = 0; i < plan->count && i < SHOWN_POINTS; i++)
        printf("  %s\n", gsim_request_describe(&sweep->requests, plan->items[i], text, sizeof(text)));
    if (plan->count > SHOWN_POINTS) printf("  ...\n");
}

/* --- the results file ------------------------------------------------------------------------------------------- */
static enum gsim_status check_models(struct sweep *sweep, const char *path, struct gsim_error *error)
{
    const char **models;
    size_t count;
    char mine[64];
    snprintf(mine, sizeof(mine), "%s %s", GPUSIM_VERSION, gsim_model_hash());
    enum gsim_status status = gsim_store_models(sweep->store, &sweep->arena, &models, &count, error);
    for (size_t i = 0; i < count && status == GSIM_OK; i++)
        if (strcmp(models[i], mine) != 0 && !sweep->arguments->value[GSIM_CLI_MIX])
            status =
                gsim_error_set(error, GSIM_INPUT,
                               "'%s' holds results of another model (version and hash %s, this is %s): use another "
                               "file, or --allow-mixed",
                               path, models[i], mine);
    return status;
}

static enum gsim_status open_store(struct sweep *sweep, struct gsim_error *error)
{
    const char *path = sweep->arguments->value[GSIM_CLI_OUT];
    bool may_be_there = sweep->arguments->value[GSIM_CLI_RESUME] != NULL;
    if (!path) path = OUT_DEFAULT;
    enum gsim_status status =
        gsim_store_open(path, may_be_there ? GSIM_STORE_WRITE : GSIM_STORE_CREATE, &sweep->store, error);
    return status == GSIM_OK ? check_models(sweep, path, error) : status;
}

static enum gsim_status record_sweep(struct sweep *sweep, struct gsim_error *error)
{
    char *spec = gsim_spec_json(&sweep->spec);
    struct gsim_sweep_record record = {.name = sweep->spec.name,
                                       .command = gsim_cli_command_line(sweep->arguments, &sweep->arena),
                                       .spec = spec,
                                       .version = GPUSIM_VERSION,
                                       .model = gsim_model_hash(),
                                       .shard = sweep->shard[0] ? sweep->shard : NULL,
                                       .points = (int64_t)sweep->plan.wanted};
    enum gsim_status status = gsim_store_add_sweep(sweep->store, &record, error);
    sweep->requests.sweep_id = record.id;
    gsim_free(spec);
    return status;
}

/* --- computing --- */
static enum gsim_status prepare_job(struct sweep *sweep, struct gsim_error *error)
{
    const char *timeout = sweep->arguments->value[GSIM_CLI_TIMEOUT];
    double timeout_s = 0;
    uint32_t jobs;
    enum gsim_status status =
        gsim_cli_jobs(sweep->arguments, sweep->remote.transport ? 1 : 0, &jobs, error); /* a rank is a core */
    if (status != GSIM_OK) return status;
    if (timeout && (!gsim_text_quantity(timeout, &timeout_s) || timeout_s < 0.001 || timeout_s > 1e7))
        return gsim_refuse(error, "--timeout: expected seconds from 0.001 on, found '%s'", timeout);
    sweep->job = (struct gsim_sweep_job){.pool = {.jobs = jobs,
                                                  .timeout_s = timeout_s,
                                                  .data = &sweep->requests,
                                                  .run = gsim_request_run,
                                                  .fail = gsim_request_fail},
                                         .progress = &sweep->progress};
    return GSIM_OK;
}

static bool is_given(const struct gsim_spec *spec, const char *name)
{
    struct gsim_axis axis;
    for (size_t i = 0; gsim_spec_at(spec, i, &axis); i++)
        if (strcmp(axis.name, name) == 0) return true;
    return false;
}

static enum gsim_status compute(struct sweep *sweep, struct gsim_error *error)
{
    bool retry = sweep->arguments->value[GSIM_CLI_RETRY] != NULL;
    gsim_stop_begin(&sweep->stop); /* until the results file is closed: what it has beside it goes then */
    sweep->is_held = true;
    enum gsim_status status = open_store(sweep, error);
    if (status == GSIM_OK) status = gsim_plan_make(&sweep->plan, &sweep->plan_config, sweep->store, retry, error);
    if (status == GSIM_OK) status = record_sweep(sweep, error);
    if (status != GSIM_OK) return status;
    sweep->job.items = sweep->plan.items;
    sweep->job.count = sweep->plan.count;
    sweep->job.store = sweep->store;
    if (sweep->job.pool.jobs > sweep->plan.count && sweep->plan.count)
        sweep->job.pool.jobs = (uint32_t)sweep->plan.count;
    if (!sweep->plan.count) sweep->remote.size = 1;
    if (sweep->spec.repeat > 1 && !is_given(&sweep->spec, "noise"))
        fprintf(stderr, "gpusim: without --noise, repetitions differ only in what is drawn anyway: who goes first, "
                        "which blocks end first, what the scheduler draws\n");
    gsim_progress_start(&sweep->progress, sweep->plan.count, stderr);
    if (sweep->plan.done)
        fprintf(stderr, "gpusim: %llu points are done already\n", (unsigned long long)sweep->plan.done);
    status = sweep->remote.transport && sweep->remote.size > 1
                 ? gsim_remote_lead(&sweep->remote, &sweep->job, sweep->requests.sweep_id, error)
                 : gsim_sweep_run(&sweep->job, error);
    gsim_progress_end(&sweep->progress, sweep->job.stopped_by || status != GSIM_OK);
    return status;
}

/* --- several processes --- */
static const char *describe(void *data, uint64_t item, char *text, size_t size)
{
    return gsim_request_describe(data, item, text, size);
}

static void begin(void *data, int64_t sweep_id) { ((struct gsim_requests *)data)->sweep_id = sweep_id; }

/* What all ranks must agree on: a point's number means nothing without it. */
static const char *identity(struct sweep *sweep)
{
    char key[GSIM_KEY_SIZE];
    char *spec = gsim_spec_json(&sweep->spec);
    char *text = gsim_arena_printf(&sweep->arena, "%s %s %s", GPUSIM_VERSION, gsim_model_hash(), spec);
    for (size_t i = 0; i < sweep->requests.named_count; i++)
        text = gsim_arena_printf(&sweep->arena, "%s %s", text, sweep->requests.named[i].hash);
    gsim_free(spec);
    return gsim_arena_strdup(&sweep->arena, gsim_key_text(key, text));
}

/* Whether mpirun or srun has started several of us. A shard is computed alone. */
static enum gsim_status join(struct sweep *sweep, struct gsim_error *error)
{
    struct gsim_remote *remote = &sweep->remote;
    struct gsim_error missing = {0};
    remote->size = 1;
    if (sweep->arguments->value[GSIM_CLI_SHARD]) return GSIM_OK;
    remote->transport = gsim_transport_find(sweep->arguments->argv, &missing);
    if (missing.status != GSIM_OK) return gsim_error_set(error, missing.status, "%s", missing.message);
    const char *problem = remote->transport ? remote->transport->start(&remote->rank, &remote->size) : NULL;
    return problem ? gsim_error_set(error, GSIM_SIM, "%s", problem) : GSIM_OK;
}

/* --- the command ------------------------------------------------------------------------------------------------- */
static enum gsim_status run(struct sweep *sweep, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = sweep->arguments;
    if (arguments->value[GSIM_CLI_RETRY] && !arguments->value[GSIM_CLI_RESUME])
        return gsim_refuse(error, "--retry: expected --resume with it");
    enum gsim_status status = read_spec(sweep, error);
    if (status == GSIM_OK) status = gsim_requests_check_programs(&sweep->requests, !sweep->remote.rank, error);
    if (status == GSIM_OK) status = read_shard(sweep, error);
    if (status == GSIM_OK) status = prepare_job(sweep, error);
    if (status != GSIM_OK) return status;
    if (sweep->remote.transport && sweep->remote.size > 1) {
        sweep->remote.data = &sweep->requests;
        sweep->remote.describe = describe;
        sweep->remote.identity = identity(sweep);
        if (sweep->remote.rank)
            return arguments->value[GSIM_CLI_DRY_RUN]
                       ? GSIM_OK
                       : gsim_remote_follow(&sweep->remote, &sweep->job.pool, begin, error);
    }
    if (!arguments->value[GSIM_CLI_DRY_RUN]) return compute(sweep, error);
    const char *path = arguments->value[GSIM_CLI_OUT] ? arguments->value[GSIM_CLI_OUT] : OUT_DEFAULT;
    if (arguments->value[GSIM_CLI_RESUME] && access(path, F_OK) == 0)
        status = gsim_store_open(path, GSIM_STORE_READ, &sweep->store, error);
    if (status == GSIM_OK)
        status = gsim_plan_make(&sweep->plan, &sweep->plan_config, sweep->store,
                                arguments->value[GSIM_CLI_RETRY] != NULL, error);
    if (status == GSIM_OK) print_plan(sweep);
    return status;
}

/* A sweep of which nothing came out is no success, for scripts either; one of which something did is. */
static int tell_whether_all_failed(const struct sweep *sweep)
{
    const struct gsim_progress *progress = &sweep->progress;
    if (!progress->failed || progress->failed < progress->done || sweep->plan.done) return 0;
    fprintf(stderr, "gpusim: no point has figures; the first error: %s\n", progress->first_error);
    return gsim_status_exit(GSIM_SIM);
}

static int finish(struct sweep *sweep, enum gsim_status status, struct gsim_error *error)
{
    int stopped_by = sweep->job.stopped_by;
    bool is_leader = !sweep->remote.rank;
    gsim_store_close(sweep->store);
    if (sweep->is_held) gsim_stop_end(&sweep->stop);
    gsim_plan_release(&sweep->plan);
    gsim_requests_release(&sweep->requests);
    gsim_spec_release(&sweep->spec);
    gsim_arena_release(&sweep->arena);
    if (status && is_leader) return status;
    if (status) return gsim_cli_exit(error, gsim_status_exit(status)); /* rank 0 tells it */
    if (!stopped_by) return gsim_cli_exit(error, is_leader ? tell_whether_all_failed(sweep) : 0);
    fprintf(stderr, "gpusim: the same command with --resume goes on from here\n");
    return gsim_cli_exit(error, 128 + stopped_by);
}

int gsim_cli_sweep(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct sweep sweep = {.arguments = arguments};
    enum gsim_status status = join(&sweep, error);
    if (!status) status = run(&sweep, error);
    if (status) gsim_remote_give_up(&sweep.remote, error);
    bool is_stopped = sweep.job.stopped_by;
    int exit_status = finish(&sweep, status, error);
    /* Leaves the other ranks: at once when one of them is gone, or would wait for a message for ever. */
    const struct gsim_transport *transport = sweep.remote.transport;
    if (transport) transport->end(sweep.remote.has_lost || is_stopped, exit_status);
    return exit_status;
}
