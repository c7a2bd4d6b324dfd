/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels that pause between blocks, that are killed, and SMs whose time stands still; 4 SMs of 2 blocks of 1024
 * threads each. */
#include <gsl/gsl_rng.h>

#include "sim/sm/gpu.h"
#include "tests/sim/machine_fixture.h"

struct world {
    struct gsim_arena arena;
    struct gsim_device_spec device;
    struct gsim_gpu *gpu;
    gsim_time start[64], end[64], drained[64];
    struct gsim_error error;
};

static void started(void *data, void *tag, gsim_time now) { ((struct world *)data)->start[(uintptr_t)tag] = now; }
static void ended(void *data, void *tag, gsim_time now) { ((struct world *)data)->end[(uintptr_t)tag] = now; }
static void drained(void *data, void *tag, gsim_time now) { ((struct world *)data)->drained[(uintptr_t)tag] = now; }

static void open_world(struct world *w)
{
    *w = (struct world){.device = fixture_device()};
    struct gsim_gpu_listener listener = {
        .data = w, .kernel_started = started, .kernel_ended = ended, .kernel_drained = drained};
    w->gpu = gsim_gpu_create(&w->arena, &w->device, NULL, &listener);
}

static void run_until(struct world *w, double us)
{
    gsim_time limit = gsim_time_from_us(us);
    while (gsim_gpu_next(w->gpu) <= limit && gsim_gpu_next(w->gpu) != GSIM_TIME_NEVER) {
        gsim_gpu_advance(w->gpu, gsim_gpu_next(w->gpu));
        gsim_gpu_check(w->gpu);
    }
}

static struct gsim_demand work_of(struct world *w, uint32_t blocks, double us)
{
    struct gsim_demand work = {0};
    struct gsim_kernel k = fixture_kernel("k", blocks, 1024, us);
    CHECK_OK(gsim_demand_init(&work, &w->device, &k, &w->error), w->error);
    return work;
}

static struct gsim_kernel_run *submit(struct world *w, double us, const struct gsim_demand *work, uintptr_t tag)
{
    struct gsim_kernel_run *run = gsim_gpu_submit(w->gpu, gsim_time_from_us(us), work, 0, (void *)tag);
    CHECK(run != NULL);
    gsim_gpu_check(w->gpu);
    return run;
}

/* Three waves of 10 us. Paused at 5, its first wave ends at 10; another kernel has the SMs from 10 to 15; it goes on at
 * 30 for two waves. */
static void pauses_between_blocks(void)
{
    struct world w;
    open_world(&w);
    struct gsim_demand a = work_of(&w, 24, 10), b = work_of(&w, 8, 5);
    struct gsim_kernel_run *run = submit(&w, 0, &a, 1);
    run_until(&w, 5);
    CHECK(gsim_gpu_pause(w.gpu, gsim_time_from_us(5), run));
    CHECK(!gsim_gpu_pause(w.gpu, gsim_time_from_us(5), run));
    submit(&w, 5, &b, 2);
    CHECK(!gsim_gpu_is_drained(run));
    run_until(&w, 30);
    CHECK_NEAR(gsim_time_us(w.drained[1]), 10, 1e-3);
    CHECK_NEAR(gsim_time_us(w.end[2]), 15, 1e-3);
    CHECK(gsim_gpu_is_drained(run));
    CHECK_INT(w.end[1], 0);
    gsim_gpu_go_on(w.gpu, gsim_time_from_us(30), run);
    run_until(&w, 1000);
    CHECK_NEAR(gsim_time_us(w.end[1]), 50, 1e-3);
    gsim_arena_release(&w.arena);
}

/* All of its blocks are placed: there is nothing to pause. */
static void too_late_to_pause(void)
{
    struct world w;
    open_world(&w);
    struct gsim_demand a = work_of(&w, 8, 10);
    struct gsim_kernel_run *run = submit(&w, 0, &a, 1);
    CHECK(!gsim_gpu_pause(w.gpu, 0, run));
    run_until(&w, 100);
    CHECK_NEAR(gsim_time_us(w.end[1]), 10, 1e-3);
    gsim_arena_release(&w.arena);
}

/* Killed at 4: what waited for its SMs has them at once. Again from 20 on, it takes all of its time. */
static void killed(void)
{
    struct world w;
    open_world(&w);
    struct gsim_demand a = work_of(&w, 24, 10), b = work_of(&w, 8, 5);
    struct gsim_kernel_run *run = submit(&w, 0, &a, 1);
    submit(&w, 1, &b, 2);
    run_until(&w, 4);
    gsim_gpu_kill(w.gpu, gsim_time_from_us(4), run);
    gsim_gpu_check(w.gpu);
    CHECK_NEAR(gsim_time_us(w.start[2]), 4, 1e-3);
    run_until(&w, 20);
    CHECK_NEAR(gsim_time_us(w.end[2]), 9, 1e-3);
    CHECK(!gsim_gpu_is_busy(w.gpu));
    CHECK_INT(w.end[1], 0);
    submit(&w, 20, &a, 1);
    run_until(&w, 100);
    CHECK_NEAR(gsim_time_us(w.end[1]), 50, 1e-3);
    gsim_arena_release(&w.arena);
}

/* Whenever time stands still for 100 us, everything after that is 100 us later, and nothing else is different. */
static void time_stands_still(void)
{
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned long seed = 1; seed <= 40; seed++) {
        struct world worlds[2];
        double at = 5 + 2 * (double)seed;
        for (int delayed = 0; delayed < 2; delayed++) {
            struct world *w = &worlds[delayed];
            struct gsim_demand demands[6];
            open_world(w);
            gsl_rng_set(r, seed);
            for (uintptr_t i = 0; i < 6; i++) {
                demands[i] = work_of(w, 1 + (uint32_t)gsl_rng_uniform_int(r, 40), 3 + floor(gsl_rng_uniform(r) * 20));
                submit(w, 0, &demands[i], i);
            }
            run_until(w, at);
            if (delayed) gsim_gpu_delay(w->gpu, gsim_time_from_us(100));
            run_until(w, 1e6);
        }
        for (int i = 0; i < 6; i++) {
            double end = gsim_time_us(worlds[0].end[i]), expected = end > at ? end + 100 : end;
            CHECK_MSG(fabs(gsim_time_us(worlds[1].end[i]) - expected) < 1e-3,
                      "seed %lu, kernel %d: %.3f, expected %.3f", seed, i, gsim_time_us(worlds[1].end[i]), expected);
        }
        gsim_arena_release(&worlds[0].arena);
        gsim_arena_release(&worlds[1].arena);
    }
    gsl_rng_free(r);
}

static const struct test_case cases[] = {
    {"pauses between blocks", pauses_between_blocks},
    {"too late to pause", too_late_to_pause},
    {"killed", killed},
    {"time stands still", time_stands_still},
};
TEST_MAIN("sim/sm/stop", cases)
