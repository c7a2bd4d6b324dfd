/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). From the words of the command line to simulations: numbers, names, --opt, defaults.
 * Every message says what was found and what was expected. Which commands there are: cli/cli.c.
 */
#include "ask/subject.h"
#include "cli/cli.h"
#include "cli/traces.h"
#include "cli/place/node.h"

#include <errno.h>
#include <unistd.h>

#include "sim/device/device.h"
#include "sim/device/rules.h"
#include "sim/spread.h"
#include "gpusim/limits.h"
#include "sim/base/text.h"
#include "sim/base/jobs/pool.h"
#include "gpusim/program.h"
#include "traces/import/importers.h"

/* --- --opt ----------------------------------------------------------------------------------------------------- */
struct opt {
    const char *scope; /* "" when the name is bare */
    const char *name, *value;
    char text[160];
};

static enum gsim_status split_opt(const char *text, struct opt *opt, struct gsim_error *error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || strlen(text) >= sizeof(opt->text))
        return gsim_refuse(error, "--opt: expected NAME=VALUE, found '%.100s'", text);
    snprintf(opt->text, sizeof(opt->text), "%s", text);
    opt->text[equals - text] = '\0';
    opt->value = opt->text + (equals - text) + 1;
    char *dot = strrchr(opt->text, '.');
    opt->scope = dot ? opt->text : "";
    opt->name = dot ? dot + 1 : opt->text;
    if (dot) *dot = '\0';
    return GSIM_OK;
}

static bool is_machine_scope(const char *scope)
{
    return strcmp(scope, "gpu") == 0 || strcmp(scope, "device") == 0 || strcmp(scope, "rule") == 0;
}

static void offer_params(struct gsim_nearest *nearest, const struct gsim_param *table)
{
    for (const struct gsim_param *row = table; row && row->name; row++) gsim_nearest_offer(nearest, row->name);
}

static enum gsim_status unknown_number(const struct opt *opt, struct gsim_error *error)
{
    struct gsim_nearest nearest;
    gsim_nearest_init(&nearest, opt->name);
    if (strcmp(opt->scope, "rule") == 0) {
        for (int i = 0; i < GSIM_RULE_COUNT; i++) gsim_nearest_offer(&nearest, gsim_rule_name((enum gsim_rule)i));
        return gsim_refuse(error, "unknown rule '%s'%s (see gpusim list rules)", opt->name,
                           gsim_nearest_text(&nearest));
    }
    offer_params(&nearest, gsim_gpu_params);
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++)
        gsim_nearest_offer(&nearest, gsim_device_number_name((enum gsim_device_number)i));
    if (*gsim_nearest_text(&nearest))
        snprintf(nearest.text, sizeof nearest.text, ", did you mean '%s.%s'?",
                 gsim_params_find(gsim_gpu_params, nearest.best) ? "gpu" : opt->scope, nearest.best);
    return gsim_refuse(error, "unknown number '%s.%s'%s (see gpusim list devices --long)", opt->scope, opt->name,
                       nearest.text);
}

static bool is_machine_number(const struct opt *opt)
{
    if (strcmp(opt->scope, "rule") == 0) return gsim_rule_find(opt->name) != GSIM_RULE_COUNT;
    return (strcmp(opt->scope, "gpu") == 0 && gsim_params_find(gsim_gpu_params, opt->name)) ||
           gsim_device_number_find(opt->name) != GSIM_DEVICE_NUMBER_COUNT || strcmp(opt->name, GSIM_DEVICE_PCIE) == 0;
}

enum gsim_status gsim_cli_check_machine(const char *name, struct gsim_error *error)
{
    struct opt opt;
    char text[160];
    snprintf(text, sizeof(text), "%.150s=0", name);
    enum gsim_status status = split_opt(text, &opt, error);
    return status == GSIM_OK && is_machine_scope(opt.scope) && !is_machine_number(&opt) ? unknown_number(&opt, error)
                                                                                        : status;
}

