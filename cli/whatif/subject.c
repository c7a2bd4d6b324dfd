/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See cli/whatif/subject.h. A trace is told from a program by the file itself.
 */
#include "cli/whatif/subject.h"

#include <inttypes.h>
#include <unistd.h>

#include "ask/subject.h"
#include "sim/base/output.h"
#include "sim/base/text.h"
#include "sim/sm/demand.h"

/* What CUDA graphs launched is a graph again, unless a scheduler is named. */
static void use_graph(struct gsim_cli_subject *s)
{
    const struct gsim_import_notes *n = &s->notes;
    if (s->arguments.value[GSIM_CLI_SCHED] || !gsim_import_is_graph(&s->notes)) return;
    s->scheduler = gsim_scheduler_find("cudagraph");
    fprintf(
        stderr,
        "gpusim: note: %s of it was launched by CUDA graphs: taken to be one (--sched async: launches of their own)\n",
        n->graph_works == n->kernels + n->copies + n->memsets ? "all" : "most");
}

static enum gsim_status renew_inputs(struct gsim_cli_subject *s, struct gsim_error *error)
{
    struct gsim_program again = {0};
    if (gsim_program_renew(&s->point.program, &again, error)) return error->status;
    if (!again.op_count) return GSIM_OK;
    gsim_program_release(&s->point.program);
    s->point.program = again;
    snprintf(s->gpu_note, sizeof s->gpu_note, "each iteration moves what the host has at first, as the first one does");
    return GSIM_OK;
}

static enum gsim_status load(struct gsim_cli_subject *s, const char *path, struct gsim_error *error)
{
    struct gsim_program program = {0};
    enum gsim_subject_kind found = gsim_subject_kind_of(path);
    bool is_named = gsim_subject_is_name(found);
    enum gsim_status status = GSIM_OK;
    if (!is_named && access(path, F_OK) != 0) {
        if (strchr(path, '/') || strchr(path, '.'))
            return gsim_refuse(error, "cannot read '%s': No such file or directory", path);
        return gsim_cli_unknown_workload(path, error);
    }
    if (gsim_subject_expect(path,
                            GSIM_SUBJECT_BIT(PROGRAM) | GSIM_SUBJECT_BIT(TRACE) | GSIM_SUBJECT_BIT(CUDA) |
                                GSIM_SUBJECT_BIT(PLUGIN),
                            "a trace, a program or a workload", error))
        return error->status;
    s->is_trace = !is_named && found != GSIM_SUBJECT_PROGRAM && found != GSIM_SUBJECT_PLUGIN;
    uint64_t use = found == GSIM_SUBJECT_CUDA ? GSIM_CLI_OF_CUDA : GSIM_CLI_OF_TRACE;
    if (s->is_trace && gsim_cli_check_used(&s->arguments, use, error)) return error->status;
    if (s->is_trace) {
        struct gsim_import_origin *origin = s->arguments.command == GSIM_CLI_SCHEDULE ? &s->origin : NULL;
        status = gsim_cli_import_trace(&s->arguments, path, &program, &s->notes, &s->step.found, origin, &s->device,
                                       s->gpu_note, error);
        s->arguments.device = status == GSIM_OK ? &s->device : NULL;
        if (s->notes.workflow_tasks)
            snprintf(s->gpu_note, sizeof s->gpu_note, "a workflow: a second of its tasks is a millisecond here");
    }
    if (status == GSIM_OK && s->is_trace) use_graph(s);
    if (status == GSIM_OK) status = gsim_cli_setup_init(&s->setup, &s->arguments, error);
    if (s->is_trace) s->setup.program = &program;
    const char *overhead = s->arguments.value[GSIM_CLI_PROFILER_OVERHEAD];
    bool is_watched = overhead && strcmp(overhead, "keep") == 0;
    if (status == GSIM_OK && s->is_trace) gsim_import_fit_gap(&s->notes, is_watched, &s->setup.device);
    if (status == GSIM_OK && s->is_trace) status = gsim_cli_setup_machine(&s->setup, error);
    if (status == GSIM_OK) status = gsim_cli_point_init(&s->point, &s->setup, path, s->scheduler, error);
    if (status == GSIM_OK && s->arguments.command == GSIM_CLI_SCHEDULE)
        status = gsim_cli_point_known(&s->point, "schedule", error);
    if (status == GSIM_OK && s->setup.places_best) status = gsim_cli_best_place(&s->point, true, error);
    bool is_asked = s->arguments.command == GSIM_CLI_WHATIF || s->arguments.command == GSIM_CLI_QUESTION ||
                    s->arguments.value[GSIM_CLI_CHANGE];
    if (status == GSIM_OK && is_asked && !s->is_trace && !is_named && !s->point.source && !s->setup.iterations &&
        s->point.program.iterations == 1)
        status = renew_inputs(s, error);
    s->setup.program = NULL;
    gsim_program_release(&program);
    if (status == GSIM_OK) gsim_cli_note_devices(&s->point.program, (const char *const[]){s->setup.device.name}, 1);
    return status;
}

