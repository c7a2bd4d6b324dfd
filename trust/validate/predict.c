/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See trust/validate/predict.h. The program with measured kernels, its simulation, and the comparison of timelines; the
 * replay of recorded streams is trust/validate/predict_replay.c's.
 */
#include "gpusim/order.h"
#include "trust/validate/predict.h"
#include "gpusim/scenario.h"

#include <math.h>

/* Iteration 0 moves data that later ones find in place and instantiates graphs; recorded are those after it. */
#define ITERATIONS GSIM_PREDICT_ITERATIONS

/* --- the program ------------------------------------------------------------------------------------------------ */
static bool dim3_equal(struct gsim_dim3 a, struct gsim_dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* PROFILE's op of that index: at AT where they stand in order. */
static const struct gsim_profile_op *profile_op(const struct gsim_profile *profile, uint32_t index, uint32_t *at)
{
    for (uint32_t tries = 0; tries < profile->op_count; tries++) {
        const struct gsim_profile_op *op = &profile->ops[(*at)++ % profile->op_count];
        if (op->op == index) return op;
    }
    return NULL;
}

static enum gsim_status copy_ops(const struct gsim_program *built, const struct gsim_profile *profile, double excess_us,
                                 struct gsim_builder *builder, struct gsim_error *error)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < built->op_count; i++) {
        struct gsim_op op = built->ops[i];
        if (op.kind == GSIM_OP_KERNEL) {
            struct gsim_kernel kernel = built->kernels[op.kernel_index];
            const struct gsim_profile_op *alone = profile_op(profile, i, &at);
            if (!alone)
                return gsim_error_set(error, GSIM_INPUT,
                                      "op %u (%s): expected its time alone in the profile, found none", i, kernel.name);
            if (!dim3_equal(alone->grid, kernel.grid) || !dim3_equal(alone->block, kernel.block))
                return gsim_error_set(
                    error, GSIM_INPUT,
                    "op %u (%s): expected %ux%ux%u blocks of %ux%ux%u threads, as the workload launches it, found "
                    "%ux%ux%u of %ux%ux%u",
                    alone->op, alone->kernel, kernel.grid.x, kernel.grid.y, kernel.grid.z, kernel.block.x,
                    kernel.block.y, kernel.block.z, alone->grid.x, alone->grid.y, alone->grid.z, alone->block.x,
                    alone->block.y, alone->block.z);
            if (alone->regs_per_thread) kernel.regs_per_thread = alone->regs_per_thread;
            kernel.smem_bytes = alone->smem_bytes;
            kernel.solo_us = fmax(alone->solo_us - excess_us, alone->solo_us / 2);
            kernel.solo_cold = true;
            kernel.solo_device = NULL;
            if (alone->slice_us > 0 && profile->slice_sms) {
                kernel.slice_us = fmax(alone->slice_us - excess_us, alone->slice_us / 2);
                kernel.slice_sms = profile->slice_sms;
            }
            op.kernel_index = gsim_builder_kernel(builder, &kernel);
        }
        gsim_builder_op(builder, &op);
    }
    return GSIM_OK;
}

static enum gsim_status measured_program(const struct gsim_program *built, const struct gsim_profile *profile,
                                         double excess_us, struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_builder *builder = gsim_builder_create(built->name);
    for (uint32_t i = 0; i < built->buffer_count; i++)
        gsim_builder_buffer(builder, built->buffers[i].name, built->buffers[i].bytes, built->buffers[i].init);
    enum gsim_status status = copy_ops(built, profile, excess_us, builder, error);
    if (status == GSIM_OK) return gsim_builder_finish(builder, ITERATIONS, program, error);
    gsim_builder_destroy(builder);
    return status;
}

enum gsim_status gsim_predict_program(const struct gsim_recordings *recordings, const struct gsim_recording *run,
                                      struct gsim_program *program, struct gsim_error *error)
{
    const struct gsim_recording_key *key = &run->key;
    const struct gsim_workload_ops *workload = gsim_workload_find(key->workload);
    const struct gsim_profile *profile = gsim_recordings_profile(recordings, key);
    const struct gsim_workload_options options = {.suite = key->suite,
                                                  .shape = key->shape,
                                                  .size = key->size,
                                                  .block1d = key->block1d,
                                                  .blocks = key->blocks,
                                                  .iterations = ITERATIONS};
    struct gsim_program built = {0};
    if (!workload)
        return gsim_error_set(error, GSIM_INPUT, "workload: expected a name of gpusim list workloads, found \"%.60s\"",
                              key->workload);
    if (!profile)
        return gsim_error_set(error, GSIM_INPUT,
                              "expected the kernels alone (profiles) with the same options before, found none");
    enum gsim_status status = workload->build(&options, &built, error);
    if (status == GSIM_OK) status = measured_program(&built, profile, recordings->tracer_excess_us, program, error);
    gsim_program_release(&built);
    return status;
}

/* --- timelines -------------------------------------------------------------------------------------------------- */
/* A kernel or copy, recorded or predicted. */
struct span {
    bool is_kernel;
    enum gsim_copy_kind kind;
    uint32_t op;
    double launch_us, start_us, end_us;
};

/* What can be the same op, then by launch: several copies may serve one op. */
GSIM_ORDER(by_identity, struct span,
           GSIM_UP(op) GSIM_DOWN(is_kernel) GSIM_UP(kind) GSIM_UP(launch_us) GSIM_UP(start_us))

static double first_start(const struct span *spans, size_t count)
{
    double first = INFINITY;
    for (size_t i = 0; i < count; i++) first = fmin(first, spans[i].start_us);
    return first;
}

static double last_end(const struct span *spans, size_t count)
{
    double last = 0;
    for (size_t i = 0; i < count; i++) last = fmax(last, spans[i].end_us);
    return last;
}

