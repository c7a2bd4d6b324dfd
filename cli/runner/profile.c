/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gpusim-runner profile: what a schema gpusim-kernels/1 holds of each kernel of a workload. Pipes, clusters and cold
 * times by ncu, which runs this program once more; imbalance from when blocks ran; with --energy the energy of a
 * launch.
 */
#include "cli/runner/profile.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/runner/main.h"
#include "cli/runner/record_plan.h"
#include "gpusim/scheduler.h"
#include "sim/base/jobs/clock.h"
#include "traces/runner/memory.h"
#include "traces/runner/resident/programs.h"

#define ENERGY_S       1.0 /* of launches of one kernel; the counter moves every 20 to 100 ms */
#define WARM_S         0.2 /* before that, for clocks and power */
#define LAUNCHES_AHEAD 64  /* between two looks at the clock */
#define MAX_WORDS      40

struct profile {
    struct gsim_cli_arguments arguments;
    struct gsim_cli_setup setup;
    struct gsim_cli_point point;
    struct gsim_runner_gpu gpu;
    struct gsim_runner_memory memory;
    const struct gsim_bench_ops *ops;
    struct gsim_runner_bench *bench;
    struct gsim_profiles found;  /* by ncu */
    struct gsim_kernel *kernels; /* what becomes known, by the program's index */
    const char *path;
    bool wants_ncu, wants_energy;
    char *words[MAX_WORDS + 8]; /* for ncu: what this was called with */
};

/* --- ncu ---------------------------------------------------------------------------------------------------------- */
/* This program, running the workload once: gpusim-runner WORDS --sched serial. */
static enum gsim_status keep_words(struct profile *p, const struct gsim_runner_words *words, char self[4096],
                                   struct gsim_error *error)
{
    static const char *const fixed[] = {"--sched",  "serial", "--iterations", "1",   "--warmup", "0",
                                        "--tracer", "off",    "--check",      "off", NULL};
    ssize_t length = readlink("/proc/self/exe", self, 4095);
    int used = 0;
    if (length <= 0) return gsim_error_set(error, GSIM_IO, "cannot find this program's own file");
    self[length] = '\0';
    if (words->count > MAX_WORDS - 10) return gsim_refuse(error, "expected fewer words");
    p->words[used++] = self;
    for (int i = 0; i < words->count; i++) p->words[used++] = words->items[i];
    for (int i = 0; fixed[i]; i++) p->words[used++] = (char *)fixed[i];
    return GSIM_OK;
}

static void ask_ncu(struct profile *p)
{
    struct gsim_error error = {0};
    uint32_t launches = 0;
    for (uint32_t i = 0; i < p->point.program.op_count; i++) launches += p->point.program.ops[i].kind == GSIM_OP_KERNEL;
    if (!p->wants_ncu || !launches) return;
    if (gsim_ncu_run(p->words, launches, &p->found, &error) != GSIM_OK)
        fprintf(stderr, "gpusim-runner: note: no pipes, clusters and cold times: %s\n", error.message);
}

/* --- the GPU ------------------------------------------------------------------------------------------------------ */
/* The serial run, one kernel at a time, by the blocks of its last iteration. */
static enum gsim_status stamp(struct profile *p, struct gsim_error *error)
{
    struct gsim_timeline timeline = {0};
    struct gsim_stamps_sum *sums =
        GSIM_ARENA_ARRAY(&p->point.arena, struct gsim_stamps_sum, p->point.program.op_count + 1u);
    struct gsim_runner_job job = {.simulation = &p->point.simulation,
                                  .memory = &p->memory,
                                  .bench_ops = p->ops,
                                  .bench = p->bench,
                                  .iterations = 2,
                                  .stamped = true,
                                  .see_block = gsim_stamps_see,
                                  .block_context = sums};
    enum gsim_status status = gsim_runner_run(&job, &timeline, error);
    if (status == GSIM_OK) gsim_stamps_imbalance(&p->point.program, sums, p->kernels);
    gsim_timeline_release(&timeline);
    return status;
}

