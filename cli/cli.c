/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Which command; the options are read by cli/words/parse.c and mean what
 * cli/setup.c says.
 */
#include "cli/cli.h"
#include "cli/commit.h"
#include "sweep/key.h"

#include <errno.h>
#include <unistd.h>

#include "sim/base/text.h"

/* --- commands ------------------------------------------------------------------------------------------------ */
static enum gsim_status unknown_command(const char *name, struct gsim_error *error)
{
    char hint[96];
    struct gsim_nearest nearest;
    if (strcmp(name, "check") == 0)
        return gsim_error_set(error, GSIM_USAGE, "'check' tests the source tree: run ./gpusim check there");
    if (gsim_workload_find(name) || gsim_generator_find(name) || gsim_source_find(name) || gsim_service_find(name) ||
        access(name, F_OK) == 0)
        return gsim_error_set(error, GSIM_USAGE,
                              "unknown command '%s': to run a program, expected gpusim --workload %s --sched NAME",
                              name, name);
    gsim_nearest_init(&nearest, name);
    for (int i = 0; i < GSIM_CLI_COMMAND_COUNT; i++) gsim_nearest_offer(&nearest, gsim_cli_command_name(i));
    return gsim_error_set(error, GSIM_USAGE, "unknown command '%s'%s (see gpusim --help)", name,
                          gsim_nearest_text(&nearest, hint, sizeof(hint)));
}

static int print_help(bool whole_program, enum gsim_cli_command command)
{
    struct gsim_output output;
    struct gsim_error error = {0};
    if (gsim_output_open(&output, "-", &error) != GSIM_OK) return gsim_cli_fail(&error);
    if (whole_program) gsim_cli_help_program(&output);
    else gsim_cli_help_command(command, &output);
    return gsim_output_commit(&output, &error) == GSIM_OK ? 0 : gsim_cli_fail(&error);
}

static int dispatch(struct gsim_cli_arguments *arguments)
{
    static int (*const functions[])(const struct gsim_cli_arguments *) = {
#define COMMAND_FUNCTION(key, name, function) gsim_cli_##function,
        GSIM_CLI_COMMAND_MAP(COMMAND_FUNCTION)
#undef COMMAND_FUNCTION
    };
    if (arguments->value[GSIM_CLI_HELP]) return print_help(false, arguments->command);
    return functions[arguments->command](arguments);
}

/* GSIM_CLI_COMMAND_COUNT: none is called so. */
static int find_command(const char *name)
{
    int command = 0;
    while (command < GSIM_CLI_COMMAND_COUNT && strcmp(gsim_cli_command_name(command), name) != 0) command++;
    return command;
}

int gsim_cli_main(int argc, char **argv)
{
    struct gsim_error error = {0};
    struct gsim_cli_arguments arguments = {.command = GSIM_CLI_RUN, .argc = argc, .argv = argv};
    int at = 1;
    if (argc < 2) {
        gsim_error_set(&error, GSIM_USAGE,
                       "nothing to do: expected --workload NAME --sched NAME, or a command (see gpusim --help)");
        return gsim_cli_fail(&error);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        int command = argc > 2 ? find_command(argv[2]) : GSIM_CLI_COMMAND_COUNT;
        if (argc > 2 && command == GSIM_CLI_COMMAND_COUNT) {
            (void)unknown_command(argv[2], &error);
            return gsim_cli_fail(&error);
        }
        return argc > 2 ? print_help(false, (enum gsim_cli_command)command) : print_help(true, GSIM_CLI_RUN);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-v") == 0 || strcmp(argv[1], "version") == 0) {
        printf("gpusim %s (%smodel %s)\n", GPUSIM_VERSION, *GPUSIM_COMMIT ? "commit " GPUSIM_COMMIT ", " : "",
               gsim_model_hash());
        if (fflush(stdout) == 0) return 0;
        gsim_error_set(&error, GSIM_IO, "cannot write 'standard output': %s", strerror(errno));
        return gsim_cli_fail(&error);
    }
    if (argv[1][0] != '-') {
        int command = find_command(argv[1]);
        if (command == GSIM_CLI_COMMAND_COUNT) {
            (void)unknown_command(argv[1], &error);
            return gsim_cli_fail(&error);
        }
        arguments.command = (enum gsim_cli_command)command;
        at = 2;
    }
    arguments.opts = gsim_alloc(2 * sizeof(*arguments.opts) * (size_t)argc);
    arguments.repeated = gsim_alloc(sizeof(*arguments.repeated) * (size_t)argc);
    arguments.operands = arguments.opts + argc;
    enum gsim_status parsed = gsim_cli_parse(&arguments, argc, argv, at, &error);
    if (parsed == GSIM_OK && !arguments.value[GSIM_CLI_HELP]) parsed = gsim_cli_check_needs(&arguments, &error);
    if (parsed == GSIM_OK && !arguments.value[GSIM_CLI_HELP]) parsed = gsim_cli_check_outputs(&arguments, &error);
    int status = parsed == GSIM_OK ? dispatch(&arguments) : gsim_cli_fail(&error);
    gsim_free(arguments.opts);
    gsim_free(arguments.repeated);
    return status;
}
