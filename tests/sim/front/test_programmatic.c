/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programmatic dependent launch, by hand on the device of machine_fixture.h: a launch call takes 2 us, a kernel starts
 * 1 later, and the gap behind a trigger or an end is 0.25 (stream gap 1, of graph nodes 0.5). a takes 10 us, b 4, c 6.
 */
#include <unistd.h>

#include "tests/sim/machine_fixture.h"

struct marks {
    double prologue, trigger;
};

/* Kernels a, b and c, of four blocks each, COUNT of them, all but the first launched programmatically. */
static struct fixture make(const struct marks *marks, uint32_t count, uint32_t threads)
{
    static const double us[] = {10, 4, 6};
    static const char *const names[] = {"a", "b", "c"};
    struct fixture f = {.device = fixture_device(), .memory = GSIM_MEMORY_PINNED};
    struct gsim_builder *b = gsim_builder_create("programmatic");
    f.device.programmatic_gap_us = 0.25;
    for (uint32_t i = 0; i < count; i++) {
        struct gsim_kernel kernel = fixture_kernel(names[i], threads == 1024 ? 8 : 4, threads, us[i]);
        kernel.prologue = marks[i].prologue;
        kernel.trigger = marks[i].trigger;
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                             .kernel_index = gsim_builder_kernel(b, &kernel),
                                             .stream = -1,
                                             .programmatic = i > 0});
    }
    CHECK_OK(gsim_builder_finish(b, 1, &f.program, &f.error), f.error);
    return f;
}

