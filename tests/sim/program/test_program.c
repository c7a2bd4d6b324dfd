/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Building and checking programs: equal kernels share an entry, lists are packed and copied, every rule of
 * gsim_program_check() is broken once, every allocation fails once.
 */
#include "gpusim/limits.h"
#include "gpusim/program.h"
#include "tests/test.h"

static struct gsim_kernel plain_kernel(void)
{
    return (struct gsim_kernel){.name = "k", .grid = {64, 1, 1}, .block = {256, 1, 1}, .flops = 1e6, .dram_bytes = 1e6};
}

/* x -> k -> y, then a copy of y and host work after it. */
static struct gsim_builder *small_program(void)
{
    struct gsim_builder *b = gsim_builder_create("small");
    if (!b) return NULL;
    uint32_t x = gsim_builder_buffer(b, "x", 4096, GSIM_INIT_HOST);
    uint32_t y = gsim_builder_buffer(b, "y", 8192, GSIM_INIT_NONE);
    struct gsim_kernel kernel = plain_kernel();
    struct gsim_arg args[] = {{x, true, false, true}, {y, false, true, false}};
    struct gsim_op op = {.kind = GSIM_OP_KERNEL, .args = args, .arg_count = 2, .stream = 3, .priority = -1};
    op.kernel_index = gsim_builder_kernel(b, &kernel);
    gsim_builder_op(b, &op);
    struct gsim_arg copied = {y, true, false, true};
    uint32_t after = 0;
    op = (struct gsim_op){.kind = GSIM_OP_COPY,
                          .copy_kind = GSIM_COPY_D2H,
                          .args = &copied,
                          .arg_count = 1,
                          .bytes = 8192,
                          .after = &after,
                          .after_count = 1,
                          .stream = -1};
    gsim_builder_op(b, &op);
    op = (struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE, .host_us = 2.5, .stream = -1};
    gsim_builder_op(b, &op);
    return b;
}

static void test_builder_copies_everything(void)
{
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_builder_finish(small_program(), 4, &p, &error), error);
    CHECK_STR(p.name, "small");
    CHECK_INT(p.buffer_count, 2);
    CHECK_INT(p.kernel_count, 1);
    CHECK_INT(p.op_count, 3);
    CHECK_INT(p.iterations, 4);
    CHECK_STR(p.buffers[1].name, "y");
    CHECK_INT(p.buffers[1].bytes, 8192);
    CHECK_INT(p.ops[0].args[1].buffer_index, 1);
    CHECK(p.ops[0].args[1].writes && !p.ops[0].args[1].reads && p.ops[0].args[0].declared_const);
    CHECK_INT(p.ops[0].stream, 3);
    CHECK_INT(p.ops[0].priority, -1);
    CHECK_INT(p.ops[1].index, 1);
    CHECK_INT(p.ops[1].after[0], 0);
    CHECK(p.ops[2].args == NULL && p.ops[2].after == NULL);
    CHECK_NEAR(p.ops[2].host_us, 2.5, 0);
    gsim_program_release(&p);
    gsim_program_release(&p); /* a zeroed one */
    gsim_program_release(NULL);
    CHECK(p.ops == NULL);
}

static void test_equal_kernels_share(void)
{
    struct gsim_builder *b = gsim_builder_create("k");
    struct gsim_kernel kernel = plain_kernel();
    char same_text[] = "k";
    uint32_t first = gsim_builder_kernel(b, &kernel);
    kernel.name = same_text;
    CHECK_INT(gsim_builder_kernel(b, &kernel), first);
    kernel.flops = -0.0;
    uint32_t zero = gsim_builder_kernel(b, &kernel);
    kernel.flops = 0.0;
    CHECK_INT(gsim_builder_kernel(b, &kernel), zero);
    struct gsim_kernel other[18];
    for (int i = 0; i < 18; i++) other[i] = plain_kernel();
    other[0].grid.x++;
    other[1].block.y++;
    other[2].regs_per_thread = 8;
    other[3].smem_bytes = 8;
    other[4].fp64 = true;
    other[5].dram_bytes++;
    other[6].thread_cycles++;
    other[7].sm_cycles++;
    other[8].solo_us++;
    other[9].solo_device = "h200";
    other[10].name = "l";
    other[11].rows++;
    other[12].slice_us++;
    other[13].slice_sms++;
    other[15].loop_x++;
    other[16].loop_y++;
    other[17].loop_z++;
    other[14].flops = other[14].dram_bytes = 0; /* nothing is known of it; below: known to do neither */
    for (uint32_t i = 0; i < 18; i++) CHECK_INT(gsim_builder_kernel(b, &other[i]), zero + 1 + i);
    for (uint32_t i = 0; i < 18; i++) CHECK_INT(gsim_builder_kernel(b, &other[i]), zero + 1 + i);
    other[14].demand_given = true;
    CHECK_INT(gsim_builder_kernel(b, &other[14]), zero + 19);
    kernel = plain_kernel(); /* a demand that is there is given */
    kernel.demand_given = true;
    CHECK_INT(gsim_builder_kernel(b, &kernel), first);
    gsim_builder_destroy(b);
    gsim_builder_destroy(NULL);
}

