/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). gpusim completion bash|zsh: what a shell offers behind gpusim, from the tables that --help is
 * made of. Names of workloads, schedulers and devices are those of the gpusim that wrote it.
 */
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>

#include "gpusim/device.h"

struct script {
    struct gsim_output *output;
    struct gsim_device_entries devices;
};

enum names { NO_NAMES, WORKLOADS, SCHEDULERS, WAYS, DEVICES, NUMBERS, SETTINGS };
static const char *const variables[] = {"", "$workloads", "$schedulers", "$ways", "$devices", "$numbers", "$settings"};

/* Whose names an option's value can be. */
static enum names names_of(enum gsim_cli_key key)
{
    switch (key) {
    case GSIM_CLI_WORKLOAD: case GSIM_CLI_TASK: return WORKLOADS;
    case GSIM_CLI_SCHED: case GSIM_CLI_BASE: return SCHEDULERS;
    case GSIM_CLI_SHARE: return WAYS;
    case GSIM_CLI_DEVICE: case GSIM_CLI_BASE_DEVICE: return DEVICES;
    case GSIM_CLI_NUMBERS: return NUMBERS;
    case GSIM_CLI_OPT: return SETTINGS;
    default: return NO_NAMES;
    }
}

static bool takes_files(enum gsim_cli_key key, const char *metavar)
{
    return strstr(metavar, "FILE") || strstr(metavar, "DIR") || key == GSIM_CLI_WORKLOAD || key == GSIM_CLI_DEVICE ||
           key == GSIM_CLI_TASK;
}

/* "managed|pinned|FILE" as "managed pinned": of a metavar, up to LENGTH, the words to be typed as they stand. */
static void put_alternatives(struct gsim_output *output, const char *text, size_t length)
{
    const char *between = "";
    for (size_t at = 0; at < length;) {
        size_t end = at;
        bool is_word = true;
        for (; end < length && text[end] != '|'; end++)
            is_word = is_word && (islower((unsigned char)text[end]) || isdigit((unsigned char)text[end]));
        if (is_word && end > at) {
            gsim_output_printf(output, "%s%.*s", between, (int)(end - at), text + at);
            between = " ";
        }
        at = end + 1;
    }
}

/* The first operand, where it is one of a few words: "list [workloads|schedulers]" of the usage line. */
static const char *first_operand(enum gsim_cli_command command, size_t *length)
{
    const char *name = gsim_cli_command_name((int)command), *text = strstr(gsim_cli_usage(command), name);
    if (!text) return NULL;
    text += strlen(name);
    text += strspn(text, " [");
    *length = strcspn(text, " ]");
    return islower((unsigned char)*text) && memchr(text, '|', *length) ? text : NULL;
}

static bool has_files(enum gsim_cli_command command)
{
    const char *usage = gsim_cli_usage(command), *name = gsim_cli_command_name((int)command);
    const char *operands = strstr(usage, name) ? strstr(usage, name) + strlen(name) : usage;
    return command != GSIM_CLI_RUN &&
           (strncmp(operands, " FILE", 5) == 0 || strstr(operands, "FILE...") || strstr(operands, "SPEC") ||
            strstr(operands, "PROBE") || strstr(operands, "] FILE"));
}

/* What stands in $workloads and the others. */
static void put_names(struct script *s, enum names names)
{
    for (uint32_t i = 0; names == WORKLOADS && gsim_workload_at(i); i++)
        gsim_output_printf(s->output, "%s ", gsim_workload_at(i)->name);
    for (uint32_t i = 0; names == WORKLOADS && gsim_source_at(i); i++)
        gsim_output_printf(s->output, "%s ", gsim_source_at(i)->name);
    for (uint32_t i = 0; (names == SCHEDULERS || names == SETTINGS) && gsim_scheduler_at(i); i++) {
        const struct gsim_scheduler_ops *ops = gsim_scheduler_at(i);
        if (names == SCHEDULERS) gsim_output_printf(s->output, "%s ", ops->name);
        for (const struct gsim_param *row = ops->params; names == SETTINGS && row && row->name; row++)
            gsim_output_printf(s->output, "%s.%s= ", ops->name, row->name);
    }
    for (uint32_t i = 0; (names == WAYS || names == SETTINGS) && gsim_sharing_at(i); i++) {
        const struct gsim_sharing_ops *ops = gsim_sharing_at(i);
        if (names == WAYS) gsim_output_printf(s->output, "%s ", ops->name);
        for (const struct gsim_param *row = ops->params; names == SETTINGS && row && row->name; row++)
            gsim_output_printf(s->output, "%s.%s= ", ops->name, row->name);
    }
    for (const struct gsim_param *row = gsim_gpu_params; names == SETTINGS && row->name; row++)
        gsim_output_printf(s->output, "gpu.%s= ", row->name);
    for (int i = 0; (names == NUMBERS || names == SETTINGS) && i < GSIM_DEVICE_NUMBER_COUNT; i++)
        gsim_output_printf(s->output, names == NUMBERS ? "%s " : "device.%s= ",
                           gsim_device_number_name((enum gsim_device_number)i));
    for (size_t i = 0; names == DEVICES && i < s->devices.count; i++)
        gsim_output_printf(s->output, "%s ", s->devices.entries[i].name);
}

