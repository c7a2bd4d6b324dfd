/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli. From a file of a server (gpusim-serving/1) to its steps' programs on a device (cli/serving/serve.h). */
#include <string.h>

#include "cli/cli.h"
#include "cli/traces.h"
#include "cli/trust/host.h"
#include "sim/base/gz.h"
#include "sim/device/other.h"

struct gsim_cli_server {
    struct gsim_cli_arguments arguments;
    char device[GSIM_CLI_DEVICE_NAME];
    struct gsim_serving_spec spec;
    struct gsim_cli_setup setup;
    struct gsim_library library;
    struct gsim_device_spec recorded; /* that --device is another than */
    bool has_setup, is_other;
};

static bool is_program(const char *path)
{
    char hint[8192];
    return gsim_gz_head(path, hint, sizeof hint) && strstr(hint, "\"gpusim-program/");
}

static bool is_file(const char *path) { return strchr(path, '/') || strchr(path, '.'); }

static enum gsim_status read_trace(const char *path, struct gsim_cli_server *server, struct gsim_program *program,
                                   bool *is_graph, struct gsim_error *error)
{
    const struct gsim_importer *importer = gsim_importer_of(path, NULL, error);
    struct gsim_import_options options = {.name = "step", .gaps = true, .removes_overhead = true, .last = UINT32_MAX};
    struct gsim_import_notes notes;
    char note[GSIM_CLI_GPU_NOTE];
    if (!importer) return error->status;
    gsim_import_charge(&options, server->is_other ? &server->recorded : &server->setup.device);
    enum gsim_status status = importer->read(path, &options, program, &notes, error);
    if (!status && server->is_other) gsim_cli_trace_move(program, &server->setup.device, note);
    if (!status && server->is_other) {
        fprintf(stderr, "gpusim: note: '%s': %s\n", path, note);
        server->spec.moved = gsim_arena_strdup(&server->spec.arena, note);
        if (!server->spec.moved) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    }
    *is_graph = !status && notes.graph_works * 2 > notes.kernels;
    return status;
}

static enum gsim_status read_step(void *context, const char *path, struct gsim_program *program, bool *is_graph,
                                  struct gsim_error *error)
{
    struct gsim_cli_server *server = context;
    *is_graph = true;
    if (is_file(path)) {
        enum gsim_status read = is_program(path) ? gsim_program_read(path, program, error)
                                                 : read_trace(path, server, program, is_graph, error);
        return read == GSIM_OK ? gsim_cli_apply_kernels(&server->arguments, program, error) : read;
    }
    struct gsim_cli_point point = {0};
    enum gsim_status status =
        gsim_cli_point_init(&point, &server->setup, path, gsim_scheduler_find("cudagraph"), error);
    if (!status) status = gsim_cli_point_known(&point, "a step", error);
    if (!status) {
        *program = point.program;
        point.program = (struct gsim_program){0};
    }
    gsim_cli_point_release(&point);
    return status;
}

/* ORIGIN: of the first step that is a trace; DEVICE: that of the GPU which it names. */
static enum gsim_status find_device(struct gsim_cli_server *server, struct gsim_trace_origin *found,
                                    char device[GSIM_CLI_DEVICE_NAME], struct gsim_error *error)
{
    device[0] = '\0';
    for (uint32_t i = 0; i < server->spec.step_count; i++) {
        const char *path = server->spec.steps[i].path;
        struct gsim_trace_origin origin = {0};
        struct gsim_error no_trace = {0};
        if (!is_file(path) || is_program(path)) continue;
        bool is_trace = gsim_importer_of(path, &origin, &no_trace) != NULL;
        if (no_trace.status == GSIM_NOMEM) return gsim_error_set(error, GSIM_NOMEM, "%s", no_trace.message);
        if (is_trace && gsim_cli_trace_device(&origin, device, error)) return error->status;
        *found = origin;
        if (device[0]) break;
    }
    return GSIM_OK;
}

enum gsim_status gsim_cli_server_init(const struct gsim_cli_arguments *arguments, const char *path,
                                      struct gsim_cli_server **made, struct gsim_error *error)
{
    struct gsim_cli_server *s = gsim_alloc(sizeof *s);
    *made = s;
    if (!s) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    s->arguments = *arguments;
    enum gsim_status status = gsim_serving_spec_read(path, &s->spec, error);
    if (status) return status;
    if (arguments->value[GSIM_CLI_HOST])
        status = gsim_serving_host_load(arguments->value[GSIM_CLI_HOST], &s->spec.arena, &s->spec.host, error);
    if (status) return gsim_error_prefix(error, "--host");
    struct gsim_trace_origin origin = {0};
    char recorded[GSIM_CLI_DEVICE_NAME];
    status = find_device(s, &origin, recorded, error);
    snprintf(s->device, sizeof s->device, "%s", s->spec.device[0] ? s->spec.device : recorded);
    if (status) return status;
    if (s->device[0] && !arguments->value[GSIM_CLI_DEVICE]) s->arguments.value[GSIM_CLI_DEVICE] = s->device;
    status = gsim_cli_setup_init(&s->setup, &s->arguments, error);
    if (status) return status;
    s->has_setup = true;
    if (recorded[0] && gsim_cli_trace_other(&origin, &s->setup.device, &s->recorded, &s->is_other, error))
        return error->status;
    if (s->is_other) gsim_other_replace(&s->setup.device, &s->recorded);
    if (s->spec.profile && gsim_profile_connect(s->spec.profile, &s->setup.device, error)) return error->status;
    const struct gsim_simulation simulation = {
        .device = &s->setup.device, .gpu = s->setup.gpu, .memory = GSIM_MEMORY_PINNED, .seed = s->setup.seed};
    return gsim_library_init(&s->library, &s->spec, &simulation, read_step, s, error);
}

struct gsim_serving_spec *gsim_cli_server_spec(struct gsim_cli_server *server) { return &server->spec; }
struct gsim_library *gsim_cli_server_library(struct gsim_cli_server *server) { return &server->library; }
uint64_t gsim_cli_server_seed(const struct gsim_cli_server *server) { return server->setup.seed; }

void gsim_cli_server_destroy(struct gsim_cli_server *s)
{
    if (!s) return;
    if (s->library.spec) gsim_library_release(&s->library);
    if (s->has_setup) gsim_cli_setup_release(&s->setup);
    if (s->is_other) gsim_device_release(&s->recorded);
    gsim_serving_spec_release(&s->spec);
    gsim_free(s);
}
