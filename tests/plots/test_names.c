/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What figures call kernels, columns and values: a table of names, each on both sides of where the next rule begins. */
#include "plots/names.h"

#include "tests/test.h"

static void kernels(void)
{
    static const char *const names[][2] = {
        {"k", "k"},
        {"void at::native::reduce_kernel<512, f::g>(float*)", "reduce_kernel"},
        {"at::(anonymous namespace)::copy<int>(x::y)", "copy"},
        {"(anonymous namespace)::fill(int)", "fill"},
        {"avoid ing", "avoid ing"},
        {"gemm<a::b>", "gemm"},
        {"gemm(a::b)", "gemm"},
        {"tail::", "tail::"},
        {"<lambda>", "<lambda>"},
    };
    struct gsim_arena arena = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        CHECK_STR(gsim_kernel_short_name(&arena, names[i][0]), names[i][1]);
    gsim_arena_release(&arena);
}

static void columns(void)
{
    static const struct {
        const char *column;
        double largest;
        const char *label;
        double divisor;
    } all[] = {
        {"iteration_us", 1999, "time per iteration (us)", 1},
        {"iteration_us", 2000, "time per iteration (ms)", 1e3},
        {"wait_us", 2e6 - 1, "wait (ms)", 1e3},
        {"wait_us", 2e6, "wait (s)", 1e6},
        {"h2d_bytes", 2e6 - 1, "moved to the device (B)", 1},
        {"h2d_bytes", 2e6, "moved to the device (MB)", 1e6},
        {"own_bytes", 2e9, "own (GB)", 1e9},
        {"overlap_ct", 0.5, "computation under transfers (%)", 0.01},
        {"sm_busy_ratio", 0.5, "SMs in use (%)", 0.01},
        {"hit_ratio", 0.5, "hit", 1},
        {"size", 1, "problem size", 1},
        {"two_words", 1, "two words", 1},
        {"kesco.idle_us", 5e6, "kesco.idle", 1},
        {"speedup", 9, "speed-up over serial", 1},
        {"device.launch_us", 1, "cudaLaunchKernel (us)", 1},
        {"device.sm_count", 1, "streaming multiprocessors", 1},
        {"device.l2_gbps", 1, "L2 bandwidth of all SMs together (GB/s)", 1},
        {"device.pcie_gbps", 1, "bandwidth of the link to the host (GB/s)", 1},
        {"device.nothing", 1, "device.nothing", 1},
    };
    struct gsim_arena arena = {0};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        double divisor;
        CHECK_STR(gsim_column_label(&arena, all[i].column, all[i].largest, NULL, &divisor), all[i].label);
        CHECK_NEAR(divisor, all[i].divisor, 0);
    }
    double one;
    CHECK_STR(gsim_column_label(&arena, "speedup", 1, "streams=1", &one), "speed-up over streams=1");
    gsim_arena_release(&arena);
}

static void values(void)
{
    static const char *const all[][2] = {
        {"1000000", "1M"},      {"999499", "999k"},         {"999500", "1M"},        {"9999", "9999"},
        {"10000", "10k"},       {"2500000000", "2.5G"},     {"0.25", "0.25"},        {"-20000", "-20k"},
        {"1e9", "1G"},          {"kesco", "kesco"},         {"dir/net.json", "net"}, {"net.json.gz", "net"},
        {"a/.json", "a/.json"}, {"net.jsonx", "net.jsonx"}, {"a/b", "a/b"},
    };
    struct gsim_arena arena = {0};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) CHECK_STR(gsim_value_label(&arena, all[i][0]), all[i][1]);
    gsim_arena_release(&arena);
}

static const struct test_case cases[] = {{"kernels", kernels}, {"columns", columns}, {"values", values}};
TEST_MAIN("plots/names", cases)
