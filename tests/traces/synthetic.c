/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See synthetic.h. Kernels take alone what the simulator says of them on the device; runs are then made of those
 * times, as a prediction makes them, and the second iteration is written down.
 */
#include "tests/traces/synthetic.h"

#include <stdlib.h>
#include <string.h>

#include "sim/sm/demand.h"
#include "sim/base/output.h"
#include "trust/validate/predict.h"

#define REPETITIONS 5

static void put_key(const struct gsim_recording_key *key, struct gsim_output *out)
{
    gsim_output_printf(
        out,
        "{\"workload\": \"%s\", \"suite\": \"%s\", \"shape\": \"%s\", \"size\": %.15g, \"block1d\": %u, \"blocks\": %u",
        key->workload, key->suite == GSIM_SUITE_KESCO ? "kesco" : "grcuda",
        key->shape == GSIM_SHAPE_CONCURRENT ? "concurrent" : "serial", key->size, key->block1d, key->blocks);
}

static void put_shape(const char *name, struct gsim_dim3 shape, struct gsim_output *out)
{
    gsim_output_printf(out, ", \"%s\": [%u, %u, %u]", name, shape.x, shape.y, shape.z);
}

/* The profile as text, and in RECORDINGS. */
static enum gsim_status add_profile(const struct synthetic_runs *runs, const struct gsim_recording_key *key,
                                    struct gsim_recordings *recordings, struct gsim_output *out,
                                    struct gsim_error *error)
{
    const struct gsim_workload_options options = {
        .suite = key->suite, .shape = key->shape, .size = key->size, .block1d = key->block1d, .blocks = key->blocks};
    struct gsim_program program = {0};
    struct gsim_profile *profile = &recordings->profiles[recordings->profile_count];
    enum gsim_status status = gsim_workload_find(key->workload)->build(&options, &program, error);
    *profile = (struct gsim_profile){.key = *key};
    profile->ops = GSIM_ARENA_ARRAY(&recordings->arena, struct gsim_profile_op, program.op_count + 1);
    put_key(key, out);
    gsim_output_text(out, ", \"ops\": [");
    for (uint32_t i = 0; i < program.op_count && status == GSIM_OK; i++) {
        const struct gsim_kernel *kernel = &program.kernels[program.ops[i].kernel_index];
        struct gsim_kernel_alone alone;
        if (program.ops[i].kind != GSIM_OP_KERNEL) continue;
        status = gsim_kernel_alone(runs->device, kernel, &alone, error);
        struct gsim_profile_op *op = &profile->ops[profile->op_count++];
        *op = (struct gsim_profile_op){.op = i,
                                       .kernel = "kernel",
                                       .grid = kernel->grid,
                                       .block = kernel->block,
                                       .regs_per_thread = kernel->regs_per_thread,
                                       .smem_bytes = kernel->smem_bytes,
                                       .solo_us = gsim_time_us(alone.time)};
        gsim_output_printf(out, "%s\n  {\"op\": %u, \"kernel\": \"%s\"", profile->op_count > 1 ? "," : "", i,
                           kernel->name);
        put_shape("grid", op->grid, out);
        put_shape("block", op->block, out);
        gsim_output_printf(out, ", \"regs_per_thread\": %u, \"smem_bytes\": %u, \"solo_us\": %.17g}",
                           op->regs_per_thread, op->smem_bytes, op->solo_us);
    }
    gsim_output_text(out, "]}");
    gsim_program_release(&program);
    recordings->profile_count++;
    return status;
}

static void put_traced(const struct gsim_timeline *timeline, const char *scheduler, struct gsim_output *out)
{
    const struct gsim_iteration_record *last = &timeline->iterations[1];
    const char *separator = "";
    gsim_output_printf(out, ", \"traced\": {\"iteration_us\": %.9g, \"ops\": [", gsim_time_us(last->end - last->start));
    for (size_t i = 0; i < timeline->kernel_count; i++) {
        const struct gsim_kernel_record *k = &timeline->kernels[i];
        if (k->iteration != 1) continue;
        gsim_output_printf(out,
                           "%s\n  {\"op\": %u, \"kind\": \"kernel\", \"name\": \"k\", \"stream\": %u, \"launch_us\": "
                           "%.9g, \"start_us\": %.9g, \"end_us\": %.9g}",
                           separator, k->op, k->stream, gsim_time_us(k->launch - last->start),
                           gsim_time_us(k->start - last->start), gsim_time_us(k->end - last->start));
        separator = ",";
    }
    for (size_t i = 0; i < timeline->copy_count; i++) {
        const struct gsim_copy_record *c = &timeline->copies[i];
        if (c->iteration != 1) continue;
        gsim_output_printf(out,
                           "%s\n  {\"op\": %u, \"kind\": \"%s\", \"bytes\": %llu, \"stream\": %u, \"launch_us\": %.9g, "
                           "\"start_us\": %.9g, \"end_us\": %.9g}",
                           separator, c->op, c->kind == GSIM_COPY_H2D ? "h2d" : "d2h", (unsigned long long)c->bytes,
                           c->stream, gsim_time_us(c->launch - last->start), gsim_time_us(c->start - last->start),
                           gsim_time_us(c->end - last->start));
        separator = ",";
    }
    bool is_graph = strcmp(scheduler, "cudagraph") == 0 || strcmp(scheduler, "taskflow") == 0;
    gsim_output_printf(out, "]},\n \"calls\": [{\"call\": \"cudaDeviceSynchronize\", \"count\": 1, \"total_us\": 1}%s]",
                       is_graph ? ", {\"call\": \"cudaGraphLaunch\", \"count\": 1, \"total_us\": 1}" : "");
}