/* Launches of OP, one after the other, for as long; OP NULL: the GPU idles with its context. How many in how long. */
static cudaError_t launch_for(struct profile *p, const struct gsim_op *op, double seconds, uint64_t *launches,
                              double *took_s)
{
    const double from = gsim_clock_now_s();
    struct gsim_runner_launch launch;
    cudaError_t result = cudaSuccess;
    *launches = 0;
    if (op) p->ops->launch(p->bench, op, p->memory.device, &launch);
    do {
        if (!op) nanosleep(&(const struct timespec){.tv_nsec = 1000000}, NULL);
        for (int i = 0; op && i < LAUNCHES_AHEAD && result == cudaSuccess; i++, ++*launches)
            result = cudaLaunchKernel(launch.function, (dim3){launch.grid[0], launch.grid[1], launch.grid[2]},
                                      (dim3){launch.block[0], launch.block[1], launch.block[2]}, launch.args,
                                      launch.smem_bytes, NULL);
        if (op && result == cudaSuccess) result = cudaDeviceSynchronize();
        *took_s = gsim_clock_now_s() - from;
    } while (result == cudaSuccess && *took_s < seconds);
    return result;
}

/* The power drawn, in watts. */
static enum gsim_status measure(struct profile *p, struct gsim_energy_meter *meter, const struct gsim_op *op,
                                double *watts, double *launch_s, struct gsim_error *error)
{
    uint64_t launches;
    double took_s, before = 0, after = 0;
    cudaError_t result = launch_for(p, op, WARM_S, &launches, &took_s);
    enum gsim_status status = gsim_energy_read(meter, &before, error);
    if (status == GSIM_OK && result == cudaSuccess) result = launch_for(p, op, ENERGY_S, &launches, &took_s);
    if (status == GSIM_OK) status = gsim_energy_read(meter, &after, error);
    if (result != cudaSuccess) return gsim_error_set(error, GSIM_SIM, "energy: %s", cudaGetErrorString(result));
    *watts = (after - before) * 1e-3 / took_s;
    *launch_s = launches ? took_s / (double)launches : 0;
    return status;
}

/* Each kernel at its first op; its data are there since the serial run. */
static enum gsim_status count_energy(struct profile *p, struct gsim_error *error)
{
    struct gsim_energy_meter *meter = NULL;
    const struct gsim_program *program = &p->point.program;
    char bus[32];
    double idle_w = 0, watts, launch_s;
    if (cudaDeviceGetPCIBusId(bus, sizeof bus, 0) != cudaSuccess)
        return gsim_error_set(error, GSIM_SIM, "energy: the GPU has no PCI address");
    enum gsim_status status = gsim_energy_open(&meter, bus, error);
    if (status == GSIM_OK) status = measure(p, meter, NULL, &idle_w, &launch_s, error);
    for (uint32_t i = 0; i < program->op_count && status == GSIM_OK; i++) {
        const struct gsim_op *op = &program->ops[i];
        if (op->kind != GSIM_OP_KERNEL || p->kernels[op->kernel_index].energy_mj > 0) continue;
        status = measure(p, meter, op, &watts, &launch_s, error);
        if (status == GSIM_OK && watts > idle_w)
            p->kernels[op->kernel_index].energy_mj = (watts - idle_w) * launch_s * 1e3;
    }
    if (status == GSIM_OK) fprintf(stderr, "gpusim-runner: the idle GPU draws %.1f W\n", idle_w);
    gsim_energy_close(meter);
    return status;
}

/* --- the command -------------------------------------------------------------------------------------------------- */
/* The resources that the kernels were launched with, then what ncu found of them. */
static void describe(struct profile *p)
{
    const struct gsim_program *program = &p->point.program;
    for (uint32_t i = program->op_count; i-- > 0;) {
        const struct gsim_op *op = &program->ops[i];
        if (op->kind != GSIM_OP_KERNEL) continue;
        const struct gsim_kernel *from = &program->kernels[op->kernel_index];
        struct gsim_kernel *kernel = &p->kernels[op->kernel_index];
        int registers = 0, smem_bytes = 0;
        gsim_runner_kernel_resources(p->ops, p->bench, op, p->memory.device, &registers, &smem_bytes);
        *kernel = (struct gsim_kernel){.name = from->name,
                                       .grid = from->grid,
                                       .block = from->block,
                                       .regs_per_thread = (uint32_t)registers,
                                       .smem_bytes = (uint32_t)smem_bytes};
    }
    for (uint32_t i = 0; i < program->kernel_count; i++)
        if (p->kernels[i].name) gsim_profiles_copy(&p->found, &p->kernels[i]);
}

