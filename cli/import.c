/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim import": a profiler's trace into a program file. The trace is read by one of
 * traces/import/importers.def, the program written by sim/program/writer.c.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/subject.h"
#include "trust/validate/alone.h"
#include "cli/cli.h"
#include "cli/trust/host.h"
#include "cli/traces.h"
#include "gpusim/limits.h"
#include "sim/base/text.h"
#include "sim/device/match.h"
#include "sim/device/other.h"
#include "sim/base/jobs/progress.h"
#include "cli/ranks/traces.h"
#include "cli/words/source.h"
#include "sim/program/guess.h"
#include "traces/import/importers.h"
#include "gpusim/program.h"

#define DEVICE_DEFAULT "h200"

/* --- what was asked for ------------------------------------------------------------------------------------------ */
/* What was asked for, and what is written. */
struct import {
    const struct gsim_cli_arguments *arguments;
    const char *path;
    const struct gsim_importer *named, *importer;
    struct gsim_trace_origin origin;
    struct gsim_import_options options;
    struct gsim_import_notes notes;
    struct gsim_device_spec device; /* that it was recorded on */
    struct gsim_device_spec other;  /* that --device names, if it is of another GPU */
    bool is_other;
    struct gsim_program program;
    struct gsim_alone alone;
    struct gsim_cuda_options cuda;
    bool infers;
    char name[GSIM_LIMIT_NAME + 1], gpu_note[GSIM_CLI_GPU_NOTE];
    size_t told;   /* of the program's guesses, as they came */
    bool is_quiet; /* the others are not told */
};

static enum gsim_status parse_operands(struct import *i, struct gsim_error *error)
{
    char names[96] = "";
    struct gsim_nearest nearest;
    size_t count = i->arguments->operand_count;
    const char *word = count ? i->arguments->operands[0] : "";
    const struct gsim_importer *named = gsim_importer_find(word);
    if (count == 0) return gsim_refuse(error, "expected FILE, found nothing (see gpusim import --help)");
    if (count == 1 && named && access(word, F_OK) != 0)
        return gsim_refuse(error, "expected FILE behind %s, found nothing (see gpusim import --help)", word);
    if (count == 2 && !named) {
        gsim_nearest_init(&nearest, word);
        for (size_t f = 0; gsim_importer_at(f); f++) {
            size_t length = strlen(names);
            gsim_nearest_offer(&nearest, gsim_importer_at(f)->name);
            snprintf(names + length, sizeof names - length, "%s%s", f ? ", " : "", gsim_importer_at(f)->name);
        }
        gsim_nearest_offer(&nearest, "ncu");
        return gsim_refuse(error, "unknown format '%s': expected %s or ncu%s", word, names,
                           gsim_nearest_text(&nearest));
    }
    bool is_source = count > 2 && named && strcmp(word, "cuda") == 0; /* the file to read is the first */
    if (count > 2 && !is_source) return gsim_refuse(error, "expected one FILE, found %zu", count - 1);
    i->named = count >= 2 ? named : NULL;
    i->path = i->arguments->operands[is_source ? 1 : count - 1];
    return GSIM_OK;
}

/* By the file's content, whichever format was named, so that a wrong name does no harm. */
static enum gsim_status find_importer(struct import *i, struct gsim_error *error)
{
    char what[GSIM_IMPORTER_TEXT];
    bool is_trace;
    i->importer = gsim_importer_of(i->path, &i->origin, error);
    if (!i->importer && i->named &&
        !gsim_importer_what(i->path, what, &is_trace)[0]) { /* JSON: it says itself what it lacks */
        *error = (struct gsim_error){0};
        i->importer = i->named;
    }
    if (!i->importer) {
        struct gsim_error other = {0};
        if (gsim_subject_expect(i->path, GSIM_SUBJECT_BIT(TRACE), "a profiler's trace", &other)) *error = other;
        return error->status;
    }
    if (i->importer->read != gsim_importer_find("kineto")->read && strcmp(i->path, "-") != 0 &&
        gsim_cli_check_used(i->arguments, GSIM_CLI_OF_OTHER_PROFILER, error))
        return error->status;
    if (i->named && strcmp(i->path, "-") == 0) i->importer = i->named;
    if (i->named && i->named->read != i->importer->read)
        fprintf(stderr, "gpusim: note: '%s' is %s: read as that, not as %s\n", i->path, i->importer->what,
                i->named->name);
    return GSIM_OK;
}

