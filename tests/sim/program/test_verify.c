/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finished runs against their programs, hand-made: op 0 writes X, 1 and 2 read it, 3 writes it again, 4 follows 1 by
 * "after", 5 copies X back.
 */
#include "sim/program/verify.h"

#include "gpusim/units.h"
#include "tests/test.h"

#define US GSIM_PS_PER_US

static const struct gsim_arg writes_x = {.writes = true}, reads_x = {.reads = true};
static const uint32_t one = 1;
static struct gsim_buffer buffer = {.name = "x", .bytes = 4};
static struct gsim_kernel kernel = {.name = "k"};
static struct gsim_op ops[] = {
    {.kind = GSIM_OP_KERNEL, .index = 0, .args = &writes_x, .arg_count = 1},
    {.kind = GSIM_OP_KERNEL, .index = 1, .args = &reads_x, .arg_count = 1},
    {.kind = GSIM_OP_KERNEL, .index = 2, .args = &reads_x, .arg_count = 1},
    {.kind = GSIM_OP_KERNEL, .index = 3, .args = &writes_x, .arg_count = 1},
    {.kind = GSIM_OP_KERNEL, .index = 4, .after = &one, .after_count = 1},
    {.kind = GSIM_OP_COPY, .copy_kind = GSIM_COPY_D2H, .index = 5, .args = &reads_x, .arg_count = 1},
};
static struct gsim_program program = {.name = "p",
                                      .buffers = &buffer,
                                      .kernels = &kernel,
                                      .ops = ops,
                                      .buffer_count = 1,
                                      .kernel_count = 1,
                                      .op_count = 6};

/* Two iterations of 100 us; ops run at AT of both, each for 10 us, unless AT is negative. */
struct made {
    int at[6];
    int again; /* an op that runs once more; -1: none */
    int iterations;
    const char *message; /* NULL: all is well */
};

static void check_made(const struct made *made)
{
    struct gsim_timeline t;
    struct gsim_error error = {0};
    gsim_timeline_init(&t, &program, false);
    for (int n = 0; n < made->iterations; n++) {
        gsim_timeline_add_iteration(&t,
                                    &(struct gsim_iteration_record){.start = n * 100 * US, .end = (n + 1) * 100 * US});
        for (int i = 0; i < 7; i++) {
            int op = i < 6 ? i : made->again;
            if (op < 0 || made->at[op] < 0) continue;
            gsim_time start = (n * 100 + made->at[op]) * US, end = start + 10 * US;
            uint32_t index = (uint32_t)op, iteration = (uint32_t)n;
            if (op == 5)
                gsim_timeline_add_copy(
                    &t, &(struct gsim_copy_record){
                            .op = index, .iteration = iteration, .kind = GSIM_COPY_D2H, .start = start, .end = end});
            else
                gsim_timeline_add_kernel(
                    &t, &(struct gsim_kernel_record){.op = index, .iteration = iteration, .start = start, .end = end});
        }
    }
    /* One that a lowering made to bring the data is not op 5 itself. */
    gsim_timeline_add_copy(&t, &(struct gsim_copy_record){.op = 1, .kind = GSIM_COPY_H2D, .end = US});
    enum gsim_status status = gsim_verify_timeline(&t, &program, 2, false, &error);
    if (made->message) {
        CHECK_INT(status, GSIM_SIM);
        CHECK_HAS(error.message, made->message);
    } else {
        CHECK_OK(status, error);
    }
    gsim_timeline_release(&t);
}

