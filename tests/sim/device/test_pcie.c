/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The link as one number: what it carries scales alike, the rest stays. */
#include "sim/device/device.h"
#include "tests/test.h"

static void the_link_scales(void)
{
    struct gsim_device_spec before = {0}, after = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("v100", &before, &error), error);
    CHECK_OK(gsim_device_load("v100", &after, &error), error);
    CHECK_OK(gsim_device_set_pcie(&after, "40", &error), error);
    double factor = 40 / before.h2d_gbps;
    CHECK_NEAR(after.h2d_gbps, 40, 1e-9);
    CHECK_NEAR(after.d2h_gbps / before.d2h_gbps, factor, 1e-9);
    CHECK_NEAR(after.prefetch_gbps / before.prefetch_gbps, factor, 1e-9);
    CHECK(before.prefetch_call_us_per_mb > 0);
    CHECK_NEAR(before.prefetch_call_us_per_mb / after.prefetch_call_us_per_mb, factor, 1e-9);
    CHECK_NEAR(after.prefetch_call_us, before.prefetch_call_us, 0);
    CHECK_NEAR(after.dram_gbps, before.dram_gbps, 0);
    CHECK_NEAR(after.h2d_latency_us, before.h2d_latency_us, 0);
    CHECK(gsim_device_is_pcie("h2d_gbps") && gsim_device_is_pcie("prefetch_call_us_per_mb") &&
          !gsim_device_is_pcie("dram_gbps"));
    CHECK_INT(gsim_device_set_pcie(&after, "fast", &error), GSIM_USAGE);
    CHECK_HAS(error.message, "device.pcie_gbps: expected 0.1 to 10000 GB/s, found \"fast\"");
    CHECK_INT(gsim_device_set_pcie(&after, "9999", &error), GSIM_USAGE); /* then another number leaves its range */
    gsim_device_release(&before);
    gsim_device_release(&after);
}

static const struct test_case cases[] = {{"the link scales", the_link_scales}};
TEST_MAIN("models/pcie", cases)
