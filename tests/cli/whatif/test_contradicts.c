/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers that contradict themselves are told, and no others: results are planted. */
#include "cli/whatif/explain.h"
#include "cli/whatif/whatif.h"
#include "tests/test.h"

#define US ((gsim_time)GSIM_PS_PER_US)

static struct gsim_kernel kernels[] = {{.name = "k", .solo_us = 100}};
static uint32_t none[1];

/* Two kernels of 100 us in one stream, and one change that takes US. */
static const char *said_of(enum gsim_change_kind kind, double us, uint32_t second_stream, uint32_t after_count)
{
    static struct gsim_cli_whatif w;
    struct gsim_op ops[] = {{.kind = GSIM_OP_KERNEL},
                            {.kind = GSIM_OP_KERNEL, .stream = (int32_t)second_stream, .after = none,
                             .after_count = after_count}};
    struct gsim_whatif_row row = {.changes = {{.kind = kind, .factor = 2}}, .count = 1, .time_us = us};
    w = (struct gsim_cli_whatif){.found = {.row_count = 1}};
    w.found.rows[0] = row;
    w.asked.subject.scheduler = gsim_scheduler_find("async");
    w.asked.subject.point.program = (struct gsim_program){.kernels = kernels, .kernel_count = 1,
                                                          .ops = ops, .op_count = 2};
    gsim_whatif_check(&w);
    return w.asked.subject.gpu_note;
}

static void changes_are_checked(void)
{
    CHECK_HAS(said_of(GSIM_CHANGE_LAUNCH, 150, 0, 0), "a contradiction: 150.0 us");
    CHECK_HAS(said_of(GSIM_CHANGE_KERNEL, -1, 0, 0), "a contradiction: -1.0 us");
    CHECK_STR(said_of(GSIM_CHANGE_LAUNCH, 199, 0, 0), "");  /* 1 us is rounding */
    CHECK_STR(said_of(GSIM_CHANGE_KERNEL, 100, 0, 0), "");  /* its kernels are faster */
    CHECK_STR(said_of(GSIM_CHANGE_LAUNCH, 101, 1, 0), "");  /* beside each other */
    CHECK_STR(said_of(GSIM_CHANGE_LAUNCH, 101, 0, 1), "");  /* another order than the stream's */
}

/* BUSY and IDLE us of 200, and two kernels of 80 us, the second in SECOND_STREAM at AT. */
static const char *said(double busy, double idle, uint32_t second_stream, double at)
{
    static struct gsim_cli_explained e;
    struct gsim_program program = {.kernels = kernels, .kernel_count = 1};
    struct gsim_kernel_record records[2] = {{.end = 80 * US}};
    records[1] = (struct gsim_kernel_record){.start = (gsim_time)(at * US), .end = (gsim_time)((at + 80) * US),
                                             .stream = second_stream};
    e = (struct gsim_cli_explained){.run = {.timeline = {.kernels = records, .kernel_count = 2, .program = &program},
                                            .explanation = {.makespan = 200 * US}}};
    e.run.explanation.time[0][0] = (gsim_time)(busy * US);
    e.run.explanation.time[GSIM_GPU_IDLE][GSIM_CAUSE_COUNT - 1] = (gsim_time)(idle * US);
    gsim_explained_check(&e);
    return e.asked.subject.gpu_note;
}

static void explanations_are_checked(void)
{
    CHECK_HAS(said(150, 40, 0, 80), "causes add up to 190.000 us of 200.000");
    CHECK_HAS(said(210, -10, 0, 80), "the least is -10.000");
    CHECK_HAS(said(120, 80, 0, 100), "busy for 120.0 us, and the kernels of one stream take 160.0");
    CHECK_STR(said(160, 40, 0, 100), "");
    CHECK_STR(said(120, 80, 1, 40), ""); /* 40 us of each beside the other */
    CHECK_STR(said(120, 80, 0, 40), ""); /* nodes of a graph that overlap */
}

static const struct test_case cases[] = {{"changes that cannot be", changes_are_checked},
                                         {"explanations that cannot be", explanations_are_checked}};
TEST_MAIN("cli/whatif/contradicts", cases)
