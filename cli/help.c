/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli. The texts of --help: options are those of the table in cli/cli.h, all words come from cli/help.txt,
 * which is a part of the program. man/make.sh makes the manual page of it.
 */
#include "cli/cli.h"
#include "sweep/store.h"

#define HELP_COLUMN 34

struct command_text {
    const char *summary, *usage, *description, *examples;
};

static struct command_text texts[GSIM_CLI_COMMAND_COUNT];

/* What is said of options; and where one means something particular to a command, or takes another word there, that. */
static const char *helps[GSIM_CLI_KEY_COUNT];
static struct particular {
    int command;
    const char *name, *metavar, *help; /* METAVAR NULL: the table's */
} particular[200];
static size_t particular_count;

static char text[] = {
#include "cli/help.inc"
    0};

/* Ends what begins at AT before SEPARATOR, of which the first KEPT bytes still belong to it. Returns what follows. */
static char *cut(char *at, const char *separator, size_t kept)
{
    char *end = strstr(at, separator);
    if (!end) return at + strlen(at);
    end[kept] = '\0';
    return end + strlen(separator);
}

/* The options of a command's section, below 0 of all: a line "@NAME METAVAR", then lines of help. */
static void cut_options(int command, char *at)
{
    int key = 0;
    for (at++; *at && particular_count < sizeof particular / sizeof *particular;) {
        char *name = at, *help = cut(name, "\n", 0), *space = strchr(name, ' ');
        at = cut(help, "\n@", 0);
        if (!*at) help[strlen(help) - 1] = '\0';
        if (space) *space++ = '\0';
        if (command < 0) helps[key++] = help;
        else particular[particular_count++] = (struct particular){command, name, space, help};
    }
}

/* Takes cli/help.txt to pieces, once. */
static const struct command_text *text_of(enum gsim_cli_command command)
{
    char *at = texts[0].summary ? NULL : strstr(text, "\n== ") + 2;
    for (int i = -1; i < GSIM_CLI_COMMAND_COUNT && at; i++) {
        struct command_text *own = &texts[i < 0 ? 0 : i];
        const char **parts[] = {&own->summary, &own->usage, &own->description, &own->examples};
        at = strchr(at, '\n') + 1;
        for (size_t p = 0; i >= 0 && p < 4; p++) {
            *parts[p] = at;
            at = cut(at, "\n--\n", p > 1);
        }
        char *next = *at == '=' ? at - 1 : strstr(at, "\n== ");
        bool has_options = *at == '@';
        if (next) next[1] = '\0';
        if (has_options) cut_options(i, at);
        at = next ? next + 2 : NULL;
    }
    return &texts[command];
}

const char *gsim_cli_usage(enum gsim_cli_command command) { return text_of(command)->usage; }

const char *gsim_cli_summary(enum gsim_cli_command command) { return text_of(command)->summary; }

struct gsim_cli_option gsim_cli_option_of(enum gsim_cli_key key, enum gsim_cli_command command)
{
    struct gsim_cli_option option = *gsim_cli_option_at(key);
    (void)text_of(command);
    option.help = helps[key];
    for (size_t i = 0; i < particular_count; i++) {
        if (particular[i].command != (int)command || strcmp(particular[i].name, option.name) != 0) continue;
        if (particular[i].metavar) option.metavar = particular[i].metavar;
        option.help = particular[i].help;
    }
    return option;
}

static void put_option(enum gsim_cli_key key, enum gsim_cli_command command, struct gsim_output *output)
{
    char head[64];
    const struct gsim_cli_option option = gsim_cli_option_of(key, command);
    int width = snprintf(head, sizeof(head), "  --%s%s%s", option.name, option.metavar ? " " : "",
                         option.metavar ? option.metavar : "");
    gsim_output_printf(output, "%-*s", HELP_COLUMN, head);
    if (width >= HELP_COLUMN) gsim_output_printf(output, "\n%*s", HELP_COLUMN, "");
    for (const char *line = option.help; *line;) {
        size_t length = strcspn(line, "\n");
        gsim_output_printf(output, "%.*s\n", (int)length, line);
        line += length;
        if (*line) gsim_output_printf(output, "%*s", *++line ? HELP_COLUMN : 0, "");
    }
}

