/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). See cli/sweep/request.h. Running a point and its row: cli/sweep/row.c. */
#include "cli/sweep/request.h"
#include "ask/subject.h"

#include <unistd.h>

#include "gpusim/order.h"
#include "sim/device/search.h"
#include "cli/serving/serve.h"
#include "cli/sweep/row.h"
#include "cli/sweep/sharing.h"
#include "sim/base/text.h"

/* --- names --------------------------------------------------------------------------------------------------- */
/* Options that a point may set, some of programs alone, some of servers; all else is an --opt. */
enum users { ALL, PROGRAMS, SERVERS };
static const struct {
    const char *name;
    enum gsim_cli_key key;
    bool is_integer;
    enum users of;
} options[] = {
    {"workload", GSIM_CLI_WORKLOAD, false, ALL},      {"sched", GSIM_CLI_SCHED, false, PROGRAMS},
    {"device", GSIM_CLI_DEVICE, false, ALL},          {"suite", GSIM_CLI_SUITE, false, PROGRAMS},
    {"size", GSIM_CLI_SIZE, true, PROGRAMS},          {"iterations", GSIM_CLI_ITERATIONS, true, PROGRAMS},
    {"memory", GSIM_CLI_MEMORY, false, PROGRAMS},     {"prefetch", GSIM_CLI_PREFETCH, false, PROGRAMS},
    {"block1d", GSIM_CLI_BLOCK1D, true, PROGRAMS},    {"blocks", GSIM_CLI_BLOCKS, true, PROGRAMS},
    {"seed", GSIM_CLI_SEED, true, ALL},               {"noise", GSIM_CLI_NOISE, false, PROGRAMS},
    {"node", GSIM_CLI_NODE, false, ALL},              {"gpus", GSIM_CLI_GPUS, true, PROGRAMS},
    {"share", GSIM_CLI_SHARE, false, PROGRAMS},       {"place", GSIM_CLI_PLACE, false, PROGRAMS},
    {"ranks", GSIM_CLI_RANKS, true, PROGRAMS},        {"rate", GSIM_CLI_RATE, false, SERVERS},
    {"batching", GSIM_CLI_BATCHING, false, SERVERS},  {"prefill-beside", GSIM_CLI_BESIDE, false, SERVERS},
    {"replicas", GSIM_CLI_REPLICAS, true, SERVERS},   {"router", GSIM_CLI_ROUTER, false, SERVERS},
    {"requests", GSIM_CLI_REQUESTS, true, SERVERS},   {"arrivals", GSIM_CLI_ARRIVALS, false, SERVERS},
    {"within", GSIM_CLI_WITHIN, false, SERVERS},
};
#define CHECKED_VALUES 1000
#define BATCHINGS 64 /* at most */
#define GSIM_TASK_SCHEDULER "async" /* of tasks that do not say theirs */
#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

static size_t find_option(const char *name)
{
    size_t i = 0;
    while (i < OPTION_COUNT && strcmp(options[i].name, name) != 0) i++;
    return i;
}

bool gsim_request_is_option(enum gsim_cli_key key)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (options[i].key == key) return true;
    return false;
}

static const struct gsim_param *find_param(const char *name)
{
    const struct gsim_param *row = NULL;
#define FIND_AMONG(at)                                                                                                 \
    for (uint32_t i = 0; !row && at(i); i++) row = gsim_params_find(at(i)->params, name);
    FIND_AMONG(gsim_batching_at)
    FIND_AMONG(gsim_scheduler_at)
    FIND_AMONG(gsim_generator_at)
    FIND_AMONG(gsim_source_at)
    return row;
}