static enum gsim_status add_run(const struct synthetic_runs *runs, const struct gsim_recordings *recordings,
                                const struct gsim_recording *run, struct gsim_output *out, struct gsim_error *error)
{
    struct gsim_program program = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_simulation simulation = {.device = runs->device,
                                         .scheduler = gsim_scheduler_find(run->scheduler),
                                         .memory = run->memory,
                                         .prefetch = run->prefetch,
                                         .iterations = 2,
                                         .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &simulation.gpu);
    enum gsim_status status = gsim_predict_program(recordings, run, &program, error);
    if (status != GSIM_OK) return status;
    simulation.program = &program;
    status = gsim_simulate(&simulation, &timeline, error);
    if (status == GSIM_OK) {
        double us = gsim_time_us(timeline.iterations[1].end - timeline.iterations[1].start);
        put_key(&run->key, out);
        gsim_output_printf(out,
                           ", \"scheduler\": \"%s\", \"memory\": \"pinned\", \"prefetch\": %s, \"split\": \"%s\", "
                           "\"checked\": true, \"iteration_us\": [",
                           run->scheduler, run->prefetch ? "true" : "false",
                           run->split == GSIM_SPLIT_FIT ? "fit" : "test");
        for (int i = 0; i < REPETITIONS; i++)
            gsim_output_printf(out, "%s%.9g", i ? ", " : "",
                               us * (1 + runs->noise_ratio * (i - REPETITIONS / 2) / (REPETITIONS / 2)));
        gsim_output_text(out, "]");
        put_traced(&timeline, run->scheduler, out);
        gsim_output_text(out, "}");
    }
    gsim_timeline_release(&timeline);
    gsim_program_release(&program);
    return status;
}

static enum gsim_status add_runs(const struct synthetic_runs *runs, const struct gsim_recordings *recordings,
                                 struct gsim_output *out, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    const char *separator = "";
    for (size_t k = 0; k < runs->key_count; k++) {
        for (int prefetch = 0; prefetch < 2; prefetch++) {
            for (size_t s = 0; runs->schedulers[s] && status == GSIM_OK; s++) {
                const struct gsim_recording run = {.key = runs->keys[k],
                                                   .scheduler = runs->schedulers[s],
                                                   .memory = GSIM_MEMORY_PINNED,
                                                   .prefetch = prefetch,
                                                   .split = k & 1 ? GSIM_SPLIT_TEST : GSIM_SPLIT_FIT};
                gsim_output_printf(out, "%s\n ", separator);
                status = add_run(runs, recordings, &run, out, error);
                separator = ",";
            }
        }
    }
    return status;
}

enum gsim_status synthetic_runs_write(const struct synthetic_runs *runs, const char *path, struct gsim_error *error)
{
    struct gsim_output out;
    struct gsim_recordings recordings = {0};
    enum gsim_status status = gsim_output_open(&out, path, error);
    if (status != GSIM_OK) return status;
    recordings.profiles = gsim_alloc(runs->key_count * sizeof *recordings.profiles);
    gsim_output_printf(
        &out,
        "{\"schema\": \"gpusim-runs/1\", \"name\": \"synthetic\", \"gpu\": \"none\", \"device\": \"%s\", "
        "\"compute_capability\": %d,\n\"profiles\": [",
        runs->device->name, runs->device->compute_capability);
    for (size_t i = 0; i < runs->key_count && status == GSIM_OK; i++) {
        gsim_output_text(&out, i ? ",\n " : "\n ");
        status = add_profile(runs, &runs->keys[i], &recordings, &out, error);
    }
    gsim_output_text(&out, "],\n\"runs\": [");
    if (status == GSIM_OK) status = add_runs(runs, &recordings, &out, error);
    gsim_output_text(&out, "]}\n");
    gsim_recordings_release(&recordings);
    if (status == GSIM_OK) return gsim_output_commit(&out, error);
    gsim_output_release(&out);
    return status;
}