/* Both lists are sorted by identity. */
static void compare_spans(const struct span *recorded, size_t recorded_count, const struct span *predicted,
                          size_t predicted_count, struct gsim_timeline_deviation *deviation)
{
    double origin[2] = {first_start(recorded, recorded_count), first_start(predicted, predicted_count)};
    double length = last_end(recorded, recorded_count) - origin[0], sum = 0, worst = 0;
    size_t i = 0, j = 0;
    while (i < recorded_count && j < predicted_count) {
        const struct span *a = &recorded[i], *b = &predicted[j];
        if (a->op == b->op && a->is_kernel == b->is_kernel && a->kind == b->kind) {
            double start = fabs((a->start_us - origin[0]) - (b->start_us - origin[1])) / length;
            double end = fabs((a->end_us - origin[0]) - (b->end_us - origin[1])) / length;
            sum += start + end;
            worst = fmax(worst, fmax(start, end));
            deviation->compared++;
            i++;
            j++;
        } else {
            deviation->missing++;
            if (by_identity(a, b) < 0) i++;
            else j++;
        }
    }
    deviation->missing += (uint32_t)(recorded_count - i + predicted_count - j);
    if (!deviation->compared || !(length > 0)) return;
    deviation->mean = sum / (2.0 * deviation->compared);
    deviation->worst = worst;
}

static void compare_timelines(const struct gsim_recording *run, const struct gsim_timeline *timeline,
                              struct gsim_timeline_deviation *deviation)
{
    *deviation = (struct gsim_timeline_deviation){.mean = NAN, .worst = NAN};
    if (!run->op_count) return;
    size_t room = run->op_count + timeline->kernel_count + timeline->copy_count;
    struct span *recorded = gsim_alloc(room * sizeof *recorded), *predicted = recorded + run->op_count;
    for (uint32_t i = 0; i < run->op_count; i++) {
        const struct gsim_recorded_op *op = &run->ops[i];
        recorded[i] = (struct span){op->is_kernel, op->copy_kind, op->op, op->launch_us, op->start_us, op->end_us};
    }
    size_t count = 0;
    for (size_t i = 0; i < timeline->kernel_count; i++) {
        const struct gsim_kernel_record *k = &timeline->kernels[i];
        if (k->iteration != ITERATIONS - 1) continue;
        predicted[count++] = (struct span){
            true, GSIM_COPY_H2D, k->op, gsim_time_us(k->launch), gsim_time_us(k->start), gsim_time_us(k->end)};
    }
    for (size_t i = 0; i < timeline->copy_count; i++) {
        const struct gsim_copy_record *c = &timeline->copies[i];
        if (c->iteration != ITERATIONS - 1) continue;
        predicted[count++] =
            (struct span){false, c->kind, c->op, gsim_time_us(c->launch), gsim_time_us(c->start), gsim_time_us(c->end)};
    }
    qsort(recorded, run->op_count, sizeof *recorded, by_identity);
    if (count) qsort(predicted, count, sizeof *predicted, by_identity);
    compare_spans(recorded, run->op_count, predicted, count, deviation);
    gsim_free(recorded);
}

/* --- simulations -------------------------------------------------------------------------------------------------- */
enum gsim_status gsim_predict_simulate(const struct gsim_predictor *predictor, const struct gsim_recording *run,
                                       const struct gsim_program *program, const struct gsim_scheduler_ops *scheduler,
                                       struct gsim_timeline *timeline, double *iteration_us, struct gsim_error *error)
{
    const struct gsim_simulation simulation = {
        .program = program,
        .device = predictor->device,
        .scheduler = scheduler,
        .gpu = *predictor->gpu,
        .memory = run->memory,
        .prefetch = run->prefetch,
        .iterations = ITERATIONS,
        .seed = 1,
        .demands = predictor->works ? gsim_kept_works_of(predictor->works, predictor->device, program) : NULL,
    };
    enum gsim_status status = gsim_run(&(struct gsim_scenario){.simulation = simulation}, timeline, error);
    if (status != GSIM_OK) return status;
    GSIM_INVARIANT(timeline->iteration_count == ITERATIONS);
    const struct gsim_iteration_record *last = &timeline->iterations[ITERATIONS - 1];
    *iteration_us = gsim_time_us(last->end - last->start);
    return GSIM_OK;
}

enum gsim_status gsim_predict(const struct gsim_predictor *predictor, const struct gsim_recordings *recordings,
                              const struct gsim_recording *run, struct gsim_prediction *prediction,
                              struct gsim_error *error)
{
    struct gsim_program program = {0};
    struct gsim_timeline timeline = {0};
    const struct gsim_scheduler_ops *scheduler = gsim_scheduler_find(run->scheduler);
    if (!scheduler)
        return gsim_error_set(error, GSIM_INPUT,
                              "scheduler: expected a name of gpusim list schedulers, found \"%.60s\"", run->scheduler);
    enum gsim_status status = gsim_predict_program(recordings, run, &program, error);
    if (status == GSIM_OK && predictor->kernels) gsim_profiles_apply_all(predictor->kernels, &program);
    if (status == GSIM_OK) {
        status =
            gsim_predict_simulate(predictor, run, &program, scheduler, &timeline, &prediction->iteration_us, error);
        if (status == GSIM_OK) compare_timelines(run, &timeline, &prediction->timeline);
        gsim_timeline_release(&timeline);
    }
    prediction->replay_us = NAN;
    bool is_replayed = predictor->replay && run->op_count && !run->has_graph && run->memory != GSIM_MEMORY_MANAGED;
    if (status == GSIM_OK && is_replayed)
        status = gsim_predict_replay(predictor, run, &program, &prediction->replay_us, error);
    gsim_program_release(&program);
    return status;
}
