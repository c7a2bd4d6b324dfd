/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim reproduce": a paper is a spec (cli/trust/paper.h), but for those whose numbers are no
 * runs of options: what a scheme takes to write, and ranks.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/trust/paper.h"
#include "plots/gnuplot.h"
#include "trust/published/collectives/collectives.h"
#include "trust/published/effort.h"

static enum gsim_status collectives(bool is_csv, struct gsim_output *output, struct gsim_error *error)
{
    struct gsim_published_collectives c = {0};
    enum gsim_status status = gsim_published_collectives_run(&c, error);
    if (status == GSIM_OK) (is_csv ? gsim_published_collectives_csv : gsim_published_collectives_print)(&c, output);
    return status;
}

static enum gsim_status effort(bool is_csv, struct gsim_output *output, struct gsim_error *error)
{
    struct gsim_effort e;
    enum gsim_status status = gsim_effort_run(&e, gsim_data_path, error);
    if (status == GSIM_OK) (is_csv ? gsim_effort_csv : gsim_effort_print)(&e, output);
    return status;
}

static const struct {
    const char *name;
    enum gsim_status (*write)(bool is_csv, struct gsim_output *output, struct gsim_error *error);
} in_c[] = {{"collectives", collectives}, {"kesco-effort", effort}};

/* Tables of their own: --csv alone goes with them. */
static enum gsim_status reproduce_in_c(size_t paper, const struct gsim_cli_arguments *arguments,
                                       struct gsim_error *error)
{
    static const enum gsim_cli_key others[] = {GSIM_CLI_ONLY, GSIM_CLI_REPORT, GSIM_CLI_FIGURE, GSIM_CLI_SCALE,
                                               GSIM_CLI_PER_CASE};
    struct gsim_output output;
    const char *csv = arguments->value[GSIM_CLI_CSV];
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (arguments->value[others[i]])
            return gsim_error_set(error, GSIM_USAGE, "reproduce %s: --%s: expected --csv alone", in_c[paper].name,
                                  gsim_cli_option_at(others[i])->name);
    enum gsim_status status = gsim_output_open(&output, csv ? csv : "-", error);
    if (status != GSIM_OK) return status;
    status = in_c[paper].write(csv != NULL, &output, error);
    if (status == GSIM_OK) status = gsim_output_commit(&output, error);
    gsim_output_release(&output);
    return status;
}

int gsim_cli_reproduce(const struct gsim_cli_arguments *arguments)
{
    struct gsim_error error = {0};
    const char *name = arguments->operand_count ? arguments->operands[0] : "all";
    enum gsim_status status = GSIM_USAGE;
    size_t paper = 0, count = sizeof in_c / sizeof in_c[0];
    while (paper < count && strcmp(in_c[paper].name, name) != 0) paper++;
    if (paper < count) status = reproduce_in_c(paper, arguments, &error);
    else if (gsim_cli_is_paper(name)) status = gsim_cli_paper(name, arguments, &error);
    else
        status = gsim_error_set(&error, GSIM_USAGE,
                                "reproduce: expected kesco, kesco-effort, grcuda, grcuda-gpus, all, acs, ccks, mega, "
                                "mp, collectives, xsched, fikit, tally or a spec's file, found '%.60s'",
                                name);
    return status == GSIM_OK ? 0 : gsim_cli_fail(&error);
}
