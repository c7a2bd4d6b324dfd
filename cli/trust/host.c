/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cli/trust/host.h. */
#include "cli/trust/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trust/calibrate_traces.h"
#include "sim/base/json.h"
#include "gpusim/order.h"
#include "sim/base/output.h"
#include "sim/base/text.h"
#include "sim/device/match.h"
#include "sim/device/numbers.h"
#include "sim/device/other.h"
#include "sim/device/search.h"

#define SCHEMA "gpusim-host/1"
#define BASE   "h200" /* how deep the launch queue is */

static const struct {
    const char *name;
    enum gsim_device_number number;
    enum gsim_profile_quantity quantity;
} rows[] = {
#define X(number, quantity) {#number, GSIM_DEV_##number, GSIM_PROFILE_##quantity},
    GSIM_CLI_CALL_MAP(X)
#undef X
};

/* --- what a trace tells --- */
GSIM_ORDER_OF(compare, double)

static enum gsim_status time_calls(struct gsim_cli_calls *calls, const char *path, struct gsim_import_notes *notes,
                                   struct gsim_error *error)
{
    struct gsim_profile_samples samples = {0};
    struct gsim_device_spec base = {0};
    *calls = (struct gsim_cli_calls){0};
    enum gsim_status status = gsim_device_load(BASE, &base, error);
    if (!status) status = gsim_cli_trace_sample(&samples, path, &base, notes, error);
    double *values = gsim_alloc(sizeof *values * (samples.count + 1));
    for (int row = 0; row < GSIM_CLI_CALLS && !status; row++) {
        size_t count = 0;
        for (size_t i = 0; i < samples.count; i++)
            if (samples.samples[i].quantity == rows[row].quantity) values[count++] = samples.samples[i].value;
        qsort(values, count, sizeof *values, compare);
        calls->count[row] = count;
        calls->us[row] = count ? (values[(count - 1) / 2] + values[count / 2]) / 2 : NAN;
    }
    calls->is_profiled = !notes->is_simulated;
    gsim_free(values);
    gsim_profile_samples_release(&samples);
    gsim_device_release(&base);
    return status;
}

/* --- a host's file --- */
static const char *find_file(const char *name, struct gsim_arena *arena)
{
    if (strchr(name, '/') || gsim_text_ends_with(name, ".json")) return name;
    return gsim_data_path(arena, gsim_arena_printf(arena, "models/hosts/%s.json", name));
}

static enum gsim_status read_calls(const cJSON *json, struct gsim_cli_calls *calls, struct gsim_error *error)
{
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(json, "calls");
    const char *names[GSIM_CLI_CALLS + 1] = {0};
    for (int i = 0; i < GSIM_CLI_CALLS; i++) names[i] = rows[i].name;
    if (!object)
        return gsim_error_set(error, GSIM_INPUT, "it does not say what calls take (\"calls\"): gpusim calibrate "
                                                 "--host TRACE writes it, and a device's name says it, too");
    enum gsim_status status = gsim_json_check_keys(object, "calls", names, error);
    for (int i = 0; i < GSIM_CLI_CALLS && !status; i++) {
        calls->us[i] = NAN;
        if (cJSON_GetObjectItemCaseSensitive(object, rows[i].name))
            status = gsim_json_read_number(object, "calls", rows[i].name, 0, 1e6, NAN, &calls->us[i], error);
    }
    if (!status && !(calls->us[0] > 0))
        status = gsim_error_set(error, GSIM_INPUT, "calls.launch_us: expected a time above 0");
    calls->is_profiled = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "profiled"));
    return status;
}

/* False: it is a device's. */
static enum gsim_status read_host(const char *name, struct gsim_cli_calls *calls, bool *is_file,
                                  struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    const char *path = find_file(name, &arena);
    cJSON *json = path ? gsim_json_read(path, error) : NULL;
    enum gsim_status status = path && !json ? error->status : GSIM_OK;
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(json, "schema");
    *is_file = cJSON_IsString(schema) && strcmp(schema->valuestring, SCHEMA) == 0;
    if (*is_file) status = read_calls(json, calls, error);
    bool is_named_device = *is_file && !strchr(name, '/') && !cJSON_GetObjectItemCaseSensitive(json, "calls");
    if (is_named_device) { /* models/hosts has a server's of that name, and models a device */
        *is_file = false;
        *error = (struct gsim_error){0};
        status = GSIM_OK;
    }
    gsim_json_release(json);
    gsim_arena_release(&arena);
    return status;
}

