/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ncu's raw page: numbers with units and thousands, several kernels of one shape, names as profilers write them. */
#include "traces/kernels/profiles.h"

#include <string.h>

#include "tests/test.h"

static const char page[] =
    "==PROF== Connected\n"
    "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid "
    "Size\",\"gpu__time_duration.sum\",\"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed\","
    "\"launch__registers_per_thread\",\"launch__cluster_dim_x\",\"launch__cluster_dim_y\",\"launch__cluster_dim_z\","
    "\"gpc__cycles_elapsed.max\","
    "\"sm__cycles_active.avg\",\"sm__cycles_active.max\",\"launch__sm_count\"\n"
    "\"\",\"\",\"\",\"\",\"us\",\"%\",\"register/thread\",\"\",\"\",\"\",\"cycle\",\"cycle\",\"cycle\",\"SM\"\n"
    "\"0\",\"w_dp(float *, int)\",\"(512, 1, 1)\",\"(500, 1, "
    "1)\",\"25.00\",\"82.81\",\"14\",\"0\",\"0\",\"0\",\"50,000\",\"45,000\",\"46,000\",\"132\"\n"
    "\"1\",\"w_dp(float *, int)\",\"(512, 1, 1)\",\"(500, 1, "
    "1)\",\"1,025.00\",\"41.00\",\"14\",\"0\",\"0\",\"0\",\"2,000,000\",\"n/a\",\"no data\",\"132\"\n"
    "\"2\",\"void at::<unnamed>::scan<float, 4>(T1)\",\"(32, 16, 1)\",\"(100, 1, "
    "1)\",\"101.80\",\"0\",\"32\",\"2\",\"1\",\"1\",\"200,000\",\"50,000\",\"198,000\",\"132\"\n";

static void read_page(struct gsim_profiles *profiles)
{
    char text[sizeof page];
    struct gsim_error error = {0};
    memcpy(text, page, sizeof page);
    CHECK_MSG(gsim_profiles_read_csv(profiles, text, &error) == GSIM_OK, "%s", error.message);
    CHECK_INT(profiles->count, 3);
}

/* Of 132 SMs, 100 have a block: 198,000 cycles the longest, 50,000 x 1.32 the mean block. */
static void figures(void)
{
    struct gsim_profiles profiles = {0};
    read_page(&profiles);
    const struct gsim_kernel *k = profiles.kernels;
    CHECK_NEAR(k[0].solo_us, 25, 1e-9);
    CHECK_NEAR(k[0].pipes[GSIM_PIPE_FP64], 0.8281, 1e-9);
    CHECK(k[0].pipes_given && k[0].grid.x == 500 && k[0].block.x == 512 && k[0].cluster.x == 1 && k[0].imbalance == 0);
    CHECK_NEAR(k[1].solo_us, 1025, 1e-9);
    CHECK(k[2].cluster.x == 2 && k[2].cluster.y == 1 && k[2].block.y == 16);
    CHECK_NEAR(k[2].imbalance, 198.0 / (50 * 1.32), 1e-9);
    gsim_profiles_release(&profiles);
}

/* By name, grid and block, the nearest time; shares become those of the kernel's own time. */
static void matches(void)
{
    struct gsim_profiles profiles = {0};
    read_page(&profiles);
    struct gsim_kernel k = {.name = "w_dp", .grid = {500, 1, 1}, .block = {512, 1, 1}, .solo_us = 1000};
    CHECK(gsim_profiles_apply(&profiles, &k));
    CHECK_NEAR(k.pipes[GSIM_PIPE_FP64], 0.41 * 1025 / 1000, 1e-9);
    CHECK_NEAR(k.cold_us, 1025 - 1.8, 1e-9);
    CHECK_NEAR(k.solo_us, 1000, 0);
    struct gsim_kernel other = {.name = "w_dp", .grid = {501, 1, 1}, .block = {512, 1, 1}, .solo_us = 1000};
    CHECK(!gsim_profiles_apply(&profiles, &other));
    struct gsim_kernel scan = {.name = "void at::native::(anonymous namespace)::scan<float, 4>(float*)",
                               .grid = {100, 1, 1},
                               .block = {32, 16, 1}};
    CHECK(gsim_profiles_apply(&profiles, &scan));
    CHECK_NEAR(scan.solo_us, 100, 1e-9); /* it had none */
    CHECK(scan.cluster.x == 2 && scan.regs_per_thread == 32);
    gsim_profiles_release(&profiles);
}

/* One kernel of one shape, launched with two sizes of shared memory. */
static void told_apart(void)
{
    struct gsim_kernel known[] = {
        {.name = "blur", .grid = {16, 16, 1}, .block = {8, 8, 1}, .smem_bytes = 36, .solo_us = 50},
        {.name = "blur", .grid = {16, 16, 1}, .block = {8, 8, 1}, .smem_bytes = 100, .solo_us = 120},
    };
    struct gsim_profiles profiles = {.kernels = known, .count = 2};
    struct gsim_kernel small = {.name = "blur",
                                .grid = {16, 16, 1},
                                .block = {8, 8, 1},
                                .smem_bytes = 36,
                                .solo_us = 110},
                       large = small;
    large.smem_bytes = 100;
    CHECK(gsim_profiles_apply(&profiles, &small) && gsim_profiles_apply(&profiles, &large));
    CHECK_NEAR(small.cold_us, 50 - 1.8, 1e-9);
    CHECK_NEAR(large.cold_us, 120 - 1.8, 1e-9);
}

static void refused(void)
{
    static const char *const texts[] = {"", "a,b\n1,2\n", "\"ID\",\"Kernel Name\"\n\"\",\"\"\n\"0\"\n",
                                        "\"ID\",\"Kernel Name\"\n\"0\",\"k\"\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gsim_profiles profiles = {0};
        struct gsim_error error = {0};
        char text[128];
        snprintf(text, sizeof text, "%s", texts[i]);
        CHECK_MSG(gsim_profiles_read_csv(&profiles, text, &error) == GSIM_INPUT, "%s", texts[i]);
        gsim_profiles_release(&profiles);
    }
}

/* Pipes are named. */
static void pipes_in_a_list(void)
{
    static const char text[] = "{\"schema\": \"gpusim-kernels/1\", \"kernels\": [{\"name\": \"k\", \"grid\": [1, 1, "
                               "1], \"block\": [32, 1, 1], \"pipes\": [1]}]}";
    struct gsim_profiles profiles = {0};
    struct gsim_error error = {0};
    CHECK_INT(gsim_profiles_read_json(&profiles, text, sizeof text - 1, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "kernels[0].pipes");
    gsim_profiles_release(&profiles);
}

static const struct test_case tests[] = {{"figures", figures}, {"matches", matches}, {"told apart", told_apart},
                                         {"refused", refused}, {"pipes in a list", pipes_in_a_list}};
TEST_MAIN("traces/kernels/profiles", tests)
