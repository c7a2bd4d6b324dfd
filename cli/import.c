/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (program). "gpusim import": a profiler's trace into a program file. The trace is read by
 * an importer of traces/import/importers.def, the program written by sim/program/writer.c.
 */
#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

#include "sim/device/device.h"
#include "trust/validate/alone.h"
#include "cli/cli.h"
#include "cli/traces.h"
#include "gpusim/limits.h"
#include "sim/base/text.h"
#include "sim/base/jobs/progress.h"
#include "traces/import/formats.h"
#include "sim/program/writer.h"

#define DEVICE_DEFAULT "h200"

/* --- what was asked for ------------------------------------------------------------------------------------------ */
static const char *path_of(const struct gsim_cli_arguments *arguments)
{
    return arguments->operands[arguments->operand_count - 1];
}

/* FILE alone: found in the file. */
static enum gsim_status find_format(const struct gsim_cli_arguments *arguments, const struct gsim_importer **importer,
                                    struct gsim_error *error)
{
    char hint[96], names[96] = "";
    struct gsim_nearest nearest;
    if (arguments->operand_count == 0)
        return gsim_error_set(error, GSIM_USAGE, "expected FILE, found nothing (see gpusim import --help)");
    if (arguments->operand_count == 1) {
        if (gsim_importer_named(arguments->operands[0]))
            return gsim_error_set(error, GSIM_USAGE, "expected FILE behind %s, found nothing (see gpusim import --help)", arguments->operands[0]);
        *importer = gsim_importer_of(arguments->operands[0], error);
        return *importer ? GSIM_OK : error->status;
    }
    *importer = gsim_importer_named(arguments->operands[0]);
    if (*importer) return GSIM_OK;
    gsim_nearest_init(&nearest, arguments->operands[0]);
    for (const struct gsim_importer *i = gsim_importers; i->name; i++) {
        size_t length = strlen(names);
        gsim_nearest_offer(&nearest, i->name);
        snprintf(names + length, sizeof names - length, "%s%s", length ? (i[1].name ? ", " : " or ") : "", i->name);
    }
    return gsim_error_set(error, GSIM_USAGE, "unknown format '%s': expected %s%s", arguments->operands[0], names,
                          gsim_nearest_text(&nearest, hint, sizeof hint));
}

static enum gsim_status parse_copies(const char *word, struct gsim_import_options *options, struct gsim_error *error)
{
    options->copies = GSIM_COPIES_BY_RATE;
    if (!word || strcmp(word, "rate") == 0) return GSIM_OK;
    options->copies = strcmp(word, "recorded") == 0 ? GSIM_COPIES_RECORDED : GSIM_COPIES_MODELLED;
    if (options->copies == GSIM_COPIES_RECORDED || strcmp(word, "modelled") == 0) return GSIM_OK;
    return gsim_error_set(error, GSIM_USAGE, "--copies: expected rate, recorded or modelled, found '%s'", word);
}

enum gsim_status gsim_cli_import_options(const struct gsim_cli_arguments *arguments, struct gsim_import_options *options,
                                         struct gsim_error *error)
{
    const char *gaps = arguments->value[GSIM_CLI_GAPS];
    if (gaps && strcmp(gaps, "on") != 0 && strcmp(gaps, "off") != 0)
        return gsim_error_set(error, GSIM_USAGE, "--gaps: expected on or off, found '%s'", gaps);
    options->gaps = !gaps || strcmp(gaps, "on") == 0;
    const char *depends = arguments->value[GSIM_CLI_DEPENDS];
    options->drops_order = depends && strcmp(depends, "none") == 0;
    options->execution_trace = arguments->value[GSIM_CLI_EXECUTION_TRACE];
    bool wants_data = depends && strcmp(depends, "data") == 0;
    if (depends && !options->drops_order && !wants_data && strcmp(depends, "stream") != 0)
        return gsim_error_set(error, GSIM_USAGE, "--depends: expected stream, data or none, found '%s'", depends);
    if (wants_data && !options->execution_trace)
        return gsim_error_set(error, GSIM_USAGE, "--depends data: expected --execution-trace FILE with it");
    if (depends && !wants_data) options->execution_trace = NULL;
    const char *overhead = arguments->value[GSIM_CLI_PROFILER_OVERHEAD];
    if (overhead && strcmp(overhead, "keep") != 0 && strcmp(overhead, "remove") != 0)
        return gsim_error_set(error, GSIM_USAGE, "--profiler-overhead: expected keep or remove, found '%s'", overhead);
    options->removes_overhead = overhead ? strcmp(overhead, "remove") == 0 : arguments->command != GSIM_CLI_IMPORT;
    const char *unexplained = arguments->value[GSIM_CLI_UNEXPLAINED];
    options->drops_unexplained = unexplained && strcmp(unexplained, "drop") == 0;
    if (unexplained && !options->drops_unexplained && strcmp(unexplained, "keep") != 0)
        return gsim_error_set(error, GSIM_USAGE, "--unexplained: expected keep or drop, found '%s'", unexplained);
    enum gsim_status status = parse_copies(arguments->value[GSIM_CLI_COPIES], options, error);
    return status == GSIM_OK ? gsim_cli_part(arguments, options, error) : status;
}