/* --- on a trace --- */
static enum gsim_status use_device(const char *name, struct gsim_device_spec *device, double *factor,
                                   struct gsim_error *error)
{
    struct gsim_device_spec host = {0};
    if (gsim_device_load(name, &host, error)) return error->status;
    *factor = host.launch_us / device->launch_us;
    double call_gap_us = device->call_gap_us; /* the trace tells when calls were made */
    gsim_other_host(device, &host);
    device->call_gap_us = call_gap_us;
    gsim_device_release(&host);
    return GSIM_OK;
}

static enum gsim_status use_file(const struct gsim_cli_calls *calls, const char *path,
                                 struct gsim_device_spec *device, double *factor, struct gsim_error *error)
{
    struct gsim_cli_calls own;
    struct gsim_import_notes notes = {0};
    if (calls->is_profiled) { /* like with like: what the profiler adds is in both */
        if (time_calls(&own, path, &notes, error)) return error->status;
        if (!(own.us[0] > 0))
            return gsim_error_set(error, GSIM_INPUT, "'%s' has no launch call whose time tells its host's", path);
        *factor = calls->us[0] / own.us[0];
        gsim_other_slow_host(device, *factor);
        return GSIM_OK;
    }
    *factor = calls->us[0] / device->launch_us;
    for (int i = 0; i < GSIM_CLI_CALLS; i++)
        if (calls->us[i] >= 0) *gsim_device_number(device, rows[i].number) = calls->us[i];
    return GSIM_OK;
}

enum gsim_status gsim_cli_host_take(const struct gsim_cli_arguments *arguments, const char *path,
                                    struct gsim_device_spec *device, struct gsim_program *program, char *note,
                                    size_t size, struct gsim_error *error)
{
    const char *host = arguments->value[GSIM_CLI_HOST], *speed = arguments->value[GSIM_CLI_HOST_SPEED];
    struct gsim_cli_calls calls = {0};
    double factor = 1, value = 1;
    bool is_file = false;
    size_t at = strlen(note);
    if (!host && !speed) return GSIM_OK;
    if (host && speed) return gsim_refuse(error, "--host-speed: expected without --host, which says it");
    if (speed && (!gsim_text_quantity(speed, &value) || value < 0.01 || value > 100))
        return gsim_refuse(error, "--host-speed: expected a number from 0.01 to 100, found '%.40s'", speed);
    enum gsim_status status = host ? read_host(host, &calls, &is_file, error) : GSIM_OK;
    if (!status && is_file) status = use_file(&calls, path, device, &factor, error);
    else if (!status && host) status = use_device(host, device, &factor, error);
    if (status) return gsim_error_prefix(error, "--host %.100s", host);
    if (speed) {
        factor = 1 / value;
        gsim_other_slow_host(device, factor);
    }
    for (uint32_t i = 0; i < program->op_count; i++)
        if (program->ops[i].kind == GSIM_OP_HOST_COMPUTE) program->ops[i].host_us *= factor;
    snprintf(note + at, size - at, "%sthe host becomes %.60s: calls and the time between them take %.3g times as "
             "long%s", at ? "; then " : "", host ? host : "another", factor,
             speed ? "" : " (assumed: as launch calls)");
    return GSIM_OK;
}

/* --- another GPU --- */
enum gsim_status gsim_cli_trace_other(const struct gsim_trace_origin *o, const struct gsim_device_spec *device,
                                      struct gsim_device_spec *recorded, bool *is_other, struct gsim_error *error)
{
    struct gsim_device_match match = {0};
    *is_other = false;
    if (o->device[0]) snprintf(match.name, sizeof match.name, "%s", o->device);
    else if (o->gpu[0] && !gsim_device_is_gpu(device, o->gpu) &&
             gsim_device_match(o->gpu, o->compute_capability, o->sm_count, &match, error))
        return error->status;
    if (!match.name[0] || match.is_nearest || strcmp(match.name, device->name) == 0) return GSIM_OK;
    if (gsim_device_load(match.name, recorded, error)) return error->status;
    *is_other = true;
    return GSIM_OK;
}