static enum gsim_status set_machine_opt(struct gsim_cli_setup *setup, const struct opt *opt, struct gsim_error *error)
{
    if (!is_machine_number(opt)) return unknown_number(opt, error);
    if (strcmp(opt->scope, "gpu") == 0 && gsim_params_find(gsim_gpu_params, opt->name)) {
        if (!gsim_params_set(gsim_gpu_params, &setup->gpu, opt->name, opt->value, error)) return GSIM_OK;
        return gsim_error_prefix(error, "--opt gpu.%s=%.60s", opt->name, opt->value);
    }
    return gsim_cli_node_opt(setup, strcmp(opt->scope, "rule") == 0, opt->name, opt->value, error);
}

bool gsim_cli_is_shared_object(const char *text)
{
    return strlen(text) > 3 && gsim_text_ends_with(text, ".so");
}

/* Numbers of the generator or source that an --opt names; NULL: there is none. */
static const struct gsim_param *numbers_of(const struct gsim_cli_arguments *arguments, const char *name)
{
    const struct gsim_generator_ops *generator = gsim_generator_find(name);
    const struct gsim_source_ops *source = gsim_source_find(name);
    struct gsim_error ignored = {0}; /* told when it is used */
    const char *text = arguments->value[GSIM_CLI_WORKLOAD];
    if (!source && text && gsim_cli_is_shared_object(text) &&
        (gsim_source_load(text, &source, &ignored) != GSIM_OK || strcmp(source->name, name) != 0))
        source = NULL;
    return generator ? generator->params : source ? source->params : NULL;
}

static bool is_workload_number(const struct gsim_cli_arguments *arguments, const struct opt *opt)
{
    const struct gsim_param *table = numbers_of(arguments, opt->scope);
    return table && gsim_params_find(table, opt->name);
}

/* Of what commas separate, or all of it. */
static bool is_element(const char *list, const char *text)
{
    size_t length = strlen(text);
    const char *at = strcmp(list, text) == 0 ? text : strstr(list, text);
    while (at && at != text && ((at > list && at[-1] != ',') || (at[length] && at[length] != ',')))
        at = strstr(at + 1, text);
    return at != NULL;
}

/* Whether the program of this name is asked for; what files name is not looked up. */
static bool is_asked_for(const struct gsim_cli_arguments *arguments, const char *name)
{
    const char *list = arguments->value[GSIM_CLI_WORKLOAD];
    bool has_subject = (GSIM_CLI_ON_SUBJECT >> arguments->command & 1) && arguments->operand_count, has_tasks = false;
    for (size_t i = 0; i < arguments->repeated_count; i++) {
        if (arguments->repeated[i].key != GSIM_CLI_TASK) continue;
        has_tasks = true;
        if (is_element(arguments->repeated[i].text, name)) return true;
    }
    if (has_subject) return strcmp(arguments->operands[0], name) == 0;
    return !(list || has_tasks) || (list && (is_element(list, name) || strstr(list, ".so")));
}

/* A scheduler and a way of sharing may have one name: the other one has the parameter. */
static bool is_of_namesake(const struct opt *opt, const struct gsim_scheduler_ops *scheduler)
{
    const struct gsim_scheduler_ops *of_program = gsim_scheduler_find(opt->scope);
    const struct gsim_sharing_ops *of_tasks = gsim_sharing_find(opt->scope);
    if (!of_program || !of_tasks || gsim_params_find(scheduler->params, opt->name)) return false;
    return gsim_params_find(of_program->params, opt->name) || gsim_params_find(of_tasks->params, opt->name);
}

/* The schedulers that an --opt is meant for: the one it names, or all that know a bare name. */
static bool opt_concerns(const struct opt *opt, const struct gsim_scheduler_ops *scheduler)
{
    if (opt->scope[0]) return strcmp(opt->scope, scheduler->name) == 0 && !is_of_namesake(opt, scheduler);
    return gsim_params_find(scheduler->params, opt->name) != NULL;
}