/* The file's name without folders and endings, where no name was given. */
static enum gsim_status choose_name(const struct gsim_cli_arguments *arguments, char name[GSIM_LIMIT_NAME + 1],
                                    struct gsim_error *error)
{
    const char *given = arguments->value[GSIM_CLI_NAME], *path = path_of(arguments), *slash = strrchr(path, '/');
    if (given) {
        size_t length = strlen(given);
        bool is_plain = length >= 1 && length <= GSIM_LIMIT_NAME;
        for (size_t i = 0; i < length && is_plain; i++) is_plain = (unsigned char)given[i] >= 0x20 && given[i] < 0x7f;
        if (!is_plain)
            return gsim_error_set(error, GSIM_USAGE, "--name: expected 1 to %u printable ASCII characters",
                                  GSIM_LIMIT_NAME);
        snprintf(name, GSIM_LIMIT_NAME + 1, "%s", given);
        return GSIM_OK;
    }
    snprintf(name, GSIM_LIMIT_NAME + 1, "%.*s", (int)GSIM_LIMIT_NAME, slash ? slash + 1 : path);
    name[strcspn(name, ".")] = '\0';
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
    if (!name[0] || strcmp(name, "-") == 0) snprintf(name, GSIM_LIMIT_NAME + 1, "trace");
    return GSIM_OK;
}

static enum gsim_status check_output(const char *path, struct gsim_error *error)
{
    if (!path) return gsim_error_set(error, GSIM_USAGE, "no output: expected -o FILE (see gpusim import --help)");
    return GSIM_OK;
}

/* --- what was found ---------------------------------------------------------------------------------------------- */
static void print_notes(const char *path, const struct gsim_import_notes *notes, const struct gsim_alone *alone, const char *device)
{
    char span[GSIM_TEXT_SIZE], text_of_alone[GSIM_ALONE_TEXT_SIZE];
    uint64_t count;
    const char *text;
    fprintf(stderr,
            "gpusim: '%s': %" PRIu64 " kernels, %" PRIu64 " copies, %" PRIu64 " memsets on %" PRIu64
            " streams by %" PRIu64 " host threads, %s from the first launch to the last end\n",
            path, notes->kernels, notes->copies, notes->memsets, notes->streams, notes->threads,
            gsim_text_time(span, (gsim_time)(notes->span_us * (double)GSIM_PS_PER_US)));
    for (uint32_t at = 0; (count = gsim_import_next_note(notes, &at, &text));)
        fprintf(stderr, "gpusim: note: %" PRIu64 " %s\n", count, text);
    if (alone->kernels) fprintf(stderr, "gpusim: note: %s\n", gsim_alone_text(alone, device, text_of_alone));
    if (notes->overhead_us > 0) fprintf(stderr, "gpusim: note: %.1f us of the host's time are the profiler's own, as estimated: removed (--profiler-overhead)\n", notes->overhead_us);
    if (!notes->data_works) fputs("gpusim: note: what depends on what is not recorded, only the order of streams and waits: schedulers keep that order\n", stderr);
    if (notes->gpu[0] && !gsim_text_is_gpu(notes->gpu, device))
        fprintf(stderr, "gpusim: note: recorded on '%s', but its durations now count as those of %s (see --device)\n",
                notes->gpu, device);
}

/* --- progress ---------------------------------------------------------------------------------------------------- */
static void tell_progress(void *context, double ratio, uint64_t records)
{
    char text[GSIM_TEXT_SIZE];
    struct gsim_progress *progress = context;
    progress->done = (uint64_t)(fmin(ratio, 1) * (double)progress->total);
    snprintf(progress->detail, sizeof progress->detail, "%s records", gsim_text_count(text, records));
    gsim_progress_show(progress);
}