void gsim_cli_trace_move(struct gsim_program *program, const struct gsim_device_spec *device,
                         char note[GSIM_CLI_GPU_NOTE])
{
    struct gsim_others_sum sum;
    uint32_t copies = 0;
    for (uint32_t i = 0; i < program->op_count; i++) {
        if (program->ops[i].kind != GSIM_OP_COPY) continue;
        program->ops[i].copy_us = 0;
        copies++;
    }
    note[0] = '\0';
    if (!gsim_others_sum(program, device, &sum)) return;
    snprintf(note, GSIM_CLI_GPU_NOTE,
             "recorded on %s: %u kernels, each once, of %.1f us there take %.1f on %s, %.1f to %.1f%s; "
             "the host is %s's%s",
             sum.from, sum.count, sum.before_us, sum.us, device->name, sum.low_us, sum.high_us,
             copies ? "; copies by its links" : "", sum.from, sum.is_assumed ? "; " GSIM_OTHER_ASSUMED : "");
}

/* --- gpusim calibrate --host TRACE -o FILE --- */
static void write_calls(const struct gsim_cli_calls *calls, const char *name, const char *path,
                        const struct gsim_import_notes *notes, struct gsim_output *out)
{
    char source[512];
    bool first = true;
    snprintf(source, sizeof source, "%.200s: medians", gsim_text_file(path));
    for (int i = 0; i < GSIM_CLI_CALLS; i++) {
        size_t at = strlen(source);
        if (calls->count[i])
            snprintf(source + at, sizeof source - at, "%s of %zu %s", first ? "" : ",", calls->count[i], rows[i].name);
        first &= !calls->count[i];
    }
    gsim_output_put(out, "{'schema': '" SCHEMA "', 'name': %q, 'title': %q,\n 'source': %q,\n 'profiled': %b, "
                         "'calls': {",
                    name, notes->gpu[0] ? notes->gpu : "host of a trace", source, calls->is_profiled);
    first = true;
    for (int i = 0; i < GSIM_CLI_CALLS; i++) {
        if (!calls->count[i]) continue;
        gsim_output_put(out, "%s'%s': %r", first ? "" : ", ", rows[i].name, calls->us[i]);
        first = false;
    }
    gsim_output_text(out, "}}\n");
}

enum gsim_status gsim_cli_calibrate_host(const struct gsim_cli_arguments *a, struct gsim_error *error)
{
    struct gsim_cli_calls calls;
    struct gsim_import_notes notes = {0};
    struct gsim_output output;
    const char *trace = a->value[GSIM_CLI_HOST], *path = a->value[GSIM_CLI_OUTPUT], *given = a->value[GSIM_CLI_NAME];
    static const enum gsim_cli_key others[] = {GSIM_CLI_BASE_DEVICE, GSIM_CLI_FIT, GSIM_CLI_FOLDS, GSIM_CLI_REPORT,
                                               GSIM_CLI_JOBS};
    char name[128];
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (a->value[others[i]])
            return gsim_refuse(error, "--%s: has no effect with --host", gsim_cli_option_at(others[i])->name);
    if (a->operand_count)
        return gsim_refuse(error, "--host: expected one trace, found '%.60s' beside it", a->operands[0]);
    if (!path) return gsim_refuse(error, "no output: expected -o FILE (see gpusim calibrate --help)");
    snprintf(name, sizeof name, "%.100s", gsim_text_file(given ? given : path));
    if (!given) name[strcspn(name, ".")] = '\0';
    enum gsim_status status = time_calls(&calls, trace, &notes, error);
    if (!status && !(calls.us[0] > 0))
        status = gsim_error_set(error, GSIM_INPUT, "'%s' has no launch call whose time tells its host's", trace);
    if (!status) status = gsim_output_open(&output, path, error);
    if (status) return status;
    write_calls(&calls, name, trace, &notes, &output);
    return gsim_output_commit(&output, error);
}
