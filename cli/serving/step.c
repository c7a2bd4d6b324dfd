/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli. "gpusim step": how long one step of a server takes, asked once on the command line or again and again by
 * a program that talks to it (--listen): an engine's own scheduler on gpusim's time.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "ask/subject.h"
#include "cli/cli.h"
#include "cli/serving/serve.h"
#include "cli/traces.h"
#include "cli/trust/host.h"
#include "sim/base/jobs/progress.h"
#include "sim/device/other.h"
#include "sim/rank_node.h"

#define LINE 4096

/* --- the server that a spec describes --- */
struct gsim_cli_server {
    struct gsim_cli_arguments arguments;
    char device[GSIM_CLI_DEVICE_NAME];
    struct gsim_serving_spec spec;
    struct gsim_cli_setup setup;
    struct gsim_library library;
    struct gsim_device_spec recorded; /* that --device is another than */
    struct gsim_rank_node node;       /* of --node */
    bool has_setup, is_other, has_node;
    struct gsim_progress progress;
};

static bool is_file(const char *path) { return strchr(path, '/') || strchr(path, '.'); }

static enum gsim_status read_trace(const char *path, struct gsim_cli_server *server, struct gsim_program *program,
                                   bool *is_graph, struct gsim_error *error)
{
    const struct gsim_importer *importer = gsim_importer_of(path, NULL, error);
    struct gsim_import_options options = {.name = "step", .gaps = true, .removes_overhead = true, .last = UINT32_MAX};
    struct gsim_import_notes notes = {0};
    char note[GSIM_CLI_GPU_NOTE] = "";
    if (!importer) return error->status;
    gsim_import_charge(&options, server->is_other ? &server->recorded : &server->setup.device);
    enum gsim_status status = importer->read(path, &options, program, &notes, error);
    bool is_asked = server->setup.arguments->value[GSIM_CLI_DEVICE] || notes.is_simulated;
    if (!status && server->is_other) gsim_cli_trace_move(program, &server->setup.device, note);
    else if (!status && !notes.gpu[0] && !is_asked) gsim_cli_note_guess(server->setup.device.name, note, sizeof note);
    if (note[0]) {
        if (!server->arguments.is_quiet) fprintf(stderr, "gpusim: note: '%s': %s\n", path, note);
        server->spec.moved = gsim_arena_strdup(&server->spec.arena, note);
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
        enum gsim_status read = gsim_subject_kind_of(path) == GSIM_SUBJECT_PROGRAM
                                    ? gsim_program_read(path, program, error)
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
        if (!gsim_importer_of(path, &origin, &no_trace)) continue;
        if (gsim_cli_trace_device(&origin, device, error)) return error->status;
        *found = origin;
        if (device[0]) break;
    }
    return GSIM_OK;
}

/* The links of tensor parallel steps. The device is the node's, unless one is named. */
static enum gsim_status use_node(struct gsim_cli_server *s, struct gsim_error *error)
{
    const char *name = s->arguments.value[GSIM_CLI_NODE], **device = &s->arguments.value[GSIM_CLI_DEVICE];
    uint32_t gpus = s->spec.profile ? s->spec.profile->gpus : 1;
    s->arguments.value[GSIM_CLI_NODE] = NULL;
    s->has_node = name != NULL;
    if (!name) return GSIM_OK;
    if (gpus < 2)
        return gsim_refuse(error, "--node: of tensor parallel steps: expected steps.profile with "
                                  "tensor_parallel, found a step on one GPU");
    if (gsim_rank_node_find(name, *device, gpus, &s->node, error)) return error->status;
    if (gpus > s->node.gpus)
        return gsim_refuse(error, "--node %.60s: a host has %u GPUs, and tensor_parallel is %u", name, s->node.gpus,
                           gpus);
    s->node.links.count = gpus;
    if (!*device) *device = s->node.device;
    return GSIM_OK;
}

