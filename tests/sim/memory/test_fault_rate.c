/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fault service: with latency c and s per byte, a kernel alone gets 2 MB in rounds x c + 2 MB x s; k >= 2 kernels
 * get a round each in 4/3 c x 2 / k + the sum of their rounds' service. c = 40 us, s = 1 / (4 GB/s): 2 MB in 524.288
 * us.
 */
#include "sim/memory/fault_rate.h"
#include "tests/test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define BLOCK 2097152.0
#define SERVICE_US 524.288
#define LATENCY_PS 40e6

static const struct gsim_device_spec driver = {
    .fault_batch_groups = 256, .fault_prefetch_share = 0.51, .fault_rows_per_visit = 4};

static void rounds_of_a_block(void)
{
    static const struct {
        double window, rounds;
    } cases[] = {{4, 6}, {65536, 6}, {131072, 5}, {262144, 4}, {524288, 3}, {1048576, 2}, {2097152, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_NEAR(BLOCK / gsim_fault_round_bytes(&driver, cases[i].window), cases[i].rounds, 1e-9);
    CHECK_NEAR(gsim_fault_round_bytes(&driver, 8e6), 8e6, 1e-9);
    CHECK_NEAR(gsim_fault_round_bytes(&driver, 1e9), 256 * 65536.0, 1e-9); /* a batch holds 256 groups */
}

/* The same by the driver's rule, group by group: the largest part of the block of which more than 51 % would be
 * there. */
static void rounds_by_the_tree(void)
{
    for (uint32_t window = 1; window <= 32; window *= 2) {
        uint32_t there = 0, rounds = 0;
        while (there < 32) {
            uint32_t faulted = there + window, reach = faulted;
            for (uint32_t size = 1; size <= 32; size *= 2) {
                uint32_t begin = (faulted - 1) / size * size, inside = faulted - begin; /* all before is there */
                if (inside * 100 > size * 51) reach = begin + size > reach ? begin + size : reach;
            }
            there = reach > 32 ? 32 : reach;
            rounds++;
        }
        CHECK_MSG(rounds == (uint32_t)lround(BLOCK / gsim_fault_round_bytes(&driver, window * 65536.0)),
                  "window %u groups: %u rounds", window, rounds);
    }
}

/* Faults per block where threads walk rows of ROW_BYTES in step, a row each, by the same rule. */
static double row_faults(double row_bytes)
{
    static bool there[64 * 32];
    uint32_t rows = (uint32_t)(64 * BLOCK / row_bytes), faults = 0;
    memset(there, 0, sizeof there);
    for (double at = 0; at < row_bytes; at += 4096)
        for (uint32_t row = 0; row < rows; row++) {
            uint32_t group = (uint32_t)((row * row_bytes + at) / 65536), begin = group, length = 1;
            if (there[group]) continue;
            there[group] = true;
            faults++;
            for (uint32_t size = 2; size <= 32; size *= 2) {
                uint32_t first = group / size * size, inside = 0;
                for (uint32_t i = first; i < first + size; i++) inside += there[i];
                if (inside * 100 <= size * 51) continue;
                begin = first;
                length = size;
            }
            for (uint32_t i = begin; i < begin + length; i++) there[i] = true;
        }
    return faults / 64.0;
}

/* A batch brings 256 rows' faults. Of rows up to 128 KB, 16.3 of 32 groups fill a block, four to a visit; of 240
 * KB, 8.7 rows in a block fault first, 7.3 times later. A single row is a scan. */
static void rows_by_the_tree(void)
{
    static const double rows[] = {140e3, 160e3, 200e3, 240e3, 400e3, 1e6, 2e6, 8e6};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double faults = 256 * BLOCK / gsim_fault_rows(&driver, 1e4, rows[i]).round_bytes;
        CHECK_MSG(fabs(faults / row_faults(rows[i]) - 1) < 0.15, "rows of %g: %g faults, counted %g", rows[i], faults,
                  row_faults(rows[i]));
    }
    CHECK_NEAR(gsim_fault_rows(&driver, 1e4, 8e4).visits, 4.08, 1e-9);
    CHECK_NEAR(gsim_fault_rows(&driver, 1e4, 2.4e5).visits, 16 - 0.75 * BLOCK / 2.4e5, 1e-9);
    CHECK_NEAR(gsim_fault_rows(&driver, 1, 1e15).visits, 6, 1e-6);
    CHECK_NEAR(gsim_fault_rows(&driver, 1, 1e15).round_bytes, BLOCK / 6, 1);
    /* 2 MB at 4 GB/s in 6 visits, 100 us of it the link's: 12 visits take 2 x 424.288 + 100. */
    CHECK_NEAR(gsim_fault_visits_ps_per_byte(SERVICE_US, 100, 12), 2 * (SERVICE_US - 100) + 100, 1e-9);
}

/* COUNT kernels, one buffer of 64 blocks each. Microseconds that the first needs for 2 MB. */
static double block_us_after(double latency_ps, double knee, uint32_t count, double window, double compute_us_per_block,
                             double *speed)
{
    struct gsim_fault_kernel kernels[16];
    struct gsim_fault_flow flows[16];
    uint32_t users[16];
    for (uint32_t i = 0; i < count; i++) {
        kernels[i] =
            (struct gsim_fault_kernel){.full_speed = 1 / (64 * compute_us_per_block * 1e6), .first = i, .count = 1};
        flows[i] = (struct gsim_fault_flow){.bytes = 64 * BLOCK, .round_bytes = gsim_fault_round_bytes(&driver, window),
                                            .ps_per_byte = SERVICE_US * 1e6 / BLOCK};
        users[i] = i;
    }
    gsim_fault_rates(latency_ps, knee, kernels, count, flows, count, users);
    if (speed) *speed = kernels[0].speed / kernels[0].full_speed;
    return BLOCK / flows[0].bytes_per_ps * 1e-6;
}

static double block_us_with(double knee, uint32_t count, double window, double compute_us_per_block, double *speed)
{
    return block_us_after(LATENCY_PS, knee, count, window, compute_us_per_block, speed);
}

/* Computation and faults at once, the longer counts. */
static double block_us(uint32_t count, double window, double compute_us_per_block, double *speed)
{
    return block_us_with(64, count, window, compute_us_per_block, speed);
}

static void one_kernel(void)
{
    CHECK_NEAR(block_us(1, 4, 1, NULL), 6 * 40 + SERVICE_US, 1e-3);
    CHECK_NEAR(block_us(1, 524288, 1, NULL), 3 * 40 + SERVICE_US, 1e-3);
    CHECK_NEAR(block_us(1, 2097152, 1, NULL), 40 + SERVICE_US, 1e-3);
}

/* In all: 684.288 us per block with two, approaching the service time alone as batches fill and none waits. */
static void several_kernels(void)
{
    CHECK_NEAR(block_us(2, 4, 1, NULL) / 2, 3 * 160.0 / 3 + SERVICE_US, 1e-3);
    CHECK_NEAR(block_us(8, 4, 1, NULL) / 8, 6 * 160.0 / 3 / 8 / 4 + SERVICE_US, 1e-3);
}

/* 1,000 us of computation per block: the kernel faults as it goes, at full speed. With 700 us it waits a little. */
static void compute_hides_faults(void)
{
    double speed;
    CHECK_NEAR(block_us(1, 4, 1000, &speed), 1000, 1e-2);
    CHECK_NEAR(speed, 1, 1e-9);
    CHECK_NEAR(block_us(1, 4, 700, &speed), 764.288, 1e-2);
    CHECK_NEAR(speed, 700 / 764.288, 1e-6);
}

/* Faults alone 764.288 us per block. Knee 1: the kernel computes or waits, whichever of the two is longer; 2: by
 * Pythagoras. */
static void compute_beside_faults(void)
{
    static const double computes[] = {1, 300, 764.288, 5000};
    for (size_t i = 0; i < sizeof computes / sizeof computes[0]; i++) {
        CHECK_NEAR(block_us_with(1, 1, 4, computes[i], NULL), computes[i] + 764.288, 0.01);
        CHECK_NEAR(block_us_with(2, 1, 4, computes[i], NULL), hypot(computes[i], 764.288), 0.01);
    }
    /* Two kernels without computation fill each other's pauses as before. */
    CHECK_NEAR(block_us_with(1, 2, 4, 1e-3, NULL) / 2, 3 * 160.0 / 3 + SERVICE_US, 0.01);
}

/* COUNT kernels that compute and wait in turn, event by event: a round of 64, 64, 128, 256, 512 or 1,024 KB is served
 * when the driver is free, first come, first served, then its bytes are computed on. Microseconds for 2 MB of each. */
static double block_us_by_events(uint32_t count, double compute_us_per_block)
{
    static const double parts[6] = {1 / 32.0, 1 / 32.0, 1 / 16.0, 1 / 8.0, 1 / 4.0, 1 / 2.0};
    double at[8], free_at = 0, total = 0;
    uint32_t round[8];
    for (int run = 0; run < 16; run++) { /* they start at different rounds and times */
        for (uint32_t i = 0; i < count; i++) {
            at[i] = i * (run + 0.5) / 16 * (SERVICE_US + compute_us_per_block);
            round[i] = i * (uint32_t)run;
        }
        free_at = 0;
        for (uint32_t served = 0; served < 6 * 400 * count; served++) {
            uint32_t next = 0;
            for (uint32_t i = 1; i < count; i++) next = at[i] < at[next] ? i : next;
            double part = parts[round[next]++ % 6];
            free_at = fmax(at[next], free_at) + part * SERVICE_US;
            at[next] = free_at + part * compute_us_per_block;
        }
        total += free_at / 400;
    }
    return total / 16;
}

/* Who faults while the other's round is served waits for the rest of it, as long as a round on average. */
static void behind_anothers_round(void)
{
    for (double ratio = 0.25; ratio <= 8; ratio *= 2) {
        double compute = ratio * SERVICE_US;
        CHECK_NEAR(block_us_by_events(1, compute), compute + SERVICE_US, 0.01 * (compute + SERVICE_US));
        for (uint32_t count = 2; count <= 4; count++) {
            double events = block_us_by_events(count, compute), model = block_us_after(1e3, 1, count, 4, compute, NULL);
            CHECK_MSG(fabs(model / events - 1) < 0.1, "%u kernels, compute %g of service: %g us, by events %g", count,
                      ratio, model, events);
        }
    }
}

/* A kernel that scans two buffers has its faults in one batch: 40 us for both of them. */
static void two_buffers_of_one_kernel(void)
{
    struct gsim_fault_kernel kernel = {.full_speed = 1, .count = 2};
    struct gsim_fault_flow flows[2];
    for (int i = 0; i < 2; i++)
        flows[i] = (struct gsim_fault_flow){
            .bytes = 64 * BLOCK, .round_bytes = BLOCK / 6, .ps_per_byte = SERVICE_US * 1e6 / BLOCK};
    gsim_fault_rates(LATENCY_PS, 64, &kernel, 1, flows, 2, (uint32_t[]){0, 1});
    CHECK_NEAR(BLOCK / flows[0].bytes_per_ps * 1e-6, 6 * 40 + 2 * SERVICE_US, 1e-3);
}

/* Two kernels that scan the same buffer get the same pages: it arrives once. */
static void shared_buffer(void)
{
    struct gsim_fault_kernel kernels[2] = {{.full_speed = 1, .count = 1}, {.full_speed = 1, .first = 1, .count = 1}};
    struct gsim_fault_flow flow = {
        .bytes = 64 * BLOCK, .round_bytes = BLOCK / 6, .ps_per_byte = SERVICE_US * 1e6 / BLOCK};
    gsim_fault_rates(LATENCY_PS, 64, kernels, 2, &flow, 1, (uint32_t[]){0, 0});
    CHECK_NEAR(kernels[0].speed, kernels[1].speed, 1e-18);
    CHECK_NEAR(BLOCK / flow.bytes_per_ps * 1e-6, 6 * 160.0 / 3 + SERVICE_US, 1e-3);
}

static const struct test_case cases[] = {
    {"rounds of a block", rounds_of_a_block},
    {"rounds by the prefetcher's tree", rounds_by_the_tree},
    {"rows by the prefetcher's tree", rows_by_the_tree},
    {"one kernel", one_kernel},
    {"several kernels", several_kernels},
    {"compute hides faults", compute_hides_faults},
    {"compute beside faults", compute_beside_faults},
    {"behind another's round", behind_anothers_round},
    {"two buffers of one kernel", two_buffers_of_one_kernel},
    {"a buffer that two kernels share", shared_buffer},
};
TEST_MAIN("sim/fault_rate", cases)
