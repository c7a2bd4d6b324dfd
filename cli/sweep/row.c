/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). Runs one point of a sweep and makes its row: columns of sweep/columns.def. */
#include "cli/sweep/row.h"
#include "cli/ranks/ranks.h"
#include "cli/serving/serve.h"
#include "cli/sweep/sharing.h"

#include <cjson/cJSON.h>

#include "sweep/wire.h"

/* Points of a sweep may run for hours on a cluster before anybody looks: a row says all it can. */
struct maker {
    const struct gsim_requests *requests;
    struct gsim_arena arena;
    struct gsim_request request;
    struct gsim_row row;
    struct gsim_cli_arguments arguments;
    uint64_t seed;
};

static void put_text(struct maker *maker, enum gsim_column column, const char *text)
{
    maker->row.cells[column] = gsim_cell_text(text);
}

static void put_integer(struct maker *maker, enum gsim_column column, uint64_t value)
{
    maker->row.cells[column] = gsim_cell_integer((int64_t)value);
}

static void put_real(struct maker *maker, enum gsim_column column, double value)
{
    maker->row.cells[column] = gsim_cell_real(value);
}

static void put_time(struct maker *maker, enum gsim_column column, gsim_time time)
{
    put_real(maker, column, gsim_time_us(time));
}

/* Prints JSON into the arena and deletes it. */
static void put_json(struct maker *maker, enum gsim_column column, cJSON *json)
{
    char *text = cJSON_PrintUnformatted(json);
    put_text(maker, column, gsim_arena_strdup(&maker->arena, text));
    cJSON_free(text);
    cJSON_Delete(json);
}

/* --- what can be said before it runs --------------------------------------------------------------------------- */
/* The settings as the words of a command line. */
static enum gsim_status make_arguments(struct maker *maker, struct gsim_error *error)
{
    struct gsim_cli_arguments *arguments = &maker->arguments;
    const struct gsim_request *request = &maker->request;
    arguments->opts = GSIM_ARENA_ARRAY(&maker->arena, const char *, request->setting_count);
    maker->seed = 1;
    for (size_t i = 0; arguments->opts && i < request->setting_count; i++) {
        const struct gsim_point_setting *setting = &request->settings[i];
        enum gsim_cli_key key = gsim_request_option(setting->name);
        const char *task_key;
        if (gsim_request_task(setting->name, &task_key)) continue;
        if (key < GSIM_CLI_KEY_COUNT)
            arguments->value[key] = setting->value.text;
        else
            arguments->opts[arguments->opt_count++] =
                gsim_arena_printf(&maker->arena, "%s=%s", setting->name, setting->value.text);
    }
    if (!maker->requests->has_servers) arguments->device = &request->device->device;
    if (maker->requests->has_tasks) {
        const char *programs = NULL;
        arguments->command = GSIM_CLI_COMPARE;
        arguments->value[GSIM_CLI_SCHED] = request->scheduler->text;
        enum gsim_status status = gsim_request_task_words(request, &maker->arena, arguments, &programs, error);
        if (status != GSIM_OK) return status;
        put_text(maker, GSIM_COLUMN_workload, programs);
        put_text(maker, GSIM_COLUMN_share,
                 arguments->value[GSIM_CLI_SHARE] ? arguments->value[GSIM_CLI_SHARE] : "exclusive");
    }
    return GSIM_OK;
}

