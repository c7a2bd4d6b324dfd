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
    *w = (struct world){.buffers = {{"none", 4 * BLOCK, GSIM_INIT_NONE, false},
                                    {"host", 4 * BLOCK - 1000, GSIM_INIT_HOST, false},
                                    {"device", BLOCK, GSIM_INIT_DEVICE, false}}};
    w->program = (struct gsim_program){.buffers = w->buffers, .buffer_count = 3};
    CHECK(gsim_residency_init(&w->r, &w->program, w->program.buffer_count, 1, &capacity));
    gsim_residency_check(&w->r);
}

/* Bytes of the buffer that no place holds. */
static uint64_t nowhere(const struct gsim_residency *r, uint32_t buffer, uint64_t bytes)
{
    return gsim_residency_span(r, buffer, 0, gsim_residency_groups(r, buffer, bytes)) -
           gsim_residency_bytes(r, buffer, bytes, ~UINT64_C(0), 0);
}

static void where_they_begin(void)
{
    struct world w;
    open_world(&w, 100 * BLOCK);
    CHECK_INT(nowhere(&w.r, 0, 4 * BLOCK), 4 * BLOCK);
    CHECK_INT(gsim_residency_bytes(&w.r, 1, 4 * BLOCK, GSIM_HELD_BY_HOST, 0), 4 * BLOCK - 1000);
    CHECK(gsim_residency_is_complete(&w.r, 2, 0, true));
    CHECK_INT(w.r.held[0].bytes, BLOCK);
    gsim_residency_release(&w.r);
}

/* The device takes groups 0 to 32 of a host buffer, the host 4 bytes of them back: one group. */
static void there_and_back(void)
{
    struct world w;
    uint64_t end;
    open_world(&w, 100 * BLOCK);
    gsim_residency_arrive(&w.r, 0, 1, 0, 33, true, &w.moved);
    CHECK_INT(w.moved.from_host, 33 * GROUP);
    CHECK_INT(w.moved.populated + w.moved.evicted, 0);
    CHECK_INT(gsim_residency_host_takes(&w.r, 1, 4, false), GROUP);
    CHECK_INT(gsim_residency_place(&w.r, 1, 0, &end), GSIM_HELD_BY_HOST);
    CHECK_INT(end, 1);
    CHECK_INT(gsim_residency_place(&w.r, 1, 1, &end), GSIM_HELD_BY(0));
    CHECK_INT(end, 33);
    gsim_residency_arrive(&w.r, 0, 1, 0, 128, true, &w.moved);
    CHECK_INT(w.moved.from_host, 33 * GROUP + GROUP + 95 * GROUP - 1000);
    CHECK(gsim_residency_is_complete(&w.r, 1, 0, true));
    gsim_residency_arrive(&w.r, 0, 0, 0, 1, true, &w.moved);
    CHECK_INT(w.moved.populated, GROUP);
    CHECK_INT(gsim_residency_host_takes(&w.r, 0, 4 * BLOCK, false), GROUP); /* reading does not make pages */
    CHECK_INT(nowhere(&w.r, 0, 4 * BLOCK), 4 * BLOCK - GROUP);
    CHECK_INT(gsim_residency_host_takes(&w.r, 0, 4 * BLOCK, true), 0);
    CHECK_INT(gsim_residency_bytes(&w.r, 0, 4 * BLOCK, GSIM_HELD_BY_HOST, 0), 4 * BLOCK);
    gsim_residency_check(&w.r);
    gsim_residency_release(&w.r);
}

