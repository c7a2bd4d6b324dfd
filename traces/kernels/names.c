/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/kernels/names.h. No name of xmma kernels, some of which run in clusters, was seen to tell them. */
#include "traces/kernels/names.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpusim/limits.h"

#define WAITING_REGISTERS 32 /* of a thread, at most */

/* "AxBxC" between underscores: how many sizes, at most three; 0: it is something else. */
static int read_sizes(const char *word, size_t length, uint32_t sizes[3])
{
    int count = 0;
    for (const char *at = word; at < word + length;) {
        uint32_t size = 0;
        if (count == 3 || !isdigit((unsigned char)*at)) return 0;
        for (; at < word + length && isdigit((unsigned char)*at); at++)
            size = size > 9999 ? size : 10 * size + (uint32_t)(*at - '0');
        if (!size || (at < word + length && *at != 'x')) return 0;
        sizes[count++] = size;
        at += at < word + length;
    }
    return word[length - 1] == 'x' ? 0 : count;
}

/* The LAST-th list of COUNT sizes in NAME, the first is 1. */
static bool find_sizes(const char *name, int count, int last, uint32_t sizes[3])
{
    int seen = 0;
    for (const char *word = name; *word; word += strcspn(word, "_"), word += *word == '_') {
        size_t length = strcspn(word, "_");
        uint32_t found[3];
        if (!length || read_sizes(word, length, found) != count) continue;
        memcpy(sizes, found, sizeof found);
        if (++seen == last) return true;
    }
    return false;
}

/* "cute::tuple<cute::C<2>, cute::C<(int)1>, cute::C<1>>", the first behind the name of a mainloop that copies by
 * TMA. */
static bool find_tuple(const char *name, uint32_t sizes[3])
{
    const char *at = strstr(name, "MainloopSm");
    if (at) at = strstr(at, "tuple<");
    for (int i = 0; at && i < 3; i++) {
        at = strstr(at, "C<");
        if (!at) return false;
        at += 2;
        if (strncmp(at, "(int)", 5) == 0) at += 5;
        if (sscanf(at, "%3u", &sizes[i]) != 1) return false;
    }
    return at != NULL;
}

bool gsim_cluster_by_name(const char *name, const struct gsim_dim3 *grid, struct gsim_dim3 *cluster)
{
    uint32_t sizes[3] = {0};
    if (strncmp(name, "nvjet_", 6) == 0) { /* nvjet_sm90_tst_64x24_64x16_2x4_h: tile, depth of it and stages, cluster */
        if (!find_sizes(name, 2, 3, sizes)) return false;
        sizes[0] *= sizes[1];
        sizes[1] = sizes[2] = 1;
    } else if (strstr(name, "cutlass3x_")) { /* cutlass3x_sm90_..._64x128x64_2x1x1_0_tnn: tile, cluster; the instruction
                                                has letters */
        if (!find_sizes(strstr(name, "cutlass3x_"), 3, 2, sizes)) return false;
    } else if (!strstr(name, "cutlass") || !find_tuple(name, sizes)) {
        return false;
    }
    for (int i = 0; i < 3; i++)
        if (!sizes[i] || sizes[i] > GSIM_LIMIT_CLUSTER) return false;
    if (sizes[0] * sizes[1] * sizes[2] == 1 || grid->x % sizes[0] || grid->y % sizes[1] || grid->z % sizes[2])
        return false;
    *cluster = (struct gsim_dim3){sizes[0], sizes[1], sizes[2]};
    return true;
}

/* Whether TEXT up to END has WORD, whatever its case and underscores. */
static bool has_word(const char *text, const char *end, const char *word)
{
    for (const char *from = text; from < end; from++) {
        const char *at = from, *w = word;
        for (; at < end && *w && (*at == '_' || tolower((unsigned char)*at) == *w); at++) w += *at != '_';
        if (!*w) return true;
    }
    return false;
}

