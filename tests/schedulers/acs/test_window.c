/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The window against sets kept by hand, on random insertions, waits and ends; its fill.
 */
#include "schedulers/acs/window.h"

#include "gpusim/random.h"
#include "tests/test.h"

#define KERNELS 400

/* Kernel K waits for those before it that have not ended, drawn when it comes in. */
struct model {
    bool is_in[KERNELS], has_ended[KERNELS], waits[KERNELS][KERNELS], was_ready[KERNELS];
};

static bool is_ready(const struct model *m, uint32_t kernel)
{
    for (uint32_t k = 0; k < KERNELS; k++)
        if (m->waits[kernel][k] && !m->has_ended[k]) return false;
    return true;
}

static void insert(struct gsim_window *w, struct model *m, uint32_t kernel, const struct gsim_random *rng)
{
    uint32_t entry = gsim_window_insert(w, kernel, 0);
    m->is_in[kernel] = true;
    for (uint32_t draw = 0; draw < 3 && kernel; draw++) {
        uint32_t before = gsim_random_integer(rng, kernel), upstream = gsim_window_find(w, before);
        CHECK_INT(upstream != GSIM_WINDOW_NONE, m->is_in[before] && !m->has_ended[before]);
        if (upstream == GSIM_WINDOW_NONE) continue;
        gsim_window_wait_for(w, entry, upstream);
        gsim_window_wait_for(w, entry, upstream); /* twice is once */
        m->waits[kernel][before] = true;
    }
    m->was_ready[kernel] = is_ready(m, kernel);
    CHECK_INT(gsim_window_is_ready(w, entry), m->was_ready[kernel]);
}

static void end_one(struct gsim_window *w, struct model *m, const struct gsim_random *rng)
{
    uint32_t entry = gsim_random_integer(rng, w->size), expected = 0;
    while (!w->entries[entry].is_taken || !gsim_window_is_ready(w, entry)) entry = (entry + 1) % w->size;
    uint32_t kernel = (uint32_t)w->entries[entry].id, count = gsim_window_end(w, entry, 0);
    m->has_ended[kernel] = true;
    for (uint32_t k = 0; k < KERNELS; k++) {
        bool becomes = m->is_in[k] && !m->has_ended[k] && !m->was_ready[k] && is_ready(m, k);
        expected += becomes;
        m->was_ready[k] |= becomes;
    }
    CHECK_INT(count, expected);
    for (uint32_t i = 0; i < count; i++) CHECK(gsim_window_is_ready(w, w->freed[i]));
    CHECK_INT(gsim_window_find(w, kernel), GSIM_WINDOW_NONE);
}

static void against_sets(void)
{
    static const uint32_t sizes[] = {1, 2, 7, 32};
    for (unsigned long seed = 1; seed <= 8; seed++) {
        static struct model m;
        struct gsim_arena arena = {0};
        struct gsim_window w;
        struct gsim_random rng = {0};
        struct gsim_error error = {0};
        uint32_t next = 0, used = 0;
        m = (struct model){0};
        CHECK_OK(gsim_random_init(&rng, seed, &error), error);
        CHECK(gsim_window_init(&w, sizes[seed % 4], &arena));
        while (next < KERNELS || used) {
            bool inserts = next < KERNELS && used < w.size && (!used || gsim_random_integer(&rng, 3));
            if (inserts) insert(&w, &m, next++, &rng);
            else end_one(&w, &m, &rng);
            used += inserts ? 1 : UINT32_MAX;
            CHECK_INT(w.used, used);
        }
        gsim_random_release(&rng);
        gsim_arena_release(&arena);
    }
}

/* One kernel from 10 to 40, a second from 20 to 30, none until 100, one until 110: (30 + 10 + 10) / (30 + 10). */
static void fill(void)
{
    struct gsim_arena arena = {0};
    struct gsim_window w;
    CHECK(gsim_window_init(&w, 4, &arena));
    CHECK_NEAR(gsim_window_fill(&w), 0, 0);
    uint32_t first = gsim_window_insert(&w, 0, 10), second = gsim_window_insert(&w, 1, 20);
    gsim_window_end(&w, second, 30);
    gsim_window_end(&w, first, 40);
    first = gsim_window_insert(&w, 2, 100);
    gsim_window_end(&w, first, 110);
    CHECK_NEAR(gsim_window_fill(&w), 50.0 / 40, 1e-12);
    gsim_arena_release(&arena);
}

static const struct test_case cases[] = {
    {"against sets kept by hand", against_sets},
    {"fill", fill},
};

TEST_MAIN("schedulers/acs/window", cases)
