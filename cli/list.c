/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim list": what the registries and the model folders hold, one line each, or with
 * --long, or of the one that is named, everything there is to know.
 */
#include "sim/device/device.h"
#include "sim/device/rules.h"
#include "cli/cli.h"
#include "cli/place/node.h"
#include "gpusim/batching.h"
#include "sim/base/text.h"

/* What papers call them, where that is another name. */
static const char *const display_names[][2] = {
    {"async", "hand-tuned streams"}, {"grsched", "GrCUDA"},   {"taskflow", "Taskflow"}, {"cudagraph", "CUDA graph"},
    {"kesco", "KeSCo"},              {"heft", "HEFT"},        {"acs-sw", "ACS-SW"},     {"acs-hw", "ACS-HW"},
    {"persistent", "megakernel"},    {"ccks", "CCKS"},        {"vec", "VEC"},           {"bs", "B&S"},
    {"img", "IMG"},                  {"ml", "ML"},            {"hits", "HITS"},         {"dl", "DL"},
    {"brax", "Brax"},                {"dyn-dnn", "dynamic DNN"}, {"static-dnn", "static DNN"},
};

/* What a line tells of an entry of any registry; with --long, or of one that is named, the lines below it. */
struct entry {
    const char *name, *summary;
    const char *help, *credit, *source;        /* CREDIT SOURCE: "source: KeSCo, 2023" */
    const struct gsim_workload_ops *benchmark; /* NULL: it has no --size */
    const struct gsim_param *params;
    bool is_drawn; /* --seed is one of its numbers */
    const char *note; /* behind the summary */
    char text[80];    /* a note's own */
};

static void put_entry(const struct entry *e, int width, bool in_full)
{
    printf("  %-*s %s%s\n", width, e->name, e->summary, e->note ? e->note : "");
    if (!in_full) return;
    for (size_t i = 0; i < sizeof display_names / sizeof display_names[0]; i++)
        if (strcmp(display_names[i][0], e->name) == 0) printf("      in papers: %s\n", display_names[i][1]);
    for (const char *text = e->help ? e->help : ""; *text; text += *text == '\n') {
        int length = (int)strcspn(text, "\n");
        printf("      %.*s\n", length, text);
        text += length;
    }
    if (e->source) printf("      %s: %s\n", e->credit, e->source);
    if (e->benchmark)
        printf("      --size: %s; default %.15g (kesco), %.15g (grcuda)\n", e->benchmark->size_meaning,
               e->benchmark->size_default[GSIM_SUITE_KESCO], e->benchmark->size_default[GSIM_SUITE_GRCUDA]);
    if (e->params && e->params->name) {
        printf("      %s--opt %s.NAME=VALUE:\n", e->is_drawn ? "--seed, " : "", e->name);
        gsim_params_help(e->params, stdout);
    }
    printf("\n");
}

/* --- the registries --- */
/* NAME_at(): the entry INDEX; false behind the last. */
#define ENTRIES(registry, ...)                                                                                         \
    static bool registry##_at(uint32_t index, struct entry *e)                                                         \
    {                                                                                                                  \
        const struct gsim_##registry##_ops *ops = gsim_##registry##_at(index);                                         \
        if (ops) *e = (struct entry){.name = ops->name, .summary = ops->summary, __VA_ARGS__};                         \
        return ops != NULL;                                                                                            \
    }
/* NAME_load(): the entry of a name or of a plug-in's path. */
#define LOADED(registry, load, ...)                                                                                    \
    ENTRIES(registry, __VA_ARGS__)                                                                                     \
    static enum gsim_status registry##_load(const char *name, struct entry *e, struct gsim_error *error)               \
    {                                                                                                                  \
        const struct gsim_##registry##_ops *ops;                                                                       \
        enum gsim_status status = load(name, &ops, error);                                                             \
        if (status == GSIM_OK) *e = (struct entry){.name = ops->name, .summary = ops->summary, __VA_ARGS__};           \
        return status;                                                                                                 \
    }

ENTRIES(workload, .help = ops->help, .benchmark = ops)
ENTRIES(generator, .help = ops->help, .params = ops->params, .is_drawn = true)
ENTRIES(source, .help = ops->help, .params = ops->params, .is_drawn = true)
LOADED(scheduler, gsim_cli_scheduler, .credit = "source", .source = ops->source, .params = ops->params)
LOADED(placement, gsim_placement_load, .credit = "source", .source = ops->source, .params = ops->params)
LOADED(sharing, gsim_sharing_load, .credit = "source", .source = ops->source, .params = ops->params,
       .note = ops->needs_profile ? " (needs a profile)" : NULL)
LOADED(batching, gsim_batching_load, .credit = "after", .source = ops->source, .params = ops->params)

