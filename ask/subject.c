/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/subject.h. */
#include "ask/subject.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpusim/generator.h"
#include "gpusim/source.h"
#include "gpusim/workload.h"
#include "sim/base/gz.h"
#include "sim/device/match.h"
#include "sim/base/text.h"
#include "traces/import/importers.h"
#include "workloads/services/services.h"

#define HEAD_BYTES 8192

static const struct {
    const char *mark, *text;
} kinds[] = {
#define X(kind, mark, text) {mark, text},
    GSIM_SUBJECT_MAP(X)
#undef X
};

/* Results of a sweep, by their first page: SQLite itself would leave files beside a database that another process may
 * write. */
static bool is_results(const char *path)
{
    char page[HEAD_BYTES + 1];
    size_t length = gsim_gz_head(path, page, sizeof page);
    if (strcmp(page, "SQLite format 3") != 0) return false;
    for (size_t i = 0; i < length; i++)
        if (!page[i]) page[i] = ' ';
    return strstr(page, "CREATE TABLE sweeps") != NULL;
}

enum gsim_subject_kind gsim_subject_kind_of(const char *name)
{
    char head[HEAD_BYTES];
    struct gsim_error none = {0};
    bool is_path = strchr(name, '/') || strcmp(name, "-") == 0 || gsim_text_ends_with(name, ".json") ||
                   gsim_text_ends_with(name, ".json.gz");
    if (!is_path && gsim_workload_find(name)) return GSIM_SUBJECT_WORKLOAD;
    if (!is_path && gsim_generator_find(name)) return GSIM_SUBJECT_GENERATOR;
    if (!is_path && gsim_source_find(name)) return GSIM_SUBJECT_DRAWN;
    if (!is_path && gsim_service_find(name)) return GSIM_SUBJECT_SERVICE;
    if (strlen(name) > 3 && gsim_text_ends_with(name, ".so")) return GSIM_SUBJECT_PLUGIN;
    if (gsim_text_ends_with(name, ".cu") || gsim_text_ends_with(name, ".cuh")) return GSIM_SUBJECT_CUDA;
    bool is_read = gsim_gz_head(name, head, sizeof head);
    for (int k = 0; k < GSIM_SUBJECT_KIND_COUNT && is_read; k++) {
        const char *at = kinds[k].mark ? strstr(head, kinds[k].mark) : NULL;
        if (at && at > head && at[-1] == '"') return (enum gsim_subject_kind)k;
    }
    if (is_read && is_results(name)) return GSIM_SUBJECT_RESULTS;
    return is_read && gsim_importer_of(name, NULL, &none) ? GSIM_SUBJECT_TRACE : GSIM_SUBJECT_UNKNOWN;
}

enum gsim_status gsim_subject_expect(const char *path, uint32_t wanted, const char *expected, struct gsim_error *error)
{
    char what[GSIM_IMPORTER_TEXT];
    bool is_trace;
    enum gsim_subject_kind kind = gsim_subject_kind_of(path);
    const char *text = kinds[kind].text;
    if (!text || (wanted >> kind & 1)) return GSIM_OK;
    int file = strcmp(path, "-") != 0 ? gsim_input_open(path, error) : INT_MAX;
    if (file < 0) return gsim_error_prefix(error, "cannot read '%s'", path);
    if (file != INT_MAX) close(file);
    bool is_named = kind == GSIM_SUBJECT_TRACE && gsim_importer_what(path, what, &is_trace)[0]; /* whose it is */
    return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected %s, found %s%s", path, expected,
                          is_named ? what : text, is_named ? strchr(text, ':') : "");
}

bool gsim_program_has_data(const struct gsim_program *p)
{
    for (uint32_t i = 0; i < p->op_count; i++)
        if (p->ops[i].kind == GSIM_OP_KERNEL && (p->ops[i].arg_count || p->ops[i].after_count)) return true;
    return false;
}