static enum gsim_status unknown_scope(const struct gsim_cli_arguments *arguments, const struct opt *opt,
                                      struct gsim_error *error)
{
    struct gsim_nearest nearest;
    const struct gsim_param *numbers = numbers_of(arguments, opt->scope);
    gsim_nearest_init(&nearest, opt->name);
    offer_params(&nearest, numbers);
    if (numbers)
        return gsim_refuse(error, "--opt %s.%s: not a number of %s%s (see gpusim list workloads %s)", opt->scope,
                           opt->name, opt->scope, gsim_nearest_text(&nearest), opt->scope);
    if (gsim_scheduler_find(opt->scope) || gsim_sharing_find(opt->scope))
        return gsim_refuse(error, "--opt %s.%s: %s %s is not used here", opt->scope, opt->name,
                           gsim_scheduler_find(opt->scope) ? "the scheduler" : "sharing by", opt->scope);
    gsim_nearest_init(&nearest, opt->scope);
    gsim_nearest_offer(&nearest, "gpu");
    gsim_nearest_offer(&nearest, "device");
    for (uint32_t i = 0; gsim_scheduler_at(i); i++) gsim_nearest_offer(&nearest, gsim_scheduler_at(i)->name);
    return gsim_refuse(error, "--opt %s.%s: expected a scheduler, gpu, device or rule before the dot, found '%s'%s",
                       opt->scope, opt->name, opt->scope, gsim_nearest_text(&nearest));
}

static enum gsim_status unknown_bare(const struct opt *opt, const struct gsim_scheduler_ops *const *schedulers,
                                     size_t count, struct gsim_error *error)
{
    struct gsim_nearest nearest;
    const char *other = count == 1 ? schedulers[0]->name : "these schedulers";
    if (gsim_params_find(gsim_gpu_params, opt->name) || gsim_device_number_find(opt->name) != GSIM_DEVICE_NUMBER_COUNT)
        return gsim_refuse(error, "--opt %s: not a parameter of %s, did you mean 'gpu.%s'?", opt->name, other,
                           opt->name);
    gsim_nearest_init(&nearest, opt->name);
    for (size_t i = 0; i < count; i++) offer_params(&nearest, schedulers[i]->params);
    return gsim_refuse(error, "--opt %s: not a parameter of %s%s (see gpusim list schedulers --long)", opt->name, other,
                       gsim_nearest_text(&nearest));
}

enum gsim_status gsim_cli_check_opts(const struct gsim_cli_arguments *arguments,
                                     const struct gsim_scheduler_ops *const *schedulers, size_t count,
                                     struct gsim_error *error)
{
    const struct gsim_placement_ops *placement;
    if (gsim_cli_placement(arguments, &placement, error)) return error->status;
    for (size_t i = 0; i < arguments->opt_count; i++) {
        struct opt opt;
        bool concerns = false;
        enum gsim_status status = split_opt(arguments->opts[i], &opt, error);
        if (status != GSIM_OK) return status;
        if (placement) {
            struct gsim_scheduler_ops view = gsim_cli_placement_view(placement);
            concerns = opt_concerns(&opt, &view);
        }
        if (is_machine_scope(opt.scope)) {
            if (!is_machine_number(&opt)) return unknown_number(&opt, error);
            continue;
        }
        if (is_workload_number(arguments, &opt)) {
            if (is_asked_for(arguments, opt.scope)) continue;
            return gsim_refuse(error, "--opt %.100s: %s, whose number it is, does not run here", arguments->opts[i],
                               opt.scope);
        }
        for (size_t j = 0; j < count; j++) concerns = concerns || opt_concerns(&opt, schedulers[j]);
        if (!concerns)
            return opt.scope[0] ? unknown_scope(arguments, &opt, error) : unknown_bare(&opt, schedulers, count, error);
    }
    return GSIM_OK;
}

/* The parameters of TABLE, as every --opt has them that concerns SCHEDULER, or NULL: whose scope is NAME. */
static enum gsim_status set_params(const struct gsim_cli_arguments *arguments, const char *name,
                                   const struct gsim_scheduler_ops *scheduler, const struct gsim_param *table,
                                   size_t size, struct gsim_arena *arena, void **params, struct gsim_error *error)
{
    *params = gsim_arena_alloc(arena, size ? size : 1);
    gsim_params_set_defaults(table, *params);
    for (size_t i = 0; i < arguments->opt_count; i++) {
        struct opt opt;
        enum gsim_status status = split_opt(arguments->opts[i], &opt, error);
        if (status == GSIM_OK && (scheduler ? !is_machine_scope(opt.scope) && opt_concerns(&opt, scheduler)
                                            : strcmp(opt.scope, name) == 0))
            status = gsim_params_set(table, *params, opt.name, opt.value, error);
        if (status != GSIM_OK) return gsim_error_prefix(error, "--opt %.100s", arguments->opts[i]);
    }
    return GSIM_OK;
}

