/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One event for each block, or cohorts and steady waves: random programs of all kinds take the same time within 0.1 %,
 * on one GPU and several, as ranks and as tasks, under every scheduler, placement and way of sharing, with any
 * tolerance. 60 programs; 5,000 with GPUSIM_FULL. GPUSIM_FIRST: the first seed, to look at one that differs.
 */
#include <gsl/gsl_rng.h>

#include "gpusim/placement.h"
#include "gpusim/scenario.h"
#include "tests/contract/contract.h"
#include "tests/test.h"

enum kind { ONE, SEVERAL, RANKS, TASKS, KINDS };
static const char *const kinds[] = {"one GPU", "several GPUs", "ranks", "tasks"};
static const char *const devices[] = {"a100-sxm4-40gb", "h200", "gtx960", "v100", "p100", "b200", "mi300x", "gh200"};
static const double tolerances[] = {4e-3, 0, 1e-4, 1e-3, 0.02};
enum { DEVICES = sizeof devices / sizeof devices[0], MAX_CLIENTS = 4, MOVES = 30 };

static uint32_t pick(gsl_rng *rng, uint32_t count) { return (uint32_t)gsl_rng_uniform_int(rng, count); }

/* What is drawn from one seed. */
struct drawn {
    enum kind kind;
    struct gsim_program programs[MAX_CLIENTS];
    struct gsim_client clients[MAX_CLIENTS];
    struct gsim_task tasks[MAX_CLIENTS];
    struct gsim_ranks links;
    uint32_t count;
    struct gsim_simulation simulation;
    char label[200];
};

#define PICK_OF(at, rng, item)                                                                                         \
    do {                                                                                                               \
        uint32_t count_ = 0;                                                                                           \
        while (at(count_)) count_++;                                                                                   \
        (item) = at(pick(rng, count_));                                                                                \
    } while (0)

static bool draw_programs(struct drawn *d, unsigned long seed, gsl_rng *rng, uint32_t gpus)
{
    bool is_ok = true;
    d->count = d->kind < RANKS ? 1 : 2 + pick(rng, MAX_CLIENTS - 1);
    for (uint32_t i = 0; i < d->count; i++) {
        struct contract_shape shape = {seed, gpus, seed % 3 == 0, d->kind == RANKS, i};
        is_ok &= contract_draw(&shape, &d->programs[i]);
        d->tasks[i] = (struct gsim_task){.name = "t",
                                         .program = &d->programs[i],
                                         .scheduler = d->simulation.scheduler,
                                         .priority = (int)pick(rng, 3),
                                         .process = pick(rng, 2) ? GSIM_OWN_PROCESS : 0,
                                         .requests = 1 + pick(rng, 2),
                                         .start_us = pick(rng, 200)};
        d->clients[i] = (struct gsim_client){.program = &d->programs[i],
                                             .scheduler = d->simulation.scheduler,
                                             .rank = i,
                                             .device = i,
                                             .copies = 1,
                                             .task = d->kind == TASKS ? &d->tasks[i] : NULL};
    }
    return is_ok;
}

static bool draw(struct drawn *d, unsigned long seed, const struct gsim_device_spec *all)
{
    struct gsim_simulation *s = &d->simulation;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, seed);
    d->kind = (enum kind)(seed % KINDS);
    *s = (struct gsim_simulation){.device = &all[pick(rng, DEVICES)], .seed = 1, .iterations = 2};
    gsim_params_set_defaults(gsim_gpu_params, &s->gpu);
    s->gpu.tolerance = tolerances[pick(rng, 2) ? 0 : 1 + pick(rng, 4)];
    PICK_OF(gsim_scheduler_at, rng, s->scheduler);
    s->memory = (enum gsim_memory_mode)(d->kind == ONE ? pick(rng, 3) : GSIM_MEMORY_PINNED + pick(rng, 2));
    s->prefetch = pick(rng, 2);
    bool is_placed = d->kind == SEVERAL && (pick(rng, 2) || !s->scheduler->uses_devices);
    uint32_t gpus = d->kind == SEVERAL ? 2 + pick(rng, 3) : 1;
    if (is_placed) PICK_OF(gsim_placement_at, rng, s->placement);
    s->gpu_count = d->kind == SEVERAL ? gpus : 0;
    if (d->kind == TASKS) PICK_OF(gsim_sharing_at, rng, s->sharing);
    bool is_ok = draw_programs(d, seed, rng, is_placed ? 1 : gpus);
    s->program = &d->programs[0];
    snprintf(d->label, sizeof d->label, "seed %lu: %s, %s, %s%s%s%s%s, memory %d, tolerance %g, %u GPUs, %u clients",
             seed, kinds[d->kind], s->device->name, d->tasks[0].scheduler->name, s->placement ? ", placed by " : "",
             s->placement ? s->placement->name : "", s->sharing ? ", shared by " : "",
             s->sharing ? s->sharing->name : "", (int)s->memory, s->gpu.tolerance, gpus, d->count);
    gsl_rng_free(rng);
    return is_ok;
}