bool gsim_talks_by_name(const char *name)
{
    static const char *const libraries[] = {"nccl", "rccl", "nvshmem", "rocshmem", "deepep", "internode", "intranode",
                                            "mscclpp", "quickreduce", "userbuffers", "crossdevicereduce"},
                             *const kinds[] = {"allreduce", "allgather", "reducescatter", "alltoall", "a2adispatch",
                                               "a2acombine", "dispatchllkernel", "combinellkernel"};
    const char *end = name + strlen(name), *plain = name + strcspn(name, "<(");
    const char *space = strstr(name, "ep::"); /* DeepEP's, whole */
    if (space && space < plain && (space == name || space[-1] == ' ' || space[-1] == ':')) return true;
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (has_word(name, end, libraries[i])) return true;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (has_word(name, plain, kinds[i])) return true;
    return false;
}

bool gsim_waits_by_name(const struct gsim_kernel *kernel)
{
    static const char *const words[] = {"spin", "sleep", "nanosleep", "delay", "wait"};
    if (kernel->smem_bytes || kernel->regs_per_thread > WAITING_REGISTERS) return false;
    for (const char *at = kernel->name; *at && *at != '<' && *at != '('; at++) {
        size_t length = 0;
        while (isalpha((unsigned char)at[length])) length++;
        for (size_t i = 0; length && i < sizeof words / sizeof words[0]; i++)
            if (strlen(words[i]) == length && strncmp(at, words[i], length) == 0) return true;
        if (length) at += length - 1;
    }
    return false;
}

bool gsim_tiles_by_name(struct gsim_kernel *kernel, uint32_t sms)
{
    static const struct {
        const char *word;
        enum gsim_tile_order order;
    } words[] = {{"nvjet_", GSIM_TILES_DYNAMIC},           {"_xmma_", GSIM_TILES_DYNAMIC},
                 {"fort_native_sdpa", GSIM_TILES_DYNAMIC}, {"DynamicPersistentTileScheduler", GSIM_TILES_DYNAMIC},
                 {"PersistentTileScheduler", GSIM_TILES_STATIC}, {"::PersistentScheduler", GSIM_TILES_STATIC}};
    uint64_t blocks = (uint64_t)kernel->grid.x * kernel->grid.y * kernel->grid.z;
    uint32_t cluster = kernel->cluster.x ? kernel->cluster.x * kernel->cluster.y * kernel->cluster.z : 1;
    if (kernel->tile_order || !sms || blocks > sms || blocks + cluster <= sms) return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0] && !kernel->tile_order; i++)
        if (strstr(kernel->name, words[i].word)) kernel->tile_order = words[i].order;
    return kernel->tile_order != GSIM_TILES_NONE;
}

bool gsim_count_tiles(struct gsim_kernel *kernel, uint64_t rows, uint64_t columns, uint64_t batch)
{
    uint32_t tile[3], cluster[3] = {1, 1, 1};
    const char *name = kernel->name, *xmma = strstr(name, "implicit_gemm") ? NULL : strstr(name, "_tilesize");
    bool is_named = xmma && sscanf(xmma, "_tilesize%4ux%4u", &tile[0], &tile[1]) == 2 && tile[0] && tile[1];
    if (strncmp(name, "nvjet_", 6) == 0) is_named = find_sizes(name, 2, 1, tile) && find_sizes(name, 2, 3, cluster);
    if (!is_named) return false;
    double sizes[2] = {(double)columns, (double)rows}, tiles = (double)batch;
    for (int i = 0; i < 2; i++) tiles *= ceil(ceil(sizes[i] / tile[i]) / cluster[i]) * cluster[i];
    if (tiles < (double)kernel->grid.x * kernel->grid.y * kernel->grid.z || tiles > GSIM_LIMIT_TILES) return false;
    kernel->tiles = gsim_whole_u32(tiles);
    return true;
}