static void put_variables(struct script *s, const char *end)
{
    for (int i = WORKLOADS; i <= SETTINGS; i++) {
        gsim_output_printf(s->output, "    local %s=%s", variables[i] + 1, *end == ')' ? "(" : "'");
        put_names(s, (enum names)i);
        gsim_output_printf(s->output, "%s\n", end);
    }
}

/* --- bash -------------------------------------------------------------------------------------------------- */
static void put_bash_option(struct script *s, enum gsim_cli_command command, enum gsim_cli_key key)
{
    struct gsim_cli_option option = gsim_cli_option_of(key, command);
    if (!option.metavar) return;
    gsim_output_printf(s->output, "    '%s --%s') words=\"", gsim_cli_command_name((int)command), option.name);
    put_alternatives(s->output, option.metavar, strlen(option.metavar));
    gsim_output_printf(s->output, " %s\"%s ;;\n", variables[names_of(key)],
                       takes_files(key, option.metavar) ? " files=yes" : "");
}

static void put_bash_words(struct script *s, enum gsim_cli_command command)
{
    size_t length = 0;
    const char *operand = first_operand(command, &length);
    gsim_output_printf(s->output, "        %s)\n            options=\"", gsim_cli_command_name((int)command));
    for (int key = 0; key < GSIM_CLI_KEY_COUNT; key++)
        if (gsim_cli_option_at((enum gsim_cli_key)key)->commands & (1u << command))
            gsim_output_printf(s->output, "--%s ", gsim_cli_option_at((enum gsim_cli_key)key)->name);
    gsim_output_text(s->output, "\"");
    if (operand) {
        gsim_output_text(s->output, "\n            [ \"$COMP_CWORD\" != 2 ] || words=\"");
        put_alternatives(s->output, operand, length);
        gsim_output_text(s->output, "\"");
    }
    if (command == GSIM_CLI_LIST)
        gsim_output_text(
            s->output,
            "\n            case $COMP_CWORD$before in 3workloads | 3presets) words=$workloads ;;\n"
            "            3schedulers) words=$schedulers ;; 3sharing) words=$ways ;; 3devices) words=$devices ;; esac");
    gsim_output_printf(s->output, "%s ;;\n", has_files(command) ? "\n            files=yes" : "");
}

static void put_bash(struct script *s)
{
    gsim_output_text(s->output,
                     "# bash completion of gpusim " GPUSIM_VERSION ", by gpusim completion bash\n_gpusim()\n{\n");
    put_variables(s, "'");
    gsim_output_text(s->output,
                     "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                     "    local command=run words= options= files=\n"
                     "    [ \"$word\" != = ] || word=\n"
                     "    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                     "    case ${COMP_WORDS[1]} in\n   ");
    for (int i = 0; i < GSIM_CLI_COMMAND_COUNT; i++)
        gsim_output_printf(s->output, "%s %s", i ? " |" : "", gsim_cli_command_name(i));
    gsim_output_text(s->output, ") [ \"$COMP_CWORD\" = 1 ] || command=${COMP_WORDS[1]} ;;\n    esac\n"
                                "    case \"$command $before\" in\n");
    for (int i = 0; i < GSIM_CLI_COMMAND_COUNT; i++)
        for (int key = 0; key < GSIM_CLI_KEY_COUNT; key++)
            if (gsim_cli_option_at((enum gsim_cli_key)key)->commands & (1u << i))
                put_bash_option(s, (enum gsim_cli_command)i, (enum gsim_cli_key)key);
    gsim_output_text(s->output, "    *)\n        case $command in\n");
    for (int i = 0; i < GSIM_CLI_COMMAND_COUNT; i++) put_bash_words(s, (enum gsim_cli_command)i);
    gsim_output_text(s->output, "        esac\n        [ \"$COMP_CWORD\" != 1 ] || words=\"");
    for (int i = 0; i < GSIM_CLI_COMMAND_COUNT; i++) gsim_output_printf(s->output, "%s ", gsim_cli_command_name(i));
    gsim_output_text(s->output,
                     "--version\"\n"
                     "        case $word in -*) words=\"$options $words\" files= ;; esac ;;\n"
                     "    esac\n"
                     "    # shellcheck disable=SC2207 # words and names without blanks\n"
                     "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                     "    case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
                     "    [ -z \"$files\" ] || {\n"
                     "        compopt -o filenames 2>/dev/null\n"
                     "        while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <(compgen -f -- \"$word\")\n"
                     "    }\n}\n"
                     "complete -F _gpusim gpusim\n");
}

/* --- zsh --------------------------------------------------------------------------------------------------- */
/* Within '...' of a spec of _arguments: the first line of TEXT, with what would end a part of it escaped. */
static void put_zsh_text(struct gsim_output *output, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') gsim_output_text(output, "'\\''");
        else if (strchr(":[]\\", *text)) gsim_output_printf(output, "\\%c", *text);
        else gsim_output_bytes(output, *text == '\n' ? " " : text, 1);
    }
}