enum gsim_status gsim_cli_subject_init(struct gsim_cli_subject *s, const struct gsim_cli_arguments *arguments,
                                       struct gsim_error *error)
{
    const char *scheduler = arguments->value[GSIM_CLI_SCHED];
    *s = (struct gsim_cli_subject){.arguments = *arguments, .host_factor = 1};
    if (arguments->operand_count != 1)
        return gsim_refuse(error, "nothing to look at: expected gpusim %s%s TRACE|PROGRAM|WORKLOAD",
                           gsim_cli_command_name((int)arguments->command),
                           arguments->command == GSIM_CLI_QUESTION ? " QUESTION" : "");
    enum gsim_status status = gsim_cli_step_time(arguments->value[GSIM_CLI_STEP_TAKES], &s->step.asked_us, error);
    if (status == GSIM_OK) status = gsim_cli_scheduler(scheduler ? scheduler : "async", &s->scheduler, error);
    if (status == GSIM_OK) status = gsim_cli_check_opts(arguments, &s->scheduler, 1, error);
    if (status == GSIM_OK) status = load(s, arguments->operands[0], error);
    if (status == GSIM_OK && !s->point.source) {
        /* A kernel that does not fit the device is for the run to tell. */
        const struct gsim_program *p = &s->point.program;
        struct gsim_error ignored = {0};
        s->demands = gsim_alloc(sizeof *s->demands * ((size_t)p->kernel_count + 1));
        if (s->demands &&
            gsim_demands_init(s->demands, p->kernel_count, s->point.simulation.device, p->kernels, &ignored) == GSIM_OK)
            s->point.simulation.demands = s->demands;
    }
    if (status == GSIM_OK && gsim_cli_subject_is_recorded(s)) status = gsim_cli_step_measure(s, error);
    return status;
}

bool gsim_cli_subject_is_recorded(const struct gsim_cli_subject *s) { return s->is_trace && !s->notes.is_source; }

bool gsim_cli_subject_has_data(const struct gsim_cli_subject *s)
{
    return s->is_trace ? s->notes.data_works > 0 : gsim_program_has_data(&s->point.program);
}

void gsim_cli_subject_note(struct gsim_cli_subject *s, const char *text)
{
    size_t at = strlen(s->gpu_note);
    snprintf(s->gpu_note + at, sizeof s->gpu_note - at, "%s%s", at ? "; " : "", text);
}

void gsim_cli_subject_release(struct gsim_cli_subject *s)
{
    gsim_free(s->demands);
    gsim_free(s->origin.external);
    gsim_cli_step_release(&s->step);
    gsim_cli_point_release(&s->point);
    gsim_cli_setup_release(&s->setup);
    gsim_device_release(&s->device);
    *s = (struct gsim_cli_subject){0};
}
