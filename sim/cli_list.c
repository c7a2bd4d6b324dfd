/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (program). "gpusim list": what the registries and the model folders hold, one line each, or with
 * --long everything there is to know.
 */
#include "models/device.h"
#include "sim/cli.h"
#include "sim/text.h"

/* Indents every line of TEXT. */
static void put_text(const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        printf("      %.*s\n", (int)length, text);
        text += length + (text[length] ? 1 : 0);
    }
}

static void list_workloads(bool in_full)
{
    printf("Workloads (--workload):\n");
    for (uint32_t i = 0; gsim_workload_at(i); i++) {
        const struct gsim_workload_ops *workload = gsim_workload_at(i);
        printf("  %-10s %s\n", workload->name, workload->summary);
        if (!in_full) continue;
        if (workload->help) put_text(workload->help);
        printf("      --size: %s; default %.15g (kesco), %.15g (grcuda)\n\n", workload->size_meaning,
               workload->size_default[GSIM_SUITE_KESCO], workload->size_default[GSIM_SUITE_GRCUDA]);
    }
}

static void list_schedulers(bool in_full)
{
    printf("Schedulers (--sched):\n");
    for (uint32_t i = 0; gsim_scheduler_at(i); i++) {
        const struct gsim_scheduler_ops *scheduler = gsim_scheduler_at(i);
        printf("  %-10s %s\n", scheduler->name, scheduler->summary);
        if (!in_full) continue;
        if (scheduler->source) printf("      source: %s\n", scheduler->source);
        if (scheduler->params && scheduler->params->name) {
            printf("      --opt %s.NAME=VALUE:\n", scheduler->name);
            gsim_params_help(scheduler->params, stdout);
        }
        printf("\n");
    }
    if (!in_full) return;
    printf("The machine (--opt gpu.NAME=VALUE; also any number of gpusim list devices --long):\n");
    gsim_params_help(gsim_gpu_params, stdout);
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
        struct gsim_device_spec device = {0};
        status = gsim_device_load(entry->path, &device, error);
        if (status == GSIM_OK) gsim_device_print(&device, stdout);
        gsim_device_release(&device);
        printf("\n");
    }
    gsim_device_list_release(&list);
    return status;
}

static void list_presets(bool in_full)
{
    printf("Presets (--size):\n");
    for (uint32_t i = 0; gsim_workload_at(i); i++) {
        const struct gsim_workload_ops *workload = gsim_workload_at(i);
        for (const struct gsim_workload_preset *preset = workload->presets; preset && preset->name; preset++)
            printf("  %-10s %-20s %-8s %12.15g %s%s%s\n", workload->name, preset->name,
                   preset->suite == GSIM_SUITE_KESCO ? "kesco" : "grcuda", preset->size, workload->size_meaning,
                   in_full && preset->source ? "; " : "", in_full && preset->source ? preset->source : "");
    }
}

static enum gsim_status list(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    static const char *const topics[] = {"workloads", "schedulers", "devices", "presets"};
    const size_t topic_count = sizeof(topics) / sizeof(topics[0]);
    const char *wanted = arguments->operand_count ? arguments->operands[0] : NULL;
    bool in_full = arguments->value[GSIM_CLI_LONG] != NULL, first = true;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < topic_count && status == GSIM_OK; i++) {
        if (wanted && strcmp(wanted, topics[i]) != 0) continue;
        if (!first) printf("\n");
        first = false;
        if (i == 0)
            list_workloads(in_full);
        else if (i == 1)
            list_schedulers(in_full);
        else if (i == 2)
            status = list_devices(in_full, error);
        else
            list_presets(in_full);
    }
    if (!first) return status;
    struct gsim_nearest nearest;
    char hint[96];
    gsim_nearest_init(&nearest, wanted);
    for (size_t i = 0; i < topic_count; i++) gsim_nearest_offer(&nearest, topics[i]);
    return gsim_error_set(error, GSIM_USAGE,
                          "cannot list '%.60s': expected workloads, schedulers, devices or presets%s", wanted,
                          gsim_nearest_text(&nearest, hint, sizeof(hint)));
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