static enum gsim_status read_trace(struct gsim_subject *s, const char *path, const struct gsim_device_spec *device,
                                   bool replays, struct gsim_error *error)
{
    struct gsim_import_options options = {.name = "trace", .gaps = true, .removes_overhead = true,
                                          .splits_waits = true, .replays_graphs = replays, .last = UINT32_MAX};
    struct gsim_trace_origin origin = {0};
    const struct gsim_importer *importer = gsim_importer_of(path, &origin, error);
    if (!importer) return error->status;
    if (!device) return gsim_refuse(error, "'%.100s': expected a device before it", path);
    gsim_import_charge(&options, device);
    enum gsim_status status = importer->read(path, &options, &s->program, &s->notes, error);
    const char *gpu = origin.gpu[0] ? origin.gpu : s->notes.gpu;
    s->is_trace = strcmp(importer->name, "cuda") != 0;
    if (!s->is_trace) s->has_data = !status && gsim_program_has_data(&s->program);
    if (status || !s->is_trace) return status;
    bool is_other = origin.device[0] ? strcmp(origin.device, device->name) != 0
                                     : gpu[0] && !gsim_device_is_gpu(device, gpu);
    if (is_other)
        return gsim_error_set(error, GSIM_INPUT, "'%.100s': expected the device that it was recorded on, %s, found %s",
                              path, origin.device[0] ? origin.device : gpu, device->name);
    if (s->notes.shared)
        return gsim_error_set(error, GSIM_INPUT, "'%.100s': kernels ran beside others: expected a program with their "
                              "times alone (gpusim import FILE -o PROGRAM)", path);
    s->has_data = s->notes.data_works > 0;
    return GSIM_OK;
}

/* With the numbers that it has by default. */
static enum gsim_status draw(const struct gsim_generator_ops *generator, struct gsim_program *program,
                             struct gsim_error *error)
{
    void *numbers = gsim_alloc(generator->params_size + 1);
    if (!numbers) return gsim_no_memory(error);
    gsim_params_set_defaults(generator->params, numbers);
    enum gsim_status status = generator->build(numbers, 1, program, error);
    gsim_free(numbers);
    return status;
}

enum gsim_status gsim_subject_read(struct gsim_subject *s, const char *path, const struct gsim_device_spec *device,
                                   bool replays, struct gsim_error *error)
{
    static const uint32_t taken = GSIM_SUBJECT_BIT(PROGRAM) | GSIM_SUBJECT_BIT(TRACE) | GSIM_SUBJECT_BIT(SERVER) |
                                  GSIM_SUBJECT_BIT(CUDA);
    enum gsim_subject_kind kind = gsim_subject_kind_of(path);
    *s = (struct gsim_subject){.is_server = kind == GSIM_SUBJECT_SERVER};
    if (s->is_server) return gsim_serving_spec_read(path, &s->spec, error);
    if (kind == GSIM_SUBJECT_TRACE || kind == GSIM_SUBJECT_CUDA) return read_trace(s, path, device, replays, error);
    enum gsim_status status = gsim_subject_expect(path, taken, "a program, a trace or a server", error);
    if (status) return status;
    status = kind == GSIM_SUBJECT_GENERATOR ? draw(gsim_generator_find(path), &s->program, error)
                                            : gsim_program_read(path, &s->program, error);
    s->has_data = !status && gsim_program_has_data(&s->program);
    return status;
}

/* The program of a step: a file's, or a built-in workload. */
static enum gsim_status read_step(void *context, const char *path, struct gsim_program *program, bool *is_graph,
                                  struct gsim_error *error)
{
    const struct gsim_simulation *simulation = context;
    const struct gsim_workload_ops *workload = strpbrk(path, "/.") ? NULL : gsim_workload_find(path);
    const struct gsim_workload_options options = {.shape = gsim_scheduler_find("cudagraph")->shape};
    struct gsim_subject step = {0};
    *is_graph = true;
    if (workload) return workload->build(&options, program, error);
    enum gsim_status status = gsim_subject_read(&step, path, simulation->device, false, error);
    if (!status && step.is_server) status = gsim_error_set(error, GSIM_INPUT, "'%.100s': a server is no step", path);
    if (step.is_trace) *is_graph = step.notes.graph_works * 2 > step.notes.kernels; /* as gpusim serve has it */
    *program = step.program;
    step.program = (struct gsim_program){0};
    gsim_subject_release(&step);
    return status;
}

enum gsim_status gsim_subject_serve(struct gsim_subject *s, const struct gsim_simulation *simulation,
                                    struct gsim_error *error)
{
    void *params = NULL;
    struct gsim_simulation own = *simulation;
    own.memory = GSIM_MEMORY_PINNED;
    s->server = (struct gsim_server){.spec = &s->spec, .device = own.device};
    if (s->library.spec) gsim_library_release(&s->library);
    if (s->spec.profile && gsim_profile_connect(s->spec.profile, own.device, NULL, error)) return error->status;
    if (gsim_serving_policy(&s->spec, s->spec.batching, NULL, 0, &s->server.policy, &params, error))
        return error->status;
    s->server.params = params;
    return gsim_library_init(&s->library, &s->spec, &own, read_step, &own, error);
}

void gsim_subject_release(struct gsim_subject *s)
{
    if (s->library.spec) gsim_library_release(&s->library);
    if (s->is_server) gsim_serving_spec_release(&s->spec);
    gsim_program_release(&s->program);
    *s = (struct gsim_subject){0};
}