static enum gsim_status begin(struct maker *maker, const struct gsim_requests *requests, uint64_t item,
                              struct gsim_error *error)
{
    char key[GSIM_KEY_SIZE];
    *maker = (struct maker){.requests = requests};
    gsim_request_make(requests, item, &maker->arena, &maker->request);
    gsim_request_key_of(&maker->request, &maker->arena, key);
    put_text(maker, GSIM_COLUMN_key, gsim_arena_strdup(&maker->arena, key));
    put_integer(maker, GSIM_COLUMN_sweep, (uint64_t)requests->sweep_id);
    put_integer(maker, GSIM_COLUMN_position, item);
    if (maker->request.workload) put_text(maker, GSIM_COLUMN_workload, maker->request.workload->text);
    put_text(maker, GSIM_COLUMN_scheduler, gsim_requests_scheduler_name(requests, maker->request.scheduler));
    put_text(maker, GSIM_COLUMN_device, maker->request.device->text);
    put_integer(maker, GSIM_COLUMN_repeat, maker->request.repeat);
    put_text(maker, GSIM_COLUMN_noise, "off");
    put_text(maker, GSIM_COLUMN_version, GPUSIM_VERSION);
    put_text(maker, GSIM_COLUMN_model, gsim_model_hash());
    cJSON *axes = cJSON_CreateObject();
    for (size_t i = 0; axes && i < maker->request.setting_count; i++) {
        const struct gsim_point_setting *setting = &maker->request.settings[i];
        if (!setting->is_axis) continue;
        if (setting->value.is_number) cJSON_AddNumberToObject(axes, setting->name, setting->value.number);
        else cJSON_AddStringToObject(axes, setting->name, setting->value.text);
    }
    put_json(maker, GSIM_COLUMN_axes, axes);
    cJSON *inputs = cJSON_CreateObject();
    const struct gsim_named *named[] = {maker->request.workload, maker->request.scheduler, maker->request.device};
    static const char *const kinds[] = {"workload", "scheduler", "device"};
    for (int i = 0; inputs && i < 3; i++)
        if (named[i] && named[i]->hash[0]) cJSON_AddStringToObject(inputs, kinds[i], named[i]->hash);
    put_json(maker, GSIM_COLUMN_inputs, inputs);
    return make_arguments(maker, error);
}

/* --- what the run says ------------------------------------------------------------------------------------------ */
static void put_options(struct maker *maker, const struct gsim_cli_point *point)
{
    cJSON *options = cJSON_CreateObject();
    for (size_t i = 0; i < point->option_count; i++) {
        const char *name = point->options[i].name, *value = point->options[i].value;
        char *end;
        double number = strtod(value, &end);
        bool is_number = *value && !*end;
        if (options && is_number)
            cJSON_AddNumberToObject(options, name, number);
        else if (options)
            cJSON_AddStringToObject(options, name, value);
        enum gsim_column column = gsim_column_find(name);
        if (column == GSIM_COLUMN_COUNT) continue;
        if (gsim_column_type(column) == GSIM_CELL_TEXT)
            put_text(maker, column, gsim_arena_strdup(&maker->arena, value));
        else if (is_number && gsim_column_type(column) == GSIM_CELL_REAL)
            put_real(maker, column, number);
        else if (is_number)
            put_integer(maker, column, gsim_whole_u64(number));
    }
    put_json(maker, GSIM_COLUMN_options, options);
}

/* Times of iterations and what is the device's are of the whole run; sums and bounds are of the iteration of median
 * length. */
static void put_iterations(struct maker *maker, const struct gsim_timeline *timeline,
                           const struct gsim_metrics *metrics)
{
    put_time(maker, GSIM_COLUMN_iteration_us, metrics->iteration_median);
    put_time(maker, GSIM_COLUMN_iteration_min_us, metrics->iteration_min);
    put_time(maker, GSIM_COLUMN_iteration_max_us, metrics->iteration_max);
    put_time(maker, GSIM_COLUMN_makespan_us, metrics->makespan);
    put_integer(maker, GSIM_COLUMN_iterations_run, timeline->iteration_count);
}

