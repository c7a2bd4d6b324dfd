/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Which command; the options are read by cli/words/parse.c and mean what
 * cli/setup.c says.
 */
#include "ask/subject.h"
#include "cli/cli.h"
#include "cli/commit.h"
#include "sweep/key.h"

#include <errno.h>
#include <unistd.h>

#include "sim/base/text.h"

/* --- commands ------------------------------------------------------------------------------------------------ */
static enum gsim_status unknown_command(const char *name, struct gsim_error *error)
{
    struct gsim_nearest nearest;
    if (strcmp(name, "check") == 0)
        return gsim_refuse(error, "'check' tests the source tree: run ./gpusim check there");
    if (gsim_subject_is_name(gsim_subject_kind_of(name)) || access(name, F_OK) == 0)
        return gsim_refuse(error, "unknown command '%s': to run a program, expected gpusim --workload %s --sched NAME",
                           name, name);
    gsim_nearest_init(&nearest, name);
    for (int i = 0; i < GSIM_CLI_COMMAND_COUNT; i++) gsim_nearest_offer(&nearest, gsim_cli_command_name(i));
    return gsim_refuse(error, "unknown command '%s'%s (see gpusim --help)", name, gsim_nearest_text(&nearest));
}

/* Of COMMAND; GSIM_CLI_COMMAND_COUNT: of the program. */
static int print_help(enum gsim_cli_command command, struct gsim_error *error)
{
    struct gsim_output output;
    if (gsim_output_open(&output, "-", error)) return error->status;
    if (command == GSIM_CLI_COMMAND_COUNT) gsim_cli_help_program(&output);
    else gsim_cli_help_command(command, &output);
    return gsim_output_commit(&output, error);
}

static int fail(const struct gsim_error *error)
{
    fflush(stdout);
    fprintf(stderr, "gpusim: %s\n", error->message);
    return gsim_status_exit(error->status);
}

int gsim_cli_call(const struct gsim_cli_arguments *arguments)
{
    static int (*const functions[])(const struct gsim_cli_arguments *, struct gsim_error *) = {
#define COMMAND_FUNCTION(key, name, function) gsim_cli_##function,
        GSIM_CLI_COMMAND_MAP(COMMAND_FUNCTION)
#undef COMMAND_FUNCTION
    };
    struct gsim_error error = {0};
    int status = functions[arguments->command](arguments, &error);
    return status && error.status ? fail(&error) : status;
}

/* GSIM_CLI_COMMAND_COUNT: none is called so. */
static int find_command(const char *name)
{
    int command = 0;
    while (command < GSIM_CLI_COMMAND_COUNT && strcmp(gsim_cli_command_name(command), name) != 0) command++;
    return command;
}

/* The exit status of a command; or a status, and ERROR. */
static int run(int argc, char **argv, struct gsim_error *error)
{
    struct gsim_cli_arguments arguments = {.command = GSIM_CLI_RUN, .argc = argc, .argv = argv};
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2)
        return gsim_refuse(error,
                           "nothing to do: expected --workload NAME --sched NAME, or a command (see gpusim --help)");
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        int command = argc > 2 ? find_command(argv[2]) : GSIM_CLI_COMMAND_COUNT;
        if (argc > 2 && command == GSIM_CLI_COMMAND_COUNT) return unknown_command(argv[2], error);
        return print_help((enum gsim_cli_command)command, error);
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-v") == 0 || strcmp(word, "version") == 0) {
        printf("gpusim %s (%smodel %s)\n", GPUSIM_VERSION, *GPUSIM_COMMIT ? "commit " GPUSIM_COMMIT ", " : "",
               gsim_model_hash());
        if (fflush(stdout) == 0) return 0;
        return gsim_error_set(error, GSIM_IO, "cannot write 'standard output': %s", strerror(errno));
    }
    bool is_command = word[0] != '-';
    if (is_command) arguments.command = (enum gsim_cli_command)find_command(word);
    if (arguments.command == GSIM_CLI_COMMAND_COUNT) return unknown_command(word, error);
    arguments.opts = gsim_alloc(2 * sizeof(*arguments.opts) * (size_t)argc);
    arguments.repeated = gsim_alloc(sizeof(*arguments.repeated) * (size_t)argc);
    arguments.operands = arguments.opts + argc;
    int status = gsim_cli_parse(&arguments, argc, argv, is_command ? 2 : 1, error);
    bool helps = arguments.value[GSIM_CLI_HELP];
    if (!status && !helps) status = gsim_cli_check_needs(&arguments, error);
    if (!status && !helps) status = gsim_cli_check_outputs(&arguments, error);
    if (!status) status = helps ? print_help(arguments.command, error) : gsim_cli_call(&arguments);
    gsim_free(arguments.opts);
    gsim_free(arguments.repeated);
    return status;
}

int gsim_cli_main(int argc, char **argv)
{
    struct gsim_error error = {0};
    int status = run(argc, argv, &error);
    return status && error.status ? fail(&error) : status;
}
