/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading probe files: what is in a good one, and which place a bad one is refused at.
 */
#include "trust/calibrate/probe.h"

#include <unistd.h>

#include "tests/test.h"

#define POINT "[0, 2.9, 2.8, 3.1, 100]"
#define FILE_OF(series)                                                                                                \
    "{\"schema\": \"gpusim-probe/1\", \"gpu\": \"NVIDIA Z\", \"compute_capability\": 90, \"attributes\": "             \
    "{\"sm_count\": 132, \"novel\": 1}, \"series\": [" series "]}"
#define SERIES_OF(name, points) "{\"name\": \"" name "\", \"x\": \"\", \"unit\": \"us\", \"points\": [" points "]}"

static char path[64];

static enum gsim_status read_text(const char *text, struct gsim_probe *probe, struct gsim_error *error)
{
    snprintf(path, sizeof path, "/tmp/gpusim-probe-%ld.json", (long)getpid());
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    *error = (struct gsim_error){0};
    return gsim_probe_read(path, probe, error);
}

static void good_files_are_read(void)
{
    struct gsim_probe probe;
    struct gsim_error error;
    CHECK_OK(read_text(FILE_OF(SERIES_OF("launch", POINT) "," SERIES_OF("empty", "") "," SERIES_OF(
                           "two", POINT ", [1, -1, -2, 0, 5]")),
                       &probe, &error),
             error);
    CHECK_STR(probe.gpu, "NVIDIA Z");
    CHECK_STR(probe.driver, "");
    CHECK_INT(probe.compute_capability, 90);
    CHECK_NEAR(probe.sm_count, 132, 0);
    CHECK(isnan(probe.l2_bytes));
    CHECK(gsim_probe_find(&probe, "empty") == NULL); /* measured, without a result */
    const struct gsim_probe_series *s = gsim_probe_find(&probe, "two");
    CHECK(s && s->point_count == 2);
    if (s) CHECK_NEAR(s->points[1].low, -2, 0);
    CHECK(gsim_probe_is(path));
    gsim_probe_release(&probe);
    remove(path);
    CHECK(!gsim_probe_is(path));
}

static void bad_files_are_refused(void)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "line 1"},
        {"[1]", "top level: expected an object, found a list"},
        {"{\"schema\": \"gpusim-runs/1\"}", "schema: expected \"gpusim-probe/1\", found \"gpusim-runs/1\""},
        {"{\"schema\": \"gpusim-probe/1\"}", "series: expected a list, found nothing"},
        {"{\"schema\": \"gpusim-probe/1\", \"compute_capability\": \"9.0\", \"series\": []}",
         "compute_capability: expected ten times major plus minor, as 90, found \"9.0\""},
        {"{\"schema\": \"gpusim-probe/1\", \"attributes\": {\"sm_count\": -1}, \"series\": []}",
         "attributes.sm_count: expected a number that is not negative, found -1"},
        {FILE_OF("3"), "series[0]: expected an object, found 3"},
        {FILE_OF("{\"points\": []}"), "series[0].name: expected a text, found nothing"},
        {FILE_OF("{\"name\": \"a\"}"), "series[0] (a): points: expected a list, found nothing"},
        {FILE_OF(SERIES_OF("a", POINT) "," SERIES_OF("a", POINT)),
         "series[1].name: expected a name that no earlier series has, found \"a\""},
        {FILE_OF(SERIES_OF("a", "[1, 2]")),
         "series[0] (a): points[0]: expected [x, median, 5 %, 95 %, count], found a list"},
        {FILE_OF(SERIES_OF("a", POINT ", [0, null, 1, 1, 1]")),
         "series[0] (a): points[1]: expected five finite numbers, x and count not negative, found null"},
        {FILE_OF(SERIES_OF("a", "[-1, 1, 1, 1, 1]")), "found -1"},
        {FILE_OF(SERIES_OF("a", "[0, 1, 2, 3, 1]")),
         "series[0] (a): points[0]: expected quantiles in order, found a list"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct gsim_probe probe;
        struct gsim_error error;
        CHECK_INT(read_text(bad[i].text, &probe, &error), GSIM_INPUT);
        CHECK_HAS(error.message, bad[i].message);
        gsim_probe_release(&probe);
    }
    remove(path);
}

static const struct test_case cases[] = {
    {"good files", good_files_are_read},
    {"bad files", bad_files_are_refused},
};
TEST_MAIN("models/probe", cases)
