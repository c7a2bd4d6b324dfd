/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). What a finished run gives: its report in the terminal and the files asked for. All files
 * take their names only when all of them are complete. Runs: cli/run.c, and traces/runner/ on a real GPU.
 */
#include <string.h>
#include <unistd.h>

#include "ask/questions/question.h"
#include "cli/cli.h"
#include "sim/base/text.h"
#include "sim/program/guess.h"
#include "sim/report/chrome.h"

enum file_kind { FILE_REPORT, FILE_TRACE, FILE_CSV, FILE_KINDS };

static const enum gsim_cli_key file_keys[FILE_KINDS] = {GSIM_CLI_REPORT, GSIM_CLI_TRACE, GSIM_CLI_CSV};

struct files {
    struct gsim_output outputs[FILE_KINDS];
    bool open[FILE_KINDS];
};

static enum gsim_status write_files(const struct gsim_cli_arguments *arguments, const struct gsim_result *result,
                                    struct files *files, struct gsim_error *error)
{
    for (int i = 0; i < FILE_KINDS; i++) {
        const char *path = arguments->value[file_keys[i]];
        if (!path) continue;
        struct gsim_output *output = &files->outputs[i];
        enum gsim_status status = gsim_output_open(output, path, error);
        if (status != GSIM_OK) return status;
        files->open[i] = true;
        switch ((enum file_kind)i) {
        case FILE_REPORT:
            gsim_report_json(result, output);
            break;
        case FILE_TRACE:
            gsim_cli_note_window(result);
            status = gsim_chrome_write(result, output, error);
            break;
        case FILE_CSV:
            gsim_csv_write(result, output);
            break;
        case FILE_KINDS:
            break;
        }
        if (status != GSIM_OK) return status;
    }
    return GSIM_OK;
}

void gsim_cli_note_window(const struct gsim_result *result)
{
    char from[GSIM_TEXT_SIZE], end[GSIM_TEXT_SIZE];
    if (!result->window_until || result->window_from <= result->metrics->makespan) return;
    fprintf(stderr, "gpusim: note: --trace-window: nothing runs from %s on, the run ends at %s: the trace is empty\n",
            gsim_text_time(from, result->window_from), gsim_text_time(end, result->metrics->makespan));
}

static enum gsim_status print_report(const struct gsim_cli_arguments *arguments, const struct gsim_result *result,
                                     struct gsim_error *error)
{
    struct gsim_output output;
    struct gsim_style style = {.columns = gsim_text_columns(100), .utf8 = gsim_text_is_utf8()};
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    style.color = isatty(STDOUT_FILENO) && !(no_color && no_color[0]) && terminal && strcmp(terminal, "dumb") != 0;
    enum gsim_status status = gsim_output_open(&output, "-", error);
    if (status != GSIM_OK) return status;
    status = gsim_report_print(result, &style, &output, error);
    if (status == GSIM_OK && arguments->value[GSIM_CLI_GANTT]) {
        gsim_output_text(&output, "\n");
        status = gsim_gantt_print(result, &style, &output, error);
    }
    if (status == GSIM_OK) return gsim_output_commit(&output, error);
    gsim_output_release(&output);
    return status;
}

static enum gsim_status deliver(const struct gsim_cli_arguments *arguments, const struct gsim_result *result,
                                struct gsim_error *error)
{
    struct files files = {0};
    const char *program = arguments->value[GSIM_CLI_WRITE_PROGRAM];
    bool stdout_taken = program && strcmp(program, "-") == 0;
    enum gsim_status status = write_files(arguments, result, &files, error);
    for (int i = 0; i < FILE_KINDS; i++) {
        if (!files.open[i]) continue;
        stdout_taken = stdout_taken || files.outputs[i].is_stdout;
        if (status == GSIM_OK) status = gsim_output_commit(&files.outputs[i], error);
        else gsim_output_release(&files.outputs[i]);
    }
    return status == GSIM_OK && !stdout_taken ? print_report(arguments, result, error) : status;
}

enum gsim_status gsim_cli_deliver(const struct gsim_cli_arguments *arguments, const struct gsim_result *plain,
                                  struct gsim_error *error)
{
    struct gsim_energy energy = {0};
    struct gsim_result result = *plain;
    const struct gsim_device_spec *device = plain->simulation->device;
    if (gsim_energy_is_known(plain->timeline->program, device) && !plain->simulation->folds) {
        enum gsim_status status =
            gsim_energy_compute(plain->timeline, device, plain->metrics->makespan, &energy, error);
        if (status != GSIM_OK) return status;
        result.energy = &energy;
    }
    enum gsim_status status = deliver(arguments, &result, error);
    gsim_energy_release(&energy);
    return status;
}

enum gsim_status gsim_cli_deliver_all(const struct gsim_cli_arguments *arguments,
                                      const struct gsim_simulation *simulation, const struct gsim_timeline *timeline,
                                      const struct gsim_cli_point *point, const struct gsim_task_stats *stats,
                                      struct gsim_error *error)
{
    struct gsim_metrics metrics;
    struct gsim_spread spread;
    uint32_t spread_runs = 0;
    struct gsim_result result = {.simulation = simulation, .timeline = timeline, .metrics = &metrics, .tasks = stats,
                                 .options = point->options, .option_count = point->option_count};
    enum gsim_status status = gsim_metrics_compute(timeline, simulation->device, NULL, &metrics, error);
    if (!status) status = gsim_cli_trace_window(arguments, &result.window_from, &result.window_until, error);
    if (!status) status = gsim_cli_spread_runs(arguments, &spread_runs, error);
    if (!status && spread_runs) status = gsim_spread_of(simulation, spread_runs, &spread, error);
    if (spread_runs) result.spread = &spread;
    return status ? status : gsim_cli_deliver(arguments, &result, error);
}

void gsim_cli_wrap(struct gsim_output *out, const char *text, int at, int indent)
{
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (at > indent && at + 1 + length > GSIM_CLI_LINE_MAX) {
            gsim_output_printf(out, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            gsim_output_text(out, " ");
            at++;
        }
        gsim_output_printf(out, "%.*s", length, text);
        at += length;
        text += length + (text[length] != '\0');
    }
    gsim_output_text(out, "\n");
}

void gsim_cli_put_guesses(struct gsim_output *out, const char *guesses, const char *told)
{
    char line[GSIM_LIMIT_NAME + 1];
    const char *before = "\nnote:";
    while (gsim_guess_next(&guesses, line)) {
        if (strstr(told, line)) continue;
        gsim_output_text(out, before);
        gsim_cli_wrap(out, line, 5, 2);
        before = "note:";
    }
}

void gsim_cli_put_guesses_json(struct gsim_output *out, const char *guesses, const char *told)
{
    char line[GSIM_LIMIT_NAME + 1];
    const char *before;
    gsim_output_text(out, ",\n  \"notes\": [");
    if (told[0]) gsim_output_json_string(out, told);
    for (before = told[0] ? ", " : ""; gsim_guess_next(&guesses, line);) {
        if (strstr(told, line)) continue;
        gsim_output_put(out, "%s%q", before, line);
        before = ", ";
    }
    gsim_output_text(out, "]");
}