/* Room for 4 blocks, 1 taken: of the 4 blocks of a buffer the last needs the oldest block's place. */
static void first_come_first_gone(void)
{
    struct world w;
    open_world(&w, 4 * BLOCK);
    gsim_residency_arrive(&w.r, 0, 1, 0, 96, true, &w.moved);
    CHECK_INT(w.moved.evicted, 0);
    gsim_residency_arrive(&w.r, 0, 1, 96, 97, true, &w.moved); /* one group pushes a whole block out */
    CHECK_INT(w.moved.evicted, BLOCK);
    CHECK_INT(gsim_residency_bytes(&w.r, 2, BLOCK, GSIM_HELD_BY_HOST, 0), BLOCK);
    gsim_residency_arrive(&w.r, 0, 1, 97, 128, true, &w.moved);
    CHECK_INT(w.moved.evicted, BLOCK);
    gsim_residency_arrive(&w.r, 0, 2, 0, 32, true, &w.moved); /* and now the first of buffer 1 */
    CHECK_INT(w.moved.evicted, 2 * BLOCK);
    uint64_t end;
    CHECK_INT(gsim_residency_place(&w.r, 1, 0, &end), GSIM_HELD_BY_HOST);
    CHECK_INT(end, 32);
    gsim_residency_check(&w.r);
    gsim_residency_release(&w.r);
}

/* A cyclic sweep over 6 blocks with room for 4: every block moves in every sweep. */
static void cyclic_sweep(void)
{
    struct world w = {.buffers = {{"big", 6 * BLOCK, GSIM_INIT_HOST, false}}};
    w.program = (struct gsim_program){.buffers = w.buffers, .buffer_count = 1};
    CHECK(gsim_residency_init(&w.r, &w.program, w.program.buffer_count, 1, &(uint64_t){4 * BLOCK}));
    for (unsigned sweep = 1; sweep <= 3; sweep++) {
        for (uint64_t group = 0; group < 6 * 32; group += 16)
            gsim_residency_arrive(&w.r, 0, 0, group, group + 16, true, &w.moved);
        CHECK_INT(w.moved.from_host, sweep * 6ull * BLOCK);
        CHECK_INT(w.moved.evicted, sweep * 6ull * BLOCK - 4 * BLOCK);
        CHECK_INT(w.r.held[0].bytes, 4 * BLOCK);
    }
    gsim_residency_arrive(&w.r, 0, 0, 0, 6 * 32, true, &w.moved); /* at once it is the same */
    CHECK_INT(w.moved.from_host, 24ull * BLOCK);
    CHECK_INT(gsim_residency_bytes(&w.r, 0, 2 * BLOCK, GSIM_HELD_BY_HOST, 0), 2 * BLOCK);
    gsim_residency_check(&w.r);
    gsim_residency_release(&w.r);
}

/* One entry per group; what arrives is the host's, new or there, bytes are conserved, memory never overflows. */
static void against_one_entry_per_group(void)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 100; seed++) {
        struct world w;
        gsim_places place[3][128] = {{0}};
        gsl_rng_set(rng, seed);
        open_world(&w, (2 + gsl_rng_uniform_int(rng, 8)) * BLOCK);
        for (unsigned g = 0; g < 128; g++) place[1][g] = GSIM_HELD_BY_HOST;
        for (unsigned g = 0; g < 32; g++) place[2][g] = GSIM_HELD_BY(0);
        for (int i = 0; i < 200; i++) {
            uint32_t b = (uint32_t)gsl_rng_uniform_int(rng, 3), count = b == 2 ? 32 : 128;
            uint64_t begin = gsl_rng_uniform_int(rng, count), end = begin + 1 + gsl_rng_uniform_int(rng, count - begin);
            struct gsim_moved moved = {0};
            uint64_t host = 0, none = 0, back = 0, before = w.r.held[0].bytes;
            bool writes = gsl_rng_uniform_int(rng, 2);
            if (gsl_rng_uniform_int(rng, 3)) {
                gsim_residency_arrive(&w.r, 0, b, begin, end, true, &moved);
                for (uint64_t g = begin; g < end; g++) {
                    uint64_t bytes = gsim_residency_span(&w.r, b, g, g + 1);
                    if (place[b][g] == GSIM_HELD_BY_HOST) host += bytes;
                    if (place[b][g] == 0) none += bytes;
                }
                if (!moved.evicted)
                    CHECK_MSG(host == moved.from_host && none == moved.populated, "seed %lu, event %d", seed, i);
            } else {
                moved.evicted = gsim_residency_host_takes(&w.r, b, end * GROUP, writes);
                for (uint64_t g = 0; g < end; g++)
                    if (place[b][g] == GSIM_HELD_BY(0)) back += gsim_residency_span(&w.r, b, g, g + 1);
                CHECK_INT(back, moved.evicted);
            }
            gsim_residency_check(&w.r);
            CHECK_MSG(w.r.held[0].bytes == before + moved.from_host + moved.populated - moved.evicted,
                      "seed %lu, event %d", seed, i);
            CHECK(w.r.held[0].bytes <= w.r.held[0].capacity_bytes);
            for (uint32_t a = 0; a < 3; a++)
                for (uint64_t g = 0, stop; g < w.r.pages[a].group_count; g++)
                    place[a][g] = gsim_residency_place(&w.r, a, g, &stop);
        }
        gsim_residency_release(&w.r);
    }
    gsl_rng_free(rng);
}