static void put_zsh_option(struct script *s, enum gsim_cli_command command, enum gsim_cli_key key)
{
    struct gsim_cli_option option = gsim_cli_option_of(key, command);
    gsim_output_printf(s->output, " \\\n        '%s--%s%s[", gsim_cli_is_repeatable(key) ? "*" : "", option.name,
                       option.metavar ? "=" : "");
    put_zsh_text(s->output, option.help);
    gsim_output_text(s->output, "]");
    if (option.metavar) {
        enum names names = names_of(key);
        gsim_output_text(s->output, ":");
        put_zsh_text(s->output, option.metavar);
        gsim_output_text(s->output, ":{compadd -S \"");
        gsim_output_printf(s->output, "%s\" -- ", names == SETTINGS ? "" : " ");
        put_alternatives(s->output, option.metavar, strlen(option.metavar));
        gsim_output_printf(s->output, " %s%s}", variables[names], takes_files(key, option.metavar) ? "; _files" : "");
    }
    gsim_output_text(s->output, "'");
}

static void put_zsh_command(struct script *s, enum gsim_cli_command command)
{
    size_t length = 0;
    const char *operand = first_operand(command, &length);
    gsim_output_printf(s->output, "    %s) _arguments", gsim_cli_command_name((int)command));
    for (int key = 0; key < GSIM_CLI_KEY_COUNT; key++)
        if (gsim_cli_option_at((enum gsim_cli_key)key)->commands & (1u << command))
            put_zsh_option(s, command, (enum gsim_cli_key)key);
    if (operand) {
        gsim_output_text(s->output, " \\\n        '1:what:(");
        put_alternatives(s->output, operand, length);
        gsim_output_text(s->output, ")'");
    }
    if (command == GSIM_CLI_LIST)
        gsim_output_text(s->output, " \\\n        '2:name:{compadd -- $workloads $schedulers $devices}'");
    if (has_files(command)) gsim_output_text(s->output, " \\\n        '*:file:_files'");
    gsim_output_text(s->output, " ;;\n");
}

static void put_zsh(struct script *s)
{
    gsim_output_text(s->output, "#compdef gpusim\n# zsh completion of gpusim " GPUSIM_VERSION
                                ", by gpusim completion zsh\n_gpusim() {\n");
    put_variables(s, ")");
    gsim_output_text(s->output, "    local -a commands=(");
    for (int i = 0; i < GSIM_CLI_COMMAND_COUNT; i++) {
        gsim_output_printf(s->output, "\n        '%s:", gsim_cli_command_name(i));
        put_zsh_text(s->output, gsim_cli_summary((enum gsim_cli_command)i));
        gsim_output_text(s->output, "'");
    }
    gsim_output_text(
        s->output,
        ")\n    local command=run\n"
        "    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then _describe command commands; return; fi\n"
        "    if (( ${commands[(I)$words[2]:*]} )); then command=$words[2]; shift words; (( CURRENT-- )); fi\n"
        "    case $command in\n");
    for (int i = 0; i < GSIM_CLI_COMMAND_COUNT; i++) put_zsh_command(s, (enum gsim_cli_command)i);
    gsim_output_text(s->output,
                     "    esac\n}\n"
                     "if [[ ${funcstack[1]-} == _gpusim ]]; then _gpusim \"$@\"; else compdef _gpusim gpusim; fi\n");
}

int gsim_cli_completion(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_output output = {0};
    struct script script = {.output = &output};
    const char *shell = arguments->operand_count ? arguments->operands[0] : "nothing";
    bool is_zsh = strcmp(shell, "zsh") == 0;
    if (!is_zsh && strcmp(shell, "bash") != 0)
        return gsim_refuse(error, "completion: expected bash or zsh, found %s", shell);
    enum gsim_status status = gsim_device_list(&script.devices, error);
    if (status == GSIM_OK) status = gsim_output_open(&output, "-", error);
    if (status == GSIM_OK) {
        if (is_zsh) put_zsh(&script);
        else put_bash(&script);
        status = gsim_output_commit(&output, error);
    }
    gsim_device_list_release(&script.devices);
    return status;
}
