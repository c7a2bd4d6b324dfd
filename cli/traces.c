/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See cli/traces.h.
 */
#include "cli/traces.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trust/validate/alone.h"
#include "sim/base/text.h"
#include "sim/device/device.h"
#include "traces/import/formats.h"

#define NOTES_BYTES 4096

/* A line for each kind of thing that was noticed. */
static void write_notes(const struct gsim_import_notes *notes, char text[NOTES_BYTES])
{
    uint64_t count;
    const char *note;
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t at = 0; length < NOTES_BYTES && (count = gsim_import_next_note(notes, &at, &note));)
        length += (size_t)snprintf(text + length, NOTES_BYTES - length, "%s%" PRIu64 " %s", length ? "\n" : "", count, note);
}

enum gsim_status gsim_cli_alone(const char *value, bool *infers, struct gsim_error *error)
{
    *infers = !value || strcmp(value, "inferred") == 0;
    if (*infers || strcmp(value, "recorded") == 0) return GSIM_OK;
    return gsim_error_set(error, GSIM_USAGE, "--alone: expected inferred or recorded, found '%s'", value);
}

/* Adds a line on it to TEXT. */
static enum gsim_status infer(const struct gsim_trace_validation *v, struct gsim_program *program, const struct gsim_import_times *times,
                               char text[NOTES_BYTES], struct gsim_error *error)
{
    struct gsim_alone alone;
    char line[GSIM_ALONE_TEXT_SIZE];
    enum gsim_status status = gsim_infer_alone(v->predictor, program, times->ops, times->count, NULL, NULL, &alone, error);
    size_t length = strlen(text);
    if (status == GSIM_OK && alone.kernels)
        snprintf(text + length, NOTES_BYTES - length, "%s%s", length ? "\n" : "", gsim_alone_text(&alone, v->predictor->device->name, line));
    return status;
}

/* How many words of GPU, letters and digits in a row, stand in a device's name or title. */
static int shared_words(const char *gpu, const char *name, const char *title)
{
    int shared = 0;
    char all[192];
    snprintf(all, sizeof all, "%.80s %.100s", name, title ? title : "");
    for (const char *at = gpu; *at;) {
        size_t length = 0;
        char word[64];
        while (isalnum((unsigned char)at[length]) && length < sizeof word - 1) {
            word[length] = (char)tolower((unsigned char)at[length]);
            length++;
        }
        word[length] = '\0';
        for (char *c = all; *c; c++) *c = (char)tolower((unsigned char)*c);
        shared += length && strstr(all, word);
        at += length ? length : 1;
    }
    return shared;
}

const char *gsim_cli_device_of(const char *gpu, char room[64])
{
    struct gsim_device_entries list = {0};
    struct gsim_error ignored = {0};
    int best = 0;
    size_t length = 0;
    room[0] = '\0';
    if (!gpu[0] || gsim_device_list(&list, &ignored) != GSIM_OK) return NULL;
    for (size_t i = 0; i < list.count; i++) {
        const char *name = list.entries[i].name;
        if (!gsim_text_is_gpu(gpu, name)) continue;
        int shared = shared_words(gpu, name, list.entries[i].title);
        if (shared < best || (shared == best && length && strlen(name) >= length)) continue;
        best = shared;
        length = strlen(name);
        snprintf(room, 64, "%s", name);
    }
    gsim_device_list_release(&list);
    return room[0] ? room : NULL;
}

enum gsim_status gsim_cli_trace_add(struct gsim_trace_validation *v, const char *path, const struct gsim_import_options *part, bool infers,
                                    struct gsim_error *error)
{
    char text[NOTES_BYTES];
    const char *slash = strrchr(path, '/');
    struct gsim_import_times times = {0};
    struct gsim_import_notes notes = {0};
    struct gsim_program program = {0};
    struct gsim_import_options options = {.name = "trace", .gaps = true, .last = UINT32_MAX, .times = &times};
    if (part) {
        options.part = part->part;
        options.first = part->first;
        options.last = part->last;
    }
    gsim_import_charge(&options, v->predictor->device);
    const struct gsim_importer *importer = gsim_importer_of(path, error);
    enum gsim_status status = importer ? importer->read(path, &options, &program, &notes, error) : error->status;
    if (status == GSIM_OK) {
        write_notes(&notes, text);
        const char *title = v->predictor->device->title; /* of a calibrated device: the GPU's own name */
        if (notes.gpu[0] && !gsim_text_is_gpu(notes.gpu, v->predictor->device->name) && (!title || strcmp(notes.gpu, title) != 0))
            fprintf(
                stderr,
                "gpusim: note: '%s' was recorded on '%s', but its durations now count as those of %s (see --device)\n",
                path, notes.gpu, v->predictor->device->name);
        const struct gsim_validated_trace traced = {.file = slash ? slash + 1 : path,
                                           .gpu = notes.gpu,
                                           .program = &program,
                                           .ops = times.ops,
                                           .op_count = times.count,
                                           .span_us = notes.span_us,
                                           .repairs = gsim_import_repairs(&notes),
                                           .notes = text};
        if (infers && notes.shared) status = infer(v, &program, &times, text, error);
        if (status == GSIM_OK) status = gsim_trace_validation_add(v, &traced, error);
        if (status != GSIM_OK) (void)gsim_error_prefix(error, "cannot replay '%s'", path);
    }
    gsim_import_times_release(&times);
    gsim_program_release(&program);
    return status;
}