/* Two devices of three blocks: a page moves from one to the other; of a buffer that is mostly read, readers get copies,
 * which cost nothing to lose, and a write leaves one. */
static void two_devices(void)
{
    struct world w;
    static const uint64_t capacity[] = {3 * BLOCK, 3 * BLOCK};
    open_world(&w, BLOCK);
    gsim_residency_release(&w.r);
    w.buffers[1].is_read_mostly = true;
    CHECK(gsim_residency_init(&w.r, &w.program, 3, 2, capacity));
    gsim_residency_arrive(&w.r, 1, 2, 0, 32, true, &w.moved); /* "device" was on device 0 */
    CHECK(w.moved.from_devices == BLOCK && !w.moved.from_host);
    CHECK(w.r.held[0].bytes == 0 && w.r.held[1].bytes == BLOCK);
    CHECK_INT(gsim_residency_source(&w.r, 2, BLOCK, GSIM_HELD_BY(0)), GSIM_HELD_BY(1));
    for (uint32_t d = 0; d < 2; d++) gsim_residency_arrive(&w.r, d, 1, 0, 64, false, &w.moved);
    CHECK_INT(w.moved.from_host, 4 * BLOCK);
    CHECK_INT(gsim_residency_bytes(&w.r, 1, 2 * BLOCK, GSIM_HELD_BY_HOST, 0), 2 * BLOCK); /* the host has them still */
    CHECK_INT(gsim_residency_host_takes(&w.r, 1, 2 * BLOCK, false), 0);
    CHECK(gsim_residency_bytes(&w.r, 1, 2 * BLOCK, GSIM_HELD_BY(1), 0) == 2 * BLOCK);
    gsim_residency_check(&w.r);
    CHECK_INT(gsim_residency_make_room(&w.r, 0, 2 * BLOCK), 0); /* a copy */
    CHECK_INT(gsim_residency_make_room(&w.r, 1, BLOCK), BLOCK); /* "device", alone there */
    gsim_residency_arrive(&w.r, 1, 1, 0, 32, true, &w.moved);
    CHECK_INT(gsim_residency_bytes(&w.r, 1, BLOCK, ~GSIM_HELD_BY(1), 0), 0);
    CHECK_INT(gsim_residency_host_takes(&w.r, 1, BLOCK, false), BLOCK);
    gsim_residency_check(&w.r);
    gsim_residency_release(&w.r);
}

static void out_of_memory(void)
{
    struct world w;
    for (uint64_t nth = 1; nth <= 6; nth++) {
        open_world(&w, BLOCK);
        gsim_residency_release(&w.r);
        gsim_alloc_fail_nth(nth);
        CHECK(!gsim_residency_init(&w.r, &w.program, w.program.buffer_count, 1, &(uint64_t){BLOCK}));
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
    {"two devices", two_devices},
    {"out of memory", out_of_memory},
};
TEST_MAIN("sim/residency", cases)
