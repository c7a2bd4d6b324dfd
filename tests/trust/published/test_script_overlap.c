/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Overlaps as GrCUDA's script counts them, worked out by hand from its passes over sets of intervals: of two that meet,
 * where neither contains the other, both lengths count; where one does, the shorter counts as well in every second
 * order.
 */
#include "trust/published/script_overlap.h"
#include "tests/test.h"

#define US GSIM_PS_PER_US

struct span {
    double start_us, end_us;
};

static struct gsim_overlap overlap_of(const struct span *kernels, size_t kernel_count, const struct span *copies,
                                      size_t copy_count)
{
    struct gsim_timeline timeline;
    struct gsim_overlap overlap = {0};
    struct gsim_error error = {0};
    gsim_timeline_init(&timeline, NULL, false);
    for (size_t i = 0; i < kernel_count; i++)
        gsim_timeline_add_kernel(&timeline, &(struct gsim_kernel_record){.start = (gsim_time)(kernels[i].start_us * US),
                                                                        .end = (gsim_time)(kernels[i].end_us * US)});
    for (size_t i = 0; i < copy_count; i++)
        gsim_timeline_add_copy(&timeline, &(struct gsim_copy_record){.kind = GSIM_COPY_H2D,
                                                                    .bytes = 1,
                                                                    .start = (gsim_time)(copies[i].start_us * US),
                                                                    .end = (gsim_time)(copies[i].end_us * US)});
    CHECK_OK(gsim_script_overlap(&timeline, &overlap, &error), error);
    gsim_timeline_release(&timeline);
    return overlap;
}

#define COUNT(spans) spans, sizeof spans / sizeof spans[0]

static void two_at_a_time(void)
{
    static const struct span kernels[] = {{0, 10}, {5, 15}}, copies[] = {{8, 20}};
    struct gsim_overlap o = overlap_of(COUNT(kernels), COUNT(copies));
    CHECK_NEAR(o.compute_compute, 5.0 / 20, 1e-12);
    CHECK_NEAR(o.compute_transfer, (2.0 + 7) / 20, 1e-12);
}

/* The third meets the first for 8 us and the second for 18, of which the 8 are a part: 18 or 26. A fourth meets 7, 17
 * and 27: in one order of three all count, 51, else 27 or 44. All alike: once. */
static void three_at_a_time(void)
{
    static const struct span kernels[] = {{0, 10}, {1, 20}, {2, 30}, {3, 40}}, alike[] = {{0, 10}, {0, 10}, {0, 10}};
    CHECK_NEAR(overlap_of(kernels, 3, NULL, 0).compute_compute, (9 + 22.0) / 57, 1e-12);
    CHECK_NEAR(overlap_of(COUNT(kernels), NULL, 0).compute_compute, (9 + 22 + 51 / 3.0 + 2 / 3.0 * (27 + 44) / 2) / 94,
               1e-12);
    CHECK_NEAR(overlap_of(COUNT(alike), NULL, 0).compute_compute, 20.0 / 30, 1e-12);
}

/* Of a copy of 30 us, 25 beside each of two kernels that are 20 us together. */
static void more_than_all(void)
{
    static const struct span kernels[] = {{0, 25}, {5, 30}}, copies[] = {{0, 30}};
    CHECK_NEAR(overlap_of(COUNT(kernels), COUNT(copies)).transfer_compute, 50.0 / 30, 1e-12);
    /* 30 us and, in every second order, the 10 within them as well. */
    static const struct span nested[] = {{0, 30}, {5, 15}};
    CHECK_NEAR(overlap_of(COUNT(nested), COUNT(copies)).transfer_compute, 35.0 / 30, 2.0 / 30);
}

/* Copies that follow each other are one of 0 to 6 us; the third, behind a kernel, is another. */
static void copies_in_a_row(void)
{
    static const struct span kernels[] = {{5, 9}}, copies[] = {{0, 4}, {4.5, 6.5}, {8, 12}};
    CHECK_NEAR(overlap_of(COUNT(kernels), COUNT(copies)).transfer_compute, (1.0 + 1) / 10, 1e-12);
}

static void nothing(void)
{
    struct gsim_overlap o = overlap_of(NULL, 0, NULL, 0);
    CHECK_NEAR(o.total + o.compute_compute + o.compute_transfer + o.transfer_compute, 0, 0);
}

static const struct test_case cases[] = {
    {"two at a time", two_at_a_time},     {"three at a time", three_at_a_time}, {"more than all", more_than_all},
    {"copies in a row", copies_in_a_row}, {"nothing", nothing},
};
TEST_MAIN("sim/script_overlap", cases)