/* --- what all runs have in common --------------------------------------------------------------------------- */
enum gsim_status gsim_cli_setup_machine(struct gsim_cli_setup *setup, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = setup->arguments;
    enum gsim_status status = GSIM_OK;
    /* The link as one number first: single ones are then exceptions from it, in whatever order they are given. */
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < arguments->opt_count && status == GSIM_OK; i++) {
            struct opt opt;
            status = split_opt(arguments->opts[i], &opt, error);
            if (status != GSIM_OK || !is_machine_scope(opt.scope)) continue;
            bool is_pcie = strcmp(opt.name, GSIM_DEVICE_PCIE) == 0;
            if (is_pcie == (round == 0)) status = set_machine_opt(setup, &opt, error);
        }
    return status;
}

enum gsim_status gsim_cli_setup_init(struct gsim_cli_setup *setup, const struct gsim_cli_arguments *arguments,
                                     struct gsim_error *error)
{
    int suite, memory, prefetch;
    memset(setup, 0, sizeof(*setup));
    setup->arguments = arguments;
    gsim_params_set_defaults(gsim_gpu_params, &setup->gpu);
    enum gsim_status status = gsim_cli_choice(arguments, GSIM_CLI_SUITE, GSIM_SUITE_KESCO, &suite, error);
    if (status == GSIM_OK) status = gsim_cli_choice(arguments, GSIM_CLI_MEMORY, GSIM_MEMORY_MANAGED, &memory, error);
    if (status == GSIM_OK) status = gsim_cli_choice(arguments, GSIM_CLI_PREFETCH, 0, &prefetch, error);
    if (status == GSIM_OK) {
        const char *text = arguments->value[GSIM_CLI_SEED];
        char *end;
        setup->seed = 1;
        if (text) {
            errno = 0;
            setup->seed = strtoull(text, &end, 10);
            if (errno || *end || !*text || strspn(text, "0123456789") != strlen(text))
                status =
                    gsim_refuse(error, "--seed: expected an integer from 0 to 18446744073709551615, found '%s'", text);
        }
    }
    if (status == GSIM_OK)
        status = gsim_cli_count(arguments, GSIM_CLI_ITERATIONS, 1, GSIM_LIMIT_ITERATIONS, 0, &setup->iterations, error);
    if (status == GSIM_OK)
        status = gsim_cli_count(arguments, GSIM_CLI_GPUS, 1, GSIM_LIMIT_GPUS, 0, &setup->gpus, error);
    if (status == GSIM_OK) status = gsim_cli_placement(arguments, &setup->placement, error);
    if (status == GSIM_OK)
        status = gsim_cli_count(arguments, GSIM_CLI_BLOCK1D, 1, GSIM_LIMIT_BLOCK_THREADS, 0, &setup->block1d, error);
    if (status == GSIM_OK)
        status = gsim_cli_count(arguments, GSIM_CLI_BLOCKS, 1, GSIM_LIMIT_BLOCKS, 0, &setup->blocks, error);
    if (status == GSIM_OK) status = gsim_cli_node_or_device(setup, error);
    if (status != GSIM_OK) return status;
    setup->places_best = gsim_cli_is_best(arguments->value[GSIM_CLI_PLACE]);
    setup->suite = (enum gsim_suite)suite;
    setup->memory = (enum gsim_memory_mode)memory;
    if (setup->memory != GSIM_MEMORY_MANAGED) status = gsim_cli_check_used(arguments, GSIM_CLI_OF_UNMANAGED, error);
    setup->prefetch = prefetch == 0; /* "on|off" */
    setup->noise = arguments->value[GSIM_CLI_NOISE] && strcmp(arguments->value[GSIM_CLI_NOISE], "off") != 0;
    if (status == GSIM_OK) status = gsim_cli_setup_machine(setup, error);
    if (status == GSIM_OK) status = gsim_cli_node_model(setup, error);
    if (status != GSIM_OK) gsim_cli_setup_release(setup);
    return status;
}