static void test_many_kernels_and_ops(void)
{
    enum { OPS = 100000, KERNELS = 1000 };
    struct gsim_builder *b = gsim_builder_create("many");
    uint32_t x = gsim_builder_buffer(b, "x", 4096, GSIM_INIT_DEVICE);
    struct gsim_arg arg = {x, true, true, false};
    for (uint32_t i = 0; i < OPS; i++) {
        struct gsim_kernel kernel = plain_kernel();
        kernel.flops = i % KERNELS;
        uint32_t after = i ? i - 1 : 0;
        struct gsim_op op = {
            .kind = GSIM_OP_KERNEL, .args = &arg, .arg_count = 1, .after = &after, .after_count = i ? 1 : 0};
        op.kernel_index = gsim_builder_kernel(b, &kernel);
        CHECK_INT(op.kernel_index, i % KERNELS);
        gsim_builder_op(b, &op);
    }
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_builder_finish(b, 1, &p, &error), error);
    CHECK_INT(p.kernel_count, KERNELS);
    CHECK_INT(p.ops[OPS - 1].after[0], OPS - 2);
    CHECK_NEAR(p.kernels[p.ops[OPS - 1].kernel_index].flops, (OPS - 1) % KERNELS, 0);
    double bytes_per_op = (double)p.arena.used_bytes / OPS;
    CHECK_MSG(bytes_per_op < 100, "%.1f bytes per op, expected below 100", bytes_per_op);
    gsim_program_release(&p);
}

static void test_large_lists(void)
{
    enum { OPS = 20000 };
    struct gsim_builder *b = gsim_builder_create("join");
    static uint32_t after[OPS];
    for (uint32_t i = 0; i < OPS; i++) {
        struct gsim_op op = {.kind = GSIM_OP_HOST_COMPUTE, .host_us = 1, .stream = -1};
        after[i] = i;
        gsim_builder_op(b, &op);
    }
    struct gsim_op join = {.kind = GSIM_OP_HOST_COMPUTE, .after = after, .after_count = OPS, .stream = -1};
    CHECK_INT(gsim_builder_op(b, &join), OPS);
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_builder_finish(b, 1, &p, &error), error);
    CHECK_INT(p.ops[OPS].after[OPS - 1], OPS - 1);
    gsim_program_release(&p);
}

/* Each breaks one rule of a good program. */
static void break_name(struct gsim_program *p) { p->name = ""; }
static void break_iterations(struct gsim_program *p) { p->iterations = 0; }
static void break_iterations_high(struct gsim_program *p) { p->iterations = GSIM_LIMIT_ITERATIONS + 1; }
static void break_ops(struct gsim_program *p) { p->op_count = 0; }
static void break_buffer_name(struct gsim_program *p) { p->buffers[1].name = ""; }
static void break_buffer_bytes(struct gsim_program *p) { p->buffers[0].bytes = 0; }
static void break_buffer_sum(struct gsim_program *p) { p->buffers[0].bytes = p->buffers[1].bytes = GSIM_LIMIT_BYTES; }
static void break_grid(struct gsim_program *p) { p->kernels[0].grid.y = 65536; }
static void break_grid_zero(struct gsim_program *p) { p->kernels[0].grid.x = 0; }
static void break_block(struct gsim_program *p)
{
    p->kernels[0].block = (struct gsim_dim3){32, 33, 1};
}
static void break_block_z(struct gsim_program *p)
{
    p->kernels[0].block = (struct gsim_dim3){1, 1, 65};
}
static void break_regs(struct gsim_program *p) { p->kernels[0].regs_per_thread = 256; }
static void break_flops(struct gsim_program *p) { p->kernels[0].flops = NAN; }
static void break_bytes(struct gsim_program *p) { p->kernels[0].dram_bytes = -1; }
static void break_sm_cycles(struct gsim_program *p) { p->kernels[0].sm_cycles = INFINITY; }
static void break_solo(struct gsim_program *p) { p->kernels[0].solo_us = 1e13; }
static void break_rows(struct gsim_program *p) { p->kernels[0].rows = NAN; }
static void break_slice(struct gsim_program *p) { p->kernels[0].slice_us = NAN; }
static void break_slice_sms(struct gsim_program *p) { p->kernels[0].slice_sms = 5000; }
static void break_kernel_index(struct gsim_program *p) { p->ops[0].kernel_index = 1; }
static void break_arg(struct gsim_program *p) { ((struct gsim_arg *)(uintptr_t)p->ops[0].args)[1].buffer_index = 2; }
static void break_twice(struct gsim_program *p) { ((struct gsim_arg *)(uintptr_t)p->ops[0].args)[1].buffer_index = 0; }
static void break_arg_count(struct gsim_program *p) { p->ops[1].arg_count = 0; }
static void break_after(struct gsim_program *p) { *(uint32_t *)(uintptr_t)p->ops[1].after = 1; }
static void break_copy(struct gsim_program *p) { p->ops[1].bytes = 8193; }
static void break_host_us(struct gsim_program *p) { p->ops[2].host_us = NAN; }
static void break_stream(struct gsim_program *p) { p->ops[0].stream = -2; }
static void break_priority(struct gsim_program *p) { p->ops[0].priority = 101; }
static void break_untimed(struct gsim_program *p) { p->ops[1].untimed = true; }
static void break_total(struct gsim_program *p)
{
    p->ops[2].host_us = 1e10;
    p->iterations = 500;
}