static enum gsim_status resolve(void *data, const char *name, const char **canonical, bool *is_integer,
                                struct gsim_error *error)
{
    struct gsim_nearest nearest;
    (void)data;
    *canonical = strcmp(name, "scheduler") == 0 ? "sched" : name;
    const char *key;
    *is_integer = false;
    if (gsim_request_task(name, &key)) return GSIM_OK; /* its key is checked with its value */
    size_t option = find_option(*canonical);
    const char *dot = strrchr(name, '.');
    const struct gsim_param *param = option == OPTION_COUNT ? find_param(dot ? dot + 1 : name) : NULL;
    if (gsim_request_way_of(name)) param = gsim_params_find(gsim_request_way_of(name)->params, dot + 1);
    *is_integer = option < OPTION_COUNT ? options[option].is_integer : param && param->type == GSIM_PARAM_INT;
    if (option < OPTION_COUNT || param) return GSIM_OK;
    if (dot) return gsim_cli_check_machine(name, error);
    gsim_nearest_init(&nearest, name);
    for (size_t i = 0; i < OPTION_COUNT; i++) gsim_nearest_offer(&nearest, options[i].name);
    if (gsim_device_number_find(name) != GSIM_DEVICE_NUMBER_COUNT)
        return gsim_refuse(error, "unknown name '%.60s', did you mean 'device.%.60s'?", name, name);
    return gsim_refuse(error,
                       "unknown name '%.60s'%s (an option of gpusim run, SCHED.PARAMETER, device.NUMBER or gpu.NAME)",
                       name, gsim_nearest_text(&nearest));
}

static const char *name_at(const char *kind, uint32_t index, const struct gsim_device_entries *devices)
{
    if (strcmp(kind, "workload") == 0) return gsim_workload_at(index) ? gsim_workload_at(index)->name : NULL;
    if (strcmp(kind, "sched") == 0) return gsim_scheduler_at(index) ? gsim_scheduler_at(index)->name : NULL;
    if (strcmp(kind, "share") == 0) return gsim_sharing_at(index) ? gsim_sharing_at(index)->name : NULL;
    if (strcmp(kind, "batching") == 0) { /* but for those that need steps of their own */
        for (uint32_t i = 0; gsim_batching_at(i); i++)
            if (!gsim_batching_at(i)->tokens && !index--) return gsim_batching_at(i)->name;
        return NULL;
    }
    return index < devices->count ? devices->entries[index].name : NULL;
}

static enum gsim_status expand(void *data, const char *name, const char *text, struct gsim_arena *arena,
                               const char *const **items, size_t *count, struct gsim_error *error)
{
    struct gsim_device_entries devices = {0};
    size_t found = 0;
    (void)data;
    *count = 0;
    if (strcmp(text, "all") != 0) return GSIM_OK;
    bool is_device = strcmp(name, "device") == 0;
    if (!is_device && strcmp(name, "workload") != 0 && strcmp(name, "sched") != 0 && strcmp(name, "share") != 0 &&
        strcmp(name, "batching") != 0)
        return GSIM_OK;
    enum gsim_status status = is_device ? gsim_device_list(&devices, error) : GSIM_OK;
    if (status != GSIM_OK) return status;
    while (name_at(name, (uint32_t)found, &devices)) found++;
    const char **list = GSIM_ARENA_ARRAY(arena, const char *, found + 1);
    for (size_t i = 0; list && i < found; i++) list[i] = gsim_arena_strdup(arena, name_at(name, (uint32_t)i, &devices));
    gsim_device_list_release(&devices);
    *items = list;
    *count = found;
    return GSIM_OK;
}

const struct gsim_spec_host gsim_request_host = {.resolve = resolve, .expand = expand};

/* --- what a sweep names ------------------------------------------------------------------------------------- */
static bool is_path(const char *text)
{
    return strchr(text, '/') || gsim_text_ends_with(text, ".json") || gsim_text_ends_with(text, ".json.gz") ||
           gsim_cli_is_shared_object(text);
}

static enum gsim_status hash_device(struct gsim_named *named, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    if (is_path(named->text)) return gsim_key_file(named->hash, named->text, error);
    const char *path = gsim_data_path(&arena, gsim_arena_printf(&arena, "models/%s.json", named->device.name));
    enum gsim_status status = path ? gsim_key_file(named->hash, path, error) : GSIM_OK;
    gsim_arena_release(&arena);
    return status;
}

