/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). The words of a command line as struct gsim_cli_arguments; what they mean is
 * cli/setup.c's, which command they call cli/cli.c's.
 */
#include "cli/cli.h"

#include "ask/subject.h"
#include "sim/base/text.h"

static const struct gsim_cli_option options[GSIM_CLI_KEY_COUNT] = {
#define X(key, option_name, option_metavar, option_commands)                                                           \
    [GSIM_CLI_##key] = {.name = option_name, .metavar = option_metavar, .commands = option_commands},
#include "cli/options.def"
#undef X
};

static const char *const command_names[] = {
#define COMMAND_NAME(key, name, function) name,
    GSIM_CLI_COMMAND_MAP(COMMAND_NAME)
#undef COMMAND_NAME
};

const char *gsim_cli_command_name(int command) { return command_names[command]; }

const struct gsim_cli_option *gsim_cli_option_at(enum gsim_cli_key key) { return &options[key]; }

/* --- options ------------------------------------------------------------------------------------------------ */
static enum gsim_status unknown_option(enum gsim_cli_command command, const char *text, size_t length,
                                       struct gsim_error *error)
{
    char name[64];
    struct gsim_nearest nearest;
    snprintf(name, sizeof(name), "%.*s", (int)length, text);
    bool reports = options[GSIM_CLI_REPORT].commands & (1u << command);
    if (strcmp(name, "json") == 0 && reports)
        return gsim_refuse(error, "--json is not an option of gpusim %s: --report FILE writes JSON",
                           command_names[command]);
    gsim_nearest_init(&nearest, name);
    for (int key = 0; key < GSIM_CLI_KEY_COUNT; key++) {
        if (strcmp(options[key].name, name) == 0)
            return gsim_refuse(error, "--%s is not an option of gpusim %s (see gpusim %s --help)", name,
                               command_names[command], command_names[command]);
        if (options[key].commands & (1u << command)) gsim_nearest_offer(&nearest, options[key].name);
    }
    bool is_near = gsim_nearest_text(&nearest)[0];
    if (is_near) snprintf(nearest.text, sizeof nearest.text, ", did you mean '--%s'?", nearest.best);
    return gsim_refuse(error, "unknown option '--%s'%s (see gpusim %s --help)", name, nearest.text,
                       command_names[command]);
}

bool gsim_cli_is_repeatable(enum gsim_cli_key key)
{
    return key == GSIM_CLI_OPT || key == GSIM_CLI_VARY || key == GSIM_CLI_PAIRED || key == GSIM_CLI_CONDITION ||
           key == GSIM_CLI_TASK || key == GSIM_CLI_DEFINE || key == GSIM_CLI_ARG || key == GSIM_CLI_INCLUDE ||
           key == GSIM_CLI_ENTRY;
}

static enum gsim_status store(struct gsim_cli_arguments *arguments, enum gsim_cli_key key, const char *value,
                              struct gsim_error *error)
{
    if (key == GSIM_CLI_OPT) {
        arguments->opts[arguments->opt_count++] = value;
        return GSIM_OK;
    }
    if (gsim_cli_is_repeatable(key)) {
        arguments->repeated[arguments->repeated_count++] = (struct gsim_cli_repeated){key, value};
        return GSIM_OK;
    }
    if (arguments->value[key] && options[key].metavar)
        return gsim_refuse(error, "--%s: given twice, '%s' and '%s'", options[key].name, arguments->value[key], value);
    arguments->value[key] = value;
    return GSIM_OK;
}

/* The file that a command writes is --out of those that keep results, --output of the others; either takes both
 * words. */
static int find_option(enum gsim_cli_command command, const char *text, size_t length)
{
    static const struct {
        enum gsim_cli_key key;
        unsigned commands;
        const char *other;
    } aliases[] = {
        {GSIM_CLI_OUTPUT, ~0u, "out"}, {GSIM_CLI_OUT, ~0u, "output"}, {GSIM_CLI_REPORT, GSIM_CLI_ON_ASK, "json"}};
    for (int key = 0; key < GSIM_CLI_KEY_COUNT; key++)
        if ((options[key].commands & (1u << command)) && strlen(options[key].name) == length &&
            strncmp(options[key].name, text, length) == 0)
            return key;
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
        if ((options[aliases[i].key].commands & aliases[i].commands & (1u << command)) &&
            strlen(aliases[i].other) == length && strncmp(aliases[i].other, text, length) == 0)
            return (int)aliases[i].key;
    return GSIM_CLI_KEY_COUNT;
}

/* One "--name value", "--name=value" or "--switch" at argv[*at]. */
static enum gsim_status parse_option(struct gsim_cli_arguments *arguments, int argc, char **argv, int *at,
                                     struct gsim_error *error)
{
    const char *text = argv[*at] + 2, *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    int key = find_option(arguments->command, text, length);
    if (key == GSIM_CLI_KEY_COUNT) return unknown_option(arguments->command, text, length, error);
    const struct gsim_cli_option *option = &options[key];
    if (!option->metavar) {
        if (equals) return gsim_refuse(error, "--%s: takes no value, found '%s'", option->name, equals + 1);
        return store(arguments, (enum gsim_cli_key)key, "", error);
    }
    const char *value = equals ? equals + 1 : *at + 1 < argc ? argv[++*at] : NULL;
    if (!value || (!equals && strncmp(value, "--", 2) == 0))
        return gsim_refuse(error, "--%s: expected %s, found %s%s", option->name, option->metavar,
                           value ? "the option " : "nothing", value ? value : "");
    return store(arguments, (enum gsim_cli_key)key, value, error);
}

static size_t most_operands(const struct gsim_cli_arguments *arguments)
{
    enum gsim_cli_command command = arguments->command;
    bool takes_many =
        command == GSIM_CLI_IMPORT && arguments->operand_count &&
        (strcmp(arguments->operands[0], "ncu") == 0 || strcmp(arguments->operands[0], "cuda") == 0);
    if (takes_many) return SIZE_MAX;
    if (command == GSIM_CLI_IMPORT || command == GSIM_CLI_LIST) return 2;
    if (command == GSIM_CLI_VALIDATE || command == GSIM_CLI_PLOT || command == GSIM_CLI_PAGE ||
        command == GSIM_CLI_CALIBRATE || command == GSIM_CLI_RESULTS || command == GSIM_CLI_ABLATE ||
        command == GSIM_CLI_STEP_TIME || command == GSIM_CLI_EXPLAIN || command == GSIM_CLI_WHATIF ||
        command == GSIM_CLI_SCHEDULE || command == GSIM_CLI_RECORD || command == GSIM_CLI_QUESTION)
        return SIZE_MAX;
    return command == GSIM_CLI_SWEEP || command == GSIM_CLI_REPRODUCE || command == GSIM_CLI_COMPLETION ||
           command == GSIM_CLI_SERVE;
}

enum gsim_status gsim_cli_parse(struct gsim_cli_arguments *arguments, int argc, char **argv, int at,
                                struct gsim_error *error)
{
    for (bool is_program = false; at < argc; at++) {
        enum gsim_status status = GSIM_OK;
        if (is_program || (arguments->command == GSIM_CLI_RECORD && strcmp(argv[at], "--") == 0)) {
            if (is_program) arguments->operands[arguments->operand_count++] = argv[at];
            is_program = true;
        } else if (strcmp(argv[at], "-h") == 0)
            arguments->value[GSIM_CLI_HELP] = "";
        else if (strcmp(argv[at], "-o") == 0 && at + 1 < argc &&
                 find_option(arguments->command, "output", 6) < GSIM_CLI_KEY_COUNT)
            status =
                store(arguments, (enum gsim_cli_key)find_option(arguments->command, "output", 6), argv[++at], error);
        else if (GSIM_CLI_ON_SOURCE >> arguments->command & 1 &&
                 (argv[at][1] == 'D' || argv[at][1] == 'I') && argv[at][0] == '-' && (argv[at][2] || at + 1 < argc)) {
            enum gsim_cli_key key = argv[at][1] == 'D' ? GSIM_CLI_DEFINE : GSIM_CLI_INCLUDE;
            const char *word = argv[at][2] ? argv[at] + 2 : argv[++at];
            status = store(arguments, key, word, error);
        } else if (strncmp(argv[at], "--", 2) == 0 && argv[at][2])
            status = parse_option(arguments, argc, argv, &at, error);
        else if (GSIM_CLI_ON_ASK >> arguments->command & 1 && gsim_subject_kind_of(argv[at]) == GSIM_SUBJECT_TASKS)
            status = store(arguments, GSIM_CLI_TASK, argv[at], error);
        else if (arguments->operand_count < most_operands(arguments) && argv[at][0] != '-')
            arguments->operands[arguments->operand_count++] = argv[at];
        else if (strcmp(argv[at], "-o") == 0)
            status = at + 1 < argc ? unknown_option(arguments->command, "output", 6, error)
                                   : gsim_refuse(error, "-o: expected FILE, found nothing");
        else if (argv[at][0] == '-' && argv[at][1] && argv[at][1] != '-')
            status = gsim_refuse(error, "unknown option '%s' (see gpusim %s --help)", argv[at],
                                 command_names[arguments->command]);
        else
            status = gsim_refuse(error, "unexpected argument '%s' (see gpusim %s --help)", argv[at],
                                 command_names[arguments->command]);
        if (status != GSIM_OK) return status;
    }
    return GSIM_OK;
}
