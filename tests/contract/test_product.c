/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Features compose: every scheduler x {known, drawn} x {1 GPU, 2, 2 unlike} x {pinned, managed} x {alone, a task}. Every kernel ends once
 * and no dependence is broken, or the pair of features that is refused is one of docs/not-modelled.md.
 */
#include "gpusim/placement.h"
#include "gpusim/simulate.h"
#include "sim/program/verify.h"
#include "tests/schedulers/programs.h"
#include "tests/sim/known_program.h"
#include "tests/test.h"

enum gpus { ONE, TWO, UNLIKE, GPUS_END };

struct point {
    const struct gsim_scheduler_ops *scheduler;
    bool is_drawn, is_managed, is_task;
    enum gpus gpus;
};

/* What may be refused, by a part of what is said. */
static const char *const refusals[] = {
    "needs the whole program beforehand",              /* a paper's scheduler that plans at compile time, or one launch for all */
    "several tasks on several GPUs",
    "knows one GPU only",                              /* of one GPU by its paper */
};

static struct gsim_program program;
static struct gsim_device_spec devices[2];

/* Two chains that meet, beside a third one; the host looks at it and goes on. */
static void begin(void)
{
    static const char *const lines[] = {"!a", "!b", "k1: a > c", "k2: b > d", "k3: c > c", "k4: d c > e", "k5: b > f", "?e", "!a", "k6: a e > g", "k7: f g > h", "?h", NULL};
    struct gsim_error error = {0};
    program_write(lines, GSIM_INIT_NONE, &program);
    CHECK_OK(gsim_device_load("h100-vm", &devices[0], &error), error);
    CHECK_OK(gsim_device_load("a100-sxm4-40gb", &devices[1], &error), error);
}

static void describe(const struct point *p, char text[160])
{
    static const char *const names[] = {"1 GPU", "2 GPUs", "2 unlike GPUs"};
    snprintf(text, 160, "%s, %s, %s, %s, %s", p->scheduler->name, p->is_drawn ? "drawn" : "known", names[p->gpus], p->is_managed ? "managed" : "pinned",
             p->is_task ? "a task" : "alone");
}

/* A placement where the scheduler takes one for such a program. */
static const struct gsim_placement_ops *placement_of(const struct point *p)
{
    bool can = p->scheduler->places || (gsim_scheduler_can_place(p->scheduler) && !p->is_drawn);
    return p->gpus != ONE && can ? gsim_placement_find("round-robin") : NULL;
}

static enum gsim_status run(const struct point *p, struct gsim_error *error)
{
    struct gsim_source_of_program_params source = {&program};
    struct gsim_program drawn = {0}, empty = {.name = "drawn", .iterations = 1};
    struct gsim_timeline timeline = {0};
    const struct gsim_device_spec *const list[] = {&devices[0], &devices[p->gpus == UNLIKE]};
    struct gsim_simulation s = {.program = p->is_drawn ? &drawn : &program, .drawn = &drawn, .device = &devices[0], .devices = list, .scheduler = p->scheduler,
                                .gpu_count = p->gpus == ONE ? 1 : 2, .memory = p->is_managed ? GSIM_MEMORY_MANAGED : GSIM_MEMORY_PINNED, .seed = 1,
                                .placement = placement_of(p), .source = p->is_drawn ? &gsim_source_of_program : NULL, .source_params = &source};
    struct gsim_task task = {.name = "task", .program = p->is_drawn ? &empty : &program, .source = s.source, .source_params = &source, .scheduler = p->scheduler,
                             .process = GSIM_OWN_PROCESS, .requests = 1};
    struct gsim_task_set set = {0};
    enum gsim_status status = GSIM_OK;
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    s.gpu.check = true;
    if (p->is_task) {
        status = gsim_task_set_init(&set, "task", &task, 1, error);
        s.program = &set.all;
        s.source = NULL;
        s.tasks = &set;
        s.sharing = gsim_sharing_find("exclusive");
    }
    if (!status) status = gsim_simulate(&s, &timeline, error);
    if (!status && !p->is_task) status = gsim_verify_timeline(&timeline, &program, 1, error);
    CHECK(status || timeline.kernel_count == 7);
    CHECK(status || !p->is_task || timeline.request_count == 1);
    gsim_timeline_release(&timeline);
    gsim_program_release(&drawn);
    gsim_task_set_release(&set);
    return status;
}

static void product(void)
{
    uint32_t ran = 0, refused = 0;
    begin();
    for (uint32_t i = 0; gsim_scheduler_at(i); i++)
        for (int choice = 0; choice < 8 * GPUS_END; choice++) {
            const struct point p = {gsim_scheduler_at(i), choice & 1, choice & 2, choice & 4, (enum gpus)(choice / 8)};
            struct gsim_error error = {0};
            char text[160];
            bool is_known = false;
            describe(&p, text);
            enum gsim_status status = run(&p, &error);
            for (size_t r = 0; r < sizeof refusals / sizeof refusals[0]; r++) is_known |= status == GSIM_INPUT && strstr(error.message, refusals[r]);
            CHECK_MSG(status == GSIM_OK || is_known, "%s: %s", text, error.message);
            bool is_of_one = p.gpus != ONE && !p.is_task && !gsim_scheduler_can_place(p.scheduler);
            CHECK_MSG(status == GSIM_OK ? !is_of_one : p.is_drawn || is_of_one, "%s: %s", text, status ? error.message : "not refused");
            ran += status == GSIM_OK;
            refused += status != GSIM_OK;
        }
    printf(" (%u ran, %u refused) ", ran, refused);
    gsim_program_release(&program);
    for (int d = 0; d < 2; d++) gsim_device_release(&devices[d]);
}

static const struct test_case cases[] = {{"the product", product}};
TEST_MAIN("contract/product", cases)