static enum gsim_status add_named(struct gsim_requests *requests, const char *kind, const char *text,
                                  struct gsim_error *error)
{
    gsim_array_grow(&requests->named, sizeof(*requests->named), requests->named_count, &requests->named_capacity);
    struct gsim_named *named = &requests->named[requests->named_count++];
    *named = (struct gsim_named){.text = text};
    enum gsim_status status = GSIM_OK;
    if (strcmp(kind, "device") == 0) {
        status = gsim_device_load(text, &named->device, error);
        return status == GSIM_OK ? hash_device(named, error) : status;
    }
    if (strcmp(kind, "sched") == 0) {
        status = gsim_cli_scheduler(text, &named->scheduler, error);
        return !status && is_path(text) ? gsim_key_file(named->hash, text, error) : status;
    }
    enum gsim_subject_kind found = gsim_subject_kind_of(text);
    if (strcmp(text, "-") == 0)
        return gsim_refuse(error, "workload: a sweep reads its programs many times, standard input cannot be");
    if (found == GSIM_SUBJECT_UNKNOWN && !is_path(text) && access(text, F_OK) != 0)
        return gsim_cli_unknown_workload(text, error);
    const char *path = found == GSIM_SUBJECT_SERVICE ? gsim_subject_service_path(text, &requests->arena, error)
                       : gsim_subject_is_name(found) ? ""
                                                     : text;
    if (!path) return error->status;
    return *path ? gsim_key_file(named->hash, path, error) : GSIM_OK;
}

static const struct gsim_named *named_by(const struct gsim_requests *requests, const char *text)
{
    for (size_t i = 0; i < requests->named_count; i++)
        if (strcmp(requests->named[i].text, text) == 0) return &requests->named[i];
    GSIM_BUG("'%s' was not looked up", text);
}

/* A shared object is code: a spec file, which may come from anywhere, does not run its own unless it may. */
static enum gsim_status check_plugin(const struct gsim_requests *requests, const char *kind, const char *text,
                                     bool is_from_file, struct gsim_error *error)
{
    bool is_code = strcmp(kind, "sched") == 0 ? strchr(text, '/') != NULL
                                              : strcmp(kind, "workload") == 0 && gsim_cli_is_shared_object(text);
    if (!is_from_file || requests->allows_plugins || !is_code) return GSIM_OK;
    return gsim_refuse(error, "%s: '%.200s' is code that the spec file names: --allow-plugins runs it, if you trust it",
                       kind, text);
}

static enum gsim_status look_up(struct gsim_requests *requests, const char *kind, const char *initial,
                                struct gsim_error *error)
{
    struct gsim_axis axis;
    enum gsim_status status = GSIM_OK;
    bool given = false;
    for (size_t i = 0; gsim_spec_at(requests->spec, i, &axis); i++) {
        if (strcmp(axis.name, kind) != 0) continue;
        given = true;
        for (size_t j = 0; j < axis.count && status == GSIM_OK; j++) {
            status = check_plugin(requests, kind, axis.values[j].text, axis.is_from_file, error);
            if (status == GSIM_OK) status = add_named(requests, kind, axis.values[j].text, error);
        }
    }
    if (status != GSIM_OK || given) return status;
    if (initial) return add_named(requests, kind, initial, error);
    return gsim_refuse(error, "no %s: expected --%s NAME or --vary %s=NAME,...", kind, kind, kind);
}

/* A parameter must be one of some scheduler of the sweep, else it is a slip of the hand. */
static enum gsim_status check_parameters(const struct gsim_requests *requests, struct gsim_error *error)
{
    struct gsim_axis axis;
    struct gsim_scheduler_ops policies[BATCHINGS];
    const struct gsim_scheduler_ops **schedulers =
        gsim_alloc(sizeof(*schedulers) * (requests->named_count + BATCHINGS));
    size_t count = 0;
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; requests->has_servers && gsim_batching_at(i); i++) {
        policies[i] = gsim_cli_policy_view(gsim_batching_at(i));
        schedulers[count++] = &policies[i];
    }
    for (size_t i = 0; i < requests->named_count; i++)
        if (requests->named[i].scheduler) schedulers[count++] = requests->named[i].scheduler;
    for (size_t i = 0; status == GSIM_OK && gsim_spec_at(requests->spec, i, &axis); i++) {
        char text[200];
        const char *opt = text;
        const char *key;
        if (find_option(axis.name) < OPTION_COUNT || gsim_request_task(axis.name, &key) ||
            (requests->has_tasks && gsim_request_way_of(axis.name)))
            continue;
        snprintf(text, sizeof(text), "%s=%s", axis.name, axis.values[0].text);
        struct gsim_cli_arguments arguments = {.opts = &opt, .opt_count = 1};
        status = gsim_cli_check_opts(&arguments, schedulers, count, error);
    }
    gsim_free(schedulers);
    return status;
}

