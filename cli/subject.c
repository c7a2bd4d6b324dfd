/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See cli/subject.h. A trace is told from a program by the file itself.
 */
#include "cli/subject.h"

#include <inttypes.h>
#include <unistd.h>

#include "gpusim/limits.h"
#include "sim/base/gz.h"
#include "sim/base/text.h"
#include "sim/device/device.h"
#include "traces/import/formats.h"

#define DEVICE_OF_TRACES "h200" /* of traces that name no GPU */

static bool is_program(const char *path)
{
    char hint[8192];
    return gsim_gz_head(path, hint, sizeof hint) && strstr(hint, "\"gpusim-program/");
}

static enum gsim_status find_device(struct gsim_cli_subject *s, const struct gsim_importer *importer, const char *path)
{
    char gpu[64];
    if (s->arguments.value[GSIM_CLI_DEVICE]) return GSIM_OK;
    gsim_importer_gpu(importer, path, gpu);
    const char *name = gsim_cli_device_of(gpu, s->device);
    s->arguments.value[GSIM_CLI_DEVICE] = name ? name : DEVICE_OF_TRACES;
    return GSIM_OK;
}

static void tell(const struct gsim_cli_subject *s, const char *path)
{
    const struct gsim_import_notes *notes = &s->notes;
    uint64_t count;
    const char *text;
    fprintf(stderr, "gpusim: '%s': %" PRIu64 " kernels, %" PRIu64 " copies on %" PRIu64 " streams, replayed on %s\n", path, notes->kernels,
            notes->copies + notes->memsets, notes->streams, s->setup.device.name);
    for (uint32_t at = 0; (count = gsim_import_next_note(notes, &at, &text));)
        fprintf(stderr, "gpusim: note: %" PRIu64 " %s\n", count, text);
    if (notes->overhead_us > 0)
        fprintf(stderr, "gpusim: note: %.1f us of the host's time are the profiler's own, as estimated: removed (--profiler-overhead)\n", notes->overhead_us);
    if (notes->gpu[0] && !gsim_text_is_gpu(notes->gpu, s->setup.device.name))
        fprintf(stderr, "gpusim: note: recorded on '%s', but its durations count as those of %s (see --device)\n", notes->gpu,
                s->setup.device.name);
}

static enum gsim_status import(struct gsim_cli_subject *s, const struct gsim_importer *importer, const char *path, struct gsim_program *program,
                               struct gsim_error *error)
{
    char name[GSIM_LIMIT_NAME + 1];
    const char *slash = strrchr(path, '/');
    struct gsim_import_options options = {.name = name};
    struct gsim_alone alone = {0};
    bool infers = true;
    snprintf(name, sizeof name, "%.*s", (int)GSIM_LIMIT_NAME, slash ? slash + 1 : path);
    name[strcspn(name, ".")] = '\0';
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
    if (!name[0]) snprintf(name, sizeof name, "trace");
    enum gsim_status status = gsim_cli_import_options(&s->arguments, &options, error);
    if (status == GSIM_OK) status = gsim_cli_alone(s->arguments.value[GSIM_CLI_ALONE], &infers, error);
    if (status != GSIM_OK) return status;
    gsim_import_charge(&options, &s->setup.device);
    status = importer->read(path, &options, program, &s->notes, error);
    if (status == GSIM_OK && infers && s->notes.shared) {
        s->notes = (struct gsim_import_notes){0};
        status = gsim_cli_import_alone(importer, path, &options, &s->setup.device, program, &s->notes, &alone, error);
    }
    return status;
}

static enum gsim_status check_words(const struct gsim_cli_arguments *arguments, const char *path, struct gsim_error *error)
{
    static const enum gsim_cli_key of_traces[] = {GSIM_CLI_GAPS, GSIM_CLI_COPIES, GSIM_CLI_EXECUTION_TRACE, GSIM_CLI_DEPENDS,
                                                  GSIM_CLI_PROFILER_OVERHEAD, GSIM_CLI_UNEXPLAINED, GSIM_CLI_ALONE, GSIM_CLI_GPU, GSIM_CLI_RANK, GSIM_CLI_STEP,
                                                  GSIM_CLI_BETWEEN, GSIM_CLI_TIME, GSIM_CLI_RANGE};
    for (size_t i = 0; i < sizeof of_traces / sizeof of_traces[0]; i++)
        if (arguments->value[of_traces[i]])
            return gsim_error_set(error, GSIM_USAGE, "--%s: applies to profilers' traces only, '%.200s' is a program",
                                  gsim_cli_option_at(of_traces[i])->name, path);
    return GSIM_OK;
}

static enum gsim_status load(struct gsim_cli_subject *s, const char *path, struct gsim_error *error)
{
    const struct gsim_importer *importer = NULL;
    struct gsim_program program = {0};
    bool is_named = !strchr(path, '/') && gsim_workload_find(path);
    if (!is_named && access(path, F_OK) != 0) return gsim_error_set(error, GSIM_USAGE, "cannot read '%s': expected a trace, a program file or a built-in workload", path);
    if (!is_named && !is_program(path)) {
        importer = gsim_importer_of(path, error);
        if (!importer) return error->status;
        (void)find_device(s, importer, path);
    }
    s->is_trace = importer != NULL;
    enum gsim_status status = importer ? GSIM_OK : check_words(&s->arguments, path, error);
    if (status == GSIM_OK) status = gsim_cli_setup_init(&s->setup, &s->arguments, error);
    if (status == GSIM_OK && importer) status = import(s, importer, path, &program, error);
    if (status == GSIM_OK && importer) tell(s, path);
    if (importer) s->setup.program = &program;
    if (status == GSIM_OK) status = gsim_cli_point_init(&s->point, &s->setup, path, s->scheduler, error);
    s->setup.program = NULL;
    gsim_program_release(&program);
    if (status == GSIM_OK) gsim_cli_note_devices(&s->point.program, (const char *const[]){s->setup.device.name}, 1);
    return status;
}

enum gsim_status gsim_cli_subject_init(struct gsim_cli_subject *s, const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    const char *scheduler = arguments->value[GSIM_CLI_SCHED];
    *s = (struct gsim_cli_subject){.arguments = *arguments};
    if (arguments->operand_count != 1)
        return gsim_error_set(error, GSIM_USAGE, "nothing to look at: expected gpusim %s TRACE|PROGRAM|WORKLOAD",
                              gsim_cli_command_name((int)arguments->command));
    enum gsim_status status = gsim_cli_scheduler(scheduler ? scheduler : "async", &s->scheduler, error);
    if (status == GSIM_OK) status = gsim_cli_check_opts(arguments, &s->scheduler, 1, error);
    return status == GSIM_OK ? load(s, arguments->operands[0], error) : status;
}

bool gsim_cli_subject_has_data(const struct gsim_cli_subject *s)
{
    const struct gsim_program *p = &s->point.program;
    if (s->is_trace) return s->notes.data_works > 0;
    for (uint32_t i = 0; i < p->op_count; i++)
        if (p->ops[i].kind == GSIM_OP_KERNEL && (p->ops[i].arg_count || p->ops[i].after_count)) return true;
    return false;
}

void gsim_cli_subject_release(struct gsim_cli_subject *s)
{
    gsim_cli_point_release(&s->point);
    gsim_cli_setup_release(&s->setup);
    *s = (struct gsim_cli_subject){0};
}
