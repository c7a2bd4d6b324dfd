/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of services on an H100 (traces/h100/sharing_exact.json.gz): medians of their requests alone and under each way of sharing. */
#include <math.h>
#include <stdlib.h>

#include "sim/device/device.h"
#include "tests/test.h"
#include "trust/validate/sharing.h"

static void medians(void)
{
    static const double limits[GSIM_SHARING_WAY_COUNT] = {[GSIM_SHARING_WAY_SOLO] = 0.04, [GSIM_SHARING_WAY_STREAMS] = 0.04,
                                                          [GSIM_SHARING_WAY_PRIORITY] = 0.04, [GSIM_SHARING_WAY_MPS] = 0.04,
                                                          [GSIM_SHARING_WAY_MPS_50] = 0.05, [GSIM_SHARING_WAY_TIMESLICE] = 0.10};
    struct gsim_device_spec device;
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
    const char *path = getenv("SHARING_FILE") ? getenv("SHARING_FILE") : GPUSIM_SOURCE_DIR "/traces/h100/sharing_exact.json.gz";
    struct gsim_sharing_recording *r = gsim_sharing_recording_read(path, &error);
    CHECK_OK(error.status, error);
    if (!r) return;
    CHECK_INT(gsim_sharing_recording_pairs(r), 14);
    for (int way = 0; way < GSIM_SHARING_WAY_COUNT; way++) {
        double sum = 0, worst = 0;
        uint32_t n = 0;
        if (getenv("WAY") && atoi(getenv("WAY")) != way) continue;
        for (uint32_t pair = 0; pair < gsim_sharing_recording_pairs(r); pair++) {
            struct gsim_sharing_sample samples[2];
            uint32_t count;
            CHECK_OK(gsim_sharing_predict(r, pair, (enum gsim_sharing_way)way, &device, samples, &count, &error), error);
            for (uint32_t i = 0; i < count; i++) {
                double off = samples[i].predicted_us / samples[i].measured_us - 1;
                if (getenv("VERBOSE")) printf("%-24s %2u %c %9.0f %9.0f  p90 %9.0f %9.0f %+6.1f %%\n", gsim_sharing_way_title((enum gsim_sharing_way)way), pair, 'a' + samples[i].service, samples[i].predicted_us, samples[i].measured_us, samples[i].predicted_p90_us, samples[i].measured_p90_us, 100 * off);
                sum += fabs(off);
                worst = fmax(worst, fabs(off));
                n++;
            }
        }
        if (getenv("VERBOSE")) printf("== %s: mean %.2f %%, worst %.1f %% of %u\n", gsim_sharing_way_title((enum gsim_sharing_way)way), 100 * sum / n, 100 * worst, n);
        CHECK_MSG(n >= 14 && sum / n <= limits[way], "%s: mean error %.1f %% of %u", gsim_sharing_way_title((enum gsim_sharing_way)way), 100 * sum / n, n);
    }
    gsim_sharing_recording_release(r);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"medians of requests", medians}};
TEST_MAIN("golden/sharing", cases)
