/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Managed memory on two GPUs, by hand on the fixture's device: faults bring 2 MB at 4 GB/s and 40 us for each of 6
 * rounds, of which 1 / (10 GB/s) is the host's link; between the GPUs 20 GB/s after 3 us. So a byte on the other GPU
 * takes 1/4 - 1/10 + 1/20 = 0.2 ns with peer access, 1/4 - 1/10 + 2/10 = 0.35 ns through the host's memory.
 */
#include "tests/sim/machine_fixture.h"

#define BLOCK    2097152
#define ROUNDS   240.0
#define HOST_US  (ROUNDS + 0.25e-3 * BLOCK)
#define PEER_US  (ROUNDS + 0.2e-3 * BLOCK)
#define STAGE_US (ROUNDS + 0.35e-3 * BLOCK)

static const struct gsim_arg whole = {.buffer_index = 0, .reads = true, .writes = true},
                             reads = {.buffer_index = 0, .reads = true};

struct step {
    enum gsim_op_kind kind;
    uint16_t device;
    bool is_read;
};

/* One buffer, and the ops on it; each is waited for before the next. With peer access where WITH_PEERS. */
static bool with_peers;
static enum gsim_status one_by_one(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream streams[2] = {0};
    (void)error;
    gsim_iteration_begin(d, 0);
    for (uint32_t i = 0; i < 2; i++) {
        gsim_device_set(d, i);
        streams[i] = gsim_stream_create(d, 0);
    }
    if (with_peers) gsim_peer_enable(d, 0);
    for (uint32_t i = 0; i < run->program->op_count; i++) {
        const struct gsim_op *op = &run->program->ops[i];
        gsim_device_set(d, op->device);
        if (op->kind == GSIM_OP_HOST_READ) gsim_host_access(d, op);
        else if (op->kind == GSIM_OP_PREFETCH) gsim_prefetch_async(d, op, streams[op->device]);
        else gsim_launch(d, op, streams[op->device]);
        gsim_stream_synchronize(d, streams[op->device]);
    }
    gsim_iteration_end(d, 0);
    return GSIM_OK;
}

static void run_steps(struct fixture *f, const struct step *steps, uint32_t count, bool is_read_mostly)
{
    struct gsim_scheduler_ops scheduler = {GSIM_HEAD(scheduler),
                                           .name = "fixture",
                                           .execute = one_by_one,
                                           .uses_devices = true};
    struct gsim_builder *b = gsim_builder_create("managed");
    *f = (struct fixture){.device = fixture_device(), .memory = GSIM_MEMORY_MANAGED};
    f->device.peer_gbps = 20;
    f->device.peer_latency_us = 3;
    uint32_t buffer = gsim_builder_buffer(b, "a", BLOCK, GSIM_INIT_HOST);
    if (is_read_mostly) gsim_builder_read_mostly(b, buffer);
    for (uint32_t i = 0; i < count; i++) {
        struct gsim_kernel k = fixture_kernel("k", 1, 256, 10);
        struct gsim_op op = {.kind = steps[i].kind,
                             .device = steps[i].device,
                             .args = steps[i].is_read ? &reads : &whole,
                             .arg_count = 1,
                             .stream = -1};
        if (op.kind == GSIM_OP_KERNEL) op.kernel_index = gsim_builder_kernel(b, &k);
        else op.bytes = BLOCK;
        gsim_builder_op(b, &op);
    }
    CHECK_OK(gsim_builder_finish(b, 1, &f->program, &f->error), f->error);
    struct gsim_simulation s = {.program = &f->program,
                                .device = &f->device,
                                .scheduler = &scheduler,
                                .gpu_count = 2,
                                .gpu.check = true,
                                .memory = f->memory,
                                .seed = 1,
                                .detailed = true};
    CHECK_OK(gsim_simulate(&s, &f->timeline, &f->error), f->error);
}

static double took(const struct fixture *f, uint32_t op)
{
    return gsim_time_us(fixture_record(f, op, 0)->end - fixture_record(f, op, 0)->start);
}

static const struct gsim_copy_record *copy_of(const struct fixture *f, uint32_t op, enum gsim_copy_kind kind)
{
    static const struct gsim_copy_record none;
    for (size_t i = 0; i < f->timeline.copy_count; i++)
        if (f->timeline.copies[i].op == op && f->timeline.copies[i].kind == kind) return &f->timeline.copies[i];
    return &none;
}

/* A kernel's 10 us are hidden behind its faults (a knee of 64): the first on GPU 0 gets its pages from the host, the
 * second there has them; the one on GPU 1 from GPU 0, and then again the one on GPU 0. */
static void faults_between_gpus(void)
{
    static const struct step steps[] = {
        {.kind = GSIM_OP_KERNEL}, {.kind = GSIM_OP_KERNEL}, {GSIM_OP_KERNEL, 1, false}, {.kind = GSIM_OP_KERNEL}};
    for (int peers = 0; peers < 2; peers++) {
        struct fixture f;
        with_peers = peers;
        run_steps(&f, steps, 4, false);
        double there = peers ? PEER_US : STAGE_US;
        CHECK_NEAR(took(&f, 0), HOST_US, 0.5);
        CHECK_NEAR(took(&f, 1), 10, 0.01);
        CHECK_NEAR(took(&f, 2), there, 0.5);
        CHECK_NEAR(took(&f, 3), there, 0.5);
        CHECK_INT(copy_of(&f, 0, GSIM_COPY_H2D)->bytes, BLOCK);
        CHECK_INT(copy_of(&f, 2, GSIM_COPY_P2P)->bytes, BLOCK);
        CHECK_INT(copy_of(&f, 2, GSIM_COPY_H2D)->bytes, 0);
        fixture_release(&f);
    }
}

