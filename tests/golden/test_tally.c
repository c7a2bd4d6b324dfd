/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tally's published pairs on an A100: means of P99 and throughput, and the order of the systems. Two pairs of twelve
 * but in the full check. TGS is left out: see "gpusim reproduce tally".
 */
#include <math.h>

#include "tests/test.h"
#include "trust/published/tally.h"

static void means_and_order(void)
{
    struct gsim_device_spec device;
    struct gsim_error error = {0};
    struct gsim_tally t;
    struct gsim_tally_order orders[2] = {{0}, {0}};
    const uint32_t pairs = test_is_full() ? GSIM_TALLY_PAIRS : 2;
    CHECK_OK(gsim_device_load("a100-sxm4-40gb", &device, &error), error);
    CHECK_OK(gsim_tally_run(&device, GPUSIM_SOURCE_DIR "/trust/published/tally_a100.csv",
                            GPUSIM_SOURCE_DIR "/workloads/services/orion_v100_kernels.csv.gz", pairs, &t, &error),
             error);
    CHECK_INT(t.count, pairs);
    for (uint32_t s = 0; s < GSIM_TALLY_SYSTEMS; s++) {
        struct gsim_tally_cell found = gsim_tally_mean(&t, s, false), published = gsim_tally_mean(&t, s, true);
        if (s == GSIM_TALLY_TGS) continue;
        CHECK_MSG(fabs(found.p99 / published.p99 - 1) <= 0.25, "system %u: P99 %.2f times alone, published %.2f", s,
                  found.p99, published.p99);
        CHECK_MSG(fabs(found.throughput / published.throughput - 1) <= 0.25,
                  "system %u: throughput %.2f, published %.2f", s, found.throughput, published.throughput);
    }
    for (int by = 0; by < 2; by++) {
        for (uint32_t p = 0; p < t.count; p++) {
            struct gsim_tally_order o = gsim_tally_order(&t.pairs[p], by, GSIM_TALLY_TGS);
            orders[by] = (struct gsim_tally_order){orders[by].count + o.count, orders[by].right + o.right};
        }
        CHECK_MSG(orders[by].right >= (by ? 0.8 : 0.85) * orders[by].count, "%s: %u of %u in order",
                  by ? "throughput" : "P99", orders[by].right, orders[by].count);
    }
    CHECK_MSG(t.mps[0] < t.mps[2] && t.priority[0] <= t.mps[0] + 0.01, "waves do not decide: %g, %g", t.mps[0],
              t.mps[2]);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"means and order", means_and_order}};
TEST_MAIN("golden/tally", cases)
