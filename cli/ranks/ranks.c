/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim run --ranks FILE|N": one simulation of ranks (include/gpusim/ranks.h). */
#include "cli/ranks/ranks.h"

#include <string.h>

#include "sim/base/text.h"
#include "sim/collective/state.h"

static enum gsim_status read_ranks(struct gsim_cli_ranks *r, const char *text, struct gsim_error *error)
{
    double number;
    if (gsim_text_quantity(text, &number)) {
        /* --ranks N: so many of --workload. */
        const char *workload = r->workload;
        if (number < 1 || number > GSIM_LIMIT_RANKS)
            return gsim_refuse(error, "--ranks: expected 1 to %u ranks, found '%.40s'", GSIM_LIMIT_RANKS, text);
        if (!workload) return gsim_refuse(error, "--ranks %s: expected --workload with it, or a file of ranks", text);
        r->file = (struct gsim_rank_file){.nodes = 1, .folds = true, .count = 1};
        r->file.entries = GSIM_ARENA_ARRAY(&r->file.arena, struct gsim_rank_entry, 1);
        r->file.entries[0] = (struct gsim_rank_entry){.program = workload, .count = gsim_whole_u32(number)};
        return GSIM_OK;
    }
    if (r->workload) return gsim_refuse(error, "--workload: the file of --ranks names the programs");
    return gsim_rank_file_read(text, &r->file, error);
}

/* A generator that divides what it draws among ranks is told how many there are. */
static enum gsim_status tell_count(struct gsim_cli_ranks *r, uint64_t ranks, struct gsim_error *error)
{
    const char *workload = r->workload;
    const struct gsim_generator_ops *generator = workload ? gsim_generator_find(workload) : NULL;
    if (!generator || !gsim_params_find(generator->params, "ranks")) return GSIM_OK;
    const char *opt = gsim_arena_printf(&r->arena, "%s.ranks=%llu", workload, (unsigned long long)ranks);
    const char **opts = GSIM_ARENA_ARRAY(&r->arena, const char *, r->words.opt_count + 1);
    for (size_t i = 0; i < r->words.opt_count; i++) {
        opts[i] = r->words.opts[i];
        if (strncmp(opts[i], opt, strlen(workload) + strlen(".ranks=")) == 0 && strcmp(opts[i], opt) != 0)
            return gsim_refuse(error, "--opt %.60s: expected as many as --ranks, %llu", opts[i],
                               (unsigned long long)ranks);
    }
    opts[r->words.opt_count++] = opt;
    r->words.opts = opts;
    return GSIM_OK;
}

/* The device is the node's, unless one is named; every rank has a GPU of its own. */
static enum gsim_status use_node(struct gsim_cli_ranks *r, struct gsim_error *error)
{
    r->words = *r->arguments;
    r->words.value[GSIM_CLI_NODE] = r->words.value[GSIM_CLI_COLLECTIVE_LIBRARY] = NULL;
    if (r->arguments->value[GSIM_CLI_NODE]) r->file.node = r->arguments->value[GSIM_CLI_NODE];
    if (tell_count(r, gsim_rank_file_count(&r->file), error) ||
        gsim_rank_file_place(&r->file, r->words.value[GSIM_CLI_DEVICE], &r->node, error))
        return error->status;
    if (r->file.node && !r->words.value[GSIM_CLI_DEVICE]) {
        r->words.value[GSIM_CLI_DEVICE] = r->node.device;
        r->words.device = NULL; /* which was another one's */
    }
    return GSIM_OK;
}

static enum gsim_status load(struct gsim_cli_ranks *r, struct gsim_error *error)
{
    const char *name = r->arguments->value[GSIM_CLI_SCHED] ? r->arguments->value[GSIM_CLI_SCHED] : "async";
    const struct gsim_scheduler_ops *scheduler;
    enum gsim_status status = gsim_cli_scheduler(name, &scheduler, error);
    if (!status && r->words.command != GSIM_CLI_COMPARE) /* which has all of its schedulers' checked */
        status = gsim_cli_check_opts(&r->words, &scheduler, 1, error);
    if (!status) status = gsim_cli_setup_init(&r->setup, &r->words, error);
    if (status) return status;
    if (!r->arguments->value[GSIM_CLI_MEMORY])
        r->setup.memory = GSIM_MEMORY_PINNED; /* as NCCL's buffers are on the device */
    if (r->setup.memory != GSIM_MEMORY_MANAGED && gsim_cli_check_used(&r->words, GSIM_CLI_OF_UNMANAGED, error))
        return error->status;
    r->points = GSIM_ARENA_ARRAY(&r->arena, struct gsim_cli_point, r->file.count);
    struct gsim_client *each = GSIM_ARENA_ARRAY(&r->arena, struct gsim_client, r->file.count);
    for (uint32_t i = 0; i < r->file.count; i++) {
        struct gsim_cli_point *point = &r->points[i];
        status = gsim_cli_point_init(point, &r->setup, r->file.entries[i].program, scheduler, error);
        if (status) return status;
        r->point_count++;
        status = gsim_cli_point_known(point, "a rank", error);
        if (status) return status;
        each[i] = (struct gsim_client){.program = &point->program, .scheduler = scheduler,
                                       .scheduler_params = point->params};
    }
    r->ranks = gsim_rank_file_clients(&r->file, each, &r->arena, &r->count);
    return GSIM_OK;
}

