/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where pages are after each event, in extents of 64 KB groups: hand-made sequences, the order in which a full
 * device loses blocks, and random events against an array with one entry per group.
 */
#include <gsl/gsl_rng.h>

#include "sim/memory/residency.h"
#include "tests/test.h"

#define GROUP GSIM_GROUP_BYTES
#define BLOCK GSIM_BLOCK_BYTES

struct world {
    struct gsim_buffer buffers[3];
    struct gsim_program program;
    struct gsim_residency r;
    struct gsim_moved moved;
};

static void open_world(struct world *w, uint64_t capacity)
{
    *w = (struct world){.buffers = {{"none", 4 * BLOCK, GSIM_INIT_NONE},
                                    {"host", 4 * BLOCK - 1000, GSIM_INIT_HOST},
                                    {"device", BLOCK, GSIM_INIT_DEVICE}}};
    w->program = (struct gsim_program){.buffers = w->buffers, .buffer_count = 3};
    CHECK(gsim_residency_init(&w->r, &w->program, w->program.buffer_count, capacity));
    gsim_residency_check(&w->r);
}

static void where_they_begin(void)
{
    struct world w;
    open_world(&w, 100 * BLOCK);
    CHECK_INT(gsim_residency_bytes(&w.r, 0, 4 * BLOCK, GSIM_PLACE_NONE), 4 * BLOCK);
    CHECK_INT(gsim_residency_bytes(&w.r, 1, 4 * BLOCK, GSIM_PLACE_HOST), 4 * BLOCK - 1000);
    CHECK(gsim_residency_is_complete(&w.r, 2));
    CHECK_INT(w.r.device_bytes, BLOCK);
    gsim_residency_release(&w.r);
}

/* The device takes groups 0 to 32 of a host buffer, the host 4 bytes of them back: one group. */
static void there_and_back(void)
{
    struct world w;
    uint64_t end;
    open_world(&w, 100 * BLOCK);
    gsim_residency_arrive(&w.r, 1, 0, 33, &w.moved);
    CHECK_INT(w.moved.from_host, 33 * GROUP);
    CHECK_INT(w.moved.populated + w.moved.evicted, 0);
    CHECK_INT(gsim_residency_host_takes(&w.r, 1, 4, false), GROUP);
    CHECK_INT(gsim_residency_place(&w.r, 1, 0, &end), GSIM_PLACE_HOST);
    CHECK_INT(end, 1);
    CHECK_INT(gsim_residency_place(&w.r, 1, 1, &end), GSIM_PLACE_DEVICE);
    CHECK_INT(end, 33);
    gsim_residency_arrive(&w.r, 1, 0, 128, &w.moved);
    CHECK_INT(w.moved.from_host, 33 * GROUP + GROUP + 95 * GROUP - 1000);
    CHECK(gsim_residency_is_complete(&w.r, 1));
    gsim_residency_arrive(&w.r, 0, 0, 1, &w.moved);
    CHECK_INT(w.moved.populated, GROUP);
    CHECK_INT(gsim_residency_host_takes(&w.r, 0, 4 * BLOCK, false), GROUP); /* reading does not make pages */
    CHECK_INT(gsim_residency_bytes(&w.r, 0, 4 * BLOCK, GSIM_PLACE_NONE), 4 * BLOCK - GROUP);
    CHECK_INT(gsim_residency_host_takes(&w.r, 0, 4 * BLOCK, true), 0);
    CHECK_INT(gsim_residency_bytes(&w.r, 0, 4 * BLOCK, GSIM_PLACE_HOST), 4 * BLOCK);
    gsim_residency_check(&w.r);
    gsim_residency_release(&w.r);
}

/* Room for 4 blocks, 1 taken: of the 4 blocks of a buffer the last needs the oldest block's place. */
static void first_come_first_gone(void)
{
    struct world w;
    open_world(&w, 4 * BLOCK);
    gsim_residency_arrive(&w.r, 1, 0, 96, &w.moved);
    CHECK_INT(w.moved.evicted, 0);
    gsim_residency_arrive(&w.r, 1, 96, 97, &w.moved); /* one group pushes a whole block out */
    CHECK_INT(w.moved.evicted, BLOCK);
    CHECK_INT(gsim_residency_bytes(&w.r, 2, BLOCK, GSIM_PLACE_HOST), BLOCK);
    gsim_residency_arrive(&w.r, 1, 97, 128, &w.moved);
    CHECK_INT(w.moved.evicted, BLOCK);
    gsim_residency_arrive(&w.r, 2, 0, 32, &w.moved); /* and now the first of buffer 1 */
    CHECK_INT(w.moved.evicted, 2 * BLOCK);
    uint64_t end;
    CHECK_INT(gsim_residency_place(&w.r, 1, 0, &end), GSIM_PLACE_HOST);
    CHECK_INT(end, 32);
    gsim_residency_check(&w.r);
    gsim_residency_release(&w.r);
}