void gsim_cli_setup_release(struct gsim_cli_setup *setup)
{
    gsim_device_release(&setup->device);
    gsim_cli_node_release(setup->node);
    memset(setup, 0, sizeof(*setup));
}

/* --- the program ------------------------------------------------------------------------------------------------ */
enum gsim_status gsim_cli_read_cuda(const struct gsim_cli_arguments *arguments, const char *path, bool is_quiet,
                                    struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_import_notes notes;
    struct gsim_trace_steps steps = {0};
    struct gsim_device_spec device = {0};
    char note[GSIM_CLI_GPU_NOTE];
    enum gsim_status status = gsim_cli_check_used(arguments, GSIM_CLI_OF_CUDA, error);
    if (status == GSIM_OK && access(path, F_OK) != 0)
        return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': %s", path, strerror(errno));
    if (status == GSIM_OK)
        status = gsim_cli_import_trace(arguments, path, program, &notes, &steps, NULL, &device, is_quiet ? NULL : note,
                                       error);
    gsim_trace_steps_release(&steps);
    gsim_device_release(&device);
    return status;
}

/* A shared object is code: the command line's own alone are loaded, not those that a file names. */
static enum gsim_status load_source(const struct gsim_cli_setup *setup, const char *path,
                                    const struct gsim_source_ops **source, struct gsim_error *error)
{
    const char *named = setup->arguments->value[GSIM_CLI_WORKLOAD];
    if (named && is_element(named, path)) return gsim_source_load(path, source, error);
    return gsim_refuse(error, "'%.200s': a source from a shared object is for --workload", path);
}

static enum gsim_status load_program(struct gsim_cli_point *point, const struct gsim_cli_setup *setup, const char *text,
                                     struct gsim_workload_options *options, const struct gsim_workload_ops **workload,
                                     struct gsim_error *error)
{
    if (setup->program) {
        point->program = *setup->program;
        *setup->program = (struct gsim_program){0};
        return GSIM_OK;
    }
    static const uint64_t uses[GSIM_SUBJECT_KIND_COUNT] = {
        [GSIM_SUBJECT_WORKLOAD] = GSIM_CLI_OF_BENCHMARK, [GSIM_SUBJECT_GENERATOR] = GSIM_CLI_OF_GENERATOR,
        [GSIM_SUBJECT_DRAWN] = GSIM_CLI_OF_SOURCE,       [GSIM_SUBJECT_PLUGIN] = GSIM_CLI_OF_SOURCE,
        [GSIM_SUBJECT_SERVICE] = GSIM_CLI_OF_SERVICE,    [GSIM_SUBJECT_CUDA] = GSIM_CLI_OF_CUDA,
    };
    const struct gsim_generator_ops *generator = gsim_generator_find(text);
    enum gsim_subject_kind kind = gsim_subject_kind_of(text);
    bool is_file = strchr(text, '/') || strcmp(text, "-") == 0 || gsim_text_ends_with(text, ".json") ||
                   gsim_text_ends_with(text, ".json.gz") || (text[0] && access(text, F_OK) == 0);
    if (kind == GSIM_SUBJECT_UNKNOWN && !is_file) return gsim_cli_unknown_workload(text, error);
    if (kind == GSIM_SUBJECT_PLUGIN && load_source(setup, text, &point->source, error)) return error->status;
    if (gsim_cli_check_used(setup->arguments, uses[kind] ? uses[kind] : GSIM_CLI_OF_FILE, error)) return error->status;
    switch (kind) {
    case GSIM_SUBJECT_WORKLOAD:
        *workload = gsim_workload_find(text);
        if (gsim_cli_size(setup, *workload, options, error)) return error->status;
        return (*workload)->build(options, &point->program, error);
    case GSIM_SUBJECT_GENERATOR:
        point->generator = generator;
        if (set_params(setup->arguments, text, NULL, generator->params, generator->params_size, &point->arena,
                       &point->numbers, error))
            return error->status;
        return generator->build(point->numbers, setup->seed, &point->program, error);
    case GSIM_SUBJECT_DRAWN: case GSIM_SUBJECT_PLUGIN: /* what is drawn is not known before the run */
        if (!point->source) point->source = gsim_source_find(text);
        return set_params(setup->arguments, point->source->name, NULL, point->source->params,
                          point->source->params_size, &point->arena, &point->numbers, error);
    case GSIM_SUBJECT_SERVICE: {
        const char *path = gsim_subject_service_path(text, &point->arena, error);
        return path ? gsim_service_build(gsim_service_find(text), path, setup->device.name, &point->program, error)
                    : error->status;
    }
    case GSIM_SUBJECT_CUDA: { /* of a sweep it is told once, and not for each point */
        bool is_quiet = setup->is_quiet || setup->arguments->device;
        return gsim_cli_read_cuda(setup->arguments, text, is_quiet, &point->program, error);
    }
    default:
        if (gsim_subject_expect(text, GSIM_SUBJECT_BIT(PROGRAM), "a program", error)) return error->status;
        return gsim_program_read(text, &point->program, error);
    }
}

