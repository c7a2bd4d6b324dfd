/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See cli/place/node.h. */
#include "cli/place/node.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/tasks/tasks.h"
#include "sim/device/device.h"
#include "sim/device/rules.h"
#include "sim/device/search.h"
#include "sim/memory/links.h"

static const char *model_of(const struct gsim_node *node, uint32_t device, const char *open)
{
    const char *model = gsim_node_device_model(node, device);
    return model ? model : open;
}

/* The kinds of the node's devices, as numbers by device; *MODELS: the first device of each. */
static void find_kinds(struct gsim_cli_platform *n, const char *open, uint32_t **firsts)
{
    uint32_t count = gsim_node_device_count(n->node);
    n->kinds = GSIM_ARENA_ARRAY(&n->arena, uint32_t, count);
    *firsts = GSIM_ARENA_ARRAY(&n->arena, uint32_t, count);
    for (uint32_t d = 0; d < count; d++) {
        uint32_t k = 0;
        while (k < n->kind_count && strcmp(model_of(n->node, (*firsts)[k], open), model_of(n->node, d, open)) != 0) k++;
        if (k == n->kind_count) (*firsts)[n->kind_count++] = d;
        n->kinds[d] = k;
    }
}

/* Whether one of its devices is DEVICE: named so, or not named. */
static bool has_device(const struct gsim_node *node, const char *device)
{
    for (uint32_t d = 0; d < gsim_node_device_count(node); d++)
        if (strcmp(model_of(node, d, device), device) == 0) return true;
    return false;
}

/* The node NAME, or of that path, with the devices of its file; DEVICE is that of those which it leaves open (NULL: the
 * default). FIRST gets the first one's spec. */
static enum gsim_status load_node(struct gsim_cli_platform **loaded, const char *name, const char *device,
                                  struct gsim_device_spec *first, struct gsim_error *error)
{
    struct gsim_cli_platform *n = gsim_alloc(sizeof *n);
    const char *open = device ? device : GSIM_DEVICE_DEFAULT;
    uint32_t *firsts = NULL;
    enum gsim_status status = gsim_node_load(&n->node, name, error);
    if (!status && device && !has_device(n->node, device))
        status = gsim_refuse(error, "--device: applies to devices that a node does not name, and "
                                "'%.60s' names all of them", name);
    if (!status) find_kinds(n, open, &firsts);
    if (!status) n->specs = GSIM_ARENA_ARRAY(&n->arena, struct gsim_device_spec, n->kind_count);
    for (uint32_t k = 1; k < n->kind_count && !status; k++) {
        status = gsim_device_load(model_of(n->node, firsts[k], open), &n->specs[k - 1], error);
        if (status) n->kind_count = k;
    }
    if (!status) status = gsim_device_load(model_of(n->node, 0, open), first, error);
    if (status) gsim_cli_node_release(n);
    else *loaded = n;
    return status;
}

void gsim_cli_node_release(struct gsim_cli_platform *n)
{
    if (!n) return;
    for (uint32_t k = 1; n->specs && k < n->kind_count; k++) gsim_device_release(&n->specs[k - 1]);
    gsim_node_release(n->node);
    gsim_arena_release(&n->arena);
    gsim_free(n);
}

static const struct gsim_device_spec *const *devices_of(const struct gsim_cli_platform *n,
                                                        const struct gsim_device_spec *first, struct gsim_arena *arena)
{
    uint32_t count = gsim_node_device_count(n->node);
    const struct gsim_device_spec **devices = GSIM_ARENA_ARRAY(arena, const struct gsim_device_spec *, count);
    for (uint32_t d = 0; devices && d < count; d++) devices[d] = n->kinds[d] ? &n->specs[n->kinds[d] - 1] : first;
    return devices;
}

void gsim_cli_node_set(const struct gsim_cli_platform *n, const struct gsim_device_spec *first,
                       struct gsim_arena *arena, struct gsim_simulation *simulation)
{
    if (!n) return;
    simulation->node = n->node;
    if (n->kind_count > 1) simulation->devices = devices_of(n, first, arena);
}

enum gsim_status gsim_cli_node_or_device(struct gsim_cli_setup *setup, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = setup->arguments;
    const char *node = arguments->value[GSIM_CLI_NODE], *device = arguments->value[GSIM_CLI_DEVICE];
    char traced[GSIM_CLI_DEVICE_NAME] = "";
    if (!device && !arguments->device && gsim_cli_tasks_device(arguments, traced, error)) return error->status;
    if (traced[0]) device = traced;
    if (!arguments->device)
        return node ? load_node(&setup->node, node, device, &setup->device, error)
                    : gsim_device_load(device ? device : GSIM_DEVICE_DEFAULT, &setup->device, error);
    setup->device = *arguments->device; /* its arena stays where it is */
    setup->device.arena = (struct gsim_arena){0};
    return GSIM_OK;
}

