/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units by hand: what each node takes, which neighbours are one unit, its kernel, what it follows. */
#include "ask/schedule/units.h"

#include "sim/sm/demand.h"
#include "tests/sim/machine_fixture.h"

static uint32_t add_kernel(struct gsim_builder *b, const char *name, uint32_t x, uint32_t y, double us,
                           const uint32_t *after, uint32_t count)
{
    const struct gsim_kernel kernel = {.name = name,
                                       .grid = {x, y, 1},
                                       .block = {64 * y, 1, 1},
                                       .solo_us = us,
                                       .regs_per_thread = 10 + x,
                                       .smem_bytes = 100 * y};
    return gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                .kernel_index = gsim_builder_kernel(b, &kernel),
                                                .stream = -1,
                                                .after = after,
                                                .after_count = count});
}

static uint32_t add_copy(struct gsim_builder *b, enum gsim_copy_kind kind, double us, const uint32_t *after)
{
    const struct gsim_arg arg = {.buffer_index = 0, .reads = kind != GSIM_COPY_H2D, .writes = kind != GSIM_COPY_D2H};
    return gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_COPY,
                                                .copy_kind = kind,
                                                .copy_us = us,
                                                .args = &arg,
                                                .arg_count = 1,
                                                .bytes = 600000,
                                                .stream = -1,
                                                .after = after,
                                                .after_count = after != NULL});
}

/* 600 kB at 20 and 30 GB/s, and by half of 80: read and written. A time that was recorded, or found, counts first. */
static void test_times(void)
{
    struct gsim_builder *b = gsim_builder_create("times");
    struct gsim_device_spec device = {.h2d_gbps = 20, .d2h_gbps = 30, .dram_gbps = 80};
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    gsim_builder_buffer(b, "data", 600000, GSIM_INIT_HOST);
    add_copy(b, GSIM_COPY_H2D, 0, NULL);
    add_copy(b, GSIM_COPY_D2H, 0, NULL);
    add_copy(b, GSIM_COPY_D2D, 0, NULL);
    add_copy(b, GSIM_COPY_H2D, 3, NULL);
    add_kernel(b, "a", 4, 1, 7, NULL, 0);
    add_kernel(b, "b", 4, 1, 9, NULL, 0);
    CHECK_OK(gsim_builder_finish(b, 1, &p, &error), error);
    struct gsim_demand demands[2] = {{.solo_ps = 11e6}, {.solo_ps = 0}};
    struct gsim_simulation base = {.program = &p, .device = &device};
    static const double plain[] = {30, 20, 15, 3, 7, 9}, found[] = {30, 20, 15, 3, 11, 9};
    for (uint32_t i = 0; i < 6 && i < p.op_count; i++) CHECK_NEAR(gsim_units_node_us(&base, &p.ops[i]), plain[i], 1e-9);
    base.demands = demands;
    for (uint32_t i = 0; i < 6 && i < p.op_count; i++) CHECK_NEAR(gsim_units_node_us(&base, &p.ops[i]), found[i], 1e-9);
    gsim_program_release(&p);
}

static void check_after(const struct gsim_units *u, uint32_t unit, const uint32_t *after, uint32_t count)
{
    const struct gsim_op *op = &u->program.ops[unit];
    CHECK_MSG(op->after_count == count, "unit %u: follows %u, expected %u", unit, op->after_count, count);
    for (uint32_t i = 0; i < count && i < op->after_count; i++)
        CHECK_MSG(op->after[i] == after[i], "unit %u: follows %u, expected %u", unit, op->after[i], after[i]);
}

/* Groups of ops 0 to 8 (op 2 is the host's, and is left out): 5 5 - 5 0 0 7 5 7: neighbours of one number are one unit,
 * 0 never; units are {0 1 3} {4} {5} {6} {7} {8}. */
