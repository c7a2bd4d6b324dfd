/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Occupancy of one kernel, by hand from the rules of NVIDIA's cuda_occupancy.h:
 *   W = ceil(threads/32), registers per warp rw = roundup(32 regs, 256),
 *   blocks = min(warps/W, SUB floor(registers/SUB/rw)/W, smem/roundup(s + reserved, unit), block slots).
 */
#include "tests/test.h"

#include "sim/device/device.h"
#include "sim/device/occupancy.h"

struct expectation {
    int compute_capability;
    struct gsim_dim3 block;
    uint32_t regs, smem;
    uint32_t warps, register_warps, smem_bytes, blocks;
    const char *limiter;
};

static const struct expectation table[] = {
    /* 8 warps; 64/8 = 8 blocks; 32 regs: rw 1024, 4 x 16 = 64 warps */
    {80, {256, 1, 1}, 32, 0, 8, 64, 1024, 8, "threads"},
    {80, {8, 8, 4}, 0, 0, 8, 64, 1024, 8, "threads"}, /* registers not given: 32 */
    /* 33 regs: 1056 -> rw 1280, 4 x floor(16384/1280) = 48 warps, 6 blocks */
    {80, {256, 1, 1}, 33, 0, 8, 48, 1024, 6, "registers"},
    {80, {1024, 1, 1}, 64, 0, 32, 32, 1024, 1, "registers"},
    {80, {256, 1, 1}, 255, 0, 8, 8, 1024, 1, "registers"}, /* rw 8192: 2 warps in each quarter */
    /* one warp: 64 would fit by warps, the block slots stop at 32 */
    {80, {32, 1, 1}, 16, 0, 1, 128, 1024, 32, "blocks"},
    {80, {33, 1, 1}, 16, 0, 2, 128, 1024, 32, "threads"},
    {80, {1, 1, 1}, 16, 0, 1, 128, 1024, 32, "blocks"},
    /* 48 KiB + 1 KiB = 50176; 167936/50176 = 3.3 */
    {80, {128, 1, 1}, 32, 49152, 4, 64, 50176, 3, "shared memory"},
    {80, {128, 1, 1}, 32, 100, 4, 64, 1152, 16, "threads"}, /* 1124 rounded to 128 */
    {80, {128, 1, 1}, 32, 163 * 1024, 4, 64, 164 * 1024, 1, "shared memory"},
    /* 31 KiB + 1 KiB go 7 times into 228 KiB but 5 times into 164 KiB */
    {90, {128, 1, 1}, 32, 31 * 1024, 4, 64, 32768, 7, "shared memory"},
    {80, {128, 1, 1}, 32, 31 * 1024, 4, 64, 32768, 5, "shared memory"},
    {90, {128, 1, 1}, 32, 227 * 1024, 4, 64, 228 * 1024, 1, "shared memory"},
    {90, {1024, 1, 1}, 32, 0, 32, 64, 1024, 2, "threads"},
    /* 1536 threads per SM */
    {86, {1024, 1, 1}, 32, 0, 32, 64, 1024, 1, "threads"},
    {86, {512, 1, 1}, 32, 0, 16, 64, 1024, 3, "threads"},
    {86, {32, 1, 1}, 32, 0, 1, 64, 1024, 16, "blocks"},
    {75, {128, 1, 1}, 32, 0, 4, 64, 0, 8, "threads"},
    {75, {32, 1, 1}, 32, 0, 1, 64, 0, 16, "blocks"},
    {75, {256, 1, 1}, 32, 33 * 1024, 8, 64, 33 * 1024, 1, "shared memory"},
    {70, {64, 1, 1}, 32, 96 * 1024, 2, 64, 96 * 1024, 1, "shared memory"},
    /* no reserved share before 8.0, unit 256: 100 -> 256; 98304/256 = 384 */
    {70, {64, 1, 1}, 32, 100, 2, 64, 256, 32, "threads"},
    /* 40 regs: rw 1280. Two halves hold 2 x 25 warps, four quarters 4 x 12 */
    {60, {64, 1, 1}, 40, 0, 2, 50, 0, 25, "registers"},
    {61, {64, 1, 1}, 40, 0, 2, 48, 0, 24, "registers"},
    {89, {32, 1, 1}, 32, 0, 1, 64, 1024, 24, "blocks"},
    {100, {128, 1, 1}, 32, 227 * 1024, 4, 64, 228 * 1024, 1, "shared memory"},
    {100, {256, 1, 1}, 32, 0, 8, 64, 1024, 8, "threads"},
    {120, {256, 1, 1}, 32, 0, 8, 64, 1024, 6, "threads"},
    {120, {64, 1, 1}, 32, 33 * 1024, 2, 64, 34 * 1024, 2, "shared memory"},
    /* waves of 64: 4 of 8 per SIMD each; 64 registers: rw 4096, 4 x floor(32768/4096) = 32 waves; 128: 16 */
    {GSIM_GFX(0x942), {256, 1, 1}, 64, 0, 4, 32, 0, 8, "threads"},
    {GSIM_GFX(0x942), {256, 1, 1}, 128, 0, 4, 16, 0, 4, "registers"},
    {GSIM_GFX(0x942), {64, 1, 1}, 512, 0, 1, 4, 0, 4, "registers"},
    {GSIM_GFX(0x90a), {65, 1, 1}, 32, 0, 2, 64, 0, 16, "threads"},
    {GSIM_GFX(0x90a), {256, 1, 1}, 32, 33000, 4, 64, 33280, 1, "shared memory"},
    {52, {64, 1, 1}, 40, 0, 2, 48, 0, 24, "registers"},
    {60, {128, 1, 1}, 32, 20 * 1024, 4, 64, 20 * 1024, 3, "shared memory"},
    {52, {128, 1, 1}, 32, 40 * 1024, 4, 64, 40 * 1024, 2, "shared memory"},
};

