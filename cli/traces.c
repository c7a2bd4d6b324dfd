/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See cli/traces.h.
 */
#include "cli/traces.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trust/validate/alone.h"
#include "sim/device/match.h"
#include "sim/base/text.h"

#define NOTES_BYTES 4096

/* Adds a line on the trace's steps to TEXT. */
static void note_steps(const struct gsim_trace_steps *found, char text[NOTES_BYTES])
{
    size_t length = strlen(text);
    if (found->count > 1)
        snprintf(text + length, NOTES_BYTES - length,
                 "%s%" PRIu32 " steps %s: %.1f us as recorded, the median of all but the first", length ? "\n" : "",
                 found->count, gsim_steps_by_text(found->by), found->median_us);
}

/* A line for each kind of thing that was noticed. */
static void write_notes(const struct gsim_import_notes *notes, char text[NOTES_BYTES])
{
    uint64_t count;
    const char *note;
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t at = 0; length < NOTES_BYTES && (count = gsim_import_next_note(notes, &at, &note));)
        length +=
            (size_t)snprintf(text + length, NOTES_BYTES - length, "%s%" PRIu64 " %s", length ? "\n" : "", count, note);
}

/* Adds a line on it to TEXT. */
static enum gsim_status infer(const struct gsim_trace_validation *v, struct gsim_program *program,
                              const struct gsim_import_times *times, char text[NOTES_BYTES], struct gsim_error *error)
{
    struct gsim_alone alone;
    char line[GSIM_ALONE_TEXT_SIZE];
    enum gsim_status status =
        gsim_infer_alone(v->predictor, program, times->ops, times->count, NULL, NULL, &alone, error);
    size_t length = strlen(text);
    if (status == GSIM_OK && alone.kernels)
        snprintf(text + length, NOTES_BYTES - length, "%s%s", length ? "\n" : "",
                 gsim_alone_text(&alone, v->predictor->device->name, line));
    return status;
}

enum gsim_status gsim_cli_trace_device(const struct gsim_trace_origin *origin, char device[GSIM_CLI_DEVICE_NAME],
                                       struct gsim_error *error)
{
    struct gsim_device_match match;
    snprintf(device, GSIM_CLI_DEVICE_NAME, "%s", origin->device);
    if (device[0] || !origin->gpu[0]) return GSIM_OK;
    if (gsim_device_match(origin->gpu, origin->compute_capability, origin->sm_count, &match, error))
        return error->status;
    snprintf(device, GSIM_CLI_DEVICE_NAME, "%s", match.name);
    if (match.is_nearest)
        fprintf(stderr,
                "gpusim: note: no device is '%s': %s is the nearest by architecture (give --device, or add a file to "
                "models)\n",
                origin->gpu, match.name);
    return GSIM_OK;
}

bool gsim_cli_trace_take(struct gsim_device_spec *spec, const struct gsim_trace_origin *origin,
                         char note[GSIM_CLI_GPU_NOTE])
{
    note[0] = '\0';
    if (origin->device[0] || !origin->gpu[0]) return false;
    const struct gsim_recorded_gpu facts = {origin->gpu, origin->sm_count, origin->dram_gbps, origin->clock_mhz};
    return gsim_device_take(spec, &facts, note, GSIM_CLI_GPU_NOTE);
}

void gsim_cli_note_guess(const char *device, char *text, size_t size)
{
    size_t at = strlen(text);
    snprintf(text + at, size - at, "%sthe trace does not name its GPU: %s taken (--device)", at ? "\n" : "", device);
}

static void note_gpu(const char *path, const char *gpu, const struct gsim_device_spec *device)
{
    if (gpu[0] && !gsim_device_is_gpu(device, gpu))
        fprintf(stderr,
                "gpusim: note: '%s' was recorded on '%s', but its durations now count as those of %s (see --device)\n",
                path, gpu, device->name);
}

/* What replays a trace: V's predictor, but with what the trace says of its GPU, and as CUDA graphs where these launched
 * all of it. */
struct replay {
    struct gsim_device_spec device;
    struct gsim_predictor predictor;
};