/* Whether some all-reduce of the ranks is an engine's own. */
static bool has_custom(const struct gsim_cli_ranks *r, const struct gsim_nccl *numbers)
{
    struct gsim_ranks ranks = r->node.links;
    ranks.count += gsim_cli_ranks_count(r);
    const struct gsim_collective_links links = gsim_collective_links_of(&r->setup.device, &ranks);
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t k = 0; k < r->ranks[i].program->kernel_count; k++) {
            const struct gsim_collective *c = r->ranks[i].program->kernels[k].collective;
            if (c && !c->algorithm &&
                gsim_collective_plan(numbers, c, c->group_count ? c->group_count : ranks.count, &links).algorithm >
                    GSIM_ALGORITHM_CUSTOM)
                return true;
        }
    return false;
}

static enum gsim_status use_library(struct gsim_cli_ranks *r, struct gsim_error *error)
{
    int is_custom; /* nccl|custom */
    if (gsim_cli_choice(r->arguments, GSIM_CLI_COLLECTIVE_LIBRARY, 0, &is_custom, error)) return error->status;
    if (!is_custom) return GSIM_OK;
    r->node.links.is_custom = true;
    struct gsim_nccl *numbers = gsim_collective_numbers(&r->setup.device);
    bool has_effect = numbers && has_custom(r, numbers);
    gsim_free(numbers);
    if (has_effect) return GSIM_OK;
    return gsim_refuse(error, "--collective-library custom: engines leave each all-reduce of these ranks to NCCL (too "
                              "large, several hosts, PCIe, or it names an algorithm)");
}

enum gsim_status gsim_cli_ranks_init(struct gsim_cli_ranks *r, const struct gsim_cli_arguments *arguments,
                                     const char *text, const char *workload, struct gsim_error *error)
{
    *r = (struct gsim_cli_ranks){.arguments = arguments, .workload = workload};
    enum gsim_status status = read_ranks(r, text, error);
    if (!status) status = use_node(r, error);
    if (!status) status = load(r, error);
    return status ? status : use_library(r, error);
}

void gsim_cli_ranks_release(struct gsim_cli_ranks *r)
{
    for (uint32_t i = 0; i < r->point_count; i++) gsim_cli_point_release(&r->points[i]);
    if (r->setup.arguments) gsim_cli_setup_release(&r->setup);
    gsim_rank_file_release(&r->file);
    gsim_arena_release(&r->arena);
    *r = (struct gsim_cli_ranks){0};
}

uint32_t gsim_cli_ranks_count(const struct gsim_cli_ranks *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->count; i++) count += r->ranks[i].copies;
    return count;
}

#define ITERATIONS 4 /* of programs that have one: the first may build graphs */

enum gsim_status gsim_cli_ranks_time(const struct gsim_cli_ranks *r, uint64_t added, struct gsim_timeline *timeline,
                                     struct gsim_metrics *metrics, struct gsim_error *error)
{
    struct gsim_scenario scenario = {.simulation = r->points[0].simulation, .is_checked = true};
    uint32_t own = r->points[0].program.iterations;
    uint32_t iterations = r->setup.iterations ? r->setup.iterations : own > 1 ? own : ITERATIONS;
    scenario.simulation.seed += added;
    enum gsim_status status = gsim_scenario_join(&scenario, r->ranks, r->count, &r->node.links, iterations, error);
    if (!status) status = gsim_run(&scenario, timeline, error);
    if (!status) status = gsim_timeline_join(timeline, error);
    if (!status) status = gsim_metrics_compute(timeline, scenario.simulation.device, NULL, metrics, error);
    timeline->program = NULL; /* the scenario's */
    gsim_scenario_release(&scenario);
    return status;
}

enum gsim_status gsim_cli_run_ranks(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_cli_ranks r = {0};
    enum gsim_status status = gsim_cli_check_used(arguments, GSIM_CLI_OF_RANKS, error);
    if (!status)
        status = gsim_cli_ranks_init(&r, arguments, arguments->value[GSIM_CLI_RANKS],
                                     arguments->value[GSIM_CLI_WORKLOAD], error);
    if (!status) {
        struct gsim_timeline timeline = {0};
        struct gsim_scenario scenario = {.simulation = r.points[0].simulation, .is_checked = true};
        status = gsim_scenario_join(&scenario, r.ranks, r.count, &r.node.links, r.setup.iterations, error);
        scenario.simulation.detailed = true;
        if (!status) status = gsim_run(&scenario, &timeline, error);
        if (!status)
            status = gsim_cli_deliver_all(r.arguments, &scenario.simulation, &timeline, &r.points[0], NULL, error);
        gsim_timeline_release(&timeline);
        gsim_scenario_release(&scenario);
    }
    gsim_cli_ranks_release(&r);
    return status;
}