static struct gsim_kernel kernel_of(struct gsim_dim3 block, uint32_t regs, uint32_t smem)
{
    return (struct gsim_kernel){
        .name = "x", .grid = {1, 1, 1}, .block = block, .regs_per_thread = regs, .smem_bytes = smem};
}

/* What models/arch has of it; nothing: no file has it. */
static struct gsim_sm_limits limits_of(int compute_capability)
{
    struct gsim_device_spec d = {0};
    struct gsim_error error = {0};
    struct gsim_sm_limits limits = {0};
    if (gsim_device_set_capability(&d, compute_capability, &error) == GSIM_OK) limits = gsim_sm_limits(&d);
    gsim_device_release(&d);
    return limits;
}

static void test_table(void)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const struct expectation *e = &table[i];
        const struct gsim_kernel kernel = kernel_of(e->block, e->regs, e->smem);
        struct gsim_block_need need = {0};
        struct gsim_error error = {0};
        const struct gsim_sm_limits limits = limits_of(e->compute_capability);
        CHECK_OK(gsim_block_need(&limits, &kernel, &need, &error), error);
        CHECK_MSG(need.warps == e->warps && need.register_warps == e->register_warps &&
                      need.smem_bytes == e->smem_bytes && need.blocks_per_sm == e->blocks,
                  "row %zu: warps %u, register warps %u, smem %u, blocks %u", i, need.warps, need.register_warps,
                  need.smem_bytes, need.blocks_per_sm);
        CHECK_STR(need.limiter, e->limiter);
    }
}

