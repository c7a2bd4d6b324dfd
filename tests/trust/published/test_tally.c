/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders and means of Tally's table on numbers by hand; tables that are refused. The runs: tests/golden/test_tally.c.
 */
#include <unistd.h>

#include "sim/device/device.h"
#include "tests/test.h"
#include "trust/published/tally.h"

static void orders(void)
{
    struct gsim_tally t = {.count = 2};
    static const double published[] = {2, 4, 3, 3.05, 1, 1.5}, simulated[] = {2, 5, 6, 1, 1.1, 1.05};
    for (int p = 0; p < 2; p++)
        for (int s = 0; s < GSIM_TALLY_SYSTEMS; s++) {
            t.pairs[p].published[s] = (struct gsim_tally_cell){published[s], 1 / published[s]};
            t.pairs[p].simulated[s] = (struct gsim_tally_cell){(p ? 4 : 1) * simulated[s], p ? 0.2 : 0.4};
        }
    /* 15 comparisons but that of 3 and 3.05; wrong: 4 above 3, 1.5 above 1, and the fourth above the first, the fifth
     * and the sixth. */
    struct gsim_tally_order o = gsim_tally_order(&t.pairs[0], false, -1);
    CHECK_INT(o.count, 14);
    CHECK_INT(o.right, 9);
    o = gsim_tally_order(&t.pairs[0], false, GSIM_TALLY_TGS);
    CHECK_INT(o.count, 10);
    CHECK_INT(o.right, 8);
    o = gsim_tally_order(&t.pairs[0], true, -1);
    CHECK_INT(o.count, 14);
    CHECK_INT(o.right, 0);
    CHECK_NEAR(gsim_tally_mean(&t, 1, false).p99, 10, 1e-9);
    CHECK_NEAR(gsim_tally_mean(&t, 1, false).throughput, 0.3, 1e-9);
    CHECK_NEAR(gsim_tally_mean(&t, 1, true).p99, 4, 1e-9);
}

static void try_table(const char *text, const char *kernels, enum gsim_status expected)
{
    char path[64];
    struct gsim_device_spec device;
    struct gsim_error error = {0};
    struct gsim_tally t;
    snprintf(path, sizeof path, "/tmp/gpusim-test-%ld-tally.csv", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fputs(text, file);
    fclose(file);
    CHECK_OK(gsim_device_load("a100-sxm4-40gb", &device, &error), error);
    CHECK_MSG(gsim_tally_run(&device, path, kernels, GSIM_TALLY_PAIRS, &t, &error) == expected, "found %d: %s",
              (int)error.status, error.message);
    remove(path);
    CHECK_MSG(gsim_tally_run(&device, path, kernels, GSIM_TALLY_PAIRS, &t, &error) == GSIM_IO, "found %d",
              (int)error.status);
    gsim_device_release(&device);
}

static void refusals(void)
{
    const char *kernels = GPUSIM_SOURCE_DIR "/workloads/services/orion_v100_kernels.csv.gz";
    try_table("urgent,other,system\n", kernels, GSIM_INPUT);
    try_table("bert,unknown,alone,1,4\nbert,unknown,mps,1,4\n", kernels, GSIM_INPUT);
    try_table("bert,bert_b32,alone,1,4\n", "/no/such/kernels", GSIM_INPUT);
}

static const struct test_case cases[] = {{"orders and means", orders}, {"refusals", refusals}};
TEST_MAIN("trust/published/tally", cases)
