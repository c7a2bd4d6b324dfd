/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work models (sim/sm/models/): kernels alone, two side by side by hand, and what "recorded" does not ask for. */
#include "sim/sm/models/model.h"
#include "tests/sim/machine_fixture.h"

enum { SMS = 12 };

struct world {
    struct gsim_arena arena;
    struct gsim_device_spec device;
    struct gsim_gpu *gpu;
    double end_us[2];
    struct gsim_error error;
};

static void ended(void *data, void *tag, gsim_time now)
{
    ((struct world *)data)->end_us[(uintptr_t)tag] = gsim_time_us(now);
}

static void open_world(struct world *w, const char *model)
{
    const struct gsim_gpu_options options = {.tolerance = 4e-3};
    *w = (struct world){.device = fixture_device()};
    w->device.sm_count = SMS;
    w->device.model = gsim_model_find(model);
    const struct gsim_gpu_listener listener = {.data = w, .kernel_ended = ended};
    w->gpu = gsim_gpu_create(&w->arena, &w->device, &options, &listener);
    CHECK(w->gpu != NULL);
}

/* Blocks that find room at once. */
static uint32_t room(const struct world *w)
{
    struct gsim_demand shape;
    struct gsim_error error = {0};
    const struct gsim_kernel k = {
        .name = "k", .grid = {1, 1, 1}, .block = {256, 1, 1}, .regs_per_thread = 32, .solo_us = 1};
    CHECK_OK(gsim_demand_shape(&shape, &w->device, &k, &error), error);
    return SMS * shape.need.blocks_per_sm;
}

static void describe(struct world *w, double grid, double solo_us, struct gsim_demand *work)
{
    const struct gsim_kernel k = {.name = "k",
                                  .grid = {(uint32_t)(grid * room(w)), 1, 1},
                                  .block = {256, 1, 1},
                                  .regs_per_thread = 32,
                                  .solo_us = solo_us};
    CHECK_OK(gsim_demand_init(work, &w->device, &k, &w->error), w->error);
}

static void run(struct world *w)
{
    for (gsim_time next; (next = gsim_gpu_next(w->gpu)) != GSIM_TIME_NEVER;) {
        gsim_gpu_advance(w->gpu, next);
        gsim_gpu_check(w->gpu);
    }
    gsim_arena_release(&w->arena);
}

static void alone(void)
{
    static const double grids[] = {0.25, 1, 2, 2.5, 40};
    for (uint32_t m = 0; gsim_model_name(m); m++)
        for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
            struct world w;
            struct gsim_demand work;
            open_world(&w, gsim_model_name(m));
            describe(&w, grids[g], 100, &work);
            CHECK(gsim_gpu_submit(w.gpu, 0, &work, 0, (void *)0) != NULL);
            run(&w);
            CHECK_MSG(fabs(w.end_us[0] - 100) < 0.1, "%s, %g times the room: %.3f us", gsim_model_name(m), grids[g],
                      w.end_us[0]);
        }
}

/* Two kernels of 10 us alone, submitted together, of so many times the room. */
static void side_by_side(void)
{
    static const struct {
        const char *model;
        double grids[2], ends[2];
    } rows[] = {
        {"waves", {0.5, 0.5}, {10, 10}},
        {"waves", {1, 1}, {10, 20}},     /* the second waits for room */
        {"waves", {1, 0.5}, {10, 20}},
        {"waves", {2, 0.5}, {10, 20}},   /* two waves of 5 us, then the second */
        {"fluid", {0.5, 0.5}, {10, 10}},
        {"fluid", {1, 1}, {20, 20}},     /* each at half its speed */
        {"fluid", {1, 0.5}, {15, 15}},   /* 1.5 asked for: at 2/3 */
        {"fluid", {4, 0.25}, {12.5, 12.5}}, /* the first asks for all, not for more */
        {"recorded", {1, 1}, {10, 10}},
        {"recorded", {4, 4}, {10, 10}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct world w;
        struct gsim_demand demands[2];
        open_world(&w, rows[i].model);
        for (int k = 0; k < 2; k++) describe(&w, rows[i].grids[k], 10, &demands[k]);
        for (int k = 0; k < 2; k++) CHECK(gsim_gpu_submit(w.gpu, 0, &demands[k], 0, (void *)(uintptr_t)k) != NULL);
        run(&w);
        for (int k = 0; k < 2; k++)
            CHECK_MSG(fabs(w.end_us[k] - rows[i].ends[k]) < 0.01,
                      "%s, %g and %g: kernel %d ends at %.3f, expected %.3f", rows[i].model, rows[i].grids[0],
                      rows[i].grids[1], k, w.end_us[k], rows[i].ends[k]);
    }
}

/* 10 us, both ask for all. The second comes at 4, when 6 us of the first are left, which then take 12: it ends at 16.
 * The second has 4 us left by then, alone again: 20. One that waits for pages half of the time asks for half, and takes
 * twice as long. */
static void fluid_in_time(void)
{
    struct world w;
    struct gsim_demand demands[2];
    open_world(&w, "fluid");
    for (int k = 0; k < 2; k++) describe(&w, 1, 10, &demands[k]);
    CHECK(gsim_gpu_submit(w.gpu, 0, &demands[0], 0, (void *)0) != NULL);
    CHECK(gsim_gpu_submit(w.gpu, gsim_time_from_us(4), &demands[1], 0, (void *)1) != NULL);
    run(&w);
    CHECK_NEAR(w.end_us[0], 16, 0.01);
    CHECK_NEAR(w.end_us[1], 20, 0.01);
    open_world(&w, "fluid");
    struct gsim_kernel_run *slow = gsim_gpu_submit(w.gpu, 0, &demands[0], 0, (void *)0);
    gsim_gpu_set_pace(w.gpu, 0, slow, 0.5);
    run(&w);
    CHECK_NEAR(w.end_us[0], 20, 0.01);
}

/* Measured on another GPU, of more shared memory than this one has: that it took 7 us is all there is to know. */
static void unknown_gpu(void)
{
    struct gsim_demand work;
    const struct gsim_kernel k = {.name = "k",
                                  .grid = {100, 1, 1},
                                  .block = {256, 1, 1},
                                  .smem_bytes = 1u << 20,
                                  .solo_us = 7,
                                  .solo_device = "nobody knows"};
    for (uint32_t m = 0; gsim_model_name(m); m++) {
        struct world w;
        open_world(&w, gsim_model_name(m));
        bool is_recorded = strcmp(gsim_model_name(m), "recorded") == 0;
        CHECK_INT(gsim_demand_init(&work, &w.device, &k, &w.error), is_recorded ? GSIM_OK : GSIM_INPUT);
        CHECK(!is_recorded || fabs(work.solo_ps - 7e6) < 1);
        gsim_arena_release(&w.arena);
    }
    CHECK(gsim_model_find("fluids") == GSIM_MODEL_NONE && gsim_model_find("blocks") == 0);
}

static const struct test_case cases[] = {
    {"alone", alone},
    {"side by side", side_by_side},
    {"fluids in time", fluid_in_time},
    {"an unknown GPU", unknown_gpu},
};
TEST_MAIN("sim/sm/models/models", cases)