static enum gsim_status parse_words(const struct gsim_cli_arguments *arguments, struct gsim_import_options *options,
                                    bool *infers, struct gsim_error *error)
{
    int gaps, depends, overhead, unexplained, copies, alone; /* by the option's placeholder */
    if (gsim_cli_choice(arguments, GSIM_CLI_GAPS, 0, &gaps, error) ||
        gsim_cli_choice(arguments, GSIM_CLI_DEPENDS, -1, &depends, error) ||
        gsim_cli_choice(arguments, GSIM_CLI_PROFILER_OVERHEAD, arguments->command != GSIM_CLI_IMPORT, &overhead,
                        error) ||
        gsim_cli_choice(arguments, GSIM_CLI_UNEXPLAINED, 0, &unexplained, error) ||
        gsim_cli_choice(arguments, GSIM_CLI_COPIES, GSIM_COPIES_BY_RATE, &copies, error) ||
        gsim_cli_choice(arguments, GSIM_CLI_ALONE, 0, &alone, error))
        return error->status;
    options->gaps = !gaps;
    options->wants_data = depends == 1;
    options->drops_order = depends == 2;
    options->execution_trace = depends < 0 || depends == 1 ? arguments->value[GSIM_CLI_EXECUTION_TRACE] : NULL;
    options->removes_overhead = overhead;
    options->drops_unexplained = unexplained;
    options->copies = copies;
    *infers = !alone;
    return gsim_cli_part(arguments, options, error);
}