static enum gsim_status write_file(struct profile *p, struct gsim_error *error)
{
    struct gsim_profiles known = {0};
    struct gsim_output output = {0};
    for (uint32_t i = 0; i < p->point.program.kernel_count; i++) {
        if (!p->kernels[i].name) continue;
        *gsim_profiles_add(&known) = p->kernels[i];
    }
    enum gsim_status status = gsim_output_open(&output, p->path, error);
    if (status == GSIM_OK) {
        gsim_profiles_write(&known, &output);
        status = gsim_output_commit(&output, error);
    }
    if (status == GSIM_OK)
        fprintf(stderr, "gpusim-runner: %u kernels, %u of them by ncu, into '%s'\n", known.count,
                (unsigned)p->found.matched, p->path);
    gsim_output_release(&output);
    gsim_profiles_release(&known);
    return status;
}

enum gsim_status gsim_runner_profile(struct gsim_runner_words *words, struct gsim_error *error)
{
    struct profile p = {0};
    char self[4096];
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->items[i], "--help") == 0 || strcmp(words->items[i], "-h") == 0)
            return gsim_runner_help("profile", stdout) ? GSIM_OK : GSIM_IO;
    p.path = gsim_runner_own_value(words, "output", NULL);
    p.wants_ncu = gsim_runner_own_switch(words, "ncu", true, error);
    p.wants_energy = gsim_runner_own_switch(words, "energy", false, error);
    enum gsim_status status = error->status ? error->status : keep_words(&p, words, self, error);
    if (status == GSIM_OK) {
        const struct gsim_scheduler_ops *scheduler = gsim_scheduler_find("serial");
        status = gsim_runner_parse(&p.arguments, words, error);
        const char *workload = p.arguments.value[GSIM_CLI_WORKLOAD];
        if (status == GSIM_OK && (!workload || !p.path || !*p.path))
            status =
                gsim_refuse(error, "profile: expected --workload NAME and -o FILE (see gpusim-runner profile --help)");
        if (status == GSIM_OK) status = gsim_runner_gpu_find(&p.gpu, error);
        if (status == GSIM_OK) status = gsim_runner_setup(&p.setup, &p.arguments, &p.gpu, error);
        if (status == GSIM_OK) status = gsim_cli_point_init(&p.point, &p.setup, workload, scheduler, error);
        if (status == GSIM_OK) p.ops = gsim_bench_find(workload) ? gsim_bench_find(workload) : &gsim_bench_programs;
        if (status == GSIM_OK)
            p.kernels = GSIM_ARENA_ARRAY(&p.point.arena, struct gsim_kernel, p.point.program.kernel_count + 1u);
    }
    if (status == GSIM_OK) ask_ncu(&p);
    if (status == GSIM_OK)
        status = p.ops->create(&p.point.program, &p.point.workload, p.point.simulation.seed, &p.bench, error);
    if (status == GSIM_OK)
        status = gsim_runner_memory_bind(&p.memory, &p.point.program, p.point.simulation.memory, p.ops, p.bench, error);
    if (status == GSIM_OK) describe(&p);
    if (status == GSIM_OK) status = stamp(&p, error);
    if (status == GSIM_OK && p.wants_energy) status = count_energy(&p, error);
    if (status == GSIM_OK) status = write_file(&p, error);
    gsim_runner_memory_release(&p.memory);
    if (p.bench) p.ops->destroy(p.bench);
    gsim_profiles_release(&p.found);
    gsim_cli_point_release(&p.point);
    gsim_cli_setup_release(&p.setup);
    gsim_free(p.arguments.opts);
    return status;
}