/* --- one run -------------------------------------------------------------------------------------------------- */
enum gsim_status gsim_cli_params(const struct gsim_cli_arguments *arguments, const struct gsim_scheduler_ops *scheduler,
                                 struct gsim_arena *arena, void **params, struct gsim_error *error)
{
    return set_params(arguments, NULL, scheduler, scheduler->params, scheduler->params_size, arena, params, error);
}

static void add_option(struct gsim_cli_point *point, const char *name, const char *value)
{
    struct gsim_option_text *option = &point->options[point->option_count++];
    option->name = gsim_arena_strdup(&point->arena, name);
    option->value = gsim_arena_strdup(&point->arena, value);
}

static void add_number(struct gsim_cli_point *point, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof(text), "%.15g", value);
    add_option(point, name, value != 0 ? text : "default");
}

static void add_params(struct gsim_cli_point *point, const char *scope, const struct gsim_param *table,
                       const void *object)
{
    for (const struct gsim_param *row = table; row && row->name; row++) {
        char name[96], value[96];
        const struct gsim_gpu_options *gpu =
            table == gsim_gpu_params ? object : NULL; /* a sample or a model: where there is one */
        if (gpu && ((gpu->sample <= 1 && !strcmp(row->name, "sample")) || (!gpu->model && !strcmp(row->name, "model"))))
            continue;
        snprintf(name, sizeof(name), "%s.%s", scope, row->name);
        gsim_params_format(row, object, value, sizeof(value));
        add_option(point, name, value);
    }
}

static size_t count_params(const struct gsim_param *table)
{
    size_t count = 0;
    while (table && table[count].name) count++;
    return count;
}

static bool is_set(const struct gsim_cli_setup *setup, const char *number)
{
    for (size_t j = 0; j < setup->arguments->opt_count; j++) {
        struct opt opt;
        if (split_opt(setup->arguments->opts[j], &opt, NULL) != GSIM_OK || !is_machine_scope(opt.scope)) continue;
        if (strcmp(opt.name, number) == 0) return true;
        if (strcmp(opt.name, GSIM_DEVICE_PCIE) == 0 && gsim_device_is_pcie(number)) return true;
    }
    return false;
}