enum gsim_status gsim_cli_node_opt(struct gsim_cli_setup *setup, bool is_rule, const char *name, const char *value,
                                   struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (uint32_t k = 0; !status && (!k || (setup->node && k < setup->node->kind_count)); k++) {
        struct gsim_device_spec *d = k ? &setup->node->specs[k - 1] : &setup->device;
        status = is_rule                             ? gsim_rule_set(d, name, value, error)
                 : strcmp(name, GSIM_DEVICE_PCIE) == 0 ? gsim_device_set_pcie(d, value, error)
                                                       : gsim_device_set_number(d, name, value, error);
    }
    return status;
}

enum gsim_status gsim_cli_node_model(struct gsim_cli_setup *setup, struct gsim_error *error)
{
    const char *model = setup->arguments->value[GSIM_CLI_MODEL];
    if (model && strcmp(model, "all") != 0 && gsim_params_set(gsim_gpu_params, &setup->gpu, "model", model, error))
        return gsim_error_prefix(error, "--model %.60s", model);
    setup->device.model = (uint32_t)setup->gpu.model;
    for (uint32_t k = 0; setup->node && k < setup->node->kind_count; k++)
        setup->node->specs[k].model = setup->device.model;
    return GSIM_OK;
}

/* --- gpusim list nodes -------------------------------------------------------------------------------------------- */

static void put_place(const struct gsim_platform *p, gsim_place place)
{
    char name[24] = "host";
    if (!gsim_platform_is_host(p, place)) snprintf(name, sizeof name, "gpu%u", gsim_platform_device_of(p, place));
    printf("%8s", name);
}

/* Between the host and the devices of the node's first host, and the first device of the next. */
static void put_matrix(const struct gsim_platform *p, const char *title,
                       double (*number)(const struct gsim_platform *, gsim_place, gsim_place))
{
    gsim_place places[20];
    uint32_t count = 1, beside, first = gsim_platform_beside(p, 0, &beside);
    places[0] = gsim_platform_host_place(p, 0);
    for (uint32_t d = 0; d < beside && count < 18; d++) places[count++] = gsim_platform_device_place(p, first + d);
    if (p->device_count > beside) places[count++] = gsim_platform_device_place(p, beside);
    printf("      %s, from row to column:\n      %8s", title, "");
    for (uint32_t c = 0; c < count; c++) put_place(p, places[c]);
    for (uint32_t r = 0; r < count; r++) {
        printf("\n      ");
        put_place(p, places[r]);
        for (uint32_t c = 0; c < count; c++) {
            double value = number(p, places[r], places[c]);
            if (r == c && gsim_platform_is_host(p, places[r])) printf("%8s", "-");
            else printf("%8.4g", value);
        }
    }
    printf("\n");
}

static enum gsim_status put_node(const char *name, struct gsim_error *error)
{
    struct gsim_cli_platform *n = NULL;
    struct gsim_device_spec first = {0};
    struct gsim_arena arena = {0};
    struct gsim_platform platform;
    enum gsim_status status = load_node(&n, name, NULL, &first, error);
    if (status) return status;
    uint32_t count = gsim_node_device_count(n->node);
    const struct gsim_device_spec *const *devices = devices_of(n, &first, &arena);
    struct gsim_own_links *own = GSIM_ARENA_ARRAY(&arena, struct gsim_own_links, n->kind_count);
    const struct gsim_own_links **access = GSIM_ARENA_ARRAY(&arena, const struct gsim_own_links *, count);
    for (uint32_t d = 0; d < count; d++) {
        own[n->kinds[d]] = gsim_links_access(devices[d]);
        access[d] = &own[n->kinds[d]];
    }
    (void)gsim_platform_init(&platform, n->node, count, access, NULL, &arena);
    printf("  %-16s %s\n", gsim_node_name(n->node), gsim_node_comment(n->node));
    if (*n->node->text) printf("      source: %s\n", n->node->text);
    printf("      %u %s, %u devices:", n->node->host_count, n->node->host_count == 1 ? "host" : "hosts", count);
    for (uint32_t k = 0; k < n->kind_count; k++) {
        uint32_t some = 0;
        for (uint32_t d = 0; d < count; d++) some += n->kinds[d] == k;
        printf(" %u x %s", some, k ? n->specs[k - 1].name : first.name);
    }
    printf("\n");
    put_matrix(&platform, "GB/s alone", gsim_platform_gbps);
    put_matrix(&platform, "latency, us", gsim_platform_latency_us);
    gsim_cli_node_release(n);
    gsim_device_release(&first);
    gsim_arena_release(&arena);
    return status;
}

enum gsim_status gsim_cli_list_node(const char *name, struct gsim_error *error) { return put_node(name, error); }

enum gsim_status gsim_cli_list_nodes(bool in_full, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_model_file *files;
    size_t count;
    enum gsim_status status = gsim_model_files(GSIM_MODELS_NODES, &arena, &files, &count, error);
    if (!status) printf("Nodes (--node):\n");
    for (size_t i = 0; !status && i < count; i++) {
        struct gsim_node *node = NULL;
        if (in_full) {
            status = put_node(files[i].path, error);
            printf("\n");
            continue;
        }
        status = gsim_node_load(&node, files[i].path, error);
        if (!status) printf("  %-16s %s\n", files[i].name, gsim_node_comment(node));
        gsim_node_release(node);
    }
    gsim_arena_release(&arena);
    return status;
}