/* A size is a number or a preset of one of the workloads; program files have none. */
static enum gsim_status check_size(const struct gsim_requests *requests, const char *text, struct gsim_error *error)
{
    double number;
    struct gsim_nearest nearest;
    bool is_number = gsim_text_quantity(text, &number);
    gsim_nearest_init(&nearest, text);
    for (size_t i = 0; i < requests->named_count && !is_number; i++) {
        const struct gsim_workload_ops *workload = gsim_workload_find(requests->named[i].text);
        for (const struct gsim_workload_preset *p = workload ? workload->presets : NULL; p && p->name; p++) {
            if (strcmp(p->name, text) == 0) return GSIM_OK;
            gsim_nearest_offer(&nearest, p->name);
        }
    }
    if (is_number) return GSIM_OK;
    return gsim_refuse(error,
                       "size: expected a number such as 1e6 or 4k, a range or a preset of a workload, found '%.60s'%s",
                       text, gsim_nearest_text(&nearest));
}

/* Would a run take this value? Told now rather than by every point. */
static enum gsim_status check_value(const struct gsim_requests *requests, const char *name, const char *text,
                                    struct gsim_error *error)
{
    char pair[300];
    const char *opt = pair;
    struct gsim_cli_setup setup;
    struct gsim_cli_arguments arguments = {.command = GSIM_CLI_SWEEP};
    size_t option = find_option(name);
    const char *task_key;
    if (gsim_request_task(name, &task_key) || strcmp(name, "share") == 0)
        return gsim_request_check_task(name, text, error);
    for (size_t i = 0; i < requests->named_count && !arguments.device; i++)
        if (requests->named[i].device.name) arguments.device = &requests->named[i].device;
    enum gsim_cli_key key = option < OPTION_COUNT ? options[option].key : GSIM_CLI_OPT;
    if (key == GSIM_CLI_WORKLOAD || key == GSIM_CLI_SCHED || key == GSIM_CLI_DEVICE || key == GSIM_CLI_NOISE ||
        (option < OPTION_COUNT && options[option].of == SERVERS))
        return GSIM_OK; /* looked up already, or told by the first point */
    if (key == GSIM_CLI_SIZE) return check_size(requests, text, error);
    if (key != GSIM_CLI_OPT) {
        arguments.value[key] = text;
    } else {
        snprintf(pair, sizeof(pair), "%.140s=%.140s", name, text);
        arguments.opts = &opt;
        arguments.opt_count = 1;
    }
    enum gsim_status status = gsim_cli_setup_init(&setup, &arguments, error);
    setup.until_steady = true;
    if (status == GSIM_OK) gsim_cli_setup_release(&setup);
    return status;
}

/* Of long axes the first values; where conditions may leave points out, only what all points share. */
static enum gsim_status check_values(const struct gsim_requests *requests, struct gsim_error *error)
{
    const struct gsim_spec *spec = requests->spec;
    struct gsim_axis axis;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; gsim_spec_at(spec, i, &axis) && !(i >= spec->fixed_count && spec->condition_count); i++)
        for (size_t j = 0; j < axis.count && j < CHECKED_VALUES && status == GSIM_OK; j++)
            status = check_value(requests, axis.name, axis.values[j].text, error);
    return status;
}