static bool service_at(uint32_t index, struct entry *e)
{
    const struct gsim_service *service = gsim_service_at(index);
    if (service) *e = (struct entry){.name = service->name, .summary = service->summary};
    return service != NULL;
}

static bool rule_at(uint32_t index, struct entry *e)
{
    if (index >= GSIM_RULE_COUNT) return false;
    *e = (struct entry){.name = gsim_rule_name((enum gsim_rule)index),
                        .summary = gsim_rule_sentence((enum gsim_rule)index)};
    return true;
}

static bool gpu_option_at(uint32_t index, struct entry *e)
{
    const struct gsim_param *row = &gsim_gpu_params[index];
    struct gsim_gpu_options initial = {0};
    char value[64];
    if (!row->name) return false;
    gsim_params_set_defaults(gsim_gpu_params, &initial);
    gsim_params_format(row, &initial, value, sizeof value);
    *e = (struct entry){.name = row->name, .summary = row->help};
    e->note = e->text;
    snprintf(e->text, sizeof e->text, " (default %s)", value);
    return true;
}

enum topic { WORKLOADS, SCHEDULERS, PLACEMENTS, SHARING, DEVICES, NODES, PRESETS, RULES, GPU, BATCHING, TOPIC_COUNT };
static const char *const topics[TOPIC_COUNT] = {"workloads", "schedulers", "placements", "sharing", "devices",
                                                "nodes",     "presets",    "rules",      "gpu",     "batching"};

static const struct registry {
    enum topic topic;
    int width; /* of names */
    bool is_brief; /* its entries have one line */
    const char *title;
    bool (*at)(uint32_t index, struct entry *e);
    enum gsim_status (*load)(const char *name, struct entry *e, struct gsim_error *error); /* NULL: none of plug-ins */
} registries[] = {
    {WORKLOADS, 10, false, "Workloads (--workload)", workload_at, NULL},
    {WORKLOADS, 10, false, "Generators (--workload)", generator_at, NULL},
    {WORKLOADS, 10, false, "Drawn while they run (--workload)", source_at, NULL},
    {WORKLOADS, 19, true, "Services (--task, --workload; one iteration is a request)", service_at, NULL},
    {SCHEDULERS, 10, false, "Schedulers (--sched)", scheduler_at, scheduler_load},
    {PLACEMENTS, 21, false, "Placements of kernels on GPUs (--place)", placement_at, placement_load},
    {SHARING, 10, false, "Ways of sharing a GPU among tasks (--share)", sharing_at, sharing_load},
    {RULES, 17, true, "Rules of the model (--opt rule.NAME=off)", rule_at, NULL},
    {GPU, 15, true, "Options of the machine (--opt gpu.NAME=VALUE)", gpu_option_at, NULL},
    {BATCHING, 14, false, "Batching policies of servers (gpusim serve --batching)", batching_at, batching_load},
};
#define REGISTRY_COUNT (sizeof registries / sizeof registries[0])

static void list_registry(const struct registry *r, bool in_full)
{
    struct entry e;
    printf("%s:\n", r->title);
    for (uint32_t i = 0; r->at(i, &e); i++) put_entry(&e, r->width, in_full && !r->is_brief);
    if (r->topic != SCHEDULERS || !in_full) return;
    printf("The machine (--opt gpu.NAME=VALUE; also any number of gpusim list devices --long):\n");
    gsim_params_help(gsim_gpu_params, stdout);
}

static enum gsim_status list_entry(enum topic topic, const char *name, struct gsim_error *error)
{
    static const char *const unknown[TOPIC_COUNT][2] = {
        [WORKLOADS] = {"workload '", "'"}, [RULES] = {"rule '", "'"}, [GPU] = {"option gpu.", ""}};
    struct gsim_nearest nearest;
    struct entry e = {0};
    gsim_nearest_init(&nearest, name);
    for (const struct registry *r = registries; r < registries + REGISTRY_COUNT; r++) {
        if (r->topic != topic) continue;
        bool is_found = r->load && r->load(name, &e, error) == GSIM_OK;
        if (r->load && !is_found) return error->status;
        for (uint32_t i = 0; !is_found && r->at(i, &e); i++) {
            is_found = strcmp(e.name, name) == 0;
            gsim_nearest_offer(&nearest, e.name);
        }
        if (!is_found) continue;
        put_entry(&e, r->width, !r->is_brief);
        return GSIM_OK;
    }
    return gsim_refuse(error, "unknown %s%.60s%s%s (see gpusim list %s)", unknown[topic][0], name, unknown[topic][1],
                       gsim_nearest_text(&nearest), topics[topic]);
}

