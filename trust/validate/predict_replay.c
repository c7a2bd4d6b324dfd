/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recorded trace as a program: each kernel and copy on the stream and in the order of its launch, with the data
 * dependences of the workload. Where the device had nothing left to do before a call, and the run synchronises at all,
 * the host is taken to have waited. What else it did between its calls is found by simulating twice: what the recorded
 * launches are further apart than those of the first simulation is the host's own time in the second. What the tracer
 * itself adds on the device is in the device's numbers (tracer_start_us, tracer_gap_us).
 */
#include <math.h>
#include <string.h>

#include "trust/validate/predict.h"

#define NOT_THERE UINT32_MAX

struct replay {
    const struct gsim_program *program;
    const struct gsim_recording *run;
    struct gsim_builder *builder;
    uint32_t *streams; /* distinct streams of the trace, in order of appearance */
    uint32_t *taken;   /* of each program op: how many copies of either direction served it already */
    uint32_t *pending; /* ops since the last synchronise */
    uint32_t *places;  /* of each recorded op: its index in the replay */
    double *gaps_us;   /* before each recorded op: the host's own time; NULL: none */
    bool *waits;       /* before each: a synchronise */
    uint32_t stream_count, pending_count;
    double idle_us; /* everything so far has ended */
};

/* The buffer that a copy moved: of the served op's, one of that size whose direction fits, in the order of its
 * arguments; else the first of at least that size; NOT_THERE when there is none. */
static uint32_t buffer_of(struct replay *r, const struct gsim_recorded_op *copy)
{
    const struct gsim_op *op = &r->program->ops[copy->op];
    uint32_t fitting = 0, skip = r->taken[copy->op]++;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        const struct gsim_arg *arg = &op->args[i];
        bool is_wanted = copy->copy_kind != GSIM_COPY_H2D || arg->reads;
        if (is_wanted && r->program->buffers[arg->buffer_index].bytes == copy->bytes && fitting++ == skip)
            return arg->buffer_index;
    }
    for (uint32_t i = 0; i < op->arg_count; i++)
        if (r->program->buffers[op->args[i].buffer_index].bytes >= copy->bytes) return op->args[i].buffer_index;
    return NOT_THERE;
}

/* What the host does before recorded op INDEX: waits, and is busy with other things. */
static void add_host(struct replay *r, uint32_t index)
{
    double busy_us = r->gaps_us ? r->gaps_us[index] : 0;
    r->waits[index] = r->run->has_sync && r->pending_count && r->run->ops[index].launch_us >= r->idle_us;
    if (!r->waits[index] && !(busy_us > 0)) return;
    struct gsim_op op = {.kind = GSIM_OP_HOST_COMPUTE, .stream = -1, .host_us = busy_us};
    if (r->waits[index]) {
        op.after = r->pending;
        op.after_count = r->pending_count;
        r->pending_count = 0;
    }
    gsim_builder_op(r->builder, &op);
}

static enum gsim_status add_op(struct replay *r, uint32_t index, struct gsim_error *error)
{
    const struct gsim_recorded_op *recorded = &r->run->ops[index];
    const struct gsim_program *p = r->program;
    if (recorded->op >= p->op_count || (recorded->is_kernel && p->ops[recorded->op].kind != GSIM_OP_KERNEL))
        return gsim_error_set(error, GSIM_INPUT, "traced.ops: expected %s of the workload, found %u",
                              recorded->is_kernel ? "the index of a kernel op" : "the index of an op", recorded->op);
    add_host(r, index);
    if (recorded->end_us > r->idle_us) r->idle_us = recorded->end_us;
    struct gsim_op op = p->ops[recorded->op];
    struct gsim_arg arg = {0};
    uint32_t stream = recorded->stream;
    uint32_t i = 0;
    while (i < r->stream_count && r->streams[i] != stream) i++;
    if (i == r->stream_count) r->streams[r->stream_count++] = stream;
    op.stream = (int32_t)i;
    op.after = NULL;
    op.after_count = 0;
    if (recorded->is_kernel) {
        op.kernel_index = gsim_builder_kernel(r->builder, &p->kernels[op.kernel_index]);
    } else {
        arg.buffer_index = buffer_of(r, recorded);
        if (arg.buffer_index == NOT_THERE)
            return gsim_error_set(error, GSIM_INPUT, "traced.ops: op %u uses no buffer of %llu bytes", recorded->op,
                                  (unsigned long long)recorded->bytes);
        arg.reads = recorded->copy_kind != GSIM_COPY_H2D;
        arg.writes = recorded->copy_kind != GSIM_COPY_D2H;
        op = (struct gsim_op){.kind = GSIM_OP_COPY,
                              .copy_kind = recorded->copy_kind,
                              .bytes = recorded->bytes,
                              .stream = op.stream,
                              .args = &arg,
                              .arg_count = 1};
    }
    r->places[index] = r->pending[r->pending_count++] = gsim_builder_op(r->builder, &op);
    return GSIM_OK;
}