/* The programs of all tasks that the sweep names. */
static enum gsim_status look_up_tasks(struct gsim_requests *requests, struct gsim_error *error)
{
    struct gsim_axis axis;
    const char *key;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; gsim_spec_at(requests->spec, i, &axis); i++) {
        if (!gsim_request_task(axis.name, &key) || key) continue;
        for (size_t j = 0; j < axis.count && status == GSIM_OK; j++) {
            const char *program = gsim_request_task_program(&requests->arena, axis.values[j].text);
            status = check_plugin(requests, "workload", program, axis.is_from_file, error);
            if (status == GSIM_OK) status = add_named(requests, "workload", program, error);
        }
    }
    return status == GSIM_OK ? look_up(requests, "sched", GSIM_TASK_SCHEDULER, error) : status;
}

/* Workload or tasks; workloads are servers, or none is one; options are theirs. */
static enum gsim_status check_kind(struct gsim_requests *requests, struct gsim_error *error)
{
    static const char *const apart[] = {"workload", "iterations", "ranks"}, *const alone[] = {"gpus", "place"};
    const struct gsim_spec *spec = requests->spec;
    bool has_ranks = false, has_programs = false;
    struct gsim_axis axis;
    for (size_t i = 0; gsim_spec_at(spec, i, &axis); i++) {
        const char *name = axis.name;
        bool are_ranks = strcmp(name, "ranks") == 0, are_workloads = strcmp(name, "workload") == 0;
        for (size_t a = 0; a < sizeof apart / sizeof apart[0] && requests->has_tasks; a++)
            if (strcmp(name, apart[a]) == 0) return gsim_refuse(error, "--%s: does not go with --task", name);
        has_ranks |= are_ranks;
        for (size_t j = 0; j < axis.count; j++) {
            const char *text = axis.values[j].text;
            if (are_ranks && !axis.values[j].is_number)
                return gsim_refuse(error, "ranks: expected numbers of ranks, found '%.60s'", text);
            bool is_server = are_workloads && gsim_subject_kind_of(text) == GSIM_SUBJECT_SERVER;
            requests->has_servers |= is_server;
            has_programs |= are_workloads && !is_server;
        }
        if (!requests->has_tasks && strcmp(name, "share") == 0)
            return gsim_refuse(error, "--share: expected --task PROGRAM with it, once or more");
    }
    if (requests->has_servers && has_programs)
        return gsim_refuse(error, "workload: expected servers or programs, found both");
    for (size_t i = 0; gsim_spec_at(spec, i, &axis); i++) {
        size_t option = find_option(axis.name);
        for (size_t a = 0; has_ranks && a < sizeof alone / sizeof alone[0]; a++)
            if (strcmp(axis.name, alone[a]) == 0)
                return gsim_refuse(error, "--%s: each rank has a GPU of its own", axis.name);
        if (option < OPTION_COUNT && options[option].of == (requests->has_servers ? PROGRAMS : SERVERS))
            return gsim_refuse(error, "--%s: applies to %s", axis.name,
                               requests->has_servers ? "programs, not to a server" : "servers, not to a program");
    }
    return GSIM_OK;
}

enum gsim_status gsim_requests_init(struct gsim_requests *requests, const struct gsim_spec *spec, bool allows_plugins,
                                    struct gsim_error *error)
{
    *requests = (struct gsim_requests){
        .spec = spec, .allows_plugins = allows_plugins, .setting_count = spec->fixed_count + spec->axis_count};
    requests->has_tasks = gsim_request_has_tasks(spec);
    enum gsim_status status = check_kind(requests, error);
    if (!status && requests->has_tasks) status = look_up_tasks(requests, error);
    else if (!status) status = look_up(requests, "workload", NULL, error);
    if (!status && !requests->has_tasks)
        status = look_up(requests, "sched", requests->has_servers ? GSIM_TASK_SCHEDULER : NULL, error);
    if (status == GSIM_OK) status = look_up(requests, "device", GSIM_DEVICE_DEFAULT, error);
    if (status == GSIM_OK) status = check_parameters(requests, error);
    if (status == GSIM_OK) status = check_values(requests, error);
    if (status != GSIM_OK) gsim_requests_release(requests);
    return status;
}

