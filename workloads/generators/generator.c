/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See workloads/generators/generator.h: the list, and parameters from text. */
#include "workloads/generators/generator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define X(symbol) extern const struct gsim_generator gsim_generator_##symbol;
#include "workloads/generators/generators.def"
#undef X

static const struct gsim_generator *const generators[] = {
#define X(symbol) &gsim_generator_##symbol,
#include "workloads/generators/generators.def"
#undef X
};

const struct gsim_generator *gsim_generator_at(uint32_t index)
{
    return index < sizeof generators / sizeof generators[0] ? generators[index] : NULL;
}

static const struct gsim_generator *find(const char *text)
{
    size_t length = strcspn(text, ":");
    for (uint32_t i = 0; gsim_generator_at(i); i++)
        if (strlen(generators[i]->name) == length && strncmp(generators[i]->name, text, length) == 0) return generators[i];
    return NULL;
}

bool gsim_generator_is(const char *text) { return find(text) != NULL; }

/* The parameters behind the name. */
static enum gsim_status set_params(const struct gsim_generator *g, const char *text, void *params, struct gsim_error *error)
{
    gsim_params_set_defaults(g->params, params);
    for (const char *at = strchr(text, ':'); at; at = strchr(at, ':')) {
        char name[32], value[64];
        at++;
        size_t length = strcspn(at, ":"), equals = strcspn(at, "=:");
        if (at[equals] != '=' || !equals || equals >= sizeof name || length - equals > sizeof value)
            return gsim_error_set(error, GSIM_USAGE, "workload %s: expected PARAMETER=VALUE behind a colon, found '%.*s'", g->name, (int)(length < 60 ? length : 60), at);
        snprintf(name, sizeof name, "%.*s", (int)equals, at);
        snprintf(value, sizeof value, "%.*s", (int)(length - equals - 1), at + equals + 1);
        enum gsim_status status = gsim_params_set(g->params, params, name, value, error);
        if (status) return gsim_error_prefix(error, "workload %s", g->name);
    }
    return GSIM_OK;
}

enum gsim_status gsim_generator_build(const char *text, struct gsim_program *program, struct gsim_error *error)
{
    double params[GSIM_GENERATOR_PARAMS / sizeof(double)] = {0};
    const struct gsim_generator *g = find(text);
    struct gsim_random numbers = {0};
    GSIM_INVARIANT(g && g->params_size <= sizeof params);
    enum gsim_status status = set_params(g, text, params, error);
    if (status == GSIM_OK) status = gsim_random_init(&numbers, (uint64_t) * (const int64_t *)(const void *)((const char *)params + g->seed), error);
    if (status) return status;
    struct gsim_builder *builder = gsim_builder_create(g->name);
    if (builder) {
        g->build(params, builder, &numbers);
        status = gsim_builder_finish(builder, 1, program, error);
    } else {
        status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    }
    gsim_random_release(&numbers);
    return status;
}

uint32_t gsim_generator_add(struct gsim_builder *builder, const struct gsim_random *numbers, const struct gsim_tiles *tiles, const uint32_t *after,
                            uint32_t count)
{
    double scale = gsim_random_scale(numbers, tiles->spread);
    const struct gsim_kernel kernel = {.name = tiles->name, .grid = {tiles->tiles, 1, 1}, .block = {512, 1, 1}, .regs_per_thread = 64,
                                       .smem_bytes = 65536, .flops = floor(tiles->flops * scale), .dram_bytes = floor(tiles->bytes * scale),
                                       .solo_us = tiles->us * scale, .solo_cold = true, .demand_given = true, .prologue = tiles->prologue, .trigger = tiles->trigger};
    return gsim_builder_op(builder, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = gsim_builder_kernel(builder, &kernel), .after = after,
                                                      .after_count = count, .stream = 0, .programmatic = tiles->programmatic && count == 1});
}
