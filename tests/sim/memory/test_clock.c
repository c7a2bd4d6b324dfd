/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock under the power limit (rule clock_limit), worked out by hand for kernels of 100 us on a GPU that draws
 * 100 W by itself. Kernels take as long as the root of mean power over limit. */
#include "sim/device/rules.h"
#include "tests/sim/task_fixture.h"

static struct task_fixture fixture(double limit_w, double window_us)
{
    struct task_fixture f = task_fixture();
    f.device = free_device();
    f.device.base_w = 100;
    f.device.limit_w = 100 + limit_w;
    f.device.clock_loss = 0.5;
    f.device.clock_window_us = window_us;
    return f;
}

static void add(struct task_fixture *f, const double *mj, const double *us, uint32_t count)
{
    static const char *const names[] = {"a", "b", "c"};
    struct step steps[3];
    for (uint32_t i = 0; i < count; i++) {
        steps[i] = (struct step){fixture_kernel(names[i], 4, 1024, us[i]), 0, i + 1 == count};
        steps[i].kernel.energy_mj = mj[i];
    }
    add_service(f, "t", steps, count);
}

static double us_of(const struct task_fixture *f, uint32_t index)
{
    const struct gsim_kernel_record *k = kernel_of(f, 0, index);
    return gsim_time_us(k->end - k->start);
}

/* What was recorded at 400 W above the base took twice as long as at full clock where 100 were allowed. */
static void recorded(void)
{
    static const struct {
        double limit_w, recorded_w;
        bool is_off;
        double us;
    } rows[] = {{100, 400, false, 100}, {400, 400, false, 50}, {25, 400, false, 200}, {25, 400, true, 100},
                {25, 0, false, 100}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct task_fixture f = fixture(rows[i].limit_w, 1e9);
        f.device.recorded_w = rows[i].recorded_w;
        f.device.recorded_limit_w = 100;
        if (rows[i].is_off) f.device.rules_off = 1ull << GSIM_RULE_CLOCK_LIMIT;
        add(&f, (const double[]){1}, (const double[]){100}, 1);
        share(&f, "streams");
        CHECK_NEAR(us_of(&f, 0), rows[i].us, 0.01);
        task_fixture_release(&f);
    }
}

/* From rest. The first kernel leaves 400 W over 1,000 us: the second takes 2 times as long. As it ends 327.5 W are
 * left, and it counts 1.81 times. The third meets 327.5 + 723.9 W, 10.51 times the limit. */
static void from_rest(void)
{
    struct task_fixture f = fixture(100, 1000);
    add(&f, (const double[]){400, 400, 400}, (const double[]){100, 100, 100}, 3);
    share(&f, "streams");
    CHECK_NEAR(us_of(&f, 0), 100, 0.01);
    CHECK_NEAR(us_of(&f, 1), 200, 0.1);
    CHECK_NEAR(us_of(&f, 2), 324.25, 0.2);
    task_fixture_release(&f);
}

/* A kernel of 2,000 us that draws 400 mJ leaves 200 W, not 400. */
static void longer_than_the_window(void)
{
    struct task_fixture f = fixture(100, 1000);
    add(&f, (const double[]){400, 400}, (const double[]){2000, 100}, 2);
    share(&f, "streams");
    CHECK_NEAR(us_of(&f, 1), 141.42, 0.1);
    task_fixture_release(&f);
}

static const struct test_case cases[] = {
    {"recorded", recorded}, {"from rest", from_rest}, {"longer than the window", longer_than_the_window}};
TEST_MAIN("sim/memory/clock", cases)
