/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See cli/trust/calibrate_traces.h.
 */
#include "cli/trust/calibrate_traces.h"

#include <stdio.h>
#include <string.h>

#include "traces/import/importers.h"
#include "sim/base/text.h"

bool gsim_cli_trace_is(const char *path, char device[64])
{
    struct gsim_trace_origin origin;
    const struct gsim_importer *importer = gsim_importer_of(path, &origin, NULL);
    snprintf(device, 64, "%s", origin.device);
    return importer != NULL;
}

enum gsim_status gsim_cli_trace_sample(struct gsim_profile_samples *samples, const char *path,
                                       const struct gsim_device_spec *base, struct gsim_import_notes *notes,
                                       struct gsim_error *error)
{
    struct gsim_import_times times = {0};
    struct gsim_program program = {0};
    struct gsim_import_options options = {.name = "trace", .last = UINT32_MAX, .times = &times};
    gsim_import_charge(&options, base);
    const struct gsim_importer *importer = gsim_importer_of(path, NULL, error);
    enum gsim_status status = importer ? importer->read(path, &options, &program, notes, error) : error->status;
    const struct gsim_profile_trace trace = {
        .file = gsim_text_file(path),
        .gpu = notes->gpu,
        .date = notes->date,
        .tracer = notes->is_simulated ? GSIM_TRACER_NONE : notes->is_runner ? GSIM_TRACER_RUNNER : GSIM_TRACER_OTHER,
        .sm_count = notes->sm_count,
        .memory_bytes = notes->memory_bytes,
        .ops = times.ops,
        .op_count = times.count,
        .calls = times.calls,
        .call_count = times.call_count,
    };
    if (status == GSIM_OK) gsim_profile_samples_add(samples, &trace, base->launch_queue_depth);
    gsim_import_times_release(&times);
    gsim_program_release(&program);
    return status;
}