/* A limit of power acts over milliseconds; a step that is looked up begins at rest. */
static enum gsim_status check_clock(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    static const char *const names[] = {"device.limit_w=",    "device.clock_loss=", "device.clock_window_us=",
                                        "device.recorded_w=", "device.recorded_limit_w=", "rule.clock_limit="};
    for (uint32_t i = 0; i < arguments->opt_count && !arguments->value[GSIM_CLI_EXACT]; i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (strncmp(arguments->opts[i], names[n], strlen(names[n])) == 0)
                return gsim_refuse(error, "--opt %.80s: of a server with --exact alone: each step that is looked up "
                                          "begins at rest", arguments->opts[i]);
    return GSIM_OK;
}

/* Of a profile's steps the GPU is not simulated, but for all-reduces over the device's links. */
static enum gsim_status check_profile(const struct gsim_cli_server *s, struct gsim_error *error)
{
    static const char *const names[] = {"device.", "gpu.", "rule."};
    const struct gsim_cli_arguments *a = &s->arguments;
    if (!s->spec.profile) return GSIM_OK;
    if (a->value[GSIM_CLI_KERNELS]) return gsim_refuse(error, "--kernels: the steps' times are those of steps.profile");
    for (uint32_t i = 0; i < a->opt_count; i++) {
        if (s->spec.profile->gpus > 1 && strncmp(a->opts[i], "device.peer_gbps=", 17) == 0) continue;
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (strncmp(a->opts[i], names[n], strlen(names[n])) == 0)
                return gsim_refuse(error, "--opt %.80s: the steps' times are those of steps.profile", a->opts[i]);
    }
    return GSIM_OK;
}

enum gsim_status gsim_cli_server_init(const struct gsim_cli_arguments *arguments, const char *path,
                                      struct gsim_cli_server **made, struct gsim_error *error)
{
    struct gsim_cli_server *s = gsim_alloc(sizeof *s);
    *made = s;
    s->arguments = *arguments;
    enum gsim_status status = gsim_subject_expect(path, GSIM_SUBJECT_BIT(SERVER), "a server", error);
    if (!status) status = check_clock(arguments, error);
    if (!status) status = gsim_serving_spec_read(path, &s->spec, error);
    if (!status) status = check_profile(s, error);
    if (status) return status;
    if (arguments->value[GSIM_CLI_HOST])
        status = gsim_serving_host_load(arguments->value[GSIM_CLI_HOST], &s->spec.arena, &s->spec.host, error);
    if (status) return gsim_error_prefix(error, "--host");
    struct gsim_trace_origin origin = {0};
    char recorded[GSIM_CLI_DEVICE_NAME];
    status = find_device(s, &origin, recorded, error);
    snprintf(s->device, sizeof s->device, "%s", s->spec.device[0] ? s->spec.device : recorded);
    if (status) return status;
    if (s->device[0] && !arguments->value[GSIM_CLI_DEVICE] && !arguments->value[GSIM_CLI_NODE])
        s->arguments.value[GSIM_CLI_DEVICE] = s->device;
    status = use_node(s, error);
    if (status) return status;
    status = gsim_cli_setup_init(&s->setup, &s->arguments, error);
    if (status) return status;
    s->has_setup = true;
    if (recorded[0] && gsim_cli_trace_other(&origin, &s->setup.device, &s->recorded, &s->is_other, error))
        return error->status;
    if (s->is_other) gsim_other_replace(&s->setup.device, &s->recorded);
    const struct gsim_ranks *links = s->has_node ? &s->node.links : NULL;
    if (s->spec.profile && gsim_profile_connect(s->spec.profile, &s->setup.device, links, error)) return error->status;
    const struct gsim_simulation simulation = {
        .device = &s->setup.device, .gpu = s->setup.gpu, .memory = GSIM_MEMORY_PINNED, .seed = s->setup.seed};
    return gsim_library_init(&s->library, &s->spec, &simulation, read_step, s, error);
}

struct gsim_serving_spec *gsim_cli_server_spec(struct gsim_cli_server *server) { return &server->spec; }
struct gsim_library *gsim_cli_server_library(struct gsim_cli_server *server) { return &server->library; }
uint64_t gsim_cli_server_seed(const struct gsim_cli_server *server) { return server->setup.seed; }

static void show_progress(void *context, uint64_t done, uint64_t all)
{
    struct gsim_progress *p = context;
    if (done <= p->done || !p->out) gsim_progress_start(p, all, stderr); /* another run */
    p->unit = "requests";
    p->done = done;
    if (done % 256 == 0) gsim_progress_show(p);
}

void gsim_cli_server_watch(struct gsim_cli_server *server, struct gsim_server *served)
{
    if (served) served->progress = show_progress;
    if (served) served->progress_context = &server->progress;
    gsim_progress_clear(&server->progress);
}

void gsim_cli_server_destroy(struct gsim_cli_server *s)
{
    if (!s) return;
    gsim_progress_clear(&s->progress);
    if (s->library.spec) gsim_library_release(&s->library);
    if (s->has_setup) gsim_cli_setup_release(&s->setup);
    if (s->is_other) gsim_device_release(&s->recorded);
    gsim_serving_spec_release(&s->spec);
    gsim_free(s);
}

struct part {
    struct gsim_serving_launch launch;
    enum gsim_batch_kind kind;
    double size, context; /* of a mixed step */
};

/* "KIND SIZE", of a mixed step "KIND SIZE@CONTEXT", at *TEXT, which it steps over. */
static enum gsim_status parse_part(const struct gsim_serving_spec *spec, const char **text, struct part *part,
                                   struct gsim_error *error)
{
    char kind[16];
    unsigned size, context = 0;
    int used = 0, more = 0, k = 0;
    *part = (struct part){0};
    if (sscanf(*text, " %15s %9u%n", kind, &size, &used) != 2 || !size)
        return gsim_error_set(error, GSIM_INPUT, "expected KIND SIZE, such as decode 8, found \"%.60s\"", *text);
    while (k < GSIM_STEP_KIND_COUNT && strcmp(gsim_step_kind_text((enum gsim_batch_kind)k), kind) != 0) k++;
    if (k == GSIM_STEP_KIND_COUNT)
        return gsim_error_set(error, GSIM_INPUT, "expected prefill, decode, draft or verify, found \"%s\"", kind);
    part->kind = (enum gsim_batch_kind)k;
    *text += used;
    part->size = size;
    bool has_context = sscanf(*text, "@%9u%n", &context, &more) == 1;
    if (has_context != (spec->profile && (part->kind == GSIM_STEP_DECODE || **text == '@')))
        return gsim_error_set(error, GSIM_INPUT,
                              spec->profile ? "expected decode N@TOKENS, the mean context of each, found \"%s %u\""
                                            : "%s %u: steps that are programs have no context", kind, size);
    *text += more;
    part->context = context;
    if (spec->profile && part->kind <= GSIM_STEP_DECODE) return GSIM_OK;
    if (spec->profile) return gsim_error_set(error, GSIM_INPUT, "expected prefill or decode, found \"%s\"", kind);
    part->launch = gsim_serving_bucket(spec, part->kind, size);
    if (part->launch.index == UINT32_MAX)
        return gsim_error_set(error, GSIM_INPUT, "%s %u: no bucket is large enough", kind, size);
    return GSIM_OK;
}

/* "decode 8", "prefill 512 + decode 8" (behind each other), "decode 8 beside prefill 512". Of a profile one mixed step:
 * "prefill 512@1024 + prefill 90 + decode 8@700". */
static enum gsim_status answer(struct gsim_serving_table *table, const struct gsim_serving_spec *spec, const char *text,
                               double *us, struct gsim_error *error)
{
    struct gsim_serving_machine *const *machines = gsim_serving_table_machines(table, 1), *m;
    struct gsim_serving_launch launches[GSIM_LAUNCH_MAX];
    struct part parts[GSIM_LAUNCH_MAX], beside;
    uint32_t count = 0;
    bool has_beside = false;
    m = machines[0];
    do {
        if (count == GSIM_LAUNCH_MAX)
            return gsim_error_set(error, GSIM_INPUT, "expected at most %d steps, found more", GSIM_LAUNCH_MAX);
        enum gsim_status status = parse_part(spec, &text, &parts[count], error);
        if (status) return status;
        launches[count] = parts[count].launch;
        count++;
        while (isspace((unsigned char)*text)) text++;
    } while (*text == '+' && text++);
    if (strncmp(text, "beside ", 7) == 0) {
        text += 7;
        enum gsim_status status = parse_part(spec, &text, &beside, error);
        if (status) return status;
        if (beside.kind != GSIM_STEP_PREFILL) return gsim_error_set(error, GSIM_INPUT, "beside: expected a prefill");
        has_beside = true;
    }
    while (isspace((unsigned char)*text)) text++;
    if (*text) return gsim_error_set(error, GSIM_INPUT, "expected the end of the line, found \"%.60s\"", text);
    if (spec->profile && has_beside)
        return gsim_error_set(error, GSIM_INPUT, "beside: in a mixed step, prefill and decode are one: PARTS with +");
    if (spec->profile) {
        /* count parts as one mixed step. */
        struct gsim_chunk chunks[GSIM_LAUNCH_MAX];
        struct gsim_step_shape shape = {.chunks = chunks};
        for (uint32_t i = 0; i < count; i++) {
            const struct part *p = &parts[i];
            if (p->kind == GSIM_STEP_PREFILL) chunks[shape.chunk_count++] = (struct gsim_chunk){p->size, p->context};
            if (p->kind == GSIM_STEP_PREFILL) continue;
            shape.context = (shape.context * shape.decodes + p->context * p->size) / (shape.decodes + p->size);
            shape.decodes += p->size;
        }
        *us = gsim_profile_us(spec->profile, &shape);
    }
    if (spec->profile) return GSIM_OK;
    if (has_beside) m->ops->begin(m, beside.launch);
    double start = m->ops->now_us(m);
    m->ops->run(m, launches, count);
    *us = m->ops->now_us(m) - start;
    if (has_beside) m->ops->wait(m);
    return gsim_serving_table_status(table, error);
}

static enum gsim_status listen(struct gsim_serving_table *table, const struct gsim_serving_spec *spec,
                               struct gsim_error *error)
{
    char line[LINE];
    double us;
    while (fgets(line, sizeof line, stdin)) {
        struct gsim_error said = {0};
        if (!strchr(line, '\n') && !feof(stdin))
            return gsim_error_set(error, GSIM_INPUT, "a line of over %d bytes", LINE - 1);
        if (strspn(line, " \t\r\n") == strlen(line)) continue;
        if (answer(table, spec, line, &us, &said)) {
            if (said.status != GSIM_INPUT) return gsim_error_set(error, said.status, "%s", said.message);
            printf("error %s\n", said.message);
        } else {
            printf("%.3f\n", us);
        }
        if (fflush(stdout)) return gsim_error_set(error, GSIM_IO, "cannot write to standard output");
    }
    return GSIM_OK;
}

int gsim_cli_step(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_cli_server *server = NULL;
    struct gsim_serving_table *table = NULL;
    bool listens = arguments->value[GSIM_CLI_LISTEN] != NULL;
    char text[LINE] = "";
    enum gsim_status status = GSIM_OK;
    if (!arguments->operand_count || (arguments->operand_count > 1) == listens)
        status = gsim_refuse(error, "expected gpusim step SPEC.json KIND SIZE, or gpusim step SPEC.json --listen");
    for (size_t i = 1; i < arguments->operand_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", arguments->operands[i]);
    if (!status) status = gsim_cli_server_init(arguments, arguments->operands[0], &server, error);
    if (!status && gsim_cli_server_spec(server)->beside == GSIM_BESIDE_SAME)
        gsim_cli_server_spec(server)->beside = GSIM_BESIDE_STREAM;
    if (!status) table = gsim_serving_table_create(gsim_cli_server_library(server));
    if (!status && listens) {
        status = listen(table, gsim_cli_server_spec(server), error);
    } else if (!status) {
        double us = NAN;
        status = answer(table, gsim_cli_server_spec(server), text, &us, error);
        if (!status) printf("%.3f us\n", us);
    }
    gsim_serving_table_destroy(table);
    gsim_cli_server_destroy(server);
    return status;
}