/* --- devices --------------------------------------------------------------------------------------------------- */
static enum gsim_status put_device(const char *name_or_path, struct gsim_error *error)
{
    struct gsim_device_spec device = {0};
    enum gsim_status status = gsim_device_load(name_or_path, &device, error);
    if (status == GSIM_OK) gsim_device_print(&device, stdout);
    gsim_device_release(&device);
    return status;
}

static enum gsim_status list_devices(bool in_full, struct gsim_error *error)
{
    struct gsim_device_entries list = {0};
    enum gsim_status status = gsim_device_list(&list, error);
    if (status != GSIM_OK) return status;
    printf("Devices (--device):\n");
    for (size_t i = 0; i < list.count && status == GSIM_OK; i++) {
        const struct gsim_device_entry *entry = &list.entries[i];
        bool is_default = strcmp(entry->name, GSIM_DEVICE_DEFAULT) == 0;
        if (!in_full || entry->error) {
            printf("  %-16s %s%s\n", entry->name, entry->error ? entry->error : entry->title,
                   is_default ? " (default)" : "");
            continue;
        }
        status = put_device(entry->path, error);
        printf("\n");
    }
    if (status == GSIM_OK)
        printf("h100 is h100-vm, a100 is a100-sxm4-40gb; -vm: with the host of a virtual machine, where it was "
               "measured\n");
    gsim_device_list_release(&list);
    return status;
}

/* --- presets --------------------------------------------------------------------------------------------------- */
/* ONLY: of this workload; NULL: of all. */
static void list_presets(const struct gsim_workload_ops *only, bool in_full)
{
    if (only && (!only->presets || !only->presets->name)) {
        printf("%s has no presets: --size takes %s\n", only->name, only->size_meaning);
        return;
    }
    printf("Presets (--size):\n");
    for (uint32_t i = 0; gsim_workload_at(i); i++) {
        const struct gsim_workload_ops *workload = gsim_workload_at(i);
        if (only && workload != only) continue;
        for (const struct gsim_workload_preset *preset = workload->presets; preset && preset->name; preset++)
            printf("  %-10s %-20s %-8s %12.15g %s%s%s\n", workload->name, preset->name,
                   preset->suite == GSIM_SUITE_KESCO ? "kesco" : "grcuda", preset->size, workload->size_meaning,
                   in_full && preset->source ? "; " : "", in_full && preset->source ? preset->source : "");
    }
}

/* --- the command --- */
static enum gsim_status list_all(enum topic topic, bool in_full, struct gsim_error *error)
{
    if (topic == DEVICES) return list_devices(in_full, error);
    if (topic == NODES) return gsim_cli_list_nodes(in_full, error);
    if (topic == PRESETS) list_presets(NULL, in_full);
    for (const struct registry *r = registries; r < registries + REGISTRY_COUNT; r++)
        if (r->topic == topic) list_registry(r, in_full);
    return GSIM_OK;
}

/* All there is to know of one entry. */
static enum gsim_status list_one(enum topic topic, const char *name, struct gsim_error *error)
{
    if (topic == DEVICES) return put_device(name, error);
    if (topic == NODES) return gsim_cli_list_node(name, error);
    if (topic != PRESETS) return list_entry(topic, name, error);
    if (gsim_generator_find(name) || gsim_source_find(name) || gsim_service_find(name))
        return gsim_refuse(
            error, "'%s' has no size presets: built-in workloads alone have some (see gpusim list workloads %s)", name,
            name);
    if (!gsim_workload_find(name)) return list_entry(WORKLOADS, name, error);
    list_presets(gsim_workload_find(name), true);
    return GSIM_OK;
}

int gsim_cli_list(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    const char *wanted = arguments->operand_count ? arguments->operands[0] : NULL;
    const char *name = arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    bool in_full = arguments->value[GSIM_CLI_LONG] != NULL, first = true;
    enum gsim_status status = GSIM_OK;
    for (int i = 0; i < TOPIC_COUNT && status == GSIM_OK; i++) {
        if (wanted && strcmp(wanted, topics[i]) != 0) continue;
        if (!first) printf("\n");
        first = false;
        status = name ? list_one((enum topic)i, name, error) : list_all((enum topic)i, in_full, error);
    }
    if (!first && (status || (fflush(stdout) == 0 && !ferror(stdout)))) return status;
    if (!first) return gsim_error_set(error, GSIM_IO, "cannot write standard output");
    struct gsim_nearest nearest;
    gsim_nearest_init(&nearest, wanted);
    for (int i = 0; i < TOPIC_COUNT; i++) gsim_nearest_offer(&nearest, topics[i]);
    return gsim_refuse(error,
                       "cannot list '%.60s': expected workloads, schedulers, placements, sharing, devices, nodes, "
                       "presets, rules or gpu%s",
                       wanted, gsim_nearest_text(&nearest));
}
