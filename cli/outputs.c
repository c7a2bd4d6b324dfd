/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Before any command does its work: can the files that it shall write be written, are they
 * different ones, and is none of them one that it reads? Which endings a picture may have is its command's business.
 */
#include "cli/cli.h"
#include "sim/base/text.h"

#define LIST_ITEM_SIZE 4096

static const enum gsim_cli_key keys[] = {
    GSIM_CLI_REPORT, GSIM_CLI_TRACE, GSIM_CLI_WRITE_PROGRAM, GSIM_CLI_CSV,       GSIM_CLI_JSON,
    GSIM_CLI_PLAN,   GSIM_CLI_OUTPUT, GSIM_CLI_OUT,   GSIM_CLI_SCATTER,       GSIM_CLI_HISTOGRAM, GSIM_CLI_FIGURE,
    GSIM_CLI_PYTHON, GSIM_CLI_DIFF,
};
#define CHART_KEYS 4 /* that take standard output from the report of a run and its chart: the first */
#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

static const char *name_of(size_t i) { return gsim_cli_option_at(keys[i])->name; }

static enum gsim_status check_two(const struct gsim_cli_arguments *arguments, size_t i, size_t j,
                                  struct gsim_error *error)
{
    const char *one = arguments->value[keys[i]], *other = arguments->value[keys[j]];
    if (!other || !gsim_output_is_same(one, other)) return GSIM_OK;
    if (strcmp(one, other) == 0)
        return gsim_refuse(error, "--%s and --%s: expected two files, found '%s' twice", name_of(j), name_of(i), one);
    return gsim_refuse(error, "--%s and --%s: expected two files, found one, '%s' and '%s'", name_of(j), name_of(i),
                       other, one);
}

/* INPUT: a file, or several separated by commas; names of what is built in are no files. */
static enum gsim_status check_input(const struct gsim_cli_arguments *arguments, size_t i, const char *input,
                                    struct gsim_error *error)
{
    const char *output = arguments->value[keys[i]];
    char item[LIST_ITEM_SIZE];
    for (const char *at = input; strcmp(output, "-") != 0 && gsim_text_item(&at, item, sizeof item);)
        if (gsim_output_is_same(output, item) || gsim_output_is_same(output, input))
            return gsim_refuse(error, "--%s: '%s' is both input and output", name_of(i), output);
    return GSIM_OK;
}

enum gsim_status gsim_cli_check_outputs(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    for (size_t i = 0; i < KEY_COUNT; i++) {
        const char *path = arguments->value[keys[i]];
        if (!path) continue;
        enum gsim_status status = gsim_output_check(path, error);
        if (status != GSIM_OK) return gsim_error_prefix(error, "--%s", name_of(i));
        if (i < CHART_KEYS && arguments->value[GSIM_CLI_GANTT] && strcmp(path, "-") == 0)
            return gsim_refuse(error, "--gantt: its chart goes to standard output, which --%s - takes: expected a file "
                                      "there", name_of(i));
        for (size_t j = 0; j < i && status == GSIM_OK; j++) status = check_two(arguments, i, j, error);
        if (status == GSIM_OK) {
            /* The first word behind these is no file: a format, a kind of figure, "merge". */
            bool has_word = arguments->command == GSIM_CLI_IMPORT || arguments->command == GSIM_CLI_PLOT ||
                            (arguments->command == GSIM_CLI_RESULTS && keys[i] == GSIM_CLI_OUT);
            status = check_input(arguments, i, arguments->value[GSIM_CLI_WORKLOAD], error);
            if (status == GSIM_OK) status = check_input(arguments, i, arguments->value[GSIM_CLI_DEVICE], error);
            if (status == GSIM_OK) status = check_input(arguments, i, arguments->value[GSIM_CLI_BASE_DEVICE], error);
            for (size_t j = has_word; j < arguments->operand_count && status == GSIM_OK; j++)
                status = check_input(arguments, i, arguments->operands[j], error);
        }
        if (status != GSIM_OK) return status;
    }
    return GSIM_OK;
}

enum gsim_status gsim_cli_write(const char *csv, const char *json, const struct gsim_cli_forms *forms, const void *what,
                                struct gsim_error *error)
{
    bool is_taken = (csv && strcmp(csv, "-") == 0) || (json && strcmp(json, "-") == 0);
    enum gsim_status status = csv ? gsim_output_write(csv, forms->csv, what, error) : GSIM_OK;
    if (status == GSIM_OK && json) status = gsim_output_write(json, forms->json, what, error);
    return status == GSIM_OK && !is_taken ? gsim_output_write("-", forms->text, what, error) : status;
}
