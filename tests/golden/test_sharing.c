/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of services on an H100 (traces/h100/sharing_exact.json.gz; five once more, by gpusim-runner:
 * sharing_runner.json.gz): medians of their requests alone and under each way of sharing. */
#include <math.h>

#include "tests/test.h"
#include "trust/validate/sharing.h"

/* LIMITS: of mean errors. COUNTS: services of each way. */
static void check(const char *path, uint32_t pairs, const double *limits, const uint32_t *counts)
{
    struct gsim_device_spec device;
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
    struct gsim_sharing_recording *r = gsim_sharing_recording_read(path, &error);
    CHECK_OK(error.status, error);
    if (!r) return;
    CHECK_INT(gsim_sharing_recording_pairs(r), pairs);
    for (int way = 0; way < GSIM_SHARING_WAY_COUNT; way++) {
        const char *title = gsim_sharing_way_title((enum gsim_sharing_way)way);
        double sum = 0;
        uint32_t n = 0;
        for (uint32_t pair = 0; pair < gsim_sharing_recording_pairs(r); pair++) {
            struct gsim_sharing_sample samples[GSIM_SHARING_SERVICES];
            uint32_t count;
            CHECK_OK(gsim_sharing_predict(r, pair, (enum gsim_sharing_way)way, &device, samples, &count, &error),
                     error);
            for (uint32_t i = 0; i < count; i++) sum += fabs(samples[i].predicted_us / samples[i].measured_us - 1);
            n += count;
        }
        CHECK_INT(n, counts[way]);
        if (!n) continue;
        CHECK_MSG(sum / n <= limits[way] && sum / n > limits[way] / 6, "%s: mean error %.1f %% of %u", title,
                  100 * sum / n, n);
    }
    gsim_sharing_recording_release(r);
    gsim_device_release(&device);
}

static void medians(void)
{
    /* As seen 0.9, 1.0, 0.9, 1.2, 1.1, 2.4, 0.9 %. */
    static const double limits[GSIM_SHARING_WAY_COUNT] = {
        [GSIM_SHARING_WAY_SOLO] = 0.015, [GSIM_SHARING_WAY_STREAMS] = 0.015, [GSIM_SHARING_WAY_PRIORITY] = 0.015,
        [GSIM_SHARING_WAY_MPS] = 0.02,   [GSIM_SHARING_WAY_MPS_50] = 0.015,  [GSIM_SHARING_WAY_TIMESLICE] = 0.035,
        [GSIM_SHARING_WAY_FILL] = 0.015};
    static const uint32_t counts[GSIM_SHARING_WAY_COUNT] = {28, 28, 28, 28, 28, 28, [GSIM_SHARING_WAY_FILL] = 15};
    if (test_is_full()) check(GPUSIM_SOURCE_DIR "/traces/h100/sharing_exact.json.gz", 14, limits, counts);
}

/* By the schedulers' own source, with what its calls and a policy's gates cost. As
 * seen 2.0, 2.5, 2.5, 2.7, 1.9, 2.0, 5.9 %. */
static void runner(void)
{
    static const double limits[GSIM_SHARING_WAY_COUNT] = {
        [GSIM_SHARING_WAY_SOLO] = 0.03, [GSIM_SHARING_WAY_STREAMS] = 0.04, [GSIM_SHARING_WAY_PRIORITY] = 0.04,
        [GSIM_SHARING_WAY_MPS] = 0.04,  [GSIM_SHARING_WAY_MPS_50] = 0.04,  [GSIM_SHARING_WAY_TIMESLICE] = 0.04,
        [GSIM_SHARING_WAY_FILL] = 0.1};
    static const uint32_t counts[GSIM_SHARING_WAY_COUNT] = {10, 10, 10, 10, 6, 10, [GSIM_SHARING_WAY_FILL] = 10};
    check(GPUSIM_SOURCE_DIR "/traces/h100/sharing_runner.json.gz", 5, limits, counts);
}

/* Groups of three, five and eight; pairs on parts of the SMs. As seen 0.7, 2.6, 1.4, 2.2 %; 1.0, 1.8, 1.9, 1.6 %. */
static void groups(void)
{
    static const double limits[GSIM_SHARING_WAY_COUNT] = {[GSIM_SHARING_WAY_SOLO] = 0.012,
                                                          [GSIM_SHARING_WAY_STREAMS] = 0.035,
                                                          [GSIM_SHARING_WAY_MPS] = 0.02,
                                                          [GSIM_SHARING_WAY_TIMESLICE] = 0.03};
    static const uint32_t counts[GSIM_SHARING_WAY_COUNT] = {[GSIM_SHARING_WAY_SOLO] = 64,
                                                            [GSIM_SHARING_WAY_STREAMS] = 64,
                                                            [GSIM_SHARING_WAY_MPS] = 64,
                                                            [GSIM_SHARING_WAY_TIMESLICE] = 64};
    if (test_is_full()) check(GPUSIM_SOURCE_DIR "/traces/h100/crowd.json.gz", 12, limits, counts);
}

static void parts(void)
{
    static const double limits[GSIM_SHARING_WAY_COUNT] = {[GSIM_SHARING_WAY_SOLO] = 0.02,
                                                          [GSIM_SHARING_WAY_PART_64] = 0.03,
                                                          [GSIM_SHARING_WAY_PART_32] = 0.03,
                                                          [GSIM_SHARING_WAY_PART_16] = 0.03};
    static const uint32_t counts[GSIM_SHARING_WAY_COUNT] = {[GSIM_SHARING_WAY_SOLO] = 20,
                                                            [GSIM_SHARING_WAY_PART_64] = 20,
                                                            [GSIM_SHARING_WAY_PART_32] = 20,
                                                            [GSIM_SHARING_WAY_PART_16] = 20};
    check(GPUSIM_SOURCE_DIR "/traces/h100/green.json.gz", 10, limits, counts);
}

static const struct test_case cases[] = {{"medians of requests", medians},
                                         {"recorded by the runner", runner},
                                         {"groups of services", groups},
                                         {"parts of the SMs", parts}};
TEST_MAIN("golden/sharing", cases)