/* A cyclic sweep over 6 blocks with room for 4: every block moves in every sweep. */
static void cyclic_sweep(void)
{
    struct world w = {.buffers = {{"big", 6 * BLOCK, GSIM_INIT_HOST}}};
    w.program = (struct gsim_program){.buffers = w.buffers, .buffer_count = 1};
    CHECK(gsim_residency_init(&w.r, &w.program, w.program.buffer_count, 4 * BLOCK));
    for (unsigned sweep = 1; sweep <= 3; sweep++) {
        for (uint64_t group = 0; group < 6 * 32; group += 16) gsim_residency_arrive(&w.r, 0, group, group + 16, &w.moved);
        CHECK_INT(w.moved.from_host, sweep * 6ull * BLOCK);
        CHECK_INT(w.moved.evicted, sweep * 6ull * BLOCK - 4 * BLOCK);
        CHECK_INT(w.r.device_bytes, 4 * BLOCK);
    }
    gsim_residency_arrive(&w.r, 0, 0, 6 * 32, &w.moved); /* at once it is the same */
    CHECK_INT(w.moved.from_host, 24ull * BLOCK);
    CHECK_INT(gsim_residency_bytes(&w.r, 0, 2 * BLOCK, GSIM_PLACE_HOST), 2 * BLOCK);
    gsim_residency_check(&w.r);
    gsim_residency_release(&w.r);
}

/* One entry per group; what arrives is the host's, new or there, bytes are conserved, memory never overflows. */
static void against_one_entry_per_group(void)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 100; seed++) {
        struct world w;
        enum gsim_place place[3][128] = {{GSIM_PLACE_NONE}};
        gsl_rng_set(rng, seed);
        open_world(&w, (2 + gsl_rng_uniform_int(rng, 8)) * BLOCK);
        for (unsigned g = 0; g < 128; g++) place[1][g] = GSIM_PLACE_HOST;
        for (unsigned g = 0; g < 32; g++) place[2][g] = GSIM_PLACE_DEVICE;
        for (int i = 0; i < 200; i++) {
            uint32_t b = (uint32_t)gsl_rng_uniform_int(rng, 3), count = b == 2 ? 32 : 128;
            uint64_t begin = gsl_rng_uniform_int(rng, count), end = begin + 1 + gsl_rng_uniform_int(rng, count - begin);
            struct gsim_moved moved = {0};
            uint64_t host = 0, none = 0, back = 0, before = w.r.device_bytes;
            bool writes = gsl_rng_uniform_int(rng, 2);
            if (gsl_rng_uniform_int(rng, 3)) {
                gsim_residency_arrive(&w.r, b, begin, end, &moved);
                for (uint64_t g = begin; g < end; g++) {
                    uint64_t bytes = gsim_residency_span(&w.r, b, g, g + 1);
                    if (place[b][g] == GSIM_PLACE_HOST) host += bytes;
                    if (place[b][g] == GSIM_PLACE_NONE) none += bytes;
                }
                if (!moved.evicted) CHECK_MSG(host == moved.from_host && none == moved.populated, "seed %lu, event %d", seed, i);
            } else {
                moved.evicted = gsim_residency_host_takes(&w.r, b, end * GROUP, writes);
                for (uint64_t g = 0; g < end; g++)
                    if (place[b][g] == GSIM_PLACE_DEVICE) back += gsim_residency_span(&w.r, b, g, g + 1);
                CHECK_INT(back, moved.evicted);
            }
            gsim_residency_check(&w.r);
            CHECK_MSG(w.r.device_bytes == before + moved.from_host + moved.populated - moved.evicted, "seed %lu, event %d", seed, i);
            CHECK(w.r.device_bytes <= w.r.capacity_bytes);
            for (uint32_t a = 0; a < 3; a++)
                for (uint64_t g = 0, stop; g < w.r.pages[a].group_count; g++) place[a][g] = gsim_residency_place(&w.r, a, g, &stop);
        }
        gsim_residency_release(&w.r);
    }
    gsl_rng_free(rng);
}

static void out_of_memory(void)
{
    struct world w;
    for (uint64_t nth = 1; nth <= 5; nth++) {
        open_world(&w, BLOCK);
        gsim_residency_release(&w.r);
        gsim_alloc_fail_nth(nth);
        CHECK(!gsim_residency_init(&w.r, &w.program, w.program.buffer_count, BLOCK));
        gsim_alloc_fail_nth(0);
        gsim_residency_release(&w.r);
    }
}

static const struct test_case cases[] = {
    {"where buffers begin", where_they_begin},
    {"there and back", there_and_back},
    {"first come, first gone", first_come_first_gone},
    {"cyclic sweep over too much", cyclic_sweep},
    {"against one entry per group", against_one_entry_per_group},
    {"out of memory", out_of_memory},
};
TEST_MAIN("sim/residency", cases)