static void put_figures(struct maker *maker, const struct gsim_timeline *timeline, const struct gsim_metrics *metrics,
                        const struct gsim_cli_point *point)
{
    const struct gsim_metrics *iteration = &point->iteration;
    put_iterations(maker, timeline, metrics);
    if (timeline->iteration_count) {
        put_integer(maker, GSIM_COLUMN_streams_used, timeline->iterations[0].streams_used);
        put_integer(maker, GSIM_COLUMN_events_recorded, timeline->iterations[0].events_recorded);
        put_integer(maker, GSIM_COLUMN_stream_waits, timeline->iterations[0].stream_waits);
    }
    put_real(maker, GSIM_COLUMN_sm_busy_ratio, metrics->sm_busy_ratio);
    put_real(maker, GSIM_COLUMN_achieved_occupancy, metrics->achieved_occupancy);
    put_real(maker, GSIM_COLUMN_overlap_ct, metrics->overlap.compute_transfer);
    put_real(maker, GSIM_COLUMN_overlap_tc, metrics->overlap.transfer_compute);
    put_real(maker, GSIM_COLUMN_overlap_cc, metrics->overlap.compute_compute);
    put_real(maker, GSIM_COLUMN_overlap_total, metrics->overlap.total);
    put_integer(maker, GSIM_COLUMN_kernels, point->iteration_kernels);
    put_integer(maker, GSIM_COLUMN_h2d_bytes, iteration->h2d_bytes);
    put_integer(maker, GSIM_COLUMN_d2h_bytes, iteration->d2h_bytes);
    put_integer(maker, GSIM_COLUMN_d2d_bytes, iteration->d2d_bytes);
    put_time(maker, GSIM_COLUMN_kernel_time_us, iteration->kernel_time);
    put_time(maker, GSIM_COLUMN_transfer_time_us, iteration->transfer_time);
    put_time(maker, GSIM_COLUMN_device_busy_us, iteration->device_busy);
    put_time(maker, GSIM_COLUMN_host_busy_us, iteration->host_busy);
    put_time(maker, GSIM_COLUMN_host_waited_us, iteration->host_waited);
    put_time(maker, GSIM_COLUMN_critical_path_us, iteration->critical_path);
    put_time(maker, GSIM_COLUMN_lower_bound_us, iteration->lower_bound);
    put_text(maker, GSIM_COLUMN_lower_bound_reason, iteration->lower_bound_reason);
}

/* Ranks: what all of them take together. */
static enum gsim_status run_ranks(struct maker *maker, struct gsim_error *error)
{
    struct gsim_cli_ranks ranks;
    struct gsim_timeline timeline = {0};
    struct gsim_metrics m;
    maker->arguments.value[GSIM_CLI_SCHED] = maker->request.scheduler->text;
    maker->arguments.command = GSIM_CLI_COMPARE; /* the schedulers' numbers are checked */
    enum gsim_status status =
        gsim_cli_ranks_init(&ranks, &maker->arguments, maker->arguments.value[GSIM_CLI_RANKS],
                            maker->request.workload->text, error);
    if (!status) put_options(maker, &ranks.points[0]);
    if (!status) status = gsim_cli_ranks_time(&ranks, maker->request.repeat, &timeline, &m, error);
    if (!status) {
        put_integer(maker, GSIM_COLUMN_seed, ranks.setup.seed + maker->request.repeat);
        put_text(maker, GSIM_COLUMN_noise, ranks.setup.noise ? "on" : "off");
        put_text(maker, GSIM_COLUMN_device, gsim_arena_strdup(&maker->arena, ranks.setup.device.name));
        put_iterations(maker, &timeline, &m);
        if (timeline.iteration_count)
            put_integer(maker, GSIM_COLUMN_kernels, timeline.kernel_count / timeline.iteration_count);
    }
    gsim_timeline_release(&timeline);
    gsim_cli_ranks_release(&ranks);
    return status;
}

