/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs of users: random DAGs written as program files, read back and run under every scheduler on
 * several devices; and the promise that a kernel alone takes its solo_us.
 */
#include <gsl/gsl_rng.h>

#include "tests/contract/contract.h"
#include "tests/test.h"

enum { PROGRAMS = 6 };

static uint32_t pick(gsl_rng *rng, uint32_t count) { return (uint32_t)gsl_rng_uniform_int(rng, count); }

static bool make_program(unsigned long seed, uint32_t gpus, struct gsim_program *program)
{
    return contract_draw(&(struct contract_shape){.seed = seed, .gpus = gpus}, program);
}

static void check_program(const struct gsim_program *program, const struct gsim_device_spec *device, unsigned long seed)
{
    double *least_us = contract_least_us(program, device);
    const struct gsim_scheduler_ops *scheduler;
    for (uint32_t i = 0; least_us && (scheduler = gsim_scheduler_at(i)); i++)
        for (int memory = GSIM_MEMORY_MANAGED; memory <= GSIM_MEMORY_PAGEABLE; memory++) {
            char label[160];
            snprintf(label, sizeof(label), "random %lu/%s/%s/memory %d", seed, scheduler->name, device->name, memory);
            contract_check(&(struct contract){.label = label,
                                              .program = program,
                                              .device = device,
                                              .scheduler = scheduler,
                                              .memory = (enum gsim_memory_mode)memory,
                                              .prefetch = seed % 2,
                                              .iterations = 2,
                                              .least_us = least_us,
                                              .by_streams = strcmp(scheduler->name, "async") == 0});
        }
    gsim_free(least_us);
}

static void random_dags(void)
{
    static const char *const devices[] = {GSIM_DEVICE_DEFAULT, "h200", "gtx960"};
    for (size_t d = 0; d < sizeof(devices) / sizeof(devices[0]); d++) {
        struct gsim_error error = {0};
        struct gsim_device_spec device = {0};
        CHECK_OK(gsim_device_load(devices[d], &device, &error), error);
        for (unsigned long seed = 1; error.status == GSIM_OK && seed <= (test_is_full() ? PROGRAMS : PROGRAMS / 6);
             seed++) {
            struct gsim_program program = {0};
            if (make_program(1000 * d + seed, 1, &program)) check_program(&program, &device, 1000 * d + seed);
            gsim_program_release(&program);
        }
        gsim_device_release(&device);
    }
}

/* Schedulers that know several GPUs, on two; those that take a source, from one: both on both. */
static void check_drawn(const struct gsim_program *program, const struct gsim_device_spec *device, uint32_t gpus,
                        unsigned long seed)
{
    double *least_us = contract_least_us(program, device);
    const struct gsim_scheduler_ops *scheduler;
    for (uint32_t i = 0; least_us && (scheduler = gsim_scheduler_at(i)); i++)
        for (int memory = gpus > 1 ? GSIM_MEMORY_PINNED : GSIM_MEMORY_MANAGED; memory <= GSIM_MEMORY_PAGEABLE; memory++)
            for (int drawn = gpus > 1 ? 0 : 1; drawn < 2; drawn++) {
                char label[160];
                if ((drawn && !scheduler->takes_source) || (gpus > 1 && !scheduler->uses_devices)) continue;
                snprintf(label, sizeof(label), "random %lu/%s/%s/memory %d/%u GPUs%s", seed, scheduler->name,
                         device->name, memory, gpus, drawn ? "/drawn" : "");
                contract_check(&(struct contract){.label = label,
                                                  .program = program,
                                                  .device = device,
                                                  .scheduler = scheduler,
                                                  .memory = (enum gsim_memory_mode)memory,
                                                  .prefetch = seed % 2,
                                                  .iterations = 1,
                                                  .least_us = least_us,
                                                  .gpu_count = gpus,
                                                  .as_source = drawn,
                                                  .by_streams = gpus == 1 && strcmp(scheduler->name, "async") == 0});
            }
    gsim_free(least_us);
}

static void drawn_programs(void)
{
    for (uint32_t gpus = 1; gpus <= 2; gpus++) {
        struct gsim_error error = {0};
        struct gsim_device_spec device = {0};
        CHECK_OK(gsim_device_load("h200", &device, &error), error);
        for (unsigned long seed = 1; error.status == GSIM_OK && seed <= (test_is_full() ? PROGRAMS : PROGRAMS / 6);
             seed++) {
            struct gsim_program program = {0};
            if (make_program(5000 * gpus + seed, gpus, &program))
                check_drawn(&program, &device, gpus, 5000 * gpus + seed);
            gsim_program_release(&program);
        }
        gsim_device_release(&device);
    }
}

/* solo_us within 0.1 %, for shapes from one block to many waves, and for any demands beside it. */
static void solo_times(void)
{
    static const char *const devices[] = {"a100-sxm4-40gb", "a100-pcie-40gb", "h200",  "v100",
                                          "p100", "v100-sxm2-16gb",           "gtx1660s",       "gtx960"};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (size_t d = 0; d < sizeof(devices) / sizeof(devices[0]); d++) {
        struct gsim_error error = {0};
        struct gsim_device_spec device = {0};
        struct gsim_program program = {0};
        CHECK_OK(gsim_device_load(devices[d], &device, &error), error);
        struct gsim_builder *builder = gsim_builder_create("solo");
        for (uint32_t i = 0; i < 60; i++) {
            uint32_t blocks = i % 3 ? 1 + pick(rng, 400) : 1 + pick(rng, 40000);
            /* Long enough for every block to occupy its slot and be placed: 0.25 us and 1 ns each. */
            double solo_us = 2.0 + 0.02 * blocks + 300.0 * gsl_rng_uniform(rng);
            struct gsim_kernel kernel = {.name = "k",
                                         .grid = {blocks, 1, 1},
                                         .block = {32 * (1 + pick(rng, 32)), 1, 1},
                                         .regs_per_thread = 16 + 8 * pick(rng, 6),
                                         .smem_bytes = 1024 * pick(rng, 40),
                                         .flops = pick(rng, 2) ? 1e5 * blocks : 0,
                                         .dram_bytes = pick(rng, 2) ? 2e3 * blocks : 0,
                                         .solo_us = solo_us};
            uint32_t index = gsim_builder_kernel(builder, &kernel);
            gsim_builder_op(builder, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = index, .stream = 0});
        }
        CHECK_OK(gsim_builder_finish(builder, 1, &program, &error), error);
        double *took_us = contract_solo_us(&program, &device);
        for (uint32_t i = 0; took_us && i < program.kernel_count; i++) {
            const struct gsim_kernel *k = &program.kernels[i];
            CHECK_MSG(fabs(took_us[i] - k->solo_us) <= 1e-3 * k->solo_us,
                      "%s: %" PRIu32 " blocks of %" PRIu32 " threads took %.6g us alone, solo_us is %.6g", device.name,
                      k->grid.x, k->block.x, took_us[i], k->solo_us);
        }
        gsim_free(took_us);
        gsim_program_release(&program);
        gsim_device_release(&device);
    }
    gsl_rng_free(rng);
}

static const struct test_case cases[] = {
    {"random DAG files under every scheduler", random_dags},
    {"random DAGs drawn while they run, on one GPU and two", drawn_programs},
    {"a kernel alone takes its solo_us", solo_times},
};
TEST_MAIN("contract/programs", cases)
