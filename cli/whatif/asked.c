/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cli/whatif/asked.h. */
#include "cli/whatif/asked.h"

#include "ask/subject.h"

/* Tasks as they share the GPU. */
static enum gsim_status read_tasks(struct gsim_cli_asked *a, const struct gsim_cli_arguments *arguments,
                                   struct gsim_error *error)
{
    struct gsim_cli_tasks *t = &a->tasks;
    const struct gsim_sharing_ops *way;
    const char *share = arguments->value[GSIM_CLI_SHARE];
    void *params;
    if (arguments->operand_count) return gsim_refuse(error, "'%.60s': --task names what runs", arguments->operands[0]);
    enum gsim_status status = gsim_cli_setup_init(&a->setup, arguments, error);
    if (!status) status = gsim_cli_tasks_init(t, &a->setup, error);
    if (!status) status = gsim_cli_share(share ? share : "exclusive", &way, error);
    if (!status) status = gsim_cli_check_share_opts(t, &way, 1, error);
    if (!status) status = gsim_cli_share_params(t, way, &params, error);
    if (status) return status;
    struct gsim_client *clients = GSIM_ARENA_ARRAY(&t->arena, struct gsim_client, t->count);
    a->base = (struct gsim_changeable){.simulation = &a->simulation, .clients = clients, .client_count = t->count};
    for (uint32_t i = 0; i < t->count; i++) {
        const struct gsim_task *task = &t->tasks[i];
        clients[i] = (struct gsim_client){.program = task->program,
                                          .scheduler = task->scheduler,
                                          .scheduler_params = task->scheduler_params,
                                          .task = task,
                                          .rank = i,
                                          .copies = 1};
        a->base.has_data |= gsim_program_has_data(task->program);
    }
    a->simulation = gsim_cli_tasks_simulation(t, way, params);
    if (gsim_question_check(gsim_cli_command_name((int)arguments->command), &a->base, error)) return error->status;
    if (a->simulation.omits_kernels)
        return gsim_refuse(error, "--task: more than 1,000,000 kernels: expected fewer requests");
    return GSIM_OK;
}

bool gsim_cli_is_server(const struct gsim_cli_arguments *arguments)
{
    return arguments->operand_count == 1 && gsim_subject_kind_of(arguments->operands[0]) == GSIM_SUBJECT_SERVER;
}

static enum gsim_status read_server(struct gsim_cli_asked *a, const struct gsim_cli_arguments *arguments,
                                    struct gsim_error *error)
{
    void *params;
    enum gsim_status status = gsim_cli_check_used(arguments, GSIM_CLI_OF_SERVER, error);
    if (!status) status = gsim_cli_server_init(arguments, arguments->operands[0], &a->server, error);
    if (status) return status;
    struct gsim_library *library = gsim_cli_server_library(a->server);
    a->served = (struct gsim_server){.spec = library->spec, .device = library->device};
    status = gsim_cli_server_policy(arguments, a->server, library->spec->batching, &a->served.policy, &params, error);
    a->served.params = params;
    gsim_cli_server_watch(a->server, &a->served);
    if (status) return status;
    const struct gsim_scheduler_ops view = gsim_cli_policy_view(a->served.policy), *const views[] = {&view};
    status = gsim_cli_check_opts(arguments, views, 1, error);
    if (!status && library->spec->moved) gsim_cli_subject_note(&a->subject, library->spec->moved);
    a->base = (struct gsim_changeable){
        .simulation = &library->simulation, .server = &a->served, .library = library, .has_data = true};
    return status;
}

