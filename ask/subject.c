/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/subject.h. */
#include "ask/subject.h"

#include <string.h>

#include "gpusim/workload.h"
#include "sim/base/gz.h"
#include "sim/device/match.h"
#include "traces/import/importers.h"

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
    if (!device) return gsim_error_set(error, GSIM_USAGE, "'%.100s': expected a device before it", path);
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

enum gsim_status gsim_subject_read(struct gsim_subject *s, const char *path, const struct gsim_device_spec *device,
                                   bool replays, struct gsim_error *error)
{
    char head[8192];
    bool is_read = gsim_gz_head(path, head, sizeof head);
    struct gsim_error none = {0};
    *s = (struct gsim_subject){.is_server = is_read && strstr(head, "\"gpusim-serving/")};
    if (s->is_server) return gsim_serving_spec_read(path, &s->spec, error);
    if (is_read && !strstr(head, "\"gpusim-program/") && gsim_importer_of(path, NULL, &none))
        return read_trace(s, path, device, replays, error);
    enum gsim_status status = gsim_program_read(path, &s->program, error);
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