static enum gsim_status in_a_stream(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    gsim_stream stream = gsim_stream_create(run->driver, 0);
    for (uint32_t i = 0; i < run->program->op_count; i++) gsim_launch(run->driver, OP(run, i), stream);
    gsim_stream_synchronize(run->driver, stream);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

static enum gsim_status in_a_graph(struct gsim_run *run, struct gsim_error *error)
{
    (void)error;
    gsim_iteration_begin(run->driver, 0);
    gsim_stream stream = gsim_stream_create(run->driver, 0);
    gsim_graph graph = gsim_graph_create(run->driver);
    for (uint32_t i = 0; i < run->program->op_count; i++) {
        gsim_graph_node before = i - 1;
        gsim_graph_add(run->driver, graph, OP(run, i), &before, i > 0);
    }
    gsim_graph_launch(run->driver, gsim_graph_instantiate(run->driver, graph), stream);
    gsim_stream_synchronize(run->driver, stream);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

/* a ends at 13 and triggers by that: only the gap is shorter. */
static void at_the_end(void)
{
    struct fixture f = make((const struct marks[]){{0, 0}, {0, 0}}, 2, 256);
    fixture_run(&f, in_a_stream);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_KERNEL(&f, 1, 13.25, 17.25);
    fixture_release(&f);
}

/* a triggers at 8; b's prologue is 8.25 to 9.25, the rest follows a's end at 13 by 0.25. */
static void prologue_beside(void)
{
    struct fixture f = make((const struct marks[]){{0, 0.5}, {0.25, 0}}, 2, 256);
    fixture_run(&f, in_a_stream);
    CHECK_KERNEL(&f, 0, 3, 13);
    CHECK_KERNEL(&f, 1, 8.25, 16.25);
    fixture_release(&f);
}

/* a fills all SMs until 13: b's blocks come then, and a's end is seen before their prologue is over. */
static void no_room(void)
{
    struct fixture f = make((const struct marks[]){{0, 0.5}, {0.25, 0}}, 2, 1024);
    fixture_run(&f, in_a_stream);
    CHECK_KERNEL(&f, 1, 13, 17);
    fixture_release(&f);
}

/* b is let go of at 13.25 and triggers at 15.25; c is there at 15.5 and goes on 0.25 behind b's end at 17.25. */
static void three(void)
{
    struct fixture f = make((const struct marks[]){{0, 0.5}, {0, 0.5}, {0, 0}}, 3, 256);
    fixture_run(&f, in_a_stream);
    CHECK_KERNEL(&f, 1, 8.25, 17.25);
    CHECK_KERNEL(&f, 2, 15.5, 23.5);
    fixture_release(&f);
}

/* b triggers at 9.25, in its prologue, which c can use only when a has ended: one launch at a time goes ahead. */
static void trigger_in_the_prologue(void)
{
    struct fixture f = make((const struct marks[]){{0, 0.5}, {0.5, 0.25}, {0, 0}}, 3, 256);
    fixture_run(&f, in_a_stream);
    CHECK_KERNEL(&f, 1, 8.25, 15.25);
    CHECK_KERNEL(&f, 2, 13.25, 21.5);
    fixture_release(&f);
}

/* Adding takes 2 us, instantiating 12, the launch 3: a 19 to 29, else as in a stream; b without marks 0.25 behind
 * it. */
static void nodes(void)
{
    struct fixture f = make((const struct marks[]){{0, 0.5}, {0.25, 0}}, 2, 256);
    fixture_run(&f, in_a_graph);
    CHECK_KERNEL(&f, 0, 19, 29);
    CHECK_KERNEL(&f, 1, 24.25, 32.25);
    fixture_release(&f);
    f = make((const struct marks[]){{0, 0}, {0, 0}}, 2, 256);
    fixture_run(&f, in_a_graph);
    CHECK_KERNEL(&f, 1, 29.25, 33.25);
    fixture_release(&f);
}

static struct gsim_persistent plan;

static enum gsim_status resident(struct gsim_run *run, struct gsim_error *error)
{
    static const uint32_t start[] = {0, 0, 1}, after[] = {0};
    const struct gsim_op *ops[2] = {OP(run, 0), OP(run, 1)};
    (void)error;
    plan = (struct gsim_persistent){.ops = ops, .op_count = 2, .after_start = start, .after = after, .workers = 2};
    gsim_iteration_begin(run->driver, 0);
    gsim_persistent_launch(run->driver, &plan, 0);
    gsim_device_synchronize(run->driver);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

/* Tasks do their prologue while they wait for what they follow: four of a and four of b by two workers, a 3 to 13 and
 * 13 to 23; the first two of b have done half of theirs by 25, and nothing is to be waited for. */
static void tasks(void)
{
    struct fixture f = make((const struct marks[]){{0, 0}, {0.5, 0}}, 2, 256);
    f.device.handoff_us = 5;
    fixture_run(&f, resident);
    CHECK_KERNEL(&f, 0, 3, 23);
    CHECK_KERNEL(&f, 1, 23, 34); /* prologue to 25, seen 28, the rest 30; the second round 30 to 34 */
    fixture_release(&f);
}

static enum gsim_status resident_ahead(struct gsim_run *run, struct gsim_error *error)
{
    static const uint32_t start[] = {0, 0, 1}, after[] = {0};
    const struct gsim_op *ops[2] = {OP(run, 0), OP(run, 1)};
    (void)error;
    plan = (struct gsim_persistent){
        .ops = ops, .op_count = 2, .after_start = start, .after = after, .workers = 2, .prefetch_kib = 1};
    gsim_iteration_begin(run->driver, 0);
    gsim_persistent_launch(run->driver, &plan, 0);
    gsim_device_synchronize(run->driver);
    gsim_iteration_end(run->driver, 0);
    return GSIM_OK;
}

/* The same with loads ahead: the first two of b do their halves beside the second round of a, 13 to 15, and wait; what
 * they follow is seen to have ended at 28, and they end at 30; the other two have done their halves meanwhile, and end
 * at 32. */
static void tasks_ahead(void)
{
    struct fixture f = make((const struct marks[]){{0, 0}, {0.5, 0}}, 2, 256);
    f.device.handoff_us = 5;
    fixture_run(&f, resident_ahead);
    CHECK_KERNEL(&f, 0, 3, 23);
    CHECK_KERNEL(&f, 1, 13, 32);
    CHECK_INT(f.timeline.resident_count, 1);
    if (f.timeline.resident_count == 1) CHECK_NEAR(f.timeline.residents[0].busy_us, 2 * (20 + 4), 1e-5);
    fixture_release(&f);
}

/* --- files --- */

static void write_text(const char *path, const char *marks)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fprintf(file,
            "{\"schema\": \"gpusim-program/1\", \"name\": \"p\", \"kernels\": [{\"name\": \"k\", \"thread_cycles\": "
            "1000%s}],\n"
            " \"ops\": [{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [1], \"block\": [32]},\n"
            "  {\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [1], \"block\": [32], \"programmatic\": true}]}\n",
            marks);
    fclose(file);
}

static void files(void)
{
    char path[] = "/tmp/gpusim-test-XXXXXX", copy[] = "/tmp/gpusim-test-XXXXXX";
    int one = mkstemp(path), two = mkstemp(copy);
    CHECK(one >= 0 && two >= 0);
    close(one);
    close(two);
    struct gsim_program program;
    struct gsim_error error = {0};
    write_text(path, ", \"prologue\": 0.25, \"trigger\": 0.5");
    CHECK_OK(gsim_program_read(path, &program, &error), error);
    CHECK_OK(gsim_program_write(&program, copy, &error), error);
    gsim_program_release(&program);
    CHECK_OK(gsim_program_read(copy, &program, &error), error);
    CHECK(program.kernel_count == 1 && program.kernels[0].prologue == 0.25 && program.kernels[0].trigger == 0.5);
    CHECK(!program.ops[0].programmatic && program.ops[1].programmatic);
    gsim_program_release(&program);
    write_text(path, ", \"trigger\": 0"); /* at once, which is not the same as not given */
    CHECK_OK(gsim_program_read(path, &program, &error), error);
    CHECK(program.kernels[0].trigger > 0 && program.kernels[0].trigger < 1e-3);
    gsim_program_release(&program);
    write_text(path, ", \"prologue\": 1");
    CHECK_INT(gsim_program_read(path, &program, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "kernels[0].prologue: expected");
    unlink(path);
    unlink(copy);
}

static const struct test_case cases[] = {
    {"at the end of what it follows", at_the_end},
    {"a prologue beside it", prologue_beside},
    {"no room beside it", no_room},
    {"three in a row", three},
    {"a trigger in the prologue", trigger_in_the_prologue},
    {"nodes of a graph", nodes},
    {"tasks of a resident kernel", tasks},
    {"their loads ahead", tasks_ahead},
    {"program files", files},
};

TEST_MAIN("sim/programmatic", cases)
