/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the generators of tile tasks make. */
#include <stdlib.h>
#include <string.h>

#include "tests/test.h"
#include "workloads/generators/tiles.h"

/* TEXT: a generator's name and its numbers, each after a colon. */
static struct gsim_program made(const char *text)
{
    struct gsim_program program = {0};
    struct gsim_error error = {0};
    double params[64] = {0};
    char name[32], number[32], value[32];
    unsigned long seed = 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    const struct gsim_generator_ops *g = gsim_generator_find(name);
    CHECK(g != NULL && g->params_size <= sizeof params);
    if (!g) return program;
    gsim_params_set_defaults(g->params, params);
    for (const char *at = strchr(text, ':'); at; at = strchr(at + 1, ':')) {
        CHECK(sscanf(at, ":%31[^=]=%31[^:]", number, value) == 2);
        if (strcmp(number, "seed") == 0) seed = strtoul(value, NULL, 10);
        else CHECK_OK(gsim_params_set(g->params, params, number, value, &error), error);
    }
    CHECK_OK(g->build(params, seed, &program, &error), error);
    return program;
}

static const char *name_of(const struct gsim_program *p, uint32_t op)
{
    return p->kernels[p->ops[op].kernel_index].name;
}

static double bytes_of(const struct gsim_program *p)
{
    double bytes = 0;
    for (uint32_t i = 0; i < p->op_count; i++) bytes += p->kernels[p->ops[i].kernel_index].dram_bytes;
    return bytes;
}

/* Llama-3.2-1B has 1.236e9 weights, 2.47 GB, of which a token reads all. */
static void llm(void)
{
    struct gsim_program p = made("llm-decode:context=1:jitter=0");
    CHECK_INT(p.op_count, 81);
    CHECK_NEAR(bytes_of(&p) / 2.47e9, 1, 0.005);
    for (uint32_t i = 0; i < p.op_count; i++) CHECK(p.ops[i].after_count == (i > 0) && !p.ops[i].programmatic);
    CHECK_STR(name_of(&p, 80), "lm_head");
    gsim_program_release(&p);
    p = made("llm-decode:model=qwen3-8b:reduce=on:splits=4:tiles=100:programmatic=on:prologue=0.1:trigger=0.5");
    CHECK_INT(p.op_count, 36 * 6 + 1);
    CHECK_STR(name_of(&p, 2), "attention_reduce");
    CHECK_INT(p.kernels[p.ops[1].kernel_index].grid.x, 8 * 4);
    CHECK_INT(p.kernels[p.ops[3].kernel_index].grid.x, 100);
    CHECK(!p.ops[0].programmatic && p.ops[1].programmatic && p.kernels[p.ops[1].kernel_index].prologue == 0.1);
    gsim_program_release(&p);
}

/* Every expert follows the router, what adds up follows all of them, and their tokens are batch times top. */
static void moe(void)
{
    struct gsim_program p = made("moe-decode:layers=3:batch=4:top=8:experts=64:zipf=1"),
                        again = made("moe-decode:layers=3:batch=4:top=8:experts=64:zipf=1");
    struct gsim_program other = made("moe-decode:layers=3:batch=4:top=8:experts=64:zipf=1:seed=2");
    uint32_t routers = 0, experts = 0, router = 0;
    double tokens = 0;
    for (uint32_t i = 0; i < p.op_count; i++) {
        if (strcmp(name_of(&p, i), "router") == 0) {
            routers++;
            router = i;
            experts = 0;
        } else if (strcmp(name_of(&p, i), "expert") == 0) {
            experts++;
            tokens += p.kernels[p.ops[i].kernel_index].flops / 1e6;
            CHECK(p.ops[i].after_count == 1 && p.ops[i].after[0] == router);
        } else if (strcmp(name_of(&p, i), "combine") == 0) {
            CHECK_INT(p.ops[i].after_count, experts);
            CHECK(experts > 1 && experts <= 32);
        }
    }
    CHECK_INT(routers, 3);
    CHECK_NEAR(tokens, 3 * 4 * 8, 1e-6);
    CHECK_INT(p.op_count, again.op_count);
    CHECK(other.op_count != p.op_count || other.kernel_count != p.kernel_count);
    gsim_program_release(&p);
    gsim_program_release(&again);
    gsim_program_release(&other);
}

static void pod(void)
{
    struct gsim_program p = made("pod:steps=4:prefill=64:decode=256");
    CHECK_INT(p.op_count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        CHECK_STR(name_of(&p, i), i % 2 ? "decode" : "prefill");
        CHECK_INT(p.ops[i].after_count, i < 2 ? 0 : 2);
        for (uint32_t a = 0; a < p.ops[i].after_count; a++) CHECK(p.ops[i].after[a] / 2 == i / 2 - 1);
    }
    gsim_program_release(&p);
}

static double one_deviation(void *state)
{
    (void)state;
    return 1;
}

/* A draw one deviation above the mean, where the standard deviation is 0.75: the variance of the logarithm is ln(1 +
 * 9/16) = 0.446287, the factor exp(0.668047 - 0.223144) = 1.560339. */
static void tile_tasks(void)
{
    const struct gsim_random numbers = {.normal = one_deviation};
    struct gsim_builder *b = gsim_builder_create("tiles");
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    struct gsim_tiles tiles = {"t", 7, 10, 1e6, 1e9, 0.25, 0.5, 0.75, true};
    uint32_t after[2] = {gsim_tiles_add(b, &numbers, &tiles, NULL, 0)};
    tiles.spread = 0;
    after[1] = gsim_tiles_add(b, &numbers, &tiles, after, 1);
    gsim_tiles_add(b, &numbers, &tiles, after, 2);
    CHECK_OK(gsim_builder_finish(b, 1, &p, &error), error);
    const struct gsim_kernel *k = &p.kernels[p.ops[0].kernel_index], *mean = &p.kernels[p.ops[1].kernel_index];
    CHECK_NEAR(k->solo_us, 15.60339, 1e-5);
    CHECK(k->dram_bytes == 1560339 && fabs(k->flops - 1560339e3) < 1e3 && k->flops == floor(k->flops));
    CHECK(mean->solo_us == 10 && mean->dram_bytes == 1e6 && mean->flops == 1e9);
    CHECK(k->grid.x == 7 && k->block.x == 512 && k->prologue == 0.25 && k->trigger == 0.5);
    for (uint32_t i = 0; i < 3; i++) CHECK(p.ops[i].after_count == i && p.ops[i].programmatic == (i == 1));
    gsim_program_release(&p);
}

static const struct test_case cases[] = {
    {"tile tasks", tile_tasks},
    {"llm-decode", llm}, {"moe-decode", moe}, {"pod", pod}};
TEST_MAIN("workloads/generators/tiles", cases)
