/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The registered sources, run by every scheduler that takes one, checked as any program's run is; and sources from
 * shared objects in GPUSIM_PLUGIN_DIR: a good one runs, others are refused with a message.
 */
#include "gpusim/simulate.h"
#include "gpusim/source.h"
#include "sim/program/verify.h"
#include "tests/test.h"

static struct gsim_device_spec device;

/* How many kernels it drew. */
static size_t run(const struct gsim_source_ops *source, const struct gsim_scheduler_ops *scheduler,
                  enum gsim_memory_mode memory, bool prefetch, uint64_t seed, gsim_time *end)
{
    struct gsim_error error = {0};
    struct gsim_program drawn = {0};
    struct gsim_timeline timeline;
    struct gsim_simulation simulation = {.source = source,
                                         .drawn = &drawn,
                                         .program = &drawn,
                                         .device = &device,
                                         .scheduler = scheduler,
                                         .memory = memory,
                                         .prefetch = prefetch,
                                         .seed = seed,
                                         .detailed = true};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    simulation.gpu.check = true;
    enum gsim_status status = gsim_simulate(&simulation, &timeline, &error);
    if (status == GSIM_OK) status = gsim_program_check(&drawn, &error);
    if (status == GSIM_OK) status = gsim_verify_timeline(&timeline, &drawn, 1, false, &error);
    CHECK_MSG(status == GSIM_OK, "%s with %s, memory %d, prefetch %d: %s", source->name, scheduler->name, (int)memory,
              prefetch, error.message);
    size_t count = timeline.kernel_count;
    if (end) *end = timeline.iteration_count ? timeline.iterations[0].end : 0;
    gsim_timeline_release(&timeline);
    gsim_program_release(&drawn);
    return count;
}

static void registered(void)
{
    uint32_t takers = 0;
    for (uint32_t i = 0; gsim_source_at(i); i++) {
        const struct gsim_source_ops *source = gsim_source_at(i);
        gsim_time first = 0, again = 0;
        takers = 0;
        CHECK(gsim_source_find(source->name) == source && source->summary && source->help && source->params);
        for (uint32_t s = 0; gsim_scheduler_at(s); s++) {
            if (!gsim_scheduler_at(s)->takes_source) continue;
            takers++;
            for (int mode = 0; mode < 6; mode++) {
                run(source, gsim_scheduler_at(s), (enum gsim_memory_mode)(mode / 2), mode % 2, 1, &first);
                run(source, gsim_scheduler_at(s), (enum gsim_memory_mode)(mode / 2), mode % 2, 1, &again);
                CHECK_MSG(first == again, "%s with %s: another run differs", source->name, gsim_scheduler_at(s)->name);
            }
        }
    }
    CHECK_MSG(takers >= 3, "only %u schedulers take a source", takers);
    CHECK(gsim_source_find("nothing") == NULL);
}

/* What is drawn follows from the seed; 6 chances of 0.3 a request are not all alike. */
static void seeds(void)
{
    const struct gsim_source_ops *source = gsim_source_find("early-exit");
    size_t counts[4];
    bool differ = false;
    for (uint64_t seed = 0; seed < 4; seed++) {
        counts[seed] = run(source, gsim_scheduler_find("async"), GSIM_MEMORY_PINNED, false, seed, NULL);
        differ |= counts[seed] != counts[0];
        CHECK_MSG(counts[seed] >= 20 * 5 && counts[seed] <= 20 * 30, "%zu kernels", counts[seed]);
    }
    CHECK(differ);
}

/* Whatever N, a random graph of degree 16 is searched in a few levels, of which one or two go bottom-up. */
static void levels(void)
{
    size_t kernels =
        run(gsim_source_find("frontier"), gsim_scheduler_find("serial"), GSIM_MEMORY_PINNED, false, 1, NULL);
    CHECK_MSG(kernels % 2 == 0 && kernels >= 10 && kernels <= 20, "%zu kernels", kernels);
}

