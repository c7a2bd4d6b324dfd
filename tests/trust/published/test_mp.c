/* SPDX-License-Identifier: GPL-3.0-or-later */
/* KeSCo's task sets beside their baselines: what comes out, and what is refused. */
#include <string.h>

#include "tests/test.h"
#include "trust/published/mp.h"

static const struct gsim_mp_case *find(const struct gsim_mp *mp, const char *way, const char *scheduler,
                                       bool is_managed)
{
    for (uint32_t i = 0; i < mp->count; i++)
        if (strcmp(mp->cases[i].way, way) == 0 && strcmp(mp->cases[i].scheduler, scheduler) == 0 &&
            mp->cases[i].is_managed == is_managed)
            return &mp->cases[i];
    CHECK_MSG(false, "no %s %s", way, scheduler);
    return &mp->cases[0];
}

/* Published: 1.43 over processes; so MP-1 is over serial ones one after the other, within 5 %. */
static void sets(void)
{
    static const char *const files[] = {GPUSIM_SOURCE_DIR "/workloads/tasks/mp-1.json",
                                        GPUSIM_SOURCE_DIR "/workloads/tasks/mp-2.json"};
    struct gsim_device_spec device;
    struct gsim_error error = {0};
    struct gsim_mp mp;
    CHECK_OK(gsim_device_load("a100-sxm4-40gb", &device, &error), error);
    CHECK_OK(gsim_mp_run(&device, files, &mp, &error), error);
    CHECK_INT(mp.count, GSIM_MP_CASES);
    CHECK_NEAR(find(&mp, "exclusive", "serial", false)->speed_up[0], 1.43, 0.07);
    CHECK(find(&mp, "exclusive", "serial", true)->speed_up[0] > 1.3);
    CHECK(find(&mp, "mps", "serial", false)->speed_up[0] > 1.2);
    CHECK(find(&mp, "exclusive", "serial", false)->speed_up[1] < 1); /* MP-2: not reproduced */
    CHECK_NEAR(find(&mp, "timeslice", "serial", true)->speed_up[0],
               find(&mp, "timeslice", "serial", false)->speed_up[0], 0.05);
    static const char *const none[] = {"/no/such/file", "/no/such/file"};
    CHECK(gsim_mp_run(&device, none, &mp, &error) != GSIM_OK);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"MP-1 and MP-2", sets}};
TEST_MAIN("trust/published/mp", cases)