static enum gsim_status simulate(const struct drawn *d, bool exact, double *end_us, struct gsim_error *error)
{
    struct gsim_scenario scenario = {.simulation = d->simulation, .is_checked = true};
    struct gsim_timeline t = {0};
    enum gsim_status status = GSIM_OK;
    gsim_time end = 0;
    scenario.simulation.gpu.exact = exact;
    if (d->kind >= RANKS) status = gsim_scenario_join(&scenario, d->clients, d->count, &d->links, 2, error);
    if (!status) status = gsim_run(&scenario, &t, error);
    for (size_t i = 0; i < t.kernel_count; i++) end = t.kernels[i].end > end ? t.kernels[i].end : end;
    *end_us = gsim_time_us(end);
    gsim_timeline_release(&t);
    gsim_scenario_release(&scenario);
    return status;
}

/* Each kernel's time alone, moved by up to 0.1 %. */
static void scale(struct drawn *d, gsl_rng *rng, const double *solo_us)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t k = 0; k < d->programs[i].kernel_count; k++)
            d->programs[i].kernels[k].solo_us = solo_us[n++] * (1 + 1e-3 * (2 * gsl_rng_uniform(rng) - 1));
}

/* Some ends hang on which of two events came first: a host thread takes a lock, a scheduler looks at what has ended,
 * blocks take the place that is free. An end that moves when kernels move by 0.1 % has no last digits: whether the
 * pooled one is within those of exact runs that were moved so, or no further from them than they are apart. */
static bool is_within(struct drawn *d, double pooled)
{
    double solo_us[MAX_CLIENTS * 64], least = INFINITY, most = 0, end_us;
    uint32_t n = 0;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    struct gsim_error error = {0};
    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t k = 0; k < d->programs[i].kernel_count && n < sizeof solo_us / sizeof solo_us[0]; k++)
            solo_us[n++] = d->programs[i].kernels[k].solo_us;
    for (uint32_t r = 0; r < MOVES; r++) {
        scale(d, rng, solo_us);
        if (simulate(d, true, &end_us, &error)) continue;
        least = fmin(least, end_us);
        most = fmax(most, end_us);
    }
    gsl_rng_free(rng);
    printf("%s: %.3f us pooled, %.3f to %.3f us exact\n", d->label, pooled, least, most);
    return pooled >= least * 0.999 - (most - least) && pooled <= most * 1.001 + (most - least);
}

/* Whether it ran: some schedulers refuse tasks, several GPUs or what has no profile; then both do. */
static bool compare(unsigned long seed, const struct gsim_device_spec *all)
{
    static struct drawn d;
    double exact = 0, pooled = 0;
    struct gsim_error error = {0}, other = {0};
    enum gsim_status status = GSIM_INPUT;
    memset(&d, 0, sizeof d);
    if (draw(&d, seed, all)) {
        status = simulate(&d, true, &exact, &error);
        CHECK_MSG(simulate(&d, false, &pooled, &other) == status, "%s: %s | %s", d.label, error.message,
                  other.message);
        CHECK_MSG(status != GSIM_SIM || strstr(error.message, "deadlock") || strstr(error.message, "is not simulated"),
                  "%s: %s", d.label, error.message);
        CHECK_MSG(status || fabs(pooled / exact - 1) <= 0.001 || is_within(&d, pooled),
                  "%s: %.3f us pooled, %.3f us exact", d.label, pooled, exact);
    }
    for (uint32_t i = 0; i < d.count; i++) gsim_program_release(&d.programs[i]);
    return status == GSIM_OK;
}

static void pooled_and_exact(void)
{
    struct gsim_device_spec all[DEVICES] = {0};
    struct gsim_error error = {0};
    const char *from = getenv("GPUSIM_FIRST");
    unsigned long first = from ? strtoul(from, NULL, 10) : 1, seed = first, ran = 0, count = test_is_full() ? 5000 : 60;
    for (uint32_t i = 0; i < DEVICES; i++) CHECK_OK(gsim_device_load(devices[i], &all[i], &error), error);
    for (; ran < count && seed < first + 2 * count; seed++) ran += compare(seed, all);
    CHECK(compare(7902, all)); /* blocks that pass a mark when others end: as an end on its SM, 22 % apart */
    for (uint32_t i = 0; i < DEVICES; i++) gsim_device_release(&all[i]);
    CHECK_MSG(ran == count, "only %lu of %lu programs ran", ran, seed - first);
    printf("%lu of %lu programs ran\n", ran, seed - first);
}

static const struct test_case cases[] = {{"random programs pooled and exact", pooled_and_exact}};
TEST_MAIN("contract/pooled", cases)
