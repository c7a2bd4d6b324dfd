/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim report": results, or the report of one run, as one page of HTML. What stands in it:
 * plots/page/page.h.
 */
#include "ask/subject.h"
#include "plots/page/page.h"
#include "cli/figures/plot.h"

struct command {
    const struct gsim_cli_arguments *arguments;
    struct gsim_output output;
    struct gsim_page page;
    struct gsim_frame frame;
    struct gsim_track track;
};

/* The report of a run has one row, and a makespan beside its options; what compare writes has no schema of one. */
static bool is_run(const struct gsim_frame *frame)
{
    return frame->row_count == 1 && gsim_frame_find(frame, "lower_bound_us") &&
           gsim_frame_find(frame, "compute_transfer");
}

static enum gsim_status write_page(struct command *c, struct gsim_error *error)
{
    const char *path = c->arguments->operands[0];
    if (gsim_page_is_report(path)) return gsim_page_report(&c->page, path, error);
    enum gsim_status status = gsim_frame_read(&c->frame, path, error);
    if (status == GSIM_OK && is_run(&c->frame)) {
        status = gsim_track_read(path, &c->track, error);
        return status == GSIM_OK ? gsim_page_run(&c->page, &c->frame, &c->track, error) : status;
    }
    if (status == GSIM_OK) status = gsim_page_results(&c->page, &c->frame, error);
    if (status == GSIM_OK && gsim_subject_kind_of(path) == GSIM_SUBJECT_RESULTS)
        status = gsim_page_database(&c->page, path, error);
    gsim_output_text(&c->page.own.json, "]");
    return gsim_cli_name_kind(status, path, GSIM_KIND_FRAME, error);
}

int gsim_cli_page(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct command c = {.arguments = arguments};
    enum gsim_status status =
        arguments->operand_count != 1
            ? gsim_refuse(error, "expected one file, found %zu (see gpusim report --help)", arguments->operand_count)
            : GSIM_OK;
    if (status == GSIM_OK && !arguments->value[GSIM_CLI_OUTPUT])
        status = gsim_refuse(error, "no output: expected -o FILE.html (see gpusim report --help)");
    if (status == GSIM_OK) {
        c.page.source = arguments->operands[0];
        c.page.command = gsim_cli_command_line(arguments, &c.page.arena);
        status = gsim_page_begin(&c.page, error);
    }
    if (status == GSIM_OK) status = write_page(&c, error);
    if (status == GSIM_OK) status = gsim_output_open(&c.output, arguments->value[GSIM_CLI_OUTPUT], error);
    if (status == GSIM_OK) status = gsim_page_end(&c.page, &c.output, error);
    if (status == GSIM_OK) status = gsim_output_commit(&c.output, error);
    gsim_output_release(&c.output);
    gsim_page_release(&c.page);
    gsim_track_release(&c.track);
    gsim_frame_release(&c.frame);
    return status;
}