void gsim_cli_help_command(enum gsim_cli_command command, struct gsim_output *output)
{
    const struct command_text *own = text_of(command);
    gsim_output_printf(output, "Usage: %s\n\n%s\nOptions:\n", own->usage, own->description);
    for (int key = 0; key < GSIM_CLI_KEY_COUNT; key++) {
        if (gsim_cli_option_at((enum gsim_cli_key)key)->commands & (1u << command))
            put_option((enum gsim_cli_key)key, command, output);
    }
    if (command == GSIM_CLI_RESULTS) {
        gsim_output_text(output, "\nColumns:\n");
        for (int column = 0; column < GSIM_COLUMN_COUNT; column++) {
            const char *unit = gsim_column_unit((enum gsim_column)column);
            gsim_output_printf(output, "  %-18s %s%s%s%s\n", gsim_column_name((enum gsim_column)column),
                               gsim_column_help((enum gsim_column)column), *unit ? " (" : "", unit, *unit ? ")" : "");
        }
    }
    gsim_output_printf(output, "\nExamples:\n%s", own->examples);
    gsim_output_text(
        output,
        "\nExit status: 0 done, 1 the simulation or the output failed, 2 bad usage or input, 128 + N stopped by\n"
        "signal N (130: Ctrl-C).\n");
}

static const struct {
    const char *head;
    unsigned commands;
} groups[] = {
    {"Predict", GSIM_CLI_ON_RUN | GSIM_CLI_ON_COMPARE | GSIM_CLI_ON_SERVE | GSIM_CLI_ON_STEP_TIME},
    {"Ask", GSIM_CLI_ON_ASK | GSIM_CLI_ON_SCHEDULE},
    {"Many runs", GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_RESULTS | GSIM_CLI_ON_SENSITIVITY},
    {"Figures and pages", GSIM_CLI_ON_PLOT | GSIM_CLI_ON_PAGE},
    {"Programs and devices", GSIM_CLI_ON_IMPORT | GSIM_CLI_ON_RECORD | GSIM_CLI_ON_CALIBRATE},
    {"Trust", GSIM_CLI_ON_VALIDATE | GSIM_CLI_ON_REPRODUCE | GSIM_CLI_ON_ABLATE},
    {"Names", GSIM_CLI_ON_LIST | GSIM_CLI_ON_COMPLETION},
};

void gsim_cli_help_program(struct gsim_output *output)
{
    gsim_output_text(output, "gpusim " GPUSIM_VERSION ": how long will this GPU program take, and why, if its kernels\n"
                             "are scheduled this way on that GPU?\n\nUsage:\n");
    for (int i = 0; i < GSIM_CLI_COMMAND_COUNT; i++)
        gsim_output_printf(output, "  %s\n", gsim_cli_usage((enum gsim_cli_command)i));
    gsim_output_text(output, "  gpusim COMMAND --help\n  gpusim --version\n\nCommands:\n");
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        gsim_output_printf(output, " %s\n", groups[g].head);
        for (int i = 0; i < GSIM_CLI_COMMAND_COUNT; i++)
            if (groups[g].commands >> i & 1)
                gsim_output_printf(output, "  %-11s %s\n", gsim_cli_command_name(i),
                                   gsim_cli_summary((enum gsim_cli_command)i));
    }
    gsim_output_text(output, "\nExamples:\n  gpusim --workload img --sched kesco\n"
                             "  gpusim --workload img --sched kesco --gantt --trace img.json.gz\n"
                             "  gpusim compare --workload img,ml --device v100\n"
                             "  gpusim list schedulers --long\n");
}