static void test_every_rule(void)
{
    static const struct {
        void (*break_it)(struct gsim_program *);
        const char *message;
    } rules[] = {
        {break_name, "name: expected 1 to 255 bytes"},
        {break_iterations, "iterations: expected 1 to 1000000, found 0"},
        {break_iterations_high, "iterations: expected 1 to 1000000, found 1000001"},
        {break_ops, "ops: expected at least one op"},
        {break_buffer_name, "buffers[1].name: expected"},
        {break_buffer_bytes, "buffers[0].bytes: expected 1 to"},
        {break_buffer_sum, "buffers[1].bytes: all buffers together exceed"},
        {break_grid, "kernels[0] 'k': grid: expected"},
        {break_grid_zero, "kernels[0] 'k': grid: expected"},
        {break_block, "block: expected at most 1024 threads"},
        {break_block_z, "found 1 x 1 x 65"},
        {break_regs, "kernels[0] 'k': regs_per_thread: expected 0 to 255, found 256"},
        {break_flops, "flops: expected 0 to 1e+21, found nan"},
        {break_bytes, "dram_bytes: expected 0 to 1e+21, found -1"},
        {break_sm_cycles, "sm_cycles: expected 0 to 1e+21, found inf"},
        {break_solo, "solo_us: expected 0 to 1e+10, found 1e+13"},
        {break_rows, "rows: expected 0 to"},
        {break_slice, "slice_us: expected 0 to 1e+10, found nan"},
        {break_slice_sms, "slice_sms: expected 0 to 4096, found 5000"},
        {break_kernel_index, "ops[0]: expected a kernel index below 1, found 1"},
        {break_arg, "ops[0]: argument 1: expected a buffer index below 2, found 2"},
        {break_twice, "ops[0]: buffer 'x' is an argument twice"},
        {break_arg_count, "ops[1]: expected 1 buffers, found 0"},
        {break_after, "ops[1].after[0]: expected the index of an earlier op, found 1"},
        {break_copy, "ops[1].bytes: expected 1 to 8192, found 8193"},
        {break_host_us, "ops[2].us: expected 0 to"},
        {break_stream, "ops[0].stream: expected 0 to 65535, or -1 for none, found -2"},
        {break_priority, "ops[0].priority: expected -100 to 100, found 101"},
        {break_untimed, "ops[1].untimed: only a host write"},
        {break_total, "add up to 5e+12 us"},
    };
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        struct gsim_program p = {0};
        struct gsim_error error = {0};
        CHECK_OK(gsim_builder_finish(small_program(), 1, &p, &error), error);
        rules[i].break_it(&p);
        CHECK_INT(gsim_program_check(&p, &error), GSIM_INPUT);
        CHECK_HAS(error.message, rules[i].message);
        gsim_program_release(&p);
    }
}

static void test_finish_refuses_and_frees(void)
{
    struct gsim_builder *b = small_program();
    gsim_builder_buffer(b, "empty", 0, GSIM_INIT_NONE);
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    CHECK_INT(gsim_builder_finish(b, 1, &p, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "buffers[2].bytes");
    CHECK(p.ops == NULL && p.name == NULL);
    CHECK_INT(gsim_builder_finish(NULL, 1, &p, &error), GSIM_NOMEM);
}

static void test_every_allocation_fails(void)
{
    int failures = 0;
    for (uint64_t n = 1;; n++) {
        gsim_alloc_fail_nth(n);
        struct gsim_program p = {0};
        struct gsim_error error = {0};
        enum gsim_status status = gsim_builder_finish(small_program(), 1, &p, &error);
        uint64_t made = gsim_alloc_fail_nth(0);
        gsim_program_release(&p);
        if (made < n) {
            CHECK_INT(status, GSIM_OK);
            break;
        }
        CHECK_INT(status, GSIM_NOMEM);
        failures++;
    }
    CHECK_MSG(failures > 8, "%d allocations failed, expected more than 8", failures);
}

static const struct test_case cases[] = {
    {"builder copies everything", test_builder_copies_everything},
    {"equal kernels share an entry", test_equal_kernels_share},
    {"100,000 ops of 1,000 kernels", test_many_kernels_and_ops},
    {"long lists", test_large_lists},
    {"every rule of the check", test_every_rule},
    {"finish refuses and frees", test_finish_refuses_and_frees},
    {"every allocation fails", test_every_allocation_fails},
};
TEST_MAIN("sim/program", cases)