static void shared_objects(void)
{
    static const struct {
        const char *file, *says;
    } wrong[] = {{"oldsource.so", "gsim_source.abi: expected"},
                 {"nosteps.so", "gsim_source.open: expected a function, found NULL"},
                 {"depthfirst.so", "expected a symbol \"gsim_source\", found none"},
                 {"nowhere.so", "cannot load source"}};
    const struct gsim_source_ops *ops = NULL;
    struct gsim_error error = {0};
    CHECK_OK(gsim_source_load(GPUSIM_PLUGIN_DIR "/countdown.so", &ops, &error), error);
    for (uint32_t s = 0; ops && gsim_scheduler_at(s); s++)
        if (gsim_scheduler_at(s)->takes_source)
            CHECK_INT(run(ops, gsim_scheduler_at(s), GSIM_MEMORY_PINNED, false, 1, NULL), 5);
    CHECK(gsim_source_find("countdown") == NULL); /* loading does not register */
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char path[512];
        error = (struct gsim_error){0};
        snprintf(path, sizeof path, "%s/%s", GPUSIM_PLUGIN_DIR, wrong[i].file);
        CHECK_INT(gsim_source_load(path, &ops, &error), GSIM_INPUT);
        CHECK_HAS(error.message, wrong[i].says);
    }
    error = (struct gsim_error){0};
    CHECK_INT(gsim_source_load("countdown.so", &ops, &error), GSIM_USAGE);
    CHECK_HAS(error.message, "by a path with a slash: './countdown.so'");
}

/* Each stream's value is read every so often, and at the end: 2 times 3 behind 100 kernels each, and once behind the
 * last 50. */
static void reads_of_streams(void)
{
    const struct gsim_source_ops *source = gsim_source_find("kernel-stream");
    struct gsim_error error = {0};
    struct gsim_program drawn = {0};
    struct gsim_timeline timeline;
    void *params = gsim_alloc(source->params_size);
    gsim_params_set_defaults(source->params, params);
    CHECK_OK(gsim_params_set(source->params, params, "count", "250", &error), error);
    CHECK_OK(gsim_params_set(source->params, params, "streams", "3", &error), error);
    struct gsim_simulation simulation = {.source = source,
                                         .source_params = params,
                                         .drawn = &drawn,
                                         .program = &drawn,
                                         .device = &device,
                                         .scheduler = gsim_scheduler_find("async"),
                                         .memory = GSIM_MEMORY_PINNED};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    CHECK_OK(gsim_simulate(&simulation, &timeline, &error), error);
    uint32_t reads[3] = {0};
    for (uint32_t i = 0; i < drawn.op_count; i++)
        if (drawn.ops[i].kind == GSIM_OP_HOST_READ) reads[drawn.ops[i].args[0].buffer_index]++;
    CHECK_INT(drawn.op_count, 250 + 9);
    for (uint32_t i = 0; i < 3; i++) CHECK_INT(reads[i], 3);
    gsim_timeline_release(&timeline);
    gsim_program_release(&drawn);
    gsim_free(params);
}

/* Managed memory before Pascal: no page faults, and no prefetches. */
static void before_pascal(void)
{
    struct gsim_error error = {0};
    gsim_device_release(&device);
    CHECK_OK(gsim_device_load("gtx960", &device, &error), error);
    for (uint32_t i = 0; gsim_source_at(i); i++)
        for (uint32_t s = 0; gsim_scheduler_at(s); s++)
            if (gsim_scheduler_at(s)->takes_source)
                CHECK(run(gsim_source_at(i), gsim_scheduler_at(s), GSIM_MEMORY_MANAGED, true, 1, NULL) > 0);
}

static void begin(void)
{
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("h200", &device, &error), error);
}

static void end(void) { gsim_device_release(&device); }

static const struct test_case cases[] = {
    {"begin", begin},
    {"registered sources under all schedulers that take them", registered},
    {"seeds", seeds},
    {"levels", levels},
    {"sources from shared objects", shared_objects},
    {"reads of streams", reads_of_streams},
    {"before Pascal", before_pascal},
    {"end", end},
};
TEST_MAIN("workloads/sources/registry", cases)