static void test_groups(void)
{
    static const uint64_t groups[] = {5, 5, 0, 5, 0, 0, 7, 5, 7};
    static const struct {
        uint32_t first, count, x, y;
        double us;
        const char *name;
    } expected[] = {{0, 3, 3, 3, 1 + 2 + 4, "b"}, {3, 1, 1, 1, 8, "d"},  {4, 1, 1, 1, 16, "e"},
                    {5, 1, 1, 1, 30, "copy"},     {6, 1, 1, 1, 64, "g"}, {7, 1, 2, 1, 128, "h"}};
    struct gsim_builder *b = gsim_builder_create("groups");
    struct gsim_device_spec device = {.h2d_gbps = 20, .d2h_gbps = 30, .dram_gbps = 80};
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    struct gsim_units u;
    gsim_builder_buffer(b, "data", 600000, GSIM_INIT_HOST);
    add_kernel(b, "a", 8, 1, 1, NULL, 0);
    add_kernel(b, "b", 3, 3, 2, NULL, 0);
    gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE, .host_us = 5, .stream = -1});
    add_kernel(b, "c", 2, 4, 4, (const uint32_t[]){0, 1}, 2);
    add_kernel(b, "d", 1, 1, 8, (const uint32_t[]){3}, 1);
    add_kernel(b, "e", 1, 1, 16, (const uint32_t[]){1}, 1);
    add_copy(b, GSIM_COPY_H2D, 0, (const uint32_t[]){4});
    add_kernel(b, "g", 1, 1, 64, (const uint32_t[]){5, 4, 0}, 3);
    add_kernel(b, "h", 2, 1, 128, (const uint32_t[]){7, 6, 3, 0}, 4);
    CHECK_OK(gsim_builder_finish(b, 1, &p, &error), error);
    const struct gsim_simulation base = {.program = &p, .device = &device};
    CHECK_OK(gsim_units_init(&u, &base, groups, &error), error);
    CHECK_INT(u.node_count, 8);
    CHECK_INT(u.count, 6);
    for (uint32_t i = 0; i < 6 && u.count == 6; i++) {
        const struct gsim_kernel *k = &u.program.kernels[u.program.ops[i].kernel_index];
        CHECK_MSG(u.units[i].first == expected[i].first && u.units[i].count == expected[i].count, "unit %u: %u from %u",
                  i, u.units[i].count, u.units[i].first);
        CHECK_NEAR(u.units[i].us, expected[i].us, 1e-9);
        CHECK_NEAR(k->solo_us, expected[i].us, 1e-9);
        CHECK_STR(k->name, expected[i].name);
        CHECK_INT(k->grid.x, expected[i].x);
        CHECK_INT(k->grid.y, expected[i].y);
        if (i == 3) continue;
        CHECK_INT(k->block.x, 64 * expected[i].y);
        CHECK_INT(k->regs_per_thread, 10 + expected[i].x);
        CHECK_INT(k->smem_bytes, 100 * expected[i].y);
    }
    if (u.count == 6) {
        check_after(&u, 0, NULL, 0);
        check_after(&u, 1, (const uint32_t[]){0}, 1);
        check_after(&u, 2, (const uint32_t[]){0}, 1);
        check_after(&u, 3, (const uint32_t[]){1}, 1);
        check_after(&u, 4, (const uint32_t[]){0, 1, 2}, 3);
        check_after(&u, 5, (const uint32_t[]){0, 3, 4}, 3);
    }
    gsim_units_release(&u);
    CHECK_OK(gsim_units_init(&u, &base, NULL, &error), error);
    CHECK_INT(u.count, 8);
    gsim_units_release(&u);
    gsim_program_release(&p);
}

static void test_nothing(void)
{
    struct gsim_builder *b = gsim_builder_create("nothing");
    struct gsim_device_spec device = {0};
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    struct gsim_units u;
    gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE, .host_us = 5, .stream = -1});
    CHECK_OK(gsim_builder_finish(b, 1, &p, &error), error);
    CHECK_INT(gsim_units_init(&u, &(struct gsim_simulation){.program = &p, .device = &device}, NULL, &error),
              GSIM_USAGE);
    CHECK_HAS(error.message, "'nothing' has no kernels and no copies");
    gsim_units_release(&u);
    gsim_program_release(&p);
}

static const struct test_case cases[] = {{"times", test_times}, {"groups", test_groups}, {"nothing", test_nothing}};
TEST_MAIN("ask/schedule/units", cases)
