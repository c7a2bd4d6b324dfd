/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PyTorch services that share an H100 and an H200: medians under time slices and MPS in the ranges that their hosts'
 * times give. */
#include <string.h>

#include "tests/test.h"
#include "trust/validate/services/ranges.h"

#define SLACK 0.03

static void check(const char *path, size_t expected)
{
    struct gsim_ranges ranges;
    struct gsim_error error = {0};
    size_t count = 0, others = 0, in = 0;
    CHECK_OK(gsim_ranges_run(path, GPUSIM_SOURCE_DIR "/workloads/services", NULL, &ranges, &error), error);
    for (size_t i = 0; i < ranges.count; i++)
        for (int service = 0; service < 2; service++) {
            const struct gsim_range_row *r = &ranges.rows[i];
            bool holds = gsim_range_holds(r, service, SLACK),
                 must = strcmp(r->share, "timeslice") == 0 || strcmp(r->share, "mps") == 0;
            if (must) count++;
            else others++, in += holds;
            CHECK_MSG(holds || !must, "%s: %s beside %s: %.0f us, expected %.0f to %.0f", r->share, r->names[service],
                      r->names[!service], r->measured_us[service], r->low_us[service], r->high_us[service]);
        }
    CHECK_INT(count, expected);
    CHECK_MSG(in + 2 >= others, "other ways: %zu of %zu in their ranges", in, others);
    gsim_ranges_release(&ranges);
}

static void h200(void) { check(GPUSIM_SOURCE_DIR "/traces/h200/sharing/sharing_pytorch.json.gz", 4); }
/* Twenty seconds. */
static void h100(void) { if (test_is_full()) check(GPUSIM_SOURCE_DIR "/traces/h100/sharing_pytorch.json.gz", 28); }

static const struct test_case cases[] = {{"H200", h200}, {"H100", h100}};
TEST_MAIN("golden/ranges", cases)
