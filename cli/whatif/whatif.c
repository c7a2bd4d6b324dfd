/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim whatif": what each change would be worth (ask/whatif/rows.h). */
#include "cli/whatif/whatif.h"

#include "plots/figure.h"

static enum gsim_status run(struct gsim_cli_whatif *w, const struct gsim_cli_arguments *arguments,
                            struct gsim_error *error)
{
    const char *picture = arguments->value[GSIM_CLI_OUTPUT];
    struct gsim_cli_subject *s = &w->asked.subject;
    if (picture && gsim_figure_check(picture, error)) return gsim_error_prefix(error, "--output");
    enum gsim_status status = gsim_cli_jobs(arguments, 0, &w->found.jobs, error);
    if (!status) status = gsim_cli_asked_init(&w->asked, arguments, error);
    if (status) return status;
    w->found.base = w->asked.base;
    if (s->is_trace) gsim_cli_step_factors(s, w->found.host_factors);
    gsim_whatif_settle(&w->found.base, &s->point.simulation);
    status = gsim_whatif_run(&w->found, arguments->value[GSIM_CLI_CHANGE], error);
    if (!status) gsim_whatif_check(w);
    return status ? status : gsim_whatif_deliver(w, error);
}

int gsim_cli_whatif(const struct gsim_cli_arguments *arguments)
{
    struct gsim_error error = {0};
    struct gsim_cli_whatif *w = gsim_alloc(sizeof *w);
    enum gsim_status status = w ? run(w, arguments, &error) : gsim_error_set(&error, GSIM_NOMEM, "out of memory");
    if (w) {
        gsim_cli_asked_release(&w->asked);
        gsim_arena_release(&w->arena);
    }
    gsim_free(w);
    return status == GSIM_OK ? 0 : gsim_cli_fail(&error);
}