static void start_progress(struct gsim_progress *progress, const struct gsim_cli_arguments *arguments)
{
    struct stat info;
    bool is_file = arguments->operand_count && stat(path_of(arguments), &info) == 0;
    gsim_progress_start(progress, is_file ? (uint64_t)info.st_size / 1000000 + 1 : 1, stderr);
    progress->unit = "MB";
}

static void tell_round(void *context, uint32_t round)
{
    struct gsim_progress *progress = context;
    progress->done = round;
    gsim_progress_show(progress);
}

/* --- kernels that ran beside others -------------------------------------------------------------------------------- */
/* Reads the trace once more, with what was measured, which takes memory that other traces need not have; then lowers their times. */
enum gsim_status gsim_cli_import_alone(const struct gsim_importer *importer, const char *path, struct gsim_import_options *options,
                                       const struct gsim_device_spec *device, struct gsim_program *program, struct gsim_import_notes *notes,
                                       struct gsim_alone *alone, struct gsim_error *error)
{
    struct gsim_import_times times = {0};
    struct gsim_progress progress;
    struct gsim_gpu_options gpu;
    const struct gsim_predictor predictor = {device, &gpu, gsim_scheduler_find("async")};
    gsim_params_set_defaults(gsim_gpu_params, &gpu);
    gsim_program_release(program);
    *program = (struct gsim_program){0};
    options->times = &times;
    options->progress = NULL; /* shown once */
    enum gsim_status status = importer->read(path, options, program, notes, error), found = GSIM_OK;
    gsim_progress_start(&progress, GSIM_ALONE_ROUNDS, stderr);
    progress.unit = "replays";
    if (status == GSIM_OK)
        found = gsim_infer_alone(&predictor, program, times.ops, times.count, tell_round, &progress, alone, error);
    gsim_progress_clear(&progress);
    if (found == GSIM_INPUT) { /* not of this device: what was recorded can be imported all the same */
        fprintf(stderr, "gpusim: note: kernels that ran beside others keep their recorded times: %s\n", error->message);
        *alone = (struct gsim_alone){0};
        *error = (struct gsim_error){0};
        found = GSIM_OK;
    }
    gsim_import_times_release(&times);
    return status == GSIM_OK ? found : status;
}

int gsim_cli_import(const struct gsim_cli_arguments *arguments)
{
    char name[GSIM_LIMIT_NAME + 1] = "", found_name[64];
    struct gsim_error error = {0};
    struct gsim_progress progress;
    struct gsim_import_options options = {.name = name, .progress = tell_progress, .progress_context = &progress};
    struct gsim_import_notes notes = {0};
    struct gsim_device_spec device = {0};
    struct gsim_program program = {0};
    struct gsim_alone alone = {0};
    const struct gsim_importer *importer = NULL;
    bool infers = true;
    const char *device_name = arguments->value[GSIM_CLI_DEVICE], *output = arguments->value[GSIM_CLI_OUTPUT];
    enum gsim_status status = find_format(arguments, &importer, &error);
    if (status == GSIM_OK) status = gsim_cli_import_options(arguments, &options, &error);
    if (status == GSIM_OK) status = choose_name(arguments, name, &error);
    if (status == GSIM_OK) status = check_output(output, &error);
    if (status == GSIM_OK) status = gsim_cli_alone(arguments->value[GSIM_CLI_ALONE], &infers, &error);
    if (status == GSIM_OK && !device_name) {
        char gpu[64];
        gsim_importer_gpu(importer, path_of(arguments), gpu);
        device_name = gsim_cli_device_of(gpu, found_name);
    }
    if (status == GSIM_OK) status = gsim_device_load(device_name ? device_name : DEVICE_DEFAULT, &device, &error);
    start_progress(&progress, arguments);
    if (status == GSIM_OK) {
        gsim_import_charge(&options, &device);
        status = importer->read(path_of(arguments), &options, &program, &notes, &error);
        gsim_progress_clear(&progress);
    }
    if (status == GSIM_OK && infers && notes.shared)
        status = gsim_cli_import_alone(importer, path_of(arguments), &options, &device, &program, &notes, &alone, &error);
    if (status == GSIM_OK) {
        print_notes(path_of(arguments), &notes, &alone, device.name);
        status = gsim_program_write(&program, output, &error);
    }
    gsim_program_release(&program);
    gsim_device_release(&device);
    return status == GSIM_OK ? 0 : gsim_cli_fail(&error);
}