/* The device is chosen already: a file that cannot be read is not needed here. */
static void set_gpu(struct replay *r, const struct gsim_predictor *predictor, const struct gsim_trace_origin *origin)
{
    struct gsim_error unreadable = {0};
    struct gsim_device_match match = {0};
    char note[GSIM_CLI_GPU_NOTE];
    r->device = *predictor->device;
    r->device.arena = (struct gsim_arena){0};
    r->predictor = *predictor;
    r->predictor.device = &r->device;
    if (origin->gpu[0] &&
        !gsim_device_match(origin->gpu, origin->compute_capability, origin->sm_count, &match, &unreadable) &&
        strcmp(match.name, r->device.name) == 0 && gsim_cli_trace_take(&r->device, origin, note))
        fprintf(stderr, "gpusim: note: %s\n", note);
}

static enum gsim_status add(struct gsim_trace_validation *v, const struct gsim_validated_trace *traced,
                            struct gsim_program *program, const struct gsim_import_times *times, bool infers,
                            char text[NOTES_BYTES], struct gsim_error *error)
{
    enum gsim_status status = infers ? infer(v, program, times, text, error) : GSIM_OK;
    return status == GSIM_OK ? gsim_trace_validation_add(v, traced, error) : status;
}

enum gsim_status gsim_cli_trace_add(struct gsim_trace_validation *v, const char *path,
                                    const struct gsim_import_options *part, bool infers, bool guesses_gpu,
                                      struct gsim_error *error)
{
    char text[NOTES_BYTES];
    struct gsim_import_times times = {0};
    struct gsim_import_notes notes = {0};
    struct gsim_program program = {0};
    struct gsim_trace_steps found = {0};
    struct gsim_import_options options = {.name = "trace",
                                          .gaps = true,
                                          .last = UINT32_MAX,
                                          .replays_graphs = true,
                                          .steps = &found,
                                          .times = &times};
    struct gsim_trace_origin origin = {0};
    struct replay replay;
    const struct gsim_importer *importer = gsim_importer_of(path, &origin, error);
    const struct gsim_predictor *predictor = v->predictor;
    if (part) {
        options.part = part->part;
        options.first = part->first;
        options.last = part->last;
    }
    set_gpu(&replay, predictor, &origin);
    gsim_import_charge(&options, &replay.device);
    enum gsim_status status = importer ? importer->read(path, &options, &program, &notes, error) : error->status;
    if (status == GSIM_OK && notes.workflow_tasks) /* nothing of a GPU was recorded */
        status = gsim_refuse(
            error, "'%s' is a workflow of WfCommons, without a GPU's times to compare with: gpusim import, explain",
            path);
    if (status == GSIM_OK) {
        write_notes(&notes, text);
        note_steps(&found, text);
        note_gpu(path, notes.gpu, predictor->device);
        if (guesses_gpu && !notes.gpu[0] && !origin.device[0])
            gsim_cli_note_guess(predictor->device->name, text, sizeof text);
        const struct gsim_validated_trace traced = {.file = gsim_text_file(path),
                                           .gpu = notes.gpu,
                                           .program = &program,
                                           .ops = times.ops,
                                           .op_count = times.count,
                                           .span_us = notes.span_us,
                                           .repairs = gsim_import_repairs(&notes),
                                           .notes = text};
        if (predictor->kernels) gsim_profiles_apply_all(predictor->kernels, &program);
        gsim_import_fit_gap(&notes, true, &replay.device);
        if (gsim_import_is_graph(&notes)) replay.predictor.replay = gsim_scheduler_find("cudagraph");
        v->predictor = &replay.predictor;
        status = add(v, &traced, &program, &times, infers && notes.shared, text, error);
        v->predictor = predictor;
        if (status != GSIM_OK) (void)gsim_error_prefix(error, "cannot replay '%s'", path);
    }
    gsim_device_release(&replay.device);
    gsim_import_times_release(&times);
    gsim_trace_steps_release(&found);
    gsim_program_release(&program);
    return status;
}