static void runs(void)
{
    static const struct made rows[] = {
        {{0, 10, 15, 25, 20, 35}, -1, 2, NULL},
        {{0, 9, 15, 25, 20, 35},
         -1,
         2,
         "op 1 (k) of iteration 0 starts at 9.000 us, op 0 (k) of iteration 0, which it depends on by x, ends at "
         "10.000 us"},
        {{0, 10, 15, 24, 20, 35}, -1, 2, "op 3 (k) of iteration 0 starts at 24.000 us, op 2 (k)"},
        {{0, 10, 15, 25, 19, 35},
         -1,
         2,
         "op 4 (k) of iteration 0 starts at 19.000 us, op 1 (k) of iteration 0, which it depends on by \"after\""},
        {{0, 10, 15, 25, 20, 30}, -1, 2, "op 5 (x) of iteration 0 starts at 30.000 us, op 3 (k)"},
        {{0, 10, 15, 25, -1, 35}, -1, 2, "ran op 4 (k) to its end 0 times in iteration 0: expected once"},
        {{0, 10, 15, 25, 20, 35}, 2, 2, "ran op 2 (k) to its end 2 times in iteration 0: expected once"},
        {{0, 10, 15, 25, 91, 35}, -1, 2, "ended iteration 0 at 100.000 us while op 4 (k) ran until 101.000 us"},
        {{0, 10, 15, 25, 20, 35}, -1, 1, "ended 1 iterations: expected 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) check_made(&rows[i]);
}

/* Iteration 1 writes X while iteration 0 still copies it. */
static void across_iterations(void)
{
    struct gsim_timeline t;
    struct gsim_error error = {0};
    struct gsim_program two = program;
    struct gsim_op pair[] = {ops[0], ops[5]};
    pair[1].index = 1;
    two.ops = pair;
    two.op_count = 2;
    gsim_timeline_init(&t, &two, false);
    for (uint32_t n = 0; n < 2; n++) {
        gsim_timeline_add_iteration(&t, &(struct gsim_iteration_record){.end = 100 * US});
        gsim_timeline_add_kernel(
            &t, &(struct gsim_kernel_record){.iteration = n, .start = n * 15 * US, .end = (n * 15 + 10) * US});
        gsim_timeline_add_copy(&t, &(struct gsim_copy_record){.op = 1,
                                                              .iteration = n,
                                                              .kind = GSIM_COPY_D2H,
                                                              .start = (n * 20 + 10) * US,
                                                              .end = (n * 20 + 20) * US});
    }
    CHECK_INT(gsim_verify_timeline(&t, &two, 2, false, &error), GSIM_SIM);
    CHECK_HAS(error.message, "op 0 (k) of iteration 1 starts at 15.000 us, op 1 (x) of iteration 0");
    gsim_timeline_release(&t);
}

/* Kernels that touch parts of X of 48 bytes, by op: two write its halves at once, a third reads across both, a fourth
 * may touch anything, a fifth reads X whole. */
static void parts_of_a_buffer(void)
{
    static struct gsim_segment left = {0, 24, 0, false, true}, right = {24, 24, 0, false, true},
                               across = {20, 8, 0, true, false};
    static struct gsim_buffer wide = {.name = "x", .bytes = 48};
    static struct gsim_op parts[] = {
        {.kind = GSIM_OP_KERNEL, .index = 0, .args = &writes_x, .arg_count = 1, .segments = &left, .segment_count = 1},
        {.kind = GSIM_OP_KERNEL, .index = 1, .args = &writes_x, .arg_count = 1, .segments = &right, .segment_count = 1},
        {.kind = GSIM_OP_KERNEL, .index = 2, .args = &reads_x, .arg_count = 1, .segments = &across, .segment_count = 1},
        {.kind = GSIM_OP_KERNEL, .index = 3, .is_unknown = true},
        {.kind = GSIM_OP_KERNEL, .index = 4, .args = &reads_x, .arg_count = 1},
    };
    static const struct gsim_program two = {.name = "p",
                                            .buffers = &wide,
                                            .kernels = &kernel,
                                            .ops = parts,
                                            .buffer_count = 1,
                                            .kernel_count = 1,
                                            .op_count = 5};
    static const struct {
        int at[5];
        const char *message;
    } rows[] = {
        {{0, 0, 10, 20, 30}, NULL},
        {{0, 5, 15, 25, 35}, NULL},
        {{0, 5, 14, 25, 35}, "op 2 (k) of iteration 0 starts at 14.000 us, op 1 (k)"},
        {{5, 0, 14, 25, 35}, "op 2 (k) of iteration 0 starts at 14.000 us, op 0 (k)"},
        {{0, 0, 10, 19, 35}, "op 3 (k) of iteration 0 starts at 19.000 us, op 2 (k)"},
        {{0, 0, 10, 20, 29}, "op 4 (k) of iteration 0 starts at 29.000 us, op 3 (k)"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct gsim_timeline t;
        struct gsim_error error = {0};
        gsim_timeline_init(&t, &two, false);
        gsim_timeline_add_iteration(&t, &(struct gsim_iteration_record){.start = 0, .end = 100 * US});
        for (uint32_t i = 0; i < 5; i++)
            gsim_timeline_add_kernel(&t, &(struct gsim_kernel_record){
                                             .op = i, .start = rows[r].at[i] * US, .end = (rows[r].at[i] + 10) * US});
        enum gsim_status status = gsim_verify_timeline(&t, &two, 1, false, &error);
        if (rows[r].message) {
            CHECK_INT(status, GSIM_SIM);
            CHECK_HAS(error.message, rows[r].message);
        } else {
            CHECK_OK(status, error);
        }
        gsim_timeline_release(&t);
    }
}

/* Op 0 writes X on GPU 0, where 1 and 2 read it; 3 writes it on another GPU, from where 4 copies it back. Memory of
 * their own: 3 follows nobody, 4 still follows 3. On one GPU, or in memory that both share, 3 waits for the readers. */
static void on_two_gpus(void)
{
    static struct gsim_op mixed[5];
    struct gsim_program two = program;
    static const struct {
        uint32_t device; /* of 3 and 4 */
        bool is_placed;
        int at[5];
        const char *message;
    } rows[] = {
        {1, true, {0, 10, 15, 5, 20}, NULL},
        {1, true, {0, 10, 15, 5, 14}, "op 4 (x) of iteration 0 starts at 14.000 us, op 3 (k)"},
        {1, true, {0, 9, 15, 5, 20}, "op 1 (k) of iteration 0 starts at 9.000 us, op 0 (k)"},
        {1, false, {0, 10, 15, 5, 20}, "op 3 (k) of iteration 0 starts at 5.000 us, op 0 (k)"},
        {0, true, {0, 10, 15, 24, 35}, "op 3 (k) of iteration 0 starts at 24.000 us, op 2 (k)"},
        {0, true, {0, 10, 15, 25, 35}, NULL},
    };
    for (uint32_t i = 0; i < 5; i++) {
        mixed[i] = ops[i < 4 ? i : 5];
        mixed[i].index = i;
    }
    two.ops = mixed;
    two.op_count = 5;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct gsim_timeline t;
        struct gsim_error error = {0};
        gsim_timeline_init(&t, &two, false);
        gsim_timeline_add_iteration(&t, &(struct gsim_iteration_record){.end = 100 * US});
        for (uint32_t i = 0; i < 4; i++)
            gsim_timeline_add_kernel(&t, &(struct gsim_kernel_record){.op = i,
                                                                      .device = i < 3 ? 0 : rows[r].device,
                                                                      .start = rows[r].at[i] * US,
                                                                      .end = (rows[r].at[i] + 10) * US});
        gsim_timeline_add_copy(&t, &(struct gsim_copy_record){.op = 4,
                                                              .device = rows[r].device,
                                                              .kind = GSIM_COPY_D2H,
                                                              .start = rows[r].at[4] * US,
                                                              .end = (rows[r].at[4] + 10) * US});
        enum gsim_status status = gsim_verify_timeline(&t, &two, 1, rows[r].is_placed, &error);
        CHECK_INT(status, rows[r].message ? GSIM_SIM : GSIM_OK);
        if (rows[r].message) CHECK_HAS(error.message, rows[r].message);
        gsim_timeline_release(&t);
    }
}

static const struct test_case cases[] = {
    {"on two GPUs", on_two_gpus},
    {"runs", runs},
    {"across iterations", across_iterations},
    {"parts of a buffer", parts_of_a_buffer},
};
TEST_MAIN("sim/verify", cases)