static enum gsim_status side_by_side(struct gsim_run *run, struct gsim_error *error)
{
    struct gsim_driver *d = run->driver;
    gsim_stream streams[2];
    (void)error;
    gsim_iteration_begin(d, 0);
    for (uint32_t i = 0; i < 2; i++) {
        gsim_device_set(d, i);
        streams[i] = gsim_stream_create(d, 0);
    }
    for (uint32_t i = 0; i < 2; i++) gsim_launch(d, &run->program->ops[i], streams[i]);
    for (uint32_t i = 0; i < 2; i++) gsim_stream_synchronize(d, streams[i]);
    gsim_iteration_end(d, 0);
    return GSIM_OK;
}

/* Each GPU of a group that faults beside takes the host as long again for a byte: 0.5 ns. Of another group none does.
 * The second launch is 2 us later, so the ends of the two are less than 4 us from what they were in step. */
static void faults_side_by_side(void)
{
    struct gsim_scheduler_ops scheduler = {GSIM_HEAD(scheduler),
                                           .name = "fixture",
                                           .execute = side_by_side,
                                           .uses_devices = true};
    for (int group = 1; group <= 2; group++) {
        struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_MANAGED};
        struct gsim_builder *b = gsim_builder_create("beside");
        struct gsim_kernel k = fixture_kernel("k", 1, 256, 10);
        f.device.fault_beside = 1;
        f.device.fault_group = group;
        for (uint16_t i = 0; i < 2; i++) {
            struct gsim_arg arg = {.buffer_index = gsim_builder_buffer(b, i ? "b" : "a", BLOCK, GSIM_INIT_HOST),
                                   .reads = true};
            gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                 .kernel_index = gsim_builder_kernel(b, &k),
                                                 .device = i,
                                                 .args = &arg,
                                                 .arg_count = 1,
                                                 .stream = -1});
        }
        CHECK_OK(gsim_builder_finish(b, 1, &f.program, &f.error), f.error);
        struct gsim_simulation s = {.program = &f.program,
                                    .device = &f.device,
                                    .scheduler = &scheduler,
                                    .gpu_count = 2,
                                    .gpu.check = true,
                                    .memory = f.memory,
                                    .seed = 1,
                                    .detailed = true};
        CHECK_OK(gsim_simulate(&s, &f.timeline, &f.error), f.error);
        for (uint32_t op = 0; op < 2; op++) CHECK_NEAR(took(&f, op), group == 1 ? HOST_US : ROUNDS + 0.5e-3 * BLOCK, 4);
        fixture_release(&f);
    }
}

/* A prefetch to GPU 1 of what GPU 0 has: 3 us and 2 MB at 20 GB/s; through both links to the host at 10 GB/s. Then the
 * kernel there misses nothing, and the host gets its pages from GPU 1. */
static void prefetch_between_gpus(void)
{
    static const struct step steps[] = {{.kind = GSIM_OP_KERNEL},
                                        {GSIM_OP_PREFETCH, 1, false},
                                        {GSIM_OP_KERNEL, 1, false},
                                        {.kind = GSIM_OP_HOST_READ}};
    for (int peers = 0; peers < 2; peers++) {
        struct fixture f;
        with_peers = peers;
        run_steps(&f, steps, 4, false);
        const struct gsim_copy_record *there = copy_of(&f, 1, GSIM_COPY_P2P), *back = copy_of(&f, 3, GSIM_COPY_D2H);
        CHECK_INT(there->bytes, BLOCK);
        CHECK_NEAR(gsim_time_us(there->end - there->start), peers ? 3 + BLOCK / 20e3 : BLOCK / 10e3, 0.01);
        CHECK_NEAR(took(&f, 2), 10, 0.01);
        CHECK_INT(back->bytes, BLOCK);
        CHECK_INT(back->device, 1);
        fixture_release(&f);
    }
}

/* Readers of a buffer that is mostly read get copies of it: the second kernel on GPU 0 still has one, and the host
 * too. */
static void read_mostly(void)
{
    static const struct step steps[] = {{GSIM_OP_KERNEL, 0, true},  {GSIM_OP_KERNEL, 1, true},
                                        {GSIM_OP_KERNEL, 0, true},  {GSIM_OP_HOST_READ, 0, true},
                                        {GSIM_OP_KERNEL, 1, false}, {GSIM_OP_KERNEL, 0, true}};
    struct fixture f;
    with_peers = true;
    run_steps(&f, steps, 6, true);
    CHECK_NEAR(took(&f, 0), HOST_US, 0.5);
    CHECK_NEAR(took(&f, 1), HOST_US, 0.5);
    CHECK_NEAR(took(&f, 2), 10, 0.01);
    CHECK_INT(copy_of(&f, 3, GSIM_COPY_D2H)->bytes, 0);
    CHECK_NEAR(took(&f, 4), 10, 0.01); /* writes what it has; the others lose theirs */
    CHECK_NEAR(took(&f, 5), PEER_US, 0.5);
    fixture_release(&f);
}

static const struct test_case cases[] = {
    {"GPUs that fault side by side", faults_side_by_side},
    {"faults between GPUs", faults_between_gpus},
    {"prefetch between GPUs", prefetch_between_gpus},
    {"read mostly", read_mostly},
};
TEST_MAIN("sim/managed on GPUs", cases)
