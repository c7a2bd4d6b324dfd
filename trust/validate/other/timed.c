/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading kernels that were timed alone (trust/validate/other/other.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/gz.h"
#include "traces/cases.h"
#include "trust/validate/other/other.h"

#define TILE 128.0 /* rows and columns of a product that a block computes, for its number of blocks */

void gsim_timed_release(struct gsim_timed_set *set)
{
    gsim_free(set->kernels);
    gsim_arena_release(&set->arena);
    *set = (struct gsim_timed_set){0};
}

struct gsim_timed *gsim_timed_add(struct gsim_timed_set *set, const char *name, const struct gsim_kernel *kernel)
{
    struct gsim_timed t = {.name = gsim_arena_strdup(&set->arena, name), .kernel = *kernel, .times = 1};
    t.kernel.name = gsim_arena_strdup(&set->arena, kernel->name);
    gsim_array_grow(&set->kernels, sizeof t, set->count, &set->room);
    set->kernels[set->count] = t;
    return &set->kernels[set->count++];
}

/* "a100" of a100_sxm and of a100-sxm4-40gb. */
static bool is_system(const char *system, const char *device)
{
    size_t length = strcspn(system, "_-");
    return strncmp(system, device, length) == 0 && (device[length] == '-' || device[length] == '\0');
}

static enum gsim_status add_product(struct gsim_timed_set *set, const char *line, const char *device,
                                    struct gsim_error *error)
{
    char system[32], type[32], name[128];
    double m, n, k, us;
    if (sscanf(line, "%31[^,],%31[^,],%lf,%lf,%lf,%lf", system, type, &m, &n, &k, &us) != 6 || !(us > 0) || !(m > 0) ||
        !(n > 0) || !(k > 0))
        return gsim_error_set(error, GSIM_INPUT, "expected system,type,m,n,k,us with positive numbers, found '%.60s'",
                              line);
    if (!is_system(system, device)) return GSIM_OK;
    double bytes = strncmp(type, "fp8", 3) == 0 ? 1 : 2;
    const struct gsim_kernel kernel = {.name = "gemm", .solo_us = us,
        .grid = {gsim_whole_u32(ceil(m / TILE)), gsim_whole_u32(ceil(n / TILE)), 1}, .block = {256, 1, 1},
        .demand_given = true, .flops = 2 * m * n * k, .dram_bytes = bytes * (m * k + n * k) + 2 * m * n};
    snprintf(name, sizeof name, "%s %.0fx%.0fx%.0f", type, m, n, k);
    struct gsim_timed *added = gsim_timed_add(set, name, &kernel);
    /* each is a kind of its own, which leaving out leaves out alone; its name begins as a product's */
    added->kernel.name = gsim_arena_printf(&set->arena, "gemm %s", name);
    return GSIM_OK;
}

enum gsim_status gsim_timed_read(struct gsim_timed_set *set, const char *path, const char *device,
                                 struct gsim_error *error)
{
    size_t length = 0;
    struct gsim_case_set cases = {0};
    char *text = gsim_file_read(path, &length, error);
    enum gsim_status status = text ? GSIM_OK : error->status;
    if (!status && strncmp(text, "system,", 7) == 0) {
        status = GSIM_OK;
        char *rest = NULL;
        for (char *line = strtok_r(text, "\r\n", &rest); line && !status; line = strtok_r(NULL, "\r\n", &rest))
            if (strncmp(line, "system,", 7) != 0) status = add_product(set, line, device, error);
    } else if (!status) status = gsim_cases_parse_timed(&cases, path, text, length, error);
    for (size_t i = 0; i < cases.count && !status; i++) {
        const struct gsim_case_node *node = cases.cases[i].nodes;
        struct gsim_timed *added = gsim_timed_add(set, cases.cases[i].name, &node->kernel);
        added->row = node->profile_row;
        added->has_row = node->has_profile_row;
    }
    gsim_free(text);
    gsim_case_set_release(&cases);
    return status ? gsim_error_prefix(error, "cannot read '%s'", path) : GSIM_OK;
}

void gsim_timed_match(struct gsim_timed_set *set, const struct gsim_timed_set *there)
{
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++) {
        struct gsim_timed *t = &set->kernels[i];
        for (size_t j = 0; j < there->count && !(t->there_us > 0); j++)
            if (strcmp(there->kernels[j].name, t->name) == 0) t->there_us = there->kernels[j].kernel.solo_us;
        if (t->there_us > 0) set->kernels[kept++] = *t;
    }
    set->unmatched += set->count - kept;
    set->count = kept;
}