void gsim_requests_release(struct gsim_requests *requests)
{
    for (size_t i = 0; i < requests->named_count; i++) gsim_device_release(&requests->named[i].device);
    gsim_free(requests->named);
    gsim_arena_release(&requests->arena);
    *requests = (struct gsim_requests){0};
}

/* --- one point -------------------------------------------------------------------------------------------------- */
/* Whether the setting means something under this scheduler or BATCHING policy ("": a server's own), and of this
 * workload. */
static bool applies(const char *name, const struct gsim_scheduler_ops *scheduler, const char *workload,
                    const char *share, const char *batching)
{
    static const char *const machine[] = {"gpu", "device", "rule"};
    const char *dot = strrchr(name, '.'), *key;
    if (find_option(name) < OPTION_COUNT || gsim_request_task(name, &key)) return true;
    if (share && gsim_request_way_of(name) && strcmp(gsim_request_way_of(name)->name, share) == 0) return true;
    if (!dot) return batching || gsim_params_find(scheduler->params, name) != NULL;
    size_t length = (size_t)(dot - name);
    for (uint32_t i = 0; batching && gsim_batching_at(i); i++) {
        const char *policy = gsim_batching_at(i)->name;
        if (strlen(policy) == length && strncmp(policy, name, length) == 0)
            return !*batching || strcmp(batching, policy) == 0;
    }
    for (size_t i = 0; i < sizeof(machine) / sizeof(machine[0]); i++)
        if (strlen(machine[i]) == length && strncmp(name, machine[i], length) == 0) return true;
    if (strlen(workload) == length && strncmp(name, workload, length) == 0)
        return true; /* a number of a generator or a source */
    return strlen(scheduler->name) == length && strncmp(scheduler->name, name, length) == 0;
}

GSIM_ORDER(by_name, struct gsim_point_setting, GSIM_TEXT(name))

void gsim_request_make(const struct gsim_requests *requests, uint64_t item, struct gsim_arena *arena,
                       struct gsim_request *request)
{
    const struct gsim_spec *spec = requests->spec;
    struct gsim_setting *values = GSIM_ARENA_ARRAY(arena, struct gsim_setting, spec->axis_count);
    *request = (struct gsim_request){
        .requests = requests, .settings = GSIM_ARENA_ARRAY(arena, struct gsim_point_setting, requests->setting_count)};
    gsim_spec_point(spec, item, values, &request->repeat);
    const char *share = requests->has_tasks ? "exclusive" : NULL, *batching = requests->has_servers ? "" : NULL;
    for (int pass = 0; pass < 2; pass++) { /* the scheduler first: it decides what applies */
        if (pass && !request->scheduler) request->scheduler = named_by(requests, GSIM_TASK_SCHEDULER);
        for (size_t i = 0; i < requests->setting_count; i++) {
            bool is_axis = i >= spec->fixed_count;
            const struct gsim_setting *setting = is_axis ? &values[i - spec->fixed_count] : &spec->fixed[i];
            const char *text = setting->value.text;
            if (!pass) {
                if (strcmp(setting->name, "sched") == 0) request->scheduler = named_by(requests, text);
                if (strcmp(setting->name, "share") == 0) share = text;
                if (strcmp(setting->name, "batching") == 0) batching = text;
                if (strcmp(setting->name, "device") == 0) request->device = named_by(requests, text);
                if (strcmp(setting->name, "workload") == 0) request->workload = named_by(requests, text);
            } else if (applies(setting->name, request->scheduler->scheduler,
                               request->workload ? request->workload->text : "", share, batching)) {
                request->settings[request->setting_count++] =
                    (struct gsim_point_setting){setting->name, setting->value, is_axis};
            }
        }
    }
    if (!request->device) request->device = named_by(requests, GSIM_DEVICE_DEFAULT);
}

enum gsim_cli_key gsim_request_option(const char *name)
{
    size_t i = find_option(name);
    return i < OPTION_COUNT ? options[i].key : GSIM_CLI_KEY_COUNT;
}