static void test_errors(void)
{
    static const struct {
        int compute_capability;
        struct gsim_dim3 block;
        uint32_t regs, smem;
        const char *message;
    } bad[] = {
        {80, {2048, 1, 1}, 32, 0, "kernel 'x': block of 2048 threads: at most 1024 on compute capability 8.0"},
        {52, {32, 32, 2}, 32, 0, "kernel 'x': block of 2048 threads: at most 1024 on compute capability 5.2"},
        {80, {0, 1, 1}, 32, 0, "kernel 'x': block of 0 threads: expected 1 to 1024"},
        {GSIM_GFX(0x942),
         {2048, 1, 1},
         32,
         0,
         "kernel 'x': block of 2048 threads: at most 1024 on compute capability gfx942"},
        {GSIM_GFX(0x90a),
         {64, 1, 1},
         513,
         0,
         "kernel 'x': 513 registers per thread: at most 512 on compute capability gfx90a"},
        {75, {64, 1, 1}, 256, 0, "kernel 'x': 256 registers per thread: at most 255 on compute capability 7.5"},
        {80,
         {1024, 1, 1},
         65,
         0,
         "kernel 'x': block of 1024 threads with 65 registers each takes 73728 registers: at most 65536 on compute "
         "capability 8.0"},
        /* 25 warps take 28 warps' registers: each quarter has as many as the fullest; rw 2560 */
        {70,
         {800, 1, 1},
         80,
         0,
         "kernel 'x': block of 800 threads with 80 registers each takes 71680 registers: at most 65536 on compute "
         "capability 7.0"},
        {60,
         {64, 1, 1},
         32,
         49153,
         "kernel 'x': 49153 bytes of shared memory per block: at most 49152 on compute capability 6.0"},
        {80,
         {64, 1, 1},
         32,
         166913,
         "kernel 'x': 166913 bytes of shared memory per block: at most 166912 on compute capability 8.0"},
        {90,
         {64, 1, 1},
         32,
         4294967295u,
         "kernel 'x': 4294967295 bytes of shared memory per block: at most 232448 on compute capability 9.0"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const struct gsim_kernel kernel = kernel_of(bad[i].block, bad[i].regs, bad[i].smem);
        struct gsim_block_need need = {.warps = 77};
        struct gsim_error error = {0};
        const struct gsim_sm_limits limits = limits_of(bad[i].compute_capability);
        CHECK_INT(gsim_block_need(&limits, &kernel, &need, &error), GSIM_INPUT);
        CHECK_STR(error.message, bad[i].message);
        CHECK_INT(need.warps, 77);
    }
    /* Sizes whose product does not fit 64 bits must not wrap round to something that fits an SM. */
    const struct gsim_kernel huge = kernel_of((struct gsim_dim3){4294967295u, 4294967295u, 4294967295u}, 32, 0);
    struct gsim_block_need need;
    struct gsim_error error = {0};
    struct gsim_sm_limits limits = limits_of(80);
    CHECK_INT(gsim_block_need(&limits, &huge, &need, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "at most 1024 on compute capability 8.0");
    /* An SM of one's own that holds less than a block of it. */
    const struct gsim_kernel wide = kernel_of((struct gsim_dim3){1024, 1, 1}, 32, 0);
    limits.warps = 16;
    CHECK_INT(gsim_block_need(&limits, &wide, &need, &error), GSIM_INPUT);
    CHECK_STR(error.message, "kernel 'x': no block of it fits an SM of compute capability 8.0, for its threads");
}

/* True when COUNT such blocks respect every limit of an SM, computed from the limits alone. */
static int fits(const struct gsim_sm_limits *limits, uint32_t threads, uint32_t regs, uint32_t smem, uint32_t count)
{
    uint32_t wide = gsim_capability_is_gfx(limits->compute_capability) ? 64 : 32; /* threads of a warp */
    uint32_t warps = (threads + wide - 1) / wide,
             rw = (regs * wide + limits->register_unit - 1) / limits->register_unit;
    rw *= limits->register_unit;
    uint32_t share =
        (smem + limits->smem_reserved_bytes + limits->smem_unit - 1) / limits->smem_unit * limits->smem_unit;
    uint32_t quarter_warps = (count * warps + limits->subpartitions - 1) / limits->subpartitions;
    return count <= limits->blocks && count * warps <= limits->warps && count * warps * wide <= limits->threads &&
           quarter_warps * rw <= limits->registers / limits->subpartitions && count * share <= limits->smem_bytes;
}

/* Rounded up to a warp on each sub-partition. */
static uint32_t whole_rows(const struct gsim_sm_limits *limits, uint32_t threads)
{
    uint32_t row = limits->threads / limits->warps * limits->subpartitions;
    return (threads + row - 1) / row * row;
}

static const int known[] = {
    52, 60, 61, 70, 75, 80, 86, 87, 89, 90, 100, 103, 120, 121, GSIM_GFX(0x90a), GSIM_GFX(0x942)};

/* The count fits, one more does not: for every compute capability over a sweep of shapes. */
static void test_count_is_largest(void)
{
    unsigned long checked = 0, wrong = 0;
    for (size_t c = 0; c < sizeof(known) / sizeof(known[0]); c++) {
        const struct gsim_sm_limits own = limits_of(known[c]), *limits = &own;
        CHECK_INT(limits->compute_capability, known[c]);
        for (uint32_t threads = 1; limits->warps && threads <= 1024; threads += 31)
            for (uint32_t regs = 8; regs <= 255; regs += 19)
                for (uint32_t smem = 0; smem <= limits->smem_block_bytes; smem += 5555) {
                    struct gsim_kernel kernel = kernel_of((struct gsim_dim3){threads, 1, 1}, regs, smem);
                    struct gsim_block_need need;
                    if (gsim_block_need(limits, &kernel, &need, NULL) != GSIM_OK) {
                        wrong += fits(limits, whole_rows(limits, threads), regs, smem, 1) != 0;
                        continue;
                    }
                    checked++;
                    wrong += !fits(limits, threads, regs, smem, need.blocks_per_sm) ||
                             fits(limits, threads, regs, smem, need.blocks_per_sm + 1);
                }
    }
    CHECK_INT(wrong, 0);
    CHECK_MSG(checked > 30000, "only %lu shapes", checked);
}

static void test_limits(void)
{
    CHECK_INT(limits_of(0).compute_capability, 0);
    CHECK_INT(limits_of(110).compute_capability, 0);
    CHECK_INT(limits_of(89).blocks, 24);
    CHECK_INT(limits_of(120).threads, 1536);
    CHECK_INT(limits_of(100).smem_block_bytes, 232448);
    CHECK_INT(limits_of(87).smem_block_bytes, 166912); /* its own, the rest as 8.6 */
    CHECK_INT(limits_of(87).blocks, 16);
    CHECK_INT(limits_of(103).smem_block_bytes, 232448); /* all as 10.0 */
    CHECK_INT(limits_of(GSIM_GFX(0x942)).warp_threads, 64);
    const struct gsim_sm_limits hopper = limits_of(90);
    CHECK_INT(hopper.smem_bytes, 233472); /* as an H200 reports */
    CHECK_INT(hopper.smem_block_bytes, 232448);
    CHECK_INT(hopper.smem_reserved_bytes, 1024);
    for (size_t c = 0; c < sizeof(known) / sizeof(known[0]); c++) {
        const struct gsim_sm_limits limits = limits_of(known[c]);
        int last = 0;
        while (limits.carveout_bytes[last + 1]) {
            CHECK(limits.carveout_bytes[last + 1] > limits.carveout_bytes[last]);
            last++;
        }
        CHECK_INT(limits.carveout_bytes[last], limits.smem_bytes);
        CHECK_INT(limits.warps * limits.warp_threads, limits.threads);
        CHECK(limits.smem_block_bytes + limits.smem_reserved_bytes <= limits.smem_bytes);
    }
}

static void test_capabilities(void)
{
    CHECK_INT(gsim_capability_parse("9.0"), 90);
    CHECK_INT(gsim_capability_parse("12.1"), 121);
    CHECK_INT(gsim_capability_parse("gfx90a"), GSIM_GFX(0x90a));
    static const char *const wrong[] = {"",     "9",   "9.0a",   "09.0",   "9.10", "-9.0",
                                        " 9.0", "gfx", "gfx90A", "gfx90g", "sm_90"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_MSG(!gsim_capability_parse(wrong[i]), "'%s'", wrong[i]);
}

static const struct test_case cases[] = {
    {"hand-computed occupancies", test_table},
    {"blocks that fit no SM", test_errors},
    {"the count is the largest that fits", test_count_is_largest},
    {"limits", test_limits},
    {"compute capabilities as text", test_capabilities},
};
TEST_MAIN("sim/occupancy", cases)
