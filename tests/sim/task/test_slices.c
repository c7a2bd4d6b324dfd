/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contexts that have the SMs in turn, hand-computed: slices of 20 us, 2 us from a busy context to the next, 1 from an
 * idle one, which is held for 1. */
#include "tests/sim/task_fixture.h"

/* Both ready at 3. a until 20; b 22 to 42; a 44 to 64, 37 of its 50 done; b 66 to 86; a 88 to 101. b from 103, with 10
 * left. */
static void two_long_kernels(void)
{
    struct task_fixture f = task_fixture();
    add_kernel_task(&f, "a", 8, 50);
    add_kernel_task(&f, "b", 8, 50);
    share(&f, "timeslice");
    CHECK_TASK_KERNEL(&f, 0, 0, 3, 101);
    CHECK_TASK_KERNEL(&f, 1, 0, 22, 113);
    CHECK_REQUEST(&f, 0, 0, 0, 0, 103);
    CHECK_REQUEST(&f, 1, 0, 0, 0, 115);
    task_fixture_release(&f);
}

/* Who has nobody beside it keeps the SMs; a kernel of 200 us takes 200. */
static void alone(void)
{
    struct task_fixture f = task_fixture();
    add_kernel_task(&f, "a", 8, 200);
    struct gsim_task *b = add_kernel_task(&f, "b", 8, 10);
    b->start_us = 300;
    share(&f, "timeslice");
    CHECK_TASK_KERNEL(&f, 0, 0, 3, 203);
    CHECK_TASK_KERNEL(&f, 1, 0, 304, 314); /* ready at 303, a has been idle since 203: 1 to switch */
    task_fixture_release(&f);
}

/* b comes at 48, in a's third slice, which ends at 60. */
static void joins_later(void)
{
    struct task_fixture f = task_fixture();
    add_kernel_task(&f, "a", 8, 100);
    struct gsim_task *b = add_kernel_task(&f, "b", 8, 10);
    b->start_us = 45;
    share(&f, "timeslice");
    CHECK_TASK_KERNEL(&f, 1, 0, 62, 72); /* then idle for 1, and 1 to switch */
    CHECK_TASK_KERNEL(&f, 0, 0, 3, 60 + 14 + 43);
    task_fixture_release(&f);
}

/* A context that leaves a gap of 10 us loses the SMs in it, and waits for the other one's slice. */
static void gaps_lose(void)
{
    struct task_fixture f = {.device = free_device(), .seed = 1};
    const struct step steps[2] = {{fixture_kernel("x", 8, 1024, 5), 10, true},
                                  {fixture_kernel("y", 8, 1024, 5), 0, true}};
    add_service(&f, "a", steps, 2);
    add_kernel_task(&f, "b", 8, 100);
    share(&f, "timeslice");
    CHECK_TASK_KERNEL(&f, 0, 0, 0, 5);
    CHECK_TASK_KERNEL(&f, 0, 1, 7 + 20 + 2, 34); /* held to 6, b from 7 to 27 */
    CHECK_TASK_KERNEL(&f, 1, 0, 7, 36 + 80);
    task_fixture_release(&f);
}

/* At no time do two contexts' blocks stand on SMs. */
static void never_overlap(void)
{
    struct task_fixture f = task_fixture();
    for (uint32_t i = 0; i < 3; i++) {
        const struct step steps[3] = {{fixture_kernel("x", 3 + i, 256, 13 + i), 4, i != 0},
                                      {fixture_kernel("y", 9, 1024, 40), 0, false},
                                      {fixture_kernel("z", 2, 128, 3), 2, true}};
        add_service(&f, i == 0 ? "a" : i == 1 ? "b" : "c", steps, 3)->requests = 6;
    }
    share(&f, "timeslice");
    CHECK_INT(f.timeline.kernel_count, 54);
    double work = 0;
    for (uint32_t i = 0; i < 3; i++) work += 6 * (13 + i + 3) + 6 * 2 * 40 * 0; /* y: two waves of some blocks */
    for (size_t i = 0; i < f.timeline.kernel_count; i++)
        for (size_t j = 0; j < f.timeline.kernel_count; j++) {
            const struct gsim_kernel_record *a = &f.timeline.kernels[i], *b = &f.timeline.kernels[j];
            if (a->task == b->task || gsim_time_us(a->end - a->start) > 20 || gsim_time_us(b->end - b->start) > 20)
                continue;
            CHECK(a->end <= b->start || b->end <= a->start); /* neither was stopped: shorter than a slice */
        }
    CHECK(f.stats[0].kernel_us + f.stats[1].kernel_us + f.stats[2].kernel_us >= work);
    task_fixture_release(&f);
}

/* a scans 2 MB by faults, 764.288 us alone (test_managed.c); b works 100. a from 3 to 20, then b and a have slices of
 * 20 in turn, 2 between them: b 22 to 42, ..., 198 to 218, by when a has had 97. It faults in its own slices alone: the
 * rest from 220 on. */
static void faults_in_slices(void)
{
    struct task_fixture f = task_fixture();
    struct gsim_builder *b = gsim_builder_create("a");
    struct gsim_arg arg = {.buffer_index = gsim_builder_buffer(b, "x", 2 << 20, GSIM_INIT_HOST), .reads = true};
    struct gsim_kernel k = fixture_kernel("a", 8, 1024, 10);
    gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                         .kernel_index = gsim_builder_kernel(b, &k),
                                         .args = &arg,
                                         .arg_count = 1,
                                         .stream = 0});
    add_kernel_task(&f, "a", 8, 10);
    gsim_program_release(&f.programs[0]);
    CHECK_OK(gsim_builder_finish(b, 1, &f.programs[0], &f.error), f.error);
    add_kernel_task(&f, "b", 8, 100);
    point_to_programs(&f);
    CHECK_OK(gsim_task_set_init(&f.set, "tasks", f.tasks, f.count, &f.error), f.error);
    struct gsim_simulation s = {.program = &f.set.all,
                                .device = &f.device,
                                .scheduler = f.tasks[0].scheduler,
                                .tasks = &f.set,
                                .gpu.check = true,
                                .sharing = gsim_sharing_find("timeslice"),
                                .memory = GSIM_MEMORY_MANAGED,
                                .seed = 1,
                                .detailed = true};
    CHECK_OK(gsim_simulate(&s, &f.timeline, &f.error), f.error);
    for (size_t i = 0; i < f.timeline.kernel_count; i++) {
        const struct gsim_kernel_record *r = &f.timeline.kernels[i];
        CHECK_NEAR(gsim_time_us(r->start), r->task ? 22 : 3, 0.5);
        CHECK_NEAR(gsim_time_us(r->end), r->task ? 218 : 220 + 764.288 - 97, 1);
    }
    CHECK_INT(f.timeline.kernel_count, 2);
    task_fixture_release(&f);
}

static const struct test_case cases[] = {
    {"two long kernels", two_long_kernels},
    {"alone", alone},
    {"one joins later", joins_later},
    {"gaps lose the SMs", gaps_lose},
    {"contexts never overlap", never_overlap},
    {"faults in slices", faults_in_slices},
};
TEST_MAIN("sim/task/slices", cases)