enum gsim_status gsim_cli_asked_init(struct gsim_cli_asked *a, const struct gsim_cli_arguments *arguments,
                                     struct gsim_error *error)
{
    *a = (struct gsim_cli_asked){.subject.arguments = *arguments};
    if (arguments->value[GSIM_CLI_RANKS] && gsim_cli_has_tasks(arguments))
        return gsim_refuse(error,
                           "--ranks: applies to one program (gpusim %s PROGRAM --ranks N), not "
                           "to tasks (--task)",
                           gsim_cli_command_name((int)arguments->command));
    if (gsim_cli_is_server(arguments)) return read_server(a, arguments, error);
    if (gsim_cli_are_ranks(arguments)) {
        const char *keeps = arguments->value[GSIM_CLI_PROFILER_OVERHEAD];
        enum gsim_status status =
            gsim_cli_rank_traces_read(&a->ranks, arguments, !keeps || strcmp(keeps, "keep") != 0, error);
        for (uint32_t i = 0; i < a->ranks.note_count; i++) gsim_cli_subject_note(&a->subject, a->ranks.notes[i]);
        a->base = a->ranks.base;
        return status;
    }
    if (gsim_cli_has_tasks(arguments)) return read_tasks(a, arguments, error);
    a->base = (struct gsim_changeable){.simulation = &a->subject.point.simulation};
    enum gsim_status status = gsim_cli_subject_init(&a->subject, arguments, error);
    if (!status) a->base.has_data = gsim_cli_subject_has_data(&a->subject);
    return status;
}

static const struct gsim_program *program_of(const struct gsim_cli_asked *a)
{
    return gsim_changeable_has_ranks(&a->base) ? a->base.clients[0].program : a->base.simulation->program;
}

static const char *name_of(const struct gsim_cli_asked *a)
{
    const struct gsim_source_ops *source = a->base.simulation->source;
    return source ? source->name : program_of(a)->name;
}

static const char *guesses_of(const struct gsim_cli_asked *a) { return program_of(a)->guesses; }

void gsim_cli_asked_put_title(struct gsim_output *out, const struct gsim_cli_asked *a,
                              const struct gsim_simulation *now)
{
    if (gsim_changeable_has_ranks(&a->base)) gsim_output_printf(out, "%u ranks", gsim_changeable_ranks(&a->base));
    else gsim_output_text(out, name_of(a));
    bool are_tasks = a->base.clients && !gsim_changeable_has_ranks(&a->base);
    const char *under = a->base.library ? a->served.policy->name
                        : are_tasks     ? now->sharing->name
                                        : now->scheduler->name;
    gsim_output_printf(out, " under %s on %s", under, now->device->name);
}

void gsim_cli_asked_put_json(struct gsim_output *out, const struct gsim_cli_asked *a,
                             const struct gsim_simulation *now)
{
    gsim_output_put(out, "  'version': '%s',\n  'program': %q,\n  'scheduler': %q,\n  'device': %q", GPUSIM_VERSION,
                    name_of(a), now->scheduler->name, now->device->name);
    if (gsim_changeable_has_ranks(&a->base)) gsim_output_put(out, ",\n  'ranks': %u", gsim_changeable_ranks(&a->base));
    else if (a->base.clients)
        gsim_output_put(out, ",\n  'share': %q, 'tasks': %u", now->sharing->name, a->base.client_count);
    gsim_cli_put_guesses_json(out, guesses_of(a), a->subject.gpu_note);
}

void gsim_cli_asked_put_notes(struct gsim_output *out, const struct gsim_cli_asked *a, bool is_told)
{
    if (!is_told && a->subject.gpu_note[0]) {
        gsim_output_text(out, "\nnote:");
        gsim_cli_wrap(out, a->subject.gpu_note, 5, 2);
    }
    gsim_cli_put_guesses(out, guesses_of(a), a->subject.gpu_note);
}

void gsim_cli_asked_release(struct gsim_cli_asked *a)
{
    gsim_cli_rank_traces_release(&a->ranks);
    gsim_cli_server_destroy(a->server);
    if (a->tasks.setup) gsim_cli_tasks_release(&a->tasks);
    if (a->setup.arguments) gsim_cli_setup_release(&a->setup);
    gsim_cli_subject_release(&a->subject);
    *a = (struct gsim_cli_asked){0};
}
