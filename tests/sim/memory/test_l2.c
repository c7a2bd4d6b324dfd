/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What kernels find in an L2 of 1 MiB, by hand: kernels that take twice as long cold, on buffers of 512 KiB.
 */
#include "sim/memory/l2.h"

#include "sim/device/rules.h"
#include "sim/memory/device.h"
#include "tests/test.h"

#define KIB 1024

enum { HALF, OTHER, BUFFERS };

static struct gsim_buffer buffers[BUFFERS] = {{.name = "half", .bytes = 512 * KIB},
                                              {.name = "other", .bytes = 512 * KIB}};
static struct gsim_demand demands[2] = {{.cold = 2}, {.cold = 1, .touched_bytes = 300 * KIB}};
static struct gsim_works works = {.demands = demands};
static struct gsim_op template; /* of a kernel of the program */
static struct gsim_arg some = {HALF, true, false, true};
static struct gsim_kernel kernels[2];
static struct gsim_program program = {.buffers = buffers,
                                      .kernels = kernels,
                                      .ops = &template,
                                      .buffer_count = BUFFERS,
                                      .kernel_count = 2,
                                      .op_count = 1};

struct l2 {
    struct gsim_machine machine;
    struct gsim_device_spec spec;
    struct gsim_space space;
    struct gsim_device d;
};

static void open_l2(struct l2 *l)
{
    template = (struct gsim_op){.kind = GSIM_OP_KERNEL, .args = &some, .arg_count = 1};
    l->spec.l2_mib = 1;
    l->spec.l2_kept_whole = 0.54;
    l->spec.l2_kept_none = 0.9;
    l->space = (struct gsim_space){.program = &program, .works = &works};
    l->d = (struct gsim_device){.machine = &l->machine, .spec = &l->spec, .space = &l->space, .works = &works};
    CHECK(gsim_l2_init(&l->d));
}

static double launch(struct l2 *l, const struct gsim_op *op)
{
    return gsim_l2_kernel(&l->d, &(struct gsim_command){.op = op});
}

/* A kernel that reads BYTES from OFFSET of a buffer: how much longer than its repeated time, of 1 to 2. */
static double reads(struct l2 *l, uint32_t buffer, uint64_t offset, uint64_t bytes)
{
    struct gsim_arg arg = {buffer, true, false, true};
    struct gsim_segment segment = {offset, bytes, 0, true, false};
    struct gsim_op op = {
        .kind = GSIM_OP_KERNEL, .args = &arg, .arg_count = 1, .segments = &segment, .segment_count = bytes ? 1 : 0};
    return launch(l, &op) * 2;
}

/* Share that is gone when SINCE KiB, its own among them, were touched. */
static double gone(double since) { return fmax(0, fmin(1, (since / 1024 - 0.54) / 0.36)); }

static void by_hand(void)
{
    struct l2 l = {0};
    open_l2(&l);
    CHECK_NEAR(reads(&l, HALF, 0, 100 * KIB), 2, 1e-12); /* nothing has run yet */
    CHECK_NEAR(reads(&l, HALF, 0, 100 * KIB), 1, 1e-12);
    CHECK_NEAR(reads(&l, HALF, 50 * KIB, 100 * KIB), 1.5, 1e-12); /* half of it is new */
    CHECK_NEAR(reads(&l, OTHER, 0, 400 * KIB), 2, 1e-12);
    CHECK_NEAR(reads(&l, HALF, 50 * KIB, 100 * KIB), 1, 1e-12);   /* 400 KiB since, and its 100: all is there */
    CHECK_NEAR(reads(&l, OTHER, 0, 500 * KIB), 1 + (400 * gone(600) + 100) / 500, 1e-12); /* 100 KiB of it are new */
    CHECK_NEAR(reads(&l, HALF, 50 * KIB, 100 * KIB), 1 + gone(600), 1e-12);
    reads(&l, OTHER, 0, 500 * KIB);
    reads(&l, OTHER, 0, 500 * KIB);                               /* the same data twice displaces once */
    CHECK_NEAR(reads(&l, HALF, 50 * KIB, 100 * KIB), 1 + gone(600), 1e-12);
    CHECK_NEAR(reads(&l, OTHER, 0, 0), 1 + (500 * gone(512 + 100) + 12) / 512, 1e-12); /* whole: the rest is new */
    gsim_arena_release(&l.machine.arena);
}

/* What is read anew from the middle of what was read leaves both of its ends where they were. */
static void middles(void)
{
    struct l2 l = {0};
    open_l2(&l);
    CHECK_NEAR(reads(&l, HALF, 0, 120 * KIB), 2, 1e-12);
    CHECK_NEAR(reads(&l, HALF, 40 * KIB, 30 * KIB), 1, 1e-12);
    CHECK_NEAR(reads(&l, HALF, 10 * KIB, 5 * KIB), 1, 1e-12);
    CHECK_NEAR(reads(&l, HALF, 0, 120 * KIB), 1, 1e-12);
    CHECK_NEAR(reads(&l, HALF, 40 * KIB, 30 * KIB), 1, 1e-12);
    CHECK_NEAR(reads(&l, HALF, 100 * KIB, 60 * KIB), 1 + 40.0 / 60, 1e-12); /* 20 KiB of it are known */
    CHECK_NEAR(reads(&l, HALF, 300 * KIB, 10 * KIB), 2, 1e-12);
    CHECK_NEAR(reads(&l, HALF, 0, 400 * KIB), 1 + 230.0 / 400, 1e-12); /* not 160 to 300, nor 310 to 400 */
    CHECK_NEAR(reads(&l, OTHER, 0, 120 * KIB), 2, 1e-12);
    gsim_arena_release(&l.machine.arena);
}

static void what_nobody_names_displaces(void)
{
    struct l2 l = {0};
    struct gsim_op unnamed = {.kind = GSIM_OP_KERNEL, .kernel_index = 1};
    open_l2(&l);
    reads(&l, HALF, 0, 200 * KIB);
    CHECK_NEAR(launch(&l, &unnamed), 1, 0);
    CHECK_NEAR(reads(&l, HALF, 0, 200 * KIB), 1, 1e-12); /* 300 KiB and its 200 */
    CHECK_NEAR(launch(&l, &unnamed), 1, 0);
    CHECK_NEAR(launch(&l, &unnamed), 1, 0);
    CHECK_NEAR(reads(&l, HALF, 0, 200 * KIB), 1 + gone(800), 1e-12);
    gsim_l2_forget(&l.d, HALF);
    CHECK_NEAR(reads(&l, HALF, 0, 200 * KIB), 2, 1e-12);
    gsim_arena_release(&l.machine.arena);
}

static void rule_off(void)
{
    struct l2 l = {0};
    l.spec.rules_off = UINT64_C(1) << GSIM_RULE_KNOWN_L2;
    open_l2(&l);
    reads(&l, HALF, 0, 100 * KIB);
    CHECK_NEAR(reads(&l, HALF, 0, 100 * KIB), 2, 1e-12);
    gsim_arena_release(&l.machine.arena);
}

static const struct test_case cases[] = {
    {"by hand", by_hand},
    {"middles", middles},
    {"what nobody names displaces", what_nobody_names_displaces},
    {"the rule off", rule_off},
};

TEST_MAIN("sim/memory/l2", cases)
