/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings of PyTorch services: which files hold some, what is refused, a range of one pair.
 * tests/golden/test_ranges.c has the recordings. */
#include <unistd.h>

#include "tests/test.h"
#include "trust/validate/services/ranges.h"

static const char *put_file(const char *text)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/gpusim-test-%ld-ranges.json", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return path;
    fputs(text, file);
    fclose(file);
    return path;
}

static enum gsim_status run(const char *text, struct gsim_ranges *ranges, struct gsim_error *error)
{
    const char *path = put_file(text);
    enum gsim_status status = gsim_ranges_run(path, GPUSIM_SOURCE_DIR "/workloads/services", NULL, ranges, error);
    remove(path);
    return status;
}

static void refusals(void)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {{"{\"solo\": ", "expected JSON"},
                 {"{\"solo\": {\"alexnet\": {\"p10\": 5}}}", "solo.alexnet: expected p10 and p90"},
                 {"{\"solo\": {\"alexnet\": {\"p10\": 600, \"p90\": 700}}, \"runs\": []}",
                  "expected pairs of services, found none"},
                 {"{\"solo\": {\"alexnet\": {\"p10\": 600, \"p90\": 700}, \"vgg16\": {\"p10\": 2600, \"p90\": 2700}},"
                  " \"mps\": [{\"a\": \"alexnet\", \"b\": \"vgg16\", \"a_us\": {\"p10\": 9, \"p50\": 3}}]}",
                  "mps of alexnet: expected p10 and p50"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gsim_ranges ranges;
        struct gsim_error error = {0};
        CHECK_INT(run(cases[i].text, &ranges, &error), GSIM_INPUT);
        CHECK_HAS(error.message, cases[i].expected);
        gsim_ranges_release(&ranges);
    }
    CHECK(!gsim_ranges_holds("/no/such/file"));
    CHECK(!gsim_ranges_holds(GPUSIM_SOURCE_DIR "/traces/h100/sharing_exact.json.gz"));
    CHECK(gsim_ranges_holds(GPUSIM_SOURCE_DIR "/traces/h100/sharing_pytorch.json.gz"));
}

/* Alone alexnet takes 540 us, the fastest tenth of the pair, to 700; MPS beside a service that asks for the GPU an
 * eighth of the time adds little to the median. */
static void one_pair(void)
{
    struct gsim_ranges ranges;
    struct gsim_error error = {0};
    CHECK_OK(run("{\"device\": \"NVIDIA H200\", \"solo\": {\"alexnet\": {\"p10\": 600, \"p90\": 700}, \"resnet18\": "
                 "{\"p10\": 1000, \"p90\": 1200}},"
                 " \"mps\": [{\"a\": \"alexnet\", \"b\": \"resnet18\", \"a_rate\": 100, \"b_rate\": 100, \"a_us\": "
                 "{\"p10\": 540, \"p50\": 680}, "
                 "\"b_us\": {\"p10\": 1100, \"p50\": 5000}}]}",
                 &ranges, &error),
             error);
    CHECK_INT(ranges.count, 1);
    const struct gsim_range_row *r = &ranges.rows[0];
    CHECK_MSG(r->low_us[0] > 530 && r->low_us[0] < 550 && r->high_us[0] > 690 && r->high_us[0] < 750, "%g to %g us",
              r->low_us[0], r->high_us[0]);
    CHECK(gsim_range_holds(r, 0, 0));
    CHECK(!gsim_range_holds(r, 1, 0.03));
    gsim_ranges_release(&ranges);
}

static const struct test_case cases[] = {{"refusals", refusals}, {"one pair", one_pair}};
TEST_MAIN("trust/validate/ranges", cases)