/* The file's name without folders and endings, where no name was given. */
static enum gsim_status choose_name(const struct gsim_cli_arguments *arguments, const char *path,
                                    char name[GSIM_LIMIT_NAME + 1], struct gsim_error *error)
{
    const char *given = arguments->value[GSIM_CLI_NAME], *slash = strrchr(path, '/');
    if (given) {
        size_t length = strlen(given);
        bool is_plain = length >= 1 && length <= GSIM_LIMIT_NAME;
        for (size_t i = 0; i < length && is_plain; i++) is_plain = (unsigned char)given[i] >= 0x20 && given[i] < 0x7f;
        if (!is_plain)
            return gsim_refuse(error, "--name: expected 1 to %u printable ASCII characters", GSIM_LIMIT_NAME);
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

/* --- what was found ---------------------------------------------------------------------------------------------- */
static bool guess(struct import *i, const char *format, ...) GSIM_PRINTF(2, 3);
static bool guess(struct import *i, const char *format, ...)
{
    char line[4 * GSIM_LIMIT_NAME];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return gsim_program_guess(&i->program, line);
}

/* What is assumed of the GPU, of kernels' times alone and of all else, as the program's guesses. */
static enum gsim_status note_guesses(struct import *i, struct gsim_error *error)
{
    const struct gsim_import_notes *n = &i->notes;
    char text[GSIM_ALONE_TEXT_SIZE];
    const char *what;
    uint64_t count;
    if (i->alone.kernels)
        snprintf(i->notes.alone, sizeof i->notes.alone, "%s", gsim_alone_text(&i->alone, i->device.name, text));
    if (!i->gpu_note[0] && n->gpu[0] && !gsim_device_is_gpu(&i->device, n->gpu))
        snprintf(i->gpu_note, sizeof i->gpu_note,
                 "recorded on '%s', but its durations now count as those of %s (see --device)", n->gpu,
                 i->device.name);
    i->told = i->program.guesses ? strlen(i->program.guesses) : 0;
    bool fits = true;
    for (uint32_t at = 0; fits && (count = gsim_import_next_note(n, &at, &what));)
        fits = guess(i, "%" PRIu64 " %s", count, what);
    if (fits && !n->is_source) fits = gsim_program_guess(&i->program, n->alone);
    if (fits && n->overhead_us > 0)
        fits = guess(i, "%.1f us of the host's time are the profiler's own, as estimated: removed "
                        "(--profiler-overhead)", n->overhead_us);
    if (fits && !n->is_source && !n->data_works)
        fits = guess(i, "what depends on what is not recorded, only the order of streams and waits: schedulers keep "
                        "that order");
    if (fits && n->world > 1 && n->collectives)
        fits = guess(i, "rank %u of %u alone: how long it waits for the others is not known (give the traces of all "
                        "ranks)", n->rank, n->world);
    return fits ? GSIM_OK : gsim_no_memory(error);
}

/* Of a CUDA source some were told as they came. */
static enum gsim_status print_notes(struct import *i, struct gsim_error *error)
{
    const struct gsim_import_notes *n = &i->notes;
    char span[GSIM_TEXT_SIZE], line[GSIM_LIMIT_NAME + 1];
    if (!gsim_program_guess(&i->program, i->gpu_note)) return gsim_no_memory(error);
    if (i->is_quiet) return GSIM_OK;
    if (!n->is_source)
        fprintf(stderr,
                "gpusim: '%s': %" PRIu64 " kernels, %" PRIu64 " copies, %" PRIu64 " memsets on %" PRIu64
                " streams by %" PRIu64 " host threads, %s from the first launch to the last end\n",
                i->path, n->kernels, n->copies, n->memsets, n->streams, n->threads, gsim_text_us(span, n->span_us));
    for (const char *at = i->program.guesses ? i->program.guesses + i->told : NULL; gsim_guess_next(&at, line);)
        fprintf(stderr, "gpusim: note: %s\n", line);
    return GSIM_OK;
}

/* --- progress ---------------------------------------------------------------------------------------------------- */
static void tell_progress(void *context, double ratio, uint64_t records)
{
    char text[GSIM_TEXT_SIZE];
    struct gsim_progress *progress = context;
    progress->done = gsim_whole_u64(fmin(ratio, 1) * (double)progress->total);
    snprintf(progress->detail, sizeof progress->detail, "%s records", gsim_text_count(text, records));
    gsim_progress_show(progress);
}

static void tell_round(void *context, uint32_t round)
{
    struct gsim_progress *progress = context;
    progress->done = round;
    gsim_progress_show(progress);
}

/* --- kernels that ran beside others --- */
/* Reads the trace once more, with what was measured, which takes memory that other traces need not have; then lowers
 * their times. */
static enum gsim_status infer_alone(gsim_import_reader *read, const char *path, struct gsim_import_options *options,
                                    const struct gsim_device_spec *device, struct gsim_program *program,
                                    struct gsim_import_notes *notes, struct gsim_alone *alone, struct gsim_error *error)
{
    struct gsim_import_times times = {0};
    struct gsim_progress progress;
    struct gsim_gpu_options gpu;
    const struct gsim_predictor predictor = {device, &gpu, gsim_scheduler_find("async"), NULL, NULL};
    gsim_params_set_defaults(gsim_gpu_params, &gpu);
    gsim_program_release(program);
    *program = (struct gsim_program){0};
    options->times = &times;
    options->progress = NULL; /* shown once */
    if (options->steps) gsim_trace_steps_release(options->steps);
    enum gsim_status status = read(path, options, program, notes, error), found = GSIM_OK;
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
    options->times = NULL;
    gsim_import_times_release(&times);
    return status == GSIM_OK ? found : status;
}

static enum gsim_status prepare(struct import *i, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = i->arguments;
    enum gsim_status status = parse_operands(i, error);
    if (status == GSIM_OK) status = parse_words(arguments, &i->options, &i->infers, error);
    if (status == GSIM_OK) status = choose_name(arguments, i->path, i->name, error);
    if (status == GSIM_OK) {
        const char *path = arguments->value[GSIM_CLI_OUTPUT];
        if (!path) status = gsim_refuse(error, "no output: expected -o FILE (see gpusim import --help)");
    }
    if (status == GSIM_OK) status = find_importer(i, error);
    return status;
}

/* Where --device names another GPU than the trace: what was recorded is of the trace's, if that is known. */
static enum gsim_status find_other(struct import *i, struct gsim_error *error)
{
    struct gsim_device_spec recorded;
    enum gsim_status status = gsim_cli_trace_other(&i->origin, &i->device, &recorded, &i->is_other, error);
    if (status != GSIM_OK || !i->is_other) return status;
    i->other = i->device;
    i->device = recorded;
    return GSIM_OK;
}

static void release_devices(struct import *i)
{
    gsim_device_release(&i->device);
    if (i->is_other) gsim_device_release(&i->other);
    i->is_other = false;
}

/* The device of the trace, or else the one that --device says. */
static enum gsim_status read_for_device(struct import *i, struct gsim_error *error)
{
    struct gsim_progress progress;
    char device[GSIM_CLI_DEVICE_NAME] = "";
    const char *asked = i->arguments->value[GSIM_CLI_DEVICE];
    const char *otherwise = strcmp(i->importer->name, "cuda") == 0 ? GSIM_DEVICE_DEFAULT : DEVICE_DEFAULT;
    enum gsim_status status = asked ? GSIM_OK : gsim_cli_trace_device(&i->origin, device, error);
    if (status == GSIM_OK)
        status = gsim_device_load(asked ? asked : device[0] ? device : otherwise, &i->device, error);
    if (status == GSIM_OK && asked) status = find_other(i, error);
    if (status != GSIM_OK) return status;
    i->gpu_note[0] = '\0';
    if (!asked && device[0]) (void)gsim_cli_trace_take(&i->device, &i->origin, i->gpu_note);
    else if (!asked && strcmp(i->importer->name, "cuda") != 0 && strcmp(i->importer->name, "wfcommons") != 0)
        gsim_cli_note_guess(i->device.name, i->gpu_note, sizeof i->gpu_note);
    struct stat info;
    bool is_file = i->path && stat(i->path, &info) == 0;
    gsim_progress_start(&progress, is_file ? (uint64_t)info.st_size / 1000000 + 1 : 1, stderr);
    progress.unit = "MB";
    i->options.progress = tell_progress;
    i->options.progress_context = &progress;
    gsim_import_charge(&i->options, &i->device);
    if (i->options.steps) gsim_trace_steps_release(i->options.steps);
    status = i->importer->read(i->path, &i->options, &i->program, &i->notes, error);
    gsim_progress_clear(&progress);
    return status;
}

/* A trace that names its GPU behind its beginning only is read again for that GPU's device. */
static enum gsim_status read_trace(struct import *i, struct gsim_error *error)
{
    char device[GSIM_CLI_DEVICE_NAME];
    enum gsim_status status = read_for_device(i, error);
    bool is_told = i->origin.device[0] || i->origin.gpu[0] || strcmp(i->path, "-") == 0 ||
                   (i->arguments->value[GSIM_CLI_DEVICE] && gsim_device_is_gpu(&i->device, i->notes.gpu));
    if (status != GSIM_OK || is_told || !i->notes.gpu[0]) return status;
    i->origin.compute_capability = i->notes.compute_capability;
    i->origin.sm_count = i->notes.sm_count;
    i->origin.dram_gbps = i->notes.dram_gbps;
    i->origin.clock_mhz = i->notes.clock_mhz;
    snprintf(i->origin.gpu, sizeof i->origin.gpu, "%s", i->notes.gpu);
    i->gpu_note[0] = '\0';
    status = gsim_cli_trace_device(&i->origin, device, error);
    if (status != GSIM_OK || !device[0] || strcmp(device, i->device.name) == 0) return status;
    gsim_program_release(&i->program);
    release_devices(i);
    i->program = (struct gsim_program){0};
    return read_for_device(i, error);
}

enum gsim_status gsim_cli_import_trace(const struct gsim_cli_arguments *arguments, const char *path,
                                       struct gsim_program *program, struct gsim_import_notes *notes,
                                       struct gsim_trace_steps *steps, struct gsim_import_origin *origin,
                                       struct gsim_device_spec *device, char gpu_note[GSIM_CLI_GPU_NOTE],
                                       struct gsim_error *error)
{
    struct import i = {
        .arguments = arguments,
        .path = path,
        .infers = true,
        .options = {.replays_graphs = !arguments->value[GSIM_CLI_SCHED], .steps = steps, .origin = origin}};
    i.options.splits_waits = true;
    i.options.name = i.name;
    enum gsim_status status = parse_words(arguments, &i.options, &i.infers, error);
    if (status == GSIM_OK) status = choose_name(arguments, path, i.name, error);
    if (status == GSIM_OK) status = find_importer(&i, error);
    struct gsim_cuda_word *words = NULL;
    if (status == GSIM_OK && strcmp(i.importer->name, "cuda") == 0) {
        i.options.cuda = &i.cuda;
        words = gsim_alloc(sizeof *words * (arguments->repeated_count + arguments->operand_count + 1));
        status = gsim_cli_source(arguments, words, &i.cuda, error);
        if (!gpu_note) i.cuda.note = NULL;
    }
    if (status == GSIM_OK) status = read_trace(&i, error);
    if (status == GSIM_OK && words) status = gsim_cli_source_used(&i.cuda, error);
    gsim_free(words);
    if (status == GSIM_OK && i.infers && i.notes.shared)
        status = infer_alone(i.importer->read, path, &i.options, &i.device, &i.program, &i.notes, &i.alone, error);
    if (status == GSIM_OK && i.is_other) {
        /* What was recorded on one GPU, on the other beside the same host. */
        gsim_import_fit_gap(&i.notes, !i.options.removes_overhead, &i.device);
        i.notes.node_gaps = 0; /* they are told */
        i.notes.stream_gap_us = 0;
        gsim_other_replace(&i.other, &i.device);
        gsim_cli_trace_move(&i.program, &i.other, i.gpu_note);
        gsim_device_release(&i.device);
        i.device = i.other;
        i.is_other = false;
    }
    if (i.is_other) gsim_device_release(&i.other); /* it failed before */
    if (status == GSIM_OK) status = note_guesses(&i, error);
    if (status == GSIM_OK)
        status = gsim_cli_host_take(arguments, path, &i.device, &i.program, i.gpu_note, sizeof i.gpu_note, error);
    i.is_quiet = !gpu_note;
    if (status == GSIM_OK) status = print_notes(&i, error);
    if (gpu_note) snprintf(gpu_note, GSIM_CLI_GPU_NOTE, "%s", i.gpu_note);
    *program = i.program;
    *notes = i.notes;
    *device = i.device;
    return status;
}

int gsim_cli_import(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_cli_run run = {0};
    struct import i = {.arguments = arguments, .infers = true, .options = {.cuda = &i.cuda, .name = i.name}};
    if (arguments->operand_count >= 2 && strcmp(arguments->operands[0], "ncu") == 0)
        return gsim_cli_import_ncu(arguments, error);
    if (gsim_cli_are_ranks(arguments) && !gsim_importer_find(arguments->operands[0]) &&
        (arguments->operand_count != 2 || access(arguments->operands[0], F_OK) == 0))
        return gsim_cli_import_ranks(arguments, error);
    size_t word_count = arguments->repeated_count + arguments->operand_count;
    struct gsim_cuda_word *words = gsim_alloc(sizeof *words * (word_count + 1));
    enum gsim_status status = gsim_cli_source(arguments, words, &i.cuda, error);
    if (status == GSIM_OK) status = prepare(&i, error);
    bool is_source = i.importer && strcmp(i.importer->name, "cuda") == 0;
    if (status == GSIM_OK)
        status = gsim_cli_check_used(arguments, is_source ? GSIM_CLI_OF_CUDA : GSIM_CLI_OF_TRACE, error);
    if (status == GSIM_OK && arguments->value[GSIM_CLI_RUN_LIMIT] && !arguments->value[GSIM_CLI_RUN_ARGS])
        status = gsim_refuse(error, "--run-limit: applies where the source is run (--run)");
    if (status == GSIM_OK && is_source) status = gsim_cli_source_run(arguments, i.path, true, &i.cuda, &run, error);
    if (status == GSIM_OK) status = read_trace(&i, error);
    gsim_cli_run_release(&run);
    if (status == GSIM_OK && is_source) status = gsim_cli_source_used(&i.cuda, error);
    if (status == GSIM_OK && i.infers && i.notes.shared)
        status = infer_alone(i.importer->read, i.path, &i.options, &i.device, &i.program, &i.notes, &i.alone, error);
    if (status == GSIM_OK) status = note_guesses(&i, error);
    if (status == GSIM_OK) status = print_notes(&i, error);
    if (status == GSIM_OK) status = gsim_cli_apply_kernels(arguments, &i.program, error);
    if (status == GSIM_OK) status = gsim_program_write(&i.program, arguments->value[GSIM_CLI_OUTPUT], error);
    if (status == GSIM_OK && i.notes.is_source) gsim_cli_print_launches(&i.notes);
    gsim_program_release(&i.program);
    release_devices(&i);
    gsim_free(words);
    return status;
}
