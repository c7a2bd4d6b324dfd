/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What traces/runner/micro/l2.cu timed: reading what the same block's SM has put into L2, and what another's has. The
 * device files' l2_far_share: on an H200 what kernels do that only read, on an H100 less, since the recorded programs
 * do more than that.
 */
#include <stdlib.h>

#include "sim/device/device.h"
#include "tests/test.h"

#define MOST 200
#define MIN_NS 3000 /* shorter ones are mostly starting and ending */

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The median of how much longer, relative; how many cases there were. */
static double longer(const char *path, size_t *count)
{
    double shares[MOST];
    char line[300];
    FILE *file = fopen(path, "r");
    *count = 0;
    CHECK_MSG(file != NULL, "%s: not read", path);
    if (!file) return 0;
    while (*count < MOST && fgets(line, sizeof line, file)) {
        double same, mixed;
        CHECK_INT(sscanf(line, "%*s MiB %*d blocks %*d threads %*d loads %*d same %lf quartiles %*f %*f mixed %lf",
                         &same, &mixed),
                  2);
        if (same >= MIN_NS) shares[(*count)++] = mixed / same - 1;
    }
    fclose(file);
    qsort(shares, *count, sizeof shares[0], by_value);
    return *count ? shares[*count / 2] : 0;
}

static double share_of(const char *name)
{
    struct gsim_device_spec device = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_device_load(name, &device, &error), error);
    double share = device.l2_far_share;
    gsim_device_release(&device);
    return share;
}

static void recordings(void)
{
    size_t count;
    CHECK_NEAR(longer(GPUSIM_SOURCE_DIR "/traces/h200/vm/near.txt", &count), share_of("h200-vm"), 0.003);
    CHECK(count > 50);
    CHECK(share_of("h200") == share_of("h200-vm"));
    double h100 = longer(GPUSIM_SOURCE_DIR "/traces/h100/near.txt", &count);
    CHECK(count > 50 && h100 > 0.2 && share_of("h100-vm") < h100);
}

static const struct test_case cases[] = {{"recordings", recordings}};
TEST_MAIN("golden/near", cases)