/* A server: a time is a request's, from its arrival to its last token, on average. */
static enum gsim_status run_server(struct maker *maker, struct gsim_error *error)
{
    struct gsim_served_point point;
    maker->arguments.command = GSIM_CLI_SERVE;
    enum gsim_status status = gsim_cli_serve_point(&maker->arguments, maker->request.workload->text,
                                                   maker->request.repeat, &point, error);
    if (status) return status;
    cJSON *json = cJSON_CreateObject(), *figures = cJSON_AddObjectToObject(json, "requests");
    for (size_t c = 0; c < GSIM_SERVE_COLUMNS; c++)
        if (isfinite(point.figures[c])) cJSON_AddNumberToObject(figures, gsim_serve_name(c), point.figures[c]);
    put_json(maker, GSIM_COLUMN_tasks, json);
    put_integer(maker, GSIM_COLUMN_seed, point.seed);
    put_text(maker, GSIM_COLUMN_device, gsim_arena_strdup(&maker->arena, point.device));
    put_text(maker, GSIM_COLUMN_scheduler, gsim_arena_strdup(&maker->arena, point.policy));
    put_real(maker, GSIM_COLUMN_iteration_us, point.mean_us);
    put_real(maker, GSIM_COLUMN_makespan_us, point.makespan_us);
    return GSIM_OK;
}

static enum gsim_status run(struct maker *maker, struct gsim_error *error)
{
    if (maker->requests->has_servers) return run_server(maker, error);
    if (maker->arguments.value[GSIM_CLI_RANKS]) return run_ranks(maker, error);
    struct gsim_cli_setup setup = {0};
    struct gsim_cli_point point = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_metrics metrics;
    enum gsim_status status = gsim_cli_setup_init(&setup, &maker->arguments, error);
    setup.until_steady = true;
    if (status != GSIM_OK) return status;
    setup.seed += maker->request.repeat;
    put_text(maker, GSIM_COLUMN_noise, setup.noise ? "on" : "off");
    put_integer(maker, GSIM_COLUMN_seed, setup.seed);
    if (maker->requests->has_tasks) {
        /* Several tasks: the figures are theirs. */
        struct gsim_request_sharing result;
        status = gsim_request_share(&setup, &maker->arena, &result, error);
        if (status == GSIM_OK) put_text(maker, GSIM_COLUMN_tasks, result.tasks);
        if (status == GSIM_OK) put_real(maker, GSIM_COLUMN_fairness, result.fairness);
        if (status == GSIM_OK) put_real(maker, GSIM_COLUMN_makespan_us, result.makespan_us);
        gsim_cli_setup_release(&setup);
        return status;
    }
    status =
        gsim_cli_point_init(&point, &setup, maker->request.workload->text, maker->request.scheduler->scheduler, error);
    if (status == GSIM_OK && setup.places_best) status = gsim_cli_best_place(&point, false, error);
    if (status == GSIM_OK) {
        put_options(maker, &point);
        status = gsim_cli_point_run(&point, true, &timeline, &metrics, error);
        if (status == GSIM_OK) put_figures(maker, &timeline, &metrics, &point);
    }
    gsim_timeline_release(&timeline);
    gsim_cli_point_release(&point);
    gsim_cli_setup_release(&setup);
    return status;
}

/* Hands over the row. */
static void finish(struct maker *maker, const char *status, const char *message, struct gsim_bytes *outcome)
{
    put_text(maker, GSIM_COLUMN_status, status);
    put_text(maker, GSIM_COLUMN_error, message);
    gsim_row_pack(&maker->row, outcome);
    gsim_arena_release(&maker->arena);
}

void gsim_request_run(void *data, uint64_t item, struct gsim_bytes *outcome)
{
    struct maker maker;
    struct gsim_error error = {0};
    enum gsim_status status = begin(&maker, data, item, &error);
    if (status == GSIM_OK) status = run(&maker, &error);
    finish(&maker, status == GSIM_OK ? "ok" : "failed", status == GSIM_OK ? NULL : error.message, outcome);
}

void gsim_request_fail(void *data, uint64_t item, enum gsim_item_end end, const char *message,
                       struct gsim_bytes *outcome)
{
    struct maker maker;
    struct gsim_error error = {0};
    if (begin(&maker, data, item, &error) != GSIM_OK) message = error.message;
    finish(&maker, end == GSIM_ITEM_TIMEOUT ? "timeout" : "crashed", message, outcome);
}