static void list_options(struct gsim_cli_point *point, const struct gsim_cli_setup *setup,
                         const struct gsim_workload_ops *workload, const struct gsim_workload_options *options)
{
    static const char *const memories[] = {"managed", "pinned", "pageable"}, *const suites[] = {"kesco", "grcuda"};
    const struct gsim_simulation *run = &point->simulation;
    size_t room = 26 + count_params(run->placement ? run->placement->params : NULL) +
                  count_params(point->generator ? point->generator->params
                               : point->source  ? point->source->params
                                                : NULL) +
                  count_params(gsim_gpu_params) + count_params(run->scheduler->params) + setup->arguments->opt_count;
    uint32_t iterations = run->iterations ? run->iterations : point->source ? 1 : point->program.iterations;
    point->options = GSIM_ARENA_ARRAY(&point->arena, struct gsim_option_text, room);
    if (workload) {
        add_option(point, "suite", suites[options->suite]);
        add_number(point, "size", options->size > 0 ? options->size : workload->size_default[options->suite]);
        add_number(point, "block1d", options->block1d);
        add_number(point, "blocks", options->blocks);
    }
    if (point->generator) add_params(point, point->generator->name, point->generator->params, point->numbers);
    if (point->source) add_params(point, point->source->name, point->source->params, point->numbers);
    if (run->until_steady) add_option(point, "iterations", "steady");
    else add_number(point, "iterations", iterations);
    add_option(point, "memory", memories[run->memory]);
    add_option(point, "prefetch", run->prefetch ? "on" : "off");
    if (run->noise) add_option(point, "noise", "on");
    if (run->node) add_option(point, "node", gsim_node_name(run->node));
    if (run->gpu_count > 1) add_number(point, "gpus", run->gpu_count);
    if (run->placement) add_option(point, "place", run->placement->name);
    if (run->placement && run->placement->params)
        add_params(point, run->placement->name, run->placement->params, run->placement_params);
    add_params(point, "gpu", gsim_gpu_params, &run->gpu);
    add_params(point, run->scheduler->name, run->scheduler->params, point->params);
    /* What was changed in the device shows as device.NAME; all else of it follows from its name. */
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++) {
        const char *number = gsim_device_number_name((enum gsim_device_number)i);
        if (!is_set(setup, number)) continue;
        char name[96], value[40];
        snprintf(name, sizeof(name), "device.%s", number);
        snprintf(value, sizeof(value), "%.15g", gsim_device_get(&setup->device, (enum gsim_device_number)i));
        add_option(point, name, value);
    }
}

/* Whether the program names a GPU other than the first. */
static bool is_placed(const struct gsim_program *program)
{
    for (uint32_t i = 0; i < program->op_count; i++)
        if (program->ops[i].device) return true;
    return false;
}

enum gsim_status gsim_cli_point_init(struct gsim_cli_point *point, const struct gsim_cli_setup *setup,
                                     const char *workload, const struct gsim_scheduler_ops *scheduler,
                                     struct gsim_error *error)
{
    const struct gsim_workload_ops *ops = NULL;
    struct gsim_workload_options options = {
        .shape = scheduler->shape, .block1d = setup->block1d, .blocks = setup->blocks, .iterations = setup->iterations};
    memset(point, 0, sizeof(*point));
    enum gsim_status status = gsim_cli_params(setup->arguments, scheduler, &point->arena, &point->params, error);
    if (status == GSIM_OK) status = load_program(point, setup, workload, &options, &ops, error);
    if (status == GSIM_OK) status = gsim_cli_apply_kernels(setup->arguments, &point->program, error);
    if (status == GSIM_OK) {
        point->simulation = (struct gsim_simulation){.program = &point->program,
                                                     .device = &setup->device,
                                                     .scheduler = scheduler,
                                                     .scheduler_params = point->params,
                                                     .gpu = setup->gpu,
                                                     .memory = setup->memory,
                                                     .prefetch = setup->prefetch,
                                                     .noise = setup->noise,
                                                     .gpu_count = setup->gpus,
                                                     .iterations = setup->iterations,
                                                     .until_steady = setup->until_steady && !setup->iterations &&
                                                                     point->program.iterations == 1,
                                                     .seed = setup->seed};
        status = gsim_cli_place_point(point, setup, error);
        point->workload = options;
        gsim_cli_node_set(setup->node, &setup->device, &point->arena, &point->simulation);
        if (status == GSIM_OK && gsim_cli_gpu_count(setup) < 2 && !is_placed(&point->program))
            status = gsim_cli_check_used(setup->arguments, GSIM_CLI_OF_ONE_GPU, error);
        if (point->source) {
            point->simulation.source = point->source;
            point->simulation.source_params = point->numbers;
            point->simulation.drawn = &point->program;
        }
        if (status == GSIM_OK) list_options(point, setup, ops, &options);
    }
    if (status != GSIM_OK) gsim_cli_point_release(point);
    return status;
}

void gsim_cli_point_release(struct gsim_cli_point *point)
{
    gsim_program_release(&point->program);
    gsim_op_plan_release(&point->plan);
    gsim_arena_release(&point->arena);
    memset(point, 0, sizeof(*point));
}
