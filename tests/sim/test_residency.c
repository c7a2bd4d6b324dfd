/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which copy of a buffer is valid after which event, and so what must move: the whole table of states
 * (host valid, device valid) and events, and random events against a version counter per side.
 */
#include <gsl/gsl_rng.h>

#include "sim/residency.h"
#include "tests/test.h"

#define BYTES 4096

struct world {
    struct gsim_arena arena;
    struct gsim_buffer buffers[3];
    struct gsim_program program;
    struct gsim_residency residency;
};

static void open_world(struct world *w)
{
    *w = (struct world){.buffers = {{"none", BYTES, GSIM_INIT_NONE},
                                    {"host", BYTES, GSIM_INIT_HOST},
                                    {"device", BYTES, GSIM_INIT_DEVICE}}};
    w->program = (struct gsim_program){.buffers = w->buffers, .buffer_count = 3};
    CHECK(gsim_residency_init(&w->residency, &w->program, &w->arena));
}

static void check(const struct world *w, uint32_t buffer, uint64_t missing, bool host_stale)
{
    CHECK_INT(gsim_residency_missing(&w->residency, buffer), missing);
    CHECK_INT(gsim_residency_host_stale(&w->residency, buffer), host_stale);
}

static void where_they_begin(void)
{
    struct world w;
    open_world(&w);
    check(&w, 0, 0, false); /* never written: nothing to move either way */
    check(&w, 1, BYTES, false);
    check(&w, 2, 0, true);
    gsim_arena_release(&w.arena);
}

static void there_and_back(void)
{
    struct world w;
    open_world(&w);
    gsim_residency_arrived(&w.residency, 1);
    check(&w, 1, 0, false); /* both valid */
    gsim_residency_device_wrote(&w.residency, 1);
    check(&w, 1, 0, true);
    gsim_residency_returned(&w.residency, 1);
    check(&w, 1, 0, false); /* both valid again: no copy for the next kernel */
    gsim_residency_host_wrote(&w.residency, 1);
    check(&w, 1, BYTES, false);
    gsim_residency_device_wrote(&w.residency, 1); /* overwritten without having been moved */
    check(&w, 1, 0, true);
    gsim_residency_device_wrote(&w.residency, 0);
    check(&w, 0, 0, true);
    gsim_residency_host_wrote(&w.residency, 0);
    check(&w, 0, BYTES, false);
    check(&w, 2, 0, true); /* the others' business */
    gsim_arena_release(&w.arena);
}

/* Moves only what must move, and nobody ever uses old data. */
static void versions_never_go_back(void)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 50; seed++) {
        struct world w;
        open_world(&w);
        gsl_rng_set(rng, seed);
        unsigned newest[3] = {0}, host[3] = {0}, device[3] = {0}, moves = 0;
        for (int i = 0; i < 200; i++) {
            uint32_t b = (uint32_t)gsl_rng_uniform_int(rng, 3);
            bool on_device = gsl_rng_uniform_int(rng, 2), writes = gsl_rng_uniform_int(rng, 2);
            if (on_device && gsim_residency_missing(&w.residency, b)) {
                device[b] = host[b];
                gsim_residency_arrived(&w.residency, b);
                moves++;
            }
            if (!on_device && gsim_residency_host_stale(&w.residency, b)) {
                host[b] = device[b];
                gsim_residency_returned(&w.residency, b);
                moves++;
            }
            CHECK_INT(on_device ? device[b] : host[b], newest[b]);
            CHECK_INT(gsim_residency_missing(&w.residency, b) && on_device, 0);
            if (!writes) continue;
            *(on_device ? &device[b] : &host[b]) = ++newest[b];
            if (on_device)
                gsim_residency_device_wrote(&w.residency, b);
            else
                gsim_residency_host_wrote(&w.residency, b);
        }
        CHECK_MSG(moves > 10 && moves < 150, "%u moves", moves);
        gsim_arena_release(&w.arena);
    }
    gsl_rng_free(rng);
}

static void out_of_memory(void)
{
    struct world w;
    open_world(&w);
    gsim_arena_release(&w.arena);
    gsim_alloc_fail_nth(1);
    CHECK(!gsim_residency_init(&w.residency, &w.program, &w.arena));
    gsim_alloc_fail_nth(0);
    gsim_arena_release(&w.arena);
}

static const struct test_case cases[] = {
    {"where buffers begin", where_they_begin},
    {"there and back", there_and_back},
    {"nobody uses old data", versions_never_go_back},
    {"out of memory", out_of_memory},
};
TEST_MAIN("sim/residency", cases)