/* What says no more than its absence would; workload, scheduler and device are in the key anyway. */
static bool is_default(const struct gsim_point_setting *setting)
{
    static const char *const defaults[][2] = {
        {"memory", "managed"}, {"prefetch", "on"}, {"seed", "1"}, {"noise", "off"}};
    if (strcmp(setting->name, "workload") == 0 || strcmp(setting->name, "sched") == 0 ||
        strcmp(setting->name, "device") == 0)
        return true;
    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
        if (strcmp(setting->name, defaults[i][0]) == 0 && strcmp(setting->value.text, defaults[i][1]) == 0) return true;
    return false;
}

/* Everything that the result depends on, in the order of names. */
static void add_named_text(struct gsim_bytes *text, const struct gsim_named *named)
{
    if (!named) return;
    gsim_bytes_add(text, named->text, strlen(named->text));
    gsim_bytes_add(text, "\n", 1);
    gsim_bytes_add(text, named->hash, strlen(named->hash));
    gsim_bytes_add(text, "\n", 1);
}

void gsim_request_key_of(const struct gsim_request *request, struct gsim_arena *arena, char key[GSIM_KEY_SIZE])
{
    struct gsim_bytes text = {0};
    char line[400];
    size_t count = request->setting_count;
    struct gsim_point_setting *sorted = GSIM_ARENA_ARRAY(arena, struct gsim_point_setting, count + 1);
    memcpy(sorted, request->settings, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), by_name);
    int length = snprintf(line, sizeof(line), "gpusim %s\nmodel %s\nrepeat %u\n", GPUSIM_VERSION, gsim_model_hash(),
                          request->repeat);
    gsim_bytes_add(&text, line, (size_t)length);
    const struct gsim_named *named[] = {request->workload, request->scheduler, request->device};
    for (int i = 0; i < 3; i++) add_named_text(&text, named[i]);
    for (size_t i = 0; i < count; i++) {
        const char *task_key;
        if (is_default(&sorted[i])) continue;
        if (gsim_request_task(sorted[i].name, &task_key) && !task_key) {
            const char *program = gsim_request_task_program(arena, sorted[i].value.text);
            add_named_text(&text, program ? named_by(request->requests, program) : NULL);
        }
        gsim_bytes_add(&text, sorted[i].name, strlen(sorted[i].name));
        length = sorted[i].value.is_number ? snprintf(line, sizeof(line), "=%.15g\n", sorted[i].value.number)
                                           : snprintf(line, sizeof(line), "=%.390s\n", sorted[i].value.text);
        gsim_bytes_add(&text, line, (size_t)length);
    }
    gsim_bytes_add(&text, "", 1);
    gsim_key_text(key, text.data);
    gsim_bytes_release(&text);
}

void gsim_request_key(void *data, uint64_t item, char key[GSIM_KEY_SIZE])
{
    struct gsim_arena arena = {0};
    struct gsim_request request;
    gsim_request_make(data, item, &arena, &request);
    gsim_request_key_of(&request, &arena, key);
    gsim_arena_release(&arena);
}

const char *gsim_request_describe(const struct gsim_requests *requests, uint64_t item, char *text, size_t size)
{
    struct gsim_arena arena = {0};
    struct gsim_request request;
    size_t length = 0;
    text[0] = '\0';
    gsim_request_make(requests, item, &arena, &request);
    for (size_t i = 0; i < request.setting_count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s=%s", i ? " " : "", request.settings[i].name,
                                   request.settings[i].value.text);
    gsim_arena_release(&arena);
    return gsim_text_clean(text);
}

const char *gsim_requests_scheduler_name(const struct gsim_requests *requests, const struct gsim_named *named)
{
    const char *name = named->scheduler ? named->scheduler->name : named->text;
    for (size_t i = 0; i < requests->named_count; i++) {
        const struct gsim_named *other = &requests->named[i];
        if (other != named && other->scheduler && other->scheduler != named->scheduler &&
            strcmp(other->scheduler->name, name) == 0)
            return named->text;
    }
    return name;
}
