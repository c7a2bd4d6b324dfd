/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clusters by name. The nvjet names were launched as given here, on an H100 (traces/h100/unlike/library_ncu.csv.gz). */
#include "traces/kernels/names.h"

#include "tests/test.h"

static const struct {
    const char *name;
    struct gsim_dim3 grid, cluster; /* cluster 0: none */
} names[] = {
    {"nvjet_sm90_tst_64x24_64x16_2x4_h_bz_NNT", {8, 6, 1}, {8, 1, 1}},
    {"nvjet_sm90_tst_128x64_64x8_1x2_h_bz_NNT", {2, 64, 1}, {2, 1, 1}},
    {"nvjet_sm90_tst_32x64_64x16_2x1_v_bz_NNN", {2, 64, 1}, {2, 1, 1}},
    {"nvjet_tst_256x128_64x4_1x2_h_bz_coopA_NNT", {2, 64, 1}, {2, 1, 1}}, /* older ones without the architecture */
    {"nvjet_sm90_tst_64x24_64x16_2x4_h_bz_NNT", {6, 6, 1}, {0}},          /* does not divide the grid */
    {"nvjet_sm90_tst_64x24_64x16_1x1_h_bz_NNT", {6, 6, 1}, {0}},
    {"nvjet_sm90_tst_64x24", {8, 6, 1}, {0}}, /* cut off */
    {"cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64_2x1x1_0_tnn_align8",
     {4, 8, 1},
     {2, 1, 1}},
    {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int>, "
     "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<5, "
     "cute::tuple<cute::C<1>, cute::C<(int)2>, cute::C<1>>>>>>",
     {4, 8, 1},
     {1, 2, 1}},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(Params)", {128, 1, 1}, {0}},
    {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8_stage3_warpsize2x2x1_ffma", {8, 16, 1}, {0}},
    {"gemm_2x2_2x2_2x2", {8, 8, 1}, {0}},
};

static void by_name(void)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct gsim_dim3 found = {0};
        bool is_named = gsim_cluster_by_name(names[i].name, &names[i].grid, &found);
        CHECK_MSG(is_named == (names[i].cluster.x > 0), "%s", names[i].name);
        CHECK_MSG(found.x == names[i].cluster.x && found.y == names[i].cluster.y && found.z == names[i].cluster.z,
                  "%s: %u x %u x %u", names[i].name, found.x, found.y, found.z);
    }
}

static void waits(void)
{
    static const struct {
        const char *name;
        uint32_t regs, smem;
        bool waits;
    } rows[] = {{"at::cuda::spin_kernel(long)", 16, 0, true}, {"nanosleep", 8, 0, true}, {"busy_wait_us", 12, 0, true},
                {"await_all", 8, 0, false}, {"spinner", 8, 0, false}, {"delay", 40, 0, false}, {"sleep", 8, 64, false},
                {"sum(wait)", 8, 0, false}, {"sum<spin>", 8, 0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gsim_kernel k = {
            .name = rows[i].name, .regs_per_thread = rows[i].regs, .smem_bytes = rows[i].smem};
        CHECK_MSG(gsim_waits_by_name(&k) == rows[i].waits, "%s", rows[i].name);
    }
}

/* Columns over the first size of a tile, rows over the second, up to whole clusters: 6144 / 192 x 1024 / 128; 512 / 64
 * x 256 / 24, which is 11, of clusters of 4: 12, an H100's grid of 96 blocks. */
static void tiles(void)
{
    static const struct {
        const char *name;
        uint32_t blocks;
        uint64_t rows, columns, batch;
        uint32_t tiles; /* 0: not known */
    } rows[] = {{"nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_TNT", 132, 1024, 6144, 1, 256},
                {"nvjet_sm90_tst_64x24_64x16_2x4_h_bz_bias_TNT", 96, 256, 512, 1, 96},
                {"nvjet_sm90_tst_64x24_64x16_2x4_h_bz_bias_TNT", 96, 256, 512, 3, 288},
                {"nvjet_sm90_tst_64x24_64x16_2x4_h_bz_bias_TNT", 97, 256, 512, 1, 0},
                {"nvjet_sm90_tst_64x24", 96, 256, 512, 1, 0},
                {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8_stage3", 132, 1000, 2000, 1, 256},
                {"sm90_xmma_fprop_implicit_gemm_bf16_tilesize128x64x8", 132, 1000, 2000, 1, 0},
                {"fort_native_sdpa", 132, 1000, 2000, 1, 0},
                {"nvjet_sm90_tst_8x8_64x16_1x1_h_bz_TNT", 132, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gsim_kernel k = {.name = rows[i].name, .grid = {rows[i].blocks, 1, 1}};
        bool is_known = gsim_count_tiles(&k, rows[i].rows, rows[i].columns, rows[i].batch);
        CHECK_MSG(is_known == (rows[i].tiles > 0) && k.tiles == rows[i].tiles, "%s: %u", rows[i].name, k.tiles);
    }
}

/* A block for each SM, or less than a cluster fewer. */
static void orders(void)
{
    static const struct {
        const char *name;
        uint32_t blocks, cluster, sms;
        enum gsim_tile_order order;
    } rows[] = {
        {"nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_TNT", 132, 2, 132, GSIM_TILES_DYNAMIC},
        {"nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_TNT", 131, 2, 132, GSIM_TILES_DYNAMIC},
        {"nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_TNT", 130, 2, 132, GSIM_TILES_NONE},
        {"nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_TNT", 133, 2, 132, GSIM_TILES_NONE},
        {"nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_TNT", 132, 2, 0, GSIM_TILES_NONE},
        {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64", 132, 1, 132, GSIM_TILES_DYNAMIC},
        {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop", 132, 1, 132, GSIM_TILES_DYNAMIC},
        {"void cutlass::device_kernel<flash::FlashAttnFwdSm90<flash::VarlenDynamicPersistentTileScheduler<128> > >",
         132, 1, 132, GSIM_TILES_DYNAMIC},
        {"void cutlass::device_kernel<flash::FlashAttnFwdSm90<flash::StaticPersistentTileScheduler<false> > >", 132, 1,
         132, GSIM_TILES_STATIC},
        {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<X, cutlass::gemm::PersistentScheduler> >",
         132, 1, 132, GSIM_TILES_STATIC},
        {"void cutlass::device_kernel<flash::FlashAttnFwdSm90<flash::SingleTileScheduler<false> > >", 132, 1, 132,
         GSIM_TILES_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gsim_kernel k = {
            .name = rows[i].name, .grid = {rows[i].blocks, 1, 1}, .cluster = {rows[i].cluster, 1, 1}};
        bool is_named = gsim_tiles_by_name(&k, rows[i].sms);
        CHECK_MSG(is_named == (rows[i].order != GSIM_TILES_NONE) && k.tile_order == rows[i].order, "row %zu: %d", i,
                  (int)k.tile_order);
    }
}

static const struct test_case cases[] = {{"by name", by_name}, {"waits", waits}, {"tiles", tiles}, {"orders", orders}};
TEST_MAIN("traces/kernels/names", cases)