static enum gsim_status build(struct replay *r, struct gsim_program *program, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    r->stream_count = r->pending_count = 0;
    r->idle_us = 0;
    memset(r->taken, 0, r->program->op_count * sizeof *r->taken);
    r->builder = gsim_builder_create(r->program->name);
    /* All data is on the device: the trace's copies are all there are. */
    for (uint32_t i = 0; i < r->program->buffer_count; i++)
        gsim_builder_buffer(r->builder, r->program->buffers[i].name, r->program->buffers[i].bytes, GSIM_INIT_DEVICE);
    for (uint32_t i = 0; i < r->run->op_count && status == GSIM_OK; i++) status = add_op(r, i, error);
    if (status == GSIM_OK) return gsim_builder_finish(r->builder, GSIM_PREDICT_ITERATIONS, program, error);
    gsim_builder_destroy(r->builder);
    return status;
}

/* LAUNCHES and ENDS: of each op of the replay, from the start of the last iteration. */
static void note_times(const struct gsim_timeline *timeline, double *launches, double *ends)
{
    uint32_t last = (uint32_t)timeline->iteration_count - 1;
    gsim_time start = timeline->iterations[last].start;
    for (size_t i = 0; i < timeline->kernel_count; i++) {
        const struct gsim_kernel_record *k = &timeline->kernels[i];
        if (k->iteration != last) continue;
        launches[k->op] = gsim_time_us(k->launch - start);
        ends[k->op] = gsim_time_us(k->end - start);
    }
    for (size_t i = 0; i < timeline->copy_count; i++) {
        const struct gsim_copy_record *c = &timeline->copies[i];
        if (c->iteration != last) continue;
        launches[c->op] = gsim_time_us(c->launch - start);
        ends[c->op] = gsim_time_us(c->end - start);
    }
}

/* How much later than in the simulation each call was made, from the call before it, or from what it waited for. */
static void find_gaps(struct replay *r, const double *launches, const double *ends)
{
    double recorded_from = 0, simulated_from = 0, recorded_idle = 0, simulated_idle = 0;
    for (uint32_t i = 0; i < r->run->op_count; i++) {
        const struct gsim_recorded_op *op = &r->run->ops[i];
        if (r->waits[i]) {
            recorded_from = recorded_idle;
            simulated_from = simulated_idle;
        }
        double launch = launches[r->places[i]];
        r->gaps_us[i] = fmax(0, (op->launch_us - recorded_from) - (launch - simulated_from));
        recorded_from = op->launch_us;
        simulated_from = launch;
        recorded_idle = fmax(recorded_idle, op->end_us);
        simulated_idle = fmax(simulated_idle, ends[r->places[i]]);
    }
}

static enum gsim_status simulate(struct replay *r, const struct gsim_predictor *predictor, double *iteration_us,
                                 double *times, struct gsim_error *error)
{
    struct gsim_program program = {0};
    struct gsim_timeline timeline = {0};
    enum gsim_status status = build(r, &program, error);
    if (status != GSIM_OK) return status;
    status = gsim_predict_simulate(predictor, r->run, &program, predictor->replay, &timeline, iteration_us, error);
    if (status == GSIM_OK && times) note_times(&timeline, times, times + program.op_count);
    if (status == GSIM_OK && times) {
        double *gaps = times + 2 * (size_t)program.op_count;
        r->gaps_us = gaps;
        find_gaps(r, times, times + program.op_count);
    }
    gsim_timeline_release(&timeline);
    gsim_program_release(&program);
    return status;
}

enum gsim_status gsim_predict_replay(const struct gsim_predictor *predictor, const struct gsim_recording *run,
                                     const struct gsim_program *program, double *iteration_us, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct replay r = {.program = program, .run = run};
    /* The device as it is while the tracer watches. */
    struct gsim_device_spec d = *predictor->device;
    d.launch_to_start_us += d.tracer_start_us;
    d.h2d_latency_us += d.tracer_start_us;
    d.d2h_latency_us += d.tracer_start_us;
    d.stream_gap_us += d.tracer_gap_us;
    d.event_gap_us += d.tracer_gap_us;
    d.call_gap_us = 0; /* when calls were made, the trace tells */
    struct gsim_device_spec device = d;
    struct gsim_predictor watching = *predictor;
    watching.device = &device;
    r.streams = GSIM_ARENA_ARRAY(&arena, uint32_t, run->op_count);
    r.pending = GSIM_ARENA_ARRAY(&arena, uint32_t, run->op_count);
    r.places = GSIM_ARENA_ARRAY(&arena, uint32_t, run->op_count);
    r.waits = GSIM_ARENA_ARRAY(&arena, bool, run->op_count);
    r.taken = GSIM_ARENA_ARRAY(&arena, uint32_t, program->op_count);
    double *times = GSIM_ARENA_ARRAY(&arena, double, 5 * (size_t)run->op_count); /* at most as many host ops */
    enum gsim_status status = GSIM_OK;
    if (status == GSIM_OK) status = simulate(&r, &watching, iteration_us, times, error);
    if (status == GSIM_OK) status = simulate(&r, &watching, iteration_us, NULL, error);
    gsim_arena_release(&arena);
    return status;
}
