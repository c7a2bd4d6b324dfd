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

static void put_display_name(const char *name)
{
    for (size_t i = 0; i < sizeof display_names / sizeof display_names[0]; i++)
        if (strcmp(display_names[i][0], name) == 0) printf("      in papers: %s\n", display_names[i][1]);
}

/* Indents every line of TEXT. */
static void put_text(const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        printf("      %.*s\n", (int)length, text);
        text += length + (text[length] ? 1 : 0);
    }
}

/* --- workloads ------------------------------------------------------------------------------------------------- */
static void put_workload(const struct gsim_workload_ops *workload, bool in_full)
{
    printf("  %-10s %s\n", workload->name, workload->summary);
    if (!in_full) return;
    put_display_name(workload->name);
    if (workload->help) put_text(workload->help);
    printf("      --size: %s; default %.15g (kesco), %.15g (grcuda)\n\n", workload->size_meaning,
           workload->size_default[GSIM_SUITE_KESCO], workload->size_default[GSIM_SUITE_GRCUDA]);
}

static void put_generator(const struct gsim_generator_ops *generator, bool in_full)
{
    printf("  %-10s %s\n", generator->name, generator->summary);
    if (!in_full) return;
    put_display_name(generator->name);
    put_text(generator->help);
    printf("      --seed, --opt %s.NAME=VALUE:\n", generator->name);
    gsim_params_help(generator->params, stdout);
    printf("\n");
}

static void put_source(const struct gsim_source_ops *source, bool in_full)
{
    printf("  %-10s %s\n", source->name, source->summary);
    if (!in_full) return;
    put_text(source->help);
    printf("      --seed, --opt %s.NAME=VALUE:\n", source->name);
    gsim_params_help(source->params, stdout);
    printf("\n");
}

static void put_service(const struct gsim_service *service) { printf("  %-19s %s\n", service->name, service->summary); }

static void list_workloads(bool in_full)
{
    printf("Workloads (--workload):\n");
    for (uint32_t i = 0; gsim_workload_at(i); i++) put_workload(gsim_workload_at(i), in_full);
    printf("Generators (--workload):\n");
    for (uint32_t i = 0; gsim_generator_at(i); i++) put_generator(gsim_generator_at(i), in_full);
    printf("Drawn while they run (--workload):\n");
    for (uint32_t i = 0; gsim_source_at(i); i++) put_source(gsim_source_at(i), in_full);
    printf("Services (--task, --workload; one iteration is a request):\n");
    for (uint32_t i = 0; gsim_service_at(i); i++) put_service(gsim_service_at(i));
}

static enum gsim_status find_workload(const char *name, const struct gsim_workload_ops **workload,
                                      struct gsim_error *error)
{
    struct gsim_nearest nearest;
    char hint[96];
    *workload = gsim_workload_find(name);
    if (*workload) return GSIM_OK;
    gsim_nearest_init(&nearest, name);
    for (uint32_t i = 0; gsim_workload_at(i); i++) gsim_nearest_offer(&nearest, gsim_workload_at(i)->name);
    for (uint32_t i = 0; gsim_generator_at(i); i++) gsim_nearest_offer(&nearest, gsim_generator_at(i)->name);
    for (uint32_t i = 0; gsim_source_at(i); i++) gsim_nearest_offer(&nearest, gsim_source_at(i)->name);
    for (uint32_t i = 0; gsim_service_at(i); i++) gsim_nearest_offer(&nearest, gsim_service_at(i)->name);
    return gsim_error_set(error, GSIM_USAGE, "unknown workload '%.60s'%s (see gpusim list workloads)", name,
                          gsim_nearest_text(&nearest, hint, sizeof(hint)));
}

/* --- schedulers ------------------------------------------------------------------------------------------------ */
static void put_scheduler(const struct gsim_scheduler_ops *scheduler, bool in_full)
{
    printf("  %-10s %s\n", scheduler->name, scheduler->summary);
    if (!in_full) return;
    put_display_name(scheduler->name);
    if (scheduler->source) printf("      source: %s\n", scheduler->source);
    if (scheduler->params && scheduler->params->name) {
        printf("      --opt %s.NAME=VALUE:\n", scheduler->name);
        gsim_params_help(scheduler->params, stdout);
    }
    printf("\n");
}

static void list_schedulers(bool in_full)
{
    printf("Schedulers (--sched):\n");
    for (uint32_t i = 0; gsim_scheduler_at(i); i++) put_scheduler(gsim_scheduler_at(i), in_full);
    if (!in_full) return;
    printf("The machine (--opt gpu.NAME=VALUE; also any number of gpusim list devices --long):\n");
    gsim_params_help(gsim_gpu_params, stdout);
}

/* --- ways of sharing --------------------------------------------------------------------------------------------- */
static void put_sharing(const struct gsim_sharing_ops *way, bool in_full)
{
    printf("  %-10s %s%s\n", way->name, way->summary, way->needs_profile ? " (needs a profile)" : "");
    if (!in_full) return;
    if (way->source) printf("      source: %s\n", way->source);
    if (way->params && way->params->name) {
        printf("      --opt %s.NAME=VALUE:\n", way->name);
        gsim_params_help(way->params, stdout);
    }
    printf("\n");
}

static void list_sharing(bool in_full)
{
    printf("Ways of sharing a GPU among tasks (--share):\n");
    for (uint32_t i = 0; gsim_sharing_at(i); i++) put_sharing(gsim_sharing_at(i), in_full);
}

/* --- placements --------------------------------------------------------------------------------------------------- */
static void put_placement(const struct gsim_placement_ops *placement, bool in_full)
{
    printf("  %-21s %s\n", placement->name, placement->summary);
    if (!in_full) return;
    printf("      source: %s\n", placement->source);
    if (placement->params) {
        printf("      --opt %s.NAME=VALUE:\n", placement->name);
        gsim_params_help(placement->params, stdout);
    }
    printf("\n");
}

static void list_placements(bool in_full)
{
    printf("Placements of kernels on GPUs (--place):\n");
    for (uint32_t i = 0; gsim_placement_at(i); i++) put_placement(gsim_placement_at(i), in_full);
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

/* --- rules ----------------------------------------------------------------------------------------------------- */
static void put_rule(enum gsim_rule rule) { printf("  %-17s %s\n", gsim_rule_name(rule), gsim_rule_sentence(rule)); }

static void list_rules(void)
{
    printf("Rules of the model (--opt rule.NAME=off):\n");
    for (int i = 0; i < GSIM_RULE_COUNT; i++) put_rule((enum gsim_rule)i);
}

static enum gsim_status list_rule(const char *name, struct gsim_error *error)
{
    enum gsim_rule rule = gsim_rule_find(name);
    struct gsim_nearest nearest;
    char hint[96];
    if (rule != GSIM_RULE_COUNT) {
        put_rule(rule);
        return GSIM_OK;
    }
    gsim_nearest_init(&nearest, name);
    for (int i = 0; i < GSIM_RULE_COUNT; i++) gsim_nearest_offer(&nearest, gsim_rule_name((enum gsim_rule)i));
    return gsim_error_set(error, GSIM_USAGE, "unknown rule '%.60s'%s (see gpusim list rules)", name,
                          gsim_nearest_text(&nearest, hint, sizeof(hint)));
}

/* --- options of the machine --- */
static void put_gpu_option(const struct gsim_param *row)
{
    char value[64];
    struct gsim_gpu_options initial = {0};
    gsim_params_set_defaults(gsim_gpu_params, &initial);
    gsim_params_format(row, &initial, value, sizeof value);
    printf("  %-15s %s (default %s)\n", row->name, row->help, value);
}

static void list_gpu(void)
{
    printf("Options of the machine (--opt gpu.NAME=VALUE):\n");
    for (const struct gsim_param *row = gsim_gpu_params; row->name; row++) put_gpu_option(row);
}

static enum gsim_status list_gpu_option(const char *name, struct gsim_error *error)
{
    struct gsim_nearest nearest;
    char hint[96];
    const struct gsim_param *found = gsim_params_find(gsim_gpu_params, name);
    if (found) {
        put_gpu_option(found);
        return GSIM_OK;
    }
    gsim_nearest_init(&nearest, name);
    for (const struct gsim_param *row = gsim_gpu_params; row->name; row++) gsim_nearest_offer(&nearest, row->name);
    return gsim_error_set(error, GSIM_USAGE, "unknown option gpu.%.60s%s (see gpusim list gpu)", name,
                          gsim_nearest_text(&nearest, hint, sizeof hint));
}

/* --- batching policies --- */
static void put_batching(const struct gsim_batching_ops *policy, bool in_full)
{
    printf("  %-14s %s\n", policy->name, policy->summary);
    if (!in_full) return;
    printf("      after: %s\n", policy->source);
    if (policy->params) {
        printf("      --opt %s.NAME=VALUE:\n", policy->name);
        gsim_params_help(policy->params, stdout);
    }
    printf("\n");
}

static void list_batching(bool in_full)
{
    printf("Batching policies of servers (gpusim serve --batching):\n");
    for (uint32_t i = 0; gsim_batching_at(i); i++) put_batching(gsim_batching_at(i), in_full);
}

/* --- the command ------------------------------------------------------------------------------------------------- */
enum topic { WORKLOADS, SCHEDULERS, PLACEMENTS, SHARING, DEVICES, NODES, PRESETS, RULES, GPU, BATCHING, TOPIC_COUNT };
static const char *const topics[TOPIC_COUNT] = {"workloads", "schedulers", "placements", "sharing", "devices",
                                                "nodes",     "presets",    "rules",      "gpu",     "batching"};

static enum gsim_status list_all(enum topic topic, bool in_full, struct gsim_error *error)
{
    switch (topic) {
    case WORKLOADS:
        list_workloads(in_full);
        return GSIM_OK;
    case SCHEDULERS:
        list_schedulers(in_full);
        return GSIM_OK;
    case PLACEMENTS:
        list_placements(in_full);
        return GSIM_OK;
    case SHARING:
        list_sharing(in_full);
        return GSIM_OK;
    case DEVICES:
        return list_devices(in_full, error);
    case NODES:
        return gsim_cli_list_nodes(in_full, error);
    case PRESETS:
        list_presets(NULL, in_full);
        return GSIM_OK;
    case RULES:
        list_rules();
        return GSIM_OK;
    case GPU:
        list_gpu();
        return GSIM_OK;
    case BATCHING:
        list_batching(in_full);
        return GSIM_OK;
    case TOPIC_COUNT:
        break;
    }
    GSIM_BUG("list %d", (int)topic);
}

/* All there is to know of one entry. */
static enum gsim_status list_one(enum topic topic, const char *name, struct gsim_error *error)
{
    const struct gsim_workload_ops *workload = NULL;
    const struct gsim_scheduler_ops *scheduler = NULL;
    enum gsim_status status = GSIM_OK;
    if (topic == DEVICES) return put_device(name, error);
    if (topic == NODES) return gsim_cli_list_node(name, error);
    if (topic == RULES) return list_rule(name, error);
    if (topic == GPU) return list_gpu_option(name, error);
    if (topic == BATCHING) {
        const struct gsim_batching_ops *policy;
        status = gsim_batching_load(name, &policy, error);
        if (status == GSIM_OK) put_batching(policy, true);
        return status;
    }
    if (topic == SCHEDULERS) {
        status = gsim_cli_scheduler(name, &scheduler, error);
        if (status == GSIM_OK) put_scheduler(scheduler, true);
        return status;
    }
    if (topic == WORKLOADS && gsim_generator_find(name)) {
        put_generator(gsim_generator_find(name), true);
        return GSIM_OK;
    }
    if (topic == WORKLOADS && gsim_source_find(name)) {
        put_source(gsim_source_find(name), true);
        return GSIM_OK;
    }
    if (topic == WORKLOADS && gsim_service_find(name)) {
        put_service(gsim_service_find(name));
        return GSIM_OK;
    }
    if (topic == PLACEMENTS) {
        const struct gsim_placement_ops *placement;
        status = gsim_placement_load(name, &placement, error);
        if (status == GSIM_OK) put_placement(placement, true);
        return status;
    }
    if (topic == SHARING) {
        const struct gsim_sharing_ops *way;
        status = gsim_sharing_load(name, &way, error);
        if (status == GSIM_OK) put_sharing(way, true);
        return status;
    }
    if (topic == PRESETS && (gsim_generator_find(name) || gsim_source_find(name) || gsim_service_find(name)))
        return gsim_error_set(
            error, GSIM_USAGE,
            "'%s' has no size presets: built-in workloads alone have some (see gpusim list workloads %s)", name, name);
    status = find_workload(name, &workload, error);
    if (status == GSIM_OK && topic == WORKLOADS) put_workload(workload, true);
    if (status == GSIM_OK && topic == PRESETS) list_presets(workload, true);
    return status;
}

static enum gsim_status list(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
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
    if (!first) return status;
    struct gsim_nearest nearest;
    char hint[96];
    gsim_nearest_init(&nearest, wanted);
    for (int i = 0; i < TOPIC_COUNT; i++) gsim_nearest_offer(&nearest, topics[i]);
    return gsim_error_set(error, GSIM_USAGE,
                          "cannot list '%.60s': expected workloads, schedulers, placements, sharing, devices, nodes, "
                          "presets, rules or gpu%s",
                          wanted, gsim_nearest_text(&nearest, hint, sizeof(hint)));
}

int gsim_cli_list(const struct gsim_cli_arguments *arguments)
{
    struct gsim_error error = {0};
    enum gsim_status status = list(arguments, &error);
    if (status != GSIM_OK) return gsim_cli_fail(&error);
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    gsim_error_set(&error, GSIM_IO, "cannot write standard output");
    return gsim_cli_fail(&error);
}
